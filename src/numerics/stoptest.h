/* The stop test: plain data and a decision, written once for host and device.
 *
 * A test is evaluated every check_every sweeps from the norms of the field at that point.
 * Only +, -, *, /, sqrt and comparisons are used (no libm function, whose last bit may differ
 * between host and device), so every backend takes the same decision at the same sweep.
 *
 * The remaining error. Once the slowest pair of modes +-rho dominates, the error of t_k is
 * e_k = A rho^k + B (-rho)^k, and the difference over two sweeps D = J(t_k) - t_(k-1)
 * = t_(k+1) - t_(k-1) is -(1 - rho^2)/rho times e_k for both modes, the checkerboard one included
 * (a single-sweep difference weights the checkerboard mode by (1+rho)/(1-rho) and misleads).
 * With rho = exp(-x), x the asymptotic convergence rate of the update's 2-norm per sweep,
 *
 *     |e_k| = |D| rho / (1 - rho^2) = |D| / (2 sinh x).
 *
 * Weighted sweeps with weight w have the factors mu = 1 - w + w rho and 1 - w - w rho in place of +-rho; D is then
 * (1 - rho)(1 + w/mu) times the smooth mode's error, where 1 - rho = (1 - mu)/w and mu = exp(-x), so that
 *
 *     |e_k| = |D| / (sinh x (1 + 1/w) + 2 sinh^2(x/2) (1 - 1/w)),
 *
 * plain sweeps being w = 1. What the estimate makes of the checkerboard mode is too large (by (1 - w)/(2w - 1) over
 * 1 - rho at most), and that mode is gone after some 1/(1 - w) sweeps.
 *
 * Before one mode dominates, x is too large and the estimate too small: the norms of a symmetric
 * iteration are log-convex in k, so x falls towards its limit. While many modes are left, the norm
 * falls like a power of k and x like 1/k: an interval of m sweeps changes x by the share m/k. Once one
 * mode dominates, x is constant. The estimate counts as converged when x changed by less than a tenth of
 * that share (or by 1e-6, near what rounding does to it), and only a converged estimate stops a run.
 */
#ifndef HS_NUMERICS_STOPTEST_H
#define HS_NUMERICS_STOPTEST_H

#include <stdint.h>
#include <string.h>

#include "numerics/exactsum.h"

enum hs_verdict {
  HS_VERDICT_RUNNING = 0,
  HS_VERDICT_CONVERGED,
  HS_VERDICT_LIMIT,       /* max_iterations reached, test not met */
  HS_VERDICT_DIVERGED,    /* growing without bound, infinite or NaN */
  HS_VERDICT_STAGNATED,   /* the update no longer falls, because of rounding */
  HS_VERDICT_INTERRUPTED, /* stopped by a signal */
  HS_VERDICT_COMPLETED,   /* a transient run reached its end */
  HS_VERDICT_RESCALE      /* internal: a maximum outgrew the scale of its sum; measure again */
};

/* Which quantity is compared with the tolerance; same order as enum hs_criterion of the configuration, and more. */
enum hs_stop_quantity {
  HS_STOP_UPDATE_L2,
  HS_STOP_UPDATE_MAX,
  HS_STOP_RESIDUAL,
  HS_STOP_ERROR,
  HS_STOP_CORRECTION /* correction_max, K; of inner solutions, no criterion of the configuration */
};

/* Norms of a field t_k and its predecessor t_(k-1), over the free nodes. */
struct hs_norms {
  double update_l2;      /* ||t_k - t_(k-1)||_2, K */
  double update_max;     /* max |t_k - t_(k-1)|, K */
  double residual_l2;    /* ||b - A t_k||_2, W/m; in double precision whatever the field's */
  double residual_max;   /* max |b - A t_k|, W/m */
  double two_sweep_max;  /* max |J(t_k) - t_(k-1)|, K */
  double correction_max; /* max |J(t_k) - t_k|, K; in double precision whatever the field's */
};

/* What is expected of the largest update and residual, from which sums take their scale; 0: unknown. */
struct hs_bounds {
  double update_max;   /* K */
  double residual_max; /* W/m */
};

/* The test, constant during a run. */
struct hs_stop_test {
  enum hs_stop_quantity quantity;
  double tolerance;
  double residual_initial_l2; /* W/m */
  double update_first_max;    /* K, largest update of the first sweep; growth is measured against it */
  int64_t max_sweeps;
  int32_t check_every;
  int32_t full_norms; /* 0: the check computes the update's norms only, fused with the sweep */
  double weight;      /* of weighted sweeps; 1, or 0, for plain ones */
};

/* One evaluation; a row of the convergence history. What was not computed is NaN. */
struct hs_check {
  int64_t sweeps;
  struct hs_norms norms;
  double residual_relative;
  double error_estimate_k;
};

/* What an evaluation leaves for the next one. */
struct hs_stop_state {
  int64_t sweeps; /* done so far */
  int32_t verdict;
  int32_t estimate_converged; /* the error estimate can be believed; see above */
  struct hs_bounds bounds;
  int64_t last_sweeps; /* of the previous evaluation, 0 before the first */
  double last_update_l2;
  double convergence_rate; /* x above, per sweep; 0 while unknown */
  double rate_converged;   /* the latest converged one, 0 before */
  struct hs_check check;   /* the latest evaluation */
};

HS_INLINE int hs_is_finite(double x)
{
  return x - x == 0.0;
}

/* Natural logarithm of a positive normal number, by exponent and the series of artanh. */
HS_INLINE double hs_plain_log(double x)
{
  const double ln2 = 0.69314718055994530942;
  uint64_t bits;
  int exponent, k;
  double z, z2, sum = 0.0;
  memcpy(&bits, &x, sizeof bits);
  exponent = (int)(bits >> 52) - 1023;
  bits = (bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL;
  memcpy(&x, &bits, sizeof x);
  if (x > 1.4142135623730951) {
    x = x * 0.5;
    exponent++;
  }
  z = (x - 1.0) / (x + 1.0);
  z2 = z * z;
  HS_UNROLL
  for (k = 23; k >= 1; k -= 2) sum = sum * z2 + 1.0 / k; /* unrolled, so that 1/k is a constant */
  return exponent * ln2 + 2.0 * z * sum;
}

/* sinh of x >= 0, by its series after halving (sinh 2y = 2 sinh y cosh y). */
HS_INLINE double hs_plain_sinh(double x)
{
  double s, c, x2;
  int k, halvings = 0;
  if (x > 700.0) x = 700.0;
  while (x > 0.5) {
    x = x * 0.5;
    halvings++;
  }
  x2 = x * x;
  s = 1.0;
  HS_UNROLL
  for (k = 15; k >= 3; k -= 2) s = 1.0 + s * x2 * (1.0 / (k * (k - 1)));
  s = s * x;
  c = sqrt(1.0 + s * s);
  for (k = 0; k < halvings; k++) {
    s = 2.0 * s * c;
    c = sqrt(1.0 + s * s);
  }
  return s;
}

/* Convergence rate per sweep between two update norms that lie `sweeps` sweeps apart; 0 when it cannot be told. */
HS_INLINE double hs_stop_convergence_rate(double before_l2, double now_l2, int64_t sweeps)
{
  if (!(before_l2 > 1e-300) || !(now_l2 > 1e-300) || sweeps < 1 || !(now_l2 < before_l2)) return 0.0;
  return hs_plain_log(before_l2 / now_l2) / (double)sweeps;
}

/* Has the estimate converged by the rule above? The last `interval` of `sweeps` sweeps changed the convergence rate. */
HS_INLINE int hs_stop_estimate_converged(double convergence_rate, double convergence_rate_before, int64_t interval,
                                         int64_t sweeps)
{
  const double share = 0.1 * (double)interval / (double)sweeps;
  const double change = convergence_rate > convergence_rate_before ? convergence_rate - convergence_rate_before
                                                                   : convergence_rate_before - convergence_rate;
  if (!(convergence_rate > 0.0) || !(convergence_rate_before > 0.0)) return 0;
  return change <= (share > 1e-6 ? share : 1e-6) * convergence_rate;
}

/* The error estimate of the header comment; NaN when there is no convergence rate to estimate from. */
HS_INLINE double hs_stop_error_estimate(double two_sweep_max, double convergence_rate)
{
  if (two_sweep_max == 0.0) return 0.0;
  if (!(convergence_rate > 0.0)) return NAN;
  return two_sweep_max / (2.0 * hs_plain_sinh(convergence_rate));
}

/* The same for sweeps of weight w; w = 1 gives the bits of plain sweeps. */
HS_INLINE double hs_stop_error_weighted(double two_sweep_max, double convergence_rate, double w)
{
  double half;
  if (w == 1.0 || w == 0.0 || two_sweep_max == 0.0 || !(convergence_rate > 0.0))
    return hs_stop_error_estimate(two_sweep_max, convergence_rate);
  half = hs_plain_sinh(0.5 * convergence_rate);
  return two_sweep_max / (hs_plain_sinh(convergence_rate) * (1.0 + 1.0 / w) + 2.0 * half * half * (1.0 - 1.0 / w));
}

/* The value that the test compares with its tolerance. */
HS_INLINE double hs_stop_value(enum hs_stop_quantity quantity, const struct hs_check *check)
{
  switch (quantity) {
  case HS_STOP_UPDATE_L2: return check->norms.update_l2;
  case HS_STOP_UPDATE_MAX: return check->norms.update_max;
  case HS_STOP_RESIDUAL: return check->residual_relative;
  case HS_STOP_ERROR: return check->error_estimate_k;
  case HS_STOP_CORRECTION: return check->norms.correction_max;
  }
  return NAN;
}

/* Does the maximum found differ so much from the expected one, `bound`, that the sum is not exact, or not precise? */
HS_INLINE int hs_stop_misses_scale(double maximum, double bound)
{
  if (!hs_is_finite(maximum) || maximum == 0.0) return 0;
  return maximum > HS_SUM_SLACK * bound || maximum * HS_SUM_STALE < bound;
}

HS_INLINE int hs_stop_needs_rescale(const struct hs_norms *norms, const struct hs_bounds *bounds)
{
  return hs_stop_misses_scale(norms->update_max, bounds->update_max) ||
         hs_stop_misses_scale(norms->residual_max, bounds->residual_max);
}

/* Has the update stopped falling, at a size far below the first one? In exact arithmetic plain Jacobi's
 * largest update never grows, and one of its norms falls as long as it is not 0: what stops it is rounding.
 * A field that does not change at all has stagnated, too. */
HS_INLINE int hs_stop_stagnates(const struct hs_stop_test *test, const struct hs_stop_state *state,
                                const struct hs_norms *norms)
{
  if (norms->update_l2 == 0.0) return 1;
  return state->last_sweeps > 0 && norms->update_l2 >= state->last_update_l2 &&
         norms->update_max >= state->bounds.update_max && norms->update_max < 1e-3 * test->update_first_max;
}

/* Evaluates the test on the norms of the field after state->sweeps sweeps: fills state->check,
 * renews the bounds and the convergence rate, and returns the verdict (also in state->verdict). */
HS_INLINE int hs_stop_evaluate(const struct hs_stop_test *test, struct hs_stop_state *state,
                               const struct hs_norms *norms)
{
  struct hs_check *check = &state->check;
  const int stagnates = hs_stop_stagnates(test, state, norms);
  const int64_t interval = state->sweeps - state->last_sweeps;
  const double convergence_rate = hs_stop_convergence_rate(state->last_update_l2, norms->update_l2, interval);
  double value;

  if (hs_stop_needs_rescale(norms, &state->bounds)) {
    state->verdict = HS_VERDICT_RESCALE;
    return state->verdict;
  }
  state->estimate_converged =
      hs_stop_estimate_converged(convergence_rate, state->convergence_rate, interval, state->sweeps);
  state->convergence_rate = convergence_rate;
  if (state->estimate_converged) state->rate_converged = convergence_rate;
  state->last_update_l2 = norms->update_l2;
  state->last_sweeps = state->sweeps;
  state->bounds.update_max = norms->update_max;
  if (test->full_norms) state->bounds.residual_max = norms->residual_max;

  check->sweeps = state->sweeps;
  check->norms = *norms;
  check->residual_relative = norms->residual_l2 == 0.0 ? 0.0 : norms->residual_l2 / test->residual_initial_l2;
  check->error_estimate_k = hs_stop_error_weighted(norms->two_sweep_max, convergence_rate, test->weight);

  value = hs_stop_value(test->quantity, check);
  if (!hs_is_finite(norms->update_l2) || norms->update_max > 1e6 * test->update_first_max)
    state->verdict = HS_VERDICT_DIVERGED;
  else if (value <= test->tolerance &&
           (test->quantity != HS_STOP_ERROR || state->estimate_converged || norms->two_sweep_max == 0.0))
    state->verdict = HS_VERDICT_CONVERGED;
  else if (stagnates)
    state->verdict = HS_VERDICT_STAGNATED;
  else if (state->sweeps >= test->max_sweeps)
    state->verdict = HS_VERDICT_LIMIT;
  else
    state->verdict = HS_VERDICT_RUNNING;
  return state->verdict;
}

#endif
