/* The walls: side keys and named segments merged into segments that cover every wall once. */
#ifndef HS_PROBLEM_WALLS_H
#define HS_PROBLEM_WALLS_H

#include "problem/problem.h"

/* Lengths along a wall below this share of it count as nothing. */
#define HS_WALL_SLACK 1e-9

/* Fills segments of problem, whose config and sizes are set: by side, then from its west or south end on. On failure
 * problem keeps what was made so far; hs_problem_destroy frees it. Errors: HS_ERR_CONFIG (an overlap, a part without
 * condition, a periodic wall without its partner), HS_ERR_IO (a table), HS_ERR_MEMORY. */
hs_status hs_walls_merge(struct hs_problem *problem, struct hs_error *err);

/* Frees the segments. */
void hs_walls_clear(struct hs_problem *problem);

/* Is the side periodic? */
bool hs_wall_is_periodic(const struct hs_problem *problem, enum hs_side side);

/* Length of a side, m. */
double hs_wall_length(const struct hs_problem *problem, enum hs_side side);

/* Length of a surface, m: of a wall's segment; NaN for a held shape. */
double hs_surface_length(const struct hs_problem *problem, int surface);

#endif
