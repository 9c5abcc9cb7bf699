/* Length and checksum of a file, in its first bytes. */
#include "output/checkpoint/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "io/file.h"

/* The first line counts the forms of checkpoints. */
#define HEADER "heatsolve checkpoint 2\n"
#define EARLIER "heatsolve checkpoint 1\n"

enum { BLOCK = 1 << 20 };

/* Reads `size` bytes at an offset; fewer at the end of the file. -1 on failure. */
static ssize_t block_read(int fd, void *block, size_t size, off_t offset)
{
  size_t done = 0;
  while (done < size) {
    const ssize_t got = pread(fd, (char *)block + done, size - done, offset + (off_t)done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += (size_t)got;
  }
  return (ssize_t)done;
}

/* What a rank has read: the bytes from `first` to `end`. */
struct stretch {
  int64_t first, end;
  uint64_t crc;
  int64_t failure; /* errno; 0 for none */
};

/* Reads this rank's share of the file, which is `size` bytes long. */
static struct stretch stretch_read(const struct hs_comm *comm, int fd, int64_t size)
{
  const int64_t ranks = hs_comm_size(comm), rank = hs_comm_rank(comm), bytes = size - HS_SEAL_BYTES;
  struct stretch s = {HS_SEAL_BYTES + bytes / ranks * rank, HS_SEAL_BYTES + bytes / ranks * (rank + 1),
                      crc32(0, NULL, 0), 0};
  unsigned char *block = malloc(BLOCK);
  if (rank == ranks - 1) s.end = size;
  if (!block) s.failure = ENOMEM;
  for (int64_t at = s.first; !s.failure && at < s.end;) {
    const size_t wanted = s.end - at < BLOCK ? (size_t)(s.end - at) : BLOCK;
    const ssize_t got = block_read(fd, block, wanted, (off_t)at);
    if (got < 0) s.failure = errno;
    if (got == 0) s.failure = EIO; /* shorter than it was */
    if (got > 0) s.crc = crc32((uLong)s.crc, block, (uInt)got);
    at += got;
  }
  free(block);
  return s;
}

/* The header that the file should have, on all ranks. Returns 0 or errno, the same on all. */
static int header_make(struct hs_comm *comm, int fd, char header[HS_SEAL_BYTES])
{
  const int ranks = hs_comm_size(comm);
  struct stretch *all = malloc((size_t)ranks * sizeof *all), mine = {0};
  struct stat facts;
  unsigned long crc = crc32(0, NULL, 0);
  double failure = 0.0;
  int64_t size = 0;
  if (!all) failure = ENOMEM;
  if (fd < 0) failure = EBADF;
  if (failure == 0.0 && fstat(fd, &facts) != 0) failure = errno;
  if (failure == 0.0) size = facts.st_size;
  if (hs_comm_broadcast(comm, 0, &size, sizeof size, NULL)) failure = EIO;
  if (failure == 0.0) mine = stretch_read(comm, fd, size);
  if (mine.failure) failure = (double)mine.failure;
  if (hs_comm_largest(comm, &failure, 1, NULL)) failure = EIO;
  if (failure == 0.0 && hs_comm_gather(comm, &mine, sizeof mine, all, NULL)) failure = EIO;
  for (int r = 0; failure == 0.0 && r < ranks; r++)
    crc = crc32_combine(crc, (unsigned long)all[r].crc, (z_off_t)(all[r].end - all[r].first));
  free(all);
  memset(header, 0, HS_SEAL_BYTES);
  snprintf(header, HS_SEAL_BYTES, HEADER "bytes %lld\ncrc32 %08lx\n", (long long)size, crc);
  return (int)failure;
}

int hs_seal_put(struct hs_comm *comm, int fd)
{
  char header[HS_SEAL_BYTES];
  const int failure = header_make(comm, fd, header);
  if (failure || hs_comm_rank(comm) != 0) return failure;
  return hs_file_write_at(fd, header, sizeof header, 0);
}

/* What is wrong with the header, before the rest is read; false: nothing yet. */
static bool header_refuse(int fd, char found[HS_SEAL_BYTES], char *reason, size_t size)
{
  struct stat facts;
  int failure = fd < 0 ? errno : 0;
  reason[0] = '\0';
  if (!failure && fstat(fd, &facts) != 0) failure = errno;
  if (!failure && !S_ISREG(facts.st_mode))
    snprintf(reason, size, "is damaged: it is not a file");
  else if (!failure && facts.st_size <= HS_SEAL_BYTES)
    snprintf(reason, size, "is damaged: it is too short to be a checkpoint");
  else if (!failure && block_read(fd, found, HS_SEAL_BYTES, 0) != HS_SEAL_BYTES)
    failure = errno ? errno : EIO;
  else if (!failure && strncmp(found, EARLIER, sizeof EARLIER - 1) == 0)
    snprintf(reason, size, "was written by an earlier version of heatsolve, which can go on from it; this one cannot");
  if (failure) snprintf(reason, size, "is damaged: %s", strerror(failure));
  return reason[0] != '\0';
}

bool hs_seal_check(struct hs_comm *comm, const char *path, char *reason, size_t size)
{
  char found[HS_SEAL_BYTES], wanted[HS_SEAL_BYTES];
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct hs_error err = {HS_OK, ""};
  hs_status status = header_refuse(fd, found, reason, size) ? hs_error_set(&err, HS_ERR_IO, "%s", reason) : HS_OK;
  status = hs_comm_agree(comm, status, &err);
  if (!status) {
    const int failure = header_make(comm, fd, wanted);
    const bool whole = !failure && memcmp(found, wanted, sizeof found) == 0;
    if (!whole)
      status = hs_error_set(&err, HS_ERR_IO, "is damaged: %s",
                            failure ? strerror(failure) : "its checksum does not fit what it holds");
    status = hs_comm_agree(comm, status, &err);
  }
  if (fd >= 0) (void)close(fd);
  if (status) snprintf(reason, size, "%s", err.text);
  return !status;
}
