/* The bench of the backends; see compare.h. */
#include "backend/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/streamed/plan.h"
#include "backend/distributed/distributed.h"

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
static void variant_add(struct bench *b, struct hs_backend_options options)
{
  const struct hs_backend_testing *testing = &options.testing;
  struct variant *v = &b->variants[b->count];
  struct hs_error err = {0};
  options.single = b->single;
  options.form = (b->count + options.threads) % 2 ? HS_FORM_CHEBYSHEV : HS_FORM_JACOBI;
  assert_true(b->count < MAX_VARIANTS);
  snprintf(v->label, sizeof v->label, "%s %s %d%s, tiles %dx%d, changes %d, parts %dx%d ghost %d", b->backend->name,
           testing->isa ? testing->isa : "", options.threads, options.form == HS_FORM_CHEBYSHEV ? " for Chebyshev" : "",
           testing->tile_columns, testing->stages, testing->team_changes, testing->parts.count_x,
           testing->parts.count_y, testing->parts.ghost);
  if (b->backend->probe(b->system, &options, &err) == HS_OK) {
    test_ok(b->backend->create(b->shown, &options, &v->state, &err), &err);
    b->count++;
  }
  b->too_large = err.status == HS_ERR_UNSUPPORTED && may_refuse(b->backend->name, b->system);
}

/* cuda-streamed in bands as low as they can be, and with as little memory as it can do with, with and without
 * passes. */
static void streamed_add(struct bench *b)
{
  const double least_bytes = hs_streamed_least_bytes(b->system, b->single);
  variant_add(b, (struct hs_backend_options){.testing.band_rows = 32});
  variant_add(b, (struct hs_backend_options){.device_bytes = least_bytes});
  variant_add(b, (struct hs_backend_options){.device_bytes = least_bytes + hs_streamed_passes_bytes(b->system)});
}

/* Instruction sets with the tiles that cpu chooses, and with narrow ones and few or many stages: with ghost zones
 * that reach beyond a tile, reach from wall to wall, or have no columns between them. In one of three the number of
 * threads changes in the middle of what they do. */
static void cpu_add(struct bench *b, int choice)
{
  static const char *const isas[] = {"baseline", "avx2", "avx512"};
  static const int tiles[][2] = {{0, 0}, {1, 2}, {16, 3}, {40, 5}, {64, 16}, {20, 33}, {100, 64}, {2000, 2}, {2000, 3}};
  static const int threads[THREAD_CHOICES] = {1, 2, 3, 4, 5, 6, 7};
  enum { TILES = sizeof tiles / sizeof *tiles };
  const int narrow = 1 + (choice + b->system->nx + b->system->ny) % (TILES - 1);
  for (int k = 0; k <= narrow; k += narrow)
    for (size_t m = 0; m < sizeof isas / sizeof *isas; m++)
      variant_add(
          b, (struct hs_backend_options){.threads = threads[choice % THREAD_CHOICES],
                                         .testing = {.isa = isas[m],
                                                     .tile_columns = tiles[k][0],
                                                     .stages = tiles[k][1],
                                                     .team_changes = (choice + k + (int)m) % 3 ? 0 : 1 + choice % 5}});
}

/* Grids in parts: cut in one direction and in both, with ghost zones of any depth. Small grids stay in one part. */
static void parts_add(struct bench *b, int choice)
{
  const struct hs_system *s = b->system;
  const int devices = strncmp(b->backend->name, "cuda", 4) ? 0 : hs_backend_devices();
  struct hs_backend_options options = {.threads = 0};
  const int cuts = strncmp(b->backend->name, "cuda", 4) ? 3 : 1; /* states on a device take long to make */
  for (int k = 0; k < cuts; k++) {
    const struct hs_partition whole = hs_distributed_whole(s);
    struct hs_partition parts = whole;
    int deepest;
    parts.count_x = 1 + (choice + k) % 3;
    parts.count_y = 1 + (choice + 2 * k + s->nx) % 4;
    deepest = hs_partition_deepest(&parts);
    parts.ghost = 1 + (5 * choice + 17 * k + s->ny) % 40;
    if (parts.ghost > deepest) parts.ghost = deepest;
    if (s->wrap_x == 1 || s->wrap_y == 1) parts.ghost = 1; /* nodes on opposite walls differ in random systems */
    if (deepest < 1) parts = whole;
    if (hs_partition_parts(&parts) == 1) parts.ghost = 0;
    options.threads = 1 + choice % 2;
    options.testing.parts = parts;
    options.spread.device_count = devices > 1 ? hs_partition_parts(&parts) : 0;
    for (int d = 0; d < options.spread.device_count; d++) options.spread.devices[d] = d % devices;
    variant_add(b, options);
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
  if (subject->parts) {
    parts_add(&b, choice);
  } else if (!strcmp(b.backend->name, "cuda-streamed")) {
    streamed_add(&b);
  } else if (strcmp(b.backend->name, "cpu")) {
    variant_add(&b, (struct hs_backend_options){.threads = 0});
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
  hs_system_destroy(b->before);
  free(b->wanted);
  free(b->got);
}

/* Names the case for messages. */
void bench_describe(struct bench *b, const struct traits *t, int number)
{
  snprintf(b->what + strlen(b->what), sizeof b->what - strlen(b->what), ", case %d: wrap %d %d%s%s, scheme %d", number,
           t->wrap_x, t->wrap_y, t->spread ? ", no index" : "", t->sourced ? ", source map" : "", (int)t->scheme);
}

/* --- operations ---------------------------------------------------------------------------------- */

/* A few nodes of the fields that bench_fields has found the same, some of them twice. */
static void picks_same(const struct bench *b, int variant, const char *what)
{
  enum { PICKS = 37 };
  const int64_t nodes = (int64_t)b->system->nx * b->system->ny;
  int64_t node[PICKS];
  double got[PICKS];
  struct hs_error err = {0};
  if (!b->backend->pick) return;
  for (int64_t k = 0; k < PICKS; k++) node[k] = (nodes - 1) * (k % 31) / 30;
  test_ok(b->backend->pick(b->variants[variant].state, node, PICKS, got, &err), &err);
  for (int k = 0; k < PICKS; k++)
    if (!test_same(got[k], b->wanted[node[k]]))
      fail_msg("%s: node %lld is picked as %a", what, (long long)node[k], got[k]);
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
    picks_same(b, k, what);
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
  const struct hs_relaxation relaxation = {.form = form, .weight = weight, .rho = rho};
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
  hs_system_destroy(b->before);
  b->before = before;
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

/* Something else than before, in all fields. */
static void disturb(struct bench *b, struct hs_backend_state *state)
{
  const struct hs_relaxation plain = {.form = HS_FORM_JACOBI, .weight = 1.0};
  const size_t nodes = (size_t)b->system->nx * (size_t)b->system->ny;
  struct hs_error err = {0};
  for (size_t n = 0; n < nodes; n++) b->got[n] = (double)(n % 7);
  test_ok(b->backend->relax(state, &plain, &err), &err);
  test_ok(b->backend->load(state, b->got, &err), &err);
  test_ok(b->backend->save(state, &err), &err);
  test_ok(b->backend->sweep(state, 3, &err), &err);
}

void bench_move(struct bench *b, const struct hs_relaxation *relaxation, int64_t sweeps)
{
  static const char *const names[] = {"present field", "predecessor", "saved field"};
  struct hs_relaxation going_on = *relaxation;
  double *wanted[3];
  struct hs_error err = {0};
  for (int role = HS_FIELD_NOW; role <= HS_FIELD_SAVED; role++) {
    wanted[role] = test_field(b->system);
    test_ok(hs_backend_reference.fetch_role(b->reference, (enum hs_field_role)role, wanted[role], &err), &err);
  }
  if (relaxation->form == HS_FORM_CHEBYSHEV) going_on.omega = hs_chebyshev_omega(relaxation->rho, sweeps);
  for (int k = 0; k < b->count; k++) {
    struct hs_backend_state *state = b->variants[k].state;
    for (int role = HS_FIELD_NOW; role <= HS_FIELD_SAVED; role++) {
      char what[320];
      snprintf(what, sizeof what, "%s, %s, %s", b->variants[k].label, b->what, names[role]);
      test_ok(b->backend->fetch_role(state, (enum hs_field_role)role, b->got, &err), &err);
      test_fields_same(what, wanted[role], b->got, b->system->nx, b->system->ny);
    }
    disturb(b, state);
    test_ok(b->backend->load(state, wanted[HS_FIELD_SAVED], &err), &err);
    test_ok(b->backend->save(state, &err), &err);
    test_ok(b->backend->load(state, wanted[HS_FIELD_NOW], &err), &err);
    test_ok(b->backend->load_before(state, wanted[HS_FIELD_BEFORE], &err), &err);
    test_ok(b->backend->relax(state, &going_on, &err), &err);
  }
  for (int role = HS_FIELD_NOW; role <= HS_FIELD_SAVED; role++) free(wanted[role]);
  bench_fields(b, "move");
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

double bench_largest(struct bench *b)
{
  struct hs_error err = {0};
  double wanted = NAN;
  test_ok(hs_backend_reference.largest(b->reference, &wanted, &err), &err);
  for (int k = 0; k < b->count; k++) {
    double got = NAN;
    test_ok(b->backend->largest(b->variants[k].state, &got, &err), &err);
    norm_same(b, k, "largest", wanted, got);
  }
  return wanted;
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
