/* A thread's part of a pass over transposed rows (cpu/transposed.c), and where its rows lie. */
#ifndef HS_BACKEND_CPU_WORKER_H
#define HS_BACKEND_CPU_WORKER_H

#include "backend/cpu/state.h"
#include "backend/cpu/wavefront.h"

enum { HS_CPU_MARK_BITS = 24 }; /* stages of all tiles of a pass are fewer */

/* One thread's part of a pass. */
struct hs_cpu_worker {
  const struct hs_cpu_state *state;
  const struct hs_cpu_pass *pass;
  int thread;
  const struct hs_cpu_wavefront *rows;
  uint64_t begun;                  /* what all threads had reached before this pass */
  int depth;                       /* stages: sweeps, and the norms */
  int tile;                        /* its number */
  const struct hs_row_span *spans; /* [ny] of the tile */
  char *ring;                      /* slot 0; the slot before it is zeros */
  int halves;                      /* 1: it is cut into two; 0: it is not */
  int mask;                        /* slots of one of them, or of all of it, but for 1 */
  char *kept;                      /* HS_CPU_BLOCK_ROWS slots of the last stage but one */
  char *spare;                     /* a natural row */
  char *coefficients;              /* slot 0 of those that differ from node to node */
  char *edges;
  size_t vector_bytes;
};

/* First column of the tile at a stage, which may lie outside of the grid. */
static inline int hs_cpu_stage_column(const struct hs_cpu_worker *worker, int stage)
{
  const struct hs_cpu_tiling *t = &worker->state->tiling;
  return worker->tile * t->columns - t->skew * (worker->depth - stage);
}

/* Its vectors west of that one, from stage 0 of the deepest pass on. */
static inline int hs_cpu_stage_shift(const struct hs_cpu_worker *worker, int stage)
{
  return hs_cpu_stage_column(worker, stage) - hs_cpu_tile_first(worker->state, worker->tile);
}

/* Bytes from a slot's begin to a row of that stage. */
static inline size_t hs_cpu_stage_place(const struct hs_cpu_worker *worker, int stage)
{
  return worker->state->tiling.skew ? 0 : (size_t)(worker->depth - stage + 1) * worker->vector_bytes;
}

/* The slot of row j of a stage. */
static inline char *hs_cpu_stage_slot(const struct hs_cpu_worker *worker, int stage, int j)
{
  const int slot = (stage & worker->halves) * (worker->mask + 1) + ((j - stage * !worker->halves) & worker->mask);
  return worker->ring + (size_t)slot * worker->state->tiling.pitch;
}

/* Rows from j on of a stage, from a place in their slots on. */
static inline void hs_cpu_stage_rows(const struct hs_cpu_worker *worker, int stage, int j, int count, size_t place,
                                     void **rows)
{
  const size_t pitch = worker->state->tiling.pitch;
  char *slot = hs_cpu_stage_slot(worker, stage, j);
  const char *const half = worker->ring + (size_t)(stage & worker->halves) * (size_t)(worker->mask + 1) * pitch;
  const char *const end = half + (size_t)(worker->mask + 1) * pitch;
  for (int m = 0; m < count; m++) {
    rows[m] = slot + place;
    slot += pitch;
    if (slot == end) slot -= (size_t)(worker->mask + 1) * pitch;
  }
}

/* Row j of a stage, from a place in its slot on; zeros beyond the grid. */
static inline char *hs_cpu_stage_row_at(const struct hs_cpu_worker *worker, int stage, int j, size_t place)
{
  const bool inside = j >= 0 && j < worker->state->system->ny;
  return inside ? hs_cpu_stage_slot(worker, stage, j) + place : worker->ring - worker->state->tiling.pitch;
}

/* The same from its first column on. */
static inline char *hs_cpu_stage_row(const struct hs_cpu_worker *worker, int stage, int j)
{
  return hs_cpu_stage_row_at(worker, stage, j, hs_cpu_stage_place(worker, stage));
}

/* The same with the ghosts west of it; in a skewed tile both vectors of ghosts are east of it. */
static inline char *hs_cpu_stage_row_whole(const struct hs_cpu_worker *worker, int stage, int j)
{
  return hs_cpu_stage_row(worker, stage, j) - (worker->state->tiling.skew ? 0 : hs_cpu_vector_bytes(worker->state));
}

/* What is kept of row j of the last stage but one. */
static inline char *hs_cpu_predecessor_row(const struct hs_cpu_worker *worker, int j)
{
  return worker->kept + (size_t)(j & (HS_CPU_BLOCK_ROWS - 1)) * worker->state->tiling.pitch;
}

/* Edges of a row and the ones after it, which the tile in the east has left; NULL where there are none. */
static inline char *hs_cpu_row_edges(const struct hs_cpu_worker *worker, int stage, int place)
{
  const int block = place / HS_CPU_BLOCK_ROWS, row = place % HS_CPU_BLOCK_ROWS;
  const size_t stages = (size_t)block * (size_t)worker->depth + (size_t)stage;
  const size_t entry = stages * HS_CPU_BLOCK_ROWS + (size_t)row;
  if (stage == worker->depth || !worker->state->tiling.skew) return NULL;
  return worker->edges + entry * HS_CPU_EDGE_COLUMNS * hs_cpu_element_size(worker->state);
}

/* The same, zeros for the first tile. */
static inline const char *hs_cpu_row_edges_east(const struct hs_cpu_worker *worker, int stage, int place)
{
  const char *edges = hs_cpu_row_edges(worker, stage, place);
  return edges && worker->tile == worker->state->tiling.count - 1 ? worker->ring - worker->state->tiling.pitch : edges;
}

/* Row j of a field that is kept transposed, from the ghosts west of it on. */
static inline char *hs_cpu_kept_row(const struct hs_cpu_state *state, const void *field, int j)
{
  return (char *)field + (size_t)j * state->tiling.row_bytes;
}

/* A row of a stage that the thread has handed over, one of the first HS_CPU_HALO_ROWS. */
static inline char *hs_cpu_halo_row(const struct hs_cpu_worker *worker, int thread, int stage, int number)
{
  const struct hs_cpu_tiling *t = &worker->state->tiling;
  const size_t rows = ((size_t)worker->tile * (size_t)t->stages + (size_t)stage) * HS_CPU_HALO_ROWS;
  return (char *)worker->state->halo + (size_t)thread * t->halo_bytes + (rows + (size_t)number) * t->row_bytes;
}

/* What a thread has reached when it has handed that stage over. */
static inline uint64_t hs_cpu_halo_mark(const struct hs_cpu_worker *worker, int stage)
{
  const int tiles = worker->state->tiling.count - 1 - worker->tile;
  return worker->begun + (uint64_t)(tiles * worker->depth + stage);
}

/* Coefficients of row j that differ from node to node: constants, and behind them groups. */
static inline char *hs_cpu_row_coefficients(const struct hs_cpu_worker *worker, int j)
{
  const struct hs_cpu_tiling *t = &worker->state->tiling;
  return worker->coefficients + (size_t)(j & (t->coefficient_slots - 1)) * (t->constant_pitch + t->group_pitch);
}

#endif
