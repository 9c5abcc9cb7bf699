/* The plan of cuda-blocked: which block of threads sweeps what, and what is known of the rows.
 *
 * The grid is covered by strips of some hundred columns. A pass streams the rows of a strip from south to north through
 * all its stages (sweeps). The window of a strip, the columns that it reads, overlaps those of its neighbours: each
 * stage spoils the outermost column on either side. The columns that are right after the last stage, [valid0, valid1),
 * are stored.
 *
 * Neighbouring rows of a strip whose nodes have the same stencils are of one row kind, which has the constants of all
 * nodes in a table. Kind 0 is a row outside the grid.
 */
#ifndef HS_KERNELS_BLOCKED_BLOCKED_H
#define HS_KERNELS_BLOCKED_BLOCKED_H

#include "kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  HS_BLOCKED_UNIT = 16,       /* bytes */
  HS_BLOCKED_UNITS = 5,       /* of a row in each lane; odd: no conflicts between banks */
  HS_BLOCKED_LINE = 128,      /* bytes by which places in the table are counted */
  HS_BLOCKED_STAGES = 32,     /* sweeps of a pass at most */
  HS_BLOCKED_WARP_STAGES = 4, /* of one warp */
  /* Rows that a work item takes beside its own: the ghost zone south of it, and those in the stages at its end. */
  HS_BLOCKED_OVERHEAD = 2 * HS_BLOCKED_STAGES,
  HS_BLOCKED_AHEAD_LIMIT = 255, /* rows that are counted ahead */
  HS_BLOCKED_KIND_LIMIT = 1 << 22
};

/* Passes take fields up to these magnitudes. They multiply neighbours of Dirichlet nodes by 0, and 0 times a sum that
 * overflows is NaN. Fields are checked when they are loaded; constants are the problem's temperatures and sources, which
 * are far below. */
#define HS_BLOCKED_LARGEST_F64 1e300
#define HS_BLOCKED_LARGEST_F32 1e30

/* A strip reads the columns from column0 on, hs_blocked_width of them, and stores [valid0, valid1). Multiples of 16
 * bytes. */
struct hs_blocked_strip {
  int32_t column0, valid0, valid1, unused;
};

/* A work item: rows [row0, row1) of a strip. weights: its ghost zones included, there are rows of the path WEIGHED. */
struct hs_blocked_item {
  int32_t strip, row0, row1, weights;
};

/* The path that sweeps rows of a kind: all nodes have equal weights and those of a lane one constant; all nodes have
 * equal weights or are Dirichlet nodes; any other. */
enum hs_blocked_path { HS_BLOCKED_PLAIN, HS_BLOCKED_ALIKE, HS_BLOCKED_WEIGHED };

/* A row kind in the table, whose places are counted in HS_BLOCKED_LINE bytes. At `place`:
 *
 *     uint32_t [32]                   a bit for each column of a lane: a Dirichlet node, or outside the grid
 *     Real [columns of a lane][32]    the nodes' constants, 0 outside the grid
 *
 * At `weights`, where kinds that are not of the path WEIGHED share weights of 1:
 *
 *     Real [columns of a lane][4][32] west, south, east, north
 */
struct hs_blocked_row_kind {
  uint32_t place, weights;
};

/* A row's descriptor: its kind; the kind's path; and how many rows of this kind follow, itself included. The last is 0
 * until as many rows of the kind have gone before as a warp has stages: then all rows under way are of the kind. */
#define HS_BLOCKED_ROW(kind, path, ahead) ((uint32_t)(kind) << 10 | (uint32_t)(path) << 8 | (uint32_t)(ahead))
#define HS_BLOCKED_KIND(descriptor) ((descriptor) >> 10)
#define HS_BLOCKED_PATH(descriptor) ((descriptor) >> 8 & 3u)
#define HS_BLOCKED_AHEAD(descriptor) ((descriptor)&0xffu)

struct hs_blocked_plan {
  int blocks;                               /* of threads; all run at the same time */
  int shared_bytes;                         /* of each */
  const struct hs_blocked_strip *d_strip;   /* [strips] */
  const struct hs_blocked_item *d_item;     /* the static schedule: block b sweeps items first[b] .. first[b + 1] - 1 */
  const int32_t *d_first;                   /* [blocks + 1] */
  const uint32_t *d_row;                    /* [strips][ny] HS_BLOCKED_ROW */
  const struct hs_blocked_row_kind *d_kind; /* [kinds] */
  const void *d_table;                      /* of constants and weights; see struct hs_blocked_row_kind */
};

/* Columns of a window. */
static inline int hs_blocked_width(int single)
{
  return 32 * HS_BLOCKED_UNITS * HS_BLOCKED_UNIT / (int)(single ? sizeof(float) : sizeof(double));
}

/* `sweeps` (a multiple of HS_BLOCKED_WARP_STAGES, up to HS_BLOCKED_STAGES) plain sweeps from -> to, origins of two
 * fields. */
cudaError_t hs_kernel_blocked(const struct hs_device_system *system, int single, const struct hs_blocked_plan *plan,
                              const void *from, void *to, int sweeps, const int32_t *d_halt, cudaStream_t stream);

/* Prepares the kernels on the current device. *blocks: how many run at the same time, each with *shared_bytes; 0: the
 * device cannot run them. */
cudaError_t hs_kernel_blocked_prepare(int single, int *blocks, int *shared_bytes);

#ifdef __cplusplus
}
#endif

#endif
