/* Problems laid out by hand; see plain.h. */
#include "problem/plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/cells/cells.h"

struct hs_config_material plain_material(const char *name, double conductivity_w_mk, const char *color)
{
  return (struct hs_config_material){(char *)name, 3, conductivity_w_mk, conductivity_w_mk, NAN, NAN, (char *)color};
}

struct hs_config_region plain_region(const char *name, struct hs_config_shape shape, const char *material)
{
  return (struct hs_config_region){
      .name = (char *)name, .line = 7, .shape = shape, .material = (char *)material, .initial_k = NAN};
}

struct hs_config_source plain_source(const char *name, struct hs_config_shape shape, double density_w_m3,
                                     double power_w_m)
{
  return (struct hs_config_source){
      .name = (char *)name, .line = 9, .shape = shape, .density_w_m3 = density_w_m3, .power_w_m = power_w_m};
}

struct hs_config plain_config(int nx, int ny, double lx_m, double ly_m, enum hs_layout layout)
{
  static struct hs_config_material materials[4];
  struct hs_config config = {.path = (char *)"part.ini", .materials = materials, .material_count = 4};
  materials[0] = plain_material("", 1.0, "");
  materials[1] = plain_material("steel", 50.0, "#804020");
  materials[2] = plain_material("foam", 0.03, "");
  materials[3] = plain_material("copper", 400.0, "#ff8000");
  config.grid.nx = nx;
  config.grid.ny = ny;
  config.grid.lx_m = lx_m;
  config.grid.ly_m = ly_m;
  config.grid.layout = layout;
  return config;
}

struct hs_problem plain_problem(const struct hs_config *config)
{
  const bool vertex = config->grid.layout == HS_LAYOUT_VERTEX;
  struct hs_problem problem = {.config = config,
                               .subdomain = hs_problem_whole(config),
                               .grid_nx = config->grid.nx,
                               .grid_ny = config->grid.ny,
                               .layout = config->grid.layout,
                               .nx = config->grid.nx,
                               .ny = config->grid.ny,
                               .lx_m = config->grid.lx_m,
                               .ly_m = config->grid.ly_m};
  problem.cells_x = problem.nx - vertex;
  problem.cells_y = problem.ny - vertex;
  problem.grid_cells_x = problem.cells_x;
  problem.grid_cells_y = problem.cells_y;
  problem.dx_m = problem.lx_m / problem.cells_x;
  problem.dy_m = problem.ly_m / problem.cells_y;
  problem.x0_m = vertex ? 0.0 : 0.5 * problem.dx_m;
  problem.y0_m = vertex ? 0.0 : 0.5 * problem.dy_m;
  return problem;
}

struct hs_problem plain_painted(const struct hs_config *config)
{
  struct hs_problem problem = plain_problem(config);
  struct hs_error err = {0};
  test_ok(hs_cells_paint(&problem, &err), &err);
  return problem;
}

void plain_clear(struct hs_problem *problem)
{
  free(problem->materials);
  free(problem->cell);
  free(problem->classes);
  free(problem->conductivity_map);
  free(problem->source_map);
  free(problem->initial_map);
}

void plain_refused(const struct hs_config *config, hs_status status, const char *const *words)
{
  struct hs_problem problem = plain_problem(config);
  struct hs_error err = {0};
  assert_int_equal(hs_cells_paint(&problem, &err), status);
  plain_clear(&problem);
  for (; *words; words++)
    if (!strstr(err.text, *words)) fail_msg("\"%s\" is not in: %s", *words, err.text);
}

const struct hs_cell_class *plain_class_at(const struct hs_problem *problem, int i, int j)
{
  return &problem->classes[problem->cell[j * problem->cells_x + i]];
}
