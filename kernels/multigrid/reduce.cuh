/* Reductions over a grid: maxima and sums are reduced per block, and the last block to arrive reduces the blocks'. Sums are of
 * numerics/total.h, so no order changes a bit. */
#ifndef HS_KERNELS_MULTIGRID_REDUCE_CUH
#define HS_KERNELS_MULTIGRID_REDUCE_CUH

#include "multigrid/node.cuh"

static constexpr int THREADS = MG_BLOCK_W * MG_BLOCK_H;

using Tally = hs_tally;

__device__ __forceinline__ int warp_largest(int value)
{
  return __reduce_max_sync(0xffffffffu, value);
}

/* A total on its way, with the splitter of its top bin, from which those of the others follow: registers are few. */
struct Adder {
  hs_total total = hs_total_zero();
  double splitter = 0.0;
  unsigned limit = 0; /* upper half of what does not fit into the top bin */

  __device__ __forceinline__ bool fits(double term) const
  {
    return ((unsigned)__double2hiint(term) & 0x7fffffffu) < limit;
  }

  __device__ __forceinline__ void raise(double term)
  {
    hs_total_raise(&total, hs_total_bin(term));
    splitter = hs_total_splitter(total.top);
    limit = (unsigned)__double2hiint(hs_power_of_two(HS_TOTAL_BIN_BITS * (total.top + 1) - 1));
  }

  /* A term that fits, or for which the total has been raised. */
  __device__ __forceinline__ void add_fitting(double term)
  {
    const double splitters[3] = {splitter, splitter * 0x1p-24, splitter * 0x1p-48};
    hs_total_split(term, splitters, &total.sum[0], &total.sum[1], &total.sum[2]);
  }

  __device__ __forceinline__ void add(double term)
  {
    if (!fits(term)) raise(term);
    add_fitting(term);
  }
  __device__ __forceinline__ void add(double one, double other)
  {
    if (!fits(one) || !fits(other)) {
      raise(one);
      raise(other);
    }
    add_fitting(one);
    add_fitting(other);
  }
};
static_assert(HS_TOTAL_BIN_BITS == 24, "the ratios of splitters are written out");

__device__ __forceinline__ void warp_total(hs_total &total)
{
  hs_total_raise(&total, warp_largest(total.top));
  for (int step = 16; step > 0; step /= 2)
    for (int k = 0; k < 3; k++) total.sum[k] += __shfl_xor_sync(0xffffffffu, total.sum[k], step);
}

__device__ __forceinline__ void warp_max(double &max)
{
  for (int step = 16; step > 0; step /= 2) max = hs_tally_larger(__shfl_xor_sync(0xffffffffu, max, step), max);
}

/* The tally of a block, in its first thread, as far as it counts. All threads call it. */
template <int MAXIMA, int SUMS> static __device__ __forceinline__ void block_tally(Tally &own)
{
  __shared__ Tally of_warp[THREADS / 32];
  const int thread = threadIdx.y * MG_BLOCK_W + threadIdx.x, lane = thread % 32, warp = thread / 32;
#pragma unroll
  for (int round = 0; round < 2; round++) {
#pragma unroll
    for (int k = 0; k < MAXIMA; k++) warp_max(own.max[k]);
#pragma unroll
    for (int k = 0; k < SUMS; k++) warp_total(own.sum[k]);
    if (round == 1) break;
    if (lane == 0) of_warp[warp] = own;
    __syncthreads();
    if (warp > 0) break;
    own = lane < THREADS / 32 ? of_warp[lane] : hs_tally_zero();
  }
  __syncthreads();
}

/* The tally of all blocks goes to where the host reads it. */
template <int MAXIMA, int SUMS>
static __device__ __forceinline__ void block_publish(Tally own, const hs_device_reduction &reduction)
{
  __shared__ bool last;
  const int thread = threadIdx.y * MG_BLOCK_W + threadIdx.x;
  const unsigned blocks = gridDim.x * gridDim.y, block = blockIdx.y * gridDim.x + blockIdx.x;
  block_tally<MAXIMA, SUMS>(own);
  if (thread == 0) {
    reduction.d_tally[block] = own;
    __threadfence();
    last = atomicAdd(reduction.d_arrived, 1u) == blocks - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  own = hs_tally_zero();
  for (unsigned k = thread; k < blocks; k += THREADS) {
    const Tally other = reduction.d_tally[k];
#pragma unroll
    for (int m = 0; m < MAXIMA; m++) own.max[m] = hs_tally_larger(other.max[m], own.max[m]);
#pragma unroll
    for (int m = 0; m < SUMS; m++) hs_total_merge(&own.sum[m], &other.sum[m]);
  }
  block_tally<MAXIMA, SUMS>(own);
  if (thread == 0) {
    *reduction.all = own;
    *reduction.d_arrived = 0;
  }
}

/* Rows of a thread, from the first by this step. */
__device__ __forceinline__ int rows_step()
{
  return gridDim.y * MG_BLOCK_H;
}

/* Launches a reduction: as many blocks as the device runs at the same time, each with the rows j, j + step, ... */
template <auto KERNEL, typename... Arguments>
static cudaError_t reduce(const hs_grid &grid, cudaStream_t stream, const Arguments &...arguments)
{
  const int resident = mg_resident_blocks<KERNEL>(THREADS),
            all = resident < HS_TALLY_BLOCKS ? resident : HS_TALLY_BLOCKS;
  const int blocks_x = (grid.nx + MG_BLOCK_W - 1) / MG_BLOCK_W, rows = (grid.ny + MG_BLOCK_H - 1) / MG_BLOCK_H;
  const int columns = blocks_x < all ? blocks_x : all, most = all / columns;
  return kernel_launch(KERNEL, dim3(columns, rows < most ? rows : most), dim3(MG_BLOCK_W, MG_BLOCK_H), stream,
                       arguments...);
}

#endif
