/* What this build is. */
#ifndef HS_CLI_ABOUT_H
#define HS_CLI_ABOUT_H

/* The version and what was built in, on standard output. */
void hs_about_print(void);

#endif
