/* The operators of multigrid on rows (cpu) against the plain loops (cpu-reference), bit for bit: operators of random
 * systems and of awkward sizes, every operation. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/pairs.h"

enum { LEVELS = 5, LARGEST = 40, THREADS = 3 };

/* same: where the second one has its rows. */
static void arrays_same(const char *what, const struct hs_grid *g, const double *a, const double *b,
                        const int32_t *same)
{
  for (int j = 0; j < g->ny; j++)
    for (int i = 0; i < g->nx; i++) {
      const double x = a[hs_grid_at(g, i, j)], y = b[hs_host_row(g, same, j) + (size_t)i];
      if (!test_same(x, y))
        fail_msg("problem %llu, coarser %s at %d, %d of %d x %d: %a, by rows %a", pair_seed, what, i, j, g->nx, g->ny,
                 x, y);
    }
}

/* --- the cycle ------------------------------------------------------------------------------- */

/* Those of the cycle, and then such as parts of a grid have: of some of the nodes, whatever the place of the cuts. */
static void segments_are_the_same(struct pair *p, int pass, struct test_random *random)
{
  const struct hs_grid g = p->op[0]->grid;
  struct hs_segments segments = {.along_x = pass % 2, .shift = pass / 2 * 16, .weight = 0.8};
  struct hs_error err = {0};
  if (pass >= 4) {
    const int nodes = segments.along_x ? g.nx : g.ny;
    segments.shift = test_random_integer(random, 0, HS_SEGMENT - 1);
    segments.first = test_random_integer(random, 0, nodes - 1);
    segments.end = test_random_integer(random, segments.first + 1, nodes);
    vectors_fill(&g, random, p->to);
  }
  for (int k = 0; k < 2; k++)
    test_ok(p->linear[k]->cycle_segments(p->op[k], p->u[k], p->f[k], &segments, p->to[k], &err), &err);
  values_same("segments", &g, p->to[0], p->to[1]);
}

static void smoothing_is_the_same(struct pair *p, struct test_random *random)
{
  const struct hs_grid g = p->op[0]->grid;
  struct hs_error err = {0};
  vectors_fill(&g, random, p->f);
  for (int k = 0; k < 2; k++) test_ok(p->linear[k]->cycle_start(p->op[k], p->f[k], 0.7, p->u[k], &err), &err);
  values_same("start", &g, p->u[0], p->u[1]);
  vectors_fill(&g, random, p->u);
  for (int k = 0; k < 2; k++) test_ok(p->linear[k]->cycle_relax(p->op[k], p->u[k], p->f[k], 1.3, p->to[k], &err), &err);
  values_same("relax", &g, p->to[0], p->to[1]);
  for (int pass = 0; pass < 6; pass++) segments_are_the_same(p, pass, random);
}

static void condensation_is_the_same(struct pair *p, struct pair *coarse, struct test_random *random)
{
  const struct hs_grid g = p->op[0]->grid, c = coarse->op[0]->grid;
  struct hs_error err = {0};
  vectors_fill(&g, random, p->f);
  vectors_fill(&g, random, p->u);
  for (int k = 0; k < 2; k++)
    test_ok(p->linear[k]->cycle_condense(p->op[k], p->f[k], p->u[k], p->to[k], coarse->op[k], coarse->f[k], &err),
            &err);
  values_same("condense", &g, p->u[0], p->u[1]);
  values_same("condensed", &c, coarse->f[0], coarse->f[1]);
}

/* The passes against start, relax and restrict, and prolong, relax and relax. */
static void passes_are_the_same(struct pair *p, struct pair *coarse, struct test_random *random)
{
  static const double weights[2] = {0.55, 1.45};
  const struct hs_linear *plain = p->linear[0], *rows = p->linear[1];
  const struct hs_grid g = p->op[0]->grid, c = coarse->op[0]->grid;
  struct hs_operator *op = p->op[0];
  struct hs_error err = {0};
  vectors_fill(&g, random, p->f);
  test_ok(plain->cycle_start(op, p->f[0], weights[0], p->to[0], &err), &err);
  test_ok(plain->cycle_relax(op, p->to[0], p->f[0], weights[1], p->u[0], &err), &err);
  test_ok(plain->cycle_restrict(op, p->u[0], p->f[0], p->to[0], coarse->op[0], coarse->f[0], &err), &err);
  test_ok(rows->cycle_down(p->op[1], p->f[1], weights, p->u[1], coarse->op[1], coarse->f[1], &err), &err);
  values_same("down", &g, p->u[0], p->u[1]);
  values_same("down to the coarser grid", &c, coarse->f[0], coarse->f[1]);
  vectors_fill(&c, random, coarse->u);
  test_ok(rows->cycle_up(p->op[1], coarse->op[1], coarse->u[1], p->f[1], weights, p->u[1], p->to[1], &err), &err);
  test_ok(plain->cycle_prolong(op, coarse->op[0], coarse->u[0], p->u[0], &err), &err);
  test_ok(plain->cycle_relax(op, p->u[0], p->f[0], weights[0], p->to[0], &err), &err);
  test_ok(plain->cycle_relax(op, p->to[0], p->f[0], weights[1], p->u[0], &err), &err);
  values_same("up", &g, p->u[0], p->to[1]);
  vectors_fill(&g, random, p->u);
  for (int k = 0; k < 2; k++)
    test_ok(p->linear[k]->cycle_restrict(p->op[k], p->u[k], p->f[k], p->to[k], coarse->op[k], coarse->f[k], &err),
            &err);
  values_same("restrict", &c, coarse->f[0], coarse->f[1]);
  for (int k = 0; k < 2; k++)
    test_ok(p->linear[k]->cycle_prolong(p->op[k], coarse->op[k], coarse->u[k], p->u[k], &err), &err);
  values_same("prolong", &g, p->u[0], p->u[1]);
}

static void coarsening_is_the_same(struct pair *p, struct pair *coarse, struct test_random *random)
{
  const struct hs_grid g = p->op[0]->grid;
  struct hs_level_shares shares[2];
  struct hs_error err = {0};
  const int kind = test_random_integer(random, 0, 3); /* 0, 1: both */
  const bool x = g.nx > 3 && (kind < 3 || g.ny <= 3), y = g.ny > 3 && (kind != 2 || g.nx <= 3);
  for (int k = 0; k < 2; k++) {
    bool passes = k == 1;
    test_ok(p->linear[k]->shares(p->op[k], &shares[k], &err), &err);
    coarse->linear[k] = p->linear[k];
    test_ok(p->linear[k]->coarsen(p->op[k], x, y, &passes, &coarse->op[k], &err), &err);
  }
  assert_memory_equal(&shares[0], &shares[1], sizeof shares[0]);
  {
    const struct hs_operator *a = coarse->op[0], *b = coarse->op[1];
    arrays_same("east", &a->grid, a->exact.east, b->exact.east, b->same);
    arrays_same("north", &a->grid, a->exact.north, b->exact.north, b->same);
    arrays_same("northeast", &a->grid, a->exact.northeast, b->exact.northeast, b->same);
    arrays_same("northwest", &a->grid, a->exact.northwest, b->exact.northwest, b->same);
    arrays_same("sum", &a->grid, a->exact.sum, b->exact.sum, b->same);
  }
  pair_create(coarse);
}

/* --- conjugate gradients --------------------------------------------------------------------- */

static void residual_is_the_same(struct pair *p, struct hs_vector *v[4][2], struct test_random *random)
{
  const struct hs_grid g = p->op[0]->grid;
  struct hs_residual_norms norms[2];
  struct hs_right_side right[2];
  struct hs_error err = {0};
  rights_choose(p, v, random, right);
  for (int k = 0; k < 2; k++)
    test_ok(p->linear[k]->residual(p->op[k], v[0][k], &right[k], v[3][k], &norms[k], &err), &err);
  values_same("residual", &g, v[3][0], v[3][1]);
  norms_same("residual", &norms[0], &norms[1]);
  assert_true(test_same(norms[0].mean, norms[1].mean));
}

static void corrections_same(const struct hs_correction *a, const struct hs_correction *b)
{
  norms_same("a correction's residual", &a->residual, &b->residual);
  assert_true(test_same(a->zr, b->zr) && test_same(a->z_az, b->z_az) && test_same(a->p_az, b->p_az));
  assert_true(test_same(a->max, b->max) && test_same(a->behind_max, b->behind_max));
}

/* f of a step is what the residual of the new iterate becomes in single precision. */
static void step_is_the_same(struct pair *p, struct hs_vector *v[4][2], struct hs_vector *direction[2][2],
                             struct test_random *random)
{
  const struct hs_grid g = p->op[0]->grid;
  const double alpha = test_random_normal(random);
  struct hs_right_side right[2];
  struct hs_error err = {0};
  rights_choose(p, v, random, right);
  for (int k = 0; k < 2; k++) {
    struct hs_linear_step step = {p->u[k], 0.125,           0.3,     direction[0][k], alpha, v[0][k], right[k],
                                  0x1p20,  direction[1][k], v[3][k], p->f[k]};
    struct hs_residual_norms norms;
    if (p->op[0]->singular) step.right.mean = 0.375;
    test_ok(p->linear[k]->advance(p->op[k], &step, &err), &err);
    if (k == 1 || p->op[0]->singular) continue;
    test_ok(p->linear[k]->residual(p->op[k], v[3][k], &right[k], v[0][k], &norms, &err), &err);
    test_ok(p->linear[k]->round(p->op[k], v[0][k], 0x1p20, p->to[k], &err), &err);
    values_same("the residual after a step", &g, p->f[k], p->to[k]);
    test_ok(p->linear[k]->copy(p->op[k], v[0][1], v[0][k], &err), &err);
  }
  values_same("the direction", &g, direction[1][0], direction[1][1]);
  values_same("the iterate", &g, v[3][0], v[3][1]);
  values_same("the residual in single precision", &g, p->f[0], p->f[1]);
}

static void founds_same(const struct hs_richardson_found *a, const struct hs_richardson_found *b)
{
  norms_same("a step along z", &a->residual, &b->residual);
  if (!test_same(a->z_max, b->z_max))
    fail_msg("problem %llu, largest of z: %a, by rows %a", pair_seed, a->z_max, b->z_max);
}

static struct hs_rectangle part_choose(const struct hs_rectangle *all, struct test_random *random)
{
  struct hs_rectangle part = *all;
  if (test_random_integer(random, 0, 2) > 0) return part;
  part.x0 = test_random_integer(random, 0, all->nx - 1);
  part.y0 = test_random_integer(random, 0, all->ny - 1);
  part.nx = test_random_integer(random, 1, all->nx - part.x0);
  part.ny = test_random_integer(random, 1, all->ny - part.y0);
  return part;
}

/* A step along z alone, by operators one in three of which own a part of the grid. */
static void richardson_is_the_same(struct pair *p, struct hs_vector *v[4][2], struct test_random *random)
{
  const struct hs_grid g = p->op[0]->grid;
  const double length = test_random_normal(random);
  const struct hs_rectangle all = p->op[0]->own, own = part_choose(&all, random);
  struct hs_richardson_found found[2];
  struct hs_right_side right[2];
  struct hs_error err = {0};
  rights_choose(p, v, random, right);
  for (int k = 0; k < 2; k++) {
    const struct hs_richardson step = {p->u[k], 0x1p-3, length, v[0][k], right[k], 0x1p20, v[3][k], p->f[k]};
    hs_host_own(p->op[k], &own);
    test_ok(p->linear[k]->richardson(p->op[k], &step, &found[k], &err), &err);
    hs_host_own(p->op[k], &all);
  }
  values_same("the iterate along z", &g, v[3][0], v[3][1]);
  values_same("the residual after a step along z", &g, p->f[0], p->f[1]);
  founds_same(&found[0], &found[1]);
}

static void change_is_of_free_nodes(const struct hs_operator *op, const struct hs_vector *x,
                                    const struct hs_vector *start, const struct hs_vector *d)
{
  const struct hs_grid *g = &op->grid;
  for (int j = 0; j < g->ny; j++)
    for (int i = 0; i < g->nx; i++) {
      const size_t n = hs_grid_at(g, i, j);
      const bool is_free = op->balance[hs_host_entry(op, i, j)].free > 0.0;
      assert_true(d->single[n] == (is_free ? (float)(x->twice[n] - start->twice[n]) : 0.0F));
    }
}

/* Every second node, backwards. */
static void picked_as_fetched(const struct hs_linear *linear, const struct hs_operator *op,
                              const struct hs_vector *twice, const struct hs_vector *single)
{
  const int64_t nodes = (int64_t)op->system->nx * op->system->ny;
  const struct hs_vector *const v[HS_PICKED] = {twice, single};
  int64_t *node = calloc((size_t)nodes, sizeof *node), count = 0;
  double *values[HS_PICKED], *all = test_field(op->system);
  struct hs_error err = {0};
  assert_non_null(node);
  for (int64_t n = nodes - 1; n >= 0; n -= 2) node[count++] = n;
  for (int k = 0; k < HS_PICKED; k++) values[k] = test_field(op->system);
  test_ok(linear->pick(op, v, node, count, values, &err), &err);
  for (int k = 0; k < HS_PICKED; k++) {
    test_ok(linear->fetch(op, v[k], all, &err), &err);
    for (int64_t c = 0; c < count; c++) assert_true(test_same(values[k][c], all[node[c]]));
    free(values[k]);
  }
  free(all);
  free(node);
}

static void gradients_are_the_same(struct pair *p, struct test_random *random)
{
  const struct hs_grid g = p->op[0]->grid;
  const bool along = test_random_integer(random, 0, 3) > 0;
  struct hs_vector *v[4][2]; /* x, two for a right-hand side, and a result */
  struct hs_vector *direction[2][2];
  struct hs_correction found[2];
  struct hs_error err = {0};
  for (int k = 0; k < 4; k++) vectors_create(p, false, v[k]);
  for (int k = 0; k < 4; k++) vectors_fill(&g, random, v[k]);
  for (int k = 0; k < 2; k++) vectors_create(p, true, direction[k]);
  for (int k = 0; k < 2; k++) vectors_fill(&g, random, direction[k]);
  residual_is_the_same(p, v, random);
  for (int k = 0; k < 2; k++) picked_as_fetched(p->linear[k], p->op[k], v[0][k], direction[0][k]);
  for (int k = 0; k < 2; k++) test_ok(p->linear[k]->round(p->op[k], v[1][k], 0x1p40, p->f[k], &err), &err);
  values_same("round", &g, p->f[0], p->f[1]);
  vectors_fill(&g, random, p->u);
  for (int k = 0; k < 2; k++) {
    const struct hs_examination of = {p->u[k], 0x1p-3, p->f[k], 0x1p-40, along ? direction[0][k] : NULL, 0.77};
    test_ok(p->linear[k]->examine(p->op[k], &of, &found[k], &err), &err);
  }
  values_same("the correction", &g, p->u[0], p->u[1]);
  corrections_same(&found[0], &found[1]);
  step_is_the_same(p, v, direction, random);
  for (int k = 0; k < 2; k++) test_ok(p->linear[k]->copy(p->op[k], v[3][k], v[0][k], &err), &err);
  residual_is_the_same(p, v, random); /* from ghosts as they were left */
  richardson_is_the_same(p, v, random);
  for (int k = 0; k < 2; k++) test_ok(p->linear[k]->change(p->op[k], v[0][k], v[2][k], direction[0][k], &err), &err);
  values_same("the change", &g, direction[0][0], direction[0][1]);
  change_is_of_free_nodes(p->op[0], v[0][0], v[2][0], direction[0][0]);
  for (int k = 0; k < 2; k++) test_ok(p->linear[k]->copy(p->op[k], v[3][k], v[0][k], &err), &err);
  residual_is_the_same(p, v, random); /* from ghosts as they were left */
  for (int k = 0; k < 4; k++) vectors_destroy(v[k]);
  for (int k = 0; k < 2; k++) vectors_destroy(direction[k]);
}

/* --- systems --------------------------------------------------------------------------------- */

static struct hs_backend_options options_at_random(struct test_random *random)
{
  static const char *const isas[] = {NULL, "baseline", "avx2", "avx512"};
  struct hs_backend_options options = {.threads = test_random_integer(random, 1, THREADS),
                                       .testing = {.every_thread = true}};
  struct hs_error why = {0};
  options.testing.isa = isas[test_random_integer(random, 0, 3)];
  if (hs_backend_cpu.probe(NULL, &options, &why)) options.testing.isa = NULL;
  return options;
}

static void system_compare(struct test_random *random, struct hs_system *s)
{
  const struct hs_backend_options options = options_at_random(random);
  struct pair level[LEVELS] = {{.linear = {&hs_linear_reference, &hs_linear_cpu}}};
  struct hs_error err = {0};
  int count = 1;
  for (int k = 0; k < 2; k++) test_ok(level->linear[k]->create(s, &options, NULL, &level->op[k], &err), &err);
  pair_create(level);
  gradients_are_the_same(level, random);
  for (; count < LEVELS && (level[count - 1].op[0]->grid.nx > 3 || level[count - 1].op[0]->grid.ny > 3); count++)
    coarsening_is_the_same(&level[count - 1], &level[count], random);
  for (int k = 0; k < count; k++) smoothing_is_the_same(&level[k], random);
  for (int k = 0; k + 1 < count; k++) {
    passes_are_the_same(&level[k], &level[k + 1], random);
    condensation_is_the_same(&level[k], &level[k + 1], random);
  }
  for (int k = count - 1; k >= 0; k--) pair_destroy(&level[k]);
  hs_system_destroy(s);
}

/* HEATSOLVE_SOAK=FIRST-LAST: these seeds instead of the usual ones. */
static void seeds(unsigned long long *first, unsigned long long *last)
{
  const char *soak = getenv("HEATSOLVE_SOAK");
  *first = 0;
  if (soak) assert_int_equal(sscanf(soak, "%llu-%llu", first, last), 2);
}

static void rows_do_what_plain_loops_do(void **state)
{
  unsigned long long first, last = 299;
  (void)state;
  seeds(&first, &last);
  for (pair_seed = first; pair_seed <= last; pair_seed++) {
    struct test_random random = {pair_seed};
    const struct traits traits = random_traits(&random);
    const bool wide = test_random_integer(&random, 0, 9) == 0;
    const int nx = test_random_integer(&random, 2, wide ? 700 : LARGEST), ny = test_random_integer(&random, 2, LARGEST);
    system_compare(&random, random_system(&random, nx, ny, &traits));
  }
}

/* Layers and blocks on tall grids: most rows are like those beside them, on several levels, whichever directions are coarsened. */
static void rows_that_repeat_others(void **state)
{
  static const bool along[3][2] = {{true, true}, {true, false}, {false, true}};
  unsigned long long first, last = 99;
  int64_t left_out[3] = {0, 0, 0}, rows[3] = {0, 0, 0};
  (void)state;
  seeds(&first, &last);
  for (pair_seed = first; pair_seed <= last; pair_seed++) {
    struct test_random random = {pair_seed};
    const struct traits traits = {-1, -1, false, test_random_integer(&random, 0, 1), HS_SCHEME_STEADY, true, false};
    const int nx = test_random_integer(&random, 3, 40), ny = test_random_integer(&random, 30, 400);
    const struct hs_backend_options options = {.threads = 1};
    struct hs_system *s = random_system(&random, nx, ny, &traits);
    struct hs_operator *op = NULL, *coarse = NULL;
    struct hs_error err = {0};
    bool passes = true;
    for (int k = 0; k < 3; k++) {
      test_ok(hs_linear_cpu.create(s, &options, NULL, &op, &err), &err);
      test_ok(hs_linear_cpu.coarsen(op, along[k][0], along[k][1], &passes, &coarse, &err), &err);
      for (int j = 0; j < coarse->grid.ny; j++) left_out[k] += coarse->same && coarse->same[j + 1] != j;
      rows[k] += coarse->grid.ny;
      hs_linear_cpu.destroy(coarse);
      hs_linear_cpu.destroy(op);
    }
    system_compare(&random, s);
  }
  for (int k = 0; k < 3; k++) assert_true(left_out[k] > rows[k] / 2);
}

/* Wide grids whose nodes all differ from those beside them: entries are looked up, many at once. */
static void rows_without_runs(void **state)
{
  (void)state;
  for (pair_seed = 0; pair_seed < 20; pair_seed++) {
    struct test_random random = {pair_seed};
    const struct traits traits = {-1, -1, .sourced = true, .noise = true};
    const int nx = test_random_integer(&random, 100, 600), ny = test_random_integer(&random, 2, LARGEST);
    system_compare(&random, random_system(&random, nx, ny, &traits));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_do_what_plain_loops_do),
                                     cmocka_unit_test(rows_that_repeat_others), cmocka_unit_test(rows_without_runs)};
  return cmocka_run_group_tests_name("operators by rows", tests, NULL, NULL);
}
