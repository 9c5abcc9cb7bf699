/* The stages of a run, strung together. */
#include "solve/job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"

double hs_job_host_bytes(const struct hs_config *config, const struct hs_backend *backend,
                         const struct hs_system *system, const struct hs_backend_options *options)
{
  const double nodes = (double)config->grid.nx * config->grid.ny;
  /* a stencil index, the initial and the resulting field, and what the backend holds */
  return nodes * (sizeof(uint16_t) + 2.0 * sizeof(double)) +
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

/* The two enumerations name the same quantities in the same order. */
_Static_assert((int)HS_CRITERION_UPDATE_L2 == (int)HS_STOP_UPDATE_L2 &&
                   (int)HS_CRITERION_UPDATE_MAX == (int)HS_STOP_UPDATE_MAX &&
                   (int)HS_CRITERION_RESIDUAL == (int)HS_STOP_RESIDUAL && (int)HS_CRITERION_ERROR == (int)HS_STOP_ERROR,
               "criteria of the configuration and quantities of the stop test differ");

hs_status hs_job_prepare(const struct hs_config *config, struct hs_job *job, struct hs_error *err)
{
  struct hs_error why = {0};
  hs_status status;
  memset(job, 0, sizeof *job);
  job->config = config;
  job->settings.quantity = (enum hs_stop_quantity)config->solver.criterion;
  job->settings.tolerance = config->solver.tolerance;
  job->settings.max_iterations = config->solver.max_iterations;
  job->settings.check_every = config->solver.check_every;
  job->options.single = config->solver.precision == HS_SINGLE;
  job->options.threads = config->solver.threads;

  if (strcmp(config->solver.backend, "auto") && !hs_backend_find(config->solver.backend, &why))
    return hs_error_set(err, why.status, "%s: solver.backend: %s", config->path, why.text);
  hs_backend_threads_use(config->solver.threads);
  status = memory_check(config, hs_job_host_bytes(config, NULL, NULL, &job->options), err);
  if (!status) status = hs_problem_build_system(config, &job->system, err);
  if (!status) status = hs_problem_initial_field(config, job->system, &job->initial_k, err);
  if (!status) status = hs_forecast(job->system, &job->settings, job->initial_k, &job->forecast, err);
  if (status) return status;
  job->backend = hs_backend_choose(config->solver.backend, job->system, &job->options,
                                   fmin(job->forecast.sweeps, (double)config->solver.max_iterations), job->reason,
                                   sizeof job->reason, err);
  if (!job->backend) return err->status;
  return memory_check(config,
                      job->backend->cost(job->system, &job->options).host_bytes +
                          (double)config->grid.nx * config->grid.ny * sizeof(double),
                      err);
}

/* A diverged field has no error and no balance; what was computed from parts of it must not look good. */
static void forget_meaningless(struct hs_result *result)
{
  struct hs_balance *balance = &result->balance;
  for (int side = 0; side < HS_SIDES; side++) balance->side_w_m[side] = NAN;
  balance->in_w_m = balance->out_w_m = balance->imbalance_relative = NAN;
  result->outcome.error_estimate_k = NAN;
  result->outcome.error_settled = false;
  if (!isfinite(result->outcome.norms.update_l2)) result->outcome.norms.update_max = NAN;
  if (!isfinite(result->outcome.norms.residual_l2)) result->outcome.norms.residual_max = NAN;
}

hs_status hs_job_run(const struct hs_job *job, const struct hs_backend *backend,
                     const struct hs_solve_observer *observer, struct hs_result *result, struct hs_error *err)
{
  const struct hs_system *system = job->system;
  struct hs_backend_state *state = NULL;
  struct hs_solve_settings settings = job->settings;
  hs_status status;
  memset(result, 0, sizeof *result);
  result->config = job->config;
  result->nx = system->nx;
  result->ny = system->ny;
  result->dx_m = system->dx_m;
  result->dy_m = system->dy_m;
  result->backend = backend->name;
  snprintf(result->backend_reason, sizeof result->backend_reason, "%s", job->reason);
  hs_time_utc(result->started_utc, sizeof result->started_utc);

  status = hs_array_create((void **)&result->field_k, (size_t)system->nx * (size_t)system->ny, sizeof(double),
                           "the resulting field", err);
  if (!status) status = backend->create(system, &job->options, &state, err);
  if (!status) status = backend->load(state, job->initial_k, err);
  settings.sweep_s = backend->cost(system, &job->options).sweep_s;
  if (status) goto out;
  backend->place(state, &result->place);
  status = hs_solve(system, &settings, backend, state, observer, &result->outcome, err);
  if (!status) status = backend->fetch(state, result->field_k, err);
  if (!status) status = hs_result_assess(result, system, err);
  if (!status && result->outcome.verdict == HS_VERDICT_DIVERGED) forget_meaningless(result);
  result->time_solve_s = result->outcome.solve_s;
  if (result->time_solve_s > 0.0)
    result->node_updates_per_s = (double)system->free_nodes * (double)result->outcome.sweeps / result->time_solve_s;
out:
  backend->destroy(state);
  return status;
}

void hs_job_clear(struct hs_job *job)
{
  hs_system_destroy(job->system);
  free(job->initial_k);
  job->system = NULL;
  job->initial_k = NULL;
}
