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

/* --- making ---------------------------------------------------------------------------------- */

/* The most threads of any level, as many as can be created. */
static int threads_most(const struct hs_system *system, const struct hs_backend_options *options)
{
  const struct hs_grid grid = hs_linear_grid(system, 16);
  const int most = options->threads > 0 ? options->threads : hs_backend_threads_available(options->threads_most);
  return hs_backend_threads_create(options->testing.every_thread ? most : hs_host_threads(&grid, most));
}

static hs_status create(const struct hs_system *system, const struct hs_backend_options *options,
                        const struct hs_backend_state *state, struct hs_operator **result, struct hs_error *err)
{
  const int threads = threads_most(system, options);
  const struct hs_linear_rows *rows;
  struct hs_operator *op = NULL;
  hs_status status = hs_linear_rows_choose(options->testing.isa, &rows, err);
  (void)state;
  *result = NULL;
  if (!status) status = hs_host_create(system, threads, true, &op, err);
  if (!status)
    status = hs_linear_rows_create(op, rows, options->testing.every_thread ? 1 : HS_LINEAR_NODES_A_THREAD, err);
  if (status) return status;
  status = team_create(op, options, &op->by_rows->team, err);
  if (status)
    hs_linear_destroy(op);
  else
    *result = op;
  return status;
}

const struct hs_part_linear hs_part_linear_cpu = {
    .own = hs_host_own,
    .tally = hs_host_tally,
    .total = hs_host_total,
    .lower = hs_host_lower,
    .window = hs_linear_window,
    .complete = hs_host_coarse_end,
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
    .destroy = hs_linear_destroy,
    .grid = hs_host_grid,
    .shares = hs_linear_shares,
    .coarsen = hs_linear_coarsen,
    .rows = hs_host_rows,
    .invert = hs_host_invert,
    .settle = hs_host_settle,
    .vector_create = hs_host_vector_create,
    .vector_destroy = hs_host_vector_destroy,
    .put = hs_host_put,
    .fetch = hs_host_fetch,
    .pick = hs_host_pick,
    .load = hs_host_load,
    .clear = hs_host_clear,
    .copy = hs_host_copy,
    .cycle_start = hs_linear_cycle_start,
    .cycle_relax = hs_linear_cycle_relax,
    .cycle_segments = hs_linear_cycle_segments,
    .cycle_restrict = hs_linear_cycle_restrict,
    .cycle_condense = hs_linear_cycle_condense,
    .cycle_prolong = hs_linear_cycle_prolong,
    .cycle_down = hs_linear_cycle_down,
    .cycle_up = hs_linear_cycle_up,
    .cycle_solve = hs_host_cycle_solve,
    .residual = hs_linear_residual,
    .round = hs_linear_round,
    .examine = hs_linear_examine,
    .advance = hs_linear_advance,
    .richardson = hs_linear_richardson,
    .change = hs_host_change,
    .largest = hs_host_largest,
};
