/* What a configuration asks of the outputs, checked before the first sweep.
 *
 * In a folder that holds its own configuration, tables or maps a run could overwrite them with files of the same name, so
 * such a folder is refused. Only what is in the folder already can be an input, so its entries are looked at.
 */
#include "output/output.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "output/inputs.h"
#include "output/names.h"

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
