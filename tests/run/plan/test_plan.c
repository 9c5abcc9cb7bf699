/* Plans for machines that are not there (src/run/plan/plan.h). */
#include "run/plan/plan.h"

#include <math.h>
#include <string.h>

#include "backend/cost/cost.h"
#include "comm/ranks.h"
#include "run/job_parts.h"
#include "runs.h"

static struct hs_config plate(int nx, int ny, enum hs_method method, enum hs_criterion criterion)
{
  struct hs_config config = test_config_spaced(nx, ny, 1.0 / (nx - 1), 1.0 / (nx - 1));
  test_wall_temperature(&config, HS_NORTH, 400.0);
  config.solver.method = method;
  config.solver.criterion = criterion;
  config.solver.tolerance = 1e-6;
  config.solver.check_every = 0;
  config.solver.max_iterations = (int64_t)9e15;
  return config;
}

static struct hs_plan plan_for(const struct hs_config *config, int nodes, int gpus)
{
  const struct hs_plan_machine machine = hs_plan_machine_usual(nodes, gpus, gpus ? gpus : nodes, 16);
  struct hs_plan plan;
  struct hs_error err = {0};
  test_ok(hs_plan_make(config, &machine, &plan, &err), &err);
  return plan;
}

static void assert_counts(struct hs_config *config, bool open, double allowed)
{
  struct hs_job job;
  struct hs_error err = {0};
  if (open) test_wall_convection(config, HS_EAST, 5.0, 300.0);
  test_ok(hs_job_prepare(config, NULL, &job, &err), &err);
  test_near("plan over forecast", plan_for(config, 1, 1).forecast / job.forecast.sweeps, 1.0, allowed);
  hs_job_clear(&job);
}

/* Where a grid can be built, the plan's counts are those of the forecast of a run: by modes, and guessed where a wall is open. */
static void counts_are_those_of_forecasts(void **state)
{
  static const enum hs_method methods[] = {HS_METHOD_JACOBI, HS_METHOD_WEIGHTED, HS_METHOD_CHEBYSHEV,
                                           HS_METHOD_MULTIGRID};
  static const struct {
    int nx, ny;
    double allowed;
  } sizes[] = {{900, 900, 0.05}, {1000, 500, 0.05}, {130, 90, 0.0}};
  (void)state;
  for (int k = 0; k < 4 * 4 * 3 * 2; k++) {
    const enum hs_method method = methods[k % 4];
    const enum hs_criterion criterion = (enum hs_criterion)(k / 4 % 4);
    const int size = k / 16 % 3;
    struct hs_config config = plate(sizes[size].nx, sizes[size].ny, method, criterion);
    if (method == HS_METHOD_MULTIGRID && criterion < HS_CRITERION_RESIDUAL) continue;
    if (method == HS_METHOD_WEIGHTED) config.solver.weight = 0.8;
    assert_counts(&config, k / 48, sizes[size].allowed);
  }
}

static void steps_are_those_of_forecasts(void **state)
{
  static const enum hs_scheme schemes[] = {HS_SCHEME_EXPLICIT, HS_SCHEME_BACKWARD_EULER, HS_SCHEME_CRANK_NICOLSON};
  (void)state;
  for (int k = 0; k < 6; k++) {
    struct hs_config config = plate(900, 700, k < 3 ? HS_METHOD_CHEBYSHEV : HS_METHOD_MULTIGRID, HS_CRITERION_ERROR);
    struct hs_plan plan;
    struct hs_job job;
    struct hs_error err = {0};
    config.materials[0].density_kg_m3 = config.materials[0].heat_capacity_j_kgk = 1.0;
    config.time.scheme = schemes[k % 3];
    config.time.end_s = 0.01;
    config.time.step_s = k % 3 ? 1e-4 : NAN;
    config.time.inner_tolerance_k = 1e-4;
    test_ok(hs_job_prepare(&config, NULL, &job, &err), &err);
    plan = plan_for(&config, 1, 1);
    test_near("steps over those of a job", plan.steps / hs_job_steps(&job), 1.0, 0.03);
    test_near("counts over forecast", plan.forecast / job.forecast.sweeps, 1.0, 0.03);
    hs_job_clear(&job);
  }
}

static void auto_is_that_of_a_job(void **state)
{
  static const enum hs_criterion criteria[] = {HS_CRITERION_UPDATE_MAX, HS_CRITERION_ERROR};
  (void)state;
  for (int k = 0; k < 2; k++) {
    const struct hs_config config = plate(700, 500, HS_METHOD_AUTO, criteria[k]);
    struct hs_job job;
    struct hs_error err = {0};
    const struct hs_plan plan = plan_for(&config, 1, 1);
    test_ok(hs_job_prepare(&config, NULL, &job, &err), &err);
    assert_int_equal(plan.method, job.settings.method);
    assert_string_equal(plan.method_reason, job.method_reason);
    hs_job_clear(&job);
  }
}

/* One GPU is the forecast for one GPU, nothing added. */
static void one_gpu_is_the_forecast_of_one(void **state)
{
  const struct hs_config config = plate(250, 200, HS_METHOD_JACOBI, HS_CRITERION_UPDATE_MAX);
  const struct hs_plan plan = plan_for(&config, 1, 1);
  struct hs_job job;
  struct hs_error err = {0};
  struct hs_backend_cost cost;
  struct hs_work work;
  (void)state;
  test_ok(hs_job_prepare(&config, NULL, &job, &err), &err);
  cost = hs_cost_gpu(job.system, &job.options);
  work = hs_job_work(&job);
  test_near("a sweep", plan.sweep_s, cost.sweep_s, 0.0);
  test_near("the solution", plan.solve_s, hs_work_s(&cost, &work), 1e-12 * plan.solve_s);
  test_near("efficiency", plan.efficiency, 1.0, 1e-12);
  test_near("exchange", plan.exchange.s + plan.traffic.bytes, 0.0, 0.0);
  hs_job_clear(&job);
}

/* A thousand billion nodes. */
static void what_nobody_can_build_is_planned(void **state)
{
  const struct hs_config config = plate(HS_NODES_MOST, HS_NODES_MOST, HS_METHOD_JACOBI, HS_CRITERION_ERROR);
  const struct hs_plan few = plan_for(&config, 2, 16), many = plan_for(&config, 128, 1024);
  const double nodes = 1e12;
  (void)state;
  assert_false(few.fits);
  assert_int_equal(few.limit, HS_PLAN_MEMORY);
  assert_true(few.parts_needed > 16 && few.parts_needed % 8 == 0);
  assert_true(few.parts_needed * few.machine.gpu_bytes > nodes * 3 * 8);
  assert_true(plan_for(&config, few.parts_needed / 8, few.parts_needed).fits);
  assert_false(plan_for(&config, few.parts_needed / 8 - 1, few.parts_needed - 8).fits);
  assert_true(many.fits);
  assert_true(many.gpu_bytes > nodes / 1024 * 3 * 8 && many.gpu_bytes < nodes / 1024 * 3.5 * 8);
  assert_true(many.forecast > 1e12 && many.forecast < 1e14);
  assert_true(many.efficiency > 0.3 && many.efficiency < 1.0);
}

/* More GPUs never take longer here, and none is used better than one. */
static void efficiency_falls(void **state)
{
  const struct hs_config config = plate(65536, 65536, HS_METHOD_JACOBI, HS_CRITERION_ERROR);
  double solve_s = INFINITY;
  (void)state;
  for (int gpus = 1; gpus <= 1024; gpus *= 4) {
    const struct hs_plan plan = plan_for(&config, gpus < 8 ? 1 : gpus / 8, gpus);
    assert_true(plan.solve_s < solve_s);
    assert_true(plan.efficiency <= 1.001);
    solve_s = plan.solve_s;
  }
}

/* What limits is what was made scarce. */
static void limits_are_told(void **state)
{
  const struct hs_config config = plate(200000, 200000, HS_METHOD_JACOBI, HS_CRITERION_ERROR);
  const struct hs_config small = plate(64, 64, HS_METHOD_JACOBI, HS_CRITERION_ERROR);
  struct hs_plan plan;
  struct hs_error err = {0};
  struct hs_plan_machine machine = hs_plan_machine_usual(16, 128, 128, 4);
  (void)state;
  assert_int_equal(plan_for(&small, 1, 1).limit, HS_PLAN_SETUP);
  machine.links.network_latency_s = 1.0;
  test_ok(hs_plan_make(&config, &machine, &plan, &err), &err);
  assert_int_equal(plan.limit, HS_PLAN_LATENCY);
  machine.links.network_latency_s = 1e-6;
  machine.links.network_byte_s = 1e-7;
  test_ok(hs_plan_make(&config, &machine, &plan, &err), &err);
  assert_int_equal(plan.limit, HS_PLAN_NETWORK);
  machine.gpu_bytes = 1e9;
  test_ok(hs_plan_make(&config, &machine, &plan, &err), &err);
  assert_int_equal(plan.limit, HS_PLAN_MEMORY);
}

static void a_node_has_so_much_memory(void **state)
{
  const struct hs_config config = plate(20000, 20000, HS_METHOD_JACOBI, HS_CRITERION_ERROR);
  struct hs_plan_machine machine = hs_plan_machine_usual(4, 0, 4, 16);
  struct hs_plan plan;
  struct hs_error err = {0};
  (void)state;
  machine.node_bytes = 1e12;
  test_ok(hs_plan_make(&config, &machine, &plan, &err), &err);
  assert_true(plan.fits);
  assert_true(plan.rank_bytes > 1e8 * 4 * 8);
  machine.node_bytes = 0.5 * plan.rank_bytes;
  test_ok(hs_plan_make(&config, &machine, &plan, &err), &err);
  assert_false(plan.fits);
  assert_in_range(plan.parts_needed, 8, 9);
}

/* What a run by ranks takes beside what a plan counts are buffers and edges of tiles: 2 to 12 % here. Strips are 30 % of the nodes. */
static void memory_body(struct hs_comm *comm, void *context)
{
  const struct hs_config *config = context;
  const struct hs_plan_machine machine = hs_plan_machine_usual(1, 0, hs_comm_size(comm), 1);
  struct hs_plan plan;
  struct hs_job job;
  struct hs_error err = {0};
  double most;
  test_rank_require(comm, !hs_job_prepare(config, comm, &job, &err));
  job.options.testing.isa = "baseline"; /* as on every machine */
  most = hs_job_host_bytes(config, job.backend, job.system, &job.options);
  test_rank_require(comm, !hs_comm_largest(comm, &most, 1, &err));
  test_rank_require(comm, !hs_plan_make(config, &machine, &plan, &err));
  test_rank_require(comm, plan.rank_bytes > 0.87 * most && plan.rank_bytes < 1.01 * most);
  hs_job_clear(&job);
}

static void memory_of_ranks_is_that_of_runs(void **state)
{
  static const struct {
    enum hs_method method;
    enum hs_scheme scheme;
  } runs[] = {{HS_METHOD_CHEBYSHEV, HS_SCHEME_STEADY},
              {HS_METHOD_MULTIGRID, HS_SCHEME_STEADY},
              {HS_METHOD_JACOBI, HS_SCHEME_EXPLICIT},
              {HS_METHOD_CHEBYSHEV, HS_SCHEME_BACKWARD_EULER}};
  (void)state;
  for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
    struct hs_config config = plate(3000, 2900, runs[k].method, HS_CRITERION_ERROR);
    config.materials[0].density_kg_m3 = config.materials[0].heat_capacity_j_kgk = 1.0;
    config.time.scheme = runs[k].scheme;
    config.time.end_s = 1e-5;
    config.time.step_s = runs[k].scheme == HS_SCHEME_EXPLICIT ? NAN : 1e-6;
    config.time.inner_tolerance_k = 1e-4;
    test_ranks_run(6, memory_body, &config);
  }
}

static void steps_that_are_too_long_are_refused(void **state)
{
  struct hs_config config = plate(1000, 1000, HS_METHOD_AUTO, HS_CRITERION_ERROR);
  const struct hs_plan_machine machine = hs_plan_machine_usual(1, 1, 1, 1);
  struct hs_plan plan;
  struct hs_error err = {0};
  (void)state;
  config.materials[0].density_kg_m3 = config.materials[0].heat_capacity_j_kgk = 1.0;
  config.time.scheme = HS_SCHEME_EXPLICIT;
  config.time.end_s = 1.0;
  config.time.step_s = 1e-6; /* 2.5e-7 is stable here, 2.8e-6 on the coarse grid */
  assert_int_equal(hs_plan_make(&config, &machine, &plan, &err), HS_ERR_CONFIG);
  assert_non_null(strstr(err.text, "on 1000 x 1000 nodes"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_are_those_of_forecasts),
      cmocka_unit_test(steps_are_those_of_forecasts),
      cmocka_unit_test(auto_is_that_of_a_job),
      cmocka_unit_test(one_gpu_is_the_forecast_of_one),
      cmocka_unit_test(what_nobody_can_build_is_planned),
      cmocka_unit_test(efficiency_falls),
      cmocka_unit_test(limits_are_told),
      cmocka_unit_test(a_node_has_so_much_memory),
      cmocka_unit_test(memory_of_ranks_is_that_of_runs),
      cmocka_unit_test(steps_that_are_too_long_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
