/* Forecasts of the CUDA backends: curves where there are any, scaled to this device; else bytes over bandwidth. */
#include <math.h>
#include <string.h>

#include "backend/cost/cost.h"
#include "backend/cost/tuning.h"
#include "backend/cuda/state.h"

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
static struct hs_backend_cost cost_by_bytes(const struct hs_system *system, const struct hs_backend_options *options,
                                            double launch_s, double share_of_memory_rate)
{
  const double nodes = (double)system->nx * system->ny;
  const double size = options->single ? 4.0 : 8.0;
  const double fields = hs_system_has_constants(system) ? 3.0 : 2.0; /* constants of their own are read, too */
  const double stencil = system->index ? 0.0 : options->single ? 32.0 : 64.0;
  const double sweep_s = launch_s + nodes * (fields * size + stencil) / (share_of_memory_rate * 0.9 * memory_rate());
  const struct hs_backend_cost cost = {.setup_s = hs_cost_gpu_setup_s(nodes, options->single),
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
  const enum hs_tuning_kind kind = !system->index                       ? HS_TUNING_MAP
                                   : hs_system_has_constants(system)    ? HS_TUNING_RHS
                                   : options->form == HS_FORM_WEIGHTED  ? HS_TUNING_WEIGHTED
                                   : options->form == HS_FORM_CHEBYSHEV ? HS_TUNING_CHEBYSHEV
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

static void multigrid_add(const struct hs_system *system, struct hs_backend_cost *cost)
{
  cost->cycle_s = hs_cost_gpu_cycle_s((double)system->nx * system->ny, memory_rate());
  cost->levels_s = HS_COST_GPU_LEVELS_CYCLES * cost->cycle_s;
  cost->device_bytes += hs_cost_multigrid_bytes(system);
}

/* A test makes norms kernels of its own and may ask the host; a time step makes several launches and waits: both as
 * cost_by_bytes says, whose sweeps are single ones. */
struct hs_backend_cost hs_cuda_cost(const char *name, enum hs_cuda_limit limit, const struct hs_system *system,
                                    const struct hs_backend_options *options, double launch_s,
                                    double share_of_memory_rate)
{
  static const double SLIGHTLY_MORE = 1.001; /* than cuda-global, which the choice should fall on */
  struct hs_backend_cost cost = cost_by_bytes(system, options, launch_s, share_of_memory_rate);
  const double sweep_s = like_global(name, system, options)
                             ? SLIGHTLY_MORE * curve_s("cuda-global", HS_CUDA_LIMIT_MEMORY, system, options)
                             : curve_s(name, limit, system, options);
  if (!isnan(sweep_s)) cost.sweep_s = sweep_s;
  if (options->multigrid) multigrid_add(system, &cost);
  return cost;
}
