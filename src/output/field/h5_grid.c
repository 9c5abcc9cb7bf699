/* The common part of HDF5 files with fields.
 *
 * CF's table of standard names has none for the temperature of a solid, for places on a workpiece or for materials: such
 * datasets have a long_name. Materials are flags, so that programs show their names.
 */
#include "output/field/h5_grid.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/timer.h"
#include "base/version.h"
#include "io/h5_put.h"
#include "output/share.h"
#include "problem/cells/materials.h"

/* Title, history and source are what CF asks of every file. */
static herr_t describe_file(hid_t file, const struct hs_config *config)
{
  char now[32], history[128], source[128];
  hs_time_utc(now, sizeof now);
  snprintf(history, sizeof history, "%s written by heatsolve %s", now, hs_version_number());
  snprintf(source, sizeof source, "heatsolve %s, numerical solution of the heat equation", hs_version_number());
  if (hs_h5_put_text(file, "title", config->output.title) < 0) return -1;
  if (hs_h5_put_text(file, "history", history) < 0 || hs_h5_put_text(file, "source", source) < 0) return -1;
  return hs_h5_put_text(file, "created_utc", now);
}

herr_t hs_h5_grid_attributes(hid_t file, const struct hs_config *config)
{
  if (describe_file(file, config) < 0) return -1;
  if (hs_h5_put_text(file, "configuration", config->text) < 0) return -1;
  if (hs_h5_put_text(file, "version", hs_version_number()) < 0) return -1;
  if (hs_h5_put_text(file, "precision", hs_precision_name(config->solver.precision)) < 0) return -1;
  if (hs_h5_put_text(file, "layout", hs_layout_name(config->grid.layout)) < 0) return -1;
  if (hs_h5_put_text(file, "scheme", hs_scheme_name(config->time.scheme)) < 0) return -1;
  if (hs_h5_put_number(file, "dx_m", config->grid.dx_m) < 0) return -1;
  return hs_h5_put_number(file, "dy_m", config->grid.dy_m);
}

/* One scale: count places from `first` spacings on. */
static herr_t put_axis(hid_t file, const char *name, const char *axis, int count, double first, double spacing_m)
{
  static const char *const long_names[] = {"distance from the west end", "distance from the south end"};
  double *place_m = malloc((size_t)count * sizeof *place_m);
  hid_t dataset;
  herr_t result;
  if (!place_m) return -1;
  for (int i = 0; i < count; i++) place_m[i] = (first + i) * spacing_m;
  dataset = hs_h5_put_column(file, name, (size_t)count, place_m, "m");
  free(place_m);
  if (dataset < 0) return -1;
  result = hs_h5_put_scale(dataset, name);
  if (result >= 0) result = hs_h5_put_text(dataset, "long_name", long_names[axis[0] == 'Y']);
  if (result >= 0) result = hs_h5_put_text(dataset, "axis", axis);
  return H5Dclose(dataset) < 0 ? -1 : result;
}

herr_t hs_h5_grid_axes(hid_t file, const struct hs_config *config, bool cells)
{
  const int nx = config->grid.nx, ny = config->grid.ny;
  const double dx_m = config->grid.dx_m, dy_m = config->grid.dy_m;
  const bool centred = config->grid.layout == HS_LAYOUT_CELL;
  const double first = centred ? 0.5 : 0.0;
  if (hs_h5_put_text(file, "Conventions", "CF-1.11") < 0) return -1;
  if (put_axis(file, "x", "X", nx, first, dx_m) < 0 || put_axis(file, "y", "Y", ny, first, dy_m) < 0) return -1;
  if (!cells || centred) return 0;
  if (put_axis(file, "x_cell", "X", nx - 1, 0.5, dx_m) < 0) return -1;
  return put_axis(file, "y_cell", "Y", ny - 1, 0.5, dy_m);
}

herr_t hs_h5_grid_place(hid_t file, hid_t dataset, unsigned first, const struct hs_config *config, bool cells)
{
  const bool apart = cells && config->grid.layout != HS_LAYOUT_CELL;
  if (hs_h5_put_dimension(dataset, first, file, apart ? "y_cell" : "y") < 0) return -1;
  return hs_h5_put_dimension(dataset, first + 1, file, apart ? "x_cell" : "x");
}

herr_t hs_h5_grid_temperature(hid_t dataset)
{
  return hs_h5_put_text(dataset, "long_name", "temperature");
}

herr_t hs_h5_grid_time(hid_t dataset)
{
  if (hs_h5_put_text(dataset, "long_name", "time") < 0) return -1;
  return hs_h5_put_text(dataset, "axis", "T");
}

hid_t hs_h5_grid_type(const struct hs_config *config)
{
  return config->solver.precision == HS_SINGLE ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
}

bool hs_h5_grid_has_materials(const struct hs_config *config)
{
  return config->material_count > 1;
}

/* One word, as flag_meanings needs them: letters, digits and _-.+@ only. */
static char *add_word(char *at, const char *name)
{
  for (; *name; name++) {
    const unsigned char c = (unsigned char)*name;
    if ((c & 0xc0) == 0x80) continue; /* of a character that has its _ */
    *at++ = c < 0x80 && (isalnum(c) || strchr("_-.+@", c)) ? (char)c : '_';
  }
  return at;
}

/* What the numbers mean: names as they are, and CF's flags. */
static herr_t name_materials(hid_t dataset, const struct hs_problem *problem, hid_t type)
{
  const size_t count = (size_t)problem->material_count;
  const char **names = malloc(count * sizeof *names);
  uint16_t *values = malloc(count * sizeof *values);
  size_t room = 1;
  char *words = NULL, *at;
  herr_t result = -1;
  for (size_t m = 0; names && values && m < count; m++) {
    names[m] = hs_material_title(problem, (int)m);
    values[m] = (uint16_t)m;
    room += strlen(names[m]) + 1;
  }
  if (names && values) words = malloc(room);
  if (!words) goto out;
  at = words;
  for (size_t m = 0; m < count; m++) {
    if (m > 0) *at++ = ' ';
    at = add_word(at, names[m]);
  }
  *at = '\0';
  result = hs_h5_put_texts(dataset, "names", names, count);
  if (result >= 0) result = hs_h5_put_integers(dataset, "flag_values", type, H5T_NATIVE_UINT16, values, count);
  if (result >= 0) result = hs_h5_put_text(dataset, "flag_meanings", words);
  if (result >= 0) result = hs_h5_put_text(dataset, "long_name", "material");
out:
  free(words);
  free(values);
  free(names);
  return result;
}

/* All cells at once. */
static herr_t write_materials(hid_t dataset, const struct hs_problem *problem)
{
  const size_t cells = (size_t)problem->cells_x * (size_t)problem->cells_y;
  uint16_t *material = malloc(cells * sizeof *material);
  herr_t result = -1;
  for (size_t c = 0; material && c < cells; c++) material[c] = (uint16_t)problem->classes[problem->cell[c]].material;
  if (material) result = H5Dwrite(dataset, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, material);
  free(material);
  return result;
}

herr_t hs_h5_grid_materials(hid_t file, const struct hs_problem *problem, struct hs_h5_room *room)
{
  const struct hs_share share = hs_share_of(problem);
  const hsize_t dims[2] = {(hsize_t)share.cells_y, (hsize_t)share.cells_x};
  const hid_t type = problem->material_count > 256 ? H5T_STD_U16LE : H5T_STD_U8LE;
  const hid_t dataset = room ? hs_h5_room_create(file, "material", dims, type, "1")
                             : hs_h5_put_dataset(file, "material", 2, dims, type, H5T_NATIVE_UINT16, NULL, "1");
  herr_t result;
  if (dataset < 0) return -1;
  result = room ? hs_h5_room_find(dataset, room) : write_materials(dataset, problem);
  if (result >= 0) result = hs_h5_grid_place(file, dataset, 0, problem->config, true);
  if (result >= 0) result = name_materials(dataset, problem, type);
  return H5Dclose(dataset) < 0 ? -1 : result;
}
