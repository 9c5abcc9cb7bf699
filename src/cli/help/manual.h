/* heatsolve(1), the manual page of the program, from the tables of commands and options. */
#ifndef HS_CLI_HELP_MANUAL_H
#define HS_CLI_HELP_MANUAL_H

#include <stdio.h>

void hs_manual_print(FILE *out);

#endif
