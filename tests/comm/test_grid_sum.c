/* Sums over a grid (src/comm/grid_sum.h): the same bits in every order and on every number of ranks, and hardly any rounding. */
#include "comm/grid_sum.h"

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
  struct hs_grid_sum sum = hs_grid_sum_zero();
  for (int k = first; k < end; k += step) hs_grid_sum_add(&sum, terms[k]);
  return sum;
}

static void order_changes_no_bit(void **state)
{
  double terms[TERMS], forward, other;
  struct hs_grid_sum all, backward = hs_grid_sum_zero();
  long double exact = 0.0L;
  (void)state;
  terms_make(terms);
  all = sum_of(terms, 0, TERMS, 1);
  forward = hs_grid_sum_value(&all);
  for (int k = TERMS - 1; k >= 0; k--) hs_grid_sum_add(&backward, terms[k]);
  other = hs_grid_sum_value(&backward);
  assert_memory_equal(&forward, &other, sizeof forward);
  for (int pieces = 2; pieces < 40; pieces++) {
    struct hs_grid_sum merged = hs_grid_sum_zero();
    for (int piece = pieces - 1; piece >= 0; piece--) {
      const struct hs_grid_sum part = sum_of(terms, piece, TERMS, pieces);
      hs_grid_sum_merge(&merged, &part);
    }
    other = hs_grid_sum_value(&merged);
    assert_memory_equal(&forward, &other, sizeof forward);
  }
  for (int k = 0; k < TERMS; k++)
    if (k != TERMS / 3 && k != TERMS / 2) exact += (long double)terms[k];
  assert_true(fabs(forward - (double)exact) <= 1e-13 * fabs(forward));
}

static void small_terms_beside_a_large_one_count(void **state)
{
  struct hs_grid_sum sum = hs_grid_sum_zero();
  (void)state;
  hs_grid_sum_add(&sum, 1e3);
  for (int k = 0; k < 1000000; k++) hs_grid_sum_add(&sum, 1e-7);
  hs_grid_sum_add(&sum, -1e3);
  assert_true(fabs(hs_grid_sum_value(&sum) - 0.1) <= 1e-15);
}

/* As after 2^30 terms: room for the next one is made by carrying. */
static void carries_lose_nothing(void **state)
{
  struct hs_grid_sum sum = hs_grid_sum_zero();
  (void)state;
  for (int k = 0; k < 300; k++) {
    hs_grid_sum_add(&sum, 0.1);
    if (k % 7 == 0) sum.room = 0;
  }
  assert_true(fabs(hs_grid_sum_value(&sum) - 300 * 0.1) <= 1e-14);
  assert_true(sum.room > 0);
}

static void what_is_no_number_is_told(void **state)
{
  const double odd[] = {NAN, INFINITY, -INFINITY, 1e300};
  (void)state;
  for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
    struct hs_grid_sum sum = hs_grid_sum_zero();
    hs_grid_sum_add(&sum, 1.0);
    hs_grid_sum_add(&sum, odd[k]);
    hs_grid_sum_add(&sum, 1.0);
    assert_true(isnan(hs_grid_sum_value(&sum)));
  }
}

static void ranks_body(struct hs_comm *comm, void *context)
{
  const double *expected = context;
  double terms[TERMS], value[2] = {0.0, 0.0};
  struct hs_grid_sum sums[2];
  terms_make(terms);
  sums[0] = sum_of(terms, hs_comm_rank(comm), TERMS, hs_comm_size(comm));
  sums[1] = hs_grid_sum_zero();
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
      cmocka_unit_test(order_changes_no_bit), cmocka_unit_test(small_terms_beside_a_large_one_count),
      cmocka_unit_test(carries_lose_nothing), cmocka_unit_test(what_is_no_number_is_told),
      cmocka_unit_test(ranks_change_no_bit),
  };
  return cmocka_run_group_tests_name("grid_sum", tests, NULL, NULL);
}
