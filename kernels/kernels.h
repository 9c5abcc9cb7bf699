/* What the host may ask of the device code: launchers with C linkage and the plain data they take.
 *
 * Kernels know raw pointers and sizes. A field is padded so that no thread needs a guard for a
 * load: address of node (i, j) is origin + j*pitch + i; rows -1 .. tiles_y*HS_TILE_H and columns
 * -HS_PAD .. tiles_x*HS_TILE_W + HS_PAD - 1 are readable and hold 0 outside the grid, but for the
 * ghosts of periodic walls (columns -1 and nx, rows -1 and ny), which hs_kernel_wrap fills after
 * everything that writes a field. The coefficient indices have the same pitch.
 *
 * The grid is cut into tiles of HS_TILE_W x HS_TILE_H nodes, one per thread block. A whole tile
 * whose nodes all share one stencil carries its coefficient index, so its threads read no index and need
 * no guard; all others are mixed.
 *
 * Every sweep exists in two versions. The plain one is J(t) with the stencil table's constants and nothing
 * else; it has the most frequent stencil by value. The general one takes all the rest - relaxed
 * forms, a field of constants r, a stencil for every node - and reads everything that can change from
 * one time step to the next through pointers, so that a graph of general sweeps never grows stale.
 *
 * All launchers are asynchronous on `stream` and return the launch's cudaError_t.
 */
#ifndef HS_KERNELS_KERNELS_H
#define HS_KERNELS_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#include "numerics/relaxation.h"
#include "numerics/stoptest.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  HS_TILE_W = 128,
  HS_TILE_H = 32,
  HS_PAD = 32,         /* elements beside the tiles, left and right: whole memory lines */
  HS_NORM_SLOTS = 64,  /* partial norms, so that blocks do not queue at one address */
  HS_NORM_BATCH = 128, /* sweeps of one sweep_normed call that are in flight together */
  HS_DEVICE_HISTORY = 2048
};

/* Kinds of tile; tile code = 4 * coefficient index + kind, or HS_TILE_MIXED alone. */
enum { HS_TILE_MIXED, HS_TILE_EQUAL, HS_TILE_STENCIL };

/* Shares of mixed tiles: at most a fiftieth; more; more than half. */
enum { HS_MIXED_FEW, HS_MIXED_SOME, HS_MIXED_MOST };

/* What one general sweep does with J(t). 16 bytes: one load. */
struct hs_device_step {
  double weight; /* of the sweep: the weighted form's, or Chebyshev's omega */
  int64_t form;  /* enum hs_form; a Chebyshev sweep that is plain is HS_FORM_JACOBI */
};

/* How sweeps are relaxed, in device memory. The sweeps to come take their steps by number; they are
 * computed on the device in the order of the stream, so that nothing is uploaded while sweeps run. */
struct hs_device_relaxation {
  struct hs_device_step step[HS_NORM_BATCH];
  struct hs_relaxation relaxation;
  double omega; /* where Chebyshev's recursion stands */
};

/* The system on the device. */
struct hs_device_system {
  int nx, ny;
  int tiles_x, tiles_y;
  int64_t pitch;             /* elements of a field's row */
  int main_index, main_kind; /* the most frequent coefficient index (-1: it has changed since), HS_TILE_EQUAL or
                                         HS_TILE_STENCIL */
  struct hs_stencil_f64 main_stencil; /* that entry, by value: a kernel has it without a load */
  struct hs_stencil_f32 main_stencil_single;
  const uint16_t *d_index;                       /* coefficient index of node (i, j) at j*pitch + i; 0 beside the grid;
                                             NULL: node (i, j) has entry j*nx + i */
  const struct hs_stencil_f64 *d_stencil;        /* stencil table */
  const struct hs_stencil_f32 *d_stencil_single; /* NULL where fields are double */
  const int32_t *d_tile_code;                    /* [tiles_y*tiles_x] */
  struct hs_sum_split split;
  int wrap_x, wrap_y;                                   /* of hs_system; -1: not periodic */
  int ghost_west, ghost_east, ghost_south, ghost_north; /* layers of ghost nodes, which norms and distances leave out */
  int relaxed;                                          /* sweeps have a form other than plain, or constants r */
  int general;             /* they are the general ones: relaxed, or a stencil for every node */
  int mixed;               /* how many of the inner tiles are mixed: HS_MIXED_... */
  const void *d_constants; /* origin of the field r in the fields' precision, or NULL */
  const struct hs_device_relaxation *d_relaxation;
};

/* One slot of norms under accumulation: exact sums, and maxima as the bits of non-negative doubles. */
struct hs_norm_slot {
  double update_high, update_low, residual_high, residual_low;
  unsigned long long update_max, residual_max, two_sweep_max, correction_max;
};

/* The run's control block in device memory. */
struct hs_device_control {
  struct hs_stop_test test;
  struct hs_stop_state stop;
  int64_t until;    /* sweeps at which the host wants to be asked again */
  int32_t capacity; /* evaluations that fit into the history */
  int32_t count;    /* evaluations written */
  int32_t halt;     /* nothing more to do in this launch */
  int32_t unused;
  double update_scale, residual_scale; /* of the sums, from stop.bounds */
  struct hs_check history[HS_DEVICE_HISTORY];
};

/* Does the program hold code for the current device? cudaErrorNoKernelImageForDevice if not. */
cudaError_t hs_kernel_probe(void);

/* Sets d_tile_code from d_index and d_stencil; to be repeated when weights have changed. */
cudaError_t hs_kernel_classify(const struct hs_device_system *system, int32_t *d_tile_code, cudaStream_t stream);

/* One sweep. What `to` holds on entry is the predecessor of `from`, which Chebyshev's form needs. */
struct hs_device_sweep {
  const void *from; /* origins of two fields in the system's precision */
  void *to;
  int step;                                  /* number in system->d_relaxation, for general sweeps */
  struct hs_norm_slot *d_slots;              /* HS_NORM_SLOTS: the update's norms, scaled by control->update_scale; */
  const struct hs_device_control *d_control; /* NULL: no norms */
  const int32_t *d_halt;                     /* nothing is done where it is not 0; NULL: always swept */
};

/* Launches a sweep: plain, or general where system->general says so. single: fields are float, else double. */
typedef cudaError_t hs_kernel_sweep(const struct hs_device_system *system, int single,
                                    const struct hs_device_sweep *sweep, cudaStream_t stream);
hs_kernel_sweep hs_kernel_sweep_global;
hs_kernel_sweep hs_kernel_sweep_shared;

/* The general sweep of cuda-global on large fields; called by hs_kernel_sweep_global. */
hs_kernel_sweep hs_kernel_sweep_general;

/* Fills the ghosts of a field beyond periodic walls; launches nothing where no wall is periodic. */
cudaError_t hs_kernel_wrap(const struct hs_device_system *system, int single, void *field, const int32_t *d_halt,
                           cudaStream_t stream);

/* Starts a form: all steps of d_relaxation, or Chebyshev's recursion at its beginning. */
cudaError_t hs_kernel_relax(struct hs_device_relaxation *d_relaxation, struct hs_relaxation relaxation,
                            cudaStream_t stream);

/* Steps 0 .. count-1 of d_relaxation become those of the next `count` sweeps, at most HS_NORM_BATCH. Needed
 * before sweeps of Chebyshev's form; changes nothing in the others. */
cudaError_t hs_kernel_relax_next(struct hs_device_relaxation *d_relaxation, int count, cudaStream_t stream);

/* r = right-hand side of an implicit time step from the field `now` (hs_backend.step), 0 at Dirichlet nodes and
 * unchanged beside the grid. base: the source map's constants in the same layout, or NULL. Origins. */
cudaError_t hs_kernel_step(const struct hs_device_system *system, int single, const void *now, const void *base,
                           void *r, int trapezoid, cudaStream_t stream);

/* Largest |a - b| over the nodes, the difference taken in the fields' precision, into update_max of d_slots,
 * which hs_kernel_begin has cleared. Origins; b NULL: largest |a|. */
cudaError_t hs_kernel_distance(const struct hs_device_system *system, int single, const void *a, const void *b,
                               struct hs_norm_slot *d_slots, cudaStream_t stream);

/* values[k] becomes a field's value at node[k] of [ny*nx]. Origin; both lists in memory that the device reaches, page-locked
 * memory of the host too. */
cudaError_t hs_kernel_gather(const struct hs_device_system *system, int single, const void *field, const int64_t *node,
                             int64_t count, double *values, cudaStream_t stream);

/* All norms of `now` and its predecessor into d_slots; J(t) with the constants r where the system has them. */
cudaError_t hs_kernel_norms(const struct hs_device_system *system, int single, const void *now, const void *before,
                            struct hs_norm_slot *d_slots, const struct hs_device_control *d_control,
                            const int32_t *d_halt, cudaStream_t stream);

/* Copies a whole padded field of `bytes` (a multiple of 16). */
cudaError_t hs_kernel_copy(const void *from, void *to, size_t bytes, const int32_t *d_halt, cudaStream_t stream);

/* Sets scales from bounds and clears `batches` sets of slots. */
cudaError_t hs_kernel_begin(struct hs_device_control *d_control, struct hs_norm_slot *d_slots, int batches,
                            struct hs_bounds bounds, cudaStream_t stream);

/* d_norms[b] = norms of slot set b, for `batches` sets; full: residual, two-sweep and correction norms too (else NaN).
 * The slots are cleared. */
cudaError_t hs_kernel_collect(const struct hs_device_control *d_control, struct hs_norm_slot *d_slots, int batches,
                              int full, struct hs_norms *d_norms, cudaStream_t stream);

/* Takes the stop test after `sweeps` more sweeps: evaluates it on the norms in d_slots, appends to the
 * history, renews the scales, clears the slots, and decides whether the graph's loop goes on: `loop` is
 * the conditional handle of the while node. */
cudaError_t hs_kernel_decide(struct hs_device_control *d_control, struct hs_norm_slot *d_slots, int64_t sweeps,
                             cudaGraphConditionalHandle loop, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
