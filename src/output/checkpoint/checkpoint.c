/* Checkpoints out: when one is due, and how it takes its place. */
#include "output/checkpoint/checkpoint.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/timer.h"
#include "io/file_ranks.h"
#include "io/h5_sink.h"
#include "output/checkpoint/contents.h"
#include "output/checkpoint/seal.h"
#include "output/lock.h"
#include "output/share.h"

struct hs_checkpoints {
  const struct hs_job *job;
  struct hs_comm *comm;
  struct hs_output_lock *lock; /* of rank 0 */
  const volatile sig_atomic_t *asked;
  sig_atomic_t answered;
  char *identity;
  char *path, *previous;
  double latest_s; /* on the clock of hs_time_s: when the latest was complete, or the run began */
  double took_s;   /* the latest */
  bool own;        /* those in the folder are of this run */
  bool whole;      /* the latest is not damaged */
};

const char *hs_checkpoint_name(int which)
{
  return which == 0 ? "checkpoint.h5" : "checkpoint-previous.h5";
}

/* Wall time between two of them: as configured, or so that they take 1 % of the time at most. */
static double interval_s(const struct hs_checkpoints *c)
{
  const double every_s = c->job->config->run.checkpoint_every_s;
  return isnan(every_s) ? fmax(600.0, 100.0 * c->took_s) : every_s;
}

static bool due(void *context)
{
  const struct hs_checkpoints *c = context;
  const double every_s = interval_s(c);
  return *c->asked != c->answered || (every_s > 0.0 && hs_time_s() - c->latest_s >= every_s);
}

/* The HDF5 part of the file. rooms: as for hs_checkpoint_put. */
static hs_status contents_write(struct hs_checkpoints *c, const struct hs_checkpoint *checkpoint, int fd,
                                struct hs_checkpoint_rooms *rooms, struct hs_error *err)
{
  struct hs_h5_sink sink = {.fd = fd, .header_bytes = HS_SEAL_BYTES, .reserve = !rooms};
  hs_status status = HS_OK, closed;
  if (hs_h5_sink_open(&sink, c->path) < 0 ||
      hs_checkpoint_put(sink.file, c->job, c->identity, checkpoint, rooms, &status, err) < 0)
    status = hs_h5_fail("write", c->path, err);
  closed = hs_h5_sink_close(&sink, c->path, status ? NULL : err);
  if (sink.failure && (!status || status == HS_ERR_IO))
    return hs_error_set(err, HS_ERR_IO, "cannot write %s: %s.", c->path, strerror(sink.failure));
  return status ? status : closed;
}

/* The present one becomes the one before, unless both are of an earlier run, or it is damaged and the one before is not. */
static void make_way(const struct hs_checkpoints *c)
{
  if (c->own && c->whole) (void)rename(c->path, c->previous);
}

/* The file under its temporary name, but for the fields where there are several ranks. */
static hs_status file_begin(struct hs_checkpoints *c, const struct hs_checkpoint *checkpoint, struct hs_file *file,
                            struct hs_checkpoint_rooms *rooms, struct hs_error *err)
{
  const char *folder = c->job->config->output.directory; /* which may be gone, or another run's */
  hs_status status = c->lock ? hs_output_lock_renew(c->lock, folder, NULL, err) : hs_file_make_folders(folder, err);
  if (!status) status = hs_file_create(file, c->path, err);
  return status ? status : contents_write(c, checkpoint, file->fd, rooms, err);
}

/* Each rank's part of the fields. */
static hs_status fields_write(struct hs_checkpoints *c, const struct hs_checkpoint *checkpoint,
                              const struct hs_file *file, struct hs_checkpoint_rooms *rooms, struct hs_error *err)
{
  int fd, failure = 0;
  hs_status status = hs_file_open_all(c->comm, file->temporary, HS_OK, &fd, err), closed;
  if (!status) status = hs_comm_broadcast(c->comm, 0, rooms, sizeof *rooms, err);
  if (status) return status;
  status = hs_checkpoint_fill(fd, c->job, checkpoint, rooms, &failure, err);
  closed = hs_file_close_all(c->comm, fd, failure, c->path, "", status ? &(struct hs_error){0} : err);
  return status ? status : closed;
}

/* The seal, by all ranks, each of which sees what the others have written. */
static hs_status seal(struct hs_checkpoints *c, const struct hs_file *file, struct hs_error *err)
{
  int fd, failure;
  const hs_status status = hs_file_open_all(c->comm, file->temporary, HS_OK, &fd, err);
  if (status) return status;
  failure = hs_seal_put(c->comm, fd);
  return hs_file_close_all(c->comm, fd, failure, c->path, "", err);
}

static hs_status file_write(struct hs_checkpoints *c, const struct hs_checkpoint *checkpoint, struct hs_error *err)
{
  const bool writes = hs_comm_rank(c->comm) == 0, ranks = hs_comm_size(c->comm) > 1;
  struct hs_file file = HS_FILE_NONE;
  struct hs_checkpoint_rooms rooms = {0};
  hs_status status = writes ? file_begin(c, checkpoint, &file, ranks ? &rooms : NULL, err) : HS_OK;
  status = hs_comm_agree(c->comm, status, err);
  if (!status && ranks) status = fields_write(c, checkpoint, &file, &rooms, err);
  if (!status) status = seal(c, &file, err);
  if (!status && writes) make_way(c);
  status = hs_file_commit_all(c->comm, &file, status, err);
  if (!status && writes && !c->own) (void)unlink(c->previous);
  return status;
}

static hs_status write_one(void *context, const struct hs_checkpoint *checkpoint, struct hs_error *err)
{
  struct hs_checkpoints *c = context;
  const double began_s = hs_time_s();
  hs_status status;
  c->answered = *c->asked;
  status = file_write(c, checkpoint, err);
  c->latest_s = hs_time_s();
  c->took_s = c->latest_s - began_s;
  if (!status) c->own = c->whole = true;
  return status;
}

struct hs_checkpoint_keeper hs_checkpoints_keeper(struct hs_checkpoints *checkpoints)
{
  return (struct hs_checkpoint_keeper){due, write_one, checkpoints};
}

hs_status hs_checkpoints_create(const struct hs_job *job, const volatile sig_atomic_t *asked, bool resumed, bool whole,
                                struct hs_output_lock *lock, struct hs_checkpoints **checkpoints, struct hs_error *err)
{
  const char *folder = job->config->output.directory;
  struct hs_checkpoints *c = NULL;
  struct hs_comm *comm = hs_share_of(job->problem).comm;
  hs_status status = hs_comm_agree(comm, hs_array_create((void **)&c, 1, sizeof *c, "the checkpoints", err), err);
  *checkpoints = NULL;
  if (status) return status;
  c->job = job;
  c->comm = comm;
  c->lock = lock;
  c->asked = asked;
  c->answered = 0; /* also what was asked for while the run was prepared */
  c->own = resumed;
  c->whole = whole;
  c->latest_s = hs_time_s();
  c->identity = hs_checkpoint_identity(job, err);
  c->path = hs_file_join(folder, hs_checkpoint_name(0), err);
  c->previous = hs_file_join(folder, hs_checkpoint_name(1), err);
  status = hs_comm_agree(comm, c->identity && c->path && c->previous ? HS_OK : HS_ERR_MEMORY, err);
  if (status) {
    hs_checkpoints_destroy(c);
    return status;
  }
  *checkpoints = c;
  return HS_OK;
}

const char *hs_checkpoints_identity(const struct hs_checkpoints *checkpoints)
{
  return checkpoints->identity;
}

void hs_checkpoints_tell(const struct hs_checkpoints *checkpoints, struct hs_warnings *warnings)
{
  char text[1024];
  if (!checkpoints->own) return;
  snprintf(text, sizeof text, "the run can go on from %.700s: run the same problem with run.restart = yes or --restart",
           checkpoints->path);
  hs_warnings_add(warnings, text);
}

void hs_checkpoints_destroy(struct hs_checkpoints *checkpoints)
{
  if (!checkpoints) return;
  free(checkpoints->previous);
  free(checkpoints->path);
  free(checkpoints->identity);
  free(checkpoints);
}

void hs_checkpoints_remove(const struct hs_config *config)
{
  const char *folder = config->output.directory;
  for (int k = 1; k >= 0; k--) {
    char path[PATH_MAX]; /* memory that is short must not leave one behind: a later run would go on from it */
    const int length = snprintf(path, sizeof path, "%s%s%s", folder, folder[0] ? "/" : "", hs_checkpoint_name(k));
    if (length > 0 && (size_t)length < sizeof path) (void)unlink(path);
  }
}
