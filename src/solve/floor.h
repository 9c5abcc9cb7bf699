/* The floor of rounding under a steady solution: below it no estimate and no tolerance means anything. */
#ifndef HS_SOLVE_FLOOR_H
#define HS_SOLVE_FLOOR_H

#include "solve/solve.h"

/* Lifts an error estimate that is below the floor, and calls a field that no sweep changes any more stagnated, not converged,
 * where its tolerance is below. minimum_k, maximum_k: of the field. */
void hs_solve_floor(const struct hs_solve_settings *settings, double minimum_k, double maximum_k,
                    struct hs_solve_outcome *outcome);

#endif
