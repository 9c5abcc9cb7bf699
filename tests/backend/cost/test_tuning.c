/* Measured costs: the table, its file, what is made of them. Files go into a folder of the test's own. */
#include "runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/cost/cost.h"
#include "backend/cost/tuning.h"
#include "bench/rate.h"
#include "problem/laws/law_table.h"

static char folder[] = "/tmp/heatsolve-tuning-XXXXXX";

static struct hs_tuning *table(void)
{
  struct hs_tuning *t = calloc(1, sizeof *t);
  assert_non_null(t);
  hs_tuning_machine(t->machine, sizeof t->machine);
  strcpy(t->measured_utc, "2026-01-31T12:00:00Z");
  return t;
}

static void add(struct hs_tuning *t, const char *backend, enum hs_tuning_kind kind, bool single, double nodes, double s)
{
  struct hs_error err = {0};
  test_ok(hs_tuning_add(t, backend, kind, single, nodes, s, &err), &err);
}

static void points_are_kept_in_order(void **state)
{
  struct hs_tuning *t = table();
  (void)state;
  add(t, "cpu", HS_TUNING_UNIFORM, false, 400.0, 4e-6);
  add(t, "cpu", HS_TUNING_UNIFORM, false, 100.0, 1e-6);
  add(t, "cpu", HS_TUNING_UNIFORM, false, 200.0, 9e-6);
  add(t, "cpu", HS_TUNING_UNIFORM, false, 200.0, 2e-6);
  assert_int_equal(t->count, 1);
  assert_int_equal(t->curve[0].count, 3);
  for (int k = 0; k < 3; k++) assert_true(t->curve[0].point[k].nodes == 100.0 * (1 << k));
  assert_true(t->curve[0].point[1].sweep_s == 2e-6);
  hs_tuning_destroy(t);
}

static void too_many_points_are_refused(void **state)
{
  struct hs_tuning *t = table();
  struct hs_error err = {0};
  (void)state;
  for (int k = 1; k <= 16; k++) add(t, "cpu", HS_TUNING_MAP, true, k, 1e-6);
  assert_int_equal(hs_tuning_add(t, "cpu", HS_TUNING_MAP, true, 0.5, 1e-6, &err), HS_ERR_INTERNAL);
  assert_int_equal(hs_tuning_add(t, "cpu", HS_TUNING_MAP, true, 7.0, 0.0, &err), HS_ERR_INTERNAL);
  assert_int_equal(hs_tuning_add(t, "cpu", HS_TUNING_MAP, true, NAN, 1e-6, &err), HS_ERR_INTERNAL);
  add(t, "cpu", HS_TUNING_MAP, true, 7.0, 3e-6);
  assert_int_equal(t->curve[0].count, 16);
  hs_tuning_destroy(t);
}

/* Between points a power of the nodes, beyond the last in proportion, before the first constant. */
static void interpolation(void **state)
{
  struct hs_tuning *t = table();
  (void)state;
  add(t, "cpu", HS_TUNING_UNIFORM, false, 1e4, 2e-6);
  add(t, "cpu", HS_TUNING_UNIFORM, false, 1e6, 2e-5);
  add(t, "cpu", HS_TUNING_UNIFORM, false, 1e8, 4e-3);
  test_near("at a point", hs_tuning_sweep_s(t, "cpu", HS_TUNING_UNIFORM, false, 1e6), 2e-5, 1e-20);
  test_near("a power", hs_tuning_sweep_s(t, "cpu", HS_TUNING_UNIFORM, false, 1e5), 2e-6 * sqrt(10.0), 1e-18);
  test_near("beyond", hs_tuning_sweep_s(t, "cpu", HS_TUNING_UNIFORM, false, 3e8), 1.2e-2, 1e-15);
  test_near("below", hs_tuning_sweep_s(t, "cpu", HS_TUNING_UNIFORM, false, 10.0), 2e-6, 1e-20);
  hs_tuning_destroy(t);
}

static void unknown_curves_are_nan(void **state)
{
  struct hs_tuning *t = table();
  (void)state;
  add(t, "cpu", HS_TUNING_UNIFORM, false, 1e4, 2e-6);
  assert_true(isnan(hs_tuning_sweep_s(t, "cpu", HS_TUNING_UNIFORM, true, 1e4)));
  assert_true(isnan(hs_tuning_sweep_s(t, "cpu", HS_TUNING_MIXED, false, 1e4)));
  assert_true(isnan(hs_tuning_sweep_s(t, "cpu-reference", HS_TUNING_UNIFORM, false, 1e4)));
  assert_true(isnan(hs_tuning_sweep_s(NULL, "cpu", HS_TUNING_UNIFORM, false, 1e4)));
  hs_tuning_destroy(t);
}

static void file_round_trip(void **state)
{
  struct hs_tuning *t = table(), *back = NULL;
  struct hs_error err = {0};
  struct stat facts;
  char *path;
  (void)state;
  test_ok(hs_tuning_load(&back, &err), &err);
  assert_null(back); /* no file yet */
  add(t, "cpu", HS_TUNING_UNIFORM, false, 65536.0, 1.25e-5);
  add(t, "cpu", HS_TUNING_UNIFORM, false, 16777216.0, 8.5e-3);
  add(t, "cuda-blocked", HS_TUNING_RHS, true, 4096.0, 1.5e-6);
  test_ok(hs_tuning_save(t, &err), &err);
  test_ok(hs_tuning_save(t, &err), &err); /* in place of the first */
  test_ok(hs_tuning_load(&back, &err), &err);
  assert_non_null(back);
  assert_string_equal(back->machine, t->machine);
  assert_string_equal(back->measured_utc, t->measured_utc);
  assert_int_equal(back->count, 2);
  for (int c = 0; c < 2; c++) {
    assert_string_equal(back->curve[c].backend, t->curve[c].backend);
    assert_int_equal(back->curve[c].kind, t->curve[c].kind);
    assert_int_equal(back->curve[c].single, t->curve[c].single);
    assert_int_equal(back->curve[c].count, t->curve[c].count);
    for (int k = 0; k < t->curve[c].count; k++) {
      assert_true(back->curve[c].point[k].nodes == t->curve[c].point[k].nodes);
      test_near("seconds", back->curve[c].point[k].sweep_s, t->curve[c].point[k].sweep_s, 1e-8);
    }
  }
  path = hs_tuning_path(&err);
  assert_non_null(path);
  assert_int_equal(stat(path, &facts), 0);
  assert_int_equal(facts.st_mode & 0777, 0644);
  unlink(path);
  free(path);
  hs_tuning_destroy(back);
  hs_tuning_destroy(t);
}

/* Writes text as this machine's file; what loading says of it. */
static hs_status load_text(const char *text, struct hs_tuning **back, struct hs_error *err)
{
  char *path = hs_tuning_path(err);
  FILE *file;
  hs_status status;
  assert_non_null(path);
  file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  status = hs_tuning_load(back, err);
  unlink(path);
  free(path);
  return status;
}

/* The file of a table with one curve, with one part of it exchanged. */
static char *file_with(const char *version, const char *kind, const char *points)
{
  static char text[2048];
  char machine[256];
  hs_tuning_machine(machine, sizeof machine);
  snprintf(text, sizeof text,
           "{\"format\": \"heatsolve tuning\", \"version\": %s, \"machine\": \"%s\", \"measured_utc\": \"now\", "
           "\"curves\": [{\"backend\": \"cpu\", \"kind\": \"%s\", \"precision\": \"double\", \"points\": %s}]}",
           version, machine, kind, points);
  return text;
}

static void damaged_files_are_refused(void **state)
{
  static const char *const points[] = {"[]",          "[[100, 0]]",       "[[100, -1e-6]]",   "[[100]]",     "7",
                                       "[100, 1e-6]", "[[2, 1], [1, 1]]", "[[1, 1], [1, 1]]", "[[1, \"a\"]]"};
  struct hs_tuning *back = NULL;
  struct hs_error err = {0};
  (void)state;
  test_ok(load_text(file_with("1", "uniform", "[[100, 1e-6]]"), &back, &err), &err); /* the frame is right */
  assert_non_null(back);
  hs_tuning_destroy(back);
  for (size_t k = 0; k < sizeof points / sizeof points[0]; k++) {
    if (load_text(file_with("1", "uniform", points[k]), &back, &err) != HS_ERR_IO || back)
      fail_msg("points %s were taken", points[k]);
    assert_non_null(strstr(err.text, "curve 1 in it is damaged"));
    assert_non_null(strstr(err.text, "heatsolve tune"));
  }
  assert_int_equal(load_text(file_with("1", "strange", "[[100, 1e-6]]"), &back, &err), HS_ERR_IO);
  assert_int_equal(load_text(file_with("2", "uniform", "[[100, 1e-6]]"), &back, &err), HS_ERR_IO);
  assert_non_null(strstr(err.text, "version 2"));
  assert_int_equal(load_text("{\"format\": ", &back, &err), HS_ERR_IO);
  assert_int_equal(load_text("", &back, &err), HS_ERR_IO);
  assert_int_equal(load_text("[1, 2]", &back, &err), HS_ERR_IO);
  assert_null(back);
}

/* Another machine's measurements under this one's name are left alone. */
static void another_machine_counts_as_none(void **state)
{
  struct hs_tuning *back = NULL;
  struct hs_error err = {0};
  (void)state;
  test_ok(
      load_text("{\"format\": \"heatsolve tuning\", \"version\": 1, \"machine\": \"abacus\", \"measured_utc\": \"\","
                " \"curves\": []}",
                &back, &err),
      &err);
  assert_null(back);
}

static void a_folder_that_cannot_be_made(void **state)
{
  struct hs_tuning *t = table();
  struct hs_error err = {0};
  char *before = strdup(getenv("XDG_CACHE_HOME"));
  (void)state;
  add(t, "cpu", HS_TUNING_UNIFORM, false, 1e4, 2e-6);
  setenv("XDG_CACHE_HOME", "/dev/null/x", 1);
  assert_int_equal(hs_tuning_save(t, &err), HS_ERR_IO);
  assert_non_null(strstr(err.text, "XDG_CACHE_HOME"));
  err = (struct hs_error){0};
  assert_int_equal(hs_tuning_save_try(&err), HS_ERR_IO);
  assert_non_null(strstr(err.text, "XDG_CACHE_HOME"));
  setenv("XDG_CACHE_HOME", before, 1);
  free(before);
  hs_tuning_destroy(t);
}

static void builtin_curves_are_sound(void **state)
{
  const struct hs_tuning *t = hs_tuning_builtin();
  (void)state;
  assert_true(t->count > 10);
  for (int c = 0; c < t->count; c++) {
    const struct hs_tuning_curve *curve = &t->curve[c];
    assert_true(curve->count >= 1 && curve->count <= 16);
    for (int k = 0; k < curve->count; k++) {
      assert_true(curve->point[k].sweep_s > 1e-8 && curve->point[k].sweep_s < 10.0);
      if (k > 0 && !(curve->point[k].nodes > curve->point[k - 1].nodes))
        fail_msg("%s, %s: sizes do not ascend", curve->backend, hs_tuning_kind_name(curve->kind));
      if (k > 0 && !(curve->point[k].sweep_s > curve->point[k - 1].sweep_s))
        fail_msg("%s, %s: times do not ascend", curve->backend, hs_tuning_kind_name(curve->kind));
    }
    for (int d = 0; d < c; d++)
      if (!strcmp(t->curve[d].backend, curve->backend) && t->curve[d].kind == curve->kind &&
          t->curve[d].single == curve->single)
        fail_msg("%s, %s: two curves", curve->backend, hs_tuning_kind_name(curve->kind));
  }
}

/* --- costs ----------------------------------------------------------------------------------- */

/* Stripes of `width` columns of two conductivities. */
static struct hs_node_law stripe(void *context, int i, int j)
{
  const int width = *(const int *)context;
  const double g = width > 0 && (i / width) % 2 ? 3.0 : 1.0;
  struct hs_node_law law = {.west = g, .east = g, .south = g, .north = g};
  (void)j;
  return law;
}

static struct hs_system *stripes(int n, int width)
{
  return test_system_of_laws(n, n, 0.1, 0.1, stripe, &width);
}

static void variety_counts_changes(void **state)
{
  struct hs_system *uniform = stripes(200, 0), *wide = stripes(200, 50), *narrow = stripes(200, 1);
  (void)state;
  assert_true(hs_cost_variety(uniform) == 0.0);
  assert_true(hs_cost_variety(wide) > 0.01 && hs_cost_variety(wide) < 0.05);
  assert_true(hs_cost_variety(narrow) > 0.9);
  hs_system_destroy(uniform);
  hs_system_destroy(wide);
  hs_system_destroy(narrow);
}

static double cost_s(const struct hs_tuning *t, const struct hs_system *s, enum hs_form form)
{
  const struct hs_backend_options options = {.form = form, .tuning = t};
  return hs_cost_sweep_s(t, "x", "cuda-global", s, &options);
}

/* The dearest of what a sweep has to do decides; a missing curve keeps the built-in ratio. */
static void kinds_are_chosen_from_the_system(void **state)
{
  struct hs_tuning *t = table();
  struct hs_system *uniform = stripes(200, 0), *narrow = stripes(200, 1);
  uint16_t *index;
  double builtin;
  (void)state;
  assert_true(isnan(cost_s(t, uniform, HS_FORM_JACOBI)));
  add(t, "x", HS_TUNING_UNIFORM, false, 40000.0, 1e-6);
  add(t, "x", HS_TUNING_MIXED, false, 40000.0, 2e-6);
  add(t, "x", HS_TUNING_WEIGHTED, false, 40000.0, 3e-6);
  add(t, "x", HS_TUNING_RHS, false, 40000.0, 5e-6);
  add(t, "x", HS_TUNING_MAP, false, 40000.0, 7e-6);
  test_near("uniform", cost_s(t, uniform, HS_FORM_JACOBI), 1e-6, 1e-18);
  assert_true(cost_s(t, narrow, HS_FORM_JACOBI) > 4e-6); /* far beyond stripes */
  test_near("weighted", cost_s(t, uniform, HS_FORM_WEIGHTED), 3e-6, 1e-18);
  builtin = hs_tuning_sweep_s(hs_tuning_builtin(), "cuda-global", HS_TUNING_CHEBYSHEV, false, 40000.0) /
            hs_tuning_sweep_s(hs_tuning_builtin(), "cuda-global", HS_TUNING_UNIFORM, false, 40000.0);
  test_near("chebyshev", cost_s(t, uniform, HS_FORM_CHEBYSHEV), builtin * 1e-6, 1e-15);
  uniform->storing = true;
  test_near("rhs", cost_s(t, uniform, HS_FORM_JACOBI), 5e-6, 1e-18);
  uniform->storing = false;
  index = uniform->index;
  uniform->index = NULL;
  test_near("map", cost_s(t, uniform, HS_FORM_JACOBI), 7e-6, 1e-18);
  uniform->index = index;
  hs_system_destroy(uniform);
  hs_system_destroy(narrow);
  hs_tuning_destroy(t);
}

/* What was measured here is taken as it is with all processors, and no less with fewer threads. */
static void the_cpu_backend_takes_measurements(void **state)
{
  struct hs_tuning *t = table();
  struct hs_system *s = stripes(400, 0);
  struct hs_backend_options all = {.threads_most = hs_backend_processors(), .tuning = t}, one = all;
  (void)state;
  one.threads = 1;
  add(t, "cpu", HS_TUNING_UNIFORM, false, 160000.0, 1.0);
  test_near("all processors", hs_backend_cpu.cost(s, &all).sweep_s, 1.0, 1e-12);
  assert_true(hs_backend_cpu.cost(s, &one).sweep_s >= 1.0 - 1e-12);
  add(t, "cpu-reference", HS_TUNING_UNIFORM, false, 160000.0, 2.0);
  test_near("cpu-reference", hs_backend_reference.cost(s, &all).sweep_s, 2.0, 1e-12);
  hs_system_destroy(s);
  hs_tuning_destroy(t);
}

/* A job goes on without a damaged file, and says so; with a good one the report names its date. */
static void a_job_takes_the_file(void **state)
{
  const struct hs_config config = test_config(20, 20);
  struct hs_error err = {0};
  char *path = hs_tuning_path(&err);
  (void)state;
  assert_non_null(path);
  for (int damaged = 0; damaged < 2; damaged++) {
    struct test_run run;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(file_with("1", "uniform", damaged ? "[]" : "[[400, 0.125]]"), file);
    fclose(file);
    test_run_start(&run, &config, NULL);
    assert_int_equal(run.job.warnings.count, damaged);
    assert_int_equal(run.result.warnings.count, damaged);
    if (damaged) assert_non_null(strstr(run.result.warnings.text[0], path));
    assert_string_equal(run.result.predicted_from, damaged ? "built-in costs" : "costs measured on this machine, now");
    assert_true(damaged || run.result.time_predicted_s > 0.125 * (double)run.result.outcome.sweeps);
    assert_true(damaged || hs_job_expected_s(&run.job) > 1.0);
    test_run_clear(&run);
  }
  unlink(path);
  free(path);
}

/* More threads never make a forecast worse, and large grids take longer. */
static void builtin_cpu_costs_scale(void **state)
{
  static const int sizes[] = {30, 100, 300, 700};
  double before_s = 0.0;
  (void)state;
  for (int k = 0; k < 4; k++) {
    struct hs_system *s = stripes(sizes[k], 0);
    double last_s = INFINITY;
    for (int threads = 1; threads <= hs_backend_processors(); threads++) {
      const struct hs_backend_options options = {.threads = threads};
      const double sweep_s = hs_backend_cpu.cost(s, &options).sweep_s;
      assert_true(sweep_s > 0.0 && sweep_s <= last_s * (1.0 + 1e-12));
      last_s = sweep_s;
    }
    assert_true(last_s > before_s);
    before_s = last_s;
    hs_system_destroy(s);
  }
}

/* Rows of three nodes are padded to whole lines, and each of them costs a call. */
static void narrow_grids_are_no_bargain(void **state)
{
  const struct hs_rate_problem problem = {.nx = 3, .ny = 100000};
  const struct hs_backend_options options = {.threads = 2};
  struct hs_system *s = NULL;
  struct hs_error err = {0};
  (void)state;
  test_ok(hs_rate_system(&problem, &s, &err), &err);
  assert_true(hs_backend_cpu.cost(s, &options).sweep_s > hs_backend_reference.cost(s, &options).sweep_s);
  assert_true(hs_backend_cpu.cost(s, &options).host_bytes >= 3.0 * 16 * 100000 * sizeof(double));
  hs_system_destroy(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_are_kept_in_order),
      cmocka_unit_test(too_many_points_are_refused),
      cmocka_unit_test(interpolation),
      cmocka_unit_test(unknown_curves_are_nan),
      cmocka_unit_test(file_round_trip),
      cmocka_unit_test(damaged_files_are_refused),
      cmocka_unit_test(another_machine_counts_as_none),
      cmocka_unit_test(a_folder_that_cannot_be_made),
      cmocka_unit_test(builtin_curves_are_sound),
      cmocka_unit_test(variety_counts_changes),
      cmocka_unit_test(kinds_are_chosen_from_the_system),
      cmocka_unit_test(the_cpu_backend_takes_measurements),
      cmocka_unit_test(a_job_takes_the_file),
      cmocka_unit_test(builtin_cpu_costs_scale),
      cmocka_unit_test(narrow_grids_are_no_bargain),
  };
  int failed;
  char command[120];
  if (!mkdtemp(folder)) return 99;
  setenv("XDG_CACHE_HOME", folder, 1);
  failed = cmocka_run_group_tests(tests, NULL, NULL);
  snprintf(command, sizeof command, "%s/heatsolve", folder);
  (void)rmdir(command);
  (void)rmdir(folder);
  return failed;
}
