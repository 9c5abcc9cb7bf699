/* Equal steps, and steps that are rounded parts of an interval. */
#include "time/square.h"

#include <math.h>
#include <stdlib.h>

#include "time/steps.h"

static void lengths_are_even_where_rounding_would_leave_a_sliver(void **state)
{
  static const struct {
    double interval_s, step_s, longest_s, length_s, count;
  } cases[] = {
      {10.0, 0.1, INFINITY, 0.1, 100.0},                         /* divides it */
      {10.0, 0.0277777777777, INFINITY, 10.0 / 360.0, 360.0},    /* rounded down */
      {10.0, 0.02777777, INFINITY, 10.0 / 360.0, 360.0},         /* to seven digits */
      {10.0, 0.02777, INFINITY, 0.02777, 361.0},                 /* not meant to */
      {10.0, 0.0277777777778, INFINITY, 0.0277777777778, 360.0}, /* rounded up: the last one is a little shorter */
      {10.0, 0.0277777777777, 0.0277777777777, 0.0277777777777, 361.0}, /* a longer one would be unstable */
      {1.0, 0.3, INFINITY, 0.3, 4.0},
      {1.0, 3.0, INFINITY, 3.0, 1.0},
      {1e9, 0.333333333, INFINITY, 0.333333333, 3000000003.0}, /* a rest of whole steps */
  };
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const double length_s = hs_steps_length(cases[k].interval_s, cases[k].step_s, cases[k].longest_s);
    const double count = hs_steps_count(cases[k].interval_s, cases[k].step_s, cases[k].longest_s);
    if (length_s != cases[k].length_s || count != cases[k].count)
      fail_msg("%.17g s in steps of %.17g s: %.0f of %.17g s", cases[k].interval_s, cases[k].step_s, count, length_s);
  }
}

/* Runs of 30 steps whose length was written with 9 digits: all are equal, none follows, and snapshots change nothing. */
static void runs_make_no_sliver(void **state)
{
  static const enum hs_scheme schemes[] = {HS_SCHEME_EXPLICIT, HS_SCHEME_BACKWARD_EULER, HS_SCHEME_CRANK_NICOLSON};
  static const double times_s[] = {0.004, 0.008};
  const double end_s = 0.01, step_s = 0.000333333333;
  (void)state;
  for (int s = 0; s < 6; s++) {
    struct hs_transient_settings settings = square_settings(schemes[s % 3], end_s, step_s);
    struct hs_system *system = square_system(schemes[s % 3], step_s);
    double *field_k = square_mode(system);
    const double z = square_mode_rate() * (end_s / 30.0);
    const double factor = s % 3 == 0 ? 1.0 - z : s % 3 == 1 ? 1.0 / (1.0 + z) : (1.0 - 0.5 * z) / (1.0 + 0.5 * z);
    struct hs_transient_outcome o;
    system->stable_step_s = 0.25 * SQUARE_H * SQUARE_H;
    settings.snapshots_s = times_s;
    settings.snapshot_count = s < 3 ? 0 : 2;
    o = square_run(system, &settings, field_k, NULL);
    assert_int_equal(o.verdict, HS_VERDICT_COMPLETED);
    assert_int_equal(o.steps, 30);
    assert_true(o.time_s == end_s);
    test_near("smallest", o.step_smallest_s, end_s / 30.0, 1e-15);
    test_near("largest", o.step_largest_s, end_s / 30.0, 1e-15);
    square_assert_mode(system, field_k, pow(factor, 30.0), 1e-9);
    free(field_k);
    hs_system_destroy(system);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lengths_are_even_where_rounding_would_leave_a_sliver),
      cmocka_unit_test(runs_make_no_sliver),
  };
  return cmocka_run_group_tests_name("steps", tests, NULL, NULL);
}
