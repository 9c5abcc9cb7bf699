/* Names of numbers. All numbers of a result are gone through in one order, each with the name that it has; a number is looked
 * up by going through them. Names of sections may have dots, so nothing takes names apart. Where two numbers have the same
 * name, as point 3 of line "A" and a point "A.3", the first one has it. */
#include "run/quantity.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "config/text.h"
#include "problem/cells/materials.h"
#include "problem/walls.h"

enum {
  NAME_SIZE = 512 /* a section's name and a few words */,
  NEAR_MOST = 10000 /* names compared with a misspelt one */
};

/* Who is told, until it has heard enough. */
struct listener {
  hs_quantity_visit *visit;
  void *context;
  bool enough;
};

static void tell(struct listener *listener, double value, const char *format, ...) HS_PRINTF(3, 4);

static void tell(struct listener *listener, double value, const char *format, ...)
{
  char name[NAME_SIZE];
  va_list arguments;
  if (listener->enough) return;
  va_start(arguments, format);
  vsnprintf(name, sizeof name, format, arguments);
  va_end(arguments);
  listener->enough = !listener->visit(listener->context, name, value);
}

static void tell_field(struct listener *l, const struct hs_result *r)
{
  const struct hs_balance *balance = &r->answers.balance;
  tell(l, r->answers.minimum_k, "min");
  tell(l, r->answers.maximum_k, "max");
  tell(l, r->answers.minimum_at_m[0], "min.x");
  tell(l, r->answers.minimum_at_m[1], "min.y");
  tell(l, r->answers.maximum_at_m[0], "max.x");
  tell(l, r->answers.maximum_at_m[1], "max.y");
  tell(l, r->answers.mean_k, "mean");
  tell(l, r->answers.center_k, "center");
  tell(l, r->answers.content_j_m, "content");
  tell(l, balance->source_w_m, "source");
  tell(l, balance->loss_w_m, "loss");
  tell(l, balance->held_w_m, "held");
  tell(l, balance->in_w_m, "heat_in");
  tell(l, balance->out_w_m, "heat_out");
  tell(l, balance->imbalance_relative, "imbalance");
}

static void tell_iteration(struct listener *l, const struct hs_result *r)
{
  const double sweeps = (double)hs_result_sweeps(r);
  tell(l, sweeps, "sweeps");
  tell(l, hs_result_makes_cycles(r) ? NAN : sweeps - 1.0, "stop_index");
  tell(l, r->outcome.error_estimate_k, "error_estimate");
  tell(l, r->outcome.norms.update_max, "update_max");
  tell(l, r->outcome.norms.update_l2, "update_l2");
  tell(l, r->outcome.residual_relative, "residual_relative");
}

static void tell_time(struct listener *l, const struct hs_result *r)
{
  if (!hs_result_is_transient(r)) return;
  tell(l, r->transient.time_s, "time");
  tell(l, (double)r->transient.steps, "steps");
  tell(l, r->answers.balance.storage_w_m, "storage");
}

static void tell_side(struct listener *l, const struct hs_result *r, enum hs_side side)
{
  tell(l, r->answers.balance.side_w_m[side], "side.%s", hs_side_name(side));
  if (r->problem) tell(l, hs_result_side_mean(r, side), "side.%s.mean", hs_side_name(side));
}

/* A key of [boundary] can cover several segments of its side; they have one name and count together. */
static void tell_heat(struct listener *l, const struct hs_result *r)
{
  const int count = r->problem ? r->problem->surface_count : 0;
  for (int side = 0; side < HS_SIDES; side++) tell_side(l, r, (enum hs_side)side);
  for (int s = 0; s < count; s++) {
    const char *name = r->problem->surfaces[s].name;
    double sum = 0.0, length_m = 0.0;
    bool told = false;
    for (int k = 0; k < count; k++) {
      if (strcmp(r->problem->surfaces[k].name, name)) continue;
      told = told || k < s;
      sum += r->answers.surface_w_m[k];
      length_m += hs_surface_length(r->problem, k);
    }
    if (told) continue;
    tell(l, sum, "surface.%s", name);
    if (!isnan(length_m)) tell(l, sum / length_m, "surface.%s.mean", name);
  }
  for (int k = 0; r->problem && k < r->config->region_count; k++)
    tell(l, r->answers.region_out_w_m[k], "shape.%s.out", r->config->regions[k].name);
}

static void tell_probes(struct listener *l, const struct hs_result *r)
{
  for (int k = 0; k < r->config->probe_count; k++)
    if (!r->config->probes[k].is_line)
      tell(l, r->answers.probes[k].temperature_k[0], "probe.%s", r->config->probes[k].name);
  for (int k = 0; k < r->config->probe_count; k++)
    for (int point = 0; r->config->probes[k].is_line && point < r->answers.probes[k].count; point++)
      tell(l, r->answers.probes[k].temperature_k[point], "probe.%s.%d", r->config->probes[k].name, point);
}

static void tell_materials(struct listener *l, const struct hs_result *r)
{
  double mass_temperature = 0.0;
  if (!r->problem) return;
  for (int m = 0; m < r->problem->material_count; m++) {
    const struct hs_material_answer *material = &r->answers.materials[m];
    const char *name = hs_material_title(r->problem, m);
    tell(l, material->mean_k, "material.%s.mean", name);
    tell(l, material->minimum_k, "material.%s.min", name);
    tell(l, material->maximum_k, "material.%s.max", name);
    tell(l, material->area_m2, "material.%s.area", name);
    if (material->area_m2 > 0.0)
      mass_temperature += r->problem->materials[m].density_kg_m3 * material->area_m2 * material->mean_k;
  }
  tell(l, mass_temperature, "mass_temperature");
  tell(l, mass_temperature, "material_integral.density");
}

static void tell_history(struct listener *l, const struct hs_result *r)
{
  for (int k = 0; k < r->outcome.history_count; k++)
    if (r->outcome.history[k].sweeps > 0)
      tell(l, r->outcome.history[k].norms.update_max, "history.update_max.%lld",
           (long long)r->outcome.history[k].sweeps - 1);
}

void hs_result_quantities(const struct hs_result *result, hs_quantity_visit *visit, void *context)
{
  struct listener listener = {visit, context, false};
  tell_field(&listener, result);
  tell_iteration(&listener, result);
  tell_time(&listener, result);
  tell_heat(&listener, result);
  tell_probes(&listener, result);
  tell_materials(&listener, result);
  tell_history(&listener, result);
}

/* --- one of them --------------------------------------------------------------------------------- */

struct search {
  const char *path;
  double value;
  bool found;
};

static bool search_visit(void *context, const char *name, double value)
{
  struct search *search = context;
  if (strcmp(name, search->path)) return true;
  search->value = value;
  search->found = true;
  return false;
}

bool hs_result_quantity(const struct hs_result *result, const char *path, double *value)
{
  struct search search = {.path = path};
  hs_result_quantities(result, search_visit, &search);
  if (search.found) *value = search.value;
  return search.found;
}

/* --- the nearest name ---------------------------------------------------------------------------- */

struct names {
  char *items[NEAR_MOST];
  size_t count;
};

static bool names_visit(void *context, const char *name, double value)
{
  struct names *names = context;
  (void)value;
  names->items[names->count] = strdup(name);
  if (names->items[names->count]) names->count++;
  return names->count < NEAR_MOST;
}

char *hs_result_quantity_near(const struct hs_result *result, const char *path)
{
  struct names *names = calloc(1, sizeof *names);
  char *near = NULL;
  if (names) {
    const char *nearest;
    hs_result_quantities(result, names_visit, names);
    nearest = hs_text_nearest(path, (const char *const *)names->items, names->count);
    if (nearest) near = strdup(nearest);
    for (size_t k = 0; k < names->count; k++) free(names->items[k]);
  }
  free(names);
  return near;
}
