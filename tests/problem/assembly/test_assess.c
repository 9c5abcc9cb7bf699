/* What cannot be solved: heat that an insulated plate cannot lose, explicit steps that are too long. */
#include "problem/parts.h"

#include <math.h>

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
  config.materials[0] = test_material("", 1.0, 1.0, 1.0);
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
  config.materials[0] = test_material("", 2.0, 10.0, 4.0);
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(net_heat_in_an_insulated_plate_is_refused),
      cmocka_unit_test(explicit_steps_are_limited),
  };
  return cmocka_run_group_tests_name("assess", tests, NULL, NULL);
}
