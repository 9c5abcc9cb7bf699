/* Coarser operators of the cpu backend. Rows that repeat others are left out (backend/host/same.c). */
#include "backend/cpu/linear/linear.h"

/* Shares of rows are counted anew where the two rows that they come from are others than those of the row before. */
static struct hs_level_shares rows_count(const struct hs_operator *op, struct hs_share rows)
{
  struct hs_level_shares all = {0, 0, 0, 0, 0}, row = all;
  size_t n_before = 0, south_before = 0;
  for (int j = op->own.y0 + rows.from; j < op->own.y0 + rows.to; j++) {
    const size_t n = hs_host_row(&op->grid, op->same, j), south = hs_host_row(&op->grid, op->same, j - 1);
    const size_t x0 = (size_t)op->own.x0;
    if (n != n_before || south != south_before) {
      row = (struct hs_level_shares){0, 0, 0, 0, 0};
      op->by_rows->rows->shares(&op->exact, n + x0, south + x0, op->own.nx, &row);
    }
    n_before = n;
    south_before = south;
    hs_level_shares_add(&all, &row);
  }
  return all;
}

hs_status hs_linear_shares(struct hs_operator *op, struct hs_level_shares *shares, struct hs_error *err)
{
  struct hs_level_shares all = {0, 0, 0, 0, 0};
  (void)err;
#pragma omp parallel num_threads(hs_host_threads_now(op)) if (op->threads > 1)
  {
    const struct hs_level_shares own = rows_count(op, hs_linear_share(op->own.ny));
#pragma omp critical(hs_linear_shares)
    hs_level_shares_add(&all, &own);
  }
  *shares = all;
  return HS_OK;
}

/* --- Galerkin's product ---------------------------------------------------------------------- */

static struct hs_product_rows product_rows(const struct hs_operator *fine, int j)
{
  const int south = (fine->coarsen_y ? 2 * j : j) - 2;
  struct hs_product_rows rows;
  for (int k = 0; k < 4; k++) rows.exact[k] = (ptrdiff_t)hs_host_row(&fine->grid, fine->same, south + k);
  for (int k = 0; k < 5; k++) rows.weights[k] = (ptrdiff_t)hs_host_row(&fine->grid, fine->same_weights, south + k);
  return rows;
}

enum { PATCH = 5, PATCH_PITCH = PATCH + 3, PATCH_VALUES = (PATCH + 2) * PATCH_PITCH };

/* A coarse node by the common arithmetic, from a copy of the fine nodes around its own; those beyond the grid are 0. For
 * open grids. */
static void patch_node(const struct hs_operator *fine, const struct hs_operator *coarse, int i, int j)
{
  const bool x = fine->coarsen_x, y = fine->coarsen_y;
  double exact[5][PATCH_VALUES] = {{0.0}}, row[9];
  float weight[4][PATCH_VALUES] = {{0.0F}};
  const struct hs_couplings_f64 *e = &fine->exact;
  const double *const arrays[5] = {e->east, e->north, e->northeast, e->northwest, e->sum};
  const struct hs_galerkin patch = {.fine = {PATCH, PATCH, PATCH_PITCH, 0, 0},
                                    .coarse = {x ? PATCH / 2 + 1 : PATCH, y ? PATCH / 2 + 1 : PATCH, PATCH_PITCH, 0, 0},
                                    .coarsen_x = x,
                                    .coarsen_y = y,
                                    .a = {exact[0], exact[1], exact[2], exact[3], exact[4]},
                                    .weight = {weight[0], weight[1], weight[2], weight[3]}};
  for (int k = 0; k < PATCH * PATCH; k++) {
    const int fine_i = (x ? 2 * i : i) - 2 + k % PATCH, fine_j = (y ? 2 * j : j) - 2 + k / PATCH;
    const size_t to = hs_grid_at(&patch.fine, k % PATCH, k / PATCH);
    if (fine_i < 0 || fine_j < 0 || fine_i >= fine->grid.nx || fine_j >= fine->grid.ny) continue;
    for (int m = 0; m < 5; m++) exact[m][to] = arrays[m][hs_host_row(&fine->grid, fine->same, fine_j) + (size_t)fine_i];
    for (int m = 0; m < 4; m++)
      weight[m][to] =
          fine->interpolation.weight[m][hs_host_row(&fine->grid, fine->same_weights, fine_j) + (size_t)fine_i];
  }
  hs_galerkin_row(&patch, x ? 1 : 2, y ? 1 : 2, row);
  hs_host_galerkin_store(&coarse->exact, hs_grid_at(&coarse->grid, i, j), row);
}

/* Nodes whose children have all their neighbours within the fine grid go by rows, the others one by one. */
static void galerkin_fill(const struct hs_operator *fine, const struct hs_operator *coarse)
{
  const struct hs_galerkin product = hs_host_galerkin(fine, coarse);
  const struct hs_grid *g = &fine->grid;
  const int from = 1, to = fine->coarsen_x ? (g->nx - 3) / 2 + 1 : g->nx - 1; /* 2 i + 2 or i + 1 <= nx - 1 */
  const int last = fine->coarsen_y ? (g->ny - 3) / 2 : g->ny - 2;
  HS_HOST_ROWS(coarse, j)
  {
    const bool inner = to > from && j >= 1 && j <= last;
    if (coarse->same && coarse->same[j + 1] != j) continue;
    for (int i = 0; i < coarse->grid.nx; i++) {
      if (inner && i >= from && i < to) continue;
      if (fine->same)
        patch_node(fine, coarse, i, j);
      else
        hs_host_galerkin_node(&product, &coarse->exact, i, j);
    }
    if (inner) {
      const struct hs_product_rows rows = product_rows(fine, j);
      fine->by_rows->rows->galerkin(&product, &rows, j, from, to, &coarse->exact);
    }
  }
}

/* --- operators ------------------------------------------------------------------------------- */

hs_status hs_linear_coarsen(struct hs_operator *op, bool x, bool y, bool *passes, struct hs_operator **result,
                            struct hs_error *err)
{
  struct hs_operator *coarse = NULL;
  hs_status status = hs_host_coarse_begin(op, x, y, &coarse, err);
  *result = NULL;
  (void)passes;
  if (!status) status = hs_linear_rows_create(coarse, op->by_rows->rows, op->by_rows->nodes_a_thread, err);
  if (status) return status;
  coarse->by_rows->team = op->by_rows->team;
  coarse->threads_now = op->threads_now;
  galerkin_fill(op, coarse);
  status = hs_host_coarse_end(coarse, err);
  if (status)
    hs_linear_destroy(coarse);
  else
    *result = coarse;
  return status;
}

hs_status hs_linear_window(struct hs_operator *model, const struct hs_grid *grid, struct hs_operator **result,
                           struct hs_error *err)
{
  struct hs_operator *op = NULL;
  hs_status status = hs_host_window(model, grid, &op, err);
  *result = NULL;
  if (!status) status = hs_linear_rows_create(op, model->by_rows->rows, model->by_rows->nodes_a_thread, err);
  if (status) return status;
  op->by_rows->team = model->by_rows->team;
  op->threads_now = model->threads_now;
  *result = op;
  return HS_OK;
}
