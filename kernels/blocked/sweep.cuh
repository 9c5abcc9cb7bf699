/* Many sweeps in one pass over device memory: the device code of cuda-blocked.
 *
 * A block streams the rows of a strip from south to north through 8 warps. Warp w owns the levels (sweeps) 4w+1 ..
 * 4w+4; what leaves its last level goes through a ring of rows in shared memory to warp w + 1. Three more warps move
 * the rows, and what is known of them, to the first ring and from the last:
 *
 *      device             levels           levels                    levels            device
 *      memory ---> ring   1  2  3  4  ring 5  6  7  8  ring ... ring 29 30 31 32  ring ---> memory
 *          loader          warp 0           warp 1                    warp 7         storer
 *          clerk
 *
 * There is no barrier: two counters for each ring, rows written and rows read, let every warp run as far ahead as the
 * rings allow. With a barrier after each row the same arithmetic took 29 % longer; when the first and the last warp
 * drove the copy engine themselves, all others waited for them a fifth of the time.
 *
 * A row is 32 lanes by 5 units of 16 bytes; an odd number, so that eight lanes that read or write their 16 bytes at
 * the same time use all banks of shared memory. A level that is given row r + 1 gives row r to the next one. It keeps
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
 * The outermost columns of the window, and the first rows of a piece, have no neighbours: one more is wrong at each
 * level, and blocks overlap by as many. Dirichlet nodes and those beyond the grid take what is wrong times nothing; so
 * values must be ordinary numbers (HS_BLOCKED_LARGEST_F64).
 *
 * Registers decide: 4 levels x 2 rows x 10 columns and the row on its way are 180 of 240 in double precision. A
 * quarter of a multiprocessor has registers for two warps of 255 or three of 168; from compute capability 9.0 on
 * warps trade them (primitives.cuh), and two have 240 while the third, which moves rows, has 24. Else the levels
 * spill. A new row takes the registers of the oldest one; there are five of them, so code for five rows moves
 * nothing.
 *
 * Where all nodes of a row have equal weights and each lane's have one constant, that is all there is to do (plain
 * rows). Rows with constants of their own or Dirichlet nodes that are alike for a while keep what is known of them in
 * registers. Nodes of unequal weights (walls with flux or convection, interfaces of materials) are computed by the
 * general formula, and so are all others beside them. Rows near a change of what is known load it anew for each
 * level. All rows are taken in groups of five, by code without branches.
 */
#ifndef HS_KERNELS_BLOCKED_SWEEP_CUH
#define HS_KERNELS_BLOCKED_SWEEP_CUH

#include "blocked/stages.cuh"
#include "device.cuh"

namespace blocked
{

static constexpr int WARPS = 8;          /* that compute */
static constexpr int GROUP = LEVELS + 1; /* rows that are taken together */
static constexpr int LOADER = WARPS, CLERK = WARPS + 1, STORER = WARPS + 2;
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
static constexpr unsigned BATCH = 32;  /* rows that the clerk looks up together, two batches ahead of the first ring */
static constexpr unsigned KNOWN = 256; /* rows that are known at a time; more than are under way */
static_assert(WARPS * LEVELS == HS_BLOCKED_LEVELS, "levels");
static_assert(RING >= 2 * CHUNK - 1 && RING >= CHUNK + LATE && (unsigned)GROUP <= BATCH, "groups");
static_assert(KNOWN > 3 * BATCH + (WARPS + 1) * RING + WARPS * LEVELS + 2 * GROUP, "rows under way");

template <typename Real> struct Shared {
  using Line = uint4[32 * Row<Real>::UNITS];
  uint64_t arrived[RING];                       /* barriers: a row has come */
  unsigned written[WARPS + 1], read[WARPS + 1]; /* rows of each ring since the start */
  unsigned unused[2];
  uint32_t word[KNOWN];          /* of rows, by their number in the stream; see struct hs_blocked_plan */
  hs_blocked_class known[KNOWN]; /* their classes */
  Line row[WARPS + 1][RING];     /* by the warp that reads; the last ones are stored */
};

/* --- pieces ----------------------------------------------------------------------------------- */

/* What a warp knows of the piece it is in. Rows are counted since the start of the launch: the row that enters the
 * levels as `start`-th is row `first` of the grid; after each level it is one later. */
struct Piece {
  int strip, row0, row1, first;
  unsigned start, end; /* in whole groups, so that the last row has come out */

  __device__ __forceinline__ Piece(const hs_blocked_plan &plan, int number, int sweeps, unsigned count)
  {
    const hs_blocked_piece piece = plan.d_piece[number];
    const int below = piece.row0 - sweeps;
    strip = piece.strip;
    row0 = piece.row0;
    row1 = piece.row1;
    first = below > -1 ? below : -1; /* rows -1 and ny are there and hold 0 */
    start = count;
    end = count + (unsigned)((row1 - first + HS_BLOCKED_LEVELS + GROUP - 1) / GROUP * GROUP);
  }
};

/* The loader, one thread: asks for all rows of a piece. What comes for rows beyond ny does not matter, they stay 0
 * at every level. */
template <typename Real>
__device__ __forceinline__ void piece_load(Shared<Real> &s, const hs_device_system &system, const hs_blocked_plan &plan,
                                           const Piece &piece, const Real *from)
{
  const int column0 = plan.d_strip[piece.strip].column0;
  const int64_t readable = system.tiles_x * HS_TILE_W + HS_PAD - column0, width = 32 * Row<Real>::COLUMNS;
  const int bytes = (int)((readable < width ? readable : width) * (int)sizeof(Real));
  for (unsigned n = piece.start; n < piece.end; n++) {
    const int y = piece.first + (int)(n - piece.start);
    shared_wait_idle(&s.read[0], n + 1 - RING);
    bulk_load(s.row[0][n % RING], from + column0 + (y < system.ny ? y : system.ny) * system.pitch, bytes,
              &s.arrived[n % RING]);
  }
}

/* The clerk's look at the row that comes in n-th. */
__device__ __forceinline__ uint32_t word_of(const hs_device_system &system, const hs_blocked_plan &plan,
                                            const Piece &piece, unsigned n)
{
  const int y = piece.first + (int)(n - piece.start);
  if (y >= 0 && y < system.ny) return __ldg(&plan.d_row[(int64_t)piece.strip * system.ny + y]);
  /* outside the grid; beyond the first rows there, what comes does not matter */
  return HS_BLOCKED_WORD(0, HS_BLOCKED_ALIKE, y > system.ny + LEVELS ? HS_BLOCKED_AHEAD_LIMIT : 0);
}

template <typename Real>
__device__ __forceinline__ void word_keep(Shared<Real> &s, const hs_blocked_plan &plan, unsigned n, uint32_t word)
{
  s.word[n % KNOWN] = word;
  s.known[n % KNOWN] = plan.d_class[HS_BLOCKED_CLASS(word)];
}

/* The clerk: looks up what is known of the rows of a piece, two batches ahead, and tells the first warp of rows
 * that have come and of which that is there. */
template <typename Real>
__device__ __forceinline__ void piece_know(Shared<Real> &s, const hs_device_system &system, const hs_blocked_plan &plan,
                                           const Piece &piece, unsigned lane)
{
  for (unsigned k = 0; k < 2; k++) {
    const unsigned n = piece.start + k * BATCH + lane;
    word_keep(s, plan, n, word_of(system, plan, piece, n));
  }
  for (unsigned g = piece.start; g < piece.end; g += BATCH) {
    const unsigned ahead = g + 2 * BATCH + lane, end = g + BATCH < piece.end ? g + BATCH : piece.end;
    const uint32_t word = word_of(system, plan, piece, ahead);
    __syncwarp();
    if (warp_elect()) {
      for (unsigned n = g; n < end; n++) {
        barrier_wait(&s.arrived[n % RING], n / RING);
        shared_store_release(&s.written[0], n + 1);
      }
    }
    __syncwarp();
    word_keep(s, plan, ahead, word);
  }
}

/* The storer, one thread: the valid columns of the rows of a piece. */
template <typename Real>
__device__ __forceinline__ void piece_store(Shared<Real> &s, const hs_device_system &system,
                                            const hs_blocked_plan &plan, const Piece &piece, Real *to)
{
  const hs_blocked_strip strip = plan.d_strip[piece.strip];
  const int bytes = (strip.valid1 - strip.valid0) * (int)sizeof(Real), skipped = strip.valid0 - strip.column0;
  for (unsigned n = piece.start; n < piece.end; n++) {
    const int y = piece.first + (int)(n - piece.start) - HS_BLOCKED_LEVELS;
    shared_wait_idle(&s.written[WARPS], n + 1);
    if (y >= piece.row0 && y < piece.row1)
      bulk_store(to + y * system.pitch + strip.valid0, (const Real *)s.row[WARPS][n % RING] + skipped, bytes);
    bulk_commit();
    bulk_wait<(int)LATE>();
    shared_store_release(&s.read[WARPS], n + 1 - LATE); /* at first less than it was, which makes nobody wait */
  }
  bulk_wait<0>();
  shared_store_release(&s.read[WARPS], piece.end);
}

/* A warp that computes. WEIGHTS: there may be nodes of unequal weights; without them the code is much shorter, and the
 * instruction cache holds it. */
template <typename Real, bool WEIGHTS> struct Stream {
  static constexpr int UNITS = Row<Real>::UNITS;
  Shared<Real> &s;
  const hs_device_system &system;
  const hs_blocked_plan &plan;
  unsigned lane, warp;
  unsigned &came, &room; /* what the counters of both rings were when they were looked at last */

  /* Waits for `rows` rows from this warp's g-th on. */
  __device__ __forceinline__ void wait_input(unsigned g, unsigned rows) const
  {
    if ((int)(came - g - rows) < 0) came = shared_wait(&s.written[warp], g + rows);
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
    if (lane == 0) shared_store_release(&s.read[warp], end);
  }

  /* Waits for room for `rows` rows from the g-th on. */
  __device__ __forceinline__ void wait_output(unsigned g, unsigned rows) const
  {
    if ((int)(room - g - rows + RING) < 0) room = shared_wait(&s.read[warp + 1], g + rows - RING);
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
    if (lane == 0) shared_store_release(&s.written[warp + 1], end);
  }

  /* What is known of the row that is this warp's g-th. */
  __device__ __forceinline__ uint32_t word_at(unsigned g) const
  {
    return s.word[(g - warp * LEVELS) % KNOWN];
  }
  __device__ __forceinline__ Known<Real> known_at(unsigned g) const
  {
    const hs_blocked_class of = s.known[(g - warp * LEVELS) % KNOWN];
    const char *const part = (const char *)plan.d_table + (int64_t)of.place * HS_BLOCKED_PART;
    return {(const Real *)plan.d_table + lane, of, __ldg((const uint32_t *)part + lane)};
  }

  /* A group of rows. alike, c: what is known of all of them and their constants, if these are the same. */
  template <enum Kind KIND>
  __device__ __forceinline__ void group(unsigned g, const Known<Real> &alike, const Row<Real> &c, int column0,
                                        Level<Real> (&level)[LEVELS]) const
  {
    const Borders borders = {(lane - 1) % 32, (lane + 1) % 32,
                             column0 + (int)(lane + 1) * Row<Real>::COLUMNS >= system.nx, lane == 31 && column0 == 0};
    Known<Real> known[GROUP] =
        {}; /* of rows under way that are not alike; the row that comes in r-th has the r-th place */
    if (KIND == MIXED || KIND == GENERAL) {
#pragma unroll
      for (int r = 1; r < GROUP; r++) known[r] = known_at(g + r - GROUP);
    }
#pragma unroll
    for (int r = 0; r < GROUP; r++) {
      const bool begins = r % CHUNK == 0, ends = r % CHUNK == CHUNK - 1 || r == GROUP - 1;
      const unsigned rows = GROUP - r < CHUNK ? GROUP - r : CHUNK;
      const Beside<Real> beside[LEVELS] = {{level[0], borders.before},
                                           {level[1], borders.before},
                                           {level[2], borders.before},
                                           {level[3], borders.before}};
      Row<Real> row;
      if (begins) wait_input(g + r, rows);
      take(row, g + r);
      if (KIND == MIXED || KIND == GENERAL) known[r] = known_at(g + r);
      if (ends) release_input(g + r + 1);
      if (KIND == WEIGHED) levels_weighed(row, level, alike, borders);
#pragma unroll
      for (int k = 0; k < LEVELS; k++) {
        if (KIND == UNASKED) level_pass(row, level[k]);
        if (KIND == PLAIN || KIND == ALIKE) level_equal<KIND>(row, level[k], beside[k], c, alike);
        const Known<Real> &here = known[(r - k - 1 + GROUP) % GROUP], &next = known[(r - k + GROUP) % GROUP];
        if (KIND == MIXED) level_equal<KIND>(row, level[k], beside[k], c, here);
        if (KIND == GENERAL) level_general(row, level[k], here, next, borders);
      }
      if (begins) wait_output(g + r, rows);
      give(row, g + r);
      if (ends) release_output(g + r + 1);
    }
  }

  /* As many groups of rows that are alike. */
  template <enum Kind KIND>
  __device__ __forceinline__ unsigned groups_alike(unsigned g, unsigned groups, const Known<Real> &alike, int column0,
                                                   Level<Real> (&level)[LEVELS]) const
  {
    constexpr int KEPT = KIND == PLAIN ? 1 : KIND == ALIKE ? Row<Real>::COLUMNS : 0;
    Row<Real> c = {};
#pragma unroll
    for (int x = 0; x < KEPT; x++) c.at[x] = load_constant(alike.constants() + 32 * x);
#pragma unroll 1
    for (; groups; groups--, g += GROUP) group<KIND>(g, alike, c, column0, level);
    return g;
  }

  /* Is none of the rows weighed that come out of any level while the next group goes in, or follow them? */
  __device__ __forceinline__ bool group_is_equal(unsigned g) const
  {
    const unsigned of = lane < GROUP + LEVELS ? lane : 0;
    return !__any_sync(ALL, HS_BLOCKED_KIND(word_at(g - LEVELS + of)) == HS_BLOCKED_WEIGHED);
  }

  __device__ __forceinline__ void piece_sweep(const Piece &piece, int sweeps, Level<Real> (&level)[LEVELS]) const
  {
    const bool asked = sweeps > (int)(warp * LEVELS);
    const int column0 = WEIGHTS ? plan.d_strip[piece.strip].column0 : 0;
    unsigned g = piece.start;
    while (g < piece.end) {
      wait_input(g, 1);                                         /* then what is known of the row is there, too */
      const int early = (int)(piece.start + warp * LEVELS - g); /* rows from before the first one: they do not matter */
      const unsigned n = early > 0 ? piece.start + warp * LEVELS : g, left = piece.end - g;
      const uint32_t word = word_at(n);
      const unsigned ahead = HS_BLOCKED_AHEAD(word) + (early > 0 ? (unsigned)early : 0u);
      const unsigned groups = (ahead < left ? ahead : left) / GROUP;
      if (!asked) {
        group<UNASKED>(g, {}, {}, 0, level);
        g += GROUP;
      } else if (groups && HS_BLOCKED_KIND(word) == HS_BLOCKED_PLAIN) {
        g = groups_alike<PLAIN>(g, groups, known_at(n), 0, level);
      } else if (WEIGHTS && groups && HS_BLOCKED_KIND(word) == HS_BLOCKED_WEIGHED) {
        g = groups_alike<WEIGHED>(g, groups, known_at(n), column0, level);
      } else if (groups) {
        g = groups_alike<ALIKE>(g, groups, known_at(n), 0, level);
      } else {
        if (!WEIGHTS || group_is_equal(g))
          group<MIXED>(g, {}, {}, 0, level);
        else
          group<GENERAL>(g, {}, {}, column0, level);
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
    const Piece piece(plan, p, sweeps, count);
    if (warp == LOADER && warp_elect()) piece_load(s, system, plan, piece, from);
    if (warp == CLERK) piece_know(s, system, plan, piece, threadIdx.x % 32);
    if (warp == STORER && warp_elect()) piece_store(s, system, plan, piece, to);
    count = piece.end;
    __syncwarp();
  }
}

template <typename Real>
__device__ __forceinline__ void warp_compute(Shared<Real> &s, const hs_device_system &system,
                                             const hs_blocked_plan &plan, int sweeps, unsigned warp)
{
  const int first = plan.d_first[blockIdx.x], end = plan.d_first[blockIdx.x + 1];
  const unsigned lane = lane_index();
  unsigned count = 0, came = 0, room = 0;
  Level<Real> level[LEVELS];
#pragma unroll
  for (int k = 0; k < LEVELS; k++) {
#pragma unroll
    for (int x = 0; x < Row<Real>::COLUMNS; x++) level[k].old[x] = level[k].pair[x] = Real(0);
  }
#pragma unroll 1
  for (int p = first; p < end; p++) {
    const Piece piece(plan, p, sweeps, count);
    if (plan.d_piece[p].weights)
      Stream<Real, true>{s, system, plan, lane, warp, came, room}.piece_sweep(piece, sweeps, level);
    else
      Stream<Real, false>{s, system, plan, lane, warp, came, room}.piece_sweep(piece, sweeps, level);
    count = piece.end;
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
