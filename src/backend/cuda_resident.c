/* cuda-resident: the whole grid on chip, many sweeps a launch. */
#include "backend/cuda_state.h"

static struct hs_backend_cost resident_cost(const struct hs_system *system, const struct hs_backend_options *options)
{
  return hs_cuda_cost(system, options, 5.0e-6, 0.85);
}

static hs_status resident_create(const struct hs_system *system, const struct hs_backend_options *options,
                                 struct hs_backend_state **state, struct hs_error *err)
{
  return hs_cuda_create(system, options, hs_kernel_sweep_global, state, err);
}

const struct hs_backend hs_backend_cuda_resident = {
    .name = "cuda-resident",
    .summary = "the whole grid on chip, many sweeps a launch",
    .probe = hs_cuda_probe,
    .cost = resident_cost,
    .create = resident_create,
    HS_CUDA_OPERATIONS,
};
