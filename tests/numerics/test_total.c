/* Sums that no order changes (numerics/total.h), against sums in long double. */
#include "numerics/total.h"

#include <stdlib.h>

#include "support.h"

enum { TERMS = 500, ORDERS = 20 };

static void total_add(struct hs_total *total, double term)
{
  double splitter[3];
  hs_total_raise(total, hs_total_bin(term));
  for (int k = 0; k < 3; k++) splitter[k] = hs_total_splitter(total->top - k);
  hs_total_split(term, splitter, &total->sum[0], &total->sum[1], &total->sum[2]);
}

static bool totals_same(const struct hs_total *a, const struct hs_total *b)
{
  return a->top == b->top && test_same(a->sum[0], b->sum[0]) && test_same(a->sum[1], b->sum[1]) &&
         test_same(a->sum[2], b->sum[2]);
}

/* Signed terms whose exponents lie within 2^low ... 2^high. */
static void terms_fill(struct test_random *random, int low, int high, double *term)
{
  for (int k = 0; k < TERMS; k++)
    term[k] = ldexp(test_random_between(random, -1.0, 1.0), test_random_integer(random, low, high));
}

static void shuffle(struct test_random *random, double *term)
{
  for (int k = TERMS - 1; k > 0; k--) {
    const int other = test_random_integer(random, 0, k);
    const double kept = term[k];
    term[k] = term[other];
    term[other] = kept;
  }
}

/* Some parts are summed apart and merged. */
static struct hs_total total_in_parts(struct test_random *random, const double *term)
{
  struct hs_total all = hs_total_zero();
  for (int from = 0, to; from < TERMS; from = to) {
    struct hs_total part = hs_total_zero();
    to = from + test_random_integer(random, 1, TERMS / 3);
    for (int k = from; k < to && k < TERMS; k++) total_add(&part, term[k]);
    hs_total_merge(&all, &part);
  }
  return all;
}

static void no_order_changes_a_bit(void **state)
{
  static const int spans[][2] = {{0, 1}, {-40, 40}, {-900, 900}, {-1074, -1000}, {-30, 0}};
  (void)state;
  for (size_t s = 0; s < sizeof spans / sizeof *spans; s++) {
    struct test_random random = {s + 1};
    struct hs_total first = hs_total_zero();
    double term[TERMS];
    terms_fill(&random, spans[s][0], spans[s][1], term);
    for (int k = 0; k < TERMS; k++) total_add(&first, term[k]);
    for (int order = 0; order < ORDERS; order++) {
      struct hs_total again;
      shuffle(&random, term);
      again = total_in_parts(&random, term);
      assert_true(totals_same(&first, &again));
    }
  }
}

/* What is lost of a term is at most 2^-48 of the largest one. */
static void the_value_is_that_of_the_sum(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    struct test_random random = {seed};
    struct hs_total total = hs_total_zero();
    long double wanted = 0.0L;
    double term[TERMS], largest = 0.0;
    terms_fill(&random, -60, test_random_integer(&random, -60, 60), term);
    for (int k = 0; k < TERMS; k++) {
      total_add(&total, term[k]);
      wanted += term[k];
      largest = fmax(largest, fabs(term[k]));
    }
    assert_true(fabsl(wanted - hs_total_value(&total)) <= (long double)(TERMS * ldexp(largest, -48)));
  }
}

/* Large terms that cancel leave what is small, to that measure. */
static void terms_that_cancel_leave_the_rest(void **state)
{
  struct hs_total total = hs_total_zero();
  (void)state;
  total_add(&total, 0x1p40);
  total_add(&total, 3.0);
  total_add(&total, -0x1p40);
  assert_true(test_same(hs_total_value(&total), 3.0));
}

static void what_is_no_number_stays_so(void **state)
{
  static const double odd[] = {INFINITY, -INFINITY, NAN};
  (void)state;
  for (int k = 0; k < 3; k++) {
    struct hs_total total = hs_total_zero();
    total_add(&total, 1.0);
    total_add(&total, odd[k]);
    total_add(&total, 2.0);
    assert_false(isfinite(hs_total_value(&total)));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_order_changes_a_bit),
      cmocka_unit_test(the_value_is_that_of_the_sum),
      cmocka_unit_test(terms_that_cancel_leave_the_rest),
      cmocka_unit_test(what_is_no_number_stays_so),
  };
  return cmocka_run_group_tests_name("totals", tests, NULL, NULL);
}
