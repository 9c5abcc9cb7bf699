/* What job.c and job_run.c share. */
#ifndef HS_RUN_JOB_PARTS_H
#define HS_RUN_JOB_PARTS_H

#include "run/job.h"

/* Refuses a run of `whole` bytes, of which `taken` are in use already, that this machine's free memory cannot hold with a
 * tenth to spare. */
hs_status hs_job_memory_check(const struct hs_config *config, double whole, double taken, struct hs_error *err);

/* The configuration's settings of time steps, without snapshots. */
struct hs_transient_settings hs_job_transient_settings(const struct hs_job *job);

/* Is the exact stop sweep looked for at the end? */
bool hs_job_replays(const struct hs_job *job);

#endif
