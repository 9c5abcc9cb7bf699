/* Warnings on the standard error stream: the one place beside main that writes there. */
#include <stdio.h>

#include "base/shown.h"
#include "cli/cli.h"
#include "run/result.h"

void hs_cli_warn(const char *text)
{
  fflush(stdout); /* where both are the same terminal or file, a warning stands behind what was said before */
  fprintf(stderr, "heatsolve: warning: %s\n", hs_shown(text).text); /* one write: ranks share the stream */
}

void hs_cli_warn_from(const struct hs_warnings *warnings, int first)
{
  for (int k = first; k < warnings->count; k++) hs_cli_warn(warnings->text[k]);
}
