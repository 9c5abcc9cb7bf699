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
static constexpr int CHUNK = 2;       /* rows that are read at once, ahead of their use */
static_assert(CHUNK == HS_ALIKE_ROWS, "what is held of a row read ahead is of the row CHUNK before");
static constexpr int PERIOD = 6; /* rows after which the places of rows in registers repeat */

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

#endif
