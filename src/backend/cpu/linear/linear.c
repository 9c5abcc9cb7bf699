/* Operators of the cpu backend: what they have beside those of src/backend/host. */
#include "backend/cpu/linear/linear.h"

#include <limits.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/memory.h"
#include "base/timer.h"

/* --- threads --------------------------------------------------------------------------------- */

static hs_status team_create(struct hs_operator *op, const struct hs_backend_options *options,
                             struct hs_linear_team **result, struct hs_error *err)
{
  const int most = op->threads;
  const int processors_free =
      options->threads_stay ? INT_MAX : hs_processors_free(omp_get_max_threads(), omp_get_num_procs());
  struct hs_linear_team *team = NULL;
  const hs_status status = hs_array_create((void **)&team, 1, sizeof *team + (size_t)most * sizeof team->done[0],
                                           "the threads of an operator", err);
  *result = team;
  if (status) return status;
  team->threads = hs_cpu_team(most, processors_free);
  team->threads.stays = options->threads_stay || options->testing.every_thread;
  op->threads_now = &team->threads.threads;
  return HS_OK;
}

/* --- the finest operator's runs -------------------------------------------------------------- */

/* Runs of a row, into `runs` unless it is NULL. Short ones are joined. */
static size_t runs_find(const struct hs_operator *op, int j, struct hs_linear_run *runs)
{
  const struct hs_system *s = op->system;
  const uint16_t *index = s->index ? s->index + (size_t)j * (size_t)s->nx : NULL;
  struct hs_linear_run last = {0, 0, -1};
  size_t count = 0;
  if (!index) {
    if (runs) runs[0] = (struct hs_linear_run){0, op->grid.nx, -1};
    return 1;
  }
  for (int from = 0, to; from < op->grid.nx; from = to) {
    for (to = from + 1; to < op->grid.nx && index[to] == index[from];) to++;
    if (to - from < HS_LINEAR_RUN_LEAST && count > 0 && last.entry < 0) {
      last.to = to;
      if (runs) runs[count - 1] = last;
      continue;
    }
    last = (struct hs_linear_run){from, to, to - from < HS_LINEAR_RUN_LEAST ? -1 : index[from]};
    if (runs) runs[count] = last;
    count++;
  }
  return count;
}

static hs_status runs_create(struct hs_operator *op, struct hs_error *err)
{
  struct hs_operator_rows *own = op->by_rows;
  const int ny = op->grid.ny;
  hs_status status =
      hs_array_create((void **)&own->first_run, (size_t)ny + 1, sizeof *own->first_run, "the rows of an operator", err);
  if (status) return status;
  HS_HOST_ROWS(op, j) own->first_run[j + 1] = runs_find(op, j, NULL);
  for (int j = 0; j < ny; j++) own->first_run[j + 1] += own->first_run[j];
  status = hs_array_create((void **)&own->runs, own->first_run[ny], sizeof *own->runs, "the rows of an operator", err);
  if (status) return status;
  HS_HOST_ROWS(op, j) runs_find(op, j, own->runs + own->first_run[j]);
  return HS_OK;
}

/* --- rows that are the same ------------------------------------------------------------------ */

/* Is row j of so many arrays, ghosts included, the same bits as another one? */
static bool rows_same(const struct hs_grid *grid, const float *arrays, int count, int j, int other)
{
  const size_t values = hs_grid_values(grid), bytes = (size_t)(grid->nx + 2) * sizeof *arrays;
  for (int k = 0; k < count; k++)
    if (memcmp(arrays + (size_t)k * values + hs_grid_at(grid, -1, j),
               arrays + (size_t)k * values + hs_grid_at(grid, -1, other), bytes) != 0)
      return false;
  return true;
}

/* For each row the first one of the same values, among those `step` apart: passes read that instead, and it stays in the
 * cache. Most rows of most problems are like others. */
static hs_status same_find(const struct hs_grid *grid, const float *arrays, int count, int step, int32_t **result,
                           struct hs_error *err)
{
  int32_t *same = NULL;
  const hs_status status =
      hs_array_create((void **)&same, (size_t)grid->ny + 2, sizeof *same, "the rows of an operator", err);
  *result = same;
  if (status) return status;
  for (int j = -1; j <= grid->ny; j++) {
    const int other = j - step < -1 ? j : same[j - step + 1];
    same[j + 1] = other != j && rows_same(grid, arrays, count, j, other) ? other : j;
  }
  return HS_OK;
}

/* --- making and freeing ---------------------------------------------------------------------- */

static void destroy(struct hs_operator *op)
{
  if (!op) return;
  if (op->by_rows) {
    free(op->by_rows->runs);
    free(op->by_rows->first_run);
    free(op->by_rows->same_weights);
    free(op->by_rows->same_couplings);
    free(op->by_rows->room);
    if (op->system) free(op->by_rows->team);
  }
  free(op->by_rows);
  hs_host_destroy(op);
}

/* Threads that pay for an operator. */
static int threads_for(const struct hs_grid *grid, int most, int nodes_a_thread)
{
  const double pay = (double)grid->nx * grid->ny / nodes_a_thread;
  return pay < 1.0 ? 1 : pay < most ? (int)pay : most;
}

/* Gives an operator its rows; frees it after a failure. */
static hs_status rows_create(struct hs_operator *op, const struct hs_linear_rows *rows, int nodes_a_thread,
                             struct hs_error *err)
{
  const char *what = "the rows of an operator";
  hs_status status = hs_array_create((void **)&op->by_rows, 1, sizeof *op->by_rows, what, err);
  if (!status) {
    struct hs_operator_rows *own = op->by_rows;
    own->rows = rows;
    own->nodes_a_thread = nodes_a_thread;
    own->room_pitch = (size_t)(op->grid.nx + 1 + 15) / 16 * 16 + 32;
    op->threads = threads_for(&op->grid, op->threads_most, nodes_a_thread);
    status = hs_array_create((void **)&own->room, (size_t)op->threads * HS_LINEAR_ROOM_ROWS * own->room_pitch,
                             sizeof *own->room, what, err);
  }
  if (!status && op->system) status = runs_create(op, err);
  if (status) destroy(op);
  return status;
}

/* The most threads of any level, as many as can be created. */
static int threads_most(const struct hs_system *system, const struct hs_backend_options *options)
{
  const struct hs_grid grid = hs_linear_grid(system, 16);
  const int most = options->threads > 0 ? options->threads : hs_backend_threads_available(options->threads_most);
  return hs_backend_threads_create(options->testing.every_thread ? most : hs_host_threads(&grid, most));
}

static hs_status create(const struct hs_system *system, const struct hs_backend_options *options,
                        struct hs_operator **result, struct hs_error *err)
{
  const int threads = threads_most(system, options);
  const struct hs_linear_rows *rows;
  struct hs_operator *op = NULL;
  hs_status status = hs_linear_rows_choose(options->testing.isa, &rows, err);
  *result = NULL;
  if (!status) status = hs_host_create(system, threads, &op, err);
  if (!status) status = rows_create(op, rows, options->testing.every_thread ? 1 : HS_LINEAR_NODES_A_THREAD, err);
  if (status) return status;
  status = team_create(op, options, &op->by_rows->team, err);
  if (status)
    destroy(op);
  else
    *result = op;
  return status;
}

/* --- coarser operators ----------------------------------------------------------------------- */

static hs_status shares(struct hs_operator *op, struct hs_level_shares *shares, struct hs_error *err)
{
  struct hs_level_shares all = {0, 0, 0, 0, 0};
  (void)err;
#pragma omp parallel num_threads(hs_host_threads_now(op)) if (op->threads > 1)
  {
    const struct hs_share rows = hs_linear_share(op->own.ny);
    struct hs_level_shares own = {0, 0, 0, 0, 0};
    for (int j = rows.from; j < rows.to; j++)
      op->by_rows->rows->shares(&op->exact, hs_grid_at(&op->grid, op->own.x0, op->own.y0 + j), op->own.nx,
                                op->grid.pitch, &own);
#pragma omp critical(hs_linear_shares)
    all = (struct hs_level_shares){all.free + own.free, all.x_semi + own.x_semi, all.y_semi + own.y_semi,
                                   all.x_segment + own.x_segment, all.y_segment + own.y_segment};
  }
  *shares = all;
  return HS_OK;
}

/* Nodes whose children have all their neighbours within the fine grid go by rows, the others one by one. */
static void galerkin_fill(struct hs_operator *fine, struct hs_operator *coarse)
{
  const struct hs_galerkin product = hs_host_galerkin(fine, coarse);
  const bool both = fine->coarsen_x && fine->coarsen_y;
  const int from = 1, to = both ? (fine->grid.nx - 3) / 2 + 1 : from; /* 2 i + 2 <= nx - 1 */
  HS_HOST_ROWS(coarse, j)
  {
    const bool inner = both && to > from && j >= 1 && 2 * j + 2 <= fine->grid.ny - 1;
    for (int i = 0; i < coarse->grid.nx; i++)
      if (!inner || i < from || i >= to) hs_host_galerkin_node(&product, &coarse->exact, i, j);
    if (inner) fine->by_rows->rows->galerkin(&product, j, from, to, &coarse->exact);
  }
}

/* The couplings are there. */
static hs_status complete(struct hs_operator *op, struct hs_error *err)
{
  const hs_status status = hs_host_coarse_end(op, err);
  if (status) return status;
  return same_find(&op->grid, op->couplings_memory, 6, 1, &op->by_rows->same_couplings, err);
}

static hs_status coarsen(struct hs_operator *op, bool x, bool y, bool *passes, struct hs_operator **result,
                         struct hs_error *err)
{
  struct hs_operator *coarse = NULL;
  hs_status status = hs_host_coarse_begin(op, x, y, &coarse, err);
  *result = NULL;
  (void)passes;
  if (!status) status = rows_create(coarse, op->by_rows->rows, op->by_rows->nodes_a_thread, err);
  if (status) return status;
  coarse->by_rows->team = op->by_rows->team;
  coarse->threads_now = op->threads_now;
  free(op->by_rows->same_weights);
  status = same_find(&op->grid, op->weights_memory, 4, y ? 2 : 1, &op->by_rows->same_weights, err);
  if (!status) {
    galerkin_fill(op, coarse);
    status = complete(coarse, err);
  }
  if (status)
    destroy(coarse);
  else
    *result = coarse;
  return status;
}

static hs_status window(struct hs_operator *model, const struct hs_grid *grid, struct hs_operator **result,
                        struct hs_error *err)
{
  struct hs_operator *op = NULL;
  hs_status status = hs_host_window(model, grid, &op, err);
  *result = NULL;
  if (!status) status = rows_create(op, model->by_rows->rows, model->by_rows->nodes_a_thread, err);
  if (status) return status;
  op->by_rows->team = model->by_rows->team;
  op->threads_now = model->threads_now;
  *result = op;
  return HS_OK;
}

const struct hs_part_linear hs_part_linear_cpu = {
    .own = hs_host_own,
    .tally = hs_host_tally,
    .step_get = hs_host_step_get,
    .step_put = hs_host_step_put,
    .total = hs_host_total,
    .lower = hs_host_lower,
    .window = window,
    .complete = complete,
    .couplings_get = hs_host_couplings_get,
    .couplings_put = hs_host_couplings_put,
    .block_get = hs_host_block_get,
    .block_put = hs_host_block_put,
    .wrap = hs_host_wrap,
    .block_copy = hs_host_block_copy,
};

const struct hs_linear hs_linear_cpu = {
    .create = create,
    .update = hs_host_update,
    .destroy = destroy,
    .grid = hs_host_grid,
    .shares = shares,
    .coarsen = coarsen,
    .rows = hs_host_rows,
    .invert = hs_host_invert,
    .settle = hs_host_settle,
    .vector_create = hs_host_vector_create,
    .vector_destroy = hs_host_vector_destroy,
    .put = hs_host_put,
    .get = hs_host_get,
    .fetch = hs_host_fetch,
    .load = hs_host_load,
    .clear = hs_host_clear,
    .copy = hs_host_copy,
    .cycle_start = hs_linear_cycle_start,
    .cycle_relax = hs_linear_cycle_relax,
    .cycle_segments = hs_host_cycle_segments,
    .cycle_restrict = hs_linear_cycle_restrict,
    .cycle_prolong = hs_linear_cycle_prolong,
    .cycle_down = hs_linear_cycle_down,
    .cycle_up = hs_linear_cycle_up,
    .cycle_solve = hs_host_cycle_solve,
    .residual = hs_linear_residual,
    .round = hs_linear_round,
    .examine = hs_linear_examine,
    .direct = hs_linear_direct,
    .advance = hs_linear_advance,
    .change = hs_host_change,
    .largest = hs_host_largest,
};
