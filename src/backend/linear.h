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

#include <math.h>
#include <stdbool.h>

#include "base/status.h"
#include "numerics/coarsening.h"
#include "numerics/multigrid.h"
#include "numerics/total.h"
#include "problem/system.h"

struct hs_backend_options;
struct hs_backend_state;
struct hs_operator;
struct hs_vector;

/* The heat that an operator's balance knows of beside its own. All NULL and 0: nothing. */
struct hs_right_side {
  const struct hs_vector *start; /* of an implicit step: its storage counts from that field; */
  const struct hs_vector *rest;  /* heat that Crank-Nicolson carries over from there, W/m; or the right-hand side */
  bool alone;                    /* of A x = rest, where neither heat nor sources count */
  double mean; /* which a residual loses at every node: singular systems, whose heat is balanced but for rounding */
};

/* Largest magnitude and 2-norm of a residual, W/m, and the mean that it has lost. */
struct hs_residual_norms {
  double max, l2, mean;
};

/* What an operation is asked of a correction z = B r of an iterate x: z and f, about r, in single precision and times these
 * factors, powers of two; p, the direction of the step by alpha that led to x, or NULL. */
struct hs_examination {
  struct hs_vector *z;
  double unscale;
  const struct hs_vector *f;
  double unscale_f;
  const struct hs_vector *p;
  double alpha;
};

/* What z says. */
struct hs_correction {
  double zr;                         /* sum of z r, W K/m */
  double z_az, p_az;                 /* sums of z A z and p A z, W K/m; the second 0 without p */
  double max;                        /* max |z|, K */
  double behind_max;                 /* max |alpha p + z|, K: about the error of the iterate before */
  struct hs_residual_norms residual; /* of r */
};

/* A step of conjugate gradients: p_to = unscale z + beta p in single precision, x_to = x + alpha p_to, and f = scale r in
 * single precision, r the residual of x_to. What is read is nothing that is written. */
struct hs_linear_step {
  const struct hs_vector *z;
  double unscale, beta;
  const struct hs_vector *p;
  double alpha;
  const struct hs_vector *x;
  struct hs_right_side right;
  double scale;
  struct hs_vector *p_to, *x_to, *f;
};

/* A step of Richardson's iteration (Phil. Trans. R. Soc. A 210, 1911), along a correction alone: x_to = x + length z, z in single
 * precision and times `unscale`, a power of two, and f = scale r in single precision, r the residual of x_to. What is read
 * is nothing that is written. */
struct hs_richardson {
  const struct hs_vector *z;
  double unscale, length;
  const struct hs_vector *x;
  struct hs_right_side right;
  double scale;
  struct hs_vector *x_to, *f;
};

/* What it has found: max |z|, K, and max |x_to|, K, but for 2^-20 of it; of the residual of x_to, as f has it. */
struct hs_richardson_found {
  double z_max, x_max;
  struct hs_residual_norms residual;
};

enum { HS_PICKED = 2 };

struct hs_recording; /* operations that can be repeated at once */

struct hs_linear {
  bool device; /* one device does all the work, and the host's processors are free */

  /* The operator of a system, which must outlive it. state: NULL, or a state of the same backend (where it has `take`) and
   * system, which may have on the device what the operator needs there, too; it is read until the first
   * operation that waits. */
  hs_status (*create)(const struct hs_system *system, const struct hs_backend_options *options,
                      const struct hs_backend_state *state, struct hs_operator **op, struct hs_error *err);

  /* Takes over another discretisation of the same nodes. couplings: not only the heat differs; coarser operators must have
   * been destroyed, and are to be made anew. Vectors stay. */
  hs_status (*update)(struct hs_operator *op, const struct hs_system *system, bool couplings, struct hs_error *err);

  void (*destroy)(struct hs_operator *op); /* the finest one last; NULL is accepted */

  struct hs_grid (*grid)(const struct hs_operator *op);

  /* Where in that grid the nodes of the system lie that the finest operator was made of. NULL: they are all of it. */
  struct hs_rectangle (*given)(const struct hs_operator *op);

  /* --- coarser operators --- */

  hs_status (*shares)(struct hs_operator *op, struct hs_level_shares *shares, struct hs_error *err);

  /* The Galerkin operator on every second column, row, or both, and the interpolation from it, which op keeps. *passes: are
   * cycle_down and cycle_up wanted between the two; it becomes whether they can be used. */
  hs_status (*coarsen)(struct hs_operator *op, bool x, bool y, bool *passes, struct hs_operator **coarse,
                       struct hs_error *err);

  /* Optional: cycle_down and cycle_up are not wanted between the two after all. Not after settle, before which op may be coarsened
   * otherwise, too. NULL: neither. */
  hs_status (*weights)(struct hs_operator *op, struct hs_error *err);

  /* All couplings, [ny*nx][9] as hs_couplings_gather has them, for a direct solution; and the inverse, [n*n]. */
  hs_status (*rows)(struct hs_operator *op, double (*rows)[9], struct hs_error *err);
  hs_status (*invert)(struct hs_operator *op, const double *inverse, struct hs_error *err);

  /* Frees what only the making of levels needs. */
  void (*settle)(struct hs_operator *op);

  /* --- vectors --- */

  /* Its ghosts are 0, the values of its nodes whatever they may be. */
  hs_status (*vector_create)(const struct hs_operator *op, bool single, struct hs_vector **v, struct hs_error *err);
  void (*vector_destroy)(struct hs_vector *v); /* NULL is accepted */

  /* The present field of a backend's state into a vector, and back, where it becomes both fields as by hs_backend.load.
   * Dirichlet nodes get the operator's temperatures. NULL: by put and fetch; so, too, where takes, if it is there, says no. */
  bool (*takes)(const struct hs_operator *op);
  hs_status (*take)(const struct hs_operator *op, const struct hs_backend_state *state, struct hs_vector *v,
                    struct hs_error *err);
  hs_status (*give)(const struct hs_operator *op, const struct hs_vector *v, struct hs_backend_state *state,
                    struct hs_error *err);

  /* A field of the system, [ny*nx] K, into a vector; Dirichlet nodes as with take. NULL where take is there and takes is not. */
  hs_status (*put)(const struct hs_operator *op, const double *field_k, struct hs_vector *v, struct hs_error *err);

  /* The values of a vector of a system's operator as they are, [ny*nx] of the system: nodes that periodic walls have twice
   * are both given, and taken from the first. */
  hs_status (*fetch)(const struct hs_operator *op, const struct hs_vector *v, double *values, struct hs_error *err);
  hs_status (*load)(const struct hs_operator *op, const double *values, struct hs_vector *v, struct hs_error *err);

  /* values[k][count]: those of vector v[k], k < HS_PICKED, of a system's operator at these nodes of the system, as fetch has them.
   * Collective. */
  hs_status (*pick)(const struct hs_operator *op, const struct hs_vector *const v[HS_PICKED], const int64_t *node,
                    int64_t count, double *const values[HS_PICKED], struct hs_error *err);

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

  /* Static condensation (Dendy, J. Comput. Phys. 48, 1982, has it in his full multigrid): u = F f, what f alone gives the nodes
   * between coarse ones (hs_level_line, hs_level_middle), 0 at coarse ones; coarse_f = W^T (f - A u). room: of op's nodes, overwritten. */
  hs_status (*cycle_condense)(struct hs_operator *op, const struct hs_vector *f, struct hs_vector *u,
                              struct hs_vector *room, const struct hs_operator *coarse, struct hs_vector *coarse_f,
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

  /* Optional: the last levels of a cycle at once. tail: of these operators, the coarsest one last, how many at the end, at
   * least two, can be taken so; 0: none. All but the last one are coarsened in both directions; those with segments[k] are
   * smoothed on them, the others have passes. cycle_tail: u on the first of them from its f, with what the operations of each
   * level give; vectors of the others are not used. weights: two of relaxations, as cycle_down has them and cycle_up in
   * reverse, and that of segments, in the passes of hs_segments_of_pass from u = 0 on the way down, backwards on the way up.
   * NULL: neither. */
  int (*tail)(struct hs_operator *const *op, const bool *segments, int count);
  hs_status (*cycle_tail)(struct hs_operator *const *op, const bool *segments, int count, const struct hs_vector *f,
                          const double weights[3], struct hs_vector *u, struct hs_error *err);

  /* Optional: operations of cycles between the first two are recorded, not done; the third one does them. NULL: none of
   * them. */
  hs_status (*record)(struct hs_operator *op, struct hs_error *err);
  hs_status (*recorded)(struct hs_operator *op, struct hs_recording **recording, struct hs_error *err);
  hs_status (*repeat)(struct hs_operator *op, struct hs_recording *recording, struct hs_error *err);
  void (*forget)(struct hs_recording *recording); /* NULL is accepted */

  /* --- conjugate gradients on the finest operator --- */

  /* r = heat that goes into each node at temperatures x; constants (singular systems): less its mean, norms->mean. */
  hs_status (*residual)(struct hs_operator *op, const struct hs_vector *x, const struct hs_right_side *right,
                        struct hs_vector *r, struct hs_residual_norms *norms, struct hs_error *err);

  /* f = scale r in single precision */
  hs_status (*round)(struct hs_operator *op, const struct hs_vector *r, double scale, struct hs_vector *f,
                     struct hs_error *err);

  /* What z says; singular systems: z loses its mean first. */
  hs_status (*examine)(struct hs_operator *op, const struct hs_examination *of, struct hs_correction *correction,
                       struct hs_error *err);

  hs_status (*advance)(struct hs_operator *op, const struct hs_linear_step *step, struct hs_error *err);

  /* --- Richardson's iteration on the finest operator; not for singular systems --- */

  hs_status (*richardson)(struct hs_operator *op, const struct hs_richardson *step, struct hs_richardson_found *found,
                          struct hs_error *err);

  /* --- fields --- */

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
  grid.pitch = (grid.nx + 3 + line - 1) / line * line;
  grid.periodic_x = system->wrap_x >= 0;
  grid.periodic_y = system->wrap_y >= 0;
  return grid;
}

/* behind_max is that of behind p + z, in the scale of z and in single precision, with this factor. */
static inline float hs_linear_behind(const struct hs_examination *of)
{
  return of->p ? (float)(of->alpha / of->unscale) : 0.0F;
}

/* From the tally of an examination. */
static inline struct hs_correction hs_linear_correction(const struct hs_tally *t, const struct hs_examination *of)
{
  struct hs_correction c;
  c.zr = hs_total_value(&t->sum[HS_SUM_ZR]) * of->unscale * of->unscale_f;
  c.z_az = hs_total_value(&t->sum[HS_SUM_Z_AZ]) * of->unscale * of->unscale;
  c.p_az = of->p ? hs_total_value(&t->sum[HS_SUM_P_AZ]) * of->unscale : 0.0;
  c.max = t->max[HS_MAX_Z] * of->unscale;
  c.behind_max = of->p ? t->max[HS_MAX_BEHIND] * of->unscale : 0.0;
  c.residual.max = t->max[HS_MAX_R] * of->unscale_f;
  c.residual.l2 = sqrt(hs_total_value(&t->sum[HS_SUM_RR])) * of->unscale_f;
  c.residual.mean = 0.0;
  return c;
}

/* From the tally of a step: maxima of z, f and x_to, and the sum of f f. */
static inline struct hs_richardson_found hs_richardson_found(const struct hs_tally *t, const struct hs_richardson *step)
{
  struct hs_richardson_found found;
  found.z_max = t->max[HS_MAX_Z] * step->unscale;
  found.x_max = t->max[HS_MAX_X];
  found.residual.max = t->max[HS_MAX_R] / step->scale;
  found.residual.l2 = sqrt(hs_total_value(&t->sum[0])) / step->scale;
  found.residual.mean = 0.0;
  return found;
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
