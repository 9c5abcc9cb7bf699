/* What would have no effect is refused. */
#include "problem/parts.h"

static void shapes_and_sources_without_effect_are_refused(void **state)
{
  struct hs_config config = insulated(9, 9, 1.0, 1.0);
  struct hs_config_region wire = region("wire", rectangle(2.25, 2.75, 2.25, 2.75), "", test_value(5.0));
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

static void source_without_effect_is_refused_by_name(void **state)
{
  struct hs_config config = test_config_spaced(9, 6, 0.5, 0.5);
  struct hs_config_source sources[2] = {test_source_node(4, 3, 1.0), test_source_node(0, 3, 1.0)};
  (void)state;
  config.sources = sources;
  config.source_count = 2;
  EXPECT_REFUSAL(&config, "test.ini:7:", "spot", "held", "1 to 7", "1 to 4");
  sources[1] = test_source_node(4, 5, 1.0);
  EXPECT_REFUSAL(&config, "test.ini:7:", "spot", "held", "1 to 7", "1 to 4");
  sources[1] = test_source_rectangle(0.0, 4.0, 0.0, 0.25, 1.0);
  EXPECT_REFUSAL(&config, "test.ini:11:", "block");

  config = test_config_spaced(2, 6, 0.5, 0.5); /* no free node at all */
  sources[0] = test_source_everywhere(1.0);
  config.sources = sources;
  config.source_count = 1;
  EXPECT_REFUSAL(&config, "test.ini:13:", "glow");
}

static void source_of_zero_density_is_accepted(void **state)
{
  struct hs_config config = test_config(9, 6);
  struct hs_config_source source = test_source_node(0, 0, 0.0);
  struct hs_system *s = system_with(&config, &source, 1);
  (void)state;
  assert_true(total_source(s, true) == 0.0);
  assert_int_equal(s->table_size, 9);
  hs_system_destroy(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shapes_and_sources_without_effect_are_refused),
      cmocka_unit_test(source_without_effect_is_refused_by_name),
      cmocka_unit_test(source_of_zero_density_is_accepted),
  };
  return cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
}
