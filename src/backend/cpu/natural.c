/* cpu, blocked in time: several sweeps in one pass over memory, strip of columns by strip.
 *
 * A pass brings one thread's rows forward by up to LEVELS sweeps, from one field to the other, block of rows by block
 * (cpu/wavefront.h). Plain sweeps of few materials go through upright or skewed strips of woven rows (cpu/transposed.c), all
 * others through strips of straight rows, which are here.
 *
 * Rows of levels 1, 2, ... lie in two rings, of the odd levels and of the even ones, without gaps: row j of level t
 * where row j of level t-2 was, which nobody needs any more. A ring has a slot for each level and each row of a
 * block, the two about a megabyte. Strips of a quarter of the width would fit into the second cache, but memory is read
 * and written best in long rows.
 *
 * A strip is computed with a margin of one column a level on either side: what lies beyond is not up to date, and that
 * spreads by one node a sweep. Columns and rows at the edge of the grid have no margin, and ghosts of 0 at every level.
 * So strips do not wait for one another within a pass. Levels are swept by the row functions of rows/rows.h, with the
 * plan of the row cut to the strip. Norms of the last sweep are taken as one more level.
 *
 * Chebyshev's form reads the level before the last where it writes the next one, so the rings suit it. Two fields
 * travel: a pass reads the present one and its predecessor, which the first two levels are written over in the ring,
 * and leaves its last two levels in two others. A run that is made for this form has five fields, then.
 *
 * Limits: not for periodic walls, whose ghosts are copies, and not for Chebyshev's form where a run was made for
 * another; these are swept one by one.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/wavefront.h"
#include "backend/cpu/state.h"
#include "base/timer.h"

enum {
  WOVEN_LEVELS = 52,   /* sweeps of a pass of woven rows; weaving, memory and back cost as much as two or three */
  LEVELS = 16,         /* the same of straight rows: memory moves 16 / 16 bytes a node (double) */
  STRIP_BYTES = 16384, /* of a strip's rows, margins apart */
  BAND_ROWS = 8,       /* rows of a thread with two margins for each level: these then cost an eighth on average */
  LEAST_LEVELS = 8,    /* of woven rows: fewer gain less than weaving costs */
  STREAMED_BYTES = 24 << 20, /* of both fields: beyond, they are written past the caches */
};

/* One thread's part of a pass. */
struct part {
  const struct hs_backend_state *state;
  const struct hs_cpu_pass *pass;
  int from, to; /* rows of the thread */
  struct hs_cpu_strip strip;
  const struct hs_cpu_plan *plan; /* [ny] of the strip */
  char *ring;                     /* slot 0, column 0; the slot before it is zeros */
};

static int round_up(int n, int unit)
{
  return (n + unit - 1) / unit * unit;
}

/* --- the rings ------------------------------------------------------------------------------- */

/* Slots of one ring: a power of two, so that a slot is found without division. */
static int ring_slots(const struct hs_backend_state *state)
{
  int slots = 1;
  while (slots < state->straight_levels + HS_CPU_BLOCK_ROWS + 2) slots *= 2;
  return slots;
}

/* Widest strip with its margins. */
static int strip_most_columns(const struct hs_backend_state *state)
{
  int most = 0;
  for (int k = 0; k < state->strip_count; k++) most = hs_cpu_larger(most, hs_cpu_strip(state, k).columns);
  return most;
}

/* Bytes from slot to slot: a row, and groups beyond it and before the next one. An odd number of lines, so that the
 * rows of a block do not meet in one set of the cache. */
static size_t ring_pitch(const struct hs_backend_state *state)
{
  const size_t row = (size_t)strip_most_columns(state) * hs_cpu_element_size(state);
  return (row / 64 + 5) / 2 * 128 + 64;
}

/* Row j of a level at the strip's first column; zeros beyond the grid. Level 0 is the field itself. */
static char *level_row(const struct part *part, int level, int j)
{
  const struct hs_backend_state *state = part->state;
  const int slot = (level & 1) * state->ring_slots + (j & (state->ring_slots - 1));
  if (j < 0 || j >= state->system->ny) return part->ring - state->ring_pitch;
  if (level == 0)
    return (char *)part->pass->source + (hs_cpu_row(state, j) + (size_t)part->strip.first) * hs_cpu_element_size(state);
  return part->ring + (size_t)slot * state->ring_pitch;
}

/* --- a pass ---------------------------------------------------------------------------------- */

static struct hs_row_plan level_row_plan(const struct part *part, int j)
{
  const struct hs_backend_state *state = part->state;
  const struct hs_system *s = state->system;
  const struct hs_cpu_plan *p = &part->plan[j];
  const size_t nx = (size_t)s->nx, first = (size_t)part->strip.first;
  const struct hs_row_plan plan = {.nx = part->strip.columns,
                                   .runs = state->strip_runs + p->first_run,
                                   .run_count = p->run_count,
                                   .turned = state->strip_turned + p->first_turned,
                                   .turned_count = p->turned_count,
                                   .groups = state->groups,
                                   .index = s->index ? s->index + (size_t)p->row * nx + first : NULL,
                                   .first = (size_t)j * nx + first};
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
  const struct hs_row_plan plan = level_row_plan(part, j);
  const struct hs_cpu_lines lines = level_lines(part, level - 1, j);
  hs_cpu_lines_sweep(part->state, &plan, &lines, part->pass->form, part->pass->weights[level - 1],
                     level_row(part, level, j));
}

/* Chebyshev's sweeps are written over the level before the last, which the first two do not find in the ring. */
static void level_row_predecessor(const struct part *part, int level, int j)
{
  const struct hs_backend_state *state = part->state;
  const void *field = level == 1 ? part->pass->source_before : part->pass->source;
  const size_t size = hs_cpu_element_size(state), at = hs_cpu_row(state, j) + (size_t)part->strip.first;
  memcpy(level_row(part, level, j), (const char *)field + at * size, (size_t)part->strip.columns * size);
}

/* Row j of a level goes to a field, without margins. */
static void level_row_store(const struct part *part, int level, int j, void *target)
{
  const struct hs_cpu_strip *strip = &part->strip;
  const size_t margin = (size_t)(strip->from - strip->first) * hs_cpu_element_size(part->state);
  if (j >= part->from && j < part->to)
    hs_cpu_row_store(part->state, target, j, strip->from, strip->to, level_row(part, level, j) + margin);
}

/* Norms of the last sweep, without margins. */
static void level_row_norms(const struct part *part, int j)
{
  const struct hs_cpu_pass *pass = part->pass;
  const struct hs_row_plan plan = level_row_plan(part, j);
  const int from = part->strip.from - part->strip.first, to = part->strip.to - part->strip.first;
  const struct hs_cpu_lines lines = level_lines(part, pass->levels, j);
  hs_cpu_lines_norms(part->state, pass->scales, &plan, &lines, level_row(part, pass->levels - 1, j), from, to,
                     pass->norms);
}

/* The level beyond the last sweep is the norms. The last one goes to the other field, and so does the one before
 * where a sweep needs both. */
static void block_make(const void *of, const struct hs_cpu_block *block)
{
  const struct part *part = of;
  const struct hs_cpu_pass *pass = part->pass;
  const bool chebyshev = pass->form == HS_FORM_CHEBYSHEV;
  const int level = block->level;
  for (int j = block->from; j < block->to; j++) {
    if (chebyshev && level <= 2) level_row_predecessor(part, level, j);
    if (level > pass->levels)
      level_row_norms(part, j);
    else
      level_row_sweep(part, level, j);
    if (level == pass->levels) level_row_store(part, level, j, pass->target);
    if (chebyshev && level == pass->levels - 1) level_row_store(part, level, j, pass->target_before);
  }
}

static void row_prefetch(const void *of, int j)
{
  const struct part *part = of;
  const struct hs_cpu_pass *pass = part->pass;
  const int first = part->strip.first, end = first + part->strip.columns;
  hs_cpu_row_prefetch(part->state, pass->source, j, first, end);
  if (pass->source_before) hs_cpu_row_prefetch(part->state, pass->source_before, j, first, end);
}

static void straight_pass(const struct hs_backend_state *state, const struct hs_cpu_pass *pass, int thread)
{
  struct part part = {.state = state,
                      .pass = pass,
                      .from = hs_cpu_pass_row(state, thread),
                      .to = hs_cpu_pass_row(state, thread + 1),
                      .ring = (char *)state->rings + (size_t)thread * state->ring_bytes + state->skewed_bytes + 64 +
                              state->ring_pitch};
  const struct hs_cpu_blocks blocks = {.from = part.from,
                                       .to = part.to,
                                       .ny = state->system->ny,
                                       .first = 1,
                                       .last = pass->levels + (pass->scales ? 1 : 0),
                                       .part = &part,
                                       .make = block_make,
                                       .prefetch = row_prefetch};
  for (int k = 0; k < state->strip_count; k++) {
    size_t end;
    part.strip = hs_cpu_strip(state, k);
    part.plan = state->strip_plan + (size_t)k * (size_t)state->system->ny;
    end = (size_t)part.strip.columns * hs_cpu_element_size(state);
    for (int slot = 0; slot < 2 * state->ring_slots; slot++)
      memset(part.ring + (size_t)slot * state->ring_pitch + end, 0, 64);
    hs_cpu_blocks_make(&blocks);
  }
  hs_cpu_stores_finish();
}

/* What a pass of Chebyshev's form reads besides the present field, and two fields that are nobody's, which it
 * writes. */
static void chebyshev_targets(const struct hs_backend_state *state, const struct hs_cpu_roles *roles,
                              struct hs_cpu_pass *pass)
{
  void *others[HS_CPU_FIELDS_CHEBYSHEV];
  int count = 0;
  for (int k = 0; k < state->field_count; k++)
    if (state->fields[k] != roles->now && state->fields[k] != roles->before && state->fields[k] != state->saved)
      others[count++] = state->fields[k];
  pass->source_before = roles->before;
  pass->target = others[0];
  pass->target_before = others[1];
}

/* A woven field that is neither the present nor the remembered one. */
static void *woven_target(const struct hs_backend_state *state, const void *now)
{
  void *const *field = state->woven;
  while (*field == now || *field == state->saved_woven) field++;
  return *field;
}

/* The barrier after a pass, which has taken this thread so long. The last one shares the rows out anew. */
static void pass_end(const struct hs_backend_state *state, int levels, bool leaning, double pass_s,
                     struct hs_barrier *barrier)
{
  struct hs_cpu_shares *const shares = state->shares;
  const int thread = omp_get_thread_num(), team = omp_get_num_threads();
  const bool shared = team == shares->threads && team > 1;
  if (shared) hs_cpu_shares_count(shares, thread, levels, pass_s);
  if (!hs_barrier_is_last(barrier, team)) return;
  if (shared) hs_cpu_shares_renew(shares, thread, leaning);
  if (state->progress) atomic_fetch_add_explicit(&state->progress[state->threads].reached, 1, memory_order_relaxed);
  hs_barrier_open(barrier);
}

void hs_cpu_pass(const struct hs_backend_state *state, struct hs_cpu_pass pass, bool left_woven,
                 struct hs_barrier *barrier, struct hs_cpu_roles *roles)
{
  const int thread = omp_get_thread_num();
  const bool woven = hs_cpu_is_woven(state, pass.form);
  const double begin_s = hs_time_s();
  pass.source = roles->woven ? roles->woven : roles->now;
  pass.source_woven = roles->woven != NULL;
  pass.target_woven = woven && left_woven && state->woven_bytes;
  pass.target = pass.target_woven ? woven_target(state, roles->woven) : hs_cpu_target(state, roles->now, roles->before);
  if (pass.form == HS_FORM_CHEBYSHEV) chebyshev_targets(state, roles, &pass);
  if (woven)
    hs_cpu_skewed_pass(state, &pass, thread);
  else
    straight_pass(state, &pass, thread);
  pass_end(state, pass.levels, woven, hs_time_s() - begin_s, barrier);
  roles->read = roles->woven;
  roles->before = pass.target_before ? pass.target_before : roles->now;
  roles->woven = pass.target_woven ? pass.target : NULL;
  roles->now = pass.target_woven ? NULL : pass.target;
}

/* --- strips ---------------------------------------------------------------------------------- */

/* Columns of a strip and levels as HEATSOLVE_STRIP gives them, "32x5"; 0 where it is not set. */
static hs_status strip_wanted(int *columns, int *levels, struct hs_error *err)
{
  const char *wanted = getenv("HEATSOLVE_STRIP");
  char rest;
  *columns = *levels = 0;
  if (!wanted || !*wanted) return HS_OK;
  if (sscanf(wanted, "%dx%d%c", columns, levels, &rest) == 2 && *columns >= 1 && *levels >= 1 &&
      *levels <= HS_CPU_LEVELS_MOST)
    return HS_OK;
  return hs_error_set(err, HS_ERR_CONFIG,
                      "HEATSOLVE_STRIP=%s: wanted are the columns of a strip and 1 to %d sweeps in a pass, as in "
                      "512x16; correct or unset it",
                      wanted, HS_CPU_LEVELS_MOST);
}

hs_status hs_cpu_strips_choose(struct hs_backend_state *state, const struct hs_backend_options *options,
                               struct hs_error *err)
{
  const struct hs_system *s = state->system;
  const int rows = s->ny / state->threads, lines = round_up(s->nx, HS_CPU_LINE) / HS_CPU_LINE;
  const double fields_bytes = 2.0 * (double)state->elements * (double)hs_cpu_element_size(state);
  const bool cached = hs_cpu_is_cached(s, state->single, state->threads);
  const bool woven = hs_cpu_weaves(state->rows, s) && rows >= HS_CPU_ROWS_LEAST;
  bool kept_woven;
  int columns, levels, most;
  hs_status status = strip_wanted(&columns, &levels, err);
  state->field_count = HS_CPU_FIELDS;
  if (status) return status;
  most = state->threads == 1 ? LEVELS : hs_cpu_larger(1, rows * state->threads / (BAND_ROWS * (state->threads - 1)));
  kept_woven = woven && options->form == HS_FORM_JACOBI && fields_bytes <= STREAMED_BYTES &&
               hs_cpu_skewed_is_upright(state, columns);
  state->levels = !woven                ? hs_cpu_smaller(LEVELS, most)
                  : state->threads == 1 ? WOVEN_LEVELS
                                        : hs_cpu_smaller(WOVEN_LEVELS, rows);
  if (s->nx < HS_CPU_LEAST_COLUMNS || (woven ? state->levels < LEAST_LEVELS : cached)) state->levels = 1;
  if (levels) state->levels = levels;
  if (state->levels < 1 || s->wrap_x >= 0 || s->wrap_y >= 0) state->levels = 1;
  state->straight_levels = cached ? 1 : hs_cpu_smaller(LEVELS, most);
  if (levels || state->levels == 1) state->straight_levels = state->levels;
  state->least_together = cached && !levels ? LEAST_LEVELS : 2;
  state->strip_margin = round_up(state->straight_levels, HS_CPU_LINE);
  state->strips_streamed = fields_bytes > STREAMED_BYTES;
  if (state->levels == 1) return HS_OK;
  if (woven) hs_cpu_skewed_choose(state, columns, kept_woven);
  state->ring_bytes = state->skewed_bytes;
  if (state->straight_levels == 1) return HS_OK;
  if (options->form == HS_FORM_CHEBYSHEV) state->field_count = HS_CPU_FIELDS_CHEBYSHEV;
  if (!columns) columns = STRIP_BYTES / (int)hs_cpu_element_size(state);
  state->strip_count = hs_cpu_larger(1, hs_cpu_smaller(lines, (int)(((int64_t)s->nx + columns / 2) / columns)));
  state->ring_slots = ring_slots(state);
  state->ring_pitch = ring_pitch(state);
  state->ring_bytes = state->skewed_bytes + (2 * (size_t)state->ring_slots + 1) * state->ring_pitch + 64;
  return HS_OK;
}
