/* The lists of report.json: surfaces, probes, materials, shapes, the course in time, and all quantities by their names. */
#include <math.h>
#include <stdlib.h>

#include "output/report/json_put.h"
#include "output/report/report.h"
#include "problem/cells/materials.h"
#include "problem/walls.h"
#include "run/quantity.h"

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
    failed |= hs_put_text(surface, "name", p->surfaces[s].name);
    failed |= hs_put_text(surface, "side", hs_report_surface_side(p, s));
    failed |= hs_put_text(surface, "kind", hs_report_surface_kind(p, s));
    failed |= hs_put_real(surface, "from_m", segment >= 0 ? p->segments[segment].from_m : NAN);
    failed |= hs_put_real(surface, "to_m", segment >= 0 ? p->segments[segment].to_m : NAN);
    failed |= hs_put_real(surface, "heat_w_m", result->answers.surface_w_m[s]);
    failed |= hs_put_real(surface, "heat_mean_w_m2", hs_result_surface_mean(result, s));
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
    failed |= hs_put_text(probe, "name", result->config->probes[k].name);
    if (result->config->probes[k].is_line) {
      failed |= put_numbers(probe, "distance_m", answer->distance_m, answer->count, 1);
      failed |= put_numbers(probe, "x_m", answer->x_m, answer->count, 1);
      failed |= put_numbers(probe, "y_m", answer->y_m, answer->count, 1);
      failed |= put_numbers(probe, "temperature_k", answer->temperature_k, answer->count, 1);
    } else {
      failed |= hs_put_real(probe, "x_m", answer->x_m[0]);
      failed |= hs_put_real(probe, "y_m", answer->y_m[0]);
      failed |= hs_put_real(probe, "temperature_k", answer->temperature_k[0]);
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
    failed |= hs_put_text(material, "name", hs_material_title(result->problem, m));
    failed |= hs_put_real(material, "area_m2", answer->area_m2);
    failed |= hs_put_real(material, "mean_k", answer->mean_k);
    failed |= hs_put_real(material, "min_k", answer->minimum_k);
    failed |= hs_put_real(material, "max_k", answer->maximum_k);
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
    failed |= hs_put_text(shape, "name", result->config->regions[r].name);
    failed |= hs_put_real(shape, "heat_out_w_m", result->answers.region_out_w_m[r]);
    failed |= json_array_append_new(list, shape);
  }
  return failed | json_object_set_new(report, "shapes", list);
}

/* --- time ---------------------------------------------------------------------------------------- */

/* Appends {"name": name, key: every stride-th value} to list. */
static int append_course(json_t *list, const char *name, const char *key, const double *values, int count, int stride)
{
  json_t *course = json_object();
  int failed = hs_put_text(course, "name", name);
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
  failed |= hs_put_real(object, "time_s", outcome->time_s);
  failed |= hs_put_real(object, "end_s", result->config->time.end_s);
  failed |= hs_put_integer(object, "steps", outcome->steps);
  failed |= hs_put_integer(object, "rejected_steps", outcome->rejected_steps);
  failed |= hs_put_real(object, "step_smallest_s", outcome->step_smallest_s);
  failed |= hs_put_real(object, "step_largest_s", outcome->step_largest_s);
  failed |= hs_put_real(object, "damped_until_s", hs_config_damped_until_s(result->config));
  failed |= hs_put_real(object, "inner_tolerance_k", result->config->time.inner_tolerance_k);
  failed |= hs_put_real(object, "inner_error_k", outcome->inner_error_k);
  failed |= hs_put_real(object, "step_error_k", outcome->step_error_k);
  failed |= hs_put_real(object, "heat_content_start_j_m", outcome->content_start_j_m);
  failed |= hs_put_real(object, "heat_content_end_j_m", result->answers.content_j_m);
  failed |= result->series.count > 0 ? json_object_set_new(object, "series", series_object(result)) : 0;
  return failed | json_object_set_new(report, "transient", object);
}

/* A name that is taken keeps its number, as in hs_result_quantity. */
static bool quantity_put(void *context, const char *name, double value)
{
  json_t *object = context;
  if (!json_object_get(object, name) && hs_put_real(object, name, value)) json_object_clear(object);
  return json_object_size(object) > 0;
}

static int put_quantities(json_t *report, const struct hs_result *result)
{
  json_t *object = json_object();
  hs_result_quantities(result, quantity_put, object);
  if (json_object_size(object) == 0) {
    json_decref(object);
    return -1;
  }
  return json_object_set_new(report, "quantities", object);
}

int hs_put_lists(json_t *report, const struct hs_result *result)
{
  int failed = put_surfaces(report, result);
  failed |= put_probes(report, result);
  failed |= put_materials(report, result);
  failed |= put_shapes(report, result);
  failed |= put_transient(report, result);
  return failed | put_quantities(report, result);
}
