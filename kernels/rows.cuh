/* What the kernels of large fields share: a thread owns 16 bytes of a row (2 doubles, 4 floats) in ROWS rows, a warp
 * 32 such columns:
 *
 *        lane   0     1     2          31
 *             . n n | n n | n n | ... | n n .      row ROWS: read only
 *             w t t | t t | t t | ... | t t e      ROWS rows: read and updated
 *             . s s | s s | s s | ... | s s .      row -1: read only
 *
 * All its loads are independent and 16 bytes wide, so a few warps keep device memory busy. West and east come from the
 * neighbouring lane by shuffle; only the first and the last lane read one more element (w, e). Rows -1 and ROWS are
 * read twice, the second time from the L2 cache. A warp lies within one tile.
 */
#ifndef HS_KERNELS_ROWS_CUH
#define HS_KERNELS_ROWS_CUH

#include "device.cuh"

/* Threads of a block: few, because a block's loads stop while it reduces its norms. */
static constexpr int ROWS_BLOCK = 64;

/* Where a thread's nodes lie. */
template <typename Real, int ROWS> struct Place {
  int lane, i, j; /* first column and first row */
  int tile_x;
  int64_t n; /* offset of node (i, j) in a field */

  __device__ __forceinline__ explicit Place(const hs_device_system &system)
      : lane(threadIdx.x % 32), i((blockIdx.x * ROWS_BLOCK + threadIdx.x) * Vector<Real>::SIZE), j(block_row() * ROWS),
        tile_x((i - lane * Vector<Real>::SIZE) / HS_TILE_W), n(j * system.pitch + i)
  {
  }

  /* Else the whole warp lies beside the grid. */
  __device__ __forceinline__ bool inside(const hs_device_system &system) const
  {
    return tile_x < system.tiles_x && j < system.ny;
  }
};

/* Blocks that cover the grid. */
template <typename Real, int ROWS> static dim3 rows_grid(const hs_device_system *system)
{
  const int width = system->tiles_x * HS_TILE_W / Vector<Real>::SIZE; /* threads */
  return grid_of((width + ROWS_BLOCK - 1) / ROWS_BLOCK, (system->ny + ROWS - 1) / ROWS);
}

/* A thread's elements of a field. */
template <typename Real, int ROWS> struct Rows {
  static constexpr int SIZE = Vector<Real>::SIZE;
  Vector<Real> at[ROWS + 2]; /* row r is at[r + 1] */
  Real edge[ROWS];

  /* t: the thread's first node. */
  __device__ __forceinline__ void load(const Real *t, int64_t pitch, int lane)
  {
#pragma unroll
    for (int r = 0; r < ROWS + 2; r++) at[r].load(t + (r - 1) * pitch);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      edge[r] = 0;
      if (lane == 0 || lane == 31) edge[r] = t[r * pitch + (lane ? SIZE : -1)];
    }
  }

  /* The elements west and east of row r. */
  __device__ __forceinline__ void sides(int r, int lane, Real &west, Real &east) const
  {
    west = __shfl_up_sync(0xffffffffu, at[r + 1].at[SIZE - 1], 1);
    east = __shfl_down_sync(0xffffffffu, at[r + 1].at[0], 1);
    if (lane == 0) west = edge[r];
    if (lane == 31) east = edge[r];
  }
};

#endif
