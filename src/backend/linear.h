/* Operators and vectors: what multigrid and conjugate gradients need of a backend beside its sweeps.
 *
 * An operator is the balance of heat at the nodes of a grid (numerics/multigrid.h): that of a system, or a coarser one that
 * is made from another. A vector holds a value for each node of an operator's grid, in single precision for the cycle, in
 * double for conjugate gradients. Both are handles of the backend that made them. Every backend gives the same bits. Duplicate
 * nodes of periodic walls are left out. Operations whose name begins with `cycle` take vectors of single precision, the
 * others of double precision where nothing else is said. Errors: HS_ERR_MEMORY, HS_ERR_DEVICE.
 */
#ifndef HS_BACKEND_LINEAR_H
#define HS_BACKEND_LINEAR_H

#include <stdbool.h>

#include "base/status.h"
#include "numerics/coarsening.h"
#include "numerics/multigrid.h"
#include "problem/system.h"

struct hs_backend_options;
struct hs_backend_state;
struct hs_operator;
struct hs_vector;

/* What an implicit step adds to the balance: its storage counts from `start`, the field before it, and `rest` is the heat
 * that Crank-Nicolson carries over from there. NULL: nothing. */
struct hs_step_vectors {
  const struct hs_vector *start, *rest;
};

/* Largest magnitude and 2-norm of a residual, W/m. */
struct hs_residual_norms {
  double max, l2;
};

/* What the correction z of an iterate x says, and the step that led to x. */
struct hs_correction {
  double zr;                         /* sum of z r, W K/m */
  double max;                        /* max |z|, K */
  double behind_max;                 /* max |alpha p + z|, K: about the error of the iterate before */
  double alpha;                      /* of the step; 0 where pq was not positive, so that x has not moved */
  struct hs_residual_norms residual; /* of r */
};

struct hs_recording; /* operations that can be repeated at once */

struct hs_linear {
  /* The operator of a system, which must outlive it. state: NULL, or a state of the same backend (where it has `take`) and
   * system, which may have on the device what the operator needs there, too; it is read in this call only. */
  hs_status (*create)(const struct hs_system *system, const struct hs_backend_options *options,
                      const struct hs_backend_state *state, struct hs_operator **op, struct hs_error *err);

  /* Takes over another discretisation of the same nodes. couplings: not only the heat differs; coarser operators must have
   * been destroyed, and are to be made anew. Vectors stay. */
  hs_status (*update)(struct hs_operator *op, const struct hs_system *system, bool couplings, struct hs_error *err);

  void (*destroy)(struct hs_operator *op); /* the finest one last; NULL is accepted */

  struct hs_grid (*grid)(const struct hs_operator *op);

  /* --- coarser operators --- */

  hs_status (*shares)(struct hs_operator *op, struct hs_level_shares *shares, struct hs_error *err);

  /* The Galerkin operator on every second column, row, or both, and the interpolation from it, which op keeps. *passes: are
   * cycle_down and cycle_up wanted between the two; it becomes whether they can be used. */
  hs_status (*coarsen)(struct hs_operator *op, bool x, bool y, bool *passes, struct hs_operator **coarse,
                       struct hs_error *err);

  /* All couplings, [ny*nx][9] as hs_couplings_gather has them, for a direct solution; and the inverse, [n*n]. */
  hs_status (*rows)(struct hs_operator *op, double (*rows)[9], struct hs_error *err);
  hs_status (*invert)(struct hs_operator *op, const double *inverse, struct hs_error *err);

  /* Frees what only the making of levels needs. */
  void (*settle)(struct hs_operator *op);

  /* --- vectors --- */

  hs_status (*vector_create)(const struct hs_operator *op, bool single, struct hs_vector **v, struct hs_error *err);
  void (*vector_destroy)(struct hs_vector *v); /* NULL is accepted */

  /* The present field of a backend's state into a vector, and back, where it becomes both fields as by hs_backend.load.
   * Dirichlet nodes get the operator's temperatures. NULL: by put and fetch. */
  hs_status (*take)(const struct hs_operator *op, const struct hs_backend_state *state, struct hs_vector *v,
                    struct hs_error *err);
  hs_status (*give)(const struct hs_operator *op, const struct hs_vector *v, struct hs_backend_state *state,
                    struct hs_error *err);

  /* A field of the system, [ny*nx] K, into a vector; Dirichlet nodes as with take. NULL where that is there. */
  hs_status (*put)(const struct hs_operator *op, const double *field_k, struct hs_vector *v, struct hs_error *err);

  /* The values of a vector of a system's operator as they are, [ny*nx] of the system: nodes that periodic walls have twice
   * are both given, and taken from the first. */
  hs_status (*fetch)(const struct hs_operator *op, const struct hs_vector *v, double *values, struct hs_error *err);
  hs_status (*load)(const struct hs_operator *op, const double *values, struct hs_vector *v, struct hs_error *err);

  /* v = 0, ghosts too. */
  hs_status (*clear)(const struct hs_operator *op, struct hs_vector *v, struct hs_error *err);
  hs_status (*copy)(const struct hs_operator *op, const struct hs_vector *from, struct hs_vector *to,
                    struct hs_error *err);

  /* --- the cycle: D is the smoother's diagonal --- */

  /* u = weight D^-1 f */
  hs_status (*cycle_start)(struct hs_operator *op, const struct hs_vector *f, double weight, struct hs_vector *u,
                           struct hs_error *err);

  /* to = u + weight D^-1 (f - A u) */
  hs_status (*cycle_relax)(struct hs_operator *op, const struct hs_vector *u, const struct hs_vector *f, double weight,
                           struct hs_vector *to, struct hs_error *err);

  /* to = u + weight T^-1 (f - A u), T: the rows of A on segments of HS_SEGMENT nodes along x or y that begin where (index +
   * shift) is a multiple of it. */
  hs_status (*cycle_segments)(struct hs_operator *op, const struct hs_vector *u, const struct hs_vector *f,
                              const struct hs_segments *segments, struct hs_vector *to, struct hs_error *err);

  /* coarse_f = W^T (f - A u). r: room. */
  hs_status (*cycle_restrict)(struct hs_operator *op, const struct hs_vector *u, const struct hs_vector *f,
                              struct hs_vector *r, const struct hs_operator *coarse, struct hs_vector *coarse_f,
                              struct hs_error *err);

  /* u += W coarse_u */
  hs_status (*cycle_prolong)(struct hs_operator *op, const struct hs_operator *coarse, const struct hs_vector *coarse_u,
                             struct hs_vector *u, struct hs_error *err);

  /* Optional: the smoothing and the transfer in one pass, with what start, relax and restrict, or prolong, relax and relax
   * give with these weights in turn. NULL: neither. Fields that are only read on the one side must be others than those
   * written. Only where `coarsen` said that they can be used. */
  hs_status (*cycle_down)(struct hs_operator *op, const struct hs_vector *f, const double weights[2],
                          struct hs_vector *u, const struct hs_operator *coarse, struct hs_vector *coarse_f,
                          struct hs_error *err);
  hs_status (*cycle_up)(struct hs_operator *op, const struct hs_operator *coarse, const struct hs_vector *coarse_u,
                        const struct hs_vector *f, const double weights[2], const struct hs_vector *u,
                        struct hs_vector *to, struct hs_error *err);

  /* u = A^-1 f by the inverse. */
  hs_status (*cycle_solve)(struct hs_operator *op, const struct hs_vector *f, struct hs_vector *u,
                           struct hs_error *err);

  /* Optional: operations of cycles between the first two are recorded, not done; the third one does them. NULL: none of
   * them. */
  hs_status (*record)(struct hs_operator *op, struct hs_error *err);
  hs_status (*recorded)(struct hs_operator *op, struct hs_recording **recording, struct hs_error *err);
  hs_status (*repeat)(struct hs_operator *op, struct hs_recording *recording, struct hs_error *err);
  void (*forget)(struct hs_recording *recording); /* NULL is accepted */

  /* --- conjugate gradients on the finest operator --- */

  /* r = heat that goes into each node at temperatures x, step included; constants (singular systems): less its mean. */
  hs_status (*residual)(struct hs_operator *op, const struct hs_vector *x, const struct hs_step_vectors *step,
                        struct hs_vector *r, struct hs_residual_norms *norms, struct hs_error *err);

  /* f = scale r in single precision */
  hs_status (*round)(struct hs_operator *op, const struct hs_vector *r, double scale, struct hs_vector *f,
                     struct hs_error *err);

  /* What z, in single precision and times `unscale`, says; singular systems: z loses its mean first. p: the direction of the
   * step that led here, in single precision; NULL: there was none. */
  hs_status (*examine)(struct hs_operator *op, struct hs_vector *z, double unscale, const struct hs_vector *r,
                       const struct hs_vector *p, struct hs_correction *correction, struct hs_error *err);

  /* to = unscale z + beta p, all of single precision, and pq, the sum of p A p for the new p, which the operator keeps. */
  hs_status (*direct)(struct hs_operator *op, const struct hs_vector *z, double unscale, double beta,
                      const struct hs_vector *p, struct hs_vector *to, struct hs_error *err);

  /* alpha = zr / pq, or 0 where pq is not positive; x += alpha p, r -= alpha A p, and f = scale r in single precision. */
  hs_status (*advance)(struct hs_operator *op, double zr, const struct hs_vector *p, struct hs_vector *x,
                       struct hs_vector *r, double scale, struct hs_vector *f, struct hs_error *err);

  /* d = x - start in single precision, 0 at Dirichlet nodes. */
  hs_status (*change)(const struct hs_operator *op, const struct hs_vector *x, const struct hs_vector *start,
                      struct hs_vector *d, struct hs_error *err);

  /* max |x|, K. */
  hs_status (*largest)(struct hs_operator *op, const struct hs_vector *x, double *largest, struct hs_error *err);
};

/* Grid of a system's unknowns: of nodes that periodic walls have twice, one. Rows are whole multiples of `line` values. */
static inline struct hs_grid hs_linear_grid(const struct hs_system *system, int line)
{
  struct hs_grid grid;
  grid.nx = system->nx - (system->wrap_x > 0);
  grid.ny = system->ny - (system->wrap_y > 0);
  grid.pitch = (grid.nx + 2 + line - 1) / line * line;
  grid.periodic_x = system->wrap_x >= 0;
  grid.periodic_y = system->wrap_y >= 0;
  return grid;
}

/* What the time step of a system adds to the diagonal of a law, W/(m K). */
static inline double hs_linear_storage(const struct hs_system *system, const struct hs_node_law *law)
{
  if (!system->storing) return 0.0;
  return (system->scheme == HS_SCHEME_CRANK_NICOLSON ? 2.0 : 1.0) * law->capacity_j_mk / system->step_s;
}

/* cpu-reference: one thread. cpu: as many as options say. cuda: those whose fields are whole on the device. */
extern const struct hs_linear hs_linear_reference, hs_linear_cpu, hs_linear_cuda;

#endif
