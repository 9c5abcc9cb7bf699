/* Lifetime of a result. */
#include "run/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/shown.h"
#include "problem/walls.h"

void hs_warnings_add(struct hs_warnings *warnings, const char *text)
{
  if (warnings->count == HS_WARNINGS_MOST) return;
  hs_text_show(text, warnings->text[warnings->count], sizeof warnings->text[0]);
  warnings->count++;
}

bool hs_warnings_contain(const struct hs_warnings *warnings, const char *text)
{
  for (int k = 0; k < warnings->count; k++)
    if (!strcmp(warnings->text[k], text)) return true;
  return false;
}

double hs_result_side_mean(const struct hs_result *result, enum hs_side side)
{
  return result->problem ? result->answers.balance.side_w_m[side] / hs_wall_length(result->problem, side) : NAN;
}

double hs_result_surface_mean(const struct hs_result *result, int surface)
{
  return result->answers.surface_w_m[surface] / hs_surface_length(result->problem, surface);
}

/* Roundings that have added up, as those of many sweeps or steps. */
static double rounding_k(const struct hs_result *result)
{
  const double largest_k = fmax(fabs(result->answers.minimum_k), fabs(result->answers.maximum_k));
  const bool single = result->config->solver.precision == HS_SINGLE;
  return (single ? 0x1p-19 : 0x1p-44) * largest_k;
}

/* Of the remaining error, which both the lowest and the highest temperature may have. A test of updates says nothing about it. */
static double error_k(const struct hs_result *result)
{
  const enum hs_criterion criterion = result->config->solver.criterion;
  if (hs_result_is_transient(result))
    return result->transient.verdict == HS_VERDICT_COMPLETED ? result->transient.inner_error_k : 0.0;
  if (criterion != HS_CRITERION_ERROR && criterion != HS_CRITERION_RESIDUAL) return 0.0;
  return result->outcome.verdict == HS_VERDICT_CONVERGED ? result->outcome.error_estimate_k : 0.0;
}

double hs_result_resolution_k(const struct hs_result *result)
{
  const double resolution_k = fmax(rounding_k(result), 2.0 * error_k(result));
  return isfinite(resolution_k) ? resolution_k : 0.0; /* of a field that diverged nothing is known */
}

void hs_result_clear(struct hs_result *result)
{
  hs_solve_outcome_clear(&result->outcome);
  hs_answers_clear(&result->answers);
  hs_series_clear(&result->series);
  free(result->field_k);
  result->field_k = NULL;
}
