/* Operators on the device: their memory, and the end of it. */
#include <stdlib.h>

#include "backend/cuda/linear/linear.h"

static const char WHAT[] = "making the levels of multigrid";

struct hs_couplings_f64 hs_cuda_exact_arrays(const struct hs_operator *op, double *m)
{
  const size_t values = hs_grid_values(&op->level.grid);
  if (op->d_balance) return (struct hs_couplings_f64){m, m + values, NULL, NULL, m + 2 * values};
  return (struct hs_couplings_f64){m, m + values, m + 3 * values, m + 4 * values, m + 2 * values};
}

size_t hs_cuda_exact_bytes(const struct hs_operator *op)
{
  return (op->d_balance ? 3 : 5) * hs_grid_values(&op->level.grid) * sizeof(double);
}

hs_status hs_cuda_exact_create(struct hs_operator *op, struct hs_error *err)
{
  const size_t bytes = hs_cuda_exact_bytes(op);
  const hs_status status = hs_cuda_linear_brief(op->shared, (void **)&op->d_exact, bytes, err);
  if (status) return status;
  op->level.exact = hs_cuda_exact_arrays(op, op->d_exact);
  return hs_cuda_check(cudaMemsetAsync(op->d_exact, 0, bytes, op->shared->stream), WHAT, err);
}

hs_status hs_cuda_exact_room(struct hs_operator *op, struct hs_error *err)
{
  const struct hs_tiles tiles = hs_device_tiles(&op->level.grid);
  const hs_status status = hs_cuda_linear_brief(op->shared, (void **)&op->d_exact,
                                                hs_cuda_exact_bytes(op) + (size_t)tiles.nx * (size_t)tiles.ny, err);
  if (status) return status;
  op->level.exact = hs_cuda_exact_arrays(op, op->d_exact);
  return HS_OK;
}

hs_status hs_cuda_exact_ghosts(struct hs_operator *op, struct hs_error *err)
{
  double *const arrays[] = {op->level.exact.east, op->level.exact.north, op->level.exact.northeast,
                            op->level.exact.northwest, op->level.exact.sum};
  hs_status status = HS_OK;
  for (size_t k = 0; !status && k < sizeof arrays / sizeof *arrays; k++)
    if (arrays[k])
      status = hs_cuda_check(hs_kernel_mg_ghosts(&op->level.grid, false, arrays[k], op->shared->stream), WHAT, err);
  return status;
}

hs_status hs_cuda_exact_need(struct hs_operator *op, struct hs_error *err)
{
  hs_status status;
  if (op->d_exact) return HS_OK;
  status = hs_cuda_linear_brief(op->shared, (void **)&op->d_exact, hs_cuda_exact_bytes(op), err);
  if (status) return status;
  op->level.exact = hs_cuda_exact_arrays(op, op->d_exact);
  status = hs_cuda_check(hs_kernel_mg_spread(&op->level, op->shared->stream), WHAT, err);
  return status ? status : hs_cuda_exact_ghosts(op, err);
}

void hs_cuda_settle(struct hs_operator *op)
{
  hs_cuda_linear_free(op->shared, op->d_exact);
  op->d_exact = NULL;
  op->level.d_tiles = NULL;
}

void hs_cuda_cells_free(struct hs_operator *op)
{
  hs_cuda_linear_free(op->shared, op->d_cells);
  hs_cuda_linear_free(op->shared, op->d_alike);
  op->d_cells = NULL;
  op->d_alike = NULL;
  op->level.alike = (struct hs_device_alike){.d_rows = NULL};
}

void hs_cuda_weights_free(struct hs_operator *op)
{
  hs_cuda_linear_free(op->shared, op->d_weights);
  op->d_weights = NULL;
  hs_cuda_cells_free(op);
}

void hs_cuda_operator_destroy(struct hs_operator *op)
{
  if (!op) return;
  if (op->shared) {
    hs_cuda_settle(op);
    hs_cuda_linear_free(op->shared, op->d_index);
    hs_cuda_linear_free(op->shared, op->d_balance);
    hs_cuda_linear_free(op->shared, op->d_balance_single);
    hs_cuda_linear_free(op->shared, op->d_source_w_m);
    hs_cuda_weights_free(op);
    hs_cuda_linear_free(op->shared, op->d_couplings);
    hs_cuda_linear_free(op->shared, op->d_inverse);
    (void)cudaStreamSynchronize(op->shared->stream);
    if (op->owner) hs_cuda_linear_destroy(op->shared);
  }
  free(op->balance);
  free(op->balance_single);
  free(op);
}
