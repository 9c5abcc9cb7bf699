/* Operators and vectors on the device: making and freeing. */
#include "backend/cuda/linear/linear.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char WHAT[] = "making the levels of multigrid";

/* --- the finest operator --------------------------------------------------------------------- */

/* Copies the table to the device. */
static hs_status table_fill(struct hs_operator *op, const struct hs_system *system, struct hs_error *err)
{
  const cudaStream_t stream = op->shared->stream;
  const size_t count = (size_t)system->table_size;
  cudaError_t code = op->system ? cudaStreamSynchronize(stream) : cudaSuccess; /* a copy may still be travelling */
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

/* The index in rows of `pitch` values on the device becomes the padded one. */
static hs_status index_take(struct hs_operator *op, const uint16_t *d_index, size_t pitch, struct hs_error *err)
{
  const struct hs_grid *g = &op->level.grid;
  const size_t size = sizeof *op->d_index;
  return hs_cuda_check(cudaMemcpy2DAsync(op->d_index + hs_grid_at(g, 0, 0), (size_t)g->pitch * size, d_index,
                                         pitch * size, (size_t)g->nx * size, (size_t)g->ny, cudaMemcpyDeviceToDevice,
                                         op->shared->stream),
                       WHAT, err);
}

/* A padded copy of the index of each node: from the sweeps' one, or else by way of one as it is, as the host's memory is read
 * fastest in one piece. */
static hs_status index_create(struct hs_operator *op, const struct hs_system *system,
                              const struct hs_cuda_state *sweeps, struct hs_error *err)
{
  const size_t size = sizeof *op->d_index, bytes = (size_t)system->nx * (size_t)system->ny * size;
  void *d_plain = NULL;
  hs_status status =
      hs_cuda_linear_array(op->shared, (void **)&op->d_index, hs_grid_values(&op->level.grid) * size, err);
  if (!status && sweeps && sweeps->d_index) {
    status = hs_cuda_check(cudaStreamSynchronize(sweeps->stream), WHAT, err);
    return status ? status : index_take(op, sweeps->d_index, (size_t)sweeps->device.pitch, err);
  }
  if (!status) status = hs_cuda_linear_brief(op->shared, &d_plain, bytes, err);
  if (!status)
    status = hs_cuda_check(cudaMemcpyAsync(d_plain, system->index, bytes, cudaMemcpyHostToDevice, op->shared->stream),
                           WHAT, err);
  if (!status) status = index_take(op, d_plain, (size_t)system->nx, err);
  hs_cuda_linear_free(op->shared, d_plain);
  return status;
}

static hs_status table_create(struct hs_operator *op, const struct hs_system *system,
                              const struct hs_cuda_state *sweeps, struct hs_error *err)
{
  const size_t count = (size_t)system->table_size, nodes = (size_t)system->nx * (size_t)system->ny;
  hs_status status = hs_array_create((void **)&op->balance, count, sizeof *op->balance, "multigrid", err);
  if (!status)
    status = hs_array_create((void **)&op->balance_single, count, sizeof *op->balance_single, "multigrid", err);
  if (!status) status = hs_cuda_linear_room(op->shared, (void **)&op->d_balance, count * sizeof *op->balance, err);
  if (!status)
    status = hs_cuda_linear_room(op->shared, (void **)&op->d_balance_single, count * sizeof *op->balance_single, err);
  if (!status && system->index) status = index_create(op, system, sweeps, err);
  if (!status && system->source_w_m)
    status = hs_cuda_linear_room(op->shared, (void **)&op->d_source_w_m, nodes * sizeof(double), err);
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

static hs_status update(struct hs_operator *op, const struct hs_system *system, bool couplings, struct hs_error *err)
{
  const hs_status status = table_fill(op, system, err);
  if (status || !couplings) return status;
  hs_cuda_settle(op);
  hs_cuda_weights_free(op);
  return HS_OK;
}

static hs_status create(const struct hs_system *system, const struct hs_backend_options *options,
                        const struct hs_backend_state *state, struct hs_operator **result, struct hs_error *err)
{
  struct hs_operator *op = NULL;
  hs_status status = hs_array_create((void **)&op, 1, sizeof *op, "multigrid", err);
  (void)options;
  *result = NULL;
  if (status) return status;
  op->owner = true;
  op->level.grid = hs_linear_grid(system, 32);
  op->level.own = hs_cuda_own_all(&op->level.grid);
  op->singular = system->singular && !system->storing;
  status = hs_cuda_linear_create(system, &op->level.grid, &op->shared, err);
  if (!status) status = table_create(op, system, state ? hs_cuda_state((struct hs_backend_state *)state) : NULL, err);
  if (status) {
    hs_cuda_operator_destroy(op);
    return status;
  }
  *result = op;
  return HS_OK;
}

static struct hs_grid grid_of(const struct hs_operator *op)
{
  return op->level.grid;
}

/* --- vectors --------------------------------------------------------------------------------- */

static void vector_destroy(struct hs_vector *v)
{
  if (!v) return;
  hs_cuda_linear_free(v->shared, v->d_values);
  free(v);
}

static size_t vector_bytes(const struct hs_vector *v)
{
  return hs_grid_values(&v->grid) * (v->single ? sizeof(float) : sizeof(double));
}

/* All of a small one, which takes less time. */
static cudaError_t ghosts_clear(const struct hs_vector *v)
{
  const size_t small = 1 << 20, bytes = vector_bytes(v);
  const cudaStream_t stream = v->shared->stream;
  return bytes < small ? cudaMemsetAsync(v->d_values, 0, bytes, stream)
                       : hs_kernel_mg_ghosts_clear(&v->grid, v->single, v->d_values, stream);
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
  status = hs_cuda_linear_room(op->shared, &v->d_values, vector_bytes(v), err);
  if (!status) status = hs_cuda_check(ghosts_clear(v), WHAT, err);
  if (status) {
    vector_destroy(v);
    return status;
  }
  *result = v;
  return HS_OK;
}

/* A vector in the host's memory, padded. The caller frees *copy. */
static hs_status vector_fetch(const struct hs_operator *op, const struct hs_vector *v, void **copy,
                              struct hs_error *err)
{
  const cudaStream_t stream = op->shared->stream;
  const hs_status status = hs_array_reserve(copy, vector_bytes(v), 1, "a copy of a vector", err);
  cudaError_t code;
  if (status) return status;
  code = cudaMemcpyAsync(*copy, v->d_values, vector_bytes(v), cudaMemcpyDeviceToHost, stream);
  if (code == cudaSuccess) code = cudaStreamSynchronize(stream);
  return hs_cuda_check(code, "fetching a vector", err);
}

static hs_status fetch(const struct hs_operator *op, const struct hs_vector *v, double *values, struct hs_error *err)
{
  void *copy = NULL;
  const hs_status status = vector_fetch(op, v, &copy, err);
  const int nx = op->system->nx, ny = status ? 0 : op->system->ny;
#pragma omp parallel for schedule(static) if (ny > 1 << 10)
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++) {
      const size_t n = hs_grid_at(&v->grid, i % v->grid.nx, j % v->grid.ny);
      values[(size_t)j * (size_t)nx + (size_t)i] = v->single ? (double)((float *)copy)[n] : ((double *)copy)[n];
    }
  free(copy);
  return status;
}

/* Values of a vector at the nodes of a list on the device. */
static cudaError_t gather(const struct hs_operator *op, const struct hs_vector *v, const int64_t *d_node, int64_t count,
                          double *d_values, double *values)
{
  const struct hs_device_system rows = {.nx = op->system->nx, .pitch = v->grid.pitch};
  const size_t origin = hs_grid_at(&v->grid, 0, 0);
  const void *field = v->single ? (const void *)(hs_cuda_single(v) + origin) : hs_cuda_double(v) + origin;
  const cudaStream_t stream = op->shared->stream;
  const cudaError_t code = hs_kernel_gather(&rows, v->single, field, d_node, count, d_values, stream);
  if (code != cudaSuccess) return code;
  return cudaMemcpyAsync(values, d_values, (size_t)count * sizeof *values, cudaMemcpyDeviceToHost, stream);
}

/* The list and what it asks for go by way of the device's memory. */
static hs_status pick(const struct hs_operator *op, const struct hs_vector *const v[HS_PICKED], const int64_t *node,
                      int64_t count, double *const values[HS_PICKED], struct hs_error *err)
{
  const struct hs_cuda_linear *shared = op->shared;
  const size_t bytes = (size_t)count * sizeof *node;
  void *d_node = NULL, *d_values = NULL;
  hs_status status = HS_OK;
  if (count == 0) return HS_OK;
  status = hs_cuda_linear_brief(shared, &d_node, bytes, err);
  if (!status) status = hs_cuda_linear_brief(shared, &d_values, bytes, err);
  if (!status) {
    cudaError_t code = cudaMemcpyAsync(d_node, node, bytes, cudaMemcpyHostToDevice, shared->stream);
    for (int k = 0; k < HS_PICKED && code == cudaSuccess; k++)
      code = gather(op, v[k], d_node, count, d_values, values[k]);
    if (code == cudaSuccess) code = cudaStreamSynchronize(shared->stream);
    status = hs_cuda_check(code, "picking values of vectors", err);
  }
  hs_cuda_linear_free(shared, d_values);
  hs_cuda_linear_free(shared, d_node);
  return status;
}

static hs_status load(const struct hs_operator *op, const double *values, struct hs_vector *v, struct hs_error *err)
{
  const cudaStream_t stream = op->shared->stream;
  void *copy = NULL;
  hs_status status = hs_array_create(&copy, vector_bytes(v), 1, "a copy of a vector", err);
  for (int j = 0; !status && j < v->grid.ny; j++)
    for (int i = 0; i < v->grid.nx; i++) {
      const double value = values[(size_t)j * (size_t)op->system->nx + (size_t)i];
      const size_t n = hs_grid_at(&v->grid, i, j);
      if (v->single)
        ((float *)copy)[n] = (float)value;
      else
        ((double *)copy)[n] = value;
    }
  if (!status) {
    cudaError_t code = cudaMemcpyAsync(v->d_values, copy, vector_bytes(v), cudaMemcpyHostToDevice, stream);
    if (code == cudaSuccess) code = hs_kernel_mg_ghosts(&v->grid, v->single, v->d_values, stream);
    if (code == cudaSuccess) code = cudaStreamSynchronize(stream);
    status = hs_cuda_check(code, "loading a vector", err);
  }
  free(copy);
  return status;
}

static hs_status clear(const struct hs_operator *op, struct hs_vector *v, struct hs_error *err)
{
  return hs_cuda_check(cudaMemsetAsync(v->d_values, 0, vector_bytes(v), op->shared->stream), "clearing a vector", err);
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
    .device = true,
    .create = create,
    .update = update,
    .destroy = hs_cuda_operator_destroy,
    .grid = grid_of,
    .shares = hs_cuda_level_shares,
    .coarsen = hs_cuda_coarsen,
    .weights = hs_cuda_weights,
    .rows = hs_cuda_rows,
    .invert = hs_cuda_invert,
    .settle = hs_cuda_settle,
    .vector_create = vector_create,
    .vector_destroy = vector_destroy,
    .fetch = fetch,
    .pick = pick,
    .load = load,
    .clear = clear,
    .copy = copy,
    .take = hs_cuda_take,
    .give = hs_cuda_give,
    .cycle_start = hs_cuda_cycle_start,
    .cycle_relax = hs_cuda_cycle_relax,
    .cycle_segments = hs_cuda_cycle_segments,
    .cycle_restrict = hs_cuda_cycle_restrict,
    .cycle_condense = hs_cuda_cycle_condense,
    .cycle_prolong = hs_cuda_cycle_prolong,
    .cycle_down = hs_cuda_cycle_down,
    .cycle_up = hs_cuda_cycle_up,
    .cycle_solve = hs_cuda_cycle_solve,
    .tail = hs_cuda_tail,
    .cycle_tail = hs_cuda_cycle_tail,
    .record = hs_cuda_record,
    .recorded = hs_cuda_recorded,
    .repeat = hs_cuda_repeat,
    .forget = hs_cuda_forget,
    .residual = hs_cuda_residual,
    .round = hs_cuda_round,
    .examine = hs_cuda_examine,
    .advance = hs_cuda_step_advance,
    .richardson = hs_cuda_richardson,
    .change = hs_cuda_change,
    .largest = hs_cuda_vector_largest,
};
