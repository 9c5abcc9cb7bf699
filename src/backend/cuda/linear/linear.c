/* Operators and vectors on the device: making and freeing. */
#include "backend/cuda/linear/linear.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char WHAT[] = "making the levels of multigrid";

hs_status hs_cuda_linear_array(const struct hs_cuda_linear *shared, void **array, size_t bytes, struct hs_error *err)
{
  size_t available = 0, total = 0;
  cudaError_t code = cudaMallocAsync(array, bytes, shared->stream);
  if (code == cudaSuccess) code = cudaMemsetAsync(*array, 0, bytes, shared->stream);
  if (code == cudaSuccess) return HS_OK;
  *array = NULL;
  if (code != cudaErrorMemoryAllocation) return hs_cuda_check(code, WHAT, err);
  (void)cudaGetLastError();
  (void)cudaMemGetInfo(&available, &total);
  return hs_error_set(
      err, HS_ERR_DEVICE,
      "the GPU has too little memory for multigrid: %.3g GB more are needed and %.3g of %.3g GB are free; "
      "use solver.method = chebyshev, a smaller grid, or the cpu backend",
      1e-9 * (double)bytes, 1e-9 * (double)available, 1e-9 * (double)total);
}

void hs_cuda_linear_free(const struct hs_cuda_linear *shared, void *array)
{
  if (array) (void)cudaFreeAsync(array, shared->stream);
}

/* --- what all levels share ------------------------------------------------------------------- */

static void shared_destroy(struct hs_cuda_linear *shared)
{
  if (!shared) return;
  if (shared->stream) {
    hs_cuda_linear_free(shared, shared->reduction.d_tally);
    hs_cuda_linear_free(shared, shared->reduction.d_arrived);
    hs_cuda_linear_free(shared, shared->d_shares);
    (void)cudaStreamSynchronize(shared->stream);
    (void)cudaStreamDestroy(shared->stream);
  }
  (void)cudaFreeHost(shared->tally);
  (void)cudaFreeHost(shared->shares);
  (void)cudaGetLastError();
  free(shared);
}

/* The pool keeps what is freed: levels are made anew for each step length. */
static hs_status pool_keep(struct hs_error *err)
{
  uint64_t threshold = UINT64_MAX;
  cudaMemPool_t pool;
  int device = 0;
  cudaError_t code = cudaGetDevice(&device);
  if (code == cudaSuccess) code = cudaDeviceGetDefaultMemPool(&pool, device);
  if (code == cudaSuccess) code = cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
  return hs_cuda_check(code, WHAT, err);
}

static hs_status shared_create(struct hs_cuda_linear **result, struct hs_error *err)
{
  struct hs_cuda_linear *s = NULL;
  hs_status status = hs_array_create((void **)&s, 1, sizeof *s, "multigrid", err);
  if (!status) status = pool_keep(err);
  if (!status) status = hs_cuda_check(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking), WHAT, err);
  if (!status) status = hs_cuda_linear_array(s, (void **)&s->reduction.d_tally, HS_TALLIES * sizeof *s->tally, err);
  if (!status) status = hs_cuda_linear_array(s, (void **)&s->reduction.d_arrived, sizeof(unsigned), err);
  if (!status) status = hs_cuda_linear_array(s, (void **)&s->d_shares, sizeof *s->d_shares, err);
  if (!status) status = hs_cuda_pinned((void **)&s->tally, sizeof *s->tally, err);
  if (!status) status = hs_cuda_pinned((void **)&s->shares, sizeof *s->shares, err);
  if (status) {
    shared_destroy(s);
    s = NULL;
  }
  *result = s;
  return status;
}

/* --- the finest operator --------------------------------------------------------------------- */

/* Copies the table to the device. */
static hs_status table_fill(struct hs_operator *op, const struct hs_system *system, struct hs_error *err)
{
  const cudaStream_t stream = op->shared->stream;
  const size_t count = (size_t)system->table_size;
  cudaError_t code = cudaStreamSynchronize(stream); /* the copy on the host may still be travelling */
  op->system = system;
  for (size_t k = 0; k < count; k++) {
    op->balance[k] = hs_balance_of_law(&system->law[k], hs_linear_storage(system, &system->law[k]));
    op->balance_single[k] = hs_balance_round(&op->balance[k]);
  }
  if (code == cudaSuccess)
    code = cudaMemcpyAsync(op->d_balance, op->balance, count * sizeof *op->balance, cudaMemcpyHostToDevice, stream);
  if (code == cudaSuccess)
    code = cudaMemcpyAsync(op->d_balance_single, op->balance_single, count * sizeof *op->balance_single,
                           cudaMemcpyHostToDevice, stream);
  return hs_cuda_check(code, WHAT, err);
}

static hs_status table_create(struct hs_operator *op, const struct hs_system *system, struct hs_error *err)
{
  const size_t count = (size_t)system->table_size, nodes = (size_t)system->nx * (size_t)system->ny;
  hs_status status = hs_array_create((void **)&op->balance, count, sizeof *op->balance, "multigrid", err);
  if (!status)
    status = hs_array_create((void **)&op->balance_single, count, sizeof *op->balance_single, "multigrid", err);
  if (!status) status = hs_cuda_linear_array(op->shared, (void **)&op->d_balance, count * sizeof *op->balance, err);
  if (!status)
    status = hs_cuda_linear_array(op->shared, (void **)&op->d_balance_single, count * sizeof *op->balance_single, err);
  if (!status && system->index)
    status = hs_cuda_linear_array(op->shared, (void **)&op->d_index, nodes * sizeof *op->d_index, err);
  if (!status && system->index)
    status = hs_cuda_check(cudaMemcpyAsync(op->d_index, system->index, nodes * sizeof *op->d_index,
                                           cudaMemcpyHostToDevice, op->shared->stream),
                           WHAT, err);
  if (!status && system->source_w_m)
    status = hs_cuda_linear_array(op->shared, (void **)&op->d_source_w_m, nodes * sizeof(double), err);
  if (!status && system->source_w_m)
    status = hs_cuda_check(cudaMemcpyAsync(op->d_source_w_m, system->source_w_m, nodes * sizeof(double),
                                           cudaMemcpyHostToDevice, op->shared->stream),
                           WHAT, err);
  if (status) return status;
  op->level.d_index = op->d_index;
  op->level.index_pitch = system->nx;
  op->level.d_balance = op->d_balance;
  op->level.d_balance_single = op->d_balance_single;
  op->level.d_source_w_m = op->d_source_w_m;
  return table_fill(op, system, err);
}

/* The five arrays of exact couplings, zeroed. */
static hs_status exact_create(struct hs_operator *op, struct hs_error *err)
{
  const size_t values = hs_grid_values(&op->level.grid);
  const hs_status status = hs_cuda_linear_array(op->shared, (void **)&op->d_exact, 5 * values * sizeof(double), err);
  double *m = op->d_exact;
  if (status) return status;
  op->level.exact = (struct hs_couplings_f64){m, m + values, m + 2 * values, m + 3 * values, m + 4 * values};
  return HS_OK;
}

static hs_status exact_ghosts(struct hs_operator *op, struct hs_error *err)
{
  double *const arrays[] = {op->level.exact.east, op->level.exact.north, op->level.exact.northeast,
                            op->level.exact.northwest, op->level.exact.sum};
  hs_status status = HS_OK;
  for (size_t k = 0; !status && k < sizeof arrays / sizeof *arrays; k++)
    status = hs_cuda_check(hs_kernel_mg_ghosts(&op->level.grid, false, arrays[k], op->shared->stream), WHAT, err);
  return status;
}

static void settle(struct hs_operator *op)
{
  hs_cuda_linear_free(op->shared, op->d_exact);
  op->d_exact = NULL;
}

static void destroy(struct hs_operator *op)
{
  if (!op) return;
  if (op->shared) {
    settle(op);
    hs_cuda_linear_free(op->shared, op->d_index);
    hs_cuda_linear_free(op->shared, op->d_balance);
    hs_cuda_linear_free(op->shared, op->d_balance_single);
    hs_cuda_linear_free(op->shared, op->d_source_w_m);
    hs_cuda_linear_free(op->shared, op->d_couplings);
    hs_cuda_linear_free(op->shared, op->d_weights);
    hs_cuda_linear_free(op->shared, op->d_inverse);
    (void)cudaStreamSynchronize(op->shared->stream);
    if (op->owner) shared_destroy(op->shared);
  }
  free(op->balance);
  free(op->balance_single);
  free(op);
}

/* From the table: the exact couplings, from which the next coarser operator is made. */
static hs_status exact_fill(struct hs_operator *op, struct hs_error *err)
{
  hs_status status = exact_create(op, err);
  if (!status) status = hs_cuda_check(hs_kernel_mg_spread(&op->level, op->shared->stream), WHAT, err);
  return status ? status : exact_ghosts(op, err);
}

static hs_status update(struct hs_operator *op, const struct hs_system *system, bool couplings, struct hs_error *err)
{
  const hs_status status = table_fill(op, system, err);
  if (status || !couplings) return status;
  settle(op);
  hs_cuda_linear_free(op->shared, op->d_weights);
  op->d_weights = NULL;
  return exact_fill(op, err);
}

static hs_status create(const struct hs_system *system, const struct hs_backend_options *options,
                        struct hs_operator **result, struct hs_error *err)
{
  struct hs_operator *op = NULL;
  hs_status status = hs_array_create((void **)&op, 1, sizeof *op, "multigrid", err);
  (void)options;
  *result = NULL;
  if (status) return status;
  op->owner = true;
  op->level.grid = hs_linear_grid(system, 32);
  op->singular = system->singular && !system->storing;
  status = shared_create(&op->shared, err);
  if (!status) status = table_create(op, system, err);
  if (!status) status = exact_fill(op, err);
  if (status) {
    destroy(op);
    return status;
  }
  *result = op;
  return HS_OK;
}

static struct hs_grid grid_of(const struct hs_operator *op)
{
  return op->level.grid;
}

/* --- coarser operators ----------------------------------------------------------------------- */

static hs_status shares_take(struct hs_operator *op, struct hs_level_shares *shares, struct hs_error *err)
{
  struct hs_cuda_linear *s = op->shared;
  cudaError_t code = hs_kernel_mg_shares(&op->level, s->d_shares, s->stream);
  if (code == cudaSuccess)
    code = cudaMemcpyAsync(s->shares, s->d_shares, sizeof *shares, cudaMemcpyDeviceToHost, s->stream);
  if (code == cudaSuccess) code = cudaStreamSynchronize(s->stream);
  *shares = *s->shares;
  return hs_cuda_check(code, WHAT, err);
}

static hs_status interpolation_create(struct hs_operator *op, struct hs_error *err)
{
  const size_t values = hs_grid_values(&op->level.grid);
  const hs_status status = hs_cuda_linear_array(op->shared, (void **)&op->d_weights, 4 * values * sizeof(float), err);
  if (status) return status;
  for (size_t k = 0; k < 4; k++) op->level.interpolation.weight[k] = op->d_weights + k * values;
  return hs_cuda_check(hs_kernel_mg_interpolate(&op->level, op->d_weights, op->shared->stream), WHAT, err);
}

static hs_status couplings_create(struct hs_operator *op, struct hs_error *err)
{
  const size_t values = hs_grid_values(&op->level.grid);
  const hs_status status = hs_cuda_linear_array(op->shared, (void **)&op->d_couplings, 6 * values * sizeof(float), err);
  const float *m = op->d_couplings;
  if (status) return status;
  op->level.couplings =
      (struct hs_couplings_f32){m, m + values, m + 2 * values, m + 3 * values, m + 4 * values, m + 5 * values};
  return hs_cuda_check(hs_kernel_mg_round_couplings(&op->level, op->d_couplings, op->shared->stream), WHAT, err);
}

static hs_status coarsen(struct hs_operator *op, bool x, bool y, struct hs_operator **result, struct hs_error *err)
{
  struct hs_operator *coarse = NULL;
  hs_status status = hs_array_create((void **)&coarse, 1, sizeof *coarse, "multigrid", err);
  *result = NULL;
  if (status) return status;
  op->level.coarsen_x = x;
  op->level.coarsen_y = y;
  coarse->shared = op->shared;
  coarse->level.grid = op->level.grid;
  if (x) coarse->level.grid.nx = (op->level.grid.nx + 1) / 2;
  if (y) coarse->level.grid.ny = (op->level.grid.ny + 1) / 2;
  coarse->level.grid.pitch = (coarse->level.grid.nx + 2 + 31) / 32 * 32;
  coarse->singular = op->singular;
  status = interpolation_create(op, err);
  if (!status) status = exact_create(coarse, err);
  if (!status) status = hs_cuda_check(hs_kernel_mg_galerkin(&op->level, &coarse->level, op->shared->stream), WHAT, err);
  if (!status) status = exact_ghosts(coarse, err);
  if (!status) status = couplings_create(coarse, err);
  if (status) {
    destroy(coarse);
    return status;
  }
  *result = coarse;
  return HS_OK;
}

static hs_status rows_fetch(struct hs_operator *op, double (*rows)[9], struct hs_error *err)
{
  const size_t values = hs_grid_values(&op->level.grid);
  double *m = NULL;
  struct hs_couplings_f64 exact;
  cudaError_t code;
  hs_status status = hs_array_create((void **)&m, 5 * values, sizeof *m, "the coarsest level of multigrid", err);
  if (status) return status;
  code = cudaMemcpyAsync(m, op->d_exact, 5 * values * sizeof *m, cudaMemcpyDeviceToHost, op->shared->stream);
  if (code == cudaSuccess) code = cudaStreamSynchronize(op->shared->stream);
  exact = (struct hs_couplings_f64){m, m + values, m + 2 * values, m + 3 * values, m + 4 * values};
  for (int j = 0; j < op->level.grid.ny; j++)
    for (int i = 0; i < op->level.grid.nx; i++)
      hs_couplings_gather(&exact, hs_grid_at(&op->level.grid, i, j), (size_t)op->level.grid.pitch,
                          rows[(size_t)j * (size_t)op->level.grid.nx + (size_t)i]);
  free(m);
  return hs_cuda_check(code, WHAT, err);
}

static hs_status invert(struct hs_operator *op, const double *inverse, struct hs_error *err)
{
  const size_t n = (size_t)op->level.grid.nx * (size_t)op->level.grid.ny, bytes = n * n * sizeof *inverse;
  hs_status status;
  hs_cuda_linear_free(op->shared, op->d_inverse);
  status = hs_cuda_linear_array(op->shared, (void **)&op->d_inverse, bytes, err);
  if (!status)
    status = hs_cuda_check(cudaMemcpyAsync(op->d_inverse, inverse, bytes, cudaMemcpyHostToDevice, op->shared->stream),
                           WHAT, err);
  if (!status) status = hs_cuda_check(cudaStreamSynchronize(op->shared->stream), WHAT, err);
  op->level.d_inverse = op->d_inverse;
  return status;
}

/* --- vectors --------------------------------------------------------------------------------- */

static void vector_destroy(struct hs_vector *v)
{
  if (!v) return;
  hs_cuda_linear_free(v->shared, v->d_values);
  free(v);
}

static hs_status vector_create(const struct hs_operator *op, bool single, struct hs_vector **result,
                               struct hs_error *err)
{
  struct hs_vector *v = NULL;
  hs_status status = hs_array_create((void **)&v, 1, sizeof *v, "multigrid", err);
  *result = NULL;
  if (status) return status;
  v->shared = op->shared;
  v->grid = op->level.grid;
  v->single = single;
  status = hs_cuda_linear_array(op->shared, &v->d_values,
                                hs_grid_values(&v->grid) * (single ? sizeof(float) : sizeof(double)), err);
  if (status) {
    vector_destroy(v);
    return status;
  }
  *result = v;
  return HS_OK;
}

static hs_status copy(const struct hs_operator *op, const struct hs_vector *from, struct hs_vector *to,
                      struct hs_error *err)
{
  const size_t bytes = hs_grid_values(&from->grid) * (from->single ? sizeof(float) : sizeof(double));
  return hs_cuda_check(
      cudaMemcpyAsync(to->d_values, from->d_values, bytes, cudaMemcpyDeviceToDevice, op->shared->stream),
      "copying a vector", err);
}

const struct hs_linear hs_linear_cuda = {
    .create = create,
    .update = update,
    .destroy = destroy,
    .grid = grid_of,
    .shares = shares_take,
    .coarsen = coarsen,
    .rows = rows_fetch,
    .invert = invert,
    .settle = settle,
    .vector_create = vector_create,
    .vector_destroy = vector_destroy,
    .copy = copy,
    .take = hs_cuda_take,
    .give = hs_cuda_give,
    .cycle_start = hs_cuda_cycle_start,
    .cycle_relax = hs_cuda_cycle_relax,
    .cycle_segments = hs_cuda_cycle_segments,
    .cycle_restrict = hs_cuda_cycle_restrict,
    .cycle_prolong = hs_cuda_cycle_prolong,
    .cycle_solve = hs_cuda_cycle_solve,
    .record = hs_cuda_record,
    .recorded = hs_cuda_recorded,
    .repeat = hs_cuda_repeat,
    .forget = hs_cuda_forget,
    .residual = hs_cuda_residual,
    .round = hs_cuda_round,
    .examine = hs_cuda_examine,
    .direct = hs_cuda_direct,
    .advance = hs_cuda_step_advance,
    .largest = hs_cuda_vector_largest,
};
