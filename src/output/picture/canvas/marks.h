/* Marks that the drawing of a problem and its legend share. */
#ifndef HS_OUTPUT_PICTURE_MARKS_H
#define HS_OUTPUT_PICTURE_MARKS_H

#include <cairo.h>

#include "problem/problem.h"

enum hs_mark {
  HS_MARK_HEADING,
  HS_MARK_TEXT, /* without a sign */
  HS_MARK_MATERIAL,
  HS_MARK_SOURCE,
  HS_MARK_HELD,
  HS_MARK_INITIAL,
  HS_MARK_LOSS,
  HS_MARK_WALL,
  HS_MARK_PROBE
};

/* Fills and outlines the current path as a source, a held shape, an initial temperature or a loss, and clears it. */
void hs_mark_paint(cairo_t *cr, enum hs_mark mark);

/* A probe's cross. */
void hs_cross_paint(cairo_t *cr, double x, double y);

#endif
