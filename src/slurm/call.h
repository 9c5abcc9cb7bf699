/* Calling a command of Slurm and keeping what it prints. */
#ifndef HS_SLURM_CALL_H
#define HS_SLURM_CALL_H

#include "base/text.h"

struct hs_call {
  int exit_code;           /* 128 and more: ended by a signal */
  struct hs_text out, err; /* what it printed */
};

/* Runs arguments[0], looked for in PATH, with no input, and waits at most limit_s seconds; then it is killed. Errors:
 * HS_ERR_IO (there is no such command, no answer in time, or the system's reason), HS_ERR_MEMORY. */
hs_status hs_call_run(const char *const *arguments, double limit_s, struct hs_call *call, struct hs_error *err);

/* The first line that it printed on the standard error stream, which is cut behind it. */
const char *hs_call_reason(struct hs_call *call);

void hs_call_clear(struct hs_call *call);

#endif
