/* What a job makes of its configuration before anything runs. */
#include <stdio.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "runs.h"

/* A run must stop at the same sweep everywhere, so these numbers are part of its result. */
static void intervals_follow_from_grid_and_method(void **state)
{
  static const struct {
    int nx, ny;
    enum hs_method method;
    int check_every;
  } cases[] = {
      {3, 3, HS_METHOD_JACOBI, 256},           {128, 128, HS_METHOD_JACOBI, 256},
      {512, 32, HS_METHOD_JACOBI, 256},        {513, 32, HS_METHOD_JACOBI, 514},
      {512, 128, HS_METHOD_JACOBI, 514},       {513, 128, HS_METHOD_JACOBI, 1026},
      {2048, 2048, HS_METHOD_JACOBI, 1026},    {2048, 2049, HS_METHOD_JACOBI, 2050},
      {128, 128, HS_METHOD_WEIGHTED, 256},     {129, 128, HS_METHOD_WEIGHTED, 514},
      {512, 512, HS_METHOD_CHEBYSHEV, 256},    {513, 512, HS_METHOD_CHEBYSHEV, 1026},
      {2048, 2048, HS_METHOD_CHEBYSHEV, 1026}, {2048, 2049, HS_METHOD_CHEBYSHEV, 2050},
  };
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct hs_config config = {.grid = {.nx = cases[k].nx, .ny = cases[k].ny}};
    config.solver.method = cases[k].method;
    for (int criterion = HS_CRITERION_UPDATE_L2; criterion <= HS_CRITERION_ERROR; criterion++) {
      config.solver.criterion = (enum hs_criterion)criterion;
      assert_int_equal(hs_job_check_every(&config, config.solver.method), cases[k].check_every);
    }
  }
}

static void intervals_that_are_given_are_kept(void **state)
{
  struct hs_config config = {.grid = {.nx = 2048, .ny = 2049}};
  (void)state;
  for (int every = 1; every < 1000000; every = 2 * every + 1) {
    config.solver.check_every = every;
    config.solver.criterion = HS_CRITERION_UPDATE_L2;
    assert_int_equal(hs_job_check_every(&config, config.solver.method), every);
    config.solver.criterion = HS_CRITERION_ERROR; /* tests lie an even number of sweeps apart */
    assert_int_equal(hs_job_check_every(&config, config.solver.method), every + 1);
    config.solver.check_every = every + 1;
    assert_int_equal(hs_job_check_every(&config, config.solver.method), every + 1);
  }
}

/* The solver and the report get the number. */
static void intervals_reach_the_result(void **state)
{
  struct hs_config config = test_config(129, 128);
  struct test_run run;
  (void)state;
  config.solver.check_every = 0;
  config.solver.max_iterations = 3;
  test_run_start(&run, &config, NULL);
  assert_int_equal(run.job.settings.check_every, 514);
  assert_int_equal(run.result.check_every, 514);
  test_run_clear(&run);
}

/* Peak memory of this process in bytes; 0 where the system does not say. */
static double peak_bytes(void)
{
  char line[200];
  double kib = 0.0;
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "VmHWM: %lf", &kib) == 1) break;
  if (file) fclose(file);
  return 1024.0 * kib;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 }; /* their shadows take memory, too */
#else
enum { SANITIZED = 0 };
#endif

/* What is asked for before a run is no less than it takes. The largest comes last: a peak does not fall. Fields are mapped
 * memory here, for the peak to be that of one run: glibc would keep what the runs before have freed, more or less of it. */
static void memory_is_foretold(void **state)
{
  static const struct {
    int n;
    const struct hs_backend *backend;
    bool single;
    enum hs_method method;
  } cases[] = {
      {1000, &hs_backend_reference, true, HS_METHOD_JACOBI}, {1000, &hs_backend_cpu, true, HS_METHOD_JACOBI},
      {1000, &hs_backend_cpu, false, HS_METHOD_JACOBI},      {1500, &hs_backend_cpu, false, HS_METHOD_JACOBI},
      {1500, &hs_backend_cpu, false, HS_METHOD_MULTIGRID},   {1500, &hs_backend_cpu, false, HS_METHOD_CHEBYSHEV}};
  (void)state;
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_PERTURB, 0); /* which would touch what nobody does */
#endif
  for (size_t k = 0; k < sizeof cases / sizeof *cases && !SANITIZED; k++) {
    struct hs_config config = test_config(cases[k].n, cases[k].n);
    struct test_run run;
    double foretold, more, device;
    config.solver.backend = (char *)cases[k].backend->name;
    config.solver.precision = cases[k].single ? HS_SINGLE : HS_DOUBLE;
    config.solver.method = cases[k].method;
    if (cases[k].method == HS_METHOD_MULTIGRID) config.solver.criterion = HS_CRITERION_ERROR;
    config.solver.max_iterations = 64;
    test_run_start(&run, &config, NULL);
    foretold = hs_job_host_bytes(&config, cases[k].backend, run.job.system, &run.job.options);
    hs_job_estimate_bytes(&run.job, &more, &device);
    assert_true(run.result.outcome.found_by_cycles == (more > 0.0) && device == 0.0);
    if (peak_bytes() > foretold + more)
      fail_msg("case %zu: %.4g bytes foretold, %.4g taken", k, foretold + more, peak_bytes());
    test_run_clear(&run);
  }
}

/* Backends without operators make no cycles: `auto` leaves them out, and by name they are refused. */
static void multigrid_needs_operators(void **state)
{
  static struct hs_backend sweeping;
  static const struct hs_backend *const list[] = {&sweeping, &hs_backend_cpu, NULL};
  const struct hs_backend_cost cost = {.setup_s = 100.0, .cycle_s = 3.0, .levels_s = 11.0};
  const struct hs_backend_options options = {.threads = 1, .multigrid = true}, sweeps = {.threads = 1};
  const struct hs_work work = {.cycles = 7.0, .levels = 1.0};
  const struct hs_config config = test_config(31, 23);
  struct hs_system *system = test_system(&config);
  struct hs_error err = {0};
  char reason[512];
  (void)state;
  sweeping = hs_backend_cpu;
  sweeping.name = "sweeping";
  sweeping.linear = NULL;
  assert_true(hs_work_s(&cost, &work) == 32.0);
  assert_ptr_equal(hs_backend_choose(list, "auto", system, &options, &work, reason, sizeof reason, &err),
                   &hs_backend_cpu);
  assert_non_null(strstr(reason, "lowest forecast for 7 cycles (cpu "));
  assert_non_null(strstr(reason, "; not sweeping: it has no multigrid"));
  assert_null(hs_backend_choose(list, "sweeping", system, &options, &work, reason, sizeof reason, &err));
  assert_string_equal(err.text, "backend sweeping has no multigrid; take another backend, or solver.method = "
                                "chebyshev");
  assert_ptr_equal(hs_backend_choose(list, "sweeping", system, &sweeps, &work, reason, sizeof reason, &err), &sweeping);
  hs_system_destroy(system);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(intervals_follow_from_grid_and_method),
      cmocka_unit_test(intervals_that_are_given_are_kept),
      cmocka_unit_test(intervals_reach_the_result),
      cmocka_unit_test(memory_is_foretold),
      cmocka_unit_test(multigrid_needs_operators),
  };
  return cmocka_run_group_tests_name("job", tests, NULL, NULL);
}
