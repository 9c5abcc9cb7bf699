/* The shape of a batch job from its options; see job_shape.h. */
#include "cli/job_shape.h"

#include <stdio.h>
#include <string.h>

#include "cli/options.h"

/* Threads where nobody says how many: usual for a job on the CPU, and for what the CPU does beside a GPU. */
enum { CPUS_OF_RANK = 16, CPUS_BESIDE_GPU = 4 };

static hs_status numbers_take(const struct hs_cli *cli, struct hs_job_shape *shape, struct hs_error *err)
{
  hs_status status = HS_OK;
  for (int k = 0; !status && k < cli->given_count; k++) {
    const struct hs_given *given = &cli->given[k];
    int *number = given->row->option == HS_OPTION_NODES   ? &shape->nodes
                  : given->row->option == HS_OPTION_GPUS  ? &shape->gpus
                  : given->row->option == HS_OPTION_RANKS ? &shape->ranks
                                                          : NULL;
    if (number) status = hs_option_integer(given->row, given->value, 1, 1000000, number, err);
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
  if (!shape->ranks) shape->ranks = shape->gpus ? shape->gpus : shape->nodes;
  if (shape->gpus % shape->nodes || shape->ranks % shape->nodes)
    return hs_usage_error(err, cli->command, "%d %s cannot be shared out evenly among %d nodes",
                          shape->gpus % shape->nodes ? shape->gpus : shape->ranks,
                          shape->gpus % shape->nodes ? "GPUs" : "ranks", shape->nodes);
  if (!shape->gpus && !strncmp(config->solver.backend, "cuda-", 5))
    return hs_usage_error(err, cli->command, "the backend %s needs a GPU in the job; add --gpus 1",
                          config->solver.backend);
  shape->cpus_per_rank = config->solver.threads > 0 ? config->solver.threads
                         : shape->gpus              ? CPUS_BESIDE_GPU
                                                    : CPUS_OF_RANK;
  return HS_OK;
}

struct hs_job_time hs_job_shape_time(const struct hs_job_shape *shape, const struct hs_job *job)
{
  struct hs_job_time time = {.expected_s = hs_job_expected_s(job) / shape->ranks, .known = job->forecast.known};
  snprintf(time.from, sizeof time.from, "%s", hs_job_costs_from(job, job->backend).text);
  return time;
}
