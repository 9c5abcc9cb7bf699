/* What a cycle costs, counted in sweeps of the finest grid. */
#include "solve/multigrid/levels.h"

/* Bytes that a step moves for a node, each array read or written once a pass: conjugate gradients in two passes, Richardson's
 * iteration in one, a level of the cycle in one down and one up, but for segments, whose sweeps are
 * passes of their own. A vector of the cycle and the
 * direction of the step have 4 bytes a node, the others of conjugate gradients 8; a node of the finest level has an index of
 * 2 bytes for its couplings, one of a coarser level six numbers; to each belong four weights of interpolation. */
enum {
  SINGLE = 4,
  DOUBLE = 8,
  INDEX = 2,
  COUPLINGS = 24,
  WEIGHTS = 16,
  SWEEP = 2 * DOUBLE + INDEX,
  EXAMINE = 3 * SINGLE + INDEX,
  ADVANCE = 4 * SINGLE + 2 * DOUBLE + INDEX,
  RICHARDSON = 2 * SINGLE + 2 * DOUBLE + INDEX
};

static double nodes_of(const struct hs_levels *levels, int k)
{
  const struct hs_grid grid = levels->linear->grid(levels->level[k].op);
  return (double)grid.nx * grid.ny;
}

/* Bytes of a visit of level k, down and up, with so many passes over segments where there are any. */
static double visit_bytes(const struct hs_levels *levels, int k, int segments)
{
  const struct hs_level *level = &levels->level[k];
  const double couplings = k == 0 ? INDEX : COUPLINGS, relax = 3 * SINGLE + couplings;
  const double down = 2 * SINGLE + couplings + WEIGHTS, up = 3 * SINGLE + couplings + WEIGHTS;
  return nodes_of(levels, k) * (down + up + (level->segments ? segments * relax : 0.0)) +
         nodes_of(levels, k + 1) * 2 * SINGLE;
}

/* Of a cycle from level k on. */
static double cycle_bytes(const struct hs_levels *levels, int k)
{
  double bytes = 0.0;
  for (; k + 1 < levels->count; k++) bytes += visit_bytes(levels, k, 2 * HS_SEGMENT_PASSES);
  return bytes;
}

double hs_levels_work(const struct hs_levels *levels, bool richardson)
{
  const double finest = nodes_of(levels, 0), step = richardson ? RICHARDSON : EXAMINE + ADVANCE;
  return (step * finest + cycle_bytes(levels, 0)) / (SWEEP * finest);
}

double hs_levels_nested_work(const struct hs_levels *levels)
{
  const int first = hs_levels_nested_first(levels);
  const double finest = nodes_of(levels, 0);
  double bytes = RICHARDSON * finest + cycle_bytes(levels, first);
  for (int k = 0; k < first; k++) {
    bytes += visit_bytes(levels, k, HS_SEGMENT_PASSES);
    if (hs_levels_nested_improves(k)) bytes += visit_bytes(levels, k, HS_SEGMENT_PASSES) + cycle_bytes(levels, k + 1);
  }
  return bytes / (SWEEP * finest);
}
