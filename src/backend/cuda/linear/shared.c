/* What the operators of all levels share: a stream, memory, and what reductions leave. */
#include <stdlib.h>

#include "backend/cuda/linear/linear.h"
#include "base/memory.h"

static const char WHAT[] = "making the levels of multigrid";

/* --- memory ---------------------------------------------------------------------------------- */

static hs_status pool_room(const struct hs_cuda_linear *shared, void **array, size_t bytes, struct hs_error *err)
{
  size_t available = 0, total = 0;
  const cudaError_t code = cudaMallocAsync(array, bytes, shared->stream);
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

hs_status hs_cuda_linear_room(const struct hs_cuda_linear *shared, void **array, size_t bytes, struct hs_error *err)
{
  *array = hs_cuda_store_take(shared->store, bytes, false);
  return *array ? HS_OK : pool_room(shared, array, bytes, err);
}

hs_status hs_cuda_linear_brief(const struct hs_cuda_linear *shared, void **array, size_t bytes, struct hs_error *err)
{
  *array = hs_cuda_store_take(shared->store, bytes, true);
  return *array ? HS_OK : pool_room(shared, array, bytes, err);
}

hs_status hs_cuda_linear_array(const struct hs_cuda_linear *shared, void **array, size_t bytes, struct hs_error *err)
{
  const hs_status status = hs_cuda_linear_room(shared, array, bytes, err);
  return status ? status : hs_cuda_check(cudaMemsetAsync(*array, 0, bytes, shared->stream), WHAT, err);
}

void hs_cuda_linear_free(const struct hs_cuda_linear *shared, void *array)
{
  if (array && !hs_cuda_store_give(shared->store, array)) (void)cudaFreeAsync(array, shared->stream);
}

/* --- making and freeing ---------------------------------------------------------------------- */

void hs_cuda_linear_destroy(struct hs_cuda_linear *shared)
{
  void *d_store;
  if (!shared) return;
  if (shared->stream) {
    if (shared->store) hs_cuda_linear_free(shared, shared->reduction.d_tally);
    d_store = hs_cuda_store_destroy(shared->store);
    if (d_store) (void)cudaFreeAsync(d_store, shared->stream);
    (void)cudaStreamSynchronize(shared->stream);
    (void)cudaStreamDestroy(shared->stream);
    if (shared->written) (void)cudaEventDestroy(shared->written);
    if (shared->copied) (void)cudaEventDestroy(shared->copied);
  }
  (void)cudaFreeHost(shared->tally);
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

/* Bytes of all arrays of a system's levels that last, those of a solution included, where all levels are coarsened in both
 * directions and have passes. What is only there while levels are made has its room where the solution will be. */
static size_t store_bytes(const struct hs_system *system, struct hs_grid grid)
{
  const size_t vectors = 3 * sizeof(float), solution = 2 * sizeof(double) + 2 * sizeof(float);
  const size_t storing = system->storing ? 2 * sizeof(double) + sizeof(float) : 0;
  size_t bytes = hs_grid_values(&grid) * (sizeof *system->index + vectors + solution + storing) + (4 << 20);
  if (system->source_w_m) bytes += hs_grid_values(&grid) * sizeof *system->source_w_m;
  while (grid.nx > 3 && grid.ny > 3) {
    grid.nx = (grid.nx + 1) / 2;
    grid.ny = (grid.ny + 1) / 2;
    grid.pitch = hs_cuda_pitch(grid.nx);
    bytes += hs_grid_values(&grid) * ((6 + 8) * sizeof(float) + vectors);
  }
  return bytes;
}

/* An empty one where the device has not so much memory, and with -DHS_SEPARATE_ARRAYS. */
static hs_status store_create(struct hs_cuda_linear *s, size_t bytes, struct hs_error *err)
{
  void *d_memory = NULL;
  hs_status status;
#ifndef HS_SEPARATE_ARRAYS
  if (cudaMallocAsync(&d_memory, bytes, s->stream) != cudaSuccess) d_memory = NULL;
  (void)cudaGetLastError();
#endif
  status = hs_cuda_store_create(d_memory, bytes, &s->store, err);
  if (status && d_memory) (void)cudaFreeAsync(d_memory, s->stream);
  return status;
}

/* What is written by reductions, and 0 to begin with. */
static hs_status counts_create(struct hs_cuda_linear *s, struct hs_error *err)
{
  struct {
    struct hs_tally tally[HS_TALLY_BLOCKS];
    struct hs_level_shares shares[HS_CUDA_SHARES];
    unsigned arrived;
  } *d_counts = NULL;
  struct {
    struct hs_tally tally;
    struct hs_level_shares shares[HS_CUDA_SHARES];
  } *counts = NULL;
  hs_status status = hs_cuda_linear_array(s, (void **)&d_counts, sizeof *d_counts, err);
  if (d_counts) s->reduction.d_tally = d_counts->tally; /* from here on it is freed */
  if (!status) status = hs_cuda_pinned((void **)&counts, sizeof *counts, err);
  if (status) return status;
  s->reduction = (struct hs_device_reduction){d_counts->tally, &counts->tally, &d_counts->arrived};
  s->d_shares = d_counts->shares;
  s->tally = &counts->tally;
  s->shares = counts->shares;
  return HS_OK;
}

hs_status hs_cuda_linear_create(const struct hs_system *system, const struct hs_grid *grid,
                                struct hs_cuda_linear **result, struct hs_error *err)
{
  struct hs_cuda_linear *s = NULL;
  hs_status status = hs_array_create((void **)&s, 1, sizeof *s, "multigrid", err);
  if (!status) status = pool_keep(err);
  if (!status) status = hs_cuda_check(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking), WHAT, err);
  if (!status) status = store_create(s, store_bytes(system, *grid), err);
  if (!status) status = counts_create(s, err);
  if (!status) status = hs_cuda_check(cudaEventCreateWithFlags(&s->written, cudaEventDisableTiming), WHAT, err);
  if (!status) status = hs_cuda_check(cudaEventCreateWithFlags(&s->copied, cudaEventDisableTiming), WHAT, err);
  if (status) {
    hs_cuda_linear_destroy(s);
    s = NULL;
  }
  *result = s;
  return status;
}
