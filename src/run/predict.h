/* The work of a run: sweeps, evaluations of the stop test, time steps. With a backend's costs (backend.h) it predicts the
 * time of a run: beforehand for the choice of a backend, afterwards from the sweeps that were made, for comparison with
 * the time that they took.
 */
#ifndef HS_RUN_PREDICT_H
#define HS_RUN_PREDICT_H

#include "backend/backend.h"
#include "solve/solve.h"
#include "time/transient.h"

struct hs_work {
  double sweeps, tests, steps; /* tests: evaluations of the stop test; steps: implicit time steps */
  double cycles, levels;       /* V-cycles of multigrid, and how often its levels are made */
};

/* Seconds that work takes by a backend's forecast, set-up apart. */
double hs_work_s(const struct hs_backend_cost *cost, const struct hs_work *work);

/* Work in sweeps of the finest grid, by which methods are compared: the same on every machine. */
double hs_work_sweeps(const struct hs_work *work);

/* A steady run of so many sweeps, or cycles; replayed: it ended with the search for the exact stop sweep. */
struct hs_work hs_work_steady(const struct hs_solve_settings *settings, double sweeps, bool replayed);

/* A transient run; timed: boundary values change with time. steps counts rejected ones, too. */
struct hs_work hs_work_transient(const struct hs_transient_settings *settings, bool timed, double sweeps, double steps);

/* The form of a run's sweeps. */
enum hs_form hs_work_form(enum hs_scheme scheme, enum hs_method method);

#endif
