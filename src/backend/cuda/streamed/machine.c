/* What cuda-streamed asks of the machine: memory, rates, pinned memory. */
#include "backend/cuda/blocked/plan.h"
#include "backend/cuda/state.h"
#include "backend/cuda/streamed/device.h"

/* Of the free memory, what a plan may count on: the rest goes to the driver and to the plans of passes. */
static const double SHARE_OF_FREE = 0.88;

hs_status hs_streamed_limit(const struct hs_backend_options *options, double *limit_bytes, struct hs_error *err)
{
  size_t available = 0, total = 0;
  const hs_status status = hs_cuda_check(cudaMemGetInfo(&available, &total), "asking for free memory", err);
  if (status) return status;
  *limit_bytes = SHARE_OF_FREE * (double)available;
  if (options->device_bytes > 0.0 && options->device_bytes < *limit_bytes) *limit_bytes = options->device_bytes;
  return HS_OK;
}

double hs_streamed_node_s(const struct hs_system *system, const struct hs_backend_options *options)
{
  const bool passes = system->wrap_x < 0 && system->wrap_y < 0 && !hs_backend_cuda_blocked.probe(NULL, options, NULL);
  const char *name = passes ? "cuda-blocked" : "cuda-global";
  const struct hs_backend_cost cost = hs_cuda_cost(name, HS_CUDA_LIMIT_MEMORY, system, options, 5.0e-6, 0.85);
  return cost.sweep_s / ((double)system->nx * system->ny);
}

/* The plan of passes of one band includes its halos. */
double hs_streamed_passes_host_bytes(const struct hs_system *system, const struct hs_backend_options *options,
                                     const struct hs_streamed_plan *plan)
{
  struct hs_blocked_size size;
  if (plan->band_rows == 0 || hs_cuda_blocked_size(system, options->single, &size, NULL)) return 0.0;
  return size.host_bytes * plan->slot_rows / plan->band_rows;
}

hs_status hs_streamed_pin(void *memory, size_t bytes, struct hs_error *err)
{
  return hs_cuda_check(cudaHostRegister(memory, bytes, cudaHostRegisterDefault), "pinning memory", err);
}

void hs_streamed_unpin(void *memory)
{
  (void)cudaHostUnregister(memory);
  (void)cudaGetLastError();
}
