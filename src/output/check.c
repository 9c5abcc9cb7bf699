/* What a configuration asks of the outputs, checked before any sweep is spent. */
#include "output/output.h"

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
  return HS_OK;
}
