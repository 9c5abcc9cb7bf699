/* Writes snapshots as they are taken.
 *
 * A run may take days and be killed, so the file has its final name from the beginning and is whole at any moment: raw data
 * is appended, then the library's structures are put beside it in an order in which each step leaves all earlier snapshots
 * readable (io/h5_order.h), then both are flushed to the disk. What a program that dies leaves of one more snapshot is
 * not listed. The oldest file format is used: it has no mark "open for writing" that would make readers refuse the file of
 * a killed run. The disk's space is reserved before it is written, and the first failure is the last operation: when the
 * disk fills up, only the snapshot that does not fit is lost.
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
#include "io/file.h"
#include "io/h5_put.h"
#include "io/h5_sink.h"
#include "output/describe.h"
#include "output/field/h5_grid.h"
#include "output/field/mesh.h"
#include "output/field/snapshots_view.h"
#include "output/output.h"
#include "output/report/report.h"

#define DESCRIBE_EVERY_S 1.0

struct hs_snapshots {
  const struct hs_config *config;
  const struct hs_problem *problem;
  int64_t digest; /* of the problem */
  bool mesh;      /* the file has one */
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

static herr_t create_contents(struct hs_snapshots *snapshots)
{
  const struct hs_config *config = snapshots->config;
  const hid_t file = snapshots->sink.file;
  hid_t creation;
  bool listed;
  if (hs_h5_grid_attributes(file, config) < 0 || hs_h5_put_integer(file, "problem", snapshots->digest) < 0) return -1;
  if (hs_h5_grid_axes(file, config, hs_h5_grid_has_materials(config)) < 0) return -1;
  if (hs_h5_grid_has_materials(config) && hs_h5_grid_materials(file, snapshots->problem, NULL) < 0) return -1;
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
    return hs_error_set(err, HS_ERR_IO, "cannot write %s: %s. It holds the %d snapshots that were written before.",
                        snapshots->h5_path, strerror(snapshots->sink.failure), snapshots->count);
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

/* Creates the file under a temporary name; it gets its own once others can open it. */
static hs_status open_file(struct hs_snapshots *snapshots, struct hs_error *err)
{
  struct hs_file file = HS_FILE_NONE;
  herr_t result;
  hs_status status = hs_file_create(&file, snapshots->h5_path, err);
  if (status) return status;
  snapshots->sink.fd = dup(file.fd);
  if (snapshots->sink.fd < 0) {
    status = hs_error_set(err, HS_ERR_IO, "cannot write %s: %s.", snapshots->h5_path, strerror(errno));
    goto out;
  }
  result = hs_h5_sink_open(&snapshots->sink, snapshots->h5_path);
  if (result >= 0) result = create_contents(snapshots);
  status = judge(snapshots, result, err);
  if (!status) status = file_refresh(snapshots, err);
  if (!status) status = hs_file_commit(&file, err);
out:
  hs_file_discard(&file);
  return status;
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

static hs_status reopen_file(struct hs_snapshots *snapshots, const double *time_s, int count, struct hs_error *err)
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
  for (; snapshots->count < count; snapshots->count++) snapshots->time_s[snapshots->count] = time_s[snapshots->count];
  status = judge(snapshots, result, err);
  return status ? status : file_refresh(snapshots, err);
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
  snapshots->digest = (int64_t)hs_digest_add(hs_digest_begin(), identity, strlen(identity));
  snapshots->sink.fd = -1;
  snapshots->sink.reserve = snapshots->sink.ordered = true;
  snapshots->sink.group_entries = entries_expected(config);
  snapshots->group = snapshots->time = -1;
  snapshots->h5_path = hs_file_join(config->output.directory, hs_output_file_name(HS_FILE_SNAPSHOTS), err);
  snapshots->xdmf_path = hs_file_join(config->output.directory, hs_output_file_name(HS_FILE_SNAPSHOTS_XDMF), err);
  status = snapshots->h5_path && snapshots->xdmf_path ? HS_OK : HS_ERR_MEMORY;
  while (!status && snapshots->room < count) status = make_room(snapshots, err);
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

static void find_extremes(const double *field_k, size_t nodes, double *minimum_k, double *maximum_k)
{
  double low = INFINITY, high = -INFINITY;
  for (size_t n = 0; n < nodes; n++) {
    if (!isfinite(field_k[n])) continue;
    if (field_k[n] < low) low = field_k[n];
    if (field_k[n] > high) high = field_k[n];
  }
  *minimum_k = low <= high ? low : NAN;
  *maximum_k = low <= high ? high : NAN;
}

static herr_t put_facts(hid_t dataset, const struct hs_snapshot *snapshot, size_t nodes)
{
  double minimum_k, maximum_k;
  find_extremes(snapshot->field_k, nodes, &minimum_k, &maximum_k);
  if (hs_h5_put_number(dataset, "time_s", snapshot->time_s) < 0) return -1;
  if (hs_h5_put_integer(dataset, "steps", snapshot->steps) < 0) return -1;
  if (hs_h5_put_number(dataset, "minimum_k", minimum_k) < 0) return -1;
  return hs_h5_put_number(dataset, "maximum_k", maximum_k);
}

/* Dataset k of the group. Its scales do not list it, since a list has room for some thousand entries. */
static herr_t put_field(const struct hs_snapshots *snapshots, const struct hs_snapshot *snapshot)
{
  const struct hs_config *config = snapshots->config;
  const hsize_t dims[2] = {(hsize_t)config->grid.ny, (hsize_t)config->grid.nx};
  char name[32];
  hid_t dataset;
  herr_t result;
  snprintf(name, sizeof name, "%d", snapshots->count);
  dataset = hs_h5_put_dataset(snapshots->group, name, 2, dims, hs_h5_grid_type(config), H5T_NATIVE_DOUBLE,
                              snapshot->field_k, hs_temperature_unit(config));
  if (dataset < 0) return -1;
  result = put_facts(dataset, snapshot, (size_t)dims[0] * (size_t)dims[1]);
  if (result >= 0) result = hs_h5_grid_temperature(dataset);
  if (result >= 0) result = hs_h5_put_dimensions(dataset, snapshots->sink.file, "y", "x");
  return H5Dclose(dataset) < 0 ? -1 : result;
}

static herr_t put_time(const struct hs_snapshots *snapshots, double time_s)
{
  const hsize_t length[1] = {(hsize_t)snapshots->count + 1}, from[1] = {(hsize_t)snapshots->count}, one[1] = {1};
  const bool longer = H5Dset_extent(snapshots->time, length) >= 0;
  const hid_t space = longer ? H5Dget_space(snapshots->time) : -1, memory = H5Screate_simple(1, one, NULL);
  herr_t result = -1;
  if (space >= 0 && memory >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, one, NULL) >= 0)
    result = H5Dwrite(snapshots->time, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, &time_s);
  if (memory >= 0) (void)H5Sclose(memory);
  if (space >= 0) (void)H5Sclose(space);
  return result;
}

/* The field, its time, and both on the disk. A failure behind which the snapshot is there all the same is told by the next
 * one, or at the end. */
static hs_status append(struct hs_snapshots *snapshots, const struct hs_snapshot *snapshot, struct hs_error *err)
{
  herr_t result = put_field(snapshots, snapshot);
  bool listed = false;
  hs_status status;
  if (result >= 0) result = put_time(snapshots, snapshot->time_s);
  if (result >= 0) result = flush(snapshots, false, &listed);
  status = listed ? HS_OK : judge(snapshots, result, err);
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
  hs_status status = HS_OK;
  if (snapshots->count > 0 && snapshots->time_s[snapshots->count - 1] == snapshot->time_s) return HS_OK;
  if (snapshots->count == snapshots->room) status = make_room(snapshots, err);
  if (!status) status = keep(snapshots, err);
  if (!status) status = append(snapshots, snapshot, err);
  if (!status && (snapshots->described == 0 || hs_time_s() - snapshots->described_at_s >= DESCRIBE_EVERY_S))
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
  hs_status status;
  if (!snapshots) return HS_OK;
  status = close_file(snapshots, err);
  if (!status) status = keep(snapshots, err);
  if (!status && snapshots->described < snapshots->count) status = describe(snapshots, err);
  return status;
}

void hs_snapshots_destroy(struct hs_snapshots *snapshots)
{
  if (!snapshots) return;
  (void)close_file(snapshots, NULL);
  if (snapshots->described < snapshots->count) (void)describe(snapshots, NULL);
  if (snapshots->sink.fd >= 0) (void)close(snapshots->sink.fd);
  free(snapshots->time_s);
  free(snapshots->xdmf_path);
  free(snapshots->h5_path);
  free(snapshots);
}
