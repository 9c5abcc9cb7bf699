/* Runs that go on from each of many checkpoints, on another backend or number of threads: every number and every bit of
 * the field is that of the run that was not ended.
 *
 * Checkpoints are taken at random events of a run on cpu-reference, which is slow enough for events in the middle of
 * everything: intervals, looks, steps, and the search for the exact stop sweep.
 */
#include "folder.h"
#include "runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/checkpoint/checkpoint.h"

enum { KEPT_MOST = 8, TAKEN_MOST = 16 }; /* each is flushed to the disk, which may take long */

static int folder_create(void **state)
{
  (void)state;
  return test_folder_create("restart");
}

static int folder_remove(void **state)
{
  (void)state;
  return test_folder_remove_all() < 0 ? -1 : 0;
}

/* A run that is watched: some of its checkpoints are put aside as 0.h5, 1.h5, ... */
struct watch {
  struct hs_checkpoints *files;
  struct test_random random;
  int every; /* one in so many events */
  int kept;
};

static bool watch_due(void *context)
{
  struct watch *watch = context;
  return watch->kept < TAKEN_MOST && test_random_integer(&watch->random, 1, watch->every) == 1;
}

static void file_copy(const char *from, const char *to)
{
  char command[600], source[300];
  snprintf(source, sizeof source, "%s", test_folder_path(from));
  snprintf(command, sizeof command, "cp %s %s", source, test_folder_path(to));
  assert_int_equal(system(command), 0);
}

static hs_status watch_write(void *context, const struct hs_checkpoint *checkpoint, struct hs_error *err)
{
  struct watch *watch = context;
  const struct hs_checkpoint_keeper keeper = hs_checkpoints_keeper(watch->files);
  char name[32];
  test_ok(keeper.write(keeper.context, checkpoint, err), err);
  snprintf(name, sizeof name, "%d.h5", watch->kept < KEPT_MOST ? watch->kept : watch->kept % KEPT_MOST);
  file_copy("checkpoint.h5", name);
  watch->kept++;
  return HS_OK;
}

static void number_same(const char *what, double wanted, double got)
{
  if (!test_same(wanted, got)) fail_msg("%s: wanted %.17g, got %.17g", what, wanted, got);
}

static void history_same(const struct hs_solve_outcome *wanted, const struct hs_solve_outcome *got)
{
  assert_int_equal(wanted->history_count, got->history_count);
  for (int k = 0; k < wanted->history_count; k++) {
    assert_int_equal(wanted->history[k].sweeps, got->history[k].sweeps);
    number_same("history, update_l2", wanted->history[k].norms.update_l2, got->history[k].norms.update_l2);
    number_same("history, error", wanted->history[k].error_estimate_k, got->history[k].error_estimate_k);
  }
}

static void results_same(const struct hs_result *wanted, const struct hs_result *got)
{
  const struct hs_solve_outcome *a = &wanted->outcome, *b = &got->outcome;
  test_fields_same("field", wanted->field_k, got->field_k, wanted->nx, wanted->ny);
  assert_int_equal(a->verdict, b->verdict);
  assert_int_equal(a->sweeps, b->sweeps);
  assert_int_equal(a->unbalanced_at, b->unbalanced_at);
  assert_int_equal(a->exact_stop, b->exact_stop);
  assert_int_equal(a->restarts, b->restarts);
  assert_int_equal(a->estimate_converged, b->estimate_converged);
  number_same("update_l2", a->norms.update_l2, b->norms.update_l2);
  number_same("update_max", a->norms.update_max, b->norms.update_max);
  number_same("residual_relative", a->residual_relative, b->residual_relative);
  number_same("error_estimate_k", a->error_estimate_k, b->error_estimate_k);
  number_same("convergence_rate", a->convergence_rate, b->convergence_rate);
  history_same(a, b);
  assert_int_equal(wanted->transient.steps, got->transient.steps);
  assert_int_equal(wanted->transient.rejected_steps, got->transient.rejected_steps);
  number_same("time", wanted->transient.time_s, got->transient.time_s);
  number_same("inner_error_k", wanted->transient.inner_error_k, got->transient.inner_error_k);
  assert_int_equal(wanted->series.count, got->series.count);
  for (int k = 0; k < wanted->series.count; k++) {
    number_same("series, time", wanted->series.time_s[k], got->series.time_s[k]);
    number_same("series, mean", wanted->series.mean_k[k], got->series.mean_k[k]);
  }
}

/* Goes on from checkpoint k, as a program of its own would. */
static void go_on(struct hs_config config, int k, const struct hs_result *wanted)
{
  static struct {
    char backend[16];
    int threads;
  } places[] = {{"cpu", 1}, {"cpu-reference", 1}, {"cpu", 2}};
  const int place = (k + k / 3) % 3; /* each, where every third one is tried */
  struct hs_warnings notes = {0};
  struct hs_restart *restart = NULL;
  struct hs_error err = {0};
  struct hs_job job;
  struct hs_result result;
  char name[32];
  snprintf(name, sizeof name, "%d.h5", k);
  file_copy(name, "checkpoint.h5");
  config.run.restart = HS_RESTART_YES;
  config.solver.backend = places[place].backend;
  config.solver.threads = places[place].threads;
  if (k % 2) config.solver.method = HS_METHOD_AUTO; /* which goes on by the checkpoint's */
  test_ok(hs_job_prepare(&config, NULL, &job, &err), &err);
  test_ok(hs_restart_open(&job, &restart, &notes, &err), &err);
  assert_non_null(restart);
  assert_int_equal(notes.count, 0);
  job.from = hs_restart_checkpoint(restart);
  test_ok(hs_job_run(&job, job.backend, NULL, NULL, &result, &err), &err);
  results_same(wanted, &result);
  assert_int_equal(result.method, wanted->method);
  hs_result_clear(&result);
  hs_restart_close(restart);
  hs_job_clear(&job);
}

/* Runs config on cpu-reference with checkpoints at one in `every` events, and goes on from them; returns their number. */
static int run_and_go_on(struct hs_config config, int every, uint64_t seed)
{
  static const volatile sig_atomic_t nothing_asked = 0;
  static char reference[] = "cpu-reference";
  struct watch watch = {NULL, {seed}, every, 0};
  struct hs_error err = {0};
  struct hs_job job;
  struct hs_result result;
  int kept;
  config.output.directory = (char *)test_folder();
  config.solver.backend = reference;
  test_ok(hs_job_prepare(&config, NULL, &job, &err), &err);
  test_ok(hs_checkpoints_create(&job, &nothing_asked, false, false, NULL, &watch.files, &err), &err);
  job.keeper = (struct hs_checkpoint_keeper){watch_due, watch_write, &watch};
  test_ok(hs_job_run(&job, job.backend, NULL, NULL, &result, &err), &err);
  assert_int_equal(result.warnings.count, job.warnings.count);
  kept = watch.kept < KEPT_MOST ? watch.kept : KEPT_MOST;
  for (int k = kept - 1; k >= 0; k -= test_every(5)) go_on(config, k, &result);
  hs_checkpoints_remove(&config);
  hs_checkpoints_destroy(watch.files);
  hs_result_clear(&result);
  hs_job_clear(&job);
  return watch.kept;
}

static struct hs_config plate(int nx, int ny)
{
  struct hs_config config = test_config(nx, ny);
  test_wall_temperature(&config, HS_NORTH, 100.0);
  test_wall_temperature(&config, HS_EAST, 20.0);
  test_wall_insulated(&config, HS_SOUTH);
  config.materials[0].density_kg_m3 = config.materials[0].heat_capacity_j_kgk = 1.0;
  config.solver.max_iterations = 1000000;
  config.solver.balance_tolerance = 1.0;
  return config;
}

static void steady_runs_go_on(void **state)
{
  (void)state;
  for (int criterion = HS_CRITERION_UPDATE_L2; criterion <= HS_CRITERION_ERROR; criterion++) {
    struct hs_config config = plate(41, 37);
    config.solver.criterion = (enum hs_criterion)criterion;
    config.solver.tolerance = 1e-7;
    config.solver.check_every = criterion == HS_CRITERION_UPDATE_MAX ? 1 : 10;
    config.solver.balance_tolerance = criterion == HS_CRITERION_UPDATE_L2 ? 1e-7 : 1.0;
    config.solver.precision = criterion == HS_CRITERION_RESIDUAL ? HS_SINGLE : HS_DOUBLE;
    assert_true(run_and_go_on(config, 1, 1 + (uint64_t)criterion) > 2);
  }
}

/* An interval takes several events, so that most checkpoints lie in the middle of one, and some in the search for the exact
 * stop sweep. */
static void long_intervals_go_on(void **state)
{
  struct hs_config config = plate(71, 60);
  (void)state;
  config.solver.tolerance = 1e-8;
  config.solver.criterion = HS_CRITERION_UPDATE_MAX;
  config.solver.check_every = 9000;
  assert_true(run_and_go_on(config, 1, 11) > 3);
}

static void weighted_sweeps_go_on(void **state)
{
  struct hs_config config = plate(31, 27);
  (void)state;
  config.solver.method = HS_METHOD_WEIGHTED;
  config.solver.weight = 0.7;
  config.solver.tolerance = 1e-8;
  config.solver.check_every = 64;
  assert_true(run_and_go_on(config, 2, 12) > 0);
}

static void chebyshev_goes_on(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    struct hs_config config = plate(250, 210);
    config.solver.method = HS_METHOD_CHEBYSHEV;
    config.solver.criterion = HS_CRITERION_ERROR;
    config.solver.tolerance = k ? 1e-1 : 1e-3;
    config.solver.check_every = k ? 600 : 64;
    config.solver.precision = k ? HS_SINGLE : HS_DOUBLE;
    config.solver.max_iterations = 900;
    assert_true(run_and_go_on(config, 1, 13 + (uint64_t)k) > 1);
  }
}

/* A block in insulation is slow, so that cycles refuse the field before they take it. */
static void refused_fields_go_on(void **state)
{
  static char title[] = "block", gap[] = "gap", block[] = "copper";
  (void)state;
  for (int k = 0; k < 2; k++) {
    struct hs_config config = k ? plate(241, 241) : plate(41, 41);
    struct hs_config_region regions[2] = {{.name = title, .material = gap, .initial_k = NAN},
                                          {.name = title, .material = block, .initial_k = 30.0}};
    test_material_add(&config, test_material(gap, 0.02, 1.0, 1.0));
    test_material_add(&config, test_material(block, 1.0, 1.0, 1.0));
    for (int n = 0; n < 2; n++) {
      const double edge = n == 0 ? 0.25 : 0.3;
      regions[n].shape = (struct hs_config_shape){
          .kind = HS_SHAPE_RECTANGLE, .x0_m = edge, .y0_m = edge, .x1_m = 1.0 - edge, .y1_m = 1.0 - edge};
    }
    config.regions = regions;
    config.region_count = 2;
    config.solver.method = k ? HS_METHOD_CHEBYSHEV : HS_METHOD_JACOBI;
    config.solver.criterion = HS_CRITERION_ERROR;
    config.solver.tolerance = k ? 1e-4 : 1e-6;
    config.solver.check_every = 32;
    assert_true(run_and_go_on(config, 1, 17 + (uint64_t)k) > 2);
  }
}

/* Steps, snapshots that cut some, walls that change, steps chosen by their error, and steps that are rounded parts of the
 * time between two snapshots. */
static void transient_runs_go_on(void **state)
{
  static const enum hs_scheme schemes[] = {HS_SCHEME_EXPLICIT,       HS_SCHEME_BACKWARD_EULER,
                                           HS_SCHEME_CRANK_NICOLSON, HS_SCHEME_CRANK_NICOLSON,
                                           HS_SCHEME_EXPLICIT,       HS_SCHEME_BACKWARD_EULER};
  static const double steps_s[] = {3.1e-5, 0.0021, 0.0021, 0.0021, 3.0932203e-5, 0.0024333333};
  (void)state;
  for (int s = 0; s < 6; s++) {
    struct hs_config config = plate(90, 80);
    config.boundaries[HS_NORTH].temperature = test_formula("100 + 40*t");
    config.time.scheme = schemes[s];
    config.time.adaptive = s == 3;
    config.time.step_s = steps_s[s];
    config.time.end_s = s == 0 || s == 4 ? 0.2 : 0.1;
    config.time.snapshot_every_s = 0.0073;
    config.time.step_tolerance_k = 1e-2;
    config.time.step_min_s = 1e-9;
    config.time.step_max_s = 1.0;
    config.time.inner_tolerance_k = 1e-6;
    config.solver.method = s == 2 ? HS_METHOD_CHEBYSHEV : HS_METHOD_JACOBI;
    assert_true(run_and_go_on(config, 1, 15 + (uint64_t)s) > 0);
  }
}

/* --- files that are not what they should be ------------------------------------------------------ */

/* Two checkpoints of a run in the folder. */
static void two_checkpoints(struct hs_config *config, struct hs_job *job)
{
  static const volatile sig_atomic_t nothing_asked = 0;
  struct watch watch = {NULL, {3}, 1, 0};
  struct hs_error err = {0};
  struct hs_result result;
  *config = plate(31, 27);
  config->output.directory = (char *)test_folder();
  config->solver.tolerance = 1e-7;
  test_ok(hs_job_prepare(config, NULL, job, &err), &err);
  test_ok(hs_checkpoints_create(job, &nothing_asked, false, false, NULL, &watch.files, &err), &err);
  job->keeper = (struct hs_checkpoint_keeper){watch_due, watch_write, &watch};
  test_ok(hs_job_run(job, job->backend, NULL, NULL, &result, &err), &err);
  assert_true(watch.kept >= 2);
  hs_checkpoints_destroy(watch.files);
  hs_result_clear(&result);
  job->keeper = (struct hs_checkpoint_keeper){NULL, NULL, NULL};
  config->run.restart = HS_RESTART_YES;
}

static char *file_read(const char *name, long *size)
{
  FILE *file = fopen(test_folder_path(name), "rb");
  char *bytes;
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  *size = ftell(file);
  rewind(file);
  bytes = malloc((size_t)*size);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, (size_t)*size, file), (size_t)*size);
  assert_int_equal(fclose(file), 0);
  return bytes;
}

static void file_write(const char *name, const char *bytes, long size)
{
  FILE *file = fopen(test_folder_path(name), "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, (size_t)size, file), (size_t)size);
  assert_int_equal(fclose(file), 0);
}

/* A bit turned over, or an end cut off, anywhere: the one before serves, with a warning; without it, nothing does. */
static void damaged_files_are_found(void **state)
{
  struct test_random random = {4};
  struct hs_config config;
  struct hs_job job;
  long size;
  char *bytes;
  (void)state;
  two_checkpoints(&config, &job);
  bytes = file_read("checkpoint.h5", &size);
  for (int k = 0; k < 1000; k += test_every(5)) {
    struct hs_restart *restart = NULL;
    struct hs_warnings notes = {0};
    struct hs_error err = {0};
    const long at = k < 600 ? k : test_random_integer(&random, 0, (int)size - 1);
    const bool cut = k % 4 == 3;
    bytes[at] = (char)(bytes[at] ^ (cut ? 0 : 1 << k % 8));
    file_write("checkpoint.h5", bytes, cut ? at : size);
    bytes[at] = (char)(bytes[at] ^ (cut ? 0 : 1 << k % 8));
    test_ok(hs_restart_open(&job, &restart, &notes, &err), &err);
    assert_non_null(restart);
    assert_int_equal(notes.count, 1);
    assert_non_null(strstr(notes.text[0], "checkpoint.h5 is damaged: "));
    assert_non_null(strstr(notes.text[0], "checkpoint-previous.h5, the one before"));
    hs_restart_close(restart);
  }
  assert_int_equal(remove(test_folder_path("checkpoint-previous.h5")), 0);
  for (int mode = HS_RESTART_AUTO; mode <= HS_RESTART_YES; mode++) {
    struct hs_restart *restart = NULL;
    struct hs_warnings notes = {0};
    struct hs_error err = {0};
    config.run.restart = (enum hs_restart_mode)mode;
    assert_int_equal(hs_restart_open(&job, &restart, &notes, &err), HS_ERR_IO);
    assert_non_null(strstr(err.text, "run.restart = no"));
    assert_null(restart);
  }
  free(bytes);
  hs_checkpoints_remove(&config);
  hs_job_clear(&job);
}

/* Other problems are refused by the keys that differ; what changes no answer may differ. */
/* A signal may come while the run is being prepared. */
static void what_was_asked_for_before_is_due(void **state)
{
  static const volatile sig_atomic_t times[] = {0, 1};
  (void)state;
  for (int asked = 0; asked < 2; asked++) {
    struct hs_config config = plate(31, 27);
    struct hs_checkpoints *checkpoints;
    struct hs_checkpoint_keeper keeper;
    struct hs_error err = {0};
    struct hs_job job;
    config.output.directory = (char *)test_folder();
    config.run.checkpoint_every_s = 0.0;
    test_ok(hs_job_prepare(&config, NULL, &job, &err), &err);
    test_ok(hs_checkpoints_create(&job, &times[asked], false, false, NULL, &checkpoints, &err), &err);
    keeper = hs_checkpoints_keeper(checkpoints);
    assert_int_equal(keeper.due(keeper.context), asked);
    hs_checkpoints_destroy(checkpoints);
    hs_job_clear(&job);
  }
}

static void other_problems_are_refused(void **state)
{
  struct hs_config config;
  struct hs_job job;
  (void)state;
  two_checkpoints(&config, &job);
  for (int k = 0; k < 7; k++) {
    struct hs_config other = config;
    struct hs_config_boundary boundaries[HS_SIDES];
    struct hs_restart *restart = NULL;
    struct hs_warnings notes = {0};
    struct hs_error err = {0};
    struct hs_job job_of_other;
    hs_status status;
    memcpy(boundaries, config.boundaries, sizeof boundaries);
    other.boundaries = boundaries;
    if (k == 0) other.solver.tolerance = 1e-5;
    if (k == 1) other.solver.precision = HS_SINGLE;
    if (k == 2) test_wall_temperature(&other, HS_NORTH, 101.0);
    if (k == 3) other.solver.max_iterations = 1; /* no sweep is left */
    if (k == 4) other.solver.threads = 2;
    if (k == 5) other.solver.max_iterations = 2000000;
    if (k == 6) other.output.isotherms = 7;
    test_ok(hs_job_prepare(&other, NULL, &job_of_other, &err), &err);
    status = hs_restart_open(&job_of_other, &restart, &notes, &err);
    assert_int_equal(status, k < 4 ? HS_ERR_CONFIG : HS_OK);
    if (k == 0) assert_non_null(strstr(err.text, "solver.tolerance (1.0000000000000001e-05 here, "));
    if (k == 1) assert_non_null(strstr(err.text, "solver.precision (single here, double there)"));
    if (k == 2) assert_non_null(strstr(err.text, "boundary.north (101 here, 100 there)"));
    if (k == 3) assert_non_null(strstr(err.text, "solver.max_iterations = 1; raise it"));
    hs_restart_close(restart);
    hs_job_clear(&job_of_other);
  }
  hs_checkpoints_remove(&config);
  hs_job_clear(&job);
}

/* Without a checkpoint, `auto` begins and `yes` refuses; beside one, `no` says that there is one. */
static void modes_say_what_they_do(void **state)
{
  struct hs_config config;
  struct hs_job job;
  (void)state;
  two_checkpoints(&config, &job);
  for (int mode = HS_RESTART_NO; mode <= HS_RESTART_YES; mode++) {
    for (int there = 0; there < 2; there++) {
      struct hs_restart *restart = NULL;
      struct hs_warnings notes = {0};
      struct hs_error err = {0};
      char other[200];
      hs_status status;
      snprintf(other, sizeof other, "%s/none", test_folder());
      config.run.restart = (enum hs_restart_mode)mode;
      config.output.directory = there ? (char *)test_folder() : other;
      status = hs_restart_open(&job, &restart, &notes, &err);
      assert_int_equal(status, !there && mode == HS_RESTART_YES ? HS_ERR_IO : HS_OK);
      assert_int_equal(restart != NULL, there && mode != HS_RESTART_NO);
      assert_int_equal(notes.count, there && mode == HS_RESTART_NO);
      hs_restart_close(restart);
    }
  }
  config.output.directory = (char *)test_folder();
  hs_checkpoints_remove(&config);
  hs_job_clear(&job);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steady_runs_go_on),          cmocka_unit_test(long_intervals_go_on),
      cmocka_unit_test(weighted_sweeps_go_on),      cmocka_unit_test(chebyshev_goes_on),
      cmocka_unit_test(refused_fields_go_on),       cmocka_unit_test(transient_runs_go_on),
      cmocka_unit_test(damaged_files_are_found),    cmocka_unit_test(what_was_asked_for_before_is_due),
      cmocka_unit_test(other_problems_are_refused), cmocka_unit_test(modes_say_what_they_do),
  };
  return cmocka_run_group_tests_name("restart", tests, folder_create, folder_remove);
}
