/* The shape of a batch job from its options; see job_shape.h. */
#include "cli/job_shape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cost/cost.h"
#include "base/memory.h"
#include "cli/options.h"
#include "run/plan/plan.h"

/* Threads where nobody says how many: usual for a job on the CPU, and for what the CPU does beside a GPU. */
enum { CPUS_OF_RANK = 16, CPUS_BESIDE_GPU = 4 };

static bool of_gpu(const char *backend)
{
  return !strncmp(backend, "cuda-", 5);
}

/* GPUs of one node serve one process, which needs no MPI; over several nodes each has its own. */
static int ranks_of(int nodes, int gpus)
{
  return nodes > 1 && gpus ? gpus : nodes;
}

static int cpus_of(const struct hs_config *config, const struct hs_job_shape *shape)
{
  const int usual = shape->gpus ? CPUS_BESIDE_GPU * (shape->gpus / shape->ranks) : CPUS_OF_RANK;
  return config->solver.threads > 0 ? config->solver.threads : usual;
}

static hs_status numbers_take(const struct hs_cli *cli, struct hs_job_shape *shape, struct hs_error *err)
{
  hs_status status = HS_OK;
  for (int k = 0; !status && k < cli->given_count; k++) {
    const struct hs_given *given = &cli->given[k];
    int *number = given->row->option == HS_OPTION_NODES   ? &shape->nodes
                  : given->row->option == HS_OPTION_GPUS  ? &shape->gpus
                  : given->row->option == HS_OPTION_RANKS ? &shape->ranks
                                                          : NULL;
    const int least = number == &shape->gpus ? 0 : 1;
    if (number) status = hs_option_integer(given->row, given->value, least, 1000000, number, err);
  }
  return status;
}

hs_status hs_job_shape_take(const struct hs_cli *cli, const struct hs_config *config, struct hs_job_shape *shape,
                            struct hs_error *err)
{
  hs_status status;
  *shape = (struct hs_job_shape){.nodes = 1};
  status = numbers_take(cli, shape, err);
  if (status) return status;
  if (!shape->ranks) shape->ranks = ranks_of(shape->nodes, shape->gpus);
  if (shape->gpus % shape->nodes || shape->ranks % shape->nodes)
    return hs_usage_error(err, cli->command, "%d %s cannot be shared out evenly among %d nodes",
                          shape->gpus % shape->nodes ? shape->gpus : shape->ranks,
                          shape->gpus % shape->nodes ? "GPUs" : "processes", shape->nodes);
  if (shape->gpus && shape->ranks > 1 && shape->ranks != shape->gpus)
    return hs_usage_error(err, cli->command,
                          "of several processes each has one GPU: --ranks %d does not go with --gpus %d", shape->ranks,
                          shape->gpus);
  shape->cpus_per_rank = cpus_of(config, shape);
  shape->cpus_usual = config->solver.threads == 0;
  return HS_OK;
}

void hs_job_shape_fit(struct hs_job_shape *shape, int cpus_of_node)
{
  const int share = cpus_of_node / (shape->ranks / shape->nodes);
  if (shape->cpus_usual && share < shape->cpus_per_rank) shape->cpus_per_rank = share > 1 ? share : 1;
}

struct hs_job_shape hs_job_shape_for(const struct hs_job_shape *shape, const struct hs_config *config, bool gpus)
{
  struct hs_job_shape fitted = *shape;
  if (gpus && !shape->gpus) fitted.gpus = fitted.ranks = shape->nodes;
  if (!gpus && shape->gpus) fitted.gpus = 0, fitted.ranks = shape->nodes;
  fitted.cpus_per_rank = cpus_of(config, &fitted);
  return fitted;
}

hs_status hs_job_forecast_begin(const struct hs_cli *cli, bool any_backend, struct hs_job_forecast *forecast,
                                struct hs_error *err)
{
  const int count = cli->override_count;
  const char **sets = NULL;
  hs_status status = hs_array_create((void **)&sets, (size_t)count + 1, sizeof *sets, "the overrides", err);
  *forecast = (struct hs_job_forecast){.config = NULL};
  if (status) return status;
  for (int k = 0; k < count; k++) sets[k] = cli->overrides[k];
  sets[count] = "solver.backend=auto";
  status = hs_config_read(cli->files[0], sets, count + any_backend, &forecast->config, err);
  free(sets);
  return status;
}

void hs_job_forecast_clear(struct hs_job_forecast *forecast)
{
  hs_job_clear(&forecast->job);
  hs_config_destroy(forecast->config);
}

/* Forecasts are off by tens of percent, guesses by a factor of some; the start and the files take minutes. Too short a limit
 * costs a restart, too long a one a longer wait. */
static double limit_from(double expected_s, bool known)
{
  const double step_s = 300.0;
  return step_s * ceil(((known ? 1.5 : 3.0) * expected_s + 600.0) / step_s);
}

static void time_print(double seconds, char *text, size_t size)
{
  if (seconds < 120.0)
    snprintf(text, size, "%.2g s", fmax(seconds, 0.01));
  else if (seconds < 7200.0)
    snprintf(text, size, "%.0f min", seconds / 60.0);
  else
    snprintf(text, size, "%.1f h", seconds / 3600.0);
}

static void time_fill(double expected_s, bool known, const char *from, struct hs_job_time *time)
{
  char expected[32];
  time->expected_s = expected_s;
  time->limit_s = limit_from(expected_s, known);
  time_print(expected_s, expected, sizeof expected);
  snprintf(time->text, sizeof time->text, "%s %s (%s)", known ? "about" : "roughly", expected, from);
}

/* Has this machine the memory to build the problem? */
static bool fits_here(const struct hs_config *config)
{
  const struct hs_backend_options options = {.single = config->solver.precision == HS_SINGLE};
  struct hs_error why;
  return hs_memory_check(hs_job_host_bytes(config, NULL, NULL, &options), "a forecast", &why) == HS_OK;
}

/* False: the problem itself tells more, or the plan cannot tell. */
static bool plan_time(const struct hs_config *config, const struct hs_job_shape *shape, struct hs_job_time *time)
{
  const int parts = shape->gpus ? shape->gpus : shape->ranks;
  const struct hs_plan_machine machine =
      hs_plan_machine_usual(shape->nodes, shape->gpus, shape->ranks, shape->cpus_per_rank);
  struct hs_plan plan;
  struct hs_error why = {0};
  if ((parts == 1 && fits_here(config)) || parts > HS_PLAN_PARTS_MOST || hs_plan_make(config, &machine, &plan, &why))
    return false;
  time_fill(plan.setup_s + plan.solve_s + plan.files_s, plan.known, "by the plan of heatsolve check", time);
  time->host_bytes = plan.rank_bytes * shape->ranks;
  time->fits = plan.fits;
  time->parts_needed = plan.parts_needed;
  return true;
}

static void problem_time(const struct hs_job *job, const struct hs_job_shape *shape, struct hs_job_time *time)
{
  const bool here = of_gpu(job->backend->name) == (shape->gpus > 0);
  const struct hs_backend *cpu = hs_backend_find("cpu", NULL);
  const struct hs_backend *backend = here ? job->backend : cpu ? cpu : job->backend;
  const bool absent = shape->gpus > 0 && !here;
  const struct hs_backend_cost cost =
      absent ? hs_cost_gpu(job->system, &job->options) : backend->cost(job->system, &job->options);
  const struct hs_work work = hs_job_work(job);
  time_fill(cost.setup_s + hs_work_s(&cost, &work) / (shape->gpus ? shape->gpus : shape->ranks), job->forecast.known,
            absent ? "built-in costs of an H200" : hs_job_costs_from(job, backend).text, time);
  time->host_bytes = hs_job_host_bytes(job->config, job->backend, job->system, &job->options);
  time->fits = true;
}

hs_status hs_job_forecast_time(struct hs_job_forecast *forecast, const struct hs_job_shape *shape,
                               struct hs_job_time *time, struct hs_error *err)
{
  hs_status status = HS_OK;
  *time = (struct hs_job_time){.parts_needed = 0};
  if (plan_time(forecast->config, shape, time)) return HS_OK;
  if (!forecast->built) {
    status = hs_job_prepare(forecast->config, NULL, &forecast->job, err);
    if (!status) hs_cli_warn_from(&forecast->job.warnings, 0);
  }
  if (status) return status;
  forecast->built = true;
  problem_time(&forecast->job, shape, time);
  return HS_OK;
}
