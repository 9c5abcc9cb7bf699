/* Passes of several sweeps on the bands of cuda-streamed: each band has a plan of cuda-blocked of its own, for its rows
 * and its halos. While a plan is made, renewed or destroyed, slot 0 lends its state.
 */
#include <stdlib.h>

#include "backend/cuda/blocked/plan.h"
#include "backend/cuda/streamed/slots.h"
#include "base/memory.h"

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

void hs_streamed_passes_destroy(struct hs_streamed_device *d)
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
  return hs_cuda_check(cudaMemGetInfo(&available, &total), "asking for free memory", NULL)
             ? 0.0
             : (double)available - hs_cuda_later_bytes;
}

/* Do the plans of all bands fit into it? */
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

void hs_streamed_passes_create(struct hs_streamed_device *d, const struct hs_backend_options *options)
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
  if (status || !d->pass[0].enqueue) hs_streamed_passes_destroy(d);
}

bool hs_streamed_device_passes(const struct hs_streamed_device *device)
{
  return device->pass != NULL;
}

hs_status hs_streamed_passes_renew(struct hs_streamed_device *d, struct hs_error *err)
{
  hs_status status = HS_OK;
  for (int b = 0; !status && d->pass && b < d->plan.bands; b++) {
    pass_put(d, b);
    if (d->slot[0]->pass.renew) status = d->slot[0]->pass.renew(d->slot[0], err);
    pass_take(d, b);
  }
  return status;
}

void hs_streamed_device_see(struct hs_streamed_device *d, const double *field_k)
{
  const int64_t nodes = (int64_t)d->system->nx * d->system->ny;
  const double largest = d->pass ? d->pass[0].largest : 0.0;
  if (largest == 0.0 || !hs_cuda_exceeds(field_k, nodes, largest)) return;
  for (int b = 0; b < d->plan.bands; b++) d->pass[b].exceeded = true;
}
