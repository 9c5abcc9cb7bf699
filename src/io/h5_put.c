/* Attributes and datasets, one call each. */
#include "io/h5_put.h"

#include <hdf5_hl.h>
#include <stdio.h>

/* Closes space. */
static herr_t write_attribute(hid_t object, const char *name, hid_t space, hid_t file_type, hid_t memory_type,
                              const void *value)
{
  herr_t result = -1;
  const hid_t attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute >= 0) result = H5Awrite(attribute, memory_type, value);
  if (attribute >= 0 && H5Aclose(attribute) < 0) result = -1;
  if (space >= 0) (void)H5Sclose(space);
  return result;
}

/* Closes space. */
static herr_t write_texts(hid_t object, const char *name, hid_t space, const char *const *texts)
{
  const hid_t type = H5Tcopy(H5T_C_S1);
  herr_t result = -1;
  if (type >= 0 && H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0)
    result = write_attribute(object, name, space, type, type, texts);
  else if (space >= 0)
    (void)H5Sclose(space);
  if (type >= 0) (void)H5Tclose(type);
  return result;
}

herr_t hs_h5_put_text(hid_t object, const char *name, const char *text)
{
  const char *value = text ? text : "";
  return write_texts(object, name, H5Screate(H5S_SCALAR), &value);
}

herr_t hs_h5_put_texts(hid_t object, const char *name, const char *const *texts, size_t count)
{
  const hsize_t dims[1] = {count};
  return write_texts(object, name, H5Screate_simple(1, dims, NULL), texts);
}

herr_t hs_h5_put_number(hid_t object, const char *name, double value)
{
  return write_attribute(object, name, H5Screate(H5S_SCALAR), H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

herr_t hs_h5_put_integer(hid_t object, const char *name, int64_t value)
{
  return write_attribute(object, name, H5Screate(H5S_SCALAR), H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

herr_t hs_h5_put_integers(hid_t object, const char *name, hid_t file_type, hid_t memory_type, const void *values,
                          size_t count)
{
  const hsize_t dims[1] = {count};
  return write_attribute(object, name, H5Screate_simple(1, dims, NULL), file_type, memory_type, values);
}

hid_t hs_h5_put_dataset(hid_t place, const char *name, int rank, const hsize_t *dims, hid_t file_type,
                        hid_t memory_type, const void *values, const char *units)
{
  const hid_t space = H5Screate_simple(rank, dims, NULL);
  hid_t dataset = H5Dcreate2(place, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  herr_t result = dataset < 0 ? -1 : hs_h5_put_text(dataset, "units", units);
  if (result >= 0 && values) result = H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  if (result < 0 && dataset >= 0) {
    (void)H5Dclose(dataset);
    dataset = -1;
  }
  if (space >= 0) (void)H5Sclose(space);
  return dataset;
}

hid_t hs_h5_put_column(hid_t place, const char *name, size_t count, const double *values, const char *units)
{
  const hsize_t dims[1] = {count};
  return hs_h5_put_dataset(place, name, 1, dims, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values, units);
}

herr_t hs_h5_put_rows(hid_t dataset, hsize_t first, hsize_t rows, hid_t memory_type, const void *values)
{
  const hid_t space = H5Dget_space(dataset);
  hsize_t extent[2] = {0, 0}, from[2] = {first, 0};
  hid_t part = -1;
  herr_t result = -1;
  if (space >= 0 && H5Sget_simple_extent_dims(space, extent, NULL) == 2) {
    extent[0] = rows;
    part = H5Screate_simple(2, extent, NULL);
  }
  if (part >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, extent, NULL) >= 0)
    result = H5Dwrite(dataset, memory_type, part, space, H5P_DEFAULT, values);
  if (part >= 0) (void)H5Sclose(part);
  if (space >= 0) (void)H5Sclose(space);
  return result;
}

herr_t hs_h5_put_length(hid_t place, const char *name, hsize_t length)
{
  const hid_t space = H5Screate_simple(1, &length, NULL);
  char mark[64];
  hid_t dataset = -1;
  herr_t result = -1;
  snprintf(mark, sizeof mark, "This is a netCDF dimension but not a netCDF variable.%10llu",
           (unsigned long long)length);
  if (space >= 0) dataset = H5Dcreate2(place, name, H5T_IEEE_F32BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (dataset >= 0) result = H5DSset_scale(dataset, mark);
  if (dataset >= 0 && H5Dclose(dataset) < 0) result = -1;
  if (space >= 0) (void)H5Sclose(space);
  return result;
}

herr_t hs_h5_put_scale(hid_t dataset, const char *name)
{
  return H5DSset_scale(dataset, name);
}

herr_t hs_h5_put_dimension(hid_t dataset, unsigned dimension, hid_t place, const char *name)
{
  const hid_t scale = H5Dopen2(place, name, H5P_DEFAULT);
  herr_t result = -1;
  if (scale < 0) return -1;
  result = H5DSattach_scale(dataset, scale, dimension);
  return H5Dclose(scale) < 0 ? -1 : result;
}

/* The attribute by which H5DSattach_scale names scales: for each dimension a list of references. */
herr_t hs_h5_put_dimensions(hid_t dataset, hid_t place, const char *slow, const char *fast)
{
  const hsize_t dims[1] = {2};
  hobj_ref_t scale[2];
  const hvl_t lists[2] = {{1, &scale[0]}, {1, &scale[1]}};
  hid_t type;
  herr_t result;
  if (H5Rcreate(&scale[0], place, slow, H5R_OBJECT, -1) < 0 || H5Rcreate(&scale[1], place, fast, H5R_OBJECT, -1) < 0)
    return -1;
  type = H5Tvlen_create(H5T_STD_REF_OBJ);
  if (type < 0) return -1;
  result = write_attribute(dataset, DIMENSION_LIST, H5Screate_simple(1, dims, NULL), type, type, lists);
  return H5Tclose(type) < 0 ? -1 : result;
}
