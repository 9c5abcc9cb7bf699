/* Which method `auto` takes, and what is said of it. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "run/job_parts.h"
#include "runs.h"

static struct hs_backend sweeping; /* the cpu backend without operators */

static struct hs_config config_auto(int nx, int ny, enum hs_criterion criterion)
{
  struct hs_config config = test_config(nx, ny);
  test_wall_temperature(&config, HS_NORTH, 100.0);
  config.solver.method = HS_METHOD_AUTO;
  config.solver.criterion = criterion;
  config.solver.tolerance = 1e-3;
  config.solver.check_every = 0;
  return config;
}

static struct hs_config config_stepping(enum hs_scheme scheme, double step_s)
{
  struct hs_config config = config_auto(60, 50, HS_CRITERION_ERROR);
  config.materials[0].density_kg_m3 = config.materials[0].heat_capacity_j_kgk = 1.0;
  config.time.scheme = scheme;
  config.time.step_s = step_s;
  config.time.end_s = 1.0;
  config.time.step_min_s = 1e-9;
  config.time.step_max_s = 1.0;
  return config;
}

static void prepare(const struct hs_config *config, struct hs_job *job)
{
  struct hs_error err = {0};
  test_ok(hs_job_prepare(config, NULL, job, &err), &err);
}

static void assert_reason(const struct hs_job *job, const char *part)
{
  if (!strstr(job->method_reason, part)) fail_msg("\"%s\" is missing in \"%s\"", part, job->method_reason);
}

/* The method that auto takes for config; reason begins so. */
static void assert_method(const struct hs_config *config, enum hs_method method, const char *reason)
{
  struct hs_job job;
  prepare(config, &job);
  if (job.settings.method != method)
    fail_msg("%s in place of %s: %s", hs_method_name(job.settings.method), hs_method_name(method), job.method_reason);
  if (strncmp(job.method_reason, reason, strlen(reason)) != 0)
    fail_msg("\"%s\" is no \"%s\"", job.method_reason, reason);
  assert_int_equal(job.options.multigrid, method == HS_METHOD_MULTIGRID);
  assert_int_equal(config->solver.method, HS_METHOD_AUTO); /* which method it became is the job's alone */
  hs_job_clear(&job);
}

static void updates_ask_for_jacobi(void **state)
{
  struct hs_config config = config_auto(65, 65, HS_CRITERION_UPDATE_L2);
  (void)state;
  assert_method(&config, HS_METHOD_JACOBI, "auto: criterion = update_l2 asks what a Jacobi sweep changes");
  config.solver.criterion = HS_CRITERION_UPDATE_MAX;
  assert_method(&config, HS_METHOD_JACOBI, "auto: criterion = update_max asks what a Jacobi sweep changes");
}

static void steady_runs_take_the_least_work(void **state)
{
  static const enum hs_criterion criteria[] = {HS_CRITERION_ERROR, HS_CRITERION_RESIDUAL};
  (void)state;
  for (int k = 0; k < 2; k++) {
    struct hs_config config = config_auto(65, 65, criteria[k]);
    assert_method(&config, HS_METHOD_MULTIGRID, "auto, by forecast work in sweeps: multigrid ");
    config.solver.max_iterations = 1; /* a limit makes no method cheaper */
    assert_method(&config, HS_METHOD_MULTIGRID, "auto, by forecast work in sweeps: multigrid ");
  }
  {
    struct hs_config config = config_auto(5, 5, HS_CRITERION_ERROR);
    config.solver.check_every = 2; /* 9 free nodes and a few sweeps */
    config.solver.tolerance = 2.0;
    assert_method(&config, HS_METHOD_CHEBYSHEV, "auto, by forecast work in sweeps: chebyshev ");
  }
}

static void time_steps_take_the_least_work_of_a_step(void **state)
{
  struct hs_config config = config_stepping(HS_SCHEME_BACKWARD_EULER, 0.1);
  (void)state;
  assert_method(&config, HS_METHOD_MULTIGRID, "auto, by forecast work in sweeps a step: multigrid ");
  config.time.step_s = 1e-5;
  assert_method(&config, HS_METHOD_CHEBYSHEV, "auto, by forecast work in sweeps a step: chebyshev ");
  config.solver.criterion = HS_CRITERION_UPDATE_L2; /* which is of steady runs */
  assert_method(&config, HS_METHOD_CHEBYSHEV, "auto, by forecast work in sweeps a step: chebyshev ");
  config.time.scheme = HS_SCHEME_CRANK_NICOLSON;
  assert_method(&config, HS_METHOD_CHEBYSHEV, "auto, by forecast work in sweeps a step: chebyshev ");
  config.time.adaptive = true; /* grows far beyond its first step */
  config.time.end_s = 1e6;
  config.time.step_max_s = 1e6;
  assert_method(&config, HS_METHOD_MULTIGRID, "auto, by forecast work in sweeps a step: multigrid ");
}

static void explicit_steps_need_none(void **state)
{
  const struct hs_config config = config_stepping(HS_SCHEME_EXPLICIT, 1e-5);
  (void)state;
  assert_method(&config, HS_METHOD_JACOBI, "");
}

static void what_is_configured_is_kept(void **state)
{
  (void)state;
  for (int method = HS_METHOD_JACOBI; method < HS_METHOD_AUTO; method++) {
    struct hs_config config = config_auto(65, 65, HS_CRITERION_ERROR);
    struct hs_job job;
    config.solver.method = (enum hs_method)method;
    prepare(&config, &job);
    assert_int_equal(job.settings.method, method);
    assert_string_equal(job.method_reason, "asked for");
    hs_job_clear(&job);
  }
}

/* Every backend, any number of threads, and the same answer to the last bit. */
static void the_choice_is_the_same_everywhere(void **state)
{
  static char names[][16] = {"cpu-reference", "cpu", "auto"};
  (void)state;
  for (int steps = 0; steps < 3; steps++) {
    const struct hs_config base = steps == 0   ? config_auto(65, 65, HS_CRITERION_ERROR)
                                  : steps == 1 ? config_stepping(HS_SCHEME_CRANK_NICOLSON, 1e-5)
                                               : config_stepping(HS_SCHEME_CRANK_NICOLSON, 0.1);
    struct test_run first;
    char reason[HS_METHOD_REASON];
    for (int k = 0; k < 6; k++) {
      struct hs_config config = base;
      struct test_run run;
      config.time.end_s = 3.0 * config.time.step_s;
      config.solver.backend = names[k % 3];
      config.solver.threads = 1 + k;
      test_run_start(&run, &config, NULL);
      if (k == 0) {
        first = run;
        memcpy(reason, run.result.method_reason, sizeof reason);
        continue;
      }
      assert_int_equal(run.result.method, first.result.method);
      assert_string_equal(run.result.method_reason, reason);
      test_fields_same("field", first.result.field_k, run.result.field_k, run.result.nx, run.result.ny);
      test_run_clear(&run);
    }
    test_run_clear(&first);
  }
}

static void first_updates_do_not_depend_on_threads(void **state)
{
  const struct hs_config config = config_auto(301, 203, HS_CRITERION_ERROR);
  struct hs_problem *problem = test_problem(&config);
  struct hs_system *system = test_system(&config);
  double *field_k = malloc(301 * 203 * sizeof *field_k);
  struct hs_error err = {0};
  struct hs_first_update one;
  (void)state;
  assert_non_null(field_k);
  for (int n = 0; n < 301 * 203; n++) field_k[n] = 300.0 + n % 7 * 0.1 + n % 11 * 1e-7;
  omp_set_num_threads(1);
  test_ok(hs_first_update_measure(problem, system, field_k, &one, &err), &err);
  assert_true(one.l2_k > one.largest_k && one.largest_k > 0.0);
  for (int threads = 2; threads < 9; threads++) {
    struct hs_first_update more;
    omp_set_num_threads(threads);
    test_ok(hs_first_update_measure(problem, system, field_k, &more, &err), &err);
    assert_true(test_same(one.l2_k, more.l2_k) && test_same(one.largest_k, more.largest_k));
    assert_true(test_same(one.roughness, more.roughness));
  }
  free(field_k);
  hs_system_destroy(system);
  hs_problem_destroy(problem);
}

/* --- methods that there is no room for ------------------------------------------------------- */

static struct hs_backend_cost cost_without_room(const struct hs_system *system,
                                                const struct hs_backend_options *options)
{
  struct hs_backend_cost cost = hs_backend_cpu.cost(system, options);
  if (options->multigrid) cost.host_bytes = 1e18;
  return cost;
}

static struct hs_backend_cost cost_without_any_room(const struct hs_system *system,
                                                    const struct hs_backend_options *options)
{
  struct hs_backend_cost cost = hs_backend_cpu.cost(system, options);
  cost.host_bytes = 1e18;
  return cost;
}

static void the_next_best_is_taken_and_said(void **state)
{
  static const struct hs_backend *const only[] = {&sweeping, NULL}, *const both[] = {&sweeping, &hs_backend_cpu, NULL};
  struct hs_config config = config_auto(65, 65, HS_CRITERION_ERROR);
  struct hs_error err = {0};
  struct hs_job job;
  (void)state;
  sweeping = hs_backend_cpu;
  sweeping.name = "sweeping";
  sweeping.linear = NULL;
  prepare(&config, &job);
  config.solver.backend = (char *)"sweeping"; /* the one that is named */
  job.backends = both;
  test_ok(hs_job_method_choose(&job, &err), &err);
  assert_int_equal(job.settings.method, HS_METHOD_CHEBYSHEV);
  assert_reason(&job, "; not multigrid: backend sweeping has no multigrid");
  assert_ptr_equal(job.backend, &sweeping);
  assert_false(job.options.multigrid);
  assert_int_equal(job.options.form, HS_FORM_CHEBYSHEV);
  config.solver.backend = (char *)"auto"; /* every one that there is */
  job.backends = only;
  test_ok(hs_job_method_choose(&job, &err), &err);
  assert_int_equal(job.settings.method, HS_METHOD_CHEBYSHEV);
  assert_reason(&job, "; not multigrid: no backend can take this problem on this machine");
  job.backends = both; /* one that has it */
  test_ok(hs_job_method_choose(&job, &err), &err);
  assert_int_equal(job.settings.method, HS_METHOD_MULTIGRID);
  assert_ptr_equal(job.backend, &hs_backend_cpu);
  sweeping.linear = hs_backend_cpu.linear; /* no memory for levels */
  sweeping.cost = cost_without_room;
  job.backends = only;
  test_ok(hs_job_method_choose(&job, &err), &err);
  assert_int_equal(job.settings.method, HS_METHOD_CHEBYSHEV);
  assert_reason(&job, "; not multigrid: a grid of 65 x 65 nodes needs ");
  sweeping.cost = cost_without_any_room; /* nor for anything */
  assert_int_equal(hs_job_method_choose(&job, &err), HS_ERR_CONFIG);
  assert_non_null(strstr(err.text, "use a smaller grid"));
  hs_job_clear(&job);
}

/* A method that is named is not replaced. */
static void what_is_configured_is_refused_without_room(void **state)
{
  static const struct hs_backend *const only[] = {&sweeping, NULL};
  struct hs_config config = config_auto(65, 65, HS_CRITERION_ERROR);
  struct hs_error err = {0};
  struct hs_job job;
  (void)state;
  sweeping = hs_backend_cpu;
  sweeping.name = "sweeping";
  sweeping.linear = NULL;
  prepare(&config, &job);
  config.solver.method = HS_METHOD_MULTIGRID;
  config.solver.backend = (char *)"sweeping";
  job.backends = only;
  assert_int_equal(hs_job_method_choose(&job, &err), HS_ERR_UNSUPPORTED);
  hs_job_clear(&job);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(updates_ask_for_jacobi),
      cmocka_unit_test(steady_runs_take_the_least_work),
      cmocka_unit_test(time_steps_take_the_least_work_of_a_step),
      cmocka_unit_test(explicit_steps_need_none),
      cmocka_unit_test(what_is_configured_is_kept),
      cmocka_unit_test(the_choice_is_the_same_everywhere),
      cmocka_unit_test(first_updates_do_not_depend_on_threads),
      cmocka_unit_test(the_next_best_is_taken_and_said),
      cmocka_unit_test(what_is_configured_is_refused_without_room),
  };
  return cmocka_run_group_tests_name("method", tests, NULL, NULL);
}
