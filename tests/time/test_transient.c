/* Time steps: factors of eigenmodes against closed forms, and what insulated boxes conserve. */
#include "time/square.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "time/discretisation.h"

static const double PI = 3.14159265358979323846;
static const enum hs_method METHODS[] = {HS_METHOD_JACOBI, HS_METHOD_WEIGHTED, HS_METHOD_CHEBYSHEV,
                                         HS_METHOD_MULTIGRID};

/* --- factors of an eigenmode --------------------------------------------------------------------- */

/* 1 - 8 r sin^2(pi h/2) a step. A step adds at most 3 eps by rounding (the update's 1.5, the subtraction and the fma),
 * and enlarges nothing; the power itself is known to STEPS eps. */
static void explicit_mode_shrinks_by_its_factor(void **state)
{
  enum { STEPS = 500 };
  static const double r[] = {0.05, 0.2, 0.25};
  (void)state;
  for (int k = 0; k < 3; k++) {
    const double step_s = r[k] * SQUARE_H * SQUARE_H;
    const double factor = 1.0 - 8.0 * r[k] * sin(0.5 * PI * SQUARE_H) * sin(0.5 * PI * SQUARE_H);
    const struct hs_transient_settings settings = square_settings(HS_SCHEME_EXPLICIT, STEPS * step_s, step_s);
    struct hs_system *system = square_system(HS_SCHEME_EXPLICIT, step_s);
    double *field_k = square_mode(system);
    const struct hs_transient_outcome o = square_run(system, &settings, field_k, NULL);
    assert_int_equal(o.verdict, HS_VERDICT_COMPLETED);
    assert_int_equal(o.steps, STEPS);
    assert_int_equal(o.sweeps, STEPS);
    assert_true(o.time_s == settings.end_s);
    square_assert_mode(system, field_k, pow(factor, STEPS), 6.0 * STEPS * DBL_EPSILON);
    free(field_k);
    hs_system_destroy(system);
  }
}

/* 1/(1 + rate dt) and (1 - rate dt/2)/(1 + rate dt/2) a step, whatever the method; an error made in a step is not
 * enlarged by the ones that follow. */
static void implicit_modes_shrink_by_their_factors(void **state)
{
  enum { STEPS = 20 };
  static const double steps_s[] = {1e-4, 2e-3, 0.05};
  (void)state;
  for (int k = 0; k < 4 * 3 * 2; k++) {
    const enum hs_scheme scheme = k % 2 ? HS_SCHEME_CRANK_NICOLSON : HS_SCHEME_BACKWARD_EULER;
    const double step_s = steps_s[k / 2 % 3], z = square_mode_rate() * step_s;
    const double factor = k % 2 ? (1.0 - 0.5 * z) / (1.0 + 0.5 * z) : 1.0 / (1.0 + z);
    struct hs_transient_settings settings = square_settings(scheme, STEPS * step_s, step_s);
    struct hs_system *system = square_system(scheme, step_s);
    double *field_k = square_mode(system);
    struct hs_transient_outcome o;
    settings.method = METHODS[k / 6];
    o = square_run(system, &settings, field_k, NULL);
    assert_int_equal(o.verdict, HS_VERDICT_COMPLETED);
    assert_int_equal(o.steps, STEPS);
    assert_true(o.inner_error_k <= settings.inner_tolerance_k);
    assert_true(o.step_smallest_s == step_s && o.step_largest_s == step_s);
    square_assert_mode(system, field_k, pow(factor, STEPS), STEPS * settings.inner_tolerance_k);
    free(field_k);
    hs_system_destroy(system);
  }
}

/* Damped steps of Crank-Nicolson are two of backward Euler, each of half the length. */
static void damped_modes_shrink_by_two_halves(void **state)
{
  enum { STEPS = 6, DAMPED = 2 };
  static const double steps_s[] = {1e-4, 2e-3, 0.05};
  (void)state;
  for (int k = 0; k < 4 * 3; k++) {
    const double step_s = steps_s[k % 3], z = 0.5 * square_mode_rate() * step_s;
    const double factor = pow((1.0 - z) / (1.0 + z), STEPS - DAMPED) * pow(1.0 / (1.0 + z), 2 * DAMPED);
    struct hs_transient_settings settings = square_settings(HS_SCHEME_CRANK_NICOLSON, STEPS * step_s, step_s);
    struct hs_system *system = square_system(settings.scheme, step_s);
    double *field_k = square_mode(system);
    struct hs_transient_outcome o;
    settings.method = METHODS[k / 3];
    settings.damped_steps = DAMPED;
    o = square_run(system, &settings, field_k, NULL);
    assert_int_equal(o.verdict, HS_VERDICT_COMPLETED);
    assert_int_equal(o.steps, STEPS);
    assert_true(o.step_smallest_s == step_s && o.step_largest_s == step_s);
    square_assert_mode(system, field_k, factor, (STEPS + DAMPED) * settings.inner_tolerance_k);
    free(field_k);
    hs_system_destroy(system);
  }
}

/* A field of 1 between walls of 0, by so many steps up to 0.1 s, with snapshots in the first step or without: the
 * temperature beside the middle of a wall, to which the heat that goes there is proportional. */
static double after_a_jump(int steps, int damped, int snapshots)
{
  struct hs_transient_settings settings = square_settings(HS_SCHEME_CRANK_NICOLSON, 0.1, 0.1 / steps);
  struct hs_system *system = square_system(settings.scheme, settings.step_s);
  static const double early_s[] = {1e-5, 2e-5};
  double *field_k = square_mode(system), beside_k;
  for (int j = 1; j < SQUARE_N; j++)
    for (int i = 1; i < SQUARE_N; i++) field_k[j * (SQUARE_N + 1) + i] = 1.0;
  settings.method = HS_METHOD_MULTIGRID;
  settings.damped_steps = damped;
  settings.snapshots_s = early_s;
  settings.snapshot_count = snapshots;
  assert_int_equal(square_run(system, &settings, field_k, NULL).verdict, HS_VERDICT_COMPLETED);
  beside_k = field_k[SQUARE_N / 2 * (SQUARE_N + 1) + 1];
  free(field_k);
  hs_system_destroy(system);
  return beside_k;
}

/* It rings without damped steps; with them the error falls with the square of the step. */
static void jumps_at_the_start_do_not_ring(void **state)
{
  const double exact = after_a_jump(4096, 2, 0);
  double error[3];
  (void)state;
  for (int k = 0; k < 3; k++) error[k] = fabs(after_a_jump(8 << k, 2, 0) / exact - 1.0);
  assert_true(fabs(after_a_jump(8, 0, 0) / exact - 1.0) > 0.5);
  for (int k = 1; k <= 2; k++) assert_true(fabs(after_a_jump(8, 2, k) / exact - 1.0) < 0.05);
  assert_true(error[0] < 0.03);
  for (int k = 1; k < 3; k++) test_near("order", log2(error[k - 1] / error[k]), 2.0, 0.3);
}

/* The acceleration is one: long steps take it far fewer sweeps. */
static void chebyshev_saves_sweeps_of_long_steps(void **state)
{
  int64_t sweeps[3];
  (void)state;
  for (int k = 0; k < 3; k++) {
    struct hs_transient_settings settings = square_settings(HS_SCHEME_BACKWARD_EULER, 0.5, 0.05);
    struct hs_system *system = square_system(settings.scheme, settings.step_s);
    double *field_k = square_mode(system);
    settings.method = METHODS[k];
    sweeps[k] = square_run(system, &settings, field_k, NULL).sweeps;
    free(field_k);
    hs_system_destroy(system);
  }
  if (!(3 * sweeps[2] < sweeps[0]))
    fail_msg("%lld sweeps plain, %lld weighted, %lld Chebyshev", (long long)sweeps[0], (long long)sweeps[1],
             (long long)sweeps[2]);
}

/* The changes of a single mode differ by a factor alone, which cycles find before they begin: one is left to tell so. */
static void cycles_begin_with_the_change_of_the_step_before(void **state)
{
  enum { STEPS = 20 };
  (void)state;
  for (int k = 0; k < 2; k++) {
    const enum hs_scheme scheme = k ? HS_SCHEME_CRANK_NICOLSON : HS_SCHEME_BACKWARD_EULER;
    int64_t cycles[2];
    for (int all = 0; all < 2; all++) {
      struct hs_transient_settings settings = square_settings(scheme, (all ? STEPS : 1) * 0.002, 0.002);
      struct hs_system *system = square_system(scheme, settings.step_s);
      double *field_k = square_mode(system);
      settings.method = HS_METHOD_MULTIGRID;
      settings.inner_tolerance_k = 1e-6;
      cycles[all] = square_run(system, &settings, field_k, NULL).sweeps;
      free(field_k);
      hs_system_destroy(system);
    }
    if (cycles[0] < 3 || cycles[1] != cycles[0] + STEPS - 1)
      fail_msg("%lld cycles for a step, %lld for %d", (long long)cycles[0], (long long)cycles[1], STEPS);
  }
}

/* Single precision: inner solutions end where rounding begins, and the bound says what that costs. */
static void single_precision_steps_end(void **state)
{
  (void)state;
  for (int k = 0; k < 4; k++) {
    struct hs_transient_settings settings = square_settings(HS_SCHEME_BACKWARD_EULER, 0.02, 0.001);
    struct hs_system *system = square_system(settings.scheme, settings.step_s);
    double *field_k = square_mode(system);
    struct hs_transient_outcome o;
    settings.single = true;
    settings.method = METHODS[k];
    o = square_run(system, &settings, field_k, NULL);
    assert_int_equal(o.verdict, HS_VERDICT_COMPLETED);
    assert_true(o.inner_error_k > settings.inner_tolerance_k && o.inner_error_k < 1e-3);
    assert_true(o.sweeps < 20 * 200);
    square_assert_mode(system, field_k, pow(1.0 / (1.0 + 0.001 * square_mode_rate()), 20), 20 * o.inner_error_k);
    free(field_k);
    hs_system_destroy(system);
  }
}

/* An inner solution that is not granted its sweeps. */
static void too_few_sweeps_are_told(void **state)
{
  struct hs_transient_settings settings = square_settings(HS_SCHEME_BACKWARD_EULER, 1.0, 0.1);
  struct hs_system *system = square_system(settings.scheme, settings.step_s);
  double *field_k = square_mode(system);
  struct hs_transient_outcome o;
  (void)state;
  settings.max_iterations = 20;
  o = square_run(system, &settings, field_k, NULL);
  assert_int_equal(o.verdict, HS_VERDICT_LIMIT);
  assert_int_equal(o.steps, 0);
  assert_true(o.inner_error_k > settings.inner_tolerance_k);
  assert_int_equal(hs_verdict_exit_code(o.verdict), 3);
  assert_int_equal(hs_verdict_exit_code(HS_VERDICT_COMPLETED), 0);
  assert_string_equal(hs_verdict_name(HS_VERDICT_COMPLETED), "completed");
  free(field_k);
  hs_system_destroy(system);
}

/* --- conservation -------------------------------------------------------------------------------- */

enum { BOX_X = 20, BOX_Y = 14 };

static double box_conductivity(int i, int j)
{
  return i >= 8 && i < 15 && j >= 3 && j < 9 ? 50.0 : 0.5;
}

static double box_face(int i, int j, int k, int l)
{
  const double a = box_conductivity(i, j), b = box_conductivity(k, l);
  return 2.0 * a * b / (a + b);
}

/* An insulated box of cells, two materials. */
static struct hs_node_law box_law(void *context, int i, int j)
{
  struct hs_node_law law = {.capacity_j_mk = box_conductivity(i, j) > 1.0 ? 3.5 : 1.25};
  (void)context;
  if (i > 0) law.west = box_face(i, j, i - 1, j);
  if (i < BOX_X - 1) law.east = box_face(i, j, i + 1, j);
  if (j > 0) law.south = box_face(i, j, i, j - 1);
  if (j < BOX_Y - 1) law.north = box_face(i, j, i, j + 1);
  return law;
}

static double box_content(const double *field_k)
{
  long double sum = 0.0L;
  for (int j = 0; j < BOX_Y; j++)
    for (int i = 0; i < BOX_X; i++) sum += (long double)box_law(NULL, i, j).capacity_j_mk * field_k[j * BOX_X + i];
  return (double)sum;
}

/* Explicit steps lose 3 eps of a node's heat at most each, times the largest temperature, and not in one direction;
 * implicit ones what their inner solution lacks. */
static void insulated_box_keeps_its_heat(void **state)
{
  static const enum hs_scheme schemes[] = {HS_SCHEME_EXPLICIT, HS_SCHEME_BACKWARD_EULER, HS_SCHEME_CRANK_NICOLSON};
  (void)state;
  for (int s = 0; s < 3; s++) {
    const double step_s = s ? 2.0 : 0.015;
    const int steps = s ? 50 : 10000;
    struct hs_system *system = test_system_of_laws(BOX_X, BOX_Y, 1.0, 1.0, box_law, NULL);
    struct hs_transient_settings settings = square_settings(schemes[s], steps * step_s, step_s);
    double *field_k = test_field(system), before, capacity = 0.0;
    struct hs_transient_outcome o;
    settings.method = HS_METHOD_CHEBYSHEV;
    (void)hs_system_discretise(system, schemes[s], step_s, NULL, NULL, NULL);
    for (int j = 0; j < BOX_Y; j++) {
      for (int i = 0; i < BOX_X; i++) {
        field_k[j * BOX_X + i] = i < 5 ? 100.0 : 20.0 + j;
        capacity += box_law(NULL, i, j).capacity_j_mk;
      }
    }
    before = box_content(field_k);
    o = square_run(system, &settings, field_k, NULL);
    assert_int_equal(o.steps, steps);
    test_near("heat", box_content(field_k), before,
              s ? steps * settings.inner_tolerance_k * capacity : 3.0 * DBL_EPSILON * steps * before);
    assert_true(field_k[0] < 99.0); /* something has happened */
    free(field_k);
    hs_system_destroy(system);
  }
}

/* Stencils of a steady run know no step: a copy of them would be memory for nothing. */
static void steady_runs_have_one_discretisation(void **state)
{
  struct hs_system *system = square_system(HS_SCHEME_STEADY, 0.0);
  struct hs_discretisation d;
  struct hs_error err;
  (void)state;
  assert_int_equal(hs_discretisation_begin(&d, NULL, system, HS_SCHEME_STEADY, 0.0, 1.0, &err), HS_OK);
  assert_ptr_equal(d.now, system);
  hs_discretisation_clear(&d);
  assert_int_equal(hs_discretisation_begin(&d, NULL, system, HS_SCHEME_EXPLICIT, 0.0, 1.0, &err), HS_OK);
  assert_ptr_not_equal(d.now, system);
  hs_discretisation_clear(&d);
  hs_system_destroy(system);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(explicit_mode_shrinks_by_its_factor),
      cmocka_unit_test(implicit_modes_shrink_by_their_factors),
      cmocka_unit_test(damped_modes_shrink_by_two_halves),
      cmocka_unit_test(jumps_at_the_start_do_not_ring),
      cmocka_unit_test(chebyshev_saves_sweeps_of_long_steps),
      cmocka_unit_test(cycles_begin_with_the_change_of_the_step_before),
      cmocka_unit_test(single_precision_steps_end),
      cmocka_unit_test(too_few_sweeps_are_told),
      cmocka_unit_test(insulated_box_keeps_its_heat),
      cmocka_unit_test(steady_runs_have_one_discretisation),
  };
  return cmocka_run_group_tests_name("transient", tests, NULL, NULL);
}
