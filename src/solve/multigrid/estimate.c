/* The error of a field that any method has made, found from its own residual.
 *
 * Method. A e = r, r the heat that the field leaves unbalanced at its nodes, is solved by conjugate gradients as far as the
 * size of e asks for. After k steps from 0 the error is e_k, about the last correction z, and hardly ever more than the d that
 * gradients.h makes of z. |e_k| + |z|, or |e_k| + d where cycles are poor, is the estimate, and settled once d is a small share
 * of it. One step and two cycles are enough but where the conductivity jumps from node to node, or the error is about as large
 * as what it is compared with.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "comm/grid_sum.h"
#include "solve/multigrid/gradients.h"

enum { STEPS_MOST = 40 };

/* Shares of |e_k| that d may be: for the estimate to be settled, and where the tolerance lies within d. */
static const double SOLVED_SHARE = 1e-8; /* of the first residual: what is left is rounding */
static const double SETTLED_SHARE = 0.25, DECIDED_SHARE = 0.01;

/* Sum of diagonal e e over the free nodes; those that periodic walls have twice count once. */
static hs_status diagonal_energy(const struct hs_system *s, const double *e, double *energy, struct hs_error *err)
{
  const struct hs_rectangle own = hs_system_own(s);
  const int again_x = s->wrap_x > 0 || s->again_x, again_y = s->wrap_y > 0 || s->again_y;
  struct hs_grid_sum sum = {0};
  for (int j = own.y0; j < own.y0 + own.ny - again_y; j++)
    for (int i = own.x0; i < own.x0 + own.nx - again_x; i++) {
      const size_t n = (size_t)j * (size_t)s->nx + (size_t)i;
      const struct hs_node_law *law = &s->law[hs_system_index(s, n)];
      const double couplings = (law->west + law->east) + (law->south + law->north);
      if (!law->dirichlet) hs_grid_sum_add(&sum, (couplings + law->ambient_w_mk) * e[n] * e[n]);
    }
  return hs_grid_sums_join(hs_system_comm(s), &sum, 1, energy, err);
}

/* The Rayleigh quotient of e, whose energy e A e is known. Without memory for a field it stays unknown. */
static hs_status gap_take(struct hs_multigrid *m, double energy, double *gap, struct hs_error *err)
{
  struct hs_error none = {0};
  double *e = NULL, diagonal = 0.0;
  hs_status status =
      hs_array_create((void **)&e, (size_t)m->system->nx * (size_t)m->system->ny, sizeof *e, "an error", &none);
  if (hs_comm_agree(hs_system_comm(m->system), status, &none)) {
    free(e);
    return HS_OK;
  }
  status = hs_multigrid_linear(m)->fetch(hs_multigrid_finest(m), m->x, e, err);
  if (!status) status = diagonal_energy(m->system, e, &diagonal, err);
  if (diagonal > 0.0 && energy > 0.0) *gap = energy / diagonal;
  free(e);
  return status;
}

/* The residual of x becomes the right-hand side, and x = 0 the first iterate of its error. */
static hs_status error_begin(struct hs_gradients *g, struct hs_error *err)
{
  struct hs_multigrid *m = g->m;
  struct hs_vector *residual = m->x_next;
  m->x_next = m->right;
  m->right = residual;
  g->for_error = true;
  g->mean = 0.0;
  return hs_multigrid_linear(m)->clear(hs_multigrid_finest(m), m->x, err);
}

/* Has rounding the last word, so that another step would say nothing? */
static bool rounded(const struct hs_gradients *g)
{
  return !(g->z.zr > 0.0) || (g->has_direction && !(g->alpha > 0.0)) || g->norms.max == 0.0;
}

/* Steps until the estimate settles, and says on which side of around_k the error lies. *energy: e A e. */
static hs_status steps_make(struct hs_gradients *g, double around_k, struct hs_estimate *estimate, double *energy,
                            struct hs_error *err)
{
  struct hs_multigrid *m = g->m;
  const bool known = g->least > 0.0;
  const double first_l2 = g->norms.l2;
  bool decided = false;
  hs_status status = HS_OK;
  while (!status && !(estimate->settled && decided) && g->steps < STEPS_MOST && !rounded(g)) {
    const double zr = g->z.zr;
    double whole_k = 0.0;
    status = hs_gradients_step(g, err);
    if (!status) status = hs_gradients_correct(g, err);
    if (!status) status = hs_multigrid_linear(m)->largest(hs_multigrid_finest(m), m->x, &whole_k, err);
    *energy += zr * g->alpha;
    estimate->error_k =
        fmax(whole_k + (hs_gradients_good(g) || g->lanczos == 0 ? g->z.max : g->estimate_k), g->floor_k);
    estimate->settled =
        hs_gradients_tell(g, known) && g->estimate_k <= fmax(SETTLED_SHARE * whole_k / m->caution, 2.0 * g->floor_k);
    decided = g->estimate_k <= fmax(DECIDED_SHARE * whole_k, g->floor_k) || estimate->error_k <= around_k ||
              whole_k - g->estimate_k > around_k;
  }
  /* on a grid of few nodes one or two steps leave nothing */
  if (!status && g->steps > 0 && g->norms.l2 <= SOLVED_SHARE * first_l2) estimate->settled = true;
  return status;
}

hs_status hs_multigrid_estimate(struct hs_multigrid *m, double around_k, bool with_gap, struct hs_estimate *estimate,
                                struct hs_error *err)
{
  struct hs_gradients g = {.m = m, .estimate_k = NAN, .least = estimate->least};
  double energy = 0.0;
  hs_status status = hs_gradients_residual(&g, err);
  if (!status) status = hs_gradients_floor(&g, err);
  *estimate = (struct hs_estimate){.error_k = NAN, .least = g.least, .gap = NAN};
  if (status || !isfinite(g.norms.l2)) return status;
  if (g.norms.max == 0.0) {
    estimate->error_k = g.floor_k;
    estimate->settled = true;
    return HS_OK;
  }
  status = error_begin(&g, err);
  if (!status) status = hs_gradients_correct(&g, err);
  if (!status) status = steps_make(&g, around_k, estimate, &energy, err);
  estimate->work_sweeps = hs_gradients_work(&g);
  estimate->cycles = (int)g.corrections;
  estimate->least = g.least;
  return status || !with_gap ? status : gap_take(m, energy, &estimate->gap, err);
}
