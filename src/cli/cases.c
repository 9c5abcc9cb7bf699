/* Where validate's cases are; see cases.h.
 *
 * The cases that came with heatsolve are looked for beside the program first, so that a build folder and an
 * installation that was moved have their own, from wherever they are started: in configs/validation (configure makes a
 * link to configs in a build folder), then in ../share/heatsolve/validation. Behind these come the folder of the
 * installation and the present one.
 */
#include "cli/cases.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/options.h"
#include "config/near.h"
#include "io/file.h"

#define SOURCE_CASES "configs/validation"

static hs_status cases_add(struct hs_cases *cases, char *path, bool listed, struct hs_error *err)
{
  const int room = cases->room ? 2 * cases->room : 16;
  char **paths;
  bool *flags;
  if (!path) return HS_ERR_MEMORY;
  if (cases->count == cases->room) {
    paths = realloc(cases->path, (size_t)room * sizeof *paths);
    if (paths) cases->path = paths;
    flags = realloc(cases->listed, (size_t)room * sizeof *flags);
    if (flags) cases->listed = flags;
    if (!paths || !flags) {
      free(path);
      return hs_error_set(err, HS_ERR_MEMORY, "not enough memory for the names of %d cases.", room);
    }
    cases->room = room;
  }
  cases->path[cases->count] = path;
  cases->listed[cases->count++] = listed;
  return HS_OK;
}

void hs_cases_clear(struct hs_cases *cases)
{
  for (int k = 0; k < cases->count; k++) free(cases->path[k]);
  free(cases->path);
  free(cases->listed);
}

static int is_configuration(const struct dirent *entry)
{
  const size_t length = strlen(entry->d_name);
  return entry->d_name[0] != '.' && length > 4 && !strcmp(entry->d_name + length - 4, ".ini");
}

/* The configurations of a folder by name. */
static hs_status cases_add_folder(struct hs_cases *cases, const char *folder, struct hs_error *err)
{
  struct dirent **entries = NULL;
  hs_status status = HS_OK;
  const int count = scandir(folder, &entries, is_configuration, alphasort);
  if (count < 0) return hs_error_set(err, HS_ERR_IO, "cannot list the folder %s: %s.", folder, strerror(errno));
  for (int k = 0; k < count; k++) {
    if (!status) status = cases_add(cases, hs_file_join(folder, entries[k]->d_name, err), true, err);
    free(entries[k]);
  }
  free(entries);
  if (!status && !count)
    return hs_error_set(err, HS_ERR_USAGE, "the folder %s holds no configuration (*.ini); name another one.", folder);
  return status;
}

static bool is_folder(const char *path)
{
  struct stat information;
  return !stat(path, &information) && S_ISDIR(information.st_mode);
}

/* The folder that the program lies in, with a slash at its end, into place[PATH_MAX]; false: it cannot be told. */
static bool program_folder(const char *program, char *place)
{
  ssize_t length = readlink("/proc/self/exe", place, PATH_MAX - 1);
  char *slash;
  if (length > 0)
    place[length] = '\0';
  else if (!program || !strchr(program, '/') || !realpath(program, place))
    return false;
  slash = strrchr(place, '/');
  if (!slash) return false;
  slash[1] = '\0';
  return true;
}

char *hs_cases_folder(const char *program)
{
  char place[PATH_MAX] = "";
  const bool known = program_folder(program, place);
  const char *const beside[] = {known ? place : NULL, known ? place : NULL, "", ""};
  static const char *const folders[] = {SOURCE_CASES, "../share/heatsolve/validation", HS_PKGDATADIR "/validation",
                                        SOURCE_CASES};
  for (int k = 0; k < 4; k++) {
    char *folder = beside[k] ? hs_text_format(NULL, "%s%s", beside[k], folders[k]) : NULL;
    if (folder && is_folder(folder)) return folder;
    free(folder);
  }
  return NULL;
}

static hs_status absent_refuse(const char *name, struct hs_error *err)
{
  char *near = hs_near_file(name, ".ini");
  hs_usage_error(err, HS_COMMAND_VALIDATE, "there is no file or folder %s%s%s%s", name, near ? "; did you mean " : "",
                 near ? near : "", near ? "?" : "");
  free(near);
  return HS_ERR_USAGE;
}

hs_status hs_cases_find(const char *const *names, int count, const char *program, struct hs_cases *cases,
                        struct hs_error *err)
{
  hs_status status = HS_OK;
  char *folder;
  for (int k = 0; k < count; k++)
    if (strcmp(names[k], "-") && access(names[k], F_OK)) return absent_refuse(names[k], err);
  for (int k = 0; !status && k < count; k++)
    status = is_folder(names[k]) ? cases_add_folder(cases, names[k], err)
                                 : cases_add(cases, hs_text_copy(names[k], err), false, err);
  if (count) return status;
  folder = hs_cases_folder(program);
  if (!folder)
    return hs_usage_error(err, HS_COMMAND_VALIDATE,
                          "there are no cases: neither beside the program nor in %s, and no folder %s is here; name "
                          "configurations with [expect NAME] sections, or a folder of such",
                          HS_PKGDATADIR "/validation", SOURCE_CASES);
  status = cases_add_folder(cases, folder, err);
  free(folder);
  return status;
}
