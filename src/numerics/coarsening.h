/* How a coarser level of multigrid is made, at a node, in double precision; see multigrid.h for the method. */
#ifndef HS_NUMERICS_COARSENING_H
#define HS_NUMERICS_COARSENING_H

#include "numerics/multigrid.h"

/* Row sums below this share of the diagonal are left out of interpolation: it keeps constants there. */
#define HS_COARSENING_SUM_SHARE 1e-3

/* Nodes of anisotropy: their couplings along x, collapsed onto the axis, against those along y. */
struct hs_level_shares {
  int64_t free;                 /* nodes that exchange heat with neighbours, not mostly with the surroundings */
  int64_t x_semi, y_semi;       /* couplings along x (y) are more than HS_COARSENING_SEMI times those along y (x) */
  int64_t x_segment, y_segment; /* the same with HS_COARSENING_SEGMENT */
};

#define HS_COARSENING_SEMI 3.0
#define HS_COARSENING_SEGMENT 6.0

/* Couplings of node n to its neighbours: g[3 (dj + 1) + di + 1], and its row sum in g[4]. south: the place of its neighbour
 * there. */
HS_INLINE void hs_couplings_gather(const struct hs_couplings_f64 *a, size_t n, size_t south, double g[9])
{
  const int corners = a->northeast != NULL;
  g[0] = corners ? a->northeast[south - 1] : 0.0;
  g[1] = a->north[south];
  g[2] = corners ? a->northwest[south + 1] : 0.0;
  g[3] = a->east[n - 1];
  g[4] = a->sum[n];
  g[5] = a->east[n];
  g[6] = corners ? a->northwest[n] : 0.0;
  g[7] = a->north[n];
  g[8] = corners ? a->northeast[n] : 0.0;
}

HS_INLINE double hs_couplings_total(const double g[9])
{
  return ((g[3] + g[5]) + (g[1] + g[7])) + ((g[0] + g[8]) + (g[2] + g[6]));
}

/* 1 / D of the smoother: D is the diagonal, or half the row's sum of magnitudes where that is more, so that the
 * eigenvalues of D^-1 A lie within [0, 2]. 0 for a node without anything. */
HS_INLINE double hs_couplings_inverse(const double g[9])
{
  const double diagonal = g[4] + hs_couplings_total(g);
  const double sizes =
      ((fabs(g[3]) + fabs(g[5])) + (fabs(g[1]) + fabs(g[7]))) + ((fabs(g[0]) + fabs(g[8])) + (fabs(g[2]) + fabs(g[6])));
  const double half = 0.5 * (fabs(diagonal) + sizes), d = diagonal > half ? diagonal : half;
  return diagonal > 0.0 ? 1.0 / d : 0.0;
}

HS_INLINE void hs_level_shares_count(const double g[9], struct hs_level_shares *shares)
{
  const double west_east = ((g[0] + g[3]) + g[6]) + ((g[2] + g[5]) + g[8]);
  const double south_north = ((g[0] + g[1]) + g[2]) + ((g[6] + g[7]) + g[8]);
  const double x = west_east > 0.0 ? west_east : 0.0, y = south_north > 0.0 ? south_north : 0.0;
  if (!(x + y > 1e-3 * (g[4] + hs_couplings_total(g)))) return;
  shares->free++;
  shares->x_semi += x > HS_COARSENING_SEMI * y;
  shares->y_semi += y > HS_COARSENING_SEMI * x;
  shares->x_segment += x > HS_COARSENING_SEGMENT * y;
  shares->y_segment += y > HS_COARSENING_SEGMENT * x;
}

HS_INLINE void hs_level_shares_add(struct hs_level_shares *to, const struct hs_level_shares *more)
{
  to->free += more->free;
  to->x_semi += more->x_semi;
  to->y_semi += more->y_semi;
  to->x_segment += more->x_segment;
  to->y_segment += more->y_segment;
}

/* A corner of node n's neighbours is collapsed onto the line through n as if it had the temperature of the neighbour on the
 * line beside it. Where these two hardly exchange heat, an insulated edge lies between them, and the corner is left out: where
 * their coupling is less than HS_COARSENING_EDGE of all of the node's, the corner's coupling with n counts to
 * HS_COARSENING_CORNER times that. */
#define HS_COARSENING_CORNER 2.0
#define HS_COARSENING_EDGE 1e-3

/* A line whose couplings are less than HS_COARSENING_LINE_LEAST of the diagonal gives nothing: they may be rounding. Where they
 * are less than HS_COARSENING_LINE_WEAK of it, the node belongs to a body that extends across the line. A coarse node that
 * exchanges less than that share of its own heat with it belongs to another body, and gives nothing unless the one on the
 * other side does, too: of two that are as good, both are taken. */
#define HS_COARSENING_LINE_LEAST 1e-9
#define HS_COARSENING_LINE_WEAK 1e-4

HS_INLINE double hs_couplings_corner(double corner, double beside, double all)
{
  const double most = HS_COARSENING_CORNER * fabs(beside);
  return corner < most || fabs(beside) > HS_COARSENING_EDGE * all ? corner : most;
}

/* south, north: the places of the neighbours there. */
HS_INLINE void hs_couplings_cut(const struct hs_couplings_f64 *a, size_t n, size_t south, size_t north, int along_x,
                                double g[9])
{
  const double all = hs_couplings_total(g);
  g[0] = hs_couplings_corner(g[0], along_x ? a->north[south - 1] : a->east[south - 1], all);
  g[2] = hs_couplings_corner(g[2], along_x ? a->north[south + 1] : a->east[south], all);
  g[6] = hs_couplings_corner(g[6], along_x ? a->north[n - 1] : a->east[north - 1], all);
  g[8] = hs_couplings_corner(g[8], along_x ? a->north[n + 1] : a->east[north], all);
}

/* The row sum as interpolation sees it. */
HS_INLINE double hs_interpolation_sum(const double g[9])
{
  const double sum = g[4];
  return sum < HS_COARSENING_SUM_SHARE * (sum + hs_couplings_total(g)) ? 0.0 : sum;
}

/* Does the coarse node n belong to another body than a node with which it has so little coupling? No, where it has no
 * couplings: a Dirichlet node, or a ghost node beyond a wall. */
HS_INLINE int hs_interpolation_foreign(const struct hs_couplings_f64 *a, size_t n, size_t south, double coupling)
{
  double g[9];
  hs_couplings_gather(a, n, south, g);
  return coupling < HS_COARSENING_LINE_WEAK * hs_couplings_total(g);
}

/* Where the coarse nodes on both sides of a node are stored, and their neighbours in the south. */
struct hs_line {
  size_t low, low_south, high, high_south;
};

/* Weights of a coarse node, or of a node between two of them, of which `line` tells: w[0] and, in x, w[1] or, in y, w[2]. g:
 * the node's own row, cut. */
HS_INLINE void hs_interpolation_line(const struct hs_couplings_f64 *a, const double g[9], const struct hs_line *line,
                                     int along_x, int along_y, float w[4])
{
  const double diagonal = g[4] + hs_couplings_total(g), sum = hs_interpolation_sum(g);
  double low, high, all;
  w[0] = w[1] = w[2] = w[3] = 0.0f;
  if (!along_x && !along_y) {
    w[0] = hs_couplings_inverse(g) > 0.0 ? 1.0f : 0.0f; /* a Dirichlet node, or one of none but them, gets nothing */
    return;
  }
  low = along_x ? (g[0] + g[3]) + g[6] : (g[0] + g[1]) + g[2];
  high = along_x ? (g[2] + g[5]) + g[8] : (g[6] + g[7]) + g[8];
  if (low < 0.0) low = 0.0;
  if (high < 0.0) high = 0.0;
  if ((low + high) + sum <= HS_COARSENING_LINE_WEAK * diagonal) {
    const int foreign_low = hs_interpolation_foreign(a, line->low, line->low_south, low);
    const int foreign_high = hs_interpolation_foreign(a, line->high, line->high_south, high);
    if (foreign_low && !foreign_high) low = 0.0;
    if (foreign_high && !foreign_low) high = 0.0;
  }
  all = (low + high) + sum;
  if (!(all > 0.0) || all < HS_COARSENING_LINE_LEAST * diagonal) return;
  high /= all;
  w[0] = (float)(low / all);
  w[1] = along_x ? (float)high : 0.0f;
  w[2] = along_x ? 0.0f : (float)high;
}

/* Weights of the node n in the middle of four coarse ones, from its own balance and its neighbours' weights. east and north:
 * where the neighbours there are stored. */
HS_INLINE void hs_interpolation_middle(const double g[9], float *const weight[4], size_t west, size_t east,
                                       size_t south, size_t north, float w[4])
{
  const double all = hs_couplings_total(g) + hs_interpolation_sum(g);
  w[0] = w[1] = w[2] = w[3] = 0.0f;
  if (!(all > 0.0)) return;
  w[0] = (float)((g[0] + (g[1] * weight[0][south] + g[3] * weight[0][west])) / all);
  w[1] = (float)((g[2] + (g[1] * weight[1][south] + g[5] * weight[0][east])) / all);
  w[2] = (float)((g[6] + (g[7] * weight[0][north] + g[3] * weight[2][west])) / all);
  w[3] = (float)((g[8] + (g[7] * weight[1][north] + g[5] * weight[2][east])) / all);
}

/* Index of a neighbour: `index` itself within 0 ... n - 1, around where the grid is periodic, else -1. */
HS_INLINE int hs_coarsening_wrap(int index, int n, int periodic)
{
  if (index >= 0 && index < n) return index;
  if (!periodic) return -1;
  return index < 0 ? index + n : index - n;
}

/* The child of coarse index k that lies `side` (-1, 0, 1) of it, or -1. A last odd node of an odd periodic line has no
 * parent behind the seam. */
HS_INLINE int hs_coarsening_child(int k, int side, int coarsen, int n, int periodic)
{
  const int child = 2 * k + side;
  if (!coarsen) return side == 0 ? k : -1;
  if (child >= 0) return child < n ? child : -1;
  return periodic && n % 2 == 0 ? n - 1 : -1;
}

/* Where the parent of a fine index, `which` = 0 or 1, lies beside coarse index k: -1, 0 or 1. */
HS_INLINE int hs_coarsening_offset(int fine, int which, int coarsen, int coarse_n, int k)
{
  const int parent = coarsen ? (fine / 2 + which) % coarse_n : fine, offset = parent - k;
  if (offset > 1) return offset - coarse_n;
  return offset < -1 ? offset + coarse_n : offset;
}

/* What Galerkin's product needs of the two levels. */
struct hs_galerkin {
  struct hs_grid fine, coarse;
  int coarsen_x, coarsen_y;
  struct hs_couplings_f64 a;
  const float *weight[4];
};

/* Adds the share of one child to a coarse node's row: its weight times its row of A, times W. */
HS_INLINE void hs_galerkin_child(const struct hs_galerkin *m, int i, int j, int fine_i, int fine_j, double weight,
                                 double row[9])
{
  const size_t n = hs_grid_at(&m->fine, fine_i, fine_j);
  double g[9], own = 0.0, diagonal;
  int k, parent;
  hs_couplings_gather(&m->a, n, n - (size_t)m->fine.pitch, g);
  diagonal = g[4] + hs_couplings_total(g);
  for (parent = 0; parent < 4; parent++) own += m->weight[parent][n];
  row[4] += weight * (g[4] * own);
  for (k = 0; k < 9; k++) {
    const int ii = hs_coarsening_wrap(fine_i + k % 3 - 1, m->fine.nx, m->fine.periodic_x);
    const int jj = hs_coarsening_wrap(fine_j + k / 3 - 1, m->fine.ny, m->fine.periodic_y);
    const double entry = k == 4 ? -diagonal : g[k];
    double all = 0.0;
    size_t at;
    if (ii < 0 || jj < 0 || entry == 0.0) continue;
    at = hs_grid_at(&m->fine, ii, jj);
    for (parent = 0; parent < 4; parent++) {
      const double v = m->weight[parent][at];
      int di, dj;
      if (v == 0.0) continue;
      all += v;
      di = hs_coarsening_offset(ii, parent % 2, m->coarsen_x, m->coarse.nx, i);
      dj = hs_coarsening_offset(jj, parent / 2, m->coarsen_y, m->coarse.ny, j);
      if (di || dj) row[3 * (dj + 1) + di + 1] += weight * (entry * v);
    }
    if (k != 4) row[4] += weight * (entry * (own - all));
  }
}

/* The same for the child (di, dj) of a node whose place on the fine grid is n, where both directions are coarsened and
 * neither is periodic: ghosts hold 0, and which parents a neighbour has follows from its place alone. */
HS_INLINE_ALWAYS void hs_galerkin_child_open(const struct hs_galerkin *m, size_t n, int di, int dj, double row[9])
{
  const ptrdiff_t pitch = m->fine.pitch;
  const size_t at = (size_t)((ptrdiff_t)n + dj * pitch + di);
  const double weight = m->weight[2 * (dj < 0) + (di < 0)][at];
  const int corners = m->a.northeast != NULL;
  double g[9], own = 0.0, diagonal;
  int k, parent;
  if (weight == 0.0) return; /* nothing beyond a wall is read */
  hs_couplings_gather(&m->a, at, at - (size_t)pitch, g);
  diagonal = g[4] + hs_couplings_total(g);
  HS_UNROLL
  for (parent = 0; parent < 4; parent++) own += m->weight[parent][at];
  row[4] += weight * (g[4] * own);
  HS_UNROLL
  for (k = 0; k < 9; k++) {
    const int i = di + k % 3 - 1, j = dj + k / 3 - 1; /* -2 ... 2 */
    const size_t near = (size_t)((ptrdiff_t)n + j * pitch + i);
    const double entry = k == 4 ? -diagonal : g[k];
    double all = 0.0;
    if (!corners && k != 4 && k % 2 == 0) continue; /* it would add 0 */
    HS_UNROLL
    for (parent = 0; parent < 4; parent++) {
      const int east = parent % 2, north = parent / 2;
      const int to_i = (i + 2) / 2 - 1 + east, to_j = (j + 2) / 2 - 1 + north;
      double v;
      if ((east && i % 2 == 0) || (north && j % 2 == 0)) continue; /* a coarse column or row has one parent in it */
      v = m->weight[parent][near];
      all += v;
      if (to_i || to_j) row[3 * (to_j + 1) + to_i + 1] += weight * (entry * v);
    }
    if (k != 4) row[4] += weight * (entry * (own - all));
  }
}

HS_INLINE_ALWAYS void hs_galerkin_row_open(const struct hs_galerkin *m, size_t n, double row[9])
{
  int k;
  HS_UNROLL
  for (k = 0; k < 9; k++) row[k] = 0.0;
  HS_UNROLL
  for (k = 0; k < 9; k++) hs_galerkin_child_open(m, n, k % 3 - 1, k / 3 - 1, row);
}

/* The row of W^T A W at the coarse node (i, j): couplings, and the row sum in row[4]. */
HS_INLINE void hs_galerkin_row(const struct hs_galerkin *m, int i, int j, double row[9])
{
  int di, dj, k;
  if (m->coarsen_x && m->coarsen_y && !m->fine.periodic_x && !m->fine.periodic_y) {
    hs_galerkin_row_open(m, hs_grid_at(&m->fine, 2 * i, 2 * j), row);
    return;
  }
  HS_UNROLL
  for (k = 0; k < 9; k++) row[k] = 0.0;
  for (dj = -1; dj <= 1; dj++)
    for (di = -1; di <= 1; di++) {
      const int fine_i = hs_coarsening_child(i, di, m->coarsen_x, m->fine.nx, m->fine.periodic_x);
      const int fine_j = hs_coarsening_child(j, dj, m->coarsen_y, m->fine.ny, m->fine.periodic_y);
      double weight;
      if (fine_i < 0 || fine_j < 0) continue;
      weight = m->weight[2 * (dj < 0) + (di < 0)][hs_grid_at(&m->fine, fine_i, fine_j)];
      if (weight != 0.0) hs_galerkin_child(m, i, j, fine_i, fine_j, weight, row);
    }
}

#endif
