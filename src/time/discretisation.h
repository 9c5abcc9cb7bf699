/* The discretisations that time steps go through: one system after another over the same nodes.
 *
 * Another time means other boundary values, another step other stencils. Neither changes a system that somebody has:
 * a new one is made beside it, and the backend is told (hs_backend.update). Two are kept and take turns; the first one
 * is the system of the job where that fits.
 */
#ifndef HS_TIME_DISCRETISATION_H
#define HS_TIME_DISCRETISATION_H

#include "problem/problem.h"
#include "problem/system.h"

struct hs_discretisation {
  const struct hs_problem *problem; /* NULL: nothing depends on time */
  const struct hs_system *base;     /* at the start of the run */
  const struct hs_system *now;      /* the latest; valid until the next but one is made */
  double time_s;                    /* of now's boundary values */
  struct hs_system *made[2];        /* NULL until needed */
  double *diagonal_w_mk;            /* [table_size] of a step's end; NULL until needed */
};

/* Begins with a system for time_s and steps of step_s. problem and base must outlive d, which the caller clears after
 * the backend that has a system of it. Errors: HS_ERR_MEMORY, those of hs_problem_time_set. */
hs_status hs_discretisation_begin(struct hs_discretisation *d, const struct hs_problem *problem,
                                  const struct hs_system *base, enum hs_scheme scheme, double time_s, double step_s,
                                  struct hs_error *err);

/* d->now becomes one for time_s and step_s; *weights_changed: whether more than constants differs from the one before.
 * Errors: HS_ERR_MEMORY, those of hs_problem_time_set. */
hs_status hs_discretisation_set(struct hs_discretisation *d, double time_s, double step_s, bool *weights_changed,
                                struct hs_error *err);

/* d->now becomes the one by which hs_backend.step makes the right-hand side of a Crank-Nicolson step from d->time_s to
 * until_s over which conductances change (hs_system_discretise_start). hs_discretisation_set for until_s must follow.
 * Errors as above. */
hs_status hs_discretisation_set_start(struct hs_discretisation *d, double until_s, double step_s, struct hs_error *err);

void hs_discretisation_clear(struct hs_discretisation *d); /* a cleared or zeroed one is accepted */

#endif
