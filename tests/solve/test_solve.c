/* How runs end: at their limit, at rounding, by divergence or interruption; and what they say of themselves then. */
#include "solve/cases.h"

#include <math.h>
#include <stdlib.h>

static void limit_is_kept_to_the_sweep(void **state)
{
  static const int limits[] = {1, 2, 63, 64, 65, 1000, 1001}, intervals[] = {1, 2, 7, 64, 999, 100000};
  (void)state;
  for (size_t k = 0; k < 7 * 6 * 2; k++) {
    struct hs_config_source spot;
    struct hs_config config = test_config_workshop(40, &spot);
    struct test_run run, reference;
    config.solver.criterion = k % 2 ? HS_CRITERION_RESIDUAL : HS_CRITERION_UPDATE_L2;
    config.solver.tolerance = 1e-300;
    config.solver.max_iterations = limits[k / 2 % 7];
    config.solver.check_every = intervals[k / 14];
    test_run_start(&run, &config, NULL);
    assert_int_equal(run.result.outcome.verdict, HS_VERDICT_LIMIT);
    assert_int_equal(run.result.outcome.sweeps, limits[k / 2 % 7]);
    config.solver.backend = (char *)"cpu-reference";
    config.solver.check_every = 1;
    test_run_start(&reference, &config, NULL);
    test_fields_same("at the limit", reference.result.field_k, run.result.field_k, 40, 40);
    test_run_clear(&reference);
    test_run_clear(&run);
  }
}

static void verdicts_have_names_and_exit_codes(void **state)
{
  (void)state;
  assert_int_equal(hs_verdict_exit_code(HS_VERDICT_CONVERGED), 0);
  assert_int_equal(hs_verdict_exit_code(HS_VERDICT_LIMIT), 3);
  assert_int_equal(hs_verdict_exit_code(HS_VERDICT_DIVERGED), 4);
  assert_int_equal(hs_verdict_exit_code(HS_VERDICT_INTERRUPTED), 75);
  assert_string_equal(hs_verdict_name(HS_VERDICT_CONVERGED), "converged");
  assert_string_equal(hs_verdict_name(HS_VERDICT_LIMIT), "iteration-limit");
  assert_string_equal(hs_verdict_name(HS_VERDICT_DIVERGED), "diverged");
  assert_string_equal(hs_verdict_name(HS_VERDICT_INTERRUPTED), "interrupted");
  assert_int_equal(hs_verdict_exit_code(HS_VERDICT_STAGNATED), 3);
  assert_string_equal(hs_verdict_name(HS_VERDICT_STAGNATED), "stagnated");
}

/* A tolerance below the last digit: the run ends when the update no longer falls, near the exact solution. */
static void rounding_ends_a_run(void **state)
{
  static const int intervals[] = {1, 16, 64, 1000};
  double *exact_k = workshop_exact(40);
  (void)state;
  for (size_t k = 0; k < 2 * sizeof intervals / sizeof *intervals; k++) {
    struct hs_config_source spot;
    struct hs_config config = test_config_workshop(40, &spot);
    const struct hs_solve_outcome *o;
    struct test_run run;
    config.solver.criterion = k % 2 ? HS_CRITERION_UPDATE_MAX : HS_CRITERION_UPDATE_L2;
    config.solver.tolerance = 1e-300;
    config.solver.check_every = intervals[k / 2];
    test_run_start(&run, &config, NULL);
    o = &run.result.outcome;
    if (o->verdict != HS_VERDICT_STAGNATED) assert_int_equal(o->verdict, HS_VERDICT_CONVERGED);
    assert_true(o->norms.update_max < 1e-14);
    assert_true(o->sweeps < 50000);
    test_near("distance from the solution", test_difference(exact_k, run.result.field_k, 40 * 40), 0.0, 1e-11);
    test_run_clear(&run);
  }
  free(exact_k);
}

/* Walls so hot that their sum overflows. */
static void overflow_is_divergence(void **state)
{
  static const int intervals[] = {1, 7, 128};
  (void)state;
  for (int k = 0; k < 12; k++) {
    struct hs_config config = test_config(9, 8);
    struct test_run run;
    for (int side = 0; side < HS_SIDES; side++) test_wall_temperature(&config, (enum hs_side)side, 1e308);
    config.solver.check_every = intervals[k % 3];
    config.solver.criterion = (enum hs_criterion)(k / 3);
    test_run_start(&run, &config, NULL);
    assert_int_equal(run.result.outcome.verdict, HS_VERDICT_DIVERGED);
    test_run_clear(&run);
  }
}

/* Weights that add up to 1.2: every sweep enlarges the field, past the scale of the sums and then beyond all bounds. */
static void growth_is_divergence(void **state)
{
  static const int intervals[] = {1, 2, 16, 40};
  const struct hs_backend *const backends[] = {&hs_backend_reference, &hs_backend_cpu};
  const struct hs_config config = test_config(12, 12);
  struct hs_system *system = test_system(&config);
  double *start_k = test_field(system);
  (void)state;
  for (int k = 0; k < system->table_size; k++)
    if (system->stencil[k].diagonal != 0.0)
      system->stencil[k].west = system->stencil[k].east = system->stencil[k].south = system->stencil[k].north = 1.2;
  start_k[6 * 12 + 6] = 1.0;
  for (int k = 0; k < 8; k++) {
    const struct hs_solve_settings settings = {
        .quantity = HS_STOP_UPDATE_L2, .tolerance = 1e-9, .max_iterations = 100000, .check_every = intervals[k / 2]};
    struct hs_solve_outcome outcome = test_solve(system, start_k, &settings, backends[k % 2], false, NULL, NULL);
    assert_int_equal(outcome.verdict, HS_VERDICT_DIVERGED);
    assert_true(isfinite(outcome.norms.update_l2) && outcome.norms.update_max > 1e6);
    hs_solve_outcome_clear(&outcome);
  }
  free(start_k);
  hs_system_destroy(system);
}

/* Stops a run after some looks at it, and checks what it is shown. */
struct watcher {
  int looks, stop_after;
  int64_t sweeps;
  double tolerance;
  volatile sig_atomic_t stop;
};

static void watch(void *context, const struct hs_solve_progress *progress)
{
  struct watcher *w = context;
  assert_true(progress->sweeps >= w->sweeps && progress->sweeps <= progress->max_sweeps);
  assert_true(progress->tolerance == w->tolerance);
  assert_true(progress->elapsed_s >= 0.0);
  assert_true(isnan(progress->value) || progress->value >= 0.0);
  w->sweeps = progress->sweeps;
  if (++w->looks == w->stop_after) w->stop = 1;
}

static void interruption_leaves_the_field(void **state)
{
  static const int intervals[] = {1, 64, 100000000};
  (void)state;
  for (int k = 0; k < 3; k++) {
    struct watcher w = {.stop_after = 3, .tolerance = 1e-300};
    const struct hs_solve_observer observer = {watch, &w, &w.stop};
    struct hs_config_source spot;
    struct hs_config config = test_config_workshop(256, &spot);
    struct test_run run, reference;
    config.solver.tolerance = 1e-300;
    config.solver.max_iterations = 1000000000;
    config.solver.check_every = intervals[k];
    test_run_start(&run, &config, &observer);
    assert_int_equal(run.result.outcome.verdict, HS_VERDICT_INTERRUPTED);
    assert_int_equal(w.looks >= 3, 1);
    assert_true(run.result.outcome.sweeps > 0);
    config.solver.max_iterations = run.result.outcome.sweeps;
    config.solver.check_every = 100000000; /* one look, at the end */
    test_run_start(&reference, &config, NULL);
    test_fields_same("interrupted", reference.result.field_k, run.result.field_k, 256, 256);
    test_run_clear(&reference);
    test_run_clear(&run);
  }
}

/* A flag that is set before the run: it ends at the first event. */
static void interruption_before_the_start(void **state)
{
  struct watcher w = {.stop = 1, .tolerance = 1e-4};
  const struct hs_solve_observer observer = {watch, &w, &w.stop};
  struct hs_config_source spot;
  const struct hs_config config = test_config_workshop(256, &spot);
  struct test_run run;
  (void)state;
  test_run_start(&run, &config, &observer);
  assert_int_equal(run.result.outcome.verdict, HS_VERDICT_INTERRUPTED);
  assert_true(run.result.outcome.sweeps < 19008);
  test_run_clear(&run);
}

/* Far from the answer the history tells nothing of the error, cycles do. */
static void an_early_error_is_found_by_cycles(void **state)
{
  struct hs_config_source spot;
  struct hs_config config = test_config_workshop(128, &spot);
  struct hs_solve_outcome by_history;
  struct test_run run;
  double *exact_k = workshop_exact(128), *start_k, error_k;
  (void)state;
  config.solver.max_iterations = 20;
  config.solver.check_every = 5;
  test_run_start(&run, &config, NULL);
  error_k = test_difference(exact_k, run.result.field_k, 128 * 128);
  assert_int_equal(run.result.outcome.verdict, HS_VERDICT_LIMIT);
  assert_true(run.result.outcome.found_by_cycles && run.result.outcome.estimate_converged);
  if (!(run.result.outcome.error_estimate_k >= error_k && run.result.outcome.error_estimate_k <= 1.3 * error_k))
    fail_msg("estimate %g K, error %g K", run.result.outcome.error_estimate_k, error_k);
  start_k = test_field_initial(&config, run.job.system);
  by_history =
      test_solve(run.job.system, start_k, &run.job.settings, &hs_backend_cpu, false, NULL, NULL); /* without a judge */
  assert_false(by_history.found_by_cycles || by_history.estimate_converged);
  hs_solve_outcome_clear(&by_history);
  test_run_clear(&run);
  free(start_k);
  free(exact_k);
}

/* What was computed from a diverged field must not look good. */
static void diverged_fields_have_no_answers(void **state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    struct hs_config config = test_config(9, 8);
    struct test_run run;
    for (int side = 0; side < HS_SIDES; side++) test_wall_temperature(&config, (enum hs_side)side, 1e308);
    config.solver.method = (enum hs_method)k;
    config.solver.balance_tolerance = 1e-4;
    test_run_start(&run, &config, NULL);
    assert_int_equal(run.result.outcome.verdict, HS_VERDICT_DIVERGED);
    assert_true(isnan(run.result.outcome.error_estimate_k) && !run.result.outcome.estimate_converged);
    assert_true(isnan(run.result.answers.balance.imbalance_relative));
    for (int side = 0; side < HS_SIDES; side++) assert_true(isnan(run.result.answers.balance.side_w_m[side]));
    test_run_clear(&run);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limit_is_kept_to_the_sweep),
      cmocka_unit_test(verdicts_have_names_and_exit_codes),
      cmocka_unit_test(rounding_ends_a_run),
      cmocka_unit_test(overflow_is_divergence),
      cmocka_unit_test(growth_is_divergence),
      cmocka_unit_test(interruption_leaves_the_field),
      cmocka_unit_test(interruption_before_the_start),
      cmocka_unit_test(an_early_error_is_found_by_cycles),
      cmocka_unit_test(diverged_fields_have_no_answers),
  };
  return cmocka_run_group_tests_name("solve", tests, NULL, NULL);
}
