/* Time steps: the explicit scheme, backward Euler and Crank-Nicolson on any backend.
 *
 *     explicit         C (T' - T)/dt = b - K T                 one weighted sweep
 *     backward Euler   (C/dt + K) T' = C/dt T + b'             an inner solution by sweeps
 *     Crank-Nicolson   (2C/dt + K) T' = (2C/dt - K) T + b + b'
 *
 * (Patankar 1980, ch. 4.3; Crank and Nicolson 1947.) An inner solution starts from the field before the step; cycles
 * first go along the change in the step before. It is accepted when its error in the max norm is at most
 * inner_tolerance_k: that of sweeps by a bound that holds strictly, for rows of the weights sum to at most
 * `contraction` < 1.
 *
 * Crank-Nicolson multiplies a mode of the field that a step is long for by nearly -1, so a jump at the start, of a wall to
 * its neighbours or of two bodies, would ring for many steps. So for the time of the first damped_steps, unless they are
 * adaptive, each step is made as two of backward Euler of half its length, which have the same matrix: those modes vanish,
 * and the second order stays (Rannacher, Numer. Math. 43, 1984; Luskin and Rannacher, Applicable Analysis 14, 1982).
 *
 * Boundary values of an explicit step: a Dirichlet node gets its temperature at the step's end, while its neighbours
 * still use that at the step's beginning, as the scheme demands. Fluxes and ambient temperatures are those of the step's
 * end as well, which is of first order like the scheme and needs only one set of constants a step.
 *
 * The adaptive step compares one step with two half steps (step doubling; Hairer, Norsett, Wanner, Solving Ordinary
 * Differential Equations I, II.4) and goes on from the two. It is chosen such that their difference is step_tolerance_k,
 * or a few units in the last place of the largest temperature where that is more.
 */
#ifndef HS_TIME_TRANSIENT_H
#define HS_TIME_TRANSIENT_H

#include "problem/problem.h"
#include "problem/system.h"
#include "solve/solve.h"
#include "time/discretisation.h"

struct hs_transient_outcome {
  enum hs_verdict verdict; /* COMPLETED, LIMIT (an inner solution did not meet its tolerance), DIVERGED, INTERRUPTED */
  double time_s;           /* reached */
  int64_t steps, rejected_steps, sweeps;
  double step_smallest_s, step_largest_s;
  double inner_error_k;     /* largest bound of an inner solution's error */
  double step_error_k;      /* adaptive: largest accepted estimate of a step's error; else NaN */
  int64_t steps_at_minimum; /* adaptive: steps of step_min_s that were accepted with too large an error */
  double content_start_j_m; /* filled by hs_job_run */
  double solve_s;
};

/* The state of a run at the end of a step: all that later steps depend on, besides the field and the change in the step. */
struct hs_transient_point {
  double time_s;
  double event_s;       /* the latest snapshot that was taken, or the start */
  int64_t event_steps;  /* whole steps since then */
  double planned_s;     /* adaptive: the next step */
  double ulp_k;         /* unit in the last place of the largest temperature, as last measured */
  int64_t ulp_steps;    /* steps at which it is measured again */
  int64_t inner_sweeps; /* of the last inner solution */
  bool has_change;      /* multigrid has the change in the last step, hs_multigrid_change_fetch */
  struct hs_transient_outcome so_far;
};

/* A field at a time: of the start, of each snapshot, of the end. */
struct hs_snapshot {
  double time_s;
  int64_t steps;
  const double *field_k;                  /* [ny*nx] */
  const struct hs_system *system;         /* with the boundary values of that time */
  const struct hs_transient_point *point; /* from which a run can go on */
};

/* Who keeps points between snapshots, as struct hs_solve_keeper. room: [ny*nx], where now->field_k is until something else is
 * written there. */
struct hs_transient_keeper {
  bool (*due)(void *context);
  hs_status (*keep)(void *context, const struct hs_snapshot *now, double *room, struct hs_error *err);
  void *context;
};

struct hs_transient_settings {
  enum hs_scheme scheme;
  double start_s, end_s;
  double step_s;    /* > 0; the last step before a snapshot or the end is shortened to meet it */
  int damped_steps; /* Crank-Nicolson, not adaptive: at the start; else 0 */
  bool adaptive;
  double step_tolerance_k, step_min_s, step_max_s;
  double inner_tolerance_k;
  const double *snapshots_s; /* [snapshot_count], ascending, > start_s and <= end_s */
  int snapshot_count;
  enum hs_method method; /* of the inner solution */
  double weight;
  struct hs_multigrid *multigrid; /* of HS_METHOD_MULTIGRID, for the first discretisation; not owned */
  int64_t max_iterations;         /* of one inner solution */
  bool single;                    /* precision of the backend's field */
  double sweep_s;
  struct hs_transient_keeper keeper;
  const struct hs_transient_point *from; /* whose field, and change, backend and multigrid were loaded with; NULL: from
                                          * start_s, and multigrid is new */
};

/* Called with the fields in order; NULL for none. Its failure ends the run. */
struct hs_snapshot_taker {
  hs_status (*take)(void *context, const struct hs_snapshot *snapshot, struct hs_error *err);
  void *context;
};

/* Runs from the field that the backend was loaded with; a run that goes on from a point gives the bits of one that was
 * never interrupted, and does not hand out its snapshots again. The backend was made for discretisation->now, which
 * moves on with time and step; an implicit scheme needs one that was made for a storing system. An interruption undoes an
 * implicit step that has begun. Errors: HS_ERR_MEMORY, HS_ERR_DEVICE, those of taker and of hs_discretisation_set. */
hs_status hs_transient_run(struct hs_discretisation *discretisation, const struct hs_transient_settings *settings,
                           const struct hs_backend *backend, struct hs_backend_state *state,
                           const struct hs_solve_observer *observer, const struct hs_snapshot_taker *taker,
                           struct hs_transient_outcome *outcome, struct hs_error *err);

#endif
