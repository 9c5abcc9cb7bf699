/* Help from the tables of commands and options. */
#ifndef HS_CLI_HELP_HELP_H
#define HS_CLI_HELP_HELP_H

#include <stdio.h>

#include "cli/commands.h"

/* What heatsolve is, its commands, the options of a run, exit codes. */
void hs_help_print(FILE *out);

/* One command and its options. */
void hs_help_print_command(FILE *out, enum hs_command command);

/* The exit codes, each with what it says. */
struct hs_exit_row {
  int code;
  const char *help;
};
const struct hs_exit_row *hs_exit_rows(void); /* ended by one without help */

#endif
