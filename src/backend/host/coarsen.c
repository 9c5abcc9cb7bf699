/* Coarser operators of the CPU backends. */
#include <stdlib.h>
#include <string.h>

#include "backend/host/host.h"
#include "base/memory.h"

hs_status hs_host_shares(struct hs_operator *op, struct hs_level_shares *shares, struct hs_error *err)
{
  int64_t n = 0, xs = 0, ys = 0, xg = 0, yg = 0;
  (void)err;
#pragma omp parallel for schedule(static) num_threads(hs_host_threads_now(op)) if (op->threads > 1) \
    reduction(+ : n, xs, ys, xg, yg)
  for (int j = op->own.y0; j < op->own.y0 + op->own.ny; j++) {
    struct hs_level_shares row = {0, 0, 0, 0, 0};
    for (int i = op->own.x0; i < op->own.x0 + op->own.nx; i++) {
      double g[9];
      hs_couplings_gather(&op->exact, hs_grid_at(&op->grid, i, j), hs_grid_at(&op->grid, i, j - 1), g);
      hs_level_shares_count(g, &row);
    }
    n += row.free;
    xs += row.x_semi;
    ys += row.y_semi;
    xg += row.x_segment;
    yg += row.y_segment;
  }
  *shares = (struct hs_level_shares){n, xs, ys, xg, yg};
  return HS_OK;
}

/* Row j of the weights: of nodes on lines between coarse nodes, or of those in the middle of four. */
static void interpolation_row(const struct hs_operator *op, float *const weight[4], int j, bool middle)
{
  const struct hs_grid *g = &op->grid;
  const int odd_y = op->coarsen_y && j % 2, next = (j + 1) % g->ny;
  const size_t here = hs_host_row(g, op->same, j), south = hs_host_row(g, op->same, j - 1);
  const size_t north = hs_host_row(g, op->same, j + 1), to = hs_grid_at(g, 0, j);
  const size_t south2 = j > 0 ? hs_host_row(g, op->same, j - 2) : south;
  const size_t below = hs_host_row(g, op->same_weights, j - 1), above = hs_host_row(g, op->same_weights, next);
  for (int i = 0; i < g->nx; i++) {
    const int odd_x = op->coarsen_x && i % 2;
    const size_t k = (size_t)i, east = (size_t)((i + 1) % g->nx);
    const size_t beside = g->periodic_x ? east : k + 1;
    const struct hs_line along_x = {here + k - 1, south + k - 1, here + beside, south + beside};
    const struct hs_line along_y = {south + k, south2 + k, north + k, here + k};
    double row[9];
    float w[4];
    if ((odd_x && odd_y) != middle) continue;
    hs_couplings_gather(&op->exact, here + k, south + k, row);
    if (!middle) hs_couplings_cut(&op->exact, here + k, south + k, north + k, odd_x, row);
    if (middle)
      hs_interpolation_middle(row, weight, to + k - 1, to + east, below + k, above + k, w);
    else
      hs_interpolation_line(&op->exact, row, odd_x ? &along_x : &along_y, odd_x, odd_y, w);
    for (int parent = 0; parent < 4; parent++) weight[parent][to + k] = w[parent];
  }
}

static void interpolation_fill(struct hs_operator *op, float *const weight[4])
{
  for (int middle = 0; middle <= 1; middle++) {
    HS_HOST_ROWS(op, j)
    if (!op->same_weights || op->same_weights[j + 1] == j) interpolation_row(op, weight, j, middle);
  }
}

/* Restriction gathers from the ghosts in the west and south: there, children of the first coarse nodes are found again. */
static void interpolation_ghosts(const struct hs_operator *op, float *const weight[4])
{
  const struct hs_grid *g = &op->grid;
  const bool west = g->periodic_x && g->nx % 2 == 0, south = g->periodic_y && g->ny % 2 == 0;
  for (int k = 0; k < 4; k++) {
    for (int j = 0; west && j < g->ny; j++) weight[k][hs_grid_at(g, -1, j)] = weight[k][hs_grid_at(g, g->nx - 1, j)];
    for (int i = -1; south && i < g->nx; i++) weight[k][hs_grid_at(g, i, -1)] = weight[k][hs_grid_at(g, i, g->ny - 1)];
  }
}

static hs_status interpolation_create(struct hs_operator *op, struct hs_error *err)
{
  const size_t values = hs_grid_values(&op->grid);
  float *weight[4];
  hs_status status = hs_host_same_weights(op, err);
  if (!status)
    status = hs_host_array((void **)&op->weights_memory, 4, &op->grid, sizeof(float), op->threads, op->same_weights,
                           "the levels of multigrid", err);
  if (status) return status;
  for (size_t k = 0; k < 4; k++) op->interpolation.weight[k] = weight[k] = op->weights_memory + k * values;
  interpolation_fill(op, weight);
  interpolation_ghosts(op, weight);
  hs_host_same_find(&op->grid, op->weights_memory, 4, op->coarsen_y ? 2 : 1, op->same_weights);
  return HS_OK;
}

struct hs_galerkin hs_host_galerkin(const struct hs_operator *fine, const struct hs_operator *coarse)
{
  const struct hs_galerkin product = {fine->grid,
                                      coarse->grid,
                                      fine->coarsen_x,
                                      fine->coarsen_y,
                                      fine->exact,
                                      {fine->interpolation.weight[0], fine->interpolation.weight[1],
                                       fine->interpolation.weight[2], fine->interpolation.weight[3]}};
  return product;
}

void hs_host_galerkin_node(const struct hs_galerkin *product, const struct hs_couplings_f64 *e, int i, int j)
{
  const size_t n = hs_grid_at(&product->coarse, i, j);
  double row[9];
  hs_galerkin_row(product, i, j, row);
  hs_host_galerkin_store(e, n, row);
}

/* Row j of the couplings as the cycle takes them, m, which lie so many values apart. */
static void couplings_round_row(const struct hs_operator *op, float *m, size_t values, int j)
{
  const struct hs_couplings_f64 *e = &op->exact;
  const size_t from = hs_host_row(&op->grid, op->same, j), to = hs_grid_at(&op->grid, 0, j);
  for (int i = -1; i <= op->grid.nx; i++) {
    const size_t n = from + (size_t)i;
    float *own = m + to + i;
    own[0] = (float)e->east[n];
    own[values] = (float)e->north[n];
    own[2 * values] = (float)e->northeast[n];
    own[3 * values] = (float)e->northwest[n];
    own[4 * values] = (float)e->sum[n];
  }
  if (j < 0 || j >= op->grid.ny) return;
  for (int i = 0; i < op->grid.nx; i++) {
    double g[9];
    hs_couplings_gather(e, from + (size_t)i, hs_host_row(&op->grid, op->same, j - 1) + (size_t)i, g);
    m[5 * values + to + (size_t)i] = (float)hs_couplings_inverse(g);
  }
}

static hs_status couplings_round(struct hs_operator *op, struct hs_error *err)
{
  const size_t values = hs_grid_values(&op->grid);
  float *m;
  hs_status status = hs_host_same_couplings(op, err);
  if (!status)
    status = hs_host_array((void **)&op->couplings_memory, 6, &op->grid, sizeof(float), op->threads, op->same_couplings,
                           "the levels of multigrid", err);
  if (status) return status;
  m = op->couplings_memory;
  op->couplings =
      (struct hs_couplings_f32){m, m + values, m + 2 * values, m + 3 * values, m + 4 * values, m + 5 * values};
#pragma omp parallel for schedule(static) num_threads(hs_host_threads_now(op)) if (op->threads > 1)
  for (int j = -1; j <= op->grid.ny; j++)
    if (!op->same_couplings || op->same_couplings[j + 1] == j) couplings_round_row(op, m, values, j);
  hs_host_same_find(&op->grid, m, 6, 1, op->same_couplings);
  return HS_OK;
}

hs_status hs_host_coarse_begin(struct hs_operator *op, bool x, bool y, struct hs_operator **result,
                               struct hs_error *err)
{
  struct hs_operator *coarse = NULL;
  hs_status status = hs_array_create((void **)&coarse, 1, sizeof *coarse, "the operators of multigrid", err);
  *result = NULL;
  if (status) return status;
  op->coarsen_x = x;
  op->coarsen_y = y;
  coarse->grid = op->grid;
  if (x) coarse->grid.nx = (op->grid.nx + 1) / 2;
  if (y) coarse->grid.ny = (op->grid.ny + 1) / 2;
  coarse->grid.pitch = (coarse->grid.nx + 3 + 15) / 16 * 16;
  coarse->own = (struct hs_rectangle){0, 0, coarse->grid.nx, coarse->grid.ny};
  coarse->singular = op->singular;
  coarse->threads_most = op->threads_most;
  coarse->threads = hs_host_threads(&coarse->grid, op->threads_most);
  coarse->repeats = op->repeats;
  status = interpolation_create(op, err);
  if (!status) status = hs_host_same_product(op, coarse, err);
  if (!status) status = hs_host_exact_create(coarse, err);
  if (status) {
    hs_host_destroy(coarse);
    return status;
  }
  *result = coarse;
  return HS_OK;
}

hs_status hs_host_coarse_end(struct hs_operator *coarse, struct hs_error *err)
{
  hs_host_exact_ghosts(coarse);
  return couplings_round(coarse, err);
}

hs_status hs_host_coarsen(struct hs_operator *op, bool x, bool y, bool *passes, struct hs_operator **result,
                          struct hs_error *err)
{
  struct hs_operator *coarse;
  struct hs_galerkin product;
  hs_status status = hs_host_coarse_begin(op, x, y, &coarse, err);
  (void)passes;
  *result = NULL;
  if (status) return status;
  product = hs_host_galerkin(op, coarse);
  HS_HOST_ROWS(coarse, j)
  for (int i = 0; i < coarse->grid.nx; i++) hs_host_galerkin_node(&product, &coarse->exact, i, j);
  status = hs_host_coarse_end(coarse, err);
  if (status)
    hs_host_destroy(coarse);
  else
    *result = coarse;
  return status;
}

hs_status hs_host_rows(struct hs_operator *op, double (*rows)[9], struct hs_error *err)
{
  (void)err;
  hs_host_exact_complete(op);
  for (int j = 0; j < op->grid.ny; j++)
    for (int i = 0; i < op->grid.nx; i++)
      hs_couplings_gather(&op->exact, hs_grid_at(&op->grid, i, j), hs_grid_at(&op->grid, i, j - 1),
                          rows[(size_t)j * (size_t)op->grid.nx + (size_t)i]);
  return HS_OK;
}

hs_status hs_host_invert(struct hs_operator *op, const double *inverse, struct hs_error *err)
{
  const size_t n = (size_t)op->grid.nx * (size_t)op->grid.ny;
  hs_status status;
  free(op->inverse);
  status = hs_array_create((void **)&op->inverse, n * n, sizeof *op->inverse, "the coarsest level of multigrid", err);
  if (!status) memcpy(op->inverse, inverse, n * n * sizeof *inverse);
  return status;
}
