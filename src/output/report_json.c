/* report.json, for programs that read a run's result.
 *
 * Numbers carry 17 significant digits, so that a double comes back as it was; what is not finite is null. Units
 * stand in the keys: _k kelvin, _m metre, _w_m watt per metre of depth, _s second.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/file.h"
#include "output/report.h"
#include "output/version.h"

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
  json_t *value = json_string(text ? text : "");
  char *plain, *c;
  if (value) return json_object_set_new(object, key, value);
  plain = strdup(text);
  if (!plain) return -1;
  for (c = plain; *c; c++)
    if ((unsigned char)*c >= 0x80) *c = '?';
  value = json_string(plain);
  free(plain);
  return json_object_set_new(object, key, value);
}

static int put_stop(json_t *report, const struct hs_result *result)
{
  const struct hs_solve_outcome *outcome = &result->outcome;
  const struct hs_config *config = result->config;
  int failed = put_text(report, "status", hs_verdict_name(outcome->verdict));
  failed |= put_integer(report, "iterations", outcome->sweeps);
  failed |= outcome->sweeps > 0 ? put_integer(report, "stop_index", outcome->sweeps - 1)
                                : json_object_set_new(report, "stop_index", json_null());
  failed |= json_object_set_new(report, "stop_sweep_exact",
                                json_boolean(outcome->exact_stop && outcome->verdict == HS_VERDICT_CONVERGED));
  failed |= put_text(report, "method", hs_method_name(config->solver.method));
  failed |= put_text(report, "criterion", hs_criterion_name(config->solver.criterion));
  failed |= put_real(report, "tolerance", config->solver.tolerance);
  failed |= put_integer(report, "check_every", config->solver.check_every);
  failed |= put_integer(report, "max_iterations", config->solver.max_iterations);
  return failed;
}

static int put_norms(json_t *report, const struct hs_result *result)
{
  const struct hs_solve_outcome *outcome = &result->outcome;
  const struct hs_report_trust trust = hs_report_assess(result);
  int failed = put_real(report, "update_norm_l2", outcome->norms.update_l2);
  failed |= put_real(report, "update_norm_max", outcome->norms.update_max);
  failed |= put_real(report, "residual_relative_l2", outcome->residual_relative);
  failed |= put_real(report, "residual_l2_w_m", outcome->norms.residual_l2);
  failed |= put_real(report, "residual_max_w_m", outcome->norms.residual_max);
  failed |= put_real(report, "residual_initial_l2_w_m", outcome->residual_initial_l2);
  failed |= put_real(report, "error_estimate_k", outcome->error_estimate_k);
  failed |= json_object_set_new(report, "error_estimate_settled", json_boolean(outcome->error_settled));
  failed |= put_real(report, "error_estimate_relative", trust.error_of_range);
  failed |= put_real(report, "error_estimate_relative_to_center", trust.error_of_center);
  failed |= put_real(report, "convergence_factor", outcome->decay > 0.0 ? exp(-outcome->decay) : NAN);
  return failed;
}

static int put_heat(json_t *report, const struct hs_balance *balance)
{
  int failed = put_real(report, "energy_imbalance_relative", balance->imbalance_relative);
  failed |= put_real(report, "heat_in_w_m", balance->in_w_m);
  failed |= put_real(report, "heat_out_w_m", balance->out_w_m);
  failed |= put_real(report, "heat_west_w_m", balance->side_w_m[HS_WEST]);
  failed |= put_real(report, "heat_east_w_m", balance->side_w_m[HS_EAST]);
  failed |= put_real(report, "heat_south_w_m", balance->side_w_m[HS_SOUTH]);
  failed |= put_real(report, "heat_north_w_m", balance->side_w_m[HS_NORTH]);
  failed |= put_real(report, "source_w_m", balance->source_w_m);
  return failed;
}

static int put_temperature(json_t *report, const struct hs_result *result)
{
  int failed = put_real(report, "temperature_min_k", result->temperature_min_k);
  failed |= put_real(report, "temperature_max_k", result->temperature_max_k);
  failed |= put_real(report, "temperature_mean_k", result->temperature_mean_k);
  failed |= put_real(report, "center_temperature_k", result->center_temperature_k);
  return failed;
}

static int put_run(json_t *report, const struct hs_result *result)
{
  int failed = put_text(report, "backend", result->backend);
  failed |= put_text(report, "backend_reason", result->backend_reason);
  failed |= put_text(report, "device", result->place.device);
  failed |= put_text(report, "precision", hs_precision_name(result->config->solver.precision));
  failed |= put_integer(report, "nx", result->nx);
  failed |= put_integer(report, "ny", result->ny);
  failed |= put_real(report, "dx_m", result->dx_m);
  failed |= put_real(report, "dy_m", result->dy_m);
  failed |= put_integer(report, "threads", result->place.threads);
  failed |= put_real(report, "time_total_s", result->time_total_s);
  failed |= put_real(report, "time_solve_s", result->time_solve_s);
  failed |= put_real(report, "node_updates_per_s", result->node_updates_per_s);
  failed |= put_text(report, "started_utc", result->started_utc);
  failed |= put_text(report, "version", hs_output_version());
  failed |= put_text(report, "config", result->config->path);
  return failed;
}

static int put_files(json_t *report, unsigned files)
{
  json_t *names = json_array();
  int which, failed = 0;
  for (which = 0; which < HS_FILE_COUNT; which++)
    if (files & 1u << which)
      failed |= json_array_append_new(names, json_string(hs_output_file_name((enum hs_output_file)which)));
  return failed | json_object_set_new(report, "files", names);
}

/* The report's text, to be freed, or NULL when memory is short. */
static char *report_text(const struct hs_result *result, unsigned files)
{
  char *text = NULL;
  json_t *report = json_object();
  int failed = put_stop(report, result);
  failed |= put_norms(report, result);
  failed |= put_heat(report, &result->balance);
  failed |= put_temperature(report, result);
  failed |= put_run(report, result);
  failed |= put_files(report, files);
  if (!failed) text = json_dumps(report, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
  json_decref(report);
  return text;
}

hs_status hs_output_report_write_files(const char *path, const struct hs_result *result, unsigned files,
                                       struct hs_error *err)
{
  hs_status status = HS_ERR_MEMORY;
  char *text = report_text(result, files), *lines = NULL;
  if (!text) return hs_error_set(err, HS_ERR_MEMORY, "not enough memory to write %s.", path);
  lines = hs_text_format(err, "%s\n", text);
  if (lines) status = hs_file_put_text(path, lines, err);
  free(lines);
  free(text);
  return status;
}

hs_status hs_output_report_write(const char *path, const struct hs_result *result, struct hs_error *err)
{
  return hs_output_report_write_files(path, result, hs_output_files_wanted(result->config), err);
}
