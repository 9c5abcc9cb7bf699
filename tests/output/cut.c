#include "output/cut.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "problem/shapes.h"
#include "support.h"

const struct plate_cut plate_cuts[PLATE_CUTS] = {{1, 1}, {1, 2}, {2, 1}, {1, 3}, {3, 1}, {2, 2}, {3, 2}};

double plate_value(int i, int j, double t_s)
{
  return 290.0 + 7.0 * sin(0.31 * i + 0.17 * t_s) + 0.25 * j + 3.0 * cos(0.23 * j * i);
}

void plate_whole_create(struct plate_whole *whole, int nx, int ny, enum hs_layout layout, enum hs_precision precision)
{
  static char oak[] = "oak", tin[] = "tin", one[] = "one", two[] = "two";
  memset(whole, 0, sizeof *whole);
  whole->config = test_config(nx, ny);
  whole->config.grid.layout = layout;
  whole->config.solver.precision = precision;
  test_material_add(&whole->config, test_material(oak, 0.2, 700.0, 1700.0));
  test_material_add(&whole->config, test_material(tin, 60.0, 7300.0, 230.0));
  whole->regions[0] = (struct hs_config_region){.name = one, .material = oak, .initial_k = NAN};
  whole->regions[0].shape = circle(0.45, 0.3, 0.22);
  whole->regions[1] = (struct hs_config_region){.name = two, .material = tin, .initial_k = NAN};
  whole->regions[1].shape = bar(0.1, 0.1, 0.9, 0.5, 0.07);
  whole->config.regions = whole->regions;
  whole->config.region_count = 2;
  whole->config.output.directory = (char *)test_folder();
  whole->config.output.isotherms = 6;
  whole->config.output.flux = HS_WISH_YES;
  whole->problem = test_problem(&whole->config);
  whole->field_k = calloc((size_t)nx * (size_t)ny, sizeof *whole->field_k);
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++) {
      const double value_k = plate_value(i, j, 0.0);
      whole->field_k[(size_t)j * (size_t)nx + (size_t)i] = precision == HS_SINGLE ? (float)value_k : value_k;
    }
  for (int k = 0; k < 2; k++)
    whole->history[k] = (struct hs_check){.sweeps = 10 * k + 10, .norms = {.update_l2 = 1.0 / (k + 1)}};
}

void plate_whole_destroy(struct plate_whole *whole)
{
  hs_problem_destroy(whole->problem);
  free(whole->field_k);
}

struct hs_result plate_result(struct plate_whole *whole, const struct hs_problem *problem, double *field_k)
{
  static double surface_w_m[HS_SIDES];
  static struct hs_material_answer materials[3];
  struct hs_result result = {.config = &whole->config, .problem = problem, .field_k = field_k};
  result.nx = whole->config.grid.nx;
  result.ny = whole->config.grid.ny;
  result.dx_m = whole->config.grid.dx_m;
  result.dy_m = whole->config.grid.dy_m;
  result.backend = "cpu";
  result.outcome.history = whole->history;
  result.outcome.history_count = 2;
  result.answers.surface_w_m = surface_w_m;
  result.answers.materials = materials;
  result.answers.region_out_w_m = surface_w_m;
  return result;
}

/* Periodic walls are none of these plates', so that windows lie within the grid. */
void plate_part_create(const struct plate_whole *whole, struct hs_comm *comm, int count_x, int count_y,
                       struct plate_part *part)
{
  const struct hs_problem *p = whole->problem;
  const bool cells = p->layout == HS_LAYOUT_CELL;
  struct hs_partition partition = hs_partition_whole(p->nx, p->ny, false, false, cells);
  struct hs_rectangle window;
  memset(part, 0, sizeof *part);
  partition.count_x = count_x;
  partition.count_y = count_y;
  partition.ghost = 2;
  window = hs_partition_window(&partition, hs_comm_rank(comm));
  part->problem = *p;
  part->problem.subdomain = (struct hs_subdomain){comm, partition, hs_comm_rank(comm)};
  part->problem.first_x = window.x0;
  part->problem.first_y = window.y0;
  part->problem.own = hs_partition_own(&partition, hs_comm_rank(comm));
  part->problem.own.x0 -= window.x0;
  part->problem.own.y0 -= window.y0;
  part->problem.nx = window.nx;
  part->problem.ny = window.ny;
  part->problem.cells_x = window.nx - !cells;
  part->problem.cells_y = window.ny - !cells;
  part->problem.cell = calloc((size_t)window.nx * (size_t)window.ny, sizeof *part->problem.cell);
  for (int j = 0; j < part->problem.cells_y; j++)
    memcpy(part->problem.cell + (size_t)j * (size_t)part->problem.cells_x,
           p->cell + (size_t)(window.y0 + j) * (size_t)p->cells_x + window.x0,
           (size_t)part->problem.cells_x * sizeof *p->cell);
  part->field_k = calloc((size_t)window.nx * (size_t)window.ny, sizeof *part->field_k);
  for (int j = 0; j < window.ny; j++)
    memcpy(part->field_k + (size_t)j * (size_t)window.nx,
           whole->field_k + (size_t)(window.y0 + j) * (size_t)p->nx + window.x0, (size_t)window.nx * sizeof(double));
  part->result = plate_result((struct plate_whole *)whole, &part->problem, part->field_k);
}

void plate_part_field(const struct plate_part *part, double t_s, double *field_k)
{
  const struct hs_problem *p = &part->problem;
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) *field_k++ = plate_value(p->first_x + i, p->first_y + j, t_s);
}

void plate_part_destroy(struct plate_part *part)
{
  free(part->problem.cell);
  free(part->field_k);
}

/* --- files --------------------------------------------------------------------------------------- */

struct comparison {
  hid_t other;
  char differs[128];
};

static bool same_values(hid_t a, hid_t b)
{
  const hid_t type_a = H5Dget_type(a), type_b = H5Dget_type(b), space_a = H5Dget_space(a), space_b = H5Dget_space(b);
  const size_t bytes = (size_t)H5Sget_simple_extent_npoints(space_a) * H5Tget_size(type_a);
  bool same = H5Tequal(type_a, type_b) > 0 && H5Sextent_equal(space_a, space_b) > 0;
  char *one = calloc(bytes + 1, 1), *two = calloc(bytes + 1, 1);
  same = same && H5Dread(a, type_a, H5S_ALL, H5S_ALL, H5P_DEFAULT, one) >= 0 &&
         H5Dread(b, type_b, H5S_ALL, H5S_ALL, H5P_DEFAULT, two) >= 0 && memcmp(one, two, bytes) == 0;
  free(one);
  free(two);
  H5Tclose(type_a);
  H5Tclose(type_b);
  H5Sclose(space_a);
  H5Sclose(space_b);
  return same;
}

static herr_t visit(hid_t file, const char *name, const H5O_info_t *facts, void *context)
{
  struct comparison *comparison = context;
  hid_t a, b;
  bool same;
  if (facts->type != H5O_TYPE_DATASET) return 0;
  a = H5Dopen2(file, name, H5P_DEFAULT);
  b = H5Lexists(comparison->other, name, H5P_DEFAULT) > 0 ? H5Dopen2(comparison->other, name, H5P_DEFAULT) : -1;
  same = a >= 0 && b >= 0 && same_values(a, b);
  if (a >= 0) H5Dclose(a);
  if (b >= 0) H5Dclose(b);
  if (!same) snprintf(comparison->differs, sizeof comparison->differs, "%s", name);
  return !same;
}

const char *plate_files_differ(const char *path_a, const char *path_b)
{
  static struct comparison comparison;
  const hid_t a = H5Fopen(path_a, H5F_ACC_RDONLY, H5P_DEFAULT), b = H5Fopen(path_b, H5F_ACC_RDONLY, H5P_DEFAULT);
  comparison.differs[0] = '\0';
  for (int way = 0; way < 2 && a >= 0 && b >= 0 && !comparison.differs[0]; way++) {
    comparison.other = way ? a : b;
    (void)H5Ovisit(way ? b : a, H5_INDEX_NAME, H5_ITER_INC, visit, &comparison);
  }
  if (a >= 0) H5Fclose(a);
  if (b >= 0) H5Fclose(b);
  if (a < 0 || b < 0) return "a file that cannot be opened";
  return comparison.differs[0] ? comparison.differs : NULL;
}
