/* heatsolve submit: a batch script for Slurm, written and submitted. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/shown.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/job_shape.h"
#include "cli/options.h"
#include "comm/comm.h"
#include "io/file.h"
#include "output/output.h"
#include "slurm/call.h"
#include "slurm/duration.h"
#include "slurm/partition.h"
#include "slurm/script.h"

/* sbatch itself tries for some ten seconds to reach a controller that does not answer. */
static const double SBATCH_S = 60.0;

enum { SIGNAL_S = 120 }; /* or a quarter of the limit, where that is less */

struct submission {
  struct hs_job_shape shape;
  struct hs_slurm_job job;
  const char *time, *script; /* as given, or NULL; not owned */
  bool dry_run;
  const char **more;                          /* [job.more_count], owned */
  char *config, *output, *path, *log, *about; /* owned; path: of the script */
  char heatsolve[PATH_MAX], name[64], forecast[160], capped[128];
};

static hs_status options_take(const struct hs_cli *cli, struct submission *s, struct hs_error *err)
{
  hs_status status = hs_array_create((void **)&s->more, (size_t)cli->given_count + 1, sizeof *s->more, "options", err);
  for (int k = 0; !status && k < cli->given_count; k++) {
    const struct hs_given *given = &cli->given[k];
    switch (given->row->option) {
    case HS_OPTION_PARTITION: s->job.partition = given->value; break;
    case HS_OPTION_TIME:
      s->time = given->value;
      if (!hs_duration_read(s->time, &s->job.limit_s) || !(s->job.limit_s > 0.0 && s->job.limit_s < INFINITY))
        status = hs_option_refuse(given->row, s->time,
                                  "a time as sbatch does, such as 90 (minutes), 1:30:00 or 2-00:00:00 (days)", err);
      break;
    case HS_OPTION_SIGNAL: status = hs_option_integer(given->row, given->value, 1, 65535, &s->job.signal_s, err); break;
    case HS_OPTION_SBATCH: s->more[s->job.more_count++] = given->value; break;
    case HS_OPTION_SCRIPT: s->script = given->value; break;
    case HS_OPTION_DRY_RUN: s->dry_run = true; break;
    default: break;
    }
    if (!status && given->value && (!given->value[0] || strpbrk(given->value, "\r\n")))
      status = hs_option_refuse(given->row, given->value, "a text of one line", err);
  }
  return status;
}

/* --- names ----------------------------------------------------------------------------------- */

/* path from the root on, owned by the caller. */
static char *absolute(const char *path, struct hs_error *err)
{
  char here[PATH_MAX];
  if (path[0] == '/') return hs_text_copy(path, err);
  if (getcwd(here, sizeof here)) return hs_file_join(here, path, err);
  hs_error_set(err, HS_ERR_IO, "the present folder cannot be told; does it still exist?");
  return NULL;
}

/* A job's name: the configuration's without its ending. */
static void name_make(const char *path, char *name, size_t size)
{
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
  const size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
  snprintf(name, size, "%.*s", (int)length, base);
}

static hs_status names_make(const struct hs_cli *cli, const struct hs_config *config, struct submission *s,
                            struct hs_error *err)
{
  const ssize_t length = readlink("/proc/self/exe", s->heatsolve, sizeof s->heatsolve - 1);
  if (length > 0) s->heatsolve[length] = '\0';
  if (length <= 0) return hs_error_set(err, HS_ERR_IO, "the path of heatsolve itself cannot be told (no /proc?)");
  s->config = absolute(cli->files[0], err);
  if (s->config) s->output = absolute(config->output.directory, err);
  if (s->output) s->log = hs_file_join(s->output, "job.log", err);
  if (s->log) s->path = s->script ? absolute(s->script, err) : hs_file_join(s->output, "job.sbatch", err);
  if (!s->path) return err->status;
  if (strpbrk(s->config, "\r\n") || strpbrk(s->output, "\r\n") || strpbrk(s->path, "\r\n"))
    return hs_error_set(err, HS_ERR_USAGE, "a batch script cannot have a path with a line end: %s", s->output);
  name_make(s->config, s->name, sizeof s->name);
  return HS_OK;
}

/* --- the time limit -------------------------------------------------------------------------- */

/* What nobody asked for is no more than the partition has, since such a job would never start: a run goes on in another
 * turn. What the cluster does not tell is left to sbatch. */
static void partition_fit(struct submission *s)
{
  struct hs_slurm_partitions partitions = {NULL, 0};
  const struct hs_slurm_partition *partition = NULL;
  if (!hs_slurm_partitions_ask(&partitions, NULL)) partition = hs_slurm_partitions_find(&partitions, s->job.partition);
  if (partition) hs_job_shape_fit(&s->shape, partition->cpus);
  if (partition && !s->time && partition->limit_s < s->job.limit_s) {
    s->job.limit_s = partition->limit_s;
    snprintf(s->capped, sizeof s->capped, ", the longest that the partition %s allows", partition->name);
  }
  hs_slurm_partitions_clear(&partitions);
}

static void room_warn(const struct hs_job_shape *shape, const struct hs_job_time *time)
{
  char needed[80] = "", text[240];
  if (time->fits) return;
  if (time->parts_needed) snprintf(needed, sizeof needed, "; %d would hold it", time->parts_needed);
  snprintf(text, sizeof text,
           "the grid does not fit into %d %s, as far as heatsolve check can tell from here%s. The job may fail",
           shape->gpus ? shape->gpus : shape->ranks,
           shape->gpus == 1 ? "GPU of 141 GB"
           : shape->gpus    ? "GPUs of 141 GB"
                            : "processes",
           needed);
  hs_cli_warn(text);
}

/* Here there may be no GPU, so a job for GPUs is forecast by whatever backend there is. */
static hs_status forecast(const struct hs_cli *cli, struct submission *s, struct hs_error *err)
{
  struct hs_job_forecast forecast;
  struct hs_job_time time;
  hs_status status = hs_job_forecast_begin(cli, s->shape.gpus > 0, &forecast, err);
  if (!status) status = hs_job_forecast_time(&forecast, &s->shape, &time, err);
  if (!status) {
    s->job.limit_s = time.limit_s;
    memcpy(s->forecast, time.text, sizeof time.text);
    room_warn(&s->shape, &time);
  }
  hs_job_forecast_clear(&forecast);
  return status;
}

/* --- the script ------------------------------------------------------------------------------ */

static hs_status about_make(struct submission *s, struct hs_error *err)
{
  const struct hs_job_shape *shape = &s->shape;
  struct hs_text text = {0};
  hs_text_add(&text, "heatsolve on %d %s", shape->nodes, shape->nodes > 1 ? "nodes" : "node");
  if (shape->gpus) hs_text_add(&text, " with %d GPU%s in all", shape->gpus, shape->gpus > 1 ? "s" : "");
  hs_text_add(&text, ", %d process%s. Made by heatsolve submit; to submit it again:\n\n  sbatch %s\n", shape->ranks,
              shape->ranks > 1 ? "es" : "", s->path);
  if (s->forecast[0]) hs_text_add(&text, "\nForecast: %s.\n", s->forecast);
  s->about = text.text;
  if (!text.failed) return HS_OK;
  return hs_error_set(err, HS_ERR_MEMORY, "not enough memory for the batch script.");
}

static char *script_make(const struct hs_cli *cli, struct submission *s, struct hs_error *err)
{
  struct hs_slurm_job *job = &s->job;
  const char **sets = NULL;
  char *script;
  if (hs_array_create((void **)&sets, (size_t)cli->override_count + 1, sizeof *sets, "the overrides", err)) return NULL;
  job->set_count = 0;
  for (int k = 0; k < cli->override_count; k++)
    if (strncmp(cli->overrides[k], "output.directory=", strlen("output.directory=")))
      sets[job->set_count++] = cli->overrides[k];
  job->sets = sets;
  job->more = s->more;
  job->about = s->about;
  job->name = s->name;
  job->nodes = s->shape.nodes;
  job->ranks_per_node = s->shape.ranks / s->shape.nodes;
  job->gpus_per_node = s->shape.gpus / s->shape.nodes;
  job->cpus_per_rank = s->shape.cpus_per_rank;
  job->heatsolve = s->heatsolve;
  job->config = s->config;
  job->output = s->output;
  job->log = s->log;
  script = hs_slurm_script(job, err);
  free(sets);
  return script;
}

/* --- submitting ------------------------------------------------------------------------------ */

/* "17" of "17;CLUSTER", which sbatch prints; NULL: it printed something else. */
static const char *job_number(struct hs_call *call)
{
  char *text = call->out.text;
  const size_t digits = text ? strspn(text, "0123456789") : 0;
  if (!digits || !strchr(";\n", text[digits])) return NULL;
  text[digits] = '\0';
  return text;
}

static hs_status submit(const struct submission *s, bool quiet, struct hs_error *err)
{
  const char *const command[] = {"sbatch", "--parsable", s->path, NULL};
  struct hs_call call;
  char limit[HS_DURATION_TEXT];
  hs_status status = hs_call_run(command, SBATCH_S, &call, err);
  const char *number = status ? NULL : job_number(&call);
  if (status) {
    hs_error_append(err, " (the script is %s)", s->path);
  } else if (call.exit_code) {
    status = hs_error_set(err, HS_ERR_USAGE, "sbatch refused %s: %s", s->path, hs_call_reason(&call));
  } else if (!number) {
    status = hs_error_set(err, HS_ERR_IO, "sbatch took %s and gave no job number; does squeue show the job?", s->path);
  } else if (!quiet) {
    hs_duration_print(s->job.limit_s, limit);
    printf("job            %s\n", number);
    printf("script         %s\n", hs_shown(s->path).text);
    printf("log            %s\n", hs_shown(s->log).text);
    if (s->forecast[0]) printf("forecast       %s\n", s->forecast);
    printf("time limit     %s%s\n", limit, s->capped);
  }
  hs_call_clear(&call);
  return status;
}

static hs_status prepare(const struct hs_cli *cli, struct submission *s, struct hs_error *err)
{
  struct hs_config *config = NULL;
  hs_status status;
  if (!strcmp(cli->files[0], "-"))
    return hs_usage_error(err, cli->command, "a job cannot read standard input later; name a file");
  status = hs_config_read(cli->files[0], (const char *const *)cli->overrides, cli->override_count, &config, err);
  if (!status) status = hs_output_config_check(config, err);
  if (!status) status = options_take(cli, s, err);
  if (!status) status = hs_job_shape_take(cli, config, &s->shape, err);
  if (!status && !s->shape.gpus && !strncmp(config->solver.backend, "cuda-", 5))
    status = hs_usage_error(err, cli->command, "the backend %s needs a GPU in the job; add --gpus 1",
                            config->solver.backend);
  if (!status) status = names_make(cli, config, s, err);
  hs_config_destroy(config);
  if (!status && !s->time) status = forecast(cli, s, err);
  if (!status) partition_fit(s);
  if (!status && !s->job.signal_s) s->job.signal_s = (int)fmin(SIGNAL_S, s->job.limit_s / 4.0);
  if (!status && s->job.signal_s >= s->job.limit_s)
    status = hs_usage_error(err, cli->command,
                            "a job of %.0f s that is told to save %d s before its end would do nothing else; "
                            "give a longer --time, or a smaller --signal",
                            s->job.limit_s, s->job.signal_s);
  if (!status && s->shape.ranks > 1 && !hs_comm_can())
    hs_cli_warn(
        "several processes need MPI, which this build of heatsolve has not; build it again with MPI, or let the job "
        "run one that has");
  if (!status) status = about_make(s, err);
  return status;
}

hs_status hs_cli_submit(const struct hs_cli *cli, int *exit_code, struct hs_error *err)
{
  struct submission s = {.dry_run = false};
  char *script = NULL;
  hs_status status = prepare(cli, &s, err);
  *exit_code = HS_EXIT_OK;
  if (!status) {
    script = script_make(cli, &s, err);
    status = script ? HS_OK : HS_ERR_MEMORY;
  }
  if (!status && s.dry_run) {
    fputs(script, stdout);
  } else if (!status) {
    status = hs_output_prepare(s.output, err);
    if (!status) status = hs_file_put_text(s.path, script, err);
    if (!status) status = submit(&s, cli->quiet, err);
  }
  free(script);
  free(s.more);
  free(s.config);
  free(s.output);
  free(s.path);
  free(s.log);
  free(s.about);
  return status;
}
