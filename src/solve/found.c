/* The error that cycles have found of a run's field, and what follows for Chebyshev's radius.
 *
 * The Rayleigh quotient e A e / e D e of an error e is no less than 1 - rho, the least eigenvalue of D^-1 A, and near it once
 * sweeps have left little but slow modes of e.
 */
#include <math.h>

#include "solve/judge.h"
#include "solve/solution.h"

static const double GAP_SHARE = 0.9; /* of the quotient is taken: a radius that is too large costs less */
static const double GAP_WORTH = 0.8; /* share of the gap in use below which a new recursion pays */

hs_status hs_run_find(struct hs_run *run, bool *known, struct hs_error *err)
{
  struct hs_judge *judge = run->settings->judge;
  struct hs_found *found = &run->found;
  struct hs_estimate estimate = {.least = found->least};
  const double around_k = run->test.quantity == HS_STOP_ERROR ? run->settings->tolerance : 0.0;
  hs_status status;
  *known = found->sweeps > 0 && found->sweeps == run->stop.sweeps;
  if (*known || !judge) return HS_OK;
  status = hs_judge_ask(judge, run->state, around_k, run->settings->method == HS_METHOD_CHEBYSHEV, &estimate, err);
  if (status || isnan(estimate.error_k)) return status;
  *known = true;
  found->sweeps = run->stop.sweeps;
  found->error_k = estimate.error_k;
  found->settled = estimate.settled;
  found->least = estimate.least;
  found->gap = estimate.gap;
  return HS_OK;
}

bool hs_run_is_judged(const struct hs_run *run)
{
  const struct hs_judge *judge = run->settings->judge;
  return judge && !judge->given_up && run->test.quantity == HS_STOP_ERROR;
}

double hs_run_found_radius(const struct hs_run *run)
{
  const double found = GAP_SHARE * run->found.gap;
  const double gap = found > 0.0 ? fmax(found, 1.0 - run->chebyshev.rho_bound) : INFINITY;
  return gap < GAP_WORTH * (1.0 - run->chebyshev.rho) ? 1.0 - gap : 0.0;
}
