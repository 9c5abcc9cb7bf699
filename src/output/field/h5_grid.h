/* Attributes and axes that field.h5 and snapshots.h5 have in common. A negative value means failure, as in HDF5 itself. */
#ifndef HS_OUTPUT_FIELD_H5_GRID_H
#define HS_OUTPUT_FIELD_H5_GRID_H

#include <hdf5.h>

#include "config/config.h"

/* Root attributes that follow from the configuration, and the time of writing. */
herr_t hs_h5_grid_attributes(hid_t file, const struct hs_config *config);

/* The dataset `name`: the places of count nodes along an axis, m. Returns it, open, or -1. */
hid_t hs_h5_grid_axis(hid_t file, const char *name, int count, double spacing_m, bool cells);

/* Type of the temperatures in the file. */
hid_t hs_h5_grid_type(const struct hs_config *config);

#endif
