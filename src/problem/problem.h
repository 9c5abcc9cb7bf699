/* The problem in metres, kelvin and watts, and its translation into the discrete system. */
#ifndef HS_PROBLEM_PROBLEM_H
#define HS_PROBLEM_PROBLEM_H

#include "config/config.h"
#include "problem/system.h"

/* Builds the discrete system of config. *system is owned by the caller.
 * Errors: HS_ERR_CONFIG (a source that cannot act, with its name), HS_ERR_MEMORY. */
hs_status hs_problem_build_system(const struct hs_config *config, struct hs_system **system, struct hs_error *err);

/* The initial temperature field: held nodes at their temperature, free nodes at the
 * configured one. *field_k is [ny*nx], K, owned by the caller. Errors: HS_ERR_MEMORY. */
hs_status hs_problem_initial_field(const struct hs_config *config, const struct hs_system *system, double **field_k,
                                   struct hs_error *err);

#endif
