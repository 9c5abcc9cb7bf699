/* The field that a run starts from. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "problem/problem.h"

/* A row: the configured temperature or the map, then shapes in order. */
static void row_fill(const struct hs_problem *problem, int j, double *row)
{
  const struct hs_config *config = problem->config;
  const double y_m = problem->y0_m + j * problem->dy_m;
  const size_t start = (size_t)j * (size_t)problem->nx;
  for (int i = 0; i < problem->nx; i++)
    row[i] = problem->initial_map ? problem->initial_map[start + (size_t)i] : config->initial.temperature_k;
  for (int k = 0; k < config->region_count; k++) {
    const struct hs_config_region *region = &config->regions[k];
    double b[4];
    if (isnan(region->initial_k)) continue;
    hs_shape_bounds(&region->shape, b);
    if (y_m < b[2] - problem->dy_m || y_m > b[3] + problem->dy_m) continue;
    for (int i = 0; i < problem->nx; i++) {
      const double x_m = problem->x0_m + i * problem->dx_m;
      if (x_m < b[0] - problem->dx_m || x_m > b[1] + problem->dx_m) continue;
      if (hs_shape_contains(&region->shape, x_m, y_m)) row[i] = region->initial_k;
    }
  }
}

/* A node that two periodic walls share is stored twice; both copies get the temperature of the west or south wall. */
static void copies_set(const struct hs_system *system, double *field_k)
{
  const size_t nx = (size_t)system->nx, ny = (size_t)system->ny;
  if (system->wrap_x == 1)
    for (size_t j = 0; j < ny; j++) field_k[j * nx + nx - 1] = field_k[j * nx];
  if (system->wrap_y == 1) memcpy(field_k + (ny - 1) * nx, field_k, nx * sizeof *field_k);
}

hs_status hs_problem_initial_field(const struct hs_problem *problem, const struct hs_system *system, double **field_k,
                                   struct hs_error *err)
{
  const size_t nodes = (size_t)problem->nx * (size_t)problem->ny;
  double *field = NULL;
  const hs_status status = hs_array_create((void **)&field, nodes, sizeof *field, "the temperature field", err);
  *field_k = field;
  if (status) return status;
#pragma omp parallel for schedule(static)
  for (int j = 0; j < problem->ny; j++) row_fill(problem, j, field + (size_t)j * (size_t)problem->nx);
  copies_set(system, field);
#pragma omp parallel for schedule(static)
  for (size_t n = 0; n < nodes; n++) {
    const struct hs_node_law *law = &system->law[hs_system_index(system, n)];
    field[n] = (law->dirichlet ? law->dirichlet_k : field[n]) + 0.0;
  }
  return HS_OK;
}
