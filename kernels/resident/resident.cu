/* cuda-resident's table of kernels, and their launch.
 */
#include "resident/tile.cuh"

extern const hs_resident_kernel hs_resident_double_1x4, hs_resident_double_2x4, hs_resident_double_2x8,
    hs_resident_double_4x8, hs_resident_double_4x12, hs_resident_double_4x16, hs_resident_double_4x31;
extern const hs_resident_kernel hs_resident_single_2x4, hs_resident_single_2x8, hs_resident_single_4x4,
    hs_resident_single_4x8, hs_resident_single_8x8, hs_resident_single_8x14, hs_resident_single_8x31;

static const hs_resident_kernel *const kernels_double[] = {
    &hs_resident_double_1x4,  &hs_resident_double_2x4,  &hs_resident_double_2x8,  &hs_resident_double_4x8,
    &hs_resident_double_4x12, &hs_resident_double_4x16, &hs_resident_double_4x31,
};
static const hs_resident_kernel *const kernels_single[] = {
    &hs_resident_single_2x4, &hs_resident_single_2x8,  &hs_resident_single_4x4,  &hs_resident_single_4x8,
    &hs_resident_single_8x8, &hs_resident_single_8x14, &hs_resident_single_8x31,
};

const hs_resident_kernel *const *hs_kernel_resident_table(int single, int *count)
{
  *count = single ? sizeof kernels_single / sizeof *kernels_single : sizeof kernels_double / sizeof *kernels_double;
  return single ? kernels_single : kernels_double;
}

template <typename Real>
static cudaError_t launch(const void *function, const hs_device_system *system, const hs_resident_plan *plan,
                          const hs_resident_scratch *scratch, const hs_resident_work *work, cudaStream_t stream)
{
  ResidentArguments<Real> arguments = {*system, *plan, *work, (Real *)scratch->exchange, scratch->flags};
  void *pointers[] = {&arguments};
  cudaLaunchAttribute cooperative = {};
  cudaLaunchConfig_t config = {};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  config.gridDim = dim3(plan->tiles_x * plan->tiles_y);
  config.blockDim = dim3(32 * plan->warps);
  config.dynamicSmemBytes = plan->shared_bytes;
  config.stream = stream;
  config.attrs = &cooperative;
  config.numAttrs = 1;
  return cudaLaunchKernelExC(&config, function, pointers);
}

cudaError_t hs_kernel_resident(const hs_device_system *system, int single, const hs_resident_plan *plan,
                               const hs_resident_scratch *scratch, const hs_resident_work *work, cudaStream_t stream)
{
  int count;
  const void *function = hs_kernel_resident_table(single, &count)[plan->kernel]->function;
  return single ? launch<float>(function, system, plan, scratch, work, stream)
                : launch<double>(function, system, plan, scratch, work, stream);
}
