/* "Converged" means right, for every method: problems whose slow modes hardly move, against direct solutions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runs.h"
#include "solve/direct.h"
#include "solve/judge.h"
#include "solve/multigrid/multigrid.h"
#include "solve/plates.h"

enum { KINDS = 5, METHODS = 4, SWEEPS_MOST = 60000 };

/* What was asked of one problem, and what is known of it. */
struct problem {
  struct hs_config config;
  struct hs_config_region regions[TEST_PLATE_REGIONS];
  struct hs_config_source source;
  struct hs_system *system;
  double *wanted_k, *start_k; /* [nodes] */
  size_t nodes;
  double range_k, largest_k, gap;
};

/* --- kinds of problems ----------------------------------------------------------------------- */

static char copper[] = "copper", gap_name[] = "gap", shape_name[] = "s";

static struct hs_config_region rectangle(double x0, double y0, double x1, double y1, char *material)
{
  struct hs_config_region region = {.name = shape_name, .material = material, .initial_k = NAN};
  region.shape = (struct hs_config_shape){.kind = HS_SHAPE_RECTANGLE, .x0_m = x0, .y0_m = y0, .x1_m = x1, .y1_m = y1};
  return region;
}

/* A copper block in a gap of insulation in a copper plate between two walls that are held. */
static void block_in_a_gap(struct problem *p, struct test_random *random)
{
  const int n = test_random_integer(random, 15, 25), thick = test_random_integer(random, 1, 2);
  const int x0 = test_random_integer(random, 3, n / 3), x1 = test_random_integer(random, n / 2 + 2, n - 5);
  const double h = 1.0 / (n - 1), a = x0 * h, b = x1 * h, t = thick * h;
  p->config = test_config(n, n);
  p->config.materials[0] = test_material("", 400.0, NAN, NAN);
  test_material_add(&p->config, test_material(copper, 400.0, NAN, NAN));
  test_material_add(&p->config, test_material(gap_name, pow(10, test_random_between(random, -4, -2)), NAN, NAN));
  p->regions[0] = rectangle(a - t, a - t, b + t, b + t, gap_name);
  p->regions[1] = rectangle(a, a, b, b, copper);
  p->config.regions = p->regions;
  p->config.region_count = 2;
  test_wall_temperature(&p->config, HS_WEST, test_random_between(random, 0, 20));
  test_wall_temperature(&p->config, HS_EAST, test_random_between(random, 0, 20));
  test_wall_insulated(&p->config, HS_SOUTH);
  test_wall_insulated(&p->config, HS_NORTH);
}

/* Foils and gaps of one cell across the plate. */
static void thin_layers(struct problem *p, struct test_random *random)
{
  static char names[3][4] = {"f", "g", "h"};
  const int nx = test_random_integer(random, 10, 25), ny = test_random_integer(random, 10, 25);
  p->config = test_config_spaced(nx, ny, 0.05, 0.05);
  for (int k = 0; k < 3; k++) {
    const int i = test_random_integer(random, 2, nx - 4), j = test_random_integer(random, 2, ny - 4);
    test_material_add(&p->config, test_material(names[k], pow(10, test_random_between(random, -4, 4)), NAN, NAN));
    p->regions[k] = k % 2 ? rectangle(i * 0.05, 0.1, (i + 1) * 0.05, ny * 0.05 - 0.15, names[k])
                          : rectangle(0.1, j * 0.05, nx * 0.05 - 0.15, (j + 1) * 0.05, names[k]);
  }
  p->config.regions = p->regions;
  p->config.region_count = 3;
  test_wall_convection(&p->config, HS_WEST, pow(10, test_random_between(random, -3, 3)), 5.0);
  test_wall_temperature(&p->config, HS_NORTH, test_random_between(random, -10, 10));
  test_wall_insulated(&p->config, HS_EAST);
  test_wall_insulated(&p->config, HS_SOUTH);
}

/* Conductivities that jump from node to node. */
struct noise {
  double faces[2][TEST_PLATE_LARGEST * TEST_PLATE_LARGEST]; /* to the east and north of nodes */
  int n;
};

static struct hs_node_law noise_law(void *context, int i, int j)
{
  const struct noise *noise = context;
  const int n = noise->n, at = j * n + i;
  struct hs_node_law law = {0};
  if (i == 0 || i == n - 1) {
    law.dirichlet = true;
    law.dirichlet_k = i == 0 ? 0.0 : 10.0;
    return law;
  }
  law.west = noise->faces[0][at - 1];
  law.east = noise->faces[0][at];
  law.south = j > 0 ? noise->faces[1][at - n] : 0.0;
  law.north = j < n - 1 ? noise->faces[1][at] : 0.0;
  return law;
}

static void noise_make(struct problem *p, struct test_random *random)
{
  const double decades = test_random_between(random, 0.5, 4);
  struct noise *noise = calloc(1, sizeof *noise);
  assert_non_null(noise);
  noise->n = test_random_integer(random, 10, TEST_PLATE_LARGEST);
  for (int k = 0; k < TEST_PLATE_LARGEST * TEST_PLATE_LARGEST; k++)
    for (int d = 0; d < 2; d++) noise->faces[d][k] = pow(10, test_random_between(random, -decades, decades));
  p->system = test_system_of_laws(noise->n, noise->n, 0.1, 0.1, noise_law, noise);
  free(noise);
}

/* --- starts ---------------------------------------------------------------------------------- */

/* Near the answer, but not there: a material, a part or a wave is off, or all starts at one temperature. */
static void start_fill(struct problem *p, struct test_random *random)
{
  const int nx = p->system->nx, ny = p->system->ny;
  const int how = test_random_integer(random, 0, 3);
  const double off_k = pow(10, test_random_between(random, -4, 0)) * p->range_k;
  const int i0 = test_random_integer(random, 0, nx / 2), i1 = test_random_integer(random, nx / 2, nx);
  const int j0 = test_random_integer(random, 0, ny / 2), j1 = test_random_integer(random, ny / 2, ny);
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++) {
      const size_t n = (size_t)j * (size_t)nx + (size_t)i;
      const bool inside = i >= i0 && i < i1 && j >= j0 && j < j1;
      const double wave = sin(3.141592653589793 * i / (nx - 1)) * ((i + j) % 2 ? 1.0 : -1.0);
      if (p->system->law[hs_system_index(p->system, n)].dirichlet) {
        p->start_k[n] = p->wanted_k[n];
        continue;
      }
      p->start_k[n] = how == 3 ? p->wanted_k[0] : p->wanted_k[n];
      if (how == 0) p->start_k[n] += inside ? off_k : 0.0;
      if (how == 1) p->start_k[n] += off_k * (1.0 - 2.0 * ((double)i / (nx - 1))); /* symmetric */
      if (how == 2) p->start_k[n] += off_k * wave + (inside ? 1e-3 * off_k : 0.0);
    }
}

/* --- solutions ------------------------------------------------------------------------------- */

/* Other units of temperature. */
static void lift(struct hs_config *config, struct hs_config_region *regions, double offset_k)
{
  for (int side = 0; side < HS_SIDES; side++) config->boundaries[side].temperature.number += offset_k;
  for (int k = 0; k < config->region_count; k++) regions[k].temperature.number += offset_k;
}

static bool problem_make(uint64_t seed, struct problem *p)
{
  struct test_random random = {seed};
  const int kind = (int)(seed % KINDS);
  struct hs_problem *problem = NULL;
  struct hs_error err = {0};
  hs_status status;
  memset(p, 0, sizeof *p);
  switch (kind) {
  case 0: block_in_a_gap(p, &random); break;
  case 1: thin_layers(p, &random); break;
  case 2: noise_make(p, &random); break;
  default: p->config = test_plate(&random, 4.0, p->regions, &p->source);
  }
  if (kind == 4 || (kind < 2 && test_random_integer(&random, 0, 1))) lift(&p->config, p->regions, 293.15);
  if (!p->system) {
    status = hs_problem_create(&p->config, NULL, &problem, &err);
    if (!status) status = hs_problem_build_system(problem, &p->system, &err);
    hs_problem_destroy(problem);
    if (status) return false; /* a shape in which no node lies, and the like */
  }
  p->nodes = (size_t)p->system->nx * (size_t)p->system->ny;
  p->wanted_k = test_direct_solution(p->system);
  p->start_k = test_field(p->system);
  p->gap = test_direct_gap(p->system);
  p->range_k = test_range(p->wanted_k, p->nodes);
  for (size_t n = 0; n < p->nodes; n++) p->largest_k = fmax(p->largest_k, fabs(p->wanted_k[n]));
  start_fill(p, &random);
  return true;
}

static void problem_clear(struct problem *p)
{
  free(p->wanted_k);
  free(p->start_k);
  hs_system_destroy(p->system);
}

/* Of rounding: one unit in the last place in each sweep, for as many sweeps as an error lasts. */
static const double FLOORS = 4.0;

/* What became of all problems of one method. */
struct record {
  int count[HS_VERDICT_RESCALE + 1];
  int unsettled;
  double worst;          /* error over tolerance where it was called converged */
  double rest;           /* error over the floor where it was called stagnated */
  double least, largest; /* estimate over error */
  long long cycles, asked, sweeps;
};

static struct hs_solve_outcome solve(const struct problem *p, enum hs_method method, double tolerance_k, double *end_k,
                                     struct record *record)
{
  const struct hs_backend_options options = {.threads = 1};
  const struct hs_backend *backend = &hs_backend_cpu;
  struct hs_judge judge = {.backend = backend, .system = p->system, .options = &options};
  struct hs_solve_settings settings = {.quantity = HS_STOP_ERROR,
                                       .tolerance = tolerance_k,
                                       .max_iterations = SWEEPS_MOST,
                                       .check_every = 32,
                                       .method = method,
                                       .weight = 0.8};
  struct hs_solve_outcome outcome;
  struct hs_backend_state *state;
  struct hs_error err = {0};
  test_ok(backend->create(p->system, &options, &state, &err), &err);
  test_ok(backend->load(state, p->start_k, &err), &err);
  if (method == HS_METHOD_MULTIGRID)
    test_ok(hs_multigrid_create(backend, p->system, &options, NULL, &settings.multigrid, &err), &err);
  else
    settings.judge = &judge;
  test_ok(hs_solve(p->system, &settings, backend, state, NULL, &outcome, &err), &err);
  test_ok(backend->fetch(state, end_k, &err), &err);
  record->cycles += judge.cycles;
  record->asked += judge.asked;
  record->sweeps += outcome.sweeps;
  hs_judge_clear(&judge);
  hs_multigrid_destroy(settings.multigrid);
  backend->destroy(state);
  return outcome;
}

static void method_try(uint64_t seed, const struct problem *p, enum hs_method method, double tolerance_k,
                       struct record *record)
{
  double *end_k = test_field(p->system), error_k, ratio;
  bool wrong;
  struct hs_solve_outcome o = solve(p, method, tolerance_k, end_k, record);
  const double floor_k = 0x1p-52 * p->largest_k / p->gap;
  error_k = test_difference(end_k, p->wanted_k, p->nodes);
  ratio = o.error_estimate_k / fmax(error_k, 0x1p-51 * p->largest_k);
  record->count[o.verdict]++;
  if (!o.estimate_converged) record->unsettled++;
  if (o.verdict == HS_VERDICT_CONVERGED) record->worst = fmax(record->worst, error_k / tolerance_k);
  if (o.verdict == HS_VERDICT_STAGNATED) record->rest = fmax(record->rest, error_k / floor_k);
  if (o.estimate_converged) record->least = fmin(record->least, ratio);
  if (o.estimate_converged) record->largest = fmax(record->largest, ratio);
  wrong = (o.verdict == HS_VERDICT_CONVERGED && error_k > 1.5 * tolerance_k) ||
          (o.verdict == HS_VERDICT_STAGNATED && error_k > FLOORS * floor_k) || o.verdict == HS_VERDICT_DIVERGED;
  if (wrong)
    fail_msg("problem %llu, method %d: %s, error %g K, tolerance %g K, estimate %g K, floor %g K",
             (unsigned long long)seed, (int)method, hs_verdict_name(o.verdict), error_k, tolerance_k,
             o.error_estimate_k, floor_k);
  hs_solve_outcome_clear(&o);
  free(end_k);
}

/* HEATSOLVE_SOAK=FIRST-LAST: these seeds instead of the usual ones. */
static void converged_means_right(void **state)
{
  static const char *const names[METHODS] = {"jacobi", "weighted", "chebyshev", "multigrid"};
  static const enum hs_method methods[METHODS] = {HS_METHOD_JACOBI, HS_METHOD_WEIGHTED, HS_METHOD_CHEBYSHEV,
                                                  HS_METHOD_MULTIGRID};
  const char *soak = getenv("HEATSOLVE_SOAK");
  unsigned long long first = 0, last = 24;
  struct record records[METHODS];
  (void)state;
  for (int k = 0; k < METHODS; k++) records[k] = (struct record){.least = INFINITY};
  if (soak) assert_int_equal(sscanf(soak, "%llu-%llu", &first, &last), 2);
  for (unsigned long long seed = first; seed <= last; seed++) {
    struct test_random random = {seed + 1000000};
    struct problem p;
    double tolerance_k;
    if (!problem_make(seed, &p)) continue;
    tolerance_k = fmax(pow(10, test_random_between(&random, -8, -2)) * p.range_k, 0x1p-48 * p.largest_k);
    for (int k = 0; k < METHODS; k++) method_try(seed, &p, methods[k], tolerance_k, &records[k]);
    problem_clear(&p);
  }
  for (int k = 0; k < METHODS; k++)
    printf("# %s: %d converged, %d at their limit, %d stagnated; error at most %.2g tolerances, at rest %.2g floors; "
           "estimates %.2f to %.3g times the error, %d not settled; %lld sweeps, asked %lld times, %lld cycles\n",
           names[k], records[k].count[HS_VERDICT_CONVERGED], records[k].count[HS_VERDICT_LIMIT],
           records[k].count[HS_VERDICT_STAGNATED], records[k].worst, records[k].rest, records[k].least,
           records[k].largest, records[k].unsettled, records[k].sweeps, records[k].asked, records[k].cycles);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(converged_means_right)};
  return cmocka_run_group_tests_name("adversarial", tests, NULL, NULL);
}
