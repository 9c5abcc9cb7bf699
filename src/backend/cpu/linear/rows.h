/* Operators and vectors of the cpu backend, row by row: functions that the compiler vectorises, built once for each
 * instruction set (rows.c). They do what the functions of numerics/multigrid.h and numerics/coarsening.h do at a node, term
 * for term, so that all backends have the same bits.
 *
 * A row begins at its node 0; its ghosts at -1 and nx are readable.
 */
#ifndef HS_BACKEND_CPU_LINEAR_ROWS_H
#define HS_BACKEND_CPU_LINEAR_ROWS_H

#include <stdbool.h>

#include "numerics/coarsening.h"
#include "numerics/multigrid.h"
#include "numerics/total.h"

/* Nodes from <= i < to of a row of the finest grid with the same coefficients, or such that are looked up one by one. */
struct hs_linear_run {
  int32_t from, to;
  int32_t entry; /* of the tables; -1: any */
};

/* A row of an operator: of a coarser one where `run` is NULL. */
struct hs_linear_row {
  int nx;
  const struct hs_linear_run *run;
  int run_count;
  int from, to;                        /* nodes that sums count */
  const struct hs_balance_f32 *single; /* the tables of the finest one */
  const struct hs_balance_f64 *twice;
  const uint16_t *index; /* table entries of the row's nodes; NULL: first + i */
  size_t first;
  const float *east, *north, *northeast, *northwest, *sum, *inverse;
  const float *south, *southwest, *southeast; /* north, northeast and northwest of the row in the south */
};

/* A row and those beside it. */
struct hs_rows_f32 {
  const float *south, *row, *north;
};

struct hs_rows_f64 {
  const double *south, *row, *north;
};

/* Between two grids. Of rows in the south, in the middle and in the north: weights [4][3] and, for restriction, fine
 * values. */
struct hs_transfer {
  int coarsen_x, coarsen_y;
  const float *weight[4][3];
  const float *fine[3];
};

/* Segments that lie side by side: nodes from <= i < to of `count` rows, one segment in each row or, along y, in each
 * column. u, f, relaxed: node 0 of the first row, and rows `pitch` apart; ghosts of u are readable. */
enum { HS_LINEAR_LINES = 32 }; /* of them at most */
struct hs_segment_block {
  int along_x;
  float weight;
  const struct hs_linear_row *row; /* [count] */
  int count, from, to;
  const float *u, *f;
  float *relaxed;
  ptrdiff_t pitch;
};

/* What a residual is made of besides the operator; source, start and rest may be NULL. */
struct hs_residual_row {
  struct hs_rows_f64 x;
  const double *source; /* W/m */
  const double *start, *rest;
  bool alone; /* no heat of the system's */
};

/* What a row of a step is made of, as in struct hs_linear_step. */
struct hs_advance_row {
  const float *z, *p;
  const double *x;
  double unscale, beta, alpha;
};

/* Where node 0 lies of the fine rows that a coarse row is made of: of those from two south of its own fine row on, exact
 * couplings up to the next one in the north, and weights up to the second. */
struct hs_product_rows {
  ptrdiff_t exact[4], weights[5];
};

struct hs_linear_rows {
  const char *isa;

  /* --- the cycle --- */

  void (*round)(int nx, const double *r, double scale, float *f);
  void (*start)(const struct hs_linear_row *g, float weight, const float *f, float *u);
  void (*relax)(const struct hs_linear_row *g, float weight, const struct hs_rows_f32 *u, const float *f, float *to);
  void (*residual)(const struct hs_linear_row *g, const struct hs_rows_f32 *u, const float *f, float *r);
  /* See hs_linear.cycle_condense. What f gives a row's nodes between two coarse ones, 0 at others; between: does the row lie
   * between coarse ones? Then, on such rows where both directions are coarsened, those in the middle of four, from that in
   * u. */
  void (*lines)(const struct hs_linear_row *g, bool coarsen_x, bool between, const float *f, float *to);
  void (*middles)(const struct hs_linear_row *g, const struct hs_rows_f32 *u, const float *f, float *to);
  void (*restricted)(const struct hs_transfer *w, int coarse_nx, float *coarse);
  /* to = u + W c for a fine row whose coarse rows are c[0] and, where it lies between two, c[1]; weights [k][1]. */
  void (*prolonged)(const struct hs_transfer *w, int nx, const float *const c[2], const float *u, float *to);

  /* relaxed = u + weight T^-1 (f - A u); see hs_segment_solve. */
  void (*segments)(const struct hs_segment_block *block);

  /* --- conjugate gradients --- */

  void (*inflow)(const struct hs_linear_row *g, const struct hs_residual_row *of, double *r, struct hs_tally *tally);
  /* p: zeros where there is no direction; behind: hs_linear_behind; inflow: room. */
  void (*examine)(const struct hs_linear_row *g, const struct hs_rows_f32 *z, const float *f, const float *p,
                  float behind, float *inflow, struct hs_tally *tally);
  void (*advance)(int nx, const struct hs_advance_row *of, float *p_to, double *x_to);
  /* f = scale (r - mean), r the residual; inflow: room. */
  void (*round_inflow)(const struct hs_linear_row *g, const struct hs_residual_row *of, double mean, double scale,
                       double *inflow, float *f);
  void (*correct)(int nx, double along, const float *z, const double *x, double *x_to); /* see hs_corrected */
  /* What a step along z to x has found; see hs_richardson_found. */
  void (*found)(const struct hs_linear_row *g, const float *z, const float *f, const double *x, struct hs_tally *tally);

  /* --- coarser operators --- */

  /* Row j of the product, nodes from..to-1, where all children and their neighbours lie within the grid. */
  void (*galerkin)(const struct hs_galerkin *m, const struct hs_product_rows *rows, int j, int from, int to,
                   const struct hs_couplings_f64 *coarse);
  /* `count` nodes from the one at n on, whose neighbour in the south is there. */
  void (*shares)(const struct hs_couplings_f64 *a, size_t n, size_t south, int count, struct hs_level_shares *shares);
};

extern const struct hs_linear_rows hs_linear_rows_baseline;
extern const struct hs_linear_rows hs_linear_rows_avx2; /* where the compiler can build it */
extern const struct hs_linear_rows hs_linear_rows_avx512;

#endif
