/* What a run needs and how it is set up: memory, settings of the configuration and of the method, the backend. */
#include "run/job_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cost/tuning.h"
#include "backend/distributed/distributed.h"
#include "base/memory.h"
#include "run/predict.h"
#include "solve/judge.h"

/* --- memory ---------------------------------------------------------------------------------- */

/* The program and its libraries, and buffers for files and pictures: what runs of small grids take. */
static const double PROGRAM_BYTES = 32e6;

/* Memory that must be free, over what is expected: threads and libraries take what no list has. */
static const double SPARE = 1.1;

/* Nodes that this process holds: of the grid, or of its window. */
static double nodes_held(const struct hs_config *config, const struct hs_backend_options *options)
{
  const struct hs_subdomain *subdomain = options->spread.subdomain;
  struct hs_rectangle window;
  if (!subdomain) return (double)config->grid.nx * config->grid.ny;
  window = hs_partition_window(&subdomain->partition, subdomain->part);
  return (double)window.nx * window.ny;
}

/* Has each node a law of its own? Before there is a system, as far as the configuration tells. */
static bool each_has_law(const struct hs_config *config, const struct hs_system *system)
{
  return system ? system->index == NULL : config->map.conductivity && config->map.conductivity[0];
}

/* Laws of the system, each with its stencils. */
static double entries(const struct hs_config *config, const struct hs_system *system, double nodes)
{
  return each_has_law(config, system) ? nodes : system ? system->table_size : 0.0;
}

/* Bytes of the system's own arrays, and of its discretisations for time steps (time/discretisation.h). */
static double system_bytes(const struct hs_config *config, const struct hs_system *system, double nodes)
{
  const double law = sizeof(struct hs_node_law);
  const double stencils = sizeof(struct hs_stencil_f64) + sizeof(struct hs_stencil_f32);
  const bool sources = system ? system->source_w_m != NULL : config->map.source && config->map.source[0];
  const bool timed = system && system->timed_count > 0, steady = config->time.scheme == HS_SCHEME_STEADY;
  const double copies = steady ? 0.0 : timed || config->time.adaptive ? 2.0 : 1.0;
  return entries(config, system, nodes) * (law + stencils + copies * (stencils + (timed ? law : 0.0))) +
         nodes * ((each_has_law(config, system) ? 0.0 : sizeof(uint16_t)) + (sources ? sizeof(double) : 0.0));
}

/* Bytes of the problem: the class of each cell, and maps. */
static double problem_bytes(const struct hs_config *config, double cells)
{
  const int maps = (config->map.conductivity && config->map.conductivity[0]) +
                   (config->map.source && config->map.source[0]) + (config->map.initial && config->map.initial[0]);
  return cells * (sizeof(uint16_t) + maps * sizeof(double));
}

/* Bytes of a run's fields on the host: the result, what time steps fetch, what Chebyshev's acceleration and multigrid
 * read, the change in the step before a snapshot, and what comes from a checkpoint. */
static double run_bytes(const struct hs_config *config, const struct hs_backend_options *options)
{
  const double fields = (config->time.scheme == HS_SCHEME_STEADY ? 1.0
                         : config->time.adaptive                 ? 4.0
                                                                 : 2.0) +
                        (options->form == HS_FORM_CHEBYSHEV || options->multigrid ? 1.0 : 0.0) +
                        (options->multigrid && config->time.scheme != HS_SCHEME_STEADY ? 1.0 : 0.0) +
                        (config->run.restart != HS_RESTART_NO ? 1.0 : 0.0);
  return fields * nodes_held(config, options) * sizeof(double);
}

double hs_job_host_bytes(const struct hs_config *config, const struct hs_backend *backend,
                         const struct hs_system *system, const struct hs_backend_options *options)
{
  const double nodes = nodes_held(config, options), initial = nodes * sizeof(double);
  return PROGRAM_BYTES + system_bytes(config, system, nodes) + problem_bytes(config, nodes) + initial +
         run_bytes(config, options) + (backend ? backend->cost(system, options).host_bytes : 0.0);
}

void hs_job_estimate_bytes(const struct hs_job *job, double *host, double *device)
{
  const struct hs_judge judge = {.backend = job->backend, .system = job->system, .options = &job->options};
  *host = *device = 0.0;
  if (job->config->time.scheme == HS_SCHEME_STEADY && !job->options.multigrid) hs_judge_bytes(&judge, host, device);
}

hs_status hs_job_memory_check(const struct hs_job *job, double whole, double taken, struct hs_error *err)
{
  const struct hs_config *config = job->config;
  const int here = hs_comm_local_size(job->subdomain.comm);
  struct hs_error why;
  hs_status status = HS_OK;
  char what[120], ranks[60] = "";
  if (here > 1) snprintf(ranks, sizeof ranks, "what the %d ranks on this machine hold of ", here);
  snprintf(what, sizeof what, "%sa grid of %d x %d nodes", ranks, config->grid.nx, config->grid.ny);
  if (hs_memory_check(here * (SPARE * whole - taken), what, &why))
    status =
        hs_error_set(err, HS_ERR_CONFIG, "%s: %s; use a smaller grid, solver.precision = single, or a larger machine",
                     config->path, why.text);
  return hs_comm_agree(job->subdomain.comm, status, err);
}

/* --- preparation ----------------------------------------------------------------------------- */

int hs_job_check_every(const struct hs_config *config, enum hs_method method)
{
  const double nodes = (double)config->grid.nx * config->grid.ny;
  const enum hs_form form = hs_work_form(HS_SCHEME_STEADY, method);
  const int wanted = config->solver.check_every;
  return hs_solve_interval((enum hs_stop_quantity)config->solver.criterion,
                           wanted > 0 ? wanted : hs_backend_test_interval(nodes, form));
}

struct hs_transient_settings hs_job_transient_settings(const struct hs_job *job)
{
  const struct hs_config *config = job->config;
  struct hs_transient_settings s = {.scheme = config->time.scheme,
                                    .start_s = config->time.start_s,
                                    .end_s = config->time.end_s,
                                    .step_s = config->time.step_s,
                                    .damped_steps = hs_config_damped(config),
                                    .adaptive = config->time.adaptive && config->time.scheme != HS_SCHEME_EXPLICIT,
                                    .step_tolerance_k = config->time.step_tolerance_k,
                                    .step_min_s = config->time.step_min_s,
                                    .step_max_s = config->time.step_max_s,
                                    .inner_tolerance_k = config->time.inner_tolerance_k,
                                    .method = job->settings.method,
                                    .weight = config->solver.weight,
                                    .max_iterations = config->solver.max_iterations,
                                    .single = job->options.single};
  if (!(s.step_s > 0.0)) s.step_s = fmin(job->system->stable_step_s, s.end_s - s.start_s);
  if (!(s.step_min_s > 0.0)) s.step_min_s = 0.0;
  if (!(s.step_max_s > 0.0)) s.step_max_s = s.end_s;
  return s;
}

hs_status hs_cycles_refuse(const struct hs_config *config, const char *why, struct hs_error *err)
{
  return hs_error_set(err, HS_ERR_CONFIG, "%s: %s; use another number of nodes or ranks, or solver.method = auto",
                      config->path, why);
}

/* Can the ranks make cycles? */
static hs_status cycles_check(const struct hs_job *job, struct hs_error *err)
{
  struct hs_comm *comm = job->subdomain.comm;
  struct hs_error why;
  hs_status status;
  if (!job->options.multigrid || hs_comm_size(comm) == 1) return HS_OK;
  status = hs_comm_agree(comm, hs_distributed_cycles_check(&job->subdomain.partition, &why), &why);
  if (!status) return HS_OK;
  return hs_cycles_refuse(job->config, why.text, err);
}

hs_status hs_job_method_set(struct hs_job *job, enum hs_method method, struct hs_error *err)
{
  const struct hs_config *config = job->config;
  struct hs_transient_settings transient;
  hs_status status;
  job->settings.method = method;
  job->settings.check_every = hs_job_check_every(config, method);
  job->options.form = hs_work_form(config->time.scheme, method);
  job->options.multigrid = method == HS_METHOD_MULTIGRID && config->time.scheme != HS_SCHEME_EXPLICIT;
  status = cycles_check(job, err);
  if (status) return status;
  if (config->time.scheme == HS_SCHEME_STEADY)
    return hs_forecast(job->problem, job->system, &job->settings, job->initial_k, &job->first_update, &job->forecast,
                       err);
  transient = hs_job_transient_settings(job);
  hs_forecast_transient(job->system, &transient, &job->forecast);
  return HS_OK;
}

double hs_job_steps(const struct hs_job *job)
{
  const struct hs_transient_settings settings = hs_job_transient_settings(job);
  return hs_forecast_steps(&settings);
}

bool hs_job_replays(const struct hs_job *job)
{
  return job->settings.method != HS_METHOD_CHEBYSHEV && job->settings.method != HS_METHOD_MULTIGRID &&
         hs_solve_stop_is_exact(job->system, job->settings.quantity);
}

struct hs_work hs_job_work(const struct hs_job *job)
{
  const struct hs_transient_settings transient = hs_job_transient_settings(job);
  const double steps = hs_forecast_steps(&transient);
  const double sweeps = fmin(job->forecast.sweeps, (double)job->config->solver.max_iterations);
  if (job->config->time.scheme == HS_SCHEME_STEADY) return hs_work_steady(&job->settings, sweeps, hs_job_replays(job));
  return hs_work_transient(&transient, job->problem->timed, job->forecast.sweeps, steps);
}

double hs_job_expected_s(const struct hs_job *job)
{
  const struct hs_backend_cost cost = job->backend->cost(job->system, &job->options);
  const struct hs_work work = hs_job_work(job);
  return cost.setup_s + hs_work_s(&cost, &work);
}

struct hs_costs_from hs_job_costs_from(const struct hs_job *job, const struct hs_backend *backend)
{
  const double any_s = hs_tuning_sweep_s(job->tuning, backend->name, HS_TUNING_UNIFORM, job->options.single, 1.0);
  struct hs_costs_from from = {"built-in costs"};
  if (!isnan(any_s))
    snprintf(from.text, sizeof from.text, "costs measured on this machine, %s", job->tuning->measured_utc);
  return from;
}

hs_status hs_job_backend_choose(struct hs_job *job, struct hs_error *err)
{
  const struct hs_config *config = job->config;
  const struct hs_work work = hs_job_work(job);
  double missing, whole;
  job->backend = hs_backend_choose(job->backends, config->solver.backend, job->system, &job->options, &work,
                                   job->reason, sizeof job->reason, err);
  if (!job->backend) return err->status;
  missing = job->backend->cost(job->system, &job->options).host_bytes + run_bytes(config, &job->options);
  whole = hs_job_host_bytes(config, job->backend, job->system, &job->options);
  return hs_job_memory_check(job, whole, whole - missing, err);
}

void hs_job_clear(struct hs_job *job)
{
  hs_warm_up_end(&job->warm_up);
  hs_system_destroy(job->system);
  hs_problem_destroy(job->problem);
  free(job->initial_k);
  hs_tuning_destroy(job->tuning);
  job->tuning = NULL;
  job->system = NULL;
  job->problem = NULL;
  job->initial_k = NULL;
}
