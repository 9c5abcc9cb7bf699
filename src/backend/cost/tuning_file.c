/* The file of measured costs: one JSON file for each machine in the user's cache folder.
 *
 *     {"format": "heatsolve tuning", "version": 1, "machine": "...", "measured_utc": "...",
 *      "curves": [{"backend": "cpu", "kind": "uniform", "precision": "double",
 *                  "points": [[nodes, seconds per sweep], ...]}, ...]}
 *
 * Its name carries a hash of the machine's (FNV-1a, 64 bits), so that machines may share a home folder. It is written
 * under a temporary name, flushed and renamed. What is read is checked in full before any of it counts: a wrong cost
 * does no harm to a result, but it would choose the wrong backend.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/cost/tuning.h"
#include "base/input.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/shown.h"

enum { VERSION = 1, FILE_BYTES_MOST = 4 * 1024 * 1024 };
static const char FORMAT[] = "heatsolve tuning";
static const char ADVICE[] = "Built-in costs are used instead; `heatsolve tune` measures anew";

/* --- its place ------------------------------------------------------------------------------- */

static char *folder_path(struct hs_error *err)
{
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (cache && cache[0] == '/') return hs_text_format(err, "%s/heatsolve", cache);
  if (home && home[0] == '/') return hs_text_format(err, "%s/.cache/heatsolve", home);
  hs_error_set(err, HS_ERR_IO,
               "there is no home folder to keep measured costs in; set XDG_CACHE_HOME to a folder that is yours");
  return NULL;
}

static uint64_t text_hash(const char *text)
{
  uint64_t hash = 14695981039346656037u;
  for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
  return hash;
}

char *hs_tuning_path(struct hs_error *err)
{
  char machine[sizeof((struct hs_tuning){0}).machine];
  char *path = NULL, *folder = folder_path(err);
  if (!folder) return NULL;
  hs_tuning_machine(machine, sizeof machine);
  path = hs_text_format(err, "%s/tuning-%016llx.json", folder, (unsigned long long)text_hash(machine));
  free(folder);
  return path;
}

/* --- reading --------------------------------------------------------------------------------- */

/* The kind and precision of that name; -1: none. */
static int kind_of(const char *name)
{
  for (int kind = 0; name && kind < HS_TUNING_KINDS; kind++)
    if (!strcmp(name, hs_tuning_kind_name((enum hs_tuning_kind)kind))) return kind;
  return -1;
}

static int precision_of(const char *name)
{
  return !name ? -1 : !strcmp(name, "double") ? 0 : !strcmp(name, "single") ? 1 : -1;
}

/* Takes over one curve; false: it is not one, or memory is short. */
static bool curve_take(const json_t *object, struct hs_tuning *tuning)
{
  const char *backend = json_string_value(json_object_get(object, "backend"));
  const int kind = kind_of(json_string_value(json_object_get(object, "kind")));
  const int single = precision_of(json_string_value(json_object_get(object, "precision")));
  const json_t *points = json_object_get(object, "points");
  double before = 0.0;
  if (!backend || !backend[0] || strlen(backend) >= sizeof tuning->curve->backend || kind < 0 || single < 0)
    return false;
  if (!json_is_array(points) || json_array_size(points) == 0) return false;
  for (size_t k = 0; k < json_array_size(points); k++) {
    const json_t *point = json_array_get(points, k);
    const double nodes = json_number_value(json_array_get(point, 0)), s = json_number_value(json_array_get(point, 1));
    struct hs_error ignored;
    if (json_array_size(point) != 2 || !(nodes > before) || !(s > 0.0)) return false;
    if (hs_tuning_add(tuning, backend, (enum hs_tuning_kind)kind, single == 1, nodes, s, &ignored)) return false;
    before = nodes;
  }
  return true;
}

/* The content of a file: false with what is wrong in why, which is "" where it is another machine's. */
static bool content_take(const json_t *root, const char *machine, struct hs_tuning *tuning, char *why, size_t size)
{
  const char *format = json_string_value(json_object_get(root, "format"));
  const char *of = json_string_value(json_object_get(root, "machine"));
  const char *date = json_string_value(json_object_get(root, "measured_utc"));
  const json_t *version = json_object_get(root, "version"), *curves = json_object_get(root, "curves");
  why[0] = '\0';
  if (!format || strcmp(format, FORMAT) || !of || !date || !json_is_integer(version) || !json_is_array(curves)) {
    snprintf(why, size, "it is not a file of measured costs");
    return false;
  }
  if (json_integer_value(version) != VERSION) {
    snprintf(why, size, "it is of version %lld and this program reads version %d",
             (long long)json_integer_value(version), VERSION);
    return false;
  }
  if (strcmp(of, machine)) return false;
  snprintf(tuning->machine, sizeof tuning->machine, "%s", of);
  hs_text_show(date, tuning->measured_utc, sizeof tuning->measured_utc);
  for (size_t k = 0; k < json_array_size(curves); k++) {
    if (curve_take(json_array_get(curves, k), tuning)) continue;
    snprintf(why, size, "curve %d in it is damaged", (int)k + 1);
    return false;
  }
  return true;
}

/* The file as JSON; NULL with what is wrong in why. */
static json_t *file_read(const char *path, char *why, size_t size)
{
  char reason[HS_INPUT_REASON];
  FILE *file = hs_input_stream(path, reason);
  json_t *root = NULL;
  json_error_t where;
  struct stat facts;
  if (!file) {
    snprintf(why, size, "%s", reason);
    return NULL;
  }
  if (fstat(fileno(file), &facts) == 0 && facts.st_size > FILE_BYTES_MOST)
    snprintf(why, size, "it has more than %d MiB", FILE_BYTES_MOST / (1024 * 1024));
  else if ((root = json_loadf(file, JSON_REJECT_DUPLICATES, &where)) == NULL)
    snprintf(why, size, "%.*s", (int)size - 1, where.text);
  (void)fclose(file);
  return root;
}

hs_status hs_tuning_load(struct hs_tuning **tuning, struct hs_error *err)
{
  struct hs_error no_folder;
  struct hs_tuning *read = NULL;
  char machine[sizeof read->machine], why[200] = "";
  json_t *root = NULL;
  hs_status status = HS_OK;
  char *path = hs_tuning_path(&no_folder);
  *tuning = NULL;
  if (!path || (access(path, F_OK) && errno == ENOENT)) goto out;
  status = hs_array_create((void **)&read, 1, sizeof *read, "the measured costs", err);
  if (status) goto out;
  hs_tuning_machine(machine, sizeof machine);
  root = file_read(path, why, sizeof why);
  if (root && content_take(root, machine, read, why, sizeof why)) {
    *tuning = read;
    read = NULL;
  }
  if (why[0])
    status = hs_error_set(err, HS_ERR_IO, "the measured costs in %s cannot be used: %s. %s", path, why, ADVICE);
out:
  json_decref(root);
  hs_tuning_destroy(read);
  free(path);
  return status;
}

/* --- writing --------------------------------------------------------------------------------- */

/* Below, a negative value means that memory is short, as in jansson. */
static int curve_put(json_t *curves, const struct hs_tuning_curve *curve)
{
  json_t *object = json_object(), *points = json_array();
  int failed = 0;
  for (int k = 0; k < curve->count; k++)
    failed |= json_array_append_new(points, json_pack("[f,f]", curve->point[k].nodes, curve->point[k].sweep_s));
  failed |= json_object_set_new(object, "backend", json_string(curve->backend));
  failed |= json_object_set_new(object, "kind", json_string(hs_tuning_kind_name(curve->kind)));
  failed |= json_object_set_new(object, "precision", json_string(curve->single ? "single" : "double"));
  failed |= json_object_set_new(object, "points", points);
  return failed | json_array_append_new(curves, object);
}

/* The file's text, to be freed; NULL: memory is short. */
static char *text_make(const struct hs_tuning *tuning)
{
  json_t *root = json_object(), *curves = json_array();
  char *text = NULL;
  int failed = json_object_set_new(root, "format", json_string(FORMAT));
  failed |= json_object_set_new(root, "version", json_integer(VERSION));
  failed |= json_object_set_new(root, "machine", json_string(tuning->machine));
  failed |= json_object_set_new(root, "measured_utc", json_string(tuning->measured_utc));
  for (int k = 0; k < tuning->count; k++)
    if (tuning->curve[k].count > 0) failed |= curve_put(curves, &tuning->curve[k]);
  failed |= json_object_set_new(root, "curves", curves);
  if (!failed) text = hs_json_text(root, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
  json_decref(root);
  return text;
}

static hs_status fail(struct hs_error *err, const char *path)
{
  return hs_error_set(err, HS_ERR_IO, "cannot write %s: %s; set XDG_CACHE_HOME to a folder that can be written", path,
                      strerror(errno));
}

/* Creates every missing folder on the way to the file. */
static hs_status folders_make(char *path, struct hs_error *err)
{
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    if (mkdir(path, 0755) && errno != EEXIST) return fail(err, path);
    *slash = '/';
  }
  return HS_OK;
}

/* Writes all of text, flushes and closes the file. */
static bool text_write(int fd, const char *text)
{
  size_t left = strlen(text);
  bool good = true;
  int failure = 0;
  while (good && left > 0) {
    const ssize_t written = write(fd, text, left);
    if (written < 0 && errno == EINTR) continue;
    good = written >= 0;
    if (!good) break;
    text += written;
    left -= (size_t)written;
  }
  if (good) good = fchmod(fd, 0644) == 0;
  if (good) good = fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP;
  failure = errno;
  if (close(fd) && good) return false;
  errno = failure;
  return good;
}

/* A new file beside path, open for writing as fd; its name *temporary is the caller's, NULL if there is none. */
static hs_status temporary_open(char *path, char **temporary, int *fd, struct hs_error *err)
{
  hs_status status = folders_make(path, err);
  *temporary = NULL;
  if (status) return status;
  *temporary = hs_text_format(err, "%s.XXXXXX", path);
  if (!*temporary) return HS_ERR_MEMORY;
  *fd = mkstemp(*temporary);
  return *fd < 0 ? fail(err, path) : HS_OK;
}

hs_status hs_tuning_save_try(struct hs_error *err)
{
  char *path = hs_tuning_path(err), *temporary = NULL;
  int fd = -1;
  hs_status status = err ? err->status : HS_ERR_IO;
  if (path) status = temporary_open(path, &temporary, &fd, err);
  if (fd >= 0) {
    (void)close(fd);
    (void)unlink(temporary);
  }
  free(temporary);
  free(path);
  return status;
}

hs_status hs_tuning_save(const struct hs_tuning *tuning, struct hs_error *err)
{
  char *path = hs_tuning_path(err), *temporary = NULL, *text = NULL;
  hs_status status;
  int fd = -1;
  if (!path) return err ? err->status : HS_ERR_IO;
  text = text_make(tuning);
  status = text ? temporary_open(path, &temporary, &fd, err)
                : hs_error_set(err, HS_ERR_MEMORY, "not enough memory to write %s", path);
  if (!status && (!text_write(fd, text) || rename(temporary, path))) {
    status = fail(err, path);
    (void)unlink(temporary);
  }
  free(temporary);
  free(text);
  free(path);
  return status;
}
