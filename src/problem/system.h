/* The discrete system: one five-point stencil per node.
 *
 * Control volumes on a rectangular grid around nodes (i, j), stored at j*nx + i, row 0 in the south.
 * The balance of the control volume around a free node, per metre of depth,
 *
 *     C dT/dt = sum over faces of G_f (T_neighbour - T) + b,     G in W/(m K), b in W/m, C in J/(m K),
 *
 * where b holds sources, wall fluxes and G T of ambient temperatures, solved for T gives the Jacobi
 * update T' = sum (G_f / diagonal) T_neighbour + b/diagonal with diagonal = sum G_f, conductances to
 * an ambient included (Patankar, Numerical Heat Transfer and Fluid Flow, 1980, ch. 4). A held
 * (Dirichlet) node is a stencil with zero weights whose constant is its temperature.
 *
 * Real workpieces have few distinct stencils, so the system stores a stencil table of node laws and one index per
 * node; a continuously varying conductivity has a law for every node and no index. The laws are physics;
 * the stencils that backends sweep with follow from them, the time scheme and the time step
 * (hs_system_discretise). A discretisation is const to all that use it: another time or time step is
 * another one (hs_system_derive). Weights are stored times four: with equal spacing they are then exactly 1, and
 * the update needs no multiplication (see numerics/node.h).
 *
 * Periodic walls: nodes on opposite walls are the same node (vertex layout), or neighbours (cell layout).
 * A sweep reads, west of column 0, column nx-1-wrap_x, and east of column nx-1 column wrap_x, where wrap_x
 * is 1 (vertex) or 0 (cell); -1 where the walls are not periodic. Likewise in y.
 *
 * A system of one rank among several has the nodes of its window (comm/subdomain.h). In a direction that is cut, ghost nodes
 * go on around periodic walls, and wrap_x is -1.
 */
#ifndef HS_PROBLEM_SYSTEM_H
#define HS_PROBLEM_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "comm/subdomain.h"
#include "config/config.h"
#include "numerics/law.h"

/* Heat that flows through a surface (a wall's segment, a held shape) at a node: its share of the heat that a Dirichlet
 * node gives off, plus conductance (ambient - T) + flux. */
struct hs_contact {
  int64_t node;
  int32_t surface; /* index into problem->surfaces */
  float share_x,
      share_y; /* of a Dirichlet node's heat through its faces in x, and in y; their mean is that of the rest.
                             1, or 1/2 between held segments of a wall; in a corner of held walls 1 and 0; free node: 0 */
  double conductance_w_mk, ambient_k;
  double flux_w_m;
};

struct hs_system {
  const struct hs_system *base; /* of a derived discretisation: owns what is shared; NULL otherwise */
  struct hs_comm *comm;         /* see hs_system_comm; not owned */
  int nx, ny;
  struct hs_rectangle own; /* see hs_system_own */
  int64_t grid_nodes;      /* see hs_system_grid_nodes */
  double dx_m, dy_m;
  int wrap_x, wrap_y;                    /* see above; -1: not periodic */
  int table_size;                        /* distinct laws; nx*ny where index is NULL */
  struct hs_node_law *law;               /* [table_size] */
  struct hs_stencil_f64 *stencil;        /* [table_size] weights times four, c, diagonal, relax, storage */
  struct hs_stencil_f32 *stencil_single; /* the same rounded to single precision */
  uint16_t *index;                       /* [ny*nx] coefficient index of each node; NULL: node n has entry n */
  double *source_w_m;                    /* [ny*nx] further source of each node (a source map), or NULL */
  struct hs_contact *contacts;           /* [contact_count], ascending nodes */
  int64_t contact_count;
  int64_t *timed_entries; /* [timed_count] entries that change with time, and a node each */
  int64_t *timed_nodes;
  int64_t timed_count;
  bool *owned;          /* [table_size] the law is that of some own node, not of ghost nodes alone; NULL: all are */
  bool twins;           /* nodes at periodic walls are stored twice (vertex layout) */
  int again_x, again_y; /* own columns and rows at the end, 0 or 1, that are the plate's first ones once more */
  /* From here on everything is a property of the whole plate, the same in every rank. */
  int64_t free_nodes;    /* nodes that are not held */
  enum hs_scheme scheme; /* that the stencils are for */
  double step_s;         /* time step that they are for */
  bool uniform;          /* all free nodes have the same four weights, diagonal and relax */
  bool symmetric; /* the iteration matrix is symmetric, so the 2-norm of plain Jacobi's update falls monotonically */
  bool singular;  /* no node is held and none has a conductance to an ambient: steady temperatures are
                     defined up to a constant */
  bool storing;   /* implicit time steps: each step has a right-hand side of its own */
  double contraction;    /* largest row sum of the weights, 1 - storage at most; 1 for steady problems. The error of an
                         iterate is at most contraction / (1 - contraction) times its largest update */
  double given_range_k;  /* of held, ambient and initial temperatures */
  double flow_floor_w_m; /* heat flows below this do not count in a relative imbalance */
  double flow_kelvin_w_mk; /* by how much heat flows change at most, in all, where free nodes change by one kelvin */
  double stable_step_s; /* explicit scheme: largest stable step, min capacity / diagonal; INFINITY without free nodes */
};

/* Have the nodes constants of their own beside the stencils': a source map, or what a time step stores? */
static inline bool hs_system_has_constants(const struct hs_system *system)
{
  return system->source_w_m || system->storing;
}

/* The nodes that norms, sums and contacts count: all but the ghost nodes of a subdomain. Nothing set: all. */
static inline struct hs_rectangle hs_system_own(const struct hs_system *system)
{
  const struct hs_rectangle all = {0, 0, system->nx, system->ny};
  return system->own.nx > 0 ? system->own : all;
}

/* The ranks that have the parts of the whole grid. Nothing set: this one. */
static inline struct hs_comm *hs_system_comm(const struct hs_system *system)
{
  return system->comm ? system->comm : hs_comm_alone();
}

/* Is entry k of the laws that of own nodes? Ghost nodes at the edge of a window can have others, which do not count. */
static inline bool hs_system_owns(const struct hs_system *system, int64_t k)
{
  return !system->owned || system->owned[k];
}

/* Nodes of the whole grid, of which this may be a subdomain. */
static inline int64_t hs_system_grid_nodes(const struct hs_system *system)
{
  return system->grid_nodes > 0 ? system->grid_nodes : (int64_t)system->nx * system->ny;
}

/* Coefficient index of node n. */
static inline size_t hs_system_index(const struct hs_system *system, size_t n)
{
  return system->index ? system->index[n] : n;
}

/* The column (or row) beside column `index` of n, step -1 or 1 away; `index` itself beyond an open wall. */
static inline int hs_system_beside(int index, int step, int n, int wrap)
{
  const int beside = index + step;
  if (beside >= 0 && beside < n) return beside;
  if (wrap < 0) return index;
  return beside < 0 ? n - 1 - wrap : wrap;
}

/* Sets stencil, stencil_single, scheme, step_s, storing, contraction, uniform and symmetric from the laws, for steps of
 * step_s (unused when steady). Implicit schemes divide by the storage term: C/step (backward Euler), 2 C/step
 * (Crank-Nicolson). *weights_changed (or NULL): whether more than the constants differs from `before`, a
 * discretisation of the same nodes, which may be system itself as it was. Collective over the system's ranks. Errors: those of
 * hs_comm_largest. */
hs_status hs_system_discretise(struct hs_system *system, enum hs_scheme scheme, double step_s,
                               const struct hs_system *before, bool *weights_changed, struct hs_error *err);

/* Stencils for nothing but the beginning of a Crank-Nicolson step (step of backend.h) over which conductances change:
 * with the laws of the step's start, hs_node_step gives its right-hand side over diagonal_w_mk, the diagonals
 * [table_size] of the step's end, by which the sweeps of the step divide. hs_system_discretise must follow. */
void hs_system_discretise_start(struct hs_system *system, double step_s, const double *diagonal_w_mk);

/* Another discretisation of the nodes of base, which must outlive it: stencils of its own (undefined until
 * hs_system_discretise), and with own_laws copies of the laws and contacts, so that hs_problem_time_set may change
 * them. All else is shared. The caller destroys *derived. Collective over the system's ranks. Errors: HS_ERR_MEMORY. */
hs_status hs_system_derive(const struct hs_system *base, bool own_laws, struct hs_system **derived,
                           struct hs_error *err);

void hs_system_destroy(struct hs_system *system); /* NULL is accepted */

#endif
