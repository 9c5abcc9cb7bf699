/* What walls and held shapes do to the laws of nodes, against values computed by hand. */
#include "problem/parts.h"

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
  assert_true(s->contacts[1].flux_w_m == -1.5 && s->contacts[0].share_x == 0.0f);
  assert_int_equal(s->contact_count, 4 + 5);
  /* 2.0 / 0.5 = stencil: diagonal of the west wall */
  test_near("diagonal", s->stencil[hs_system_index(s, 5)].diagonal, 0.5 + 2.0 * 1.0 + 2.0, 1e-15);
  test_near("c", s->stencil[hs_system_index(s, 5)].c, 600.0 / 4.5, 1e-12);
  /* flow floor: temperatures 0 (start) and 300, conductance 3 steps of 2 */
  test_near("flow floor", s->flow_floor_w_m, 1e-8 * 300.0 * 6.0, 1e-15);
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
    const struct hs_contact *c = &s->contacts[k];
    const bool west = c->surface == 0;
    assert_true(c->share_x == (c->node == 3 ? 0.5f : c->node == 0 ? (float)west : 1.0f));
    assert_true(c->share_y == (c->node == 3 ? 0.5f : c->node == 0 ? (float)!west : 1.0f));
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
  assert_true(s->contacts[0].conductance_w_mk == 2.0 && s->contacts[0].share_x == 0.0f);
  assert_true(s->contacts[1].node == 0 && s->contacts[1].surface == 0 && s->contacts[1].share_x == 1.0f);
  hs_system_destroy(s);
}

static void held_shapes_hold_their_nodes(void **state)
{
  static char pipe[] = "pipe", core[] = "core";
  struct hs_config config = insulated(9, 9, 1.0, 1.0);
  struct hs_config_region regions[2];
  struct hs_system *s;
  (void)state;
  regions[0] = region(pipe, rectangle(2.0, 6.0, 2.0, 6.0), "", test_value(70.0));
  regions[1] = region(core, rectangle(4.0, 4.0, 4.0, 4.0), "", test_value(90.0));
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
  struct hs_config_region pipe = region("pipe", rectangle(2.0, 6.0, 2.0, 6.0), "", test_value(70.0));
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(convection_and_flux_act_on_lengths),
      cmocka_unit_test(segments_share_a_control_volume),
      cmocka_unit_test(held_segments_that_meet_take_the_mean),
      cmocka_unit_test(held_wins_and_keeps_its_neighbours_convection),
      cmocka_unit_test(held_shapes_hold_their_nodes),
      cmocka_unit_test(held_shapes_pass_their_sources_on),
  };
  return cmocka_run_group_tests_name("law_walls", tests, NULL, NULL);
}
