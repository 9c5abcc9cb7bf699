/* What a configuration asks of the outputs, checked before the first sweep.
 *
 * In a folder that holds its own configuration, tables or maps a run could overwrite them with files of the same name, so
 * such a folder is refused. Only what is in the folder already can be an input, so its entries are looked at.
 */
#include "output/output.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/inputs.h"
#include "output/names.h"
#include "output/picture/canvas/font.h"

/* Is an entry of the folder that the run would overwrite one of its inputs? */
static hs_status entry_check(const struct hs_config *config, const struct hs_inputs *inputs, int folder,
                             const char *name, struct hs_error *err)
{
  struct stat facts;
  const char *input = NULL;
  if (hs_output_name_is_written(config, name) && fstatat(folder, name, &facts, 0) == 0)
    input = hs_inputs_find(inputs, &facts);
  if (!input) return HS_OK;
  return hs_error_set(err, HS_ERR_CONFIG,
                      "%s: the run reads %s and would replace it by its own %s; choose another output folder with "
                      "output.directory or --output, or rename the file that is read",
                      config->path, input, name);
}

static hs_status inputs_check(const struct hs_config *config, struct hs_error *err)
{
  const char *directory = config->output.directory;
  DIR *folder = opendir(directory && directory[0] ? directory : ".");
  const struct dirent *entry;
  struct hs_inputs *inputs = NULL;
  hs_status status;
  /* A folder that is not there has no inputs in it, and other reasons are told when the first file is written. */
  if (!folder && (errno == ENOMEM || errno == EMFILE || errno == ENFILE))
    return hs_error_set(err, HS_ERR_IO, "cannot list the output folder %s: %s",
                        directory && directory[0] ? directory : ".", strerror(errno));
  if (!folder) return HS_OK;
  status = hs_inputs_create(config, &inputs, err);
  while (!status && (entry = readdir(folder)) != NULL)
    status = entry_check(config, inputs, dirfd(folder), entry->d_name, err);
  hs_inputs_destroy(inputs);
  (void)closedir(folder);
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

/* Every text of a configuration that a picture shows, up to `room` of them; returns how many. */
static int texts_find(const struct hs_config *config, const char **texts, int room)
{
  int count = 0;
  texts[count++] = config->output.title;
  texts[count++] = config->output.unit;
  for (int k = 0; k < config->material_count && count < room; k++) texts[count++] = config->materials[k].name;
  for (int k = 0; k < config->region_count && count < room; k++) texts[count++] = config->regions[k].name;
  for (int k = 0; k < config->source_count && count < room; k++) texts[count++] = config->sources[k].name;
  for (int k = 0; k < config->loss_count && count < room; k++) texts[count++] = config->losses[k].name;
  for (int k = 0; k < config->boundary_count && count < room; k++) texts[count++] = config->boundaries[k].name;
  for (int k = 0; k < config->probe_count && count < room; k++) texts[count++] = config->probes[k].name;
  return count;
}

void hs_output_config_remarks(const struct hs_config *config, struct hs_warnings *warnings)
{
  enum { TEXTS_MOST = 1000 };
  const char **texts = malloc(TEXTS_MOST * sizeof *texts);
  struct hs_font_gap gap;
  char text[500];
  if (texts && hs_font_find_gap(texts, texts_find(config, texts, TEXTS_MOST), &gap)) {
    if (gap.character[0])
      snprintf(text, sizeof text, "pictures have a box for \"%s\" in \"%.200s\", which their font, DejaVu Sans, lacks",
               gap.character, texts[gap.text]);
    else
      snprintf(text, sizeof text,
               "pictures set \"%.200s\", which is written from right to left, from left to right; report.html sets its "
               "texts as they are written",
               texts[gap.text]);
    hs_warnings_add(warnings, text);
  }
  free(texts);
}
