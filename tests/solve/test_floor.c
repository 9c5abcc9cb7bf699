/* Tolerances and estimates below rounding. */
#include "runs.h"

#include <math.h>

/* A plate between 0 and 2 K, both lifted by an offset; its exact field is linear. */
static struct hs_config lifted(enum hs_method method, enum hs_criterion criterion, double offset_k)
{
  struct hs_config config = test_config(41, 41);
  config.solver.method = method;
  config.solver.weight = method == HS_METHOD_WEIGHTED ? 0.8 : 1.0;
  config.solver.criterion = criterion;
  test_wall_temperature(&config, HS_WEST, offset_k);
  test_wall_temperature(&config, HS_EAST, offset_k + 2.0);
  test_wall_insulated(&config, HS_SOUTH);
  test_wall_insulated(&config, HS_NORTH);
  config.initial.temperature_k = offset_k + 0.5;
  return config;
}

static double true_error_k(const struct hs_result *result, double offset_k)
{
  double error_k = 0.0;
  for (int j = 0; j < result->ny; j++)
    for (int i = 0; i < result->nx; i++)
      error_k = fmax(error_k, fabs(result->field_k[j * result->nx + i] - offset_k - 2.0 * i / (result->nx - 1)));
  return error_k;
}

/* An estimate may be missing, where the updates never fell steadily, but not be far below the error. */
static void run_below(enum hs_method method, enum hs_criterion criterion, double offset_k)
{
  struct hs_config config = lifted(method, criterion, offset_k);
  const struct hs_solve_outcome *outcome;
  struct test_run run;
  double error_k;
  config.solver.tolerance = 1e-300;
  test_run_start(&run, &config, NULL);
  outcome = &run.result.outcome;
  error_k = true_error_k(&run.result, offset_k);
  if (outcome->verdict != HS_VERDICT_STAGNATED || outcome->error_estimate_k * 1.5 < error_k)
    fail_msg("offset %g K, method %d, criterion %d: %s, estimate %g K, error %g K", offset_k, (int)method,
             (int)criterion, hs_verdict_name(outcome->verdict), outcome->error_estimate_k, error_k);
  assert_true(test_same(outcome->history[outcome->history_count - 1].error_estimate_k, outcome->error_estimate_k));
  test_run_clear(&run);
}

static void tolerances_below_rounding_are_never_met(void **state)
{
  static const double offsets_k[] = {0.0, 300.0, 1e12};
  (void)state;
  for (int k = 0; k < 3; k++)
    for (int method = HS_METHOD_JACOBI; method <= HS_METHOD_CHEBYSHEV; method++)
      for (int criterion = HS_CRITERION_UPDATE_L2; criterion <= HS_CRITERION_ERROR; criterion++)
        run_below((enum hs_method)method, (enum hs_criterion)criterion, offsets_k[k]);
}

/* At an offset of 1e12 K numbers lie 0.0001 K apart; what the source adds in a sweep is lost. */
static void a_field_at_rest_meets_a_tolerance_above_rounding(void **state)
{
  static const struct {
    double tolerance_k;
    enum hs_verdict verdict;
  } cases[] = {{1e-6, HS_VERDICT_STAGNATED}, {1e-3, HS_VERDICT_CONVERGED}};
  (void)state;
  for (int k = 0; k < 2; k++) {
    struct hs_config config = lifted(HS_METHOD_JACOBI, HS_CRITERION_UPDATE_MAX, 1e12);
    struct hs_config_source glow = test_source_everywhere(1e-3);
    struct test_run run;
    config.sources = &glow;
    config.source_count = 1;
    test_wall_temperature(&config, HS_EAST, 1e12);
    config.initial.temperature_k = 1e12;
    config.solver.tolerance = cases[k].tolerance_k;
    test_run_start(&run, &config, NULL);
    assert_true(run.result.outcome.norms.update_l2 == 0.0);
    assert_int_equal(run.result.outcome.verdict, cases[k].verdict);
    test_run_clear(&run);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tolerances_below_rounding_are_never_met),
      cmocka_unit_test(a_field_at_rest_meets_a_tolerance_above_rounding),
  };
  return cmocka_run_group_tests_name("floor", tests, NULL, NULL);
}
