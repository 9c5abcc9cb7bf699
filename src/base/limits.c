/* Limits of memory and processors' time.
 *
 * Inside a control group (a container, a batch job) /proc/meminfo and the affinity mask still tell of the whole
 * machine, so the limits of the group and of its parents are read as well, for both versions of the interface. A
 * container may see its own group as the root of the mount while the list gives its path outside: folders that do not
 * exist have no limit, and the walk ends at the root. Cached file pages count as free, since the kernel drops them
 * before it refuses.
 */
#include "base/limits.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4400 };

const struct hs_groups hs_groups_here = {"/proc/self/cgroup", "/sys/fs/cgroup"};

/* Reads up to two numbers behind `word` in the line of folder/name that begins with it (word "": the first line); returns
 * how many. */
static int numbers_read(const char *folder, const char *name, const char *word, double number[2])
{
  const size_t length = strlen(word);
  char text[PATH_BYTES + 64];
  int found = 0;
  FILE *file;
  snprintf(text, sizeof text, "%s/%s", folder, name);
  file = fopen(text, "r");
  if (!file) return 0;
  while (!found && fgets(text, sizeof text, file)) {
    if (!strncmp(text, word, length)) found = sscanf(text + length, " %lf %lf", &number[0], &number[1]);
    if (!*word) break;
  }
  fclose(file);
  return found > 0 ? found : 0;
}

/* Memory left in a group, from three files or rows of one version of the interface: the limit in bytes (or "max"), the
 * bytes in use, and the row of memory.stat that counts file pages which can be dropped. */
static double memory_of(const char *folder, const char *limit, const char *usage, const char *cached)
{
  double most[2], used[2], dropped[2] = {0.0};
  if (!numbers_read(folder, limit, "", most) || !numbers_read(folder, usage, "", used)) return INFINITY;
  numbers_read(folder, "memory.stat", cached, dropped);
  return fmax(0.0, most[0] - fmax(0.0, used[0] - dropped[0]));
}

static double memory_1(const char *folder)
{
  return memory_of(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file ");
}

static double memory_2(const char *folder)
{
  return memory_of(folder, "memory.max", "memory.current", "inactive_file ");
}

/* A quota of -1 means no limit. */
static double processors_1(const char *folder)
{
  double quota[2], period[2];
  if (!numbers_read(folder, "cpu.cfs_quota_us", "", quota)) return INFINITY;
  if (!numbers_read(folder, "cpu.cfs_period_us", "", period)) return INFINITY;
  return quota[0] > 0.0 && period[0] > 0.0 ? quota[0] / period[0] : INFINITY;
}

/* "quota period" or "max period". */
static double processors_2(const char *folder)
{
  double numbers[2];
  if (numbers_read(folder, "cpu.max", "", numbers) != 2) return INFINITY;
  return numbers[0] > 0.0 && numbers[1] > 0.0 ? numbers[0] / numbers[1] : INFINITY;
}

/* The tightest limit of the group mount/path and of all its parents. path is cut in the process. */
static double chain_least(const char *mount, char *path, double (*limit)(const char *folder))
{
  double least = INFINITY;
  char folder[PATH_BYTES];
  for (;;) {
    char *slash;
    snprintf(folder, sizeof folder, "%s%s", mount, path);
    least = fmin(least, limit(folder));
    slash = strrchr(path, '/');
    if (!slash) return least;
    *slash = '\0';
  }
}

/* Is a controller in a list with commas? */
static bool lists(const char *controllers, const char *controller)
{
  for (const char *name = controllers;; name++) {
    const size_t length = strcspn(name, ",");
    if (length == strlen(controller) && !strncmp(name, controller, length)) return true;
    name += length;
    if (!*name) return false;
  }
}

/* Lines of the list are "number:controllers:path", of version 2 "0::path". */
static double groups_least(const struct hs_groups *groups, const char *controller,
                           double (*limit_1)(const char *folder), double (*limit_2)(const char *folder))
{
  double least = INFINITY;
  char line[PATH_BYTES - 128], mount[128];
  FILE *file = fopen(groups->list, "r");
  if (!file) return least;
  while (fgets(line, sizeof line, file)) {
    char *const controllers = strchr(line, ':'), *const path = controllers ? strchr(controllers + 1, ':') : NULL;
    line[strcspn(line, "\n")] = '\0';
    if (!path || path[1] != '/') continue;
    *path = '\0';
    snprintf(mount, sizeof mount, "%s/%s", groups->mount, controller);
    if (!strcmp(line, "0:"))
      least = fmin(least, chain_least(groups->mount, path + 1, limit_2));
    else if (lists(controllers + 1, controller))
      least = fmin(least, chain_least(mount, path + 1, limit_1));
  }
  fclose(file);
  return least;
}

double hs_groups_memory(const struct hs_groups *groups)
{
  return groups_least(groups, "memory", memory_1, memory_2);
}

double hs_groups_processors(const struct hs_groups *groups)
{
  return groups_least(groups, "cpu", processors_1, processors_2);
}

double hs_processors_granted(void)
{
  return hs_groups_processors(&hs_groups_here);
}

/* The fourth number of /proc/loadavg: "0.20 0.18 0.12 2/80 11206" is of a machine where 2 of 80 threads run. */
int hs_processors_free(int own, int allowed)
{
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  FILE *file = fopen("/proc/loadavg", "r");
  int running = 0;
  long others;
  if (!file) return INT_MAX;
  if (fscanf(file, "%*f %*f %*f %d/", &running) != 1) running = 0;
  fclose(file);
  if (running < 1 || processors < 1 || allowed < processors) return INT_MAX;
  others = running > own ? running - own : 0;
  return processors > others ? (int)(processors - others) : 1;
}

double hs_memory_available(void)
{
  double kib[2];
  const bool known = numbers_read("/proc", "meminfo", "MemAvailable:", kib) > 0;
  return fmin(known ? 1024.0 * kib[0] : INFINITY, hs_groups_memory(&hs_groups_here));
}
