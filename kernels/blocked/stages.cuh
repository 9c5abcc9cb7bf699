/* The arithmetic of cuda-blocked: what one warp makes of a row at each of its stages, by the kinds of rows. How rows come
 * and go, and which path they are, is blocked/sweep.cuh's, whose head has the method.
 */
#ifndef HS_KERNELS_BLOCKED_STAGES_CUH
#define HS_KERNELS_BLOCKED_STAGES_CUH

#include "blocked/blocked.h"
#include "primitives.cuh"

namespace blocked
{

static constexpr int STAGES = HS_BLOCKED_WARP_STAGES; /* of a warp */
static constexpr unsigned ALL = 0xffffffffu;

template <typename Real> struct Lane;
template <> struct Lane<double> {
  static constexpr int UNITS = HS_BLOCKED_UNITS_F64;
};
template <> struct Lane<float> {
  static constexpr int UNITS = HS_BLOCKED_UNITS_F32;
};

/* A lane's columns of a row. */
template <typename Real> struct Row {
  static constexpr int UNITS = Lane<Real>::UNITS, BYTES = 32 * UNITS * HS_BLOCKED_UNIT;
  static constexpr int PER_UNIT = HS_BLOCKED_UNIT / sizeof(Real), COLUMNS = UNITS * PER_UNIT;
  Real at[COLUMNS];
};

/* A lane's row from and to shared memory, a unit at a time. */
__device__ __forceinline__ void row_read(Row<double> &row, const uint4 *s_row)
{
#pragma unroll
  for (int u = 0; u < Row<double>::UNITS; u++) {
    const double2 unit = ((const double2 *)s_row)[u];
    row.at[2 * u] = unit.x;
    row.at[2 * u + 1] = unit.y;
  }
}

__device__ __forceinline__ void row_read(Row<float> &row, const uint4 *s_row)
{
#pragma unroll
  for (int u = 0; u < Row<float>::UNITS; u++) {
    const float4 unit = ((const float4 *)s_row)[u];
    row.at[4 * u] = unit.x;
    row.at[4 * u + 1] = unit.y;
    row.at[4 * u + 2] = unit.z;
    row.at[4 * u + 3] = unit.w;
  }
}

__device__ __forceinline__ void row_write(const Row<double> &row, uint4 *s_row)
{
#pragma unroll
  for (int u = 0; u < Row<double>::UNITS; u++) ((double2 *)s_row)[u] = make_double2(row.at[2 * u], row.at[2 * u + 1]);
}

__device__ __forceinline__ void row_write(const Row<float> &row, uint4 *s_row)
{
#pragma unroll
  for (int u = 0; u < Row<float>::UNITS; u++)
    ((float4 *)s_row)[u] = make_float4(row.at[4 * u], row.at[4 * u + 1], row.at[4 * u + 2], row.at[4 * u + 3]);
}

/* --- stages ----------------------------------------------------------------------------------- */

/* What a stage keeps. */
template <typename Real> struct Stage {
  Real old[Row<Real>::COLUMNS], pair[Row<Real>::COLUMNS]; /* pair[0]: of the next lane */
};

/* What a stage needs from the neighbouring lanes: old[0] of the next one, and pair[0]. */
template <typename Real> struct Beside {
  Real old, pair;

  __device__ __forceinline__ Beside(const Stage<Real> &stage, unsigned west)
      : old(__shfl_down_sync(ALL, stage.old[0], 1)), pair(__shfl_sync(ALL, stage.pair[0], (int)west))
  {
  }
};

__device__ __forceinline__ double quarter_sum(double quarter, double sum, double c)
{
  return fma(quarter, sum, c);
}

__device__ __forceinline__ float quarter_sum(float quarter, float sum, float c)
{
  return fmaf(quarter, sum, c);
}

__device__ __forceinline__ double weighted(double v1, double t1, double v2, double t2)
{
  return fma(v1, t1, v2 * t2);
}

__device__ __forceinline__ float weighted(float v1, float t1, float v2, float t2)
{
  return fmaf(v1, t1, v2 * t2);
}

/* What is known of the nodes of a row; see struct hs_blocked_row_kind. */
template <typename Real> struct Known {
  const Real *table; /* this lane's first element */
  hs_blocked_row_kind of;
  uint32_t dirichlet; /* this lane's columns */

  __device__ __forceinline__ const Real *constants() const
  {
    return (const Real *)((const char *)table + ((int64_t)of.place + 1) * HS_BLOCKED_LINE);
  }
  /* West, south, east, north of column x are at 0, 32, 64, 96 from 128 * x on. */
  __device__ __forceinline__ const Real *weights() const
  {
    return (const Real *)((const char *)table + (int64_t)of.weights * HS_BLOCKED_LINE);
  }
};

/* How rows are swept in groups. The same in all rows that are under way: all nodes of a lane have one constant and
 * equal weights; constants of their own, or none but a held value (a quarter of nothing: neither the sum nor the
 * pair of a Dirichlet node matters); any weights. Anew in each row: constants; any weights. Rows whose stage is not
 * asked for. */
enum Path { PLAIN, ALIKE, WEIGHED, MIXED, MIXED_WEIGHTS, SKIPPED };

/* A stage that is plain, alike or mixed: row r + 1 in, row r of the next stage out. From east to west, so that
 * each N+E takes the place of a pair that is no longer needed. c: the constants of rows that are alike, [0] that
 * of a plain lane. */
template <enum Path PATH, typename Real>
__device__ __forceinline__ void stage_equal(Row<Real> &row, Stage<Real> &stage, const Beside<Real> &beside,
                                            const Row<Real> &c, const Known<Real> &known)
{
  constexpr int N = Row<Real>::COLUMNS;
  const Real *const constants = known.constants();
  Real sum = row.at[N - 1] + beside.old; /* N + E of the column */
  const Real outermost = sum;
#pragma unroll
  for (int x = N - 1; x >= 0; x--) {
    const Real quarter = PATH == PLAIN || !(known.dirichlet >> x & 1) ? Real(0.25) : Real(0);
    const Real next = quarter_sum(quarter, sum + (x ? stage.pair[x] : beside.pair),
                                  PATH == MIXED ? load_constant(constants + 32 * x) : c.at[PATH == PLAIN ? 0 : x]);
    if (x) sum = row.at[x ? x - 1 : 0] + stage.old[x];
    stage.pair[x] = x ? sum : outermost;
    stage.old[x] = row.at[x];
    row.at[x] = next;
  }
}

/* Where the window meets the grid's borders, beyond which there is 0 in sums: has this lane the grid's last
 * column, the next one its first? The lane after the last one is the first. */
struct Borders {
  unsigned before, next; /* lanes */
  bool ends, begins;
};

/* All stages of a warp in rows whose nodes have any weights: column by column, for then these are loaded once for all
 * stages. Weights of 1 give what the sums above give. */
template <typename Real>
__device__ __forceinline__ void stages_weighed(Row<Real> &row, Stage<Real> (&stage)[STAGES], const Known<Real> &known,
                                               const Borders &borders)
{
  constexpr int N = Row<Real>::COLUMNS;
  const Real *const constants = known.constants(), *const weights = known.weights(),
                    *const of_next = weights - lane_index() + borders.next;
  Real beyond[STAGES], inner[STAGES],
      given[STAGES]; /* old[0] of the next lane; pair[0]; what came in the column before */
#pragma unroll
  for (int k = 0; k < STAGES; k++) {
    beyond[k] = __shfl_sync(ALL, stage[k].old[0], (int)borders.next);
    inner[k] = __shfl_sync(ALL, stage[k].pair[0], (int)borders.before);
    given[k] = Real(0);
  }
#pragma unroll
  for (int x = N - 1; x >= 0; x--) {
    const Real *const v = weights + 128 * x, *const u = x < N - 1 ? v + 128 : of_next;
    const Real of_east = load_constant(v + 64), of_north = load_constant(v + 96); /* of this column, */
    const Real of_west = load_constant(u), of_south = load_constant(u + 32);      /* and of the one east of it */
    const Real c = load_constant(constants + 32 * x), quarter = known.dirichlet >> x & 1 ? Real(0) : Real(0.25);
    Real value = row.at[x];
#pragma unroll
    for (int k = 0; k < STAGES; k++) {
      const Real south =
          x < N - 1 ? stage[k].old[x < N - 1 ? x + 1 : 0] : beyond[k]; /* of the column east of this one */
      const Real east = x == N - 1 && borders.ends ? Real(0) : south, sum = x ? stage[k].pair[x] : inner[k];
      const Real west = x == N - 1 && borders.begins ? Real(0) : value, in = value;
      value = quarter_sum(quarter, weighted(of_east, east, of_north, in) + sum, c);
      stage[k].pair[(x + 1) % N] = weighted(of_south, south, of_west, west);
      if (x < N - 1) stage[k].old[x < N - 1 ? x + 1 : 0] = given[k];
      given[k] = in;
    }
    row.at[x] = value;
  }
#pragma unroll
  for (int k = 0; k < STAGES; k++) stage[k].old[0] = given[k];
}

/* A stage whose nodes have any weights. here, next: what is known of the row that comes out and of the one after it. */
template <typename Real>
__device__ __forceinline__ void stage_mixed_weights(Row<Real> &row, Stage<Real> &stage, const Known<Real> &here,
                                                    const Known<Real> &next, const Borders &borders)
{
  constexpr int N = Row<Real>::COLUMNS;
  const Real beyond = __shfl_sync(ALL, stage.old[0], (int)borders.next),
             inner = __shfl_sync(ALL, stage.pair[0], (int)borders.before), outermost = row.at[N - 1];
  const Real *const constants = here.constants(), *const now = here.weights(), *const then = next.weights(),
                    *const of_next = then - lane_index() + borders.next;
  Real east = borders.ends ? Real(0) : beyond;
#pragma unroll
  for (int x = N - 1; x >= 0; x--) {
    const Real north = row.at[x], south = stage.old[x], sum = x ? stage.pair[x] : inner;
    const Real quarter = here.dirichlet >> x & 1 ? Real(0) : Real(0.25), c = load_constant(constants + 32 * x);
    const Real of_east = load_constant(now + 128 * x + 64), of_north = load_constant(now + 128 * x + 96);
    row.at[x] = quarter_sum(quarter, weighted(of_east, east, of_north, north) + sum, c);
    if (x) {
      const Real of_west = load_constant(then + 128 * x), of_south = load_constant(then + 128 * x + 32);
      stage.pair[x] = weighted(of_south, south, of_west, row.at[x ? x - 1 : 0]);
    }
    stage.old[x] = north;
    east = south;
  }
  stage.pair[0] =
      weighted(load_constant(of_next + 32), beyond, load_constant(of_next), borders.begins ? Real(0) : outermost);
}

/* A stage that is not asked for: the row passes unchanged, one row late as through any other. */
template <typename Real> __device__ __forceinline__ void stage_skip(Row<Real> &row, Stage<Real> &stage)
{
#pragma unroll
  for (int x = 0; x < Row<Real>::COLUMNS; x++) {
    const Real next = stage.old[x];
    stage.old[x] = row.at[x];
    row.at[x] = next;
  }
}

} // namespace blocked

#endif
