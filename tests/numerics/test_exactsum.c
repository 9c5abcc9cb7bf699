/* Sums of squares: the same in every order, and scaled so that nothing overflows. */
#include "support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "numerics/exactsum.h"

/* The 2-norm of values in the order given by step, scaled for bound. */
static double exact_norm(const double *values, int count, int step, double bound)
{
  const struct hs_sum_split split = hs_sum_split_for(count);
  const double scale = hs_sum_scale(bound);
  struct hs_sum parts[3] = {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}};
  for (int k = 0, at = 0; k < count; k++, at = (at + step) % count)
    hs_sum_add_square(&parts[k * 3 / count], split, values[at] * scale);
  parts[0].high += parts[2].high + parts[1].high;
  parts[0].low += parts[2].low + parts[1].low;
  return hs_sum_norm(parts[0], scale);
}

static void exact_sums_do_not_depend_on_order(void **state)
{
  enum { COUNT = 65536 };
  static const double factors[] = {1.0, 1.0 / 15.9, 3.0, 100.0};
  struct test_random random = {6};
  double *values = calloc(COUNT, sizeof *values);
  (void)state;
  assert_non_null(values);
  for (int c = 0; c < 60; c++) {
    const double size = pow(10.0, test_random_between(&random, -140, 140));
    const double spread = c % 3 * 4.0;
    double largest = 0.0, norm;
    long double sum = 0.0L;
    for (int k = 0; k < COUNT; k++) {
      values[k] = size * test_random_normal(&random) * pow(10.0, -spread * test_random_unit(&random));
      largest = fmax(largest, fabs(values[k]));
      sum += (long double)values[k] * (long double)values[k];
    }
    for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
      norm = exact_norm(values, COUNT, 1, largest * factors[f]);
      test_near("sum", norm, (double)sqrtl(sum), 1e-12 * norm);
      for (int p = 0; p < 10; p++) {
        const int step = 2 * test_random_integer(&random, 0, COUNT / 2 - 1) + 1;
        assert_true(test_same(exact_norm(values, COUNT, step, largest * factors[f]), norm));
      }
    }
  }
  free(values);
}

static void scales_are_powers_of_two_that_fit(void **state)
{
  static const double extremes[] = {4e307, 8e307, 1e308, DBL_MAX, 1e-305, 5e-324};
  struct test_random random = {8};
  int exponent;
  (void)state;
  for (int k = 0; k < 2000; k++) {
    const double bound = pow(10.0, test_random_between(&random, -290, 307));
    const double scale = hs_sum_scale(bound);
    assert_true(frexp(scale, &exponent) == 0.5);
    assert_true(bound * scale <= 1.0 && bound * scale > 0.25);
  }
  for (size_t k = 0; k < sizeof extremes / sizeof *extremes; k++) {
    const double scale = hs_sum_scale(extremes[k]);
    if (!(scale > 0.0) || !isfinite(scale) || extremes[k] * scale > HS_SUM_SLACK)
      fail_msg("the scale for %g is %g", extremes[k], scale);
  }
  assert_true(hs_sum_scale(0.0) == 1.0 && hs_sum_scale(NAN) == 1.0 && hs_sum_scale(INFINITY) == 1.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_sums_do_not_depend_on_order),
      cmocka_unit_test(scales_are_powers_of_two_that_fit),
  };
  return cmocka_run_group_tests_name("exactsum", tests, NULL, NULL);
}
