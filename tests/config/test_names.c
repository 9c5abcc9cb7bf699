/* Names of choices are those of the file. */
#include "support.h"

#include "config/config.h"

static void names_are_those_of_the_file(void **state)
{
  (void)state;
  assert_string_equal(hs_criterion_name(HS_CRITERION_UPDATE_L2), "update_l2");
  assert_string_equal(hs_criterion_name(HS_CRITERION_UPDATE_MAX), "update_max");
  assert_string_equal(hs_criterion_name(HS_CRITERION_RESIDUAL), "residual");
  assert_string_equal(hs_criterion_name(HS_CRITERION_ERROR), "error");
  assert_string_equal(hs_precision_name(HS_SINGLE), "single");
  assert_string_equal(hs_method_name(HS_METHOD_JACOBI), "jacobi");
  assert_string_equal(hs_side_name(HS_WEST), "west");
  assert_string_equal(hs_side_name(HS_NORTH), "north");
  assert_string_equal(hs_method_name(HS_METHOD_CHEBYSHEV), "chebyshev");
  assert_string_equal(hs_scheme_name(HS_SCHEME_CRANK_NICOLSON), "crank_nicolson");
  assert_string_equal(hs_wall_name(HS_WALL_CONVECTION), "convection");
  assert_string_equal(hs_shape_name(HS_SHAPE_LINE), "line");
  assert_string_equal(hs_layout_name(HS_LAYOUT_CELL), "cell");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_those_of_the_file),
  };
  return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
