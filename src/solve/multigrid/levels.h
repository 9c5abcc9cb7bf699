/* The levels of multigrid and the V-cycle over them. */
#ifndef HS_SOLVE_MULTIGRID_LEVELS_H
#define HS_SOLVE_MULTIGRID_LEVELS_H

#include <stdbool.h>

#include "backend/backend.h"
#include "backend/linear.h"

enum { HS_LEVELS_MOST = 48 };

struct hs_level {
  struct hs_operator *op;
  bool x, y;                      /* coarsened to the next level */
  bool segments;                  /* smoothed on segments */
  bool passes;                    /* smoothed and transferred in one pass each way */
  struct hs_vector *u, *f, *room; /* single precision */
};

struct hs_levels {
  const struct hs_linear *linear;
  struct hs_level level[HS_LEVELS_MOST];
  int count;
  int tail;                   /* from this level on, one operation does all of the cycle; count: there is none */
  int single_cycles;          /* made with these operators so far, operation by operation */
  struct hs_recording *cycle; /* NULL: none yet, or the backend records nothing */
  struct hs_vector *recorded; /* where its repetitions leave u of the finest level */
};

/* Makes all levels of a system; state as in hs_linear.create. hs_levels_clear after failures, too. */
hs_status hs_levels_create(const struct hs_linear *linear, const struct hs_system *system,
                           const struct hs_backend_options *options, const struct hs_backend_state *state,
                           struct hs_levels *levels, struct hs_error *err);

/* Takes over another discretisation of the same nodes: other heat, or all levels made anew; vectors of the finest operator
 * stay. */
hs_status hs_levels_update(struct hs_levels *levels, const struct hs_system *system, bool weights_changed,
                           struct hs_error *err);

void hs_levels_clear(struct hs_levels *levels);

/* Operators of the levels from one on, and which of these are smoothed on segments. */
static inline int hs_levels_operators(const struct hs_levels *l, int first, struct hs_operator *op[HS_LEVELS_MOST],
                                      bool segments[HS_LEVELS_MOST])
{
  for (int k = first; k < l->count; k++) {
    op[k - first] = l->level[k].op;
    segments[k - first] = l->level[k].segments;
  }
  return l->count - first;
}

/* One V(1,1) cycle: level[0].u becomes about A^-1 level[0].f. The map is linear, symmetric and positive. */
hs_status hs_levels_cycle(struct hs_levels *levels, struct hs_error *err);

/* Nested iteration (full multigrid; Brandt, Math. Comp. 31, 1977): level[0].u becomes about A^-1 level[0].f, nearer than by a
 * cycle. f goes down to a small level by condensation, is solved for there by a cycle, and the solution goes up: each level adds
 * to it what was condensed, smooths it, and on every second one a cycle over the coarser levels improves it. The map is
 * linear, but not symmetric. */
hs_status hs_levels_nested(struct hs_levels *levels, struct hs_error *err);

/* What a cycle and its step cost, by the bytes they move: so many plain sweeps of the finest grid. richardson: a step of that
 * iteration; else of conjugate gradients. */
double hs_levels_work(const struct hs_levels *levels, bool richardson);

/* The same of nested iteration and the step that it gives. */
double hs_levels_nested_work(const struct hs_levels *levels);

/* The level on which nested iteration begins; which ones a cycle over coarser ones improves on the way up. */
int hs_levels_nested_first(const struct hs_levels *levels);
static inline bool hs_levels_nested_improves(int level)
{
  return level > 0 && level % 2 == 0;
}

/* inverse, [n*n]: of the operator with these rows on a grid of nx x ny nodes, n = nx ny. singular: constants are left
 * out. */
hs_status hs_levels_invert(const struct hs_grid *grid, double (*rows)[9], bool singular, double *inverse,
                           struct hs_error *err);

#endif
