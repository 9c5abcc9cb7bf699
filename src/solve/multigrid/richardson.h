/* Steps of Richardson's iteration, x += w z, with the V-cycle as preconditioner: z = B r.
 *
 * A step needs no sum and no direction: one pass. A mode of the error whose eigenvalue of B A is lambda is left with its share
 * 1 - w lambda. Cycles that do well have all eigenvalues within [0.9, 1]: lengths are in turn the reciprocals of the
 * roots of the Chebyshev polynomial of degree 4 on that interval (D. M. Young, J. Math. Phys. 32, 1953), which leave 1e-6
 * after four steps. A contraction of max |z| by rho that is slower shows the mode that is left, lambda = (1 - rho) / w, and the
 * next length is its reciprocal. It is known one step late, as a step's length is chosen before its z is made.
 *
 * Where a contraction is poor, conjugate gradients go on from x; but the first one up to 0.5 after some that did well only takes
 * some of these back.
 *
 * The error of an iterate is about w z + z', z' the correction after it, or, if a mode of little lambda is all that is left,
 * at most z / lambda: the estimate is max(1.3 (w + rho), lambda^(-3/4)) max |z| with the worst of the last few steps.
 */
#ifndef HS_SOLVE_MULTIGRID_RICHARDSON_H
#define HS_SOLVE_MULTIGRID_RICHARDSON_H

#include "solve/multigrid/gradients.h"

/* Can steps of this system be such? Not where constants have to be taken out of z. */
bool hs_richardson_can(const struct hs_gradients *g);

/* The next iterate, x_next, its residual, and what z says of the error of x. */
hs_status hs_richardson_correct(struct hs_gradients *g, struct hs_error *err);

/* The estimate from z of x, and the largest correction before: of x when conjugate gradients take it over, too. */
void hs_richardson_estimate(struct hs_gradients *g, double before);

/* Is the correction of x as large as the one before, both of a few units in the last place of x, after steps enough that did
 * well? That is rounding, and says nothing of the contraction. */
bool hs_richardson_rests(const struct hs_gradients *g);

/* Takes the next iterate; from there on by conjugate gradients, if the contraction was poor. */
void hs_richardson_step(struct hs_gradients *g);

/* The next iterate again, from x and what a point has kept. */
hs_status hs_richardson_resume(struct hs_gradients *g, struct hs_error *err);

/* x += what nested iteration makes of its residual, and the residual there. */
hs_status hs_richardson_nested(struct hs_gradients *g, struct hs_error *err);

/* x += length along the change of the last step, and the residual there. */
hs_status hs_richardson_along_change(struct hs_gradients *g, double length, struct hs_error *err);

#endif
