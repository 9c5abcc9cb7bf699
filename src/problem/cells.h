/* What fills the cells: materials, source densities and losses, painted in the order of the configuration. */
#ifndef HS_PROBLEM_CELLS_H
#define HS_PROBLEM_CELLS_H

#include "problem/problem.h"

enum { HS_CELL_CLASS_LIMIT = 65535 };

/* Fills materials, cell, classes and the maps of problem, whose config, layout, grid sizes and places are set. On
 * failure problem keeps what was made so far; hs_problem_destroy frees it. Errors: HS_ERR_CONFIG (with file, line and
 * section: a source or loss that reaches no cell, a colour without material, a map of another size), HS_ERR_IO (a map
 * that cannot be read), HS_ERR_MEMORY. */
hs_status hs_cells_paint(struct hs_problem *problem, struct hs_error *err);

/* Is source k of the configuration part of the cells' classes? Otherwise (a node, and a rectangle that neither replaces
 * sources nor is replaced by a later one) it heats control volumes directly, by the area that they share with it. */
bool hs_source_is_painted(const struct hs_config *config, int k);

/* Area of the cells that belong to a shape, m2. Errors: HS_ERR_MEMORY. */
hs_status hs_cells_area(const struct hs_problem *problem, const struct hs_config_shape *shape, double *area_m2,
                        struct hs_error *err);

/* Heat that source k of the configuration releases if no later source replaces it, W per metre of depth.
 * Errors: HS_ERR_MEMORY. */
hs_status hs_cells_source_power(const struct hs_problem *problem, int k, double *power_w_m, struct hs_error *err);

#endif
