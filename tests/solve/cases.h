/* Problems to be solved, whose solutions or difficulties are known. What a configuration points to is the caller's. */
#ifndef HS_TESTS_SOLVE_CASES_H
#define HS_TESTS_SOLVE_CASES_H

#include "runs.h"

/* -laplace T = 1 on the unit square with n intervals and walls at 0; the second one to a residual of 1e-6, with a test at
 * every sweep. */
struct hs_config poisson_config(int n, struct hs_config_source *glow);
struct hs_config poisson_to_residual(int n, struct hs_config_source *glow);

/* A plate with walls and sources at random, and a random tolerance of the update. */
struct hs_config random_plate(struct test_random *random, struct hs_config_source sources[2]);

/* Problem `which` of five: two squares, a bar of two materials, a half insulated plate, a periodic strip. */
struct hs_config problem_of(int which, struct hs_config_region *region, struct hs_config_source *source);

/* EN ISO 10211, case 2, on a 0.5 mm grid: conductivities from 0.029 to 230, spectral radius 1 - 1.8e-6. Plain Jacobi
 * needs millions of sweeps. */
struct hs_config iso_case_2(struct hs_config_region regions[5]);

/* The workshop's discrete equations 4 t - (sum of neighbours) = dx^2 f, solved without iterating. */
double *workshop_exact(int n);

/* The sweeps of a run, which must converge. */
int64_t sweeps_of(const struct hs_config *config);

#endif
