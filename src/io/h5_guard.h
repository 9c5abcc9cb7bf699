/* What is not read from an HDF5 file that a user names.
 *
 * The library does what a file says: it opens other files, loads filters from elsewhere, and takes memory for chunks and
 * values as large as they claim to be. So what a dataset would have it do is looked at before anything is read. Limit: a file
 * that was made to exploit an error of the library itself is not recognised; the manual says what to do with such ones.
 */
#ifndef HS_IO_H5_GUARD_H
#define HS_IO_H5_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "io/h5_error.h"

/* Largest chunk, and most chunks of a dataset. */
#define HS_H5_CHUNK_BYTES 1073741824.0
#define HS_H5_CHUNKS 10000000.0

enum hs_h5_numbers { HS_H5_NO_NUMBERS, HS_H5_INTEGERS, HS_H5_FLOATS };

/* What a type of the file holds. A number has at most 16 bytes, and its parts lie within it. */
enum hs_h5_numbers hs_h5_guard_type(hid_t type);

/* Number of values of a space, -1 where it cannot be told or exceeds 2^53; its rank, or -1, in *rank, and the extent of one
 * of two dimensions. */
int64_t hs_h5_guard_space(hid_t space, int *rank, uint64_t extent[2]);

/* Is there something in an opened dataset that is not read? reason then has a clause of which the dataset is the subject:
 * "is a virtual dataset, ...". */
bool hs_h5_guard_dataset(hid_t dataset, char reason[HS_H5_REASON]);

/* Opens the object `name`, of this kind: H5I_DATASET, H5I_GROUP. Negative where there is none, with reason "", or where the
 * way to it is not gone, with a clause as above. */
hid_t hs_h5_guard_open(hid_t file, const char *name, H5I_type_t kind, char reason[HS_H5_REASON]);

#endif
