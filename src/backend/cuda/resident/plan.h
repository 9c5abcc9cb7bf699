/* Plans of cuda-resident: which kernel sweeps a grid, and how the grid is cut.
 */
#ifndef HS_BACKEND_CUDA_RESIDENT_PLAN_H
#define HS_BACKEND_CUDA_RESIDENT_PLAN_H

#include <stdbool.h>

#include "resident/resident.h"

/* What is to be swept. mixed: some nodes are neither uniform nor Dirichlet nodes, which takes some kernels longer than
 * others. */
struct hs_resident_grid {
  int nx, ny;
  bool single, mixed;
};

/* The best plan for the current device. It may be slower than one sweep a launch; its sweep_s says so.
 * cudaErrorNotSupported: the device is too old; cudaErrorInvalidValue: the grid is too large. */
cudaError_t hs_resident_plan_make(const struct hs_resident_grid *grid, struct hs_resident_plan *plan);

/* Side of the largest square grid for which the current device has a plan. */
int hs_resident_side_limit(bool single);

/* Device memory that CUDA sets aside at the first launch of a plan's kernel for what it keeps out of registers: an
 * upper bound, as if all threads that the device can hold were its own; 0 where the device does not say. */
double hs_resident_stack_bytes(const struct hs_resident_plan *plan, bool single);

/* Cuts a grid into so many tiles for a kernel; plan->depth is given, and all but kernel and forecast is filled in. Can
 * it be cut so? */
bool hs_resident_plan_cut(const struct hs_resident_kernel *kernel, const struct hs_resident_grid *grid, int tiles_x,
                          int tiles_y, struct hs_resident_plan *plan);

#endif
