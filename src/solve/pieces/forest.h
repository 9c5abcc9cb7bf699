/* Which components of a plate's conductances are pieces (pieces.h), and their outlines. */
#ifndef HS_SOLVE_PIECES_FOREST_H
#define HS_SOLVE_PIECES_FOREST_H

#include "solve/pieces/rows.h"

/* A way out of a piece: from a node to its neighbour, or to the ambient, where both are the same. */
struct hs_piece_contact {
  int64_t inside, outside; /* nodes of the system */
  double conductance;      /* W/(m K) */
};

struct hs_piece_outlines {
  int count;
  int64_t *first;           /* [count + 1] contacts of each, where this rank owns the node inside */
  double *heat, *sizes;     /* [count] that goes in whatever the temperature, and the sum of its terms' sizes, W/m */
  double *exit, *all_exits; /* [count] largest conductance to a neighbour, and the sum of all to outside, W/(m K) */
  struct hs_piece_contact *contact; /* [first[count]] */
};

/* Those of a grid of so many nodes; run: all of it, by bands (rows.h). given: where in it the system's nodes lie. outlines: all 0 to
 * begin with; to be cleared, after failures too. *known: not where outlines, or the search for them, are too long. Errors:
 * HS_ERR_MEMORY. */
hs_status hs_piece_outlines_find(const struct hs_system *system, const struct hs_rectangle *given, double grid_nodes,
                                 const struct hs_piece_run *run, int count, struct hs_piece_outlines *outlines,
                                 bool *known, struct hs_error *err);
void hs_piece_outlines_clear(struct hs_piece_outlines *outlines);

#endif
