/* heatsolve check for machines that are not there. */
#ifndef HS_CLI_CHECK_PLAN_H
#define HS_CLI_CHECK_PLAN_H

#include "cli/cli.h"

/* Do the options ask for a plan? */
bool hs_check_plan_wanted(const struct hs_cli *cli);

/* Makes and prints it. Errors: HS_ERR_USAGE, and those of hs_plan_make. */
hs_status hs_check_plan(const struct hs_cli *cli, const struct hs_config *config, struct hs_error *err);

#endif
