/* Reads the field back from an HDF5 file.
 *
 * Anything may stand in a file that a user names, so the shape and the type are checked before memory is taken,
 * and each refusal says what was found and what is needed. A field of another program is accepted when it is a
 * dataset "temperature" (ny, nx) of floating-point numbers with either the attributes dx_m and dy_m or equidistant
 * datasets x and y.
 */
#include <errno.h>
#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/h5_error.h"
#include "output/output.h"

static hs_status open_file(const char *path, hid_t *file, struct hs_error *err)
{
  htri_t is_hdf5;
  if (access(path, R_OK) != 0) return hs_error_set(err, HS_ERR_IO, "cannot read %s: %s.", path, strerror(errno));
  is_hdf5 = H5Fis_hdf5(path);
  if (is_hdf5 == 0)
    return hs_error_set(err, HS_ERR_IO, "cannot read %s: it is not an HDF5 file; give the field.h5 of a run.", path);
  if (is_hdf5 < 0) return hs_h5_fail("read", path, err);
  *file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  return *file < 0 ? hs_h5_fail("read", path, err) : HS_OK;
}

static hs_status check_type(const char *path, hid_t dataset, struct hs_error *err)
{
  const hid_t type = H5Dget_type(dataset);
  const int is_float = type >= 0 && H5Tget_class(type) == H5T_FLOAT;
  if (type >= 0) (void)H5Tclose(type);
  if (is_float) return HS_OK;
  return hs_error_set(err, HS_ERR_IO,
                      "cannot read %s: its dataset \"temperature\" does not hold floating-point numbers.", path);
}

static hs_status read_shape(const char *path, hid_t dataset, struct hs_output_field *field, struct hs_error *err)
{
  hsize_t dims[2] = {0, 0};
  const hid_t space = H5Dget_space(dataset);
  const int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
  if (rank == 2) (void)H5Sget_simple_extent_dims(space, dims, NULL);
  if (space >= 0) (void)H5Sclose(space);
  if (rank != 2)
    return hs_error_set(err, HS_ERR_IO,
                        "cannot read %s: its dataset \"temperature\" has %d dimensions; it needs two, (ny, nx).", path,
                        rank);
  if (dims[0] < 1 || dims[1] < 1 || dims[0] > INT_MAX || dims[1] > INT_MAX)
    return hs_error_set(err, HS_ERR_IO,
                        "cannot read %s: its dataset \"temperature\" is %llu x %llu; 1 to %d nodes a side can be read.",
                        path, (unsigned long long)dims[0], (unsigned long long)dims[1], INT_MAX);
  field->ny = (int)dims[0];
  field->nx = (int)dims[1];
  return HS_OK;
}

/* Are the bytes that the shape promises in the file? A contiguous dataset that was never written, or a forged
 * shape, would otherwise make us reserve memory for nothing. */
static hs_status check_stored(const char *path, hid_t dataset, struct hs_error *err)
{
  if (H5Dget_storage_size(dataset) > 0) return HS_OK;
  return hs_error_set(err, HS_ERR_IO, "cannot read %s: its dataset \"temperature\" was never written.", path);
}

static hs_status read_temperature(const char *path, hid_t file, struct hs_output_field *field, struct hs_error *err)
{
  hs_status status;
  void *memory = NULL;
  hid_t dataset = -1;
  if (H5Lexists(file, "temperature", H5P_DEFAULT) > 0) dataset = H5Dopen2(file, "temperature", H5P_DEFAULT);
  if (dataset < 0)
    return hs_error_set(err, HS_ERR_IO,
                        "cannot read %s: it has no dataset \"temperature\"; give the field.h5 of a run.", path);
  status = check_type(path, dataset, err);
  if (!status) status = read_shape(path, dataset, field, err);
  if (!status) status = check_stored(path, dataset, err);
  if (!status)
    status =
        hs_array_create(&memory, (size_t)field->nx * (size_t)field->ny, sizeof *field->field_k, "the field read", err);
  field->field_k = memory;
  if (!status && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, field->field_k) < 0)
    status = hs_h5_fail("read the temperatures of", path, err);
  (void)H5Dclose(dataset);
  return status;
}

/* A number attribute of the file, NaN when there is none. */
static double read_number(hid_t file, const char *name)
{
  double value = NAN;
  hid_t attribute;
  if (H5Aexists(file, name) <= 0) return NAN;
  attribute = H5Aopen(file, name, H5P_DEFAULT);
  if (attribute < 0) return NAN;
  if (H5Aget_storage_size(attribute) > sizeof value || H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0) value = NAN;
  (void)H5Aclose(attribute);
  return value;
}

/* A scalar variable-length string attribute of the object into text[size], cut to fit; "" when there is none. */
static void read_text(hid_t file, const char *name, char *text, size_t size)
{
  char *value = NULL;
  const hid_t attribute = H5Aexists(file, name) > 0 ? H5Aopen(file, name, H5P_DEFAULT) : -1;
  const hid_t type = attribute < 0 ? -1 : H5Aget_type(attribute);
  const hid_t space = attribute < 0 ? -1 : H5Aget_space(attribute);
  text[0] = '\0';
  if (type >= 0 && space >= 0 && H5Tis_variable_str(type) > 0 && H5Sget_simple_extent_npoints(space) == 1 &&
      H5Aread(attribute, type, &value) >= 0 && value) {
    size_t length = strnlen(value, size - 1);
    while (length > 0 && value[length] != '\0' && ((unsigned char)value[length] & 0xc0) == 0x80) length--;
    memcpy(text, value, length);
    text[length] = '\0';
    (void)H5free_memory(value);
  }
  if (space >= 0) (void)H5Sclose(space);
  if (type >= 0) (void)H5Tclose(type);
  if (attribute >= 0) (void)H5Aclose(attribute);
}

/* The unit of the temperatures and the place of the nodes, as far as the file says. */
static void read_labels(hid_t file, struct hs_output_field *field)
{
  const hid_t dataset = H5Dopen2(file, "temperature", H5P_DEFAULT);
  char layout[16];
  if (dataset >= 0) {
    read_text(dataset, "units", field->unit, sizeof field->unit);
    (void)H5Dclose(dataset);
  }
  if (!field->unit[0]) strcpy(field->unit, "K");
  read_text(file, "layout", layout, sizeof layout);
  field->cells = strcmp(layout, "cell") == 0;
}

/* Spacing of the coordinates in the one-dimensional dataset name, NaN when there is no such dataset. */
static double read_spacing(hid_t file, const char *name, int count)
{
  double spacing_m = NAN, *coordinate_m = malloc((size_t)count * sizeof *coordinate_m);
  const hid_t dataset = H5Lexists(file, name, H5P_DEFAULT) > 0 ? H5Dopen2(file, name, H5P_DEFAULT) : -1;
  const hid_t space = dataset < 0 ? -1 : H5Dget_space(dataset);
  if (coordinate_m && count > 1 && space >= 0 && H5Sget_simple_extent_npoints(space) == count &&
      H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, coordinate_m) >= 0)
    spacing_m = (coordinate_m[count - 1] - coordinate_m[0]) / (count - 1);
  if (space >= 0) (void)H5Sclose(space);
  if (dataset >= 0) (void)H5Dclose(dataset);
  free(coordinate_m);
  return spacing_m;
}

static hs_status read_grid(const char *path, hid_t file, struct hs_output_field *field, struct hs_error *err)
{
  field->dx_m = read_number(file, "dx_m");
  field->dy_m = read_number(file, "dy_m");
  if (isnan(field->dx_m)) field->dx_m = read_spacing(file, "x", field->nx);
  if (isnan(field->dy_m)) field->dy_m = read_spacing(file, "y", field->ny);
  if (field->dx_m > 0.0 && field->dy_m > 0.0 && isfinite(field->dx_m) && isfinite(field->dy_m)) return HS_OK;
  return hs_error_set(
      err, HS_ERR_IO,
      "cannot read %s: the node spacing is missing or not positive (dx_m = %g, dy_m = %g); the file needs "
      "the attributes dx_m and dy_m or the datasets x and y.",
      path, field->dx_m, field->dy_m);
}

hs_status hs_output_h5_read(const char *path, struct hs_output_field *field, struct hs_error *err)
{
  struct hs_h5_printing printing;
  hid_t file = -1;
  hs_status status;
  memset(field, 0, sizeof *field);
  hs_h5_silence(&printing);
  status = open_file(path, &file, err);
  if (!status) status = read_temperature(path, file, field, err);
  if (!status) status = read_grid(path, file, field, err);
  if (!status) {
    read_text(file, "title", field->title, sizeof field->title);
    read_text(file, "precision", field->precision, sizeof field->precision);
    read_labels(file, field);
  }
  if (file >= 0) (void)H5Fclose(file);
  hs_h5_restore(&printing);
  if (status) hs_output_field_clear(field);
  return status;
}

void hs_output_field_clear(struct hs_output_field *field)
{
  free(field->field_k);
  memset(field, 0, sizeof *field);
}
