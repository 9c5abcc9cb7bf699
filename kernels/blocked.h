/* Plan of the blocked sweeps (blocked.cu): which block of threads sweeps what, and where the stencils differ.
 *
 * The grid is covered by strips of some hundred columns. A pass streams rows of a strip from south
 * to north through all its levels (sweeps). Windows of neighbouring strips overlap: a level's outermost columns are not
 * valid, one more for each level; the valid columns of the last level, [valid0, valid1), are stored.
 *
 * Rows of a strip that look alike share a class, with the constants of its nodes. Class 0 is a row outside the grid.
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
  HS_BLOCKED_LEVELS = 32,       /* sweeps of a pass at most */
  HS_BLOCKED_WARP_LEVELS = 4,   /* of one warp */
  HS_BLOCKED_AHEAD_LIMIT = 255, /* rows that are counted ahead */
  HS_BLOCKED_CLASS_LIMIT = 1 << 22
};

/* A strip's window: columns column0 .. column0 + width - 1; it stores [valid0, valid1). Multiples of 16 bytes. */
struct hs_blocked_strip {
  int32_t column0, valid0, valid1, unused;
};

/* Rows [row0, row1) of a strip. general: some rows that are swept for them have general columns. */
struct hs_blocked_piece {
  int32_t strip, row0, row1, general;
};

/* What all lanes have to know of a row. Where its constants are in the table: Real [columns of a lane][32], then for each
 * general column Real [4][32], the weights west, east, south, north; both are 0 outside the grid. */
struct hs_blocked_class {
  int64_t constants;
  uint32_t general; /* columns where some lane has a node of unequal weights, as bits */
  uint32_t varied;  /* columns where some lane's constant is not that of its first column */
};

/* What is known of a row in 32 bits: its class; whether its nodes have constants of their own or are held (mixed; else
 * each lane has one constant); whether the rows before, as many as a warp has levels, are of the same class (alike); and if
 * so and no column is general, how many rows from this one on are of that class. */
#define HS_BLOCKED_WORD(class, mixed, alike, ahead)                                                                    \
  ((uint32_t)(class) << 10 | (uint32_t)(mixed) << 9 | (uint32_t)(alike) << 8 | (uint32_t)(ahead))
#define HS_BLOCKED_CLASS(word) ((word) >> 10)
#define HS_BLOCKED_IS_MIXED(word) ((word) >> 9 & 1u)
#define HS_BLOCKED_IS_ALIKE(word) ((word) >> 8 & 1u)
#define HS_BLOCKED_AHEAD(word) ((word) & 0xffu)

struct hs_blocked_plan {
  int blocks;                             /* of threads; all run at the same time */
  int shared_bytes;                       /* of each */
  const struct hs_blocked_strip *d_strip; /* [strips] */
  const struct hs_blocked_piece *d_piece; /* the pieces of block b are first[b] .. first[b + 1] - 1 */
  const int32_t *d_first;                 /* [blocks + 1] */
  const uint32_t *d_row;                  /* [strips][ny] HS_BLOCKED_WORD */
  const struct hs_blocked_class *d_class; /* [classes] */
  const uint32_t *d_held;                 /* [classes][32] a lane's columns that are held: no neighbour has a part in
                                             them; so are those outside the grid */
  const void *d_constant;                 /* table of constants and weights */
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
