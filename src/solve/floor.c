/* What rounding leaves unknown of an answer. */
#include "solve/floor.h"

#include <math.h>

/* The error estimate of a field whose sweeps change it by one unit in the last place. Norms are computed in double
 * precision whatever the field's. */
static double estimate_floor_k(const struct hs_solve_settings *settings, double ulp_k,
                               const struct hs_solve_outcome *outcome)
{
  const double weight = settings->method == HS_METHOD_WEIGHTED ? settings->weight : 1.0;
  if (settings->method == HS_METHOD_CHEBYSHEV)
    return outcome->spectral_radius < 1.0 ? ulp_k / (1.0 - outcome->spectral_radius) : ulp_k;
  if (!(outcome->convergence_rate > 0.0)) return ulp_k;
  return fmax(ulp_k, hs_stop_error_weighted(ulp_k, outcome->convergence_rate, weight));
}

/* The least tolerance that a field which no sweep changes can be said to meet. */
static double tolerance_floor(const struct hs_solve_settings *settings, double field_ulp_k, double estimate_k)
{
  switch (settings->quantity) {
  case HS_STOP_ERROR: return estimate_k;
  case HS_STOP_RESIDUAL: return 0x1p-52;
  default: return field_ulp_k;
  }
}

void hs_solve_floor(const struct hs_solve_settings *settings, double minimum_k, double maximum_k,
                    struct hs_solve_outcome *outcome)
{
  const double largest_k = fmax(fabs(minimum_k), fabs(maximum_k));
  const double floor_k =
      outcome->found_by_cycles ? outcome->error_estimate_k : estimate_floor_k(settings, 0x1p-52 * largest_k, outcome);
  const double field_ulp_k = (settings->single ? 0x1p-23 : 0x1p-52) * largest_k;
  const bool rests_below =
      outcome->verdict == HS_VERDICT_CONVERGED && outcome->norms.update_l2 == 0.0 &&
      settings->tolerance < tolerance_floor(settings, field_ulp_k, fmax(floor_k, outcome->error_estimate_k));
  if (outcome->verdict == HS_VERDICT_DIVERGED || !isfinite(floor_k) || floor_k == 0.0) return;
  if (rests_below) outcome->verdict = HS_VERDICT_STAGNATED;
  if (outcome->error_estimate_k < floor_k) outcome->error_estimate_k = floor_k;
  if (outcome->history_count > 0)
    outcome->history[outcome->history_count - 1].error_estimate_k = outcome->error_estimate_k;
}
