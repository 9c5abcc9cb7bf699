/* Plan of the blocked sweeps (blocked.cu): which block of threads sweeps what, and where the stencils differ.
 *
 * The grid is covered by strips of some hundred columns. A pass streams rows of a strip from south
 * to north through all its levels (sweeps). Windows of neighbouring strips overlap: a level's outermost columns are not
 * valid, one more for each level; the valid columns of the last level, [valid0, valid1), are stored.
 *
 * Rows of a strip that look alike share a class: for each of 32 lanes what its columns have in common and which of them
 * are special. Class 0 is a row outside the
 * grid. Nodes outside the grid are not special; they are known by their place.
 */
#ifndef HS_KERNELS_BLOCKED_H
#define HS_KERNELS_BLOCKED_H

#include "kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  HS_BLOCKED_UNIT = 8,       /* bytes */
  HS_BLOCKED_UNITS_F64 = 11, /* units of a row in each lane; odd: no conflicts between banks */
  HS_BLOCKED_UNITS_F32 = 11,
  HS_BLOCKED_LEVELS = 32,            /* sweeps of a pass at most */
  HS_BLOCKED_SEVERAL = 0xffff,       /* a lane's special nodes have more than two stencils */
  HS_BLOCKED_PALETTE_LIMIT = 0xffff, /* entries */
  HS_BLOCKED_RUN_LIMIT = 255,        /* rows that a run counts */
  HS_BLOCKED_CLASS_LIMIT = 1 << 23
};

/* A strip's window: columns column0 .. column0 + width - 1; it stores [valid0, valid1). Multiples of 16 bytes. */
struct hs_blocked_strip {
  int32_t column0, valid0, valid1, unused;
};

/* Rows [row0, row1) of a strip. */
struct hs_blocked_piece {
  int32_t strip, row0, row1, unused;
};

/* What one lane has to know of its columns in a row: 16 bytes. Nodes whose bit is in neither mask have four equal
 * weights and the constant c; those of `one` have palette entry entry_one, those of `two` entry_two. Where a lane has
 * more kinds, entry_two is HS_BLOCKED_SEVERAL, and the index tells the entry of each of its special nodes. */
struct hs_blocked_lane_f64 {
  double c;
  uint16_t one, two;
  uint16_t entry_one, entry_two;
};

struct hs_blocked_lane_f32 {
  float c;
  uint32_t one, two;
  uint16_t entry_one, entry_two;
};

/* What is known of a row in 32 bits. */
#define HS_BLOCKED_WORD(class, plain, run) ((uint32_t)(class) << 9 | (uint32_t)(plain) << 8 | (uint32_t)(run))
#define HS_BLOCKED_CLASS(word) ((word) >> 9)
#define HS_BLOCKED_IS_PLAIN(word) ((word) >> 8 & 1u)
#define HS_BLOCKED_RUN(word) ((word) & 0xffu)

struct hs_blocked_plan {
  int blocks;                             /* of threads; all run at the same time */
  int shared_bytes;                       /* of each */
  const struct hs_blocked_strip *d_strip; /* [strips] */
  const struct hs_blocked_piece *d_piece; /* the pieces of block b are first[b] .. first[b + 1] - 1 */
  const int32_t *d_first;                 /* [blocks + 1] */
  const uint32_t *d_row; /* [strips][ny] HS_BLOCKED_WORD: a row's class, whether all of its nodes are plain, and
                                               how many rows up to this one, itself included, are of the same class */
  const void *d_lane;    /* [classes][32] struct hs_blocked_lane_... */
};

/* Columns of a window. */
static inline int hs_blocked_width(int single)
{
  return 32 * (single ? 2 * HS_BLOCKED_UNITS_F32 : HS_BLOCKED_UNITS_F64);
}

/* Rows that a piece costs beside its own: those before its first row and those that are still under way at its end. */
int hs_kernel_blocked_overhead(void);

/* `sweeps` (1 .. HS_BLOCKED_LEVELS) plain sweeps from -> to, origins of two fields. */
cudaError_t hs_kernel_blocked(const struct hs_device_system *system, int single, const struct hs_blocked_plan *plan,
                              const void *from, void *to, int sweeps, const int32_t *d_halt, cudaStream_t stream);

/* Prepares the kernels on the current device. *blocks: how many run at the same time, each with *shared_bytes; 0: the
 * device cannot run them. */
cudaError_t hs_kernel_blocked_prepare(int single, int *blocks, int *shared_bytes);

#ifdef __cplusplus
}
#endif

#endif
