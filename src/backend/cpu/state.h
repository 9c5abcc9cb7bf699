/* What the parts of the cpu backend share: its state, where a row lies, and what keeps ghosts. */
#ifndef HS_BACKEND_CPU_STATE_H
#define HS_BACKEND_CPU_STATE_H

#include <omp.h>

#include "backend/backend.h"
#include "backend/cpu/barrier.h"
#include "backend/cpu/rows/rows.h"
#include "backend/cpu/subdomains.h"
#include "backend/cpu/team.h"

enum {
  HS_CPU_LINE = 16,                /* elements left of column 0; a multiple of a cache line in both precisions */
  HS_CPU_MIN_GROUPS = 4,           /* fewer groups of one stencil are packed as well */
  HS_CPU_NATURAL_GROUPS = 1024,    /* packed groups of natural rows, which read 256 or 512 KB of them: a second cache */
  HS_CPU_ALL_GROUPS = 4096,        /* with those of transposed rows; a tile needs few of them */
  HS_CPU_MIN_NODES = 2048,         /* for each thread after the first; below, a barrier costs more than the nodes */
  HS_CPU_MIN_ROWS = 16,            /* of a thread that makes passes; below, they are too short */
  HS_CPU_CACHED_BYTES = 512 << 10, /* of both fields for each thread: below, they stay in the second cache, and single
                                      sweeps of natural rows are as fast as passes or faster */
  HS_CPU_LEAST_COLUMNS = 48,       /* of a grid: below, passes cost more than they save */
  HS_CPU_FIELDS = 3,               /* present, predecessor, remembered */
  HS_CPU_FIELDS_CHEBYSHEV = 5,     /* two more, for passes that read two and write two */
  HS_CPU_STAGES_MOST = 64,         /* sweeps of a pass that may be asked for */
  HS_CPU_EDGE_COLUMNS = 2,         /* that a row of a skewed tile needs from the tile east of it */
  HS_CPU_TRANSPOSED = 3            /* transposed fields: what a pass reads and writes, and the remembered one */
};

/* Columns of natural rows that a pass of several sweeps takes together (cpu/natural.c). */
struct hs_cpu_overlapped_tile {
  int from, to;       /* brought forward: from <= i < to */
  int first, columns; /* computed: with a ghost zone on either side, where the grid has one */
};

/* Rows of a field, or of a stage of a tile, around one of them; r: constants of its nodes' own, or NULL. */
struct hs_cpu_lines {
  const void *south, *row, *north, *r;
};

/* A pass of several sweeps. */
struct hs_cpu_pass {
  enum hs_form form;
  const double *weights;                     /* [stages], where the form has any */
  int stages;                                /* sweeps: 1 .. state->stages, one fewer where norms are taken */
  const void *source;                        /* field before */
  void *target;                              /* field after */
  bool source_transposed, target_transposed; /* are their rows transposed (state->transposed)? */
  const void *source_before;          /* of Chebyshev's form: the predecessors of source and target; others leave the */
  void *target_before;                /* target's predecessor nowhere */
  const struct hs_cpu_scales *scales; /* NULL: no norms */
  struct hs_row_norms *norms;         /* those of the last sweep are added */
};

/* Where the sweeps of a call stand, for each thread alike. */
struct hs_cpu_roles {
  void *now, *before;
  void *transposed; /* the present field where it is transposed, and `now` NULL */
  const void *read; /* what the last pass has read where that is transposed, and `before` NULL */
};

/* Row functions, fields and the schedules of all rows. */
struct hs_cpu_state {
  const struct hs_system *system;
  const struct hs_cpu_rows *rows;
  int threads;                          /* at most */
  struct hs_cpu_team *team;             /* those that sweep now */
  struct hs_cpu_subdomains *subdomains; /* rows of the threads; passes change them */
  bool single;
  size_t pitch;                          /* elements */
  size_t elements;                       /* of a padded field */
  void *fields[HS_CPU_FIELDS_CHEBYSHEV]; /* the memory; a sweep spares the remembered one, so that none is copied but by
                                            Chebyshev's form */
  int field_count;
  void *now, *before, *saved; /* roles; the remembered field may be the present one or its predecessor. NULL: the field
                                 is transposed instead, and one of state->transposed is */
  void *now_transposed, *saved_transposed; /* these */
  const void *behind_transposed;
  int behind; /* sweeps from `before` to `now`: 1, or those of a pass that has left the predecessor out */
  struct hs_relaxation behind_relaxation; /* of those sweeps */
  void *r;                                /* per-node constants, padded like a field; NULL: none */
  struct hs_relaxation relaxation;
  double omega;                    /* where Chebyshev's recursion stands */
  int width;                       /* nodes of a group */
  struct hs_row_span *spans;       /* [ny] */
  struct hs_row_segment *segments; /* of all rows */
  struct hs_row_packed *packed;    /* of all rows */
  int32_t *group_entries;          /* [HS_CPU_ALL_GROUPS][width] coefficient indices of packed groups */
  int group_count;
  void *groups;       /* [group_count] packed groups, see rows/rows.h */
  void *norm_groups;  /* the same for norms of transposed rows; NULL where rows are not transposed */
  int stages;         /* sweeps of a pass at most; 1: passes are not made, and what follows is unused */
  int natural_stages; /* the same where rows are not transposed */
  int least_blocked;  /* sweeps, or sweeps and norms, that are worth a pass */
  int overlapped_count, ghost_columns; /* of natural rows (cpu/natural.c) */
  int tile_count, tile_columns;        /* of transposed ones (cpu/transposed.c) */
  int tile_skew;                       /* columns by which a tile shifts east a stage: 1, or 0 for a full-width one */
  bool stores_streamed;                /* past the caches to memory */
  void *transposed[HS_CPU_TRANSPOSED]; /* fields between passes; NULL: these are transposed back, too */
  size_t transposed_pitch, transposed_bytes; /* of their rows, ghosts included, and of each; 0: there are none */
  struct hs_row_span *overlapped_spans;      /* [overlapped_count][ny] rows cut to the tiles */
  struct hs_row_span *tile_spans;            /* [tile_count][ny]; NULL: rows are not transposed */
  struct hs_row_segment *tile_segments;
  struct hs_row_packed *tile_packed;
  void *rings; /* [threads] of ring_bytes each: tile_ring_bytes of transposed rows, then those of natural ones */
  void *edges; /* between skewed tiles */
  void *halo;  /* [threads] of halo_bytes each: first rows of all stages and tiles, for the thread south of it */
  struct hs_progress *progress; /* [threads + 1] how much of them is there; the last one counts passes */
  size_t overlapped_pitch, ring_bytes, tile_pitch, tile_ring_bytes, edge_bytes, halo_bytes;
  int overlapped_slots, tile_slots;
};

/* The state behind a handle of the interface, which the backend's operations get. */
static inline struct hs_cpu_state *hs_cpu_state(const struct hs_backend_state *backend)
{
  return (struct hs_cpu_state *)backend;
}

static inline size_t hs_cpu_element_size(const struct hs_cpu_state *state)
{
  return state->single ? sizeof(float) : sizeof(double);
}

/* Elements from row to row of a padded field, and of all of it. */
static inline size_t hs_cpu_pitch(const struct hs_system *system)
{
  return ((size_t)system->nx + 1 + HS_CPU_LINE - 1) / HS_CPU_LINE * HS_CPU_LINE + HS_CPU_LINE;
}

static inline size_t hs_cpu_elements(const struct hs_system *system)
{
  return ((size_t)system->ny + 2) * hs_cpu_pitch(system) + HS_CPU_LINE;
}

/* Address of column 0 in row j (-1 .. ny) of a field. */
static inline size_t hs_cpu_row(const struct hs_cpu_state *state, int j)
{
  return (size_t)(j + 1) * state->pitch + HS_CPU_LINE;
}

/* Threads that sweep in this parallel region: the runtime may give fewer than asked for, and others may have left. */
static inline int hs_cpu_team_size(const struct hs_cpu_state *state)
{
  const int given = omp_get_num_threads();
  return given < state->team->threads ? given : state->team->threads;
}

/* Does this thread still sweep? */
static inline bool hs_cpu_team_has_me(const struct hs_cpu_state *state)
{
  return omp_get_thread_num() < hs_cpu_team_size(state);
}

/* First row of a thread of the present team, until the end of a pass; none for one that has left. A new team shares all
 * rows alike. */
static inline int hs_cpu_first_row(const struct hs_cpu_state *state, int thread)
{
  const int team = hs_cpu_team_size(state);
  if (thread >= team) return state->system->ny;
  return team == state->subdomains->threads ? state->subdomains->alone[thread]
                                            : (int)((int64_t)state->system->ny * thread / team);
}

/* The same in a pass. */
static inline int hs_cpu_pass_row(const struct hs_cpu_state *state, int thread)
{
  const int team = hs_cpu_team_size(state);
  return team == state->subdomains->threads && thread < team ? state->subdomains->first_row[thread]
                                                             : hs_cpu_first_row(state, thread);
}

/* Do passes of that form go through transposed rows? */
static inline bool hs_cpu_is_transposed(const struct hs_cpu_state *state, enum hs_form form)
{
  return state->tile_spans && form == HS_FORM_JACOBI;
}

/* Sweeps of a pass of that form at most. */
static inline int hs_cpu_stages(const struct hs_cpu_state *state, enum hs_form form)
{
  if (form == HS_FORM_CHEBYSHEV && state->field_count < HS_CPU_FIELDS_CHEBYSHEV) return 1;
  return hs_cpu_is_transposed(state, form) ? state->stages : state->natural_stages;
}

/* Tiles have whole lines, but for the last one. */
static inline struct hs_cpu_overlapped_tile hs_cpu_overlapped_tile(const struct hs_cpu_state *state, int k)
{
  const int64_t lines = (state->system->nx + HS_CPU_LINE - 1) / HS_CPU_LINE;
  const int from = (int)(lines * k / state->overlapped_count) * HS_CPU_LINE;
  const int beyond = (int)(lines * (k + 1) / state->overlapped_count) * HS_CPU_LINE;
  const int nx = state->system->nx, to = beyond < nx ? beyond : nx;
  const int first = from > state->ghost_columns ? from - state->ghost_columns : 0;
  const int end = to < nx - state->ghost_columns ? to + state->ghost_columns : nx;
  const struct hs_cpu_overlapped_tile tile = {from, to, first, end - first};
  return tile;
}

/* Where a sweep from `now` goes: over the predecessor, unless that is the remembered field, or transposed (NULL). */
static inline void *hs_cpu_target(const struct hs_cpu_state *state, const void *now, void *before)
{
  void *const *field = state->fields;
  if (before && before != state->saved) return before;
  while (*field == now || *field == before || *field == state->saved) field++;
  return *field;
}

/* Does a system give its nodes constants of their own? */
static inline bool hs_cpu_has_constants(const struct hs_system *system)
{
  return system->source_w_m || system->storing;
}

/* Do both fields lie in the second caches of so many threads? */
bool hs_cpu_is_cached(const struct hs_system *system, bool single, int threads);

/* Can rows of a system be transposed? Then plain sweeps of them are made in passes, from HS_CPU_LEAST_COLUMNS on. */
static inline bool hs_cpu_transposes(const struct hs_cpu_rows *rows, const struct hs_system *system)
{
  (void)rows;
  return system->index && !hs_cpu_has_constants(system) && system->wrap_x < 0 && system->wrap_y < 0;
}

/* cpu/schedule.c */

/* Plans all rows, anew when called again. */
hs_status hs_cpu_schedules_create(struct hs_cpu_state *state, struct hs_error *err);

/* Takes over stencils of which only constants have changed. */
void hs_cpu_schedules_refresh(struct hs_cpu_state *state);

void hs_cpu_schedules_destroy(struct hs_cpu_state *state);

/* cpu/natural.c */

/* Stages, tiles, the size of the rings and the number of fields for a state with its row functions, threads and width.
 * Errors: HS_ERR_CONFIG (options->testing). */
hs_status hs_cpu_tiling_choose(struct hs_cpu_state *state, const struct hs_backend_options *options,
                               struct hs_error *err);

/* A thread's part of a pass, whose sources and targets are filled in here, and the barrier after it.
 * left_transposed: may the target be left transposed? The roles move on. */
void hs_cpu_pass(const struct hs_cpu_state *state, struct hs_cpu_pass pass, bool left_transposed,
                 struct hs_cpu_roles *roles);

/* cpu/transposed.c */

/* Is one tile as wide as the grid? `columns` of a tile as they are given, 0 where they are not. */
bool hs_cpu_is_full_width(const struct hs_cpu_state *state, int columns);

/* Tiles of transposed rows and the size of their rings, after the stages; whether fields are kept transposed between
 * passes. */
void hs_cpu_tiles_choose(struct hs_cpu_state *state, int columns, bool kept_transposed);

/* Transposes a field of state->transposed back, into another field. */
void hs_cpu_transpose_back(const struct hs_cpu_state *state, const void *transposed, void *field);

void hs_cpu_transposed_pass(const struct hs_cpu_state *state, const struct hs_cpu_pass *pass, int thread);

enum { HS_CPU_MARK_BITS = 24 }; /* stages of all tiles of a pass are fewer */

/* What all threads have reached in passes that are over. */
static inline uint64_t hs_cpu_halo_begun(const struct hs_cpu_state *state)
{
  return (uint64_t)atomic_load_explicit(&state->progress[state->threads].reached, memory_order_relaxed)
         << HS_CPU_MARK_BITS;
}

/* cpu/row.c */

struct hs_row_schedule hs_cpu_row_schedule(const struct hs_cpu_state *state, int j);
struct hs_cpu_lines hs_cpu_field_lines(const struct hs_cpu_state *state, const void *field, int j);

/* One sweep of the row that `lines` are about. */
void hs_cpu_lines_sweep(const struct hs_cpu_state *state, const struct hs_row_schedule *schedule,
                        const struct hs_cpu_lines *lines, enum hs_form form, double weight, void *out);

/* Row j from one field to another, ghosts included. */
void hs_cpu_row_sweep(const struct hs_cpu_state *state, enum hs_form form, double weight, const void *from, void *to,
                      int j);

/* r of row j, for an implicit step from the present field. */
void hs_cpu_row_step(const struct hs_cpu_state *state, bool trapezoid, int j);

/* Adds the norms of columns from .. to-1, with `before` for the row's predecessor; from is a group's first column. */
void hs_cpu_lines_norms(const struct hs_cpu_state *state, const struct hs_cpu_scales *scales,
                        const struct hs_row_schedule *schedule, const struct hs_cpu_lines *lines, const void *before,
                        int from, int to, struct hs_row_norms *norms);

/* Columns from .. to-1 of row j of a field, those of them that there are: copies them there from `row`, past the caches
 * where fields are large; or calls them to the second cache. */
void hs_cpu_row_store(const struct hs_cpu_state *state, void *target, int j, int from, int to, const char *row);
void hs_cpu_row_prefetch(const struct hs_cpu_state *state, const void *field, int j, int from, int to);

/* After the last hs_cpu_row_store of a thread, before a barrier. */
void hs_cpu_stores_finish(void);

/* cpu.c */

/* A thread's part of n sweeps, with a barrier after each pass; the roles and *omega move on, but for a thread that leaves
 * the team. */
void hs_cpu_sweeps(const struct hs_cpu_state *state, int64_t n, double *omega, struct hs_cpu_roles *roles);

hs_status hs_cpu_sweep(struct hs_cpu_state *state, int64_t n, struct hs_error *err);

/* cpu/norms.c */

/* Makes the predecessor where a pass has left it out; it and the present field are natural then. */
hs_status hs_cpu_predecessor(struct hs_cpu_state *state, struct hs_error *err);

/* Before sweeps: the present field is transposed back, and Chebyshev's read the predecessor and write over it. */
hs_status hs_cpu_sweeps_ready(struct hs_cpu_state *state, struct hs_error *err);

hs_status hs_cpu_sweep_normed(struct hs_backend_state *backend, int64_t n, const struct hs_bounds *bounds,
                              struct hs_norms *norms, struct hs_error *err);
hs_status hs_cpu_norms(struct hs_backend_state *backend, const struct hs_bounds *bounds, struct hs_norms *norms,
                       struct hs_error *err);
hs_status hs_cpu_distance(struct hs_backend_state *backend, double *distance_k, struct hs_error *err);
hs_status hs_cpu_largest(struct hs_backend_state *backend, double *largest_k, struct hs_error *err);
hs_status hs_cpu_advance(struct hs_backend_state *backend, struct hs_intervals *intervals, struct hs_error *err);

/* cpu/memory.c */

/* r = source_w_m / diagonal, where there is an r. */
void hs_cpu_constants_reset(struct hs_cpu_state *state);

/* Renews the ghosts that mirror row j of a field, which has just been written; only for periodic walls. */
void hs_cpu_row_wrap(const struct hs_cpu_state *state, void *field, int j);

/* Threads, of those available, that a grid can keep busy: more would be slower. */
int hs_cpu_threads_useful(const struct hs_system *system, const struct hs_backend_options *options, int available);

/* Threads to be started: exactly those asked for, if not more than rows; else as many as are allowed and useful. */
int hs_cpu_threads(const struct hs_system *system, const struct hs_backend_options *options);

/* A natural field without a role. */
void *hs_cpu_free_field(const struct hs_cpu_state *state);

/* What is before the present field does not matter any more. */
void hs_cpu_predecessor_forget(struct hs_cpu_state *state);

/* Transpose the present field, or the remembered one, back where it is transposed. */
void hs_cpu_make_natural(struct hs_cpu_state *state);
void hs_cpu_saved_make_natural(struct hs_cpu_state *state);

/* Moves the remembered field away from the present one and its predecessor, for sweeps in place. */
void hs_cpu_saved_part(struct hs_cpu_state *state);

void hs_cpu_destroy(struct hs_backend_state *backend);
hs_status hs_cpu_create(const struct hs_system *system, const struct hs_backend_options *options,
                        struct hs_backend_state **backend, struct hs_error *err);
hs_status hs_cpu_load(struct hs_backend_state *backend, const double *field_k, struct hs_error *err);
hs_status hs_cpu_fetch(struct hs_backend_state *backend, double *field_k, struct hs_error *err);
hs_status hs_cpu_save(struct hs_backend_state *backend, struct hs_error *err);
hs_status hs_cpu_restore(struct hs_backend_state *backend, struct hs_error *err);

#endif
