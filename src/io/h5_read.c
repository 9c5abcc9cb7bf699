#include "io/h5_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/input.h"

/* --- files --------------------------------------------------------------------------------------- */

static enum hs_h5_opened open_silently(const char *path, hid_t *id, char reason[HS_H5_REASON])
{
  htri_t is_hdf5;
  if (!hs_input_is_file(path, reason)) return HS_H5_UNREADABLE;
  is_hdf5 = H5Fis_hdf5(path);
  if (is_hdf5 == 0) {
    snprintf(reason, HS_H5_REASON, "it is not an HDF5 file");
    return HS_H5_FOREIGN;
  }
  if (is_hdf5 > 0) *id = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (*id >= 0) return HS_H5_OPENED;
  hs_h5_reason(reason);
  return is_hdf5 < 0 ? HS_H5_UNREADABLE : HS_H5_DAMAGED;
}

enum hs_h5_opened hs_h5_open(const char *path, struct hs_h5_file *file, char reason[HS_H5_REASON])
{
  enum hs_h5_opened opened;
  file->id = -1;
  hs_h5_silence(&file->printing);
  opened = open_silently(path, &file->id, reason);
  if (opened != HS_H5_OPENED) hs_h5_restore(&file->printing);
  return opened;
}

void hs_h5_close(struct hs_h5_file *file)
{
  if (file->id < 0) return;
  (void)H5Fclose(file->id);
  file->id = -1;
  hs_h5_restore(&file->printing);
}

/* --- datasets ------------------------------------------------------------------------------------ */

static enum hs_h5_numbers numbers_of(hid_t dataset)
{
  const hid_t type = H5Dget_type(dataset);
  const H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
  if (type >= 0) (void)H5Tclose(type);
  return class == H5T_FLOAT ? HS_H5_FLOATS : class == H5T_INTEGER ? HS_H5_INTEGERS : HS_H5_NO_NUMBERS;
}

static void describe_space(struct hs_h5_dataset *dataset)
{
  const hid_t space = H5Dget_space(dataset->id);
  hsize_t extent[2] = {0, 0};
  dataset->rank = -1;
  dataset->count = -1;
  if (space >= 0) {
    dataset->rank = H5Sget_simple_extent_ndims(space);
    dataset->count = H5Sget_simple_extent_npoints(space);
    if (dataset->rank == 2) (void)H5Sget_simple_extent_dims(space, extent, NULL);
    (void)H5Sclose(space);
  }
  dataset->extent[0] = extent[0];
  dataset->extent[1] = extent[1];
}

bool hs_h5_dataset_open(const struct hs_h5_file *file, const char *name, struct hs_h5_dataset *dataset)
{
  dataset->id = H5Dopen2(file->id, name, H5P_DEFAULT);
  if (dataset->id < 0) return false;
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

bool hs_h5_dataset_read(const struct hs_h5_dataset *dataset, double *values)
{
  return H5Dread(dataset->id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
}

struct names {
  char *text;
  size_t size;
};

static herr_t name_append(hid_t file, const char *name, const H5L_info_t *link, void *context)
{
  static const char more[] = ", ...";
  const struct names *names = context;
  const size_t used = strlen(names->text);
  const hid_t object = H5Oopen(file, name, H5P_DEFAULT);
  (void)link;
  if (object < 0) return 0;
  if (H5Iget_type(object) == H5I_DATASET) {
    if (used + strlen(name) + sizeof more + 2 < names->size)
      snprintf(names->text + used, names->size - used, "%s/%s", used ? ", " : "", name);
    else if (used + sizeof more <= names->size && (used < 3 || strcmp(names->text + used - 3, "...") != 0))
      memcpy(names->text + used, more, sizeof more);
  }
  (void)H5Oclose(object);
  return 0;
}

void hs_h5_dataset_names(const struct hs_h5_file *file, char *text, size_t size)
{
  struct names names = {text, size};
  text[0] = '\0';
  (void)H5Lvisit(file->id, H5_INDEX_NAME, H5_ITER_INC, name_append, &names);
}

/* --- attributes ---------------------------------------------------------------------------------- */

double hs_h5_number(hid_t object, const char *name)
{
  double value = NAN;
  const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  if (attribute < 0) return NAN;
  if (H5Aget_storage_size(attribute) > sizeof value || H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0) value = NAN;
  (void)H5Aclose(attribute);
  return value;
}

static void copy_cut(const char *from, char *text, size_t size)
{
  size_t length = strnlen(from, size - 1);
  while (length > 0 && from[length] != '\0' && ((unsigned char)from[length] & 0xc0) == 0x80) length--;
  memcpy(text, from, length);
  text[length] = '\0';
}

void hs_h5_text(hid_t object, const char *name, char *text, size_t size)
{
  char *value = NULL;
  const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  const hid_t type = attribute < 0 ? -1 : H5Aget_type(attribute);
  const hid_t space = attribute < 0 ? -1 : H5Aget_space(attribute);
  text[0] = '\0';
  if (type >= 0 && space >= 0 && H5Tis_variable_str(type) > 0 && H5Sget_simple_extent_npoints(space) == 1 &&
      H5Aread(attribute, type, &value) >= 0 && value) {
    copy_cut(value, text, size);
    (void)H5free_memory(value);
  }
  if (space >= 0) (void)H5Sclose(space);
  if (type >= 0) (void)H5Tclose(type);
  if (attribute >= 0) (void)H5Aclose(attribute);
}
