/* cpu, blocked in time: several sweeps in one pass over memory, tile of columns by tile.
 *
 * A pass brings one thread's rows forward by up to STAGES sweeps, from one field to the other, block of rows by block
 * (cpu/wavefront.h). Plain sweeps of few materials go through full-width or skewed tiles of transposed rows
 * (cpu/transposed.c), all others through tiles of natural rows, which are here.
 *
 * Rows of stages 1, 2, ... lie in two rings, of the odd stages and of the even ones, without gaps: row j of stage t
 * where row j of stage t-2 was, which nobody needs any more. A ring has a slot for each stage and each row of a
 * block, the two about a megabyte. Tiles of a quarter of the width would fit into the second cache, but memory is read
 * and written best in long rows.
 *
 * A tile is computed with a ghost zone of one column a stage on either side: what lies beyond is not up to date, and
 * that spreads by one node a sweep. Columns and rows at the edge of the grid have no ghost zone, and ghosts of 0 at
 * every stage. So tiles do not wait for one another within a pass. Stages are swept by the row functions of
 * rows/rows.h, with the schedule of the row cut to the tile. Norms of the last sweep are taken as one more stage.
 *
 * Chebyshev's form reads the stage before the last where it writes the next one, so the rings suit it. Two fields
 * travel: a pass reads the present one and its predecessor, which the first two stages are written over in the ring,
 * and leaves its last two stages in two others. A run that is made for this form has five fields, then.
 *
 * Limits: not for periodic walls, whose ghosts are copies, and not for Chebyshev's form where a run was made for
 * another; these are swept one by one.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend/cpu/state.h"
#include "backend/cpu/wavefront.h"
#include "base/timer.h"

enum {
  TRANSPOSED_STAGES =
      52,      /* sweeps of a pass of transposed rows; transposing, memory and back cost as much as two or three */
  STAGES = 16, /* the same of natural rows: memory moves 16 / 16 bytes a node (double) */
  TILE_BYTES = 16384, /* of a tile's rows, ghost zones apart */
  BAND_ROWS = 8,      /* rows of a thread with two ghost zones for each stage: these then cost an eighth on average */
  LEAST_STAGES = 8,   /* of transposed rows: fewer gain less than transposing costs */
  STREAMED_BYTES = 24 << 20, /* of both fields: beyond, they are written past the caches */
};

/* One thread's part of a pass. */
struct worker {
  const struct hs_cpu_state *state;
  const struct hs_cpu_pass *pass;
  int from, to; /* rows of the thread */
  struct hs_cpu_overlapped_tile tile;
  const struct hs_row_span *spans; /* [ny] of the tile */
  char *ring;                      /* slot 0, column 0; the slot before it is zeros */
};

static int round_up(int n, int unit)
{
  return (n + unit - 1) / unit * unit;
}

/* --- the rings ------------------------------------------------------------------------------- */

/* Slots of one ring: a power of two, so that a slot is found without division. */
static int overlapped_slots(const struct hs_cpu_state *state)
{
  int slots = 1;
  while (slots < state->natural_stages + HS_CPU_BLOCK_ROWS + 2) slots *= 2;
  return slots;
}

/* Widest tile with its ghost zones. */
static int tile_most_columns(const struct hs_cpu_state *state)
{
  int most = 0;
  for (int k = 0; k < state->overlapped_count; k++)
    most = hs_cpu_larger(most, hs_cpu_overlapped_tile(state, k).columns);
  return most;
}

/* Bytes from slot to slot: a row, and groups beyond it and before the next one. An odd number of lines, so that the
 * rows of a block do not meet in one set of the cache. */
static size_t overlapped_pitch(const struct hs_cpu_state *state)
{
  const size_t row = (size_t)tile_most_columns(state) * hs_cpu_element_size(state);
  return (row / 64 + 5) / 2 * 128 + 64;
}

/* Row j of a stage at the tile's first column; zeros beyond the grid. Stage 0 is the field itself. */
static char *stage_row(const struct worker *worker, int stage, int j)
{
  const struct hs_cpu_state *state = worker->state;
  const int slot = (stage & 1) * state->overlapped_slots + (j & (state->overlapped_slots - 1));
  if (j < 0 || j >= state->system->ny) return worker->ring - state->overlapped_pitch;
  if (stage == 0)
    return (char *)worker->pass->source +
           (hs_cpu_row(state, j) + (size_t)worker->tile.first) * hs_cpu_element_size(state);
  return worker->ring + (size_t)slot * state->overlapped_pitch;
}

/* --- a pass ---------------------------------------------------------------------------------- */

static struct hs_row_schedule stage_row_schedule(const struct worker *worker, int j)
{
  const struct hs_cpu_state *state = worker->state;
  const struct hs_system *s = state->system;
  const struct hs_row_span *p = &worker->spans[j];
  const size_t nx = (size_t)s->nx, first = (size_t)worker->tile.first;
  const struct hs_row_schedule schedule = {.nx = worker->tile.columns,
                                           .segments = state->tile_segments + p->first_segment,
                                           .segment_count = p->segment_count,
                                           .packed = state->tile_packed + p->first_packed,
                                           .packed_count = p->packed_count,
                                           .groups = state->groups,
                                           .index = s->index ? s->index + (size_t)p->row * nx + first : NULL,
                                           .first = (size_t)j * nx + first};
  return schedule;
}

static struct hs_cpu_lines stage_lines(const struct worker *worker, int stage, int j)
{
  const struct hs_cpu_state *state = worker->state;
  const size_t own = (hs_cpu_row(state, j) + (size_t)worker->tile.first) * hs_cpu_element_size(state);
  const struct hs_cpu_lines lines = {stage_row(worker, stage, j - 1), stage_row(worker, stage, j),
                                     stage_row(worker, stage, j + 1), state->r ? (const char *)state->r + own : NULL};
  return lines;
}

static void stage_row_sweep(const struct worker *worker, int stage, int j)
{
  const struct hs_row_schedule schedule = stage_row_schedule(worker, j);
  const struct hs_cpu_lines lines = stage_lines(worker, stage - 1, j);
  hs_cpu_lines_sweep(worker->state, &schedule, &lines, worker->pass->form, worker->pass->weights[stage - 1],
                     stage_row(worker, stage, j));
}

/* Chebyshev's sweeps are written over the stage before the last, which the first two do not find in the ring. */
static void stage_row_predecessor(const struct worker *worker, int stage, int j)
{
  const struct hs_cpu_state *state = worker->state;
  const void *field = stage == 1 ? worker->pass->source_before : worker->pass->source;
  const size_t size = hs_cpu_element_size(state), at = hs_cpu_row(state, j) + (size_t)worker->tile.first;
  memcpy(stage_row(worker, stage, j), (const char *)field + at * size, (size_t)worker->tile.columns * size);
}

/* Row j of a stage goes to a field, without ghost zones. */
static void stage_row_store(const struct worker *worker, int stage, int j, void *target)
{
  const struct hs_cpu_overlapped_tile *tile = &worker->tile;
  const size_t ghosts = (size_t)(tile->from - tile->first) * hs_cpu_element_size(worker->state);
  if (j >= worker->from && j < worker->to)
    hs_cpu_row_store(worker->state, target, j, tile->from, tile->to, stage_row(worker, stage, j) + ghosts);
}

/* Norms of the last sweep, without ghost zones. */
static void stage_row_norms(const struct worker *worker, int j)
{
  const struct hs_cpu_pass *pass = worker->pass;
  const struct hs_row_schedule schedule = stage_row_schedule(worker, j);
  const int from = worker->tile.from - worker->tile.first, to = worker->tile.to - worker->tile.first;
  const struct hs_cpu_lines lines = stage_lines(worker, pass->stages, j);
  hs_cpu_lines_norms(worker->state, pass->scales, &schedule, &lines, stage_row(worker, pass->stages - 1, j), from, to,
                     pass->norms);
}

/* The stage beyond the last sweep is the norms. The last one goes to the other field, and so does the one before
 * where a sweep needs both. */
static void block_make(const void *of, const struct hs_cpu_block *block)
{
  const struct worker *worker = of;
  const struct hs_cpu_pass *pass = worker->pass;
  const bool chebyshev = pass->form == HS_FORM_CHEBYSHEV;
  const int stage = block->stage;
  for (int j = block->from; j < block->to; j++) {
    if (chebyshev && stage <= 2) stage_row_predecessor(worker, stage, j);
    if (stage > pass->stages)
      stage_row_norms(worker, j);
    else
      stage_row_sweep(worker, stage, j);
    if (stage == pass->stages) stage_row_store(worker, stage, j, pass->target);
    if (chebyshev && stage == pass->stages - 1) stage_row_store(worker, stage, j, pass->target_before);
  }
}

static void row_prefetch(const void *of, int j)
{
  const struct worker *worker = of;
  const struct hs_cpu_pass *pass = worker->pass;
  const int first = worker->tile.first, end = first + worker->tile.columns;
  hs_cpu_row_prefetch(worker->state, pass->source, j, first, end);
  if (pass->source_before) hs_cpu_row_prefetch(worker->state, pass->source_before, j, first, end);
}

static void natural_pass(const struct hs_cpu_state *state, const struct hs_cpu_pass *pass, int thread)
{
  struct worker worker = {.state = state,
                          .pass = pass,
                          .from = hs_cpu_pass_row(state, thread),
                          .to = hs_cpu_pass_row(state, thread + 1),
                          .ring = (char *)state->rings + (size_t)thread * state->ring_bytes + state->tile_ring_bytes +
                                  64 + state->overlapped_pitch};
  const struct hs_cpu_wavefront blocks = {.from = worker.from,
                                          .to = worker.to,
                                          .ny = state->system->ny,
                                          .first = 1,
                                          .last = pass->stages + (pass->scales ? 1 : 0),
                                          .context = &worker,
                                          .make = block_make,
                                          .prefetch = row_prefetch};
  for (int k = 0; k < state->overlapped_count; k++) {
    size_t end;
    worker.tile = hs_cpu_overlapped_tile(state, k);
    worker.spans = state->overlapped_spans + (size_t)k * (size_t)state->system->ny;
    end = (size_t)worker.tile.columns * hs_cpu_element_size(state);
    for (int slot = 0; slot < 2 * state->overlapped_slots; slot++)
      memset(worker.ring + (size_t)slot * state->overlapped_pitch + end, 0, 64);
    hs_cpu_wavefront_make(&blocks);
  }
  hs_cpu_stores_finish();
}

/* What a pass of Chebyshev's form reads besides the present field, and two fields that are nobody's, which it
 * writes. */
static void chebyshev_targets(const struct hs_cpu_state *state, const struct hs_cpu_roles *roles,
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

/* A transposed field that is neither the present nor the remembered one. */
static void *transposed_target(const struct hs_cpu_state *state, const void *now)
{
  void *const *field = state->transposed;
  while (*field == now || *field == state->saved_transposed) field++;
  return *field;
}

/* The barrier after a pass, which has taken this thread so long. The last one shares the rows out anew. */
static void pass_end(const struct hs_cpu_state *state, int stages, bool pipelined, double pass_s)
{
  struct hs_cpu_subdomains *const subdomains = state->subdomains;
  const int thread = omp_get_thread_num(), team = hs_cpu_team_size(state);
  const bool known = team == subdomains->threads;
  if (known) hs_cpu_subdomains_count(subdomains, thread, stages, pass_s);
  if (!hs_barrier_is_last(&state->team->barrier, team, &state->team->waiting)) return;
  if (!known)
    hs_cpu_subdomains_reset(subdomains, team, stages);
  else if (team > 1)
    hs_cpu_subdomains_renew(subdomains, thread, pipelined);
  if (state->progress) atomic_fetch_add_explicit(&state->progress[state->threads].reached, 1, memory_order_relaxed);
  hs_cpu_team_open(state->team);
}

void hs_cpu_pass(const struct hs_cpu_state *state, struct hs_cpu_pass pass, bool left_transposed,
                 struct hs_cpu_roles *roles)
{
  const int thread = omp_get_thread_num();
  const bool transposed = hs_cpu_is_transposed(state, pass.form);
  const double begin_s = hs_time_s();
  pass.source = roles->transposed ? roles->transposed : roles->now;
  pass.source_transposed = roles->transposed != NULL;
  pass.target_transposed = transposed && left_transposed && state->transposed_bytes;
  pass.target = pass.target_transposed ? transposed_target(state, roles->transposed)
                                       : hs_cpu_target(state, roles->now, roles->before);
  if (pass.form == HS_FORM_CHEBYSHEV) chebyshev_targets(state, roles, &pass);
  if (transposed)
    hs_cpu_transposed_pass(state, &pass, thread);
  else
    natural_pass(state, &pass, thread);
  pass_end(state, pass.stages, transposed, hs_time_s() - begin_s);
  roles->read = roles->transposed;
  roles->before = pass.target_before ? pass.target_before : roles->now;
  roles->transposed = pass.target_transposed ? pass.target : NULL;
  roles->now = pass.target_transposed ? NULL : pass.target;
}

/* --- tiles ---------------------------------------------------------------------------------- */

static hs_status testing_check(const struct hs_backend_testing *testing, struct hs_error *err)
{
  const int columns = testing->tile_columns, stages = testing->stages;
  if (columns == 0 && stages == 0) return HS_OK;
  if (columns >= 1 && stages >= 1 && stages <= HS_CPU_STAGES_MOST) return HS_OK;
  return hs_error_set(
      err, HS_ERR_CONFIG,
      "tiles of %d columns and passes of %d sweeps: wanted are the columns of a tile and 1 to %d sweeps", columns,
      stages, HS_CPU_STAGES_MOST);
}

hs_status hs_cpu_tiling_choose(struct hs_cpu_state *state, const struct hs_backend_options *options,
                               struct hs_error *err)
{
  const struct hs_system *s = state->system;
  const int rows = s->ny / state->threads, lines = round_up(s->nx, HS_CPU_LINE) / HS_CPU_LINE;
  const double fields_bytes = 2.0 * (double)state->elements * (double)hs_cpu_element_size(state);
  const bool cached = hs_cpu_is_cached(s, state->single, state->threads);
  const bool transposed = hs_cpu_transposes(state->rows, s) && rows >= HS_CPU_ROWS_LEAST;
  const int stages = options->testing.stages;
  int columns = options->testing.tile_columns, most;
  bool kept_transposed;
  const hs_status status = testing_check(&options->testing, err);
  state->field_count = HS_CPU_FIELDS;
  if (status) return status;
  most = state->threads == 1 ? STAGES : hs_cpu_larger(1, rows * state->threads / (BAND_ROWS * (state->threads - 1)));
  kept_transposed = transposed && options->form == HS_FORM_JACOBI && fields_bytes <= STREAMED_BYTES &&
                    hs_cpu_is_full_width(state, columns);
  state->stages = !transposed           ? hs_cpu_smaller(STAGES, most)
                  : state->threads == 1 ? TRANSPOSED_STAGES
                                        : hs_cpu_smaller(TRANSPOSED_STAGES, rows);
  if (s->nx < HS_CPU_LEAST_COLUMNS || (transposed ? state->stages < LEAST_STAGES : cached)) state->stages = 1;
  if (stages) state->stages = stages;
  if (state->stages < 1 || s->wrap_x >= 0 || s->wrap_y >= 0) state->stages = 1;
  state->natural_stages = cached ? 1 : hs_cpu_smaller(STAGES, most);
  if (stages || state->stages == 1) state->natural_stages = state->stages;
  state->least_blocked = cached && !stages ? LEAST_STAGES : 2;
  state->ghost_columns = round_up(state->natural_stages, HS_CPU_LINE);
  state->stores_streamed = fields_bytes > STREAMED_BYTES;
  if (state->stages == 1) return HS_OK;
  if (transposed) hs_cpu_tiles_choose(state, columns, kept_transposed);
  state->ring_bytes = state->tile_ring_bytes;
  if (state->natural_stages == 1) return HS_OK;
  if (options->form == HS_FORM_CHEBYSHEV) state->field_count = HS_CPU_FIELDS_CHEBYSHEV;
  if (!columns) columns = TILE_BYTES / (int)hs_cpu_element_size(state);
  state->overlapped_count = hs_cpu_larger(1, hs_cpu_smaller(lines, (int)(((int64_t)s->nx + columns / 2) / columns)));
  state->overlapped_slots = overlapped_slots(state);
  state->overlapped_pitch = overlapped_pitch(state);
  state->ring_bytes = state->tile_ring_bytes + (2 * (size_t)state->overlapped_slots + 1) * state->overlapped_pitch + 64;
  return HS_OK;
}
