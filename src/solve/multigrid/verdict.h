/* Where a solution by multigrid stands, and what follows from its iterate and the correction of that: the end, or more steps. What
 * has to be seen before an estimate is believed: doc/numerics.md.
 */
#ifndef HS_SOLVE_MULTIGRID_VERDICT_H
#define HS_SOLVE_MULTIGRID_VERDICT_H

#include "solve/multigrid/gradients.h"

/* Where a solution stands. */
struct hs_iteration {
  struct hs_gradients g;
  const struct hs_solve_settings *settings;
  double tolerance;      /* what the field has to meet now */
  int64_t unbalanced_at; /* as in the outcome */
  double first_l2;
  double start_k;                 /* largest correction of the start */
  double least_zr;                /* energy of the residuals so far; 0: none yet */
  int flat;                       /* steps since then */
  int astray;                     /* directions that rounding has spoilt */
  struct hs_pieces_answer pieces; /* of z, where it was asked; */
  bool blind;                     /* and it does not know */
  struct hs_check *history;
  int history_count, history_room;
};

/* The estimated error of the field that x becomes, K, which may be of single precision. */
double hs_verdict_error_k(const struct hs_iteration *it);

/* The residual in terms of the first one. */
double hs_verdict_residual_relative(const struct hs_iteration *it);

bool hs_verdict_tolerance_met(const struct hs_iteration *it);

/* Has r become 0? In a field of no error the estimate is that of rounding. */
bool hs_verdict_solved(struct hs_iteration *it);

/* Is the error smaller than rounding? In single precision that of the field counts, once the cycles have shown how good they
 * are. A correction that is blind to a piece does not tell. */
bool hs_verdict_rounded(const struct hs_iteration *it);

/* Can the estimate be believed? */
bool hs_verdict_estimate_known(const struct hs_iteration *it);

/* After each correction: counts those without progress. */
void hs_verdict_count(struct hs_iteration *it);

/* What follows from the present x and its correction z. exact: its residual is 0. Collective. Errors: those of hs_pieces_ask and
 * of settings->accept. */
hs_status hs_verdict_find(struct hs_iteration *it, bool exact, enum hs_verdict *verdict, struct hs_error *err);

#endif
