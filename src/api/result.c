/* Reading a result: fields, numbers, the report; and its files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/flux.h"
#include "api/handle.h"
#include "base/memory.h"
#include "base/text.h"
#include "config/text.h"
#include "output/lock.h"
#include "output/output.h"
#include "output/report/report.h"
#include "run/quantity.h"

HS_PUBLIC void heatsolve_free(heatsolve_result *result)
{
  if (!result) return;
  for (int k = 0; k < result->kept_count; k++) free(result->kept[k].field_k);
  for (int k = 0; k < result->name_count; k++) free(result->names[k]);
  free(result->kept);
  free(result->names);
  free(result->node_x_m);
  free(result->node_y_m);
  free(result->cell_x_m);
  free(result->cell_y_m);
  free(result->material);
  free(result->flux[0]);
  free(result->flux[1]);
  free(result->json);
  free(result->text);
  hs_result_clear(&result->result);
  hs_job_clear(&result->job);
  hs_config_destroy(result->config);
  free(result);
}

HS_PUBLIC const char *heatsolve_status(const heatsolve_result *result)
{
  return hs_verdict_name(hs_result_verdict(&result->result));
}

HS_PUBLIC int heatsolve_exit_code(const heatsolve_result *result)
{
  return hs_verdict_exit_code(hs_result_verdict(&result->result));
}

HS_PUBLIC const char *heatsolve_warning(const heatsolve_result *result, int k)
{
  const struct hs_warnings *own = &result->result.warnings, *doubts = &result->doubts;
  if (k < 0) return NULL;
  if (k < own->count) return own->text[k];
  return k - own->count < doubts->count ? doubts->text[k - own->count] : NULL;
}

/* --- fields ---------------------------------------------------------------------------------- */

/* Places from `first` spacings on, as field.h5 has them, unless they are there. */
static hs_status places_make(double **places, int count, double first, double spacing_m, struct hs_error *err)
{
  hs_status status = HS_OK;
  if (*places) return HS_OK;
  status = hs_array_create((void **)places, (size_t)count, sizeof **places, "the places of nodes", err);
  for (int k = 0; !status && k < count; k++) (*places)[k] = (first + k) * spacing_m;
  return status;
}

static hs_status nodes_fill(heatsolve_result *result, const double *values, heatsolve_field *field,
                            struct hs_error *err)
{
  const struct hs_problem *p = result->job.problem;
  const double first = result->config->grid.layout == HS_LAYOUT_CELL ? 0.5 : 0.0;
  hs_status status = places_make(&result->node_x_m, p->nx, first, p->dx_m, err);
  if (!status) status = places_make(&result->node_y_m, p->ny, first, p->dy_m, err);
  if (!status)
    *field = (heatsolve_field){
        sizeof *field, p->nx, p->ny, values, result->node_x_m, result->node_y_m, result->config->output.unit};
  return status;
}

static size_t cell_count(const struct hs_problem *p)
{
  return (size_t)p->cells_x * (size_t)p->cells_y;
}

static hs_status material_make(heatsolve_result *result, struct hs_error *err)
{
  const struct hs_problem *p = result->job.problem;
  const size_t cells = cell_count(p);
  hs_status status;
  if (result->material) return HS_OK;
  status = hs_array_reserve((void **)&result->material, cells, sizeof *result->material, "the materials", err);
  for (size_t n = 0; !status && n < cells; n++) result->material[n] = p->classes[p->cell[n]].material;
  return status;
}

static hs_status flux_make(heatsolve_result *result, struct hs_error *err)
{
  const struct hs_problem *p = result->job.problem;
  hs_status status = HS_OK;
  if (result->flux[1]) return HS_OK;
  for (int axis = 0; !status && axis < 2; axis++)
    if (!result->flux[axis])
      status = hs_array_reserve((void **)&result->flux[axis], cell_count(p), sizeof(double), "the heat flux", err);
  if (!status) hs_answers_flux_rows(p, result->result.field_k, 0, p->cells_y, result->flux[0], result->flux[1]);
  return status;
}

static hs_status cells_fill(heatsolve_result *result, const double *values, const char *unit, heatsolve_field *field,
                            struct hs_error *err)
{
  const struct hs_problem *p = result->job.problem;
  hs_status status = places_make(&result->cell_x_m, p->cells_x, 0.5, p->dx_m, err);
  if (!status) status = places_make(&result->cell_y_m, p->cells_y, 0.5, p->dy_m, err);
  if (!status)
    *field = (heatsolve_field){sizeof *field, p->cells_x, p->cells_y, values, result->cell_x_m, result->cell_y_m, unit};
  return status;
}

static hs_status field_fill(heatsolve_result *result, const char *name, heatsolve_field *field, struct hs_error *err)
{
  const bool material = !strcmp(name, "material"), flux_x = !strcmp(name, "heat_flux_x");
  hs_status status;
  if (!strcmp(name, "temperature")) return nodes_fill(result, result->result.field_k, field, err);
  if (!material && !flux_x && strcmp(name, "heat_flux_y") != 0)
    return hs_error_set(err, HS_ERR_USAGE,
                        "there is no field \"%s\"; there are temperature, material, heat_flux_x and heat_flux_y",
                        hs_text_clip(name).text);
  status = material ? material_make(result, err) : flux_make(result, err);
  if (status) return status;
  if (material) return cells_fill(result, result->material, "", field, err);
  return cells_fill(result, result->flux[flux_x ? 0 : 1], "W m-2", field, err);
}

static hs_status field_check(const heatsolve_field *field, struct hs_error *err)
{
  if (field->size >= sizeof *field) return HS_OK;
  return hs_error_set(err, HS_ERR_USAGE, "field.size must be sizeof(heatsolve_field)");
}

HS_PUBLIC int heatsolve_get_field(heatsolve_result *result, const char *name, heatsolve_field *field,
                                  heatsolve_error *error)
{
  struct hs_error err = {0};
  hs_status status = field_check(field, &err);
  if (!status) status = field_fill(result, name, field, &err);
  return hs_answer(status, &err, error);
}

HS_PUBLIC const char *heatsolve_material_name(const heatsolve_result *result, int k)
{
  if (k < 0 || k >= result->config->material_count) return NULL;
  return k ? result->config->materials[k].name : "background";
}

HS_PUBLIC int heatsolve_snapshot_count(const heatsolve_result *result)
{
  return result->kept_count;
}

static hs_status snapshot_missing(const heatsolve_result *result, int k, struct hs_error *err)
{
  if (result->config->time.scheme == HS_SCHEME_STEADY)
    return hs_error_set(err, HS_ERR_USAGE, "there is no snapshot %d: the run was steady", k);
  if (result->kept_count == 0)
    return hs_error_set(err, HS_ERR_USAGE,
                        "there is no snapshot %d: the run kept none; with HEATSOLVE_SNAPSHOTS it keeps those that "
                        "[time] asks for",
                        k);
  return hs_error_set(err, HS_ERR_USAGE, "there is no snapshot %d: the run kept %d, from 0 to %d", k,
                      result->kept_count, result->kept_count - 1);
}

HS_PUBLIC int heatsolve_get_snapshot(heatsolve_result *result, int k, double *time_s, heatsolve_field *field,
                                     heatsolve_error *error)
{
  struct hs_error err = {0};
  hs_status status = field_check(field, &err);
  if (!status && (k < 0 || k >= result->kept_count)) status = snapshot_missing(result, k, &err);
  if (!status) status = nodes_fill(result, result->kept[k].field_k, field, &err);
  if (!status) *time_s = result->kept[k].time_s;
  return hs_answer(status, &err, error);
}

/* --- numbers --------------------------------------------------------------------------------- */

HS_PUBLIC int heatsolve_get_value(heatsolve_result *result, const char *name, double *value, heatsolve_error *error)
{
  struct hs_error err = {0};
  char *near = NULL;
  hs_status status = HS_OK;
  if (!hs_result_quantity(&result->result, name, value)) {
    near = hs_result_quantity_near(&result->result, name);
    status = hs_error_set(&err, HS_ERR_USAGE, "the result has no number \"%s\"%s%s%s", hs_text_clip(name).text,
                          near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
  }
  free(near);
  return hs_answer(status, &err, error);
}

static bool name_count(void *context, const char *name, double value)
{
  heatsolve_result *result = context;
  (void)name;
  (void)value;
  result->name_count++;
  return true;
}

static bool name_add(void *context, const char *name, double value)
{
  heatsolve_result *result = context;
  (void)value;
  result->names[result->name_count] = strdup(name);
  if (!result->names[result->name_count]) return false;
  result->name_count++;
  return true;
}

HS_PUBLIC const char *heatsolve_value_name(heatsolve_result *result, int k)
{
  if (!result->names) {
    hs_result_quantities(&result->result, name_count, result);
    result->names = calloc((size_t)result->name_count + 1, sizeof *result->names);
    result->name_count = 0;
    if (result->names) hs_result_quantities(&result->result, name_add, result);
  }
  return k >= 0 && k < result->name_count ? result->names[k] : NULL;
}

/* --- the report ------------------------------------------------------------------------------ */

HS_PUBLIC const char *heatsolve_report_json(heatsolve_result *result)
{
  struct hs_error unread;
  struct hs_frame frame;
  if (!result->json && !hs_frame_enter(&frame, &unread)) {
    result->json = hs_output_report_json(&result->result, result->files);
    hs_frame_leave(&frame);
  }
  return result->json;
}

static ssize_t text_write(void *cookie, const char *bytes, size_t count)
{
  hs_text_add_bytes(cookie, bytes, count);
  return (ssize_t)count;
}

HS_PUBLIC const char *heatsolve_report_text(heatsolve_result *result)
{
  struct hs_text text = {0};
  struct hs_error unread;
  struct hs_frame frame;
  FILE *out = NULL;
  if (result->text || hs_frame_enter(&frame, &unread)) return result->text;
  out = fopencookie(&text, "w", (cookie_io_functions_t){.write = text_write});
  if (out) {
    hs_output_report_print(out, &result->result, result->files);
    if (fclose(out) || text.failed) {
      free(text.text);
      text.text = NULL;
    }
  }
  result->text = text.text;
  hs_frame_leave(&frame);
  return result->text;
}

/* --- files ----------------------------------------------------------------------------------- */

static hs_status write_to(heatsolve_result *result, const char *folder, struct hs_error *err)
{
  struct hs_output_lock *lock = NULL;
  char *directory = hs_text_copy(folder, err);
  hs_status status;
  if (!directory) return HS_ERR_MEMORY;
  if (!*directory) {
    free(directory);
    return hs_error_set(err, HS_ERR_USAGE, "the folder has no name; the present one is \".\"");
  }
  free(result->config->output.directory);
  result->config->output.directory = directory;
  status = hs_output_config_check(result->config, err);
  if (!status) status = hs_output_prepare(directory, err);
  if (!status) status = hs_output_lock(directory, &lock, &result->result.warnings, err);
  if (!status) status = hs_output_write_later(&result->result, &result->files, err);
  hs_output_unlock(lock);
  free(result->json);
  free(result->text);
  result->json = result->text = NULL;
  return status;
}

HS_PUBLIC int heatsolve_write(heatsolve_result *result, const char *folder, heatsolve_error *error)
{
  struct hs_error err = {0};
  struct hs_frame frame;
  hs_status status = hs_frame_enter(&frame, &err);
  if (!status) status = write_to(result, folder, &err);
  hs_frame_leave(&frame);
  return hs_answer(status, &err, error);
}
