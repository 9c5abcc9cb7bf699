/* report.json: it holds the answers to the last bit. */
#include "output/sample.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "folder.h"
#include "output/fixture.h"
#include "output/output.h"
#include "output/report/report.h"
#include "run/quantity.h"

/* --- a plate ------------------------------------------------------------------------------------- */

static json_t *report_of(const struct sample *sample, unsigned files)
{
  struct hs_error err = {HS_OK, ""};
  json_t *report;
  test_ok(hs_output_report_write_files(test_folder_path("report.json"), &sample->result, files, &err), &err);
  report = json_load_file(test_folder_path("report.json"), 0, NULL);
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

static void json_holds_the_answers(void **state)
{
  struct sample sample;
  const struct hs_answers *answers = &sample.result.answers;
  json_t *report, *item;
  (void)state;
  sample_create(&sample);
  sample.result.outcome.spectral_radius = 0.999;
  sample.result.outcome.unbalanced_at = 256;
  sample.result.answers.minimum_at_m[0] = 0.1;
  sample.result.answers.minimum_at_m[1] = 0.2;
  sample.result.answers.maximum_at_m[0] = 0.3;
  sample.result.answers.maximum_at_m[1] = NAN;
  report = report_of(&sample, 1u << HS_FILE_REPORT | 1u << HS_FILE_CSV);
  assert_number(report, "temperature_min_x_m", 0.1);
  assert_number(report, "temperature_min_y_m", 0.2);
  assert_number(report, "temperature_max_x_m", 0.3);
  assert_true(json_is_null(json_object_get(report, "temperature_max_y_m")));
  assert_text(report, "status", "converged");
  assert_text(report, "scheme", "steady");
  assert_number(report, "iterations", 300);
  assert_number(report, "stop_index", 299);
  assert_number(report, "spectral_radius", 0.999);
  assert_number(report, "unbalanced_at", 256);
  assert_number(report, "balance_tolerance", 1e-4);
  assert_true(json_is_true(json_object_get(report, "balance_met")));
  assert_number(report, "heat_west_w_m", answers->balance.side_w_m[HS_WEST]);
  assert_number(report, "heat_west_mean_w_m2", answers->balance.side_w_m[HS_WEST] / 0.5);
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
  assert_true(json_is_null(json_object_get(item, "heat_mean_w_m2")));
  item = json_array_get(json_object_get(report, "surfaces"), HS_EAST);
  assert_text(item, "side", "east");
  assert_text(item, "kind", "convection");
  assert_number(item, "to_m", 0.5);
  assert_number(item, "heat_mean_w_m2", answers->surface_w_m[HS_EAST] / 0.5);
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

static bool quantity_compare(void *context, const char *name, double value)
{
  const json_t *quantities = context;
  if (isfinite(value))
    assert_number(quantities, name, value);
  else
    assert_true(json_is_null(json_object_get(quantities, name)));
  return true;
}

static void json_lists_all_quantities(void **state)
{
  struct sample sample;
  json_t *report;
  (void)state;
  sample_create(&sample);
  report = report_of(&sample, 0);
  assert_number(json_object_get(report, "quantities"), "side.west", sample.result.answers.balance.side_w_m[HS_WEST]);
  hs_result_quantities(&sample.result, quantity_compare, json_object_get(report, "quantities"));
  json_decref(report);
  sample_destroy(&sample);
}

/* Keys of sweeps stay, and are null where cycles are made. */
static void json_counts_cycles(void **state)
{
  struct sample sample;
  json_t *report;
  (void)state;
  sample_create(&sample);
  sample.result.outcome.work_sweeps = 300.0;
  report = report_of(&sample, 0);
  assert_true(json_is_null(json_object_get(report, "cycles")));
  assert_true(json_is_null(json_object_get(report, "levels")));
  assert_number(report, "work_sweeps", 300.0);
  json_decref(report);
  sample.result.method = HS_METHOD_MULTIGRID;
  sample.result.outcome.sweeps = 7;
  sample.result.outcome.work_sweeps = 148.5;
  sample.result.levels = 5;
  sample.result.time_levels_s = 0.25;
  report = report_of(&sample, 0);
  assert_text(report, "method", "multigrid");
  assert_number(report, "cycles", 7);
  assert_number(report, "iterations", 7);
  assert_number(report, "work_sweeps", 148.5);
  assert_number(report, "levels", 5);
  assert_number(report, "time_levels_s", 0.25);
  assert_true(json_is_null(json_object_get(report, "stop_index")));
  assert_true(json_is_null(json_object_get(report, "check_every")));
  assert_true(json_is_null(json_object_get(report, "node_updates_per_s")));
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

/* --- a result made by hand ----------------------------------------------------------------------- */

static void assert_real(json_t *report, const char *key, double expected)
{
  json_t *value = json_object_get(report, key);
  if (!json_is_real(value) || json_real_value(value) != expected) fail_msg("%s is %.17g", key, json_real_value(value));
}

static void test_report_parses_back_exactly(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  json_t *report;
  (void)state;
  fixture_fill(&fixture);
  fixture.result.answers.center_k = 0.15152741700107639;
  fixture.config.path = (char *)"caf\xe9.ini";
  assert_int_equal(hs_output_report_write(test_folder_path("report.json"), &fixture.result, &err), HS_OK);
  report = json_load_file(test_folder_path("report.json"), 0, NULL);
  assert_non_null(report);
  assert_string_equal(json_string_value(json_object_get(report, "status")), "converged");
  assert_int_equal(json_integer_value(json_object_get(report, "iterations")), 30);
  assert_int_equal(json_integer_value(json_object_get(report, "stop_index")), 29);
  assert_real(report, "center_temperature_k", 0.15152741700107639);
  assert_real(report, "error_estimate_relative", 0.03);
  assert_real(report, "error_estimate_relative_to_center", 0.03 / (0.15152741700107639 + 0.03));
  assert_real(report, "heat_north_w_m", -4.0);
  assert_real(report, "convergence_factor", exp(-0.25));
  assert_true(json_is_null(json_object_get(report, "residual_relative_l2")));
  assert_true(json_is_null(json_object_get(report, "time_solve_s")));
  assert_string_equal(json_string_value(json_object_get(report, "device")), "a \"quoted\" device");
  assert_string_equal(json_string_value(json_object_get(report, "config")), "caf?.ini");
  json_decref(report);
}

static void test_report_has_no_stop_index_without_sweeps(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  json_t *report;
  (void)state;
  fixture_fill(&fixture);
  fixture.result.outcome.sweeps = 0;
  assert_int_equal(hs_output_report_write(test_folder_path("report.json"), &fixture.result, &err), HS_OK);
  report = json_load_file(test_folder_path("report.json"), 0, NULL);
  assert_true(json_is_null(json_object_get(report, "stop_index")));
  json_decref(report);
}

static int folder_create(void **state)
{
  (void)state;
  return test_folder_create("report");
}

static int folder_remove(void **state)
{
  static const char *const files[] = {"report.json", NULL};
  (void)state;
  return test_folder_remove(files);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(json_holds_the_answers),
      cmocka_unit_test(json_lists_all_quantities),
      cmocka_unit_test(json_counts_cycles),
      cmocka_unit_test(json_holds_the_course_in_time),
      cmocka_unit_test(test_report_parses_back_exactly),
      cmocka_unit_test(test_report_has_no_stop_index_without_sweeps),
  };
  return cmocka_run_group_tests_name("report_json", tests, folder_create, folder_remove);
}
