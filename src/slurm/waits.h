/* How long jobs waited: by partition and size. */
#ifndef HS_SLURM_WAITS_H
#define HS_SLURM_WAITS_H

#include "slurm/record.h"

enum { HS_WAIT_CLASSES = 4 };

struct hs_wait {
  double sum_s;
  long jobs;
};

struct hs_waits_row {
  char name[HS_PARTITION_NAME];
  bool gpus; /* jobs there had some */
  struct hs_wait of[HS_WAIT_CLASSES];
};

struct hs_waits {
  bool by_memory;                    /* sizes in GB-hours, else in CPU-hours */
  double bound[HS_WAIT_CLASSES - 1]; /* class k has the sizes from bound[k - 1] to below bound[k] */
  struct hs_waits_row *row;          /* [count], owned; by name */
  int count, room;
  long jobs, steps, unstarted, unreadable,
      unsized; /* lines; jobs: that are in the rows, unsized: whose size is not told */
};

/* Begins without rows, with the bounds first, first*factor, first*factor^2. */
void hs_waits_begin(struct hs_waits *waits, bool by_memory, double first, double factor);

/* Adds all lines of sacct's output, which is changed. A partition where jobs wait alone has a row, too. Errors: HS_ERR_CONFIG (a
 * clause: there is no first line that names the columns), HS_ERR_MEMORY. */
hs_status hs_waits_read(struct hs_waits *waits, char *text, struct hs_error *err);

/* The row of a partition, made where there is none. NULL: HS_ERR_MEMORY. */
struct hs_waits_row *hs_waits_row(struct hs_waits *waits, const char *name, struct hs_error *err);

/* That row, or NULL. */
const struct hs_waits_row *hs_waits_find(const struct hs_waits *waits, const char *name);

/* The class of a size. */
int hs_waits_class(const struct hs_waits *waits, double size);

/* Mean wait in seconds; NaN where there were no jobs. */
double hs_wait_mean_s(const struct hs_wait *wait);

void hs_waits_clear(struct hs_waits *waits);

#endif
