/* The operations of conjugate gradients on CPU threads. Sums are of numerics/total.h: no thread changes a bit. */
#include "backend/host/host.h"
#include "numerics/total_terms.h"

static void tally_merge(struct hs_tally *all, const struct hs_tally *own)
{
#pragma omp critical(hs_host_tally)
  hs_tally_merge(all, own);
}

enum { PIECE = 256 }; /* terms that are collected before they are added */

/* Terms on their way into a total. */
struct terms {
  double value[PIECE];
  int count;
};

static inline void terms_add(struct terms *terms, struct hs_total *total, double term)
{
  terms->value[terms->count++] = term;
  if (terms->count < PIECE) return;
  hs_total_add(total, terms->value, PIECE);
  terms->count = 0;
}

static inline void terms_flush(struct terms *terms, struct hs_total *total)
{
  if (terms->count > 0) hs_total_add(total, terms->value, terms->count);
  terms->count = 0;
}

static inline bool is_own(const struct hs_operator *op, int i, int j)
{
  const struct hs_rectangle *own = &op->own;
  return i >= own->x0 && i < own->x0 + own->nx && j >= own->y0 && j < own->y0 + own->ny;
}

/* A parallel loop over nodes in which each thread has `own` and `terms`, merged into `all`; counted: do sums count the node? */
#define TALLY_BEGIN(op, all)                                                                                           \
  HS_HOST_PRAGMA(omp parallel num_threads(hs_host_threads_now(op)) if ((op)->threads > 1))                             \
  {                                                                                                                    \
    struct hs_tally own = hs_tally_zero();                                                                             \
    struct terms terms[HS_TALLY_SUMS] = {{.count = 0}};                                                                \
    HS_HOST_PRAGMA(omp for schedule(static) nowait)                                                                    \
    for (int j = 0; j < (op)->grid.ny; j++)                                                                            \
      for (int i = 0; i < (op)->grid.nx; i++) {                                                                        \
        const size_t n = hs_grid_at(&(op)->grid, i, j);                                                                \
        const bool counted = is_own(op, i, j);
#define TALLY_END(all)                                                                                                 \
  }                                                                                                                    \
  for (int k = 0; k < HS_TALLY_SUMS; k++) terms_flush(&terms[k], &own.sum[k]);                                         \
  tally_merge(&(all), &own);                                                                                           \
  }

static struct hs_residual_norms norms_of(const struct hs_tally *all)
{
  const struct hs_residual_norms norms = {all->max[0], sqrt(hs_total_value(&all->sum[0])), 0.0};
  return norms;
}

hs_status hs_host_total(struct hs_operator *op, const struct hs_vector *v, struct hs_total *total, struct hs_error *err)
{
  struct hs_tally all = hs_tally_zero();
  (void)err;
  TALLY_BEGIN(op, all)
  if (counted) terms_add(&terms[0], &own.sum[0], v->single ? (double)v->single[n] : v->twice[n]);
  TALLY_END(all)
  *total = all.sum[0];
  return HS_OK;
}

hs_status hs_host_lower(struct hs_operator *op, struct hs_vector *v, double by, struct hs_tally *tally,
                        struct hs_error *err)
{
  struct hs_tally all = hs_tally_zero();
  (void)err;
  TALLY_BEGIN(op, all)
  double value;
  if (v->single)
    v->single[n] -= (float)by;
  else
    v->twice[n] -= by;
  if (!counted) continue;
  value = v->single ? (double)v->single[n] : v->twice[n];
  own.max[0] = hs_tally_larger(fabs(value), own.max[0]);
  terms_add(&terms[0], &own.sum[0], value * value);
  TALLY_END(all)
  if (v->single)
    hs_host_ghosts_f32(&op->grid, v->single);
  else
    hs_host_ghosts_f64(&op->grid, v->twice);
  *tally = all;
  return HS_OK;
}

/* Subtracts the mean of a vector, which is returned; the tally of what is left. */
static double mean_drop(struct hs_operator *op, struct hs_vector *v, struct hs_tally *left)
{
  struct hs_total total;
  double mean;
  (void)hs_host_total(op, v, &total, NULL);
  mean = hs_total_value(&total) / ((double)op->grid.nx * op->grid.ny);
  (void)hs_host_lower(op, v, mean, left, NULL);
  return mean;
}

/* The residual at node (i, j), with its mean. */
static inline double inflow_at(const struct hs_operator *op, int i, int j, const double *x,
                               const struct hs_right_side *right)
{
  const struct hs_system *s = op->system;
  const struct hs_balance_f64 *b = &op->balance[hs_host_entry(op, i, j)];
  const size_t n = hs_grid_at(&op->grid, i, j);
  double inflow = hs_balance_inflow(b, b->loss, x, n, (size_t)op->grid.pitch);
  if (!right->alone) inflow += b->heat;
  if (!right->alone && s->source_w_m) inflow += b->free * s->source_w_m[(size_t)j * (size_t)s->nx + (size_t)i];
  if (right->rest) inflow += right->rest->twice[n];
  if (right->start) inflow = fma(b->storage, right->start->twice[n] - x[n], inflow);
  return b->free > 0.0 ? inflow : 0.0;
}

hs_status hs_host_residual(struct hs_operator *op, const struct hs_vector *x, const struct hs_right_side *right,
                           struct hs_vector *r, struct hs_residual_norms *norms, struct hs_error *err)
{
  struct hs_tally all = hs_tally_zero();
  double mean = 0.0;
  (void)err;
  TALLY_BEGIN(op, all)
  const double inflow = inflow_at(op, i, j, x->twice, right);
  r->twice[n] = inflow;
  if (!counted) continue;
  own.max[0] = hs_tally_larger(fabs(inflow), own.max[0]);
  terms_add(&terms[0], &own.sum[0], inflow * inflow);
  TALLY_END(all)
  if (op->singular) mean = mean_drop(op, r, &all);
  op->tally = all;
  *norms = norms_of(&all);
  norms->mean = mean;
  return HS_OK;
}

hs_status hs_host_round(struct hs_operator *op, const struct hs_vector *r, double scale, struct hs_vector *f,
                        struct hs_error *err)
{
  (void)err;
  HS_HOST_ROWS(op, j)
  for (int i = 0; i < op->grid.nx; i++) {
    const size_t n = hs_grid_at(&op->grid, i, j);
    f->single[n] = (float)(r->twice[n] * scale);
  }
  return HS_OK;
}

void hs_host_correction_mean_drop(struct hs_operator *op, struct hs_vector *z)
{
  struct hs_tally left;
  (void)mean_drop(op, z, &left);
}

hs_status hs_host_examine(struct hs_operator *op, const struct hs_examination *of, struct hs_correction *correction,
                          struct hs_error *err)
{
  const float *f = of->f->single, *p = of->p ? of->p->single : NULL;
  const float behind = hs_linear_behind(of);
  struct hs_tally all = hs_tally_zero();
  (void)err;
  if (op->singular) hs_host_correction_mean_drop(op, of->z);
  TALLY_BEGIN(op, all)
  const float z = of->z->single[n], along = p ? p[n] : 0.0F;
  const float inflow = hs_level_residual_fine(&op->balance_single[hs_host_entry(op, i, j)], of->z->single, 0.0F, n,
                                              (size_t)op->grid.pitch);
  const struct hs_terms_f32 t = hs_correction_terms(z, inflow, f[n], along);
  if (!counted) continue;
  own.max[HS_MAX_Z] = hs_tally_larger((double)fabsf(z), own.max[HS_MAX_Z]);
  own.max[HS_MAX_R] = hs_tally_larger((double)fabsf(f[n]), own.max[HS_MAX_R]);
  own.max[HS_MAX_BEHIND] = hs_tally_larger((double)fabsf(fmaf(behind, along, z)), own.max[HS_MAX_BEHIND]);
  terms_add(&terms[HS_SUM_ZR], &own.sum[HS_SUM_ZR], (double)t.zr);
  terms_add(&terms[HS_SUM_RR], &own.sum[HS_SUM_RR], (double)t.rr);
  terms_add(&terms[HS_SUM_Z_AZ], &own.sum[HS_SUM_Z_AZ], (double)t.z_az);
  terms_add(&terms[HS_SUM_P_AZ], &own.sum[HS_SUM_P_AZ], (double)t.p_az);
  TALLY_END(all)
  op->tally = all;
  *correction = hs_linear_correction(&all, of);
  return HS_OK;
}

hs_status hs_host_advance(struct hs_operator *op, const struct hs_linear_step *s, struct hs_error *err)
{
  double *x = s->x_to->twice;
  (void)err;
  HS_HOST_ROWS(op, j)
  for (int i = 0; i < op->grid.nx; i++) {
    const size_t n = hs_grid_at(&op->grid, i, j);
    const float p = hs_direction(s->beta, s->p->single[n], s->z->single[n], s->unscale);
    s->p_to->single[n] = p;
    x[n] = fma(s->alpha, (double)p, s->x->twice[n]);
  }
  hs_host_ghosts_f32(&op->grid, s->p_to->single);
  hs_host_ghosts_f64(&op->grid, x);
  HS_HOST_ROWS(op, j)
  for (int i = 0; i < op->grid.nx; i++)
    s->f->single[hs_grid_at(&op->grid, i, j)] = (float)((inflow_at(op, i, j, x, &s->right) - s->right.mean) * s->scale);
  return HS_OK;
}

hs_status hs_host_richardson(struct hs_operator *op, const struct hs_richardson *s, struct hs_richardson_found *found,
                             struct hs_error *err)
{
  const double along = s->length * s->unscale;
  double *x = s->x_to->twice;
  struct hs_tally all = hs_tally_zero();
  (void)err;
  HS_HOST_ROWS(op, j)
  for (int i = 0; i < op->grid.nx; i++) {
    const size_t n = hs_grid_at(&op->grid, i, j);
    x[n] = hs_corrected(along, s->z->single[n], s->x->twice[n]);
  }
  hs_host_ghosts_f64(&op->grid, x);
  TALLY_BEGIN(op, all)
  const float z = s->z->single[n], f = (float)((inflow_at(op, i, j, x, &s->right) - s->right.mean) * s->scale);
  s->f->single[n] = f;
  if (!counted) continue;
  own.max[HS_MAX_Z] = hs_tally_larger((double)fabsf(z), own.max[HS_MAX_Z]);
  own.max[HS_MAX_R] = hs_tally_larger((double)fabsf(f), own.max[HS_MAX_R]);
  own.max[HS_MAX_X] = hs_tally_larger(hs_magnitude_of_upper(hs_magnitude_upper(x[n])), own.max[HS_MAX_X]);
  terms_add(&terms[0], &own.sum[0], (double)(f * f));
  TALLY_END(all)
  op->tally = all;
  *found = hs_richardson_found(&all, s);
  return HS_OK;
}

hs_status hs_host_change(const struct hs_operator *op, const struct hs_vector *x, const struct hs_vector *start,
                         struct hs_vector *d, struct hs_error *err)
{
  (void)err;
  HS_HOST_ROWS(op, j)
  for (int i = 0; i < op->grid.nx; i++) {
    const size_t n = hs_grid_at(&op->grid, i, j);
    const bool is_free = op->balance[hs_host_entry(op, i, j)].free > 0.0;
    d->single[n] = is_free ? (float)(x->twice[n] - start->twice[n]) : 0.0F;
  }
  hs_host_ghosts_f32(&op->grid, d->single);
  return HS_OK;
}

/* The largest |v|, as bits, which have the order of positive numbers, with NaN above all. Four at a time: one comparison need not
 * wait for the one before. */
static uint64_t largest_bits(const double *v, int count)
{
  uint64_t most[4] = {0, 0, 0, 0};
  for (int i = 0; i < count; i += 4)
    for (int k = 0; k < 4 && i + k < count; k++) {
      uint64_t bits;
      memcpy(&bits, &v[i + k], sizeof bits);
      bits &= INT64_MAX;
      most[k] = bits > most[k] ? bits : most[k];
    }
  for (int k = 1; k < 4; k++) most[0] = most[k] > most[0] ? most[k] : most[0];
  return most[0];
}

hs_status hs_host_largest(struct hs_operator *op, const struct hs_vector *x, double *largest, struct hs_error *err)
{
  const struct hs_rectangle *own = &op->own;
  uint64_t most = 0;
  (void)err;
#pragma omp parallel for schedule(static) reduction(max                                                                \
                                                    : most) num_threads(hs_host_threads_now(op)) if (op->threads > 1)
  for (int j = own->y0; j < own->y0 + own->ny; j++) {
    const uint64_t row = largest_bits(x->twice + hs_grid_at(&op->grid, own->x0, j), own->nx);
    most = row > most ? row : most;
  }
  memcpy(largest, &most, sizeof most);
  return HS_OK;
}
