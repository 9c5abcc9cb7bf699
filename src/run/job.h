/* A job: one configuration taken through problem, system, backend and solver to a result.
 *
 * Each stage of a run is a call; main and the commands check and verify make them in turn.
 */
#ifndef HS_RUN_JOB_H
#define HS_RUN_JOB_H

#include "backend/backend.h"
#include "config/config.h"
#include "problem/problem.h"
#include "run/checkpoint.h"
#include "run/choice.h"
#include "run/forecast.h"
#include "run/result.h"
#include "run/warm_up.h"

struct hs_job {
  const struct hs_config *config; /* not owned */
  struct hs_subdomain subdomain;  /* this rank's part of the grid */
  struct hs_problem *problem;
  struct hs_system *system;          /* at time 0 */
  double *initial_k;                 /* [ny*nx] */
  struct hs_solve_settings settings; /* with the method of the run, which is never auto */
  struct hs_backend_options options;
  struct hs_first_update first_update;
  struct hs_forecast forecast;
  char method_reason[HS_METHOD_REASON];     /* why this method */
  struct hs_tuning *tuning;                 /* measured costs of this machine; NULL: none */
  const struct hs_backend *const *backends; /* that `auto` may choose from and fall back to; hs_backend_list() */
  const struct hs_backend *backend;
  char reason[2048];           /* why this backend */
  struct hs_warnings warnings; /* of the preparation */
  struct hs_warm_up warm_up;
  struct hs_checkpoint_keeper keeper; /* set by whoever wants checkpoints; write NULL: none */
  const struct hs_checkpoint *from;   /* set by whoever goes on from one; NULL: from the start. Not owned */
};

/* The time steps from start to end, snapshots apart; see hs_forecast_steps. */
double hs_job_steps(const struct hs_job *job);

/* The sweeps, tests and steps that the run is expected to need, and the seconds that they take on job->backend, set-up
 * included. */
struct hs_work hs_job_work(const struct hs_job *job);
double hs_job_expected_s(const struct hs_job *job);

/* Sweeps between two evaluations of the stop test: as configured, or as suits the backends. */
int hs_job_check_every(const struct hs_config *config, enum hs_method method);

/* Bytes of host memory that a run of config on backend needs at its peak (backend may be NULL), with the method that
 * options are for. */
double hs_job_host_bytes(const struct hs_config *config, const struct hs_backend *backend,
                         const struct hs_system *system, const struct hs_backend_options *options);

/* Bytes on host and device that finding the error by cycles takes beside, which a run does without where they are not free;
 * 0 where nothing is found so. */
void hs_job_estimate_bytes(const struct hs_job *job, double *host, double *device);

/* Builds system, initial field, forecast and chooses method and backend. Refuses what does not fit into
 * memory before it is touched, and sets the number of threads for the process. Collective over the ranks of comm, which must
 * outlive the job; NULL: one rank. Errors: HS_ERR_CONFIG, HS_ERR_MEMORY,
 * HS_ERR_DEVICE, HS_ERR_UNSUPPORTED. */
hs_status hs_job_prepare(const struct hs_config *config, struct hs_comm *comm, struct hs_job *job,
                         struct hs_error *err);

/* Makes a prepared job go on by the method of a checkpoint. Where that is another one, the backend is chosen anew.
 * Errors: those of that choice. */
hs_status hs_job_method_take(struct hs_job *job, enum hs_method method, struct hs_error *err);

/* Where the costs of a backend come from: "built-in costs", "costs measured on this machine, 2026-01-31T12:00:00Z". */
struct hs_costs_from {
  char text[96];
};
struct hs_costs_from hs_job_costs_from(const struct hs_job *job, const struct hs_backend *backend);

/* Runs the job on the given backend and takes the answers. Where that is job->backend, and the configuration left the
 * choice to the program, a backend that cannot begin (HS_ERR_DEVICE, HS_ERR_MEMORY, HS_ERR_UNSUPPORTED) or loses its
 * device during the run is replaced by the next best of job->backends: a steady run begins anew, a transient one goes on
 * from its last snapshot. result then has the new one's name, what happened as its reason, and a warning. When a run
 * fails, result->series has the snapshots taken until then. taker (or NULL) receives the snapshots of a transient problem.
 * All of result but time_total_s is filled; the caller clears it. Errors: HS_ERR_MEMORY, HS_ERR_DEVICE. */
hs_status hs_job_run(const struct hs_job *job, const struct hs_backend *backend,
                     const struct hs_solve_observer *observer, const struct hs_snapshot_taker *taker,
                     struct hs_result *result, struct hs_error *err);

void hs_job_clear(struct hs_job *job); /* frees what the job owns, and waits for its warm-up */

#endif
