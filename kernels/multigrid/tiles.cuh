/* Passes over small grids. A block has a tile in shared memory, a thread a node; ghost zones as in strips. */
#ifndef HS_KERNELS_MULTIGRID_TILES_CUH
#define HS_KERNELS_MULTIGRID_TILES_CUH

#include "multigrid/pass.cuh"
#include "primitives.cuh"

static constexpr int TILE = 32;                  /* nodes along x and y */
static constexpr int TILE_DOWN = (TILE - 5) / 2; /* coarse nodes along x and y on the way down */
static constexpr int TILE_UP = TILE - 4;         /* nodes on the way up */

using TileOf = float[TILE][TILE];

/* Is the thread at least `margin` nodes from the tile's edge? */
__device__ __forceinline__ bool inside(int margin)
{
  const int x = threadIdx.x, y = threadIdx.y;
  return x >= margin && x < TILE - margin && y >= margin && y < TILE - margin;
}

__device__ __forceinline__ hs_around_f32 around_in(const TileOf &t)
{
  return hs_around(&t[0][0], threadIdx.y * TILE + threadIdx.x, TILE);
}

/* u at the thread's node, which goes by way of `first`; 0 in the outermost layer where it comes from neighbours. */
template <bool FINE, hs_way_down WAY>
__device__ __forceinline__ float tile_start(const Coefficients<FINE> &own, Weights weights, float right, TileOf &first)
{
  const int x = threadIdx.x, y = threadIdx.y;
  const bool odd_x = x % 2 == 0, odd_y = y % 2 == 0; /* the first node is in an odd column and row */
  if constexpr (WAY == HS_DOWN_SMOOTHED)
    first[y][x] = weights.first * own.inverse() * right;
  else
    first[y][x] = odd_x != odd_y ? line_of<FINE>(own, odd_x, right) : 0.0f;
  __syncthreads();
  if constexpr (WAY == HS_DOWN_SMOOTHED)
    return inside(1) ? own.relaxed(weights.second, right, first[y][x], around_in(first)) : 0.0f;
  if (!odd_x || !odd_y) return first[y][x];
  return inside(1) ? middle_of<FINE>(own, right, first[y][x - 1], first[y][x + 1], first[y - 1][x], first[y + 1][x])
                   : 0.0f;
}

template <bool FINE, hs_way_down WAY>
__global__ void __launch_bounds__(TILE *TILE)
    mg_down_tiles(const __grid_constant__ hs_device_level level, const float *__restrict__ f, Weights weights,
                  float *__restrict__ u, const __grid_constant__ hs_grid coarse, float *__restrict__ coarse_f)
{
  __shared__ TileOf first, second;
  const int x = threadIdx.x, y = threadIdx.y, coarse_i = blockIdx.x * TILE_DOWN, coarse_j = blockIdx.y * TILE_DOWN;
  const int i = 2 * coarse_i - 3 + x, j = 2 * coarse_j - 3 + y;
  const bool here = in_grid(level.grid, i, j);
  const size_t n = hs_grid_at(&level.grid, i, j);
  const Coefficients<FINE> own = coefficients_of<FINE>(level, {i, j});
  const int across = coarse_i + (x - 3) / 2, up = coarse_j + (y - 3) / 2; /* the coarse node at this one */
  const size_t m = hs_grid_at(&coarse, across, up), p = coarse.pitch;
  const bool restricts = inside(3) && x % 2 && y % 2 && across < min(coarse.nx, coarse_i + TILE_DOWN) &&
                         up < min(coarse.ny, coarse_j + TILE_DOWN);
  hs_nine_f32 nine = {};
  float value = 0.0f;
  if (restricts)
    nine = nine_of(own.inverse() > 0.0f ? 1.0f : 0.0f, cell_of(level.parents, m), cell_of(level.parents, m - 1),
                   cell_of(level.parents, m - p), cell_of(level.parents, m - p - 1));
  await_predecessor();
  const float right = here ? f[n] : 0.0f;
  if constexpr (WAY != HS_DOWN_GIVEN)
    value = tile_start<FINE, WAY>(own, weights, right, first);
  else if (here)
    value = u[n];
  second[y][x] = value;
  if (WAY != HS_DOWN_GIVEN && here && x >= 3 && x < 3 + 2 * TILE_DOWN && y >= 3 && y < 3 + 2 * TILE_DOWN) u[n] = value;
  __syncthreads();
  if (inside(2)) first[y][x] = own.residual(right, value, around_in(second));
  __syncthreads();
  if (restricts) {
    const hs_nine_f32 r = {first[y][x], around_in(first)};
    coarse_f[m] = hs_level_gather(&nine, &r);
  }
}

template <bool FINE>
__global__ void __launch_bounds__(TILE *TILE)
    mg_up_tiles(const __grid_constant__ hs_device_level level, const __grid_constant__ hs_grid coarse,
                const float *__restrict__ coarse_u, const float *__restrict__ f, Weights weights,
                const float *__restrict__ u, float *__restrict__ to)
{
  __shared__ TileOf first, second;
  const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * TILE_UP - 2 + x, j = blockIdx.y * TILE_UP - 2 + y;
  const bool here = in_grid(level.grid, i, j);
  const size_t n = hs_grid_at(&level.grid, i, j);
  const Coefficients<FINE> own = coefficients_of<FINE>(level, {i, j});
  Parents parents = {};
  const size_t m = hs_grid_at(&coarse, i / 2, j / 2);
  const bool odd_x = i % 2, odd_y = j % 2;
  float right = 0.0f, value = 0.0f;
  if (here) {
    if (odd_x && odd_y)
      parents.weigh(__ldg((const float4 *)level.parents.d_northeast + m));
    else if (odd_x || odd_y)
      parents.weigh(__ldg((const float2 *)(odd_y ? level.parents.d_north : level.parents.d_east) + m), odd_y);
  }
  await_predecessor();
  if (here) {
    right = f[n];
    parents.read(coarse_u, m, coarse.pitch, odd_x, odd_y);
    value = u[n];
  }
  value += parents.correction(own.inverse() > 0.0f, odd_x, odd_y);
  first[y][x] = value;
  __syncthreads();
  value = inside(1) ? own.relaxed(weights.first, right, value, around_in(first)) : 0.0f;
  second[y][x] = value;
  __syncthreads();
  if (here && inside(2)) to[n] = own.relaxed(weights.second, right, value, around_in(second));
}

#endif
