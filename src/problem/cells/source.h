/* Heat sources of the configuration. */
#ifndef HS_PROBLEM_CELLS_SOURCE_H
#define HS_PROBLEM_CELLS_SOURCE_H

#include "problem/problem.h"

/* Is source k of the configuration part of the cells' classes? Otherwise (a node, and a rectangle that neither replaces
 * sources nor is replaced by a later one) it heats control volumes directly, by the area that they share with it. */
bool hs_source_is_painted(const struct hs_config *config, int k);

enum { HS_SOURCE_PIECES = 4 };

/* Source k, which is not painted, as sources of nodes and of rectangles inside the domain; returns how many. It is its own
 * only one but for a rectangle's outside, which falls into four. */
int hs_source_pieces(const struct hs_problem *problem, int k, struct hs_config_source pieces[HS_SOURCE_PIECES]);

/* Heat that source k of the configuration releases if no later source replaces it, W per metre of depth.
 * Errors: HS_ERR_MEMORY. */
hs_status hs_source_power(const struct hs_problem *problem, int k, double *power_w_m, struct hs_error *err);

#endif
