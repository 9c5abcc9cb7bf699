/* Small device functions that several kernels share: the node's arithmetic for both precisions,
 * and the reduction of norms, per warp, then per block, then one atomic per block and value.
 */
#ifndef HS_KERNELS_DEVICE_CUH
#define HS_KERNELS_DEVICE_CUH

#include "kernels.h"

/* One name for both precisions. */
__device__ __forceinline__ double node_update(const hs_stencil_f64 &s, double west, double east, double south,
                                              double north)
{
  return hs_node_update_f64(&s, west, east, south, north);
}
__device__ __forceinline__ float node_update(const hs_stencil_f32 &s, float west, float east, float south, float north)
{
  return hs_node_update_f32(&s, west, east, south, north);
}
__device__ __forceinline__ double node_uniform(double c, double west, double east, double south, double north)
{
  return hs_node_uniform_f64(c, west, east, south, north);
}
__device__ __forceinline__ float node_uniform(float c, float west, float east, float south, float north)
{
  return hs_node_uniform_f32(c, west, east, south, north);
}

template <typename Real> struct StencilOf;
template <> struct StencilOf<double> {
  using type = hs_stencil_f64;
  static __device__ __forceinline__ const hs_stencil_f64 *palette(const hs_device_system &s) { return s.d_stencil; }
};
template <> struct StencilOf<float> {
  using type = hs_stencil_f32;
  static __device__ __forceinline__ const hs_stencil_f32 *palette(const hs_device_system &s)
  {
    return s.d_stencil_single;
  }
};

/* Norms that one thread has seen. */
struct ThreadNorms {
  hs_sum sum;
  double maximum;
};

__device__ __forceinline__ void norms_add(ThreadNorms &norms, hs_sum_split split, double value, double scale)
{
  const double size = fabs(value);
  hs_sum_add_square(&norms.sum, split, value * scale);
  norms.maximum = size > norms.maximum ? size : norms.maximum;
}

__device__ __forceinline__ ThreadNorms warp_reduce(ThreadNorms n)
{
  for (int distance = 16; distance > 0; distance /= 2) {
    n.sum.high += __shfl_xor_sync(0xffffffffu, n.sum.high, distance);
    n.sum.low += __shfl_xor_sync(0xffffffffu, n.sum.low, distance);
    const double other = __shfl_xor_sync(0xffffffffu, n.maximum, distance);
    n.maximum = other > n.maximum ? other : n.maximum;
  }
  return n;
}

/* Reduces over a block of up to 32 warps; the result is valid in thread 0. Called by all threads. */
__device__ __forceinline__ ThreadNorms block_reduce(ThreadNorms n, int thread, int threads)
{
  __shared__ ThreadNorms s_warp[32];
  const int warp = thread / 32, lane = thread % 32;
  n = warp_reduce(n);
  __syncthreads(); /* an earlier use of s_warp is over */
  if (lane == 0) s_warp[warp] = n;
  __syncthreads();
  if (warp == 0) {
    n = lane < threads / 32 ? s_warp[lane] : ThreadNorms{{0.0, 0.0}, 0.0};
    n = warp_reduce(n);
  }
  return n;
}

/* Maximum of non-negative doubles, as integers. */
__device__ __forceinline__ void atomic_max(unsigned long long *address, double value)
{
  atomicMax(address, (unsigned long long)__double_as_longlong(value));
}

__device__ __forceinline__ hs_norm_slot *slot_of_block(hs_norm_slot *d_slots)
{
  return d_slots + (blockIdx.y * gridDim.x + blockIdx.x) % HS_NORM_SLOTS;
}

/* Adds a block's update norms; exact sums, so the order of the blocks does not matter. */
__device__ __forceinline__ void update_norms_publish(ThreadNorms n, hs_norm_slot *d_slots, int thread, int threads)
{
  n = block_reduce(n, thread, threads);
  if (thread == 0) {
    hs_norm_slot *slot = slot_of_block(d_slots);
    atomicAdd(&slot->update_high, n.sum.high);
    atomicAdd(&slot->update_low, n.sum.low);
    atomic_max(&slot->update_max, n.maximum);
  }
}

#endif
