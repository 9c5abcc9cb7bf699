/* What a path leads to is asked twice: before it is opened, since opening alone can rewind a tape or wake a program, and
 * of the open descriptor, since another file may have taken its place. It is opened without waiting. */
#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static enum hs_input_kind kind_of(const struct stat *facts, bool handed_over)
{
  if (S_ISREG(facts->st_mode)) return HS_INPUT_FILE;
  if (S_ISDIR(facts->st_mode)) return HS_INPUT_FOLDER;
  if (S_ISCHR(facts->st_mode) && facts->st_rdev == makedev(1, 3)) return HS_INPUT_FILE; /* /dev/null */
  if (handed_over && (S_ISFIFO(facts->st_mode) || S_ISCHR(facts->st_mode))) return HS_INPUT_STREAM;
  return HS_INPUT_OTHER;
}

static const char *name_of(mode_t mode)
{
  return S_ISFIFO(mode)   ? "a named pipe"
         : S_ISSOCK(mode) ? "a socket"
         : S_ISCHR(mode)  ? "a device"
         : S_ISBLK(mode)  ? "a disk"
                          : "no file";
}

/* The kind, and for those that are refused the reason. */
static enum hs_input_kind judge(const struct stat *facts, bool handed_over, char reason[HS_INPUT_REASON])
{
  const enum hs_input_kind kind = kind_of(facts, handed_over);
  if (kind == HS_INPUT_FOLDER) snprintf(reason, HS_INPUT_REASON, "%s", strerror(EISDIR));
  if (kind == HS_INPUT_OTHER)
    snprintf(reason, HS_INPUT_REASON, "it is %s, and only files can be read", name_of(facts->st_mode));
  return kind;
}

/* Has the program's caller opened it? */
static bool is_handed_over(const char *path)
{
  static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
  for (size_t k = 0; k < sizeof folders / sizeof *folders; k++)
    if (strncmp(path, folders[k], strlen(folders[k])) == 0) return true;
  return strcmp(path, "/dev/stdin") == 0;
}

enum hs_input_kind hs_input_open(const char *path, int *fd, char reason[HS_INPUT_REASON])
{
  const bool handed_over = is_handed_over(path);
  enum hs_input_kind kind = HS_INPUT_UNOPENED;
  struct stat facts;
  int flags, failure;
  *fd = -1;
  reason[0] = '\0';
  if (stat(path, &facts) != 0) goto failed;
  kind = judge(&facts, handed_over, reason);
  if (reason[0]) return kind;
  *fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (*fd < 0 || fstat(*fd, &facts) != 0) goto failed;
  kind = judge(&facts, handed_over, reason);
  if (!reason[0] && ((flags = fcntl(*fd, F_GETFL)) < 0 || fcntl(*fd, F_SETFL, flags & ~O_NONBLOCK) < 0)) goto failed;
  if (!reason[0]) return kind;
  (void)close(*fd);
  *fd = -1;
  return kind;
failed:
  failure = errno;
  snprintf(reason, HS_INPUT_REASON, "%s", strerror(failure));
  if (*fd >= 0) (void)close(*fd);
  *fd = -1;
  errno = failure;
  return HS_INPUT_UNOPENED;
}

FILE *hs_input_stream(const char *path, char reason[HS_INPUT_REASON])
{
  int fd;
  const enum hs_input_kind kind = hs_input_open(path, &fd, reason);
  FILE *file = kind == HS_INPUT_FILE ? fdopen(fd, "rb") : NULL;
  if (file || fd < 0) return file;
  snprintf(reason, HS_INPUT_REASON, "%s", kind == HS_INPUT_STREAM ? "only files can be read" : strerror(errno));
  (void)close(fd);
  return NULL;
}

bool hs_input_is_file(const char *path, char reason[HS_INPUT_REASON])
{
  FILE *file = hs_input_stream(path, reason);
  if (file) (void)fclose(file);
  return file != NULL;
}

bool hs_input_is_folder(const char *path)
{
  struct stat facts;
  return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}
