/* The ranks share a file system: rank 0 tells the others the temporary name, and each has a descriptor of its own. */
#include "io/file_ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static hs_status open_mine(const char *name, int *fd, struct hs_error *err)
{
  *fd = open(name, O_RDWR | O_CLOEXEC);
  if (*fd >= 0) return HS_OK;
  return hs_error_set(err, HS_ERR_IO, "cannot write %s, which rank 0 has begun: %s; all ranks need the same folders.",
                      name, strerror(errno));
}

hs_status hs_file_open_all(struct hs_comm *comm, const char *name, hs_status status, int *fd, struct hs_error *err)
{
  char told[PATH_MAX] = "";
  *fd = -1;
  status = hs_comm_agree(comm, status, err);
  if (status) return status;
  if (hs_comm_rank(comm) == 0) snprintf(told, sizeof told, "%s", name);
  status = hs_comm_broadcast(comm, 0, told, sizeof told, err);
  if (!status) status = open_mine(told, fd, err);
  status = hs_comm_agree(comm, status, err);
  if (!status) return HS_OK;
  if (*fd >= 0) (void)close(*fd);
  *fd = -1;
  return status;
}

hs_status hs_file_close_all(struct hs_comm *comm, int fd, int failure, const char *path, const char *then,
                            struct hs_error *err)
{
  hs_status status = HS_OK;
  if (fd >= 0 && !failure && fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP) failure = errno;
  if (fd >= 0 && close(fd) != 0 && !failure) failure = errno;
  if (failure)
    status =
        hs_error_set(err, HS_ERR_IO, "cannot write %s: %s.%s%s", path, strerror(failure), then[0] ? " " : "", then);
  return hs_comm_agree(comm, status, err);
}

hs_status hs_file_commit_all(struct hs_comm *comm, struct hs_file *file, hs_status status, struct hs_error *err)
{
  status = hs_comm_agree(comm, status, err);
  if (!status && hs_comm_rank(comm) == 0) status = hs_file_commit(file, err);
  hs_file_discard(file);
  return hs_comm_agree(comm, status, err);
}
