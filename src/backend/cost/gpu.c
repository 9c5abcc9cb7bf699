/* Forecasts for a GPU that is not here: an H200, of which the built-in curves are. */
#include <math.h>

#include "backend/cost/cost.h"
#include "backend/cost/tuning.h"

double hs_cost_gpu_cycle_s(double nodes, double bytes_per_s)
{
  const double levels = fmax(1.0, 0.5 * log2(nodes) - 2.0);
  return 40e-6 + 2.0 * levels * 3.5e-6 + 165.0 * nodes / (0.75 * bytes_per_s);
}

double hs_cost_gpu_setup_s(double nodes, bool single)
{
  return 0.3 + nodes * 2.0 * (single ? 4.0 : 8.0) / 2e10;
}

struct hs_backend_cost hs_cost_gpu(const struct hs_system *system, const struct hs_backend_options *options)
{
  const double nodes = (double)system->nx * system->ny, h200_bytes_per_s = 4.917e12;
  const double one_s = hs_cost_sweep_s(hs_tuning_builtin(), "cuda-global", "cuda-global", system, options);
  const double passes_s = hs_cost_sweep_s(hs_tuning_builtin(), "cuda-blocked", "cuda-blocked", system, options);
  const bool plain = options->form == HS_FORM_JACOBI && system->index && !system->source_w_m && !system->storing &&
                     system->wrap_x < 0 && system->wrap_y < 0;
  struct hs_backend_cost cost = {.setup_s = hs_cost_gpu_setup_s(nodes, options->single),
                                 .sweep_s = plain ? fmin(one_s, passes_s) : one_s,
                                 .test_s = 1e-5 + 4.0 * one_s,
                                 .step_s = 1e-4 + 4.0 * one_s};
  cost.cycle_s = hs_cost_gpu_cycle_s(nodes, h200_bytes_per_s);
  cost.levels_s = HS_COST_GPU_LEVELS_CYCLES * cost.cycle_s;
  return cost;
}
