/* The V-cycle's operations on rows. */
#include "backend/cpu/linear/linear.h"

/* Rings of a thread. */
enum { STARTED, RELAXED, RESIDUALS };

static float *row_f32(const struct hs_operator *op, const struct hs_vector *v, int j)
{
  return v->single + hs_grid_at(&op->grid, 0, j);
}

/* Weights of the fine rows beside the coarse row's own, j. */
static struct hs_transfer transfer_at(const struct hs_operator *op, int j)
{
  struct hs_transfer transfer = {.coarsen_x = op->coarsen_x, .coarsen_y = op->coarsen_y};
  for (int k = 0; k < 4; k++)
    for (int side = -1; side <= 1; side++)
      transfer.weight[k][side + 1] = op->interpolation.weight[k] + hs_host_row(&op->grid, op->same_weights, j + side);
  return transfer;
}

/* --- from fine to coarse --------------------------------------------------------------------- */

/* What the residual is of that goes to the coarser grid: u is smoothed from 0, what f gives nodes between coarse ones, or
 * there already. */
enum way { SMOOTHED, CONDENSED, GIVEN };

/* A pass from f to coarse_f. */
struct down {
  const struct hs_operator *op, *coarse;
  enum way way;
  float weights[2];
  const struct hs_vector *f;
  struct hs_vector *u, *coarse_f;
  struct hs_share own;            /* rows of u that are stored */
  float *relaxed[HS_LINEAR_RING]; /* where relaxed rows lie: stored or in the ring */
};

static void started_make(const struct down *d, int k)
{
  const struct hs_operator *op = d->op;
  float *to = hs_linear_ring(op, STARTED, k);
  const int j = hs_linear_wrap(&op->grid, k);
  struct hs_linear_row g;
  if (d->way == GIVEN) return;
  if (j < 0) {
    memset(to - 1, 0, (size_t)(op->grid.nx + 2) * sizeof *to);
    return;
  }
  g = hs_linear_row(op, j);
  if (d->way == CONDENSED)
    op->by_rows->rows->lines(&g, op->coarsen_x, op->coarsen_y && j % 2 == 1, row_f32(op, d->f, j), to);
  else
    op->by_rows->rows->start(&g, d->weights[0], row_f32(op, d->f, j), to);
  hs_linear_ends_f32(&op->grid, to);
}

/* From three started rows. */
static void relaxed_fill(const struct down *d, int k, int j, float *to)
{
  const struct hs_operator *op = d->op;
  const struct hs_rows_f32 u = {hs_linear_ring(op, STARTED, k - 1), hs_linear_ring(op, STARTED, k),
                                hs_linear_ring(op, STARTED, k + 1)};
  const struct hs_linear_row g = hs_linear_row(op, j);
  if (d->way == SMOOTHED)
    op->by_rows->rows->relax(&g, d->weights[1], &u, row_f32(op, d->f, j), to);
  else if (op->coarsen_x && op->coarsen_y && j % 2 == 1)
    op->by_rows->rows->middles(&g, &u, row_f32(op, d->f, j), to);
  else
    memcpy(to, u.row, (size_t)op->grid.nx * sizeof *to);
}

static void relaxed_make(struct down *d, int k)
{
  const struct hs_operator *op = d->op;
  const bool stored = k >= d->own.from && k < d->own.to;
  const int j = hs_linear_wrap(&op->grid, k);
  float *to = j >= 0 && (stored || d->way == GIVEN) ? row_f32(op, d->u, j) : hs_linear_ring(op, RELAXED, k);
  d->relaxed[k & (HS_LINEAR_RING - 1)] = j < 0 ? hs_linear_zeros(op) : to;
  if (j < 0 || d->way == GIVEN) return;
  relaxed_fill(d, k, j, to);
  hs_linear_ends_f32(&op->grid, to);
  if (stored) hs_linear_mirror_f32(&op->grid, d->u->single, j);
}

static void residual_make(const struct down *d, int k)
{
  const struct hs_operator *op = d->op;
  float *const *u = d->relaxed;
  const struct hs_rows_f32 rows = {u[(k - 1) & (HS_LINEAR_RING - 1)], u[k & (HS_LINEAR_RING - 1)],
                                   u[(k + 1) & (HS_LINEAR_RING - 1)]};
  const int j = hs_linear_wrap(&op->grid, k);
  float *to = hs_linear_ring(op, RESIDUALS, k);
  struct hs_linear_row g;
  if (j < 0) {
    memset(to - 1, 0, (size_t)(op->grid.nx + 2) * sizeof *to);
    return;
  }
  g = hs_linear_row(op, j);
  op->by_rows->rows->residual(&g, &rows, row_f32(op, d->f, j), to);
  hs_linear_ends_f32(&op->grid, to);
}

/* The coarse row whose own fine row is k. */
static void restricted_make(const struct down *d, int k)
{
  struct hs_transfer transfer = transfer_at(d->op, k);
  for (int side = -1; side <= 1; side++) transfer.fine[side + 1] = hs_linear_ring(d->op, RESIDUALS, k + side);
  d->op->by_rows->rows->restricted(&transfer, d->coarse->grid.nx,
                                   row_f32(d->coarse, d->coarse_f, d->op->coarsen_y ? k / 2 : k));
}

/* Residuals are one row behind relaxed rows, and those one behind started ones. */
static void down_pass(struct down *d)
{
  const struct hs_share coarse = hs_linear_share(d->coarse->grid.ny);
  const int step = d->op->coarsen_y ? 2 : 1, ny = d->op->grid.ny;
  const int from = step * coarse.from - (step - 1), to = step * coarse.to; /* residuals that are needed */
  if (coarse.from == coarse.to) return;
  d->own = (struct hs_share){step * coarse.from, step * coarse.to < ny ? step * coarse.to : ny};
  for (int k = from - 2; k <= to + 1; k++) {
    const int done = k - 2;
    started_make(d, k);
    if (k - 1 >= from - 1) relaxed_make(d, k - 1);
    if (done < from) continue;
    residual_make(d, done);
    if (step == 1) restricted_make(d, done);
    if (step == 2 && done % 2 != 0 && done > from) restricted_make(d, done - 1);
  }
}

static hs_status down(const struct down *all)
{
  HS_LINEAR_REGION(all->op, {
    struct down own = *all;
    down_pass(&own);
  });
  return HS_OK;
}

hs_status hs_linear_cycle_down(struct hs_operator *op, const struct hs_vector *f, const double weights[2],
                               struct hs_vector *u, const struct hs_operator *coarse, struct hs_vector *coarse_f,
                               struct hs_error *err)
{
  const struct down all = {.op = op,
                           .coarse = coarse,
                           .way = SMOOTHED,
                           .weights = {(float)weights[0], (float)weights[1]},
                           .f = f,
                           .u = u,
                           .coarse_f = coarse_f};
  (void)err;
  return down(&all);
}

hs_status hs_linear_cycle_condense(struct hs_operator *op, const struct hs_vector *f, struct hs_vector *u,
                                   struct hs_vector *room, const struct hs_operator *coarse, struct hs_vector *coarse_f,
                                   struct hs_error *err)
{
  const struct down all = {.op = op, .coarse = coarse, .way = CONDENSED, .f = f, .u = u, .coarse_f = coarse_f};
  (void)room;
  (void)err;
  return down(&all);
}

hs_status hs_linear_cycle_restrict(struct hs_operator *op, const struct hs_vector *u, const struct hs_vector *f,
                                   struct hs_vector *r, const struct hs_operator *coarse, struct hs_vector *coarse_f,
                                   struct hs_error *err)
{
  const struct down all = {.op = op,
                           .coarse = coarse,
                           .way = GIVEN,
                           .f = f,
                           .u = (struct hs_vector *)(uintptr_t)u, /* only read */
                           .coarse_f = coarse_f};
  (void)r;
  (void)err;
  return down(&all);
}

/* --- from coarse to fine --------------------------------------------------------------------- */

struct up {
  const struct hs_operator *op, *coarse;
  float weights[2];
  const struct hs_vector *f, *u, *coarse_u;
  struct hs_vector *to;
};

/* u + W coarse_u in row j, which may be u's own. */
static void prolonged_make(const struct up *p, int j, float *to)
{
  const struct hs_transfer transfer = transfer_at(p->op, j);
  const int coarse = p->op->coarsen_y ? j / 2 : j;
  const float *const c[2] = {row_f32(p->coarse, p->coarse_u, coarse), row_f32(p->coarse, p->coarse_u, coarse + 1)};
  p->op->by_rows->rows->prolonged(&transfer, p->op->grid.nx, c, row_f32(p->op, p->u, j), to);
  hs_linear_ends_f32(&p->op->grid, to);
}

/* Row k of a ring, from another ring. */
static void relaxed_from(const struct up *p, int from, int k, float weight, float *to)
{
  const struct hs_operator *op = p->op;
  const struct hs_rows_f32 u = {hs_linear_ring(op, from, k - 1), hs_linear_ring(op, from, k),
                                hs_linear_ring(op, from, k + 1)};
  const int j = hs_linear_wrap(&op->grid, k);
  const struct hs_linear_row g = hs_linear_row(op, j);
  op->by_rows->rows->relax(&g, weight, &u, row_f32(op, p->f, j), to);
  hs_linear_ends_f32(&op->grid, to);
}

static void up_pass(const struct up *p)
{
  const struct hs_operator *op = p->op;
  const struct hs_share own = hs_linear_share(op->grid.ny);
  const size_t bytes = (size_t)(op->grid.nx + 2) * sizeof(float);
  for (int k = own.from - 2; k <= own.to + 1; k++) {
    const int done = k - 2;
    float *to = hs_linear_ring(op, STARTED, k);
    if (hs_linear_wrap(&op->grid, k) >= 0)
      prolonged_make(p, hs_linear_wrap(&op->grid, k), to);
    else
      memset(to - 1, 0, bytes);
    if (k - 1 < own.from - 1) continue;
    to = hs_linear_ring(op, RELAXED, k - 1);
    if (hs_linear_wrap(&op->grid, k - 1) >= 0)
      relaxed_from(p, STARTED, k - 1, p->weights[0], to);
    else
      memset(to - 1, 0, bytes);
    if (done < own.from || done >= own.to) continue;
    relaxed_from(p, RELAXED, done, p->weights[1], row_f32(op, p->to, done));
    hs_linear_mirror_f32(&op->grid, p->to->single, done);
  }
}

hs_status hs_linear_cycle_up(struct hs_operator *op, const struct hs_operator *coarse, const struct hs_vector *coarse_u,
                             const struct hs_vector *f, const double weights[2], const struct hs_vector *u,
                             struct hs_vector *to, struct hs_error *err)
{
  const struct up pass = {op, coarse, {(float)weights[0], (float)weights[1]}, f, u, coarse_u, to};
  (void)err;
  HS_LINEAR_REGION(op, up_pass(&pass););
  return HS_OK;
}

/* --- one by one: levels that are smoothed on segments ---------------------------------------- */

hs_status hs_linear_cycle_start(struct hs_operator *op, const struct hs_vector *f, double weight, struct hs_vector *u,
                                struct hs_error *err)
{
  (void)err;
  HS_LINEAR_ROWS(op, j, {
    const struct hs_linear_row g = hs_linear_row(op, j);
    op->by_rows->rows->start(&g, (float)weight, row_f32(op, f, j), row_f32(op, u, j));
  });
  hs_host_ghosts_f32(&op->grid, u->single);
  return HS_OK;
}

static struct hs_rows_f32 rows_at(const struct hs_operator *op, const struct hs_vector *v, int j)
{
  const struct hs_rows_f32 rows = {row_f32(op, v, j - 1), row_f32(op, v, j), row_f32(op, v, j + 1)};
  return rows;
}

hs_status hs_linear_cycle_relax(struct hs_operator *op, const struct hs_vector *u, const struct hs_vector *f,
                                double weight, struct hs_vector *to, struct hs_error *err)
{
  (void)err;
  HS_LINEAR_ROWS(op, j, {
    const struct hs_linear_row g = hs_linear_row(op, j);
    const struct hs_rows_f32 rows = rows_at(op, u, j);
    op->by_rows->rows->relax(&g, (float)weight, &rows, row_f32(op, f, j), row_f32(op, to, j));
  });
  hs_host_ghosts_f32(&op->grid, to->single);
  return HS_OK;
}

hs_status hs_linear_cycle_prolong(struct hs_operator *op, const struct hs_operator *coarse,
                                  const struct hs_vector *coarse_u, struct hs_vector *u, struct hs_error *err)
{
  const struct up pass = {.op = op, .coarse = coarse, .u = u, .coarse_u = coarse_u};
  (void)err;
  HS_LINEAR_ROWS(op, j, { prolonged_make(&pass, j, row_f32(op, u, j)); });
  hs_host_ghosts_f32(&op->grid, u->single);
  return HS_OK;
}
