/* A solution by multigrid: fields between the backend and the vectors of the cycles, acceptance, the outcome. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/timer.h"
#include "solve/multigrid.h"
#include "solve/solution.h"

static const double TIGHTEN = 0.1; /* of the tolerance, where a field that meets it is not accepted */
static const double TIGHTEST = 1e-14;

/* Appends the history of a further solution, whose cycles count on. */
static hs_status history_append(struct hs_solve_outcome *all, struct hs_solve_outcome *more, struct hs_error *err)
{
  const size_t count = (size_t)all->history_count + (size_t)more->history_count;
  struct hs_check *rows = realloc(all->history, (count ? count : 1) * sizeof *rows);
  if (!rows) return hs_error_set(err, HS_ERR_MEMORY, "no memory for a history of %zu cycles", count);
  all->history = rows;
  for (int k = 0; k < more->history_count; k++) {
    rows[all->history_count] = more->history[k];
    rows[all->history_count++].sweeps += all->sweeps;
  }
  return HS_OK;
}

/* Takes over how a further solution went. */
static hs_status outcome_extend(struct hs_solve_outcome *all, struct hs_solve_outcome *more, struct hs_error *err)
{
  const hs_status status = history_append(all, more, err);
  const double first_l2 = all->sweeps > 0 ? all->residual_initial_l2 : more->residual_initial_l2;
  all->verdict = more->verdict;
  all->residual_relative = first_l2 > 0.0 ? more->residual_relative * (more->residual_initial_l2 / first_l2) : 0.0;
  all->residual_initial_l2 = first_l2;
  all->sweeps += more->sweeps;
  all->work_sweeps += more->work_sweeps;
  all->error_estimate_k = more->error_estimate_k;
  all->estimate_converged = more->estimate_converged;
  hs_solve_outcome_clear(more);
  return status;
}

/* Points of a solution, completed by what was before it. */
struct completion {
  const struct hs_run *run;
  const struct hs_solve_outcome *before;
};

static bool completion_due(void *context)
{
  const struct hs_solve_keeper *keeper = &((const struct completion *)context)->run->settings->keeper;
  return keeper->due && keeper->due(keeper->context);
}

static hs_status completion_keep(void *context, const struct hs_solve_point *point, struct hs_backend_state *state,
                                 struct hs_error *err)
{
  const struct completion *completion = context;
  const struct hs_run *run = completion->run;
  const struct hs_solve_outcome *before = completion->before;
  struct hs_solve_outcome all = {.history = NULL}, now = {.history_count = point->history_count};
  struct hs_solve_outcome then = {.history = before->history, .history_count = before->history_count};
  struct hs_solve_point whole = *point;
  hs_status status = history_append(&all, &then, err);
  (void)state;
  now.history = (struct hs_check *)(uintptr_t)point->history; /* only read */
  all.sweeps = before->sweeps;
  if (!status) status = history_append(&all, &now, err);
  whole.history = all.history;
  whole.history_count = all.history_count;
  whole.unbalanced_at = run->unbalanced_at;
  whole.solve_s = hs_time_s() - run->started_s;
  whole.cycles.steps_before = before->sweeps;
  whole.cycles.work_before = before->work_sweeps;
  whole.cycles.first_l2_before = before->residual_initial_l2;
  whole.stop.sweeps += before->sweeps;
  if (!status) status = run->settings->keeper.keep(run->settings->keeper.context, &whole, run->state, err);
  free(all.history);
  return status;
}

/* The outcome of what was before the solution that a run goes on with. */
static hs_status before_restore(struct hs_run *run, struct hs_solve_outcome *outcome, struct hs_error *err)
{
  const struct hs_solve_point *from = run->settings->from;
  struct hs_solve_outcome kept = {.history = (struct hs_check *)(uintptr_t)from->history, /* only read */
                                  .history_count = from->history_count};
  const hs_status status = history_append(outcome, &kept, err);
  run->started_s -= from->solve_s;
  run->unbalanced_at = outcome->unbalanced_at = from->unbalanced_at;
  outcome->sweeps = from->cycles.steps_before;
  outcome->work_sweeps = from->cycles.work_before;
  outcome->residual_initial_l2 = from->cycles.first_l2_before;
  return status;
}

/* Is the field in the backend accepted? */
static hs_status ask(struct hs_run *run, struct hs_solve_outcome *outcome, bool *accepted, struct hs_error *err)
{
  const struct hs_solve_accept *opinion = &run->settings->accept;
  const double left_k = outcome->verdict == HS_VERDICT_STAGNATED ? outcome->error_estimate_k : 0.0;
  const hs_status status = opinion->accept(opinion->context, run->state, left_k, accepted, err);
  if (status) return status;
  if (*accepted) outcome->verdict = HS_VERDICT_CONVERGED;
  if (!*accepted && run->unbalanced_at == 0) run->unbalanced_at = outcome->sweeps;
  outcome->unbalanced_at = run->unbalanced_at;
  return HS_OK;
}

/* Solutions to ever smaller tolerances until one is accepted. One that stagnates below the tolerance that was asked for
 * is asked about, too. */
static hs_status solutions_make(struct hs_run *run, struct hs_solve_outcome *outcome, struct hs_error *err)
{
  struct hs_solve_settings settings = *run->settings;
  struct completion completion = {run, outcome};
  if (settings.keeper.keep) settings.keeper = (struct hs_solve_keeper){completion_due, completion_keep, &completion};
  if (settings.from) settings.tolerance = settings.from->cycles.tolerance;
  for (;;) {
    struct hs_solve_outcome solved = {.history = NULL};
    const bool again = outcome->sweeps > 0;
    bool accepted = true;
    hs_status status;
    settings.max_iterations = run->settings->max_iterations - outcome->sweeps;
    if (again) settings.first_l2 = outcome->residual_initial_l2;
    status = hs_multigrid_solve(settings.multigrid, &settings, run->observer, &solved, err);
    settings.from = NULL;
    if (!status) status = outcome_extend(outcome, &solved, err);
    if (!status) status = hs_multigrid_give(settings.multigrid, run->state, err);
    if (status || !run->settings->accept.accept) return status;
    if (outcome->verdict != HS_VERDICT_CONVERGED && !(again && outcome->verdict == HS_VERDICT_STAGNATED)) return HS_OK;
    status = ask(run, outcome, &accepted, err);
    if (status || accepted || outcome->verdict == HS_VERDICT_STAGNATED) return status;
    settings.tolerance *= TIGHTEN;
    if (settings.tolerance >= TIGHTEST * run->settings->tolerance && outcome->sweeps < run->settings->max_iterations)
      continue;
    outcome->verdict = outcome->sweeps < run->settings->max_iterations ? HS_VERDICT_STAGNATED : HS_VERDICT_LIMIT;
    return HS_OK;
  }
}

hs_status hs_run_multigrid(struct hs_run *run, struct hs_solve_outcome *outcome, struct hs_error *err)
{
  hs_status status = run->settings->from ? before_restore(run, outcome, err)
                                         : hs_multigrid_take(run->settings->multigrid, run->state, err);
  if (!status) status = solutions_make(run, outcome, err);
  if (!status) status = hs_run_norms(run, &outcome->norms, err);
  outcome->norms.update_l2 = outcome->norms.update_max = outcome->norms.two_sweep_max = NAN;
  return status;
}
