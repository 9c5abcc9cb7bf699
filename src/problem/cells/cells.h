/* The content of the cells: materials, source densities and losses, painted in the order of the configuration. */
#ifndef HS_PROBLEM_CELLS_CELLS_H
#define HS_PROBLEM_CELLS_CELLS_H

#include "problem/problem.h"

/* Fills materials, cell, classes and the maps of problem, whose config, layout, grid sizes and places are set. On
 * failure problem keeps what was made so far; hs_problem_destroy frees it. Errors: HS_ERR_CONFIG (with file, line and
 * section: a source or loss that reaches no cell, a colour without material, a map of another size), HS_ERR_IO (a map
 * that cannot be read), HS_ERR_MEMORY. */
hs_status hs_cells_paint(struct hs_problem *problem, struct hs_error *err);

#endif
