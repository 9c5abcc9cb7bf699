/* Coarser operators in parts; see linear.h for their two forms. */
#include <stdlib.h>

#include "backend/distributed/linear/linear.h"
#include "base/memory.h"

enum { LEAST = 4 }; /* own nodes of a part, in a direction that is cut */

static const char WHAT[] = "the levels of multigrid";

hs_status hs_parted_shares(struct hs_operator *any, struct hs_level_shares *shares, struct hs_error *err)
{
  struct hs_parted *op = hs_parted(any);
  int64_t sums[5] = {0, 0, 0, 0, 0};
  hs_status status = HS_OK;
  for (int k = 0; !status && k < op->count; k++) {
    struct hs_level_shares here;
    status = hs_parted_enter(op->team, k, err);
    if (!status) status = op->team->linear->shares(op->inner[k], &here, err);
    if (status) break;
    sums[0] += here.free;
    sums[1] += here.x_semi;
    sums[2] += here.y_semi;
    sums[3] += here.x_segment;
    sums[4] += here.y_segment;
  }
  status = hs_comm_agree(op->team->comm, status, err);
  if (!status && !hs_blocks_whole(&op->blocks)) status = hs_comm_count(op->team->comm, sums, 5, err);
  *shares = (struct hs_level_shares){sums[0], sums[1], sums[2], sums[3], sums[4]};
  return status;
}

/* --- blocks ---------------------------------------------------------------------------------- */

static bool whole_pays(const struct hs_parted *fine, const struct hs_blocks *blocks)
{
  return (int64_t)blocks->x.n * blocks->y.n <= fine->team->whole_nodes || !hs_axis_even(&blocks->x) ||
         !hs_axis_even(&blocks->y) || hs_axis_least(&blocks->x) < LEAST || hs_axis_least(&blocks->y) < LEAST;
}

static hs_status blocks_create(const struct hs_parted *fine, bool x, bool y, struct hs_parted *coarse,
                               struct hs_error *err)
{
  const struct hs_blocks *f = &fine->blocks;
  struct hs_blocks *c = &coarse->blocks;
  hs_status status = hs_axis_coarsen(&f->x, x, HS_PARTED_DEPTH, &c->x, err);
  if (!status) status = hs_axis_coarsen(&f->y, y, HS_PARTED_DEPTH, &c->y, err);
  if (!status) status = hs_axis_halve(&f->x, x, &coarse->half_blocks.x, err);
  if (!status) status = hs_axis_halve(&f->y, y, &coarse->half_blocks.y, err);
  c->depth = HS_PARTED_DEPTH;
  if (status || !whole_pays(fine, c)) return status;
  c->depth = HS_BLOCKS_WHOLE;
  status = hs_axis_whole(c->x.n, c->x.periodic, &c->x, err);
  return status ? status : hs_axis_whole(c->y.n, c->y.periodic, &c->y, err);
}

/* --- the two forms --------------------------------------------------------------------------- */

/* What coarsening makes of the windows of the finer level. */
static hs_status halves_create(struct hs_parted *fine, bool x, bool y, bool *passes, struct hs_parted *coarse,
                               struct hs_error *err)
{
  const struct hs_linear *linear = fine->team->linear;
  const size_t count = (size_t)fine->count;
  const bool wanted = *passes && linear->cycle_down;
  hs_status status = hs_array_create((void **)&coarse->half, count, sizeof(struct hs_operator *), WHAT, err);
  if (!status) status = hs_array_create((void **)&coarse->half_values, count, sizeof(struct hs_vector *), WHAT, err);
  *passes = wanted;
  for (int k = 0; !status && k < fine->count; k++) {
    bool possible = wanted;
    status = hs_parted_enter(fine->team, k, err);
    if (!status) status = linear->coarsen(fine->inner[k], x, y, &possible, &coarse->half[k], err);
    if (!status) status = linear->vector_create(coarse->half[k], true, &coarse->half_values[k], err);
    *passes = *passes && possible;
  }
  return status;
}

static hs_status moves_create(struct hs_parted *coarse, struct hs_error *err)
{
  const struct hs_parted_team *team = coarse->team;
  hs_status status = hs_moves_create(team, &coarse->half_blocks, &coarse->blocks, false, &coarse->down, err);
  if (!status) status = hs_moves_create(team, &coarse->blocks, &coarse->half_blocks, false, &coarse->up, err);
  if (!status && !hs_blocks_whole(&coarse->blocks))
    status = hs_moves_create(team, &coarse->blocks, &coarse->blocks, true, &coarse->ghosts, err);
  return status;
}

/* The level's own windows, from the couplings of the halves. */
static hs_status windows_create(struct hs_parted *coarse, struct hs_error *err)
{
  struct hs_parted_team *team = coarse->team;
  const struct hs_carrier from = {.count = team->count, .op = coarse->half};
  const struct hs_carrier to = {.count = coarse->count, .op = coarse->inner};
  hs_status status = HS_OK;
  for (int k = 0; !status && k < coarse->count; k++) {
    const struct hs_rectangle window = hs_blocks_window(&coarse->blocks, team->number + k);
    const struct hs_rectangle own = hs_blocks_own(&coarse->blocks, team->number + k);
    const struct hs_grid grid = {window.nx, window.ny, 0, coarse->blocks.x.periodic && coarse->blocks.x.count == 1,
                                 coarse->blocks.y.periodic && coarse->blocks.y.count == 1};
    status = hs_parted_enter(team, k, err);
    if (!status) status = team->part->window(coarse->half[k], &grid, &coarse->inner[k], err);
    if (!status) team->part->own(coarse->inner[k], &own);
  }
  status = hs_comm_agree(team->comm, status, err);
  if (!status) status = hs_moves_run(team, &coarse->down, &from, &to, err);
  HS_PARTED_EACH(coarse, k, status, team->part->complete(coarse->inner[k], err))
  status = hs_comm_agree(team->comm, status, err);
  for (int k = 0; !status && k < team->count; k++) {
    status = hs_parted_enter(team, k, err);
    if (!status) team->linear->settle(coarse->half[k]);
  }
  return status;
}

/* A level that is whole has a whole one below it. */
static hs_status whole_coarsen(struct hs_parted *fine, bool x, bool y, bool *passes, struct hs_parted *coarse,
                               struct hs_error *err)
{
  const struct hs_linear *linear = fine->team->linear;
  struct hs_grid grid;
  hs_status status = hs_parted_enter(fine->team, 0, err);
  *passes = *passes && linear->cycle_down;
  if (!status) status = linear->coarsen(fine->inner[0], x, y, passes, &coarse->inner[0], err);
  if (status) return status;
  grid = linear->grid(coarse->inner[0]);
  coarse->blocks.depth = HS_BLOCKS_WHOLE;
  status = hs_axis_whole(grid.nx, grid.periodic_x, &coarse->blocks.x, err);
  return status ? status : hs_axis_whole(grid.ny, grid.periodic_y, &coarse->blocks.y, err);
}

static hs_status parts_coarsen(struct hs_parted *fine, bool x, bool y, bool *passes, struct hs_parted *coarse,
                               struct hs_error *err)
{
  hs_status status = halves_create(fine, x, y, passes, coarse, err);
  if (!status) status = moves_create(coarse, err);
  status = hs_comm_agree(fine->team->comm, status, err); /* nobody waits for one that has no memory */
  return status ? status : windows_create(coarse, err);
}

/* What a rank does for itself first. */
static hs_status coarse_begin(const struct hs_parted *fine, bool x, bool y, struct hs_parted **result,
                              struct hs_error *err)
{
  const bool whole = hs_blocks_whole(&fine->blocks);
  struct hs_parted *coarse;
  hs_status status = hs_array_create((void **)result, 1, sizeof *coarse, WHAT, err);
  if (status) return status;
  coarse = *result;
  coarse->team = fine->team;
  if (!whole) status = blocks_create(fine, x, y, coarse, err);
  coarse->count = whole || hs_blocks_whole(&coarse->blocks) ? 1 : fine->count;
  return status ? status
                : hs_array_create((void **)&coarse->inner, (size_t)coarse->count, sizeof *coarse->inner, WHAT, err);
}

hs_status hs_parted_coarsen(struct hs_operator *any, bool x, bool y, bool *passes, struct hs_operator **result,
                            struct hs_error *err)
{
  struct hs_parted *fine = hs_parted(any), *coarse = NULL;
  struct hs_comm *comm = fine->team->comm;
  hs_status status = hs_comm_agree(comm, coarse_begin(fine, x, y, &coarse, err), err);
  *result = NULL;
  if (!status && hs_blocks_whole(&fine->blocks))
    status = hs_comm_agree(comm, whole_coarsen(fine, x, y, passes, coarse, err), err);
  else if (!status)
    status = parts_coarsen(fine, x, y, passes, coarse, err);
  if (status) {
    hs_parted_destroy((struct hs_operator *)coarse);
    return status;
  }
  *result = (struct hs_operator *)coarse;
  return HS_OK;
}

/* --- the coarsest one, which is whole -------------------------------------------------------- */

hs_status hs_parted_rows(struct hs_operator *any, double (*rows)[9], struct hs_error *err)
{
  struct hs_parted *op = hs_parted(any);
  const hs_status status = hs_parted_enter(op->team, 0, err);
  return status ? status : op->team->linear->rows(op->inner[0], rows, err);
}

hs_status hs_parted_invert(struct hs_operator *any, const double *inverse, struct hs_error *err)
{
  struct hs_parted *op = hs_parted(any);
  const hs_status status = hs_parted_enter(op->team, 0, err);
  return status ? status : op->team->linear->invert(op->inner[0], inverse, err);
}

void hs_parted_settle(struct hs_operator *any)
{
  struct hs_parted *op = hs_parted(any);
  for (int k = 0; k < op->count; k++)
    if (!hs_parted_enter(op->team, k, NULL)) op->team->linear->settle(op->inner[k]);
}
