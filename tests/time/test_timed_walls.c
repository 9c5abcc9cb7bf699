/* Boundary values that depend on time. */
#include "runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "time/transient.h"

static const enum hs_method METHODS[] = {HS_METHOD_JACOBI, HS_METHOD_WEIGHTED, HS_METHOD_CHEBYSHEV,
                                         HS_METHOD_MULTIGRID};

static struct hs_config timed_config(int n)
{
  struct hs_config config = test_config(n + 1, n + 1);
  config.materials[0].density_kg_m3 = config.materials[0].heat_capacity_j_kgk = 1.0;
  config.time.end_s = 0.5;
  config.time.inner_tolerance_k = 1e-12;
  config.time.step_min_s = 1e-6;
  config.time.step_max_s = 0.5;
  config.solver.method = HS_METHOD_CHEBYSHEV;
  config.solver.backend = (char *)"cpu-reference";
  return config;
}

/* The field at the end of a run that begins with start_k, or as configured where that is NULL. */
static double *final_field(const struct hs_config *config, const double *start_k)
{
  struct hs_error err = {0};
  struct test_run run;
  double *field_k;
  memset(&run, 0, sizeof run);
  test_ok(hs_job_prepare(config, NULL, &run.job, &err), &err);
  for (int n = 0; start_k && n < config->grid.nx * config->grid.ny; n++) run.job.initial_k[n] = start_k[n];
  test_ok(hs_job_run(&run.job, run.job.backend, NULL, NULL, &run.result, &err), &err);
  assert_int_equal(run.result.transient.verdict, HS_VERDICT_COMPLETED);
  field_k = test_field(run.job.system);
  memcpy(field_k, run.result.field_k, (size_t)run.result.nx * (size_t)run.result.ny * sizeof *field_k);
  test_run_clear(&run);
  return field_k;
}

/* Slope of log(error) over log(step) for steps that are halved. */
static double order_of(const double *error, int count)
{
  return log(error[0] / error[count - 1]) / ((count - 1) * log(2.0));
}

enum { MOVING = 6, MOVING_NODES = (MOVING + 1) * (MOVING + 1) }; /* intervals */

/* exp(-rate t) sin(2 x + 0.3) sin(3 y + 0.2) solves the equations that are discrete in space, for
 * rate = 4/h^2 (sin^2(h) + sin^2(3 h/2)); all four walls change with place and time. */
static void moving_exact(double rate, double t_s, double field_k[MOVING_NODES])
{
  for (int j = 0; j <= MOVING; j++)
    for (int i = 0; i <= MOVING; i++)
      field_k[j * (MOVING + 1) + i] = exp(-rate * t_s) * sin(2.0 * i / MOVING + 0.3) * sin(3.0 * j / MOVING + 0.2);
}

static void order_in_time_with_moving_walls(void **state)
{
  static const enum hs_scheme schemes[] = {HS_SCHEME_EXPLICIT, HS_SCHEME_BACKWARD_EULER, HS_SCHEME_CRANK_NICOLSON};
  enum { STEPS = 4 };
  const double h = 1.0 / MOVING;
  const double rate = 4.0 / (h * h) * (sin(h) * sin(h) + sin(1.5 * h) * sin(1.5 * h));
  double start_k[MOVING_NODES], end_k[MOVING_NODES];
  (void)state;
  moving_exact(rate, 0.0, start_k);
  moving_exact(rate, 0.1, end_k);
  for (int s = 0; s < 3; s++) {
    double error[STEPS];
    for (int k = 0; k < STEPS; k++) {
      static char text[128];
      struct hs_config config = timed_config(MOVING);
      double *field_k;
      snprintf(text, sizeof text, "exp(-%.17g*t)*sin(2*x+0.3)*sin(3*y+0.2)", rate);
      for (int side = 0; side < HS_SIDES; side++) config.boundaries[side].temperature = test_formula(text);
      config.time.scheme = schemes[s];
      config.time.end_s = 0.1;
      config.time.step_s = config.time.end_s / (32 << k);
      field_k = final_field(&config, start_k);
      error[k] = test_difference(field_k, end_k, MOVING_NODES);
      for (int n = 0; n <= MOVING; n++) {
        test_near("south", field_k[n], end_k[n], 1e-14);
        test_near("west", field_k[n * (MOVING + 1)], end_k[n * (MOVING + 1)], 1e-14);
      }
      free(field_k);
    }
    test_near("order", order_of(error, STEPS), s == 2 ? 2.0 : 1.0, 0.1);
  }
}

/* Flux, convection and a held wall, each its own function of time. */
static struct hs_config all_kinds_config(void)
{
  static char flux[] = "5*cos(4*t)", ambient[] = "10*sin(6*t)", held[] = "3*sin(5*t)";
  struct hs_config config = timed_config(MOVING);
  test_wall_convection(&config, HS_WEST, 4.0, 0.0);
  config.boundaries[HS_WEST].temperature = test_formula(ambient);
  test_wall_flux(&config, HS_EAST, 0.0);
  config.boundaries[HS_EAST].flux = test_formula(flux);
  config.boundaries[HS_SOUTH].temperature = test_formula(held);
  test_wall_insulated(&config, HS_NORTH);
  return config;
}

/* An adaptive run whose steps are all accepted and of one length is a run with half that step. */
static void doubled_steps_begin_where_the_single_one_did(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    struct hs_config config = all_kinds_config();
    double *wanted, *got;
    config.time.scheme = k ? HS_SCHEME_CRANK_NICOLSON : HS_SCHEME_BACKWARD_EULER;
    config.time.step_s = 0.0125;
    config.time.damped_steps = 0; /* as adaptive ones are not */
    wanted = final_field(&config, NULL);
    config.time.adaptive = true;
    config.time.step_tolerance_k = 1e6;
    config.time.step_s = config.time.step_max_s = 0.025;
    got = final_field(&config, NULL);
    test_near("difference", test_difference(wanted, got, MOVING_NODES), 0.0, 40 * 2 * 1e-12);
    free(wanted);
    free(got);
  }
}

/* Damped steps are those of backward Euler of half the length, with the walls' values of the end of each. */
static void damped_steps_are_halves_of_backward_euler(void **state)
{
  (void)state;
  for (int k = 0; k < 4; k++) {
    struct hs_config config = all_kinds_config();
    double *wanted, *got;
    config.solver.method = METHODS[k];
    config.time.scheme = HS_SCHEME_BACKWARD_EULER;
    config.time.step_s = 0.025;
    wanted = final_field(&config, NULL);
    config.time.scheme = HS_SCHEME_CRANK_NICOLSON;
    config.time.step_s = 0.05;
    config.time.damped_steps = 10;
    got = final_field(&config, NULL);
    test_near("difference", test_difference(wanted, got, MOVING_NODES), 0.0, 20 * 2 * 1e-12);
    free(wanted);
    free(got);
  }
}

/* Against tiny steps of Crank-Nicolson. */
static void order_in_time_with_all_kinds_of_walls(void **state)
{
  static const enum hs_scheme schemes[] = {HS_SCHEME_EXPLICIT, HS_SCHEME_BACKWARD_EULER, HS_SCHEME_CRANK_NICOLSON};
  enum { STEPS = 3 };
  struct hs_config config = all_kinds_config();
  double *exact_k;
  (void)state;
  config.time.scheme = HS_SCHEME_CRANK_NICOLSON;
  config.time.step_s = 0.5 / 4096;
  exact_k = final_field(&config, NULL);
  for (int s = 0; s < 3; s++) {
    double error[STEPS];
    config.time.scheme = schemes[s];
    for (int k = 0; k < STEPS; k++) {
      double *field_k;
      config.time.step_s = 0.5 / ((s == 2 ? 32 : 128) << k);
      field_k = final_field(&config, NULL);
      error[k] = test_difference(field_k, exact_k, MOVING_NODES);
      free(field_k);
    }
    test_near("order", order_of(error, STEPS), s == 2 ? 2.0 : 1.0, 0.15);
  }
  free(exact_k);
}

/* A field at the temperature of what surrounds it stays there however the walls' conductances change, and a wrong
 * right-hand side moves it by kelvins. Each step adds its inner tolerance and a few units in the last place. */
static void changing_h_leaves_the_ambient_temperature(void **state)
{
  static const enum hs_scheme schemes[] = {HS_SCHEME_EXPLICIT, HS_SCHEME_BACKWARD_EULER, HS_SCHEME_CRANK_NICOLSON};
  static char west[] = "4 + 3*sin(9*t)", south[] = "(1 + y + x)*exp(3*t)";
  double start_k[MOVING_NODES];
  (void)state;
  for (int n = 0; n < MOVING_NODES; n++) start_k[n] = 20.0;
  for (int k = 0; k < 12; k++) {
    struct hs_config config = timed_config(MOVING);
    double *field_k;
    test_wall_convection(&config, HS_WEST, 0.0, 20.0);
    config.boundaries[HS_WEST].h = test_formula(west);
    test_wall_convection(&config, HS_SOUTH, 0.0, 20.0);
    config.boundaries[HS_SOUTH].h = test_formula(south);
    test_wall_insulated(&config, HS_EAST);
    test_wall_temperature(&config, HS_NORTH, 20.0);
    config.solver.method = METHODS[k / 3];
    config.solver.weight = 0.8;
    config.time.scheme = schemes[k % 3];
    config.time.step_s = k % 3 ? 0.0625 : 0.5 / 256;
    field_k = final_field(&config, start_k);
    test_near("temperature", test_difference(field_k, start_k, MOVING_NODES), 0.0, 1e-11);
    free(field_k);
  }
}

/* A field at rest whose west wall begins to move: the first update of free nodes is zero until the wall has changed. */
static void wall_that_starts_to_move_takes_the_field_along(void **state)
{
  static char west[] = "sin(t)";
  double *plain_k[2] = {NULL, NULL};
  (void)state;
  for (int k = 0; k < 8; k++) {
    struct hs_config config = timed_config(MOVING);
    double *field_k;
    config.boundaries[HS_WEST].temperature = test_formula(west);
    config.solver.method = METHODS[k / 2];
    config.solver.weight = 0.8;
    config.time.scheme = k % 2 ? HS_SCHEME_CRANK_NICOLSON : HS_SCHEME_BACKWARD_EULER;
    config.time.step_s = 0.05;
    field_k = final_field(&config, NULL); /* completed, not diverged */
    test_near("west", field_k[3 * (MOVING + 1)], sin(0.5), 1e-14);
    assert_true(field_k[3 * (MOVING + 1) + 1] > 0.5 * sin(0.5));
    if (k < 2)
      plain_k[k] = field_k;
    else
      test_near("method", test_difference(field_k, plain_k[k % 2], MOVING_NODES), 0.0, 10 * 2 * 2e-12);
    if (k >= 2) free(field_k);
  }
  free(plain_k[0]);
  free(plain_k[1]);
}

/* The longest stable step is that of the beginning: an h that grows makes it too long later. */
static void growing_h_ends_an_explicit_run(void **state)
{
  static char growing[] = "1 + 100*t";
  struct hs_config config = all_kinds_config();
  struct hs_error err = {0};
  struct test_run run;
  (void)state;
  memset(&run, 0, sizeof run);
  config.boundaries[HS_WEST].h = test_formula(growing);
  config.time.scheme = HS_SCHEME_EXPLICIT;
  config.time.step_s = NAN;
  test_ok(hs_job_prepare(&config, NULL, &run.job, &err), &err);
  assert_int_equal(hs_job_run(&run.job, run.job.backend, NULL, NULL, &run.result, &err), HS_ERR_CONFIG);
  assert_non_null(strstr(err.text, "too long for the explicit scheme"));
  test_run_clear(&run);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_in_time_with_moving_walls),
      cmocka_unit_test(doubled_steps_begin_where_the_single_one_did),
      cmocka_unit_test(damped_steps_are_halves_of_backward_euler),
      cmocka_unit_test(order_in_time_with_all_kinds_of_walls),
      cmocka_unit_test(changing_h_leaves_the_ambient_temperature),
      cmocka_unit_test(wall_that_starts_to_move_takes_the_field_along),
      cmocka_unit_test(growing_h_ends_an_explicit_run),
  };
  return cmocka_run_group_tests_name("timed_walls", tests, NULL, NULL);
}
