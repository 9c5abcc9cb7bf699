/* The heat that passes the outlines of shapes. */
#include "answers/plate.h"

#include <math.h>

static double painted_area(const struct plate *plate, const struct hs_config_shape *shape)
{
  const struct hs_problem *p = &plate->problem;
  int cells = 0;
  for (int cj = 0; cj < p->cells_y; cj++)
    for (int ci = 0; ci < p->cells_x; ci++) cells += hs_problem_cell_in(p, shape, ci, cj);
  return cells * p->dx_m * p->dy_m;
}

static void outline_passes_all_heat_of_a_shape(void **state)
{
  (void)state;
  for (int l = 0; l < 2; l++) {
    struct plate plate;
    struct hs_answers answers;
    struct hs_balance *balance;
    double in_disc;
    plate_mixed(&plate, PLATE_LAYOUTS[l]);
    /* edges on grid lines; the painted source fills it, the rectangle of 77 W/m3 heats a part */
    plate_shape(&plate, "block", plate_rectangle(0.2, 0.7, 0.1, 0.5), NAN);
    plate_shape(&plate, "disc", plate_circle(0.5, 0.3, 0.14), NAN);
    plate_shape(&plate, "all", (struct hs_config_shape){.kind = HS_SHAPE_EVERYWHERE}, NAN);
    plate_paint(&plate, 0.4, 0.55, 0.55, 0.65, (struct hs_cell_class){0, 200.0, 0.0, 0.0}); /* where the pipe holds */
    plate_solve(&plate);
    answers = plate_answers(&plate);
    balance = &answers.balance;
    in_disc = 100.0 * painted_area(&plate, &plate.regions[2].shape);
    assert_true(in_disc > 4.0);
    test_near("disc", answers.region_out_w_m[2], in_disc, 1e-9);
    /* the rectangle's edges cut control volumes and, at x = 0.2, the outline */
    test_near("block", answers.region_out_w_m[1], 100.0 * 0.2 + 77.0 * 0.13 * 0.16, 1e-9);
    test_near("pipe", answers.region_out_w_m[0], balance->held_w_m + 3.0, 1e-9);
    test_near("all", answers.region_out_w_m[3], balance->source_w_m + balance->loss_w_m + balance->held_w_m, 1e-9);
    hs_answers_clear(&answers);
    plate_destroy(&plate);
  }
}

/* A shape without source passes on what it gets, a bar too thin to own a cell gives off what holds it. */
static void outlines_of_shapes_without_source(void **state)
{
  struct plate plate;
  struct hs_answers answers;
  (void)state;
  plate_create(&plate, HS_LAYOUT_VERTEX, 21, 21, 1.0, 1.0);
  plate_wall(&plate, HS_NORTH, HS_WALL_TEMPERATURE, 1.0, 0.0);
  plate_shape(&plate, "bar", plate_rectangle(0.3, 0.7, 0.495, 0.505), 10.0);
  plate_shape(&plate, "empty", plate_rectangle(0.2, 0.4, 0.6, 0.8), NAN);
  plate_shape(&plate, "floor", plate_rectangle(0.0, 1.0, 0.0, 0.25), NAN);
  plate_solve(&plate);
  answers = plate_answers(&plate);
  assert_true(answers.balance.held_w_m > 1.0);
  test_near("bar", answers.region_out_w_m[0], answers.balance.held_w_m, 1e-10);
  test_near("empty", answers.region_out_w_m[1], 0.0, 1e-10);
  test_near("floor", answers.region_out_w_m[2], 0.0, 1e-10);
  hs_answers_clear(&answers);
  plate_destroy(&plate);
}

/* Sources that meet an outline: each quarter of a control volume gives what lies in it. */
static void sources_on_an_outline_are_divided(void **state)
{
  struct plate plate;
  struct hs_answers answers;
  (void)state;
  plate_create(&plate, HS_LAYOUT_VERTEX, 21, 21, 1.0, 1.0);
  for (int side = 0; side < HS_SIDES; side++) plate_wall(&plate, (enum hs_side)side, HS_WALL_TEMPERATURE, 0.0, 0.0);
  plate_source(&plate, plate_rectangle(0.33, 0.52, 0.4, 0.6), 50.0, NAN);
  plate_source(&plate, plate_rectangle(0.45, 0.6, 0.41, 0.5), NAN, -3.0);
  plate_source(&plate, (struct hs_config_shape){.kind = HS_SHAPE_NODE, .i = 10, .j = 15}, NAN, 8.0);
  plate_shape(&plate, "left", plate_rectangle(0.1, 0.5, 0.1, 0.75), NAN);
  plate_shape(&plate, "right", plate_rectangle(0.5, 0.9, 0.1, 0.75), NAN);
  plate_solve(&plate);
  answers = plate_answers(&plate);
  test_near("left", answers.region_out_w_m[0], 50.0 * 0.17 * 0.2 - 3.0 / 3.0 + 2.0, 1e-10);
  test_near("right", answers.region_out_w_m[1], 50.0 * 0.02 * 0.2 - 3.0 * 2.0 / 3.0 + 2.0, 1e-10);
  hs_answers_clear(&answers);
  plate_destroy(&plate);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outline_passes_all_heat_of_a_shape),
      cmocka_unit_test(outlines_of_shapes_without_source),
      cmocka_unit_test(sources_on_an_outline_are_divided),
  };
  return cmocka_run_group_tests_name("outline", tests, NULL, NULL);
}
