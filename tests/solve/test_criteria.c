/* The criteria of the stop test, the history of its norms, and the scale of their sums. */
#include "solve/cases.h"

#include <math.h>
#include <stdlib.h>

/* --- criteria ------------------------------------------------------------------------------------ */

static void residual_reaches_1e_6_when_it_should(void **state)
{
  static const int cases[][2] = {{16, 705}, {32, 2825}, {64, 11302}};
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct hs_config_source glow;
    struct hs_config config = poisson_config(cases[k][0], &glow);
    struct test_run run;
    config.solver.criterion = HS_CRITERION_RESIDUAL;
    config.solver.tolerance = 1e-6;
    config.solver.check_every = 1;
    test_run_start(&run, &config, NULL);
    assert_int_equal(run.result.outcome.sweeps, cases[k][1]);
    assert_true(run.result.outcome.residual_relative <= 1e-6);
    test_run_clear(&run);
  }
}

/* The residual of a run, recomputed from the field: b - A T with h^2 times the equation. */
static void residual_is_that_of_the_field(void **state)
{
  struct hs_config_source glow;
  struct hs_config config = poisson_config(32, &glow);
  struct test_run run;
  double sum = 0.0, largest = 0.0;
  (void)state;
  test_run_start(&run, &config, NULL);
  for (int j = 1; j < 32; j++) {
    for (int i = 1; i < 32; i++) {
      const double *t = run.result.field_k + 33 * j + i;
      const double r = 1.0 / 1024 + ((t[1] - t[0]) + (t[-1] - t[0])) + ((t[33] - t[0]) + (t[-33] - t[0]));
      sum += r * r;
      largest = fmax(largest, fabs(r));
    }
  }
  test_near("residual", run.result.outcome.norms.residual_l2, sqrt(sum), 1e-14);
  test_near("largest residual", run.result.outcome.norms.residual_max, largest, 1e-15);
  test_near("initial residual", run.result.outcome.residual_initial_l2, 31.0 / 1024, 1e-16);
  test_near("relative residual", run.result.outcome.residual_relative, sqrt(sum) / (31.0 / 1024), 1e-12);
  test_run_clear(&run);
}

static void residual_and_error_stop_at_multiples_of_check_every(void **state)
{
  static const int intervals[] = {1, 3, 32, 100, 1000};
  (void)state;
  for (size_t k = 0; k < 2 * sizeof intervals / sizeof *intervals; k++) {
    const int check_every = intervals[k / 2];
    int interval; /* an error is estimated from an even number of sweeps */
    struct hs_config_source glow;
    struct hs_config config = poisson_config(32, &glow);
    struct test_run run;
    config.solver.criterion = k % 2 ? HS_CRITERION_ERROR : HS_CRITERION_RESIDUAL;
    config.solver.tolerance = 1e-6;
    config.solver.check_every = check_every;
    interval = hs_solve_interval(k % 2 ? HS_STOP_ERROR : HS_STOP_RESIDUAL, check_every);
    test_run_start(&run, &config, NULL);
    assert_int_equal(run.result.outcome.verdict, HS_VERDICT_CONVERGED);
    assert_int_equal(run.result.outcome.sweeps % interval, 0);
    assert_int_equal(run.result.outcome.exact_stop, interval == 1);
    if (k % 2 == 0) assert_int_equal(run.result.outcome.sweeps, (2825 + check_every - 1) / check_every * check_every);
    test_run_clear(&run);
  }
}

/* A run that stops by its error estimate is as near to the exact discrete solution as it says. */
static void error_criterion_keeps_its_promise(void **state)
{
  static const double tolerances_k[] = {1e-3, 1e-5, 1e-8};
  struct hs_config_source glow;
  struct hs_config config = poisson_config(40, &glow);
  struct test_run exact, run;
  (void)state;
  config.solver.tolerance = 1e-14;
  test_run_start(&exact, &config, NULL);
  for (size_t k = 0; k < sizeof tolerances_k / sizeof *tolerances_k; k++) {
    double error_k;
    config.solver.criterion = HS_CRITERION_ERROR;
    config.solver.tolerance = tolerances_k[k];
    config.solver.check_every = 10;
    test_run_start(&run, &config, NULL);
    error_k = test_difference(exact.result.field_k, run.result.field_k, 41 * 41);
    assert_true(run.result.outcome.estimate_converged);
    assert_true(run.result.outcome.error_estimate_k <= tolerances_k[k]);
    test_near("estimate over error", run.result.outcome.error_estimate_k / error_k, 1.0, 0.05);
    assert_true(error_k > 0.9 * tolerances_k[k]);
    test_run_clear(&run);
  }
  test_run_clear(&exact);
}

/* --- the history --------------------------------------------------------------------------------- */

static void history_rises_and_ends_at_the_stop(void **state)
{
  static const int intervals[] = {1, 7, 16, 128, 5000};
  (void)state;
  for (size_t k = 0; k < sizeof intervals / sizeof *intervals; k++) {
    struct hs_config_source spot;
    struct hs_config config = test_config_workshop(64, &spot);
    const struct hs_solve_outcome *o;
    struct test_run run;
    config.solver.check_every = intervals[k];
    test_run_start(&run, &config, NULL);
    o = &run.result.outcome;
    assert_true(o->history_count >= 1);
    for (int m = 0; m < o->history_count; m++) {
      assert_true(o->history[m].sweeps > (m ? o->history[m - 1].sweeps : 0));
      assert_true(m == o->history_count - 1 || o->history[m].sweeps % intervals[k] == 0);
      assert_true(m == 0 || o->history[m].norms.update_l2 <= o->history[m - 1].norms.update_l2);
      assert_true(isfinite(o->history[m].norms.residual_l2) == (intervals[k] >= 16 || m == o->history_count - 1));
    }
    assert_int_equal(o->history[o->history_count - 1].sweeps, 4514);
    assert_true(test_same(o->history[o->history_count - 1].norms.update_l2, o->norms.update_l2));
    assert_int_equal(o->history_count, (4514 + intervals[k] - 1) / intervals[k]);
    test_run_clear(&run);
  }
}

/* More evaluations than rows: rows are thinned, what is left is right. */
static void history_is_thinned_when_it_is_full(void **state)
{
  static struct hs_norms norms[20001];
  struct hs_config_source spot;
  struct hs_config config = test_config_workshop(64, &spot);
  const struct hs_backend_options options = {.single = false};
  const struct hs_bounds bounds = {0.7, 0.0};
  const struct hs_solve_outcome *o;
  struct hs_backend_state *backend = NULL;
  struct hs_error err = {0};
  struct test_run run;
  (void)state;
  config.solver.check_every = 1;
  config.solver.max_iterations = 20001;
  config.solver.tolerance = 1e-300;
  config.solver.criterion = HS_CRITERION_RESIDUAL;
  test_run_start(&run, &config, NULL);
  o = &run.result.outcome;
  test_ok(hs_backend_reference.create(run.job.system, &options, &backend, &err), &err);
  test_ok(hs_backend_reference.load(backend, run.job.initial_k, &err), &err);
  test_ok(hs_backend_reference.sweep_normed(backend, o->sweeps, &bounds, norms, &err), &err);
  assert_true(o->sweeps > 8192);
  assert_true(o->history_count <= 8192 && o->history_count > 2000);
  assert_int_equal(o->history[0].sweeps, 1);
  assert_int_equal(o->history[o->history_count - 1].sweeps, o->sweeps);
  for (int m = 0; m < o->history_count; m++) {
    assert_true(m == 0 || o->history[m].sweeps > o->history[m - 1].sweeps);
    if (m < o->history_count - 1) assert_int_equal(o->history[m].sweeps, 1 + 4 * m); /* 20001 / 8192, to a power of 2 */
    assert_true(o->history[m].norms.update_max == norms[o->history[m].sweeps - 1].update_max);
  }
  hs_backend_reference.destroy(backend);
  test_run_clear(&run);
}

/* --- the scale is renewed when a maximum outgrows it --------------------------------------------- */

/* A plate with a hot west wall whose inner block weighs residuals ten thousand times heavier: the residual grows when
 * the heat arrives there. */
static struct hs_system *heavy_block_system(void)
{
  struct hs_config config = test_config_spaced(30, 20, 1.0, 1.0);
  struct hs_config_source block = test_source_rectangle(2.5, 29.0, 0.0, 19.0, 1.0);
  struct hs_system *system;
  test_wall_temperature(&config, HS_WEST, 1.0);
  config.sources = &block;
  config.source_count = 1;
  system = test_system(&config);
  for (int k = 0; k < system->table_size; k++) {
    if (system->stencil[k].diagonal == 0.0 || system->stencil[k].c == 0.0) continue;
    system->stencil[k].c = 0.0;
    system->stencil_single[k].c = 0.0f;
    system->stencil[k].diagonal *= 1e4;
  }
  return system;
}

/* Counts the calls of norms and delegates everything else to cpu-reference. */
static int norms_calls;

static hs_status counting_norms(struct hs_backend_state *state, const struct hs_bounds *bounds, struct hs_norms *norms,
                                struct hs_error *err)
{
  norms_calls++;
  return hs_backend_reference.norms(state, bounds, norms, err);
}

static void outgrown_scale_is_renewed(void **state)
{
  static const int intervals[] = {1, 2, 16};
  enum { CHECKS = 30 };
  struct hs_system *system = heavy_block_system();
  struct hs_backend counting = hs_backend_reference;
  double *start_k = test_field(system);
  (void)state;
  counting.norms = counting_norms;
  for (int j = 1; j < 19; j++) start_k[30 * j] = 1.0;
  for (int k = 0; k < 3; k++) {
    const struct hs_solve_settings settings = {.quantity = HS_STOP_RESIDUAL,
                                               .tolerance = 1e-300,
                                               .max_iterations = CHECKS * intervals[k],
                                               .check_every = intervals[k]};
    struct hs_solve_outcome a, b;
    int grew = 0;
    norms_calls = 0;
    a = test_solve(system, start_k, &settings, &counting, false, NULL, NULL);
    b = test_solve(system, start_k, &settings, &hs_backend_cpu, false, NULL, NULL);
    assert_int_equal(a.history_count, CHECKS);
    assert_int_equal(b.history_count, CHECKS);
    for (int m = 0; m < CHECKS; m++) {
      /* the walls are at rest, so the first residual's maximum is 4 * 1/4 */
      const double before = m ? a.history[m - 1].norms.residual_max : 1.0;
      grew += a.history[m].norms.residual_max > HS_SUM_SLACK * before;
      assert_true(test_same(a.history[m].norms.residual_l2, b.history[m].norms.residual_l2));
      assert_true(test_same(a.history[m].norms.update_l2, b.history[m].norms.update_l2));
      assert_true(a.history[m].norms.residual_l2 >= a.history[m].norms.residual_max);
    }
    /* at the start once without and once with a scale, once at every check and at the end, and where it grew */
    assert_true(grew > 0);
    assert_true(norms_calls >= 2 + CHECKS + 1 + grew);
    hs_solve_outcome_clear(&a);
    hs_solve_outcome_clear(&b);
  }
  free(start_k);
  hs_system_destroy(system);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(residual_reaches_1e_6_when_it_should),
      cmocka_unit_test(residual_is_that_of_the_field),
      cmocka_unit_test(residual_and_error_stop_at_multiples_of_check_every),
      cmocka_unit_test(error_criterion_keeps_its_promise),
      cmocka_unit_test(history_rises_and_ends_at_the_stop),
      cmocka_unit_test(history_is_thinned_when_it_is_full),
      cmocka_unit_test(outgrown_scale_is_renewed),
  };
  return cmocka_run_group_tests_name("criteria", tests, NULL, NULL);
}
