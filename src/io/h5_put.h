/* Writing to HDF5 files: an attribute or a dataset in one call. A negative value means failure, as in HDF5 itself. */
#ifndef HS_IO_H5_PUT_H
#define HS_IO_H5_PUT_H

#include <hdf5.h>
#include <stddef.h>
#include <stdint.h>

/* Attributes of an object: a variable-length UTF-8 string, which h5py reads as str ("" for NULL), a double, an integer. */
herr_t hs_h5_put_text(hid_t object, const char *name, const char *text);
herr_t hs_h5_put_number(hid_t object, const char *name, double value);
herr_t hs_h5_put_integer(hid_t object, const char *name, int64_t value);

/* An attribute of several such strings. */
herr_t hs_h5_put_texts(hid_t object, const char *name, const char *const *texts, size_t count);

/* An attribute of several integers, of the type file_type in the file. */
herr_t hs_h5_put_integers(hid_t object, const char *name, hid_t file_type, hid_t memory_type, const void *values,
                          size_t count);

/* Creates a dataset with its units and writes values (or nothing when it is NULL). Returns it, open, or -1. */
hid_t hs_h5_put_dataset(hid_t place, const char *name, int rank, const hsize_t *dims, hid_t file_type,
                        hid_t memory_type, const void *values, const char *units);

/* The same for a column of doubles. */
hid_t hs_h5_put_column(hid_t place, const char *name, size_t count, const double *values, const char *units);

/* Writes `rows` rows from row `first` on of a dataset of two dimensions. */
herr_t hs_h5_put_rows(hid_t dataset, hsize_t first, hsize_t rows, hid_t memory_type, const void *values);

/* A dimension that has a length but no coordinates, as netCDF writes it. */
herr_t hs_h5_put_length(hid_t place, const char *name, hsize_t length);

/* Makes a dataset the scale of dimensions that have its name: what netCDF and xarray take for their coordinates. */
herr_t hs_h5_put_scale(hid_t dataset, const char *name);

/* Gives dimension `dimension` of a dataset the scale `name`, which is in `place`. */
herr_t hs_h5_put_dimension(hid_t dataset, unsigned dimension, hid_t place, const char *name);

/* The same for both dimensions, but the scales do not list this dataset: for datasets so many that their list would not
 * find room. Programs that read files of dimension scales look at the dataset alone. */
herr_t hs_h5_put_dimensions(hid_t dataset, hid_t place, const char *slow, const char *fast);

#endif
