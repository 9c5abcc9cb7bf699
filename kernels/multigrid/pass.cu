/* All of the cycle's work on a level in one pass down and one up. The grid is open and coarsened in both directions; nodes
 * outside it have coefficients and values of 0. */
#include "multigrid/strips.cuh"
#include "multigrid/tiles.cuh"

/* --- weights in cells ------------------------------------------------------------------------ */

__global__ void mg_cells(const __grid_constant__ hs_device_level level, const __grid_constant__ hs_grid coarse,
                         float2 *east, float2 *north, float4 *northeast)
{
  const MgNode at = mg_node();
  if (!mg_within(coarse, at)) return;
  const float *const *w = level.interpolation.weight;
  const size_t p = level.grid.pitch, m = hs_grid_at(&coarse, at.i, at.j);
  const size_t n = hs_grid_at(&level.grid, 2 * at.i, 2 * at.j), diagonal = n + p + 1;
  const bool has_east = 2 * at.i + 1 < level.grid.nx, has_north = 2 * at.j + 1 < level.grid.ny;
  if (has_east) east[m] = {w[0][n + 1], w[1][n + 1]};
  if (has_north) north[m] = {w[0][n + p], w[2][n + p]};
  if (has_east && has_north) northeast[m] = {w[0][diagonal], w[1][diagonal], w[2][diagonal], w[3][diagonal]};
}

cudaError_t hs_kernel_mg_cells(const hs_device_level *level, const hs_grid *coarse, const hs_device_parents *parents,
                               cudaStream_t stream)
{
  return mg_launch(mg_cells, coarse->nx, coarse->ny, stream, *level, *coarse, (float2 *)parents->d_east,
                   (float2 *)parents->d_north, (float4 *)parents->d_northeast);
}

/* --- launches -------------------------------------------------------------------------------- */

static bool tiles_are_better(const hs_grid &grid)
{
  return (double)grid.nx * grid.ny < 2e6;
}

static dim3 strips_of(int nx, int ny, int width, int height)
{
  return grid_of((nx + width * STRIP_WARPS - 1) / (width * STRIP_WARPS), (ny + height - 1) / height);
}

static dim3 tiles_of(int nx, int ny, int side)
{
  return dim3((nx + side - 1) / side, (ny + side - 1) / side);
}

/* Below a coarse node lie two fine columns and rows, or one: strips and tiles of coarse nodes cover the fine grid. */
cudaError_t hs_kernel_mg_down(const hs_device_level *level, const float *f, const float weights[2], float *u,
                              const hs_grid *coarse, float *coarse_f, cudaStream_t stream)
{
  const Weights w = {weights[0], weights[1]};
  const int nx = coarse->nx, ny = coarse->ny, strips = (nx + STRIP_DOWN - 1) / STRIP_DOWN;
  return launch_level(level, [&](auto fine) {
    if (tiles_are_better(level->grid))
      return kernel_launch(mg_down_tiles<fine>, tiles_of(nx, ny, TILE_DOWN), dim3(TILE, TILE), stream, *level, f, w, u,
                           *coarse, coarse_f);
    const int warps = STRIP_WARPS * mg_resident_blocks<mg_down_strips<fine>>(32 * STRIP_WARPS);
    const int height = mg_strip_rows(strips, ny, 3, 3, warps);
    return kernel_launch(mg_down_strips<fine>, strips_of(nx, ny, STRIP_DOWN, height), dim3(32, STRIP_WARPS), stream,
                         *level, f, w, u, *coarse, coarse_f, height);
  });
}

cudaError_t hs_kernel_mg_up(const hs_device_level *level, const hs_grid *coarse, const float *coarse_u, const float *f,
                            const float weights[2], const float *u, float *to, cudaStream_t stream)
{
  const hs_device_way_up from = {*coarse, coarse_u, f, u, {weights[0], weights[1]}};
  const int nx = level->grid.nx, ny = level->grid.ny, strips = (nx + STRIP_UP) / STRIP_UP;
  return launch_level(level, [&](auto fine) {
    if (tiles_are_better(level->grid))
      return kernel_launch(mg_up_tiles<fine>, tiles_of(nx, ny, TILE_UP), dim3(TILE, TILE), stream, *level, *coarse,
                           coarse_u, f, Weights{weights[0], weights[1]}, u, to);
    const int warps = STRIP_WARPS * mg_resident_blocks<mg_up_strips<fine>>(32 * STRIP_WARPS);
    const int height = mg_strip_rows(strips, ny, 4, 6, warps);
    return kernel_launch(mg_up_strips<fine>, strips_of(nx + 1, ny, STRIP_UP, height), dim3(32, STRIP_WARPS), stream,
                         *level, from, to, height);
  });
}
