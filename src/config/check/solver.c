/* Rules of [solver]. */
#include "config/check/check.h"

/* Criteria on the update speak of what a sweep changes. */
hs_status hs_check_solver(struct hs_draft *draft, const struct hs_draft_section *section)
{
  const struct hs_config *config = draft->config;
  const enum hs_criterion criterion = config->solver.criterion;

  if (config->solver.method != HS_METHOD_MULTIGRID || config->time.scheme != HS_SCHEME_STEADY) return HS_OK;
  if (criterion != HS_CRITERION_UPDATE_L2 && criterion != HS_CRITERION_UPDATE_MAX) return HS_OK;
  return hs_draft_fail(draft, hs_draft_where(section, "criterion"),
                       "[solver] criterion = %s asks what a sweep changes, and method = multigrid makes cycles, not "
                       "sweeps; take criterion = error or residual, or method = jacobi, weighted or chebyshev.",
                       hs_criterion_name(criterion));
}
