/* Reads snapshots.h5 back, for animations: one field at a time, so that a film needs no more memory than a picture. */
#include <hdf5.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "io/h5_error.h"
#include "output/snapshots.h"

struct hs_snapshot_reader {
  char *path;
  hid_t file;
  int nx, ny, count;
};

/* Length of the dataset time, -1 when there is none. */
static int count_times(hid_t file)
{
  const hid_t dataset = H5Lexists(file, "time", H5P_DEFAULT) > 0 ? H5Dopen2(file, "time", H5P_DEFAULT) : -1;
  const hid_t space = dataset < 0 ? -1 : H5Dget_space(dataset);
  const hssize_t points = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
  if (space >= 0) (void)H5Sclose(space);
  if (dataset >= 0) (void)H5Dclose(dataset);
  return points > 999999 ? 999999 : (int)points;
}

hs_status hs_snapshot_reader_open(const char *path, int nx, int ny, struct hs_snapshot_reader **result,
                                  struct hs_error *err)
{
  struct hs_h5_printing printing;
  struct hs_snapshot_reader *reader;
  void *memory = NULL;
  hs_status status = hs_array_create(&memory, 1, sizeof *reader, "the snapshots", err);
  *result = NULL;
  if (status) return status;
  reader = memory;
  *reader = (struct hs_snapshot_reader){hs_text_copy(path, err), -1, nx, ny, -1};
  hs_h5_silence(&printing);
  if (!reader->path) {
    status = HS_ERR_MEMORY;
    goto out;
  }
  reader->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (reader->file < 0) {
    status = hs_h5_fail("read", path, err);
    goto out;
  }
  reader->count = count_times(reader->file);
  if (reader->count < 0) status = hs_error_set(err, HS_ERR_IO, "cannot read %s: it has no dataset \"time\".", path);
out:
  hs_h5_restore(&printing);
  if (status)
    hs_snapshot_reader_close(reader);
  else
    *result = reader;
  return status;
}

int hs_snapshot_reader_count(const struct hs_snapshot_reader *reader)
{
  return reader->count;
}

static double read_number(hid_t object, const char *name)
{
  double value = NAN;
  const hid_t attribute = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
  if (attribute < 0) return NAN;
  if (H5Aget_storage_size(attribute) > sizeof value || H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0) value = NAN;
  (void)H5Aclose(attribute);
  return value;
}

/* Is the dataset (ny, nx)? */
static bool fits(hid_t dataset, const struct hs_snapshot_reader *reader)
{
  hsize_t dims[2] = {0, 0};
  const hid_t space = H5Dget_space(dataset);
  const bool flat = space >= 0 && H5Sget_simple_extent_ndims(space) == 2;
  if (flat) (void)H5Sget_simple_extent_dims(space, dims, NULL);
  if (space >= 0) (void)H5Sclose(space);
  return dims[0] == (hsize_t)reader->ny && dims[1] == (hsize_t)reader->nx;
}

hs_status hs_snapshot_reader_get(const struct hs_snapshot_reader *reader, int k, struct hs_snapshot_facts *facts,
                                 double *field_k, struct hs_error *err)
{
  struct hs_h5_printing printing;
  hs_status status = HS_OK;
  char name[64];
  hid_t dataset;
  snprintf(name, sizeof name, "/snapshots/%06d/temperature", k);
  hs_h5_silence(&printing);
  dataset = H5Dopen2(reader->file, name, H5P_DEFAULT);
  if (dataset < 0)
    status = hs_h5_fail("read the snapshots of", reader->path, err);
  else if (!fits(dataset, reader))
    status = hs_error_set(err, HS_ERR_IO, "cannot read %s: %s is not %d x %d nodes large.", reader->path, name,
                          reader->nx, reader->ny);
  else
    *facts = (struct hs_snapshot_facts){read_number(dataset, "time_s"), read_number(dataset, "minimum_k"),
                                        read_number(dataset, "maximum_k")};
  if (!status && field_k && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, field_k) < 0)
    status = hs_h5_fail("read the snapshots of", reader->path, err);
  if (dataset >= 0) (void)H5Dclose(dataset);
  hs_h5_restore(&printing);
  return status;
}

void hs_snapshot_reader_close(struct hs_snapshot_reader *reader)
{
  if (!reader) return;
  if (reader->file >= 0) (void)H5Fclose(reader->file);
  free(reader->path);
  free(reader);
}
