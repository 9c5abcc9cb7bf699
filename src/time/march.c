/* What all schemes do between steps: another step length, another time, events, a look at the field. */
#include "time/march.h"

#include <math.h>

#include "base/timer.h"
#include "solve/multigrid/multigrid.h"

static const double STABLE_SLACK = 1e-9; /* of the longest stable step */

bool hs_march_stop_requested(const struct hs_march *m)
{
  return m->observer && m->observer->stop_requested && *m->observer->stop_requested;
}

/* The field and all that later steps depend on, to whoever keeps it. */
static hs_status point_keep(struct hs_march *m, struct hs_error *err)
{
  const struct hs_transient_keeper *keeper = &m->settings->keeper;
  const struct hs_transient_point point = hs_march_point(m);
  const struct hs_snapshot now = {.time_s = m->time_s,
                                  .steps = m->outcome->steps,
                                  .field_k = m->field_k,
                                  .system = hs_march_system(m),
                                  .point = &point};
  hs_status status;
  if (!keeper->keep) return HS_OK;
  status = hs_march_settle(m, err);
  if (!status) status = m->backend->fetch(m->state, m->field_k, err);
  return status ? status : keeper->keep(keeper->context, &now, m->field_k, err);
}

struct hs_transient_point hs_march_point(const struct hs_march *m)
{
  struct hs_transient_point point = {.time_s = m->time_s,
                                     .event_s = m->event_s,
                                     .event_steps = m->event_steps,
                                     .planned_s = m->planned_s,
                                     .ulp_k = m->ulp_k,
                                     .ulp_steps = m->ulp_steps,
                                     .inner_sweeps = m->inner_sweeps,
                                     .has_change =
                                         m->settings->multigrid && hs_multigrid_has_change(m->settings->multigrid),
                                     .so_far = *m->outcome};
  point.so_far.solve_s = hs_time_s() - m->started_s;
  return point;
}

/* Ends the run where it has been asked to; keeps a point then, and where one is due. */
static hs_status point_consider(struct hs_march *m, struct hs_error *err)
{
  const struct hs_transient_keeper *keeper = &m->settings->keeper;
  bool asked[] = {hs_march_stop_requested(m), keeper->due && keeper->due(keeper->context)};
  hs_status status = hs_comm_any(hs_march_comm(m), asked, 2, err);
  if (!status && (asked[0] || asked[1])) status = point_keep(m, err);
  if (asked[0]) m->outcome->verdict = HS_VERDICT_INTERRUPTED;
  return status;
}

struct hs_march_mark hs_march_mark(const struct hs_march *m)
{
  return (struct hs_march_mark){*m->outcome, m->ulp_k, m->ulp_steps, m->inner_sweeps};
}

hs_status hs_march_back(struct hs_march *m, const struct hs_march_mark *mark, struct hs_error *err)
{
  hs_status status = hs_march_set_time(m, m->time_s, err);
  *m->outcome = mark->outcome;
  m->ulp_k = mark->ulp_k;
  m->ulp_steps = mark->ulp_steps;
  m->inner_sweeps = mark->inner_sweeps;
  if (!status) status = point_keep(m, err);
  m->outcome->verdict = HS_VERDICT_INTERRUPTED;
  return status;
}

void hs_march_show(struct hs_march *m, int64_t inner_sweeps)
{
  const double now_s = hs_time_s();
  struct hs_solve_progress progress = {.sweeps = m->outcome->sweeps + inner_sweeps,
                                       .quantity = HS_STOP_UPDATE_MAX,
                                       .value = NAN,
                                       .tolerance = m->settings->inner_tolerance_k,
                                       .elapsed_s = now_s - m->started_s,
                                       .time_s = m->time_s,
                                       .start_s = m->settings->start_s,
                                       .end_s = m->settings->end_s,
                                       .steps = m->outcome->steps};
  if (now_s - m->shown_s < HS_PACE_PERIOD_S) return;
  m->shown_s = now_s;
  progress.max_sweeps = progress.sweeps;
  if (m->observer && m->observer->progress) m->observer->progress(m->observer->context, &progress);
}

hs_status hs_march_event(struct hs_march *m, struct hs_error *err)
{
  double elapsed_s;
  const hs_status status = hs_pace_since(hs_march_comm(m), m->asked_s, &elapsed_s, err);
  if (status || elapsed_s < HS_PACE_PERIOD_S) return status;
  m->asked_s = hs_time_s();
  hs_march_show(m, 0);
  return m->outcome->verdict == HS_VERDICT_RUNNING ? point_consider(m, err) : HS_OK;
}

/* Tells the backend, and the levels of multigrid, about the present discretisation. */
static hs_status system_update(struct hs_march *m, bool changed, struct hs_error *err)
{
  const hs_status status = m->backend->update(m->state, hs_march_system(m), changed, err);
  if (status || !m->settings->multigrid) return status; /* explicit steps solve nothing */
  return hs_multigrid_update(m->settings->multigrid, hs_march_system(m), changed, err);
}

double hs_march_length(const struct hs_march *m, double until_s)
{
  const bool is_explicit = m->settings->scheme == HS_SCHEME_EXPLICIT;
  const double longest_s = is_explicit ? hs_march_system(m)->stable_step_s : INFINITY;
  return hs_steps_length(until_s - m->event_s, m->settings->step_s, longest_s);
}

hs_status hs_march_set_length(struct hs_march *m, double step_s, struct hs_error *err)
{
  bool changed;
  hs_status status;
  if (step_s == hs_march_system(m)->step_s) return HS_OK;
  status = hs_discretisation_set(m->discretisation, m->discretisation->time_s, step_s, &changed, err);
  return status ? status : system_update(m, changed, err);
}

/* An h that grows with time shortens the longest stable step of the explicit scheme. */
static hs_status stability_check(const struct hs_march *m, double time_s, struct hs_error *err)
{
  const struct hs_system *s = hs_march_system(m);
  double relax = 0.0;
  hs_status status;
  if (m->settings->scheme != HS_SCHEME_EXPLICIT || !m->conductances_timed) return HS_OK;
  for (int64_t k = 0; k < s->table_size; k++)
    if (!s->law[k].dirichlet && hs_system_owns(s, k)) relax = fmax(relax, s->stencil[k].relax);
  status = hs_comm_largest(hs_march_comm(m), &relax, 1, err);
  if (status || relax <= 1.0 + STABLE_SLACK) return status;
  return hs_error_set(err, HS_ERR_CONFIG,
                      "%s: at t = %.10g s the h of a wall has become so large that the step of %.10g s is too long for "
                      "the explicit scheme: beyond %.10g s temperatures grow without bound. Set [time] step to at most "
                      "that, or scheme = backward_euler or crank_nicolson, which are stable with any step",
                      m->discretisation->problem->config->path, time_s, s->step_s, s->step_s / relax * (1.0 - 1e-10));
}

hs_status hs_march_set_time(struct hs_march *m, double time_s, struct hs_error *err)
{
  bool changed;
  hs_status status;
  if (!hs_march_is_timed(m)) return HS_OK;
  status = hs_discretisation_set(m->discretisation, time_s, hs_march_system(m)->step_s, &changed, err);
  if (!status) status = stability_check(m, time_s, err);
  return status ? status : system_update(m, changed, err);
}

void hs_march_measure(struct hs_march *m, double largest_k)
{
  if (!isfinite(largest_k)) m->outcome->verdict = HS_VERDICT_DIVERGED;
  m->ulp_k = largest_k * (m->settings->single ? 0x1p-23 : 0x1p-52);
}

hs_status hs_march_largest(const struct hs_march *m, const double *a, const double *b, double *largest_k,
                           struct hs_error *err)
{
  const struct hs_rectangle own = hs_system_own(hs_march_system(m));
  const size_t nx = (size_t)hs_march_system(m)->nx;
  double largest = 0.0, found[2];
  int64_t lost = 0;
  hs_status status;
#pragma omp parallel for schedule(static) reduction(max : largest) reduction(+ : lost) if (own.ny > 1 << 10)
  for (int j = own.y0; j < own.y0 + own.ny; j++) {
    for (size_t n = (size_t)j * nx + (size_t)own.x0, end = n + (size_t)own.nx; n < end; n++) {
      largest = fmax(largest, fabs(b ? a[n] - b[n] : a[n]));
      lost += !isfinite(a[n]);
    }
  }
  found[0] = largest;
  found[1] = lost > 0;
  status = hs_comm_largest(hs_march_comm(m), found, 2, err);
  *largest_k = found[1] > 0.0 ? NAN : found[0];
  return status;
}

hs_status hs_march_fetch(struct hs_march *m, struct hs_error *err)
{
  double largest_k;
  hs_status status = hs_march_settle(m, err);
  if (!status) status = m->backend->fetch(m->state, m->field_k, err);
  if (!status) status = hs_march_largest(m, m->field_k, NULL, &largest_k, err);
  if (!status) hs_march_measure(m, largest_k);
  return status;
}

hs_status hs_march_settle(struct hs_march *m, struct hs_error *err)
{
  if (!m->behind) return HS_OK;
  m->behind = false;
  return hs_multigrid_give(m->settings->multigrid, m->state, err);
}

hs_status hs_march_accept(struct hs_march *m, struct hs_error *err)
{
  return m->settings->method == HS_METHOD_MULTIGRID ? hs_multigrid_accept(m->settings->multigrid, err) : HS_OK;
}

void hs_march_count(struct hs_march *m, double step_s, int64_t steps)
{
  struct hs_transient_outcome *o = m->outcome;
  if (steps == 0) return;
  if (o->steps == 0 || step_s < o->step_smallest_s) o->step_smallest_s = step_s;
  if (step_s > o->step_largest_s) o->step_largest_s = step_s;
  o->steps += steps;
}
