/* cpu: all cores (OpenMP) and the widest vectors that the processor has.
 *
 * The fields are padded by a layer of ghost nodes, so that no row is a special case:
 *
 *      g g g g g g        pitch is a whole number of cache lines,
 *      g t t t t g        column 0 lies on a cache line
 *      g t t t t g
 *      g g g g g g
 *
 * Ghosts are 0 beyond open walls. Beyond periodic ones they are copies, kept by whoever writes a row: the
 * row's two ghost elements, and the ghost row that mirrors it.
 *
 * Each thread owns a contiguous block of rows (and touches it first, for NUMA machines), and slow ones hand some on to
 * fast ones (cpu/subdomains.h). Threads meet at one barrier per sweep, or per pass of several sweeps (cpu/wavefront.h).
 * Norms are summed row by row while the row is in the cache.
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/cost/cost.h"
#include "backend/cpu/barrier.h"
#include "backend/cpu/state.h"
#include "backend/cpu/wavefront.h"
#include "backend/linear.h"
#include "backend/part.h"

static hs_status cpu_sweep(struct hs_backend_state *backend, int64_t n, struct hs_error *err)
{
  return hs_cpu_sweep(hs_cpu_state(backend), n, true, err);
}

/* --- relaxation, per-node constants ------------------------------------------------- */

static hs_status cpu_relax(struct hs_backend_state *backend, const struct hs_relaxation *relaxation,
                           struct hs_error *err)
{
  struct hs_cpu_state *state = hs_cpu_state(backend);
  (void)err;
  state->relaxation = *relaxation;
  state->omega = relaxation->omega;
  return HS_OK;
}

/* Stencils are read where they are, or packed in groups (cpu/schedule.c). Where steps store heat, r belongs to the step
 * that has begun: the stencils may change under it. */
static hs_status cpu_update(struct hs_backend_state *backend, const struct hs_system *system, bool weights_changed,
                            struct hs_error *err)
{
  struct hs_cpu_state *state = hs_cpu_state(backend);
  hs_cpu_predecessor_forget(state); /* one that a pass has left out cannot be made any more */
  state->system = system;
  if (!system->storing) hs_cpu_constants_reset(state);
  if (weights_changed) {
    const hs_status status = hs_cpu_schedules_create(state, err);
    if (state->various && !state->tiling.group_pitch) state->tiling.stages = 1; /* rings have no room for groups */
    return status;
  }
  hs_cpu_schedules_refresh(state);
  return HS_OK;
}

static hs_status cpu_step(struct hs_backend_state *backend, bool trapezoid, struct hs_error *err)
{
  struct hs_cpu_state *state = hs_cpu_state(backend);
  if (!state->r)
    return hs_error_set(err, HS_ERR_UNSUPPORTED, "an implicit time step of a system that was made without storage");
  hs_cpu_make_natural(state);
#pragma omp parallel for schedule(static) num_threads(hs_cpu_team_wanted(state))
  for (int j = 0; j < state->system->ny; j++) hs_cpu_row_step(state, trapezoid, j);
  return HS_OK;
}

/* --- the backend ----------------------------------------------------------------------------- */

static hs_status cpu_probe(const struct hs_system *system, const struct hs_backend_options *options,
                           struct hs_error *why)
{
  const struct hs_cpu_rows *rows = NULL;
  (void)system;
  return hs_cpu_rows_choose(options->testing.isa, options->single, &rows, why);
}

/* Rows of few columns are swept one by one, each at the price of a call: 25 to 30 ns on a Zen 5. */
static double calls_s(const struct hs_system *system, int threads)
{
  return system->nx < HS_CPU_LEAST_COLUMNS ? 3e-8 * system->ny / threads : 0.0;
}

typedef double cost_function(const struct hs_tuning *tuning, const char *backend, const char *kinds_of,
                             const struct hs_system *system, const struct hs_backend_options *options);

/* Cost of a sweep or a cycle on the threads of this run: as measured here with all processors, or as built in. */
static double nodes_cost(cost_function *cost_s, const struct hs_system *system,
                         const struct hs_backend_options *options, int threads)
{
  static const char kinds_of[] = "cpu, 2 threads";
  const double nodes = (double)system->nx * system->ny;
  const int most = hs_cpu_threads_useful(system, hs_backend_processors());
  const double here_s = hs_cost_threads_s(threads, options->single, nodes);
  const double measured_s = cost_s(options->tuning, "cpu", kinds_of, system, options);
  if (!isnan(measured_s)) return measured_s * here_s / hs_cost_threads_s(most, options->single, nodes);
  return here_s * cost_s(hs_tuning_builtin(), kinds_of, kinds_of, system, options) /
         hs_tuning_sweep_s(hs_tuning_builtin(), kinds_of, HS_TUNING_UNIFORM, options->single, nodes);
}

static double sweep_cost(const struct hs_system *system, const struct hs_backend_options *options)
{
  const int threads = hs_cpu_smaller(hs_backend_processors(), hs_cpu_threads(system, options));
  return fmax(nodes_cost(hs_cost_sweep_s, system, options, threads), calls_s(system, threads));
}

static double cycle_cost(const struct hs_system *system, const struct hs_backend_options *options)
{
  const int threads = hs_cpu_smaller(hs_backend_processors(), hs_cpu_threads(system, options));
  return nodes_cost(hs_cost_cycle_s, system, options, threads);
}

/* Bytes of fields, of all threads' rings, of edges, of transposed fields (cpu/tiling.c) and of rows' schedules. What is
 * wrong with options->testing is said by create. */
static double memory_bytes(const struct hs_system *system, const struct hs_backend_options *options)
{
  const double field_bytes = (double)hs_cpu_elements(system) * (options->single ? 4.0 : 8.0);
  const double spans_bytes = (double)system->ny * sizeof(struct hs_row_span);
  const int constants = hs_cpu_has_constants(system) ? 1 : 0;
  const struct hs_cpu_tiling *t;
  struct hs_cpu_state state = {.system = system,
                               .single = options->single,
                               .threads = hs_cpu_threads(system, options),
                               .elements = hs_cpu_elements(system),
                               .various = !system->index};
  struct hs_error err = {0};
  hs_status status = hs_cpu_rows_choose(options->testing.isa, options->single, &state.rows, &err);
  if (!status) state.width = state.rows->width;
  if (!status) status = hs_cpu_tiling_choose(&state, options, &err);
  if (status) return (constants + HS_CPU_FIELDS) * field_bytes + spans_bytes;
  t = &state.tiling;
  return (constants + t->field_count) * field_bytes + (double)state.threads * (double)(t->ring_bytes + t->halo_bytes) +
         (double)t->edge_bytes + HS_CPU_TRANSPOSED * (double)t->transposed_bytes + (1 + t->count) * spans_bytes;
}

/* A test sums norms of the update, the residual and the correction in double whatever the precision: 5 sweeps of a
 * pass in double, 12 in single precision. Memory is touched once before the run, at some 4 GB/s. */
static struct hs_backend_cost cpu_cost(const struct hs_system *system, const struct hs_backend_options *options)
{
  const double bytes = memory_bytes(system, options);
  const double sweep_s = sweep_cost(system, options);
  struct hs_backend_cost cost = {.setup_s = 1e-4 + bytes / 4e9,
                                 .sweep_s = sweep_s,
                                 .test_s = (options->single ? 12.0 : 5.0) * sweep_s,
                                 .step_s = 3.0 * sweep_s,
                                 .host_bytes = bytes};
  hs_cost_multigrid(cycle_cost(system, options), system, options, &cost);
  return cost;
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

static void cpu_place(const struct hs_backend_state *backend, struct hs_backend_place *place)
{
  const struct hs_cpu_state *state = hs_cpu_state(backend);
  char name[128];
  processor_name(name, sizeof name);
  snprintf(place->device, sizeof place->device, "%s, %s", name, state->rows->isa);
  place->threads = state->threads;
  place->threads_mean = hs_cpu_team_mean(state->team);
}

/* A pass; fewer sweeps where one would take seconds. */
static int cpu_sweeps_per_call(const struct hs_backend_state *backend)
{
  const struct hs_cpu_state *state = hs_cpu_state(backend);
  const bool plain = state->relaxation.form == HS_FORM_JACOBI && !state->various;
  const double nodes_s = plain ? 1.4e9 : 0.4e9, longest_s = 1.0; /* about, of a thread */
  const double nodes = (double)state->system->nx * state->system->ny;
  const double most = longest_s * nodes_s * state->threads / nodes;
  const int stages = hs_cpu_stages(state, state->relaxation.form);
  return most < 1.0 ? 1 : most < stages ? (int)most : stages;
}

const struct hs_backend hs_backend_cpu = {
    .name = "cpu",
    .summary = "all CPU cores (OpenMP) with vector instructions chosen at run time",
    .probe = cpu_probe,
    .cost = cpu_cost,
    .create = hs_cpu_create,
    .place = cpu_place,
    .sweeps_per_call = cpu_sweeps_per_call,
    .load = hs_cpu_load,
    .relax = cpu_relax,
    .update = cpu_update,
    .step = cpu_step,
    .sweep = cpu_sweep,
    .sweep_normed = hs_cpu_sweep_normed,
    .norms = hs_cpu_norms,
    .save = hs_cpu_save,
    .restore = hs_cpu_restore,
    .distance = hs_cpu_distance,
    .largest = hs_cpu_largest,
    .advance = hs_cpu_advance,
    .fetch = hs_cpu_fetch,
    .pick = hs_cpu_pick,
    .fetch_role = hs_cpu_fetch_role,
    .load_before = hs_cpu_load_before,
    .destroy = hs_cpu_destroy,
    .linear = &hs_linear_cpu,
    .part = &hs_part_cpu,
};
