/* The table of distinct laws: no larger than the problem needs, and given up where it would grow too large. */
#include "problem/parts.h"

#include <math.h>
#include <stdlib.h>

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

static void table_is_as_small_as_the_problem(void **state)
{
  struct hs_config config = test_config(50, 40);
  struct hs_config_source sources[2];
  struct hs_system *s = test_system(&config);
  (void)state;
  assert_int_equal(s->table_size, 9); /* the inside; walls and corners differ in their conductances */
  assert_table_sound(s);
  hs_system_destroy(s);

  config = walled_config(50, 40);
  s = test_system(&config);
  assert_int_equal(s->table_size, 9);
  assert_table_sound(s);
  hs_system_destroy(s);

  config = walled_config(3, 3); /* one free node, four walls, four corners */
  s = test_system(&config);
  assert_int_equal(s->table_size, 9);
  assert_table_sound(s);
  hs_system_destroy(s);

  /* a source everywhere leaves no entry of the unheated inside behind, nor does a second one of the first */
  config = test_config(50, 40);
  sources[0] = test_source_everywhere(1.0);
  sources[1] = test_source_everywhere(2.0);
  config.sources = sources;
  config.source_count = 2;
  s = test_system(&config);
  assert_int_equal(s->table_size, 9);
  assert_table_sound(s);
  hs_system_destroy(s);
}

static void negative_zero_is_zero(void **state)
{
  struct hs_config config = test_config(6, 5);
  struct hs_config_source source = test_source_everywhere(-0.0);
  struct hs_system *s;
  double *field_k;
  (void)state;
  test_wall_temperature(&config, HS_WEST, -0.0);
  test_wall_temperature(&config, HS_NORTH, -0.0);
  config.initial.temperature_k = -0.0;
  config.sources = &source;
  config.source_count = 1;
  s = test_system(&config);
  field_k = test_field_initial(&config, s);
  assert_int_equal(s->table_size, 9);
  for (int k = 0; k < s->table_size; k++) {
    assert_false(signbit(s->stencil[k].c));
    assert_false(signbit(s->stencil_single[k].c));
  }
  for (int n = 0; n < 30; n++) assert_false(signbit(field_k[n]));
  free(field_k);
  hs_system_destroy(s);
}

/* Node sources of `count` different densities on a grid with that many free nodes, and a wall. */
static struct hs_config many_sources(int nx, int ny, int count, struct hs_config_source **sources)
{
  struct hs_config config = test_config_spaced(nx, ny, 1.0, 1.0);
  *sources = calloc((size_t)count, sizeof **sources);
  assert_non_null(*sources);
  for (int k = 0; k < count; k++) (*sources)[k] = test_source_node(1 + k % (nx - 2), 1 + k / (nx - 2), 1.0 + k);
  config.sources = *sources;
  config.source_count = count;
  return config;
}

/* With more distinct nodes than a stencil table holds every node has a law of its own. */
static void too_many_distinct_nodes_have_a_law_each(void **state)
{
  struct hs_config_source *sources;
  struct hs_config config = many_sources(258, 258, 65000, &sources);
  struct hs_system *s = test_system(&config);
  (void)state;
  assert_non_null(s->index);
  assert_int_equal(s->table_size, 65000 + 9);
  assert_table_sound(s);
  hs_system_destroy(s);
  free(sources);

  config = many_sources(258, 258, 65536, &sources);
  s = test_system(&config);
  assert_null(s->index);
  assert_int_equal(s->table_size, 258 * 258);
  assert_int_equal(s->free_nodes, 256 * 256);
  for (int j = 1; j < 257; j++)
    for (int i = 1; i < 257; i++) assert_true(law_at(s, i, j)->source_w_m == 1.0 + (i - 1) + 256.0 * (j - 1));
  assert_true(law_at(s, 0, 5)->dirichlet && law_at(s, 257, 257)->dirichlet && !law_at(s, 1, 1)->dirichlet);
  assert_true(s->uniform && s->symmetric && !s->singular);
  hs_system_destroy(s);
  free(sources);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rounding_does_not_grow_the_table),
      cmocka_unit_test(table_is_as_small_as_the_problem),
      cmocka_unit_test(negative_zero_is_zero),
      cmocka_unit_test(too_many_distinct_nodes_have_a_law_each),
  };
  return cmocka_run_group_tests_name("law_table", tests, NULL, NULL);
}
