/* The chart of a benchmark: node updates per second against the size of the grid, both logarithmic.
 *
 * A backend has a colour; double precision has filled markers, single open ones; further kinds of rows (pattern, form,
 * mode) have markers of other shapes and dashed lines. Copy limits are dashed grey lines, named at the right edge.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "io/png_write.h"
#include "output/axes.h"
#include "output/bench.h"
#include "output/canvas.h"

#define CANVAS_WIDTH 1060.0
#define CANVAS_SCALE 1.5
#define LEGEND_TOP 586.0
#define LEGEND_ROW 24.0
#define MARKER 4.5

enum { CURVES = 96, COLOURS = 8, SHAPES = 4, LIMITS = 4 };

/* From Okabe and Ito, distinguishable with colour-blind eyes. */
static const double colours[COLOURS][3] = {{0.00, 0.45, 0.70}, {0.84, 0.37, 0.00}, {0.00, 0.62, 0.45},
                                           {0.80, 0.47, 0.65}, {0.90, 0.62, 0.00}, {0.34, 0.71, 0.91},
                                           {0.35, 0.35, 0.35}, {0.60, 0.20, 0.20}};

struct curve {
  const struct hs_bench_row *first; /* its rows agree in all but the size */
  int backend, variant;             /* numbers: the colour, the marker's shape */
};

struct limit {
  double updates_g;
  double label_y;
  char label[32];
};

struct chart {
  const struct hs_bench *bench;
  struct hs_box box;
  struct curve curve[CURVES];
  int count;
  struct limit limit[LIMITS];
  int limits;
  bool varied[3]; /* more than one pattern, form, mode */
  double low_x, high_x, low_y, high_y;
};

/* Length of a side; that of the square of as many nodes. */
static double side(const struct hs_bench_row *row)
{
  return sqrt((double)row->problem.nx * row->problem.ny);
}

static double updates_g(const struct hs_bench_row *row)
{
  return 1e-9 * row->rate.nodes_per_s;
}

static bool same_variant(const struct hs_bench_row *a, const struct hs_bench_row *b)
{
  return a->problem.pattern == b->problem.pattern && a->problem.form == b->problem.form && a->mode == b->mode;
}

static bool same_curve(const struct hs_bench_row *a, const struct hs_bench_row *b)
{
  return same_variant(a, b) && a->backend == b->backend && a->single == b->single;
}

/* --- what is drawn --------------------------------------------------------------------------- */

static int backend_number(const struct hs_bench *bench, const struct hs_backend *backend)
{
  int k = 0;
  while (k < bench->plan->backend_count && bench->plan->backend[k] != backend) k++;
  return k;
}

/* The number of a row's variant among those of the curves so far; a new one is the next. */
static int variant_number(const struct chart *chart, const struct hs_bench_row *row)
{
  int next = 0;
  for (int c = 0; c < chart->count; c++) {
    if (same_variant(chart->curve[c].first, row)) return chart->curve[c].variant;
    if (chart->curve[c].variant >= next) next = chart->curve[c].variant + 1;
  }
  return next;
}

/* Backends one after the other, each in double precision first. */
static int curve_order(const void *a, const void *b)
{
  const struct curve *x = a, *y = b;
  if (x->backend != y->backend) return x->backend - y->backend;
  if (x->first->single != y->first->single) return x->first->single - y->first->single;
  return x->variant - y->variant;
}

static void curves_find(struct chart *chart)
{
  const struct hs_bench *bench = chart->bench;
  for (int k = 0; k < bench->count; k++) {
    const struct hs_bench_row *row = &bench->row[k];
    bool known = row->status != HS_OK;
    for (int c = 0; !known && c < chart->count; c++) known = same_curve(chart->curve[c].first, row);
    if (known || chart->count == CURVES) continue;
    chart->curve[chart->count] = (struct curve){row, backend_number(bench, row->backend), variant_number(chart, row)};
    chart->count++;
  }
  qsort(chart->curve, (size_t)chart->count, sizeof chart->curve[0], curve_order);
  for (int c = 1; c < chart->count; c++) {
    const struct hs_bench_row *a = chart->curve[0].first, *b = chart->curve[c].first;
    chart->varied[0] |= a->problem.pattern != b->problem.pattern;
    chart->varied[1] |= a->problem.form != b->problem.form;
    chart->varied[2] |= a->mode != b->mode;
  }
}

/* The copy limits of the backends and precisions that are drawn. */
static void limits_find(struct chart *chart)
{
  for (int device = 0; device < 2; device++)
    for (int single = 0; single < 2; single++) {
      struct limit *limit = &chart->limit[chart->limits];
      bool wanted = false;
      for (int c = 0; c < chart->count; c++)
        wanted = wanted || (chart->curve[c].first->on_device == device && chart->curve[c].first->single == single);
      if (!wanted || isnan(chart->bench->copy_bytes_per_s[device])) continue;
      limit->updates_g = 1e-9 * chart->bench->copy_bytes_per_s[device] / (single ? 8.0 : 16.0);
      snprintf(limit->label, sizeof limit->label, "%s copy, %s", device ? "GPU" : "CPU", single ? "single" : "double");
      chart->limits++;
    }
}

/* The next lower (or, up, higher) of 1, 2, 5 times a power of ten. */
static double round_value(double value, bool up)
{
  static const double steps[] = {1.0, 2.0, 5.0, 10.0};
  const double decade = pow(10.0, floor(log10(value)));
  double best = up ? 10.0 * decade : decade;
  for (int k = 0; k < 4; k++) {
    const double step = steps[k] * decade;
    if (up && step >= value * (1.0 - 1e-9)) return step;
    if (!up && step <= value * (1.0 + 1e-9)) best = step;
  }
  return best;
}

static void range_find(struct chart *chart)
{
  double low_x = INFINITY, high_x = 0.0, low_y = INFINITY, high_y = 0.0;
  for (int k = 0; k < chart->bench->count; k++) {
    const struct hs_bench_row *row = &chart->bench->row[k];
    if (row->status) continue;
    low_x = fmin(low_x, side(row));
    high_x = fmax(high_x, side(row));
    low_y = fmin(low_y, updates_g(row));
    high_y = fmax(high_y, updates_g(row));
  }
  for (int k = 0; k < chart->limits; k++) {
    low_y = fmin(low_y, chart->limit[k].updates_g);
    high_y = fmax(high_y, chart->limit[k].updates_g);
  }
  if (!(high_x > 0.0)) low_x = low_y = 0.5, high_x = high_y = 2.0;
  chart->low_x = low_x / 1.2;
  chart->high_x = high_x * 1.2;
  chart->low_y = round_value(low_y / 1.1, false);
  chart->high_y = round_value(high_y * 1.1, true);
}

/* --- axes ------------------------------------------------------------------------------------ */

static double place_x(const struct chart *chart, double value)
{
  return chart->box.x + chart->box.width * log(value / chart->low_x) / log(chart->high_x / chart->low_x);
}

static double place_y(const struct chart *chart, double value)
{
  return chart->box.y + chart->box.height * (1.0 - log(value / chart->low_y) / log(chart->high_y / chart->low_y));
}

/* Ticks at 1, 2, 5 times powers of ten, at powers of ten alone where that would be too many. */
static void axis_y(const struct chart *chart, struct hs_axis *axis)
{
  const bool sparse = log10(chart->high_y / chart->low_y) > 5.0;
  memset(axis, 0, sizeof *axis);
  for (double value = chart->low_y; value <= chart->high_y * 1.001 && axis->count < HS_AXIS_TICKS;
       value = round_value(value * 1.5, true)) {
    const double decade = log10(value);
    if (sparse && fabs(decade - round(decade)) > 1e-6) continue;
    axis->position[axis->count] = log(value / chart->low_y) / log(chart->high_y / chart->low_y);
    snprintf(axis->label[axis->count++], sizeof axis->label[0], "%.6g", value);
  }
}

/* Ticks at the sizes that were measured, where there is room. */
static void axis_x(const struct chart *chart, struct hs_axis *axis)
{
  memset(axis, 0, sizeof *axis);
  for (int k = 0; k < chart->bench->count && axis->count < HS_AXIS_TICKS; k++) {
    const struct hs_bench_row *row = &chart->bench->row[k];
    const double position = log(side(row) / chart->low_x) / log(chart->high_x / chart->low_x);
    bool room = row->status == HS_OK;
    for (int t = 0; room && t < axis->count; t++) room = fabs(axis->position[t] - position) * chart->box.width > 58.0;
    if (!room) continue;
    axis->position[axis->count] = position;
    if (row->problem.nx == row->problem.ny)
      snprintf(axis->label[axis->count], sizeof axis->label[0], "%d", row->problem.nx);
    else
      snprintf(axis->label[axis->count], sizeof axis->label[0], "%.0f", side(row));
    axis->count++;
  }
}

static void draw_grid(cairo_t *cr, const struct hs_box *box, const struct hs_axis *x, const struct hs_axis *y)
{
  cairo_set_source_rgb(cr, 0.90, 0.90, 0.90);
  cairo_set_line_width(cr, 1.0);
  for (int k = 0; k < y->count; k++) {
    cairo_move_to(cr, box->x, box->y + (1.0 - y->position[k]) * box->height);
    cairo_rel_line_to(cr, box->width, 0.0);
  }
  for (int k = 0; k < x->count; k++) {
    cairo_move_to(cr, box->x + x->position[k] * box->width, box->y);
    cairo_rel_line_to(cr, 0.0, box->height);
  }
  cairo_stroke(cr);
}

static void draw_axes(cairo_t *cr, const struct chart *chart)
{
  const struct hs_box *box = &chart->box;
  struct hs_axis x, y;
  axis_x(chart, &x);
  axis_y(chart, &y);
  draw_grid(cr, box, &x, &y);
  hs_draw_frame(cr, box);
  hs_draw_ticks_below(cr, box, &x);
  hs_draw_ticks_left(cr, box, &y);
  hs_draw_text(cr, box->x + 0.5 * box->width, box->y + box->height + 42.0, HS_TEXT_SIZE, HS_ALIGN_MIDDLE, INFINITY, 0.0,
               "nodes on a side");
  hs_draw_text(cr, 20.0, box->y + 0.5 * box->height, HS_TEXT_SIZE, HS_ALIGN_MIDDLE, INFINITY, 0.5 * M_PI,
               "G node updates per second");
}

/* --- limits ---------------------------------------------------------------------------------- */

static int limit_order(const void *a, const void *b)
{
  const struct limit *x = a, *y = b;
  return (x->updates_g < y->updates_g) - (x->updates_g > y->updates_g);
}

/* Labels at their lines, moved down where they would overlap. */
static void draw_limits(cairo_t *cr, struct chart *chart)
{
  const double dashes[2] = {7.0, 5.0};
  double above = -INFINITY;
  qsort(chart->limit, (size_t)chart->limits, sizeof chart->limit[0], limit_order);
  cairo_set_source_rgb(cr, 0.25, 0.25, 0.25);
  for (int k = 0; k < chart->limits; k++) {
    struct limit *limit = &chart->limit[k];
    const double y = place_y(chart, limit->updates_g);
    char text[64];
    limit->label_y = fmax(y, above + 18.0);
    above = limit->label_y;
    cairo_save(cr);
    cairo_set_dash(cr, dashes, 2, 0.0);
    cairo_set_line_width(cr, 1.4);
    cairo_move_to(cr, chart->box.x, y);
    cairo_rel_line_to(cr, chart->box.width, 0.0);
    cairo_stroke(cr);
    cairo_restore(cr);
    snprintf(text, sizeof text, "%s: %.3g", limit->label, limit->updates_g);
    hs_draw_text(cr, chart->box.x + chart->box.width + 8.0, limit->label_y, 13.0, HS_ALIGN_LOW, 186.0, 0.0, text);
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
static void draw_marker(cairo_t *cr, double x, double y, const struct curve *curve)
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

static void line_style(cairo_t *cr, const struct curve *curve)
{
  const double *rgb = colours[curve->backend % COLOURS];
  const double dashes[2] = {curve->variant < SHAPES ? 9.0 / curve->variant : 2.0, 3.0};
  cairo_set_source_rgb(cr, rgb[0], rgb[1], rgb[2]);
  cairo_set_line_width(cr, curve->first->single ? 1.5 : 2.2);
  if (curve->variant > 0) cairo_set_dash(cr, dashes, 2, 0.0);
}

static int row_order(const void *a, const void *b)
{
  const double x = side(*(const struct hs_bench_row *const *)a), y = side(*(const struct hs_bench_row *const *)b);
  return (x > y) - (x < y);
}

/* rows: room for all of the benchmark. */
static void draw_curve(cairo_t *cr, const struct chart *chart, const struct curve *curve,
                       const struct hs_bench_row **rows)
{
  int count = 0;
  for (int k = 0; k < chart->bench->count; k++) {
    const struct hs_bench_row *row = &chart->bench->row[k];
    if (row->status == HS_OK && same_curve(row, curve->first)) rows[count++] = row;
  }
  qsort(rows, (size_t)count, sizeof *rows, row_order);
  cairo_save(cr);
  line_style(cr, curve);
  cairo_new_path(cr);
  for (int k = 0; k < count; k++) cairo_line_to(cr, place_x(chart, side(rows[k])), place_y(chart, updates_g(rows[k])));
  cairo_stroke(cr);
  cairo_restore(cr);
  for (int k = 0; k < count; k++)
    draw_marker(cr, place_x(chart, side(rows[k])), place_y(chart, updates_g(rows[k])), curve);
}

static void curve_name(const struct chart *chart, const struct curve *curve, char *text, size_t size)
{
  const struct hs_bench_row *row = curve->first;
  snprintf(text, size, "%s %s%s%s%s%s%s%s", row->backend->name, row->single ? "single" : "double",
           chart->varied[0] ? ", " : "", chart->varied[0] ? hs_rate_pattern_name(row->problem.pattern) : "",
           chart->varied[1] ? ", " : "", chart->varied[1] ? hs_rate_form_name(row->problem.form) : "",
           chart->varied[2] ? ", " : "", chart->varied[2] ? hs_rate_mode_name(row->mode) : "");
}

/* Columns that the widest name leaves room for. */
static int legend_columns(cairo_t *cr, const struct chart *chart)
{
  double widest = 0.0;
  for (int c = 0; c < chart->count; c++) {
    char name[96];
    curve_name(chart, &chart->curve[c], name, sizeof name);
    widest = fmax(widest, hs_text_width(cr, HS_TEXT_SIZE, name));
  }
  return (int)fmax(1.0, fmin(4.0, floor((CANVAS_WIDTH - 100.0) / (widest + 78.0))));
}

/* Rows of the legend: an even number, so that the two precisions of a backend stay together. */
static int legend_rows(const struct chart *chart, int columns)
{
  const int rows = (chart->count + columns - 1) / columns;
  return rows > 1 ? rows + rows % 2 : 1;
}

static void draw_legend(cairo_t *cr, const struct chart *chart, int columns)
{
  const int rows = legend_rows(chart, columns);
  const double width = (CANVAS_WIDTH - 100.0) / columns;
  for (int c = 0; c < chart->count; c++) {
    const double x = chart->box.x + c / rows * width, y = LEGEND_TOP + c % rows * LEGEND_ROW;
    char name[96];
    curve_name(chart, &chart->curve[c], name, sizeof name);
    cairo_save(cr);
    line_style(cr, &chart->curve[c]);
    cairo_move_to(cr, x, y);
    cairo_rel_line_to(cr, 38.0, 0.0);
    cairo_stroke(cr);
    cairo_restore(cr);
    draw_marker(cr, x + 19.0, y, &chart->curve[c]);
    cairo_set_source_rgb(cr, 0.0, 0.0, 0.0);
    hs_draw_text(cr, x + 48.0, y, HS_TEXT_SIZE, HS_ALIGN_LOW, width - 54.0, 0.0, name);
  }
}

/* What all curves have in common, and where they come from. */
static void draw_heading(cairo_t *cr, const struct chart *chart)
{
  const struct hs_bench_row *row = chart->count ? chart->curve[0].first : NULL;
  char text[256], ascii[320];
  snprintf(text, sizeof text, "How fast %s sweeps%s%s%s%s%s%s", hs_version_program(),
           row && !chart->varied[0] ? ": " : "",
           row && !chart->varied[0] ? hs_rate_pattern_name(row->problem.pattern) : "",
           row && !chart->varied[1] ? ", " : "", row && !chart->varied[1] ? hs_rate_form_name(row->problem.form) : "",
           row && !chart->varied[2] && row->mode ? ", " : "",
           row && !chart->varied[2] && row->mode ? hs_rate_mode_name(row->mode) : "");
  cairo_set_source_rgb(cr, 0.0, 0.0, 0.0);
  hs_draw_text(cr, 0.5 * CANVAS_WIDTH, 26.0, 20.0, HS_ALIGN_MIDDLE, CANVAS_WIDTH - 40.0, 0.0, text);
  snprintf(text, sizeof text, "%.160s; %.10s%s", chart->bench->machine, chart->bench->date_utc,
           chart->limits ? "; dashed: one sweep per pass at the speed of copying" : "");
  hs_text_to_ascii(text, ascii, sizeof ascii);
  cairo_set_source_rgb(cr, 0.3, 0.3, 0.3);
  hs_draw_text(cr, 0.5 * CANVAS_WIDTH, 50.0, 13.0, HS_ALIGN_MIDDLE, CANVAS_WIDTH - 40.0, 0.0, ascii);
}

/* The legend's columns, which the height of the canvas depends on, are found on a canvas of no size. */
static hs_status columns_find(const struct chart *chart, int *columns, struct hs_error *err)
{
  cairo_surface_t *surface = NULL;
  cairo_t *cr = NULL;
  const hs_status status = hs_canvas_create(1.0, 1.0, CANVAS_SCALE, &surface, &cr, err);
  if (status) return status;
  *columns = legend_columns(cr, chart);
  hs_canvas_destroy(surface, cr);
  return HS_OK;
}

static hs_status chart_draw(const char *path, struct chart *chart, const struct hs_bench_row **rows,
                            struct hs_error *err)
{
  cairo_surface_t *surface = NULL;
  cairo_t *cr = NULL;
  int columns = 1;
  double height;
  hs_status status = columns_find(chart, &columns, err);
  if (status) return status;
  height = LEGEND_TOP + legend_rows(chart, columns) * LEGEND_ROW + 4.0;
  status = hs_canvas_create(CANVAS_WIDTH, height, CANVAS_SCALE, &surface, &cr, err);
  if (status) return status;
  draw_heading(cr, chart);
  draw_axes(cr, chart);
  draw_limits(cr, chart);
  for (int c = 0; c < chart->count; c++) draw_curve(cr, chart, &chart->curve[c], rows);
  draw_legend(cr, chart, columns);
  if (!chart->count)
    hs_draw_text(cr, chart->box.x + 0.5 * chart->box.width, chart->box.y + 0.5 * chart->box.height, HS_TEXT_SIZE,
                 HS_ALIGN_MIDDLE, chart->box.width, 0.0, "Nothing was measured.");
  status = hs_png_write(path, surface, "Benchmark", err);
  hs_canvas_destroy(surface, cr);
  return status;
}

hs_status hs_output_bench_chart(const char *path, const struct hs_bench *bench, struct hs_error *err)
{
  struct chart *chart = calloc(1, sizeof *chart);
  const struct hs_bench_row **rows = calloc((size_t)bench->count + 1, sizeof(*rows));
  hs_status status = HS_OK;
  if (!chart || !rows) {
    status = hs_error_set(err, HS_ERR_MEMORY, "not enough memory for a chart of %d rows", bench->count);
    goto out;
  }
  chart->bench = bench;
  chart->box = (struct hs_box){92.0, 72.0, 774.0, 430.0};
  curves_find(chart);
  limits_find(chart);
  range_find(chart);
  status = chart_draw(path, chart, rows, err);
out:
  free(rows);
  free(chart);
  return status;
}
