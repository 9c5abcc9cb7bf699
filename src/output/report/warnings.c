/* Warnings about a result: how far the answer can be trusted.
 *
 * A small update says that the sweeps have become slow, not that the answer is near: on a fine grid plain Jacobi
 * moves the field by a ten-thousandth of the remaining error per sweep. So a warning follows where the estimate of the
 * remaining error, or the balance of heat, is worse than one percent.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "output/report/report.h"

#define WARN_SHARE 0.01 /* of the temperature range, and of the heat that enters */

static void warn(struct hs_warnings *warnings, const char *format, ...) HS_PRINTF(2, 3);

static void warn(struct hs_warnings *warnings, const char *format, ...)
{
  char text[sizeof warnings->text[0]];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  hs_warnings_add(warnings, text);
}

static void warn_limit(const struct hs_result *result, struct hs_warnings *warnings)
{
  const long long limit = (long long)result->config->solver.max_iterations;
  const int64_t unbalanced_at = result->outcome.unbalanced_at;
  if (hs_result_makes_cycles(result))
    warn(warnings,
         "the limit of %lld cycles was reached before the stop test held. The field is not the steady state; raise "
         "solver.max_iterations",
         limit);
  else if (unbalanced_at > 0)
    warn(warnings,
         "the limit of %lld sweeps was reached. The stop test has held since sweep %lld, but heat in and heat out "
         "differ by more than solver.balance_tolerance = %g allows: the update is small because the iteration is slow. "
         "Raise solver.max_iterations or use solver.method = chebyshev",
         limit, (long long)unbalanced_at, result->config->solver.balance_tolerance);
  else
    warn(warnings,
         "the limit of %lld sweeps was reached before the stop test held. The field is not the steady state; raise "
         "solver.max_iterations",
         limit);
}

static void warn_steady(const struct hs_result *result, struct hs_warnings *warnings)
{
  switch (result->outcome.verdict) {
  case HS_VERDICT_LIMIT: warn_limit(result, warnings); break;
  case HS_VERDICT_STAGNATED:
    warn(warnings,
         "rounding in %s precision keeps the field from coming nearer to the steady state: the %s no longer falls. %s",
         hs_precision_name(result->config->solver.precision), hs_result_makes_cycles(result) ? "residual" : "update",
         result->config->solver.precision == HS_SINGLE
             ? "Use solver.precision = double, or accept a larger solver.tolerance"
             : "Accept a larger solver.tolerance");
    break;
  case HS_VERDICT_DIVERGED:
    warn(warnings, "the iteration diverged: the field grew without bound or is not finite. Its values mean nothing");
    break;
  case HS_VERDICT_INTERRUPTED:
    warn(warnings, "the run was interrupted before the stop test held. The field is not the steady state");
    break;
  default: break;
  }
}

static void warn_transient(const struct hs_result *result, struct hs_warnings *warnings)
{
  const struct hs_transient_outcome *outcome = &result->transient;
  const struct hs_config *config = result->config;
  const bool cycles = hs_result_makes_cycles(result);
  switch (outcome->verdict) {
  case HS_VERDICT_LIMIT:
    warn(warnings,
         "a time step needed more than %lld %s, and the run ended at t = %.9g s. Raise solver.max_iterations, take "
         "a shorter time.step%s",
         (long long)config->solver.max_iterations, cycles ? "cycles" : "sweeps", outcome->time_s,
         cycles ? "" : ", or use solver.method = chebyshev");
    break;
  case HS_VERDICT_DIVERGED:
    warn(warnings, "the field grew without bound or is not finite at t = %.9g s. Its values mean nothing",
         outcome->time_s);
    break;
  case HS_VERDICT_INTERRUPTED:
    warn(warnings, "the run was interrupted at t = %.9g s. The field is that of this time", outcome->time_s);
    break;
  default: break;
  }
  if (!config->time.adaptive || !(outcome->step_error_k > config->time.step_tolerance_k)) return;
  if (outcome->steps_at_minimum > 0)
    warn(warnings,
         "a step's estimated error of %.2g K is above time.step_tolerance = %g K, because the step may not be shorter "
         "than time.step_min = %g s",
         outcome->step_error_k, config->time.step_tolerance_k, config->time.step_min_s);
  else
    warn(warnings,
         "a step's estimated error of %.2g K is above time.step_tolerance = %g K, because rounding in %s precision "
         "moves temperatures by about as much",
         outcome->step_error_k, config->time.step_tolerance_k, hs_precision_name(config->solver.precision));
}

static void warn_error(const struct hs_result *result, struct hs_warnings *warnings)
{
  const struct hs_solve_outcome *outcome = &result->outcome;
  char text[32];
  const double share = hs_report_assess(result).error_of_range;
  if (outcome->verdict == HS_VERDICT_DIVERGED) return;
  if (isnan(outcome->error_estimate_k)) {
    warn(warnings, "%s",
         hs_result_makes_cycles(result)
             ? "the remaining error cannot be estimated before the first cycle"
             : "the remaining error cannot be estimated, because the updates do not fall steadily (or were "
               "checked only once). A small update alone does not tell how good the answer is");
    return;
  }
  if (share > WARN_SHARE && hs_result_makes_cycles(result) && result->config->solver.criterion != HS_CRITERION_ERROR)
    warn(warnings,
         "the residual is small, the error is not: about %.2g K (%s %% of the temperature range) are still missing to "
         "the steady state. Use solver.criterion = error with the error that you accept, in kelvin, as "
         "solver.tolerance",
         outcome->error_estimate_k, hs_report_percent(share, text));
  else if (share > WARN_SHARE && result->config->solver.criterion != HS_CRITERION_ERROR)
    warn(warnings,
         "the update is small, the error is not: the last sweep moved no node by more than %.2g K, but about %.2g K "
         "(%s %% of the temperature range) are still missing to the steady state. Use solver.criterion = error with "
         "the error that you accept, in kelvin, as solver.tolerance",
         outcome->norms.update_max, outcome->error_estimate_k, hs_report_percent(share, text));
  if (!outcome->estimate_converged && outcome->error_estimate_k > 0.0)
    warn(warnings, "the estimate of the remaining error has not converged; the true error may be several times larger");
}

static void warn_balance(const struct hs_result *result, struct hs_warnings *warnings)
{
  const double imbalance = result->answers.balance.imbalance_relative;
  const double allowed = result->config->solver.balance_tolerance;
  const enum hs_verdict verdict = result->outcome.verdict;
  if (verdict == HS_VERDICT_DIVERGED) return;
  if (imbalance > WARN_SHARE)
    warn(warnings,
         "heat in and heat out differ by %.2g %%; at the steady state they are equal. Heat flows taken from this field "
         "are wrong by about as much",
         100.0 * imbalance);
  else if (verdict == HS_VERDICT_CONVERGED && allowed > 0.0 && allowed < 1.0 && imbalance > allowed)
    warn(warnings,
         "the stop test is met, but heat in and heat out differ by %.2g %%, more than solver.balance_tolerance = %g "
         "allows",
         100.0 * imbalance, allowed);
}

void hs_output_doubts(const struct hs_result *result, struct hs_warnings *doubts)
{
  doubts->count = 0;
  if (hs_result_is_transient(result)) {
    warn_transient(result, doubts);
    return;
  }
  warn_steady(result, doubts);
  warn_error(result, doubts);
  warn_balance(result, doubts);
}
