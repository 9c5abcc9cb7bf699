/* Pieces of a plate: which they are, what a correction knows of them, and that "converged" means right where they are many. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runs.h"
#include "solve/direct.h"
#include "solve/multigrid/multigrid.h"
#include "solve/pieces/pieces.h"
#include "solve/plates.h"

enum { MOST = 130 };

/* Conductivities of cells between nodes, or of nodes. */
struct plate {
  int nx, ny;
  bool cells;
  double conductivity[MOST][MOST];
  bool held[MOST][MOST];
  double held_k[MOST][MOST];
};

static double at(const struct plate *p, int i, int j)
{
  return i >= 0 && j >= 0 && i < p->nx - p->cells && j < p->ny - p->cells ? p->conductivity[j][i] : 0.0;
}

/* To the neighbour in the east, or in the north. */
static double east_of(const struct plate *p, int i, int j)
{
  const double own = at(p, i, j), other = at(p, i + 1, j);
  if (i < 0 || i >= p->nx - 1) return 0.0;
  return p->cells ? 0.5 * (at(p, i, j - 1) + at(p, i, j)) : 2.0 * own * other / (own + other);
}

static double north_of(const struct plate *p, int i, int j)
{
  const double own = at(p, i, j), other = at(p, i, j + 1);
  if (j < 0 || j >= p->ny - 1) return 0.0;
  return p->cells ? 0.5 * (at(p, i - 1, j) + at(p, i, j)) : 2.0 * own * other / (own + other);
}

static struct hs_node_law law_at(void *context, int i, int j)
{
  const struct plate *p = context;
  struct hs_node_law law = {0};
  law.dirichlet = p->held[j][i];
  law.dirichlet_k = p->held_k[j][i];
  if (law.dirichlet) return law;
  law.west = east_of(p, i - 1, j);
  law.east = east_of(p, i, j);
  law.south = north_of(p, i, j - 1);
  law.north = north_of(p, i, j);
  return law;
}

/* A plate of conductivity 1 whose west side is held. */
static void plate_clear(struct plate *p, int nx, int ny)
{
  memset(p, 0, sizeof *p);
  p->nx = nx;
  p->ny = ny;
  for (int j = 0; j < ny; j++) {
    for (int i = 0; i < nx; i++) p->conductivity[j][i] = 1.0;
    p->held[j][0] = true;
  }
}

static void rectangle(struct plate *p, int x0, int x1, int y0, int y1, double conductivity)
{
  for (int j = y0; j <= y1; j++)
    for (int i = x0; i <= x1; i++) p->conductivity[j][i] = conductivity;
}

static void circle(struct plate *p, double x, double y, double radius, bool square, double conductivity)
{
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      if ((square ? fmax(fabs(i - x), fabs(j - y)) : hypot(i - x, j - y)) < radius)
        p->conductivity[j][i] = conductivity;
}

/* --- which they are ---------------------------------------------------------------------------- */

/* -1: they are not known. */
static int count_of(const struct hs_system *s, int threads)
{
  const struct hs_backend_options options = {.threads = threads};
  const struct hs_linear *linear = &hs_linear_reference;
  struct hs_operator *op;
  struct hs_pieces *pieces;
  struct hs_error err = {0};
  bool known;
  int count;
  test_ok(linear->create(s, &options, NULL, &op, &err), &err);
  test_ok(hs_pieces_begin(s, linear, &options, &pieces, &err), &err);
  test_ok(hs_pieces_find(pieces, op, &known, &err), &err);
  count = known ? hs_pieces_count(pieces) : -1;
  hs_pieces_destroy(pieces);
  linear->destroy(op);
  return count;
}

static void count_is(const char *what, struct plate *p, int wanted)
{
  struct hs_system *s = test_system_of_laws(p->nx, p->ny, 0.1, 0.1, law_at, p);
  for (int threads = 1; threads <= 5; threads += 2) {
    const int count = count_of(s, threads);
    if (count != wanted) fail_msg("%s: %d pieces by %d threads, not %d", what, count, threads, wanted);
  }
  hs_system_destroy(s);
}

static struct plate plate;

static void pieces_are_those_that_float(void **state)
{
  struct plate *p = &plate;
  (void)state;
  plate_clear(p, 40, 30);
  count_is("one material", p, 0);
  rectangle(p, 10, 20, 5, 15, 1e5);
  count_is("a block", p, 1);
  circle(p, 30, 20, 6, false, 1e4);
  count_is("a block and a disc", p, 2);
  rectangle(p, 12, 14, 7, 9, 1e9);
  count_is("a block in a block", p, 3);
  rectangle(p, 0, 9, 8, 10, 1e5);
  count_is("the outer block is held, the one in it is not", p, 2);
  plate_clear(p, 40, 30);
  rectangle(p, 10, 20, 5, 15, 500.0);
  count_is("a small contrast", p, 0);
  rectangle(p, 10, 20, 5, 15, 1e-5);
  count_is("a block of insulation", p, 0);
  rectangle(p, 0, 20, 5, 15, 1e5);
  count_is("a block that is held", p, 0);
  plate_clear(p, 40, 30);
  for (int k = 0; k < 12; k++) rectangle(p, 8 + k, 32 - k, 3 + k, 27 - k, pow(10, k));
  count_is("from 1 to 1e11 by steps of ten", p, 3);
}

/* Where nodes that are alike hardly exchange heat, rows of them are not taken for pieces that hold together. */
static void rows_that_fall_apart_are_not_known(void **state)
{
  struct hs_config config = test_config(20, 20);
  struct hs_system *s;
  (void)state;
  test_wall_temperature(&config, HS_WEST, 1.0);
  config.materials[0].conductivity_x_w_mk = 1.0;
  config.materials[0].conductivity_y_w_mk = 1e5;
  s = test_system(&config);
  assert_int_equal(count_of(s, 1), -1);
  hs_system_destroy(s);
  config.materials[0].conductivity_y_w_mk = 10.0;
  s = test_system(&config);
  assert_int_equal(count_of(s, 1), 0);
  hs_system_destroy(s);
  test_wall_periodic(&config, HS_SOUTH);
  test_wall_periodic(&config, HS_NORTH);
  s = test_system(&config);
  assert_int_equal(count_of(s, 1), -1);
  hs_system_destroy(s);
}

/* --- what a correction knows -------------------------------------------------------------------- */

/* A block is off by 1 K, and a correction has this share of it. */
static bool knows(struct plate *p, double share, double tolerance_k)
{
  const struct hs_backend_options options = {.threads = 1};
  const struct hs_linear *linear = &hs_linear_reference;
  struct hs_system *s = test_system_of_laws(p->nx, p->ny, 0.1, 0.1, law_at, p);
  double *x_k = test_direct_solution(s), *z_k = test_field(s);
  struct hs_operator *op;
  struct hs_vector *x, *z;
  struct hs_pieces *pieces;
  struct hs_pieces_answer answer;
  struct hs_error err = {0};
  bool known;
  for (size_t n = 0; n < (size_t)s->nx * (size_t)s->ny; n++)
    if (p->conductivity[n / (size_t)s->nx][n % (size_t)s->nx] > 1.0) {
      x_k[n] += 1.0;
      z_k[n] = -4.0 * share;
    }
  test_ok(linear->create(s, &options, NULL, &op, &err), &err);
  test_ok(linear->vector_create(op, false, &x, &err), &err);
  test_ok(linear->vector_create(op, true, &z, &err), &err);
  test_ok(linear->load(op, x_k, x, &err), &err);
  test_ok(linear->load(op, z_k, z, &err), &err);
  test_ok(hs_pieces_begin(s, linear, &options, &pieces, &err), &err);
  test_ok(hs_pieces_find(pieces, op, &known, &err), &err);
  assert_true(known);
  test_ok(hs_pieces_ask(pieces, x, z, 0.25, tolerance_k, &answer, &err), &err);
  assert_true(answer.off == (!answer.known && tolerance_k < 1.0)); /* by 1 K, for sure */
  hs_pieces_destroy(pieces);
  linear->vector_destroy(z);
  linear->vector_destroy(x);
  linear->destroy(op);
  hs_system_destroy(s);
  free(x_k);
  free(z_k);
  return answer.known;
}

static void a_blind_correction_is_told_from_one_that_knows(void **state)
{
  struct plate *p = &plate;
  (void)state;
  plate_clear(p, 33, 33);
  for (int j = 0; j < p->ny; j++) p->held_k[j][0] = j;
  rectangle(p, 10, 20, 5, 15, 1e6);
  assert_true(knows(p, 1.0, 1e-3));
  assert_true(knows(p, 0.8, 1e-3));
  assert_false(knows(p, 0.0, 1e-3));
  assert_false(knows(p, 0.5, 1e-3));
  assert_false(knows(p, 2.0, 1e-3));
  assert_true(knows(p, 0.0, 1e4)); /* more is allowed than what there is */
}

/* --- what "converged" means --------------------------------------------------------------------- */

static void shells(struct plate *p, struct test_random *random, double decades)
{
  const int count = test_random_integer(random, 2, 4);
  const double x = test_random_between(random, 0.3, 0.7) * p->nx, y = test_random_between(random, 0.3, 0.7) * p->ny;
  const bool square = test_random_integer(random, 0, 1), monotone = test_random_integer(random, 0, 1);
  double radius = test_random_between(random, 0.15, 0.45) * p->nx, exponent = 0.0;
  bool up = test_random_integer(random, 0, 1);
  for (int k = 0; k < count; k++) {
    if (!monotone) up = test_random_integer(random, 0, 1);
    exponent += (up ? 1.0 : -1.0) * test_random_between(random, 0, decades);
    circle(p, x, y, radius, square, pow(10, exponent));
    radius *= test_random_between(random, 0.3, 0.97);
  }
}

static void shape(struct plate *p, struct test_random *random, double conductivity)
{
  if (test_random_integer(random, 0, 1)) {
    const int x0 = test_random_integer(random, 0, p->nx - 2), y0 = test_random_integer(random, 0, p->ny - 2);
    rectangle(p, x0, test_random_integer(random, x0, p->nx - 1), y0, test_random_integer(random, y0, p->ny - 1),
              conductivity);
  } else {
    circle(p, test_random_between(random, 0, p->nx), test_random_between(random, 0, p->ny),
           test_random_between(random, 1, 0.3 * p->nx), false, conductivity);
  }
}

static void block_in_a_gap(struct plate *p, struct test_random *random, double conductivity)
{
  const int gap = test_random_integer(random, 1, 3);
  const int x0 = test_random_integer(random, 1, p->nx - 10), x1 = test_random_integer(random, x0 + 7, p->nx - 2);
  const int y0 = test_random_integer(random, 1, p->ny - 10), y1 = test_random_integer(random, y0 + 7, p->ny - 2);
  rectangle(p, x0, x1, y0, y1, conductivity);
  rectangle(p, x0 + gap, x1 - gap, y0 + gap, y1 - gap, 1.0);
}

/* Metal that floats, insulation, both, shells of materials, blocks in gaps, many small discs. */
static void materials(struct plate *p, struct test_random *random, double decades)
{
  const int kind = test_random_integer(random, 0, 5);
  const int few = test_random_integer(random, 1, 6), many = test_random_integer(random, 10, 60);
  if (kind == 0)
    for (int k = 0; k < few; k++) shape(p, random, pow(10, decades));
  if (kind == 1)
    for (int k = 0; k < 2 * few; k++) shape(p, random, pow(10, decades * test_random_integer(random, -1, 1)));
  if (kind == 2) shells(p, random, decades);
  if (kind == 3)
    for (int k = 0; k < few; k++) shells(p, random, 0.5 * decades);
  if (kind == 4)
    for (int k = 0; k < few; k++) block_in_a_gap(p, random, pow(10, -decades));
  if (kind == 5)
    for (int k = 0; k < many; k++)
      circle(p, test_random_between(random, 0, p->nx), test_random_between(random, 0, p->ny),
             test_random_between(random, 1, 0.08 * p->nx + 1), false, pow(10, decades));
}

static void walls(struct plate *p, struct test_random *random)
{
  const int sides = test_random_integer(random, 1, 15);
  const double zero_k = test_random_integer(random, 0, 1) ? 293.15 : 0.0;
  double side_k[4];
  for (int k = 0; k < 4; k++) side_k[k] = zero_k + test_random_between(random, 0, 20);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const bool on[4] = {i == 0, i == p->nx - 1, j == 0, j == p->ny - 1};
      p->held[j][i] = false;
      for (int k = 0; k < 4; k++)
        if (on[k] && sides >> k & 1) {
          p->held[j][i] = true;
          p->held_k[j][i] = side_k[k];
        }
    }
}

/* From one temperature, from a slope, or from the answer with some conductivities off. */
static void start_fill(const struct plate *p, struct test_random *random, const double *wanted_k, double range_k,
                       double *start_k)
{
  const int how = test_random_integer(random, 0, 3);
  const double off_k = pow(10, test_random_between(random, -4, 0)) * range_k;
  const double chosen =
      p->conductivity[test_random_integer(random, 0, p->ny - 1)][test_random_integer(random, 0, p->nx - 1)];
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const size_t n = (size_t)j * (size_t)p->nx + (size_t)i;
      const double own = p->conductivity[j][i];
      const bool off = how == 1 ? own == chosen : own >= chosen;
      if (how == 0) start_k[n] = wanted_k[0];
      if (how == 3) start_k[n] = wanted_k[0] + range_k * (i + j) / (p->nx + p->ny);
      if (how == 1 || how == 2) start_k[n] = wanted_k[n] + (off ? off_k : 0.0);
      if (p->held[j][i]) start_k[n] = wanted_k[n];
    }
}

struct record {
  long long converged, stagnated, cycles;
  double worst; /* error over tolerance */
};

static struct hs_solve_outcome solve(const struct hs_system *s, const struct hs_backend *backend, double tolerance_k,
                                     const double *start_k, double *end_k)
{
  const struct hs_backend_options options = {.threads = 1};
  struct hs_solve_settings settings = {
      .quantity = HS_STOP_ERROR, .tolerance = tolerance_k, .max_iterations = 500, .method = HS_METHOD_MULTIGRID};
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

static void verdict_check(uint64_t seed, const struct hs_system *s, const struct hs_solve_outcome *outcome,
                          double error_k, double tolerance_k, struct record *record)
{
  record->cycles += outcome->sweeps;
  record->stagnated += outcome->verdict == HS_VERDICT_STAGNATED;
  if (outcome->verdict != HS_VERDICT_CONVERGED) return;
  record->converged++;
  record->worst = fmax(record->worst, error_k / tolerance_k);
  if (error_k > 1.5 * tolerance_k)
    fail_msg("problem %llu, %d x %d: converged after %lld cycles, error %g K, estimate %g K, tolerance %g K",
             (unsigned long long)seed, s->nx, s->ny, (long long)outcome->sweeps, error_k, outcome->error_estimate_k,
             tolerance_k);
}

static void problem_try(uint64_t seed, struct record *record)
{
  struct test_random random = {seed};
  struct plate *p = &plate;
  const int largest = seed % 4 ? 65 : MOST - 1;
  const double decades = test_random_between(&random, 3, 6);
  struct hs_solve_outcome outcome, plain;
  struct hs_system *s;
  double *wanted_k, *start_k, *end_k, *plain_k, range_k, tolerance_k, largest_k = 0.0;
  size_t nodes;
  plate_clear(p, test_random_integer(&random, 20, largest), test_random_integer(&random, 20, largest));
  p->cells = test_random_integer(&random, 0, 1);
  materials(p, &random, decades);
  walls(p, &random);
  s = test_system_of_laws(p->nx, p->ny, 0.1, 0.1, law_at, p);
  nodes = (size_t)s->nx * (size_t)s->ny;
  wanted_k = test_direct_solution(s);
  start_k = test_field(s);
  end_k = test_field(s);
  plain_k = test_field(s);
  range_k = test_range(wanted_k, nodes);
  for (size_t n = 0; n < nodes; n++) largest_k = fmax(largest_k, fabs(wanted_k[n]));
  tolerance_k = fmax(pow(10, test_random_between(&random, -8, -1)) * range_k, 0x1p-46 * largest_k);
  start_fill(p, &random, wanted_k, range_k, start_k);
  outcome = solve(s, &hs_backend_cpu, tolerance_k, start_k, end_k);
  verdict_check(seed, s, &outcome, test_difference(end_k, wanted_k, nodes), tolerance_k, record);
  plain = solve(s, &hs_backend_reference, tolerance_k, start_k, plain_k);
  test_fields_same("cpu", plain_k, end_k, s->nx, s->ny);
  assert_int_equal(plain.sweeps, outcome.sweeps);
  hs_solve_outcome_clear(&plain);
  hs_solve_outcome_clear(&outcome);
  hs_system_destroy(s);
  free(plain_k);
  free(end_k);
  free(start_k);
  free(wanted_k);
}

/* HEATSOLVE_SOAK=FIRST-LAST: these seeds instead of the usual ones. */
static void pieces_do_not_make_converged_wrong(void **state)
{
  const char *soak = getenv("HEATSOLVE_SOAK");
  unsigned long long first = 0, last = 39;
  struct record record = {0, 0, 0, 0.0};
  (void)state;
  if (soak) assert_int_equal(sscanf(soak, "%llu-%llu", &first, &last), 2);
  for (unsigned long long seed = first; seed <= last; seed++) problem_try(seed, &record);
  printf("# %lld converged, with errors of at most %.2g tolerances, %lld stagnated; %lld cycles\n", record.converged,
         record.worst, record.stagnated, record.cycles);
  assert_true(record.stagnated <= 1 + (long long)(last - first + 1) / 100);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(pieces_are_those_that_float),
                                     cmocka_unit_test(rows_that_fall_apart_are_not_known),
                                     cmocka_unit_test(a_blind_correction_is_told_from_one_that_knows),
                                     cmocka_unit_test(pieces_do_not_make_converged_wrong)};
  return cmocka_run_group_tests_name("pieces", tests, NULL, NULL);
}
