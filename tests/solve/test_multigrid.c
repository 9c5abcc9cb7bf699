/* Multigrid against direct solutions of random problems, on every backend that runs here. */
#include "solve/multigrid/multigrid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runs.h"
#include "solve/cases.h"
#include "solve/direct.h"
#include "solve/plates.h"

enum { CYCLES_MOST = 30 };

/* --- solutions ------------------------------------------------------------------------------- */

/* Solves a system on a backend by so many cycles at most; the field is the caller's. */
static struct hs_solve_outcome solve_by(int cycles, const struct hs_system *s, const double *start_k,
                                        double tolerance_k, const struct hs_backend *backend, int threads,
                                        double *end_k)
{
  const struct hs_backend_options options = {.threads = threads};
  struct hs_solve_settings settings = {
      .quantity = HS_STOP_ERROR, .tolerance = tolerance_k, .max_iterations = cycles, .method = HS_METHOD_MULTIGRID};
  struct hs_solve_outcome outcome;
  struct hs_backend_state *state;
  struct hs_error err = {0};
  test_ok(backend->create(s, &options, &state, &err), &err);
  test_ok(backend->load(state, start_k, &err), &err);
  test_ok(hs_multigrid_create(backend, s, &options, NULL, &settings.multigrid, &err), &err);
  test_ok(hs_solve(s, &settings, backend, state, NULL, &outcome, &err), &err);
  test_ok(backend->fetch(state, end_k, &err), &err);
  hs_multigrid_destroy(settings.multigrid);
  backend->destroy(state);
  return outcome;
}

static struct hs_solve_outcome solve(const struct hs_system *s, const double *start_k, double tolerance_k,
                                     const struct hs_backend *backend, int threads, double *end_k)
{
  return solve_by(100, s, start_k, tolerance_k, backend, threads, end_k);
}

/* A point with its fields, kept before a step. */
struct kept {
  struct hs_solve_point point;
  double *field[3];
};

enum { KEPT_MOST = 2 * CYCLES_MOST };

struct keeper {
  struct hs_multigrid *multigrid;
  const struct hs_system *system;
  struct kept kept[KEPT_MOST];
  int count;
};

static bool always(void *context)
{
  (void)context;
  return true;
}

static hs_status keep(void *context, const struct hs_solve_point *point, struct hs_backend_state *state,
                      struct hs_error *err)
{
  struct keeper *keeper = context;
  struct kept *kept = &keeper->kept[keeper->count];
  struct hs_check *history = calloc((size_t)point->history_count + 1, sizeof *history);
  hs_status status = HS_OK;
  (void)state;
  assert_true(keeper->count < KEPT_MOST);
  memcpy(history, point->history, (size_t)point->history_count * sizeof *history);
  kept->point = *point;
  kept->point.history = history;
  for (int role = 0; !status && role < 3; role++) {
    kept->field[role] = test_field(keeper->system);
    status = hs_multigrid_fetch(keeper->multigrid, (enum hs_field_role)role, kept->field[role], err);
  }
  keeper->count++;
  return status;
}

static void kept_clear(struct kept *kept)
{
  free((void *)kept->point.history);
  for (int role = 0; role < 3; role++) free(kept->field[role]);
}

/* Refuses the first field that it is asked about. */
static hs_status accept_second(void *context, struct hs_backend_state *state, double left_k, bool *accepted,
                               struct hs_error *err)
{
  int *asked = context;
  (void)state;
  (void)left_k;
  (void)err;
  *accepted = ++*asked > 1;
  return HS_OK;
}

/* The same solution, with all points kept, or from a point on; refused: fields that have been refused until there. */
static struct hs_solve_outcome solve_in_parts(const struct hs_system *s, const double *start_k, double tolerance_k,
                                              const struct hs_backend *backend, struct keeper *keeper,
                                              const struct kept *from, int refused, double *end_k)
{
  const struct hs_backend_options options = {.threads = 2};
  struct hs_solve_settings settings = {.quantity = HS_STOP_ERROR,
                                       .tolerance = tolerance_k,
                                       .max_iterations = 100,
                                       .method = HS_METHOD_MULTIGRID,
                                       .accept = {accept_second, &refused}};
  struct hs_solve_outcome outcome;
  struct hs_backend_state *state;
  struct hs_error err = {0};
  test_ok(backend->create(s, &options, &state, &err), &err);
  test_ok(backend->load(state, start_k, &err), &err);
  test_ok(hs_multigrid_create(backend, s, &options, NULL, &settings.multigrid, &err), &err);
  if (keeper) keeper->multigrid = settings.multigrid;
  if (keeper) settings.keeper = (struct hs_solve_keeper){always, keep, keeper};
  for (int role = 0; from && role < 3; role++)
    test_ok(hs_multigrid_load(settings.multigrid, (enum hs_field_role)role, from->field[role], &err), &err);
  if (from) settings.from = &from->point;
  test_ok(hs_solve(s, &settings, backend, state, NULL, &outcome, &err), &err);
  test_ok(backend->fetch(state, end_k, &err), &err);
  hs_multigrid_destroy(settings.multigrid);
  backend->destroy(state);
  return outcome;
}

static bool runs_here(const struct hs_backend *backend, const struct hs_system *s)
{
  const struct hs_backend_options options = {.threads = 1};
  struct hs_error why = {0};
  return backend->linear && backend->create && !backend->probe(s, &options, &why);
}

/* NULL: there is none, as with a shape in which no node lies. */
static struct hs_system *system_of(const struct hs_config *config)
{
  struct hs_problem *problem = NULL;
  struct hs_system *s = NULL;
  struct hs_error why = {0};
  hs_status status = hs_problem_create(config, NULL, &problem, &why);
  if (!status) status = hs_problem_build_system(problem, &s, &why);
  hs_problem_destroy(problem);
  return status ? NULL : s;
}

/* What the estimates of all problems were. */
struct record {
  double least, largest; /* of the true error */
  int64_t cycles, most;  /* of all together, and of one */
};

static void problem_solve(uint64_t seed, struct record *record)
{
  struct test_random random = {seed};
  struct hs_config_region regions[TEST_PLATE_REGIONS];
  struct hs_config_source source;
  const struct hs_config config = test_plate(&random, 3.0, regions, &source);
  struct hs_system *s = system_of(&config);
  double *start_k, *end_k, *other_k, *wanted_k;
  struct hs_solve_outcome outcome;
  if (!s) return;
  start_k = test_field_initial(&config, s);
  end_k = test_field(s);
  other_k = test_field(s);
  wanted_k = test_direct_solution(s);
  {
    const size_t nodes = (size_t)s->nx * (size_t)s->ny;
    const double tolerance_k = 1e-8 * test_range(wanted_k, nodes);
    double error_k;
    outcome = solve(s, start_k, tolerance_k, &hs_backend_reference, 1, end_k);
    error_k = test_difference(end_k, wanted_k, nodes);
    if (outcome.verdict != HS_VERDICT_CONVERGED || outcome.sweeps > CYCLES_MOST || error_k > 1.5 * tolerance_k)
      fail_msg("problem %llu, %d x %d: %s after %lld cycles, estimate %g, error %g, tolerance %g",
               (unsigned long long)seed, s->nx, s->ny, hs_verdict_name(outcome.verdict), (long long)outcome.sweeps,
               outcome.error_estimate_k, error_k, tolerance_k);
    if (error_k > 1e-3 * tolerance_k) {
      record->least = fmin(record->least, outcome.error_estimate_k / error_k);
      record->largest = fmax(record->largest, outcome.error_estimate_k / error_k);
    }
    record->cycles += outcome.sweeps;
    if (outcome.sweeps > record->most) record->most = outcome.sweeps;
    for (int k = 1; hs_backend_list()[k]; k++) {
      struct hs_solve_outcome same;
      if (!runs_here(hs_backend_list()[k], s)) continue;
      same = solve(s, start_k, tolerance_k, hs_backend_list()[k], 2, other_k);
      test_fields_same(hs_backend_list()[k]->name, end_k, other_k, s->nx, s->ny);
      assert_true(test_same(same.error_estimate_k, outcome.error_estimate_k));
      assert_int_equal(same.sweeps, outcome.sweeps);
      hs_solve_outcome_clear(&same);
    }
    hs_solve_outcome_clear(&outcome);
  }
  free(wanted_k);
  free(other_k);
  free(end_k);
  free(start_k);
  hs_system_destroy(s);
}

/* HEATSOLVE_SOAK=FIRST-LAST: these seeds instead of the usual ones. */
static void random_problems_meet_their_direct_solutions(void **state)
{
  const char *soak = getenv("HEATSOLVE_SOAK");
  unsigned long long first = 0, last = 59;
  struct record record = {INFINITY, 0.0, 0, 0};
  (void)state;
  if (soak) assert_int_equal(sscanf(soak, "%llu-%llu", &first, &last), 2);
  for (unsigned long long seed = first; seed <= last; seed++) problem_solve(seed, &record);
  printf("# %lld cycles, at most %lld; estimates were %.2f to %.2f times the true error\n", (long long)record.cycles,
         (long long)record.most, record.least, record.largest);
}

/* Many pieces of metal that overlap and float in a poor conductor: interpolation keeps constants on each, or coarse grids cut
 * them up. From two starts, as their answers are those of one problem. */
static void metal_that_floats_converges(void **state)
{
  enum { PIECES = 120, N = 101 };
  static struct hs_config_region regions[PIECES];
  static char name[] = "piece", metal[] = "metal";
  struct hs_config config = test_config_spaced(N, N, 0.01, 0.01);
  struct test_random random = {7};
  struct hs_system *s;
  double *start_k, *end_k[2];
  (void)state;
  test_material_add(&config, test_material(metal, 3e5, NAN, NAN));
  for (int k = 0; k < PIECES; k++)
    regions[k] = (struct hs_config_region){.name = name,
                                           .material = metal,
                                           .initial_k = NAN,
                                           .shape = {.kind = HS_SHAPE_CIRCLE,
                                                     .x_m = test_random_between(&random, 0.05, 0.95),
                                                     .y_m = test_random_between(&random, 0.05, 0.95),
                                                     .radius_m = test_random_between(&random, 0.01, 0.04)}};
  config.regions = regions;
  config.region_count = PIECES;
  test_wall_temperature(&config, HS_WEST, 400);
  test_wall_temperature(&config, HS_EAST, 300);
  test_wall_insulated(&config, HS_SOUTH);
  test_wall_insulated(&config, HS_NORTH);
  s = system_of(&config);
  assert_non_null(s);
  for (int k = 0; k < 2; k++) {
    struct hs_solve_outcome outcome;
    config.initial.temperature_k = k == 0 ? 300.0 : 400.0;
    start_k = test_field_initial(&config, s);
    end_k[k] = test_field(s);
    outcome = solve(s, start_k, 1e-6, k == 0 ? &hs_backend_reference : &hs_backend_cpu, 2, end_k[k]);
    printf("# floating metal: %s after %lld cycles, estimate %g K\n", hs_verdict_name(outcome.verdict),
           (long long)outcome.sweeps, outcome.error_estimate_k);
    assert_int_equal(outcome.verdict, HS_VERDICT_CONVERGED);
    hs_solve_outcome_clear(&outcome);
    free(start_k);
  }
  assert_true(test_difference(end_k[0], end_k[1], (size_t)N * N) < 2e-6);
  free(end_k[0]);
  free(end_k[1]);
  hs_system_destroy(s);
}

/* What nested iteration alone leaves of a plate at 1 K between walls at 0, heated: errors that jump at the walls, and fall with
 * the square of the spacing. */
static double nested_error(int intervals)
{
  struct hs_config_source glow;
  struct hs_config config = poisson_config(intervals, &glow);
  struct hs_system *s = system_of(&config);
  double *start_k, *end_k[2], error_k;
  config.initial.temperature_k = 1.0;
  assert_non_null(s);
  start_k = test_field_initial(&config, s);
  for (int k = 0; k < 2; k++) {
    struct hs_solve_outcome outcome;
    end_k[k] = test_field(s);
    outcome = solve_by(k == 0 ? 1 : 100, s, start_k, 1e-12, &hs_backend_cpu, 2, end_k[k]);
    assert_int_equal(outcome.verdict, k == 0 ? HS_VERDICT_LIMIT : HS_VERDICT_CONVERGED);
    hs_solve_outcome_clear(&outcome);
  }
  error_k = test_difference(end_k[0], end_k[1], (size_t)s->nx * (size_t)s->ny);
  free(end_k[0]);
  free(end_k[1]);
  free(start_k);
  hs_system_destroy(s);
  return error_k;
}

static void nested_iteration_begins_near(void **state)
{
  const double coarse_k = nested_error(64), fine_k = nested_error(256);
  (void)state;
  printf("# nested iteration leaves %.2g K of 1 K with 64 intervals, %.2g with 256\n", coarse_k, fine_k);
  assert_true(coarse_k < 0.1 && fine_k < coarse_k / 8.0);
}

static void histories_same(const struct hs_solve_outcome *a, const struct hs_solve_outcome *b)
{
  assert_int_equal(a->history_count, b->history_count);
  for (int k = 0; k < a->history_count; k++) {
    assert_int_equal(a->history[k].sweeps, b->history[k].sweeps);
    assert_true(test_same(a->history[k].norms.residual_l2, b->history[k].norms.residual_l2));
    assert_true(test_same(a->history[k].error_estimate_k, b->history[k].error_estimate_k));
  }
}

/* A backend on the host whose new vectors of the finest operator are not numbers: nothing may depend on what they hold. */
static struct {
  const struct hs_linear *linear;
  const struct hs_system *system;
  double *values;
} unwritten;

static hs_status vector_create(const struct hs_operator *op, bool single, struct hs_vector **v, struct hs_error *err)
{
  const struct hs_grid grid = unwritten.linear->grid(op);
  const hs_status status = unwritten.linear->vector_create(op, single, v, err);
  if (status || grid.nx < unwritten.system->nx - 1 || grid.ny < unwritten.system->ny - 1) return status;
  return unwritten.linear->load(op, unwritten.values, *v, err);
}

static struct hs_backend with_unwritten(const struct hs_backend *backend, struct hs_linear *linear)
{
  struct hs_backend other = *backend;
  unwritten.linear = backend->linear;
  *linear = *backend->linear;
  linear->vector_create = vector_create;
  other.linear = linear;
  return other;
}

/* Goes on from every point of a solution, each time on another backend. */
static void solution_resume(const struct hs_system *s, const double *start_k)
{
  struct keeper keeper = {.system = s};
  double *end_k = test_field(s), *again_k = test_field(s);
  struct hs_backend other_backend;
  struct hs_linear linear;
  struct hs_solve_outcome whole = solve_in_parts(s, start_k, 1e-6, &hs_backend_reference, &keeper, NULL, 0, end_k);
  assert_int_equal(keeper.count, whole.sweeps > 0 ? whole.sweeps - 1 : 0); /* before each step but the first */
  unwritten.system = s;
  unwritten.values = test_field(s);
  for (size_t n = 0; n < (size_t)s->nx * (size_t)s->ny; n++) unwritten.values[n] = NAN;
  for (int k = 0; k < keeper.count; k++) {
    const struct kept *from = &keeper.kept[k];
    const struct hs_backend *backend = &other_backend;
    const int refused = from->point.unbalanced_at > 0;
    struct hs_solve_outcome rest;
    other_backend = with_unwritten(hs_backend_list()[(size_t)k % 2], &linear);
    for (int other = 2; k % 3 == 2 && hs_backend_list()[other]; other++)
      if (runs_here(hs_backend_list()[other], s)) backend = hs_backend_list()[other];
    rest = solve_in_parts(s, start_k, 1e-6, backend, NULL, from, refused, again_k);
    test_fields_same(backend->name, end_k, again_k, s->nx, s->ny);
    assert_int_equal(rest.sweeps, whole.sweeps);
    assert_int_equal(rest.unbalanced_at, whole.unbalanced_at);
    assert_true(test_same(rest.error_estimate_k, whole.error_estimate_k));
    assert_true(test_same(rest.residual_relative, whole.residual_relative));
    assert_true(test_same(rest.work_sweeps, whole.work_sweeps));
    histories_same(&rest, &whole);
    hs_solve_outcome_clear(&rest);
    kept_clear(&keeper.kept[k]);
  }
  hs_solve_outcome_clear(&whole);
  free(unwritten.values);
  free(again_k);
  free(end_k);
}

static void solutions_go_on_from_every_point(void **state)
{
  (void)state;
  for (uint64_t seed = 0; seed < 40; seed++) {
    struct test_random random = {seed};
    struct hs_config_region regions[TEST_PLATE_REGIONS];
    struct hs_config_source source;
    const struct hs_config config = test_plate(&random, 3.0, regions, &source);
    struct hs_system *s = system_of(&config);
    double *start_k;
    if (!s) continue;
    start_k = test_field_initial(&config, s);
    solution_resume(s, start_k);
    free(start_k);
    hs_system_destroy(s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_problems_meet_their_direct_solutions), cmocka_unit_test(metal_that_floats_converges),
      cmocka_unit_test(nested_iteration_begins_near), cmocka_unit_test(solutions_go_on_from_every_point)};
  return cmocka_run_group_tests_name("multigrid", tests, NULL, NULL);
}
