/* cpu: all cores (OpenMP) and the widest vectors that the processor has.
 *
 * The fields are padded by a ring of zeros, so that no row is a special case:
 *
 *      0 0 0 0 0 0        pitch is a whole number of cache lines,
 *      0 t t t t 0        column 0 lies on a cache line
 *      0 t t t t 0
 *      0 0 0 0 0 0
 *
 * Each thread owns a contiguous block of rows (and touches it first, for NUMA machines); threads
 * meet at one barrier per sweep. Norms are summed row by row while the row is in the cache.
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/barrier.h"
#include "backend/cpu_rows.h"
#include "base/memory.h"

enum {
  LINE = 16,                  /* elements left of column 0; a multiple of a cache line in both precisions */
  MIN_RUN = 16,               /* shorter stretches of one stencil are merged into a mixed run */
  MIN_NODES_PER_THREAD = 2048 /* below, a barrier costs more than the nodes */
};

struct hs_backend_state {
  const struct hs_system *system;
  const struct hs_cpu_rows *rows;
  int threads;
  bool single;
  size_t pitch;    /* elements */
  size_t elements; /* of a padded field */
  void *now, *before, *saved;
  struct hs_row_run *runs;
  int64_t *first_run; /* [ny+1] runs of row j: first_run[j] .. first_run[j] + run_count[j] - 1 */
  int32_t *run_count; /* [ny] */
};

/* Address of column 0 in row j (-1 .. ny) of a field. */
static size_t row_offset(const struct hs_backend_state *state, int j)
{
  return (size_t)(j + 1) * state->pitch + LINE;
}

static struct hs_rows_f64 rows_f64(const struct hs_backend_state *state, const double *field, int j)
{
  const struct hs_rows_f64 rows = {field + row_offset(state, j - 1), field + row_offset(state, j),
                                   field + row_offset(state, j + 1)};
  return rows;
}

static struct hs_rows_f32 rows_f32(const struct hs_backend_state *state, const float *field, int j)
{
  const struct hs_rows_f32 rows = {field + row_offset(state, j - 1), field + row_offset(state, j),
                                   field + row_offset(state, j + 1)};
  return rows;
}

/* --- runs ------------------------------------------------------------------------------------ */

static uint16_t run_kind(const struct hs_stencil_f64 *s)
{
  if (s->diagonal == 0.0) return HS_RUN_HELD;
  return HS_STENCIL_IS_UNIFORM(*s) ? HS_RUN_EQUAL : HS_RUN_STENCIL;
}

/* Splits a row into runs; writes at most nx of them and returns their number. */
static int row_runs(const struct hs_system *s, const uint16_t *index, struct hs_row_run *runs)
{
  int count = 0;
  for (int from = 0, to; from < s->nx; from = to) {
    struct hs_row_run run;
    for (to = from + 1; to < s->nx && index[to] == index[from]; to++) continue;
    run.from = from;
    run.to = to;
    run.entry = index[from];
    run.kind = run_kind(&s->stencil[run.entry]);
    if (to - from < MIN_RUN && run.kind != HS_RUN_HELD) run.kind = HS_RUN_MIXED;
    if (count && run.kind == HS_RUN_MIXED && runs[count - 1].kind == HS_RUN_MIXED)
      runs[count - 1].to = to;
    else
      runs[count++] = run;
  }
  return count;
}

/* Runs of all rows; a row like the one below it shares its runs. */
static hs_status runs_create(struct hs_backend_state *state, struct hs_error *err)
{
  const struct hs_system *s = state->system;
  struct hs_row_run *row = NULL;
  int64_t used = 0, capacity = 0;
  hs_status status = hs_array_create((void **)&row, (size_t)s->nx, sizeof *row, "the runs of a row", err);
  for (int j = 0; !status && j < s->ny; j++) {
    const int count = row_runs(s, s->index + (size_t)j * (size_t)s->nx, row);
    state->run_count[j] = count;
    state->first_run[j] = used;
    if (j && count == state->run_count[j - 1] &&
        !memcmp(row, state->runs + state->first_run[j - 1], (size_t)count * sizeof *row)) {
      state->first_run[j] = state->first_run[j - 1];
      continue;
    }
    if (used + count > capacity) {
      struct hs_row_run *runs;
      capacity = 2 * capacity + count + 64;
      runs = realloc(state->runs, (size_t)capacity * sizeof *runs);
      if (!runs) {
        status = hs_error_set(err, HS_ERR_MEMORY, "out of memory for the runs of %d rows", s->ny);
        break;
      }
      state->runs = runs;
    }
    memcpy(state->runs + used, row, (size_t)count * sizeof *row);
    used += count;
  }
  free(row);
  return status;
}

/* --- sweeps and norms ------------------------------------------------------------------------ */

static void row_sweep(const struct hs_backend_state *state, const void *from, void *to, int j)
{
  const struct hs_row_run *runs = state->runs + state->first_run[j];
  const uint16_t *index = state->system->index + (size_t)j * (size_t)state->system->nx;
  if (state->single)
    state->rows->sweep_f32(state->system, runs, state->run_count[j], index, rows_f32(state, from, j),
                           (float *)to + row_offset(state, j));
  else
    state->rows->sweep_f64(state->system, runs, state->run_count[j], index, rows_f64(state, from, j),
                           (double *)to + row_offset(state, j));
}

static void row_update_norms(const struct hs_backend_state *state, const void *now, const void *before, int j,
                             double scale, struct hs_sum_split split, struct hs_row_norms *norms)
{
  const size_t row = row_offset(state, j);
  if (state->single)
    state->rows->update_norms_f32((const float *)now + row, (const float *)before + row, state->system->nx, scale,
                                  split, norms);
  else
    state->rows->update_norms_f64((const double *)now + row, (const double *)before + row, state->system->nx, scale,
                                  split, norms);
}

static void row_residual_norms(const struct hs_backend_state *state, int j, double scale, struct hs_sum_split split,
                               struct hs_row_norms *norms)
{
  const struct hs_row_run *runs = state->runs + state->first_run[j];
  const uint16_t *index = state->system->index + (size_t)j * (size_t)state->system->nx;
  const size_t row = row_offset(state, j);
  if (state->single)
    state->rows->residual_norms_f32(state->system, runs, state->run_count[j], index, rows_f32(state, state->now, j),
                                    (const float *)state->before + row, scale, split, norms);
  else
    state->rows->residual_norms_f64(state->system, runs, state->run_count[j], index, rows_f64(state, state->now, j),
                                    (const double *)state->before + row, scale, split, norms);
}

/* Adds a thread's norms to the common ones; exact sums and maxima, so the order does not matter. */
static void norms_merge(struct hs_row_norms *all, const struct hs_row_norms *mine)
{
  all->update.high += mine->update.high;
  all->update.low += mine->update.low;
  all->residual.high += mine->residual.high;
  all->residual.low += mine->residual.low;
  if (mine->update_max > all->update_max) all->update_max = mine->update_max;
  if (mine->residual_max > all->residual_max) all->residual_max = mine->residual_max;
  if (mine->two_sweep_max > all->two_sweep_max) all->two_sweep_max = mine->two_sweep_max;
}

/* First row of a thread of the present team; the runtime may give fewer threads than asked for. */
static int first_row(const struct hs_backend_state *state, int thread)
{
  return (int)((int64_t)state->system->ny * thread / omp_get_num_threads());
}

static hs_status cpu_sweep(struct hs_backend_state *state, int64_t n, struct hs_error *err)
{
  void *const fields[2] = {state->now, state->before};
  struct hs_barrier barrier = {0};
  (void)err;
  if (n <= 0) return HS_OK;
#pragma omp parallel num_threads(state->threads)
  {
    const int thread = omp_get_thread_num(), team = omp_get_num_threads();
    const int from = first_row(state, thread), to = first_row(state, thread + 1);
    for (int64_t k = 0; k < n; k++) {
      for (int j = from; j < to; j++) row_sweep(state, fields[k % 2], fields[1 - k % 2], j);
      hs_barrier_wait(&barrier, team);
    }
  }
  state->now = fields[n % 2];
  state->before = fields[1 - n % 2];
  return HS_OK;
}

static hs_status cpu_sweep_normed(struct hs_backend_state *state, int64_t n, const struct hs_bounds *bounds,
                                  struct hs_norms *norms, struct hs_error *err)
{
  void *const fields[2] = {state->now, state->before};
  const struct hs_sum_split split = hs_sum_split_for((int64_t)state->system->nx * state->system->ny);
  const double scale = hs_sum_scale(bounds->update_max);
  struct hs_row_norms all = {{0.0, 0.0}, {0.0, 0.0}, 0.0, 0.0, 0.0};
  (void)err;
  if (n <= 0) return HS_OK;
#pragma omp parallel num_threads(state->threads)
  {
    const int thread = omp_get_thread_num();
    const int from = first_row(state, thread), to = first_row(state, thread + 1);
    for (int64_t k = 0; k < n; k++) {
      const void *const old = fields[k % 2];
      void *const new = fields[1 - k % 2];
      struct hs_row_norms mine = {{0.0, 0.0}, {0.0, 0.0}, 0.0, 0.0, 0.0};
      for (int j = from; j < to; j++) {
        row_sweep(state, old, new, j);
        row_update_norms(state, new, old, j, scale, split, &mine);
      }
#pragma omp critical(hs_cpu_norms)
      norms_merge(&all, &mine);
#pragma omp barrier
#pragma omp single
      {
        norms[k].update_l2 = hs_sum_norm(all.update, scale);
        norms[k].update_max = all.update_max;
        norms[k].residual_l2 = norms[k].residual_max = norms[k].two_sweep_max = NAN;
        memset(&all, 0, sizeof all);
      }
    }
  }
  state->now = fields[n % 2];
  state->before = fields[1 - n % 2];
  return HS_OK;
}

static hs_status cpu_norms(struct hs_backend_state *state, const struct hs_bounds *bounds, struct hs_norms *norms,
                           struct hs_error *err)
{
  const struct hs_sum_split split = hs_sum_split_for((int64_t)state->system->nx * state->system->ny);
  const double update_scale = hs_sum_scale(bounds->update_max);
  const double residual_scale = hs_sum_scale(bounds->residual_max);
  struct hs_row_norms all = {{0.0, 0.0}, {0.0, 0.0}, 0.0, 0.0, 0.0};
  (void)err;
#pragma omp parallel num_threads(state->threads)
  {
    const int thread = omp_get_thread_num();
    const int from = first_row(state, thread), to = first_row(state, thread + 1);
    struct hs_row_norms mine = {{0.0, 0.0}, {0.0, 0.0}, 0.0, 0.0, 0.0};
    for (int j = from; j < to; j++) {
      row_update_norms(state, state->now, state->before, j, update_scale, split, &mine);
      row_residual_norms(state, j, residual_scale, split, &mine);
    }
#pragma omp critical(hs_cpu_norms)
    norms_merge(&all, &mine);
  }
  norms->update_l2 = hs_sum_norm(all.update, update_scale);
  norms->update_max = all.update_max;
  norms->residual_l2 = hs_sum_norm(all.residual, residual_scale);
  norms->residual_max = all.residual_max;
  norms->two_sweep_max = all.two_sweep_max;
  return HS_OK;
}

/* --- lifetime and transfer ------------------------------------------------------------------- */

static hs_status cpu_probe(const struct hs_system *system, const struct hs_backend_options *options,
                           struct hs_error *why)
{
  const struct hs_cpu_rows *rows = NULL;
  (void)system;
  (void)options;
  return hs_cpu_rows_choose(&rows, why);
}

/* Threads worth starting: those asked for, fewer when there are few nodes. */
static int threads_for(const struct hs_system *system, const struct hs_backend_options *options)
{
  const int64_t nodes = (int64_t)system->nx * system->ny;
  const int wanted = options->threads > 0 ? options->threads : hs_backend_threads_available();
  const int64_t useful = 1 + nodes / MIN_NODES_PER_THREAD;
  const int threads = options->threads > 0 || wanted < useful ? wanted : (int)useful;
  return threads < system->ny ? threads : system->ny;
}

/* Measured on Zen 3, AVX2: 0.17 ns per node and 50 ns per row and core in the cache, 24 bytes per node at 20 GB/s
 * from memory. */
static struct hs_backend_cost cpu_cost(const struct hs_system *system, const struct hs_backend_options *options)
{
  const double nodes = (double)system->nx * system->ny;
  const double size = options->single ? 4.0 : 8.0;
  const int threads = threads_for(system, options);
  const int cores = hs_backend_threads_available();
  const double in_cache_s = (nodes * 0.17e-9 * (size / 8.0) + system->ny * 50e-9) / (threads < cores ? threads : cores);
  const double from_memory_s = nodes * 2.0 * size > 16e6 ? nodes * 3.0 * size / 20e9 : 0.0;
  const struct hs_backend_cost cost = {.setup_s = 1e-4,
                                       .sweep_s = fmax(in_cache_s, from_memory_s) + (threads > 1 ? 1e-6 : 0.0),
                                       .host_bytes = 3.0 * nodes * size};
  return cost;
}

static void cpu_destroy(struct hs_backend_state *state)
{
  if (!state) return;
  free(state->now);
  free(state->before);
  free(state->saved);
  free(state->runs);
  free(state->first_run);
  free(state->run_count);
  free(state);
}

/* An uninitialised padded field: its pages are placed by the threads that use them. */
static hs_status field_create(const struct hs_backend_state *state, void **field, struct hs_error *err)
{
  const size_t size = state->single ? sizeof(float) : sizeof(double);
  const size_t bytes = (state->elements * size + 63) / 64 * 64;
  *field = aligned_alloc(64, bytes);
  if (*field) return HS_OK;
  return hs_error_set(err, HS_ERR_MEMORY, "out of memory: a field of %d x %d nodes needs %.3g GB; use a smaller grid",
                      state->system->nx, state->system->ny, (double)bytes * 1e-9);
}

/* Zeros in this thread's rows and in the ring around them. */
static void fields_touch(struct hs_backend_state *state)
{
  const size_t size = state->single ? sizeof(float) : sizeof(double);
#pragma omp parallel num_threads(state->threads)
  {
    const int thread = omp_get_thread_num();
    const int from = first_row(state, thread), to = first_row(state, thread + 1);
    const size_t first = thread == 0 ? 0 : row_offset(state, from) - LINE;
    const size_t last = thread == omp_get_num_threads() - 1 ? state->elements : row_offset(state, to) - LINE;
    memset((char *)state->now + first * size, 0, (last - first) * size);
    memset((char *)state->before + first * size, 0, (last - first) * size);
    memset((char *)state->saved + first * size, 0, (last - first) * size);
  }
}

static hs_status cpu_create(const struct hs_system *system, const struct hs_backend_options *options,
                            struct hs_backend_state **state, struct hs_error *err)
{
  struct hs_backend_state *s = NULL;
  hs_status status = hs_array_create((void **)&s, 1, sizeof *s, "the cpu backend", err);
  if (status) goto out;
  s->system = system;
  s->single = options->single;
  s->threads = threads_for(system, options);
  s->pitch = ((size_t)system->nx + 1 + LINE - 1) / LINE * LINE + LINE;
  s->elements = ((size_t)system->ny + 2) * s->pitch + LINE;
  status = hs_cpu_rows_choose(&s->rows, err);
  if (!status) status = field_create(s, &s->now, err);
  if (!status) status = field_create(s, &s->before, err);
  if (!status) status = field_create(s, &s->saved, err);
  if (!status)
    status = hs_array_create((void **)&s->first_run, (size_t)system->ny + 1, sizeof *s->first_run, "the runs", err);
  if (!status)
    status = hs_array_create((void **)&s->run_count, (size_t)system->ny, sizeof *s->run_count, "the runs", err);
  if (!status) status = runs_create(s, err);
  if (!status) fields_touch(s);
out:
  if (status) {
    cpu_destroy(s);
    s = NULL;
  }
  *state = s;
  return status;
}

/* The processor's name as the system gives it. */
static void processor_name(char *name, size_t size)
{
  char line[256];
  FILE *file = fopen("/proc/cpuinfo", "r");
  snprintf(name, size, "CPU");
  while (file && fgets(line, sizeof line, file)) {
    char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) || !colon) continue;
    line[strcspn(line, "\n")] = '\0';
    snprintf(name, size, "%.100s", colon + 2);
    break;
  }
  if (file) fclose(file);
}

static void cpu_place(const struct hs_backend_state *state, struct hs_backend_place *place)
{
  char name[128];
  processor_name(name, sizeof name);
  snprintf(place->device, sizeof place->device, "%s, %s", name, state->rows->isa);
  place->threads = state->threads;
}

static hs_status cpu_load(struct hs_backend_state *state, const double *field_k, struct hs_error *err)
{
  const int nx = state->system->nx, ny = state->system->ny;
  (void)err;
#pragma omp parallel for schedule(static) num_threads(state->threads)
  for (int j = 0; j < ny; j++) {
    const double *from = field_k + (size_t)j * (size_t)nx;
    const size_t row = row_offset(state, j);
    for (int i = 0; i < nx; i++) {
      if (state->single)
        ((float *)state->now)[row + (size_t)i] = ((float *)state->before)[row + (size_t)i] = (float)from[i];
      else
        ((double *)state->now)[row + (size_t)i] = ((double *)state->before)[row + (size_t)i] = from[i];
    }
  }
  return HS_OK;
}

static hs_status cpu_fetch(struct hs_backend_state *state, double *field_k, struct hs_error *err)
{
  const int nx = state->system->nx, ny = state->system->ny;
  (void)err;
#pragma omp parallel for schedule(static) num_threads(state->threads)
  for (int j = 0; j < ny; j++) {
    double *to = field_k + (size_t)j * (size_t)nx;
    const size_t row = row_offset(state, j);
    for (int i = 0; i < nx; i++)
      to[i] = state->single ? (double)((const float *)state->now)[row + (size_t)i]
                            : ((const double *)state->now)[row + (size_t)i];
  }
  return HS_OK;
}

/* Copies a whole field, each thread its own rows. */
static void field_copy(const struct hs_backend_state *state, void *to, const void *from)
{
  const size_t row_bytes = state->pitch * (state->single ? sizeof(float) : sizeof(double));
#pragma omp parallel for schedule(static) num_threads(state->threads)
  for (int j = 0; j < state->system->ny; j++) {
    const size_t offset = (size_t)(j + 1) * row_bytes;
    memcpy((char *)to + offset, (const char *)from + offset, row_bytes);
  }
}

static hs_status cpu_save(struct hs_backend_state *state, struct hs_error *err)
{
  (void)err;
  field_copy(state, state->saved, state->now);
  return HS_OK;
}

static hs_status cpu_restore(struct hs_backend_state *state, struct hs_error *err)
{
  (void)err;
  field_copy(state, state->now, state->saved);
  return HS_OK;
}

const struct hs_backend hs_backend_cpu = {
    .name = "cpu",
    .summary = "all CPU cores (OpenMP) with vector instructions chosen at run time",
    .probe = cpu_probe,
    .cost = cpu_cost,
    .create = cpu_create,
    .place = cpu_place,
    .load = cpu_load,
    .sweep = cpu_sweep,
    .sweep_normed = cpu_sweep_normed,
    .norms = cpu_norms,
    .save = cpu_save,
    .restore = cpu_restore,
    .advance = NULL,
    .fetch = cpu_fetch,
    .destroy = cpu_destroy,
};
