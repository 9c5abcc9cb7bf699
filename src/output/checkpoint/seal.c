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

/* The header that the file should have. Returns 0 or errno. */
static int header_make(int fd, char header[HS_SEAL_BYTES])
{
  unsigned char *block = malloc(BLOCK);
  unsigned long crc = crc32(0, NULL, 0);
  off_t offset = HS_SEAL_BYTES;
  ssize_t got = 0;
  int failure;
  if (!block) return ENOMEM;
  while ((got = block_read(fd, block, BLOCK, offset)) > 0) {
    crc = crc32(crc, block, (uInt)got);
    offset += got;
  }
  failure = got < 0 ? errno : 0;
  free(block);
  memset(header, 0, HS_SEAL_BYTES);
  snprintf(header, HS_SEAL_BYTES, "heatsolve checkpoint 1\nbytes %lld\ncrc32 %08lx\n", (long long)offset, crc);
  return failure;
}

int hs_seal_put(int fd)
{
  char header[HS_SEAL_BYTES];
  size_t done = 0;
  const int failure = header_make(fd, header);
  if (failure) return failure;
  while (done < sizeof header) {
    const ssize_t put = pwrite(fd, header + done, sizeof header - done, (off_t)done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    done += (size_t)put;
  }
  return 0;
}

bool hs_seal_check(const char *path, char *reason, size_t size)
{
  char found[HS_SEAL_BYTES], wanted[HS_SEAL_BYTES];
  struct stat facts;
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  int failure = fd < 0 ? errno : 0;
  bool whole = false;
  if (!failure && fstat(fd, &facts) != 0) failure = errno;
  if (!failure && !S_ISREG(facts.st_mode)) {
    snprintf(reason, size, "it is not a file");
    goto out;
  }
  if (!failure && facts.st_size <= HS_SEAL_BYTES) {
    snprintf(reason, size, "it is too short to be a checkpoint");
    goto out;
  }
  if (!failure && block_read(fd, found, sizeof found, 0) != HS_SEAL_BYTES) failure = errno ? errno : EIO;
  if (!failure) failure = header_make(fd, wanted);
  if (!failure) whole = memcmp(found, wanted, sizeof found) == 0;
  if (!whole) snprintf(reason, size, "%s", failure ? strerror(failure) : "its checksum does not fit what it holds");
out:
  if (fd >= 0) (void)close(fd);
  return whole;
}
