/* Direct solutions of small systems, by Gauss's elimination in long double: a nearly insulated plate needs the digits. */
#ifndef HS_TESTS_SOLVE_DIRECT_H
#define HS_TESTS_SOLVE_DIRECT_H

#include "problem/system.h"

/* The steady field, [ny*nx]; the caller frees it. */
double *test_direct_solution(const struct hs_system *system);

/* 1 - Jacobi's spectral radius: the least eigenvalue of D^-1 A, by inverse iteration. */
double test_direct_gap(const struct hs_system *system);

#endif
