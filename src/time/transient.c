/* A transient run: from event to event (a snapshot, the end), by the steps of the scheme. */
#include "time/transient.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "problem/value.h"
#include "time/march.h"

static hs_status snapshot_give(struct hs_march *m, struct hs_error *err)
{
  struct hs_transient_point point;
  const struct hs_snapshot snapshot = {.time_s = m->time_s,
                                       .steps = m->outcome->steps,
                                       .field_k = m->field_k,
                                       .system = hs_march_system(m),
                                       .point = &point};
  hs_status status = hs_march_fetch(m, err);
  m->event_s = m->time_s;
  m->event_steps = 0;
  point = hs_march_point(m);
  if (status || !m->taker || !m->taker->take || m->outcome->verdict == HS_VERDICT_DIVERGED) return status;
  return m->taker->take(m->taker->context, &snapshot, err);
}

/* Does a conductance to an ambient depend on time? */
static bool conductances_timed(const struct hs_problem *problem)
{
  bool timed = false;
  for (int s = 0; problem && s < problem->segment_count; s++)
    timed = timed || (problem->segments[s].h && hs_value_timed(problem->segments[s].h));
  return timed;
}

static hs_status march_begin(struct hs_march *m, struct hs_error *err)
{
  const struct hs_relaxation explicit_step = {.form = HS_FORM_WEIGHTED, .weight = 1.0};
  const struct hs_transient_settings *s = m->settings;
  const char *what = "the fields of a transient run";
  hs_status status = hs_array_create((void **)&m->field_k, hs_march_nodes(m), sizeof(double), what, err);
  if (!status && s->adaptive)
    status = hs_array_create((void **)&m->start_k, hs_march_nodes(m), sizeof(double), what, err);
  if (!status && s->adaptive)
    status = hs_array_create((void **)&m->once_k, hs_march_nodes(m), sizeof(double), what, err);
  m->conductances_timed = conductances_timed(m->discretisation->problem);
  if (!status && s->scheme == HS_SCHEME_EXPLICIT) status = m->backend->relax(m->state, &explicit_step, err);
  if (!status) status = hs_march_set_length(m, s->step_s, err);
  return status;
}

/* Goes on from a point. */
static void march_resume(struct hs_march *m, const struct hs_transient_point *from)
{
  *m->outcome = from->so_far;
  m->outcome->verdict = HS_VERDICT_RUNNING;
  m->time_s = from->time_s;
  m->event_s = from->event_s;
  m->event_steps = from->event_steps;
  m->planned_s = from->planned_s;
  m->ulp_k = from->ulp_k;
  m->ulp_steps = from->ulp_steps;
  m->inner_sweeps = from->inner_sweeps;
  m->started_s -= from->so_far.solve_s;
}

/* Event k: the snapshots in order, then the end. */
static double event_time(const struct hs_transient_settings *s, int k)
{
  return k < s->snapshot_count ? s->snapshots_s[k] : s->end_s;
}

static hs_status march_on(struct hs_march *m, struct hs_error *err)
{
  const struct hs_transient_settings *s = m->settings;
  hs_status status = s->from ? HS_OK : snapshot_give(m, err);
  for (int k = 0; !status && k <= s->snapshot_count && m->outcome->verdict == HS_VERDICT_RUNNING; k++) {
    const double until_s = fmin(event_time(s, k), s->end_s);
    if (until_s <= m->event_s) continue; /* a snapshot at the start, twice, at the end, or taken before */
    if (s->scheme == HS_SCHEME_EXPLICIT)
      status = hs_march_explicit(m, until_s, err);
    else if (s->adaptive)
      status = hs_march_adaptive(m, until_s, err);
    else
      status = hs_march_implicit(m, until_s, err);
    if (!status && m->outcome->verdict == HS_VERDICT_RUNNING) status = snapshot_give(m, err);
  }
  if (m->outcome->verdict == HS_VERDICT_RUNNING) m->outcome->verdict = HS_VERDICT_COMPLETED;
  return status;
}

hs_status hs_transient_run(struct hs_discretisation *discretisation, const struct hs_transient_settings *settings,
                           const struct hs_backend *backend, struct hs_backend_state *state,
                           const struct hs_solve_observer *observer, const struct hs_snapshot_taker *taker,
                           struct hs_transient_outcome *outcome, struct hs_error *err)
{
  struct hs_march m = {.discretisation = discretisation,
                       .settings = settings,
                       .backend = backend,
                       .state = state,
                       .observer = observer,
                       .taker = taker,
                       .time_s = settings->start_s,
                       .event_s = settings->start_s,
                       .outcome = outcome,
                       .step_took_s = INFINITY,
                       .planned_s = settings->step_s,
                       .pace = {.backend = backend, .state = state}};
  hs_status status;
  memset(outcome, 0, sizeof *outcome);
  outcome->content_start_j_m = NAN;
  outcome->step_error_k = settings->adaptive ? 0.0 : NAN;
  m.started_s = m.shown_s = m.asked_s = hs_time_s();
  if (settings->from) march_resume(&m, settings->from);
  status = march_begin(&m, err);
  if (!status) status = march_on(&m, err);
  if (!status) status = hs_march_settle(&m, err);
  outcome->time_s = m.time_s;
  outcome->solve_s = hs_time_s() - m.started_s;
  free(m.once_k);
  free(m.start_k);
  free(m.field_k);
  return status;
}
