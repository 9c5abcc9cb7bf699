/* Operators and vectors of the CPU backends: plain loops over the arithmetic of numerics/multigrid.h, rows shared among
 * threads. Private to src/backend/host. */
#ifndef HS_BACKEND_HOST_HOST_H
#define HS_BACKEND_HOST_HOST_H

#include <stdatomic.h>

#include "backend/backend.h"
#include "backend/linear.h"
#include "backend/part.h"
#include "numerics/total.h"

struct hs_operator {
  struct hs_grid grid;
  int threads; /* for this many nodes */
  int threads_most;
  const atomic_int *threads_now;  /* as many of them as the processors have time for; NULL: all */
  const struct hs_system *system; /* of the finest operator; NULL: a coarser one */
  bool singular;
  struct hs_rectangle own;        /* nodes that sums count: all, or those of a part */
  struct hs_balance_f64 *balance; /* [table_size] of the finest operator */
  struct hs_balance_f32 *balance_single;
  struct hs_couplings_f64 exact;         /* padded, until settle */
  struct hs_couplings_f32 couplings;     /* padded, of a coarser operator */
  float *couplings_memory;               /* of all six */
  double *exact_memory;                  /* of all five */
  struct hs_interpolation interpolation; /* to the next coarser grid */
  float *weights_memory;                 /* of all four */
  bool repeats;  /* rows that repeat others are left out (same.c): the cpu backend's operators */
  int32_t *same; /* [ny+2] of row j - 1: the row that has its exact couplings; NULL: itself */
  int32_t *same_weights, *same_couplings; /* likewise */
  int coarsen_x, coarsen_y;
  double *inverse;                  /* [n*n] of the coarsest operator */
  struct hs_operator_rows *by_rows; /* of the cpu backend */
  struct hs_tally tally;            /* what was found at the latest residual or correction */
};

struct hs_vector {
  struct hs_grid grid;
  float *single; /* padded; one of the two is NULL */
  double *twice;
};

/* Threads of the next parallel region. */
static inline int hs_host_threads_now(const struct hs_operator *op)
{
  const int now = op->threads_now ? atomic_load_explicit(op->threads_now, memory_order_relaxed) : op->threads;
  return now < op->threads ? now : op->threads;
}

/* for (j over rows), shared among an operator's threads. */
#define HS_HOST_PRAGMA(text) _Pragma(#text)
#define HS_HOST_ROWS(op, j)                                                                                            \
  HS_HOST_PRAGMA(omp parallel for schedule(static) num_threads(hs_host_threads_now(op)) if((op)->threads > 1))         \
  for (int j = 0; j < (op)->grid.ny; j++)

/* Zeroed arrays of so many values of a grid for an operator's threads, each of which touches its own part first. same: a map
 * of rows, of which those that repeat others stay untouched; or NULL. */
hs_status hs_host_array(void **array, size_t arrays, const struct hs_grid *grid, size_t size, int threads,
                        const int32_t *same, const char *what, struct hs_error *err);

/* Threads that pay for a grid. */
int hs_host_threads(const struct hs_grid *grid, int most);

/* Where node 0 of the row lies that a map names for row j; map: NULL, or as hs_operator.same. */
static inline size_t hs_host_row(const struct hs_grid *grid, const int32_t *map, int j)
{
  return hs_grid_at(grid, 0, map ? map[j + 1] : j);
}

/* Maps of rows, before what they are of is made: exact couplings of the finest operator; weights, once `same` is known;
 * exact couplings of a coarser operator; couplings in single precision. Errors: HS_ERR_MEMORY. */
hs_status hs_host_same_entries(struct hs_operator *op, struct hs_error *err);
hs_status hs_host_same_weights(struct hs_operator *op, struct hs_error *err);
hs_status hs_host_same_product(const struct hs_operator *fine, struct hs_operator *coarse, struct hs_error *err);
hs_status hs_host_same_couplings(struct hs_operator *op, struct hs_error *err);

/* Adds to a map, which may be NULL, rows of so many arrays that are found to be the same as those `step` rows before. */
void hs_host_same_find(const struct hs_grid *grid, const float *arrays, int count, int step, int32_t *map);

/* Fills the rows that were left out, for operations that read arrays as they lie. */
void hs_host_exact_complete(struct hs_operator *op);

/* The five arrays of exact couplings, zeroed; their ghosts. */
hs_status hs_host_exact_create(struct hs_operator *op, struct hs_error *err);
void hs_host_exact_ghosts(struct hs_operator *op);

/* Copies periodic neighbours into the ghost nodes. */
void hs_host_ghosts_f32(const struct hs_grid *grid, float *v);
void hs_host_ghosts_f64(const struct hs_grid *grid, double *v);

/* Table entry of node (i, j) of the finest operator. */
static inline size_t hs_host_entry(const struct hs_operator *op, int i, int j)
{
  return hs_system_index(op->system, (size_t)j * (size_t)op->system->nx + (size_t)i);
}

/* The finest operator of a system. repeats: as in hs_operator. Frees nothing of a caller's. */
hs_status hs_host_create(const struct hs_system *system, int threads, bool repeats, struct hs_operator **op,
                         struct hs_error *err);

/* Coarsening in parts: the interpolation and a coarser operator without couplings; the arguments of Galerkin's product;
 * a node of it; what follows from the couplings. */
hs_status hs_host_coarse_begin(struct hs_operator *op, bool x, bool y, struct hs_operator **coarse,
                               struct hs_error *err);
struct hs_galerkin hs_host_galerkin(const struct hs_operator *fine, const struct hs_operator *coarse);

/* Stores what the product gives for the node at n of e. */
static inline void hs_host_galerkin_store(const struct hs_couplings_f64 *e, size_t n, const double row[9])
{
  e->sum[n] = row[4];
  e->east[n] = row[5];
  e->northwest[n] = row[6];
  e->north[n] = row[7];
  e->northeast[n] = row[8];
}

void hs_host_galerkin_node(const struct hs_galerkin *product, const struct hs_couplings_f64 *e, int i, int j);
hs_status hs_host_coarse_end(struct hs_operator *coarse, struct hs_error *err);

/* Subtracts the mean of a correction. */
void hs_host_correction_mean_drop(struct hs_operator *op, struct hs_vector *z);

/* The sum of a vector over own nodes; v -= by, and largest magnitude and sum of squares of what is left. */
hs_status hs_host_total(struct hs_operator *op, const struct hs_vector *v, struct hs_total *total,
                        struct hs_error *err);
hs_status hs_host_lower(struct hs_operator *op, struct hs_vector *v, double by, struct hs_tally *tally,
                        struct hs_error *err);

/* Members of struct hs_part_linear. */
void hs_host_own(struct hs_operator *op, const struct hs_rectangle *own);
hs_status hs_host_tally(struct hs_operator *op, struct hs_tally *tally, struct hs_error *err);
hs_status hs_host_window(struct hs_operator *model, const struct hs_grid *grid, struct hs_operator **op,
                         struct hs_error *err);
hs_status hs_host_couplings_get(struct hs_operator *op, const struct hs_rectangle *block, double (*values)[5],
                                struct hs_error *err);
hs_status hs_host_couplings_put(struct hs_operator *op, const struct hs_rectangle *block, const double (*values)[5],
                                struct hs_error *err);
hs_status hs_host_block_get(struct hs_operator *op, const struct hs_vector *v, const struct hs_rectangle *block,
                            void *values, struct hs_error *err);
hs_status hs_host_block_put(struct hs_operator *op, struct hs_vector *v, const struct hs_rectangle *block,
                            const void *values, struct hs_error *err);
hs_status hs_host_block_copy(struct hs_operator *op, struct hs_vector *v, const struct hs_rectangle *block,
                             struct hs_operator *from_op, const struct hs_vector *from, int x0, int y0,
                             struct hs_error *err);
hs_status hs_host_wrap(struct hs_operator *op, struct hs_vector *v, struct hs_error *err);

/* Members of struct hs_linear. */
hs_status hs_host_update(struct hs_operator *op, const struct hs_system *system, bool couplings, struct hs_error *err);
struct hs_grid hs_host_grid(const struct hs_operator *op);
hs_status hs_host_vector_create(const struct hs_operator *op, bool single, struct hs_vector **v, struct hs_error *err);
void hs_host_vector_destroy(struct hs_vector *v);
hs_status hs_host_put(const struct hs_operator *op, const double *field_k, struct hs_vector *v, struct hs_error *err);
hs_status hs_host_fetch(const struct hs_operator *op, const struct hs_vector *v, double *values, struct hs_error *err);
hs_status hs_host_pick(const struct hs_operator *op, const struct hs_vector *const v[HS_PICKED], const int64_t *node,
                       int64_t count, double *const values[HS_PICKED], struct hs_error *err);
hs_status hs_host_load(const struct hs_operator *op, const double *values, struct hs_vector *v, struct hs_error *err);
hs_status hs_host_clear(const struct hs_operator *op, struct hs_vector *v, struct hs_error *err);
hs_status hs_host_copy(const struct hs_operator *op, const struct hs_vector *from, struct hs_vector *to,
                       struct hs_error *err);
hs_status hs_host_shares(struct hs_operator *op, struct hs_level_shares *shares, struct hs_error *err);
hs_status hs_host_coarsen(struct hs_operator *op, bool x, bool y, bool *passes, struct hs_operator **coarse,
                          struct hs_error *err);
hs_status hs_host_rows(struct hs_operator *op, double (*rows)[9], struct hs_error *err);
hs_status hs_host_invert(struct hs_operator *op, const double *inverse, struct hs_error *err);
void hs_host_settle(struct hs_operator *op);
void hs_host_destroy(struct hs_operator *op);

hs_status hs_host_cycle_start(struct hs_operator *op, const struct hs_vector *f, double weight, struct hs_vector *u,
                              struct hs_error *err);
hs_status hs_host_cycle_relax(struct hs_operator *op, const struct hs_vector *u, const struct hs_vector *f,
                              double weight, struct hs_vector *to, struct hs_error *err);
hs_status hs_host_cycle_segments(struct hs_operator *op, const struct hs_vector *u, const struct hs_vector *f,
                                 const struct hs_segments *segments, struct hs_vector *to, struct hs_error *err);
hs_status hs_host_cycle_restrict(struct hs_operator *op, const struct hs_vector *u, const struct hs_vector *f,
                                 struct hs_vector *r, const struct hs_operator *coarse, struct hs_vector *coarse_f,
                                 struct hs_error *err);
hs_status hs_host_cycle_prolong(struct hs_operator *op, const struct hs_operator *coarse,
                                const struct hs_vector *coarse_u, struct hs_vector *u, struct hs_error *err);
hs_status hs_host_cycle_condense(struct hs_operator *op, const struct hs_vector *f, struct hs_vector *u,
                                 struct hs_vector *room, const struct hs_operator *coarse, struct hs_vector *coarse_f,
                                 struct hs_error *err);
hs_status hs_host_cycle_solve(struct hs_operator *op, const struct hs_vector *f, struct hs_vector *u,
                              struct hs_error *err);

hs_status hs_host_residual(struct hs_operator *op, const struct hs_vector *x, const struct hs_right_side *right,
                           struct hs_vector *r, struct hs_residual_norms *norms, struct hs_error *err);
hs_status hs_host_round(struct hs_operator *op, const struct hs_vector *r, double scale, struct hs_vector *f,
                        struct hs_error *err);
hs_status hs_host_examine(struct hs_operator *op, const struct hs_examination *of, struct hs_correction *correction,
                          struct hs_error *err);
hs_status hs_host_advance(struct hs_operator *op, const struct hs_linear_step *step, struct hs_error *err);
hs_status hs_host_richardson(struct hs_operator *op, const struct hs_richardson *step,
                             struct hs_richardson_found *found, struct hs_error *err);
hs_status hs_host_change(const struct hs_operator *op, const struct hs_vector *x, const struct hs_vector *start,
                         struct hs_vector *d, struct hs_error *err);
hs_status hs_host_largest(struct hs_operator *op, const struct hs_vector *x, double *largest, struct hs_error *err);

#endif
