/* Steps of Richardson's iteration; see richardson.h. */
#include "solve/multigrid/richardson.h"

#include <math.h>

enum { LENGTH_COUNT = 4 };
/* 1 / (0.95 + 0.05 cos((2 k + 1) pi / 8)), k = 0, 3, 1, 2: in this order two steps lose little, and three gain */
static const double LENGTHS[LENGTH_COUNT] = {1.003820564532349, 1.106432103944623, 1.031848870141691,
                                             1.074268674937225};
static const double SLOW = 0.12; /* a contraction above it decides on the next length, */
static const double LONGEST = 1.4;
static const double POOR = 0.35; /* and one above this ends the iteration, as do two on end above the next; */
static const double POOR_TWICE = 0.15;
static const double POOR_MOST = 0.5; /* up to this they cost but some of the steps that did well, if there are more */
enum { LOST = 2 };
static const double LEAST = 1e-4;    /* eigenvalue that is told from 0 */
static const double AT_FLOOR = 16.0; /* of floors of rounding: corrections that may be rounding, */
static const double AT_REST = 0.5;   /* and are where they contract less */

bool hs_richardson_can(const struct hs_gradients *g)
{
  return !g->m->system->singular || g->m->system->storing;
}

/* Steps along corrections so far: nested iteration is a step of another kind. */
static int64_t steps_along(const struct hs_gradients *g)
{
  return g->steps - (g->nested ? 1 : 0);
}

/* --- the step -------------------------------------------------------------------------------- */

static double eigenvalue(const struct hs_gradients *g)
{
  return fmax((1.0 - g->contraction) / g->length_before, LEAST);
}

/* Is the contraction that of a mode of eigenvalue 1 after a long step? Then it shows no other one. */
static bool explained(const struct hs_gradients *g)
{
  return g->contraction <= g->length_before - 1.0;
}

/* By what is known before the correction is made. */
static double length_choose(const struct hs_gradients *g)
{
  if (steps_along(g) > 1 && g->contraction > SLOW && !explained(g)) return fmin(1.0 / eigenvalue(g), LONGEST);
  return LENGTHS[steps_along(g) % LENGTH_COUNT];
}

/* A step from x along z, a unit of which is `unscale`. */
static struct hs_richardson step_along(const struct hs_gradients *g, const struct hs_vector *z, double unscale,
                                       double length)
{
  const struct hs_multigrid *m = g->m;
  const struct hs_richardson step = {.z = z,
                                     .unscale = unscale,
                                     .length = length,
                                     .x = m->x,
                                     .right = hs_gradients_right_side(g),
                                     .scale = hs_sum_scale(g->norms.max),
                                     .x_to = m->x_next,
                                     .f = m->levels.level[0].f};
  return step;
}

/* What a step has found of the next iterate. */
static void next_is(struct hs_gradients *g, const struct hs_richardson *step, const struct hs_richardson_found *found)
{
  g->norms_next = found->residual;
  g->scale_next = step->scale;
  g->floor_next_k = hs_gradients_floor_of(found->x_max);
}

static hs_status make_next(struct hs_gradients *g, struct hs_error *err)
{
  const struct hs_multigrid *m = g->m;
  struct hs_richardson_found found;
  struct hs_richardson step;
  hs_status status = hs_levels_cycle(&g->m->levels, err);
  if (status) return status;
  step = step_along(g, m->levels.level[0].u, 1.0 / g->scale, g->length);
  status = hs_multigrid_linear(m)->richardson(hs_multigrid_finest(m), &step, &found, err);
  g->z.max = found.z_max;
  next_is(g, &step, &found);
  return status;
}

static void take_next(struct hs_gradients *g)
{
  struct hs_vector *x = g->m->x;
  g->m->x = g->m->x_next;
  g->m->x_next = x;
  g->norms = g->norms_next;
  g->scale = g->scale_next;
  g->floor_k = g->floor_next_k;
}

/* A step before the first correction. */
static hs_status step_first(struct hs_gradients *g, const struct hs_vector *z, double unscale, double length,
                            struct hs_error *err)
{
  const struct hs_richardson step = step_along(g, z, unscale, length);
  struct hs_richardson_found found;
  const hs_status status = hs_multigrid_linear(g->m)->richardson(hs_multigrid_finest(g->m), &step, &found, err);
  if (status) return status;
  g->z.max = found.z_max;
  next_is(g, &step, &found);
  take_next(g);
  return HS_OK;
}

hs_status hs_richardson_along_change(struct hs_gradients *g, double length, struct hs_error *err)
{
  return step_first(g, g->m->change, 1.0, length, err);
}

hs_status hs_richardson_nested(struct hs_gradients *g, struct hs_error *err)
{
  const hs_status status = hs_levels_nested(&g->m->levels, err);
  g->nested = true;
  g->steps++;
  return status ? status : step_first(g, g->m->levels.level[0].u, 1.0 / g->scale, 1.0, err);
}

/* --- the estimate ---------------------------------------------------------------------------- */

bool hs_richardson_rests(const struct hs_gradients *g)
{
  const double before = g->z.max / g->contraction;
  return g->told >= HS_GRADIENTS_TELLING && g->contraction > AT_REST && fmax(before, g->z.max) <= AT_FLOOR * g->floor_k;
}

/* The factor from max |z| to an estimate that the last step asks for. Contractions of what is rounding ask for none. */
static double ratio_of(const struct hs_gradients *g, double before)
{
  if (before <= 2.0 * g->floor_k && g->z.max <= 2.0 * g->floor_k) return HS_GRADIENTS_MARGIN;
  if (hs_richardson_rests(g)) return 2.0 * HS_GRADIENTS_MARGIN;
  return fmax(HS_GRADIENTS_MARGIN * (g->length_before + g->contraction), pow(eigenvalue(g), -0.75));
}

void hs_richardson_estimate(struct hs_gradients *g, double before)
{
  const double last = g->contraction;
  double ratio = 0.0;
  g->contraction = before > 0.0 ? g->z.max / before : 1.0;
  if (g->contraction <= POOR && !(steps_along(g) > 1 && fmin(g->contraction, last) > POOR_TWICE))
    g->told++;
  else if (!explained(g) && !hs_richardson_rests(g))
    g->told = g->contraction <= POOR_MOST && g->told > LOST ? g->told - LOST : 0;
  g->ratios[g->ratio_count++ % HS_CYCLES_RATIOS] = ratio_of(g, before);
  for (int k = 0; k < HS_CYCLES_RATIOS && k < g->ratio_count; k++) ratio = fmax(ratio, g->ratios[k]);
  g->estimate_k = isfinite(g->z.max) ? fmax(ratio * g->z.max, g->floor_k) : NAN;
}

hs_status hs_richardson_correct(struct hs_gradients *g, struct hs_error *err)
{
  const double before = g->z.max, length = length_choose(g);
  hs_status status;
  g->length_before = g->length;
  g->length = length;
  status = make_next(g, err);
  g->corrections++;
  g->corrections_richardson++;
  if (!status && steps_along(g) > 0) hs_richardson_estimate(g, before);
  return status;
}

void hs_richardson_step(struct hs_gradients *g)
{
  take_next(g);
  g->steps++;
  if (steps_along(g) < 3 || g->told > 0) return;
  g->richardson = false;
  g->length_before = g->length;
}

/* A step of no length gives the residual as the last one did. */
hs_status hs_richardson_resume(struct hs_gradients *g, struct hs_error *err)
{
  struct hs_richardson step = step_along(g, g->m->p, 0.0, 0.0);
  const struct hs_residual_norms norms = g->norms;
  const double scale = g->scale, z_max = g->z.max;
  struct hs_richardson_found found;
  hs_status status;
  step.scale = scale;
  status = hs_multigrid_linear(g->m)->richardson(hs_multigrid_finest(g->m), &step, &found, err);
  if (status) return status;
  next_is(g, &step, &found);
  take_next(g);
  g->norms = norms;
  g->scale = scale;
  status = make_next(g, err);
  g->z.max = z_max;
  return status;
}
