/* Names beside points of a drawing, placed so that they hide neither the points nor each other. */
#ifndef HS_OUTPUT_PICTURE_LABELS_H
#define HS_OUTPUT_PICTURE_LABELS_H

#include <stdbool.h>

#include "output/picture/canvas/axes.h"
#include "output/picture/canvas/lines.h"

enum { HS_LABELS_MAX = 800 }; /* places that are kept in mind */

struct hs_label {
  struct hs_box box;
  struct hs_spot point; /* that it names */
  const char *name;     /* not owned */
  const double *rgb;    /* [3], not owned */
};

struct hs_labels {
  struct hs_box area; /* where labels may lie */
  struct hs_box taken[HS_LABELS_MAX];
  int count;
  struct hs_label label[HS_LABELS_MAX];
  int label_count;
};

/* Keeps a place free of labels. */
void hs_labels_take(struct hs_labels *labels, double x, double y, double width, double height);

/* Finds a place for a name, which must stay until it is drawn: at the point where `over`, else beside it; farther away where
 * there is no room; nowhere where there is none far and wide. */
void hs_labels_add(cairo_t *cr, struct hs_labels *labels, struct hs_spot point, bool over, const char *name,
                   const double rgb[3]);

/* Draws all, with lines to the points of those that are farther away. */
void hs_labels_draw(cairo_t *cr, const struct hs_labels *labels);

#endif
