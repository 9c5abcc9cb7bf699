/* The solution of one system: which sweeps are made, when it counts as solved, and what the outcome says.
 *
 * Method. The test is evaluated every check_every sweeps (jacobi.c, chebyshev_run.c). A field that meets it has to be
 * accepted as well (accept.c): a small update says little about a slowly converging field. Where the
 * tested norm falls monotonically, the run then ends at the first sweep that meets the tolerance (replay.c). That holds
 * for weighted sweeps as well as plain ones: (1-w) I + w J is non-negative with row sums of at most 1, and symmetric with
 * eigenvalues in [-1, 1] where J is. Chebyshev's norms are not monotone; it ends at an evaluation.
 *
 * Insulated steady problems. J has the eigenvalues 1 and, because the grid is two-coloured, -1: the checkerboard mode,
 * which neither plain sweeps nor Chebyshev's polynomial damp. One sweep of weight 1/2 removes it, since (I + J)/2 has the
 * eigenvalue 0 there; it prepares the field and is not counted.
 */
#include "solve/solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/timer.h"
#include "solve/solution.h"

static const double FIRST_ROUNDINGS = 1e3; /* the first update counts as so many times rounding at least */

enum { FULL_NORMS_FROM = 16 }; /* check_every from which an evaluation computes all norms */

bool hs_solve_stop_is_exact(const struct hs_system *system, enum hs_stop_quantity quantity)
{
  return quantity == HS_STOP_UPDATE_MAX || (quantity == HS_STOP_UPDATE_L2 && system->symmetric);
}

int hs_solve_interval(enum hs_stop_quantity quantity, int check_every)
{
  return quantity == HS_STOP_ERROR ? check_every + check_every % 2 : check_every;
}

/* What is constant during the run, but for what the first norms give. */
static void test_set(struct hs_run *run)
{
  const struct hs_solve_settings *settings = run->settings;
  run->test.quantity = settings->quantity;
  run->test.tolerance = settings->tolerance;
  run->test.max_sweeps = settings->max_iterations;
  run->test.check_every = settings->check_every;
  run->test.weight = settings->method == HS_METHOD_WEIGHTED ? settings->weight : 1.0;
  run->test.full_norms = settings->quantity == HS_STOP_RESIDUAL || settings->quantity == HS_STOP_ERROR ||
                         settings->quantity == HS_STOP_CORRECTION || settings->check_every >= FULL_NORMS_FROM;
}

/* The first norms: what later residuals and growth are measured against, and the first bounds. */
static hs_status norms_begin(struct hs_run *run, struct hs_error *err)
{
  struct hs_norms norms;
  const hs_status status = hs_run_norms(run, &norms, err);
  run->test.residual_initial_l2 = norms.residual_l2;
  run->test.update_first_max = norms.correction_max;
  run->stop.bounds.update_max = norms.correction_max;
  run->stop.bounds.residual_max = norms.residual_max;
  return status;
}

/* Next to an update that is rounding, later ones that are rounding, too, would count as growth, or as not small. */
static hs_status first_update_raise(struct hs_run *run, struct hs_error *err)
{
  double rounding_k = 0.0;
  const hs_status status = hs_run_rounding(run, &rounding_k, err);
  run->test.update_first_max = fmax(run->test.update_first_max, FIRST_ROUNDINGS * rounding_k);
  return status;
}

/* Removes the checkerboard mode of an insulated problem. */
static hs_status checkerboard_remove(struct hs_run *run, struct hs_error *err)
{
  const struct hs_relaxation half = {.form = HS_FORM_WEIGHTED, .weight = 0.5};
  hs_status status = run->backend->relax(run->state, &half, err);
  return status ? status : run->backend->sweep(run->state, 1, err);
}

static hs_status method_begin(struct hs_run *run, struct hs_error *err)
{
  struct hs_relaxation relaxation = {.form = HS_FORM_JACOBI};
  if (run->settings->method == HS_METHOD_WEIGHTED) {
    relaxation.form = HS_FORM_WEIGHTED;
    relaxation.weight = run->settings->weight;
  }
  return run->backend->relax(run->state, &relaxation, err);
}

static hs_status run_begin(struct hs_run *run, const struct hs_system *system, struct hs_error *err)
{
  hs_status status = norms_begin(run, err);
  if (!status && !system->storing) status = first_update_raise(run, err);
  if (!status && system->singular && !system->storing) status = checkerboard_remove(run, err);
  return status ? status : method_begin(run, err);
}

static hs_status run_resume(struct hs_run *run, struct hs_error *err)
{
  const hs_status status = hs_run_point_resume(run, run->settings->from, err);
  if (status) return status;
  return run->chebyshev.begun ? hs_run_chebyshev_resume(run, err) : method_begin(run, err);
}

/* Sweeps until a final verdict. */
static hs_status verdict_reach(struct hs_run *run, struct hs_error *err)
{
  hs_status status = HS_OK;
  while (!status && run->stop.verdict == HS_VERDICT_RUNNING) {
    status = run->settings->method == HS_METHOD_CHEBYSHEV ? hs_run_chebyshev(run, err) : hs_run_sweep(run, err);
    if (!status) status = hs_run_accept(run, err);
  }
  return status;
}

/* Goes back to the exact stop sweep if the field is accepted there, too, else to the evaluation that was accepted. */
static hs_status exact_stop_find(struct hs_run *run, struct hs_solve_outcome *outcome, struct hs_error *err)
{
  const struct hs_solve_accept *opinion = &run->settings->accept;
  const int64_t end = run->stop.sweeps, length = (end - 1) % run->test.check_every + 1;
  const double convergence_rate = run->stop.convergence_rate, convergence_rate_before = run->convergence_rate_before;
  bool accepted = true;
  int64_t made, replayed;
  hs_status status = hs_run_replay(run, length, err);
  if (run->stop.verdict == HS_VERDICT_INTERRUPTED) return status;
  if (!status && opinion->accept) status = opinion->accept(opinion->context, run->state, 0.0, &accepted, err);
  if (status || accepted) return status;
  replayed = run->stop.sweeps;
  run->stop.sweeps = end;
  run->stop.convergence_rate = convergence_rate;
  run->convergence_rate_before = convergence_rate_before;
  status = hs_run_forward(run, length, &made, err);
  run->stop.sweeps = end - length + made;
  if (run->stop.verdict == HS_VERDICT_INTERRUPTED) return status;
  outcome->exact_stop = false;
  run->unbalanced_at = replayed;
  return status;
}

/* Sweeps between the evaluations that the last convergence rate was taken from. */
static int64_t interval_before(const struct hs_run *run)
{
  return run->stop.sweeps < run->test.check_every ? run->stop.sweeps / 2 : run->test.check_every;
}

/* Convergence rate of the field where the run ended, and the estimate of its error by the history. */
static void estimate_fill(const struct hs_run *run, struct hs_solve_outcome *outcome)
{
  const double two_sweep = outcome->norms.two_sweep_max;
  outcome->convergence_rate = run->stop.convergence_rate > 0.0
                                  ? run->stop.convergence_rate
                                  : run->stop.rate_converged; /* from before a stagnation */
  if (run->settings->method == HS_METHOD_CHEBYSHEV) {
    outcome->spectral_radius = run->chebyshev.rho;
    outcome->restarts = run->chebyshev.restarts;
    outcome->error_estimate_k =
        outcome->norms.correction_max == 0.0 ? 0.0 : hs_chebyshev_error(&run->chebyshev, run->stop.sweeps);
    outcome->estimate_converged = outcome->norms.correction_max == 0.0 || run->chebyshev.estimate_converged;
    return;
  }
  outcome->spectral_radius = outcome->convergence_rate > 0.0 ? exp(-outcome->convergence_rate) : 0.0;
  outcome->error_estimate_k = hs_stop_error_weighted(two_sweep, outcome->convergence_rate, run->test.weight);
  outcome->estimate_converged =
      two_sweep == 0.0 || hs_stop_estimate_converged(run->stop.convergence_rate, run->convergence_rate_before,
                                                     interval_before(run), run->stop.sweeps);
}

/* The error by cycles, but for fields that are not worth it. */
static hs_status estimate_find(struct hs_run *run, struct hs_solve_outcome *outcome, struct hs_error *err)
{
  hs_status status;
  if (outcome->verdict == HS_VERDICT_DIVERGED || outcome->verdict == HS_VERDICT_INTERRUPTED) return HS_OK;
  status = hs_run_find(run, &outcome->found_by_cycles, err);
  if (status || !outcome->found_by_cycles) return status;
  outcome->error_estimate_k = run->found.error_k;
  outcome->estimate_converged = run->found.settled;
  return HS_OK;
}

/* The last row of the history is the field where the run ended. */
static hs_status history_close(struct hs_run *run, const struct hs_solve_outcome *outcome, struct hs_error *err)
{
  const struct hs_check last = {.sweeps = outcome->sweeps,
                                .norms = outcome->norms,
                                .residual_relative = outcome->residual_relative,
                                .error_estimate_k = outcome->error_estimate_k};
  while (run->history_count > 0 && run->history[run->history_count - 1].sweeps >= last.sweeps) run->history_count--;
  run->checks_seen = 0;                                           /* whatever the stride */
  if (run->history_count == HS_RUN_HISTORY) run->history_count--; /* not thinned once more */
  return hs_run_remember(run, &last, err);
}

static hs_status outcome_fill(struct hs_run *run, struct hs_solve_outcome *outcome, struct hs_error *err)
{
  struct hs_norms *norms = &outcome->norms;
  hs_status status = hs_run_norms(run, norms, err);
  if (status) return status;
  outcome->verdict = (enum hs_verdict)run->stop.verdict;
  outcome->sweeps = run->stop.sweeps;
  outcome->work_sweeps = (double)run->stop.sweeps;
  outcome->residual_initial_l2 = run->test.residual_initial_l2;
  outcome->unbalanced_at = run->unbalanced_at;
  outcome->residual_relative = norms->residual_l2 == 0.0 ? 0.0 : norms->residual_l2 / run->test.residual_initial_l2;
  estimate_fill(run, outcome);
  status = estimate_find(run, outcome, err);
  if (status) return status;
  status = history_close(run, outcome, err);
  outcome->history = run->history;
  outcome->history_count = run->history_count;
  run->history = NULL;
  return status;
}

hs_status hs_solve(const struct hs_system *system, const struct hs_solve_settings *settings,
                   const struct hs_backend *backend, struct hs_backend_state *state,
                   const struct hs_solve_observer *observer, struct hs_solve_outcome *outcome, struct hs_error *err)
{
  struct hs_run run = {.settings = settings,
                       .backend = backend,
                       .state = state,
                       .observer = observer,
                       .comm = hs_system_comm(system),
                       .contraction = system->contraction,
                       .pace = {.backend = backend, .state = state},
                       .stride = 1};
  const bool monotone = hs_solve_stop_is_exact(system, settings->quantity) && settings->method != HS_METHOD_CHEBYSHEV;
  hs_status status;
  memset(outcome, 0, sizeof *outcome);
  run.started_s = hs_time_s();
  if (settings->sweep_s > 0.0) run.pace.rate_sweeps_s = 1.0 / settings->sweep_s;
  run.keep = settings->exact_stop && monotone && settings->check_every > 1;
  if (settings->method == HS_METHOD_MULTIGRID) {
    status = hs_run_multigrid(&run, outcome, err);
    outcome->solve_s = hs_time_s() - run.started_s;
    return status;
  }
  test_set(&run);
  status = settings->from ? run_resume(&run, err) : run_begin(&run, system, err);
  if (!status) status = verdict_reach(&run, err);
  outcome->exact_stop = (run.keep || settings->check_every == 1) && run.unbalanced_at == 0;
  if (!status && run.stop.verdict == HS_VERDICT_CONVERGED && run.keep && outcome->exact_stop)
    status = exact_stop_find(&run, outcome, err);
  if (!status) status = outcome_fill(&run, outcome, err);
  outcome->solve_s = hs_time_s() - run.started_s;
  free(run.history);
  free(run.fresh);
  return status;
}
