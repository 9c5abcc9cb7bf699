/* What forecasts begin from. */
#ifndef HS_RUN_FIRST_UPDATE_H
#define HS_RUN_FIRST_UPDATE_H

#include "problem/problem.h"
#include "problem/system.h"

/* From what guesses begin: norms of J(t) - t of the field that a run begins with, and the roughness of the system, which is
 * the mean magnitude, in decades, of the ratio of each node's couplings on opposite sides (of what changes from node to node,
 * smooth maps and blocks leave little; from up to 64 rows). They depend neither on the number of threads nor on the ranks, so
 * that what follows from them is the same everywhere. */
struct hs_first_update {
  bool known;
  double l2_k, largest_k;
  double roughness;
};
/* field_k is [ny*nx] of the window, with one layer of right ghost nodes. Collective over the problem's ranks. Errors:
 * HS_ERR_MEMORY, HS_ERR_IO. */
hs_status hs_first_update_measure(const struct hs_problem *problem, const struct hs_system *system,
                                  const double *field_k, struct hs_first_update *first, struct hs_error *err);

/* J(t) - t at a node that is not at an edge where the grid goes on. Beyond an open wall any value will do: its weight is 0. */
double hs_first_update_at(const struct hs_system *system, const double *field_k, int i, int j);

#endif
