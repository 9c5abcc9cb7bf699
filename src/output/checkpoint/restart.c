/* Checkpoints in: which of them a run goes on from. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "config/identity.h"
#include "io/file.h"
#include "output/checkpoint/checkpoint.h"
#include "output/checkpoint/contents.h"
#include "output/checkpoint/seal.h"
#include "output/share.h"

struct hs_restart {
  struct hs_job *job;
  struct hs_comm *comm;
  int which; /* of both files */
  char *path;
  struct hs_h5_file file;
  struct hs_checkpoint checkpoint;
  double *field_k; /* [ny*nx] of this rank's window: the latest that was read */
};

static hs_status field_get(void *context, enum hs_field_role role, const double **field_k, struct hs_error *err)
{
  struct hs_restart *restart = context;
  const struct hs_system *system = restart->job->system;
  hs_status status = HS_OK;
  if (!restart->field_k)
    status = hs_array_create((void **)&restart->field_k, (size_t)system->nx * (size_t)system->ny, sizeof(double),
                             "a field of the checkpoint", err);
  if (!status && !hs_checkpoint_get_field(&restart->file, restart->job, role, restart->field_k))
    status = hs_h5_fail("read a field of", restart->path, err);
  *field_k = restart->field_k;
  return hs_comm_agree(restart->comm, status, err);
}

void hs_restart_close(struct hs_restart *restart)
{
  if (!restart) return;
  free((void *)restart->checkpoint.steady.history);
  hs_series_clear(&restart->checkpoint.series);
  hs_h5_close(&restart->file);
  free(restart->field_k);
  free(restart->path);
  free(restart);
}

const struct hs_checkpoint *hs_restart_checkpoint(const struct hs_restart *restart)
{
  return restart ? &restart->checkpoint : NULL;
}

bool hs_restart_is_of_latest(const struct hs_restart *restart)
{
  return restart && restart->which == 0;
}

/* Where the configuration leaves the method to the program, the run goes on by the one that it began with. */
static hs_status method_take(struct hs_job *job, const char *identity, struct hs_error *err)
{
  const enum hs_method method = identity ? hs_config_identity_method(identity) : HS_METHOD_AUTO;
  if (job->config->solver.method != HS_METHOD_AUTO || method == HS_METHOD_AUTO) return HS_OK;
  return hs_job_method_take(job, method, err);
}

/* Is the checkpoint of this problem? Each rank has read what it says, and finds the same. */
static hs_status identity_check(const struct hs_restart *restart, struct hs_error *err)
{
  char *there = hs_checkpoint_get_identity(&restart->file), *here = NULL;
  char differences[1200];
  hs_status status = hs_comm_agree(restart->comm, method_take(restart->job, there, err), err);
  if (!status) here = hs_checkpoint_identity(restart->job, err);
  if (!status && !here) status = HS_ERR_MEMORY;
  if (here && !there) {
    status = hs_error_set(err, HS_ERR_IO, "%s does not say what problem it is of", restart->path);
  } else if (here && strcmp(here, there) != 0) {
    hs_config_identity_differences(here, there, differences, sizeof differences);
    status = hs_error_set(err, HS_ERR_CONFIG,
                          "%s: %s is of another problem: %s. Take the configuration that it was made with, choose "
                          "another folder with output.directory, or start anew with run.restart = no",
                          restart->job->config->path, restart->path, differences);
  }
  free(there);
  free(here);
  return status;
}

/* A steady run must have sweeps left. */
static hs_status limit_check(const struct hs_restart *restart, struct hs_error *err)
{
  const struct hs_config *config = restart->job->config;
  const struct hs_stop_state *stop = &restart->checkpoint.steady.stop;
  if (config->time.scheme != HS_SCHEME_STEADY || stop->verdict != HS_VERDICT_RUNNING ||
      stop->sweeps < config->solver.max_iterations)
    return HS_OK;
  return hs_error_set(err, HS_ERR_CONFIG, "%s: %s is %lld %s on, and solver.max_iterations = %lld; raise it",
                      config->path, restart->path, (long long)stop->sweeps,
                      restart->job->settings.method == HS_METHOD_MULTIGRID ? "cycles" : "sweeps",
                      (long long)config->solver.max_iterations);
}

/* Opens a file whose seal is whole. */
static hs_status restart_read(struct hs_restart *restart, struct hs_error *err)
{
  char reason[HS_H5_REASON];
  hs_status status = HS_OK;
  if (hs_h5_open(restart->path, &restart->file, reason) != HS_H5_OPENED)
    status = hs_error_set(err, HS_ERR_IO, "cannot read %s: %s", restart->path, reason);
  status = hs_comm_agree(restart->comm, status, err);
  if (!status) status = identity_check(restart, err);
  if (status) return status;
  if (!hs_checkpoint_get(&restart->file, restart->job, &restart->checkpoint))
    return hs_error_set(err, HS_ERR_IO,
                        "%s is of another version of heatsolve and cannot be read; go on with that version, or remove "
                        "the file and begin anew",
                        restart->path);
  restart->checkpoint.fields = (struct hs_field_source){field_get, restart};
  return limit_check(restart, err);
}

/* Is there such a file? Rank 0 looks for all. */
static hs_status file_look(const struct hs_restart *restart, bool *there, struct hs_error *err)
{
  *there = access(restart->path, F_OK) == 0 || errno != ENOENT;
  return hs_comm_broadcast(restart->comm, 0, there, sizeof *there, err);
}

/* One of both files; *restart is NULL where it is not there or, with a reason in *damage, damaged. */
static hs_status restart_try(struct hs_job *job, int which, struct hs_restart **restart, struct hs_error *damage,
                             struct hs_error *err)
{
  struct hs_comm *comm = hs_share_of(job->problem).comm;
  struct hs_restart *r = NULL;
  char reason[200];
  bool there = false;
  hs_status status = hs_array_create((void **)&r, 1, sizeof *r, "a checkpoint", err);
  *restart = NULL;
  if (!status) {
    r->job = job;
    r->comm = comm;
    r->which = which;
    r->file.id = -1;
    r->path = hs_file_join(job->config->output.directory, hs_checkpoint_name(which), err);
    if (!r->path) status = HS_ERR_MEMORY;
  }
  status = hs_comm_agree(comm, status, err);
  if (!status) status = file_look(r, &there, err);
  if (status || !there) goto out;
  if (!hs_seal_check(comm, r->path, reason, sizeof reason)) {
    hs_error_set(damage, HS_ERR_IO, "%s %s", r->path, reason);
    goto out;
  }
  status = hs_comm_agree(comm, restart_read(r, err), err);
  if (!status) {
    *restart = r;
    return HS_OK;
  }
out:
  hs_restart_close(r);
  return status;
}

/* A fresh start beside a checkpoint, which the first one of this run will replace. */
static void fresh_start_note(const struct hs_job *job, struct hs_warnings *notes)
{
  for (int which = 0; which < 2; which++) {
    struct hs_error ignored;
    char text[1024], *path = hs_file_join(job->config->output.directory, hs_checkpoint_name(which), &ignored);
    const bool there = path && access(path, F_OK) == 0;
    if (there) {
      snprintf(text, sizeof text,
               "%.700s is of an earlier run that was not completed; this one starts anew and will replace it. Go on "
               "from it with run.restart = yes or --restart",
               path);
      hs_warnings_add(notes, text);
    }
    free(path);
    if (there) return;
  }
}

hs_status hs_restart_open(struct hs_job *job, struct hs_restart **restart, struct hs_warnings *notes,
                          struct hs_error *err)
{
  const struct hs_config *config = job->config;
  struct hs_error damage[2] = {{0}};
  hs_status status = HS_OK;
  *restart = NULL;
  if (config->run.restart == HS_RESTART_NO) {
    fresh_start_note(job, notes);
    return HS_OK;
  }
  for (int which = 0; !status && !*restart && which < 2; which++)
    status = restart_try(job, which, restart, &damage[which], err);
  if (status) return status;
  if (*restart) {
    if (!damage[0].status) return HS_OK;
    hs_error_append(&damage[0], "; the run went on from %s, the one before", hs_checkpoint_name(1));
    hs_warnings_add(notes, damage[0].text);
    return HS_OK;
  }
  if (damage[0].status || damage[1].status)
    return hs_error_set(err, HS_ERR_IO, "%s%s%s. Start anew with run.restart = no", damage[0].text,
                        damage[0].status && damage[1].status ? "; " : "", damage[1].text);
  if (config->run.restart == HS_RESTART_YES)
    return hs_error_set(err, HS_ERR_IO,
                        "there is no %s in %s to go on from; with run.restart = auto such a run starts anew",
                        hs_checkpoint_name(0), config->output.directory);
  return HS_OK;
}
