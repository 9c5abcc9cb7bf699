/* Exact sums of any terms (numerics/accumulator.h). */
#include "numerics/accumulator.h"

#include <float.h>
#include <stdlib.h>

#include "support.h"

enum { TERMS = 300, TRIALS = 200 };

static double value_of(const double *terms, int count)
{
  struct hs_accumulator sum = {0};
  for (int k = 0; k < count; k++) hs_accumulator_add(&sum, terms[k]);
  return (double)hs_accumulator_value(&sum);
}

static void single_terms_are_kept(void **state)
{
  static const double terms[] = {
      0.0,     1.0,      -1.0,   0.1,      -3.7e-12, 5e-324,  -5e-324,       DBL_MIN,
      DBL_MAX, -DBL_MAX, 0x1p32, -0x1p-32, 1e300,    -1e-300, 123456789.125, 0x1.fffffffffffffp-1000};
  (void)state;
  for (size_t k = 0; k < sizeof terms / sizeof *terms; k++) assert_true(value_of(&terms[k], 1) == terms[k]);
}

/* Terms of all sizes and their negatives leave what was added besides, however small. */
static void what_cancels_leaves_the_rest(void **state)
{
  struct test_random random = {11};
  (void)state;
  for (int trial = 0; trial < TRIALS; trial++) {
    double terms[2 * TERMS + 1];
    const double rest = test_random_normal(&random) * pow(2.0, test_random_integer(&random, -1000, 900));
    for (int k = 0; k < TERMS; k++) {
      terms[k] = test_random_normal(&random) * pow(2.0, test_random_integer(&random, -1000, 1000));
      terms[TERMS + 1 + k] = -terms[k];
    }
    terms[TERMS] = rest;
    assert_true(value_of(terms, 2 * TERMS + 1) == rest);
  }
}

/* Any order, and any division into parts that are merged, gives the same bits; long double is near. */
static void order_and_parts_do_not_matter(void **state)
{
  struct test_random random = {12};
  (void)state;
  for (int trial = 0; trial < TRIALS; trial++) {
    struct hs_accumulator parts[3] = {{{0}, 0}}, whole = {0};
    double terms[TERMS];
    long double near = 0.0L, size = 0.0L;
    for (int k = 0; k < TERMS; k++) {
      terms[k] = test_random_normal(&random) * pow(2.0, test_random_integer(&random, -30, 30));
      near += terms[k];
      size += fabs(terms[k]);
      hs_accumulator_add(&parts[test_random_integer(&random, 0, 2)], terms[k]);
    }
    for (int k = TERMS - 1; k >= 0; k--) hs_accumulator_add(&whole, terms[k]);
    for (int k = 0; k < 3; k++) hs_accumulator_carry(&parts[k]);
    hs_accumulator_merge(&parts[1], &parts[0]);
    hs_accumulator_merge(&parts[1], &parts[2]);
    assert_true(hs_accumulator_value(&parts[1]) == hs_accumulator_value(&whole));
    assert_true(fabsl(hs_accumulator_value(&whole) - near) <= 1e-16L * size);
  }
}

/* Carries may wait: many equal terms, between carries and without. */
static void many_terms_add_up(void **state)
{
  struct hs_accumulator sum = {0};
  (void)state;
  for (int k = 0; k < 3000000; k++) {
    hs_accumulator_add(&sum, -0.1);
    if (k % 1000 == 0) hs_accumulator_carry(&sum);
  }
  assert_true(hs_accumulator_value(&sum) == -3000000.0L * (long double)0.1);
}

static void what_is_not_finite_is_no_number(void **state)
{
  const double terms[3] = {1.0, INFINITY, -INFINITY}, missing[2] = {NAN, 1.0};
  (void)state;
  assert_true(isnan(value_of(terms, 3)));
  assert_true(isnan(value_of(missing, 2)));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(single_terms_are_kept),           cmocka_unit_test(what_cancels_leaves_the_rest),
      cmocka_unit_test(order_and_parts_do_not_matter),   cmocka_unit_test(many_terms_add_up),
      cmocka_unit_test(what_is_not_finite_is_no_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
