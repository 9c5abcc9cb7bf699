/* A CUDA backend's state as a part of a grid.
 *
 * Blocks between the devices of a process are copied on the stream of the part that gets them, after an event of the part that
 * has them; that one's later sweeps wait for the copy. So no thread waits, and copies of different devices overlap. Where
 * devices cannot read each other's memory, CUDA takes the way by the host.
 */
#include <string.h>

#include "backend/cuda/state.h"

static int part_devices(void)
{
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) count = 0;
  (void)cudaGetLastError();
  return count;
}

static hs_status part_device_use(int device, struct hs_error *err)
{
  return hs_cuda_check(cudaSetDevice(device), "choosing a device", err);
}

/* Its place on the bus: numbers differ where a launcher shows each rank a device of its own. */
static void part_device_identity(char identity[HS_DEVICE_IDENTITY])
{
  int device = 0;
  memset(identity, 0, HS_DEVICE_IDENTITY);
  if (cudaGetDevice(&device) == cudaSuccess) (void)cudaDeviceGetPCIBusId(identity, HS_DEVICE_IDENTITY - 1, device);
  (void)cudaGetLastError();
}

static void part_device_link(int other)
{
  int device = 0, can = 0;
  if (cudaGetDevice(&device) == cudaSuccess && cudaDeviceCanAccessPeer(&can, device, other) == cudaSuccess && can)
    (void)cudaDeviceEnablePeerAccess(other, 0);
  (void)cudaGetLastError(); /* it may have been enabled before */
}

static hs_status part_sweep(struct hs_backend_state *backend, int64_t n, bool predecessor, struct hs_error *err)
{
  return hs_cuda_check(hs_cuda_sweeps_enqueue(hs_cuda_state(backend), n, predecessor), "sweeping", err);
}

static hs_status part_wait(struct hs_backend_state *backend, struct hs_error *err)
{
  return hs_cuda_check(cudaStreamSynchronize(hs_cuda_state(backend)->stream), "sweeping", err);
}

/* Address of node (i, j) of the present field or of the predecessor. */
static char *field_at(const struct hs_cuda_state *state, enum hs_field_role role, int i, int j)
{
  char *origin = hs_cuda_origin(state, role == HS_FIELD_NOW ? state->now : state->before);
  return origin + ((int64_t)j * state->device.pitch + i) * (int64_t)state->element;
}

static size_t pitch_bytes(const struct hs_cuda_state *state)
{
  return (size_t)state->device.pitch * state->element;
}

/* The ghosts beyond periodic walls of a field, some of whose nodes have changed. */
static cudaError_t field_wrap(const struct hs_cuda_state *state, enum hs_field_role role)
{
  return hs_kernel_wrap(&state->device, state->single, field_at(state, role, 0, 0), NULL, state->stream);
}

/* A block of a field into memory of the host or of the device, and the other way; under way on return. */
static cudaError_t block_out(struct hs_cuda_state *state, enum hs_field_role role, const struct hs_rectangle *block,
                             void *values)
{
  const size_t width = (size_t)block->nx * state->element;
  return cudaMemcpy2DAsync(values, width, field_at(state, role, block->x0, block->y0), pitch_bytes(state), width,
                           (size_t)block->ny, cudaMemcpyDefault, state->stream);
}

static cudaError_t block_in(struct hs_cuda_state *state, enum hs_field_role role, const struct hs_rectangle *block,
                            const void *values)
{
  const size_t width = (size_t)block->nx * state->element;
  const cudaError_t code = cudaMemcpy2DAsync(field_at(state, role, block->x0, block->y0), pitch_bytes(state), values,
                                             width, width, (size_t)block->ny, cudaMemcpyDefault, state->stream);
  return code == cudaSuccess ? field_wrap(state, role) : code;
}

static hs_status part_block_get(struct hs_backend_state *backend, enum hs_field_role role,
                                const struct hs_rectangle *block, void *values, struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  cudaError_t code = block_out(state, role, block, values);
  if (code == cudaSuccess) code = cudaStreamSynchronize(state->stream);
  return hs_cuda_check(code, "fetching ghost nodes", err);
}

static hs_status part_block_put(struct hs_backend_state *backend, enum hs_field_role role,
                                const struct hs_rectangle *block, const void *values, struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  cudaError_t code = block_in(state, role, block, values);
  if (code == cudaSuccess) code = cudaStreamSynchronize(state->stream);
  return hs_cuda_check(code, "renewing ghost nodes", err);
}

/* --- messages of the device ------------------------------------------------------------------ */

static hs_status part_memory_create(size_t bytes, void **memory, struct hs_error *err)
{
  return hs_cuda_check(cudaMalloc(memory, bytes), "allocating memory for ghost nodes", err);
}

static void part_memory_destroy(void *memory)
{
  (void)cudaFree(memory);
}

static void *part_stream(struct hs_backend_state *backend)
{
  return hs_cuda_state(backend)->stream;
}

static hs_status part_block_pack(struct hs_backend_state *backend, enum hs_field_role role,
                                 const struct hs_rectangle *block, void *memory, struct hs_error *err)
{
  return hs_cuda_check(block_out(hs_cuda_state(backend), role, block, memory), "fetching ghost nodes", err);
}

static hs_status part_block_unpack(struct hs_backend_state *backend, enum hs_field_role role,
                                   const struct hs_rectangle *block, const void *memory, struct hs_error *err)
{
  return hs_cuda_check(block_in(hs_cuda_state(backend), role, block, memory), "renewing ghost nodes", err);
}

/* --- copies between devices ------------------------------------------------------------------ */

/* An event, made when it is first needed. */
static cudaError_t event_make(cudaEvent_t *event)
{
  return *event ? cudaSuccess : cudaEventCreateWithFlags(event, cudaEventDisableTiming);
}

static hs_status part_ready(struct hs_backend_state *backend, struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  cudaError_t code = event_make(&state->written);
  if (code == cudaSuccess) code = cudaEventRecord(state->written, state->stream);
  return hs_cuda_check(code, "renewing ghost nodes", err);
}

static hs_status part_follow(struct hs_backend_state *backend, struct hs_backend_state *other, struct hs_error *err)
{
  const hs_status status = part_ready(other, err);
  if (status) return status;
  return hs_cuda_check(cudaStreamWaitEvent(hs_cuda_state(backend)->stream, hs_cuda_state(other)->written, 0),
                       "renewing ghost nodes", err);
}

static hs_status part_block_copy(struct hs_backend_state *backend, enum hs_field_role role,
                                 const struct hs_rectangle *block, struct hs_backend_state *source, int x0, int y0,
                                 struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend), *from = hs_cuda_state(source);
  const size_t width = (size_t)block->nx * state->element;
  cudaError_t code = cudaStreamWaitEvent(state->stream, from->written, 0);
  if (code == cudaSuccess)
    code =
        cudaMemcpy2DAsync(field_at(state, role, block->x0, block->y0), pitch_bytes(state), field_at(from, role, x0, y0),
                          pitch_bytes(from), width, (size_t)block->ny, cudaMemcpyDefault, state->stream);
  if (code == cudaSuccess) code = field_wrap(state, role);
  if (code == cudaSuccess) code = event_make(&state->copied);
  if (code == cudaSuccess) code = cudaEventRecord(state->copied, state->stream);
  if (code == cudaSuccess) code = cudaStreamWaitEvent(from->stream, state->copied, 0);
  return hs_cuda_check(code, "renewing ghost nodes", err);
}

/* All slots come to the host, which adds them up. */
static hs_status part_norm_sums(struct hs_backend_state *backend, const struct hs_bounds *bounds, bool full,
                                struct hs_norm_sums *sums, struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  struct hs_norm_slot slots[HS_NORM_SLOTS];
  cudaError_t code = hs_kernel_begin(state->d_control, state->d_slots, 1, *bounds, state->stream);
  (void)full; /* the residual's come along for nothing */
  if (code == cudaSuccess)
    code = hs_kernel_norms(&state->device, state->single, hs_cuda_origin(state, state->now),
                           hs_cuda_origin(state, state->before), state->d_slots, state->d_control, NULL, state->stream);
  if (code == cudaSuccess)
    code = cudaMemcpyAsync(slots, state->d_slots, sizeof slots, cudaMemcpyDeviceToHost, state->stream);
  if (code == cudaSuccess) code = cudaStreamSynchronize(state->stream);
  memset(sums, 0, sizeof *sums);
  for (int k = 0; code == cudaSuccess && k < HS_NORM_SLOTS; k++) {
    struct hs_norm_sums slot = {.update = {slots[k].update_high, slots[k].update_low},
                                .residual = {slots[k].residual_high, slots[k].residual_low}};
    memcpy(&slot.update_max, &slots[k].update_max, sizeof slot.update_max);
    memcpy(&slot.residual_max, &slots[k].residual_max, sizeof slot.residual_max);
    memcpy(&slot.two_sweep_max, &slots[k].two_sweep_max, sizeof slot.two_sweep_max);
    memcpy(&slot.correction_max, &slots[k].correction_max, sizeof slot.correction_max);
    hs_norm_sums_merge(sums, &slot);
  }
  return hs_cuda_check(code, "norms", err);
}

const struct hs_part_operations hs_part_cuda = {
    .devices = part_devices,
    .device_use = part_device_use,
    .device_identity = part_device_identity,
    .device_link = part_device_link,
    .sweep = part_sweep,
    .wait = part_wait,
    .block_get = part_block_get,
    .block_put = part_block_put,
    .ready = part_ready,
    .block_copy = part_block_copy,
    .follow = part_follow,
    .memory_create = part_memory_create,
    .memory_destroy = part_memory_destroy,
    .stream = part_stream,
    .block_pack = part_block_pack,
    .block_unpack = part_block_unpack,
    .norm_sums = part_norm_sums,
    .linear = &hs_part_linear_cuda,
};
