/* Launchers of multigrid's kernels; the arithmetic is that of numerics/multigrid.h, coarsening.h and total.h.
 *
 * One thread computes a node. All arrays are padded (hs_grid_at). Launchers are asynchronous on `stream` and return the
 * launch's cudaError_t.
 */
#ifndef HS_KERNELS_MULTIGRID_H
#define HS_KERNELS_MULTIGRID_H

#include <cuda_runtime_api.h>

#include "numerics/coarsening.h"
#include "numerics/multigrid.h"
#include "numerics/total.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Interpolation from a coarser grid in both directions, by coarse nodes; padded arrays. Of the fine node in the east: weights
 * of the coarse node and the next in x; in the north: likewise in y; in the north-east: of the coarse node and those in the
 * east, the north and the north-east. */
struct hs_device_parents {
  const float *d_east, *d_north, *d_northeast; /* 2, 2 and 4 a node */
};

/* The nodes x0 <= i < x1, y0 <= j < y1 that sums, maxima and shares count: all of a grid, or those of a part. */
struct hs_device_own {
  int x0, y0, x1, y1;
};

/* An operator on the device. */
struct hs_device_level {
  struct hs_grid grid;
  struct hs_device_own own;
  const uint16_t *d_index; /* finest level: entries of nodes, padded; NULL: node (i, j) has entry j index_pitch + i */
  int index_pitch;
  const struct hs_balance_f32 *d_balance_single; /* finest level: the table; NULL on coarser ones */
  const struct hs_balance_f64 *d_balance;
  const double *d_source_w_m; /* finest level: further source of node (i, j) at j index_pitch + i; or NULL */
  struct hs_couplings_f32 couplings;
  struct hs_couplings_f64 exact;
  struct hs_interpolation interpolation; /* until hs_linear.settle where there are parents */
  struct hs_device_parents parents;      /* where a pass does all of the level's work */
  int coarsen_x, coarsen_y;
  const double *d_inverse; /* coarsest level: column after column */
};

/* What a reduction finds: maxima and sums. */
struct hs_device_tally {
  double max, other_max, third_max;
  struct hs_total total, other_total;
  double alpha; /* examine: of the step that it looks back on */
};

/* A step of conjugate gradients along p: what it changes, and the new residual times scale. */
struct hs_device_advance {
  const float *p;
  double *x, *r;
  float *f;
  double zr, scale;
};

enum {
  HS_TALLY_BLOCKS = 1056, /* at most, of a reduction */
  HS_TALLY_ALL = HS_TALLY_BLOCKS,
  HS_TALLY_STEP, /* total: pq of the latest step */
  HS_TALLIES
};

/* [HS_TALLIES]: the tallies of blocks, then those that are kept. */
struct hs_device_reduction {
  struct hs_device_tally *d_tally;
  unsigned *d_arrived; /* blocks that have written theirs; 0 between reductions */
};

cudaError_t hs_kernel_mg_ghosts(const struct hs_grid *grid, int single, void *v, cudaStream_t stream);

/* The making of levels. */
cudaError_t hs_kernel_mg_spread(const struct hs_device_level *level, cudaStream_t stream);
cudaError_t hs_kernel_mg_shares(const struct hs_device_level *level, struct hs_level_shares *d_shares,
                                cudaStream_t stream);
cudaError_t hs_kernel_mg_interpolate(const struct hs_device_level *level, float *d_weights, cudaStream_t stream);
cudaError_t hs_kernel_mg_galerkin(const struct hs_device_level *fine, const struct hs_device_level *coarse,
                                  cudaStream_t stream);
cudaError_t hs_kernel_mg_cells(const struct hs_device_level *level, const struct hs_grid *coarse,
                               const struct hs_device_parents *parents, cudaStream_t stream);
cudaError_t hs_kernel_mg_round_couplings(const struct hs_device_level *level, float *d_couplings, cudaStream_t stream);

/* The cycle. */
cudaError_t hs_kernel_mg_start(const struct hs_device_level *level, const float *f, float weight, float *u,
                               cudaStream_t stream);
cudaError_t hs_kernel_mg_relax(const struct hs_device_level *level, const float *u, const float *f, float weight,
                               float *to, cudaStream_t stream);
cudaError_t hs_kernel_mg_segments(const struct hs_device_level *level, const float *u, const float *f,
                                  const struct hs_segments *segments, float *to, cudaStream_t stream);
cudaError_t hs_kernel_mg_residual(const struct hs_device_level *level, const float *u, const float *f, float *r,
                                  cudaStream_t stream);
cudaError_t hs_kernel_mg_restrict(const struct hs_device_level *level, const float *r, const struct hs_grid *coarse,
                                  float *coarse_f, cudaStream_t stream);
cudaError_t hs_kernel_mg_prolong(const struct hs_device_level *level, const struct hs_grid *coarse,
                                 const float *coarse_u, float *u, cudaStream_t stream);
/* In one pass on an open grid that is coarsened in both directions: start, relax, residual and restrict; prolong, relax
 * and relax. */
cudaError_t hs_kernel_mg_down(const struct hs_device_level *level, const float *f, const float weights[2], float *u,
                              const struct hs_grid *coarse, float *coarse_f, cudaStream_t stream);
cudaError_t hs_kernel_mg_up(const struct hs_device_level *level, const struct hs_grid *coarse, const float *coarse_u,
                            const float *f, const float weights[2], const float *u, float *to, cudaStream_t stream);
cudaError_t hs_kernel_mg_solve(const struct hs_device_level *level, const float *f, float *u, cudaStream_t stream);

/* Conjugate gradients on the finest level. The reductions leave their tally in d_tally[HS_TALLY_ALL], direct in
 * d_tally[HS_TALLY_STEP], from which advance and examine have alpha = zr / pq, or 0 where pq is not positive. */
cudaError_t hs_kernel_mg_take(const struct hs_device_level *level, int single, const void *field, int64_t pitch,
                              double *x, cudaStream_t stream);
cudaError_t hs_kernel_mg_give(const struct hs_device_level *level, int single, const double *x, void *field,
                              int64_t pitch, int nx, int ny, cudaStream_t stream);
cudaError_t hs_kernel_mg_inflow(const struct hs_device_level *level, const double *x, const double *start,
                                const double *rest, double *r, const struct hs_device_reduction *reduction,
                                cudaStream_t stream);
cudaError_t hs_kernel_mg_scale(const struct hs_grid *grid, const double *r, double scale, float *f,
                               cudaStream_t stream);
/* The mean is the tally's total over the nodes: of a correction and of a residual. The latter's norms follow. */
cudaError_t hs_kernel_mg_sum(const struct hs_device_level *level, int single, const void *v,
                             const struct hs_device_reduction *reduction, cudaStream_t stream);
cudaError_t hs_kernel_mg_drop(const struct hs_device_level *level, int single, void *v, double mean,
                              const struct hs_device_reduction *reduction, cudaStream_t stream);
cudaError_t hs_kernel_mg_examine(const struct hs_device_level *level, const float *z, double unscale, const double *r,
                                 const float *p, double zr_before, const struct hs_device_reduction *reduction,
                                 cudaStream_t stream);
cudaError_t hs_kernel_mg_direct(const struct hs_device_level *level, const float *z, double unscale, double beta,
                                const float *p, float *to, const struct hs_device_reduction *reduction,
                                cudaStream_t stream);
cudaError_t hs_kernel_mg_advance(const struct hs_device_level *level, const struct hs_device_advance *step,
                                 const struct hs_device_reduction *reduction, cudaStream_t stream);
cudaError_t hs_kernel_mg_change(const struct hs_device_level *level, const double *x, const double *start, float *d,
                                cudaStream_t stream);
cudaError_t hs_kernel_mg_largest(const struct hs_device_level *level, const double *x,
                                 const struct hs_device_reduction *reduction, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
