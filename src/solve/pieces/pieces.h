/* Pieces of a plate that conduct well inside and exchange little with what surrounds them, and whether a correction knows of
 * their unbalanced heat.
 *
 * What such a piece has too much hardly shows in a residual, and cycles whose coarse grids cut the piece up hardly see it: their
 * correction may be a thousandth of the error, however small it has become. But the heat flows through the piece's outline, and
 * those into it altogether, s, are found exactly from the field. A correction z that is worth the error takes s to nearly 0, one
 * that is blind to the piece leaves it:
 *
 *     s = sum of b + sum over the outline of g (t_outside - t_inside),   s' the same of t + z,   |s'| <= 0.3 |s|
 *
 * unless |s| or |s'| is less than a tenth of the tolerance drives through the strongest conductance to a neighbour, or rounding.
 *
 * Which pieces: conductances are taken from the largest one on, each joining two components (single linkage; J. C. Gower and
 * G. J. S. Ross, Appl. Statist. 18, 1969), by powers of two. A component without a held node whose next conductance is smaller than its
 * largest one by 2^10 (its exponent by 10) is a piece; what it becomes a part of counts from that next conductance on. So is what
 * is left at the end, if it has an ambient, and exchanges that little with it.
 */
#ifndef HS_SOLVE_PIECES_PIECES_H
#define HS_SOLVE_PIECES_PIECES_H

#include "backend/backend.h"
#include "backend/linear.h"

struct hs_pieces;

/* Begins to look for the pieces of a system, which must not change meanwhile. Where a device does all other work, a thread looks
 * for them while the caller goes on; else hs_pieces_find does. *pieces is the caller's. Errors: HS_ERR_MEMORY. */
hs_status hs_pieces_begin(const struct hs_system *system, const struct hs_linear *linear,
                          const struct hs_backend_options *options, struct hs_pieces **pieces, struct hs_error *err);

/* Waits for them; op: the finest operator. *known: not where walls are periodic, where rows or columns of nodes that are alike hardly
 * exchange heat, or where runs of these, outlines or their search are too long; the same for all ranks. Collective. Errors: HS_ERR_MEMORY and those of
 * hs_comm_gather. */
hs_status hs_pieces_find(struct hs_pieces *pieces, const struct hs_operator *op, bool *known, struct hs_error *err);

void hs_pieces_destroy(struct hs_pieces *pieces); /* NULL is accepted */

/* From here on of pieces that are known. */
int hs_pieces_count(const struct hs_pieces *pieces);

/* What a correction knows of pieces. */
struct hs_pieces_answer {
  bool known; /* of all that have unbalanced heat worth mentioning */
  bool off;   /* one is off by more than SHARE of the tolerance, however its surroundings answer: |s| / (sum of g) */
};

/* A correction z, in single precision and times `unscale`, of the iterate x, that meets a tolerance. Collective. Errors: those of
 * hs_linear.pick. */
hs_status hs_pieces_ask(struct hs_pieces *pieces, const struct hs_vector *x, const struct hs_vector *z, double unscale,
                        double tolerance_k, struct hs_pieces_answer *answer, struct hs_error *err);

#endif
