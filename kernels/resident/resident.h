/* cuda-resident's kernel, as the host sees it: how a grid is cut so that all of it stays on chip, and the launch.
 *
 * The grid is cut into tiles, one for each thread block, and all blocks run at the same time. A block holds its tile
 * and a ghost zone around it: `depth` rows south and north, `ghost_lanes` lanes of nodes west and east (none where there is
 * but one tile in that direction), and makes up to `depth` sweeps between two exchanges.
 */
#ifndef HS_KERNELS_RESIDENT_RESIDENT_H
#define HS_KERNELS_RESIDENT_RESIDENT_H

#include "kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a grid is cut, and what that needs. */
struct hs_resident_plan {
  int instance;    /* number of the kernel in resident.cu's table */
  int warps;       /* of a block, stacked from south to north */
  int depth;       /* sweeps between two exchanges, and rows of ghost zone */
  int ghost_lanes; /* lanes of ghost zone, west and east */
  int tile_lanes;  /* lanes of a tile */
  int tile_rows;   /* rows of a tile */
  int tiles_x, tiles_y;
  int shared_bytes;                  /* of a block */
  size_t exchange_bytes, flag_bytes; /* of struct hs_resident_scratch */
  double sweep_s;                    /* forecast, seconds */
};

/* Where blocks meet, in device memory. */
struct hs_resident_scratch {
  void *exchange;  /* borders of the tiles, two sets */
  unsigned *flags; /* HS_RESIDENT_FLAG_STRIDE words for each block, 0 before the first launch */
};

enum { HS_RESIDENT_FLAG_STRIDE = 32 };

/* What one launch does. Origins of fields. */
struct hs_resident_work {
  const void *from;
  void *to;              /* the result */
  int64_t sweeps;        /* at least 1, below 2^31 */
  const int32_t *d_halt; /* or NULL: do nothing when it is non-zero */
};

/* Chooses for the current device. mixed: some nodes are swept by stencils that are neither unit ones nor held, which
 * some kernels do more slowly than others. The plan may be slower than sweeps through the second cache; its sweep_s
 * says so. cudaErrorNotSupported where it cannot (too old), cudaErrorInvalidValue where the grid is too large. */
cudaError_t hs_kernel_resident_plan(int nx, int ny, int single, int mixed, struct hs_resident_plan *plan);

/* Device memory that CUDA sets aside at the first launch of a plan's kernel for what it keeps out of registers: an
 * upper bound, as if all threads that the device can hold were its own; 0 where the device does not say. */
double hs_kernel_resident_stack_bytes(const struct hs_resident_plan *plan, int single);

/* Enqueues one launch of plain sweeps. */
cudaError_t hs_kernel_resident(const struct hs_device_system *system, int single, const struct hs_resident_plan *plan,
                               const struct hs_resident_scratch *scratch, const struct hs_resident_work *work,
                               cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
