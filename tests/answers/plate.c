/* Problems made by hand; see plate.h. Their systems are made in plate_solve.c. */
#include "answers/plate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const enum hs_layout PLATE_LAYOUTS[2] = {HS_LAYOUT_VERTEX, HS_LAYOUT_CELL};

static const char *const WORDS[HS_SIDES] = {"west", "east", "south", "north"};

void plate_create(struct plate *plate, enum hs_layout layout, int nx, int ny, double lx_m, double ly_m)
{
  static char path[] = "plate.ini", empty[] = "", unit[] = "K";
  const int cut = layout == HS_LAYOUT_VERTEX ? 1 : 0;
  struct hs_problem *p = &plate->problem;
  memset(plate, 0, sizeof *plate);
  plate->config.path = path;
  plate->config.output.directory = plate->config.output.title = empty;
  plate->config.output.unit = unit;
  plate->config.grid.nx = nx;
  plate->config.grid.ny = ny;
  plate->config.grid.layout = layout;
  plate->config.regions = plate->regions;
  plate->config.sources = plate->sources;
  plate->config.probes = plate->probes;
  p->config = &plate->config;
  p->layout = layout;
  p->nx = p->grid_nx = nx;
  p->ny = p->grid_ny = ny;
  p->cells_x = p->grid_cells_x = nx - cut;
  p->cells_y = p->grid_cells_y = ny - cut;
  p->lx_m = lx_m;
  p->ly_m = ly_m;
  p->dx_m = lx_m / p->cells_x;
  p->dy_m = ly_m / p->cells_y;
  p->x0_m = cut ? 0.0 : 0.5 * p->dx_m;
  p->y0_m = cut ? 0.0 : 0.5 * p->dy_m;
  p->cell = calloc((size_t)p->cells_x * (size_t)p->cells_y, sizeof *p->cell);
  p->materials = plate->materials;
  p->classes = plate->classes;
  p->class_count = 1;
  p->segments = plate->segments;
  p->held = plate->held;
  p->surfaces = plate->surfaces;
  p->segment_count = p->surface_count = HS_SIDES;
  assert_non_null(p->cell);
  plate_material(plate, "", 1.0);
  for (int side = 0; side < HS_SIDES; side++) plate_wall(plate, (enum hs_side)side, HS_WALL_INSULATED, 0.0, 0.0);
}

void plate_destroy(struct plate *plate)
{
  hs_system_destroy(plate->system);
  free(plate->field_k);
  free(plate->problem.cell);
  memset(plate, 0, sizeof *plate);
}

void plate_wall(struct plate *plate, enum hs_side side, enum hs_wall kind, double value, double h)
{
  struct hs_segment *segment = &plate->segments[side];
  segment->name = plate->surfaces[side].name = WORDS[side];
  segment->side = side;
  segment->kind = kind;
  segment->to_m = side == HS_WEST || side == HS_EAST ? plate->problem.ly_m : plate->problem.lx_m;
  plate->surfaces[side].side = plate->surfaces[side].segment = (int)side;
  plate->wall[side] = (struct plate_wall){kind, value, h};
}

int plate_material(struct plate *plate, const char *name, double conductivity)
{
  struct hs_material *material = &plate->materials[plate->problem.material_count];
  assert_true(plate->problem.material_count < PLATE_MATERIALS);
  material->name = name;
  material->conductivity_x_w_mk = material->conductivity_y_w_mk = conductivity;
  material->density_kg_m3 = material->capacity_j_m3k = NAN;
  return plate->problem.material_count++;
}

void plate_paint(struct plate *plate, double x0, double x1, double y0, double y1, struct hs_cell_class content)
{
  struct hs_problem *p = &plate->problem;
  const int class = p->class_count++;
  assert_true(class < PLATE_CLASSES);
  p->classes[class] = content;
  for (int cj = 0; cj < p->cells_y; cj++) {
    for (int ci = 0; ci < p->cells_x; ci++) {
      const double x = (ci + 0.5) * p->dx_m, y = (cj + 0.5) * p->dy_m;
      if (x > x0 && x < x1 && y > y0 && y < y1) p->cell[cj * p->cells_x + ci] = (uint16_t) class;
    }
  }
}

int plate_shape(struct plate *plate, const char *name, struct hs_config_shape shape, double dirichlet_k)
{
  struct hs_problem *p = &plate->problem;
  const int r = plate->config.region_count++;
  assert_true(r < PLATE_SHAPES);
  plate->regions[r].name = (char *)name;
  plate->regions[r].shape = shape;
  if (isnan(dirichlet_k)) return r;
  plate->dirichlet_k[p->held_count] = dirichlet_k;
  p->held[p->held_count].name = name;
  p->held[p->held_count++].shape = &plate->regions[r].shape;
  p->surfaces[p->surface_count++] = (struct hs_surface){name, HS_SIDES, -1};
  return r;
}

struct hs_config_shape plate_rectangle(double x0, double x1, double y0, double y1)
{
  return (struct hs_config_shape){.kind = HS_SHAPE_RECTANGLE, .x0_m = x0, .x1_m = x1, .y0_m = y0, .y1_m = y1};
}

struct hs_config_shape plate_circle(double x, double y, double radius)
{
  return (struct hs_config_shape){.kind = HS_SHAPE_CIRCLE, .x_m = x, .y_m = y, .radius_m = radius};
}

void plate_source(struct plate *plate, struct hs_config_shape shape, double density, double power)
{
  struct hs_config_source *source = &plate->sources[plate->config.source_count++];
  assert_true(plate->config.source_count <= PLATE_SOURCES);
  source->shape = shape;
  source->density_w_m3 = density;
  source->power_w_m = power;
}

void plate_point(struct plate *plate, const char *name, double x, double y, const char *material)
{
  struct hs_config_probe *probe = &plate->probes[plate->config.probe_count++];
  assert_true(plate->config.probe_count <= PLATE_PROBES);
  *probe = (struct hs_config_probe){
      .name = (char *)name, .line = 40, .x_m = x, .y_m = y, .points = 1, .material = (char *)material};
}

void plate_line(struct plate *plate, const char *name, double x0, double y0, double x1, double y1, int points)
{
  struct hs_config_probe *probe = &plate->probes[plate->config.probe_count];
  plate_point(plate, name, x0, y0, "");
  probe->is_line = true;
  probe->x1_m = x1;
  probe->y1_m = y1;
  probe->points = points;
}

int plate_nodes(enum hs_layout layout, int n)
{
  return layout == HS_LAYOUT_VERTEX ? n + 1 : n;
}

void plate_mixed(struct plate *plate, enum hs_layout layout)
{
  int wood;
  plate_create(plate, layout, plate_nodes(layout, 20), plate_nodes(layout, 16), 1.0, 0.8);
  wood = plate_material(plate, "wood", 0.2);
  plate_wall(plate, HS_WEST, HS_WALL_TEMPERATURE, 300.0, 0.0);
  plate_wall(plate, HS_EAST, HS_WALL_CONVECTION, 280.0, 7.0);
  plate_wall(plate, HS_SOUTH, HS_WALL_FLUX, 45.0, 0.0);
  plate_wall(plate, HS_NORTH, HS_WALL_TEMPERATURE, 310.0, 0.0);
  plate_paint(plate, 0.2, 0.7, 0.1, 0.5, (struct hs_cell_class){wood, 100.0, 0.0, 0.0});
  plate_paint(plate, 0.7, 1.0, 0.0, 0.3, (struct hs_cell_class){0, 0.0, 30.0, 30.0 * 290.0});
  plate_source(plate, plate_rectangle(0.0, 0.33, 0.21, 0.37), 77.0, NAN);
  plate_source(plate, (struct hs_config_shape){.kind = HS_SHAPE_NODE, .i = 15, .j = 11}, NAN, 12.0);
  plate_shape(plate, "pipe", plate_rectangle(0.4, 0.55, 0.55, 0.65), 350.0);
}

struct hs_answers plate_answers(const struct plate *plate)
{
  struct hs_error err = {HS_OK, ""};
  struct hs_answers answers;
  test_ok(hs_answers_take(&plate->problem, plate->system, plate->field_k, false, &answers, &err), &err);
  test_ok(hs_answers_places(&plate->problem, plate->field_k, &answers, &err), &err);
  return answers;
}
