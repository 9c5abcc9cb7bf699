/* cpu-reference: serial plain loops, to be checked against the formula by eye; the oracle.
 *
 * No run lengths, no tiles, no threads, no layer of ghost nodes: every node looks up its stencil and its
 * neighbours and applies the arithmetic of node.h (sweep.c). All other backends must give these bits. Beyond an
 * open wall there is nothing: the neighbour counts as 0 and its weight is 0.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cost/cost.h"
#include "backend/linear.h"
#include "backend/part.h"
#include "backend/reference/state.h"
#include "base/memory.h"

static hs_status reference_probe(const struct hs_system *system, const struct hs_backend_options *options,
                                 struct hs_error *why)
{
  (void)system;
  (void)options;
  (void)why;
  return HS_OK;
}

static bool has_constants(const struct hs_system *system)
{
  return system->source_w_m || system->storing;
}

static struct hs_backend_cost reference_cost(const struct hs_system *system, const struct hs_backend_options *options)
{
  static const char name[] = "cpu-reference";
  const double nodes = (double)system->nx * system->ny;
  const double bytes = (has_constants(system) ? 4.0 : 3.0) * nodes * (options->single ? 4.0 : 8.0);
  const double measured_s = hs_cost_sweep_s(options->tuning, name, name, system, options);
  const double builtin_s = hs_cost_sweep_s(hs_tuning_builtin(), name, name, system, options);
  const double sweep_s = isnan(measured_s) ? builtin_s : measured_s;
  const double cycle_s = hs_cost_cycle_s(options->tuning, name, name, system, options);
  struct hs_backend_cost cost = {.setup_s = bytes / 4e9,
                                 .sweep_s = sweep_s,
                                 .test_s = 5.0 * sweep_s,
                                 .step_s = 3.0 * sweep_s,
                                 .host_bytes = bytes};
  hs_cost_multigrid(isnan(cycle_s) ? hs_cost_cycle_s(hs_tuning_builtin(), name, name, system, options) : cycle_s,
                    system, options, &cost);
  return cost;
}

static void reference_destroy(struct hs_backend_state *backend)
{
  struct hs_reference_state *state = hs_reference_state(backend);
  if (!state) return;
  free(state->now);
  free(state->before);
  free(state->saved);
  free(state->r);
  free(state->now_single);
  free(state->before_single);
  free(state->saved_single);
  free(state->r_single);
  free(state);
}

static hs_status reference_create(const struct hs_system *system, const struct hs_backend_options *options,
                                  struct hs_backend_state **backend, struct hs_error *err)
{
  const size_t nodes = (size_t)system->nx * (size_t)system->ny;
  static const char what[] = "the temperature fields of cpu-reference";
  struct hs_reference_state *s = NULL;
  hs_status status = hs_array_create((void **)&s, 1, sizeof *s, what, err);
  if (status) goto out;
  s->system = system;
  s->single = options->single;
  s->relaxation.form = HS_FORM_JACOBI;
  if (s->single) {
    status = hs_array_create((void **)&s->now_single, nodes, sizeof(float), what, err);
    if (!status) status = hs_array_create((void **)&s->before_single, nodes, sizeof(float), what, err);
    if (!status) status = hs_array_create((void **)&s->saved_single, nodes, sizeof(float), what, err);
    if (!status && has_constants(system))
      status = hs_array_create((void **)&s->r_single, nodes, sizeof(float), what, err);
  } else {
    status = hs_array_create((void **)&s->now, nodes, sizeof(double), what, err);
    if (!status) status = hs_array_create((void **)&s->before, nodes, sizeof(double), what, err);
    if (!status) status = hs_array_create((void **)&s->saved, nodes, sizeof(double), what, err);
    if (!status && has_constants(system)) status = hs_array_create((void **)&s->r, nodes, sizeof(double), what, err);
  }
out:
  if (status) {
    reference_destroy((struct hs_backend_state *)s);
    s = NULL;
  }
  *backend = (struct hs_backend_state *)s;
  return status;
}

static void reference_place(const struct hs_backend_state *backend, struct hs_backend_place *place)
{
  (void)backend;
  strcpy(place->device, "one CPU core, plain loops");
  place->threads = 1;
  place->threads_mean = 1.0;
  place->serial = true;
}

static hs_status reference_load(struct hs_backend_state *backend, const double *field_k, struct hs_error *err)
{
  struct hs_reference_state *state = hs_reference_state(backend);
  const size_t nodes = (size_t)state->system->nx * (size_t)state->system->ny;
  (void)err;
  for (size_t n = 0; n < nodes; n++) {
    if (state->single)
      state->now_single[n] = state->before_single[n] = (float)field_k[n];
    else
      state->now[n] = state->before[n] = field_k[n];
  }
  hs_reference_reset_constants(state);
  return HS_OK;
}

static void copy_field(const struct hs_reference_state *state, double *to, const double *from, float *to_single,
                       const float *from_single)
{
  const size_t nodes = (size_t)state->system->nx * (size_t)state->system->ny;
  if (state->single)
    memcpy(to_single, from_single, nodes * sizeof *to_single);
  else
    memcpy(to, from, nodes * sizeof *to);
}

static hs_status reference_save(struct hs_backend_state *backend, struct hs_error *err)
{
  struct hs_reference_state *state = hs_reference_state(backend);
  (void)err;
  copy_field(state, state->saved, state->now, state->saved_single, state->now_single);
  return HS_OK;
}

static hs_status reference_restore(struct hs_backend_state *backend, struct hs_error *err)
{
  struct hs_reference_state *state = hs_reference_state(backend);
  (void)err;
  copy_field(state, state->now, state->saved, state->now_single, state->saved_single);
  return HS_OK;
}

static hs_status reference_fetch_role(struct hs_backend_state *backend, enum hs_field_role role, double *field_k,
                                      struct hs_error *err)
{
  const struct hs_reference_state *s = hs_reference_state(backend);
  const size_t nodes = (size_t)s->system->nx * (size_t)s->system->ny;
  const double *const fields[] = {s->now, s->before, s->saved};
  const float *const singles[] = {s->now_single, s->before_single, s->saved_single};
  (void)err;
  for (size_t n = 0; n < nodes; n++) field_k[n] = s->single ? (double)singles[role][n] : fields[role][n];
  return HS_OK;
}

static hs_status reference_fetch(struct hs_backend_state *backend, double *field_k, struct hs_error *err)
{
  return reference_fetch_role(backend, HS_FIELD_NOW, field_k, err);
}

static hs_status reference_pick(struct hs_backend_state *backend, const int64_t *node, int64_t count, double *values_k,
                                struct hs_error *err)
{
  const struct hs_reference_state *s = hs_reference_state(backend);
  (void)err;
  for (int64_t k = 0; k < count; k++) values_k[k] = s->single ? (double)s->now_single[node[k]] : s->now[node[k]];
  return HS_OK;
}

static hs_status reference_load_before(struct hs_backend_state *backend, const double *field_k, struct hs_error *err)
{
  struct hs_reference_state *state = hs_reference_state(backend);
  const size_t nodes = (size_t)state->system->nx * (size_t)state->system->ny;
  (void)err;
  for (size_t n = 0; n < nodes; n++) {
    if (state->single)
      state->before_single[n] = (float)field_k[n];
    else
      state->before[n] = field_k[n];
  }
  return HS_OK;
}

const struct hs_backend hs_backend_reference = {
    .name = "cpu-reference",
    .summary = "one core, plain loops: the reference whose bits all others give",
    .probe = reference_probe,
    .cost = reference_cost,
    .create = reference_create,
    .place = reference_place,
    .load = reference_load,
    .relax = hs_reference_relax,
    .update = hs_reference_update,
    .step = hs_reference_step,
    .sweep = hs_reference_sweep,
    .sweep_normed = hs_reference_sweep_normed,
    .norms = hs_reference_norms,
    .save = reference_save,
    .restore = reference_restore,
    .distance = hs_reference_distance,
    .largest = hs_reference_largest,
    .advance = NULL,
    .fetch = reference_fetch,
    .pick = reference_pick,
    .fetch_role = reference_fetch_role,
    .load_before = reference_load_before,
    .destroy = reference_destroy,
    .linear = &hs_linear_reference,
    .part = &hs_part_reference,
};
