/* Chebyshev's acceleration: the sweeps that it takes, and its estimate of the error, beside that of weighted sweeps. */
#include "solve/cases.h"

#include <math.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

/* --- counts -------------------------------------------------------------------------------------- */

static const int INTERVALS[] = {16, 32, 64, 128, 256};
static const int OPTIMAL[] = {74, 147, 295, 589, 1177};

/* The recursion with the spectral radius given: to 1e-6 of the first residual. */
static void recursion_takes_the_known_sweeps(void **state)
{
  (void)state;
  for (int k = 0; k < 5; k++) {
    const int n = INTERVALS[k];
    const struct hs_relaxation relaxation = {.form = HS_FORM_CHEBYSHEV, .weight = 1.0, .rho = cos(PI / n)};
    const struct hs_backend_options options = {.threads = 1};
    const struct hs_bounds bounds = {1.0 / n / n, 1.0 / n / n};
    struct hs_config_source glow;
    struct hs_config config = poisson_to_residual(n, &glow);
    struct hs_system *system = test_system(&config);
    double *field_k = test_field(system);
    struct hs_backend_state *backend = NULL;
    struct hs_error err = {0};
    struct hs_norms norms;
    double start;
    int sweeps = 0;
    test_ok(hs_backend_cpu.create(system, &options, &backend, &err), &err);
    test_ok(hs_backend_cpu.load(backend, field_k, &err), &err);
    test_ok(hs_backend_cpu.relax(backend, &relaxation, &err), &err);
    test_ok(hs_backend_cpu.norms(backend, &bounds, &norms, &err), &err);
    start = norms.residual_l2;
    while (norms.residual_l2 > 1e-6 * start && sweeps < 2000) {
      test_ok(hs_backend_cpu.sweep(backend, 1, &err), &err);
      test_ok(hs_backend_cpu.norms(backend, &bounds, &norms, &err), &err);
      sweeps++;
    }
    assert_int_equal(sweeps, OPTIMAL[k]);
    hs_backend_cpu.destroy(backend);
    free(field_k);
    hs_system_destroy(system);
  }
}

/* Without it: found on the way. */
static void adaptive_recursion_is_nearly_as_good(void **state)
{
  static const int checks[] = {1, 10, 64};
  (void)state;
  for (int k = 0; k < 5 * 3; k++) {
    struct hs_config_source glow;
    struct hs_config config = poisson_to_residual(INTERVALS[k / 3], &glow);
    int64_t sweeps;
    config.solver.method = HS_METHOD_CHEBYSHEV;
    config.solver.check_every = checks[k % 3];
    sweeps = sweeps_of(&config);
    if (sweeps > 2 * OPTIMAL[k / 3] + checks[k % 3])
      fail_msg("%d intervals, check_every %d: %lld sweeps, %d are possible", INTERVALS[k / 3], checks[k % 3],
               (long long)sweeps, OPTIMAL[k / 3]);
  }
}

/* --- error estimates ----------------------------------------------------------------------------- */

/* At every check of a long run: the converged estimate against the distance from the solution. Restarting the run with
 * other limits gives the fields of that run. */
static void estimate_is_told_honestly(enum hs_method method, int which, double weight, double low, double high)
{
  struct hs_config_region region;
  struct hs_config_source source;
  struct hs_config config = problem_of(which, &region, &source);
  struct test_run exact, run;
  double first_k;
  int settled = 0;
  config.solver.method = HS_METHOD_CHEBYSHEV;
  config.solver.criterion = HS_CRITERION_UPDATE_MAX;
  config.solver.check_every = 50;
  config.solver.tolerance = 1e-300;
  test_run_start(&exact, &config, NULL);
  first_k = test_difference(exact.result.field_k, exact.job.initial_k, (size_t)config.grid.nx * (size_t)config.grid.ny);
  config.solver.method = method;
  config.solver.weight = weight;
  for (int limit = 150; limit < 1000000; limit += limit / 2) {
    double error_k;
    config.solver.max_iterations = limit;
    test_run_start(&run, &config, NULL);
    error_k =
        test_difference(exact.result.field_k, run.result.field_k, (size_t)config.grid.nx * (size_t)config.grid.ny);
    if (error_k < 1e-8 * first_k) limit = 1000000;
    if (limit < 1000000 && run.result.outcome.estimate_converged) {
      const double ratio = run.result.outcome.error_estimate_k / error_k;
      settled++;
      if (!(ratio >= low && ratio <= high))
        fail_msg("%s %g, problem %d, %d sweeps: estimate %g, error %g, ratio %.3g", hs_method_name(method), weight,
                 which, limit, run.result.outcome.error_estimate_k, error_k, ratio);
    }
    test_run_clear(&run);
  }
  if (settled == 0) fail_msg("%s, problem %d: never settled", hs_method_name(method), which);
  test_run_clear(&exact);
}

static void chebyshev_estimate_is_near_the_error(void **state)
{
  (void)state;
  for (int which = 0; which < 5; which++) estimate_is_told_honestly(HS_METHOD_CHEBYSHEV, which, 1.0, 1.0 / 3, 3.0);
}

static void weighted_estimate_is_near_the_error(void **state)
{
  static const double weights[] = {0.5, 0.8, 0.95};
  (void)state;
  for (int k = 0; k < 3; k++) {
    estimate_is_told_honestly(HS_METHOD_WEIGHTED, 0, weights[k], 0.9, 1.1);
    estimate_is_told_honestly(HS_METHOD_WEIGHTED, 1, weights[k], 0.9, 1.1);
  }
}

/* The criterion `error` with Chebyshev stops no earlier than it says. */
static void error_criterion_holds_with_chebyshev(void **state)
{
  (void)state;
  for (int which = 0; which < 5; which++) {
    struct hs_config_region region;
    struct hs_config_source source;
    struct hs_config config = problem_of(which, &region, &source);
    struct test_run exact, run;
    config.solver.method = HS_METHOD_CHEBYSHEV;
    config.solver.check_every = 20;
    config.solver.criterion = HS_CRITERION_UPDATE_MAX;
    config.solver.tolerance = 1e-300;
    test_run_start(&exact, &config, NULL);
    config.solver.criterion = HS_CRITERION_ERROR;
    config.solver.tolerance = 1e-5;
    test_run_start(&run, &config, NULL);
    assert_int_equal(run.result.outcome.verdict, HS_VERDICT_CONVERGED);
    assert_true(run.result.outcome.estimate_converged);
    test_near(
        "error",
        test_difference(exact.result.field_k, run.result.field_k, (size_t)config.grid.nx * (size_t)config.grid.ny), 0.0,
        3e-5);
    test_run_clear(&run);
    test_run_clear(&exact);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(recursion_takes_the_known_sweeps),     cmocka_unit_test(adaptive_recursion_is_nearly_as_good),
      cmocka_unit_test(chebyshev_estimate_is_near_the_error), cmocka_unit_test(weighted_estimate_is_near_the_error),
      cmocka_unit_test(error_criterion_holds_with_chebyshev),
  };
  return cmocka_run_group_tests_name("chebyshev", tests, NULL, NULL);
}
