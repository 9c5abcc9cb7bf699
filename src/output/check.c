/* What a configuration asks of the outputs, checked before any sweep is spent. */
#include "output/output.h"

hs_status hs_output_config_check(const struct hs_config *config, struct hs_error *err)
{
  if (!hs_colormap_find(config->output.colormap))
    return hs_error_set(err, HS_ERR_CONFIG, "%s: output.colormap is \"%s\", which is unknown; known: %s", config->path,
                        config->output.colormap, hs_colormap_names());
  return HS_OK;
}
