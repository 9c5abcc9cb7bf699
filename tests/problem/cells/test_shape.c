/* Shapes: which points and cells belong to one, its bounds, outline and area. */
#include "problem/plain.h"

#include <math.h>
#include <stdlib.h>

#include "problem/cells/shape.h"

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
    shape.part = HS_PART_OUTSIDE;
    assert_scan(&config, &shape);
  }
}

/* A row of cells runs within rounding of an edge for a part of the edge's length. */
static void scans_follow_an_edge_that_is_almost_level(void **state)
{
  const struct hs_config config = plain_config(100, 12, 1.0, 0.6, HS_LAYOUT_CELL);
  struct hs_point points[] = {{0.1, 0.325}, {0.9, 0.325 + 4e-9}, {0.5, 0.5}};
  struct hs_config_shape shape = polygon(points, 3);
  (void)state;
  assert_true(hs_shape_contains(&shape, 0.2, 0.325));
  assert_false(hs_shape_contains(&shape, 0.4, 0.325));
  assert_scan(&config, &shape);
  shape.part = HS_PART_OUTSIDE;
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

/* A point is inside or outside; corners and what else lies on the edge are both. */
static void the_edge_belongs_to_inside_and_outside(void **state)
{
  struct test_random random = {12};
  (void)state;
  for (int round = 0; round < 300; round++) {
    struct hs_point points[7], *outline;
    struct hs_error err = {0};
    const struct hs_config_shape inside = random_shape(&random, points);
    struct hs_config_shape outside = inside;
    double b[4];
    int count;
    outside.part = HS_PART_OUTSIDE;
    hs_shape_bounds(&outside, b);
    assert_true(b[0] == -INFINITY && b[1] == INFINITY && b[2] == -INFINITY && b[3] == INFINITY);
    test_ok(hs_shape_outline(&outside, 1.0, 0.6, &outline, &count, &err), &err);
    for (int k = 0; k < count; k++) {
      const struct hs_point a = outline[k], c = outline[(k + 1) % count];
      assert_true(hs_shape_contains(&inside, a.x_m, a.y_m));
      if (inside.kind != HS_SHAPE_POLYGON || k == 0) assert_true(hs_shape_contains(&outside, a.x_m, a.y_m));
      if (inside.kind == HS_SHAPE_CIRCLE || inside.kind == HS_SHAPE_ELLIPSE) continue;
      assert_true(hs_shape_contains(&outside, 0.5 * (a.x_m + c.x_m), 0.5 * (a.y_m + c.y_m)));
    }
    free(outline);
    for (int k = 0; k < 50; k++) {
      const double x = test_random_between(&random, -0.5, 1.5), y = test_random_between(&random, -0.5, 1.1);
      assert_true(hs_shape_contains(&inside, x, y) != hs_shape_contains(&outside, x, y));
    }
  }
}

static void an_outside_is_all_but_the_inside(void **state)
{
  struct test_random random = {9};
  (void)state;
  for (int round = 0; round < 60; round++) {
    struct hs_config config = plain_config(81, 49, 1.0, 0.6, round % 2 ? HS_LAYOUT_CELL : HS_LAYOUT_VERTEX);
    const struct hs_problem problem = plain_problem(&config);
    struct hs_point points[7];
    struct hs_config_shape shape = random_shape(&random, points);
    struct hs_error err = {0};
    double inside_m2, outside_m2, cells_in_m2, cells_out_m2;
    test_ok(hs_shape_area(&shape, 1.0, 0.6, &inside_m2, &err), &err);
    test_ok(hs_cells_area(&problem, &shape, &cells_in_m2, &err), &err);
    shape.part = HS_PART_OUTSIDE;
    test_ok(hs_shape_area(&shape, 1.0, 0.6, &outside_m2, &err), &err);
    test_ok(hs_cells_area(&problem, &shape, &cells_out_m2, &err), &err);
    test_near("true areas", inside_m2 + outside_m2, 0.6, 1e-12);
    test_near("cells", cells_in_m2 + cells_out_m2, 0.6, 1e-12);
    assert_true(hs_shape_thickness(&shape) == INFINITY);
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
      cmocka_unit_test(the_edge_belongs_to_inside_and_outside),
      cmocka_unit_test(an_outside_is_all_but_the_inside),
      cmocka_unit_test(painted_areas_approach_true_ones),
  };
  return cmocka_run_group_tests_name("shape", tests, NULL, NULL);
}
