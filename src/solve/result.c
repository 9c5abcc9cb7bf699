/* Lifetime of a result; answers.c computes its numbers. */
#include "solve/result.h"

#include <stdlib.h>

void hs_result_clear(struct hs_result *result)
{
  hs_solve_outcome_clear(&result->outcome);
  hs_answers_clear(&result->answers);
  hs_series_clear(&result->series);
  free(result->field_k);
  result->field_k = NULL;
}
