/* Relaxed sweeps: what a sweep does with J(t), the result of plain Jacobi.
 *
 *     Jacobi      t_(k+1) = J(t_k)
 *     weighted    t_(k+1) = t_k     + w (J(t_k) - t_k),            w = weight * relax of the node's stencil
 *     Chebyshev   t_(k+1) = t_(k-1) + omega_(k+1) (J(t_k) - t_(k-1))
 *
 * computed by hs_node_relax (node.h). The explicit time scheme is a weighted sweep with weight 1, its relax being
 * step * diagonal / capacity. Chebyshev's omega for a spectral radius rho of J (Hageman and Young, Applied
 * Iterative Methods, 1981, ch. 4): omega_1 = 1 (a plain sweep, which reads no predecessor),
 * omega_2 = 1 / (1 - rho^2 / 2), omega_(k+1) = 1 / (1 - rho^2 omega_k / 4). Single precision takes omega
 * and weight rounded; weight * relax is multiplied in the field's precision.
 */
#ifndef HS_NUMERICS_RELAXATION_H
#define HS_NUMERICS_RELAXATION_H

#include "numerics/node.h"

enum hs_form { HS_FORM_JACOBI, HS_FORM_WEIGHTED, HS_FORM_CHEBYSHEV };

struct hs_relaxation {
  enum hs_form form;
  double weight; /* weighted: > 0 and <= 1 */
  double rho;    /* Chebyshev: 0 <= rho < 1 */
  double omega;  /* Chebyshev: of the sweep before, where a recursion is gone on with; 0: it starts */
};

/* The omega that follows `omega`; the first one follows 0. */
HS_INLINE double hs_chebyshev_next(double omega, double rho)
{
  if (omega == 0.0) return 1.0;
  if (omega == 1.0) return 1.0 / (1.0 - 0.5 * (rho * rho));
  return 1.0 / (1.0 - 0.25 * ((rho * rho) * omega));
}

/* omega after `sweeps` sweeps of a recursion. Rounding is monotone, so omega is, too, and comes to rest after a while. */
HS_INLINE double hs_chebyshev_omega(double rho, int64_t sweeps)
{
  double omega = 0.0;
  for (int64_t k = 0; k < sweeps; k++) {
    const double next = hs_chebyshev_next(omega, rho);
    if (next == omega) break;
    omega = next;
  }
  return omega;
}

/* Form and weight of the next sweep. *omega is the latest of Chebyshev's recursion, 0 at its start, and is advanced here.
 * A Chebyshev sweep with an omega of 1 is plain: the first one, and with rho = 0 every one. */
HS_INLINE enum hs_form hs_relaxation_next(const struct hs_relaxation *relaxation, double *omega, double *weight)
{
  *weight = relaxation->weight;
  if (relaxation->form != HS_FORM_CHEBYSHEV) return relaxation->form;
  *omega = hs_chebyshev_next(*omega, relaxation->rho);
  *weight = *omega;
  return *omega == 1.0 ? HS_FORM_JACOBI : HS_FORM_CHEBYSHEV;
}

#endif
