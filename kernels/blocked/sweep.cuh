/* Temporal blocking over device memory: cuda-blocked makes up to 32 sweeps in one pass.
 *
 * A block streams the rows of a strip of columns from south to north through 8 warps. Warp w owns four stages: it makes
 * sweeps 4w+1 .. 4w+4 of each row, and hands the result to warp w + 1 through a circular buffer of rows (ring) in
 * shared memory. Three more warps move the rows, and what is known of them, to the first ring and from the last
 * (blocked/producers.cuh):
 *
 *      device             stages           stages                    stages            device
 *      memory ---> ring   1  2  3  4  ring 5  6  7  8  ring ... ring 29 30 31 32  ring ---> memory
 *      row producer         warp 0           warp 1                    warp 7         store warp
 *      kind producer
 *
 * There is no barrier: full and empty flags let every warp run as far ahead as the rings allow. (A barrier after each
 * row made the same arithmetic take 29 % longer; when the first and the last warp drove the copy engine themselves, all
 * others waited for them a fifth of the time.)
 *
 * Arithmetic. A row is 32 lanes by 5 units of 16 bytes; the odd number lets eight lanes that access their units at the
 * same time use all banks of shared memory. A stage that takes row r + 1 gives row r to the next one. It keeps two rows
 * in registers (numerics/node.h: each pair serves two nodes),
 *
 *      old[x]  = t(x, r)                          the row taken last
 *      pair[x] = t(x, r - 1) + t(x - 1, r)        S + W of its nodes, or fma(vS, S, vW*W)
 *
 * and from value = t(x, r + 1) it computes
 *
 *      t'(x, r) = fma(1/4, (value + old[x + 1]) + pair[x], c)
 *
 * whose first sum is pair[x + 1] of the next row: two additions and one fma a node. old and pair cross lanes by two
 * shuffles a row. They need nothing of the new row, so they begin before it is waited for; pair[0] of a lane is kept by
 * the lane before it (that of the first lane by the last).
 *
 * Ghost zones. The outermost columns of a strip's window and the first rows of an item lack neighbours, and each stage
 * spoils one column and row more. So windows and items overlap, and their edges are computed redundantly. The walls
 * stay exact: Dirichlet nodes and nodes outside the grid multiply their neighbours by 0. That needs finite neighbours,
 * hence the limit HS_BLOCKED_LARGEST_F64.
 *
 * Registers. In double precision 4 stages x 2 rows x 10 columns and the row under way take 180 of 240 registers. A
 * quarter of a multiprocessor has registers for three warps of 168. From compute capability 9.0 on warps trade them
 * (primitives.cuh): two computing warps have 240 and the third one, which moves rows, 24. On older devices the stages
 * spill. A new row takes the registers of the oldest of five, so five rows in turn (a group) need no moves.
 *
 * Paths. A group of rows is swept by one of six pieces of code without branches (enum Path, blocked/stages.cuh): while
 * all rows under way are of one kind, its constants or weights are loaded once; near a change of kind each stage loads
 * what belongs to its row.
 */
#ifndef HS_KERNELS_BLOCKED_SWEEP_CUH
#define HS_KERNELS_BLOCKED_SWEEP_CUH

#include "blocked/producers.cuh"

namespace blocked
{

/* A warp that computes. WEIGHTS: there may be nodes of unequal weights. Without them the code is much shorter, so that
 * the instruction cache holds it. g, n: numbers of rows since the start of the launch. */
template <typename Real, bool WEIGHTS> struct Stream {
  static constexpr int UNITS = Row<Real>::UNITS;
  Shared<Real> &s;
  const hs_device_system &system;
  const hs_blocked_plan &plan;
  unsigned lane, warp;
  unsigned &full_seen, &empty_seen; /* the flags as last read: of this warp's input, of its output */

  /* Waits until rows g .. g + rows - 1 of the input have been written. */
  __device__ __forceinline__ void wait_input(unsigned g, unsigned rows) const
  {
    if ((int)(full_seen - g - rows) < 0) full_seen = shared_wait(&s.full[warp], g + rows);
  }

  __device__ __forceinline__ void take(Row<Real> &row, unsigned g) const
  {
    row_read(row, s.row[warp][g % RING] + lane * UNITS);
  }

  /* Rows before `end` have been read. */
  __device__ __forceinline__ void release_input(unsigned end) const
  {
    __syncwarp();
    if (lane == 0) shared_store_release(&s.empty[warp], end);
  }

  /* Waits until the output has room for rows g .. g + rows - 1. */
  __device__ __forceinline__ void wait_output(unsigned g, unsigned rows) const
  {
    if ((int)(empty_seen - g - rows + RING) < 0) empty_seen = shared_wait(&s.empty[warp + 1], g + rows - RING);
  }

  __device__ __forceinline__ void give(const Row<Real> &row, unsigned g) const
  {
    row_write(row, s.row[warp + 1][g % RING] + lane * UNITS);
  }

  /* Rows before `end` have been written. */
  __device__ __forceinline__ void release_output(unsigned end) const
  {
    if (warp == WARPS - 1) bulk_publish();
    __syncwarp();
    if (lane == 0) shared_store_release(&s.full[warp + 1], end);
  }

  /* What is known of row g of this warp's input, which the stages of earlier warps have made late by a row each. */
  __device__ __forceinline__ uint32_t descriptor_at(unsigned g) const
  {
    return s.descriptor[(g - warp * STAGES) % KINDS_KEPT];
  }
  __device__ __forceinline__ RowKind<Real> kind_at(unsigned g) const
  {
    const hs_blocked_row_kind of = s.kind[(g - warp * STAGES) % KINDS_KEPT];
    const char *const entry = (const char *)plan.d_table + (int64_t)of.place * HS_BLOCKED_LINE;
    return {(const Real *)plan.d_table + lane, of, __ldg((const uint32_t *)entry + lane)};
  }

  /* Sweeps a group of rows from row g on. common, c: kind and constants of all rows under way, where they are one. */
  template <enum Path PATH>
  __device__ __forceinline__ void group(unsigned g, const RowKind<Real> &common, const Row<Real> &c, int column0,
                                        Stage<Real> (&stage)[STAGES]) const
  {
    const Borders borders = {(lane - 1) % 32, (lane + 1) % 32,
                             column0 + (int)(lane + 1) * Row<Real>::COLUMNS >= system.nx, lane == 31 && column0 == 0};
    RowKind<Real> kind[GROUP] = {}; /* of rows under way that differ: the r-th of the group, and those before it */
    if (PATH == MIXED || PATH == MIXED_WEIGHTS) {
#pragma unroll
      for (int r = 1; r < GROUP; r++) kind[r] = kind_at(g + r - GROUP);
    }
#pragma unroll
    for (int r = 0; r < GROUP; r++) {
      const bool begins = r % CHUNK == 0, ends = r % CHUNK == CHUNK - 1 || r == GROUP - 1;
      const unsigned rows = GROUP - r < CHUNK ? GROUP - r : CHUNK;
      const Beside<Real> beside[STAGES] = {{stage[0], borders.before},
                                           {stage[1], borders.before},
                                           {stage[2], borders.before},
                                           {stage[3], borders.before}};
      Row<Real> row;
      if (begins) wait_input(g + r, rows);
      take(row, g + r);
      if (PATH == MIXED || PATH == MIXED_WEIGHTS) kind[r] = kind_at(g + r);
      if (ends) release_input(g + r + 1);
      if (PATH == WEIGHED) stages_weighed(row, stage, common, borders);
#pragma unroll
      for (int k = 0; k < STAGES; k++) {
        if (PATH == SKIPPED) stage_skip(row, stage[k]);
        if (PATH == PLAIN || PATH == ALIKE) stage_equal<PATH>(row, stage[k], beside[k], c, common);
        const RowKind<Real> &here = kind[(r - k - 1 + GROUP) % GROUP], &next = kind[(r - k + GROUP) % GROUP];
        if (PATH == MIXED) stage_equal<PATH>(row, stage[k], beside[k], c, here);
        if (PATH == MIXED_WEIGHTS) stage_mixed_weights(row, stage[k], here, next, borders);
      }
      if (begins) wait_output(g + r, rows);
      give(row, g + r);
      if (ends) release_output(g + r + 1);
    }
  }

  /* Sweeps `groups` groups of rows of one kind, whose constants are loaded once. Returns the row after them. */
  template <enum Path PATH>
  __device__ __forceinline__ unsigned groups_alike(unsigned g, unsigned groups, const RowKind<Real> &common,
                                                   int column0, Stage<Real> (&stage)[STAGES]) const
  {
    constexpr int KEPT = PATH == PLAIN ? 1 : PATH == ALIKE ? Row<Real>::COLUMNS : 0;
    Row<Real> c = {};
#pragma unroll
    for (int x = 0; x < KEPT; x++) c.at[x] = load_constant(common.constants() + 32 * x);
#pragma unroll 1
    for (; groups; groups--, g += GROUP) group<PATH>(g, common, c, column0, stage);
    return g;
  }

  /* Have all rows equal weights that leave a stage while the group from row g on goes in, and those after them? */
  __device__ __forceinline__ bool group_is_equal(unsigned g) const
  {
    const unsigned of = lane < GROUP + STAGES ? lane : 0;
    return !__any_sync(ALL, HS_BLOCKED_PATH(descriptor_at(g - STAGES + of)) == HS_BLOCKED_WEIGHED);
  }

  /* Sweeps a work item; the stages hold rows of the item before it, which do no harm. */
  __device__ __forceinline__ void item_sweep(const Item &item, int sweeps, Stage<Real> (&stage)[STAGES]) const
  {
    const bool asked = sweeps > (int)(warp * STAGES);
    const int column0 = WEIGHTS ? plan.d_strip[item.strip].column0 : 0;
    unsigned g = item.start;
    while (g < item.end) {
      wait_input(g, 1);                                        /* then its kind is there, too */
      const int early = (int)(item.start + warp * STAGES - g); /* rows of the item before, which are swept in any way */
      const unsigned n = early > 0 ? item.start + warp * STAGES : g, left = item.end - g;
      const uint32_t descriptor = descriptor_at(n);
      const unsigned ahead = HS_BLOCKED_AHEAD(descriptor) + (early > 0 ? (unsigned)early : 0u);
      const unsigned groups = (ahead < left ? ahead : left) / GROUP;
      if (!asked) {
        group<SKIPPED>(g, {}, {}, 0, stage);
        g += GROUP;
      } else if (groups && HS_BLOCKED_PATH(descriptor) == HS_BLOCKED_PLAIN) {
        g = groups_alike<PLAIN>(g, groups, kind_at(n), 0, stage);
      } else if (WEIGHTS && groups && HS_BLOCKED_PATH(descriptor) == HS_BLOCKED_WEIGHED) {
        g = groups_alike<WEIGHED>(g, groups, kind_at(n), column0, stage);
      } else if (groups) {
        g = groups_alike<ALIKE>(g, groups, kind_at(n), 0, stage);
      } else {
        if (!WEIGHTS || group_is_equal(g))
          group<MIXED>(g, {}, {}, 0, stage);
        else
          group<MIXED_WEIGHTS>(g, {}, {}, column0, stage);
        g += GROUP;
      }
    }
  }
};

template <typename Real>
__device__ __forceinline__ void warp_compute(Shared<Real> &s, const hs_device_system &system,
                                             const hs_blocked_plan &plan, int sweeps, unsigned warp)
{
  const int first = plan.d_first[blockIdx.x], end = plan.d_first[blockIdx.x + 1];
  const unsigned lane = lane_index();
  unsigned count = 0, full_seen = 0, empty_seen = 0;
  Stage<Real> stage[STAGES];
#pragma unroll
  for (int k = 0; k < STAGES; k++) {
#pragma unroll
    for (int x = 0; x < Row<Real>::COLUMNS; x++) stage[k].old[x] = stage[k].pair[x] = Real(0);
  }
#pragma unroll 1
  for (int p = first; p < end; p++) {
    const Item item(plan, p, sweeps, count);
    if (plan.d_item[p].weights)
      Stream<Real, true>{s, system, plan, lane, warp, full_seen, empty_seen}.item_sweep(item, sweeps, stage);
    else
      Stream<Real, false>{s, system, plan, lane, warp, full_seen, empty_seen}.item_sweep(item, sweeps, stage);
    count = item.end;
  }
}

} // namespace blocked

template <typename Real>
__global__ void __launch_bounds__(blocked::THREADS, 1)
    sweep_blocked(const __grid_constant__ hs_device_system system, const __grid_constant__ hs_blocked_plan plan,
                  const Real *__restrict__ from, Real *__restrict__ to, int sweeps, const int32_t *d_halt)
{
  using namespace blocked;
  Shared<Real> &s = *dynamic_shared<Shared<Real>>();
  const unsigned warp = __shfl_sync(ALL, threadIdx.x / 32, 0); /* so the compiler knows that it is common to the warp */
  if (d_halt && *d_halt) return;
  for (unsigned k = threadIdx.x; k < sizeof(Shared<Real>) / 16; k += THREADS) ((int4 *)&s)[k] = make_int4(0, 0, 0, 0);
  __syncthreads();
  if (threadIdx.x < RING) barrier_create(&s.arrived[threadIdx.x]);
  bulk_publish();
  __syncthreads();
  if (warp < WARPS) {
    registers_raise<240>();
    warp_compute(s, system, plan, sweeps, warp);
  } else {
    registers_lower<24>();
    warp_move(s, system, plan, from, to, sweeps, warp);
  }
}

#endif
