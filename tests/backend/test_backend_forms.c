/* The suite over every backend for what goes beyond plain steady sweeps: relaxed sweeps, constants of the nodes' own
 * (source maps, implicit steps), periodic walls, a law for every node, stencils that change on the way.
 *
 * Bit for bit against cpu-reference on random systems (bench.h). cpu-reference itself is compared with the balance of
 * the control volumes, in extended precision from the laws and not from the stencils, and with symmetries that need no
 * formula: a shifted periodic problem, and a periodic problem in both layouts.
 */
#include "backend/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static struct traits traits_plain(void)
{
  const struct traits t = {-1, -1, false, false, HS_SCHEME_STEADY, false};
  return t;
}

static bool is_implicit(enum hs_scheme scheme)
{
  return scheme == HS_SCHEME_BACKWARD_EULER || scheme == HS_SCHEME_CRANK_NICOLSON;
}

/* Names the case for messages. */
static void bench_describe(struct bench *b, const struct traits *t, int number)
{
  snprintf(b->what + strlen(b->what), sizeof b->what - strlen(b->what), ", case %d: wrap %d %d%s%s, scheme %d", number,
           t->wrap_x, t->wrap_y, t->spread ? ", no index" : "", t->sourced ? ", source map" : "", (int)t->scheme);
}

static void random_form(struct bench *b, struct test_random *random)
{
  static const double rhos[] = {0.0, 0.5, 0.9, 0.999, 0.999998};
  const enum hs_form form = (enum hs_form)test_random_integer(random, 0, 2);
  const double weight = test_random_integer(random, 0, 2) ? test_random_between(random, 0.05, 1.0) : 1.0;
  bench_relax(b, form, weight, rhos[test_random_integer(random, 0, 4)]);
}

/* --- bit for bit against the reference ------------------------------------------------------------ */

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

/* Sources and temperatures as if time had gone on: the weights stay. */
static void laws_drift(struct hs_system *s, struct test_random *random)
{
  for (int k = 0; k < s->table_size; k++) {
    struct hs_node_law *law = &s->law[k];
    if (test_random_integer(random, 0, 2)) continue;
    if (law->dirichlet)
      law->dirichlet_k = test_random_normal(random);
    else
      law->source_w_m = test_random_normal(random);
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
    if (*saved) bench_distance(b);
    break;
  case 4: bench_norms(b, &bounds); break;
  case 5:
    bench_load(b, field_k);
    bench_norms(b, &bounds);
    break;
  case 6: random_form(b, random); break;
  case 7:
    if (is_implicit(traits->scheme)) bench_step(b, traits->scheme == HS_SCHEME_CRANK_NICOLSON);
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

/* distance is the largest difference between two fetched fields. */
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
    bench_close(&b);
    free(saved_k);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* --- symmetries that need no formula -------------------------------------------------------------- */

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
  const struct traits periodic = {0, 0, false, true, HS_SCHEME_STEADY, false};
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

/* --- the reference against the balance of control volumes ----------------------------------------- */

/* What the balance needs to know beside the system. */
struct balance {
  const struct hs_system *system;
  enum hs_scheme scheme;
  double step_s;
  bool begun;                     /* an implicit step has begun ... */
  const double *start_k;          /* ... from this field ... */
  const struct hs_node_law *then; /* ... with these laws */
};

/* A coordinate beyond the edge comes back on the other side, or is -1. */
static int wrapped(int i, int n, int wrap)
{
  const int period = n - wrap;
  if (i >= 0 && i < n) return i;
  if (wrap < 0) return -1;
  return i < 0 ? i + period : i - period;
}

/* Heat from the neighbours of a node, W/m, by a law's conductances; the sum of its terms' sizes is added to *size. */
static long double neighbours_give(const struct hs_system *s, const struct hs_node_law *law, const double *t, int i,
                                   int j, long double *size)
{
  const int at[4][2] = {{i - 1, j}, {i + 1, j}, {i, j - 1}, {i, j + 1}};
  const double g[4] = {law->west, law->east, law->south, law->north};
  long double sum = 0.0L;
  for (int k = 0; k < 4; k++) {
    const int x = wrapped(at[k][0], s->nx, s->wrap_x), y = wrapped(at[k][1], s->ny, s->wrap_y);
    if (x < 0 || y < 0) continue;
    sum += (long double)g[k] * t[y * s->nx + x];
    *size += fabsl((long double)g[k] * t[y * s->nx + x]);
  }
  return sum;
}

/* The temperature that balances the control volume while its neighbours stay, and the size of the terms. */
static long double balanced(const struct balance *b, const double *t, int i, int j, long double *size)
{
  const struct hs_system *s = b->system;
  const size_t n = (size_t)j * (size_t)s->nx + (size_t)i, entry = hs_system_index(s, n);
  const struct hs_node_law *law = &s->law[entry];
  const long double sum_g = (long double)law->west + law->east + law->south + law->north + law->ambient_w_mk;
  const long double map = s->source_w_m ? s->source_w_m[n] : 0.0;
  const long double rate = b->scheme == HS_SCHEME_BACKWARD_EULER   ? law->capacity_j_mk / (long double)b->step_s
                           : b->scheme == HS_SCHEME_CRANK_NICOLSON ? 2.0L * law->capacity_j_mk / b->step_s
                                                                   : 0.0L;
  long double terms = 0.0L;
  long double heat = neighbours_give(s, law, t, i, j, &terms) + law->source_w_m + law->ambient_w_m + map;
  terms += fabsl((long double)law->source_w_m) + fabsl((long double)law->ambient_w_m) + fabsl(map);
  if (b->begun) {
    const struct hs_node_law *old = &b->then[entry];
    heat += rate * b->start_k[n];
    terms += fabsl(rate * b->start_k[n]);
    if (b->scheme == HS_SCHEME_CRANK_NICOLSON) {
      heat += neighbours_give(s, old, b->start_k, i, j, &terms) - sum_g * b->start_k[n];
      heat += old->source_w_m + old->ambient_w_m + map;
      terms += fabsl(sum_g * b->start_k[n]) + fabsl((long double)old->source_w_m);
      terms += fabsl((long double)old->ambient_w_m) + fabsl(map);
    }
  }
  *size = terms / (sum_g + rate);
  return heat / (sum_g + rate);
}

/* The weight of sweep k (from 1) of a relaxation; Chebyshev's by its closed form 2 T_(k-1)(1/rho) / (rho T_k(1/rho)). */
static long double weight_of(const struct hs_relaxation *relaxation, int k)
{
  const long double x = relaxation->rho > 0.0 ? acoshl(1.0L / relaxation->rho) : 0.0L;
  if (relaxation->form == HS_FORM_WEIGHTED) return relaxation->weight;
  if (relaxation->form == HS_FORM_JACOBI || k == 1) return 1.0L;
  return 2.0L * coshl((long double)(k - 1) * x) / (relaxation->rho * coshl((long double)k * x));
}

/* Checks one sweep, the k-th with its relaxation: from `before` and `t` to `next`. */
static void sweep_balances(const struct balance *b, const struct hs_relaxation *relaxation, int k, bool single,
                           const double *before, const double *t, const double *next)
{
  const struct hs_system *s = b->system;
  const double eps = single ? 0x1p-24 : 0x1p-53;
  for (int j = 0; j < s->ny; j++) {
    for (int i = 0; i < s->nx; i++) {
      const size_t n = (size_t)j * (size_t)s->nx + (size_t)i;
      const struct hs_node_law *law = &s->law[hs_system_index(s, n)];
      const long double sum_g = (long double)law->west + law->east + law->south + law->north + law->ambient_w_mk;
      const double base = relaxation->form == HS_FORM_CHEBYSHEV ? before[n] : t[n];
      long double w = weight_of(relaxation, k), size = 0.0L, wanted;
      if (law->dirichlet) {
        test_near("a held node", next[n], single ? (double)(float)law->dirichlet_k : law->dirichlet_k, 0.0);
        continue;
      }
      if (relaxation->form == HS_FORM_WEIGHTED && b->scheme == HS_SCHEME_EXPLICIT)
        w *= b->step_s * sum_g / law->capacity_j_mk;
      wanted = balanced(b, t, i, j, &size);
      size += fabs(base);
      if (relaxation->form == HS_FORM_JACOBI || (relaxation->form == HS_FORM_CHEBYSHEV && k == 1))
        test_near("J(t)", next[n], (double)wanted, 16.0 * eps * (double)size);
      else
        test_near("a relaxed sweep", next[n], (double)(base + w * (wanted - base)),
                  eps * (24.0 * (double)(w * size) + 2.0 * fabs(next[n]))); /* and both results are rounded once */
    }
  }
}

/* Largest |J(t) - t|, |J(t) - before| and residual by the balance, against the norms. */
static void norms_balance(const struct balance *b, const struct hs_norms *norms, bool single, const double *before,
                          const double *t)
{
  const struct hs_system *s = b->system;
  long double correction = 0.0L, two_sweep = 0.0L, largest = 1.0L;
  for (int j = 0; j < s->ny; j++) {
    for (int i = 0; i < s->nx; i++) {
      const size_t n = (size_t)j * (size_t)s->nx + (size_t)i;
      long double size = 0.0L, u;
      if (s->law[hs_system_index(s, n)].dirichlet) continue;
      u = balanced(b, t, i, j, &size);
      correction = fmaxl(correction, fabsl(u - t[n]));
      two_sweep = fmaxl(two_sweep, fabsl(u - before[n]));
      largest = fmaxl(largest, size);
    }
  }
  /* r is held in the precision of the field, all else is double */
  test_near("correction_max", norms->correction_max, (double)correction,
            16.0 * (single ? 0x1p-24 : 0x1p-53) * (double)largest);
  test_near("two_sweep_max", norms->two_sweep_max, (double)two_sweep,
            16.0 * (single ? 0x1p-24 : 0x1p-53) * (double)largest);
}

/* Sweeps with every form, each checked from the fields that it started from. */
static void sweeps_balance(struct bench *b, const struct balance *balance, double *fields[3])
{
  static const struct hs_relaxation relaxations[] = {{HS_FORM_JACOBI, 0.0, 0.0},
                                                     {HS_FORM_WEIGHTED, 0.8, 0.0},
                                                     {HS_FORM_CHEBYSHEV, 0.0, 0.9},
                                                     {HS_FORM_WEIGHTED, 1.0, 0.0},
                                                     {HS_FORM_CHEBYSHEV, 0.0, 0.999}};
  const size_t bytes = (size_t)b->system->nx * (size_t)b->system->ny * sizeof *fields[0];
  bench_fields(b, "the start");
  memcpy(fields[1], b->wanted, bytes);
  memcpy(fields[0], b->wanted, bytes); /* the first form reads no predecessor */
  for (size_t form = 0; form < sizeof relaxations / sizeof *relaxations; form++) {
    bench_relax(b, relaxations[form].form, relaxations[form].weight, relaxations[form].rho);
    for (int k = 1; k <= 5; k++) {
      struct hs_norms norms;
      bench_sweep(b, 1);
      memcpy(fields[2], b->wanted, bytes);
      sweep_balances(balance, &relaxations[form], k, b->single, fields[0], fields[1], fields[2]);
      memcpy(fields[0], fields[1], bytes);
      memcpy(fields[1], fields[2], bytes);
      norms = bench_norms(b, &NO_BOUNDS);
      norms_balance(balance, &norms, b->single, fields[0], fields[1]);
    }
  }
}

static void reference_balances_control_volumes(void **state)
{
  struct test_random random = {29};
  for (int c = 0; c < 120; c++) {
    const struct traits traits = random_traits(&random);
    struct hs_system *s = random_system(&random, test_random_integer(&random, 2, 30), 2 + c / 6, &traits);
    const size_t nodes = (size_t)s->nx * (size_t)s->ny;
    struct hs_node_law *then = calloc((size_t)s->table_size, sizeof *then);
    double *fields[3] = {test_field(s), test_field(s), test_field(s)}, *start_k = test_field(s);
    double *field_k = random_field(&random, s, 1.0);
    struct balance balance = {s, traits.scheme, system_discretise(s, traits.scheme, 0.6, NULL), false, start_k, then};
    struct bench b = bench_open(*state, s, c % 2, 0);
    assert_non_null(then);
    bench_describe(&b, &traits, c);
    bench_load(&b, field_k);
    sweeps_balance(&b, &balance, fields);
    if (is_implicit(traits.scheme)) {
      bench_step(&b, traits.scheme == HS_SCHEME_CRANK_NICOLSON);
      memcpy(start_k, b.wanted, nodes * sizeof *start_k);
      memcpy(then, s->law, (size_t)s->table_size * sizeof *then);
      laws_drift(s, &random);
      system_discretise(s, traits.scheme, 0.6, NULL);
      bench_update(&b, false);
      balance.begun = true;
      sweeps_balance(&b, &balance, fields);
    }
    bench_close(&b);
    for (int k = 0; k < 3; k++) free(fields[k]);
    free(start_k);
    free(then);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* --- the group ------------------------------------------------------------------------------------ */

int main(int argc, char **argv)
{
  static const struct suite_test suite[] = {
      {"relaxed sweeps", relaxed_sweeps, FOR_ALL},
      {"wide systems", wide_systems, FOR_ALL},
      {"Chebyshev's recursion goes on and starts anew", chebyshev_goes_on_and_starts_anew, FOR_ALL},
      {"time steps", time_steps, FOR_ALL},
      {"steps need storage", steps_need_storage, FOR_ALL},
      {"distance is that of the fields", distance_is_that_of_the_fields, FOR_ALL},
      {"periodic walls are no walls", periodic_walls_are_no_walls, FOR_ALL},
      {"random problems and operations", random_problems, FOR_ALL},
      {"sweeps balance control volumes", reference_balances_control_volumes, FOR_REFERENCE},
  };
  return bench_main(argc, argv, suite, sizeof suite / sizeof *suite);
}
