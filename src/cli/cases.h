/* The configurations that heatsolve validate runs. */
#ifndef HS_CLI_CASES_H
#define HS_CLI_CASES_H

#include <stdbool.h>

#include "base/status.h"

struct hs_cases {
  char **path;  /* [count], owned */
  bool *listed; /* [count] found in a folder, not named by the user */
  int count, room;
};

/* The configurations named, those of the folders named, by name; without any, those that came with heatsolve. program
 * is how it was started. Errors: HS_ERR_USAGE (no such file or folder, no configuration in it), HS_ERR_IO,
 * HS_ERR_MEMORY. */
hs_status hs_cases_find(const char *const *names, int count, const char *program, struct hs_cases *cases,
                        struct hs_error *err);

void hs_cases_clear(struct hs_cases *cases);

/* The folder with the cases that came with heatsolve, owned by the caller; NULL where there is none. */
char *hs_cases_folder(const char *program);

#endif
