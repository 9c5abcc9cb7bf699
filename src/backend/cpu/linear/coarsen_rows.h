/* Rows of coarser operators; included by rows.c. */

/* The fine grid's arrays, and where node 0 lies of the rows from two south of a coarse node's own to two north of it. */
struct galerkin_rows {
  const double *east, *north, *northeast, *northwest, *sum;
  const float *weight[4];
  const struct hs_product_rows *at;
};

/* Which directions are coarsened: a constant wherever it is used. */
enum directions { ALONG_X = 1, ALONG_Y = 2, ALONG_BOTH = 3 };

/* Where the parent, `which` = 0 or 1, of the fine node at `d` from a coarse one's own lies beside that. */
HS_INLINE_ALWAYS int parent_beside(int d, int which, bool coarsened)
{
  return coarsened ? (d + 2) / 2 - 1 + which : d;
}

/* Has the fine node at this distance from a coarse one's own this parent? */
HS_INLINE_ALWAYS bool has_parent(int di, int dj, int parent, enum directions along)
{
  return (parent % 2 == 0 || (along & ALONG_X && di % 2 != 0)) && (parent / 2 == 0 || (along & ALONG_Y && dj % 2 != 0));
}

/* Of node i of row dj. */
HS_INLINE_ALWAYS void galerkin_gather(const struct galerkin_rows *a, ptrdiff_t i, int dj, double g[9])
{
  const ptrdiff_t n = a->at->exact[dj + 2] + i, south = a->at->exact[dj + 1] + i;
  g[0] = a->northeast[south - 1];
  g[1] = a->north[south];
  g[2] = a->northwest[south + 1];
  g[3] = a->east[n - 1];
  g[4] = a->sum[n];
  g[5] = a->east[n];
  g[6] = a->northwest[n];
  g[7] = a->north[n];
  g[8] = a->northeast[n];
}

/* The functions that follow are called with constants in place of along, di, dj, ii, jj, k and parent, and so is all that
 * follows from them; without loops, so that the compiler sees it. Positions count from the coarse node's own fine node, n of its row. */

/* A child's entry of its row of A, and the child's weights for the coarse node and altogether. */
struct child_entry {
  double weight, entry, own;
};

/* The share of one parent of the fine node (ii, jj). */
HS_INLINE_ALWAYS double parent_add(const struct galerkin_rows *a, ptrdiff_t n, int ii, int jj, int parent,
                                   enum directions along, struct child_entry e, double all, double row[9])
{
  const int to_i = parent_beside(ii, parent % 2, along & ALONG_X),
            to_j = parent_beside(jj, parent / 2, along & ALONG_Y);
  const int to = 3 * (to_j + 1) + to_i + 1;
  double v;
  if (!has_parent(ii, jj, parent, along)) return all;
  v = (double)a->weight[parent][a->at->weights[jj + 2] + n + ii];
  if (to > 4) row[to] += e.weight * (e.entry * v);
  return all + v;
}

/* Entry k of a child's row of A. */
HS_INLINE_ALWAYS void entry_add(const struct galerkin_rows *a, ptrdiff_t n, int di, int dj, int k,
                                enum directions along, struct child_entry e, double row[9])
{
  const int ii = di + k % 3 - 1, jj = dj + k / 3 - 1;
  double all = 0.0;
  all = parent_add(a, n, ii, jj, 0, along, e, all, row);
  all = parent_add(a, n, ii, jj, 1, along, e, all, row);
  all = parent_add(a, n, ii, jj, 2, along, e, all, row);
  all = parent_add(a, n, ii, jj, 3, along, e, all, row);
  if (k != 4) row[4] += e.weight * (e.entry * (e.own - all));
}

/* See hs_galerkin_child, whose order this keeps. What that skips adds 0 here; the first half of the row is left out. */
HS_INLINE_ALWAYS void child_add(const struct galerkin_rows *a, ptrdiff_t n, int di, int dj, enum directions along,
                                double row[9])
{
  const ptrdiff_t at = a->at->weights[dj + 2] + n + di;
  const double weight = (double)a->weight[2 * (dj < 0) + (di < 0)][at];
  double g[9], own = (double)a->weight[0][at];
  galerkin_gather(a, n + di, dj, g);
  if (has_parent(di, dj, 1, along)) own += (double)a->weight[1][at];
  if (has_parent(di, dj, 2, along)) own += (double)a->weight[2][at];
  if (has_parent(di, dj, 3, along)) own += (double)a->weight[3][at];
  row[4] += weight * (g[4] * own);
  entry_add(a, n, di, dj, 0, along, (struct child_entry){weight, g[0], own}, row);
  entry_add(a, n, di, dj, 1, along, (struct child_entry){weight, g[1], own}, row);
  entry_add(a, n, di, dj, 2, along, (struct child_entry){weight, g[2], own}, row);
  entry_add(a, n, di, dj, 3, along, (struct child_entry){weight, g[3], own}, row);
  entry_add(a, n, di, dj, 4, along, (struct child_entry){weight, -(g[4] + hs_couplings_total(g)), own}, row);
  entry_add(a, n, di, dj, 5, along, (struct child_entry){weight, g[5], own}, row);
  entry_add(a, n, di, dj, 6, along, (struct child_entry){weight, g[6], own}, row);
  entry_add(a, n, di, dj, 7, along, (struct child_entry){weight, g[7], own}, row);
  entry_add(a, n, di, dj, 8, along, (struct child_entry){weight, g[8], own}, row);
}

/* The coarse node whose own fine node is n of its row; it is node i of the coarse rows. */
HS_INLINE_ALWAYS void node_make(const struct galerkin_rows *a, ptrdiff_t n, int i, enum directions along, double *sum,
                                double *east, double *northwest, double *north, double *northeast)
{
  double row[9] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  if (along == ALONG_BOTH) child_add(a, n, -1, -1, along, row);
  if (along & ALONG_Y) child_add(a, n, 0, -1, along, row);
  if (along == ALONG_BOTH) child_add(a, n, 1, -1, along, row);
  if (along & ALONG_X) child_add(a, n, -1, 0, along, row);
  child_add(a, n, 0, 0, along, row);
  if (along & ALONG_X) child_add(a, n, 1, 0, along, row);
  if (along == ALONG_BOTH) child_add(a, n, -1, 1, along, row);
  if (along & ALONG_Y) child_add(a, n, 0, 1, along, row);
  if (along == ALONG_BOTH) child_add(a, n, 1, 1, along, row);
  sum[i] = row[4];
  east[i] = row[5];
  northwest[i] = row[6];
  north[i] = row[7];
  northeast[i] = row[8];
}

static void galerkin_row(const struct hs_galerkin *m, const struct hs_product_rows *rows, int j, int from, int to,
                         const struct hs_couplings_f64 *coarse)
{
  const struct hs_product_rows at = *rows;
  const struct galerkin_rows a = {m->a.east,
                                  m->a.north,
                                  m->a.northeast,
                                  m->a.northwest,
                                  m->a.sum,
                                  {m->weight[0], m->weight[1], m->weight[2], m->weight[3]},
                                  &at};
  const size_t n = hs_grid_at(&m->coarse, 0, j);
  double *restrict sum = coarse->sum + n, *restrict east = coarse->east + n, *restrict north = coarse->north + n;
  double *restrict northeast = coarse->northeast + n, *restrict northwest = coarse->northwest + n;
  if (m->coarsen_x && m->coarsen_y) {
    SIMD for (int i = from; i < to; i++)
        node_make(&a, 2 * (ptrdiff_t)i, i, ALONG_BOTH, sum, east, northwest, north, northeast);
  } else if (m->coarsen_x) {
    SIMD for (int i = from; i < to; i++)
        node_make(&a, 2 * (ptrdiff_t)i, i, ALONG_X, sum, east, northwest, north, northeast);
  } else {
    SIMD for (int i = from; i < to; i++) node_make(&a, i, i, ALONG_Y, sum, east, northwest, north, northeast);
  }
}

/* See hs_level_shares_count. */
static void shares_row(const struct hs_couplings_f64 *a, size_t n, size_t south, int count,
                       struct hs_level_shares *shares)
{
  const struct hs_product_rows at = {.exact = {0, (ptrdiff_t)south, (ptrdiff_t)n, 0}};
  const struct galerkin_rows rows = {a->east, a->north, a->northeast, a->northwest, a->sum, {NULL, NULL, NULL, NULL},
                                     &at};
  int64_t all = 0, x_semi = 0, y_semi = 0, x_segment = 0, y_segment = 0;
  _Pragma("omp simd reduction(+ : all, x_semi, y_semi, x_segment, y_segment)") for (int i = 0; i < count; i++)
  {
    double g[9], x, y;
    int64_t free;
    galerkin_gather(&rows, i, 0, g);
    x = ((g[0] + g[3]) + g[6]) + ((g[2] + g[5]) + g[8]);
    y = ((g[0] + g[1]) + g[2]) + ((g[6] + g[7]) + g[8]);
    x = x > 0.0 ? x : 0.0;
    y = y > 0.0 ? y : 0.0;
    free = x + y > 1e-3 * (g[4] + hs_couplings_total(g));
    all += free;
    x_semi += free & (x > HS_COARSENING_SEMI * y);
    y_semi += free & (y > HS_COARSENING_SEMI * x);
    x_segment += free & (x > HS_COARSENING_SEGMENT * y);
    y_segment += free & (y > HS_COARSENING_SEGMENT * x);
  }
  shares->free += all;
  shares->x_semi += x_semi;
  shares->y_semi += y_semi;
  shares->x_segment += x_segment;
  shares->y_segment += y_segment;
}
