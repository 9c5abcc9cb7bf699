/* How the cpu backend shares rows out among its threads: by their times, and without any effect on a result. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend/cpu/state.h"
#include "bench/rate.h"
#include "support.h"

enum { STAGES = 20 };

static int rows_of(const struct hs_cpu_subdomains *subdomains, int k)
{
  return subdomains->first_row[k + 1] - subdomains->first_row[k];
}

/* Rows of a thread with its ghost zones, or as many as lean, in the mean of all stages. */
static double made_rows(const struct hs_cpu_subdomains *subdomains, int k)
{
  const int south = k > 0, north = k + 1 < subdomains->threads;
  const double more =
      subdomains->pipelined ? 0.5 * (north - south) * (STAGES + 1) : 0.5 * (north + south) * (STAGES - 1);
  return fmax(rows_of(subdomains, k) + more, 1.0);
}

static void all_rows_are_somebodys(const struct hs_cpu_subdomains *subdomains)
{
  assert_int_equal(subdomains->first_row[0], 0);
  assert_int_equal(subdomains->first_row[subdomains->threads], subdomains->ny);
  assert_int_equal(subdomains->alone[0], 0);
  assert_int_equal(subdomains->alone[subdomains->threads], subdomains->ny);
  for (int k = 0; k < subdomains->threads; k++) assert_true(subdomains->alone[k + 1] > subdomains->alone[k]);
  for (int k = 0; k < subdomains->threads; k++)
    assert_true(rows_of(subdomains, k) >=
                (subdomains->ny >= HS_CPU_ROWS_LEAST * subdomains->threads ? HS_CPU_ROWS_LEAST : 1));
}

/* `passes` passes of threads that take row_s[k] for a row. */
static void passes_make(struct hs_cpu_subdomains *subdomains, int passes, const double *row_s)
{
  for (int p = 0; p < passes; p++) {
    for (int k = 0; k < subdomains->threads; k++)
      hs_cpu_subdomains_count(subdomains, k, STAGES, row_s[k] * STAGES * made_rows(subdomains, k));
    hs_cpu_subdomains_renew(subdomains, p % subdomains->threads, subdomains->pipelined);
    all_rows_are_somebodys(subdomains);
  }
}

/* Seconds of a stage by the slowest thread, over those of all threads at their speeds. */
static double excess(const struct hs_cpu_subdomains *subdomains, const double *row_s)
{
  double slowest_s = 0.0, rows = 0.0, speed = 0.0;
  for (int k = 0; k < subdomains->threads; k++) {
    slowest_s = fmax(slowest_s, row_s[k] * made_rows(subdomains, k));
    rows += made_rows(subdomains, k);
    speed += 1.0 / row_s[k];
  }
  return slowest_s / (rows / speed) - 1.0;
}

static struct hs_cpu_subdomains *subdomains_of(int threads, int ny, bool pipelined)
{
  struct hs_cpu_subdomains *subdomains = NULL;
  struct hs_error err = {0};
  test_ok(hs_cpu_subdomains_create(&subdomains, threads, ny, STAGES, pipelined, &err), &err);
  all_rows_are_somebodys(subdomains);
  return subdomains;
}

static void equal_threads(void **state)
{
  static const double row_s[8] = {1e-7, 1e-7, 1e-7, 1e-7, 1e-7, 1e-7, 1e-7, 1e-7};
  (void)state;
  for (int pipelined = 0; pipelined < 2; pipelined++) {
    struct hs_cpu_subdomains *subdomains = subdomains_of(8, 1000, pipelined);
    for (int k = 0; k < 8; k++) assert_true(fabs(made_rows(subdomains, k) - made_rows(subdomains, 3)) <= 1.0);
    if (pipelined) /* northward: the last thread begins further south */
      assert_true(rows_of(subdomains, 7) > rows_of(subdomains, 1) && rows_of(subdomains, 0) < rows_of(subdomains, 1));
    else /* a ghost zone on one side only */
      assert_true(rows_of(subdomains, 7) > rows_of(subdomains, 1) && rows_of(subdomains, 0) > rows_of(subdomains, 1));
    passes_make(subdomains, 100, row_s);
    for (int k = 0; k < 8; k++) assert_true(fabs(made_rows(subdomains, k) - made_rows(subdomains, 3)) <= 1.0);
    for (int k = 0; k < 8; k++) assert_int_equal(subdomains->alone[k], 125 * k);
    hs_cpu_subdomains_destroy(subdomains);
  }
}

static void a_slow_thread(void **state)
{
  static const double row_s[4] = {1e-7, 3e-7, 1e-7, 1.5e-7};
  struct hs_cpu_subdomains *subdomains = subdomains_of(4, 1000, true);
  (void)state;
  assert_true(excess(subdomains, row_s) > 0.5);
  passes_make(subdomains, 200, row_s);
  assert_true(excess(subdomains, row_s) < 0.08);
  hs_cpu_subdomains_destroy(subdomains);
}

/* A thread that loses its core for a thousand times as long as a pass takes keeps most of its rows. */
static void a_single_delay(void **state)
{
  static const double usual_s[2] = {1e-7, 1e-7}, delayed_s[2] = {1e-7, 1e-4};
  struct hs_cpu_subdomains *subdomains = subdomains_of(2, 400, false);
  (void)state;
  passes_make(subdomains, 100, usual_s);
  passes_make(subdomains, 1, delayed_s);
  passes_make(subdomains, 20, usual_s);
  assert_true(rows_of(subdomains, 1) > 130);
  passes_make(subdomains, 100, usual_s);
  assert_true(excess(subdomains, usual_s) < 0.08);
  hs_cpu_subdomains_destroy(subdomains);
}

static void random_times(void **state)
{
  struct test_random random = {5};
  (void)state;
  for (int c = 0; c < 200; c++) {
    const int threads = test_random_integer(&random, 2, 40), ny = threads + test_random_integer(&random, 0, 300);
    struct hs_cpu_subdomains *subdomains = subdomains_of(threads, ny, c % 2);
    for (int k = 0; k < 20; k++) {
      double row_s[40];
      for (int t = 0; t < threads; t++) row_s[t] = pow(10.0, test_random_between(&random, -9.0, -3.0));
      passes_make(subdomains, 9, row_s);
    }
    hs_cpu_subdomains_destroy(subdomains);
  }
}

/* Any rows to each thread, a few at least, and times that let the next pass share them out otherwise. */
static void rows_deal(struct hs_cpu_subdomains *subdomains, struct test_random *random)
{
  for (int k = 0; k < subdomains->threads; k++) {
    subdomains->row_s[k] = test_random_between(random, 1e-9, 2e-8);
    if (k == 0) continue;
    subdomains->first_row[k] = test_random_integer(random, subdomains->first_row[k - 1] + HS_CPU_ROWS_LEAST,
                                                   subdomains->ny - HS_CPU_ROWS_LEAST * (subdomains->threads - k));
  }
}

/* Backends side by side, with rows dealt anew before each call: sweeps, then an interval with a test. */
static void calls_compare(const struct hs_system *system, const struct hs_backend_options *options,
                          struct test_random *random)
{
  static const struct hs_bounds any = {0.0, 0.0};
  struct hs_backend_state *cpu = NULL, *reference = NULL;
  double *wanted = test_field(system), *got = test_field(system);
  struct hs_error err = {0};
  char what[96];
  snprintf(what, sizeof what, "%d x %d, %s, %d threads", system->nx, system->ny, options->single ? "single" : "double",
           options->threads);
  for (size_t n = 0; n < (size_t)system->nx * (size_t)system->ny; n++) got[n] = test_random_between(random, 200, 400);
  test_ok(hs_backend_cpu.create(system, options, &cpu, &err), &err);
  test_ok(hs_backend_reference.create(system, options, &reference, &err), &err);
  assert_true(hs_cpu_state(cpu)->tiling.stages > 1); /* else there is nothing to share anew */
  test_ok(hs_backend_cpu.load(cpu, got, &err), &err);
  test_ok(hs_backend_reference.load(reference, got, &err), &err);
  for (int k = 0; k < 4; k++) {
    const int n = test_random_integer(random, 2, 120);
    const struct hs_stop_test test = {.quantity = HS_STOP_UPDATE_L2,
                                      .tolerance = -1.0,
                                      .residual_initial_l2 = 1.0,
                                      .update_first_max = INFINITY,
                                      .max_sweeps = 1000000,
                                      .check_every = n,
                                      .full_norms = true};
    struct hs_stop_state stop = {0};
    struct hs_check check;
    struct hs_norms norms;
    struct hs_intervals intervals = {
        .test = &test, .keep = true, .until = n, .stop = &stop, .history = &check, .capacity = 1};
    rows_deal(hs_cpu_state(cpu)->subdomains, random);
    test_ok(hs_backend_cpu.sweep(cpu, n, &err), &err);
    test_ok(hs_backend_reference.sweep(reference, n, &err), &err);
    test_ok(hs_backend_reference.sweep(reference, n, &err), &err);
    test_ok(hs_backend_reference.norms(reference, &any, &norms, &err), &err);
    stop.bounds = (struct hs_bounds){norms.update_max, norms.residual_max}; /* no need to measure twice */
    test_ok(hs_backend_reference.norms(reference, &stop.bounds, &norms, &err), &err);
    rows_deal(hs_cpu_state(cpu)->subdomains, random);
    test_ok(hs_backend_cpu.advance(cpu, &intervals, &err), &err);
    assert_int_equal(intervals.count, 1);
    if (!test_same(norms.update_l2, stop.check.norms.update_l2)) fail_msg("%s: update_l2", what);
    if (!test_same(norms.residual_l2, stop.check.norms.residual_l2)) fail_msg("%s: residual_l2", what);
    if (!test_same(norms.correction_max, stop.check.norms.correction_max)) fail_msg("%s: correction_max", what);
    test_ok(hs_backend_cpu.fetch(cpu, got, &err), &err);
    test_ok(hs_backend_reference.fetch(reference, wanted, &err), &err);
    test_fields_same(what, wanted, got, system->nx, system->ny);
  }
  hs_backend_cpu.destroy(cpu);
  hs_backend_reference.destroy(reference);
  free(wanted);
  free(got);
}

static void no_result_depends_on_them(void **state)
{
  static const int shapes[][2] = {{150, 61}, {257, 129}, {64, 700}, {900, 90}};
  static const int tiles[][2] = {{2000, 13}, {112, 9}, {48, 20}};
  enum { SHAPES = sizeof shapes / sizeof *shapes, TILES = sizeof tiles / sizeof *tiles };
  struct test_random random = {77};
  (void)state;
  for (int c = 0; c < 2 * TILES * SHAPES; c++) {
    const int *const tile = tiles[c / SHAPES % TILES];
    const struct hs_rate_problem problem = {.nx = shapes[c % SHAPES][0], .ny = shapes[c % SHAPES][1], .source = true};
    const struct hs_backend_options options = {
        .single = c / SHAPES % 2, .threads = 2 + c % 6, .testing = {.tile_columns = tile[0], .stages = tile[1]}};
    struct hs_system *system = NULL;
    struct hs_error err = {0};
    test_ok(hs_rate_system(&problem, &system, &err), &err);
    calls_compare(system, &options, &random);
    hs_system_destroy(system);
  }
}

/* More threads than processors, nodes or rows would be slower. Tests may ask for any number up to the rows. */
static void threads_are_no_more_than_pay(void **state)
{
  static const struct {
    int nx, ny;
    enum hs_form form;
    struct hs_backend_options options;
    int useful;
  } cases[] = {
      {700, 640, HS_FORM_JACOBI, {.threads_most = 1000}, 40},  {700, 640, HS_FORM_JACOBI, {.threads_most = 1}, 40},
      {700, 640, HS_FORM_JACOBI, {.threads_most = 2}, 40},     {700, 31, HS_FORM_JACOBI, {.threads_most = 1000}, 1},
      {700, 32, HS_FORM_JACOBI, {.threads_most = 1000}, 2},    {700, 32, HS_FORM_JACOBI, {.threads_most = 0}, 2},
      {700, 31, HS_FORM_CHEBYSHEV, {.threads_most = 1000}, 1}, {44, 44, HS_FORM_JACOBI, {.threads_most = 1000}, 1},
      {44, 50, HS_FORM_JACOBI, {.threads_most = 1000}, 2},     {9, 5, HS_FORM_JACOBI, {.threads_most = 1000}, 1},
  };
  const struct hs_backend_options exactly = {.threads = 7, .threads_most = 1};
  const int at_start = hs_backend_threads_available(0);
  (void)state;
  assert_true(hs_backend_threads_available(0) >= 1 && hs_backend_threads_available(0) <= hs_backend_processors());
  assert_int_equal(hs_backend_threads_available(1), 1);
  assert_int_equal(hs_backend_threads_available(1 << 20), hs_backend_processors());
  hs_backend_threads_use(1); /* by one run of several in a process */
  assert_int_equal(hs_backend_threads_available(0), at_start);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const struct hs_rate_problem problem = {.nx = cases[k].nx, .ny = cases[k].ny};
    const int available = hs_backend_threads_available(cases[k].options.threads_most);
    struct hs_backend_options options = cases[k].options;
    struct hs_system *system = NULL;
    struct hs_error err = {0};
    options.form = cases[k].form;
    test_ok(hs_rate_system(&problem, &system, &err), &err);
    assert_int_equal(hs_cpu_threads_useful(system, 1000), cases[k].useful);
    assert_int_equal(hs_cpu_threads(system, &options), available < cases[k].useful ? available : cases[k].useful);
    assert_int_equal(hs_cpu_threads(system, &exactly), cases[k].ny < 7 ? cases[k].ny : 7);
    hs_system_destroy(system);
  }
}

static int useful(int nx, int ny, bool periodic, int available)
{
  const struct hs_rate_problem problem = {.nx = nx, .ny = ny};
  struct hs_system *system = NULL;
  struct hs_error err = {0};
  int threads;
  test_ok(hs_rate_system(&problem, &system, &err), &err);
  if (periodic) system->wrap_x = nx - 1;
  threads = hs_cpu_threads_useful(system, available);
  hs_system_destroy(system);
  return threads;
}

/* Passes want 16 rows a thread, in every form; with periodic walls none are made, and nodes alone count. */
static void rows_count_where_passes_are_made(void **state)
{
  (void)state;
  assert_int_equal(useful(700, 31, false, 1000), 1);
  assert_int_equal(useful(700, 31, true, 1000), 11);
  assert_int_equal(useful(20000, 31, false, 2), 1);
  assert_int_equal(useful(20000, 31, true, 2), 2);
  assert_int_equal(useful(20000, 32, false, 2), 2);
  assert_int_equal(useful(20000, 47, false, 8), 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_threads),
      cmocka_unit_test(a_slow_thread),
      cmocka_unit_test(a_single_delay),
      cmocka_unit_test(random_times),
      cmocka_unit_test(no_result_depends_on_them),
      cmocka_unit_test(threads_are_no_more_than_pay),
      cmocka_unit_test(rows_count_where_passes_are_made),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
