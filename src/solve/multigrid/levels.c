/* Making the levels of multigrid. */
#include "solve/multigrid/levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { COARSEST = 32 }; /* unknowns that are solved for directly */

/* Only x is coarsened where the couplings along x are much larger than those along y at more than this share of the nodes,
 * and the reverse at less than the other; likewise y. */
static const double SEMI_SHARE = 0.30, SEMI_OTHER = 0.10;

/* Segments smooth where strong couplings lie along a direction that coarsening does not care for, at more than this share. */
static const double SEGMENT_SHARE = 0.03;

/* --- the coarsest level ---------------------------------------------------------------------- */

/* Cholesky factor of a matrix of unit diagonal, in its lower triangle. A pivot that is rounding drops its unknown: the
 * row becomes 0, and 1 on the diagonal. */
static void factorise(double *m, bool *dropped, int n)
{
  for (int k = 0; k < n; k++) {
    double pivot = m[k * n + k];
    for (int c = 0; c < k; c++) pivot -= m[k * n + c] * m[k * n + c];
    dropped[k] = !(pivot > 1e-14);
    m[k * n + k] = dropped[k] ? 1.0 : sqrt(pivot);
    for (int row = k + 1; row < n; row++) {
      double value = m[row * n + k];
      for (int c = 0; c < k; c++) value -= m[row * n + c] * m[k * n + c];
      m[row * n + k] = dropped[k] ? 0.0 : value / m[k * n + k];
    }
    for (int c = 0; dropped[k] && c < k; c++) m[k * n + c] = 0.0;
  }
}

/* Column `column` of the inverse by the factor. */
static void column_solve(const double *m, const bool *dropped, int n, int column, double *x)
{
  for (int k = 0; k < n; k++) {
    double value = k == column && !dropped[k] ? 1.0 : 0.0;
    for (int c = 0; c < k; c++) value -= m[k * n + c] * x[c];
    x[k] = value / m[k * n + k];
  }
  for (int k = n - 1; k >= 0; k--) {
    double value = x[k];
    for (int c = k + 1; c < n; c++) value -= m[c * n + k] * x[c];
    x[k] = dropped[k] ? 0.0 : value / m[k * n + k];
  }
}

/* The operator as a matrix, and the roots of its diagonal. */
static void matrix_fill(const struct hs_grid *g, double (*rows)[9], double *m, double *root)
{
  const int n = g->nx * g->ny;
  for (int row = 0; row < n; row++) {
    double diagonal = rows[row][4];
    for (int k = 0; k < 9; k++) {
      const int i = (row % g->nx + k % 3 - 1 + g->nx) % g->nx, j = (row / g->nx + k / 3 - 1 + g->ny) % g->ny;
      if (k == 4) continue;
      diagonal += rows[row][k];
      m[row * n + j * g->nx + i] -= rows[row][k];
    }
    m[row * n + row] += diagonal;
    root[row] = 1.0;
  }
  for (int row = 0; row < n; row++) {
    if (!(m[row * n + row] > 0.0)) m[row * n + row] = 1.0; /* a node without anything */
    root[row] = sqrt(m[row * n + row]);
  }
}

/* Scales to a unit diagonal. With constants as null space, their projection is added, which makes the matrix regular. */
static void matrix_scale(double *m, const double *root, int n, bool singular)
{
  double length = 0.0;
  for (int k = 0; k < n; k++) length += root[k] * root[k];
  for (int row = 0; row < n; row++)
    for (int c = 0; c < n; c++) {
      m[row * n + c] /= root[row] * root[c];
      if (singular) m[row * n + c] += root[row] * root[c] / length;
    }
}

hs_status hs_levels_invert(const struct hs_grid *grid, double (*rows)[9], bool singular, double *inverse,
                           struct hs_error *err)
{
  const int n = grid->nx * grid->ny;
  const size_t values = (size_t)n * (size_t)n;
  double *m = NULL, *root = NULL, *x = NULL;
  bool *dropped = NULL;
  hs_status status = hs_array_create((void **)&m, values, sizeof *m, "the coarsest level of multigrid", err);
  if (!status) status = hs_array_create((void **)&root, (size_t)n, sizeof *root, "a diagonal", err);
  if (!status) status = hs_array_create((void **)&x, (size_t)n, sizeof *x, "a column", err);
  if (!status) status = hs_array_create((void **)&dropped, (size_t)n, sizeof *dropped, "pivots", err);
  if (!status) {
    matrix_fill(grid, rows, m, root);
    matrix_scale(m, root, n, singular);
    factorise(m, dropped, n);
    for (int column = 0; column < n; column++) {
      column_solve(m, dropped, n, column, x);
      for (int k = 0; k < n; k++) inverse[k * n + column] = x[k] / (root[k] * root[column]);
    }
  }
  free(dropped);
  free(x);
  free(root);
  free(m);
  return status;
}

static hs_status coarsest_create(struct hs_levels *l, bool singular, struct hs_error *err)
{
  struct hs_operator *op = l->level[l->count - 1].op;
  const struct hs_grid grid = l->linear->grid(op);
  const size_t n = (size_t)grid.nx * (size_t)grid.ny;
  double(*rows)[9] = NULL, *inverse = NULL;
  hs_status status = hs_array_create((void **)&rows, n, sizeof *rows, "the coarsest level of multigrid", err);
  if (!status)
    status = hs_array_create((void **)&inverse, n * n, sizeof *inverse, "the coarsest level of multigrid", err);
  if (!status) status = l->linear->rows(op, rows, err);
  if (!status) status = hs_levels_invert(&grid, rows, singular, inverse, err);
  if (!status) status = l->linear->invert(op, inverse, err);
  free(inverse);
  free(rows);
  return status;
}

/* --- making the levels ----------------------------------------------------------------------- */

static double share(int64_t part, const struct hs_level_shares *s)
{
  return s->free > 0 ? (double)part / (double)s->free : 0.0;
}

/* Which directions are coarsened, and which smoother that leaves. */
static void coarsening_choose(const struct hs_grid *grid, const struct hs_level_shares *s, struct hs_level *level)
{
  const double x = share(s->x_semi, s), y = share(s->y_semi, s);
  const double along_x = share(s->x_segment, s), along_y = share(s->y_segment, s);
  level->x = grid->nx > 3;
  level->y = grid->ny > 3;
  if (level->x && level->y && x > SEMI_SHARE && y < SEMI_OTHER)
    level->y = false;
  else if (level->x && level->y && y > SEMI_SHARE && x < SEMI_OTHER)
    level->x = false;
  if (level->x && level->y)
    level->segments = fmax(along_x, along_y) > SEGMENT_SHARE;
  else
    level->segments = (level->x ? along_y : along_x) > SEGMENT_SHARE;
}

static hs_status vectors_create(const struct hs_linear *linear, struct hs_level *level, struct hs_error *err)
{
  hs_status status = linear->vector_create(level->op, true, &level->u, err);
  if (!status) status = linear->vector_create(level->op, true, &level->f, err);
  if (!status) status = linear->vector_create(level->op, true, &level->room, err);
  return status;
}

/* Which of the last levels, all coarsened in both directions and with passes or segments, the backend takes at once. */
static void tail_find(struct hs_levels *l)
{
  struct hs_operator *op[HS_LEVELS_MOST];
  bool segments[HS_LEVELS_MOST];
  int first = l->count - 1, count;
  for (; first > 0; first--) {
    const struct hs_level *level = &l->level[first - 1];
    if (!level->passes && !(level->segments && level->x && level->y)) break;
  }
  count = hs_levels_operators(l, first, op, segments);
  l->tail = l->count - (l->linear->tail && count > 1 ? l->linear->tail(op, segments, count) : 0);
}

/* Destroys the levels from the last one to that number. */
static void levels_drop(struct hs_levels *l, int last)
{
  if (l->cycle) l->linear->forget(l->cycle);
  l->cycle = NULL;
  l->single_cycles = 0;
  for (; l->count > last; l->count--) { /* the finest operator owns what all share */
    const struct hs_level *level = &l->level[l->count - 1];
    l->linear->vector_destroy(level->u);
    l->linear->vector_destroy(level->f);
    l->linear->vector_destroy(level->room);
    l->linear->destroy(level->op);
  }
}

/* How the last level is coarsened. The backend is asked, and has to wait for the answer; where it can mend a smoother later, only
 * to the first level that is coarsened in both directions: those below are taken to be so, too. *asked: the levels so far. */
static hs_status choose(struct hs_levels *l, int *asked, struct hs_error *err)
{
  struct hs_level *level = &l->level[l->count - 1];
  const struct hs_level *last = *asked > 0 ? &l->level[*asked - 1] : NULL;
  const struct hs_grid grid = l->linear->grid(level->op);
  struct hs_level_shares shares = {0};
  hs_status status = HS_OK;
  if (l->count <= *asked) return HS_OK;
  if (!(last && last->x && last->y && l->linear->weights)) {
    status = l->linear->shares(level->op, &shares, err);
    *asked = l->count;
  }
  coarsening_choose(&grid, &shares, level);
  level->passes = l->linear->cycle_down && !level->segments;
  return status;
}

/* Makes levels below the last one. */
static hs_status coarser_make(struct hs_levels *l, int *asked, struct hs_error *err)
{
  hs_status status = HS_OK;
  while (!status) {
    struct hs_level *level = &l->level[l->count - 1];
    const struct hs_grid grid = l->linear->grid(level->op);
    if (!level->u) status = vectors_create(l->linear, level, err);
    if (status || (double)grid.nx * grid.ny <= COARSEST || l->count == HS_LEVELS_MOST) break;
    status = choose(l, asked, err);
    if (status) break;
    level[1] = (struct hs_level){.op = NULL};
    status = l->linear->coarsen(level->op, level->x, level->y, &level->passes, &level[1].op, err);
    if (!status) l->count++;
    if (l->count - 1 <= *asked) l->linear->settle(level->op);
  }
  return status;
}

/* Asks those that have not been asked yet, and mends their smoothers. Drops the levels below one that is coarsened otherwise. */
static hs_status choices_check(struct hs_levels *l, int *asked, struct hs_error *err)
{
  hs_status status = HS_OK;
  while (!status && *asked < l->count - 1) {
    struct hs_level *level = &l->level[*asked], found = *level;
    const struct hs_grid grid = l->linear->grid(level->op);
    struct hs_level_shares shares;
    status = l->linear->shares(level->op, &shares, err);
    if (status) break;
    ++*asked;
    coarsening_choose(&grid, &shares, &found);
    found.passes = level->passes && !found.segments;
    if (found.x != level->x || found.y != level->y)
      levels_drop(l, *asked);
    else if (found.passes != level->passes)
      status = l->linear->weights(level->op, err);
    *level = found;
    if (*asked < l->count) l->linear->settle(level->op);
  }
  return status;
}

/* Makes the levels below the finest one. */
static hs_status coarser_create(struct hs_levels *l, const struct hs_system *system, struct hs_error *err)
{
  hs_status status = HS_OK;
  int asked = 0, made;
  do {
    status = coarser_make(l, &asked, err);
    made = l->count;
    if (!status) status = choices_check(l, &asked, err);
  } while (!status && l->count < made);
  if (!status) status = coarsest_create(l, system->singular && !system->storing, err);
  if (!status) l->linear->settle(l->level[l->count - 1].op);
  if (!status) tail_find(l);
  return status;
}

hs_status hs_levels_create(const struct hs_linear *linear, const struct hs_system *system,
                           const struct hs_backend_options *options, const struct hs_backend_state *state,
                           struct hs_levels *l, struct hs_error *err)
{
  hs_status status;
  memset(l, 0, sizeof *l);
  l->linear = linear;
  status = l->linear->create(system, options, state, &l->level[0].op, err);
  if (status) return status;
  l->count = 1;
  return coarser_create(l, system, err);
}

hs_status hs_levels_update(struct hs_levels *l, const struct hs_system *system, bool weights_changed,
                           struct hs_error *err)
{
  hs_status status;
  if (weights_changed) levels_drop(l, 1);
  status = l->linear->update(l->level[0].op, system, weights_changed, err);
  return status || !weights_changed ? status : coarser_create(l, system, err);
}

void hs_levels_clear(struct hs_levels *l)
{
  levels_drop(l, 0);
}
