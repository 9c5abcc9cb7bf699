/* heatsolve queue: how long jobs waited in a cluster's partitions, and which of them suits a run. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/input.h"
#include "base/shown.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/job_shape.h"
#include "cli/options.h"
#include "slurm/call.h"
#include "slurm/duration.h"
#include "slurm/partition.h"
#include "slurm/waits.h"

/* sacct looks through the jobs of a month. */
static const double SACCT_S = 300.0;

struct queue {
  const char *names, *from; /* as given, or NULL; not owned */
  bool by_memory;
  double first, factor;
  int days;
  struct hs_waits waits;
  struct hs_slurm_partitions partitions; /* of the cluster; none with --from */
  int *shown;                            /* [shown_count] rows of waits, owned */
  int shown_count;
};

/* "4,4" */
static bool classes_read(const char *text, double *first, double *factor)
{
  char *end;
  *first = strtod(text, &end);
  if (end == text || *end != ',') return false;
  text = end + 1;
  *factor = strtod(text, &end);
  return end != text && !*end && *first > 0.0 && *first < 1e12 && *factor > 1.0 && *factor < 1e12;
}

static hs_status options_take(const struct hs_cli *cli, struct queue *queue, struct hs_error *err)
{
  hs_status status = HS_OK;
  *queue = (struct queue){.first = 4.0, .factor = 4.0, .days = 30};
  for (int k = 0; !status && k < cli->given_count; k++) {
    const struct hs_given *given = &cli->given[k];
    switch (given->row->option) {
    case HS_OPTION_PARTITION: queue->names = given->value; break;
    case HS_OPTION_FROM: queue->from = given->value; break;
    case HS_OPTION_MEMORY: queue->by_memory = true; break;
    case HS_OPTION_DAYS: status = hs_option_integer(given->row, given->value, 1, 36500, &queue->days, err); break;
    case HS_OPTION_CLASSES:
      if (!classes_read(given->value, &queue->first, &queue->factor))
        status =
            hs_option_refuse(given->row, given->value, "a first bound above 0 and a factor above 1, such as 4,4", err);
      break;
    default: break;
    }
  }
  return status;
}

/* --- what sacct says ------------------------------------------------------------------------- */

/* The whole of an open file; false: errno says why. */
static bool text_read(int fd, struct hs_text *text)
{
  char part[65537];
  ssize_t size;
  while ((size = read(fd, part, sizeof part - 1)) != 0 && !text->failed) {
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return false;
    for (ssize_t k = 0; k < size; k++)
      if (!part[k]) part[k] = ' ';
    part[size] = '\0';
    hs_text_add(text, "%s", part);
  }
  return true;
}

static hs_status file_read(const char *path, struct hs_text *text, struct hs_error *err)
{
  char reason[HS_INPUT_REASON];
  int fd;
  const enum hs_input_kind kind = hs_input_open(path, &fd, reason);
  hs_status status = HS_OK;
  if (kind != HS_INPUT_FILE && kind != HS_INPUT_STREAM)
    return hs_error_set(err, HS_ERR_IO, "cannot read %s: %s", path, reason);
  if (!text_read(fd, text)) status = hs_error_set(err, HS_ERR_IO, "cannot read %s: %s", path, strerror(errno));
  if (!status && text->failed) status = hs_error_set(err, HS_ERR_MEMORY, "not enough memory for %s.", path);
  (void)close(fd);
  return status;
}

/* Calls sacct; where jobs are kept in a file alone (jobcomp), with its option for that. */
static hs_status sacct_call(const struct queue *queue, struct hs_text *text, struct hs_error *err)
{
  char since[48], format[256];
  const char *command[] = {"sacct", "--allusers", "--allocations", "--parsable2", since, format, NULL, NULL};
  const time_t then = time(NULL) - 86400 * (time_t)queue->days;
  struct hs_call call;
  struct tm parts;
  hs_status status;
  (void)setenv("SLURM_TIME_FORMAT", "standard", 1);
  (void)localtime_r(&then, &parts);
  (void)strftime(since, sizeof since, "--starttime=%Y-%m-%dT%H:%M:%S", &parts);
  snprintf(format, sizeof format, "--format=%s", HS_RECORD_FORMAT);
  status = hs_call_run(command, SACCT_S, &call, err);
  if (!status && call.exit_code && call.err.text && strstr(call.err.text, "storage is disabled")) {
    hs_call_clear(&call);
    command[6] = "--completion";
    status = hs_call_run(command, SACCT_S, &call, err);
  }
  if (!status && call.exit_code) status = hs_error_set(err, HS_ERR_IO, "sacct failed: %s", hs_call_reason(&call));
  if (!status) {
    *text = call.out;
    call.out = (struct hs_text){NULL, 0, 0, false};
  }
  hs_call_clear(&call);
  return status;
}

/* The waits; partitions of the cluster in which no job ended have a row, too. */
static hs_status waits_take(struct queue *queue, struct hs_error *err)
{
  struct hs_text text = {0};
  struct hs_error why = {0};
  hs_status status = queue->from ? file_read(queue->from, &text, err) : sacct_call(queue, &text, err);
  hs_waits_begin(&queue->waits, queue->by_memory, queue->first, queue->factor);
  if (!status) {
    status = hs_waits_read(&queue->waits, text.text, &why);
    if (status == HS_ERR_CONFIG)
      hs_error_set(err, status,
                   "%s is not what sacct prints with --parsable2: %s. Save it by: sacct --allusers --allocations "
                   "--parsable2 --starttime=now-30days --format=%s",
                   queue->from ? queue->from : "the answer of sacct", why.text, HS_RECORD_FORMAT);
    else if (status)
      hs_error_set(err, status, "%s", why.text);
  }
  free(text.text);
  if (status || queue->from) return status;
  if (hs_slurm_partitions_ask(&queue->partitions, &why)) hs_cli_warn(why.text);
  for (int k = 0; !status && k < queue->partitions.count; k++) {
    struct hs_waits_row *row = hs_waits_row(&queue->waits, queue->partitions.partition[k].name, err);
    if (!row) return HS_ERR_MEMORY;
    row->gpus = queue->partitions.partition[k].gpus;
  }
  return HS_OK;
}

/* --- which partitions ------------------------------------------------------------------------ */

static hs_status unknown_refuse(const struct hs_waits *waits, const char *name, int length, struct hs_error *err)
{
  hs_error_set(err, HS_ERR_USAGE, "there is no partition \"%.*s\"; there %s", length, name,
               waits->count == 0   ? "is none"
               : waits->count == 1 ? "is "
                                   : "are ");
  for (int k = 0; k < waits->count; k++)
    hs_error_append(err, "%s%s",
                    k == 0                 ? ""
                    : k + 1 < waits->count ? ", "
                                           : " and ",
                    hs_shown(waits->row[k].name).text);
  return HS_ERR_USAGE;
}

/* Those of --partition in its order, or all. */
static hs_status rows_choose(struct queue *queue, struct hs_error *err)
{
  const struct hs_waits *waits = &queue->waits;
  queue->shown = calloc((size_t)waits->count + 1, sizeof *queue->shown);
  if (!queue->shown) return hs_error_set(err, HS_ERR_MEMORY, "not enough memory for the partitions.");
  for (int k = 0; k < waits->count && !queue->names; k++) queue->shown[queue->shown_count++] = k;
  for (const char *name = queue->names; name;) {
    const size_t length = strcspn(name, ",");
    int found = -1;
    bool again = false;
    for (int k = 0; k < waits->count; k++)
      if (strlen(waits->row[k].name) == length && !strncmp(waits->row[k].name, name, length)) found = k;
    if (found < 0) return unknown_refuse(waits, name, (int)length, err);
    for (int k = 0; k < queue->shown_count; k++) again = again || queue->shown[k] == found;
    if (!again) queue->shown[queue->shown_count++] = found;
    name = name[length] ? name + length + 1 : NULL;
  }
  return HS_OK;
}

/* --- the table ------------------------------------------------------------------------------- */

enum { CELL = 18 };

static void head_print(const struct queue *queue)
{
  const double *bound = queue->waits.bound;
  char text[64];
  printf("mean wait (number of jobs) by size in %s\n%-16s", queue->by_memory ? "GB-hours" : "CPU-hours", "partition");
  for (int k = 0; k < HS_WAIT_CLASSES; k++) {
    if (k == 0)
      snprintf(text, sizeof text, "< %g", bound[0]);
    else if (k < HS_WAIT_CLASSES - 1)
      snprintf(text, sizeof text, "%g - %g", bound[k - 1], bound[k]);
    else
      snprintf(text, sizeof text, "> %g", bound[k - 1]);
    printf(" %*s", CELL, text);
  }
  printf("\n");
}

static void table_print(const struct queue *queue)
{
  head_print(queue);
  for (int r = 0; r < queue->shown_count; r++) {
    const struct hs_waits_row *row = &queue->waits.row[queue->shown[r]];
    printf("%-16s", hs_shown(row->name).text);
    for (int k = 0; k < HS_WAIT_CLASSES; k++) {
      char cell[64] = "NA";
      if (row->of[k].jobs)
        snprintf(cell, sizeof cell, "%.1f h (%ld)", hs_wait_mean_s(&row->of[k]) / 3600.0, row->of[k].jobs);
      printf(" %*s", CELL, cell);
    }
    printf("\n");
  }
}

/* What the table does not have although somebody may look for it. */
static void rest_warn(const struct queue *queue)
{
  const struct hs_waits *waits = &queue->waits;
  char text[200];
  if (waits->unreadable) {
    snprintf(text, sizeof text, "%ld line%s of sacct could not be read and %s left out", waits->unreadable,
             waits->unreadable > 1 ? "s" : "", waits->unreadable > 1 ? "are" : "is");
    hs_cli_warn(text);
  }
  if (waits->unsized) {
    snprintf(text, sizeof text, "%ld job%s left out, of which sacct does not tell the %s or the time", waits->unsized,
             waits->unsized > 1 ? "s are" : " is", waits->by_memory ? "memory" : "processors");
    hs_cli_warn(text);
  }
}

/* --- a run ----------------------------------------------------------------------------------- */

/* What a run would do in a partition; times in seconds, NaN: no job of that size has waited there. */
struct prospect {
  const struct hs_waits_row *row;
  struct hs_job_shape shape;
  double limit_s, size, wait_s, run_s, done_s;
};

/* A run that is longer than the partition's limit queues for each of its parts. */
static hs_status prospect_make(const struct queue *queue, const struct hs_waits_row *row,
                               const struct hs_job_shape *wanted, struct hs_job_forecast *forecast,
                               struct prospect *prospect, struct hs_error *err)
{
  const struct hs_slurm_partition *partition = hs_slurm_partitions_find(&queue->partitions, row->name);
  struct prospect p = {.row = row, .shape = hs_job_shape_for(wanted, forecast->config, row->gpus)};
  struct hs_job_time time;
  const hs_status status = hs_job_forecast_time(forecast, &p.shape, &time, err);
  double parts;
  if (status) return status;
  if (partition) hs_job_shape_fit(&p.shape, partition->cpus);
  p.limit_s = partition ? fmin(time.limit_s, partition->limit_s) : time.limit_s;
  p.size = p.limit_s / 3600.0 *
           (queue->by_memory ? time.host_bytes / 1073741824.0 : (double)p.shape.ranks * p.shape.cpus_per_rank);
  p.wait_s = hs_wait_mean_s(&row->of[hs_waits_class(&queue->waits, p.size)]);
  p.run_s = time.expected_s;
  parts = fmax(1.0, ceil(p.run_s / p.limit_s));
  p.done_s = parts * p.wait_s + p.run_s;
  *prospect = p;
  return HS_OK;
}

static void prospect_print(const struct prospect *p)
{
  char limit[HS_DURATION_TEXT], asks[64], wait[32] = "NA", done[32] = "NA", run[32];
  const int length = snprintf(asks, sizeof asks, "%d CPUs", p->shape.ranks * p->shape.cpus_per_rank);
  if (p->shape.gpus)
    snprintf(asks + length, sizeof asks - (size_t)length, ", %d GPU%s", p->shape.gpus, p->shape.gpus > 1 ? "s" : "");
  hs_duration_print(p->limit_s, limit);
  if (!isnan(p->wait_s)) {
    snprintf(wait, sizeof wait, "%.1f h", p->wait_s / 3600.0);
    snprintf(done, sizeof done, "%.1f h", p->done_s / 3600.0);
  }
  snprintf(run, sizeof run, "%.1f h", p->run_s / 3600.0);
  printf("%-16s %-18s %10s %8.3g %9s %9s %9s\n", hs_shown(p->row->name).text, asks, limit, p->size, wait, run, done);
}

/* "starts first   gpu", or that nobody knows. */
static void best_print(const char *what, const struct prospect *best)
{
  if (best)
    printf("%-16s %s\n", what, hs_shown(best->row->name).text);
  else
    printf("%-16s unknown: no job of that size has waited in any of them\n", what);
}

static hs_status prospects_print(const struct hs_cli *cli, const struct queue *queue, struct hs_error *err)
{
  struct hs_job_forecast forecast;
  struct hs_job_shape shape;
  struct prospect starts = {.row = NULL}, ends = {.row = NULL};
  hs_status status = hs_job_forecast_begin(cli, true, &forecast, err);
  if (!status) status = hs_job_shape_take(cli, forecast.config, &shape, err);
  if (status) goto out;
  printf("\na job that runs %s\n%-16s %-18s %10s %8s %9s %9s %9s\n", hs_shown(cli->files[0]).text, "partition",
         "asks for", "limit", queue->by_memory ? "GB-h" : "CPU-h", "waits", "runs", "done in");
  for (int r = 0; r < queue->shown_count; r++) {
    struct prospect p;
    status = prospect_make(queue, &queue->waits.row[queue->shown[r]], &shape, &forecast, &p, err);
    if (status) goto out;
    prospect_print(&p);
    if (!isnan(p.wait_s) && (!starts.row || p.wait_s < starts.wait_s)) starts = p;
    if (!isnan(p.done_s) && (!ends.row || p.done_s < ends.done_s)) ends = p;
  }
  best_print("starts first", starts.row ? &starts : NULL);
  best_print("is done first", ends.row ? &ends : NULL);
out:
  hs_job_forecast_clear(&forecast);
  return status;
}

hs_status hs_cli_queue(const struct hs_cli *cli, int *exit_code, struct hs_error *err)
{
  struct queue queue;
  hs_status status = options_take(cli, &queue, err);
  *exit_code = HS_EXIT_OK;
  if (!status) status = waits_take(&queue, err);
  if (!status) status = rows_choose(&queue, err);
  if (!status) {
    rest_warn(&queue);
    if (!cli->quiet) table_print(&queue);
    if (cli->file_count && !cli->quiet) status = prospects_print(cli, &queue, err);
  }
  hs_waits_clear(&queue.waits);
  hs_slurm_partitions_clear(&queue.partitions);
  free(queue.shown);
  return status;
}
