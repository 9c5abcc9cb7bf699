/* Quantities of a result by their names. */
#include "answers/plate.h"

#include <math.h>
#include <string.h>

#include "run/quantity.h"

static void assert_quantity(const struct hs_result *result, const char *path, double wanted)
{
  double value = -1e300;
  if (!hs_result_quantity(result, path, &value)) fail_msg("%s is not known", path);
  if (!test_same(value, wanted)) fail_msg("%s is %.17g, not %.17g", path, value, wanted);
}

static void quantities_are_found_by_name(void **state)
{
  static const char *const unknown[] = {"",
                                        "status",
                                        "probe",
                                        "probe.",
                                        "probe.C",
                                        "probe.L",
                                        "probe.L.5",
                                        "probe.L.-1",
                                        "probe.L.x",
                                        "side.up",
                                        "side",
                                        "surface.x",
                                        "material.x.mean",
                                        "material.wood",
                                        "material.wood.mode",
                                        "shape.pipe",
                                        "shape.x.out",
                                        "history.update_max.5",
                                        "history.update_max.",
                                        "time",
                                        "minimum"};
  struct hs_check history[2] = {{.sweeps = 1, .norms.update_max = 7.0}, {.sweeps = 101, .norms.update_max = 3.0}};
  struct plate plate;
  struct hs_result result;
  double value;
  (void)state;
  plate_mixed(&plate, HS_LAYOUT_VERTEX);
  plate.materials[0].density_kg_m3 = 2.0;
  plate.materials[1].density_kg_m3 = 3.0;
  plate_point(&plate, "A", 0.5, 0.4, "");
  plate_point(&plate, "A.2", 0.6, 0.4, "");
  plate_line(&plate, "L", 0.0, 0.4, 1.0, 0.4, 5);
  plate_solve(&plate);
  memset(&result, 0, sizeof result);
  result.config = &plate.config;
  result.problem = &plate.problem;
  result.answers = plate_answers(&plate);
  result.outcome.sweeps = 500;
  result.outcome.history = history;
  result.outcome.history_count = 2;
  result.outcome.error_estimate_k = NAN;
  assert_quantity(&result, "probe.A", result.answers.probes[0].temperature_k[0]);
  assert_quantity(&result, "probe.A.2", result.answers.probes[1].temperature_k[0]);
  assert_quantity(&result, "probe.L.3", result.answers.probes[2].temperature_k[3]);
  assert_quantity(&result, "side.east", result.answers.balance.side_w_m[HS_EAST]);
  assert_quantity(&result, "surface.pipe", result.answers.surface_w_m[4]);
  assert_quantity(&result, "shape.pipe.out", result.answers.region_out_w_m[0]);
  assert_quantity(&result, "material.wood.mean", result.answers.materials[1].mean_k);
  assert_quantity(&result, "material.background.area", result.answers.materials[0].area_m2);
  assert_quantity(&result, "source", result.answers.balance.source_w_m);
  assert_quantity(&result, "imbalance", result.answers.balance.imbalance_relative);
  assert_quantity(&result, "max", 350.0);
  assert_quantity(&result, "sweeps", 500.0);
  assert_quantity(&result, "stop_index", 499.0);
  assert_quantity(&result, "history.update_max.0", 7.0);
  assert_quantity(&result, "history.update_max.100", 3.0);
  assert_quantity(&result, "error_estimate", NAN);
  assert_true(hs_result_quantity(&result, "mass_temperature", &value));
  test_near("mass times temperature", value,
            2.0 * 0.6 * result.answers.materials[0].mean_k + 3.0 * 0.2 * result.answers.materials[1].mean_k, 1e-9);
  assert_quantity(&result, "material_integral.density", value);
  for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++)
    if (hs_result_quantity(&result, unknown[k], &value)) fail_msg("\"%s\" is a quantity", unknown[k]);
  plate.config.time.scheme = HS_SCHEME_EXPLICIT;
  result.transient.time_s = 2.5;
  result.transient.steps = 40;
  result.transient.sweeps = 41;
  assert_quantity(&result, "time", 2.5);
  assert_quantity(&result, "steps", 40.0);
  assert_quantity(&result, "sweeps", 41.0);
  hs_answers_clear(&result.answers);
  plate_destroy(&plate);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quantities_are_found_by_name),
  };
  return cmocka_run_group_tests_name("quantity", tests, NULL, NULL);
}
