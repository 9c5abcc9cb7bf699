/* What the host may ask of the device code: launchers with C linkage and the plain data they take.
 *
 * Kernels know raw pointers and sizes. A field is padded so that no thread needs a guard for a
 * load: address of node (i, j) is origin + j*pitch + i; rows -1 .. tiles_y*HS_TILE_H and columns
 * -HS_PAD .. tiles_x*HS_TILE_W + HS_PAD - 1 are readable and hold 0 outside the grid.
 *
 * The grid is cut into tiles of HS_TILE_W x HS_TILE_H nodes, one per thread block. A whole tile
 * whose nodes all share one stencil carries its palette entry, so its threads read no index and need
 * no guard; all others are mixed.
 *
 * All launchers are asynchronous on `stream` and return the launch's cudaError_t.
 */
#ifndef HS_KERNELS_KERNELS_H
#define HS_KERNELS_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/stoptest.h"

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

/* Kinds of tile; tile code = 4 * palette entry + kind. */
enum { HS_TILE_MIXED, HS_TILE_EQUAL, HS_TILE_STENCIL };

/* The system on the device. */
struct hs_device_system {
  int nx, ny;
  int tiles_x, tiles_y;
  int64_t pitch;                      /* elements of a field's row */
  int main_entry, main_kind;          /* the most frequent palette entry, HS_TILE_EQUAL or HS_TILE_STENCIL */
  struct hs_stencil_f64 main_stencil; /* that entry, by value: a kernel has it without a load */
  struct hs_stencil_f32 main_stencil_single;
  const uint16_t *d_index;                /* [ny*nx] */
  const struct hs_stencil_f64 *d_stencil; /* palette */
  const struct hs_stencil_f32 *d_stencil_single;
  const int32_t *d_tile_code; /* [tiles_y*tiles_x] */
  struct hs_sum_split split;
};

/* One slot of norms under accumulation: exact sums, and maxima as the bits of non-negative doubles. */
struct hs_norm_slot {
  double update_high, update_low, residual_high, residual_low;
  unsigned long long update_max, residual_max, two_sweep_max;
  unsigned long long unused;
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

/* Sets d_tile_code from d_index and d_stencil. */
cudaError_t hs_kernel_classify(const struct hs_device_system *system, int32_t *d_tile_code, cudaStream_t stream);

/* One Jacobi sweep, to = J(from); origins of two fields. single: they are float, else double.
 * d_slots (HS_NORM_SLOTS, or NULL) receives the update's norms scaled by control->update_scale.
 * d_halt (or NULL): do nothing when it is non-zero. */
typedef cudaError_t hs_kernel_sweep(const struct hs_device_system *system, int single, const void *from, void *to,
                                    struct hs_norm_slot *d_slots, const struct hs_device_control *d_control,
                                    const int32_t *d_halt, cudaStream_t stream);
hs_kernel_sweep hs_kernel_sweep_global;
hs_kernel_sweep hs_kernel_sweep_shared;

/* All norms of `now` and its predecessor into d_slots. */
cudaError_t hs_kernel_norms(const struct hs_device_system *system, int single, const void *now, const void *before,
                            struct hs_norm_slot *d_slots, const struct hs_device_control *d_control,
                            const int32_t *d_halt, cudaStream_t stream);

/* Copies a whole padded field of `bytes` (a multiple of 16). */
cudaError_t hs_kernel_copy(const void *from, void *to, size_t bytes, const int32_t *d_halt, cudaStream_t stream);

/* Sets scales from bounds and clears `batches` sets of slots. */
cudaError_t hs_kernel_begin(struct hs_device_control *d_control, struct hs_norm_slot *d_slots, int batches,
                            struct hs_bounds bounds, cudaStream_t stream);

/* d_norms[b] = norms of slot set b, for `batches` sets; full: residual and two-sweep norms too (else NaN).
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
