/* The sweep of cpu-reference.
 *
 * Every node looks up its stencil and its neighbours, and applies the formula of node.h:
 *
 *     u = 1/4 (vW tW + vE tE + vS tS + vN tN) + c       in the order that node.h fixes
 *
 * A plain sweep stores u; a relaxed one combines u with the temperature now or before (relaxation.h).
 */
#include "backend/reference/state.h"

/* A relaxed sweep's temperature of a node, from u = J(t) and the node's temperatures now and before. */
HS_INLINE_ALWAYS double relaxed_f64(enum hs_form form, double weight, const struct hs_stencil_f64 *node, double u,
                                    double now, double before)
{
  const int dirichlet = node->diagonal == 0.0;
  return form == HS_FORM_WEIGHTED ? hs_node_relax_f64(weight * node->relax, u, now, dirichlet)
                                  : hs_node_relax_f64(weight, u, before, dirichlet);
}

HS_INLINE_ALWAYS float relaxed_f32(enum hs_form form, float weight, const struct hs_stencil_f32 *node, float u,
                                   float now, float before)
{
  const int dirichlet = node->diagonal == 0.0f;
  return form == HS_FORM_WEIGHTED ? hs_node_relax_f32(weight * node->relax, u, now, dirichlet)
                                  : hs_node_relax_f32(weight, u, before, dirichlet);
}

/* One sweep over all nodes, from t to next, which holds the field before t on entry. r: constants of the nodes' own. */
HS_FAST_FMA static void sweep_f64(const struct hs_system *s, const double *r, enum hs_form form, double weight,
                                  const double *t, double *next)
{
  for (int j = 0; j < s->ny; j++) {
    for (int i = 0; i < s->nx; i++) {
      const size_t n = hs_reference_node(s, i, j);
      const struct hs_stencil_f64 *node = hs_reference_stencil_f64(s, n);
      const double u = hs_reference_jacobi_f64(s, t, r ? node->c + r[n] : node->c, i, j);
      next[n] = form == HS_FORM_JACOBI ? u : relaxed_f64(form, weight, node, u, t[n], next[n]);
    }
  }
}

HS_FAST_FMA static void sweep_f32(const struct hs_system *s, const float *r, enum hs_form form, float weight,
                                  const float *t, float *next)
{
  for (int j = 0; j < s->ny; j++) {
    for (int i = 0; i < s->nx; i++) {
      const size_t n = hs_reference_node(s, i, j);
      const struct hs_stencil_f32 *node = hs_reference_stencil_f32(s, n);
      const float u = hs_reference_jacobi_f32(s, t, r ? node->c + r[n] : node->c, i, j);
      next[n] = form == HS_FORM_JACOBI ? u : relaxed_f32(form, weight, node, u, t[n], next[n]);
    }
  }
}

hs_status hs_reference_sweep(struct hs_backend_state *backend, int64_t n, struct hs_error *err)
{
  struct hs_reference_state *state = hs_reference_state(backend);
  (void)err;
  for (int64_t k = 0; k < n; k++) {
    double weight;
    const enum hs_form form = hs_relaxation_next(&state->relaxation, &state->omega, &weight);
    if (state->single) {
      float *const next = state->before_single;
      sweep_f32(state->system, state->r_single, form, (float)weight, state->now_single, next);
      state->before_single = state->now_single;
      state->now_single = next;
    } else {
      double *const next = state->before;
      sweep_f64(state->system, state->r, form, weight, state->now, next);
      state->before = state->now;
      state->now = next;
    }
  }
  return HS_OK;
}

hs_status hs_reference_relax(struct hs_backend_state *backend, const struct hs_relaxation *relaxation,
                             struct hs_error *err)
{
  struct hs_reference_state *state = hs_reference_state(backend);
  (void)err;
  state->relaxation = *relaxation;
  state->omega = relaxation->omega;
  return HS_OK;
}
