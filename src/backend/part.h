/* Parts: what a backend can do so that several of its states hold one grid between them (backend/distributed).
 *
 * A part is a state whose system is a window of the grid: own nodes, and ghost nodes that others own. A part sweeps all its
 * nodes; nodes at edges where the grid goes on are wrong after a sweep, and each further sweep spoils one layer more.
 * Blocks are rectangles of the window's nodes.
 */
#ifndef HS_BACKEND_PART_H
#define HS_BACKEND_PART_H

#include "backend/backend.h"
#include "backend/linear.h"
#include "comm/subdomain.h"
#include "numerics/total.h"

/* The norms of struct hs_norms over own nodes, before roots are taken: those of several parts add up, and maxima compare. */
struct hs_norm_sums {
  struct hs_sum update, residual; /* of values scaled as bounds say; sums for hs_system_grid_nodes terms */
  double update_max, residual_max, two_sweep_max, correction_max;
};

static inline void hs_norm_sums_merge(struct hs_norm_sums *sums, const struct hs_norm_sums *other)
{
  sums->update.high += other->update.high;
  sums->update.low += other->update.low;
  sums->residual.high += other->residual.high;
  sums->residual.low += other->residual.low;
  sums->update_max = other->update_max > sums->update_max ? other->update_max : sums->update_max;
  sums->residual_max = other->residual_max > sums->residual_max ? other->residual_max : sums->residual_max;
  sums->two_sweep_max = other->two_sweep_max > sums->two_sweep_max ? other->two_sweep_max : sums->two_sweep_max;
  sums->correction_max = other->correction_max > sums->correction_max ? other->correction_max : sums->correction_max;
}

/* The norms, from sums of all parts; full: as for norm_sums, else what is missing is NaN. */
static inline struct hs_norms hs_norm_sums_finish(const struct hs_norm_sums *sums, const struct hs_bounds *bounds,
                                                  bool full)
{
  struct hs_norms norms;
  norms.update_l2 = hs_sum_norm(sums->update, hs_sum_scale(bounds->update_max));
  norms.update_max = sums->update_max;
  norms.residual_l2 = full ? hs_sum_norm(sums->residual, hs_sum_scale(bounds->residual_max)) : NAN;
  norms.residual_max = full ? sums->residual_max : NAN;
  norms.two_sweep_max = full ? sums->two_sweep_max : NAN;
  norms.correction_max = full ? sums->correction_max : NAN;
  return norms;
}

/* What operators and vectors (linear.h) can do in parts. Operations of struct hs_linear compute at all nodes of a window; where
 * its grid is cut, nodes at the edge are wrong. Blocks are rectangles of an operator's nodes, row by row. */
struct hs_part_linear {
  /* The nodes that sums, maxima and shares count: all of them after an operator was made. */
  void (*own)(struct hs_operator *op, const struct hs_rectangle *own);

  /* Vectors that are made on the present device can be read by another one, where the machine can do that. NULL: no devices. */
  void (*link)(int other);

  /* What the latest residual or examine has found: the largest |r| and the sum of r^2, first in the tally; or what its names
   * say (total.h). Those of several parts merge. */
  hs_status (*tally)(struct hs_operator *op, struct hs_tally *tally, struct hs_error *err);

  /* The sum of a vector; v -= by at all nodes, and max and total (of squares) of what is left. */
  hs_status (*total)(struct hs_operator *op, const struct hs_vector *v, struct hs_total *total, struct hs_error *err);
  hs_status (*lower)(struct hs_operator *op, struct hs_vector *v, double by, struct hs_tally *tally,
                     struct hs_error *err);

  /* An operator as `coarsen` makes them, for nx x ny nodes (pitch: the backend's), whose couplings follow; it shares what
   * those of `model` share. complete: they are there. */
  hs_status (*window)(struct hs_operator *model, const struct hs_grid *grid, struct hs_operator **op,
                      struct hs_error *err);
  hs_status (*complete)(struct hs_operator *op, struct hs_error *err);

  /* Until settle: couplings in the east, north-east, north and north-west, and the row sum. */
  hs_status (*couplings_get)(struct hs_operator *op, const struct hs_rectangle *block, double (*values)[5],
                             struct hs_error *err);
  hs_status (*couplings_put)(struct hs_operator *op, const struct hs_rectangle *block, const double (*values)[5],
                             struct hs_error *err);

  /* Blocks of a vector, in its precision, in the host's memory; wrap: what lies beyond periodic walls follows. */
  hs_status (*block_get)(struct hs_operator *op, const struct hs_vector *v, const struct hs_rectangle *block,
                         void *values, struct hs_error *err);
  hs_status (*block_put)(struct hs_operator *op, struct hs_vector *v, const struct hs_rectangle *block,
                         const void *values, struct hs_error *err);
  hs_status (*wrap)(struct hs_operator *op, struct hs_vector *v, struct hs_error *err);

  /* Optional: `block` of v becomes that of `from`, a vector of another operator of this process, whose first node is
   * (x0, y0); operations of the latter that are called for later wait for it. NULL: by block_get and block_put. offer, called
   * for the other operator: what it has been asked for so far may be read so. NULL: it always may. */
  hs_status (*offer)(struct hs_operator *op, struct hs_error *err);
  hs_status (*block_copy)(struct hs_operator *op, struct hs_vector *v, const struct hs_rectangle *block,
                          struct hs_operator *from_op, const struct hs_vector *from, int x0, int y0,
                          struct hs_error *err);

  /* Optional: the same of couplings. NULL: by couplings_get and couplings_put. */
  hs_status (*couplings_copy)(struct hs_operator *op, const struct hs_rectangle *block, struct hs_operator *from_op,
                              int x0, int y0, struct hs_error *err);

  /* Optional: hs_linear's for `block` of v and the nodes of a state on the same device from (x0, y0) on. The state's other
   * nodes are undefined after give. NULL: fields go through the host's memory. */
  hs_status (*take)(const struct hs_operator *op, struct hs_vector *v, const struct hs_rectangle *block,
                    const struct hs_backend_state *state, int x0, int y0, struct hs_error *err);
  hs_status (*give)(const struct hs_operator *op, const struct hs_vector *v, const struct hs_rectangle *block,
                    struct hs_backend_state *state, int x0, int y0, struct hs_error *err);
};

enum { HS_DEVICE_IDENTITY = 32 };

struct hs_part_operations {
  /* Number of devices of this machine, and which one this thread's calls are for; NULL: there are none. */
  int (*devices)(void);
  hs_status (*device_use)(int device, struct hs_error *err);

  /* Tells the present device apart from all others of this machine. */
  void (*device_identity)(char identity[HS_DEVICE_IDENTITY]);

  /* Lets the present device read the memory of another one directly, where the machine can do that. */
  void (*device_link)(int other);

  /* n sweeps, which may still be under way on return. predecessor: it must be right afterwards; else it is undefined. */
  hs_status (*sweep)(struct hs_backend_state *state, int64_t n, bool predecessor, struct hs_error *err);

  /* Waits for what is under way. NULL: nothing ever is. */
  hs_status (*wait)(struct hs_backend_state *state, struct hs_error *err);

  /* A block of the present field or of the predecessor, in the precision of the fields, row by row. The memory is that of
   * the host; it may be read and written on return. */
  hs_status (*block_get)(struct hs_backend_state *state, enum hs_field_role role, const struct hs_rectangle *block,
                         void *values, struct hs_error *err);
  hs_status (*block_put)(struct hs_backend_state *state, enum hs_field_role role, const struct hs_rectangle *block,
                         const void *values, struct hs_error *err);

  /* What has been called for so far may be read by block_copy into other states. NULL: without block_copy. */
  hs_status (*ready)(struct hs_backend_state *state, struct hs_error *err);

  /* The same between two states of this process, without a detour: `block` of `state` becomes that of `from` whose first node
   * is (x0, y0). Sweeps of `from` that are called for later wait for it. NULL: by block_get and block_put. */
  hs_status (*block_copy)(struct hs_backend_state *state, enum hs_field_role role, const struct hs_rectangle *block,
                          struct hs_backend_state *from, int x0, int y0, struct hs_error *err);

  /* What is called for later is done after what `other` has been called for so far. NULL: nothing ever is under way. */
  hs_status (*follow)(struct hs_backend_state *state, struct hs_backend_state *other, struct hs_error *err);

  /* Blocks in memory of the device, for messages between devices of several ranks, and the stream (cudaStream_t) that
   * everything is done on; under way on return. All NULL: there is none. */
  hs_status (*memory_create)(size_t bytes, void **memory, struct hs_error *err);
  void (*memory_destroy)(void *memory);
  void *(*stream)(struct hs_backend_state *state);
  hs_status (*block_pack)(struct hs_backend_state *state, enum hs_field_role role, const struct hs_rectangle *block,
                          void *memory, struct hs_error *err);
  hs_status (*block_unpack)(struct hs_backend_state *state, enum hs_field_role role, const struct hs_rectangle *block,
                            const void *memory, struct hs_error *err);

  /* Sums and maxima of the present field and its predecessor; full: not only of the update. */
  hs_status (*norm_sums)(struct hs_backend_state *state, const struct hs_bounds *bounds, bool full,
                         struct hs_norm_sums *sums, struct hs_error *err);

  const struct hs_part_linear *linear; /* of the backend's operators; NULL: they cannot be parts */
};

extern const struct hs_part_linear hs_part_linear_reference, hs_part_linear_cpu, hs_part_linear_cuda;

extern const struct hs_part_operations hs_part_reference, hs_part_cpu, hs_part_cuda;

#endif
