/* Passes over large grids. A warp goes through the rows of a strip; a lane has an odd column and the even one in its east. It
 * keeps the last three rows of each stage in registers, exchanges neighbours in x by shuffles and never waits for another
 * warp. What the stages need beside a strip is computed there, too: ghost zones of three nodes on the way down, and of two on
 * the way up, four in the west, where strips begin at an odd column. */
#ifndef HS_KERNELS_MULTIGRID_STRIPS_CUH
#define HS_KERNELS_MULTIGRID_STRIPS_CUH

#include "multigrid/alike.cuh"
#include "multigrid/pass.cuh"
#include "primitives.cuh"

static constexpr int STRIP_WARPS = 4; /* strips of a block */
static constexpr int STRIP_DOWN =
    29;                             /* coarse columns of a strip on the way down: 58 fine ones, and six of ghost zone */
static constexpr int STRIP_UP = 58; /* columns on the way up */
static constexpr int CHUNK = 2;     /* rows that are read at once, ahead of their use */
static constexpr int PERIOD = 6;    /* rows after which the places of rows in registers repeat */

__device__ __forceinline__ hs_around_f32 around_odd(const MgLine &south, const MgLine &row, const MgLine &north)
{
  return {row.west, row.even, south.odd, north.odd, south.west, south.even, north.west, north.even};
}
__device__ __forceinline__ hs_around_f32 around_even(const MgLine &south, const MgLine &row, const MgLine &north)
{
  return {row.odd, row.east, south.even, north.even, south.odd, south.east, north.odd, north.east};
}

/* Both columns of a row of a padded array; n is the odd one, and even in all arrays. */
__device__ __forceinline__ float2 both(const float *array, size_t n)
{
  return __ldg((const float2 *)(array + n));
}

/* What is read of a row ahead of its use; ghosts are 0. alike: but for f it is there already. */
template <bool FINE> struct Ahead;

template <> struct Ahead<true> {
  float2 f;
  unsigned entries; /* as they lie in memory: nothing waits for them here */

  __device__ __forceinline__ void read(const hs_device_level &level, const float *right, int i, int j, bool here,
                                       bool alike)
  {
    const size_t n = hs_grid_at(&level.grid, i, j);
    f = here ? both(right, n) : float2{0.0f, 0.0f};
    if (alike) return;
    entries = here && level.d_index ? __ldg((const unsigned *)(level.d_index + n)) : 0;
  }
};

template <> struct Ahead<false> {
  float2 f, east, north, northeast, northwest, sum, inverse;

  __device__ __forceinline__ void read(const hs_device_level &level, const float *right, int i, int j, bool here,
                                       bool alike)
  {
    const size_t n = hs_grid_at(&level.grid, i, j);
    f = here ? both(right, n) : float2{0.0f, 0.0f};
    if (alike) return;
    east = north = northeast = northwest = sum = inverse = {0.0f, 0.0f};
    if (!here) return;
    east = both(level.couplings.east, n);
    north = both(level.couplings.north, n);
    northeast = both(level.couplings.northeast, n);
    northwest = both(level.couplings.northwest, n);
    sum = both(level.couplings.sum, n);
    inverse = both(level.couplings.inverse, n);
  }
};

template <bool FINE> struct CoefficientsPair {
  Coefficients<FINE> odd, even;
};

/* Coefficients of the last three rows, row j at j modulo 3. On the finest level most nodes have those of the row before, and
 * only what differs is read again. On coarser ones half of a node's couplings are its neighbours' in the west and south. */
template <bool FINE> struct Walk;

template <> struct Walk<true> {
  CoefficientsPair<true> held;
  int odd = -2, even = -2; /* their entries in the table; -1: outside */
  unsigned entries[3] = {};
  int alike = 0; /* latest rows that have what is held */

  __device__ __forceinline__ int2 entries_of(const hs_device_level &level, unsigned both, int i, int j) const
  {
    const hs_grid &g = level.grid;
    const int node = j * level.index_pitch + i;
    const int2 at = level.d_index ? int2{(int)(both & 0xffff), (int)(both >> 16)} : int2{node, node + 1};
    const bool inside = (unsigned)j < (unsigned)g.ny;
    return {inside && (unsigned)i < (unsigned)g.nx ? at.x : -1,
            inside && (unsigned)(i + 1) < (unsigned)g.nx ? at.y : -1};
  }
  __device__ __forceinline__ void arrive(const hs_device_level &level, int k, const Ahead<true> &row, int i, int j)
  {
    const int2 now = entries_of(level, row.entries, i, j);
    entries[k] = row.entries;
    alike = now.x == odd && now.y == even ? alike + 1 : 0;
  }
  /* Do the latest `rows` rows of all lanes have what is held? All lanes call it. */
  __device__ __forceinline__ bool steady(int rows) const
  {
    return __all_sync(0xffffffffu, alike >= rows);
  }
  template <bool STEADY>
  __device__ __forceinline__ const CoefficientsPair<true> &at(const hs_device_level &level, int k, int i, int j)
  {
    if constexpr (!STEADY) {
      const int2 wanted = entries_of(level, entries[k], i, j);
      if (wanted.x != odd || wanted.y != even) {
        odd = wanted.x;
        even = wanted.y;
        alike = 0;
        held.odd = odd < 0 ? Coefficients<true>() : entry_of(level, odd);
        held.even = even < 0 ? Coefficients<true>() : entry_of(level, even);
      }
    }
    return held;
  }
};

template <> struct Walk<false> {
  CoefficientsPair<false> row[3];
  float2 north = {}, northeast = {}, northwest = {}; /* of the row before */

  /* All lanes call it. */
  __device__ __forceinline__ void arrive(const hs_device_level &, int k, const Ahead<false> &now, int, int)
  {
    row[k] = {{{mg_from_west(now.east.y), now.east.x, north.x, now.north.x, mg_from_west(northeast.y), northwest.y,
                now.northwest.x, now.northeast.x},
               now.sum.x,
               now.inverse.x},
              {{now.east.x, now.east.y, north.y, now.north.y, northeast.x, mg_from_east(northwest.x), now.northwest.y,
                now.northeast.y},
               now.sum.y,
               now.inverse.y}};
    north = now.north;
    northeast = now.northeast;
    northwest = now.northwest;
  }
  __device__ __forceinline__ bool steady(int) const
  {
    return true;
  }
  template <bool STEADY>
  __device__ __forceinline__ const CoefficientsPair<false> &at(const hs_device_level &, int k, int, int) const
  {
    return row[k];
  }
};

/* The last three rows of each stage, likewise. */
struct Rows {
  float2 f[3] = {};
  MgLine first[3] = {}, second[3] = {}, third[3] = {};
  float free[3] = {}; /* 1: the even column's node is not a Dirichlet node */
};

/* A row after a sweep of the one before it. */
template <bool FINE>
__device__ __forceinline__ float2 relaxed_row(const CoefficientsPair<FINE> &g, float weight, float2 f,
                                              const MgLine &south, const MgLine &row, const MgLine &north)
{
  return {g.odd.relaxed(weight, f.x, row.odd, around_odd(south, row, north)),
          g.even.relaxed(weight, f.y, row.even, around_even(south, row, north))};
}

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
        const bool cell_alike = level.alike.d_cells && cell_row && coarse_j + 2 > low && cells_alike.is(coarse_j + 1);
        cells.arrive(level, coarse, coarse_i, coarse_j, has_cell && cell_row, cell_alike);
#pragma unroll
        for (int m = 0; m < CHUNK; m++) {
          const int next = row + CHUNK + m;
          const bool in_grid_row = (unsigned)next < (unsigned)ny;
          arrived[m] = ahead[m];
          ahead[m].read(level, f, i, next, here && in_grid_row,
                        level.alike.d_rows && in_grid_row && rows_alike.is(next));
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

/* What is read of an even row and the odd one in its north ahead of their use on the way up: the coarse row at the even one
 * and weights for the odd column of the even row, the even column of the odd row and the odd column of the odd row. */
template <bool FINE> struct AheadUp {
  Ahead<FINE> node[2];
  float2 u[2];
  float parent;
  float2 west, north;
  float4 southwest;

  /* alike: rows j and j + 1, and the weights, have the coefficients that are there. */
  __device__ __forceinline__ void read(const hs_device_level &level, const hs_grid &coarse, const float *coarse_u,
                                       const float *f, const float *field, int i, int j, bool here,
                                       const bool (&alike)[3])
  {
    const int coarse_i = (i + 1) / 2, coarse_j = j / 2;
    const size_t m = hs_grid_at(&coarse, coarse_i, coarse_j);
    const bool even_row = here && j >= 0 && j < level.grid.ny, odd_row = here && j + 1 >= 0 && j + 1 < level.grid.ny;
    node[0].read(level, f, i, j, even_row, alike[0]);
    node[1].read(level, f, i, j + 1, odd_row, alike[1]);
    u[0] = even_row ? both(field, hs_grid_at(&level.grid, i, j)) : float2{0.0f, 0.0f};
    u[1] = odd_row ? both(field, hs_grid_at(&level.grid, i, j + 1)) : float2{0.0f, 0.0f};
    parent = here && coarse_j >= 0 && coarse_j < coarse.ny ? __ldg(coarse_u + m) : 0.0f; /* or a ghost in the east */
    if (alike[2]) return;
    west = north = {0.0f, 0.0f};
    southwest = {0.0f, 0.0f, 0.0f, 0.0f};
    if (even_row && i > 0) west = __ldg((const float2 *)level.parents.d_east + m - 1);
    if (odd_row && coarse_i < coarse.nx) north = __ldg((const float2 *)level.parents.d_north + m);
    if (odd_row && i > 0) southwest = __ldg((const float4 *)level.parents.d_northeast + m - 1);
  }
};

/* A lane on the way up. */
template <bool FINE> struct WayUp {
  AheadUp<FINE> arrived, ahead;
  Rows rows;
  Walk<FINE> walk;
  AlikeRows rows_alike, cells_alike;

  /* i: of the warp's first lane. */
  __device__ __forceinline__ WayUp(const hs_device_level &level, int i)
      : rows_alike(level.alike.d_rows, level.alike.row_words, level.grid, (i + 1) / 2, 32),
        cells_alike(level.alike.d_cells, level.alike.cell_words, level.grid, (i + 1) / 2 - 1, 33)
  {
  }

  /* Reads rows j and j + 1 ahead. */
  __device__ __forceinline__ void read(const hs_device_level &level, const hs_device_way_up &from, int i, int j,
                                       bool here)
  {
    const hs_device_alike &known = level.alike;
    const bool even_row = (unsigned)j < (unsigned)level.grid.ny, odd_row = (unsigned)(j + 1) < (unsigned)level.grid.ny;
    const bool alike[3] = {known.d_rows && even_row && rows_alike.is(j),
                           known.d_rows && odd_row && rows_alike.is(j + 1),
                           known.d_cells && even_row && cells_alike.is(j / 2)};
    ahead.read(level, from.coarse, from.coarse_u, from.f, from.u, i, j, here, alike);
  }

  /* j: the first row, an even one. */
  __device__ __forceinline__ void begin(const hs_device_level &level, const hs_device_way_up &from, int i, int j,
                                        bool here)
  {
    const bool none[3] = {};
    arrived.node[0].read(level, from.f, i, j - 1, here && j - 1 >= 0 && j - 1 < level.grid.ny, false);
    walk.arrive(level, 2, arrived.node[0], i, j - 1);
    ahead.read(level, from.coarse, from.coarse_u, from.f, from.u, i, j, here, none);
  }

  /* Row j arrives, the k-th one, and others are read ahead. */
  __device__ __forceinline__ void arrive(const hs_device_level &level, const hs_device_way_up &from, int k, int i,
                                         int j, bool here)
  {
    if (k % 2 == 0) {
      arrived = ahead;
      read(level, from, i, j + 2, here);
    }
    walk.arrive(level, k % 3, arrived.node[k % 2], i, j);
  }

  /* Both columns of row j - 2, smoothed. All lanes call it. */
  template <bool STEADY>
  __device__ __forceinline__ float2 smoothed(const hs_device_level &level, const float *weights, int k, int i, int j)
  {
    const int now = k % 3, before = (k + 2) % 3, last = (k + 1) % 3;
    float odd, even; /* corrections */
    if (k % 2 == 0) {
      const bool is_free = walk.template at<STEADY>(level, now, i, j).even.inverse() > 0.0f;
      even = (is_free ? 1.0f : 0.0f) * arrived.parent;
      odd = fmaf(arrived.west.y, arrived.parent, arrived.west.x * mg_from_west(arrived.parent));
    } else {
      even = fmaf(arrived.north.y, ahead.parent, arrived.north.x * arrived.parent);
      odd = fmaf(arrived.southwest.y, arrived.parent, arrived.southwest.x * mg_from_west(arrived.parent));
      odd = fmaf(arrived.southwest.w, ahead.parent, fmaf(arrived.southwest.z, mg_from_west(ahead.parent), odd));
    }
    rows.f[now] = arrived.node[k % 2].f;
    rows.first[now] = mg_line(arrived.u[k % 2].x + odd, arrived.u[k % 2].y + even);
    const float2 relaxed = relaxed_row<FINE>(walk.template at<STEADY>(level, before, i, j - 1), weights[0],
                                             rows.f[before], rows.first[last], rows.first[before], rows.first[now]);
    rows.second[before] = mg_line(relaxed.x, relaxed.y);
    return relaxed_row<FINE>(walk.template at<STEADY>(level, last, i, j - 2), weights[1], rows.f[last],
                             rows.second[now], rows.second[last], rows.second[before]);
  }
};

template <bool FINE>
__global__ void __launch_bounds__(32 * STRIP_WARPS, FINE ? 4 : 3)
    mg_up_strips(const __grid_constant__ hs_device_level level, const __grid_constant__ hs_device_way_up from,
                 float *__restrict__ to, int height)
{
  await_predecessor();
  const int lane = threadIdx.x, first = (blockIdx.x * STRIP_WARPS + threadIdx.y) * STRIP_UP - 1;
  const int i = first - 4 + 2 * lane;
  const int low = (blockIdx.z * gridDim.y + blockIdx.y) * height, high = min(low + height, level.grid.ny);
  const bool here = i >= -1 && i < level.grid.nx, stores = here && lane > 1 && lane < 31;
  if (first >= level.grid.nx) return;
  int j = low - 2; /* even */
  WayUp<FINE> up(level, first - 4);
  up.begin(level, from, i, j, here);
  for (; j <= high + 1; j += PERIOD) {
#pragma unroll
    for (int k = 0; k < PERIOD; k++) {
      const int row = j + k;
      up.arrive(level, from, k, i, row, here);
      const float2 smoothed = up.walk.steady(3) ? up.template smoothed<true>(level, from.weights, k, i, row)
                                                : up.template smoothed<false>(level, from.weights, k, i, row);
      if (stores && row - 2 >= low && row - 2 < high) *(float2 *)(to + hs_grid_at(&level.grid, i, row - 2)) = smoothed;
    }
  }
}

#endif
