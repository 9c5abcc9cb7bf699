/* A temporary folder; see folder.h. */
#include "folder.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

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

static int remove_entry(const char *path, const struct stat *status, int flag, struct FTW *ftw)
{
  (void)status;
  (void)flag;
  (void)ftw;
  return remove(path);
}

int test_folder_remove_all(void)
{
  DIR *directory = opendir(folder);
  const struct dirent *entry;
  int leftovers = 0;
  while (directory && (entry = readdir(directory)))
    if (entry->d_name[0] == '.' && strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) leftovers++;
  if (directory) closedir(directory);
  (void)nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
  return leftovers;
}

int test_folder_count(const char *path)
{
  DIR *directory = opendir(path);
  int count = 0;
  assert_non_null(directory);
  while (readdir(directory)) count++;
  closedir(directory);
  return count - 2;
}

void test_file_put(const char *path, const char *text)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

char *test_file_get(const char *path)
{
  FILE *file = fopen(path, "rb");
  char *text = calloc(1, 1 << 16);
  assert_non_null(file);
  assert_non_null(text);
  (void)!fread(text, 1, (1 << 16) - 1, file);
  fclose(file);
  return text;
}
