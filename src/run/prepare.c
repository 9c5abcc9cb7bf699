/* The stages before a run: memory, problem, system, first field, then method and backend. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backend/cost/spread.h"
#include "backend/cost/tuning.h"
#include "backend/distributed/distributed.h"
#include "config/text.h"
#include "run/job_parts.h"

/* The two enumerations name the same quantities in the same order. */
_Static_assert((int)HS_CRITERION_UPDATE_L2 == (int)HS_STOP_UPDATE_L2 &&
                   (int)HS_CRITERION_UPDATE_MAX == (int)HS_STOP_UPDATE_MAX &&
                   (int)HS_CRITERION_RESIDUAL == (int)HS_STOP_RESIDUAL && (int)HS_CRITERION_ERROR == (int)HS_STOP_ERROR,
               "criteria of the configuration and quantities of the stop test differ");

void hs_job_settings_fill(const struct hs_config *config, struct hs_job *job)
{
  job->settings.quantity = (enum hs_stop_quantity)config->solver.criterion;
  job->settings.tolerance = config->solver.tolerance;
  job->settings.max_iterations = config->solver.max_iterations;
  job->settings.weight = config->solver.weight;
  job->settings.exact_stop = true;
  job->settings.single = config->solver.precision == HS_SINGLE;
  job->options.single = config->solver.precision == HS_SINGLE;
  job->options.threads_most = config->solver.threads;
  job->options.device_bytes = config->solver.device_memory_bytes;
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
static int threads_besides(const struct hs_config *config, int threads_most)
{
  const double small_nodes = 512.0 * 512.0;
  return (double)config->grid.nx * config->grid.ny <= small_nodes ? 1 : threads_most;
}

/* Threads of a rank that others have the same processors as: its share. 0: as many as it may use. */
static int threads_of_rank(const struct hs_config *config, const struct hs_comm *comm)
{
  const int ranks = hs_comm_processor_ranks(comm), processors = hs_backend_processors();
  const bool free_choice = config->solver.threads == 0 && !getenv("OMP_NUM_THREADS");
  if (!free_choice || ranks == 1) return config->solver.threads;
  return processors > ranks ? processors / ranks : 1;
}

struct hs_partition hs_job_partition(const struct hs_config *config, int ranks)
{
  const struct hs_partition whole = hs_problem_whole(config).partition;
  const struct hs_partition_costs costs = hs_spread_rank_costs(config->solver.precision == HS_SINGLE);
  return ranks == 1 ? whole : hs_partition_choose(&whole, ranks, 1, &costs);
}

static hs_status subdomain_choose(const struct hs_config *config, struct hs_comm *comm, struct hs_subdomain *subdomain,
                                  struct hs_error *err)
{
  const int ranks = comm ? hs_comm_size(comm) : 1;
  char fewer[24] = "";
  int usable;
  *subdomain = hs_problem_whole(config);
  if (ranks == 1) return HS_OK;
  subdomain->comm = comm;
  subdomain->part = hs_comm_rank(comm);
  subdomain->partition = hs_job_partition(config, ranks);
  usable = hs_partition_parts(&subdomain->partition);
  if (usable == ranks) return HS_OK;
  if (usable > 1) snprintf(fewer, sizeof fewer, "%d, or ", usable);
  return hs_error_set(
      err, HS_ERR_CONFIG,
      "%s: %d ranks are too many for %d x %d nodes: a part has %d nodes or more wherever the grid is cut; "
      "start %sone process alone",
      config->path, ranks, config->grid.nx, config->grid.ny, HS_PARTITION_LEAST, fewer);
}

hs_status hs_job_prepare(const struct hs_config *config, struct hs_comm *comm, struct hs_job *job, struct hs_error *err)
{
  struct hs_error why = {0};
  hs_status status;
  memset(job, 0, sizeof *job);
  job->config = config;
  job->backends = hs_backend_list();
  hs_job_settings_fill(config, job);
  status = subdomain_choose(config, comm, &job->subdomain, err);
  job->options.threads_most = threads_of_rank(config, job->subdomain.comm);
  if (!status) status = hs_job_devices_choose(job, err);
  if (status) return status;
  if (strcmp(config->solver.backend, "auto") && !hs_backend_find(config->solver.backend, &why))
    return backend_refuse(job, &why, err);
  hs_backend_threads_use(threads_besides(config, job->options.threads_most));
  if (hs_comm_size(job->subdomain.comm) == 1)
    hs_warm_up_begin(&job->warm_up, hs_backend_list(), config->solver.backend,
                     (double)config->grid.nx * config->grid.ny);
  tuning_load(job);
  unused_warn(job);
  status = hs_job_memory_check(job, hs_job_host_bytes(config, NULL, NULL, &job->options), 0.0, err);
  if (!status) status = hs_problem_create(config, &job->subdomain, &job->problem, err);
  if (!status) status = hs_problem_build_system(job->problem, &job->system, err);
  if (!status) status = hs_problem_initial_field(job->problem, job->system, &job->initial_k, err);
  return status ? status : hs_job_method_choose(job, err);
}
