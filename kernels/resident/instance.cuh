/* One kernel of cuda-resident. Each is a file in instances/, since it takes the compiler seconds, and so that a run
 * loads the code of its own kernel only. The table in resident.cu has them all.
 */
#ifndef HS_KERNELS_RESIDENT_INSTANCE_CUH
#define HS_KERNELS_RESIDENT_INSTANCE_CUH

#include "resident/block.cuh"

template <typename Real, int C, int RR, int RS, int WARPS>
__global__ void __launch_bounds__(32 * WARPS, 1) resident(const __grid_constant__ ResidentArguments<Real> arguments)
{
  resident_body<Real, C, RR, RS>(arguments);
}

/* Defines hs_resident_NAME, the kernel of threads with C columns by RR rows in registers and RS rows in shared memory,
 * in blocks of up to WARPS warps; MIXED: its mixed_cycles. */
#define RESIDENT_INSTANCE(NAME, Real, C, RR, RS, WARPS, MIXED)                                                         \
  extern const hs_resident_kernel hs_resident_##NAME;                                                                  \
  const hs_resident_kernel hs_resident_##NAME = {                                                                      \
      (const void *)resident<Real, C, RR, RS, WARPS>, C, RR + RS, RS, WARPS, MIXED};

#endif
