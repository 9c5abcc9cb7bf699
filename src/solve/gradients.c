/* Steps of conjugate gradients, and the estimate of the error; see gradients.h. */
#include "solve/gradients.h"

#include <math.h>
#include <string.h>

static const double MARGIN = 1.3;
static const double ROUNDING_ULPS = 4.0; /* of the largest temperature: no estimate is smaller */

/* --- the estimate ---------------------------------------------------------------------------- */

/* Eigenvalues below x of the symmetric tridiagonal matrix with these diagonals and squared off-diagonals (Sturm). */
static int eigenvalues_below(const double *diagonal, const double *square, int n, double x)
{
  int count = 0;
  double d = 1.0;
  for (int k = 0; k < n; k++) {
    d = diagonal[k] - x - (k > 0 ? square[k] / d : 0.0);
    if (d == 0.0) d = 1e-300;
    count += d < 0.0;
  }
  return count;
}

/* Least eigenvalue of B A so far, within [1e-4, 1]. */
static double least_ritz(const struct hs_gradients *g)
{
  double diagonal[HS_CYCLES_LANCZOS], square[HS_CYCLES_LANCZOS], low = 1e-4, high = 1.0;
  const int n = g->lanczos;
  for (int k = 0; k < n; k++) {
    diagonal[k] = 1.0 / g->alphas[k] + (k > 0 ? g->betas[k] / g->alphas[k - 1] : 0.0);
    square[k] = k > 0 ? g->betas[k] / (g->alphas[k - 1] * g->alphas[k - 1]) : 0.0;
  }
  if (eigenvalues_below(diagonal, square, n, high) == 0) return high;
  if (eigenvalues_below(diagonal, square, n, low) > 0) return low;
  for (int k = 0; k < 40; k++) {
    const double middle = sqrt(low * high);
    if (eigenvalues_below(diagonal, square, n, middle) > 0)
      high = middle;
    else
      low = middle;
  }
  return high;
}

/* The estimate for x from its correction, whose figures are in g->z; before: largest of the correction before. */
static void estimate_take(struct hs_gradients *g, double before)
{
  double ratio = 1.0;
  if (g->has_direction) g->ratios[g->ratio_count++ % HS_CYCLES_RATIOS] = before > 0.0 ? g->z.behind_max / before : 1.0;
  if (g->lanczos == 0) return;
  g->least = g->least > 0.0 ? fmin(g->least, least_ritz(g)) : least_ritz(g);
  ratio = fmax(ratio, 1.0 / sqrt(g->least));
  for (int k = 0; k < HS_CYCLES_RATIOS && k < g->ratio_count; k++) ratio = fmax(ratio, g->ratios[k]);
  g->estimate_k = fmax(fmax(MARGIN * ratio, pow(g->least, -0.75)) * g->z.max, g->floor_k);
}

/* --- the iteration --------------------------------------------------------------------------- */

hs_status hs_gradients_residual(struct hs_gradients *g, struct hs_error *err)
{
  struct hs_multigrid *m = g->m;
  const struct hs_step_vectors step = {m->start, m->trapezoid ? m->start_residual : NULL};
  double largest_k = 0.0;
  hs_status status = hs_multigrid_linear(m)->residual(hs_multigrid_finest(m), m->x, m->system->storing ? &step : NULL,
                                                      m->r, &g->norms, err);
  if (!status) status = hs_multigrid_linear(m)->largest(hs_multigrid_finest(m), m->x, &largest_k, err);
  g->floor_k = ROUNDING_ULPS * 0x1p-53 * largest_k;
  g->has_direction = false;
  g->fresh = true;
  return status;
}

/* A step of the recursion along d. f is then r in single precision, as any step leaves it. */
hs_status hs_gradients_project(struct hs_gradients *g, struct hs_error *err)
{
  struct hs_multigrid *m = g->m;
  const struct hs_linear *linear = hs_multigrid_linear(m);
  struct hs_operator *op = hs_multigrid_finest(m);
  struct hs_correction along;
  hs_status status = linear->examine(op, m->change, 1.0, m->r, NULL, &along, err);
  if (!status) status = linear->direct(op, m->change, 1.0, 0.0, m->p, m->p_next, err);
  g->scale = hs_sum_scale(g->norms.max);
  if (!status) status = linear->advance(op, along.zr, m->p_next, m->x, m->r, g->scale, m->levels.level[0].f, err);
  g->fresh = false;
  return status;
}

/* z = B r, and what it says. A step leaves r in single precision. */
hs_status hs_gradients_correct(struct hs_gradients *g, struct hs_error *err)
{
  struct hs_multigrid *m = g->m;
  struct hs_level *level = m->levels.level;
  const double before = g->z.max;
  hs_status status = HS_OK;
  g->zr = g->z.zr;
  if (g->fresh) {
    g->scale = hs_sum_scale(g->norms.max);
    status = hs_multigrid_linear(m)->round(hs_multigrid_finest(m), m->r, g->scale, level->f, err);
  }
  if (!status) status = hs_levels_cycle(&m->levels, err);
  g->corrections++;
  if (!status)
    status = hs_multigrid_linear(m)->examine(hs_multigrid_finest(m), level->u, 1.0 / g->scale, m->r,
                                             g->has_direction ? m->p : NULL, &g->z, err);
  if (status) return status;
  g->norms = g->z.residual;
  if (g->has_direction && g->lanczos < HS_CYCLES_LANCZOS && g->z.alpha > 0.0) {
    g->alphas[g->lanczos] = g->z.alpha;
    g->betas[g->lanczos++] = g->beta;
  }
  estimate_take(g, before);
  return HS_OK;
}

/* One step of the recursion. Single precision gets the new r in a scale that suits the norms of the old one. */
hs_status hs_gradients_step(struct hs_gradients *g, struct hs_error *err)
{
  struct hs_multigrid *m = g->m;
  struct hs_level *level = m->levels.level;
  struct hs_vector *const p = m->p_next;
  hs_status status;
  g->beta = g->has_direction ? g->z.zr / g->zr : 0.0;
  status = hs_multigrid_linear(m)->direct(hs_multigrid_finest(m), level->u, 1.0 / g->scale, g->beta, m->p, p, err);
  m->p_next = m->p;
  m->p = p;
  g->scale = hs_sum_scale(g->norms.max);
  if (!status)
    status = hs_multigrid_linear(m)->advance(hs_multigrid_finest(m), g->z.zr, p, m->x, m->r, g->scale, level->f, err);
  g->has_direction = true;
  g->fresh = false;
  g->steps++;
  return status;
}

/* --- points ---------------------------------------------------------------------------------- */

void hs_gradients_point(const struct hs_gradients *g, struct hs_cycles_point *point)
{
  *point = (struct hs_cycles_point){.begun = true,
                                    .has_direction = g->has_direction,
                                    .lanczos = g->lanczos,
                                    .ratio_count = g->ratio_count,
                                    .steps = g->steps,
                                    .corrections = g->corrections,
                                    .zr = g->z.zr,
                                    .zr_before = g->zr,
                                    .z_max = g->z.max,
                                    .scale = g->scale,
                                    .residual_max = g->norms.max,
                                    .residual_l2 = g->norms.l2,
                                    .least = g->least,
                                    .floor_k = g->floor_k,
                                    .estimate_k = g->estimate_k};
  memcpy(point->alphas, g->alphas, sizeof point->alphas);
  memcpy(point->betas, g->betas, sizeof point->betas);
  memcpy(point->ratios, g->ratios, sizeof point->ratios);
}

/* z is not kept: a cycle makes it again. */
hs_status hs_gradients_resume(struct hs_gradients *g, const struct hs_cycles_point *point, struct hs_error *err)
{
  struct hs_multigrid *m = g->m;
  struct hs_level *level = m->levels.level;
  struct hs_correction unused;
  hs_status status;
  g->has_direction = point->has_direction;
  g->lanczos = point->lanczos;
  g->ratio_count = point->ratio_count;
  g->steps = point->steps;
  g->corrections = point->corrections;
  g->z.zr = point->zr;
  g->zr = point->zr_before;
  g->z.max = point->z_max;
  g->scale = point->scale;
  g->norms = (struct hs_residual_norms){point->residual_max, point->residual_l2};
  g->least = point->least;
  g->floor_k = point->floor_k;
  g->estimate_k = point->estimate_k;
  memcpy(g->alphas, point->alphas, sizeof g->alphas);
  memcpy(g->betas, point->betas, sizeof g->betas);
  memcpy(g->ratios, point->ratios, sizeof g->ratios);
  status = hs_multigrid_linear(m)->round(hs_multigrid_finest(m), m->r, g->scale, level->f, err);
  if (!status) status = hs_levels_cycle(&m->levels, err);
  /* which takes the mean out of z where temperatures are defined up to a constant */
  if (!status)
    status =
        hs_multigrid_linear(m)->examine(hs_multigrid_finest(m), level->u, 1.0 / g->scale, m->r, NULL, &unused, err);
  return status;
}
