/* The common part of HDF5 files with fields. */
#include "output/field/h5_grid.h"

#include <stdlib.h>

#include "base/timer.h"
#include "base/version.h"
#include "io/h5_put.h"

herr_t hs_h5_grid_attributes(hid_t file, const struct hs_config *config)
{
  char now[32];
  hs_time_utc(now, sizeof now);
  if (hs_h5_put_text(file, "title", config->output.title) < 0) return -1;
  if (hs_h5_put_text(file, "configuration", config->text) < 0) return -1;
  if (hs_h5_put_text(file, "version", hs_version_number()) < 0) return -1;
  if (hs_h5_put_text(file, "precision", hs_precision_name(config->solver.precision)) < 0) return -1;
  if (hs_h5_put_text(file, "layout", hs_layout_name(config->grid.layout)) < 0) return -1;
  if (hs_h5_put_text(file, "scheme", hs_scheme_name(config->time.scheme)) < 0) return -1;
  if (hs_h5_put_number(file, "dx_m", config->grid.dx_m) < 0) return -1;
  if (hs_h5_put_number(file, "dy_m", config->grid.dy_m) < 0) return -1;
  return hs_h5_put_text(file, "created_utc", now);
}

hid_t hs_h5_grid_axis(hid_t file, const char *name, int count, double spacing_m, bool cells)
{
  double *place_m = malloc((size_t)count * sizeof *place_m);
  hid_t dataset;
  if (!place_m) return -1;
  for (int i = 0; i < count; i++) place_m[i] = (cells ? i + 0.5 : i) * spacing_m;
  dataset = hs_h5_put_column(file, name, (size_t)count, place_m, "m");
  free(place_m);
  return dataset;
}

hid_t hs_h5_grid_type(const struct hs_config *config)
{
  return config->solver.precision == HS_SINGLE ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
}
