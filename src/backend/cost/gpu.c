/* Forecasts for a GPU that is not here: an H200, of which the built-in curves are. */
#include <math.h>

#include "backend/cost/cost.h"
#include "backend/cost/tuning.h"

static const double H200_BYTES_PER_S = 4.917e12;

double hs_cost_gpu_cycle_s(double nodes, double bytes_per_s)
{
  const double levels = fmax(1.0, 0.5 * log2(nodes) - 2.0);
  return 25e-6 + 2.0 * levels * 3e-6 + 165.0 * nodes / (0.75 * bytes_per_s);
}

double hs_cost_gpu_setup_s(double nodes, bool single)
{
  return 0.3 + nodes * 2.0 * (single ? 4.0 : 8.0) / 2e10;
}

/* Rows that the busiest multiprocessor sweeps in a pass of cuda-blocked: its share of all strips' rows, and those that each
 * piece of a strip takes beside its own (two ghost zones, and the time to begin, in rows). */
static double pass_rows(double nx, double ny, bool single)
{
  const double units = 132.0, columns = single ? 576.0 : 256.0, beside = single ? 85.5 : 83.0;
  const double strips = ceil(nx / columns), pieces = strips + units - 1.0;
  return (strips * ny + pieces * beside) / units;
}

/* How many times longer passes take than on a square of as many nodes, which the curves are of. */
static double shape_factor(double nx, double ny, bool single)
{
  const double side = sqrt(nx * ny);
  return pass_rows(nx, ny, single) / pass_rows(side, side, single);
}

/* Three fields, the stencil of each node or its index, a right-hand side, and cuda-blocked's word for each row of a strip. */
static double gpu_bytes(const struct hs_cost_sweep *sweep)
{
  const double size = sweep->single ? 4.0 : 8.0;
  const double stencil = sweep->each_law
                             ? sizeof(struct hs_stencil_f64) + (sweep->single ? sizeof(struct hs_stencil_f32) : 0.0)
                             : sizeof(uint16_t) + 4.0 / (sweep->single ? 576.0 : 256.0);
  return sweep->nodes * (size * (sweep->constants ? 4.0 : 3.0) + stencil);
}

struct hs_backend_cost hs_cost_gpu_of(const struct hs_cost_sweep *sweep, double nx, double ny, bool periodic)
{
  const struct hs_tuning *table = hs_tuning_builtin();
  const bool plain = sweep->form == HS_FORM_JACOBI && !sweep->each_law && !sweep->constants && !periodic;
  const double one_s = hs_cost_of_sweep_s(table, "cuda-global", "cuda-global", sweep);
  const double passes_s = hs_cost_of_sweep_s(table, "cuda-blocked", "cuda-blocked", sweep);
  const double chip_s = hs_cost_of_sweep_s(table, "cuda-resident", "cuda-resident", sweep);
  struct hs_backend_cost cost = {.setup_s = hs_cost_gpu_setup_s(sweep->nodes, sweep->single),
                                 .sweep_s = one_s,
                                 .test_s = 1e-5 + 4.0 * one_s,
                                 .step_s = 1e-4 + 4.0 * one_s,
                                 .cycle_s = hs_cost_gpu_cycle_s(sweep->nodes, H200_BYTES_PER_S),
                                 .host_bytes = 2.0 * (16 << 20) + (sweep->constants ? 8.0 * sweep->nodes : 0.0),
                                 .device_bytes = gpu_bytes(sweep)};
  if (plain) cost.sweep_s = fmin(one_s, fmin(chip_s, passes_s * shape_factor(nx, ny, sweep->single)));
  cost.levels_s = HS_COST_GPU_LEVELS_CYCLES * cost.cycle_s;
  return cost;
}

struct hs_backend_cost hs_cost_gpu(const struct hs_system *system, const struct hs_backend_options *options)
{
  const struct hs_cost_sweep sweep = hs_cost_sweep_of(system, options);
  return hs_cost_gpu_of(&sweep, system->nx, system->ny, system->wrap_x >= 0 || system->wrap_y >= 0);
}
