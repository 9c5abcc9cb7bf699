/* The norms of cpu-reference: every node in order; the sums do not depend on that order (exactsum.h). */
#include <math.h>

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

/* Norms of the last update only, over all nodes: a held temperature may change with time. */
HS_FAST_FMA static void update_norms(const struct hs_reference_state *state, const struct hs_bounds *bounds,
                                     struct hs_norms *norms)
{
  const size_t nodes = (size_t)state->system->nx * (size_t)state->system->ny;
  const struct hs_sum_split split = hs_sum_split_for((int64_t)nodes);
  const double scale = hs_sum_scale(bounds->update_max);
  struct hs_sum sum = {0.0, 0.0};
  double maximum = 0.0;
  for (size_t n = 0; n < nodes; n++) {
    const double update = update_of(state, n);
    hs_sum_add_square(&sum, split, update * scale);
    maximum = larger(fabs(update), maximum);
  }
  norms->update_l2 = hs_sum_norm(sum, scale);
  norms->update_max = maximum;
  norms->residual_l2 = norms->residual_max = norms->two_sweep_max = norms->correction_max = NAN;
}

/* All norms: what one further plain update, in double precision, would do to the free nodes. */
HS_FAST_FMA static void all_norms(const struct hs_reference_state *state, const struct hs_bounds *bounds,
                                  struct hs_norms *norms)
{
  const struct hs_system *s = state->system;
  const struct hs_sum_split split = hs_sum_split_for((int64_t)s->nx * s->ny);
  const double scale = hs_sum_scale(bounds->residual_max);
  struct hs_sum sum = {0.0, 0.0};

  update_norms(state, bounds, norms);
  norms->residual_max = norms->two_sweep_max = norms->correction_max = 0.0;
  for (int j = 0; j < s->ny; j++) {
    for (int i = 0; i < s->nx; i++) {
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
      hs_sum_add_square(&sum, split, residual * scale);
      norms->residual_max = larger(fabs(residual), norms->residual_max);
      norms->two_sweep_max = larger(fabs(next - value_before(state, n)), norms->two_sweep_max);
      norms->correction_max = larger(fabs(correction), norms->correction_max);
    }
  }
  norms->residual_l2 = hs_sum_norm(sum, scale);
}

hs_status hs_reference_sweep_normed(struct hs_backend_state *backend, int64_t n, const struct hs_bounds *bounds,
                                    struct hs_norms *norms, struct hs_error *err)
{
  struct hs_reference_state *state = hs_reference_state(backend);
  for (int64_t k = 0; k < n; k++) {
    hs_reference_sweep(backend, 1, err);
    update_norms(state, bounds, &norms[k]);
  }
  return HS_OK;
}

hs_status hs_reference_norms(struct hs_backend_state *backend, const struct hs_bounds *bounds, struct hs_norms *norms,
                             struct hs_error *err)
{
  struct hs_reference_state *state = hs_reference_state(backend);
  (void)err;
  all_norms(state, bounds, norms);
  return HS_OK;
}

/* The difference is taken in the precision of the field, like the update's. */
hs_status hs_reference_distance(struct hs_backend_state *backend, double *distance_k, struct hs_error *err)
{
  struct hs_reference_state *state = hs_reference_state(backend);
  const size_t nodes = (size_t)state->system->nx * (size_t)state->system->ny;
  double maximum = 0.0;
  (void)err;
  for (size_t n = 0; n < nodes; n++)
    maximum = larger(state->single ? (double)fabsf(state->now_single[n] - state->saved_single[n])
                                   : fabs(state->now[n] - state->saved[n]),
                     maximum);
  *distance_k = maximum;
  return HS_OK;
}

hs_status hs_reference_largest(struct hs_backend_state *backend, double *largest_k, struct hs_error *err)
{
  struct hs_reference_state *state = hs_reference_state(backend);
  const size_t nodes = (size_t)state->system->nx * (size_t)state->system->ny;
  double largest = 0.0;
  (void)err;
  for (size_t n = 0; n < nodes; n++)
    largest = larger(fabs(state->single ? (double)state->now_single[n] : state->now[n]), largest);
  *largest_k = largest;
  return HS_OK;
}
