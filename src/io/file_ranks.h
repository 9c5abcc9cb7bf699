/* A file that all ranks write, each its own bytes, and that appears under its final name when all are done. */
#ifndef HS_IO_FILE_RANKS_H
#define HS_IO_FILE_RANKS_H

#include "comm/comm.h"
#include "io/file.h"

/* Collective, after rank 0 has created a file (status: how that went), whose name it gives: all open it. *fd is this rank's
 * own, for reading and writing; -1 after a failure. All ranks get the same status. Errors: HS_ERR_IO, and status. */
hs_status hs_file_open_all(struct hs_comm *comm, const char *name, hs_status status, int *fd, struct hs_error *err);

/* Collective: flushes what this rank has written to the disk and closes fd, which may be -1. failure: 0, or errno of what this
 * rank could not write. All ranks get the same status, before which none goes on. path: for the sentence, to which `then` is
 * added. Errors: HS_ERR_IO. */
hs_status hs_file_close_all(struct hs_comm *comm, int fd, int failure, const char *path, const char *then,
                            struct hs_error *err);

/* Collective: rank 0 gives its file the final name once all have come here with HS_OK; otherwise it is removed. */
hs_status hs_file_commit_all(struct hs_comm *comm, struct hs_file *file, hs_status status, struct hs_error *err);

#endif
