/* Which levels are made of a backend's shares: the same whether it is asked level by level, or levels are foretold and mended. The
 * backend is one that has no arrays, and tells of each depth what a plan says. */
#include "solve/multigrid/levels.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { DEPTHS = 16, NX = 515, NY = 131 };

/* What the shares of a depth are. */
enum share { BOTH, ALONG_X, ALONG_Y, SEGMENTS };

struct hs_operator {
  struct hs_grid grid;
  int depth;
  bool asked, made, passes, weights,
      settled; /* made: what is coarser has been; with passes; with weights of single operations */
  struct hs_vector *vector;
};

struct hs_vector {
  int of;
};

static struct {
  enum share plan[DEPTHS];
  int waits, operators, vectors; /* the latter two: now */
  int answered;                  /* deepest operator whose shares the host has, by one wait for all that were made */
} team;

static hs_status op_create(int nx, int ny, int depth, struct hs_operator **result)
{
  *result = calloc(1, sizeof **result);
  assert_non_null(*result);
  (*result)->grid = (struct hs_grid){.nx = nx, .ny = ny, .pitch = nx + 3};
  (*result)->depth = depth;
  team.operators++;
  return HS_OK;
}

static hs_status create(const struct hs_system *system, const struct hs_backend_options *options,
                        const struct hs_backend_state *state, struct hs_operator **result, struct hs_error *err)
{
  (void)system, (void)options, (void)state, (void)err;
  return op_create(NX, NY, 0, result);
}

static void destroy(struct hs_operator *op)
{
  if (!op) return;
  free(op);
  team.operators--;
}

static struct hs_grid grid(const struct hs_operator *op)
{
  return op->grid;
}

static hs_status shares(struct hs_operator *op, struct hs_level_shares *shares, struct hs_error *err)
{
  const enum share plan = op->depth < DEPTHS ? team.plan[op->depth] : BOTH;
  (void)err;
  assert_false(op->asked);
  op->asked = true;
  *shares = (struct hs_level_shares){.free = 100};
  if (plan == ALONG_X) shares->x_semi = shares->x_segment = 90;
  if (plan == ALONG_Y) shares->y_semi = shares->y_segment = 90;
  if (plan == SEGMENTS) shares->x_segment = shares->y_segment = 10;
  if (op->depth >= team.answered) team.waits++;
  team.answered = DEPTHS;
  return HS_OK;
}

static hs_status coarsen(struct hs_operator *op, bool x, bool y, bool *passes, struct hs_operator **coarse,
                         struct hs_error *err)
{
  (void)err;
  assert_false(op->settled);
  *passes = *passes && x && y;
  op->made = true;
  op->passes = *passes;
  op->weights = !*passes;
  if (team.answered > op->depth + 1) team.answered = op->depth + 1;
  return op_create(x ? (op->grid.nx + 1) / 2 : op->grid.nx, y ? (op->grid.ny + 1) / 2 : op->grid.ny, op->depth + 1,
                   coarse);
}

static hs_status weights(struct hs_operator *op, struct hs_error *err)
{
  (void)err;
  assert_true(op->made && op->passes && !op->weights && !op->settled);
  op->passes = false;
  op->weights = true;
  return HS_OK;
}

static hs_status rows(struct hs_operator *op, double (*rows)[9], struct hs_error *err)
{
  (void)err;
  assert_false(op->settled);
  memset(rows, 0, (size_t)op->grid.nx * (size_t)op->grid.ny * sizeof *rows);
  return HS_OK;
}

static hs_status invert(struct hs_operator *op, const double *inverse, struct hs_error *err)
{
  assert_false(op->settled);
  (void)inverse, (void)err;
  return HS_OK;
}

static void settle(struct hs_operator *op)
{
  assert_false(op->settled);
  op->settled = true;
}

static hs_status vector_create(const struct hs_operator *op, bool single, struct hs_vector **v, struct hs_error *err)
{
  (void)single, (void)err;
  *v = calloc(1, sizeof **v);
  assert_non_null(*v);
  (*v)->of = op->depth;
  team.vectors++;
  return HS_OK;
}

static void vector_destroy(struct hs_vector *v)
{
  if (!v) return;
  free(v);
  team.vectors--;
}

static hs_status cycle_down(struct hs_operator *op, const struct hs_vector *f, const double w[2], struct hs_vector *u,
                            const struct hs_operator *coarse, struct hs_vector *coarse_f, struct hs_error *err)
{
  (void)op, (void)f, (void)w, (void)u, (void)coarse, (void)coarse_f, (void)err;
  return HS_OK;
}

static const struct hs_linear asked = {.create = create,
                                       .destroy = destroy,
                                       .grid = grid,
                                       .shares = shares,
                                       .coarsen = coarsen,
                                       .rows = rows,
                                       .invert = invert,
                                       .settle = settle,
                                       .vector_create = vector_create,
                                       .vector_destroy = vector_destroy,
                                       .cycle_down = cycle_down};

static void make(const struct hs_linear *linear, struct hs_levels *l)
{
  static const struct hs_system system = {.singular = false};
  struct hs_error err = {0};
  team.waits = team.answered = 0;
  test_ok(hs_levels_create(linear, &system, NULL, NULL, l, &err), &err);
  assert_int_equal(team.operators, l->count);
  assert_int_equal(team.vectors, 3 * l->count);
  for (int k = 0; k < l->count; k++) {
    const struct hs_level *level = &l->level[k];
    assert_true(level->op->settled);
    assert_true(level->op->depth == k && level->u->of == k);
    if (k + 1 == l->count) continue;
    assert_true(level->op->asked);
    assert_true(level->passes == (level->x && level->y && !level->segments));
    assert_true(level->op->passes == level->passes && level->op->weights == !level->passes);
  }
}

/* Both ways; the second one waits so often. */
static void plan(const enum share *of, int count, int waits)
{
  struct hs_linear foretold = asked;
  struct hs_levels one, other;
  memset(team.plan, 0, sizeof team.plan);
  memcpy(team.plan, of, (size_t)count * sizeof *of);
  foretold.weights = weights;
  make(&asked, &one);
  assert_int_equal(team.waits, one.count - 1);
  hs_levels_clear(&one);
  assert_int_equal(team.operators + team.vectors, 0);
  make(&asked, &one);
  team.operators = team.vectors = 0;
  make(&foretold, &other);
  assert_int_equal(team.waits, waits);
  assert_int_equal(one.count, other.count);
  for (int k = 0; k < one.count; k++) {
    const struct hs_level *a = &one.level[k], *b = &other.level[k];
    assert_true(a->x == b->x && a->y == b->y && a->segments == b->segments && a->passes == b->passes);
    assert_true(a->op->grid.nx == b->op->grid.nx && a->op->grid.ny == b->op->grid.ny);
  }
  hs_levels_clear(&other);
  assert_int_equal(team.operators + team.vectors, 0);
  hs_levels_clear(&one);
  team.operators = team.vectors = 0;
}

static void levels_are_the_same_however_they_are_found(void **state)
{
  static const enum share uniform[] = {BOTH}, oblong[] = {ALONG_X, ALONG_X, BOTH},
                          segments[] = {BOTH, SEGMENTS, BOTH, SEGMENTS}, turned[] = {BOTH, BOTH, SEGMENTS, ALONG_X},
                          last[] = {BOTH, BOTH, BOTH, BOTH, ALONG_Y, BOTH}, first[] = {SEGMENTS},
                          often[] = {BOTH, ALONG_X, BOTH, ALONG_Y, BOTH, ALONG_X};
  (void)state;
  plan(uniform, 1, 2);
  plan(oblong, 3, 4);
  plan(segments, 4, 2);
  plan(turned, 4, 4);
  plan(last, 6, 4);
  plan(first, 1, 2);
  plan(often, 6, 8);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(levels_are_the_same_however_they_are_found)};
  return cmocka_run_group_tests_name("levels", tests, NULL, NULL);
}
