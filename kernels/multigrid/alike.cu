/* Which rows of a level are those before, column by column: passes over strips keep what they have read of these. A warp
 * makes the words of its group, a lane for a column q. */
#include "multigrid/node.cuh"

/* Both columns of a padded row at place n, the odd one's. */
__device__ __forceinline__ uint2 pair_of(const float *array, size_t n)
{
  return __ldg((const uint2 *)(array + n));
}

__device__ __forceinline__ bool same(uint2 a, uint2 b)
{
  return a.x == b.x && a.y == b.y;
}

/* Coefficients of both columns of a row. */
template <bool FINE> struct RowOf {
  uint2 value[FINE ? 1 : 6] = {};

  __device__ __forceinline__ void read(const hs_device_level &level, size_t n)
  {
    if constexpr (FINE) {
      value[0] = {__ldg((const unsigned *)(level.d_index + n)), 0};
    } else {
      const hs_couplings_f32 &c = level.couplings;
      const float *const arrays[6] = {c.east, c.north, c.northeast, c.northwest, c.sum, c.inverse};
#pragma unroll
      for (int k = 0; k < 6; k++) value[k] = pair_of(arrays[k], n);
    }
  }
  __device__ __forceinline__ bool is(const RowOf &other) const
  {
    bool all = true;
#pragma unroll
    for (int k = 0; k < (FINE ? 1 : 6); k++) all = all && same(value[k], other.value[k]);
    return all;
  }
};

/* Weights of the three fine nodes of a coarse one. */
struct CellOf {
  uint2 east = {}, north = {}, west_parents = {}, east_parents = {};

  __device__ __forceinline__ void read(const hs_device_parents &p, size_t m)
  {
    east = pair_of(p.d_east, 2 * m);
    north = pair_of(p.d_north, 2 * m);
    west_parents = pair_of(p.d_northeast, 4 * m);
    east_parents = pair_of(p.d_northeast, 4 * m + 2);
  }
  __device__ __forceinline__ bool is(const CellOf &other) const
  {
    return same(east, other.east) && same(north, other.north) && same(west_parents, other.west_parents) &&
           same(east_parents, other.east_parents);
  }
};

static constexpr int TOGETHER = 4; /* rows that are read before any is compared */

/* Reads row after row of `rows`, and makes word w of them: is each row that STEP rows before? */
template <int STEP, typename Row, typename Read>
__device__ __forceinline__ void word_make(int rows, int w, bool here, uint32_t *word, Read read)
{
  Row before[STEP];
  unsigned bits = 0;
#pragma unroll
  for (int k = 0; k < STEP; k++)
    if (here && w > 0) read(before[k], 32 * w - STEP + k);
  for (int first = 0; first < 32; first += TOGETHER) {
    Row now[TOGETHER];
#pragma unroll
    for (int k = 0; k < TOGETHER; k++)
      if (here && 32 * w + first + k < rows) read(now[k], 32 * w + first + k);
#pragma unroll
    for (int k = 0; k < TOGETHER; k++) {
      const int row = 32 * w + first + k;
      const bool same = row >= STEP && row < rows && (!here || now[k].is(before[k % STEP]));
      if (__all_sync(0xffffffffu, same)) bits |= 1u << (first + k);
      before[k % STEP] = now[k];
    }
  }
  if (threadIdx.x == 0) *word = bits;
}

/* Are the rows of word w the same and those before it by the tiles from column `from` to `to`, columns that are not there left out?
 * All lanes ask. */
__device__ __forceinline__ bool tiles_alike(const uint8_t *d_tiles, const hs_grid &grid, int w, int from, int to)
{
  constexpr int UP = 32 / HS_COARSE_TILE_H;
  const hs_tiles tiles = hs_device_tiles(&grid);
  const int lowest = UP * w - 1, column = from + (int)threadIdx.x / (UP + 1),
            row = lowest + (int)threadIdx.x % (UP + 1);
  if (!d_tiles || lowest < 0 || UP * (w + 1) > tiles.ny) return false;
  const bool asks = column <= to && column >= 0 && column < tiles.nx;
  return __all_sync(0xffffffffu, !asks || d_tiles[row * tiles.nx + column]);
}

template <bool FINE>
__global__ void mg_alike(const __grid_constant__ hs_device_level level, const __grid_constant__ hs_device_level coarser,
                         uint32_t *d_rows, uint32_t *d_cells)
{
  const hs_grid &g = level.grid, &coarse = coarser.grid;
  const int w = blockIdx.x * MG_BLOCK_H + threadIdx.y, group = blockIdx.y, q = 32 * group + (int)threadIdx.x;
  /* columns 64 group - 1 to 64 group + 62, and one beside them, which a node's inverse depends on */
  const bool rows = !FINE && tiles_alike(level.d_tiles, g, w, 2 * group - 1, 2 * group + 1);
  const bool cells = tiles_alike(coarser.d_tiles, coarse, w, group, group);
  if (rows && w < level.alike.row_words && threadIdx.x == 0) d_rows[group * level.alike.row_words + w] = ~0u;
  if (cells && w < level.alike.cell_words && threadIdx.x == 0) d_cells[group * level.alike.cell_words + w] = ~0u;
  if (!rows && w < level.alike.row_words)
    word_make<HS_ALIKE_ROWS, RowOf<FINE>>(
        g.ny, w, q <= g.nx / 2, &d_rows[group * level.alike.row_words + w],
        [&](RowOf<FINE> &row, int j) { row.read(level, hs_grid_at(&g, 2 * q - 1, j)); });
  if (!cells && w < level.alike.cell_words)
    word_make<1, CellOf>(coarse.ny, w, q < coarse.nx, &d_cells[group * level.alike.cell_words + w],
                         [&](CellOf &cell, int j) { cell.read(level.parents, hs_grid_at(&coarse, q, j)); });
}

cudaError_t hs_kernel_mg_alike(const hs_device_level *level, const hs_device_level *coarse, uint32_t *d_rows,
                               uint32_t *d_cells, cudaStream_t stream)
{
  const int words = max(level->alike.row_words, level->alike.cell_words);
  const dim3 blocks((words + MG_BLOCK_H - 1) / MG_BLOCK_H, hs_device_alike_groups(&level->grid));
  return launch_level(level, [&](auto fine) {
    return kernel_launch(mg_alike<fine>, blocks, dim3(MG_BLOCK_W, MG_BLOCK_H), stream, *level, *coarse, d_rows,
                         d_cells);
  });
}
