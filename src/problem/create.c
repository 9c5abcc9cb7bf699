/* The problem: the configuration read as a drawing.
 *
 * What fills the plate is in cells/, what happens at its edges in walls.c; this file puts them together and adds held
 * shapes and surfaces.
 */
#include "problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "problem/cells/cells.h"
#include "problem/value.h"
#include "problem/walls.h"

enum { LABEL_SIZE = 256 };

/* --- held shapes and surfaces -------------------------------------------------------------------- */

static bool value_given(const struct hs_config_value *value)
{
  return value->text || value->is_number;
}

static hs_status held_add(struct hs_problem *problem, const struct hs_config_region *region, struct hs_error *err)
{
  struct hs_held *held = &problem->held[problem->held_count++];
  double b[4];
  char label[LABEL_SIZE];
  hs_status status;
  held->name = region->name;
  held->shape = &region->shape;
  snprintf(label, sizeof label, "[shape %s] temperature", region->name);
  status = hs_value_create(problem->config, &region->temperature, label, &held->temperature, err);
  if (status) return status;
  hs_shape_bounds(&region->shape, b);
  return hs_value_check_range(held->temperature, fmax(b[0], problem->x0_m), fmin(b[1], problem->lx_m - problem->x0_m),
                              fmax(b[2], problem->y0_m), fmin(b[3], problem->ly_m - problem->y0_m), err);
}

static hs_status held_make(struct hs_problem *problem, struct hs_error *err)
{
  const struct hs_config *config = problem->config;
  hs_status status = hs_array_create((void **)&problem->held, (size_t)config->region_count + 1, sizeof *problem->held,
                                     "the held shapes", err);
  for (int k = 0; !status && k < config->region_count; k++)
    if (value_given(&config->regions[k].temperature)) status = held_add(problem, &config->regions[k], err);
  return status;
}

static hs_status surfaces_make(struct hs_problem *problem, struct hs_error *err)
{
  const int count = problem->segment_count + problem->held_count;
  const hs_status status =
      hs_array_create((void **)&problem->surfaces, (size_t)count, sizeof *problem->surfaces, "the surfaces", err);
  if (status) return status;
  problem->surface_count = count;
  for (int k = 0; k < problem->segment_count; k++) {
    const struct hs_surface surface = {problem->segments[k].name, (int)problem->segments[k].side, k};
    problem->surfaces[k] = surface;
  }
  for (int k = 0; k < problem->held_count; k++) {
    const struct hs_surface surface = {problem->held[k].name, HS_SIDES, -1};
    problem->surfaces[problem->segment_count + k] = surface;
  }
  return HS_OK;
}

/* --- time ---------------------------------------------------------------------------------------- */

static hs_status timed_check(struct hs_problem *problem, const char *kind, const char *name,
                             const struct hs_value *value, struct hs_error *err)
{
  if (!hs_value_timed(value)) return HS_OK;
  problem->timed = true;
  if (problem->config->time.scheme != HS_SCHEME_STEADY) return HS_OK;
  return hs_error_set(
      err, HS_ERR_CONFIG,
      "%s: [%s %s] has the value %s, which depends on the time t, and the problem is steady; add a section "
      "[time] with scheme = explicit, backward_euler or crank_nicolson, or take t out",
      problem->config->path, kind, name, hs_value_text(value));
}

static hs_status timed_find(struct hs_problem *problem, struct hs_error *err)
{
  hs_status status = HS_OK;
  for (int k = 0; !status && k < problem->segment_count; k++) {
    const struct hs_segment *s = &problem->segments[k];
    status = timed_check(problem, "boundary", s->name, s->temperature, err);
    if (!status) status = timed_check(problem, "boundary", s->name, s->flux, err);
    if (!status) status = timed_check(problem, "boundary", s->name, s->h, err);
  }
  for (int k = 0; !status && k < problem->held_count; k++)
    status = timed_check(problem, "shape", problem->held[k].name, problem->held[k].temperature, err);
  return status;
}

/* --- the whole ----------------------------------------------------------------------------------- */

bool hs_problem_is_periodic(const struct hs_config *config, enum hs_side side)
{
  for (int k = 0; k < config->boundary_count; k++)
    if (config->boundaries[k].side == side && config->boundaries[k].kind == HS_WALL_PERIODIC) return true;
  return false;
}

struct hs_subdomain hs_problem_whole(const struct hs_config *config)
{
  const struct hs_subdomain whole = {
      .comm = hs_comm_alone(),
      .partition = hs_partition_whole(config->grid.nx, config->grid.ny, hs_problem_is_periodic(config, HS_WEST),
                                      hs_problem_is_periodic(config, HS_SOUTH), config->grid.layout == HS_LAYOUT_CELL)};
  return whole;
}

static void grid_take(struct hs_problem *problem)
{
  const struct hs_config *config = problem->config;
  const bool cell = config->grid.layout == HS_LAYOUT_CELL;
  const struct hs_subdomain *subdomain = &problem->subdomain;
  const struct hs_rectangle window = hs_partition_window(&subdomain->partition, subdomain->part);
  problem->layout = config->grid.layout;
  problem->nx = window.nx;
  problem->ny = window.ny;
  problem->first_x = window.x0;
  problem->first_y = window.y0;
  problem->own = hs_partition_own(&subdomain->partition, subdomain->part);
  problem->own.x0 -= window.x0;
  problem->own.y0 -= window.y0;
  problem->grid_nx = config->grid.nx;
  problem->grid_ny = config->grid.ny;
  problem->dx_m = config->grid.dx_m;
  problem->dy_m = config->grid.dy_m;
  problem->lx_m = config->grid.lx_m;
  problem->ly_m = config->grid.ly_m;
  problem->x0_m = cell ? 0.5 * problem->dx_m : 0.0;
  problem->y0_m = cell ? 0.5 * problem->dy_m : 0.0;
  problem->cells_x = cell ? problem->nx : problem->nx - 1;
  problem->cells_y = cell ? problem->ny : problem->ny - 1;
  problem->grid_cells_x = cell ? problem->grid_nx : problem->grid_nx - 1;
  problem->grid_cells_y = cell ? problem->grid_ny : problem->grid_ny - 1;
}

/* Materials that are used in another rank's cells are used. */
static hs_status materials_share(struct hs_problem *problem, struct hs_error *err)
{
  double *used = NULL;
  hs_status status =
      hs_array_create((void **)&used, (size_t)problem->material_count, sizeof *used, "the materials", err);
  for (int k = 0; !status && k < problem->material_count; k++) used[k] = problem->materials[k].used;
  status = hs_comm_agree(problem->subdomain.comm, status, err);
  if (!status) status = hs_comm_largest(problem->subdomain.comm, used, problem->material_count, err);
  for (int k = 0; !status && k < problem->material_count; k++) problem->materials[k].used = used[k] > 0.0;
  free(used);
  return status;
}

hs_status hs_problem_create(const struct hs_config *config, const struct hs_subdomain *subdomain,
                            struct hs_problem **problem, struct hs_error *err)
{
  const struct hs_subdomain part = subdomain ? *subdomain : hs_problem_whole(config);
  struct hs_problem *p = NULL;
  hs_status status = hs_array_create((void **)&p, 1, sizeof *p, "the problem", err);
  status = hs_comm_agree(part.comm, status, err);
  if (status) goto out;
  p->config = config;
  p->subdomain = part;
  grid_take(p);
  status = hs_walls_merge(p, err);
  if (!status) status = held_make(p, err);
  if (!status) status = timed_find(p, err);
  if (!status) status = surfaces_make(p, err);
  if (!status) status = hs_cells_paint(p, err);
  status = hs_comm_agree(p->subdomain.comm, status, err);
  if (!status) status = materials_share(p, err);
out:
  if (status) {
    hs_problem_destroy(p);
    p = NULL;
  }
  *problem = p;
  return status;
}

void hs_problem_destroy(struct hs_problem *problem)
{
  if (!problem) return;
  free(problem->surfaces);
  for (int k = 0; k < problem->held_count; k++) hs_value_destroy(problem->held[k].temperature);
  free(problem->held);
  hs_walls_clear(problem);
  free(problem->initial_map);
  free(problem->source_map);
  free(problem->conductivity_map);
  free(problem->classes);
  free(problem->cell);
  free(problem->materials);
  free(problem);
}
