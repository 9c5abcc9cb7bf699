/* The parts of hs_problem_build_system that have files of their own. */
#ifndef HS_PROBLEM_ASSEMBLY_BUILD_H
#define HS_PROBLEM_ASSEMBLY_BUILD_H

#include "problem/laws/laws.h"
#include "problem/problem.h"

/* Sets singular, given_range_k, flow_floor_w_m, flow_kelvin_w_mk and stable_step_s from the laws, and discretises.
 * Errors: HS_ERR_CONFIG (an insulated steady problem with net heat; an unstable explicit step), HS_ERR_MEMORY. */
hs_status hs_system_assess(const struct hs_problem *problem, struct hs_system *system, struct hs_error *err);

/* Refuses held shapes without a node (holds[k]: shape k has one) and sources that heat no free node. Errors:
 * HS_ERR_CONFIG. */
hs_status hs_build_check(const struct hs_laws *laws, const struct hs_system *system, const bool *holds,
                         struct hs_error *err);

/* Refuses a transient problem with cells whose material has no heat capacity. Errors: HS_ERR_CONFIG. */
hs_status hs_capacities_check(const struct hs_problem *problem, struct hs_error *err);

#endif
