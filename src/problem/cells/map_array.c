/* Maps that a program gives as arrays. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "problem/cells/maps.h"

bool hs_map_is_array(const struct hs_config *config, enum hs_map which)
{
  return config->arrays[which].values != NULL;
}

const char *hs_map_key(enum hs_map which)
{
  static const char *const keys[HS_MAPS] = {"materials", "conductivity", "source", "initial"};
  return keys[which];
}

static hs_status size_check(const struct hs_config *config, enum hs_map which, int rows, int columns,
                            struct hs_error *err)
{
  const struct hs_config_array *array = &config->arrays[which];
  if (array->rows == rows && array->columns == columns) return HS_OK;
  return hs_error_set(
      err, HS_ERR_CONFIG,
      "%s: the array of map.%s has %d rows of %d numbers, and the grid of %d x %d nodes needs %d rows of "
      "%d, one a %s",
      config->path, hs_map_key(which), array->rows, array->columns, config->grid.nx, config->grid.ny, rows, columns,
      which == HS_MAP_INITIAL ? "node" : "cell");
}

static hs_status value_refuse(const struct hs_config *config, enum hs_map which, size_t n, const char *must,
                              struct hs_error *err)
{
  const struct hs_config_array *array = &config->arrays[which];
  const size_t columns = (size_t)array->columns;
  return hs_error_set(
      err, HS_ERR_CONFIG,
      "%s: the array of map.%s has %g in row %zu (from the south), column %zu, counted from 0; it must be "
      "%s",
      config->path, hs_map_key(which), array->values[n], n / columns, n % columns, must);
}

/* Copies row `row` of the array, [part->columns]. */
static void row_copy(const struct hs_map_part *part, const double *row, double *values)
{
  for (int k = 0; k < part->column_count; k++)
    memcpy(values + part->column[k].from, row + part->column[k].grid, (size_t)part->column[k].count * sizeof *values);
}

hs_status hs_map_array_values(const struct hs_config *config, enum hs_map which, const struct hs_map_part *part,
                              double above, double **values, struct hs_error *err)
{
  const double *given = config->arrays[which].values;
  const size_t columns = (size_t)part->grid_columns, count = (size_t)part->grid_rows * columns;
  hs_status status = size_check(config, which, part->grid_rows, part->grid_columns, err);
  *values = NULL;
  for (size_t n = 0; !status && n < count; n++)
    if (!isfinite(given[n]) || !(given[n] > above))
      status = value_refuse(config, which, n, isfinite(above) ? "finite and above 0" : "finite", err);
  if (!status)
    status =
        hs_array_create((void **)values, (size_t)part->rows * (size_t)part->columns, sizeof **values, "a map", err);
  for (int k = 0; !status && k < part->row_count; k++)
    for (int j = 0; j < part->row[k].count; j++)
      row_copy(part, given + (size_t)(part->row[k].grid + j) * columns,
               *values + (size_t)(part->row[k].from + j) * (size_t)part->columns);
  return status;
}

/* One row as the numbers of materials. */
static hs_status row_convert(const struct hs_problem *problem, int row, uint16_t *material, struct hs_error *err)
{
  const struct hs_config_array *array = &problem->config->arrays[HS_MAP_MATERIALS];
  const size_t first = (size_t)row * (size_t)array->columns;
  for (int i = 0; i < array->columns; i++) {
    const double number = array->values[first + (size_t)i];
    if (!(number >= 0.0 && number < problem->material_count && number == floor(number))) {
      char must[80];
      snprintf(must, sizeof must, "the number of a material, a whole number from 0 to %d", problem->material_count - 1);
      return value_refuse(problem->config, HS_MAP_MATERIALS, first + (size_t)i, must, err);
    }
    material[i] = (uint16_t)number;
  }
  return HS_OK;
}

hs_status hs_map_array_materials(const struct hs_problem *problem, const struct hs_picture_taker *taker,
                                 struct hs_error *err)
{
  const struct hs_config_array *array = &problem->config->arrays[HS_MAP_MATERIALS];
  uint16_t *material = NULL;
  hs_status status = size_check(problem->config, HS_MAP_MATERIALS, problem->grid_cells_y, problem->grid_cells_x, err);
  if (!status) status = taker->size(taker->context, array->columns, array->rows, err);
  if (!status) status = hs_array_create((void **)&material, (size_t)array->columns, sizeof *material, "a map", err);
  for (int y = 0; !status && y < array->rows; y++) { /* a picture begins in the north */
    status = row_convert(problem, array->rows - 1 - y, material, err);
    if (!status) status = taker->row(taker->context, y, material, err);
  }
  free(material);
  return status;
}
