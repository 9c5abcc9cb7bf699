/* When a field that sweeps have made counts as solved.
 *
 * The history of an iteration says little of a mode that hardly moves: a block that insulation all but cuts off, or a
 * Chebyshev recursion of too small a radius. So where the error is the criterion, a field that seems to meet it is
 * judged by the error that multigrid cycles find from its own residual (judge.h), then by its balance of heat. One that
 * is refused goes on, and is asked about again when its error may have fallen far enough. A run that ends otherwise is
 * asked about, too.
 */
#include <math.h>

#include "solve/judge.h"
#include "solve/solution.h"

/* A refused field is asked about again when the sweeps have grown by the first factor at least, by the second at most. */
static const double ASK_AGAIN = 1.05, ASK_LATEST = 4.0;

/* A plain or weighted sweep of this many units in the last place of the largest temperature may be rounding. */
static const double ROUNDING_ULPS = 8.0;

/* A start counts as solved where so much of its residual is left at the stagnation, and an error of this share of the
 * temperature. */
static const double START_SHARE = 0.1, START_ERROR_SHARE = 1e-10;

/* Share of the error at a stagnation that is left at the next one, else that is final. */
static const double STAGNATED_FALLS = 0.5;

/* Does the history say that the present field meets the tolerance? A run that waits before it asks again may end for another
 * reason with a field that meets it. An error estimate counts only where it has converged. */
static bool history_holds(const struct hs_run *run)
{
  const bool estimate_converged =
      run->settings->method == HS_METHOD_CHEBYSHEV ? run->chebyshev.estimate_converged : run->stop.estimate_converged;
  if (run->stop.verdict == HS_VERDICT_CONVERGED) return true;
  if (run->ask_from == 0 || (run->stop.verdict != HS_VERDICT_LIMIT && run->stop.verdict != HS_VERDICT_STAGNATED))
    return false;
  if (run->test.quantity == HS_STOP_ERROR && !estimate_converged && run->stop.check.error_estimate_k > 0.0)
    return false;
  return hs_stop_value(run->test.quantity, &run->stop.check) <= run->settings->tolerance;
}

/* Is it the judge who decides about a field with this verdict? */
static bool is_judged(const struct hs_run *run)
{
  const int verdict = run->stop.verdict;
  return hs_run_is_judged(run) &&
         (verdict == HS_VERDICT_CONVERGED || verdict == HS_VERDICT_LIMIT || verdict == HS_VERDICT_STAGNATED);
}

/* The sweep from which a field that was refused for its error is asked about again. */
static int64_t ask_after(const struct hs_run *run, const struct hs_found *before)
{
  const struct hs_found *now = &run->found;
  const double sweeps = (double)now->sweeps, gain = log(now->error_k / run->settings->tolerance);
  double rate = run->stop.convergence_rate, wait;
  if (run->settings->method == HS_METHOD_CHEBYSHEV)
    rate = run->chebyshev.rate;
  else if (before->sweeps > 0 && before->sweeps < now->sweeps)
    rate = log(before->error_k / now->error_k) / (double)(now->sweeps - before->sweeps);
  wait = rate > 0.0 ? gain / rate : INFINITY;
  return (int64_t)ceil(fmin(fmax(ASK_AGAIN * sweeps, sweeps + wait), ASK_LATEST * sweeps));
}

static double rounding_of(const struct hs_solve_settings *settings, double largest_k)
{
  return ROUNDING_ULPS * (settings->single ? 0x1p-23 : 0x1p-52) * largest_k;
}

hs_status hs_run_rounding(const struct hs_run *run, double *update_k, struct hs_error *err)
{
  double largest_k = 0.0;
  const hs_status status = run->backend->largest(run->state, &largest_k, err);
  *update_k = rounding_of(run->settings, largest_k);
  return status;
}

/* Updates that do not fall are a stagnation only where they are rounding. */
static hs_status stagnation_doubt(struct hs_run *run, struct hs_error *err)
{
  double rounding_k = 0.0;
  hs_status status;
  if (run->stop.verdict != HS_VERDICT_STAGNATED || run->settings->method == HS_METHOD_CHEBYSHEV) return HS_OK;
  status = hs_run_rounding(run, &rounding_k, err);
  if (status || run->stop.check.norms.update_max <= rounding_k) return status;
  run->stop.verdict = run->stop.sweeps >= run->test.max_sweeps ? HS_VERDICT_LIMIT : HS_VERDICT_RUNNING;
  return HS_OK;
}

/* criterion = residual: was the start solved but for rounding? Then its residual cannot become smaller, and need not. */
static hs_status start_tell(struct hs_run *run, bool *solved, struct hs_error *err)
{
  double largest_k = 0.0, error_k;
  bool known = false;
  hs_status status;
  if (run->stop.verdict != HS_VERDICT_STAGNATED || run->test.quantity != HS_STOP_RESIDUAL || *solved ||
      run->stop.check.residual_relative < START_SHARE)
    return HS_OK;
  status = hs_run_find(run, &known, err);
  if (!status) status = run->backend->largest(run->state, &largest_k, err);
  error_k = fmax(rounding_of(run->settings, largest_k), START_ERROR_SHARE * largest_k);
  *solved = !status && known && run->found.error_k <= error_k;
  return status;
}

/* What a refused field's run goes on, or ends, with. */
static enum hs_verdict verdict_refused(const struct hs_run *run)
{
  if (run->stop.verdict != HS_VERDICT_CONVERGED) return (enum hs_verdict)run->stop.verdict;
  if (run->stop.sweeps >= run->test.max_sweeps) return HS_VERDICT_LIMIT;
  return run->stop.check.norms.update_l2 == 0.0 ? HS_VERDICT_STAGNATED : HS_VERDICT_RUNNING;
}

/* Chebyshev: the error that was found says whether the radius was too small, and whether a stagnation was one. A new recursion
 * begins with a better radius; or with the same, as long as errors fall from stagnation to stagnation. */
static hs_status recursion_renew(struct hs_run *run, struct hs_error *err)
{
  const struct hs_norms *norms = &run->stop.check.norms;
  const double radius = hs_run_found_radius(run);
  const bool stagnated = run->stop.verdict == HS_VERDICT_STAGNATED;
  const bool falls = run->found.stagnated_k == 0.0 || run->found.error_k <= STAGNATED_FALLS * run->found.stagnated_k;
  if (run->stop.verdict != HS_VERDICT_RUNNING && !stagnated) return HS_OK;
  if (norms->correction_max == 0.0 || (radius == 0.0 && !(stagnated && falls))) return HS_OK;
  if (stagnated) run->found.stagnated_k = run->found.error_k;
  run->stop.verdict = run->stop.sweeps >= run->test.max_sweeps ? HS_VERDICT_LIMIT : HS_VERDICT_RUNNING;
  return hs_run_chebyshev_begin(run, radius > 0.0 ? radius : run->chebyshev.rho, norms, err);
}

/* Asks the judge. *accepted stays as it is where he knows nothing. */
static hs_status judge_ask(struct hs_run *run, bool *accepted, bool *known, struct hs_error *err)
{
  const struct hs_found before = run->found;
  const hs_status status = hs_run_find(run, known, err);
  if (status || !*known) return status;
  *accepted = run->found.settled && run->found.error_k <= run->settings->tolerance;
  if (!*accepted) run->ask_from = ask_after(run, &before);
  return HS_OK;
}

/* Asks about the balance of heat. */
static hs_status balance_ask(struct hs_run *run, bool *accepted, struct hs_error *err)
{
  const struct hs_solve_accept *opinion = &run->settings->accept;
  bool known = false;
  hs_status status = run->stop.verdict == HS_VERDICT_STAGNATED ? hs_run_find(run, &known, err) : HS_OK;
  const double left_k = known ? run->found.error_k : 0.0;
  if (!status) status = opinion->accept(opinion->context, run->state, left_k, accepted, err);
  if (status || *accepted) return status;
  if (run->unbalanced_at == 0) run->unbalanced_at = run->stop.sweeps;
  run->ask_from = (int64_t)ceil(ASK_AGAIN * (double)run->stop.sweeps);
  return HS_OK;
}

hs_status hs_run_accept(struct hs_run *run, struct hs_error *err)
{
  bool accepted = history_holds(run), known = false, ask = is_judged(run);
  hs_status status = ask ? stagnation_doubt(run, err) : HS_OK;
  if (status || run->stop.verdict == HS_VERDICT_RUNNING) return status;
  if (ask) status = judge_ask(run, &accepted, &known, err);
  if (!status) status = start_tell(run, &accepted, err);
  if (!status && accepted && run->settings->accept.accept) status = balance_ask(run, &accepted, err);
  if (status) return status;
  run->stop.verdict = accepted ? HS_VERDICT_CONVERGED : verdict_refused(run);
  if (!accepted && known && run->settings->method == HS_METHOD_CHEBYSHEV) return recursion_renew(run, err);
  return HS_OK;
}
