/* Which files a configuration names, with device and inode of each. */
#include "output/inputs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "problem/cells/maps.h"

struct input {
  char *path;
  struct stat facts;
};

struct hs_inputs {
  struct input *input; /* [count], owned */
  int count, room;
};

/* Takes over the path; one that is not there is left out. */
static hs_status add(struct hs_inputs *inputs, char *path, struct hs_error *err)
{
  struct stat facts;
  if (!path) return HS_ERR_MEMORY;
  if (stat(path, &facts) != 0) {
    free(path);
    return HS_OK;
  }
  if (inputs->count == inputs->room) {
    const int room = inputs->room ? 2 * inputs->room : 16;
    struct input *grown = realloc(inputs->input, (size_t)room * sizeof *grown);
    if (!grown) {
      free(path);
      return hs_error_set(err, HS_ERR_MEMORY, "not enough memory for the names of %d inputs.", room);
    }
    inputs->input = grown;
    inputs->room = room;
  }
  inputs->input[inputs->count++] = (struct input){path, facts};
  return HS_OK;
}

/* The first `length` bytes of text are the name of a file. */
static hs_status add_named(struct hs_inputs *inputs, const struct hs_config *config, const char *text, size_t length,
                           struct hs_error *err)
{
  char *name = hs_text_format(err, "%.*s", (int)length, text);
  const hs_status status = name ? add(inputs, hs_map_path(config, name, err), err) : HS_ERR_MEMORY;
  free(name);
  return status;
}

/* "FILE:DATASET" */
static hs_status add_dataset(struct hs_inputs *inputs, const struct hs_config *config, const char *place,
                             struct hs_error *err)
{
  const char *colon = place ? strrchr(place, ':') : NULL;
  return colon ? add_named(inputs, config, place, (size_t)(colon - place), err) : HS_OK;
}

/* "table FILE t" */
static hs_status add_value(struct hs_inputs *inputs, const struct hs_config *config,
                           const struct hs_config_value *value, struct hs_error *err)
{
  const char *text = value->text;
  size_t length;
  if (!text || value->is_number || strncmp(text, "table", 5) != 0 || !isspace((unsigned char)text[5])) return HS_OK;
  for (text += 5; isspace((unsigned char)*text); text++) continue;
  length = strlen(text);
  while (length && isspace((unsigned char)text[length - 1])) length--;
  while (length && !isspace((unsigned char)text[length - 1])) length--;
  while (length && isspace((unsigned char)text[length - 1])) length--;
  return length ? add_named(inputs, config, text, length, err) : HS_OK;
}

static hs_status add_all(struct hs_inputs *inputs, const struct hs_config *config, struct hs_error *err)
{
  const char *materials = config->map.materials, *path = config->path;
  hs_status status = HS_OK;
  if (path) status = add(inputs, hs_text_copy(hs_config_is_standard_input(config) ? "/dev/stdin" : path, err), err);
  if (!status && materials && materials[0]) status = add_named(inputs, config, materials, strlen(materials), err);
  if (!status) status = add_dataset(inputs, config, config->map.conductivity, err);
  if (!status) status = add_dataset(inputs, config, config->map.source, err);
  if (!status) status = add_dataset(inputs, config, config->map.initial, err);
  for (int k = 0; !status && k < config->boundary_count; k++) {
    status = add_value(inputs, config, &config->boundaries[k].temperature, err);
    if (!status) status = add_value(inputs, config, &config->boundaries[k].flux, err);
    if (!status) status = add_value(inputs, config, &config->boundaries[k].h, err);
  }
  for (int k = 0; !status && k < config->region_count; k++)
    status = add_value(inputs, config, &config->regions[k].temperature, err);
  return status;
}

hs_status hs_inputs_create(const struct hs_config *config, struct hs_inputs **inputs, struct hs_error *err)
{
  struct hs_inputs *list = NULL;
  hs_status status = hs_array_create((void **)&list, 1, sizeof *list, "the names of inputs", err);
  *inputs = NULL;
  if (!status) status = add_all(list, config, err);
  if (status)
    hs_inputs_destroy(list);
  else
    *inputs = list;
  return status;
}

const char *hs_inputs_find(const struct hs_inputs *inputs, const struct stat *file)
{
  for (int k = 0; k < inputs->count; k++) {
    const struct input *input = &inputs->input[k];
    if (input->facts.st_dev == file->st_dev && input->facts.st_ino == file->st_ino) return input->path;
  }
  return NULL;
}

void hs_inputs_destroy(struct hs_inputs *inputs)
{
  if (!inputs) return;
  for (int k = 0; k < inputs->count; k++) free(inputs->input[k].path);
  free(inputs->input);
  free(inputs);
}

hs_status hs_inputs_spare(const struct hs_config *config, const char *output, const char *option, struct hs_error *err)
{
  struct hs_inputs *inputs = NULL;
  struct stat facts;
  const char *input;
  hs_status status;
  if (stat(output, &facts) != 0) return HS_OK;
  status = hs_inputs_create(config, &inputs, err);
  input = status ? NULL : hs_inputs_find(inputs, &facts);
  if (input)
    status = hs_error_set(err, HS_ERR_USAGE, "%s: %s is read, and --%s would replace it; name another file",
                          config->path, input, option);
  hs_inputs_destroy(inputs);
  return status;
}
