/* The stages before a run: memory, problem, system, forecast, choice of a backend. */
#include "run/job_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backend/cost/tuning.h"
#include "base/memory.h"
#include "config/text.h"
#include "run/predict.h"

/* --- memory ---------------------------------------------------------------------------------- */

/* The program and its libraries, and buffers for files and pictures: what runs of small grids take. */
static const double PROGRAM_BYTES = 32e6;

/* Memory that must be free, over what is expected: threads and libraries take what no list has. */
static const double SPARE = 1.1;

/* Has each node a law of its own? Before there is a system, as far as the configuration tells. */
static bool each_has_law(const struct hs_config *config, const struct hs_system *system)
{
  return system ? system->index == NULL : config->map.conductivity && config->map.conductivity[0];
}

/* Laws of the system, each with its stencils. */
static double entries(const struct hs_config *config, const struct hs_system *system)
{
  const double nodes = (double)config->grid.nx * config->grid.ny;
  return each_has_law(config, system) ? nodes : system ? system->table_size : 0.0;
}

/* Bytes of the system's own arrays, and of its discretisations for time steps (time/discretisation.h). */
static double system_bytes(const struct hs_config *config, const struct hs_system *system)
{
  const double nodes = (double)config->grid.nx * config->grid.ny;
  const double law = sizeof(struct hs_node_law);
  const double stencils = sizeof(struct hs_stencil_f64) + sizeof(struct hs_stencil_f32);
  const bool sources = system ? system->source_w_m != NULL : config->map.source && config->map.source[0];
  const bool timed = system && system->timed_count > 0, steady = config->time.scheme == HS_SCHEME_STEADY;
  const double copies = steady ? 0.0 : timed || config->time.adaptive ? 2.0 : 1.0;
  return entries(config, system) * (law + stencils + copies * (stencils + (timed ? law : 0.0))) +
         nodes * ((each_has_law(config, system) ? 0.0 : sizeof(uint16_t)) + (sources ? sizeof(double) : 0.0));
}

/* Bytes of the problem: the class of each cell, and maps. */
static double problem_bytes(const struct hs_config *config)
{
  const double cells = (double)config->grid.nx * config->grid.ny;
  const int maps = (config->map.conductivity && config->map.conductivity[0]) +
                   (config->map.source && config->map.source[0]) + (config->map.initial && config->map.initial[0]);
  return cells * (sizeof(uint16_t) + maps * sizeof(double));
}

/* Bytes of a run's fields on the host: the result, what time steps fetch, what Chebyshev's acceleration and multigrid
 * read, and what comes from a checkpoint. */
static double run_bytes(const struct hs_config *config)
{
  const double fields = (config->time.scheme == HS_SCHEME_STEADY ? 1.0
                         : config->time.adaptive                 ? 4.0
                                                                 : 2.0) +
                        (config->solver.method == HS_METHOD_CHEBYSHEV || hs_config_makes_cycles(config) ? 1.0 : 0.0) +
                        (config->run.restart != HS_RESTART_NO ? 1.0 : 0.0);
  return fields * (double)config->grid.nx * config->grid.ny * sizeof(double);
}

double hs_job_host_bytes(const struct hs_config *config, const struct hs_backend *backend,
                         const struct hs_system *system, const struct hs_backend_options *options)
{
  const double initial = (double)config->grid.nx * config->grid.ny * sizeof(double);
  return PROGRAM_BYTES + system_bytes(config, system) + problem_bytes(config) + initial + run_bytes(config) +
         (backend ? backend->cost(system, options).host_bytes : 0.0);
}

hs_status hs_job_memory_check(const struct hs_config *config, double whole, double taken, struct hs_error *err)
{
  struct hs_error why;
  char what[80];
  snprintf(what, sizeof what, "a grid of %d x %d nodes", config->grid.nx, config->grid.ny);
  if (!hs_memory_check(SPARE * whole - taken, what, &why)) return HS_OK;
  return hs_error_set(err, HS_ERR_CONFIG, "%s: %s; use a smaller grid, solver.precision = single, or a larger machine",
                      config->path, why.text);
}

/* --- preparation ----------------------------------------------------------------------------- */

/* The two enumerations name the same quantities in the same order. */
_Static_assert((int)HS_CRITERION_UPDATE_L2 == (int)HS_STOP_UPDATE_L2 &&
                   (int)HS_CRITERION_UPDATE_MAX == (int)HS_STOP_UPDATE_MAX &&
                   (int)HS_CRITERION_RESIDUAL == (int)HS_STOP_RESIDUAL && (int)HS_CRITERION_ERROR == (int)HS_STOP_ERROR,
               "criteria of the configuration and quantities of the stop test differ");

int hs_job_check_every(const struct hs_config *config)
{
  const double nodes = (double)config->grid.nx * config->grid.ny;
  const enum hs_form form = hs_work_form(HS_SCHEME_STEADY, config->solver.method);
  const int wanted = config->solver.check_every;
  return hs_solve_interval((enum hs_stop_quantity)config->solver.criterion,
                           wanted > 0 ? wanted : hs_backend_test_interval(nodes, form));
}

static void settings_fill(const struct hs_config *config, struct hs_job *job)
{
  job->settings.quantity = (enum hs_stop_quantity)config->solver.criterion;
  job->settings.tolerance = config->solver.tolerance;
  job->settings.max_iterations = config->solver.max_iterations;
  job->settings.check_every = hs_job_check_every(config);
  job->settings.method = config->solver.method;
  job->settings.weight = config->solver.weight;
  job->settings.exact_stop = true;
  job->settings.single = config->solver.precision == HS_SINGLE;
  job->options.single = config->solver.precision == HS_SINGLE;
  job->options.threads_most = config->solver.threads;
  job->options.device_bytes = config->solver.device_memory_bytes;
  job->options.form = hs_work_form(config->time.scheme, config->solver.method);
  job->options.multigrid = hs_config_makes_cycles(config);
}

struct hs_transient_settings hs_job_transient_settings(const struct hs_job *job)
{
  const struct hs_config *config = job->config;
  struct hs_transient_settings s = {.scheme = config->time.scheme,
                                    .start_s = config->time.start_s,
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
  if (!(s.step_s > 0.0)) s.step_s = fmin(job->system->stable_step_s, s.end_s - s.start_s);
  if (!(s.step_min_s > 0.0)) s.step_min_s = 0.0;
  if (!(s.step_max_s > 0.0)) s.step_max_s = s.end_s;
  return s;
}

static hs_status forecast_make(struct hs_job *job, struct hs_error *err)
{
  struct hs_transient_settings transient;
  if (job->config->time.scheme == HS_SCHEME_STEADY)
    return hs_forecast(job->system, &job->settings, job->initial_k, &job->forecast, err);
  transient = hs_job_transient_settings(job);
  hs_forecast_transient(job->system, &transient, &job->forecast);
  return HS_OK;
}

bool hs_job_replays(const struct hs_job *job)
{
  return job->settings.method != HS_METHOD_CHEBYSHEV && job->settings.method != HS_METHOD_MULTIGRID &&
         hs_solve_stop_is_exact(job->system, job->settings.quantity);
}

struct hs_work hs_job_work(const struct hs_job *job)
{
  const struct hs_transient_settings transient = hs_job_transient_settings(job);
  const double steps = ceil((transient.end_s - transient.start_s) / transient.step_s);
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

/* A run does without measured costs: what is wrong with them becomes a warning. */
static void tuning_load(struct hs_job *job)
{
  struct hs_error why = {0};
  if (hs_tuning_load(&job->tuning, &why)) hs_warnings_add(&job->warnings, why.text);
  job->options.tuning = job->tuning;
}

static void unused_warn(struct hs_job *job)
{
  char text[sizeof job->warnings.text[0]];
  if (hs_config_unused_describe(job->config, text, sizeof text)) hs_warnings_add(&job->warnings, text);
}

static hs_status backend_choose(struct hs_job *job, struct hs_error *err)
{
  const struct hs_config *config = job->config;
  const struct hs_work work = hs_job_work(job);
  double missing, whole;
  job->backend = hs_backend_choose(job->backends, config->solver.backend, job->system, &job->options, &work,
                                   job->reason, sizeof job->reason, err);
  if (!job->backend) return err->status;
  missing = job->backend->cost(job->system, &job->options).host_bytes + run_bytes(config);
  whole = hs_job_host_bytes(config, job->backend, job->system, &job->options);
  return hs_job_memory_check(config, whole, whole - missing, err);
}

/* An unknown backend, and the one that was probably meant. */
static hs_status backend_refuse(const struct hs_job *job, const struct hs_error *why, struct hs_error *err)
{
  static const char *const devices[] = {"gpu", "cuda", "nvidia"};
  enum { NAMES_MOST = 16 };
  const char *const typed = job->config->solver.backend, *names[NAMES_MOST] = {"auto"}, *nearest;
  size_t count = 1;
  for (; job->backends[count - 1] && count < NAMES_MOST; count++) names[count] = job->backends[count - 1]->name;
  nearest = hs_text_nearest(typed, names, count);
  for (size_t k = 0; k < sizeof devices / sizeof *devices; k++)
    if (!strcasecmp(typed, devices[k])) nearest = "cuda-global";
  hs_error_set(err, why->status, "%s: solver.backend: %s", job->config->path, why->text);
  if (nearest) hs_error_append(err, "; did you mean %s?", nearest);
  return why->status;
}

/* Threads of all work but the sweeps. For a small grid that is a few milliseconds of one thread, and more would wait for
 * a processor about as long wherever they begin, on a machine that others use. */
static int threads_besides(const struct hs_config *config)
{
  const double small_nodes = 512.0 * 512.0;
  return (double)config->grid.nx * config->grid.ny <= small_nodes ? 1 : config->solver.threads;
}

hs_status hs_job_prepare(const struct hs_config *config, struct hs_job *job, struct hs_error *err)
{
  struct hs_error why = {0};
  hs_status status;
  memset(job, 0, sizeof *job);
  job->config = config;
  job->backends = hs_backend_list();
  settings_fill(config, job);
  if (strcmp(config->solver.backend, "auto") && !hs_backend_find(config->solver.backend, &why))
    return backend_refuse(job, &why, err);
  hs_backend_threads_use(threads_besides(config));
  hs_warm_up_begin(&job->warm_up, job->backends, config->solver.backend, (double)config->grid.nx * config->grid.ny);
  tuning_load(job);
  unused_warn(job);
  status = hs_job_memory_check(config, hs_job_host_bytes(config, NULL, NULL, &job->options), 0.0, err);
  if (!status) status = hs_problem_create(config, &job->problem, err);
  if (!status) status = hs_problem_build_system(job->problem, &job->system, err);
  if (!status) status = hs_problem_initial_field(job->problem, job->system, &job->initial_k, err);
  if (!status) status = forecast_make(job, err);
  return status ? status : backend_choose(job, err);
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
