/* The operations of the cycle in parts: which ghosts each reads, and which it leaves right. */
#include "backend/distributed/linear/linear.h"

/* Layers that a level's smoothing and the transfer to a coarser level need. */
enum { DOWN = 3, UP = 2 };

static int least(int a, int b)
{
  return a < b ? a : b;
}

/* Layers that have couplings, and weights of interpolation. */
static int coupled(const struct hs_parted *op)
{
  return op->blocks.depth - HS_PARTED_EDGE;
}

static int weighted(const struct hs_parted *op)
{
  return op->blocks.depth - HS_PARTED_EDGE_WEIGHTS;
}

hs_status hs_parted_cycle_start(struct hs_operator *any, const struct hs_vector *f_of, double weight,
                                struct hs_vector *u_of, struct hs_error *err)
{
  struct hs_parted *op = hs_parted(any);
  struct hs_parted_vector *f = hs_parted_vector(f_of), *u = hs_parted_vector(u_of);
  hs_status status = hs_parted_renew(op, f, DOWN, err);
  HS_PARTED_EACH(op, k, status, op->team->linear->cycle_start(op->inner[k], f->inner[k], weight, u->inner[k], err))
  u->right = least(f->right, coupled(op));
  return status;
}

hs_status hs_parted_cycle_relax(struct hs_operator *any, const struct hs_vector *u_of, const struct hs_vector *f_of,
                                double weight, struct hs_vector *to_of, struct hs_error *err)
{
  struct hs_parted *op = hs_parted(any);
  struct hs_parted_vector *u = hs_parted_vector(u_of), *f = hs_parted_vector(f_of), *to = hs_parted_vector(to_of);
  hs_status status = hs_parted_renew(op, u, 1, err);
  HS_PARTED_EACH(op, k, status,
                 op->team->linear->cycle_relax(op->inner[k], u->inner[k], f->inner[k], weight, to->inner[k], err))
  to->right = least(least(u->right - 1, f->right), coupled(op));
  return status;
}

/* Segments are counted from the first node of the grid and end at its last one, around periodic walls as well; a part computes
 * those that its own nodes lie in. */
static struct hs_segments segments_of(const struct hs_parted *op, int k, const struct hs_segments *segments)
{
  const struct hs_rectangle window = hs_blocks_window(&op->blocks, op->team->number + k);
  const struct hs_axis *axis = segments->along_x ? &op->blocks.x : &op->blocks.y;
  const int first = segments->along_x ? window.x0 : window.y0, nodes = segments->along_x ? window.nx : window.ny;
  struct hs_segments here = *segments;
  here.shift = ((segments->shift + first) % HS_SEGMENT + HS_SEGMENT) % HS_SEGMENT;
  here.first = first < 0 ? -first : 0;
  here.end = least(axis->n - first, nodes);
  return here;
}

hs_status hs_parted_cycle_segments(struct hs_operator *any, const struct hs_vector *u_of, const struct hs_vector *f_of,
                                   const struct hs_segments *segments, struct hs_vector *to_of, struct hs_error *err)
{
  struct hs_parted *op = hs_parted(any);
  struct hs_parted_vector *u = hs_parted_vector(u_of), *f = hs_parted_vector(f_of), *to = hs_parted_vector(to_of);
  hs_status status = hs_parted_renew(op, u, HS_SEGMENT, err);
  if (!status) status = hs_parted_renew(op, f, HS_SEGMENT - 1, err);
  for (int k = 0; !status && k < op->count; k++) {
    const struct hs_segments here = segments_of(op, k, segments);
    status = hs_parted_enter(op->team, k, err);
    if (!status)
      status = op->team->linear->cycle_segments(op->inner[k], u->inner[k], f->inner[k], &here, to->inner[k], err);
  }
  to->right = least(u->right - HS_SEGMENT, f->right - (HS_SEGMENT - 1));
  if ((segments->along_x ? &op->blocks.x : &op->blocks.y)->periodic)
    to->right = least(to->right, hs_blocks_whole(&op->blocks) ? to->right : 0);
  return status;
}

/* --- between two grids ------------------------------------------------------------------------ */

/* The inner operators and vectors of the coarser grid that a fine one's work with. */
static struct hs_carrier coarse_side(const struct hs_parted *coarse, const struct hs_parted_vector *v)
{
  const struct hs_carrier whole = {.count = coarse->count, .op = coarse->inner, .v = v->inner, .single = true};
  const struct hs_carrier half = {
      .count = coarse->team->count, .op = coarse->half, .v = coarse->half_values, .single = true};
  return coarse->half ? half : whole;
}

/* From there to the coarser level's own windows, and back. */
static hs_status go_down(struct hs_parted *coarse, struct hs_parted_vector *v, struct hs_error *err)
{
  const struct hs_carrier from = coarse_side(coarse, v),
                          to = {.count = coarse->count, .op = coarse->inner, .v = v->inner, .single = true};
  v->right = coarse->blocks.depth;
  return coarse->half ? hs_moves_run(coarse->team, &coarse->down, &from, &to, err) : HS_OK;
}

static hs_status go_up(struct hs_parted *coarse, struct hs_parted_vector *v, struct hs_error *err)
{
  const struct hs_carrier to = coarse_side(coarse, v),
                          from = {.count = coarse->count, .op = coarse->inner, .v = v->inner, .single = true};
  return coarse->half ? hs_moves_run(coarse->team, &coarse->up, &from, &to, err) : HS_OK;
}

hs_status hs_parted_cycle_restrict(struct hs_operator *any, const struct hs_vector *u_of, const struct hs_vector *f_of,
                                   struct hs_vector *r_of, const struct hs_operator *coarse_of,
                                   struct hs_vector *coarse_f_of, struct hs_error *err)
{
  struct hs_parted *op = hs_parted(any), *coarse = hs_parted(coarse_of);
  struct hs_parted_vector *u = hs_parted_vector(u_of), *f = hs_parted_vector(f_of), *r = hs_parted_vector(r_of);
  struct hs_parted_vector *coarse_f = hs_parted_vector(coarse_f_of);
  const struct hs_carrier to = coarse_side(coarse, coarse_f);
  hs_status status = hs_parted_renew(op, u, 2, err);
  if (!status) status = hs_parted_renew(op, f, 1, err);
  HS_PARTED_EACH(
      op, k, status,
      op->team->linear->cycle_restrict(op->inner[k], u->inner[k], f->inner[k], r->inner[k], to.op[k], to.v[k], err))
  r->right = 0;
  return status ? status : go_down(coarse, coarse_f, err);
}

hs_status hs_parted_cycle_condense(struct hs_operator *any, const struct hs_vector *f_of, struct hs_vector *u_of,
                                   struct hs_vector *room_of, const struct hs_operator *coarse_of,
                                   struct hs_vector *coarse_f_of, struct hs_error *err)
{
  struct hs_parted *op = hs_parted(any), *coarse = hs_parted(coarse_of);
  struct hs_parted_vector *f = hs_parted_vector(f_of), *u = hs_parted_vector(u_of), *room = hs_parted_vector(room_of);
  struct hs_parted_vector *coarse_f = hs_parted_vector(coarse_f_of);
  const struct hs_carrier to = coarse_side(coarse, coarse_f);
  hs_status status = hs_parted_renew(op, f, DOWN, err);
  HS_PARTED_EACH(
      op, k, status,
      op->team->linear->cycle_condense(op->inner[k], f->inner[k], u->inner[k], room->inner[k], to.op[k], to.v[k], err))
  u->right = least(f->right, coupled(op)) - 1;
  room->right = 0;
  return status ? status : go_down(coarse, coarse_f, err);
}

hs_status hs_parted_cycle_prolong(struct hs_operator *any, const struct hs_operator *coarse_of,
                                  const struct hs_vector *coarse_u_of, struct hs_vector *u_of, struct hs_error *err)
{
  struct hs_parted *op = hs_parted(any), *coarse = hs_parted(coarse_of);
  struct hs_parted_vector *u = hs_parted_vector(u_of), *coarse_u = hs_parted_vector(coarse_u_of);
  const struct hs_carrier from = coarse_side(coarse, coarse_u);
  hs_status status = go_up(coarse, coarse_u, err);
  HS_PARTED_EACH(op, k, status, op->team->linear->cycle_prolong(op->inner[k], from.op[k], from.v[k], u->inner[k], err))
  u->right = least(u->right, weighted(op));
  return status;
}

hs_status hs_parted_cycle_down(struct hs_operator *any, const struct hs_vector *f_of, const double weights[2],
                               struct hs_vector *u_of, const struct hs_operator *coarse_of,
                               struct hs_vector *coarse_f_of, struct hs_error *err)
{
  struct hs_parted *op = hs_parted(any), *coarse = hs_parted(coarse_of);
  struct hs_parted_vector *f = hs_parted_vector(f_of), *u = hs_parted_vector(u_of);
  struct hs_parted_vector *coarse_f = hs_parted_vector(coarse_f_of);
  const struct hs_carrier to = coarse_side(coarse, coarse_f);
  hs_status status = hs_parted_renew(op, f, DOWN, err);
  HS_PARTED_EACH(op, k, status,
                 op->team->linear->cycle_down(op->inner[k], f->inner[k], weights, u->inner[k], to.op[k], to.v[k], err))
  u->right = least(f->right, coupled(op)) - 1;
  return status ? status : go_down(coarse, coarse_f, err);
}

hs_status hs_parted_cycle_up(struct hs_operator *any, const struct hs_operator *coarse_of,
                             const struct hs_vector *coarse_u_of, const struct hs_vector *f_of, const double weights[2],
                             const struct hs_vector *u_of, struct hs_vector *to_of, struct hs_error *err)
{
  struct hs_parted *op = hs_parted(any), *coarse = hs_parted(coarse_of);
  struct hs_parted_vector *f = hs_parted_vector(f_of), *u = hs_parted_vector(u_of), *to = hs_parted_vector(to_of);
  struct hs_parted_vector *coarse_u = hs_parted_vector(coarse_u_of);
  const struct hs_carrier from = coarse_side(coarse, coarse_u);
  hs_status status = hs_parted_renew(op, f, 1, err);
  if (!status) status = hs_parted_renew(op, u, UP, err);
  if (!status) status = go_up(coarse, coarse_u, err);
  HS_PARTED_EACH(op, k, status,
                 op->team->linear->cycle_up(op->inner[k], from.op[k], from.v[k], f->inner[k], weights, u->inner[k],
                                            to->inner[k], err))
  to->right = least(least(u->right, weighted(op)) - 2, f->right - 1);
  return status;
}

/* On the coarsest level, which is whole. */
hs_status hs_parted_cycle_solve(struct hs_operator *any, const struct hs_vector *f, struct hs_vector *u,
                                struct hs_error *err)
{
  struct hs_parted *op = hs_parted(any);
  const hs_status status = hs_parted_enter(op->team, 0, err);
  return status ? status
                : op->team->linear->cycle_solve(op->inner[0], hs_parted_vector(f)->inner[0],
                                                hs_parted_vector(u)->inner[0], err);
}
