/* Small device functions that several kernels share: the node's arithmetic for both precisions, what
 * general sweeps need of a node, and the reduction of norms, per warp, then per block, then one
 * atomic per block and value.
 */
#ifndef HS_KERNELS_DEVICE_CUH
#define HS_KERNELS_DEVICE_CUH

#include "launch.cuh"

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

__device__ __forceinline__ double node_general(const hs_stencil_f64 &s, double c, double west, double east,
                                               double south, double north)
{
  return hs_node_general_f64(&s, c, west, east, south, north);
}
__device__ __forceinline__ float node_general(const hs_stencil_f32 &s, float c, float west, float east, float south,
                                              float north)
{
  return hs_node_general_f32(&s, c, west, east, south, north);
}
__device__ __forceinline__ double node_relax(double weight, double u, double base, bool dirichlet)
{
  return hs_node_relax_f64(weight, u, base, dirichlet);
}
__device__ __forceinline__ float node_relax(float weight, float u, float base, bool dirichlet)
{
  return hs_node_relax_f32(weight, u, base, dirichlet);
}
__device__ __forceinline__ double node_step(bool trapezoid, double storage, double t, double j, double base)
{
  return hs_node_step_f64(trapezoid, storage, t, j, base);
}
__device__ __forceinline__ float node_step(bool trapezoid, float storage, float t, float j, float base)
{
  return hs_node_step_f32(trapezoid, storage, t, j, base);
}

template <typename Real> struct StencilOf;
template <> struct StencilOf<double> {
  using type = hs_stencil_f64;
  static __device__ __forceinline__ const hs_stencil_f64 *stencil_table(const hs_device_system &s)
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
  static __device__ __forceinline__ const hs_stencil_f32 *stencil_table(const hs_device_system &s)
  {
    return s.d_stencil_single;
  }
  static __device__ __forceinline__ const hs_stencil_f32 &main(const hs_device_system &s)
  {
    return s.main_stencil_single;
  }
};

/* Coefficient index of node (i, j), which lies at offset n of a field. */
__device__ __forceinline__ size_t node_index(const hs_device_system &system, int i, int j, int64_t n)
{
  return system.d_index ? (size_t)system.d_index[n] : (size_t)j * (size_t)system.nx + (size_t)i;
}

/* 16 bytes as an array of elements. */
template <typename Real> struct Vector {
  static constexpr int SIZE = 16 / sizeof(Real);
  union {
    int4 bits;
    Real at[SIZE];
  };
  __device__ void load(const Real *from)
  {
    bits = *(const int4 *)from;
  }
  /* A plain assignment may become stores of single elements, where the compiler sees them in registers of their own. */
  __device__ void store(Real *to) const
  {
    __stwb((int4 *)to, bits);
  }
};

/* What a general sweep does with J(t), in the fields' precision. */
template <typename Real> struct Step {
  int form;
  Real weight;
};

template <typename Real> __device__ __forceinline__ Step<Real> step_load(const hs_device_system &system, int number)
{
  const hs_device_step &step = system.d_relaxation->step[number];
  return {(int)step.form, (Real)step.weight};
}

/* A node's stencil within a general sweep: its relax has become the weight of the step for this node.
 * Read by loads of 16 bytes, and by as few as the step needs. */
__device__ __forceinline__ hs_stencil_f64 stencil_load(const hs_stencil_f64 *entry, const Step<double> &step)
{
  const double2 *parts = (const double2 *)entry;
  const double2 x = __ldg(parts), y = __ldg(parts + 1), c = __ldg(parts + 2);
  double weight = step.weight;
  if (step.form == HS_FORM_WEIGHTED) weight = weight * __ldg(&entry->relax);
  return {x.x, x.y, y.x, y.y, c.x, c.y, weight, 0.0};
}
__device__ __forceinline__ hs_stencil_f32 stencil_load(const hs_stencil_f32 *entry, const Step<float> &step)
{
  const float4 *parts = (const float4 *)entry;
  const float4 w = __ldg(parts), c = __ldg(parts + 1);
  const float weight = step.form == HS_FORM_WEIGHTED ? step.weight * c.z : step.weight;
  return {w.x, w.y, w.z, w.w, c.x, c.y, weight, 0.0f};
}

/* The node's new value from u = J(t). before: the predecessor, read by Chebyshev's form alone. */
template <typename Real, typename Stencil>
__device__ __forceinline__ Real step_take(const Step<Real> &step, const Stencil &s, Real u, Real centre, Real before)
{
  if (step.form == HS_FORM_JACOBI) return u;
  return node_relax(s.relax, u, step.form == HS_FORM_WEIGHTED ? centre : before, s.diagonal == 0);
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
