/* A plan is chosen by forecast, in cycles. A sweep takes the longer of two times: what the warps ask for together - with
 * q warps on each of a multiprocessor's four schedulers arithmetic, 3 operations a node on 16 (double) or 32 lanes a
 * cycle, and shuffles and shared memory, 128 bytes a cycle - and what one warp needs from row to row. Added are, divided
 * by the sweeps between two exchanges, the exchange's latency and its work, which goes with the rows of a thread and the
 * nodes of a block. A deeper ghost zone makes exchanges rarer and blocks larger; smaller patches put more warps on a
 * scheduler, which hide each other's latency, and shuffle more. What a kernel loses with stencils, which do not all
 * stay in registers, is part of the table.
 */
#include "backend/cuda/resident/plan.h"

enum { SHALLOWEST = 2, DEEPEST = 24 };

struct device {
  int number, multiprocessors, shared_bytes, clock_khz;
};

static int divided_up(int a, int b)
{
  return (a + b - 1) / b;
}

static int element_bytes(bool single)
{
  return single ? sizeof(float) : sizeof(double);
}

/* --- cutting a grid -------------------------------------------------------------------------- */

/* Edges of warps and rows of threads, or the coefficient indices before; and a row of zeros. */
static int shared_bytes(const struct hs_resident_kernel *k, int warps, int element)
{
  const int nodes = (4 + k->shared_rows) * element, index = k->rows * (int)sizeof(uint16_t);
  return (nodes > index ? nodes : index) * k->columns * 32 * warps + k->columns * 32 * element;
}

/* Columns, in whole lanes. */
static bool cut_x(const struct hs_resident_kernel *k, int nx, int tiles, struct hs_resident_plan *plan)
{
  plan->ghost_lanes = tiles > 1 ? divided_up(plan->depth, k->columns) : 1;
  plan->tile_lanes = divided_up(divided_up(nx, tiles), k->columns);
  plan->tiles_x = divided_up(nx, plan->tile_lanes * k->columns);
  return plan->tiles_x == tiles && plan->tile_lanes + 2 * plan->ghost_lanes <= 32 &&
         (tiles == 1 || plan->tile_lanes >= plan->ghost_lanes);
}

static bool cut_y(const struct hs_resident_kernel *k, int ny, int tiles, struct hs_resident_plan *plan)
{
  const int ghosts = tiles > 2 ? 2 : tiles - 1; /* of a block; there is none beside a wall */
  plan->tile_rows = divided_up(ny, tiles);
  plan->tiles_y = divided_up(ny, plan->tile_rows);
  plan->warps = divided_up(plan->tile_rows + ghosts * plan->depth, k->rows);
  return plan->tiles_y == tiles && plan->warps <= k->warps && (tiles == 1 || plan->tile_rows >= plan->depth);
}

static void memory_tell(const struct hs_resident_kernel *k, bool single, struct hs_resident_plan *plan)
{
  const int element = element_bytes(single);
  const size_t blocks = (size_t)plan->tiles_x * (size_t)plan->tiles_y;
  plan->shared_bytes = shared_bytes(k, plan->warps, element);
  plan->flag_bytes = blocks * HS_RESIDENT_FLAG_STRIDE * sizeof(unsigned);
  plan->exchange_bytes = 2 * blocks * (size_t)(plan->warps * k->rows * k->columns * 32 * element);
}

bool hs_resident_plan_cut(const struct hs_resident_kernel *kernel, const struct hs_resident_grid *grid, int tiles_x,
                          int tiles_y, struct hs_resident_plan *plan)
{
  if (!cut_x(kernel, grid->nx, tiles_x, plan) || !cut_y(kernel, grid->ny, tiles_y, plan)) return false;
  memory_tell(kernel, grid->single, plan);
  return true;
}

/* --- the best plan --------------------------------------------------------------------------- */

/* Cycles of a sweep. The numbers are fitted to measurements of all kernels at several depths and sizes on the hardware
 * of doc/measurements.md. */
static double forecast(const struct hs_resident_kernel *k, const struct hs_resident_plan *plan,
                       const struct hs_resident_grid *grid)
{
  const double wide = element_bytes(grid->single) / 4.0, queue = divided_up(plan->warps, 4);
  const double arithmetic = queue * wide * k->rows * (3.0 * k->columns + 1.0);
  const double traffic = plan->warps * wide * (2.0 * k->rows + 4.0 * k->columns + 2.0 * k->columns * k->shared_rows);
  const double together = 215.0 + 1.92 * arithmetic + 0.14 * traffic;
  const double alone = 14.0 + k->rows * (2.35 * wide * k->columns + 81.0);
  const double exchange = 2990.0 + k->rows * (153.0 + 8.1 * plan->warps * wide * k->columns);
  return (together > alone ? together : alone) + (grid->mixed ? k->mixed_cycles : 0.0) +
         (plan->tiles_x * plan->tiles_y > 1 ? exchange / plan->depth : 0.0);
}

/* Tries all cuts for one kernel; *best is the forecast of *plan so far, 0: there is none. */
static void kernel_try(const struct hs_resident_kernel *k, int number, const struct hs_resident_grid *grid,
                       const struct device *device, double *best, struct hs_resident_plan *plan)
{
  struct hs_resident_plan next = {.kernel = number};
  for (next.depth = SHALLOWEST; next.depth <= DEEPEST; next.depth++) {
    for (int x = 1; x <= device->multiprocessors; x++) {
      if (!cut_x(k, grid->nx, x, &next)) continue;
      for (int y = device->multiprocessors / x; y >= 1; y--) {
        double cycles;
        if (!cut_y(k, grid->ny, y, &next)) continue;
        memory_tell(k, grid->single, &next);
        if (next.shared_bytes > device->shared_bytes) continue;
        cycles = forecast(k, &next, grid);
        if (*best > 0.0 && cycles >= *best) continue;
        *best = cycles;
        *plan = next;
      }
    }
  }
}

/* Is there a plan? */
static bool plan_find(const struct hs_resident_grid *grid, const struct device *device, struct hs_resident_plan *plan)
{
  int count;
  const struct hs_resident_kernel *const *table = hs_kernel_resident_table(grid->single, &count);
  double best = 0.0;
  for (int k = 0; k < count; k++) kernel_try(table[k], k, grid, device, &best, plan);
  plan->sweep_s = best / (1e3 * device->clock_khz);
  return best > 0.0;
}

/* --- the device ------------------------------------------------------------------------------ */

static cudaError_t device_ask(struct device *device)
{
  const struct {
    enum cudaDeviceAttr what;
    int *answer;
  } questions[] = {{cudaDevAttrMultiProcessorCount, &device->multiprocessors},
                   {cudaDevAttrMaxSharedMemoryPerBlockOptin, &device->shared_bytes},
                   {cudaDevAttrClockRate, &device->clock_khz}};
  int major = 0;
  cudaError_t code = cudaGetDevice(&device->number);
  if (code == cudaSuccess) code = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device->number);
  if (code == cudaSuccess && major < 8) return cudaErrorNotSupported;
  for (size_t q = 0; q < sizeof questions / sizeof *questions && code == cudaSuccess; q++)
    code = cudaDeviceGetAttribute(questions[q].answer, questions[q].what, device->number);
  return code;
}

/* All blocks must run at the same time. */
static cudaError_t plan_check(const void *function, const struct hs_resident_plan *plan, const struct device *device)
{
  int blocks = 0;
  cudaError_t code = cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, device->shared_bytes);
  if (code == cudaSuccess)
    code =
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 32 * plan->warps, (size_t)plan->shared_bytes);
  if (code == cudaSuccess && blocks * device->multiprocessors < plan->tiles_x * plan->tiles_y)
    return cudaErrorCooperativeLaunchTooLarge;
  return code;
}

static const void *function_of(const struct hs_resident_plan *plan, bool single)
{
  int count;
  return hs_kernel_resident_table(single, &count)[plan->kernel]->function;
}

cudaError_t hs_resident_plan_make(const struct hs_resident_grid *grid, struct hs_resident_plan *plan)
{
  struct device device;
  const cudaError_t code = device_ask(&device);
  if (code != cudaSuccess) return code;
  if (!plan_find(grid, &device, plan)) return cudaErrorInvalidValue;
  return plan_check(function_of(plan, grid->single), plan, &device);
}

int hs_resident_side_limit(bool single)
{
  struct hs_resident_plan plan;
  struct device device;
  int low = 1, high = 16384;
  if (device_ask(&device) != cudaSuccess) return 0;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    const struct hs_resident_grid grid = {.nx = middle, .ny = middle, .single = single};
    if (plan_find(&grid, &device, &plan))
      low = middle;
    else
      high = middle;
  }
  return low;
}

double hs_resident_stack_bytes(const struct hs_resident_plan *plan, bool single)
{
  int number = 0, threads = 0, multiprocessors = 0;
  struct cudaFuncAttributes attributes = {0};
  cudaError_t code = cudaGetDevice(&number);
  if (code == cudaSuccess) code = cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, number);
  if (code == cudaSuccess) code = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, number);
  if (code == cudaSuccess) code = cudaFuncGetAttributes(&attributes, function_of(plan, single));
  (void)cudaGetLastError();
  return code == cudaSuccess ? (double)attributes.localSizeBytes * threads * multiprocessors : 0.0;
}
