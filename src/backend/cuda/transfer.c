/* Transfer of fields through pinned buffers.
 *
 * Fields cross the bus twice in a run, before the first sweep and after the last. Rows are converted and packed by all
 * CPU cores into one buffer while the other one travels. Of few nodes, a kernel reads the places from one buffer and writes the
 * values into the other, over the bus.
 */
#include <string.h>

#include "backend/cuda/state.h"

static const size_t BUFFER_BYTES = (size_t)16 << 20;

hs_status hs_cuda_buffers_create(struct hs_cuda_state *state, struct hs_error *err)
{
  const size_t row_bytes = (size_t)state->system->nx * state->element;
  size_t rows = BUFFER_BYTES / row_bytes;
  hs_status status = HS_OK;
  if (rows < 1) rows = 1;
  if (rows > (size_t)state->system->ny) rows = (size_t)state->system->ny;
  state->buffer_rows = (int)rows;
  for (int k = 0; !status && k < HS_CUDA_BUFFERS; k++) {
    status = hs_cuda_pinned(&state->buffer[k], rows * row_bytes + sizeof(double), err); /* one value at least */
    if (!status)
      status = hs_cuda_check(cudaEventCreateWithFlags(&state->buffer_free[k], cudaEventDisableTiming),
                             "creating an event", err);
  }
  return status;
}

void hs_cuda_buffers_destroy(struct hs_cuda_state *state)
{
  for (int k = 0; k < HS_CUDA_BUFFERS; k++) {
    if (state->buffer_free[k]) (void)cudaEventDestroy(state->buffer_free[k]);
    (void)cudaFreeHost(state->buffer[k]);
  }
}

/* The rows of one turn: every turn fills one buffer. */
struct turn {
  int number, buffer, row0, rows; /* rows: 0 beyond the last turn */
};

static struct turn turn_of(const struct hs_cuda_state *state, int number)
{
  const int64_t row0 = (int64_t)number * state->buffer_rows, left = state->system->ny - row0;
  const int64_t rows = left < state->buffer_rows ? left : state->buffer_rows;
  return (struct turn){number, number % HS_CUDA_BUFFERS, (int)row0, rows > 0 ? (int)rows : 0};
}

/* Values of a turn into its buffer, in the field's precision. */
static void turn_pack(const struct hs_cuda_state *state, struct turn turn, const double *values)
{
  const size_t nx = (size_t)state->system->nx;
#pragma omp parallel for schedule(static)
  for (int j = 0; j < turn.rows; j++) {
    const double *from = values + (size_t)(turn.row0 + j) * nx;
    char *to = (char *)state->buffer[turn.buffer] + (size_t)j * nx * state->element;
    if (!state->single)
      memcpy(to, from, nx * sizeof *from);
    else
      for (size_t i = 0; i < nx; i++) ((float *)to)[i] = (float)from[i];
  }
}

/* And back. */
static void turn_unpack(const struct hs_cuda_state *state, struct turn turn, double *values)
{
  const size_t nx = (size_t)state->system->nx;
#pragma omp parallel for schedule(static)
  for (int j = 0; j < turn.rows; j++) {
    const char *from = (const char *)state->buffer[turn.buffer] + (size_t)j * nx * state->element;
    double *to = values + (size_t)(turn.row0 + j) * nx;
    if (!state->single)
      memcpy(to, from, nx * sizeof *to);
    else
      for (size_t i = 0; i < nx; i++) to[i] = (double)((const float *)from)[i];
  }
}

/* Sends the buffer of a turn on its way to a field, or from it. */
static hs_status turn_travel(struct hs_cuda_state *state, struct turn turn, void *d_field,
                             enum cudaMemcpyKind direction, struct hs_error *err)
{
  const size_t width = (size_t)state->system->nx * state->element, pitch = (size_t)state->device.pitch * state->element;
  const bool up = direction == cudaMemcpyHostToDevice;
  const char *doing = up ? "an upload" : "fetching the field";
  void *buffer = state->buffer[turn.buffer];
  void *field = (char *)hs_cuda_field_origin(state, d_field) + (size_t)turn.row0 * pitch;
  cudaError_t code;
  if (turn.rows == 0) return HS_OK;
  code = cudaMemcpy2DAsync(up ? field : buffer, up ? pitch : width, up ? buffer : field, up ? width : pitch, width,
                           (size_t)turn.rows, direction, state->stream);
  if (code == cudaSuccess) code = cudaEventRecord(state->buffer_free[turn.buffer], state->stream);
  return hs_cuda_check(code, doing, err);
}

hs_status hs_cuda_upload(struct hs_cuda_state *state, void *d_field, const double *values, struct hs_error *err)
{
  hs_status status = HS_OK;
  for (struct turn turn = turn_of(state, 0); !status && turn.rows > 0; turn = turn_of(state, turn.number + 1)) {
    status = hs_cuda_check(cudaEventSynchronize(state->buffer_free[turn.buffer]), "an upload", err);
    if (status) break;
    turn_pack(state, turn, values);
    status = turn_travel(state, turn, d_field, cudaMemcpyHostToDevice, err);
  }
  return status;
}

hs_status hs_cuda_download(struct hs_cuda_state *state, void *d_field, double *values, struct hs_error *err)
{
  hs_status status = HS_OK;
  for (int k = 0; !status && k < HS_CUDA_BUFFERS; k++)
    status = turn_travel(state, turn_of(state, k), d_field, cudaMemcpyDeviceToHost, err);
  for (struct turn turn = turn_of(state, 0); !status && turn.rows > 0; turn = turn_of(state, turn.number + 1)) {
    status = hs_cuda_check(cudaEventSynchronize(state->buffer_free[turn.buffer]), "fetching the field", err);
    if (status) break;
    turn_unpack(state, turn, values);
    status = turn_travel(state, turn_of(state, turn.number + HS_CUDA_BUFFERS), d_field, cudaMemcpyDeviceToHost, err);
  }
  return status;
}

hs_status hs_cuda_gather(struct hs_cuda_state *state, const void *field, const int64_t *node, int64_t count,
                         double *values, struct hs_error *err)
{
  const int64_t room =
      (int64_t)((size_t)state->buffer_rows * (size_t)state->system->nx * state->element / sizeof *values) + 1;
  hs_status status = HS_OK;
  for (int64_t done = 0; !status && done < count; done += room) {
    const int64_t turn = count - done < room ? count - done : room;
    cudaError_t code = cudaStreamSynchronize(state->stream);
    if (code == cudaSuccess) {
      memcpy(state->buffer[0], node + done, (size_t)turn * sizeof *node);
      code = hs_kernel_gather(&state->device, state->single, field, state->buffer[0], turn, state->buffer[1],
                              state->stream);
    }
    if (code == cudaSuccess) code = cudaStreamSynchronize(state->stream);
    if (code == cudaSuccess) memcpy(values + done, state->buffer[1], (size_t)turn * sizeof *values);
    status = hs_cuda_check(code, "fetching temperatures", err);
  }
  return status;
}
