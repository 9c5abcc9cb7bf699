/* The plan of blocked sweeps on the host (kernels/blocked/blocked.h): strips, classes of rows, and pieces for the blocks.
 * Plain arithmetic, no device.
 */
#ifndef HS_BACKEND_CUDA_BLOCKED_PLAN_H
#define HS_BACKEND_CUDA_BLOCKED_PLAN_H

#include <stdbool.h>

#include "base/status.h"
#include "blocked/blocked.h"
#include "problem/system.h"

struct hs_blocked_layout {
  bool single;
  int strips, blocks;
  int64_t classes;
  struct hs_blocked_strip *strip;  /* [strips] */
  uint32_t *row;                   /* [strips][ny], see struct hs_blocked_plan */
  int64_t *origin;                 /* [classes] strip * ny + row of a class's first row; class 0: -1 */
  uint8_t *kind;                   /* [classes] enum hs_blocked_kind */
  struct hs_blocked_class *common; /* [classes] */
  int64_t table_bytes;
  void *table;                    /* see struct hs_blocked_class */
  struct hs_blocked_piece *piece; /* [first[blocks]] */
  int32_t *first;                 /* [blocks + 1] */
};

/* Lays out the sweeps of a system with an index on `blocks` blocks. overhead: rows that a piece costs beside its own.
 * Errors: HS_ERR_MEMORY, HS_ERR_UNSUPPORTED (too many different rows, or too many constants in them). */
hs_status hs_blocked_layout_create(const struct hs_system *system, bool single, int blocks, int overhead,
                                   struct hs_blocked_layout *layout, struct hs_error *err);

/* Takes over changed stencils: common, kind, table, what row tells of classes, and which pieces have weights; all
 * else stays. Errors: HS_ERR_MEMORY, HS_ERR_UNSUPPORTED (too many constants); then it is not to be used until a
 * renewal succeeds. */
hs_status hs_blocked_layout_renew(const struct hs_system *system, struct hs_blocked_layout *layout,
                                  struct hs_error *err);

/* Memory that a plan takes, bytes. device_bytes has room for one piece of each block and strip, which is the most there
 * can be; all else is exact. */
struct hs_blocked_size {
  double device_bytes, host_bytes;
};

/* The size of the plan that hs_blocked_layout_create would make, from one reading of the index; keeps nothing. Errors:
 * those of hs_blocked_layout_create. */
hs_status hs_blocked_layout_measure(const struct hs_system *system, bool single, int blocks,
                                    struct hs_blocked_size *size, struct hs_error *err);

void hs_blocked_layout_clear(struct hs_blocked_layout *layout);

#endif
