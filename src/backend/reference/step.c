/* Time steps of cpu-reference, and the constants of the nodes' own that they and source maps set. */
#include "backend/reference/state.h"

/* The source map's share of a node's constant, K; 0 where there is no map. */
static double base_of(const struct hs_system *s, size_t n)
{
  const double diagonal = s->stencil[hs_system_index(s, n)].diagonal;
  return s->source_w_m && diagonal != 0.0 ? s->source_w_m[n] / diagonal : 0.0;
}

/* r = source_w_m / diagonal. */
void hs_reference_reset_constants(struct hs_reference_state *state)
{
  const size_t nodes = (size_t)state->system->nx * (size_t)state->system->ny;
  for (size_t n = 0; state->r && n < nodes; n++) state->r[n] = base_of(state->system, n);
  for (size_t n = 0; state->r_single && n < nodes; n++) state->r_single[n] = (float)base_of(state->system, n);
}

/* Where steps store heat, r belongs to the step that has begun: the stencils may change under it. */
hs_status hs_reference_update(struct hs_backend_state *backend, const struct hs_system *system, bool weights_changed,
                              struct hs_error *err)
{
  struct hs_reference_state *state = hs_reference_state(backend);
  (void)weights_changed;
  (void)err;
  state->system = system;
  if (!system->storing) hs_reference_reset_constants(state);
  return HS_OK;
}

static double step_f64(const struct hs_system *s, bool trapezoid, const double *t, int i, int j)
{
  const size_t n = hs_reference_node(s, i, j);
  const struct hs_stencil_f64 *node = hs_reference_stencil_f64(s, n);
  const double base = base_of(s, n);
  if (node->diagonal == 0.0) return 0.0;
  return hs_node_step_f64(trapezoid, node->storage, t[n], hs_reference_jacobi_f64(s, t, node->c + base, i, j), base);
}

static float step_f32(const struct hs_system *s, bool trapezoid, const float *t, int i, int j)
{
  const size_t n = hs_reference_node(s, i, j);
  const struct hs_stencil_f32 *node = hs_reference_stencil_f32(s, n);
  const float base = (float)base_of(s, n);
  if (node->diagonal == 0.0f) return 0.0f;
  return hs_node_step_f32(trapezoid, node->storage, t[n], hs_reference_jacobi_f32(s, t, node->c + base, i, j), base);
}

hs_status hs_reference_step(struct hs_backend_state *backend, bool trapezoid, struct hs_error *err)
{
  struct hs_reference_state *state = hs_reference_state(backend);
  const struct hs_system *s = state->system;
  if (!state->r && !state->r_single)
    return hs_error_set(err, HS_ERR_UNSUPPORTED, "an implicit time step of a system that was made without storage");
  for (int j = 0; j < s->ny; j++) {
    for (int i = 0; i < s->nx; i++) {
      const size_t n = hs_reference_node(s, i, j);
      if (state->single)
        state->r_single[n] = step_f32(s, trapezoid, state->now_single, i, j);
      else
        state->r[n] = step_f64(s, trapezoid, state->now, i, j);
    }
  }
  return HS_OK;
}
