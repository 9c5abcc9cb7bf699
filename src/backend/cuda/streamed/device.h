/* The device side of cuda-streamed: trips of all bands over the bus. The fields belong to the caller. */
#ifndef HS_BACKEND_CUDA_STREAMED_DEVICE_H
#define HS_BACKEND_CUDA_STREAMED_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "backend/backend.h"
#include "backend/cuda/streamed/plan.h"

enum { HS_STREAMED_BATCH = 128 }; /* sets of norms that are in flight together */

/* One trip: every band is swept `sweeps` times. Host fields, [ny*nx] in the state's precision. */
struct hs_streamed_trip {
  const void *from;  /* t_k */
  const void *base;  /* t_(k-1), where the first sweep reads it; or NULL */
  void *to;          /* t_(k+sweeps) */
  void *predecessor; /* t_(k+sweeps-1); or NULL: not wanted */
  const void *r;     /* constants of the nodes' own, or NULL */
  int64_t sweeps;    /* 1 .. the plan's longest; at most HS_STREAMED_CHEBYSHEV in that form */
  int normed;        /* the last so many sweeps add up their norms, */
  int set;           /* in sets from this one on */
};

/* --- machine.c ------------------------------------------------------------------------------- */

/* Device memory that may be planned with, bytes; of the device, when options set no limit. */
hs_status hs_streamed_limit(const struct hs_backend_options *options, double *limit_bytes, struct hs_error *err);

/* Seconds per node and sweep on the device. */
double hs_streamed_node_s(const struct hs_system *system, const struct hs_backend_options *options);

/* The host's memory for the plans of passes, bytes; an upper bound, for they may not fit on the device and fall
 * away. */
double hs_streamed_passes_host_bytes(const struct hs_system *system, const struct hs_backend_options *options,
                                     const struct hs_streamed_plan *plan);

/* Pins the host's memory, which makes transfers fast and lets them go on beside the sweeps. HS_ERR_DEVICE where the
 * system refuses: transfers then are slow. */
hs_status hs_streamed_pin(void *memory, size_t bytes, struct hs_error *err);
void hs_streamed_unpin(void *memory);

/* --- device.c, passes.c, trip.c ---------------------------------------------------------------- */

struct hs_streamed_device;

hs_status hs_streamed_device_create(const struct hs_system *system, const struct hs_backend_options *options,
                                    const struct hs_streamed_plan *plan, struct hs_streamed_device **device,
                                    struct hs_error *err);
void hs_streamed_device_destroy(struct hs_streamed_device *device); /* NULL is accepted */

/* Are plain sweeps made several at a time? */
bool hs_streamed_device_passes(const struct hs_streamed_device *device);

/* A field of [ny*nx] values is about to be swept: no band makes passes any more once a value is too large for them. */
void hs_streamed_device_see(struct hs_streamed_device *device, const double *field_k);

/* As the operations of struct hs_backend; fields are not concerned. */
hs_status hs_streamed_device_relax(struct hs_streamed_device *device, const struct hs_relaxation *relaxation,
                                   struct hs_error *err);
hs_status hs_streamed_device_update(struct hs_streamed_device *device, const struct hs_system *system,
                                    bool weights_changed, struct hs_error *err);

/* Enqueues a trip behind all earlier ones. `to` and `predecessor` may be `base`, and but for periodic walls in y and
 * for `to` of a single sweep, `from` as well: rows are not overwritten before they have been read. */
hs_status hs_streamed_device_trip(struct hs_streamed_device *device, const struct hs_streamed_trip *trip,
                                  struct hs_error *err);

/* Waits for all trips; the host's fields are complete then. */
hs_status hs_streamed_device_wait(struct hs_streamed_device *device, struct hs_error *err);

/* Clears `sets` sets of norms, at most HS_STREAMED_BATCH, and scales them for bounds; waits, and returns the norms. */
hs_status hs_streamed_norms_begin(struct hs_streamed_device *device, int sets, const struct hs_bounds *bounds,
                                  struct hs_error *err);
hs_status hs_streamed_norms_collect(struct hs_streamed_device *device, int sets, struct hs_norms *norms,
                                    struct hs_error *err);

#endif
