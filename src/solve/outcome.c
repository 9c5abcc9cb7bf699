/* Names and ends of outcomes, whatever the method. */
#include <stdlib.h>

#include "solve/solve.h"

const char *hs_verdict_name(enum hs_verdict verdict)
{
  switch (verdict) {
  case HS_VERDICT_CONVERGED: return "converged";
  case HS_VERDICT_LIMIT: return "iteration-limit";
  case HS_VERDICT_DIVERGED: return "diverged";
  case HS_VERDICT_STAGNATED: return "stagnated";
  case HS_VERDICT_INTERRUPTED: return "interrupted";
  case HS_VERDICT_COMPLETED: return "completed";
  default: return "running";
  }
}

bool hs_verdict_is_final(enum hs_verdict verdict)
{
  return verdict != HS_VERDICT_LIMIT && verdict != HS_VERDICT_INTERRUPTED;
}

int hs_verdict_exit_code(enum hs_verdict verdict)
{
  switch (verdict) {
  case HS_VERDICT_CONVERGED:
  case HS_VERDICT_COMPLETED: return HS_EXIT_OK;
  case HS_VERDICT_LIMIT:
  case HS_VERDICT_STAGNATED: return HS_EXIT_LIMIT;
  case HS_VERDICT_DIVERGED: return HS_EXIT_DIVERGED;
  case HS_VERDICT_INTERRUPTED: return HS_EXIT_INTERRUPTED;
  default: return HS_EXIT_DIFFERENT;
  }
}

void hs_solve_outcome_clear(struct hs_solve_outcome *outcome)
{
  free(outcome->history);
  outcome->history = NULL;
  outcome->history_count = 0;
}
