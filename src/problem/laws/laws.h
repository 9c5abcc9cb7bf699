/* The law of one node: from the cells around it, the sources, the walls and the held shapes. */
#ifndef HS_PROBLEM_LAWS_LAWS_H
#define HS_PROBLEM_LAWS_LAWS_H

#include "problem/problem.h"

/* What the laws of all nodes need, found once. */
struct hs_laws {
  const struct hs_problem *problem;
  int wrap_x, wrap_y;          /* as in struct hs_system: of the window */
  bool periodic_x, periodic_y; /* the plate's walls */
  bool twins_x, twins_y;       /* the first and the last node of the whole grid are the same */
  int first[HS_SIDES + 1];     /* the segments of side s are first[s] .. first[s + 1] - 1 */
};

/* Contacts, in the order in which they were found. */
struct hs_contacts {
  struct hs_contact *items; /* [count], owned */
  int64_t count, room;
};

/* A node at a time. */
struct hs_law_node {
  int i, j;
  int held; /* the shape that holds it, hs_law_held_by; -1: none */
  double time_s;
};

/* How a law depends on time. */
struct hs_law_change {
  bool timed;           /* it does */
  bool placed;          /* through a value that depends on the place, too */
  uint64_t fingerprint; /* hash of what acts on the node: segments and their lengths, held shape */
};

void hs_laws_prepare(const struct hs_problem *problem, struct hs_laws *laws);

/* The part of a law that follows from the cells: conductances, painted sources, losses, capacity. */
void hs_law_of_cells(const struct hs_laws *laws, int i, int j, struct hs_node_law *law);

/* Cell west (side HS_WEST), ... of node (i, j) in the cell layout; in the vertex layout the cells south-west, south-east,
 * north-west, north-east of it in this order. -1 beyond an open wall. */
void hs_law_cells_around(const struct hs_laws *laws, int i, int j, int64_t cells[4]);

/* Conductivity of a cell (cj * cells_x + ci) in x or y, W/(m K). */
double hs_law_conductivity(const struct hs_problem *problem, int64_t cell, bool along_x);

/* Conductance between two cells of the cell layout, W/(m K); 0 where one is -1, beyond a wall. */
double hs_law_face(const struct hs_problem *problem, int64_t a, int64_t b, bool along_x);

/* A source that is not painted on cells (a node, a rectangle) heats a part of a node's control volume: its extents, m, in x
 * and in y, and the heat released there, W/m. */
double hs_law_source_extent(const struct hs_laws *laws, const struct hs_config_source *source, bool along_x, int index);
double hs_law_source_power(const struct hs_laws *laws, const struct hs_config_source *source, double extent_x_m,
                           double extent_y_m);

/* Does node (i, j) lie on a wall of the plate that is not periodic? */
bool hs_law_on_wall(const struct hs_laws *laws, int i, int j);

/* The last shape that holds node (i, j), -1 for none. */
int hs_law_held_by(const struct hs_laws *laws, int i, int j);

/* Adds to the law what walls and the held shape do, appends the contacts and says how the law depends on time; contacts and
 * change may be NULL. Errors: HS_ERR_CONFIG (a value without a finite result; h below 0), HS_ERR_MEMORY. */
hs_status hs_law_add_walls(const struct hs_laws *laws, const struct hs_law_node *node, struct hs_node_law *law,
                           struct hs_contacts *contacts, struct hs_law_change *change, struct hs_error *err);

/* The whole law at time_s, bit for bit what hs_problem_build_system makes; contacts as above. */
hs_status hs_law_at(const struct hs_laws *laws, int i, int j, double time_s, struct hs_node_law *law,
                    struct hs_contacts *contacts, struct hs_error *err);

/* A law without negative zeros. */
struct hs_node_law hs_law_tidy(const struct hs_node_law *law);

#endif
