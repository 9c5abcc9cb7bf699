/* What the tests of the backends share; see compare.h. */
#include "backend/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/streamed/plan.h"
#include "base/memory.h"

const struct hs_bounds NO_BOUNDS = {0.0, 0.0};

/* --- the bench ----------------------------------------------------------------------------------- */

/* Nodes that a backend must not refuse: cuda-resident, where very tall and wide grids need more room than their nodes,
 * and cuda-blocked, whose table of different rows has a limit on large grids. */
static bool may_refuse(const char *name, const struct hs_system *system)
{
  const long nodes = (long)system->nx * system->ny;
  return (!strcmp(name, "cuda-resident") && nodes > 50000) || (!strcmp(name, "cuda-blocked") && nodes > 3000000);
}

/* Every other variant has what Chebyshev's form wants, whichever is made: cpu has more fields then. */
static void variant_add(struct bench *b, const char *isa, int threads, double device_bytes)
{
  const enum hs_form form = (b->count + threads) % 2 ? HS_FORM_CHEBYSHEV : HS_FORM_JACOBI;
  const struct hs_backend_options options = {
      .single = b->single, .threads = threads, .device_bytes = device_bytes, .form = form};
  struct variant *v = &b->variants[b->count];
  struct hs_error err = {0};
  assert_true(b->count < MAX_VARIANTS);
  if (isa) setenv("HEATSOLVE_ISA", isa, 1);
  snprintf(v->label, sizeof v->label, "%s%s%s %d%s", b->backend->name, isa ? " " : "", isa ? isa : "", threads,
           form == HS_FORM_CHEBYSHEV ? " for Chebyshev" : "");
  if (b->backend->probe(b->system, &options, &err) == HS_OK) {
    test_ok(b->backend->create(b->shown, &options, &v->state, &err), &err);
    b->count++;
  }
  b->too_large = err.status == HS_ERR_UNSUPPORTED && may_refuse(b->backend->name, b->system);
  if (isa) unsetenv("HEATSOLVE_ISA");
}

/* cuda-streamed in bands as low as they can be, and with as little memory as it can do with, with and without
 * passes. */
static void streamed_add(struct bench *b)
{
  setenv("HEATSOLVE_BAND_ROWS", "32", 1);
  variant_add(b, NULL, 0, 0.0);
  unsetenv("HEATSOLVE_BAND_ROWS");
  variant_add(b, NULL, 0, hs_streamed_least_bytes(b->system, b->single));
  variant_add(b, NULL, 0, hs_streamed_least_bytes(b->system, b->single) + hs_streamed_passes_bytes(b->system));
}

/* Instruction sets with the strips that cpu chooses, and with narrow ones and few or many levels: with margins
 * that reach beyond a strip, reach from wall to wall, or have no columns between them. */
static void cpu_add(struct bench *b, int choice)
{
  static const char *const isas[] = {"baseline", "avx2", "avx512"};
  static const char *const strips[] = {NULL, "1x2", "16x3", "40x5", "64x16", "20x33", "100x64", "2000x2", "2000x3"};
  static const int threads[THREAD_CHOICES] = {1, 2, 3, 4, 5, 6, 7};
  enum { STRIPS = sizeof strips / sizeof *strips };
  const int narrow = 1 + (choice + b->system->nx + b->system->ny) % (STRIPS - 1);
  for (int k = 0; k <= narrow; k += narrow) {
    if (k) setenv("HEATSOLVE_STRIP", strips[k], 1);
    for (size_t m = 0; m < sizeof isas / sizeof *isas; m++)
      variant_add(b, isas[m], threads[choice % THREAD_CHOICES], 0.0);
    unsetenv("HEATSOLVE_STRIP");
    for (int m = 0; k && m < b->count; m++)
      if (m >= b->count / 2) strcat(strcat(b->variants[m].label, " "), strips[k]);
  }
}

/* A discretisation like the caller's system at this moment. */
static struct hs_system *system_show(const struct hs_system *system)
{
  const size_t count = (size_t)system->table_size;
  struct hs_system *shown = NULL;
  struct hs_error err = {0};
  test_ok(hs_system_derive(system, true, &shown, &err), &err);
  memcpy(shown->stencil, system->stencil, count * sizeof *shown->stencil);
  memcpy(shown->stencil_single, system->stencil_single, count * sizeof *shown->stencil_single);
  return shown;
}

struct bench bench_open(const struct subject *subject, const struct hs_system *system, bool single, int choice)
{
  struct bench b = {.backend = subject->backend, .system = system, .shown = system_show(system), .single = single};
  const struct hs_backend_options options = {.single = single};
  struct hs_error err = {0};
  test_ok(hs_backend_reference.create(b.shown, &options, &b.reference, &err), &err);
  b.wanted = test_field(system);
  b.got = test_field(system);
  snprintf(b.what, sizeof b.what, "%d x %d %s", system->nx, system->ny, single ? "single" : "double");
  if (!strcmp(b.backend->name, "cuda-streamed")) {
    streamed_add(&b);
  } else if (strcmp(b.backend->name, "cpu")) {
    variant_add(&b, NULL, 0, 0.0);
  } else {
    cpu_add(&b, choice);
  }
  assert_true(b.count > 0 || b.too_large);
  return b;
}

void bench_close(struct bench *b)
{
  hs_backend_reference.destroy(b->reference);
  for (int k = 0; k < b->count; k++) b->backend->destroy(b->variants[k].state);
  hs_system_destroy(b->shown);
  free(b->wanted);
  free(b->got);
}

void bench_fields(struct bench *b, const char *after)
{
  struct hs_error err = {0};
  test_ok(hs_backend_reference.fetch(b->reference, b->wanted, &err), &err);
  for (int k = 0; k < b->count; k++) {
    char what[320];
    snprintf(what, sizeof what, "%s, %s, field after %s", b->variants[k].label, b->what, after);
    test_ok(b->backend->fetch(b->variants[k].state, b->got, &err), &err);
    test_fields_same(what, b->wanted, b->got, b->system->nx, b->system->ny);
  }
}

void bench_load(struct bench *b, const double *field_k)
{
  struct hs_error err = {0};
  test_ok(hs_backend_reference.load(b->reference, field_k, &err), &err);
  for (int k = 0; k < b->count; k++) test_ok(b->backend->load(b->variants[k].state, field_k, &err), &err);
}

void bench_relax(struct bench *b, enum hs_form form, double weight, double rho)
{
  const struct hs_relaxation relaxation = {form, weight, rho};
  struct hs_error err = {0};
  test_ok(hs_backend_reference.relax(b->reference, &relaxation, &err), &err);
  for (int k = 0; k < b->count; k++) test_ok(b->backend->relax(b->variants[k].state, &relaxation, &err), &err);
}

/* Whoever still reads the discretisation before gets NaN. */
void bench_update(struct bench *b, bool weights_changed)
{
  struct hs_system *const before = b->shown;
  const size_t count = (size_t)before->table_size;
  struct hs_error err = {0};
  b->shown = system_show(b->system);
  test_ok(hs_backend_reference.update(b->reference, b->shown, weights_changed, &err), &err);
  for (int k = 0; k < b->count; k++)
    test_ok(b->backend->update(b->variants[k].state, b->shown, weights_changed, &err), &err);
  memset(before->stencil, 0xff, count * sizeof *before->stencil);
  memset(before->stencil_single, 0xff, count * sizeof *before->stencil_single);
  bench_fields(b, "update");
}

void bench_step(struct bench *b, bool trapezoid)
{
  struct hs_error err = {0};
  test_ok(hs_backend_reference.step(b->reference, trapezoid, &err), &err);
  for (int k = 0; k < b->count; k++) test_ok(b->backend->step(b->variants[k].state, trapezoid, &err), &err);
  bench_fields(b, "step");
}

void bench_sweep(struct bench *b, int64_t n)
{
  char after[32];
  struct hs_error err = {0};
  for (int64_t k = 0; k < n; k++) test_ok(hs_backend_reference.sweep(b->reference, 1, &err), &err);
  for (int k = 0; k < b->count; k++) test_ok(b->backend->sweep(b->variants[k].state, n, &err), &err);
  snprintf(after, sizeof after, "sweep(%d)", (int)n);
  bench_fields(b, after);
}

/* Sums are the same bits while the maximum lies within the slack of its scale; NaN and infinity spread everywhere. */
static bool sum_is_exact(double maximum, double bound)
{
  return !isfinite(maximum) || maximum * hs_sum_scale(bound) <= HS_SUM_SLACK;
}

static void norm_same(const struct bench *b, int variant, const char *name, double wanted, double got)
{
  if (!test_same(wanted, got))
    fail_msg("%s, %s: %s: wanted %.17g (%a), got %.17g (%a)", b->variants[variant].label, b->what, name, wanted, wanted,
             got, got);
}

static void norms_same(const struct bench *b, int variant, const struct hs_bounds *bounds,
                       const struct hs_norms *wanted, const struct hs_norms *got)
{
  norm_same(b, variant, "update_max", wanted->update_max, got->update_max);
  norm_same(b, variant, "residual_max", wanted->residual_max, got->residual_max);
  norm_same(b, variant, "two_sweep_max", wanted->two_sweep_max, got->two_sweep_max);
  norm_same(b, variant, "correction_max", wanted->correction_max, got->correction_max);
  if (sum_is_exact(wanted->update_max, bounds->update_max))
    norm_same(b, variant, "update_l2", wanted->update_l2, got->update_l2);
  if (sum_is_exact(wanted->residual_max, bounds->residual_max))
    norm_same(b, variant, "residual_l2", wanted->residual_l2, got->residual_l2);
}

struct hs_norms bench_norms(struct bench *b, const struct hs_bounds *bounds)
{
  struct hs_error err = {0};
  struct hs_norms wanted, got;
  test_ok(hs_backend_reference.norms(b->reference, bounds, &wanted, &err), &err);
  for (int k = 0; k < b->count; k++) {
    memset(&got, 0x55, sizeof got);
    test_ok(b->backend->norms(b->variants[k].state, bounds, &got, &err), &err);
    norms_same(b, k, bounds, &wanted, &got);
  }
  return wanted;
}

struct hs_bounds bench_bounds(struct bench *b)
{
  const struct hs_norms norms = bench_norms(b, &NO_BOUNDS);
  const struct hs_bounds bounds = {norms.update_max, norms.residual_max};
  return bounds;
}

void bench_sweep_normed(struct bench *b, int n, const struct hs_bounds *bounds)
{
  static struct hs_norms wanted[MAX_NORMED], got[MAX_NORMED];
  char after[32];
  struct hs_error err = {0};
  assert_true(n <= MAX_NORMED);
  for (int k = 0; k < n; k++)
    test_ok(hs_backend_reference.sweep_normed(b->reference, 1, bounds, &wanted[k], &err), &err);
  for (int v = 0; v < b->count; v++) {
    memset(got, 0x55, sizeof got);
    test_ok(b->backend->sweep_normed(b->variants[v].state, n, bounds, got, &err), &err);
    for (int k = 0; k < n; k++) norms_same(b, v, bounds, &wanted[k], &got[k]);
  }
  snprintf(after, sizeof after, "sweep_normed(%d)", n);
  bench_fields(b, after);
}

void bench_save(struct bench *b)
{
  struct hs_error err = {0};
  test_ok(hs_backend_reference.save(b->reference, &err), &err);
  for (int k = 0; k < b->count; k++) test_ok(b->backend->save(b->variants[k].state, &err), &err);
}

void bench_restore(struct bench *b)
{
  struct hs_error err = {0};
  test_ok(hs_backend_reference.restore(b->reference, &err), &err);
  for (int k = 0; k < b->count; k++) test_ok(b->backend->restore(b->variants[k].state, &err), &err);
  bench_fields(b, "restore");
}

double bench_distance(struct bench *b)
{
  struct hs_error err = {0};
  double wanted = NAN;
  test_ok(hs_backend_reference.distance(b->reference, &wanted, &err), &err);
  for (int k = 0; k < b->count; k++) {
    double got = NAN;
    test_ok(b->backend->distance(b->variants[k].state, &got, &err), &err);
    norm_same(b, k, "distance", wanted, got);
  }
  return wanted;
}

/* --- systems and fields -------------------------------------------------------------------------- */

enum { NEIGHBOUR_SETS = 16, VARIETY = 6, HELD_LAWS = 3 };

/* Everything from which the law of a node is drawn. */
struct draw {
  struct test_random *random;
  struct hs_node_law laws[HELD_LAWS + NEIGHBOUR_SETS * VARIETY];
  const struct traits *traits;
  uint64_t seed;
  int nx, ny, patch_w, patch_h, salt;
};

/* A free node with the neighbours of `set` (bits west, east, south, north), half of them with equal weights. */
static struct hs_node_law random_law(struct test_random *random, int set, int variety)
{
  struct hs_node_law law = {.capacity_j_mk = test_random_between(random, 0.1, 3.0)};
  const double size = variety == 5 ? 100.0 : 1.0;
  double g[4], sum = 0.0;
  for (int k = 0; k < 4; k++) {
    g[k] = size * (variety % 2 ? test_random_between(random, 0.01, 3.0) : 1.0);
    if (!(set >> k & 1)) g[k] = 0.0;
    sum += g[k];
  }
  law.west = g[0];
  law.east = g[1];
  law.south = g[2];
  law.north = g[3];
  if (variety == 3 || variety == 4) law.ambient_w_mk = test_random_between(random, 0.01, 2.0);
  law.ambient_w_m = law.ambient_w_mk * test_random_normal(random);
  if (variety) law.source_w_m = (sum + law.ambient_w_mk) * test_random_normal(random);
  return law;
}

static struct hs_node_law held_law(double dirichlet_k)
{
  const struct hs_node_law law = {
      1.0, 2.0, 3.0, 4.0, .capacity_j_mk = 1.0, .dirichlet_k = dirichlet_k, .dirichlet = true};
  return law;
}

static int neighbour_set(const struct draw *d, int i, int j)
{
  const bool x = d->traits->wrap_x >= 0, y = d->traits->wrap_y >= 0;
  return (x || i > 0 ? 1 : 0) | (x || i < d->nx - 1 ? 2 : 0) | (y || j > 0 ? 4 : 0) | (y || j < d->ny - 1 ? 8 : 0);
}

static struct hs_node_law draw_law(void *context, int i, int j)
{
  const struct draw *d = context;
  struct test_random patch = {d->seed + (uint64_t)(i / d->patch_w) * 1000003u + (uint64_t)(j / d->patch_h) * 7919u};
  int variety = test_random_integer(&patch, -1, VARIETY - 1);
  if (!d->traits->clean && test_random_integer(d->random, 1, d->salt) == 1)
    variety = test_random_integer(d->random, -HELD_LAWS, VARIETY - 1);
  return d->laws[variety < 0 ? -1 - variety : HELD_LAWS + VARIETY * neighbour_set(d, i, j) + variety];
}

static void *system_array(size_t count, size_t size)
{
  struct hs_error err = {0};
  void *array = NULL;
  test_ok(hs_array_create(&array, count, size, "a test", &err), &err);
  return array;
}

/* A law for every node instead of the index. */
static void system_spread(struct hs_system *s)
{
  const size_t nodes = (size_t)s->nx * (size_t)s->ny;
  struct hs_node_law *law = system_array(nodes, sizeof *law);
  struct hs_stencil_f64 *stencil = system_array(nodes, sizeof *stencil);
  struct hs_stencil_f32 *single = system_array(nodes, sizeof *single);
  for (size_t n = 0; n < nodes; n++) {
    law[n] = s->law[s->index[n]];
    stencil[n] = s->stencil[s->index[n]];
    single[n] = s->stencil_single[s->index[n]];
  }
  free(s->law);
  free(s->stencil);
  free(s->stencil_single);
  free(s->index);
  s->law = law;
  s->stencil = stencil;
  s->stencil_single = single;
  s->index = NULL;
  s->table_size = (int)nodes;
}

static void system_finish(struct hs_system *s, struct test_random *random, const struct traits *traits)
{
  const size_t nodes = (size_t)s->nx * (size_t)s->ny;
  s->wrap_x = traits->wrap_x;
  s->wrap_y = traits->wrap_y;
  if (traits->spread) system_spread(s);
  if (traits->sourced) s->source_w_m = system_array(nodes, sizeof *s->source_w_m);
  s->free_nodes = 0;
  for (size_t n = 0; n < nodes; n++) {
    if (s->law[hs_system_index(s, n)].dirichlet) continue;
    s->free_nodes++;
    if (traits->sourced) s->source_w_m[n] = test_random_normal(random);
  }
  system_discretise(s, traits->scheme, 0.7, NULL);
}

double system_discretise(struct hs_system *s, enum hs_scheme scheme, double part, bool *weights_changed)
{
  double step_s = INFINITY;
  for (int k = 0; k < s->table_size; k++) {
    const struct hs_node_law *law = &s->law[k];
    const double diagonal = law->west + law->east + law->south + law->north + law->ambient_w_mk;
    if (!law->dirichlet) step_s = fmin(step_s, law->capacity_j_mk / diagonal);
  }
  step_s = isfinite(step_s) ? part * step_s : 1.0;
  hs_system_discretise(s, scheme, step_s, s, weights_changed);
  return step_s;
}

struct hs_system *random_system(struct test_random *random, int nx, int ny, const struct traits *traits)
{
  struct draw d = {.random = random, .traits = traits, .nx = nx, .ny = ny};
  struct hs_system *s;
  d.patch_w = test_random_integer(random, traits->clean ? 10 : 1, 200);
  d.patch_h = test_random_integer(random, traits->clean ? 10 : 1, 60);
  d.salt = test_random_integer(random, 2, 400);
  d.seed = test_random_bits(random);
  for (int k = 0; k < HELD_LAWS + NEIGHBOUR_SETS * VARIETY; k++) {
    const int free_law = k - HELD_LAWS;
    d.laws[k] = k < HELD_LAWS ? held_law(k ? test_random_normal(random) : 0.0)
                              : random_law(random, free_law / VARIETY, free_law % VARIETY);
  }
  s = test_system_of_laws(nx, ny, 1.0, 1.0, draw_law, &d);
  system_finish(s, random, traits);
  return s;
}

struct traits random_traits(struct test_random *random)
{
  static const enum hs_scheme schemes[] = {HS_SCHEME_STEADY, HS_SCHEME_EXPLICIT, HS_SCHEME_BACKWARD_EULER,
                                           HS_SCHEME_CRANK_NICOLSON};
  struct traits t = {-1, -1, false, false, HS_SCHEME_STEADY, false};
  if (test_random_integer(random, 0, 7) == 0) return t;
  t.wrap_x = test_random_integer(random, -1, 1);
  t.wrap_y = test_random_integer(random, -1, 1);
  t.spread = test_random_integer(random, 0, 2) == 0;
  t.sourced = test_random_integer(random, 0, 1);
  t.scheme = schemes[test_random_integer(random, 0, 3)];
  return t;
}

/* A plate with conductances 1 (a tenth more in y where it is stretched) and walls at 1.5, 0, 0 and -0.25. */
struct plate {
  int nx, ny;
  double stretch;
};

static struct hs_node_law plate_law(void *context, int i, int j)
{
  const struct plate *p = context;
  struct hs_node_law law = {1.0, 1.0, p->stretch, p->stretch, .source_w_m = 3e-5, .capacity_j_mk = 1.0};
  if (i == p->nx / 2 && j == p->ny / 2) law.source_w_m += 5e-3;
  law.dirichlet = i == 0 || j == 0 || i == p->nx - 1 || j == p->ny - 1;
  if (law.dirichlet) law.source_w_m = 0.0;
  if (law.dirichlet) law.dirichlet_k = j == p->ny - 1 ? -0.25 : i == 0 ? 1.5 : 0.0;
  return law;
}

struct hs_system *system_of_kind(int kind, struct test_random *random, int nx, int ny)
{
  const struct traits plain = {-1, -1, false, false, HS_SCHEME_STEADY, false};
  struct plate plate = {nx, ny, kind == KIND_STRETCHED ? 1.1 : 1.0};
  struct hs_system *s;
  if (kind == KIND_RANDOM) return random_system(random, nx, ny, &plain);
  s = test_system_of_laws(nx, ny, 1.0, 1.0, plate_law, &plate);
  system_finish(s, random, &plain);
  return s;
}

double *random_field(struct test_random *random, const struct hs_system *s, double size)
{
  double *field_k = test_field(s);
  for (size_t n = 0; n < (size_t)s->nx * (size_t)s->ny; n++) field_k[n] = size * test_random_normal(random);
  return field_k;
}

void bench_exercise(struct bench *b, const double *field_k, int longest)
{
  struct hs_bounds bounds;
  bench_load(b, field_k);
  bench_fields(b, "load");
  bench_norms(b, &NO_BOUNDS);
  bench_sweep(b, 1);
  bounds = bench_bounds(b);
  bench_norms(b, &bounds);
  bench_save(b);
  bench_sweep(b, longest);
  bench_distance(b);
  bench_sweep_normed(b, 3, &bounds);
  bench_norms(b, &bounds);
  bench_restore(b);
  bench_sweep_normed(b, 2, &bounds);
}

/* --- groups -------------------------------------------------------------------------------------- */

static bool concerns(const struct suite_test *test, const struct hs_backend *backend)
{
  if (test->whom == FOR_ADVANCE) return backend->advance != NULL;
  return test->whom == FOR_ALL || backend == &hs_backend_reference;
}

/* The tests of one backend, named after it; *count becomes their number. */
static struct CMUnitTest *suite_create(const struct subject *subject, const struct suite_test *suite, size_t *count)
{
  struct CMUnitTest *tests = calloc(*count, sizeof *tests);
  size_t used = 0;
  assert_non_null(tests);
  for (size_t k = 0; k < *count; k++) {
    char *name = NULL;
    if (!concerns(&suite[k], subject->backend)) continue;
    name = hs_text_format(NULL, "%s: %s", subject->backend->name, suite[k].name);
    assert_non_null(name);
    tests[used].name = name;
    tests[used].test_func = suite[k].run;
    tests[used++].initial_state = (void *)(uintptr_t)subject;
  }
  *count = used;
  return tests;
}

static int group_run(const struct hs_backend *backend, const struct suite_test *suite, size_t count)
{
  const struct subject subject = {backend};
  const struct hs_backend_options options = {.single = false};
  struct hs_error why = {0};
  struct CMUnitTest *tests;
  int failed;
  if (backend->probe(NULL, &options, &why)) {
    printf("# backend %s: %s\n1..0 # SKIP backend %s: %s\n", backend->name, why.text, backend->name, why.text);
    fflush(stdout);
    return 0;
  }
  tests = suite_create(&subject, suite, &count);
  failed = _cmocka_run_group_tests(backend->name, tests, count, NULL, NULL);
  for (size_t k = 0; k < count; k++) free((void *)(uintptr_t)tests[k].name);
  free(tests);
  return failed;
}

int bench_main(int argc, char **argv, const struct suite_test *suite, size_t count)
{
  int failed = 0;
  for (int k = 0; hs_backend_list()[k]; k++)
    if (argc < 2 || !strcmp(argv[1], hs_backend_list()[k]->name))
      failed += group_run(hs_backend_list()[k], suite, count);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
