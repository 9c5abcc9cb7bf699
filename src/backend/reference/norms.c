/* The norms of cpu-reference: every node in order; the sums do not depend on that order (exactsum.h). */
#include <math.h>

#include "backend/part.h"
#include "backend/reference/state.h"

static double value_before(const struct hs_reference_state *state, size_t n)
{
  return state->single ? (double)state->before_single[n] : state->before[n];
}

static double constant_of(const struct hs_reference_state *state, size_t n)
{
  const double c = state->system->stencil[hs_system_index(state->system, n)].c;
  if (state->r_single) return c + (double)state->r_single[n];
  return state->r ? c + state->r[n] : c;
}

/* The update in the precision of the field. */
static double update_of(const struct hs_reference_state *state, size_t n)
{
  return state->single ? (double)(state->now_single[n] - state->before_single[n]) : state->now[n] - state->before[n];
}

static double larger(double a, double b)
{
  return a > b ? a : b;
}

/* Sums of the last update only, over all own nodes: a held temperature may change with time. */
HS_FAST_FMA static void update_sums(const struct hs_reference_state *state, double scale, struct hs_norm_sums *sums)
{
  const struct hs_system *s = state->system;
  const struct hs_rectangle own = hs_system_own(s);
  const struct hs_sum_split split = hs_sum_split_for(hs_system_grid_nodes(s));
  for (int j = own.y0; j < own.y0 + own.ny; j++) {
    for (int i = own.x0; i < own.x0 + own.nx; i++) {
      const double update = update_of(state, hs_reference_node(s, i, j));
      hs_sum_add_square(&sums->update, split, update * scale);
      sums->update_max = larger(fabs(update), sums->update_max);
    }
  }
}

/* What one further plain update, in double precision, would do to the free nodes. */
HS_FAST_FMA static void residual_sums(const struct hs_reference_state *state, double scale, struct hs_norm_sums *sums)
{
  const struct hs_system *s = state->system;
  const struct hs_rectangle own = hs_system_own(s);
  const struct hs_sum_split split = hs_sum_split_for(hs_system_grid_nodes(s));
  for (int j = own.y0; j < own.y0 + own.ny; j++) {
    for (int i = own.x0; i < own.x0 + own.nx; i++) {
      const size_t n = hs_reference_node(s, i, j);
      const struct hs_stencil_f64 *node = hs_reference_stencil_f64(s, n);
      const struct hs_reference_neighbours at = hs_reference_neighbours(s, i, j);
      double next, correction, residual;
      if (node->diagonal == 0.0) continue;
      next = hs_node_general_f64(node, constant_of(state, n), hs_reference_value(state, at.west),
                                 hs_reference_value(state, at.east), hs_reference_value(state, at.south),
                                 hs_reference_value(state, at.north));
      correction = next - hs_reference_value(state, (ptrdiff_t)n);
      residual = node->diagonal * correction;
      hs_sum_add_square(&sums->residual, split, residual * scale);
      sums->residual_max = larger(fabs(residual), sums->residual_max);
      sums->two_sweep_max = larger(fabs(next - value_before(state, n)), sums->two_sweep_max);
      sums->correction_max = larger(fabs(correction), sums->correction_max);
    }
  }
}

hs_status hs_reference_norm_sums(struct hs_backend_state *backend, const struct hs_bounds *bounds, bool full,
                                 struct hs_norm_sums *sums, struct hs_error *err)
{
  const struct hs_reference_state *state = hs_reference_state(backend);
  const struct hs_norm_sums none = {{0.0, 0.0}, {0.0, 0.0}, 0.0, 0.0, 0.0, 0.0};
  (void)err;
  *sums = none;
  update_sums(state, hs_sum_scale(bounds->update_max), sums);
  if (full) residual_sums(state, hs_sum_scale(bounds->residual_max), sums);
  return HS_OK;
}

hs_status hs_reference_sweep_normed(struct hs_backend_state *backend, int64_t n, const struct hs_bounds *bounds,
                                    struct hs_norms *norms, struct hs_error *err)
{
  for (int64_t k = 0; k < n; k++) {
    struct hs_norm_sums sums;
    hs_reference_sweep(backend, 1, err);
    hs_reference_norm_sums(backend, bounds, false, &sums, err);
    norms[k] = hs_norm_sums_finish(&sums, bounds, false);
  }
  return HS_OK;
}

hs_status hs_reference_norms(struct hs_backend_state *backend, const struct hs_bounds *bounds, struct hs_norms *norms,
                             struct hs_error *err)
{
  struct hs_norm_sums sums;
  hs_reference_norm_sums(backend, bounds, true, &sums, err);
  *norms = hs_norm_sums_finish(&sums, bounds, true);
  return HS_OK;
}

/* The difference is taken in the precision of the field, like the update's. */
hs_status hs_reference_distance(struct hs_backend_state *backend, double *distance_k, struct hs_error *err)
{
  struct hs_reference_state *state = hs_reference_state(backend);
  const struct hs_rectangle own = hs_system_own(state->system);
  double maximum = 0.0;
  (void)err;
  for (int j = own.y0; j < own.y0 + own.ny; j++) {
    for (int i = own.x0; i < own.x0 + own.nx; i++) {
      const size_t n = hs_reference_node(state->system, i, j);
      maximum = larger(state->single ? (double)fabsf(state->now_single[n] - state->saved_single[n])
                                     : fabs(state->now[n] - state->saved[n]),
                       maximum);
    }
  }
  *distance_k = maximum;
  return HS_OK;
}

hs_status hs_reference_largest(struct hs_backend_state *backend, double *largest_k, struct hs_error *err)
{
  struct hs_reference_state *state = hs_reference_state(backend);
  const struct hs_rectangle own = hs_system_own(state->system);
  double largest = 0.0;
  (void)err;
  for (int j = own.y0; j < own.y0 + own.ny; j++)
    for (int i = own.x0; i < own.x0 + own.nx; i++)
      largest = larger(fabs(hs_reference_value(state, (ptrdiff_t)hs_reference_node(state->system, i, j))), largest);
  *largest_k = largest;
  return HS_OK;
}
