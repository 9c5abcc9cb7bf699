/* Forecasts of the number of sweeps. */
#include "solve/cases.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

static void assert_forecast(const struct hs_config *config)
{
  struct test_run run;
  test_run_start(&run, config, NULL);
  assert_true(run.job.forecast.known);
  assert_int_equal(run.result.outcome.verdict, HS_VERDICT_CONVERGED);
  test_near("forecast over sweeps", run.job.forecast.sweeps / (double)run.result.outcome.sweeps, 1.0, 0.01);
  test_run_clear(&run);
}

static void forecasts_come_true(void **state)
{
  static const enum hs_criterion criteria[] = {HS_CRITERION_UPDATE_L2, HS_CRITERION_UPDATE_MAX, HS_CRITERION_RESIDUAL,
                                               HS_CRITERION_ERROR};
  (void)state;
  for (int k = 0; k < 4; k++) {
    struct hs_config_source source;
    struct hs_config config = poisson_config(64, &source);
    config.solver.criterion = criteria[k];
    config.solver.tolerance = 1e-8;
    config.solver.check_every = 10;
    assert_forecast(&config);
    config = test_config_workshop(128, &source);
    config.solver.criterion = criteria[k];
    config.solver.tolerance = 1e-6;
    assert_forecast(&config);
    config = test_config_spaced(60, 90, 0.01, 0.02);
    test_wall_temperature(&config, HS_WEST, 400.0);
    config.solver.criterion = criteria[k];
    config.solver.tolerance = 1e-7;
    config.solver.check_every = 10;
    assert_forecast(&config);
  }
}

static void forecast_of_the_workshop(void **state)
{
  struct hs_config_source spot;
  const struct hs_config config = test_config_workshop(256, &spot);
  struct test_run run;
  (void)state;
  test_run_start(&run, &config, NULL);
  assert_true(run.job.forecast.known);
  test_near("spectral radius", run.job.forecast.spectral_radius, cos(PI / 255), 1e-15);
  test_near("forecast", run.job.forecast.sweeps, 19008, 0.05 * 19008);
  test_near("convergence rate", run.result.outcome.convergence_rate, -log(cos(PI / 255)), 0.05 * (1.0 - cos(PI / 255)));
  test_run_clear(&run);
}

static void weighted_forecasts_come_true(void **state)
{
  static const enum hs_criterion criteria[] = {HS_CRITERION_UPDATE_L2, HS_CRITERION_UPDATE_MAX, HS_CRITERION_RESIDUAL,
                                               HS_CRITERION_ERROR};
  (void)state;
  for (int k = 0; k < 8; k++) {
    struct hs_config_source glow;
    struct hs_config config = poisson_to_residual(64, &glow);
    struct test_run run;
    config.solver.criterion = criteria[k % 4];
    config.solver.tolerance = 1e-8;
    config.solver.check_every = 10;
    config.solver.method = HS_METHOD_WEIGHTED;
    config.solver.weight = k < 4 ? 0.8 : 0.5;
    test_run_start(&run, &config, NULL);
    assert_true(run.job.forecast.known);
    test_near("forecast over sweeps", run.job.forecast.sweeps / (double)run.result.outcome.sweeps, 1.0, 0.01);
    test_run_clear(&run);
  }
}

/* Guesses are guesses, but of the right order, and not called forecasts. */
static void guesses_are_of_the_right_order(void **state)
{
  (void)state;
  for (int k = 0; k < 8; k++) {
    struct hs_config_region region;
    struct hs_config_source source;
    struct hs_config config = problem_of(k / 2 == 2 ? 0 : k / 2, &region, &source);
    struct test_run run;
    double ratio;
    if (k % 2) config.solver.method = HS_METHOD_CHEBYSHEV;
    if (k % 2 == 0 && k / 2 != 3) continue; /* forecast, not guessed */
    config.solver.criterion = HS_CRITERION_UPDATE_MAX;
    config.solver.tolerance = 1e-7;
    config.solver.check_every = 10;
    test_run_start(&run, &config, NULL);
    assert_false(run.job.forecast.known);
    ratio = run.job.forecast.sweeps / (double)run.result.outcome.sweeps;
    if (!(ratio > 0.1 && ratio < 10.0)) fail_msg("problem %d: guess over sweeps %g", k, ratio);
    test_run_clear(&run);
  }
}

/* Cycles are a handful whatever the grid: guesses are right within a factor of two. */
static void guesses_of_cycles(void **state)
{
  (void)state;
  for (int k = 0; k < 8; k++) {
    struct hs_config_region region;
    struct hs_config_source source;
    struct hs_config config = problem_of(k / 2, &region, &source);
    struct test_run run;
    double ratio;
    config.solver.method = HS_METHOD_MULTIGRID;
    config.solver.criterion = k % 2 ? HS_CRITERION_RESIDUAL : HS_CRITERION_ERROR;
    config.solver.tolerance = k % 2 ? 1e-8 : 1e-6;
    test_run_start(&run, &config, NULL);
    assert_false(run.job.forecast.known);
    ratio = run.job.forecast.sweeps / (double)run.result.outcome.sweeps;
    if (!(ratio >= 0.5 && ratio <= 2.0))
      fail_msg("problem %d: guess %g, cycles %g", k, run.job.forecast.sweeps, (double)run.result.outcome.sweeps);
    test_run_clear(&run);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forecasts_come_true),
      cmocka_unit_test(forecast_of_the_workshop),
      cmocka_unit_test(weighted_forecasts_come_true),
      cmocka_unit_test(guesses_are_of_the_right_order),
      cmocka_unit_test(guesses_of_cycles),
  };
  return cmocka_run_group_tests_name("forecast", tests, NULL, NULL);
}
