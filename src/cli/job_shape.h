/* What a batch job asks the cluster for, and how long its run should take with it. */
#ifndef HS_CLI_JOB_SHAPE_H
#define HS_CLI_JOB_SHAPE_H

#include "cli/cli.h"
#include "run/job.h"

struct hs_job_shape {
  int nodes, ranks, gpus, cpus_per_rank; /* ranks and gpus: of all nodes together; both are multiples of nodes */
  bool cpus_usual;                       /* nobody has said how many */
};

/* From --nodes, --gpus, --ranks and solver.threads. Errors: HS_ERR_USAGE. */
hs_status hs_job_shape_take(const struct hs_cli *cli, const struct hs_config *config, struct hs_job_shape *shape,
                            struct hs_error *err);

/* That of a partition: without GPUs where it has none, else with one where none was asked for. */
struct hs_job_shape hs_job_shape_for(const struct hs_job_shape *shape, const struct hs_config *config, bool gpus);

/* Takes no more processors than a node has, where nobody has said how many. */
void hs_job_shape_fit(struct hs_job_shape *shape, int cpus_of_node);

/* How long a run of a shape is expected to take, what it holds on all hosts, and the time limit that it should be given. */
struct hs_job_time {
  double expected_s; /* set-up included */
  double limit_s;    /* with a margin */
  double host_bytes;
  bool fits;        /* into the memory of usual GPUs, as far as known */
  int parts_needed; /* where it does not: GPUs or processes that would hold it; 0: not known */
  char text[160];   /* "about 12 min (built-in costs)" */
};

/* Forecasts of one configuration: by the plan of run/plan/plan.h for a shape of several parts, and for a grid that does not fit into
 * this machine; else, and where the plan cannot tell, from the problem, which is built when it is first asked for. */
struct hs_job_forecast {
  struct hs_config *config;
  struct hs_job job;
  bool built;
};

/* Reads the configuration of the command line, with any backend where that is true. The caller clears it, also after an error.
 * Errors: those of hs_config_read. */
hs_status hs_job_forecast_begin(const struct hs_cli *cli, bool any_backend, struct hs_job_forecast *forecast,
                                struct hs_error *err);

/* Errors: those of hs_job_prepare. */
hs_status hs_job_forecast_time(struct hs_job_forecast *forecast, const struct hs_job_shape *shape,
                               struct hs_job_time *time, struct hs_error *err);
void hs_job_forecast_clear(struct hs_job_forecast *forecast);

#endif
