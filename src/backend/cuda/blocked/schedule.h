/* How the rows of a plan of blocked sweeps are assigned to the blocks; private to src/backend/cuda_blocked*.c. */
#ifndef HS_BACKEND_CUDA_BLOCKED_SCHEDULE_H
#define HS_BACKEND_CUDA_BLOCKED_SCHEDULE_H

#include "backend/cuda/blocked/plan.h"

/* Makes item and first of a layout that has its rows and kinds. overhead: rows that an item costs beside its own.
 * Errors: HS_ERR_MEMORY. */
hs_status hs_blocked_schedule(const struct hs_system *system, struct hs_blocked_layout *layout, int overhead,
                              struct hs_error *err);

/* Tells each item whether rows that are weighed are swept for it: an item computes as many rows around it as there are
 * stages. */
void hs_blocked_items_mark(const struct hs_blocked_layout *layout, int64_t ny);

#endif
