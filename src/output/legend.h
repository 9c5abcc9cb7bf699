/* The legend of the drawing of a problem, and the marks that drawing and legend share. */
#ifndef HS_OUTPUT_LEGEND_H
#define HS_OUTPUT_LEGEND_H

#include <cairo.h>

#include "problem/problem.h"

#define HS_STRIP 15.0 /* width of the coloured strip along a wall */

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

struct hs_legend_entry {
  enum hs_mark mark;
  double rgb[3];     /* of a material */
  enum hs_wall wall; /* of a wall */
  int number;        /* of a wall's segment, from 1 */
  char text[200];    /* ASCII */
};

struct hs_legend {
  struct hs_legend_entry *entries; /* [count], owned */
  int count;
  double column_width; /* set by hs_legend_measure */
};

/* Errors: HS_ERR_MEMORY. */
hs_status hs_legend_create(const struct hs_problem *problem, struct hs_legend *legend, struct hs_error *err);
void hs_legend_clear(struct hs_legend *legend);

/* Height of the legend in that many columns of the width that its texts want, at most `widest`. */
double hs_legend_measure(cairo_t *cr, struct hs_legend *legend, int columns, double widest);

/* Draws it with its upper left corner at (x, y). */
void hs_legend_draw(cairo_t *cr, const struct hs_legend *legend, int columns, double x, double y);

/* Fills and outlines the current path as a source, a held shape, an initial temperature or a loss, and clears it. */
void hs_mark_paint(cairo_t *cr, enum hs_mark mark);

/* A piece of a wall's strip; number 0: none is written into it. */
void hs_strip_paint(cairo_t *cr, double x, double y, double width, double height, enum hs_wall wall, int number);

/* A probe's cross. */
void hs_cross_paint(cairo_t *cr, double x, double y);

#endif
