/* Problems: a configuration's text, what was set beside it, and arrays in place of files. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handle.h"
#include "base/memory.h"
#include "base/version.h"
#include "config/text.h"
#include "io/h5_error.h"

/* The codes are the numbers of the library's own. */
_Static_assert((int)HEATSOLVE_OK == (int)HS_OK && (int)HEATSOLVE_ERR_USAGE == (int)HS_ERR_USAGE &&
                   (int)HEATSOLVE_ERR_CONFIG == (int)HS_ERR_CONFIG && (int)HEATSOLVE_ERR_IO == (int)HS_ERR_IO &&
                   (int)HEATSOLVE_ERR_DEVICE == (int)HS_ERR_DEVICE && (int)HEATSOLVE_ERR_MEMORY == (int)HS_ERR_MEMORY &&
                   (int)HEATSOLVE_ERR_UNSUPPORTED == (int)HS_ERR_UNSUPPORTED &&
                   (int)HEATSOLVE_ERR_INTERNAL == (int)HS_ERR_INTERNAL,
               "public and private codes differ");

HS_PUBLIC const char *heatsolve_version(void)
{
  return hs_version_number();
}

/* --- the frame of a call --------------------------------------------------------------------- */

/* Where the HDF5 library is not made for threads, calls wait for one another. */
static pthread_once_t waiting_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t waiting;
static bool waits;

static void waiting_create(void)
{
  pthread_mutexattr_t kind;
  waits = !hs_h5_is_for_threads();
  (void)pthread_mutexattr_init(&kind);
  (void)pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  (void)pthread_mutex_init(&waiting, &kind);
  (void)pthread_mutexattr_destroy(&kind);
}

hs_status hs_frame_enter(struct hs_frame *frame, struct hs_error *err)
{
  (void)pthread_once(&waiting_once, waiting_create);
  if (waits) (void)pthread_mutex_lock(&waiting);
  frame->threads = omp_get_max_threads();
  frame->dynamic = omp_get_dynamic();
  frame->before = (locale_t)0;
  frame->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!frame->plain) return hs_error_set(err, HS_ERR_MEMORY, "no memory is left for the locale");
  frame->before = uselocale(frame->plain);
  return HS_OK;
}

void hs_frame_leave(struct hs_frame *frame)
{
  if (frame->plain) {
    uselocale(frame->before);
    freelocale(frame->plain);
  }
  omp_set_num_threads(frame->threads);
  omp_set_dynamic(frame->dynamic);
  if (waits) (void)pthread_mutex_unlock(&waiting);
}

int hs_answer(hs_status status, const struct hs_error *err, heatsolve_error *error)
{
  if (!error) return (int)status;
  error->code = (int)status;
  snprintf(error->text, sizeof error->text, "%s", status ? err->text : "");
  return (int)status;
}

void hs_problem_ranks(heatsolve_problem *problem, struct hs_comm *comm)
{
  problem->comm = comm;
}

/* --- problems -------------------------------------------------------------------------------- */

/* Takes the text over. */
static hs_status problem_create(const char *path, char *text, heatsolve_problem **problem, struct hs_error *err)
{
  heatsolve_problem *made = calloc(1, sizeof *made);
  if (made) made->path = hs_text_copy(path, err);
  if (made && made->path) {
    made->text = text;
    *problem = made;
    return HS_OK;
  }
  free(made);
  free(text);
  return hs_error_set(err, HS_ERR_MEMORY, "%s: no memory is left to read the configuration.", path);
}

HS_PUBLIC int heatsolve_open(const char *path, heatsolve_problem **problem, heatsolve_error *error)
{
  struct hs_error err = {0};
  char *text = NULL;
  hs_status status;
  *problem = NULL;
  status = hs_config_load(path, &text, &err);
  if (!status) status = problem_create(path, text, problem, &err);
  return hs_answer(status, &err, error);
}

HS_PUBLIC int heatsolve_open_text(const char *text, heatsolve_problem **problem, heatsolve_error *error)
{
  struct hs_error err = {0};
  char *copy = hs_text_copy(text, &err);
  *problem = NULL;
  return hs_answer(copy ? problem_create(HS_CONFIG_GIVEN, copy, problem, &err) : HS_ERR_MEMORY, &err, error);
}

HS_PUBLIC void heatsolve_close(heatsolve_problem *problem)
{
  if (!problem) return;
  for (int k = 0; k < problem->override_count; k++) free(problem->overrides[k]);
  for (int k = 0; k < HS_MAPS; k++) free(problem->values[k]);
  free(problem->overrides);
  free(problem->path);
  free(problem->text);
  free(problem);
}

/* Takes the override over; an earlier one of the same key goes, right or wrong. */
static hs_status override_add(heatsolve_problem *problem, char *override, struct hs_error *err)
{
  const size_t length = strcspn(override, "=") + 1;
  const size_t count = (size_t)problem->override_count + 1;
  char **longer;
  for (int k = 0; k < problem->override_count; k++)
    if (!strncmp(problem->overrides[k], override, length)) {
      free(problem->overrides[k]);
      problem->overrides[k] = override;
      return HS_OK;
    }
  longer = realloc(problem->overrides, count * sizeof *longer);
  if (!longer) {
    free(override);
    return hs_error_set(err, HS_ERR_MEMORY, "no memory is left for the key");
  }
  longer[count - 1] = override;
  problem->overrides = longer;
  problem->override_count++;
  return HS_OK;
}

HS_PUBLIC int heatsolve_set(heatsolve_problem *problem, const char *key, const char *value, heatsolve_error *error)
{
  struct hs_error err = {0};
  const char *point = strrchr(key, '.');
  const bool fits = point && point > key && point[1] && !strchr(key, '=');
  char *override = fits ? hs_text_format(&err, "%s=%s", key, value) : NULL;
  hs_status status = override ? hs_config_override_check(override, NULL, &err) : HS_ERR_MEMORY;
  if (!fits)
    status = hs_error_set(
        &err, HS_ERR_CONFIG,
        "\"%s\" is no key; write SECTION.KEY, such as grid.nx or source NAME.power, without an equals sign",
        hs_text_clip(key).text);
  if (status)
    free(override);
  else
    status = override_add(problem, override, &err);
  return hs_answer(status, &err, error);
}

/* --- arrays ---------------------------------------------------------------------------------- */

/* What stands in the configuration where an array takes a file's place. */
static const char *const array_keys[HS_MAPS] = {[HS_MAP_MATERIALS] = "map.materials",
                                                [HS_MAP_CONDUCTIVITY] = "map.conductivity",
                                                [HS_MAP_SOURCE] = "map.source",
                                                [HS_MAP_INITIAL] = "map.initial"};

static hs_status array_take(heatsolve_problem *problem, int which, const double *values, int rows, int columns,
                            struct hs_error *err)
{
  const size_t count = values ? (size_t)rows * (size_t)columns : 0;
  double *copy = NULL;
  const hs_status status = values ? hs_array_reserve((void **)&copy, count, sizeof *copy, "an array", err) : HS_OK;
  if (status) return status;
  if (values) memcpy(copy, values, count * sizeof *copy);
  free(problem->values[which]);
  problem->values[which] = copy;
  problem->rows[which] = values ? rows : 0;
  problem->columns[which] = values ? columns : 0;
  return HS_OK;
}

HS_PUBLIC int heatsolve_set_array(heatsolve_problem *problem, const char *key, const double *values, int rows,
                                  int columns, heatsolve_error *error)
{
  struct hs_error err = {0};
  hs_status status;
  int which = 0;
  while (which < HS_MAPS && strcmp(array_keys[which], key) != 0) which++;
  if (which == HS_MAPS)
    status =
        hs_error_set(&err, HS_ERR_USAGE,
                     "\"%s\" takes no array; those of map.materials, map.conductivity, map.source and map.initial do",
                     hs_text_clip(key).text);
  else if (values && (rows < 1 || columns < 1))
    status = hs_error_set(&err, HS_ERR_USAGE, "the array of %s has %d rows of %d numbers, and needs one at least", key,
                          rows, columns);
  else
    status = array_take(problem, which, values, rows, columns, &err);
  return hs_answer(status, &err, error);
}

hs_status hs_problem_configure(const heatsolve_problem *problem, struct hs_config **config, struct hs_error *err)
{
  static const char *const stand_ins[HS_MAPS] = {[HS_MAP_MATERIALS] = "map.materials=array",
                                                 [HS_MAP_CONDUCTIVITY] = "map.conductivity=array:conductivity",
                                                 [HS_MAP_SOURCE] = "map.source=array:source",
                                                 [HS_MAP_INITIAL] = "map.initial=array:initial"};
  const char **overrides = calloc((size_t)problem->override_count + HS_MAPS, sizeof *overrides);
  struct hs_config_array arrays[HS_MAPS];
  int count = 0;
  hs_status status;
  *config = NULL;
  if (!overrides) return hs_error_set(err, HS_ERR_MEMORY, "no memory is left to read the configuration");
  for (; count < problem->override_count; count++) overrides[count] = problem->overrides[count];
  for (int k = 0; k < HS_MAPS; k++) {
    arrays[k] = (struct hs_config_array){problem->values[k], problem->rows[k], problem->columns[k]};
    if (problem->values[k]) overrides[count++] = stand_ins[k];
  }
  status = hs_config_parse(problem->path, problem->text, overrides, count, arrays, config, err);
  free(overrides);
  return status;
}

static hs_status material_find(const struct hs_config *config, const char *name, int *index, struct hs_error *err)
{
  const char **names = calloc((size_t)config->material_count, sizeof *names), *nearest = NULL;
  if (!names) return hs_error_set(err, HS_ERR_MEMORY, "no memory is left to look for the material \"%s\"", name);
  names[0] = "background";
  for (int k = 1; k < config->material_count; k++) names[k] = config->materials[k].name;
  *index = 0;
  while (*index < config->material_count && strcmp(names[*index], name) != 0) ++*index;
  if (*index == config->material_count) nearest = hs_text_nearest(name, names, (size_t)config->material_count);
  free(names);
  if (*index < config->material_count) return HS_OK;
  return hs_error_set(err, HS_ERR_CONFIG,
                      "map.materials: there is no material \"%s\"%s%s%s Add [material %s]; what [material] describes "
                      "is \"background\".",
                      hs_text_clip(name).text, nearest ? "; did you mean \"" : "", nearest ? nearest : "",
                      nearest ? "\"?" : ".", hs_text_clip(name).text);
}

HS_PUBLIC int heatsolve_material_index(heatsolve_problem *problem, const char *name, int *index, heatsolve_error *error)
{
  struct hs_error err = {0};
  struct hs_frame frame;
  struct hs_config *config = NULL;
  hs_status status = hs_frame_enter(&frame, &err);
  if (!status) status = hs_problem_configure(problem, &config, &err);
  if (!status) status = material_find(config, name, index, &err);
  hs_config_destroy(config);
  hs_frame_leave(&frame);
  return hs_answer(status, &err, error);
}
