/* Points of a solution in progress, out and in; and the events at which they are asked for. */
#include "solve/point.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "solve/solution.h"

/* Plain and weighted sweeps read the present field alone. In the middle of an interval the field at its start is needed
 * for the replay, and during the replay it is the only one. */
static void fields_tell(const struct hs_run *run, struct hs_solve_point *point)
{
  const struct hs_chebyshev *c = &run->chebyshev;
  if (run->settings->method == HS_METHOD_CHEBYSHEV) {
    point->has_before = c->rho > 0.0 && run->stop.sweeps > c->start;
    point->has_saved = c->saved_at >= 0;
    return;
  }
  point->has_saved =
      run->keep && (run->stop.verdict == HS_VERDICT_CONVERGED || run->stop.sweeps % run->test.check_every != 0);
}

hs_status hs_run_point_keep(struct hs_run *run, struct hs_error *err)
{
  const struct hs_solve_keeper *keeper = &run->settings->keeper;
  struct hs_solve_point point = {.stop = run->stop,
                                 .residual_initial_l2 = run->test.residual_initial_l2,
                                 .update_first_max = run->test.update_first_max,
                                 .bounds_at_save = run->bounds_at_save,
                                 .value_at_save = run->value_at_save,
                                 .convergence_rate_before = run->convergence_rate_before,
                                 .ask_from = run->ask_from,
                                 .look_from = run->look_from,
                                 .unbalanced_at = run->unbalanced_at,
                                 .found = run->found,
                                 .chebyshev = run->chebyshev,
                                 .checks_seen = run->checks_seen,
                                 .stride = run->stride,
                                 .history = run->history,
                                 .history_count = run->history_count,
                                 .solve_s = hs_time_s() - run->started_s};
  if (!keeper->keep) return HS_OK;
  fields_tell(run, &point);
  return keeper->keep(keeper->context, &point, run->state, err);
}

hs_status hs_run_point_resume(struct hs_run *run, const struct hs_solve_point *point, struct hs_error *err)
{
  const size_t rows = (size_t)point->history_count;
  hs_status status;
  run->stop = point->stop;
  run->test.residual_initial_l2 = point->residual_initial_l2;
  run->test.update_first_max = point->update_first_max;
  run->bounds_at_save = point->bounds_at_save;
  run->value_at_save = point->value_at_save;
  run->convergence_rate_before = point->convergence_rate_before;
  run->ask_from = point->ask_from;
  run->look_from = point->look_from;
  run->unbalanced_at = point->unbalanced_at;
  run->found = point->found;
  run->chebyshev = point->chebyshev;
  run->checks_seen = point->checks_seen;
  run->stride = point->stride;
  run->started_s -= point->solve_s;
  if (!rows) return HS_OK;
  status = hs_array_create((void **)&run->history, rows, sizeof *run->history, "the history", err);
  if (status) return status;
  memcpy(run->history, point->history, rows * sizeof *run->history);
  run->history_count = run->history_room = point->history_count;
  return HS_OK;
}

static bool stop_requested(const struct hs_run *run)
{
  return run->observer && run->observer->stop_requested && *run->observer->stop_requested;
}

hs_status hs_run_event(struct hs_run *run, struct hs_error *err)
{
  const struct hs_solve_keeper *keeper = &run->settings->keeper;
  bool asked[] = {stop_requested(run), keeper->due && keeper->due(keeper->context)};
  hs_status status = hs_comm_any(run->comm, asked, 2, err);
  if (!status && (asked[0] || asked[1])) status = hs_run_point_keep(run, err);
  if (asked[0]) run->stop.verdict = HS_VERDICT_INTERRUPTED;
  return status;
}
