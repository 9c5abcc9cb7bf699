/* Which materials a configuration puts to use. */
#include <stdio.h>
#include <string.h>

#include "config/config.h"
#include "config/text.h"

enum { NAMES_MOST = 64 };

static const char background[] = "background";

static bool given(const char *text)
{
  return text && text[0] != '\0';
}

bool hs_config_material_used(const struct hs_config *config, int material)
{
  const char *name = material ? config->materials[material].name : background;
  const bool array = config->arrays[HS_MAP_MATERIALS].values != NULL; /* may have any of them */
  const bool picture = given(config->map.materials), colored = array || given(config->materials[material].color);
  bool covered = picture && !colored;
  int k;

  for (k = 0; k < config->region_count; k++) {
    const struct hs_config_region *region = &config->regions[k];
    if (!given(region->material)) continue;
    if (strcmp(region->material, name) == 0) return true;
    covered = covered || region->shape.kind == HS_SHAPE_EVERYWHERE;
  }
  return material ? picture && colored : !covered;
}

/* The name among the other materials that this one was probably meant to have, or NULL. */
static const char *material_nearest(const struct hs_config *config, int material)
{
  const char *names[NAMES_MOST];
  size_t count = 0;
  int k;

  for (k = 1; k < config->material_count && count < NAMES_MOST; k++) {
    if (k != material) names[count++] = config->materials[k].name;
  }
  return hs_text_nearest(config->materials[material].name, names, count);
}

bool hs_config_unused_describe(const struct hs_config *config, char *text, size_t size)
{
  char more[40] = "", hint[120] = "";
  const char *nearest;
  int k, first = 0, count = 0;

  for (k = 1; k < config->material_count; k++) {
    if (hs_config_material_used(config, k)) continue;
    if (!first) first = k;
    count++;
  }
  if (!first) return false;
  nearest = material_nearest(config, first);
  if (nearest) snprintf(hint, sizeof hint, "; did you mean \"%s\"?", hs_text_clip(nearest).text);
  if (count > 1) snprintf(more, sizeof more, " (and %d more)", count - 1);
  snprintf(text, size, "material \"%s\"%s is used nowhere%s", hs_text_clip(config->materials[first].name).text, more,
           hint);
  return true;
}
