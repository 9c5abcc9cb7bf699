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
  static __device__ __forceinline__ const hs_stencil_f64 *palette(const hs_device_system &s)
  {
    return s.d_stencil;
  }
  static __device__ __forceinline__ const hs_stencil_f64 &main(const hs_device_system &s)
  {
    return s.main_stencil;
  }
};
template <> struct StencilOf<float> {
  using type = hs_stencil_f32;
  static __device__ __forceinline__ const hs_stencil_f32 *palette(const hs_device_system &s)
  {
    return s.d_stencil_single;
  }
  static __device__ __forceinline__ const hs_stencil_f32 &main(const hs_device_system &s)
  {
    return s.main_stencil_single;
  }
};

/* A grid has at most 65535 blocks in y, fewer than a tall field may need; z counts further groups of rows. */
static constexpr int GRID_Y_LIMIT = 65535;

static inline dim3 grid_of(int blocks_x, int64_t blocks_y)
{
  const int64_t groups = (blocks_y + GRID_Y_LIMIT - 1) / GRID_Y_LIMIT;
  return dim3(blocks_x, (unsigned)((blocks_y + groups - 1) / groups), (unsigned)groups);
}

/* Number of this block's row of blocks; the last group may reach beyond the field. */
__device__ __forceinline__ int block_row()
{
  return blockIdx.z * gridDim.y + blockIdx.y;
}

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

/* Maximum over a warp of non-negative doubles (whose bits are ordered as integers): high words first. */
__device__ __forceinline__ double warp_max(double value)
{
  const unsigned long long bits = (unsigned long long)__double_as_longlong(value);
#if __CUDA_ARCH__ >= 800
  const unsigned high = (unsigned)(bits >> 32);
  const unsigned top = __reduce_max_sync(0xffffffffu, high);
  const unsigned low = __reduce_max_sync(0xffffffffu, high == top ? (unsigned)bits : 0u);
  return __longlong_as_double((long long)((unsigned long long)top << 32 | low));
#else
  unsigned long long largest = bits;
  for (int distance = 16; distance > 0; distance /= 2) {
    const unsigned long long other = __shfl_xor_sync(0xffffffffu, largest, distance);
    largest = other > largest ? other : largest;
  }
  return __longlong_as_double((long long)largest);
#endif
}

__device__ __forceinline__ ThreadNorms warp_reduce(ThreadNorms n)
{
  for (int distance = 16; distance > 0; distance /= 2) {
    n.sum.high += __shfl_xor_sync(0xffffffffu, n.sum.high, distance);
    n.sum.low += __shfl_xor_sync(0xffffffffu, n.sum.low, distance);
  }
  n.maximum = warp_max(n.maximum);
  return n;
}

/* Maximum of non-negative doubles, as integers. */
__device__ __forceinline__ void atomic_max(unsigned long long *address, double value)
{
  atomicMax(address, (unsigned long long)__double_as_longlong(value));
}

__device__ __forceinline__ hs_norm_slot *slot_of_block(hs_norm_slot *d_slots)
{
  return d_slots + ((unsigned)block_row() * gridDim.x + blockIdx.x) % HS_NORM_SLOTS;
}

/* Adds a block's sums and maxima to a slot's, called by all its threads: a warp's by shuffles, the
 * block's through shared memory by one thread per quantity, then one atomic each. Exact sums, so the
 * order of the blocks does not matter. Maxima are of non-negative values. */
template <int SUMS, int MAXIMA>
__device__ __forceinline__ void block_publish(double (&sums)[SUMS], double *const (&to_sums)[SUMS],
                                              const double (&maxima)[MAXIMA],
                                              unsigned long long *const (&to_maxima)[MAXIMA], int thread)
{
  __shared__ double s_part[SUMS + MAXIMA][32];
  const int warps = (blockDim.x * blockDim.y) / 32, warp = thread / 32;
#pragma unroll
  for (int q = 0; q < SUMS; q++) {
    for (int distance = 16; distance > 0; distance /= 2) sums[q] += __shfl_xor_sync(0xffffffffu, sums[q], distance);
    if (thread % 32 == 0) s_part[q][warp] = sums[q];
  }
#pragma unroll
  for (int q = 0; q < MAXIMA; q++) {
    const double maximum = warp_max(maxima[q]);
    if (thread % 32 == 0) s_part[SUMS + q][warp] = maximum;
  }
  __syncthreads();
#pragma unroll
  for (int q = 0; q < SUMS; q++) {
    if (thread != q) continue;
    double sum = 0.0;
    for (int k = 0; k < warps; k++) sum += s_part[q][k];
    atomicAdd(to_sums[q], sum);
  }
#pragma unroll
  for (int q = 0; q < MAXIMA; q++) {
    if (thread != SUMS + q) continue;
    double maximum = 0.0;
    for (int k = 0; k < warps; k++) maximum = s_part[SUMS + q][k] > maximum ? s_part[SUMS + q][k] : maximum;
    atomic_max(to_maxima[q], maximum);
  }
}

/* Publishes the update's norms of a block. */
__device__ __forceinline__ void update_norms_publish(const ThreadNorms &n, hs_norm_slot *d_slots, int thread)
{
  hs_norm_slot *slot = slot_of_block(d_slots);
  double sums[2] = {n.sum.high, n.sum.low};
  const double maxima[1] = {n.maximum};
  block_publish<2, 1>(sums, {&slot->update_high, &slot->update_low}, maxima, {&slot->update_max}, thread);
}

#endif
