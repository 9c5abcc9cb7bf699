/* Many sweeps in one pass over device memory: the device code of cuda-blocked.
 *
 * A block streams the rows of a strip from south to north through 8 warps. Warp w owns the stages (sweeps) 4w+1 ..
 * 4w+4; what leaves its last stage goes through a circular buffer of rows (ring) in shared memory to warp w + 1. Three more warps move
 * the rows, and what is known of them, to the first ring and from the last:
 *
 *      device             stages           stages                    stages            device
 *      memory ---> ring   1  2  3  4  ring 5  6  7  8  ring ... ring 29 30 31 32  ring ---> memory
 *      row producer        warp 0           warp 1                    warp 7        consumer
 *      kind producer
 *
 * There is no barrier: two flags for each ring, full (rows written) and empty (rows read), let every warp run as far ahead as the
 * rings allow. With a barrier after each row the same arithmetic took 29 % longer; when the first and the last warp
 * drove the copy engine themselves, all others waited for them a fifth of the time.
 *
 * A row is 32 lanes by 5 units of 16 bytes; an odd number, so that eight lanes that read or write their 16 bytes at
 * the same time use all banks of shared memory. A stage that is given row r + 1 gives row r to the next one. It keeps
 * two rows in registers (node.h: pairs are common to two nodes),
 *
 *      old[x]  = t(x, r)                          the row that was given last
 *      pair[x] = t(x, r - 1) + t(x - 1, r)        S + W of its nodes, or fma(vS, S, vW*W)
 *
 * and with value = t(x, r + 1) it computes
 *
 *      t'(x, r) = fma(1/4, (value + old[x + 1]) + pair[x], c)
 *
 * whose first sum is pair[x + 1] of the next row: two additions and one fma a node. Old and pair cross the borders of
 * the lanes by two shuffles a row; what they bring was known before the row came, so they are begun before it is
 * waited for, and pair[0] of a lane lies with the lane before it (that of the first one with the last) until then.
 * The outermost columns of the window, and the first rows of an item, have no neighbours: one more is wrong at each
 * stage, and blocks overlap by as many. Dirichlet nodes and those beyond the grid take what is wrong times nothing; so
 * values must be ordinary numbers (HS_BLOCKED_LARGEST_F64).
 *
 * Registers decide: 4 stages x 2 rows x 10 columns and the row on its way are 180 of 240 in double precision. A
 * quarter of a multiprocessor has registers for two warps of 255 or three of 168; from compute capability 9.0 on
 * warps trade them (primitives.cuh), and two have 240 while the third, which moves rows, has 24. Else the stages
 * spill. A new row takes the registers of the oldest one; there are five of them, so code for five rows moves
 * nothing.
 *
 * Where all nodes of a row have equal weights and each lane's have one constant, that is all there is to do (plain
 * rows). Rows with constants of their own or Dirichlet nodes that are alike for a while keep what is known of them in
 * registers. Nodes of unequal weights (walls with flux or convection, interfaces of materials) are computed by the
 * general formula, and so are all others beside them. Rows near a change of what is known load it anew for each
 * stage. All rows are taken in groups of five, by code without branches.
 */
#ifndef HS_KERNELS_BLOCKED_SWEEP_CUH
#define HS_KERNELS_BLOCKED_SWEEP_CUH

#include "blocked/stages.cuh"
#include "device.cuh"

namespace blocked
{

static constexpr int WARPS = 8;          /* that compute */
static constexpr int GROUP = STAGES + 1; /* rows that are taken together */
static constexpr int ROW_PRODUCER = WARPS, KIND_PRODUCER = WARPS + 1, CONSUMER = WARPS + 2;
static constexpr int THREADS = 32 * (WARPS + 4); /* registers are traded by fours of warps */
/* Rows of a ring, a power of 2, and rows of a group that are waited for and passed on together: larger where shared
 * memory is. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
static constexpr unsigned RING = 4, CHUNK = 2;
#else
static constexpr unsigned RING = 8, CHUNK = 3;
#endif
static constexpr unsigned RING_SMALL = 4; /* before compute capability 9.0 */
static constexpr unsigned LATE = 2;       /* rows that may still be on their way out when the next one is looked at */
static constexpr unsigned BATCH =
    32; /* rows that the kind producer looks up together, two batches ahead of the first ring */
static constexpr unsigned KNOWN = 256; /* rows that are known at a time; more than are under way */
static_assert(WARPS * STAGES == HS_BLOCKED_STAGES, "stages");
static_assert(RING >= 2 * CHUNK - 1 && RING >= CHUNK + LATE && (unsigned)GROUP <= BATCH, "groups");
static_assert(KNOWN > 3 * BATCH + (WARPS + 1) * RING + WARPS * STAGES + 2 * GROUP, "rows under way");

template <typename Real> struct Shared {
  using Line = uint4[32 * Row<Real>::UNITS];
  uint64_t arrived[RING];                     /* barriers: a row has come */
  unsigned full[WARPS + 1], empty[WARPS + 1]; /* rows of each ring since the start */
  unsigned unused[2];
  uint32_t descriptor[KNOWN];       /* of rows, by their number in the stream; see struct hs_blocked_plan */
  hs_blocked_row_kind known[KNOWN]; /* their kinds */
  Line row[WARPS + 1][RING];        /* by the warp that reads; the last ones are stored */
};

/* --- items ----------------------------------------------------------------------------------- */

/* What a warp knows of the item it is in. Rows are counted since the start of the launch: the row that enters the
 * stages as `start`-th is row `first` of the grid; after each stage it is one later. */
struct Item {
  int strip, row0, row1, first;
  unsigned start, end; /* in whole groups, so that the last row has come out */

  __device__ __forceinline__ Item(const hs_blocked_plan &plan, int number, int sweeps, unsigned count)
  {
    const hs_blocked_item item = plan.d_item[number];
    const int below = item.row0 - sweeps;
    strip = item.strip;
    row0 = item.row0;
    row1 = item.row1;
    first = below > -1 ? below : -1; /* rows -1 and ny are there and hold 0 */
    start = count;
    end = count + (unsigned)((row1 - first + HS_BLOCKED_STAGES + GROUP - 1) / GROUP * GROUP);
  }
};

/* The row producer, one thread: asks for all rows of an item. What comes for rows beyond ny does not matter, they stay 0
 * at every stage. */
template <typename Real>
__device__ __forceinline__ void item_load(Shared<Real> &s, const hs_device_system &system, const hs_blocked_plan &plan,
                                          const Item &item, const Real *from)
{
  const int column0 = plan.d_strip[item.strip].column0;
  const int64_t readable = system.tiles_x * HS_TILE_W + HS_PAD - column0, width = 32 * Row<Real>::COLUMNS;
  const int bytes = (int)((readable < width ? readable : width) * (int)sizeof(Real));
  for (unsigned n = item.start; n < item.end; n++) {
    const int y = item.first + (int)(n - item.start);
    shared_wait_idle(&s.empty[0], n + 1 - RING);
    bulk_load(s.row[0][n % RING], from + column0 + (y < system.ny ? y : system.ny) * system.pitch, bytes,
              &s.arrived[n % RING]);
  }
}

/* What the kind producer finds for the row that comes in n-th. */
__device__ __forceinline__ uint32_t descriptor_of(const hs_device_system &system, const hs_blocked_plan &plan,
                                                  const Item &item, unsigned n)
{
  const int y = item.first + (int)(n - item.start);
  if (y >= 0 && y < system.ny) return __ldg(&plan.d_row[(int64_t)item.strip * system.ny + y]);
  /* outside the grid; beyond the first rows there, what comes does not matter */
  return HS_BLOCKED_ROW(0, HS_BLOCKED_ALIKE, y > system.ny + STAGES ? HS_BLOCKED_AHEAD_LIMIT : 0);
}

template <typename Real>
__device__ __forceinline__ void descriptor_store(Shared<Real> &s, const hs_blocked_plan &plan, unsigned n,
                                                 uint32_t descriptor)
{
  s.descriptor[n % KNOWN] = descriptor;
  s.known[n % KNOWN] = plan.d_kind[HS_BLOCKED_KIND(descriptor)];
}

/* The kind producer: looks up what is known of the rows of an item, two batches ahead, and tells the first warp of rows
 * that have come and of which that is there. */
template <typename Real>
__device__ __forceinline__ void item_describe(Shared<Real> &s, const hs_device_system &system,
                                              const hs_blocked_plan &plan, const Item &item, unsigned lane)
{
  for (unsigned k = 0; k < 2; k++) {
    const unsigned n = item.start + k * BATCH + lane;
    descriptor_store(s, plan, n, descriptor_of(system, plan, item, n));
  }
  for (unsigned g = item.start; g < item.end; g += BATCH) {
    const unsigned ahead = g + 2 * BATCH + lane, end = g + BATCH < item.end ? g + BATCH : item.end;
    const uint32_t descriptor = descriptor_of(system, plan, item, ahead);
    __syncwarp();
    if (warp_elect()) {
      for (unsigned n = g; n < end; n++) {
        barrier_wait(&s.arrived[n % RING], n / RING);
        shared_store_release(&s.full[0], n + 1);
      }
    }
    __syncwarp();
    descriptor_store(s, plan, ahead, descriptor);
  }
}

/* The consumer, one thread: the valid columns of the rows of an item. */
template <typename Real>
__device__ __forceinline__ void item_store(Shared<Real> &s, const hs_device_system &system, const hs_blocked_plan &plan,
                                           const Item &item, Real *to)
{
  const hs_blocked_strip strip = plan.d_strip[item.strip];
  const int bytes = (strip.valid1 - strip.valid0) * (int)sizeof(Real), skipped = strip.valid0 - strip.column0;
  for (unsigned n = item.start; n < item.end; n++) {
    const int y = item.first + (int)(n - item.start) - HS_BLOCKED_STAGES;
    shared_wait_idle(&s.full[WARPS], n + 1);
    if (y >= item.row0 && y < item.row1)
      bulk_store(to + y * system.pitch + strip.valid0, (const Real *)s.row[WARPS][n % RING] + skipped, bytes);
    bulk_commit();
    bulk_wait<(int)LATE>();
    shared_store_release(&s.empty[WARPS], n + 1 - LATE); /* at first less than it was, which makes nobody wait */
  }
  bulk_wait<0>();
  shared_store_release(&s.empty[WARPS], item.end);
}

/* A warp that computes. WEIGHTS: there may be nodes of unequal weights; without them the code is much shorter, and the
 * instruction cache holds it. */
template <typename Real, bool WEIGHTS> struct Stream {
  static constexpr int UNITS = Row<Real>::UNITS;
  Shared<Real> &s;
  const hs_device_system &system;
  const hs_blocked_plan &plan;
  unsigned lane, warp;
  unsigned &full_seen, &empty_seen; /* the flags of both rings when they were looked at last */

  /* Waits for `rows` rows from this warp's g-th on. */
  __device__ __forceinline__ void wait_input(unsigned g, unsigned rows) const
  {
    if ((int)(full_seen - g - rows) < 0) full_seen = shared_wait(&s.full[warp], g + rows);
  }

  /* Reads the g-th row, which has come. */
  __device__ __forceinline__ void take(Row<Real> &row, unsigned g) const
  {
    row_read(row, s.row[warp][g % RING] + lane * UNITS);
  }

  /* All rows before the end-th have been read. */
  __device__ __forceinline__ void release_input(unsigned end) const
  {
    __syncwarp();
    if (lane == 0) shared_store_release(&s.empty[warp], end);
  }

  /* Waits for room for `rows` rows from the g-th on. */
  __device__ __forceinline__ void wait_output(unsigned g, unsigned rows) const
  {
    if ((int)(empty_seen - g - rows + RING) < 0) empty_seen = shared_wait(&s.empty[warp + 1], g + rows - RING);
  }

  __device__ __forceinline__ void give(const Row<Real> &row, unsigned g) const
  {
    row_write(row, s.row[warp + 1][g % RING] + lane * UNITS);
  }

  /* All rows before the end-th have been written. */
  __device__ __forceinline__ void release_output(unsigned end) const
  {
    if (warp == WARPS - 1) bulk_publish();
    __syncwarp();
    if (lane == 0) shared_store_release(&s.full[warp + 1], end);
  }

  /* What is known of the row that is this warp's g-th. */
  __device__ __forceinline__ uint32_t descriptor_at(unsigned g) const
  {
    return s.descriptor[(g - warp * STAGES) % KNOWN];
  }
  __device__ __forceinline__ Known<Real> known_at(unsigned g) const
  {
    const hs_blocked_row_kind of = s.known[(g - warp * STAGES) % KNOWN];
    const char *const entry = (const char *)plan.d_table + (int64_t)of.place * HS_BLOCKED_LINE;
    return {(const Real *)plan.d_table + lane, of, __ldg((const uint32_t *)entry + lane)};
  }

  /* A group of rows. alike, c: what is known of all of them and their constants, if these are the same. */
  template <enum Path PATH>
  __device__ __forceinline__ void group(unsigned g, const Known<Real> &alike, const Row<Real> &c, int column0,
                                        Stage<Real> (&stage)[STAGES]) const
  {
    const Borders borders = {(lane - 1) % 32, (lane + 1) % 32,
                             column0 + (int)(lane + 1) * Row<Real>::COLUMNS >= system.nx, lane == 31 && column0 == 0};
    Known<Real> known[GROUP] =
        {}; /* of rows under way that are not alike; the row that comes in r-th has the r-th place */
    if (PATH == MIXED || PATH == MIXED_WEIGHTS) {
#pragma unroll
      for (int r = 1; r < GROUP; r++) known[r] = known_at(g + r - GROUP);
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
      if (PATH == MIXED || PATH == MIXED_WEIGHTS) known[r] = known_at(g + r);
      if (ends) release_input(g + r + 1);
      if (PATH == WEIGHED) stages_weighed(row, stage, alike, borders);
#pragma unroll
      for (int k = 0; k < STAGES; k++) {
        if (PATH == SKIPPED) stage_skip(row, stage[k]);
        if (PATH == PLAIN || PATH == ALIKE) stage_equal<PATH>(row, stage[k], beside[k], c, alike);
        const Known<Real> &here = known[(r - k - 1 + GROUP) % GROUP], &next = known[(r - k + GROUP) % GROUP];
        if (PATH == MIXED) stage_equal<PATH>(row, stage[k], beside[k], c, here);
        if (PATH == MIXED_WEIGHTS) stage_mixed_weights(row, stage[k], here, next, borders);
      }
      if (begins) wait_output(g + r, rows);
      give(row, g + r);
      if (ends) release_output(g + r + 1);
    }
  }

  /* As many groups of rows that are alike. */
  template <enum Path PATH>
  __device__ __forceinline__ unsigned groups_alike(unsigned g, unsigned groups, const Known<Real> &alike, int column0,
                                                   Stage<Real> (&stage)[STAGES]) const
  {
    constexpr int KEPT = PATH == PLAIN ? 1 : PATH == ALIKE ? Row<Real>::COLUMNS : 0;
    Row<Real> c = {};
#pragma unroll
    for (int x = 0; x < KEPT; x++) c.at[x] = load_constant(alike.constants() + 32 * x);
#pragma unroll 1
    for (; groups; groups--, g += GROUP) group<PATH>(g, alike, c, column0, stage);
    return g;
  }

  /* Is none of the rows weighed that come out of any stage while the next group goes in, or follow them? */
  __device__ __forceinline__ bool group_is_equal(unsigned g) const
  {
    const unsigned of = lane < GROUP + STAGES ? lane : 0;
    return !__any_sync(ALL, HS_BLOCKED_PATH(descriptor_at(g - STAGES + of)) == HS_BLOCKED_WEIGHED);
  }

  __device__ __forceinline__ void item_sweep(const Item &item, int sweeps, Stage<Real> (&stage)[STAGES]) const
  {
    const bool asked = sweeps > (int)(warp * STAGES);
    const int column0 = WEIGHTS ? plan.d_strip[item.strip].column0 : 0;
    unsigned g = item.start;
    while (g < item.end) {
      wait_input(g, 1);                                        /* then what is known of the row is there, too */
      const int early = (int)(item.start + warp * STAGES - g); /* rows from before the first one: they do not matter */
      const unsigned n = early > 0 ? item.start + warp * STAGES : g, left = item.end - g;
      const uint32_t descriptor = descriptor_at(n);
      const unsigned ahead = HS_BLOCKED_AHEAD(descriptor) + (early > 0 ? (unsigned)early : 0u);
      const unsigned groups = (ahead < left ? ahead : left) / GROUP;
      if (!asked) {
        group<SKIPPED>(g, {}, {}, 0, stage);
        g += GROUP;
      } else if (groups && HS_BLOCKED_PATH(descriptor) == HS_BLOCKED_PLAIN) {
        g = groups_alike<PLAIN>(g, groups, known_at(n), 0, stage);
      } else if (WEIGHTS && groups && HS_BLOCKED_PATH(descriptor) == HS_BLOCKED_WEIGHED) {
        g = groups_alike<WEIGHED>(g, groups, known_at(n), column0, stage);
      } else if (groups) {
        g = groups_alike<ALIKE>(g, groups, known_at(n), 0, stage);
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

/* --- the warps of a block --------------------------------------------------------------------- */

/* A warp that moves rows. */
template <typename Real>
__device__ __forceinline__ void warp_move(Shared<Real> &s, const hs_device_system &system, const hs_blocked_plan &plan,
                                          const Real *from, Real *to, int sweeps, unsigned warp)
{
  const int first = plan.d_first[blockIdx.x], end = plan.d_first[blockIdx.x + 1];
  unsigned count = 0;
  for (int p = first; p < end; p++) {
    const Item item(plan, p, sweeps, count);
    if (warp == ROW_PRODUCER && warp_elect()) item_load(s, system, plan, item, from);
    if (warp == KIND_PRODUCER) item_describe(s, system, plan, item, threadIdx.x % 32);
    if (warp == CONSUMER && warp_elect()) item_store(s, system, plan, item, to);
    count = item.end;
    __syncwarp();
  }
}

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
