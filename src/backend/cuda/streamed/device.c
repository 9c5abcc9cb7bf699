/* The device side of cuda-streamed: the slots that bands visit.
 *
 * A slot is a state of the CUDA backends (cuda/state.h) for as many rows as a band has with its halos, so that their
 * kernels, stencil tables and tiles serve here, too. All slots share one stream, the control block of slot 0 and its
 * steps of a relaxation. Passes of several sweeps have a plan for each band. streamed/trip.c has what goes on in
 * slots.
 */
#include "backend/cuda/blocked/plan.h"
#include "backend/cuda/streamed/slots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

_Static_assert((int)HS_STREAMED_ALIGN == (int)HS_TILE_H, "bands are made of whole tiles");
_Static_assert((int)HS_STREAMED_BATCH == (int)HS_NORM_BATCH, "sets of norms");
_Static_assert((int)HS_STREAMED_CHEBYSHEV <= (int)HS_NORM_BATCH, "steps are computed in batches");
_Static_assert(HS_TILE_W == 128 && HS_PAD == 32, "the plan counts the bytes of padded fields");

static const char DOING[] = "streaming the field";

/* Memory from this size on lies in pages of its own and is worth pinning. */
static const size_t PIN_FROM_BYTES = (size_t)1 << 20;

/* --- the machine ----------------------------------------------------------------------------- */

/* Of the free memory, what a plan may count on: the rest goes to the driver and to the plans of passes. */
static const double SHARE_OF_FREE = 0.88;

hs_status hs_streamed_limit(const struct hs_backend_options *options, double *limit_bytes, struct hs_error *err)
{
  size_t available = 0, total = 0;
  const hs_status status = hs_cuda_check(cudaMemGetInfo(&available, &total), "asking for free memory", err);
  if (status) return status;
  *limit_bytes = SHARE_OF_FREE * (double)available;
  if (options->device_bytes > 0.0 && options->device_bytes < *limit_bytes) *limit_bytes = options->device_bytes;
  return HS_OK;
}

void hs_streamed_warm_up(void)
{
  hs_cuda_warm_up();
}

hs_status hs_streamed_machine(const struct hs_backend_options *options, struct hs_error *why)
{
  return hs_cuda_probe(NULL, options, why);
}

double hs_streamed_node_s(const struct hs_system *system, const struct hs_backend_options *options)
{
  const bool passes = system->wrap_x < 0 && system->wrap_y < 0 && !hs_backend_cuda_blocked.probe(NULL, options, NULL);
  const char *name = passes ? "cuda-blocked" : "cuda-global";
  const struct hs_backend_cost cost = hs_cuda_cost(name, HS_CUDA_LIMIT_MEMORY, system, options, 5.0e-6, 0.85);
  return cost.sweep_s / ((double)system->nx * system->ny);
}

/* Halos are planned with their bands. */
double hs_streamed_passes_host_bytes(const struct hs_system *system, const struct hs_backend_options *options,
                                     const struct hs_streamed_plan *plan)
{
  struct hs_blocked_size size;
  if (plan->band_rows == 0 || hs_cuda_blocked_size(system, options->single, &size, NULL)) return 0.0;
  return size.host_bytes * plan->slot_rows / plan->band_rows;
}

void hs_streamed_device_name(char *text, size_t size)
{
  struct hs_backend_place place;
  hs_cuda_place(NULL, &place);
  snprintf(text, size, "%s", place.device);
}

hs_status hs_streamed_pin(void *memory, size_t bytes, struct hs_error *err)
{
  return hs_cuda_check(cudaHostRegister(memory, bytes, cudaHostRegisterDefault), "pinning memory", err);
}

void hs_streamed_unpin(void *memory)
{
  (void)cudaHostUnregister(memory);
  (void)cudaGetLastError();
}

/* --- slots ----------------------------------------------------------------------------------- */

static bool has_constants(const struct hs_system *system)
{
  return system->source_w_m || system->storing;
}

/* Stencils of every node instead of an index: those of a slot's rows. */
static hs_status slot_laws_create(const struct hs_streamed_device *d, struct hs_cuda_state *slot, struct hs_error *err)
{
  const size_t nodes = (size_t)d->plan.slot_rows * (size_t)d->plan.nx;
  hs_status status;
  (void)cudaFree(slot->d_stencil);
  (void)cudaFree(slot->d_stencil_single);
  slot->d_stencil = slot->d_stencil_single = NULL;
  status = hs_cuda_array(&slot->d_stencil, nodes * sizeof(struct hs_stencil_f64), slot, err);
  if (!status && d->single)
    status = hs_cuda_array(&slot->d_stencil_single, nodes * sizeof(struct hs_stencil_f32), slot, err);
  slot->device.d_stencil = slot->d_stencil;
  slot->device.d_stencil_single = slot->d_stencil_single;
  if (status) return status;
  status =
      hs_cuda_check(cudaMemsetAsync(slot->d_stencil, 0, nodes * sizeof(struct hs_stencil_f64), d->sweep), DOING, err);
  if (!status && d->single)
    status = hs_cuda_check(cudaMemsetAsync(slot->d_stencil_single, 0, nodes * sizeof(struct hs_stencil_f32), d->sweep),
                           DOING, err);
  return status;
}

/* A slot, and with it two fields, stencil table, index or laws, constants. */
static hs_status slot_create(struct hs_streamed_device *d, int number, struct hs_error *err)
{
  struct hs_system room = d->view;
  struct hs_cuda_state *slot = NULL;
  hs_status status = hs_array_create((void **)&slot, 1, sizeof *slot, "the bands of cuda-streamed", err);
  if (status) return status;
  d->slot[number] = slot;
  room.ny = d->plan.slot_rows;
  hs_cuda_layout(&room, d->single, slot);
  slot->system = &d->view;
  slot->sweep = hs_kernel_sweep_global;
  slot->stream = d->sweep;
  slot->device.split = hs_sum_split_for((int64_t)d->plan.nx * d->plan.ny);
  for (int k = 0; !status && k < 2; k++) {
    status = hs_cuda_array(&slot->d_field[k], slot->field_bytes, slot, err);
    if (!status) status = hs_cuda_check(cudaMemsetAsync(slot->d_field[k], 0, slot->field_bytes, d->sweep), DOING, err);
  }
  if (!status) status = hs_cuda_system_create(slot, err);
  if (!status && !d->system->index) status = slot_laws_create(d, slot, err);
  slot->device.d_relaxation = d->slot[0]->d_relaxation;
  return status;
}

/* Norms of all slots, in slot 0. */
static hs_status norms_create(struct hs_cuda_state *slot, struct hs_error *err)
{
  hs_status status =
      hs_cuda_array((void **)&slot->d_slots, HS_NORM_BATCH * HS_NORM_SLOTS * sizeof *slot->d_slots, slot, err);
  if (!status) status = hs_cuda_array((void **)&slot->d_norms, HS_NORM_BATCH * sizeof *slot->d_norms, slot, err);
  if (!status) status = hs_cuda_array((void **)&slot->d_control, sizeof *slot->d_control, slot, err);
  if (!status)
    status = hs_cuda_check(cudaMemsetAsync(slot->d_control, 0, sizeof *slot->d_control, slot->stream), DOING, err);
  if (!status) status = hs_cuda_pinned((void **)&slot->norms, HS_NORM_BATCH * sizeof *slot->norms, err);
  return status;
}

/* The rows that slots are created with: those in the middle, which tell the most frequent stencil and whether tiles are
 * mixed. Constants are the caller's business, so there is no source map. */
static void view_set(struct hs_streamed_device *d)
{
  const int rows = d->plan.slot_rows < d->plan.ny ? d->plan.slot_rows : d->plan.ny;
  const size_t first = (size_t)((d->plan.ny - rows) / 2) * (size_t)d->plan.nx;
  d->view = *d->system;
  d->view.ny = rows;
  d->view.wrap_y = -1;
  d->view.source_w_m = NULL;
  d->view.storing = has_constants(d->system);
  if (d->system->index)
    d->view.index = d->system->index + first;
  else
    d->view.table_size = 1; /* slot_laws_create makes room */
}

/* The same rows of another discretisation. */
static void view_renew(struct hs_system *view, const struct hs_system *system)
{
  const struct hs_system before = *view;
  *view = *system;
  view->ny = before.ny;
  view->wrap_y = before.wrap_y;
  view->index = before.index;
  view->table_size = before.table_size;
  view->source_w_m = before.source_w_m;
  view->storing = before.storing;
}

/* --- passes ---------------------------------------------------------------------------------- */

/* Lets the pass of a band see the band's rows while it is made, renewed or destroyed in slot 0. */
static void pass_put(struct hs_streamed_device *d, int band)
{
  d->slot[0]->pass = d->pass[band];
  d->slot[0]->system = &d->band_view[band];
}

static void pass_take(struct hs_streamed_device *d, int band)
{
  d->pass[band] = d->slot[0]->pass;
  d->slot[0]->pass = (struct hs_cuda_pass){.longest = 0};
  d->slot[0]->system = &d->view;
}

static void passes_destroy(struct hs_streamed_device *d)
{
  for (int b = 0; d->pass && d->band_view && b < d->plan.bands; b++) {
    pass_put(d, b);
    if (d->slot[0]->pass.destroy) d->slot[0]->pass.destroy(d->slot[0]);
    pass_take(d, b);
  }
  free(d->pass);
  free(d->band_view);
  d->pass = NULL;
  d->band_view = NULL;
}

/* What the plans of passes may take: what is set aside, where the user sets a limit; else what the bands leave. */
static double passes_room(const struct hs_streamed_device *d, const struct hs_backend_options *options)
{
  size_t available = 0, total = 0;
  if (options->device_bytes > 0.0) return d->plan.passes_bytes;
  return hs_cuda_check(cudaMemGetInfo(&available, &total), DOING, NULL) ? 0.0 : (double)available - hs_cuda_later_bytes;
}

/* Do the plans of all bands fit into that? */
static bool passes_fit(const struct hs_streamed_device *d, const struct hs_backend_options *options)
{
  double left = passes_room(d, options);
  for (int b = 0; b < d->plan.bands && left >= 0.0; b++) {
    struct hs_blocked_size size;
    if (hs_cuda_blocked_size(&d->band_view[b], d->single, &size, NULL)) return false;
    left -= size.device_bytes;
  }
  return left >= 0.0;
}

/* Passes of several sweeps, one plan for each band. Where they cannot take the system, or their plans do not fit into
 * the memory, sweeps are made one by one. */
static void passes_create(struct hs_streamed_device *d, const struct hs_backend_options *options)
{
  const struct hs_system *s = d->system;
  hs_status status;
  if (!hs_cuda_has_passes(s)) return;
  status = hs_array_create((void **)&d->pass, (size_t)d->plan.bands, sizeof *d->pass, "the passes", NULL);
  if (!status)
    status = hs_array_create((void **)&d->band_view, (size_t)d->plan.bands, sizeof *d->band_view, "the passes", NULL);
  for (int b = 0; !status && b < d->plan.bands; b++) {
    const struct hs_streamed_band band = hs_streamed_band(&d->plan, b);
    d->band_view[b] = d->view;
    d->band_view[b].ny = band.last - band.first;
    d->band_view[b].index = s->index + (size_t)band.first * (size_t)s->nx;
  }
  if (!status && !passes_fit(d, options)) status = HS_ERR_DEVICE;
  for (int b = 0; !status && b < d->plan.bands; b++) {
    pass_put(d, b);
    status = hs_cuda_blocked_attach(d->slot[0], NULL);
    pass_take(d, b);
  }
  if (status || !d->pass[0].enqueue) passes_destroy(d);
}

bool hs_streamed_device_passes(const struct hs_streamed_device *device)
{
  return device->pass != NULL;
}

static hs_status passes_renew(struct hs_streamed_device *d, struct hs_error *err)
{
  hs_status status = HS_OK;
  for (int b = 0; !status && d->pass && b < d->plan.bands; b++) {
    pass_put(d, b);
    if (d->slot[0]->pass.renew) status = d->slot[0]->pass.renew(d->slot[0], err);
    pass_take(d, b);
  }
  return status;
}

/* --- lifetime -------------------------------------------------------------------------------- */

static hs_status event_create(cudaEvent_t *event, struct hs_error *err)
{
  return hs_cuda_check(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "creating an event", err);
}

static hs_status streams_create(struct hs_streamed_device *d, struct hs_error *err)
{
  static const char doing[] = "starting";
  hs_status status = hs_cuda_check(cudaStreamCreateWithFlags(&d->up, cudaStreamNonBlocking), doing, err);
  if (!status) status = hs_cuda_check(cudaStreamCreateWithFlags(&d->sweep, cudaStreamNonBlocking), doing, err);
  if (!status) status = hs_cuda_check(cudaStreamCreateWithFlags(&d->down, cudaStreamNonBlocking), doing, err);
  for (int k = 0; !status && k < d->plan.slots; k++) {
    status = event_create(&d->arrived[k], err);
    if (!status) status = event_create(&d->swept[k], err);
    if (!status) status = event_create(&d->gone[k], err);
  }
  if (!status)
    status = hs_array_create((void **)&d->returned, (size_t)d->plan.bands, sizeof *d->returned, "the bands", err);
  for (int b = 0; !status && b < d->plan.bands; b++) status = event_create(&d->returned[b], err);
  return status;
}

/* Pins an array of the system, once. One that cannot be pinned, perhaps because another state has done so, travels
 * anyhow. */
static void array_pin(struct hs_streamed_device *d, const void *array, size_t bytes)
{
  const int room = (int)(sizeof d->pinned / sizeof *d->pinned);
  if (!array || bytes < PIN_FROM_BYTES || d->pinned_count == room) return;
  for (int k = 0; k < d->pinned_count; k++)
    if (d->pinned[k] == array) return;
  if (cudaHostRegister((void *)(uintptr_t)array, bytes, cudaHostRegisterDefault) == cudaSuccess)
    d->pinned[d->pinned_count++] = array;
  (void)cudaGetLastError();
}

static void system_pin(struct hs_streamed_device *d)
{
  const struct hs_system *s = d->system;
  const size_t nodes = (size_t)s->nx * (size_t)s->ny;
  array_pin(d, s->index, nodes * sizeof *s->index);
  if (s->index) return;
  array_pin(d, s->stencil, nodes * sizeof *s->stencil);
  if (d->single) array_pin(d, s->stencil_single, nodes * sizeof *s->stencil_single);
}

hs_status hs_streamed_device_create(const struct hs_system *system, const struct hs_backend_options *options,
                                    const struct hs_streamed_plan *plan, struct hs_streamed_device **device,
                                    struct hs_error *err)
{
  struct hs_streamed_device *d = NULL;
  hs_status status = hs_array_create((void **)&d, 1, sizeof *d, "the bands of cuda-streamed", err);
  if (status) goto out;
  d->system = system;
  d->plan = *plan;
  d->single = options->single;
  view_set(d);
  status = streams_create(d, err);
  for (int k = 0; !status && k < plan->slots; k++) status = slot_create(d, k, err);
  if (status == HS_ERR_DEVICE && err)
    hs_error_append(err, "; this was for one of %d bands of a %d x %d grid, which solver.device_memory makes smaller",
                    plan->slots, system->nx, system->ny);
  if (!status) status = norms_create(d->slot[0], err);
  for (int k = 1; !status && k < plan->slots; k++) d->slot[k]->d_control = d->slot[0]->d_control;
  if (!status) passes_create(d, options);
  if (!status) status = hs_cuda_check(cudaStreamSynchronize(d->sweep), "setting up", err);
  if (!status) system_pin(d);
out:
  if (status) {
    hs_streamed_device_destroy(d);
    d = NULL;
  }
  *device = d;
  return status;
}

/* The streams outlive the slots, which share one, and the control block. */
void hs_streamed_device_destroy(struct hs_streamed_device *device)
{
  struct hs_streamed_device *d = device;
  if (!d) return;
  (void)hs_streamed_device_wait(d, NULL);
  for (int k = 0; k < d->pinned_count; k++) hs_streamed_unpin((void *)(uintptr_t)d->pinned[k]);
  passes_destroy(d);
  for (int k = 0; k < HS_STREAMED_SLOTS; k++) {
    if (d->slot[k]) d->slot[k]->stream = NULL;
    if (d->slot[k] && k > 0) d->slot[k]->d_control = NULL;
    hs_cuda_destroy(hs_cuda_handle(d->slot[k]));
    if (d->arrived[k]) (void)cudaEventDestroy(d->arrived[k]);
    if (d->swept[k]) (void)cudaEventDestroy(d->swept[k]);
    if (d->gone[k]) (void)cudaEventDestroy(d->gone[k]);
  }
  for (int b = 0; d->returned && b < d->plan.bands; b++)
    if (d->returned[b]) (void)cudaEventDestroy(d->returned[b]);
  free(d->returned);
  if (d->down) (void)cudaStreamDestroy(d->down);
  if (d->sweep) (void)cudaStreamDestroy(d->sweep);
  if (d->up) (void)cudaStreamDestroy(d->up);
  (void)cudaGetLastError();
  free(d);
}

/* --- relaxation and updates ------------------------------------------------------------------ */

void hs_streamed_device_see(struct hs_streamed_device *d, const double *field_k)
{
  const int64_t nodes = (int64_t)d->system->nx * d->system->ny;
  const double largest = d->pass ? d->pass[0].largest : 0.0;
  if (largest == 0.0 || !hs_cuda_exceeds(field_k, nodes, largest)) return;
  for (int b = 0; b < d->plan.bands; b++) d->pass[b].exceeded = true;
}

/* What passes know of the stencils may be old when a form comes that they can take again. */
hs_status hs_streamed_device_relax(struct hs_streamed_device *device, const struct hs_relaxation *relaxation,
                                   struct hs_error *err)
{
  hs_status status = HS_OK;
  for (int k = 0; !status && k < device->plan.slots; k++)
    status = hs_cuda_relax(hs_cuda_handle(device->slot[k]), relaxation, err);
  if (!status && device->pass && device->pass[0].stale && !device->slot[0]->device.general)
    status = passes_renew(device, err);
  return status;
}

hs_status hs_streamed_device_update(struct hs_streamed_device *device, const struct hs_system *system,
                                    bool weights_changed, struct hs_error *err)
{
  hs_status status = hs_streamed_device_wait(device, err); /* laws of trips under way */
  if (status) return status;
  device->system = system;
  view_renew(&device->view, system);
  for (int b = 0; device->band_view && b < device->plan.bands; b++) view_renew(&device->band_view[b], system);
  system_pin(device);
  if (!system->index) return HS_OK; /* laws travel with every band */
  for (int k = 0; !status && k < device->plan.slots; k++)
    status = hs_cuda_update(hs_cuda_handle(device->slot[k]), &device->view, weights_changed, err);
  return status ? status : passes_renew(device, err);
}

/* --- the end of trips, and norms ------------------------------------------------------------- */

hs_status hs_streamed_device_wait(struct hs_streamed_device *device, struct hs_error *err)
{
  hs_status status = HS_OK;
  if (device->up) status = hs_cuda_check(cudaStreamSynchronize(device->up), DOING, err);
  if (!status && device->sweep) status = hs_cuda_check(cudaStreamSynchronize(device->sweep), DOING, err);
  if (!status && device->down) status = hs_cuda_check(cudaStreamSynchronize(device->down), DOING, err);
  return status;
}

hs_status hs_streamed_norms_begin(struct hs_streamed_device *device, int sets, const struct hs_bounds *bounds,
                                  struct hs_error *err)
{
  const struct hs_cuda_state *slot = device->slot[0];
  return hs_cuda_check(hs_kernel_begin(slot->d_control, slot->d_slots, sets, *bounds, slot->stream), "norms", err);
}

hs_status hs_streamed_norms_collect(struct hs_streamed_device *device, int sets, struct hs_norms *norms,
                                    struct hs_error *err)
{
  const struct hs_cuda_state *slot = device->slot[0];
  const size_t bytes = (size_t)sets * sizeof *norms;
  hs_status status = hs_cuda_check(
      hs_kernel_collect(slot->d_control, slot->d_slots, sets, false, slot->d_norms, slot->stream), "norms", err);
  if (!status)
    status = hs_cuda_check(cudaMemcpyAsync(slot->norms, slot->d_norms, bytes, cudaMemcpyDeviceToHost, slot->stream),
                           "norms", err);
  if (!status) status = hs_streamed_device_wait(device, err);
  if (!status) memcpy(norms, slot->norms, bytes);
  return status;
}
