/* A run, one call per stage: configuration, problem, system, solver on a backend, result, output. */
#include <stdlib.h>
#include <string.h>

#include "api/handle.h"
#include "base/memory.h"
#include "base/timer.h"
#include "output/checkpoint/checkpoint.h"
#include "output/earlier.h"
#include "output/field/snapshots.h"
#include "output/lock.h"
#include "output/output.h"

/* What is written while the run goes on, and what it goes on from; all NULL without files. */
struct keeping {
  struct hs_output_lock *lock;
  struct hs_restart *restart;
  struct hs_checkpoints *checkpoints;
  struct hs_snapshots *snapshots;
};

struct run {
  heatsolve_problem *problem;
  heatsolve_run_options options;
  heatsolve_result *made; /* in the making */
  struct keeping keeping;
  struct hs_snapshot_taker to_file;
  int said; /* warnings of the job that the caller has got */
};

static bool with(const struct run *run, unsigned flag)
{
  return (run->options.flags & flag) != 0;
}

/* --- watching -------------------------------------------------------------------------------- */

static void warn(struct run *run)
{
  const struct hs_warnings *warnings = &run->made->job.warnings;
  for (; run->said < warnings->count; run->said++)
    if (run->options.warning) run->options.warning(run->options.context, warnings->text[run->said]);
}

static void progress_tell(void *context, const struct hs_solve_progress *now)
{
  struct run *run = context;
  char text[HS_PROGRESS_TEXT];
  const heatsolve_progress public = {
      sizeof public, now->sweeps,    now->value, now->tolerance, now->end_s > 0.0 ? now->time_s : 0.0,
      now->end_s,    now->elapsed_s, text};
  if (!run->options.progress) return;
  hs_progress_text(now, run->made->job.options.multigrid, text);
  if (run->options.progress(run->options.context, &public)) run->problem->stop = 1;
}

/* --- snapshots ------------------------------------------------------------------------------- */

static hs_status snapshot_keep(heatsolve_result *made, const struct hs_snapshot *snapshot, struct hs_error *err)
{
  const size_t nodes = (size_t)made->job.problem->nx * (size_t)made->job.problem->ny;
  struct hs_kept *kept = made->kept;
  hs_status status = HS_OK;
  if (made->kept_count == made->kept_room) {
    const int room = 2 * made->kept_room + 16;
    kept = realloc(made->kept, (size_t)room * sizeof *kept);
    if (!kept) return hs_error_set(err, HS_ERR_MEMORY, "no memory is left for snapshots");
    made->kept = kept;
    made->kept_room = room;
  }
  kept += made->kept_count;
  kept->time_s = snapshot->time_s;
  status = hs_array_reserve((void **)&kept->field_k, nodes, sizeof *kept->field_k, "a snapshot", err);
  if (status) {
    hs_error_append(err, "; it would be number %d in memory: ask for fewer, or have them written into files",
                    made->kept_count + 1);
    return status;
  }
  memcpy(kept->field_k, snapshot->field_k, nodes * sizeof *kept->field_k);
  made->kept_count++;
  return HS_OK;
}

/* The system grants more memory than there is, and ends the program that then touches it: so it is told before the run. */
static hs_status snapshots_fit(const struct run *run, struct hs_error *err)
{
  const heatsolve_result *made = run->made;
  const double count = with(run, HEATSOLVE_SNAPSHOTS) ? hs_config_snapshots(made->config) : 0.0;
  const double nodes = (double)made->job.problem->nx * made->job.problem->ny;
  char what[64];
  hs_status status;
  snprintf(what, sizeof what, "to keep %.0f snapshots", count);
  status = hs_memory_check(count * nodes * sizeof(double), what, err);
  if (status) hs_error_append(err, "; ask for fewer, or have them written into files instead");
  return status;
}

static hs_status snapshot_take(void *context, const struct hs_snapshot *snapshot, struct hs_error *err)
{
  struct run *run = context;
  hs_status status = HS_OK;
  if (run->to_file.take) status = run->to_file.take(run->to_file.context, snapshot, err);
  if (!status && with(run, HEATSOLVE_SNAPSHOTS)) status = snapshot_keep(run->made, snapshot, err);
  return status;
}

/* --- files ----------------------------------------------------------------------------------- */

/* Of many ranks rank 0 looks after the folder, and all do what it finds. */
static bool keeps_folder(const struct run *run)
{
  return hs_comm_rank(run->made->job.subdomain.comm) == 0;
}

static hs_status agree(const struct run *run, hs_status status, struct hs_error *err)
{
  return hs_comm_agree(run->made->job.subdomain.comm, status, err);
}

static hs_status folder_prepare(struct run *run, struct hs_error *err)
{
  const char *folder = run->made->config->output.directory;
  return agree(run, keeps_folder(run) ? hs_output_prepare(folder, err) : HS_OK, err);
}

static hs_status keeping_begin(struct run *run, struct hs_error *err)
{
  struct keeping *keeping = &run->keeping;
  struct hs_job *job = &run->made->job;
  const bool keeps = keeps_folder(run);
  const char *identity;
  hs_status status = HS_OK;
  if (keeps) status = hs_output_lock(job->config->output.directory, &keeping->lock, &job->warnings, err);
  status = agree(run, status, err);
  if (!status) status = hs_restart_open(job, &keeping->restart, &job->warnings, err);
  job->from = hs_restart_checkpoint(keeping->restart);
  if (!status && keeps)
    status = hs_output_earlier(job->config, job->from != NULL, with(run, HEATSOLVE_FORCE), &job->warnings, err);
  status = agree(run, status, err);
  warn(run);
  if (!status)
    status =
        hs_checkpoints_create(job, &run->problem->save, job->from != NULL, hs_restart_is_of_latest(keeping->restart),
                              keeping->lock, &keeping->checkpoints, err);
  if (!status) job->keeper = hs_checkpoints_keeper(keeping->checkpoints);
  if (status) return status;
  identity = hs_checkpoints_identity(keeping->checkpoints);
  if (!job->from) return hs_snapshots_create(job->problem, identity, &keeping->snapshots, err);
  return hs_snapshots_continue(job->problem, identity, job->from->series.time_s, job->from->series.count,
                               &keeping->snapshots, err);
}

static void keeping_end(struct run *run)
{
  struct keeping *keeping = &run->keeping;
  struct hs_job *job = &run->made->job;
  hs_snapshots_destroy(keeping->snapshots);
  hs_checkpoints_destroy(keeping->checkpoints);
  job->from = NULL;
  memset(&job->keeper, 0, sizeof job->keeper);
  hs_restart_close(keeping->restart);
  hs_output_unlock(keeping->lock);
}

/* Checkpoints tell how to go on, files are written, and what is done needs no checkpoints. */
static hs_status files_write(struct run *run, struct hs_error *err)
{
  heatsolve_result *made = run->made;
  const bool is_final = hs_verdict_is_final(hs_result_verdict(&made->result));
  const bool keeps = keeps_folder(run);
  hs_status status = HS_OK;
  if (!is_final) hs_checkpoints_tell(run->keeping.checkpoints, &made->result.warnings);
  if (keeps)
    status = hs_output_lock_renew(run->keeping.lock, made->config->output.directory, &made->result.warnings, err);
  status = agree(run, status, err);
  if (!status) status = hs_output_write(&made->result, &made->files, err);
  if (!status && is_final && keeps) hs_checkpoints_remove(made->config);
  return status;
}

/* --- the stages ------------------------------------------------------------------------------ */

/* config -> problem -> system, method and backend */
static hs_status prepare(struct run *run, struct hs_error *err)
{
  heatsolve_result *made = run->made;
  hs_status status = hs_problem_configure(run->problem, &made->config, err);
  if (!status && with(run, HEATSOLVE_FILES)) status = hs_output_config_check(made->config, err);
  if (!status) status = hs_job_prepare(made->config, run->problem->comm, &made->job, err);
  for (int k = 0; made->config && k < HS_MAPS; k++) made->config->arrays[k].values = NULL; /* the problem has its own */
  if (!status && with(run, HEATSOLVE_FILES) && (made->config->output.picture || made->config->output.page))
    hs_output_config_remarks(made->config, &made->job.warnings);
  warn(run);
  return status ? status : hs_answers_check(made->job.problem, err);
}

/* solver(backend) -> result; *ran: it is there, whatever follows */
static hs_status solve(struct run *run, bool *ran, struct hs_error *err)
{
  heatsolve_result *made = run->made;
  const struct hs_solve_observer observer = {progress_tell, run, &run->problem->stop};
  const struct hs_snapshot_taker taker = {snapshot_take, run};
  bool takes;
  hs_status status;
  run->to_file = hs_snapshots_taker(run->keeping.snapshots);
  takes = run->to_file.take || with(run, HEATSOLVE_SNAPSHOTS);
  status = hs_job_run(&made->job, made->job.backend, &observer, takes ? &taker : NULL, &made->result, err);
  if (status && run->keeping.lock &&
      !hs_output_lock_renew(run->keeping.lock, made->config->output.directory, NULL, NULL))
    hs_output_rescue(&made->result, err);
  *ran = !status;
  return status ? status : hs_snapshots_finish(run->keeping.snapshots, err);
}

static hs_status run_all(struct run *run, bool *ran, struct hs_error *err)
{
  const double started_s = hs_time_s();
  heatsolve_result *made = run->made;
  hs_status status = prepare(run, err);
  if (!status) status = snapshots_fit(run, err);
  if (!status && with(run, HEATSOLVE_FILES)) status = folder_prepare(run, err);
  if (!status && with(run, HEATSOLVE_FILES)) status = keeping_begin(run, err);
  if (!status) status = solve(run, ran, err);
  if (!status) {
    made->result.time_total_s = hs_time_s() - started_s + (made->job.from ? hs_checkpoint_time_s(&made->job) : 0.0);
    if (with(run, HEATSOLVE_FILES)) status = files_write(run, err);
  }
  keeping_end(run);
  if (*ran) hs_output_doubts(&made->result, &made->doubts);
  return status;
}

static hs_status options_check(const heatsolve_run_options *options, struct hs_error *err)
{
  const unsigned known = HEATSOLVE_FILES | HEATSOLVE_FORCE | HEATSOLVE_SNAPSHOTS;
  if (!options) return HS_OK;
  if (options->size < sizeof *options)
    return hs_error_set(err, HS_ERR_USAGE, "options.size must be sizeof(heatsolve_run_options)");
  if (options->flags & ~known)
    return hs_error_set(err, HS_ERR_USAGE, "options.flags has 0x%x, which this version does not know",
                        options->flags & ~known);
  return HS_OK;
}

HS_PUBLIC int heatsolve_run(heatsolve_problem *problem, const heatsolve_run_options *options, heatsolve_result **result,
                            heatsolve_error *error)
{
  struct hs_error err = {0};
  struct hs_frame frame;
  struct run run = {.problem = problem};
  bool ran = false;
  hs_status status;
  *result = NULL;
  status = options_check(options, &err);
  if (status) return hs_answer(status, &err, error);
  if (options) run.options = *options;
  run.made = calloc(1, sizeof *run.made);
  if (!run.made) return hs_answer(hs_error_set(&err, HS_ERR_MEMORY, "no memory is left"), &err, error);
  status = hs_frame_enter(&frame, &err);
  if (!status) status = run_all(&run, &ran, &err);
  problem->stop = 0;
  if (ran)
    *result = run.made;
  else
    heatsolve_free(run.made);
  hs_frame_leave(&frame);
  return hs_answer(status, &err, error);
}

HS_PUBLIC void heatsolve_cancel(heatsolve_problem *problem)
{
  problem->stop = 1;
}

HS_PUBLIC void heatsolve_save(heatsolve_problem *problem)
{
  problem->save = (problem->save + 1) & 0x7fff;
}

/* --- without running ------------------------------------------------------------------------- */

static void forecast_fill(const struct hs_job *job, heatsolve_forecast *forecast)
{
  const struct hs_backend_cost cost = job->backend->cost(job->system, &job->options);
  const bool solves = job->config->time.scheme != HS_SCHEME_EXPLICIT;
  *forecast =
      (heatsolve_forecast){.size = sizeof *forecast,
                           .sweeps = job->forecast.sweeps,
                           .time_s = hs_job_expected_s(job),
                           .host_bytes = hs_job_host_bytes(job->config, job->backend, job->system, &job->options),
                           .device_bytes = cost.device_bytes};
  snprintf(forecast->method, sizeof forecast->method, "%s", solves ? hs_method_name(job->settings.method) : "");
  snprintf(forecast->backend, sizeof forecast->backend, "%s", job->backend->name);
}

static hs_status check(heatsolve_problem *problem, heatsolve_forecast *forecast, struct hs_error *err)
{
  struct hs_config *config = NULL;
  struct hs_job job = {0};
  hs_status status = hs_problem_configure(problem, &config, err);
  if (!status) status = hs_job_prepare(config, NULL, &job, err);
  if (!status) status = hs_answers_check(job.problem, err);
  if (!status && forecast) forecast_fill(&job, forecast);
  hs_job_clear(&job);
  hs_config_destroy(config);
  return status;
}

HS_PUBLIC int heatsolve_check(heatsolve_problem *problem, heatsolve_forecast *forecast, heatsolve_error *error)
{
  struct hs_error err = {0};
  struct hs_frame frame;
  hs_status status = HS_OK;
  if (forecast && forecast->size < sizeof *forecast) {
    status = hs_error_set(&err, HS_ERR_USAGE, "forecast.size must be sizeof(heatsolve_forecast)");
    return hs_answer(status, &err, error);
  }
  status = hs_frame_enter(&frame, &err);
  if (!status) status = check(problem, forecast, &err);
  hs_frame_leave(&frame);
  return hs_answer(status, &err, error);
}
