/* The exact stop sweep: it is the same however often the test is evaluated, on every backend. */
#include "solve/cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double *field_copy(const struct test_run *run)
{
  double *copy = test_field(run->job.system);
  memcpy(copy, run->result.field_k, (size_t)run->result.nx * (size_t)run->result.ny * sizeof *copy);
  return copy;
}

static void stop_sweep_does_not_depend_on_check_every(void **state)
{
  enum { N = 128 };
  static const int intervals[] = {1, 2, 7, 32, 128, 1000};
  int64_t largest_sweeps = 0;
  double *field_k = NULL;
  (void)state;
  for (size_t k = 0; k < 2 * sizeof intervals / sizeof *intervals; k++) {
    struct hs_config_source spot;
    struct hs_config config = test_config_workshop(N, &spot);
    struct test_run run;
    config.solver.criterion = k % 2 ? HS_CRITERION_UPDATE_MAX : HS_CRITERION_UPDATE_L2;
    if (k % 2) config.solver.tolerance = 1e-5;
    config.solver.check_every = intervals[k / 2];
    test_run_start(&run, &config, NULL);
    assert_true(run.result.outcome.exact_stop);
    if (k % 2 == 0) {
      if (!field_k) field_k = field_copy(&run);
      assert_int_equal(run.result.outcome.sweeps, 11524);
      test_fields_same("workshop", field_k, run.result.field_k, N, N);
    } else {
      if (!largest_sweeps) largest_sweeps = run.result.outcome.sweeps;
      assert_int_equal(run.result.outcome.sweeps, largest_sweeps);
      assert_true(run.result.outcome.norms.update_max <= 1e-5);
    }
    test_run_clear(&run);
  }
  free(field_k);
}

static void exactness_follows_the_symmetry(void **state)
{
  struct hs_system system = {.symmetric = true};
  (void)state;
  assert_true(hs_solve_stop_is_exact(&system, HS_STOP_UPDATE_L2));
  assert_true(hs_solve_stop_is_exact(&system, HS_STOP_UPDATE_MAX));
  assert_false(hs_solve_stop_is_exact(&system, HS_STOP_RESIDUAL));
  assert_false(hs_solve_stop_is_exact(&system, HS_STOP_ERROR));
  system.symmetric = false;
  assert_false(hs_solve_stop_is_exact(&system, HS_STOP_UPDATE_L2));
  assert_true(hs_solve_stop_is_exact(&system, HS_STOP_UPDATE_MAX));
}

static void random_problems_stop_at_the_same_sweep(void **state)
{
  struct test_random random = {42};
  (void)state;
  for (int c = 0; c < 200; c++) {
    struct hs_config_source sources[2];
    struct hs_config config = random_plate(&random, sources);
    struct test_run each, blocks;
    char what[32];
    snprintf(what, sizeof what, "problem %d", c);
    if (c % 2) config.solver.backend = (char *)"cpu-reference";
    config.solver.check_every = 1;
    test_run_start(&each, &config, NULL);
    config.solver.check_every = 64;
    test_run_start(&blocks, &config, NULL);
    assert_int_equal(each.result.outcome.verdict, HS_VERDICT_CONVERGED);
    if (each.result.outcome.sweeps != blocks.result.outcome.sweeps)
      fail_msg("%s, %d x %d, criterion %s to %g: %lld sweeps with check_every 1, %lld with 64", what, config.grid.nx,
               config.grid.ny, hs_criterion_name(config.solver.criterion), config.solver.tolerance,
               (long long)each.result.outcome.sweeps, (long long)blocks.result.outcome.sweeps);
    test_fields_same(what, each.result.field_k, blocks.result.field_k, config.grid.nx, config.grid.ny);
    test_near("update_l2", blocks.result.outcome.norms.update_l2, each.result.outcome.norms.update_l2,
              1e-14 * each.result.outcome.norms.update_l2);
    test_run_clear(&each);
    test_run_clear(&blocks);
  }
}

/* Tolerances that fall anywhere inside a pass of several sweeps, with tiles and numbers of threads of any kind. */
static void passes_stop_at_the_sweep_of_the_reference(void **state)
{
  static const int tiles[][2] = {{1, 2}, {16, 3}, {20, 16}, {100, 7}, {16, 40}, {2000, 2}, {2000, 3}};
  struct test_random random = {43};
  (void)state;
  for (int c = 0; c < 200; c++) {
    struct hs_config_source sources[2];
    const struct hs_backend_testing testing = {.tile_columns = tiles[c % 7][0], .stages = tiles[c % 7][1]};
    struct hs_config config = random_plate(&random, sources);
    struct test_run wanted, got;
    char what[80];
    snprintf(what, sizeof what, "problem %d, tiles %dx%d, %d threads", c, testing.tile_columns, testing.stages,
             1 + c / 7 % 7);
    config.solver.precision = c % 2 && config.solver.tolerance > 1e-3 ? HS_SINGLE : HS_DOUBLE;
    config.solver.backend = (char *)"cpu-reference";
    config.solver.check_every = 1;
    test_run_start(&wanted, &config, NULL);
    config.solver.backend = (char *)"cpu";
    config.solver.threads = 1 + c / 7 % 7;
    config.solver.check_every = test_random_integer(&random, 3, 100);
    test_run_start_testing(&got, &config, testing, NULL);
    if (wanted.result.outcome.sweeps != got.result.outcome.sweeps ||
        wanted.result.outcome.verdict != got.result.outcome.verdict)
      fail_msg("%s: verdict %d after %lld sweeps, the reference %d after %lld", what, got.result.outcome.verdict,
               (long long)got.result.outcome.sweeps, wanted.result.outcome.verdict,
               (long long)wanted.result.outcome.sweeps);
    test_fields_same(what, wanted.result.field_k, got.result.field_k, config.grid.nx, config.grid.ny);
    test_run_clear(&wanted);
    test_run_clear(&got);
  }
}

/* The exact stop sweep of weighted sweeps, by both norms. */
static void weighted_stop_does_not_depend_on_check_every(void **state)
{
  static const int checks[] = {1, 7, 64, 1000};
  static const double weights[] = {0.3, 0.8, 0.999};
  (void)state;
  for (int k = 0; k < 6; k++) {
    int64_t first = 0;
    for (int c = 0; c < 4; c++) {
      struct hs_config_source spot;
      struct hs_config config = test_config_workshop(40, &spot);
      struct test_run run;
      config.solver.method = HS_METHOD_WEIGHTED;
      config.solver.weight = weights[k / 2];
      config.solver.criterion = k % 2 ? HS_CRITERION_UPDATE_MAX : HS_CRITERION_UPDATE_L2;
      config.solver.check_every = checks[c];
      test_run_start(&run, &config, NULL);
      assert_int_equal(run.result.outcome.verdict, HS_VERDICT_CONVERGED);
      assert_true(run.result.outcome.exact_stop);
      if (first == 0) first = run.result.outcome.sweeps;
      assert_int_equal(run.result.outcome.sweeps, first);
      test_run_clear(&run);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stop_sweep_does_not_depend_on_check_every),
      cmocka_unit_test(exactness_follows_the_symmetry),
      cmocka_unit_test(random_problems_stop_at_the_same_sweep),
      cmocka_unit_test(passes_stop_at_the_sweep_of_the_reference),
      cmocka_unit_test(weighted_stop_does_not_depend_on_check_every),
  };
  return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
