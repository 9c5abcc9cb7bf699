/* One suite over every backend: bit for bit the fields and norms of cpu-reference in plain sweeps, and what a backend says
 * about itself. Values over the whole range, advance, and cpu-reference against its formula have files of their own.
 */
#include "backend/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/rate.h"

static void place_and_cost_are_plausible(void **state)
{
  const struct subject *subject = *state;
  struct hs_system *s = system_of_kind(KIND_EQUAL, NULL, 100, 90);
  const struct hs_backend_options options = {.threads = 2};
  const struct hs_backend_cost cost = subject->backend->cost(s, &options);
  struct hs_backend_place place = {.threads = -1};
  struct hs_backend_state *backend_state = NULL;
  struct hs_error err = {0};
  test_ok(subject->backend->create(s, &options, &backend_state, &err), &err);
  subject->backend->place(backend_state, &place);
  assert_true(strlen(place.device) > 2);
  assert_true(place.threads >= 0 && place.threads <= 2);
  if (subject->backend->sweeps_per_call) {
    const int stretch = subject->backend->sweeps_per_call(backend_state);
    assert_true(stretch >= 1 && stretch <= 1024);
  }
  if (!strcmp(subject->backend->name, "cpu")) assert_int_equal(place.threads, 2);
  assert_true(cost.sweep_s > 0.0 && cost.sweep_s < 1.0 && cost.setup_s >= 0.0);
  assert_true(cost.host_bytes + cost.device_bytes >= 2.0 * 100 * 90 * 8);
  subject->backend->destroy(backend_state);
  subject->backend->destroy(NULL);
  assert_non_null(subject->backend->summary);
  hs_system_destroy(s);
}

static void small_sizes(void **state)
{
  static const int sizes[] = {2, 3, 4, 5, 31, 32, 33, 34, 127, 128, 129, 130};
  enum { SIZES = sizeof sizes / sizeof *sizes };
  struct test_random random = {1};
  for (int c = 0; c < SIZES * SIZES * 2; c += test_every(7)) {
    const int kind = test_random_integer(&random, 0, KINDS - 1);
    struct hs_system *s = system_of_kind(kind, &random, sizes[c / 2 % SIZES], sizes[c / 2 / SIZES]);
    double *field_k = random_field(&random, s, 1.0);
    struct bench b = bench_open(*state, s, c % 2, test_random_integer(&random, 0, 3));
    bench_exercise(&b, field_k, 3);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* Sizes of 1 to 70 in both directions, walls and systems of any kind, with passes of many lengths: one in seventeen. Other backends than cpu take longer to create, and get a part of the sizes from 2 up. */
static void sizes_up_to_70(void **state)
{
  enum { MOST = 70 };
  const struct subject *subject = *state;
  const bool cpu = !strcmp(subject->backend->name, "cpu");
  const int stride = cpu ? test_every(17) : 37, least = cpu ? 1 : 2, sizes = MOST + 1 - least;
  struct test_random random = {18};
  for (int c = 0; c < sizes * sizes; c += stride) {
    const int nx = least + c % sizes, ny = least + c / sizes;
    struct traits traits = random_traits(&random);
    struct hs_system *s;
    struct bench b;
    double *field_k;
    if (nx < 2) traits.wrap_x = -1;
    if (ny < 2) traits.wrap_y = -1;
    s = random_system(&random, nx, ny, &traits);
    field_k = random_field(&random, s, 1.0);
    b = bench_open(*state, s, test_random_integer(&random, 0, 1), test_random_integer(&random, 0, THREAD_CHOICES - 1));
    bench_load(&b, field_k);
    bench_sweep(&b, 2 + c % 19);
    bench_norms(&b, &NO_BOUNDS);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

static void odd_and_thin_shapes(void **state)
{
  static const int shapes[][2] = {{257, 129}, {3, 500}, {500, 3}, {2, 77}, {77, 2}, {1000, 4}, {4, 1000}, {640, 480}};
  struct test_random random = {2};
  for (size_t c = 0; c < 2 * KINDS * sizeof shapes / sizeof *shapes; c += (size_t)test_every(5)) {
    const int *shape = shapes[c / (2 * KINDS)];
    struct hs_system *s = system_of_kind((int)(c / 2 % KINDS), &random, shape[0], shape[1]);
    double *field_k = random_field(&random, s, 1.0);
    struct bench b = bench_open(*state, s, c % 2, (int)(c / 2));
    bench_exercise(&b, field_k, 7);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

static void a_million_nodes(void **state)
{
  struct test_random random = {3};
  for (int c = 0; c < 4; c += test_every(3)) {
    struct hs_system *s = system_of_kind(c / 2, &random, 1021, 1033);
    double *field_k = random_field(&random, s, 1.0);
    struct bench b = bench_open(*state, s, c % 2, c);
    bench_exercise(&b, field_k, 4);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

static void sweep_counts(void **state)
{
  static const int counts[] = {0, 1, 2, 3, 64, 65, 130, 0, 129};
  struct test_random random = {4};
  for (int c = 0; c < 2 * KINDS * THREAD_CHOICES; c += test_every(7)) {
    struct hs_system *s = system_of_kind(c / 2 % KINDS, &random, c % 4 < 2 ? 33 : 130, c % 4 < 2 ? 34 : 61);
    double *field_k = random_field(&random, s, 1.0);
    struct bench b = bench_open(*state, s, c % 2, c / (2 * KINDS));
    struct hs_bounds bounds;
    bench_load(&b, field_k);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) bench_sweep(&b, counts[k]);
    bounds = bench_bounds(&b);
    bench_norms(&b, &bounds);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

static void norms_of_every_sweep(void **state)
{
  static const int counts[] = {1, 3, 130, 300, 0, 1};
  struct test_random random = {5};
  for (int c = 0; c < 2 * KINDS * THREAD_CHOICES; c += test_every(7)) {
    struct hs_system *s = system_of_kind(c / 2 % KINDS, &random, 67, 45);
    double *field_k = random_field(&random, s, 1.0);
    struct bench b = bench_open(*state, s, c % 2, c / (2 * KINDS));
    bench_load(&b, field_k);
    bench_sweep(&b, 1);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
      const struct hs_bounds bounds = bench_bounds(&b);
      bench_sweep_normed(&b, counts[k], &bounds);
    }
    bench_norms(&b, &NO_BOUNDS);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

static int length(int nodes, int shorter)
{
  return nodes > 1000 ? nodes / shorter : nodes;
}

/* On a device more rows or columns than it counts blocks in one direction. */
static void very_tall_and_very_wide_grids(void **state)
{
  static const int shapes[][2] = {{3, 280001}, {280001, 3}, {5, 150000}};
  const int shorter = strstr(((const struct subject *)*state)->backend->name, "cuda") ? 1 : 4;
  struct test_random random = {11};
  for (int c = 0; c < 6; c += test_every(3)) {
    struct hs_system *s =
        system_of_kind(KIND_EQUAL, &random, length(shapes[c / 2][0], shorter), length(shapes[c / 2][1], shorter));
    double *field_k = random_field(&random, s, 300.0);
    struct bench b = bench_open(*state, s, c % 2, 1);
    bench_load(&b, field_k);
    bench_sweep(&b, 3);
    bench_norms(&b, &NO_BOUNDS);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

static void norms_under_any_bounds(void **state)
{
  static const double factors[] = {1.0, 0.5, 1.0 / 15.0, 1.0 / 40.0, 1e-6, 1e-200, 3.0, 60.0, 70.0, 1e9, 0.0};
  struct test_random random = {6};
  for (int c = 0; c < 2 * KINDS * THREAD_CHOICES; c += test_every(7)) {
    struct hs_system *s = system_of_kind(c / 2 % KINDS, &random, 140, 75);
    double *field_k = random_field(&random, s, 300.0);
    struct bench b = bench_open(*state, s, c % 2, c / (2 * KINDS));
    bench_load(&b, field_k);
    bench_sweep(&b, 2);
    for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
      const struct hs_bounds right = bench_bounds(&b);
      const struct hs_bounds bounds = {right.update_max * factors[k], right.residual_max * factors[k]};
      const struct hs_norms norms = bench_norms(&b, &bounds);
      const bool misses = factors[k] < 1.0 / HS_SUM_SLACK || factors[k] > HS_SUM_STALE;
      assert_int_equal(hs_stop_needs_rescale(&norms, &bounds), misses);
      bench_sweep_normed(&b, 1, &bounds);
    }
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

static void replay_gives_the_same_field(void **state)
{
  struct test_random random = {7};
  for (int c = 0; c < 2 * KINDS * THREAD_CHOICES; c += test_every(7)) {
    struct hs_system *s = system_of_kind(c / 2 % KINDS, &random, 129, 40);
    double *field_k = random_field(&random, s, 1.0), *after = test_field(s);
    struct bench b = bench_open(*state, s, c % 2, c / (2 * KINDS));
    bench_load(&b, field_k);
    bench_sweep(&b, 5);
    bench_save(&b);
    bench_sweep(&b, 17);
    memcpy(after, b.wanted, (size_t)s->nx * (size_t)s->ny * sizeof *after);
    for (int k = 0; k < 3; k++) {
      bench_restore(&b);
      bench_sweep(&b, 8 + k);
      bench_sweep(&b, 9 - k);
      test_fields_same("replay", after, b.got, s->nx, s->ny);
    }
    bench_save(&b);
    bench_load(&b, field_k); /* does not touch what was saved */
    bench_restore(&b);
    test_fields_same("restored after a load", after, b.got, s->nx, s->ny);
    bench_close(&b);
    free(after);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* --- random operations on random systems --------------------------------------------------------- */

static void random_operation(struct bench *b, struct test_random *random, const double *field_k, bool *saved,
                             bool *swept)
{
  const int operation = test_random_integer(random, 0, 6);
  struct hs_bounds bounds = {test_random_between(random, 0.01, 4.0), test_random_between(random, 0.01, 400.0)};
  if (operation <= 1) {
    bench_sweep(b, test_random_integer(random, 0, 12));
    *swept = true;
  } else if (operation == 2) {
    bench_sweep_normed(b, test_random_integer(random, 1, 9), &bounds);
    *swept = true;
  } else if (operation == 3) {
    bench_save(b);
    *saved = true;
  } else if (operation == 4 && *saved) {
    bench_restore(b);
    bench_sweep(b, test_random_integer(random, 1, 4)); /* the predecessor is undefined until a sweep */
  } else if (operation == 5) {
    bench_norms(b, &bounds);
  } else if (operation == 6 && *swept) {
    bench_load(b, field_k);
    bench_norms(b, &bounds);
  }
}

/* Problem c and what is done with it follow from c alone. */
static void random_problem(const struct subject *subject, int c)
{
  struct test_random random = {11 + (uint64_t)c * 1000003u};
  const int nx = test_random_integer(&random, 2, 70), ny = test_random_integer(&random, 2, 70);
  struct hs_system *s = system_of_kind(c % KINDS, &random, nx, ny);
  double *field_k = random_field(&random, s, c % 5 ? 1.0 : 293.0);
  struct bench b = bench_open(subject, s, test_random_integer(&random, 0, 1), c);
  bool saved = false, swept = false;
  snprintf(b.what + strlen(b.what), sizeof b.what - strlen(b.what), ", problem %d", c);
  bench_load(&b, field_k);
  for (int k = 0; k < 8; k++) random_operation(&b, &random, field_k, &saved, &swept);
  bench_norms(&b, &NO_BOUNDS);
  bench_close(&b);
  free(field_k);
  hs_system_destroy(s);
}

/* HEATSOLVE_SOAK asks for another number than the usual 300: "10000", or "2500-5000" for a part of them. */
static void random_problems(void **state)
{
  const char *wanted = getenv("HEATSOLVE_SOAK");
  int from = 0, to = 300;
  if (wanted && sscanf(wanted, "%d-%d", &from, &to) != 2) {
    from = 0;
    assert_int_equal(sscanf(wanted, "%d", &to), 1);
  }
  for (int c = from; c < to; c++) {
    if (wanted && c > from && c % 500 == 0) print_message("problem %d\n", c);
    random_problem(*state, c);
  }
}

/* Materials in stripes and squares, a source, walls of all kinds: what sweeps in passes treat in ways of their own is
 * long rows of one stencil, many alike, and the nodes where that ends. */
static void areas_compare(const struct subject *subject, const struct hs_rate_problem *problem, bool single)
{
  static const int sweeps[] = {1, 33, 2, 64, 7, 3};
  struct test_random random = {17 + (unsigned)problem->nx};
  struct hs_system *s = NULL;
  struct hs_error err = {0};
  struct bench b;
  double *field_k;
  test_ok(hs_rate_system(problem, &s, &err), &err);
  b = bench_open(subject, s, single, 1);
  field_k = random_field(&random, s, 1.0);
  snprintf(b.what + strlen(b.what), sizeof b.what - strlen(b.what), ", %s%s%s", hs_rate_pattern_name(problem->pattern),
           problem->source ? ", source" : "", problem->convection ? ", convection" : "");
  bench_load(&b, field_k);
  for (size_t k = 0; k < sizeof sweeps / sizeof *sweeps; k++) bench_sweep(&b, sweeps[k]);
  bench_norms(&b, &NO_BOUNDS);
  bench_save(&b);
  bench_sweep(&b, 40);
  bench_restore(&b);
  bench_sweep(&b, 39);
  bench_close(&b);
  free(field_k);
  hs_system_destroy(s);
}

static void large_areas(void **state)
{
  static const int sizes[][2] = {{353, 140}, {701, 123}, {1111, 57}, {90, 400}};
  for (int c = 0; c < 16; c += test_every(5)) {
    const struct hs_rate_problem problem = {.nx = sizes[c % 4][0],
                                            .ny = sizes[c % 4][1],
                                            .pattern = (enum hs_rate_pattern)(c / 4 % 4),
                                            .source = c % 3 != 0,
                                            .convection = c % 2 == 0};
    areas_compare(*state, &problem, c / 4 % 2 == 1);
  }
}

static const struct suite_test sweeps[] = {
    {"place and cost are plausible", place_and_cost_are_plausible, FOR_ALL},
    {"small sizes", small_sizes, FOR_ALL},
    {"sizes up to 70", sizes_up_to_70, FOR_WHOLE},
    {"odd and thin shapes", odd_and_thin_shapes, FOR_ALL},
    {"a million nodes", a_million_nodes, FOR_ALL},
    {"sweep(n) is n sweeps", sweep_counts, FOR_ALL},
    {"norms of every sweep", norms_of_every_sweep, FOR_ALL},
    {"norms under any bounds", norms_under_any_bounds, FOR_ALL},
    {"very tall and very wide grids", very_tall_and_very_wide_grids, FOR_ALL},
    {"replay gives the same field", replay_gives_the_same_field, FOR_ALL},
    {"random problems and operations", random_problems, FOR_ALL},
    {"large areas of one stencil", large_areas, FOR_ALL},
    {.name = NULL},
};

int main(int argc, char **argv)
{
  const struct suite_test *const suites[] = {sweeps, suite_values, suite_advance, suite_formula, NULL};
  return suite_main(argc, argv, suites);
}
