/* Conjugate gradients on the finest level: residuals, means, and fields of the sweeps. */
#include "multigrid/reduce.cuh"

/* Own nodes as a grid of their own: its node (0, 0) is `own_first` values from the level's. */
static hs_grid own_grid(const hs_device_level &level)
{
  return {level.own.x1 - level.own.x0, level.own.y1 - level.own.y0, level.grid.pitch, 0, 0};
}

static size_t own_first(const hs_device_level &level)
{
  return (size_t)level.own.y0 * level.grid.pitch + level.own.x0;
}

__device__ __forceinline__ bool is_own(const hs_device_own &own, int i, int j)
{
  return i >= own.x0 && i < own.x1 && j >= own.y0 && j < own.y1;
}

/* Calls what follows for all nodes of the thread: i, j, n are set. */
#define FOR_NODES(grid)                                                                                                \
  for (int i = blockIdx.x * MG_BLOCK_W + threadIdx.x; i < (grid).nx; i += gridDim.x * MG_BLOCK_W)                      \
    for (int j = blockIdx.y * MG_BLOCK_H + threadIdx.y; j < (grid).ny; j += rows_step())

__global__ void mg_inflow(const __grid_constant__ hs_device_level level, const double *__restrict__ x,
                          const __grid_constant__ hs_device_right right, double *__restrict__ r,
                          const __grid_constant__ hs_device_reduction reduction)
{
  Tally own = hs_tally_zero();
  Adder adder;
  FOR_NODES(level.grid)
  {
    const size_t n = hs_grid_at(&level.grid, i, j);
    const hs_balance_f64 b = level.d_balance[mg_entry(level, i, j)];
    double inflow = hs_balance_inflow(&b, b.loss, x, n, level.grid.pitch);
    if (!right.alone) inflow += b.heat;
    if (!right.alone && level.d_source_w_m) inflow += b.free * level.d_source_w_m[(size_t)j * level.index_pitch + i];
    if (right.rest) inflow += right.rest[n];
    if (right.start) inflow = fma(b.storage, right.start[n] - x[n], inflow);
    inflow = b.free > 0.0 ? inflow : 0.0;
    r[n] = inflow;
    if (!is_own(level.own, i, j)) continue;
    own.max[0] = hs_tally_larger(fabs(inflow), own.max[0]);
    adder.add(inflow * inflow);
  }
  own.sum[0] = adder.total;
  block_publish<1, 1>(own, reduction);
}

cudaError_t hs_kernel_mg_inflow(const hs_device_level *level, const double *x, const hs_device_right *right, double *r,
                                const hs_device_reduction *reduction, cudaStream_t stream)
{
  return reduce<mg_inflow>(level->grid, stream, *level, x, *right, r, *reduction);
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
  Tally own = hs_tally_zero();
  Adder adder;
  FOR_NODES(grid) adder.add((double)v[hs_grid_at(&grid, i, j)]);
  own.sum[0] = adder.total;
  block_publish<0, 1>(own, reduction);
}

cudaError_t hs_kernel_mg_sum(const hs_device_level *level, int single, const void *v,
                             const hs_device_reduction *reduction, cudaStream_t stream)
{
  const hs_grid own = own_grid(*level);
  return launch_typed(single, [&](auto real) {
    using Real = decltype(real);
    return reduce<mg_sum<Real>>(own, stream, own, (const Real *)v + own_first(*level), *reduction);
  });
}

template <typename Real>
__global__ void mg_drop(const __grid_constant__ hs_grid grid, const __grid_constant__ hs_device_own counted, Real *v,
                        double mean, const __grid_constant__ hs_device_reduction reduction)
{
  Tally own = hs_tally_zero();
  Adder adder;
  FOR_NODES(grid)
  {
    const size_t n = hs_grid_at(&grid, i, j);
    v[n] -= (Real)mean;
    if (!is_own(counted, i, j)) continue;
    own.max[0] = hs_tally_larger(fabs((double)v[n]), own.max[0]);
    adder.add((double)v[n] * (double)v[n]);
  }
  own.sum[0] = adder.total;
  block_publish<1, 1>(own, reduction);
}

cudaError_t hs_kernel_mg_drop(const hs_device_level *level, int single, void *v, double mean,
                              const hs_device_reduction *reduction, cudaStream_t stream)
{
  return launch_typed(single, [&](auto real) {
    using Real = decltype(real);
    return reduce<mg_drop<Real>>(level->grid, stream, level->grid, level->own, (Real *)v, mean, *reduction);
  });
}

__global__ void mg_largest(const __grid_constant__ hs_grid grid, const double *x,
                           const __grid_constant__ hs_device_reduction reduction)
{
  Tally own = hs_tally_zero();
  FOR_NODES(grid) own.max[0] = hs_tally_larger(fabs(x[hs_grid_at(&grid, i, j)]), own.max[0]);
  block_publish<1, 0>(own, reduction);
}

cudaError_t hs_kernel_mg_largest(const hs_device_level *level, const double *x, const hs_device_reduction *reduction,
                                 cudaStream_t stream)
{
  const hs_grid own = own_grid(*level);
  return reduce<mg_largest>(own, stream, own, x + own_first(*level), *reduction);
}

/* --- fields of the sweeps -------------------------------------------------------------------- */

/* Dirichlet nodes get the temperature that the operator has for them. */
template <typename Real>
__global__ void mg_take(const __grid_constant__ hs_device_level level, const __grid_constant__ hs_device_own block,
                        const Real *field, int64_t pitch, double *x)
{
  const MgNode at = mg_node();
  const int i = block.x0 + at.i, j = block.y0 + at.j;
  if (i >= block.x1 || j >= block.y1) return;
  const hs_balance_f64 b = level.d_balance[mg_entry(level, i, j)];
  x[hs_grid_at(&level.grid, i, j)] = b.free > 0.0 ? (double)field[at.j * pitch + at.i] : b.heat;
}

cudaError_t hs_kernel_mg_take(const hs_device_level *level, const hs_device_own *block, int single, const void *field,
                              int64_t pitch, double *x, cudaStream_t stream)
{
  return launch_typed(single, [&](auto real) {
    using Real = decltype(real);
    return mg_launch(mg_take<Real>, block->x1 - block->x0, block->y1 - block->y0, stream, *level, *block,
                     (const Real *)field, pitch, x);
  });
}

/* Dirichlet nodes do not change by themselves. */
__global__ void mg_change(const __grid_constant__ hs_device_level level, const double *__restrict__ x,
                          const double *__restrict__ start, float *__restrict__ d)
{
  const MgNode at = mg_node();
  if (!mg_within(level.grid, at)) return;
  const size_t n = hs_grid_at(&level.grid, at.i, at.j);
  const bool is_free = level.d_balance[mg_entry(level, at.i, at.j)].free > 0.0;
  d[n] = is_free ? (float)(x[n] - start[n]) : 0.0F;
}

cudaError_t hs_kernel_mg_change(const hs_device_level *level, const double *x, const double *start, float *d,
                                cudaStream_t stream)
{
  return mg_launch(mg_change, level->grid.nx, level->grid.ny, stream, *level, x, start, d);
}

template <typename Real>
__global__ void mg_give(const __grid_constant__ hs_grid grid, const __grid_constant__ hs_device_own block,
                        const double *x, Real *field, int64_t pitch)
{
  const MgNode at = mg_node();
  const int i = block.x0 + at.i, j = block.y0 + at.j;
  if (i >= block.x1 || j >= block.y1) return;
  field[at.j * pitch + at.i] = (Real)x[hs_grid_at(&grid, i % grid.nx, j % grid.ny)];
}

cudaError_t hs_kernel_mg_give(const hs_device_level *level, const hs_device_own *block, int single, const double *x,
                              void *field, int64_t pitch, cudaStream_t stream)
{
  return launch_typed(single, [&](auto real) {
    using Real = decltype(real);
    return mg_launch(mg_give<Real>, block->x1 - block->x0, block->y1 - block->y0, stream, level->grid, *block, x,
                     (Real *)field, pitch);
  });
}
