#include "faults/judge.h"

#include <dirent.h>
#include <hdf5.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/field/snapshots.h"
#include "output/output.h"

const char *const outcome_names[OUTCOMES] = {"complete", "warned", "failed", "ended", "library", "wrong"};

/* --- files ----------------------------------------------------------------------------------------- */

/* Lines of report.json that tell about the machine, the clock and the way to the result. What comes from "warnings" on,
 * the last key, is of that kind, too. guessed: the error, for which memory was short, is estimated in another way. */
static bool line_counts(const char *line, bool guessed)
{
  static const char *const others[] = {
      "\"backend_reason\"", "\"threads\"",       "\"device\"", "\"started_utc\"",
      "\"went_on_from\"",   "\"checkpoints\"",   "\"time_",    "\"node_updates_per_s\"",
      "\"threads_mean\"",   "\"predicted_from\""};
  static const char *const estimated[] = {"\"error_estimate", "\"estimate_cycles\"", "\"resolution_k\""};
  while (*line == ' ') line++;
  for (size_t k = 0; guessed && k < sizeof estimated / sizeof *estimated; k++)
    if (!strncmp(line, estimated[k], strlen(estimated[k]))) return false;
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    if (!strncmp(line, others[k], strlen(others[k]))) return strncmp(line, "\"time_s\"", 8) == 0;
  return true;
}

static bool is_guessed(const char *report)
{
  return strstr(report, "no memory ") && strstr(report, "estimated from the history of the iteration");
}

/* The picture of the convergence shows that estimate. */
static bool convergence_may_differ(const char *folder)
{
  char path[2 * PATH_ROOM], *report;
  size_t size = 0;
  bool may;
  snprintf(path, sizeof path, "%s/out/report.json", folder);
  report = file_get(path, &size);
  may = report && is_guessed(report);
  free(report);
  return may;
}

/* a: of the run with a fault. */
static bool report_same(char *a, char *b)
{
  const bool guessed = is_guessed(a);
  char *more_a, *more_b, *line_a = strtok_r(a, "\n", &more_a), *line_b = strtok_r(b, "\n", &more_b);
  while (line_a && line_b) {
    if (!strncmp(line_a, "  \"warnings\"", 12)) return !strncmp(line_a, line_b, 12);
    if (strcmp(line_a, line_b) != 0 && (line_counts(line_a, guessed) || line_counts(line_b, guessed))) return false;
    line_a = strtok_r(NULL, "\n", &more_a);
    line_b = strtok_r(NULL, "\n", &more_b);
  }
  return !line_a && !line_b;
}

static bool field_same(const char *a, const char *b)
{
  struct hs_output_field one = {0}, other = {0};
  struct hs_error err;
  const bool read = !hs_output_h5_read(a, &one, &err) && !hs_output_h5_read(b, &other, &err);
  const bool same = read && one.nx == other.nx && one.ny == other.ny &&
                    !memcmp(one.field_k, other.field_k, (size_t)one.nx * (size_t)one.ny * sizeof(double));
  hs_output_field_clear(&one);
  hs_output_field_clear(&other);
  return same;
}

enum { NX = 24, NY = 8, NODES = NX * NY };

struct snapshots {
  double (*field_k)[NODES];
  int count;
};

/* All entries of the group, as h5py would read them; the view of all has as many. */
static bool entries_get(hid_t file, struct snapshots *all)
{
  const hid_t view = H5Dopen2(file, "temperature", H5P_DEFAULT), space = view < 0 ? -1 : H5Dget_space(view);
  hsize_t extent[3] = {0};
  H5G_info_t group;
  bool read = H5Gget_info_by_name(file, "snapshots", &group, H5P_DEFAULT) >= 0 &&
              H5Sget_simple_extent_dims(space, extent, NULL) == 3 && extent[0] == group.nlinks;
  all->field_k = calloc(group.nlinks + 1, sizeof *all->field_k);
  for (; read && all->count < (int)group.nlinks; all->count++) {
    char name[32];
    hid_t dataset;
    snprintf(name, sizeof name, "/snapshots/%d", all->count);
    dataset = H5Dopen2(file, name, H5P_DEFAULT);
    read = all->field_k && dataset >= 0 && H5Aexists(dataset, "time_s") > 0 &&
           H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all->field_k[all->count]) >= 0;
    if (dataset >= 0) (void)H5Dclose(dataset);
  }
  if (space >= 0) (void)H5Sclose(space);
  if (view >= 0) (void)H5Dclose(view);
  return read;
}

/* All snapshots, by a plain loop over the group and by the program's own reader. */
static bool snapshots_get(const char *path, struct snapshots *all)
{
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  bool read = file >= 0 && entries_get(file, all);
  struct hs_snapshot_reader *reader = NULL;
  struct hs_snapshot_facts facts;
  struct hs_error err;
  double field_k[NODES];
  if (file >= 0) (void)H5Fclose(file);
  read = read && !hs_snapshot_reader_open(path, NX, NY, &reader, &err);
  for (int k = 0; read && k < hs_snapshot_reader_count(reader); k++)
    read = k < all->count && !hs_snapshot_reader_get(reader, k, &facts, field_k, &err) &&
           !memcmp(field_k, all->field_k[k], sizeof field_k);
  hs_snapshot_reader_close(reader);
  return read;
}

/* Does a hold the snapshots of b, or, with `fewer`, the first of them? */
static bool snapshots_same(const char *a, const char *b, bool fewer)
{
  struct snapshots one = {NULL, 0}, other = {NULL, 0};
  const bool read = snapshots_get(a, &one) && snapshots_get(b, &other);
  const bool same = read && (fewer ? one.count <= other.count : one.count == other.count) &&
                    (one.count == 0 || !memcmp(one.field_k, other.field_k, (size_t)one.count * sizeof *one.field_k));
  free(one.field_k);
  free(other.field_k);
  return same;
}

static bool ends_in(const char *name, const char *end)
{
  const size_t length = strlen(name), wanted = strlen(end);
  return length >= wanted && !strcmp(name + length - wanted, end);
}

/* The fields of a page; the rest tells about the machine and the clock. */
static const char *page_fields(const char *text)
{
  const char *fields = strstr(text, "id=\"page-fields\"");
  return fields && strstr(fields, "</script>") ? fields : NULL;
}

static bool page_same(const char *a, const char *b)
{
  const char *const one = page_fields(a), *const other = page_fields(b);
  const size_t length = one ? (size_t)(strstr(one, "</script>") - one) : 0;
  return one && other && !strncmp(one, other, length) && ends_in(a, "</html>\n") && ends_in(b, "</html>\n");
}

/* Is file `name` of a the one of b? `fewer`: it may be that of a run which is not done. */
static bool file_same(const char *a, const char *b, const char *name, bool fewer)
{
  char path_a[2 * PATH_ROOM], path_b[2 * PATH_ROOM];
  size_t size_a = 0, size_b = 0;
  char *text_a, *text_b;
  bool same;
  snprintf(path_a, sizeof path_a, "%s/out/%s", a, name);
  snprintf(path_b, sizeof path_b, "%s/out/%s", b, name);
  text_a = file_get(path_a, &size_a);
  text_b = file_get(path_b, &size_b);
  same = text_a && text_b && size_a == size_b && !memcmp(text_a, text_b, size_a);
  if (!same && text_a && text_b) {
    if (!strcmp(name, "snapshots.h5"))
      same = snapshots_same(path_a, path_b, fewer);
    else if (!strcmp(name, "report.json"))
      same = fewer ? size_a > 0 && text_a[size_a - 1] == '\n' : report_same(text_a, text_b);
    else if (!strcmp(name, "report.html"))
      same = fewer ? ends_in(text_a, "</html>\n") : page_same(text_a, text_b);
    else if (!strcmp(name, "series.csv") && fewer)
      same = size_a <= size_b && !memcmp(text_a, text_b, size_a);
    else if (!strcmp(name, "snapshots.xdmf") && fewer)
      same = ends_in(text_a, "</Xdmf>\n");
    else if (!strcmp(name, "field.h5"))
      same = field_same(path_a, path_b);
    else if (!strcmp(name, "convergence.png"))
      same = convergence_may_differ(a);
  }
  free(text_a);
  free(text_b);
  return same;
}

/* Is each entry of folder/out what it may be? fewer: the run is not done; may_kill: it had no chance to tidy up; early: it
 * was asked to end, and its files are of the field that there was. */
static bool entries_fit(const char *folder, const char *other, bool fewer, bool may_kill, bool early,
                        char why[PATH_ROOM])
{
  char path[2 * PATH_ROOM];
  const struct dirent *entry;
  DIR *entries;
  bool fit = true;
  snprintf(path, sizeof path, "%s/out", folder);
  entries = opendir(path);
  if (!entries) return fewer;
  while (fit && (entry = readdir(entries))) {
    const char *name = entry->d_name;
    if (!strcmp(name, ".") || !strcmp(name, "..") || (fewer && !strncmp(name, "checkpoint", 10))) continue;
    if (name[0] == '.') {
      fit = may_kill;
      if (!fit) snprintf(why, PATH_ROOM, "%.200s was left behind", name);
      continue;
    }
    fit = early || file_same(folder, other, name, fewer);
    if (!fit) snprintf(why, PATH_ROOM, "%.200s is not right", name);
  }
  (void)closedir(entries);
  return fit;
}

/* Is every file of `right` in `folder`, too? */
static bool none_missing(const char *right, const char *folder, char why[PATH_ROOM])
{
  char path[2 * PATH_ROOM];
  const struct dirent *entry;
  DIR *entries;
  bool all = true;
  snprintf(path, sizeof path, "%s/out", right);
  entries = opendir(path);
  while (all && entries && (entry = readdir(entries))) {
    snprintf(path, sizeof path, "%s/out/%s", folder, entry->d_name);
    all = access(path, R_OK) == 0;
    if (!all) snprintf(why, PATH_ROOM, "%.200s is missing", entry->d_name);
  }
  if (entries) (void)closedir(entries);
  return all && entries;
}

bool judge_complete(const char *right, const char *folder, char why[PATH_ROOM])
{
  return none_missing(right, folder, why) && entries_fit(folder, right, false, false, false, why);
}

/* --- ends ------------------------------------------------------------------------------------------ */

static char *said(const char *folder)
{
  char path[2 * PATH_ROOM];
  size_t size;
  snprintf(path, sizeof path, "%s/stderr", folder);
  return file_get(path, &size);
}

/* The first function of a trace, from the innermost outwards, that is neither the C library's nor the injector's. */
static bool trace_top(const char *folder, const char *name, char top[PATH_ROOM / 2])
{
  static const char *const passed_over[] = {"inject.so", "libc.so", "libpthread", "ld-linux", "linux-vdso"};
  char path[2 * PATH_ROOM], *text, *line, *more;
  size_t size;
  top[0] = '\0';
  snprintf(path, sizeof path, "%s/%s", folder, name);
  text = file_get(path, &size);
  for (line = text ? strtok_r(text, "\n", &more) : NULL; line && !top[0]; line = strtok_r(NULL, "\n", &more)) {
    bool passed = false;
    for (size_t k = 0; k < sizeof passed_over / sizeof *passed_over; k++)
      passed |= strstr(line, passed_over[k]) != NULL;
    if (!passed) snprintf(top, PATH_ROOM / 2, "%.200s", line);
  }
  free(text);
  return top[0] != '\0';
}

/* Is a line of a trace a place in CUDA's runtime? That is linked into the program, and its functions are not exported. */
static bool in_cuda_runtime(const char *line)
{
  static const char *const prefixes[] = {"libcudart_static", "cuda", "__cuda"};
  const char *offset = strstr(line, "(+0x"), *program = getenv("HEATSOLVE");
  char command[2 * PATH_ROOM], name[200] = "";
  bool found = false;
  FILE *pipe;
  if (!offset || !program) return false;
  snprintf(command, sizeof command, "addr2line -f -e '%s' %.*s", program, (int)strcspn(offset + 2, ")"), offset + 2);
  pipe = popen(command, "r");
  if (pipe && !fgets(name, sizeof name, pipe)) name[0] = '\0';
  if (pipe) (void)pclose(pipe);
  for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++)
    found |= strncmp(name, prefixes[k], strlen(prefixes[k])) == 0;
  return found;
}

/* Did it crash in a library? Where the stack or the heap was destroyed, which shows later: one that had asked for memory
 * in vain? */
static bool crashed_in_library(const char *folder, const char *text, char why[PATH_ROOM])
{
  char top[PATH_ROOM / 2];
  const bool heap = text && (strstr(text, "corrupted") || strstr(text, "malloc_consolidate()"));
  const bool known = (!heap && trace_top(folder, "trace", top)) || trace_top(folder, "asked", top);
  snprintf(why, PATH_ROOM, "it crashed in %s", known ? top : "an unknown place");
  return strstr(top, ".so") != NULL || in_cuda_runtime(top);
}

/* Do series.csv and the sentence tell of as many snapshots as there are? */
static bool claims_hold(const char *folder, char why[PATH_ROOM])
{
  static const char holds[] = "It holds the ";
  struct snapshots all = {NULL, 0};
  char path[2 * PATH_ROOM], *series, *text = said(folder), *place = text ? strstr(text, holds) : NULL;
  const int told = place ? atoi(place + strlen(holds)) : -1;
  size_t size = 0;
  int rows = -1;
  bool fit = true;
  snprintf(path, sizeof path, "%s/out/series.csv", folder);
  series = file_get(path, &size);
  for (size_t k = 0; k < size; k++) rows += series[k] == '\n';
  snprintf(path, sizeof path, "%s/out/snapshots.h5", folder);
  if ((series || place) && access(path, F_OK) == 0) {
    fit = snapshots_get(path, &all) && (!series || rows == all.count) && (!place || told == all.count);
    if (!fit) snprintf(why, PATH_ROOM, "snapshots: %d, rows of series.csv: %d, told: %d", all.count, rows, told);
  }
  free(all.field_k);
  free(series);
  free(text);
  return fit;
}

/* Goes on with a run that was ended, without a fault. */
static bool goes_on(const struct scene *scene, const char *right, const char *folder, char why[PATH_ROOM])
{
  const struct fault none = {0};
  const struct end end = play(scene, folder, "auto", &none);
  char *text = said(folder), rest[PATH_ROOM];
  if (end.code != 0)
    snprintf(why, PATH_ROOM, "going on ended with code %d, signal %d: %.300s", end.code, end.signal, text ? text : "");
  free(text);
  if (end.code != 0) return false;
  if (judge_complete(right, folder, rest)) return true;
  snprintf(why, PATH_ROOM, "after going on: %.400s", rest);
  return false;
}

/* A last line that begins with the program's name and is no warning. */
static bool has_sentence(const char *text)
{
  for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
    if (!strncmp(line, "heatsolve: ", 11) && strncmp(line, "heatsolve: warning: ", 20)) return true;
  return false;
}

static bool has_trace(const char *folder)
{
  char path[2 * PATH_ROOM];
  snprintf(path, sizeof path, "%s/trace", folder);
  return access(path, R_OK) == 0;
}

static enum outcome first_look(const char *right, const char *folder, struct end end, int sent, bool memory,
                               char why[PATH_ROOM])
{
  char *text = said(folder);
  enum outcome outcome = WRONG;
  if (end.signal && end.signal == sent)
    outcome = ENDED;
  else if (end.signal || (has_trace(folder) && !has_sentence(text)))
    outcome = crashed_in_library(folder, text, why) ? LIBRARY : WRONG;
  else if (end.code == 0 && judge_complete(right, folder, why))
    outcome = text && strstr(text, "heatsolve: warning: ") ? WARNED : COMPLETE;
  else if (end.code == 0 && memory && strstr(why, ".png is not right"))
    outcome = LIBRARY; /* cairo ignores some failures */
  else if (end.code == 75)
    outcome = ENDED;
  else if (end.code > 0 && end.code <= 6 && has_sentence(text))
    outcome = FAILED;
  else if (end.code > 0)
    snprintf(why, PATH_ROOM, "code %d, and no sentence: %.300s", end.code, text ? text : "");
  if (end.signal == SIGALRM) snprintf(why, PATH_ROOM, "it hung");
  free(text);
  return outcome;
}

enum outcome judge(const struct scene *scene, const char *right, const char *folder, struct end end, int sent,
                   bool memory, char why[PATH_ROOM])
{
  enum outcome outcome;
  snprintf(why, PATH_ROOM, "unknown");
  outcome = first_look(right, folder, end, sent, memory, why);
  if (end.code == 0 || outcome == WRONG) return outcome;
  if (!entries_fit(folder, right, true, end.signal != 0 || has_trace(folder), end.code == 75, why)) return WRONG;
  if (outcome == FAILED && !claims_hold(folder, why)) return WRONG;
  return goes_on(scene, right, folder, why) ? outcome : WRONG;
}
