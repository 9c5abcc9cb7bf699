/* Advance: whole intervals of a run, with their tests, equal what plain operations make of them. */
#include "backend/compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  const int every = test_every(17), from = every > 1 ? 2 : 0; /* from the second on all quantities are met */
  struct test_random random = {12};
  for (int c = from; c < VARIANTS * ENDS * INTERVALS; c += every) {
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
  for (int c = 0; c < KINDS * SHAPES; c += test_every(5)) {
    const int *shape = shapes[c % SHAPES];
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
  const int most = test_random_integer(random, 1, check_every > 100 ? 2 : check_every > 10 ? 4 : 9);
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
  for (int c = 0; c < DIAGONAL_CASES; c++) {
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
  (void)hs_system_discretise(s, HS_SCHEME_STEADY, NAN, s, &changed, NULL);
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
  for (int c = 0; c < 2 * SHAPES * KINDS; c += test_every(3)) {
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

const struct suite_test suite_advance[] = {
    {"advance equals the plain loop", advance_equals_the_plain_loop, FOR_ADVANCE},
    {"stencils change between stretches", stencils_change_between_stretches, FOR_ALL},
    {"advances with diagonals from tiny to huge", advances_with_sizes_of_diagonals, FOR_ADVANCE},
    {"advances among other operations", advances_among_other_operations, FOR_ADVANCE},
    {.name = NULL},
};
