/* cpu, blocked in time: several sweeps in one pass over memory.
 *
 * A pass brings one thread's rows forward by up to LEVELS sweeps, strip of columns by strip, from one field to the
 * other. Level 0 is the field it reads, level t what t sweeps make of it. Blocks of rows run through all levels, one
 * row further south at each, since a row needs its northern neighbour of the level below:
 *
 *      level    0          1          2          3
 *               |          |          |          |
 *      row 9    n          .          .          .        n  the next block, on its way from memory
 *      row 8    b          n          .          .        b  a block of three rows: at level t rows 8-t, 7-t and 6-t
 *      row 7    b          b          n          .        k  kept from the block before
 *      row 6    b          b          b          n
 *      row 5    k          b          b          b  -> the other field
 *      row 4    k          k          b          b  -> the other field
 *      row 3    .          k          k          b  -> the other field
 *
 * Rows of levels 1, 2, ... lie in two rings, of the odd levels and of the even ones, without gaps: row j of level t
 * where row j of level t-2 was, which nobody needs any more. A ring has a slot for each level and each row of a
 * block, the two about two megabytes: in the thread's share of the third cache. Strips of a quarter of the width
 * would fit into the second, but memory is read and written best in long rows. (Woven rows, below, have one ring.)
 *
 * A strip is computed with a margin of one column a level on either side, and the rows of a thread with one row a
 * level: what lies beyond is not up to date, and that spreads by one node a sweep. Columns and rows at the edge of
 * the grid have no margin, and ghosts of 0 at every level. So threads and strips do not wait for one another within a
 * pass. Levels are swept by the row functions of cpu_rows.h, with the plan of the row cut to the strip.
 *
 * Plain sweeps of few materials go through woven rows (cpu_rows_woven.h): then level 0 has its rows in the ring as
 * well, woven as they come, and those of the last level are put straight in a buffer, from which they go to the other
 * field. Norms of the last sweep are taken as one more level, from such straight rows. Woven rows have one ring, of
 * twice as many slots, and row j of level t comes where row j-1 of level t-1 is, the row south of it: what is written
 * was read a moment ago and lies in the first cache, so half of what would come from the outer ones need not.
 *
 * Limits: not for periodic walls, whose ghosts are copies, and not for Chebyshev's form, of which two fields would
 * have to travel; these are swept one by one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "backend/cpu_state.h"

enum {
  WOVEN_LEVELS = 48,         /* sweeps of a pass; weaving, memory and back cost as much as two or three of them */
  LEVELS = 16,               /* the same of straight rows: memory moves 16 / 16 bytes a node (double) */
  LEVELS_MOST = 64,          /* that may be asked for */
  STRIP_BYTES = 16384,       /* of a strip's rows, margins apart */
  LEAST_COLUMNS = 24,        /* of a grid: below, passes cost more than they save */
  BLOCK_ROWS = 8,            /* two tiles of rows (cpu_rows.h); a power of two */
  STRAIGHT_ROWS = 16,        /* a power of two: norms of a block need BLOCK_ROWS + 2 */
  BAND_ROWS = 8,             /* rows of a thread for each level: the margins then cost at most an eighth */
  CACHED_BYTES = 512 << 10,  /* of both fields for each thread: below, they stay in the second cache, and single sweeps
                                are as fast or faster */
  STREAMED_BYTES = 24 << 20, /* of both fields: beyond, they are written past the caches */
};

/* One thread's part of a pass. */
struct part {
  const struct hs_backend_state *state;
  const struct hs_cpu_pass *pass;
  int depth;  /* levels: sweeps, and the norms */
  bool woven; /* are the rows of the rings woven? */
  struct hs_cpu_strip strip;
  const struct hs_cpu_plan *plan;       /* [ny] of the strip */
  const struct hs_cpu_plan *woven_plan; /* the same for woven rows */
  char *ring;                           /* slot 0, column 0; the slot before it is zeros */
  char *straight;                       /* STRAIGHT_ROWS slots of the last level, BLOCK_ROWS of the level before */
  int from, to;                         /* rows of the thread */
};

static int round_up(int n, int unit)
{
  return (n + unit - 1) / unit * unit;
}

/* --- the ring -------------------------------------------------------------------------------- */

/* Slots of one ring: a power of two, so that a slot is found without division. */
static int ring_slots(const struct hs_backend_state *state)
{
  int slots = 1;
  while (slots < state->levels + BLOCK_ROWS + 2) slots *= 2;
  return slots;
}

/* Widest strip with its margins. */
static int strip_most_columns(const struct hs_backend_state *state)
{
  int most = 0;
  for (int k = 0; k < state->strip_count; k++) {
    const int columns = hs_cpu_strip(state, k).columns;
    if (columns > most) most = columns;
  }
  return most;
}

/* Bytes from slot to slot: a row, which is filled up to whole groups when it is woven, and groups beyond it and before
 * the next one. An odd number of lines, so that the rows of a block do not meet in one set of the cache. */
static size_t ring_pitch(const struct hs_backend_state *state)
{
  const size_t row = (size_t)strip_most_columns(state) * hs_cpu_element_size(state);
  return (row / 64 + 5) / 2 * 128 + 64;
}

/* Row j of a level at the strip's first column; zeros beyond the grid. The field itself is level 0 of straight rows. */
static char *level_row(const struct part *part, int level, int j)
{
  const struct hs_backend_state *state = part->state;
  const int slot = part->woven ? (j - level) & (2 * state->ring_slots - 1)
                               : (level & 1) * state->ring_slots + (j & (state->ring_slots - 1));
  if (j < 0 || j >= state->system->ny) return part->ring - state->ring_pitch;
  if (level == 0 && !part->woven)
    return (char *)part->pass->source + (hs_cpu_row(state, j) + (size_t)part->strip.first) * hs_cpu_element_size(state);
  return part->ring + (size_t)slot * state->ring_pitch;
}

/* --- a pass ---------------------------------------------------------------------------------- */

static struct hs_row_plan level_row_plan(const struct part *part, const struct hs_cpu_plan *plans, int j)
{
  const struct hs_backend_state *state = part->state;
  const struct hs_system *s = state->system;
  const struct hs_cpu_plan *p = &plans[j];
  const size_t first = (size_t)j * (size_t)s->nx + (size_t)part->strip.first;
  const struct hs_row_plan plan = {.nx = part->strip.columns,
                                   .runs = state->strip_runs + p->first_run,
                                   .run_count = p->run_count,
                                   .turned = state->strip_turned + p->first_turned,
                                   .turned_count = p->turned_count,
                                   .groups = state->groups,
                                   .index = s->index ? s->index + first : NULL,
                                   .first = first};
  return plan;
}

static struct hs_cpu_lines level_lines(const struct part *part, int level, int j)
{
  const struct hs_backend_state *state = part->state;
  const size_t own = (hs_cpu_row(state, j) + (size_t)part->strip.first) * hs_cpu_element_size(state);
  const struct hs_cpu_lines lines = {level_row(part, level, j - 1), level_row(part, level, j),
                                     level_row(part, level, j + 1), state->r ? (const char *)state->r + own : NULL};
  return lines;
}

static void level_row_sweep(const struct part *part, int level, int j)
{
  const struct hs_row_plan plan = level_row_plan(part, part->plan, j);
  const struct hs_cpu_lines lines = level_lines(part, level - 1, j);
  hs_cpu_lines_sweep(part->state, &plan, &lines, part->pass->form, part->pass->weight, level_row(part, level, j));
}

/* --- woven rows ------------------------------------------------------------------------------ */

/* Row j of the field into its slot of level 0. */
static void row_weave(const struct part *part, int j)
{
  const struct hs_backend_state *state = part->state;
  const struct hs_cpu_rows *rows = state->rows;
  const size_t from = hs_cpu_row(state, j) + (size_t)part->strip.first;
  if (state->single)
    rows->weave_f32((const float *)part->pass->source + from, part->strip.columns, (float *)level_row(part, 0, j));
  else
    rows->weave_f64((const double *)part->pass->source + from, part->strip.columns, (double *)level_row(part, 0, j));
}

/* Straight slot of row j of the last level: one is enough where nobody comes back to it. Zeros beyond the grid. */
static char *straight_row(const struct part *part, int j)
{
  const int slot = part->pass->scales ? j & (STRAIGHT_ROWS - 1) : 0;
  if (j < 0 || j >= part->state->system->ny) return part->ring - part->state->ring_pitch;
  return part->straight + (size_t)slot * part->state->ring_pitch;
}

/* The same of the level before, for the norms of a block. */
static char *straight_before(const struct part *part, int j)
{
  return part->straight + (size_t)(STRAIGHT_ROWS + (j & (BLOCK_ROWS - 1))) * part->state->ring_pitch;
}

static void row_unweave(const struct part *part, int level, int j, char *straight)
{
  const struct hs_cpu_rows *rows = part->state->rows;
  const void *woven = level_row(part, level, j);
  if (part->state->single)
    rows->unweave_f32(woven, part->strip.columns, (float *)straight);
  else
    rows->unweave_f64(woven, part->strip.columns, (double *)straight);
}

/* How many of the rows from j to `to` - 1 have one plan and can be swept together: HS_TILE_ROWS or 1. */
static int woven_together(const struct part *part, int j, int to)
{
  const struct hs_cpu_plan *plan = part->woven_plan + j;
  if (j + HS_TILE_ROWS > to) return 1;
  for (int m = 1; m < HS_TILE_ROWS; m++)
    if (plan[m].first_run != plan->first_run || plan[m].run_count != plan->run_count) return 1;
  return HS_TILE_ROWS;
}

static void woven_rows_sweep(const struct part *part, int level, int j, int count)
{
  const struct hs_backend_state *state = part->state;
  const struct hs_row_plan plan = level_row_plan(part, part->woven_plan, j);
  if (state->single) {
    const float *in[HS_TILE_ROWS + 2];
    float *out[HS_TILE_ROWS];
    for (int m = 0; m < count + 2; m++) in[m] = (const float *)level_row(part, level - 1, j - 1 + m);
    for (int m = 0; m < count; m++) out[m] = (float *)level_row(part, level, j + m);
    state->rows->sweep_woven_f32(&plan, count, in, out);
  } else {
    const double *in[HS_TILE_ROWS + 2];
    double *out[HS_TILE_ROWS];
    for (int m = 0; m < count + 2; m++) in[m] = (const double *)level_row(part, level - 1, j - 1 + m);
    for (int m = 0; m < count; m++) out[m] = (double *)level_row(part, level, j + m);
    state->rows->sweep_woven_f64(&plan, count, in, out);
  }
}

/* --- levels of a block ----------------------------------------------------------------------- */

/* Norms of the last sweep, without margins. */
static void level_row_norms(const struct part *part, int j)
{
  const struct hs_cpu_pass *pass = part->pass;
  const struct hs_row_plan plan = level_row_plan(part, part->plan, j);
  const int from = part->strip.from - part->strip.first, to = part->strip.to - part->strip.first;
  struct hs_cpu_lines lines = level_lines(part, pass->levels, j);
  const char *before = level_row(part, pass->levels - 1, j);
  if (part->woven) {
    lines.south = straight_row(part, j - 1);
    lines.row = straight_row(part, j);
    lines.north = straight_row(part, j + 1);
    before = straight_before(part, j);
  }
  hs_cpu_lines_norms(part->state, pass->scales, &plan, &lines, before, from, to, pass->norms);
}

#ifdef __SSE2__
/* Copies past the caches, which would read every line first and lose what is needed again; whole lines to whole
 * ones. */
static void copy_streamed(char *to, const char *from, size_t bytes)
{
  for (size_t k = 0; k < bytes; k += 16)
    _mm_stream_si128((__m128i *)(to + k), _mm_load_si128((const __m128i *)(from + k)));
}

static void copies_finish(void)
{
  _mm_sfence();
}
#else
static void copy_streamed(char *to, const char *from, size_t bytes)
{
  memcpy(to, from, bytes);
}

static void copies_finish(void)
{
}
#endif

/* The strip itself, without margins, from the last level to the other field. */
static void row_finish(const struct part *part, int j)
{
  const struct hs_backend_state *state = part->state;
  const struct hs_cpu_strip *strip = &part->strip;
  const size_t size = hs_cpu_element_size(state), bytes = (size_t)(strip->to - strip->from) * size;
  const char *row = part->woven ? straight_row(part, j) : level_row(part, part->pass->levels, j);
  const char *from = row + (size_t)(strip->from - strip->first) * size;
  char *to = (char *)part->pass->target + (hs_cpu_row(state, j) + (size_t)strip->from) * size;
  const size_t streamed = state->strips_streamed ? bytes / 64 * 64 : 0;
  copy_streamed(to, from, streamed);
  memcpy(to + streamed, from + streamed, bytes - streamed);
}

/* Calls a row that the next block reads to the second cache. */
static void row_prefetch(const struct part *part, int j)
{
  const struct hs_backend_state *state = part->state;
  const size_t size = hs_cpu_element_size(state), bytes = (size_t)part->strip.columns * size;
  const char *row = (const char *)part->pass->source + (hs_cpu_row(state, j) + (size_t)part->strip.first) * size;
  if (j < state->system->ny)
    for (size_t k = 0; k < bytes; k += 64) __builtin_prefetch(row + k, 0, 2);
}

static int larger(int a, int b)
{
  return a > b ? a : b;
}

static int smaller(int a, int b)
{
  return a < b ? a : b;
}

/* Rows from .. to-1 of a level: level 0 is woven, the one beyond the last sweep is the norms. */
static void level_make(const struct part *part, int level, int from, int to)
{
  for (int j = from, count = 1; j < to; j += count) {
    if (level == 0) {
      row_weave(part, j);
    } else if (level > part->pass->levels) {
      level_row_norms(part, j);
    } else if (part->woven) {
      count = woven_together(part, j, to);
      woven_rows_sweep(part, level, j, count);
    } else {
      level_row_sweep(part, level, j);
    }
  }
}

/* Puts straight what the norms of a block need of the last level but one, before the last one is written over it. */
static void block_keep(const struct part *part, int head)
{
  const int level = part->pass->levels + 1;
  const int from = larger(head - BLOCK_ROWS - level, part->from), to = smaller(head - level, part->to);
  for (int j = from; j < to; j++) row_unweave(part, part->pass->levels - 1, j, straight_before(part, j));
}

/* One level of the block that has row `head` as its first one beyond it at level 0. */
static void block_level(const struct part *part, int level, int head)
{
  const int margin = part->depth - level, ny = part->state->system->ny;
  const int from = larger(head - BLOCK_ROWS - level, larger(part->from - margin, 0));
  const int to = smaller(head - level, smaller(part->to + margin, ny));
  if (part->woven && part->pass->scales && level == part->pass->levels) block_keep(part, head);
  level_make(part, level, from, to);
  for (int j = from; level == part->pass->levels && j < to; j++) {
    if (part->woven) row_unweave(part, level, j, straight_row(part, j));
    if (j >= part->from && j < part->to) row_finish(part, j);
  }
}

/* Brings the thread's rows of one strip to the last level. */
static void strip_pass(const struct part *part)
{
  const struct hs_backend_state *state = part->state;
  const size_t end = (size_t)part->strip.columns * hs_cpu_element_size(state);
  const int first = larger(part->from - part->depth, 0) + BLOCK_ROWS;
  for (int k = 0; k < 2 * state->ring_slots; k++) memset(part->ring + (size_t)k * state->ring_pitch + end, 0, 64);
  for (int head = first; head - BLOCK_ROWS - part->depth < part->to; head += BLOCK_ROWS) {
    int ahead = 0;
    for (int level = part->woven ? 0 : 1; level <= part->depth; level++) {
      block_level(part, level, head);
      for (; ahead * part->depth < level * BLOCK_ROWS; ahead++) row_prefetch(part, head + ahead);
    }
  }
}

void hs_cpu_pass(const struct hs_backend_state *state, const struct hs_cpu_pass *pass, int thread)
{
  struct part part = {.state = state,
                      .pass = pass,
                      .depth = pass->levels + (pass->scales ? 1 : 0),
                      .woven = hs_cpu_is_woven(state, pass->form),
                      .ring = (char *)state->rings + (size_t)thread * state->ring_bytes + 64 + state->ring_pitch,
                      .from = hs_cpu_first_row(state, thread),
                      .to = hs_cpu_first_row(state, thread + 1)};
  part.straight = part.ring + 2 * (size_t)state->ring_slots * state->ring_pitch;
  for (int k = 0; k < state->strip_count; k++) {
    const size_t first = (size_t)k * (size_t)state->system->ny;
    part.strip = hs_cpu_strip(state, k);
    part.plan = state->strip_plan + first;
    part.woven_plan = part.woven ? state->woven_plan + first : NULL;
    strip_pass(&part);
  }
  copies_finish();
}

/* --- strips ---------------------------------------------------------------------------------- */

/* Columns of a strip and levels as HEATSOLVE_STRIP gives them, "32x5"; 0 where it is not set. */
static hs_status strip_wanted(int *columns, int *levels, struct hs_error *err)
{
  const char *wanted = getenv("HEATSOLVE_STRIP");
  char rest;
  *columns = *levels = 0;
  if (!wanted || !*wanted) return HS_OK;
  if (sscanf(wanted, "%dx%d%c", columns, levels, &rest) == 2 && *columns >= 1 && *levels >= 1 && *levels <= LEVELS_MOST)
    return HS_OK;
  return hs_error_set(err, HS_ERR_CONFIG,
                      "HEATSOLVE_STRIP=%s: wanted are the columns of a strip and 1 to %d sweeps in a pass, as in "
                      "512x16; correct or unset it",
                      wanted, LEVELS_MOST);
}

hs_status hs_cpu_strips_choose(struct hs_backend_state *state, struct hs_error *err)
{
  const struct hs_system *s = state->system;
  const int rows = s->ny / state->threads, lines = round_up(s->nx, HS_CPU_LINE) / HS_CPU_LINE;
  const double fields_bytes = 2.0 * (double)state->elements * (double)hs_cpu_element_size(state);
  int columns, levels;
  hs_status status = strip_wanted(&columns, &levels, err);
  if (status) return status;
  state->levels = state->threads == 1 ? WOVEN_LEVELS : smaller(WOVEN_LEVELS, rows / BAND_ROWS);
  if (s->nx < LEAST_COLUMNS || fields_bytes <= (double)CACHED_BYTES * state->threads) state->levels = 1;
  if (levels) state->levels = levels;
  if (state->levels < 1 || s->wrap_x >= 0 || s->wrap_y >= 0) state->levels = 1;
  state->straight_levels = levels ? state->levels : smaller(LEVELS, state->levels);
  state->strips_forced = levels > 0;
  if (!columns) columns = STRIP_BYTES / (int)hs_cpu_element_size(state);
  state->strip_count = larger(1, smaller(lines, (int)(((int64_t)s->nx + columns / 2) / columns)));
  state->strip_margin = round_up(state->levels, HS_CPU_LINE);
  state->strips_streamed = fields_bytes > STREAMED_BYTES;
  if (state->levels == 1) return HS_OK;
  state->ring_slots = ring_slots(state);
  state->ring_pitch = ring_pitch(state);
  state->ring_bytes = (2 * (size_t)state->ring_slots + 1 + STRAIGHT_ROWS + BLOCK_ROWS) * state->ring_pitch + 64;
  return HS_OK;
}
