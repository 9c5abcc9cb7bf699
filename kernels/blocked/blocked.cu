/* Launch of the blocked sweeps; blocked/sweep.cuh has the method. */
#include "blocked/sweep.cuh"

/* Shared memory of a block on a device of compute capability `major`. */
template <typename Real> static int shared_bytes(int major)
{
  constexpr int SAVED = (blocked::RING - blocked::RING_SMALL) * (blocked::WARPS + 1) * blocked::Row<Real>::BYTES;
  return (int)sizeof(blocked::Shared<Real>) - (major < 9 ? SAVED : 0);
}

template <typename Real> static cudaError_t prepare(int *blocks, int *shared)
{
  int device = 0, multiprocessors = 0, most = 0, per = 0, major = 0;
  cudaError_t code = cudaGetDevice(&device);
  *blocks = *shared = 0;
  if (code == cudaSuccess) code = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  if (code == cudaSuccess) code = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (code == cudaSuccess) code = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  const int bytes = shared_bytes<Real>(major);
  if (code != cudaSuccess || major < 8 || most < bytes) return code;
  code = cudaFuncSetAttribute(sweep_blocked<Real>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (code == cudaSuccess)
    code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, sweep_blocked<Real>, blocked::THREADS, bytes);
  if (code == cudaSuccess && per > 0) {
    *blocks = multiprocessors;
    *shared = bytes;
  }
  return code;
}

cudaError_t hs_kernel_blocked_prepare(int single, int *blocks, int *shared_bytes)
{
  return single ? prepare<float>(blocks, shared_bytes) : prepare<double>(blocks, shared_bytes);
}

template <typename Real>
static cudaError_t launch(const struct hs_device_system *system, const struct hs_blocked_plan *plan, const void *from,
                          void *to, int sweeps, const int32_t *d_halt, cudaStream_t stream)
{
  sweep_blocked<Real><<<plan->blocks, blocked::THREADS, plan->shared_bytes, stream>>>(
      *system, *plan, (const Real *)from, (Real *)to, sweeps, d_halt);
  return cudaGetLastError();
}

cudaError_t hs_kernel_blocked(const struct hs_device_system *system, int single, const struct hs_blocked_plan *plan,
                              const void *from, void *to, int sweeps, const int32_t *d_halt, cudaStream_t stream)
{
  const auto function = single ? launch<float> : launch<double>;
  return function(system, plan, from, to, sweeps, d_halt, stream);
}
