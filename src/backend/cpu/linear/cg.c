/* The operations of conjugate gradients on rows. Sums are of numerics/total.h: no thread changes a bit. */
#include "backend/cpu/linear/linear.h"

static void tally_merge(struct hs_tally *all, const struct hs_tally *own)
{
#pragma omp critical(hs_linear_tally)
  hs_tally_merge(all, own);
}

/* A parallel loop over `rows` rows from 0 on in which each thread has a tally `own`, merged into `all`. */
#define TALLY_ROWS(op, all, rows, j, ...)                                                                              \
  HS_LINEAR_REGION(op, {                                                                                               \
    const struct hs_share share = hs_linear_share(rows);                                                               \
    struct hs_tally own = hs_tally_zero();                                                                             \
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
  struct hs_tally all = hs_tally_zero();
  if (op->singular) return hs_host_residual(op, x, step, r, norms, err);
  TALLY_ROWS(op, all, op->grid.ny, j, {
    const struct hs_linear_row g = hs_linear_row(op, j);
    const struct hs_residual_row of = residual_of(op, x, step, j);
    op->by_rows->rows->inflow(&g, &of, row_f64(op, r, j), &own);
  });
  op->tally = all;
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
  struct hs_tally all = hs_tally_zero();
  (void)err;
  if (op->singular) hs_host_correction_mean_drop(op, z);
  TALLY_ROWS(op, all, op->own.ny, k, {
    const size_t n = hs_grid_at(&op->grid, op->own.x0, op->own.y0 + k);
    op->by_rows->rows->examine(op->own.nx, z->single + n, unscale, r->twice + n, p ? p->single + n : NULL, op->alpha,
                               &own);
  });
  op->tally = all;
  *correction = (struct hs_correction){hs_total_value(&all.total),
                                       all.max,
                                       all.other_max,
                                       op->alpha,
                                       {all.third_max, sqrt(hs_total_value(&all.other_total))}};
  return HS_OK;
}

/* --- the direction --------------------------------------------------------------------------- */

/* One of four rows of the thread's own room, in double precision. */
static double *room_f64(const struct hs_operator *op, int which)
{
  return (double *)(hs_linear_room(op, HS_LINEAR_TWICE + 2 * which) - 16) + 8;
}

enum { INFLOW = 3 }; /* the room after those of three rows of p */

/* Where row k of p, -1 <= k <= ny, waits in double precision. */
static double *widened(const struct hs_operator *op, int k)
{
  return room_f64(op, (k + 1) % 3);
}

static struct hs_rows_f64 widened_around(const struct hs_operator *op, int j)
{
  const struct hs_rows_f64 rows = {widened(op, j - 1), widened(op, j), widened(op, j + 1)};
  return rows;
}

struct direction {
  const struct hs_operator *op;
  const struct hs_vector *z;
  double unscale, beta;
  const struct hs_vector *p;
  struct hs_vector *to;
};

/* The new row at k: in the vector where it is the thread's own, else in its room. */
static void direction_make(const struct direction *d, int k, bool own)
{
  const struct hs_operator *op = d->op;
  const int j = hs_linear_wrap(&op->grid, k);
  float *to = own ? row_f32(op, d->to, k) : hs_linear_ring(op, 0, 0);
  if (j < 0) {
    memset(widened(op, k) - 1, 0, (size_t)(op->grid.nx + 2) * sizeof(double));
    return;
  }
  op->by_rows->rows->direct(op->grid.nx, row_f32(op, d->z, j), d->unscale, d->beta, row_f32(op, d->p, j), to);
  hs_linear_ends_f32(&op->grid, to);
  if (own) hs_linear_mirror_f32(&op->grid, d->to->single, k);
  op->by_rows->rows->widen(op->grid.nx, to, widened(op, k));
}

/* The thread's rows, and those beside them, each multiplied as soon as the one in its north is there. */
static void direction_pass(const struct direction *d, struct hs_tally *tally)
{
  const struct hs_operator *op = d->op;
  const struct hs_share own = hs_linear_share(op->grid.ny);
  for (int k = own.from - 1; k <= own.to && own.from < own.to; k++) {
    const int j = k - 1;
    struct hs_linear_row g;
    struct hs_rows_f64 p;
    direction_make(d, k, k >= own.from && k < own.to);
    if (j < own.from) continue;
    g = hs_linear_row(op, j);
    p = widened_around(op, j);
    op->by_rows->rows->multiply(&g, &p, room_f64(op, INFLOW), tally);
  }
}

hs_status hs_linear_direct(struct hs_operator *op, const struct hs_vector *z, double unscale, double beta,
                           const struct hs_vector *p, struct hs_vector *to, struct hs_error *err)
{
  const struct direction direction = {op, z, unscale, beta, p, to};
  struct hs_tally all = hs_tally_zero();
  (void)err;
  HS_LINEAR_REGION(op, {
    struct hs_tally own = hs_tally_zero();
    direction_pass(&direction, &own);
    tally_merge(&all, &own);
  });
  op->pq = all.total;
  return HS_OK;
}

/* --- the step -------------------------------------------------------------------------------- */

struct advance {
  const struct hs_operator *op;
  const struct hs_vector *p;
  double alpha, scale;
  struct hs_vector *x, *r, *f;
};

static void advance_pass(const struct advance *a)
{
  const struct hs_operator *op = a->op;
  const struct hs_share own = hs_linear_share(op->grid.ny);
  for (int k = own.from - 1; k <= own.to && own.from < own.to; k++) {
    const int j = k - 1;
    struct hs_linear_row g;
    struct hs_rows_f64 p;
    op->by_rows->rows->widen(op->grid.nx, row_f32(op, a->p, k), widened(op, k));
    if (j < own.from) continue;
    g = hs_linear_row(op, j);
    p = widened_around(op, j);
    op->by_rows->rows->advance(&g, a->alpha, &p, room_f64(op, INFLOW), row_f64(op, a->x, j), row_f64(op, a->r, j),
                               a->scale, row_f32(op, a->f, j));
    hs_linear_ends_f64(&op->grid, row_f64(op, a->x, j));
    hs_linear_mirror_f64(&op->grid, a->x->twice, j);
  }
}

hs_status hs_linear_advance(struct hs_operator *op, double zr, const struct hs_vector *p, struct hs_vector *x,
                            struct hs_vector *r, double scale, struct hs_vector *f, struct hs_error *err)
{
  const struct advance advance = {op, p, hs_host_step_length(op, zr), scale, x, r, f};
  (void)err;
  op->alpha = advance.alpha;
  HS_LINEAR_REGION(op, { advance_pass(&advance); });
  return HS_OK;
}
