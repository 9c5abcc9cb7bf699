/* cuda-streamed: grids larger than device memory. The fields lie in the host's memory and visit the device band by
 * band.
 *
 * A sweep of a whole grid over the bus would take as long as the bus does, fifty times longer than the sweep. So a trip
 * of all bands makes as many sweeps as the plan allows (streamed/plan.h), while other bands are on their way
 * (streamed/device.h). Norms, steps, distances and all copies are the processor's (streamed/host.h): they
 * read a field once.
 *
 * Fields. The present one and its predecessor are needed after every call, so the last trip brings both back. Two
 * fields are enough: a trip writes the result into the old predecessor's memory and the new predecessor over the field
 * that it reads, behind the reading. What is saved is not copied, but spared from then on, and a third field steps in.
 * In periodic walls in y the last band reads the first one's rows, so nothing is overwritten there; the last sweep then
 * is a trip of its own, whose predecessor is what it has read. So are, there, all sweeps of Chebyshev's form and all
 * with norms.
 *
 * Limits: a test at every few sweeps is a trip at every few sweeps, and pays for the bus.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/state.h"
#include "backend/cuda/streamed/device.h"
#include "backend/cuda/streamed/host.h"
#include "base/memory.h"

enum { FIELDS = 3, NONE = -1 };

struct hs_streamed_state {
  const struct hs_system *system; /* not owned */
  struct hs_streamed_device *device;
  struct hs_streamed_plan plan;
  bool single;
  size_t nodes, bytes;    /* of a field */
  void *field[FIELDS];    /* [ny*nx]; NULL: not needed yet */
  int now, before, saved; /* indices into field, not always different; saved: NONE at first */
  void *r;                /* constants of the nodes' own, or NULL */
  bool pageable;          /* some memory could not be pinned */
  struct hs_relaxation relaxation;
  double omega; /* where Chebyshev's recursion stands */
};

/* The state behind a handle of the interface. */
static struct hs_streamed_state *streamed_state(const struct hs_backend_state *backend)
{
  return (struct hs_streamed_state *)backend;
}

/* Measured on PCI Express 5.0 with 16 lanes. */
static const double BUS_BYTES_S = 50e9;

static hs_status plan_make(const struct hs_system *system, const struct hs_backend_options *options,
                           struct hs_streamed_plan *plan, struct hs_error *err)
{
  const struct hs_streamed_rates rates = {BUS_BYTES_S, hs_streamed_node_s(system, options), options->testing.band_rows};
  double limit_bytes;
  const hs_status status = hs_streamed_limit(options, &limit_bytes, err);
  return status ? status : hs_streamed_plan_make(system, options->single, limit_bytes, &rates, plan, err);
}

/* --- what it takes --------------------------------------------------------------------------- */

static hs_status streamed_probe(const struct hs_system *system, const struct hs_backend_options *options,
                                struct hs_error *why)
{
  struct hs_streamed_plan plan;
  const hs_status status = hs_cuda_probe(NULL, options, why);
  return status || !system ? status : plan_make(system, options, &plan, why);
}

/* Pinning takes about a second for every 4 GB. A test reads two fields at the rate of the host's memory. */
static struct hs_backend_cost streamed_cost(const struct hs_system *system, const struct hs_backend_options *options)
{
  const double nodes = (double)system->nx * system->ny, size = options->single ? 4.0 : 8.0;
  const double fields = FIELDS + (hs_system_has_constants(system) ? 1.0 : 0.0);
  struct hs_streamed_plan plan = {.sweep_s = INFINITY};
  struct hs_error err;
  (void)plan_make(system, options, &plan, &err);
  return (struct hs_backend_cost){.setup_s = 0.4 + nodes * size * fields / 4e9,
                                  .sweep_s = plan.sweep_s,
                                  .test_s = 1e-3 + nodes / 2e9,
                                  .step_s = 1e-3 + nodes / 2e9,
                                  .host_bytes =
                                      fields * nodes * size + hs_streamed_passes_host_bytes(system, options, &plan),
                                  .device_bytes = plan.device_bytes};
}

/* --- lifetime -------------------------------------------------------------------------------- */

/* A pinned field, if it is not there yet. One that cannot be pinned serves as well, slowly. */
static hs_status field_need(struct hs_streamed_state *state, void **field, struct hs_error *err)
{
  if (*field) return HS_OK;
  *field = hs_streamed_array(state->bytes);
  if (!*field)
    return hs_error_set(err, HS_ERR_MEMORY,
                        "a field of %d x %d nodes needs %.3g GB of the host's memory, and there is too little; use a "
                        "smaller grid or solver.precision = single",
                        state->plan.nx, state->plan.ny, 1e-9 * (double)state->bytes);
  if (hs_streamed_pin(*field, state->bytes, NULL)) state->pageable = true;
  return HS_OK;
}

static void field_free(void *field)
{
  if (field) hs_streamed_unpin(field);
  free(field);
}

static void streamed_destroy(struct hs_backend_state *backend)
{
  struct hs_streamed_state *state = streamed_state(backend);
  if (!state) return;
  hs_streamed_device_destroy(state->device);
  for (int k = 0; k < FIELDS; k++) field_free(state->field[k]);
  field_free(state->r);
  free(state);
}

static hs_status streamed_create(const struct hs_system *system, const struct hs_backend_options *options,
                                 struct hs_backend_state **backend, struct hs_error *err)
{
  struct hs_streamed_state *s = NULL;
  hs_status status = hs_array_create((void **)&s, 1, sizeof *s, "cuda-streamed", err);
  if (status) goto out;
  s->system = system;
  s->single = options->single;
  s->nodes = (size_t)system->nx * (size_t)system->ny;
  s->bytes = s->nodes * (s->single ? sizeof(float) : sizeof(double));
  s->saved = NONE;
  s->before = 1;
  s->relaxation.form = HS_FORM_JACOBI;
  status = plan_make(system, options, &s->plan, err);
  if (!status) status = field_need(s, &s->field[0], err);
  if (!status) status = field_need(s, &s->field[1], err);
  if (!status && hs_system_has_constants(system)) status = field_need(s, &s->r, err);
  if (!status) status = hs_streamed_device_create(system, options, &s->plan, &s->device, err);
out:
  if (status) {
    streamed_destroy((struct hs_backend_state *)s);
    s = NULL;
  }
  *backend = (struct hs_backend_state *)s;
  return status;
}

static void streamed_place(const struct hs_backend_state *backend, struct hs_backend_place *place)
{
  const struct hs_streamed_state *state = streamed_state(backend);
  struct hs_backend_place device;
  hs_cuda_place(NULL, &device);
  snprintf(place->device, sizeof place->device, "%.90s, bands: %d, %s%s", device.device, state->plan.bands,
           hs_streamed_device_passes(state->device) ? "several sweeps a pass" : "sweeps one by one",
           state->pageable ? "; slow transfers: the host's memory cannot be pinned" : "");
  place->threads = 0;
}

/* --- fields ---------------------------------------------------------------------------------- */

/* A field that is none of the three given (NONE: no such), one that exists before one that does not. */
static int field_other(const struct hs_streamed_state *state, int a, int b, int c)
{
  int found = NONE;
  for (int k = 0; k < FIELDS; k++) {
    if (k == a || k == b || k == c) continue;
    if (found == NONE || (!state->field[found] && state->field[k])) found = k;
  }
  return found;
}

static hs_status streamed_load(struct hs_backend_state *backend, const double *field_k, struct hs_error *err)
{
  struct hs_streamed_state *state = streamed_state(backend);
  const int to = field_other(state, state->saved, NONE, NONE);
  const hs_status status = field_need(state, &state->field[to], err);
  if (status) return status;
  hs_streamed_pack(state->single, state->field[to], field_k, state->nodes);
  hs_streamed_device_see(state->device, field_k);
  if (state->r) hs_streamed_constants(state->system, state->single, state->r);
  state->now = state->before = to;
  return HS_OK;
}

static hs_status streamed_load_before(struct hs_backend_state *backend, const double *field_k, struct hs_error *err)
{
  struct hs_streamed_state *state = streamed_state(backend);
  const int to = field_other(state, state->now, state->saved, NONE);
  const hs_status status = field_need(state, &state->field[to], err);
  if (status) return status;
  hs_streamed_pack(state->single, state->field[to], field_k, state->nodes);
  state->before = to;
  return HS_OK;
}

static hs_status streamed_fetch_role(struct hs_backend_state *backend, enum hs_field_role role, double *field_k,
                                     struct hs_error *err)
{
  struct hs_streamed_state *state = streamed_state(backend);
  const int which = role == HS_FIELD_NOW ? state->now : role == HS_FIELD_BEFORE ? state->before : state->saved;
  (void)err;
  hs_streamed_unpack(state->single, field_k, state->field[which], state->nodes);
  return HS_OK;
}

static hs_status streamed_fetch(struct hs_backend_state *backend, double *field_k, struct hs_error *err)
{
  return streamed_fetch_role(backend, HS_FIELD_NOW, field_k, err);
}

static hs_status streamed_save(struct hs_backend_state *backend, struct hs_error *err)
{
  struct hs_streamed_state *state = streamed_state(backend);
  (void)err;
  state->saved = state->now;
  return HS_OK;
}

static hs_status streamed_restore(struct hs_backend_state *backend, struct hs_error *err)
{
  struct hs_streamed_state *state = streamed_state(backend);
  (void)err;
  state->now = state->saved;
  return HS_OK;
}

static hs_status streamed_distance(struct hs_backend_state *backend, double *distance_k, struct hs_error *err)
{
  struct hs_streamed_state *state = streamed_state(backend);
  (void)err;
  *distance_k = hs_streamed_distance(state->single, state->field[state->now], state->field[state->saved], state->nodes);
  return HS_OK;
}

static hs_status streamed_largest(struct hs_backend_state *backend, double *largest_k, struct hs_error *err)
{
  struct hs_streamed_state *state = streamed_state(backend);
  (void)err;
  *largest_k = hs_streamed_largest(state->single, state->field[state->now], state->nodes);
  return HS_OK;
}

static hs_status streamed_norms(struct hs_backend_state *backend, const struct hs_bounds *bounds,
                                struct hs_norms *norms, struct hs_error *err)
{
  struct hs_streamed_state *state = streamed_state(backend);
  return hs_streamed_norms(state->system, state->single, state->field[state->now], state->field[state->before],
                           state->r, bounds, norms, err);
}

/* --- relaxation, updates, steps -------------------------------------------------------------- */

static hs_status streamed_relax(struct hs_backend_state *backend, const struct hs_relaxation *relaxation,
                                struct hs_error *err)
{
  struct hs_streamed_state *state = streamed_state(backend);
  state->relaxation = *relaxation;
  state->omega = relaxation->omega;
  return hs_streamed_device_relax(state->device, relaxation, err);
}

/* While steps store heat, r belongs to the step that has begun. */
static hs_status streamed_update(struct hs_backend_state *backend, const struct hs_system *system, bool weights_changed,
                                 struct hs_error *err)
{
  struct hs_streamed_state *state = streamed_state(backend);
  state->system = system;
  if (state->r && !system->storing) hs_streamed_constants(system, state->single, state->r);
  return hs_streamed_device_update(state->device, system, weights_changed, err);
}

static hs_status streamed_step(struct hs_backend_state *backend, bool trapezoid, struct hs_error *err)
{
  struct hs_streamed_state *state = streamed_state(backend);
  if (!state->r)
    return hs_error_set(err, HS_ERR_UNSUPPORTED, "an implicit time step of a system that was made without storage");
  hs_streamed_step(state->system, state->single, state->field[state->now], trapezoid, state->r);
  return HS_OK;
}

/* --- sweeps ---------------------------------------------------------------------------------- */

/* Advances Chebyshev's recursion on the host by n sweeps; the form of the first of them. */
static enum hs_form form_next(struct hs_streamed_state *state, int64_t n)
{
  enum hs_form first = state->relaxation.form;
  double weight;
  if (first != HS_FORM_CHEBYSHEV) return first;
  for (int64_t k = 0; k < n; k++) {
    const enum hs_form form = hs_relaxation_next(&state->relaxation, &state->omega, &weight);
    if (k == 0) first = form;
  }
  return first;
}

/* Sweeps of a trip at most. */
static int64_t trip_longest(const struct hs_streamed_state *state, bool normed)
{
  const bool chebyshev = state->relaxation.form == HS_FORM_CHEBYSHEV, periodic = state->plan.wrap_y >= 0;
  if (periodic && (chebyshev || normed)) return 1;
  return chebyshev && state->plan.longest > HS_STREAMED_CHEBYSHEV ? HS_STREAMED_CHEBYSHEV : state->plan.longest;
}

/* A whole trip; with passes, multiples of four sweeps and the single one at the end. */
static int streamed_sweeps_per_call(const struct hs_backend_state *backend)
{
  const struct hs_streamed_state *state = streamed_state(backend);
  const int64_t longest = state->plan.bands > 1 ? trip_longest(state, false) : 1;
  return (int)(longest > 8 && hs_streamed_device_passes(state->device) ? longest - 3 : longest);
}

/* Sweeps of the next trip while `left` are to be made. */
static int64_t trip_length(const struct hs_streamed_state *state, int64_t left, bool normed)
{
  return hs_streamed_length(left, trip_longest(state, normed), state->plan.wrap_y >= 0);
}

/* One trip of `sweeps` sweeps, the last `normed` of them with norms. keep: with its result's predecessor, if there is
 * no other way to have it. */
static hs_status trip_make(struct hs_streamed_state *state, int64_t sweeps, int normed, int set, bool keep,
                           struct hs_error *err)
{
  const bool three_term = form_next(state, sweeps) == HS_FORM_CHEBYSHEV, returns = keep && sweeps > 1;
  const int from = state->now, spared = state->saved;
  int to = state->before, predecessor = from;
  struct hs_streamed_trip trip = {.sweeps = sweeps, .normed = normed, .set = set, .r = state->r};
  hs_status status;
  if (to == from || to == spared) to = field_other(state, from, spared, NONE);
  if (returns && from == spared) predecessor = field_other(state, to, spared, NONE);
  status = field_need(state, &state->field[to], err);
  if (!status) status = field_need(state, &state->field[predecessor], err);
  if (status) return status;
  trip.from = state->field[from];
  trip.to = state->field[to];
  if (three_term) trip.base = state->field[state->before];
  if (returns) trip.predecessor = state->field[predecessor];
  status = hs_streamed_device_trip(state->device, &trip, err);
  state->now = to;
  state->before = predecessor;
  return status;
}

static hs_status streamed_sweep(struct hs_backend_state *backend, int64_t n, struct hs_error *err)
{
  struct hs_streamed_state *state = streamed_state(backend);
  const bool chebyshev = state->relaxation.form == HS_FORM_CHEBYSHEV;
  hs_status status = HS_OK;
  for (int64_t left = n, length; !status && left > 0; left -= length) {
    length = trip_length(state, left, false);
    status = trip_make(state, length, 0, 0, chebyshev || length == left, err);
  }
  return status ? status : hs_streamed_device_wait(state->device, err);
}

static hs_status streamed_sweep_normed(struct hs_backend_state *backend, int64_t n, const struct hs_bounds *bounds,
                                       struct hs_norms *norms, struct hs_error *err)
{
  struct hs_streamed_state *state = streamed_state(backend);
  hs_status status = HS_OK;
  for (int64_t done = 0; !status && done < n; done += HS_STREAMED_BATCH) {
    const int batch = n - done < HS_STREAMED_BATCH ? (int)(n - done) : HS_STREAMED_BATCH;
    status = hs_streamed_norms_begin(state->device, batch, bounds, err);
    for (int made = 0, length; !status && made < batch; made += length) {
      length = (int)trip_length(state, batch - made, true);
      status = trip_make(state, length, length, made, true, err);
    }
    if (!status) status = hs_streamed_norms_collect(state->device, batch, norms + done, err);
  }
  return status;
}

const struct hs_backend hs_backend_cuda_streamed = {
    .name = "cuda-streamed",
    .summary = "grids larger than the GPU's memory, band by band",
    .least_s = 0.4,
    .warm_up = hs_cuda_warm_up,
    .probe = streamed_probe,
    .cost = streamed_cost,
    .create = streamed_create,
    .place = streamed_place,
    .sweeps_per_call = streamed_sweeps_per_call,
    .load = streamed_load,
    .relax = streamed_relax,
    .update = streamed_update,
    .step = streamed_step,
    .sweep = streamed_sweep,
    .sweep_normed = streamed_sweep_normed,
    .norms = streamed_norms,
    .save = streamed_save,
    .restore = streamed_restore,
    .distance = streamed_distance,
    .largest = streamed_largest,
    .advance = NULL,
    .fetch = streamed_fetch,
    .fetch_role = streamed_fetch_role,
    .load_before = streamed_load_before,
    .destroy = streamed_destroy,
};
