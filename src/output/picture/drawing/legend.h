/* The legend of the drawing of a problem. */
#ifndef HS_OUTPUT_PICTURE_LEGEND_H
#define HS_OUTPUT_PICTURE_LEGEND_H

#include "output/picture/canvas/marks.h"
#include "output/picture/drawing/walls.h"

enum { HS_LEGEND_COLUMNS = 3 /* at most */ };

struct hs_legend_entry {
  enum hs_mark mark;
  double rgb[3];         /* of a material */
  struct hs_strip strip; /* of a wall */
  int number;            /* of a wall's segment, from 1 */
  char text[260];        /* UTF-8 */
};

struct hs_legend {
  struct hs_legend_entry *entries; /* [count], owned */
  int count;
  double column_width[HS_LEGEND_COLUMNS]; /* set by hs_legend_measure */
};

/* range_w_mk: extremes of the problem's conductivity map, where it has one. Errors: HS_ERR_MEMORY. */
hs_status hs_legend_create(const struct hs_problem *problem, const double range_w_mk[2], struct hs_legend *legend,
                           struct hs_error *err);
void hs_legend_clear(struct hs_legend *legend);

/* Width and height of the legend in that many columns. Each is as wide as its texts, where all together fit into `room`; else
 * those of long texts are as wide as others leave them. */
void hs_legend_measure(cairo_t *cr, struct hs_legend *legend, int columns, double room, double *width, double *height);

/* Draws it with its upper left corner at (x, y). */
void hs_legend_draw(cairo_t *cr, const struct hs_legend *legend, int columns, double x, double y);

#endif
