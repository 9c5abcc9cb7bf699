/* What the processor does for cuda-streamed; see the header. */
#include "backend/cuda/streamed/host.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "numerics/node.h"

static double larger(double a, double b)
{
  return a > b ? a : b;
}

/* Value n of a field or of constants, as a double. */
static inline double value_at(bool single, const void *field, size_t n)
{
  return single ? (double)((const float *)field)[n] : ((const double *)field)[n];
}

/* --- whole fields ---------------------------------------------------------------------------- */

void *hs_streamed_array(size_t bytes)
{
  enum { PAGE = 4096 };
  const size_t pages = bytes / PAGE + 1;
  char *array = aligned_alloc(PAGE, pages * PAGE);
  if (!array) return NULL;
#pragma omp parallel for schedule(static)
  for (size_t k = 0; k < pages; k++) memset(array + k * PAGE, 0, PAGE);
  return array;
}

void hs_streamed_pack(bool single, void *field, const double *values, size_t count)
{
#pragma omp parallel for schedule(static)
  for (size_t n = 0; n < count; n++) {
    if (single)
      ((float *)field)[n] = (float)values[n];
    else
      ((double *)field)[n] = values[n];
  }
}

void hs_streamed_unpack(bool single, double *values, const void *field, size_t count)
{
#pragma omp parallel for schedule(static)
  for (size_t n = 0; n < count; n++) values[n] = value_at(single, field, n);
}

double hs_streamed_distance(bool single, const void *a, const void *b, size_t count)
{
  double maximum = 0.0;
#pragma omp parallel for schedule(static) reduction(max : maximum)
  for (size_t n = 0; n < count; n++)
    maximum = larger(single ? (double)fabsf(((const float *)a)[n] - ((const float *)b)[n])
                            : fabs(((const double *)a)[n] - ((const double *)b)[n]),
                     maximum);
  return maximum;
}

double hs_streamed_largest(bool single, const void *field, size_t count)
{
  double largest = 0.0;
#pragma omp parallel for schedule(static) reduction(max : largest)
  for (size_t n = 0; n < count; n++)
    largest = larger(fabs(single ? (double)((const float *)field)[n] : ((const double *)field)[n]), largest);
  return largest;
}

/* The source map's share of a node's constant, K; 0 where there is no map. */
static double base_of(const struct hs_system *s, size_t n)
{
  const double diagonal = s->stencil[hs_system_index(s, n)].diagonal;
  return s->source_w_m && diagonal != 0.0 ? s->source_w_m[n] / diagonal : 0.0;
}

void hs_streamed_constants(const struct hs_system *system, bool single, void *r)
{
  const size_t nodes = (size_t)system->nx * (size_t)system->ny;
#pragma omp parallel for schedule(static)
  for (size_t n = 0; n < nodes; n++) {
    if (single)
      ((float *)r)[n] = (float)base_of(system, n);
    else
      ((double *)r)[n] = base_of(system, n);
  }
}

/* --- rows and their neighbours --------------------------------------------------------------- */

/* The row north (by = 1) or south (by = -1) of row j; -1 beyond an open wall. */
static ptrdiff_t row_beside(const struct hs_system *s, int j, int by)
{
  if (j + by >= 0 && j + by < s->ny) return j + by;
  if (s->wrap_y < 0) return -1;
  return by < 0 ? s->ny - 1 - s->wrap_y : s->wrap_y;
}

/* Row j of a field as doubles, line[-1] and line[nx] being what lies beyond its ends; zeros for row -1. */
static void line_load(const struct hs_system *s, bool single, const void *field, ptrdiff_t j, double *line)
{
  const size_t first = (size_t)(j < 0 ? 0 : j) * (size_t)s->nx;
  if (j < 0)
    memset(line - 1, 0, ((size_t)s->nx + 2) * sizeof *line);
  else if (!single)
    memcpy(line, (const double *)field + first, (size_t)s->nx * sizeof *line);
  else
    for (int i = 0; i < s->nx; i++) line[i] = (double)((const float *)field)[first + (size_t)i];
  line[-1] = s->wrap_x < 0 ? 0.0 : line[s->nx - 1 - s->wrap_x];
  line[s->nx] = s->wrap_x < 0 ? 0.0 : line[s->wrap_x];
}

/* --- norms ----------------------------------------------------------------------------------- */

struct totals {
  struct hs_sum update, residual;
  double update_max, residual_max, two_sweep_max, correction_max;
};

/* What norms are taken of. */
struct reading {
  const struct hs_system *system;
  bool single;
  const void *now, *before, *r; /* r: constants of the nodes' own, or NULL */
  struct hs_sum_split split;
  double update_scale, residual_scale;
};

/* Adds the norms of row j; south, centre, north: lines of the present field. */
HS_FAST_FMA static void row_norms(const struct reading *of, int j, const double *south, const double *centre,
                                  const double *north, struct totals *totals)
{
  const struct hs_system *s = of->system;
  struct totals t = *totals;
  for (int i = 0; i < s->nx; i++) {
    const size_t n = (size_t)j * (size_t)s->nx + (size_t)i;
    const struct hs_stencil_f64 *node = &s->stencil[hs_system_index(s, n)];
    const double previous = value_at(of->single, of->before, n);
    const double update = of->single ? (double)((float)centre[i] - (float)previous) : centre[i] - previous;
    double next, correction, residual, c = node->c;
    hs_sum_add_square(&t.update, of->split, update * of->update_scale);
    t.update_max = larger(fabs(update), t.update_max);
    if (node->diagonal == 0.0) continue;
    if (of->r) c += value_at(of->single, of->r, n);
    next = hs_node_general_f64(node, c, centre[i - 1], centre[i + 1], south[i], north[i]);
    correction = next - centre[i];
    residual = node->diagonal * correction;
    hs_sum_add_square(&t.residual, of->split, residual * of->residual_scale);
    t.residual_max = larger(fabs(residual), t.residual_max);
    t.two_sweep_max = larger(fabs(next - previous), t.two_sweep_max);
    t.correction_max = larger(fabs(correction), t.correction_max);
  }
  *totals = t;
}

/* Adds the norms of the rows j0 .. j1-1; `lines` has room for three. */
static void rows_norms(const struct reading *of, int j0, int j1, double *lines, struct totals *totals)
{
  const struct hs_system *s = of->system;
  const size_t room = (size_t)s->nx + 2;
  double *south = lines + 1, *centre = south + room, *north = centre + room;
  if (j0 >= j1) return;
  line_load(s, of->single, of->now, row_beside(s, j0, -1), south);
  line_load(s, of->single, of->now, j0, centre);
  for (int j = j0; j < j1; j++) {
    double *const spare = south;
    line_load(s, of->single, of->now, row_beside(s, j, 1), north);
    row_norms(of, j, south, centre, north, totals);
    south = centre;
    centre = north;
    north = spare;
  }
}

/* Sums are exact, so the order does not matter. */
static void totals_add(struct totals *to, const struct totals *partial)
{
  to->update.high += partial->update.high;
  to->update.low += partial->update.low;
  to->residual.high += partial->residual.high;
  to->residual.low += partial->residual.low;
  to->update_max = larger(partial->update_max, to->update_max);
  to->residual_max = larger(partial->residual_max, to->residual_max);
  to->two_sweep_max = larger(partial->two_sweep_max, to->two_sweep_max);
  to->correction_max = larger(partial->correction_max, to->correction_max);
}

hs_status hs_streamed_norms(const struct hs_system *system, bool single, const void *now, const void *before,
                            const void *r, const struct hs_bounds *bounds, struct hs_norms *norms, struct hs_error *err)
{
  const struct reading of = {.system = system,
                             .single = single,
                             .now = now,
                             .before = before,
                             .r = r,
                             .split = hs_sum_split_for((int64_t)system->nx * system->ny),
                             .update_scale = hs_sum_scale(bounds->update_max),
                             .residual_scale = hs_sum_scale(bounds->residual_max)};
  const int most = omp_get_max_threads(), threads = most < system->ny ? most : system->ny;
  const size_t room = 3 * ((size_t)system->nx + 2);
  struct totals totals = {.update_max = 0.0};
  double *lines = NULL;
  const hs_status status =
      hs_array_create((void **)&lines, (size_t)threads * room, sizeof *lines, "the norms of a field", err);
  if (status) return status;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int k = 0; k < threads; k++) {
    struct totals partial = {.update_max = 0.0};
    const int j0 = (int)((int64_t)system->ny * k / threads), j1 = (int)((int64_t)system->ny * (k + 1) / threads);
    rows_norms(&of, j0, j1, lines + (size_t)k * room, &partial);
#pragma omp critical
    totals_add(&totals, &partial);
  }
  free(lines);
  norms->update_l2 = hs_sum_norm(totals.update, of.update_scale);
  norms->update_max = totals.update_max;
  norms->residual_l2 = hs_sum_norm(totals.residual, of.residual_scale);
  norms->residual_max = totals.residual_max;
  norms->two_sweep_max = totals.two_sweep_max;
  norms->correction_max = totals.correction_max;
  return HS_OK;
}

/* --- implicit time steps --------------------------------------------------------------------- */

/* A node's neighbours as numbers; -1 beyond an open wall. */
struct around {
  ptrdiff_t west, east, south, north;
};

static struct around around_of(const struct hs_system *s, int i, int j)
{
  const ptrdiff_t nx = s->nx, row = (ptrdiff_t)j * nx;
  const ptrdiff_t south = row_beside(s, j, -1), north = row_beside(s, j, 1);
  return (struct around){.west = i > 0           ? row + i - 1
                                 : s->wrap_x < 0 ? -1
                                                 : row + nx - 1 - s->wrap_x,
                         .east = i < nx - 1      ? row + i + 1
                                 : s->wrap_x < 0 ? -1
                                                 : row + s->wrap_x,
                         .south = south < 0 ? -1 : south * nx + i,
                         .north = north < 0 ? -1 : north * nx + i};
}

static double at_f64(const double *t, ptrdiff_t n)
{
  return n < 0 ? 0.0 : t[n];
}

static float at_f32(const float *t, ptrdiff_t n)
{
  return n < 0 ? 0.0f : t[n];
}

HS_FAST_FMA static void row_step_f64(const struct hs_system *s, bool trapezoid, const double *t, int j, double *r)
{
  for (int i = 0; i < s->nx; i++) {
    const size_t n = (size_t)j * (size_t)s->nx + (size_t)i;
    const struct hs_stencil_f64 *node = &s->stencil[hs_system_index(s, n)];
    const struct around at = around_of(s, i, j);
    const double base = base_of(s, n);
    const double u = hs_node_general_f64(node, node->c + base, at_f64(t, at.west), at_f64(t, at.east),
                                         at_f64(t, at.south), at_f64(t, at.north));
    r[n] = node->diagonal == 0.0 ? 0.0 : hs_node_step_f64(trapezoid, node->storage, t[n], u, base);
  }
}

HS_FAST_FMA static void row_step_f32(const struct hs_system *s, bool trapezoid, const float *t, int j, float *r)
{
  for (int i = 0; i < s->nx; i++) {
    const size_t n = (size_t)j * (size_t)s->nx + (size_t)i;
    const struct hs_stencil_f32 *node = &s->stencil_single[hs_system_index(s, n)];
    const struct around at = around_of(s, i, j);
    const float base = (float)base_of(s, n);
    const float u = hs_node_general_f32(node, node->c + base, at_f32(t, at.west), at_f32(t, at.east),
                                        at_f32(t, at.south), at_f32(t, at.north));
    r[n] = node->diagonal == 0.0f ? 0.0f : hs_node_step_f32(trapezoid, node->storage, t[n], u, base);
  }
}

void hs_streamed_step(const struct hs_system *system, bool single, const void *now, bool trapezoid, void *r)
{
#pragma omp parallel for schedule(static)
  for (int j = 0; j < system->ny; j++) {
    if (single)
      row_step_f32(system, trapezoid, now, j, r);
    else
      row_step_f64(system, trapezoid, now, j, r);
  }
}
