/* Fields beside the present one, out and in: what a run needs to be gone on with elsewhere. */
#include "backend/cpu/state.h"

/* A natural field into field_k. */
static void field_unpack(const struct hs_cpu_state *state, const void *field, double *field_k)
{
  const size_t nx = (size_t)state->system->nx;
#pragma omp parallel for schedule(static) num_threads(hs_cpu_team_wanted(state))
  for (int j = 0; j < state->system->ny; j++) {
    double *to = field_k + (size_t)j * nx;
    const size_t row = hs_cpu_row(state, j);
    for (size_t i = 0; i < nx; i++)
      to[i] = state->single ? (double)((const float *)field)[row + i] : ((const double *)field)[row + i];
  }
}

/* And back, ghosts included. */
static void field_pack(const struct hs_cpu_state *state, void *field, const double *field_k)
{
  const size_t nx = (size_t)state->system->nx;
#pragma omp parallel for schedule(static) num_threads(hs_cpu_team_wanted(state))
  for (int j = 0; j < state->system->ny; j++) {
    const double *from = field_k + (size_t)j * nx;
    const size_t row = hs_cpu_row(state, j);
    for (size_t i = 0; i < nx; i++) {
      if (state->single)
        ((float *)field)[row + i] = (float)from[i];
      else
        ((double *)field)[row + i] = from[i];
    }
    hs_cpu_row_wrap(state, field, j);
  }
}

hs_status hs_cpu_fetch_role(struct hs_backend_state *backend, enum hs_field_role role, double *field_k,
                            struct hs_error *err)
{
  struct hs_cpu_state *state = hs_cpu_state(backend);
  hs_status status = HS_OK;
  if (role == HS_FIELD_NOW) hs_cpu_make_natural(state);
  if (role == HS_FIELD_BEFORE) status = hs_cpu_predecessor(state, err);
  if (role == HS_FIELD_SAVED) hs_cpu_saved_make_natural(state);
  if (status) return status;
  field_unpack(state,
               role == HS_FIELD_NOW      ? state->now
               : role == HS_FIELD_BEFORE ? state->before
                                         : state->saved,
               field_k);
  return HS_OK;
}

hs_status hs_cpu_load_before(struct hs_backend_state *backend, const double *field_k, struct hs_error *err)
{
  struct hs_cpu_state *state = hs_cpu_state(backend);
  (void)err;
  hs_cpu_predecessor_forget(state);
  if (state->before == state->now || state->before == state->saved) state->before = hs_cpu_free_field(state);
  field_pack(state, state->before, field_k);
  return HS_OK;
}
