/* The arithmetic of cuda-blocked: what the stages of a warp make of a row. blocked/sweep.cuh has the method, and chooses
 * the path.
 */
#ifndef HS_KERNELS_BLOCKED_STAGES_CUH
#define HS_KERNELS_BLOCKED_STAGES_CUH

#include "blocked/blocked.h"
#include "device.cuh"
#include "primitives.cuh"

namespace blocked
{

static constexpr int STAGES = HS_BLOCKED_WARP_STAGES; /* of a warp */
static constexpr unsigned ALL = 0xffffffffu;

/* A lane's columns of a row. */
template <typename Real> struct Row {
  static constexpr int UNITS = HS_BLOCKED_UNITS, BYTES = 32 * UNITS * HS_BLOCKED_UNIT;
  static constexpr int PER_UNIT = HS_BLOCKED_UNIT / sizeof(Real), COLUMNS = UNITS * PER_UNIT;
  Real at[COLUMNS];
};

/* A lane's row from and to shared memory, 16 bytes at a time. */
template <typename Real> struct alignas(HS_BLOCKED_UNIT) Unit {
  Real at[Row<Real>::PER_UNIT];
};

template <typename Real> __device__ __forceinline__ void row_read(Row<Real> &row, const uint4 *s_row)
{
#pragma unroll
  for (int u = 0; u < Row<Real>::UNITS; u++) {
    const Unit<Real> unit = ((const Unit<Real> *)s_row)[u];
#pragma unroll
    for (int e = 0; e < Row<Real>::PER_UNIT; e++) row.at[Row<Real>::PER_UNIT * u + e] = unit.at[e];
  }
}

template <typename Real> __device__ __forceinline__ void row_write(const Row<Real> &row, uint4 *s_row)
{
#pragma unroll
  for (int u = 0; u < Row<Real>::UNITS; u++) {
    Unit<Real> unit;
#pragma unroll
    for (int e = 0; e < Row<Real>::PER_UNIT; e++) unit.at[e] = row.at[Row<Real>::PER_UNIT * u + e];
    ((Unit<Real> *)s_row)[u] = unit;
  }
}

/* --- stages ----------------------------------------------------------------------------------- */

/* What a stage keeps of the rows that it took. */
template <typename Real> struct Stage {
  Real old[Row<Real>::COLUMNS], pair[Row<Real>::COLUMNS]; /* pair[0] is the next lane's */
};

/* What a stage needs from the neighbouring lanes: old[0] of the next one, and pair[0]. */
template <typename Real> struct Beside {
  Real old, pair;

  __device__ __forceinline__ Beside(const Stage<Real> &stage, unsigned west)
      : old(__shfl_down_sync(ALL, stage.old[0], 1)), pair(__shfl_sync(ALL, stage.pair[0], (int)west))
  {
  }
};

template <typename Real> __device__ __forceinline__ Real weighted(Real v1, Real t1, Real v2, Real t2)
{
  return fma(v1, t1, v2 * t2);
}

/* What is known of the nodes of a row; see struct hs_blocked_row_kind. */
template <typename Real> struct RowKind {
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

/* How a group of rows is swept. Of one kind are all rows under way: those that are in a stage while the group goes in.
 *
 *     PLAIN          of one kind: equal weights, and each lane's nodes have one constant
 *     ALIKE          of one kind: equal weights or Dirichlet nodes, constants of their own
 *     WEIGHED        of one kind: any weights
 *     MIXED          of several kinds with equal weights or Dirichlet nodes
 *     MIXED_WEIGHTS  of several kinds with any weights
 *     SKIPPED        by stages beyond the sweeps of a shorter pass: rows go through unchanged
 *
 * A Dirichlet node is a node of equal weights that takes 0 of its neighbours' sum instead of a quarter. */
enum Path { PLAIN, ALIKE, WEIGHED, MIXED, MIXED_WEIGHTS, SKIPPED };

/* A stage on the paths PLAIN, ALIKE and MIXED: takes row r + 1 and gives row r of the next stage. From east to west, so
 * that each N+E takes the place of a pair that is no longer needed. c: constants of the columns; PLAIN: c.at[0] is that
 * of all; MIXED: unused. */
template <enum Path PATH, typename Real>
__device__ __forceinline__ void stage_equal(Row<Real> &row, Stage<Real> &stage, const Beside<Real> &beside,
                                            const Row<Real> &c, const RowKind<Real> &kind)
{
  constexpr int N = Row<Real>::COLUMNS;
  const Real *const constants = kind.constants();
  Real sum = row.at[N - 1] + beside.old; /* N + E of the column */
  const Real outermost = sum;
#pragma unroll
  for (int x = N - 1; x >= 0; x--) {
    const Real quarter = PATH == PLAIN || !(kind.dirichlet >> x & 1) ? Real(0.25) : Real(0);
    const Real next = fma(quarter, sum + (x ? stage.pair[x] : beside.pair),
                          PATH == MIXED ? load_constant(constants + 32 * x) : c.at[PATH == PLAIN ? 0 : x]);
    if (x) sum = row.at[x ? x - 1 : 0] + stage.old[x];
    stage.pair[x] = x ? sum : outermost;
    stage.old[x] = row.at[x];
    row.at[x] = next;
  }
}

/* Where the window meets the grid's borders, beyond which sums take 0. The lane after the last one is the first. */
struct Borders {
  unsigned before, next; /* the lanes beside this one */
  bool ends, begins;     /* this lane has the grid's last column; the next one has its first */
};

/* All stages of a warp on the path WEIGHED: column by column, so that weights are loaded once for all stages. Weights of
 * 1 give the bits of the sums above. */
template <typename Real>
__device__ __forceinline__ void stages_weighed(Row<Real> &row, Stage<Real> (&stage)[STAGES], const RowKind<Real> &kind,
                                               const Borders &borders)
{
  constexpr int N = Row<Real>::COLUMNS;
  const Real *const constants = kind.constants(), *const weights = kind.weights(),
                    *const of_next = weights - lane_index() + borders.next;
  Real beyond[STAGES], inner[STAGES],
      given[STAGES]; /* old[0] of the next lane; pair[0]; the value taken in the column before */
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
    const Real c = load_constant(constants + 32 * x), quarter = kind.dirichlet >> x & 1 ? Real(0) : Real(0.25);
    Real value = row.at[x];
#pragma unroll
    for (int k = 0; k < STAGES; k++) {
      const Real south =
          x < N - 1 ? stage[k].old[x < N - 1 ? x + 1 : 0] : beyond[k]; /* of the column east of this one */
      const Real east = x == N - 1 && borders.ends ? Real(0) : south, sum = x ? stage[k].pair[x] : inner[k];
      const Real west = x == N - 1 && borders.begins ? Real(0) : value, in = value;
      value = fma(quarter, weighted(of_east, east, of_north, in) + sum, c);
      stage[k].pair[(x + 1) % N] = weighted(of_south, south, of_west, west);
      if (x < N - 1) stage[k].old[x < N - 1 ? x + 1 : 0] = given[k];
      given[k] = in;
    }
    row.at[x] = value;
  }
#pragma unroll
  for (int k = 0; k < STAGES; k++) stage[k].old[0] = given[k];
}

/* A stage on the path MIXED_WEIGHTS. here, next: the kinds of the row that is given and of the one after it. */
template <typename Real>
__device__ __forceinline__ void stage_mixed_weights(Row<Real> &row, Stage<Real> &stage, const RowKind<Real> &here,
                                                    const RowKind<Real> &next, const Borders &borders)
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
    row.at[x] = fma(quarter, weighted(of_east, east, of_north, north) + sum, c);
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

/* A stage on the path SKIPPED: the row goes through unchanged, late by a row as through any other. */
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
