/* A prepared job on a backend, and on another one where the first one fails.
 *
 * A transient run that loses its device goes on from its last snapshot. Its field is kept in the result's, which is not
 * used for anything else before the end of the run.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "run/attempt.h"
#include "run/job_parts.h"
#include "run/predict.h"

/* A diverged field has no error and no balance; figures from finite parts of it would look plausible. */
static void forget_meaningless(struct hs_result *result)
{
  struct hs_answers *answers = &result->answers;
  struct hs_balance *b = &answers->balance;
  const int surfaces = answers->surface_w_m ? result->problem->surface_count : 0;
  const int regions = answers->region_out_w_m ? result->config->region_count : 0;
  for (int side = 0; side < HS_SIDES; side++) b->side_w_m[side] = NAN;
  b->held_w_m = b->loss_w_m = b->in_w_m = b->out_w_m = b->storage_w_m = b->imbalance_relative = NAN;
  for (int k = 0; k < surfaces; k++) answers->surface_w_m[k] = NAN;
  for (int k = 0; k < regions; k++) answers->region_out_w_m[k] = NAN;
  answers->content_j_m = NAN;
  result->outcome.error_estimate_k = NAN;
  result->outcome.estimate_converged = false;
  if (!isfinite(result->outcome.norms.update_l2)) result->outcome.norms.update_max = NAN;
  if (!isfinite(result->outcome.norms.residual_l2))
    result->outcome.norms.residual_max = result->outcome.norms.correction_max = NAN;
}

/* What is known before the run. */
static hs_status result_begin(const struct hs_job *job, const struct hs_backend *backend, struct hs_result *result,
                              struct hs_error *err)
{
  const struct hs_system *system = job->system;
  memset(result, 0, sizeof *result);
  result->config = job->config;
  result->problem = job->problem;
  result->nx = job->config->grid.nx;
  result->ny = job->config->grid.ny;
  result->dx_m = system->dx_m;
  result->dy_m = system->dy_m;
  result->check_every = job->settings.check_every;
  result->method = job->settings.method;
  memcpy(result->method_reason, job->method_reason, sizeof result->method_reason);
  result->backend = backend->name;
  result->warnings = job->warnings;
  result->time_predicted_s = NAN;
  if (job->from) result->went_on_from = hs_checkpoint_sweeps(job);
  snprintf(result->backend_reason, sizeof result->backend_reason, "%s", job->reason);
  hs_time_utc(result->started_utc, sizeof result->started_utc);
  return hs_array_create((void **)&result->field_k, (size_t)system->nx * (size_t)system->ny, sizeof(double),
                         "the resulting field", err);
}

/* The time that the cost model predicts for the sweeps that were made. */
static void predict(const struct hs_job *job, const struct hs_backend *backend, bool resumed, struct hs_result *result)
{
  const struct hs_backend_cost cost = backend->cost(job->system, &job->options);
  const struct hs_transient_settings settings = hs_job_transient_settings(job);
  const struct hs_transient_outcome *t = &result->transient;
  const bool replayed = hs_job_replays(job) && result->outcome.verdict == HS_VERDICT_CONVERGED;
  struct hs_work work = job->config->time.scheme == HS_SCHEME_STEADY
                            ? hs_work_steady(&job->settings, (double)result->outcome.sweeps, replayed)
                            : hs_work_transient(&settings, job->problem->timed, (double)t->sweeps,
                                                (double)(t->steps + t->rejected_steps));
  const struct hs_costs_from from = hs_job_costs_from(job, backend);
  work.levels = fmax(work.levels - 1.0, 0.0); /* time_solve_s leaves the first ones out, too */
  result->time_predicted_s = resumed ? NAN : hs_work_s(&cost, &work);
  snprintf(result->predicted_from, sizeof result->predicted_from, "%s", from.text);
}

/* --- falling back ---------------------------------------------------------------------------- */

enum { BACKENDS_MOST = 32 };

/* The backends that are left, and how the others failed. */
struct fallback {
  const struct hs_backend *left[BACKENDS_MOST + 1];
  char trail[1024];
};

static void fallback_begin(struct fallback *fallback, const struct hs_job *job)
{
  int count = 0;
  while (job->backends[count] && count < BACKENDS_MOST) {
    fallback->left[count] = job->backends[count];
    count++;
  }
  fallback->left[count] = NULL;
  fallback->trail[0] = '\0';
}

/* Strikes out the backend that failed, and chooses the best of the others; NULL: there is none. */
static const struct hs_backend *fallback_next(struct fallback *fallback, const struct hs_job *job,
                                              const struct hs_backend *failed, const struct hs_error *why, char *reason,
                                              size_t size)
{
  const struct hs_work work = hs_job_work(job);
  const size_t length = strlen(fallback->trail);
  struct hs_error none;
  int kept = 0;
  for (int k = 0; fallback->left[k]; k++)
    if (fallback->left[k] != failed) fallback->left[kept++] = fallback->left[k];
  fallback->left[kept] = NULL;
  snprintf(fallback->trail + length, sizeof fallback->trail - length,
           length ? "; %s failed, too: %.400s" : "%s was chosen but failed: %.400s", failed->name, why->text);
  return hs_backend_choose(fallback->left, "auto", job->system, &job->options, &work, reason, size, &none);
}

/* The new backend's reason, and the warning. */
static void fallback_tell(const struct fallback *fallback, const struct hs_backend *next, const char *reason,
                          bool begun, const struct hs_resumption *resumption, struct hs_result *result)
{
  char text[sizeof result->warnings.text[0]], where[80] = "";
  if (begun && resumption->known)
    snprintf(where, sizeof where, " from t = %.9g s, the last state that was kept", resumption->point.time_s);
  else if (begun)
    snprintf(where, sizeof where, " from the start");
  snprintf(result->backend_reason, sizeof result->backend_reason, "%s; fell back to %s%s: %.600s", fallback->trail,
           next->name, where, reason);
  snprintf(text, sizeof text, "%.*s; the run went on with %s%s", (int)sizeof text - 140, fallback->trail, next->name,
           where);
  hs_warnings_add(&result->warnings, text);
}

/* Can another backend help? Once a run has begun, memory may be short for reasons that another backend shares. */
static bool replaceable(hs_status status, bool begun)
{
  return status == HS_ERR_DEVICE || (!begun && (status == HS_ERR_MEMORY || status == HS_ERR_UNSUPPORTED));
}

/* A transient run goes on from its checkpoint as from a snapshot. */
static hs_status resumption_begin(const struct hs_job *job, struct hs_resumption *resumption, struct hs_result *result,
                                  struct hs_error *err)
{
  const struct hs_checkpoint *from = job->from;
  const size_t nodes = (size_t)job->system->nx * (size_t)job->system->ny, bytes = nodes * sizeof(double);
  const double *field_k;
  hs_status status = HS_OK;
  if (job->options.multigrid && job->config->time.scheme != HS_SCHEME_STEADY)
    status = hs_array_create((void **)&resumption->change_k, nodes, sizeof *resumption->change_k,
                             "the change in a time step", err);
  if (status) return status;
  if (!from || job->config->time.scheme == HS_SCHEME_STEADY) return HS_OK;
  status = hs_series_copy(&from->series, job->problem, &result->series, err);
  if (!status) status = from->fields.get(from->fields.context, HS_FIELD_NOW, &field_k, err);
  if (status) return status;
  memcpy(result->field_k, field_k, bytes);
  if (from->transient.has_change && resumption->change_k) {
    status = from->fields.get(from->fields.context, HS_FIELD_BEFORE, &field_k, err);
    if (status) return status;
    memcpy(resumption->change_k, field_k, bytes);
  }
  resumption->point = from->transient;
  resumption->point.has_change = from->transient.has_change && resumption->change_k;
  resumption->known = true;
  return HS_OK;
}

/* Runs on *backend, or on others if it fails. *backend becomes the last one. */
static hs_status run_somewhere(const struct hs_job *job, const struct hs_backend **backend,
                               const struct hs_solve_observer *observer, const struct hs_snapshot_taker *taker,
                               struct hs_resumption *resumption, bool *resumed, struct hs_result *result,
                               struct hs_error *err)
{
  const bool alone = hs_comm_size(job->subdomain.comm) == 1; /* the failure of one rank among several ends the job */
  const bool may_change = alone && !strcmp(job->config->solver.backend, "auto") && *backend == job->backend;
  struct fallback fallback;
  struct hs_attempt attempt;
  hs_status status;
  bool begun;
  status = resumption_begin(job, resumption, result, err);
  if (status) return status;
  fallback_begin(&fallback, job);
  for (;;) {
    char reason[1024];
    const struct hs_backend *next;
    struct hs_error room = {0};
    *resumed = resumption->known || job->from;
    attempt = (struct hs_attempt){
        .job = job, .backend = *backend, .observer = observer, .taker = taker, .resumption = resumption};
    status = hs_attempt_run(&attempt, &begun, result, err);
    if (!may_change || !replaceable(status, begun)) return status;
    next = fallback_next(&fallback, job, *backend, err, reason, sizeof reason);
    if (!next) return status;
    if (hs_job_memory_check(job, next->cost(job->system, &job->options).host_bytes, 0.0, &room)) {
      hs_error_append(err, "; %s cannot take over: %s", next->name, room.text);
      return status;
    }
    hs_solve_outcome_clear(&result->outcome);
    fallback_tell(&fallback, next, reason, begun, resumption, result);
    *backend = next;
  }
}

hs_status hs_job_run(const struct hs_job *job, const struct hs_backend *backend,
                     const struct hs_solve_observer *observer, const struct hs_snapshot_taker *taker,
                     struct hs_result *result, struct hs_error *err)
{
  struct hs_resumption resumption = {.known = false};
  bool resumed = false;
  hs_status status = result_begin(job, backend, result, err);
  if (!status) status = run_somewhere(job, &backend, observer, taker, &resumption, &resumed, result, err);
  free(resumption.change_k);
  if (status) return status;
  if (result->outcome.verdict == HS_VERDICT_DIVERGED) forget_meaningless(result);
  predict(job, backend, resumed, result);
  if (result->time_solve_s > 0.0 && !job->options.multigrid)
    result->node_updates_per_s =
        (double)job->system->free_nodes * (double)result->outcome.sweeps / result->time_solve_s;
  return HS_OK;
}
