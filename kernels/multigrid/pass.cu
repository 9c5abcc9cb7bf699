/* All of the cycle's work on a level in one pass down and one up. The grid is open and coarsened in both directions; nodes
 * outside it have coefficients and values of 0. */
#include "multigrid/strips_down.cuh"
#include "multigrid/strips_up.cuh"
#include "multigrid/tiles.cuh"

static dim3 strips_of(int nx, int ny, int width, int height)
{
  return grid_of((nx + width * STRIP_WARPS - 1) / (width * STRIP_WARPS), (ny + height - 1) / height);
}

static dim3 tiles_of(int nx, int ny, int side)
{
  return dim3((nx + side - 1) / side, (ny + side - 1) / side);
}

/* Below a coarse node lie two fine columns and rows, or one: strips and tiles of coarse nodes cover the fine grid. */
template <hs_way_down WAY>
static cudaError_t down(const hs_device_level *level, const float *f, Weights w, float *u, const hs_grid *coarse,
                        float *coarse_f, cudaStream_t stream)
{
  const int nx = coarse->nx, ny = coarse->ny, strips = (nx + STRIP_DOWN - 1) / STRIP_DOWN;
  return launch_level(level, [&](auto fine) {
    if (!hs_device_has_strips(level))
      return kernel_launch_dependent(mg_down_tiles<fine, WAY>, tiles_of(nx, ny, TILE_DOWN), dim3(TILE, TILE), 0, stream,
                                     *level, f, w, u, *coarse, coarse_f);
    const int warps = STRIP_WARPS * mg_resident_blocks<mg_down_strips<fine, WAY>>(32 * STRIP_WARPS);
    const int height = mg_strip_rows(strips, ny, 3, 3, warps);
    return kernel_launch_dependent(mg_down_strips<fine, WAY>, strips_of(nx, ny, STRIP_DOWN, height),
                                   dim3(32, STRIP_WARPS), 0, stream, *level, f, w, u, *coarse, coarse_f, height);
  });
}

cudaError_t hs_kernel_mg_down(const hs_device_level *level, hs_way_down way, const float *f, const float weights[2],
                              float *u, const hs_grid *coarse, float *coarse_f, cudaStream_t stream)
{
  const Weights none = {};
  switch (way) {
  case HS_DOWN_SMOOTHED: return down<HS_DOWN_SMOOTHED>(level, f, {weights[0], weights[1]}, u, coarse, coarse_f, stream);
  case HS_DOWN_CONDENSED: return down<HS_DOWN_CONDENSED>(level, f, none, u, coarse, coarse_f, stream);
  default: return down<HS_DOWN_GIVEN>(level, f, none, u, coarse, coarse_f, stream);
  }
}

cudaError_t hs_kernel_mg_up(const hs_device_level *level, const hs_grid *coarse, const float *coarse_u, const float *f,
                            const float weights[2], const float *u, float *to, cudaStream_t stream)
{
  const hs_device_way_up from = {*coarse, coarse_u, f, u, {weights[0], weights[1]}};
  const int nx = level->grid.nx, ny = level->grid.ny, strips = (nx + STRIP_UP) / STRIP_UP;
  return launch_level(level, [&](auto fine) {
    if (!hs_device_has_strips(level))
      return kernel_launch_dependent(mg_up_tiles<fine>, tiles_of(nx, ny, TILE_UP), dim3(TILE, TILE), 0, stream, *level,
                                     *coarse, coarse_u, f, Weights{weights[0], weights[1]}, u, to);
    const int warps = STRIP_WARPS * mg_resident_blocks<mg_up_strips<fine>>(32 * STRIP_WARPS);
    const int height = mg_strip_rows(strips, ny, 4, 6, warps);
    return kernel_launch_dependent(mg_up_strips<fine>, strips_of(nx + 1, ny, STRIP_UP, height), dim3(32, STRIP_WARPS),
                                   0, stream, *level, from, to, height);
  });
}
