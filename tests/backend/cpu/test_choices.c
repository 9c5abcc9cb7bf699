/* What tests ask of the cpu backend (struct hs_backend_testing): what it refuses, and that no result depends on it. */
#include "runs.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

static void assert_says(const struct hs_error *err, hs_status status, const char *words)
{
  assert_int_equal(err->status, status);
  if (!strstr(err->text, words)) fail_msg("\"%s\" is missing in: %s", words, err->text);
}

/* Which instruction sets there are is for probe to say, so that `auto` passes the backend over. */
static void unknown_instruction_sets_are_refused(void **state)
{
  const struct hs_backend_options options = {.testing.isa = "nonsense"};
  struct hs_error err = {0};
  (void)state;
  assert_int_equal(hs_backend_cpu.probe(NULL, &options, &err), HS_ERR_UNSUPPORTED);
  assert_says(&err, HS_ERR_UNSUPPORTED, "no instruction set nonsense; there are baseline, avx2 and avx512");
}

static void impossible_tiles_are_refused(void **state)
{
  static const int tiles[][2] = {{512, 0}, {0, 16}, {16, 65}, {16, -1}, {-16, 3}};
  struct hs_config config = test_config(20, 20);
  struct hs_system *const system = test_system(&config);
  (void)state;
  for (size_t k = 0; k < sizeof tiles / sizeof *tiles; k++) {
    const struct hs_backend_options options = {.threads = 1,
                                               .testing = {.tile_columns = tiles[k][0], .stages = tiles[k][1]}};
    struct hs_backend_state *backend = NULL;
    struct hs_error err = {0};
    assert_int_equal(hs_backend_cpu.create(system, &options, &backend, &err), HS_ERR_CONFIG);
    assert_null(backend);
    assert_says(&err, HS_ERR_CONFIG, "1 to 64 sweeps");
    assert_true(hs_backend_cpu.cost(system, &options).host_bytes > 0.0);
  }
  hs_system_destroy(system);
}

/* Whole runs, stop test and replay included. */
static void runs_do_not_depend_on_them(void **state)
{
  static const struct hs_backend_testing choices[] = {
      {.isa = "baseline"},
      {.isa = "avx2"},
      {.isa = "avx512"},
      {.tile_columns = 16, .stages = 3},
      {.tile_columns = 2000, .stages = 64},
      {.isa = "baseline", .tile_columns = 64, .stages = 16},
      {.team_changes = 1},
      {.team_changes = 2, .tile_columns = 2000, .stages = 10},
      {.team_changes = 3, .tile_columns = 48, .stages = 5},
      {.team_changes = 7, .isa = "baseline"},
  };
  struct hs_config_source spot;
  struct hs_config config = test_config_workshop(64, &spot);
  struct test_run wanted;
  (void)state;
  config.solver.tolerance = 1e-3;
  config.solver.threads = 3;
  test_run_start(&wanted, &config, NULL);
  for (size_t k = 0; k < sizeof choices / sizeof *choices; k++) {
    const struct hs_backend_options options = {.testing = choices[k]};
    struct hs_error why = {0};
    struct test_run got;
    char what[80];
    if (hs_backend_cpu.probe(NULL, &options, &why)) continue;
    snprintf(what, sizeof what, "%s, tiles %dx%d, another number of threads every %d",
             choices[k].isa ? choices[k].isa : "", choices[k].tile_columns, choices[k].stages, choices[k].team_changes);
    test_run_start_testing(&got, &config, choices[k], NULL);
    assert_int_equal(got.result.outcome.sweeps, wanted.result.outcome.sweeps);
    assert_int_equal(got.result.outcome.verdict, HS_VERDICT_CONVERGED);
    if (choices[k].isa && !strstr(got.result.place.device, choices[k].isa))
      fail_msg("%s was asked for, and the device is %s", choices[k].isa, got.result.place.device);
    test_fields_same(what, wanted.result.field_k, got.result.field_k, 64, 64);
    test_run_clear(&got);
  }
  test_run_clear(&wanted);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unknown_instruction_sets_are_refused),
      cmocka_unit_test(impossible_tiles_are_refused),
      cmocka_unit_test(runs_do_not_depend_on_them),
  };
  return cmocka_run_group_tests_name("cpu choices", tests, NULL, NULL);
}
