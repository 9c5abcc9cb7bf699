/* The operations of conjugate gradients on rows. Sums are of numerics/total.h: no thread changes a bit. */
#include "backend/cpu/linear/linear.h"

static struct hs_tally tally_zero(void)
{
  const struct hs_tally zero = {0.0, 0.0, 0.0, hs_total_zero(), hs_total_zero()};
  return zero;
}

/* The larger one; NaN wins. */
static double larger(double a, double b)
{
  return a >= b ? a : isnan(a) ? a : b;
}

static void tally_merge(struct hs_tally *all, const struct hs_tally *own)
{
#pragma omp critical(hs_linear_tally)
  {
    all->max = larger(fabs(own->max), all->max);
    all->other_max = larger(fabs(own->other_max), all->other_max);
    all->third_max = larger(fabs(own->third_max), all->third_max);
    hs_total_merge(&all->total, &own->total);
    hs_total_merge(&all->other_total, &own->other_total);
  }
}

/* A parallel loop over rows in which each thread has a tally `own`, merged into `all`. */
#define TALLY_ROWS(op, all, j, ...)                                                                                    \
  HS_LINEAR_REGION(op, {                                                                                               \
    const struct hs_share share = hs_linear_share((op)->grid.ny);                                                      \
    struct hs_tally own = tally_zero();                                                                                \
    for (int j = share.from; j < share.to; j++) __VA_ARGS__                                                            \
    tally_merge(&(all), &own);                                                                                         \
  })

static double *row_f64(const struct hs_operator *op, const struct hs_vector *v, int j)
{
  return v->twice + hs_grid_at(&op->grid, 0, j);
}

static float *row_f32(const struct hs_operator *op, const struct hs_vector *v, int j)
{
  return v->single + hs_grid_at(&op->grid, 0, j);
}

/* What the residual of row j is made of. */
static struct hs_residual_row residual_of(const struct hs_operator *op, const struct hs_vector *x,
                                          const struct hs_step_vectors *step, int j)
{
  const struct hs_system *s = op->system;
  struct hs_residual_row of = {.x = {row_f64(op, x, j - 1), row_f64(op, x, j), row_f64(op, x, j + 1)}};
  if (s->source_w_m) of.source = s->source_w_m + (size_t)j * (size_t)s->nx;
  if (step) of.start = row_f64(op, step->start, j);
  if (step && step->rest) of.rest = row_f64(op, step->rest, j);
  return of;
}

hs_status hs_linear_residual(struct hs_operator *op, const struct hs_vector *x, const struct hs_step_vectors *step,
                             struct hs_vector *r, struct hs_residual_norms *norms, struct hs_error *err)
{
  struct hs_tally all = tally_zero();
  if (op->singular) return hs_host_residual(op, x, step, r, norms, err);
  TALLY_ROWS(op, all, j, {
    const struct hs_linear_row g = hs_linear_row(op, j);
    const struct hs_residual_row of = residual_of(op, x, step, j);
    op->by_rows->rows->inflow(&g, &of, row_f64(op, r, j), &own);
  });
  *norms = (struct hs_residual_norms){all.max, sqrt(hs_total_value(&all.total))};
  return HS_OK;
}

hs_status hs_linear_round(struct hs_operator *op, const struct hs_vector *r, double scale, struct hs_vector *f,
                          struct hs_error *err)
{
  (void)err;
  HS_LINEAR_ROWS(op, j, { op->by_rows->rows->round(op->grid.nx, row_f64(op, r, j), scale, row_f32(op, f, j)); });
  return HS_OK;
}

hs_status hs_linear_examine(struct hs_operator *op, struct hs_vector *z, double unscale, const struct hs_vector *r,
                            const struct hs_vector *p, struct hs_correction *correction, struct hs_error *err)
{
  struct hs_tally all = tally_zero();
  (void)err;
  if (op->singular) hs_host_correction_mean_drop(op, z->single);
  TALLY_ROWS(op, all, j, {
    op->by_rows->rows->examine(op->grid.nx, row_f32(op, z, j), unscale, row_f64(op, r, j), p ? row_f64(op, p, j) : NULL,
                               op->alpha, &own);
  });
  *correction = (struct hs_correction){hs_total_value(&all.total),
                                       all.max,
                                       all.other_max,
                                       op->alpha,
                                       {all.third_max, sqrt(hs_total_value(&all.other_total))}};
  return HS_OK;
}

/* --- the direction --------------------------------------------------------------------------- */

struct direction {
  const struct hs_operator *op;
  const struct hs_vector *z;
  double unscale, beta;
  struct hs_vector *p, *q;
};

/* The new row at k, from the old one: in place or beside it. */
static void direction_make(const struct direction *d, int k, double *to)
{
  const struct hs_operator *op = d->op;
  const int j = hs_linear_wrap(&op->grid, k);
  if (j < 0) {
    memset(to - 1, 0, (size_t)(op->grid.nx + 2) * sizeof *to);
    return;
  }
  op->by_rows->rows->direct(op->grid.nx, row_f32(op, d->z, j), d->unscale, d->beta, row_f64(op, d->p, j), to);
  hs_linear_ends_f64(&op->grid, to);
}

/* Two rows of the thread's own room, in double precision. */
static double *room_f64(const struct hs_operator *op, int which)
{
  return (double *)(hs_linear_room(op, HS_LINEAR_TWICE + 2 * which) - 16) + 8;
}

/* The new rows beside the thread's block, which other threads replace once all have made theirs; then its own, each
 * multiplied as soon as the one in its north is there. */
static void direction_pass(const struct direction *d, struct hs_tally *tally)
{
  const struct hs_operator *op = d->op;
  const struct hs_share own = hs_linear_share(op->grid.ny);
  double *const south = room_f64(op, 0), *const north = room_f64(op, 1);
  if (own.from < own.to) {
    direction_make(d, own.from - 1, south);
    direction_make(d, own.to, north);
  }
#pragma omp barrier
  for (int k = own.from; k <= own.to && own.from < own.to; k++) {
    const int j = k - 1;
    struct hs_linear_row g;
    struct hs_rows_f64 p;
    if (k < own.to) direction_make(d, k, row_f64(op, d->p, k));
    if (j < own.from) continue;
    g = hs_linear_row(op, j);
    p = (struct hs_rows_f64){j == own.from ? south : row_f64(op, d->p, j - 1), row_f64(op, d->p, j),
                             j + 1 == own.to ? north : row_f64(op, d->p, j + 1)};
    op->by_rows->rows->multiply(&g, &p, row_f64(op, d->q, j), tally);
  }
}

hs_status hs_linear_direct(struct hs_operator *op, const struct hs_vector *z, double unscale, double beta,
                           struct hs_vector *p, struct hs_vector *q, struct hs_error *err)
{
  const struct direction direction = {op, z, unscale, beta, p, q};
  struct hs_tally all = tally_zero();
  (void)err;
  HS_LINEAR_REGION(op, {
    struct hs_tally own = tally_zero();
    direction_pass(&direction, &own);
    tally_merge(&all, &own);
  });
  op->pq = hs_total_value(&all.total);
  return HS_OK;
}

hs_status hs_linear_advance(struct hs_operator *op, double zr, const struct hs_vector *p, const struct hs_vector *q,
                            struct hs_vector *x, struct hs_vector *r, struct hs_error *err)
{
  const double alpha = op->pq > 0.0 ? zr / op->pq : 0.0;
  (void)err;
  op->alpha = alpha;
  HS_LINEAR_ROWS(op, j, {
    op->by_rows->rows->advance(op->grid.nx, alpha, row_f64(op, p, j), row_f64(op, q, j), row_f64(op, x, j),
                               row_f64(op, r, j));
    hs_linear_ends_f64(&op->grid, row_f64(op, x, j));
    hs_linear_mirror_f64(&op->grid, x->twice, j);
  });
  return HS_OK;
}
