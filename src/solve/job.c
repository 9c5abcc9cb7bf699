/* The stages of a run, strung together. */
#include "solve/job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"

/* --- memory ---------------------------------------------------------------------------------- */

/* Bytes of the system's own arrays. Before there is one, they are told from the configuration. */
static double system_bytes(const struct hs_config *config, const struct hs_system *system)
{
  const double nodes = (double)config->grid.nx * config->grid.ny;
  const double entry = sizeof(struct hs_node_law) + sizeof(struct hs_stencil_f64) + sizeof(struct hs_stencil_f32);
  const bool each = system ? system->index == NULL : config->map.conductivity && config->map.conductivity[0];
  const bool sources = system ? system->source_w_m != NULL : config->map.source && config->map.source[0];
  const double entries = each ? nodes : system ? system->palette_size : 0.0;
  return entries * entry + nodes * ((each ? 0.0 : sizeof(uint16_t)) + (sources ? sizeof(double) : 0.0));
}

/* Bytes of the drawing: a class of each cell, and maps. */
static double problem_bytes(const struct hs_config *config)
{
  const double cells = (double)config->grid.nx * config->grid.ny;
  const int maps = (config->map.conductivity && config->map.conductivity[0]) +
                   (config->map.source && config->map.source[0]) + (config->map.initial && config->map.initial[0]);
  return cells * (sizeof(uint16_t) + maps * sizeof(double));
}

/* Bytes of a run's fields on the host: the result, what time steps fetch, and what Chebyshev's acceleration looks at. */
static double run_bytes(const struct hs_config *config)
{
  const double fields = (config->time.scheme == HS_SCHEME_STEADY ? 1.0
                         : config->time.adaptive                 ? 4.0
                                                                 : 2.0) +
                        (config->solver.method == HS_METHOD_CHEBYSHEV ? 1.0 : 0.0);
  return fields * (double)config->grid.nx * config->grid.ny * sizeof(double);
}

double hs_job_host_bytes(const struct hs_config *config, const struct hs_backend *backend,
                         const struct hs_system *system, const struct hs_backend_options *options)
{
  const double initial = (double)config->grid.nx * config->grid.ny * sizeof(double);
  return system_bytes(config, system) + problem_bytes(config) + initial + run_bytes(config) +
         (backend ? backend->cost(system, options).host_bytes : 0.0);
}

/* Refuses a run that this machine's free memory cannot hold; unknown free memory refuses nothing. */
static hs_status memory_check(const struct hs_config *config, double needed, struct hs_error *err)
{
  const double available = (double)hs_memory_available();
  if (available == 0.0 || needed <= available) return HS_OK;
  return hs_error_set(err, HS_ERR_CONFIG,
                      "%s: a grid of %d x %d nodes needs %.3g GB of memory and %.3g GB are free; use a smaller grid, "
                      "solver.precision = single, or a larger machine",
                      config->path, config->grid.nx, config->grid.ny, needed * 1e-9, available * 1e-9);
}

/* --- preparation ----------------------------------------------------------------------------- */

/* The two enumerations name the same quantities in the same order. */
_Static_assert((int)HS_CRITERION_UPDATE_L2 == (int)HS_STOP_UPDATE_L2 &&
                   (int)HS_CRITERION_UPDATE_MAX == (int)HS_STOP_UPDATE_MAX &&
                   (int)HS_CRITERION_RESIDUAL == (int)HS_STOP_RESIDUAL && (int)HS_CRITERION_ERROR == (int)HS_STOP_ERROR,
               "criteria of the configuration and quantities of the stop test differ");

static void settings_fill(const struct hs_config *config, struct hs_job *job)
{
  job->settings.quantity = (enum hs_stop_quantity)config->solver.criterion;
  job->settings.tolerance = config->solver.tolerance;
  job->settings.max_iterations = config->solver.max_iterations;
  job->settings.check_every = config->solver.check_every;
  job->settings.method = config->solver.method;
  job->settings.weight = config->solver.weight;
  job->settings.exact_stop = true;
  job->settings.single = config->solver.precision == HS_SINGLE;
  job->options.single = config->solver.precision == HS_SINGLE;
  job->options.threads = config->solver.threads;
}

static int time_order(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* All times of snapshots, listed or periodic, within (0, end]. *times_s is owned by the caller. */
static hs_status snapshot_times(const struct hs_config *config, double **times_s, int *count, struct hs_error *err)
{
  const double end_s = config->time.end_s, every_s = config->time.snapshot_every_s;
  const int periodic = every_s > 0.0 ? (int)fmin(floor(end_s / every_s * (1.0 + 1e-12)), HS_SNAPSHOTS_MOST) : 0;
  const hs_status status = hs_array_create((void **)times_s, (size_t)(config->time.snapshot_count + periodic + 1),
                                           sizeof **times_s, "the times of the snapshots", err);
  int kept;
  if (status) return status;
  *count = 0;
  for (int k = 0; k < config->time.snapshot_count; k++)
    if (config->time.snapshots_s[k] > 0.0 && config->time.snapshots_s[k] <= end_s)
      (*times_s)[(*count)++] = config->time.snapshots_s[k];
  for (int k = 1; k <= periodic; k++) (*times_s)[(*count)++] = fmin(k * every_s, end_s);
  qsort(*times_s, (size_t)*count, sizeof **times_s, time_order);
  kept = 0;
  for (int k = 0; k < *count; k++) /* listed and periodic times may be the same but for rounding */
    if (kept == 0 || (*times_s)[k] - (*times_s)[kept - 1] > 1e-9 * end_s) (*times_s)[kept++] = (*times_s)[k];
  *count = kept;
  return HS_OK;
}

/* What the configuration asks of time steps, snapshots apart. */
static struct hs_transient_settings transient_settings(const struct hs_job *job)
{
  const struct hs_config *config = job->config;
  struct hs_transient_settings s = {.scheme = config->time.scheme,
                                    .end_s = config->time.end_s,
                                    .step_s = config->time.step_s,
                                    .adaptive = config->time.adaptive && config->time.scheme != HS_SCHEME_EXPLICIT,
                                    .step_tolerance_k = config->time.step_tolerance_k,
                                    .step_min_s = config->time.step_min_s,
                                    .step_max_s = config->time.step_max_s,
                                    .inner_tolerance_k = config->time.inner_tolerance_k,
                                    .method = config->solver.method,
                                    .weight = config->solver.weight,
                                    .max_iterations = config->solver.max_iterations,
                                    .single = job->options.single};
  if (!(s.step_s > 0.0)) s.step_s = fmin(job->system->stable_step_s, s.end_s);
  if (!(s.step_min_s > 0.0)) s.step_min_s = 0.0;
  if (!(s.step_max_s > 0.0)) s.step_max_s = s.end_s;
  return s;
}

static hs_status forecast_make(struct hs_job *job, struct hs_error *err)
{
  struct hs_transient_settings transient;
  if (job->config->time.scheme == HS_SCHEME_STEADY)
    return hs_forecast(job->system, &job->settings, job->initial_k, &job->forecast, err);
  transient = transient_settings(job);
  hs_forecast_transient(job->system, &transient, &job->forecast);
  return HS_OK;
}

/* Sweeps that the choice of a backend is made for. */
static double sweeps_expected(const struct hs_job *job)
{
  if (job->config->time.scheme != HS_SCHEME_STEADY) return job->forecast.sweeps;
  return fmin(job->forecast.sweeps, (double)job->config->solver.max_iterations);
}

hs_status hs_job_prepare(const struct hs_config *config, struct hs_job *job, struct hs_error *err)
{
  struct hs_error why = {0};
  hs_status status;
  memset(job, 0, sizeof *job);
  job->config = config;
  settings_fill(config, job);
  if (strcmp(config->solver.backend, "auto") && !hs_backend_find(config->solver.backend, &why))
    return hs_error_set(err, why.status, "%s: solver.backend: %s", config->path, why.text);
  hs_backend_threads_use(config->solver.threads);
  status = memory_check(config, hs_job_host_bytes(config, NULL, NULL, &job->options), err);
  if (!status) status = hs_problem_create(config, &job->problem, err);
  if (!status) status = hs_problem_build_system(job->problem, &job->system, err);
  if (!status) status = hs_problem_initial_field(job->problem, job->system, &job->initial_k, err);
  if (!status) status = forecast_make(job, err);
  if (status) return status;
  job->backend = hs_backend_choose(config->solver.backend, job->system, &job->options, sweeps_expected(job),
                                   job->reason, sizeof job->reason, err);
  if (!job->backend) return err->status;
  return memory_check(config, job->backend->cost(job->system, &job->options).host_bytes + run_bytes(config), err);
}

/* --- a steady run ---------------------------------------------------------------------------- */

/* Asks whether the energy balance is good enough. */
struct balance_opinion {
  const struct hs_job *job;
  const struct hs_backend *backend;
  double *field_k; /* [ny*nx] room */
};

static hs_status balance_accept(void *context, struct hs_backend_state *state, bool *accepted, struct hs_error *err)
{
  const struct balance_opinion *opinion = context;
  const struct hs_job *job = opinion->job;
  struct hs_balance balance;
  hs_status status = opinion->backend->fetch(state, opinion->field_k, err);
  if (!status) status = hs_balance_take(job->problem, job->system, opinion->field_k, false, &balance, err);
  if (!status) *accepted = balance.imbalance_relative <= job->config->solver.balance_tolerance;
  return status;
}

/* Mean of a field, weighted by the nodes' control volumes. */
static double field_mean(const struct hs_problem *problem, const double *field_k)
{
  double weighted = 0.0, area = 0.0;
  for (int j = 0; j < problem->ny; j++) {
    double row = 0.0, row_area = 0.0;
    for (int i = 0; i < problem->nx; i++) {
      const double node_area = hs_problem_node_area(problem, i, j);
      row += node_area * field_k[(size_t)j * (size_t)problem->nx + (size_t)i];
      row_area += node_area;
    }
    weighted += row;
    area += row_area;
  }
  return weighted / area;
}

/* The temperatures of an insulated problem are defined up to a constant: their mean stays that of the start. */
static void mean_hold(const struct hs_job *job, struct hs_result *result)
{
  const size_t nodes = (size_t)job->system->nx * (size_t)job->system->ny;
  result->mean_shift_k = field_mean(job->problem, job->initial_k) - field_mean(job->problem, result->field_k);
  for (size_t n = 0; n < nodes; n++) result->field_k[n] += result->mean_shift_k;
}

static hs_status run_steady(struct hs_job *job, const struct hs_backend *backend, struct hs_backend_state *state,
                            const struct hs_solve_observer *observer, struct hs_result *result, struct hs_error *err)
{
  struct hs_solve_settings settings = job->settings;
  struct balance_opinion opinion = {job, backend, result->field_k};
  hs_status status;
  settings.sweep_s = backend->cost(job->system, &job->options).sweep_s;
  if (job->config->solver.balance_tolerance < 1.0) settings.accept = (struct hs_solve_accept){balance_accept, &opinion};
  status = hs_solve(job->system, &settings, backend, state, observer, &result->outcome, err);
  if (!status) status = backend->fetch(state, result->field_k, err);
  if (!status && job->system->singular && result->outcome.verdict != HS_VERDICT_DIVERGED) mean_hold(job, result);
  result->time_solve_s = result->outcome.solve_s;
  return status;
}

/* --- a transient run ------------------------------------------------------------------------- */

/* Takes the answers of each snapshot before it is passed on. */
struct series_taker {
  const struct hs_job *job;
  struct hs_result *result;
  const struct hs_snapshot_taker *next;
};

static hs_status series_take(void *context, const struct hs_snapshot *snapshot, struct hs_error *err)
{
  const struct series_taker *taker = context;
  const struct hs_job *job = taker->job;
  struct hs_answers answers;
  hs_status status;
  memset(&answers, 0, sizeof answers);
  status = hs_answers_take(job->problem, job->system, snapshot->field_k, true, &answers, err);
  if (!status) status = hs_series_add(&taker->result->series, job->problem, snapshot->time_s, &answers, err);
  hs_answers_clear(&answers);
  if (!status && taker->next && taker->next->take) status = taker->next->take(taker->next->context, snapshot, err);
  return status;
}

/* What a steady run tells and a transient one has no meaning for. */
static void outcome_of_transient(struct hs_result *result)
{
  struct hs_solve_outcome *o = &result->outcome;
  memset(o, 0, sizeof *o);
  o->verdict = result->transient.verdict;
  o->sweeps = result->transient.sweeps;
  o->norms = (struct hs_norms){NAN, NAN, NAN, NAN, NAN, NAN};
  o->residual_initial_l2 = o->residual_relative = o->error_estimate_k = NAN;
  o->solve_s = result->transient.solve_s;
  if (result->series.count > 0) result->transient.content_start_j_m = result->series.content_j_m[0];
}

/* Back to time 0: an earlier run of the job has left the system at its end. */
static hs_status time_reset(struct hs_job *job, const struct hs_transient_settings *settings, struct hs_error *err)
{
  hs_status status = HS_OK;
  if (job->problem->timed) status = hs_problem_time_set(job->problem, job->system, 0.0, err);
  hs_system_discretise(job->system, settings->scheme, settings->step_s, NULL);
  return status;
}

static hs_status run_transient(struct hs_job *job, const struct hs_transient_settings *settings,
                               const struct hs_backend *backend, struct hs_backend_state *state,
                               const struct hs_solve_observer *observer, const struct hs_snapshot_taker *next,
                               struct hs_result *result, struct hs_error *err)
{
  struct series_taker series = {job, result, next};
  const struct hs_snapshot_taker taker = {series_take, &series};
  struct hs_transient_settings s = *settings;
  double *times_s = NULL;
  hs_status status = snapshot_times(job->config, &times_s, &s.snapshot_count, err);
  s.snapshots_s = times_s;
  s.sweep_s = backend->cost(job->system, &job->options).sweep_s;
  if (!status)
    status = hs_transient_run(job->problem, job->system, &s, backend, state, observer, &taker, &result->transient, err);
  if (!status) status = backend->fetch(state, result->field_k, err);
  if (!status) outcome_of_transient(result);
  result->time_solve_s = result->transient.solve_s;
  free(times_s);
  return status;
}

/* --- a run ----------------------------------------------------------------------------------- */

/* A diverged field has no error and no balance; what was computed from parts of it must not look good. */
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
  result->outcome.error_settled = false;
  if (!isfinite(result->outcome.norms.update_l2)) result->outcome.norms.update_max = NAN;
  if (!isfinite(result->outcome.norms.residual_l2))
    result->outcome.norms.residual_max = result->outcome.norms.defect_max = NAN;
}

/* What is known before the run. */
static hs_status result_begin(const struct hs_job *job, const struct hs_backend *backend, struct hs_result *result,
                              struct hs_error *err)
{
  const struct hs_system *system = job->system;
  memset(result, 0, sizeof *result);
  result->config = job->config;
  result->problem = job->problem;
  result->nx = system->nx;
  result->ny = system->ny;
  result->dx_m = system->dx_m;
  result->dy_m = system->dy_m;
  result->backend = backend->name;
  snprintf(result->backend_reason, sizeof result->backend_reason, "%s", job->reason);
  hs_time_utc(result->started_utc, sizeof result->started_utc);
  return hs_array_create((void **)&result->field_k, (size_t)system->nx * (size_t)system->ny, sizeof(double),
                         "the resulting field", err);
}

hs_status hs_job_run(struct hs_job *job, const struct hs_backend *backend, const struct hs_solve_observer *observer,
                     const struct hs_snapshot_taker *taker, struct hs_result *result, struct hs_error *err)
{
  const bool transient = job->config->time.scheme != HS_SCHEME_STEADY;
  struct hs_transient_settings settings = transient_settings(job);
  struct hs_backend_state *state = NULL;
  hs_status status = result_begin(job, backend, result, err);
  if (!status && transient) status = time_reset(job, &settings, err);
  if (!status) status = backend->create(job->system, &job->options, &state, err);
  if (!status) status = backend->load(state, job->initial_k, err);
  if (status) goto out;
  backend->place(state, &result->place);
  status = transient ? run_transient(job, &settings, backend, state, observer, taker, result, err)
                     : run_steady(job, backend, state, observer, result, err);
  if (!status) status = hs_answers_take(job->problem, job->system, result->field_k, transient, &result->answers, err);
  if (!status && result->outcome.verdict == HS_VERDICT_DIVERGED) forget_meaningless(result);
  if (result->time_solve_s > 0.0)
    result->node_updates_per_s =
        (double)job->system->free_nodes * (double)result->outcome.sweeps / result->time_solve_s;
out:
  backend->destroy(state);
  return status;
}

void hs_job_clear(struct hs_job *job)
{
  hs_system_destroy(job->system);
  hs_problem_destroy(job->problem);
  free(job->initial_k);
  job->system = NULL;
  job->problem = NULL;
  job->initial_k = NULL;
}
