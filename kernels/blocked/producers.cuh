/* The warps of cuda-blocked that move rows, and the shared memory through which they and the computing warps work
 * together; blocked/sweep.cuh has the method.
 *
 * Ring w holds the rows that warp w reads; the last ring holds what is stored. Two flags for each ring count rows
 * since the start of the launch and never go back: `full` says how many have been written, `empty` how many have been
 * read. A writer of row n waits until empty >= n + 1 - RING, a reader until full >= n + 1.
 */
#ifndef HS_KERNELS_BLOCKED_PRODUCERS_CUH
#define HS_KERNELS_BLOCKED_PRODUCERS_CUH

#include "blocked/stages.cuh"

namespace blocked
{

static constexpr int WARPS = 8;          /* that compute */
static constexpr int GROUP = STAGES + 1; /* rows that are taken together */
static constexpr int ROW_PRODUCER = WARPS, KIND_PRODUCER = WARPS + 1, STORE_WARP = WARPS + 2;
static constexpr int THREADS = 32 * (WARPS + 4); /* registers are traded by fours of warps */
/* Rows of a ring, a power of 2, and rows of a group that are waited for and passed on together: more where there is
 * more shared memory. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
static constexpr unsigned RING = 4, CHUNK = 2;
#else
static constexpr unsigned RING = 8, CHUNK = 3;
#endif
static constexpr unsigned RING_SMALL = 4;   /* of devices before compute capability 9.0 */
static constexpr unsigned LATE = 2;         /* stores that may still be under way when the next row is looked at */
static constexpr unsigned BATCH = 32;       /* rows that the kind producer looks up together, two batches ahead */
static constexpr unsigned KINDS_KEPT = 256; /* rows whose kinds are in shared memory; more than are under way */
static_assert(WARPS * STAGES == HS_BLOCKED_STAGES, "stages");
static_assert(RING >= 2 * CHUNK - 1 && RING >= CHUNK + LATE && (unsigned)GROUP <= BATCH, "groups");
static_assert(KINDS_KEPT > 3 * BATCH + (WARPS + 1) * RING + WARPS * STAGES + 2 * GROUP, "rows under way");

template <typename Real> struct Shared {
  using Line = uint4[32 * Row<Real>::UNITS];
  uint64_t arrived[RING]; /* barriers of the copy engine: a row has come */
  unsigned full[WARPS + 1], empty[WARPS + 1];
  unsigned unused[2];
  uint32_t descriptor[KINDS_KEPT];      /* HS_BLOCKED_ROW of row n at n % KINDS_KEPT */
  hs_blocked_row_kind kind[KINDS_KEPT]; /* its kind */
  Line row[WARPS + 1][RING];
};

/* The work item that a warp is in. Row numbers n count from the start of the launch: the item's row `start` is row
 * `first` of the grid. Each stage gives a row out one step later than it took it in, so at the outlet of stage s row n
 * is row first + n - start - s of the grid. */
struct Item {
  int strip, row0, row1, first;
  unsigned start, end; /* whole groups; the last rows bring out what the stages still hold */

  __device__ __forceinline__ Item(const hs_blocked_plan &plan, int number, int sweeps, unsigned count)
  {
    const hs_blocked_item item = plan.d_item[number];
    const int below = item.row0 - sweeps;
    strip = item.strip;
    row0 = item.row0;
    row1 = item.row1;
    first = below > -1 ? below : -1; /* rows -1 and ny can be read and hold 0 */
    start = count;
    end = count + (unsigned)((row1 - first + HS_BLOCKED_STAGES + GROUP - 1) / GROUP * GROUP);
  }
};

/* The row producer, one thread: asks the copy engine for all rows of an item. Rows beyond ny are row ny once more; what
 * they hold does not matter, since the stages keep them 0. */
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

/* Descriptor of row n. */
__device__ __forceinline__ uint32_t descriptor_of(const hs_device_system &system, const hs_blocked_plan &plan,
                                                  const Item &item, unsigned n)
{
  const int y = item.first + (int)(n - item.start);
  if (y >= 0 && y < system.ny) return __ldg(&plan.d_row[(int64_t)item.strip * system.ny + y]);
  /* outside the grid: kind 0; once the stages hold such rows only, nothing changes any more */
  return HS_BLOCKED_ROW(0, HS_BLOCKED_ALIKE, y > system.ny + STAGES ? HS_BLOCKED_AHEAD_LIMIT : 0);
}

template <typename Real>
__device__ __forceinline__ void descriptor_store(Shared<Real> &s, const hs_blocked_plan &plan, unsigned n,
                                                 uint32_t descriptor)
{
  s.descriptor[n % KINDS_KEPT] = descriptor;
  s.kind[n % KINDS_KEPT] = plan.d_kind[HS_BLOCKED_KIND(descriptor)];
}

/* The kind producer: looks up descriptors and kinds of an item's rows, two batches ahead, and raises the full flag of
 * the first ring for rows that have come and whose kind is there. */
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

/* The store warp, one thread: stores the valid columns of an item's own rows. */
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
    shared_store_release(&s.empty[WARPS], n + 1 - LATE); /* the first two times below what it was: no harm */
  }
  bulk_wait<0>();
  shared_store_release(&s.empty[WARPS], item.end);
}

/* What a warp that moves rows does in a launch. */
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
    if (warp == STORE_WARP && warp_elect()) item_store(s, system, plan, item, to);
    count = item.end;
    __syncwarp();
  }
}

} // namespace blocked

#endif
