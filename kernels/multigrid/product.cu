/* Launch of interpolation and Galerkin product by tiles; multigrid/product.cuh has the method. */
#include "multigrid/product.cuh"

template <bool CORNERS>
static cudaError_t launch(const hs_device_level *level, const hs_device_level *coarse, const ProductCells &cells,
                          cudaStream_t stream)
{
  constexpr int BYTES = product_bytes<CORNERS>();
  const hs_grid &g = coarse->grid;
  const dim3 grid = grid_of((g.nx + PRODUCT_W - 1) / PRODUCT_W, (g.ny + PRODUCT_H - 1) / PRODUCT_H);
  const cudaError_t code =
      cudaFuncSetAttribute(mg_product<CORNERS>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  if (code != cudaSuccess) return code;
  mg_product<CORNERS><<<grid, dim3(PRODUCT_W, PRODUCT_H), BYTES, stream>>>(*level, g, coarse->exact, cells);
  return cudaGetLastError();
}

cudaError_t hs_kernel_mg_product(const hs_device_level *fine, const hs_device_level *coarse, cudaStream_t stream)
{
  const ProductCells cells = {(float2 *)fine->parents.d_east, (float2 *)fine->parents.d_north,
                              (float4 *)fine->parents.d_northeast};
  return fine->exact.northeast ? launch<true>(fine, coarse, cells, stream) : launch<false>(fine, coarse, cells, stream);
}
