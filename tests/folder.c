/* A temporary folder; see folder.h. */
#include "folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[256];

int test_folder_create(const char *name)
{
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/heatsolve-%s.XXXXXX", base && base[0] ? base : "/tmp", name);
  return mkdtemp(folder) ? 0 : -1;
}

const char *test_folder(void)
{
  return folder;
}

const char *test_folder_path(const char *name)
{
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

int test_folder_remove(const char *const files[])
{
  for (; *files; files++) (void)unlink(test_folder_path(*files));
  return rmdir(folder);
}
