/* The rows of a benchmark, sorted into curves. */
#include "output/bench/curves.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double hs_bench_side(const struct hs_bench_row *row)
{
  return sqrt((double)row->problem.nx * row->problem.ny);
}

double hs_bench_updates_g(const struct hs_bench_row *row)
{
  return 1e-9 * row->rate.nodes_per_s;
}

bool hs_bench_is_drawn(const struct hs_bench_row *row)
{
  return row->status == HS_OK && !isnan(row->rate.nodes_per_s);
}

static bool same_variant(const struct hs_bench_row *a, const struct hs_bench_row *b)
{
  return a->problem.pattern == b->problem.pattern && a->problem.form == b->problem.form && a->mode == b->mode;
}

static bool same_curve(const struct hs_bench_row *a, const struct hs_bench_row *b)
{
  return same_variant(a, b) && a->backend == b->backend && a->single == b->single;
}

static int backend_number(const struct hs_bench *bench, const struct hs_backend *backend)
{
  int k = 0;
  while (k < bench->cases->backend_count && bench->cases->backend[k] != backend) k++;
  return k;
}

/* The number of a row's variant among those of the curves so far; a new one is the next. */
static int variant_number(const struct hs_bench_curves *curves, const struct hs_bench_row *row)
{
  int next = 0;
  for (int c = 0; c < curves->count; c++) {
    if (same_variant(curves->curve[c].first, row)) return curves->curve[c].variant;
    if (curves->curve[c].variant >= next) next = curves->curve[c].variant + 1;
  }
  return next;
}

/* Backends one after the other, each in double precision first. */
static int curve_order(const void *a, const void *b)
{
  const struct hs_bench_curve *x = a, *y = b;
  if (x->backend != y->backend) return x->backend - y->backend;
  if (x->first->single != y->first->single) return x->first->single - y->first->single;
  return x->variant - y->variant;
}

static void curves_find(struct hs_bench_curves *curves)
{
  const struct hs_bench *bench = curves->bench;
  for (int k = 0; k < bench->count; k++) {
    const struct hs_bench_row *row = &bench->row[k];
    bool known = !hs_bench_is_drawn(row);
    for (int c = 0; !known && c < curves->count; c++) known = same_curve(curves->curve[c].first, row);
    if (known || curves->count == HS_BENCH_CURVES) continue;
    curves->curve[curves->count] =
        (struct hs_bench_curve){row, backend_number(bench, row->backend), variant_number(curves, row)};
    curves->count++;
  }
  qsort(curves->curve, (size_t)curves->count, sizeof curves->curve[0], curve_order);
  for (int c = 1; c < curves->count; c++) {
    const struct hs_bench_row *a = curves->curve[0].first, *b = curves->curve[c].first;
    curves->varied[0] |= a->problem.pattern != b->problem.pattern;
    curves->varied[1] |= a->problem.form != b->problem.form;
    curves->varied[2] |= a->mode != b->mode;
  }
}

static int limit_order(const void *a, const void *b)
{
  const struct hs_bench_limit *x = a, *y = b;
  return (x->updates_g < y->updates_g) - (x->updates_g > y->updates_g);
}

/* The copy limits of the backends and precisions that are drawn. */
static void limits_find(struct hs_bench_curves *curves)
{
  for (int device = 0; device < 2; device++)
    for (int single = 0; single < 2; single++) {
      struct hs_bench_limit *limit = &curves->limit[curves->limits];
      bool wanted = false;
      for (int c = 0; c < curves->count; c++)
        wanted = wanted || (curves->curve[c].first->on_device == device && curves->curve[c].first->single == single);
      if (!wanted || isnan(curves->bench->copy_bytes_per_s[device])) continue;
      limit->updates_g = 1e-9 * curves->bench->copy_bytes_per_s[device] / (single ? 8.0 : 16.0);
      snprintf(limit->label, sizeof limit->label, "%s copy, %s", device ? "GPU" : "CPU", single ? "single" : "double");
      curves->limits++;
    }
  qsort(curves->limit, (size_t)curves->limits, sizeof curves->limit[0], limit_order);
}

double hs_bench_round(double value, bool up)
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

static void range_find(struct hs_bench_curves *curves)
{
  double low_x = INFINITY, high_x = 0.0, low_y = INFINITY, high_y = 0.0;
  for (int k = 0; k < curves->bench->count; k++) {
    const struct hs_bench_row *row = &curves->bench->row[k];
    if (!hs_bench_is_drawn(row)) continue;
    low_x = fmin(low_x, hs_bench_side(row));
    high_x = fmax(high_x, hs_bench_side(row));
    low_y = fmin(low_y, hs_bench_updates_g(row));
    high_y = fmax(high_y, hs_bench_updates_g(row));
  }
  for (int k = 0; k < curves->limits; k++) {
    low_y = fmin(low_y, curves->limit[k].updates_g);
    high_y = fmax(high_y, curves->limit[k].updates_g);
  }
  if (!(high_x > 0.0)) low_x = low_y = 0.5, high_x = high_y = 2.0;
  curves->low_x = low_x / 1.2;
  curves->high_x = high_x * 1.2;
  curves->low_y = hs_bench_round(low_y / 1.1, false);
  curves->high_y = hs_bench_round(high_y * 1.1, true);
}

void hs_bench_curves_find(const struct hs_bench *bench, struct hs_bench_curves *curves)
{
  memset(curves, 0, sizeof *curves);
  curves->bench = bench;
  curves_find(curves);
  limits_find(curves);
  range_find(curves);
}

bool hs_bench_curve_has(const struct hs_bench_curve *curve, const struct hs_bench_row *row)
{
  return hs_bench_is_drawn(row) && same_curve(row, curve->first);
}

void hs_bench_curve_name(const struct hs_bench_curves *curves, const struct hs_bench_curve *curve, char *text,
                         size_t size)
{
  const struct hs_bench_row *row = curve->first;
  snprintf(text, size, "%s %s%s%s%s%s%s%s", row->backend->name, row->single ? "single" : "double",
           curves->varied[0] ? ", " : "", curves->varied[0] ? hs_rate_pattern_name(row->problem.pattern) : "",
           curves->varied[1] ? ", " : "", curves->varied[1] ? hs_rate_form_name(row->problem.form) : "",
           curves->varied[2] ? ", " : "", curves->varied[2] ? hs_rate_mode_name(row->mode) : "");
}
