/* The CUDA backends: what a device can take, and the operations on it.
 *
 * cuda-global and cuda-shared differ in their sweep kernels only; memory, the system, norms, the stop test
 * and the graphs that drive them are shared (cuda/memory.c, cuda/system.c, cuda/advance.c, kernels/).
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend/cost/cost.h"
#include "backend/cuda/state.h"

/* Kinds of trouble a user can do something about. */
static hs_status device_check(struct hs_error *why)
{
  int count = 0, driver = 0, runtime = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  (void)cudaGetLastError();
  if (code == cudaErrorInsufficientDriver || code == cudaErrorStubLibrary) {
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    if (driver == 0)
      return hs_error_set(why, HS_ERR_DEVICE,
                          "no NVIDIA driver is installed on this machine, or it is hidden from this container; install "
                          "one, or use the cpu backend");
    return hs_error_set(why, HS_ERR_DEVICE,
                        "the NVIDIA driver supports CUDA %d.%d and this program needs %d.%d; update the driver, or use "
                        "the cpu backend",
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
  return hs_error_set(why, HS_ERR_DEVICE,
                      "the NVIDIA driver supports CUDA %d.%d, and 12.4 is needed; update the driver", driver / 1000,
                      driver % 1000 / 10);
}

/* What CUDA itself takes of the free memory later: code and small stacks of kernels when they are first launched,
 * graphs, and the rest of the 2 MB pages that allocations end in. Not measured: 300 bytes of stack for each of the
 * 270,000 threads that an H200 can hold are 80 MB. */
const double hs_cuda_later_bytes = 150e6;

hs_status hs_cuda_room_check(const struct hs_system *system, const struct hs_backend_options *options,
                             double passes_bytes, double stack_bytes, struct hs_error *why)
{
  const double needed = hs_cuda_bytes(system, options->single) + passes_bytes,
               later = hs_cuda_later_bytes + stack_bytes;
  struct hs_backend_place place;
  size_t available = 0, total = 0;
  const hs_status status = hs_cuda_check(cudaMemGetInfo(&available, &total), "asking for free memory", why);
  if (status) return status;
  if (options->device_bytes > 0.0 && needed > options->device_bytes)
    return hs_error_set(why, HS_ERR_DEVICE,
                        "%d x %d nodes need %.3g GB of device memory and solver.device_memory allows %.3g GB; allow "
                        "more, or use cuda-streamed, which brings a grid to the device in bands",
                        system->nx, system->ny, 1e-9 * needed, 1e-9 * options->device_bytes);
  if (needed + later <= (double)available) return HS_OK;
  hs_cuda_place(NULL, &place);
  return hs_error_set(
      why, HS_ERR_DEVICE,
      "%d x %d nodes need %.3g GB, %.2g GB of it for CUDA itself, and %.3g of the %.3g GB of %.100s are "
      "free; use cuda-streamed, which brings a grid to the device in bands, solver.precision = single, "
      "or a smaller grid",
      system->nx, system->ny, 1e-9 * (needed + later), 1e-9 * later, 1e-9 * (double)available, 1e-9 * (double)total,
      place.device);
}

/* CUDA 13 compiles for compute capability 7.5 and newer; whatever this build has, older devices cannot be served. */
static hs_status age_check(const struct cudaDeviceProp *properties, struct hs_error *why)
{
  enum { OLDEST = 75 };
  if (10 * properties->major + properties->minor >= OLDEST) return HS_OK;
  return hs_error_set(why, HS_ERR_DEVICE,
                      "the %s is too old: it has compute capability %d.%d, and 7.5 (Turing, 2018) or newer is needed; "
                      "use the cpu backend",
                      properties->name, properties->major, properties->minor);
}

/* Is there neither code for the device nor PTX that its driver can compile? */
static bool is_foreign(cudaError_t code)
{
  return code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction ||
         code == cudaErrorUnsupportedPtxVersion || code == cudaErrorJitCompilerNotFound ||
         code == cudaErrorJitCompilationDisabled;
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
  if (!status) status = age_check(&properties, why);
  if (status) return status;
  code = hs_kernel_probe();
  if (is_foreign(code)) {
    (void)cudaGetLastError();
    return hs_error_set(
        why, HS_ERR_DEVICE,
        "this program has no code for the %s, whose compute capability is %d.%d: it was built with CUDA "
        "%s; configure it with --with-cuda-arch=%d%d, or use the cpu backend",
        properties.name, properties.major, properties.minor, HS_BUILD_CUDA, properties.major, properties.minor);
  }
  status = hs_cuda_check(code, "looking for the kernels", why);
  return status || !system ? status : hs_cuda_room_check(system, options, 0.0, 0.0, why);
}

void hs_cuda_warm_up(void)
{
  (void)cudaFree(NULL); /* by custom: the cheapest call that makes the context */
  (void)cudaGetLastError();
}

static int attribute(enum cudaDeviceAttr which)
{
  int device = 0, value = 0;
  (void)cudaGetDevice(&device);
  if (cudaDeviceGetAttribute(&value, which, device) != cudaSuccess) (void)cudaGetLastError();
  return value;
}

/* Bytes per second that the device's memory can move, from its clock and width. */
static double memory_rate(void)
{
  const double clock_khz = attribute(cudaDevAttrMemoryClockRate),
               width_bits = attribute(cudaDevAttrGlobalMemoryBusWidth);
  return clock_khz > 0.0 && width_bits > 0.0 ? 2.0 * 1e3 * clock_khz * (width_bits / 8.0) : 3.3e11;
}

/* Measured set-up, launch and shares of the memory rate (doc/measurements.md); 90 % of the nominal rate is
 * reached. A source map becomes constants of the nodes in an array of the host's. */
struct hs_backend_cost hs_cuda_cost(const struct hs_system *system, const struct hs_backend_options *options,
                                    double launch_s, double share_of_memory_rate)
{
  const double nodes = (double)system->nx * system->ny;
  const double size = options->single ? 4.0 : 8.0;
  const double fields = system->source_w_m || system->storing ? 3.0 : 2.0; /* constants of their own are read, too */
  const double stencil = system->index ? 0.0 : options->single ? 32.0 : 64.0;
  const double sweep_s = launch_s + nodes * (fields * size + stencil) / (share_of_memory_rate * 0.9 * memory_rate());
  const struct hs_backend_cost cost = {.setup_s = 0.3 + nodes * 2.0 * size / 2e10,
                                       .sweep_s = sweep_s,
                                       .test_s = 1e-5 + 4.0 * sweep_s,
                                       .step_s = 1e-4 + 4.0 * sweep_s,
                                       .host_bytes = 2.0 * (16 << 20) + (system->source_w_m ? 8.0 * nodes : 0.0),
                                       .device_bytes = hs_cuda_bytes(system, options->single)};
  return cost;
}

/* How many times longer a sweep takes here than on the H200 of the built-in curves. Few nodes wait for latencies, which
 * go with the clock; what fits into the second cache, and kernels that keep it on the chip, go with all
 * multiprocessors' rate of arithmetic, large fields with the memory's rate. */
static double device_factor(enum hs_cuda_limit limit, const struct hs_system *system, bool single)
{
  const double h200_memory = 4.917e12, h200_clock_khz = 1.98e6, h200_units = 132.0, h200_ratio = 2.0;
  const double clock_khz = fmax(attribute(cudaDevAttrClockRate), 1e5);
  const double units = fmax(attribute(cudaDevAttrMultiProcessorCount), 1.0);
  const double ratio = fmax(attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio), 1.0);
  const double nodes = (double)system->nx * system->ny, bytes = 2.0 * nodes * (single ? 4.0 : 8.0);
  const double latency = h200_clock_khz / clock_khz, memory = h200_memory / memory_rate();
  const double arithmetic = latency * (h200_units / units) * (single ? 1.0 : ratio / h200_ratio);
  if (nodes < 500.0 * units) return latency;
  return limit == HS_CUDA_LIMIT_MEMORY && bytes > attribute(cudaDevAttrL2CacheSize) ? fmax(memory, 0.25 * arithmetic)
                                                                                    : arithmetic;
}

/* Has nobody measured such sweeps of this backend? What several sweeps a pass cannot do is then thought to be done as
 * cuda-global does it; with periodic walls it is. */
static bool like_global(const char *name, const struct hs_system *system, const struct hs_backend_options *options)
{
  const enum hs_tuning_kind kind = !system->index                          ? HS_TUNING_MAP
                                   : system->source_w_m || system->storing ? HS_TUNING_RHS
                                   : options->form == HS_FORM_WEIGHTED     ? HS_TUNING_WEIGHTED
                                   : options->form == HS_FORM_CHEBYSHEV    ? HS_TUNING_CHEBYSHEV
                                                                           : HS_TUNING_UNIFORM;
  if (!strcmp(name, "cuda-global") || !strcmp(name, "cuda-shared")) return false;
  if (system->wrap_x >= 0 || system->wrap_y >= 0) return true;
  return kind != HS_TUNING_UNIFORM && isnan(hs_tuning_sweep_s(options->tuning, name, kind, options->single, 1.0)) &&
         isnan(hs_tuning_sweep_s(hs_tuning_builtin(), name, kind, options->single, 1.0));
}

/* Measured here, or built in and scaled; NaN: neither. */
static double curve_s(const char *name, enum hs_cuda_limit limit, const struct hs_system *system,
                      const struct hs_backend_options *options)
{
  const double measured_s = hs_cost_sweep_s(options->tuning, name, name, system, options);
  if (!isnan(measured_s)) return measured_s;
  return device_factor(limit, system, options->single) *
         hs_cost_sweep_s(hs_tuning_builtin(), name, name, system, options);
}

/* A test makes norms kernels of its own and may ask the host; a time step makes several launches and waits: both as
 * hs_cuda_cost says, whose sweeps are single ones. */
struct hs_backend_cost hs_cuda_cost_measured(const char *name, enum hs_cuda_limit limit, const struct hs_system *system,
                                             const struct hs_backend_options *options, double launch_s,
                                             double share_of_memory_rate)
{
  static const double SLIGHTLY_MORE = 1.001; /* than cuda-global, which the choice should fall on */
  struct hs_backend_cost cost = hs_cuda_cost(system, options, launch_s, share_of_memory_rate);
  const double sweep_s = like_global(name, system, options)
                             ? SLIGHTLY_MORE * curve_s("cuda-global", HS_CUDA_LIMIT_MEMORY, system, options)
                             : curve_s(name, limit, system, options);
  if (!isnan(sweep_s)) cost.sweep_s = sweep_s;
  return cost;
}

static struct hs_backend_cost global_cost(const struct hs_system *system, const struct hs_backend_options *options)
{
  return hs_cuda_cost_measured("cuda-global", HS_CUDA_LIMIT_MEMORY, system, options, 1.5e-6, 0.95);
}

static struct hs_backend_cost shared_cost(const struct hs_system *system, const struct hs_backend_options *options)
{
  return hs_cuda_cost_measured("cuda-shared", HS_CUDA_LIMIT_MEMORY, system, options, 5.0e-6, 0.85);
}

static hs_status global_create(const struct hs_system *system, const struct hs_backend_options *options,
                               struct hs_backend_state **backend, struct hs_error *err)
{
  return hs_cuda_create(system, options, hs_kernel_sweep_global, backend, err);
}

static hs_status shared_create(const struct hs_system *system, const struct hs_backend_options *options,
                               struct hs_backend_state **backend, struct hs_error *err)
{
  return hs_cuda_create(system, options, hs_kernel_sweep_shared, backend, err);
}

void hs_cuda_place(const struct hs_backend_state *backend, struct hs_backend_place *place)
{
  struct cudaDeviceProp properties;
  int device = 0;
  (void)backend;
  memset(&properties, 0, sizeof properties);
  (void)cudaGetDevice(&device);
  (void)cudaGetDeviceProperties(&properties, device);
  snprintf(place->device, sizeof place->device, "%.100s, compute capability %d.%d", properties.name, properties.major,
           properties.minor);
  place->threads = 0;
}

int hs_cuda_sweeps_per_call(const struct hs_backend_state *backend)
{
  const struct hs_cuda_state *state = hs_cuda_state(backend);
  enum { MOST = 1024 }; /* longer passes are of small grids */
  const struct hs_cuda_pass *pass = &state->pass;
  return hs_cuda_passes_apply(state) && pass->longest < MOST ? (int)pass->longest + 1 : 1;
}

hs_status hs_cuda_sweep(struct hs_backend_state *backend, int64_t n, struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  const hs_status status = hs_cuda_sweeps_enqueue(state, n, err);
  return status ? status : hs_cuda_check(cudaStreamSynchronize(state->stream), "sweeping", err);
}

/* Norms of `batches` sets of slots back to the host; waits for the device. */
static hs_status norms_collect(struct hs_cuda_state *state, int batches, bool full, struct hs_norms *norms,
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

static hs_status norms_begin(struct hs_cuda_state *state, int batches, const struct hs_bounds *bounds,
                             struct hs_error *err)
{
  return hs_cuda_check(hs_kernel_begin(state->d_control, state->d_slots, batches, *bounds, state->stream), "norms",
                       err);
}

hs_status hs_cuda_sweep_normed(struct hs_backend_state *backend, int64_t n, const struct hs_bounds *bounds,
                               struct hs_norms *norms, struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
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

hs_status hs_cuda_norms(struct hs_backend_state *backend, const struct hs_bounds *bounds, struct hs_norms *norms,
                        struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  hs_status status = norms_begin(state, 1, bounds, err);
  if (!status)
    status = hs_cuda_check(hs_kernel_norms(&state->device, state->single, hs_cuda_origin(state, state->now),
                                           hs_cuda_origin(state, state->before), state->d_slots, state->d_control, NULL,
                                           state->stream),
                           "norms", err);
  return status ? status : norms_collect(state, 1, true, norms, err);
}

static hs_status field_copy(struct hs_cuda_state *state, int from, int to, struct hs_error *err)
{
  return hs_cuda_check(
      hs_kernel_copy(state->d_field[from], state->d_field[to], state->field_bytes, NULL, state->stream), "a copy", err);
}

hs_status hs_cuda_save(struct hs_backend_state *backend, struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  return field_copy(state, state->now, state->saved, err);
}

hs_status hs_cuda_restore(struct hs_backend_state *backend, struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  return field_copy(state, state->saved, state->now, err);
}

hs_status hs_cuda_distance(struct hs_backend_state *backend, double *distance_k, struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
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
