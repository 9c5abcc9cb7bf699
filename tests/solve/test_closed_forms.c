/* Fields against closed forms: second order in the spacing. */
#include "solve/cases.h"

#include <math.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

enum { GRIDS = 4, MOST_VALUES = 4 };

static const int INTERVALS[GRIDS] = {16, 32, 64, 128};

/* Slope of log(error) over log(h), least squares. */
static double convergence_order(const double *error)
{
  double x_mean = 0.0, y_mean = 0.0, xy = 0.0, xx = 0.0;
  for (int k = 0; k < GRIDS; k++) {
    x_mean += log(1.0 / INTERVALS[k]) / GRIDS;
    y_mean += log(error[k]) / GRIDS;
  }
  for (int k = 0; k < GRIDS; k++) {
    const double x = log(1.0 / INTERVALS[k]) - x_mean;
    xy += x * (log(error[k]) - y_mean);
    xx += x * x;
  }
  return xy / xx;
}

static void assert_second_order(const char *what, const double *error)
{
  for (int k = 0; k < GRIDS; k++) assert_true(error[k] > 0.0);
  test_near(what, convergence_order(error), 2.0, 0.1);
}

static double value_at(const double *field_k, int n, double x, double y)
{
  return field_k[(int)(y * n) * (n + 1) + (int)(x * n)];
}

/* Series of the unit square with one side at 100, `distance` from the opposite side, on the centre line. */
static double hot_side_series(double distance)
{
  double sum = 0.0;
  for (int k = 199; k >= 1; k -= 2)
    sum += 400.0 / (k * PI) * sin(0.5 * k * PI) * exp(k * PI * (distance - 1.0)) *
           (1.0 - exp(-2.0 * k * PI * distance)) / (1.0 - exp(-2.0 * k * PI));
  return sum;
}

/* The hot side is each of the four in turn. */
static void hot_side_converges_at_second_order(void **state)
{
  const double near_exact = hot_side_series(0.25), far_exact = hot_side_series(0.75);
  (void)state;
  test_near("published value", near_exact, 9.541412, 5e-7);
  test_near("published value", far_exact, 54.052922, 5e-7);
  for (int side = 0; side < HS_SIDES; side++) {
    const bool in_x = side == HS_WEST || side == HS_EAST;
    const double cold = side == HS_WEST || side == HS_SOUTH ? 0.75 : 0.25;
    double near_error[GRIDS], far_error[GRIDS];
    for (int k = 0; k < GRIDS; k++) {
      const int n = INTERVALS[k];
      struct hs_config config = test_config(n + 1, n + 1);
      struct test_run run;
      test_wall_temperature(&config, (enum hs_side)side, 100.0);
      config.solver.tolerance = 1e-10;
      test_run_start(&run, &config, NULL);
      test_near("centre", run.result.answers.center_k, 25.0, 1e-7);
      near_error[k] = fabs(value_at(run.result.field_k, n, in_x ? cold : 0.5, in_x ? 0.5 : cold) - near_exact);
      far_error[k] = fabs(value_at(run.result.field_k, n, in_x ? 1 - cold : 0.5, in_x ? 0.5 : 1 - cold) - far_exact);
      test_run_clear(&run);
    }
    assert_second_order("order at 0.25", near_error);
    assert_second_order("order at 0.75", far_error);
  }
}

/* One wall with sin(pi x), made node by node. */
static struct hs_node_law sine_wall_law(void *context, int i, int j)
{
  const int n = *(const int *)context;
  struct hs_node_law law = {.west = 3.0, .east = 3.0, .south = 3.0, .north = 3.0};
  if (i == 0 || j == 0 || i == n || j == n) law = (struct hs_node_law){.dirichlet = true};
  if (j == 0 && i > 0 && i < n) law.dirichlet_k = sin(PI * i / n);
  return law;
}

static void sine_side_converges_at_second_order(void **state)
{
  static const double points[][3] = {
      {0.5, 0.25, 0.45268767}, {0.5, 0.5, 0.19926841}, {0.5, 0.75, 0.07521782}, {0.25, 0.5, 0.14090404}};
  const struct hs_solve_settings settings = {
      .quantity = HS_STOP_UPDATE_MAX, .tolerance = 1e-14, .max_iterations = 1000000, .check_every = 64};
  double error[MOST_VALUES][GRIDS];
  (void)state;
  for (int k = 0; k < GRIDS; k++) {
    int n = INTERVALS[k];
    struct hs_system *system = test_system_of_laws(n + 1, n + 1, 1.0 / n, 1.0 / n, sine_wall_law, &n);
    double *start_k = test_field(system), *end_k = test_field(system);
    struct hs_solve_outcome outcome;
    for (int m = 0; m <= n; m++) start_k[m] = system->stencil[system->index[m]].c;
    assert_true(system->symmetric);
    outcome = test_solve(system, start_k, &settings, &hs_backend_cpu, false, NULL, end_k);
    assert_int_equal(outcome.verdict, HS_VERDICT_CONVERGED);
    for (int p = 0; p < MOST_VALUES; p++) {
      const double exact = sinh(PI * (1.0 - points[p][1])) * sin(PI * points[p][0]) / sinh(PI);
      test_near("published value", exact, points[p][2], 5e-9);
      error[p][k] = fabs(value_at(end_k, n, points[p][0], points[p][1]) - exact);
    }
    hs_solve_outcome_clear(&outcome);
    free(start_k);
    free(end_k);
    hs_system_destroy(system);
  }
  for (int p = 0; p < MOST_VALUES; p++) assert_second_order("order of the sine side", error[p]);
}

static void poisson_converges_at_second_order(void **state)
{
  double center_error[GRIDS], mean_error[GRIDS];
  (void)state;
  for (int k = 0; k < GRIDS; k++) {
    struct hs_config_source glow;
    struct hs_config config = poisson_config(INTERVALS[k], &glow);
    struct test_run run;
    config.solver.tolerance = 1e-13;
    config.materials[0] = test_material("", 230.0, NAN, NAN);
    glow.density_w_m3 = 230.0;
    test_run_start(&run, &config, NULL);
    center_error[k] = fabs(run.result.answers.center_k - 0.073671353282);
    mean_error[k] = fabs(run.result.answers.mean_k - 0.035144253739);
    assert_true(run.result.answers.maximum_k == run.result.answers.center_k);
    assert_true(run.result.answers.minimum_k == 0.0);
    test_run_clear(&run);
  }
  assert_second_order("order of the centre", center_error);
  assert_second_order("order of the mean", mean_error);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hot_side_converges_at_second_order),
      cmocka_unit_test(sine_side_converges_at_second_order),
      cmocka_unit_test(poisson_converges_at_second_order),
  };
  return cmocka_run_group_tests_name("closed_forms", tests, NULL, NULL);
}
