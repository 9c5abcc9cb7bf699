/* Rules of [solver]. */
#include "config/check/check.h"

/* A residual relative to the start is 1 there, so that a tolerance of 1 asks for nothing. */
static hs_status check_share(struct hs_draft *draft, const struct hs_draft_section *section)
{
  const double tolerance = draft->config->solver.tolerance;
  if (draft->config->solver.criterion != HS_CRITERION_RESIDUAL || tolerance < 1.0) return HS_OK;
  return hs_draft_fail(
      draft, hs_draft_where(section, "tolerance"),
      "[solver] tolerance = %g asks for nothing: with criterion = residual it is a share of the residual "
      "at the start, so the start has it. Give a number below 1, for example 1e-6.",
      tolerance);
}

/* Criteria on the update speak of what a sweep changes. */
hs_status hs_check_solver(struct hs_draft *draft, const struct hs_draft_section *section)
{
  const struct hs_config *config = draft->config;
  const enum hs_criterion criterion = config->solver.criterion;
  const hs_status status = config->time.scheme == HS_SCHEME_STEADY ? check_share(draft, section) : HS_OK;

  if (status) return status;
  if (config->solver.method != HS_METHOD_MULTIGRID || config->time.scheme != HS_SCHEME_STEADY) return HS_OK;
  if (criterion != HS_CRITERION_UPDATE_L2 && criterion != HS_CRITERION_UPDATE_MAX) return HS_OK;
  return hs_draft_fail(draft, hs_draft_where(section, "criterion"),
                       "[solver] criterion = %s asks what a sweep changes, and method = multigrid makes cycles, not "
                       "sweeps; take criterion = error or residual, or method = jacobi, weighted or chebyshev.",
                       hs_criterion_name(criterion));
}
