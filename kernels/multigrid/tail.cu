/* Launch of the last levels of a cycle; multigrid/tail.cuh has the method. */
#include "multigrid/tail.cuh"

void hs_kernel_mg_tail_place(hs_device_tail *tail)
{
  tail_place(tail);
}

cudaError_t hs_kernel_mg_tail_prepare(int *bytes)
{
  int device = 0, most = 0;
  cudaError_t code = cudaGetDevice(&device);
  if (code == cudaSuccess) code = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (code == cudaSuccess)
    code = cudaFuncSetAttribute(mg_tail<false>, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
  if (code == cudaSuccess)
    code = cudaFuncSetAttribute(mg_tail<true>, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
  *bytes = code == cudaSuccess ? most : 0;
  return code;
}

cudaError_t hs_kernel_mg_tail(const hs_device_tail *tail, const float *f, const float weights[3], float *u,
                              cudaStream_t stream)
{
  const auto kernel = tail_has_segments(*tail) ? mg_tail<true> : mg_tail<false>;
  return kernel_launch_dependent(kernel, dim3(1), dim3(TAIL_THREADS), tail->bytes, stream, *tail, f,
                                 TailWeights{weights[0], weights[1], weights[2]}, u);
}
