/* Windows against the whole: each rank builds its own, and what it has is compared bit by bit. */
#ifndef HS_TESTS_PROBLEM_WINDOWS_H
#define HS_TESTS_PROBLEM_WINDOWS_H

#include "comm/ranks.h"
#include "support.h"

/* Builds the problem of config whole, and in a window for each part of partition, one a rank. Every node but the outermost
 * ghosts must have the same law, stencils, source and start; contacts of own nodes must be those of the whole, and so must
 * all properties of the plate. Boundary values that depend on time are set to several times. Where the whole problem is
 * refused every rank must refuse it with the same sentence. Returns whether it was taken. */
bool windows_compare(const struct hs_config *config, const struct hs_partition *partition);

/* A problem, its system and its start; what was made until a failure is the caller's, too. */
hs_status windows_make(const struct hs_config *config, const struct hs_subdomain *subdomain,
                       struct hs_problem **problem, struct hs_system **system, double **initial_k,
                       struct hs_error *err);

/* Cuts of a configuration's grid: a whole one with these parts and ghost zone; false where its blocks are too small. */
bool windows_cut(const struct hs_config *config, int count_x, int count_y, int ghost, struct hs_partition *partition);

#endif
