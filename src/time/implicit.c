/* Implicit steps of equal length: a right-hand side, and an inner solution. */
#include "base/timer.h"
#include "solve/multigrid/multigrid.h"
#include "time/march.h"

/* Measures the field after 1, 2, 4, 8, ... steps. */
static hs_status size_renew(struct hs_march *m, struct hs_error *err)
{
  double largest_k;
  hs_status status;
  if (m->outcome->steps < m->ulp_steps) return HS_OK;
  m->ulp_steps = 2 * m->outcome->steps + 1;
  status = hs_march_settle(m, err);
  if (!status) status = m->backend->largest(m->state, &largest_k, err);
  if (!status) hs_march_measure(m, largest_k);
  return status;
}

/* One plain sweep that brings new boundary values into the field. An inner solution takes its scale from the first update;
 * with a uniform field that would be zero at the free nodes until a Dirichlet node has changed. */
static hs_status boundary_let_in(struct hs_march *m, struct hs_error *err)
{
  const struct hs_relaxation plain = {.form = HS_FORM_JACOBI, .weight = 1.0};
  hs_status status;
  if (!hs_march_is_timed(m)) return HS_OK;
  status = m->backend->relax(m->state, &plain, err);
  m->outcome->sweeps++;
  return status ? status : m->backend->sweep(m->state, 1, err);
}

/* Stencils from which the backend makes the right-hand side of a Crank-Nicolson step: the old laws over the diagonals of the
 * step's end. */
static hs_status start_set(struct hs_march *m, double until_s, struct hs_error *err)
{
  const hs_status status = hs_discretisation_set_start(m->discretisation, until_s, hs_march_system(m)->step_s, err);
  return status ? status : m->backend->update(m->state, hs_march_system(m), true, err);
}

/* The right-hand side of a step, divided by the diagonals of its end, and then the boundary values there. Crank-Nicolson's
 * right-hand side contains J with the old boundary values. */
static hs_status equations_set(struct hs_march *m, double until_s, bool trapezoid, struct hs_error *err)
{
  hs_status status = HS_OK;
  if (!trapezoid) status = hs_march_set_time(m, until_s, err);
  if (!status && trapezoid && m->conductances_timed) status = start_set(m, until_s, err);
  if (!status) status = m->backend->step(m->state, trapezoid, err);
  if (!status && trapezoid) status = hs_march_set_time(m, until_s, err);
  return status ? status : boundary_let_in(m, err);
}

/* The same for multigrid, which finds what a step stores from the field before it. */
static hs_status cycles_begin(struct hs_march *m, double until_s, bool trapezoid, struct hs_error *err)
{
  struct hs_multigrid *multigrid = m->settings->multigrid;
  hs_status status = m->taken ? HS_OK : hs_multigrid_take(multigrid, m->state, err);
  m->taken = true;
  if (!status) status = hs_multigrid_step(multigrid, trapezoid, err);
  return status ? status : hs_march_set_time(m, until_s, err);
}

/* From the present field to until_s, by the equations of the present system. */
static hs_status field_advance(struct hs_march *m, double until_s, bool trapezoid, struct hs_error *err)
{
  const hs_status status = m->settings->method == HS_METHOD_MULTIGRID ? cycles_begin(m, until_s, trapezoid, err)
                                                                      : equations_set(m, until_s, trapezoid, err);
  return status ? status : hs_march_solve(m, err);
}

/* Is the next step damped? Those that snapshots cut off damp less than whole ones, so time counts and not their number. */
static bool damps(const struct hs_march *m)
{
  static const double slack = 1e-6; /* of a step, for the rounding of times */
  const struct hs_transient_settings *s = m->settings;
  return m->time_s - s->start_s < ((double)s->damped_steps - slack) * s->step_s;
}

hs_status hs_march_implicit_step(struct hs_march *m, double step_s, double until_s, struct hs_error *err)
{
  const bool damped = damps(m);
  hs_status status = size_renew(m, err);
  if (!status) status = hs_march_set_length(m, step_s, err);
  if (!status && damped) status = field_advance(m, m->time_s + 0.5 * step_s, false, err);
  if (!status && m->outcome->verdict == HS_VERDICT_RUNNING)
    status = field_advance(m, until_s, m->settings->scheme == HS_SCHEME_CRANK_NICOLSON && !damped, err);
  if (m->outcome->verdict == HS_VERDICT_RUNNING) m->time_s = until_s;
  return status;
}

hs_status hs_march_implicit(struct hs_march *m, double until_s, struct hs_error *err)
{
  const double step_s = hs_march_length(m, until_s);
  hs_status status = HS_OK;
  while (!status && m->outcome->verdict == HS_VERDICT_RUNNING) {
    const struct hs_march_mark mark = hs_march_mark(m);
    const double left_s = until_s - m->time_s, began_s = hs_time_s();
    const bool cut = left_s < step_s * (1.0 - HS_MARCH_SLACK);
    const double length_s = cut ? left_s : step_s;
    const double end_s = cut ? until_s : m->event_s + (double)(m->event_steps + 1) * step_s; /* no drift */
    if (left_s <= HS_MARCH_SLACK * step_s) break;
    m->watched = m->step_took_s > HS_MARCH_SHORT_S; /* to be undone, a step needs a copy of the field */
    m->undo = 0;                                    /* the step before may have been done before it was undone */
    if (m->watched) status = hs_march_settle(m, err);
    if (!status && m->watched) status = m->backend->save(m->state, err);
    if (!status) status = hs_march_implicit_step(m, length_s, end_s, err);
    if (!status && m->outcome->verdict == HS_VERDICT_INTERRUPTED) {
      m->taken = m->behind = false;
      status = m->backend->restore(m->state, err);
      return status ? status : hs_march_back(m, &mark, err);
    }
    if (status || m->outcome->verdict != HS_VERDICT_RUNNING) return status;
    status = hs_march_accept(m, err);
    if (status) return status;
    hs_march_count(m, length_s, 1);
    m->event_steps++;
    status = hs_pace_since(hs_march_comm(m), began_s, &m->step_took_s, err);
    if (!status) status = hs_march_event(m, err);
  }
  if (m->outcome->verdict == HS_VERDICT_RUNNING) m->time_s = until_s;
  return status;
}
