/* Painting: what the cells of a problem are made of, heated by, and lose. */
#include "problem/plain.h"

#include <math.h>

#include "problem/cells/shape.h"
#include "problem/cells/source.h"

/* --- painting ------------------------------------------------------------------------------------ */

static void later_shapes_win(void **state)
{
  struct hs_config config = plain_config(11, 11, 1.0, 1.0, HS_LAYOUT_VERTEX);
  struct hs_config_region regions[] = {plain_region("all", EVERYWHERE, "foam"),
                                       plain_region("a", rectangle(0.0, 0.5, 0.0, 1.0), "steel"),
                                       plain_region("cold", rectangle(0.0, 1.0, 0.0, 1.0), ""),
                                       plain_region("hole", rectangle(0.4, 0.6, 0.4, 0.6), "background")};
  struct hs_problem problem;
  double kx, ky;
  (void)state;
  config.regions = regions;
  config.region_count = 4;
  config.materials[1].conductivity_y_w_mk = 7.0;
  problem = plain_painted(&config);
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
  plain_clear(&problem);
}

static void no_material_has_the_colour_of_the_background(void **state)
{
  enum { COUNT = 40 };
  struct hs_config config = plain_config(11, 11, 1.0, 1.0, HS_LAYOUT_VERTEX);
  struct hs_config_material materials[COUNT];
  struct hs_problem problem;
  (void)state;
  for (int k = 0; k < COUNT; k++) materials[k] = config.materials[0];
  config.materials = materials;
  config.material_count = COUNT;
  problem = plain_painted(&config);
  for (int k = 1; k < COUNT; k++) {
    assert_memory_not_equal(problem.materials[k].rgb, problem.materials[0].rgb, 3);
    assert_memory_not_equal(problem.materials[k].rgb, problem.materials[k - 1].rgb, 3);
  }
  plain_clear(&problem);
}

static void a_uniform_plate_has_one_class(void **state)
{
  struct hs_config config = plain_config(300, 200, 1.0, 1.0, HS_LAYOUT_CELL);
  struct hs_problem problem;
  (void)state;
  config.materials[0].density_kg_m3 = 2.0;
  config.materials[0].heat_capacity_j_kgk = 3.0;
  problem = plain_painted(&config);
  assert_int_equal(problem.class_count, 1);
  assert_true(problem.materials[0].capacity_j_m3k == 6.0);
  for (int n = 0; n < 300 * 200; n++) assert_int_equal(problem.cell[n], 0);
  plain_clear(&problem);
}

/* A shape paints cells by their centres: the states of a published benchmark, whose edges are grid lines. */
static void cells_belong_by_their_centres(void **state)
{
  static const int sizes[] = {10, 50, 250};
  (void)state;
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    struct hs_config config = plain_config(sizes[k], sizes[k], 10.0, 10.0, HS_LAYOUT_CELL);
    struct hs_config_region regions[] = {
        plain_region("a", rectangle(0, 1, 1, 2), "steel"), plain_region("b", rectangle(1, 6, 1, 2), "foam"),
        plain_region("c", rectangle(5, 6, 1, 8), "foam"), plain_region("d", rectangle(5, 10, 7, 8), "foam")};
    const double cell_m2 = 100.0 / sizes[k] / sizes[k];
    double area_m2[4] = {0};
    struct hs_problem problem;
    config.regions = regions;
    config.region_count = 4;
    problem = plain_painted(&config);
    for (int n = 0; n < sizes[k] * sizes[k]; n++) area_m2[problem.classes[problem.cell[n]].material] += cell_m2;
    test_near("area of the first state", area_m2[1], 1.0, 1e-11);
    test_near("area of the others", area_m2[2], 15.0, 1e-10);
    plain_clear(&problem);
  }
}

static void an_unknown_material_is_refused(void **state)
{
  struct hs_config config = plain_config(11, 11, 1.0, 1.0, HS_LAYOUT_VERTEX);
  struct hs_config_region regions[] = {plain_region("rod", EVERYWHERE, "unobtainium")};
  (void)state;
  config.regions = regions;
  config.region_count = 1;
  REFUSED(&config, HS_ERR_CONFIG, "part.ini:7", "[shape rod]", "\"unobtainium\"");
}

/* --- sources and losses -------------------------------------------------------------------------- */

static double total_source(const struct hs_problem *problem)
{
  double sum = 0.0;
  for (int j = 0; j < problem->cells_y; j++)
    for (int i = 0; i < problem->cells_x; i++) sum += plain_class_at(problem, i, j)->source_w_m3;
  return sum * problem->dx_m * problem->dy_m;
}

static void sources_add_up_and_replace(void **state)
{
  struct hs_config config = plain_config(11, 11, 1.0, 1.0, HS_LAYOUT_CELL);
  struct hs_config_source sources[] = {plain_source("glow", EVERYWHERE, 1.0, NAN),
                                       plain_source("disc", circle(0.5, 0.5, 0.2), 10.0, NAN),
                                       plain_source("block", rectangle(0.0, 0.5, 0.0, 1.0), 100.0, NAN),
                                       plain_source("node", (struct hs_config_shape){0}, 7.0, NAN)};
  struct hs_problem problem;
  (void)state;
  config.sources = sources;
  config.source_count = 4;
  problem = plain_painted(&config);
  assert_true(plain_class_at(&problem, 0, 0)->source_w_m3 == 1.0); /* rectangle and node are not for cells */
  assert_true(plain_class_at(&problem, 5, 5)->source_w_m3 == 11.0);
  assert_false(hs_source_is_painted(&config, 2) || hs_source_is_painted(&config, 3));
  assert_int_equal(problem.class_count, 2);
  plain_clear(&problem);
  sources[2].replaces = true;
  assert_true(hs_source_is_painted(&config, 2));
  problem = plain_painted(&config);
  assert_true(plain_class_at(&problem, 4, 5)->source_w_m3 == 100.0 &&
              plain_class_at(&problem, 0, 0)->source_w_m3 == 100.0);
  assert_true(plain_class_at(&problem, 6, 5)->source_w_m3 == 11.0);
  plain_clear(&problem);
}

/* A rectangle that a later source replaces in part must be on the cells, or nothing could be replaced. */
static void a_replaced_rectangle_is_painted(void **state)
{
  struct hs_config config = plain_config(11, 11, 1.0, 1.0, HS_LAYOUT_VERTEX);
  struct hs_config_source sources[] = {plain_source("block", rectangle(0.0, 0.5, 0.0, 1.0), 100.0, NAN),
                                       plain_source("disc", circle(0.5, 0.5, 0.2), 0.0, NAN)};
  struct hs_problem problem;
  (void)state;
  config.sources = sources;
  config.source_count = 2;
  assert_false(hs_source_is_painted(&config, 0));
  sources[1].replaces = true;
  assert_true(hs_source_is_painted(&config, 0));
  problem = plain_painted(&config);
  assert_true(plain_class_at(&problem, 0, 0)->source_w_m3 == 100.0 &&
              plain_class_at(&problem, 4, 4)->source_w_m3 == 0.0);
  plain_clear(&problem);
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
    sources[0] = plain_source("coil", random_shape(&random, points), NAN, 123.0);
    if (round % 3 == 0) sources[0].shape.part = HS_PART_OUTSIDE;
    test_ok(hs_cells_area(&problem, &sources[0].shape, &area_m2, &err), &err);
    if (area_m2 == 0.0 || !hs_source_is_painted(&(struct hs_config){.sources = sources, .source_count = 1}, 0))
      continue;
    config.sources = sources;
    config.source_count = 1;
    problem = plain_painted(&config);
    test_near("released heat", total_source(&problem), 123.0, 1e-9);
    test_ok(hs_source_power(&problem, 0, &power_w_m, &err), &err);
    assert_true(power_w_m == 123.0);
    sources[0].density_w_m3 = 2.0;
    sources[0].power_w_m = NAN;
    test_ok(hs_source_power(&problem, 0, &power_w_m, &err), &err);
    test_near("heat of a density", power_w_m, 2.0 * area_m2, 1e-12);
    plain_clear(&problem);
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
  problem = plain_painted(&config);
  test_near("loss", plain_class_at(&problem, 9, 9)->loss_w_m3k, 5000.0, 1e-9);
  test_near("loss to its ambient", plain_class_at(&problem, 9, 9)->loss_w_m3, 5000.0 * 293.0, 1e-6);
  test_near("both losses", plain_class_at(&problem, 2, 2)->loss_w_m3k, 20000.0, 1e-9);
  test_near("to both ambients", plain_class_at(&problem, 2, 2)->loss_w_m3, 5000.0 * 293.0 + 15000.0 * 280.0, 1e-6);
  plain_clear(&problem);
}

static void what_reaches_no_cell_is_refused(void **state)
{
  struct hs_config config = plain_config(11, 21, 1.0, 1.0, HS_LAYOUT_VERTEX);
  struct hs_config_source sources[] = {plain_source("dot", circle(0.5, 0.5, 0.012), 10.0, NAN)};
  struct hs_config_loss losses[] = {{(char *)"slit", 5, bar(0.1, 0.1, 0.9, 0.1, 0.001), 1.0, 0.0, 1.0}};
  struct hs_problem problem;
  (void)state;
  config.sources = sources;
  config.source_count = 1;
  REFUSED(&config, HS_ERR_CONFIG, "part.ini:9", "[source dot]", "centre of no cell", "nx = 85, ny = 85");
  config.grid.nx = config.grid.ny = 85; /* what the message advises works */
  problem = plain_painted(&config);
  assert_int_equal(problem.class_count, 2);
  plain_clear(&problem);
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(later_shapes_win),
      cmocka_unit_test(no_material_has_the_colour_of_the_background),
      cmocka_unit_test(a_uniform_plate_has_one_class),
      cmocka_unit_test(cells_belong_by_their_centres),
      cmocka_unit_test(an_unknown_material_is_refused),
      cmocka_unit_test(sources_add_up_and_replace),
      cmocka_unit_test(a_replaced_rectangle_is_painted),
      cmocka_unit_test(power_is_released_exactly),
      cmocka_unit_test(losses_add_up),
      cmocka_unit_test(what_reaches_no_cell_is_refused),
      cmocka_unit_test(too_many_classes_are_refused),
  };
  return cmocka_run_group_tests_name("cells", tests, NULL, NULL);
}
