/* The law of a node in physical units, and the stencil that follows from it.
 *
 * The balance of the control volume around a free node, per metre of depth, is
 *
 *     C dT/dt = sum over faces of G_f (T_neighbour - T) + b,     G in W/(m K), b in W/m, C in J/(m K)
 *
 * (Patankar, Numerical Heat Transfer and Fluid Flow, 1980, ch. 4). A time step adds its storage term to the diagonal.
 */
#ifndef HS_NUMERICS_LAW_H
#define HS_NUMERICS_LAW_H

#include <stdbool.h>

#include "numerics/node.h"

/* What makes a node, in physical units per metre of depth. Dirichlet nodes have conductances, too: the heat
 * that such a node gives off follows from them. */
struct hs_node_law {
  double west, east, south, north;  /* conductance to the neighbour, W/(m K); 0 beyond an open wall */
  double source_w_m;                /* sources and wall fluxes */
  double ambient_w_mk, ambient_w_m; /* conductance to ambients, and the sum of conductance times temperature */
  double capacity_j_mk;             /* heat capacity of the control volume; 0 in steady problems without one */
  double dirichlet_k;               /* temperature of a Dirichlet node */
  bool dirichlet;
};

/* Sum of the conductances to the neighbours, W/(m K). */
static inline double hs_law_neighbours(const struct hs_node_law *law)
{
  return (law->west + law->east) + (law->south + law->north);
}

/* Sum of all conductances, those to ambients included, W/(m K). */
static inline double hs_law_diagonal(const struct hs_node_law *law)
{
  return hs_law_neighbours(law) + law->ambient_w_mk;
}

/* The stencil of a law: weights times four, in the pair order that keeps equal weights exact (node.h).
 * storage_w_mk: the time step's part of the diagonal, C/step (backward Euler) or 2 C/step (Crank-Nicolson), else 0.
 * explicit_step_s: the step of the explicit scheme, else 0. */
static inline struct hs_stencil_f64 hs_law_stencil(const struct hs_node_law *law, double storage_w_mk,
                                                   double explicit_step_s)
{
  struct hs_stencil_f64 s = {0};
  s.relax = 1.0;
  if (law->dirichlet) {
    s.c = law->dirichlet_k;
    return s;
  }
  s.diagonal = hs_law_diagonal(law) + storage_w_mk;
  s.west = 4.0 * (law->west / s.diagonal);
  s.east = 4.0 * (law->east / s.diagonal);
  s.south = 4.0 * (law->south / s.diagonal);
  s.north = 4.0 * (law->north / s.diagonal);
  s.c = (law->source_w_m + law->ambient_w_m) / s.diagonal;
  s.storage = storage_w_mk / s.diagonal;
  if (explicit_step_s > 0.0) s.relax = explicit_step_s * s.diagonal / law->capacity_j_mk;
  return s;
}

/* The same stencil for fields in single precision. */
static inline struct hs_stencil_f32 hs_stencil_round(const struct hs_stencil_f64 *s)
{
  const struct hs_stencil_f32 r = {(float)s->west,     (float)s->east,     (float)s->south, (float)s->north,
                                   (float)s->c + 0.0f, (float)s->diagonal, (float)s->relax, (float)s->storage};
  return r;
}

/* Do two stencils of free nodes differ in nothing but their constants? */
static inline bool hs_stencil_weights_equal(const struct hs_stencil_f64 *a, const struct hs_stencil_f64 *b)
{
  return a->west == b->west && a->east == b->east && a->south == b->south && a->north == b->north &&
         a->diagonal == b->diagonal && a->relax == b->relax && a->storage == b->storage;
}

#endif
