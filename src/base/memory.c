/* Aligned arrays with checked sizes, formatted texts, and the memory that is left.
 *
 * Arrays are zeroed by the calling thread, so on a machine with several memory nodes their pages
 * lie on that thread's node; a backend that minds allocates for itself.
 *
 * Inside a control group (a container, a batch job) /proc/meminfo still tells of the whole
 * machine, so the limits of the group and of its parents are read as well, for both versions of
 * the interface. Cached file pages count as free, since the kernel drops them before it refuses.
 */
#include "base/memory.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

/* Where one version of the control group interface keeps its numbers. */
struct group_layout {
  const char *mount;
  const char *limit;  /* file with the limit in bytes, or "max" */
  const char *usage;  /* file with the bytes in use */
  const char *cached; /* row of memory.stat with file pages that can be dropped */
};

hs_status hs_array_create(void **array, size_t count, size_t size, const char *what, struct hs_error *err)
{
  size_t bytes;

  *array = NULL;
  if (size != 0 && count > (SIZE_MAX - ALIGNMENT) / size) {
    return hs_error_set(err, HS_ERR_MEMORY, "%s would need %zu elements of %zu bytes, more than can be addressed.",
                        what, count, size);
  }
  bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (bytes == 0) bytes = ALIGNMENT;
  *array = aligned_alloc(ALIGNMENT, bytes);
  if (!*array) {
    hs_error_set(err, HS_ERR_MEMORY, "no memory for %s: %.3f GiB are needed", what, (double)bytes / 0x1p30);
    if (hs_memory_available() > 0)
      hs_error_append(err, "and about %.3f GiB are free", (double)hs_memory_available() / 0x1p30);
    return HS_ERR_MEMORY;
  }
  memset(*array, 0, bytes);
  return HS_OK;
}

char *hs_text_copy(const char *text, struct hs_error *err)
{
  char *copy = strdup(text);
  if (!copy) hs_error_set(err, HS_ERR_MEMORY, "No memory for a text of %zu bytes.", strlen(text));
  return copy;
}

char *hs_text_format(struct hs_error *err, const char *format, ...)
{
  va_list arguments;
  char *text = NULL;
  int length;

  va_start(arguments, format);
  length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (length >= 0) text = malloc((size_t)length + 1);
  if (!text) {
    hs_error_set(err, HS_ERR_MEMORY, "No memory for a formatted text.");
    return NULL;
  }
  va_start(arguments, format);
  vsnprintf(text, (size_t)length + 1, format, arguments);
  va_end(arguments);
  return text;
}

/* The number that follows word at the start of a line of the file (word "": of its first line). */
static bool number_read(const char *path, const char *word, uint64_t *number)
{
  const size_t length = strlen(word);
  char line[256];
  bool found = false;
  FILE *file = fopen(path, "r");

  if (!file) return false;
  while (!found && fgets(line, sizeof line, file)) {
    if (strncmp(line, word, length) == 0) found = sscanf(line + length, " %" SCNu64, number) == 1;
  }
  fclose(file);
  return found;
}

/* What the group in mount/path still allows; UINT64_MAX without a limit. */
static uint64_t group_room(const struct group_layout *layout, const char *path)
{
  char name[4400];
  uint64_t limit, usage, cached = 0;

  snprintf(name, sizeof name, "%s%s/%s", layout->mount, path, layout->limit);
  if (!number_read(name, "", &limit)) return UINT64_MAX;
  snprintf(name, sizeof name, "%s%s/%s", layout->mount, path, layout->usage);
  if (!number_read(name, "", &usage)) return UINT64_MAX;
  snprintf(name, sizeof name, "%s%s/memory.stat", layout->mount, path);
  number_read(name, layout->cached, &cached);
  usage -= cached < usage ? cached : usage;
  return limit > usage ? limit - usage : 0;
}

/* The least room of the group at path and of all its parents. path is cut in the process. */
static uint64_t group_chain_room(const struct group_layout *layout, char *path)
{
  uint64_t least = UINT64_MAX, room;
  char *slash;

  for (;;) {
    room = group_room(layout, path);
    if (room < least) least = room;
    slash = strrchr(path, '/');
    if (!slash) return least;
    *slash = '\0';
  }
}

/* The least room over the control groups of this process. */
static uint64_t groups_room(void)
{
  static const struct group_layout version_1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                                "memory.usage_in_bytes", "total_inactive_file "};
  static const struct group_layout version_2 = {"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "};
  uint64_t least = UINT64_MAX, room;
  char line[4200], *path;
  FILE *file = fopen("/proc/self/cgroup", "r");

  if (!file) return least;
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = '\0';
    path = strchr(line, '/');
    if (!path) continue;
    if (strncmp(line, "0::", 3) == 0) {
      room = group_chain_room(&version_2, path);
    } else if (strstr(line, ":memory:")) {
      room = group_chain_room(&version_1, path);
    } else {
      continue;
    }
    if (room < least) least = room;
  }
  fclose(file);
  return least;
}

size_t hs_memory_available(void)
{
  uint64_t kib, bytes, room;

  if (!number_read("/proc/meminfo", "MemAvailable:", &kib)) return 0;
  bytes = kib * 1024;
  room = groups_room();
  if (room < bytes) bytes = room;
  return bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes;
}
