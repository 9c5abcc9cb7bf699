/* The making of coarser operators on the device. */
#include <stdlib.h>

#include "backend/cuda/linear/linear.h"
#include "base/memory.h"

static const char WHAT[] = "making the levels of multigrid";

/* All that have been counted come at once, so that one wait is enough for operators of many levels. */
static cudaError_t shares_fetch(struct hs_cuda_linear *s)
{
  cudaError_t code =
      cudaMemcpyAsync(s->shares, s->d_shares, HS_CUDA_SHARES * sizeof *s->shares, cudaMemcpyDeviceToHost, s->stream);
  if (code == cudaSuccess) code = cudaStreamSynchronize(s->stream);
  return code;
}

hs_status hs_cuda_level_shares(struct hs_operator *op, struct hs_level_shares *shares, struct hs_error *err)
{
  struct hs_cuda_linear *s = op->shared;
  cudaError_t code = op->counted ? cudaSuccess : hs_kernel_mg_shares(&op->level, s->d_shares, s->stream);
  if (code == cudaSuccess && !(op->counted && op->depth < s->told)) {
    code = shares_fetch(s);
    s->told = HS_CUDA_SHARES;
  }
  *shares = s->shares[op->counted ? op->depth : 0];
  return hs_cuda_check(code, WHAT, err);
}

/* Passes and tails need an open grid that is coarsened in both directions. */
static bool cells_possible(const struct hs_device_level *level)
{
  return level->coarsen_x && level->coarsen_y && !level->grid.periodic_x && !level->grid.periodic_y;
}

/* The weights of all nodes, which single operations take. */
static hs_status weights_create(struct hs_operator *op, struct hs_error *err)
{
  const size_t values = hs_grid_values(&op->level.grid);
  hs_status status = hs_cuda_exact_need(op, err);
  if (!status) status = hs_cuda_linear_array(op->shared, (void **)&op->d_weights, 4 * values * sizeof(float), err);
  if (status) return status;
  for (size_t k = 0; k < 4; k++) op->level.interpolation.weight[k] = op->d_weights + k * values;
  return hs_cuda_check(hs_kernel_mg_interpolate(&op->level, op->d_weights, op->shared->stream), WHAT, err);
}

/* From the weights of all nodes. */
static hs_status product_of_nodes(struct hs_operator *op, struct hs_operator *coarse, struct hs_error *err)
{
  cudaError_t code = hs_kernel_mg_rim_clear(&coarse->level.grid, coarse->d_exact, NULL, op->shared->stream);
  if (code == cudaSuccess) code = hs_kernel_mg_galerkin(&op->level, &coarse->level, op->shared->stream);
  return hs_cuda_check(code, WHAT, err);
}

/* In one pass, with weights by coarse nodes. */
static hs_status product_of_tiles(struct hs_operator *op, struct hs_operator *coarse, struct hs_error *err)
{
  const size_t values = hs_grid_values(&coarse->level.grid);
  const cudaStream_t stream = op->shared->stream;
  const hs_status status = hs_cuda_linear_room(op->shared, (void **)&op->d_cells, 8 * values * sizeof(float), err);
  cudaError_t code;
  if (status) return status;
  coarse->level.d_tiles = (uint8_t *)coarse->d_exact + hs_cuda_exact_bytes(coarse);
  op->level.parents = (struct hs_device_parents){op->d_cells, op->d_cells + 2 * values, op->d_cells + 4 * values};
  code = hs_kernel_mg_rim_clear(&coarse->level.grid, coarse->d_exact, op->d_cells, stream);
  if (code == cudaSuccess) code = hs_kernel_mg_product(&op->level, &coarse->level, stream);
  return hs_cuda_check(code, WHAT, err);
}

hs_status hs_cuda_couplings_create(struct hs_operator *op, struct hs_error *err)
{
  const size_t values = hs_grid_values(&op->level.grid);
  const hs_status status = hs_cuda_linear_room(op->shared, (void **)&op->d_couplings, 6 * values * sizeof(float), err);
  const float *m = op->d_couplings;
  const int place = op->depth < HS_CUDA_SHARES ? op->depth : 0;
  if (status) return status;
  op->counted = place > 0;
  if (op->shared->told > place) op->shared->told = place;
  op->level.couplings =
      (struct hs_couplings_f32){m, m + values, m + 2 * values, m + 3 * values, m + 4 * values, m + 5 * values};
  return hs_cuda_check(
      hs_kernel_mg_round_couplings(&op->level, op->d_couplings, op->shared->d_shares + place, op->shared->stream), WHAT,
      err);
}

/* Which rows of a large level passes need not read again. */
static hs_status alike_create(struct hs_operator *op, const struct hs_operator *coarse, struct hs_error *err)
{
  struct hs_device_alike *alike = &op->level.alike;
  const size_t groups = (size_t)hs_device_alike_groups(&op->level.grid);
  const bool has_rows = op->level.d_index || op->d_couplings;
  size_t rows;
  hs_status status;
  if (!hs_device_has_strips(&op->level)) return HS_OK;
  alike->row_words = has_rows ? (op->level.grid.ny + 31) / 32 : 0;
  alike->cell_words = (coarse->level.grid.ny + 31) / 32;
  rows = groups * (size_t)alike->row_words;
  status = hs_cuda_linear_room(op->shared, (void **)&op->d_alike,
                               (rows + groups * (size_t)alike->cell_words) * sizeof *op->d_alike, err);
  if (status) return status;
  alike->d_rows = has_rows ? op->d_alike : NULL;
  alike->d_cells = op->d_alike + rows;
  return hs_cuda_check(
      hs_kernel_mg_alike(&op->level, &coarse->level, op->d_alike, op->d_alike + rows, op->shared->stream), WHAT, err);
}

/* The exact coarser operator, and the weights in the order of what reads them: single operations or passes. A small level
 * without passes has both, as whether a tail takes it is not known before the coarsest level is. */
static hs_status product(struct hs_operator *op, struct hs_operator *coarse, bool *passes, struct hs_error *err)
{
  const bool possible = cells_possible(&op->level), cells = possible && (*passes || hs_cuda_suits_tail(op));
  hs_status status = HS_OK;
  *passes = *passes && possible;
  if (!*passes) status = weights_create(op, err);
  if (status) return status;
  return cells ? product_of_tiles(op, coarse, err) : product_of_nodes(op, coarse, err);
}

hs_status hs_cuda_weights(struct hs_operator *op, struct hs_error *err)
{
  const hs_status status = weights_create(op, err);
  if (!status && !hs_cuda_suits_tail(op)) hs_cuda_cells_free(op);
  return status;
}

hs_status hs_cuda_coarsen(struct hs_operator *op, bool x, bool y, bool *passes, struct hs_operator **result,
                          struct hs_error *err)
{
  struct hs_operator *coarse = NULL;
  hs_status status = hs_array_create((void **)&coarse, 1, sizeof *coarse, "multigrid", err);
  *result = NULL;
  if (status) return status;
  hs_cuda_weights_free(op);
  op->level.coarsen_x = x;
  op->level.coarsen_y = y;
  coarse->shared = op->shared;
  coarse->depth = op->depth + 1;
  coarse->level.grid = op->level.grid;
  if (x) coarse->level.grid.nx = (op->level.grid.nx + 1) / 2;
  if (y) coarse->level.grid.ny = (op->level.grid.ny + 1) / 2;
  coarse->level.grid.pitch = hs_cuda_pitch(coarse->level.grid.nx);
  coarse->level.own = hs_cuda_own_all(&coarse->level.grid);
  coarse->singular = op->singular;
  status = hs_cuda_exact_room(coarse, err);
  if (!status) status = product(op, coarse, passes, err);
  if (!status) status = hs_cuda_exact_ghosts(coarse, err);
  if (!status) status = hs_cuda_couplings_create(coarse, err);
  if (!status && *passes) status = alike_create(op, coarse, err);
  if (status) {
    hs_cuda_operator_destroy(coarse);
    return status;
  }
  *result = coarse;
  return HS_OK;
}

hs_status hs_cuda_rows(struct hs_operator *op, double (*rows)[9], struct hs_error *err)
{
  const size_t bytes = hs_cuda_exact_bytes(op);
  double *m = NULL;
  struct hs_couplings_f64 exact;
  cudaError_t code;
  hs_status status = hs_cuda_exact_need(op, err);
  if (!status) status = hs_array_create((void **)&m, 1, bytes, "the coarsest level of multigrid", err);
  if (status) return status;
  code = cudaMemcpyAsync(m, op->d_exact, bytes, cudaMemcpyDeviceToHost, op->shared->stream);
  if (code == cudaSuccess) code = cudaStreamSynchronize(op->shared->stream);
  exact = hs_cuda_exact_arrays(op, m);
  for (int j = 0; j < op->level.grid.ny; j++)
    for (int i = 0; i < op->level.grid.nx; i++)
      hs_couplings_gather(&exact, hs_grid_at(&op->level.grid, i, j), hs_grid_at(&op->level.grid, i, j - 1),
                          rows[(size_t)j * (size_t)op->level.grid.nx + (size_t)i]);
  free(m);
  return hs_cuda_check(code, WHAT, err);
}

hs_status hs_cuda_invert(struct hs_operator *op, const double *inverse, struct hs_error *err)
{
  const size_t n = (size_t)op->level.grid.nx * (size_t)op->level.grid.ny, bytes = n * n * sizeof *inverse;
  double *columns = NULL;
  hs_status status = hs_array_create((void **)&columns, n * n, sizeof *columns, WHAT, err);
  hs_cuda_linear_free(op->shared, op->d_inverse);
  op->d_inverse = NULL;
  for (size_t k = 0; !status && k < n * n; k++) columns[k % n * n + k / n] = inverse[k];
  if (!status) status = hs_cuda_linear_room(op->shared, (void **)&op->d_inverse, bytes, err);
  if (!status)
    status = hs_cuda_check(cudaMemcpyAsync(op->d_inverse, columns, bytes, cudaMemcpyHostToDevice, op->shared->stream),
                           WHAT, err);
  if (!status) status = hs_cuda_check(cudaStreamSynchronize(op->shared->stream), WHAT, err);
  free(columns);
  op->level.d_inverse = op->d_inverse;
  return status;
}
