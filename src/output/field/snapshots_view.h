/* What is in snapshots.h5: a dataset of each snapshot; and of all together their times, and a view of their fields. */
#ifndef HS_OUTPUT_FIELD_SNAPSHOTS_VIEW_H
#define HS_OUTPUT_FIELD_SNAPSHOTS_VIEW_H

#include <hdf5.h>

#include "io/h5_room.h"
#include "time/transient.h"

/* Scale time: empty, to be extended. Returns it, open, or -1. */
hid_t hs_snapshots_time_create(hid_t file);

/* Dataset temperature (time, y, x); the scales must be there. A negative value means failure. */
herr_t hs_snapshots_view_create(hid_t file, const struct hs_config *config);

/* Sets time k, the last one. A negative value means failure. */
herr_t hs_snapshots_time_put(hid_t time, int k, double time_s);

/* Dataset k of the group, with its extremes. room not NULL: with room for its numbers, which many ranks write. A negative value
 * means failure. */
herr_t hs_snapshots_field_put(hid_t group, const struct hs_config *config, int k, const struct hs_snapshot *snapshot,
                              const double extremes_k[2], struct hs_h5_room *room);

#endif
