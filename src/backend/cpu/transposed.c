/* cpu, blocked in time: passes of several sweeps over full-width or skewed tiles of transposed rows.
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
 * and stage, in the order in which they are made; stage 0 finds them in the field. So tiles have no ghost zones, and
 * can be narrow (cpu/tiling.c). Columns outside of the grid are 0 at every stage.
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
 * full-width one rows move through their slots (hs_cpu_stage_place). Rows of the last stage go to the other field, past a
 * buffer in which they are transposed back. Norms of the last sweep are taken as one more stage; rows of the stage
 * before are copied for them, before the last one is written over it.
 *
 * Chebyshev's form needs row j of the stage before the last one where it writes row j, so the ring is cut into two
 * halves then, of the odd stages and of the even ones. Two fields travel: a pass reads the present one and its
 * predecessor, which is stage -1, and leaves its last two stages in two others. A run that is made for this form has
 * five fields.
 *
 * Where nodes have constants of their own, their rows are transposed on the way, once a pass; where stencils are too
 * various for common groups, groups are packed on the way, too.
 *
 * Between passes the fields of small grids stay transposed, in three buffers (state->transposed): rows of stage 0 are
 * copied from one and those of the last stage to another, ghosts included. Only full-width tiles do: a skewed one ends
 * elsewhere than it began.
 *
 * Threads form a pipelined wavefront (cpu/wavefront.h). The first two rows of each stage, ghosts included, are copied for
 * the thread south of it, which waits for them where it must. It hardly ever must: they are wanted as many rows later
 * as a thread has.
 *
 * Whatever the number of stages, the last one of a tile, which may be the norms, begins at the same column: a whole
 * line.
 *
 * Limits: not for periodic walls, whose ghosts are copies, and not for Chebyshev's form where a run was made for
 * another; norms not where groups are packed on the way, nor where nodes have constants of their own.
 *
 * Source: D. Wonnacott, Using time skewing to eliminate idle time due to memory bandwidth and network limitations,
 * IPDPS 2000.
 */
#include <string.h>

#include "backend/cpu/state.h"
#include "backend/cpu/wavefront.h"
#include "backend/cpu/worker.h"

_Static_assert((int)HS_CPU_ROWS_LEAST >= (int)HS_CPU_HALO_ROWS, "rows that are handed over are one thread's");

/* --- from natural rows ----------------------------------------------------------------------- */

/* So many columns of row j of a field, from `first` on; those outside of the grid are 0. */
static const char *natural_row(const struct hs_cpu_worker *worker, const void *field, int j, int first, int columns)
{
  const struct hs_cpu_state *state = worker->state;
  const int from = hs_cpu_larger(first, 0), to = hs_cpu_smaller(first + columns, state->system->nx);
  const size_t size = hs_cpu_element_size(state);
  const char *row = (const char *)field + hs_cpu_row(state, j) * size;
  if ((from == first && to == first + columns) || !state->tiling.skew) return row + (ptrdiff_t)first * (ptrdiff_t)size;
  memset(worker->spare, 0, (size_t)columns * size);
  if (from < to)
    memcpy(worker->spare + (size_t)(from - first) * size, row + (size_t)from * size, (size_t)(to - from) * size);
  return worker->spare;
}

/* Row j of a field becomes that of stage 0, or of stage -1. */
static void row_transpose(const struct hs_cpu_worker *worker, const void *field, int stage, int j)
{
  const struct hs_cpu_state *state = worker->state;
  const int columns = state->tiling.columns, length = columns / state->width;
  const int first = hs_cpu_stage_column(worker, stage) - (state->tiling.skew ? 0 : 1);
  char *const row = hs_cpu_stage_row_whole(worker, stage, j);
  if (worker->pass->source_transposed)
    memcpy(row, hs_cpu_kept_row(state, field, j), state->tiling.row_bytes);
  else
    state->rows->transpose(natural_row(worker, field, j, first, columns + HS_CPU_GHOSTS), length,
                           length + HS_CPU_GHOSTS, row);
}

static void row_coefficients_make(const struct hs_cpu_worker *worker, int j)
{
  const struct hs_cpu_state *state = worker->state;
  const struct hs_cpu_tiling *t = &state->tiling;
  const int first = hs_cpu_tile_first(state, worker->tile), vectors = hs_cpu_tile_vectors(state);
  char *const at = hs_cpu_row_coefficients(worker, j);
  int32_t entries[HS_CPU_WIDTH_MOST];
  if (t->constant_pitch)
    state->rows->transpose(natural_row(worker, state->r, j, first, t->columns + t->skew * t->stages),
                           t->columns / state->width, vectors, at);
  for (int v = 0; t->group_pitch && v < vectors; v++) {
    hs_cpu_vector_entries(state, j, first, v, entries);
    state->rows->groups_pack(state->system, entries, 1,
                             at + t->constant_pitch + (size_t)v * HS_GROUP_COEFFICIENTS * hs_cpu_vector_bytes(state));
  }
}

/* Stage 0 of a block. Rows that threads have only later need coefficients, too. */
static void block_begin(const struct hs_cpu_worker *worker, const struct hs_cpu_block *block)
{
  const struct hs_cpu_tiling *t = &worker->state->tiling;
  const int end = hs_cpu_wavefront_to(worker->rows, worker->depth);
  for (int j = block->from; j < block->to; j++) row_transpose(worker, worker->pass->source, 0, j);
  if (!t->constant_pitch && !t->group_pitch) return;
  for (int j = block->row; j < hs_cpu_smaller(block->row + HS_CPU_BLOCK_ROWS, end); j++)
    row_coefficients_make(worker, j);
}

static void row_prefetch(const void *of, int j)
{
  const struct hs_cpu_worker *worker = of;
  const struct hs_cpu_state *state = worker->state;
  const struct hs_cpu_pass *pass = worker->pass;
  const int first = hs_cpu_stage_column(worker, 0), end = first + state->tiling.columns;
  const char *const kept = hs_cpu_kept_row(state, pass->source, j);
  if (pass->source_before) hs_cpu_row_prefetch(state, pass->source_before, j, first, end);
  if (pass->source_transposed)
    for (size_t k = 0; k < state->tiling.row_bytes; k += 64) __builtin_prefetch(kept + k, 0, 2);
  else
    hs_cpu_row_prefetch(state, pass->source, j, first, end);
}

/* --- sweeps ---------------------------------------------------------------------------------- */

/* Rows with groups of their own, one by one. */
static void rows_sweep_singly(const struct hs_cpu_worker *worker, int from, struct hs_transposed_rows rows)
{
  const struct hs_cpu_state *state = worker->state;
  const size_t edges = HS_CPU_EDGE_COLUMNS * hs_cpu_element_size(state);
  const int count = rows.count;
  rows.count = 1;
  for (int m = 0; m < count; m++, rows.in++, rows.out++, rows.spans++) {
    rows.groups = hs_cpu_row_coefficients(worker, from + m) + state->tiling.constant_pitch;
    state->rows->transposed_sweep(&rows);
    if (rows.r) rows.r++;
    if (rows.east) rows.east = (const char *)rows.east + edges;
    if (rows.west) rows.west = (char *)rows.west + edges;
  }
}

/* The stage before is read from where the first new vector of each row comes to lie. But for Chebyshev's form a row goes
 * where that south of it was, which is none for row 0. */
static inline void block_sweep(const struct hs_cpu_worker *worker, const struct hs_cpu_block *block)
{
  const struct hs_cpu_state *state = worker->state;
  const struct hs_cpu_tiling *t = &state->tiling;
  const int place = block->place + block->from - block->row, count = block->to - block->from;
  const size_t at = hs_cpu_stage_place(worker, block->stage);
  const bool in_place = !worker->halves && block->from > 0;
  void *in[HS_CPU_BLOCK_ROWS + 2], *out[HS_CPU_BLOCK_ROWS];
  const void *r[HS_CPU_BLOCK_ROWS];
  const struct hs_transposed_rows rows = {.in = in,
                                          .out = in_place ? in : out,
                                          .count = count,
                                          .spans = worker->spans + block->from,
                                          .segments = state->segments,
                                          .groups = state->groups,
                                          .columns = t->columns,
                                          .shift = hs_cpu_stage_shift(worker, block->stage),
                                          .full_width = !t->skew,
                                          .east = hs_cpu_row_edges_east(worker, block->stage, place),
                                          .west = hs_cpu_row_edges(worker, block->stage, place),
                                          .form = worker->pass->form,
                                          .weight = worker->pass->weights[block->stage - 1],
                                          .r = t->constant_pitch ? r : NULL};
  in[0] = hs_cpu_stage_row_at(worker, block->stage - 1, block->from - 1, at);
  hs_cpu_stage_rows(worker, block->stage - 1, block->from, count, at, in + 1);
  in[count + 1] = hs_cpu_stage_row_at(worker, block->stage - 1, block->to, at);
  if (!in_place) hs_cpu_stage_rows(worker, block->stage, block->from, count, at, out);
  for (int m = 0; rows.r && m < count; m++) r[m] = hs_cpu_row_coefficients(worker, block->from + m);
  if (worker->halves && block->stage == 1)
    for (int j = block->from; j < block->to; j++) row_transpose(worker, worker->pass->source_before, -1, j);
  if (t->group_pitch)
    rows_sweep_singly(worker, block->from, rows);
  else
    state->rows->transposed_sweep(&rows);
}

/* --- from thread to thread ------------------------------------------------------------------- */

/* Rows of a block that the thread south of this one waits for. */
static void block_send(const struct hs_cpu_worker *worker, const struct hs_cpu_block *block)
{
  const int first = hs_cpu_wavefront_from(worker->rows, block->stage);
  const int end = hs_cpu_smaller(first + HS_CPU_HALO_ROWS, hs_cpu_wavefront_to(worker->rows, block->stage));
  if (first >= block->to || end <= block->from) return;
  for (int j = hs_cpu_larger(first, block->from); j < hs_cpu_smaller(end, block->to); j++)
    memcpy(hs_cpu_halo_row(worker, worker->thread, block->stage, j - first),
           hs_cpu_stage_row_whole(worker, block->stage, j), worker->state->tiling.row_bytes);
  if (end <= block->to)
    hs_progress_set(&worker->state->progress[worker->thread], hs_cpu_halo_mark(worker, block->stage));
}

/* Rows of a block that the thread north of this one has made. */
static void block_receive(const struct hs_cpu_worker *worker, const struct hs_cpu_block *block)
{
  const int first = hs_cpu_wavefront_to(worker->rows, block->stage), giver = worker->thread + 1;
  hs_progress_wait(&worker->state->progress[giver], hs_cpu_halo_mark(worker, block->stage),
                   &worker->state->team->waiting);
  for (int j = block->halo_from; j < block->halo_to; j++)
    memcpy(hs_cpu_stage_row_whole(worker, block->stage, j), hs_cpu_halo_row(worker, giver, block->stage, j - first),
           worker->state->tiling.row_bytes);
}

/* --- the last stages ------------------------------------------------------------------------- */

/* The rows of a block go to a field, transposed back but where that one is transposed, too. */
static void block_store(const struct hs_cpu_worker *worker, const struct hs_cpu_block *block, void *target)
{
  const struct hs_cpu_state *state = worker->state;
  const int first = hs_cpu_stage_column(worker, block->stage), columns = state->tiling.columns;
  for (int j = block->from; j < block->to; j++) {
    if (worker->pass->target_transposed) {
      memcpy(hs_cpu_kept_row(state, target, j), hs_cpu_stage_row_whole(worker, block->stage, j),
             state->tiling.row_bytes);
      continue;
    }
    state->rows->transpose_back(hs_cpu_stage_row(worker, block->stage, j), columns, worker->spare);
    hs_cpu_row_store(state, target, j, first, first + columns, worker->spare);
  }
}

/* Keeps what the norms, of rows one further south, need of the last stage but one, before the last one is written over
 * it. */
static void block_keep(const struct hs_cpu_worker *worker, const struct hs_cpu_block *block)
{
  const int from = hs_cpu_larger(block->row - 1, hs_cpu_wavefront_from(worker->rows, worker->depth));
  const int to = hs_cpu_smaller(block->row - 1 + HS_CPU_BLOCK_ROWS, hs_cpu_wavefront_to(worker->rows, worker->depth));
  const size_t bytes = (size_t)worker->state->tiling.columns * hs_cpu_element_size(worker->state);
  const size_t at = hs_cpu_stage_place(worker, worker->depth) + 2 * hs_cpu_vector_bytes(worker->state);
  for (int j = from; j < to; j++)
    memcpy(hs_cpu_predecessor_row(worker, j), hs_cpu_stage_row_at(worker, block->stage - 1, j, at), bytes);
}

/* Norms of the last sweep. */
static void block_norms(const struct hs_cpu_worker *worker, const struct hs_cpu_block *block)
{
  const struct hs_cpu_state *state = worker->state;
  const int last = worker->pass->stages, count = block->to - block->from;
  const size_t at = hs_cpu_stage_place(worker, worker->depth);
  void *in[HS_CPU_BLOCK_ROWS + 2], *before[HS_CPU_BLOCK_ROWS];
  const struct hs_transposed_norms rows = {.in = in,
                                           .before = before,
                                           .count = count,
                                           .spans = worker->spans + block->from,
                                           .segments = state->segments,
                                           .groups = state->norm_groups,
                                           .columns = state->tiling.columns,
                                           .shift = hs_cpu_stage_shift(worker, block->stage),
                                           .scales = worker->pass->scales};
  for (int m = 0; m < count + 2; m++) in[m] = hs_cpu_stage_row_at(worker, last, block->from + m - 1, at);
  for (int m = 0; m < count; m++) before[m] = hs_cpu_predecessor_row(worker, block->from + m);
  state->rows->transposed_norms(&rows, worker->pass->norms);
}

/* --- a pass ---------------------------------------------------------------------------------- */

/* Stage 0 is transposed, the one beyond the last sweep is the norms. Chebyshev's form leaves the last two stages. */
static void block_make(const void *of, const struct hs_cpu_block *block)
{
  const struct hs_cpu_worker *worker = of;
  const struct hs_cpu_pass *pass = worker->pass;
  const int stage = block->stage, last = pass->stages;
  if (stage == last && pass->scales) block_keep(worker, block);
  if (stage > 0 && stage <= last && block->from < block->to) block_sweep(worker, block);
  if (stage > 0 && stage < worker->depth && worker->thread > 0) block_send(worker, block);
  if (block->halo_from < block->halo_to) block_receive(worker, block);
  if (stage == last) block_store(worker, block, pass->target);
  if (stage == last - 1 && pass->target_before) block_store(worker, block, pass->target_before);
  if (stage == 0) block_begin(worker, block);
  if (stage > last && block->from < block->to) block_norms(worker, block);
}

void hs_cpu_transposed_pass(const struct hs_cpu_state *state, const struct hs_cpu_pass *pass, int thread)
{
  const struct hs_cpu_tiling *t = &state->tiling;
  const int from = hs_cpu_pass_row(state, thread), to = hs_cpu_pass_row(state, thread + 1);
  const uint64_t passes = atomic_load_explicit(&state->progress[state->threads].reached, memory_order_relaxed);
  struct hs_cpu_worker worker = {.state = state,
                                 .pass = pass,
                                 .thread = thread,
                                 .begun = passes << HS_CPU_MARK_BITS,
                                 .depth = pass->stages + (pass->scales ? 1 : 0),
                                 .ring = (char *)state->rings + (size_t)thread * t->ring_bytes + t->pitch,
                                 .halves = pass->form == HS_FORM_CHEBYSHEV,
                                 .vector_bytes = hs_cpu_vector_bytes(state)};
  const struct hs_cpu_wavefront rows = {.from = from,
                                        .to = to,
                                        .ny = state->system->ny,
                                        .last = worker.depth,
                                        .context = &worker,
                                        .make = block_make,
                                        .prefetch = row_prefetch};
  worker.rows = &rows;
  worker.mask = t->slots / (1 + worker.halves) - 1;
  worker.kept = worker.ring + (size_t)t->slots * t->pitch;
  worker.spare = worker.kept + (size_t)HS_CPU_BLOCK_ROWS * t->pitch;
  worker.coefficients = worker.spare + t->spare_bytes;
  if (t->skew) worker.edges = (char *)state->edges + hs_cpu_edges_before(t, thread, from) * hs_cpu_element_size(state);
  for (worker.tile = t->count - 1; worker.tile >= 0; worker.tile--) {
    worker.spans = state->tile_spans + (size_t)worker.tile * (size_t)state->system->ny;
    hs_cpu_wavefront_run(&rows);
  }
  hs_cpu_stores_finish();
}

void hs_cpu_transpose_back(const struct hs_cpu_state *state, const void *transposed, void *field)
{
#pragma omp parallel num_threads(hs_cpu_team_wanted(state))
  {
    const int thread = omp_get_thread_num(), columns = state->tiling.columns;
    char *const row =
        (char *)state->rings + (size_t)thread * state->tiling.ring_bytes + state->tiling.pitch; /* slot 0 */
    for (int j = hs_cpu_first_row(state, thread); j < hs_cpu_first_row(state, thread + 1); j++) {
      state->rows->transpose_back(hs_cpu_kept_row(state, transposed, j) + hs_cpu_vector_bytes(state), columns, row);
      hs_cpu_row_store(state, field, j, 0, columns, row);
    }
    hs_cpu_stores_finish();
  }
}
