/* cpu-reference: serial plain loops, to be checked against the formula by eye; the oracle.
 *
 * No run lengths, no tiles, no threads, no layer of ghost nodes: every node looks up its stencil and its
 * neighbours and applies the arithmetic of node.h. All other backends must give these bits. Beyond an
 * open wall there is nothing: the neighbour counts as 0 and its weight is 0.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/cost/cost.h"
#include "base/memory.h"
#include "numerics/node.h"

/* Fields of one precision; the others are NULL. */
struct hs_reference_state {
  const struct hs_system *system;
  bool single;
  double *now, *before, *saved;                     /* [ny*nx] K, double precision */
  double *r;                                        /* [ny*nx] constants of the nodes' own, K; NULL: none */
  float *now_single, *before_single, *saved_single; /* the same in single precision */
  float *r_single;
  struct hs_relaxation relaxation;
  double omega; /* where Chebyshev's recursion stands */
};

/* The state behind a handle of the interface. */
static struct hs_reference_state *reference_state(struct hs_backend_state *backend)
{
  return (struct hs_reference_state *)backend;
}

/* --- neighbours ------------------------------------------------------------------------------ */

/* Numbers of a node's neighbours; -1 beyond an open wall. */
struct neighbours {
  ptrdiff_t west, east, south, north;
};

HS_INLINE_ALWAYS struct neighbours neighbours_of(const struct hs_system *s, int i, int j)
{
  const ptrdiff_t n = (ptrdiff_t)j * s->nx + i, row = n - i, rows = s->ny - 1;
  struct neighbours at = {n - 1, n + 1, n - s->nx, n + s->nx};
  if (i == 0) at.west = s->wrap_x < 0 ? -1 : row + s->nx - 1 - s->wrap_x;
  if (i == s->nx - 1) at.east = s->wrap_x < 0 ? -1 : row + s->wrap_x;
  if (j == 0) at.south = s->wrap_y < 0 ? -1 : (rows - s->wrap_y) * s->nx + i;
  if (j == s->ny - 1) at.north = s->wrap_y < 0 ? -1 : (ptrdiff_t)s->wrap_y * s->nx + i;
  return at;
}

HS_INLINE_ALWAYS double at_f64(const double *t, ptrdiff_t n)
{
  return n < 0 ? 0.0 : t[n];
}

HS_INLINE_ALWAYS float at_f32(const float *t, ptrdiff_t n)
{
  return n < 0 ? 0.0f : t[n];
}

/* --- sweeps ---------------------------------------------------------------------------------- */

/* J(t) at a node with the constant c. */
HS_INLINE_ALWAYS double jacobi_f64(const struct hs_system *s, const double *t, double c, int i, int j)
{
  const struct neighbours at = neighbours_of(s, i, j);
  const struct hs_stencil_f64 *node = &s->stencil[hs_system_index(s, (size_t)j * (size_t)s->nx + (size_t)i)];
  return hs_node_general_f64(node, c, at_f64(t, at.west), at_f64(t, at.east), at_f64(t, at.south), at_f64(t, at.north));
}

HS_INLINE_ALWAYS float jacobi_f32(const struct hs_system *s, const float *t, float c, int i, int j)
{
  const struct neighbours at = neighbours_of(s, i, j);
  const struct hs_stencil_f32 *node = &s->stencil_single[hs_system_index(s, (size_t)j * (size_t)s->nx + (size_t)i)];
  return hs_node_general_f32(node, c, at_f32(t, at.west), at_f32(t, at.east), at_f32(t, at.south), at_f32(t, at.north));
}

/* next holds the field before t on entry: Chebyshev's base. */
HS_FAST_FMA static void sweep_f64(const struct hs_system *s, const double *r, enum hs_form form, double weight,
                                  const double *t, double *next)
{
  for (int j = 0; j < s->ny; j++) {
    for (int i = 0; i < s->nx; i++) {
      const size_t n = (size_t)j * (size_t)s->nx + (size_t)i;
      const struct hs_stencil_f64 *node = &s->stencil[hs_system_index(s, n)];
      const double u = jacobi_f64(s, t, r ? node->c + r[n] : node->c, i, j);
      const int dirichlet = node->diagonal == 0.0;
      switch (form) {
      case HS_FORM_JACOBI: next[n] = u; break;
      case HS_FORM_WEIGHTED: next[n] = hs_node_relax_f64(weight * node->relax, u, t[n], dirichlet); break;
      case HS_FORM_CHEBYSHEV: next[n] = hs_node_relax_f64(weight, u, next[n], dirichlet); break;
      }
    }
  }
}

HS_FAST_FMA static void sweep_f32(const struct hs_system *s, const float *r, enum hs_form form, float weight,
                                  const float *t, float *next)
{
  for (int j = 0; j < s->ny; j++) {
    for (int i = 0; i < s->nx; i++) {
      const size_t n = (size_t)j * (size_t)s->nx + (size_t)i;
      const struct hs_stencil_f32 *node = &s->stencil_single[hs_system_index(s, n)];
      const float u = jacobi_f32(s, t, r ? node->c + r[n] : node->c, i, j);
      const int dirichlet = node->diagonal == 0.0f;
      switch (form) {
      case HS_FORM_JACOBI: next[n] = u; break;
      case HS_FORM_WEIGHTED: next[n] = hs_node_relax_f32(weight * node->relax, u, t[n], dirichlet); break;
      case HS_FORM_CHEBYSHEV: next[n] = hs_node_relax_f32(weight, u, next[n], dirichlet); break;
      }
    }
  }
}

static hs_status reference_sweep(struct hs_backend_state *backend, int64_t n, struct hs_error *err)
{
  struct hs_reference_state *state = reference_state(backend);
  (void)err;
  for (int64_t k = 0; k < n; k++) {
    double weight;
    const enum hs_form form = hs_relaxation_next(&state->relaxation, &state->omega, &weight);
    if (state->single) {
      float *const next = state->before_single;
      sweep_f32(state->system, state->r_single, form, (float)weight, state->now_single, next);
      state->before_single = state->now_single;
      state->now_single = next;
    } else {
      double *const next = state->before;
      sweep_f64(state->system, state->r, form, weight, state->now, next);
      state->before = state->now;
      state->now = next;
    }
  }
  return HS_OK;
}

static hs_status reference_relax(struct hs_backend_state *backend, const struct hs_relaxation *relaxation,
                                 struct hs_error *err)
{
  struct hs_reference_state *state = reference_state(backend);
  (void)err;
  state->relaxation = *relaxation;
  state->omega = 0.0;
  return HS_OK;
}

/* --- constants of the nodes' own ------------------------------------------------------------- */

/* The source map's share of a node's constant, K; 0 where there is no map. */
static double base_of(const struct hs_system *s, size_t n)
{
  const double diagonal = s->stencil[hs_system_index(s, n)].diagonal;
  return s->source_w_m && diagonal != 0.0 ? s->source_w_m[n] / diagonal : 0.0;
}

/* r = source_w_m / diagonal. */
static void constants_reset(struct hs_reference_state *state)
{
  const size_t nodes = (size_t)state->system->nx * (size_t)state->system->ny;
  for (size_t n = 0; state->r && n < nodes; n++) state->r[n] = base_of(state->system, n);
  for (size_t n = 0; state->r_single && n < nodes; n++) state->r_single[n] = (float)base_of(state->system, n);
}

/* Where steps store heat, r belongs to the step that has begun: the stencils may change under it. */
static hs_status reference_update(struct hs_backend_state *backend, const struct hs_system *system,
                                  bool weights_changed, struct hs_error *err)
{
  struct hs_reference_state *state = reference_state(backend);
  (void)weights_changed;
  (void)err;
  state->system = system;
  if (!system->storing) constants_reset(state);
  return HS_OK;
}

static double step_f64(const struct hs_system *s, bool trapezoid, const double *t, int i, int j)
{
  const size_t n = (size_t)j * (size_t)s->nx + (size_t)i;
  const struct hs_stencil_f64 *node = &s->stencil[hs_system_index(s, n)];
  const double base = base_of(s, n);
  if (node->diagonal == 0.0) return 0.0;
  return hs_node_step_f64(trapezoid, node->storage, t[n], jacobi_f64(s, t, node->c + base, i, j), base);
}

static float step_f32(const struct hs_system *s, bool trapezoid, const float *t, int i, int j)
{
  const size_t n = (size_t)j * (size_t)s->nx + (size_t)i;
  const struct hs_stencil_f32 *node = &s->stencil_single[hs_system_index(s, n)];
  const float base = (float)base_of(s, n);
  if (node->diagonal == 0.0f) return 0.0f;
  return hs_node_step_f32(trapezoid, node->storage, t[n], jacobi_f32(s, t, node->c + base, i, j), base);
}

static hs_status reference_step(struct hs_backend_state *backend, bool trapezoid, struct hs_error *err)
{
  struct hs_reference_state *state = reference_state(backend);
  const struct hs_system *s = state->system;
  if (!state->r && !state->r_single)
    return hs_error_set(err, HS_ERR_UNSUPPORTED, "an implicit time step of a system that was made without storage");
  for (int j = 0; j < s->ny; j++) {
    for (int i = 0; i < s->nx; i++) {
      const size_t n = (size_t)j * (size_t)s->nx + (size_t)i;
      if (state->single)
        state->r_single[n] = step_f32(s, trapezoid, state->now_single, i, j);
      else
        state->r[n] = step_f64(s, trapezoid, state->now, i, j);
    }
  }
  return HS_OK;
}

/* --- norms ----------------------------------------------------------------------------------- */

/* A node's temperature as double, 0 beyond an open wall. */
static double value(const struct hs_reference_state *state, ptrdiff_t n)
{
  if (n < 0) return 0.0;
  return state->single ? (double)state->now_single[n] : state->now[n];
}

static double value_before(const struct hs_reference_state *state, size_t n)
{
  return state->single ? (double)state->before_single[n] : state->before[n];
}

static double constant_of(const struct hs_reference_state *state, size_t n)
{
  const double c = state->system->stencil[hs_system_index(state->system, n)].c;
  if (state->r_single) return c + (double)state->r_single[n];
  return state->r ? c + state->r[n] : c;
}

/* The update in the precision of the field. */
static double update_of(const struct hs_reference_state *state, size_t n)
{
  return state->single ? (double)(state->now_single[n] - state->before_single[n]) : state->now[n] - state->before[n];
}

static double larger(double a, double b)
{
  return a > b ? a : b;
}

/* Norms of the last update only, over all nodes: a held temperature may change with time. */
HS_FAST_FMA static void update_norms(const struct hs_reference_state *state, const struct hs_bounds *bounds,
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
  norms->residual_l2 = norms->residual_max = norms->two_sweep_max = norms->correction_max = NAN;
}

/* All norms: what one further plain update, in double precision, would do to the free nodes. */
HS_FAST_FMA static void all_norms(const struct hs_reference_state *state, const struct hs_bounds *bounds,
                                  struct hs_norms *norms)
{
  const struct hs_system *s = state->system;
  const struct hs_sum_split split = hs_sum_split_for((int64_t)s->nx * s->ny);
  const double scale = hs_sum_scale(bounds->residual_max);
  struct hs_sum sum = {0.0, 0.0};

  update_norms(state, bounds, norms);
  norms->residual_max = norms->two_sweep_max = norms->correction_max = 0.0;
  for (int j = 0; j < s->ny; j++) {
    for (int i = 0; i < s->nx; i++) {
      const size_t n = (size_t)j * (size_t)s->nx + (size_t)i;
      const struct hs_stencil_f64 *node = &s->stencil[hs_system_index(s, n)];
      const struct neighbours at = neighbours_of(s, i, j);
      double next, correction, residual;
      if (node->diagonal == 0.0) continue;
      next = hs_node_general_f64(node, constant_of(state, n), value(state, at.west), value(state, at.east),
                                 value(state, at.south), value(state, at.north));
      correction = next - value(state, (ptrdiff_t)n);
      residual = node->diagonal * correction;
      hs_sum_add_square(&sum, split, residual * scale);
      norms->residual_max = larger(fabs(residual), norms->residual_max);
      norms->two_sweep_max = larger(fabs(next - value_before(state, n)), norms->two_sweep_max);
      norms->correction_max = larger(fabs(correction), norms->correction_max);
    }
  }
  norms->residual_l2 = hs_sum_norm(sum, scale);
}

static hs_status reference_sweep_normed(struct hs_backend_state *backend, int64_t n, const struct hs_bounds *bounds,
                                        struct hs_norms *norms, struct hs_error *err)
{
  struct hs_reference_state *state = reference_state(backend);
  for (int64_t k = 0; k < n; k++) {
    reference_sweep(backend, 1, err);
    update_norms(state, bounds, &norms[k]);
  }
  return HS_OK;
}

static hs_status reference_norms(struct hs_backend_state *backend, const struct hs_bounds *bounds,
                                 struct hs_norms *norms, struct hs_error *err)
{
  struct hs_reference_state *state = reference_state(backend);
  (void)err;
  all_norms(state, bounds, norms);
  return HS_OK;
}

/* The difference is taken in the precision of the field, like the update's. */
static hs_status reference_distance(struct hs_backend_state *backend, double *distance_k, struct hs_error *err)
{
  struct hs_reference_state *state = reference_state(backend);
  const size_t nodes = (size_t)state->system->nx * (size_t)state->system->ny;
  double maximum = 0.0;
  (void)err;
  for (size_t n = 0; n < nodes; n++)
    maximum = larger(state->single ? (double)fabsf(state->now_single[n] - state->saved_single[n])
                                   : fabs(state->now[n] - state->saved[n]),
                     maximum);
  *distance_k = maximum;
  return HS_OK;
}

static hs_status reference_largest(struct hs_backend_state *backend, double *largest_k, struct hs_error *err)
{
  struct hs_reference_state *state = reference_state(backend);
  const size_t nodes = (size_t)state->system->nx * (size_t)state->system->ny;
  double largest = 0.0;
  (void)err;
  for (size_t n = 0; n < nodes; n++)
    largest = larger(fabs(state->single ? (double)state->now_single[n] : state->now[n]), largest);
  *largest_k = largest;
  return HS_OK;
}

/* --- lifetime and transfer ------------------------------------------------------------------- */

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
  const struct hs_backend_cost cost = {.setup_s = bytes / 4e9,
                                       .sweep_s = sweep_s,
                                       .test_s = 5.0 * sweep_s,
                                       .step_s = 3.0 * sweep_s,
                                       .host_bytes = bytes};
  return cost;
}

static void reference_destroy(struct hs_backend_state *backend)
{
  struct hs_reference_state *state = reference_state(backend);
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
  place->serial = true;
}

static hs_status reference_load(struct hs_backend_state *backend, const double *field_k, struct hs_error *err)
{
  struct hs_reference_state *state = reference_state(backend);
  const size_t nodes = (size_t)state->system->nx * (size_t)state->system->ny;
  (void)err;
  for (size_t n = 0; n < nodes; n++) {
    if (state->single)
      state->now_single[n] = state->before_single[n] = (float)field_k[n];
    else
      state->now[n] = state->before[n] = field_k[n];
  }
  constants_reset(state);
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
  struct hs_reference_state *state = reference_state(backend);
  (void)err;
  copy_field(state, state->saved, state->now, state->saved_single, state->now_single);
  return HS_OK;
}

static hs_status reference_restore(struct hs_backend_state *backend, struct hs_error *err)
{
  struct hs_reference_state *state = reference_state(backend);
  (void)err;
  copy_field(state, state->now, state->saved, state->now_single, state->saved_single);
  return HS_OK;
}

static hs_status reference_fetch(struct hs_backend_state *backend, double *field_k, struct hs_error *err)
{
  struct hs_reference_state *state = reference_state(backend);
  const size_t nodes = (size_t)state->system->nx * (size_t)state->system->ny;
  (void)err;
  for (size_t n = 0; n < nodes; n++) field_k[n] = value(state, (ptrdiff_t)n);
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
    .relax = reference_relax,
    .update = reference_update,
    .step = reference_step,
    .sweep = reference_sweep,
    .sweep_normed = reference_sweep_normed,
    .norms = reference_norms,
    .save = reference_save,
    .restore = reference_restore,
    .distance = reference_distance,
    .largest = reference_largest,
    .advance = NULL,
    .fetch = reference_fetch,
    .destroy = reference_destroy,
};
