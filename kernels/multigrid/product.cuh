/* Interpolation and the Galerkin product of an open grid that is coarsened in both directions, in one pass over the finer
 * level. A block has a tile of coarse nodes, a thread a node. Couplings of the fine nodes that it depends on, PRODUCT_GHOST
 * columns and rows around those below the tile, are copied to shared memory; weights are made there. The arithmetic of nodes
 * is that of numerics/coarsening.h. */
#ifndef HS_KERNELS_MULTIGRID_PRODUCT_CUH
#define HS_KERNELS_MULTIGRID_PRODUCT_CUH

#include "multigrid/pass.cuh"
#include "primitives.cuh"

static constexpr int PRODUCT_W = 32, PRODUCT_H = 8, PRODUCT_GHOST = 3;
static constexpr int PRODUCT_THREADS = PRODUCT_W * PRODUCT_H;
static constexpr int PRODUCT_PITCH = 2 * PRODUCT_W + 2 * PRODUCT_GHOST,
                     PRODUCT_ROWS = 2 * PRODUCT_H + 2 * PRODUCT_GHOST - 1;
static constexpr int PRODUCT_VALUES = PRODUCT_PITCH * PRODUCT_ROWS;

/* Couplings to corners are absent on the finest level. */
template <bool CORNERS> static constexpr int product_bytes()
{
  return PRODUCT_VALUES * ((CORNERS ? 5 : 3) * (int)sizeof(double) + 4 * (int)sizeof(float));
}

/* The coarse node in the tile's south-west is at (PRODUCT_GHOST, PRODUCT_GHOST). */
template <bool CORNERS> struct ProductTile {
  hs_couplings_f64 a;
  float *weight[4];

  __device__ __forceinline__ explicit ProductTile(double *shared)
      : a{shared, shared + PRODUCT_VALUES, CORNERS ? shared + 3 * PRODUCT_VALUES : nullptr,
          CORNERS ? shared + 4 * PRODUCT_VALUES : nullptr, shared + 2 * PRODUCT_VALUES}
  {
    float *const first = (float *)(shared + (CORNERS ? 5 : 3) * PRODUCT_VALUES);
    for (int k = 0; k < 4; k++) weight[k] = first + k * PRODUCT_VALUES;
  }

  /* Nodes beyond the ghosts have neither couplings nor weights; (i0, j0) is the tile's first node. */
  __device__ __forceinline__ void load(const hs_device_level &level, int i0, int j0) const
  {
    const hs_couplings_f64 &from = level.exact;
    for (int y = threadIdx.y; y < PRODUCT_ROWS; y += PRODUCT_H)
      for (int x = threadIdx.x; x < PRODUCT_PITCH; x += PRODUCT_W) {
        const int i = i0 + x, j = j0 + y, to = y * PRODUCT_PITCH + x;
        const bool here = i >= -1 && i <= level.grid.nx && j >= -1 && j <= level.grid.ny;
        const size_t n = here ? hs_grid_at(&level.grid, i, j) : 0;
        a.east[to] = here ? from.east[n] : 0.0;
        a.north[to] = here ? from.north[n] : 0.0;
        a.sum[to] = here ? from.sum[n] : 0.0;
        if (CORNERS) {
          a.northeast[to] = here ? from.northeast[n] : 0.0;
          a.northwest[to] = here ? from.northwest[n] : 0.0;
        }
        for (int k = 0; k < 4; k++) weight[k][to] = 0.0f;
      }
  }

  __device__ __forceinline__ void keep(int n, const float found[4]) const
  {
    for (int k = 0; k < 4; k++) weight[k][n] = found[k];
  }

  /* Weights of a coarse node, or of one between two of them along x or along y. */
  __device__ __forceinline__ void interpolate_line(int n, int along_x, int along_y) const
  {
    constexpr int P = PRODUCT_PITCH;
    const size_t low = along_x ? n - 1 : n - P, high = along_x ? n + 1 : n + P;
    const hs_line line = {low, low - P, high, high - P};
    double row[9];
    float found[4];
    hs_couplings_gather(&a, n, n - P, row);
    hs_couplings_cut(&a, n, n - P, n + P, along_x, row);
    hs_interpolation_line(&a, row, &line, along_x, along_y, found);
    keep(n, found);
  }

  __device__ __forceinline__ void interpolate_middle(int n) const
  {
    double row[9];
    float found[4];
    hs_couplings_gather(&a, n, n - PRODUCT_PITCH, row);
    hs_interpolation_middle(row, weight, n - 1, n + 1, n - PRODUCT_PITCH, n + PRODUCT_PITCH, found);
    keep(n, found);
  }

  /* Nodes up to two from those below the tile, then those in the middle of four up to one from them. Threads take nodes of
   * one kind after the other, so that those of a warp do the same. */
  __device__ __forceinline__ void interpolate(const hs_grid &grid, int i0, int j0) const
  {
    constexpr int W = PRODUCT_W, H = PRODUCT_H, COARSE = (W + 2) * (H + 2), ALONG_X = (W + 1) * (H + 2),
                  ALONG_Y = (W + 2) * (H + 1), MIDDLE = (W + 1) * (H + 1);
    const int thread = threadIdx.y * W + threadIdx.x;
    for (int k = thread; k < COARSE + ALONG_X + ALONG_Y; k += PRODUCT_THREADS) {
      const int along_x = k >= COARSE && k < COARSE + ALONG_X, along_y = k >= COARSE + ALONG_X;
      const int m = k - (k >= COARSE ? COARSE : 0) - (along_y ? ALONG_X : 0), across = along_x ? W + 1 : W + 2;
      const int x = 1 + 2 * (m % across) + along_x, y = 1 + 2 * (m / across) + along_y;
      if (in_grid(grid, i0 + x, j0 + y)) interpolate_line(y * PRODUCT_PITCH + x, along_x, along_y);
    }
    __syncthreads();
    for (int k = thread; k < MIDDLE; k += PRODUCT_THREADS) {
      const int x = 2 + 2 * (k % (W + 1)), y = 2 + 2 * (k / (W + 1));
      if (in_grid(grid, i0 + x, j0 + y)) interpolate_middle(y * PRODUCT_PITCH + x);
    }
  }
};

/* The weights of the three fine nodes that a coarse node has in the east, the north and the north-east. */
struct ProductCells {
  float2 *east, *north;
  float4 *northeast;
};

template <bool CORNERS>
__global__ void __launch_bounds__(PRODUCT_THREADS)
    mg_product(const __grid_constant__ hs_device_level level, const __grid_constant__ hs_grid coarse,
               const __grid_constant__ hs_couplings_f64 to, const __grid_constant__ ProductCells cells)
{
  const ProductTile<CORNERS> tile(dynamic_shared<double>());
  const int tile_j = blockIdx.z * gridDim.y + blockIdx.y;
  const int i = blockIdx.x * PRODUCT_W + threadIdx.x, j = tile_j * PRODUCT_H + threadIdx.y;
  const int i0 = 2 * (blockIdx.x * PRODUCT_W) - PRODUCT_GHOST, j0 = 2 * (tile_j * PRODUCT_H) - PRODUCT_GHOST;
  tile.load(level, i0, j0);
  __syncthreads();
  tile.interpolate(level.grid, i0, j0);
  __syncthreads();
  if (i >= coarse.nx || j >= coarse.ny) return;
  const hs_galerkin product = {{0, 0, PRODUCT_PITCH, 0, 0},
                               coarse,
                               1,
                               1,
                               tile.a,
                               {tile.weight[0], tile.weight[1], tile.weight[2], tile.weight[3]}};
  const int n = (PRODUCT_GHOST + 2 * threadIdx.y) * PRODUCT_PITCH + PRODUCT_GHOST + 2 * threadIdx.x;
  const int east = n + 1, north = n + PRODUCT_PITCH, northeast = north + 1;
  const size_t m = hs_grid_at(&coarse, i, j);
  float *const *w = tile.weight;
  double row[9];
  hs_galerkin_row_open(&product, n, row);
  to.sum[m] = row[4];
  to.east[m] = row[5];
  to.northwest[m] = row[6];
  to.north[m] = row[7];
  to.northeast[m] = row[8];
  cells.east[m] = {w[0][east], w[1][east]};
  cells.north[m] = {w[0][north], w[2][north]};
  cells.northeast[m] = {w[0][northeast], w[1][northeast], w[2][northeast], w[3][northeast]};
}

#endif
