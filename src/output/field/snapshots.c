/* Writes snapshots as they are taken.
 *
 * A run may take days and be killed, so the file has its final name from the beginning and is whole at any moment: raw data
 * is appended, then the library's structures are put beside it in an order in which each step leaves all earlier snapshots
 * readable (io/h5_order.h), then both are flushed to the disk. What a program that dies leaves of one more snapshot is
 * not listed. The oldest file format is used: it has no mark "open for writing" that would make readers refuse the file of
 * a killed run. The disk's space is reserved before it is written, and the first failure is the last operation: when the
 * disk fills up, only the snapshot that does not fit is lost.
 *
 * Of many ranks rank 0 does all this, with room for the numbers in place of raw data; each rank puts its own there before the
 * structures are written.
 *
 * The description in XDMF is replaced as a whole, at most once a second and at the end.
 */
#include "output/field/snapshots.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/memory.h"
#include "base/timer.h"
#include "io/file_ranks.h"
#include "io/h5_put.h"
#include "io/h5_sink.h"
#include "output/describe.h"
#include "output/field/field_fill.h"
#include "output/field/h5_grid.h"
#include "output/field/mesh.h"
#include "output/field/snapshots_view.h"
#include "output/output.h"
#include "output/report/report.h"

#define DESCRIBE_EVERY_S 1.0

struct hs_snapshots {
  const struct hs_config *config;
  const struct hs_problem *problem;
  struct hs_share share; /* rank 0 writes but the numbers of the fields, of which each rank writes its own */
  int64_t digest;        /* of the problem */
  bool mesh;             /* the file has one */
  char *h5_path, *xdmf_path;
  struct hs_h5_sink sink;
  hid_t group, time;
  double *time_s; /* [count] of the snapshots in the file */
  int count, room;
  int described;         /* snapshots in the XDMF file */
  double described_at_s; /* on the clock of hs_time_s */
};

/* In these helpers a negative value means failure, as in HDF5 itself. */

/* All that has changed onto the disk. */
static herr_t flush(struct hs_snapshots *snapshots, bool removing, bool *listed)
{
  const herr_t result = H5Fflush(snapshots->sink.file, H5F_SCOPE_GLOBAL);
  *listed = result >= 0 && hs_h5_sink_settle(&snapshots->sink, removing);
  return result;
}

/* room: for the materials, where many ranks write them; NULL otherwise. */
static herr_t create_contents(struct hs_snapshots *snapshots, struct hs_h5_room *room)
{
  const struct hs_config *config = snapshots->config;
  const hid_t file = snapshots->sink.file;
  hid_t creation;
  bool listed;
  if (hs_h5_grid_attributes(file, config) < 0 || hs_h5_put_integer(file, "problem", snapshots->digest) < 0) return -1;
  if (hs_h5_grid_axes(file, config, hs_h5_grid_has_materials(config)) < 0) return -1;
  if (hs_h5_grid_has_materials(config) && hs_h5_grid_materials(file, snapshots->problem, room) < 0) return -1;
  if (hs_mesh_wanted(config) && hs_mesh_write(file, config) < 0) return -1;
  snapshots->time = hs_snapshots_time_create(file);
  if (snapshots->time < 0 || hs_snapshots_view_create(file, config) < 0) return -1;
  creation = hs_h5_sink_large_group(&snapshots->sink);
  if (creation >= 0) snapshots->group = H5Gcreate2(file, "snapshots", H5P_DEFAULT, creation, H5P_DEFAULT);
  if (creation >= 0) (void)H5Pclose(creation);
  if (snapshots->group < 0) return -1;
  return flush(snapshots, false, &listed);
}

/* The failure of the sink, if there is one, else of the library when result is negative: then what it has begun must not
 * reach the file when that is closed. */
static hs_status judge(struct hs_snapshots *snapshots, herr_t result, struct hs_error *err)
{
  if (snapshots->sink.failure)
    return hs_error_set(err, HS_ERR_IO, "cannot write %s: %s. It holds what was written before: %d snapshot%s.",
                        snapshots->h5_path, strerror(snapshots->sink.failure), snapshots->count,
                        snapshots->count == 1 ? "" : "s");
  if (result >= 0) return HS_OK;
  snapshots->sink.failure = EIO;
  return hs_h5_fail("write", snapshots->h5_path, err);
}

/* Closes what is open in the library; the file holds all that was taken already. */
static hs_status close_file(struct hs_snapshots *snapshots, struct hs_error *err)
{
  herr_t result = 0;
  hs_status status, closed;
  if (snapshots->time >= 0 && H5Dclose(snapshots->time) < 0) result = -1;
  if (snapshots->group >= 0 && H5Gclose(snapshots->group) < 0) result = -1;
  snapshots->time = snapshots->group = -1;
  status = judge(snapshots, result, err);
  closed = hs_h5_sink_close(&snapshots->sink, snapshots->h5_path, status ? NULL : err);
  if (!status) status = judge(snapshots, 0, err);
  return status ? status : closed;
}

/* Opens what is in the file. */
static bool contents_open(struct hs_snapshots *snapshots)
{
  snapshots->time = H5Dopen2(snapshots->sink.file, "time", H5P_DEFAULT);
  snapshots->group = H5Gopen2(snapshots->sink.file, "snapshots", H5P_DEFAULT);
  snapshots->mesh = H5Lexists(snapshots->sink.file, "mesh", H5P_DEFAULT) > 0;
  return snapshots->time >= 0 && snapshots->group >= 0;
}

/* Closed and opened once more, the library has forgotten which places are free: it would use them again, and what is new
 * there could not be told from what is changed. */
static hs_status file_refresh(struct hs_snapshots *snapshots, struct hs_error *err)
{
  hs_status status = close_file(snapshots, err);
  if (status) return status;
  if (hs_h5_sink_reopen(&snapshots->sink, snapshots->h5_path) < 0 || !contents_open(snapshots))
    return hs_h5_fail("go on with", snapshots->h5_path, err);
  return HS_OK;
}

static bool has_ranks(const struct hs_snapshots *snapshots)
{
  return hs_comm_size(snapshots->share.comm) > 1;
}

/* The structure of the file. */
static hs_status write_structure(struct hs_snapshots *snapshots, const struct hs_file *file, struct hs_h5_room *room,
                                 struct hs_error *err)
{
  herr_t result;
  hs_status status;
  snapshots->sink.fd = dup(file->fd);
  if (snapshots->sink.fd < 0)
    return hs_error_set(err, HS_ERR_IO, "cannot write %s: %s.", snapshots->h5_path, strerror(errno));
  result = hs_h5_sink_open(&snapshots->sink, snapshots->h5_path);
  if (result >= 0) result = create_contents(snapshots, room);
  status = judge(snapshots, result, err);
  return status ? status : file_refresh(snapshots, err);
}

/* The materials by all ranks. */
static hs_status write_materials(struct hs_snapshots *s, const struct hs_file *file, struct hs_h5_room *room,
                                 hs_status status, struct hs_error *err)
{
  int fd, failure;
  if (!has_ranks(s) || !hs_h5_grid_has_materials(s->config)) return status;
  status = hs_file_open_all(s->share.comm, file->temporary, status, &fd, err);
  if (!status) status = hs_comm_broadcast(s->share.comm, 0, room, sizeof *room, err);
  if (status) return status;
  failure = hs_fill_materials(fd, room, &s->share, s->problem);
  return hs_file_close_all(s->share.comm, fd, failure, s->h5_path, HS_FILE_REMOVED, err);
}

/* Creates the file under a temporary name; it gets its own once others can open it. */
static hs_status open_file(struct hs_snapshots *snapshots, struct hs_error *err)
{
  struct hs_file file = HS_FILE_NONE;
  struct hs_h5_room room = {0};
  hs_status status = HS_OK;
  if (hs_share_writes(&snapshots->share)) {
    status = hs_file_create(&file, snapshots->h5_path, err);
    if (!status) status = write_structure(snapshots, &file, has_ranks(snapshots) ? &room : NULL, err);
  }
  status = write_materials(snapshots, &file, &room, status, err);
  return hs_file_commit_all(snapshots->share.comm, &file, status, err);
}

/* Room for twice as many. */
static hs_status make_room(struct hs_snapshots *snapshots, struct hs_error *err)
{
  const int room = snapshots->room ? 2 * snapshots->room : 64;
  double *grown = realloc(snapshots->time_s, (size_t)room * sizeof *grown);
  if (!grown) return hs_error_set(err, HS_ERR_MEMORY, "not enough memory for the times of %d snapshots.", room);
  snapshots->time_s = grown;
  snapshots->room = room;
  return HS_OK;
}

/* Drops the snapshots from `count` on, and what a run that was killed has left of one more. */
static herr_t later_drop(struct hs_snapshots *snapshots, int count, int found)
{
  const hsize_t length[1] = {(hsize_t)count};
  bool listed;
  herr_t result = H5Dset_extent(snapshots->time, length);
  for (int k = count; result >= 0 && k <= found; k++) {
    char name[32];
    snprintf(name, sizeof name, "%d", k);
    if (H5Lexists(snapshots->group, name, H5P_DEFAULT) > 0) result = H5Ldelete(snapshots->group, name, H5P_DEFAULT);
  }
  return result < 0 ? result : flush(snapshots, true, &listed);
}

static hs_status reopen_alone(struct hs_snapshots *snapshots, const double *time_s, int count, struct hs_error *err)
{
  herr_t result;
  int found;
  hs_status status = hs_snapshots_check(snapshots->h5_path, snapshots->digest, time_s, count, &found, err);
  if (status) return status;
  snapshots->sink.fd = open(snapshots->h5_path, O_RDWR | O_CLOEXEC);
  if (snapshots->sink.fd < 0)
    return hs_error_set(err, HS_ERR_IO, "cannot go on with %s: %s.", snapshots->h5_path, strerror(errno));
  result = hs_h5_sink_reopen(&snapshots->sink, snapshots->h5_path);
  if (result < 0 || !contents_open(snapshots)) return hs_h5_fail("go on with", snapshots->h5_path, err);
  result = later_drop(snapshots, count, found);
  snapshots->count = count;
  status = judge(snapshots, result, err);
  return status ? status : file_refresh(snapshots, err);
}

static hs_status reopen_file(struct hs_snapshots *snapshots, const double *time_s, int count, struct hs_error *err)
{
  hs_status status = HS_OK;
  if (count > 0) memcpy(snapshots->time_s, time_s, (size_t)count * sizeof *time_s);
  if (hs_share_writes(&snapshots->share)) status = reopen_alone(snapshots, time_s, count, err);
  status = hs_comm_agree(snapshots->share.comm, status, err);
  if (!status) snapshots->count = count;
  return status;
}

static int entries_expected(const struct hs_config *config)
{
  const double every_s = config->time.snapshot_every_s;
  const double periodic = every_s > 0.0 ? config->time.end_s / every_s : 0.0;
  return (int)fmin(config->time.snapshot_count + periodic + 2.0, HS_SNAPSHOTS_MOST);
}

/* time_s NULL: begins the file. */
hs_status hs_snapshots_continue(const struct hs_problem *problem, const char *identity, const double *time_s, int count,
                                struct hs_snapshots **result, struct hs_error *err)
{
  const struct hs_config *config = problem->config;
  struct hs_snapshots *snapshots = NULL;
  hs_status status;
  *result = NULL;
  if (!hs_output_snapshots_wanted(config)) return HS_OK;
  status = hs_array_create((void **)&snapshots, 1, sizeof *snapshots, "the snapshots", err);
  if (status) return status;
  snapshots->config = config;
  snapshots->problem = problem;
  snapshots->share = hs_share_of(problem);
  snapshots->digest = (int64_t)hs_digest_add(hs_digest_begin(), identity, strlen(identity));
  snapshots->sink.fd = -1;
  snapshots->sink.reserve = snapshots->sink.ordered = true;
  snapshots->sink.group_entries = entries_expected(config);
  snapshots->group = snapshots->time = -1;
  snapshots->h5_path = hs_file_join(config->output.directory, hs_output_file_name(HS_FILE_SNAPSHOTS), err);
  snapshots->xdmf_path = hs_file_join(config->output.directory, hs_output_file_name(HS_FILE_SNAPSHOTS_XDMF), err);
  status = snapshots->h5_path && snapshots->xdmf_path ? HS_OK : HS_ERR_MEMORY;
  while (!status && snapshots->room < count) status = make_room(snapshots, err);
  status = hs_comm_agree(snapshots->share.comm, status, err);
  if (!status) status = time_s ? reopen_file(snapshots, time_s, count, err) : open_file(snapshots, err);
  if (status)
    hs_snapshots_destroy(snapshots);
  else
    *result = snapshots;
  return status;
}

hs_status hs_snapshots_create(const struct hs_problem *problem, const char *identity, struct hs_snapshots **result,
                              struct hs_error *err)
{
  return hs_snapshots_continue(problem, identity, NULL, 0, result, err);
}

/* The numbers of all ranks; status: of the structure, which is not in the file yet. */
static hs_status fill(struct hs_snapshots *s, const struct hs_snapshot *snapshot, struct hs_h5_room *room,
                      hs_status status, struct hs_error *err)
{
  char then[80];
  int fd, failure;
  snprintf(then, sizeof then, "It holds what was written before: %d snapshot%s.", s->count, s->count == 1 ? "" : "s");
  status = hs_file_open_all(s->share.comm, s->h5_path, status, &fd, err);
  if (!status) status = hs_comm_broadcast(s->share.comm, 0, room, sizeof *room, err);
  if (status) return status;
  failure = hs_fill_field(fd, room, &s->share, snapshot->field_k);
  return hs_file_close_all(s->share.comm, fd, failure, s->h5_path, then, err);
}

/* The time of the field that was put last, and both on the disk. A failure behind which the snapshot is there all the same is
 * told by the next one, or at the end. */
static hs_status list(struct hs_snapshots *snapshots, double time_s, herr_t result, struct hs_error *err)
{
  bool listed = false;
  if (result >= 0) result = hs_snapshots_time_put(snapshots->time, snapshots->count, time_s);
  if (result >= 0) result = flush(snapshots, false, &listed);
  return listed ? HS_OK : judge(snapshots, result, err);
}

static hs_status append(struct hs_snapshots *snapshots, const struct hs_snapshot *snapshot, struct hs_error *err)
{
  const bool ranks = has_ranks(snapshots), writes = hs_share_writes(&snapshots->share);
  struct hs_h5_room room = {0};
  double extremes_k[2];
  int64_t not_finite;
  herr_t result = 0;
  hs_status status =
      hs_share_extremes(&snapshots->share, snapshot->field_k, &extremes_k[0], &extremes_k[1], &not_finite, err);
  if (!status && writes)
    result = hs_snapshots_field_put(snapshots->group, snapshots->config, snapshots->count, snapshot, extremes_k,
                                    ranks ? &room : NULL);
  if (ranks) {
    if (!status && writes) status = judge(snapshots, result, err);
    status = fill(snapshots, snapshot, &room, status, err);
    if (status && !snapshots->sink.failure) snapshots->sink.failure = EIO;
  }
  if (!status && writes) status = list(snapshots, snapshot->time_s, result, err);
  status = hs_comm_agree(snapshots->share.comm, status, err);
  if (!status) snapshots->time_s[snapshots->count++] = snapshot->time_s;
  return status;
}

/* Someone may have removed the file, or the folder, meanwhile. */
static hs_status keep(struct hs_snapshots *snapshots, struct hs_error *err)
{
  bool renewed = false;
  const hs_status status = hs_file_keep(snapshots->sink.fd, snapshots->h5_path, &renewed, err);
  if (renewed || access(snapshots->xdmf_path, F_OK) != 0) snapshots->described = 0;
  return status;
}

/* During the run a failure of it counts for nothing: it is tried again, at the latest at the end. */
static hs_status describe(struct hs_snapshots *s, struct hs_error *err)
{
  const char *h5_name = hs_output_file_name(HS_FILE_SNAPSHOTS);
  hs_status status = hs_output_xdmf_series_write(s->xdmf_path, h5_name, s->config, s->mesh, s->time_s, s->count, err);
  if (status == HS_ERR_IO && access(s->h5_path, F_OK) != 0 && !keep(s, NULL)) /* the folder went just now */
    status = hs_output_xdmf_series_write(s->xdmf_path, h5_name, s->config, s->mesh, s->time_s, s->count, err);
  s->described_at_s = hs_time_s();
  if (!status) s->described = s->count;
  return status;
}

static hs_status take(void *context, const struct hs_snapshot *snapshot, struct hs_error *err)
{
  struct hs_snapshots *snapshots = context;
  const bool writes = hs_share_writes(&snapshots->share);
  hs_status status = HS_OK;
  if (snapshots->count > 0 && snapshots->time_s[snapshots->count - 1] == snapshot->time_s) return HS_OK;
  if (snapshots->count == snapshots->room) status = make_room(snapshots, err);
  if (!status && writes) status = keep(snapshots, err);
  status = hs_comm_agree(snapshots->share.comm, status, err);
  if (!status) status = append(snapshots, snapshot, err);
  if (!status && writes && (snapshots->described == 0 || hs_time_s() - snapshots->described_at_s >= DESCRIBE_EVERY_S))
    (void)describe(snapshots, NULL);
  return status;
}

struct hs_snapshot_taker hs_snapshots_taker(struct hs_snapshots *snapshots)
{
  const struct hs_snapshot_taker taker = {snapshots ? take : NULL, snapshots};
  return taker;
}

hs_status hs_snapshots_finish(struct hs_snapshots *snapshots, struct hs_error *err)
{
  hs_status status = HS_OK;
  if (!snapshots) return HS_OK;
  if (hs_share_writes(&snapshots->share)) {
    status = close_file(snapshots, err);
    if (!status) status = keep(snapshots, err);
    if (!status && snapshots->described < snapshots->count) status = describe(snapshots, err);
  }
  return hs_comm_agree(snapshots->share.comm, status, err);
}

void hs_snapshots_destroy(struct hs_snapshots *snapshots)
{
  if (!snapshots) return;
  if (hs_share_writes(&snapshots->share)) {
    (void)close_file(snapshots, NULL);
    if (snapshots->described < snapshots->count) (void)describe(snapshots, NULL);
  }
  if (snapshots->sink.fd >= 0) (void)close(snapshots->sink.fd);
  free(snapshots->time_s);
  free(snapshots->xdmf_path);
  free(snapshots->h5_path);
  free(snapshots);
}
