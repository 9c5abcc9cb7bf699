/* The state that the CUDA backends share; private to src/backend/cuda*.c. */
#ifndef HS_BACKEND_CUDA_STATE_H
#define HS_BACKEND_CUDA_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "backend/backend.h"
#include "kernels.h"

enum {
  HS_CUDA_STAGES = 2, /* pinned buffers, one fills while the other travels */
  HS_CUDA_GRAPHS = 2  /* graphs of plain sweeps: of 64 and of 8 */
};

/* A graph of whole intervals with the stop test in its loop, for one assignment of the two fields. */
struct hs_cuda_graph {
  cudaGraphExec_t exec; /* NULL: not built */
  bool keep;            /* what it was built for */
  int check_every, full_norms;
};

struct hs_backend_state {
  const struct hs_system *system; /* not owned */
  hs_kernel_sweep *sweep;
  bool single;
  size_t element;     /* bytes */
  size_t field_bytes; /* of a padded field */
  size_t origin;      /* bytes from a field's start to node (0, 0) */
  struct hs_device_system device;
  void *d_field[3];       /* now, before, saved: see the three below */
  int now, before, saved; /* indices into d_field */
  void *d_index, *d_stencil, *d_stencil_single, *d_tile_code;
  struct hs_norm_slot *d_slots; /* [HS_NORM_BATCH][HS_NORM_SLOTS], cleared after use */
  struct hs_norms *d_norms;     /* [HS_NORM_BATCH] */
  struct hs_device_control *d_control;
  struct hs_device_control *control; /* pinned copy */
  struct hs_norms *norms;            /* pinned, [HS_NORM_BATCH] */
  void *stage[HS_CUDA_STAGES];       /* pinned */
  cudaEvent_t stage_free[HS_CUDA_STAGES];
  int stage_rows; /* rows that a stage holds */
  cudaStream_t stream;
  struct hs_cuda_graph graph[2];             /* by `now` */
  cudaGraphExec_t sweeps[HS_CUDA_GRAPHS][2]; /* plain sweeps, by `now`; NULL: not built */
};

/* HS_OK, or HS_ERR_DEVICE with what was being done and CUDA's own words. */
hs_status hs_cuda_check(cudaError_t code, const char *doing, struct hs_error *err);

/* Lets `now` and `before` change places. */
void hs_cuda_exchange(struct hs_backend_state *state);

/* Address of node (0, 0) of field `which`. */
void *hs_cuda_origin(const struct hs_backend_state *state, int which);

/* Lifetime and transfer: the members of struct hs_backend of the same names. */
hs_status hs_cuda_create(const struct hs_system *system, const struct hs_backend_options *options,
                         hs_kernel_sweep *sweep, struct hs_backend_state **state, struct hs_error *err);
hs_status hs_cuda_load(struct hs_backend_state *state, const double *field_k, struct hs_error *err);
hs_status hs_cuda_fetch(struct hs_backend_state *state, double *field_k, struct hs_error *err);
void hs_cuda_destroy(struct hs_backend_state *state);

/* Device memory for a system, bytes. */
double hs_cuda_bytes(const struct hs_system *system, bool single);

/* Enqueues n sweeps, without waiting for them. */
hs_status hs_cuda_sweeps_enqueue(struct hs_backend_state *state, int64_t n, struct hs_error *err);

/* Runs whole intervals on the device; see hs_backend.advance. */
hs_status hs_cuda_advance(struct hs_backend_state *state, const struct hs_stop_test *test, bool keep, int64_t until,
                          struct hs_stop_state *stop, struct hs_check *history, int capacity, int *count,
                          struct hs_error *err);

#endif
