/* A point of a solution in progress, from which it can be gone on with as if nothing had happened.
 *
 * It holds all that later sweeps, tests and the outcome depend on, beside the fields, which are in the backend. What is
 * constant during a run (settings, system, method) is not in it: a run that goes on has the same.
 */
#ifndef HS_SOLVE_POINT_H
#define HS_SOLVE_POINT_H

#include "backend/backend.h"
#include "numerics/stoptest.h"
#include "solve/chebyshev.h"

/* The error that cycles have found last. */
struct hs_found {
  int64_t sweeps; /* of the field; 0: none has been found */
  double error_k; /* at most, if it is settled */
  bool settled;
  double least, gap;  /* as in struct hs_estimate */
  double stagnated_k; /* found at the latest stagnation that was not final; 0: there was none */
};

enum {
  HS_CYCLES_LANCZOS = 128, /* coefficients that are kept */
  HS_CYCLES_RATIOS = 4     /* ratios of the last steps that count */
};

/* Where multigrid's steps stand before one: x and p are the fields now and saved. Members as in struct hs_gradients. */
struct hs_cycles_point {
  bool begun; /* else all is 0 */
  bool richardson, nested, has_direction;
  int told, lanczos, ratio_count, flat, astray;
  int64_t steps, corrections, corrections_richardson;
  double length, length_before, contraction;
  double zr, zr_before, pq, mean, z_max, scale, residual_max, residual_l2;
  double least, floor_k, estimate_k;
  double alphas[HS_CYCLES_LANCZOS], betas[HS_CYCLES_LANCZOS], ratios[HS_CYCLES_RATIOS];
  double first_l2;  /* residual at the start of the present solution */
  double start_k;   /* its first correction */
  double least_zr;  /* energy of its residuals */
  double tolerance; /* that the field has to meet now */
};

struct hs_solve_point {
  struct hs_stop_state stop; /* RUNNING; or CONVERGED, where the exact stop sweep is being looked for */
  double residual_initial_l2, update_first_max; /* of the stop test */
  struct hs_bounds bounds_at_save;              /* these four as in struct hs_run */
  double value_at_save, convergence_rate_before;
  int64_t ask_from;
  int64_t look_from;
  int64_t unbalanced_at;
  struct hs_found found;
  struct hs_chebyshev chebyshev;
  struct hs_cycles_point cycles;
  int64_t checks_seen, stride;
  const struct hs_check *history; /* [history_count], not owned */
  int history_count;
  bool has_before, has_saved; /* fields that are needed beside the present one */
  double solve_s;             /* wall-clock time until then */
};

/* Who keeps such points. */
struct hs_solve_keeper {
  bool (*due)(void *context); /* asked at events; a run that is asked to stop gives its point without being asked */
  /* The fields are in the backend's state, which must come back as it was. Its failure ends the run. NULL: none are
   * wanted. */
  hs_status (*keep)(void *context, const struct hs_solve_point *point, struct hs_backend_state *state,
                    struct hs_error *err);
  void *context;
};

#endif
