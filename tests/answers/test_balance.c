/* Heat flows and balances, of plates and of whole runs. */
#include "answers/plate.h"

#include <math.h>
#include <stdlib.h>

#include "answers/parts.h"
#include "solve/cases.h"

/* --- plates -------------------------------------------------------------------------------------- */

static double relative(double value, double scale)
{
  return fabs(value) / fabs(scale);
}

static void slab_with_convection_is_exact(void **state)
{
  const double lx = 0.5, ly = 0.3, k = 2.0, h = 10.0;
  const double flow = (100.0 - 20.0) / (lx / k + 1.0 / h) * ly;
  (void)state;
  for (int l = 0; l < 2; l++) {
    struct plate plate;
    struct hs_answers answers;
    plate_create(&plate, PLATE_LAYOUTS[l], plate_nodes(PLATE_LAYOUTS[l], 10), plate_nodes(PLATE_LAYOUTS[l], 4), lx, ly);
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

static void flows_of_a_solved_field_balance(void **state)
{
  const double sources = 100.0 * 0.5 * 0.4 + 77.0 * 0.33 * 0.16 + 12.0;
  (void)state;
  for (int l = 0; l < 2; l++) {
    struct plate plate;
    struct hs_answers answers;
    struct hs_balance balance;
    double sum = 0.0;
    plate_mixed(&plate, PLATE_LAYOUTS[l]);
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
  plate_mixed(&plate, HS_LAYOUT_VERTEX);
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

/* --- balances from few temperatures -------------------------------------------------------------- */

/* Every other temperature is NaN. Returns how many nodes were asked for; -1: all. */
static int64_t few_nodes_compare(const struct hs_problem *problem, const struct hs_system *system,
                                 const double *field_k)
{
  struct hs_balance_nodes *nodes;
  struct hs_balance whole, few;
  struct hs_error err = {HS_OK, ""};
  const int64_t *node;
  double *value_k;
  int64_t count;
  test_ok(hs_balance_nodes_create(problem, system, &nodes, &err), &err);
  if (!nodes) return -1;
  count = hs_balance_nodes_list(nodes, &node);
  assert_true(2 * count <= (int64_t)system->nx * system->ny);
  value_k = malloc((size_t)(count + 1) * sizeof *value_k);
  assert_non_null(value_k);
  for (int64_t k = 0; k < count; k++) value_k[k] = field_k[node[k]];
  test_ok(hs_balance_take(problem, system, field_k, false, &whole, &err), &err);
  test_ok(hs_balance_nodes_take(nodes, value_k, &few, &err), &err);
  assert_memory_equal(&whole, &few, sizeof whole);
  free(value_k);
  hs_balance_nodes_destroy(nodes);
  return count;
}

/* Walls of every kind, a held shape, sources; a loss through the faces asks for all nodes. */
static void few_nodes_tell_the_balance(void **state)
{
  (void)state;
  for (int c = 0; c < 4; c++) {
    const enum hs_layout layout = PLATE_LAYOUTS[c % 2];
    struct plate plate;
    plate_create(&plate, layout, plate_nodes(layout, 60), plate_nodes(layout, 50), 1.2, 1.0);
    plate_wall(&plate, HS_WEST, c < 2 ? HS_WALL_TEMPERATURE : HS_WALL_PERIODIC, 7.0, 0.0);
    plate_wall(&plate, HS_EAST, c < 2 ? HS_WALL_CONVECTION : HS_WALL_PERIODIC, -4.0, 3.0);
    plate_wall(&plate, HS_SOUTH, HS_WALL_FLUX, 2.0, 0.0);
    plate_wall(&plate, HS_NORTH, HS_WALL_TEMPERATURE, 1.0, 0.0);
    plate_paint(&plate, 0.2, 0.4, 0.2, 0.4, (struct hs_cell_class){0, 40.0, 0.0, 0.0});
    plate_shape(&plate, "held", plate_rectangle(0.6, 0.66, 0.5, 0.56), 11.0);
    plate_assemble(&plate);
    plate.field_k = test_field(plate.system);
    for (int n = 0; n < plate.problem.nx * plate.problem.ny; n++) plate.field_k[n] = sin(n) + 1e-3 * n;
    assert_true(few_nodes_compare(&plate.problem, plate.system, plate.field_k) > 100);
    plate_destroy(&plate);
  }
}

static void losses_ask_for_every_node(void **state)
{
  (void)state;
  for (int l = 0; l < 2; l++) {
    struct plate plate;
    plate_mixed(&plate, PLATE_LAYOUTS[l]);
    plate_solve(&plate);
    assert_int_equal(few_nodes_compare(&plate.problem, plate.system, plate.field_k), -1);
    plate_destroy(&plate);
  }
}

/* --- flows through walls ------------------------------------------------------------------------- */

/* -lap u = 1 on the unit square with u = 0 around: each side passes a quarter of the source, and |du/dn| in the middle
 * of a side is 0.337657241657. The flux of one node is second-order accurate, a difference quotient is not. */
static double mid_side_error(int n)
{
  const double exact = 0.337657241657;
  const struct hs_contact *contact, *end;
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
  hs_node_contacts(plate.system, (size_t)(n / 2), &contact, &end);
  assert_true(end == contact + 1);
  error = -hs_contact_heat(plate.system, plate.field_k, contact) * n - exact;
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
    plate_create(&plate, PLATE_LAYOUTS[l], plate_nodes(PLATE_LAYOUTS[l], 12), plate_nodes(PLATE_LAYOUTS[l], 8), 1.5,
                 1.0);
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
    plate_create(&plate, PLATE_LAYOUTS[l], plate_nodes(PLATE_LAYOUTS[l], 8), plate_nodes(PLATE_LAYOUTS[l], 8), 1.0,
                 1.0);
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

/* --- whole runs ---------------------------------------------------------------------------------- */

static void heat_is_conserved(void **state)
{
  struct test_random random = {77};
  (void)state;
  for (int c = 0; c < 12; c++) {
    struct hs_config_source sources[2];
    struct hs_config config = random_plate(&random, sources);
    const struct hs_balance *b;
    struct test_run run;
    double balance = 0.0;
    config.solver.criterion = HS_CRITERION_UPDATE_L2;
    config.solver.tolerance = 1e-12;
    config.materials[0] = test_material("", test_random_between(&random, 0.03, 300.0), NAN, NAN);
    for (int side = 0; side < HS_SIDES; side++)
      test_wall_temperature(&config, (enum hs_side)side, config.boundaries[side].temperature.number + 1.0 + side);
    test_run_start(&run, &config, NULL);
    b = &run.result.answers.balance;
    assert_int_equal(run.result.outcome.verdict, HS_VERDICT_CONVERGED);
    assert_true(b->imbalance_relative < 1e-8);
    for (int side = 0; side < HS_SIDES; side++) balance += b->side_w_m[side];
    test_near("sum of all flows", balance + b->source_w_m, 0.0, 1e-8 * b->in_w_m);
    assert_true(b->in_w_m > 0.0 && b->out_w_m > 0.0);
    test_run_clear(&run);
  }
}

static void heat_of_the_sides_is_symmetric(void **state)
{
  struct hs_config_source glow;
  struct hs_config config = poisson_config(32, &glow);
  const double power_w_m = 1.0; /* held control volumes included */
  struct test_run run;
  const struct hs_balance *b = &run.result.answers.balance;
  (void)state;
  config.solver.tolerance = 1e-14;
  test_run_start(&run, &config, NULL);
  test_near("source", b->source_w_m, power_w_m, 1e-14);
  for (int side = 0; side < HS_SIDES; side++) test_near("a side", b->side_w_m[side], -0.25 * power_w_m, 1e-11);
  test_near("in", b->in_w_m, power_w_m, 1e-11);
  test_near("out", b->out_w_m, power_w_m, 1e-11);
  test_run_clear(&run);

  config = test_config(33, 33);
  test_wall_temperature(&config, HS_SOUTH, 100.0);
  config.solver.tolerance = 1e-11;
  test_run_start(&run, &config, NULL);
  test_near("west and east", b->side_w_m[HS_WEST], b->side_w_m[HS_EAST], 1e-9);
  assert_true(b->side_w_m[HS_SOUTH] > 0.0 && b->side_w_m[HS_NORTH] < 0.0 && b->side_w_m[HS_WEST] < 0.0);
  test_near("balance", b->side_w_m[HS_SOUTH] + b->side_w_m[HS_NORTH] + 2.0 * b->side_w_m[HS_WEST], 0.0, 1e-8);
  test_run_clear(&run);
}

/* A bar of 21 x 3 nodes, 20 m by 2 m, with insulated sides: its temperature rises linearly, so the flow is
 * conductivity * difference * height / length = 35 * 100 * 2 / 20. */
static void flow_through_a_bar_is_exact(void **state)
{
  struct hs_config config = test_config_spaced(21, 3, 1.0, 1.0);
  const struct hs_balance *b;
  struct test_run run;
  (void)state;
  config.materials[0] = test_material("", 35.0, NAN, NAN);
  test_wall_temperature(&config, HS_WEST, 300.0);
  test_wall_temperature(&config, HS_EAST, 400.0);
  test_wall_insulated(&config, HS_SOUTH);
  test_wall_insulated(&config, HS_NORTH);
  config.initial.temperature_k = 300.0;
  config.solver.criterion = HS_CRITERION_UPDATE_MAX;
  config.solver.tolerance = 1e-12;
  test_run_start(&run, &config, NULL);
  b = &run.result.answers.balance;
  assert_int_equal(run.result.outcome.verdict, HS_VERDICT_CONVERGED);
  for (int n = 0; n < 63; n++) test_near("profile", run.result.field_k[n], 300.0 + 5.0 * (n % 21), 1e-9);
  test_near("west", b->side_w_m[HS_WEST], -350.0, 1e-7);
  test_near("east", b->side_w_m[HS_EAST], 350.0, 1e-7);
  assert_true(b->side_w_m[HS_SOUTH] == 0.0 && b->side_w_m[HS_NORTH] == 0.0);
  test_near("mean", run.result.answers.mean_k, 350.0, 1e-9);
  assert_true(run.result.answers.minimum_k == 300.0 && run.result.answers.maximum_k == 400.0);
  test_run_clear(&run);
}

static void equal_temperatures_stay(void **state)
{
  struct hs_config config = test_config(21, 12);
  struct test_run run;
  (void)state;
  for (int side = 0; side < HS_SIDES; side++) test_wall_temperature(&config, (enum hs_side)side, 300.0);
  config.initial.temperature_k = 300.0;
  test_run_start(&run, &config, NULL);
  assert_int_equal(run.result.outcome.verdict, HS_VERDICT_CONVERGED);
  assert_int_equal(run.result.outcome.sweeps, 1);
  assert_true(run.result.answers.minimum_k == 300.0 && run.result.answers.maximum_k == 300.0);
  test_near("mean", run.result.answers.mean_k, 300.0, 1e-10);
  assert_true(run.result.answers.balance.in_w_m == 0.0 && run.result.answers.balance.imbalance_relative == 0.0);
  assert_true(run.result.outcome.error_estimate_k == 0x1p-51 * 300.0); /* rounding alone */
  assert_true(run.result.outcome.residual_relative == 0.0);
  test_run_clear(&run);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slab_with_convection_is_exact),    cmocka_unit_test(flows_of_a_solved_field_balance),
      cmocka_unit_test(imbalance_sees_an_unsolved_field), cmocka_unit_test(reaction_flux_is_of_second_order),
      cmocka_unit_test(periodic_nodes_count_once),        cmocka_unit_test(torus_loses_what_its_source_gives),
      cmocka_unit_test(held_heat_is_never_lost),          cmocka_unit_test(heat_is_conserved),
      cmocka_unit_test(few_nodes_tell_the_balance),       cmocka_unit_test(losses_ask_for_every_node),
      cmocka_unit_test(heat_of_the_sides_is_symmetric),   cmocka_unit_test(flow_through_a_bar_is_exact),
      cmocka_unit_test(equal_temperatures_stay),
  };
  return cmocka_run_group_tests_name("balance", tests, NULL, NULL);
}
