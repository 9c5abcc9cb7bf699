/* A job: one configuration taken through problem, system, backend and solver to a result.
 *
 * The stages of a run in the order of the design's one direction of flow, each a call; main and
 * the commands check and verify string them together.
 */
#ifndef HS_SOLVE_JOB_H
#define HS_SOLVE_JOB_H

#include "backend/backend.h"
#include "config/config.h"
#include "problem/problem.h"
#include "solve/forecast.h"
#include "solve/result.h"

struct hs_job {
  const struct hs_config *config; /* not owned */
  struct hs_problem *problem;
  struct hs_system *system;
  double *initial_k; /* [ny*nx] */
  struct hs_solve_settings settings;
  struct hs_backend_options options;
  struct hs_forecast forecast;
  const struct hs_backend *backend;
  char reason[512]; /* why this backend */
};

/* Bytes of host memory that a run of config on backend needs at its peak (backend may be NULL). */
double hs_job_host_bytes(const struct hs_config *config, const struct hs_backend *backend,
                         const struct hs_system *system, const struct hs_backend_options *options);

/* Builds system, initial field, forecast and chooses the backend. Refuses what does not fit into
 * memory before it is touched, and sets the number of threads for the process. Errors: HS_ERR_CONFIG, HS_ERR_MEMORY, HS_ERR_DEVICE, HS_ERR_UNSUPPORTED. */
hs_status hs_job_prepare(const struct hs_config *config, struct hs_job *job, struct hs_error *err);

/* Runs the job on the given backend and takes the answers. taker (or NULL) receives the snapshots of a transient
 * problem. result is filled but for time_total_s; the caller clears it. A transient run leaves job->system at the
 * end time; a further run of the job begins at time 0 again. Errors: HS_ERR_MEMORY, HS_ERR_DEVICE. */
hs_status hs_job_run(struct hs_job *job, const struct hs_backend *backend, const struct hs_solve_observer *observer,
                     const struct hs_snapshot_taker *taker, struct hs_result *result, struct hs_error *err);

void hs_job_clear(struct hs_job *job); /* frees what the job owns */

#endif
