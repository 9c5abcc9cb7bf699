/* Pieces of a plate that conduct well inside and exchange little with what surrounds them, and whether a correction knows of
 * the heat that goes astray there.
 *
 * What such a piece has too much hardly shows in a residual, and cycles whose coarse grids cut the piece up hardly see it: their
 * correction may be a thousandth of the error, however small it has become. But the heat flows through the piece's outline, and
 * those into it altogether, s, are found exactly from the field. A correction z that is worth the error takes s to nearly 0, one
 * that is blind to the piece leaves it:
 *
 *     s = sum of b + sum over the outline of g (t_outside - t_inside),   s' the same of t + z,   |s'| <= 0.3 |s|
 *
 * unless |s| is less than what a tenth of the tolerance drives through the outline's strongest conductance, or rounding.
 *
 * Which pieces: conductances are taken from the largest one on, each joining two components (single linkage; J. C. Gower and
 * G. J. S. Ross, Appl. Statist. 18, 1969), by powers of two. A component without a held node whose next conductance is 2^10 times
 * smaller than its largest one is a piece; what it becomes a part of counts from that next conductance on.
 */
#ifndef HS_SOLVE_PIECES_H
#define HS_SOLVE_PIECES_H

#include "backend/backend.h"
#include "backend/linear.h"

struct hs_pieces;

/* Begins to look for the pieces of a system, which must not change meanwhile; the operators are on a device: beside what follows,
 * by a thread of its own. *pieces is the caller's. Errors: HS_ERR_MEMORY. */
hs_status hs_pieces_begin(const struct hs_system *system, const struct hs_linear *linear,
                          const struct hs_backend_options *options, struct hs_pieces **pieces, struct hs_error *err);

/* Waits for them; op: the finest operator. *known: not where walls are periodic, rows or columns of nodes that are alike hardly
 * exchange heat, or there are too many different nodes; the same for all ranks. Collective. Errors: HS_ERR_MEMORY and those of
 * hs_comm_gather. */
hs_status hs_pieces_find(struct hs_pieces *pieces, const struct hs_operator *op, bool *known, struct hs_error *err);

void hs_pieces_destroy(struct hs_pieces *pieces); /* NULL is accepted */

/* From here on of pieces that are known. */
int hs_pieces_count(const struct hs_pieces *pieces);

/* A correction z, in single precision and times `unscale`, of the iterate x: *known, does it know of all pieces' heat, or has none
 * more than tolerance_k drives? Collective. Errors: those of hs_linear.pick. */
hs_status hs_pieces_ask(struct hs_pieces *pieces, const struct hs_vector *x, const struct hs_vector *z, double unscale,
                        double tolerance_k, bool *known, struct hs_error *err);

#endif
