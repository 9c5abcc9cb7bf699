/* A solution in progress: what the files of src/solve share.
 *
 * A run consists of sweeps, evaluations of the stop test at multiples of check_every, and events (progress,
 * signals) about ten times a second (pace.h). Functions advance hs_run.stop and leave the verdict there.
 */
#ifndef HS_SOLVE_SOLUTION_H
#define HS_SOLVE_SOLUTION_H

#include "solve/chebyshev.h"
#include "solve/pace.h"
#include "solve/solve.h"

enum { HS_RUN_HISTORY = 8192 }; /* rows kept; when full, every second one is dropped */

struct hs_run {
  const struct hs_solve_settings *settings;
  const struct hs_backend *backend;
  struct hs_backend_state *state;
  const struct hs_solve_observer *observer;
  struct hs_comm *comm; /* the ranks that hold the system */
  double contraction;   /* of the system: Jacobi's spectral radius is no larger */
  struct hs_stop_test test;
  struct hs_stop_state stop;
  bool keep;        /* save the field at every interval's start, for the replay */
  int64_t ask_from; /* a field was not accepted: the test may hold again from this sweep on; 0: none was refused */
  struct hs_bounds bounds_at_save;
  double value_at_save;  /* of the tested quantity */
  int64_t unbalanced_at; /* as in the outcome */
  struct hs_found found;
  int64_t look_from;              /* Chebyshev: sweeps at which the present look began */
  double convergence_rate_before; /* of the interval before the last one */
  struct hs_pace pace;
  double started_s;
  struct hs_check *fresh;   /* evaluations since the last event; made on first use */
  struct hs_check *history; /* [history_room] */
  int history_count, history_room;
  int64_t checks_seen, stride; /* every stride-th evaluation is kept */
  struct hs_chebyshev chebyshev;
};

/* jacobi.c: sweeps of plain or weighted Jacobi until a verdict. */
hs_status hs_run_sweep(struct hs_run *run, struct hs_error *err);

/* chebyshev_run.c: the same with Chebyshev's acceleration. */
hs_status hs_run_chebyshev(struct hs_run *run, struct hs_error *err);

/* accept.c: is the field, where the sweeps have ended with a verdict, solved? If not, the verdict is what the run goes on,
 * or ends, with. */
hs_status hs_run_accept(struct hs_run *run, struct hs_error *err);

/* found.c: finds the error of the present field by cycles, once. False: it cannot be found. */
hs_status hs_run_find(struct hs_run *run, bool *known, struct hs_error *err);

/* found.c: do cycles decide about the error of the run's fields? */
bool hs_run_is_judged(const struct hs_run *run);

/* A radius that is not too small, from what has been found; 0: nothing. */
double hs_run_found_radius(const struct hs_run *run);

/* chebyshev_run.c: a recursion from the present field, with norms. */
hs_status hs_run_chebyshev_begin(struct hs_run *run, double rho, const struct hs_norms *norms, struct hs_error *err);

/* cycles.c: the solution by multigrid, and all of the outcome but its time. */
hs_status hs_run_multigrid(struct hs_run *run, struct hs_solve_outcome *outcome, struct hs_error *err);

/* Puts the backend's recursion to where the run is. */
hs_status hs_run_chebyshev_resume(struct hs_run *run, struct hs_error *err);

/* replay.c: back to the start of the last interval, of `length` sweeps, and forward to the first sweep at which the
 * test holds. */
hs_status hs_run_replay(struct hs_run *run, int64_t length, struct hs_error *err);

/* replay.c: back to the saved field and `sweeps` forward; *made of them where the run is interrupted meanwhile. */
hs_status hs_run_forward(struct hs_run *run, int64_t sweeps, int64_t *made, struct hs_error *err);

/* accept.c: the size up to which a sweep's update of the present field, of weight 1 or less, may be rounding. */
hs_status hs_run_rounding(const struct hs_run *run, double *update_k, struct hs_error *err);

/* All norms, measured again where the expected maxima gave sums a wrong scale. */
hs_status hs_run_norms(struct hs_run *run, struct hs_norms *norms, struct hs_error *err);

/* Keeps every stride-th evaluation; a full history drops every second row and doubles the stride. */
hs_status hs_run_remember(struct hs_run *run, const struct hs_check *check, struct hs_error *err);

/* point.c */

/* Keeps a point where one is due, and ends the run where it has been asked to, on any rank. Collective. */
hs_status hs_run_event(struct hs_run *run, struct hs_error *err);

/* Gives the present point to its keeper; goes on from one. */
hs_status hs_run_point_keep(struct hs_run *run, struct hs_error *err);
hs_status hs_run_point_resume(struct hs_run *run, const struct hs_solve_point *point, struct hs_error *err);

/* Shows the observer where the run is. */
void hs_run_progress(const struct hs_run *run);

/* Sets the test's tolerance for an interval from `start` on: none while a refused field is not asked about again. Returns
 * the sweeps left until then, 0 where the tolerance counts. */
int64_t hs_run_patience(struct hs_run *run, int64_t start);

#endif
