/* What a configuration asks of the outputs, checked before the first sweep.
 *
 * In a folder that holds its own configuration, tables or maps a run could overwrite them with files of the same name, so
 * such a folder is refused. The initial field is an exception: a run may start from a field.h5 in its own folder.
 */
#include "output/output.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "io/file.h"
#include "output/report/report.h"
#include "problem/cells/maps.h"

static bool same_file(const char *a, const char *b)
{
  struct stat one, other;
  return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* Would a file `name` of the run overwrite the input? */
static hs_status name_check(const struct hs_config *config, const char *name, const char *input, struct hs_error *err)
{
  char *path = hs_file_join(config->output.directory, name, err);
  hs_status status = path ? HS_OK : HS_ERR_MEMORY;
  if (path && same_file(path, input))
    status = hs_error_set(err, HS_ERR_CONFIG,
                          "%s: the run reads %s and would replace it by its own %s; choose another output folder with "
                          "output.directory or --output, or rename the file that is read",
                          config->path, input, name);
  free(path);
  return status;
}

static hs_status input_check(const struct hs_config *config, const char *input, struct hs_error *err)
{
  static const char *const more[] = {"materials.csv", "probes.csv", "series.csv", "problem.png"};
  const unsigned wanted = hs_output_files_wanted(config);
  hs_status status = HS_OK;
  for (int which = 0; !status && which < HS_FILE_COUNT; which++)
    if (wanted & 1u << which) status = name_check(config, hs_output_file_name((enum hs_output_file)which), input, err);
  for (size_t k = 0; !status && k < sizeof more / sizeof *more; k++) status = name_check(config, more[k], input, err);
  return status;
}

/* The first `length` bytes of text are the name of a file, relative to the configuration's folder. */
static hs_status named_check(const struct hs_config *config, const char *text, size_t length, struct hs_error *err)
{
  char *name = hs_text_format(err, "%.*s", (int)length, text), *path = name ? hs_map_path(config, name, err) : NULL;
  const hs_status status = path ? input_check(config, path, err) : HS_ERR_MEMORY;
  free(path);
  free(name);
  return status;
}

/* "FILE:DATASET" */
static hs_status map_check(const struct hs_config *config, const char *place, struct hs_error *err)
{
  const char *colon = place ? strrchr(place, ':') : NULL;
  return colon ? named_check(config, place, (size_t)(colon - place), err) : HS_OK;
}

/* "table FILE t" */
static hs_status value_check(const struct hs_config *config, const struct hs_config_value *value, struct hs_error *err)
{
  const char *text = value->text;
  size_t length;
  if (!text || value->is_number || strncmp(text, "table", 5) != 0 || !isspace((unsigned char)text[5])) return HS_OK;
  for (text += 5; isspace((unsigned char)*text); text++) continue;
  length = strlen(text);
  while (length && isspace((unsigned char)text[length - 1])) length--;
  while (length && !isspace((unsigned char)text[length - 1])) length--;
  while (length && isspace((unsigned char)text[length - 1])) length--;
  return length ? named_check(config, text, length, err) : HS_OK;
}

static hs_status inputs_check(const struct hs_config *config, struct hs_error *err)
{
  const char *materials = config->map.materials;
  hs_status status = config->path ? input_check(config, config->path, err) : HS_OK;
  if (!status && materials && materials[0]) status = named_check(config, materials, strlen(materials), err);
  if (!status) status = map_check(config, config->map.conductivity, err);
  if (!status) status = map_check(config, config->map.source, err);
  for (int k = 0; !status && k < config->boundary_count; k++) {
    status = value_check(config, &config->boundaries[k].temperature, err);
    if (!status) status = value_check(config, &config->boundaries[k].flux, err);
    if (!status) status = value_check(config, &config->boundaries[k].h, err);
  }
  for (int k = 0; !status && k < config->region_count; k++)
    status = value_check(config, &config->regions[k].temperature, err);
  return status;
}

hs_status hs_output_config_check(const struct hs_config *config, struct hs_error *err)
{
  if (!hs_colormap_find(config->output.colormap))
    return hs_error_set(err, HS_ERR_CONFIG, "%s: output.colormap is \"%s\", which is unknown; known: %s", config->path,
                        config->output.colormap, hs_colormap_names());
  if (config->output.animation != HS_ANIMATION_NONE && config->time.scheme == HS_SCHEME_STEADY)
    return hs_error_set(err, HS_ERR_CONFIG,
                        "%s: output.animation asks for moving pictures, but a steady run has one field alone; set "
                        "output.animation = none, or time.scheme and time.end for a run over time.",
                        config->path);
  return inputs_check(config, err);
}
