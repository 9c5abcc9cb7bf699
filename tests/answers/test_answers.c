/* Tests of the answers: heat flows and balances, outlines, probes, materials, series, and the names of quantities.
 *
 * Fields are solved to rounding on plates made by hand (plate.h), so that what is left of a balance is an error of the
 * formula, and compared with closed solutions.
 */
#include "plate.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/parts.h"
#include "run/quantity.h"

static const enum hs_layout LAYOUTS[] = {HS_LAYOUT_VERTEX, HS_LAYOUT_CELL};

/* Nodes that divide a length into n spacings. */
static int nodes(enum hs_layout layout, int n)
{
  return layout == HS_LAYOUT_VERTEX ? n + 1 : n;
}

static double relative(double value, double scale)
{
  return fabs(value) / fabs(scale);
}

/* --- heat flows ---------------------------------------------------------------------------------- */

static void slab_with_convection_is_exact(void **state)
{
  const double lx = 0.5, ly = 0.3, k = 2.0, h = 10.0;
  const double flow = (100.0 - 20.0) / (lx / k + 1.0 / h) * ly;
  (void)state;
  for (int l = 0; l < 2; l++) {
    struct plate plate;
    struct hs_answers answers;
    plate_create(&plate, LAYOUTS[l], nodes(LAYOUTS[l], 10), nodes(LAYOUTS[l], 4), lx, ly);
    plate.materials[0].conductivity_x_w_mk = k;
    plate_wall(&plate, HS_WEST, HS_WALL_TEMPERATURE, 100.0, 0.0);
    plate_wall(&plate, HS_EAST, HS_WALL_CONVECTION, 20.0, h);
    plate_point(&plate, "wall", lx, 0.17, "");
    plate_solve(&plate);
    answers = plate_answers(&plate);
    test_near("west", answers.balance.side_w_m[HS_WEST], flow, 1e-10 * flow);
    test_near("east", answers.balance.side_w_m[HS_EAST], -flow, 1e-10 * flow);
    assert_true(answers.balance.side_w_m[HS_SOUTH] == 0.0 && answers.balance.side_w_m[HS_NORTH] == 0.0);
    assert_true(answers.balance.source_w_m == 0.0 && answers.balance.loss_w_m == 0.0);
    test_near("in", answers.balance.in_w_m, flow, 1e-10 * flow);
    test_near("surface", answers.surface_w_m[HS_EAST], -flow, 1e-10 * flow);
    test_near("wall temperature", answers.probes[0].temperature_k[0], 20.0 + flow / ly / h, 1e-9);
    assert_true(answers.balance.imbalance_relative < 1e-11);
    hs_answers_clear(&answers);
    plate_destroy(&plate);
  }
}

/* Every kind of wall, two materials, sources of every form, a loss and a held shape. */
static void mixed_plate(struct plate *plate, enum hs_layout layout)
{
  int wood;
  plate_create(plate, layout, nodes(layout, 20), nodes(layout, 16), 1.0, 0.8);
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

static void flows_of_a_solved_field_balance(void **state)
{
  const double sources = 100.0 * 0.5 * 0.4 + 77.0 * 0.33 * 0.16 + 12.0;
  (void)state;
  for (int l = 0; l < 2; l++) {
    struct plate plate;
    struct hs_answers answers;
    struct hs_balance balance;
    double sum = 0.0;
    mixed_plate(&plate, LAYOUTS[l]);
    plate_solve(&plate);
    answers = plate_answers(&plate);
    balance = answers.balance;
    for (int side = 0; side < HS_SIDES; side++) sum += balance.side_w_m[side];
    sum += balance.held_w_m + balance.source_w_m + balance.loss_w_m;
    assert_true(relative(sum, balance.in_w_m) < 1e-11);
    assert_true(balance.imbalance_relative < 1e-11);
    test_near("in - out", balance.in_w_m - balance.out_w_m, sum, 1e-11 * balance.in_w_m);
    test_near("sources", balance.source_w_m, sources, 1e-12 * sources);
    test_near("flux", balance.side_w_m[HS_SOUTH], 45.0, 1e-12); /* also where it meets a held corner */
    assert_true(balance.held_w_m > 10.0);
    assert_true(fabs(balance.loss_w_m) > 1.0);
    test_near("held surface", answers.surface_w_m[HS_SIDES], balance.held_w_m, 1e-12 * balance.held_w_m);
    hs_answers_clear(&answers);
    plate_destroy(&plate);
  }
}

/* A field that is off by a little is out of balance by as much: the imbalance is not blind. */
static void imbalance_sees_an_unsolved_field(void **state)
{
  struct plate plate;
  struct hs_error err = {HS_OK, ""};
  struct hs_balance balance, transient;
  double lack;
  (void)state;
  mixed_plate(&plate, HS_LAYOUT_VERTEX);
  plate_solve(&plate);
  plate.field_k[8 * plate.problem.nx + 2] += 0.5; /* a free node, its neighbours free as well */
  test_ok(hs_balance_take(&plate.problem, plate.system, plate.field_k, false, &balance, &err), &err);
  assert_true(balance.imbalance_relative < 1e-11); /* conduction inside cancels */
  plate.field_k[8 * plate.problem.nx + 1] += 0.5;  /* beside the held west wall: loses 0.5 K times conductance 1 */
  test_ok(hs_balance_take(&plate.problem, plate.system, plate.field_k, false, &balance, &err), &err);
  lack = balance.in_w_m - balance.out_w_m;
  test_near("lack", lack, -0.5 * plate.system->law[8 * plate.problem.nx + 1].west, 1e-10);
  test_near("imbalance", balance.imbalance_relative, -lack / balance.out_w_m, 1e-12);
  plate.system->flow_floor_w_m = 1e6;
  test_ok(hs_balance_take(&plate.problem, plate.system, plate.field_k, false, &balance, &err), &err);
  test_near("with a floor", balance.imbalance_relative, -lack / 1e6, 1e-15);
  test_ok(hs_balance_take(&plate.problem, plate.system, plate.field_k, true, &transient, &err), &err);
  assert_true(isnan(transient.imbalance_relative));
  test_near("storage", transient.storage_w_m, lack, 1e-12);
  plate.field_k[8 * plate.problem.nx + 1] = NAN;
  test_ok(hs_balance_take(&plate.problem, plate.system, plate.field_k, false, &balance, &err), &err);
  assert_false(balance.imbalance_relative <= 1.0);
  plate_destroy(&plate);
}

/* -lap u = 1 on the unit square with u = 0 around: each side passes a quarter of the source, and |du/dn| in the middle
 * of a side is 0.337657241657. The flux of one node is second-order accurate, a difference quotient is not. */
static double mid_side_error(int n)
{
  const double exact = 0.337657241657;
  struct plate plate;
  struct hs_answers answers;
  double error;
  plate_create(&plate, HS_LAYOUT_VERTEX, n + 1, n + 1, 1.0, 1.0);
  for (int side = 0; side < HS_SIDES; side++) plate_wall(&plate, (enum hs_side)side, HS_WALL_TEMPERATURE, 0.0, 0.0);
  plate.classes[0].source_w_m3 = 1.0;
  plate_solve(&plate);
  answers = plate_answers(&plate);
  test_near("source", answers.balance.source_w_m, 1.0, 1e-13);
  for (int side = 0; side < HS_SIDES; side++) test_near("side", answers.balance.side_w_m[side], -0.25, 1e-12);
  error = -hs_node_reaction(plate.system, plate.field_k, (size_t)(n / 2)) * n - exact;
  hs_answers_clear(&answers);
  plate_destroy(&plate);
  return error;
}

static void reaction_flux_is_of_second_order(void **state)
{
  const double coarse = mid_side_error(16), fine = mid_side_error(32);
  (void)state;
  assert_true(fabs(fine) < 5e-4);
  test_near("order", log2(coarse / fine), 2.0, 0.05);
}

static void periodic_nodes_count_once(void **state)
{
  struct plate plate;
  struct hs_answers answers;
  (void)state;
  for (int l = 0; l < 2; l++) {
    plate_create(&plate, LAYOUTS[l], nodes(LAYOUTS[l], 12), nodes(LAYOUTS[l], 8), 1.5, 1.0);
    plate_wall(&plate, HS_WEST, HS_WALL_PERIODIC, 0.0, 0.0);
    plate_wall(&plate, HS_EAST, HS_WALL_PERIODIC, 0.0, 0.0);
    plate_wall(&plate, HS_SOUTH, HS_WALL_TEMPERATURE, 5.0, 0.0);
    plate_wall(&plate, HS_NORTH, HS_WALL_FLUX, 4.0, 0.0);
    plate.classes[0].source_w_m3 = 3.0;
    plate_paint(&plate, 1.25, 1.5, 0.25, 0.5, (struct hs_cell_class){0, 40.0, 2.0, 2.0 * 9.0}); /* at the seam */
    plate_shape(&plate, "hot", plate_rectangle(1.25, 1.5, 0.25, 0.5), NAN);
    plate_shape(&plate, "band", plate_rectangle(0.0, 1.5, 0.0, 0.5), NAN);
    plate_solve(&plate);
    answers = plate_answers(&plate);
    test_near("flux", answers.balance.side_w_m[HS_NORTH], 6.0, 1e-12);
    test_near("source", answers.balance.source_w_m, 3.0 * 1.5 + 37.0 * 0.0625, 1e-12);
    assert_true(answers.balance.imbalance_relative < 1e-11);
    test_near("south", answers.balance.side_w_m[HS_SOUTH], -(6.0 + 4.5 + 37.0 * 0.0625 + answers.balance.loss_w_m),
              1e-10);
    test_near("hot", answers.region_out_w_m[0], 40.0 * 0.0625 + answers.balance.loss_w_m, 1e-10);
    test_near("band", answers.region_out_w_m[1], 3.0 * 0.75 + 37.0 * 0.0625 + answers.balance.loss_w_m, 1e-10);
    hs_answers_clear(&answers);
    plate_destroy(&plate);
  }
}

static void torus_loses_what_its_source_gives(void **state)
{
  struct plate plate;
  struct hs_answers answers;
  (void)state;
  for (int l = 0; l < 2; l++) {
    plate_create(&plate, LAYOUTS[l], nodes(LAYOUTS[l], 8), nodes(LAYOUTS[l], 8), 1.0, 1.0);
    for (int side = 0; side < HS_SIDES; side++) plate_wall(&plate, (enum hs_side)side, HS_WALL_PERIODIC, 0.0, 0.0);
    plate.classes[0].loss_w_m3k = 2.0;
    plate.classes[0].loss_w_m3 = 2.0 * 20.0;
    plate_paint(&plate, 0.5, 1.0, 0.5, 1.0, (struct hs_cell_class){0, 16.0, 2.0, 40.0});
    plate_solve(&plate);
    answers = plate_answers(&plate);
    test_near("loss", answers.balance.loss_w_m, -4.0, 1e-12);
    test_near("source", answers.balance.source_w_m, 4.0, 1e-12);
    test_near("mean", answers.mean_k, 22.0, 1e-11);
    hs_answers_clear(&answers);
    plate_destroy(&plate);
  }
}

/* A node held by nobody's surface still gives off heat, and a corner of two walls shares it. */
static void held_heat_is_never_lost(void **state)
{
  struct plate plate;
  struct hs_answers answers;
  (void)state;
  plate_create(&plate, HS_LAYOUT_VERTEX, 6, 6, 1.0, 1.0);
  plate_wall(&plate, HS_WEST, HS_WALL_TEMPERATURE, 1.0, 0.0);
  plate_wall(&plate, HS_SOUTH, HS_WALL_TEMPERATURE, 0.0, 0.0);
  plate_solve(&plate);
  answers = plate_answers(&plate);
  test_near("west", answers.balance.side_w_m[HS_WEST], -answers.balance.side_w_m[HS_SOUTH], 1e-12);
  hs_answers_clear(&answers);
  plate.system->contact_count = 0;
  answers = plate_answers(&plate);
  test_near("sum", answers.balance.held_w_m, 0.0, 1e-12);
  assert_true(answers.balance.in_w_m > 0.5 && answers.balance.imbalance_relative < 1e-11);
  hs_answers_clear(&answers);
  plate_destroy(&plate);
}

/* --- outlines ------------------------------------------------------------------------------------ */

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
    mixed_plate(&plate, LAYOUTS[l]);
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

/* --- probes -------------------------------------------------------------------------------------- */

static double bilinear(double x, double y)
{
  return 3.0 - 2.0 * x + 5.0 * y + 4.0 * x * y;
}

static void probes_reproduce_bilinear_fields(void **state)
{
  (void)state;
  for (int l = 0; l < 2; l++) {
    struct plate plate;
    struct hs_answers answers;
    int n = 0;
    plate_create(&plate, LAYOUTS[l], nodes(LAYOUTS[l], 7), nodes(LAYOUTS[l], 5), 0.9, 1.1);
    plate_point(&plate, "inside", 0.31, 0.77, "");
    plate_point(&plate, "corner", 0.9, 1.1, "");
    plate_point(&plate, "wall", 0.0, 0.4, "");
    plate_line(&plate, "line", 0.9, 0.05, 0.1, 0.65, 9);
    plate_assemble(&plate);
    for (int j = 0; j < plate.problem.ny; j++)
      for (int i = 0; i < plate.problem.nx; i++)
        plate.field_k[n++] =
            bilinear(plate.problem.x0_m + i * plate.problem.dx_m, plate.problem.y0_m + j * plate.problem.dy_m);
    answers = plate_answers(&plate);
    for (int p = 0; p < 4; p++) {
      const struct hs_probe_answer *probe = &answers.probes[p];
      assert_int_equal(probe->count, p == 3 ? 9 : 1);
      for (int k = 0; k < probe->count; k++)
        test_near(plate.probes[p].name, probe->temperature_k[k], bilinear(probe->x_m[k], probe->y_m[k]), 1e-13);
    }
    test_near("line's end", answers.probes[3].distance_m[8], 1.0, 1e-15);
    assert_true(answers.probes[3].x_m[0] == 0.9 && answers.probes[3].x_m[8] == 0.1 && answers.probes[3].y_m[8] == 0.65);
    hs_answers_clear(&answers);
    plate_destroy(&plate);
  }
}

/* On a node a probe has the node's value, every bit of it, also where x / dx is not a whole number in floating point. */
static void probes_on_nodes_have_their_bits(void **state)
{
  struct test_random random = {11};
  (void)state;
  for (int l = 0; l < 2; l++) {
    struct plate plate;
    plate_create(&plate, LAYOUTS[l], 50, 8, 0.7, 0.3);
    plate_point(&plate, "node", 0.0, 0.0, "");
    plate_assemble(&plate);
    for (int n = 0; n < 400; n++) plate.field_k[n] = test_random_between(&random, -1.0, 1.0);
    for (int n = 0; n < 400; n++) {
      struct hs_answers answers;
      plate.probes[0].x_m = plate.problem.x0_m + n % 50 * plate.problem.dx_m;
      plate.probes[0].y_m = plate.problem.y0_m + n / 50 * plate.problem.dy_m;
      answers = plate_answers(&plate);
      if (answers.probes[0].temperature_k[0] != plate.field_k[n]) fail_msg("node %d of layout %d", n, l);
      hs_answers_clear(&answers);
    }
    plate_destroy(&plate);
  }
}

/* Three layers; at their boundaries the temperature is known from the resistances in series. */
static void probes_are_exact_across_layers(void **state)
{
  static const double exact_at[] = {0.0, 0.1, 0.2, 0.45, 0.7, 1.0};
  static const char *const layer[] = {"background", "background", "wool", "wool", "steel", "steel"};
  const double flow = 100.0 / (0.2 / 1.0 + 0.5 / 0.05 + 0.3 / 50.0);
  (void)state;
  for (int l = 0; l < 2; l++) {
    struct plate plate;
    struct hs_answers answers;
    int wool, steel;
    plate_create(&plate, LAYOUTS[l], nodes(LAYOUTS[l], 20), nodes(LAYOUTS[l], 4), 1.0, 0.4);
    wool = plate_material(&plate, "wool", 0.05);
    steel = plate_material(&plate, "steel", 50.0);
    plate_paint(&plate, 0.2, 0.7, 0.0, 0.4, (struct hs_cell_class){.material = wool});
    plate_paint(&plate, 0.7, 1.0, 0.0, 0.4, (struct hs_cell_class){.material = steel});
    plate_wall(&plate, HS_WEST, HS_WALL_TEMPERATURE, 100.0, 0.0);
    plate_wall(&plate, HS_EAST, HS_WALL_TEMPERATURE, 0.0, 0.0);
    for (int k = 0; k < 6; k++) plate_point(&plate, "free", exact_at[k], 0.2, "");
    plate_solve(&plate);
    for (int variant = 0; variant < 4; variant++) {
      for (int k = 0; k < 6; k++) {
        plate.probes[k].material = (char *)(variant % 2 ? layer[k] : "");
        plate.probes[k].y_m = variant / 2 ? 0.2 : 0.15; /* a line of cells' edges, and one of their centres */
      }
      answers = plate_answers(&plate);
      for (int k = 0; k < 6; k++) {
        const double x = exact_at[k];
        const double before = fmin(x, 0.2) + fmin(fmax(x - 0.2, 0.0), 0.5) / 0.05 + fmax(x - 0.7, 0.0) / 50.0;
        test_near("layer", answers.probes[k].temperature_k[0], 100.0 - flow * before, 1e-9);
      }
      hs_answers_clear(&answers);
    }
    plate_destroy(&plate);
  }
}

static void periodic_probe_reads_across_the_seam(void **state)
{
  struct plate plate;
  struct hs_answers answers;
  (void)state;
  plate_create(&plate, HS_LAYOUT_CELL, 4, 2, 4.0, 2.0);
  plate_wall(&plate, HS_WEST, HS_WALL_PERIODIC, 0.0, 0.0);
  plate_wall(&plate, HS_EAST, HS_WALL_PERIODIC, 0.0, 0.0);
  plate_point(&plate, "seam", 0.0, 1.0, "");
  plate_point(&plate, "near", 3.75, 1.0, "");
  plate_assemble(&plate);
  for (int n = 0; n < 8; n++) plate.field_k[n] = n % 4;
  answers = plate_answers(&plate);
  test_near("seam", answers.probes[0].temperature_k[0], 1.5, 1e-14);
  test_near("near", answers.probes[1].temperature_k[0], 2.25, 1e-14);
  hs_answers_clear(&answers);
  plate_destroy(&plate);
}

static void impossible_probes_are_refused(void **state)
{
  struct plate plate;
  struct hs_error err;
  static const struct {
    double x, y;
    const char *material, *words;
  } bad[] = {{1.2, 0.5, "", "outside the domain"},
             {0.5, -0.01, "", "outside the domain"},
             {0.5, 0.5, "gold", "no such material"},
             {0.5, 0.5, "wool", "no cell of that material touches"},
             {0.1, 0.5, "background", "no cell of that material touches"}};
  (void)state;
  plate_create(&plate, HS_LAYOUT_VERTEX, 11, 11, 1.0, 1.0);
  plate_paint(&plate, 0.0, 0.3, 0.0, 1.0, (struct hs_cell_class){.material = plate_material(&plate, "wool", 0.05)});
  plate_point(&plate, "A", 0.3, 0.5, "wool");
  assert_int_equal(hs_answers_check(&plate.problem, &err), HS_OK);
  plate.probes[0].material = (char *)"background";
  assert_int_equal(hs_answers_check(&plate.problem, &err), HS_OK);
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    plate.probes[0].x_m = bad[k].x;
    plate.probes[0].y_m = bad[k].y;
    plate.probes[0].material = (char *)bad[k].material;
    assert_int_equal(hs_answers_check(&plate.problem, &err), HS_ERR_CONFIG);
    if (!strstr(err.text, bad[k].words) || !strstr(err.text, "plate.ini:40: [probe A]")) fail_msg("%s", err.text);
  }
  plate.config.probe_count = 0;
  plate_line(&plate, "L", 0.1, 0.1, 0.5, 0.1, 5);
  assert_int_equal(hs_answers_check(&plate.problem, &err), HS_OK);
  plate.probes[0].material = (char *)"wool"; /* its last points leave the wool */
  assert_int_equal(hs_answers_check(&plate.problem, &err), HS_ERR_CONFIG);
  plate.probes[0].x1_m = 1.1;
  plate.probes[0].material = (char *)"";
  assert_int_equal(hs_answers_check(&plate.problem, &err), HS_ERR_CONFIG);
  plate_destroy(&plate);
}

/* --- means, materials, content ------------------------------------------------------------------- */

static void means_and_extremes_are_those_of_the_field(void **state)
{
  struct plate plate;
  struct hs_answers answers;
  int wool, none, n = 0;
  (void)state;
  plate_create(&plate, HS_LAYOUT_VERTEX, 11, 6, 2.0, 1.0);
  wool = plate_material(&plate, "wool", 0.05);
  none = plate_material(&plate, "none", 1.0);
  plate.materials[0].capacity_j_m3k = 100.0;
  plate.materials[wool].capacity_j_m3k = 10.0;
  plate_paint(&plate, 1.0, 2.0, 0.4, 1.0, (struct hs_cell_class){.material = wool});
  plate_assemble(&plate);
  for (int j = 0; j < 6; j++)
    for (int i = 0; i < 11; i++) plate.field_k[n++] = 10.0 + 0.2 * i + 0.4 * j; /* 10 + x + 2 y */
  answers = plate_answers(&plate);
  test_near("min", answers.minimum_k, 10.0, 0.0);
  test_near("max", answers.maximum_k, 14.0, 1e-14);
  test_near("mean", answers.mean_k, 12.0, 1e-13);
  test_near("center", answers.center_k, plate.field_k[3 * 11 + 5], 0.0);
  test_near("wool area", answers.materials[wool].area_m2, 0.6, 1e-14);
  test_near("wool mean", answers.materials[wool].mean_k, 10.0 + 1.5 + 1.4, 1e-13);
  test_near("wool min", answers.materials[wool].minimum_k, 11.8, 1e-13);
  test_near("wool max", answers.materials[wool].maximum_k, 14.0, 1e-13);
  test_near("other max", answers.materials[0].maximum_k, 13.0, 1e-13);
  test_near("other mean", answers.materials[0].mean_k, (24.0 - 0.6 * 12.9) / 1.4, 1e-12);
  assert_true(answers.materials[none].area_m2 == 0.0 && isnan(answers.materials[none].mean_k) &&
              isnan(answers.materials[none].minimum_k));
  test_near("content", answers.content_j_m, 100.0 * (24.0 - 0.6 * 12.9) + 10.0 * 0.6 * 12.9, 1e-10);
  hs_answers_clear(&answers);
  plate.materials[wool].capacity_j_m3k = NAN;
  answers = plate_answers(&plate);
  assert_true(isnan(answers.content_j_m));
  hs_answers_clear(&answers);
  plate_destroy(&plate);
}

static void cell_means_weight_cells_alike(void **state)
{
  struct plate plate;
  struct hs_answers answers;
  (void)state;
  plate_create(&plate, HS_LAYOUT_CELL, 3, 2, 3.0, 4.0);
  plate.materials[0].capacity_j_m3k = 2.0;
  plate_assemble(&plate);
  for (int n = 0; n < 6; n++) plate.field_k[n] = n * n;
  answers = plate_answers(&plate);
  test_near("mean", answers.mean_k, 55.0 / 6.0, 1e-14);
  test_near("material", answers.materials[0].mean_k, 55.0 / 6.0, 1e-14);
  test_near("content", answers.content_j_m, 2.0 * 2.0 * 55.0, 1e-12);
  test_near("area", answers.materials[0].area_m2, 12.0, 0.0);
  hs_answers_clear(&answers);
  plate_destroy(&plate);
}

static void threads_change_no_bit(void **state)
{
  const int before = omp_get_max_threads();
  struct plate plate;
  struct hs_answers first = {0};
  struct test_random random = {5};
  (void)state;
  mixed_plate(&plate, HS_LAYOUT_VERTEX);
  plate_assemble(&plate);
  for (int n = 0; n < plate.problem.nx * plate.problem.ny; n++)
    plate.field_k[n] = test_random_between(&random, 250.0, 350.0);
  for (int threads = 1; threads <= 5; threads++) {
    struct hs_answers answers;
    omp_set_num_threads(threads);
    answers = plate_answers(&plate);
    if (threads == 1) {
      first = answers;
      continue;
    }
    assert_memory_equal(&answers.balance, &first.balance, sizeof first.balance);
    assert_memory_equal(answers.surface_w_m, first.surface_w_m, 5 * sizeof(double));
    assert_memory_equal(answers.region_out_w_m, first.region_out_w_m, sizeof(double));
    assert_memory_equal(answers.materials, first.materials, 2 * sizeof *first.materials);
    assert_true(answers.mean_k == first.mean_k);
    hs_answers_clear(&answers);
  }
  omp_set_num_threads(before);
  hs_answers_clear(&first);
  plate_destroy(&plate);
}

/* --- series and quantities ----------------------------------------------------------------------- */

static void series_keep_every_row(void **state)
{
  struct plate plate;
  struct hs_error err = {HS_OK, ""};
  struct hs_series series = {0};
  (void)state;
  plate_create(&plate, HS_LAYOUT_VERTEX, 5, 5, 1.0, 1.0);
  plate_wall(&plate, HS_WEST, HS_WALL_TEMPERATURE, 1.0, 0.0);
  plate_point(&plate, "A", 0.25, 0.25, "");
  plate_line(&plate, "L", 0.0, 0.0, 1.0, 0.0, 5);
  plate_assemble(&plate);
  for (int row = 0; row < 100; row++) {
    struct hs_answers answers;
    for (int n = 0; n < 25; n++) plate.field_k[n] = row + n;
    answers = plate_answers(&plate);
    test_ok(hs_series_add(&series, &plate.problem, 0.1 * row, &answers, &err), &err);
    hs_answers_clear(&answers);
  }
  assert_int_equal(series.count, 100);
  for (int row = 0; row < 100; row++) {
    assert_true(series.time_s[row] == 0.1 * row && series.minimum_k[row] == row && series.maximum_k[row] == row + 24);
    assert_true(series.probe_k[2 * row] == row + 6 && series.probe_k[2 * row + 1] == row + 2);
    assert_true(series.surface_w_m[4 * row] == series.surface_w_m[0]);
  }
  assert_true(series.surface_w_m[0] != 0.0);
  hs_series_clear(&series);
  assert_true(series.count == 0 && !series.time_s);
  hs_series_clear(&series);
  plate_destroy(&plate);
}

static void assert_quantity(const struct hs_result *result, const char *path, double wanted)
{
  double value = -1e300;
  if (!hs_result_quantity(result, path, &value)) fail_msg("%s is not known", path);
  if (!test_same(value, wanted)) fail_msg("%s is %.17g, not %.17g", path, value, wanted);
}

static void quantities_are_found_by_name(void **state)
{
  static const char *const unknown[] = {"",
                                        "status",
                                        "probe",
                                        "probe.",
                                        "probe.C",
                                        "probe.L",
                                        "probe.L.5",
                                        "probe.L.-1",
                                        "probe.L.x",
                                        "side.up",
                                        "side",
                                        "surface.x",
                                        "material.x.mean",
                                        "material.wood",
                                        "material.wood.mode",
                                        "shape.pipe",
                                        "shape.x.out",
                                        "history.update_max.5",
                                        "history.update_max.",
                                        "time",
                                        "minimum"};
  struct hs_check history[2] = {{.sweeps = 1, .norms.update_max = 7.0}, {.sweeps = 101, .norms.update_max = 3.0}};
  struct plate plate;
  struct hs_result result;
  double value;
  (void)state;
  mixed_plate(&plate, HS_LAYOUT_VERTEX);
  plate.materials[0].density_kg_m3 = 2.0;
  plate.materials[1].density_kg_m3 = 3.0;
  plate_point(&plate, "A", 0.5, 0.4, "");
  plate_point(&plate, "A.2", 0.6, 0.4, "");
  plate_line(&plate, "L", 0.0, 0.4, 1.0, 0.4, 5);
  plate_solve(&plate);
  memset(&result, 0, sizeof result);
  result.config = &plate.config;
  result.problem = &plate.problem;
  result.answers = plate_answers(&plate);
  result.outcome.sweeps = 500;
  result.outcome.history = history;
  result.outcome.history_count = 2;
  result.outcome.error_estimate_k = NAN;
  assert_quantity(&result, "probe.A", result.answers.probes[0].temperature_k[0]);
  assert_quantity(&result, "probe.A.2", result.answers.probes[1].temperature_k[0]);
  assert_quantity(&result, "probe.L.3", result.answers.probes[2].temperature_k[3]);
  assert_quantity(&result, "side.east", result.answers.balance.side_w_m[HS_EAST]);
  assert_quantity(&result, "surface.pipe", result.answers.surface_w_m[4]);
  assert_quantity(&result, "shape.pipe.out", result.answers.region_out_w_m[0]);
  assert_quantity(&result, "material.wood.mean", result.answers.materials[1].mean_k);
  assert_quantity(&result, "material.background.area", result.answers.materials[0].area_m2);
  assert_quantity(&result, "source", result.answers.balance.source_w_m);
  assert_quantity(&result, "imbalance", result.answers.balance.imbalance_relative);
  assert_quantity(&result, "max", 350.0);
  assert_quantity(&result, "sweeps", 500.0);
  assert_quantity(&result, "stop_index", 499.0);
  assert_quantity(&result, "history.update_max.0", 7.0);
  assert_quantity(&result, "history.update_max.100", 3.0);
  assert_quantity(&result, "error_estimate", NAN);
  assert_true(hs_result_quantity(&result, "mass_temperature", &value));
  test_near("mass times temperature", value,
            2.0 * 0.6 * result.answers.materials[0].mean_k + 3.0 * 0.2 * result.answers.materials[1].mean_k, 1e-9);
  assert_quantity(&result, "material_integral.density", value);
  for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++)
    if (hs_result_quantity(&result, unknown[k], &value)) fail_msg("\"%s\" is a quantity", unknown[k]);
  plate.config.time.scheme = HS_SCHEME_EXPLICIT;
  result.transient.time_s = 2.5;
  result.transient.steps = 40;
  result.transient.sweeps = 41;
  assert_quantity(&result, "time", 2.5);
  assert_quantity(&result, "steps", 40.0);
  assert_quantity(&result, "sweeps", 41.0);
  hs_answers_clear(&result.answers);
  plate_destroy(&plate);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slab_with_convection_is_exact),
      cmocka_unit_test(flows_of_a_solved_field_balance),
      cmocka_unit_test(imbalance_sees_an_unsolved_field),
      cmocka_unit_test(reaction_flux_is_of_second_order),
      cmocka_unit_test(periodic_nodes_count_once),
      cmocka_unit_test(torus_loses_what_its_source_gives),
      cmocka_unit_test(held_heat_is_never_lost),
      cmocka_unit_test(outline_passes_all_heat_of_a_shape),
      cmocka_unit_test(outlines_of_shapes_without_source),
      cmocka_unit_test(sources_on_an_outline_are_divided),
      cmocka_unit_test(probes_reproduce_bilinear_fields),
      cmocka_unit_test(probes_on_nodes_have_their_bits),
      cmocka_unit_test(probes_are_exact_across_layers),
      cmocka_unit_test(periodic_probe_reads_across_the_seam),
      cmocka_unit_test(impossible_probes_are_refused),
      cmocka_unit_test(means_and_extremes_are_those_of_the_field),
      cmocka_unit_test(cell_means_weight_cells_alike),
      cmocka_unit_test(threads_change_no_bit),
      cmocka_unit_test(series_keep_every_row),
      cmocka_unit_test(quantities_are_found_by_name),
  };
  return cmocka_run_group_tests_name("answers", tests, NULL, NULL);
}
