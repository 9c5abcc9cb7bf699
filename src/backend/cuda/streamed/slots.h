/* What device.c, passes.c and trip.c share: the slots and what orders their use. */
#ifndef HS_BACKEND_CUDA_STREAMED_SLOTS_H
#define HS_BACKEND_CUDA_STREAMED_SLOTS_H

#include "backend/cuda/state.h"
#include "backend/cuda/streamed/device.h"

struct hs_streamed_device {
  const struct hs_system *system;
  struct hs_streamed_plan plan;
  bool single;
  struct hs_system view; /* what the slots take for their system: as many of its rows as they have room for */
  struct hs_cuda_state *slot[HS_STREAMED_SLOTS]; /* slot 0 has the norms and the steps of all */
  struct hs_system *band_view;                   /* [bands] rows of each band; NULL: no passes */
  struct hs_cuda_pass *pass;                     /* [bands] of each band, which see its rows */
  cudaStream_t up, sweep, down;
  cudaEvent_t arrived[HS_STREAMED_SLOTS], swept[HS_STREAMED_SLOTS], gone[HS_STREAMED_SLOTS];
  cudaEvent_t *returned; /* [bands] */
  int64_t visits;
  const void *pinned[9]; /* [pinned_count] arrays of the system and of the discretisations after it */
  int pinned_count;
};

/* Passes of several sweeps (passes.c). Where they cannot take the system, or their plans do not fit into the memory,
 * there are none: sweeps are made one by one. */
void hs_streamed_passes_create(struct hs_streamed_device *d, const struct hs_backend_options *options);
hs_status hs_streamed_passes_renew(struct hs_streamed_device *d, struct hs_error *err);
void hs_streamed_passes_destroy(struct hs_streamed_device *d);

#endif
