/* cuda-blocked: many sweeps a pass over device memory. */
#include "backend/cuda_state.h"

static struct hs_backend_cost blocked_cost(const struct hs_system *system, const struct hs_backend_options *options)
{
  return hs_cuda_cost(system, options, 5.0e-6, 0.85);
}

static hs_status blocked_create(const struct hs_system *system, const struct hs_backend_options *options,
                                struct hs_backend_state **state, struct hs_error *err)
{
  return hs_cuda_create(system, options, hs_kernel_sweep_global, state, err);
}

const struct hs_backend hs_backend_cuda_blocked = {
    .name = "cuda-blocked",
    .summary = "many sweeps a pass over device memory",
    .probe = hs_cuda_probe,
    .cost = blocked_cost,
    .create = blocked_create,
    HS_CUDA_OPERATIONS,
};
