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

/* Creates a dataset with its units and writes values (or nothing when it is NULL). Returns it, open, or -1. */
hid_t hs_h5_put_dataset(hid_t place, const char *name, int rank, const hsize_t *dims, hid_t file_type,
                        hid_t memory_type, const void *values, const char *units);

/* The same for a column of doubles. */
hid_t hs_h5_put_column(hid_t place, const char *name, size_t count, const double *values, const char *units);

/* Creates a group for one entry, and returns it, open, or -1. The library would give an old one as large a table as its
 * parent has; one that tracks the order of creation has its entries in its header. */
hid_t hs_h5_put_group(hid_t place, const char *name);

#endif
