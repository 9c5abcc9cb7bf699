/* Attributes, axes and materials that field.h5 and snapshots.h5 have in common, by the conventions that netCDF's readers
 * follow (CF). A negative value means failure, as in HDF5 itself. */
#ifndef HS_OUTPUT_FIELD_H5_GRID_H
#define HS_OUTPUT_FIELD_H5_GRID_H

#include <hdf5.h>

#include "io/h5_room.h"
#include "problem/problem.h"

/* Root attributes that follow from the configuration, and the time of writing. */
herr_t hs_h5_grid_attributes(hid_t file, const struct hs_config *config);

/* Datasets x and y: the places of the nodes, m, as dimension scales; and of the centres of the cells, x_cell and y_cell,
 * where these are others and wanted. With them the
 * file follows CF, and says so. */
herr_t hs_h5_grid_axes(hid_t file, const struct hs_config *config, bool cells);

/* Gives the last two dimensions of a dataset their scales, y and x: of the nodes or of the cells. first: the slower one. */
herr_t hs_h5_grid_place(hid_t file, hid_t dataset, unsigned first, const struct hs_config *config, bool cells);

/* Attributes of a dataset of temperatures but units. */
herr_t hs_h5_grid_temperature(hid_t dataset);

/* Attributes of a dataset of times but units. They are durations: CF's name "time" would ask for a date. */
herr_t hs_h5_grid_time(hid_t dataset);

/* Type of the temperatures in the file. */
hid_t hs_h5_grid_type(const struct hs_config *config);

/* Are there several materials, so that it is told which cell has which? */
bool hs_h5_grid_has_materials(const struct hs_config *config);

/* Dataset material, of each cell; the axes must be there. room not NULL: with room for it, which many ranks fill. */
herr_t hs_h5_grid_materials(hid_t file, const struct hs_problem *problem, struct hs_h5_room *room);

#endif
