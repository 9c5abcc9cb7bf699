/* Steps in parts, of conjugate gradients and Richardson's: sums and maxima of own nodes are joined over parts and ranks, and have
 * no order (total.h). */
#include <math.h>

#include "backend/distributed/linear/linear.h"

static int least(int a, int b)
{
  return a < b ? a : b;
}

static int coupled(const struct hs_parted *op)
{
  return op->blocks.depth - HS_PARTED_EDGE;
}

/* --- sums over all parts --------------------------------------------------------------------- */

/* What all ranks have found. */
static hs_status tally_join(const struct hs_parted *op, struct hs_tally *tally, struct hs_error *err)
{
  struct hs_parted_team *team = op->team;
  const int ranks = hs_blocks_whole(&op->blocks) ? 1 : hs_comm_size(team->comm);
  hs_status status = HS_OK;
  if (ranks == 1) return HS_OK;
  status = hs_comm_gather(team->comm, tally, sizeof *tally, team->tallies, err);
  *tally = hs_tally_zero();
  for (int k = 0; !status && k < ranks; k++) hs_tally_merge(tally, &team->tallies[k]);
  return status;
}

/* What the latest operation has found. */
static hs_status found_join(const struct hs_parted *op, struct hs_tally *all, struct hs_error *err)
{
  hs_status status = HS_OK;
  *all = hs_tally_zero();
  for (int k = 0; !status && k < op->count; k++) {
    struct hs_tally here;
    status = hs_parted_enter(op->team, k, err);
    if (!status) status = op->team->part->tally(op->inner[k], &here, err);
    if (!status) hs_tally_merge(all, &here);
  }
  return status ? status : tally_join(op, all, err);
}

/* Subtracts the mean of a vector; the tally of what is left. */
static hs_status mean_drop(const struct hs_parted *op, struct hs_parted_vector *v, struct hs_tally *all, double *mean,
                           struct hs_error *err)
{
  struct hs_tally sum = hs_tally_zero();
  hs_status status = HS_OK;
  for (int k = 0; !status && k < op->count; k++) {
    struct hs_total here;
    status = hs_parted_enter(op->team, k, err);
    if (!status) status = op->team->part->total(op->inner[k], v->inner[k], &here, err);
    if (!status) hs_total_merge(&sum.sum[0], &here);
  }
  if (!status) status = tally_join(op, &sum, err);
  *mean = hs_total_value(&sum.sum[0]) / ((double)op->blocks.x.n * op->blocks.y.n);
  *all = hs_tally_zero();
  for (int k = 0; !status && k < op->count; k++) {
    struct hs_tally here;
    status = hs_parted_enter(op->team, k, err);
    if (!status) status = op->team->part->lower(op->inner[k], v->inner[k], *mean, &here, err);
    if (!status) hs_tally_merge(all, &here);
  }
  return status ? status : tally_join(op, all, err);
}

/* --- the operations -------------------------------------------------------------------------- */

static const struct hs_vector *inner_of(const struct hs_vector *v, int k)
{
  return v ? hs_parted_vector(v)->inner[k] : NULL;
}

/* The right-hand side of part k. */
static struct hs_right_side right_of(const struct hs_right_side *right, int k)
{
  const struct hs_right_side here = {inner_of(right->start, k), inner_of(right->rest, k), right->alone, right->mean};
  return here;
}

/* Layers of a residual that are right, where those of x are. */
static int residual_right(const struct hs_parted *op, const struct hs_parted_vector *x,
                          const struct hs_right_side *right)
{
  int layers = least(x->right - 1, coupled(op));
  if (right->start) layers = least(layers, hs_parted_vector(right->start)->right);
  if (right->rest) layers = least(layers, hs_parted_vector(right->rest)->right);
  return layers;
}

hs_status hs_parted_residual(struct hs_operator *any, const struct hs_vector *x_of, const struct hs_right_side *right,
                             struct hs_vector *r_of, struct hs_residual_norms *norms, struct hs_error *err)
{
  struct hs_parted *op = hs_parted(any);
  struct hs_parted_vector *x = hs_parted_vector(x_of), *r = hs_parted_vector(r_of);
  struct hs_tally all = hs_tally_zero();
  double mean = 0.0;
  hs_status status = hs_parted_renew(op, x, 1, err);
  for (int k = 0; !status && k < op->count; k++) {
    const struct hs_right_side here = right_of(right, k);
    struct hs_residual_norms unused;
    status = hs_parted_enter(op->team, k, err);
    if (!status) status = op->team->linear->residual(op->inner[k], x->inner[k], &here, r->inner[k], &unused, err);
  }
  r->right = residual_right(op, x, right);
  if (!status) status = op->singular ? mean_drop(op, r, &all, &mean, err) : found_join(op, &all, err);
  *norms = (struct hs_residual_norms){all.max[0], sqrt(hs_total_value(&all.sum[0])), mean};
  return status;
}

hs_status hs_parted_round(struct hs_operator *any, const struct hs_vector *r_of, double scale, struct hs_vector *f_of,
                          struct hs_error *err)
{
  struct hs_parted *op = hs_parted(any);
  struct hs_parted_vector *r = hs_parted_vector(r_of), *f = hs_parted_vector(f_of);
  hs_status status = HS_OK;
  HS_PARTED_EACH(op, k, status, op->team->linear->round(op->inner[k], r->inner[k], scale, f->inner[k], err))
  f->right = r->right;
  return status;
}

/* The ghosts of z that are renewed here serve the step that may follow, too. */
hs_status hs_parted_examine(struct hs_operator *any, const struct hs_examination *of, struct hs_correction *correction,
                            struct hs_error *err)
{
  struct hs_parted *op = hs_parted(any);
  struct hs_parted_vector *z = hs_parted_vector(of->z), *f = hs_parted_vector(of->f);
  struct hs_tally all = hs_tally_zero();
  double mean;
  hs_status status = op->singular ? mean_drop(op, z, &all, &mean, err) : HS_OK;
  if (!status) status = hs_parted_renew(op, z, 1, err);
  for (int k = 0; !status && k < op->count; k++) {
    const struct hs_examination here = {z->inner[k],   of->unscale,        f->inner[k],
                                        of->unscale_f, inner_of(of->p, k), of->alpha};
    struct hs_correction unused;
    status = hs_parted_enter(op->team, k, err);
    if (!status) status = op->team->linear->examine(op->inner[k], &here, &unused, err);
  }
  if (!status) status = found_join(op, &all, err);
  *correction = hs_linear_correction(&all, of);
  return status;
}

/* p_to and x_to are as right as what they are made of, and the residual by one layer less. */
hs_status hs_parted_advance(struct hs_operator *any, const struct hs_linear_step *step, struct hs_error *err)
{
  struct hs_parted *op = hs_parted(any);
  struct hs_parted_vector *z = hs_parted_vector(step->z), *p = hs_parted_vector(step->p);
  struct hs_parted_vector *x = hs_parted_vector(step->x), *x_to = hs_parted_vector(step->x_to);
  struct hs_parted_vector *p_to = hs_parted_vector(step->p_to), *f = hs_parted_vector(step->f);
  hs_status status = hs_parted_renew(op, z, 1, err);
  if (!status && step->beta != 0.0) status = hs_parted_renew(op, p, 1, err);
  if (!status) status = hs_parted_renew(op, x, 1, err);
  for (int k = 0; !status && k < op->count; k++) {
    struct hs_linear_step here = *step;
    here.z = z->inner[k];
    here.p = p->inner[k];
    here.x = x->inner[k];
    here.right = right_of(&step->right, k);
    here.p_to = p_to->inner[k];
    here.x_to = x_to->inner[k];
    here.f = f->inner[k];
    status = hs_parted_enter(op->team, k, err);
    if (!status) status = op->team->linear->advance(op->inner[k], &here, err);
  }
  p_to->right = step->beta != 0.0 ? least(z->right, p->right) : z->right;
  x_to->right = least(x->right, p_to->right);
  f->right = residual_right(op, x_to, &step->right);
  return status;
}

/* x_to is as right as what it is made of, and the residual by one layer less. */
hs_status hs_parted_richardson(struct hs_operator *any, const struct hs_richardson *step,
                               struct hs_richardson_found *found, struct hs_error *err)
{
  struct hs_parted *op = hs_parted(any);
  struct hs_parted_vector *z = hs_parted_vector(step->z), *x = hs_parted_vector(step->x);
  struct hs_parted_vector *x_to = hs_parted_vector(step->x_to), *f = hs_parted_vector(step->f);
  struct hs_tally all = hs_tally_zero();
  hs_status status = hs_parted_renew(op, z, 1, err);
  if (!status) status = hs_parted_renew(op, x, 1, err);
  for (int k = 0; !status && k < op->count; k++) {
    struct hs_richardson here = *step;
    struct hs_richardson_found unused;
    here.z = z->inner[k];
    here.x = x->inner[k];
    here.right = right_of(&step->right, k);
    here.x_to = x_to->inner[k];
    here.f = f->inner[k];
    status = hs_parted_enter(op->team, k, err);
    if (!status) status = op->team->linear->richardson(op->inner[k], &here, &unused, err);
  }
  x_to->right = least(x->right, z->right);
  f->right = residual_right(op, x_to, &step->right);
  if (!status) status = found_join(op, &all, err);
  *found = hs_richardson_found(&all, step);
  return status;
}

hs_status hs_parted_change(const struct hs_operator *any, const struct hs_vector *x_of,
                           const struct hs_vector *start_of, struct hs_vector *d_of, struct hs_error *err)
{
  const struct hs_parted *op = hs_parted(any);
  struct hs_parted_vector *x = hs_parted_vector(x_of), *start = hs_parted_vector(start_of);
  struct hs_parted_vector *d = hs_parted_vector(d_of);
  hs_status status = HS_OK;
  HS_PARTED_EACH(op, k, status, op->team->linear->change(op->inner[k], x->inner[k], start->inner[k], d->inner[k], err))
  d->right = least(x->right, start->right);
  return status;
}

hs_status hs_parted_largest(struct hs_operator *any, const struct hs_vector *x_of, double *largest,
                            struct hs_error *err)
{
  struct hs_parted *op = hs_parted(any);
  struct hs_tally all = hs_tally_zero();
  hs_status status = HS_OK;
  for (int k = 0; !status && k < op->count; k++) {
    double here = 0.0;
    status = hs_parted_enter(op->team, k, err);
    if (!status) status = op->team->linear->largest(op->inner[k], hs_parted_vector(x_of)->inner[k], &here, err);
    if (!status) all.max[0] = hs_tally_larger(here, all.max[0]);
  }
  if (!status) status = tally_join(op, &all, err);
  *largest = all.max[0];
  return status;
}
