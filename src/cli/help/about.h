/* What this build is. */
#ifndef HS_CLI_HELP_ABOUT_H
#define HS_CLI_HELP_ABOUT_H

/* The version, what was built in and where validate's cases are, on standard output. program: how it was started. */
void hs_about_print(const char *program);

#endif
