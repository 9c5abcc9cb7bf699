/* Forecasts for processors that are not here, by the built-in curves. */
#include <math.h>

#include "backend/cost/cost.h"
#include "backend/cost/tuning.h"

double hs_cost_threads_s(int threads, bool single, double nodes)
{
  static const struct {
    const char *name;
    double threads;
  } curves[] = {{"cpu, 1 thread", 1.0}, {"cpu, 2 threads", 2.0}, {"cpu, 16 threads", 16.0}};
  const int k = threads < 2 ? 0 : 1;
  const struct hs_tuning *table = hs_tuning_builtin();
  const double few_s = hs_tuning_sweep_s(table, curves[k].name, HS_TUNING_UNIFORM, single, nodes);
  const double many_s = hs_tuning_sweep_s(table, curves[k + 1].name, HS_TUNING_UNIFORM, single, nodes);
  const double slope = log(many_s / few_s) / log(curves[k + 1].threads / curves[k].threads);
  return few_s * pow(threads / curves[k].threads, fmax(-1.0, fmin(slope, 0.0)));
}

struct hs_backend_cost hs_cost_cpu_of(const struct hs_cost_sweep *sweep, int threads)
{
  static const char two[] = "cpu, 2 threads"; /* whose curves have all kinds of sweeps */
  const struct hs_tuning *table = hs_tuning_builtin();
  const double two_s = hs_tuning_sweep_s(table, two, HS_TUNING_UNIFORM, sweep->single, sweep->nodes);
  const double share = hs_cost_threads_s(threads, sweep->single, sweep->nodes) / two_s;
  const double size = sweep->single ? 4.0 : 8.0;
  const double fields =
      (sweep->form == HS_FORM_CHEBYSHEV ? 5.0 : 3.0) + (sweep->constants ? 1.0 : 0.0); /* cpu/tiling.c */
  struct hs_backend_cost cost = {.sweep_s = share * hs_cost_of_sweep_s(table, two, two, sweep),
                                 .cycle_s = share * hs_cost_of_cycle_s(table, two, two, sweep->single, sweep->nodes),
                                 .host_bytes = sweep->nodes * size * fields};
  cost.setup_s = 1e-4 + cost.host_bytes / 4e9;
  cost.test_s = (sweep->single ? 12.0 : 5.0) * cost.sweep_s;
  cost.step_s = 3.0 * cost.sweep_s;
  cost.levels_s = HS_COST_LEVELS_CYCLES * cost.cycle_s;
  return cost;
}
