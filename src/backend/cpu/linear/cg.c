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

/* What the residual of row j is made of, for rows of x. */
static struct hs_residual_row residual_of(const struct hs_operator *op, struct hs_rows_f64 x,
                                          const struct hs_right_side *right, int j)
{
  const struct hs_system *s = op->system;
  struct hs_residual_row of = {.x = x, .alone = right->alone};
  if (s->source_w_m && !right->alone) of.source = s->source_w_m + (size_t)j * (size_t)s->nx;
  if (right->start) of.start = row_f64(op, right->start, j);
  if (right->rest) of.rest = row_f64(op, right->rest, j);
  return of;
}

hs_status hs_linear_residual(struct hs_operator *op, const struct hs_vector *x, const struct hs_right_side *right,
                             struct hs_vector *r, struct hs_residual_norms *norms, struct hs_error *err)
{
  struct hs_tally all = hs_tally_zero();
  if (op->singular) return hs_host_residual(op, x, right, r, norms, err);
  TALLY_ROWS(op, all, op->grid.ny, j, {
    const struct hs_linear_row g = hs_linear_row(op, j);
    const struct hs_rows_f64 rows = {row_f64(op, x, j - 1), row_f64(op, x, j), row_f64(op, x, j + 1)};
    const struct hs_residual_row of = residual_of(op, rows, right, j);
    op->by_rows->rows->inflow(&g, &of, row_f64(op, r, j), &own);
  });
  op->tally = all;
  *norms = (struct hs_residual_norms){all.max[0], sqrt(hs_total_value(&all.sum[0])), 0.0};
  return HS_OK;
}

hs_status hs_linear_round(struct hs_operator *op, const struct hs_vector *r, double scale, struct hs_vector *f,
                          struct hs_error *err)
{
  (void)err;
  HS_LINEAR_ROWS(op, j, { op->by_rows->rows->round(op->grid.nx, row_f64(op, r, j), scale, row_f32(op, f, j)); });
  return HS_OK;
}

/* One of four rows of the thread's own room, in double precision. */
static double *room_f64(const struct hs_operator *op, int which)
{
  return (double *)(hs_linear_room(op, HS_LINEAR_TWICE + 2 * which) - 16) + 8;
}

enum { INFLOW = 3 }; /* the room after those of three rows */

/* Where row k, -1 <= k <= ny, waits in double precision. */
static double *waiting(const struct hs_operator *op, int k)
{
  return room_f64(op, (k + 1) % 3);
}

/* --- what a correction says ------------------------------------------------------------------ */

static void examine_row(const struct hs_operator *op, const struct hs_examination *of, int j, struct hs_tally *tally)
{
  const struct hs_linear_row g = hs_linear_row(op, j);
  const struct hs_rows_f32 z = {row_f32(op, of->z, j - 1), row_f32(op, of->z, j), row_f32(op, of->z, j + 1)};
  op->by_rows->rows->examine(&g, &z, row_f32(op, of->f, j), of->p ? row_f32(op, of->p, j) : hs_linear_zeros(op),
                             hs_linear_behind(of), hs_linear_ring(op, 0, 0), tally);
}

hs_status hs_linear_examine(struct hs_operator *op, const struct hs_examination *of, struct hs_correction *correction,
                            struct hs_error *err)
{
  struct hs_tally all = hs_tally_zero();
  (void)err;
  if (op->singular) hs_host_correction_mean_drop(op, of->z);
  TALLY_ROWS(op, all, op->grid.ny, j, { examine_row(op, of, j, &own); });
  op->tally = all;
  *correction = hs_linear_correction(&all, of);
  return HS_OK;
}

/* --- the step -------------------------------------------------------------------------------- */

/* A step, along z alone where `directed` is NULL. */
struct stepping {
  const struct hs_operator *op;
  const struct hs_linear_step *directed;
  double along; /* else: factor of z */
  const struct hs_vector *z, *x;
  const struct hs_right_side *right;
  double scale;
  struct hs_vector *x_to, *f;
};

/* Row k of x_to: in the vector where it is the thread's own, else in its room. */
static double *stepped(const struct stepping *s, struct hs_share own, int k)
{
  return k >= own.from && k < own.to ? row_f64(s->op, s->x_to, k) : waiting(s->op, k);
}

/* Row j of x_to, which may be another thread's, and of p_to, which then is not kept. */
static void directed_make(const struct stepping *s, bool is_own, int j, double *x_to)
{
  const struct hs_operator *op = s->op;
  const struct hs_linear_step *d = s->directed;
  const struct hs_advance_row of = {
      row_f32(op, s->z, j), row_f32(op, d->p, j), row_f64(op, s->x, j), d->unscale, d->beta, d->alpha};
  float *p_to = is_own ? row_f32(op, d->p_to, j) : hs_linear_ring(op, 0, 0);
  op->by_rows->rows->advance(op->grid.nx, &of, p_to, x_to);
  if (!is_own) return;
  hs_linear_ends_f32(&op->grid, p_to);
  hs_linear_mirror_f32(&op->grid, d->p_to->single, j);
}

static void stepped_make(const struct stepping *s, struct hs_share own, int k)
{
  const struct hs_operator *op = s->op;
  const bool is_own = k >= own.from && k < own.to;
  const int j = hs_linear_wrap(&op->grid, k);
  double *x_to = stepped(s, own, k);
  if (j < 0) {
    memset(x_to - 1, 0, (size_t)(op->grid.nx + 2) * sizeof *x_to);
    return;
  }
  if (s->directed)
    directed_make(s, is_own, j, x_to);
  else
    op->by_rows->rows->correct(op->grid.nx, s->along, row_f32(op, s->z, j), row_f64(op, s->x, j), x_to);
  hs_linear_ends_f64(&op->grid, x_to);
  if (is_own) hs_linear_mirror_f64(&op->grid, s->x_to->twice, k);
}

/* The thread's rows, and x_to of those beside them; each gets its residual as soon as the one in its north is there. tally:
 * of z, f and x_to, or NULL. */
static void step_pass(const struct stepping *s, struct hs_tally *tally)
{
  const struct hs_operator *op = s->op;
  const struct hs_share own = hs_linear_share(op->grid.ny);
  for (int k = own.from - 1; k <= own.to && own.from < own.to; k++) {
    const int j = k - 1;
    struct hs_linear_row g;
    struct hs_rows_f64 x;
    struct hs_residual_row of;
    stepped_make(s, own, k);
    if (j < own.from) continue;
    g = hs_linear_row(op, j);
    x = (struct hs_rows_f64){stepped(s, own, j - 1), stepped(s, own, j), stepped(s, own, j + 1)};
    of = residual_of(op, x, s->right, j);
    op->by_rows->rows->round_inflow(&g, &of, s->right->mean, s->scale, room_f64(op, INFLOW), row_f32(op, s->f, j));
    if (tally) op->by_rows->rows->found(&g, row_f32(op, s->z, j), row_f32(op, s->f, j), x.row, tally);
  }
}

hs_status hs_linear_advance(struct hs_operator *op, const struct hs_linear_step *step, struct hs_error *err)
{
  const struct stepping all = {.op = op,
                               .directed = step,
                               .z = step->z,
                               .x = step->x,
                               .right = &step->right,
                               .scale = step->scale,
                               .x_to = step->x_to,
                               .f = step->f};
  (void)err;
  HS_LINEAR_REGION(op, { step_pass(&all, NULL); });
  return HS_OK;
}

hs_status hs_linear_richardson(struct hs_operator *op, const struct hs_richardson *step,
                               struct hs_richardson_found *found, struct hs_error *err)
{
  const struct stepping stepping = {.op = op,
                                    .along = step->length * step->unscale,
                                    .z = step->z,
                                    .x = step->x,
                                    .right = &step->right,
                                    .scale = step->scale,
                                    .x_to = step->x_to,
                                    .f = step->f};
  struct hs_tally all = hs_tally_zero();
  (void)err;
  HS_LINEAR_REGION(op, {
    struct hs_tally own = hs_tally_zero();
    step_pass(&stepping, &own);
    tally_merge(&all, &own);
  });
  op->tally = all;
  *found = hs_richardson_found(&all, step);
  return HS_OK;
}
