/* Launch of interpolation and Galerkin product by tiles; multigrid/product.cuh has the method. */
#include "multigrid/product.cuh"

/* Tiles of a block, and how many there have to be, so that all multiprocessors have blocks enough. */
static constexpr int TILES_EACH = 4, MANY_TILES = 4000;

template <bool CORNERS>
static cudaError_t launch(const hs_device_level *level, const hs_device_level *coarse, const ProductCells &cells,
                          cudaStream_t stream)
{
  constexpr int BYTES = product_bytes<CORNERS>();
  const hs_grid &g = coarse->grid;
  const hs_tiles tiles = hs_device_tiles(&g);
  const int each = (double)tiles.nx * tiles.ny >= MANY_TILES ? TILES_EACH : 1;
  const dim3 grid = grid_of(tiles.nx, (tiles.ny + each - 1) / each);
  const cudaError_t code =
      cudaFuncSetAttribute(mg_product<CORNERS>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  if (code != cudaSuccess) return code;
  mg_product<CORNERS>
      <<<grid, dim3(PRODUCT_W, PRODUCT_H), BYTES, stream>>>(*level, g, coarse->exact, cells, coarse->d_tiles, each);
  return cudaGetLastError();
}

cudaError_t hs_kernel_mg_product(const hs_device_level *fine, const hs_device_level *coarse, cudaStream_t stream)
{
  const ProductCells cells = {(float2 *)fine->parents.d_east, (float2 *)fine->parents.d_north,
                              (float4 *)fine->parents.d_northeast};
  return fine->d_balance ? launch<false>(fine, coarse, cells, stream) : launch<true>(fine, coarse, cells, stream);
}
