/* Memory of the cpu backend: padded fields and their ghosts, transfers. See cpu.c. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "backend/cpu/state.h"
#include "backend/cpu/wavefront.h"
#include "base/limits.h"
#include "base/memory.h"

enum { LARGE_PAGE = 2 << 20 }; /* bytes */

/* --- per-node constants ------------------------------------------------------------- */

/* The source map's share of a node's constant, K; 0 where there is no map. */
static double base_of(const struct hs_system *s, size_t n)
{
  const double diagonal = s->stencil[hs_system_index(s, n)].diagonal;
  return s->source_w_m && diagonal != 0.0 ? s->source_w_m[n] / diagonal : 0.0;
}

/* r = source_w_m / diagonal. */
void hs_cpu_constants_reset(struct hs_cpu_state *state)
{
  const struct hs_system *s = state->system;
  if (!state->r) return;
#pragma omp parallel for schedule(static) num_threads(hs_cpu_team_wanted(state))
  for (int j = 0; j < s->ny; j++) {
    const size_t row = hs_cpu_row(state, j), first = (size_t)j * (size_t)s->nx;
    for (size_t i = 0; i < (size_t)s->nx; i++) {
      if (state->single)
        ((float *)state->r)[row + i] = (float)base_of(s, first + i);
      else
        ((double *)state->r)[row + i] = base_of(s, first + i);
    }
  }
}

/* --- lifetime and transfer ------------------------------------------------------------------- */

int hs_cpu_threads_useful(const struct hs_system *system, int available)
{
  const int64_t nodes = (int64_t)system->nx * system->ny, of_nodes = 1 + nodes / HS_CPU_MIN_NODES;
  const int most = hs_cpu_smaller(available, system->ny), threads = of_nodes < most ? (int)of_nodes : most;
  if (system->wrap_x >= 0 || system->wrap_y >= 0) return threads; /* no passes are made */
  return hs_cpu_smaller(threads, hs_cpu_larger(1, system->ny / HS_CPU_MIN_ROWS));
}

int hs_cpu_threads(const struct hs_system *system, const struct hs_backend_options *options)
{
  if (options->threads > 0) return hs_cpu_smaller(options->threads, system->ny);
  return hs_cpu_threads_useful(system, hs_backend_threads_available(options->threads_most));
}

void hs_cpu_destroy(struct hs_backend_state *backend)
{
  struct hs_cpu_state *state = hs_cpu_state(backend);
  if (!state) return;
  for (int k = 0; k < state->tiling.field_count; k++) free(state->fields[k]);
  free(state->r);
  free(state->team);
  free(state->rings);
  free(state->edges);
  free(state->halo);
  free(state->progress);
  for (int k = 0; k < HS_CPU_TRANSPOSED; k++) free(state->transposed[k]);
  hs_cpu_subdomains_destroy(state->subdomains);
  hs_cpu_schedules_destroy(state);
  free(state);
}

#ifdef MADV_HUGEPAGE
static void wish_large_pages(void *memory, size_t bytes)
{
  (void)madvise(memory, bytes, MADV_HUGEPAGE); /* where the system has none, small ones do */
}
#else
static void wish_large_pages(void *memory, size_t bytes)
{
  (void)memory;
  (void)bytes;
}
#endif

/* Uninitialised memory: its pages are placed by the threads that use them. Large pages, because a tile of rows
 * meets another small one at every row, and looking those up takes as long as the memory behind them. */
static void *pages_create(size_t bytes)
{
  const size_t unit = bytes < LARGE_PAGE ? 64 : LARGE_PAGE, whole = (bytes + unit - 1) / unit * unit;
  void *memory = aligned_alloc(unit, whole);
  if (memory && unit == LARGE_PAGE) wish_large_pages(memory, whole);
  return memory;
}

static hs_status field_create(const struct hs_cpu_state *state, void **field, struct hs_error *err)
{
  const size_t bytes = state->elements * hs_cpu_element_size(state);
  *field = pages_create(bytes);
  if (*field) return HS_OK;
  return hs_error_set(err, HS_ERR_MEMORY, "out of memory: a field of %d x %d nodes needs %.3g GB; use a smaller grid",
                      state->system->nx, state->system->ny, (double)bytes * 1e-9);
}

/* The rings of all threads, the edges between their tiles and transposed fields, likewise. */
static hs_status rings_create(struct hs_cpu_state *state, struct hs_error *err)
{
  const size_t bytes = (size_t)state->threads * state->tiling.ring_bytes;
  const size_t progress_bytes = (size_t)(state->threads + 1) * sizeof *state->progress;
  bool complete;
  if (!bytes) return HS_OK;
  state->rings = pages_create(bytes);
  complete = state->rings != NULL;
  if (state->tiling.edge_bytes) complete = (state->edges = pages_create(state->tiling.edge_bytes)) && complete;
  if (state->tiling.halo_bytes)
    complete = (state->halo = pages_create((size_t)state->threads * state->tiling.halo_bytes)) && complete;
  complete = (state->progress = pages_create(progress_bytes)) && complete;
  for (int k = 0; state->tiling.transposed_bytes && k < HS_CPU_TRANSPOSED; k++)
    complete = (state->transposed[k] = pages_create(state->tiling.transposed_bytes)) && complete;
  if (complete) memset(state->progress, 0, progress_bytes);
  if (complete) return HS_OK;
  return hs_error_set(err, HS_ERR_MEMORY, "out of memory: tiles of rows for %d threads need %.3g GB; use fewer threads",
                      state->threads,
                      (double)(bytes + (size_t)state->threads * state->tiling.halo_bytes + state->tiling.edge_bytes +
                               HS_CPU_TRANSPOSED * state->tiling.transposed_bytes) *
                          1e-9);
}

/* Zeros in this thread's rows, in the ghosts around them and in its ring. */
static void fields_touch(struct hs_cpu_state *state)
{
  const size_t size = hs_cpu_element_size(state);
#pragma omp parallel num_threads(hs_cpu_team_wanted(state))
  {
    const int thread = omp_get_thread_num();
    const int from = hs_cpu_first_row(state, thread), to = hs_cpu_first_row(state, thread + 1);
    const size_t first = thread == 0 ? 0 : hs_cpu_row(state, from) - HS_CPU_LINE;
    const size_t last = thread == omp_get_num_threads() - 1 ? state->elements : hs_cpu_row(state, to) - HS_CPU_LINE;
    for (int k = 0; k < state->tiling.field_count; k++)
      memset((char *)state->fields[k] + first * size, 0, (last - first) * size);
    if (state->r) memset((char *)state->r + first * size, 0, (last - first) * size);
    /* all rings, also where the runtime gives fewer threads now than later */
    for (int k = thread; state->rings && k < state->threads; k += omp_get_num_threads())
      memset((char *)state->rings + (size_t)k * state->tiling.ring_bytes, 0, state->tiling.ring_bytes);
  }
}

static hs_status team_create(struct hs_cpu_state *state, const struct hs_backend_options *options, struct hs_error *err)
{
  const int processors_free =
      options->threads_stay ? INT_MAX : hs_processors_free(omp_get_max_threads(), omp_get_num_procs());
  state->team = aligned_alloc(64, sizeof *state->team);
  if (!state->team) return hs_error_set(err, HS_ERR_MEMORY, "out of memory for the threads' barrier");
  *state->team = hs_cpu_team(state->threads, processors_free);
  state->team->stays = options->threads_stay;
  state->team->changes_every = options->testing.team_changes;
  return HS_OK;
}

/* Tiles and schedules, once more where these find that stencils are too various for common groups. */
static hs_status rows_plan(struct hs_cpu_state *state, const struct hs_backend_options *options, struct hs_error *err)
{
  hs_status status;
  bool various;
  do {
    various = state->various;
    status = hs_cpu_tiling_choose(state, options, err);
    if (!status) status = hs_cpu_schedules_create(state, err);
  } while (!status && state->various != various);
  return status;
}

hs_status hs_cpu_create(const struct hs_system *system, const struct hs_backend_options *options,
                        struct hs_backend_state **backend, struct hs_error *err)
{
  struct hs_cpu_state *s = NULL;
  hs_status status = hs_array_create((void **)&s, 1, sizeof *s, "the cpu backend", err);
  if (status) goto out;
  s->system = system;
  s->single = options->single;
  s->relaxation.form = HS_FORM_JACOBI;
  s->threads = hs_backend_threads_create(hs_cpu_threads(system, options));
  s->pitch = hs_cpu_pitch(system);
  s->elements = hs_cpu_elements(system);
  s->various = !system->index;
  status = hs_cpu_rows_choose(options->testing.isa, s->single, &s->rows, err);
  if (!status) status = team_create(s, options, err);
  if (status) goto out;
  s->width = s->rows->width;
  status = rows_plan(s, options, err);
  if (!status) status = hs_cpu_subdomains_create(&s->subdomains, s->threads, system->ny, s->tiling.stages, true, err);
  if (!status) status = rings_create(s, err);
  for (int k = 0; !status && k < s->tiling.field_count; k++) status = field_create(s, &s->fields[k], err);
  if (!status && hs_cpu_has_constants(system)) status = field_create(s, &s->r, err);
  if (status) goto out;
  s->now = s->fields[0];
  s->before = s->fields[1];
  s->saved = s->fields[2];
  s->behind = 1;
  fields_touch(s);
out:
  if (status) {
    hs_cpu_destroy((struct hs_backend_state *)s);
    s = NULL;
  }
  *backend = (struct hs_backend_state *)s;
  return status;
}

/* The present field and the predecessor become two others than the remembered one. */
static void roles_spread(struct hs_cpu_state *state)
{
  int saved = 0;
  while (state->saved && state->fields[saved] != state->saved) saved++;
  state->now_transposed = NULL;
  state->now = state->fields[(saved + 1) % state->tiling.field_count];
  state->before = state->fields[(saved + 2) % state->tiling.field_count];
}

hs_status hs_cpu_load(struct hs_backend_state *backend, const double *field_k, struct hs_error *err)
{
  struct hs_cpu_state *state = hs_cpu_state(backend);
  const int nx = state->system->nx, ny = state->system->ny;
  (void)err;
  roles_spread(state);
  hs_cpu_predecessor_forget(state);
#pragma omp parallel for schedule(static) num_threads(hs_cpu_team_wanted(state))
  for (int j = 0; j < ny; j++) {
    const double *from = field_k + (size_t)j * (size_t)nx;
    const size_t row = hs_cpu_row(state, j);
    for (int i = 0; i < nx; i++) {
      if (state->single)
        ((float *)state->now)[row + (size_t)i] = ((float *)state->before)[row + (size_t)i] = (float)from[i];
      else
        ((double *)state->now)[row + (size_t)i] = ((double *)state->before)[row + (size_t)i] = from[i];
    }
    hs_cpu_row_wrap(state, state->now, j);
    hs_cpu_row_wrap(state, state->before, j);
  }
  hs_cpu_constants_reset(state);
  return HS_OK;
}

hs_status hs_cpu_fetch(struct hs_backend_state *backend, double *field_k, struct hs_error *err)
{
  struct hs_cpu_state *state = hs_cpu_state(backend);
  const int nx = state->system->nx, ny = state->system->ny;
  (void)err;
  hs_cpu_make_natural(state);
#pragma omp parallel for schedule(static) num_threads(hs_cpu_team_wanted(state))
  for (int j = 0; j < ny; j++) {
    double *to = field_k + (size_t)j * (size_t)nx;
    const size_t row = hs_cpu_row(state, j);
    for (int i = 0; i < nx; i++)
      to[i] = state->single ? (double)((const float *)state->now)[row + (size_t)i]
                            : ((const double *)state->now)[row + (size_t)i];
  }
  return HS_OK;
}

hs_status hs_cpu_pick(struct hs_backend_state *backend, const int64_t *node, int64_t count, double *values_k,
                      struct hs_error *err)
{
  struct hs_cpu_state *state = hs_cpu_state(backend);
  const int64_t nx = state->system->nx;
  (void)err;
  hs_cpu_make_natural(state);
  for (int64_t k = 0; k < count; k++) {
    const size_t place = hs_cpu_row(state, (int)(node[k] / nx)) + (size_t)(node[k] % nx);
    values_k[k] = state->single ? (double)((const float *)state->now)[place] : ((const double *)state->now)[place];
  }
  return HS_OK;
}

/* Copies a whole field, each thread its own rows, and renews its ghosts. */
static void field_copy(const struct hs_cpu_state *state, void *to, const void *from)
{
  const size_t row_bytes = state->pitch * hs_cpu_element_size(state);
#pragma omp parallel for schedule(static) num_threads(hs_cpu_team_wanted(state))
  for (int j = 0; j < state->system->ny; j++) {
    const size_t offset = (size_t)(j + 1) * row_bytes;
    memcpy((char *)to + offset, (const char *)from + offset, row_bytes);
    hs_cpu_row_wrap(state, to, j);
  }
}

void *hs_cpu_free_field(const struct hs_cpu_state *state)
{
  void *const *field = state->fields;
  while (*field == state->now || *field == state->before || *field == state->saved) field++;
  return *field;
}

void hs_cpu_predecessor_forget(struct hs_cpu_state *state)
{
  state->behind = 1;
  state->behind_transposed = NULL;
  if (!state->before) state->before = hs_cpu_free_field(state);
}

void hs_cpu_make_natural(struct hs_cpu_state *state)
{
  if (!state->now_transposed) return;
  state->now = hs_cpu_free_field(state);
  hs_cpu_transpose_back(state, state->now_transposed, state->now);
  state->now_transposed = NULL;
}

void hs_cpu_saved_make_natural(struct hs_cpu_state *state)
{
  if (!state->saved_transposed) return;
  state->saved = hs_cpu_free_field(state);
  hs_cpu_transpose_back(state, state->saved_transposed, state->saved);
  state->saved_transposed = NULL;
}

/* Nothing is copied: the next sweep goes elsewhere (hs_cpu_target, or another transposed field). */
hs_status hs_cpu_save(struct hs_backend_state *backend, struct hs_error *err)
{
  struct hs_cpu_state *state = hs_cpu_state(backend);
  (void)err;
  state->saved = state->now;
  state->saved_transposed = state->now_transposed;
  return HS_OK;
}

hs_status hs_cpu_restore(struct hs_backend_state *backend, struct hs_error *err)
{
  struct hs_cpu_state *state = hs_cpu_state(backend);
  (void)err;
  if (state->saved && state->before == state->saved) roles_spread(state);
  state->now = state->saved;
  state->now_transposed = state->saved_transposed;
  hs_cpu_predecessor_forget(state);
  return HS_OK;
}

void hs_cpu_saved_part(struct hs_cpu_state *state)
{
  void *other;
  if (state->saved != state->now && state->saved != state->before) return;
  other = hs_cpu_free_field(state);
  field_copy(state, other, state->saved);
  state->saved = other;
}
