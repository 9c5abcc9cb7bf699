/* Multigrid against direct solutions of random problems, on every backend that runs here. */
#include "solve/multigrid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runs.h"
#include "solve/cases.h"

enum { LARGEST = 25, MATERIALS = 4, REGIONS = 4, CYCLES_MOST = 30 };

/* --- direct solutions ------------------------------------------------------------------------ */

/* Adds the heat that node n gets from its neighbour m to the matrix. */
static void neighbour_add(const struct hs_system *s, long double *a, long double *b, size_t n, size_t m,
                          double conductance)
{
  const size_t nodes = (size_t)s->nx * (size_t)s->ny;
  const struct hs_node_law *other = &s->law[hs_system_index(s, m)];
  if (conductance == 0.0) return;
  a[n * nodes + n] += conductance;
  if (other->dirichlet)
    b[n] += (long double)conductance * other->dirichlet_k;
  else
    a[n * nodes + m] -= conductance;
}

/* The node that a copy beyond a periodic wall of the vertex layout stands for. */
static size_t node_of(const struct hs_system *s, int i, int j)
{
  if (s->wrap_x > 0 && i == s->nx - 1) i = 0;
  if (s->wrap_y > 0 && j == s->ny - 1) j = 0;
  return (size_t)j * (size_t)s->nx + (size_t)i;
}

static void equations_fill(const struct hs_system *s, long double *a, long double *b)
{
  const size_t nodes = (size_t)s->nx * (size_t)s->ny;
  for (int j = 0; j < s->ny; j++)
    for (int i = 0; i < s->nx; i++) {
      const size_t n = (size_t)j * (size_t)s->nx + (size_t)i;
      const struct hs_node_law *law = &s->law[hs_system_index(s, n)];
      if (law->dirichlet || node_of(s, i, j) != n) { /* a copy: anything */
        a[n * nodes + n] = 1.0;
        b[n] = law->dirichlet_k;
        continue;
      }
      a[n * nodes + n] += law->ambient_w_mk;
      b[n] = (long double)law->source_w_m + law->ambient_w_m + (s->source_w_m ? s->source_w_m[n] : 0.0);
      neighbour_add(s, a, b, n, node_of(s, hs_system_beside(i, -1, s->nx, s->wrap_x), j), law->west);
      neighbour_add(s, a, b, n, node_of(s, hs_system_beside(i, 1, s->nx, s->wrap_x), j), law->east);
      neighbour_add(s, a, b, n, node_of(s, i, hs_system_beside(j, -1, s->ny, s->wrap_y)), law->south);
      neighbour_add(s, a, b, n, node_of(s, i, hs_system_beside(j, 1, s->ny, s->wrap_y)), law->north);
    }
}

/* Solves by Gauss's elimination, all in long double: a nearly insulated plate needs the digits. */
static double *direct_solution(const struct hs_system *s)
{
  const size_t nodes = (size_t)s->nx * (size_t)s->ny;
  long double *m = calloc(nodes * nodes, sizeof *m), *x = calloc(nodes, sizeof *x);
  double *field_k = test_field(s);
  assert_true(m && x);
  equations_fill(s, m, x);
  for (size_t k = 0; k < nodes; k++)
    for (size_t row = k + 1; row < nodes; row++) {
      const long double factor = m[row * nodes + k] / m[k * nodes + k];
      if (m[row * nodes + k] == 0.0L) continue;
      for (size_t c = k + 1; c < nodes; c++)
        if (m[k * nodes + c] != 0.0L) m[row * nodes + c] -= factor * m[k * nodes + c];
      x[row] -= factor * x[k];
    }
  for (size_t k = nodes; k-- > 0;) {
    for (size_t c = k + 1; c < nodes; c++) x[k] -= m[k * nodes + c] * x[c];
    x[k] /= m[k * nodes + k];
  }
  for (int j = 0; j < s->ny; j++)
    for (int i = 0; i < s->nx; i++) field_k[(size_t)j * (size_t)s->nx + (size_t)i] = (double)x[node_of(s, i, j)];
  free(m);
  free(x);
  return field_k;
}

/* --- random problems ------------------------------------------------------------------------- */

static void wall_at_random(struct hs_config *config, struct test_random *random, enum hs_side side)
{
  switch (test_random_integer(random, 0, 3)) {
  case 0: test_wall_insulated(config, side); break;
  case 1: test_wall_flux(config, side, test_random_between(random, -100, 100)); break;
  case 2:
    test_wall_convection(config, side, pow(10, test_random_between(random, -3, 3)),
                         test_random_between(random, -20, 20));
    break;
  default: test_wall_temperature(config, side, test_random_between(random, -20, 20));
  }
}

static void walls_at_random(struct hs_config *config, struct test_random *random)
{
  for (int side = 0; side < HS_SIDES; side++) wall_at_random(config, random, (enum hs_side)side);
  if (test_random_integer(random, 0, 4) == 0) {
    test_wall_periodic(config, HS_WEST);
    test_wall_periodic(config, HS_EAST);
  }
  if (test_random_integer(random, 0, 6) == 0) {
    test_wall_periodic(config, HS_SOUTH);
    test_wall_periodic(config, HS_NORTH);
  }
}

static struct hs_config_shape shape_at_random(struct test_random *random, double lx_m, double ly_m)
{
  struct hs_config_shape shape = {.kind = test_random_integer(random, 0, 1) ? HS_SHAPE_RECTANGLE : HS_SHAPE_CIRCLE};
  shape.x0_m = test_random_between(random, 0.0, 0.7) * lx_m;
  shape.y0_m = test_random_between(random, 0.0, 0.7) * ly_m;
  shape.x1_m = shape.x0_m + test_random_between(random, 0.1, 0.6) * lx_m;
  shape.y1_m = shape.y0_m + test_random_between(random, 0.1, 0.6) * ly_m;
  shape.x_m = test_random_between(random, 0.2, 0.8) * lx_m;
  shape.y_m = test_random_between(random, 0.2, 0.8) * ly_m;
  shape.radius_m = test_random_between(random, 0.15, 0.4) * fmin(lx_m, ly_m);
  return shape;
}

/* Any mixture of walls, shapes, anisotropy, layouts and periodic sides; conductivities differ by up to 1e6. One shape is
 * held, so that there is a level. */
static struct hs_config problem_at_random(struct test_random *random, struct hs_config_region regions[REGIONS],
                                          struct hs_config_source *source)
{
  static char names[MATERIALS][2] = {"a", "b", "c", "d"}, title[] = "r";
  const int nx = test_random_integer(random, 6, LARGEST), ny = test_random_integer(random, 6, LARGEST);
  const double dx_m = 0.1, dy_m = test_random_integer(random, 0, 2) ? 0.1 : 0.1 * test_random_between(random, 0.2, 4);
  struct hs_config config = test_config_spaced(nx, ny, dx_m, dy_m);
  const double lx_m = (nx - 1) * dx_m, ly_m = (ny - 1) * dy_m;
  const int held = test_random_integer(random, 0, REGIONS - 1);
  for (int k = 0; k < MATERIALS; k++) {
    test_material_add(&config, test_material(names[k], pow(10, test_random_between(random, -3, 3)), NAN, NAN));
    if (test_random_integer(random, 0, 3) == 0)
      config.materials[config.material_count - 1].conductivity_y_w_mk *= pow(10, test_random_between(random, -2, 2));
  }
  for (int k = 0; k < REGIONS; k++) {
    regions[k] = (struct hs_config_region){.name = title,
                                           .shape = shape_at_random(random, lx_m, ly_m),
                                           .material = names[test_random_integer(random, 0, MATERIALS - 1)],
                                           .initial_k = NAN};
    if (k == held) regions[k].temperature = test_value(test_random_between(random, -20, 20));
  }
  config.regions = regions;
  config.region_count = REGIONS;
  config.grid.layout = test_random_integer(random, 0, 1) ? HS_LAYOUT_CELL : HS_LAYOUT_VERTEX;
  walls_at_random(&config, random);
  *source = test_source_everywhere(test_random_between(random, -10, 10));
  config.sources = source;
  config.source_count = test_random_integer(random, 0, 1);
  config.initial.temperature_k = test_random_between(random, -50, 50);
  return config;
}

static double range_of(const double *field_k, size_t nodes)
{
  double low = INFINITY, high = -INFINITY;
  for (size_t n = 0; n < nodes; n++) {
    low = fmin(low, field_k[n]);
    high = fmax(high, field_k[n]);
  }
  return fmax(high - low, 1e-3 * fmax(fabs(low), fabs(high))); /* an isothermal plate has none */
}

/* --- solutions ------------------------------------------------------------------------------- */

/* Solves a system on a backend; the field is the caller's. */
static struct hs_solve_outcome solve(const struct hs_system *s, const double *start_k, double tolerance_k,
                                     const struct hs_backend *backend, int threads, double *end_k)
{
  const struct hs_backend_options options = {.threads = threads};
  struct hs_solve_settings settings = {
      .quantity = HS_STOP_ERROR, .tolerance = tolerance_k, .max_iterations = 100, .method = HS_METHOD_MULTIGRID};
  struct hs_solve_outcome outcome;
  struct hs_backend_state *state;
  struct hs_error err = {0};
  test_ok(backend->create(s, &options, &state, &err), &err);
  test_ok(backend->load(state, start_k, &err), &err);
  test_ok(hs_multigrid_create(backend, s, &options, &settings.multigrid, &err), &err);
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

/* What the estimates of all problems were. */
struct record {
  double least, largest; /* of the true error */
  int64_t cycles;
};

static void problem_solve(uint64_t seed, struct record *record)
{
  struct test_random random = {seed};
  struct hs_config_region regions[REGIONS];
  struct hs_config_source source;
  const struct hs_config config = problem_at_random(&random, regions, &source);
  struct hs_problem *problem = NULL;
  struct hs_system *s;
  struct hs_error err = {0};
  double *start_k, *end_k, *other_k, *wanted_k;
  struct hs_solve_outcome outcome;
  hs_status status = hs_problem_create(&config, &problem, &err);
  if (!status) status = hs_problem_build_system(problem, &s, &err);
  hs_problem_destroy(problem);
  if (status) return; /* a shape in which no node lies, and the like */
  start_k = test_field_initial(&config, s);
  end_k = test_field(s);
  other_k = test_field(s);
  wanted_k = direct_solution(s);
  {
    const size_t nodes = (size_t)s->nx * (size_t)s->ny;
    const double tolerance_k = 1e-8 * range_of(wanted_k, nodes);
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
    if (outcome.sweeps > record->cycles) record->cycles = outcome.sweeps;
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
  struct record record = {INFINITY, 0.0, 0};
  (void)state;
  if (soak) assert_int_equal(sscanf(soak, "%llu-%llu", &first, &last), 2);
  for (unsigned long long seed = first; seed <= last; seed++) problem_solve(seed, &record);
  printf("# at most %lld cycles; estimates were %.2f to %.2f times the true error\n", (long long)record.cycles,
         record.least, record.largest);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_problems_meet_their_direct_solutions)};
  return cmocka_run_group_tests_name("multigrid", tests, NULL, NULL);
}
