/* Entries of the folder are judged one by one: by their names, and lines, whose names users choose, by their headings. All
 * are looked at before the first is removed, and only files and links are. */
#include "output/earlier.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/inputs.h"
#include "output/names.h"
#include "output/report/answers_csv.h"

enum { NAMED = 5 }; /* in a warning */

/* Does a file "line-NAME.csv" begin as those of runs do? Others are taken for what their names say. */
static bool fits_its_name(int folder, const char *name)
{
  static const char heading[] = HS_ANSWERS_LINE_HEADING;
  char begin[sizeof heading - 1];
  ssize_t length;
  int fd;
  if (strncmp(name, "line-", 5) != 0) return true;
  fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (fd < 0) return false;
  length = read(fd, begin, sizeof begin);
  (void)close(fd);
  return length == (ssize_t)sizeof begin && memcmp(begin, heading, sizeof begin) == 0;
}

static bool is_earlier(const struct hs_config *config, bool keep_written, int folder, const char *name)
{
  struct stat facts;
  if (!hs_output_name_is_of_runs(name) || (keep_written && hs_output_name_is_written(config, name))) return false;
  if (fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) != 0) return false;
  return (S_ISREG(facts.st_mode) || S_ISLNK(facts.st_mode)) && fits_its_name(folder, name);
}

/* Does a file of another user have the name of one that the run writes (check's drawing is not), in a folder whose sticky bit,
 * as that of /tmp, lets only its owner replace it? */
static bool is_fixed(const struct hs_config *config, int folder, const char *name)
{
  struct stat all, file;
  const uid_t me = geteuid();
  return me != 0 && !hs_output_name_is_drawing(name) && hs_output_name_is_written(config, name) &&
         fstat(folder, &all) == 0 && (all.st_mode & S_ISVTX) && all.st_uid != me &&
         fstatat(folder, name, &file, AT_SYMLINK_NOFOLLOW) == 0 && file.st_uid != me;
}

static hs_status fixed_refuse(const char *directory, const char *name, struct hs_error *err)
{
  return hs_error_set(err, HS_ERR_IO,
                      "the run could not replace %s in the output folder %s: the file is another user's, and the "
                      "folder's sticky bit keeps it; choose another one with output.directory or --output",
                      name, directory);
}

static void warn(const char *directory, const char *const *names, int count, struct hs_warnings *notes)
{
  char text[1024], *at = text, *const end = text + sizeof text;
  at += snprintf(at, (size_t)(end - at), "%.400s holds", directory);
  for (int k = 0; k < count && k < NAMED && at < end; k++)
    at += snprintf(at, (size_t)(end - at), "%s %.60s", k ? "," : "", names[k]);
  if (count > NAMED && at < end) at += snprintf(at, (size_t)(end - at), " and %d more", count - NAMED);
  if (at < end)
    snprintf(at, (size_t)(end - at),
             " of an earlier run, which this one does not write; --force (HEATSOLVE_FORCE) removes %s",
             count > 1 ? "them" : "it");
  hs_warnings_add(notes, text);
}

/* Refuses when one of the files is an input of the run. */
static hs_status inputs_spare(const struct hs_config *config, int folder, const char *const *names, int count,
                              struct hs_error *err)
{
  struct hs_inputs *inputs = NULL;
  hs_status status = hs_inputs_create(config, &inputs, err);
  for (int k = 0; !status && k < count; k++) {
    struct stat facts;
    const char *input = fstatat(folder, names[k], &facts, 0) == 0 ? hs_inputs_find(inputs, &facts) : NULL;
    if (input)
      status = hs_error_set(err, HS_ERR_CONFIG,
                            "%s: the run reads %s and would remove it, with all files of the earlier run; choose "
                            "another output folder with "
                            "output.directory or --output, or move the file that is read",
                            config->path, input);
  }
  hs_inputs_destroy(inputs);
  return status;
}

static hs_status remove_all(const char *directory, int folder, const char *const *names, int count,
                            struct hs_error *err)
{
  for (int k = 0; k < count; k++)
    if (unlinkat(folder, names[k], 0) != 0 && errno != ENOENT)
      return hs_error_set(err, HS_ERR_IO, "cannot remove %s of an earlier run from %s: %s", names[k], directory,
                          strerror(errno));
  return HS_OK;
}

hs_status hs_output_earlier(const struct hs_config *config, bool goes_on, bool clear, struct hs_warnings *notes,
                            struct hs_error *err)
{
  const char *directory = config->output.directory && config->output.directory[0] ? config->output.directory : ".";
  struct dirent **entries = NULL;
  const int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int all = fd < 0 ? -1 : scandir(directory, &entries, NULL, alphasort);
  const char **names = all > 0 ? malloc((size_t)all * sizeof *names) : NULL;
  hs_status status = HS_OK;
  int count = 0;
  for (int k = 0; names && k < all; k++)
    if (is_earlier(config, goes_on || !clear, fd, entries[k]->d_name)) names[count++] = entries[k]->d_name;
  for (int k = 0; !status && k < all; k++)
    if (is_fixed(config, fd, entries[k]->d_name)) status = fixed_refuse(directory, entries[k]->d_name, err);
  if (status)
    count = 0;
  else if (all < 0)
    status = hs_error_set(err, HS_ERR_IO, "cannot list the output folder %s: %s", directory, strerror(errno));
  else if (all > 0 && !names)
    status = hs_error_set(err, HS_ERR_MEMORY, "not enough memory for the names in %s", directory);
  else if (!clear && count > 0)
    warn(directory, names, count, notes);
  else if (clear && count > 0)
    status = inputs_spare(config, fd, names, count, err);
  if (!status && clear) status = remove_all(directory, fd, names, count, err);
  for (int k = 0; k < all; k++) free(entries[k]);
  free(names);
  free(entries);
  if (fd >= 0) (void)close(fd);
  return status;
}
