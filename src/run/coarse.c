/* The configuration on a coarse grid, and the stages up to its first update. */
#include "run/coarse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "run/job_parts.h"

/* Nodes of a side of the coarse grid, of a fine one with n. */
static int nodes_of(int n, double factor)
{
  const int nodes = (int)lround((n - 1) * factor) + 1;
  return nodes < 3 ? (n < 3 ? n : 3) : nodes;
}

static int place_of(int at, int fine, int coarse)
{
  return fine > 1 ? (int)lround((double)at * (coarse - 1) / (fine - 1)) : 0;
}

/* The node of a shape that is a single one. */
static void shape_move(const struct hs_config *fine, const struct hs_config *coarse, struct hs_config_shape *shape)
{
  if (shape->kind != HS_SHAPE_NODE) return;
  shape->i = place_of(shape->i, fine->grid.nx, coarse->grid.nx);
  shape->j = place_of(shape->j, fine->grid.ny, coarse->grid.ny);
}

static hs_status list_copy(const void *from, int count, size_t size, void **to, struct hs_error *err)
{
  const hs_status status = hs_array_create(to, (size_t)count + 1, size, "the coarse grid", err);
  if (!status && count > 0) memcpy(*to, from, (size_t)count * size);
  return status;
}

static hs_status shapes_move(const struct hs_config *fine, struct hs_coarse *c, struct hs_error *err)
{
  struct hs_config *config = &c->config;
  const double cell = fine->grid.dx_m * fine->grid.dy_m / (config->grid.dx_m * config->grid.dy_m);
  hs_status status = list_copy(fine->sources, fine->source_count, sizeof *c->sources, (void **)&c->sources, err);
  if (!status) status = list_copy(fine->regions, fine->region_count, sizeof *c->regions, (void **)&c->regions, err);
  if (!status) status = list_copy(fine->losses, fine->loss_count, sizeof *c->losses, (void **)&c->losses, err);
  if (status) return status;
  config->sources = c->sources;
  config->regions = c->regions;
  config->losses = c->losses;
  for (int k = 0; k < fine->source_count; k++) {
    shape_move(fine, config, &c->sources[k].shape);
    if (c->sources[k].shape.kind == HS_SHAPE_NODE) c->sources[k].density_w_m3 *= cell; /* its cell has grown */
  }
  for (int k = 0; k < fine->region_count; k++) shape_move(fine, config, &c->regions[k].shape);
  for (int k = 0; k < fine->loss_count; k++) shape_move(fine, config, &c->losses[k].shape);
  return HS_OK;
}

static void grid_coarsen(struct hs_config *config, int most)
{
  const int nx = config->grid.nx, ny = config->grid.ny, longer = nx > ny ? nx : ny;
  const int twice = config->grid.layout == HS_LAYOUT_VERTEX ? 1 : 0;
  static char none[] = "";
  if (longer <= most) return;
  config->grid.nx = nodes_of(nx, (most - 1.0) / (longer - 1.0));
  config->grid.ny = nodes_of(ny, (most - 1.0) / (longer - 1.0));
  config->grid.dx_m = config->grid.lx_m / (config->grid.nx - twice);
  config->grid.dy_m = config->grid.ly_m / (config->grid.ny - twice);
  config->map.materials = config->map.conductivity = config->map.source = config->map.initial = none;
  memset(config->arrays, 0, sizeof config->arrays);
}

/* The explicit scheme is built with its longest stable step: the configured one is for the fine grid. */
static hs_status stages_make(struct hs_coarse *c, struct hs_error *err)
{
  struct hs_job *job = &c->job;
  const double step_s = c->config.time.step_s;
  hs_status status;
  if (c->config.time.scheme == HS_SCHEME_EXPLICIT) c->config.time.step_s = NAN;
  job->config = &c->config;
  job->subdomain = hs_problem_whole(&c->config);
  hs_job_settings_fill(&c->config, job);
  status = hs_problem_create(&c->config, &job->subdomain, &job->problem, err);
  if (!status) status = hs_problem_build_system(job->problem, &job->system, err);
  c->config.time.step_s = step_s;
  if (!status) status = hs_problem_initial_field(job->problem, job->system, &job->initial_k, err);
  if (!status) status = hs_first_update_measure(job->problem, job->system, job->initial_k, &job->first_update, err);
  return status;
}

hs_status hs_coarse_make(const struct hs_config *config, int most, struct hs_coarse *coarse, struct hs_error *err)
{
  hs_status status;
  memset(coarse, 0, sizeof *coarse);
  coarse->config = *config;
  grid_coarsen(&coarse->config, most);
  status = shapes_move(config, coarse, err);
  if (!status) status = stages_make(coarse, err);
  if (status && coarse->config.grid.nx != config->grid.nx)
    hs_error_append(err, " (met on %d x %d nodes, from which a plan is made)", coarse->config.grid.nx,
                    coarse->config.grid.ny);
  return status;
}

void hs_coarse_clear(struct hs_coarse *coarse)
{
  hs_job_clear(&coarse->job);
  free(coarse->sources);
  free(coarse->regions);
  free(coarse->losses);
}

bool hs_coarse_lacks_maps(const struct hs_config *config, const struct hs_coarse *coarse)
{
  const char *const names[] = {config->map.materials, config->map.conductivity, config->map.source,
                               config->map.initial};
  bool any = false;
  if (coarse->config.grid.nx == config->grid.nx && coarse->config.grid.ny == config->grid.ny) return false;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) any = any || (names[k] && names[k][0]);
  return any;
}
