/* The functions of the stop test that host and device share. */
#include "support.h"

#include <math.h>

#include "numerics/stoptest.h"

/* Doubling the argument of sinh doubles its relative error, so beyond 1 the bound grows with the argument. */
static void plain_functions_agree_with_libm(void **state)
{
  struct test_random random = {5};
  (void)state;
  for (int k = 0; k < 200000; k++) {
    const double x = exp(test_random_between(&random, -690.0, 690.0)); /* 1e-300 to 1e300 */
    const double near_one =
        1.0 + test_random_between(&random, -0.5, 1.0) * pow(10.0, -test_random_between(&random, 0, 12));
    const double y = exp(test_random_between(&random, -40.0, 6.5));
    test_near("log", hs_plain_log(x), log(x), 1e-14 * fabs(log(x)));
    test_near("log near 1", hs_plain_log(near_one), log(near_one), 1e-14 * fabs(log(near_one)));
    test_near("sinh", hs_plain_sinh(y), sinh(y), 1e-14 * fmax(1.0, y) * sinh(y));
  }
  assert_true(hs_plain_log(1.0) == 0.0);
  assert_true(hs_plain_sinh(0.0) == 0.0);
  assert_true(isfinite(hs_plain_sinh(1e300)));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_functions_agree_with_libm),
  };
  return cmocka_run_group_tests_name("stoptest", tests, NULL, NULL);
}
