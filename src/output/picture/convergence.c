/* convergence.png: the norms that the stop test looked at.
 *
 * One curve per norm of the history, the ordinate logarithmic, the abscissa in sweeps or cycles. Values that were not
 * computed (NaN) or have no logarithm are left out; the line goes on to the next one. Points closer than half a pixel
 * to the last one drawn are skipped, so a hundred thousand checks cost no more than a few hundred.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "output/output.h"
#include "output/picture/canvas/axes.h"
#include "output/picture/canvas/canvas.h"

#define CURVES 4
#define CANVAS_WIDTH 900.0
#define CANVAS_HEIGHT 600.0
#define NEAR 0.3 /* squared distance below which a point is skipped */

struct curve {
  const char *label;
  double rgb[3]; /* from Okabe and Ito, distinguishable with colour-blind eyes */
};

static const struct curve curves[CURVES] = {{"update, 2-norm (K)", {0.00, 0.45, 0.70}},
                                            {"update, largest (K)", {0.80, 0.47, 0.65}},
                                            {"residual, relative", {0.00, 0.62, 0.45}},
                                            {"estimated error (K)", {0.80, 0.40, 0.00}}};

struct plot {
  const struct hs_solve_outcome *outcome;
  struct hs_box box;
  int points[CURVES]; /* that can be drawn */
  int low_decade, high_decade;
  double last_sweep;
  const char *unit; /* "sweeps" or "cycles" */
};

static double curve_value(const struct hs_check *check, int curve)
{
  return hs_stop_value((enum hs_stop_quantity)curve, check);
}

static int can_draw(double value)
{
  return value >= DBL_MIN && value <= DBL_MAX;
}

static void find_range(struct plot *plot, double tolerance)
{
  double low = INFINITY, high = 0.0;
  int k, curve;
  for (k = 0; k < plot->outcome->history_count; k++) {
    const struct hs_check *check = &plot->outcome->history[k];
    for (curve = 0; curve < CURVES; curve++) {
      const double value = curve_value(check, curve);
      if (!can_draw(value)) continue;
      plot->points[curve]++;
      low = fmin(low, value);
      high = fmax(high, value);
    }
    plot->last_sweep = fmax(plot->last_sweep, (double)check->sweeps);
  }
  if (can_draw(tolerance)) {
    low = fmin(low, tolerance);
    high = fmax(high, tolerance);
  }
  if (!(high > 0.0)) low = high = 1.0;
  plot->low_decade = (int)floor(log10(low) + 1e-9);
  plot->high_decade = (int)ceil(log10(high) - 1e-9);
  if (plot->high_decade == plot->low_decade) plot->high_decade++;
}

static double plot_x(const struct plot *plot, double sweeps)
{
  return plot->box.x + plot->box.width * (plot->last_sweep > 0.0 ? sweeps / plot->last_sweep : 0.0);
}

static double plot_y(const struct plot *plot, double value)
{
  const double fraction = (log10(value) - plot->low_decade) / (plot->high_decade - plot->low_decade);
  return plot->box.y + plot->box.height * (1.0 - fraction);
}

static void draw_grid(cairo_t *cr, const struct hs_box *box, const struct hs_axis *axis)
{
  int k;
  cairo_set_source_rgb(cr, 0.87, 0.87, 0.87);
  cairo_set_line_width(cr, 1.0);
  for (k = 0; k < axis->count; k++) {
    const double y = box->y + (1.0 - axis->position[k]) * box->height;
    cairo_move_to(cr, box->x, y);
    cairo_line_to(cr, box->x + box->width, y);
    cairo_stroke(cr);
  }
}

static void draw_curve(cairo_t *cr, const struct plot *plot, int curve, double line_width)
{
  const int last = plot->outcome->history_count - 1;
  double last_x = -INFINITY, last_y = -INFINITY;
  int k, connected = 0;
  cairo_set_source_rgb(cr, curves[curve].rgb[0], curves[curve].rgb[1], curves[curve].rgb[2]);
  cairo_set_line_width(cr, line_width);
  for (k = 0; k <= last; k++) {
    const double value = curve_value(&plot->outcome->history[k], curve);
    double x, y;
    if (!can_draw(value)) continue;
    x = plot_x(plot, (double)plot->outcome->history[k].sweeps);
    y = plot_y(plot, value);
    if (connected && k < last && (x - last_x) * (x - last_x) + (y - last_y) * (y - last_y) < NEAR) continue;
    if (connected)
      cairo_line_to(cr, x, y);
    else
      cairo_move_to(cr, x, y);
    last_x = x;
    last_y = y;
    connected = 1;
  }
  cairo_stroke(cr);
}

/* Marks the points of a curve with few of them: a single one would be invisible. */
static void draw_markers(cairo_t *cr, const struct plot *plot, int curve)
{
  int k;
  if (plot->points[curve] > 30) return;
  for (k = 0; k < plot->outcome->history_count; k++) {
    const double value = curve_value(&plot->outcome->history[k], curve);
    if (!can_draw(value)) continue;
    cairo_new_sub_path(cr);
    cairo_arc(cr, plot_x(plot, (double)plot->outcome->history[k].sweeps), plot_y(plot, value), 3.5, 0.0, 2.0 * M_PI);
    cairo_fill(cr);
  }
}

static void draw_tolerance(cairo_t *cr, const struct plot *plot, int tested, double tolerance)
{
  const double dashes[2] = {7.0, 5.0};
  if (!can_draw(tolerance)) return;
  cairo_save(cr);
  cairo_set_source_rgb(cr, curves[tested].rgb[0], curves[tested].rgb[1], curves[tested].rgb[2]);
  cairo_set_line_width(cr, 1.4);
  cairo_set_dash(cr, dashes, 2, 0.0);
  cairo_move_to(cr, plot->box.x, plot_y(plot, tolerance));
  cairo_line_to(cr, plot->box.x + plot->box.width, plot_y(plot, tolerance));
  cairo_stroke(cr);
  cairo_restore(cr);
}

static void draw_legend_entry(cairo_t *cr, double x, double y, const double rgb[3], int dashed, const char *label)
{
  const double dashes[2] = {7.0, 5.0};
  cairo_save(cr);
  cairo_set_source_rgb(cr, rgb[0], rgb[1], rgb[2]);
  cairo_set_line_width(cr, dashed ? 1.4 : 2.4);
  if (dashed) cairo_set_dash(cr, dashes, 2, 0.0);
  cairo_move_to(cr, x, y);
  cairo_line_to(cr, x + 30.0, y);
  cairo_stroke(cr);
  cairo_restore(cr);
  cairo_set_source_rgb(cr, 0.0, 0.0, 0.0);
  hs_draw_text(cr, x + 40.0, y, HS_TEXT_SIZE, HS_ALIGN_LOW, INFINITY, 0.0, label);
}

/* The legend, to the right of the plot. */
static void draw_legend(cairo_t *cr, const struct plot *plot, int tested, double tolerance)
{
  const double x = plot->box.x + plot->box.width + 20.0;
  double y = plot->box.y + 12.0;
  char plain[32], label[64];
  int curve;
  for (curve = 0; curve < CURVES; curve++) {
    if (plot->points[curve] == 0) continue;
    draw_legend_entry(cr, x, y, curves[curve].rgb, 0, curves[curve].label);
    y += 24.0;
  }
  if (!can_draw(tolerance)) return;
  snprintf(plain, sizeof plain, "stop at %.3g", tolerance);
  hs_text_typeset(plain, label, sizeof label);
  draw_legend_entry(cr, x, y, curves[tested].rgb, 1, label);
}

/* What the curves are of: "update, error (K); residual (relative)". */
static void ordinate_name(const struct plot *plot, char *text, size_t size)
{
  const bool update = plot->points[0] + plot->points[1] > 0, residual = plot->points[2] > 0;
  const bool error = plot->points[3] > 0;
  snprintf(text, size, "%s%s%s%s%s%s", update ? "update" : "", update && error ? ", " : "", error ? "error" : "",
           update || error ? " (K)" : "", (update || error) && residual ? "; " : "",
           residual ? "residual (relative)" : "");
}

static void draw_axes(cairo_t *cr, const struct plot *plot, const struct hs_axis *y_axis)
{
  struct hs_axis x_axis;
  char plain[48], title[64];
  hs_axis_linear(&x_axis, 0.0, plot->last_sweep, (int)fmax(1.0, fmin(5.0, plot->last_sweep)));
  snprintf(plain, sizeof plain, "%s", plot->unit);
  if (plot->last_sweep > 0.0 && x_axis.exponent)
    snprintf(plain, sizeof plain, "%s (1e%d)", plot->unit, x_axis.exponent);
  hs_text_typeset(plain, title, sizeof title);
  hs_draw_frame(cr, &plot->box);
  if (plot->last_sweep > 0.0) hs_draw_ticks_below(cr, &plot->box, &x_axis);
  hs_draw_ticks_left(cr, &plot->box, y_axis);
  hs_draw_text(cr, plot->box.x + 0.5 * plot->box.width, plot->box.y + plot->box.height + 42.0, HS_TEXT_SIZE,
               HS_ALIGN_MIDDLE, INFINITY, 0.0, title);
  ordinate_name(plot, title, sizeof title);
  hs_draw_text(cr, 24.0, plot->box.y + 0.5 * plot->box.height, HS_TEXT_SIZE, HS_ALIGN_MIDDLE, plot->box.height, M_PI_2,
               title);
}

static void draw_heading(cairo_t *cr, const struct hs_result *result, const char *unit)
{
  const char *title = result->config->output.title ? result->config->output.title : "";
  char text[128];
  snprintf(text, sizeof text, "Convergence: %s after %lld %s", hs_verdict_name(hs_result_verdict(result)),
           (long long)hs_result_sweeps(result), unit);
  cairo_set_source_rgb(cr, 0.0, 0.0, 0.0);
  hs_draw_text(cr, 0.5 * CANVAS_WIDTH, title[0] ? 26.0 : 36.0, 20.0, HS_ALIGN_MIDDLE, CANVAS_WIDTH - 40.0, 0.0,
               title[0] ? title : text);
  if (title[0]) hs_draw_text(cr, 0.5 * CANVAS_WIDTH, 52.0, 13.0, HS_ALIGN_MIDDLE, CANVAS_WIDTH - 40.0, 0.0, text);
}

static void draw_curves(cairo_t *cr, const struct plot *plot, int tested)
{
  int curve;
  cairo_save(cr);
  cairo_rectangle(cr, plot->box.x - 4.0, plot->box.y - 4.0, plot->box.width + 8.0, plot->box.height + 8.0);
  cairo_clip(cr);
  cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
  for (curve = 0; curve < CURVES; curve++) {
    draw_curve(cr, plot, curve, curve == tested ? 2.6 : 1.4);
    draw_markers(cr, plot, curve);
  }
  cairo_restore(cr);
}

hs_status hs_output_convergence_write(const char *path, const struct hs_result *result, struct hs_error *err)
{
  const int tested = (int)result->config->solver.criterion;
  const double tolerance = result->config->solver.tolerance;
  struct plot plot = {.outcome = &result->outcome,
                      .box = {104.0, 74.0, 556.0, 452.0},
                      .unit = hs_result_makes_cycles(result) ? "cycles" : "sweeps"};
  struct hs_axis y_axis;
  struct hs_canvas canvas = HS_CANVAS_NONE;
  hs_status status = hs_canvas_create(&canvas, err);
  if (status) return status;
  canvas.width = CANVAS_WIDTH;
  canvas.height = CANVAS_HEIGHT;
  snprintf(canvas.title, sizeof canvas.title, "Convergence");
  find_range(&plot, tolerance);
  hs_axis_decades(&y_axis, plot.low_decade, plot.high_decade, 10);
  draw_grid(canvas.cr, &plot.box, &y_axis);
  draw_heading(canvas.cr, result, plot.unit);
  draw_axes(canvas.cr, &plot, &y_axis);
  if (plot.points[0] + plot.points[1] + plot.points[2] + plot.points[3] == 0)
    hs_draw_text(canvas.cr, plot.box.x + 0.5 * plot.box.width, plot.box.y + 0.5 * plot.box.height, HS_TEXT_SIZE,
                 HS_ALIGN_MIDDLE, plot.box.width, 0.0, "No norm was recorded that can be drawn on this scale.");
  draw_tolerance(canvas.cr, &plot, tested, tolerance);
  draw_curves(canvas.cr, &plot, tested);
  draw_legend(canvas.cr, &plot, tested, tolerance);
  status = hs_canvas_write(&canvas, path, err);
  hs_canvas_destroy(&canvas);
  return status;
}
