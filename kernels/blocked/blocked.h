/* Plan of the blocked sweeps (blocked.cu): which block of threads sweeps what, and where the stencils differ.
 *
 * The grid is covered by strips of some hundred columns. A pass streams rows of a strip from south
 * to north through all its stages (sweeps). Windows of neighbouring strips overlap: a stage's outermost columns are not
 * valid, one more for each stage; the valid columns of the last stage, [valid0, valid1), are stored.
 *
 * Rows of a strip that look alike share a kind, with the constants of its nodes. Kind 0 is a row outside the grid.
 */
#ifndef HS_KERNELS_BLOCKED_BLOCKED_H
#define HS_KERNELS_BLOCKED_BLOCKED_H

#include "kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  HS_BLOCKED_UNIT = 16,     /* bytes */
  HS_BLOCKED_UNITS_F64 = 5, /* units of a row in each lane; odd: no conflicts between banks */
  HS_BLOCKED_UNITS_F32 = 5,
  HS_BLOCKED_LINE = 128,        /* bytes by which places in the table are counted */
  HS_BLOCKED_STAGES = 32,       /* sweeps of a pass at most */
  HS_BLOCKED_WARP_STAGES = 4,   /* of one warp */
  HS_BLOCKED_AHEAD_LIMIT = 255, /* rows that are counted ahead */
  HS_BLOCKED_KIND_LIMIT = 1 << 22
};

/* Passes take fields and constants up to these. Nothing times larger ones could be no number, where a sum
 * overflows. Loads are looked at; constants are the problem's temperatures and sources, which are far below. */
#define HS_BLOCKED_LARGEST_F64 1e300
#define HS_BLOCKED_LARGEST_F32 1e30

/* A strip's window: columns column0 .. column0 + width - 1; it stores [valid0, valid1). Multiples of 16 bytes. */
struct hs_blocked_strip {
  int32_t column0, valid0, valid1, unused;
};

/* Rows [row0, row1) of a strip. weights: some rows that are swept for them are weighed. */
struct hs_blocked_item {
  int32_t strip, row0, row1, weights;
};

/* Rows all of whose nodes have equal weights, none is held, and each lane's have one constant; whose nodes have equal
 * weights or are held; and any others. */
enum hs_blocked_path { HS_BLOCKED_PLAIN, HS_BLOCKED_ALIKE, HS_BLOCKED_WEIGHED };

/* What is known of the rows of a kind, in a table whose places are counted in units of HS_BLOCKED_LINE bytes. At
 * `place`:
 *
 *     uint32_t [32]                   each lane's held columns: they ignore their neighbours; so are those outside the grid
 *     Real [columns of a lane][32]    the nodes' constants, 0 outside the grid
 *
 * At `weights`, common to kinds that are not weighed, where they are 1:
 *
 *     Real [columns of a lane][4][32] west, south, east, north
 */
struct hs_blocked_row_kind {
  uint32_t place, weights;
};

/* What is known of a row in 32 bits: its kind; the path of that; and how many rows from this one on are of the
 * kind, if as many rows before are of it, too, as a warp has stages. */
#define HS_BLOCKED_ROW(kind, path, ahead) ((uint32_t)(kind) << 10 | (uint32_t)(path) << 8 | (uint32_t)(ahead))
#define HS_BLOCKED_KIND(descriptor) ((descriptor) >> 10)
#define HS_BLOCKED_PATH(descriptor) ((descriptor) >> 8 & 3u)
#define HS_BLOCKED_AHEAD(descriptor) ((descriptor)&0xffu)

struct hs_blocked_plan {
  int blocks;                               /* of threads; all run at the same time */
  int shared_bytes;                         /* of each */
  const struct hs_blocked_strip *d_strip;   /* [strips] */
  const struct hs_blocked_item *d_item;     /* the items of block b are first[b] .. first[b + 1] - 1 */
  const int32_t *d_first;                   /* [blocks + 1] */
  const uint32_t *d_row;                    /* [strips][ny] HS_BLOCKED_ROW */
  const struct hs_blocked_row_kind *d_kind; /* [kinds] */
  const void *d_table;                      /* of constants; see struct hs_blocked_row_kind */
};

/* Columns of a window. */
static inline int hs_blocked_width(int single)
{
  const int units = single ? HS_BLOCKED_UNITS_F32 : HS_BLOCKED_UNITS_F64;
  return 32 * units * HS_BLOCKED_UNIT / (int)(single ? sizeof(float) : sizeof(double));
}

/* Rows that an item costs beside its own: those before its first row and those that are still under way at its end. */
int hs_kernel_blocked_overhead(void);

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
