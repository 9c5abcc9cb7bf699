/* What the parts of the cpu backend share: its state, where a row lies, and what keeps ghosts. */
#ifndef HS_BACKEND_CPU_STATE_H
#define HS_BACKEND_CPU_STATE_H

#include <omp.h>

#include "backend/backend.h"
#include "backend/cpu_rows.h"

enum {
  HS_CPU_LINE = 16,       /* elements left of column 0; a multiple of a cache line in both precisions */
  HS_CPU_MIN_RUN = 16,    /* shorter stretches of one stencil are merged into a mixed run */
  HS_CPU_MIN_NODES = 2048 /* below, a barrier costs more than the nodes */
};

/* Row functions, fields and the runs of every row. */
struct hs_backend_state {
  const struct hs_system *system;
  const struct hs_cpu_rows *rows;
  int threads;
  bool single;
  size_t pitch;    /* elements */
  size_t elements; /* of a padded field */
  void *now, *before, *saved;
  void *r; /* constants of the nodes' own, padded like a field; NULL: none */
  struct hs_relaxation relaxation;
  double omega; /* where Chebyshev's recursion stands */
  struct hs_row_run *runs;
  int64_t *first_run; /* [ny+1] runs of row j: first_run[j] .. first_run[j] + run_count[j] - 1 */
  int32_t *run_count; /* [ny] */
};

/* Address of column 0 in row j (-1 .. ny) of a field. */
static inline size_t hs_cpu_row(const struct hs_backend_state *state, int j)
{
  return (size_t)(j + 1) * state->pitch + HS_CPU_LINE;
}

/* First row of a thread of the present team; the runtime may give fewer threads than asked for. */
static inline int hs_cpu_first_row(const struct hs_backend_state *state, int thread)
{
  return (int)((int64_t)state->system->ny * thread / omp_get_num_threads());
}

/* Does a system give its nodes constants of their own? */
static inline bool hs_cpu_has_constants(const struct hs_system *system)
{
  return system->source_w_m || system->storing;
}

/* cpu_memory.c */

/* Finds the runs of all rows, anew when called again; a row like the one below it shares its runs. */
hs_status hs_cpu_runs_create(struct hs_backend_state *state, struct hs_error *err);

/* r = source_w_m / diagonal, where there is an r. */
void hs_cpu_constants_reset(struct hs_backend_state *state);

/* Renews the ghosts that mirror row j of a field, which has just been written; only for periodic walls. */
void hs_cpu_row_wrap(const struct hs_backend_state *state, void *field, int j);

/* Threads worth starting: those asked for, fewer when there are few nodes. */
int hs_cpu_threads(const struct hs_system *system, const struct hs_backend_options *options);

void hs_cpu_destroy(struct hs_backend_state *state);
hs_status hs_cpu_create(const struct hs_system *system, const struct hs_backend_options *options,
                        struct hs_backend_state **state, struct hs_error *err);
hs_status hs_cpu_load(struct hs_backend_state *state, const double *field_k, struct hs_error *err);
hs_status hs_cpu_fetch(struct hs_backend_state *state, double *field_k, struct hs_error *err);
hs_status hs_cpu_save(struct hs_backend_state *state, struct hs_error *err);
hs_status hs_cpu_restore(struct hs_backend_state *state, struct hs_error *err);

#endif
