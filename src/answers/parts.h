/* The parts of answers.c that have files of their own. All figures are in W per metre of depth. */
#ifndef HS_ANSWERS_PARTS_H
#define HS_ANSWERS_PARTS_H

#include "answers/answers.h"
#include "problem/problem.h"
#include "problem/system.h"

/* Neighbour of node n, itself beyond an open wall. dx, dy: -1, 0 or 1, one of them 0. */
size_t hs_node_neighbour(const struct hs_system *system, size_t n, int dx, int dy);

/* Heat that Dirichlet node n gives off: what its control volume lacks for a balance. */
double hs_node_reaction(const struct hs_system *system, const double *field_k, size_t n);

/* The share of node (i, j) that its value in the field counts for: 1, but 1/2 on a periodic wall of the vertex layout,
 * where the node is stored twice, and 1/4 in the corner of two such walls. */
double hs_node_share(const struct hs_system *system, int i, int j);

/* The contacts of node n, *first .. *end. */
void hs_node_contacts(const struct hs_system *system, size_t n, const struct hs_contact **first,
                      const struct hs_contact **end);

/* Heat into the domain through a contact; a node that is stored twice (hs_node_share) counts fully each time. */
double hs_contact_heat(const struct hs_system *system, const double *field_k, const struct hs_contact *contact);

/* What is left of a law's sum without the contacts' part; 0 where only rounding, relative to size, is left. */
double hs_rest(double whole, double part, double size);

/* Heat into the domain through each surface, [problem->surface_count]. */
void hs_surfaces_take(const struct hs_problem *problem, const struct hs_system *system, const double *field_k,
                      double *surface_w_m);

/* Heat out through the outline of each configured shape, [config->region_count]. Errors: HS_ERR_MEMORY. */
hs_status hs_outlines_take(const struct hs_problem *problem, const struct hs_system *system, const double *field_k,
                           double *region_out_w_m, struct hs_error *err);

/* The probes; one block of memory, freed as a whole. NULL without probes. Errors: HS_ERR_MEMORY. */
hs_status hs_probes_take(const struct hs_problem *problem, const double *field_k, struct hs_probe_answer **probes,
                         struct hs_error *err);

#endif
