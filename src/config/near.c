/* The names of a folder are compared by hs_text_nearest; of very large folders not all. */
#include "config/near.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "config/text.h"

enum { NAMES_MOST = 10000 };

static void names_take(DIR *folder, const char *ending, char **names, size_t *count)
{
  const size_t tail = strlen(ending);
  const struct dirent *entry;
  while (*count < NAMES_MOST && (entry = readdir(folder)) != NULL) {
    const size_t length = strlen(entry->d_name);
    if (entry->d_name[0] == '.' || length <= tail || strcmp(entry->d_name + length - tail, ending) != 0) continue;
    names[*count] = strdup(entry->d_name);
    if (names[*count]) ++*count;
  }
}

char *hs_near_file(const char *path, const char *ending)
{
  const char *slash = strrchr(path, '/'), *typed = slash ? slash + 1 : path, *nearest;
  const int before = (int)(typed - path); /* bytes of the folder, slash included */
  char *folder = before ? strndup(path, (size_t)before) : strdup("."), *found = NULL;
  DIR *entries = folder ? opendir(folder) : NULL;
  char **names = entries ? malloc(NAMES_MOST * sizeof *names) : NULL;
  size_t count = 0;
  if (names) names_take(entries, ending, names, &count);
  nearest = hs_text_nearest(typed, (const char *const *)names, count);
  if (nearest) found = hs_text_format(NULL, "%.*s%s", before, path, nearest);
  for (size_t k = 0; k < count; k++) free(names[k]);
  free(names);
  if (entries) (void)closedir(entries);
  free(folder);
  return found;
}
