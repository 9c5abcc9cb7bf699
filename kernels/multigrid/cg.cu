/* Conjugate gradients on the finest level: a thread goes through the nodes of a column of rows; maxima and sums are reduced
 * per block, and the last block to arrive reduces the blocks'. Sums are of numerics/total.h, so no order changes a bit.
 */
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

/* Launches a reduction: as many blocks as the device keeps busy, each with the rows j, j + step, ... */
template <typename Kernel, typename... Arguments>
static cudaError_t reduce(Kernel kernel, const hs_grid &grid, cudaStream_t stream, const Arguments &...arguments)
{
  const int blocks_x = (grid.nx + MG_BLOCK_W - 1) / MG_BLOCK_W, rows = (grid.ny + MG_BLOCK_H - 1) / MG_BLOCK_H;
  const int columns = blocks_x < HS_TALLY_BLOCKS ? blocks_x : HS_TALLY_BLOCKS;
  const int most = HS_TALLY_BLOCKS / columns;
  return kernel_launch(kernel, dim3(columns, rows < most ? rows : most), dim3(MG_BLOCK_W, MG_BLOCK_H), stream,
                       arguments...);
}

/* Calls what follows for all nodes of the thread: i, j, n are set. */
#define FOR_NODES(grid)                                                                                                \
  for (int i = blockIdx.x * MG_BLOCK_W + threadIdx.x; i < (grid).nx; i += gridDim.x * MG_BLOCK_W)                      \
    for (int j = blockIdx.y * MG_BLOCK_H + threadIdx.y; j < (grid).ny; j += rows_step())

__global__ void mg_inflow(const __grid_constant__ hs_device_level level, const double *__restrict__ x,
                          const double *__restrict__ start, const double *__restrict__ rest, double *__restrict__ r,
                          const __grid_constant__ hs_device_reduction reduction)
{
  Tally own = tally_zero();
  Adder adder, other;
  FOR_NODES(level.grid)
  {
    const size_t n = hs_grid_at(&level.grid, i, j);
    const hs_balance_f64 b = level.d_balance[mg_entry(level, i, j)];
    double inflow = hs_balance_inflow(&b, b.loss, x, n, level.grid.pitch) + b.heat;
    if (level.d_source_w_m) inflow += b.free * level.d_source_w_m[(size_t)j * level.index_pitch + i];
    if (rest) inflow += rest[n];
    if (start) inflow = fma(b.storage, start[n] - x[n], inflow);
    inflow = b.free > 0.0 ? inflow : 0.0;
    r[n] = inflow;
    own.max = larger(fabs(inflow), own.max);
    adder.add(inflow * inflow);
  }
  own.total = adder.total;
  own.other_total = other.total;
  block_publish(own, reduction);
}

cudaError_t hs_kernel_mg_inflow(const hs_device_level *level, const double *x, const double *start, const double *rest,
                                double *r, const hs_device_reduction *reduction, cudaStream_t stream)
{
  return reduce(mg_inflow, level->grid, stream, *level, x, start, rest, r, *reduction);
}

__global__ void mg_scale(const __grid_constant__ hs_grid grid, const double *__restrict__ r, double scale,
                         float *__restrict__ f)
{
  const MgNode at = mg_node();
  if (!mg_within(grid, at)) return;
  const size_t n = hs_grid_at(&grid, at.i, at.j);
  f[n] = (float)(r[n] * scale);
}

cudaError_t hs_kernel_mg_scale(const hs_grid *grid, const double *r, double scale, float *f, cudaStream_t stream)
{
  return mg_launch(mg_scale, grid->nx, grid->ny, stream, *grid, r, scale, f);
}

template <typename Real>
__global__ void mg_sum(const __grid_constant__ hs_grid grid, const Real *v,
                       const __grid_constant__ hs_device_reduction reduction)
{
  Tally own = tally_zero();
  Adder adder, other;
  FOR_NODES(grid) adder.add((double)v[hs_grid_at(&grid, i, j)]);
  own.total = adder.total;
  own.other_total = other.total;
  block_publish(own, reduction);
}

cudaError_t hs_kernel_mg_sum(const hs_grid *grid, int single, const void *v, const hs_device_reduction *reduction,
                             cudaStream_t stream)
{
  return launch_typed(single, [&](auto real) {
    using Real = decltype(real);
    return reduce(mg_sum<Real>, *grid, stream, *grid, (const Real *)v, *reduction);
  });
}

template <typename Real>
__global__ void mg_drop(const __grid_constant__ hs_grid grid, Real *v, double mean,
                        const __grid_constant__ hs_device_reduction reduction)
{
  Tally own = tally_zero();
  Adder adder, other;
  FOR_NODES(grid)
  {
    const size_t n = hs_grid_at(&grid, i, j);
    v[n] -= (Real)mean;
    own.max = larger(fabs((double)v[n]), own.max);
    adder.add((double)v[n] * (double)v[n]);
  }
  own.total = adder.total;
  own.other_total = other.total;
  block_publish(own, reduction);
}

cudaError_t hs_kernel_mg_drop(const hs_grid *grid, int single, void *v, double mean,
                              const hs_device_reduction *reduction, cudaStream_t stream)
{
  return launch_typed(single, [&](auto real) {
    using Real = decltype(real);
    return reduce(mg_drop<Real>, *grid, stream, *grid, (Real *)v, mean, *reduction);
  });
}

__global__ void mg_examine(const __grid_constant__ hs_grid grid, const float *__restrict__ z, double unscale,
                           const double *__restrict__ r, const double *__restrict__ p, double zr_before,
                           const __grid_constant__ hs_device_reduction reduction)
{
  const double alpha = step_length(reduction, zr_before);
  Tally own = tally_zero();
  Adder adder, other;
  own.alpha = alpha;
  FOR_NODES(grid)
  {
    const size_t n = hs_grid_at(&grid, i, j);
    const double value = (double)z[n] * unscale, rest = r[n];
    own.max = larger(fabs(value), own.max);
    if (p) own.other_max = larger(fabs(fma(alpha, p[n], value)), own.other_max);
    own.third_max = larger(fabs(rest), own.third_max);
    adder.add(value * rest);
    other.add(rest * rest);
  }
  own.total = adder.total;
  own.other_total = other.total;
  block_publish(own, reduction);
}

cudaError_t hs_kernel_mg_examine(const hs_grid *grid, const float *z, double unscale, const double *r, const double *p,
                                 double zr_before, const hs_device_reduction *reduction, cudaStream_t stream)
{
  return reduce(mg_examine, *grid, stream, *grid, z, unscale, r, p, zr_before, *reduction);
}

__global__ void mg_direction(const __grid_constant__ hs_grid grid, const float *__restrict__ z, double unscale,
                             double beta, double *__restrict__ p)
{
  const MgNode at = mg_node();
  if (!mg_within(grid, at)) return;
  const size_t n = hs_grid_at(&grid, at.i, at.j);
  p[n] = fma(beta, p[n], (double)z[n] * unscale);
}

cudaError_t hs_kernel_mg_direction(const hs_grid *grid, const float *z, double unscale, double beta, double *p,
                                   cudaStream_t stream)
{
  return mg_launch(mg_direction, grid->nx, grid->ny, stream, *grid, z, unscale, beta, p);
}

__global__ void mg_multiply(const __grid_constant__ hs_device_level level, const double *__restrict__ p,
                            double *__restrict__ q, const __grid_constant__ hs_device_reduction reduction)
{
  Tally own = tally_zero();
  Adder adder, other;
  FOR_NODES(level.grid)
  {
    const size_t n = hs_grid_at(&level.grid, i, j);
    const hs_balance_f64 b = level.d_balance[mg_entry(level, i, j)];
    const double value = -hs_balance_inflow(&b, b.loss + b.storage, p, n, level.grid.pitch);
    q[n] = value;
    adder.add(p[n] * value);
  }
  own.total = adder.total;
  own.other_total = other.total;
  block_publish(own, reduction, HS_TALLY_STEP);
}

cudaError_t hs_kernel_mg_multiply(const hs_device_level *level, const double *p, double *q,
                                  const hs_device_reduction *reduction, cudaStream_t stream)
{
  return reduce(mg_multiply, level->grid, stream, *level, p, q, *reduction);
}

__global__ void mg_advance(const __grid_constant__ hs_grid grid, double zr, const double *__restrict__ p,
                           const double *__restrict__ q, double *__restrict__ x, double *__restrict__ r,
                           const __grid_constant__ hs_device_reduction reduction)
{
  const MgNode at = mg_node();
  const double alpha = step_length(reduction, zr);
  if (!mg_within(grid, at)) return;
  const size_t n = hs_grid_at(&grid, at.i, at.j);
  x[n] = fma(alpha, p[n], x[n]);
  r[n] = fma(-alpha, q[n], r[n]);
}

cudaError_t hs_kernel_mg_advance(const hs_grid *grid, double zr, const double *p, const double *q, double *x, double *r,
                                 const hs_device_reduction *reduction, cudaStream_t stream)
{
  return mg_launch(mg_advance, grid->nx, grid->ny, stream, *grid, zr, p, q, x, r, *reduction);
}

__global__ void mg_largest(const __grid_constant__ hs_grid grid, const double *x,
                           const __grid_constant__ hs_device_reduction reduction)
{
  Tally own = tally_zero();
  Adder adder, other;
  FOR_NODES(grid) own.max = larger(fabs(x[hs_grid_at(&grid, i, j)]), own.max);
  own.total = adder.total;
  own.other_total = other.total;
  block_publish(own, reduction);
}

cudaError_t hs_kernel_mg_largest(const hs_grid *grid, const double *x, const hs_device_reduction *reduction,
                                 cudaStream_t stream)
{
  return reduce(mg_largest, *grid, stream, *grid, x, *reduction);
}

/* --- fields of the sweeps -------------------------------------------------------------------- */

/* Dirichlet nodes get the temperature that the operator has for them. */
template <typename Real>
__global__ void mg_take(const __grid_constant__ hs_device_level level, const Real *field, int64_t pitch, double *x)
{
  const MgNode at = mg_node();
  if (!mg_within(level.grid, at)) return;
  const hs_balance_f64 b = level.d_balance[mg_entry(level, at.i, at.j)];
  x[hs_grid_at(&level.grid, at.i, at.j)] = b.free > 0.0 ? (double)field[at.j * pitch + at.i] : b.heat;
}

cudaError_t hs_kernel_mg_take(const hs_device_level *level, int single, const void *field, int64_t pitch, double *x,
                              cudaStream_t stream)
{
  return launch_typed(single, [&](auto real) {
    using Real = decltype(real);
    return mg_launch(mg_take<Real>, level->grid.nx, level->grid.ny, stream, *level, (const Real *)field, pitch, x);
  });
}

template <typename Real>
__global__ void mg_give(const __grid_constant__ hs_grid grid, const double *x, Real *field, int64_t pitch, int nx,
                        int ny)
{
  const MgNode at = mg_node();
  if (at.i >= nx || at.j >= ny) return;
  field[at.j * pitch + at.i] = (Real)x[hs_grid_at(&grid, at.i % grid.nx, at.j % grid.ny)];
}

cudaError_t hs_kernel_mg_give(const hs_device_level *level, int single, const double *x, void *field, int64_t pitch,
                              int nx, int ny, cudaStream_t stream)
{
  return launch_typed(single, [&](auto real) {
    using Real = decltype(real);
    return mg_launch(mg_give<Real>, nx, ny, stream, level->grid, x, (Real *)field, pitch, nx, ny);
  });
}
