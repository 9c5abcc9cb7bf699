/* The way down over a large grid by strips (strips.cuh). */
#ifndef HS_KERNELS_MULTIGRID_STRIPS_DOWN_CUH
#define HS_KERNELS_MULTIGRID_STRIPS_DOWN_CUH

#include "multigrid/strips.cuh"

/* Coarse columns of a strip: 58 fine ones, and six of ghost zone. */
static constexpr int STRIP_DOWN = 29;

/* Weights of restriction to one coarse row after another. */
struct CellWalk {
  Cell now, next, south, southwest;

  /* Reads the cell of row j + 1 ahead of its use, unless it is that of row j, and goes on to that one. */
  __device__ __forceinline__ void arrive(const hs_device_level &level, const hs_grid &coarse, int i, int j, bool here,
                                         bool alike)
  {
    now = next;
    if (here && !alike) next = cell_of(level.parents, hs_grid_at(&coarse, i, j + 1));
  }
  /* For the present row, which then is the one in the south. All lanes call it. */
  __device__ __forceinline__ hs_nine_f32 weights(float free)
  {
    Cell west; /* what of it counts */
    west.east.y = mg_from_west(now.east.y);
    west.northeast.y = mg_from_west(now.northeast.y);
    const hs_nine_f32 nine = nine_of(free, now, west, south, southwest);
    south = now;
    southwest.northeast.w = mg_from_west(now.northeast.w);
    return nine;
  }
};

/* Residuals of a row. */
template <bool FINE>
__device__ __forceinline__ MgLine residual_row(const CoefficientsPair<FINE> &g, float2 f, const MgLine &south,
                                               const MgLine &row, const MgLine &north)
{
  return mg_line(g.odd.residual(f.x, row.odd, around_odd(south, row, north)),
                 g.even.residual(f.y, row.even, around_even(south, row, north)));
}

/* A row of what u begins from; odd rows lie between coarse ones, as odd columns do. */
template <bool FINE, hs_way_down WAY>
__device__ __forceinline__ float2 begun_row(const CoefficientsPair<FINE> &g, float weight, float2 f, bool odd_row)
{
  if constexpr (WAY == HS_DOWN_SMOOTHED) return {weight * g.odd.inverse() * f.x, weight * g.even.inverse() * f.y};
  return {odd_row ? 0.0f : line_of<FINE>(g.odd, true, f.x), odd_row ? line_of<FINE>(g.even, false, f.y) : 0.0f};
}

/* A row of u from three of those. */
template <bool FINE, hs_way_down WAY>
__device__ __forceinline__ float2 made_row(const CoefficientsPair<FINE> &g, float weight, float2 f, const MgLine &south,
                                           const MgLine &row, const MgLine &north, bool odd_row)
{
  if constexpr (WAY == HS_DOWN_SMOOTHED) return relaxed_row<FINE>(g, weight, f, south, row, north);
  return {odd_row ? middle_of<FINE>(g.odd, f.x, row.west, row.even, south.odd, north.odd) : row.odd, row.even};
}

/* u of a row, where it is there. */
struct AheadField {
  float2 u = {};

  __device__ __forceinline__ void read(const hs_device_level &level, const float *field, int i, int j, bool here)
  {
    u = here ? *(const float2 *)(field + hs_grid_at(&level.grid, i, j)) : float2{0.0f, 0.0f};
  }
};

/* A lane on the way down. */
template <bool FINE, hs_way_down WAY> struct WayDown {
  Rows rows;
  Walk<FINE> walk;

  /* Row j arrives, the k-th one, with f and what u is given. u of row j - 1 and the residual of row j - 2 follow. All lanes
   * call it. */
  template <bool STEADY>
  __device__ __forceinline__ void advance(const hs_device_level &level, Weights weights, int k, int i, int j, float2 f,
                                          float2 given)
  {
    const int now = k % 3, before = (k + 2) % 3, last = (k + 1) % 3;
    const bool odd_row = k % 2 == 0;
    rows.f[now] = f;
    rows.free[now] = walk.template at<STEADY>(level, now, i, j).even.inverse() > 0.0f ? 1.0f : 0.0f;
    if constexpr (WAY == HS_DOWN_GIVEN) {
      rows.first[now] = mg_line(given.x, given.y);
      rows.second[before] = rows.first[before];
    } else {
      const float2 begun = begun_row<FINE, WAY>(walk.template at<STEADY>(level, now, i, j), weights.first, f, odd_row);
      rows.first[now] = mg_line(begun.x, begun.y);
      const float2 made =
          made_row<FINE, WAY>(walk.template at<STEADY>(level, before, i, j - 1), weights.second, rows.f[before],
                              rows.first[last], rows.first[before], rows.first[now], !odd_row);
      rows.second[before] = mg_line(made.x, made.y);
    }
    rows.third[last] = residual_row<FINE>(walk.template at<STEADY>(level, last, i, j - 2), rows.f[last],
                                          rows.second[now], rows.second[last], rows.second[before]);
  }
};

template <bool FINE, hs_way_down WAY>
__global__ void __launch_bounds__(32 * STRIP_WARPS, FINE ? 4 : 3)
    mg_down_strips(const __grid_constant__ hs_device_level level, const float *__restrict__ f, Weights weights,
                   float *__restrict__ u, const __grid_constant__ hs_grid coarse, float *__restrict__ coarse_f,
                   int height)
{
  await_predecessor();
  const int lane = threadIdx.x, coarse_from = (blockIdx.x * STRIP_WARPS + threadIdx.y) * STRIP_DOWN;
  const int coarse_i = coarse_from - 1 + lane, i = 2 * coarse_i - 1, ny = level.grid.ny;
  const int low = (blockIdx.z * gridDim.y + blockIdx.y) * height, high = min(low + height, coarse.ny);
  const int store_low = 2 * low, store_high = min(2 * high, ny);
  const bool here = i >= -1 && i < level.grid.nx, stores = here && lane > 0 && lane < 31;
  const bool has_cell = coarse_i >= 0 && coarse_i < coarse.nx, restricts = has_cell && lane > 0 && lane <= STRIP_DOWN;
  Ahead<FINE> arrived[CHUNK], ahead[CHUNK];
  AheadField given[CHUNK], given_ahead[CHUNK];
  WayDown<FINE, WAY> down;
  CellWalk cells;
  if (coarse_from >= coarse.nx) return;
  int j = 2 * low - 3;
  AlikeRows rows_alike(level.alike.d_rows, level.alike.row_words, level.grid, coarse_from - 1, 32);
  AlikeRows cells_alike(level.alike.d_cells, level.alike.cell_words, level.grid, coarse_from - 1, 32);
  ahead[0].read(level, f, i, j - 1, here && j - 1 >= 0, false);
  down.walk.arrive(level, 2, ahead[0], i, j - 1);
#pragma unroll
  for (int k = 0; k < CHUNK; k++) {
    ahead[k].read(level, f, i, j + k, here && j + k >= 0, false);
    if (WAY == HS_DOWN_GIVEN) given_ahead[k].read(level, u, i, j + k, here && j + k >= 0);
  }
  for (; j <= 2 * high + 1; j += PERIOD) {
#pragma unroll
    for (int k = 0; k < PERIOD; k++) { /* row j + k arrives; two rows behind it, the residual is known */
      const int now = k % 3, before = (k + 2) % 3, last = (k + 1) % 3, row = j + k, coarse_j = (row - 3) / 2;
      if (k % CHUNK == 0) {
        const bool cell_row = coarse_j + 1 >= 0 && coarse_j + 1 < high;
        const bool cell_alike = cell_row && coarse_j + 2 > low && cells_alike.is(coarse_j + 1);
        cells.arrive(level, coarse, coarse_i, coarse_j, has_cell && cell_row, cell_alike);
#pragma unroll
        for (int m = 0; m < CHUNK; m++) {
          const int next = row + CHUNK + m;
          const bool in_grid_row = (unsigned)next < (unsigned)ny;
          arrived[m] = ahead[m];
          ahead[m].read(level, f, i, next, here && in_grid_row, in_grid_row && rows_alike.is(next));
          given[m] = given_ahead[m];
          if (WAY == HS_DOWN_GIVEN) given_ahead[m].read(level, u, i, next, here && (unsigned)next < (unsigned)ny);
        }
      }
      const float free = down.rows.free[now]; /* of the row three before */
      down.walk.arrive(level, now, arrived[k % CHUNK], i, row);
      if (down.walk.steady(3))
        down.template advance<true>(level, weights, k, i, row, arrived[k % CHUNK].f, given[k % CHUNK].u);
      else
        down.template advance<false>(level, weights, k, i, row, arrived[k % CHUNK].f, given[k % CHUNK].u);
      const MgLine &made = down.rows.second[before];
      if (WAY != HS_DOWN_GIVEN && stores && row - 1 >= store_low && row - 1 < store_high)
        *(float2 *)(u + hs_grid_at(&level.grid, i, row - 1)) = {made.odd, made.even};
      if (k % 2 == 0) { /* the residual's row is odd: the last one of the coarse row */
        const MgLine *third = down.rows.third;
        const hs_nine_f32 nine = cells.weights(free);
        const hs_nine_f32 r = {third[now].even, around_even(third[before], third[now], third[last])};
        if (restricts && coarse_j >= low && coarse_j < high)
          coarse_f[hs_grid_at(&coarse, coarse_i, coarse_j)] = hs_level_gather(&nine, &r);
      }
    }
  }
}

#endif
