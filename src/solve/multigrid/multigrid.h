/* Multigrid: the levels of an operator, and Richardson's iteration and conjugate gradients that one symmetric V-cycle a step
 * preconditions.
 *
 * The method, with its sources, is in doc/numerics.md. In short: Galerkin operators with operator-dependent interpolation,
 * coarsening in x, in y or both, as the couplings ask for; two Jacobi sweeps before and after each coarser level, weighted
 * by the fourth-kind Chebyshev polynomial (Lottes, Numer. Linear Algebra Appl. 30, 2023), or solves on segments of lines where
 * anisotropy is left; cycles, directions and residuals in single precision, the field in double.
 */
#ifndef HS_SOLVE_MULTIGRID_MULTIGRID_H
#define HS_SOLVE_MULTIGRID_MULTIGRID_H

#include <stdbool.h>

#include "backend/backend.h"
#include "backend/linear.h"
#include "solve/solve.h"

/* A cycle and its step in plain sweeps of the finest grid, by the memory that is moved: what
 * src/solve/work.c makes of usual levels, 6.6 to 10. */
#define HS_CYCLE_WORK_SWEEPS 8.0

struct hs_multigrid; /* the levels and vectors of one system on one backend */

/* Makes the levels for a system, which must outlive them. state: NULL, or the backend's state of that system, of which a copy
 * on the device is used again. The caller destroys *multigrid. Errors: HS_ERR_MEMORY, HS_ERR_DEVICE; HS_ERR_UNSUPPORTED where
 * the backend has no operators. */
hs_status hs_multigrid_create(const struct hs_backend *backend, const struct hs_system *system,
                              const struct hs_backend_options *options, const struct hs_backend_state *state,
                              struct hs_multigrid **multigrid, struct hs_error *err);

/* The same for estimates alone, where a backend without operators uses those of the cpu backend on its fetched field. */
hs_status hs_multigrid_create_beside(const struct hs_backend *backend, const struct hs_system *system,
                                     const struct hs_backend_options *options, const struct hs_backend_state *state,
                                     struct hs_multigrid **multigrid, struct hs_error *err);

void hs_multigrid_destroy(struct hs_multigrid *multigrid); /* NULL is accepted */

int hs_multigrid_levels(const struct hs_multigrid *multigrid); /* how many there are */

/* Takes over another discretisation of the same nodes; weights_changed as in hs_backend.update. x and a step that has
 * begun stay. */
hs_status hs_multigrid_update(struct hs_multigrid *multigrid, const struct hs_system *system, bool weights_changed,
                              struct hs_error *err);

/* x, from which solutions start, becomes the present field of a state of the backend; and back, where it becomes both fields
 * as by hs_backend.load. */
hs_status hs_multigrid_take(struct hs_multigrid *multigrid, struct hs_backend_state *state, struct hs_error *err);
hs_status hs_multigrid_give(struct hs_multigrid *multigrid, struct hs_backend_state *state, struct hs_error *err);

/* The fields of a point that cycles have kept: x (HS_FIELD_NOW) and the direction (HS_FIELD_SAVED), [ny*nx] of the system;
 * out, and back in. */
hs_status hs_multigrid_fetch(struct hs_multigrid *multigrid, enum hs_field_role role, double *field,
                             struct hs_error *err);
hs_status hs_multigrid_load(struct hs_multigrid *multigrid, enum hs_field_role role, const double *field,
                            struct hs_error *err);

/* Begins an implicit time step from x, whose boundary values are still the old ones. trapezoid: Crank-Nicolson; else
 * backward Euler. */
hs_status hs_multigrid_step(struct hs_multigrid *multigrid, bool trapezoid, struct hs_error *err);

/* The step that was solved last is accepted: the change of x in it, which solutions of later steps begin with. */
hs_status hs_multigrid_accept(struct hs_multigrid *multigrid, struct hs_error *err);

/* That change, [ny*nx] K of single precision, out and in; whether there is one. */
bool hs_multigrid_has_change(const struct hs_multigrid *multigrid);
hs_status hs_multigrid_change_fetch(struct hs_multigrid *multigrid, double *change_k, struct hs_error *err);
hs_status hs_multigrid_change_load(struct hs_multigrid *multigrid, const double *change_k, struct hs_error *err);

/* settings->from: goes on from there, with its fields loaded. settings->keeper: is given points, whose fields are this
 * multigrid's (state NULL).
 * settings->accept: is asked with state NULL, about x. Improves x until the estimated error, or the residual's share of the
 * first, is within settings' tolerance, and x is accepted. outcome: all but what the backend's norms give. Not converging is
 * an outcome. Errors: HS_ERR_MEMORY, HS_ERR_DEVICE. */
hs_status hs_multigrid_solve(struct hs_multigrid *multigrid, const struct hs_solve_settings *settings,
                             const struct hs_solve_observer *observer, struct hs_solve_outcome *outcome,
                             struct hs_error *err);

/* What cycles find of a steady field. */
struct hs_estimate {
  double error_k; /* max |error|, hardly ever less than the true one, at least a few units in the last place */
  bool settled;   /* what is not known of it is a small share */
  double least; /* eigenvalue of B A that has been seen, B a cycle; to be kept from one estimate to the next. 0: none */
  double gap;   /* e A e / e D e, D the diagonal: 1 - Jacobi's spectral radius is no larger; NaN: not known */
  int cycles;   /* that it took */
  double work_sweeps; /* the same as plain sweeps */
};

/* Of levels from hs_multigrid_create_beside. Fills in all of estimate but that its `least` is what is known before. The error
 * of x, which is lost: x becomes the error itself. Near around_k the estimate is sharper, so that it can be told which one is larger. error_k is NaN where
 * the field is not finite. Errors: HS_ERR_MEMORY, HS_ERR_DEVICE. */
hs_status hs_multigrid_estimate(struct hs_multigrid *multigrid, double around_k, bool with_gap,
                                struct hs_estimate *estimate, struct hs_error *err);

#endif
