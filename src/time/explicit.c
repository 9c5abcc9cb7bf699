/* Explicit steps: each is one weighted sweep. */
#include <math.h>

#include "base/timer.h"
#include "time/march.h"

/* Equal steps from start_s on, `count` of which `done` have been made: many in a call of the backend, or one by one where
 * boundary values change with time. whole: not what is left of an interval. */
static hs_status explicit_steps(struct hs_march *m, double start_s, double step_s, bool whole, int64_t done,
                                int64_t count, struct hs_error *err)
{
  const bool timed = hs_march_is_timed(m);
  hs_status status = hs_march_set_length(m, step_s, err);
  while (!status && done < count && m->outcome->verdict == HS_VERDICT_RUNNING) {
    const double before_s = hs_time_s();
    double elapsed_s = 0.0;
    int64_t sweeps = timed ? 1 : hs_pace_sweeps(&m->pace);
    if (sweeps > count - done) sweeps = count - done;
    if (timed) status = hs_march_set_time(m, start_s + (double)(done + 1) * step_s, err);
    if (!status) status = m->backend->sweep(m->state, sweeps, err);
    if (status) return status;
    done += sweeps;
    m->outcome->sweeps += sweeps;
    hs_march_count(m, step_s, sweeps);
    m->time_s = start_s + (double)done * step_s;
    if (whole) m->event_steps = done;
    if (!timed) status = hs_pace_since(hs_march_comm(m), before_s, &elapsed_s, err);
    if (!timed) hs_pace_made(&m->pace, sweeps, elapsed_s);
    if (!status) status = hs_march_event(m, err);
  }
  return status;
}

hs_status hs_march_explicit(struct hs_march *m, double until_s, struct hs_error *err)
{
  const double step_s = hs_march_length(m, until_s), whole_s = until_s - m->event_s;
  const int64_t count = (int64_t)floor(whole_s / step_s + HS_MARCH_SLACK);
  hs_status status = explicit_steps(m, m->event_s, step_s, true, m->event_steps, count, err);
  if (status || m->outcome->verdict != HS_VERDICT_RUNNING) return status;
  if (until_s - m->time_s > HS_MARCH_SLACK * step_s)
    status = explicit_steps(m, m->time_s, until_s - m->time_s, false, 0, 1, err);
  if (m->outcome->verdict == HS_VERDICT_RUNNING) m->time_s = until_s;
  return status;
}
