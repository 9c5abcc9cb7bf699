/* Sums over a grid (src/comm/grid_sum.h): exact, in every order and on every number of ranks. */
#include "comm/grid_sum.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "comm/ranks.h"
#include "support.h"

enum { TERMS = 20000, RANKS_MOST = 7 };

/* Terms of very different sizes, most of which cancel. */
static void terms_make(double *terms)
{
  struct test_random random = {11};
  for (int k = 0; k < TERMS; k++)
    terms[k] = test_random_between(&random, -1.0, 1.0) * pow(10.0, test_random_between(&random, -9.0, 6.0));
  terms[TERMS / 3] = 7.1e12; /* which only one part has */
  terms[TERMS / 2] = -7.1e12;
}

static struct hs_grid_sum sum_of(const double *terms, int first, int end, int step)
{
  struct hs_grid_sum sum = {{0}, 0, 0};
  for (int k = first; k < end; k += step) hs_grid_sum_add(&sum, terms[k]);
  return sum;
}

static void order_changes_no_bit(void **state)
{
  double terms[TERMS], forward, other;
  struct hs_grid_sum all, backward = {{0}, 0, 0};
  long double exact = 0.0L;
  (void)state;
  terms_make(terms);
  all = sum_of(terms, 0, TERMS, 1);
  forward = hs_grid_sum_value(&all);
  for (int k = TERMS - 1; k >= 0; k--) hs_grid_sum_add(&backward, terms[k]);
  other = hs_grid_sum_value(&backward);
  assert_memory_equal(&forward, &other, sizeof forward);
  for (int pieces = 2; pieces < 40; pieces++) {
    struct hs_grid_sum merged = {{0}, 0, 0};
    for (int piece = pieces - 1; piece >= 0; piece--) {
      const struct hs_grid_sum part = sum_of(terms, piece, TERMS, pieces);
      hs_grid_sum_merge(&merged, &part);
    }
    other = hs_grid_sum_value(&merged);
    assert_memory_equal(&forward, &other, sizeof forward);
  }
  for (int k = 0; k < TERMS; k++)
    if (k != TERMS / 3 && k != TERMS / 2) exact += (long double)terms[k];
  assert_true(fabsl(forward - exact) <= 1e-15L * fabsl(exact));
}

static double value_of(const double *terms, int count)
{
  struct hs_grid_sum sum = {{0}, 0, 0};
  for (int k = 0; k < count; k++) hs_grid_sum_add(&sum, terms[k]);
  return hs_grid_sum_value(&sum);
}

/* Terms added at once, with runs of one exponent longer than are added up in one integer, and with terms that are not finite. */
static void terms_at_once_are_terms_one_by_one(void **state)
{
  enum { RUN = 5000 };
  static double terms[TERMS + 2 * RUN];
  struct hs_grid_sum one_by_one, at_once = {{0}, 0, 0};
  double expected, other;
  (void)state;
  terms_make(terms);
  for (int k = 0; k < RUN; k++) terms[TERMS + k] = 0x1.fffffffffffffp9;
  for (int k = 0; k < RUN; k++) terms[TERMS + RUN + k] = k < RUN / 2 ? -0.0 : -0x0.fffffffffffffp-1022;
  one_by_one = sum_of(terms, 0, TERMS + 2 * RUN, 1);
  hs_grid_sum_add_all(&at_once, terms, TERMS + 2 * RUN);
  expected = hs_grid_sum_value(&one_by_one);
  other = hs_grid_sum_value(&at_once);
  assert_memory_equal(&expected, &other, sizeof expected);
  hs_grid_sum_carry(&one_by_one);
  hs_grid_sum_carry(&at_once);
  assert_memory_equal(one_by_one.digit, at_once.digit, sizeof at_once.digit);
  hs_grid_sum_add_all(&at_once, (const double[4]){1.0, INFINITY, INFINITY, NAN}, 4);
  assert_int_equal(at_once.not_finite, 3);
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
  enum { PAIRS = 300 };
  struct test_random random = {11};
  (void)state;
  for (int trial = 0; trial < 200; trial++) {
    double terms[2 * PAIRS + 1];
    const double rest = test_random_normal(&random) * pow(2.0, test_random_integer(&random, -1000, 900));
    for (int k = 0; k < PAIRS; k++) {
      terms[k] = test_random_normal(&random) * pow(2.0, test_random_integer(&random, -1000, 1000));
      terms[PAIRS + 1 + k] = -terms[k];
    }
    terms[PAIRS] = rest;
    assert_true(value_of(terms, 2 * PAIRS + 1) == rest);
  }
}

/* As after very many terms: carries make room for the next one. */
static void carries_lose_nothing(void **state)
{
  struct hs_grid_sum sum = {{0}, 0, 0};
  long double exact = 0.0L;
  (void)state;
  for (int k = 0; k < 3000; k++) {
    hs_grid_sum_add(&sum, -0.1);
    exact -= (long double)0.1;
    if (k % 7 == 0) sum.terms = INT32_MAX;
  }
  assert_true(hs_grid_sum_value(&sum) == (double)exact);
  assert_true(sum.terms < 10);
}

static void what_is_no_number_is_told(void **state)
{
  const double odd[] = {NAN, INFINITY, -INFINITY};
  (void)state;
  for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
    const double terms[] = {1.0, odd[k], 1.0};
    assert_true(isnan(value_of(terms, 3)));
  }
}

static void ranks_body(struct hs_comm *comm, void *context)
{
  const double *expected = context;
  double terms[TERMS], value[2] = {0.0, 0.0};
  struct hs_grid_sum sums[2] = {{{0}, 0, 0}, {{0}, 0, 0}};
  terms_make(terms);
  sums[0] = sum_of(terms, hs_comm_rank(comm), TERMS, hs_comm_size(comm));
  test_rank_require(comm, hs_grid_sums_join(comm, sums, 2, value, NULL) == HS_OK);
  test_rank_require(comm, memcmp(value, expected, sizeof *value) == 0 && value[1] == 0.0);
}

static void ranks_change_no_bit(void **state)
{
  double terms[TERMS], expected;
  struct hs_grid_sum all;
  (void)state;
  terms_make(terms);
  all = sum_of(terms, 0, TERMS, 1);
  expected = hs_grid_sum_value(&all);
  for (int ranks = 1; ranks <= RANKS_MOST; ranks++) test_ranks_run(ranks, ranks_body, &expected);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_changes_no_bit),  cmocka_unit_test(terms_at_once_are_terms_one_by_one),
      cmocka_unit_test(single_terms_are_kept), cmocka_unit_test(what_cancels_leaves_the_rest),
      cmocka_unit_test(carries_lose_nothing),  cmocka_unit_test(what_is_no_number_is_told),
      cmocka_unit_test(ranks_change_no_bit),
  };
  return cmocka_run_group_tests_name("grid_sum", tests, NULL, NULL);
}
