/* The operations of conjugate gradients on CPU threads. Sums are of numerics/total.h: no thread changes a bit. */
#include "backend/host/host.h"

/* Largest magnitude and a sum, of a thread or of all. */
struct tally {
  double max, other_max, third_max;
  struct hs_total total, other_total;
};

static struct tally tally_zero(void)
{
  const struct tally zero = {0.0, 0.0, 0.0, hs_total_zero(), hs_total_zero()};
  return zero;
}

/* The larger one; NaN wins. */
static double larger(double a, double b)
{
  return a >= b ? a : isnan(a) ? a : b;
}

static void tally_merge(struct tally *all, const struct tally *own)
{
#pragma omp critical(hs_host_tally)
  {
    all->max = larger(own->max, all->max);
    all->other_max = larger(own->other_max, all->other_max);
    all->third_max = larger(own->third_max, all->third_max);
    hs_total_merge(&all->total, &own->total);
    hs_total_merge(&all->other_total, &own->other_total);
  }
}

/* Adds a row of terms: their largest decides the bin once. */
static void total_add_row(struct hs_total *total, const double *term, int count)
{
  double largest = 0.0, splitter[3], high = 0.0, middle = 0.0, low = 0.0;
  for (int k = 0; k < count; k++) largest = larger(fabs(term[k]), largest);
  hs_total_raise(total, hs_total_bin(largest));
  for (int k = 0; k < 3; k++) splitter[k] = hs_total_splitter(total->top - k);
#pragma omp simd reduction(+ : high, middle, low)
  for (int k = 0; k < count; k++) hs_total_split(term[k], splitter, &high, &middle, &low);
  total->sum[0] += high;
  total->sum[1] += middle;
  total->sum[2] += low;
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
  total_add_row(total, terms->value, PIECE);
  terms->count = 0;
}

static inline void terms_flush(struct terms *terms, struct hs_total *total)
{
  if (terms->count > 0) total_add_row(total, terms->value, terms->count);
  terms->count = 0;
}

/* A parallel loop over rows in which each thread has `own` and `terms`, merged into `all`. */
#define TALLY_BEGIN(op, all)                                                                                           \
  HS_HOST_PRAGMA(omp parallel num_threads(hs_host_threads_now(op)) if ((op)->threads > 1))                             \
  {                                                                                                                    \
    struct tally own = tally_zero();                                                                                   \
    struct terms terms = {.count = 0}, others = {.count = 0};                                                          \
    HS_HOST_PRAGMA(omp for schedule(static) nowait)                                                                    \
    for (int j = 0; j < (op)->grid.ny; j++)                                                                            \
      for (int i = 0; i < (op)->grid.nx; i++) {                                                                        \
        const size_t n = hs_grid_at(&(op)->grid, i, j);
#define TALLY_END(all)                                                                                                 \
  }                                                                                                                    \
  terms_flush(&others, &own.other_total);                                                                              \
  terms_flush(&terms, &own.total);                                                                                     \
  tally_merge(&(all), &own);                                                                                           \
  }

static struct hs_residual_norms norms_of(const struct tally *all)
{
  const struct hs_residual_norms norms = {all->max, sqrt(hs_total_value(&all->total))};
  return norms;
}

/* Subtracts the mean of a residual; its norms. */
static void mean_drop(struct hs_operator *op, double *r, struct tally *all)
{
  struct tally sum = tally_zero();
  double mean;
  TALLY_BEGIN(op, sum)
  terms_add(&terms, &own.total, r[n]);
  TALLY_END(sum)
  mean = hs_total_value(&sum.total) / ((double)op->grid.nx * op->grid.ny);
  *all = tally_zero();
  TALLY_BEGIN(op, *all)
  r[n] -= mean;
  own.max = larger(fabs(r[n]), own.max);
  terms_add(&terms, &own.total, r[n] * r[n]);
  TALLY_END(*all)
}

hs_status hs_host_residual(struct hs_operator *op, const struct hs_vector *x, const struct hs_step_vectors *step,
                           struct hs_vector *r, struct hs_residual_norms *norms, struct hs_error *err)
{
  const struct hs_system *s = op->system;
  struct tally all = tally_zero();
  (void)err;
  TALLY_BEGIN(op, all)
  const struct hs_balance_f64 *b = &op->balance[hs_host_entry(op, i, j)];
  double inflow = hs_balance_inflow(b, b->loss, x->twice, n, (size_t)op->grid.pitch) + b->heat;
  if (s->source_w_m) inflow += b->free * s->source_w_m[(size_t)j * (size_t)s->nx + (size_t)i];
  if (step) {
    if (step->rest) inflow += step->rest->twice[n];
    inflow = fma(b->storage, step->start->twice[n] - x->twice[n], inflow);
  }
  inflow = b->free > 0.0 ? inflow : 0.0;
  r->twice[n] = inflow;
  own.max = larger(fabs(inflow), own.max);
  terms_add(&terms, &own.total, inflow * inflow);
  TALLY_END(all)
  if (op->singular) mean_drop(op, r->twice, &all);
  *norms = norms_of(&all);
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

void hs_host_correction_mean_drop(struct hs_operator *op, float *z)
{
  struct tally sum = tally_zero();
  float mean;
  TALLY_BEGIN(op, sum)
  terms_add(&terms, &own.total, (double)z[n]);
  TALLY_END(sum)
  mean = (float)(hs_total_value(&sum.total) / ((double)op->grid.nx * op->grid.ny));
  HS_HOST_ROWS(op, j)
  for (int i = 0; i < op->grid.nx; i++) z[hs_grid_at(&op->grid, i, j)] -= mean;
}

hs_status hs_host_examine(struct hs_operator *op, struct hs_vector *z, double unscale, const struct hs_vector *r,
                          const struct hs_vector *p, struct hs_correction *correction, struct hs_error *err)
{
  struct tally all = tally_zero();
  (void)err;
  if (op->singular) hs_host_correction_mean_drop(op, z->single);
  TALLY_BEGIN(op, all)
  const double value = (double)z->single[n] * unscale, rest = r->twice[n];
  own.max = larger(fabs(value), own.max);
  if (p) own.other_max = larger(fabs(fma(op->alpha, (double)p->single[n], value)), own.other_max);
  own.third_max = larger(fabs(rest), own.third_max);
  terms_add(&terms, &own.total, value * rest);
  terms_add(&others, &own.other_total, rest * rest);
  TALLY_END(all)
  *correction = (struct hs_correction){hs_total_value(&all.total),
                                       all.max,
                                       all.other_max,
                                       op->alpha,
                                       {all.third_max, sqrt(hs_total_value(&all.other_total))}};
  return HS_OK;
}

hs_status hs_host_direct(struct hs_operator *op, const struct hs_vector *z, double unscale, double beta,
                         const struct hs_vector *p, struct hs_vector *to, struct hs_error *err)
{
  struct tally all = tally_zero();
  (void)err;
  HS_HOST_ROWS(op, j)
  for (int i = 0; i < op->grid.nx; i++) {
    const size_t n = hs_grid_at(&op->grid, i, j);
    to->single[n] = hs_direction(beta, p->single[n], z->single[n], unscale);
  }
  hs_host_ghosts_f32(&op->grid, to->single);
  TALLY_BEGIN(op, all)
  const struct hs_balance_f64 *b = &op->balance[hs_host_entry(op, i, j)];
  const double inflow = hs_balance_inflow_f32(b, b->loss + b->storage, to->single, n, (size_t)op->grid.pitch);
  terms_add(&terms, &own.total, -((double)to->single[n] * inflow));
  TALLY_END(all)
  op->pq = hs_total_value(&all.total);
  return HS_OK;
}

hs_status hs_host_advance(struct hs_operator *op, double zr, const struct hs_vector *p, struct hs_vector *x,
                          struct hs_vector *r, double scale, struct hs_vector *f, struct hs_error *err)
{
  const double alpha = op->pq > 0.0 ? zr / op->pq : 0.0;
  (void)err;
  op->alpha = alpha;
  HS_HOST_ROWS(op, j)
  for (int i = 0; i < op->grid.nx; i++) {
    const size_t n = hs_grid_at(&op->grid, i, j);
    const struct hs_balance_f64 *b = &op->balance[hs_host_entry(op, i, j)];
    const double inflow = hs_balance_inflow_f32(b, b->loss + b->storage, p->single, n, (size_t)op->grid.pitch);
    x->twice[n] = fma(alpha, (double)p->single[n], x->twice[n]);
    r->twice[n] = fma(alpha, inflow, r->twice[n]);
    f->single[n] = (float)(r->twice[n] * scale);
  }
  hs_host_ghosts_f64(&op->grid, x->twice);
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

hs_status hs_host_largest(struct hs_operator *op, const struct hs_vector *x, double *largest, struct hs_error *err)
{
  struct tally all = tally_zero();
  (void)err;
  TALLY_BEGIN(op, all)
  own.max = larger(fabs(x->twice[n]), own.max);
  TALLY_END(all)
  *largest = all.max;
  return HS_OK;
}
