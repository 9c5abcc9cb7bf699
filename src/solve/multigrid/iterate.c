/* Solutions by steps with the V-cycle as preconditioner, Richardson's or of conjugate gradients. */
#include <math.h>
#include <stdlib.h>

#include "base/timer.h"
#include "solve/multigrid/richardson.h"
#include "solve/multigrid/verdict.h"

static hs_status history_room(struct hs_iteration *it, int count, struct hs_error *err)
{
  struct hs_check *more;
  if (count <= it->history_room) return HS_OK;
  more = realloc(it->history, (size_t)(2 * count + 64) * sizeof *more);
  if (!more) return hs_error_set(err, HS_ERR_MEMORY, "no memory for the history of %d cycles", count);
  it->history = more;
  it->history_room = 2 * count + 64;
  return HS_OK;
}

static hs_status remember(struct hs_iteration *it, struct hs_error *err)
{
  struct hs_check check = {.sweeps = it->g.steps,
                           .error_estimate_k = hs_gradients_estimated(&it->g) ? hs_verdict_error_k(it) : NAN};
  const bool corrected = it->g.corrections > 0 || it->g.norms.max == 0.0;
  check.norms = (struct hs_norms){NAN, NAN, it->g.norms.l2, it->g.norms.max, NAN, corrected ? it->g.z.max : NAN};
  check.residual_relative = hs_verdict_residual_relative(it);
  hs_status status;
  if (it->history_count > 0 && it->history[it->history_count - 1].sweeps == it->g.steps) it->history_count--;
  status = history_room(it, it->history_count + 1, err);
  if (!status) it->history[it->history_count++] = check;
  return status;
}

/* Has any rank been asked to stop, and is a point due on any? */
static hs_status wishes_hear(const struct hs_iteration *it, const struct hs_solve_observer *observer, bool wishes[2],
                             struct hs_error *err)
{
  const struct hs_solve_keeper *keeper = &it->settings->keeper;
  wishes[0] = observer && observer->stop_requested && *observer->stop_requested;
  wishes[1] = it->g.steps > 0 && keeper->due && keeper->due(keeper->context);
  return hs_comm_any(hs_system_comm(it->g.m->system), wishes, 2, err);
}

static void show(const struct hs_iteration *it, const struct hs_solve_observer *observer, double began_s)
{
  const struct hs_solve_progress progress = {.sweeps = it->g.steps,
                                             .max_sweeps = it->settings->max_iterations,
                                             .quantity = it->settings->quantity,
                                             .value = it->settings->quantity == HS_STOP_RESIDUAL
                                                          ? hs_verdict_residual_relative(it)
                                                      : hs_gradients_estimated(&it->g) ? hs_verdict_error_k(it)
                                                                                       : NAN,
                                             .tolerance = it->tolerance,
                                             .expected_sweeps = it->settings->expected_sweeps,
                                             .elapsed_s = hs_time_s() - began_s};
  if (observer && observer->progress) observer->progress(observer->context, &progress);
}

/* The end is near: what rounding leaves unknown is asked of the present x, which Richardson's iteration always does. */
static hs_status floor_renew(struct hs_iteration *it, struct hs_error *err)
{
  return !it->g.richardson && (hs_verdict_tolerance_met(it) || hs_verdict_rounded(it)) ? hs_gradients_floor(&it->g, err)
                                                                                       : HS_OK;
}

/* Gives the point before the next step to its keeper. */
static hs_status point_keep(const struct hs_iteration *it, struct hs_error *err)
{
  const struct hs_solve_keeper *keeper = &it->settings->keeper;
  struct hs_solve_point point = {.stop = {.sweeps = it->g.steps, .verdict = HS_VERDICT_RUNNING},
                                 .stride = 1,
                                 .history = it->history,
                                 .history_count = it->history_count,
                                 .has_saved = true};
  if (!keeper->keep) return HS_OK;
  hs_gradients_point(&it->g, &point.cycles);
  point.cycles.flat = it->flat;
  point.cycles.astray = it->astray;
  point.cycles.first_l2 = it->first_l2;
  point.cycles.start_k = it->start_k;
  point.cycles.least_zr = it->least_zr;
  point.cycles.tolerance = it->tolerance;
  point.unbalanced_at = it->unbalanced_at;
  return keeper->keep(keeper->context, &point, NULL, err);
}

/* From a point: its step. */
static hs_status iteration_resume(struct hs_iteration *it, const struct hs_solve_point *from, struct hs_error *err)
{
  hs_status status = history_room(it, from->history_count, err);
  if (status) return status;
  for (int k = 0; k < from->history_count; k++) it->history[it->history_count++] = from->history[k];
  it->tolerance = from->cycles.tolerance;
  it->unbalanced_at = from->unbalanced_at;
  it->first_l2 = from->cycles.first_l2;
  it->flat = from->cycles.flat;
  it->astray = from->cycles.astray;
  it->start_k = from->cycles.start_k;
  it->least_zr = from->cycles.least_zr;
  status = hs_gradients_resume(&it->g, &from->cycles, err);
  return status ? status : hs_gradients_step(&it->g, err);
}

/* Does nested iteration improve x first? A time step begins with the change of the step before. */
static bool nests(const struct hs_iteration *it)
{
  return it->g.richardson && !it->g.m->system->storing && it->settings->max_iterations > 0 && it->g.norms.max > 0.0 &&
         isfinite(it->first_l2);
}

/* From x. */
static hs_status iteration_begin(struct hs_iteration *it, struct hs_error *err)
{
  hs_status status;
  it->g.richardson = hs_richardson_can(&it->g);
  status = hs_gradients_residual(&it->g, err);
  it->first_l2 = it->g.norms.l2;
  if (status) return status;
  if (!nests(it))
    return it->g.m->has_change && it->g.norms.max > 0.0 ? hs_gradients_project(&it->g, err)
                                                        : hs_gradients_floor(&it->g, err);
  status = remember(it, err);
  if (!status) status = hs_richardson_nested(&it->g, err);
  it->start_k = it->g.z.max;
  return status;
}

/* Before the next step: the point, where one is due; the end, where somebody asks for it. */
static hs_status events_hear(struct hs_iteration *it, const struct hs_solve_observer *observer,
                             enum hs_verdict *verdict, struct hs_error *err)
{
  bool wishes[2];
  const hs_status status = wishes_hear(it, observer, wishes, err);
  if (status) return status;
  if (wishes[0]) *verdict = HS_VERDICT_INTERRUPTED;
  return wishes[0] || wishes[1] ? point_keep(it, err) : HS_OK;
}

/* Steps until a verdict. */
static hs_status iterate(struct hs_iteration *it, const struct hs_solve_observer *observer, enum hs_verdict *verdict,
                         struct hs_error *err)
{
  const double began_s = hs_time_s();
  const struct hs_solve_point *from = it->settings->from;
  hs_status status = from ? iteration_resume(it, from, err) : iteration_begin(it, err);
  *verdict = HS_VERDICT_RUNNING;
  while (!status && *verdict == HS_VERDICT_RUNNING) {
    const bool exact = hs_verdict_solved(it);
    if (!exact) status = hs_gradients_correct(&it->g, err);
    if (status) break;
    if (!exact) hs_verdict_count(it);
    status = floor_renew(it, err);
    if (status) break;
    if (it->g.steps == 0) it->start_k = it->g.z.max;
    status = remember(it, err);
    if (status) break;
    show(it, observer, began_s);
    if (!hs_is_finite(it->g.norms.l2) || !hs_is_finite(it->g.z.max)) {
      *verdict = HS_VERDICT_DIVERGED;
      continue;
    }
    status = hs_verdict_find(it, exact, verdict, err);
    if (!status && *verdict == HS_VERDICT_RUNNING) status = events_hear(it, observer, verdict, err);
    if (!status && *verdict == HS_VERDICT_RUNNING) status = hs_gradients_step(&it->g, err);
  }
  return status;
}

hs_status hs_multigrid_solve(struct hs_multigrid *m, const struct hs_solve_settings *settings,
                             const struct hs_solve_observer *observer, struct hs_solve_outcome *outcome,
                             struct hs_error *err)
{
  struct hs_iteration it = {.g = {.m = m, .estimate_k = NAN}, .settings = settings, .tolerance = settings->tolerance};
  hs_status status = iterate(&it, observer, &outcome->verdict, err);
  if (!status) status = hs_multigrid_pieces(m, err);
  if (status) {
    free(it.history);
    return status;
  }
  outcome->sweeps = it.g.steps;
  outcome->work_sweeps = hs_gradients_work(&it.g);
  outcome->residual_initial_l2 = it.first_l2;
  outcome->residual_relative = hs_verdict_residual_relative(&it);
  outcome->unbalanced_at = it.unbalanced_at;
  outcome->error_estimate_k = hs_verdict_error_k(&it);
  outcome->estimate_converged = hs_verdict_estimate_known(&it) ||
                                (settings->quantity == HS_STOP_ERROR && outcome->verdict == HS_VERDICT_CONVERGED);
  outcome->history = it.history;
  outcome->history_count = it.history_count;
  return HS_OK;
}
