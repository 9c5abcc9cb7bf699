/* Warnings on the standard error stream: the one place beside main that writes there. */
#include <stdio.h>

#include "cli/cli.h"
#include "run/result.h"

void hs_cli_warn(const char *text)
{
  fflush(stdout); /* where both are the same terminal or file, a warning stands behind what was said before */
  fputs("heatsolve: warning: ", stderr);
  for (const char *c = text; *c; c++)
    fputc((unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c, stderr); /* a file's name may hold anything */
  fputc('\n', stderr);
}

void hs_cli_warn_from(const struct hs_warnings *warnings, int first)
{
  for (int k = first; k < warnings->count; k++) hs_cli_warn(warnings->text[k]);
}
