/* What the parts of the cpu backend's operators share: where rows lie, and which rows are a thread's.
 *
 * Passes go through the grid once: each thread takes its rows one after another, and what a row needs of those beside it
 * waits in a few rows of the thread's own. Rows beyond a thread's block that it needs it makes for itself, from what no
 * thread writes in the pass. So threads meet only where a pass ends.
 */
#ifndef HS_BACKEND_CPU_LINEAR_LINEAR_H
#define HS_BACKEND_CPU_LINEAR_LINEAR_H

#include <omp.h>
#include <string.h>

#include "backend/cpu/linear/rows.h"
#include "backend/cpu/team.h"
#include "backend/host/host.h"

enum {
  HS_LINEAR_RING = 4,                                 /* rows of a ring: row k is k % 4 */
  HS_LINEAR_RINGS = 3,                                /* of a thread */
  HS_LINEAR_NODES_A_THREAD = 16384,                   /* below, waiting for each other costs more than the nodes */
  HS_LINEAR_RUN_LEAST = 16,                           /* nodes of a run that is taken apart from its neighbours */
  HS_LINEAR_ZEROS = HS_LINEAR_RINGS * HS_LINEAR_RING, /* a row of zeros */
  HS_LINEAR_TWICE,                                    /* eight rows that hold four of double precision */
  HS_LINEAR_ROOM_ROWS = HS_LINEAR_TWICE + 8
};

/* The threads of an operator and of all coarser ones, which leave where other programs keep the processors busy. */
struct hs_linear_team {
  struct hs_cpu_team threads;
  struct {
    _Alignas(64) double at_s;
  } done[]; /* [threads.most] when each had nothing left to do in the latest region */
};

/* The cpu backend's part of an operator. */
struct hs_operator_rows {
  const struct hs_linear_rows *rows;
  struct hs_linear_run *runs; /* of the finest operator */
  size_t *first_run;          /* [ny+1] */
  float *room;                /* [threads][HS_LINEAR_ROOM_ROWS][room_pitch] */
  size_t room_pitch;
  struct hs_linear_team *team; /* the finest operator's */
  int nodes_a_thread;          /* HS_LINEAR_NODES_A_THREAD but in tests */
};

/* Around a parallel region: how many threads it has; at the end of each thread; after it. */
int hs_linear_enter(const struct hs_operator *op);
void hs_linear_done(const struct hs_operator *op);
void hs_linear_leave(const struct hs_operator *op, int threads);

/* A statement that all threads of an operator execute; one for each row, shared among them. */
#define HS_LINEAR_REGION(op, ...)                                                                                      \
  do {                                                                                                                 \
    const int region_threads = hs_linear_enter(op);                                                                    \
    HS_HOST_PRAGMA(omp parallel num_threads(region_threads) if (region_threads > 1))                                   \
    {                                                                                                                  \
      __VA_ARGS__                                                                                                      \
      hs_linear_done(op);                                                                                              \
    }                                                                                                                  \
    hs_linear_leave(op, region_threads);                                                                               \
  } while (0)
#define HS_LINEAR_ROWS(op, j, ...)                                                                                     \
  HS_LINEAR_REGION(op, {                                                                                               \
    const struct hs_share region_rows = hs_linear_share((op)->grid.ny);                                                \
    for (int j = region_rows.from; j < region_rows.to; j++) __VA_ARGS__                                                \
  })

/* Rows of a thread: from <= j < to. */
struct hs_share {
  int from, to;
};

static inline struct hs_share hs_linear_share(int rows)
{
  const int64_t thread = omp_get_thread_num(), threads = omp_get_num_threads();
  const struct hs_share share = {(int)(rows * thread / threads), (int)(rows * (thread + 1) / threads)};
  return share;
}

/* Node 0 of one of the calling thread's own rows. Ghosts stay 0 where the grid is not periodic. */
static inline float *hs_linear_room(const struct hs_operator *op, int row)
{
  const size_t rows = (size_t)omp_get_thread_num() * HS_LINEAR_ROOM_ROWS + (size_t)row;
  return op->by_rows->room + rows * op->by_rows->room_pitch + 16;
}

static inline float *hs_linear_zeros(const struct hs_operator *op)
{
  return hs_linear_room(op, HS_LINEAR_ZEROS);
}

/* Where row k of ring `ring` lies. */
static inline float *hs_linear_ring(const struct hs_operator *op, int ring, int k)
{
  return hs_linear_room(op, ring * HS_LINEAR_RING + (k & (HS_LINEAR_RING - 1)));
}

/* The row that stands at k, around where the grid is periodic; -1: none. */
static inline int hs_linear_wrap(const struct hs_grid *grid, int k)
{
  if (k >= 0 && k < grid->ny) return k;
  if (!grid->periodic_y) return -1;
  return (k % grid->ny + grid->ny) % grid->ny;
}

static inline void hs_linear_ends_f32(const struct hs_grid *grid, float *row)
{
  if (!grid->periodic_x) return;
  row[-1] = row[grid->nx - 1];
  row[grid->nx] = row[0];
}

static inline void hs_linear_ends_f64(const struct hs_grid *grid, double *row)
{
  if (!grid->periodic_x) return;
  row[-1] = row[grid->nx - 1];
  row[grid->nx] = row[0];
}

/* Copies row j of an array, whose ends are made, to the ghosts that mirror it. */
static inline void hs_linear_mirror_f32(const struct hs_grid *grid, float *array, int j)
{
  const size_t bytes = (size_t)(grid->nx + 2) * sizeof *array;
  const float *row = array + hs_grid_at(grid, -1, j);
  if (grid->periodic_y && j == 0) memcpy(array + hs_grid_at(grid, -1, grid->ny), row, bytes);
  if (grid->periodic_y && j == grid->ny - 1) memcpy(array + hs_grid_at(grid, -1, -1), row, bytes);
}

static inline void hs_linear_mirror_f64(const struct hs_grid *grid, double *array, int j)
{
  const size_t bytes = (size_t)(grid->nx + 2) * sizeof *array;
  const double *row = array + hs_grid_at(grid, -1, j);
  if (grid->periodic_y && j == 0) memcpy(array + hs_grid_at(grid, -1, grid->ny), row, bytes);
  if (grid->periodic_y && j == grid->ny - 1) memcpy(array + hs_grid_at(grid, -1, -1), row, bytes);
}

/* The row functions of an instruction set; see hs_cpu_rows_choose. */
hs_status hs_linear_rows_choose(const char *isa, const struct hs_linear_rows **rows, struct hs_error *err);

/* Members of struct hs_linear and of struct hs_part_linear that make coarser operators (coarsen.c). */
hs_status hs_linear_shares(struct hs_operator *op, struct hs_level_shares *shares, struct hs_error *err);
hs_status hs_linear_coarsen(struct hs_operator *op, bool x, bool y, bool *passes, struct hs_operator **coarse,
                            struct hs_error *err);
hs_status hs_linear_window(struct hs_operator *model, const struct hs_grid *grid, struct hs_operator **op,
                           struct hs_error *err);

/* Gives an operator its rows; frees it after a failure. */
hs_status hs_linear_rows_create(struct hs_operator *op, const struct hs_linear_rows *rows, int nodes_a_thread,
                                struct hs_error *err);
void hs_linear_destroy(struct hs_operator *op);

/* Row j of an operator. */
struct hs_linear_row hs_linear_row(const struct hs_operator *op, int j);

/* Members of struct hs_linear. */
hs_status hs_linear_cycle_down(struct hs_operator *op, const struct hs_vector *f, const double weights[2],
                               struct hs_vector *u, const struct hs_operator *coarse, struct hs_vector *coarse_f,
                               struct hs_error *err);
hs_status hs_linear_cycle_up(struct hs_operator *op, const struct hs_operator *coarse, const struct hs_vector *coarse_u,
                             const struct hs_vector *f, const double weights[2], const struct hs_vector *u,
                             struct hs_vector *to, struct hs_error *err);
hs_status hs_linear_cycle_start(struct hs_operator *op, const struct hs_vector *f, double weight, struct hs_vector *u,
                                struct hs_error *err);
hs_status hs_linear_cycle_relax(struct hs_operator *op, const struct hs_vector *u, const struct hs_vector *f,
                                double weight, struct hs_vector *to, struct hs_error *err);
hs_status hs_linear_cycle_segments(struct hs_operator *op, const struct hs_vector *u, const struct hs_vector *f,
                                   const struct hs_segments *segments, struct hs_vector *to, struct hs_error *err);
hs_status hs_linear_cycle_restrict(struct hs_operator *op, const struct hs_vector *u, const struct hs_vector *f,
                                   struct hs_vector *r, const struct hs_operator *coarse, struct hs_vector *coarse_f,
                                   struct hs_error *err);
hs_status hs_linear_cycle_condense(struct hs_operator *op, const struct hs_vector *f, struct hs_vector *u,
                                   struct hs_vector *room, const struct hs_operator *coarse, struct hs_vector *coarse_f,
                                   struct hs_error *err);
hs_status hs_linear_cycle_prolong(struct hs_operator *op, const struct hs_operator *coarse,
                                  const struct hs_vector *coarse_u, struct hs_vector *u, struct hs_error *err);

hs_status hs_linear_residual(struct hs_operator *op, const struct hs_vector *x, const struct hs_right_side *right,
                             struct hs_vector *r, struct hs_residual_norms *norms, struct hs_error *err);
hs_status hs_linear_round(struct hs_operator *op, const struct hs_vector *r, double scale, struct hs_vector *f,
                          struct hs_error *err);
hs_status hs_linear_examine(struct hs_operator *op, const struct hs_examination *of, struct hs_correction *correction,
                            struct hs_error *err);
hs_status hs_linear_advance(struct hs_operator *op, const struct hs_linear_step *step, struct hs_error *err);
hs_status hs_linear_richardson(struct hs_operator *op, const struct hs_richardson *step,
                               struct hs_richardson_found *found, struct hs_error *err);

#endif
