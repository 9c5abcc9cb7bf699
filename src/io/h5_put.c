/* Attributes and datasets, one call each. */
#include "io/h5_put.h"

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

hid_t hs_h5_put_group(hid_t place, const char *name)
{
  const hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
  hid_t group = -1;
  if (creation >= 0 && H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED) >= 0)
    group = H5Gcreate2(place, name, H5P_DEFAULT, creation, H5P_DEFAULT);
  if (creation >= 0) (void)H5Pclose(creation);
  return group;
}
