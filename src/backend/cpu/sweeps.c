/* Sweeps of the cpu backend: one by one, or in passes of several (cpu/transposed.c), and which fields they take. */
#include <omp.h>

#include "backend/cpu/state.h"
#include "base/timer.h"

/* --- passes ---------------------------------------------------------------------------------- */

/* What a pass of Chebyshev's form reads besides the present field, and two fields without a role, which it
 * writes. */
static void chebyshev_targets(const struct hs_cpu_state *state, const struct hs_cpu_roles *roles,
                              struct hs_cpu_pass *pass)
{
  void *others[HS_CPU_FIELDS_CHEBYSHEV];
  int count = 0;
  for (int k = 0; k < state->tiling.field_count; k++)
    if (state->fields[k] != roles->now && state->fields[k] != roles->before && state->fields[k] != state->saved)
      others[count++] = state->fields[k];
  pass->source_before = roles->before;
  pass->target = others[0];
  pass->target_before = others[1];
}

/* A transposed field that is neither the present nor the remembered one. */
static void *transposed_target(const struct hs_cpu_state *state, const void *now)
{
  void *const *field = state->transposed;
  while (*field == now || *field == state->saved_transposed) field++;
  return *field;
}

/* Where a pass leaves the predecessor of its target: in a field that is neither the target nor remembered. It may be
 * the field that the pass reads, whose nodes have been read when this stage is written, from three stages on. */
static void *predecessor_target(const struct hs_cpu_state *state, const void *target)
{
  void *const *field = state->fields;
  while (*field == target || *field == state->saved) field++;
  return *field;
}

/* The barrier after a pass, which has taken this thread so long. The last one shares the rows out anew. */
static void pass_end(const struct hs_cpu_state *state, int stages, double pass_s)
{
  struct hs_cpu_subdomains *const subdomains = state->subdomains;
  const int thread = omp_get_thread_num(), team = hs_cpu_team_size(state);
  const bool known = team == subdomains->threads;
  if (known) hs_cpu_subdomains_count(subdomains, thread, stages, pass_s);
  if (!hs_barrier_is_last(&state->team->barrier, team, &state->team->waiting)) return;
  if (!known)
    hs_cpu_subdomains_reset(subdomains, team, stages);
  else if (team > 1)
    hs_cpu_subdomains_renew(subdomains, thread, true);
  atomic_fetch_add_explicit(&state->progress[state->threads].reached, 1, memory_order_relaxed);
  hs_cpu_team_open(state->team);
}

void hs_cpu_pass(const struct hs_cpu_state *state, struct hs_cpu_pass pass, bool left_transposed,
                 struct hs_cpu_roles *roles)
{
  const int thread = omp_get_thread_num();
  const double begin_s = hs_time_s();
  pass.source = roles->transposed ? roles->transposed : roles->now;
  pass.source_transposed = roles->transposed != NULL;
  pass.target_transposed = left_transposed && state->tiling.transposed_bytes && pass.form != HS_FORM_CHEBYSHEV;
  pass.target = pass.target_transposed ? transposed_target(state, roles->transposed)
                                       : hs_cpu_target(state, roles->now, roles->before);
  if (pass.form == HS_FORM_CHEBYSHEV)
    chebyshev_targets(state, roles, &pass);
  else if (pass.both_left)
    pass.target_before = predecessor_target(state, pass.target);
  hs_cpu_transposed_pass(state, &pass, thread);
  pass_end(state, pass.stages, hs_time_s() - begin_s);
  roles->read = pass.target_before ? NULL : roles->transposed;
  roles->before = pass.target_before ? pass.target_before : roles->now;
  roles->transposed = pass.target_transposed ? pass.target : NULL;
  roles->now = pass.target_transposed ? NULL : pass.target;
}

/* --- sweeps ---------------------------------------------------------------------------------- */

/* Does Chebyshev's recursion at omega give weights other than 1? Its first sweep is plain. */
static bool is_recursive(const struct hs_relaxation *relaxation, double omega)
{
  const double least_rho = 1e-3; /* below, the next omega might round to 1 */
  return relaxation->form == HS_FORM_CHEBYSHEV && omega > 0.0 && relaxation->rho > least_rho;
}

/* Sweeps to make next, of `left`: a pass of several, or one. The last pass leaves both fields, and has three sweeps at
 * least (predecessor_target), for least_blocked is 2 or more. */
static int sweeps_together(const struct hs_cpu_state *state, int64_t left, double omega)
{
  const struct hs_relaxation *relaxation = &state->relaxation;
  const int stages = hs_cpu_stages(state, relaxation->form);
  const int64_t passes = (left + stages - 1) / stages;
  if (left <= state->tiling.least_blocked) return 1;
  if (relaxation->form == HS_FORM_CHEBYSHEV && !is_recursive(relaxation, omega)) return 1;
  return (int)((left + passes - 1) / passes);
}

void hs_cpu_sweeps(const struct hs_cpu_state *state, int64_t n, bool predecessor, double *omega,
                   struct hs_cpu_roles *roles)
{
  const int thread = omp_get_thread_num();
  for (int64_t left = n; left > 0 && hs_cpu_team_has_me(state);) {
    const int together = sweeps_together(state, left, *omega);
    double weights[HS_CPU_STAGES_MOST];
    enum hs_form form = HS_FORM_JACOBI;
    for (int k = 0; k < together; k++) form = hs_relaxation_next(&state->relaxation, omega, &weights[k]);
    left -= together;
    if (together > 1) {
      const struct hs_cpu_pass pass = {
          .form = form, .weights = weights, .stages = together, .both_left = predecessor && left == 0};
      hs_cpu_pass(state, pass, left > 0 && sweeps_together(state, left, *omega) > 1, roles);
    } else {
      const int from = hs_cpu_first_row(state, thread), to = hs_cpu_first_row(state, thread + 1);
      void *const target = hs_cpu_target(state, roles->now, roles->before);
      for (int j = from; j < to; j++) hs_cpu_row_sweep(state, form, weights[0], roles->now, target, j);
      hs_cpu_team_meet(state->team, hs_cpu_team_size(state));
      roles->read = NULL;
      roles->before = roles->now;
      roles->now = target;
    }
  }
}

hs_status hs_cpu_sweep(struct hs_cpu_state *state, int64_t n, bool predecessor, struct hs_error *err)
{
  struct hs_cpu_roles last = {0};
  double last_omega = state->omega;
  hs_status status;
  if (n <= 0) return HS_OK;
  status = hs_cpu_sweeps_ready(state, err);
  if (status) return status;
  hs_cpu_team_enter(state->team);
#pragma omp parallel num_threads(hs_cpu_team_wanted(state))
  {
    double omega = state->omega;
    struct hs_cpu_roles roles = {.now = state->now, .before = state->before};
    hs_cpu_sweeps(state, n, predecessor, &omega, &roles);
    if (omp_get_thread_num() == 0) {
      last_omega = omega;
      last = roles;
    }
  }
  hs_cpu_team_leave(state->team);
  state->omega = last_omega;
  state->now = last.now;
  state->before = last.before;
  hs_cpu_predecessor_forget(state); /* it is there, or is not wanted */
  return HS_OK;
}

/* --- the predecessor ------------------------------------------------------------------------- */

hs_status hs_cpu_predecessor(struct hs_cpu_state *state, struct hs_error *err)
{
  const struct hs_relaxation relaxation = state->relaxation;
  void *const now = state->now;
  hs_status status;
  if (state->behind == 1 && !state->behind_transposed) {
    hs_cpu_make_natural(state);
    return HS_OK;
  }
  if (state->behind_transposed) {
    state->before = hs_cpu_free_field(state);
    hs_cpu_transpose_back(state, state->behind_transposed, state->before);
  }
  state->now = state->before;
  state->now_transposed = NULL;
  state->before = now;
  state->relaxation = state->behind_relaxation;
  status = hs_cpu_sweep(state, state->behind, true, err);
  state->relaxation = relaxation;
  return status;
}

hs_status hs_cpu_sweeps_ready(struct hs_cpu_state *state, struct hs_error *err)
{
  hs_status status;
  hs_cpu_make_natural(state);
  if (state->relaxation.form != HS_FORM_CHEBYSHEV) return HS_OK;
  status = hs_cpu_predecessor(state, err);
  if (!status) hs_cpu_saved_part(state);
  return status;
}
