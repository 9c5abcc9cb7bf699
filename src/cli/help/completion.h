/* What scripts that complete the command line in a shell know of commands, options and keys, from their tables. */
#ifndef HS_CLI_HELP_COMPLETION_H
#define HS_CLI_HELP_COMPLETION_H

#include <stdio.h>

void hs_completion_print_bash(FILE *out);
void hs_completion_print_zsh(FILE *out);

#endif
