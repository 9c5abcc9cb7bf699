/* What snapshots.h5 has of all snapshots together: their times, and a view of their fields. */
#ifndef HS_OUTPUT_FIELD_SNAPSHOTS_VIEW_H
#define HS_OUTPUT_FIELD_SNAPSHOTS_VIEW_H

#include <hdf5.h>

#include "config/config.h"

/* Scale time: empty, to be extended. Returns it, open, or -1. */
hid_t hs_snapshots_time_create(hid_t file);

/* Dataset temperature (time, y, x); the scales must be there. A negative value means failure. */
herr_t hs_snapshots_view_create(hid_t file, const struct hs_config *config);

#endif
