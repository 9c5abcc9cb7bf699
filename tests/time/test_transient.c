/* Time steps against closed forms: factors of eigenmodes, orders of convergence, conservation, steps and events. */
#include "runs.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "time/transient.h"

static const double PI = 3.14159265358979323846;

static char REFERENCE[] = "cpu-reference"; /* a configuration's texts are not const */

static const enum hs_method METHODS[] = {HS_METHOD_JACOBI, HS_METHOD_WEIGHTED, HS_METHOD_CHEBYSHEV};

/* --- a square of diffusivity 1 with walls at 0 ------------------------------------------------ */

enum { N = 24 }; /* intervals */
static const double H = 1.0 / N;

static struct hs_node_law square_law(void *context, int i, int j)
{
  struct hs_node_law law = {.west = 1.0, .east = 1.0, .south = 1.0, .north = 1.0, .capacity_j_mk = H * H};
  (void)context;
  if (i == 0 || j == 0 || i == N || j == N) law.dirichlet = true;
  return law;
}

static struct hs_system *square(enum hs_scheme scheme, double step_s)
{
  struct hs_system *system = test_system_of_laws(N + 1, N + 1, H, H, square_law, NULL);
  hs_system_discretise(system, scheme, step_s, NULL, NULL);
  return system;
}

/* The slowest mode, and its rate in the discrete space: dT/dt = -rate T. */
static double *eigenmode(const struct hs_system *system)
{
  double *field_k = test_field(system);
  for (int j = 1; j < N; j++)
    for (int i = 1; i < N; i++) field_k[j * (N + 1) + i] = sin(PI * i * H) * sin(PI * j * H);
  return field_k;
}

static double eigenmode_rate(void)
{
  return 8.0 * sin(0.5 * PI * H) * sin(0.5 * PI * H) / (H * H);
}

static struct hs_transient_settings settings_of(enum hs_scheme scheme, double end_s, double step_s)
{
  const struct hs_transient_settings settings = {.scheme = scheme,
                                                 .end_s = end_s,
                                                 .step_s = step_s,
                                                 .step_tolerance_k = 1e-3,
                                                 .step_min_s = 1e-12,
                                                 .step_max_s = 1e12,
                                                 .inner_tolerance_k = 1e-11,
                                                 .weight = 0.8,
                                                 .max_iterations = 100000};
  return settings;
}

/* The discretisations of a run without timed values. */
static struct hs_discretisation steps_of(const struct hs_system *system, const struct hs_transient_settings *settings)
{
  struct hs_discretisation steps;
  struct hs_error err = {0};
  test_ok(hs_discretisation_begin(&steps, NULL, system, settings->scheme, 0.0, settings->step_s, &err), &err);
  return steps;
}

/* Runs a system without timed values from field_k, which receives the field at the end. */
static struct hs_transient_outcome march(struct hs_system *system, const struct hs_transient_settings *settings,
                                         double *field_k, const struct hs_snapshot_taker *taker)
{
  const struct hs_backend_options options = {.single = settings->single, .threads = 1};
  const struct hs_backend *backend = &hs_backend_reference;
  struct hs_backend_state *state = NULL;
  struct hs_transient_outcome outcome;
  struct hs_discretisation steps = steps_of(system, settings);
  struct hs_error err = {0};
  test_ok(backend->create(steps.now, &options, &state, &err), &err);
  test_ok(backend->load(state, field_k, &err), &err);
  test_ok(hs_transient_run(&steps, settings, backend, state, NULL, taker, &outcome, &err), &err);
  test_ok(backend->fetch(state, field_k, &err), &err);
  backend->destroy(state);
  hs_discretisation_clear(&steps);
  return outcome;
}

static double largest_difference(const double *a, const double *b, int count)
{
  double largest = 0.0;
  for (int n = 0; n < count; n++) largest = fmax(largest, fabs(a[n] - b[n]));
  return largest;
}

/* Ends the test unless field_k is the slowest mode times factor. */
static void assert_mode(const struct hs_system *system, const double *field_k, double factor, double tolerance)
{
  double *wanted = eigenmode(system);
  for (int n = 0; n < (N + 1) * (N + 1); n++) wanted[n] *= factor;
  test_near("eigenmode", largest_difference(wanted, field_k, (N + 1) * (N + 1)), 0.0, tolerance);
  free(wanted);
}

/* --- factors of an eigenmode ------------------------------------------------------------------- */

/* 1 - 8 r sin^2(pi h/2) a step. A step adds at most 3 eps by rounding (the update's 1.5, the subtraction and the fma),
 * and enlarges nothing; the power itself is known to STEPS eps. */
static void explicit_mode_shrinks_by_its_factor(void **state)
{
  enum { STEPS = 500 };
  static const double r[] = {0.05, 0.2, 0.25};
  (void)state;
  for (int k = 0; k < 3; k++) {
    const double step_s = r[k] * H * H, factor = 1.0 - 8.0 * r[k] * sin(0.5 * PI * H) * sin(0.5 * PI * H);
    const struct hs_transient_settings settings = settings_of(HS_SCHEME_EXPLICIT, STEPS * step_s, step_s);
    struct hs_system *system = square(HS_SCHEME_EXPLICIT, step_s);
    double *field_k = eigenmode(system);
    const struct hs_transient_outcome o = march(system, &settings, field_k, NULL);
    assert_int_equal(o.verdict, HS_VERDICT_COMPLETED);
    assert_int_equal(o.steps, STEPS);
    assert_int_equal(o.sweeps, STEPS);
    assert_true(o.time_s == settings.end_s);
    assert_mode(system, field_k, pow(factor, STEPS), 6.0 * STEPS * DBL_EPSILON);
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
  for (int k = 0; k < 3 * 3 * 2; k++) {
    const enum hs_scheme scheme = k % 2 ? HS_SCHEME_CRANK_NICOLSON : HS_SCHEME_BACKWARD_EULER;
    const double step_s = steps_s[k / 2 % 3], z = eigenmode_rate() * step_s;
    const double factor = k % 2 ? (1.0 - 0.5 * z) / (1.0 + 0.5 * z) : 1.0 / (1.0 + z);
    struct hs_transient_settings settings = settings_of(scheme, STEPS * step_s, step_s);
    struct hs_system *system = square(scheme, step_s);
    double *field_k = eigenmode(system);
    struct hs_transient_outcome o;
    settings.method = METHODS[k / 6];
    o = march(system, &settings, field_k, NULL);
    assert_int_equal(o.verdict, HS_VERDICT_COMPLETED);
    assert_int_equal(o.steps, STEPS);
    assert_true(o.inner_error_k <= settings.inner_tolerance_k);
    assert_true(o.step_smallest_s == step_s && o.step_largest_s == step_s);
    assert_mode(system, field_k, pow(factor, STEPS), STEPS * settings.inner_tolerance_k);
    free(field_k);
    hs_system_destroy(system);
  }
}

/* The acceleration is one: long steps take it far fewer sweeps. */
static void chebyshev_saves_sweeps_of_long_steps(void **state)
{
  int64_t sweeps[3];
  (void)state;
  for (int k = 0; k < 3; k++) {
    struct hs_transient_settings settings = settings_of(HS_SCHEME_BACKWARD_EULER, 0.5, 0.05);
    struct hs_system *system = square(settings.scheme, settings.step_s);
    double *field_k = eigenmode(system);
    settings.method = METHODS[k];
    sweeps[k] = march(system, &settings, field_k, NULL).sweeps;
    free(field_k);
    hs_system_destroy(system);
  }
  if (!(3 * sweeps[2] < sweeps[0]))
    fail_msg("%lld sweeps plain, %lld weighted, %lld Chebyshev", (long long)sweeps[0], (long long)sweeps[1],
             (long long)sweeps[2]);
}

/* --- boundary values that depend on time -------------------------------------------------------- */

static struct hs_config timed_config(int n)
{
  struct hs_config config = test_config(n + 1, n + 1);
  config.materials[0].density_kg_m3 = config.materials[0].heat_capacity_j_kgk = 1.0;
  config.time.end_s = 0.5;
  config.time.inner_tolerance_k = 1e-12;
  config.time.step_min_s = 1e-6;
  config.time.step_max_s = 0.5;
  config.solver.method = HS_METHOD_CHEBYSHEV;
  config.solver.backend = REFERENCE;
  return config;
}

/* The field at the end of a run that begins with start_k, or as configured where that is NULL. */
static double *final_field(const struct hs_config *config, const double *start_k)
{
  struct hs_error err = {0};
  struct test_run run;
  double *field_k;
  memset(&run, 0, sizeof run);
  test_ok(hs_job_prepare(config, &run.job, &err), &err);
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
      error[k] = largest_difference(field_k, end_k, MOVING_NODES);
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
    wanted = final_field(&config, NULL);
    config.time.adaptive = true;
    config.time.step_tolerance_k = 1e6;
    config.time.step_s = config.time.step_max_s = 0.025;
    got = final_field(&config, NULL);
    test_near("difference", largest_difference(wanted, got, MOVING_NODES), 0.0, 40 * 2 * 1e-12);
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
      error[k] = largest_difference(field_k, exact_k, MOVING_NODES);
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
  for (int k = 0; k < 9; k++) {
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
    test_near("temperature", largest_difference(field_k, start_k, MOVING_NODES), 0.0, 1e-11);
    free(field_k);
  }
}

/* A field at rest whose west wall begins to move: the first update of free nodes is zero until the wall has changed. */
static void wall_that_starts_to_move_takes_the_field_along(void **state)
{
  static char west[] = "sin(t)";
  double *plain_k[2] = {NULL, NULL};
  (void)state;
  for (int k = 0; k < 6; k++) {
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
      test_near("method", largest_difference(field_k, plain_k[k % 2], MOVING_NODES), 0.0, 10 * 2 * 2e-12);
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
  test_ok(hs_job_prepare(&config, &run.job, &err), &err);
  assert_int_equal(hs_job_run(&run.job, run.job.backend, NULL, NULL, &run.result, &err), HS_ERR_CONFIG);
  assert_non_null(strstr(err.text, "too long for the explicit scheme"));
  test_run_clear(&run);
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
    struct hs_transient_settings settings = settings_of(schemes[s], steps * step_s, step_s);
    double *field_k = test_field(system), before, capacity = 0.0;
    struct hs_transient_outcome o;
    settings.method = HS_METHOD_CHEBYSHEV;
    hs_system_discretise(system, schemes[s], step_s, NULL, NULL);
    for (int j = 0; j < BOX_Y; j++) {
      for (int i = 0; i < BOX_X; i++) {
        field_k[j * BOX_X + i] = i < 5 ? 100.0 : 20.0 + j;
        capacity += box_law(NULL, i, j).capacity_j_mk;
      }
    }
    before = box_content(field_k);
    o = march(system, &settings, field_k, NULL);
    assert_int_equal(o.steps, steps);
    test_near("heat", box_content(field_k), before,
              s ? steps * settings.inner_tolerance_k * capacity : 3.0 * DBL_EPSILON * steps * before);
    assert_true(field_k[0] < 99.0); /* something has happened */
    free(field_k);
    hs_system_destroy(system);
  }
}

/* --- adaptive steps ------------------------------------------------------------------------------- */

static void adaptive_steps_meet_their_tolerance(void **state)
{
  static const double tolerances_k[] = {1e-2, 1e-3, 1e-4};
  (void)state;
  for (int k = 0; k < 6; k++) {
    const enum hs_scheme scheme = k % 2 ? HS_SCHEME_CRANK_NICOLSON : HS_SCHEME_BACKWARD_EULER;
    struct hs_transient_settings settings = settings_of(scheme, 0.2, 0.05);
    struct hs_system *system = square(scheme, settings.step_s);
    double *field_k = eigenmode(system);
    struct hs_transient_outcome o;
    settings.adaptive = true;
    settings.step_tolerance_k = tolerances_k[k / 2];
    settings.method = HS_METHOD_CHEBYSHEV;
    o = march(system, &settings, field_k, NULL);
    assert_int_equal(o.verdict, HS_VERDICT_COMPLETED);
    assert_true(o.step_error_k <= settings.step_tolerance_k && o.step_error_k > 0.1 * settings.step_tolerance_k);
    assert_true(o.time_s == 0.2);
    assert_true(o.steps_at_minimum == 0);
    if (k == 4) assert_true(o.rejected_steps > 0 && o.step_smallest_s < 0.5 * o.step_largest_s);
    /* the two half steps are at least as good as the difference says; a mode that decays forgets */
    assert_mode(system, field_k, exp(-eigenmode_rate() * 0.2), (double)o.steps * settings.step_tolerance_k);
    free(field_k);
    hs_system_destroy(system);
  }
}

/* A tolerance that cannot be met: the run goes on with the least step, and says so. */
static void least_step_goes_on_and_is_told(void **state)
{
  struct hs_transient_settings settings = settings_of(HS_SCHEME_BACKWARD_EULER, 0.02, 0.004);
  struct hs_system *system = square(settings.scheme, settings.step_s);
  double *field_k = eigenmode(system);
  struct hs_transient_outcome o;
  (void)state;
  settings.adaptive = true;
  settings.step_tolerance_k = 1e-9;
  settings.step_min_s = 0.002;
  o = march(system, &settings, field_k, NULL);
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
  struct hs_transient_settings settings = settings_of(HS_SCHEME_CRANK_NICOLSON, 0.02, 0.001);
  struct hs_system *system = square(settings.scheme, settings.step_s);
  double *field_k = eigenmode(system);
  struct hs_transient_outcome o;
  (void)state;
  settings.adaptive = settings.single = true;
  settings.step_tolerance_k = 1e-9;
  o = march(system, &settings, field_k, NULL);
  assert_int_equal(o.verdict, HS_VERDICT_COMPLETED);
  assert_true(o.steps < 1000 && o.step_smallest_s > 1e-6);
  assert_true(o.step_error_k > settings.step_tolerance_k && o.steps_at_minimum == 0);
  assert_mode(system, field_k, exp(-eigenmode_rate() * 0.02), 1e-3);
  free(field_k);
  hs_system_destroy(system);
}

/* --- events ---------------------------------------------------------------------------------------- */

struct album {
  int count;
  struct hs_snapshot pages[16];
  double corner_k[16]; /* of node (1, 1) */
  hs_status answer;
};

static hs_status album_take(void *context, const struct hs_snapshot *snapshot, struct hs_error *err)
{
  struct album *album = context;
  (void)err;
  album->corner_k[album->count] = snapshot->field_k[N + 2];
  album->pages[album->count++] = *snapshot;
  return album->answer;
}

/* At 0, at each time to the bit, at the end; a step that an event cuts short has its own length's factor. */
static void snapshots_come_at_their_times(void **state)
{
  static const double times_s[] = {0.00025, 0.001, 0.0010001, 0.00317};
  static const enum hs_scheme schemes[] = {HS_SCHEME_EXPLICIT, HS_SCHEME_BACKWARD_EULER, HS_SCHEME_CRANK_NICOLSON};
  (void)state;
  for (int s = 0; s < 6; s++) {
    const double step_s = 0.25 * H * H * 0.9;
    struct hs_transient_settings settings = settings_of(schemes[s % 3], 0.004, step_s);
    struct hs_system *system = square(schemes[s % 3], step_s);
    double *field_k = eigenmode(system), time_s = 0.0, factor = 1.0;
    struct album album = {0};
    const struct hs_snapshot_taker taker = {album_take, &album};
    struct hs_transient_outcome o;
    settings.snapshots_s = times_s;
    settings.snapshot_count = 4;
    settings.adaptive = s >= 3 && s % 3;
    o = march(system, &settings, field_k, &taker);
    assert_int_equal(album.count, 6);
    assert_true(album.pages[0].time_s == 0.0 && album.pages[0].steps == 0);
    for (int k = 1; k <= 4; k++) assert_true(album.pages[k].time_s == times_s[k - 1]);
    assert_true(album.pages[5].time_s == 0.004 && o.time_s == 0.004);
    assert_int_equal(album.pages[5].steps, o.steps);
    for (int k = 1; !settings.adaptive && k < 6; k++) {
      while (album.pages[k].time_s - time_s > 1e-9 * step_s) {
        const double left_s = album.pages[k].time_s - time_s;
        const double z = eigenmode_rate() * (left_s < step_s * (1.0 - 1e-9) ? left_s : step_s);
        factor *= s % 3 == 0 ? 1.0 - z : s % 3 == 1 ? 1.0 / (1.0 + z) : (1.0 - 0.5 * z) / (1.0 + 0.5 * z);
        time_s = left_s < step_s * (1.0 - 1e-9) ? album.pages[k].time_s : time_s + step_s;
      }
      time_s = album.pages[k].time_s;
      test_near("factor", album.corner_k[k], factor * sin(PI * H) * sin(PI * H), 1e-9);
    }
    free(field_k);
    hs_system_destroy(system);
  }
}

static void failing_taker_ends_the_run(void **state)
{
  const struct hs_backend_options options = {.threads = 1};
  const struct hs_transient_settings settings = settings_of(HS_SCHEME_EXPLICIT, 0.01, 1e-4);
  struct hs_system *system = square(settings.scheme, settings.step_s);
  double *field_k = eigenmode(system);
  struct album album = {.answer = HS_ERR_IO};
  const struct hs_snapshot_taker taker = {album_take, &album};
  struct hs_backend_state *backend = NULL;
  struct hs_transient_outcome outcome;
  struct hs_discretisation steps = steps_of(system, &settings);
  struct hs_error err = {0};
  (void)state;
  test_ok(hs_backend_reference.create(steps.now, &options, &backend, &err), &err);
  test_ok(hs_backend_reference.load(backend, field_k, &err), &err);
  assert_int_equal(hs_transient_run(&steps, &settings, &hs_backend_reference, backend, NULL, &taker, &outcome, &err),
                   HS_ERR_IO);
  assert_int_equal(album.count, 1);
  hs_backend_reference.destroy(backend);
  hs_discretisation_clear(&steps);
  free(field_k);
  hs_system_destroy(system);
}

/* A flag that is set: the run ends after the step under way, with the field of that time. */
static void interruption_ends_after_a_step(void **state)
{
  static const enum hs_scheme schemes[] = {HS_SCHEME_EXPLICIT, HS_SCHEME_BACKWARD_EULER};
  const struct hs_backend_options options = {.threads = 1};
  volatile sig_atomic_t stop = 1;
  const struct hs_solve_observer observer = {.stop_requested = &stop};
  (void)state;
  for (int s = 0; s < 2; s++) {
    const double step_s = 1e-4;
    struct hs_transient_settings settings = settings_of(schemes[s], 1e6, step_s);
    struct hs_system *system = square(settings.scheme, settings.step_s);
    double *field_k = eigenmode(system), factor;
    struct hs_backend_state *backend = NULL;
    struct hs_transient_outcome o;
    struct hs_discretisation steps = steps_of(system, &settings);
    struct hs_error err = {0};
    test_ok(hs_backend_reference.create(steps.now, &options, &backend, &err), &err);
    test_ok(hs_backend_reference.load(backend, field_k, &err), &err);
    test_ok(hs_transient_run(&steps, &settings, &hs_backend_reference, backend, &observer, NULL, &o, &err), &err);
    test_ok(hs_backend_reference.fetch(backend, field_k, &err), &err);
    assert_int_equal(o.verdict, HS_VERDICT_INTERRUPTED);
    assert_true(o.steps > 0 && o.time_s < 1e6);
    test_near("time", o.time_s, (double)o.steps * step_s, 1e-9 * o.time_s);
    factor = s ? 1.0 / (1.0 + eigenmode_rate() * step_s) : 1.0 - eigenmode_rate() * step_s;
    /* as many steps as fit into the time before the interruption is seen, each as wrong as it may be */
    assert_mode(system, field_k, pow(factor, (double)o.steps),
                s ? (double)o.steps * settings.inner_tolerance_k : 1e-13 * (double)o.steps);
    hs_backend_reference.destroy(backend);
    hs_discretisation_clear(&steps);
    free(field_k);
    hs_system_destroy(system);
  }
}

/* An inner solution that is not granted its sweeps. */
static void too_few_sweeps_are_told(void **state)
{
  struct hs_transient_settings settings = settings_of(HS_SCHEME_BACKWARD_EULER, 1.0, 0.1);
  struct hs_system *system = square(settings.scheme, settings.step_s);
  double *field_k = eigenmode(system);
  struct hs_transient_outcome o;
  (void)state;
  settings.max_iterations = 20;
  o = march(system, &settings, field_k, NULL);
  assert_int_equal(o.verdict, HS_VERDICT_LIMIT);
  assert_int_equal(o.steps, 0);
  assert_true(o.inner_error_k > settings.inner_tolerance_k);
  assert_int_equal(hs_verdict_exit_code(o.verdict), 3);
  assert_int_equal(hs_verdict_exit_code(HS_VERDICT_COMPLETED), 0);
  assert_string_equal(hs_verdict_name(HS_VERDICT_COMPLETED), "completed");
  free(field_k);
  hs_system_destroy(system);
}

/* Single precision: inner solutions end where rounding begins, and the bound says what that costs. */
static void single_precision_steps_end(void **state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    struct hs_transient_settings settings = settings_of(HS_SCHEME_BACKWARD_EULER, 0.02, 0.001);
    struct hs_system *system = square(settings.scheme, settings.step_s);
    double *field_k = eigenmode(system);
    struct hs_transient_outcome o;
    settings.single = true;
    settings.method = METHODS[k];
    o = march(system, &settings, field_k, NULL);
    assert_int_equal(o.verdict, HS_VERDICT_COMPLETED);
    assert_true(o.inner_error_k > settings.inner_tolerance_k && o.inner_error_k < 1e-3);
    assert_true(o.sweeps < 20 * 200);
    assert_mode(system, field_k, pow(1.0 / (1.0 + 0.001 * eigenmode_rate()), 20), 20 * o.inner_error_k);
    free(field_k);
    hs_system_destroy(system);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(explicit_mode_shrinks_by_its_factor),
      cmocka_unit_test(implicit_modes_shrink_by_their_factors),
      cmocka_unit_test(chebyshev_saves_sweeps_of_long_steps),
      cmocka_unit_test(order_in_time_with_moving_walls),
      cmocka_unit_test(order_in_time_with_all_kinds_of_walls),
      cmocka_unit_test(doubled_steps_begin_where_the_single_one_did),
      cmocka_unit_test(changing_h_leaves_the_ambient_temperature),
      cmocka_unit_test(wall_that_starts_to_move_takes_the_field_along),
      cmocka_unit_test(growing_h_ends_an_explicit_run),
      cmocka_unit_test(insulated_box_keeps_its_heat),
      cmocka_unit_test(adaptive_steps_meet_their_tolerance),
      cmocka_unit_test(least_step_goes_on_and_is_told),
      cmocka_unit_test(adaptive_steps_move_a_rounded_field),
      cmocka_unit_test(snapshots_come_at_their_times),
      cmocka_unit_test(failing_taker_ends_the_run),
      cmocka_unit_test(interruption_ends_after_a_step),
      cmocka_unit_test(too_few_sweeps_are_told),
      cmocka_unit_test(single_precision_steps_end),
  };
  return cmocka_run_group_tests_name("transient", tests, NULL, NULL);
}
