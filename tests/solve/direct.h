/* Direct solutions of small systems in long double, without a subtraction: nodes are eliminated as in a network of conductances,
 * and what leads to held nodes and ambients is kept apart (W. K. Grassmann, M. I. Taksar and D. P. Heyman, Oper. Res. 33, 1985),
 * so that temperatures are right to rounding whatever the contrasts. Conductances and heat must not be negative for that. */
#ifndef HS_TESTS_SOLVE_DIRECT_H
#define HS_TESTS_SOLVE_DIRECT_H

#include "problem/system.h"

/* The steady field, [ny*nx]; the caller frees it. */
double *test_direct_solution(const struct hs_system *system);

/* 1 - Jacobi's spectral radius: the least eigenvalue of D^-1 A, by inverse iteration. */
double test_direct_gap(const struct hs_system *system);

#endif
