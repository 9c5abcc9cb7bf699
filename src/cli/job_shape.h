/* What a job asks the cluster for, and how long the run should take with it. */
#ifndef HS_CLI_JOB_SHAPE_H
#define HS_CLI_JOB_SHAPE_H

#include "cli/cli.h"
#include "run/job.h"

struct hs_job_shape {
  int nodes, ranks, gpus, cpus_per_rank; /* ranks and gpus: of all nodes together; both are multiples of nodes */
};

/* From --nodes, --gpus, --ranks and solver.threads. Errors: HS_ERR_USAGE, HS_ERR_CONFIG. */
hs_status hs_job_shape_take(const struct hs_cli *cli, const struct hs_config *config, struct hs_job_shape *shape,
                            struct hs_error *err);

/* Seconds that the run is expected to take, set-up included, and what that is from. */
struct hs_job_time {
  double expected_s;
  bool known; /* as hs_forecast's */
  char from[120];
};

/* The forecast by this machine's costs, with the ranks sharing the work. */
struct hs_job_time hs_job_shape_time(const struct hs_job_shape *shape, const struct hs_job *job);

#endif
