/* The state that the CUDA backends share, and what their files call of each other; private to src/backend/cuda.
 *
 * Calls go one way, upwards in this list:
 *
 *     error     CUDA's failures in sentences
 *     state     layout of fields, device memory
 *     transfer  fields over the bus, through pinned buffers
 *     system    stencils, tiles and constants on the device
 *     memory    create, load, fetch, destroy
 *     device    what a device can take; its name
 *     cost      forecasts
 *     advance   sweeps in passes and graphs, intervals with their stop test
 *     cuda      the other operations; the tables of cuda-global and cuda-shared
 *     blocked/, resident/, streamed/
 */
#ifndef HS_BACKEND_CUDA_STATE_H
#define HS_BACKEND_CUDA_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "backend/backend.h"
#include "backend/linear.h"
#include "backend/part.h"
#include "kernels.h"

enum {
  HS_CUDA_BUFFERS = 2, /* pinned: one is filled while the other travels */
  HS_CUDA_GRAPHS = 2   /* graphs of sweeps without norms: of 64 and of 8 */
};

/* Kinds of sweep that need graphs of their own: launchers choose a kernel by the kind, and a graph keeps the choice. */
enum hs_cuda_variant { HS_CUDA_PLAIN, HS_CUDA_RELAXED, HS_CUDA_CHEBYSHEV, HS_CUDA_VARIANTS };

/* A graph of whole intervals with the stop test in its loop, for one assignment of the two fields. */
struct hs_cuda_graph {
  cudaGraphExec_t exec; /* NULL: not built */
  bool keep;            /* what it was built for */
  enum hs_cuda_variant variant;
  int check_every, full_norms;
  int swaps; /* how often the fields change places in an interval */
};

struct hs_cuda_state;

/* Passes: several plain sweeps in one launch, where a backend can do that. */
struct hs_cuda_pass {
  int64_t longest, shortest, multiple; /* sweeps of one pass: at most, at least, and a multiple of */
  /* Enqueues `sweeps` plain sweeps from the field `from`, which stays as it is, into the field `to` (indices into
   * d_field); none if d_halt is given and *d_halt is not 0. NULL: the backend makes one sweep at a time. */
  cudaError_t (*enqueue)(struct hs_cuda_state *state, int from, int to, int64_t sweeps, const int32_t *d_halt);
  /* Makes anew what was derived from the stencils, or sets stale. NULL: nothing is derived. */
  hs_status (*renew)(struct hs_cuda_state *state, struct hs_error *err);
  bool stale;                                   /* no passes until the next renewal */
  double largest;                               /* largest magnitude of a value that passes take; 0: any */
  bool exceeded;                                /* a larger one has been loaded: no passes any more */
  void (*destroy)(struct hs_cuda_state *state); /* frees data; NULL: nothing to free */
  void *data;                                   /* the backend's own */
};

/* Sweeps of the next pass while `left` may be made in passes; 0: the next one is to be made singly. */
static inline int64_t hs_cuda_pass_length(const struct hs_cuda_pass *pass, int64_t left)
{
  const int64_t most = left < pass->longest ? left : pass->longest, length = most - most % pass->multiple;
  return length < pass->shortest ? 0 : length;
}

/* Can passes be made now? */
static inline bool hs_cuda_pass_ready(const struct hs_cuda_pass *pass)
{
  return pass->enqueue && !pass->stale && !pass->exceeded;
}

struct hs_cuda_state {
  const struct hs_system *system; /* not owned */
  hs_kernel_sweep *sweep;
  struct hs_cuda_pass pass;
  bool single;
  size_t element;     /* bytes */
  size_t field_bytes; /* of a padded field */
  size_t origin;      /* bytes from a field's start to node (0, 0) */
  struct hs_device_system device;
  void *d_field[3];
  int now, before, saved; /* indices into d_field: the present field, its predecessor, the one that save keeps */
  void *d_index, *d_stencil, *d_stencil_single, *d_tile_code;
  int main_guess;    /* coefficient index that device.main_stencil was made from; -1: none */
  void *d_constants; /* the field r; NULL: none */
  void *d_base;      /* the source map's constants during implicit steps; NULL: not needed yet */
  bool base_stale;   /* d_base belongs to other weights */
  struct hs_device_relaxation *d_relaxation;
  enum hs_form form;
  struct hs_norm_slot *d_slots; /* [HS_NORM_BATCH][HS_NORM_SLOTS], cleared after use */
  struct hs_norms *d_norms;     /* [HS_NORM_BATCH] */
  struct hs_device_control *d_control;
  struct hs_device_control *control; /* pinned copy */
  struct hs_norms *norms;            /* pinned, [HS_NORM_BATCH] */
  void *buffer[HS_CUDA_BUFFERS];     /* pinned */
  cudaEvent_t buffer_free[HS_CUDA_BUFFERS];
  int buffer_rows; /* rows that a buffer holds */
  cudaStream_t stream;
  cudaEvent_t written, copied;   /* of copies between parts (cuda/part.c); NULL: none so far */
  struct hs_cuda_graph graph[2]; /* by `now` */
  cudaGraphExec_t sweeps[HS_CUDA_GRAPHS][2][HS_CUDA_VARIANTS]; /* by `now` and variant; NULL: not built */
};

/* The state behind a handle of the interface, and back. */
static inline struct hs_cuda_state *hs_cuda_state(const struct hs_backend_state *backend)
{
  return (struct hs_cuda_state *)backend;
}
static inline struct hs_backend_state *hs_cuda_handle(struct hs_cuda_state *state)
{
  return (struct hs_backend_state *)state;
}

/* Can several sweeps of systems like this one be made in a pass? Not with constants of the nodes' own, a law for every
 * node, or periodic walls. */
static inline bool hs_cuda_has_passes(const struct hs_system *system)
{
  return system->index && !hs_system_has_constants(system) && system->wrap_x < 0 && system->wrap_y < 0;
}

/* --- error ----------------------------------------------------------------------------------- */

/* HS_OK, or HS_ERR_DEVICE with what was being done, CUDA's own words, and what can be done about it. */
hs_status hs_cuda_check(cudaError_t code, const char *doing, struct hs_error *err);

/* --- state ----------------------------------------------------------------------------------- */

/* Sets tiles, pitch and sizes of the padded fields of a system (kernels.h). */
void hs_cuda_layout(const struct hs_system *system, bool single, struct hs_cuda_state *state);

/* Lets `now` and `before` change places. */
void hs_cuda_exchange(struct hs_cuda_state *state);

/* Address of node (0, 0) of field `which`, and of any padded field. */
void *hs_cuda_origin(const struct hs_cuda_state *state, int which);
void *hs_cuda_field_origin(const struct hs_cuda_state *state, void *d_field);

/* Device memory, to be freed with cudaFree; page-locked memory of the host, to be freed with cudaFreeHost.
 * HS_ERR_DEVICE with numbers and advice where there is too little. */
hs_status hs_cuda_array(void **array, size_t bytes, const struct hs_cuda_state *state, struct hs_error *err);
hs_status hs_cuda_pinned(void **array, size_t bytes, struct hs_error *err);

/* Forgets all graphs: something that kernels take by value has changed. */
void hs_cuda_graphs_drop(struct hs_cuda_state *state);

/* --- transfer -------------------------------------------------------------------------------- */

hs_status hs_cuda_buffers_create(struct hs_cuda_state *state, struct hs_error *err);
void hs_cuda_buffers_destroy(struct hs_cuda_state *state);

/* [ny*nx] values into a padded field in its precision, and back. An upload may still be under way on return. */
hs_status hs_cuda_upload(struct hs_cuda_state *state, void *d_field, const double *values, struct hs_error *err);
hs_status hs_cuda_download(struct hs_cuda_state *state, void *d_field, double *values, struct hs_error *err);

/* values[k] of a padded field at node[k] of [ny*nx]; field: its node (0, 0). */
hs_status hs_cuda_gather(struct hs_cuda_state *state, const void *field, const int64_t *node, int64_t count,
                         double *values, struct hs_error *err);

/* --- system ---------------------------------------------------------------------------------- */

hs_status hs_cuda_system_create(struct hs_cuda_state *state, struct hs_error *err);
void hs_cuda_system_destroy(struct hs_cuda_state *state);

/* Device memory of what comes from the system, bytes; of the state only the layout is read. */
double hs_cuda_system_bytes(const struct hs_cuda_state *layout);

/* Puts the constants r to source_w_m / diagonal, where the system has any. */
hs_status hs_cuda_constants_reset(struct hs_cuda_state *state, struct hs_error *err);

/* The members of struct hs_backend of the same names. */
hs_status hs_cuda_relax(struct hs_backend_state *backend, const struct hs_relaxation *relaxation, struct hs_error *err);
hs_status hs_cuda_update(struct hs_backend_state *backend, const struct hs_system *system, bool weights_changed,
                         struct hs_error *err);
hs_status hs_cuda_step(struct hs_backend_state *backend, bool trapezoid, struct hs_error *err);

/* --- memory ---------------------------------------------------------------------------------- */

/* Device memory for a system, bytes, without what passes need beside it. */
double hs_cuda_bytes(const struct hs_system *system, bool single);

/* Is one of n values NaN, or larger in magnitude than that? */
bool hs_cuda_exceeds(const double *values, int64_t n, double largest);

/* The members of struct hs_backend of the same names. */
hs_status hs_cuda_create(const struct hs_system *system, const struct hs_backend_options *options,
                         hs_kernel_sweep *sweep, struct hs_backend_state **backend, struct hs_error *err);
hs_status hs_cuda_load(struct hs_backend_state *backend, const double *field_k, struct hs_error *err);
hs_status hs_cuda_load_before(struct hs_backend_state *backend, const double *field_k, struct hs_error *err);
hs_status hs_cuda_fetch_role(struct hs_backend_state *backend, enum hs_field_role role, double *field_k,
                             struct hs_error *err);
hs_status hs_cuda_fetch(struct hs_backend_state *backend, double *field_k, struct hs_error *err);
hs_status hs_cuda_pick(struct hs_backend_state *backend, const int64_t *node, int64_t count, double *values_k,
                       struct hs_error *err);
void hs_cuda_destroy(struct hs_backend_state *backend);

/* --- device ---------------------------------------------------------------------------------- */

/* The members of struct hs_backend of the same names. A system (or NULL) is asked for the memory of hs_cuda_bytes;
 * place needs no state. */
hs_status hs_cuda_probe(const struct hs_system *system, const struct hs_backend_options *options, struct hs_error *why);
void hs_cuda_place(const struct hs_backend_state *backend, struct hs_backend_place *place);

/* Makes the device's context, which later calls would wait for. */
void hs_cuda_warm_up(void);

/* What CUDA itself takes of the free memory when sweeps begin, bytes. */
extern const double hs_cuda_later_bytes;

/* Does the system fit into what other programs leave of the device's memory, and into what the user allows?
 * passes_bytes: what passes need beside hs_cuda_bytes; stack_bytes: what CUDA may set aside for their kernels, which is
 * not counted against the user's limit. HS_ERR_DEVICE with the numbers if it does not. */
hs_status hs_cuda_room_check(const struct hs_system *system, const struct hs_backend_options *options,
                             double passes_bytes, double stack_bytes, struct hs_error *why);

/* --- cost ------------------------------------------------------------------------------------ */

/* What limits a backend's sweeps, by which its curves are scaled to other devices than they were measured on. */
enum hs_cuda_limit { HS_CUDA_LIMIT_MEMORY, HS_CUDA_LIMIT_CHIP };

/* Forecast from the backend's curves, measured here or built in. Without any: of a sweep that moves fields through
 * memory once at that share of the memory's rate, with a launch of its own. */
struct hs_backend_cost hs_cuda_cost(const char *name, enum hs_cuda_limit limit, const struct hs_system *system,
                                    const struct hs_backend_options *options, double launch_s,
                                    double share_of_memory_rate);

/* --- advance --------------------------------------------------------------------------------- */

/* Can the present kind of sweep be made in passes? */
bool hs_cuda_passes_apply(const struct hs_cuda_state *state);

/* Enqueues one sweep from the field `from` to the field `to` (indices into d_field), ghosts included. */
cudaError_t hs_cuda_sweep_enqueue(struct hs_cuda_state *state, int from, int to, int step, struct hs_norm_slot *d_slots,
                                  const int32_t *d_halt);

/* Computes the steps of the next `count` sweeps, at most HS_NORM_BATCH, where the form needs it. */
cudaError_t hs_cuda_steps_enqueue(struct hs_cuda_state *state, int64_t count);

/* n sweeps; predecessor: the other field must hold it afterwards. */
cudaError_t hs_cuda_sweeps_enqueue(struct hs_cuda_state *state, int64_t n, bool predecessor);

/* The members of struct hs_backend of the same names. */
hs_status hs_cuda_sweep(struct hs_backend_state *backend, int64_t n, struct hs_error *err);
hs_status hs_cuda_advance(struct hs_backend_state *backend, struct hs_intervals *intervals, struct hs_error *err);

/* --- cuda ------------------------------------------------------------------------------------ */

/* The members of struct hs_backend of the same names. */
int hs_cuda_sweeps_per_call(const struct hs_backend_state *backend);
hs_status hs_cuda_sweep_normed(struct hs_backend_state *backend, int64_t n, const struct hs_bounds *bounds,
                               struct hs_norms *norms, struct hs_error *err);
hs_status hs_cuda_norms(struct hs_backend_state *backend, const struct hs_bounds *bounds, struct hs_norms *norms,
                        struct hs_error *err);
hs_status hs_cuda_save(struct hs_backend_state *backend, struct hs_error *err);
hs_status hs_cuda_restore(struct hs_backend_state *backend, struct hs_error *err);
hs_status hs_cuda_distance(struct hs_backend_state *backend, double *distance_k, struct hs_error *err);
hs_status hs_cuda_largest(struct hs_backend_state *backend, double *largest_k, struct hs_error *err);

/* A backend's table but for name, summary, probe, cost and create. */
#define HS_CUDA_OPERATIONS                                                                                             \
  .least_s = 0.3, .warm_up = hs_cuda_warm_up, .place = hs_cuda_place, .sweeps_per_call = hs_cuda_sweeps_per_call,      \
  .load = hs_cuda_load, .relax = hs_cuda_relax, .update = hs_cuda_update, .step = hs_cuda_step,                        \
  .sweep = hs_cuda_sweep, .sweep_normed = hs_cuda_sweep_normed, .norms = hs_cuda_norms, .save = hs_cuda_save,          \
  .restore = hs_cuda_restore, .distance = hs_cuda_distance, .largest = hs_cuda_largest, .advance = hs_cuda_advance,    \
  .fetch = hs_cuda_fetch, .pick = hs_cuda_pick, .fetch_role = hs_cuda_fetch_role, .load_before = hs_cuda_load_before,  \
  .linear = &hs_linear_cuda, .part = &hs_part_cuda, .destroy = hs_cuda_destroy

/* --- blocked --------------------------------------------------------------------------------- */

/* Memory that the passes of cuda-blocked take for a system beside hs_cuda_bytes; nothing where it has none. Errors:
 * HS_ERR_UNSUPPORTED (they cannot take it), HS_ERR_MEMORY, HS_ERR_DEVICE. */
struct hs_blocked_size;
hs_status hs_cuda_blocked_size(const struct hs_system *system, bool single, struct hs_blocked_size *size,
                               struct hs_error *err);

/* Gives a state the passes of cuda-blocked, where the device can run them. */
hs_status hs_cuda_blocked_attach(struct hs_cuda_state *state, struct hs_error *err);

#endif
