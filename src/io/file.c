/* Complete files or none.
 *
 * A writer works on a temporary file in the folder of the final one (a rename across file systems is not atomic), forces
 * it to the disk with fsync, and renames it. Whoever opens the final name sees the old file or the new one, never an
 * incomplete one. A killed process can leave the temporary file behind: its name is ".NAME.XXXXXX", and nobody holds the
 * lock (flock) that is on such a file while it is being written.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/file.h"

static hs_status fail_write(const struct hs_file *file, int reason, struct hs_error *err)
{
  return hs_error_set(err, HS_ERR_IO, "cannot write %s: %s. " HS_FILE_REMOVED, file->path, strerror(reason));
}

/* Opens a new file of that name, whose last six characters it chooses, with the permissions that new files have: mkstemp
 * would make a private one, and to ask for the process's umask is to change it. -1 with errno: none can be made. */
static int temporary_open(char *name)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  enum { CHOSEN = 6, TRIES = 100 };
  char *chosen = name + strlen(name) - CHOSEN;
  int fd = -1;
  for (int k = 0; fd < 0 && k < TRIES; k++) {
    unsigned char random[CHOSEN];
    if (getentropy(random, sizeof random) != 0) return -1;
    for (int c = 0; c < CHOSEN; c++) chosen[c] = letters[random[c] % (sizeof letters - 1)];
    fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno != EEXIST) return -1;
  }
  return fd;
}

/* A rename would silently replace a device or a pipe by a regular file. */
static hs_status check_target(const char *path, struct hs_error *err)
{
  struct stat status;
  if (path[0] == '\0') return hs_error_set(err, HS_ERR_IO, "cannot write a file without a name.");
  if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
    return hs_error_set(err, HS_ERR_IO, "cannot write %s: it exists and is %s; choose another name.", path,
                        S_ISDIR(status.st_mode) ? "a folder" : "not a regular file");
  return HS_OK;
}

hs_status hs_file_create(struct hs_file *file, const char *path, struct hs_error *err)
{
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  hs_status status;

  *file = (struct hs_file)HS_FILE_NONE;
  status = check_target(path, err);
  if (status) return status;
  status = HS_ERR_MEMORY;
  file->path = hs_text_copy(path, err);
  if (!file->path) goto out;
  file->temporary = hs_text_format(err, "%.*s.%s.XXXXXX", (int)(name - path), path, name);
  if (!file->temporary) goto out;
  file->fd = temporary_open(file->temporary);
  if (file->fd < 0) {
    status = hs_error_set(err, HS_ERR_IO, "cannot write %s: no file can be created in its folder: %s.", path,
                          strerror(errno));
    free(file->temporary);
    file->temporary = NULL;
    goto out;
  }
  (void)flock(file->fd, LOCK_EX | LOCK_NB);
  status = HS_OK;
out:
  if (status) hs_file_discard(file);
  return status;
}

hs_status hs_file_write(struct hs_file *file, const void *data, size_t size, struct hs_error *err)
{
  const char *next = data;
  while (size > 0) {
    const ssize_t written = write(file->fd, next, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail_write(file, errno, err);
    next += written;
    size -= (size_t)written;
  }
  return HS_OK;
}

int hs_file_write_at(int fd, const void *data, size_t size, uint64_t offset)
{
  const char *next = data;
  while (size > 0) {
    const ssize_t put = pwrite(fd, next, size, (off_t)offset);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    next += put;
    size -= (size_t)put;
    offset += (uint64_t)put;
  }
  return 0;
}

/* Makes the rename itself durable. Some file systems cannot; the file is complete all the same. */
static void flush_folder(const char *path)
{
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  const int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (fd >= 0) {
    (void)fsync(fd);
    (void)close(fd);
  }
  free(folder);
}

hs_status hs_file_commit(struct hs_file *file, struct hs_error *err)
{
  int closed;
  if (fsync(file->fd) != 0 && errno != EINVAL && errno != ENOTSUP) return fail_write(file, errno, err);
  (void)flock(file->fd, LOCK_UN); /* whoever holds a copy of the descriptor goes on, and others may read */
  closed = close(file->fd);
  file->fd = -1;
  if (closed != 0) return fail_write(file, errno, err);
  if (rename(file->temporary, file->path) != 0) return fail_write(file, errno, err);
  free(file->temporary);
  file->temporary = NULL;
  flush_folder(file->path);
  return HS_OK;
}

void hs_file_discard(struct hs_file *file)
{
  if (file->fd >= 0) (void)close(file->fd);
  if (file->temporary) (void)unlink(file->temporary);
  free(file->temporary);
  free(file->path);
  *file = (struct hs_file)HS_FILE_NONE;
}

bool hs_file_is_leftover(int folder, const char *name)
{
  enum { ADDED = 8 }; /* a dot in front; behind, a dot and six characters */
  const size_t length = strlen(name);
  struct stat facts;
  bool left;
  int fd;
  if (length <= ADDED || name[0] != '.' || name[length - 7] != '.') return false;
  fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  left = fd >= 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0;
  if (fd >= 0) (void)close(fd);
  return left;
}

hs_status hs_file_put_text(const char *path, const char *text, struct hs_error *err)
{
  struct hs_file file = HS_FILE_NONE;
  hs_status status = hs_file_create(&file, path, err);
  if (status) goto out;
  status = hs_file_write(&file, text, strlen(text), err);
  if (status) goto out;
  status = hs_file_commit(&file, err);
out:
  hs_file_discard(&file);
  return status;
}

static bool same_inode(const struct stat *a, const struct stat *b)
{
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

hs_status hs_file_make_folders(const char *path, struct hs_error *err)
{
  hs_status status = HS_OK;
  char *end, *partial = hs_text_copy(path, err);
  if (!partial) return HS_ERR_MEMORY;
  for (end = partial; !status && *end; end++) {
    const char behind = end[1];
    if (behind != '/' && behind != '\0') continue;
    end[1] = '\0';
    if (mkdir(partial, 0777) != 0 && errno != EEXIST)
      status = hs_error_set(err, HS_ERR_IO, "cannot create the folder %s: %s", partial, strerror(errno));
    end[1] = behind;
  }
  free(partial);
  return status;
}

/* Writes all that fd holds to file. */
static hs_status content_copy(int fd, struct hs_file *file, struct hs_error *err)
{
  enum { BLOCK = 1 << 20 };
  char *block = malloc(BLOCK);
  hs_status status = block ? HS_OK : hs_error_set(err, HS_ERR_MEMORY, "no memory to write %s anew.", file->path);
  off_t at = 0;
  while (!status) {
    const ssize_t got = pread(fd, block, BLOCK, at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) status = fail_write(file, errno, err);
    if (got <= 0) break;
    status = hs_file_write(file, block, (size_t)got, err);
    at += got;
  }
  free(block);
  return status;
}

/* The file under that name, with its folder. */
static hs_status write_anew(int fd, const char *path, struct hs_error *err)
{
  struct hs_file file = HS_FILE_NONE;
  const char *slash = strrchr(path, '/');
  char *folder = slash && slash > path ? hs_text_format(err, "%.*s", (int)(slash - path), path) : NULL;
  int kept = -1;
  hs_status status = folder ? hs_file_make_folders(folder, err) : HS_OK;
  free(folder);
  if (!status) status = hs_file_create(&file, path, err);
  if (!status) status = content_copy(fd, &file, err);
  if (!status && (kept = fcntl(file.fd, F_DUPFD_CLOEXEC, 0)) < 0) status = fail_write(&file, errno, err);
  if (!status) status = hs_file_commit(&file, err);
  if (!status && dup3(kept, fd, O_CLOEXEC) < 0)
    status = hs_error_set(err, HS_ERR_IO, "cannot go on with %s: %s.", path, strerror(errno));
  if (kept >= 0) (void)close(kept);
  hs_file_discard(&file);
  return status;
}

hs_status hs_file_keep(int fd, const char *path, bool *renewed, struct hs_error *err)
{
  struct stat open_file, named;
  hs_status status;
  *renewed = false;
  if (fstat(fd, &open_file) != 0) return hs_error_set(err, HS_ERR_IO, "cannot write %s: %s.", path, strerror(errno));
  if (stat(path, &named) == 0) {
    if (same_inode(&open_file, &named)) return HS_OK;
    return hs_error_set(err, HS_ERR_IO, "cannot write %s: another program has put its own file there.", path);
  }
  status = write_anew(fd, path, err);
  *renewed = !status;
  return status;
}

/* The folder of path; false: there is none. */
static bool folder_stat(const char *path, struct stat *facts)
{
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  const bool there = folder && stat(folder, facts) == 0;
  free(folder);
  return there;
}

bool hs_file_is_same(const char *a, const char *b)
{
  const char *const slash_a = strrchr(a, '/'), *const slash_b = strrchr(b, '/');
  struct stat one, other;
  if (stat(a, &one) == 0 && stat(b, &other) == 0 && same_inode(&one, &other)) return true;
  return strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) == 0 && folder_stat(a, &one) &&
         folder_stat(b, &other) && same_inode(&one, &other);
}

char *hs_file_join(const char *directory, const char *name, struct hs_error *err)
{
  const size_t length = directory ? strlen(directory) : 0;
  if (length == 0) return hs_text_copy(name, err);
  return hs_text_format(err, "%s%s%s", directory, directory[length - 1] == '/' ? "" : "/", name);
}
