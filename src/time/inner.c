/* Inner solutions of implicit steps.
 *
 * The tolerance follows from the contraction c < 1 of the step's system, the largest row sum of the weights: with
 * m = 1 - w + w c for sweeps of weight w, the error of an iterate is at most m/(1 - m) times its update, and at most
 * 1/(1 - c) times its correction |J(t) - t| whatever method made it (both in the max norm). A tolerance below the
 * rounding of the field is raised to it; the bound that was reached is reported.
 */
#include <math.h>

#include "solve/multigrid/multigrid.h"
#include "time/march.h"

static const double ROUNDING_ULPS = 4.0; /* of the largest temperature: updates no larger are rounding */

enum { CHECK_FIRST = 8, CHECK_LONGEST = 256 }; /* sweeps between two tests */

/* Largest possible error over the update, or over the correction with Chebyshev. */
static double error_factor(const struct hs_march *m)
{
  const double c = hs_march_system(m)->contraction;
  const double w = m->settings->method == HS_METHOD_WEIGHTED ? m->settings->weight : 1.0;
  const double contraction = 1.0 - w + w * c;
  return m->settings->method == HS_METHOD_CHEBYSHEV ? 1.0 / (1.0 - c) : contraction / (1.0 - contraction);
}

/* Sweeps between two tests of an inner solution, from the sweeps of the one before. A power of two, so that it seldom changes
 * from step to step: a backend may keep something made for it (a graph of sweeps). */
static int check_interval(int64_t sweeps_before)
{
  int check = 1;
  if (sweeps_before == 0) return CHECK_FIRST;
  while (check < CHECK_LONGEST && 8 * check <= sweeps_before) check *= 2;
  return check;
}

/* Error that an inner solution may have, K. */
static double inner_aim(const struct hs_transient_settings *s)
{
  return s->adaptive ? fmin(s->inner_tolerance_k, 0.05 * s->step_tolerance_k) : s->inner_tolerance_k;
}

static struct hs_solve_settings inner_settings(const struct hs_march *m)
{
  const struct hs_transient_settings *s = m->settings;
  const bool chebyshev = s->method == HS_METHOD_CHEBYSHEV;
  const double spread = chebyshev ? 1.0 + 1.0 / sqrt(2.0 * (1.0 - hs_march_system(m)->contraction)) : 1.0;
  const double aim_k = inner_aim(s);
  const int check = check_interval(m->inner_sweeps);
  struct hs_solve_settings inner = {.quantity = chebyshev ? HS_STOP_CORRECTION : HS_STOP_UPDATE_MAX,
                                    .max_iterations = s->max_iterations,
                                    .method = s->method,
                                    .weight = s->weight,
                                    .single = s->single,
                                    .sweep_s = s->sweep_s};
  inner.tolerance = fmax(aim_k / fmax(error_factor(m), 1e-300), ROUNDING_ULPS * spread * m->ulp_k);
  inner.check_every = check;
  return inner;
}

/* Sweeps of a long step count while they are made, and a step that is not short is undone where the run is to end. */
static void inner_show(void *context, const struct hs_solve_progress *progress)
{
  struct hs_march *m = context;
  hs_march_show(m, progress->sweeps);
  if (m->watched && progress->elapsed_s > HS_MARCH_SHORT_S && hs_march_stop_requested(m)) m->undo = 1;
}

/* Can the field stay with multigrid from step to step? New temperatures of walls come to it by way of the backend, where a field of single
 * precision is rounded. */
static bool stays(const struct hs_march *m)
{
  return !m->settings->adaptive && !m->settings->single && !hs_march_is_timed(m);
}

/* By cycles, whose error is estimated as that of a steady solution. */
static hs_status cycles_make(struct hs_march *m, const struct hs_solve_observer *observer, struct hs_error *err)
{
  const struct hs_transient_settings *s = m->settings;
  const struct hs_solve_settings inner = {.quantity = HS_STOP_ERROR,
                                          .tolerance = inner_aim(s),
                                          .max_iterations = s->max_iterations,
                                          .method = s->method,
                                          .single = s->single};
  struct hs_transient_outcome *o = m->outcome;
  struct hs_solve_outcome solved = {.history = NULL};
  hs_status status = HS_OK;
  if (!stays(m))
    status = hs_multigrid_take(s->multigrid, m->state, err); /* with the boundary values of the step's end */
  if (!status) status = hs_multigrid_solve(s->multigrid, &inner, observer, &solved, err);
  m->taken = stays(m);
  m->behind = true;
  if (!status && !m->taken) status = hs_march_settle(m, err);
  if (!status) {
    m->inner_sweeps = solved.sweeps;
    o->sweeps += solved.sweeps;
    o->inner_error_k = fmax(o->inner_error_k, solved.error_estimate_k);
    if (solved.verdict != HS_VERDICT_CONVERGED && solved.verdict != HS_VERDICT_STAGNATED) o->verdict = solved.verdict;
  }
  hs_solve_outcome_clear(&solved);
  return status;
}

hs_status hs_march_solve(struct hs_march *m, struct hs_error *err)
{
  const struct hs_solve_settings inner = inner_settings(m);
  struct hs_transient_outcome *o = m->outcome;
  struct hs_solve_outcome solved;
  const struct hs_solve_observer observer = {inner_show, m, &m->undo};
  hs_status status;
  if (m->settings->method == HS_METHOD_MULTIGRID) return cycles_make(m, &observer, err);
  status = hs_solve(hs_march_system(m), &inner, m->backend, m->state, &observer, &solved, err);
  if (!status) {
    const bool chebyshev = m->settings->method == HS_METHOD_CHEBYSHEV;
    const double reached = chebyshev ? solved.norms.correction_max : solved.norms.update_max;
    m->inner_sweeps = solved.sweeps;
    o->sweeps += solved.sweeps;
    o->inner_error_k = fmax(o->inner_error_k, error_factor(m) * reached);
    if (solved.verdict == HS_VERDICT_LIMIT || solved.verdict == HS_VERDICT_DIVERGED ||
        solved.verdict == HS_VERDICT_INTERRUPTED)
      o->verdict = solved.verdict;
  }
  hs_solve_outcome_clear(&solved);
  return status;
}
