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

void hs_result_clear(struct hs_result *result)
{
  hs_solve_outcome_clear(&result->outcome);
  hs_answers_clear(&result->answers);
  hs_series_clear(&result->series);
  free(result->field_k);
  result->field_k = NULL;
}
