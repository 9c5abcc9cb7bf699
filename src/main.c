/* heatsolve: one call per stage. This is the only place that prints a failure and exits. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <stdio.h>

#include "base/timer.h"
#include "cli/cli.h"
#include "output/checkpoint/checkpoint.h"
#include "output/earlier.h"
#include "output/field/snapshots.h"
#include "output/lock.h"
#include "output/output.h"
#include "run/job.h"

/* What came up since the job was prepared, and what the field is not good for. */
static void warn(const struct hs_job *job, const struct hs_result *result)
{
  struct hs_warnings doubts;
  hs_cli_warn_from(&result->warnings, job->warnings.count);
  hs_output_doubts(result, &doubts);
  hs_cli_warn_from(&doubts, 0);
}

/* What is written while the run goes on, and what it goes on from. */
struct keeping {
  struct hs_output_lock *lock;
  struct hs_restart *restart;
  struct hs_checkpoints *checkpoints;
  struct hs_snapshots *snapshots;
};

static hs_status keeping_begin(struct keeping *keeping, struct hs_job *job, const volatile sig_atomic_t *save,
                               bool force, struct hs_error *err)
{
  const int said = job->warnings.count;
  const char *identity;
  hs_status status = hs_output_lock(job->config->output.directory, &keeping->lock, &job->warnings, err);
  if (!status) status = hs_restart_open(job, &keeping->restart, &job->warnings, err);
  job->from = hs_restart_checkpoint(keeping->restart);
  if (!status) status = hs_output_earlier(job->config, job->from != NULL, force, &job->warnings, err);
  hs_cli_warn_from(&job->warnings, said);
  if (!status)
    status = hs_checkpoints_create(job, save, job->from != NULL, hs_restart_is_of_latest(keeping->restart),
                                   keeping->lock, &keeping->checkpoints, err);
  if (!status) job->keeper = hs_checkpoints_keeper(keeping->checkpoints);
  if (status) return status;
  identity = hs_checkpoints_identity(keeping->checkpoints);
  if (!job->from) return hs_snapshots_create(job->config, identity, &keeping->snapshots, err);
  return hs_snapshots_continue(job->config, identity, job->from->series.time_s, job->from->series.count,
                               &keeping->snapshots, err);
}

static void keeping_end(struct keeping *keeping)
{
  hs_snapshots_destroy(keeping->snapshots);
  hs_checkpoints_destroy(keeping->checkpoints);
  hs_restart_close(keeping->restart);
  hs_output_unlock(keeping->lock);
}

/* config -> problem -> system -> solver(backend) -> result -> output */
static hs_status run(const struct hs_cli *cli, int *exit_code, struct hs_error *err)
{
  const double started_s = hs_time_s();
  struct hs_config *config = NULL;
  struct hs_job job = {0};
  struct hs_result result = {0};
  struct keeping keeping = {NULL, NULL, NULL, NULL};
  struct hs_snapshot_taker taker = {NULL, NULL};
  struct hs_progress_line line;
  unsigned files = 0;
  const struct hs_cli_signals signals = hs_cli_catch_signals();
  struct hs_solve_observer observer = {hs_progress_line_draw, &line, signals.stop};

  hs_status status =
      hs_config_read(cli->files[0], (const char *const *)cli->overrides, cli->override_count, &config, err);
  if (!status) status = hs_output_config_check(config, err);
  if (!status) status = hs_job_prepare(config, &job, err);
  hs_cli_warn_from(&job.warnings, 0);
  if (!status) status = hs_answers_check(job.problem, err);
  if (!status) status = hs_output_prepare(config->output.directory, err);
  if (!status) status = keeping_begin(&keeping, &job, signals.save, hs_cli_has(cli, HS_OPTION_FORCE), err);
  if (!status) {
    taker = hs_snapshots_taker(keeping.snapshots);
    hs_progress_line_start(&line, stderr, job.options.multigrid, cli->quiet);
    status = hs_job_run(&job, job.backend, &observer, taker.take ? &taker : NULL, &result, err);
    hs_progress_line_clear(&line);
    if (status && !hs_output_lock_renew(keeping.lock, config->output.directory, NULL, NULL))
      hs_output_rescue(&result, err);
  }
  if (!status) status = hs_snapshots_finish(keeping.snapshots, err);
  if (!status) {
    const bool is_final = hs_verdict_is_final(hs_result_verdict(&result));
    result.time_total_s = hs_time_s() - started_s + (job.from ? hs_checkpoint_time_s(&job) : 0.0);
    if (!is_final) hs_checkpoints_tell(keeping.checkpoints, &result.warnings);
    status = hs_output_lock_renew(keeping.lock, config->output.directory, &result.warnings, err);
    if (!status) status = hs_output_write(&result, &files, err);
    if (!cli->quiet) hs_output_report_print(stdout, &result, files);
    warn(&job, &result);
    if (!status && is_final) hs_checkpoints_remove(config);
    *exit_code = hs_verdict_exit_code(hs_result_verdict(&result));
  }
  keeping_end(&keeping);
  hs_result_clear(&result);
  hs_job_clear(&job);
  hs_config_destroy(config);
  return status;
}

int main(int argc, char **argv)
{
  struct hs_error err = {0};
  struct hs_cli cli;
  int exit_code = HS_EXIT_OK;

  hs_cli_guard_streams();
  hs_cli_guard_exit();
  hs_status status = hs_cli_parse(argc, argv, &cli, &err);
  if (!status) status = hs_cli_is_run(&cli) ? run(&cli, &exit_code, &err) : hs_cli_run(&cli, &exit_code, &err);
  hs_cli_clear(&cli);
  if (!status && (fflush(stdout) || ferror(stdout)))
    status = hs_error_set(&err, HS_ERR_IO, "standard output could not be written; is it closed, or is its disk full?");
  if (!status) return hs_cli_return(exit_code);
  fprintf(stderr, "heatsolve: %s\n", err.text);
  return hs_cli_return(hs_status_exit_code(status));
}
