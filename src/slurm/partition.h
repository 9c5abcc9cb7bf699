/* The partitions of a cluster. */
#ifndef HS_SLURM_PARTITION_H
#define HS_SLURM_PARTITION_H

#include <stdbool.h>

#include "base/status.h"

enum { HS_PARTITION_NAME = 64 };

struct hs_slurm_partition {
  char name[HS_PARTITION_NAME];
  double limit_s; /* the longest time limit of a job; infinity: none */
  int cpus;       /* processors of its smallest node */
  bool usual;     /* where jobs go that name none */
  bool gpus;      /* nodes of it have GPUs */
};

struct hs_slurm_partitions {
  struct hs_slurm_partition *partition; /* [count], owned */
  int count;
};

/* Asks sinfo. Errors: those of hs_call_run; HS_ERR_IO with what sinfo says. */
hs_status hs_slurm_partitions_ask(struct hs_slurm_partitions *partitions, struct hs_error *err);

/* From lines "NAME|LIMIT|GRES|CPUS", the usual one's name with a star; a partition may have several. Lines of another form are
 * passed over. Errors: HS_ERR_MEMORY. */
hs_status hs_slurm_partitions_read(const char *text, struct hs_slurm_partitions *partitions, struct hs_error *err);

/* The one of that name, or with NULL the usual one; NULL: there is none. */
const struct hs_slurm_partition *hs_slurm_partitions_find(const struct hs_slurm_partitions *partitions,
                                                          const char *name);

void hs_slurm_partitions_clear(struct hs_slurm_partitions *partitions);

#endif
