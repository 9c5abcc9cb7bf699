/* The problem that benchmarks sweep: its laws are those of one consistent plate, whatever shortcut made them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/rate.h"
#include "bench/tune.h"

static const int sides[][2] = {{3, 3}, {4, 9}, {33, 20}, {70, 131}, {131, 70}, {257, 257}};
enum { SIDES = sizeof sides / sizeof *sides };

static struct hs_system *system_make(const struct hs_rate_problem *problem)
{
  struct hs_system *system = NULL;
  struct hs_error err = {0};
  assert_int_equal(hs_rate_system(problem, &system, &err), HS_OK);
  return system;
}

static const struct hs_node_law *law_at(const struct hs_system *system, int i, int j)
{
  return &system->law[hs_system_index(system, (size_t)j * (size_t)system->nx + (size_t)i)];
}

/* What a free node gives its neighbour, the neighbour must get. */
static void faces_check(const struct hs_system *system)
{
  for (int j = 0; j < system->ny; j++)
    for (int i = 0; i < system->nx; i++) {
      const struct hs_node_law *law = law_at(system, i, j);
      if (law->dirichlet) continue;
      if (i + 1 < system->nx && !law_at(system, i + 1, j)->dirichlet)
        assert_true(law->east == law_at(system, i + 1, j)->west);
      if (j + 1 < system->ny && !law_at(system, i, j + 1)->dirichlet)
        assert_true(law->north == law_at(system, i, j + 1)->south);
      assert_true(law->west > 0.0 && law->north > 0.0);
      assert_true((law->east > 0.0) == (i + 1 < system->nx) && (law->south > 0.0) == (j > 0));
    }
}

static double source_sum(const struct hs_system *system)
{
  double sum_w_m = 0.0;
  for (int j = 0; j < system->ny; j++)
    for (int i = 0; i < system->nx; i++) sum_w_m += law_at(system, i, j)->source_w_m;
  return sum_w_m;
}

static void test_patterns(void **state)
{
  (void)state;
  for (int s = 0; s < SIDES; s++)
    for (int pattern = 0; pattern < HS_RATE_PATTERNS; pattern++)
      for (int convection = 0; convection < 2; convection++) {
        const struct hs_rate_problem problem = {
            .nx = sides[s][0], .ny = sides[s][1], .pattern = (enum hs_rate_pattern)pattern, .convection = convection};
        struct hs_system *system = system_make(&problem);
        int64_t held = 0;
        faces_check(system);
        for (int64_t n = 0; n < (int64_t)problem.nx * problem.ny; n++)
          held += system->law[hs_system_index(system, (size_t)n)].dirichlet;
        assert_int_equal(system->free_nodes + held, (int64_t)problem.nx * problem.ny);
        assert_int_equal(held, convection ? problem.nx + problem.ny - 1 : 2 * (problem.nx + problem.ny) - 4);
        assert_true((system->index == NULL) == (pattern == HS_RATE_MAP));
        hs_system_destroy(system);
      }
}

/* 1e4 W/m3 in a rectangle of 2 w x 2 h cells, w and h a sixteenth of the sides, and 50 W/m2 through the south wall. */
static void test_sources(void **state)
{
  (void)state;
  for (int s = 1; s < SIDES; s++)
    for (int pattern = 0; pattern < HS_RATE_PATTERNS; pattern++) {
      const int nx = sides[s][0], ny = sides[s][1];
      const double cell_m = 1.0 / ((nx > ny ? nx : ny) - 1);
      const int w = nx < 32 ? 1 : nx / 16, h = ny < 32 ? 1 : ny / 16;
      const double heat_w_m = 4e4 * w * h * cell_m * cell_m, flux_w_m = 50.0 * (nx - 1.5) * cell_m;
      struct hs_rate_problem problem = {.nx = nx, .ny = ny, .pattern = (enum hs_rate_pattern)pattern, .source = true};
      struct hs_system *system = system_make(&problem);
      if (nx > 4) assert_float_equal(source_sum(system) / heat_w_m, 1.0, 1e-9);
      hs_system_destroy(system);
      problem.source = false;
      system = system_make(&problem);
      assert_true(source_sum(system) == 0.0);
      hs_system_destroy(system);
      problem.convection = true;
      system = system_make(&problem);
      assert_float_equal(source_sum(system) / flux_w_m, 1.0, 1e-9);
      hs_system_destroy(system);
    }
}

/* Stripes of 50 cells: nodes inside one have four equal conductances, those on a border do not. */
static void test_stripes(void **state)
{
  const struct hs_rate_problem problem = {.nx = 131, .ny = 70, .pattern = HS_RATE_STRIPES};
  struct hs_system *system = system_make(&problem);
  (void)state;
  for (int i = 1; i < 130; i++) {
    const struct hs_node_law *law = law_at(system, i, 35);
    assert_true((law->west == law->east) == (i % 50 != 0));
  }
  hs_system_destroy(system);
}

static void test_forms(void **state)
{
  const struct hs_rate_problem problem = {.nx = 33, .ny = 33, .form = HS_RATE_RHS};
  struct hs_system *system = system_make(&problem);
  (void)state;
  assert_true(system->storing);
  hs_rate_system_form(HS_RATE_PLAIN, system);
  assert_false(system->storing);
  assert_true(system->uniform);
  hs_system_destroy(system);
  assert_true(hs_rate_bytes_per_node(HS_RATE_PLAIN, false) == 16.0);
  assert_true(hs_rate_bytes_per_node(HS_RATE_WEIGHTED, true) == 8.0);
  assert_true(hs_rate_bytes_per_node(HS_RATE_RHS, true) == 12.0);
}

/* Every mode of every form: long enough, and the numbers of a rate agree with each other. */
static void test_measure(void **state)
{
  const struct hs_backend_options options = {.threads = 1};
  (void)state;
  for (int form = 0; form < HS_RATE_FORMS; form++)
    for (int mode = 0; mode < HS_RATE_MODES; mode++) {
      const struct hs_rate_problem problem = {.nx = 20, .ny = 17, .form = (enum hs_rate_form)form, .source = true};
      const struct hs_rate_settings settings = {(enum hs_rate_mode)mode, 7, 0.001, 4};
      struct hs_system *system = system_make(&problem);
      struct hs_error err = {0};
      struct hs_rate rate;
      const hs_status status = hs_rate_measure(&problem, system, &hs_backend_cpu, &options, &settings, &rate, &err);
      hs_system_destroy(system);
      if ((form == HS_RATE_CHEBYSHEV && mode == HS_RATE_TESTED) ||
          (form == HS_RATE_MULTIGRID && mode != HS_RATE_SWEEP)) {
        assert_int_equal(status, HS_ERR_UNSUPPORTED);
        continue;
      }
      assert_int_equal(status, HS_OK);
      if (form == HS_RATE_MULTIGRID) {
        assert_true(rate.cycles >= 2 && rate.cycles <= 12 && rate.setup_s > 0.0 && rate.spread >= 0.0);
        assert_float_equal(rate.sweep_s * (double)rate.sweeps, rate.solve_s, 1e-12);
        assert_true(isnan(rate.nodes_per_s));
        continue;
      }
      assert_true(rate.sweep_s * (double)rate.sweeps >= settings.seconds);
      assert_true(mode != HS_RATE_TESTED || rate.sweeps % 7 == 0);
      assert_float_equal(rate.nodes_per_s * rate.sweep_s, 340.0, 1e-6);
      assert_true(rate.spread >= 0.0);
    }
}

/* Nothing is measured once the flag is up. */
static void test_tune_stops(void **state)
{
  const struct hs_backend *const backends[] = {&hs_backend_cpu};
  const struct hs_tune_settings settings = {backends, 1, true};
  const volatile sig_atomic_t stop = 1;
  const struct hs_tune_observer observer = {NULL, NULL, &stop};
  struct hs_tuning tuning = {.count = 0};
  struct hs_error err = {0};
  bool stopped = false;
  (void)state;
  assert_int_equal(hs_tune_run(&settings, &observer, &tuning, &stopped, &err), HS_OK);
  assert_true(stopped);
  assert_int_equal(tuning.count, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_patterns), cmocka_unit_test(test_sources), cmocka_unit_test(test_stripes),
      cmocka_unit_test(test_forms),    cmocka_unit_test(test_measure), cmocka_unit_test(test_tune_stops),
  };
  return cmocka_run_group_tests_name("rate", tests, NULL, NULL);
}
