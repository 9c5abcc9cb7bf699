/* Conjugate gradients in parts: sums and maxima of own nodes are joined over parts and ranks, and have no order (total.h). */
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
static hs_status mean_drop(const struct hs_parted *op, struct hs_parted_vector *v, struct hs_tally *all,
                           struct hs_error *err)
{
  struct hs_tally sum = hs_tally_zero();
  double mean;
  hs_status status = HS_OK;
  for (int k = 0; !status && k < op->count; k++) {
    struct hs_total here;
    status = hs_parted_enter(op->team, k, err);
    if (!status) status = op->team->part->total(op->inner[k], v->inner[k], &here, err);
    if (!status) hs_total_merge(&sum.total, &here);
  }
  if (!status) status = tally_join(op, &sum, err);
  mean = hs_total_value(&sum.total) / ((double)op->blocks.x.n * op->blocks.y.n);
  *all = hs_tally_zero();
  for (int k = 0; !status && k < op->count; k++) {
    struct hs_tally here;
    status = hs_parted_enter(op->team, k, err);
    if (!status) status = op->team->part->lower(op->inner[k], v->inner[k], mean, &here, err);
    if (!status) hs_tally_merge(all, &here);
  }
  return status ? status : tally_join(op, all, err);
}

/* --- the operations -------------------------------------------------------------------------- */

hs_status hs_parted_residual(struct hs_operator *any, const struct hs_vector *x_of, const struct hs_step_vectors *step,
                             struct hs_vector *r_of, struct hs_residual_norms *norms, struct hs_error *err)
{
  struct hs_parted *op = hs_parted(any);
  struct hs_parted_vector *x = hs_parted_vector(x_of), *r = hs_parted_vector(r_of);
  const struct hs_parted_vector *start = step ? hs_parted_vector(step->start) : NULL;
  const struct hs_parted_vector *rest = step && step->rest ? hs_parted_vector(step->rest) : NULL;
  struct hs_tally all = hs_tally_zero();
  hs_status status = hs_parted_renew(op, x, 1, err);
  for (int k = 0; !status && k < op->count; k++) {
    const struct hs_step_vectors here = {start ? start->inner[k] : NULL, rest ? rest->inner[k] : NULL};
    struct hs_residual_norms unused;
    status = hs_parted_enter(op->team, k, err);
    if (!status)
      status = op->team->linear->residual(op->inner[k], x->inner[k], step ? &here : NULL, r->inner[k], &unused, err);
  }
  r->right = least(x->right - 1, coupled(op));
  if (start) r->right = least(r->right, start->right);
  if (rest) r->right = least(r->right, rest->right);
  if (!status) status = op->singular ? mean_drop(op, r, &all, err) : found_join(op, &all, err);
  *norms = (struct hs_residual_norms){all.max, sqrt(hs_total_value(&all.total))};
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

hs_status hs_parted_examine(struct hs_operator *any, struct hs_vector *z_of, double unscale,
                            const struct hs_vector *r_of, const struct hs_vector *p_of,
                            struct hs_correction *correction, struct hs_error *err)
{
  struct hs_parted *op = hs_parted(any);
  struct hs_parted_vector *z = hs_parted_vector(z_of), *r = hs_parted_vector(r_of);
  struct hs_parted_vector *p = p_of ? hs_parted_vector(p_of) : NULL;
  struct hs_correction here = {.alpha = 0.0};
  struct hs_tally all = hs_tally_zero();
  hs_status status = op->singular ? mean_drop(op, z, &all, err) : HS_OK;
  HS_PARTED_EACH(
      op, k, status,
      op->team->linear->examine(op->inner[k], z->inner[k], unscale, r->inner[k], p ? p->inner[k] : NULL, &here, err))
  if (!status) status = found_join(op, &all, err);
  *correction = (struct hs_correction){hs_total_value(&all.total),
                                       all.max,
                                       all.other_max,
                                       here.alpha,
                                       {all.third_max, sqrt(hs_total_value(&all.other_total))}};
  return status;
}

/* The sum over all parts takes the place of that of each. */
static hs_status step_join(const struct hs_parted *op, struct hs_error *err)
{
  struct hs_tally all = hs_tally_zero();
  hs_status status = HS_OK;
  for (int k = 0; !status && k < op->count; k++) {
    struct hs_total here;
    status = hs_parted_enter(op->team, k, err);
    if (!status) status = op->team->part->step_get(op->inner[k], &here, err);
    if (!status) hs_total_merge(&all.total, &here);
  }
  if (!status) status = tally_join(op, &all, err);
  HS_PARTED_EACH(op, k, status, op->team->part->step_put(op->inner[k], &all.total, err))
  return status;
}

hs_status hs_parted_direct(struct hs_operator *any, const struct hs_vector *z_of, double unscale, double beta,
                           const struct hs_vector *p_of, struct hs_vector *to_of, struct hs_error *err)
{
  struct hs_parted *op = hs_parted(any);
  struct hs_parted_vector *z = hs_parted_vector(z_of), *p = hs_parted_vector(p_of), *to = hs_parted_vector(to_of);
  hs_status status = hs_parted_renew(op, z, 1, err);
  if (!status) status = hs_parted_renew(op, p, 1, err);
  HS_PARTED_EACH(op, k, status,
                 op->team->linear->direct(op->inner[k], z->inner[k], unscale, beta, p->inner[k], to->inner[k], err))
  to->right = least(z->right, p->right);
  return status ? status : step_join(op, err);
}

hs_status hs_parted_advance(struct hs_operator *any, double zr, const struct hs_vector *p_of, struct hs_vector *x_of,
                            struct hs_vector *r_of, double scale, struct hs_vector *f_of, struct hs_error *err)
{
  struct hs_parted *op = hs_parted(any);
  struct hs_parted_vector *p = hs_parted_vector(p_of), *x = hs_parted_vector(x_of), *r = hs_parted_vector(r_of);
  struct hs_parted_vector *f = hs_parted_vector(f_of);
  hs_status status = hs_parted_renew(op, p, 1, err);
  HS_PARTED_EACH(
      op, k, status,
      op->team->linear->advance(op->inner[k], zr, p->inner[k], x->inner[k], r->inner[k], scale, f->inner[k], err))
  x->right = least(x->right, p->right);
  r->right = least(r->right, least(p->right - 1, coupled(op)));
  f->right = r->right;
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
    if (!status) all.max = hs_tally_larger(here, all.max);
  }
  if (!status) status = tally_join(op, &all, err);
  *largest = all.max;
  return status;
}
