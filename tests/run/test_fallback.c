/* Runs whose backend fails: when it is made, when it is loaded, and in the middle.
 *
 * The failing backends are the cpu backend's table with one operation exchanged: `frail` fails where the test says,
 * `broken` cannot even be made. Both claim to be fast, so that `auto` takes them first. Others refuse when they are
 * asked.
 */
#include "runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/field/snapshots.h"
#include "output/output.h"

enum place { NOWHERE, AT_CREATE, AT_LOAD, AT_SWEEP };

static struct {
  enum place place;
  int calls_left; /* of sweep or load, that succeed */
  hs_status status;
} plan;

static hs_status fail_now(struct hs_error *err)
{
  return hs_error_set(err, plan.status, "the device caught fire");
}

static hs_status frail_create(const struct hs_system *system, const struct hs_backend_options *options,
                              struct hs_backend_state **state, struct hs_error *err)
{
  *state = NULL;
  return plan.place == AT_CREATE ? fail_now(err) : hs_backend_cpu.create(system, options, state, err);
}

static hs_status frail_load(struct hs_backend_state *state, const double *field_k, struct hs_error *err)
{
  if (plan.place == AT_LOAD && plan.calls_left-- <= 0) return fail_now(err);
  return hs_backend_cpu.load(state, field_k, err);
}

static hs_status frail_sweep(struct hs_backend_state *state, int64_t n, struct hs_error *err)
{
  if (plan.place == AT_SWEEP && plan.calls_left-- <= 0) return fail_now(err);
  return hs_backend_cpu.sweep(state, n, err);
}

static hs_status broken_create(const struct hs_system *system, const struct hs_backend_options *options,
                               struct hs_backend_state **state, struct hs_error *err)
{
  (void)system;
  (void)options;
  *state = NULL;
  return hs_error_set(err, HS_ERR_DEVICE, "the device is taken");
}

static hs_status busy_probe(const struct hs_system *system, const struct hs_backend_options *options,
                            struct hs_error *why)
{
  (void)system;
  (void)options;
  return hs_error_set(why, HS_ERR_DEVICE, "another program holds the device");
}

static hs_status old_probe(const struct hs_system *system, const struct hs_backend_options *options,
                           struct hs_error *why)
{
  (void)system;
  (void)options;
  return hs_error_set(why, HS_ERR_UNSUPPORTED, "the device is too old");
}

static struct hs_backend_cost frail_cost(const struct hs_system *system, const struct hs_backend_options *options)
{
  struct hs_backend_cost cost = hs_backend_cpu.cost(system, options);
  cost.setup_s = 0.0;
  cost.sweep_s *= 1e-3;
  return cost;
}

static struct hs_backend_cost broken_cost(const struct hs_system *system, const struct hs_backend_options *options)
{
  struct hs_backend_cost cost = frail_cost(system, options);
  cost.sweep_s *= 1e-3;
  return cost;
}

static struct hs_backend frail, broken, busy, held, old, unbuilt;
static const struct hs_backend *lists[][4] = {{&frail, &hs_backend_cpu, NULL},
                                              {&frail, &broken, &hs_backend_cpu, NULL},
                                              {&frail, NULL},
                                              {&hs_backend_reference, &hs_backend_cpu, &frail, NULL}};
enum { FRAIL_CPU, FRAIL_BROKEN_CPU, FRAIL_ALONE, FRAIL_LAST };

static char automatic[] = "auto";

/* A plate with a source and different walls. */
static struct hs_config plate(void)
{
  struct hs_config config = test_config(31, 23);
  test_wall_temperature(&config, HS_WEST, 400.0);
  test_wall_temperature(&config, HS_NORTH, 350.0);
  config.solver.backend = automatic;
  config.solver.check_every = 16;
  return config;
}

static struct hs_config transient(enum hs_scheme scheme, bool adaptive, double *times_s)
{
  struct hs_config config = plate();
  times_s[0] = 0.01;
  times_s[1] = 0.02;
  times_s[2] = 0.035;
  config.materials[0].density_kg_m3 = 1.0;
  config.materials[0].heat_capacity_j_kgk = 1.0;
  config.time.scheme = scheme;
  config.time.adaptive = adaptive;
  config.time.end_s = 0.05;
  config.time.step_s = scheme == HS_SCHEME_EXPLICIT ? NAN : 0.002;
  config.time.step_tolerance_k = 0.5;
  config.time.snapshots_s = times_s;
  config.time.snapshot_count = 3;
  return config;
}

/* Prepares a job whose choice is made from a list. */
static void prepare(struct hs_job *job, const struct hs_config *config, int list)
{
  struct hs_error err = {0};
  test_ok(hs_job_prepare(config, NULL, job, &err), &err);
  job->backends = lists[list];
  job->backend = lists[list][0];
}

static void plan_set(enum place place, int calls, hs_status status)
{
  plan.place = place;
  plan.calls_left = calls;
  plan.status = status;
}

static void contains(const char *text, const char *part)
{
  if (!strstr(text, part)) fail_msg("\"%s\" does not contain \"%s\"", text, part);
}

/* The same field, stop and norms as on cpu alone. */
static void same_as_cpu(const char *what, const struct hs_config *config, const struct hs_result *got)
{
  struct hs_job job;
  struct hs_result wanted;
  struct hs_error err = {0};
  plan_set(NOWHERE, 0, HS_OK);
  prepare(&job, config, FRAIL_CPU);
  test_ok(hs_job_run(&job, &hs_backend_cpu, NULL, NULL, &wanted, &err), &err);
  test_fields_same(what, wanted.field_k, got->field_k, wanted.nx, wanted.ny);
  assert_int_equal(wanted.outcome.sweeps, got->outcome.sweeps);
  assert_int_equal(wanted.outcome.verdict, got->outcome.verdict);
  assert_true(test_same(wanted.outcome.norms.update_l2, got->outcome.norms.update_l2));
  assert_int_equal(wanted.transient.steps, got->transient.steps);
  assert_int_equal(wanted.transient.rejected_steps, got->transient.rejected_steps);
  assert_true(test_same(wanted.transient.inner_error_k, got->transient.inner_error_k));
  assert_true(test_same(wanted.transient.step_smallest_s, got->transient.step_smallest_s));
  assert_true(test_same(wanted.transient.step_error_k, got->transient.step_error_k));
  assert_int_equal(wanted.series.count, got->series.count);
  for (int k = 0; k < wanted.series.count; k++) {
    assert_true(test_same(wanted.series.time_s[k], got->series.time_s[k]));
    assert_true(test_same(wanted.series.mean_k[k], got->series.mean_k[k]));
  }
  assert_int_equal(wanted.warnings.count, 0);
  hs_result_clear(&wanted);
  hs_job_clear(&job);
}

static void a_backend_that_cannot_begin_is_replaced(void **state)
{
  static const enum place places[] = {AT_CREATE, AT_LOAD};
  static const hs_status failures[] = {HS_ERR_DEVICE, HS_ERR_MEMORY};
  const struct hs_config config = plate();
  (void)state;
  for (int k = 0; k < 4; k++) {
    struct hs_job job;
    struct hs_result result;
    struct hs_error err = {0};
    prepare(&job, &config, FRAIL_CPU);
    plan_set(places[k / 2], 0, failures[k % 2]);
    test_ok(hs_job_run(&job, job.backend, NULL, NULL, &result, &err), &err);
    assert_string_equal(result.backend, "cpu");
    contains(result.backend_reason, "frail was chosen but failed: the device caught fire; fell back to cpu: lowest");
    assert_int_equal(result.warnings.count, 1);
    contains(result.warnings.text[0], "the run went on with cpu");
    assert_int_equal(result.place.threads, 1);
    assert_true(result.time_predicted_s > 0.0);
    same_as_cpu("after a failure to begin", &config, &result);
    hs_result_clear(&result);
    hs_job_clear(&job);
  }
}

static void a_steady_run_begins_anew(void **state)
{
  const struct hs_config config = plate();
  (void)state;
  for (int sweeps = 0; sweeps < 40; sweeps += 13) {
    struct hs_job job;
    struct hs_result result;
    struct hs_error err = {0};
    prepare(&job, &config, FRAIL_CPU);
    plan_set(AT_SWEEP, sweeps, HS_ERR_DEVICE);
    test_ok(hs_job_run(&job, job.backend, NULL, NULL, &result, &err), &err);
    assert_string_equal(result.backend, "cpu");
    contains(result.backend_reason, "fell back to cpu from the start");
    contains(result.warnings.text[0], "the run went on with cpu from the start");
    same_as_cpu("steady, begun anew", &config, &result);
    hs_result_clear(&result);
    hs_job_clear(&job);
  }
}

static void two_failures_in_a_row(void **state)
{
  const struct hs_config config = plate();
  struct hs_job job;
  struct hs_result result;
  struct hs_error err = {0};
  (void)state;
  prepare(&job, &config, FRAIL_BROKEN_CPU);
  plan_set(AT_LOAD, 0, HS_ERR_DEVICE);
  test_ok(hs_job_run(&job, job.backend, NULL, NULL, &result, &err), &err);
  assert_string_equal(result.backend, "cpu");
  contains(result.backend_reason, "frail was chosen but failed: the device caught fire; broken failed, too: the device "
                                  "is taken; fell back to cpu");
  assert_int_equal(result.warnings.count, 2);
  hs_result_clear(&result);
  hs_job_clear(&job);
}

/* What must not be replaced: what was asked for by name, another one than the job's, a full memory in the middle of a
 * run, and the last one that there is. */
static void failures_that_stay(void **state)
{
  static char name[] = "cpu";
  struct hs_config config = plate();
  (void)state;
  for (int k = 0; k < 4; k++) {
    struct hs_job job;
    struct hs_result result;
    struct hs_error err = {0};
    config.solver.backend = automatic;
    prepare(&job, &config, k == 1 ? FRAIL_LAST : k == 3 ? FRAIL_ALONE : FRAIL_CPU);
    if (k == 0) config.solver.backend = name;
    plan_set(AT_SWEEP, 2, k == 2 ? HS_ERR_MEMORY : HS_ERR_DEVICE);
    assert_int_equal(hs_job_run(&job, &frail, NULL, NULL, &result, &err), plan.status);
    assert_string_equal(err.text, "the device caught fire");
    assert_string_equal(result.backend, "frail");
    assert_int_equal(result.warnings.count, 0);
    hs_result_clear(&result);
    hs_job_clear(&job);
  }
}

/* --- runs over time -------------------------------------------------------------------------- */

/* Notes the times of snapshots. */
struct diary {
  int count;
  double time_s[16];
};

static hs_status note(void *context, const struct hs_snapshot *snapshot, struct hs_error *err)
{
  struct diary *diary = context;
  (void)err;
  assert_true(diary->count < 16);
  diary->time_s[diary->count++] = snapshot->time_s;
  return HS_OK;
}

/* Where a run over time can fail on its way: cycles load what they have found, and the field to begin with. */
static enum place place_of(const struct hs_config *config)
{
  return config->solver.method == HS_METHOD_MULTIGRID ? AT_LOAD : AT_SWEEP;
}

/* How many such calls a run makes until its end: by running it. */
static int calls_of(const struct hs_config *config)
{
  struct hs_job job;
  struct hs_result result;
  struct hs_error err = {0};
  prepare(&job, config, FRAIL_CPU);
  plan_set(place_of(config), 1 << 30, HS_ERR_DEVICE);
  test_ok(hs_job_run(&job, job.backend, NULL, NULL, &result, &err), &err);
  assert_string_equal(result.backend, "frail");
  hs_result_clear(&result);
  hs_job_clear(&job);
  return (1 << 30) - plan.calls_left;
}

static void lost_on_the_way(const struct hs_config *config, const char *what)
{
  const enum place place = place_of(config);
  const int calls = calls_of(config), first = place == AT_LOAD;
  for (int k = 0; k < 5; k++) {
    struct hs_job job;
    struct hs_result result;
    struct hs_error err = {0};
    struct diary diary = {0};
    const struct hs_snapshot_taker taker = {note, &diary};
    prepare(&job, config, FRAIL_CPU);
    plan_set(place, first + k * (calls - 1 - first) / 4, HS_ERR_DEVICE);
    test_ok(hs_job_run(&job, job.backend, NULL, &taker, &result, &err), &err);
    assert_string_equal(result.backend, "cpu");
    contains(result.warnings.text[0], "the run went on with cpu from t = ");
    assert_true(isnan(result.time_predicted_s));
    assert_int_equal(diary.count, 5); /* start, three, end; each once */
    for (int s = 1; s < diary.count; s++) assert_true(diary.time_s[s] > diary.time_s[s - 1]);
    same_as_cpu(what, config, &result);
    hs_result_clear(&result);
    hs_job_clear(&job);
  }
}

static void a_run_over_time_goes_on_from_its_last_snapshot(void **state)
{
  double times_s[3];
  struct hs_config config = transient(HS_SCHEME_EXPLICIT, false, times_s);
  (void)state;
  lost_on_the_way(&config, "explicit");
  config = transient(HS_SCHEME_BACKWARD_EULER, false, times_s);
  lost_on_the_way(&config, "backward Euler");
  config = transient(HS_SCHEME_CRANK_NICOLSON, false, times_s);
  lost_on_the_way(&config, "Crank-Nicolson");
  config = transient(HS_SCHEME_BACKWARD_EULER, true, times_s);
  lost_on_the_way(&config, "adaptive");
  config = transient(HS_SCHEME_CRANK_NICOLSON, false, times_s);
  config.solver.method = HS_METHOD_CHEBYSHEV;
  lost_on_the_way(&config, "Chebyshev");
  config.solver.method = HS_METHOD_MULTIGRID;
  lost_on_the_way(&config, "multigrid");
  config = transient(HS_SCHEME_BACKWARD_EULER, true, times_s);
  config.solver.method = HS_METHOD_MULTIGRID;
  lost_on_the_way(&config, "multigrid, adaptive");
}

static void walls_that_change_with_time(void **state)
{
  static char warming[] = "400 + 1000*t", stronger[] = "5 + 100*t", heating[] = "1000*t";
  double times_s[3];
  static const enum hs_scheme schemes[] = {HS_SCHEME_EXPLICIT, HS_SCHEME_BACKWARD_EULER, HS_SCHEME_CRANK_NICOLSON};
  (void)state;
  for (int k = 0; k < 6; k++) {
    struct hs_config config = transient(schemes[k / 2], false, times_s);
    config.boundaries[HS_WEST].temperature = test_formula(warming);
    test_wall_convection(&config, HS_EAST, 5.0, 300.0);
    if (k % 2) config.boundaries[HS_EAST].h = test_formula(stronger);
    test_wall_flux(&config, HS_SOUTH, 0.0);
    config.boundaries[HS_SOUTH].flux = test_formula(heating);
    if (schemes[k / 2] == HS_SCHEME_EXPLICIT) config.time.step_s = 2e-4;
    lost_on_the_way(&config, "timed walls");
  }
}

/* A named backend ends the run; the snapshots and their series are on the disk, whole. */
static void what_was_computed_is_kept(void **state)
{
  static char name[] = "cpu";
  char folder[] = "/tmp/heatsolve-fallback-XXXXXX", path[120];
  double times_s[3];
  struct hs_config config = transient(HS_SCHEME_BACKWARD_EULER, false, times_s);
  struct hs_job job;
  struct hs_result result;
  struct hs_error err = {0};
  struct hs_snapshots *snapshots = NULL;
  struct hs_snapshot_taker taker;
  struct hs_snapshot_reader *reader = NULL;
  struct hs_snapshot_facts facts;
  const int calls = calls_of(&config);
  double *field_k;
  (void)state;
  assert_non_null(mkdtemp(folder));
  config.output.directory = folder;
  config.output.field = config.output.csv = true;
  prepare(&job, &config, FRAIL_CPU);
  config.solver.backend = name;
  test_ok(hs_snapshots_create(job.problem, "", &snapshots, &err), &err);
  taker = hs_snapshots_taker(snapshots);
  plan_set(AT_SWEEP, calls * 6 / 10, HS_ERR_DEVICE);
  assert_int_equal(hs_job_run(&job, job.backend, NULL, &taker, &result, &err), HS_ERR_DEVICE);
  assert_true(result.series.count >= 2 && result.series.count < 5);
  hs_output_rescue(&result, &err);
  contains(err.text, "the device caught fire; kept in ");
  hs_error_set(&err, HS_ERR_IO, "a file was cut short.");
  hs_output_rescue(&result, &err);
  contains(err.text, "a file was cut short; kept in ");
  contains(err.text, "snapshots.h5, series.csv");
  hs_snapshots_destroy(snapshots);
  snprintf(path, sizeof path, "%s/snapshots.h5", folder);
  test_ok(hs_snapshot_reader_open(path, 31, 23, &reader, &err), &err);
  assert_int_equal(hs_snapshot_reader_count(reader), result.series.count);
  field_k = test_field(job.system);
  test_ok(hs_snapshot_reader_get(reader, result.series.count - 1, &facts, field_k, &err), &err);
  assert_true(facts.time_s == result.series.time_s[result.series.count - 1]);
  test_fields_same("the last snapshot", result.field_k, field_k, 31, 23);
  hs_snapshot_reader_close(reader);
  unlink(path);
  snprintf(path, sizeof path, "%s/snapshots.xdmf", folder);
  assert_int_equal(unlink(path), 0);
  snprintf(path, sizeof path, "%s/series.csv", folder);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(folder), 0); /* nothing else was left */
  free(field_k);
  hs_result_clear(&result);
  hs_job_clear(&job);
}

/* --- the choice ------------------------------------------------------------------------------ */

static void the_choice_counts_tests_and_steps(void **state)
{
  const struct hs_backend_cost cost = {.setup_s = 100.0, .sweep_s = 2.0, .test_s = 30.0, .step_s = 500.0};
  const struct hs_work work = {.sweeps = 7.0, .tests = 2.0, .steps = 1.0};
  const struct hs_config config = plate();
  struct hs_system *system = test_system(&config);
  const struct hs_backend_options options = {.threads = 1};
  struct hs_error err = {0};
  char reason[512];
  (void)state;
  assert_true(hs_work_s(&cost, &work) == 574.0);
  assert_ptr_equal(hs_backend_choose(lists[FRAIL_CPU], "auto", system, &options, &work, reason, sizeof reason, &err),
                   &frail);
  contains(reason, "lowest forecast for 7 sweeps (frail ");
  assert_ptr_equal(hs_backend_choose(lists[FRAIL_CPU], "cpu", system, &options, &work, reason, sizeof reason, &err),
                   &hs_backend_cpu);
  assert_string_equal(reason, "asked for");
  assert_null(hs_backend_choose(lists[FRAIL_ALONE], "cpu", system, &options, &work, reason, sizeof reason, &err));
  assert_int_equal(err.status, HS_ERR_CONFIG);
  hs_system_destroy(system);
}

/* What refuses is named with its reason, once for neighbours with the same one; what was not built is not. Asked for by
 * name it is an error. */
static void refusals_are_named(void **state)
{
  static const struct hs_backend *const list[] = {&unbuilt, &busy, &held, &old, &hs_backend_cpu, NULL};
  static const struct hs_backend *const none[] = {&busy, NULL};
  const struct hs_backend_options options = {.threads = 1};
  const struct hs_work work = {.sweeps = 7.0};
  const struct hs_config config = plate();
  struct hs_system *system = test_system(&config);
  struct hs_error err = {0};
  char reason[512];
  (void)state;
  assert_ptr_equal(hs_backend_choose(list, "auto", system, &options, &work, reason, sizeof reason, &err),
                   &hs_backend_cpu);
  contains(reason, " s); not busy, held: another program holds the device; not old: the device is too old");
  assert_null(strstr(reason, "unbuilt"));
  assert_null(hs_backend_choose(list, "held", system, &options, &work, reason, sizeof reason, &err));
  contains(err.text, "backend held cannot run here: another program holds the device");
  assert_int_equal(hs_status_exit_code(err.status), HS_EXIT_DEVICE);
  assert_null(hs_backend_choose(list, "old", system, &options, &work, reason, sizeof reason, &err));
  assert_int_equal(hs_status_exit_code(err.status), HS_EXIT_DEVICE);
  assert_null(hs_backend_choose(none, "auto", system, &options, &work, reason, sizeof reason, &err));
  contains(err.text, "no backend can take this problem on this machine; not busy: another program holds the device");
  assert_int_equal(hs_status_exit_code(err.status), HS_EXIT_DEVICE);
  hs_system_destroy(system);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_backend_that_cannot_begin_is_replaced),
      cmocka_unit_test(a_steady_run_begins_anew),
      cmocka_unit_test(two_failures_in_a_row),
      cmocka_unit_test(failures_that_stay),
      cmocka_unit_test(a_run_over_time_goes_on_from_its_last_snapshot),
      cmocka_unit_test(walls_that_change_with_time),
      cmocka_unit_test(what_was_computed_is_kept),
      cmocka_unit_test(the_choice_counts_tests_and_steps),
      cmocka_unit_test(refusals_are_named),
  };
  frail = hs_backend_cpu;
  frail.name = "frail";
  frail.cost = frail_cost;
  frail.create = frail_create;
  frail.load = frail_load;
  frail.sweep = frail_sweep;
  frail.advance = NULL; /* all sweeps by frail_sweep */
  broken = hs_backend_cpu;
  broken.name = "broken";
  broken.cost = broken_cost;
  broken.create = broken_create;
  busy = held = old = hs_backend_cpu;
  busy.name = "busy";
  held.name = "held";
  busy.probe = held.probe = busy_probe;
  old.name = "old";
  old.probe = old_probe;
  unbuilt = (struct hs_backend){.name = "unbuilt", .probe = busy_probe};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
