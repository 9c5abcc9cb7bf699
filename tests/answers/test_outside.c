/* Shapes that mean their outside (inside = no), in whole runs: a disc in a plate. */
#include "problem/parts.h"
#include "runs.h"

#include <math.h>

/* A plate of 1 m x 1 m that releases 1000 W/m3 and conducts 2 W/(m K), insulated, with shapes. */
static struct hs_config glowing_plate(int cells, enum hs_layout layout, struct hs_config_source *glow,
                                      struct hs_config_region *regions, int region_count)
{
  struct hs_config config = insulated(cells + 1, cells + 1, 1.0 / cells, 1.0 / cells);
  if (layout == HS_LAYOUT_CELL) {
    config.grid.nx = config.grid.ny = cells;
    cell_layout(&config);
  }
  conductivity_set(&config, 2.0, 2.0);
  *glow = test_source_everywhere(1000.0);
  config.sources = glow;
  config.source_count = 1;
  config.regions = regions;
  config.region_count = region_count;
  config.initial.temperature_k = 300.0;
  config.solver.method = HS_METHOD_MULTIGRID;
  config.solver.criterion = HS_CRITERION_ERROR;
  config.solver.tolerance = 1e-9;
  return config;
}

static struct hs_config_shape outside_of(struct hs_config_shape shape)
{
  shape.part = HS_PART_OUTSIDE;
  return shape;
}

/* T = 300 + q (R^2 - r^2) / (4 k) in the disc: its edge lies within a cell of the nodes that are held. */
static void all_outside_of_a_disc_is_held(void **state)
{
  const double radius_m = 0.4, rise_k = 1000.0 * radius_m * radius_m / (4.0 * 2.0);
  (void)state;
  for (int k = 0; k < 4; k++) {
    const int cells = k < 2 ? 40 : 80;
    const double edge_k = 1000.0 * radius_m / (2.0 * 2.0) / cells;
    struct hs_config_source glow;
    struct hs_config_region regions[2] = {
        region("shell", outside_of(circle(0.5, 0.5, radius_m)), "", test_value(300.0)),
        region("disc", circle(0.5, 0.5, radius_m), "", NO_VALUE)};
    const struct hs_config config = glowing_plate(cells, k % 2 ? HS_LAYOUT_CELL : HS_LAYOUT_VERTEX, &glow, regions, 2);
    const struct hs_problem *p;
    struct hs_answers *answers;
    struct test_run run;
    test_run_start(&run, &config, NULL);
    p = run.job.problem;
    answers = &run.result.answers;
    for (int n = 0; n < p->nx * p->ny; n++) {
      const double x = p->x0_m + n % p->nx * p->dx_m - 0.5, y = p->y0_m + n / p->nx * p->dy_m - 0.5;
      if (hypot(x, y) > radius_m * (1.0 - 1e-9)) assert_true(run.result.field_k[n] == 300.0);
    }
    test_near("highest", answers->maximum_k, 300.0 + rise_k, edge_k);
    assert_true(answers->maximum_k > 300.0 + 0.9 * rise_k);
    test_near("heat of the shell", answers->balance.held_w_m, -1000.0, 1e-6);
    test_near("its surface", answers->surface_w_m[HS_SIDES], -1000.0, 1e-6);
    test_near("heat out of the disc", answers->region_out_w_m[1], 1000.0 * M_PI * radius_m * radius_m, 10.0);
    test_near("and into the shell", answers->region_out_w_m[0], -answers->region_out_w_m[1], 1e-6);
    test_run_clear(&run);
  }
}

/* Material, source and start of a disc's outside are those of the plate where the disc lies over it. */
static void outsides_are_painted_as_what_lies_under_the_inside(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    const enum hs_layout layout = k ? HS_LAYOUT_CELL : HS_LAYOUT_VERTEX;
    struct hs_config_source glow, shine;
    struct hs_config_region over[2] = {region("all", EVERYWHERE, "wool", NO_VALUE),
                                       region("disc", circle(0.4, 0.55, 0.23), "background", NO_VALUE)};
    struct hs_config_region out[1] = {region("rest", outside_of(circle(0.4, 0.55, 0.23)), "wool", NO_VALUE)};
    struct hs_config first = glowing_plate(33, layout, &glow, over, 2),
                     second = glowing_plate(33, layout, &shine, out, 1);
    struct test_run a, b;
    over[0].initial_k = out[0].initial_k = 280.0;
    over[1].initial_k = 300.0;
    test_material_add(&first, test_material("wool", 0.04, NAN, NAN));
    test_material_add(&second, test_material("wool", 0.04, NAN, NAN));
    test_wall_temperature(&first, HS_WEST, 300.0);
    test_wall_temperature(&second, HS_WEST, 300.0);
    glow.replaces = shine.replaces = true;
    test_run_start(&a, &first, NULL);
    test_run_start(&b, &second, NULL);
    assert_memory_equal(a.job.initial_k, b.job.initial_k, (size_t)(first.grid.nx * first.grid.ny) * sizeof(double));
    assert_memory_equal(a.result.field_k, b.result.field_k, (size_t)(first.grid.nx * first.grid.ny) * sizeof(double));
    test_near("area of wool", b.result.answers.materials[1].area_m2, a.result.answers.materials[1].area_m2, 1e-13);
    test_run_clear(&b);
    test_run_clear(&a);
  }
}

/* A rectangle whose edges cut cells: its outside releases what the plate does without the rectangle, to the last joule. */
static void sources_outside_a_rectangle_cut_cells(void **state)
{
  const struct hs_config_shape spot = {
      .kind = HS_SHAPE_RECTANGLE, .x0_m = 0.0, .x1_m = 0.5, .y0_m = 0.625, .y1_m = 0.875};
  (void)state;
  for (int k = 0; k < 4; k++) {
    const enum hs_layout layout = k % 2 ? HS_LAYOUT_CELL : HS_LAYOUT_VERTEX;
    struct hs_config_source out, parts[2];
    struct hs_config first = glowing_plate(20, layout, &out, NULL, 0),
                     second = glowing_plate(20, layout, parts, NULL, 0);
    struct test_run a, b;
    out.shape = outside_of(spot);
    if (k >= 2) out.density_w_m3 = NAN;
    if (k >= 2) out.power_w_m = 875.0;
    parts[1] = parts[0];
    parts[1].shape = spot;
    parts[1].density_w_m3 = -1000.0;
    second.source_count = 2;
    test_wall_temperature(&first, HS_WEST, 300.0);
    test_wall_temperature(&second, HS_WEST, 300.0);
    test_run_start(&a, &first, NULL);
    test_run_start(&b, &second, NULL);
    test_near("heat of the outside", a.result.answers.balance.source_w_m, 875.0, 1e-9);
    for (int n = 0; n < first.grid.nx * first.grid.ny; n++)
      test_near("temperature", a.result.field_k[n], b.result.field_k[n], 1e-8);
    test_run_clear(&b);
    test_run_clear(&a);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_outside_of_a_disc_is_held),
      cmocka_unit_test(outsides_are_painted_as_what_lies_under_the_inside),
      cmocka_unit_test(sources_outside_a_rectangle_cut_cells),
  };
  return cmocka_run_group_tests_name("outside", tests, NULL, NULL);
}
