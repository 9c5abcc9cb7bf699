/* Systems at another time. */
#include "problem/parts.h"

#include <math.h>
#include <string.h>

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
  (void)hs_system_discretise(s, HS_SCHEME_BACKWARD_EULER, 0.1, s, &changed, NULL);
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
  (void)hs_system_discretise(s, HS_SCHEME_BACKWARD_EULER, 0.1, s, &changed, NULL);
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(timed_walls_follow_their_values),
      cmocka_unit_test(nodes_that_will_differ_are_kept_apart),
      cmocka_unit_test(timed_h_changes_weights),
      cmocka_unit_test(time_in_a_steady_problem_is_refused),
  };
  return cmocka_run_group_tests_name("retime", tests, NULL, NULL);
}
