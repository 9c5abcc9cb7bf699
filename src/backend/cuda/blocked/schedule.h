/* How the rows of a plan of blocked sweeps are dealt to the blocks; private to src/backend/cuda_blocked*.c. */
#ifndef HS_BACKEND_CUDA_BLOCKED_DEAL_H
#define HS_BACKEND_CUDA_BLOCKED_DEAL_H

#include "backend/cuda/blocked/plan.h"

/* Makes piece and first of a layout that has its rows and classes. overhead: rows that a piece costs beside its own.
 * Errors: HS_ERR_MEMORY. */
hs_status hs_blocked_deal(const struct hs_system *system, struct hs_blocked_layout *layout, int overhead,
                          struct hs_error *err);

/* Tells each piece whether rows that are weighed are swept for it: a piece computes as many rows around it as there are
 * levels. */
void hs_blocked_mark(const struct hs_blocked_layout *layout, int64_t ny);

#endif
