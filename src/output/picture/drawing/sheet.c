/* Plots of several sizes, with the legend beside or below in one to three columns, are compared by the share of the picture
 * that stays empty. */
#include "output/picture/drawing/sheet.h"

#include <math.h>

#define PLOT_WIDTH 720.0 /* at most */
#define PLOT_HEIGHT 640.0
#define PLOT_SHORT 170.0 /* the short side is at least that, in the largest plot */
#define TICK_ROOM 140.0
#define GAP 28.0
#define BELOW 58.0 /* ticks and title of the x axis */
#define LEGEND_WIDEST 440.0
#define LEAST_WIDTH 520.0
#define PIXELS_LEAST 1600.0 /* of the long side */

/* A way to lay out. */
struct plan {
  double size;
  int columns; /* of the legend below the plot; 0: beside */
  double width, height, empty, stretch;
};

double hs_sheet_x(const struct hs_sheet *sheet, double x_m)
{
  return sheet->plot.x + x_m / sheet->problem->lx_m * sheet->plot.width;
}

double hs_sheet_y(const struct hs_sheet *sheet, double y_m)
{
  return sheet->plot.y + (1.0 - y_m / sheet->problem->ly_m) * sheet->plot.height;
}

static void size_plot(struct hs_sheet *sheet, double size)
{
  const double lx = sheet->problem->lx_m, ly = sheet->problem->ly_m;
  const double unit = size * fmin(PLOT_WIDTH / lx, PLOT_HEIGHT / ly);
  sheet->plot.width = fmax(round(size * PLOT_SHORT), round(unit * lx));
  sheet->plot.height = fmax(round(size * PLOT_SHORT), round(unit * ly));
  sheet->stretch_x = sheet->plot.width / (unit * lx);
  sheet->stretch_y = sheet->plot.height / (unit * ly);
}

static void make_axes(struct hs_sheet *sheet)
{
  const double lx = sheet->problem->lx_m, ly = sheet->problem->ly_m;
  const struct hs_box *plot = &sheet->plot;
  const char *unit;
  const double factor = hs_axis_length_unit(fmax(lx, ly), &unit);
  hs_axis_length(&sheet->x_axis, lx * factor, (int)fmax(1.0, plot->width / TICK_ROOM), 0.3 * TICK_ROOM / plot->width);
  hs_axis_length(&sheet->y_axis, ly * factor, (int)fmax(1.0, plot->height / TICK_ROOM), 0.3 * TICK_ROOM / plot->height);
  hs_axis_title(&sheet->x_axis, "x", unit, sheet->x_title, sizeof sheet->x_title);
  hs_axis_title(&sheet->y_axis, "y", unit, sheet->y_title, sizeof sheet->y_title);
}

/* Sets everything as planned, and says how much stays empty. */
static void apply(struct hs_sheet *sheet, struct plan *plan)
{
  const struct hs_box *plot = &sheet->plot;
  double drawn_width, drawn_height, legend_width, legend_height;
  size_plot(sheet, plan->size);
  make_axes(sheet);
  sheet->plot.x = ceil(HS_SHEET_MARGIN + 22.0 + hs_axis_label_width(sheet->cr, &sheet->y_axis) + 14.0 + HS_STRIP);
  sheet->plot.y = ceil(HS_SHEET_MARGIN + HS_SHEET_TITLE + HS_SHEET_NOTE + 20.0 + HS_STRIP);
  sheet->legend_columns = plan->columns > 0 ? plan->columns : 1;
  drawn_width = plot->x + plot->width + HS_STRIP;
  hs_legend_measure(sheet->cr, &sheet->legend, sheet->legend_columns, LEGEND_WIDEST * sheet->legend_columns,
                    &legend_width, &legend_height);
  drawn_height = plot->y + plot->height + HS_STRIP + BELOW;
  if (plan->columns == 0) {
    sheet->legend_x = drawn_width + GAP;
    sheet->legend_y = plot->y - HS_STRIP;
    plan->width = sheet->legend_x + legend_width + HS_SHEET_MARGIN;
    plan->height = fmax(drawn_height, sheet->legend_y + legend_height + HS_SHEET_MARGIN);
    plan->empty =
        legend_width * (plan->height - sheet->legend_y - legend_height) + drawn_width * (plan->height - drawn_height);
  } else {
    sheet->legend_x = plot->x - HS_STRIP;
    sheet->legend_y = drawn_height + 4.0;
    plan->width = fmax(drawn_width + GAP, sheet->legend_x + legend_width) + HS_SHEET_MARGIN;
    plan->height = sheet->legend_y + legend_height + HS_SHEET_MARGIN;
    plan->empty =
        (plan->width - drawn_width) * drawn_height + (plan->width - sheet->legend_x - legend_width) * legend_height;
  }
  plan->stretch = fmax(sheet->stretch_x, sheet->stretch_y);
  plan->width = ceil(fmax(plan->width, LEAST_WIDTH));
  plan->height = ceil(plan->height);
}

/* Smaller is better: the empty share, and a fee for small plots, stretched ones and long pictures. */
static double cost_of(const struct plan *plan)
{
  const double shape = plan->height / plan->width;
  return plan->empty / (plan->width * plan->height) + (plan->stretch - 1.0) + 0.12 * (1.0 - plan->size) +
         fmax(0.0, 0.6 * (shape - 1.5)) + fmax(0.0, 0.3 * (1.0 / shape - 2.2));
}

void hs_sheet_lay_out(struct hs_sheet *sheet)
{
  static const double sizes[] = {1.0, 0.85, 0.7, 0.6};
  struct plan best = {.size = 0.0};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (int columns = 0; columns <= HS_LEGEND_COLUMNS; columns++) {
      struct plan plan = {.size = sizes[k], .columns = columns};
      apply(sheet, &plan);
      if (best.size == 0.0 || cost_of(&plan) < cost_of(&best)) best = plan;
    }
  apply(sheet, &best);
  sheet->canvas.width = best.width;
  sheet->canvas.height = best.height;
  if (sheet->canvas.scale == 0)
    sheet->canvas.scale = (int)fmax(2.0, ceil(PIXELS_LEAST / fmax(best.width, best.height)));
}
