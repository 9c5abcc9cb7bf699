/* The state of cpu-reference, and what its sweeps, steps and norms share: where a node's neighbours are, and J(t). */
#ifndef HS_BACKEND_REFERENCE_STATE_H
#define HS_BACKEND_REFERENCE_STATE_H

#include "backend/backend.h"
#include "numerics/node.h"

/* Fields of one precision; the others are NULL. */
struct hs_reference_state {
  const struct hs_system *system;
  bool single;
  double *now, *before, *saved;                     /* [ny*nx] K, double precision */
  double *r;                                        /* [ny*nx] constants of the nodes' own, K; NULL: none */
  float *now_single, *before_single, *saved_single; /* the same in single precision */
  float *r_single;
  struct hs_relaxation relaxation;
  double omega; /* where Chebyshev's recursion stands */
};

/* The state behind a handle of the interface. */
static inline struct hs_reference_state *hs_reference_state(struct hs_backend_state *backend)
{
  return (struct hs_reference_state *)backend;
}

/* The number of the node in column i and row j. */
HS_INLINE_ALWAYS size_t hs_reference_node(const struct hs_system *s, int i, int j)
{
  return (size_t)j * (size_t)s->nx + (size_t)i;
}

HS_INLINE_ALWAYS const struct hs_stencil_f64 *hs_reference_stencil_f64(const struct hs_system *s, size_t n)
{
  return &s->stencil[hs_system_index(s, n)];
}

HS_INLINE_ALWAYS const struct hs_stencil_f32 *hs_reference_stencil_f32(const struct hs_system *s, size_t n)
{
  return &s->stencil_single[hs_system_index(s, n)];
}

/* Numbers of a node's neighbours; -1 beyond an open wall. */
struct hs_reference_neighbours {
  ptrdiff_t west, east, south, north;
};

HS_INLINE_ALWAYS struct hs_reference_neighbours hs_reference_neighbours(const struct hs_system *s, int i, int j)
{
  const ptrdiff_t n = (ptrdiff_t)j * s->nx + i, row = n - i, rows = s->ny - 1;
  struct hs_reference_neighbours at = {n - 1, n + 1, n - s->nx, n + s->nx};
  if (i == 0) at.west = s->wrap_x < 0 ? -1 : row + s->nx - 1 - s->wrap_x;
  if (i == s->nx - 1) at.east = s->wrap_x < 0 ? -1 : row + s->wrap_x;
  if (j == 0) at.south = s->wrap_y < 0 ? -1 : (rows - s->wrap_y) * s->nx + i;
  if (j == s->ny - 1) at.north = s->wrap_y < 0 ? -1 : (ptrdiff_t)s->wrap_y * s->nx + i;
  return at;
}

HS_INLINE_ALWAYS double hs_reference_at_f64(const double *t, ptrdiff_t n)
{
  return n < 0 ? 0.0 : t[n];
}

HS_INLINE_ALWAYS float hs_reference_at_f32(const float *t, ptrdiff_t n)
{
  return n < 0 ? 0.0f : t[n];
}

/* J(t) at a node: its stencil with the constant c, from the temperatures t. */
HS_INLINE_ALWAYS double hs_reference_jacobi_f64(const struct hs_system *s, const double *t, double c, int i, int j)
{
  const struct hs_reference_neighbours at = hs_reference_neighbours(s, i, j);
  return hs_node_general_f64(hs_reference_stencil_f64(s, hs_reference_node(s, i, j)), c,
                             hs_reference_at_f64(t, at.west), hs_reference_at_f64(t, at.east),
                             hs_reference_at_f64(t, at.south), hs_reference_at_f64(t, at.north));
}

HS_INLINE_ALWAYS float hs_reference_jacobi_f32(const struct hs_system *s, const float *t, float c, int i, int j)
{
  const struct hs_reference_neighbours at = hs_reference_neighbours(s, i, j);
  return hs_node_general_f32(hs_reference_stencil_f32(s, hs_reference_node(s, i, j)), c,
                             hs_reference_at_f32(t, at.west), hs_reference_at_f32(t, at.east),
                             hs_reference_at_f32(t, at.south), hs_reference_at_f32(t, at.north));
}

/* A node's temperature as double, 0 beyond an open wall. */
static inline double hs_reference_value(const struct hs_reference_state *state, ptrdiff_t n)
{
  if (n < 0) return 0.0;
  return state->single ? (double)state->now_single[n] : state->now[n];
}

/* Operations of struct hs_backend. */
hs_status hs_reference_sweep(struct hs_backend_state *backend, int64_t n, struct hs_error *err);
hs_status hs_reference_relax(struct hs_backend_state *backend, const struct hs_relaxation *relaxation,
                             struct hs_error *err);
hs_status hs_reference_update(struct hs_backend_state *backend, const struct hs_system *system, bool weights_changed,
                              struct hs_error *err);
hs_status hs_reference_step(struct hs_backend_state *backend, bool trapezoid, struct hs_error *err);
hs_status hs_reference_sweep_normed(struct hs_backend_state *backend, int64_t n, const struct hs_bounds *bounds,
                                    struct hs_norms *norms, struct hs_error *err);
struct hs_norm_sums; /* backend/part.h */
hs_status hs_reference_norm_sums(struct hs_backend_state *backend, const struct hs_bounds *bounds, bool full,
                                 struct hs_norm_sums *sums, struct hs_error *err);
hs_status hs_reference_norms(struct hs_backend_state *backend, const struct hs_bounds *bounds, struct hs_norms *norms,
                             struct hs_error *err);
hs_status hs_reference_distance(struct hs_backend_state *backend, double *distance_k, struct hs_error *err);
hs_status hs_reference_largest(struct hs_backend_state *backend, double *largest_k, struct hs_error *err);

/* Sets r to the source map's share of the constants, where the state has an r. */
void hs_reference_reset_constants(struct hs_reference_state *state);

#endif
