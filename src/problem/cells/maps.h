/* Maps: a picture whose colours are materials, and numbers per cell or node from HDF5 files; or arrays in their place. */
#ifndef HS_PROBLEM_CELLS_MAPS_H
#define HS_PROBLEM_CELLS_MAPS_H

#include "problem/problem.h"

/* The path of a file that the configuration names: relative ones count from its own folder. Owned by the caller; NULL with
 * HS_ERR_MEMORY. */
char *hs_map_path(const struct hs_config *config, const char *name, struct hs_error *err);

/* Who takes a picture as materials: its size, then rows from the north to the south, material[width] of each. */
struct hs_picture_taker {
  hs_status (*size)(void *context, int width, int height, struct hs_error *err);
  hs_status (*row)(void *context, int y, const uint16_t *material, struct hs_error *err);
  void *context;
};

/* Reads config->map.materials; names and colours are those of problem->materials. Errors: HS_ERR_IO (cannot be read, no
 * PNG), HS_ERR_CONFIG (a colour that no material or that two materials have), HS_ERR_MEMORY, those of taker. */
hs_status hs_map_picture_read(const struct hs_problem *problem, const struct hs_picture_taker *taker,
                              struct hs_error *err);

/* Does the program that reads the configuration give the map as an array? */
bool hs_map_is_array(const struct hs_config *config, enum hs_map which);

/* The name of its key in [map]. */
const char *hs_map_key(enum hs_map which);

/* The array of materials, 0 the background, k the k-th named one, as the rows of a picture. Errors: HS_ERR_CONFIG (another
 * size, a number that is no material), HS_ERR_MEMORY, those of taker. */
hs_status hs_map_array_materials(const struct hs_problem *problem, const struct hs_picture_taker *taker,
                                 struct hs_error *err);

/* The part of a map of grid_rows x grid_columns numbers that a window needs. */
struct hs_map_part {
  int grid_rows, grid_columns;
  struct hs_stretch row[HS_STRETCHES], column[HS_STRETCHES];
  int row_count, column_count; /* stretches */
  int rows, columns;           /* numbers */
};

/* The part of a map of cells, or of nodes (HS_MAP_INITIAL). */
void hs_map_part_of(const struct hs_problem *problem, enum hs_map which, struct hs_map_part *part);

/* All of a map of so many numbers. */
struct hs_map_part hs_map_whole(int grid_rows, int grid_columns);

/* A copy of the part of another array; above and *values as below. Errors: HS_ERR_CONFIG, HS_ERR_MEMORY. */
hs_status hs_map_array_values(const struct hs_config *config, enum hs_map which, const struct hs_map_part *part,
                              double above, double **values, struct hs_error *err);

/* Reads the part of "FILE:DATASET", finite numbers, row 0 in the south, or takes it from the array that stands for it; each
 * value must be above `above`. *values, [rows*columns] of the part, is owned by the caller. Errors: HS_ERR_IO,
 * HS_ERR_CONFIG, HS_ERR_MEMORY. */
hs_status hs_map_values_read(const struct hs_config *config, enum hs_map which, const char *place,
                             const struct hs_map_part *part, double above, double **values, struct hs_error *err);

#endif
