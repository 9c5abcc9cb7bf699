/* Reductions over a grid: maxima and sums are reduced per block, and the last block to arrive reduces the blocks'. Sums are of
 * numerics/total.h, so no order changes a bit. */
#ifndef HS_KERNELS_MULTIGRID_REDUCE_CUH
#define HS_KERNELS_MULTIGRID_REDUCE_CUH

#include "multigrid/node.cuh"

static constexpr int THREADS = MG_BLOCK_W * MG_BLOCK_H;

using Tally = hs_device_tally;

__device__ __forceinline__ Tally tally_zero()
{
  return {0.0, 0.0, 0.0, hs_total_zero(), hs_total_zero(), 0.0};
}

/* The larger one; NaN wins. */
__device__ __forceinline__ double larger(double a, double b)
{
  return a >= b ? a : isnan(a) ? a : b;
}

__device__ __forceinline__ int warp_largest(int value)
{
  return __reduce_max_sync(0xffffffffu, value);
}

/* A total on its way, with the splitters of its bins at hand. */
struct Adder {
  hs_total total = hs_total_zero();
  double splitter[3] = {0.0, 0.0, 0.0};
  double limit = 0.0; /* terms below fit into the top bin */

  __device__ void raise(double term)
  {
    hs_total_raise(&total, hs_total_bin(term));
    for (int k = 0; k < 3; k++) splitter[k] = hs_total_splitter(total.top - k);
    limit = hs_power_of_two(HS_TOTAL_BIN_BITS * (total.top + 1) - 1);
  }

  __device__ __forceinline__ void add(double term)
  {
    if (!(fabs(term) < limit)) raise(term);
    hs_total_split(term, splitter, &total.sum[0], &total.sum[1], &total.sum[2]);
  }
};

__device__ __forceinline__ void warp_total(hs_total &total)
{
  hs_total_raise(&total, warp_largest(total.top));
  for (int step = 16; step > 0; step /= 2)
    for (int k = 0; k < 3; k++) total.sum[k] += __shfl_xor_sync(0xffffffffu, total.sum[k], step);
}

__device__ __forceinline__ void warp_max(double &max)
{
  for (int step = 16; step > 0; step /= 2) max = larger(__shfl_xor_sync(0xffffffffu, max, step), max);
}

/* The tally of a block, in its first thread. All threads call it. */
__device__ Tally block_tally(Tally own)
{
  __shared__ Tally of_warp[THREADS / 32];
  const int thread = threadIdx.y * MG_BLOCK_W + threadIdx.x, lane = thread % 32, warp = thread / 32;
  for (int round = 0; round < 2; round++) {
    warp_max(own.max);
    warp_max(own.other_max);
    warp_max(own.third_max);
    warp_total(own.total);
    warp_total(own.other_total);
    if (round == 1) break;
    if (lane == 0) of_warp[warp] = own;
    __syncthreads();
    own = thread < THREADS / 32 ? of_warp[thread] : tally_zero();
  }
  return own;
}

/* The tally of all blocks goes to d_tally[kept]. */
__device__ void block_publish(const Tally &own, const hs_device_reduction &reduction, int kept = HS_TALLY_ALL)
{
  __shared__ bool last;
  const int thread = threadIdx.y * MG_BLOCK_W + threadIdx.x;
  const unsigned blocks = gridDim.x * gridDim.y, block = blockIdx.y * gridDim.x + blockIdx.x;
  const Tally of_block = block_tally(own);
  if (thread == 0) {
    reduction.d_tally[block] = of_block;
    __threadfence();
    last = atomicAdd(reduction.d_arrived, 1u) == blocks - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  Tally all = tally_zero();
  for (unsigned k = thread; k < blocks; k += THREADS) {
    const Tally other = reduction.d_tally[k];
    all.max = larger(other.max, all.max);
    all.other_max = larger(other.other_max, all.other_max);
    all.third_max = larger(other.third_max, all.third_max);
    hs_total_merge(&all.total, &other.total);
    hs_total_merge(&all.other_total, &other.other_total);
  }
  __syncthreads();
  all = block_tally(all);
  if (thread == 0) {
    all.alpha = own.alpha;
    reduction.d_tally[kept] = all;
    *reduction.d_arrived = 0;
  }
}

/* Length of the step whose pq has been kept. */
__device__ __forceinline__ double step_length(const hs_device_reduction &reduction, double zr)
{
  const double pq = hs_total_value(&reduction.d_tally[HS_TALLY_STEP].total);
  return pq > 0.0 ? zr / pq : 0.0;
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
