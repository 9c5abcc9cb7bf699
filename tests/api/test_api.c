/* The library as a program sees it: only what heatsolve.h has. */
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/heatsolve.h"
#include "folder.h"
#include "support.h"

/* T = 10 + x: every number of it is known. */
static const char slope[] = "[grid]\nnx = 11\nny = 6\nlx = 10\nly = 5\n[material]\nconductivity = 2\n"
                            "[boundary]\nwest = 10\neast = 20\nsouth = insulated\nnorth = insulated\n"
                            "[probe middle]\nx = 5\ny = 2.5\n";

static void assert_near(double a, double b, double tolerance)
{
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g", a, b);
}

static heatsolve_problem *opened(const char *text)
{
  heatsolve_problem *problem = NULL;
  heatsolve_error error;
  assert_int_equal(heatsolve_open_text(text, &problem, &error), HEATSOLVE_OK);
  assert_non_null(problem);
  return problem;
}

static void set(heatsolve_problem *problem, const char *key, const char *value)
{
  heatsolve_error error;
  if (heatsolve_set(problem, key, value, &error)) fail_msg("%s", error.text);
}

static heatsolve_result *solved(heatsolve_problem *problem, const heatsolve_run_options *options)
{
  heatsolve_result *result = NULL;
  heatsolve_error error;
  if (heatsolve_run(problem, options, &result, &error)) fail_msg("%s", error.text);
  assert_non_null(result);
  return result;
}

static heatsolve_field field_of(heatsolve_result *result, const char *name)
{
  heatsolve_field field = {.size = sizeof field};
  heatsolve_error error;
  if (heatsolve_get_field(result, name, &field, &error)) fail_msg("%s", error.text);
  return field;
}

static double value_of(heatsolve_result *result, const char *name)
{
  double value = NAN;
  heatsolve_error error;
  if (heatsolve_get_value(result, name, &value, &error)) fail_msg("%s", error.text);
  return value;
}

/* --- a run ----------------------------------------------------------------------------------- */

static void a_plate_is_solved(void **state)
{
  heatsolve_problem *problem = opened(slope);
  heatsolve_result *result;
  heatsolve_field field;
  (void)state;
  set(problem, "grid.nx", "21");
  result = solved(problem, NULL);
  heatsolve_close(problem); /* the result does not need it */
  field = field_of(result, "temperature");
  assert_string_equal(heatsolve_status(result), "converged");
  assert_int_equal(heatsolve_exit_code(result), 0);
  assert_int_equal(field.nx, 21);
  assert_int_equal(field.ny, 6);
  assert_string_equal(field.unit, "K");
  for (int j = 0; j < field.ny; j++)
    for (int i = 0; i < field.nx; i++) {
      assert_near(field.x_m[i], 0.5 * i, 1e-12);
      assert_near(field.values[j * field.nx + i], 10.0 + field.x_m[i], 1e-2);
    }
  assert_near(field.y_m[5], 5.0, 1e-12);
  assert_near(value_of(result, "probe.middle"), 15.0, 1e-2);
  assert_near(value_of(result, "side.east"), 10.0, 1e-1); /* W/m: 2 W/(m K), 1 K/m, 5 m */
  heatsolve_free(result);
}

static void a_problem_runs_more_than_once(void **state)
{
  heatsolve_problem *problem = opened(slope);
  heatsolve_result *first = solved(problem, NULL), *second;
  (void)state;
  set(problem, "boundary.east", "110");
  set(problem, "boundary.east", "30");
  second = solved(problem, NULL);
  assert_near(value_of(first, "probe.middle"), 15.0, 1e-2);
  assert_near(value_of(second, "probe.middle"), 20.0, 1e-2);
  heatsolve_free(first);
  heatsolve_free(second);
  heatsolve_close(problem);
}

static void a_check_forecasts(void **state)
{
  heatsolve_problem *problem = opened(slope);
  heatsolve_forecast forecast = {.size = sizeof forecast};
  heatsolve_error error;
  (void)state;
  set(problem, "solver.backend", "cpu-reference");
  assert_int_equal(heatsolve_check(problem, &forecast, &error), HEATSOLVE_OK);
  assert_string_equal(forecast.backend, "cpu-reference");
  assert_true(strlen(forecast.method) > 3);
  assert_true(forecast.host_bytes > 66 * 8 && forecast.time_s > 0.0);
  assert_int_equal(heatsolve_check(problem, NULL, NULL), HEATSOLVE_OK);
  forecast.size = 1;
  assert_int_equal(heatsolve_check(problem, &forecast, &error), HEATSOLVE_ERR_USAGE);
  heatsolve_close(problem);
}

/* --- errors ---------------------------------------------------------------------------------- */

static void failures_have_a_code_and_a_sentence(void **state)
{
  heatsolve_problem *problem = NULL;
  heatsolve_result *result = (heatsolve_result *)&problem;
  heatsolve_field field = {.size = 0};
  heatsolve_error error;
  double value;
  (void)state;
  assert_int_equal(heatsolve_open("/nowhere/at/all.ini", &problem, &error), HEATSOLVE_ERR_IO);
  assert_int_equal(error.code, HEATSOLVE_ERR_IO);
  assert_non_null(strstr(error.text, "/nowhere/at/all.ini"));
  assert_null(problem);
  assert_int_equal(heatsolve_open("/nowhere/at/all.ini", &problem, NULL), HEATSOLVE_ERR_IO);

  problem = opened(slope);
  assert_int_equal(heatsolve_set(problem, "grid", "3", &error), HEATSOLVE_ERR_CONFIG);
  set(problem, "grid.nx", "1");
  assert_int_equal(heatsolve_run(problem, NULL, &result, &error), HEATSOLVE_ERR_CONFIG);
  assert_null(result);
  assert_non_null(strstr(error.text, "grid.nx"));
  set(problem, "grid.nx", "11");
  set(problem, "grid.nz", "11");
  assert_int_equal(heatsolve_check(problem, NULL, &error), HEATSOLVE_ERR_CONFIG);
  heatsolve_close(problem);

  problem = opened(slope);
  result = solved(problem, NULL);
  assert_int_equal(heatsolve_get_value(result, "probe.midle", &value, &error), HEATSOLVE_ERR_USAGE);
  assert_non_null(strstr(error.text, "did you mean probe.middle?"));
  assert_int_equal(heatsolve_get_field(result, "temperature", &field, &error), HEATSOLVE_ERR_USAGE);
  field.size = sizeof field;
  assert_int_equal(heatsolve_get_field(result, "pressure", &field, &error), HEATSOLVE_ERR_USAGE);
  assert_int_equal(heatsolve_get_snapshot(result, 0, &value, &field, &error), HEATSOLVE_ERR_USAGE);
  assert_string_equal(error.text, "there is no snapshot 0: the run was steady");
  assert_null(heatsolve_warning(result, -1));
  assert_null(heatsolve_warning(result, 1000));
  heatsolve_free(result);
  heatsolve_close(problem);
  heatsolve_free(NULL);
  heatsolve_close(NULL);
}

static void options_of_another_size_are_refused(void **state)
{
  heatsolve_problem *problem = opened(slope);
  const heatsolve_run_options options = {.size = 8};
  heatsolve_result *result;
  (void)state;
  assert_int_equal(heatsolve_run(problem, &options, &result, NULL), HEATSOLVE_ERR_USAGE);
  heatsolve_close(problem);
}

/* --- watching -------------------------------------------------------------------------------- */

struct watch {
  heatsolve_problem *problem;
  int calls, stop_after, warnings;
};

static int on_progress(void *context, const heatsolve_progress *progress)
{
  struct watch *watch = context;
  assert_int_equal(progress->size, sizeof *progress);
  assert_non_null(strstr(progress->text, "sweep"));
  watch->calls++;
  return watch->stop_after > 0 && watch->calls >= watch->stop_after;
}

static void on_warning(void *context, const char *sentence)
{
  struct watch *watch = context;
  assert_true(strlen(sentence) > 10);
  watch->warnings++;
}

static void a_run_can_be_ended(void **state)
{
  struct watch watch = {.stop_after = 2};
  const heatsolve_run_options options = {sizeof options, 0, on_progress, NULL, &watch};
  heatsolve_problem *problem = opened(slope);
  heatsolve_result *result;
  (void)state;
  set(problem, "grid.nx", "1001");
  set(problem, "grid.ny", "1001");
  set(problem, "solver.method", "jacobi");
  result = solved(problem, &options);
  assert_string_equal(heatsolve_status(result), "interrupted");
  assert_int_equal(heatsolve_exit_code(result), 75);
  assert_int_equal(watch.calls >= 2, 1);
  assert_true(isfinite(field_of(result, "temperature").values[500 * 1001 + 500]));
  heatsolve_free(result);

  heatsolve_cancel(problem); /* the next run */
  result = solved(problem, NULL);
  assert_string_equal(heatsolve_status(result), "interrupted");
  heatsolve_free(result);
  set(problem, "grid.nx", "11"); /* ... and no later one */
  set(problem, "grid.ny", "6");
  result = solved(problem, NULL);
  assert_string_equal(heatsolve_status(result), "converged");
  heatsolve_free(result);
  heatsolve_close(problem);
}

static void names_that_are_none_are_refused(void **state)
{
  static const char *const keys[] = {"nx", ".nx", "grid.", "probe a=b.x", ""};
  heatsolve_problem *problem = opened(slope);
  heatsolve_result *result = solved(problem, NULL);
  heatsolve_error error;
  (void)state;
  for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
    assert_int_equal(heatsolve_set(problem, keys[k], "5", &error), HEATSOLVE_ERR_CONFIG);
    assert_non_null(strstr(error.text, "write SECTION.KEY"));
  }
  assert_int_equal(heatsolve_write(result, "", &error), HEATSOLVE_ERR_USAGE);
  heatsolve_free(result);
  heatsolve_close(problem);
}

static void warnings_are_told_and_kept(void **state)
{
  struct watch watch = {.stop_after = 0};
  const heatsolve_run_options options = {sizeof options, 0, NULL, on_warning, &watch};
  heatsolve_problem *problem = opened(slope);
  heatsolve_result *result;
  (void)state;
  set(problem, "material unused.conductivity", "3");
  set(problem, "solver.max_iterations", "1");
  set(problem, "solver.method", "jacobi");
  result = solved(problem, &options);
  assert_int_equal(watch.warnings, 1);
  assert_non_null(strstr(heatsolve_warning(result, 0), "unused"));
  assert_non_null(heatsolve_warning(result, 1)); /* of the end */
  assert_string_equal(heatsolve_status(result), "iteration-limit");
  heatsolve_free(result);
  heatsolve_close(problem);
}

/* --- over time ------------------------------------------------------------------------------- */

static void snapshots_are_kept(void **state)
{
  const heatsolve_run_options options = {sizeof options, HEATSOLVE_SNAPSHOTS, NULL, NULL, NULL};
  heatsolve_problem *problem = opened(slope);
  heatsolve_result *result;
  heatsolve_field field = {.size = sizeof field};
  heatsolve_error error;
  double time_s = -1.0, before = -1.0;
  int count = 0;
  (void)state;
  set(problem, "material.density", "1");
  set(problem, "material.heat_capacity", "1");
  set(problem, "time.scheme", "backward_euler");
  set(problem, "time.end", "8");
  set(problem, "time.step", "0.5");
  set(problem, "time.snapshots", "1, 4");
  set(problem, "initial.temperature", "10");
  result = solved(problem, &options);
  assert_string_equal(heatsolve_status(result), "completed");
  while (!heatsolve_get_snapshot(result, count, &time_s, &field, &error)) {
    assert_true(time_s > before);
    before = time_s;
    if (time_s == 4.0) assert_true(field.values[field.nx * 3 + 5] > 10.0);
    count++;
  }
  assert_true(count >= 2);
  assert_int_equal(heatsolve_snapshot_count(result), count);
  assert_int_equal(count, 4);
  assert_string_equal(error.text, "there is no snapshot 4: the run kept 4, from 0 to 3");
  heatsolve_free(result);
  set(problem, "grid.nx", "3001"); /* a million snapshots of 144 KB, kept one by one until there is no memory left */
  set(problem, "time.snapshot_every", "8e-6");
  assert_int_equal(heatsolve_run(problem, &options, &result, &error), HEATSOLVE_ERR_MEMORY);
  assert_null(result);
  assert_non_null(strstr(error.text, "to keep 1000004 snapshots needs "));
  heatsolve_close(problem);
}

/* --- arrays ---------------------------------------------------------------------------------- */

static void arrays_take_the_place_of_files(void **state)
{
  double material[5 * 10], source[5 * 10] = {0}, conductivity[5 * 10], initial[6 * 11];
  int index = -1;
  heatsolve_problem *problem = opened(slope);
  heatsolve_result *result;
  heatsolve_error error;
  heatsolve_field field;
  (void)state;
  /* The eastern half conducts half as well: two thirds of the difference lie there. */
  for (int n = 0; n < 50; n++) material[n] = n % 10 >= 5;
  set(problem, "material half.conductivity", "1");
  assert_int_equal(heatsolve_material_index(problem, "half", &index, &error), 0);
  assert_int_equal(index, 1);
  assert_int_equal(heatsolve_material_index(problem, "background", &index, &error), 0);
  assert_int_equal(index, 0);
  assert_int_equal(heatsolve_material_index(problem, "halve", &index, &error), HEATSOLVE_ERR_CONFIG);
  assert_non_null(strstr(error.text, "did you mean \"half\"? Add [material halve]"));
  assert_int_equal(heatsolve_set_array(problem, "map.materials", material, 5, 10, &error), 0);
  result = solved(problem, NULL);
  assert_near(value_of(result, "probe.middle"), 10.0 + 10.0 / 3.0, 1e-2);
  field = field_of(result, "material");
  assert_int_equal(field.nx, 10);
  for (int n = 0; n < 50; n++) assert_true(field.values[n] == material[n]);
  assert_near(field.x_m[0], 0.5, 1e-12);
  field = field_of(result, "heat_flux_x"); /* two thirds of the difference over 5 m of 1 W/(m K), along all x */
  for (int n = 0; n < 50; n++) assert_near(field.values[n], -4.0 / 3.0, 1e-2);
  field = field_of(result, "heat_flux_y");
  for (int n = 0; n < 50; n++) assert_near(field.values[n], 0.0, 1e-2);
  assert_string_equal(field.unit, "W m-2");
  assert_string_equal(heatsolve_material_name(result, 0), "background");
  assert_string_equal(heatsolve_material_name(result, 1), "half");
  assert_null(heatsolve_material_name(result, 2));
  heatsolve_free(result);
  material[17] = 2.0;
  assert_int_equal(heatsolve_set_array(problem, "map.materials", material, 5, 10, &error), 0);
  assert_int_equal(heatsolve_run(problem, NULL, &result, &error), HEATSOLVE_ERR_CONFIG);
  assert_non_null(strstr(error.text, "row 1"));
  assert_int_equal(heatsolve_set_array(problem, "map.materials", NULL, 0, 0, &error), 0);

  /* The same by conductivities, and 1 W in one cell, which all leaves. */
  for (int n = 0; n < 50; n++) conductivity[n] = n % 10 >= 5 ? 1.0 : 2.0;
  source[23] = 1.0;
  for (int n = 0; n < 66; n++) initial[n] = 15.0;
  assert_int_equal(heatsolve_set_array(problem, "map.conductivity", conductivity, 5, 10, &error), 0);
  assert_int_equal(heatsolve_set_array(problem, "map.initial", initial, 6, 11, &error), 0);
  result = solved(problem, NULL);
  assert_near(value_of(result, "probe.middle"), 10.0 + 10.0 / 3.0, 1e-2);
  heatsolve_free(result);
  assert_int_equal(heatsolve_set_array(problem, "map.source", source, 5, 10, &error), 0);
  result = solved(problem, NULL);
  assert_near(value_of(result, "side.west") + value_of(result, "side.east"), -1.0, 1e-2);
  heatsolve_free(result);

  assert_int_equal(heatsolve_set_array(problem, "map.source", source, 10, 5, &error), 0);
  assert_int_equal(heatsolve_run(problem, NULL, &result, &error), HEATSOLVE_ERR_CONFIG);
  assert_non_null(strstr(error.text, "10 rows of 5"));
  source[3] = NAN;
  assert_int_equal(heatsolve_set_array(problem, "map.source", source, 5, 10, &error), 0);
  assert_int_equal(heatsolve_run(problem, NULL, &result, &error), HEATSOLVE_ERR_CONFIG);
  assert_int_equal(heatsolve_set_array(problem, "map.sources", source, 5, 10, &error), HEATSOLVE_ERR_USAGE);
  assert_int_equal(heatsolve_set_array(problem, "map.source", source, 0, 10, &error), HEATSOLVE_ERR_USAGE);
  heatsolve_close(problem);
}

/* --- files ----------------------------------------------------------------------------------- */

static void files_are_written_where_asked_alone(void **state)
{
  const heatsolve_run_options options = {sizeof options, HEATSOLVE_FILES, NULL, NULL, NULL};
  heatsolve_problem *problem = opened(slope);
  heatsolve_result *result;
  heatsolve_error error;
  char path[300];
  (void)state;
  result = solved(problem, NULL);
  assert_int_not_equal(access("output", F_OK), 0);
  assert_null(strstr(heatsolve_report_text(result), "field.h5"));
  snprintf(path, sizeof path, "%s/written", test_folder());
  if (heatsolve_write(result, path, &error)) fail_msg("%s", error.text);
  assert_non_null(strstr(heatsolve_report_text(result), "field.h5"));
  assert_non_null(strstr(heatsolve_report_json(result), "\"status\": \"converged\""));
  snprintf(path, sizeof path, "%s/written/field.h5", test_folder());
  assert_int_equal(access(path, F_OK), 0);
  assert_int_equal(heatsolve_write(result, path, &error), HEATSOLVE_ERR_IO); /* a file, no folder */
  heatsolve_free(result);
  snprintf(path, sizeof path, "%s/run", test_folder());
  set(problem, "output.directory", path);
  heatsolve_free(solved(problem, &options));
  snprintf(path, sizeof path, "%s/run/report.json", test_folder());
  assert_int_equal(access(path, F_OK), 0);
  heatsolve_close(problem);
}

static void numbers_have_names(void **state)
{
  heatsolve_problem *problem = opened(slope);
  heatsolve_result *result = solved(problem, NULL);
  int count = 0;
  (void)state;
  for (const char *name; (name = heatsolve_value_name(result, count)) != NULL; count++) {
    double value;
    assert_int_equal(heatsolve_get_value(result, name, &value, NULL), 0);
  }
  assert_true(count > 20);
  assert_null(heatsolve_value_name(result, -1));
  heatsolve_free(result);
  heatsolve_close(problem);
}

/* --- the process around it ------------------------------------------------------------------- */

static void the_callers_settings_stay(void **state)
{
  heatsolve_problem *problem = opened(slope);
  const bool comma = setlocale(LC_NUMERIC, "de_DE.UTF-8") != NULL;
  char number[16];
  (void)state;
  omp_set_num_threads(3);
  omp_set_dynamic(1);
  set(problem, "solver.threads", "1");
  heatsolve_free(solved(problem, NULL));
  assert_int_equal(omp_get_max_threads(), 3);
  assert_int_equal(omp_get_dynamic(), 1);
  omp_set_dynamic(0);
  snprintf(number, sizeof number, "%.1f", 0.5);
  assert_string_equal(number, comma ? "0,5" : "0.5");
  setlocale(LC_NUMERIC, "C");
  heatsolve_close(problem);
}

struct worker {
  pthread_t thread;
  int number;
  double middle;
  char folder[300];
};

static void *work(void *context)
{
  struct worker *worker = context;
  heatsolve_problem *problem = NULL;
  heatsolve_result *result = NULL;
  const heatsolve_run_options options = {sizeof options, HEATSOLVE_FILES, NULL, NULL, NULL};
  char text[32];
  snprintf(text, sizeof text, "%d + 0 * y", 20 + worker->number); /* a formula: muParser has its own memory */
  worker->middle = NAN;
  if (!heatsolve_open_text(slope, &problem, NULL) && !heatsolve_set(problem, "boundary.east", text, NULL) &&
      !heatsolve_set(problem, "output.directory", worker->folder, NULL) &&
      !heatsolve_run(problem, &options, &result, NULL))
    (void)heatsolve_get_value(result, "probe.middle", &worker->middle, NULL);
  heatsolve_free(result);
  heatsolve_close(problem);
  return NULL;
}

static void threads_run_beside_one_another(void **state)
{
  enum { WORKERS = 8 };
  struct worker workers[WORKERS];
  (void)state;
  for (int k = 0; k < WORKERS; k++) {
    workers[k].number = k;
    snprintf(workers[k].folder, sizeof workers[k].folder, "%s/worker-%d", test_folder(), k);
    assert_int_equal(pthread_create(&workers[k].thread, NULL, work, &workers[k]), 0);
  }
  for (int k = 0; k < WORKERS; k++) {
    assert_int_equal(pthread_join(workers[k].thread, NULL), 0);
    assert_near(workers[k].middle, 0.5 * (30 + k), 1e-2);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plate_is_solved),
      cmocka_unit_test(a_problem_runs_more_than_once),
      cmocka_unit_test(a_check_forecasts),
      cmocka_unit_test(failures_have_a_code_and_a_sentence),
      cmocka_unit_test(options_of_another_size_are_refused),
      cmocka_unit_test(a_run_can_be_ended),
      cmocka_unit_test(names_that_are_none_are_refused),
      cmocka_unit_test(warnings_are_told_and_kept),
      cmocka_unit_test(snapshots_are_kept),
      cmocka_unit_test(arrays_take_the_place_of_files),
      cmocka_unit_test(files_are_written_where_asked_alone),
      cmocka_unit_test(numbers_have_names),
      cmocka_unit_test(the_callers_settings_stay),
      cmocka_unit_test(threads_run_beside_one_another),
  };
  if (test_folder_create("api") != 0) return 1;
  const int failed = cmocka_run_group_tests_name("api", tests, NULL, NULL);
  (void)test_folder_remove_all();
  return failed;
}
