/* A solution by multigrid: fields between the backend and the vectors of the cycles, acceptance, the outcome. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/timer.h"
#include "solve/multigrid.h"
#include "solve/solution.h"

static const double TIGHTEN = 0.1; /* of the tolerance, where a field that meets it is not accepted */
static const double TIGHTEST = 1e-6;

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

/* Solutions to ever smaller tolerances until one is accepted. */
static hs_status solutions_make(struct hs_run *run, struct hs_solve_outcome *outcome, struct hs_error *err)
{
  const struct hs_solve_accept *opinion = &run->settings->accept;
  struct hs_solve_settings settings = *run->settings;
  for (;;) {
    struct hs_solve_outcome solved = {.history = NULL};
    bool accepted = true;
    hs_status status = hs_multigrid_solve(settings.multigrid, &settings, run->observer, &solved, err);
    if (!status) status = outcome_extend(outcome, &solved, err);
    if (!status) status = hs_multigrid_give(settings.multigrid, run->state, err);
    if (status || outcome->verdict != HS_VERDICT_CONVERGED || !opinion->accept) return status;
    status = opinion->accept(opinion->context, run->state, &accepted, err);
    if (status || accepted) return status;
    if (run->unbalanced_at == 0) run->unbalanced_at = outcome->sweeps;
    outcome->unbalanced_at = run->unbalanced_at;
    settings.tolerance *= TIGHTEN;
    if (settings.tolerance >= TIGHTEST * run->settings->tolerance) continue;
    outcome->verdict = HS_VERDICT_STAGNATED;
    return HS_OK;
  }
}

hs_status hs_run_multigrid(struct hs_run *run, struct hs_solve_outcome *outcome, struct hs_error *err)
{
  hs_status status = hs_multigrid_take(run->settings->multigrid, run->state, err);
  if (!status) status = solutions_make(run, outcome, err);
  if (!status) status = hs_run_norms(run, &outcome->norms, err);
  outcome->norms.update_l2 = outcome->norms.update_max = outcome->norms.two_sweep_max = NAN;
  return status;
}
