#include "io/h5_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/input.h"

/* --- files --------------------------------------------------------------------------------------- */

/* Through the driver whose handle is a file descriptor (h5_text.c), whatever the environment asks for. */
static enum hs_h5_opened open_silently(const char *path, hid_t *id, char reason[HS_H5_REASON])
{
  htri_t is_hdf5;
  hid_t access;
  if (!hs_input_is_file(path, reason)) return HS_H5_UNREADABLE;
  is_hdf5 = H5Fis_hdf5(path);
  if (is_hdf5 == 0) {
    snprintf(reason, HS_H5_REASON, "it is not an HDF5 file");
    return HS_H5_FOREIGN;
  }
  if (is_hdf5 < 0) {
    hs_h5_reason(reason);
    return HS_H5_UNREADABLE;
  }
  access = H5Pcreate(H5P_FILE_ACCESS);
  if (access >= 0 && H5Pset_fapl_sec2(access) >= 0) *id = H5Fopen(path, H5F_ACC_RDONLY, access);
  if (*id < 0) hs_h5_reason(reason);
  if (access >= 0) (void)H5Pclose(access);
  return *id >= 0 ? HS_H5_OPENED : HS_H5_DAMAGED;
}

/* The library prints, and loads programs for unknown filters, as it did before. */
static void library_restore(const struct hs_h5_file *file)
{
  (void)H5PLset_loading_state(file->plugins);
  hs_h5_restore(&file->printing);
}

enum hs_h5_opened hs_h5_open(const char *path, struct hs_h5_file *file, char reason[HS_H5_REASON])
{
  enum hs_h5_opened opened;
  file->id = -1;
  hs_h5_silence(&file->printing);
  if (H5PLget_loading_state(&file->plugins) < 0) file->plugins = 0;
  (void)H5PLset_loading_state(0);
  opened = open_silently(path, &file->id, reason);
  if (opened != HS_H5_OPENED) library_restore(file);
  return opened;
}

void hs_h5_close(struct hs_h5_file *file)
{
  if (file->id < 0) return;
  (void)H5Fclose(file->id);
  file->id = -1;
  library_restore(file);
}

/* --- datasets ------------------------------------------------------------------------------------ */

static enum hs_h5_numbers numbers_of(hid_t dataset)
{
  const hid_t type = H5Dget_type(dataset);
  const enum hs_h5_numbers numbers = hs_h5_guard_type(type);
  if (type >= 0) (void)H5Tclose(type);
  return numbers;
}

static void describe_space(struct hs_h5_dataset *dataset)
{
  const hid_t space = H5Dget_space(dataset->id);
  dataset->count = hs_h5_guard_space(space, &dataset->rank, dataset->extent);
  if (space >= 0) (void)H5Sclose(space);
}

bool hs_h5_dataset_open(const struct hs_h5_file *file, const char *name, struct hs_h5_dataset *dataset)
{
  dataset->id = hs_h5_guard_open(file->id, name, H5I_DATASET, dataset->refusal);
  if (dataset->id < 0) return false;
  if (hs_h5_guard_dataset(dataset->id, dataset->refusal)) {
    hs_h5_dataset_close(dataset);
    return false;
  }
  dataset->numbers = numbers_of(dataset->id);
  describe_space(dataset);
  dataset->written = H5Dget_storage_size(dataset->id) > 0;
  return true;
}

void hs_h5_dataset_close(struct hs_h5_dataset *dataset)
{
  if (dataset->id >= 0) (void)H5Dclose(dataset->id);
  dataset->id = -1;
}

hid_t hs_h5_group_open(const struct hs_h5_file *file, const char *name)
{
  char reason[HS_H5_REASON];
  return hs_h5_guard_open(file->id, name, H5I_GROUP, reason);
}

double hs_h5_dataset_buffers(const struct hs_h5_dataset *dataset)
{
  const hid_t creation = H5Dget_create_plist(dataset->id), type = H5Dget_type(dataset->id);
  hsize_t chunk[H5S_MAX_RANK];
  double bytes = 0.0;
  int rank = -1;
  if (creation >= 0 && type >= 0 && H5Pget_layout(creation) == H5D_CHUNKED && H5Pget_nfilters(creation) > 0)
    rank = H5Pget_chunk(creation, H5S_MAX_RANK, chunk);
  if (rank > 0) bytes = 2.0 * (double)H5Tget_size(type); /* before and behind a filter */
  for (int k = 0; k < rank; k++) bytes *= (double)chunk[k];
  if (type >= 0) (void)H5Tclose(type);
  if (creation >= 0) (void)H5Pclose(creation);
  return bytes;
}

bool hs_h5_dataset_read(const struct hs_h5_dataset *dataset, double *values)
{
  return H5Dread(dataset->id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
}

bool hs_h5_dataset_read_rows(const struct hs_h5_dataset *dataset, uint64_t first, uint64_t step, uint64_t count,
                             double *values)
{
  const hsize_t start[2] = {first, 0}, stride[2] = {step, 1}, rows[2] = {count, 1}, row[2] = {1, dataset->extent[1]};
  const hsize_t length[1] = {count * dataset->extent[1]};
  const hid_t space = H5Dget_space(dataset->id), memory = H5Screate_simple(1, length, NULL);
  bool read = space >= 0 && memory >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, rows, row) >= 0;
  if (read) read = H5Dread(dataset->id, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
  if (memory >= 0) (void)H5Sclose(memory);
  if (space >= 0) (void)H5Sclose(space);
  return read;
}

bool hs_h5_dataset_read_block(const struct hs_h5_dataset *dataset, const struct hs_h5_block *block, double *values,
                              uint64_t stride)
{
  const hsize_t from[2] = {block->row, block->column}, count[2] = {block->rows, block->columns};
  const hsize_t room[2] = {block->rows, stride}, start[2] = {0, 0};
  const hid_t space = H5Dget_space(dataset->id), memory = H5Screate_simple(2, room, NULL);
  bool read = space >= 0 && memory >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, count, NULL) >= 0 &&
              H5Sselect_hyperslab(memory, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
  if (read) read = H5Dread(dataset->id, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
  if (memory >= 0) (void)H5Sclose(memory);
  if (space >= 0) (void)H5Sclose(space);
  return read;
}

/* Names are taken from this many objects at most, in the file's own order, and from groups at the top; links are not
 * followed. A foreign file may have millions of objects, and groups within themselves. */
enum { NAMED_MOST = 256 };

struct names {
  char *text;
  size_t size;
  const char *group; /* "" at the top */
  int seen;
};

static void name_append(struct names *names, const char *name)
{
  static const char more[] = ", ...";
  const char *between = names->text[0] ? ", " : "", *slash = names->group[0] ? "/" : "";
  const size_t used = strlen(names->text), length = strlen(names->group) + strlen(name) + 4;
  if (used + length + sizeof more <= names->size)
    snprintf(names->text + used, names->size - used, "%s/%s%s%s", between, names->group, slash, name);
  else if (used + sizeof more <= names->size && (used < 3 || strcmp(names->text + used - 3, "...") != 0))
    memcpy(names->text + used, more, sizeof more);
}

static herr_t object_name(hid_t place, const char *name, const H5L_info_t *link, void *context)
{
  struct names *names = context;
  const hid_t object =
      link->type == H5L_TYPE_HARD && ++names->seen <= NAMED_MOST ? H5Oopen(place, name, H5P_DEFAULT) : -1;
  const H5I_type_t kind = object < 0 ? H5I_BADID : H5Iget_type(object);
  if (kind == H5I_DATASET) name_append(names, name);
  if (kind == H5I_GROUP && !names->group[0]) {
    names->group = name;
    (void)H5Literate(object, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, object_name, names);
    names->group = "";
  }
  if (object >= 0) (void)H5Oclose(object);
  return names->seen > NAMED_MOST;
}

void hs_h5_dataset_names(const struct hs_h5_file *file, char *text, size_t size)
{
  struct names names = {text, size, "", 0};
  text[0] = '\0';
  (void)H5Literate(file->id, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, object_name, &names);
}

/* --- attributes ---------------------------------------------------------------------------------- */

/* An attribute with its type and its number of values, 0 where there is none. */
struct attribute {
  hid_t id, type;
  int64_t count;
};

static struct attribute attribute_open(hid_t object, const char *name)
{
  struct attribute a = {H5Aopen(object, name, H5P_DEFAULT), -1, 0};
  const hid_t space = a.id < 0 ? -1 : H5Aget_space(a.id);
  uint64_t extent[2];
  int rank;
  if (a.id >= 0) a.type = H5Aget_type(a.id);
  if (a.type >= 0) a.count = hs_h5_guard_space(space, &rank, extent);
  if (space >= 0) (void)H5Sclose(space);
  return a;
}

static void attribute_close(const struct attribute *a)
{
  if (a->type >= 0) (void)H5Tclose(a->type);
  if (a->id >= 0) (void)H5Aclose(a->id);
}

double hs_h5_number(hid_t object, const char *name)
{
  const struct attribute a = attribute_open(object, name);
  double value = NAN;
  if (a.count != 1 || hs_h5_guard_type(a.type) == HS_H5_NO_NUMBERS || H5Aread(a.id, H5T_NATIVE_DOUBLE, &value) < 0)
    value = NAN;
  attribute_close(&a);
  return value;
}

static bool numbers_get(hid_t object, const char *name, int count, enum hs_h5_numbers numbers, hid_t as, void *values)
{
  const struct attribute a = attribute_open(object, name);
  const bool read = a.count == count && hs_h5_guard_type(a.type) == numbers && H5Aread(a.id, as, values) >= 0;
  attribute_close(&a);
  return read;
}

bool hs_h5_reals(hid_t object, const char *name, int count, double *values)
{
  return numbers_get(object, name, count, HS_H5_FLOATS, H5T_NATIVE_DOUBLE, values);
}

bool hs_h5_integers(hid_t object, const char *name, int count, int64_t *values)
{
  return numbers_get(object, name, count, HS_H5_INTEGERS, H5T_NATIVE_INT64, values);
}
