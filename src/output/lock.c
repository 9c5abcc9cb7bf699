/* One run at a time in an output folder.
 *
 * The lock is one of fcntl, which holds between the machines of a network file system, too, and which the system releases
 * when the process ends. So a file of that name alone says nothing, and none is ever stale. It belongs to the
 * open file, not to the process, so that two runs of one process keep each other out, too.
 */
#include "output/lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/timer.h"
#include "io/file.h"

struct hs_output_lock {
  char *path;
  int fd;
  bool renewed; /* which is yet to be told */
};

/* Who holds the lock; later ones read it. A full disk costs the text, not the lock. */
static void sign(int fd)
{
  char text[512], host[256] = "", utc[32];
  (void)gethostname(host, sizeof host - 1);
  hs_time_utc(utc, sizeof utc);
  snprintf(text, sizeof text, "process %ld on %s, since %s\n", (long)getpid(), host, utc);
  if (ftruncate(fd, 0) == 0 && pwrite(fd, text, strlen(text), 0) < 0) (void)ftruncate(fd, 0);
}

static hs_status in_use(struct hs_output_lock *lock, const char *directory, struct hs_error *err)
{
  const struct timespec moment = {.tv_nsec = 10000000};
  char who[512];
  ssize_t length = 0;
  for (int k = 0; k < 20 && length <= 0; k++) { /* it may not have signed yet */
    if (k > 0) (void)nanosleep(&moment, NULL);
    length = pread(lock->fd, who, sizeof who - 1, 0);
  }
  (void)close(lock->fd);
  lock->fd = -1; /* the file is the other run's */
  who[length > 0 ? length : 0] = '\0';
  who[strcspn(who, "\n")] = '\0';
  return hs_error_set(err, HS_ERR_IO,
                      "another run writes into the output folder %s (%s); wait for its end, or choose another folder "
                      "with output.directory or --output",
                      directory, who[0] ? who : "an unknown process");
}

/* Is path still this file? The run that held it may have removed it since it was opened. */
static bool still_there(int fd, const char *path)
{
  struct stat here, there;
  return fstat(fd, &here) == 0 && lstat(path, &there) == 0 && here.st_dev == there.st_dev &&
         here.st_ino == there.st_ino;
}

static hs_status take(struct hs_output_lock *lock, const char *directory, struct hs_warnings *notes,
                      struct hs_error *err)
{
  for (;;) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    lock->fd = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (lock->fd < 0)
      return hs_error_set(err, HS_ERR_IO,
                          "cannot lock the output folder: %s: %s; choose another one with "
                          "output.directory or --output",
                          lock->path, strerror(errno));
    if (fcntl(lock->fd, F_OFD_SETLK, &whole) != 0) {
      if (errno == EACCES || errno == EAGAIN) return in_use(lock, directory, err);
      hs_warnings_add(notes, "the output folder could not be locked; no other run may write into it");
      return HS_OK;
    }
    if (still_there(lock->fd, lock->path)) break;
    (void)close(lock->fd);
  }
  sign(lock->fd);
  return HS_OK;
}

/* Names of files that runs write, or how they begin. Other temporary files may be anybody's. */
static bool is_own(const char *entry)
{
  static const char *const names[] = {"checkpoint",  "field.",     "snapshots.", "heat.csv", "materials.csv",
                                      "probes.csv",  "series.csv", "report.",    "line-",    "temperature",
                                      "convergence", "animation",  "frame-",     "problem",  "heatsolve-probe"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (entry[0] == '.' && strncmp(entry + 1, names[k], strlen(names[k])) == 0) return true;
  return false;
}

static void leftovers_remove(const char *directory)
{
  DIR *entries = opendir(directory);
  const struct dirent *entry;
  while (entries && (entry = readdir(entries)) != NULL)
    if (is_own(entry->d_name) && hs_file_is_leftover(dirfd(entries), entry->d_name))
      (void)unlinkat(dirfd(entries), entry->d_name, 0);
  if (entries) (void)closedir(entries);
}

hs_status hs_output_lock(const char *directory, struct hs_output_lock **lock, struct hs_warnings *notes,
                         struct hs_error *err)
{
  const char *folder = directory && directory[0] ? directory : ".";
  const int noted = notes->count;
  struct hs_output_lock *l = NULL;
  hs_status status = hs_array_create((void **)&l, 1, sizeof *l, "the lock of the output folder", err);
  *lock = NULL;
  if (status) return status;
  l->fd = -1;
  l->path = hs_file_join(folder, ".heatsolve-lock", err);
  status = l->path ? take(l, folder, notes, err) : HS_ERR_MEMORY;
  if (!status) {
    if (notes->count == noted) leftovers_remove(folder);
    *lock = l;
    return HS_OK;
  }
  if (l->fd >= 0) (void)close(l->fd);
  free(l->path);
  free(l);
  return status;
}

/* The folder and the lock once more. */
static hs_status make_again(struct hs_output_lock *lock, const char *directory, struct hs_error *err)
{
  struct hs_warnings said_before = {0};
  hs_status status = hs_file_make_folders(directory, err);
  if (lock->fd >= 0) (void)close(lock->fd);
  lock->fd = -1;
  if (!status) status = take(lock, directory, &said_before, err);
  if (!status) lock->renewed = true;
  return status;
}

hs_status hs_output_lock_renew(struct hs_output_lock *lock, const char *directory, struct hs_warnings *notes,
                               struct hs_error *err)
{
  char text[1024];
  hs_status status = HS_OK;
  if (!still_there(lock->fd, lock->path)) status = make_again(lock, directory, err);
  if (status || !lock->renewed || !notes) return status;
  snprintf(text, sizeof text,
           "%.700s was removed during the run; it was made again, without what was in it beside this "
           "run's files",
           directory);
  hs_warnings_add(notes, text);
  lock->renewed = false;
  return HS_OK;
}

void hs_output_unlock(struct hs_output_lock *lock)
{
  if (!lock) return;
  if (lock->fd >= 0) {
    if (still_there(lock->fd, lock->path)) (void)unlink(lock->path);
    (void)close(lock->fd);
  }
  free(lock->path);
  free(lock);
}
