/* Many sweeps in one pass over device memory: the device code of cuda-blocked.
 *
 * A block of 8 warps streams the rows of a strip from south to north. Warp w owns the levels (sweeps) 4w+1 .. 4w+4;
 * what leaves its last level goes through a ring of rows in shared memory to warp w + 1:
 *
 *      device      shared     levels      shared     levels             shared     levels        shared    device
 *      memory ---> stage ---> 1  2  3  4 ---> ring ---> 5  6  7  8 ---> ... ---> 29 30 31 32 ---> out ---> memory
 *                  8 rows      warp 0     8 rows      warp 1                       warp 7       8 rows
 *
 * There is no barrier: two counters for each ring, rows written and rows read, let every warp run as far ahead as the
 * rings allow. With a barrier after each row the same arithmetic took 29 % longer.
 *
 * A row is 32 lanes by 11 units of 8 bytes; an odd number, so that lanes that read or write their 8 bytes at the same
 * time use all banks of shared memory. A level that is given row r + 1 gives row r to the next one. It keeps two rows
 * in registers (node.h: pairs are common to two nodes),
 *
 *      old[x]  = t(x, r)                          the row that was given last
 *      pair[x] = t(x, r - 1) + t(x - 1, r)        S + W of its nodes, or fma(vS, S, vW*W) of special ones
 *
 * and with value = t(x, r + 1) it computes
 *
 *      t'(x, r) = fma(1/4, (value + old[x + 1]) + pair[x], c)
 *
 * whose first sum is pair[x + 1] of the next row: two additions and one fma a node. Old and pair cross the borders of
 * the lanes by two shuffles a row. The outermost columns of the window, and the first rows of a piece, have no
 * neighbours: one more is wrong at each level, and blocks overlap by as many.
 *
 * Registers decide: 4 levels x 2 rows x 11 columns and the row on its way are 198 of 255 in double precision. A new row
 * takes the registers of the oldest one; there are five of them, so code for five rows moves nothing.
 *
 * Where all nodes are alike no index is read; else each lane knows the constant that its columns have in common and
 * which of them are special: held nodes, walls with flux or convection, interfaces, the border of a source. Those are
 * computed once more by the general formula, in a branch that warps without a special node in that column do not take.
 */
#ifndef HS_KERNELS_BLOCKED_SWEEP_CUH
#define HS_KERNELS_BLOCKED_SWEEP_CUH

#include "blocked.h"
#include "device.cuh"
#include "primitives.cuh"

namespace blocked
{

static constexpr int WARPS = 8, THREADS = 32 * WARPS;
static constexpr int LEVELS = HS_BLOCKED_LEVELS / WARPS; /* of a warp */
static constexpr int GROUP = LEVELS + 1;                 /* rows that are taken together where all are alike */
/* Rows of the buffers, powers of 2, and rows of a group that are waited for and passed on together: larger where shared
 * memory is. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
static constexpr unsigned RING = 4, CHUNK = 2;
#else
static constexpr unsigned RING = 8, CHUNK = 3;
#endif
static constexpr unsigned STAGE = 8, OUT = 8;
static constexpr unsigned RING_SMALL = 4; /* before compute capability 9.0 */
static constexpr unsigned KNOWN = 256;    /* rows whose classes are in shared memory; more than are under way */
static constexpr unsigned BATCH = 32;     /* rows whose classes are loaded together */
static constexpr unsigned ALL = 0xffffffffu;
static_assert(RING >= 2 * CHUNK - 1 && STAGE >= GROUP && OUT >= GROUP && GROUP <= 32, "groups");
static_assert(KNOWN > 3 * BATCH + STAGE + (WARPS - 1) * (RING + LEVELS) + LEVELS + 2 * GROUP, "rows under way");

template <typename Real> struct Lane;
template <> struct Lane<double> {
  using type = hs_blocked_lane_f64;
  static constexpr int UNITS = HS_BLOCKED_UNITS_F64;
};
template <> struct Lane<float> {
  using type = hs_blocked_lane_f32;
  static constexpr int UNITS = HS_BLOCKED_UNITS_F32;
};

/* A lane's columns of a row. */
template <typename Real> struct Row {
  static constexpr int UNITS = Lane<Real>::UNITS, BYTES = 32 * UNITS * HS_BLOCKED_UNIT;
  static constexpr int PER_UNIT = HS_BLOCKED_UNIT / sizeof(Real), COLUMNS = UNITS * PER_UNIT;
  Real at[COLUMNS];
};

template <typename Real> struct Shared {
  using Line = uint2[32 * Row<Real>::UNITS];
  Line stage[STAGE];
  Line ring[WARPS - 1][RING]; /* by the warp that writes */
  Line out[OUT];
  uint32_t word[KNOWN];                         /* of rows, by their number in the stream; see struct hs_blocked_plan */
  unsigned written[WARPS - 1], read[WARPS - 1]; /* rows of each ring since the start */
  uint64_t arrived[STAGE];                      /* barriers: a row has come */
  struct {
    hs_blocked_strip strip;
    hs_blocked_piece piece;
    int shift;           /* of the warp's rows against their count: row y comes y - shift-th */
    int active;          /* levels that are asked for */
    unsigned end, batch; /* count at the end of the piece; warp 0: next rows whose classes are to be loaded */
  } now[WARPS];          /* the piece that each warp is in; here it costs no registers */
};

/* A lane's row from and to shared memory, 8 bytes at a time. */
__device__ __forceinline__ void row_read(Row<double> &row, const uint2 *s_row)
{
#pragma unroll
  for (int u = 0; u < Row<double>::UNITS; u++) row.at[u] = ((const double *)s_row)[u];
}

__device__ __forceinline__ void row_read(Row<float> &row, const uint2 *s_row)
{
#pragma unroll
  for (int u = 0; u < Row<float>::UNITS; u++) {
    const float2 unit = ((const float2 *)s_row)[u];
    row.at[2 * u] = unit.x;
    row.at[2 * u + 1] = unit.y;
  }
}

__device__ __forceinline__ void row_write(const Row<double> &row, uint2 *s_row)
{
#pragma unroll
  for (int u = 0; u < Row<double>::UNITS; u++) ((double *)s_row)[u] = row.at[u];
}

__device__ __forceinline__ void row_write(const Row<float> &row, uint2 *s_row)
{
#pragma unroll
  for (int u = 0; u < Row<float>::UNITS; u++) ((float2 *)s_row)[u] = make_float2(row.at[2 * u], row.at[2 * u + 1]);
}

/* --- levels ----------------------------------------------------------------------------------- */

/* What a level keeps. */
template <typename Real> struct Level {
  Real old[Row<Real>::COLUMNS], pair[Row<Real>::COLUMNS];
};

__device__ __forceinline__ double quarter_sum(double sum, double c)
{
  return fma(0.25, sum, c);
}

__device__ __forceinline__ float quarter_sum(float sum, float c)
{
  return fmaf(0.25f, sum, c);
}

__device__ __forceinline__ double weighted(double v1, double t1, double v2, double t2)
{
  return fma(v1, t1, v2 * t2);
}

__device__ __forceinline__ float weighted(float v1, float t1, float v2, float t2)
{
  return fmaf(v1, t1, v2 * t2);
}

/* A level all of whose nodes are alike: row r + 1 in, row r of the next level out. From east to west, so that each N+E
 * takes the place of a pair that is no longer needed. */
template <typename Real> __device__ __forceinline__ void level_plain(Row<Real> &row, Level<Real> &level, Real c)
{
  constexpr int N = Row<Real>::COLUMNS;
  const Real beyond = __shfl_down_sync(ALL, level.old[0], 1);
  Real fresh[N + 1]; /* [x + 1]: N + E of column x */
  fresh[N] = row.at[N - 1] + beyond;
  fresh[0] = __shfl_up_sync(ALL, fresh[N], 1);
#pragma unroll
  for (int x = N - 1; x >= 0; x--) {
    const Real next = quarter_sum(fresh[x + 1] + level.pair[x], c);
    if (x > 0) fresh[x] = row.at[x ? x - 1 : 0] + level.old[x];
    level.pair[x] = fresh[x];
    level.old[x] = row.at[x];
    row.at[x] = next;
  }
}

/* A level that is not asked for: the row passes unchanged, one row late as through any other. */
template <typename Real> __device__ __forceinline__ void level_pass(Row<Real> &row, Level<Real> &level)
{
#pragma unroll
  for (int x = 0; x < Row<Real>::COLUMNS; x++) {
    const Real next = level.old[x];
    level.old[x] = row.at[x];
    row.at[x] = next;
  }
}

/* What special nodes need to know of the grid. */
template <typename Real> struct Place {
  const typename StencilOf<Real>::type *palette;
  const uint16_t *index; /* of node (0, 0) */
  int64_t pitch;
  int nx, ny;
  int column; /* the lane's first */
};

/* A level some of whose nodes are special, of two kinds in each lane at most. Columns from `inside` on lie outside the grid
 * and stay 0. here, next: what is known of the row that comes out and of the one after; west: t(-1, r + 1).
 *
 * There are as many copies of the loop's body as a lane has columns, times levels: it must be short, or the instruction cache
 * does not hold it. So stencils are loaded where they are needed, not kept. */
template <typename Real>
__device__ __forceinline__ void level_special(Row<Real> &row, Level<Real> &level, const Place<Real> &place, int inside,
                                              const typename Lane<Real>::type &here,
                                              const typename Lane<Real>::type &next, Real west, Real beyond)
{
  constexpr int N = Row<Real>::COLUMNS;
  const unsigned now = here.one | here.two, after = next.one | next.two;
  const unsigned any = warp_or(now | after); /* common to the lanes, and known to be: warps branch as one */
#pragma unroll
  for (int x = 0; x < N; x++) {
    const Real north = row.at[x], east = x < N - 1 ? level.old[x < N - 1 ? x + 1 : 0] : beyond, south = level.old[x];
    Real value = quarter_sum((north + east) + level.pair[x], here.c), pair = south + west;
    if (any >> x & 1) {
      const auto *s = place.palette + (here.two >> x & 1 ? here.entry_two : here.entry_one);
      const auto *p = place.palette + (next.two >> x & 1 ? next.entry_two : next.entry_one);
      const Real special =
          quarter_sum(weighted(__ldg(&s->east), east, __ldg(&s->north), north) + level.pair[x], __ldg(&s->c));
      const Real special_pair = weighted(__ldg(&p->south), south, __ldg(&p->west), west);
      value = now >> x & 1 ? special : value;
      pair = after >> x & 1 ? special_pair : pair;
    }
    level.pair[x] = pair;
    level.old[x] = north;
    row.at[x] = x < inside ? value : Real(0);
    west = north;
  }
}

/* The same for a warp some of whose lanes have more kinds: one node after another, in local memory. Rare, so it must
 * not cost the other levels registers or room in the instruction cache. */
template <typename Real>
__device__ __noinline__ void level_several(Row<Real> &row, Level<Real> &level, const Place<Real> &place, int y,
                                           int inside, unsigned here, unsigned next, Real c, Real west, Real beyond)
{
  constexpr int N = Row<Real>::COLUMNS;
#pragma unroll 1
  for (int x = 0; x < N; x++) {
    const Real north = row.at[x], east = x < N - 1 ? level.old[x + 1] : beyond, south = level.old[x];
    const uint16_t *entry = place.index + y * place.pitch + place.column + x;
    Real value = quarter_sum((north + east) + level.pair[x], c), pair = south + west;
    if (here >> x & 1) {
      const auto *s = place.palette + __ldg(entry);
      value = quarter_sum(weighted(__ldg(&s->east), east, __ldg(&s->north), north) + level.pair[x], __ldg(&s->c));
    }
    if (next >> x & 1) {
      const auto *s = place.palette + __ldg(entry + place.pitch);
      pair = weighted(__ldg(&s->south), south, __ldg(&s->west), west);
    }
    level.pair[x] = pair;
    level.old[x] = north;
    row.at[x] = x < inside ? value : Real(0);
    west = north;
  }
}

/* --- a piece ---------------------------------------------------------------------------------- */

/* A warp of the stream. Rows are counted: `n`-th row of the piece, `g`-th row since the start of the launch. */
template <typename Real> struct Stream {
  static constexpr int UNITS = Row<Real>::UNITS;
  using LaneReal = typename Lane<Real>::type;
  Shared<Real> &s;
  const hs_device_system &system;
  const hs_blocked_plan &plan;
  const Real *from;
  Real *to;
  int lane, warp;

  /* One thread of warp 0: requests row y, the g-th. Rows -1 and ny are there and hold 0; what comes for later ones does
   * not matter, they stay 0 at every level. */
  __device__ __forceinline__ void request(int y, unsigned g) const
  {
    const int column0 = s.now[0].strip.column0;
    const int64_t readable = system.tiles_x * HS_TILE_W + HS_PAD - column0, width = 32 * Row<Real>::COLUMNS;
    if (y <= system.ny)
      bulk_load(s.stage[g % STAGE], from + y * system.pitch + column0,
                (int)((readable < width ? readable : width) * sizeof(Real)), &s.arrived[g % STAGE]);
    else
      barrier_arrive(&s.arrived[g % STAGE]);
  }

  /* Warp 0: requests what is known of the BATCH rows from the g-th on. */
  __device__ __forceinline__ void words_request(unsigned g) const
  {
    const int y = s.now[0].shift + (int)g + lane;
    const uint32_t *rows = plan.d_row + (int64_t)s.now[0].piece.strip * system.ny;
    if (y >= 0 && y < system.ny)
      copy_async4(&s.word[(g + lane) % KNOWN], rows + y);
    else
      s.word[(g + lane) % KNOWN] = 0; /* outside the grid */
    copy_async_commit();
  }

  /* One thread of warp 7: stores the valid columns of row y, the g-th. */
  __device__ __forceinline__ void store(int y, unsigned g) const
  {
    const hs_blocked_strip strip = s.now[WARPS - 1].strip;
    if (y < s.now[WARPS - 1].piece.row0 || y >= s.now[WARPS - 1].piece.row1) return;
    bulk_store(to + y * system.pitch + strip.valid0, (const Real *)s.out[g % OUT] + (strip.valid0 - strip.column0),
               (strip.valid1 - strip.valid0) * (int)sizeof(Real));
  }

  /* Waits for `rows` rows from this warp's g-th on. */
  __device__ __forceinline__ void wait_input(unsigned g, unsigned rows) const
  {
    if (warp) (void)shared_wait(&s.written[warp - 1], g + rows);
  }

  /* Reads the g-th row, which has come. */
  __device__ __forceinline__ void take(Row<Real> &row, unsigned g) const
  {
    if (!warp) barrier_wait(&s.arrived[g % STAGE], g / STAGE);
    row_read(row, (warp ? s.ring[warp - 1][g % RING] : s.stage[g % STAGE]) + lane * UNITS);
  }

  /* All rows before the end-th have been read. */
  __device__ __forceinline__ void release_input(unsigned end) const
  {
    __syncwarp();
    if (warp && lane == 0) shared_store_release(&s.read[warp - 1], end);
  }

  /* Waits for room for `rows` rows from the g-th on. */
  __device__ __forceinline__ void wait_output(unsigned g, unsigned rows) const
  {
    if (warp < WARPS - 1) (void)shared_wait(&s.read[warp], g + rows - RING);
  }

  __device__ __forceinline__ void give(const Row<Real> &row, unsigned g) const
  {
    row_write(row, (warp < WARPS - 1 ? s.ring[warp][g % RING] : s.out[g % OUT]) + lane * UNITS);
  }

  /* All rows before the end-th have been written. */
  __device__ __forceinline__ void release_output(unsigned end) const
  {
    __syncwarp();
    if (warp < WARPS - 1 && lane == 0) shared_store_release(&s.written[warp], end);
  }

  /* What is known of the row that is this warp's g-th. */
  __device__ __forceinline__ uint32_t word_at(unsigned g) const
  {
    return s.word[(g - warp * LEVELS) % KNOWN];
  }
  __device__ __forceinline__ const LaneReal *lane_at(unsigned g) const
  {
    return (const LaneReal *)plan.d_lane + (int64_t)HS_BLOCKED_CLASS(word_at(g)) * 32 + lane;
  }

  /* A group of rows, all of them alike and like those before. */
  __device__ __forceinline__ void group_plain(unsigned g, Level<Real> (&level)[LEVELS]) const
  {
    const Real c = __ldg(&lane_at(g)->c);
#pragma unroll
    for (int r = 0; r < GROUP; r++) {
      const bool begins = r % CHUNK == 0, ends = r % CHUNK == CHUNK - 1 || r == GROUP - 1;
      const unsigned rows = GROUP - r < CHUNK ? GROUP - r : CHUNK;
      Row<Real> row;
      if (begins) wait_input(g + r, rows);
      take(row, g + r);
      if (ends) release_input(g + r + 1);
#pragma unroll
      for (int k = 0; k < LEVELS; k++) level_plain(row, level[k], c);
      if (begins) wait_output(g + r, rows);
      give(row, g + r);
      if (ends) release_output(g + r + 1);
    }
  }

  static __device__ __forceinline__ bool has_several(const LaneReal &known)
  {
    return known.two && known.entry_two == HS_BLOCKED_SEVERAL;
  }

  /* What lies west and east of a lane's columns. */
  __device__ __forceinline__ void edges(const Row<Real> &row, const Level<Real> &level, const Place<Real> &place,
                                        int inside, Real &west, Real &beyond) const
  {
    constexpr int N = Row<Real>::COLUMNS;
    beyond = __shfl_down_sync(ALL, level.old[0], 1);
    west = __shfl_up_sync(ALL, row.at[N - 1], 1);
    if (inside <= N) beyond = Real(0);
    if (place.column == 0) west = Real(0); /* no window begins west of the grid */
  }

  /* One level of any row; y: the row that comes out. */
  __device__ __forceinline__ void level_any(Row<Real> &row, Level<Real> &level, const Place<Real> &place, int y,
                                            LaneReal here, LaneReal next) const
  {
    const bool exists = y >= 0 && y < place.ny, follows = y >= -1 && y < place.ny - 1;
    const int inside = exists ? place.nx - place.column : 0;
    if (!exists) here = LaneReal(); /* what was found belongs to some row of an earlier piece */
    if (!follows) next = LaneReal();
    const bool several = has_several(here) || has_several(next);
    Real west, beyond;
    edges(row, level, place, inside, west, beyond);
    if (__any_sync(ALL, several)) {
      Row<Real> row_copy = row;
      Level<Real> level_copy = level;
      level_several(row_copy, level_copy, place, y, inside, here.one | here.two, next.one | next.two, here.c, west,
                    beyond);
      row = row_copy;
      level = level_copy;
    } else {
      level_special(row, level, place, inside, here, next, west, beyond);
    }
  }

  /* Any row. y: its number in the grid. */
  __device__ __forceinline__ void row_any(unsigned g, int y, int active, Level<Real> (&level)[LEVELS]) const
  {
    const Place<Real> place = {StencilOf<Real>::palette(system),
                               system.d_index,
                               system.pitch,
                               system.nx,
                               system.ny,
                               s.now[warp].strip.column0 + lane * Row<Real>::COLUMNS};
    Row<Real> row;
    LaneReal next = *lane_at(g);
    const bool alike = HS_BLOCKED_RUN(word_at(g)) > LEVELS; /* the rows before are of the same class */
    wait_input(g, 1);
    take(row, g);
    release_input(g + 1);
#pragma unroll
    for (int k = 0; k < LEVELS; k++) {
      if (k < active) {
        LaneReal here = next;
        if (!alike) here = *lane_at(g - k - 1);
        level_any(row, level[k], place, y - k - 1, here, next);
        next = here;
      } else {
        level_pass(row, level[k]);
      }
    }
    wait_output(g, 1);
    give(row, g);
    release_output(g + 1);
  }
};

/* Sweeps a piece, beginning with the start-th row; returns the count at its end. */
template <typename Real>
__device__ __forceinline__ unsigned piece_sweep(Shared<Real> &s, const hs_device_system &system,
                                                const hs_blocked_plan &plan, const Real *from, Real *to, int sweeps,
                                                int number, unsigned start, Level<Real> (&level)[LEVELS])
{
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Stream<Real> stream = {s, system, plan, from, to, lane, warp};
  auto &now = s.now[warp];
  __syncwarp();
  if (lane == 0) {
    const hs_blocked_piece piece = plan.d_piece[number];
    const int below = piece.row0 - sweeps, first = below > -1 ? below : -1; /* row that is read first */
    now.strip = plan.d_strip[piece.strip];
    now.piece = piece;
    now.shift = first - warp * LEVELS - (int)start;
    now.active = sweeps - warp * LEVELS;
    now.end = start + piece.row1 - first + HS_BLOCKED_LEVELS; /* when the last one has come out */
    now.batch = start + 3 * BATCH;
  }
  __syncwarp();
  if (warp == 0) {
    for (int k = 0; k < 3; k++) stream.words_request(start + k * BATCH);
    if (lane < STAGE) stream.request(now.shift + (int)start + lane, start + lane);
    copy_async_wait<0>();
    __syncwarp();
  }

  unsigned g = start;
  for (unsigned taken; g < now.end; g += taken) {
    if (warp) (void)shared_wait(&s.written[warp - 1], g + 1); /* what is known of the row is there, too */
    const uint32_t last = stream.word_at(g + GROUP - 1);
    if (warp == WARPS - 1) bulk_wait<0>(); /* what was stored before has left its place */
    if (g + GROUP <= now.end && now.active >= LEVELS && HS_BLOCKED_IS_PLAIN(last) &&
        HS_BLOCKED_RUN(last) >= GROUP + LEVELS) {
      stream.group_plain(g, level);
      taken = GROUP;
    } else {
      stream.row_any(g, now.shift + (int)g, now.active, level);
      taken = 1;
    }
    if (warp == 0) {
      const unsigned next = g + STAGE + lane, batch = now.batch;
      if (lane < taken && next < now.end) stream.request(now.shift + (int)next, next);
      if (g + taken + 2 * BATCH > batch) { /* those of the batch before have come meanwhile */
        copy_async_wait<0>();
        stream.words_request(batch);
        __syncwarp();
        if (lane == 0) now.batch = batch + BATCH;
      }
      __syncwarp();
    }
    if (warp == WARPS - 1) {
      bulk_publish();
      __syncwarp();
      if (lane < taken) stream.store(now.shift + (int)g - LEVELS + lane, g + lane);
      bulk_commit();
    }
  }
  if (warp == 0) copy_async_wait<0>();
  return g;
}

} // namespace blocked

template <typename Real>
__global__ void __launch_bounds__(blocked::THREADS, 1)
sweep_blocked(const __grid_constant__ hs_device_system system, const __grid_constant__ hs_blocked_plan plan,
              const Real *__restrict__ from, Real *__restrict__ to, int sweeps, const int32_t *d_halt)
{
  using namespace blocked;
  Shared<Real> &s = *dynamic_shared<Shared<Real>>();
  Level<Real> level[LEVELS];
  const int first = plan.d_first[blockIdx.x], end = plan.d_first[blockIdx.x + 1];
  unsigned start = 0;
  if (d_halt && *d_halt) return;
  for (unsigned k = threadIdx.x; k < sizeof(Shared<Real>) / 16; k += THREADS) ((int4 *)&s)[k] = make_int4(0, 0, 0, 0);
  __syncthreads();
  if (threadIdx.x < STAGE) barrier_create(&s.arrived[threadIdx.x]);
  bulk_publish();
#pragma unroll
  for (int k = 0; k < LEVELS; k++) {
#pragma unroll
    for (int x = 0; x < Row<Real>::COLUMNS; x++) level[k].old[x] = level[k].pair[x] = Real(0);
  }
  __syncthreads();
  for (int p = first; p < end; p++) start = piece_sweep(s, system, plan, from, to, sweeps, p, start, level);
  bulk_wait<0>();
}

#endif
