/* Walls, materials, layouts and values: laws of nodes against values computed by hand, and what is refused. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "problem/laws.h"
#include "problem/value.h"

static char no_name[] = "";

static const struct hs_node_law *law_at(const struct hs_system *s, int i, int j)
{
  return &s->law[hs_system_index(s, (size_t)j * (size_t)s->nx + (size_t)i)];
}

/* --- parts of configurations --------------------------------------------------------------------- */

/* Named segments need more room than the four sides of test_config; these are reused after 64. */
static void segment_add(struct hs_config *config, struct hs_config_boundary segment)
{
  enum { ROOM = 16 };
  static struct hs_config_boundary pool[64][ROOM];
  static unsigned next;
  struct hs_config_boundary *all = pool[next++ % 64];
  assert_true(config->boundary_count < ROOM);
  memcpy(all, config->boundaries, (size_t)config->boundary_count * sizeof *all);
  all[config->boundary_count++] = segment;
  config->boundaries = all;
}

static struct hs_config_boundary held_segment(char *name, int line, enum hs_side side, double from, double to, double k)
{
  const struct hs_config_boundary b = {.name = name,
                                       .line = line,
                                       .side = side,
                                       .from_m = from,
                                       .to_m = to,
                                       .kind = HS_WALL_TEMPERATURE,
                                       .temperature = test_value(k)};
  return b;
}

static struct hs_config_boundary convective_segment(char *name, enum hs_side side, double from, double to, double h,
                                                    double ambient)
{
  struct hs_config_boundary b = held_segment(name, 30, side, from, to, ambient);
  b.kind = HS_WALL_CONVECTION;
  b.h = test_value(h);
  return b;
}

static struct hs_config_shape rectangle(double x0, double x1, double y0, double y1)
{
  const struct hs_config_shape shape = {.kind = HS_SHAPE_RECTANGLE, .x0_m = x0, .x1_m = x1, .y0_m = y0, .y1_m = y1};
  return shape;
}

/* A shape of a material ("" for none), or held at a value (text NULL: not). */
static struct hs_config_region region(char *name, struct hs_config_shape shape, char *material,
                                      struct hs_config_value temperature)
{
  const struct hs_config_region r = {
      .name = name, .line = 40, .shape = shape, .material = material, .initial_k = NAN, .temperature = temperature};
  return r;
}

static const struct hs_config_value NO_VALUE = {.text = NULL};

static struct hs_config insulated(int nx, int ny, double dx, double dy)
{
  struct hs_config config = test_config_spaced(nx, ny, dx, dy);
  for (int side = 0; side < HS_SIDES; side++) test_wall_insulated(&config, (enum hs_side)side);
  return config;
}

static void cell_layout(struct hs_config *config)
{
  config->grid.layout = HS_LAYOUT_CELL;
  config->grid.lx_m = config->grid.nx * config->grid.dx_m;
  config->grid.ly_m = config->grid.ny * config->grid.dy_m;
  for (int side = 0; side < HS_SIDES; side++)
    config->boundaries[side].to_m = side < HS_SOUTH ? config->grid.ly_m : config->grid.lx_m;
}

static void expect_refusal(const struct hs_config *config, hs_status wanted, const char *const words[])
{
  struct hs_error err = {0};
  struct hs_problem *problem = NULL;
  struct hs_system *s = NULL;
  hs_status status = hs_problem_create(config, &problem, &err);
  if (!status) status = hs_problem_build_system(problem, &s, &err);
  assert_null(s);
  hs_problem_destroy(problem);
  if (status != wanted) fail_msg("status %d, not %d: %s", (int)status, (int)wanted, err.text);
  for (int k = 0; words[k]; k++)
    if (!strstr(err.text, words[k])) fail_msg("\"%s\" is missing in: %s", words[k], err.text);
}

#define EXPECT_REFUSAL(config, ...) expect_refusal((config), HS_ERR_CONFIG, (const char *const[]){__VA_ARGS__, NULL})

/* --- laws computed by hand, vertex layout -------------------------------------------------------- */

static void insulated_walls_halve_the_control_volume(void **state)
{
  struct hs_config config = insulated(5, 4, 0.5, 0.25);
  struct hs_config_source glow = test_source_everywhere(16.0);
  struct hs_system *s;
  (void)state;
  config.materials[0] = test_material(no_name, 2.0, 3.0, 5.0);
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
    assert_true(s->contacts[k].share == 1.0f && s->contacts[k].conductance_w_mk == 0.0);
  }
  assert_int_equal(s->free_nodes, 15);
  assert_false(s->singular);
  assert_false(s->symmetric); /* diagonals differ */
  hs_system_destroy(s);
}

static void convection_and_flux_act_on_lengths(void **state)
{
  struct hs_config config = insulated(5, 4, 0.5, 0.25);
  struct hs_system *s;
  (void)state;
  test_wall_convection(&config, HS_WEST, 8.0, 300.0);
  test_wall_flux(&config, HS_SOUTH, -6.0);
  s = test_system(&config);
  assert_true(law_at(s, 0, 1)->ambient_w_mk == 2.0 && law_at(s, 0, 1)->ambient_w_m == 600.0);
  assert_true(law_at(s, 0, 3)->ambient_w_mk == 1.0);
  assert_true(law_at(s, 2, 0)->source_w_m == -3.0);
  assert_true(law_at(s, 0, 0)->ambient_w_mk == 1.0 && law_at(s, 0, 0)->source_w_m == -1.5);
  assert_true(law_at(s, 4, 0)->source_w_m == -1.5 && law_at(s, 4, 0)->ambient_w_mk == 0.0);
  /* the corner's contacts: west, then south */
  assert_int_equal(s->contacts[0].node, 0);
  assert_int_equal(s->contacts[1].node, 0);
  assert_int_equal(s->contacts[0].surface, 0);
  assert_int_equal(s->contacts[1].surface, 2);
  assert_true(s->contacts[0].conductance_w_mk == 1.0 && s->contacts[0].ambient_k == 300.0);
  assert_true(s->contacts[1].flux_w_m == -1.5 && s->contacts[0].share == 0.0f);
  assert_int_equal(s->contact_count, 4 + 5);
  /* 2.0 / 0.5 = stencil: diagonal of the west wall */
  test_near("diagonal", s->stencil[hs_system_index(s, 5)].diagonal, 0.5 + 2.0 * 1.0 + 2.0, 1e-15);
  test_near("c", s->stencil[hs_system_index(s, 5)].c, 600.0 / 4.5, 1e-12);
  /* flow floor: temperatures 0 (start) and 300, conductance 3 steps of 2 */
  test_near("flow floor", s->flow_floor_w_m, 1e-8 * 300.0 * 6.0, 1e-15);
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

static void segments_share_a_control_volume(void **state)
{
  static char heater[] = "heater", cooler[] = "cooler";
  struct hs_config config = insulated(9, 5, 1.0, 1.0);
  struct hs_problem *p;
  struct hs_system *s;
  struct hs_error err = {0};
  (void)state;
  segment_add(&config, convective_segment(heater, HS_SOUTH, 2.25, 4.25, 10.0, 50.0));
  segment_add(&config, held_segment(cooler, 31, HS_SOUTH, 4.25, 6.0, 5.0));
  p = test_problem(&config);
  test_ok(hs_problem_build_system(p, &s, &err), &err);
  assert_int_equal(p->segment_count, 7); /* south in four parts */
  assert_string_equal(p->surfaces[2].name, "south");
  assert_string_equal(p->surfaces[3].name, "heater");
  assert_string_equal(p->surfaces[4].name, "cooler");
  assert_string_equal(p->surfaces[5].name, "south");
  assert_true(p->segments[4].from_m == 4.25 && p->segments[4].to_m == 6.0 && p->segments[5].to_m == 8.0);
  assert_true(law_at(s, 1, 0)->ambient_w_mk == 0.0);
  assert_true(law_at(s, 2, 0)->ambient_w_mk == 2.5); /* 2.25 to 2.5 */
  assert_true(law_at(s, 3, 0)->ambient_w_mk == 10.0);
  assert_true(law_at(s, 4, 0)->ambient_w_mk == 7.5 && !law_at(s, 4, 0)->dirichlet); /* 3.5 to 4.25 */
  assert_true(law_at(s, 5, 0)->dirichlet && law_at(s, 6, 0)->dirichlet && !law_at(s, 7, 0)->dirichlet);
  hs_system_destroy(s);
  hs_problem_destroy(p);
}

static void held_segments_that_meet_take_the_mean(void **state)
{
  static char left[] = "left", right[] = "right";
  struct hs_config config = insulated(7, 5, 0.1, 0.1);
  struct hs_system *s;
  (void)state;
  test_wall_temperature(&config, HS_WEST, 100.0);
  segment_add(&config, held_segment(left, 31, HS_SOUTH, 0.0, 0.3, 10.0));
  segment_add(&config, held_segment(right, 32, HS_SOUTH, 0.1 + 0.2, 0.6, 20.0)); /* 0.30000000000000004 */
  s = test_system(&config);
  assert_true(law_at(s, 0, 0)->dirichlet_k == 55.0); /* with the west wall */
  assert_true(law_at(s, 2, 0)->dirichlet_k == 10.0);
  assert_true(law_at(s, 3, 0)->dirichlet_k == 15.0);
  assert_true(law_at(s, 4, 0)->dirichlet_k == 20.0 && law_at(s, 6, 0)->dirichlet_k == 20.0);
  for (int64_t k = 0; k < s->contact_count; k++) {
    const int64_t n = s->contacts[k].node;
    assert_true(s->contacts[k].share == (n == 0 || n == 3 ? 0.5f : 1.0f));
  }
  assert_int_equal(s->contact_count, 5 + 7 + 1);
  hs_system_destroy(s);
}

/* A node held by one wall still meets the convection of the other in its corner. */
static void held_wins_and_keeps_its_neighbours_convection(void **state)
{
  struct hs_config config = insulated(5, 5, 1.0, 1.0);
  struct hs_system *s;
  (void)state;
  test_wall_temperature(&config, HS_WEST, 9.0);
  test_wall_convection(&config, HS_SOUTH, 4.0, 20.0);
  s = test_system(&config);
  assert_true(law_at(s, 0, 0)->dirichlet && law_at(s, 0, 0)->dirichlet_k == 9.0);
  assert_true(law_at(s, 0, 0)->ambient_w_mk == 2.0 && law_at(s, 1, 0)->ambient_w_mk == 4.0);
  assert_int_equal(s->contacts[0].surface, 2);
  assert_true(s->contacts[0].conductance_w_mk == 2.0 && s->contacts[0].share == 0.0f);
  assert_true(s->contacts[1].node == 0 && s->contacts[1].surface == 0 && s->contacts[1].share == 1.0f);
  hs_system_destroy(s);
}

static void held_shapes_hold_their_nodes(void **state)
{
  static char pipe[] = "pipe", core[] = "core";
  struct hs_config config = insulated(9, 9, 1.0, 1.0);
  struct hs_config_region regions[2];
  struct hs_system *s;
  (void)state;
  regions[0] = region(pipe, rectangle(2.0, 6.0, 2.0, 6.0), no_name, test_value(70.0));
  regions[1] = region(core, rectangle(4.0, 4.0, 4.0, 4.0), no_name, test_value(90.0));
  regions[1].shape.x1_m = 4.5;
  regions[1].shape.y1_m = 4.5;
  config.regions = regions;
  config.region_count = 2;
  s = test_system(&config);
  for (int j = 0; j < 9; j++)
    for (int i = 0; i < 9; i++) {
      const bool inside = i >= 2 && i <= 6 && j >= 2 && j <= 6;
      assert_true(law_at(s, i, j)->dirichlet == inside);
      assert_true(law_at(s, i, j)->dirichlet_k == (i == 4 && j == 4 ? 90.0 : inside ? 70.0 : 0.0));
    }
  assert_int_equal(s->free_nodes, 81 - 25);
  /* the outline of 16 nodes, the core, and its four neighbours give off heat; the other four inner ones do not */
  assert_int_equal(s->contact_count, 16 + 1 + 4);
  for (int64_t k = 0; k < s->contact_count; k++)
    assert_int_equal(s->contacts[k].surface, s->contacts[k].node == 4 * 9 + 4 ? 5 : 4);
  hs_system_destroy(s);
}

/* A source in a held shape makes every node of it give off heat. */
static void held_shapes_pass_their_sources_on(void **state)
{
  struct hs_config config = insulated(9, 9, 1.0, 1.0);
  struct hs_config_region pipe = region("pipe", rectangle(2.0, 6.0, 2.0, 6.0), no_name, test_value(70.0));
  struct hs_config_source glow = test_source_everywhere(4.0);
  struct hs_system *s;
  (void)state;
  config.regions = &pipe;
  config.region_count = 1;
  config.sources = &glow;
  config.source_count = 1;
  s = test_system(&config);
  assert_int_equal(s->contact_count, 25);
  assert_true(law_at(s, 4, 4)->dirichlet && law_at(s, 4, 4)->source_w_m == 4.0);
  hs_system_destroy(s);
}

/* Decimal fractions on grid lines do not make nodes differ in their last bits. */
static void rounding_does_not_grow_the_table(void **state)
{
  struct hs_config config = test_config_spaced(101, 101, 0.01, 0.01);
  struct hs_config_source block = test_source_rectangle(0.1, 0.9, 0.07, 0.7, 3.0);
  struct hs_problem *p;
  struct hs_system *s;
  (void)state;
  config.sources = &block;
  config.source_count = 1;
  s = test_system(&config);
  assert_int_equal(s->table_size, 9 + 3); /* heated as a whole, by half, by a quarter */
  hs_system_destroy(s);

  config = insulated(11, 5, 0.1, 0.1);
  segment_add(&config, convective_segment("left", HS_SOUTH, 0.0, 0.3, 10.0, 50.0));
  segment_add(&config, convective_segment("right", HS_SOUTH, 0.1 + 0.2, 1.0, 10.0, 50.0));
  p = test_problem(&config);
  assert_int_equal(p->segment_count, 5);
  assert_true(p->segments[2].to_m == 0.3 && p->segments[3].from_m == 0.3);
  hs_problem_destroy(p);
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

/* --- cell layout --------------------------------------------------------------------------------- */

static void cell_layout_walls_act_through_half_a_cell(void **state)
{
  struct hs_config config = insulated(4, 3, 0.5, 0.25);
  struct hs_system *s;
  (void)state;
  config.materials[0] = test_material(no_name, 2.0, 3.0, 5.0);
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

/* --- periodic walls ------------------------------------------------------------------------------ */

static void periodic_walls_are_the_same_nodes(void **state)
{
  static char sloping[] = "10*x";
  struct hs_config config = insulated(5, 4, 1.0, 1.0);
  struct hs_config_source spot = test_source_node(4, 2, 3.0);
  struct hs_system *s;
  (void)state;
  test_wall_periodic(&config, HS_WEST);
  test_wall_periodic(&config, HS_EAST);
  test_wall_temperature(&config, HS_NORTH, 1.0);
  test_wall_convection(&config, HS_SOUTH, 2.0, 5.0);
  config.sources = &spot;
  config.source_count = 1;
  s = test_system(&config);
  assert_int_equal(s->wrap_x, 1);
  assert_int_equal(s->wrap_y, -1);
  for (int j = 0; j < 4; j++) assert_memory_equal(law_at(s, 0, j), law_at(s, 4, j), sizeof(struct hs_node_law));
  assert_true(law_at(s, 0, 1)->west == 1.0 && law_at(s, 0, 1)->east == 1.0 && law_at(s, 0, 1)->south == 1.0);
  assert_true(law_at(s, 0, 0)->ambient_w_mk == 2.0 && law_at(s, 4, 0)->ambient_w_mk == 2.0);
  assert_true(law_at(s, 0, 2)->source_w_m == 3.0 && law_at(s, 4, 2)->source_w_m == 3.0);
  assert_true(law_at(s, 1, 2)->source_w_m == 0.0);
  assert_false(s->symmetric);
  hs_system_destroy(s);

  /* a held wall whose two ends are one node, and differ: their mean, whichever end comes first */
  config.source_count = 0;
  config.boundaries[HS_NORTH].temperature = test_formula(sloping);
  s = test_system(&config);
  assert_true(law_at(s, 0, 3)->dirichlet_k == 20.0 && law_at(s, 4, 3)->dirichlet_k == 20.0 &&
              law_at(s, 1, 3)->dirichlet_k == 10.0);
  hs_system_destroy(s);

  config = insulated(5, 4, 1.0, 1.0);
  cell_layout(&config);
  test_wall_periodic(&config, HS_SOUTH);
  test_wall_periodic(&config, HS_NORTH);
  test_wall_temperature(&config, HS_EAST, 1.0);
  s = test_system(&config);
  assert_int_equal(s->wrap_y, 0);
  assert_true(law_at(s, 2, 0)->south == 1.0 && law_at(s, 2, 3)->north == 1.0 && law_at(s, 0, 0)->west == 0.0);
  hs_system_destroy(s);
}

static void periodic_walls_are_checked(void **state)
{
  struct hs_config config = insulated(5, 4, 1.0, 1.0);
  (void)state;
  test_wall_periodic(&config, HS_WEST);
  EXPECT_REFUSAL(&config, "west side is periodic", "east side is not");
  config = insulated(5, 2, 1.0, 1.0);
  test_wall_periodic(&config, HS_SOUTH);
  test_wall_periodic(&config, HS_NORTH);
  EXPECT_REFUSAL(&config, "south", "ny = 2", "ny = 3");
  config = insulated(5, 5, 1.0, 1.0);
  test_wall_periodic(&config, HS_WEST);
  test_wall_periodic(&config, HS_EAST);
  segment_add(&config, held_segment("strip", 31, HS_EAST, 1.0, 2.0, 5.0));
  EXPECT_REFUSAL(&config, "east side is periodic", "whole side", "0 to 4 m");
}

/* --- merging ------------------------------------------------------------------------------------- */

static void overlaps_and_gaps_are_refused_by_name(void **state)
{
  struct hs_config config = insulated(9, 5, 1.0, 1.0);
  (void)state;
  segment_add(&config, held_segment("first", 31, HS_NORTH, 1.0, 3.0, 5.0));
  segment_add(&config, held_segment("second", 35, HS_NORTH, 2.5, 4.0, 5.0));
  EXPECT_REFUSAL(&config, "test.ini:35:", "[boundary first]", "[boundary second]", "north", "2.5 m to 3 m");

  config = insulated(9, 5, 1.0, 1.0);
  segment_add(&config, held_segment("part", 31, HS_WEST, 1.0, 2.0, 5.0));
  config.boundaries++; /* no key of the west side */
  config.boundary_count--;
  EXPECT_REFUSAL(&config, "the west side has no condition from 0 m to 1 m");

  config = insulated(9, 5, 1.0, 1.0);
  config.boundaries++;
  config.boundary_count--;
  EXPECT_REFUSAL(&config, "the west side has no condition; add west = ");

  config = insulated(9, 5, 1.0, 1.0);
  config.boundaries[HS_EAST].kind = HS_WALL_TEMPERATURE;
  config.boundaries[HS_EAST].temperature = NO_VALUE; /* an empty key */
  EXPECT_REFUSAL(&config, "the east side has no condition");
  segment_add(&config, held_segment("all", 31, HS_EAST, 0.0, 4.0 - 1e-12, 5.0));
  hs_system_destroy(test_system(&config));

  config = insulated(9, 5, 1.0, 1.0);
  segment_add(&config, held_segment("thin", 31, HS_WEST, 2.0, 2.0 + 1e-12, 5.0));
  EXPECT_REFUSAL(&config, "[boundary thin]", "west side");
}

/* --- what cannot be solved ----------------------------------------------------------------------- */

static void net_heat_in_an_insulated_plate_is_refused(void **state)
{
  struct hs_config config = insulated(9, 5, 1.0, 1.0);
  struct hs_config_source sources[2] = {test_source_node(2, 2, 3.0), test_source_node(6, 2, -1.0)};
  struct hs_system *s;
  (void)state;
  config.sources = sources;
  config.source_count = 2;
  EXPECT_REFUSAL(&config, "net heat is 2 W/m");
  sources[1].density_w_m3 = -3.0;
  s = test_system(&config);
  assert_true(s->singular);
  hs_system_destroy(s);
  /* a flux balances, too; and periodic walls do not count twice */
  sources[0] = test_source_everywhere(1.0);
  config.source_count = 1;
  test_wall_periodic(&config, HS_WEST);
  test_wall_periodic(&config, HS_EAST);
  test_wall_flux(&config, HS_NORTH, -4.0);
  s = test_system(&config);
  assert_true(s->singular);
  hs_system_destroy(s);
  test_wall_flux(&config, HS_NORTH, -4.001);
  EXPECT_REFUSAL(&config, "net heat is -0.008");
  /* convection with h = 0 leads nowhere */
  test_wall_convection(&config, HS_NORTH, 0.0, 300.0);
  EXPECT_REFUSAL(&config, "net heat is 32 W/m");
  /* over time heat may gather */
  config.materials[0] = test_material(no_name, 1.0, 1.0, 1.0);
  config.time.scheme = HS_SCHEME_BACKWARD_EULER;
  config.time.end_s = 1.0;
  config.time.step_s = 0.1;
  s = test_system(&config);
  assert_true(s->singular && s->storing);
  hs_system_destroy(s);
}

static void explicit_steps_are_limited(void **state)
{
  struct hs_config config = test_config_spaced(9, 5, 0.5, 0.5);
  struct hs_system *s;
  (void)state;
  config.time.scheme = HS_SCHEME_EXPLICIT;
  config.time.end_s = 100.0;
  EXPECT_REFUSAL(&config, "test.ini:3:", "[material]", "density", "explicit");
  config.materials[0] = test_material(no_name, 2.0, 10.0, 4.0);
  s = test_system(&config);
  test_near("largest step", s->stable_step_s, 40.0 * 0.25 / 8.0, 1e-15); /* rho c dx^2 / (4 k) */
  assert_true(s->stencil[hs_system_index(s, 9 + 1)].relax == 1.0);
  hs_system_destroy(s);
  config.time.step_s = 1.25;
  hs_system_destroy(test_system(&config));
  config.time.step_s = 1.2501;
  EXPECT_REFUSAL(&config, "step = 1.2501 s", "1.25", "backward_euler");
  config.time.step_s = NAN;
  config.time.end_s = 1e20;
  EXPECT_REFUSAL(&config, "end = 1e+20 s", "8e+19 steps", "5 s", "backward_euler");
}

static void shapes_and_sources_without_effect_are_refused(void **state)
{
  struct hs_config config = insulated(9, 9, 1.0, 1.0);
  struct hs_config_region wire = region("wire", rectangle(2.25, 2.75, 2.25, 2.75), no_name, test_value(5.0));
  struct hs_config_source block = test_source_rectangle(3.0, 5.0, 3.0, 5.0, 1.0);
  (void)state;
  config.regions = &wire;
  config.region_count = 1;
  EXPECT_REFUSAL(&config, "test.ini:40:", "[shape wire]", "no node");
  wire.shape = rectangle(2.0, 6.0, 2.0, 6.0);
  config.sources = &block;
  config.source_count = 1;
  EXPECT_REFUSAL(&config, "[source block]", "no node");
}

/* --- the initial field --------------------------------------------------------------------------- */

static void initial_field_is_painted_in_order(void **state)
{
  struct hs_config config = insulated(9, 9, 1.0, 1.0);
  struct hs_config_region regions[3];
  struct hs_system *s;
  double *field_k;
  (void)state;
  test_wall_temperature(&config, HS_WEST, 80.0);
  config.initial.temperature_k = 20.0;
  regions[0] = region("warm", rectangle(0.0, 4.0, 0.0, 8.0), no_name, NO_VALUE);
  regions[0].initial_k = 30.0;
  regions[1] = region("hot", rectangle(3.0, 6.0, 3.0, 6.0), no_name, NO_VALUE);
  regions[1].initial_k = 40.0;
  regions[2] = region("held", rectangle(5.5, 6.0, 3.0, 3.0), no_name, test_value(50.0));
  regions[2].shape.y1_m = 3.5;
  config.regions = regions;
  config.region_count = 3;
  s = test_system(&config);
  field_k = test_field_initial(&config, s);
  for (int j = 0; j < 9; j++)
    for (int i = 0; i < 9; i++) {
      const double painted = i >= 3 && i <= 6 && j >= 3 && j <= 6 ? 40.0 : i <= 4 ? 30.0 : 20.0;
      assert_true(field_k[9 * j + i] == (i == 6 && j == 3 ? 50.0 : i == 0 ? 80.0 : painted));
    }
  free(field_k);
  hs_system_destroy(s);
}

static void initial_map_comes_before_shapes(void **state)
{
  struct hs_config config = insulated(4, 3, 1.0, 1.0);
  struct hs_config_region warm = region("warm", rectangle(0.0, 1.0, 0.0, 1.0), no_name, NO_VALUE);
  struct hs_problem *p;
  struct hs_system *s;
  struct hs_error err = {0};
  double *field_k;
  (void)state;
  warm.initial_k = 30.0;
  config.regions = &warm;
  config.region_count = 1;
  test_wall_periodic(&config, HS_WEST);
  test_wall_periodic(&config, HS_EAST);
  p = test_problem(&config);
  p->initial_map = calloc(12, sizeof *p->initial_map);
  assert_non_null(p->initial_map);
  for (int n = 0; n < 12; n++) p->initial_map[n] = 100.0 + n;
  test_ok(hs_problem_build_system(p, &s, &err), &err);
  test_ok(hs_problem_initial_field(p, s, &field_k, &err), &err);
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 4; i++) {
      const int c = i == 3 ? 0 : i; /* the east wall is the west one */
      assert_true(field_k[4 * j + i] == (c <= 1 && j <= 1 ? 30.0 : 100.0 + 4 * j + c));
    }
  free(field_k);
  hs_system_destroy(s);
  hs_problem_destroy(p);
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

/* --- random problems ----------------------------------------------------------------------------- */

struct random_parts {
  struct hs_config_region regions[4];
  struct hs_config_source sources[4];
  struct hs_config_loss losses[2];
};

static struct hs_config_value random_value(struct test_random *random, bool timed, bool positive)
{
  static char moving[] = "5+4*sin(3*t)", sloping[] = "7+x-y+t", still[] = "11+2*x+y";
  const int kind = test_random_integer(random, 0, 5);
  if (kind == 0 && timed) return test_formula(moving);
  if (kind == 1 && timed && !positive) return test_formula(sloping);
  if (kind == 2) return test_formula(still);
  return test_value(test_random_integer(random, 1, 5) * 10.0);
}

static struct hs_config_shape random_rectangle(struct test_random *random, const struct hs_config *config)
{
  const double x0 = test_random_unit(random) * 0.7, y0 = test_random_unit(random) * 0.7;
  return rectangle(x0 * config->grid.lx_m, (x0 + 0.3) * config->grid.lx_m, y0 * config->grid.ly_m,
                   (y0 + 0.3) * config->grid.ly_m);
}

static void random_walls(struct test_random *random, struct hs_config *config, bool timed)
{
  static char names[8][8] = {"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"};
  for (int side = 0; side < HS_SIDES; side++) {
    const double length = side < HS_SOUTH ? config->grid.ly_m : config->grid.lx_m;
    struct hs_config_boundary *b = &config->boundaries[side];
    if (side % 2 == 0 && test_random_integer(random, 0, 3) == 0) {
      test_wall_periodic(config, (enum hs_side)side);
      test_wall_periodic(config, (enum hs_side)(side + 1));
      side++;
      continue;
    }
    if (b->kind == HS_WALL_PERIODIC) continue;
    b->kind = (enum hs_wall)test_random_integer(random, 0, 3);
    b->temperature = random_value(random, timed, false);
    b->flux = random_value(random, timed, false);
    b->h = random_value(random, timed, true);
    if (test_random_integer(random, 0, 1)) {
      struct hs_config_boundary segment = *b;
      segment.name = names[side];
      segment.kind = (enum hs_wall)test_random_integer(random, 0, 3);
      segment.from_m = length * 0.3 * test_random_unit(random);
      segment.to_m = segment.from_m + 0.6 * length;
      segment.temperature = random_value(random, timed, false);
      segment_add(config, segment);
    }
  }
}

static struct hs_config random_config(struct test_random *random, struct random_parts *parts, bool isotropic)
{
  static char names[4][4] = {"a", "b", "c", "d"};
  const bool timed = test_random_integer(random, 0, 1);
  const int nx = test_random_integer(random, 3, 12), ny = test_random_integer(random, 3, 12);
  struct hs_config config =
      test_config_spaced(nx, ny, test_random_between(random, 0.1, 2.0), test_random_between(random, 0.1, 2.0));
  if (test_random_integer(random, 0, 2) == 0) cell_layout(&config);
  config.materials[0] = test_material(no_name, 1.5, 2.0, 3.0);
  test_material_add(&config, test_material(names[0], 10.0, 4.0, 1.0));
  test_material_add(&config, test_material(names[1], 0.1, 1.0, 7.0));
  if (!isotropic) config.materials[1].conductivity_y_w_mk = 3.0;
  random_walls(random, &config, timed);
  config.region_count = test_random_integer(random, 0, 4);
  for (int k = 0; k < config.region_count; k++) {
    parts->regions[k] = region(names[k], random_rectangle(random, &config), names[k % 2], NO_VALUE);
    if (k == 3)
      parts->regions[k] = region(names[k], rectangle(0.0, 0.4 * config.grid.lx_m, 0.0, 0.5 * config.grid.ly_m), no_name,
                                 random_value(random, timed, false));
  }
  config.source_count = test_random_integer(random, 0, 3);
  for (int k = 0; k < config.source_count; k++) {
    parts->sources[k] = test_source_everywhere(3.0);
    if (k != 1)
      parts->sources[k].shape = rectangle(0.1 * config.grid.lx_m, config.grid.lx_m, 0.0, 0.9 * config.grid.ly_m);
  }
  config.loss_count = test_random_integer(random, 1, 2);
  for (int k = 0; k < config.loss_count; k++) {
    const struct hs_config_loss loss = {.name = names[k],
                                        .shape = {.kind = HS_SHAPE_EVERYWHERE},
                                        .h_w_m2k = 1.0 + k,
                                        .ambient_k = 3.0,
                                        .thickness_m = 0.5};
    parts->losses[k] = loss;
  }
  config.regions = parts->regions;
  config.sources = parts->sources;
  config.losses = parts->losses;
  config.time.scheme = HS_SCHEME_BACKWARD_EULER;
  config.time.end_s = 1.0;
  config.time.step_s = 0.1;
  return config;
}

/* The conductance of a face is the same double seen from both nodes; what is the same node has the same law. */
static void assert_symmetric(const struct hs_system *s)
{
  for (int j = 0; j < s->ny; j++)
    for (int i = 0; i < s->nx; i++) {
      const struct hs_node_law *law = law_at(s, i, j);
      if (i + 1 < s->nx) assert_true(law->east == law_at(s, i + 1, j)->west);
      if (j + 1 < s->ny) assert_true(law->north == law_at(s, i, j + 1)->south);
      if (i == 0 && s->wrap_x >= 0) assert_true(law->west == law_at(s, s->nx - 1 - s->wrap_x, j)->east);
      if (j == 0 && s->wrap_y >= 0) assert_true(law->south == law_at(s, i, s->ny - 1 - s->wrap_y)->north);
      if (i == 0 && s->wrap_x == 1) assert_memory_equal(law, law_at(s, s->nx - 1, j), sizeof *law);
      if (j == 0 && s->wrap_y == 1) assert_memory_equal(law, law_at(s, i, s->ny - 1), sizeof *law);
    }
}

static bool laws_equal(const struct hs_node_law *a, const struct hs_node_law *b)
{
  return a->west == b->west && a->east == b->east && a->south == b->south && a->north == b->north &&
         a->source_w_m == b->source_w_m && a->ambient_w_mk == b->ambient_w_mk && a->ambient_w_m == b->ambient_w_m &&
         a->capacity_j_mk == b->capacity_j_mk && a->dirichlet == b->dirichlet && a->dirichlet_k == b->dirichlet_k;
}

/* What hs_law_at makes of every single node at this time is what the system holds. */
static void assert_laws_at(const struct hs_problem *p, const struct hs_system *s, double time_s, double tolerance)
{
  struct hs_laws laws;
  hs_laws_prepare(p, &laws);
  for (int j = 0; j < s->ny; j++)
    for (int i = 0; i < s->nx; i++) {
      struct hs_error err = {0};
      struct hs_node_law law;
      test_ok(hs_law_at(&laws, i, j, time_s, &law, NULL, &err), &err);
      if (tolerance == 0.0 && !laws_equal(&law, law_at(s, i, j))) fail_msg("the law of node (%d, %d) differs", i, j);
      test_near("held", law_at(s, i, j)->dirichlet_k, law.dirichlet_k, tolerance);
      test_near("source", law_at(s, i, j)->source_w_m, law.source_w_m, tolerance);
      test_near("ambient", law_at(s, i, j)->ambient_w_m, law.ambient_w_m, tolerance);
    }
}

static void assert_contacts_at(const struct hs_problem *p, const struct hs_system *s, double time_s)
{
  struct hs_contacts fresh = {0};
  struct hs_laws laws;
  hs_laws_prepare(p, &laws);
  for (int64_t k = 0; k < s->contact_count;) {
    struct hs_error err = {0};
    struct hs_node_law law;
    const int64_t n = s->contacts[k].node;
    assert_true(k == 0 || n > s->contacts[k - 1].node);
    fresh.count = 0;
    test_ok(hs_law_at(&laws, (int)(n % s->nx), (int)(n / s->nx), time_s, &law, &fresh, &err), &err);
    for (int64_t c = 0; c < fresh.count; c++, k++) {
      assert_true(s->contacts[k].node == n && s->contacts[k].surface == fresh.items[c].surface);
      assert_true(s->contacts[k].conductance_w_mk == fresh.items[c].conductance_w_mk);
      assert_true(s->contacts[k].ambient_k == fresh.items[c].ambient_k && s->contacts[k].share == fresh.items[c].share);
      assert_true(s->contacts[k].flux_w_m == fresh.items[c].flux_w_m);
    }
  }
  free(fresh.items);
}

static void every_way_gives_the_same_laws(void **state)
{
  struct test_random random = {20260303};
  int refused = 0, timed = 0;
  (void)state;
  for (int trial = 0; trial < 400; trial++) {
    struct random_parts parts;
    struct hs_config config = random_config(&random, &parts, false);
    struct hs_error err = {0};
    struct hs_problem *p = NULL;
    struct hs_system *s = NULL;
    hs_status status = hs_problem_create(&config, &p, &err);
    if (!status) status = hs_problem_build_system(p, &s, &err);
    if (status) { /* shapes between nodes */
      refused++;
      hs_problem_destroy(p);
      continue;
    }
    assert_non_null(s->index);
    assert_symmetric(s);
    assert_laws_at(p, s, 0.0, 0.0);
    assert_contacts_at(p, s, 0.0);
    assert_true((s->timed_count > 0) <= p->timed);
    timed += s->timed_count > 0;
    test_ok(hs_problem_time_set(p, s, 0.7, &err), &err);
    assert_laws_at(p, s, 0.7, 1e-12); /* nodes of one entry may differ in the last bit: sums of the same parts */
    assert_contacts_at(p, s, 0.7);
    test_ok(hs_problem_time_set(p, s, 0.0, &err), &err);
    assert_laws_at(p, s, 0.0, 1e-12);
    hs_system_destroy(s);
    hs_problem_destroy(p);
  }
  assert_true(refused < 100);
  assert_true(timed > 50);
}

/* A conductivity map of the materials' own conductivities: a law for every node, equal to the stencil table's. */
static void a_law_for_every_node_equals_the_table(void **state)
{
  struct test_random random = {20260304};
  (void)state;
  for (int trial = 0; trial < 100; trial++) {
    struct random_parts parts;
    struct hs_config config = random_config(&random, &parts, true);
    struct hs_error err = {0};
    struct hs_problem *p = NULL;
    struct hs_system *table = NULL, *each = NULL;
    if (hs_problem_create(&config, &p, &err) || hs_problem_build_system(p, &table, &err)) {
      hs_problem_destroy(p);
      continue;
    }
    p->conductivity_map = calloc((size_t)p->cells_x * (size_t)p->cells_y, sizeof *p->conductivity_map);
    assert_non_null(p->conductivity_map);
    for (int c = 0; c < p->cells_x * p->cells_y; c++)
      p->conductivity_map[c] = p->materials[p->classes[p->cell[c]].material].conductivity_x_w_mk;
    test_ok(hs_problem_build_system(p, &each, &err), &err);
    assert_null(each->index);
    assert_int_equal(each->table_size, p->nx * p->ny);
    assert_int_equal(each->contact_count, table->contact_count);
    assert_int_equal(each->free_nodes, table->free_nodes);
    assert_true(each->flow_floor_w_m == table->flow_floor_w_m && each->stable_step_s == table->stable_step_s);
    assert_true(each->contraction == table->contraction && each->uniform == table->uniform);
    for (int n = 0; n < p->nx * p->ny; n++) {
      assert_true(laws_equal(&each->law[n], law_at(table, n % p->nx, n / p->nx)));
      assert_memory_equal(&each->stencil[n], &table->stencil[table->index[n]], sizeof *each->stencil);
    }
    hs_system_destroy(table);
    hs_system_destroy(each);
    hs_problem_destroy(p);
  }
}

/* Sources released in all control volumes, and the lengths of all walls, are what was asked for. */
static void totals_are_exact_on_any_grid(void **state)
{
  struct test_random random = {20260305};
  (void)state;
  for (int trial = 0; trial < 100; trial++) {
    const int nx = test_random_integer(&random, 3, 30), ny = test_random_integer(&random, 3, 30);
    struct hs_config config =
        insulated(nx, ny, test_random_between(&random, 0.01, 1.0), test_random_between(&random, 0.01, 1.0));
    struct hs_config_source source = test_source_everywhere(NAN);
    double power = 0.0, conductance = 0.0, length;
    struct hs_system *s;
    if (trial % 3 == 1) cell_layout(&config);
    length = config.grid.lx_m;
    source.power_w_m = 250.0;
    if (trial % 2) source.shape = random_rectangle(&random, &config);
    if (trial % 5 == 0) {
      test_wall_periodic(&config, HS_WEST);
      test_wall_periodic(&config, HS_EAST);
    }
    segment_add(&config, convective_segment("part", HS_NORTH, 0.21 * length, 0.77 * length, 4.0, 10.0));
    config.sources = &source;
    config.source_count = 1;
    s = test_system(&config);
    for (int j = 0; j < ny; j++)
      for (int i = 0; i < nx; i++) {
        const double share = s->wrap_x == 1 && (i == 0 || i == nx - 1) ? 0.5 : 1.0;
        power += share * law_at(s, i, j)->source_w_m;
      }
    for (int64_t k = 0; k < s->contact_count; k++) {
      const int i = (int)(s->contacts[k].node % nx);
      conductance += (s->wrap_x == 1 && (i == 0 || i == nx - 1) ? 0.5 : 1.0) * s->contacts[k].conductance_w_mk;
    }
    test_near("power", power, 250.0, 1e-10);
    if (config.grid.layout == HS_LAYOUT_VERTEX) test_near("length", conductance, 4.0 * 0.56 * length, 1e-11 * length);
    hs_system_destroy(s);
  }
}

/* --- time ---------------------------------------------------------------------------------------- */

static struct hs_config timed_config(void)
{
  struct hs_config config = insulated(6, 5, 1.0, 1.0);
  config.materials[0] = test_material(no_name, 1.0, 1.0, 1.0);
  config.time.scheme = HS_SCHEME_BACKWARD_EULER;
  config.time.end_s = 10.0;
  config.time.step_s = 0.1;
  return config;
}

static void timed_walls_follow_their_values(void **state)
{
  static char warming[] = "10 + 2*t", sloping[] = "100*x + t";
  struct hs_config config = timed_config();
  struct hs_problem *p;
  struct hs_system *s;
  struct hs_error err = {0};
  bool changed = true;
  (void)state;
  test_wall_temperature(&config, HS_WEST, 0.0);
  config.boundaries[HS_WEST].temperature = test_formula(warming);
  test_wall_convection(&config, HS_NORTH, 3.0, 0.0);
  config.boundaries[HS_NORTH].temperature = test_formula(sloping);
  p = test_problem(&config);
  assert_true(p->timed);
  test_ok(hs_problem_build_system(p, &s, &err), &err);
  /* west: wall, south corner, north corner (placed); north: the other five */
  assert_int_equal(s->timed_count, 2 + 6);
  assert_true(law_at(s, 0, 2)->dirichlet_k == 10.0);
  test_ok(hs_problem_time_set(p, s, 1.5, &err), &err);
  hs_system_discretise(s, HS_SCHEME_BACKWARD_EULER, 0.1, &changed);
  assert_false(changed); /* only constants */
  assert_true(law_at(s, 0, 0)->dirichlet_k == 13.0 && law_at(s, 0, 3)->dirichlet_k == 13.0 &&
              law_at(s, 0, 4)->dirichlet_k == 13.0);
  assert_true(s->stencil[hs_system_index(s, 12)].c == 13.0);
  test_near("ambient", law_at(s, 3, 4)->ambient_w_m, 3.0 * 301.5, 1e-12);
  test_near("half a length, taken at the node", law_at(s, 5, 4)->ambient_w_m, 1.5 * 501.5, 1e-12);
  for (int64_t k = 0; k < s->contact_count; k++)
    if (s->contacts[k].node == 4 * 6 + 3) test_near("contact", s->contacts[k].ambient_k, 301.5, 1e-12);
  assert_int_equal(hs_problem_time_set(p, s, NAN, &err), HS_ERR_CONFIG);
  hs_system_destroy(s);
  hs_problem_destroy(p);
}

/* Values that agree now and differ later need entries of their own. */
static void nodes_that_will_differ_are_kept_apart(void **state)
{
  static char tilting[] = "10 + x*t", one[] = "10 + t", other[] = "10 + 2*t", opening[] = "3*t", sloping[] = "100*x";
  struct hs_config config = timed_config();
  struct hs_problem *p;
  struct hs_system *s;
  struct hs_error err = {0};
  (void)state;
  config.boundaries[HS_SOUTH].kind = HS_WALL_TEMPERATURE;
  config.boundaries[HS_SOUTH].temperature = test_formula(tilting);
  p = test_problem(&config);
  test_ok(hs_problem_build_system(p, &s, &err), &err);
  assert_int_equal(s->timed_count, 6);
  test_ok(hs_problem_time_set(p, s, 2.0, &err), &err);
  for (int i = 0; i < 6; i++) assert_true(law_at(s, i, 0)->dirichlet_k == 10.0 + 2.0 * i);
  hs_system_destroy(s);
  hs_problem_destroy(p);

  config = timed_config();
  segment_add(&config, held_segment("one", 31, HS_SOUTH, 0.0, 2.5, 0.0));
  config.boundaries[HS_SIDES].temperature = test_formula(one);
  segment_add(&config, held_segment("other", 31, HS_SOUTH, 2.5, 5.0, 0.0));
  config.boundaries[HS_SIDES + 1].temperature = test_formula(other);
  p = test_problem(&config);
  test_ok(hs_problem_build_system(p, &s, &err), &err);
  assert_int_equal(s->timed_count, 4);
  test_ok(hs_problem_time_set(p, s, 2.0, &err), &err);
  for (int i = 0; i < 6; i++) assert_true(law_at(s, i, 0)->dirichlet_k == (i < 3 ? 12.0 : 14.0));
  hs_system_destroy(s);
  hs_problem_destroy(p);

  /* an h that depends on time alone, 0 now, and an ambient that depends on the place */
  config = timed_config();
  test_wall_convection(&config, HS_NORTH, 0.0, 0.0);
  config.boundaries[HS_NORTH].h = test_formula(opening);
  config.boundaries[HS_NORTH].temperature = test_formula(sloping);
  p = test_problem(&config);
  test_ok(hs_problem_build_system(p, &s, &err), &err);
  assert_int_equal(s->timed_count, 6);
  test_ok(hs_problem_time_set(p, s, 2.0, &err), &err);
  for (int i = 1; i < 5; i++) test_near("ambient", law_at(s, i, 4)->ambient_w_m, 6.0 * 100.0 * i, 1e-12);
  hs_system_destroy(s);
  hs_problem_destroy(p);
}

static void timed_h_changes_weights(void **state)
{
  static char rising[] = "3*t", falling[] = "1 - t";
  struct hs_config config = timed_config();
  struct hs_problem *p;
  struct hs_system *s;
  struct hs_error err = {0};
  bool changed = false;
  (void)state;
  test_wall_convection(&config, HS_NORTH, 3.0, 20.0);
  config.boundaries[HS_NORTH].h = test_formula(rising);
  p = test_problem(&config);
  test_ok(hs_problem_build_system(p, &s, &err), &err);
  assert_true(s->singular);
  assert_int_equal(s->timed_count, 3);
  test_ok(hs_problem_time_set(p, s, 2.0, &err), &err);
  hs_system_discretise(s, HS_SCHEME_BACKWARD_EULER, 0.1, &changed);
  assert_true(changed);
  assert_true(law_at(s, 3, 4)->ambient_w_mk == 6.0 && law_at(s, 0, 4)->ambient_w_mk == 3.0);
  hs_system_destroy(s);
  hs_problem_destroy(p);

  config.boundaries[HS_NORTH].h = test_formula(falling);
  p = test_problem(&config);
  test_ok(hs_problem_build_system(p, &s, &err), &err);
  assert_int_equal(hs_problem_time_set(p, s, 2.0, &err), HS_ERR_CONFIG);
  assert_non_null(strstr(err.text, "[boundary north] h"));
  hs_system_destroy(s);
  hs_problem_destroy(p);
}

static void time_in_a_steady_problem_is_refused(void **state)
{
  static char moving[] = "5*t";
  struct hs_config config = test_config(5, 5);
  (void)state;
  config.boundaries[HS_WEST].temperature = test_formula(moving);
  EXPECT_REFUSAL(&config, "[boundary west]", "5*t", "steady");
}

/* --- values -------------------------------------------------------------------------------------- */

static double value_of(const char *text, double x, double y, double t, bool *timed, bool *placed)
{
  struct hs_config config = timed_config();
  struct hs_config_value written = test_formula((char *)text);
  struct hs_value *value = NULL;
  struct hs_error err = {0};
  double result = NAN;
  test_ok(hs_value_create(&config, &written, "[boundary top] flux", &value, &err), &err);
  test_ok(hs_value_at(value, x, y, t, &result, &err), &err);
  if (timed) *timed = hs_value_timed(value);
  if (placed) *placed = hs_value_placed(value);
  hs_value_destroy(value);
  return result;
}

static void formulas_are_evaluated(void **state)
{
  bool timed, placed;
  (void)state;
  test_near("sin", value_of("100*sin(pi*t/40)", 0, 0, 32, &timed, &placed), 100.0 * sin(0.8 * acos(-1.0)), 1e-12);
  assert_true(timed && !placed);
  assert_true(value_of("x + 10*y", 1.0, 2.0, 3.0, &timed, &placed) == 21.0);
  assert_true(!timed && placed);
  assert_true(value_of("3 * (2 + 2)", 1.0, 2.0, 3.0, &timed, &placed) == 12.0);
  assert_true(!timed && !placed);
  assert_true(value_of("t < 2 ? 5 : 7", 0, 0, 3.0, &timed, &placed) == 7.0);
  assert_true(value_of("(t == 3) + (t >= 3) + (t != 3)", 0, 0, 3.0, NULL, NULL) == 2.0);
}

static void refuse_value(const char *text, const char *word)
{
  struct hs_config config = timed_config();
  struct hs_config_value written = test_formula((char *)text);
  struct hs_value *value = NULL;
  struct hs_error err = {0};
  written.line = 9;
  if (!hs_value_create(&config, &written, "[boundary top] flux", &value, &err)) fail_msg("\"%s\" is accepted", text);
  assert_null(value);
  if (!strstr(err.text, "test.ini:9: [boundary top] flux") || !strstr(err.text, word))
    fail_msg("\"%s\" is missing in: %s", word, err.text);
}

static void wrong_formulas_are_refused(void **state)
{
  struct hs_config config = timed_config();
  struct hs_config_value written = test_formula("1/(t-2)");
  struct hs_value *value = NULL;
  struct hs_error err = {0};
  double result;
  (void)state;
  refuse_value("2*z", "z");
  refuse_value("2*(1+t", "formula");
  refuse_value("", "formula");
  refuse_value("1,5", "numbers");
  refuse_value("t = 5", "assignment");
  refuse_value("table", "table FILE");
  refuse_value("table x", "table FILE");
  refuse_value("table a.csv z", "table FILE");
  refuse_value("table nowhere.csv t", "nowhere.csv");
  test_ok(hs_value_create(&config, &written, "[boundary top] flux", &value, &err), &err);
  assert_int_equal(hs_value_at(value, 0.0, 0.0, 2.0, &result, &err), HS_ERR_CONFIG);
  assert_non_null(strstr(err.text, "t = 2 s"));
  hs_value_destroy(value);
  hs_value_destroy(NULL);
}

/* Writes a table beside a configuration file of a folder of its own. */
struct folder {
  char path[64], table[96], config[96];
};

static void folder_make(struct folder *folder, const char *table)
{
  FILE *file;
  snprintf(folder->path, sizeof folder->path, "/tmp/hs-values-XXXXXX");
  assert_non_null(mkdtemp(folder->path));
  snprintf(folder->table, sizeof folder->table, "%s/my table.csv", folder->path);
  snprintf(folder->config, sizeof folder->config, "%s/wall.ini", folder->path);
  file = fopen(folder->table, "w");
  assert_non_null(file);
  fputs(table, file);
  fclose(file);
}

static void folder_remove(struct folder *folder)
{
  unlink(folder->table);
  rmdir(folder->path);
}

/* Makes the value "table my table.csv AXIS" and evaluates it; the words stand in the refusal if it is refused. */
static hs_status table_value(const char *table, char axis, double at, double *result, const char *const words[])
{
  struct folder folder;
  struct hs_config config = timed_config();
  char text[] = "table  my table.csv ?";
  struct hs_config_value written = test_formula(text);
  struct hs_value *value = NULL;
  struct hs_error err = {0};
  hs_status status;
  text[sizeof text - 2] = axis;
  folder_make(&folder, table);
  config.path = folder.config;
  status = hs_value_create(&config, &written, "[boundary top] temperature", &value, &err);
  if (!status) status = hs_value_check_extent(value, 0.0, 5.0, 4.0, 4.0, &err);
  if (!status) status = hs_value_at(value, at, at, at, result, &err);
  hs_value_destroy(value);
  folder_remove(&folder);
  for (int k = 0; status && words && words[k]; k++)
    if (!strstr(err.text, words[k])) fail_msg("\"%s\" is missing in: %s", words[k], err.text);
  return status;
}

#define EXPECT_TABLE_REFUSAL(table, axis, ...)                                                                         \
  do {                                                                                                                 \
    double unused;                                                                                                     \
    const char *const words[] = {__VA_ARGS__, NULL};                                                                   \
    assert_int_equal(table_value(table, axis, 4.0, &unused, words), HS_ERR_CONFIG);                                    \
  } while (0)

static void tables_are_linear_in_between(void **state)
{
  static const char *const tables[] = {"0,10\n4,30\n10,0\n", "time;value\n0;10\n4;30\n\n10;0",
                                       "# logger\n\xc2\xb5 s  K\n  0   10\n4\t30 # peak\n10 0\n",
                                       "\xef\xbb\xbf"
                                       "0 , 10\r\n4 , 30\r\n10 , 0\r\n"};
  double result;
  (void)state;
  for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
    assert_int_equal(table_value(tables[k], 't', 1.0, &result, NULL), HS_OK);
    assert_true(result == 15.0);
    assert_int_equal(table_value(tables[k], 't', 7.0, &result, NULL), HS_OK);
    assert_true(result == 15.0);
    assert_int_equal(table_value(tables[k], 't', 10.0, &result, NULL), HS_OK);
    assert_true(result == 0.0);
    assert_int_equal(table_value(tables[k], 'x', 4.0, &result, NULL), HS_OK);
    assert_true(result == 30.0);
  }
}

static void wrong_tables_are_refused(void **state)
{
  (void)state;
  EXPECT_TABLE_REFUSAL("0,1\n8,2\n", 't', "my table.csv", "8 s", "10 s", "ends too early");
  EXPECT_TABLE_REFUSAL("1,1\n80,2\n", 't', "1 s", "begins too late");
  EXPECT_TABLE_REFUSAL("0,1\n3,2\n", 'x', "3 m", "5 m");
  EXPECT_TABLE_REFUSAL("0,1\n3,2\n", 'y', "3 m", "4 m");
  EXPECT_TABLE_REFUSAL("0,1\n3,2\n3,4\n10,5\n", 't', "my table.csv:3:", "ascend");
  EXPECT_TABLE_REFUSAL("0,1\nx,2\n10,5\n", 't', "my table.csv:2:", "two numbers");
  EXPECT_TABLE_REFUSAL("0,20K\n0,1\n10,5\n", 't', "my table.csv:1:", "two numbers");
  EXPECT_TABLE_REFUSAL("0,1\n2,3,4\n10,5\n", 't', "my table.csv:2:", "more than two");
  EXPECT_TABLE_REFUSAL("0;1,5\n10;2,5\n", 't', "my table.csv:1:", "decimal");
  EXPECT_TABLE_REFUSAL("0,1\n2\n10,5\n", 't', "my table.csv:2:", "one number");
  EXPECT_TABLE_REFUSAL("0,1\n2,nan\n10,5\n", 't', "my table.csv:2:", "finite");
  EXPECT_TABLE_REFUSAL("time,value\n", 't', "0 lines");
}

/* --- size ---------------------------------------------------------------------------------------- */

static void large_grids_are_built(void **state)
{
  struct hs_config config = test_config(2000, 2000);
  struct hs_config_region disc = region("disc", rectangle(0.0, 1.0, 0.0, 1.0), no_name, test_value(3.0));
  struct hs_system *s;
  (void)state;
  disc.shape.kind = HS_SHAPE_CIRCLE;
  disc.shape.x_m = disc.shape.y_m = 0.5;
  disc.shape.radius_m = 0.25;
  config.regions = &disc;
  config.region_count = 1;
  s = test_system(&config);
  assert_int_equal(s->table_size, 9 + 1);
  assert_true(s->free_nodes < 4000000 - 7992 - 780000 && s->free_nodes > 4000000 - 8000 - 790000);
  assert_true(s->contact_count < 20000);
  hs_system_destroy(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(insulated_walls_halve_the_control_volume),
      cmocka_unit_test(convection_and_flux_act_on_lengths),
      cmocka_unit_test(materials_meet_in_half_faces),
      cmocka_unit_test(anisotropic_conductivity),
      cmocka_unit_test(segments_share_a_control_volume),
      cmocka_unit_test(held_segments_that_meet_take_the_mean),
      cmocka_unit_test(held_wins_and_keeps_its_neighbours_convection),
      cmocka_unit_test(held_shapes_hold_their_nodes),
      cmocka_unit_test(held_shapes_pass_their_sources_on),
      cmocka_unit_test(rounding_does_not_grow_the_table),
      cmocka_unit_test(loss_is_an_ambient_of_the_cells),
      cmocka_unit_test(cell_layout_walls_act_through_half_a_cell),
      cmocka_unit_test(cell_faces_take_the_chosen_mean),
      cmocka_unit_test(periodic_walls_are_the_same_nodes),
      cmocka_unit_test(periodic_walls_are_checked),
      cmocka_unit_test(overlaps_and_gaps_are_refused_by_name),
      cmocka_unit_test(net_heat_in_an_insulated_plate_is_refused),
      cmocka_unit_test(explicit_steps_are_limited),
      cmocka_unit_test(shapes_and_sources_without_effect_are_refused),
      cmocka_unit_test(initial_field_is_painted_in_order),
      cmocka_unit_test(initial_map_comes_before_shapes),
      cmocka_unit_test(source_map_heats_nodes),
      cmocka_unit_test(every_way_gives_the_same_laws),
      cmocka_unit_test(a_law_for_every_node_equals_the_table),
      cmocka_unit_test(totals_are_exact_on_any_grid),
      cmocka_unit_test(timed_walls_follow_their_values),
      cmocka_unit_test(nodes_that_will_differ_are_kept_apart),
      cmocka_unit_test(timed_h_changes_weights),
      cmocka_unit_test(time_in_a_steady_problem_is_refused),
      cmocka_unit_test(formulas_are_evaluated),
      cmocka_unit_test(wrong_formulas_are_refused),
      cmocka_unit_test(tables_are_linear_in_between),
      cmocka_unit_test(wrong_tables_are_refused),
      cmocka_unit_test(large_grids_are_built),
  };
  return cmocka_run_group_tests_name("walls", tests, NULL, NULL);
}
