/* Walls: which segments a side has, and which neighbours a periodic one. */
#include "problem/parts.h"

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

static void overlaps_and_gaps_are_refused_by_name(void **state)
{
  struct hs_config config = insulated(9, 5, 1.0, 1.0);
  struct hs_system *s;
  (void)state;
  segment_add(&config, held_segment("first", 31, HS_NORTH, 1.0, 3.0, 5.0));
  segment_add(&config, held_segment("second", 35, HS_NORTH, 2.5, 4.0, 5.0));
  EXPECT_REFUSAL(&config, "test.ini:35:", "[boundary first]", "[boundary second]", "north", "2.5 m to 3 m");

  config = insulated(9, 5, 1.0, 1.0);
  segment_add(&config, held_segment("part", 31, HS_WEST, 1.0, 2.0, 5.0));
  config.boundaries++; /* no key of the west side */
  config.boundary_count--;
  config.side_count--;
  EXPECT_REFUSAL(&config, "the west side has no condition from 0 m to 1 m");

  config = insulated(9, 5, 1.0, 1.0);
  config.boundaries++;
  config.boundary_count--;
  config.side_count--;
  EXPECT_REFUSAL(&config, "the west side has no condition; add west = ");

  config = insulated(9, 5, 1.0, 1.0);
  config.boundaries[HS_EAST].kind = HS_WALL_TEMPERATURE;
  config.boundaries[HS_EAST].temperature = NO_VALUE; /* an empty key */
  EXPECT_REFUSAL(&config, "the east side has no condition");
  segment_add(&config, held_segment("all", 31, HS_EAST, 0.0, 4.0 - 1e-12, 5.0));
  hs_system_destroy(test_system(&config));

  /* a section that is named after its side leaves parts of it to others, but not the whole */
  segment_add(&config, held_segment("east", 35, HS_EAST, 0.0, 4.0, 6.0));
  EXPECT_REFUSAL(&config, "test.ini:35:", "[boundary all]", "[boundary east]", "0 m to 4 m");
  config = insulated(9, 5, 1.0, 1.0);
  config.boundaries++;
  config.boundary_count--;
  config.side_count--;
  segment_add(&config, held_segment("west", 31, HS_WEST, 0.0, 4.0, 5.0));
  hs_system_destroy(test_system(&config));
  segment_add(&config, held_segment("window", 33, HS_WEST, 1.0, 2.0, 7.0));
  s = test_system(&config);
  assert_true(law_at(s, 0, 0)->dirichlet_k == 5.0 && law_at(s, 0, 3)->dirichlet_k == 5.0);
  assert_true(law_at(s, 0, 1)->dirichlet_k == 6.0 &&
              law_at(s, 0, 2)->dirichlet_k == 6.0); /* where parts meet, their mean */
  hs_system_destroy(s);
  segment_add(&config, held_segment("other", 35, HS_WEST, 0.0, 4.0, 6.0));
  EXPECT_REFUSAL(&config, "test.ini:35:", "[boundary west]", "[boundary other]", "overlap");

  config = insulated(9, 5, 1.0, 1.0);
  segment_add(&config, held_segment("thin", 31, HS_WEST, 2.0, 2.0 + 1e-12, 5.0));
  EXPECT_REFUSAL(&config, "[boundary thin]", "west side");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(periodic_walls_are_the_same_nodes),
      cmocka_unit_test(periodic_walls_are_checked),
      cmocka_unit_test(overlaps_and_gaps_are_refused_by_name),
  };
  return cmocka_run_group_tests_name("walls", tests, NULL, NULL);
}
