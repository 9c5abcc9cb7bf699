/* Operators and vectors on the device; private to src/backend/cuda/linear. */
#ifndef HS_BACKEND_CUDA_LINEAR_LINEAR_H
#define HS_BACKEND_CUDA_LINEAR_LINEAR_H

#include "backend/cuda/linear/store.h"
#include "backend/cuda/state.h"
#include "backend/linear.h"
#include "multigrid/multigrid.h"

/* Shares of so many operators are kept, by their depth; the first place is for those that are counted when they are asked for. */
enum { HS_CUDA_SHARES = 64 };

/* What the operators of all levels share; the finest one owns it. */
struct hs_cuda_linear {
  cudaStream_t stream;
  struct hs_cuda_store *store;
  struct hs_device_reduction reduction;
  struct hs_tally *tally;                    /* pinned: the last one, */
  struct hs_level_shares *d_shares, *shares; /* [HS_CUDA_SHARES] and the second one, beside it */
  int told;                                  /* shares of operators at depths below this are in `shares`, too */
  cudaEvent_t written, copied;               /* between devices: what others may read, and have read */
};

struct hs_operator {
  struct hs_cuda_linear *shared;
  bool owner;
  const struct hs_system *system; /* of the finest operator; NULL: a coarser one */
  bool singular;
  int depth;    /* the finest operator: 0 */
  bool counted; /* were its shares, of all of its nodes, when it was made? */
  struct hs_device_level level;
  uint16_t *d_index;
  struct hs_balance_f64 *d_balance, *balance; /* [table_size] the table, and a copy on the host */
  struct hs_balance_f32 *d_balance_single, *balance_single;
  double *d_source_w_m;
  double *d_exact;    /* until settle */
  float *d_couplings; /* of a coarser operator */
  float *d_weights;   /* to the next coarser grid, for single operations */
  float *d_cells;     /* for passes and tails */
  uint32_t *d_alike;  /* for passes over strips */
  double *d_inverse;  /* of the coarsest operator */
};

struct hs_vector {
  const struct hs_cuda_linear *shared;
  struct hs_grid grid;
  bool single;
  void *d_values;
};

static inline float *hs_cuda_single(const struct hs_vector *v)
{
  return v->d_values;
}
static inline double *hs_cuda_double(const struct hs_vector *v)
{
  return v->d_values;
}

static inline struct hs_device_own hs_cuda_own_all(const struct hs_grid *grid)
{
  const struct hs_device_own all = {0, 0, grid->nx, grid->ny};
  return all;
}

/* Of a coarser grid: rows of large ones begin where a piece of memory does that a warp reads at once; those of small ones are copied
 * in pieces of 16 bytes. */
static inline int hs_cuda_pitch(int nx)
{
  const int unit = nx > 128 ? 32 : 4;
  return (nx + 2 + unit - 1) / unit * unit;
}

/* Can it be a level of a tail, beside the coarsest one, if its grid is open and coarsened in both directions? */
static inline bool hs_cuda_suits_tail(const struct hs_operator *op)
{
  const struct hs_grid *g = &op->level.grid;
  return op->d_couplings && (double)g->nx * g->ny <= HS_TAIL_NODES && g->pitch % 4 == 0;
}

/* Waits for a reduction whose launch gave `code`: its tally is then shared->tally. */
hs_status hs_cuda_tally_wait(const struct hs_operator *op, cudaError_t code, struct hs_error *err);

/* Device memory, of the store or else of the stream's pool; such that does not last; such that is zeroed. */
hs_status hs_cuda_linear_room(const struct hs_cuda_linear *shared, void **array, size_t bytes, struct hs_error *err);
hs_status hs_cuda_linear_brief(const struct hs_cuda_linear *shared, void **array, size_t bytes, struct hs_error *err);
hs_status hs_cuda_linear_array(const struct hs_cuda_linear *shared, void **array, size_t bytes, struct hs_error *err);
void hs_cuda_linear_free(const struct hs_cuda_linear *shared, void *array);

/* What operators of a system share, whose finest one has that grid; frees it, NULL is accepted. */
hs_status hs_cuda_linear_create(const struct hs_system *system, const struct hs_grid *grid,
                                struct hs_cuda_linear **shared, struct hs_error *err);
void hs_cuda_linear_destroy(struct hs_cuda_linear *shared);

/* Frees weights of interpolation; those of them that passes and tails take. */
void hs_cuda_weights_free(struct hs_operator *op);
void hs_cuda_cells_free(struct hs_operator *op);

/* The arrays of exact couplings in memory m, and all their bytes: the finest operator has three of the five. That memory, zeroed; as
 * it is, with room for the tiles of a level that is made now; for the finest operator, if it has none yet, with what the table
 * says. And their ghosts. */
struct hs_couplings_f64 hs_cuda_exact_arrays(const struct hs_operator *op, double *m);
size_t hs_cuda_exact_bytes(const struct hs_operator *op);
hs_status hs_cuda_exact_create(struct hs_operator *op, struct hs_error *err);
hs_status hs_cuda_exact_room(struct hs_operator *op, struct hs_error *err);
hs_status hs_cuda_exact_need(struct hs_operator *op, struct hs_error *err);
hs_status hs_cuda_exact_ghosts(struct hs_operator *op, struct hs_error *err);

/* Couplings as the cycle takes them, from the exact ones, and shares of all nodes. */
hs_status hs_cuda_couplings_create(struct hs_operator *op, struct hs_error *err);

/* Members of struct hs_linear. */
void hs_cuda_operator_destroy(struct hs_operator *op);
void hs_cuda_settle(struct hs_operator *op);
hs_status hs_cuda_level_shares(struct hs_operator *op, struct hs_level_shares *shares, struct hs_error *err);
hs_status hs_cuda_coarsen(struct hs_operator *op, bool x, bool y, bool *passes, struct hs_operator **coarse,
                          struct hs_error *err);
hs_status hs_cuda_weights(struct hs_operator *op, struct hs_error *err);
hs_status hs_cuda_rows(struct hs_operator *op, double (*rows)[9], struct hs_error *err);
hs_status hs_cuda_invert(struct hs_operator *op, const double *inverse, struct hs_error *err);
hs_status hs_cuda_cycle_start(struct hs_operator *op, const struct hs_vector *f, double weight, struct hs_vector *u,
                              struct hs_error *err);
hs_status hs_cuda_cycle_relax(struct hs_operator *op, const struct hs_vector *u, const struct hs_vector *f,
                              double weight, struct hs_vector *to, struct hs_error *err);
hs_status hs_cuda_cycle_segments(struct hs_operator *op, const struct hs_vector *u, const struct hs_vector *f,
                                 const struct hs_segments *segments, struct hs_vector *to, struct hs_error *err);
hs_status hs_cuda_cycle_restrict(struct hs_operator *op, const struct hs_vector *u, const struct hs_vector *f,
                                 struct hs_vector *r, const struct hs_operator *coarse, struct hs_vector *coarse_f,
                                 struct hs_error *err);
hs_status hs_cuda_cycle_condense(struct hs_operator *op, const struct hs_vector *f, struct hs_vector *u,
                                 struct hs_vector *room, const struct hs_operator *coarse, struct hs_vector *coarse_f,
                                 struct hs_error *err);
hs_status hs_cuda_cycle_prolong(struct hs_operator *op, const struct hs_operator *coarse,
                                const struct hs_vector *coarse_u, struct hs_vector *u, struct hs_error *err);
hs_status hs_cuda_cycle_down(struct hs_operator *op, const struct hs_vector *f, const double weights[2],
                             struct hs_vector *u, const struct hs_operator *coarse, struct hs_vector *coarse_f,
                             struct hs_error *err);
hs_status hs_cuda_cycle_up(struct hs_operator *op, const struct hs_operator *coarse, const struct hs_vector *coarse_u,
                           const struct hs_vector *f, const double weights[2], const struct hs_vector *u,
                           struct hs_vector *to, struct hs_error *err);
hs_status hs_cuda_cycle_solve(struct hs_operator *op, const struct hs_vector *f, struct hs_vector *u,
                              struct hs_error *err);
int hs_cuda_tail(struct hs_operator *const *op, const bool *segments, int count);
hs_status hs_cuda_cycle_tail(struct hs_operator *const *op, const bool *segments, int count, const struct hs_vector *f,
                             const double weights[3], struct hs_vector *u, struct hs_error *err);
hs_status hs_cuda_take(const struct hs_operator *op, const struct hs_backend_state *state, struct hs_vector *v,
                       struct hs_error *err);
hs_status hs_cuda_give(const struct hs_operator *op, const struct hs_vector *v, struct hs_backend_state *state,
                       struct hs_error *err);

/* Members of struct hs_part_linear. */
hs_status hs_cuda_block_take(const struct hs_operator *op, struct hs_vector *v, const struct hs_rectangle *block,
                             const struct hs_backend_state *state, int x0, int y0, struct hs_error *err);
hs_status hs_cuda_block_give(const struct hs_operator *op, const struct hs_vector *v, const struct hs_rectangle *block,
                             struct hs_backend_state *state, int x0, int y0, struct hs_error *err);
hs_status hs_cuda_residual(struct hs_operator *op, const struct hs_vector *x, const struct hs_right_side *right,
                           struct hs_vector *r, struct hs_residual_norms *norms, struct hs_error *err);
hs_status hs_cuda_round(struct hs_operator *op, const struct hs_vector *r, double scale, struct hs_vector *f,
                        struct hs_error *err);
hs_status hs_cuda_examine(struct hs_operator *op, const struct hs_examination *of, struct hs_correction *correction,
                          struct hs_error *err);
hs_status hs_cuda_step_advance(struct hs_operator *op, const struct hs_linear_step *step, struct hs_error *err);
hs_status hs_cuda_richardson(struct hs_operator *op, const struct hs_richardson *step,
                             struct hs_richardson_found *found, struct hs_error *err);
hs_status hs_cuda_change(const struct hs_operator *op, const struct hs_vector *x, const struct hs_vector *start,
                         struct hs_vector *d, struct hs_error *err);
hs_status hs_cuda_vector_largest(struct hs_operator *op, const struct hs_vector *x, double *largest,
                                 struct hs_error *err);

hs_status hs_cuda_record(struct hs_operator *op, struct hs_error *err);
hs_status hs_cuda_recorded(struct hs_operator *op, struct hs_recording **recording, struct hs_error *err);
hs_status hs_cuda_repeat(struct hs_operator *op, struct hs_recording *recording, struct hs_error *err);
void hs_cuda_forget(struct hs_recording *recording);

#endif
