/* What the files of a job share: prepare.c calls method.c, which calls job.c. */
#ifndef HS_RUN_JOB_PARTS_H
#define HS_RUN_JOB_PARTS_H

#include "run/job.h"

/* Refuses a run of `whole` bytes in this process, of which `taken` are in use already, that this machine's free memory cannot hold
 * with a tenth to spare; where the machine has several ranks, with as much for each. Collective. */
hs_status hs_job_memory_check(const struct hs_job *job, double whole, double taken, struct hs_error *err);

/* The configuration's settings of time steps, without snapshots. */
struct hs_transient_settings hs_job_transient_settings(const struct hs_job *job);

/* The settings, options and forecast of a method, which must not be auto. */
hs_status hs_job_method_set(struct hs_job *job, enum hs_method method, struct hs_error *err);

/* Chooses the backend for the method that is set, and refuses a run that memory cannot hold. */
hs_status hs_job_backend_choose(struct hs_job *job, struct hs_error *err);

/* Settles the method: as configured, or by forecast, and with it the backend. */
hs_status hs_job_method_choose(struct hs_job *job, struct hs_error *err);

/* Is the exact stop sweep looked for at the end? */
bool hs_job_replays(const struct hs_job *job);

/* Sets job->options.spread and job->backends by the ranks of the job and solver.gpus. Errors: HS_ERR_CONFIG, HS_ERR_DEVICE. */
hs_status hs_job_devices_choose(struct hs_job *job, struct hs_error *err);

#endif
