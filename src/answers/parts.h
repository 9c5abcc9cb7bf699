/* The parts of answers.c that have files of their own. All figures are in W per metre of depth. */
#ifndef HS_ANSWERS_PARTS_H
#define HS_ANSWERS_PARTS_H

#include "answers/answers.h"
#include "comm/grid_sum.h"
#include "problem/problem.h"
#include "problem/system.h"

/* --- what this rank owns: own.c -------------------------------------------------------------------- */

/* The ranks that hold the field together. */
struct hs_comm *hs_own_comm(const struct hs_problem *problem);

/* Nodes of this rank, by their place in the window. */
struct hs_rectangle hs_own_nodes(const struct hs_problem *problem);

/* Cells of this rank, by their place in the window: those whose south-west node is its own (vertex layout), or which are
 * themselves its nodes. */
struct hs_rectangle hs_own_cells(const struct hs_problem *problem);

static inline bool hs_own_holds(const struct hs_rectangle *own, int i, int j)
{
  return i >= own->x0 && i < own->x0 + own->nx && j >= own->y0 && j < own->y0 + own->ny;
}

/* Does column (or row) -1 of the window follow its last one? Only where periodic walls are not cut apart. */
bool hs_own_wraps_x(const struct hs_problem *problem);
bool hs_own_wraps_y(const struct hs_problem *problem);

/* Periodic walls of the vertex layout: columns and rows of the window whose nodes are stored twice; -1 and others that are not in
 * the window: none. */
struct hs_twice {
  int west, east, south, north;
};
struct hs_twice hs_own_twice(const struct hs_problem *problem);

/* The share of node (i, j) that its value in the field counts for: 1, but 1/2 where the node is stored twice, and 1/4 in the
 * corner of two periodic walls. */
static inline double hs_node_share(const struct hs_twice *twice, int i, int j)
{
  return (i == twice->west || i == twice->east ? 0.5 : 1.0) * (j == twice->south || j == twice->north ? 0.5 : 1.0);
}

/* --- heat at a node: balance.c -------------------------------------------------------------------- */

/* Neighbour of node n, itself beyond an open wall. dx, dy: -1, 0 or 1, one of them 0. */
size_t hs_node_neighbour(const struct hs_system *system, size_t n, int dx, int dy);

/* The neighbours of node n; beyond an open wall, itself. */
enum { HS_AROUND_WEST, HS_AROUND_EAST, HS_AROUND_SOUTH, HS_AROUND_NORTH, HS_AROUND };
void hs_node_around(const struct hs_system *system, size_t n, size_t around[HS_AROUND]);

/* A node's temperature and, where it is a Dirichlet node, those of its neighbours: all that its flows depend on. */
struct hs_node_field {
  double here_k, around_k[HS_AROUND];
};

/* An own node with flows: its contacts first .. end, and its hs_node_share. */
struct hs_node_visit {
  size_t node;
  const struct hs_contact *first, *end;
  double share;
};
typedef void hs_node_visitor(void *context, const struct hs_node_visit *visit);

/* Visits the nodes of an own row of the window that may have flows: those with contacts, held ones, and others with sources or
 * ambients. */
void hs_row_visit(const struct hs_problem *problem, const struct hs_system *system, int j, hs_node_visitor *visitor,
                  void *context);

/* The sums of which a balance consists: by side, and these. */
enum { HS_FLOW_HELD = HS_SIDES, HS_FLOW_SOURCE, HS_FLOW_LOSS, HS_FLOW_IN, HS_FLOW_OUT, HS_FLOWS };
struct hs_flow_sums {
  struct hs_grid_sum sum[HS_FLOWS];
};
void hs_flow_sums_add(struct hs_flow_sums *all, const struct hs_flow_sums *more);

/* Counts all flows of a node. */
void hs_node_flows(const struct hs_problem *problem, const struct hs_system *system, const struct hs_node_visit *visit,
                   const struct hs_node_field *at, struct hs_flow_sums *sums);

/* The balance of sums of which each rank has its share; they become those of all ranks. Collective. */
hs_status hs_balance_sum(const struct hs_problem *problem, const struct hs_system *system, struct hs_flow_sums *sums,
                         bool transient, struct hs_balance *balance, struct hs_error *err);

/* Behind the last of all contacts; NULL where there are none. */
const struct hs_contact *hs_contacts_end(const struct hs_system *system);

/* The contacts of node n, *first .. *end. */
void hs_node_contacts(const struct hs_system *system, size_t n, const struct hs_contact **first,
                      const struct hs_contact **end);

/* Heat into the domain through a contact; a node that is stored twice (hs_node_share) counts fully each time. */
double hs_contact_heat(const struct hs_system *system, const double *field_k, const struct hs_contact *contact);

/* What is left of a law's sum without the contacts' part; 0 where only rounding, relative to size, is left. */
double hs_rest(double whole, double part, double size);

/* Linear between two values; fraction 0 and 1 give them exactly. */
static inline double hs_between(double a, double b, double fraction)
{
  return (1.0 - fraction) * a + fraction * b;
}

/* --- the temperature at a point: point.c ---------------------------------------------------------- */

/* What a rank says about a point: one value, or one for each cell of a material that touches it; 0 where it does not know.
 * Added over the ranks, it is what all of them know. */
enum { HS_TOUCHED_MOST = 4 };
struct hs_telling {
  double value[HS_TOUCHED_MOST], told[HS_TOUCHED_MOST];
};

/* material: -1: any. */
void hs_point_tell(const struct hs_problem *problem, const double *field_k, double x_m, double y_m, int material,
                   struct hs_telling *telling);

/* The mean of what is told; NaN: nothing. */
double hs_telling_mean(const struct hs_telling *telling);

/* How many of this rank's cells of a material touch a point. */
int hs_point_touched(const struct hs_problem *problem, double x_m, double y_m, int material);

/* --- answers, collective over the ranks ------------------------------------------------------------ */

/* Heat into the domain through each surface, [problem->surface_count]. Errors: HS_ERR_MEMORY. */
hs_status hs_surfaces_take(const struct hs_problem *problem, const struct hs_system *system, const double *field_k,
                           double *surface_w_m, struct hs_error *err);

/* Heat out through the outline of each configured shape, [config->region_count]. Errors: HS_ERR_MEMORY. */
hs_status hs_outlines_take(const struct hs_problem *problem, const struct hs_system *system, const double *field_k,
                           double *region_out_w_m, struct hs_error *err);

/* The probes; one block of memory, freed as a whole. NULL without probes. Errors: HS_ERR_MEMORY. */
hs_status hs_probes_take(const struct hs_problem *problem, const double *field_k, struct hs_probe_answer **probes,
                         struct hs_error *err);

#endif
