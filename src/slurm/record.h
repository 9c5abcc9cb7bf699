/* The jobs that sacct prints with --parsable or --parsable2: fields with bars between them, the first line naming them. */
#ifndef HS_SLURM_RECORD_H
#define HS_SLURM_RECORD_H

#include <stdbool.h>

#include "base/status.h"
#include "slurm/partition.h"

enum hs_column {
  HS_COLUMN_JOB,
  HS_COLUMN_PARTITION,
  HS_COLUMN_STATE,
  HS_COLUMN_SUBMIT,
  HS_COLUMN_ELIGIBLE,
  HS_COLUMN_START,
  HS_COLUMN_ELAPSED,
  HS_COLUMN_LIMIT,
  HS_COLUMN_CPUS,
  HS_COLUMN_CPUS_ASKED,
  HS_COLUMN_NODES,
  HS_COLUMN_MEMORY,
  HS_COLUMN_TRES,
  HS_COLUMNS
};

/* The columns that are read, by the names that sacct gives them, with commas between: for its option --format. */
extern const char HS_RECORD_FORMAT[];

struct hs_record_columns {
  int place[HS_COLUMNS]; /* -1: not there */
  int count;             /* fields of a line */
};

/* Which field is what, from the first line, in any order. Errors: HS_ERR_CONFIG, a clause without the file's name: a column
 * without which nothing can be said is missing. */
hs_status hs_record_columns_read(const char *line, struct hs_record_columns *columns, struct hs_error *err);

struct hs_record {
  char partition[HS_PARTITION_NAME];
  double wait_s; /* from when it could have started to when it did */
  double cpu_hours,
      gb_hours; /* asked for: of the time limit, or where there is none of the time taken; NaN: not told */
  bool gpus;
};

enum hs_record_kind {
  HS_RECORD_JOB,       /* *record is filled */
  HS_RECORD_STEP,      /* a part of a job: 17.batch, 17.0 */
  HS_RECORD_UNSTARTED, /* it waits, or was cancelled before it began; of *record only the partition, which may be a list */
  HS_RECORD_UNREADABLE /* nothing of the above: cut off, or of another form */
};

/* Reads a line without its end, whose bars become zeros. */
enum hs_record_kind hs_record_read(const struct hs_record_columns *columns, char *line, struct hs_record *record);

#endif
