/* Time steps up to each event (a snapshot, the end), of equal or of adapted length; see transient.h.
 *
 * A step is one weighted sweep, or an inner solution by hs_solve. Its tolerance follows from the contraction c < 1 of
 * the step's system, the largest row sum of the weights: with m = 1 - w + w c for sweeps of weight w, the error of an
 * iterate is at most m/(1 - m) times its update, and at most 1/(1 - c) times its correction |J(t) - t| whatever method
 * made it (both in the max norm). A tolerance below the rounding of the field is raised to it; the bound that was
 * reached is reported.
 */
#include "time/transient.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "problem/value.h"
#include "solve/pace.h"

static const double SLACK = 1e-9;    /* of a step: what is shorter is not worth one */
static const double SAFETY = 0.9;    /* adaptive: of the step that should just meet the tolerance */
static const double MOST_GROWTH = 2; /* adaptive: from a step to the next */
static const double MOST_SHRINK = 0.2;
static const double ROUNDING_ULPS = 4.0; /* of the largest temperature: updates no larger are rounding */
static const double STEP_ULPS = 16.0;    /* adaptive: differences no larger are what three inner solutions round */
static const double STABLE_SLACK = 1e-9; /* explicit: of the longest stable step */

enum { CHECK_FIRST = 8, CHECK_LONGEST = 256 }; /* sweeps between the evaluations of an inner solution */

struct march {
  struct hs_discretisation *discretisation;
  const struct hs_transient_settings *settings;
  const struct hs_backend *backend;
  struct hs_backend_state *state;
  const struct hs_solve_observer *observer;
  const struct hs_snapshot_taker *taker;
  struct hs_transient_outcome *outcome;
  double time_s;
  double ulp_k;         /* unit in the last place of the largest temperature */
  int64_t ulp_steps;    /* steps at which it is measured again */
  int64_t inner_sweeps; /* of the last inner solution */
  double planned_s;     /* adaptive: the step to try next; an event may cut it short */
  struct hs_pace pace;  /* of explicit steps */
  double started_s, shown_s;
  double *field_k;          /* [ny*nx] what is fetched */
  double *start_k, *once_k; /* [ny*nx] adaptive: before a step, and after the one step */
  bool conductances_timed;  /* a conductance to an ambient depends on time */
};

/* The present discretisation. */
static const struct hs_system *system_of(const struct march *m)
{
  return m->discretisation->now;
}

static bool is_timed(const struct march *m)
{
  return m->discretisation->problem && m->discretisation->problem->timed;
}

static size_t node_count(const struct march *m)
{
  return (size_t)system_of(m)->nx * (size_t)system_of(m)->ny;
}

static bool stop_requested(const struct march *m)
{
  return m->observer && m->observer->stop_requested && *m->observer->stop_requested;
}

/* About ten times a second: shows where the run is, and looks whether it shall end. */
static void event(struct march *m)
{
  const double now_s = hs_time_s();
  struct hs_solve_progress progress = {.sweeps = m->outcome->sweeps,
                                       .quantity = HS_STOP_UPDATE_MAX,
                                       .value = NAN,
                                       .tolerance = m->settings->inner_tolerance_k,
                                       .elapsed_s = now_s - m->started_s,
                                       .time_s = m->time_s,
                                       .end_s = m->settings->end_s,
                                       .steps = m->outcome->steps};
  if (now_s - m->shown_s < HS_PACE_PERIOD_S) return;
  m->shown_s = now_s;
  progress.max_sweeps = progress.sweeps;
  if (m->observer && m->observer->progress) m->observer->progress(m->observer->context, &progress);
  if (stop_requested(m) && m->outcome->verdict == HS_VERDICT_RUNNING) m->outcome->verdict = HS_VERDICT_INTERRUPTED;
}

/* The system for a step of another length, with the boundary values it has. */
static hs_status step_length_set(struct march *m, double step_s, struct hs_error *err)
{
  bool changed;
  hs_status status;
  if (step_s == system_of(m)->step_s) return HS_OK;
  status = hs_discretisation_set(m->discretisation, m->discretisation->time_s, step_s, &changed, err);
  return status ? status : m->backend->update(m->state, system_of(m), changed, err);
}

/* An h that grows with time shortens the longest stable step of the explicit scheme. */
static hs_status stability_check(const struct march *m, double time_s, struct hs_error *err)
{
  const struct hs_system *s = system_of(m);
  double relax = 0.0;
  if (m->settings->scheme != HS_SCHEME_EXPLICIT) return HS_OK;
  for (int64_t k = 0; k < s->table_size; k++)
    if (!s->law[k].dirichlet) relax = fmax(relax, s->stencil[k].relax);
  if (relax <= 1.0 + STABLE_SLACK) return HS_OK;
  return hs_error_set(err, HS_ERR_CONFIG,
                      "%s: at t = %.10g s the h of a wall has become so large that the step of %.10g s is too long for "
                      "the explicit scheme: beyond %.10g s temperatures grow without bound. Set [time] step to at most "
                      "that, or scheme = backward_euler or crank_nicolson, which are stable with any step",
                      m->discretisation->problem->config->path, time_s, s->step_s, s->step_s / relax * (1.0 - 1e-10));
}

/* Boundary values of another time. */
static hs_status time_set(struct march *m, double time_s, struct hs_error *err)
{
  bool changed;
  hs_status status;
  if (!is_timed(m)) return HS_OK;
  status = hs_discretisation_set(m->discretisation, time_s, system_of(m)->step_s, &changed, err);
  if (!status && changed) status = stability_check(m, time_s, err);
  return status ? status : m->backend->update(m->state, system_of(m), changed, err);
}

static hs_status field_fetch(struct march *m, struct hs_error *err)
{
  double largest_k = 0.0;
  hs_status status = m->backend->fetch(m->state, m->field_k, err);
  for (size_t n = 0; !status && n < node_count(m); n++) {
    largest_k = fmax(largest_k, fabs(m->field_k[n]));
    if (!isfinite(m->field_k[n])) m->outcome->verdict = HS_VERDICT_DIVERGED;
  }
  m->ulp_k = largest_k * (m->settings->single ? 0x1p-23 : 0x1p-52);
  return status;
}

/* The size of the field is looked at after 1, 2, 4, 8, ... steps. */
static hs_status size_renew(struct march *m, struct hs_error *err)
{
  if (m->outcome->steps < m->ulp_steps) return HS_OK;
  m->ulp_steps = 2 * m->outcome->steps + 1;
  return field_fetch(m, err);
}

static hs_status snapshot_give(struct march *m, struct hs_error *err)
{
  struct hs_transient_point point = {
      .time_s = m->time_s, .planned_s = m->planned_s, .ulp_steps = m->ulp_steps, .inner_sweeps = m->inner_sweeps};
  const struct hs_snapshot snapshot = {
      .time_s = m->time_s, .steps = m->outcome->steps, .field_k = m->field_k, .system = system_of(m), .point = &point};
  hs_status status = field_fetch(m, err);
  point.ulp_k = m->ulp_k;
  point.so_far = *m->outcome;
  point.so_far.solve_s = hs_time_s() - m->started_s;
  if (status || !m->taker || !m->taker->take || m->outcome->verdict == HS_VERDICT_DIVERGED) return status;
  return m->taker->take(m->taker->context, &snapshot, err);
}

static void step_count(struct march *m, double step_s, int64_t steps)
{
  struct hs_transient_outcome *o = m->outcome;
  if (steps == 0) return;
  if (o->steps == 0 || step_s < o->step_smallest_s) o->step_smallest_s = step_s;
  if (step_s > o->step_largest_s) o->step_largest_s = step_s;
  o->steps += steps;
}

/* --- explicit -------------------------------------------------------------------------------- */

/* `count` equal steps in one go, or one by one where boundary values change with time. */
static hs_status explicit_steps(struct march *m, double step_s, int64_t count, struct hs_error *err)
{
  const bool timed = is_timed(m);
  const double start_s = m->time_s;
  int64_t done = 0;
  hs_status status = step_length_set(m, step_s, err);
  while (!status && done < count && m->outcome->verdict == HS_VERDICT_RUNNING) {
    const double before_s = hs_time_s();
    int64_t piece = timed ? 1 : hs_pace_sweeps(&m->pace);
    if (piece > count - done) piece = count - done;
    if (timed) status = time_set(m, start_s + (double)(done + 1) * step_s, err);
    if (!status) status = m->backend->sweep(m->state, piece, err);
    if (status) return status;
    done += piece;
    m->outcome->sweeps += piece;
    step_count(m, step_s, piece);
    m->time_s = start_s + (double)done * step_s;
    if (!timed) hs_pace_made(&m->pace, piece, hs_time_s() - before_s);
    event(m);
  }
  return status;
}

static hs_status explicit_until(struct march *m, double until_s, struct hs_error *err)
{
  const double step_s = m->settings->step_s, left_s = until_s - m->time_s;
  const int64_t count = (int64_t)floor(left_s / step_s + SLACK);
  hs_status status = explicit_steps(m, step_s, count, err);
  if (status || m->outcome->verdict != HS_VERDICT_RUNNING) return status;
  if (until_s - m->time_s > SLACK * step_s) status = explicit_steps(m, until_s - m->time_s, 1, err);
  if (m->outcome->verdict == HS_VERDICT_RUNNING) m->time_s = until_s;
  return status;
}

/* --- implicit -------------------------------------------------------------------------------- */

/* Factor from the update, or for Chebyshev from the correction, to the largest possible error. */
static double error_factor(const struct march *m)
{
  const double c = system_of(m)->contraction;
  const double w = m->settings->method == HS_METHOD_WEIGHTED ? m->settings->weight : 1.0;
  const double contraction = 1.0 - w + w * c;
  return m->settings->method == HS_METHOD_CHEBYSHEV ? 1.0 / (1.0 - c) : contraction / (1.0 - contraction);
}

/* Sweeps between two tests of an inner solution, from what the one before took. A power of two, so that it is mostly
 * the same from step to step: a backend may have made something for it (a graph of sweeps). */
static int check_interval(int64_t sweeps_before)
{
  int check = 1;
  if (sweeps_before == 0) return CHECK_FIRST;
  while (check < CHECK_LONGEST && 8 * check <= sweeps_before) check *= 2;
  return check;
}

/* What an inner solution is asked for. */
static struct hs_solve_settings inner_settings(const struct march *m)
{
  const struct hs_transient_settings *s = m->settings;
  const bool chebyshev = s->method == HS_METHOD_CHEBYSHEV;
  const double spread = chebyshev ? 1.0 + 1.0 / sqrt(2.0 * (1.0 - system_of(m)->contraction)) : 1.0;
  const double aim_k = s->adaptive ? fmin(s->inner_tolerance_k, 0.05 * s->step_tolerance_k) : s->inner_tolerance_k;
  const int check = check_interval(m->inner_sweeps);
  struct hs_solve_settings inner = {.quantity = chebyshev ? HS_STOP_CORRECTION : HS_STOP_UPDATE_MAX,
                                    .max_iterations = s->max_iterations,
                                    .method = s->method,
                                    .weight = s->weight,
                                    .single = s->single,
                                    .sweep_s = s->sweep_s};
  inner.tolerance = fmax(aim_k / fmax(error_factor(m), 1e-300), ROUNDING_ULPS * spread * m->ulp_k);
  inner.check_every = check;
  return inner;
}

/* The step's equations are set up: solves them. */
static hs_status inner_solve(struct march *m, struct hs_error *err)
{
  const struct hs_solve_settings inner = inner_settings(m);
  struct hs_transient_outcome *o = m->outcome;
  struct hs_solve_outcome solved;
  hs_status status = hs_solve(system_of(m), &inner, m->backend, m->state, NULL, &solved, err);
  if (!status) {
    const bool chebyshev = m->settings->method == HS_METHOD_CHEBYSHEV;
    const double reached = chebyshev ? solved.norms.correction_max : solved.norms.update_max;
    m->inner_sweeps = solved.sweeps;
    o->sweeps += solved.sweeps;
    o->inner_error_k = fmax(o->inner_error_k, error_factor(m) * reached);
    if (solved.verdict == HS_VERDICT_LIMIT || solved.verdict == HS_VERDICT_DIVERGED) o->verdict = solved.verdict;
  }
  hs_solve_outcome_clear(&solved);
  return status;
}

/* Lets new boundary values into the field by one plain sweep, before an inner solution measures the size of its first
 * update: from a uniform field the free nodes' is zero until a Dirichlet node has changed. */
static hs_status boundary_let_in(struct march *m, struct hs_error *err)
{
  const struct hs_relaxation plain = {HS_FORM_JACOBI, 1.0, 0.0};
  hs_status status;
  if (!is_timed(m)) return HS_OK;
  status = m->backend->relax(m->state, &plain, err);
  m->outcome->sweeps++;
  return status ? status : m->backend->sweep(m->state, 1, err);
}

/* Stencils that make the right-hand side of a Crank-Nicolson step from the old laws, over the new diagonals. */
static hs_status start_set(struct march *m, double until_s, struct hs_error *err)
{
  const hs_status status = hs_discretisation_set_start(m->discretisation, until_s, system_of(m)->step_s, err);
  return status ? status : m->backend->update(m->state, system_of(m), true, err);
}

/* The right-hand side of a step, divided by the diagonals of its end, and the boundary values there. That of
 * Crank-Nicolson contains J of the old boundary values. */
static hs_status equations_set(struct march *m, double until_s, struct hs_error *err)
{
  const bool trapezoid = m->settings->scheme == HS_SCHEME_CRANK_NICOLSON;
  hs_status status = HS_OK;
  if (!trapezoid) status = time_set(m, until_s, err);
  if (!status && trapezoid && m->conductances_timed) status = start_set(m, until_s, err);
  if (!status) status = m->backend->step(m->state, trapezoid, err);
  return status || !trapezoid ? status : time_set(m, until_s, err);
}

/* One step from time_s. */
static hs_status implicit_step(struct march *m, double step_s, struct hs_error *err)
{
  hs_status status = size_renew(m, err);
  if (!status) status = step_length_set(m, step_s, err);
  if (!status) status = equations_set(m, m->time_s + step_s, err);
  if (!status) status = boundary_let_in(m, err);
  if (!status) status = inner_solve(m, err);
  if (m->outcome->verdict != HS_VERDICT_RUNNING) return status;
  m->time_s += step_s;
  return status;
}

static hs_status implicit_until(struct march *m, double until_s, struct hs_error *err)
{
  const double step_s = m->settings->step_s, start_s = m->time_s;
  hs_status status = HS_OK;
  for (int64_t done = 0; !status && m->outcome->verdict == HS_VERDICT_RUNNING; done++) {
    const double left_s = until_s - m->time_s;
    const double length_s = left_s < step_s * (1.0 - SLACK) ? left_s : step_s;
    if (left_s <= SLACK * step_s) break;
    status = implicit_step(m, length_s, err);
    if (status || m->outcome->verdict != HS_VERDICT_RUNNING) return status;
    step_count(m, length_s, 1);
    m->time_s = length_s < step_s ? until_s : start_s + (double)(done + 1) * step_s; /* no drift */
    event(m);
  }
  if (m->outcome->verdict == HS_VERDICT_RUNNING) m->time_s = until_s;
  return status;
}

/* --- adaptive -------------------------------------------------------------------------------- */

static double largest_difference(const double *a, const double *b, size_t count)
{
  double largest = 0.0;
  for (size_t n = 0; n < count; n++) largest = fmax(largest, fabs(a[n] - b[n]));
  return largest;
}

/* Back to the field and the boundary values before a step. */
static hs_status step_undo(struct march *m, double time_s, struct hs_error *err)
{
  hs_status status = m->backend->load(m->state, m->start_k, err);
  m->time_s = time_s;
  return status ? status : time_set(m, time_s, err);
}

/* One step, then two half ones from the same field; the backend is left with the two. */
static hs_status step_doubled(struct march *m, double step_s, double *difference_k, struct hs_error *err)
{
  const double start_s = m->time_s;
  hs_status status = m->backend->fetch(m->state, m->start_k, err);
  if (!status) status = implicit_step(m, step_s, err);
  if (!status) status = m->backend->fetch(m->state, m->once_k, err);
  if (!status) status = step_undo(m, start_s, err);
  for (int half = 0; !status && half < 2 && m->outcome->verdict == HS_VERDICT_RUNNING; half++)
    status = implicit_step(m, 0.5 * step_s, err);
  if (!status) status = field_fetch(m, err);
  if (!status) *difference_k = largest_difference(m->field_k, m->once_k, node_count(m));
  return status;
}

/* The asked difference, or what rounding makes of any step: with ever shorter ones the field would stand still. */
static double step_tolerance(const struct march *m)
{
  return fmax(m->settings->step_tolerance_k, STEP_ULPS * m->ulp_k);
}

/* The length whose difference should meet the tolerance, by the order of the scheme. */
static double step_proposed(const struct march *m, double step_s, double difference_k)
{
  const double order = m->settings->scheme == HS_SCHEME_CRANK_NICOLSON ? 2.0 : 1.0;
  const double ratio = step_tolerance(m) / fmax(difference_k, 1e-300);
  const double factor = fmin(MOST_GROWTH, fmax(MOST_SHRINK, SAFETY * pow(ratio, 1.0 / (order + 1.0))));
  return fmin(m->settings->step_max_s, fmax(m->settings->step_min_s, step_s * factor));
}

static hs_status adaptive_until(struct march *m, double until_s, struct hs_error *err)
{
  const struct hs_transient_settings *s = m->settings;
  struct hs_transient_outcome *o = m->outcome;
  hs_status status = HS_OK;
  while (!status && o->verdict == HS_VERDICT_RUNNING && until_s - m->time_s > SLACK * m->planned_s) {
    const double start_s = m->time_s, left_s = until_s - start_s;
    const bool cut = left_s < m->planned_s * (1.0 + SLACK);
    const double step_s = cut ? left_s : m->planned_s;
    double difference_k = 0.0, proposed_s;
    status = step_doubled(m, step_s, &difference_k, err);
    if (status || o->verdict != HS_VERDICT_RUNNING) return status;
    proposed_s = step_proposed(m, step_s, difference_k);
    if (difference_k > step_tolerance(m) && step_s > s->step_min_s * (1.0 + SLACK)) {
      o->rejected_steps++;
      status = step_undo(m, start_s, err);
    } else {
      if (difference_k > step_tolerance(m)) o->steps_at_minimum++;
      o->step_error_k = fmax(o->step_error_k, difference_k);
      step_count(m, step_s, 1);
      m->time_s = cut ? until_s : start_s + step_s;
    }
    if (!cut || proposed_s < m->planned_s) m->planned_s = proposed_s;
    event(m);
  }
  return status;
}

/* --- the run --------------------------------------------------------------------------------- */

/* Does a conductance to an ambient depend on time? */
static bool conductances_timed(const struct hs_problem *problem)
{
  bool timed = false;
  for (int s = 0; problem && s < problem->segment_count; s++)
    timed = timed || (problem->segments[s].h && hs_value_timed(problem->segments[s].h));
  return timed;
}

static hs_status march_begin(struct march *m, struct hs_error *err)
{
  const struct hs_relaxation explicit_step = {.form = HS_FORM_WEIGHTED, .weight = 1.0};
  const struct hs_transient_settings *s = m->settings;
  const char *what = "the fields of a transient run";
  hs_status status = hs_array_create((void **)&m->field_k, node_count(m), sizeof(double), what, err);
  if (!status && s->adaptive) status = hs_array_create((void **)&m->start_k, node_count(m), sizeof(double), what, err);
  if (!status && s->adaptive) status = hs_array_create((void **)&m->once_k, node_count(m), sizeof(double), what, err);
  m->conductances_timed = conductances_timed(m->discretisation->problem);
  if (!status && s->scheme == HS_SCHEME_EXPLICIT) status = m->backend->relax(m->state, &explicit_step, err);
  if (!status) status = step_length_set(m, s->step_s, err);
  return status;
}

/* Takes up a run where a snapshot left it. */
static void march_resume(struct march *m, const struct hs_transient_point *from)
{
  *m->outcome = from->so_far;
  m->outcome->verdict = HS_VERDICT_RUNNING;
  m->time_s = from->time_s;
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

static hs_status march_on(struct march *m, struct hs_error *err)
{
  const struct hs_transient_settings *s = m->settings;
  hs_status status = s->from ? HS_OK : snapshot_give(m, err);
  for (int k = 0; !status && k <= s->snapshot_count && m->outcome->verdict == HS_VERDICT_RUNNING; k++) {
    const double until_s = fmin(event_time(s, k), s->end_s);
    if (until_s <= m->time_s) continue; /* a snapshot at 0, twice, or at the end */
    if (s->scheme == HS_SCHEME_EXPLICIT)
      status = explicit_until(m, until_s, err);
    else if (s->adaptive)
      status = adaptive_until(m, until_s, err);
    else
      status = implicit_until(m, until_s, err);
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
  struct march m = {.discretisation = discretisation,
                    .settings = settings,
                    .backend = backend,
                    .state = state,
                    .observer = observer,
                    .taker = taker,
                    .outcome = outcome,
                    .planned_s = settings->step_s,
                    .pace = {.backend = backend, .state = state}};
  hs_status status;
  memset(outcome, 0, sizeof *outcome);
  outcome->content_start_j_m = NAN;
  outcome->step_error_k = settings->adaptive ? 0.0 : NAN;
  m.started_s = m.shown_s = hs_time_s();
  if (settings->from) march_resume(&m, settings->from);
  status = march_begin(&m, err);
  if (!status) status = march_on(&m, err);
  outcome->time_s = m.time_s;
  outcome->solve_s = hs_time_s() - m.started_s;
  free(m.once_k);
  free(m.start_k);
  free(m.field_k);
  return status;
}
