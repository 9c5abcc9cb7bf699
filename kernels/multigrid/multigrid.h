/* Launchers of multigrid's kernels; the arithmetic is that of numerics/multigrid.h, coarsening.h and total.h.
 *
 * All arrays are padded (hs_grid_at). Launchers are asynchronous on `stream` and return the
 * launch's cudaError_t.
 */
#ifndef HS_KERNELS_MULTIGRID_H
#define HS_KERNELS_MULTIGRID_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

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
  const float *d_east, *d_north, *d_northeast; /* 2, 2 and 4 a node, one array after the other */
};

/* Rows that passes over strips need not read again, as bits of words, row after row. Group g of `words` words tells of the
 * columns 2 q - 1 and 2 q, and of the coarse column q, for 32 g <= q < 32 (g + 1). rows: its coefficients are those
 * HS_ALIKE_ROWS rows before; cells: the coarse row's weights are those of the row before. NULL, and no words: nothing is
 * known. */
enum { HS_ALIKE_ROWS = 2 };
struct hs_device_alike {
  const uint32_t *d_rows, *d_cells;
  int row_words, cell_words;
};

HS_INLINE int hs_device_alike_groups(const struct hs_grid *grid)
{
  return grid->nx / 2 / 32 + 1;
}

/* How a coarser level was made, by tiles of so many nodes: a byte for each tile, row after row, not 0 where all its rows are the
 * same. Tiles that are, one above the other, have the same rows. */
enum { HS_COARSE_TILE_W = 32, HS_COARSE_TILE_H = 8 };
struct hs_tiles {
  int nx, ny;
};
HS_INLINE struct hs_tiles hs_device_tiles(const struct hs_grid *grid)
{
  const struct hs_tiles tiles = {(grid->nx + HS_COARSE_TILE_W - 1) / HS_COARSE_TILE_W,
                                 (grid->ny + HS_COARSE_TILE_H - 1) / HS_COARSE_TILE_H};
  return tiles;
}

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
  const double *d_source_w_m;        /* finest level: further source of node (i, j) at j index_pitch + i; or NULL */
  struct hs_couplings_f32 couplings; /* one array after the other */
  struct hs_couplings_f64 exact;
  uint8_t *d_tiles; /* while levels are made: of its own nodes; NULL where it was not made by tiles */
  struct hs_interpolation interpolation; /* where single operations do the level's work */
  struct hs_device_parents parents;      /* where a pass does, or a tail may */
  struct hs_device_alike alike;          /* where passes go by strips */
  int coarsen_x, coarsen_y;
  const double *d_inverse; /* coarsest level: column after column */
};

/* The last levels of a cycle, which one block does in its shared memory: open grids that are coarsened in both directions, and
 * the coarsest one. Pitches are multiples of 4. */
enum {
  HS_TAIL_LEVELS = 8,   /* at most */
  HS_TAIL_NODES = 2048, /* of the first one, at most */
  HS_TAIL_SHIFT = 20,
};
struct hs_device_tail_level {
  struct hs_grid grid;
  unsigned reciprocal;                /* k / nx is k reciprocal >> HS_TAIL_SHIFT for each node k */
  const float *d_couplings, *d_cells; /* 6 values a node, and 8 a node of the next level; the last level has none */
  int segments;                       /* is it smoothed on them, and not by two relaxations */
  int couplings, cells, fields;       /* where they lie in shared memory, in floats */
  int warps, line_bits[2];            /* that solve on segments; logarithms of those side by side, along y and x */
  int lines_values;                   /* of a pass over segments */
  int rows, after;                    /* in shared memory: what segments are solved by, 4 and 1 floats a value */
};
struct hs_device_tail {
  int count;
  struct hs_device_tail_level level[HS_TAIL_LEVELS];
  const double *d_inverse;
  int cleared;            /* this much at the beginning of shared memory: the fields */
  int inverse, right;     /* in shared memory, as above: what is solved by, and for */
  int residual, solution; /* of segments, in the order of their rows */
  int bytes;              /* of shared memory */
};

/* What a residual counts beside an operator's balance, as struct hs_right_side has it, and its scale. start, rest: NULL where
 * there is none. */
struct hs_device_right {
  const double *start, *rest;
  int alone;
  double mean, scale;
};

/* A step of conjugate gradients (struct hs_linear_step; along: alpha) or of Richardson's iteration (struct hs_richardson;
 * along: as hs_corrected takes it; no p, p_to, unscale, beta). */
struct hs_device_linear_step {
  const float *z, *p;
  const double *x;
  struct hs_device_right right;
  double unscale, beta, along;
  float *p_to;
  double *x_to;
  float *f;
};

/* The way up to a level, as hs_linear.cycle_up has it. */
struct hs_device_way_up {
  struct hs_grid coarse;
  const float *coarse_u, *f, *u;
  float weights[2];
};

/* On the way down: what u the residual is of that is restricted. */
enum hs_way_down {
  HS_DOWN_SMOOTHED,  /* two relaxations from 0, */
  HS_DOWN_CONDENSED, /* what f gives nodes between coarse ones, */
  HS_DOWN_GIVEN      /* or the one that is there */
};

/* What a correction is asked. p: NULL or the direction. */
struct hs_device_examination {
  const float *z, *f, *p;
  float behind; /* hs_linear_behind */
};

enum {
  HS_TALLY_BLOCKS = 1056 /* at most, of a reduction */
};

struct hs_device_reduction {
  struct hs_tally *d_tally; /* [HS_TALLY_BLOCKS] of blocks */
  struct hs_tally *all;     /* in pinned memory of the host */
  unsigned *d_arrived;      /* blocks that have written theirs; 0 between reductions */
};

cudaError_t hs_kernel_mg_ghosts(const struct hs_grid *grid, int single, void *v, cudaStream_t stream);
/* Zeros around the nodes of a vector. */
cudaError_t hs_kernel_mg_ghosts_clear(const struct hs_grid *grid, int single, void *v, cudaStream_t stream);

/* The making of levels. */
cudaError_t hs_kernel_mg_spread(const struct hs_device_level *level, cudaStream_t stream);
cudaError_t hs_kernel_mg_shares(const struct hs_device_level *level, struct hs_level_shares *d_shares,
                                cudaStream_t stream);
cudaError_t hs_kernel_mg_interpolate(const struct hs_device_level *level, float *d_weights, cudaStream_t stream);
cudaError_t hs_kernel_mg_galerkin(const struct hs_device_level *fine, const struct hs_device_level *coarse,
                                  cudaStream_t stream);
/* Both in one pass on an open grid that is coarsened in both directions: fine->parents, coarse->exact and
 * coarse->d_tiles. The finest level needs no exact couplings for that, nor for shares. */
cudaError_t hs_kernel_mg_product(const struct hs_device_level *fine, const struct hs_device_level *coarse,
                                 cudaStream_t stream);
/* Zeros around the nodes of a level's exact couplings, and of weights by its nodes, if there are such. */
cudaError_t hs_kernel_mg_rim_clear(const struct hs_grid *grid, double *exact, float *cells, cudaStream_t stream);
/* Rounds the couplings of a level, and counts shares of all its nodes. */
cudaError_t hs_kernel_mg_round_couplings(const struct hs_device_level *level, float *d_couplings,
                                         struct hs_level_shares *d_shares, cudaStream_t stream);

/* Do passes of the cycle go over the level by strips? Else by tiles. */
static inline bool hs_device_has_strips(const struct hs_device_level *level)
{
  return (double)level->grid.nx * level->grid.ny >= 1e6;
}
/* Fills the words of level->alike. coarse: the level that was made of it. */
cudaError_t hs_kernel_mg_alike(const struct hs_device_level *level, const struct hs_device_level *coarse,
                               uint32_t *d_rows, uint32_t *d_cells, cudaStream_t stream);

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
/* Condensation: nodes on lines, ghosts, then those in the middle of four coarse ones. */
cudaError_t hs_kernel_mg_lines(const struct hs_device_level *level, const float *f, float *u, cudaStream_t stream);
cudaError_t hs_kernel_mg_middles(const struct hs_device_level *level, const float *f, float *u, cudaStream_t stream);
/* In one pass on an open grid that is coarsened in both directions: u, residual and restrict; prolong, relax and relax.
 * weights: NULL but for HS_DOWN_SMOOTHED. */
cudaError_t hs_kernel_mg_down(const struct hs_device_level *level, enum hs_way_down way, const float *f,
                              const float weights[2], float *u, const struct hs_grid *coarse, float *coarse_f,
                              cudaStream_t stream);
cudaError_t hs_kernel_mg_up(const struct hs_device_level *level, const struct hs_grid *coarse, const float *coarse_u,
                            const float *f, const float weights[2], const float *u, float *to, cudaStream_t stream);
cudaError_t hs_kernel_mg_solve(const struct hs_device_level *level, const float *f, float *u, cudaStream_t stream);
/* Lets tails have as much shared memory as a block of the device can: *bytes. */
cudaError_t hs_kernel_mg_tail_prepare(int *bytes);
/* Finds places in shared memory for all that a tail has. */
void hs_kernel_mg_tail_place(struct hs_device_tail *tail);
/* Down all levels of a tail and up again: weights as for mg_down, the other way round on the way up, and that of segments. */
cudaError_t hs_kernel_mg_tail(const struct hs_device_tail *tail, const float *f, const float weights[3], float *u,
                              cudaStream_t stream);

/* Conjugate gradients and Richardson's iteration on the finest level. The reductions leave their tally in `all`. */
/* A block of x and a field's, which begins at `field`; x of Dirichlet nodes becomes their temperatures. */
cudaError_t hs_kernel_mg_take(const struct hs_device_level *level, const struct hs_device_own *block, int single,
                              const void *field, int64_t pitch, double *x, cudaStream_t stream);
cudaError_t hs_kernel_mg_give(const struct hs_device_level *level, const struct hs_device_own *block, int single,
                              const double *x, void *field, int64_t pitch, cudaStream_t stream);
cudaError_t hs_kernel_mg_inflow(const struct hs_device_level *level, const double *x,
                                const struct hs_device_right *right, double *r,
                                const struct hs_device_reduction *reduction, cudaStream_t stream);
cudaError_t hs_kernel_mg_scale(const struct hs_grid *grid, const double *r, double scale, float *f,
                               cudaStream_t stream);
/* The mean is the tally's total over the nodes: of a correction and of a residual. The latter's norms follow. */
cudaError_t hs_kernel_mg_sum(const struct hs_device_level *level, int single, const void *v,
                             const struct hs_device_reduction *reduction, cudaStream_t stream);
cudaError_t hs_kernel_mg_drop(const struct hs_device_level *level, int single, void *v, double mean,
                              const struct hs_device_reduction *reduction, cudaStream_t stream);
cudaError_t hs_kernel_mg_examine(const struct hs_device_level *level, const struct hs_device_examination *of,
                                 const struct hs_device_reduction *reduction, cudaStream_t stream);
cudaError_t hs_kernel_mg_advance(const struct hs_device_level *level, const struct hs_device_linear_step *step,
                                 cudaStream_t stream);
cudaError_t hs_kernel_mg_richardson(const struct hs_device_level *level, const struct hs_device_linear_step *step,
                                    const struct hs_device_reduction *reduction, cudaStream_t stream);
cudaError_t hs_kernel_mg_change(const struct hs_device_level *level, const double *x, const double *start, float *d,
                                cudaStream_t stream);
cudaError_t hs_kernel_mg_largest(const struct hs_device_level *level, const double *x,
                                 const struct hs_device_reduction *reduction, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
