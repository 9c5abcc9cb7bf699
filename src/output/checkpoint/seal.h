/* The seal of a checkpoint: a header of text that says how long the file is and what its checksum is.
 *
 * The header takes the first HS_SEAL_BYTES of the file, HDF5's user block. The CRC-32 (zlib's) is of all bytes behind it,
 * and it is checked before the HDF5 library reads anything: a damaged file does not reach the library.
 */
#ifndef HS_OUTPUT_CHECKPOINT_SEAL_H
#define HS_OUTPUT_CHECKPOINT_SEAL_H

#include <stdbool.h>
#include <stddef.h>

enum { HS_SEAL_BYTES = 512 };

/* Reads the file behind the header and writes the header. Returns 0, or errno of what failed. */
int hs_seal_put(int fd);

/* Is the file as it was sealed? reason says what is wrong, without a full stop. */
bool hs_seal_check(const char *path, char *reason, size_t size);

#endif
