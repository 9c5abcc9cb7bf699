/* Warnings of the report: how far the answer can be trusted.
 *
 * A small update says that the sweeps have become slow, not that the answer is near: on a fine grid plain Jacobi
 * moves the field by a ten-thousandth of the remaining error per sweep. So a warning follows where the estimate of the
 * remaining error, or the balance of heat, is worse than one percent.
 */
#include <math.h>
#include <stdio.h>

#include "output/report.h"

#define WARN_SHARE 0.01 /* of the temperature range, and of the heat that enters */

static void warn_limit(FILE *out, const struct hs_result *result)
{
  const long long limit = (long long)result->config->solver.max_iterations;
  const int64_t unbalanced_at = result->outcome.unbalanced_at;
  if (unbalanced_at > 0)
    fprintf(
        out,
        "\nWarning: the limit of %lld sweeps was reached. The stop test has held since sweep %lld, but heat in and "
        "heat\n"
        "out differ by more than solver.balance_tolerance = %g allows: the update is small because the iteration is\n"
        "slow. Raise solver.max_iterations or use solver.method = chebyshev.\n",
        limit, (long long)unbalanced_at, result->config->solver.balance_tolerance);
  else
    fprintf(out,
            "\nWarning: the limit of %lld sweeps was reached before the stop test held. The field is not the steady\n"
            "state; raise solver.max_iterations.\n",
            limit);
}

static void warn_steady(FILE *out, const struct hs_result *result)
{
  switch (result->outcome.verdict) {
  case HS_VERDICT_LIMIT: warn_limit(out, result); break;
  case HS_VERDICT_STAGNATED:
    fprintf(out,
            "\nWarning: rounding in %s precision keeps the field from coming nearer to the steady state: the update\n"
            "no longer falls. %s\n",
            hs_precision_name(result->config->solver.precision),
            result->config->solver.precision == HS_SINGLE
                ? "Use solver.precision = double, or accept a larger solver.tolerance."
                : "Accept a larger solver.tolerance.");
    break;
  case HS_VERDICT_DIVERGED:
    fprintf(
        out,
        "\nWarning: the iteration diverged: the field grew without bound or is not finite. Its values mean nothing.\n");
    break;
  case HS_VERDICT_INTERRUPTED:
    fprintf(out, "\nWarning: the run was interrupted before the stop test held. The field is not the steady state.\n");
    break;
  default: break;
  }
}

static void warn_transient(FILE *out, const struct hs_result *result)
{
  const struct hs_transient_outcome *outcome = &result->transient;
  switch (outcome->verdict) {
  case HS_VERDICT_LIMIT:
    fprintf(out,
            "\nWarning: a time step needed more than %lld sweeps, and the run ended at t = %.9g s. Raise\n"
            "solver.max_iterations, take a shorter time.step, or use solver.method = chebyshev.\n",
            (long long)result->config->solver.max_iterations, outcome->time_s);
    break;
  case HS_VERDICT_DIVERGED:
    fprintf(out, "\nWarning: the field grew without bound or is not finite at t = %.9g s. Its values mean nothing.\n",
            outcome->time_s);
    break;
  case HS_VERDICT_INTERRUPTED:
    fprintf(out, "\nWarning: the run was interrupted at t = %.9g s. The field is that of this time.\n",
            outcome->time_s);
    break;
  default: break;
  }
  if (!result->config->time.adaptive || !(outcome->step_error_k > result->config->time.step_tolerance_k)) return;
  fprintf(out, "\nWarning: a step's estimated error of %.2g K is above time.step_tolerance = %g K, because ",
          outcome->step_error_k, result->config->time.step_tolerance_k);
  if (outcome->steps_at_minimum > 0)
    fprintf(out, "the step may not be\nshorter than time.step_min = %g s.\n", result->config->time.step_min_s);
  else
    fprintf(out, "rounding in\n%s precision moves temperatures by about as much.\n",
            result->config->solver.precision == HS_SINGLE ? "single" : "double");
}

static void warn_error(FILE *out, const struct hs_result *result)
{
  const struct hs_solve_outcome *outcome = &result->outcome;
  char text[32];
  const double share = hs_report_assess(result).error_of_range;
  if (outcome->verdict == HS_VERDICT_DIVERGED) return;
  if (isnan(outcome->error_estimate_k)) {
    fprintf(out,
            "\nWarning: the remaining error cannot be estimated, because the updates do not fall steadily (or were\n"
            "checked only once). A small update alone does not tell how good the answer is.\n");
    return;
  }
  if (share > WARN_SHARE && result->config->solver.criterion != HS_CRITERION_ERROR)
    fprintf(out,
            "\nWarning: The update is small, the error is not: the last sweep moved no node by more than %.2g K, but\n"
            "about %.2g K (%s %% of the temperature range) are still missing to the steady state. Use\n"
            "solver.criterion = error with the error that you accept, in kelvin, as solver.tolerance.\n",
            outcome->norms.update_max, outcome->error_estimate_k, hs_report_percent(share, text));
  if (!outcome->estimate_converged && outcome->error_estimate_k > 0.0)
    fprintf(out,
            "\nWarning: the estimate of the remaining error has not converged; the true error may be several times "
            "larger.\n");
}

static void warn_balance(FILE *out, const struct hs_result *result)
{
  const double imbalance = result->answers.balance.imbalance_relative;
  const double allowed = result->config->solver.balance_tolerance;
  const enum hs_verdict verdict = result->outcome.verdict;
  if (verdict == HS_VERDICT_DIVERGED) return;
  if (imbalance > WARN_SHARE)
    fprintf(
        out,
        "\nWarning: heat in and heat out differ by %.2g %%; at the steady state they are equal. Heat flows taken from\n"
        "this field are wrong by about as much.\n",
        100.0 * imbalance);
  else if (verdict == HS_VERDICT_CONVERGED && allowed > 0.0 && allowed < 1.0 && imbalance > allowed)
    fprintf(out,
            "\nWarning: the stop test is met, but heat in and heat out differ by %.2g %%, more than\n"
            "solver.balance_tolerance = %g allows.\n",
            100.0 * imbalance, allowed);
}

void hs_report_warnings_print(FILE *out, const struct hs_result *result)
{
  for (int k = 0; k < result->warnings.count; k++) fprintf(out, "\nWarning: %s.\n", result->warnings.text[k]);
  if (hs_result_is_transient(result)) {
    warn_transient(out, result);
    return;
  }
  warn_steady(out, result);
  warn_error(out, result);
  warn_balance(out, result);
}
