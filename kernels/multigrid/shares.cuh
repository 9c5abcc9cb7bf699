/* Shares of the finest level by which coarsening is chosen, counted from its table (numerics/coarsening.h). */
#ifndef HS_KERNELS_MULTIGRID_SHARES_CUH
#define HS_KERNELS_MULTIGRID_SHARES_CUH

#include "multigrid/node.cuh"

static constexpr int SHARES_ROWS = 32, SHARES_TOGETHER = 8; /* of a warp, and of them such that are read at once */

/* What couplings of a node follow from: table entries of its own and of those beside it, 0 where there are none. */
struct MgEntries {
  unsigned own, across, along; /* across: those in the west and east, along: in the south and north */

  __device__ __forceinline__ bool is(const MgEntries &e) const
  {
    return own == e.own && across == e.across && along == e.along;
  }
};

/* The finest level, from its table: a warp goes up some rows, and counts a node as the last one that had the same entries around
 * it; rows that are all alike at once. */
__global__ void mg_shares_finest(const __grid_constant__ hs_device_level level, hs_level_shares *d_shares)
{
  constexpr int TOGETHER = SHARES_TOGETHER;
  const hs_grid &g = level.grid;
  const hs_device_own &part = level.own;
  const int lane = threadIdx.x, i = blockIdx.x * MG_BLOCK_W + lane;
  const int from = ((blockIdx.z * gridDim.y + blockIdx.y) * MG_BLOCK_H + threadIdx.y) * SHARES_ROWS;
  const bool alone = lane == 0 && i == g.nx - 1; /* one of those beside it is not looked at */
  const int end = hs_coarsening_wrap(lane == 0 ? i - 1 : i + 1, g.nx, g.periodic_x); /* of the first and last lane */
  const bool at_end = (lane == 0 || lane == 31 || i == g.nx - 1) && end >= 0, counts = i >= part.x0 && i < part.x1;
  const auto entry = [&](bool here, int column, int row) {
    const int j = hs_coarsening_wrap(row, g.ny, g.periodic_y);
    return here && level.d_index && i < g.nx && j >= 0 ? (unsigned)__ldg(level.d_index + hs_grid_at(&g, column, j))
                                                       : 0u;
  };
  unsigned count[5] = {0, 0, 0, 0, 0}, node[5] = {0, 0, 0, 0, 0};
  MgEntries before = {0, 0, 0};
  bool known = false;
  for (int first = from; first < min(from + SHARES_ROWS, g.ny); first += TOGETHER) {
    unsigned own[TOGETHER + 2], beyond[TOGETHER];
    bool flat = !(alone && g.periodic_x) && level.d_index && first > 1 && first >= part.y0 &&
                first + TOGETHER <= min(part.y1, g.ny - 1);
#pragma unroll
    for (int k = 0; k < TOGETHER + 2; k++) own[k] = entry(true, i, first + k - 1);
#pragma unroll
    for (int k = 0; k < TOGETHER; k++) beyond[k] = entry(at_end, end, first + k);
#pragma unroll
    for (int k = 0; k < TOGETHER; k++) flat = flat && own[k] == own[TOGETHER + 1] && beyond[k] == beyond[0];
    flat = __all_sync(0xffffffffu, flat && own[TOGETHER] == own[TOGETHER + 1]);
#pragma unroll
    for (int k = 0; k < TOGETHER; k++) {
      const int j = first + k;
      if (flat && k > 0) break;
      const unsigned up = __shfl_up_sync(0xffffffffu, own[k + 1], 1),
                     down = __shfl_down_sync(0xffffffffu, own[k + 1], 1);
      const unsigned west = lane == 0 ? beyond[k] : up, east = lane == 31 || i == g.nx - 1 ? beyond[k] : down;
      const MgEntries at = {own[k + 1], west << 16 | east, own[k] << 16 | own[k + 2]};
      if (j >= g.ny || !counts || j < part.y0 || j >= part.y1) continue;
      /* beside a wall 0 stands for no node */
      if (!known || !at.is(before) || !level.d_index || j <= 1 || j >= g.ny - 1) {
        hs_level_shares found = {0, 0, 0, 0, 0};
        double c[9] = {};
        mg_finest_gather(level, i, j, c);
        hs_level_shares_count(c, &found);
        node[0] = (unsigned)found.free;
        node[1] = (unsigned)found.x_semi;
        node[2] = (unsigned)found.y_semi;
        node[3] = (unsigned)found.x_segment;
        node[4] = (unsigned)found.y_segment;
        known = !alone;
        before = at;
      }
#pragma unroll
      for (int m = 0; m < 5; m++) count[m] += flat ? TOGETHER * node[m] : node[m];
    }
  }
  for (int m = 0; m < 5; m++) {
    const unsigned all = __reduce_add_sync(0xffffffffu, count[m]);
    if (lane == 0 && all > 0) atomicAdd((unsigned long long *)d_shares + m, (unsigned long long)all);
  }
}

#endif
