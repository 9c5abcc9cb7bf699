/* Subdomains: which nodes of a grid belong to which part, and the ghost zone around each.
 *
 *        grid_nx
 *     .-----.-----.     A grid is cut into blocks, count_x by count_y, with sizes that differ by at most one (in units of
 *     |  2  |  3  |     `align` nodes). A part owns its block; its window is that and the ghost zone: up to `ghost` further
 *     |-----+-----|     nodes on each side where another part lies, around periodic walls too. Ghost nodes are swept like all
 *     |  0  |  1  |     others (redundant computation): after an exchange `ghost` sweeps can be made before the next one.
 *     '-----'-----'
 */
#ifndef HS_COMM_SUBDOMAIN_H
#define HS_COMM_SUBDOMAIN_H

#include <stdbool.h>

#include "comm/comm.h"

enum {
  HS_PARTITION_GHOST_MOST = 64, /* deeper ghost zones are never worth it */
  HS_PARTITION_LEAST = 8        /* nodes of a block in a direction that is cut, at least */
};

/* Nodes [x0, x0+nx) by [y0, y0+ny). */
struct hs_rectangle {
  int x0, y0, nx, ny;
};

/* How a grid is cut. */
struct hs_partition {
  int grid_nx, grid_ny;   /* nodes of the whole grid */
  int period_x, period_y; /* nodes after which a periodic grid repeats; 0: open walls */
  int count_x, count_y;   /* parts */
  int align;              /* blocks begin at multiples of so many nodes, the first one at 0 */
  int ghost;              /* depth of ghost zones; 0 where there is one part */
};

/* The part that owns node (0, 0) of the grid is part 0; x runs fastest. */
static inline int hs_partition_parts(const struct hs_partition *partition)
{
  return partition->count_x * partition->count_y;
}

/* What the machine is like, for the estimate. */
struct hs_partition_costs {
  double node_s;    /* a node, a sweep */
  double latency_s; /* an exchange, whatever its size */
  double byte_s;    /* a byte of it */
  double node_bytes;
  double strided; /* how much longer a byte of ghost columns takes than one of ghost rows, which lie together */
  int pass;       /* sweeps that a backend makes at once: depths are multiples of it where that pays */
};

/* The cut of a whole grid into `parts` that takes the least time a sweep by estimate, with its ghost zones: surface times byte_s,
 * redundant nodes times node_s, and latency. So many parts are used that each has HS_PARTITION_LEAST nodes in the directions
 * that are cut: count_x * count_y may be less than `parts`. Directions of an odd period are cut where no other can be, since
 * multigrid cannot do with it. */
struct hs_partition hs_partition_choose(const struct hs_partition *whole, int parts, int align,
                                        const struct hs_partition_costs *costs);

/* The depth that ghost zones of a cut may have: that of its smallest block, since an exchange is with the nearest parts only;
 * less one where opposite walls are the same nodes. Below 1: the grid cannot be cut so. */
int hs_partition_deepest(const struct hs_partition *partition);

/* Estimated seconds of a sweep, exchange included. */
double hs_partition_sweep_s(const struct hs_partition *partition, const struct hs_partition_costs *costs);

/* A grid in one part, without ghosts. */
struct hs_partition hs_partition_whole(int grid_nx, int grid_ny, bool periodic_x, bool periodic_y, bool cell_layout);

/* Nodes that part `part` owns. */
struct hs_rectangle hs_partition_own(const struct hs_partition *partition, int part);

/* The same with its ghost zone. x0 and y0 are below 0, and the end is beyond the grid, around periodic walls. */
struct hs_rectangle hs_partition_window(const struct hs_partition *partition, int part);

/* The part of a grid that a process holds, and the ranks that hold the others. */
struct hs_subdomain {
  struct hs_comm *comm; /* not owned */
  struct hs_partition partition;
  int part;
};

#endif
