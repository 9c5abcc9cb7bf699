/* Lines of sacct; see record.h.
 *
 * What a scheduler goes by is what a job asked for, so its size is its processors and memory times its time limit; a job
 * without a finite limit, or on whose sacct tells none, counts with the time that it took, one that is UNLIMITED as larger
 * than all. A job waits from when it is eligible: one that was submitted to begin later, or behind another, does not wait
 * before. Times have no zone and are compared as they stand, so a wait over the change to summer time is off by an hour.
 */
#include "slurm/record.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "slurm/duration.h"

const char HS_RECORD_FORMAT[] =
    "JobID,Partition,State,Submit,Eligible,Start,Elapsed,Timelimit,AllocCPUS,ReqCPUS,NNodes,ReqMem,AllocTRES";

enum { NAMES = 3 };

/* What a column may be called; what stands first is preferred. */
static const char *const names[HS_COLUMNS][NAMES] = {
    [HS_COLUMN_JOB] = {"JobID", "JobIDRaw"},
    [HS_COLUMN_PARTITION] = {"Partition"},
    [HS_COLUMN_STATE] = {"State"},
    [HS_COLUMN_SUBMIT] = {"Submit"},
    [HS_COLUMN_ELIGIBLE] = {"Eligible"},
    [HS_COLUMN_START] = {"Start"},
    [HS_COLUMN_ELAPSED] = {"Elapsed"},
    [HS_COLUMN_LIMIT] = {"Timelimit", "TimelimitRaw"},
    [HS_COLUMN_CPUS] = {"AllocCPUS", "NCPUS", "ReqCPUS"},
    [HS_COLUMN_CPUS_ASKED] = {"ReqCPUS"},
    [HS_COLUMN_NODES] = {"NNodes", "AllocNodes", "ReqNodes"},
    [HS_COLUMN_MEMORY] = {"ReqMem"},
    [HS_COLUMN_TRES] = {"AllocTRES", "ReqTRES"},
};

/* --- the first line -------------------------------------------------------------------------- */

/* The field of that name, or -1. */
static int column_find(const char *line, const char *name)
{
  const size_t length = strlen(name);
  for (int k = 0;; k++) {
    const size_t field = strcspn(line, "|");
    if (field == length && !strncasecmp(line, name, length)) return k;
    if (!line[field]) return -1;
    line += field + 1;
  }
}

hs_status hs_record_columns_read(const char *line, struct hs_record_columns *columns, struct hs_error *err)
{
  columns->count = 1;
  for (const char *c = line; *c; c++) columns->count += *c == '|';
  for (int c = 0; c < HS_COLUMNS; c++) {
    columns->place[c] = -1;
    for (int k = 0; k < NAMES && names[c][k] && columns->place[c] < 0; k++)
      columns->place[c] = column_find(line, names[c][k]);
  }
  if (columns->place[HS_COLUMN_ELIGIBLE] < 0) columns->place[HS_COLUMN_ELIGIBLE] = columns->place[HS_COLUMN_SUBMIT];
  for (int c = 0; c < HS_COLUMNS; c++) {
    const bool needed = c == HS_COLUMN_PARTITION || c == HS_COLUMN_START || c == HS_COLUMN_ELIGIBLE ||
                        c == HS_COLUMN_CPUS || (c == HS_COLUMN_LIMIT && columns->place[HS_COLUMN_ELAPSED] < 0);
    if (needed && columns->place[c] < 0)
      return hs_error_set(err, HS_ERR_CONFIG, "its first line has no column %s", names[c][0]);
  }
  return HS_OK;
}

/* --- fields ---------------------------------------------------------------------------------- */

/* "2026-01-31T12:00:00", or seconds since 1970, into seconds; false: no time ("Unknown", "None", empty). */
static bool moment_read(const char *text, double *seconds)
{
  struct tm parts = {0};
  int length = 0;
  if (*text && strspn(text, "0123456789") == strlen(text)) {
    *seconds = strtod(text, NULL);
    return *seconds > 0.0;
  }
  if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d%n", &parts.tm_year, &parts.tm_mon, &parts.tm_mday, &parts.tm_hour,
             &parts.tm_min, &parts.tm_sec, &length) != 6 ||
      text[length])
    return false;
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  *seconds = (double)timegm(&parts);
  return true;
}

/* "8000M", "4Gn" (of each node), "500Mc" (of each processor) in gigabytes; NaN: not told. Without a unit it is megabytes. */
static double memory_read(const char *text, double cpus, double nodes)
{
  static const char units[] = "KMGTP";
  char *end = NULL;
  const double number = isdigit((unsigned char)*text) ? strtod(text, &end) : NAN;
  const char *unit = end && *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
  double gigabytes;
  if (!(number > 0.0)) return NAN; /* 0: all of the node's, which nobody says here */
  gigabytes = number * pow(1024.0, unit ? (double)(unit - units) - 2.0 : -1.0);
  if (unit) end++;
  if (*end == 'c') return gigabytes * cpus;
  if (*end == 'n') return nodes > 0.0 ? gigabytes * nodes : NAN;
  return *end ? NAN : gigabytes;
}

/* The time that a job's size goes by, in hours. */
static double hours_read(const char *limit, const char *elapsed)
{
  double seconds;
  if (hs_duration_read(limit, &seconds) && seconds > 0.0) return seconds / 3600.0;
  if (strchr(elapsed, ':') && hs_duration_read(elapsed, &seconds)) return seconds / 3600.0;
  return NAN;
}

/* --- a line ---------------------------------------------------------------------------------- */

/* The fields that are read; "" where the line has none. false: the line has another number of fields. */
static bool fields_split(const struct hs_record_columns *columns, char *line, const char *field[HS_COLUMNS])
{
  int count = 0;
  for (int c = 0; c < HS_COLUMNS; c++) field[c] = "";
  while (line) {
    char *bar = strchr(line, '|');
    if (bar) *bar = '\0';
    for (int c = 0; c < HS_COLUMNS; c++)
      if (columns->place[c] == count) field[c] = line;
    count++;
    line = bar ? bar + 1 : NULL;
  }
  return count == columns->count;
}

/* sacct gives jobs that were cancelled while they waited the time of that as their start. */
static bool has_started(const char *const *field, double cpus)
{
  if (!strncmp(field[HS_COLUMN_STATE], "PENDING", 7)) return false;
  if (strncmp(field[HS_COLUMN_STATE], "CANCELLED", 9)) return true;
  return cpus > 0.0 && strcmp(field[HS_COLUMN_ELAPSED], "00:00:00") != 0;
}

enum hs_record_kind hs_record_read(const struct hs_record_columns *columns, char *line, struct hs_record *record)
{
  const char *field[HS_COLUMNS];
  double eligible_s, start_s, cpus, hours;
  if (!fields_split(columns, line, field)) return HS_RECORD_UNREADABLE;
  if (strchr(field[HS_COLUMN_JOB], '.')) return HS_RECORD_STEP;
  if (!field[HS_COLUMN_PARTITION][0] || strlen(field[HS_COLUMN_PARTITION]) >= sizeof record->partition)
    return HS_RECORD_UNREADABLE;
  *record = (struct hs_record){.wait_s = NAN};
  strcpy(record->partition, field[HS_COLUMN_PARTITION]);
  cpus = strtod(field[HS_COLUMN_CPUS], NULL);
  if (!moment_read(field[HS_COLUMN_START], &start_s) || !has_started(field, cpus)) return HS_RECORD_UNSTARTED;
  if (!moment_read(field[HS_COLUMN_ELIGIBLE], &eligible_s) && !moment_read(field[HS_COLUMN_SUBMIT], &eligible_s))
    return HS_RECORD_UNREADABLE;
  if (!(cpus > 0.0))
    cpus = strtod(field[HS_COLUMN_CPUS_ASKED], NULL); /* some records of ended jobs have given them back */
  hours = hours_read(field[HS_COLUMN_LIMIT], field[HS_COLUMN_ELAPSED]);
  record->wait_s = fmax(start_s - eligible_s, 0.0);
  record->cpu_hours = cpus > 0.0 ? cpus * hours : NAN;
  record->gb_hours = hours * memory_read(field[HS_COLUMN_MEMORY], cpus, strtod(field[HS_COLUMN_NODES], NULL));
  record->gpus = strstr(field[HS_COLUMN_TRES], "gres/gpu") != NULL;
  return HS_RECORD_JOB;
}
