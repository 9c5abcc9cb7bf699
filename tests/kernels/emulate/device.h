/* CUDA's own names for device code that emulate.h runs: keywords, indices, barriers, operations of warps, memory. As
 * many as the kernels use; atomics are plain code, since only one thread runs at a time.
 */
#ifndef HS_TESTS_KERNELS_EMULATE_DEVICE_H
#define HS_TESTS_KERNELS_EMULATE_DEVICE_H

#undef __global__
#undef __device__
#undef __host__
#undef __constant__
#undef __forceinline__
#undef __noinline__
#undef __shared__
#undef __restrict__
#undef __launch_bounds__
#undef __grid_constant__
#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __restrict__
#define __shared__ static /* common to all blocks */
#define __trap() emulate::fail("__trap")

#define threadIdx (emulate::machine.now->thread)
#define blockIdx (emulate::machine.now->block->index)
inline const dim3 &blockDim = emulate::machine.block, &gridDim = emulate::machine.grid;
static constexpr int warpSize = 32;

using std::max;
using std::min;

namespace emulate
{

template <typename T> inline uint64_t to_bits(T value)
{
  static_assert(sizeof(T) <= 8, "lanes exchange up to 8 bytes");
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  return bits;
}

template <typename T> inline T from_bits(uint64_t bits)
{
  T value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

inline void alignment_check(const void *address, size_t bytes)
{
  if ((uintptr_t)address % bytes) fail("an access to an address that is not aligned to its size");
}

/* The value of lane `from`, or the own one where that lies outside the lane's part of the warp. */
template <typename T> inline T shuffle(unsigned mask, T value, int from, int width, const char *operation)
{
  const uint64_t *g = gather(mask, to_bits(value), operation);
  const int begin = lane() & ~(width - 1);
  return from_bits<T>(g[from < begin || from >= begin + width ? lane() : from]);
}

template <typename Combine>
inline unsigned reduce(unsigned mask, unsigned value, const char *operation, Combine combine)
{
  const uint64_t *g = gather(mask, value, operation);
  unsigned result = (unsigned)g[__builtin_ctz(mask)];
  for (int k = 0; k < 32; k++)
    if (mask >> k & 1) result = combine(result, (unsigned)g[k]);
  return result;
}

} // namespace emulate

/* --- barriers --------------------------------------------------------------------------------- */

inline void __syncthreads()
{
  emulate::meet(0, "__syncthreads");
}
inline int __syncthreads_or(int predicate)
{
  return emulate::meet(predicate != 0, "__syncthreads_or") != 0;
}
inline int __syncthreads_and(int predicate)
{
  return emulate::meet(predicate != 0, "__syncthreads_and") == emulate::block_threads();
}
inline int __syncthreads_count(int predicate)
{
  return emulate::meet(predicate != 0, "__syncthreads_count");
}
inline void __syncwarp(unsigned mask = 0xffffffffu)
{
  emulate::gather(mask, 0, "__syncwarp");
}
inline void __threadfence()
{
}
inline void __threadfence_block()
{
}
inline void __nanosleep(unsigned)
{
  emulate::spin("__nanosleep");
}

/* --- operations of a warp --------------------------------------------------------------------- */

template <typename T> inline T __shfl_sync(unsigned mask, T value, int from, int width = 32)
{
  const int begin = emulate::lane() & ~(width - 1);
  return emulate::shuffle(mask, value, begin | (from & (width - 1)), width, "__shfl_sync");
}
template <typename T> inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32)
{
  return emulate::shuffle(mask, value, emulate::lane() - (int)by, width, "__shfl_up_sync");
}
template <typename T> inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32)
{
  return emulate::shuffle(mask, value, emulate::lane() + (int)by, width, "__shfl_down_sync");
}
template <typename T> inline T __shfl_xor_sync(unsigned mask, T value, int by, int width = 32)
{
  return emulate::shuffle(mask, value, emulate::lane() ^ by, width, "__shfl_xor_sync");
}
inline unsigned __ballot_sync(unsigned mask, int predicate)
{
  const uint64_t *g = emulate::gather(mask, predicate != 0, "__ballot_sync");
  unsigned bits = 0;
  for (int k = 0; k < 32; k++)
    if (mask >> k & 1 && g[k]) bits |= 1u << k;
  return bits;
}
inline int __any_sync(unsigned mask, int predicate)
{
  return __ballot_sync(mask, predicate) != 0;
}
inline int __all_sync(unsigned mask, int predicate)
{
  return __ballot_sync(mask, predicate) == mask;
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned value)
{
  return emulate::reduce(mask, value, "__reduce_max_sync", [](unsigned a, unsigned b) { return a > b ? a : b; });
}
inline unsigned __reduce_min_sync(unsigned mask, unsigned value)
{
  return emulate::reduce(mask, value, "__reduce_min_sync", [](unsigned a, unsigned b) { return a < b ? a : b; });
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value)
{
  return emulate::reduce(mask, value, "__reduce_or_sync", [](unsigned a, unsigned b) { return a | b; });
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value)
{
  return emulate::reduce(mask, value, "__reduce_and_sync", [](unsigned a, unsigned b) { return a & b; });
}
inline unsigned __reduce_add_sync(unsigned mask, unsigned value)
{
  const uint64_t *g = emulate::gather(mask, value, "__reduce_add_sync");
  unsigned sum = 0;
  for (int k = 0; k < 32; k++)
    if (mask >> k & 1) sum += (unsigned)g[k];
  return sum;
}

/* --- memory ----------------------------------------------------------------------------------- */

template <typename T> inline T __ldg(const T *from)
{
  emulate::alignment_check(from, sizeof *from);
  return *from;
}
template <typename T> inline void __stwb(T *to, T value)
{
  *to = value;
}

template <typename T> inline T __ldcg(const T *from)
{
  emulate::alignment_check(from, sizeof *from);
  return *from;
}
template <typename T> inline T __ldcs(const T *from)
{
  emulate::alignment_check(from, sizeof *from);
  return *from;
}
template <typename T> inline void __stcg(T *to, T value)
{
  emulate::alignment_check(to, sizeof *to);
  *to = value;
}
template <typename T> inline void __stcs(T *to, T value)
{
  emulate::alignment_check(to, sizeof *to);
  *to = value;
}
template <typename T, typename U> inline T atomicAdd(T *at, U value)
{
  const T old = *at;
  *at = old + (T)value;
  return old;
}
template <typename T, typename U> inline T atomicMax(T *at, U value)
{
  const T old = *at;
  if ((T)value > old) *at = (T)value;
  return old;
}
template <typename T, typename U> inline T atomicOr(T *at, U value)
{
  const T old = *at;
  *at = old | (T)value;
  return old;
}

/* --- values ----------------------------------------------------------------------------------- */

inline double __longlong_as_double(long long bits)
{
  return emulate::from_bits<double>((uint64_t)bits);
}
inline long long __double_as_longlong(double value)
{
  return (long long)emulate::to_bits(value);
}
inline float __uint_as_float(unsigned bits)
{
  return emulate::from_bits<float>(bits);
}
inline unsigned __float_as_uint(float value)
{
  return (unsigned)emulate::to_bits(value);
}
inline int __float_as_int(float value)
{
  return (int)emulate::to_bits(value);
}
inline int __double2loint(double value)
{
  return (int)(unsigned)emulate::to_bits(value);
}
inline int __double2hiint(double value)
{
  return (int)(unsigned)(emulate::to_bits(value) >> 32);
}
inline double __hiloint2double(int high, int low)
{
  return emulate::from_bits<double>((uint64_t)(unsigned)high << 32 | (unsigned)low);
}
inline int __popc(unsigned bits)
{
  return __builtin_popcount(bits);
}
inline int __ffs(int bits)
{
  return __builtin_ffs(bits);
}
inline int __clz(int bits)
{
  return bits ? __builtin_clz((unsigned)bits) : 32;
}

inline double2 make_double2(double x, double y)
{
  return {x, y};
}
inline float2 make_float2(float x, float y)
{
  return {x, y};
}
inline uint2 make_uint2(unsigned x, unsigned y)
{
  return {x, y};
}
inline int2 make_int2(int x, int y)
{
  return {x, y};
}
inline float4 make_float4(float x, float y, float z, float w)
{
  return {x, y, z, w};
}
inline int4 make_int4(int x, int y, int z, int w)
{
  return {x, y, z, w};
}

#endif
