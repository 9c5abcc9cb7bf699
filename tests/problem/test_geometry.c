/* Geometry: which points and cells belong to a shape, what is painted on cells, maps from files, remarks, and the
 * drawing of the problem. Problems are laid out by hand, so that nothing but the cells is tested here. */
#include <hdf5.h>
#include <hdf5_hl.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

#include "output/drawing.h"
#include "problem/cells.h"
#include "problem/shape.h"

static char folder[256]; /* of this run of the tests */

static const char *path_of(const char *name)
{
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

/* --- shapes and problems ------------------------------------------------------------------------- */

static struct hs_config_shape rectangle(double x0_m, double x1_m, double y0_m, double y1_m)
{
  return (struct hs_config_shape){.kind = HS_SHAPE_RECTANGLE, .x0_m = x0_m, .x1_m = x1_m, .y0_m = y0_m, .y1_m = y1_m};
}

static struct hs_config_shape circle(double x_m, double y_m, double radius_m)
{
  return (struct hs_config_shape){.kind = HS_SHAPE_CIRCLE, .x_m = x_m, .y_m = y_m, .radius_m = radius_m};
}

static struct hs_config_shape ellipse(double x_m, double y_m, double rx_m, double ry_m, double angle_deg)
{
  return (struct hs_config_shape){
      .kind = HS_SHAPE_ELLIPSE, .x_m = x_m, .y_m = y_m, .rx_m = rx_m, .ry_m = ry_m, .angle_deg = angle_deg};
}

static struct hs_config_shape bar(double x0_m, double y0_m, double x1_m, double y1_m, double width_m)
{
  return (struct hs_config_shape){
      .kind = HS_SHAPE_LINE, .x0_m = x0_m, .y0_m = y0_m, .x1_m = x1_m, .y1_m = y1_m, .width_m = width_m};
}

static struct hs_config_shape polygon(struct hs_point *points, int count)
{
  return (struct hs_config_shape){.kind = HS_SHAPE_POLYGON, .points = points, .point_count = count};
}

static const struct hs_config_shape EVERYWHERE = {.kind = HS_SHAPE_EVERYWHERE};

static struct hs_config_region region(char *name, struct hs_config_shape shape, char *material)
{
  return (struct hs_config_region){.name = name, .line = 7, .shape = shape, .material = material, .initial_k = NAN};
}

static struct hs_config_source source(char *name, struct hs_config_shape shape, double density_w_m3, double power_w_m)
{
  return (struct hs_config_source){
      .name = name, .line = 9, .shape = shape, .density_w_m3 = density_w_m3, .power_w_m = power_w_m};
}

static struct hs_config_material material(char *name, double conductivity_w_mk, char *color)
{
  return (struct hs_config_material){name, 3, conductivity_w_mk, conductivity_w_mk, NAN, NAN, color};
}

/* Four materials in a domain of lx by ly; the array is reused by the next call. */
static struct hs_config plain_config(int nx, int ny, double lx_m, double ly_m, enum hs_layout layout)
{
  static struct hs_config_material materials[4];
  struct hs_config config = {.path = (char *)"part.ini", .materials = materials, .material_count = 4};
  materials[0] = material((char *)"", 1.0, (char *)"");
  materials[1] = material((char *)"steel", 50.0, (char *)"#804020");
  materials[2] = material((char *)"foam", 0.03, (char *)"");
  materials[3] = material((char *)"copper", 400.0, (char *)"#ff8000");
  config.grid.nx = nx;
  config.grid.ny = ny;
  config.grid.lx_m = lx_m;
  config.grid.ly_m = ly_m;
  config.grid.layout = layout;
  return config;
}

static struct hs_problem plain_problem(const struct hs_config *config)
{
  const bool vertex = config->grid.layout == HS_LAYOUT_VERTEX;
  struct hs_problem problem = {.config = config,
                               .layout = config->grid.layout,
                               .nx = config->grid.nx,
                               .ny = config->grid.ny,
                               .lx_m = config->grid.lx_m,
                               .ly_m = config->grid.ly_m};
  problem.cells_x = problem.nx - vertex;
  problem.cells_y = problem.ny - vertex;
  problem.dx_m = problem.lx_m / problem.cells_x;
  problem.dy_m = problem.ly_m / problem.cells_y;
  problem.x0_m = vertex ? 0.0 : 0.5 * problem.dx_m;
  problem.y0_m = vertex ? 0.0 : 0.5 * problem.dy_m;
  return problem;
}

static struct hs_problem painted(const struct hs_config *config)
{
  struct hs_problem problem = plain_problem(config);
  struct hs_error err = {0};
  test_ok(hs_cells_paint(&problem, &err), &err);
  return problem;
}

static void clear(struct hs_problem *problem)
{
  free(problem->materials);
  free(problem->cell);
  free(problem->classes);
  free(problem->conductivity_map);
  free(problem->source_map);
  free(problem->initial_map);
}

/* Painting must fail with this status and every one of the words, which a NULL ends. */
static void refused(const struct hs_config *config, hs_status status, const char *const *words)
{
  struct hs_problem problem = plain_problem(config);
  struct hs_error err = {0};
  assert_int_equal(hs_cells_paint(&problem, &err), status);
  clear(&problem);
  for (; *words; words++)
    if (!strstr(err.text, *words)) fail_msg("\"%s\" is not in: %s", *words, err.text);
}

#define REFUSED(config, status, ...) refused(config, status, (const char *const[]){__VA_ARGS__, NULL})

static const struct hs_cell_class *class_at(const struct hs_problem *problem, int i, int j)
{
  return &problem->classes[problem->cell[j * problem->cells_x + i]];
}

static double total_source(const struct hs_problem *problem)
{
  double sum = 0.0;
  for (int j = 0; j < problem->cells_y; j++)
    for (int i = 0; i < problem->cells_x; i++) sum += class_at(problem, i, j)->source_w_m3;
  return sum * problem->dx_m * problem->dy_m;
}

static struct hs_config_shape random_shape(struct test_random *random, struct hs_point points[7])
{
  const double x = test_random_between(random, -0.2, 1.2), y = test_random_between(random, -0.1, 0.7);
  const double a = test_random_between(random, 0.001, 0.5), b = test_random_between(random, 0.001, 0.5);
  const double angle = test_random_between(random, -400.0, 400.0);
  int count;
  switch (test_random_integer(random, 0, 4)) {
  case 0: return rectangle(x, x + a, y, y + b);
  case 1: return circle(x, y, a);
  case 2: return ellipse(x, y, a, b, angle);
  case 3: return bar(x, y, test_random_between(random, 0.0, 1.0), test_random_between(random, 0.0, 0.6), 0.3 * a);
  default: break;
  }
  count = test_random_integer(random, 3, 7);
  for (int k = 0; k < count; k++)
    points[k] = (struct hs_point){test_random_between(random, 0.0, 1.0), test_random_between(random, 0.0, 0.6)};
  return polygon(points, count);
}

/* --- membership ---------------------------------------------------------------------------------- */

static void edges_belong_to_a_shape(void **state)
{
  const struct hs_config_shape block = rectangle(0.1, 0.3, 0.6, 0.7), disc = circle(0.5, 0.5, 0.5);
  const struct hs_config_shape slanted = bar(0.0, 0.0, 0.3, 0.3, 0.1 * sqrt(2.0));
  (void)state;
  assert_true(hs_shape_contains(&block, 3 * 0.1, 6 * 0.1)); /* 0.30000000000000004, 0.6000000000000001 */
  assert_true(hs_shape_contains(&block, 0.1, 7 * 0.1));
  assert_false(hs_shape_contains(&block, 0.3001, 0.65));
  assert_false(hs_shape_contains(&block, 0.2, 0.5999));
  assert_true(hs_shape_contains(&disc, 0.8, 0.9) && hs_shape_contains(&disc, 0.0, 0.5));
  assert_false(hs_shape_contains(&disc, 0.8, 0.9001));
  assert_true(hs_shape_contains(&slanted, 0.1, 0.0) && hs_shape_contains(&slanted, 0.0, 0.1)); /* its long edges */
  assert_true(hs_shape_contains(&slanted, 0.3, 0.3) && hs_shape_contains(&slanted, 0.35, 0.25));
  assert_false(hs_shape_contains(&slanted, 0.31, 0.31) || hs_shape_contains(&slanted, 0.12, 0.0));
  assert_true(hs_shape_contains(&EVERYWHERE, -1e9, 1e9));
  assert_false(hs_shape_contains(&(struct hs_config_shape){.kind = HS_SHAPE_NODE}, 0.0, 0.0));
}

static void an_ellipse_turns_counterclockwise(void **state)
{
  const struct hs_config_shape e = ellipse(1.0, 2.0, 0.5, 0.1, 30.0);
  const double c = 0.5 * sqrt(3.0), s = 0.5;
  (void)state;
  assert_true(hs_shape_contains(&e, 1.0 + 0.5 * c, 2.0 + 0.5 * s));
  assert_false(hs_shape_contains(&e, 1.0 + 0.501 * c, 2.0 + 0.501 * s));
  assert_false(hs_shape_contains(&e, 1.0 + 0.4 * c, 2.0 - 0.4 * s));
  assert_true(hs_shape_contains(&e, 1.0 - 0.1 * s, 2.0 + 0.1 * c));
  assert_false(hs_shape_contains(&e, 1.0 - 0.101 * s, 2.0 + 0.101 * c));
}

static void polygons_may_be_concave_and_cross_themselves(void **state)
{
  struct hs_point l[] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}};
  struct hs_point bow[] = {{0, 0}, {2, 2}, {2, 0}, {0, 2}};
  const struct hs_config_shape angle = polygon(l, 6), tie = polygon(bow, 4);
  (void)state;
  assert_true(hs_shape_contains(&angle, 0.5, 2.5) && hs_shape_contains(&angle, 2.5, 0.5));
  assert_false(hs_shape_contains(&angle, 2.0, 2.0));
  for (int k = 0; k < 6; k++) assert_true(hs_shape_contains(&angle, l[k].x_m, l[k].y_m));
  assert_true(hs_shape_contains(&angle, 1.0, 2.0) && hs_shape_contains(&angle, 2.0, 1.0));
  assert_true(hs_shape_contains(&angle, 1.0 / 3.0, 3.0) && hs_shape_contains(&angle, 0.0, 1.7));
  assert_true(hs_shape_contains(&tie, 0.1, 1.0) && hs_shape_contains(&tie, 1.9, 1.0));
  assert_false(hs_shape_contains(&tie, 1.0, 0.1) || hs_shape_contains(&tie, 1.0, 1.9));
}

static void bounds_hold_a_shape_and_touch_it(void **state)
{
  struct test_random random = {11};
  (void)state;
  for (int round = 0; round < 300; round++) {
    struct hs_point points[7], *outline;
    struct hs_error err = {0};
    const struct hs_config_shape shape = random_shape(&random, points);
    double b[4], seen[4] = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    int count;
    hs_shape_bounds(&shape, b);
    test_ok(hs_shape_outline(&shape, 1.0, 0.6, &outline, &count, &err), &err);
    for (int k = 0; k < count; k++) {
      assert_true(hs_shape_contains(&shape, outline[k].x_m, outline[k].y_m));
      seen[0] = fmin(seen[0], outline[k].x_m);
      seen[1] = fmax(seen[1], outline[k].x_m);
      seen[2] = fmin(seen[2], outline[k].y_m);
      seen[3] = fmax(seen[3], outline[k].y_m);
    }
    for (int k = 0; k < 4; k++) test_near("bound", seen[k], b[k], 2e-5);
    free(outline);
  }
}

/* Moves a shape's coordinates to multiples of 1/40, which are the centres of cells of 1/20 but for rounding. */
static void snap(struct hs_config_shape *shape)
{
  double *places[] = {&shape->x0_m, &shape->x1_m, &shape->y0_m, &shape->y1_m, &shape->x_m, &shape->y_m};
  for (size_t k = 0; k < sizeof places / sizeof *places; k++) *places[k] = round(40.0 * *places[k]) / 40.0;
  for (int k = 0; k < shape->point_count; k++) {
    shape->points[k].x_m = round(40.0 * shape->points[k].x_m) / 40.0;
    shape->points[k].y_m = round(40.0 * shape->points[k].y_m) / 40.0;
  }
}

/* Runs of cells are those cells that the one-cell question affirms, each once. */
static void assert_scan(const struct hs_config *config, const struct hs_config_shape *shape)
{
  const struct hs_problem problem = plain_problem(config);
  const int nx = problem.cells_x, ny = problem.cells_y;
  struct hs_cell_scan scan;
  struct hs_error err = {0};
  char *seen = calloc((size_t)(nx * ny), 1);
  int row, from, to;
  assert_non_null(seen);
  test_ok(hs_cell_scan_start(&scan, &problem, shape, &err), &err);
  while (hs_cell_scan_next(&scan, &row, &from, &to)) {
    assert_true(row >= 0 && row < ny && from >= 0 && from <= to && to < nx);
    for (int i = from; i <= to; i++) seen[row * nx + i]++;
  }
  hs_cell_scan_end(&scan);
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++) assert_int_equal(seen[j * nx + i], hs_problem_cell_in(&problem, shape, i, j));
  free(seen);
}

/* Every kind of shape; in every other round edges run through the centres of cells. */
static void scans_find_the_cells_of_a_shape(void **state)
{
  struct test_random random = {5};
  (void)state;
  for (int round = 0; round < 400; round++) {
    const bool centred = round % 4 < 2;
    const int nx = centred ? 20 : test_random_integer(&random, 2, round % 3 ? 60 : 900);
    const int ny = centred ? 12 : test_random_integer(&random, 2, 40);
    const struct hs_config config =
        plain_config(nx, ny, 1.0, 0.6, centred || round % 2 ? HS_LAYOUT_CELL : HS_LAYOUT_VERTEX);
    struct hs_point points[7];
    struct hs_config_shape shape = random_shape(&random, points);
    if (centred) snap(&shape);
    assert_scan(&config, &shape);
  }
}

/* A row of cells runs within rounding of an edge for a part of the edge's length. */
static void scans_follow_an_edge_that_is_almost_level(void **state)
{
  const struct hs_config config = plain_config(100, 12, 1.0, 0.6, HS_LAYOUT_CELL);
  struct hs_point points[] = {{0.1, 0.325}, {0.9, 0.325 + 4e-9}, {0.5, 0.5}};
  const struct hs_config_shape shape = polygon(points, 3);
  (void)state;
  assert_true(hs_shape_contains(&shape, 0.2, 0.325));
  assert_false(hs_shape_contains(&shape, 0.4, 0.325));
  assert_scan(&config, &shape);
}

static void areas_are_those_of_geometry(void **state)
{
  struct hs_point l[] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}}, bow[] = {{0, 0}, {2, 2}, {2, 0}, {0, 2}};
  const struct {
    const char *name;
    struct hs_config_shape shape;
    double area_m2, tolerance;
  } cases[] = {
      {"rectangle", rectangle(0.5, 2.5, 1.0, 1.25), 0.5, 1e-14},
      {"rectangle cut", rectangle(-1.0, 5.0, 3.5, 9.0), 2.0, 1e-14},
      {"circle", circle(2.0, 2.0, 1.5), M_PI * 2.25, 1e-12},
      {"circle cut to a quarter", circle(0.0, 4.0, 1.0), M_PI / 4.0, 2e-5},
      {"ellipse", ellipse(2.0, 2.0, 1.5, 0.3, 77.0), M_PI * 0.45, 1e-12},
      {"bar", bar(3.0, 3.0, 1.0, 2.0, 0.2), 0.2 * sqrt(5.0), 1e-14},
      {"polygon", polygon(l, 6), 5.0, 1e-12},
      {"crossing polygon", polygon(bow, 4), 2.0, 1e-5},
      {"everywhere", EVERYWHERE, 16.0, 1e-14},
      {"outside", circle(9.0, 9.0, 1.0), 0.0, 0.0},
  };
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct hs_error err = {0};
    double area_m2;
    test_ok(hs_shape_area(&cases[k].shape, 4.0, 4.0, &area_m2, &err), &err);
    test_near(cases[k].name, area_m2, cases[k].area_m2, cases[k].tolerance);
  }
}

/* The staircase meets the area as the grid is refined. */
static void painted_areas_approach_true_ones(void **state)
{
  struct test_random random = {8};
  (void)state;
  for (int round = 0; round < 20; round++) {
    struct hs_config config = plain_config(801, 481, 1.0, 0.6, HS_LAYOUT_VERTEX);
    const struct hs_problem problem = plain_problem(&config);
    struct hs_point points[7];
    const struct hs_config_shape shape = random_shape(&random, points);
    struct hs_error err = {0};
    double painted_m2, true_m2;
    test_ok(hs_cells_area(&problem, &shape, &painted_m2, &err), &err);
    test_ok(hs_shape_area(&shape, 1.0, 0.6, &true_m2, &err), &err);
    test_near("painted area", painted_m2, true_m2, 2.5e-3);
  }
}

/* --- painting ------------------------------------------------------------------------------------ */

static void later_shapes_win(void **state)
{
  struct hs_config config = plain_config(11, 11, 1.0, 1.0, HS_LAYOUT_VERTEX);
  struct hs_config_region regions[] = {region((char *)"all", EVERYWHERE, (char *)"foam"),
                                       region((char *)"a", rectangle(0.0, 0.5, 0.0, 1.0), (char *)"steel"),
                                       region((char *)"cold", rectangle(0.0, 1.0, 0.0, 1.0), (char *)""),
                                       region((char *)"hole", rectangle(0.4, 0.6, 0.4, 0.6), (char *)"background")};
  struct hs_problem problem;
  double kx, ky;
  (void)state;
  config.regions = regions;
  config.region_count = 4;
  config.materials[1].conductivity_y_w_mk = 7.0;
  problem = painted(&config);
  for (int j = 0; j < 10; j++)
    for (int i = 0; i < 10; i++) {
      const bool hole = i >= 4 && i < 6 && j >= 4 && j < 6;
      assert_int_equal(hs_problem_cell_material(&problem, i, j), hole ? 0 : i < 5 ? 1 : 2);
    }
  assert_int_equal(problem.class_count, 3);
  assert_int_equal(problem.material_count, 4);
  hs_problem_cell_conductivity(&problem, 0, 0, &kx, &ky);
  assert_true(kx == 50.0 && ky == 7.0);
  assert_memory_equal(problem.materials[3].rgb, "\xff\x80\x00", 3);
  for (int k = 0; k < 4; k++)
    for (int m = 0; m < k; m++) assert_memory_not_equal(problem.materials[k].rgb, problem.materials[m].rgb, 3);
  assert_true(isnan(problem.materials[1].capacity_j_m3k));
  clear(&problem);
}

static void a_uniform_plate_has_one_class(void **state)
{
  struct hs_config config = plain_config(300, 200, 1.0, 1.0, HS_LAYOUT_CELL);
  struct hs_problem problem;
  (void)state;
  config.materials[0].density_kg_m3 = 2.0;
  config.materials[0].heat_capacity_j_kgk = 3.0;
  problem = painted(&config);
  assert_int_equal(problem.class_count, 1);
  assert_true(problem.materials[0].capacity_j_m3k == 6.0);
  for (int n = 0; n < 300 * 200; n++) assert_int_equal(problem.cell[n], 0);
  clear(&problem);
}

/* A shape paints cells by their centres: the states of a published benchmark, whose edges are grid lines. */
static void cells_belong_by_their_centres(void **state)
{
  static const int sizes[] = {10, 50, 250};
  (void)state;
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    struct hs_config config = plain_config(sizes[k], sizes[k], 10.0, 10.0, HS_LAYOUT_CELL);
    struct hs_config_region regions[] = {region((char *)"a", rectangle(0, 1, 1, 2), (char *)"steel"),
                                         region((char *)"b", rectangle(1, 6, 1, 2), (char *)"foam"),
                                         region((char *)"c", rectangle(5, 6, 1, 8), (char *)"foam"),
                                         region((char *)"d", rectangle(5, 10, 7, 8), (char *)"foam")};
    const double cell_m2 = 100.0 / sizes[k] / sizes[k];
    double area_m2[4] = {0};
    struct hs_problem problem;
    config.regions = regions;
    config.region_count = 4;
    problem = painted(&config);
    for (int n = 0; n < sizes[k] * sizes[k]; n++) area_m2[problem.classes[problem.cell[n]].material] += cell_m2;
    test_near("area of the first state", area_m2[1], 1.0, 1e-11);
    test_near("area of the others", area_m2[2], 15.0, 1e-10);
    clear(&problem);
  }
}

static void an_unknown_material_is_refused(void **state)
{
  struct hs_config config = plain_config(11, 11, 1.0, 1.0, HS_LAYOUT_VERTEX);
  struct hs_config_region regions[] = {region((char *)"rod", EVERYWHERE, (char *)"unobtainium")};
  (void)state;
  config.regions = regions;
  config.region_count = 1;
  REFUSED(&config, HS_ERR_CONFIG, "part.ini:7", "[shape rod]", "\"unobtainium\"");
}

/* --- sources and losses -------------------------------------------------------------------------- */

static void sources_add_up_and_replace(void **state)
{
  struct hs_config config = plain_config(11, 11, 1.0, 1.0, HS_LAYOUT_CELL);
  struct hs_config_source sources[] = {source((char *)"glow", EVERYWHERE, 1.0, NAN),
                                       source((char *)"disc", circle(0.5, 0.5, 0.2), 10.0, NAN),
                                       source((char *)"block", rectangle(0.0, 0.5, 0.0, 1.0), 100.0, NAN),
                                       source((char *)"node", (struct hs_config_shape){0}, 7.0, NAN)};
  struct hs_problem problem;
  (void)state;
  config.sources = sources;
  config.source_count = 4;
  problem = painted(&config);
  assert_true(class_at(&problem, 0, 0)->source_w_m3 == 1.0); /* rectangle and node are not for cells */
  assert_true(class_at(&problem, 5, 5)->source_w_m3 == 11.0);
  assert_false(hs_source_is_painted(&config, 2) || hs_source_is_painted(&config, 3));
  assert_int_equal(problem.class_count, 2);
  clear(&problem);
  sources[2].replaces = true;
  assert_true(hs_source_is_painted(&config, 2));
  problem = painted(&config);
  assert_true(class_at(&problem, 4, 5)->source_w_m3 == 100.0 && class_at(&problem, 0, 0)->source_w_m3 == 100.0);
  assert_true(class_at(&problem, 6, 5)->source_w_m3 == 11.0);
  clear(&problem);
}

/* A rectangle that a later source replaces in part must be on the cells, or nothing could be replaced. */
static void a_replaced_rectangle_is_painted(void **state)
{
  struct hs_config config = plain_config(11, 11, 1.0, 1.0, HS_LAYOUT_VERTEX);
  struct hs_config_source sources[] = {source((char *)"block", rectangle(0.0, 0.5, 0.0, 1.0), 100.0, NAN),
                                       source((char *)"disc", circle(0.5, 0.5, 0.2), 0.0, NAN)};
  struct hs_problem problem;
  (void)state;
  config.sources = sources;
  config.source_count = 2;
  assert_false(hs_source_is_painted(&config, 0));
  sources[1].replaces = true;
  assert_true(hs_source_is_painted(&config, 0));
  problem = painted(&config);
  assert_true(class_at(&problem, 0, 0)->source_w_m3 == 100.0 && class_at(&problem, 4, 4)->source_w_m3 == 0.0);
  clear(&problem);
}

static void power_is_released_exactly(void **state)
{
  struct test_random random = {21};
  (void)state;
  for (int round = 0; round < 60; round++) {
    struct hs_config config = plain_config(101, 61, 1.0, 0.6, round % 2 ? HS_LAYOUT_CELL : HS_LAYOUT_VERTEX);
    struct hs_point points[7];
    struct hs_config_source sources[1];
    struct hs_problem problem = plain_problem(&config);
    struct hs_error err = {0};
    double area_m2, power_w_m;
    sources[0] = source((char *)"coil", random_shape(&random, points), NAN, 123.0);
    test_ok(hs_cells_area(&problem, &sources[0].shape, &area_m2, &err), &err);
    if (area_m2 == 0.0 || sources[0].shape.kind == HS_SHAPE_RECTANGLE) continue;
    config.sources = sources;
    config.source_count = 1;
    problem = painted(&config);
    test_near("released heat", total_source(&problem), 123.0, 1e-9);
    test_ok(hs_cells_source_power(&problem, 0, &power_w_m, &err), &err);
    assert_true(power_w_m == 123.0);
    sources[0].density_w_m3 = 2.0;
    sources[0].power_w_m = NAN;
    test_ok(hs_cells_source_power(&problem, 0, &power_w_m, &err), &err);
    test_near("heat of a density", power_w_m, 2.0 * area_m2, 1e-12);
    clear(&problem);
  }
}

static void losses_add_up(void **state)
{
  struct hs_config config = plain_config(11, 11, 1.0, 1.0, HS_LAYOUT_VERTEX);
  struct hs_config_loss losses[] = {{(char *)"faces", 4, EVERYWHERE, 10.0, 293.0, 0.002},
                                    {(char *)"fan", 5, rectangle(0.0, 0.3, 0.0, 0.3), 30.0, 280.0, 0.002}};
  struct hs_problem problem;
  (void)state;
  config.losses = losses;
  config.loss_count = 2;
  problem = painted(&config);
  test_near("loss", class_at(&problem, 9, 9)->loss_w_m3k, 5000.0, 1e-9);
  test_near("loss to its ambient", class_at(&problem, 9, 9)->loss_w_m3, 5000.0 * 293.0, 1e-6);
  test_near("both losses", class_at(&problem, 2, 2)->loss_w_m3k, 20000.0, 1e-9);
  test_near("to both ambients", class_at(&problem, 2, 2)->loss_w_m3, 5000.0 * 293.0 + 15000.0 * 280.0, 1e-6);
  clear(&problem);
}

static void what_reaches_no_cell_is_refused(void **state)
{
  struct hs_config config = plain_config(11, 21, 1.0, 1.0, HS_LAYOUT_VERTEX);
  struct hs_config_source sources[] = {source((char *)"dot", circle(0.5, 0.5, 0.012), 10.0, NAN)};
  struct hs_config_loss losses[] = {{(char *)"slit", 5, bar(0.1, 0.1, 0.9, 0.1, 0.001), 1.0, 0.0, 1.0}};
  struct hs_problem problem;
  (void)state;
  config.sources = sources;
  config.source_count = 1;
  REFUSED(&config, HS_ERR_CONFIG, "part.ini:9", "[source dot]", "centre of no cell", "nx = 85, ny = 85");
  config.grid.nx = config.grid.ny = 85; /* what the message advises works */
  problem = painted(&config);
  assert_int_equal(problem.class_count, 2);
  clear(&problem);
  config.grid.nx = config.grid.ny = 11;
  config.source_count = 0;
  config.losses = losses;
  config.loss_count = 1;
  REFUSED(&config, HS_ERR_CONFIG, "part.ini:5", "[loss slit]", "take no heat");
}

static void too_many_classes_are_refused(void **state)
{
  static struct hs_config_loss losses[520];
  struct hs_config config = plain_config(260, 260, 260.0, 260.0, HS_LAYOUT_CELL);
  (void)state;
  for (int k = 0; k < 260; k++) {
    losses[k] = (struct hs_config_loss){(char *)"column", 1, rectangle(k, k + 1, 0, 260), k + 1.0, 0.0, 1.0};
    losses[260 + k] = (struct hs_config_loss){(char *)"row", 1, rectangle(0, 260, k, k + 1), 1e3 * k, 0.0, 1.0};
  }
  config.losses = losses;
  config.loss_count = 520;
  REFUSED(&config, HS_ERR_CONFIG, "part.ini", "65535");
}

/* --- the material picture ------------------------------------------------------------------------ */

/* Writes width x height pixels of three bytes; kind: 0 plain, 1 stencil table, 2 16 bits with alpha, 3 interlaced. */
static void write_picture(const char *path, const unsigned char *rgb, int width, int height, int kind)
{
  static const png_color table[] = {{0x80, 0x40, 0x20}, {0xff, 0x80, 0x00}};
  FILE *file = fopen(path, "wb");
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct(png);
  png_bytep rows[64];
  unsigned char *pixels = calloc((size_t)(width * height), 8);
  const int type = kind == 1 ? PNG_COLOR_TYPE_PALETTE : kind == 2 ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB;
  const int depth = kind == 1 ? 1 : kind == 2 ? 16 : 8;
  assert_non_null(file);
  assert_non_null(pixels);
  png_init_io(png, file);
  png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, depth, type,
               kind == 3 ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  if (kind == 1) png_set_PLTE(png, info, table, 2);
  for (int y = 0; y < height; y++) {
    rows[y] = pixels + (size_t)y * 8 * (size_t)width;
    for (int x = 0; x < width; x++) {
      const unsigned char *from = rgb + 3 * (y * width + x);
      for (int c = 0; c < 3; c++) {
        if (kind == 2) rows[y][8 * x + 2 * c] = rows[y][8 * x + 2 * c + 1] = from[c];
        if (kind == 0 || kind == 3) rows[y][3 * x + c] = from[c];
      }
      if (kind == 1 && from[0] == 0xff) rows[y][x / 8] |= (unsigned char)(0x80 >> (x % 8));
    }
  }
  png_write_info(png, info);
  png_write_image(png, rows);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  free(pixels);
  fclose(file);
}

/* Steel with a copper frame in the north-west: column x, row y from the top. */
static bool copper_at(int x, int y)
{
  return (y == 0 && x < 3) || (x == 0 && y < 2);
}

static void make_pixels(unsigned char *rgb, int width, int height)
{
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      memcpy(rgb + 3 * (y * width + x), copper_at(x, y) ? "\xff\x80\x00" : "\x80\x40\x20", 3);
}

static void pictures_of_every_kind_paint_north_up(void **state)
{
  unsigned char rgb[3 * 10 * 6];
  (void)state;
  make_pixels(rgb, 10, 6);
  for (int kind = 0; kind < 4; kind++)
    for (int block = 1; block <= 3; block++) {
      struct hs_config config = plain_config(10 * block + 1, 6 * 2 * block + 1, 1.0, 1.0, HS_LAYOUT_VERTEX);
      struct hs_problem problem;
      config.map.materials = (char *)path_of("materials.png");
      write_picture(config.map.materials, rgb, 10, 6, kind);
      problem = painted(&config);
      for (int j = 0; j < problem.cells_y; j++)
        for (int i = 0; i < problem.cells_x; i++)
          assert_int_equal(hs_problem_cell_material(&problem, i, j), copper_at(i / block, 5 - j / (2 * block)) ? 3 : 1);
      assert_int_equal(problem.class_count, 2);
      clear(&problem);
    }
}

static void shapes_paint_over_the_picture(void **state)
{
  unsigned char rgb[3 * 10 * 6];
  struct hs_config config = plain_config(10, 6, 1.0, 0.6, HS_LAYOUT_CELL);
  struct hs_config_region regions[] = {region((char *)"plug", rectangle(0.0, 0.2, 0.5, 0.6), (char *)"foam")};
  struct hs_problem problem;
  char path[512];
  (void)state;
  make_pixels(rgb, 10, 6);
  write_picture(path_of("relative.png"), rgb, 10, 6, 0);
  snprintf(path, sizeof path, "%s/part.ini", folder); /* names are relative to the configuration's folder */
  config.path = path;
  config.map.materials = (char *)"relative.png";
  config.regions = regions;
  config.region_count = 1;
  problem = painted(&config);
  assert_int_equal(hs_problem_cell_material(&problem, 0, 5), 2);
  assert_int_equal(hs_problem_cell_material(&problem, 1, 5), 2);
  assert_int_equal(hs_problem_cell_material(&problem, 2, 5), 3);
  assert_int_equal(hs_problem_cell_material(&problem, 0, 4), 3);
  assert_int_equal(hs_problem_cell_material(&problem, 9, 0), 1);
  clear(&problem);
}

static void wrong_pictures_are_refused(void **state)
{
  unsigned char rgb[3 * 10 * 6];
  struct hs_config config = plain_config(11, 7, 1.0, 0.6, HS_LAYOUT_VERTEX);
  FILE *file;
  (void)state;
  config.map.materials = (char *)path_of("materials.png");
  make_pixels(rgb, 10, 6);
  rgb[3 * (4 * 10 + 7) + 2] = 0x21;
  write_picture(config.map.materials, rgb, 10, 6, 0);
  REFUSED(&config, HS_ERR_CONFIG, "column 7, row 4", "#804021", "nearest is #804020 of steel", "[map] materials");
  make_pixels(rgb, 10, 6);
  write_picture(config.map.materials, rgb, 10, 6, 0);
  config.grid.nx = 12;
  REFUSED(&config, HS_ERR_CONFIG, "10 x 6 pixels", "11 x 6 cells", "nx = 11, ny = 7");
  config.grid.nx = 6;
  config.grid.ny = 4;
  REFUSED(&config, HS_ERR_CONFIG, "10 x 6 pixels", "5 x 3 cells");
  config.grid.nx = 11;
  config.grid.ny = 7;
  config.materials[3].color = (char *)"#804020";
  REFUSED(&config, HS_ERR_CONFIG, "steel and copper", "#804020");
  config.materials[3].color = (char *)"#ff8000";
  assert_int_equal(truncate(config.map.materials, 60), 0);
  REFUSED(&config, HS_ERR_IO, "materials.png", "libpng");
  file = fopen(config.map.materials, "w");
  assert_non_null(file);
  fputs("this is no picture", file);
  fclose(file);
  REFUSED(&config, HS_ERR_IO, "materials.png", "not a PNG file");
  config.map.materials = (char *)"/no/such/file.png";
  REFUSED(&config, HS_ERR_IO, "[map] materials", "/no/such/file.png", "No such file");
}

/* --- maps of numbers ----------------------------------------------------------------------------- */

static void map_file_create(const char *path, const double *values, int rows, int columns)
{
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t dims[2] = {(hsize_t)rows, (hsize_t)columns}, flat[1] = {dims[0] * dims[1]};
  float *single = calloc((size_t)(rows * columns), sizeof *single);
  int *whole = calloc((size_t)(rows * columns), sizeof *whole);
  hid_t group;
  assert_true(file >= 0);
  assert_non_null(single);
  assert_non_null(whole);
  for (int n = 0; n < rows * columns; n++) single[n] = (float)values[n];
  for (int n = 0; n < rows * columns; n++) whole[n] = (int)values[n];
  group = H5Gcreate2(file, "deep", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5LTmake_dataset_double(file, "double", 2, dims, values);
  H5LTmake_dataset_float(group, "float", 2, dims, single);
  H5LTmake_dataset_int(file, "int", 2, dims, whole);
  H5LTmake_dataset_double(file, "flat", 1, flat, values);
  H5LTmake_dataset_string(file, "words", "no numbers");
  H5Gclose(group);
  H5Fclose(file);
  free(whole);
  free(single);
}

static void maps_are_read_from_the_south(void **state)
{
  static const char *const datasets[] = {"/double", "/deep/float", "int", "deep/float"};
  struct hs_config config = plain_config(5, 4, 1.0, 1.0, HS_LAYOUT_VERTEX);
  double values[4 * 3], kx, ky;
  (void)state;
  for (int n = 0; n < 12; n++) values[n] = n + 1.0;
  map_file_create(path_of("maps.h5"), values, 3, 4);
  for (size_t k = 0; k < sizeof datasets / sizeof *datasets; k++) {
    char place[600];
    struct hs_problem problem;
    snprintf(place, sizeof place, "%s:%s", path_of("maps.h5"), datasets[k]);
    config.map.conductivity = config.map.source = place;
    problem = painted(&config);
    hs_problem_cell_conductivity(&problem, 1, 2, &kx, &ky);
    assert_true(kx == 10.0 && ky == 10.0);
    for (int n = 0; n < 12; n++) assert_true(problem.source_map[n] == n + 1.0);
    assert_null(problem.initial_map);
    clear(&problem);
  }
}

static void initial_maps_have_a_value_a_node(void **state)
{
  struct hs_config config = plain_config(4, 3, 1.0, 1.0, HS_LAYOUT_VERTEX);
  double values[4 * 3];
  char place[600];
  struct hs_problem problem;
  (void)state;
  for (int n = 0; n < 12; n++) values[n] = -1.0 * n;
  map_file_create(path_of("maps.h5"), values, 3, 4);
  snprintf(place, sizeof place, "%s:/double", path_of("maps.h5"));
  config.map.initial = place;
  problem = painted(&config);
  for (int n = 0; n < 12; n++) assert_true(problem.initial_map[n] == values[n]);
  clear(&problem);
}

/* A source map heats every control volume, those of Dirichlet nodes and the parts of volumes at walls included. */
static void source_maps_heat_all_of_the_plate(void **state)
{
  struct hs_config config = test_config(5, 4);
  double values[4 * 3], heat = 0.0;
  char place[600];
  struct hs_system *system;
  (void)state;
  for (int n = 0; n < 12; n++) values[n] = n + 1.0;
  map_file_create(path_of("maps.h5"), values, 3, 4);
  snprintf(place, sizeof place, "%s:/double", path_of("maps.h5"));
  config.map.source = place;
  system = test_system(&config);
  for (int n = 0; n < 20; n++) heat += system->source_w_m[n];
  test_near("heat", heat, 78.0 / 16, 1e-13);
  test_near("corner", system->source_w_m[0], 1.0 / 64, 1e-16);
  test_near("wall", system->source_w_m[1], (1.0 + 2.0) / 64, 1e-16);
  hs_system_destroy(system);
}

static void wrong_maps_are_refused(void **state)
{
  struct hs_config config = plain_config(5, 4, 1.0, 1.0, HS_LAYOUT_VERTEX);
  double values[4 * 3];
  char place[600];
  (void)state;
  for (int n = 0; n < 12; n++) values[n] = n + 1.0;
  values[6] = NAN;
  map_file_create(path_of("maps.h5"), values, 3, 4);
  config.map.source = place;
  snprintf(place, sizeof place, "%s:/double", path_of("maps.h5"));
  REFUSED(&config, HS_ERR_CONFIG, "[map] source", "maps.h5", "/double", "nan", "row 1", "column 2");
  config.map.conductivity = place;
  values[6] = 0.0;
  map_file_create(path_of("maps.h5"), values, 3, 4);
  REFUSED(&config, HS_ERR_CONFIG, "[map] conductivity", "has 0 in row 1", "above 0");
  config.map.conductivity = NULL;
  config.grid.nx = 6;
  REFUSED(&config, HS_ERR_CONFIG, "(3, 4)", "6 x 4 nodes", "(3, 5)");
  config.grid.nx = 5;
  snprintf(place, sizeof place, "%s:/deep/double", path_of("maps.h5"));
  REFUSED(&config, HS_ERR_IO, "no dataset \"/deep/double\"", "/double", "/deep/float");
  snprintf(place, sizeof place, "%s:/nowhere/at/all", path_of("maps.h5"));
  REFUSED(&config, HS_ERR_IO, "no dataset \"/nowhere/at/all\"");
  snprintf(place, sizeof place, "%s:/deep", path_of("maps.h5"));
  REFUSED(&config, HS_ERR_IO, "no dataset \"/deep\"");
  snprintf(place, sizeof place, "%s:/flat", path_of("maps.h5"));
  REFUSED(&config, HS_ERR_CONFIG, "1 dimensions", "(3, 4)");
  snprintf(place, sizeof place, "%s:/words", path_of("maps.h5"));
  REFUSED(&config, HS_ERR_IO, "does not hold numbers");
  snprintf(place, sizeof place, "%s", path_of("maps.h5"));
  REFUSED(&config, HS_ERR_CONFIG, "does not name a dataset", "FILE.h5:/DATASET");
  snprintf(place, sizeof place, "/no/such/maps.h5:/double");
  REFUSED(&config, HS_ERR_IO, "/no/such/maps.h5", "No such file");
  assert_int_equal(truncate(path_of("maps.h5"), 700), 0);
  snprintf(place, sizeof place, "%s:/double", path_of("maps.h5"));
  REFUSED(&config, HS_ERR_IO, "maps.h5");
}

/* --- remarks ------------------------------------------------------------------------------------- */

/* The number of remarks with all the words; a NULL ends them. */
static int count_remarks(const struct hs_remarks *remarks, bool warning, const char *const *words)
{
  int count = 0;
  for (int k = 0; k < remarks->count; k++) {
    bool all = remarks->warning[k] == warning;
    for (int w = 0; words[w]; w++) all = all && strstr(remarks->text[k], words[w]);
    count += all;
  }
  return count;
}

#define REMARKED(warning, ...) count_remarks(&remarks, warning, (const char *const[]){__VA_ARGS__, NULL})

static void remarks_tell_what_the_grid_does(void **state)
{
  struct hs_config config = plain_config(21, 21, 1.0, 1.0, HS_LAYOUT_VERTEX);
  struct hs_config_region regions[] = {region((char *)"base", EVERYWHERE, (char *)"foam"),
                                       region((char *)"fits", rectangle(0.1, 0.5, 0.1, 0.3), (char *)"steel"),
                                       region((char *)"over", rectangle(0.1, 0.3, 0.1, 0.3), (char *)"copper"),
                                       region((char *)"askew", rectangle(0.61, 0.9, 0.6, 0.9), (char *)"steel"),
                                       region((char *)"round", circle(0.5, 0.5, 0.08), (char *)"steel"),
                                       region((char *)"wire", bar(0.02, 0.95, 0.9, 0.95, 0.01), (char *)"steel"),
                                       region((char *)"foil", rectangle(0.0, 1.0, 0.005, 0.01), (char *)"steel"),
                                       region((char *)"hidden", circle(0.75, 0.75, 0.1), (char *)"steel"),
                                       region((char *)"cover", rectangle(0.6, 0.95, 0.6, 0.9), (char *)"copper"),
                                       region((char *)"blank", rectangle(0.3, 0.4, 0.3, 0.4), (char *)""),
                                       region((char *)"speck", circle(0.52, 0.52, 0.001), (char *)"")};
  struct hs_problem problem;
  struct hs_remarks remarks;
  struct hs_error err = {0};
  (void)state;
  regions[10].initial_k = 5.0;
  config.regions = regions;
  config.region_count = 11;
  problem = painted(&config);
  test_ok(hs_problem_remarks(&problem, &remarks, &err), &err);
  assert_int_equal(REMARKED(false, "[shape fits]", "lie on grid lines"), 1);
  assert_int_equal(REMARKED(true, "[shape askew]", "x0 by 0.01 m", "0.2 of a cell"), 1);
  assert_int_equal(REMARKED(true, "[shape round]", "circle", "% of its area"), 1);
  assert_int_equal(REMARKED(true, "[shape wire]", "thinner than a cell", "nx = 201, ny = 201"), 1);
  assert_int_equal(REMARKED(true, "[shape foil]", "no cell"), 1);
  assert_int_equal(REMARKED(true, "[shape foil]", "thinner", "nx = 21, ny = 401"), 1);
  assert_int_equal(REMARKED(false, "[shape over] lies over 50 % of [shape fits]"), 1);
  assert_int_equal(REMARKED(true, "[shape hidden] lies wholly under the later [shape cover]"), 1);
  assert_int_equal(REMARKED(true, "[shape blank] paints nothing"), 1);
  assert_int_equal(REMARKED(true, "[shape speck] contains no node"), 1);
  assert_int_equal(REMARKED(false, "background", "fills no cell"), 1);
  assert_int_equal(REMARKED(false, "[shape base]"), 0);
  assert_int_equal(REMARKED(true, "[shape fits]"), 0);
  hs_remarks_clear(&remarks);
  clear(&problem);
}

static void remarks_tell_of_crossing_sides_and_of_what_no_grid_resolves(void **state)
{
  struct hs_config config = plain_config(21, 21, 1.0, 1.0, HS_LAYOUT_VERTEX);
  struct hs_point bow_tie[] = {{0.1, 0.1}, {0.9, 0.9}, {0.9, 0.1}, {0.1, 0.9}};
  struct hs_point star[] = {{0.1, 0.1}, {0.5, 0.2}, {0.9, 0.1}, {0.5, 0.9}};
  struct hs_config_region regions[] = {
      region((char *)"tie", EVERYWHERE, (char *)"steel"), region((char *)"held", EVERYWHERE, (char *)""),
      region((char *)"dart", EVERYWHERE, (char *)"steel"),
      region((char *)"hair", rectangle(0.51, 0.51 + 1e-11, 0.0, 1.0), (char *)"steel")};
  struct hs_problem problem;
  struct hs_remarks remarks;
  struct hs_error err = {0};
  (void)state;
  for (int k = 0; k < 3; k++) {
    regions[k].shape.kind = HS_SHAPE_POLYGON;
    regions[k].shape.points = k < 2 ? bow_tie : star;
    regions[k].shape.point_count = 4;
  }
  regions[1].initial_k = 5.0;
  config.regions = regions;
  config.region_count = 4;
  problem = painted(&config);
  test_ok(hs_problem_remarks(&problem, &remarks, &err), &err);
  assert_int_equal(REMARKED(true, "[shape tie]", "corner 1 to 2", "corner 3 to 4", "cross"), 1);
  assert_int_equal(REMARKED(true, "[shape held]", "cross"), 1);
  assert_int_equal(REMARKED(true, "[shape dart]", "cross"), 0);
  assert_int_equal(REMARKED(true, "[shape hair]", "no grid of up to 1000000 nodes"), 1);
  hs_remarks_clear(&remarks);
  clear(&problem);
}

static void a_plain_problem_has_no_remarks(void **state)
{
  struct hs_config config = plain_config(21, 21, 1.0, 1.0, HS_LAYOUT_VERTEX);
  struct hs_problem problem;
  struct hs_remarks remarks;
  struct hs_error err = {0};
  (void)state;
  config.material_count = 1;
  problem = painted(&config);
  test_ok(hs_problem_remarks(&problem, &remarks, &err), &err);
  assert_int_equal(remarks.count, 0);
  hs_remarks_clear(&remarks);
  clear(&problem);
}

/* --- the drawing --------------------------------------------------------------------------------- */

/* Where the pixels of a colour are: their share of the picture, and their mean column and row. */
struct patch {
  double share, column, row;
};

static struct patch find_patch(const char *path, const unsigned char rgb[3])
{
  png_image image = {.version = PNG_IMAGE_VERSION};
  unsigned char *pixels;
  struct patch patch = {0};
  double count = 0.0;
  assert_true(png_image_begin_read_from_file(&image, path));
  image.format = PNG_FORMAT_RGB;
  pixels = malloc(PNG_IMAGE_SIZE(image));
  assert_non_null(pixels);
  assert_true(png_image_finish_read(&image, NULL, pixels, 0, NULL));
  for (unsigned y = 0; y < image.height; y++)
    for (unsigned x = 0; x < image.width; x++) {
      if (memcmp(pixels + 3 * ((size_t)y * image.width + x), rgb, 3)) continue;
      count++;
      patch.column += x;
      patch.row += y;
    }
  free(pixels);
  patch.share = count / image.width / image.height;
  patch.column /= count;
  patch.row /= count;
  return patch;
}

static void the_drawing_shows_materials_the_right_way_round(void **state)
{
  static const double sizes[][2] = {{1.0, 1.0}, {0.5, 0.0475}, {1e-3, 0.2}};
  (void)state;
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    const double lx = sizes[k][0], ly = sizes[k][1];
    struct hs_config config = plain_config(41, 41, lx, ly, HS_LAYOUT_VERTEX);
    struct hs_config_region regions[] = {
        region((char *)"part", rectangle(0.0, 0.6 * lx, 0.0, 0.7 * ly), (char *)"steel")};
    struct hs_config_source sources[] = {
        source((char *)"spot", circle(0.7 * lx, 0.5 * ly, 0.2 * fmin(lx, ly)), 1.0, NAN)};
    struct hs_config_boundary walls[4] = {0};
    struct hs_segment segments[4] = {0};
    struct hs_problem problem;
    struct hs_error err = {0};
    struct patch steel, plain;
    for (int side = 0; side < 4; side++) {
      walls[side] = (struct hs_config_boundary){.name = (char *)hs_side_name(side), .side = side, .kind = side};
      segments[side] = (struct hs_segment){.name = hs_side_name(side), .side = side, .kind = side};
      segments[side].to_m = side < 2 ? ly : lx;
    }
    config.regions = regions;
    config.region_count = 1;
    config.sources = sources;
    config.source_count = 1;
    config.boundaries = walls;
    config.boundary_count = 4;
    config.grid.nx = (int)(1.0 + 40.0 * fmin(25.0, lx / fmin(lx, ly)));
    config.grid.ny = (int)(1.0 + 40.0 * fmin(25.0, ly / fmin(lx, ly)));
    problem = painted(&config);
    problem.segments = segments;
    problem.segment_count = 4;
    test_ok(hs_drawing_write(&problem, path_of("problem.png"), &err), &err);
    steel = find_patch(path_of("problem.png"), problem.materials[1].rgb);
    plain = find_patch(path_of("problem.png"), problem.materials[0].rgb);
    assert_true(steel.share > 0.03 && plain.share > 0.03);
    assert_true(steel.column < plain.column && steel.row > plain.row);
    clear(&problem);
  }
}

static void segments_are_described_as_written(void **state)
{
  struct hs_config config = plain_config(5, 5, 1.0, 1.0, HS_LAYOUT_VERTEX);
  struct hs_config_boundary walls[] = {
      {.name = (char *)"west", .line = 1, .side = HS_WEST, .temperature = {(char *)"sin(pi*y)", 0.0, false, 1}},
      {.name = (char *)"vent",
       .line = 2,
       .side = HS_WEST,
       .temperature = {(char *)"20", 20.0, true, 2},
       .h = {(char *)"0.11", 1.0 / 0.11, true, 2}}};
  const struct hs_segment west = {"west", 1, HS_WEST, 0.0, 0.5, HS_WALL_TEMPERATURE, NULL, NULL, NULL};
  const struct hs_segment vent = {"vent", 2, HS_WEST, 0.5, 1.0, HS_WALL_CONVECTION, NULL, NULL, NULL};
  struct hs_problem problem = plain_problem(&config);
  char text[200];
  (void)state;
  config.boundaries = walls;
  config.boundary_count = 2;
  config.output.unit = (char *)"degC";
  hs_segment_describe(&problem, &west, text, sizeof text);
  assert_string_equal(text, "temperature sin(pi*y)");
  hs_segment_describe(&problem, &vent, text, sizeof text);
  assert_string_equal(text, "h 9.09091 W/(m2 K), ambient 20 degC");
}

/* ------------------------------------------------------------------------------------------------- */

static int make_folder(void **state)
{
  const char *base = getenv("TMPDIR");
  (void)state;
  snprintf(folder, sizeof folder, "%s/heatsolve-geometry.XXXXXX", base && base[0] ? base : "/tmp");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
  static const char *const files[] = {"materials.png", "relative.png", "maps.h5", "problem.png"};
  (void)state;
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) (void)unlink(path_of(files[k]));
  return rmdir(folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(edges_belong_to_a_shape),
      cmocka_unit_test(an_ellipse_turns_counterclockwise),
      cmocka_unit_test(polygons_may_be_concave_and_cross_themselves),
      cmocka_unit_test(bounds_hold_a_shape_and_touch_it),
      cmocka_unit_test(scans_find_the_cells_of_a_shape),
      cmocka_unit_test(scans_follow_an_edge_that_is_almost_level),
      cmocka_unit_test(areas_are_those_of_geometry),
      cmocka_unit_test(painted_areas_approach_true_ones),
      cmocka_unit_test(later_shapes_win),
      cmocka_unit_test(a_uniform_plate_has_one_class),
      cmocka_unit_test(cells_belong_by_their_centres),
      cmocka_unit_test(an_unknown_material_is_refused),
      cmocka_unit_test(sources_add_up_and_replace),
      cmocka_unit_test(a_replaced_rectangle_is_painted),
      cmocka_unit_test(power_is_released_exactly),
      cmocka_unit_test(losses_add_up),
      cmocka_unit_test(what_reaches_no_cell_is_refused),
      cmocka_unit_test(too_many_classes_are_refused),
      cmocka_unit_test(pictures_of_every_kind_paint_north_up),
      cmocka_unit_test(shapes_paint_over_the_picture),
      cmocka_unit_test(wrong_pictures_are_refused),
      cmocka_unit_test(maps_are_read_from_the_south),
      cmocka_unit_test(initial_maps_have_a_value_a_node),
      cmocka_unit_test(source_maps_heat_all_of_the_plate),
      cmocka_unit_test(wrong_maps_are_refused),
      cmocka_unit_test(remarks_tell_what_the_grid_does),
      cmocka_unit_test(remarks_tell_of_crossing_sides_and_of_what_no_grid_resolves),
      cmocka_unit_test(a_plain_problem_has_no_remarks),
      cmocka_unit_test(the_drawing_shows_materials_the_right_way_round),
      cmocka_unit_test(segments_are_described_as_written),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
