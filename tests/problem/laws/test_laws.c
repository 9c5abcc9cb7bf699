/* Laws of nodes by cells, sources and losses, against values computed by hand. */
#include "problem/parts.h"

#include <math.h>
#include <stdlib.h>

/* --- cells, vertex layout ------------------------------------------------------------------------ */

static void insulated_walls_halve_the_control_volume(void **state)
{
  struct hs_config config = insulated(5, 4, 0.5, 0.25);
  struct hs_config_source glow = test_source_everywhere(16.0);
  struct hs_system *s;
  (void)state;
  config.materials[0] = test_material("", 2.0, 3.0, 5.0);
  config.sources = &glow;
  config.source_count = 1;
  test_wall_temperature(&config, HS_NORTH, 7.0);
  s = test_system(&config);
  /* inside: 2 * 0.25/0.5 = 1 in x, 2 * 0.5/0.25 = 4 in y; area 0.125 */
  assert_true(law_at(s, 2, 2)->west == 1.0 && law_at(s, 2, 2)->south == 4.0);
  assert_true(law_at(s, 2, 2)->source_w_m == 2.0 && law_at(s, 2, 2)->capacity_j_mk == 15.0 * 0.125);
  /* west wall: half the width for y */
  assert_true(law_at(s, 0, 2)->west == 0.0 && law_at(s, 0, 2)->east == 1.0);
  assert_true(law_at(s, 0, 2)->south == 2.0 && law_at(s, 0, 2)->north == 2.0);
  assert_true(law_at(s, 0, 2)->source_w_m == 1.0 && law_at(s, 0, 2)->ambient_w_mk == 0.0);
  /* south-east corner: a quarter */
  assert_true(law_at(s, 4, 0)->west == 0.5 && law_at(s, 4, 0)->east == 0.0);
  assert_true(law_at(s, 4, 0)->north == 2.0 && law_at(s, 4, 0)->south == 0.0);
  assert_true(law_at(s, 4, 0)->source_w_m == 0.5 && law_at(s, 4, 0)->capacity_j_mk == 15.0 * 0.125 / 4.0);
  /* the held wall keeps its conductances, and the corners belong to it */
  assert_true(law_at(s, 0, 3)->dirichlet && law_at(s, 0, 3)->dirichlet_k == 7.0 && law_at(s, 0, 3)->south == 2.0);
  assert_int_equal(s->contact_count, 5);
  for (int k = 0; k < 5; k++) {
    assert_int_equal(s->contacts[k].node, 15 + k);
    assert_int_equal(s->contacts[k].surface, 3);
    assert_true(s->contacts[k].share_x == 1.0f && s->contacts[k].share_y == 1.0f &&
                s->contacts[k].conductance_w_mk == 0.0);
  }
  assert_int_equal(s->free_nodes, 15);
  assert_false(s->singular);
  assert_false(s->symmetric); /* diagonals differ */
  hs_system_destroy(s);
}

static void materials_meet_in_half_faces(void **state)
{
  static char steel[] = "steel";
  struct hs_config config = insulated(5, 5, 1.0, 1.0);
  struct hs_config_region block = region(steel, rectangle(2.0, 4.0, 0.0, 2.0), steel, NO_VALUE);
  struct hs_system *s;
  (void)state;
  test_wall_temperature(&config, HS_WEST, 0.0);
  test_material_add(&config, test_material(steel, 10.0, NAN, NAN));
  config.regions = &block;
  config.region_count = 1;
  s = test_system(&config);
  /* the corner of the block, node (2, 2): south-east cell 10, others 1 */
  assert_true(law_at(s, 2, 2)->west == 1.0 && law_at(s, 2, 2)->north == 1.0);
  assert_true(law_at(s, 2, 2)->east == 5.5 && law_at(s, 2, 2)->south == 5.5);
  assert_true(law_at(s, 2, 1)->south == 5.5 && law_at(s, 2, 1)->east == 10.0 && law_at(s, 2, 1)->west == 1.0);
  assert_true(law_at(s, 3, 1)->west == 10.0 && law_at(s, 4, 1)->north == 5.0);
  assert_false(s->symmetric);
  hs_system_destroy(s);
}

static void anisotropic_conductivity(void **state)
{
  struct hs_config config = test_config_spaced(5, 5, 0.5, 0.25);
  struct hs_system *s;
  (void)state;
  config.materials[0].conductivity_x_w_mk = 4.0;
  config.materials[0].conductivity_y_w_mk = 3.0;
  s = test_system(&config);
  assert_true(law_at(s, 2, 2)->west == 2.0 && law_at(s, 2, 2)->east == 2.0);
  assert_true(law_at(s, 2, 2)->south == 6.0 && law_at(s, 2, 2)->north == 6.0);
  assert_true(law_at(s, 2, 2)->capacity_j_mk == 0.0); /* none is given, and none is needed */
  assert_true(s->uniform && s->symmetric);
  hs_system_destroy(s);
}

static void loss_is_an_ambient_of_the_cells(void **state)
{
  static char fins[] = "fins";
  struct hs_config config = insulated(5, 5, 1.0, 0.5);
  struct hs_config_loss loss = {.name = fins,
                                .line = 50,
                                .shape = {.kind = HS_SHAPE_EVERYWHERE},
                                .h_w_m2k = 8.0,
                                .ambient_k = 25.0,
                                .thickness_m = 0.25};
  struct hs_system *s;
  (void)state;
  config.losses = &loss;
  config.loss_count = 1;
  s = test_system(&config);
  assert_true(law_at(s, 2, 2)->ambient_w_mk == 16.0 && law_at(s, 2, 2)->ambient_w_m == 400.0);
  assert_true(law_at(s, 0, 0)->ambient_w_mk == 4.0 && law_at(s, 4, 2)->ambient_w_mk == 8.0);
  assert_false(s->singular);
  assert_int_equal(s->contact_count, 0);
  test_near("flow floor", s->flow_floor_w_m, 1e-8 * 25.0 * 32.0 * 4.0 * 2.0, 1e-14);
  hs_system_destroy(s);
}

/* --- cells, cell layout -------------------------------------------------------------------------- */

static void cell_layout_walls_act_through_half_a_cell(void **state)
{
  struct hs_config config = insulated(4, 3, 0.5, 0.25);
  struct hs_system *s;
  (void)state;
  config.materials[0] = test_material("", 2.0, 3.0, 5.0);
  cell_layout(&config);
  test_wall_temperature(&config, HS_WEST, 40.0);
  test_wall_convection(&config, HS_EAST, 8.0, 30.0);
  test_wall_flux(&config, HS_NORTH, 6.0);
  s = test_system(&config);
  assert_int_equal(s->free_nodes, 12);
  assert_true(law_at(s, 1, 1)->west == 1.0 && law_at(s, 1, 1)->east == 1.0 && law_at(s, 1, 1)->north == 4.0);
  assert_true(law_at(s, 1, 1)->capacity_j_mk == 15.0 * 0.125);
  assert_true(law_at(s, 0, 1)->west == 0.0 && law_at(s, 0, 1)->ambient_w_mk == 2.0); /* 2 k dy/dx */
  assert_true(law_at(s, 0, 1)->ambient_w_m == 80.0 && !law_at(s, 0, 1)->dirichlet);
  test_near("convection", law_at(s, 3, 1)->ambient_w_mk, 0.25 / (1.0 / 8.0 + 0.5 / 4.0), 1e-15);
  assert_true(law_at(s, 1, 2)->source_w_m == 3.0 && law_at(s, 1, 2)->north == 0.0 && law_at(s, 1, 2)->south == 4.0);
  assert_int_equal(s->contact_count, 3 + 3 + 4);
  hs_system_destroy(s);
}

static void cell_faces_take_the_chosen_mean(void **state)
{
  static char b[] = "b";
  struct hs_config config = insulated(4, 4, 1.0, 1.0);
  struct hs_config_region block;
  struct hs_system *s;
  (void)state;
  cell_layout(&config);
  block = region(b, rectangle(2.0, 4.0, 0.0, 4.0), b, NO_VALUE);
  test_material_add(&config, test_material(b, 3.0, NAN, NAN));
  config.regions = &block;
  config.region_count = 1;
  s = test_system(&config);
  test_near("harmonic", law_at(s, 1, 1)->east, 1.5, 1e-15);
  assert_true(law_at(s, 1, 1)->east == law_at(s, 2, 1)->west && law_at(s, 1, 1)->west == 1.0);
  assert_true(law_at(s, 2, 1)->north == 3.0);
  hs_system_destroy(s);
  config.grid.face_mean = HS_FACE_ARITHMETIC;
  s = test_system(&config);
  assert_true(law_at(s, 1, 1)->east == 2.0 && law_at(s, 2, 1)->west == 2.0 && law_at(s, 2, 1)->east == 3.0);
  hs_system_destroy(s);
}

/* --- sources ------------------------------------------------------------------------------------- */

static void node_source_heats_one_control_volume(void **state)
{
  struct hs_config config = test_config_spaced(9, 8, 0.25, 0.125);
  struct hs_config_source source = test_source_node(1, 6, 3000.0);
  struct hs_system *s;
  (void)state;
  conductivity_set(&config, 7.0, 7.0);
  s = system_with(&config, &source, 1);
  for (int j = 0; j < 8; j++)
    for (int i = 0; i < 9; i++) {
      const bool here = i == 1 && j == 6;
      assert_true(law_at(s, i, j)->source_w_m == (here ? 3000.0 * 0.25 * 0.125 : 0.0));
    }
  test_near("c", stencil_at(s, 1, 6)->c, 3000.0 * 0.25 * 0.125 / (7.0 * 2.0 * (0.5 + 2.0)), 1e-13);
  assert_table_sound(s);
  assert_true(s->uniform && s->symmetric);
  hs_system_destroy(s);
}

/* The workshop's update adds dx^2 f / 4. */
static void workshop_constant_is_a_quarter_of_dx2_f(void **state)
{
  struct hs_config_source spot;
  const struct hs_config config = test_config_workshop(256, &spot);
  struct hs_system *s = test_system(&config);
  (void)state;
  assert_true(stencil_at(s, 128, 128)->c == 0.25 * (1.0 / 256) * (1.0 / 256) * 10000.0);
  assert_int_equal(s->table_size, 10);
  hs_system_destroy(s);
}

static void everywhere_source_heats_every_free_node(void **state)
{
  struct hs_config config = test_config_spaced(20, 30, 0.01, 0.02);
  struct hs_config_source source = test_source_everywhere(-5e4);
  struct hs_system *s = system_with(&config, &source, 1);
  (void)state;
  for (int j = 1; j < 29; j++)
    for (int i = 1; i < 19; i++) assert_true(law_at(s, i, j)->source_w_m == -5e4 * (0.01 * 0.02));
  test_near("total of free nodes", total_source(s, false), -5e4 * 0.01 * 0.02 * 18 * 28, 1e-9);
  test_near("total", total_source(s, true), -5e4 * 0.01 * 0.02 * 19 * 29, 1e-9);
  assert_table_sound(s);
  hs_system_destroy(s);
}

/* Length of [a, b] that lies in the control volumes of the free nodes. */
static double free_length(double a, double b, int n, double spacing)
{
  const double low = fmax(a, 0.5 * spacing), high = fmin(b, (n - 1.5) * spacing);
  return fmax(0.0, high - low);
}

static void rectangle_power_is_density_times_area(void **state)
{
  struct test_random random = {20260101};
  (void)state;
  for (int trial = 0; trial < 400; trial++) {
    const int nx = test_random_integer(&random, 3, 40), ny = test_random_integer(&random, 3, 40);
    const double dx_m = test_random_between(&random, 0.01, 2.0), dy_m = test_random_between(&random, 0.01, 2.0);
    const double lx_m = (nx - 1) * dx_m, ly_m = (ny - 1) * dy_m;
    double x[2], y[2], power;
    struct hs_config config = test_config_spaced(nx, ny, dx_m, dy_m);
    struct hs_config_source source;
    struct hs_system *s;
    for (int k = 0; k < 2; k++) {
      x[k] = test_random_between(&random, 0.0, lx_m);
      y[k] = test_random_between(&random, 0.0, ly_m);
    }
    if (trial % 5 == 0) x[0] = 0.0; /* at the wall */
    if (trial % 7 == 0) {           /* in the corner */
      x[1] = lx_m;
      y[1] = ly_m;
    }
    if (trial % 3 == 0) y[0] = dy_m * (int)(y[0] / dy_m); /* on a grid line */
    source = test_source_rectangle(fmin(x[0], x[1]), fmax(x[0], x[1]), fmin(y[0], y[1]), fmax(y[0], y[1]), 1234.5);
    power = 1234.5 * free_length(source.shape.x0_m, source.shape.x1_m, nx, dx_m) *
            free_length(source.shape.y0_m, source.shape.y1_m, ny, dy_m);
    if (power < 1e-9) continue;
    s = system_with(&config, &source, 1);
    test_near("power", total_source(s, false), power, 1e-12 * 1234.5 * lx_m * ly_m);
    hs_system_destroy(s);
  }
}

static void rectangle_heats_by_overlap(void **state)
{
  struct hs_config config = test_config_spaced(7, 7, 1.0, 1.0);
  /* x: nodes 2 (a quarter: 2.25 to 2.5), 3 (all), 4 (3.5 to 3.75); y: node 1 (all of 0.5 to 1.5) only */
  struct hs_config_source source = test_source_rectangle(2.25, 3.75, 0.5, 1.5, 8.0);
  struct hs_system *s = system_with(&config, &source, 1);
  (void)state;
  for (int j = 0; j < 7; j++)
    for (int i = 0; i < 7; i++) {
      const double share = j != 1 ? 0.0 : i == 3 ? 1.0 : i == 2 || i == 4 ? 0.25 : 0.0;
      assert_true(law_at(s, i, j)->source_w_m == 8.0 * share);
    }
  assert_int_equal(s->table_size, 11);
  hs_system_destroy(s);
}

/* The whole plate as a rectangle: the strip of half a spacing along the walls belongs to Dirichlet nodes. */
static void rectangle_to_the_walls_is_everywhere(void **state)
{
  struct hs_config config = test_config_spaced(17, 9, 0.125, 0.25);
  struct hs_config_source block = test_source_rectangle(0.0, 2.0, 0.0, 2.0, 640.0);
  struct hs_config_source everywhere = test_source_everywhere(640.0);
  struct hs_system *a = system_with(&config, &block, 1), *b = system_with(&config, &everywhere, 1);
  (void)state;
  for (int j = 0; j < 9; j++)
    for (int i = 0; i < 17; i++) assert_true(law_at(a, i, j)->source_w_m == law_at(b, i, j)->source_w_m);
  assert_int_equal(a->table_size, 9);
  assert_table_sound(a);
  hs_system_destroy(a);
  hs_system_destroy(b);
}

static void overlapping_sources_add(void **state)
{
  struct hs_config config = test_config_spaced(9, 9, 0.5, 0.5);
  struct hs_config_source sources[] = {test_source_everywhere(16.0),
                                       test_source_rectangle(0.75, 2.25, 0.75, 2.25, 32.0),
                                       test_source_node(3, 3, 64.0), test_source_node(3, 3, -8.0)};
  struct hs_system *s = system_with(&config, sources, 4);
  (void)state;
  for (int j = 1; j < 8; j++)
    for (int i = 1; i < 8; i++) {
      const bool block = i >= 2 && i <= 4 && j >= 2 && j <= 4;
      const double density = 16.0 + (block ? 32.0 : 0.0) + (i == 3 && j == 3 ? 56.0 : 0.0);
      assert_true(law_at(s, i, j)->source_w_m == density * 0.25);
      assert_true(stencil_at(s, i, j)->c == density * 0.25 / 4.0);
    }
  assert_int_equal(s->table_size, 11);
  assert_table_sound(s);
  hs_system_destroy(s);
}

/* A source map heats control volumes by the cells that they share, those of Dirichlet nodes as well. */
static void source_map_heats_nodes(void **state)
{
  struct hs_config config = insulated(4, 3, 1.0, 1.0);
  struct hs_problem *p;
  struct hs_system *s;
  struct hs_error err = {0};
  (void)state;
  test_wall_temperature(&config, HS_EAST, 5.0);
  p = test_problem(&config);
  p->source_map = calloc(6, sizeof *p->source_map);
  assert_non_null(p->source_map);
  for (int n = 0; n < 6; n++) p->source_map[n] = 4.0 * (1 << n);
  test_ok(hs_problem_build_system(p, &s, &err), &err);
  assert_non_null(s->source_w_m);
  assert_true(s->source_w_m[0] == 1.0 && s->source_w_m[1] == 3.0 && s->source_w_m[2] == 6.0);
  assert_true(s->source_w_m[5] == 1.0 + 2.0 + 8.0 + 16.0 && s->source_w_m[8] == 8.0);
  assert_true(s->source_w_m[3] == 4.0 && s->source_w_m[7] == 4.0 + 32.0 && s->source_w_m[11] == 32.0); /* held */
  hs_system_destroy(s);
  hs_problem_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(insulated_walls_halve_the_control_volume),
      cmocka_unit_test(materials_meet_in_half_faces),
      cmocka_unit_test(anisotropic_conductivity),
      cmocka_unit_test(loss_is_an_ambient_of_the_cells),
      cmocka_unit_test(cell_layout_walls_act_through_half_a_cell),
      cmocka_unit_test(cell_faces_take_the_chosen_mean),
      cmocka_unit_test(node_source_heats_one_control_volume),
      cmocka_unit_test(workshop_constant_is_a_quarter_of_dx2_f),
      cmocka_unit_test(everywhere_source_heats_every_free_node),
      cmocka_unit_test(rectangle_power_is_density_times_area),
      cmocka_unit_test(rectangle_heats_by_overlap),
      cmocka_unit_test(rectangle_to_the_walls_is_everywhere),
      cmocka_unit_test(overlapping_sources_add),
      cmocka_unit_test(source_map_heats_nodes),
  };
  return cmocka_run_group_tests_name("laws", tests, NULL, NULL);
}
