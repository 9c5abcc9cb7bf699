/* The last levels of a cycle as one operation, where a backend has that: the bits of cycles made level by level, and of
 * cpu-reference, cycle for cycle and in whole solutions, on every backend that runs here. Which levels are asked for is tested
 * with an operation made of the cpu backend's others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runs.h"
#include "solve/multigrid/levels.h"
#include "solve/multigrid/multigrid.h"

enum { CYCLES = 11, NESTED_AT = 5 }; /* with recordings, where a backend makes them after some cycles */

/* --- plates ---------------------------------------------------------------------------------- */

static const struct {
  int nx, ny;
} sizes[] = {{5, 5},   {9, 9},   {17, 33}, {33, 33},   {65, 65},   {70, 40},
             {40, 90}, {91, 91}, {130, 7}, {129, 129}, {257, 257}, {300, 200}};

enum { SIZES = sizeof sizes / sizeof *sizes };

/* Conductivities of blocks in a matrix of 1 W/(m K): none; such that all levels have passes; such that one small level or
 * another is smoothed on segments; such that all from 33 x 33 nodes on are, W/(m K). */
static const double blocks[] = {1.0, 3.0, 40.0, 300.0};

enum { KINDS = sizeof blocks / sizeof *blocks };

struct plate {
  int nx, ny;
  double block_w_mk;
};

/* Of the cell whose lower left node is (i, j): 0 outside. */
static double conductivity(const struct plate *p, int i, int j)
{
  if (i < 0 || j < 0 || i >= p->nx - 1 || j >= p->ny - 1) return 0.0;
  return (i / 11 + j / 7) % 3 == 0 ? p->block_w_mk : 1.0;
}

/* Held in the west and at a node inside, cooled in the north, insulated elsewhere. */
static struct hs_node_law law_of(void *context, int i, int j)
{
  const struct plate *p = context;
  const double southwest = conductivity(p, i - 1, j - 1), southeast = conductivity(p, i, j - 1),
               northwest = conductivity(p, i - 1, j), northeast = conductivity(p, i, j);
  struct hs_node_law law = {0.5 * (southwest + northwest),
                            0.5 * (southeast + northeast),
                            0.5 * (southwest + southeast),
                            0.5 * (northwest + northeast),
                            .source_w_m = 1e-3 * (1 + (i * 7 + j * 3) % 5),
                            .capacity_j_mk = 1.0};
  if (j == p->ny - 1) law.ambient_w_mk = 0.01;
  if (i > 0 && (i != p->nx / 2 || j != p->ny / 2)) return law;
  return (struct hs_node_law){.dirichlet = true, .dirichlet_k = i > 0 ? -1.0 : 2.0};
}

static struct hs_system *system_of(struct plate plate)
{
  return test_system_of_laws(plate.nx, plate.ny, 1.0, 1.0, law_of, &plate);
}

static bool runs_here(const struct hs_backend *backend, const struct hs_system *s)
{
  const struct hs_backend_options options = {.threads = 1};
  struct hs_error why = {0};
  return backend->linear && backend->create && !backend->probe(s, &options, &why);
}

/* --- cycles ---------------------------------------------------------------------------------- */

/* Levels, and what their cycles make of heat that goes into the free nodes, another one each time: the last u. */
static void cycles_make(const struct hs_linear *linear, const struct hs_system *s, struct hs_levels *l, double *u)
{
  const struct hs_backend_options options = {.threads = 1};
  struct test_random random = {12345};
  double *heat = test_field(s);
  struct hs_error err = {0};
  test_ok(hs_levels_create(linear, s, &options, NULL, l, &err), &err);
  for (int cycle = 0; cycle < CYCLES; cycle++) {
    for (size_t n = 0; n < (size_t)s->nx * (size_t)s->ny; n++) {
      const double value = test_random_normal(&random);
      heat[n] = s->law[hs_system_index(s, n)].dirichlet ? 0.0 : value;
    }
    test_ok(linear->load(l->level[0].op, heat, l->level[0].f, &err), &err);
    if (cycle % NESTED_AT == NESTED_AT - 1) test_ok(hs_levels_nested(l, &err), &err);
    test_ok(hs_levels_cycle(l, &err), &err);
  }
  test_ok(linear->fetch(l->level[0].op, l->level[0].u, u, &err), &err);
  free(heat);
}

/* Not the sign of a 0 at held nodes. */
static void values_same(const char *what, const struct hs_system *s, const double *wanted, const double *got)
{
  for (int n = 0; n < s->nx * s->ny; n++)
    if (!(wanted[n] == got[n]))
      fail_msg("%s, %d x %d nodes, at %d, %d: %a, must be %a", what, s->nx, s->ny, n % s->nx, n / s->nx, got[n],
               wanted[n]);
}

/* By a backend's operations, with and without the one for the last levels. Returns how many levels that took. */
static int cycles_compare(const char *name, const struct hs_linear *linear, const struct hs_system *s,
                          const double *wanted)
{
  struct hs_linear without = *linear;
  double *got = test_field(s);
  struct hs_levels l;
  int taken;
  cycles_make(linear, s, &l, got);
  taken = l.count - l.tail;
  assert_true(taken == 0 || (taken > 1 && linear->cycle_tail));
  hs_levels_clear(&l);
  values_same(name, s, wanted, got);
  without.tail = NULL;
  without.cycle_tail = NULL;
  cycles_make(&without, s, &l, got);
  assert_int_equal(l.tail, l.count);
  hs_levels_clear(&l);
  values_same(name, s, wanted, got);
  free(got);
  return taken;
}

static void cycles_are_the_same(void **state)
{
  (void)state;
  for (int k = 0; k < KINDS * SIZES; k++) {
    struct hs_system *s = system_of((struct plate){sizes[k / KINDS].nx, sizes[k / KINDS].ny, blocks[k % KINDS]});
    double *wanted = test_field(s);
    struct hs_levels l;
    cycles_make(&hs_linear_reference, s, &l, wanted);
    hs_levels_clear(&l);
    for (const struct hs_backend *const *one = hs_backend_list(); *one; one++) {
      int taken;
      if (!runs_here(*one, s)) continue;
      taken = cycles_compare((*one)->name, (*one)->linear, s, wanted);
      if ((*one)->linear->tail && s->nx >= 17 && s->ny >= 17) assert_true(taken > 1);
    }
    free(wanted);
    hs_system_destroy(s);
  }
}

/* --- whole solutions ------------------------------------------------------------------------- */

static struct hs_solve_outcome solve(const struct hs_system *s, const struct hs_backend *backend, double *end_k)
{
  const struct hs_backend_options options = {.threads = 1};
  struct hs_solve_settings settings = {
      .quantity = HS_STOP_ERROR, .tolerance = 1e-7, .max_iterations = 100, .method = HS_METHOD_MULTIGRID};
  struct hs_solve_outcome outcome;
  struct hs_backend_state *state;
  struct hs_error err = {0};
  double *start_k = test_field(s);
  test_ok(backend->create(s, &options, &state, &err), &err);
  test_ok(backend->load(state, start_k, &err), &err);
  test_ok(hs_multigrid_create(backend, s, &options, NULL, &settings.multigrid, &err), &err);
  test_ok(hs_solve(s, &settings, backend, state, NULL, &outcome, &err), &err);
  test_ok(backend->fetch(state, end_k, &err), &err);
  hs_multigrid_destroy(settings.multigrid);
  backend->destroy(state);
  free(start_k);
  return outcome;
}

static void solutions_are_the_same(void **state)
{
  (void)state;
  for (int k = 0; k < KINDS * SIZES; k++) {
    struct hs_system *s = system_of((struct plate){sizes[k / KINDS].nx, sizes[k / KINDS].ny, blocks[k % KINDS]});
    double *wanted_k = test_field(s), *got_k = test_field(s);
    struct hs_solve_outcome wanted = solve(s, &hs_backend_reference, wanted_k);
    assert_int_equal(wanted.verdict, HS_VERDICT_CONVERGED);
    for (const struct hs_backend *const *one = hs_backend_list(); *one; one++) {
      struct hs_solve_outcome got;
      if (*one == &hs_backend_reference || !runs_here(*one, s)) continue;
      got = solve(s, *one, got_k);
      test_fields_same((*one)->name, wanted_k, got_k, s->nx, s->ny);
      assert_int_equal(got.sweeps, wanted.sweeps);
      assert_true(test_same(got.error_estimate_k, wanted.error_estimate_k));
      hs_solve_outcome_clear(&got);
    }
    hs_solve_outcome_clear(&wanted);
    free(got_k);
    free(wanted_k);
    hs_system_destroy(s);
  }
}

/* --- which levels ---------------------------------------------------------------------------- */

/* What the operation below was asked for; how many levels it takes. */
static struct {
  int most, offered, segments, calls;
} asked;

static int tail_of(struct hs_operator *const *op, const bool *segments, int count)
{
  assert_true(count > 1);
  asked.segments = 0;
  for (int k = 1; k < count; k++) {
    const struct hs_grid fine = hs_linear_cpu.grid(op[k - 1]), coarse = hs_linear_cpu.grid(op[k]);
    assert_int_equal(coarse.nx, (fine.nx + 1) / 2);
    assert_int_equal(coarse.ny, (fine.ny + 1) / 2);
    asked.segments += segments[k - 1];
  }
  asked.offered = count;
  return asked.most < 2 ? 0 : asked.most < count ? asked.most : count;
}

/* The passes over a level's segments, in pairs: u, v[0], is where it was. */
static hs_status segments_relax(struct hs_operator *op, struct hs_vector *const v[3], double weight, bool backwards,
                                struct hs_error *err)
{
  hs_status status = HS_OK;
  for (int k = 0; !status && k < HS_SEGMENT_PASSES; k++) {
    const struct hs_segments s = hs_segments_of_pass(backwards ? HS_SEGMENT_PASSES - 1 - k : k, weight);
    status = hs_linear_cpu.cycle_segments(op, v[k % 2 ? 2 : 0], v[1], &s, v[k % 2 ? 0 : 2], err);
  }
  return status;
}

static hs_status down(struct hs_operator *const op[2], bool segments, const double weights[3],
                      struct hs_vector *const v[2][3], struct hs_error *err)
{
  const struct hs_linear *cpu = &hs_linear_cpu;
  hs_status status;
  if (!segments) return cpu->cycle_down(op[0], v[0][1], weights, v[0][0], op[1], v[1][1], err);
  status = cpu->cycle_start(op[0], v[0][1], 0.0, v[0][0], err);
  if (!status) status = segments_relax(op[0], v[0], weights[2], false, err);
  return status ? status : cpu->cycle_restrict(op[0], v[0][0], v[0][1], v[0][2], op[1], v[1][1], err);
}

static hs_status up(struct hs_operator *const op[2], bool segments, const double weights[3],
                    struct hs_vector *const v[2][3], struct hs_error *err)
{
  const struct hs_linear *cpu = &hs_linear_cpu;
  const double back[2] = {weights[1], weights[0]};
  hs_status status;
  if (segments) {
    status = cpu->cycle_prolong(op[0], op[1], v[1][0], v[0][0], err);
    return status ? status : segments_relax(op[0], v[0], weights[2], true, err);
  }
  status = cpu->cycle_up(op[0], op[1], v[1][0], v[0][1], back, v[0][0], v[0][2], err);
  return status ? status : cpu->copy(op[0], v[0][2], v[0][0], err);
}

/* Level by level, in vectors of its own. */
static hs_status cycle_tail(struct hs_operator *const *op, const bool *segments, int count, const struct hs_vector *f,
                            const double weights[3], struct hs_vector *u, struct hs_error *err)
{
  const struct hs_linear *cpu = &hs_linear_cpu;
  struct hs_vector *v[HS_LEVELS_MOST][3]; /* u, f, room */
  hs_status status = HS_OK;
  asked.calls++;
  for (int k = 0; k < 3 * count; k++) test_ok(cpu->vector_create(op[k / 3], true, &v[k / 3][k % 3], err), err);
  status = cpu->copy(op[0], f, v[0][1], err);
  for (int k = 0; !status && k + 1 < count; k++) status = down(op + k, segments[k], weights, v + k, err);
  if (!status) status = cpu->cycle_solve(op[count - 1], v[count - 1][1], v[count - 1][0], err);
  for (int k = count - 2; !status && k >= 0; k--) status = up(op + k, segments[k], weights, v + k, err);
  if (!status) status = cpu->copy(op[0], v[0][0], u, err);
  for (int k = 0; k < 3 * count; k++) cpu->vector_destroy(v[k / 3][k % 3]);
  return status;
}

/* A tail of two levels and more, up to all of them. Returns how many of them are smoothed on segments. */
static int levels_take(double block_w_mk)
{
  struct hs_linear linear = hs_linear_cpu;
  struct hs_system *s = system_of((struct plate){70, 90, block_w_mk});
  double *wanted = test_field(s), *got = test_field(s);
  struct hs_levels l;
  int levels;
  linear.tail = tail_of;
  linear.cycle_tail = cycle_tail;
  cycles_make(&hs_linear_reference, s, &l, wanted);
  levels = l.count;
  hs_levels_clear(&l);
  assert_true(levels > 4);
  for (int most = 0; most <= levels; most++) {
    asked.most = most;
    asked.calls = 0;
    cycles_make(&linear, s, &l, got);
    assert_int_equal(asked.offered, levels);
    assert_int_equal(l.count - l.tail, most < 2 ? 0 : most);
    assert_int_equal(asked.calls, most < 2 ? 0 : CYCLES + CYCLES / NESTED_AT); /* nested iteration makes one here */
    hs_levels_clear(&l);
    values_same("with a tail", s, wanted, got);
  }
  free(got);
  free(wanted);
  hs_system_destroy(s);
  return asked.segments;
}

static void levels_are_taken_at_once(void **state)
{
  (void)state;
  assert_int_equal(levels_take(blocks[1]), 0);
  assert_true(levels_take(blocks[2]) > 0);
}

/* Only levels with passes or segments that end the cycle are offered: on 300 x 4 nodes the last ones are coarsened along x
 * alone. */
static void levels_without_passes_are_not_offered(void **state)
{
  struct hs_linear linear = hs_linear_cpu;
  struct hs_system *s = system_of((struct plate){300, 4, blocks[0]});
  double *u = test_field(s);
  struct hs_levels l;
  (void)state;
  linear.tail = tail_of;
  linear.cycle_tail = cycle_tail;
  asked.most = HS_LEVELS_MOST;
  asked.offered = asked.calls = 0;
  cycles_make(&linear, s, &l, u);
  assert_true(l.level[0].passes && !l.level[l.count - 2].passes);
  assert_int_equal(l.tail, l.count);
  assert_int_equal(asked.offered, 0);
  assert_int_equal(asked.calls, 0);
  hs_levels_clear(&l);
  free(u);
  hs_system_destroy(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(cycles_are_the_same), cmocka_unit_test(solutions_are_the_same),
                                     cmocka_unit_test(levels_are_taken_at_once),
                                     cmocka_unit_test(levels_without_passes_are_not_offered)};
  return cmocka_run_group_tests_name("the last levels of a cycle", tests, NULL, NULL);
}
