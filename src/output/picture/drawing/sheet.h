/* The sheet on which a problem is drawn: where everything lies. */
#ifndef HS_OUTPUT_PICTURE_SHEET_H
#define HS_OUTPUT_PICTURE_SHEET_H

#include "output/picture/canvas/canvas.h"
#include "output/picture/drawing/labels.h"
#include "output/picture/drawing/legend.h"

#define HS_SHEET_MARGIN 18.0
#define HS_SHEET_TITLE 20.0
#define HS_SHEET_NOTE 13.0
#define HS_CROSS 7.0 /* half of the room that a probe's cross takes */

struct hs_sheet {
  const struct hs_problem *problem;
  struct hs_canvas canvas;
  cairo_t *cr; /* the canvas's */
  struct hs_legend legend;
  struct hs_box plot;
  struct hs_axis x_axis, y_axis;
  char x_title[48], y_title[48];
  double stretch_x, stretch_y;
  double legend_x, legend_y;
  int legend_columns;
  struct hs_labels labels;
};

/* Chooses the size of the plot and where the legend stands, so that little is left empty. The legend and the canvas are
 * there. */
void hs_sheet_lay_out(struct hs_sheet *sheet);

double hs_sheet_x(const struct hs_sheet *sheet, double x_m); /* on the canvas */
double hs_sheet_y(const struct hs_sheet *sheet, double y_m);

#endif
