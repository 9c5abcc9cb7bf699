/* The estimate of the spectral radius for Chebyshev's acceleration, adapted during the run, and the error estimate.
 *
 * Expected. With the estimate rho and a = acosh(1/rho), p sweeps after the start of the recursion every mode of J within
 * +-rho has shrunk to E(p) = 1/cosh(p a) of its start or less (Hageman and Young, Applied Iterative Methods, 1981,
 * ch. 4 to 6). A mode rho' beyond shrinks more slowly, to cosh(p b)/cosh(p a) with b = acosh(rho'/rho).
 *
 * Observed. B(p) is the residual's norm over that at the start. While rho is large enough, B/E does not grow; otherwise
 * it grows, in the end like exp(b p), however small the mode's share was at the start. So b is taken from the growth of
 * log(B/E) over the later half of the sweeps, and the recursion is restarted with rho cosh(b) when the observed
 * convergence rate a - b is less than DAMPING times the expected a (their damping factor). While several modes lie
 * beyond, b and the new estimate are too small, and it is corrected again. An estimate that is too large cannot make the
 * iteration diverge, but it slows it down. So growth counts only where two norms show it, where B itself is larger than
 * E, and relative to the highest earlier value of the recursion: interference of modes must not be taken for growth.
 *
 * Error. Let d be the distance that the field moved between two evaluations, and r the convergence rate per sweep of those
 * distances or the expected one, whichever is smaller. Then e = d q/(1 - q), q = exp(-r interval). A very slow mode shows
 * neither in B nor in d at first. So the estimate counts as converged only when the recursion has run for CONVERGED_AFTER
 * expected e-foldings without a reason to change rho: by then a mode whose share of d was e^-7 has become all of it.
 * E-foldings observed before a restart count, too, if 1 - rho was changed by a factor of 4 at most: such a mode has
 * gained as many on the others.
 *
 * Rounding. Small problems may be solved to the last bit between two evaluations. Once the correction is rounding, the error
 * of a mode rho is at most correction/(1 - rho); this is evaluated for the slowest mode that the estimate may have missed,
 * whose 1 - rho is smaller by LARGEST_RAISE. It counts as converged when the residual has fallen by CONVERGED_AFTER
 * e-foldings before.
 */
#ifndef HS_SOLVE_CHEBYSHEV_H
#define HS_SOLVE_CHEBYSHEV_H

#include <stdbool.h>
#include <stdint.h>

enum { HS_CHEBYSHEV_LOOKS = 64, HS_CHEBYSHEV_WINDOWS = 4 };

/* What one look at the norms found. */
struct hs_chebyshev_look {
  int64_t sweeps;              /* since the recursion began */
  double residual, correction; /* log(B/E) of the residual's 2-norm and of the correction's largest value */
};

struct hs_chebyshev {
  bool begun;
  double rho;                              /* the estimate in use; 0 during the plain sweeps at the start */
  double rate;                             /* a */
  double rho_bound;                        /* rho cannot be larger */
  int64_t start;                           /* sweep at which the recursion began */
  double residual_start, correction_start; /* logarithms there */
  struct hs_chebyshev_look looks[HS_CHEBYSHEV_LOOKS];
  int look_count;
  int64_t look_stride, looks_seen; /* every look_stride-th look is kept */
  int restarts;
  double growth;                            /* b of the latest change of rho */
  double efolds_kept;                       /* observed before the latest restart, as far as they count */
  int64_t saved_at;                         /* sweep of the saved field, -1: none of this recursion */
  double distances_k[HS_CHEBYSHEV_WINDOWS]; /* the latest first */
  int64_t windows[HS_CHEBYSHEV_WINDOWS];    /* their intervals */
  int window_count;
  double error_k; /* at saved_at, or extrapolated; NaN while it cannot be told */
  double error_rate;
  bool estimate_converged;
};

/* Starts a recursion after `sweeps` sweeps with the estimate rho (0: plain sweeps). residual and correction are the norms
 * of the field there. */
void hs_chebyshev_begin(struct hs_chebyshev *c, int64_t sweeps, double rho, double residual, double correction);

/* Notes the norms after `sweeps` sweeps. Returns the estimate to go on with; where it differs from the present one,
 * hs_chebyshev_begin must follow. *flat: the residual no longer falls, which may be rounding. */
double hs_chebyshev_observe(struct hs_chebyshev *c, int64_t sweeps, double residual, double correction, bool *flat);

/* Sweeps from one look at the norms to the next. */
int64_t hs_chebyshev_spacing(const struct hs_chebyshev *c);

/* Shortest interval, in sweeps, over which the distance moved says something about the error. */
int64_t hs_chebyshev_window(const struct hs_chebyshev *c);

/* Notes the distance that the field has moved since it was saved; the present one, after `sweeps` sweeps, is saved next. */
void hs_chebyshev_moved(struct hs_chebyshev *c, int64_t sweeps, double distance_k);

/* Notes that the correction of the present field is rounding, so that distances no longer tell anything. The error estimate
 * counts as converged when the recursion has brought the residual down far enough before. */
void hs_chebyshev_rounded(struct hs_chebyshev *c, double residual, double correction_k);

/* The error after `sweeps` sweeps, K; NaN while it cannot be told. */
double hs_chebyshev_error(const struct hs_chebyshev *c, int64_t sweeps);

#endif
