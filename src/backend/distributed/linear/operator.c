/* The finest operator in parts. */
#include <stdlib.h>

#include "backend/distributed/distributed.h"
#include "backend/distributed/linear/linear.h"
#include "base/memory.h"

enum {
  WHOLE_NODES = 1 << 16, /* a cycle over so many costs less than what parts would have to tell each other */
  WHOLE_LEAST = 256      /* in tests, too: a coarsest level is never in parts */
};

static const char WHAT[] = "the operators of multigrid";

/* --- how the grid is cut --------------------------------------------------------------------- */

static hs_status axis_of(const struct hs_partition *p, bool along_x, int depth, struct hs_axis *axis,
                         struct hs_error *err)
{
  const int count = along_x ? p->count_x : p->count_y, period = along_x ? p->period_x : p->period_y;
  const int n = period > 0 ? period : along_x ? p->grid_nx : p->grid_ny;
  int *begin = NULL;
  hs_status status = hs_array_create((void **)&begin, (size_t)count + 1, sizeof *begin, WHAT, err);
  for (int k = 0; !status && k < count; k++) {
    const struct hs_rectangle own = hs_partition_own(p, along_x ? k : k * p->count_x);
    begin[k] = along_x ? own.x0 : own.y0;
  }
  if (!status) begin[count] = n;
  if (!status) status = hs_axis_create(n, period > 0, count, begin, depth, axis, err);
  free(begin);
  return status;
}

static bool blocks_possible(const struct hs_blocks *blocks)
{
  return hs_axis_even(&blocks->x) && hs_axis_even(&blocks->y) && hs_axis_least(&blocks->x) > 0 &&
         hs_axis_least(&blocks->y) > 0 && (int64_t)blocks->x.n * blocks->y.n > WHOLE_LEAST;
}

hs_status hs_distributed_cycles_check(const struct hs_partition *p, struct hs_error *err)
{
  struct hs_blocks blocks = {.depth = HS_PARTED_DEPTH};
  hs_status status = axis_of(p, true, blocks.depth, &blocks.x, err);
  if (!status) status = axis_of(p, false, blocks.depth, &blocks.y, err);
  if (!status && !(hs_axis_even(&blocks.x) && hs_axis_even(&blocks.y)))
    status = hs_error_set(err, HS_ERR_UNSUPPORTED,
                          "%d x %d nodes in %d x %d parts: multigrid needs an even number of nodes between periodic "
                          "walls where ranks cut the grid",
                          blocks.x.n, blocks.y.n, blocks.x.count, blocks.y.count);
  else if (!status && !hs_blocks_whole(&blocks) && !blocks_possible(&blocks))
    status = hs_error_set(err, HS_ERR_UNSUPPORTED, "%d x %d nodes: multigrid by ranks needs more than %d", blocks.x.n,
                          blocks.y.n, WHOLE_LEAST);
  hs_blocks_clear(&blocks);
  return status;
}

/* Windows are deeper than those of the given systems of ranks, so that these can be filled from them. */
static hs_status blocks_create(struct hs_parted *op, const struct hs_partition *p, struct hs_error *err)
{
  const bool ranks = hs_comm_size(op->team->comm) > 1;
  struct hs_blocks *blocks = &op->blocks;
  hs_status status;
  blocks->depth = ranks && p->ghost >= HS_PARTED_DEPTH ? p->ghost + 1 : HS_PARTED_DEPTH;
  status = axis_of(p, true, blocks->depth, &blocks->x, err);
  if (!status) status = axis_of(p, false, blocks->depth, &blocks->y, err);
  if (status) return status;
  if (ranks) status = hs_distributed_cycles_check(p, err);
  if (status) return status;
  if (hs_blocks_whole(blocks) || !blocks_possible(blocks)) {
    status = hs_axis_whole(blocks->x.n, blocks->x.periodic, &blocks->x, err);
    if (!status) status = hs_axis_whole(blocks->y.n, blocks->y.periodic, &blocks->y, err);
    blocks->depth = HS_BLOCKS_WHOLE;
  }
  return status;
}

/* The given system's nodes as nodes of the grid. */
static struct hs_rectangle given_of(const struct hs_parted *op, const struct hs_partition *p)
{
  const struct hs_rectangle all = {0, 0, op->system->nx, op->system->ny};
  return hs_comm_size(op->team->comm) > 1 && !hs_blocks_whole(&op->blocks) ? hs_partition_window(p, op->team->number)
                                                                           : all;
}

/* --- what levels share ----------------------------------------------------------------------- */

static void team_destroy(struct hs_parted_team *team)
{
  if (!team) return;
  free(team->devices);
  free(team->tallies);
  free(team->room);
  free(team);
}

static hs_status team_create(const struct hs_backend *inner, const struct hs_partition *p,
                             const struct hs_backend_options *options, struct hs_parted_team **result,
                             struct hs_error *err)
{
  const struct hs_subdomain *ranks = options->spread.subdomain;
  const bool several = ranks && hs_comm_size(ranks->comm) > 1;
  struct hs_parted_team *team = NULL;
  hs_status status = hs_array_create((void **)&team, 1, sizeof *team, WHAT, err);
  *result = team;
  if (status) return status;
  team->linear = inner->linear;
  team->part = inner->part->linear;
  team->device_use = inner->part->device_use;
  team->comm = several ? ranks->comm : hs_comm_alone();
  team->number = several ? ranks->part : 0;
  team->count = several ? 1 : hs_partition_parts(p);
  team->whole_nodes = options->testing.whole_nodes > 0 ? options->testing.whole_nodes : WHOLE_NODES;
  if (team->whole_nodes < WHOLE_LEAST) team->whole_nodes = WHOLE_LEAST;
  status = hs_array_create((void **)&team->devices, (size_t)team->count, sizeof *team->devices, WHAT, err);
  for (int k = 0; !status && k < team->count && k < options->spread.device_count; k++)
    team->devices[k] = options->spread.devices[k];
  if (!status)
    status =
        hs_array_create((void **)&team->tallies, (size_t)hs_comm_size(team->comm), sizeof *team->tallies, WHAT, err);
  return status;
}

/* --- making ---------------------------------------------------------------------------------- */

static void device_link(const struct hs_parted_team *team, int k)
{
  for (int other = 0; team->part->link && other < team->count; other++)
    if (team->devices[other] != team->devices[k]) team->part->link(team->devices[other]);
}

static hs_status part_create(const struct hs_backend_options *options, struct hs_parted *op, int k,
                             struct hs_error *err)
{
  const struct hs_rectangle own = hs_blocks_own(&op->blocks, op->team->number + k);
  hs_status status = hs_parted_system_create(op, k, NULL, &op->cuts[k], err);
  if (!status) status = hs_parted_enter(op->team, k, err);
  if (!status) device_link(op->team, k);
  if (!status) status = op->team->linear->create(op->cuts[k], options, NULL, &op->inner[k], err);
  if (!status) op->team->part->own(op->inner[k], &own);
  return status;
}

/* What a rank does for itself before the parts. */
static hs_status operator_begin(const struct hs_backend *inner, const struct hs_system *system,
                                const struct hs_backend_options *options, struct hs_parted **result,
                                struct hs_error *err)
{
  const struct hs_partition p = hs_distributed_partition(system, options);
  struct hs_parted *op;
  hs_status status = hs_array_create((void **)result, 1, sizeof *op, WHAT, err);
  if (status) return status;
  op = *result;
  op->finest = true;
  op->system = system;
  op->singular = system->singular && !system->storing;
  status = team_create(inner, &p, options, &op->team, err);
  if (!status) status = blocks_create(op, &p, err);
  if (status) return status;
  op->given = given_of(op, &p);
  op->count = hs_blocks_whole(&op->blocks) ? 1 : op->team->count;
  status = hs_array_create((void **)&op->inner, (size_t)op->count, sizeof *op->inner, WHAT, err);
  if (!status) status = hs_array_create((void **)&op->cuts, (size_t)op->count, sizeof *op->cuts, WHAT, err);
  if (!status && !hs_blocks_whole(&op->blocks))
    status = hs_moves_create(op->team, &op->blocks, &op->blocks, true, &op->ghosts, err);
  return status;
}

/* The ranks agree after each stage, so that a run which can do without levels goes on in step. */
hs_status hs_parted_create(const struct hs_backend *inner, const struct hs_system *system,
                           const struct hs_backend_options *options, struct hs_operator **result, struct hs_error *err)
{
  struct hs_comm *comm = options->spread.subdomain ? options->spread.subdomain->comm : hs_comm_alone();
  struct hs_parted *op = NULL;
  hs_status status;
  *result = NULL;
  if (!inner->linear || !inner->part->linear)
    return hs_error_set(err, HS_ERR_UNSUPPORTED,
                        "%s has no multigrid in several parts; choose another backend, or solver.method = chebyshev.",
                        inner->name);
  status = hs_comm_agree(comm, operator_begin(inner, system, options, &op, err), err);
  for (int k = 0; !status && k < op->count; k++) status = part_create(options, op, k, err);
  status = hs_comm_agree(comm, status, err);
  if (status) {
    hs_parted_destroy((struct hs_operator *)op);
    return status;
  }
  *result = (struct hs_operator *)op;
  return HS_OK;
}

hs_status hs_parted_update(struct hs_operator *finest, const struct hs_system *system, bool couplings,
                           struct hs_error *err)
{
  struct hs_parted *op = hs_parted(finest);
  hs_status status = HS_OK;
  op->system = system;
  for (int k = 0; !status && k < op->count; k++) {
    struct hs_system *cut = NULL;
    status = hs_parted_system_create(op, k, op->cuts[k], &cut, err);
    if (!status) status = hs_parted_enter(op->team, k, err);
    if (!status) status = op->team->linear->update(op->inner[k], cut, couplings, err);
    if (!cut) break;
    hs_parted_system_destroy(op, op->cuts[k]);
    op->cuts[k] = cut;
  }
  return status;
}

/* --- freeing --------------------------------------------------------------------------------- */

static void halves_destroy(struct hs_parted *op)
{
  for (int k = 0; k < op->team->count; k++) {
    (void)hs_parted_enter(op->team, k, NULL);
    if (op->half_values) op->team->linear->vector_destroy(op->half_values[k]);
    if (op->half) op->team->linear->destroy(op->half[k]);
  }
  free(op->half_values);
  free(op->half);
}

void hs_parted_destroy(struct hs_operator *any)
{
  struct hs_parted *op = hs_parted(any);
  if (!op) return;
  if (op->team) halves_destroy(op);
  for (int k = 0; op->inner && k < op->count; k++) {
    (void)hs_parted_enter(op->team, k, NULL);
    op->team->linear->destroy(op->inner[k]);
  }
  for (int k = 0; op->cuts && k < op->count; k++) hs_parted_system_destroy(op, op->cuts[k]);
  hs_moves_clear(&op->ghosts);
  hs_moves_clear(&op->down);
  hs_moves_clear(&op->up);
  hs_blocks_clear(&op->blocks);
  hs_blocks_clear(&op->half_blocks);
  free(op->inner);
  free(op->cuts);
  if (op->finest) team_destroy(op->team);
  free(op);
}

struct hs_rectangle hs_parted_given(const struct hs_operator *op)
{
  return hs_parted(op)->given;
}

struct hs_grid hs_parted_grid(const struct hs_operator *op)
{
  const struct hs_blocks *blocks = &hs_parted(op)->blocks;
  const struct hs_grid grid = {blocks->x.n, blocks->y.n, blocks->x.n + 2, blocks->x.periodic, blocks->y.periodic};
  return grid;
}
