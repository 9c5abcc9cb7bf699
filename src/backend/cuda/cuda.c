/* Norms, copies and distances, and the tables of cuda-global and cuda-shared, which differ in their sweep kernels only. */
#include <string.h>

#include "backend/cuda/state.h"

int hs_cuda_sweeps_per_call(const struct hs_backend_state *backend)
{
  const struct hs_cuda_state *state = hs_cuda_state(backend);
  enum { MOST = 1024 }; /* longer passes are of small grids */
  const struct hs_cuda_pass *pass = &state->pass;
  return hs_cuda_passes_apply(state) && pass->longest < MOST ? (int)pass->longest + 1 : 1;
}

/* Norms of `batches` sets of slots back to the host; waits for the device. */
static hs_status norms_collect(struct hs_cuda_state *state, int batches, bool full, struct hs_norms *norms,
                               struct hs_error *err)
{
  const size_t bytes = (size_t)batches * sizeof *norms;
  hs_status status = hs_cuda_check(
      hs_kernel_collect(state->d_control, state->d_slots, batches, full, state->d_norms, state->stream), "norms", err);
  if (!status)
    status = hs_cuda_check(cudaMemcpyAsync(state->norms, state->d_norms, bytes, cudaMemcpyDeviceToHost, state->stream),
                           "norms", err);
  if (!status) status = hs_cuda_check(cudaStreamSynchronize(state->stream), "norms", err);
  if (!status) memcpy(norms, state->norms, bytes);
  return status;
}

static hs_status norms_begin(struct hs_cuda_state *state, int batches, const struct hs_bounds *bounds,
                             struct hs_error *err)
{
  return hs_cuda_check(hs_kernel_begin(state->d_control, state->d_slots, batches, *bounds, state->stream), "norms",
                       err);
}

hs_status hs_cuda_sweep_normed(struct hs_backend_state *backend, int64_t n, const struct hs_bounds *bounds,
                               struct hs_norms *norms, struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  hs_status status = HS_OK;
  for (int64_t done = 0; !status && done < n; done += HS_NORM_BATCH) {
    const int batch = n - done < HS_NORM_BATCH ? (int)(n - done) : HS_NORM_BATCH;
    status = norms_begin(state, batch, bounds, err);
    if (!status) status = hs_cuda_check(hs_cuda_steps_enqueue(state, batch), "sweeping", err);
    for (int k = 0; !status && k < batch; k++) {
      status = hs_cuda_check(
          hs_cuda_sweep_enqueue(state, state->now, state->before, k, state->d_slots + (size_t)k * HS_NORM_SLOTS, NULL),
          "sweeping", err);
      hs_cuda_exchange(state);
    }
    if (!status) status = norms_collect(state, batch, false, norms + done, err);
  }
  return status;
}

hs_status hs_cuda_norms(struct hs_backend_state *backend, const struct hs_bounds *bounds, struct hs_norms *norms,
                        struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  hs_status status = norms_begin(state, 1, bounds, err);
  if (!status)
    status = hs_cuda_check(hs_kernel_norms(&state->device, state->single, hs_cuda_origin(state, state->now),
                                           hs_cuda_origin(state, state->before), state->d_slots, state->d_control, NULL,
                                           state->stream),
                           "norms", err);
  return status ? status : norms_collect(state, 1, true, norms, err);
}

static hs_status field_copy(struct hs_cuda_state *state, int from, int to, struct hs_error *err)
{
  return hs_cuda_check(
      hs_kernel_copy(state->d_field[from], state->d_field[to], state->field_bytes, NULL, state->stream), "a copy", err);
}

hs_status hs_cuda_save(struct hs_backend_state *backend, struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  return field_copy(state, state->now, state->saved, err);
}

hs_status hs_cuda_restore(struct hs_backend_state *backend, struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  return field_copy(state, state->saved, state->now, err);
}

/* The present field's distance from another one; from: its origin, or NULL for a field of zeros. */
static hs_status distance_from(struct hs_cuda_state *state, const void *from, double *distance_k, struct hs_error *err)
{
  const struct hs_bounds unscaled = {0.0, 0.0};
  struct hs_norms norms;
  hs_status status = norms_begin(state, 1, &unscaled, err);
  if (!status)
    status = hs_cuda_check(hs_kernel_distance(&state->device, state->single, hs_cuda_origin(state, state->now), from,
                                              state->d_slots, state->stream),
                           "a distance", err);
  if (!status) status = norms_collect(state, 1, false, &norms, err);
  if (!status) *distance_k = norms.update_max;
  return status;
}

hs_status hs_cuda_distance(struct hs_backend_state *backend, double *distance_k, struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  return distance_from(state, hs_cuda_origin(state, state->saved), distance_k, err);
}

hs_status hs_cuda_largest(struct hs_backend_state *backend, double *largest_k, struct hs_error *err)
{
  return distance_from(hs_cuda_state(backend), NULL, largest_k, err);
}

/* --- cuda-global and cuda-shared ------------------------------------------------------------- */

static struct hs_backend_cost global_cost(const struct hs_system *system, const struct hs_backend_options *options)
{
  return hs_cuda_cost("cuda-global", HS_CUDA_LIMIT_MEMORY, system, options, 1.5e-6, 0.95);
}

static struct hs_backend_cost shared_cost(const struct hs_system *system, const struct hs_backend_options *options)
{
  return hs_cuda_cost("cuda-shared", HS_CUDA_LIMIT_MEMORY, system, options, 5.0e-6, 0.85);
}

static hs_status global_create(const struct hs_system *system, const struct hs_backend_options *options,
                               struct hs_backend_state **backend, struct hs_error *err)
{
  return hs_cuda_create(system, options, hs_kernel_sweep_global, backend, err);
}

static hs_status shared_create(const struct hs_system *system, const struct hs_backend_options *options,
                               struct hs_backend_state **backend, struct hs_error *err)
{
  return hs_cuda_create(system, options, hs_kernel_sweep_shared, backend, err);
}

const struct hs_backend hs_backend_cuda_global = {
    .name = "cuda-global",
    .summary = "one sweep at a time from the GPU's memory",
    .probe = hs_cuda_probe,
    .cost = global_cost,
    .create = global_create,
    HS_CUDA_OPERATIONS,
};

const struct hs_backend hs_backend_cuda_shared = {
    .name = "cuda-shared",
    .summary = "one sweep at a time by tiles in shared memory",
    .probe = hs_cuda_probe,
    .cost = shared_cost,
    .create = shared_create,
    HS_CUDA_OPERATIONS,
};
