/* Values are shown as they were written, formulas and tables included. */
#include "output/describe.h"

#include <stdio.h>
#include <string.h>

const char *hs_temperature_unit(const struct hs_config *config)
{
  return config->output.unit && config->output.unit[0] ? config->output.unit : "K";
}

const char *hs_value_describe(const struct hs_config_value *value, const char *unit, char *text, size_t size)
{
  if (value->is_number)
    snprintf(text, size, "%.6g %s", value->number, unit);
  else
    snprintf(text, size, "%s", value->text ? value->text : "-");
  if (!value->is_number && value->text && strlen(value->text) >= size && size > 4) {
    size_t end = size - 4;
    while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80) end--; /* within a character of UTF-8 */
    strcpy(text + end, "...");
  }
  return text;
}

static const struct hs_config_boundary *boundary_of(const struct hs_problem *problem, const struct hs_segment *segment)
{
  const struct hs_config *config = problem->config;
  for (int k = 0; k < config->boundary_count; k++)
    if (config->boundaries[k].side == segment->side && config->boundaries[k].line == segment->line &&
        !strcmp(config->boundaries[k].name, segment->name))
      return &config->boundaries[k];
  return NULL;
}

void hs_segment_describe(const struct hs_problem *problem, const struct hs_segment *segment, char *text, size_t size)
{
  const struct hs_config_boundary *boundary = boundary_of(problem, segment);
  const char *unit = hs_temperature_unit(problem->config);
  char first[80], second[80];
  if (!boundary || segment->kind == HS_WALL_INSULATED || segment->kind == HS_WALL_PERIODIC)
    snprintf(text, size, "%s", hs_wall_name(segment->kind));
  else if (segment->kind == HS_WALL_TEMPERATURE)
    snprintf(text, size, "temperature %s", hs_value_describe(&boundary->temperature, unit, first, sizeof first));
  else if (segment->kind == HS_WALL_FLUX)
    snprintf(text, size, "flux %s", hs_value_describe(&boundary->flux, "W/m2", first, sizeof first));
  else
    snprintf(text, size, "h %s, ambient %s", hs_value_describe(&boundary->h, "W/(m2 K)", first, sizeof first),
             hs_value_describe(&boundary->temperature, unit, second, sizeof second));
}
