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

#define WARN_SHARE 0.01      /* of the temperature range, and of the heat that enters */
#define RANGE_IS_ERROR 0.25  /* share of the range from which on the range says little */
#define NO_ERROR_SHARE 1e-10 /* of the largest temperature, which is no error to speak of */

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

/* The stop test holds, the balance does not, and rounding has the last word. */
static void warn_unbalanced(const struct hs_result *result, struct hs_warnings *warnings)
{
  const bool single = result->config->solver.precision == HS_SINGLE;
  warn(
      warnings,
      "the stop test is met since %s %lld, but heat in and heat out still differ by more than solver.balance_tolerance "
      "= %g allows, and rounding in %s precision keeps them from coming nearer to each other. %sccept a larger "
      "solver.balance_tolerance",
      hs_result_makes_cycles(result) ? "cycle" : "sweep", (long long)result->outcome.unbalanced_at,
      result->config->solver.balance_tolerance, hs_precision_name(result->config->solver.precision),
      single ? "Use solver.precision = double, or a" : "A");
}

/* Rounding disturbs sweeps more than cycles. Tests of updates need sweeps. */
static bool cycles_help(const struct hs_result *result)
{
  const enum hs_criterion criterion = result->config->solver.criterion;
  return !hs_result_makes_cycles(result) && (criterion == HS_CRITERION_ERROR || criterion == HS_CRITERION_RESIDUAL);
}

static void warn_stagnated(const struct hs_result *result, struct hs_warnings *warnings)
{
  const bool single = result->config->solver.precision == HS_SINGLE, cycles = cycles_help(result);
  if (result->outcome.unbalanced_at > 0)
    warn_unbalanced(result, warnings);
  else
    warn(warnings,
         "rounding in %s precision keeps the field from coming nearer to the steady state: the %s no longer falls. "
         "%s%s%sccept a larger solver.tolerance",
         hs_precision_name(result->config->solver.precision), hs_result_makes_cycles(result) ? "residual" : "update",
         cycles ? "Use solver.method = multigrid, which rounding disturbs less, " : "",
         single ? cycles ? "or solver.precision = double, " : "Use solver.precision = double, " : "",
         single || cycles ? "or a" : "A");
}

static void warn_limit(const struct hs_result *result, struct hs_warnings *warnings)
{
  const long long limit = (long long)result->config->solver.max_iterations;
  const int64_t unbalanced_at = result->outcome.unbalanced_at;
  if (hs_result_makes_cycles(result) && unbalanced_at > 0)
    warn(warnings,
         "the limit of %lld cycles was reached. The stop test has held since cycle %lld, but heat in and heat out "
         "differ "
         "by more than solver.balance_tolerance = %g allows. Raise solver.max_iterations",
         limit, (long long)unbalanced_at, result->config->solver.balance_tolerance);
  else if (hs_result_makes_cycles(result))
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
  case HS_VERDICT_STAGNATED: warn_stagnated(result, warnings); break;
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

/* Is the error worse than one percent of the field's range? Where that range is little more than the error itself, the
 * plate has one temperature, and the range tells nothing: then of the range of all temperatures that are given. */
static bool error_is_large(const struct hs_result *result)
{
  const double error_k = result->outcome.error_estimate_k, share = hs_report_assess(result).error_of_range;
  const double largest_k = fmax(fabs(result->answers.minimum_k), fabs(result->answers.maximum_k));
  if (!(share > RANGE_IS_ERROR)) return share > WARN_SHARE;
  return error_k > fmax(WARN_SHARE * result->answers.given_range_k, NO_ERROR_SHARE * largest_k);
}

static void warn_error(const struct hs_result *result, struct hs_warnings *warnings)
{
  const struct hs_solve_outcome *outcome = &result->outcome;
  char text[32];
  const bool large = error_is_large(result);
  const double share = hs_report_assess(result).error_of_range;
  if (outcome->verdict == HS_VERDICT_DIVERGED) return;
  if (isnan(outcome->error_estimate_k)) {
    warn(warnings, "%s",
         hs_result_makes_cycles(result)
             ? "the remaining error cannot be estimated before the second cycle"
             : "the remaining error cannot be estimated, because the updates do not fall steadily (or were "
               "checked only once). A small update alone does not tell how good the answer is");
    return;
  }
  if (large && hs_result_makes_cycles(result) && result->config->solver.criterion != HS_CRITERION_ERROR)
    warn(warnings,
         "the residual is small, the error is not: about %.2g K (%s %% of the temperature range) are still missing to "
         "the steady state. Use solver.criterion = error with the error that you accept, in kelvin, as "
         "solver.tolerance",
         outcome->error_estimate_k, hs_report_percent(share, text));
  else if (large && result->config->solver.criterion != HS_CRITERION_ERROR)
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
  if (verdict == HS_VERDICT_DIVERGED || (imbalance > allowed && hs_report_assess(result).balance_met)) return;
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
