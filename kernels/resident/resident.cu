/* cuda-resident's launches: which patch a thread gets, how the grid is cut, and the cooperative launch.
 *
 * A plan is chosen by forecast, in cycles. A sweep takes the longer of two times: what the warps ask for together -
 * with q warps on each of a multiprocessor's four schedulers arithmetic, 3 operations a node on 16 (double) or 32 lanes
 * a cycle, and shuffles and shared memory, 128 bytes a cycle - and what one warp needs from row to row. Added are,
 * divided by the sweeps between two exchanges, the exchange's latency and its work, which goes with the rows of a
 * thread and the nodes of a block. A deeper ghost zone makes exchanges rarer and blocks larger; smaller patches put more
 * warps on a scheduler, which hide each other's latency, and shuffle more. What a kernel loses because its nodes do not
 * all stay in registers is part of the table.
 */
#include "resident/resident.cuh"

template <typename Real, int C, int RR, int RS, int WARPS>
__global__ void __launch_bounds__(32 * WARPS, 1) resident(const __grid_constant__ ResidentArguments<Real> arguments)
{
  resident_body<Real, C, RR, RS>(arguments);
}

/* --- the table of kernels -------------------------------------------------------------------- */

struct Instance {
  const void *kernel;
  int columns, rows, shared_rows; /* of a thread */
  int warps;                      /* of a block, at most */
  double mixed;                   /* cycles that a sweep by stencils takes longer than one of uniform nodes */
  double spilled, spilled_warp;   /* cycles lost to memory: of a sweep, and of an exchange by each warp */
};

#define INSTANCE(Real, C, RR, RS, WARPS, MIXED, SPILLED, SPILLED_WARP)                                                 \
  {                                                                                                                    \
    (const void *)resident<Real, C, RR, RS, WARPS>, C, RR + RS, RS, WARPS, MIXED, SPILLED, SPILLED_WARP                \
  }

/* Cycles as measured on the hardware of doc/measurements.md. The kernels with rows in shared memory are slower than
 * sweeps through the second cache there, and serve grids that no other holds. */
static const Instance instances_double[] = {
    INSTANCE(double, 1, 4, 0, 16, 120, 0, 0),      INSTANCE(double, 2, 4, 0, 16, 150, 0, 0),
    INSTANCE(double, 2, 8, 0, 12, 80, 0, 0),       INSTANCE(double, 4, 8, 0, 12, 1700, 0, 0),
    INSTANCE(double, 4, 12, 0, 8, 800, 0, 0),      INSTANCE(double, 4, 16, 0, 8, 2700, 0, 0),
    INSTANCE(double, 4, 12, 8, 8, 1600, 50, 2800), INSTANCE(double, 6, 11, 14, 8, 1700, 11000, 11100),
};
static const Instance instances_single[] = {
    INSTANCE(float, 1, 4, 0, 16, 110, 0, 0),  INSTANCE(float, 2, 4, 0, 16, 150, 0, 0),
    INSTANCE(float, 2, 8, 0, 16, 80, 0, 0),   INSTANCE(float, 4, 4, 0, 16, 190, 0, 0),
    INSTANCE(float, 4, 8, 0, 16, 800, 0, 0),  INSTANCE(float, 8, 8, 0, 12, 2400, 0, 0),
    INSTANCE(float, 8, 14, 0, 8, 3600, 0, 0), INSTANCE(float, 8, 16, 15, 8, 2600, 13000, 10400),
};

static const Instance *instances_of(int single, int *count)
{
  *count =
      single ? sizeof instances_single / sizeof *instances_single : sizeof instances_double / sizeof *instances_double;
  return single ? instances_single : instances_double;
}

/* --- plans ----------------------------------------------------------------------------------- */

/* What a plan depends on. */
struct Device {
  int multiprocessors, shared_bytes, clock_khz;
};

static int divided_up(int a, int b)
{
  return (a + b - 1) / b;
}

static int shared_bytes_of(const Instance &k, int warps, int element)
{
  const int nodes = (4 + k.shared_rows) * element, index = k.rows * (int)sizeof(uint16_t);
  return (nodes > index ? nodes : index) * k.columns * 32 * warps + k.columns * 32 * element;
}

/* Cuts nx columns into `tiles` of whole lanes. Is it possible? */
static bool cut_x(const Instance &k, int nx, int tiles, hs_resident_plan *plan)
{
  plan->ghost_lanes = tiles > 1 ? divided_up(plan->depth, k.columns) : 1;
  plan->tile_lanes = divided_up(divided_up(nx, tiles), k.columns);
  plan->tiles_x = divided_up(nx, plan->tile_lanes * k.columns);
  return plan->tiles_x == tiles && plan->tile_lanes + 2 * plan->ghost_lanes <= 32 &&
         (tiles == 1 || plan->tile_lanes >= plan->ghost_lanes);
}

static bool cut_y(const Instance &k, int ny, int tiles, hs_resident_plan *plan)
{
  const int ghosts = tiles > 2 ? 2 : tiles - 1; /* of a block; there is none beside a wall */
  plan->tile_rows = divided_up(ny, tiles);
  plan->tiles_y = divided_up(ny, plan->tile_rows);
  plan->warps = divided_up(plan->tile_rows + ghosts * plan->depth, k.rows);
  return plan->tiles_y == tiles && plan->warps <= k.warps && (tiles == 1 || plan->tile_rows >= plan->depth);
}

/* Cycles of a sweep. The numbers are fitted to measurements of all kernels at several depths and sizes on the hardware
 * of doc/measurements.md. */
static double forecast(const Instance &k, const hs_resident_plan &plan, int element, bool mixed)
{
  const double wide = element / 4.0, queue = divided_up(plan.warps, 4);
  const double arithmetic = queue * wide * k.rows * (3.0 * k.columns + 1.0);
  const double traffic = plan.warps * wide * (2.0 * k.rows + 4.0 * k.columns + 2.0 * k.columns * k.shared_rows);
  const double together = 215.0 + 1.92 * arithmetic + 0.14 * traffic;
  const double alone = 14.0 + k.rows * (2.35 * wide * k.columns + 81.0);
  const double exchange = 2990.0 + k.rows * (153.0 + 8.1 * plan.warps * wide * k.columns) + plan.warps * k.spilled_warp;
  return (together > alone ? together : alone) + k.spilled + (mixed ? k.mixed : 0.0) +
         (plan.tiles_x * plan.tiles_y > 1 ? exchange / plan.depth : 0.0);
}

/* Tries all cuts of one kernel; *best is the forecast of *plan so far. */
static void plan_try(const Instance &k, int instance, int nx, int ny, int element, bool mixed, const Device &device,
                     double *best, hs_resident_plan *plan)
{
  hs_resident_plan next = {};
  next.instance = instance;
  for (next.depth = 2; next.depth <= 24; next.depth++) {
    for (int x = 1; x <= device.multiprocessors; x++) {
      if (!cut_x(k, nx, x, &next)) continue;
      for (int y = device.multiprocessors / x; y >= 1; y--) {
        if (!cut_y(k, ny, y, &next)) continue;
        next.shared_bytes = shared_bytes_of(k, next.warps, element);
        if (next.shared_bytes > device.shared_bytes) continue;
        const double cycles = forecast(k, next, element, mixed);
        if (*best > 0.0 && cycles >= *best) continue;
        *best = cycles;
        *plan = next;
      }
    }
  }
}

static size_t exchange_bytes(const hs_resident_plan &plan, const Instance &k, int element)
{
  return (size_t)2 * plan.tiles_x * plan.tiles_y * plan.warps * k.rows * k.columns * 32 * element;
}

static size_t flag_bytes(const hs_resident_plan &plan)
{
  return (size_t)plan.tiles_x * plan.tiles_y * HS_RESIDENT_FLAG_STRIDE * sizeof(unsigned);
}

static cudaError_t device_ask(Device *device)
{
  int number = 0, major = 0;
  cudaError_t code = cudaGetDevice(&number);
  if (code == cudaSuccess) code = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, number);
  if (code == cudaSuccess && major < 8) return cudaErrorNotSupported;
  if (code == cudaSuccess)
    code = cudaDeviceGetAttribute(&device->multiprocessors, cudaDevAttrMultiProcessorCount, number);
  if (code == cudaSuccess)
    code = cudaDeviceGetAttribute(&device->shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, number);
  if (code == cudaSuccess) code = cudaDeviceGetAttribute(&device->clock_khz, cudaDevAttrClockRate, number);
  return code;
}

/* All blocks must run at the same time. */
static cudaError_t plan_check(const Instance &k, const hs_resident_plan &plan, const Device &device)
{
  int blocks = 0;
  cudaError_t code = cudaFuncSetAttribute(k.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, device.shared_bytes);
  if (code == cudaSuccess)
    code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k.kernel, 32 * plan.warps, plan.shared_bytes);
  if (code == cudaSuccess && blocks * device.multiprocessors < plan.tiles_x * plan.tiles_y)
    return cudaErrorCooperativeLaunchTooLarge;
  return code;
}

cudaError_t hs_kernel_resident_plan(int nx, int ny, int single, int mixed, struct hs_resident_plan *plan)
{
  const int element = single ? sizeof(float) : sizeof(double);
  int count;
  const Instance *instances = instances_of(single, &count);
  double best = 0.0;
  Device device;
  const cudaError_t code = device_ask(&device);
  if (code != cudaSuccess) return code;
  for (int k = 0; k < count; k++) plan_try(instances[k], k, nx, ny, element, mixed, device, &best, plan);
  if (best == 0.0) return cudaErrorInvalidValue;
  plan->sweep_s = best / (1e3 * device.clock_khz);
  plan->flag_bytes = flag_bytes(*plan);
  plan->exchange_bytes = exchange_bytes(*plan, instances[plan->instance], element);
  return plan_check(instances[plan->instance], *plan, device);
}

double hs_kernel_resident_stack_bytes(const struct hs_resident_plan *plan, int single)
{
  int number = 0, threads = 0, multiprocessors = 0, count;
  cudaFuncAttributes attributes = {};
  cudaError_t code = cudaGetDevice(&number);
  if (code == cudaSuccess) code = cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, number);
  if (code == cudaSuccess) code = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, number);
  if (code == cudaSuccess)
    code = cudaFuncGetAttributes(&attributes, instances_of(single, &count)[plan->instance].kernel);
  (void)cudaGetLastError();
  return code == cudaSuccess ? (double)attributes.localSizeBytes * threads * multiprocessors : 0.0;
}

/* --- launches -------------------------------------------------------------------------------- */

template <typename Real>
static cudaError_t launch(const Instance &k, const hs_device_system *system, const hs_resident_plan *plan,
                          const hs_resident_scratch *scratch, const hs_resident_work *work, cudaStream_t stream)
{
  ResidentArguments<Real> arguments = {*system, *plan, *work, (Real *)scratch->exchange, scratch->flags};
  void *pointers[] = {&arguments};
  cudaLaunchAttribute cooperative = {};
  cudaLaunchConfig_t config = {};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  config.gridDim = dim3(plan->tiles_x * plan->tiles_y);
  config.blockDim = dim3(32 * plan->warps);
  config.dynamicSmemBytes = plan->shared_bytes;
  config.stream = stream;
  config.attrs = &cooperative;
  config.numAttrs = 1;
  return cudaLaunchKernelExC(&config, k.kernel, pointers);
}

cudaError_t hs_kernel_resident(const struct hs_device_system *system, int single, const struct hs_resident_plan *plan,
                               const struct hs_resident_scratch *scratch, const struct hs_resident_work *work,
                               cudaStream_t stream)
{
  int count;
  const Instance &k = instances_of(single, &count)[plan->instance];
  return single ? launch<float>(k, system, plan, scratch, work, stream)
                : launch<double>(k, system, plan, scratch, work, stream);
}
