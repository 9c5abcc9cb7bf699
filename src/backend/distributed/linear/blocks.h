/* Where the nodes of a level lie: own blocks of parts, their windows, and the blocks that become others' ghosts.
 *
 * A level's grid is cut along columns and rows. A part's window is its own nodes and `depth` ghosts on each side where the
 * grid goes on, around periodic walls too, and as deep as that takes: windows may reach over several parts, and over their own
 * nodes again. Windows begin at even nodes, so that a window's every second node is the coarser grid's. Blocks of one part is
 * the whole grid; every process has it then.
 */
#ifndef HS_BACKEND_DISTRIBUTED_BLOCKS_H
#define HS_BACKEND_DISTRIBUTED_BLOCKS_H

#include <limits.h>
#include <stdbool.h>

#include "comm/halo.h"

/* One direction of it. */
struct hs_axis {
  int n; /* nodes of the grid; periodic walls have them once */
  bool periodic;
  int count;  /* parts */
  int *begin; /* [count + 1] own nodes of part k: begin[k] <= i < begin[k + 1] */
  int *first; /* [count] windows: first[k] <= i < end[k], counted on around periodic walls */
  int *end;   /* [count] */
};

struct hs_blocks {
  struct hs_axis x, y;
  int depth; /* layers of ghosts, HS_BLOCKS_WHOLE where there are none */
};

enum { HS_BLOCKS_WHOLE = INT_MAX / 2 };

static inline bool hs_blocks_whole(const struct hs_blocks *blocks)
{
  return blocks->x.count == 1 && blocks->y.count == 1;
}

/* An axis whose own blocks are these, [count + 1]. To be destroyed, after failures too. Errors: HS_ERR_MEMORY. */
hs_status hs_axis_create(int n, bool periodic, int count, const int *begin, int depth, struct hs_axis *axis,
                         struct hs_error *err);

/* The axis of every second node, or of all: windows as above, or just those that are left of the windows' nodes. */
hs_status hs_axis_coarsen(const struct hs_axis *fine, bool coarsen, int depth, struct hs_axis *axis,
                          struct hs_error *err);
hs_status hs_axis_halve(const struct hs_axis *fine, bool coarsen, struct hs_axis *axis, struct hs_error *err);

/* The same grid in one part, in place of the axis that was there. */
hs_status hs_axis_whole(int n, bool periodic, struct hs_axis *axis, struct hs_error *err);

/* Can windows be coarsened as the whole grid is? Not around the seam of an odd number of nodes. */
bool hs_axis_even(const struct hs_axis *axis);

/* Own nodes of the smallest block; INT_MAX where the axis is not cut. */
int hs_axis_least(const struct hs_axis *axis);

void hs_blocks_clear(struct hs_blocks *blocks);

/* The window of a part as nodes of the grid, and its own nodes, counted from the window's first. */
struct hs_rectangle hs_blocks_window(const struct hs_blocks *blocks, int part);
struct hs_rectangle hs_blocks_own(const struct hs_blocks *blocks, int part);

/* The blocks of `from`'s own nodes that make up the window of part `part` in `to`; ghosts: without its own nodes. Both are of one
 * grid. Where one of them is whole, its part has the number of the other's. *transfers is the caller's. */
hs_status hs_blocks_transfers(const struct hs_blocks *from, const struct hs_blocks *to, int part, bool ghosts,
                              struct hs_transfer **transfers, int *count, struct hs_error *err);

#endif
