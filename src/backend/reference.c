/* cpu-reference: serial plain loops, to be checked against the formula by eye; the oracle.
 *
 * No run lengths, no tiles, no threads: every node looks up its stencil and applies
 * hs_node_update. All other backends must give these bits. Beyond the grid's edge there is
 * nothing: the neighbour counts as 0 and its weight is 0.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "base/memory.h"

/* Two fields of one precision; the other pair is NULL. */
struct hs_backend_state {
  const struct hs_system *system;
  bool single;
  double *now, *before, *saved; /* [ny*nx] K, double precision */
  float *now_single, *before_single, *saved_single;
};

/* On processors with and without fused multiply-add instructions alike, but fast where they exist. */
#if defined(__x86_64__) && defined(__GNUC__)
#define FAST_FMA __attribute__((target_clones("fma", "default")))
#else
#define FAST_FMA
#endif

FAST_FMA static void sweep_f64(const struct hs_system *s, const double *t, double *next)
{
  for (int j = 0; j < s->ny; j++) {
    for (int i = 0; i < s->nx; i++) {
      const size_t n = (size_t)j * (size_t)s->nx + (size_t)i;
      const double west = i > 0 ? t[n - 1] : 0.0, east = i < s->nx - 1 ? t[n + 1] : 0.0;
      const double south = j > 0 ? t[n - (size_t)s->nx] : 0.0, north = j < s->ny - 1 ? t[n + (size_t)s->nx] : 0.0;
      next[n] = hs_node_update_f64(&s->stencil[s->index[n]], west, east, south, north);
    }
  }
}

FAST_FMA static void sweep_f32(const struct hs_system *s, const float *t, float *next)
{
  for (int j = 0; j < s->ny; j++) {
    for (int i = 0; i < s->nx; i++) {
      const size_t n = (size_t)j * (size_t)s->nx + (size_t)i;
      const float west = i > 0 ? t[n - 1] : 0.0f, east = i < s->nx - 1 ? t[n + 1] : 0.0f;
      const float south = j > 0 ? t[n - (size_t)s->nx] : 0.0f, north = j < s->ny - 1 ? t[n + (size_t)s->nx] : 0.0f;
      next[n] = hs_node_update_f32(&s->stencil_single[s->index[n]], west, east, south, north);
    }
  }
}

/* A node's temperature as double, 0 beyond the edge. */
static double value(const struct hs_backend_state *state, int i, int j)
{
  const struct hs_system *s = state->system;
  const size_t n = (size_t)j * (size_t)s->nx + (size_t)i;
  if (i < 0 || i >= s->nx || j < 0 || j >= s->ny) return 0.0;
  return state->single ? (double)state->now_single[n] : state->now[n];
}

static double value_before(const struct hs_backend_state *state, size_t n)
{
  return state->single ? (double)state->before_single[n] : state->before[n];
}

/* The update in the precision of the field. */
static double update_of(const struct hs_backend_state *state, size_t n)
{
  return state->single ? (double)(state->now_single[n] - state->before_single[n]) : state->now[n] - state->before[n];
}

static double larger(double a, double b)
{
  return a > b ? a : b;
}

/* Norms of the last update only. */
FAST_FMA static void update_norms(const struct hs_backend_state *state, const struct hs_bounds *bounds,
                                  struct hs_norms *norms)
{
  const size_t nodes = (size_t)state->system->nx * (size_t)state->system->ny;
  const struct hs_sum_split split = hs_sum_split_for((int64_t)nodes);
  const double scale = hs_sum_scale(bounds->update_max);
  struct hs_sum sum = {0.0, 0.0};
  double maximum = 0.0;
  for (size_t n = 0; n < nodes; n++) {
    const double update = update_of(state, n);
    hs_sum_add_square(&sum, split, update * scale);
    maximum = larger(fabs(update), maximum);
  }
  norms->update_l2 = hs_sum_norm(sum, scale);
  norms->update_max = maximum;
  norms->residual_l2 = norms->residual_max = norms->two_sweep_max = NAN;
}

/* All norms: what one further update, in double precision, would do. */
FAST_FMA static void all_norms(const struct hs_backend_state *state, const struct hs_bounds *bounds,
                               struct hs_norms *norms)
{
  const struct hs_system *s = state->system;
  const struct hs_sum_split split = hs_sum_split_for((int64_t)s->nx * s->ny);
  const double scale = hs_sum_scale(bounds->residual_max);
  struct hs_sum sum = {0.0, 0.0};

  update_norms(state, bounds, norms);
  norms->residual_max = norms->two_sweep_max = 0.0;
  for (int j = 0; j < s->ny; j++) {
    for (int i = 0; i < s->nx; i++) {
      const size_t n = (size_t)j * (size_t)s->nx + (size_t)i;
      const struct hs_stencil_f64 *stencil = &s->stencil[s->index[n]];
      double next, residual;
      if (stencil->diagonal == 0.0) continue;
      next = hs_node_update_f64(stencil, value(state, i - 1, j), value(state, i + 1, j), value(state, i, j - 1),
                                value(state, i, j + 1));
      residual = stencil->diagonal * (next - value(state, i, j));
      hs_sum_add_square(&sum, split, residual * scale);
      norms->residual_max = larger(fabs(residual), norms->residual_max);
      norms->two_sweep_max = larger(fabs(next - value_before(state, n)), norms->two_sweep_max);
    }
  }
  norms->residual_l2 = hs_sum_norm(sum, scale);
}

static hs_status reference_probe(const struct hs_system *system, const struct hs_backend_options *options,
                                 struct hs_error *why)
{
  (void)system;
  (void)options;
  (void)why;
  return HS_OK;
}

static struct hs_backend_cost reference_cost(const struct hs_system *system, const struct hs_backend_options *options)
{
  const double nodes = (double)system->nx * system->ny;
  const struct hs_backend_cost cost = {
      .setup_s = 0.0, .sweep_s = nodes * 2.0e-9, .host_bytes = 3.0 * nodes * (options->single ? 4.0 : 8.0)};
  return cost;
}

static void reference_destroy(struct hs_backend_state *state)
{
  if (!state) return;
  free(state->now);
  free(state->before);
  free(state->saved);
  free(state->now_single);
  free(state->before_single);
  free(state->saved_single);
  free(state);
}

static hs_status reference_create(const struct hs_system *system, const struct hs_backend_options *options,
                                  struct hs_backend_state **state, struct hs_error *err)
{
  const size_t nodes = (size_t)system->nx * (size_t)system->ny;
  static const char what[] = "the temperature fields of cpu-reference";
  struct hs_backend_state *s = NULL;
  hs_status status = hs_array_create((void **)&s, 1, sizeof *s, what, err);
  if (status) goto out;
  s->system = system;
  s->single = options->single;
  if (s->single) {
    status = hs_array_create((void **)&s->now_single, nodes, sizeof(float), what, err);
    if (!status) status = hs_array_create((void **)&s->before_single, nodes, sizeof(float), what, err);
    if (!status) status = hs_array_create((void **)&s->saved_single, nodes, sizeof(float), what, err);
  } else {
    status = hs_array_create((void **)&s->now, nodes, sizeof(double), what, err);
    if (!status) status = hs_array_create((void **)&s->before, nodes, sizeof(double), what, err);
    if (!status) status = hs_array_create((void **)&s->saved, nodes, sizeof(double), what, err);
  }
out:
  if (status) {
    reference_destroy(s);
    s = NULL;
  }
  *state = s;
  return status;
}

static void reference_place(const struct hs_backend_state *state, struct hs_backend_place *place)
{
  (void)state;
  strcpy(place->device, "one CPU core, plain loops");
  place->threads = 1;
}

static hs_status reference_load(struct hs_backend_state *state, const double *field_k, struct hs_error *err)
{
  const size_t nodes = (size_t)state->system->nx * (size_t)state->system->ny;
  (void)err;
  for (size_t n = 0; n < nodes; n++) {
    if (state->single)
      state->now_single[n] = state->before_single[n] = (float)field_k[n];
    else
      state->now[n] = state->before[n] = field_k[n];
  }
  return HS_OK;
}

static hs_status reference_sweep(struct hs_backend_state *state, int64_t n, struct hs_error *err)
{
  (void)err;
  for (int64_t k = 0; k < n; k++) {
    if (state->single) {
      float *const next = state->before_single;
      sweep_f32(state->system, state->now_single, next);
      state->before_single = state->now_single;
      state->now_single = next;
    } else {
      double *const next = state->before;
      sweep_f64(state->system, state->now, next);
      state->before = state->now;
      state->now = next;
    }
  }
  return HS_OK;
}

static hs_status reference_sweep_normed(struct hs_backend_state *state, int64_t n, const struct hs_bounds *bounds,
                                        struct hs_norms *norms, struct hs_error *err)
{
  for (int64_t k = 0; k < n; k++) {
    reference_sweep(state, 1, err);
    update_norms(state, bounds, &norms[k]);
  }
  return HS_OK;
}

static hs_status reference_norms(struct hs_backend_state *state, const struct hs_bounds *bounds, struct hs_norms *norms,
                                 struct hs_error *err)
{
  (void)err;
  all_norms(state, bounds, norms);
  return HS_OK;
}

static void copy_field(const struct hs_backend_state *state, double *to, const double *from, float *to_single,
                       const float *from_single)
{
  const size_t nodes = (size_t)state->system->nx * (size_t)state->system->ny;
  if (state->single)
    memcpy(to_single, from_single, nodes * sizeof *to_single);
  else
    memcpy(to, from, nodes * sizeof *to);
}

static hs_status reference_save(struct hs_backend_state *state, struct hs_error *err)
{
  (void)err;
  copy_field(state, state->saved, state->now, state->saved_single, state->now_single);
  return HS_OK;
}

static hs_status reference_restore(struct hs_backend_state *state, struct hs_error *err)
{
  (void)err;
  copy_field(state, state->now, state->saved, state->now_single, state->saved_single);
  return HS_OK;
}

static hs_status reference_fetch(struct hs_backend_state *state, double *field_k, struct hs_error *err)
{
  const size_t nodes = (size_t)state->system->nx * (size_t)state->system->ny;
  (void)err;
  for (size_t n = 0; n < nodes; n++) field_k[n] = state->single ? (double)state->now_single[n] : state->now[n];
  return HS_OK;
}

const struct hs_backend hs_backend_reference = {
    .name = "cpu-reference",
    .summary = "serial plain loops, the oracle for all others",
    .probe = reference_probe,
    .cost = reference_cost,
    .create = reference_create,
    .place = reference_place,
    .load = reference_load,
    .sweep = reference_sweep,
    .sweep_normed = reference_sweep_normed,
    .norms = reference_norms,
    .save = reference_save,
    .restore = reference_restore,
    .advance = NULL,
    .fetch = reference_fetch,
    .destroy = reference_destroy,
};
