/* Interpolation and the Galerkin product of an open grid that is coarsened in both directions, in one pass over the finer
 * level. A block has a tile of coarse nodes, a thread a node. Couplings of the fine nodes that it depends on, PRODUCT_GHOST
 * columns and rows around those below the tile, are copied to shared memory; weights are made there. Where these rows are all the
 * same, as below most of the tiles of a plate of few materials, so are those of the tile, and one is made for all. The arithmetic of
 * nodes is that of numerics/coarsening.h. */
#ifndef HS_KERNELS_MULTIGRID_PRODUCT_CUH
#define HS_KERNELS_MULTIGRID_PRODUCT_CUH

#include "multigrid/pass.cuh"
#include "primitives.cuh"

static constexpr int PRODUCT_W = HS_COARSE_TILE_W, PRODUCT_H = HS_COARSE_TILE_H, PRODUCT_GHOST = 3;
static constexpr int PRODUCT_THREADS = PRODUCT_W * PRODUCT_H;
static constexpr int PRODUCT_PITCH = 2 * PRODUCT_W + 2 * PRODUCT_GHOST,
                     PRODUCT_ROWS = 2 * PRODUCT_H + 2 * PRODUCT_GHOST - 1;
static constexpr int PRODUCT_ROWS_OF_ONE = 2 * PRODUCT_GHOST + 1; /* of them for one row of coarse nodes */
static constexpr int PRODUCT_VALUES = PRODUCT_PITCH * PRODUCT_ROWS;

/* Couplings to corners are absent on the finest level, whose others are found from its table. */
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

  /* Couplings of node (i, j) become those at `to`; nodes beyond the ghosts have none. */
  __device__ __forceinline__ void copy(const hs_device_level &level, int i, int j, int to) const
  {
    if constexpr (CORNERS) {
      const hs_couplings_f64 &from = level.exact;
      const bool here = i >= -1 && i <= level.grid.nx && j >= -1 && j <= level.grid.ny;
      const size_t n = here ? hs_grid_at(&level.grid, i, j) : 0;
      a.east[to] = here ? from.east[n] : 0.0;
      a.north[to] = here ? from.north[n] : 0.0;
      a.sum[to] = here ? from.sum[n] : 0.0;
      a.northeast[to] = here ? from.northeast[n] : 0.0;
      a.northwest[to] = here ? from.northwest[n] : 0.0;
    } else {
      const MgFinest node = in_grid(level.grid, i, j) ? mg_finest(level, i, j) : MgFinest{0.0, 0.0, 0.0};
      a.east[to] = node.east;
      a.north[to] = node.north;
      a.sum[to] = node.sum;
    }
  }

  /* Weights are 0 to begin with; (i0, j0) is the tile's first node. */
  __device__ __forceinline__ void load(const hs_device_level &level, int i0, int j0) const
  {
    for (int y = threadIdx.y; y < PRODUCT_ROWS; y += PRODUCT_H)
      for (int x = threadIdx.x; x < PRODUCT_PITCH; x += PRODUCT_W) {
        const int to = y * PRODUCT_PITCH + x;
        copy(level, i0 + x, j0 + y, to);
        for (int k = 0; k < 4; k++) weight[k][to] = 0.0f;
      }
  }

  /* The rows below the first row of coarse nodes, where all rows are alike: one, and copies. */
  __device__ __forceinline__ void load_alike(const hs_device_level &level, int i0, int j0) const
  {
    const int x = threadIdx.y * PRODUCT_W + threadIdx.x;
    if (x >= PRODUCT_PITCH) return;
    copy(level, i0 + x, j0, x);
    for (int k = 0; k < 4; k++) weight[k][x] = 0.0f;
    for (int y = 1; y < PRODUCT_ROWS_OF_ONE; y++) {
      const int to = y * PRODUCT_PITCH + x;
      a.east[to] = a.east[x];
      a.north[to] = a.north[x];
      a.sum[to] = a.sum[x];
      if constexpr (CORNERS) a.northeast[to] = a.northeast[x];
      if constexpr (CORNERS) a.northwest[to] = a.northwest[x];
      for (int k = 0; k < 4; k++) weight[k][to] = 0.0f;
    }
  }

  __device__ __forceinline__ static bool differ(double a, double b)
  {
    return __double_as_longlong(a) != __double_as_longlong(b);
  }

  /* Are all rows of the tile within the grid, and the first one? All threads ask, once all have loaded. */
  __device__ __forceinline__ bool rows_alike(const hs_grid &grid, int j0) const
  {
    bool different = false;
    if (j0 < 0 || j0 + PRODUCT_ROWS > grid.ny) return false;
    for (int y = threadIdx.y; y < PRODUCT_ROWS; y += PRODUCT_H)
      for (int x = threadIdx.x; x < PRODUCT_PITCH; x += PRODUCT_W) {
        const int n = y * PRODUCT_PITCH + x;
        different |= differ(a.east[n], a.east[x]) | differ(a.north[n], a.north[x]) | differ(a.sum[n], a.sum[x]) |
                     differ(a.northeast[n], a.northeast[x]) | differ(a.northwest[n], a.northwest[x]);
      }
    return !__syncthreads_or(different);
  }

  /* The same before anything is loaded, of the finest level: by the entries of these nodes and those around them. A lane compares
   * four columns, the first of which lies where eight bytes begin. */
  __device__ __forceinline__ static bool entries_alike(const hs_device_level &level, int i0, int j0)
  {
    constexpr int COLUMNS = 4, ROWS = PRODUCT_ROWS + 2;
    const hs_grid &grid = level.grid;
    const int place = i0 - PRODUCT_GHOST + 2 + COLUMNS * (int)threadIdx.x;
    static_assert(PRODUCT_GHOST == 3 && 2 * PRODUCT_W % COLUMNS == 0, "places of columns are multiples of four");
    bool different = false;
    if (!level.d_index || j0 < 1 || j0 + PRODUCT_ROWS >= grid.ny) return false;
    if (place >= 0 && place < grid.pitch && COLUMNS * (int)threadIdx.x < PRODUCT_PITCH + 2 * COLUMNS) {
      const uint16_t *const column = level.d_index + hs_grid_at(&grid, -1, j0 - 1) + place;
      const uint2 first = __ldg((const uint2 *)column);
#pragma unroll
      for (int y = 0; y < ROWS; y += PRODUCT_H) {
        const int row = min(y + (int)threadIdx.y, ROWS - 1);
        const uint2 now = __ldg((const uint2 *)(column + (size_t)row * grid.pitch));
        different |= (now.x != first.x) | (now.y != first.y);
      }
    }
    return !__syncthreads_or(different);
  }

  /* The same of a coarser level, by how it was made: four rows of tiles have the rows below the tile. */
  __device__ __forceinline__ static bool tiles_alike(const hs_device_level &level, int i0, int j0)
  {
    constexpr int SIDE = 4;
    const hs_tiles tiles = hs_device_tiles(&level.grid);
    const int column = (i0 + PRODUCT_GHOST) / HS_COARSE_TILE_W - 1 + (int)threadIdx.x % SIDE;
    const int lowest = (j0 + PRODUCT_GHOST) / HS_COARSE_TILE_H - 1, row = lowest + (int)threadIdx.x / SIDE;
    if (!level.d_tiles || lowest < 0 || lowest + SIDE > tiles.ny) return false;
    const bool asks = threadIdx.x < SIDE * SIDE && column >= 0 && column < tiles.nx;
    return __all_sync(0xffffffffu, !asks || level.d_tiles[row * tiles.nx + column]);
  }

  /* Is it known that all rows are alike, before anything is loaded? */
  __device__ __forceinline__ static bool known_alike(const hs_device_level &level, int i0, int j0)
  {
    return CORNERS ? tiles_alike(level, i0, j0) : entries_alike(level, i0, j0);
  }

  /* Loads what is needed: are all rows alike? Then it is what the first row of coarse nodes depends on. */
  __device__ __forceinline__ bool fill(const hs_device_level &level, int i0, int j0, bool known) const
  {
    bool alike = known;
    if (known)
      load_alike(level, i0, j0);
    else
      load(level, i0, j0);
    __syncthreads();
    if constexpr (CORNERS) alike = known || rows_alike(level.grid, j0);
    return alike;
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

  /* Weights as two rows before. */
  __device__ __forceinline__ void repeat(int n) const
  {
    for (int k = 0; k < 4; k++) weight[k][n] = weight[k][n - 2 * PRODUCT_PITCH];
  }

  /* The same where all rows are alike, for the first row of coarse nodes: a row of each kind, and copies. */
  __device__ __forceinline__ void interpolate_alike(const hs_grid &grid, int i0) const
  {
    constexpr int W = PRODUCT_W, P = PRODUCT_PITCH, COARSE = W + 2, ALONG_X = W + 1, ALONG_Y = W + 2;
    const int k = threadIdx.y * W + threadIdx.x;
    const int along_x = k >= COARSE && k < COARSE + ALONG_X, along_y = k >= COARSE + ALONG_X;
    const int m = k - (k >= COARSE ? COARSE : 0) - (along_y ? ALONG_X : 0);
    const int x = 1 + 2 * m + along_x, n = (1 + along_y) * P + x;
    static_assert(COARSE + ALONG_X + ALONG_Y <= PRODUCT_THREADS, "a thread has one node");
    if (k < COARSE + ALONG_X + ALONG_Y && i0 + x >= 0 && i0 + x < grid.nx) {
      interpolate_line(n, along_x, along_y);
      repeat(n + 2 * P);
      if (!along_y) repeat(n + 4 * P);
    }
    __syncthreads();
    if (k < W + 1 && i0 + 2 + 2 * k >= 0 && i0 + 2 + 2 * k < grid.nx) {
      interpolate_middle(2 * P + 2 + 2 * k);
      repeat(4 * P + 2 + 2 * k);
    }
  }
};

/* The weights of the three fine nodes that a coarse node has in the east, the north and the north-east. */
struct ProductCells {
  float2 *east, *north;
  float4 *northeast;
};

/* What is made of a coarse node. */
struct ProductNode {
  double sum, east, northwest, north, northeast;
  float2 cell_east, cell_north;
  float4 cell_northeast;

  template <bool CORNERS>
  __device__ __forceinline__ void make(const ProductTile<CORNERS> &tile, const hs_grid &coarse, int x, int y)
  {
    const hs_galerkin product = {{0, 0, PRODUCT_PITCH, 0, 0},
                                 coarse,
                                 1,
                                 1,
                                 tile.a,
                                 {tile.weight[0], tile.weight[1], tile.weight[2], tile.weight[3]}};
    const int n = (PRODUCT_GHOST + 2 * y) * PRODUCT_PITCH + PRODUCT_GHOST + 2 * x;
    const int to_east = n + 1, to_north = n + PRODUCT_PITCH, to_northeast = to_north + 1;
    float *const *w = tile.weight;
    double row[9];
    hs_galerkin_row_open(&product, n, row);
    sum = row[4];
    east = row[5];
    northwest = row[6];
    north = row[7];
    northeast = row[8];
    cell_east = {w[0][to_east], w[1][to_east]};
    cell_north = {w[0][to_north], w[2][to_north]};
    cell_northeast = {w[0][to_northeast], w[1][to_northeast], w[2][to_northeast], w[3][to_northeast]};
  }

  /* To shared memory and back, values PRODUCT_W apart. */
  __device__ __forceinline__ void put(double *couplings, float *weights) const
  {
    const double c[5] = {sum, east, northwest, north, northeast};
    const float w[8] = {cell_east.x,      cell_east.y,      cell_north.x,     cell_north.y,
                        cell_northeast.x, cell_northeast.y, cell_northeast.z, cell_northeast.w};
    for (int k = 0; k < 5; k++) couplings[k * PRODUCT_W] = c[k];
    for (int k = 0; k < 8; k++) weights[k * PRODUCT_W] = w[k];
  }
  __device__ __forceinline__ void get(const double *couplings, const float *weights)
  {
    constexpr int W = PRODUCT_W;
    sum = couplings[0];
    east = couplings[W];
    northwest = couplings[2 * W];
    north = couplings[3 * W];
    northeast = couplings[4 * W];
    cell_east = {weights[0], weights[W]};
    cell_north = {weights[2 * W], weights[3 * W]};
    cell_northeast = {weights[4 * W], weights[5 * W], weights[6 * W], weights[7 * W]};
  }

  __device__ __forceinline__ void store(const hs_couplings_f64 &to, const ProductCells &cells, size_t m) const
  {
    to.sum[m] = sum;
    to.east[m] = east;
    to.northwest[m] = northwest;
    to.north[m] = north;
    to.northeast[m] = northeast;
    cells.east[m] = cell_east;
    cells.north[m] = cell_north;
    cells.northeast[m] = cell_northeast;
  }
};

/* Nodes of one row lie where its own fine rows end, value after value. */
static constexpr int PRODUCT_ALIKE = (PRODUCT_ROWS_OF_ONE + 1) * PRODUCT_PITCH;
static_assert(PRODUCT_ALIKE + 8 * PRODUCT_W <= PRODUCT_VALUES, "a row of nodes fits behind what it is made of");

/* A thread's node of one tile, whose first fine node is (i0, j0); the tile's rows are then alike or not. All threads call it. */
template <bool CORNERS>
__device__ __forceinline__ bool product_make(const ProductTile<CORNERS> &tile, const hs_device_level &level,
                                             const hs_grid &coarse, int i0, int j0, bool known, ProductNode &node)
{
  const bool alike = tile.fill(level, i0, j0, known);
  if (alike) {
    double *const couplings = tile.a.east + PRODUCT_ALIKE + threadIdx.x;
    float *const weights = tile.weight[0] + PRODUCT_ALIKE + threadIdx.x;
    tile.interpolate_alike(level.grid, i0);
    __syncthreads();
    if (threadIdx.y == 0) {
      node.make(tile, coarse, threadIdx.x, 0);
      node.put(couplings, weights);
    }
    __syncthreads();
    node.get(couplings, weights);
  } else {
    tile.interpolate(level.grid, i0, j0);
    __syncthreads();
    node.make(tile, coarse, threadIdx.x, threadIdx.y);
  }
  return alike;
}

/* A block makes `each` tiles, one above the other. Tiles whose rows are alike, as those of the one below, have its nodes: the fine
 * rows of both overlap. */
template <bool CORNERS>
__global__ void __launch_bounds__(PRODUCT_THREADS)
    mg_product(const __grid_constant__ hs_device_level level, const __grid_constant__ hs_grid coarse,
               const __grid_constant__ hs_couplings_f64 to, const __grid_constant__ ProductCells cells,
               uint8_t *d_tiles, int each)
{
  const ProductTile<CORNERS> tile(dynamic_shared<double>());
  const hs_tiles tiles = hs_device_tiles(&coarse);
  const int tile_i = blockIdx.x, i = tile_i * PRODUCT_W + threadIdx.x,
            from = each * (blockIdx.z * gridDim.y + blockIdx.y);
  bool alike = false;
  ProductNode node;
  for (int tile_j = from; tile_j < min(from + each, tiles.ny); tile_j++) {
    const int i0 = 2 * tile_i * PRODUCT_W - PRODUCT_GHOST, j0 = 2 * tile_j * PRODUCT_H - PRODUCT_GHOST;
    const int j = tile_j * PRODUCT_H + threadIdx.y;
    const bool known = ProductTile<CORNERS>::known_alike(level, i0, j0);
    if (!known || !alike) {
      __syncthreads();
      alike = product_make(tile, level, coarse, i0, j0, known, node);
    }
    if (threadIdx.x == 0 && threadIdx.y == 0) d_tiles[tile_j * tiles.nx + tile_i] = alike;
    if (i < coarse.nx && j < coarse.ny) node.store(to, cells, hs_grid_at(&coarse, i, j));
  }
}

#endif
