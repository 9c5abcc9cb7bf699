/* The static schedule of blocked sweeps: which block sweeps which rows; private to src/backend/cuda/blocked. */
#ifndef HS_BACKEND_CUDA_BLOCKED_SCHEDULE_H
#define HS_BACKEND_CUDA_BLOCKED_SCHEDULE_H

#include "backend/cuda/blocked/plan.h"

/* Makes item and first of a layout that has its rows and kinds. Errors: HS_ERR_MEMORY. */
hs_status hs_blocked_schedule(const struct hs_system *system, struct hs_blocked_layout *layout, struct hs_error *err);

/* Tells each item whether rows of any weights are swept for it, in its ghost zones, too. */
void hs_blocked_items_mark(const struct hs_blocked_layout *layout, int64_t ny);

#endif
