/* The chart of a benchmark: node updates per second against the size of the grid, both logarithmic.
 *
 * A backend has a colour; double precision has filled markers, single open ones; further kinds of rows (pattern, form,
 * mode) have markers of other shapes and dashed lines. Copy limits are dashed grey lines, named at the right edge.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shown.h"
#include "base/version.h"
#include "output/bench/bench.h"
#include "output/bench/curves.h"
#include "output/picture/canvas/axes.h"
#include "output/picture/canvas/canvas.h"

#define CANVAS_WIDTH 1060.0
#define LEGEND_TOP 586.0
#define LEGEND_ROW 24.0
#define MARKER 4.5

static const struct hs_box box = {92.0, 72.0, 774.0, 430.0};

enum { COLOURS = 8, SHAPES = 4 };

/* From Okabe and Ito, distinguishable with colour-blind eyes. */
static const double colours[COLOURS][3] = {{0.00, 0.45, 0.70}, {0.84, 0.37, 0.00}, {0.00, 0.62, 0.45},
                                           {0.80, 0.47, 0.65}, {0.90, 0.62, 0.00}, {0.34, 0.71, 0.91},
                                           {0.35, 0.35, 0.35}, {0.60, 0.20, 0.20}};

/* --- axes ------------------------------------------------------------------------------------ */

static double place_x(const struct hs_bench_curves *curves, double value)
{
  return box.x + box.width * log(value / curves->low_x) / log(curves->high_x / curves->low_x);
}

static double place_y(const struct hs_bench_curves *curves, double value)
{
  return box.y + box.height * (1.0 - log(value / curves->low_y) / log(curves->high_y / curves->low_y));
}

/* Ticks at 1, 2, 5 times powers of ten, at powers of ten alone where that would be too many. */
static void axis_y(const struct hs_bench_curves *curves, struct hs_axis *axis)
{
  const bool sparse = log10(curves->high_y / curves->low_y) > 5.0;
  memset(axis, 0, sizeof *axis);
  for (double value = curves->low_y; value <= curves->high_y * 1.001 && axis->count < HS_AXIS_TICKS;
       value = hs_bench_round(value * 1.5, true)) {
    const double decade = log10(value);
    char text[32];
    if (sparse && fabs(decade - round(decade)) > 1e-6) continue;
    axis->position[axis->count] = log(value / curves->low_y) / log(curves->high_y / curves->low_y);
    snprintf(text, sizeof text, "%.6g", value);
    hs_text_typeset(text, axis->label[axis->count++], sizeof axis->label[0]);
  }
}

/* Ticks at the sizes that were measured, where there is room. */
static void axis_x(const struct hs_bench_curves *curves, struct hs_axis *axis)
{
  memset(axis, 0, sizeof *axis);
  for (int k = 0; k < curves->bench->count && axis->count < HS_AXIS_TICKS; k++) {
    const struct hs_bench_row *row = &curves->bench->row[k];
    const double position = log(hs_bench_side(row) / curves->low_x) / log(curves->high_x / curves->low_x);
    bool room = hs_bench_is_drawn(row);
    for (int t = 0; room && t < axis->count; t++) room = fabs(axis->position[t] - position) * box.width > 58.0;
    if (!room) continue;
    axis->position[axis->count] = position;
    if (row->problem.nx == row->problem.ny)
      snprintf(axis->label[axis->count], sizeof axis->label[0], "%d", row->problem.nx);
    else
      snprintf(axis->label[axis->count], sizeof axis->label[0], "%.0f", hs_bench_side(row));
    axis->count++;
  }
}

static void draw_grid(cairo_t *cr, const struct hs_axis *x, const struct hs_axis *y)
{
  cairo_set_source_rgb(cr, 0.90, 0.90, 0.90);
  cairo_set_line_width(cr, 1.0);
  for (int k = 0; k < y->count; k++) {
    cairo_move_to(cr, box.x, box.y + (1.0 - y->position[k]) * box.height);
    cairo_rel_line_to(cr, box.width, 0.0);
  }
  for (int k = 0; k < x->count; k++) {
    cairo_move_to(cr, box.x + x->position[k] * box.width, box.y);
    cairo_rel_line_to(cr, 0.0, box.height);
  }
  cairo_stroke(cr);
}

static void draw_axes(cairo_t *cr, const struct hs_bench_curves *curves)
{
  struct hs_axis x, y;
  axis_x(curves, &x);
  axis_y(curves, &y);
  draw_grid(cr, &x, &y);
  hs_draw_frame(cr, &box);
  hs_draw_ticks_below(cr, &box, &x);
  hs_draw_ticks_left(cr, &box, &y);
  hs_draw_text(cr, box.x + 0.5 * box.width, box.y + box.height + 42.0, HS_TEXT_SIZE, HS_ALIGN_MIDDLE, INFINITY, 0.0,
               "nodes on a side");
  hs_draw_text(cr, 20.0, box.y + 0.5 * box.height, HS_TEXT_SIZE, HS_ALIGN_MIDDLE, INFINITY, 0.5 * M_PI,
               "G node updates per second");
}

/* --- limits ---------------------------------------------------------------------------------- */

/* Labels at their lines, moved down where they would overlap. */
static void draw_limits(cairo_t *cr, const struct hs_bench_curves *curves)
{
  const double dashes[2] = {7.0, 5.0};
  double above = -INFINITY;
  cairo_set_source_rgb(cr, 0.25, 0.25, 0.25);
  for (int k = 0; k < curves->limits; k++) {
    const struct hs_bench_limit *limit = &curves->limit[k];
    const double y = place_y(curves, limit->updates_g);
    char text[64];
    above = fmax(y, above + 18.0);
    cairo_save(cr);
    cairo_set_dash(cr, dashes, 2, 0.0);
    cairo_set_line_width(cr, 1.4);
    cairo_move_to(cr, box.x, y);
    cairo_rel_line_to(cr, box.width, 0.0);
    cairo_stroke(cr);
    cairo_restore(cr);
    snprintf(text, sizeof text, "%s: %.3g", limit->label, limit->updates_g);
    hs_draw_text(cr, box.x + box.width + 8.0, above, 13.0, HS_ALIGN_LOW, 186.0, 0.0, text);
  }
}

/* --- curves ---------------------------------------------------------------------------------- */

static void marker_path(cairo_t *cr, double x, double y, int shape)
{
  const double r = MARKER;
  cairo_new_path(cr);
  switch (shape % SHAPES) {
  case 0: cairo_arc(cr, x, y, r, 0.0, 2.0 * M_PI); break;
  case 1: cairo_rectangle(cr, x - r + 0.5, y - r + 0.5, 2.0 * r - 1.0, 2.0 * r - 1.0); break;
  case 2:
    cairo_move_to(cr, x, y - r - 1.0);
    cairo_line_to(cr, x + r + 0.5, y + r - 0.5);
    cairo_line_to(cr, x - r - 0.5, y + r - 0.5);
    break;
  default:
    cairo_move_to(cr, x, y - r - 1.0);
    cairo_line_to(cr, x + r + 1.0, y);
    cairo_line_to(cr, x, y + r + 1.0);
    cairo_line_to(cr, x - r - 1.0, y);
  }
  cairo_close_path(cr);
}

/* A filled marker in double precision, an open one in single. */
static void draw_marker(cairo_t *cr, double x, double y, const struct hs_bench_curve *curve)
{
  const double *rgb = colours[curve->backend % COLOURS];
  marker_path(cr, x, y, curve->variant);
  if (curve->first->single)
    cairo_set_source_rgb(cr, 1.0, 1.0, 1.0);
  else
    cairo_set_source_rgb(cr, rgb[0], rgb[1], rgb[2]);
  cairo_fill_preserve(cr);
  cairo_set_source_rgb(cr, rgb[0], rgb[1], rgb[2]);
  cairo_set_line_width(cr, 1.6);
  cairo_stroke(cr);
}

static void line_style(cairo_t *cr, const struct hs_bench_curve *curve)
{
  const double *rgb = colours[curve->backend % COLOURS];
  const double dashes[2] = {curve->variant < SHAPES ? 9.0 / curve->variant : 2.0, 3.0};
  cairo_set_source_rgb(cr, rgb[0], rgb[1], rgb[2]);
  cairo_set_line_width(cr, curve->first->single ? 1.5 : 2.2);
  if (curve->variant > 0) cairo_set_dash(cr, dashes, 2, 0.0);
}

static int row_order(const void *a, const void *b)
{
  const double x = hs_bench_side(*(const struct hs_bench_row *const *)a),
               y = hs_bench_side(*(const struct hs_bench_row *const *)b);
  return (x > y) - (x < y);
}

/* rows: room for all of the benchmark. */
static void draw_curve(cairo_t *cr, const struct hs_bench_curves *curves, const struct hs_bench_curve *curve,
                       const struct hs_bench_row **rows)
{
  int count = 0;
  for (int k = 0; k < curves->bench->count; k++) {
    const struct hs_bench_row *row = &curves->bench->row[k];
    if (hs_bench_curve_has(curve, row)) rows[count++] = row;
  }
  qsort(rows, (size_t)count, sizeof *rows, row_order);
  cairo_save(cr);
  line_style(cr, curve);
  cairo_new_path(cr);
  for (int k = 0; k < count; k++)
    cairo_line_to(cr, place_x(curves, hs_bench_side(rows[k])), place_y(curves, hs_bench_updates_g(rows[k])));
  cairo_stroke(cr);
  cairo_restore(cr);
  for (int k = 0; k < count; k++)
    draw_marker(cr, place_x(curves, hs_bench_side(rows[k])), place_y(curves, hs_bench_updates_g(rows[k])), curve);
}

/* Columns that the widest name leaves room for. */
static int legend_columns(cairo_t *cr, const struct hs_bench_curves *curves)
{
  double widest = 0.0;
  for (int c = 0; c < curves->count; c++) {
    char name[96];
    hs_bench_curve_name(curves, &curves->curve[c], name, sizeof name);
    widest = fmax(widest, hs_text_width(cr, HS_TEXT_SIZE, name));
  }
  return (int)fmax(1.0, fmin(4.0, floor((CANVAS_WIDTH - 100.0) / (widest + 78.0))));
}

/* Rows of the legend: an even number, so that the two precisions of a backend stay together. */
static int legend_rows(const struct hs_bench_curves *curves, int columns)
{
  const int rows = (curves->count + columns - 1) / columns;
  return rows > 1 ? rows + rows % 2 : 1;
}

static void draw_legend(cairo_t *cr, const struct hs_bench_curves *curves, int columns)
{
  const int rows = legend_rows(curves, columns);
  const double width = (CANVAS_WIDTH - 100.0) / columns;
  for (int c = 0; c < curves->count; c++) {
    const double x = box.x + c / rows * width, y = LEGEND_TOP + c % rows * LEGEND_ROW;
    char name[96];
    hs_bench_curve_name(curves, &curves->curve[c], name, sizeof name);
    cairo_save(cr);
    line_style(cr, &curves->curve[c]);
    cairo_move_to(cr, x, y);
    cairo_rel_line_to(cr, 38.0, 0.0);
    cairo_stroke(cr);
    cairo_restore(cr);
    draw_marker(cr, x + 19.0, y, &curves->curve[c]);
    cairo_set_source_rgb(cr, 0.0, 0.0, 0.0);
    hs_draw_text(cr, x + 48.0, y, HS_TEXT_SIZE, HS_ALIGN_LOW, width - 54.0, 0.0, name);
  }
}

/* The pattern of the plate, or the name of the file without its folder. */
static void material_name(const struct hs_bench_curves *curves, const struct hs_bench_row *row, char *name, size_t size)
{
  const struct hs_config *config = curves->bench->cases->file.config;
  const char *path = config ? config->path : NULL, *slash = path ? strrchr(path, '/') : NULL;
  hs_text_show(slash ? slash + 1 : path ? path : hs_rate_pattern_name(row->problem.pattern), name, size);
}

/* What all curves have in common, and where they come from. */
static void draw_heading(cairo_t *cr, const struct hs_bench_curves *curves)
{
  const struct hs_bench_row *row = curves->count ? curves->curve[0].first : NULL;
  char text[512], material[128] = "";
  if (row && !curves->varied[0]) material_name(curves, row, material, sizeof material);
  snprintf(text, sizeof text, "How fast %s sweeps%s%s%s%s%s%s", hs_version_program(),
           row && !curves->varied[0] ? ": " : "", material, row && !curves->varied[1] ? ", " : "",
           row && !curves->varied[1] ? hs_rate_form_name(row->problem.form) : "",
           row && !curves->varied[2] && row->mode ? ", " : "",
           row && !curves->varied[2] && row->mode ? hs_rate_mode_name(row->mode) : "");
  cairo_set_source_rgb(cr, 0.0, 0.0, 0.0);
  hs_draw_text(cr, 0.5 * CANVAS_WIDTH, 26.0, 20.0, HS_ALIGN_MIDDLE, CANVAS_WIDTH - 40.0, 0.0, text);
  snprintf(text, sizeof text, "%.160s; %.10s%s", curves->bench->machine, curves->bench->date_utc,
           curves->limits ? "; dashed: one sweep per pass at the speed of copying" : "");
  cairo_set_source_rgb(cr, 0.3, 0.3, 0.3);
  hs_draw_text(cr, 0.5 * CANVAS_WIDTH, 50.0, 13.0, HS_ALIGN_MIDDLE, CANVAS_WIDTH - 40.0, 0.0, text);
}

static hs_status chart_draw(const char *path, const struct hs_bench_curves *curves, const struct hs_bench_row **rows,
                            struct hs_error *err)
{
  struct hs_canvas canvas = HS_CANVAS_NONE;
  cairo_t *cr;
  int columns;
  hs_status status = hs_canvas_create(&canvas, err);
  if (status) goto out;
  cr = canvas.cr;
  columns = legend_columns(cr, curves);
  canvas.width = CANVAS_WIDTH;
  canvas.height = LEGEND_TOP + legend_rows(curves, columns) * LEGEND_ROW + 4.0;
  snprintf(canvas.title, sizeof canvas.title, "Benchmark");
  draw_heading(cr, curves);
  draw_axes(cr, curves);
  draw_limits(cr, curves);
  for (int c = 0; c < curves->count; c++) draw_curve(cr, curves, &curves->curve[c], rows);
  draw_legend(cr, curves, columns);
  if (!curves->count)
    hs_draw_text(cr, box.x + 0.5 * box.width, box.y + 0.5 * box.height, HS_TEXT_SIZE, HS_ALIGN_MIDDLE, box.width, 0.0,
                 "Nothing was measured.");
  status = hs_canvas_write(&canvas, path, err);
out:
  hs_canvas_destroy(&canvas);
  return status;
}

hs_status hs_output_bench_chart(const char *path, const struct hs_bench *bench, struct hs_error *err)
{
  struct hs_bench_curves *curves = calloc(1, sizeof *curves);
  const struct hs_bench_row **rows = calloc((size_t)bench->count + 1, sizeof(*rows));
  hs_status status = HS_OK;
  if (!curves || !rows) {
    status = hs_error_set(err, HS_ERR_MEMORY, "not enough memory for a chart of %d rows", bench->count);
    goto out;
  }
  hs_bench_curves_find(bench, curves);
  status = chart_draw(path, curves, rows, err);
out:
  free(rows);
  free(curves);
  return status;
}
