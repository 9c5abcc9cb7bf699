/* Names of numbers. Plain names are looked up in a table. A name such as "probe.A" begins with its group; what follows the
 * section's name ("material.steel.mean") begins at the last dot, so that section names may have dots. */
#include "run/quantity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/cells/materials.h"

/* What follows `first.` in path, or NULL. */
static const char *after(const char *path, const char *first)
{
  const size_t length = strlen(first);
  return !strncmp(path, first, length) && path[length] == '.' ? path + length + 1 : NULL;
}

/* Is text[length] the given name? */
static bool is_name(const char *text, size_t length, const char *name)
{
  return name && strlen(name) == length && !memcmp(text, name, length);
}

static double mass_temperature(const struct hs_result *result)
{
  double sum = 0.0;
  for (int m = 0; result->answers.materials && m < result->problem->material_count; m++) {
    const struct hs_material_answer *material = &result->answers.materials[m];
    if (material->area_m2 > 0.0)
      sum += result->problem->materials[m].density_kg_m3 * material->area_m2 * material->mean_k;
  }
  return sum;
}

static bool plain(const struct hs_result *r, const char *path, double *value)
{
  const struct hs_balance *balance = &r->answers.balance;
  const struct {
    const char *name;
    double value;
  } table[] = {
      {"min", r->answers.minimum_k},
      {"max", r->answers.maximum_k},
      {"mean", r->answers.mean_k},
      {"center", r->answers.center_k},
      {"content", r->answers.content_j_m},
      {"source", balance->source_w_m},
      {"loss", balance->loss_w_m},
      {"held", balance->held_w_m},
      {"heat_in", balance->in_w_m},
      {"heat_out", balance->out_w_m},
      {"imbalance", balance->imbalance_relative},
      {"sweeps", (double)hs_result_sweeps(r)},
      {"stop_index", hs_config_makes_cycles(r->config) ? NAN : (double)hs_result_sweeps(r) - 1.0},
      {"error_estimate", r->outcome.error_estimate_k},
      {"update_max", r->outcome.norms.update_max},
      {"update_l2", r->outcome.norms.update_l2},
      {"residual_relative", r->outcome.residual_relative},
  };
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    if (strcmp(path, table[k].name)) continue;
    *value = table[k].value;
    return true;
  }
  return false;
}

/* What only a transient problem has, and sums that need the problem. */
static bool further(const struct hs_result *r, const char *path, double *value)
{
  if (r->problem && (!strcmp(path, "mass_temperature") || !strcmp(path, "material_integral.density"))) {
    *value = mass_temperature(r);
    return true;
  }
  if (!hs_result_is_transient(r)) return false;
  if (!strcmp(path, "time"))
    *value = r->transient.time_s;
  else if (!strcmp(path, "steps"))
    *value = (double)r->transient.steps;
  else if (!strcmp(path, "storage"))
    *value = r->answers.balance.storage_w_m;
  else
    return false;
  return true;
}

static bool of_side(const struct hs_result *r, const char *name, double *value)
{
  for (int side = 0; side < HS_SIDES; side++) {
    if (strcmp(name, hs_side_name((enum hs_side)side))) continue;
    *value = r->answers.balance.side_w_m[side];
    return true;
  }
  return false;
}

static bool of_surface(const struct hs_result *r, const char *name, double *value)
{
  bool found = false;
  *value = 0.0;
  for (int s = 0; r->problem && s < r->problem->surface_count; s++) {
    if (strcmp(name, r->problem->surfaces[s].name)) continue;
    *value += r->answers.surface_w_m[s]; /* a side's key can cover several segments */
    found = true;
  }
  return found;
}

/* "NAME.K", point K of a line. */
static bool of_line(const struct hs_result *r, const char *name, double *value)
{
  const char *dot = strrchr(name, '.');
  for (int k = 0; dot && k < r->config->probe_count; k++) {
    const struct hs_probe_answer *probe = &r->answers.probes[k];
    char *end;
    long point;
    if (!r->config->probes[k].is_line || !is_name(name, (size_t)(dot - name), r->config->probes[k].name)) continue;
    point = strtol(dot + 1, &end, 10);
    if (end == dot + 1 || *end || point < 0 || point >= probe->count) return false;
    *value = probe->temperature_k[point];
    return true;
  }
  return false;
}

static bool of_probe(const struct hs_result *r, const char *name, double *value)
{
  for (int k = 0; k < r->config->probe_count; k++) {
    if (r->config->probes[k].is_line || strcmp(name, r->config->probes[k].name)) continue;
    *value = r->answers.probes[k].temperature_k[0];
    return true;
  }
  return of_line(r, name, value);
}

static bool of_material(const struct hs_result *r, const char *name, double *value)
{
  const char *dot = strrchr(name, '.');
  for (int m = 0; dot && r->problem && m < r->problem->material_count; m++) {
    const struct hs_material_answer *material = &r->answers.materials[m];
    if (!is_name(name, (size_t)(dot - name), hs_material_title(r->problem, m))) continue;
    if (!strcmp(dot, ".mean"))
      *value = material->mean_k;
    else if (!strcmp(dot, ".min"))
      *value = material->minimum_k;
    else if (!strcmp(dot, ".max"))
      *value = material->maximum_k;
    else if (!strcmp(dot, ".area"))
      *value = material->area_m2;
    else
      return false;
    return true;
  }
  return false;
}

static bool of_shape(const struct hs_result *r, const char *name, double *value)
{
  const char *dot = strrchr(name, '.');
  if (!dot || strcmp(dot, ".out")) return false;
  for (int k = 0; k < r->config->region_count; k++) {
    if (!is_name(name, (size_t)(dot - name), r->config->regions[k].name)) continue;
    *value = r->answers.region_out_w_m[k];
    return true;
  }
  return false;
}

static bool of_history(const struct hs_result *r, const char *number, double *value)
{
  char *end;
  const long long sweep = strtoll(number, &end, 10);
  if (end == number || *end || sweep < 0) return false;
  for (int k = 0; k < r->outcome.history_count; k++) {
    if (r->outcome.history[k].sweeps != sweep + 1) continue;
    *value = r->outcome.history[k].norms.update_max;
    return true;
  }
  return false;
}

bool hs_result_quantity(const struct hs_result *result, const char *path, double *value)
{
  static const struct {
    const char *first;
    bool (*find)(const struct hs_result *result, const char *name, double *value);
  } groups[] = {{"side", of_side},         {"surface", of_surface}, {"probe", of_probe},
                {"material", of_material}, {"shape", of_shape},     {"history.update_max", of_history}};
  if (plain(result, path, value) || further(result, path, value)) return true;
  for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) {
    const char *name = after(path, groups[k].first);
    if (name) return groups[k].find(result, name, value);
  }
  return false;
}
