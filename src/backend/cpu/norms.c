/* Norms on the cpu backend, and the stop test.
 *
 * Each thread sums its rows; sums are exact and maxima have no order, so that threads and tiles may be merged as they
 * come. Where sweeps are made in passes (cpu/transposed.c), `advance` takes the norms within the last pass of an
 * interval: they are one more stage, which reads the two last stages of a block while these are in the cache. Such a
 * pass leaves the present field only. The predecessor is made when somebody asks for it: by the sweeps of that pass,
 * once more, from the field that it read. Hardly anybody does: to measure norms again with another scale, or for
 * Chebyshev's form.
 *
 * Limits: where nodes have constants of their own, which implicit steps renew, or stencils are too various for common
 * groups, the last sweep before a test is made alone, and leaves both fields.
 */
#include <math.h>
#include <omp.h>

#include "backend/cpu/state.h"
#include "backend/part.h"

static const struct hs_row_norms NO_NORMS = {{0.0, 0.0}, {0.0, 0.0}, 0.0, 0.0, 0.0, 0.0};

static struct hs_cpu_scales scales_for(const struct hs_cpu_state *state, const struct hs_bounds *bounds, bool full)
{
  const struct hs_cpu_scales scales = {.update = hs_sum_scale(bounds->update_max),
                                       .residual = hs_sum_scale(bounds->residual_max),
                                       .split = hs_sum_split_for(hs_system_grid_nodes(state->system)),
                                       .full = full};
  return scales;
}

/* Adds a thread's norms to the common ones. */
static void norms_merge(struct hs_row_norms *all, const struct hs_row_norms *mine)
{
  all->update.high += mine->update.high;
  all->update.low += mine->update.low;
  all->residual.high += mine->residual.high;
  all->residual.low += mine->residual.low;
  if (mine->update_max > all->update_max) all->update_max = mine->update_max;
  if (mine->residual_max > all->residual_max) all->residual_max = mine->residual_max;
  if (mine->two_sweep_max > all->two_sweep_max) all->two_sweep_max = mine->two_sweep_max;
  if (mine->correction_max > all->correction_max) all->correction_max = mine->correction_max;
}

static void norms_finish(const struct hs_row_norms *all, const struct hs_cpu_scales *scales, struct hs_norms *norms)
{
  norms->update_l2 = hs_sum_norm(all->update, scales->update);
  norms->update_max = all->update_max;
  norms->residual_l2 = scales->full ? hs_sum_norm(all->residual, scales->residual) : NAN;
  norms->residual_max = scales->full ? all->residual_max : NAN;
  norms->two_sweep_max = scales->full ? all->two_sweep_max : NAN;
  norms->correction_max = scales->full ? all->correction_max : NAN;
}

hs_status hs_cpu_sweep_normed(struct hs_backend_state *backend, int64_t n, const struct hs_bounds *bounds,
                              struct hs_norms *norms, struct hs_error *err)
{
  struct hs_cpu_state *state = hs_cpu_state(backend);
  const struct hs_cpu_scales scales = scales_for(state, bounds, false);
  struct hs_row_norms all = NO_NORMS;
  double last_omega = state->omega;
  void *last_now, *last_before;
  hs_status status;
  if (n <= 0) return HS_OK;
  status = hs_cpu_sweeps_ready(state, err);
  if (status) return status;
  last_now = state->now;
  last_before = state->before;
  hs_cpu_team_enter(state->team);
#pragma omp parallel num_threads(hs_cpu_team_wanted(state))
  {
    const int thread = omp_get_thread_num();
    double omega = state->omega;
    void *new = state->now, *old = state->before;
    for (int64_t k = 0; k < n && hs_cpu_team_has_me(state); k++) {
      const int from = hs_cpu_first_row(state, thread), to = hs_cpu_first_row(state, thread + 1);
      void *const target = hs_cpu_target(state, new, old);
      double weight;
      const enum hs_form form = hs_relaxation_next(&state->relaxation, &omega, &weight);
      struct hs_row_norms mine = NO_NORMS;
      old = new;
      new = target;
      for (int j = from; j < to; j++) {
        hs_cpu_row_sweep(state, form, weight, old, new, j);
        hs_cpu_row_norms(state, &scales, new, old, j, &mine);
      }
#pragma omp critical(hs_cpu_norms)
      norms_merge(&all, &mine);
      if (!hs_barrier_is_last(&state->team->barrier, hs_cpu_team_size(state), &state->team->waiting)) continue;
      norms_finish(&all, &scales, &norms[k]);
      all = NO_NORMS;
      hs_cpu_team_open(state->team);
    }
    if (thread == 0) {
      last_omega = omega;
      last_now = new;
      last_before = old;
    }
  }
  hs_cpu_team_leave(state->team);
  state->omega = last_omega;
  state->now = last_now;
  state->before = last_before;
  state->behind = 1;
  state->behind_transposed = NULL;
  return HS_OK;
}

hs_status hs_cpu_norm_sums(struct hs_backend_state *backend, const struct hs_bounds *bounds, bool full,
                           struct hs_norm_sums *sums, struct hs_error *err)
{
  struct hs_cpu_state *state = hs_cpu_state(backend);
  const struct hs_cpu_scales scales = scales_for(state, bounds, full);
  struct hs_row_norms all = NO_NORMS;
  const hs_status status = hs_cpu_predecessor(state, err);
  if (status) return status;
#pragma omp parallel num_threads(hs_cpu_team_wanted(state))
  {
    const int thread = omp_get_thread_num();
    const int from = hs_cpu_first_row(state, thread), to = hs_cpu_first_row(state, thread + 1);
    struct hs_row_norms mine = NO_NORMS;
    for (int j = from; j < to; j++) hs_cpu_row_norms(state, &scales, state->now, state->before, j, &mine);
#pragma omp critical(hs_cpu_norms)
    norms_merge(&all, &mine);
  }
  sums->update = all.update;
  sums->residual = all.residual;
  sums->update_max = all.update_max;
  sums->residual_max = all.residual_max;
  sums->two_sweep_max = all.two_sweep_max;
  sums->correction_max = all.correction_max;
  return HS_OK;
}

hs_status hs_cpu_norms(struct hs_backend_state *backend, const struct hs_bounds *bounds, struct hs_norms *norms,
                       struct hs_error *err)
{
  struct hs_norm_sums sums;
  const hs_status status = hs_cpu_norm_sums(backend, bounds, true, &sums, err);
  if (!status) *norms = hs_norm_sums_finish(&sums, bounds, true);
  return status;
}

/* The largest difference in the precision of the field, as if saved were the predecessor. */
hs_status hs_cpu_distance(struct hs_backend_state *backend, double *distance_k, struct hs_error *err)
{
  struct hs_cpu_state *state = hs_cpu_state(backend);
  const struct hs_bounds bounds = {0.0, 0.0};
  const struct hs_cpu_scales scales = scales_for(state, &bounds, false);
  struct hs_row_norms all = NO_NORMS;
  (void)err;
  hs_cpu_make_natural(state);
  hs_cpu_saved_make_natural(state);
#pragma omp parallel num_threads(hs_cpu_team_wanted(state))
  {
    const int thread = omp_get_thread_num();
    const int from = hs_cpu_first_row(state, thread), to = hs_cpu_first_row(state, thread + 1);
    struct hs_row_norms mine = NO_NORMS;
    for (int j = from; j < to; j++) hs_cpu_row_norms(state, &scales, state->now, state->saved, j, &mine);
#pragma omp critical(hs_cpu_norms)
    norms_merge(&all, &mine);
  }
  *distance_k = all.update_max;
  return HS_OK;
}

/* The largest size among n values, NaN aside. */
static double largest_f64(const double *v, int n)
{
  double largest = 0.0;
#pragma omp simd reduction(max : largest)
  for (int i = 0; i < n; i++) largest = fabs(v[i]) > largest ? fabs(v[i]) : largest;
  return largest;
}

static double largest_f32(const float *v, int n)
{
  float largest = 0.0f;
#pragma omp simd reduction(max : largest)
  for (int i = 0; i < n; i++) largest = fabsf(v[i]) > largest ? fabsf(v[i]) : largest;
  return (double)largest;
}

hs_status hs_cpu_largest(struct hs_backend_state *backend, double *largest_k, struct hs_error *err)
{
  struct hs_cpu_state *state = hs_cpu_state(backend);
  const struct hs_rectangle own = hs_system_own(state->system);
  double largest = 0.0;
  (void)err;
  hs_cpu_make_natural(state);
#pragma omp parallel for schedule(static) num_threads(hs_cpu_team_wanted(state)) reduction(max : largest)
  for (int j = own.y0; j < own.y0 + own.ny; j++) {
    const size_t first = hs_cpu_row(state, j) + (size_t)own.x0;
    const double row = state->single ? largest_f32((const float *)state->now + first, own.nx)
                                     : largest_f64((const double *)state->now + first, own.nx);
    largest = row > largest ? row : largest;
  }
  *largest_k = largest;
  return HS_OK;
}

/* --- the stop test --------------------------------------------------------------------------- */

/* Are n sweeps made in passes, and the norms within the last one? */
static bool passes_normed(const struct hs_cpu_state *state, int64_t n)
{
  const bool passes = hs_cpu_stages(state, state->relaxation.form) > 1 && n + 1 >= state->tiling.least_blocked;
  return passes && !state->various && !hs_cpu_has_constants(state->system);
}

/* Stages of the next pass of those left, the norms among them: passes are alike, and the last one is the longest, for
 * besides the norms it must have a sweep. */
static int stages_together(const struct hs_cpu_state *state, int64_t left)
{
  const int stages = hs_cpu_stages(state, state->relaxation.form);
  return (int)(left / ((left + stages - 1) / stages));
}

/* A thread's part of n sweeps in passes and the norms within the last one, which makes *behind sweeps. The roles end
 * with the field of the last stage and what the last pass has read. */
static void interval_passes(const struct hs_cpu_state *state, int64_t n, const struct hs_cpu_scales *scales,
                            struct hs_cpu_roles *roles, int *behind, struct hs_row_norms *norms)
{
  const struct hs_relaxation *relaxation = &state->relaxation;
  double weights[HS_CPU_STAGES_MOST];
  for (int k = 0; k < HS_CPU_STAGES_MOST; k++) weights[k] = relaxation->weight;
  for (int64_t left = n + 1; left > 0 && hs_cpu_team_has_me(state);) {
    const int together = stages_together(state, left);
    const bool last = together == left;
    const struct hs_cpu_pass pass = {.form = relaxation->form,
                                     .weights = weights,
                                     .stages = last ? together - 1 : together,
                                     .scales = last ? scales : NULL,
                                     .norms = norms};
    left -= together;
    hs_cpu_pass(state, pass, true, roles);
    *behind = pass.stages;
  }
}

/* The same by the sweeps of hs_cpu_sweep, and the norms after the last one. */
static void interval_plain(const struct hs_cpu_state *state, int64_t n, const struct hs_cpu_scales *scales,
                           struct hs_cpu_roles *roles, int *behind, struct hs_row_norms *norms)
{
  const int thread = omp_get_thread_num();
  double omega = state->omega;
  hs_cpu_sweeps(state, n, true, &omega, roles);
  for (int j = hs_cpu_first_row(state, thread); j < hs_cpu_first_row(state, thread + 1); j++)
    hs_cpu_row_norms(state, scales, roles->now, roles->before, j, norms);
  *behind = 1;
}

static void interval_make(struct hs_cpu_state *state, int64_t n, const struct hs_bounds *bounds, bool full,
                          struct hs_norms *norms)
{
  const struct hs_cpu_scales scales = scales_for(state, bounds, full);
  struct hs_row_norms all = NO_NORMS;
  struct hs_cpu_roles last = {0};
  int last_behind = 1;
  const bool passes = passes_normed(state, n);
  if (!passes) hs_cpu_make_natural(state);
  hs_cpu_team_enter(state->team);
#pragma omp parallel num_threads(hs_cpu_team_wanted(state))
  {
    struct hs_row_norms mine = NO_NORMS;
    struct hs_cpu_roles roles = {.now = state->now, .before = state->before, .transposed = state->now_transposed};
    int behind = 1;
    if (passes)
      interval_passes(state, n, &scales, &roles, &behind, &mine);
    else
      interval_plain(state, n, &scales, &roles, &behind, &mine);
#pragma omp critical(hs_cpu_norms)
    norms_merge(&all, &mine);
    if (omp_get_thread_num() == 0) {
      last = roles;
      last_behind = behind;
    }
  }
  hs_cpu_team_leave(state->team);
  state->now = last.now;
  state->now_transposed = last.transposed;
  state->before = last.before;
  state->behind = last_behind;
  state->behind_transposed = last.read;
  state->behind_relaxation = state->relaxation;
  norms_finish(&all, &scales, norms);
}

hs_status hs_cpu_advance(struct hs_backend_state *backend, struct hs_intervals *intervals, struct hs_error *err)
{
  struct hs_cpu_state *state = hs_cpu_state(backend);
  const struct hs_stop_test *test = intervals->test;
  struct hs_stop_state *stop = intervals->stop;
  intervals->count = 0;
  if (state->relaxation.form == HS_FORM_CHEBYSHEV)
    return hs_error_set(err, HS_ERR_UNSUPPORTED, "intervals with a stop test are of plain and weighted sweeps only");
  while (stop->verdict == HS_VERDICT_RUNNING && stop->sweeps < intervals->until &&
         intervals->count < intervals->capacity && test->max_sweeps - stop->sweeps >= test->check_every) {
    struct hs_norms norms;
    hs_status status = intervals->keep ? hs_cpu_save(backend, err) : HS_OK;
    if (status) return status;
    interval_make(state, test->check_every, &stop->bounds, test->full_norms, &norms);
    stop->sweeps += test->check_every;
    if (hs_stop_evaluate(test, stop, &norms) != HS_VERDICT_RESCALE)
      intervals->history[intervals->count++] = stop->check;
  }
  return HS_OK;
}
