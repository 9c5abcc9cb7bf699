/* Lifetime of a state of the CUDA backends, and what goes into it and comes out: create, load, fetch, destroy. */
#include <math.h>
#include <stdlib.h>

#include "backend/cuda/state.h"
#include "base/memory.h"

double hs_cuda_bytes(const struct hs_system *system, bool single)
{
  struct hs_cuda_state layout = {0};
  hs_cuda_layout(system, single, &layout);
  return 3.0 * (double)layout.field_bytes + hs_cuda_system_bytes(&layout) +
         HS_NORM_BATCH * HS_NORM_SLOTS * sizeof(struct hs_norm_slot) + sizeof(struct hs_device_control);
}

static hs_status fields_create(struct hs_cuda_state *state, struct hs_error *err)
{
  hs_status status = HS_OK;
  for (int k = 0; !status && k < 3; k++) {
    status = hs_cuda_array(&state->d_field[k], state->field_bytes, state, err);
    if (!status)
      status = hs_cuda_check(cudaMemsetAsync(state->d_field[k], 0, state->field_bytes, state->stream),
                             "clearing a field", err);
  }
  state->now = 0;
  state->before = 1;
  state->saved = 2;
  return status;
}

/* Slots, norms, the control block and their pinned copies. */
static hs_status control_create(struct hs_cuda_state *state, struct hs_error *err)
{
  const size_t norm_bytes = HS_NORM_BATCH * sizeof *state->norms;
  const size_t slot_bytes = HS_NORM_BATCH * HS_NORM_SLOTS * sizeof *state->d_slots;
  hs_status status = hs_cuda_array((void **)&state->d_slots, slot_bytes, state, err);
  if (!status) status = hs_cuda_array((void **)&state->d_norms, norm_bytes, state, err);
  if (!status) status = hs_cuda_array((void **)&state->d_control, sizeof *state->d_control, state, err);
  if (!status)
    status = hs_cuda_check(cudaMemsetAsync(state->d_control, 0, sizeof *state->d_control, state->stream),
                           "clearing the control block", err);
  if (!status)
    status = hs_cuda_check(cudaMemsetAsync(state->d_slots, 0, slot_bytes, state->stream), "clearing the norms", err);
  if (!status) status = hs_cuda_pinned((void **)&state->control, sizeof *state->control, err);
  if (!status) status = hs_cuda_pinned((void **)&state->norms, norm_bytes, err);
  return status;
}

hs_status hs_cuda_create(const struct hs_system *system, const struct hs_backend_options *options,
                         hs_kernel_sweep *sweep, struct hs_backend_state **backend, struct hs_error *err)
{
  struct hs_cuda_state *s = NULL;
  hs_status status = hs_array_create((void **)&s, 1, sizeof *s, "the CUDA backend", err);
  if (status) goto out;
  hs_cuda_layout(system, options->single, s);
  s->sweep = sweep;
  status = hs_cuda_check(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking), "starting", err);
  if (!status) status = fields_create(s, err);
  if (!status) status = hs_cuda_system_create(s, err);
  if (!status) status = control_create(s, err);
  if (!status) status = hs_cuda_buffers_create(s, err);
  if (!status) status = hs_cuda_check(cudaStreamSynchronize(s->stream), "setting up", err);
out:
  if (status) {
    hs_cuda_destroy(hs_cuda_handle(s));
    s = NULL;
  }
  *backend = hs_cuda_handle(s);
  return status;
}

void hs_cuda_destroy(struct hs_backend_state *backend)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  if (!state) return;
  if (state->stream) (void)cudaStreamSynchronize(state->stream);
  hs_cuda_graphs_drop(state);
  if (state->pass.destroy) state->pass.destroy(state);
  hs_cuda_buffers_destroy(state);
  (void)cudaFreeHost(state->norms);
  (void)cudaFreeHost(state->control);
  (void)cudaFree(state->d_control);
  (void)cudaFree(state->d_norms);
  (void)cudaFree(state->d_slots);
  hs_cuda_system_destroy(state);
  for (int k = 0; k < 3; k++) (void)cudaFree(state->d_field[k]);
  if (state->written) (void)cudaEventDestroy(state->written);
  if (state->copied) (void)cudaEventDestroy(state->copied);
  if (state->stream) (void)cudaStreamDestroy(state->stream);
  (void)cudaGetLastError();
  free(state);
}

bool hs_cuda_exceeds(const double *values, int64_t n, double largest)
{
  int64_t found = 0;
#pragma omp parallel for schedule(static) reduction(+ : found)
  for (int64_t k = 0; k < n; k++) found += !(fabs(values[k]) <= largest);
  return found > 0;
}

/* Passes are given up for good: what was saved may come back. */
static void pass_see(struct hs_cuda_state *state, const double *field_k)
{
  const int64_t nodes = (int64_t)state->system->nx * state->system->ny;
  if (state->pass.largest == 0.0 || state->pass.exceeded || !hs_cuda_exceeds(field_k, nodes, state->pass.largest))
    return;
  state->pass.exceeded = true;
  hs_cuda_graphs_drop(state);
}

hs_status hs_cuda_load(struct hs_backend_state *backend, const double *field_k, struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  void *now = state->d_field[state->now], *before = state->d_field[state->before];
  hs_status status = hs_cuda_upload(state, now, field_k, err);
  pass_see(state, field_k);
  if (!status)
    status = hs_cuda_check(
        hs_kernel_wrap(&state->device, state->single, hs_cuda_origin(state, state->now), NULL, state->stream),
        "loading the field", err);
  if (!status)
    status =
        hs_cuda_check(hs_kernel_copy(now, before, state->field_bytes, NULL, state->stream), "loading the field", err);
  if (!status) status = hs_cuda_constants_reset(state, err);
  if (!status) status = hs_cuda_check(cudaStreamSynchronize(state->stream), "loading the field", err);
  return status;
}

hs_status hs_cuda_load_before(struct hs_backend_state *backend, const double *field_k, struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  hs_status status = hs_cuda_upload(state, state->d_field[state->before], field_k, err);
  if (!status)
    status = hs_cuda_check(
        hs_kernel_wrap(&state->device, state->single, hs_cuda_origin(state, state->before), NULL, state->stream),
        "loading the field", err);
  return status ? status : hs_cuda_check(cudaStreamSynchronize(state->stream), "loading the field", err);
}

hs_status hs_cuda_fetch_role(struct hs_backend_state *backend, enum hs_field_role role, double *field_k,
                             struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  const int which = role == HS_FIELD_NOW ? state->now : role == HS_FIELD_BEFORE ? state->before : state->saved;
  return hs_cuda_download(state, state->d_field[which], field_k, err);
}

hs_status hs_cuda_fetch(struct hs_backend_state *backend, double *field_k, struct hs_error *err)
{
  return hs_cuda_fetch_role(backend, HS_FIELD_NOW, field_k, err);
}

hs_status hs_cuda_pick(struct hs_backend_state *backend, const int64_t *node, int64_t count, double *values_k,
                       struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  return hs_cuda_gather(state, hs_cuda_origin(state, state->now), node, count, values_k, err);
}
