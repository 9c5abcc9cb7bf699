/* Steps that are adapted to a tolerance. */
#include "time/square.h"

#include <math.h>
#include <stdlib.h>

static void adaptive_steps_meet_their_tolerance(void **state)
{
  static const double tolerances_k[] = {1e-2, 1e-3, 1e-4};
  (void)state;
  for (int k = 0; k < 6; k++) {
    const enum hs_scheme scheme = k % 2 ? HS_SCHEME_CRANK_NICOLSON : HS_SCHEME_BACKWARD_EULER;
    struct hs_transient_settings settings = square_settings(scheme, 0.2, 0.05);
    struct hs_system *system = square_system(scheme, settings.step_s);
    double *field_k = square_mode(system);
    struct hs_transient_outcome o;
    settings.adaptive = true;
    settings.step_tolerance_k = tolerances_k[k / 2];
    settings.method = HS_METHOD_CHEBYSHEV;
    o = square_run(system, &settings, field_k, NULL);
    assert_int_equal(o.verdict, HS_VERDICT_COMPLETED);
    assert_true(o.step_error_k <= settings.step_tolerance_k && o.step_error_k > 0.1 * settings.step_tolerance_k);
    assert_true(o.time_s == 0.2);
    assert_true(o.steps_at_minimum == 0);
    if (k == 4) assert_true(o.rejected_steps > 0 && o.step_smallest_s < 0.5 * o.step_largest_s);
    /* the two half steps are at least as good as the difference says; a mode that decays forgets */
    square_assert_mode(system, field_k, exp(-square_mode_rate() * 0.2), (double)o.steps * settings.step_tolerance_k);
    free(field_k);
    hs_system_destroy(system);
  }
}

/* A tolerance that cannot be met: the run goes on with the least step, and says so. */
static void least_step_goes_on_and_is_told(void **state)
{
  struct hs_transient_settings settings = square_settings(HS_SCHEME_BACKWARD_EULER, 0.02, 0.004);
  struct hs_system *system = square_system(settings.scheme, settings.step_s);
  double *field_k = square_mode(system);
  struct hs_transient_outcome o;
  (void)state;
  settings.adaptive = true;
  settings.step_tolerance_k = 1e-9;
  settings.step_min_s = 0.002;
  o = square_run(system, &settings, field_k, NULL);
  assert_int_equal(o.verdict, HS_VERDICT_COMPLETED);
  assert_int_equal(o.steps, 10);
  assert_int_equal(o.steps_at_minimum, 10);
  test_near("least step", o.step_smallest_s, 0.002, 1e-15);
  assert_true(o.step_error_k > settings.step_tolerance_k);
  free(field_k);
  hs_system_destroy(system);
}

/* In single precision steps for a tolerance below rounding would become so short that the field stands still. */
static void adaptive_steps_move_a_rounded_field(void **state)
{
  struct hs_transient_settings settings = square_settings(HS_SCHEME_CRANK_NICOLSON, 0.02, 0.001);
  struct hs_system *system = square_system(settings.scheme, settings.step_s);
  double *field_k = square_mode(system);
  struct hs_transient_outcome o;
  (void)state;
  settings.adaptive = settings.single = true;
  settings.step_tolerance_k = 1e-9;
  o = square_run(system, &settings, field_k, NULL);
  assert_int_equal(o.verdict, HS_VERDICT_COMPLETED);
  assert_true(o.steps < 1000 && o.step_smallest_s > 1e-6);
  assert_true(o.step_error_k > settings.step_tolerance_k && o.steps_at_minimum == 0);
  square_assert_mode(system, field_k, exp(-square_mode_rate() * 0.02), 1e-3);
  free(field_k);
  hs_system_destroy(system);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(adaptive_steps_meet_their_tolerance),
      cmocka_unit_test(least_step_goes_on_and_is_told),
      cmocka_unit_test(adaptive_steps_move_a_rounded_field),
  };
  return cmocka_run_group_tests_name("adaptive", tests, NULL, NULL);
}
