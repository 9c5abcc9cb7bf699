/* report.json, for programs that read a run's result.
 *
 * Numbers have 17 significant digits, so that a double comes back as it was; what is not finite is null. Keys end in
 * their units: _k kelvin (or the configured unit of temperatures, temperature_unit), _m metre, _w_m watt per
 * metre of depth, _j_m joule per metre of depth, _s second. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/version.h"
#include "io/file.h"
#include "output/describe.h"
#include "output/report/answers_csv.h"
#include "output/report/report.h"
#include "problem/cells/materials.h"

/* In the helpers below a negative value means that memory is short, as in jansson. */

static int put_real(json_t *object, const char *key, double value)
{
  return json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}

static int put_integer(json_t *object, const char *key, int64_t value)
{
  return json_object_set_new(object, key, json_integer(value));
}

/* A text; bytes that are not UTF-8 (a path may hold any) are written as '?'. */
static int put_text(json_t *object, const char *key, const char *text)
{
  json_t *value;
  char *plain;
  if (!text || hs_json_holds(text)) return json_object_set_new(object, key, json_string(text ? text : ""));
  plain = strdup(text);
  if (!plain) return -1;
  for (char *c = plain; *c; c++)
    if ((unsigned char)*c >= 0x80) *c = '?';
  value = json_string(plain);
  free(plain);
  return json_object_set_new(object, key, value);
}

static int put_boolean(json_t *object, const char *key, bool value)
{
  return json_object_set_new(object, key, json_boolean(value));
}

/* An integer, or null where it means nothing. */
static int put_count(json_t *object, const char *key, int64_t value, bool known)
{
  return known ? put_integer(object, key, value) : json_object_set_new(object, key, json_null());
}

static int put_stop(json_t *report, const struct hs_result *result)
{
  const struct hs_solve_outcome *outcome = &result->outcome;
  const struct hs_config *config = result->config;
  const bool transient = hs_result_is_transient(result), cycles = hs_config_makes_cycles(config);
  const int64_t sweeps = hs_result_sweeps(result);
  int failed = put_text(report, "status", hs_verdict_name(hs_result_verdict(result)));
  failed |= put_text(report, "scheme", hs_scheme_name(config->time.scheme));
  failed |= put_integer(report, "iterations", sweeps);
  failed |= put_count(report, "cycles", sweeps, cycles);
  failed |= put_count(report, "levels", result->levels, cycles);
  failed |= put_real(report, "time_levels_s", cycles ? result->time_levels_s : NAN);
  failed |= put_real(report, "work_sweeps", outcome->work_sweeps);
  failed |= put_count(report, "stop_index", sweeps - 1, sweeps > 0 && !transient && !cycles);
  failed |= put_boolean(report, "stop_sweep_exact", outcome->exact_stop && outcome->verdict == HS_VERDICT_CONVERGED);
  failed |= put_text(report, "method", hs_method_name(config->solver.method));
  failed |= put_real(report, "weight", config->solver.method == HS_METHOD_WEIGHTED ? config->solver.weight : NAN);
  failed |= put_text(report, "criterion", hs_criterion_name(config->solver.criterion));
  failed |= put_real(report, "tolerance", config->solver.tolerance);
  failed |= put_real(report, "balance_tolerance", config->solver.balance_tolerance);
  failed |= put_count(report, "check_every", result->check_every, !cycles);
  failed |= put_integer(report, "max_iterations", config->solver.max_iterations);
  failed |= put_real(report, "spectral_radius", outcome->spectral_radius > 0.0 ? outcome->spectral_radius : NAN);
  failed |= put_integer(report, "restarts", outcome->restarts);
  failed |= put_count(report, "unbalanced_at", outcome->unbalanced_at, outcome->unbalanced_at > 0);
  return failed;
}

/* The norms of a steady run; null for a transient one. */
static int put_norms(json_t *report, const struct hs_result *result)
{
  const struct hs_solve_outcome *outcome = &result->outcome;
  const bool steady = !hs_result_is_transient(result);
  const struct hs_report_trust trust = hs_report_assess(result);
  int failed = put_real(report, "update_norm_l2", steady ? outcome->norms.update_l2 : NAN);
  failed |= put_real(report, "update_norm_max", steady ? outcome->norms.update_max : NAN);
  failed |= put_real(report, "residual_relative_l2", steady ? outcome->residual_relative : NAN);
  failed |= put_real(report, "residual_l2_w_m", steady ? outcome->norms.residual_l2 : NAN);
  failed |= put_real(report, "residual_max_w_m", steady ? outcome->norms.residual_max : NAN);
  failed |= put_real(report, "residual_initial_l2_w_m", steady ? outcome->residual_initial_l2 : NAN);
  failed |= put_real(report, "error_estimate_k", steady ? outcome->error_estimate_k : NAN);
  failed |= put_boolean(report, "error_estimate_converged", steady && outcome->estimate_converged);
  failed |= put_real(report, "error_estimate_relative", steady ? trust.error_of_range : NAN);
  failed |= put_real(report, "error_estimate_relative_to_center", steady ? trust.error_of_center : NAN);
  failed |= put_real(report, "convergence_factor",
                     steady && outcome->convergence_rate > 0.0 ? exp(-outcome->convergence_rate) : NAN);
  return failed;
}

static int put_heat(json_t *report, const struct hs_result *result)
{
  const struct hs_balance *balance = &result->answers.balance;
  int failed = put_real(report, "energy_imbalance_relative", balance->imbalance_relative);
  failed |=
      hs_result_is_transient(result)
          ? json_object_set_new(report, "balance_met", json_null())
          : put_boolean(report, "balance_met", balance->imbalance_relative <= result->config->solver.balance_tolerance);
  failed |= put_real(report, "heat_in_w_m", balance->in_w_m);
  failed |= put_real(report, "heat_out_w_m", balance->out_w_m);
  failed |= put_real(report, "heat_west_w_m", balance->side_w_m[HS_WEST]);
  failed |= put_real(report, "heat_east_w_m", balance->side_w_m[HS_EAST]);
  failed |= put_real(report, "heat_south_w_m", balance->side_w_m[HS_SOUTH]);
  failed |= put_real(report, "heat_north_w_m", balance->side_w_m[HS_NORTH]);
  failed |= put_real(report, "heat_held_shapes_w_m", balance->held_w_m);
  failed |= put_real(report, "source_w_m", balance->source_w_m);
  failed |= put_real(report, "loss_w_m", balance->loss_w_m);
  failed |= put_real(report, "storage_w_m", hs_result_is_transient(result) ? balance->storage_w_m : NAN);
  return failed;
}

static int put_temperature(json_t *report, const struct hs_result *result)
{
  const struct hs_answers *answers = &result->answers;
  int failed = put_real(report, "temperature_min_k", answers->minimum_k);
  failed |= put_real(report, "temperature_max_k", answers->maximum_k);
  failed |= put_real(report, "temperature_mean_k", answers->mean_k);
  failed |= put_real(report, "center_temperature_k", answers->center_k);
  failed |= put_real(report, "heat_content_j_m", answers->content_j_m);
  failed |= put_boolean(report, "temperature_is_relative", hs_report_is_relative(result));
  failed |= put_real(report, "mean_shift_k", hs_report_is_relative(result) ? result->mean_shift_k : NAN);
  failed |= put_text(report, "temperature_unit", hs_temperature_unit(result->config));
  return failed;
}

static int put_run(json_t *report, const struct hs_result *result)
{
  int failed = put_text(report, "backend", result->backend);
  failed |= put_text(report, "backend_reason", result->backend_reason);
  failed |= put_text(report, "device", result->place.device);
  failed |= put_text(report, "precision", hs_precision_name(result->config->solver.precision));
  failed |= put_text(report, "layout", hs_layout_name(result->config->grid.layout));
  failed |= put_integer(report, "nx", result->nx);
  failed |= put_integer(report, "ny", result->ny);
  failed |= put_real(report, "dx_m", result->dx_m);
  failed |= put_real(report, "dy_m", result->dy_m);
  failed |= put_integer(report, "threads", result->place.threads);
  failed |= put_real(report, "threads_mean", result->place.threads_mean);
  failed |= put_integer(report, "went_on_from", result->went_on_from);
  failed |= put_integer(report, "checkpoints", result->checkpoints);
  failed |= put_real(report, "time_checkpoints_s", result->time_checkpoints_s);
  failed |= put_real(report, "time_total_s", result->time_total_s);
  failed |= put_real(report, "time_solve_s", result->time_solve_s);
  failed |= put_real(report, "time_predicted_s", result->time_predicted_s);
  failed |= put_real(report, "time_over_predicted", hs_report_over_predicted(result));
  failed |= put_text(report, "predicted_from", result->predicted_from);
  failed |=
      put_real(report, "node_updates_per_s", hs_config_makes_cycles(result->config) ? NAN : result->node_updates_per_s);
  failed |= put_text(report, "started_utc", result->started_utc);
  failed |= put_text(report, "version", hs_version_number());
  failed |= put_text(report, "config", result->config->path);
  return failed;
}

/* --- lists --------------------------------------------------------------------------------------- */

static json_t *numbers(const double *values, size_t count, size_t stride)
{
  json_t *list = json_array();
  for (size_t k = 0; k < count; k++) {
    const double value = values[k * stride];
    if (json_array_append_new(list, isfinite(value) ? json_real(value) : json_null())) {
      json_decref(list);
      return NULL;
    }
  }
  return list;
}

static int put_numbers(json_t *object, const char *key, const double *values, int count, int stride)
{
  return json_object_set_new(object, key, numbers(values, (size_t)count, (size_t)stride));
}

static int put_surfaces(json_t *report, const struct hs_result *result)
{
  const struct hs_problem *p = result->problem;
  json_t *list = json_array();
  int failed = 0;
  for (int s = 0; p && s < p->surface_count; s++) {
    json_t *surface = json_object();
    const int segment = p->surfaces[s].segment;
    failed |= put_text(surface, "name", p->surfaces[s].name);
    failed |= put_text(surface, "side", hs_report_surface_side(p, s));
    failed |= put_text(surface, "kind", hs_report_surface_kind(p, s));
    failed |= put_real(surface, "from_m", segment >= 0 ? p->segments[segment].from_m : NAN);
    failed |= put_real(surface, "to_m", segment >= 0 ? p->segments[segment].to_m : NAN);
    failed |= put_real(surface, "heat_w_m", result->answers.surface_w_m[s]);
    failed |= json_array_append_new(list, surface);
  }
  return failed | json_object_set_new(report, "surfaces", list);
}

/* A point has numbers, a line lists of them. */
static int put_probes(json_t *report, const struct hs_result *result)
{
  json_t *list = json_array();
  int failed = 0;
  for (int k = 0; k < result->config->probe_count; k++) {
    const struct hs_probe_answer *answer = &result->answers.probes[k];
    json_t *probe = json_object();
    failed |= put_text(probe, "name", result->config->probes[k].name);
    if (result->config->probes[k].is_line) {
      failed |= put_numbers(probe, "distance_m", answer->distance_m, answer->count, 1);
      failed |= put_numbers(probe, "x_m", answer->x_m, answer->count, 1);
      failed |= put_numbers(probe, "y_m", answer->y_m, answer->count, 1);
      failed |= put_numbers(probe, "temperature_k", answer->temperature_k, answer->count, 1);
    } else {
      failed |= put_real(probe, "x_m", answer->x_m[0]);
      failed |= put_real(probe, "y_m", answer->y_m[0]);
      failed |= put_real(probe, "temperature_k", answer->temperature_k[0]);
    }
    failed |= json_array_append_new(list, probe);
  }
  return failed | json_object_set_new(report, "probes", list);
}

static int put_materials(json_t *report, const struct hs_result *result)
{
  json_t *list = json_array();
  int failed = 0;
  for (int m = 0; result->problem && m < result->problem->material_count; m++) {
    const struct hs_material_answer *answer = &result->answers.materials[m];
    json_t *material = json_object();
    failed |= put_text(material, "name", hs_material_title(result->problem, m));
    failed |= put_real(material, "area_m2", answer->area_m2);
    failed |= put_real(material, "mean_k", answer->mean_k);
    failed |= put_real(material, "min_k", answer->minimum_k);
    failed |= put_real(material, "max_k", answer->maximum_k);
    failed |= json_array_append_new(list, material);
  }
  return failed | json_object_set_new(report, "materials", list);
}

static int put_shapes(json_t *report, const struct hs_result *result)
{
  json_t *list = json_array();
  int failed = 0;
  for (int r = 0; result->problem && r < result->config->region_count; r++) {
    json_t *shape = json_object();
    failed |= put_text(shape, "name", result->config->regions[r].name);
    failed |= put_real(shape, "heat_out_w_m", result->answers.region_out_w_m[r]);
    failed |= json_array_append_new(list, shape);
  }
  return failed | json_object_set_new(report, "shapes", list);
}

/* --- time ---------------------------------------------------------------------------------------- */

/* Appends {"name": name, key: every stride-th value} to list. */
static int append_course(json_t *list, const char *name, const char *key, const double *values, int count, int stride)
{
  json_t *course = json_object();
  int failed = put_text(course, "name", name);
  failed |= put_numbers(course, key, values, count, stride);
  return failed | json_array_append_new(list, course);
}

/* Course in time: lists with as many entries as there are times. */
static json_t *series_object(const struct hs_result *result)
{
  const struct hs_series *series = &result->series;
  const int probes = result->config->probe_count, surfaces = result->problem ? result->problem->surface_count : 0;
  json_t *object = json_object(), *of_probes = json_array(), *of_surfaces = json_array();
  int failed = put_numbers(object, "time_s", series->time_s, series->count, 1);
  failed |= put_numbers(object, "temperature_min_k", series->minimum_k, series->count, 1);
  failed |= put_numbers(object, "temperature_max_k", series->maximum_k, series->count, 1);
  failed |= put_numbers(object, "temperature_mean_k", series->mean_k, series->count, 1);
  failed |= put_numbers(object, "heat_content_j_m", series->content_j_m, series->count, 1);
  for (int k = 0; k < probes; k++)
    failed |= append_course(of_probes, result->config->probes[k].name, "temperature_k", series->probe_k + k,
                            series->count, probes);
  for (int s = 0; s < surfaces; s++)
    failed |= append_course(of_surfaces, result->problem->surfaces[s].name, "heat_w_m", series->surface_w_m + s,
                            series->count, surfaces);
  failed |= json_object_set_new(object, "probes", of_probes);
  failed |= json_object_set_new(object, "surfaces", of_surfaces);
  if (!failed) return object;
  json_decref(object);
  return NULL;
}

static int put_transient(json_t *report, const struct hs_result *result)
{
  const struct hs_transient_outcome *outcome = &result->transient;
  json_t *object;
  int failed = 0;
  if (!hs_result_is_transient(result)) return json_object_set_new(report, "transient", json_null());
  object = json_object();
  failed |= put_real(object, "time_s", outcome->time_s);
  failed |= put_real(object, "end_s", result->config->time.end_s);
  failed |= put_integer(object, "steps", outcome->steps);
  failed |= put_integer(object, "rejected_steps", outcome->rejected_steps);
  failed |= put_real(object, "step_smallest_s", outcome->step_smallest_s);
  failed |= put_real(object, "step_largest_s", outcome->step_largest_s);
  failed |= put_real(object, "inner_tolerance_k", result->config->time.inner_tolerance_k);
  failed |= put_real(object, "inner_error_k", outcome->inner_error_k);
  failed |= put_real(object, "step_error_k", outcome->step_error_k);
  failed |= put_real(object, "heat_content_start_j_m", outcome->content_start_j_m);
  failed |= put_real(object, "heat_content_end_j_m", result->answers.content_j_m);
  failed |= result->series.count > 0 ? json_object_set_new(object, "series", series_object(result)) : 0;
  return failed | json_object_set_new(report, "transient", object);
}

static int put_warnings(json_t *report, const struct hs_result *result)
{
  json_t *list = json_array();
  int failed = 0;
  for (int k = 0; k < result->warnings.count; k++) {
    json_t *object = json_object();
    failed |= put_text(object, "text", result->warnings.text[k]); /* a file's name in it may be any bytes */
    failed |= json_array_append(list, json_object_get(object, "text"));
    json_decref(object);
  }
  return failed | json_object_set_new(report, "warnings", list);
}

/* --- all ----------------------------------------------------------------------------------------- */

/* CSV files have names that depend on the probes. */
static int put_csv_names(json_t *names, const struct hs_result *result)
{
  int failed = 0;
  for (int k = 0; k < hs_answers_csv_count(result->config, result->series.count > 0); k++) {
    char *name = hs_answers_csv_name(result->config, k, NULL);
    failed |= json_array_append_new(names, name ? json_string(name) : NULL);
    free(name);
  }
  return failed;
}

static int put_files(json_t *report, const struct hs_result *result, unsigned files)
{
  json_t *names = json_array();
  int failed = 0;
  for (int which = 0; which < HS_FILE_COUNT; which++) {
    if (!(files & 1u << which)) continue;
    if (which == HS_FILE_CSV)
      failed |= put_csv_names(names, result);
    else
      failed |= json_array_append_new(names, json_string(hs_output_file_name((enum hs_output_file)which)));
  }
  return failed | json_object_set_new(report, "files", names);
}

/* The report's text, to be freed, or NULL when memory is short. */
static char *report_text(const struct hs_result *result, unsigned files)
{
  char *text = NULL;
  json_t *report = json_object();
  int failed = put_stop(report, result);
  failed |= put_norms(report, result);
  failed |= put_heat(report, result);
  failed |= put_temperature(report, result);
  failed |= put_run(report, result);
  failed |= put_surfaces(report, result);
  failed |= put_probes(report, result);
  failed |= put_materials(report, result);
  failed |= put_shapes(report, result);
  failed |= put_transient(report, result);
  failed |= put_warnings(report, result);
  failed |= put_files(report, result, files);
  if (!failed) text = hs_json_text(report, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
  json_decref(report);
  return text;
}

hs_status hs_output_report_write_files(const char *path, const struct hs_result *result, unsigned files,
                                       struct hs_error *err)
{
  char *text = report_text(result, files);
  const hs_status status = text ? hs_file_put_text(path, text, err)
                                : hs_error_set(err, HS_ERR_MEMORY, "not enough memory to write %s.", path);
  free(text);
  return status;
}

hs_status hs_output_report_write(const char *path, const struct hs_result *result, struct hs_error *err)
{
  return hs_output_report_write_files(path, result, hs_output_files_wanted(result->config), err);
}
