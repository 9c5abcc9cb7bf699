/* Lifetime of a result. */
#include "run/result.h"

#include <stdlib.h>
#include <string.h>

#include "base/shown.h"

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

void hs_result_clear(struct hs_result *result)
{
  hs_solve_outcome_clear(&result->outcome);
  hs_answers_clear(&result->answers);
  hs_series_clear(&result->series);
  free(result->field_k);
  result->field_k = NULL;
}
