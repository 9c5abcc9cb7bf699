/* The arithmetic of multigrid at a node, written once for every backend.
 *
 * A level is the operator of one grid: the heat that a node gives off at temperatures t, in W/m,
 *
 *     (A t)_n = sum_n t_n + sum over eight neighbours of g_(n,m) (t_n - t_m),
 *
 * with couplings g in W/(m K) and the row sum kept apart, so that the small conductance to the surroundings of a nearly
 * insulated plate is not lost in the difference of large couplings. The finest level has four couplings, which the stencil
 * table gives. Coarser levels are Galerkin's W^T A W with the interpolation W of black-box multigrid (Alcouffe, Brandt,
 * Dendy and Painter, SIAM J. Sci. Stat. Comput. 2, 1981; Dendy, J. Comput. Phys. 48, 1982): a node between two coarse ones
 * takes what its own balance asks for once the stencil is collapsed onto their line.
 *
 * A grid's values are stored with a layer of ghost nodes around them: 0, or copies where the grid is periodic. Coarse nodes
 * are the fine ones of even column and row, where that direction is coarsened. A node without a coupling and with the
 * inverse diagonal 0 is a Dirichlet node: corrections stay 0 there.
 */
#ifndef HS_NUMERICS_MULTIGRID_H
#define HS_NUMERICS_MULTIGRID_H

#include <stddef.h>
#include <stdint.h>

#include "numerics/law.h"

/* Nodes of a level. Value (i, j), -1 <= i <= nx, -1 <= j <= ny, is at hs_grid_at. */
struct hs_grid {
  int nx, ny;
  int pitch; /* at least nx + 3: beside the ghost node in the east lies 0, and not another row */
  int periodic_x, periodic_y;
};

HS_INLINE_ALWAYS size_t hs_grid_at(const struct hs_grid *grid, int i, int j)
{
  return (size_t)(j + 1) * (size_t)grid->pitch + (size_t)(i + 1);
}

/* Values of a padded array. */
HS_INLINE size_t hs_grid_values(const struct hs_grid *grid)
{
  return (size_t)(grid->ny + 2) * (size_t)grid->pitch;
}

/* One entry of the finest level's table, in single precision for the cycle; inverse = 1 / (sum + couplings), or 0. */
struct hs_balance_f32 {
  float west, east, south, north; /* couplings, W/(m K) */
  float sum, inverse;
  float unused[2];
};

/* The same in double precision: the row sum's parts, and the heat b that goes in whatever the temperature, W/m. */
struct hs_balance_f64 {
  double west, east, south, north;
  double loss;    /* conductance to ambients, W/(m K) */
  double storage; /* of an implicit time step: C/step or 2 C/step, W/(m K) */
  double heat;
  double free; /* 1; 0 for a Dirichlet node, whose heat is its temperature and all else 0 */
};

/* A coarser level: couplings of a node to its neighbours in the east, north, north-east and north-west; those to the others
 * are the neighbours' own. Padded arrays. */
struct hs_couplings_f32 {
  const float *east, *north, *northeast, *northwest, *sum, *inverse;
};

/* The same while levels are made, any level. northeast, northwest: both may be NULL on the finest one, where they are 0. */
struct hs_couplings_f64 {
  double *east, *north, *northeast, *northwest, *sum;
};

/* Pieces of lines for the smoother that solves on them (hs_linear.cycle_segments), in so many passes. */
enum { HS_SEGMENT = 32, HS_SEGMENT_PASSES = 4 };
struct hs_segments {
  int along_x; /* 0: along y */
  int shift;
  double weight;
  int first, end; /* nodes of the lines, which are cut there; end 0: the whole lines. Others stay as they were */
};

/* Of a pass: along x and y in turn, cut at two places. After the coarser level the passes run backwards. */
HS_INLINE_ALWAYS struct hs_segments hs_segments_of_pass(int pass, double weight)
{
  const struct hs_segments s = {pass % 2 == 0, pass < HS_SEGMENT_PASSES / 2 ? 0 : HS_SEGMENT / 2, weight, 0, 0};
  return s;
}

HS_INLINE_ALWAYS int hs_segments_end(const struct hs_segments *s, const struct hs_grid *grid)
{
  if (s->end > 0) return s->end;
  return s->along_x ? grid->nx : grid->ny;
}

/* --- the cycle ------------------------------------------------------------------------------- */

/* Values of the eight neighbours of a node, or its couplings to them. */
struct hs_around_f32 {
  float west, east, south, north, southwest, southeast, northwest, northeast;
};

/* f - A t at a node of the finest level, whose temperature is c, and those of its neighbours t. */
HS_INLINE_ALWAYS float hs_level_balance_fine(const struct hs_balance_f32 *s, float f, float c,
                                             const struct hs_around_f32 *t)
{
  const float x = fmaf(s->east, t->east - c, s->west * (t->west - c));
  const float y = fmaf(s->north, t->north - c, s->south * (t->south - c));
  return fmaf(-s->sum, c, f) + (x + y);
}

/* The same on a coarser one with couplings g. */
HS_INLINE_ALWAYS float hs_level_balance(const struct hs_around_f32 *g, float sum, float f, float c,
                                        const struct hs_around_f32 *t)
{
  const float x = fmaf(g->east, t->east - c, g->west * (t->west - c));
  const float y = fmaf(g->north, t->north - c, g->south * (t->south - c));
  const float u = fmaf(g->northeast, t->northeast - c, g->southwest * (t->southwest - c));
  const float v = fmaf(g->northwest, t->northwest - c, g->southeast * (t->southeast - c));
  return fmaf(-sum, c, f) + ((x + y) + (u + v));
}

HS_INLINE_ALWAYS struct hs_around_f32 hs_around(const float *t, size_t n, size_t pitch)
{
  const struct hs_around_f32 a = {t[n - 1],         t[n + 1],         t[n - pitch],     t[n + pitch],
                                  t[n - pitch - 1], t[n - pitch + 1], t[n + pitch - 1], t[n + pitch + 1]};
  return a;
}

/* Couplings of a node of a coarser level: half of them are its neighbours' own. */
HS_INLINE_ALWAYS struct hs_around_f32 hs_couplings_around(const struct hs_couplings_f32 *g, size_t n, size_t pitch)
{
  const struct hs_around_f32 a = {g->east[n - 1],
                                  g->east[n],
                                  g->north[n - pitch],
                                  g->north[n],
                                  g->northeast[n - pitch - 1],
                                  g->northwest[n - pitch + 1],
                                  g->northwest[n],
                                  g->northeast[n]};
  return a;
}

/* The same at node n of padded arrays. */
HS_INLINE_ALWAYS float hs_level_residual_fine(const struct hs_balance_f32 *s, const float *t, float f, size_t n,
                                              size_t pitch)
{
  const struct hs_around_f32 around = {t[n - 1], t[n + 1], t[n - pitch], t[n + pitch], 0.0f, 0.0f, 0.0f, 0.0f};
  return hs_level_balance_fine(s, f, t[n], &around);
}

HS_INLINE_ALWAYS float hs_level_residual(const struct hs_couplings_f32 *g, const float *t, float f, size_t n,
                                         size_t pitch)
{
  const struct hs_around_f32 couplings = hs_couplings_around(g, n, pitch), around = hs_around(t, n, pitch);
  return hs_level_balance(&couplings, g->sum[n], f, t[n], &around);
}

/* Interpolation weights of a fine node: south-west, south-east, north-west and north-east parent; padded arrays. */
struct hs_interpolation {
  const float *weight[4];
};

/* Of a node and its eight neighbours. */
struct hs_nine_f32 {
  float middle;
  struct hs_around_f32 around;
};

/* W^T r at a coarse node where both directions are coarsened: what its nine children give. w: their weights for it. */
HS_INLINE_ALWAYS float hs_level_gather(const struct hs_nine_f32 *w, const struct hs_nine_f32 *r)
{
  float sum = w->middle * r->middle;
  sum = fmaf(w->around.west, r->around.west, fmaf(w->around.east, r->around.east, sum));
  sum = fmaf(w->around.south, r->around.south, fmaf(w->around.north, r->around.north, sum));
  sum = fmaf(w->around.southwest, r->around.southwest, fmaf(w->around.southeast, r->around.southeast, sum));
  return fmaf(w->around.northwest, r->around.northwest, fmaf(w->around.northeast, r->around.northeast, sum));
}

/* The weights of that: each child of the coarse node at the fine node n has it as another parent. */
HS_INLINE_ALWAYS struct hs_nine_f32 hs_interpolation_nine(const struct hs_interpolation *w, size_t n, size_t p)
{
  const struct hs_nine_f32 a = {w->weight[0][n],
                                {w->weight[1][n - 1], w->weight[0][n + 1], w->weight[2][n - p], w->weight[0][n + p],
                                 w->weight[3][n - p - 1], w->weight[2][n - p + 1], w->weight[1][n + p - 1],
                                 w->weight[0][n + p + 1]}};
  return a;
}

/* W^T r at the coarse node (i, j). coarsen_x, coarsen_y: 0 or 1. */
HS_INLINE_ALWAYS float hs_level_restrict(const struct hs_interpolation *w, const float *r, const struct hs_grid *fine,
                                         int coarsen_x, int coarsen_y, int i, int j)
{
  const size_t n = hs_grid_at(fine, coarsen_x ? 2 * i : i, coarsen_y ? 2 * j : j), p = (size_t)fine->pitch;
  if (coarsen_x && coarsen_y) {
    const struct hs_nine_f32 weights = hs_interpolation_nine(w, n, p), values = {r[n], hs_around(r, n, p)};
    return hs_level_gather(&weights, &values);
  }
  if (coarsen_x)
    return fmaf(w->weight[1][n - 1], r[n - 1], fmaf(w->weight[0][n + 1], r[n + 1], w->weight[0][n] * r[n]));
  if (coarsen_y)
    return fmaf(w->weight[2][n - p], r[n - p], fmaf(w->weight[0][n + p], r[n + p], w->weight[0][n] * r[n]));
  return w->weight[0][n] * r[n];
}

/* W c at the fine node (i, j). */
HS_INLINE_ALWAYS float hs_level_prolong(const struct hs_interpolation *w, const float *c, size_t n,
                                        const struct hs_grid *coarse, int coarsen_x, int coarsen_y, int i, int j)
{
  const size_t m = hs_grid_at(coarse, coarsen_x ? i / 2 : i, coarsen_y ? j / 2 : j), p = (size_t)coarse->pitch;
  float t = w->weight[0][n] * c[m];
  if (coarsen_x) t = fmaf(w->weight[1][n], c[m + 1], t);
  if (!coarsen_y) return t;
  t = fmaf(w->weight[2][n], c[m + p], t);
  return coarsen_x ? fmaf(w->weight[3][n], c[m + p + 1], t) : t;
}

/* --- condensation: what nodes between coarse ones have of their own heat ---------------------- */

/* A line, or a middle, with less coupling and row sum than this share of D has nothing. */
#define HS_CONDENSE_LEAST 1e-3f

/* The temperature that heat f gives a node between two coarse nodes of temperature 0, once its couplings are collapsed onto the
 * line through the three: low and high, towards either side. sum, inverse: the node's row sum and 1 / D. */
HS_INLINE_ALWAYS float hs_level_line(float f, float low, float high, float sum, float inverse)
{
  const float all = ((low > 0.0f ? low : 0.0f) + (high > 0.0f ? high : 0.0f)) + sum;
  return all * inverse > HS_CONDENSE_LEAST ? f / all : 0.0f;
}

/* The same with couplings g. */
HS_INLINE_ALWAYS float hs_level_line_x(const struct hs_around_f32 *g, float f, float sum, float inverse)
{
  return hs_level_line(f, (g->southwest + g->west) + g->northwest, (g->southeast + g->east) + g->northeast, sum,
                       inverse);
}
HS_INLINE_ALWAYS float hs_level_line_y(const struct hs_around_f32 *g, float f, float sum, float inverse)
{
  return hs_level_line(f, (g->southwest + g->south) + g->southeast, (g->northwest + g->north) + g->northeast, sum,
                       inverse);
}

/* That of a node in the middle of four coarse ones, by its own balance, with the temperatures t that lines give its neighbours
 * in the west, east, south and north. */
HS_INLINE_ALWAYS float hs_level_middle(const struct hs_around_f32 *g, float f, float sum, float inverse, float west,
                                       float east, float south, float north)
{
  const float total = ((g->west + g->east) + (g->south + g->north)) +
                      ((g->southwest + g->northeast) + (g->southeast + g->northwest));
  const float x = fmaf(g->east, east, g->west * west), y = fmaf(g->north, north, g->south * south), all = total + sum;
  return all * inverse > HS_CONDENSE_LEAST ? (f + (x + y)) / all : 0.0f;
}

/* --- segments --------------------------------------------------------------------------------- */

/* One row of a segment: couplings to the node before and after within it, the diagonal with what the cuts sever added, and
 * the residual. */
struct hs_segment_row {
  float before, after, diagonal, residual;
};

/* Couplings and diagonal of node m of a line. end: hs_segments_end. */
HS_INLINE_ALWAYS struct hs_segment_row hs_segment_row(float before, float after, float diagonal, float residual, int m,
                                                      const struct hs_segments *s, int end)
{
  struct hs_segment_row row = {before, after, diagonal, residual};
  if (m == s->first || (m + s->shift) % HS_SEGMENT == 0) {
    row.diagonal += fabsf(before);
    row.before = 0.0f;
  }
  if (m == end - 1 || (m + 1 + s->shift) % HS_SEGMENT == 0) {
    row.diagonal += fabsf(after);
    row.after = 0.0f;
  }
  return row;
}

/* The rows of a segment, `stride` values apart. */
struct hs_segment_rows {
  float *before, *after, *diagonal, *residual;
  int stride;
};

HS_INLINE_ALWAYS void hs_segment_put(const struct hs_segment_rows *s, int m, const struct hs_segment_row *row)
{
  s->before[m * s->stride] = row->before;
  s->after[m * s->stride] = row->after;
  s->diagonal[m * s->stride] = row->diagonal;
  s->residual[m * s->stride] = row->residual;
}

/* Solves a segment of n rows (Thomas's algorithm); the solution takes the residual's place, and the diagonal is room. A row
 * without a diagonal gets 0. */
HS_INLINE void hs_segment_solve(const struct hs_segment_rows *s, int n)
{
  float value = 0.0f, room = 0.0f;
  int m;
  for (m = 0; m < n; m++) {
    const int k = m * s->stride;
    const float before = s->before[k];
    const float pivot = m > 0 ? fmaf(-before, room, s->diagonal[k]) : s->diagonal[k];
    const float right = m > 0 ? fmaf(before, value, s->residual[k]) : s->residual[k];
    room = pivot > 0.0f ? s->after[k] / pivot : 0.0f;
    value = pivot > 0.0f ? right / pivot : 0.0f;
    s->diagonal[k] = room;
    s->residual[k] = value;
  }
  value = 0.0f;
  for (m = n - 1; m >= 0; m--) {
    const int k = m * s->stride;
    value = fmaf(s->diagonal[k], value, s->residual[k]);
    s->residual[k] = value;
  }
}

/* Sum of the eight couplings of a coarse node. */
HS_INLINE_ALWAYS float hs_level_total(const struct hs_couplings_f32 *g, size_t n, size_t pitch)
{
  const float x = g->east[n] + g->east[n - 1], y = g->north[n] + g->north[n - pitch];
  const float u = g->northeast[n] + g->northeast[n - pitch - 1], v = g->northwest[n] + g->northwest[n - pitch + 1];
  return (x + y) + (u + v);
}

/* --- conjugate gradients --------------------------------------------------------------------- */

/* Heat that flows into a node of the finest level at temperature c from its neighbours at these temperatures and through
 * the conductance `loss` from surroundings of 0 K, W/m. */
HS_INLINE_ALWAYS double hs_balance_flow(const struct hs_balance_f64 *s, double loss, double c, double west, double east,
                                        double south, double north)
{
  const double x = fma(s->east, east - c, s->west * (west - c));
  const double y = fma(s->north, north - c, s->south * (south - c));
  return fma(-loss, c, x + y);
}

/* The same at node n of a padded array. */
HS_INLINE_ALWAYS double hs_balance_inflow(const struct hs_balance_f64 *s, double loss, const double *t, size_t n,
                                          size_t pitch)
{
  return hs_balance_flow(s, loss, t[n], t[n - 1], t[n + 1], t[n - pitch], t[n + pitch]);
}

/* The direction of conjugate gradients, which is kept in single precision, from the one before. */
HS_INLINE_ALWAYS float hs_direction(double beta, float p, float z, double unscale)
{
  return (float)fma(beta, (double)p, (double)z * unscale);
}

/* The iterate after a step along z alone; along: the step's length times that of a unit of z. */
HS_INLINE_ALWAYS double hs_corrected(double along, float z, double x)
{
  return fma(along, (double)z, x);
}

/* What a node adds to the sums of a correction z, with the heat that flows in at z, the residual f and the direction p behind
 * z. Sums of steps in single precision are as good as the cycle that z is from. */
struct hs_terms_f32 {
  float zr, rr, z_az, p_az;
};

HS_INLINE_ALWAYS struct hs_terms_f32 hs_correction_terms(float z, float inflow, float f, float p)
{
  struct hs_terms_f32 t;
  t.zr = z * f;
  t.rr = f * f;
  t.z_az = -(z * inflow);
  t.p_az = -(p * inflow);
  return t;
}

/* The finest level's entry of a law. storage: the time step's part of the diagonal, W/(m K). */
HS_INLINE struct hs_balance_f64 hs_balance_of_law(const struct hs_node_law *law, double storage)
{
  struct hs_balance_f64 b = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  if (law->dirichlet) {
    b.heat = law->dirichlet_k;
    return b;
  }
  b.west = law->west;
  b.east = law->east;
  b.south = law->south;
  b.north = law->north;
  b.loss = law->ambient_w_mk;
  b.storage = storage;
  b.heat = law->source_w_m + law->ambient_w_m;
  b.free = 1.0;
  return b;
}

HS_INLINE struct hs_balance_f32 hs_balance_round(const struct hs_balance_f64 *b)
{
  const double diagonal = ((b->west + b->east) + (b->south + b->north)) + (b->loss + b->storage);
  const struct hs_balance_f32 r = {(float)b->west,
                                   (float)b->east,
                                   (float)b->south,
                                   (float)b->north,
                                   (float)(b->loss + b->storage),
                                   diagonal > 0.0 ? (float)(1.0 / diagonal) : 0.0f,
                                   {0.0f, 0.0f}};
  return r;
}

#endif
