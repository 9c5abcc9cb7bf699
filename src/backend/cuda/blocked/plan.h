/* The plan of cuda-blocked on the host (kernels/blocked/blocked.h): strips, row kinds with their table, and the static
 * schedule of work items. Plain arithmetic, no device.
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
  int64_t kinds;
  struct hs_blocked_strip *strip;   /* [strips] */
  uint32_t *row;                    /* [strips][ny] HS_BLOCKED_ROW */
  int64_t *origin;                  /* [kinds] strip * ny + row of a kind's first row; kind 0: -1 */
  uint8_t *path;                    /* [kinds] enum hs_blocked_path */
  struct hs_blocked_row_kind *kind; /* [kinds] */
  int64_t table_bytes;
  void *table;                  /* see struct hs_blocked_row_kind */
  struct hs_blocked_item *item; /* [first[blocks]] */
  int32_t *first;               /* [blocks + 1] */
};

/* Lays out the sweeps of a system with an index on `blocks` blocks of threads. Errors: HS_ERR_MEMORY,
 * HS_ERR_UNSUPPORTED (too many different rows, or too many constants in them). */
hs_status hs_blocked_layout_create(const struct hs_system *system, bool single, int blocks,
                                   struct hs_blocked_layout *layout, struct hs_error *err);

/* Takes over changed stencils: kind, path, table, descriptors of rows, weights of items; all else stays. Errors:
 * HS_ERR_MEMORY, HS_ERR_UNSUPPORTED (too many constants); then the layout must not be used until a renewal succeeds. */
hs_status hs_blocked_layout_renew(const struct hs_system *system, struct hs_blocked_layout *layout,
                                  struct hs_error *err);

/* Memory that a plan takes, bytes. device_bytes has room for one item of each block and strip, which is the most there
 * can be; all else is exact. */
struct hs_blocked_size {
  double device_bytes, host_bytes;
};

/* The size of the plan that hs_blocked_layout_create would make; keeps nothing. Errors: those of
 * hs_blocked_layout_create. */
hs_status hs_blocked_layout_measure(const struct hs_system *system, bool single, int blocks,
                                    struct hs_blocked_size *size, struct hs_error *err);

void hs_blocked_layout_clear(struct hs_blocked_layout *layout);

#endif
