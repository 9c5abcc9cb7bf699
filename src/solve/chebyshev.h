/* The spectral radius that Chebyshev's acceleration works with, found while it runs, and its error estimate.
 *
 * Expected. With the estimate rho and a = acosh(1/rho), p sweeps after the recursion began every mode of J within
 * +-rho has shrunk to 1/cosh(p a) of its start or less: E(p) (Hageman and Young, Applied Iterative Methods, 1981,
 * ch. 4 to 6). A mode rho' beyond shrinks more slowly, by cosh(p b)/cosh(p a) with b = acosh(rho'/rho).
 *
 * Observed. B(p), the residual's norm over that at the beginning. While rho is large enough, B/E stays about where it
 * is or lower; else it grows, in the end like exp(b p), whatever share the mode had at the beginning. So b is
 * taken from the growth of log(B/E) over the later half of the sweeps, and the recursion begins anew with
 * rho cosh(b) when the observed convergence rate a - b is less than DAMPING times the expected a (their damping factor). While
 * several modes lie beyond, b is too small, the new estimate, too, and it is corrected again. Too large an estimate
 * cannot make the iteration diverge but slows it down; so growth counts only when two different norms show it, when
 * B itself is larger than E, and against the highest value earlier in the recursion, so that the interference of
 * modes is not taken for growth.
 *
 * Error. The distance d that the field moves in the interval between two looks, and the convergence rate r per sweep of those
 * distances or the expected one, whichever is smaller, give e = d q/(1 - q), q = exp(-r interval). A mode that decays
 * very slowly shows neither in B nor in d at once. The estimate counts as converged when the recursion has run for
 * SETTLED_AFTER e-foldings of what was expected without a reason to change rho: by then a mode whose share of d was
 * e^-7 has become all of it. Where 1 - rho was changed by a factor of 4 at most, the e-foldings observed before count,
 * too: such a mode has gained as many on the others.
 *
 * Rounding. Small problems are solved to the last bit between two looks. Once the correction is rounding, an error in a mode
 * of 1 - rho is at most correction/(1 - rho), and that is said of modes whose 1 - rho is smaller by LARGEST_RAISE than the
 * estimate's. It counts as converged when the residual fell by SETTLED_AFTER e-foldings on the way there.
 */
#ifndef HS_SOLVE_CHEBYSHEV_H
#define HS_SOLVE_CHEBYSHEV_H

#include <stdbool.h>
#include <stdint.h>

enum { HS_CHEBYSHEV_LOOKS = 64, HS_CHEBYSHEV_WINDOWS = 4 };

/* What a look at the norms found. */
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
  double efolds_kept;                       /* observed in recursions before this one, as far as they count */
  int64_t saved_at;                         /* sweep of the saved field, -1: none of this recursion */
  double distances_k[HS_CHEBYSHEV_WINDOWS]; /* the latest first */
  int64_t windows[HS_CHEBYSHEV_WINDOWS];    /* their intervals */
  int window_count;
  double error_k; /* at saved_at, or extrapolated; NaN while it cannot be told */
  double error_rate;
  bool estimate_converged;
};

/* Begins a recursion after `sweeps` sweeps with the estimate rho (0: plain sweeps). residual and correction are the
 * norms there. */
void hs_chebyshev_begin(struct hs_chebyshev *c, int64_t sweeps, double rho, double residual, double correction);

/* Takes note of the norms after `sweeps` sweeps. Returns the estimate to go on with: another one asks for
 * hs_chebyshev_begin. *flat: the residual no longer falls, which may be rounding. */
double hs_chebyshev_observe(struct hs_chebyshev *c, int64_t sweeps, double residual, double correction, bool *flat);

/* Sweeps from one look at the norms to the next. */
int64_t hs_chebyshev_spacing(const struct hs_chebyshev *c);

/* Shortest interval whose distance says something about the error. */
int64_t hs_chebyshev_window(const struct hs_chebyshev *c);

/* Takes note of the distance moved since the field was saved; the present one, after `sweeps` sweeps, is
 * saved next. */
void hs_chebyshev_moved(struct hs_chebyshev *c, int64_t sweeps, double distance_k);

/* Takes note that the correction of the present field is rounding: no distance will tell more. The error
 * counts as converged when the recursion has brought the residual down far enough before. */
void hs_chebyshev_rounded(struct hs_chebyshev *c, double residual, double correction_k);

/* The error after `sweeps` sweeps, K; NaN while it cannot be told. */
double hs_chebyshev_error(const struct hs_chebyshev *c, int64_t sweeps);

#endif
