/* The text of a batch script for Slurm. */
#ifndef HS_SLURM_SCRIPT_H
#define HS_SLURM_SCRIPT_H

#include "base/status.h"

/* Texts may hold any characters but line ends. None is owned. */
struct hs_slurm_job {
  const char *about; /* the comment at the top: what it runs; may have several lines */
  const char *name;
  int nodes, ranks_per_node, cpus_per_rank, gpus_per_node; /* gpus_per_node 0: none */
  const char *partition;                                   /* NULL: the default one */
  double limit_s;                                          /* rounded up to minutes */
  int signal_s;                                            /* before the limit: when the run is to save */
  const char *const *more;                                 /* [more_count] further options of sbatch */
  int more_count;
  const char *heatsolve, *config, *output, *log; /* absolute paths: the program, its file, its folder; the job's log */
  const char *const *sets;                       /* [set_count] "section.key=value" */
  int set_count;
};

/* The script, owned by the caller. Its second half (job.sh) is the same for all jobs. Errors: HS_ERR_MEMORY. */
char *hs_slurm_script(const struct hs_slurm_job *job, struct hs_error *err);

#endif
