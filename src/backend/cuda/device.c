/* What a device can take: probes of driver, device and free memory, in sentences for the user. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <stdio.h>
#include <string.h>

#include "backend/cost/cost.h"
#include "backend/cuda/state.h"

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
  const double levels = options->multigrid ? hs_cost_multigrid_bytes(system) : 0.0;
  const double needed = hs_cuda_bytes(system, options->single) + passes_bytes + levels,
               later = hs_cuda_later_bytes + stack_bytes;
  const char *what = options->multigrid ? " and the levels of multigrid" : "";
  struct hs_backend_place place;
  size_t available = 0, total = 0;
  const hs_status status = hs_cuda_check(cudaMemGetInfo(&available, &total), "asking for free memory", why);
  if (status) return status;
  if (options->device_bytes > 0.0 && needed > options->device_bytes)
    return hs_error_set(why, HS_ERR_DEVICE,
                        "%d x %d nodes%s need %.3g GB of device memory and solver.device_memory allows %.3g GB; allow "
                        "more, or use cuda-streamed, which brings a grid to the device in bands",
                        system->nx, system->ny, what, 1e-9 * needed, 1e-9 * options->device_bytes);
  if (needed + later <= (double)available) return HS_OK;
  hs_cuda_place(NULL, &place);
  return hs_error_set(
      why, HS_ERR_DEVICE,
      "%d x %d nodes%s need %.3g GB, %.2g GB of it for CUDA itself, and %.3g of the %.3g GB of %.100s are "
      "free; use cuda-streamed, which brings a grid to the device in bands, solver.precision = single, "
      "or a smaller grid",
      system->nx, system->ny, what, 1e-9 * (needed + later), 1e-9 * later, 1e-9 * (double)available,
      1e-9 * (double)total, place.device);
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
