/* The table of measured costs in memory: points, interpolation, and the name of the machine that it belongs to.
 *
 * Interpolation is linear in the logarithms of nodes and time: a cost that follows a power of the size between two
 * points is met exactly. Beyond the largest point time grows like the nodes, below the smallest it stays: what is left
 * there is the latency of a sweep.
 */
#include "backend/cost/tuning.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "base/memory.h"

enum { POINTS = sizeof((struct hs_tuning_curve){0}).point / sizeof(struct hs_tuning_point), GPU_MODELS = 4 };

const char *hs_tuning_kind_name(enum hs_tuning_kind kind)
{
  static const char *const names[HS_TUNING_KINDS] = {"uniform", "mixed", "weighted", "chebyshev",
                                                     "rhs",     "map",   "cycle"};
  return kind >= 0 && kind < HS_TUNING_KINDS ? names[kind] : "unknown";
}

/* --- the machine ----------------------------------------------------------------------------- */

/* Finds "LABEL... : TEXT" in a file and keeps TEXT; false: not there. */
static bool line_find(const char *path, const char *label, char *text, size_t size)
{
  char line[512];
  bool found = false;
  FILE *file = fopen(path, "r");
  if (!file) return false;
  while (!found && fgets(line, sizeof line, file)) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, label, strlen(label)) || !colon) continue;
    colon += 1 + strspn(colon + 1, " \t");
    snprintf(text, size, "%.*s", (int)strcspn(colon, "\n"), colon);
    found = true;
  }
  fclose(file);
  return found;
}

static int text_order(const void *a, const void *b)
{
  return strcmp(a, b);
}

/* The different models among the driver's devices, in alphabetical order: asking the driver itself would start it,
 * which takes longer than many a run. */
static int gpu_models(char model[GPU_MODELS][80])
{
  static const char folder[] = "/proc/driver/nvidia/gpus";
  const struct dirent *entry;
  int count = 0;
  DIR *gpus = opendir(folder);
  while (gpus && count < GPU_MODELS && (entry = readdir(gpus))) {
    char path[400];
    bool known = false;
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s/information", folder, entry->d_name);
    if (!line_find(path, "Model", model[count], sizeof model[count])) continue;
    for (int k = 0; k < count; k++) known = known || !strcmp(model[k], model[count]);
    count += !known;
  }
  if (gpus) closedir(gpus);
  qsort(model, (size_t)count, sizeof model[0], text_order);
  return count;
}

void hs_tuning_machine(char *text, size_t size)
{
  char processor[128] = "CPU", model[GPU_MODELS][80];
  const int cpus = hs_backend_processors(), gpus = gpu_models(model);
  size_t length;
  (void)line_find("/proc/cpuinfo", "model name", processor, sizeof processor);
  length = (size_t)snprintf(text, size, "%s, %d CPU%s", processor, cpus, cpus == 1 ? "" : "s");
  for (int k = 0; k < gpus && length < size; k++)
    length += (size_t)snprintf(text + length, size - length, ", %s", model[k]);
}

/* --- curves ---------------------------------------------------------------------------------- */

static struct hs_tuning_curve *curve_find(const struct hs_tuning *tuning, const char *backend, enum hs_tuning_kind kind,
                                          bool single)
{
  for (int c = 0; tuning && c < tuning->count; c++) {
    struct hs_tuning_curve *curve = &tuning->curve[c];
    if (curve->kind == kind && curve->single == single && !strcmp(curve->backend, backend)) return curve;
  }
  return NULL;
}

/* Appends an empty curve; NULL: memory is short. */
static struct hs_tuning_curve *curve_append(struct hs_tuning *tuning, const char *backend, enum hs_tuning_kind kind,
                                            bool single)
{
  struct hs_tuning_curve *grown = realloc(tuning->curve, ((size_t)tuning->count + 1) * sizeof *grown);
  if (!grown) return NULL;
  tuning->curve = grown;
  grown += tuning->count++;
  memset(grown, 0, sizeof *grown);
  snprintf(grown->backend, sizeof grown->backend, "%s", backend);
  grown->kind = kind;
  grown->single = single;
  return grown;
}

hs_status hs_tuning_add(struct hs_tuning *tuning, const char *backend, enum hs_tuning_kind kind, bool single,
                        double nodes, double sweep_s, struct hs_error *err)
{
  struct hs_tuning_curve *curve = curve_find(tuning, backend, kind, single);
  int place = 0;
  if (!(nodes > 0.0) || !(sweep_s > 0.0) || !isfinite(nodes) || !isfinite(sweep_s))
    return hs_error_set(err, HS_ERR_INTERNAL, "a measured cost of %g s for %g nodes", sweep_s, nodes);
  if (!curve) curve = curve_append(tuning, backend, kind, single);
  if (!curve) return hs_error_set(err, HS_ERR_MEMORY, "not enough memory for the measured costs");
  while (place < curve->count && curve->point[place].nodes < nodes) place++;
  if (place == curve->count || curve->point[place].nodes > nodes) {
    if (curve->count == POINTS)
      return hs_error_set(err, HS_ERR_INTERNAL, "a curve of measured costs has more than %d points", (int)POINTS);
    memmove(&curve->point[place + 1], &curve->point[place],
            (size_t)(curve->count - place) * sizeof(struct hs_tuning_point));
    curve->count++;
  }
  curve->point[place] = (struct hs_tuning_point){nodes, sweep_s};
  return HS_OK;
}

double hs_tuning_sweep_s(const struct hs_tuning *tuning, const char *backend, enum hs_tuning_kind kind, bool single,
                         double nodes)
{
  const struct hs_tuning_curve *curve = curve_find(tuning, backend, kind, single);
  const struct hs_tuning_point *p;
  double share;
  int k = 1;
  if (!curve || curve->count == 0) return NAN;
  p = curve->point;
  if (nodes <= p[0].nodes) return p[0].sweep_s;
  if (nodes >= p[curve->count - 1].nodes) return p[curve->count - 1].sweep_s * (nodes / p[curve->count - 1].nodes);
  while (p[k].nodes < nodes) k++;
  share = log(nodes / p[k - 1].nodes) / log(p[k].nodes / p[k - 1].nodes);
  return p[k - 1].sweep_s * pow(p[k].sweep_s / p[k - 1].sweep_s, share);
}

void hs_tuning_destroy(struct hs_tuning *tuning)
{
  if (!tuning) return;
  free(tuning->curve);
  free(tuning);
}
