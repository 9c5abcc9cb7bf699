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
 *      pair[x] = t(x, r - 1) + t(x - 1, r)        S + W of its nodes, or fma(vS, S, vW*W)
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
 * Where all nodes of a row have equal weights and each lane's have one constant, that is all there is to do (plain rows,
 * taken in groups). In other rows each node's constant is loaded, and each lane knows which of its columns are held;
 * that is still code without a branch. Nodes of unequal weights (walls with flux or convection, interfaces of materials)
 * are computed by the general formula, in a branch for each column that has some in any lane.
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

template <typename Real> struct Shared {
  using Line = uint2[32 * Row<Real>::UNITS];
  Line stage[STAGE];
  Line ring[WARPS - 1][RING]; /* by the warp that writes */
  Line out[OUT];
  uint32_t word[KNOWN];                         /* of rows, by their number in the stream; see struct hs_blocked_plan */
  unsigned written[WARPS - 1], read[WARPS - 1]; /* rows of each ring since the start */
  uint64_t arrived[STAGE];                      /* barriers: a row has come */
  struct {
    hs_blocked_piece piece;
    int column0;
    const Real *from;    /* warp 0: the first node of the window in row 0, */
    int bytes;           /* and what is read of a row */
    Real *to;            /* warp 7: the first valid node in row 0, */
    int offset, stored;  /* where it is in a row of shared memory, and what is stored of a row; bytes */
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
    const Real next = quarter_sum(Real(0.25), fresh[x + 1] + level.pair[x], c);
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

/* What is known of the nodes of a row: a lane's held columns, and constants as the table has them (blocked.h). */
template <typename Real> struct Known {
  const Real *constants; /* [COLUMNS][32], this lane's */
  uint32_t held, general, varied;

  /* Weights of the general columns from the x-th on: west, east, south, north in steps of 32. */
  __device__ __forceinline__ const Real *weights(int x) const
  {
    return constants + 32 * (Row<Real>::COLUMNS + 4 * __popc(general & ((1u << x) - 1u)));
  }
};

/* A level whose nodes have equal weights or are held (a quarter of nothing). Neither the sum nor the pair of a held node
 * matters. */
template <typename Real>
__device__ __forceinline__ void level_mixed(Row<Real> &row, Level<Real> &level, const Known<Real> &known)
{
  constexpr int N = Row<Real>::COLUMNS;
  const Real beyond = __shfl_down_sync(ALL, level.old[0], 1);
  Real fresh[N + 1];
  fresh[N] = row.at[N - 1] + beyond;
  fresh[0] = __shfl_up_sync(ALL, fresh[N], 1);
#pragma unroll
  for (int x = N - 1; x >= 0; x--) {
    const Real next = quarter_sum(known.held >> x & 1 ? Real(0) : Real(0.25), fresh[x + 1] + level.pair[x],
                                  load_constant(known.constants + 32 * x));
    if (x > 0) fresh[x] = row.at[x ? x - 1 : 0] + level.old[x];
    level.pair[x] = fresh[x];
    level.old[x] = row.at[x];
    row.at[x] = next;
  }
}

/* A level some of whose nodes have unequal weights, those of some columns in any lane. here, next: what is known of the
 * row that comes out and of the one after it. first, last: the lane has the grid's first or last column.
 *
 * A branch for each column keeps few values alive at a time; without branches the compiler loads ahead until it runs out of
 * registers, and a row took three times as long. */
template <typename Real>
__device__ __forceinline__ void level_general(Row<Real> &row, Level<Real> &level, const Known<Real> &here,
                                              const Known<Real> &next, bool first, bool last)
{
  constexpr int N = Row<Real>::COLUMNS;
  const Real shifted = __shfl_down_sync(ALL, level.old[0], 1), before = __shfl_up_sync(ALL, row.at[N - 1], 1);
  const Real usual = load_constant(here.constants);
  Real east = last ? Real(0) : shifted;
#pragma unroll
  for (int x = N - 1; x >= 0; x--) {
    const Real north = row.at[x], south = level.old[x], west = x ? row.at[x ? x - 1 : 0] : first ? Real(0) : before;
    const Real quarter = here.held >> x & 1 ? Real(0) : Real(0.25);
    Real c = usual;
    if (x && (here.varied >> x & 1)) c = load_constant(here.constants + 32 * x);
    Real value = quarter_sum(quarter, (north + east) + level.pair[x], c), pair = south + west;
    if (here.general >> x & 1) {
      const Real *v = here.weights(x);
      value = quarter_sum(quarter, weighted(__ldg(v + 32), east, __ldg(v + 96), north) + level.pair[x], c);
    }
    if (next.general >> x & 1) {
      const Real *v = next.weights(x);
      pair = weighted(__ldg(v + 64), south, __ldg(v), west);
    }
    level.pair[x] = pair;
    level.old[x] = north;
    row.at[x] = value;
    east = south;
  }
}

/* --- a piece ---------------------------------------------------------------------------------- */

/* A warp of the stream. Rows are counted: `n`-th row of the piece, `g`-th row since the start of the launch. GENERAL:
 * there may be nodes of unequal weights; without them the code is much shorter, and the instruction cache holds it. */
template <typename Real, bool GENERAL> struct Stream {
  static constexpr int UNITS = Row<Real>::UNITS;
  Shared<Real> &s;
  const hs_device_system &system;
  const hs_blocked_plan &plan;
  unsigned lane, warp;

  /* One thread of warp 0: requests ROWS rows from the g-th on. Rows -1 and ny are there and hold 0; what comes for later
   * ones does not matter, they stay 0 at every level. */
  template <int ROWS> __device__ __forceinline__ void request(unsigned g) const
  {
    const Real *const base = s.now[0].from;
    const int bytes = s.now[0].bytes, y0 = s.now[0].shift + (int)g;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      const int y = y0 + r < system.ny ? y0 + r : system.ny;
      bulk_load(s.stage[(g + r) % STAGE], base + y * system.pitch, bytes, &s.arrived[(g + r) % STAGE]);
    }
  }

  /* Warp 0: requests what is known of the BATCH rows from the g-th on. */
  __device__ __forceinline__ void words_request(unsigned g) const
  {
    const int y = s.now[0].shift + (int)(g + lane);
    const uint32_t *rows = plan.d_row + (int64_t)s.now[0].piece.strip * system.ny;
    if (y >= 0 && y < system.ny)
      copy_async4(&s.word[(g + lane) % KNOWN], rows + y);
    else /* outside the grid; beyond the first rows there, what comes does not matter */
      s.word[(g + lane) % KNOWN] = y < system.ny + LEVELS ? 0 : HS_BLOCKED_WORD(0, 1, 1, HS_BLOCKED_AHEAD_LIMIT);
    copy_async_commit();
  }

  /* One thread of warp 7: stores the valid columns of row y, the g-th, and of the next ones. */
  template <int ROWS> __device__ __forceinline__ void store(int y, unsigned g) const
  {
    Real *const base = s.now[WARPS - 1].to;
    const int bytes = s.now[WARPS - 1].stored, offset = s.now[WARPS - 1].offset;
#pragma unroll
    for (int r = 0; r < ROWS; r++)
      bulk_store(base + (y + r) * system.pitch, (const char *)s.out[(g + r) % OUT] + offset, bytes);
  }

  /* Waits for `rows` rows from this warp's g-th on. */
  __device__ __forceinline__ void wait_input(unsigned g, unsigned rows) const
  {
    if (warp)
      (void)shared_wait(&s.written[warp - 1], g + rows);
    else if (lane < rows)
      barrier_wait(&s.arrived[(g + lane) % STAGE], (g + lane) / STAGE);
    __syncwarp();
  }

  /* Reads the g-th row, which has come. */
  __device__ __forceinline__ void take(Row<Real> &row, unsigned g) const
  {
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
  __device__ __forceinline__ Known<Real> known_of(uint32_t word) const
  {
    const int64_t number = HS_BLOCKED_CLASS(word);
    const hs_blocked_class of = plan.d_class[number];
    return {(const Real *)plan.d_constant + of.constants + lane, plan.d_held[number * 32 + lane], of.general,
            of.varied};
  }

  /* A group of rows of one class, like those before. MIXED: constants of their own or held nodes. */
  template <bool MIXED>
  __device__ __forceinline__ void group(unsigned g, const Known<Real> &known, Real c,
                                        Level<Real> (&level)[LEVELS]) const
  {
#pragma unroll
    for (int r = 0; r < GROUP; r++) {
      const bool begins = r % CHUNK == 0, ends = r % CHUNK == CHUNK - 1 || r == GROUP - 1;
      const unsigned rows = GROUP - r < CHUNK ? GROUP - r : CHUNK;
      Row<Real> row;
      if (begins) wait_input(g + r, rows);
      take(row, g + r);
      if (ends) release_input(g + r + 1);
#pragma unroll
      for (int k = 0; k < LEVELS; k++) {
        if (MIXED)
          level_mixed(row, level[k], known);
        else
          level_plain(row, level[k], c);
      }
      if (begins) wait_output(g + r, rows);
      if (r == OUT - GROUP) wait_stored();
      give(row, g + r);
      if (ends) release_output(g + r + 1);
    }
  }

  /* As many groups; returns the count after them. */
  template <bool MIXED>
  __device__ __forceinline__ unsigned groups_sweep(unsigned g, unsigned groups, const Known<Real> &known,
                                                   Level<Real> (&level)[LEVELS]) const
  {
    const Real c = MIXED ? Real(0) : *known.constants; /* of all the lane's columns */
#pragma unroll 1
    for (; groups; groups--, g += GROUP) {
      group<MIXED>(g, known, c, level);
      transfer<GROUP>(g);
    }
    return g;
  }

  /* Any row. */
  __device__ __forceinline__ void row_any(unsigned g, int active, Level<Real> (&level)[LEVELS]) const
  {
    const int column = s.now[warp].column0 + (int)lane * Row<Real>::COLUMNS;
    const bool first = column == 0, last = column + Row<Real>::COLUMNS >= system.nx;
    const bool alike = HS_BLOCKED_IS_ALIKE(word_at(g));
    Known<Real> next = known_of(word_at(g));
    Row<Real> row;
    wait_input(g, 1);
    take(row, g);
    release_input(g + 1);
#pragma unroll
    for (int k = 0; k < LEVELS; k++) {
      if (k < active) {
        Known<Real> here = next;
        if (!alike) here = known_of(word_at(g - k - 1));
        if (GENERAL)
          level_general(row, level[k], here, next, first, last);
        else
          level_mixed(row, level[k], here);
        next = here;
      } else {
        level_pass(row, level[k]);
      }
    }
    wait_output(g, 1);
    wait_stored();
    give(row, g);
    release_output(g + 1);
  }

  /* Warp 7: what was stored before has left its place. */
  __device__ __forceinline__ void wait_stored() const
  {
    bulk_wait<0>();
    __syncwarp();
  }

  /* After TAKEN rows from the g-th on: warp 0 asks for as many new ones, warp 7 stores these. */
  template <int TAKEN> __device__ __forceinline__ void transfer(unsigned g) const
  {
    auto &now = s.now[warp];
    if (warp == 0) {
      const unsigned next = g + STAGE, batch = now.batch;
      const int left = (int)(now.end - next);
      if (left >= TAKEN) {
        if (warp_elect()) request<TAKEN>(next);
      } else if (warp_elect()) {
#pragma unroll 1
        for (int r = 0; r < left; r++) request<1>(next + r);
      }
      if (g + TAKEN + 2 * BATCH > batch) { /* those of the batch before have come meanwhile */
        copy_async_wait<0>();
        words_request(batch);
        __syncwarp();
        if (lane == 0) now.batch = batch + BATCH;
      }
      __syncwarp();
    }
    if (warp == WARPS - 1) {
      bulk_publish();
      __syncwarp();
      const int y = now.shift + (int)g - LEVELS, row0 = now.piece.row0, row1 = now.piece.row1;
      if (y >= row0 && y + TAKEN <= row1) {
        if (warp_elect()) store<TAKEN>(y, g);
      } else if (warp_elect()) {
#pragma unroll 1
        for (int r = 0; r < TAKEN; r++)
          if (y + r >= row0 && y + r < row1) store<1>(y + r, g + r);
      }
      bulk_commit();
    }
  }
};

/* Sweeps a piece, beginning with the start-th row; returns the count at its end. */
template <bool GENERAL, typename Real>
__device__ __forceinline__ unsigned piece_sweep(Shared<Real> &s, const hs_device_system &system,
                                                const hs_blocked_plan &plan, const Real *from, Real *to, int sweeps,
                                                int number, unsigned start, Level<Real> (&level)[LEVELS])
{
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Stream<Real, GENERAL> stream = {s, system, plan, lane, warp};
  auto &now = s.now[warp];
  __syncwarp();
  if (lane == 0) {
    const hs_blocked_piece piece = plan.d_piece[number];
    const int below = piece.row0 - sweeps, first = below > -1 ? below : -1; /* row that is read first */
    const hs_blocked_strip strip = plan.d_strip[piece.strip];
    const int64_t readable = system.tiles_x * HS_TILE_W + HS_PAD - strip.column0, width = 32 * Row<Real>::COLUMNS;
    now.column0 = strip.column0;
    now.from = from + strip.column0;
    now.bytes = (int)((readable < width ? readable : width) * (int)sizeof(Real));
    now.to = to + strip.valid0;
    now.offset = (strip.valid0 - strip.column0) * (int)sizeof(Real);
    now.stored = (strip.valid1 - strip.valid0) * (int)sizeof(Real);
    now.piece = piece;
    now.shift = first - (int)(warp * LEVELS) - (int)start;
    now.active = sweeps - (int)(warp * LEVELS);
    const int rows = piece.row1 - first + HS_BLOCKED_LEVELS;          /* until the last one has come out, */
    now.end = start + (unsigned)((rows + GROUP - 1) / GROUP * GROUP); /* in whole groups */
    now.batch = start + 3 * BATCH;
  }
  __syncwarp();
  if (warp == 0) {
    for (int k = 0; k < 3; k++) stream.words_request(start + k * BATCH);
    if (warp_elect())
#pragma unroll 1
      for (unsigned r = 0; r < STAGE; r++) stream.template request<1>(start + r);
    copy_async_wait<0>();
    __syncwarp();
  }

  unsigned g = start;
  while (g < now.end) {
    stream.wait_input(g, 1);                            /* then what is known of the row is there, too */
    const int early = (int)(start + warp * LEVELS - g); /* rows from before the first one: they do not matter */
    const uint32_t word = early > 0 ? s.word[start % KNOWN] : stream.word_at(g);
    const unsigned ahead = HS_BLOCKED_AHEAD(word) + (early > 0 ? (unsigned)early : 0u), left = now.end - g;
    const unsigned groups = now.active >= LEVELS ? (ahead < left ? ahead : left) / GROUP : 0;
    if (groups && !HS_BLOCKED_IS_MIXED(word)) {
      g = stream.template groups_sweep<false>(g, groups, stream.known_of(word), level);
    } else if (groups) {
      g = stream.template groups_sweep<true>(g, groups, stream.known_of(word), level);
    } else {
      stream.row_any(g, now.active, level);
      stream.template transfer<1>(g);
      g++;
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
#pragma unroll 1
  for (int p = first; p < end; p++) {
    if (plan.d_piece[p].general)
      start = piece_sweep<true>(s, system, plan, from, to, sweeps, p, start, level);
    else
      start = piece_sweep<false>(s, system, plan, from, to, sweeps, p, start, level);
  }
  bulk_wait<0>();
}

#endif
