/* The solution of one linear system on one backend: sweeps until the stop test holds. A steady problem is one
 * such system, an implicit time step another. */
#ifndef HS_SOLVE_SOLVE_H
#define HS_SOLVE_SOLVE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "backend/backend.h"
#include "base/status.h"
#include "config/config.h"
#include "numerics/stoptest.h"
#include "problem/system.h"
#include "solve/point.h"

/* A second criterion for a field that meets the test: is its energy balance good enough, too? The field is in the backend.
 * state NULL with hs_multigrid_solve, which has the field itself.
 * left_k: the error that is left where the field has stagnated, so that nothing will make it better; else 0.
 * *accepted false: go on. */
struct hs_solve_accept {
  hs_status (*accept)(void *context, struct hs_backend_state *state, double left_k, bool *accepted,
                      struct hs_error *err);
  void *context;
};

struct hs_multigrid; /* solve/multigrid.h */
struct hs_judge;     /* solve/judge.h */

struct hs_solve_settings {
  enum hs_stop_quantity quantity;
  double tolerance;
  int64_t max_iterations;
  int check_every;
  enum hs_method method;
  double weight;                  /* of HS_METHOD_WEIGHTED */
  struct hs_multigrid *multigrid; /* of HS_METHOD_MULTIGRID, for the system; not owned */
  bool exact_stop;                /* look for the exact stop sweep where that can be found (steady runs: yes) */
  struct hs_solve_accept accept;  /* accept NULL: the test alone decides */
  struct hs_judge *judge;         /* finds errors by cycles, not for multigrid itself; NULL: the history tells them */
  bool single;                    /* precision of the backend's field, which decides what counts as rounding */
  double sweep_s;                 /* expected time of a sweep, to pace the first events; 0: unknown */
  double expected_sweeps;         /* forecast of the whole run, for who watches it; 0: unknown */
  struct hs_solve_keeper keeper;  /* keep NULL: no points are kept */
  const struct hs_solve_point *from; /* go on from there, with its fields in the backend; NULL: from the start */
};

/* A look at a run in progress, about ten times a second. Multigrid's cycles count as sweeps. */
struct hs_solve_progress {
  int64_t sweeps, max_sweeps;
  enum hs_stop_quantity quantity;
  double value, tolerance; /* of the tested quantity; NaN before the first evaluation */
  double convergence_rate; /* of the update's 2-norm per sweep, 0 while unknown */
  double expected_sweeps;  /* of the whole run by its forecast; 0: unknown */
  double elapsed_s;
  double start_s, time_s, end_s; /* transient runs: start, time reached, end; end_s 0 for steady ones */
  int64_t steps;                 /* transient runs: steps done; sweeps is then the number of sweeps of all steps */
};

/* Who watches a run. Both members may be NULL. Of several ranks each has its own; a stop that any of them requests is that of
 * all. */
struct hs_solve_observer {
  void (*progress)(void *context, const struct hs_solve_progress *progress);
  void *context;
  const volatile sig_atomic_t *stop_requested; /* non-zero: finish at the next event */
};

/* How a run ended. */
struct hs_solve_outcome {
  enum hs_verdict verdict;
  int64_t sweeps;             /* multigrid: cycles */
  double work_sweeps;         /* the same as plain sweeps of the finest grid, by the memory that is moved */
  struct hs_norms norms;      /* of the final field */
  double residual_initial_l2; /* W/m */
  double residual_relative;
  double error_estimate_k;  /* NaN when it cannot be told */
  bool estimate_converged;  /* the estimate can be believed; see numerics/stoptest.h */
  bool found_by_cycles;     /* the estimate is from the field's own residual, not from the history */
  double convergence_rate;  /* of the update's 2-norm per sweep; 0 when unknown */
  double spectral_radius;   /* Chebyshev: the estimate in use at the end; else exp(-convergence_rate), 0 when unknown */
  int restarts;             /* Chebyshev: changes of that estimate */
  int64_t unbalanced_at;    /* first sweep at which the test held and the field was not accepted; 0 if none */
  bool exact_stop;          /* the stop sweep is the first at which the test holds, not the first check */
  struct hs_check *history; /* [history_count], owned by the outcome */
  int history_count;
  double solve_s; /* wall-clock time of the sweeps and tests, transfers excluded */
};

/* Can the exact stop sweep be found by replaying the last interval? True where the tested norm falls monotonically: the max
 * norm always, 2-norms where the iteration matrix is symmetric. */
bool hs_solve_stop_is_exact(const struct hs_system *system, enum hs_stop_quantity quantity);

/* The interval to use where tests are wanted every check_every sweeps. The error is estimated from the convergence rate
 * between two tests. Modes that change sign from sweep to sweep make the update's norm differ between odd and even
 * sweeps, so an odd number becomes the next even one there. */
int hs_solve_interval(enum hs_stop_quantity quantity, int check_every);

/* Collective over the ranks of the system. Runs backend (already created and loaded with the initial field) until the test
 * holds. The final field stays in the backend. Errors: HS_ERR_MEMORY, HS_ERR_DEVICE; not converging is an outcome. */
hs_status hs_solve(const struct hs_system *system, const struct hs_solve_settings *settings,
                   const struct hs_backend *backend, struct hs_backend_state *state,
                   const struct hs_solve_observer *observer, struct hs_solve_outcome *outcome, struct hs_error *err);

void hs_solve_outcome_clear(struct hs_solve_outcome *outcome); /* frees what the outcome owns */

/* "converged", "iteration-limit", "diverged", "stagnated", "interrupted". */
const char *hs_verdict_name(enum hs_verdict verdict);

/* Has a run that ended so nothing left to do? One that met its limit or was interrupted can be gone on with. */
bool hs_verdict_is_final(enum hs_verdict verdict);

/* Exit code of a run that ended so. */
int hs_verdict_exit_code(enum hs_verdict verdict);

#endif
