/* cuda-resident's kernels, as the host sees them: the table of kernels, how a grid is cut, and the launch.
 *
 * The grid is cut into tiles, one for each thread block, and all blocks run at the same time. A block holds its tile
 * and a ghost zone around it: `depth` rows south and north, `ghost_lanes` lanes of nodes west and east (none where there
 * is but one tile in that direction), and makes up to `depth` sweeps between two exchanges.
 */
#ifndef HS_KERNELS_RESIDENT_RESIDENT_H
#define HS_KERNELS_RESIDENT_RESIDENT_H

#include "kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Largest absolute values of fields, above which a sum of neighbours might overflow on the way. The problem's
 * temperatures and sources are far below. */
#define HS_RESIDENT_LARGEST_F64 1e200
#define HS_RESIDENT_LARGEST_F32 1e25

/* A kernel: the nodes of its threads, and what is known of its speed. */
struct hs_resident_kernel {
  const void *function;
  int columns, rows;   /* of a thread */
  int shared_rows;     /* rows of these that are in shared memory, not in registers */
  int warps;           /* of a block, at most */
  double mixed_cycles; /* by which a sweep by stencils is longer than one of uniform nodes */
};

/* How a grid is cut, and what that needs. */
struct hs_resident_plan {
  int kernel;      /* number in the table */
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

/* The kernels for a precision; *count: how many. */
const struct hs_resident_kernel *const *hs_kernel_resident_table(int single, int *count);

/* Enqueues one launch of plain sweeps. */
cudaError_t hs_kernel_resident(const struct hs_device_system *system, int single, const struct hs_resident_plan *plan,
                               const struct hs_resident_scratch *scratch, const struct hs_resident_work *work,
                               cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
