/* Steps of conjugate gradients, and the estimate of the error; see gradients.h. */
#include "solve/multigrid/gradients.h"

#include <math.h>
#include <string.h>

#include "solve/multigrid/richardson.h"


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
  if (!g->has_direction && g->ratio_count > 0) { /* x is of Richardson's iteration still */
    hs_richardson_estimate(g, before);
    return;
  }
  if (g->has_direction) g->ratios[g->ratio_count++ % HS_CYCLES_RATIOS] = before > 0.0 ? g->z.behind_max / before : 1.0;
  if (g->lanczos == 0) return;
  g->least = g->least > 0.0 ? fmin(g->least, least_ritz(g)) : least_ritz(g);
  ratio = fmax(ratio, 1.0 / sqrt(g->least));
  for (int k = 0; k < HS_CYCLES_RATIOS && k < g->ratio_count; k++) ratio = fmax(ratio, g->ratios[k]);
  g->estimate_k = fmax(fmax(HS_GRADIENTS_MARGIN * ratio, pow(g->least, -0.75)) * g->z.max, g->floor_k);
}

/* --- the iteration --------------------------------------------------------------------------- */

static void swap(struct hs_vector **a, struct hs_vector **b)
{
  struct hs_vector *held = *a;
  *a = *b;
  *b = held;
}

hs_status hs_gradients_floor(struct hs_gradients *g, struct hs_error *err)
{
  double largest_k = 0.0;
  const hs_status status = hs_multigrid_linear(g->m)->largest(hs_multigrid_finest(g->m), g->m->x, &largest_k, err);
  g->floor_k = hs_gradients_floor_of(largest_k);
  return status;
}

hs_status hs_gradients_residual(struct hs_gradients *g, struct hs_error *err)
{
  struct hs_multigrid *m = g->m;
  const struct hs_linear *linear = hs_multigrid_linear(m);
  const struct hs_right_side right = hs_gradients_right_side(g);
  hs_status status = linear->residual(hs_multigrid_finest(m), m->x, &right, m->x_next, &g->norms, err);
  g->mean = g->norms.mean;
  g->scale = hs_sum_scale(g->norms.max);
  if (!status) status = linear->round(hs_multigrid_finest(m), m->x_next, g->scale, m->levels.level[0].f, err);
  g->has_direction = false;
  return status;
}

/* x goes on by alpha along unscale z + beta p, z the cycle's, which becomes p_next; f is in a scale that suits the norms before. */
static hs_status advance(struct hs_gradients *g, double unscale, double beta, double alpha, struct hs_error *err)
{
  struct hs_multigrid *m = g->m;
  const struct hs_linear_step step = {.z = m->levels.level[0].u,
                                      .unscale = unscale,
                                      .beta = beta,
                                      .p = m->p,
                                      .alpha = alpha,
                                      .x = m->x,
                                      .right = hs_gradients_right_side(g),
                                      .scale = g->scale,
                                      .p_to = m->p_next,
                                      .x_to = m->x_next,
                                      .f = m->levels.level[0].f};
  const hs_status status = hs_multigrid_linear(m)->advance(hs_multigrid_finest(m), &step, err);
  swap(&m->x, &m->x_next);
  return status;
}

hs_status hs_gradients_project(struct hs_gradients *g, struct hs_error *err)
{
  struct hs_multigrid *m = g->m;
  const struct hs_examination of = {
      .z = m->change, .unscale = 1.0, .f = m->levels.level[0].f, .unscale_f = 1.0 / g->scale};
  struct hs_correction along;
  const hs_status status = hs_multigrid_linear(m)->examine(hs_multigrid_finest(m), &of, &along, err);
  return status ? status : hs_richardson_along_change(g, along.z_az > 0.0 ? along.zr / along.z_az : 0.0, err);
}

/* z = B r, which lies where the cycle has left it, and what it says. */
static hs_status examine(struct hs_gradients *g, struct hs_correction *z, struct hs_error *err)
{
  struct hs_multigrid *m = g->m;
  const struct hs_level *level = m->levels.level;
  const hs_status status = hs_levels_cycle(&m->levels, err);
  const struct hs_examination of = {.z = level->u,
                                    .unscale = 1.0 / g->scale,
                                    .f = level->f,
                                    .unscale_f = 1.0 / g->scale,
                                    .p = g->has_direction ? m->p : NULL,
                                    .alpha = g->alpha};
  return status ? status : hs_multigrid_linear(m)->examine(hs_multigrid_finest(m), &of, z, err);
}

hs_status hs_gradients_correct(struct hs_gradients *g, struct hs_error *err)
{
  const double before = g->z.max;
  hs_status status;
  if (g->richardson) return hs_richardson_correct(g, err);
  g->zr = g->z.zr;
  status = examine(g, &g->z, err);
  g->corrections++;
  if (status) return status;
  g->norms = g->z.residual;
  if (g->has_direction && g->lanczos < HS_CYCLES_LANCZOS && g->alpha > 0.0) {
    g->alphas[g->lanczos] = g->alpha;
    g->betas[g->lanczos++] = g->beta;
  }
  estimate_take(g, before);
  return HS_OK;
}

/* Single precision gets the new residual in a scale that suits the norms of the old one. */
hs_status hs_gradients_step(struct hs_gradients *g, struct hs_error *err)
{
  struct hs_multigrid *m = g->m;
  const double unscale = 1.0 / g->scale;
  hs_status status;
  if (g->richardson) {
    hs_richardson_step(g);
    return HS_OK;
  }
  if (!g->has_direction) g->ratio_count = 0;
  g->beta = g->has_direction ? g->z.zr / g->zr : 0.0;
  g->pq = g->z.z_az + g->beta * (2.0 * g->z.p_az + g->beta * g->pq);
  g->alpha = g->pq > 0.0 ? g->z.zr / g->pq : 0.0;
  g->scale = hs_sum_scale(g->norms.max);
  status = advance(g, unscale, g->beta, g->alpha, err);
  swap(&m->p, &m->p_next);
  g->has_direction = true;
  g->steps++;
  return status;
}

double hs_gradients_work(const struct hs_gradients *g)
{
  const double richardson = (double)g->corrections_richardson, others = (double)g->corrections - richardson;
  const double steps = richardson * hs_levels_work(&g->m->levels, true) + others * hs_levels_work(&g->m->levels, false);
  return steps + (g->nested ? hs_levels_nested_work(&g->m->levels) : 0.0);
}

/* --- points ---------------------------------------------------------------------------------- */

void hs_gradients_point(const struct hs_gradients *g, struct hs_cycles_point *point)
{
  *point = (struct hs_cycles_point){.begun = true,
                                    .richardson = g->richardson,
                                    .nested = g->nested,
                                    .has_direction = g->has_direction,
                                    .told = g->told,
                                    .lanczos = g->lanczos,
                                    .ratio_count = g->ratio_count,
                                    .steps = g->steps,
                                    .corrections = g->corrections,
                                    .corrections_richardson = g->corrections_richardson,
                                    .length = g->length,
                                    .length_before = g->length_before,
                                    .contraction = g->contraction,
                                    .zr = g->z.zr,
                                    .zr_before = g->zr,
                                    .pq = g->pq,
                                    .mean = g->mean,
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

/* r and z are not kept: x and a cycle give them again. */
hs_status hs_gradients_resume(struct hs_gradients *g, const struct hs_cycles_point *point, struct hs_error *err)
{
  struct hs_correction found;
  hs_status status;
  g->richardson = point->richardson;
  g->nested = point->nested;
  g->has_direction = point->has_direction;
  g->told = point->told;
  g->lanczos = point->lanczos;
  g->ratio_count = point->ratio_count;
  g->steps = point->steps;
  g->corrections = point->corrections;
  g->corrections_richardson = point->corrections_richardson;
  g->length = point->length;
  g->length_before = point->length_before;
  g->contraction = point->contraction;
  g->z.zr = point->zr;
  g->zr = point->zr_before;
  g->pq = point->pq;
  g->mean = point->mean;
  g->z.max = point->z_max;
  g->scale = point->scale;
  g->norms = (struct hs_residual_norms){point->residual_max, point->residual_l2, point->mean};
  g->least = point->least;
  g->floor_k = point->floor_k;
  g->estimate_k = point->estimate_k;
  memcpy(g->alphas, point->alphas, sizeof g->alphas);
  memcpy(g->betas, point->betas, sizeof g->betas);
  memcpy(g->ratios, point->ratios, sizeof g->ratios);
  if (g->richardson) return hs_richardson_resume(g, err);
  /* A step of no length gives the residual as the last step did. What it makes of p is not used; z is not there yet. */
  status = hs_multigrid_linear(g->m)->clear(hs_multigrid_finest(g->m), g->m->levels.level[0].u, err);
  if (!status) status = advance(g, 0.0, 0.0, 0.0, err);
  swap(&g->m->x, &g->m->x_next);
  if (!status) status = examine(g, &found, err);
  g->z.z_az = found.z_az;
  g->z.p_az = found.p_az;
  return status;
}
