/* One suite over every backend: bit for bit the fields and norms of cpu-reference in plain sweeps. Relaxed sweeps,
 * periodic walls and time steps have test_backend_forms.c; the bench is bench.h. cpu-reference itself is compared
 * with the formula of numerics/node.h, written out again here.
 */
#include "backend/compare.h"
#include "bench/rate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the suite ----------------------------------------------------------------------------------- */

static void small_sizes(void **state)
{
  static const int sizes[] = {2, 3, 4, 5, 31, 32, 33, 34, 127, 128, 129, 130};
  enum { SIZES = sizeof sizes / sizeof *sizes };
  struct test_random random = {1};
  for (int c = 0; c < SIZES * SIZES * 2; c++) {
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

/* Every size of 1 to 70 in both directions, walls and systems of any kind, with passes of many lengths. Other backends
 * than cpu take longer to create, and get a part of the sizes from 2 up. */
static void every_size_up_to_70(void **state)
{
  enum { MOST = 70 };
  const struct subject *subject = *state;
  const int stride = !strcmp(subject->backend->name, "cpu") ? 1 : 37, least = stride > 1 ? 2 : 1,
            sizes = MOST + 1 - least;
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
  for (size_t c = 0; c < 2 * KINDS * sizeof shapes / sizeof *shapes; c++) {
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
  for (int c = 0; c < 4; c++) {
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
  for (int c = 0; c < 2 * KINDS * THREAD_CHOICES; c++) {
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
  for (int c = 0; c < 2 * KINDS * THREAD_CHOICES; c++) {
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

/* More rows or columns than a device counts blocks in one direction. */
static void very_tall_and_very_wide_grids(void **state)
{
  static const int shapes[][2] = {{3, 280001}, {280001, 3}, {5, 150000}};
  struct test_random random = {11};
  for (int c = 0; c < 6; c++) {
    struct hs_system *s = system_of_kind(KIND_EQUAL, &random, shapes[c / 2][0], shapes[c / 2][1]);
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
  for (int c = 0; c < 2 * KINDS * THREAD_CHOICES; c++) {
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
  for (int c = 0; c < 2 * KINDS * THREAD_CHOICES; c++) {
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

/* --- values over the whole range ----------------------------------------------------------------- */

/* fetch gives back what load was given: exactly in double, rounded once in single precision. */
static void fetch_returns_what_was_loaded(void **state)
{
  static const double values[] = {0.0, -0.0, 1.0, 1.0 / 3.0, -1e300, 5e-324, -2.2e-308, 1e-45, 3e38, 1e39, INFINITY};
  enum { VALUES = sizeof values / sizeof *values };
  struct test_random random = {8};
  for (int c = 0; c < 2 * KINDS * THREAD_CHOICES; c++) {
    struct hs_system *s = system_of_kind(c / 2 % KINDS, &random, 37, 21);
    double *field_k = random_field(&random, s, 1.0);
    struct bench b = bench_open(*state, s, c % 2, c / (2 * KINDS));
    for (int n = 0; n < 37 * 21; n += 3) field_k[n] = values[n / 3 % VALUES];
    bench_load(&b, field_k);
    bench_fields(&b, "load");
    for (int n = 0; c % 2 && n < 37 * 21; n++) field_k[n] = (double)(float)field_k[n];
    test_fields_same("fetch after load", field_k, b.got, s->nx, s->ny);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* Makes the constants as large as the field, so that they do not drown it. No constant is -0, as in every stencil table. */
static void constants_scale(struct hs_system *s, double size)
{
  for (int k = 0; k < s->table_size; k++) {
    s->stencil[k].c = s->stencil[k].c * size + 0.0;
    s->stencil_single[k].c = (float)s->stencil[k].c + 0.0f;
  }
}

/* Random fields of a given size, from the largest to the subnormal numbers, where products of stored weights round. */
static void sizes_of_values(void **state)
{
  static const double sizes[] = {1e307,  1e300,  1e-150, 1e-300, 3e-308, 1e-310,
                                 2e-322, 5e-324, 1e37,   1e-38,  1e-41,  4e-45};
  enum { SIZES = sizeof sizes / sizeof *sizes };
  struct test_random random = {9};
  for (int c = 0; c < 2 * SIZES * KINDS; c++) {
    struct hs_system *s = system_of_kind(c / 2 % KINDS, &random, 45, 38);
    double *field_k = random_field(&random, s, sizes[c / 2 / KINDS]);
    struct bench b;
    constants_scale(s, sizes[c / 2 / KINDS]);
    b = bench_open(*state, s, c % 2, c / (2 * KINDS));
    bench_exercise(&b, field_k, 5);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* Diagonals that make residuals far larger or smaller than temperatures, so that no power of two suits their
 * product. */
static void diagonals_scale(struct hs_system *s, double size)
{
  for (int k = 0; k < s->table_size; k++) s->stencil[k].diagonal *= size;
  for (int k = 0; k < s->table_size; k++) s->stencil_single[k].diagonal = (float)s->stencil[k].diagonal;
}

static const double diagonals[] = {1e17, 1e-17, 1e280}, diagonals_sizes[] = {1e-310, 1e-300, 1e-20, 1e20};
enum {
  DIAGONALS = sizeof diagonals / sizeof *diagonals,
  DIAGONALS_SIZES = sizeof diagonals_sizes / sizeof *diagonals_sizes
};

/* Case c of their combinations: a system of that size, and a field for it. */
static struct hs_system *system_of_diagonal(struct test_random *random, int c, int nx, int ny, double **field_k)
{
  const double size = diagonals_sizes[c / 2 % DIAGONALS_SIZES];
  struct hs_system *s = system_of_kind(c % 2 ? KIND_RANDOM : KIND_EQUAL, random, nx, ny);
  *field_k = random_field(random, s, size);
  constants_scale(s, size);
  diagonals_scale(s, diagonals[c / 2 / DIAGONALS_SIZES]);
  return s;
}

static void sizes_of_diagonals(void **state)
{
  struct test_random random = {17};
  for (int c = 0; c < 2 * DIAGONALS * DIAGONALS_SIZES; c++) {
    double *field_k = NULL;
    struct hs_system *s = system_of_diagonal(&random, c, 45, 38, &field_k);
    struct bench b = bench_open(*state, s, false, c);
    bench_exercise(&b, field_k, 5);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* Signs of zero, and single values that spread: zeros, one NaN, one infinity. */
static void zeros_and_lonely_values(void **state)
{
  static const double lonely[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 1.7e308, 5e-324};
  enum { LONELY = sizeof lonely / sizeof *lonely };
  struct test_random random = {10};
  for (int c = 0; c < 2 * LONELY * KINDS; c++) {
    struct hs_system *s = system_of_kind(c / 2 % KINDS, &random, 41, 35);
    double *field_k = test_field(s);
    struct bench b = bench_open(*state, s, c % 2, c / (2 * KINDS));
    for (int n = 0; n < 41 * 35; n++) field_k[n] = test_random_integer(&random, 0, 1) ? 0.0 : -0.0;
    field_k[test_random_integer(&random, 0, 41 * 35 - 1)] = lonely[c / 2 / KINDS];
    bench_exercise(&b, field_k, 2);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* One infinity at the east wall, in rows of any length: nothing may come back from beyond the wall. */
static void infinities_at_the_east_wall(void **state)
{
  struct test_random random = {15};
  for (int c = 0; c < 128; c++) {
    const int nx = 33 + c / 2 % 16, ny = 20;
    struct hs_system *s = system_of_kind(c < 64 ? KIND_RANDOM : KIND_EQUAL, &random, nx, ny);
    double *field_k = random_field(&random, s, 300.0);
    struct bench b = bench_open(*state, s, c % 2, c / 16);
    for (int j = 1; j < ny; j += 6) field_k[j * nx + nx - 1] = c % 64 < 32 ? INFINITY : -INFINITY;
    bench_exercise(&b, field_k, 3);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* Rows of infinities 32 rows apart, the first beyond the north wall not being there: memory of rows that lay elsewhere
 * before must not be taken for it. */
static void infinities_as_far_as_the_north_wall(void **state)
{
  struct test_random random = {16};
  for (int c = 0; c < 32; c++) {
    const int nx = 20 + c % 16, ny = 130 + 7 * (c % 16);
    struct hs_system *s = system_of_kind(c < 16 ? KIND_RANDOM : KIND_EQUAL, &random, nx, ny);
    double *field_k = random_field(&random, s, 300.0);
    struct bench b = bench_open(*state, s, c % 2, c);
    for (int n = 0; n < nx * ny; n++)
      if (n / nx % 32 == ny % 32) field_k[n] = INFINITY;
    bench_exercise(&b, field_k, 3);
    bench_close(&b);
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
  for (int c = 0; c < 16; c++) {
    const struct hs_rate_problem problem = {.nx = sizes[c % 4][0],
                                            .ny = sizes[c % 4][1],
                                            .pattern = (enum hs_rate_pattern)((c + c / 4) % 4),
                                            .source = c % 3 != 0,
                                            .convection = c % 2 == 0};
    areas_compare(*state, &problem, c / 4 % 2 == 1);
  }
}

/* --- advance ------------------------------------------------------------------------------------- */

/* One interval through the plain operations, as backend.h defines it; adds to history unless it asks for a rescale. */
static void plain_interval(const struct hs_backend *backend, struct hs_backend_state *state,
                           const struct hs_stop_test *test, bool keep, struct hs_stop_state *stop,
                           struct hs_check *history, int *count)
{
  const int64_t left = test->max_sweeps - stop->sweeps;
  const int64_t n = left < test->check_every ? left : test->check_every;
  struct hs_error err = {0};
  struct hs_norms norms;
  if (keep) test_ok(backend->save(state, &err), &err);
  if (test->full_norms) {
    test_ok(backend->sweep(state, n, &err), &err);
    test_ok(backend->norms(state, &stop->bounds, &norms, &err), &err);
  } else {
    test_ok(backend->sweep(state, n - 1, &err), &err);
    test_ok(backend->sweep_normed(state, 1, &stop->bounds, &norms, &err), &err);
  }
  stop->sweeps += n;
  if (hs_stop_evaluate(test, stop, &norms) != HS_VERDICT_RESCALE) history[(*count)++] = stop->check;
}

static bool goes_on(const struct hs_stop_state *stop, int64_t until)
{
  return stop->verdict == HS_VERDICT_RUNNING && stop->sweeps < until;
}

enum { HISTORY = 8192 };

/* Until a verdict or `until`, in calls with room for `capacity` checks. A backend may leave an interval that is cut
 * short by max_sweeps to its caller, as hs_solve expects. */
static void advance_calls(const struct hs_backend *backend, struct hs_backend_state *state,
                          const struct hs_stop_test *test, bool keep, int64_t until, int capacity,
                          struct hs_stop_state *stop, struct hs_check *history, int *total)
{
  struct hs_error err = {0};
  while (goes_on(stop, until)) {
    const int64_t before = stop->sweeps;
    struct hs_intervals intervals = {
        .test = test, .keep = keep, .until = until, .stop = stop, .history = history + *total, .capacity = capacity};
    if (test->max_sweeps - stop->sweeps < test->check_every) {
      plain_interval(backend, state, test, keep, stop, history, total);
      continue;
    }
    test_ok(backend->advance(state, &intervals, &err), &err);
    assert_true(intervals.count <= capacity);
    assert_true(stop->sweeps > before);
    *total += intervals.count;
    assert_true(*total < HISTORY - capacity);
  }
}

static bool checks_same(const struct hs_check *a, const struct hs_check *b)
{
  return a->sweeps == b->sweeps && test_same(a->norms.update_l2, b->norms.update_l2) &&
         test_same(a->norms.update_max, b->norms.update_max) && test_same(a->norms.residual_l2, b->norms.residual_l2) &&
         test_same(a->norms.residual_max, b->norms.residual_max) &&
         test_same(a->norms.two_sweep_max, b->norms.two_sweep_max) &&
         test_same(a->norms.correction_max, b->norms.correction_max) &&
         test_same(a->residual_relative, b->residual_relative) && test_same(a->error_estimate_k, b->error_estimate_k);
}

static void stops_same(const char *what, const struct hs_stop_state *a, const struct hs_stop_state *b)
{
  if (a->sweeps != b->sweeps || a->verdict != b->verdict)
    fail_msg("%s: wanted verdict %d after %lld sweeps, got %d after %lld", what, a->verdict, (long long)a->sweeps,
             b->verdict, (long long)b->sweeps);
  if (a->estimate_converged != b->estimate_converged || a->last_sweeps != b->last_sweeps ||
      !test_same(a->last_update_l2, b->last_update_l2) || !test_same(a->convergence_rate, b->convergence_rate) ||
      !test_same(a->bounds.update_max, b->bounds.update_max) ||
      !test_same(a->bounds.residual_max, b->bounds.residual_max) || !checks_same(&a->check, &b->check))
    fail_msg("%s: the states after %lld sweeps differ", what, (long long)a->sweeps);
}

/* One run in two calls (until the middle, until the end) on a variant and on the reference. */
struct advance_case {
  struct hs_stop_test test;
  struct hs_bounds bounds;
  bool keep;
  int64_t until[2];
  int capacity;
  double weight;      /* of relaxed sweeps; 0: plain ones */
  bool norms_between; /* also between the calls */
  bool chebyshev;     /* afterwards */
};

/* Variant v until c->until[k]; its checks are those that the reference has made until then. */
static void advance_one(struct bench *b, const struct advance_case *c, int v, int k, const struct hs_check *wanted,
                        int wanted_count, const struct hs_stop_state *end, struct hs_stop_state *stop, int *count,
                        const char *what)
{
  static struct hs_check got[HISTORY];
  const int before = *count;
  char who[400];
  snprintf(who, sizeof who, "%s, %s", b->variants[v].label, what);
  advance_calls(b->backend, b->variants[v].state, &c->test, c->keep, c->until[k], c->capacity, stop, got, count);
  stops_same(who, end, stop);
  assert_int_equal(wanted_count, *count);
  for (int m = before; m < *count; m++)
    if (!checks_same(&wanted[m], &got[m])) fail_msg("%s: check %d differs", who, m);
}

/* What may follow: norms of the field and its predecessor, sweeps that read the predecessor, the saved field. */
static void advance_leaves_both_fields(struct bench *b, const struct advance_case *c, const char *what)
{
  bench_fields(b, what);
  bench_norms(b, &c->bounds);
  bench_fields(b, what);
  bench_distance(b);
}

static void advance_compare(struct bench *b, const struct advance_case *c, const double *field_k, const char *what)
{
  static struct hs_check wanted[HISTORY];
  struct hs_stop_state a = {.bounds = c->bounds}, z[MAX_VARIANTS];
  int wanted_count = 0, got_count[MAX_VARIANTS] = {0};
  for (int v = 0; v < b->count; v++) z[v] = a;
  bench_relax(b, c->weight > 0.0 ? HS_FORM_WEIGHTED : HS_FORM_JACOBI, c->weight, 0.0);
  bench_load(b, field_k);
  bench_save(b);
  for (int k = 0; k < 2; k++) {
    while (goes_on(&a, c->until[k]))
      plain_interval(&hs_backend_reference, b->reference, &c->test, c->keep, &a, wanted, &wanted_count);
    for (int v = 0; v < b->count; v++) advance_one(b, c, v, k, wanted, wanted_count, &a, &z[v], &got_count[v], what);
    if (c->norms_between || k == 1) advance_leaves_both_fields(b, c, what);
  }
  if (c->chebyshev) bench_relax(b, HS_FORM_CHEBYSHEV, 1.0, 0.9);
  if (c->chebyshev) bench_sweep(b, 3);
  bench_restore(b);
  bench_sweep(b, 1);
}

/* Tolerances, limits and bounds for each way a run can end; norms are those of the first sweep. */
static struct advance_case advance_case_for(int end, const struct hs_norms *first, int check_every, int index)
{
  struct advance_case c = {.test = {.quantity = index % 2 ? HS_STOP_UPDATE_MAX : HS_STOP_UPDATE_L2,
                                    .residual_initial_l2 = first->residual_l2,
                                    .update_first_max = first->two_sweep_max,
                                    .max_sweeps = 1000000,
                                    .check_every = check_every,
                                    .full_norms = index / 2 % 2},
                           .bounds = {first->two_sweep_max, first->residual_max},
                           .keep = index / 4 % 2,
                           .until = {3 * check_every + 1, 500},
                           .capacity = index % 3 ? 2000 : 3,
                           .weight = index % 5 ? 0.0 : 0.8,
                           .norms_between = index % 7 < 3,
                           .chebyshev = index % 3 == 1};
  switch (end) {
  case HS_VERDICT_CONVERGED: c.test.tolerance = 1e-2 * (index % 2 ? first->update_max : first->update_l2); break;
  case HS_VERDICT_LIMIT: c.test.max_sweeps = 5 * check_every + (index % 2 && check_every > 1 ? 1 : 0); break;
  case HS_VERDICT_DIVERGED: c.test.update_first_max = 1e-9 * first->update_max; break;
  case HS_VERDICT_STAGNATED: c.until[1] = 3000; break;
  case HS_VERDICT_RESCALE: c.bounds.update_max *= index % 2 ? 1e-6 : 1e6; break;
  default: break;
  }
  if (c.test.full_norms && end == HS_VERDICT_CONVERGED && index / 8 % 2) {
    c.test.quantity = index % 2 ? HS_STOP_RESIDUAL : HS_STOP_ERROR;
    c.test.tolerance = index % 2 ? 1e-2 : 10.0 * first->two_sweep_max;
  }
  return c;
}

static void advance_equals_the_plain_loop(void **state)
{
  static const int intervals[] = {1, 2, 7, 16, 64};
  static const int ends[] = {HS_VERDICT_RUNNING,  HS_VERDICT_CONVERGED, HS_VERDICT_LIMIT,
                             HS_VERDICT_DIVERGED, HS_VERDICT_STAGNATED, HS_VERDICT_RESCALE};
  enum { VARIANTS = 16, ENDS = sizeof ends / sizeof *ends, INTERVALS = sizeof intervals / sizeof *intervals };
  struct test_random random = {12};
  for (int c = 0; c < VARIANTS * ENDS * INTERVALS; c++) {
    const int end = ends[c / VARIANTS % ENDS], check_every = intervals[c / (VARIANTS * ENDS)];
    const bool small = end == HS_VERDICT_STAGNATED; /* rounding takes over within hundreds of sweeps */
    struct hs_system *s = system_of_kind(c % KINDS, &random, small ? 12 : 20 + c % 7 * 20, small ? 9 : 45);
    double *field_k = random_field(&random, s, 1.0);
    struct bench b = bench_open(*state, s, c / 3 % 2, c / VARIANTS % 3);
    struct advance_case a;
    struct hs_norms first;
    char what[256];
    bench_load(&b, field_k);
    bench_sweep(&b, 1);
    first = bench_norms(&b, &NO_BOUNDS);
    memcpy(field_k, b.wanted, (size_t)s->nx * (size_t)s->ny * sizeof *field_k);
    a = advance_case_for(end, &first, check_every, c % VARIANTS);
    snprintf(what, sizeof what, "%s, case %d, end %d, check_every %d", b.what, c, end, check_every);
    advance_compare(&b, &a, field_k, what);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* Between two stretches: other sources and held temperatures; other conductances, with which nodes of equal
 * weights come and go; nothing. */
enum change { NOTHING, CONSTANTS, WEIGHTS };

static void laws_change(struct hs_system *s, enum change change, struct test_random *random)
{
  for (int k = 0; k < s->table_size; k++) {
    struct hs_node_law *law = &s->law[k];
    const double factor = test_random_between(random, 0.3, 3.0);
    law->source_w_m = 0.01 * test_random_normal(random);
    if (law->dirichlet) law->dirichlet_k = test_random_normal(random);
    if (change != WEIGHTS || law->dirichlet) continue;
    if (law->west > 0.0 && law->west != law->east && law->south > 0.0 && test_random_integer(random, 0, 1))
      law->east = law->south = law->north = law->west;
    else
      law->west *= factor;
  }
}

/* A stretch of a run: what happens before it, and how it sweeps. */
struct stretch {
  enum change change;
  enum hs_form form;
  int check_every, checks, capacity;
  bool keep, full_norms;
};

static const struct stretch stretches[] = {
    {NOTHING, HS_FORM_JACOBI, 64, 4, 50, false, false},   {CONSTANTS, HS_FORM_JACOBI, 64, 3, 50, false, false},
    {WEIGHTS, HS_FORM_JACOBI, 64, 3, 2, false, false},    {WEIGHTS, HS_FORM_JACOBI, 33, 5, 50, true, false},
    {NOTHING, HS_FORM_WEIGHTED, 33, 3, 50, true, false},  {WEIGHTS, HS_FORM_WEIGHTED, 33, 3, 50, true, false},
    {NOTHING, HS_FORM_JACOBI, 33, 4, 50, true, false},    {WEIGHTS, HS_FORM_WEIGHTED, 16, 3, 1, false, true},
    {CONSTANTS, HS_FORM_JACOBI, 16, 5, 50, false, true},  {WEIGHTS, HS_FORM_JACOBI, 16, 5, 3, false, true},
    {WEIGHTS, HS_FORM_CHEBYSHEV, 64, 2, 50, false, true}, {NOTHING, HS_FORM_JACOBI, 64, 3, 50, true, true},
    {CONSTANTS, HS_FORM_JACOBI, 1, 9, 50, true, false},
};

/* On the reference and on all variants, by advance where there is one that takes the form. Fields are compared at the
 * end, stops and checks with them. */
static void stretch_compare(struct bench *b, const struct stretch *st, const char *what)
{
  static struct hs_check wanted[HISTORY], got[HISTORY];
  const struct hs_norms first = bench_norms(b, &NO_BOUNDS);
  const struct hs_stop_test test = {.quantity = HS_STOP_UPDATE_L2,
                                    .residual_initial_l2 = first.residual_l2,
                                    .update_first_max = 1e3 * first.two_sweep_max,
                                    .max_sweeps = 1000000,
                                    .check_every = st->check_every,
                                    .full_norms = st->full_norms};
  const struct hs_stop_state begin = {.bounds = {4.0 * first.two_sweep_max, 4.0 * first.residual_max}};
  const bool by_advance = b->backend->advance && st->form != HS_FORM_CHEBYSHEV;
  const int64_t until = (int64_t)st->checks * st->check_every;
  struct hs_stop_state a = begin;
  int wanted_count = 0;
  while (goes_on(&a, until))
    plain_interval(&hs_backend_reference, b->reference, &test, st->keep, &a, wanted, &wanted_count);
  for (int v = 0; v < b->count; v++) {
    struct hs_stop_state z = begin;
    int count = 0;
    if (by_advance)
      advance_calls(b->backend, b->variants[v].state, &test, st->keep, until, st->capacity, &z, got, &count);
    while (!by_advance && goes_on(&z, until))
      plain_interval(b->backend, b->variants[v].state, &test, st->keep, &z, got, &count);
    stops_same(what, &a, &z);
    assert_int_equal(wanted_count, count);
    for (int m = 0; m < count; m++)
      if (!checks_same(&wanted[m], &got[m])) fail_msg("%s: check %d differs", what, m);
  }
  bench_fields(b, what);
}

/* What a backend has made of the stencils - plans, graphs, a stencil by value - must follow them. A sweep at the end of
 * each stretch is too short for a pass, another one long enough. */
static void stencils_change_between_stretches(void **state)
{
  static const int shapes[][2] = {{20, 45}, {140, 33}, {420, 50}, {9, 12}};
  enum { SHAPES = sizeof shapes / sizeof *shapes, STRETCHES = sizeof stretches / sizeof *stretches };
  struct test_random random = {27};
  for (int c = 0; c < KINDS * SHAPES; c++) {
    const int *shape = shapes[c / KINDS];
    struct hs_system *s = system_of_kind(c % KINDS, &random, shape[0], shape[1]);
    double *field_k = random_field(&random, s, 1.0);
    struct bench b = bench_open(*state, s, c % 2, c);
    bench_load(&b, field_k);
    bench_sweep(&b, 1);
    for (int k = 0; k < STRETCHES; k++) {
      const struct stretch *st = &stretches[k];
      bool changed = false;
      char what[256];
      snprintf(what, sizeof what, "%s, kind %d, stretch %d", b.what, c % KINDS, k);
      if (st->change != NOTHING) {
        laws_change(s, st->change, &random);
        system_discretise(s, HS_SCHEME_STEADY, 1.0, &changed);
        assert_true(!changed || st->change == WEIGHTS);
        bench_update(&b, changed);
      }
      bench_relax(&b, st->form, 0.8, 0.9);
      stretch_compare(&b, st, what);
      bench_sweep(&b, k % 3 ? 3 : 70);
    }
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

static struct hs_bounds reference_bounds(const struct bench *b)
{
  struct hs_norms norms;
  struct hs_error err = {0};
  test_ok(hs_backend_reference.norms(b->reference, &NO_BOUNDS, &norms, &err), &err);
  return (struct hs_bounds){norms.update_max, norms.residual_max};
}

/* One advance of a few intervals that a limit ends: room for evaluations, max_sweeps, or `until`. */
static void advance_once(struct bench *b, struct test_random *random, int check_every, bool keep, const char *what)
{
  static struct hs_check wanted[HISTORY], got[HISTORY];
  const struct hs_bounds bounds = reference_bounds(b); /* the variants' fields stay as they are */
  const int most = test_random_integer(random, 1, check_every > 100 ? 3 : 9);
  const int limit = test_random_integer(random, 0, 2), capacity = limit == 0 ? most : 100;
  const struct hs_stop_state begin = {.bounds = bounds};
  struct hs_stop_state a = begin;
  struct hs_stop_test test = {.quantity = HS_STOP_UPDATE_L2,
                              .tolerance = -1.0,
                              .residual_initial_l2 = 1.0,
                              .update_first_max = INFINITY,
                              .max_sweeps = limit == 1 ? (int64_t)most * check_every + check_every / 2 : 1000000,
                              .check_every = check_every,
                              .full_norms = test_random_integer(random, 0, 1)};
  const int64_t until = limit == 2 ? (int64_t)most * check_every - check_every / 2 : 1000000;
  struct hs_error err = {0};
  int wanted_count = 0;
  do plain_interval(&hs_backend_reference, b->reference, &test, keep, &a, wanted, &wanted_count);
  while (goes_on(&a, until) && wanted_count < capacity && a.sweeps + check_every <= test.max_sweeps);
  for (int v = 0; v < b->count; v++) {
    struct hs_stop_state z = begin;
    struct hs_intervals intervals = {
        .test = &test, .keep = keep, .until = until, .stop = &z, .history = got, .capacity = capacity};
    test_ok(b->backend->advance(b->variants[v].state, &intervals, &err), &err);
    stops_same(what, &a, &z);
    assert_int_equal(wanted_count, intervals.count);
    for (int m = 0; m < wanted_count; m++)
      if (!checks_same(&wanted[m], &got[m])) fail_msg("%s: check %d differs", what, m);
  }
}

static void advances_with_sizes_of_diagonals(void **state)
{
  struct test_random random = {18};
  for (int c = 0; c < 2 * DIAGONALS * DIAGONALS_SIZES; c++) {
    double *field_k = NULL;
    struct hs_system *s = system_of_diagonal(&random, c, 75, 48, &field_k);
    struct bench b = bench_open(*state, s, false, c);
    bench_load(&b, field_k);
    bench_sweep(&b, 1);
    for (int k = 0; k < 3; k++) advance_once(&b, &random, k % 2 ? 40 : 2, true, b.what);
    bench_fields(&b, "advances");
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* What comes between two advances: other sources, other weights, relaxed sweeps, a look back, a field to remember,
 * nothing. */
static void between_advances(struct bench *b, struct hs_system *s, struct test_random *random)
{
  bool changed = false;
  const int kind = test_random_integer(random, 0, 8);
  if (kind == 6) bench_save(b);
  if (kind == 7) bench_distance(b);
  if (kind == 0) bench_restore(b);
  if (kind <= 1)
    bench_sweep(b, test_random_integer(random, 1, 90));
  else if (kind == 2)
    bench_relax(b, HS_FORM_WEIGHTED, 0.8, 0.0);
  else if (kind == 3)
    bench_relax(b, HS_FORM_JACOBI, 1.0, 0.0);
  if (kind != 4 && kind != 5) return;
  for (int k = 0; k < s->table_size; k++) {
    if (kind == 4 && !s->law[k].dirichlet) s->law[k].source_w_m += 0.125;
    if (kind == 5) s->law[k].north *= 1.25;
  }
  hs_system_discretise(s, HS_SCHEME_STEADY, NAN, s, &changed);
  bench_update(b, changed);
  bench_sweep(b, 1); /* the predecessor may be gone */
}

/* Advances with and without a saved field, among other operations: the roles of the fields. Without, what was saved
 * before stays; afterwards all norms are those of the field and its predecessor, should somebody look. */
static void advances_among_other_operations(void **state)
{
  static const int shapes[][2] = {{33, 20}, {150, 61}, {40, 300}, {257, 129}, {700, 40}};
  static const int intervals[] = {1, 2, 3, 7, 40, 256};
  enum { SHAPES = sizeof shapes / sizeof *shapes, INTERVALS = sizeof intervals / sizeof *intervals, OPERATIONS = 8 };
  struct test_random random = {19};
  for (int c = 0; c < 2 * SHAPES * KINDS; c++) {
    const int *shape = shapes[c / 2 % SHAPES];
    struct hs_system *s = system_of_kind(c / (2 * SHAPES), &random, shape[0], shape[1]);
    double *field_k = random_field(&random, s, 1.0);
    struct bench b = bench_open(*state, s, c % 2, 0);
    char what[256];
    bench_load(&b, field_k);
    bench_sweep(&b, 1);
    bench_save(&b);
    for (int k = 0; k < OPERATIONS; k++) {
      const int check_every = intervals[test_random_integer(&random, 0, INTERVALS - 1)];
      const bool keep = test_random_integer(&random, 0, 1);
      snprintf(what, sizeof what, "%s, case %d, advance %d, check_every %d%s", b.what, c, k, check_every,
               keep ? ", keep" : "");
      advance_once(&b, &random, check_every, keep, what);
      if (test_random_integer(&random, 0, 1)) bench_fields(&b, what);
      if (test_random_integer(&random, 0, 1)) bench_norms(&b, &NO_BOUNDS);
      between_advances(&b, s, &random);
      if (test_random_integer(&random, 0, 2)) continue;
      bench_restore(&b);
      bench_sweep(&b, 1);
    }
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* --- what a backend says about itself ------------------------------------------------------------ */

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

/* --- the reference against the formula ----------------------------------------------------------- */

/* A sweep in double precision straight from the formula; `from` beyond the edge is 0. */
static void formula_sweep(const struct hs_system *s, const double *from, double *to)
{
  const int nx = s->nx, ny = s->ny;
  for (int n = 0; n < nx * ny; n++) {
    const struct hs_stencil_f64 *w = &s->stencil[hs_system_index(s, (size_t)n)];
    const double west = n % nx ? from[n - 1] : 0.0, east = (n + 1) % nx ? from[n + 1] : 0.0;
    const double south = n >= nx ? from[n - nx] : 0.0, north = n < nx * (ny - 1) ? from[n + nx] : 0.0;
    to[n] = fma(0.25, fma(w->east, east, w->north * north) + fma(w->south, south, w->west * west), w->c);
  }
}

static void formula_sweep_single(const struct hs_system *s, const double *from, double *to)
{
  const int nx = s->nx, ny = s->ny;
  for (int n = 0; n < nx * ny; n++) {
    const struct hs_stencil_f32 *w = &s->stencil_single[hs_system_index(s, (size_t)n)];
    const float west = n % nx ? (float)from[n - 1] : 0.0f, east = (n + 1) % nx ? (float)from[n + 1] : 0.0f;
    const float south = n >= nx ? (float)from[n - nx] : 0.0f, north = n < nx * (ny - 1) ? (float)from[n + nx] : 0.0f;
    to[n] = (double)fmaf(0.25f, fmaf(w->east, east, w->north * north) + fmaf(w->south, south, w->west * west), w->c);
  }
}

/* The norms of the header's definitions, with ordinary sums in extended precision. */
static struct hs_norms formula_norms(const struct hs_system *s, const double *now, const double *before, bool single)
{
  struct hs_norms norms = {0};
  long double updates = 0.0L, residuals = 0.0L;
  double *next = test_field(s);
  formula_sweep(s, now, next);
  for (int n = 0; n < s->nx * s->ny; n++) {
    const double diagonal = s->stencil[hs_system_index(s, (size_t)n)].diagonal;
    const double update = single ? (double)((float)now[n] - (float)before[n]) : now[n] - before[n];
    const double residual = diagonal * (next[n] - now[n]);
    updates += (long double)update * update;
    norms.update_max = fmax(norms.update_max, fabs(update));
    if (diagonal == 0.0) continue;
    residuals += (long double)residual * residual;
    norms.residual_max = fmax(norms.residual_max, fabs(residual));
    norms.two_sweep_max = fmax(norms.two_sweep_max, fabs(next[n] - before[n]));
    norms.correction_max = fmax(norms.correction_max, fabs(next[n] - now[n]));
  }
  norms.update_l2 = (double)sqrtl(updates);
  norms.residual_l2 = (double)sqrtl(residuals);
  free(next);
  return norms;
}

static void reference_equals_the_formula(void **state)
{
  struct test_random random = {13};
  (void)state;
  for (int c = 0; c < 60; c++) {
    const bool single = c % 2;
    struct hs_system *s = system_of_kind(c / 2 % KINDS, &random, test_random_integer(&random, 2, 40), 2 + c / 2);
    const struct subject self = {&hs_backend_reference};
    double *field_k = random_field(&random, s, 1.0), *next = test_field(s);
    struct bench b = bench_open(&self, s, single, 0);
    bench_load(&b, field_k);
    bench_fields(&b, "load");
    for (int k = 0; k < 20; k++) {
      struct hs_bounds bounds;
      struct hs_norms got, wanted;
      memcpy(field_k, b.wanted, (size_t)s->nx * (size_t)s->ny * sizeof *field_k);
      (single ? formula_sweep_single : formula_sweep)(s, field_k, next);
      bench_sweep(&b, 1);
      test_fields_same("the formula", next, b.wanted, s->nx, s->ny);
      bounds = bench_bounds(&b);
      got = bench_norms(&b, &bounds);
      wanted = formula_norms(s, next, field_k, single);
      assert_true(got.update_max == wanted.update_max && got.residual_max == wanted.residual_max);
      assert_true(got.two_sweep_max == wanted.two_sweep_max && got.correction_max == wanted.correction_max);
      test_near("update_l2", got.update_l2, wanted.update_l2, 1e-14 * wanted.update_l2);
      test_near("residual_l2", got.residual_l2, wanted.residual_l2, 1e-14 * wanted.residual_l2);
    }
    bench_close(&b);
    free(next);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* --- groups -------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
  static const struct suite_test suite[] = {
      {"place and cost are plausible", place_and_cost_are_plausible, FOR_ALL},
      {"small sizes", small_sizes, FOR_ALL},
      {"every size up to 70", every_size_up_to_70, FOR_ALL},
      {"odd and thin shapes", odd_and_thin_shapes, FOR_ALL},
      {"a million nodes", a_million_nodes, FOR_ALL},
      {"sweep(n) is n sweeps", sweep_counts, FOR_ALL},
      {"norms of every sweep", norms_of_every_sweep, FOR_ALL},
      {"norms under any bounds", norms_under_any_bounds, FOR_ALL},
      {"very tall and very wide grids", very_tall_and_very_wide_grids, FOR_ALL},
      {"replay gives the same field", replay_gives_the_same_field, FOR_ALL},
      {"fetch returns what was loaded", fetch_returns_what_was_loaded, FOR_ALL},
      {"values from subnormal to huge", sizes_of_values, FOR_ALL},
      {"diagonals from tiny to huge", sizes_of_diagonals, FOR_ALL},
      {"zeros, NaN and infinity", zeros_and_lonely_values, FOR_ALL},
      {"infinities at the east wall", infinities_at_the_east_wall, FOR_ALL},
      {"infinities as far as the north wall", infinities_as_far_as_the_north_wall, FOR_ALL},
      {"random problems and operations", random_problems, FOR_ALL},
      {"large areas of one stencil", large_areas, FOR_ALL},
      {"advance equals the plain loop", advance_equals_the_plain_loop, FOR_ADVANCE},
      {"stencils change between stretches", stencils_change_between_stretches, FOR_ALL},
      {"advances with diagonals from tiny to huge", advances_with_sizes_of_diagonals, FOR_ADVANCE},
      {"advances among other operations", advances_among_other_operations, FOR_ADVANCE},
      {"equals the formula", reference_equals_the_formula, FOR_REFERENCE},
  };
  return bench_main(argc, argv, suite, sizeof suite / sizeof *suite);
}
