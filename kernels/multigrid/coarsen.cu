/* The making of levels, a thread a node. */
#include "multigrid/node.cuh"
#include "multigrid/shares.cuh"

/* Ghosts have none. */
__global__ void mg_spread(const __grid_constant__ hs_device_level level)
{
  const hs_grid &g = level.grid;
  const MgNode at = mg_node();
  const int i = at.i - 1, j = at.j - 1;
  const size_t n = hs_grid_at(&g, i, j);
  if (i > g.nx || j > g.ny) return;
  if (i < 0 || j < 0 || i == g.nx || j == g.ny) {
    level.exact.east[n] = level.exact.north[n] = level.exact.sum[n] = 0.0;
    return;
  }
  const MgFinest own = mg_finest(level, i, j);
  level.exact.east[n] = own.east;
  level.exact.north[n] = own.north;
  level.exact.sum[n] = own.sum;
}

cudaError_t hs_kernel_mg_spread(const hs_device_level *level, cudaStream_t stream)
{
  return mg_launch(mg_spread, level->grid.nx + 2, level->grid.ny + 2, stream, *level);
}

/* Adds what nodes of a block count for; all threads call it. */
__device__ __forceinline__ void shares_add(const hs_level_shares &own, hs_level_shares *d_shares)
{
  __shared__ unsigned long long sum[5];
  const int thread = threadIdx.y * MG_BLOCK_W + threadIdx.x;
  if (thread < 5) sum[thread] = 0;
  __syncthreads();
  const int64_t counts[5] = {own.free, own.x_semi, own.y_semi, own.x_segment, own.y_segment};
  for (int k = 0; k < 5; k++) {
    const unsigned votes = __ballot_sync(0xffffffffu, counts[k] != 0);
    if (threadIdx.x == 0) atomicAdd(&sum[k], (unsigned long long)__popc(votes));
  }
  __syncthreads();
  if (thread < 5) atomicAdd((unsigned long long *)d_shares + thread, sum[thread]);
}

__global__ void mg_shares(const __grid_constant__ hs_device_level level, hs_level_shares *d_shares)
{
  const MgNode at = mg_node();
  hs_level_shares own = {0, 0, 0, 0, 0};
  if (at.i >= level.own.x0 && at.i < level.own.x1 && at.j >= level.own.y0 && at.j < level.own.y1) {
    double g[9];
    const size_t n = hs_grid_at(&level.grid, at.i, at.j);
    hs_couplings_gather(&level.exact, n, n - level.grid.pitch, g);
    hs_level_shares_count(g, &own);
  }
  shares_add(own, d_shares);
}

cudaError_t hs_kernel_mg_shares(const hs_device_level *level, hs_level_shares *d_shares, cudaStream_t stream)
{
  const cudaError_t code = cudaMemsetAsync(d_shares, 0, sizeof *d_shares, stream);
  if (code != cudaSuccess) return code;
  if (level->d_balance)
    return mg_launch(mg_shares_finest, level->grid.nx, (level->grid.ny + SHARES_ROWS - 1) / SHARES_ROWS, stream, *level,
                     d_shares);
  return mg_launch(mg_shares, level->grid.nx, level->grid.ny, stream, *level, d_shares);
}

struct MgWeights {
  float *weight[4];
};

/* middle 0: coarse nodes and those on lines between them; 1: those in the middle of four, from the others. */
__global__ void mg_interpolate(const __grid_constant__ hs_device_level level, const __grid_constant__ MgWeights w,
                               int middle)
{
  const hs_grid &g = level.grid;
  const MgNode at = mg_node();
  if (!mg_within(g, at)) return;
  const int odd_x = level.coarsen_x && at.i % 2, odd_y = level.coarsen_y && at.j % 2;
  if ((odd_x && odd_y) != middle) return;
  const size_t n = hs_grid_at(&g, at.i, at.j), south = n - g.pitch;
  const size_t east = hs_grid_at(&g, (at.i + 1) % g.nx, at.j), north = hs_grid_at(&g, at.i, (at.j + 1) % g.ny);
  double row[9];
  float found[4];
  hs_couplings_gather(&level.exact, n, south, row);
  if (middle) {
    hs_interpolation_middle(row, w.weight, n - 1, east, south, north, found);
  } else {
    const size_t beside = g.periodic_x ? east : n + 1;
    const hs_line line =
        odd_x ? hs_line{n - 1, south - 1, beside, beside - g.pitch} : hs_line{south, south - g.pitch, n + g.pitch, n};
    hs_couplings_cut(&level.exact, n, south, n + g.pitch, odd_x, row);
    hs_interpolation_line(&level.exact, row, &line, odd_x, odd_y, found);
  }
  for (int k = 0; k < 4; k++) w.weight[k][n] = found[k];
}

/* Restriction gathers from the ghosts in the west and south: there, children of the first coarse nodes are found again. */
__global__ void mg_weight_ghosts(const __grid_constant__ hs_grid g, const __grid_constant__ MgWeights w, int south)
{
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= (south ? g.nx + 1 : g.ny)) return;
  const size_t to = south ? hs_grid_at(&g, k - 1, -1) : hs_grid_at(&g, -1, k);
  const size_t from = south ? hs_grid_at(&g, k - 1, g.ny - 1) : hs_grid_at(&g, g.nx - 1, k);
  for (int m = 0; m < 4; m++) w.weight[m][to] = w.weight[m][from];
}

cudaError_t hs_kernel_mg_interpolate(const hs_device_level *level, float *d_weights, cudaStream_t stream)
{
  const hs_grid &g = level->grid;
  const size_t values = hs_grid_values(&g);
  const MgWeights w = {{d_weights, d_weights + values, d_weights + 2 * values, d_weights + 3 * values}};
  cudaError_t code = cudaSuccess;
  for (int middle = 0; middle <= 1 && code == cudaSuccess; middle++)
    code = mg_launch(mg_interpolate, g.nx, g.ny, stream, *level, w, middle);
  if (code == cudaSuccess && g.periodic_x && g.nx % 2 == 0)
    code = kernel_launch(mg_weight_ghosts, dim3((g.ny + 127) / 128), dim3(128), stream, g, w, 0);
  if (code == cudaSuccess && g.periodic_y && g.ny % 2 == 0)
    code = kernel_launch(mg_weight_ghosts, dim3((g.nx + 128) / 128), dim3(128), stream, g, w, 1);
  return code;
}

__global__ void mg_galerkin(const __grid_constant__ hs_galerkin product, const __grid_constant__ hs_couplings_f64 e)
{
  const MgNode at = mg_node();
  if (!mg_within(product.coarse, at)) return;
  const size_t n = hs_grid_at(&product.coarse, at.i, at.j);
  double row[9];
  hs_galerkin_row(&product, at.i, at.j, row);
  e.sum[n] = row[4];
  e.east[n] = row[5];
  e.northwest[n] = row[6];
  e.north[n] = row[7];
  e.northeast[n] = row[8];
}

cudaError_t hs_kernel_mg_galerkin(const hs_device_level *fine, const hs_device_level *coarse, cudaStream_t stream)
{
  const hs_galerkin product = {fine->grid,
                               coarse->grid,
                               fine->coarsen_x,
                               fine->coarsen_y,
                               fine->exact,
                               {fine->interpolation.weight[0], fine->interpolation.weight[1],
                                fine->interpolation.weight[2], fine->interpolation.weight[3]}};
  return mg_launch(mg_galerkin, coarse->grid.nx, coarse->grid.ny, stream, product, coarse->exact);
}

/* All values, ghosts included; inverses of nodes, and what they count for, as mg_shares does. m: six arrays. */
__global__ void mg_round_couplings(const __grid_constant__ hs_grid grid, const __grid_constant__ hs_couplings_f64 e,
                                   float *m, hs_level_shares *d_shares)
{
  const MgNode at = mg_node();
  const size_t values = hs_grid_values(&grid), n = (size_t)at.j * grid.pitch + at.i;
  hs_level_shares own = {0, 0, 0, 0, 0};
  if (at.i < grid.pitch && at.j < grid.ny + 2) {
    const bool node = at.i >= 1 && at.i <= grid.nx && at.j >= 1 && at.j <= grid.ny;
    m[n] = (float)e.east[n];
    m[values + n] = (float)e.north[n];
    m[2 * values + n] = (float)e.northeast[n];
    m[3 * values + n] = (float)e.northwest[n];
    m[4 * values + n] = (float)e.sum[n];
    m[5 * values + n] = 0.0f;
    if (node) {
      double g[9];
      hs_couplings_gather(&e, n, n - grid.pitch, g);
      m[5 * values + n] = (float)hs_couplings_inverse(g);
      hs_level_shares_count(g, &own);
    }
  }
  shares_add(own, d_shares);
}

cudaError_t hs_kernel_mg_round_couplings(const hs_device_level *level, float *d_couplings, hs_level_shares *d_shares,
                                         cudaStream_t stream)
{
  const cudaError_t code = cudaMemsetAsync(d_shares, 0, sizeof *d_shares, stream);
  if (code != cudaSuccess) return code;
  return mg_launch(mg_round_couplings, level->grid.pitch, level->grid.ny + 2, stream, level->grid, level->exact,
                   d_couplings, d_shares);
}

/* Values around the nodes of a padded array: the lowest and the highest row, and of the others what lies in the west and east. */
static int rim_values(const hs_grid &grid)
{
  return 2 * grid.pitch + grid.ny * (grid.pitch - grid.nx);
}

/* Place of the k-th of them. */
__device__ __forceinline__ size_t rim_at(const hs_grid &grid, int k)
{
  const int beside = grid.pitch - grid.nx, rest = k - 2 * grid.pitch, row = 1 + rest / beside, column = rest % beside;
  if (rest < 0) return (size_t)(k % grid.pitch) + (size_t)(k / grid.pitch) * (grid.ny + 1) * grid.pitch;
  return (size_t)row * grid.pitch + (column > 0 ? grid.nx + column : 0);
}

/* Of array blockIdx.y: the five of exact couplings, and two of weights with two, and one with four values a node. */
__global__ void mg_rim_clear(const __grid_constant__ hs_grid grid, int count, double *exact, float *cells)
{
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= count) return;
  const size_t values = hs_grid_values(&grid), n = rim_at(grid, k);
  const int array = blockIdx.y;
  if (array < 5)
    exact[array * values + n] = 0.0;
  else if (array < 7)
    ((float2 *)cells)[(array - 5) * values + n] = {0.0f, 0.0f};
  else
    ((float4 *)cells)[values + n] = {0.0f, 0.0f, 0.0f, 0.0f};
}

cudaError_t hs_kernel_mg_rim_clear(const hs_grid *grid, double *exact, float *cells, cudaStream_t stream)
{
  const int count = rim_values(*grid);
  return kernel_launch(mg_rim_clear, dim3((count + 255) / 256, cells ? 8 : 5), dim3(256), stream, *grid, count, exact,
                       cells);
}

template <typename Real> __global__ void mg_ghosts_clear(const __grid_constant__ hs_grid grid, int count, Real *v)
{
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) v[rim_at(grid, k)] = 0;
}

cudaError_t hs_kernel_mg_ghosts_clear(const hs_grid *grid, int single, void *v, cudaStream_t stream)
{
  const int count = rim_values(*grid);
  return launch_typed(single, [&](auto real) {
    using Real = decltype(real);
    return kernel_launch(mg_ghosts_clear<Real>, dim3((count + 255) / 256), dim3(256), stream, *grid, count, (Real *)v);
  });
}
