/* The field that a run starts from. */
#include "problem/parts.h"

#include <stdlib.h>

static void initial_field_is_painted_in_order(void **state)
{
  struct hs_config config = insulated(9, 9, 1.0, 1.0);
  struct hs_config_region regions[3];
  struct hs_system *s;
  double *field_k;
  (void)state;
  test_wall_temperature(&config, HS_WEST, 80.0);
  config.initial.temperature_k = 20.0;
  regions[0] = region("warm", rectangle(0.0, 4.0, 0.0, 8.0), "", NO_VALUE);
  regions[0].initial_k = 30.0;
  regions[1] = region("hot", rectangle(3.0, 6.0, 3.0, 6.0), "", NO_VALUE);
  regions[1].initial_k = 40.0;
  regions[2] = region("held", rectangle(5.5, 6.0, 3.0, 3.0), "", test_value(50.0));
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
  struct hs_config_region warm = region("warm", rectangle(0.0, 1.0, 0.0, 1.0), "", NO_VALUE);
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

static void initial_field_has_walls_and_the_inside(void **state)
{
  struct hs_config config = walled_config(9, 7);
  struct hs_system *s = test_system(&config);
  double *field_k;
  (void)state;
  config.initial.temperature_k = 293.15;
  field_k = test_field_initial(&config, s);
  for (int j = 0; j < 7; j++)
    for (int i = 0; i < 9; i++) {
      const double dirichlet_k = wall_temperature(s, i, j);
      assert_true(field_k[j * 9 + i] == (dirichlet_k < 0.0 ? 293.15 : dirichlet_k));
    }
  free(field_k);
  hs_system_destroy(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(initial_field_is_painted_in_order),
      cmocka_unit_test(initial_map_comes_before_shapes),
      cmocka_unit_test(initial_field_has_walls_and_the_inside),
  };
  return cmocka_run_group_tests_name("problem", tests, NULL, NULL);
}
