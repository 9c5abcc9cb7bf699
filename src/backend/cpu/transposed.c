/* cpu, blocked in time: passes over full-width or skewed tiles of transposed rows, for plain sweeps of few materials.
 *
 * Where rows are not too long, one full-width tile is as wide as the grid, and zeros lie beyond both its ends. Else
 * there are skewed ones. Such a tile lies one column further east at each stage, so that nothing in it depends on
 * what lies west of it; tiles are made from east to west. Three of them, of five columns, at four stages; nx = 10:
 *
 *      stage 0   0 0 0 0 0|1 1 1 1 1|2 2 2 2 2
 *      stage 1     0 0 0 0 0|1 1 1 1 1|2 2 2 2 2
 *      stage 2       0 0 0 0 0|1 1 1 1 1|2 2 2 2 2
 *      stage 3         0 0 0 0 0|1 1 1 1 1|2 2 2 2 2
 *                      ^ column 0          ^ column nx
 *
 * The two columns that a row needs from the tile east of it, that tile has left (`edges`): two numbers for each row
 * and stage, in the order in which they are made. So tiles have no ghost zones, and can be so narrow that the ten rows
 * that a block reads lie in the first cache. Where vectors have 64 bytes, that makes sweeps up to 1.8 times as fast;
 * narrower vectors gain nothing from it (doc/measurements.md) and have wide tiles. Columns outside of the grid are
 * 0 at every stage. A full-width tile needs neither edges nor the columns by which a skewed one reaches beyond the
 * walls.
 *
 * The rows under way lie in a ring, row j of stage t where row j-1 of stage t-1 was, the row south of it: what is
 * written was read a moment ago (rows/transposed.h). A block of three rows on its way through three stages, and two
 * rows of each stage that stay for the next block, in brackets those that the block before has left:
 *
 *      slot         8    7    6    5    4    3    2    1    0
 *      stage 0      8    7    6   (5)  (4)
 *      stage 1                7    6    5   (4)  (3)             written over rows 6, 5, 4 of stage 0
 *      stage 2                          6    5    4   (3)  (2)
 *      stage 3                                    5    4    3    -> the other field
 *      stay         8    7    7    6    6    5
 *      of stage     0    0    1    1    2    2
 *
 * A new row lies one vector further west than the columns that it is made of: in a skewed tile that is the skew, in a
 * full-width one rows move through their slots (stage_place). Stage 0 has its rows there as well, transposed as they
 * come. Rows of the last stage are transposed back in a buffer, from which they go to the other field. Norms of the
 * last sweep are taken as one more stage, of transposed rows as well; rows of the stage before are copied for them,
 * before the last one is written over it.
 *
 * Between passes the fields of small grids stay transposed, in three buffers (state->transposed): rows of stage 0 are
 * copied from one and those of the last stage to another, ghosts included. Only full-width tiles do: a skewed one ends
 * elsewhere than it began.
 *
 * Threads form a pipelined wavefront (cpu/wavefront.h). The first two of each stage, ghosts included, are copied for
 * the thread south of it, which waits for them where it must. It hardly ever must: they are wanted as many rows later
 * as a thread has.
 *
 * Whatever the number of stages, the last one of a tile, which may be the norms, begins at the same column: a whole
 * line.
 *
 * Source: D. Wonnacott, Using time skewing to eliminate idle time due to memory bandwidth and network limitations,
 * IPDPS 2000.
 */
#include <string.h>
#include <unistd.h>

#include "backend/cpu/state.h"
#include "backend/cpu/wavefront.h"

_Static_assert((int)HS_CPU_ROWS_LEAST >= (int)HS_CPU_HALO_ROWS, "rows that are handed over are one thread's");

enum {
  WIDE_BYTES = 16384,     /* of a tile's row */
  CACHED_ROWS = 12,       /* of narrow tiles that lie in the first cache: those of a block, and room for other things */
  CACHE_BYTES = 32 << 10, /* of the first cache, where the system does not tell */
  GHOST_BYTES = 128,      /* two vectors */
};

/* One thread's part of a pass. */
struct worker {
  const struct hs_cpu_state *state;
  const struct hs_cpu_pass *pass;
  int thread;
  const struct hs_cpu_wavefront *blocks;
  uint64_t begun;                  /* what all threads had reached before this pass */
  int depth;                       /* stages: sweeps, and the norms */
  int tile;                        /* its number */
  const struct hs_row_span *spans; /* [ny] of the tile */
  char *ring;                      /* slot 0; the slot before it is zeros */
  char *kept;                      /* HS_CPU_BLOCK_ROWS slots of the last stage but one */
  char *spare;                     /* one slot, for what is not kept */
  char *edges;
};

/* --- where things lie ------------------------------------------------------------------------ */

/* Columns by which a stage lies further east than stage 0 of the deepest pass. */
static int stage_shift(const struct worker *worker, int stage)
{
  return worker->state->tile_skew * (worker->state->stages - worker->depth + stage);
}

/* First column of the tile at a stage, which may lie outside of the grid. */
static int stage_column(const struct worker *worker, int stage)
{
  return worker->tile * worker->state->tile_columns - worker->state->tile_skew * (worker->depth - stage);
}

static char *ring_slot(const struct worker *worker, int number)
{
  return worker->ring + (size_t)(number & (worker->state->tile_slots - 1)) * worker->state->tile_pitch;
}

/* Bytes from a slot's begin to a row of that stage. */
static size_t stage_place(const struct worker *worker, int stage)
{
  return worker->state->tile_skew ? 0 : (size_t)(worker->depth - stage + 1) * (size_t)worker->state->rows->group_bytes;
}

/* Row j of a stage, from a place in its slot on; zeros beyond the grid. */
static char *stage_row_at(const struct worker *worker, int stage, int j, size_t place)
{
  if (j < 0 || j >= worker->state->system->ny) return worker->ring - worker->state->tile_pitch;
  return ring_slot(worker, j - stage) + place;
}

/* The same from its first column on. */
static char *stage_row(const struct worker *worker, int stage, int j)
{
  return stage_row_at(worker, stage, j, stage_place(worker, stage));
}

/* What is kept of row j of the last stage but one. */
static char *predecessor_row(const struct worker *worker, int j)
{
  return worker->kept + (size_t)(j & (HS_CPU_BLOCK_ROWS - 1)) * worker->state->tile_pitch;
}

/* Edges of a row and the ones after it, which the tile in the east has left; NULL where there are none. */
static char *row_edges(const struct worker *worker, int stage, int place)
{
  const int block = place / HS_CPU_BLOCK_ROWS, row = place % HS_CPU_BLOCK_ROWS;
  const size_t stages = (size_t)block * (size_t)worker->depth + (size_t)stage;
  const size_t entry = stages * HS_CPU_BLOCK_ROWS + (size_t)row;
  if (stage == worker->depth || !worker->state->tile_skew) return NULL;
  if (worker->state->tile_count == 1) return worker->spare; /* nobody comes for them */
  return worker->edges + entry * HS_CPU_EDGE_COLUMNS * hs_cpu_element_size(worker->state);
}

/* The same, zeros for the first tile. */
static const char *row_edges_east(const struct worker *worker, int stage, int place)
{
  const char *edges = row_edges(worker, stage, place);
  return edges && worker->tile == worker->state->tile_count - 1 ? worker->ring - worker->state->tile_pitch : edges;
}

/* Row j of a field that is kept transposed, from the ghosts west of it on. */
static char *kept_row(const struct hs_cpu_state *state, const void *field, int j)
{
  return (char *)field + (size_t)j * state->transposed_pitch;
}

/* The same of a stage in the ring; in a skewed tile both groups of ghosts are east of it. */
static char *stage_row_whole(const struct worker *worker, int stage, int j)
{
  return stage_row(worker, stage, j) - (worker->state->tile_skew ? 0 : worker->state->rows->group_bytes);
}

/* A row of a stage that the thread has handed over, one of the first HS_CPU_HALO_ROWS. */
static char *halo_row(const struct worker *worker, int thread, int stage, int number)
{
  const struct hs_cpu_state *state = worker->state;
  const size_t rows = ((size_t)worker->tile * (size_t)state->stages + (size_t)stage) * HS_CPU_HALO_ROWS;
  return (char *)state->halo + (size_t)thread * state->halo_bytes + (rows + (size_t)number) * state->transposed_pitch;
}

/* What a thread has reached when it has handed that stage over. */
static uint64_t halo_mark(const struct worker *worker, int stage)
{
  const int tiles = worker->state->tile_count - 1 - worker->tile;
  return worker->begun + (uint64_t)(tiles * worker->depth + stage);
}

/* --- stage 0 --------------------------------------------------------------------------------- */

/* Row j of the field at the tile's columns of stage 0; those outside of the grid are 0. */
static const char *source_row(const struct worker *worker, int j)
{
  const struct hs_cpu_state *state = worker->state;
  const int columns = state->tile_columns, first = stage_column(worker, 0), nx = state->system->nx;
  const int from = hs_cpu_larger(first, 0), to = hs_cpu_smaller(first + columns, nx);
  const size_t size = hs_cpu_element_size(state);
  const char *row = (const char *)worker->pass->source + hs_cpu_row(state, j) * size;
  if (from == first && (to == first + columns || !state->tile_skew)) return row + (size_t)first * size;
  memset(worker->spare, 0, (size_t)columns * size);
  if (from < to)
    memcpy(worker->spare + (size_t)(from - first) * size, row + (size_t)from * size, (size_t)(to - from) * size);
  return worker->spare;
}

static void row_transpose(const struct worker *worker, int j, int place)
{
  const struct hs_cpu_rows *rows = worker->state->rows;
  const int columns = worker->state->tile_columns;
  const void *row, *east = row_edges_east(worker, 0, place);
  void *west = row_edges(worker, 0, place), *transposed = stage_row(worker, 0, j);
  if (worker->pass->source_transposed) {
    memcpy(stage_row_whole(worker, 0, j), kept_row(worker->state, worker->pass->source, j),
           worker->state->transposed_pitch);
    return;
  }
  row = source_row(worker, j);
  if (worker->state->single)
    rows->transpose_f32(row, columns, east, west, transposed);
  else
    rows->transpose_f64(row, columns, east, west, transposed);
}

static void row_prefetch(const void *of, int j)
{
  const struct worker *worker = of;
  const struct hs_cpu_state *state = worker->state;
  const int first = stage_column(worker, 0);
  const char *const kept = kept_row(state, worker->pass->source, j);
  if (worker->pass->source_transposed)
    for (size_t k = 0; k < state->transposed_pitch; k += 64) __builtin_prefetch(kept + k, 0, 2);
  else
    hs_cpu_row_prefetch(state, worker->pass->source, j, first, first + state->tile_columns);
}

/* --- sweeps ---------------------------------------------------------------------------------- */

/* The stage below is read from where the first new vector of each row comes to lie. */
static void block_sweep(const struct worker *worker, const struct hs_cpu_block *block)
{
  const struct hs_cpu_state *state = worker->state;
  const int place = block->place + block->from - block->row, count = block->to - block->from;
  const size_t at = stage_place(worker, block->stage);
  void *slot[HS_CPU_BLOCK_ROWS + 2];
  const struct hs_transposed_rows rows = {.slot = slot,
                                          .out = ring_slot(worker, block->from - block->stage) + at,
                                          .count = count,
                                          .spans = worker->spans + block->from,
                                          .segments = state->tile_segments,
                                          .groups = state->groups,
                                          .columns = state->tile_columns,
                                          .shift = stage_shift(worker, block->stage),
                                          .full_width = !state->tile_skew,
                                          .east = row_edges_east(worker, block->stage, place),
                                          .west = row_edges(worker, block->stage, place)};
  slot[0] = stage_row_at(worker, block->stage - 1, block->from - 1, at);
  for (int m = 1; m < count + 1; m++) slot[m] = ring_slot(worker, block->from + m - block->stage) + at;
  slot[count + 1] = stage_row_at(worker, block->stage - 1, block->to, at);
  if (state->single)
    state->rows->sweep_transposed_f32(&rows);
  else
    state->rows->sweep_transposed_f64(&rows);
}

/* --- from thread to thread ------------------------------------------------------------------- */

/* Rows of a block that the thread south of this one waits for. */
static void block_send(const struct worker *worker, const struct hs_cpu_block *block)
{
  const int first = hs_cpu_wavefront_from(worker->blocks, block->stage);
  const int end = hs_cpu_smaller(first + HS_CPU_HALO_ROWS, hs_cpu_wavefront_to(worker->blocks, block->stage));
  if (first >= block->to || end <= block->from) return;
  for (int j = hs_cpu_larger(first, block->from); j < hs_cpu_smaller(end, block->to); j++)
    memcpy(halo_row(worker, worker->thread, block->stage, j - first), stage_row_whole(worker, block->stage, j),
           worker->state->transposed_pitch);
  if (end <= block->to) hs_progress_set(&worker->state->progress[worker->thread], halo_mark(worker, block->stage));
}

/* Rows of a block that the thread north of this one has made. */
static void block_receive(const struct worker *worker, const struct hs_cpu_block *block)
{
  const int first = hs_cpu_wavefront_to(worker->blocks, block->stage), giver = worker->thread + 1;
  hs_progress_wait(&worker->state->progress[giver], halo_mark(worker, block->stage), &worker->state->team->waiting);
  for (int j = block->halo_from; j < block->halo_to; j++)
    memcpy(stage_row_whole(worker, block->stage, j), halo_row(worker, giver, block->stage, j - first),
           worker->state->transposed_pitch);
}

/* --- the last stages ------------------------------------------------------------------------- */

/* The rows of a block at the last stage go to the other field, transposed back but where that one is transposed,
 * too. */
static void block_finish(const struct worker *worker, const struct hs_cpu_block *block)
{
  const struct hs_cpu_state *state = worker->state;
  const int first = stage_column(worker, block->stage), columns = state->tile_columns;
  for (int j = block->from; j < block->to; j++) {
    const void *const transposed = stage_row(worker, block->stage, j);
    if (worker->pass->target_transposed) {
      memcpy(kept_row(state, worker->pass->target, j), stage_row_whole(worker, block->stage, j),
             state->transposed_pitch);
      continue;
    }
    if (state->single)
      state->rows->transpose_back_f32(transposed, columns, (float *)worker->spare);
    else
      state->rows->transpose_back_f64(transposed, columns, (double *)worker->spare);
    hs_cpu_row_store(state, worker->pass->target, j, first, first + columns, worker->spare);
  }
}

/* Keeps what the norms, of rows one further south, need of the last stage but one, before the last one is written over
 * it. */
static void block_keep(const struct worker *worker, const struct hs_cpu_block *block)
{
  const int from = hs_cpu_larger(block->row - 1, hs_cpu_wavefront_from(worker->blocks, worker->depth));
  const int to = hs_cpu_smaller(block->row - 1 + HS_CPU_BLOCK_ROWS, hs_cpu_wavefront_to(worker->blocks, worker->depth));
  const size_t bytes = (size_t)worker->state->tile_columns * hs_cpu_element_size(worker->state);
  const size_t at = stage_place(worker, worker->depth) + 2 * (size_t)worker->state->rows->group_bytes;
  for (int j = from; j < to; j++)
    memcpy(predecessor_row(worker, j), stage_row_at(worker, block->stage - 1, j, at), bytes);
}

/* Norms of the last sweep. */
static void block_norms(const struct worker *worker, const struct hs_cpu_block *block)
{
  const struct hs_cpu_state *state = worker->state;
  const int last = worker->pass->stages, count = block->to - block->from;
  const size_t at = stage_place(worker, worker->depth);
  void *slot[HS_CPU_BLOCK_ROWS + 2], *before[HS_CPU_BLOCK_ROWS];
  const struct hs_transposed_norms rows = {.slot = slot,
                                           .before = before,
                                           .count = count,
                                           .spans = worker->spans + block->from,
                                           .segments = state->tile_segments,
                                           .groups = state->norm_groups,
                                           .columns = state->tile_columns,
                                           .shift = stage_shift(worker, block->stage),
                                           .scales = worker->pass->scales};
  for (int m = 0; m < count + 2; m++) slot[m] = stage_row_at(worker, last, block->from + m - 1, at);
  for (int m = 0; m < count; m++) before[m] = predecessor_row(worker, block->from + m);
  if (state->single)
    state->rows->norms_transposed_f32(&rows, worker->pass->norms);
  else
    state->rows->norms_transposed_f64(&rows, worker->pass->norms);
}

/* --- a pass ---------------------------------------------------------------------------------- */

/* Stage 0 is transposed, the one beyond the last sweep is the norms. */
static void block_make(const void *of, const struct hs_cpu_block *block)
{
  const struct worker *worker = of;
  const int last = worker->pass->stages;
  if (block->stage == last && worker->pass->scales) block_keep(worker, block);
  if (block->stage > 0 && block->stage <= last && block->from < block->to) block_sweep(worker, block);
  if (block->stage > 0 && block->stage < worker->depth && worker->thread > 0) block_send(worker, block);
  if (block->halo_from < block->halo_to) block_receive(worker, block);
  if (block->stage == last) block_finish(worker, block);
  for (int j = block->from; block->stage == 0 && j < block->to; j++)
    row_transpose(worker, j, block->place + j - block->row);
  if (block->stage > last && block->from < block->to) block_norms(worker, block);
}

/* Edges before those of a thread whose first row this is: each has its rows, and those by which they shift north. */
static size_t edges_before(const struct hs_cpu_state *state, int thread, int row)
{
  const int more = hs_cpu_wavefront_places(0, state->stages);
  return ((size_t)row + (size_t)thread * (size_t)more) * (size_t)state->stages * HS_CPU_EDGE_COLUMNS;
}

void hs_cpu_transposed_pass(const struct hs_cpu_state *state, const struct hs_cpu_pass *pass, int thread)
{
  const int from = hs_cpu_pass_row(state, thread), to = hs_cpu_pass_row(state, thread + 1);
  const size_t slots = (size_t)state->tile_slots * state->tile_pitch, size = hs_cpu_element_size(state);
  struct worker worker = {.state = state,
                          .pass = pass,
                          .thread = thread,
                          .begun = hs_cpu_halo_begun(state),
                          .depth = pass->stages + (pass->scales ? 1 : 0),
                          .ring = (char *)state->rings + (size_t)thread * state->ring_bytes + state->tile_pitch,
                          .edges =
                              state->edges ? (char *)state->edges + edges_before(state, thread, from) * size : NULL};
  const struct hs_cpu_wavefront blocks = {.from = from,
                                          .to = to,
                                          .ny = state->system->ny,
                                          .last = worker.depth,
                                          .pipelined = true,
                                          .context = &worker,
                                          .make = block_make,
                                          .prefetch = row_prefetch};
  worker.blocks = &blocks;
  worker.kept = worker.ring + slots;
  worker.spare = worker.kept + (size_t)HS_CPU_BLOCK_ROWS * state->tile_pitch;
  for (worker.tile = state->tile_count - 1; worker.tile >= 0; worker.tile--) {
    worker.spans = state->tile_spans + (size_t)worker.tile * (size_t)state->system->ny;
    hs_cpu_wavefront_make(&blocks);
  }
  hs_cpu_stores_finish();
}

static void rows_transpose_back(const struct hs_cpu_state *state, const void *transposed, void *field, int thread)
{
  const int from = hs_cpu_first_row(state, thread), to = hs_cpu_first_row(state, thread + 1);
  const int columns = state->tile_columns;
  char *const row = (char *)state->rings + (size_t)thread * state->ring_bytes + state->tile_pitch; /* slot 0 */
  for (int j = from; j < to; j++) {
    const char *const kept = kept_row(state, transposed, j) + state->rows->group_bytes;
    if (state->single)
      state->rows->transpose_back_f32((const float *)kept, columns, (float *)row);
    else
      state->rows->transpose_back_f64((const double *)kept, columns, (double *)row);
    hs_cpu_row_store(state, field, j, 0, columns, row);
  }
  hs_cpu_stores_finish();
}

void hs_cpu_transpose_back(const struct hs_cpu_state *state, const void *transposed, void *field)
{
#pragma omp parallel num_threads(state->team->threads)
  rows_transpose_back(state, transposed, field, omp_get_thread_num());
}

/* Bytes of a tile's row, see the head of this file. */
static int row_bytes(const struct hs_cpu_rows *rows)
{
  long cache = -1;
#ifdef _SC_LEVEL1_DCACHE_SIZE
  cache = sysconf(_SC_LEVEL1_DCACHE_SIZE);
#endif
  if (rows->group_bytes < 64) return WIDE_BYTES;
  return (int)(cache > CACHE_BYTES && cache < 1 << 20 ? cache : CACHE_BYTES) / CACHED_ROWS;
}

bool hs_cpu_is_full_width(const struct hs_cpu_state *state, int columns)
{
  const int64_t nx = state->system->nx;
  return columns ? columns >= nx : 2 * nx <= 3 * (row_bytes(state->rows) / (int64_t)hs_cpu_element_size(state));
}

void hs_cpu_tiles_choose(struct hs_cpu_state *state, int columns, bool kept_transposed)
{
  const size_t size = hs_cpu_element_size(state);
  const int64_t wanted = columns ? columns : row_bytes(state->rows) / (int)size;
  const int64_t nx = state->system->nx;
  const bool full_width = hs_cpu_is_full_width(state, columns);
  const int64_t all = full_width ? nx : nx + state->stages;
  const int64_t count = full_width ? 1 : (all + wanted / 2) / wanted;
  const int64_t lines = (all + count * HS_CPU_LINE - 1) / (count * HS_CPU_LINE);
  const size_t full_width_bytes = full_width ? (size_t)(state->stages + 2) * (size_t)state->rows->group_bytes : 0;
  state->tile_skew = full_width ? 0 : 1;
  state->tile_columns = (int)lines * HS_CPU_LINE;
  state->tile_count = (int)((all + state->tile_columns - 1) / state->tile_columns);
  state->tile_slots = 1;
  while (state->tile_slots < 2 * state->stages + HS_CPU_BLOCK_ROWS + 2) state->tile_slots *= 2;
  /* an odd number of cache lines, so that the rows of a block do not meet in one set */
  state->tile_pitch = (((size_t)state->tile_columns * size + GHOST_BYTES + full_width_bytes) / 64 | 1) * 64;
  state->tile_ring_bytes = (size_t)(1 + state->tile_slots + HS_CPU_BLOCK_ROWS + 1) * state->tile_pitch;
  state->transposed_pitch = (size_t)state->tile_columns * size + 2 * (size_t)state->rows->group_bytes;
  /* transposing back looks at a second group of ghosts, behind the last row, too */
  state->transposed_bytes =
      kept_transposed ? (size_t)state->system->ny * state->transposed_pitch + (size_t)state->rows->group_bytes : 0;
  if (state->threads > 1)
    state->halo_bytes = (size_t)state->tile_count * (size_t)state->stages * HS_CPU_HALO_ROWS * state->transposed_pitch;
  if (state->tile_count > 1) state->edge_bytes = edges_before(state, state->threads, state->system->ny) * size;
}
