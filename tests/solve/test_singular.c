/* Insulated steady problems, whose level is free. */
#include "solve/cases.h"

#include <stdlib.h>

/* Heat enters in the western third of a box, +3 W/m3, and leaves in the eastern one: along x the flow through each
 * face is the sum of the sources west of it, and the mean stays that of the start. */
static void insulated_box_meets_its_profile(void **state)
{
  enum { NX = 31, NY = 13 };
  (void)state;
  for (int k = 0; k < 6; k++) {
    struct hs_config config = test_config_spaced(NX, NY, 0.1, 0.1);
    struct hs_config_source sources[2] = {test_source_rectangle(0.0, 1.0, 0.0, 1.2, 3.0),
                                          test_source_rectangle(2.0, 3.0, 0.0, 1.2, -3.0)};
    double profile_k[NX], flow = 0.0, mean = 0.0;
    struct test_run run;
    for (int side = 0; side < HS_SIDES; side++) test_wall_insulated(&config, (enum hs_side)side);
    config.sources = sources;
    config.source_count = 2;
    config.initial.temperature_k = 10.0;
    config.solver.method = (enum hs_method)(k % 3);
    config.solver.criterion = HS_CRITERION_UPDATE_MAX;
    config.solver.tolerance = 1e-11;
    config.solver.check_every = k < 3 ? 50 : 1;
    profile_k[0] = 0.0;
    for (int i = 0; i < NX; i++) { /* per metre of height: half a cell's heat at the ends of the sources */
      const double heated = i == 0 || i == 10 ? 0.05 : i < 10 ? 0.1 : 0.0;
      const double cooled = i == 20 || i == NX - 1 ? 0.05 : i > 20 ? 0.1 : 0.0;
      flow += 3.0 * (heated - cooled);
      if (i + 1 < NX) profile_k[i + 1] = profile_k[i] - 0.1 * flow;
      mean += profile_k[i] * (i == 0 || i == NX - 1 ? 0.5 : 1.0) / (NX - 1);
    }
    test_near("flow beyond the last node", flow, 0.0, 1e-13);
    test_run_start(&run, &config, NULL);
    assert_true(run.job.system->singular);
    assert_int_equal(run.result.outcome.verdict, HS_VERDICT_CONVERGED);
    for (int n = 0; n < NX * NY; n++)
      test_near("profile", run.result.field_k[n], 10.0 + profile_k[n % NX] - mean, 1e-8);
    test_near("mean", run.result.answers.mean_k, 10.0, 1e-12);
    test_run_clear(&run);
  }
}

/* A checkerboard, which J maps to its negative, is gone. */
static struct hs_node_law closed_law(void *context, int i, int j)
{
  struct hs_node_law law = {.west = i > 0, .east = i<7, .south = j> 0, .north = j < 5};
  (void)context;
  return law;
}

static void checkerboard_does_not_stay(void **state)
{
  struct hs_system *system = test_system_of_laws(8, 6, 1.0, 1.0, closed_law, NULL);
  double *start_k = test_field(system), *end_k = test_field(system);
  (void)state;
  system->singular = true;
  for (int k = 0; k < 3; k++) {
    const struct hs_solve_settings settings = {.quantity = HS_STOP_UPDATE_MAX,
                                               .tolerance = 1e-13,
                                               .max_iterations = 10000,
                                               .check_every = 10,
                                               .method = (enum hs_method)k,
                                               .weight = 0.999};
    struct hs_solve_outcome o;
    for (int n = 0; n < 48; n++) start_k[n] = 10.0 + ((n % 8 + n / 8) % 2 ? -1.0 : 1.0) + 0.1 * (n % 8);
    o = test_solve(system, start_k, &settings, &hs_backend_cpu, false, NULL, end_k);
    assert_int_equal(o.verdict, HS_VERDICT_CONVERGED);
    for (int n = 0; n < 48; n++) test_near("level", end_k[n], end_k[0], 1e-10);
    hs_solve_outcome_clear(&o);
  }
  free(start_k);
  free(end_k);
  hs_system_destroy(system);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(insulated_box_meets_its_profile),
      cmocka_unit_test(checkerboard_does_not_stay),
  };
  return cmocka_run_group_tests_name("singular", tests, NULL, NULL);
}
