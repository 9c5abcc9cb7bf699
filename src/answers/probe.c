/* Probes: points and lines of points, whose temperatures every rank tells as far as it knows (point.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answers/parts.h"
#include "base/memory.h"
#include "problem/cells/materials.h"

#define SLACK 1e-9 /* of the plate's length: a point so little outside lies on the wall */

/* The material a probe names, -1 where it names none or (*known false) an unknown one. */
static int material_of(const struct hs_problem *p, const struct hs_config_probe *probe, bool *known)
{
  *known = true;
  if (!probe->material || !probe->material[0]) return -1;
  for (int m = 0; m < p->material_count; m++)
    if (!strcmp(hs_material_title(p, m), probe->material)) return m;
  *known = false;
  return -1;
}

static int point_count(const struct hs_config_probe *probe)
{
  return probe->is_line ? probe->points : 1;
}

/* Point k of a probe; both ends are exact. */
static void point_of(const struct hs_config_probe *probe, int k, double *x_m, double *y_m)
{
  const double fraction = probe->is_line && probe->points > 1 ? (double)k / (probe->points - 1) : 0.0;
  *x_m = fraction == 0.0 ? probe->x_m : hs_between(probe->x_m, probe->x1_m, fraction);
  *y_m = fraction == 0.0 ? probe->y_m : hs_between(probe->y_m, probe->y1_m, fraction);
}

static void place_points(const struct hs_config_probe *probe, struct hs_probe_answer *answer)
{
  for (int k = 0; k < answer->count; k++) {
    point_of(probe, k, &answer->x_m[k], &answer->y_m[k]);
    answer->distance_m[k] = hypot(answer->x_m[k] - probe->x_m, answer->y_m[k] - probe->y_m);
  }
}

/* Temperatures of all points of all probes. */
static hs_status temperatures_take(const struct hs_problem *p, const double *field_k, int points,
                                   struct hs_probe_answer *probes, struct hs_error *err)
{
  const int count = p->config->probe_count, numbers = points * (int)(sizeof(struct hs_telling) / sizeof(double));
  struct hs_telling *tellings = NULL, *next;
  hs_status status = hs_array_create((void **)&tellings, (size_t)points, sizeof *tellings, "the points of probes", err);
  if (status) return status;
  next = tellings;
  for (int k = 0; k < count; k++) {
    bool known;
    const int material = material_of(p, &p->config->probes[k], &known);
    for (int point = 0; point < probes[k].count; point++)
      hs_point_tell(p, field_k, probes[k].x_m[point], probes[k].y_m[point], material, next++);
  }
  status = hs_comm_sum(hs_own_comm(p), (double *)(void *)tellings, numbers, err); /* a number and zeros: exact */
  next = tellings;
  for (int k = 0; !status && k < count; k++)
    for (int point = 0; point < probes[k].count; point++) probes[k].temperature_k[point] = hs_telling_mean(next++);
  free(tellings);
  return status;
}

/* One block of memory: the answers, then the arrays of all probes. */
hs_status hs_probes_take(const struct hs_problem *problem, const double *field_k, struct hs_probe_answer **probes,
                         struct hs_error *err)
{
  const struct hs_config *config = problem->config;
  const size_t head = (size_t)config->probe_count * sizeof **probes;
  int points = 0;
  double *next;
  hs_status status;
  *probes = NULL;
  if (config->probe_count == 0) return HS_OK;
  for (int k = 0; k < config->probe_count; k++) points += point_count(&config->probes[k]);
  status = hs_array_create((void **)probes, head + 4 * (size_t)points * sizeof(double), 1, "the probes", err);
  if (status) return status;
  next = (double *)(void *)((char *)*probes + head);
  for (int k = 0; k < config->probe_count; k++) {
    struct hs_probe_answer *answer = &(*probes)[k];
    answer->count = point_count(&config->probes[k]);
    answer->x_m = next;
    answer->y_m = answer->x_m + answer->count;
    answer->distance_m = answer->y_m + answer->count;
    answer->temperature_k = answer->distance_m + answer->count;
    next = answer->temperature_k + answer->count;
    place_points(&config->probes[k], answer);
  }
  status = temperatures_take(problem, field_k, points, *probes, err);
  if (!status) return HS_OK;
  free(*probes);
  *probes = NULL;
  return status;
}

static bool outside(double position_m, double length_m)
{
  return !(position_m >= -SLACK * length_m && position_m <= (1.0 + SLACK) * length_m);
}

/* How many cells of a material touch each point of a probe: [point_count], owned by the caller. */
static hs_status touching_count(const struct hs_problem *p, const struct hs_config_probe *probe, int material,
                                int64_t **touched, struct hs_error *err)
{
  const int points = point_count(probe);
  const hs_status status =
      hs_array_create((void **)touched, (size_t)points, sizeof **touched, "the points of probes", err);
  if (status) return status;
  for (int k = 0; k < points; k++) {
    double x_m, y_m;
    point_of(probe, k, &x_m, &y_m);
    (*touched)[k] = hs_point_touched(p, x_m, y_m, material);
  }
  return hs_comm_count(hs_own_comm(p), *touched, points, err);
}

/* touched: as touching_count says; NULL: the probe names no material. */
static hs_status points_check(const struct hs_problem *p, const struct hs_config_probe *probe, const int64_t *touched,
                              struct hs_error *err)
{
  const char *path = p->config->path;
  for (int k = 0; k < point_count(probe); k++) {
    double x_m, y_m;
    point_of(probe, k, &x_m, &y_m);
    if (outside(x_m, p->lx_m) || outside(y_m, p->ly_m))
      return hs_error_set(
          err, HS_ERR_CONFIG,
          "%s:%d: [probe %s] lies at x = %.9g m, y = %.9g m, outside the domain (0 to %.9g m, 0 to %.9g "
          "m); move it inside",
          path, probe->line, probe->name, x_m, y_m, p->lx_m, p->ly_m);
    if (touched && touched[k] == 0)
      return hs_error_set(err, HS_ERR_CONFIG,
                          "%s:%d: [probe %s] material = %s: no cell of that material touches x = %.9g m, y = %.9g m; "
                          "move the probe, leave material out, or take a grid whose lines meet the material's edge",
                          path, probe->line, probe->name, probe->material, x_m, y_m);
  }
  return HS_OK;
}

static hs_status probe_check(const struct hs_problem *p, const struct hs_config_probe *probe, struct hs_error *err)
{
  bool known;
  const int material = material_of(p, probe, &known);
  int64_t *touched = NULL;
  hs_status status = HS_OK;
  if (!known)
    return hs_error_set(err, HS_ERR_CONFIG,
                        "%s:%d: [probe %s] material = %s: there is no such material; name a [material] section, or "
                        "\"background\"",
                        p->config->path, probe->line, probe->name, probe->material);
  if (material >= 0) status = touching_count(p, probe, material, &touched, err);
  if (!status) status = points_check(p, probe, touched, err);
  free(touched);
  return status;
}

hs_status hs_answers_check(const struct hs_problem *problem, struct hs_error *err)
{
  const struct hs_config *config = problem->config;
  hs_status status = HS_OK;
  for (int k = 0; !status && k < config->probe_count; k++) status = probe_check(problem, &config->probes[k], err);
  return status;
}
