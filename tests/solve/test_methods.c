/* Weighted Jacobi, Chebyshev's acceleration, the demand on the energy balance, and insulated steady problems. */
#include "runs.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static char NAMELESS[] = ""; /* a configuration's texts are not const */

static double largest_difference(const double *a, const double *b, size_t count)
{
  double largest = 0.0;
  for (size_t n = 0; n < count; n++) largest = fmax(largest, fabs(a[n] - b[n]));
  return largest;
}

/* -laplace T = 1 on the unit square with n intervals and walls at 0, residual to 1e-6. */
static struct hs_config poisson_config(int n, struct hs_config_source *glow)
{
  struct hs_config config = test_config(n + 1, n + 1);
  *glow = test_source_everywhere(1.0);
  config.sources = glow;
  config.source_count = 1;
  config.solver.criterion = HS_CRITERION_RESIDUAL;
  config.solver.tolerance = 1e-6;
  config.solver.check_every = 1;
  return config;
}

static int64_t sweeps_of(const struct hs_config *config)
{
  struct test_run run;
  int64_t sweeps;
  test_run_start(&run, config, NULL);
  assert_int_equal(run.result.outcome.verdict, HS_VERDICT_CONVERGED);
  sweeps = run.result.outcome.sweeps;
  test_run_clear(&run);
  return sweeps;
}

/* --- counts ---------------------------------------------------------------------------------------- */

static const int INTERVALS[] = {16, 32, 64, 128, 256};
static const int OPTIMAL[] = {74, 147, 295, 589, 1177};

/* The recursion with the spectral radius given: to 1e-6 of the first residual. */
static void recursion_takes_the_known_sweeps(void **state)
{
  (void)state;
  for (int k = 0; k < 5; k++) {
    const int n = INTERVALS[k];
    const struct hs_relaxation relaxation = {.form = HS_FORM_CHEBYSHEV, .weight = 1.0, .rho = cos(PI / n)};
    const struct hs_backend_options options = {.threads = 1};
    const struct hs_bounds bounds = {1.0 / n / n, 1.0 / n / n};
    struct hs_config_source glow;
    struct hs_config config = poisson_config(n, &glow);
    struct hs_system *system = test_system(&config);
    double *field_k = test_field(system);
    struct hs_backend_state *backend = NULL;
    struct hs_error err = {0};
    struct hs_norms norms;
    double start;
    int sweeps = 0;
    test_ok(hs_backend_cpu.create(system, &options, &backend, &err), &err);
    test_ok(hs_backend_cpu.load(backend, field_k, &err), &err);
    test_ok(hs_backend_cpu.relax(backend, &relaxation, &err), &err);
    test_ok(hs_backend_cpu.norms(backend, &bounds, &norms, &err), &err);
    start = norms.residual_l2;
    while (norms.residual_l2 > 1e-6 * start && sweeps < 2000) {
      test_ok(hs_backend_cpu.sweep(backend, 1, &err), &err);
      test_ok(hs_backend_cpu.norms(backend, &bounds, &norms, &err), &err);
      sweeps++;
    }
    assert_int_equal(sweeps, OPTIMAL[k]);
    hs_backend_cpu.destroy(backend);
    free(field_k);
    hs_system_destroy(system);
  }
}

/* Without it: found on the way. */
static void adaptive_recursion_is_nearly_as_good(void **state)
{
  static const int checks[] = {1, 10, 64};
  (void)state;
  for (int k = 0; k < 5 * 3; k++) {
    struct hs_config_source glow;
    struct hs_config config = poisson_config(INTERVALS[k / 3], &glow);
    int64_t sweeps;
    config.solver.method = HS_METHOD_CHEBYSHEV;
    config.solver.check_every = checks[k % 3];
    sweeps = sweeps_of(&config);
    if (sweeps > 2 * OPTIMAL[k / 3] + checks[k % 3])
      fail_msg("%d intervals, check_every %d: %lld sweeps, %d are possible", INTERVALS[k / 3], checks[k % 3],
               (long long)sweeps, OPTIMAL[k / 3]);
  }
}

static void weighted_sweeps_take_the_known_number(void **state)
{
  static const int counts[] = {883, 3533, 14129};
  (void)state;
  for (int k = 0; k < 3; k++) {
    struct hs_config_source glow;
    struct hs_config config = poisson_config(INTERVALS[k], &glow);
    config.solver.method = HS_METHOD_WEIGHTED;
    config.solver.weight = 0.8;
    assert_int_equal(sweeps_of(&config), counts[k]);
  }
}

static void weight_one_is_plain(void **state)
{
  struct hs_config_source glow;
  struct hs_config config = poisson_config(24, &glow);
  (void)state;
  const int64_t plain = sweeps_of(&config);
  config.solver.method = HS_METHOD_WEIGHTED;
  config.solver.weight = 1.0;
  assert_int_equal(sweeps_of(&config), plain);
}

/* The exact stop sweep of weighted sweeps, by both norms. */
static void weighted_stop_does_not_depend_on_check_every(void **state)
{
  static const int checks[] = {1, 7, 64, 1000};
  static const double weights[] = {0.3, 0.8, 0.999};
  (void)state;
  for (int k = 0; k < 6; k++) {
    int64_t first = 0;
    for (int c = 0; c < 4; c++) {
      struct hs_config_source spot;
      struct hs_config config = test_config_workshop(40, &spot);
      struct test_run run;
      config.solver.method = HS_METHOD_WEIGHTED;
      config.solver.weight = weights[k / 2];
      config.solver.criterion = k % 2 ? HS_CRITERION_UPDATE_MAX : HS_CRITERION_UPDATE_L2;
      config.solver.check_every = checks[c];
      test_run_start(&run, &config, NULL);
      assert_int_equal(run.result.outcome.verdict, HS_VERDICT_CONVERGED);
      assert_true(run.result.outcome.exact_stop);
      if (first == 0) first = run.result.outcome.sweeps;
      assert_int_equal(run.result.outcome.sweeps, first);
      test_run_clear(&run);
    }
  }
}

/* --- error estimates ------------------------------------------------------------------------------- */

/* Heat through a bar of two materials with a bridge, convection on both ends. */
static struct hs_config bridge_config(struct hs_config_region *bridge, struct hs_config_source *glow)
{
  static char brass[] = "brass", name[] = "bridge";
  struct hs_config config = test_config_spaced(61, 31, 0.002, 0.001);
  config.materials[0] = test_material(NAMELESS, 0.05, NAN, NAN);
  test_material_add(&config, test_material(brass, 120.0, NAN, NAN));
  memset(bridge, 0, sizeof *bridge);
  bridge->name = name;
  bridge->shape =
      (struct hs_config_shape){.kind = HS_SHAPE_RECTANGLE, .x0_m = 0.0, .x1_m = 0.1, .y0_m = 0.012, .y1_m = 0.016};
  bridge->material = brass;
  bridge->initial_k = NAN;
  config.regions = bridge;
  config.region_count = 1;
  *glow = test_source_everywhere(100.0);
  config.sources = glow;
  config.source_count = 1;
  test_wall_convection(&config, HS_WEST, 8.0, 293.0);
  test_wall_convection(&config, HS_EAST, 20.0, 263.0);
  test_wall_insulated(&config, HS_SOUTH);
  test_wall_insulated(&config, HS_NORTH);
  config.initial.temperature_k = 280.0;
  return config;
}

/* Problem `which` of five. */
static struct hs_config problem_of(int which, struct hs_config_region *region, struct hs_config_source *source)
{
  struct hs_config config;
  switch (which) {
  case 0: return poisson_config(48, source);
  case 1: return test_config_workshop(64, source);
  case 2: return bridge_config(region, source);
  case 3:
    config = test_config_spaced(70, 40, 1.0, 2.0);
    for (int side = 0; side < HS_NORTH; side++) test_wall_insulated(&config, (enum hs_side)side);
    *source = test_source_rectangle(3.0, 20.0, 0.0, 30.0, 2.0);
    config.sources = source;
    config.source_count = 1;
    return config;
  default:
    config = test_config(41, 41);
    test_wall_temperature(&config, HS_WEST, 100.0);
    test_wall_periodic(&config, HS_SOUTH);
    test_wall_periodic(&config, HS_NORTH);
    return config;
  }
}

/* At every check of a long run: the converged estimate against the distance from the solution. Restarting the run with
 * other limits gives the fields of that run. */
static void estimate_is_told_honestly(enum hs_method method, int which, double weight, double low, double high)
{
  struct hs_config_region region;
  struct hs_config_source source;
  struct hs_config config = problem_of(which, &region, &source);
  struct test_run exact, run;
  double first_k;
  int settled = 0;
  config.solver.method = HS_METHOD_CHEBYSHEV;
  config.solver.criterion = HS_CRITERION_UPDATE_MAX;
  config.solver.check_every = 50;
  config.solver.tolerance = 1e-300;
  test_run_start(&exact, &config, NULL);
  first_k =
      largest_difference(exact.result.field_k, exact.job.initial_k, (size_t)config.grid.nx * (size_t)config.grid.ny);
  config.solver.method = method;
  config.solver.weight = weight;
  for (int limit = 150; limit < 1000000; limit += limit / 2) {
    double error_k;
    config.solver.max_iterations = limit;
    test_run_start(&run, &config, NULL);
    error_k =
        largest_difference(exact.result.field_k, run.result.field_k, (size_t)config.grid.nx * (size_t)config.grid.ny);
    if (error_k < 1e-8 * first_k) limit = 1000000;
    if (limit < 1000000 && run.result.outcome.estimate_converged) {
      const double ratio = run.result.outcome.error_estimate_k / error_k;
      settled++;
      if (!(ratio >= low && ratio <= high))
        fail_msg("%s %g, problem %d, %d sweeps: estimate %g, error %g, ratio %.3g", hs_method_name(method), weight,
                 which, limit, run.result.outcome.error_estimate_k, error_k, ratio);
    }
    test_run_clear(&run);
  }
  if (settled == 0) fail_msg("%s, problem %d: never settled", hs_method_name(method), which);
  test_run_clear(&exact);
}

static void chebyshev_estimate_is_near_the_error(void **state)
{
  (void)state;
  for (int which = 0; which < 5; which++) estimate_is_told_honestly(HS_METHOD_CHEBYSHEV, which, 1.0, 1.0 / 3, 3.0);
}

static void weighted_estimate_is_near_the_error(void **state)
{
  static const double weights[] = {0.5, 0.8, 0.95};
  (void)state;
  for (int k = 0; k < 3; k++) {
    estimate_is_told_honestly(HS_METHOD_WEIGHTED, 0, weights[k], 0.9, 1.1);
    estimate_is_told_honestly(HS_METHOD_WEIGHTED, 1, weights[k], 0.9, 1.1);
  }
}

/* The criterion `error` with Chebyshev stops no earlier than it says. */
static void error_criterion_holds_with_chebyshev(void **state)
{
  (void)state;
  for (int which = 0; which < 5; which++) {
    struct hs_config_region region;
    struct hs_config_source source;
    struct hs_config config = problem_of(which, &region, &source);
    struct test_run exact, run;
    config.solver.method = HS_METHOD_CHEBYSHEV;
    config.solver.check_every = 20;
    config.solver.criterion = HS_CRITERION_UPDATE_MAX;
    config.solver.tolerance = 1e-300;
    test_run_start(&exact, &config, NULL);
    config.solver.criterion = HS_CRITERION_ERROR;
    config.solver.tolerance = 1e-5;
    test_run_start(&run, &config, NULL);
    assert_int_equal(run.result.outcome.verdict, HS_VERDICT_CONVERGED);
    assert_true(run.result.outcome.estimate_converged);
    test_near(
        "error",
        largest_difference(exact.result.field_k, run.result.field_k, (size_t)config.grid.nx * (size_t)config.grid.ny),
        0.0, 3e-5);
    test_run_clear(&run);
    test_run_clear(&exact);
  }
}

/* --- a hard problem -------------------------------------------------------------------------------- */

/* EN ISO 10211, case 2, on a 0.5 mm grid: conductivities from 0.029 to 230, spectral radius 1 - 1.8e-6. Plain Jacobi
 * needs millions of sweeps. */
static struct hs_config iso_case_2(struct hs_config_region regions[5])
{
  static char concrete[] = "concrete", wood[] = "wood", metal[] = "aluminium";
  static const struct {
    char *material;
    double x1, y0, y1; /* mm */
  } parts[] = {{concrete, 500, 41.5, 47.5},
               {wood, 15, 36.5, 41.5},
               {metal, 500, 0, 1.5},
               {metal, 1.5, 1.5, 36.5},
               {metal, 15, 35, 36.5}};
  struct hs_config config = test_config_spaced(1001, 96, 0.5e-3, 0.5e-3);
  config.materials[0] = test_material(NAMELESS, 0.029, NAN, NAN);
  test_material_add(&config, test_material(concrete, 1.15, NAN, NAN));
  test_material_add(&config, test_material(wood, 0.12, NAN, NAN));
  test_material_add(&config, test_material(metal, 230.0, NAN, NAN));
  memset(regions, 0, 5 * sizeof *regions);
  for (int k = 0; k < 5; k++) {
    regions[k].name = parts[k].material;
    regions[k].material = parts[k].material;
    regions[k].initial_k = NAN;
    regions[k].shape = (struct hs_config_shape){
        .kind = HS_SHAPE_RECTANGLE, .x1_m = parts[k].x1 * 1e-3, .y0_m = parts[k].y0 * 1e-3, .y1_m = parts[k].y1 * 1e-3};
  }
  config.regions = regions;
  config.region_count = 5;
  test_wall_convection(&config, HS_SOUTH, 1.0 / 0.11, 20.0);
  test_wall_convection(&config, HS_NORTH, 1.0 / 0.06, 0.0);
  test_wall_insulated(&config, HS_WEST);
  test_wall_insulated(&config, HS_EAST);
  return config;
}

static void thermal_bridge_is_solved(void **state)
{
  struct hs_config_region regions[5];
  struct hs_config config = iso_case_2(regions);
  const struct hs_solve_outcome *o;
  struct test_run run;
  (void)state;
  config.solver.method = HS_METHOD_CHEBYSHEV;
  config.solver.criterion = HS_CRITERION_ERROR;
  config.solver.tolerance = 1e-3;
  config.solver.balance_tolerance = 1e-4;
  config.solver.threads = 0;
  test_run_start(&run, &config, NULL);
  o = &run.result.outcome;
  assert_int_equal(o->verdict, HS_VERDICT_CONVERGED);
  if (o->sweeps > 15000) fail_msg("%lld sweeps", (long long)o->sweeps);
  assert_true(run.result.answers.balance.imbalance_relative <= 1e-4);
  assert_true(o->restarts < 15);
  test_near("1 - spectral radius", 1.0 - o->spectral_radius, 1.8e-6, 0.3e-6);
  test_near("heat in", run.result.answers.balance.side_w_m[HS_SOUTH], 9.5, 0.1);
  test_near("temperature at A", run.result.field_k[95 * 1001], 7.1, 0.1);
  test_near("temperature at H", run.result.field_k[0], 16.8, 0.1);
  test_run_clear(&run);
}

/* --- the demand on the balance --------------------------------------------------------------------- */

struct opinion {
  int asked, refuse; /* accepts once it has refused that often */
  const int64_t *sweeps;
};

static hs_status opinion_accept(void *context, struct hs_backend_state *state, bool *accepted, struct hs_error *err)
{
  struct opinion *opinion = context;
  (void)state;
  (void)err;
  *accepted = opinion->asked++ >= opinion->refuse;
  return HS_OK;
}

/* Refused fields: the run goes on, asks again no sooner than 5 % later, and ends where it is accepted. */
static void refusal_makes_a_run_go_on(void **state)
{
  static const int checks[] = {1, 20, 64};
  (void)state;
  for (int k = 0; k < 18; k++) {
    const int refuse = k % 3 == 0 ? 0 : k % 3 == 1 ? 1 : 4;
    const int check_every = checks[k / 6];
    struct hs_config_source spot;
    const struct hs_config config = test_config_workshop(40, &spot);
    struct opinion opinion = {.refuse = refuse};
    struct hs_solve_settings settings = {.quantity = HS_STOP_UPDATE_MAX,
                                         .tolerance = 1e-6,
                                         .max_iterations = 1000000,
                                         .check_every = check_every,
                                         .method = k / 3 % 2 ? HS_METHOD_CHEBYSHEV : HS_METHOD_JACOBI,
                                         .exact_stop = true};
    struct hs_system *system = test_system(&config);
    double *field_k = test_field(system);
    struct hs_solve_outcome plain = test_solve(system, field_k, &settings, &hs_backend_cpu, false, NULL, NULL), o;
    double earliest = (double)plain.sweeps;
    settings.accept = (struct hs_solve_accept){opinion_accept, &opinion};
    o = test_solve(system, field_k, &settings, &hs_backend_cpu, false, NULL, NULL);
    assert_int_equal(o.verdict, HS_VERDICT_CONVERGED);
    if (refuse == 0) {
      assert_int_equal(o.sweeps, plain.sweeps);
      assert_int_equal(o.unbalanced_at, 0);
    } else {
      for (int m = 0; m < refuse; m++) earliest *= 1.05;
      assert_true(o.unbalanced_at >= plain.sweeps && o.unbalanced_at < plain.sweeps + check_every);
      assert_true((double)o.sweeps >= earliest);
      /* Chebyshev's update wavers */
      if (settings.method == HS_METHOD_JACOBI &&
          !((double)o.sweeps <= earliest + (refuse + 1) * (check_every + 1) * 1.3))
        fail_msg("case %d: refused %d times, %lld sweeps, %lld without, check_every %d", k, refuse, (long long)o.sweeps,
                 (long long)plain.sweeps, check_every);
      assert_int_equal(opinion.asked, refuse + 1);
      assert_int_equal(o.sweeps % check_every, 0);
    }
    hs_solve_outcome_clear(&plain);
    hs_solve_outcome_clear(&o);
    free(field_k);
    hs_system_destroy(system);
  }
}

/* The workshop's own stop leaves heat unaccounted for; a demand on the balance does not. */
static void converged_runs_are_balanced(void **state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    struct hs_config_source spot;
    struct hs_config config = test_config_workshop(64, &spot);
    struct test_run run;
    test_run_start(&run, &config, NULL);
    assert_true(run.result.answers.balance.imbalance_relative > 1e-3);
    test_run_clear(&run);
    config.solver.balance_tolerance = 1e-5;
    config.solver.method = (enum hs_method)k;
    test_run_start(&run, &config, NULL);
    assert_int_equal(run.result.outcome.verdict, HS_VERDICT_CONVERGED);
    assert_true(run.result.answers.balance.imbalance_relative <= 1e-5);
    assert_true(run.result.outcome.unbalanced_at > 0);
    assert_false(run.result.outcome.exact_stop);
    test_run_clear(&run);
  }
}

/* A plate that is everywhere as warm as its surroundings has no heat flows, only their rounding. */
static void plate_of_one_temperature_converges(void **state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    struct hs_config config = test_config(11, 7);
    struct test_run run;
    test_wall_convection(&config, HS_WEST, 7.7, 20.3);
    test_wall_temperature(&config, HS_EAST, 20.3);
    test_wall_insulated(&config, HS_SOUTH);
    test_wall_insulated(&config, HS_NORTH);
    config.initial.temperature_k = 20.3;
    config.solver.balance_tolerance = 1e-4;
    config.solver.method = (enum hs_method)k;
    test_run_start(&run, &config, NULL);
    assert_int_equal(run.result.outcome.verdict, HS_VERDICT_CONVERGED);
    assert_int_equal(run.result.outcome.unbalanced_at, 0);
    test_run_clear(&run);
  }
}

/* A demand that rounding does not meet ends as a stagnation, not as a success. */
static void unmet_balance_is_no_success(void **state)
{
  struct hs_config_source spot;
  struct hs_config config = test_config_workshop(40, &spot);
  struct test_run run;
  (void)state;
  config.solver.balance_tolerance = -1.0;
  for (int k = 0; k < 3; k++) {
    config.solver.method = (enum hs_method)k;
    test_run_start(&run, &config, NULL);
    assert_int_equal(run.result.outcome.verdict, HS_VERDICT_STAGNATED);
    assert_true(run.result.outcome.unbalanced_at > 0);
    test_run_clear(&run);
  }
}

/* --- insulated boxes -------------------------------------------------------------------------------- */

/* Heat enters in the western third of a box, +3 W/m3, and leaves in the eastern one: along x the flow through each
 * face is the sum of the sources west of it, and the mean stays that of the start. */
static void insulated_box_meets_its_profile(void **state)
{
  enum { NX = 31, NY = 13 };
  (void)state;
  for (int k = 0; k < 6; k++) {
    struct hs_config config = test_config_spaced(NX, NY, 0.1, 0.1);
    struct hs_config_source sources[2] = {test_source_rectangle(0.0, 1.0, 0.0, 1.2, 3.0),
                                          test_source_rectangle(2.0, 3.0, 0.0, 1.2, -3.0)};
    double profile_k[NX], flow = 0.0, mean = 0.0;
    struct test_run run;
    for (int side = 0; side < HS_SIDES; side++) test_wall_insulated(&config, (enum hs_side)side);
    config.sources = sources;
    config.source_count = 2;
    config.initial.temperature_k = 10.0;
    config.solver.method = (enum hs_method)(k % 3);
    config.solver.criterion = HS_CRITERION_UPDATE_MAX;
    config.solver.tolerance = 1e-11;
    config.solver.check_every = k < 3 ? 50 : 1;
    profile_k[0] = 0.0;
    for (int i = 0; i < NX; i++) { /* per metre of height: half a cell's heat at the ends of the sources */
      const double heated = i == 0 || i == 10 ? 0.05 : i < 10 ? 0.1 : 0.0;
      const double cooled = i == 20 || i == NX - 1 ? 0.05 : i > 20 ? 0.1 : 0.0;
      flow += 3.0 * (heated - cooled);
      if (i + 1 < NX) profile_k[i + 1] = profile_k[i] - 0.1 * flow;
      mean += profile_k[i] * (i == 0 || i == NX - 1 ? 0.5 : 1.0) / (NX - 1);
    }
    test_near("flow beyond the last node", flow, 0.0, 1e-13);
    test_run_start(&run, &config, NULL);
    assert_true(run.job.system->singular);
    assert_int_equal(run.result.outcome.verdict, HS_VERDICT_CONVERGED);
    for (int n = 0; n < NX * NY; n++)
      test_near("profile", run.result.field_k[n], 10.0 + profile_k[n % NX] - mean, 1e-8);
    test_near("mean", run.result.answers.mean_k, 10.0, 1e-12);
    test_run_clear(&run);
  }
}

/* A checkerboard, which J maps to its negative, is gone. */
static struct hs_node_law closed_law(void *context, int i, int j)
{
  struct hs_node_law law = {.west = i > 0, .east = i<7, .south = j> 0, .north = j < 5};
  (void)context;
  return law;
}

static void checkerboard_does_not_stay(void **state)
{
  struct hs_system *system = test_system_of_laws(8, 6, 1.0, 1.0, closed_law, NULL);
  double *start_k = test_field(system), *end_k = test_field(system);
  (void)state;
  system->singular = true;
  for (int k = 0; k < 3; k++) {
    const struct hs_solve_settings settings = {.quantity = HS_STOP_UPDATE_MAX,
                                               .tolerance = 1e-13,
                                               .max_iterations = 10000,
                                               .check_every = 10,
                                               .method = (enum hs_method)k,
                                               .weight = 0.999};
    struct hs_solve_outcome o;
    for (int n = 0; n < 48; n++) start_k[n] = 10.0 + ((n % 8 + n / 8) % 2 ? -1.0 : 1.0) + 0.1 * (n % 8);
    o = test_solve(system, start_k, &settings, &hs_backend_cpu, false, NULL, end_k);
    assert_int_equal(o.verdict, HS_VERDICT_CONVERGED);
    for (int n = 0; n < 48; n++) test_near("level", end_k[n], end_k[0], 1e-10);
    hs_solve_outcome_clear(&o);
  }
  free(start_k);
  free(end_k);
  hs_system_destroy(system);
}

/* --- how runs end ------------------------------------------------------------------------------------ */

/* Small problems are solved to the last bit before the first evaluation of the test, and it holds there. */
static void chebyshev_converges_between_evaluations(void **state)
{
  static const enum hs_criterion criteria[] = {HS_CRITERION_ERROR, HS_CRITERION_RESIDUAL, HS_CRITERION_UPDATE_MAX};
  (void)state;
  for (int k = 0; k < 3 * 5; k++) {
    const int n = 4 + 2 * (k / 3);
    struct hs_config_source glow;
    struct hs_config config = poisson_config(n, &glow);
    struct test_run plain, run;
    config.solver.criterion = HS_CRITERION_UPDATE_MAX;
    config.solver.tolerance = 1e-16;
    test_run_start(&plain, &config, NULL);
    config.solver.method = HS_METHOD_CHEBYSHEV;
    config.solver.criterion = criteria[k % 3];
    config.solver.tolerance = 1e-8;
    config.solver.check_every = 4096;
    test_run_start(&run, &config, NULL);
    assert_int_equal(run.result.outcome.verdict, HS_VERDICT_CONVERGED);
    assert_true(run.result.outcome.sweeps < 4096);
    if (k % 3 == 0) assert_true(run.result.outcome.estimate_converged);
    if (k % 3 == 0) assert_true(run.result.outcome.error_estimate_k <= 1e-8);
    test_near("field", largest_difference(plain.result.field_k, run.result.field_k, (size_t)(n + 1) * (size_t)(n + 1)),
              0.0, 1e-13);
    test_run_clear(&plain);
    test_run_clear(&run);
  }
}

static void chebyshev_ends_at_rounding(void **state)
{
  (void)state;
  for (int k = 0; k < 10; k++) {
    struct hs_config_region region;
    struct hs_config_source source;
    struct hs_config config = problem_of(k / 2, &region, &source);
    struct test_run run;
    double bound;
    config.solver.method = HS_METHOD_CHEBYSHEV;
    config.solver.precision = k % 2 ? HS_SINGLE : HS_DOUBLE;
    config.solver.criterion = HS_CRITERION_UPDATE_MAX;
    config.solver.tolerance = 1e-300;
    config.solver.check_every = 30;
    config.solver.max_iterations = 200000;
    test_run_start(&run, &config, NULL);
    if (run.result.outcome.verdict != HS_VERDICT_STAGNATED) /* a field that rests to the last bit */
      assert_int_equal(run.result.outcome.verdict, HS_VERDICT_CONVERGED);
    /* problem 2: 280 K, a first correction of 0.04 K, and a rounding error that is carried along for 500 sweeps */
    bound = k % 2 ? (k / 2 == 2 ? 10.0 : 1e-2) : k / 2 == 2 ? 1e-6 : 1e-10;
    if (!(run.result.outcome.residual_relative < bound))
      fail_msg("problem %d, %s: residual %g of the first", k / 2, k % 2 ? "single" : "double",
               run.result.outcome.residual_relative);
    assert_true(run.result.outcome.sweeps < 100000);
    test_run_clear(&run);
  }
}

static void chebyshev_keeps_the_limit_to_the_sweep(void **state)
{
  static const int limits[] = {1, 15, 16, 17, 100, 1001};
  (void)state;
  for (int k = 0; k < 6; k++) {
    struct hs_config_source spot;
    struct hs_config config = test_config_workshop(40, &spot);
    struct test_run run;
    config.solver.method = HS_METHOD_CHEBYSHEV;
    config.solver.tolerance = 1e-300;
    config.solver.max_iterations = limits[k];
    test_run_start(&run, &config, NULL);
    if (run.result.outcome.verdict == HS_VERDICT_LIMIT)
      assert_int_equal(run.result.outcome.sweeps, limits[k]);
    else
      assert_true(limits[k] > 1000);
    test_run_clear(&run);
  }
}

/* All backends look at the same norms, so they take the same decisions. */
static void chebyshev_is_the_same_on_the_reference(void **state)
{
  static char reference[] = "cpu-reference";
  (void)state;
  for (int which = 0; which < 5; which++) {
    struct hs_config_region region;
    struct hs_config_source source;
    struct hs_config config = problem_of(which, &region, &source);
    struct test_run a, b;
    config.solver.method = HS_METHOD_CHEBYSHEV;
    config.solver.check_every = 25;
    config.solver.criterion = HS_CRITERION_RESIDUAL;
    config.solver.tolerance = 1e-5;
    test_run_start(&a, &config, NULL);
    config.solver.backend = reference;
    test_run_start(&b, &config, NULL);
    assert_int_equal(a.result.outcome.sweeps, b.result.outcome.sweeps);
    test_fields_same("Chebyshev", b.result.field_k, a.result.field_k, config.grid.nx, config.grid.ny);
    test_run_clear(&a);
    test_run_clear(&b);
  }
}

static void stop_at_once(void *context, const struct hs_solve_progress *progress)
{
  (void)progress;
  *(volatile sig_atomic_t *)context = 1;
}

static void chebyshev_can_be_interrupted(void **state)
{
  static const int checks[] = {1, 64, 100000000};
  (void)state;
  for (int k = 0; k < 3; k++) {
    volatile sig_atomic_t stop = 0;
    const struct hs_solve_observer observer = {stop_at_once, (void *)&stop, &stop};
    struct hs_config_region regions[5];
    struct hs_config config = iso_case_2(regions);
    struct test_run run;
    config.solver.method = HS_METHOD_CHEBYSHEV;
    config.solver.max_iterations = 1000000000;
    config.solver.tolerance = 1e-300;
    config.solver.check_every = checks[k];
    test_run_start(&run, &config, &observer);
    assert_int_equal(run.result.outcome.verdict, HS_VERDICT_INTERRUPTED);
    assert_true(run.result.outcome.sweeps > 0);
    test_run_clear(&run);
  }
}

/* What was computed from a diverged field must not look good. */
static void diverged_fields_have_no_answers(void **state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    struct hs_config config = test_config(9, 8);
    struct test_run run;
    for (int side = 0; side < HS_SIDES; side++) test_wall_temperature(&config, (enum hs_side)side, 1e308);
    config.solver.method = (enum hs_method)k;
    config.solver.balance_tolerance = 1e-4;
    test_run_start(&run, &config, NULL);
    assert_int_equal(run.result.outcome.verdict, HS_VERDICT_DIVERGED);
    assert_true(isnan(run.result.outcome.error_estimate_k) && !run.result.outcome.estimate_converged);
    assert_true(isnan(run.result.answers.balance.imbalance_relative));
    for (int side = 0; side < HS_SIDES; side++) assert_true(isnan(run.result.answers.balance.side_w_m[side]));
    test_run_clear(&run);
  }
}

/* --- forecasts ----------------------------------------------------------------------------------------- */

static void weighted_forecasts_come_true(void **state)
{
  static const enum hs_criterion criteria[] = {HS_CRITERION_UPDATE_L2, HS_CRITERION_UPDATE_MAX, HS_CRITERION_RESIDUAL,
                                               HS_CRITERION_ERROR};
  (void)state;
  for (int k = 0; k < 8; k++) {
    struct hs_config_source glow;
    struct hs_config config = poisson_config(64, &glow);
    struct test_run run;
    config.solver.criterion = criteria[k % 4];
    config.solver.tolerance = 1e-8;
    config.solver.check_every = 10;
    config.solver.method = HS_METHOD_WEIGHTED;
    config.solver.weight = k < 4 ? 0.8 : 0.5;
    test_run_start(&run, &config, NULL);
    assert_true(run.job.forecast.known);
    test_near("forecast over sweeps", run.job.forecast.sweeps / (double)run.result.outcome.sweeps, 1.0, 0.01);
    test_run_clear(&run);
  }
}

/* Guesses are guesses, but of the right order, and not called forecasts. */
static void guesses_are_of_the_right_order(void **state)
{
  (void)state;
  for (int k = 0; k < 8; k++) {
    struct hs_config_region region;
    struct hs_config_source source;
    struct hs_config config = problem_of(k / 2 == 2 ? 0 : k / 2, &region, &source);
    struct test_run run;
    double ratio;
    if (k % 2) config.solver.method = HS_METHOD_CHEBYSHEV;
    if (k % 2 == 0 && k / 2 != 3) continue; /* forecast, not guessed */
    config.solver.criterion = HS_CRITERION_UPDATE_MAX;
    config.solver.tolerance = 1e-7;
    config.solver.check_every = 10;
    test_run_start(&run, &config, NULL);
    assert_false(run.job.forecast.known);
    ratio = run.job.forecast.sweeps / (double)run.result.outcome.sweeps;
    if (!(ratio > 0.1 && ratio < 10.0)) fail_msg("problem %d: guess over sweeps %g", k, ratio);
    test_run_clear(&run);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(recursion_takes_the_known_sweeps),
      cmocka_unit_test(adaptive_recursion_is_nearly_as_good),
      cmocka_unit_test(weighted_sweeps_take_the_known_number),
      cmocka_unit_test(weight_one_is_plain),
      cmocka_unit_test(weighted_stop_does_not_depend_on_check_every),
      cmocka_unit_test(chebyshev_estimate_is_near_the_error),
      cmocka_unit_test(weighted_estimate_is_near_the_error),
      cmocka_unit_test(error_criterion_holds_with_chebyshev),
      cmocka_unit_test(thermal_bridge_is_solved),
      cmocka_unit_test(refusal_makes_a_run_go_on),
      cmocka_unit_test(converged_runs_are_balanced),
      cmocka_unit_test(plate_of_one_temperature_converges),
      cmocka_unit_test(unmet_balance_is_no_success),
      cmocka_unit_test(insulated_box_meets_its_profile),
      cmocka_unit_test(checkerboard_does_not_stay),
      cmocka_unit_test(chebyshev_converges_between_evaluations),
      cmocka_unit_test(chebyshev_ends_at_rounding),
      cmocka_unit_test(chebyshev_keeps_the_limit_to_the_sweep),
      cmocka_unit_test(chebyshev_is_the_same_on_the_reference),
      cmocka_unit_test(chebyshev_can_be_interrupted),
      cmocka_unit_test(diverged_fields_have_no_answers),
      cmocka_unit_test(weighted_forecasts_come_true),
      cmocka_unit_test(guesses_are_of_the_right_order),
  };
  return cmocka_run_group_tests_name("methods", tests, NULL, NULL);
}
