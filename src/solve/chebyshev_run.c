/* The sweeps of Chebyshev's acceleration: recursions, each with one estimate; looks at the norms; the stop test.
 *
 * The test is evaluated at multiples of check_every. The estimate (chebyshev.h) is judged there, and in between where
 * check_every is long. Norms are the same on every backend, and so are estimates and fields.
 */
#include <math.h>

#include "base/timer.h"
#include "solve/solution.h"

/* A correction is rounding when it is at most so many units in the last place of the largest temperature, times the
 * sweeps in which a rounding error decays by a factor e. */
static const double NOISE_ULPS = 8.0;

/* 1 - rho at least in single precision, whose weights are rounded: beyond this the sweeps' own radius may be above 1. */
static const double LEAST_GAP_SINGLE = 0x1p-22;

enum { RADIUS_FROM = 64 }; /* sweeps from which cycles are worth their time */

hs_status hs_run_chebyshev_begin(struct hs_run *run, double rho, const struct hs_norms *norms, struct hs_error *err)
{
  const struct hs_relaxation relaxation = {
      .form = rho > 0.0 ? HS_FORM_CHEBYSHEV : HS_FORM_JACOBI, .weight = 1.0, .rho = rho};
  hs_chebyshev_begin(&run->chebyshev, run->stop.sweeps, rho, norms->residual_l2, norms->correction_max);
  return run->backend->relax(run->state, &relaxation, err);
}

/* `count` sweeps in calls of hs_pace's length. Stops between two calls when asked to. */
static hs_status sweeps_make(struct hs_run *run, int64_t count, struct hs_error *err)
{
  hs_status status = HS_OK;
  while (!status && count > 0) {
    const int64_t wanted = hs_pace_sweeps(&run->pace), sweeps = wanted < count ? wanted : count;
    const double before_s = hs_time_s();
    double elapsed_s = 0.0;
    status = run->backend->sweep(run->state, sweeps, err);
    if (!status) status = hs_pace_since(run->comm, before_s, &elapsed_s, err);
    hs_pace_made(&run->pace, sweeps, elapsed_s);
    run->stop.sweeps += sweeps;
    count -= sweeps;
    if (elapsed_s > 0.01) hs_run_progress(run);
    if (!status && count > 0) status = hs_run_event(run, err);
    if (run->stop.verdict != HS_VERDICT_RUNNING) return status;
  }
  return status;
}

/* Sweeps from the start of the present look up to the next evaluation of the test. */
static int64_t evaluation_next(const struct hs_run *run)
{
  const int64_t every = run->test.check_every, left = run->test.max_sweeps - run->look_from;
  const int64_t next = every - run->look_from % every;
  return next < left ? next : left;
}

/* Does the correction consist of rounding errors? */
static hs_status noise_tell(struct hs_run *run, double correction_k, bool *noise, struct hs_error *err)
{
  const double ulp = run->settings->single ? 0x1p-23 : 0x1p-52;
  double largest_k = 0.0;
  const hs_status status = run->backend->largest(run->state, &largest_k, err);
  *noise = !status && correction_k <= NOISE_ULPS * ulp * largest_k * (1.0 + 1.0 / run->chebyshev.rate);
  return status;
}

/* Notes how far the field has moved, where enough sweeps lie behind, and saves it. */
static hs_status distance_take(struct hs_run *run, struct hs_error *err)
{
  struct hs_chebyshev *c = &run->chebyshev;
  hs_status status = HS_OK;
  if (c->saved_at >= 0) {
    double distance_k;
    if (run->stop.sweeps - c->saved_at < hs_chebyshev_window(c)) return HS_OK;
    status = run->backend->distance(run->state, &distance_k, err);
    if (!status) hs_chebyshev_moved(c, run->stop.sweeps, distance_k);
  }
  if (!status) status = run->backend->save(run->state, err);
  c->saved_at = run->stop.sweeps;
  return status;
}

/* Should the error that was found where the recursion began be small enough by now, if its radius is right? */
static bool error_promised(const struct hs_run *run)
{
  const struct hs_chebyshev *c = &run->chebyshev;
  const double efolds = c->rate * (double)(run->stop.sweeps - c->start);
  if (!hs_run_is_judged(run) || run->found.sweeps == 0 || run->found.sweeps != c->start) return false;
  return run->found.error_k / cosh(efolds) <= run->test.tolerance;
}

/* Fills the row of the history and the verdict. */
static hs_status test_evaluate(struct hs_run *run, const struct hs_norms *norms, struct hs_error *err)
{
  const struct hs_stop_test *test = &run->test;
  struct hs_stop_state *stop = &run->stop;
  const double error_k = norms->correction_max == 0.0 ? 0.0 : hs_chebyshev_error(&run->chebyshev, stop->sweeps);
  const bool trusted =
      test->quantity != HS_STOP_ERROR || run->chebyshev.estimate_converged || norms->correction_max == 0.0;
  (void)hs_run_patience(run, stop->sweeps);
  stop->check = (struct hs_check){.sweeps = stop->sweeps,
                                  .norms = *norms,
                                  .residual_relative =
                                      norms->residual_l2 == 0.0 ? 0.0 : norms->residual_l2 / test->residual_initial_l2,
                                  .error_estimate_k = error_k};
  stop->last_sweeps = stop->sweeps;
  stop->last_update_l2 = norms->update_l2;
  if (!hs_is_finite(norms->update_l2) || norms->update_max > 1e6 * test->update_first_max)
    stop->verdict = HS_VERDICT_DIVERGED;
  else if ((hs_stop_value(test->quantity, &stop->check) <= test->tolerance && trusted) || error_promised(run))
    stop->verdict = HS_VERDICT_CONVERGED;
  else if (norms->update_max == 0.0 &&
           stop->sweeps > run->chebyshev.start) /* single precision hides small corrections */
    stop->verdict = HS_VERDICT_STAGNATED;
  else if (stop->sweeps >= test->max_sweeps)
    stop->verdict = HS_VERDICT_LIMIT;
  return hs_run_remember(run, &stop->check, err);
}

/* A recursion with another estimate than the present one. Where it must grow, and enough sweeps have been made, the cycles may
 * know a better one at once. */
static hs_status radius_change(struct hs_run *run, double rho, const struct hs_norms *norms, struct hs_error *err)
{
  bool known = false;
  hs_status status = HS_OK;
  if (hs_run_is_judged(run) && rho > run->chebyshev.rho && run->stop.sweeps >= RADIUS_FROM)
    status = hs_run_find(run, &known, err);
  if (status) return status;
  return hs_run_chebyshev_begin(run, known ? fmax(rho, hs_run_found_radius(run)) : rho, norms, err);
}

/* Judges the estimate by the norms of the present field. A field that no longer changes is tested at once: waiting for the
 * next evaluation would not change the outcome. */
static hs_status estimate_judge(struct hs_run *run, const struct hs_norms *norms, struct hs_error *err)
{
  struct hs_chebyshev *c = &run->chebyshev;
  hs_status status = HS_OK;
  bool flat, noise = false;
  const double rho = hs_chebyshev_observe(c, run->stop.sweeps, norms->residual_l2, norms->correction_max, &flat);
  if (run->stop.sweeps > c->start)
    run->stop.convergence_rate =
        hs_stop_convergence_rate(exp(c->residual_start), norms->residual_l2, run->stop.sweeps - c->start);
  if (norms->correction_max == 0.0) return test_evaluate(run, norms, err);
  if (rho == c->rho && !(flat && run->contraction == 1.0)) return HS_OK; /* flat: no radius is larger */
  if (c->rho > 0.0) status = noise_tell(run, norms->correction_max, &noise, err);
  if (!status && !noise && rho != c->rho) return radius_change(run, rho, norms, err);
  if (status) return status;
  if (!flat || !noise) return HS_OK;
  hs_chebyshev_rounded(c, norms->residual_l2, norms->correction_max);
  status = test_evaluate(run, norms, err);
  if (run->stop.verdict == HS_VERDICT_RUNNING) run->stop.verdict = HS_VERDICT_STAGNATED;
  return status;
}

/* Sweeps to the next look at the norms, some of which a run that goes on has made before, and what is due there. */
static hs_status look(struct hs_run *run, struct hs_error *err)
{
  const int64_t evaluation = evaluation_next(run), spacing = hs_chebyshev_spacing(&run->chebyshev);
  const bool evaluates = evaluation <= spacing;
  const int64_t made = run->stop.sweeps - run->look_from;
  struct hs_norms norms;
  hs_status status = sweeps_make(run, (evaluates ? evaluation : spacing) - made, err);
  if (status || run->stop.verdict != HS_VERDICT_RUNNING) return status;
  run->look_from = run->stop.sweeps;
  status = hs_run_norms(run, &norms, err);
  if (status) return status;
  run->stop.bounds.update_max = norms.update_max;
  run->stop.bounds.residual_max = norms.residual_max;
  if (evaluates) {
    if (run->test.quantity != HS_STOP_CORRECTION) status = distance_take(run, err); /* which then tells nothing */
    if (!status) status = test_evaluate(run, &norms, err);
  }
  if (status || run->stop.verdict != HS_VERDICT_RUNNING) return status;
  return estimate_judge(run, &norms, err);
}

static hs_status chebyshev_begin(struct hs_run *run, struct hs_error *err)
{
  struct hs_norms norms;
  hs_status status = hs_run_norms(run, &norms, err);
  run->chebyshev.rho_bound = fmin(run->contraction, 1.0 - (run->settings->single ? LEAST_GAP_SINGLE : 1e-12));
  if (status) return status;
  if (norms.correction_max == 0.0) norms.correction_max = norms.residual_l2 = 1e-300; /* solved already */
  return hs_run_chebyshev_begin(run, run->contraction < 1.0 ? run->chebyshev.rho_bound : 0.0, &norms, err);
}

hs_status hs_run_chebyshev_resume(struct hs_run *run, struct hs_error *err)
{
  const struct hs_chebyshev *c = &run->chebyshev;
  const struct hs_relaxation relaxation = {.form = c->rho > 0.0 ? HS_FORM_CHEBYSHEV : HS_FORM_JACOBI,
                                           .weight = 1.0,
                                           .rho = c->rho,
                                           .omega = hs_chebyshev_omega(c->rho, run->stop.sweeps - c->start)};
  return run->backend->relax(run->state, &relaxation, err);
}

hs_status hs_run_chebyshev(struct hs_run *run, struct hs_error *err)
{
  hs_status status = run->chebyshev.begun ? HS_OK : chebyshev_begin(run, err);
  double shown_s = hs_time_s(), elapsed_s = 0.0;
  while (!status && run->stop.verdict == HS_VERDICT_RUNNING) {
    status = look(run, err);
    if (!status) status = hs_pace_since(run->comm, shown_s, &elapsed_s, err);
    if (elapsed_s < HS_PACE_PERIOD_S && run->stop.verdict == HS_VERDICT_RUNNING) continue;
    shown_s = hs_time_s();
    hs_run_progress(run);
    if (!status && run->stop.verdict == HS_VERDICT_RUNNING) status = hs_run_event(run, err);
  }
  return status;
}
