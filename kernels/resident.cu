/* cuda-resident's launches: which patch a thread gets, how the grid is cut, and the cooperative launch.
 *
 * A plan is chosen by forecast, in cycles. With q warps on each of a multiprocessor's four schedulers, a sweep takes the
 * larger of two times, and a share of the other one: arithmetic, 3 operations a node on 16 (double) or 32 lanes a cycle,
 * and shuffles and shared memory, 128 bytes a cycle; but never less than one warp needs alone. Added are the barrier's
 * latency and, divided by the sweeps between two exchanges, the exchange's latency and its bytes through the second cache.
 * A deeper halo makes exchanges rarer and blocks larger; smaller patches put more warps on a scheduler, which hide each
 * other's latency, and shuffle more.
 */
#include "resident.cuh"

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
};

#define INSTANCE(Real, C, RR, RS, WARPS) {(const void *)resident<Real, C, RR, RS, WARPS>, C, RR + RS, RS, WARPS}

static const Instance instances_double[] = {
    INSTANCE(double, 1, 4, 0, 16), INSTANCE(double, 2, 4, 0, 16),  INSTANCE(double, 2, 8, 0, 12),
    INSTANCE(double, 4, 8, 0, 12), INSTANCE(double, 4, 12, 0, 8),  INSTANCE(double, 4, 16, 0, 8),
    INSTANCE(double, 4, 12, 8, 8), INSTANCE(double, 6, 11, 14, 8),
};
static const Instance instances_single[] = {
    INSTANCE(float, 1, 4, 0, 16), INSTANCE(float, 2, 4, 0, 16),  INSTANCE(float, 2, 8, 0, 16),
    INSTANCE(float, 4, 4, 0, 16), INSTANCE(float, 4, 8, 0, 16),  INSTANCE(float, 8, 8, 0, 12),
    INSTANCE(float, 8, 14, 0, 8), INSTANCE(float, 8, 16, 15, 8),
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
  int multiprocessors, shared_bytes;
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
  plan->halo_lanes = tiles > 1 ? divided_up(plan->depth, k.columns) : 1;
  plan->tile_lanes = divided_up(divided_up(nx, tiles), k.columns);
  plan->tiles_x = divided_up(nx, plan->tile_lanes * k.columns);
  return plan->tiles_x == tiles && plan->tile_lanes + 2 * plan->halo_lanes <= 32 &&
         (tiles == 1 || plan->tile_lanes >= plan->halo_lanes);
}

static bool cut_y(const Instance &k, int ny, int tiles, hs_resident_plan *plan)
{
  const int halos = tiles > 2 ? 2 : tiles - 1; /* of a block; there is none beside a wall */
  plan->tile_rows = divided_up(ny, tiles);
  plan->tiles_y = divided_up(ny, plan->tile_rows);
  plan->warps = divided_up(plan->tile_rows + halos * plan->depth, k.rows);
  return plan->tiles_y == tiles && plan->warps <= k.warps && (tiles == 1 || plan->tile_rows >= plan->depth);
}

/* Measured on the hardware of doc/measurements.md: cycles, cycles, bytes a cycle. */
static constexpr double BARRIER = 100.0, EXCHANGE = 1500.0, CACHE_BYTES = 1300.0;

/* Cycles of a sweep. */
static double forecast(const Instance &k, const hs_resident_plan &plan, int element)
{
  const double wide = element / 4.0, queue = divided_up(plan.warps, 4);
  const double arithmetic = queue * wide * k.rows * (3.0 * k.columns + 1.0);
  const double traffic = plan.warps * wide * (2.0 * k.rows + 4.0 * k.columns + 2.0 * k.columns * k.shared_rows);
  const double busy = arithmetic > traffic ? arithmetic + 0.35 * traffic : traffic + 0.35 * arithmetic;
  const double alone = 150.0 + k.rows * (3.5 * wide * k.columns + 4.0);
  const double sides =
      (plan.tiles_x > 1 ? plan.tile_rows : 0.0) + (plan.tiles_y > 1 ? plan.tile_lanes * k.columns : 0.0);
  const double blocks = (double)plan.tiles_x * plan.tiles_y;
  const double ring = 4.0 * (sides + 2.0 * plan.depth) * element * blocks / CACHE_BYTES;
  return (busy + BARRIER > alone ? busy + BARRIER : alone) + (blocks > 1.0 ? EXCHANGE / plan.depth + ring : 0.0);
}

/* Tries all cuts of one kernel; *best is the forecast of *plan so far. */
static void plan_try(const Instance &k, int instance, int nx, int ny, int element, const Device &device, double *best,
                     hs_resident_plan *plan)
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
        const double cycles = forecast(k, next, element);
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

cudaError_t hs_kernel_resident_plan(int nx, int ny, int single, struct hs_resident_plan *plan)
{
  const int element = single ? sizeof(float) : sizeof(double);
  int count;
  const Instance *instances = instances_of(single, &count);
  double best = 0.0;
  Device device;
  const cudaError_t code = device_ask(&device);
  if (code != cudaSuccess) return code;
  for (int k = 0; k < count; k++) plan_try(instances[k], k, nx, ny, element, device, &best, plan);
  if (best == 0.0) return cudaErrorInvalidValue;
  plan->flag_bytes = flag_bytes(*plan);
  plan->exchange_bytes = exchange_bytes(*plan, instances[plan->instance], element);
  return plan_check(instances[plan->instance], *plan, device);
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
