/* The adaptive estimate of chebyshev.h: arithmetic on norms, without a backend. chebyshev_run.c drives it. */
#include "solve/chebyshev.h"

#include <math.h>

static const double DAMPING = 0.75;      /* least share of the expected convergence rate that must be observed */
static const double LEAST_EFOLDS = 3.0;  /* expected e-foldings before the estimate is judged */
static const double LEAST_EXCESS = 0.4;  /* log(B/E) from which growth counts */
static const double LARGEST_RAISE = 100; /* 1 - rho is divided by this at most */
static const double CONVERGED_AFTER = 7; /* expected e-foldings */
static const double LEAST_OWN = 3.0;     /* of them in the present recursion */
static const double SMALL_RAISE = 4.0;   /* up to this factor of 1 - rho, e-foldings before a restart count */
static const double LEAST_GAP = 1e-12;   /* 1 - rho at least */
static const double BLOWN_UP = 1e3;      /* growth of the residual that no estimate below 1 explains */

enum { PLAIN_SWEEPS = 16 }; /* of the start */

/* log(1/E) after p sweeps. */
static double expected_log(const struct hs_chebyshev *c, int64_t p)
{
  const double x = (double)p * c->rate;
  return c->rho == 0.0 ? 0.0 : x + log1p(exp(-2.0 * x)) - M_LN2;
}

void hs_chebyshev_begin(struct hs_chebyshev *c, int64_t sweeps, double rho, double residual, double correction)
{
  if (c->begun && c->rho > 0.0) {
    const bool small = rho > c->rho && SMALL_RAISE * (1.0 - rho) >= 1.0 - c->rho;
    c->restarts++;
    c->efolds_kept = small ? c->efolds_kept + (double)(sweeps - c->start) * fmax(0.0, c->rate - c->growth) : 0.0;
  }
  c->begun = true;
  c->rho = rho;
  c->rate = rho > 0.0 ? acosh(1.0 / rho) : 0.0;
  c->start = sweeps;
  c->residual_start = log(residual);
  c->correction_start = log(correction);
  c->looks[0] = (struct hs_chebyshev_look){0};
  c->look_count = 1;
  c->looks_seen = 1;
  c->look_stride = 1;
  c->saved_at = -1;
  c->window_count = 0;
  c->error_k = NAN;
  c->estimate_converged = false;
}

static void look_keep(struct hs_chebyshev *c, struct hs_chebyshev_look look)
{
  if (c->looks_seen++ % c->look_stride) return;
  if (c->look_count == HS_CHEBYSHEV_LOOKS) {
    for (int k = 0; k < HS_CHEBYSHEV_LOOKS / 2; k++) c->looks[k] = c->looks[2 * k];
    c->look_count = HS_CHEBYSHEV_LOOKS / 2;
    c->look_stride *= 2;
  }
  c->looks[c->look_count++] = look;
}

/* Growth of log(B/E) per sweep up to `now`, by both norms and against every look in the second quarter. */
static double growth(const struct hs_chebyshev *c, const struct hs_chebyshev_look *now)
{
  double least = INFINITY;
  for (int k = 0; k < c->look_count; k++) {
    const struct hs_chebyshev_look *then = &c->looks[k];
    const double sweeps = (double)(now->sweeps - then->sweeps);
    if (2 * then->sweeps > now->sweeps) break;
    if (4 * then->sweeps < now->sweeps && k + 1 < c->look_count && 2 * c->looks[k + 1].sweeps <= now->sweeps) continue;
    least = fmin(least, fmin(now->residual - then->residual, now->correction - then->correction) / sweeps);
  }
  return least;
}

/* The first estimate, from the convergence rate of plain sweeps; too small while many modes are left. */
static double estimate_first(const struct hs_chebyshev *c, const struct hs_chebyshev_look *now)
{
  double convergence_rate = -growth(c, now);
  if (!(convergence_rate > 0.0)) convergence_rate = 1.0 / PLAIN_SWEEPS;
  return fmin(exp(-convergence_rate), c->rho_bound);
}

double hs_chebyshev_observe(struct hs_chebyshev *c, int64_t sweeps, double residual, double correction, bool *flat)
{
  const int64_t p = sweeps - c->start;
  const double expected = expected_log(c, p);
  const struct hs_chebyshev_look now = {p, log(residual) - c->residual_start + expected,
                                        log(correction) - c->correction_start + expected};
  const double excess = fmin(now.residual, now.correction);
  double b, gap, raised;
  *flat = false;
  look_keep(c, now);
  if (!isfinite(excess)) return c->rho;
  if (c->rho == 0.0) return p < PLAIN_SWEEPS ? 0.0 : estimate_first(c, &now);
  gap = 1.0 - c->rho;
  if (excess - expected > log(BLOWN_UP)) {
    *flat = true;
    return 1.0 - fmin(0.5, 10.0 * gap);
  }
  if (p < 4 || (double)p * c->rate < LEAST_EFOLDS || excess < LEAST_EXCESS) return c->rho;
  b = growth(c, &now);
  if (!(b > (1.0 - DAMPING) * c->rate)) return c->rho;
  *flat = b > 0.9 * c->rate;
  c->growth = b;
  raised = 1.0 - c->rho * cosh(fmin(b, c->rate));
  raised = fmax(raised, fmax(gap / LARGEST_RAISE, LEAST_GAP));
  return fmax(c->rho, fmin(1.0 - raised, c->rho_bound));
}

int64_t hs_chebyshev_spacing(const struct hs_chebyshev *c)
{
  if (c->rho == 0.0) return PLAIN_SWEEPS / 2;
  return (int64_t)fmax(4.0, ceil(0.5 / c->rate));
}

int64_t hs_chebyshev_window(const struct hs_chebyshev *c)
{
  return c->rho == 0.0 ? PLAIN_SWEEPS : (int64_t)ceil(1.0 / c->rate);
}

/* Has the recursion run long enough for a slower mode to show? */
static bool ran_long_enough(const struct hs_chebyshev *c, int64_t sweeps)
{
  const double own = (double)(sweeps - c->start) * c->rate;
  return own >= LEAST_OWN && own + c->efolds_kept >= CONVERGED_AFTER;
}

void hs_chebyshev_moved(struct hs_chebyshev *c, int64_t sweeps, double distance_k)
{
  const int64_t window = sweeps - c->saved_at;
  int64_t span = 0;
  double observed = 0.0, q;
  for (int k = HS_CHEBYSHEV_WINDOWS - 1; k > 0; k--) {
    c->distances_k[k] = c->distances_k[k - 1];
    c->windows[k] = c->windows[k - 1];
  }
  c->distances_k[0] = distance_k;
  c->windows[0] = window;
  if (c->window_count < HS_CHEBYSHEV_WINDOWS) c->window_count++;
  for (int k = 0; k + 1 < c->window_count; k++) span += c->windows[k];
  if (span > 0) observed = log(c->distances_k[c->window_count - 1] / distance_k) / (double)span;
  c->error_rate = fmin(observed, c->rate);
  q = exp(-c->error_rate * (double)window);
  c->error_k = observed > 0.0 ? distance_k * q / (1.0 - q) : NAN;
  c->estimate_converged = c->window_count > 1 && observed > 0.5 * c->rate && ran_long_enough(c, sweeps);
}

void hs_chebyshev_rounded(struct hs_chebyshev *c, double residual, double correction_k)
{
  c->error_k = LARGEST_RAISE * correction_k / (1.0 - c->rho);
  c->error_rate = 0.0;
  c->estimate_converged = c->residual_start - log(residual) + c->efolds_kept >= CONVERGED_AFTER;
}

double hs_chebyshev_error(const struct hs_chebyshev *c, int64_t sweeps)
{
  return c->error_k * exp(-c->error_rate * (double)(sweeps - c->saved_at));
}
