/* One attempt of a run: the steady or the transient run on one backend, and the answers about its field. */
#include "run/attempt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/timer.h"
#include "run/job_parts.h"
#include "solve/floor.h"
#include "solve/judge.h"
#include "solve/multigrid/multigrid.h"

/* Expected time of a sweep, by the cost model of the slowest rank. */
static hs_status sweep_expect(const struct hs_attempt *a, double *sweep_s, struct hs_error *err)
{
  const struct hs_job *job = a->job;
  *sweep_s = a->backend->cost(job->system, &job->options).sweep_s;
  return hs_comm_largest(job->subdomain.comm, sweep_s, 1, err);
}

/* --- a steady run ---------------------------------------------------------------------------- */

/* For the second criterion of a steady run: is the energy balance good enough? */
struct balance_opinion {
  const struct hs_job *job;
  const struct hs_backend *backend;
  double *field_k;                /* [ny*nx] room */
  bool asked;                     /* whether few temperatures are enough is known; */
  struct hs_balance_nodes *nodes; /* NULL: they are not */
};

/* The balance of the present field. */
static hs_status balance_find(struct balance_opinion *opinion, struct hs_backend_state *state,
                              struct hs_balance *balance, struct hs_error *err)
{
  const struct hs_job *job = opinion->job;
  const int64_t *node;
  hs_status status;
  int64_t count;
  if (!opinion->asked && opinion->backend->pick) { /* without memory for it, the field serves */
    struct hs_error none;
    (void)hs_balance_nodes_create(job->problem, job->system, &opinion->nodes, &none);
  }
  opinion->asked = true;
  if (!opinion->nodes) {
    status = opinion->backend->fetch(state, opinion->field_k, err);
    return status ? status : hs_balance_take(job->problem, job->system, opinion->field_k, false, balance, err);
  }
  count = hs_balance_nodes_list(opinion->nodes, &node);
  status = opinion->backend->pick(state, node, count, opinion->field_k, err);
  return status ? status : hs_balance_nodes_take(opinion->nodes, opinion->field_k, balance, err);
}

/* Flows that are no larger than what the error that is left drives cannot balance any better, and need not: then hardly
 * any heat flows at all. */
static hs_status balance_accept(void *context, struct hs_backend_state *state, double left_k, bool *accepted,
                                struct hs_error *err)
{
  struct balance_opinion *opinion = context;
  struct hs_balance balance;
  const hs_status status = balance_find(opinion, state, &balance, err);
  if (!status)
    *accepted = balance.imbalance_relative <= opinion->job->config->solver.balance_tolerance ||
                hs_balance_is_error(&balance, left_k);
  return status;
}

/* Hands the points of a steady run to whoever writes checkpoints. */
struct steady_keeper {
  const struct hs_job *job;
  const struct hs_backend *backend;
  struct hs_multigrid *multigrid; /* whose fields are kept; NULL: the backend's */
  struct hs_result *result;       /* whose field is room until the end */
  struct hs_backend_state *state;
};

static bool steady_due(void *context)
{
  const struct hs_checkpoint_keeper *keeper = &((const struct steady_keeper *)context)->job->keeper;
  return keeper->due(keeper->context);
}

static hs_status steady_field(void *context, enum hs_field_role role, const double **field_k, struct hs_error *err)
{
  const struct steady_keeper *keeper = context;
  *field_k = keeper->result->field_k;
  if (keeper->multigrid) return hs_multigrid_fetch(keeper->multigrid, role, keeper->result->field_k, err);
  return keeper->backend->fetch_role(keeper->state, role, keeper->result->field_k, err);
}

static hs_status steady_keep(void *context, const struct hs_solve_point *point, struct hs_backend_state *state,
                             struct hs_error *err)
{
  struct steady_keeper *keeper = context;
  const struct hs_checkpoint checkpoint = {.steady = *point,
                                           .has_before = point->has_before,
                                           .has_saved = point->has_saved,
                                           .fields = {steady_field, keeper}};
  keeper->state = state;
  return hs_checkpoint_keep(keeper->job, &checkpoint, keeper->result, err);
}

/* The temperatures of an insulated problem are defined up to a constant, which is chosen such that their mean is that of
 * the start. */
static hs_status mean_hold(const struct hs_job *job, struct hs_result *result, struct hs_error *err)
{
  const size_t nodes = (size_t)job->system->nx * (size_t)job->system->ny;
  double start_k = 0.0, mean_k = 0.0;
  hs_status status = hs_answers_mean(job->problem, job->initial_k, &start_k, err);
  if (!status) status = hs_answers_mean(job->problem, result->field_k, &mean_k, err);
  result->mean_shift_k = start_k - mean_k;
  for (size_t n = 0; !status && n < nodes; n++) result->field_k[n] += result->mean_shift_k;
  return status;
}

static void judge_warn(const struct hs_judge *judge, struct hs_result *result)
{
  struct hs_error text = judge->why;
  hs_error_append(&text,
                  ". The remaining error is estimated from the history of the iteration, which may miss a slow part of "
                  "the field");
  hs_warnings_add(&result->warnings, text.text);
}

static hs_status run_steady(struct hs_attempt *a, struct hs_result *result, struct hs_error *err)
{
  const struct hs_job *job = a->job;
  const struct hs_backend *backend = a->backend;
  struct hs_backend_state *state = a->state;
  struct steady_keeper keeper = {job, backend, a->multigrid, result, state};
  struct hs_solve_settings settings = job->settings;
  struct balance_opinion opinion = {job, backend, result->field_k, false, NULL};
  struct hs_judge judge = {.backend = backend, .system = job->system, .options = &job->options};
  hs_status status;
  status = sweep_expect(a, &settings.sweep_s, err);
  if (status) return status;
  settings.expected_sweeps = job->forecast.sweeps;
  if (job->config->solver.balance_tolerance < 1.0) settings.accept = (struct hs_solve_accept){balance_accept, &opinion};
  if (job->keeper.write)
    settings.keeper = (struct hs_solve_keeper){job->keeper.due ? steady_due : NULL, steady_keep, &keeper};
  if (job->from) settings.from = &job->from->steady;
  settings.multigrid = a->multigrid;
  if (!a->multigrid) settings.judge = &judge;
  status = hs_solve(job->system, &settings, backend, state, a->observer, &result->outcome, err);
  hs_judge_clear(&judge);
  hs_balance_nodes_destroy(opinion.nodes);
  if (!status && judge.given_up) judge_warn(&judge, result);
  if (!status) status = backend->fetch(state, result->field_k, err);
  if (!status && job->system->singular && result->outcome.verdict != HS_VERDICT_DIVERGED)
    status = mean_hold(job, result, err);
  result->estimate_cycles = judge.cycles;
  result->time_estimate_s = judge.time_s;
  result->time_solve_s = result->outcome.solve_s - result->time_checkpoints_s - judge.time_s;
  return status;
}

/* --- a transient run ------------------------------------------------------------------------- */

/* All times of snapshots, listed or periodic, within (start, end]. *times_s is owned by the caller. */
static hs_status snapshot_times(const struct hs_config *config, double **times_s, int *count, struct hs_error *err)
{
  const double start_s = config->time.start_s, end_s = config->time.end_s, every_s = config->time.snapshot_every_s;
  const int periodic = every_s > 0.0 ? (int)fmin(floor(end_s / every_s * (1.0 + 1e-12)), HS_SNAPSHOTS_MOST) : 0;
  const hs_status status = hs_array_create((void **)times_s, (size_t)(config->time.snapshot_count + periodic + 1),
                                           sizeof **times_s, "the times of the snapshots", err);
  int kept;
  if (status) return status;
  *count = 0;
  for (int k = 0; k < config->time.snapshot_count; k++)
    if (config->time.snapshots_s[k] > start_s && config->time.snapshots_s[k] <= end_s)
      (*times_s)[(*count)++] = config->time.snapshots_s[k];
  for (int k = 1; k <= periodic; k++)
    if (fmin(k * every_s, end_s) > start_s) (*times_s)[(*count)++] = fmin(k * every_s, end_s);
  qsort(*times_s, (size_t)*count, sizeof **times_s, hs_double_order);
  kept = 0;
  for (int k = 0; k < *count; k++) /* listed and periodic times may differ by rounding alone */
    if (kept == 0 || (*times_s)[k] - (*times_s)[kept - 1] > 1e-9 * end_s) (*times_s)[kept++] = (*times_s)[k];
  *count = kept;
  return HS_OK;
}

/* Takes the answers of each snapshot and passes it on. A snapshot that is not kept leaves no row. */
struct series_taker {
  const struct hs_job *job;
  struct hs_result *result;
  const struct hs_snapshot_taker *next;
  struct hs_resumption *resumption;
  struct hs_multigrid *multigrid; /* NULL: another method */
  double taken_s;                 /* time spent here, which does not count as sweeps */
};

static void field_copy(const struct hs_system *s, const double *from_k, double *to_k)
{
  const size_t nx = (size_t)s->nx;
#pragma omp parallel for schedule(static) if (s->ny > 1 << 10)
  for (int j = 0; j < s->ny; j++) memcpy(to_k + (size_t)j * nx, from_k + (size_t)j * nx, nx * sizeof *to_k);
}

static hs_status series_take(void *context, const struct hs_snapshot *snapshot, struct hs_error *err)
{
  struct series_taker *taker = context;
  const struct hs_job *job = taker->job;
  const double began_s = hs_time_s();
  struct hs_answers answers;
  hs_status status = HS_OK;
  memset(&answers, 0, sizeof answers);
  if (snapshot->point->has_change) /* first: where the device fails, the point before is still whole */
    status = hs_multigrid_change_fetch(taker->multigrid, taker->resumption->change_k, err);
  if (!status) status = hs_answers_take(job->problem, snapshot->system, snapshot->field_k, true, &answers, err);
  if (!status) status = hs_series_add(&taker->result->series, job->problem, snapshot->time_s, &answers, err);
  hs_answers_clear(&answers);
  if (!status && taker->next && taker->next->take) {
    status = taker->next->take(taker->next->context, snapshot, err);
    if (status) taker->result->series.count--;
  }
  if (!status) {
    field_copy(job->system, snapshot->field_k, taker->result->field_k);
    taker->resumption->point = *snapshot->point;
    taker->resumption->known = true;
  }
  taker->taken_s += hs_time_s() - began_s;
  return status;
}

/* Hands the points of a transient run to whoever writes checkpoints. */
struct transient_keeper {
  const struct hs_job *job;
  struct hs_result *result;
  struct hs_multigrid *multigrid; /* which has the change; NULL: there is none */
  double *room;                   /* [ny*nx] the field, which is asked for first */
};

static bool transient_due(void *context)
{
  const struct hs_checkpoint_keeper *keeper = &((const struct transient_keeper *)context)->job->keeper;
  return keeper->due(keeper->context);
}

static hs_status transient_field(void *context, enum hs_field_role role, const double **field_k, struct hs_error *err)
{
  const struct transient_keeper *keeper = context;
  *field_k = keeper->room;
  return role == HS_FIELD_NOW ? HS_OK : hs_multigrid_change_fetch(keeper->multigrid, keeper->room, err);
}

static hs_status transient_keep(void *context, const struct hs_snapshot *now, double *room, struct hs_error *err)
{
  struct transient_keeper *keeper = context;
  const struct hs_checkpoint checkpoint = {.transient = *now->point,
                                           .series = keeper->result->series,
                                           .has_before = now->point->has_change,
                                           .fields = {transient_field, keeper}};
  keeper->room = room;
  return hs_checkpoint_keep(keeper->job, &checkpoint, keeper->result, err);
}

/* Fills the outcome of a steady run, most of which has no meaning for a transient one. */
static void outcome_of_transient(struct hs_result *result)
{
  struct hs_solve_outcome *o = &result->outcome;
  memset(o, 0, sizeof *o);
  o->verdict = result->transient.verdict;
  o->sweeps = result->transient.sweeps;
  o->work_sweeps = hs_result_makes_cycles(result) ? NAN : (double)o->sweeps;
  o->norms = (struct hs_norms){NAN, NAN, NAN, NAN, NAN, NAN};
  o->residual_initial_l2 = o->residual_relative = o->error_estimate_k = NAN;
  o->solve_s = result->transient.solve_s;
  if (result->series.count > 0) result->transient.content_start_j_m = result->series.content_j_m[0];
}

static hs_status run_transient(struct hs_attempt *a, const struct hs_transient_settings *settings,
                               struct hs_result *result, struct hs_error *err)
{
  const struct hs_job *job = a->job;
  struct series_taker series = {job, result, a->taker, a->resumption, a->multigrid, 0.0};
  const struct hs_snapshot_taker taker = {series_take, &series};
  struct transient_keeper keeper = {job, result, a->multigrid, NULL};
  struct hs_transient_settings s = *settings;
  double *times_s = NULL;
  hs_status status = snapshot_times(job->config, &times_s, &s.snapshot_count, err);
  s.snapshots_s = times_s;
  s.multigrid = a->multigrid;
  if (!status) status = sweep_expect(a, &s.sweep_s, err);
  if (job->keeper.write)
    s.keeper = (struct hs_transient_keeper){job->keeper.due ? transient_due : NULL, transient_keep, &keeper};
  if (!status)
    status =
        hs_transient_run(&a->discretisation, &s, a->backend, a->state, a->observer, &taker, &result->transient, err);
  if (!status) status = a->backend->fetch(a->state, result->field_k, err);
  if (!status) outcome_of_transient(result);
  result->time_solve_s = result->transient.solve_s - series.taken_s - result->time_checkpoints_s;
  free(times_s);
  return status;
}

/* The field to begin with, or those of the checkpoint that a steady run goes on from. */
static hs_status fields_load(struct hs_attempt *a, bool transient, struct hs_result *result, struct hs_error *err)
{
  const struct hs_checkpoint *from = a->job->from;
  const double *field_k;
  hs_status status = HS_OK;
  if (a->resumption->known) return a->backend->load(a->state, result->field_k, err);
  if (!from || transient || a->job->options.multigrid) return a->backend->load(a->state, a->job->initial_k, err);
  if (from->has_saved) {
    status = from->fields.get(from->fields.context, HS_FIELD_SAVED, &field_k, err);
    if (!status) status = a->backend->load(a->state, field_k, err);
    if (!status) status = a->backend->save(a->state, err);
  }
  if (!status) status = from->fields.get(from->fields.context, HS_FIELD_NOW, &field_k, err);
  if (!status) status = a->backend->load(a->state, field_k, err);
  if (status || !from->has_before) return status;
  status = from->fields.get(from->fields.context, HS_FIELD_BEFORE, &field_k, err);
  return status ? status : a->backend->load_before(a->state, field_k, err);
}

static void threads_warn(struct hs_result *result)
{
  char text[160];
  int wanted, created;
  if (!hs_backend_threads_short(&wanted, &created)) return;
  snprintf(text, sizeof text, "of %d threads the system created only %d (ulimit -u, memory); the run takes longer",
           wanted, created);
  if (!hs_warnings_contain(&result->warnings, text)) hs_warnings_add(&result->warnings, text);
}

/* The fields of a checkpoint that cycles have kept. */
static hs_status cycles_load(struct hs_attempt *a, struct hs_error *err)
{
  static const enum hs_field_role roles[] = {HS_FIELD_NOW, HS_FIELD_SAVED};
  const struct hs_checkpoint *from = a->job->from;
  hs_status status = HS_OK;
  for (size_t k = 0; !status && k < sizeof roles / sizeof *roles; k++) {
    const double *field;
    status = from->fields.get(from->fields.context, roles[k], &field, err);
    if (!status) status = hs_multigrid_load(a->multigrid, roles[k], field, err);
  }
  return status;
}

/* The levels of multigrid, where it is the method. */
static hs_status levels_make(struct hs_attempt *a, struct hs_result *result, struct hs_error *err)
{
  const double began_s = hs_time_s();
  hs_status status;
  if (!a->job->options.multigrid) return HS_OK;
  status = hs_multigrid_create(a->backend, a->discretisation.now, &a->job->options, a->state, &a->multigrid, err);
  if (status) return status;
  result->levels = hs_multigrid_levels(a->multigrid);
  result->time_levels_s = hs_time_s() - began_s;
  return HS_OK;
}

hs_status hs_attempt_run(struct hs_attempt *a, bool *begun, struct hs_result *result, struct hs_error *err)
{
  const struct hs_job *job = a->job;
  const bool transient = job->config->time.scheme != HS_SCHEME_STEADY;
  struct hs_transient_settings settings = hs_job_transient_settings(job);
  const struct hs_transient_point from = a->resumption->point; /* a copy: snapshots change the original */
  const double start_s = a->resumption->known ? from.time_s : settings.start_s;
  hs_status status;
  *begun = false;
  result->backend = a->backend->name;
  if (a->resumption->known) settings.from = &from;
  status = hs_discretisation_begin(&a->discretisation, job->problem, job->system, settings.scheme, start_s,
                                   settings.step_s, err);
  if (!status) status = a->backend->create(a->discretisation.now, &job->options, &a->state, err);
  if (!status) status = fields_load(a, transient, result, err);
  if (status) goto out;
  status = levels_make(a, result, err);
  if (!status && job->from && !transient && a->multigrid) status = cycles_load(a, err);
  if (!status && transient && a->resumption->known && from.has_change)
    status = hs_multigrid_change_load(a->multigrid, a->resumption->change_k, err);
  if (status) goto out;
  *begun = true;
  threads_warn(result);
  a->backend->place(a->state, &result->place);
  status = transient ? run_transient(a, &settings, result, err) : run_steady(a, result, err);
  if (!status) a->backend->place(a->state, &result->place); /* the threads of all the run */
out:
  hs_multigrid_destroy(a->multigrid);
  a->multigrid = NULL;
  a->backend->destroy(a->state);
  a->state = NULL;
  if (!status)
    status = hs_answers_take(job->problem, a->discretisation.now, result->field_k, transient, &result->answers, err);
  if (!status && !transient)
    hs_solve_floor(&job->settings, result->answers.minimum_k, result->answers.maximum_k, &result->outcome);
  /* of a field that is constant, but for rounding and the remaining error, places say nothing */
  if (!status && result->answers.maximum_k - result->answers.minimum_k > hs_result_resolution_k(result))
    status = hs_answers_places(job->problem, result->field_k, &result->answers, err);
  hs_discretisation_clear(&a->discretisation);
  return status;
}
