/* Heat of whole sides where walls meet in corners, of whole runs whose answers are known. */
#include "problem/parts.h"
#include "runs.h"

#include <math.h>

/* A plate of nx x ny nodes and lx x ly metres whose four walls are held at a formula, solved to rounding. */
static struct hs_config held_plate(int nx, int ny, double lx, double ly, const char *temperature)
{
  struct hs_config config = test_config_spaced(nx, ny, lx / (nx - 1), ly / (ny - 1));
  for (int side = 0; side < HS_SIDES; side++) config.boundaries[side].temperature = test_formula(temperature);
  config.solver.method = HS_METHOD_MULTIGRID;
  config.solver.criterion = HS_CRITERION_ERROR;
  config.solver.tolerance = 1e-13;
  return config;
}

/* Solves and compares the heat into the domain through west, east, south and north; the sides are whole surfaces, and what
 * they pass adds up to what sources release. */
static void assert_sides(const struct hs_config *config, const double exact[HS_SIDES], double allowed)
{
  const struct hs_answers *answers;
  struct test_run run;
  double sum = 0.0;
  test_run_start(&run, config, NULL);
  answers = &run.result.answers;
  for (int side = 0; side < HS_SIDES; side++) {
    test_near(hs_side_name((enum hs_side)side), answers->balance.side_w_m[side], exact[side], allowed);
    test_near("its surface", answers->surface_w_m[side], answers->balance.side_w_m[side], 1e-13);
    sum += answers->balance.side_w_m[side];
  }
  test_near("all sides and sources", sum + answers->balance.source_w_m, 0.0, 1e-10);
  assert_true(answers->balance.imbalance_relative < 1e-10);
  test_run_clear(&run);
}

/* T = x: all heat enters in the east and leaves in the west, whatever the number of nodes. */
static void heat_along_x_passes_west_and_east_alone(void **state)
{
  const int nodes[] = {2, 3, 11, 21, 41};
  const double exact[HS_SIDES] = {-1.0, 1.0, 0.0, 0.0};
  (void)state;
  for (size_t k = 0; k < sizeof nodes / sizeof *nodes; k++) {
    struct hs_config config = held_plate(nodes[k], nodes[k] == 2 ? 3 : nodes[k], 1.0, 1.0, "x");
    assert_sides(&config, exact, 1e-11);
    cell_layout(&config);
    assert_sides(&config, (const double[HS_SIDES]){-config.grid.ly_m, config.grid.ly_m, 0.0, 0.0}, 1e-11);
  }
}

/* Cells that are not square, a conductivity that depends on the direction, and a field that is not linear: T = 2x + 3y + xy
 * with 4 W/(m K) in x, 5 in y, on 2 m x 0.6 m. */
static void bilinear_fields_are_exact(void **state)
{
  struct hs_config config = held_plate(9, 13, 2.0, 0.6, "2*x + 3*y + x*y");
  const double along_x = 4.0 * (2.0 * 0.6 + 0.5 * 0.6 * 0.6), along_y = 5.0 * (3.0 * 2.0 + 0.5 * 2.0 * 2.0);
  (void)state;
  conductivity_set(&config, 4.0, 5.0);
  assert_sides(&config, (const double[HS_SIDES]){-along_x, along_x, -along_y, along_y}, 1e-10);
}

/* Two layers that meet on the west and east walls, and fill the corners with different materials. */
static void layers_reach_into_the_corners(void **state)
{
  struct hs_config config = held_plate(7, 9, 1.0, 2.0, "3*x");
  struct hs_config_region upper = region("upper", rectangle(0.0, 1.0, 0.5, 2.0), "felt", NO_VALUE);
  const double flow = 3.0 * (50.0 * 0.5 + 0.25 * 1.5);
  (void)state;
  conductivity_set(&config, 50.0, 50.0);
  test_material_add(&config, test_material("felt", 0.25, NAN, NAN));
  config.regions = &upper;
  config.region_count = 1;
  assert_sides(&config, (const double[HS_SIDES]){-flow, flow, 0.0, 0.0}, 1e-9);
  /* across the layers, 7 W/m2: T rises by 7 y / 50, above 0.5 m by 7 (y - 0.5) / 0.25 */
  for (int side = 0; side < HS_SIDES; side++)
    config.boundaries[side].temperature = test_formula("7*(y < 0.5 ? y/50 : 0.5/50 + (y - 0.5)/0.25)");
  assert_sides(&config, (const double[HS_SIDES]){0.0, 0.0, -7.0, 7.0}, 1e-9);
}

/* Held walls beside insulated, convective and heated ones. T = x: nothing passes south. T = y: 5 W/m2 enter in the north and
 * leave in the south, to a fluid that is 5/8 K colder than the wall, or at a given rate. */
static void held_walls_meet_other_kinds(void **state)
{
  struct hs_config config = held_plate(9, 6, 2.0, 0.5, "x");
  (void)state;
  conductivity_set(&config, 5.0, 5.0);
  test_wall_insulated(&config, HS_SOUTH);
  assert_sides(&config, (const double[HS_SIDES]){-2.5, 2.5, 0.0, 0.0}, 1e-10);
  test_wall_convection(&config, HS_SOUTH, 8.0, 0.0);
  config.boundaries[HS_SOUTH].temperature = test_formula("x");
  assert_sides(&config, (const double[HS_SIDES]){-2.5, 2.5, 0.0, 0.0}, 1e-10);

  config = held_plate(9, 6, 2.0, 0.5, "y");
  conductivity_set(&config, 5.0, 5.0);
  test_wall_convection(&config, HS_SOUTH, 8.0, -5.0 / 8.0);
  assert_sides(&config, (const double[HS_SIDES]){0.0, 0.0, -10.0, 10.0}, 1e-10);
  test_wall_flux(&config, HS_SOUTH, -5.0);
  assert_sides(&config, (const double[HS_SIDES]){0.0, 0.0, -10.0, 10.0}, 1e-10);
}

/* A source of 1 W/m3, T = x (1 - x)/2: half leaves west, half east. A corner's source is halved between its walls, which
 * costs h^2/4. */
static void sources_in_corners_are_of_second_order(void **state)
{
  struct hs_config_source glow = test_source_everywhere(1.0);
  (void)state;
  for (int n = 10; n <= 40; n *= 2) {
    const double h = 1.0 / n, error = 0.25 * h * h;
    struct hs_config config = held_plate(n + 1, n + 1, 1.0, 1.0, "x*(1 - x)/2");
    config.sources = &glow;
    config.source_count = 1;
    assert_sides(&config, (const double[HS_SIDES]){-0.5 + error, -0.5 + error, -error, -error}, 1e-11);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(heat_along_x_passes_west_and_east_alone), cmocka_unit_test(bilinear_fields_are_exact),
      cmocka_unit_test(layers_reach_into_the_corners),           cmocka_unit_test(held_walls_meet_other_kinds),
      cmocka_unit_test(sources_in_corners_are_of_second_order),
  };
  return cmocka_run_group_tests_name("corners", tests, NULL, NULL);
}
