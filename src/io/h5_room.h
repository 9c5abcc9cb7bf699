/* Datasets that many ranks fill, each its own rows and columns.
 *
 * One rank writes the file's structure, with room for the dataset; HDF5 says where in the file that is, and every rank writes
 * its numbers there. The structure is written as for one process, and a failure of a rank is an error of that rank alone:
 * HDF5's own driver for many ranks does not survive a full disk.
 */
#ifndef HS_IO_H5_ROOM_H
#define HS_IO_H5_ROOM_H

#include <hdf5.h>
#include <stddef.h>
#include <stdint.h>

#include "comm/subdomain.h"

enum hs_room_type { HS_ROOM_F64, HS_ROOM_F32, HS_ROOM_U16, HS_ROOM_U8 }; /* as they lie in memory */

struct hs_h5_room {
  uint64_t offset;  /* of the first number, from the beginning of the file */
  uint64_t columns; /* of the dataset */
  int32_t type;     /* enum hs_room_type */
  int32_t parts;    /* numbers of a column: 1, but 3 of vectors */
};

/* Creates a dataset of two dimensions with its units and room in the file, but without values. Returns it, open, or -1. */
hid_t hs_h5_room_create(hid_t place, const char *name, const hsize_t dims[2], hid_t file_type, const char *units);

/* The room of such a dataset. Negative where the library cannot tell, or numbers in memory have another byte order. */
herr_t hs_h5_room_find(hid_t dataset, struct hs_h5_room *room);

/* Writes rows and columns `where` of the dataset into the open file fd: values[where.ny], rows of which begin `stride` numbers
 * apart, doubles for reals and uint16_t for integers. Returns 0, or errno. */
int hs_h5_room_write(int fd, const struct hs_h5_room *room, const struct hs_rectangle *where, const void *values,
                     size_t stride);

#endif
