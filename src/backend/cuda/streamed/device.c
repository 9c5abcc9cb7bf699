/* The device side of cuda-streamed: the slots that bands visit.
 *
 * A slot is a state of the CUDA backends (cuda/state.h) for as many rows as a band has with its halos, so that their
 * kernels, stencil tables and tiles serve here, too. All slots share one stream, the control block of slot 0 and its
 * steps of a relaxation. streamed/passes.c has the passes of each band, streamed/trip.c what goes on in slots.
 */
#include "backend/cuda/streamed/slots.h"

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

/* --- slots ----------------------------------------------------------------------------------- */

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
  room.own = (struct hs_rectangle){0, 0, 0, 0};
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
  d->view.storing = hs_system_has_constants(d->system);
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
  if (!status) hs_streamed_passes_create(d, options);
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
  hs_streamed_passes_destroy(d);
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

/* What passes know of the stencils may be old when a form comes that they can take again. */
hs_status hs_streamed_device_relax(struct hs_streamed_device *device, const struct hs_relaxation *relaxation,
                                   struct hs_error *err)
{
  hs_status status = HS_OK;
  for (int k = 0; !status && k < device->plan.slots; k++)
    status = hs_cuda_relax(hs_cuda_handle(device->slot[k]), relaxation, err);
  if (!status && device->pass && device->pass[0].stale && !device->slot[0]->device.general)
    status = hs_streamed_passes_renew(device, err);
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
  return status ? status : hs_streamed_passes_renew(device, err);
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
