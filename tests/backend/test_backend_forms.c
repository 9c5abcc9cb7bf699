/* The suite over every backend for what goes beyond plain steady sweeps: relaxed sweeps, constants of the nodes' own
 * (source maps, implicit steps), periodic walls, a law for every node, stencils that change on the way.
 *
 * Bit for bit against cpu-reference on random systems (compare.h), and with symmetries that need no formula: a shifted
 * periodic problem, and a periodic problem in both layouts.
 */
#include "backend/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct traits traits_plain(void)
{
  const struct traits t = {-1, -1, false, false, HS_SCHEME_STEADY, false, false};
  return t;
}

static void random_form(struct bench *b, struct test_random *random)
{
  static const double rhos[] = {0.0, 0.5, 0.9, 0.999, 0.999998};
  const enum hs_form form = (enum hs_form)test_random_integer(random, 0, 2);
  const double weight = test_random_integer(random, 0, 2) ? test_random_between(random, 0.05, 1.0) : 1.0;
  bench_relax(b, form, weight, rhos[test_random_integer(random, 0, 4)]);
}

/* --- bit for bit against the reference ----------------------------------------------------------- */

/* Every form with every kind of system, the small sizes first. */
static void relaxed_sweeps(void **state)
{
  struct test_random random = {21};
  for (int c = 0; c < 240; c++) {
    const int nx = c < 60 ? 2 + c % 8 : test_random_integer(&random, 2, 70);
    const int ny = c < 60 ? 2 + c / 8 : test_random_integer(&random, 2, 70);
    const struct traits traits = random_traits(&random);
    struct hs_system *s = random_system(&random, nx, ny, &traits);
    double *field_k = random_field(&random, s, 1.0);
    struct bench b = bench_open(*state, s, c % 2, c / 2);
    struct hs_bounds bounds;
    bench_describe(&b, &traits, c);
    bench_load(&b, field_k);
    bench_sweep(&b, 2);
    bench_relax(&b, (enum hs_form)(c / 2 % 3), c % 5 ? 0.8 : 1.0, c % 7 ? 0.95 : 0.999);
    bench_sweep(&b, 1);
    bench_sweep(&b, 6);
    bounds = bench_bounds(&b);
    bench_norms(&b, &bounds);
    bench_sweep_normed(&b, 3, &bounds);
    bench_relax(&b, HS_FORM_JACOBI, 0.0, 0.0);
    bench_sweep(&b, 2);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* Systems wide enough that long runs, short runs and long mixed stretches all occur. */
static void wide_systems(void **state)
{
  static const int shapes[][2] = {{700, 30}, {257, 65}, {131, 130}, {512, 9}};
  struct test_random random = {22};
  for (int c = 0; c < 64; c++) {
    const struct traits traits = random_traits(&random);
    struct hs_system *s = random_system(&random, shapes[c % 4][0], shapes[c % 4][1], &traits);
    double *field_k = random_field(&random, s, 300.0);
    struct bench b = bench_open(*state, s, c / 4 % 2, c / 8);
    bench_describe(&b, &traits, c);
    bench_relax(&b, (enum hs_form)(c / 8 % 3), 0.7, 0.99);
    bench_exercise(&b, field_k, 5);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* The recursion goes on from call to call, and starts anew with relax. */
static void chebyshev_goes_on_and_starts_anew(void **state)
{
  static const int counts[] = {1, 0, 2, 5, 64, 3, 129};
  struct test_random random = {23};
  for (int c = 0; c < 12; c++) {
    const struct traits traits = c < 4 ? traits_plain() : random_traits(&random);
    struct hs_system *s = random_system(&random, 61, 47, &traits);
    double *field_k = random_field(&random, s, 1.0);
    struct bench b = bench_open(*state, s, c % 2, c);
    const struct hs_bounds bounds = {1.0, 1.0};
    bench_describe(&b, &traits, c);
    bench_load(&b, field_k);
    for (int start = 0; start < 2; start++) {
      bench_relax(&b, HS_FORM_CHEBYSHEV, 0.0, 0.9 + 0.05 * start);
      for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        bench_sweep(&b, counts[k]);
        bench_sweep_normed(&b, c % 3, &bounds);
      }
    }
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* A state taken out in the middle of its sweeps is what it was when it comes back: next sweeps, norms, what was saved. */
static void states_are_moved(void **state)
{
  struct test_random random = {27};
  for (int c = 0; c < 90; c++) {
    const struct traits traits = c < 9 ? traits_plain() : random_traits(&random);
    struct hs_system *s =
        random_system(&random, test_random_integer(&random, 2, 120), test_random_integer(&random, 2, 90), &traits);
    double *field_k = random_field(&random, s, 300.0);
    struct bench b = bench_open(*state, s, c % 2, c / 2);
    const struct hs_relaxation relaxation = {.form = (enum hs_form)(c / 2 % 3), .weight = 0.8, .rho = 0.95};
    const int before = test_random_integer(&random, 1, 40), after = test_random_integer(&random, 1, 40);
    bench_describe(&b, &traits, c);
    bench_load(&b, field_k);
    bench_relax(&b, relaxation.form, relaxation.weight, relaxation.rho);
    bench_sweep(&b, before);
    bench_save(&b);
    bench_sweep(&b, after);
    if (!s->storing) bench_move(&b, &relaxation, before + after);
    bench_norms(&b, &NO_BOUNDS);
    bench_distance(&b);
    if (c % 3) bench_sweep(&b, test_random_integer(&random, 1, 70));
    bench_norms(&b, &NO_BOUNDS);
    bench_restore(&b);
    bench_relax(&b, HS_FORM_JACOBI, 1.0, 0.0);
    bench_sweep(&b, 2);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* A few time steps as a transient run makes them, the last one shorter. */
static void time_steps(void **state)
{
  struct test_random random = {24};
  for (int c = 0; c < 96; c++) {
    struct traits traits = random_traits(&random);
    struct hs_system *s;
    double *field_k;
    struct bench b;
    traits.scheme = c % 2 ? HS_SCHEME_BACKWARD_EULER : HS_SCHEME_CRANK_NICOLSON;
    s = random_system(&random, test_random_integer(&random, 2, 70), test_random_integer(&random, 2, 50), &traits);
    field_k = random_field(&random, s, 1.0);
    b = bench_open(*state, s, c / 2 % 2, c / 4);
    bench_describe(&b, &traits, c);
    bench_load(&b, field_k);
    for (int step = 0; step < 4; step++) {
      bool changed = false;
      if (step == 3) {
        system_discretise(s, traits.scheme, 0.3, &changed);
        bench_update(&b, changed);
      }
      bench_step(&b, traits.scheme == HS_SCHEME_CRANK_NICOLSON);
      laws_drift(s, &random);
      system_discretise(s, traits.scheme, step == 3 ? 0.3 : 0.7, &changed);
      assert_false(changed);
      bench_update(&b, changed);
      random_form(&b, &random);
      bench_sweep(&b, 1 + step * 3);
      bench_norms(&b, &NO_BOUNDS);
    }
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* An implicit step of a system that stores nothing is refused. */
static void steps_need_storage(void **state)
{
  const struct subject *subject = *state;
  const struct hs_backend_options options = {.threads = 1};
  struct test_random random = {25};
  struct hs_system *s = system_of_kind(KIND_EQUAL, &random, 9, 8);
  struct hs_backend_state *backend_state = NULL;
  struct hs_error err = {0};
  test_ok(subject->backend->create(s, &options, &backend_state, &err), &err);
  assert_int_equal(subject->backend->step(backend_state, true, &err), HS_ERR_UNSUPPORTED);
  assert_true(strlen(err.text) > 10);
  subject->backend->destroy(backend_state);
  hs_system_destroy(s);
}

/* What may follow on what: saved and swept say what has happened already. */
static void random_operation(struct bench *b, struct hs_system *s, struct test_random *random,
                             const struct traits *traits, const double *field_k, bool *saved)
{
  const struct hs_bounds bounds = {test_random_between(random, 0.01, 4.0), test_random_between(random, 0.01, 400.0)};
  bool changed = false;
  switch (test_random_integer(random, 0, 11)) {
  case 0: bench_sweep_normed(b, test_random_integer(random, 1, 9), &bounds); break;
  case 1:
    bench_save(b);
    *saved = true;
    break;
  case 2:
    if (!*saved) break;
    bench_restore(b);
    random_form(b, random); /* the predecessor is undefined until a sweep */
    bench_sweep(b, test_random_integer(random, 1, 4));
    break;
  case 3:
    bench_largest(b);
    if (*saved) bench_distance(b);
    break;
  case 4: bench_norms(b, &bounds); break;
  case 5:
    bench_load(b, field_k);
    bench_norms(b, &bounds);
    break;
  case 6: random_form(b, random); break;
  case 7:
    if (scheme_is_implicit(traits->scheme)) bench_step(b, traits->scheme == HS_SCHEME_CRANK_NICOLSON);
    break;
  case 8:
    laws_drift(s, random);
    system_discretise(s, traits->scheme, test_random_between(random, 0.1, 0.9), &changed);
    bench_update(b, changed);
    break;
  default: bench_sweep(b, test_random_integer(random, 0, 12));
  }
}

static void random_problems(void **state)
{
  struct test_random random = {26};
  for (int c = 0; c < 300; c++) {
    const int nx = test_random_integer(&random, 2, 70), ny = test_random_integer(&random, 2, 70);
    const struct traits traits = random_traits(&random);
    struct hs_system *s = random_system(&random, nx, ny, &traits);
    double *field_k = random_field(&random, s, c % 5 ? 1.0 : 293.0);
    struct bench b = bench_open(*state, s, test_random_integer(&random, 0, 1), c);
    bool saved = false;
    bench_describe(&b, &traits, c);
    bench_load(&b, field_k);
    for (int k = 0; k < 12; k++) random_operation(&b, s, &random, &traits, field_k, &saved);
    bench_norms(&b, &NO_BOUNDS);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* distance is the largest difference between two fetched fields, largest the largest value of one. */
static void distance_is_that_of_the_fields(void **state)
{
  struct test_random random = {27};
  for (int c = 0; c < 16; c++) {
    const struct traits traits = random_traits(&random);
    struct hs_system *s = random_system(&random, 30 + c, 25, &traits);
    const size_t nodes = (size_t)s->nx * (size_t)s->ny;
    double *field_k = random_field(&random, s, 1.0), *saved_k = test_field(s), largest_k = 0.0;
    struct bench b = bench_open(*state, s, c % 2, c);
    bench_load(&b, field_k);
    bench_sweep(&b, 1);
    memcpy(saved_k, b.wanted, nodes * sizeof *saved_k);
    bench_save(&b);
    assert_true(bench_distance(&b) == 0.0);
    bench_sweep(&b, 4);
    for (size_t n = 0; n < nodes; n++) largest_k = fmax(largest_k, fabs(b.wanted[n] - saved_k[n]));
    test_near("distance", bench_distance(&b), largest_k, c % 2 ? 1e-7 * largest_k : 0.0);
    assert_true(largest_k > 0.0);
    largest_k = 0.0;
    for (size_t n = 0; n < nodes; n++) largest_k = fmax(largest_k, fabs(b.wanted[n]));
    assert_true(bench_largest(&b) == largest_k);
    bench_close(&b);
    free(saved_k);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* --- symmetries that need no formula ------------------------------------------------------------- */

struct shift {
  const struct hs_system *of;
  int by_x, by_y;
};

static size_t shifted_node(const struct shift *shift, int i, int j)
{
  const struct hs_system *s = shift->of;
  return (size_t)((j + shift->by_y) % s->ny) * (size_t)s->nx + (size_t)((i + shift->by_x) % s->nx);
}

static struct hs_node_law shifted_law(void *context, int i, int j)
{
  const struct shift *shift = context;
  return shift->of->law[hs_system_index(shift->of, shifted_node(shift, i, j))];
}

/* Another system with the laws of a periodic one from (by_x, by_y) on, in nx x ny nodes; and its field. */
static struct hs_system *system_shifted(const struct shift *shift, int nx, int ny, int wrap, const double *field_k,
                                        double **shifted_k)
{
  struct shift mine = *shift;
  struct hs_system *s = test_system_of_laws(nx, ny, 1.0, 1.0, shifted_law, &mine);
  s->wrap_x = s->wrap_y = wrap;
  s->source_w_m = test_field(s);
  *shifted_k = test_field(s);
  for (int j = 0; j < ny; j++) {
    for (int i = 0; i < nx; i++) {
      const size_t to = (size_t)j * (size_t)nx + (size_t)i, from = shifted_node(shift, i, j);
      (*shifted_k)[to] = field_k[from];
      s->source_w_m[to] = shift->of->source_w_m[from];
    }
  }
  return s;
}

/* The field after 40 sweeps from field_k; the form depends on the number of the case. */
static void shifted_run(const struct subject *subject, const struct hs_system *s, int number, const double *field_k,
                        double *end_k)
{
  struct bench b = bench_open(subject, s, number % 2, number);
  bench_load(&b, field_k);
  bench_relax(&b, (enum hs_form)(number / 2 % 3), 0.6, 0.97);
  bench_sweep(&b, 40);
  memcpy(end_k, b.wanted, (size_t)s->nx * (size_t)s->ny * sizeof *end_k);
  bench_close(&b);
}

/* A periodic problem (cell layout) has no edge: shifted anyhow it has the same field. And in the vertex layout, with
 * its first column and row repeated at the end, the same temperatures as well. */
static void periodic_walls_are_no_walls(void **state)
{
  const struct traits periodic = {0, 0, false, true, HS_SCHEME_STEADY, false, false};
  struct test_random random = {28};
  for (int c = 0; c < 36; c++) {
    const int nx = 2 + 5 * (c % 12), ny = 2 + test_random_integer(&random, 0, 40);
    const struct shift by = {NULL, test_random_integer(&random, 0, nx - 1), test_random_integer(&random, 0, ny - 1)};
    struct hs_system *s = random_system(&random, nx, ny, &periodic), *other;
    struct shift shift = {s, c % 3 ? by.by_x : 0, c % 3 ? by.by_y : 0};
    const int extra = c % 3 ? 0 : 1; /* the vertex layout */
    double *field_k = random_field(&random, s, 1.0), *shifted_k = NULL, *end_k = test_field(s), *wanted_k, *got_k;
    other = system_shifted(&shift, nx + extra, ny + extra, extra, field_k, &shifted_k);
    wanted_k = test_field(other);
    got_k = test_field(other);
    shifted_run(*state, s, c, field_k, end_k);
    shifted_run(*state, other, c, shifted_k, got_k);
    for (int j = 0; j < ny + extra; j++)
      for (int i = 0; i < nx + extra; i++) wanted_k[j * (nx + extra) + i] = end_k[shifted_node(&shift, i, j)];
    test_fields_same(extra ? "periodic in both layouts" : "shifted", wanted_k, got_k, other->nx, other->ny);
    free(got_k);
    free(wanted_k);
    free(end_k);
    free(shifted_k);
    free(field_k);
    hs_system_destroy(other);
    hs_system_destroy(s);
  }
}

static const struct suite_test forms[] = {
    {"relaxed sweeps", relaxed_sweeps, FOR_ALL},
    {"wide systems", wide_systems, FOR_ALL},
    {"Chebyshev's recursion goes on and starts anew", chebyshev_goes_on_and_starts_anew, FOR_ALL},
    {"states are moved", states_are_moved, FOR_ALL},
    {"time steps", time_steps, FOR_ALL},
    {"steps need storage", steps_need_storage, FOR_ALL},
    {"distance is that of the fields", distance_is_that_of_the_fields, FOR_ALL},
    {"periodic walls are no walls", periodic_walls_are_no_walls, FOR_ALL},
    {"random problems and operations", random_problems, FOR_ALL},
    {.name = NULL},
};

int main(int argc, char **argv)
{
  const struct suite_test *const suites[] = {forms, suite_balance, NULL};
  return suite_main(argc, argv, suites);
}
