/* report.json, for programs that read a run's result.
 *
 * Numbers have 17 significant digits, so that a double comes back as it was; what is not finite is null. Keys end in
 * their units: _k kelvin (or the configured unit of temperatures, temperature_unit), _m metre, _w_m watt per
 * metre of depth, _j_m joule per metre of depth, _s second. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/version.h"
#include "io/file.h"
#include "output/describe.h"
#include "output/report/answers_csv.h"
#include "output/report/json_put.h"
#include "output/report/report.h"
#include "problem/walls.h"

/* The method, and why; null for explicit steps, which solve no system. */
static int put_method(json_t *report, const struct hs_result *result)
{
  const struct hs_config *config = result->config;
  const bool solves = config->time.scheme != HS_SCHEME_EXPLICIT;
  int failed = 0;
  if (solves) {
    failed |= hs_put_text(report, "method", hs_method_name(result->method));
    failed |= hs_put_text(report, "method_reason", result->method_reason);
  } else {
    failed |= json_object_set_new(report, "method", json_null());
    failed |= json_object_set_new(report, "method_reason", json_null());
  }
  failed |= hs_put_real(report, "weight", solves && result->method == HS_METHOD_WEIGHTED ? config->solver.weight : NAN);
  return failed;
}

static int put_stop(json_t *report, const struct hs_result *result)
{
  const struct hs_solve_outcome *outcome = &result->outcome;
  const struct hs_config *config = result->config;
  const bool transient = hs_result_is_transient(result), cycles = hs_result_makes_cycles(result);
  const int64_t sweeps = hs_result_sweeps(result);
  int failed = hs_put_text(report, "status", hs_verdict_name(hs_result_verdict(result)));
  failed |= hs_put_text(report, "scheme", hs_scheme_name(config->time.scheme));
  failed |= hs_put_integer(report, "iterations", sweeps);
  failed |= hs_put_count(report, "cycles", sweeps, cycles);
  failed |= hs_put_count(report, "levels", result->levels, cycles);
  failed |= hs_put_real(report, "time_levels_s", cycles ? result->time_levels_s : NAN);
  failed |= hs_put_real(report, "work_sweeps", outcome->work_sweeps);
  failed |= hs_put_count(report, "stop_index", sweeps - 1, sweeps > 0 && !transient && !cycles);
  failed |= hs_put_boolean(report, "stop_sweep_exact", outcome->exact_stop && outcome->verdict == HS_VERDICT_CONVERGED);
  failed |= put_method(report, result);
  failed |= hs_put_text(report, "criterion", hs_criterion_name(config->solver.criterion));
  failed |= hs_put_real(report, "tolerance", config->solver.tolerance);
  failed |= hs_put_real(report, "balance_tolerance", config->solver.balance_tolerance);
  failed |= hs_put_count(report, "check_every", result->check_every, !cycles);
  failed |= hs_put_integer(report, "max_iterations", config->solver.max_iterations);
  failed |= hs_put_real(report, "spectral_radius", outcome->spectral_radius > 0.0 ? outcome->spectral_radius : NAN);
  failed |= hs_put_integer(report, "restarts", outcome->restarts);
  failed |= hs_put_count(report, "unbalanced_at", outcome->unbalanced_at, outcome->unbalanced_at > 0);
  return failed;
}

/* The norms of a steady run; null for a transient one. */
static int put_norms(json_t *report, const struct hs_result *result)
{
  const struct hs_solve_outcome *outcome = &result->outcome;
  const bool steady = !hs_result_is_transient(result);
  const struct hs_report_trust trust = hs_report_assess(result);
  int failed = hs_put_real(report, "update_norm_l2", steady ? outcome->norms.update_l2 : NAN);
  failed |= hs_put_real(report, "update_norm_max", steady ? outcome->norms.update_max : NAN);
  failed |= hs_put_real(report, "residual_relative_l2", steady ? outcome->residual_relative : NAN);
  failed |= hs_put_real(report, "residual_l2_w_m", steady ? outcome->norms.residual_l2 : NAN);
  failed |= hs_put_real(report, "residual_max_w_m", steady ? outcome->norms.residual_max : NAN);
  failed |= hs_put_real(report, "residual_initial_l2_w_m", steady ? outcome->residual_initial_l2 : NAN);
  failed |= hs_put_real(report, "error_estimate_k", steady ? outcome->error_estimate_k : NAN);
  failed |= hs_put_boolean(report, "error_estimate_converged", steady && outcome->estimate_converged);
  failed |= hs_put_text(report, "error_estimate_by",
                        !steady                                                      ? ""
                        : outcome->found_by_cycles || hs_result_makes_cycles(result) ? "cycles"
                                                                                     : "history");
  failed |= hs_put_integer(report, "estimate_cycles", result->estimate_cycles);
  failed |= hs_put_real(report, "time_estimate_s", result->time_estimate_s);
  failed |= hs_put_real(report, "error_estimate_relative", steady ? trust.error_of_range : NAN);
  failed |= hs_put_real(report, "error_estimate_relative_to_center", steady ? trust.error_of_center : NAN);
  failed |= hs_put_real(report, "resolution_k", hs_result_resolution_k(result));
  failed |= hs_put_real(report, "convergence_factor",
                        steady && outcome->convergence_rate > 0.0 ? exp(-outcome->convergence_rate) : NAN);
  return failed;
}

static int put_heat(json_t *report, const struct hs_result *result)
{
  const struct hs_balance *balance = &result->answers.balance;
  int failed = hs_put_real(report, "energy_imbalance_relative", balance->imbalance_relative);
  failed |= hs_result_is_transient(result)
                ? json_object_set_new(report, "balance_met", json_null())
                : hs_put_boolean(report, "balance_met", hs_report_assess(result).balance_met);
  failed |= hs_put_real(report, "heat_in_w_m", balance->in_w_m);
  failed |= hs_put_real(report, "heat_out_w_m", balance->out_w_m);
  failed |= hs_put_real(report, "heat_west_w_m", balance->side_w_m[HS_WEST]);
  failed |= hs_put_real(report, "heat_east_w_m", balance->side_w_m[HS_EAST]);
  failed |= hs_put_real(report, "heat_south_w_m", balance->side_w_m[HS_SOUTH]);
  failed |= hs_put_real(report, "heat_north_w_m", balance->side_w_m[HS_NORTH]);
  for (int side = 0; side < HS_SIDES; side++) {
    char key[32];
    snprintf(key, sizeof key, "heat_%s_mean_w_m2", hs_side_name((enum hs_side)side));
    failed |= hs_put_real(report, key, hs_result_side_mean(result, (enum hs_side)side));
  }
  failed |= hs_put_real(report, "heat_held_shapes_w_m", balance->held_w_m);
  failed |= hs_put_real(report, "source_w_m", balance->source_w_m);
  failed |= hs_put_real(report, "loss_w_m", balance->loss_w_m);
  failed |= hs_put_real(report, "storage_w_m", hs_result_is_transient(result) ? balance->storage_w_m : NAN);
  return failed;
}

static int put_temperature(json_t *report, const struct hs_result *result)
{
  const struct hs_answers *answers = &result->answers;
  int failed = hs_put_real(report, "temperature_min_k", answers->minimum_k);
  failed |= hs_put_real(report, "temperature_max_k", answers->maximum_k);
  failed |= hs_put_real(report, "temperature_min_x_m", answers->minimum_at_m[0]);
  failed |= hs_put_real(report, "temperature_min_y_m", answers->minimum_at_m[1]);
  failed |= hs_put_real(report, "temperature_max_x_m", answers->maximum_at_m[0]);
  failed |= hs_put_real(report, "temperature_max_y_m", answers->maximum_at_m[1]);
  failed |= hs_put_real(report, "temperature_mean_k", answers->mean_k);
  failed |= hs_put_real(report, "center_temperature_k", answers->center_k);
  failed |= hs_put_real(report, "heat_content_j_m", answers->content_j_m);
  failed |= hs_put_boolean(report, "temperature_is_relative", hs_report_is_relative(result));
  failed |= hs_put_real(report, "mean_shift_k", hs_report_is_relative(result) ? result->mean_shift_k : NAN);
  failed |= hs_put_text(report, "temperature_unit", hs_temperature_unit(result->config));
  return failed;
}

static int put_run(json_t *report, const struct hs_result *result)
{
  int failed = hs_put_text(report, "backend", result->backend);
  failed |= hs_put_text(report, "backend_reason", result->backend_reason);
  failed |= hs_put_text(report, "device", result->place.device);
  failed |= hs_put_text(report, "precision", hs_precision_name(result->config->solver.precision));
  failed |= hs_put_text(report, "layout", hs_layout_name(result->config->grid.layout));
  failed |= hs_put_integer(report, "nx", result->config->grid.nx);
  failed |= hs_put_integer(report, "ny", result->config->grid.ny);
  failed |= hs_put_real(report, "dx_m", result->dx_m);
  failed |= hs_put_real(report, "dy_m", result->dy_m);
  failed |= hs_put_integer(report, "threads", result->place.threads);
  failed |= hs_put_real(report, "threads_mean", result->place.threads_mean);
  failed |= hs_put_integer(report, "went_on_from", result->went_on_from);
  failed |= hs_put_integer(report, "checkpoints", result->checkpoints);
  failed |= hs_put_real(report, "time_checkpoints_s", result->time_checkpoints_s);
  failed |= hs_put_real(report, "time_total_s", result->time_total_s);
  failed |= hs_put_real(report, "time_solve_s", result->time_solve_s);
  failed |= hs_put_real(report, "time_predicted_s", result->time_predicted_s);
  failed |= hs_put_real(report, "time_over_predicted", hs_report_over_predicted(result));
  failed |= hs_put_text(report, "predicted_from", result->predicted_from);
  failed |=
      hs_put_real(report, "node_updates_per_s", hs_result_makes_cycles(result) ? NAN : result->node_updates_per_s);
  failed |= hs_put_text(report, "started_utc", result->started_utc);
  failed |= hs_put_text(report, "version", hs_version_number());
  failed |= hs_put_text(report, "config", result->config->path);
  failed |= hs_put_text(report, "title", result->config->output.title);
  return failed;
}

static int put_warnings(json_t *report, const struct hs_result *result)
{
  json_t *list = json_array();
  int failed = 0;
  for (int k = 0; k < result->warnings.count; k++) {
    json_t *object = json_object();
    failed |= hs_put_text(object, "text", result->warnings.text[k]); /* a file's name in it may be any bytes */
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

json_t *hs_report_object(const struct hs_result *result, unsigned files)
{
  json_t *report = json_object();
  int failed = put_stop(report, result);
  failed |= put_norms(report, result);
  failed |= put_heat(report, result);
  failed |= put_temperature(report, result);
  failed |= put_run(report, result);
  failed |= hs_put_lists(report, result);
  failed |= put_warnings(report, result);
  failed |= put_files(report, result, files);
  if (!failed) return report;
  json_decref(report);
  return NULL;
}

char *hs_output_report_json(const struct hs_result *result, unsigned files)
{
  json_t *report = hs_report_object(result, files);
  char *text = hs_json_text(report, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
  json_decref(report);
  return text;
}

hs_status hs_output_report_write_files(const char *path, const struct hs_result *result, unsigned files,
                                       struct hs_error *err)
{
  char *text = hs_output_report_json(result, files);
  const hs_status status = text ? hs_file_put_text(path, text, err)
                                : hs_error_set(err, HS_ERR_MEMORY, "not enough memory to write %s.", path);
  free(text);
  return status;
}

hs_status hs_output_report_write(const char *path, const struct hs_result *result, struct hs_error *err)
{
  return hs_output_report_write_files(path, result, hs_output_files_wanted(result->config), err);
}
