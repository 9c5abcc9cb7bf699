/* What the parts of the cpu backend share: its state, where a row lies, and how passes are tiled. */
#ifndef HS_BACKEND_CPU_STATE_H
#define HS_BACKEND_CPU_STATE_H

#include <omp.h>

#include "backend/backend.h"
#include "backend/cpu/barrier.h"
#include "backend/cpu/rows/rows.h"
#include "backend/cpu/subdomains.h"
#include "backend/cpu/team.h"

enum {
  HS_CPU_LINE = 16,            /* elements left of column 0; a multiple of a cache line in both precisions */
  HS_CPU_WIDTH_MOST = 16,      /* elements of a vector */
  HS_CPU_MIN_NODES = 2048,     /* for each thread after the first; below, a barrier costs more than the nodes */
  HS_CPU_MIN_ROWS = 16,        /* of a thread that makes passes; below, they are too short */
  HS_CPU_LEAST_COLUMNS = 48,   /* of a grid: below, passes cost more than they save */
  HS_CPU_FIELDS = 3,           /* present, predecessor, remembered */
  HS_CPU_FIELDS_CHEBYSHEV = 5, /* two more, for passes that read two and write two */
  HS_CPU_STAGES_MOST = 64,     /* sweeps of a pass that may be asked for */
  HS_CPU_GHOSTS = 2,           /* vectors of ghosts in a transposed row */
  HS_CPU_EDGE_COLUMNS = 2,     /* that a row of a skewed tile needs from the tile east of it */
  HS_CPU_TRANSPOSED = 3        /* transposed fields: what a pass reads and writes, and the remembered one */
};

/* How passes are tiled, and the memory of that (cpu/tiling.c). */
struct hs_cpu_tiling {
  int stages;         /* sweeps of a pass at most; 1: passes are not made, and what follows the next three is unused */
  int field_count;    /* natural fields */
  int least_blocked;  /* sweeps, or sweeps and norms, that are worth a pass */
  bool streamed;      /* fields are written past the caches to memory */
  int count, columns; /* tiles, and the columns of each */
  int skew;           /* columns by which a tile shifts east a stage: 1, or 0 for a full-width one */
  int slots;          /* of a thread's ring: rows under way */
  int coefficient_slots;     /* the same for coefficients that differ from node to node */
  size_t row_bytes;          /* of a transposed row, ghosts included */
  size_t pitch, spare_bytes; /* bytes from slot to slot, and of a natural row */
  size_t constant_pitch;     /* bytes of a row of per-node constants; 0: there are none */
  size_t group_pitch;        /* bytes of a row's own groups; 0: groups are shared */
  size_t ring_bytes;         /* all of this for a thread */
  size_t halo_bytes;         /* for a thread: first rows of all stages and tiles, for the thread south of it */
  size_t edge_bytes;         /* between skewed tiles */
  size_t transposed_bytes;   /* of a field that stays transposed between passes; 0: none does */
};

/* A pass of several sweeps. */
struct hs_cpu_pass {
  enum hs_form form;
  const double *weights;                     /* [stages], where the form has any */
  int stages;                                /* sweeps: 1 .. tiling.stages, one fewer where norms are taken */
  const void *source;                        /* field before */
  void *target;                              /* field after */
  bool source_transposed, target_transposed; /* are their rows transposed (state->transposed)? */
  bool both_left;                     /* is the target's predecessor wanted, too? Chebyshev's form always leaves it */
  const void *source_before;          /* of Chebyshev's form */
  void *target_before;                /* NULL: nowhere */
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
  int width;       /* elements of a vector */
  size_t pitch;    /* elements */
  size_t elements; /* of a padded field */
  struct hs_cpu_tiling tiling;
  void *fields[HS_CPU_FIELDS_CHEBYSHEV];   /* the memory; a sweep spares the remembered one, so that none is copied but
                                              by Chebyshev's form */
  void *now, *before, *saved;              /* roles; the remembered field may be the present one or its predecessor.
                                              NULL: the field is transposed instead, and one of state->transposed is */
  void *now_transposed, *saved_transposed; /* these */
  const void *behind_transposed;
  int behind; /* sweeps from `before` to `now`: 1, or those of a pass that has left the predecessor out */
  struct hs_relaxation behind_relaxation; /* of those sweeps */
  void *r;                                /* per-node constants, padded like a field; NULL: none */
  struct hs_relaxation relaxation;
  double omega;                    /* where Chebyshev's recursion stands */
  bool various;                    /* do stencils differ so much that each vector has a group of its own? */
  struct hs_row_span *spans;       /* [ny] natural rows */
  struct hs_row_span *tile_spans;  /* [tiling.count][ny] transposed rows */
  struct hs_row_segment *segments; /* of all rows */
  int32_t *group_entries;          /* [group_count][width] coefficient indices of groups, see rows/rows.h */
  int group_count;
  void *groups, *norm_groups;          /* [group_count] for sweeps and for norms; neither where rows are various */
  void *rings;                         /* [threads] of tiling.ring_bytes each */
  void *edges, *halo;                  /* see struct hs_cpu_tiling */
  struct hs_progress *progress;        /* [threads + 1] how much of the halos is there; the last one counts passes */
  void *transposed[HS_CPU_TRANSPOSED]; /* fields between passes */
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

static inline size_t hs_cpu_vector_bytes(const struct hs_cpu_state *state)
{
  return (size_t)state->width * hs_cpu_element_size(state);
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

/* Threads to ask for, as num_threads of clang's OpenMP wants it, which refuses an atomic. */
static inline int hs_cpu_team_wanted(const struct hs_cpu_state *state)
{
  return atomic_load(&state->team->threads);
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

/* Sweeps of a pass of that form at most. */
static inline int hs_cpu_stages(const struct hs_cpu_state *state, enum hs_form form)
{
  if (form == HS_FORM_CHEBYSHEV && state->tiling.field_count < HS_CPU_FIELDS_CHEBYSHEV) return 1;
  return state->tiling.stages;
}

/* Vectors of a tile from stage 0 of the deepest pass to its last one, which the segments of its rows count. */
static inline int hs_cpu_tile_vectors(const struct hs_cpu_state *state)
{
  return state->tiling.columns / state->width + state->tiling.skew * state->tiling.stages;
}

/* The first column of them in tile k, which may lie outside of the grid. */
static inline int hs_cpu_tile_first(const struct hs_cpu_state *state, int k)
{
  return k * state->tiling.columns - state->tiling.skew * state->tiling.stages;
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

/* cpu/tiling.c */

/* For a state with its system, row functions, width and threads. Errors: HS_ERR_CONFIG (options->testing). */
hs_status hs_cpu_tiling_choose(struct hs_cpu_state *state, const struct hs_backend_options *options,
                               struct hs_error *err);

/* Elements of the edges of threads and rows before those of a thread whose first row this is: each has its rows, and
 * those by which they shift north. */
size_t hs_cpu_edges_before(const struct hs_cpu_tiling *tiling, int thread, int row);

/* cpu/schedule.c */

/* Plans all rows, anew when called again; sets state->various where it finds that. */
hs_status hs_cpu_schedules_create(struct hs_cpu_state *state, struct hs_error *err);

/* Takes over stencils of which only constants have changed. */
void hs_cpu_schedules_refresh(struct hs_cpu_state *state);

void hs_cpu_schedules_destroy(struct hs_cpu_state *state);

/* Coefficient indices of vector v in row j of a tile whose first column this is, -1 outside of the grid. */
void hs_cpu_vector_entries(const struct hs_cpu_state *state, int j, int first, int v, int32_t *entries);

/* cpu/row.c */

struct hs_row_schedule hs_cpu_row_schedule(const struct hs_cpu_state *state, int j);
struct hs_rows hs_cpu_field_rows(const struct hs_cpu_state *state, const void *field, int j);

/* Renews the ghosts that mirror row j of a field, which has just been written; only for periodic walls. */
void hs_cpu_row_wrap(const struct hs_cpu_state *state, void *field, int j);

/* Row j from one field to another, ghosts included. */
void hs_cpu_row_sweep(const struct hs_cpu_state *state, enum hs_form form, double weight, const void *from, void *to,
                      int j);

/* r of row j, for an implicit step from the present field. */
void hs_cpu_row_step(const struct hs_cpu_state *state, bool trapezoid, int j);

/* Adds the norms of row j of a field and its predecessor. */
void hs_cpu_row_norms(const struct hs_cpu_state *state, const struct hs_cpu_scales *scales, const void *now,
                      const void *before, int j, struct hs_row_norms *norms);

/* Columns from .. to-1 of row j of a field, those of them that there are: copies them there from `row`, past the caches
 * where fields are large; or calls them to the second cache. */
void hs_cpu_row_store(const struct hs_cpu_state *state, void *target, int j, int from, int to, const char *row);
void hs_cpu_row_prefetch(const struct hs_cpu_state *state, const void *field, int j, int from, int to);

/* After the last hs_cpu_row_store of a thread, before a barrier. */
void hs_cpu_stores_finish(void);

/* cpu/transposed.c */

/* A thread's part of a pass. */
void hs_cpu_transposed_pass(const struct hs_cpu_state *state, const struct hs_cpu_pass *pass, int thread);

/* Transposes a field of state->transposed back, into another field. */
void hs_cpu_transpose_back(const struct hs_cpu_state *state, const void *transposed, void *field);

/* cpu/memory.c */

/* r = source_w_m / diagonal, where there is an r. */
void hs_cpu_constants_reset(struct hs_cpu_state *state);

/* Threads, of those available, that a grid can keep busy: more would be slower. */
int hs_cpu_threads_useful(const struct hs_system *system, int available);

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
hs_status hs_cpu_pick(struct hs_backend_state *backend, const int64_t *node, int64_t count, double *values_k,
                      struct hs_error *err);
hs_status hs_cpu_save(struct hs_backend_state *backend, struct hs_error *err);
hs_status hs_cpu_restore(struct hs_backend_state *backend, struct hs_error *err);

/* cpu/sweeps.c */

/* A thread's part of a pass, whose sources and targets are filled in here, and the barrier after it.
 * left_transposed: may the target be left transposed? The roles move on. */
void hs_cpu_pass(const struct hs_cpu_state *state, struct hs_cpu_pass pass, bool left_transposed,
                 struct hs_cpu_roles *roles);

/* A thread's part of n sweeps, with a barrier after each pass; predecessor: the field before must be the right one afterwards.
 * The roles and *omega move on, but for a thread that leaves the team. */
void hs_cpu_sweeps(const struct hs_cpu_state *state, int64_t n, bool predecessor, double *omega,
                   struct hs_cpu_roles *roles);

hs_status hs_cpu_sweep(struct hs_cpu_state *state, int64_t n, bool predecessor, struct hs_error *err);

/* Makes the predecessor where a pass has left it out; it and the present field are natural then. */
hs_status hs_cpu_predecessor(struct hs_cpu_state *state, struct hs_error *err);

/* Before sweeps: the present field is transposed back, and Chebyshev's read the predecessor and write over it. */
hs_status hs_cpu_sweeps_ready(struct hs_cpu_state *state, struct hs_error *err);

/* cpu/norms.c */

hs_status hs_cpu_sweep_normed(struct hs_backend_state *backend, int64_t n, const struct hs_bounds *bounds,
                              struct hs_norms *norms, struct hs_error *err);
struct hs_norm_sums; /* backend/part.h */
hs_status hs_cpu_norm_sums(struct hs_backend_state *backend, const struct hs_bounds *bounds, bool full,
                           struct hs_norm_sums *sums, struct hs_error *err);
hs_status hs_cpu_norms(struct hs_backend_state *backend, const struct hs_bounds *bounds, struct hs_norms *norms,
                       struct hs_error *err);
hs_status hs_cpu_distance(struct hs_backend_state *backend, double *distance_k, struct hs_error *err);
hs_status hs_cpu_largest(struct hs_backend_state *backend, double *largest_k, struct hs_error *err);
hs_status hs_cpu_advance(struct hs_backend_state *backend, struct hs_intervals *intervals, struct hs_error *err);

/* cpu/roles.c */

hs_status hs_cpu_fetch_role(struct hs_backend_state *backend, enum hs_field_role role, double *field_k,
                            struct hs_error *err);
hs_status hs_cpu_load_before(struct hs_backend_state *backend, const double *field_k, struct hs_error *err);

#endif
