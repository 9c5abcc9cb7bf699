/* The seal of a checkpoint: a header of text that says how long the file is and what its checksum is.
 *
 * The header takes the first HS_SEAL_BYTES of the file, HDF5's user block. The CRC-32 (zlib's) is of all bytes behind it,
 * and it is checked before the HDF5 library reads anything: a damaged file does not reach the library. Of many ranks each
 * reads its share of the file, and the CRC of the whole is put together: it does not depend on their number.
 */
#ifndef HS_OUTPUT_CHECKPOINT_SEAL_H
#define HS_OUTPUT_CHECKPOINT_SEAL_H

#include "comm/comm.h"

enum { HS_SEAL_BYTES = 512 };

/* Reads the file behind the header and writes the header; collective, each rank with a descriptor of its own. Returns 0, or
 * errno of what failed here. */
int hs_seal_put(struct hs_comm *comm, int fd);

/* Is the file as it was sealed? Collective, and the same on all ranks. reason says what is wrong as a clause whose subject is the
 * file, without a full stop. */
bool hs_seal_check(struct hs_comm *comm, const char *path, char *reason, size_t size);

#endif
