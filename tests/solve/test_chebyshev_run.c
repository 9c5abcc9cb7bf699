/* Runs with Chebyshev's acceleration: a hard problem, and how they end. */
#include "solve/cases.h"

#include <math.h>

static void thermal_bridge_is_solved(void **state)
{
  struct hs_config_region regions[5];
  struct hs_config config = iso_case_2(regions);
  const struct hs_solve_outcome *o;
  struct test_run run;
  (void)state;
  config.solver.method = HS_METHOD_CHEBYSHEV;
  config.solver.criterion = HS_CRITERION_ERROR;
  config.solver.tolerance = 1e-3;
  config.solver.balance_tolerance = 1e-4;
  config.solver.threads = 0;
  test_run_start(&run, &config, NULL);
  o = &run.result.outcome;
  assert_int_equal(o->verdict, HS_VERDICT_CONVERGED);
  if (o->sweeps > 15000) fail_msg("%lld sweeps", (long long)o->sweeps);
  assert_true(run.result.answers.balance.imbalance_relative <= 1e-4);
  assert_true(o->restarts < 15);
  test_near("1 - spectral radius", 1.0 - o->spectral_radius, 1.8e-6, 0.3e-6);
  test_near("heat in", run.result.answers.balance.side_w_m[HS_SOUTH], 9.5, 0.1);
  test_near("temperature at A", run.result.field_k[95 * 1001], 7.1, 0.1);
  test_near("temperature at H", run.result.field_k[0], 16.8, 0.1);
  test_run_clear(&run);
}

/* Small problems are solved to the last bit before the first evaluation of the test, and it holds there. */
/* Four discs that conduct 10^4 times as well as the plate: modes that hardly move, and radii near 1. The sweeps are about those
 * that the exact radius needs. */
static void conductive_discs_are_solved(void **state)
{
  static const struct {
    int n;
    double low_k, high_k, tolerance_k;
  } cases[] = {{129, 0.0, 1.0, 1e-6}, {257, 0.0, 1.0, 1e-5}, {129, 293.0, 313.0, 1e-5}};
  static char title[] = "disc", copper[] = "copper";
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct hs_config config = test_config(cases[k].n, cases[k].n);
    struct hs_config_region regions[4];
    struct test_run run, exact;
    double error_k, least;
    test_material_add(&config, test_material(copper, 1e4, NAN, NAN));
    for (int r = 0; r < 4; r++) {
      regions[r] = (struct hs_config_region){.name = title, .material = copper, .initial_k = NAN};
      regions[r].shape = (struct hs_config_shape){
          .kind = HS_SHAPE_CIRCLE, .x_m = r % 2 ? 0.75 : 0.25, .y_m = r / 2 ? 0.75 : 0.25, .radius_m = 0.15};
    }
    config.regions = regions;
    config.region_count = 4;
    for (int side = 0; side < HS_SIDES; side++)
      test_wall_temperature(&config, (enum hs_side)side, side == HS_EAST ? cases[k].high_k : cases[k].low_k);
    config.initial.temperature_k = cases[k].low_k;
    config.solver.criterion = HS_CRITERION_ERROR;
    config.solver.method = HS_METHOD_MULTIGRID;
    config.solver.tolerance = 1e-2 * cases[k].tolerance_k;
    test_run_start(&exact, &config, NULL);
    config.solver.method = HS_METHOD_CHEBYSHEV;
    config.solver.tolerance = cases[k].tolerance_k;
    test_run_start(&run, &config, NULL);
    error_k = test_difference(run.result.field_k, exact.result.field_k, (size_t)cases[k].n * (size_t)cases[k].n);
    least = log(2.0 * (cases[k].high_k - cases[k].low_k) / cases[k].tolerance_k) /
            acosh(1.0 / run.result.outcome.spectral_radius);
    if (run.result.outcome.verdict != HS_VERDICT_CONVERGED || error_k > 1.5 * cases[k].tolerance_k ||
        (double)run.result.outcome.sweeps > 1.5 * least)
      fail_msg("case %zu: %s after %lld sweeps, of which %.0f are needed, error %g K", k,
               hs_verdict_name(run.result.outcome.verdict), (long long)run.result.outcome.sweeps, least, error_k);
    test_run_clear(&run);
    test_run_clear(&exact);
  }
}

static void chebyshev_converges_between_evaluations(void **state)
{
  static const enum hs_criterion criteria[] = {HS_CRITERION_ERROR, HS_CRITERION_RESIDUAL, HS_CRITERION_UPDATE_MAX};
  (void)state;
  for (int k = 0; k < 3 * 5; k++) {
    const int n = 4 + 2 * (k / 3);
    struct hs_config_source glow;
    struct hs_config config = poisson_to_residual(n, &glow);
    struct test_run plain, run;
    config.solver.criterion = HS_CRITERION_UPDATE_MAX;
    config.solver.tolerance = 1e-16;
    test_run_start(&plain, &config, NULL);
    config.solver.method = HS_METHOD_CHEBYSHEV;
    config.solver.criterion = criteria[k % 3];
    config.solver.tolerance = 1e-8;
    config.solver.check_every = 4096;
    test_run_start(&run, &config, NULL);
    assert_int_equal(run.result.outcome.verdict, HS_VERDICT_CONVERGED);
    assert_true(run.result.outcome.sweeps < 4096);
    if (k % 3 == 0) assert_true(run.result.outcome.estimate_converged);
    if (k % 3 == 0) assert_true(run.result.outcome.error_estimate_k <= 1e-8);
    test_near("field", test_difference(plain.result.field_k, run.result.field_k, (size_t)(n + 1) * (size_t)(n + 1)),
              0.0, 1e-13);
    test_run_clear(&plain);
    test_run_clear(&run);
  }
}

static void chebyshev_ends_at_rounding(void **state)
{
  (void)state;
  for (int k = 0; k < 10; k++) {
    struct hs_config_region region;
    struct hs_config_source source;
    struct hs_config config = problem_of(k / 2, &region, &source);
    struct test_run run;
    double bound;
    config.solver.method = HS_METHOD_CHEBYSHEV;
    config.solver.precision = k % 2 ? HS_SINGLE : HS_DOUBLE;
    config.solver.criterion = HS_CRITERION_UPDATE_MAX;
    config.solver.tolerance = 1e-300;
    config.solver.check_every = 30;
    config.solver.max_iterations = 200000;
    test_run_start(&run, &config, NULL);
    if (run.result.outcome.verdict != HS_VERDICT_STAGNATED) /* a field that rests to the last bit */
      assert_int_equal(run.result.outcome.verdict, HS_VERDICT_CONVERGED);
    /* problem 2: 280 K, a first correction of 0.04 K, and a rounding error that is carried along for 500 sweeps */
    bound = k % 2 ? (k / 2 == 2 ? 10.0 : 1e-2) : k / 2 == 2 ? 1e-6 : 1e-10;
    if (!(run.result.outcome.residual_relative < bound))
      fail_msg("problem %d, %s: residual %g of the first", k / 2, k % 2 ? "single" : "double",
               run.result.outcome.residual_relative);
    assert_true(run.result.outcome.sweeps < 100000);
    test_run_clear(&run);
  }
}

static void chebyshev_keeps_the_limit_to_the_sweep(void **state)
{
  static const int limits[] = {1, 15, 16, 17, 100, 1001};
  (void)state;
  for (int k = 0; k < 6; k++) {
    struct hs_config_source spot;
    struct hs_config config = test_config_workshop(40, &spot);
    struct test_run run;
    config.solver.method = HS_METHOD_CHEBYSHEV;
    config.solver.tolerance = 1e-300;
    config.solver.max_iterations = limits[k];
    test_run_start(&run, &config, NULL);
    if (run.result.outcome.verdict == HS_VERDICT_LIMIT)
      assert_int_equal(run.result.outcome.sweeps, limits[k]);
    else
      assert_true(limits[k] > 1000);
    test_run_clear(&run);
  }
}

/* All backends look at the same norms, so they take the same decisions. */
static void chebyshev_is_the_same_on_the_reference(void **state)
{
  static char reference[] = "cpu-reference";
  (void)state;
  for (int which = 0; which < 5; which++) {
    struct hs_config_region region;
    struct hs_config_source source;
    struct hs_config config = problem_of(which, &region, &source);
    struct test_run a, b;
    config.solver.method = HS_METHOD_CHEBYSHEV;
    config.solver.check_every = 25;
    config.solver.criterion = HS_CRITERION_RESIDUAL;
    config.solver.tolerance = 1e-5;
    test_run_start(&a, &config, NULL);
    config.solver.backend = reference;
    test_run_start(&b, &config, NULL);
    assert_int_equal(a.result.outcome.sweeps, b.result.outcome.sweeps);
    test_fields_same("Chebyshev", b.result.field_k, a.result.field_k, config.grid.nx, config.grid.ny);
    test_run_clear(&a);
    test_run_clear(&b);
  }
}

static void stop_at_once(void *context, const struct hs_solve_progress *progress)
{
  (void)progress;
  *(volatile sig_atomic_t *)context = 1;
}

static void chebyshev_can_be_interrupted(void **state)
{
  static const int checks[] = {1, 64, 100000000};
  (void)state;
  for (int k = 0; k < 3; k++) {
    volatile sig_atomic_t stop = 0;
    const struct hs_solve_observer observer = {stop_at_once, (void *)&stop, &stop};
    struct hs_config_region regions[5];
    struct hs_config config = iso_case_2(regions);
    struct test_run run;
    config.solver.method = HS_METHOD_CHEBYSHEV;
    config.solver.max_iterations = 1000000000;
    config.solver.tolerance = 1e-300;
    config.solver.check_every = checks[k];
    test_run_start(&run, &config, &observer);
    assert_int_equal(run.result.outcome.verdict, HS_VERDICT_INTERRUPTED);
    assert_true(run.result.outcome.sweeps > 0);
    test_run_clear(&run);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(thermal_bridge_is_solved),
      cmocka_unit_test(conductive_discs_are_solved),
      cmocka_unit_test(chebyshev_converges_between_evaluations),
      cmocka_unit_test(chebyshev_ends_at_rounding),
      cmocka_unit_test(chebyshev_keeps_the_limit_to_the_sweep),
      cmocka_unit_test(chebyshev_is_the_same_on_the_reference),
      cmocka_unit_test(chebyshev_can_be_interrupted),
  };
  return cmocka_run_group_tests_name("chebyshev_run", tests, NULL, NULL);
}
