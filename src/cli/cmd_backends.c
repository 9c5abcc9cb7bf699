/* heatsolve backends: what this build and this machine can run, and why not. */
#include <stdio.h>

#include "backend/backend.h"
#include "cli/cli.h"

hs_status hs_cli_backends(const struct hs_cli *cli, int *exit_code, struct hs_error *err)
{
  const struct hs_backend_options options = {.single = false, .threads = 0};
  (void)cli;
  (void)err;
  *exit_code = HS_EXIT_OK;
  for (const struct hs_backend *const *backend = hs_backend_list(); *backend; backend++) {
    struct hs_error why = {0};
    const bool usable = (*backend)->probe(NULL, &options, &why) == HS_OK;
    printf("%-14s %-4s %s%s%s\n", (*backend)->name, usable ? "yes" : "no", (*backend)->summary, usable ? "" : ": ",
           why.text);
  }
  return HS_OK;
}
