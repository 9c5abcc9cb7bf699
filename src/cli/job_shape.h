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

/* Reads the configuration of the command line again, with any backend where that is true, and builds the problem as
 * `heatsolve check` does: for what is wrong with it, and for forecasts. The caller clears job, then config, also after an
 * error. Errors: those of hs_config_read and hs_job_prepare. */
hs_status hs_job_forecast(const struct hs_cli *cli, bool any_backend, struct hs_config **config, struct hs_job *job,
                          struct hs_error *err);

/* How long a run of that shape is expected to take, and the time limit that it should be given. */
struct hs_job_time {
  double expected_s; /* set-up included */
  double limit_s;    /* with a margin */
  char text[160];    /* "about 12 min (built-in costs)" */
};
struct hs_job_time hs_job_shape_time(const struct hs_job_shape *shape, const struct hs_job *job);

#endif
