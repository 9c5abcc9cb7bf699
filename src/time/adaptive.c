/* Implicit steps of adapted length, by step doubling; see transient.h. */
#include <math.h>

#include "time/march.h"

static const double SAFETY = 0.9;    /* of the step that should just meet the tolerance */
static const double MOST_GROWTH = 2; /* from a step to the next */
static const double MOST_SHRINK = 0.2;
static const double STEP_ULPS = 16.0; /* differences no larger are the rounding of three inner solutions */

/* Goes back to the field and the boundary values before a step. */
static hs_status step_undo(struct hs_march *m, double time_s, struct hs_error *err)
{
  hs_status status = m->backend->load(m->state, m->start_k, err);
  m->time_s = time_s;
  return status ? status : hs_march_set_time(m, time_s, err);
}

/* One step, then two half steps from the same field, whose result stays in the backend. */
static hs_status step_doubled(struct hs_march *m, double step_s, double *difference_k, struct hs_error *err)
{
  const double start_s = m->time_s;
  hs_status status = m->backend->fetch(m->state, m->start_k, err);
  m->watched = true;
  if (!status) status = hs_march_implicit_step(m, step_s, start_s + step_s, err);
  if (status || m->outcome->verdict == HS_VERDICT_INTERRUPTED) return status;
  status = m->backend->fetch(m->state, m->once_k, err);
  if (!status) status = step_undo(m, start_s, err);
  for (int half = 0; !status && half < 2 && m->outcome->verdict == HS_VERDICT_RUNNING; half++)
    status = hs_march_implicit_step(m, 0.5 * step_s, m->time_s + 0.5 * step_s, err);
  if (status || m->outcome->verdict == HS_VERDICT_INTERRUPTED) return status;
  status = hs_march_fetch(m, err);
  return status ? status : hs_march_largest(m, m->field_k, m->once_k, difference_k, err);
}

/* The configured tolerance, or the rounding of a step where that is more: no shorter step would meet it. */
static double step_tolerance(const struct hs_march *m)
{
  return fmax(m->settings->step_tolerance_k, STEP_ULPS * m->ulp_k);
}

/* The step length whose difference should meet the tolerance, by the order of the scheme. */
static double step_proposed(const struct hs_march *m, double step_s, double difference_k)
{
  const double order = m->settings->scheme == HS_SCHEME_CRANK_NICOLSON ? 2.0 : 1.0;
  const double ratio = step_tolerance(m) / fmax(difference_k, 1e-300);
  const double factor = fmin(MOST_GROWTH, fmax(MOST_SHRINK, SAFETY * pow(ratio, 1.0 / (order + 1.0))));
  return fmin(m->settings->step_max_s, fmax(m->settings->step_min_s, step_s * factor));
}

hs_status hs_march_adaptive(struct hs_march *m, double until_s, struct hs_error *err)
{
  const struct hs_transient_settings *s = m->settings;
  struct hs_transient_outcome *o = m->outcome;
  hs_status status = HS_OK;
  while (!status && o->verdict == HS_VERDICT_RUNNING && until_s - m->time_s > HS_MARCH_SLACK * m->planned_s) {
    const double start_s = m->time_s, left_s = until_s - start_s;
    const bool cut = left_s < m->planned_s * (1.0 + HS_MARCH_SLACK);
    const double step_s = cut ? left_s : m->planned_s;
    const struct hs_march_mark mark = hs_march_mark(m);
    double difference_k = 0.0, proposed_s;
    status = step_doubled(m, step_s, &difference_k, err);
    if (!status && o->verdict == HS_VERDICT_INTERRUPTED) {
      m->time_s = start_s;
      status = m->backend->load(m->state, m->start_k, err);
      return status ? status : hs_march_back(m, &mark, err);
    }
    if (status || o->verdict != HS_VERDICT_RUNNING) return status;
    proposed_s = step_proposed(m, step_s, difference_k);
    if (difference_k > step_tolerance(m) && step_s > s->step_min_s * (1.0 + HS_MARCH_SLACK)) {
      o->rejected_steps++;
      status = step_undo(m, start_s, err);
    } else {
      if (difference_k > step_tolerance(m)) o->steps_at_minimum++;
      o->step_error_k = fmax(o->step_error_k, difference_k);
      status = hs_march_accept(m, err);
      hs_march_count(m, step_s, 1);
      m->time_s = cut ? until_s : start_s + step_s;
    }
    if (!cut || proposed_s < m->planned_s) m->planned_s = proposed_s;
    status = status ? status : hs_march_event(m, err);
  }
  return status;
}
