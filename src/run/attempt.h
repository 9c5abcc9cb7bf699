/* One attempt of a run on one backend; job_run.c makes another where the backend fails. */
#ifndef HS_RUN_ATTEMPT_H
#define HS_RUN_ATTEMPT_H

#include "run/job.h"

/* From where a transient run can go on: its last snapshot, or the checkpoint that it went on from. The field is kept in
 * the result's. */
struct hs_resumption {
  bool known;
  struct hs_transient_point point;
  double *change_k; /* [ny*nx] in the step before, where point.has_change; NULL without multigrid */
};

/* Whoever starts an attempt fills in what is not private. */
struct hs_attempt {
  const struct hs_job *job;
  const struct hs_backend *backend;
  const struct hs_solve_observer *observer;
  const struct hs_snapshot_taker *taker;
  struct hs_resumption *resumption;

  struct hs_backend_state *state; /* private */
  struct hs_multigrid *multigrid; /* NULL: another method */
  struct hs_discretisation discretisation;
};

/* Makes and loads the backend, runs, and takes the answers into result. *begun: the backend had been made and loaded.
 * Errors: those of the backend, of hs_transient_run and of hs_answers_take. */
hs_status hs_attempt_run(struct hs_attempt *attempt, bool *begun, struct hs_result *result, struct hs_error *err);

#endif
