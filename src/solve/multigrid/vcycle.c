/* The V-cycle over the levels of multigrid, and nested iteration. */
#include "solve/multigrid/levels.h"

/* Weights of two sweeps from the roots of the fourth-kind Chebyshev polynomial of degree 2 on [0, 2]:
 * 1/w = 1 - cos(2 pi m / 5), m = 2, 1. */
static const double WEIGHTS[2] = {0.5527864045000421, 1.4472135954999579};

static const double SEGMENT_WEIGHT = 0.8;

/* Nodes of the level that nested iteration begins on, at most. */
enum { NESTED_FIRST = 2048 };

/* Cycles before one is recorded, which takes as long as a dozen repetitions save. */
enum { RECORD_AFTER = 8 };

/* --- the cycle ------------------------------------------------------------------------------- */

static void exchange(struct hs_level *level)
{
  struct hs_vector *u = level->u;
  level->u = level->room;
  level->room = u;
}

static hs_status relax(const struct hs_linear *linear, struct hs_level *level, double weight, struct hs_error *err)
{
  const hs_status status = linear->cycle_relax(level->op, level->u, level->f, weight, level->room, err);
  exchange(level);
  return status;
}

/* The passes over segments; backwards after the coarser level. */
static hs_status segments_relax(const struct hs_linear *linear, struct hs_level *level, bool backwards,
                                struct hs_error *err)
{
  hs_status status = HS_OK;
  for (int k = 0; !status && k < HS_SEGMENT_PASSES; k++) {
    const int pass = backwards ? HS_SEGMENT_PASSES - 1 - k : k;
    const struct hs_segments segments = hs_segments_of_pass(pass, SEGMENT_WEIGHT);
    status = linear->cycle_segments(level->op, level->u, level->f, &segments, level->room, err);
    exchange(level);
  }
  return status;
}

/* From u = 0. */
static hs_status smooth_before(const struct hs_linear *linear, struct hs_level *level, struct hs_error *err)
{
  hs_status status = linear->cycle_start(level->op, level->f, level->segments ? 0.0 : WEIGHTS[0], level->u, err);
  if (status) return status;
  return level->segments ? segments_relax(linear, level, false, err) : relax(linear, level, WEIGHTS[1], err);
}

static hs_status smooth_after(const struct hs_linear *linear, struct hs_level *level, struct hs_error *err)
{
  hs_status status;
  if (level->segments) return segments_relax(linear, level, true, err);
  status = relax(linear, level, WEIGHTS[1], err);
  return status ? status : relax(linear, level, WEIGHTS[0], err);
}

/* Down to a coarser level, and up again. */
static hs_status descend(const struct hs_linear *linear, struct hs_level *level, struct hs_error *err)
{
  hs_status status;
  if (level->passes) return linear->cycle_down(level->op, level->f, WEIGHTS, level->u, level[1].op, level[1].f, err);
  status = smooth_before(linear, level, err);
  if (status) return status;
  return linear->cycle_restrict(level->op, level->u, level->f, level->room, level[1].op, level[1].f, err);
}

static hs_status ascend(const struct hs_linear *linear, struct hs_level *level, struct hs_error *err)
{
  const double weights[2] = {WEIGHTS[1], WEIGHTS[0]};
  hs_status status;
  if (level->passes) {
    status = linear->cycle_up(level->op, level[1].op, level[1].u, level->f, weights, level->u, level->room, err);
    exchange(level);
    return status;
  }
  status = linear->cycle_prolong(level->op, level[1].op, level[1].u, level->u, err);
  return status ? status : smooth_after(linear, level, err);
}

/* From the way down to the way up: the tail, or the last level. */
static hs_status turn(struct hs_levels *l, int first, struct hs_error *err)
{
  const double weights[3] = {WEIGHTS[0], WEIGHTS[1], SEGMENT_WEIGHT};
  struct hs_operator *op[HS_LEVELS_MOST];
  bool segments[HS_LEVELS_MOST];
  const int count = hs_levels_operators(l, first, op, segments);
  const struct hs_level *level = &l->level[first];
  if (count > 1) return l->linear->cycle_tail(op, segments, count, level->f, weights, level->u, err);
  return l->linear->cycle_solve(level->op, level->f, level->u, err);
}

/* The operations of a cycle from a level on, one by one. */
static hs_status cycle_from(struct hs_levels *l, int first, struct hs_error *err)
{
  const struct hs_linear *linear = l->linear;
  const int last = l->tail < l->count ? l->tail : l->count - 1, turned = first > last ? first : last;
  hs_status status = HS_OK;
  for (int k = first; !status && k < turned; k++) status = descend(linear, &l->level[k], err);
  if (!status) status = turn(l, turned, err);
  for (int k = turned - 1; !status && k >= first; k--) status = ascend(linear, &l->level[k], err);
  return status;
}

/* A recording leaves the vectors of a level in other places than it found them in, and so does each repetition. */
static hs_status cycle_record(struct hs_levels *l, struct hs_error *err)
{
  struct hs_operator *op = l->level[0].op;
  hs_status status = l->linear->record(op, err), ended;
  struct hs_error later = {0};
  if (status) return status;
  status = cycle_from(l, 0, err);
  ended = l->linear->recorded(op, &l->cycle, status ? &later : err);
  return status ? status : ended;
}

hs_status hs_levels_cycle(struct hs_levels *l, struct hs_error *err)
{
  hs_status status = HS_OK;
  if (!l->linear->record) return cycle_from(l, 0, err);
  if (!l->cycle && l->single_cycles < RECORD_AFTER) {
    l->single_cycles++;
    return cycle_from(l, 0, err);
  }
  if (!l->cycle) {
    status = cycle_record(l, err);
    l->recorded = l->level[0].u;
  }
  if (!status) status = l->linear->repeat(l->level[0].op, l->cycle, err);
  if (l->level[0].u != l->recorded) exchange(&l->level[0]);
  return status;
}

/* --- nested iteration ------------------------------------------------------------------------ */

/* u of a level goes on by a cycle over the coarser ones. */
static hs_status improve(struct hs_levels *l, int k, struct hs_error *err)
{
  struct hs_level *level = &l->level[k];
  hs_status status =
      l->linear->cycle_restrict(level->op, level->u, level->f, level->room, level[1].op, level[1].f, err);
  if (!status) status = cycle_from(l, k + 1, err);
  return status ? status : ascend(l->linear, level, err);
}

int hs_levels_nested_first(const struct hs_levels *l)
{
  int k = 0;
  while (k + 1 < l->count) {
    const struct hs_grid grid = l->linear->grid(l->level[k].op);
    if ((double)grid.nx * grid.ny <= NESTED_FIRST) break;
    k++;
  }
  return k;
}

hs_status hs_levels_nested(struct hs_levels *l, struct hs_error *err)
{
  const int first = hs_levels_nested_first(l);
  hs_status status = HS_OK;
  for (int k = 0; !status && k < first; k++) {
    struct hs_level *level = &l->level[k];
    status = l->linear->cycle_condense(level->op, level->f, level->u, level->room, level[1].op, level[1].f, err);
  }
  if (!status) status = cycle_from(l, first, err);
  for (int k = first - 1; !status && k >= 0; k--) {
    status = ascend(l->linear, &l->level[k], err);
    if (!status && hs_levels_nested_improves(k)) status = improve(l, k, err);
  }
  return status;
}
