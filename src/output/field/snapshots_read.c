/* Reads snapshots.h5: for animations and pages, one field at a time, so that they need no more memory than a picture; and
 * before a run goes on with it, since what is opened for writing is changed, even where it turns out to be another file. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/h5_read.h"
#include "output/field/field_fill.h"
#include "output/field/snapshots.h"

enum { COUNT_MOST = 999999 }; /* what the names of six digits can tell apart */

struct hs_snapshot_reader {
  char *path;
  struct hs_h5_file file;
  int nx, ny, count;
};

static hs_status open_file(struct hs_snapshot_reader *reader, struct hs_error *err)
{
  struct hs_h5_dataset time;
  char reason[HS_H5_REASON];
  if (hs_h5_open(reader->path, &reader->file, reason) != HS_H5_OPENED)
    return hs_error_set(err, HS_ERR_IO, "cannot read %s: %s.", reader->path, reason);
  if (!hs_h5_dataset_open(&reader->file, "time", &time))
    return hs_error_set(err, HS_ERR_IO, "cannot read %s: it has no dataset \"time\".", reader->path);
  reader->count = time.count > COUNT_MOST ? COUNT_MOST : (int)time.count;
  hs_h5_dataset_close(&time);
  return HS_OK;
}

hs_status hs_snapshot_reader_open(const char *path, int nx, int ny, struct hs_snapshot_reader **result,
                                  struct hs_error *err)
{
  struct hs_snapshot_reader *reader = NULL;
  hs_status status = hs_array_create((void **)&reader, 1, sizeof *reader, "the snapshots", err);
  *result = NULL;
  if (status) return status;
  reader->file.id = -1;
  reader->nx = nx;
  reader->ny = ny;
  reader->path = hs_text_copy(path, err);
  status = reader->path ? open_file(reader, err) : HS_ERR_MEMORY;
  if (status)
    hs_snapshot_reader_close(reader);
  else
    *result = reader;
  return status;
}

/* Earlier versions wrote /snapshots/000000/temperature and so on. */
static bool snapshot_open(const struct hs_h5_file *file, int k, char *name, size_t size, struct hs_h5_dataset *dataset)
{
  snprintf(name, size, "/snapshots/%06d/temperature", k);
  if (hs_h5_dataset_open(file, name, dataset)) return true;
  snprintf(name, size, "/snapshots/%d", k);
  return hs_h5_dataset_open(file, name, dataset);
}

int hs_snapshot_reader_count(const struct hs_snapshot_reader *reader)
{
  return reader->count;
}

static const char action[] = "read the snapshots of";

/* Opens the field of snapshot k, which must be as large as the others. */
static hs_status field_open(const struct hs_snapshot_reader *reader, int k, struct hs_h5_dataset *dataset,
                            struct hs_error *err)
{
  char name[64];
  if (!snapshot_open(&reader->file, k, name, sizeof name, dataset))
    return hs_error_set(err, HS_ERR_IO, "cannot read %s: its dataset \"%s\" %s.", reader->path, name,
                        dataset->refusal[0] ? dataset->refusal : "is missing");
  if (dataset->extent[0] == (uint64_t)reader->ny && dataset->extent[1] == (uint64_t)reader->nx) return HS_OK;
  hs_h5_dataset_close(dataset);
  return hs_error_set(err, HS_ERR_IO, "cannot read %s: %s is not %d x %d nodes large.", reader->path, name, reader->nx,
                      reader->ny);
}

hs_status hs_snapshot_reader_get(const struct hs_snapshot_reader *reader, int k, struct hs_snapshot_facts *facts,
                                 double *field_k, struct hs_error *err)
{
  struct hs_h5_dataset dataset;
  hs_status status = field_open(reader, k, &dataset, err);
  if (status) return status;
  *facts = (struct hs_snapshot_facts){hs_h5_number(dataset.id, "time_s"), hs_h5_number(dataset.id, "minimum_k"),
                                      hs_h5_number(dataset.id, "maximum_k")};
  if (field_k && !hs_h5_dataset_read(&dataset, field_k)) status = hs_h5_fail(action, reader->path, err);
  hs_h5_dataset_close(&dataset);
  return status;
}

hs_status hs_snapshot_reader_window(const struct hs_snapshot_reader *reader, int k, const struct hs_problem *problem,
                                    double *field_k, struct hs_error *err)
{
  struct hs_h5_dataset dataset;
  hs_status status = field_open(reader, k, &dataset, err);
  if (status) return status;
  if (!hs_part_read(&dataset, problem, field_k)) status = hs_h5_fail(action, reader->path, err);
  hs_h5_dataset_close(&dataset);
  return status;
}

hs_status hs_snapshot_reader_rows(const struct hs_snapshot_reader *reader, int k, int first, int step, int count,
                                  double *rows_k, struct hs_error *err)
{
  struct hs_h5_dataset dataset;
  hs_status status = field_open(reader, k, &dataset, err);
  if (status) return status;
  if (!hs_h5_dataset_read_rows(&dataset, (uint64_t)first, (uint64_t)step, (uint64_t)count, rows_k))
    status = hs_h5_fail(action, reader->path, err);
  hs_h5_dataset_close(&dataset);
  return status;
}

void hs_snapshot_reader_close(struct hs_snapshot_reader *reader)
{
  if (!reader) return;
  hs_h5_close(&reader->file);
  free(reader->path);
  free(reader);
}

/* *same: are the first of them these times? */
static hs_status times_look(const struct hs_h5_dataset *time, const double *time_s, int count, bool *same,
                            struct hs_error *err)
{
  double *times_s;
  hs_status status;
  *same = time->count >= count && time->count <= INT_MAX;
  if (!*same || count == 0) return HS_OK;
  status = hs_array_create((void **)&times_s, (size_t)time->count, sizeof *times_s, "the times of snapshots", err);
  if (!status) *same = hs_h5_dataset_read(time, times_s) && !memcmp(times_s, time_s, (size_t)count * sizeof *times_s);
  free(times_s);
  return status;
}

/* Then each snapshot has a group, /snapshots/000000 and so on, and there is no view of all. */
static bool is_of_earlier_version(const struct hs_h5_file *file)
{
  return H5Lexists(file->id, "snapshots", H5P_DEFAULT) > 0 && H5Lexists(file->id, "temperature", H5P_DEFAULT) == 0;
}

hs_status hs_snapshots_check(const char *path, int64_t problem, const double *time_s, int count, int *found,
                             struct hs_error *err)
{
  static const char advice[] = "put that file back, or begin a run from the last field: map.initial and [time] start";
  struct hs_h5_file file;
  struct hs_h5_dataset time;
  char reason[HS_H5_REASON];
  hs_status status = HS_OK;
  bool same = false, earlier;
  int64_t whose;
  if (hs_h5_open(path, &file, reason) != HS_H5_OPENED)
    return hs_error_set(err, HS_ERR_IO, "cannot go on with %s, in which the run has left %d snapshots: %s; %s", path,
                        count, reason, advice);
  earlier = is_of_earlier_version(&file);
  if (!earlier && hs_h5_integers(file.id, "problem", 1, &whose) && whose == problem &&
      hs_h5_dataset_open(&file, "time", &time)) {
    status = times_look(&time, time_s, count, &same, err);
    *found = (int)time.count;
    hs_h5_dataset_close(&time);
  }
  hs_h5_close(&file);
  if (status || same) return status;
  if (earlier)
    return hs_error_set(err, HS_ERR_IO,
                        "cannot go on with %s: an earlier version of heatsolve began it, in a form that this one reads "
                        "but does not write; let that version end the run, or begin one from the last field: "
                        "map.initial and [time] start",
                        path);
  return hs_error_set(err, HS_ERR_IO, "%s does not begin with the %d snapshots that the run has made; %s", path, count,
                      advice);
}
