/* Names beside points of a drawing, placed so that they hide neither the points nor each other. */
#ifndef HS_OUTPUT_PICTURE_LABELS_H
#define HS_OUTPUT_PICTURE_LABELS_H

#include "output/picture/axes.h"

enum { HS_LABELS_MAX = 200 }; /* places that are kept in mind */

struct hs_labels {
  struct hs_box area; /* where labels may lie */
  struct hs_box taken[HS_LABELS_MAX];
  int count;
};

/* Keeps a place free of labels. */
void hs_labels_take(struct hs_labels *labels, double x, double y, double width, double height);

/* Writes name beside the point (x, y). */
void hs_labels_draw(cairo_t *cr, struct hs_labels *labels, double x, double y, const char *name);

#endif
