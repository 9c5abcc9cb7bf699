/* Warnings on the standard error stream: the one place beside main that writes there. */
#include <stdio.h>

#include "cli/cli.h"
#include "run/result.h"

void hs_cli_warn(const struct hs_warnings *warnings)
{
  for (int k = 0; k < warnings->count; k++) {
    fputs("heatsolve: warning: ", stderr);
    for (const char *c = warnings->text[k]; *c; c++)
      fputc((unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c, stderr); /* a file's name may hold anything */
    fputc('\n', stderr);
  }
}
