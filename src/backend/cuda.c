/* The CUDA backends: what a device can take, and the operations on it.
 *
 * cuda-global and cuda-shared differ in their sweep kernels only; memory, the system, norms, the stop test
 * and the graphs that drive them are shared (cuda_memory.c, cuda_system.c, cuda_advance.c, kernels/).
 */
#include <stdio.h>
#include <string.h>

#include "backend/cuda_state.h"

/* Kinds of trouble a user can do something about. */
static hs_status device_check(struct hs_error *why)
{
  int count = 0, driver = 0, runtime = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  (void)cudaGetLastError();
  if (code == cudaErrorInsufficientDriver || code == cudaErrorStubLibrary) {
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    if (driver == 0) return hs_error_set(why, HS_ERR_DEVICE, "no NVIDIA driver is installed on this machine");
    return hs_error_set(why, HS_ERR_DEVICE, "the NVIDIA driver supports CUDA %d.%d and this program needs %d.%d",
                        driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
  }
  if (code == cudaErrorNoDevice || (code == cudaSuccess && count == 0))
    return hs_error_set(why, HS_ERR_DEVICE, "no CUDA device is visible (see nvidia-smi and CUDA_VISIBLE_DEVICES)");
  return hs_cuda_check(code, "looking for a device", why);
}

/* Graphs with conditional nodes came with CUDA 12.4; an older driver loads the program and then fails. */
static hs_status driver_check(struct hs_error *why)
{
  enum { CONDITIONAL_NODES = 12040 };
  int driver = 0;
  const hs_status status = hs_cuda_check(cudaDriverGetVersion(&driver), "asking the driver", why);
  if (status || driver >= CONDITIONAL_NODES) return status;
  return hs_error_set(why, HS_ERR_DEVICE, "the NVIDIA driver supports CUDA %d.%d, and 12.4 is needed", driver / 1000,
                      driver % 1000 / 10);
}

/* Does the system fit into what other programs leave of the device's memory? */
static hs_status room_check(const struct hs_system *system, const struct hs_backend_options *options,
                            const char *device, struct hs_error *why)
{
  const double needed = hs_cuda_bytes(system, options->single);
  size_t available = 0, total = 0;
  const hs_status status = hs_cuda_check(cudaMemGetInfo(&available, &total), "asking for free memory", why);
  if (status || needed <= (double)available) return status;
  return hs_error_set(why, HS_ERR_DEVICE, "%d x %d nodes need %.3g GB and the %s has %.3g of its %.3g GB free",
                      system->nx, system->ny, 1e-9 * needed, device, 1e-9 * (double)available, 1e-9 * (double)total);
}

hs_status hs_cuda_probe(const struct hs_system *system, const struct hs_backend_options *options, struct hs_error *why)
{
  struct cudaDeviceProp properties;
  int device = 0;
  cudaError_t code;
  hs_status status = device_check(why);
  if (!status) status = driver_check(why);
  if (!status) status = hs_cuda_check(cudaGetDevice(&device), "choosing a device", why);
  if (!status) status = hs_cuda_check(cudaGetDeviceProperties(&properties, device), "asking the device", why);
  if (status) return status;
  code = hs_kernel_probe();
  if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction) {
    (void)cudaGetLastError();
    return hs_error_set(
        why, HS_ERR_DEVICE,
        "this build has no code for the %s (compute capability %d.%d); build with --with-cuda-arch=%d%d",
        properties.name, properties.major, properties.minor, properties.major, properties.minor);
  }
  status = hs_cuda_check(code, "looking for the kernels", why);
  if (!status && system) status = room_check(system, options, properties.name, why);
  return status;
}

/* Bytes per second that the device's memory can move, from its clock and width; 90 % of it is reached. */
static double memory_rate(void)
{
  int device = 0, clock_khz = 0, width_bits = 0;
  (void)cudaGetDevice(&device);
  (void)cudaDeviceGetAttribute(&clock_khz, cudaDevAttrMemoryClockRate, device);
  (void)cudaDeviceGetAttribute(&width_bits, cudaDevAttrGlobalMemoryBusWidth, device);
  if (clock_khz <= 0 || width_bits <= 0) return 3e11;
  return 0.9 * 2.0 * 1e3 * clock_khz * (width_bits / 8.0);
}

/* Set-up, launch and shares of the memory rate as measured (doc/measurements.md). */
struct hs_backend_cost hs_cuda_cost(const struct hs_system *system, const struct hs_backend_options *options,
                                    double launch_s, double share_of_memory_rate)
{
  const double nodes = (double)system->nx * system->ny;
  const double size = options->single ? 4.0 : 8.0;
  const double fields = system->source_w_m || system->storing ? 3.0 : 2.0; /* constants of their own are read, too */
  const double stencil = system->index ? 0.0 : options->single ? 32.0 : 64.0;
  const double memory_s = nodes * (fields * size + stencil) / (share_of_memory_rate * memory_rate());
  const struct hs_backend_cost cost = {.setup_s = 0.3 + nodes * 2.0 * size / 2e10,
                                       .sweep_s = launch_s + memory_s,
                                       .host_bytes = 2.0 * (16 << 20),
                                       .device_bytes = hs_cuda_bytes(system, options->single)};
  return cost;
}

static struct hs_backend_cost global_cost(const struct hs_system *system, const struct hs_backend_options *options)
{
  return hs_cuda_cost(system, options, 1.5e-6, 0.95);
}

static struct hs_backend_cost shared_cost(const struct hs_system *system, const struct hs_backend_options *options)
{
  return hs_cuda_cost(system, options, 5.0e-6, 0.85);
}

static hs_status global_create(const struct hs_system *system, const struct hs_backend_options *options,
                               struct hs_backend_state **state, struct hs_error *err)
{
  return hs_cuda_create(system, options, hs_kernel_sweep_global, state, err);
}

static hs_status shared_create(const struct hs_system *system, const struct hs_backend_options *options,
                               struct hs_backend_state **state, struct hs_error *err)
{
  return hs_cuda_create(system, options, hs_kernel_sweep_shared, state, err);
}

void hs_cuda_place(const struct hs_backend_state *state, struct hs_backend_place *place)
{
  struct cudaDeviceProp properties;
  int device = 0;
  (void)state;
  memset(&properties, 0, sizeof properties);
  (void)cudaGetDevice(&device);
  (void)cudaGetDeviceProperties(&properties, device);
  snprintf(place->device, sizeof place->device, "%.100s, compute capability %d.%d", properties.name, properties.major,
           properties.minor);
  place->threads = 0;
}

hs_status hs_cuda_sweep(struct hs_backend_state *state, int64_t n, struct hs_error *err)
{
  const hs_status status = hs_cuda_sweeps_enqueue(state, n, err);
  return status ? status : hs_cuda_check(cudaStreamSynchronize(state->stream), "sweeping", err);
}

/* Norms of `batches` sets of slots back to the host; waits for the device. */
static hs_status norms_collect(struct hs_backend_state *state, int batches, bool full, struct hs_norms *norms,
                               struct hs_error *err)
{
  const size_t bytes = (size_t)batches * sizeof *norms;
  hs_status status = hs_cuda_check(
      hs_kernel_collect(state->d_control, state->d_slots, batches, full, state->d_norms, state->stream), "norms", err);
  if (!status)
    status = hs_cuda_check(cudaMemcpyAsync(state->norms, state->d_norms, bytes, cudaMemcpyDeviceToHost, state->stream),
                           "norms", err);
  if (!status) status = hs_cuda_check(cudaStreamSynchronize(state->stream), "norms", err);
  if (!status) memcpy(norms, state->norms, bytes);
  return status;
}

static hs_status norms_begin(struct hs_backend_state *state, int batches, const struct hs_bounds *bounds,
                             struct hs_error *err)
{
  return hs_cuda_check(hs_kernel_begin(state->d_control, state->d_slots, batches, *bounds, state->stream), "norms",
                       err);
}

hs_status hs_cuda_sweep_normed(struct hs_backend_state *state, int64_t n, const struct hs_bounds *bounds,
                               struct hs_norms *norms, struct hs_error *err)
{
  hs_status status = HS_OK;
  for (int64_t done = 0; !status && done < n; done += HS_NORM_BATCH) {
    const int batch = n - done < HS_NORM_BATCH ? (int)(n - done) : HS_NORM_BATCH;
    status = norms_begin(state, batch, bounds, err);
    if (!status) status = hs_cuda_check(hs_cuda_steps_enqueue(state, batch), "sweeping", err);
    for (int k = 0; !status && k < batch; k++) {
      status = hs_cuda_check(
          hs_cuda_sweep_enqueue(state, state->now, state->before, k, state->d_slots + (size_t)k * HS_NORM_SLOTS, NULL),
          "sweeping", err);
      hs_cuda_exchange(state);
    }
    if (!status) status = norms_collect(state, batch, false, norms + done, err);
  }
  return status;
}

hs_status hs_cuda_norms(struct hs_backend_state *state, const struct hs_bounds *bounds, struct hs_norms *norms,
                        struct hs_error *err)
{
  hs_status status = norms_begin(state, 1, bounds, err);
  if (!status)
    status = hs_cuda_check(hs_kernel_norms(&state->device, state->single, hs_cuda_origin(state, state->now),
                                           hs_cuda_origin(state, state->before), state->d_slots, state->d_control, NULL,
                                           state->stream),
                           "norms", err);
  return status ? status : norms_collect(state, 1, true, norms, err);
}

static hs_status field_copy(struct hs_backend_state *state, int from, int to, struct hs_error *err)
{
  return hs_cuda_check(
      hs_kernel_copy(state->d_field[from], state->d_field[to], state->field_bytes, NULL, state->stream), "a copy", err);
}

hs_status hs_cuda_save(struct hs_backend_state *state, struct hs_error *err)
{
  return field_copy(state, state->now, state->saved, err);
}

hs_status hs_cuda_restore(struct hs_backend_state *state, struct hs_error *err)
{
  return field_copy(state, state->saved, state->now, err);
}

hs_status hs_cuda_distance(struct hs_backend_state *state, double *distance_k, struct hs_error *err)
{
  const struct hs_bounds unscaled = {0.0, 0.0};
  struct hs_norms norms;
  hs_status status = norms_begin(state, 1, &unscaled, err);
  if (!status)
    status = hs_cuda_check(hs_kernel_distance(&state->device, state->single, hs_cuda_origin(state, state->now),
                                              hs_cuda_origin(state, state->saved), state->d_slots, state->stream),
                           "a distance", err);
  if (!status) status = norms_collect(state, 1, false, &norms, err);
  if (!status) *distance_k = norms.update_max;
  return status;
}

const struct hs_backend hs_backend_cuda_global = {
    .name = "cuda-global",
    .summary = "global memory straight into registers",
    .probe = hs_cuda_probe,
    .cost = global_cost,
    .create = global_create,
    HS_CUDA_OPERATIONS,
};

const struct hs_backend hs_backend_cuda_shared = {
    .name = "cuda-shared",
    .summary = "tiles in shared memory",
    .probe = hs_cuda_probe,
    .cost = shared_cost,
    .create = shared_create,
    HS_CUDA_OPERATIONS,
};
