/* Memory of the CUDA backends: lifetime of the state, allocation, and transfer through pinned buffers.
 * cuda/system.c has what comes from the system.
 *
 * Fields cross the bus twice in a run, before the first sweep and after the last. Rows are
 * converted and packed by all CPU cores into one pinned buffer while the other travels.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/state.h"
#include "base/memory.h"

static const size_t BUFFER_BYTES = (size_t)16 << 20;

void hs_cuda_exchange(struct hs_cuda_state *state)
{
  const int swap = state->now;
  state->now = state->before;
  state->before = swap;
}

void *hs_cuda_field_origin(const struct hs_cuda_state *state, void *d_field)
{
  return (char *)d_field + state->origin;
}

void *hs_cuda_origin(const struct hs_cuda_state *state, int which)
{
  return hs_cuda_field_origin(state, state->d_field[which]);
}

/* Tiles, pitch and sizes of the padded fields (kernels.h). */
static void layout_set(const struct hs_system *system, bool single, struct hs_cuda_state *state)
{
  struct hs_device_system *d = &state->device;
  d->nx = system->nx;
  d->ny = system->ny;
  d->tiles_x = (system->nx + HS_TILE_W - 1) / HS_TILE_W;
  d->tiles_y = (system->ny + HS_TILE_H - 1) / HS_TILE_H;
  d->pitch = (int64_t)d->tiles_x * HS_TILE_W + 2 * HS_PAD;
  d->split = hs_sum_split_for((int64_t)system->nx * system->ny);
  d->wrap_x = system->wrap_x;
  d->wrap_y = system->wrap_y;
  state->system = system;
  state->single = single;
  state->element = single ? sizeof(float) : sizeof(double);
  state->field_bytes = ((size_t)d->tiles_y * HS_TILE_H + 2) * (size_t)d->pitch * state->element;
  state->origin = ((size_t)d->pitch + HS_PAD) * state->element;
}

void hs_cuda_layout(const struct hs_system *system, bool single, struct hs_cuda_state *state)
{
  layout_set(system, single, state);
}

double hs_cuda_bytes(const struct hs_system *system, bool single)
{
  struct hs_cuda_state layout = {0};
  layout_set(system, single, &layout);
  return 3.0 * (double)layout.field_bytes + hs_cuda_system_bytes(&layout) +
         HS_NORM_BATCH * HS_NORM_SLOTS * sizeof(struct hs_norm_slot) + sizeof(struct hs_device_control);
}

hs_status hs_cuda_array(void **array, size_t bytes, const struct hs_cuda_state *state, struct hs_error *err)
{
  size_t available = 0, total = 0;
  const cudaError_t code = cudaMalloc(array, bytes);
  if (code == cudaSuccess) return HS_OK;
  *array = NULL;
  if (code != cudaErrorMemoryAllocation) return hs_cuda_check(code, "allocating memory", err);
  (void)cudaGetLastError();
  (void)cudaMemGetInfo(&available, &total);
  return hs_error_set(
      err, HS_ERR_DEVICE,
      "the GPU has too little memory: an array for %d x %d nodes needs %.3g GB more and %.3g of %.3g GB "
      "are free; cuda-streamed takes grids that do not fit, else use solver.precision = single, a smaller "
      "grid, or the cpu backend",
      state->system->nx, state->system->ny, 1e-9 * (double)bytes, 1e-9 * (double)available, 1e-9 * (double)total);
}

hs_status hs_cuda_pinned(void **array, size_t bytes, struct hs_error *err)
{
  const cudaError_t code = cudaMallocHost(array, bytes);
  if (code == cudaSuccess) return HS_OK;
  *array = NULL;
  if (code != cudaErrorMemoryAllocation) return hs_cuda_check(code, "pinning memory", err);
  (void)cudaGetLastError();
  return hs_error_set(
      err, HS_ERR_DEVICE,
      "the GPU backends need %.3g MB of page-locked memory of this machine, and there is too little, or "
      "this process may not lock so much: end other programs, or use the cpu backend",
      1e-6 * (double)bytes);
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

static hs_status buffers_create(struct hs_cuda_state *state, struct hs_error *err)
{
  const size_t row_bytes = (size_t)state->system->nx * state->element;
  size_t rows = BUFFER_BYTES / row_bytes;
  hs_status status = HS_OK;
  if (rows < 1) rows = 1;
  if (rows > (size_t)state->system->ny) rows = (size_t)state->system->ny;
  state->buffer_rows = (int)rows;
  for (int k = 0; !status && k < HS_CUDA_BUFFERS; k++) {
    status = hs_cuda_pinned(&state->buffer[k], rows * row_bytes, err);
    if (!status)
      status = hs_cuda_check(cudaEventCreateWithFlags(&state->buffer_free[k], cudaEventDisableTiming),
                             "creating an event", err);
  }
  return status;
}

hs_status hs_cuda_create(const struct hs_system *system, const struct hs_backend_options *options,
                         hs_kernel_sweep *sweep, struct hs_backend_state **backend, struct hs_error *err)
{
  struct hs_cuda_state *s = NULL;
  hs_status status = hs_array_create((void **)&s, 1, sizeof *s, "the CUDA backend", err);
  if (status) goto out;
  layout_set(system, options->single, s);
  s->sweep = sweep;
  status = hs_cuda_check(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking), "starting", err);
  if (!status) status = fields_create(s, err);
  if (!status) status = hs_cuda_system_create(s, err);
  if (!status) status = control_create(s, err);
  if (!status) status = buffers_create(s, err);
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
  for (int k = 0; k < HS_CUDA_BUFFERS; k++) {
    if (state->buffer_free[k]) (void)cudaEventDestroy(state->buffer_free[k]);
    (void)cudaFreeHost(state->buffer[k]);
  }
  (void)cudaFreeHost(state->norms);
  (void)cudaFreeHost(state->control);
  (void)cudaFree(state->d_control);
  (void)cudaFree(state->d_norms);
  (void)cudaFree(state->d_slots);
  hs_cuda_system_destroy(state);
  for (int k = 0; k < 3; k++) (void)cudaFree(state->d_field[k]);
  if (state->stream) (void)cudaStreamDestroy(state->stream);
  (void)cudaGetLastError();
  free(state);
}

/* Packs `count` values in the field's precision, or unpacks them. */
static void row_pack(const struct hs_cuda_state *state, void *buffer, size_t at, const double *from, size_t count)
{
  if (!state->single)
    memcpy((double *)buffer + at, from, count * sizeof *from);
  else
    for (size_t i = 0; i < count; i++) ((float *)buffer)[at + i] = (float)from[i];
}

static void row_unpack(const struct hs_cuda_state *state, double *to, const void *buffer, size_t at, size_t count)
{
  if (!state->single)
    memcpy(to, (const double *)buffer + at, count * sizeof *to);
  else
    for (size_t i = 0; i < count; i++) to[i] = (double)((const float *)buffer)[at + i];
}

/* Device address of row j of a padded field. */
static void *row_address(const struct hs_cuda_state *state, void *d_field, int j)
{
  return (char *)hs_cuda_field_origin(state, d_field) + (size_t)j * (size_t)state->device.pitch * state->element;
}

hs_status hs_cuda_upload(struct hs_cuda_state *state, void *d_field, const double *values, struct hs_error *err)
{
  const size_t nx = (size_t)state->system->nx, width = nx * state->element;
  hs_status status = HS_OK;
  for (int j0 = 0, turn = 0; !status && j0 < state->system->ny; j0 += state->buffer_rows, turn++) {
    const int k = turn % HS_CUDA_BUFFERS;
    const int rows = state->system->ny - j0 < state->buffer_rows ? state->system->ny - j0 : state->buffer_rows;
    status = hs_cuda_check(cudaEventSynchronize(state->buffer_free[k]), "an upload", err);
    if (status) break;
#pragma omp parallel for schedule(static)
    for (int j = 0; j < rows; j++)
      row_pack(state, state->buffer[k], (size_t)j * nx, values + (size_t)(j0 + j) * nx, nx);
    status = hs_cuda_check(cudaMemcpy2DAsync(row_address(state, d_field, j0),
                                             (size_t)state->device.pitch * state->element, state->buffer[k], width,
                                             width, (size_t)rows, cudaMemcpyHostToDevice, state->stream),
                           "an upload", err);
    if (!status) status = hs_cuda_check(cudaEventRecord(state->buffer_free[k], state->stream), "an upload", err);
  }
  return status;
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

/* Starts the transfer of the rows of one turn into its buffer. */
static hs_status fetch_start(struct hs_cuda_state *state, int turn, struct hs_error *err)
{
  const size_t width = (size_t)state->system->nx * state->element;
  const int k = turn % HS_CUDA_BUFFERS;
  const int64_t j0 = (int64_t)turn * state->buffer_rows, left = state->system->ny - j0;
  const int64_t rows = left < state->buffer_rows ? left : state->buffer_rows;
  hs_status status;
  if (rows <= 0) return HS_OK;
  status =
      hs_cuda_check(cudaMemcpy2DAsync(state->buffer[k], width, row_address(state, state->d_field[state->now], (int)j0),
                                      (size_t)state->device.pitch * state->element, width, (size_t)rows,
                                      cudaMemcpyDeviceToHost, state->stream),
                    "fetching the field", err);
  return status ? status
                : hs_cuda_check(cudaEventRecord(state->buffer_free[k], state->stream), "fetching the field", err);
}

hs_status hs_cuda_fetch(struct hs_backend_state *backend, double *field_k, struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  const size_t nx = (size_t)state->system->nx;
  hs_status status = fetch_start(state, 0, err);
  if (!status) status = fetch_start(state, 1, err);
  for (int j0 = 0, turn = 0; !status && j0 < state->system->ny; j0 += state->buffer_rows, turn++) {
    const int k = turn % HS_CUDA_BUFFERS;
    const int rows = state->system->ny - j0 < state->buffer_rows ? state->system->ny - j0 : state->buffer_rows;
    status = hs_cuda_check(cudaEventSynchronize(state->buffer_free[k]), "fetching the field", err);
    if (status) break;
#pragma omp parallel for schedule(static)
    for (int j = 0; j < rows; j++)
      row_unpack(state, field_k + (size_t)(j0 + j) * nx, state->buffer[k], (size_t)j * nx, nx);
    status = fetch_start(state, turn + HS_CUDA_BUFFERS, err);
  }
  return status;
}
