/* Tests of the reports: report.json and the CSV files hold the answers to the last bit, and the report for people says
 * what applies and warns when it must. The results are made by hand on a plate (plate.h). */
#include "answers/plate.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/answers_csv.h"
#include "output/output.h"
#include "output/report.h"

static char folder[] = "/tmp/heatsolve-report-XXXXXX";

struct sample {
  struct plate plate;
  struct hs_result result;
};

/* A wall of two materials, one wall held and one with convection, a held pipe, two probes and a line. */
static void sample_create(struct sample *sample)
{
  struct plate *plate = &sample->plate;
  struct hs_result *result = &sample->result;
  int wool;
  memset(sample, 0, sizeof *sample);
  plate_create(plate, HS_LAYOUT_VERTEX, 11, 6, 1.0, 0.5);
  wool = plate_material(plate, "wool", 0.05);
  plate_paint(plate, 0.5, 1.0, 0.0, 0.5, (struct hs_cell_class){wool, 30.0, 0.0, 0.0});
  plate_wall(plate, HS_WEST, HS_WALL_TEMPERATURE, 20.0, 0.0);
  plate_wall(plate, HS_EAST, HS_WALL_CONVECTION, 5.0, 8.0);
  plate_shape(plate, "pipe", plate_rectangle(0.2, 0.3, 0.2, 0.3), 60.0);
  plate_point(plate, "A", 0.75, 0.25, "");
  plate_line(plate, "cut", 0.0, 0.1, 1.0, 0.1, 3);
  plate_point(plate, "a \"b\", c", 0.33, 0.4, "");
  plate->config.output.directory = folder;
  plate->config.solver.balance_tolerance = 1e-4;
  plate->config.solver.tolerance = 1e-6;
  plate->config.solver.max_iterations = 1000;
  plate_solve(plate);
  result->config = &plate->config;
  result->problem = &plate->problem;
  result->nx = 11;
  result->ny = 6;
  result->dx_m = result->dy_m = 0.1;
  result->backend = "cpu";
  result->answers = plate_answers(plate);
  result->outcome.verdict = HS_VERDICT_CONVERGED;
  result->outcome.sweeps = 300;
  result->outcome.exact_stop = result->outcome.estimate_converged = true;
}

static void sample_destroy(struct sample *sample)
{
  hs_answers_clear(&sample->result.answers);
  hs_series_clear(&sample->result.series);
  plate_destroy(&sample->plate);
}

static void sample_make_transient(struct sample *sample)
{
  struct hs_error err = {HS_OK, ""};
  sample->plate.config.time.scheme = HS_SCHEME_CRANK_NICOLSON;
  sample->plate.config.time.end_s = 4.0;
  sample->plate.config.time.step_s = 0.5;
  sample->plate.config.time.inner_tolerance_k = 1e-8;
  sample->result.transient = (struct hs_transient_outcome){.verdict = HS_VERDICT_COMPLETED,
                                                           .time_s = 4.0,
                                                           .steps = 8,
                                                           .sweeps = 77,
                                                           .step_smallest_s = 0.5,
                                                           .step_largest_s = 0.5,
                                                           .inner_error_k = 3e-9,
                                                           .step_error_k = NAN,
                                                           .content_start_j_m = NAN};
  sample->result.answers.balance.storage_w_m = 1.5;
  sample->result.answers.balance.imbalance_relative = NAN;
  for (int k = 0; k < 3; k++)
    test_ok(hs_series_add(&sample->result.series, &sample->plate.problem, 2.0 * k, &sample->result.answers, &err),
            &err);
}

static char *path_of(const char *name)
{
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

/* The content of a file, to be freed; NULL when there is none. */
static char *content(const char *name)
{
  FILE *in = fopen(path_of(name), "r");
  char *text = calloc(1, 1 << 16);
  assert_non_null(text);
  if (!in) {
    free(text);
    return NULL;
  }
  assert_true(fread(text, 1, (1 << 16) - 1, in) > 0);
  fclose(in);
  return text;
}

static char *printed(const struct sample *sample, unsigned files)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  hs_output_report_print(out, &sample->result, files);
  fclose(out);
  return text;
}

static void assert_says(const char *text, const char *words)
{
  if (!strstr(text, words)) fail_msg("\"%s\" is missing in:\n%s", words, text);
}

static void assert_says_not(const char *text, const char *words)
{
  if (strstr(text, words)) fail_msg("\"%s\" is out of place in:\n%s", words, text);
}

static json_t *report_of(const struct sample *sample, unsigned files)
{
  struct hs_error err = {HS_OK, ""};
  json_t *report;
  test_ok(hs_output_report_write_files(path_of("report.json"), &sample->result, files, &err), &err);
  report = json_load_file(path_of("report.json"), 0, NULL);
  assert_non_null(report);
  return report;
}

static void assert_number(const json_t *object, const char *key, double wanted)
{
  const json_t *value = json_object_get(object, key);
  if (!json_is_number(value) || json_number_value(value) != wanted)
    fail_msg("%s is %.17g", key, json_number_value(value));
}

static void assert_text(const json_t *object, const char *key, const char *wanted)
{
  const char *value = json_string_value(json_object_get(object, key));
  if (!value || strcmp(value, wanted)) fail_msg("%s is %s", key, value ? value : "no text");
}

/* --- report.json --------------------------------------------------------------------------------- */

static void json_holds_the_answers(void **state)
{
  struct sample sample;
  const struct hs_answers *answers = &sample.result.answers;
  json_t *report, *item;
  (void)state;
  sample_create(&sample);
  sample.result.outcome.spectral_radius = 0.999;
  sample.result.outcome.unbalanced_at = 256;
  report = report_of(&sample, 1u << HS_FILE_REPORT | 1u << HS_FILE_CSV);
  assert_text(report, "status", "converged");
  assert_text(report, "scheme", "steady");
  assert_number(report, "iterations", 300);
  assert_number(report, "stop_index", 299);
  assert_number(report, "spectral_radius", 0.999);
  assert_number(report, "unbalanced_at", 256);
  assert_number(report, "balance_tolerance", 1e-4);
  assert_true(json_is_true(json_object_get(report, "balance_met")));
  assert_number(report, "heat_west_w_m", answers->balance.side_w_m[HS_WEST]);
  assert_number(report, "heat_held_shapes_w_m", answers->balance.held_w_m);
  assert_number(report, "loss_w_m", 0.0);
  assert_number(report, "temperature_max_k", answers->maximum_k);
  assert_number(report, "center_temperature_k", answers->center_k);
  assert_true(json_is_null(json_object_get(report, "heat_content_j_m")));
  assert_true(json_is_null(json_object_get(report, "transient")));
  assert_true(json_is_null(json_object_get(report, "storage_w_m")));

  assert_int_equal(json_array_size(json_object_get(report, "surfaces")), 5);
  item = json_array_get(json_object_get(report, "surfaces"), 4);
  assert_text(item, "name", "pipe");
  assert_text(item, "kind", "held");
  assert_number(item, "heat_w_m", answers->surface_w_m[4]);
  item = json_array_get(json_object_get(report, "surfaces"), HS_EAST);
  assert_text(item, "side", "east");
  assert_text(item, "kind", "convection");
  assert_number(item, "to_m", 0.5);
  item = json_array_get(json_object_get(report, "probes"), 2);
  assert_text(item, "name", "a \"b\", c");
  assert_number(item, "temperature_k", answers->probes[2].temperature_k[0]);
  item = json_object_get(json_array_get(json_object_get(report, "probes"), 1), "temperature_k");
  assert_int_equal(json_array_size(item), 3);
  assert_true(json_number_value(json_array_get(item, 1)) == answers->probes[1].temperature_k[1]);
  item = json_array_get(json_object_get(report, "materials"), 1);
  assert_text(item, "name", "wool");
  assert_number(item, "mean_k", answers->materials[1].mean_k);
  item = json_array_get(json_object_get(report, "shapes"), 0);
  assert_number(item, "heat_out_w_m", answers->region_out_w_m[0]);
  assert_int_equal(json_array_size(json_object_get(report, "files")), 5);
  json_decref(report);
  sample_destroy(&sample);
}

static void json_holds_the_course_in_time(void **state)
{
  struct sample sample;
  json_t *report, *transient, *series, *item;
  (void)state;
  sample_create(&sample);
  sample_make_transient(&sample);
  report = report_of(&sample, 0);
  transient = json_object_get(report, "transient");
  series = json_object_get(transient, "series");
  assert_text(report, "status", "completed");
  assert_number(report, "iterations", 77);
  assert_true(json_is_null(json_object_get(report, "stop_index")));
  assert_true(json_is_null(json_object_get(report, "error_estimate_k")));
  assert_true(json_is_null(json_object_get(report, "energy_imbalance_relative")));
  assert_true(json_is_null(json_object_get(report, "balance_met")));
  assert_number(report, "storage_w_m", 1.5);
  assert_number(transient, "steps", 8);
  assert_number(transient, "time_s", 4.0);
  assert_number(transient, "inner_error_k", 3e-9);
  assert_true(json_is_null(json_object_get(transient, "step_error_k")));
  assert_int_equal(json_array_size(json_object_get(series, "time_s")), 3);
  item = json_array_get(json_object_get(series, "probes"), 1);
  assert_text(item, "name", "cut");
  item = json_array_get(json_object_get(series, "surfaces"), 4);
  assert_true(json_number_value(json_array_get(json_object_get(item, "heat_w_m"), 2)) ==
              sample.result.answers.surface_w_m[4]);
  json_decref(report);
  sample_destroy(&sample);
}

/* --- the report for people ----------------------------------------------------------------------- */

static void text_says_what_applies(void **state)
{
  struct sample sample;
  char *text;
  (void)state;
  sample_create(&sample);
  text = printed(&sample, 1u << HS_FILE_CSV);
  assert_says(text, "converged after 300 sweeps (zero-based stop index 299)");
  assert_says(text, "heat from west");
  assert_says(text, "heat from held shapes");
  assert_says_not(text, "heat from south"); /* insulated */
  assert_says_not(text, "heat from losses");
  assert_says_not(text, "Warning");
  assert_says_not(text, "heat content");
  assert_says_not(text, "level");
  assert_says(text, "\n  surface   side   kind           heat in, W/m\n");
  assert_says(text, "\n  pipe             held  ");
  assert_says(text, "\n  wool    ");
  assert_says(text, "\n  background");
  assert_says(text, "/line-cut.csv\n");
  free(text);
  sample.plate.config.output.unit = (char *)"degC";
  text = printed(&sample, 0);
  assert_says(text, "highest temperature    60 degC");
  assert_says(text, "T, degC");
  free(text);
  sample_destroy(&sample);
}

static void text_warns_of_a_balance_that_is_not_met(void **state)
{
  struct sample sample;
  char *text;
  (void)state;
  sample_create(&sample);
  sample.result.answers.balance.imbalance_relative = 2e-4;
  text = printed(&sample, 0);
  assert_says(text, "the stop test is met, but heat in and heat out differ by 0.02 %");
  free(text);
  sample.result.outcome.verdict = HS_VERDICT_LIMIT;
  sample.result.outcome.unbalanced_at = 256;
  text = printed(&sample, 0);
  assert_says(text, "The stop test has held since sweep 256");
  assert_says(text, "NOT converged");
  free(text);
  sample.result.outcome.unbalanced_at = 0;
  text = printed(&sample, 0);
  assert_says(text, "was reached before the stop test held");
  free(text);
  sample_destroy(&sample);
}

static void text_tells_that_the_level_is_free(void **state)
{
  struct sample sample;
  char *text;
  (void)state;
  sample_create(&sample);
  plate_wall(&sample.plate, HS_WEST, HS_WALL_FLUX, 1.0, 0.0);
  plate_wall(&sample.plate, HS_EAST, HS_WALL_FLUX, -1.0, 0.0);
  sample.plate.problem.held_count = 0;
  sample.result.mean_shift_k = 0.25;
  text = printed(&sample, 0);
  assert_says(text, "only differences follow from the problem");
  assert_says(text, "moved by 0.25 K");
  free(text);
  sample.plate.classes[1].loss_w_m3k = 1.0;
  text = printed(&sample, 0);
  assert_says_not(text, "only differences");
  free(text);
  sample_destroy(&sample);
}

static void text_of_a_transient_has_its_own_words(void **state)
{
  struct sample sample;
  char *text;
  (void)state;
  sample_create(&sample);
  sample_make_transient(&sample);
  text = printed(&sample, 0);
  assert_says(text, "completed at t = 4 s of 4 s, after 8 steps and 77 sweeps");
  assert_says(text, "crank_nicolson, 0.5 s\n");
  assert_says(text, "1.5 W/m stored at this time");
  assert_says_not(text, "stop test");
  assert_says_not(text, "remaining error");
  assert_says_not(text, "Warning");
  free(text);
  sample.plate.config.time.scheme = HS_SCHEME_EXPLICIT;
  sample.plate.config.time.step_s = NAN;
  sample.result.transient.step_smallest_s = 0.25;
  text = printed(&sample, 0);
  assert_says(text, "explicit, 0.5 s, the largest stable step (0.25 s where one had to meet a time)");
  assert_says_not(text, "solver error");
  free(text);
  sample.result.transient.verdict = HS_VERDICT_INTERRUPTED;
  sample.result.transient.time_s = 3.5;
  text = printed(&sample, 0);
  assert_says(text, "interrupted at t = 3.5 s");
  free(text);
  sample_destroy(&sample);
}

static void text_tells_of_threads(void **state)
{
  static const struct {
    struct hs_backend_place place;
    int allowed;
    const char *words;
  } cases[] = {
      {{.device = "a CPU", .threads = 2}, 0, "on a CPU, 2 threads\n"},
      {{.device = "a CPU", .threads = 2}, 2, "on a CPU, 2 threads\n"},
      {{.device = "a CPU", .threads = 1}, 16, "on a CPU, 1 thread of the 16 allowed\n"},
      {{.device = "a CPU", .threads = 1, .serial = true}, 16, "on a CPU, 1 thread\n"},
      {{.device = "a GPU"}, 16, "on a GPU\n"},
  };
  struct sample sample;
  (void)state;
  sample_create(&sample);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char *text;
    sample.result.place = cases[k].place;
    sample.plate.config.solver.threads = cases[k].allowed;
    text = printed(&sample, 0);
    assert_says(text, cases[k].words);
    free(text);
  }
  sample_destroy(&sample);
}

/* --- CSV ----------------------------------------------------------------------------------------- */

static int lines_of(const char *text)
{
  int lines = 0;
  for (; *text; text++) lines += *text == '\n';
  return lines;
}

static void csv_holds_the_answers(void **state)
{
  struct sample sample;
  struct hs_error err = {HS_OK, ""};
  char *text, wanted[256];
  (void)state;
  sample_create(&sample);
  assert_int_equal(hs_answers_csv_count(&sample.result), 4);
  test_ok(hs_answers_csv_write(&sample.result, folder, &err), &err);
  text = content("probes.csv");
  assert_int_equal(lines_of(text), 3);
  snprintf(wanted, sizeof wanted, "name,x_m,y_m,temperature\nA,0.75,0.25,%.17g\n\"a \"\"b\"\", c\",%.17g,%.17g,%.17g\n",
           sample.result.answers.probes[0].temperature_k[0], 0.33, 0.4,
           sample.result.answers.probes[2].temperature_k[0]);
  assert_string_equal(text, wanted);
  free(text);
  text = content("heat.csv");
  assert_int_equal(lines_of(text), 6);
  snprintf(wanted, sizeof wanted, "\npipe,,held,%.17g\n", sample.result.answers.surface_w_m[4]);
  assert_says(text, wanted);
  assert_says(text, "\neast,east,convection,-");
  assert_says(text, "\nsouth,south,insulated,0\n");
  free(text);
  text = content("line-cut.csv");
  assert_int_equal(lines_of(text), 4);
  assert_says(text, "distance_m,x_m,y_m,temperature\n0,0,");
  free(text);
  text = content("materials.csv");
  assert_says(text, "\nwool,0.25,");
  free(text);
  assert_null(content("series.csv"));
  sample_make_transient(&sample);
  test_ok(hs_answers_csv_write(&sample.result, folder, &err), &err);
  text = content("series.csv");
  assert_int_equal(lines_of(text), 4);
  assert_says(text, "time_s,min,max,mean,content_j_m,probe A,probe cut,\"probe a \"\"b\"\", c\",heat_w_m west,");
  assert_says(text, "\n2,6.56"); /* time, min */
  free(text);
  sample_destroy(&sample);
}

static void csv_names_are_safe_and_different(void **state)
{
  static const char *const names[] = {"../x", ".._x", "A b", "a B"};
  static const char *const wanted[] = {"line-.._x.csv", "line-.._x-(2).csv", "line-A_b.csv", "line-a_B-(2).csv"};
  struct sample sample;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  sample_create(&sample);
  sample.plate.config.probe_count = 0;
  for (int k = 0; k < 4; k++) plate_line(&sample.plate, names[k], 0.0, 0.0, 1.0, 0.5, 2);
  assert_int_equal(hs_answers_csv_count(&sample.result), 6);
  for (int k = 0; k < 4; k++) {
    char *name = hs_answers_csv_name(&sample.result, 2 + k, &err);
    assert_string_equal(name, wanted[k]);
    free(name);
  }
  sample_destroy(&sample);
}

static void csv_tells_where_it_cannot_write(void **state)
{
  struct sample sample;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  sample_create(&sample);
  assert_int_equal(hs_answers_csv_write(&sample.result, "/dev/null/no", &err), HS_ERR_IO);
  assert_says(err.text, "/dev/null/no/heat.csv");
  sample_destroy(&sample);
}

static int folder_create(void **state)
{
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int folder_remove(void **state)
{
  static const char *const names[] = {"report.json",  "probes.csv", "heat.csv",
                                      "line-cut.csv", "series.csv", "materials.csv"};
  (void)state;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) (void)unlink(path_of(names[k]));
  return rmdir(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(json_holds_the_answers),
      cmocka_unit_test(json_holds_the_course_in_time),
      cmocka_unit_test(text_says_what_applies),
      cmocka_unit_test(text_warns_of_a_balance_that_is_not_met),
      cmocka_unit_test(text_tells_that_the_level_is_free),
      cmocka_unit_test(text_of_a_transient_has_its_own_words),
      cmocka_unit_test(text_tells_of_threads),
      cmocka_unit_test(csv_holds_the_answers),
      cmocka_unit_test(csv_names_are_safe_and_different),
      cmocka_unit_test(csv_tells_where_it_cannot_write),
  };
  return cmocka_run_group_tests_name("report", tests, folder_create, folder_remove);
}
