/* The discrete system: one five-point stencil per node.
 *
 * Vertex-centred control volumes on a rectangular grid, node (i, j) at x = i dx from the
 * west, y = j dy from the south, stored at j*nx + i. The balance of the control volume
 * around a free node, per metre of depth,
 *
 *     sum over faces of G_f (T_neighbour - T) + b = 0,     G in W/(m K), b in W/m,
 *
 * solved for T gives the Jacobi update T' = sum (G_f / diagonal) T_neighbour + b/diagonal
 * with diagonal = sum G_f (Patankar, Numerical Heat Transfer and Fluid Flow, 1980, ch. 4).
 * A held (Dirichlet) node is a stencil with zero weights whose constant is its temperature.
 *
 * Real parts have few distinct stencils, so the system stores a palette and one index per
 * node. Weights are stored times four: with equal spacing they are then exactly 1, and the
 * update needs no multiplication (see backend/node.h).
 */
#ifndef HS_PROBLEM_SYSTEM_H
#define HS_PROBLEM_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/node.h"
#include "base/status.h"

/* A stencil in physical units, from which heat flows are computed. */
struct hs_conductances {
  double west, east, south, north; /* W/(m K); 0 for a held node */
  double source;                   /* W/m; 0 for a held node */
};

struct hs_system {
  int nx, ny;
  double dx_m, dy_m;
  int palette_size;                      /* distinct stencils, at most 65536 */
  struct hs_stencil_f64 *stencil;        /* [palette_size] weights times four, c, diagonal */
  struct hs_stencil_f32 *stencil_single; /* the same rounded to single precision */
  struct hs_conductances *conductances;  /* [palette_size] */
  uint16_t *index;                       /* [ny*nx] palette entry of each node */
  int64_t free_nodes;                    /* nodes that are not held */
  bool uniform;                          /* all free nodes have the same four weights and diagonal */
  bool symmetric; /* the iteration matrix is symmetric, so the 2-norm of plain Jacobi's update falls monotonically */
};

void hs_system_destroy(struct hs_system *system); /* NULL is accepted */

#endif
