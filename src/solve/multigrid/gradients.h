/* Conjugate gradients with the V-cycle as preconditioner, step by step, and the error of an iterate: what the files of
 * multigrid share.
 *
 * Every residual is found from x itself, not from the one before, so that what z = B r says is true of x.  With A z at hand
 * when z is looked at, the energy of the next direction p' = z + beta p is known before p' is made,
 *
 *     p' A p' = z A z + beta (2 p A z + beta p A p),
 *
 * and a step is one pass (as Chronopoulos and Gear, J. Comput. Appl. Math. 25, 1989, whose recursion takes p A z for granted).
 *
 * The error of an iterate. z = B r is nearly the error e = A^-1 r. How nearly is seen a step later, when the error before is
 * alpha p + e and e is about the new z. theta is the largest ratio of it to the z before, of the last few steps. lambda, the
 * least eigenvalue of B A so far, from the tridiagonal matrix of the coefficients (Lanczos; Golub and Van Loan, Matrix
 * Computations, ch. 10), tells what z leaves out: a mode's share lambda is seen. The estimate is
 *
 *     max(1.3 theta, 1.3 lambda^(-1/2), lambda^(-3/4)) max |z|,
 *
 * between what a mixture of modes and what that mode alone asks for.
 */
#ifndef HS_SOLVE_MULTIGRID_GRADIENTS_H
#define HS_SOLVE_MULTIGRID_GRADIENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "solve/multigrid/levels.h"
#include "solve/multigrid/multigrid.h"
#include "solve/pieces/pieces.h"

#define HS_GRADIENTS_MARGIN 1.3 /* of estimates */

enum {
  HS_GRADIENTS_TELLING = 3, /* steps that tell how good the cycles of a system are; */
  HS_GRADIENTS_POOR = 10    /* where they are not, as for conductivities like noise */
};

struct hs_multigrid {
  const struct hs_backend *backend;
  const struct hs_system *system;
  struct hs_levels levels;
  struct hs_vector *x, *x_next;             /* double precision */
  struct hs_vector *p, *p_next;             /* single precision */
  struct hs_vector *right;                  /* that of the equations for an error, double precision; NULL: none yet */
  struct hs_vector *start, *start_residual; /* of an implicit step */
  struct hs_vector *change;                 /* of x in the last step that was accepted; single precision */
  bool has_change;
  bool trapezoid;
  double caution; /* by how much smaller than what counts an estimate has to be, for parts that conduct unlike others */
  bool by_field;  /* fields go through the host's memory */
  double *field_k;          /* [ny*nx] for that; else NULL */
  struct hs_pieces *pieces; /* of which a correction has to know; NULL: none are looked for, or they are not known. See
                               hs_multigrid_pieces */
};

/* Where the steps stand. All 0 but m and richardson to begin with, and estimate_k NaN. */
struct hs_gradients {
  struct hs_multigrid *m;
  bool richardson; /* for now the steps are those of richardson.h */
  bool nested;     /* x began by nested iteration */
  bool for_error;  /* the right-hand side is m->right, and x an error */
  double mean;     /* that residuals lose: singular systems */
  struct hs_residual_norms norms;
  struct hs_correction z;
  double zr, pq; /* of the step before: z r and p A p */
  double alpha, beta, scale;
  bool has_direction; /* p is that of the step before */
  double alphas[HS_CYCLES_LANCZOS], betas[HS_CYCLES_LANCZOS];
  int lanczos;
  double ratios[HS_CYCLES_RATIOS]; /* theta of the last steps */
  int ratio_count;
  double least;      /* eigenvalue of B A so far, within [1e-4, 1]; 0 before the first step */
  double floor_k;    /* no estimate is smaller, by the rounding of x */
  double estimate_k; /* from the second correction on */
  int64_t steps;
  int64_t corrections, corrections_richardson; /* V-cycles; of these by Richardson's iteration */
  double length, length_before;                /* Richardson's iteration: of the step from x, and of that to x; */
  double contraction;                          /* of max |z| by that to x; */
  int told;                                    /* steps that did well, less what poor ones took back; */
  struct hs_residual_norms norms_next;
  double scale_next, floor_next_k; /* and what is known of the next iterate */
};

static inline const struct hs_linear *hs_multigrid_linear(const struct hs_multigrid *m)
{
  return m->levels.linear;
}

static inline struct hs_operator *hs_multigrid_finest(const struct hs_multigrid *m)
{
  return m->levels.level[0].op;
}

/* What rounding leaves unknown of a field with this largest magnitude: no estimate is smaller than these units in its last
 * place. */
static inline double hs_gradients_floor_of(double largest_k)
{
  return 4.0 * 0x1p-53 * largest_k;
}

/* Do cycles leave so little out that z is as good as the error that is left, by the eigenvalues seen so far? */
static inline bool hs_gradients_good(const struct hs_gradients *g)
{
  return g->least > 0.5;
}

/* Have steps enough been made for the estimate to count? known: the cycles have been judged in an earlier solution. */
static inline bool hs_gradients_tell(const struct hs_gradients *g, bool known)
{
  if (g->richardson) return g->told >= HS_GRADIENTS_TELLING;
  if (hs_gradients_good(g)) return known || g->lanczos >= HS_GRADIENTS_TELLING;
  if (g->corrections_richardson > 0) return g->lanczos + HS_GRADIENTS_TELLING >= HS_GRADIENTS_POOR;
  return g->lanczos >= HS_GRADIENTS_POOR;
}

/* Is there an estimate? */
static inline bool hs_gradients_estimated(const struct hs_gradients *g)
{
  return g->lanczos > 0 || (!g->has_direction && g->ratio_count > 0);
}

/* That of the equations for x. */
static inline struct hs_right_side hs_gradients_right_side(const struct hs_gradients *g)
{
  const struct hs_multigrid *m = g->m;
  struct hs_right_side right = {.mean = g->mean};
  if (g->for_error) {
    right.rest = m->right;
    right.alone = true;
  } else if (m->system->storing) {
    right.start = m->start;
    right.rest = m->trapezoid ? m->start_residual : NULL;
  }
  return right;
}

/* Waits for the pieces that are looked for: from here on, m->pieces are known, or NULL. Collective. */
hs_status hs_multigrid_pieces(struct hs_multigrid *m, struct hs_error *err);

/* r of x. The next step has no direction before it. x_next: room. */
hs_status hs_gradients_residual(struct hs_gradients *g, struct hs_error *err);

/* The floor of rounding for the present x. */
hs_status hs_gradients_floor(struct hs_gradients *g, struct hs_error *err);

/* The best x on the line through it along the change of the last step: x += alpha d with alpha = d r / d A d,
 * which makes the energy of the error smallest. Only where has_change. */
hs_status hs_gradients_project(struct hs_gradients *g, struct hs_error *err);

/* z = B r, and what it says of the error. */
hs_status hs_gradients_correct(struct hs_gradients *g, struct hs_error *err);

/* A step along z: x += alpha p, and the residual there. */
hs_status hs_gradients_step(struct hs_gradients *g, struct hs_error *err);

/* What the cycles so far have cost, in plain sweeps of the finest grid. */
double hs_gradients_work(const struct hs_gradients *g);

/* Where the steps stand before the next one; and back to there, with x and p in place. */
void hs_gradients_point(const struct hs_gradients *g, struct hs_cycles_point *point);
hs_status hs_gradients_resume(struct hs_gradients *g, const struct hs_cycles_point *point, struct hs_error *err);

#endif
