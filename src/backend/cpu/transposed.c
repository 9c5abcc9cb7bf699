/* cpu, blocked in time: passes over upright or skewed strips of woven rows, for plain sweeps of few materials.
 *
 * Where rows are not too long, one upright strip is as wide as the grid, and zeros lie beyond both its ends. Else
 * there are skewed ones. Such a strip lies one column further east at each level, so that nothing in it depends on
 * what lies west of it; strips are made from east to west. Three of them, of five columns, at four levels; nx = 10:
 *
 *      level 0   0 0 0 0 0|1 1 1 1 1|2 2 2 2 2
 *      level 1     0 0 0 0 0|1 1 1 1 1|2 2 2 2 2
 *      level 2       0 0 0 0 0|1 1 1 1 1|2 2 2 2 2
 *      level 3         0 0 0 0 0|1 1 1 1 1|2 2 2 2 2
 *                      ^ column 0          ^ column nx
 *
 * The two columns that a row needs from the strip east of it, that strip has left (`edges`): two numbers for each row
 * and level, in the order in which they are made. So strips have no margins, and can be so narrow that the ten rows
 * that a block reads lie in the first cache. Where vectors have 64 bytes, that makes sweeps up to 1.8 times as fast;
 * narrower vectors gain nothing from it (doc/measurements.md) and have wide strips. Columns outside of the grid are
 * 0 at every level. An upright strip needs neither edges nor the columns by which a skewed one leans beyond the
 * walls.
 *
 * The rows under way lie in a ring, row j of level t where row j-1 of level t-1 was, the row south of it: what is
 * written was read a moment ago (rows/transposed.h). A block of three rows on its way through three levels, and two rows
 * of each level that stay for the next block, in brackets those that the block before has left:
 *
 *      slot         8    7    6    5    4    3    2    1    0
 *      level 0      8    7    6   (5)  (4)
 *      level 1                7    6    5   (4)  (3)             written over rows 6, 5, 4 of level 0
 *      level 2                          6    5    4   (3)  (2)
 *      level 3                                    5    4    3    -> the other field
 *      stay         8    7    7    6    6    5
 *      of level     0    0    1    1    2    2
 *
 * A new row lies one vector further west than the columns that it is made of: in a skewed strip that is the lean, in an
 * upright one rows move through their slots (level_place). Level 0 has its rows there as well, woven as they come. Rows
 * of the last level are put straight in a buffer, from which they go to the other field. Norms of the last sweep are
 * taken as one more level, of woven rows as well; rows of the level before are copied for them, before the last one is
 * written over it.
 *
 * Between passes the fields of small grids stay woven, in three buffers (state->woven): rows of level 0 are copied from
 * one and those of the last level to another, ghosts included. Only upright strips do: a skewed one ends elsewhere than
 * it began.
 *
 * The rows of a thread lean northward (cpu/wavefront.h). The first two of each level, ghosts included, are copied for the
 * thread south of it, which waits for them where it must. It hardly ever must: they are wanted as many rows later as a
 * thread has.
 *
 * Whatever the number of levels, the last one of a strip, which may be the norms, begins at the same column: a whole
 * line.
 *
 * Source: D. Wonnacott, Using time skewing to eliminate idle time due to memory bandwidth and network limitations,
 * IPDPS 2000.
 */
#include <string.h>
#include <unistd.h>

#include "backend/cpu/wavefront.h"
#include "backend/cpu/state.h"

_Static_assert((int)HS_CPU_ROWS_LEAST >= (int)HS_CPU_GIVEN_ROWS, "rows that are handed over are one thread's");

enum {
  WIDE_BYTES = 16384, /* of a strip's row */
  CACHED_ROWS = 12,   /* of narrow strips that lie in the first cache: those of a block, and room for other things */
  CACHE_BYTES = 32 << 10, /* of the first cache, where the system does not tell */
  GHOST_BYTES = 128,      /* two vectors */
};

/* One thread's part of a pass. */
struct part {
  const struct hs_backend_state *state;
  const struct hs_cpu_pass *pass;
  int thread;
  const struct hs_cpu_blocks *blocks;
  uint64_t begun;                 /* what all threads had reached before this pass */
  int depth;                      /* levels: sweeps, and the norms */
  int strip;                      /* its number */
  const struct hs_cpu_plan *plan; /* [ny] of the strip */
  char *ring;                     /* slot 0; the slot before it is zeros */
  char *kept;                     /* HS_CPU_BLOCK_ROWS slots of the last level but one */
  char *spare;                    /* one slot, for what is not kept */
  char *edges;
};

/* --- where things lie ------------------------------------------------------------------------ */

/* Columns by which a level lies further east than level 0 of the deepest pass. */
static int level_shift(const struct part *part, int level)
{
  return part->state->skewed_lean * (part->state->levels - part->depth + level);
}

/* First column of the strip at a level, which may lie outside of the grid. */
static int level_column(const struct part *part, int level)
{
  return part->strip * part->state->skewed_columns - part->state->skewed_lean * (part->depth - level);
}

static char *ring_slot(const struct part *part, int number)
{
  return part->ring + (size_t)(number & (part->state->skewed_slots - 1)) * part->state->skewed_pitch;
}

/* Bytes from a slot's begin to a row of that level. */
static size_t level_place(const struct part *part, int level)
{
  return part->state->skewed_lean ? 0 : (size_t)(part->depth - level + 1) * (size_t)part->state->rows->group_bytes;
}

/* Row j of a level, from a place in its slot on; zeros beyond the grid. */
static char *level_row_at(const struct part *part, int level, int j, size_t place)
{
  if (j < 0 || j >= part->state->system->ny) return part->ring - part->state->skewed_pitch;
  return ring_slot(part, j - level) + place;
}

/* The same from its first column on. */
static char *level_row(const struct part *part, int level, int j)
{
  return level_row_at(part, level, j, level_place(part, level));
}

/* What is kept of row j of the last level but one. */
static char *predecessor_row(const struct part *part, int j)
{
  return part->kept + (size_t)(j & (HS_CPU_BLOCK_ROWS - 1)) * part->state->skewed_pitch;
}

/* Edges of a row and the ones after it, which the strip in the east has left; NULL where there are none. */
static char *row_edges(const struct part *part, int level, int place)
{
  const int block = place / HS_CPU_BLOCK_ROWS, row = place % HS_CPU_BLOCK_ROWS;
  const size_t levels = (size_t)block * (size_t)part->depth + (size_t)level;
  const size_t entry = levels * HS_CPU_BLOCK_ROWS + (size_t)row;
  if (level == part->depth || !part->state->skewed_lean) return NULL;
  if (part->state->skewed_count == 1) return part->spare; /* nobody comes for them */
  return part->edges + entry * HS_CPU_EDGE_COLUMNS * hs_cpu_element_size(part->state);
}

/* The same, zeros for the first strip. */
static const char *row_edges_east(const struct part *part, int level, int place)
{
  const char *edges = row_edges(part, level, place);
  return edges && part->strip == part->state->skewed_count - 1 ? part->ring - part->state->skewed_pitch : edges;
}

/* Row j of a field that is kept woven, from the ghosts west of it on. */
static char *kept_row(const struct hs_backend_state *state, const void *field, int j)
{
  return (char *)field + (size_t)j * state->woven_pitch;
}

/* The same of a level in the ring; in a skewed strip both groups of ghosts are east of it. */
static char *level_row_whole(const struct part *part, int level, int j)
{
  return level_row(part, level, j) - (part->state->skewed_lean ? 0 : part->state->rows->group_bytes);
}

/* A row of a level that the thread has handed over, one of the first HS_CPU_GIVEN_ROWS. */
static char *handed_row(const struct part *part, int thread, int level, int number)
{
  const struct hs_backend_state *state = part->state;
  const size_t rows = ((size_t)part->strip * (size_t)state->levels + (size_t)level) * HS_CPU_GIVEN_ROWS;
  return (char *)state->handed + (size_t)thread * state->handed_bytes + (rows + (size_t)number) * state->woven_pitch;
}

/* What a thread has reached when it has handed that level over. */
static uint64_t handed_mark(const struct part *part, int level)
{
  const int strips = part->state->skewed_count - 1 - part->strip;
  return part->begun + (uint64_t)(strips * part->depth + level);
}

/* --- level 0 --------------------------------------------------------------------------------- */

/* Row j of the field at the strip's columns of level 0; those outside of the grid are 0. */
static const char *source_row(const struct part *part, int j)
{
  const struct hs_backend_state *state = part->state;
  const int columns = state->skewed_columns, first = level_column(part, 0), nx = state->system->nx;
  const int from = hs_cpu_larger(first, 0), to = hs_cpu_smaller(first + columns, nx);
  const size_t size = hs_cpu_element_size(state);
  const char *row = (const char *)part->pass->source + hs_cpu_row(state, j) * size;
  if (from == first && (to == first + columns || !state->skewed_lean)) return row + (size_t)first * size;
  memset(part->spare, 0, (size_t)columns * size);
  if (from < to)
    memcpy(part->spare + (size_t)(from - first) * size, row + (size_t)from * size, (size_t)(to - from) * size);
  return part->spare;
}

static void row_weave(const struct part *part, int j, int place)
{
  const struct hs_cpu_rows *rows = part->state->rows;
  const int columns = part->state->skewed_columns;
  const void *row, *east = row_edges_east(part, 0, place);
  void *west = row_edges(part, 0, place), *woven = level_row(part, 0, j);
  if (part->pass->source_woven) {
    memcpy(level_row_whole(part, 0, j), kept_row(part->state, part->pass->source, j), part->state->woven_pitch);
    return;
  }
  row = source_row(part, j);
  if (part->state->single)
    rows->weave_f32(row, columns, east, west, woven);
  else
    rows->weave_f64(row, columns, east, west, woven);
}

static void row_prefetch(const void *of, int j)
{
  const struct part *part = of;
  const struct hs_backend_state *state = part->state;
  const int first = level_column(part, 0);
  const char *const kept = kept_row(state, part->pass->source, j);
  if (part->pass->source_woven)
    for (size_t k = 0; k < state->woven_pitch; k += 64) __builtin_prefetch(kept + k, 0, 2);
  else
    hs_cpu_row_prefetch(state, part->pass->source, j, first, first + state->skewed_columns);
}

/* --- sweeps ---------------------------------------------------------------------------------- */

/* The level below is read from where the first new vector of each row comes to lie. */
static void block_sweep(const struct part *part, const struct hs_cpu_block *block)
{
  const struct hs_backend_state *state = part->state;
  const int place = block->place + block->from - block->row, count = block->to - block->from;
  const size_t at = level_place(part, block->level);
  void *slot[HS_CPU_BLOCK_ROWS + 2];
  const struct hs_woven_rows rows = {.slot = slot,
                                     .out = ring_slot(part, block->from - block->level) + at,
                                     .count = count,
                                     .plan = part->plan + block->from,
                                     .runs = state->strip_runs,
                                     .groups = state->groups,
                                     .columns = state->skewed_columns,
                                     .shift = level_shift(part, block->level),
                                     .upright = !state->skewed_lean,
                                     .east = row_edges_east(part, block->level, place),
                                     .west = row_edges(part, block->level, place)};
  slot[0] = level_row_at(part, block->level - 1, block->from - 1, at);
  for (int m = 1; m < count + 1; m++) slot[m] = ring_slot(part, block->from + m - block->level) + at;
  slot[count + 1] = level_row_at(part, block->level - 1, block->to, at);
  if (state->single)
    state->rows->sweep_woven_f32(&rows);
  else
    state->rows->sweep_woven_f64(&rows);
}

/* --- from thread to thread ------------------------------------------------------------------- */

/* Rows of a block that the thread south of this one waits for. */
static void block_hand(const struct part *part, const struct hs_cpu_block *block)
{
  const int first = hs_cpu_blocks_from(part->blocks, block->level);
  const int end = hs_cpu_smaller(first + HS_CPU_GIVEN_ROWS, hs_cpu_blocks_to(part->blocks, block->level));
  if (first >= block->to || end <= block->from) return;
  for (int j = hs_cpu_larger(first, block->from); j < hs_cpu_smaller(end, block->to); j++)
    memcpy(handed_row(part, part->thread, block->level, j - first), level_row_whole(part, block->level, j),
           part->state->woven_pitch);
  if (end <= block->to) hs_progress_set(&part->state->progress[part->thread], handed_mark(part, block->level));
}

/* Rows of a block that the thread north of this one has made. */
static void block_take(const struct part *part, const struct hs_cpu_block *block)
{
  const int first = hs_cpu_blocks_to(part->blocks, block->level), giver = part->thread + 1;
  hs_progress_wait(&part->state->progress[giver], handed_mark(part, block->level));
  for (int j = block->given_from; j < block->given_to; j++)
    memcpy(level_row_whole(part, block->level, j), handed_row(part, giver, block->level, j - first),
           part->state->woven_pitch);
}

/* --- the last levels ------------------------------------------------------------------------- */

/* The rows of a block at the last level go to the other field, put straight but where that one is woven, too. */
static void block_finish(const struct part *part, const struct hs_cpu_block *block)
{
  const struct hs_backend_state *state = part->state;
  const int first = level_column(part, block->level), columns = state->skewed_columns;
  for (int j = block->from; j < block->to; j++) {
    const void *const woven = level_row(part, block->level, j);
    if (part->pass->target_woven) {
      memcpy(kept_row(state, part->pass->target, j), level_row_whole(part, block->level, j), state->woven_pitch);
      continue;
    }
    if (state->single)
      state->rows->unweave_f32(woven, columns, (float *)part->spare);
    else
      state->rows->unweave_f64(woven, columns, (double *)part->spare);
    hs_cpu_row_store(state, part->pass->target, j, first, first + columns, part->spare);
  }
}

/* Keeps what the norms, of rows one further south, need of the last level but one, before the last one is written over
 * it. */
static void block_keep(const struct part *part, const struct hs_cpu_block *block)
{
  const int from = hs_cpu_larger(block->row - 1, hs_cpu_blocks_from(part->blocks, part->depth));
  const int to = hs_cpu_smaller(block->row - 1 + HS_CPU_BLOCK_ROWS, hs_cpu_blocks_to(part->blocks, part->depth));
  const size_t bytes = (size_t)part->state->skewed_columns * hs_cpu_element_size(part->state);
  const size_t at = level_place(part, part->depth) + 2 * (size_t)part->state->rows->group_bytes;
  for (int j = from; j < to; j++) memcpy(predecessor_row(part, j), level_row_at(part, block->level - 1, j, at), bytes);
}

/* Norms of the last sweep. */
static void block_norms(const struct part *part, const struct hs_cpu_block *block)
{
  const struct hs_backend_state *state = part->state;
  const int last = part->pass->levels, count = block->to - block->from;
  const size_t at = level_place(part, part->depth);
  void *slot[HS_CPU_BLOCK_ROWS + 2], *before[HS_CPU_BLOCK_ROWS];
  const struct hs_woven_norms rows = {.slot = slot,
                                      .before = before,
                                      .count = count,
                                      .plan = part->plan + block->from,
                                      .runs = state->strip_runs,
                                      .groups = state->norm_groups,
                                      .columns = state->skewed_columns,
                                      .shift = level_shift(part, block->level),
                                      .scales = part->pass->scales};
  for (int m = 0; m < count + 2; m++) slot[m] = level_row_at(part, last, block->from + m - 1, at);
  for (int m = 0; m < count; m++) before[m] = predecessor_row(part, block->from + m);
  if (state->single)
    state->rows->norms_woven_f32(&rows, part->pass->norms);
  else
    state->rows->norms_woven_f64(&rows, part->pass->norms);
}

/* --- a pass ---------------------------------------------------------------------------------- */

/* Level 0 is woven, the one beyond the last sweep is the norms. */
static void block_make(const void *of, const struct hs_cpu_block *block)
{
  const struct part *part = of;
  const int last = part->pass->levels;
  if (block->level == last && part->pass->scales) block_keep(part, block);
  if (block->level > 0 && block->level <= last && block->from < block->to) block_sweep(part, block);
  if (block->level > 0 && block->level < part->depth && part->thread > 0) block_hand(part, block);
  if (block->given_from < block->given_to) block_take(part, block);
  if (block->level == last) block_finish(part, block);
  for (int j = block->from; block->level == 0 && j < block->to; j++) row_weave(part, j, block->place + j - block->row);
  if (block->level > last && block->from < block->to) block_norms(part, block);
}

/* Edges before those of a thread whose first row this is: each has its rows, and those by which these lean. */
static size_t edges_before(const struct hs_backend_state *state, int thread, int row)
{
  const int more = hs_cpu_blocks_places(0, state->levels);
  return ((size_t)row + (size_t)thread * (size_t)more) * (size_t)state->levels * HS_CPU_EDGE_COLUMNS;
}

void hs_cpu_skewed_pass(const struct hs_backend_state *state, const struct hs_cpu_pass *pass, int thread)
{
  const int from = hs_cpu_pass_row(state, thread), to = hs_cpu_pass_row(state, thread + 1);
  const size_t slots = (size_t)state->skewed_slots * state->skewed_pitch, size = hs_cpu_element_size(state);
  struct part part = {.state = state,
                      .pass = pass,
                      .thread = thread,
                      .begun = hs_cpu_handed_begun(state),
                      .depth = pass->levels + (pass->scales ? 1 : 0),
                      .ring = (char *)state->rings + (size_t)thread * state->ring_bytes + state->skewed_pitch,
                      .edges = state->edges ? (char *)state->edges + edges_before(state, thread, from) * size : NULL};
  const struct hs_cpu_blocks blocks = {.from = from,
                                       .to = to,
                                       .ny = state->system->ny,
                                       .last = part.depth,
                                       .leaning = true,
                                       .part = &part,
                                       .make = block_make,
                                       .prefetch = row_prefetch};
  part.blocks = &blocks;
  part.kept = part.ring + slots;
  part.spare = part.kept + (size_t)HS_CPU_BLOCK_ROWS * state->skewed_pitch;
  for (part.strip = state->skewed_count - 1; part.strip >= 0; part.strip--) {
    part.plan = state->woven_plan + (size_t)part.strip * (size_t)state->system->ny;
    hs_cpu_blocks_make(&blocks);
  }
  hs_cpu_stores_finish();
}

static void rows_straighten(const struct hs_backend_state *state, const void *woven, void *field, int thread)
{
  const int from = hs_cpu_first_row(state, thread), to = hs_cpu_first_row(state, thread + 1);
  const int columns = state->skewed_columns;
  char *const row = (char *)state->rings + (size_t)thread * state->ring_bytes + state->skewed_pitch; /* slot 0 */
  for (int j = from; j < to; j++) {
    const char *const kept = kept_row(state, woven, j) + state->rows->group_bytes;
    if (state->single)
      state->rows->unweave_f32((const float *)kept, columns, (float *)row);
    else
      state->rows->unweave_f64((const double *)kept, columns, (double *)row);
    hs_cpu_row_store(state, field, j, 0, columns, row);
  }
  hs_cpu_stores_finish();
}

void hs_cpu_skewed_straighten(const struct hs_backend_state *state, const void *woven, void *field)
{
#pragma omp parallel num_threads(state->threads)
  rows_straighten(state, woven, field, omp_get_thread_num());
}

/* Bytes of a strip's row, see the head of this file. */
static int row_bytes(const struct hs_cpu_rows *rows)
{
  long cache = -1;
#ifdef _SC_LEVEL1_DCACHE_SIZE
  cache = sysconf(_SC_LEVEL1_DCACHE_SIZE);
#endif
  if (rows->group_bytes < 64) return WIDE_BYTES;
  return (int)(cache > CACHE_BYTES && cache < 1 << 20 ? cache : CACHE_BYTES) / CACHED_ROWS;
}

bool hs_cpu_skewed_is_upright(const struct hs_backend_state *state, int columns)
{
  const int64_t nx = state->system->nx;
  return columns ? columns >= nx : 2 * nx <= 3 * (row_bytes(state->rows) / (int64_t)hs_cpu_element_size(state));
}

void hs_cpu_skewed_choose(struct hs_backend_state *state, int columns, bool kept_woven)
{
  const size_t size = hs_cpu_element_size(state);
  const int64_t wanted = columns ? columns : row_bytes(state->rows) / (int)size;
  const int64_t nx = state->system->nx;
  const bool upright = hs_cpu_skewed_is_upright(state, columns);
  const int64_t all = upright ? nx : nx + state->levels;
  const int64_t count = upright ? 1 : (all + wanted / 2) / wanted;
  const int64_t lines = (all + count * HS_CPU_LINE - 1) / (count * HS_CPU_LINE);
  const size_t upright_bytes = upright ? (size_t)(state->levels + 2) * (size_t)state->rows->group_bytes : 0;
  state->skewed_lean = upright ? 0 : 1;
  state->skewed_columns = (int)lines * HS_CPU_LINE;
  state->skewed_count = (int)((all + state->skewed_columns - 1) / state->skewed_columns);
  state->skewed_slots = 1;
  while (state->skewed_slots < 2 * state->levels + HS_CPU_BLOCK_ROWS + 2) state->skewed_slots *= 2;
  /* an odd number of cache lines, so that the rows of a block do not meet in one set */
  state->skewed_pitch = (((size_t)state->skewed_columns * size + GHOST_BYTES + upright_bytes) / 64 | 1) * 64;
  state->skewed_bytes = (size_t)(1 + state->skewed_slots + HS_CPU_BLOCK_ROWS + 1) * state->skewed_pitch;
  state->woven_pitch = (size_t)state->skewed_columns * size + 2 * (size_t)state->rows->group_bytes;
  /* unweaving looks at a second group of ghosts, behind the last row, too */
  state->woven_bytes =
      kept_woven ? (size_t)state->system->ny * state->woven_pitch + (size_t)state->rows->group_bytes : 0;
  if (state->threads > 1)
    state->handed_bytes = (size_t)state->skewed_count * (size_t)state->levels * HS_CPU_GIVEN_ROWS * state->woven_pitch;
  if (state->skewed_count > 1) state->edge_bytes = edges_before(state, state->threads, state->system->ny) * size;
}
