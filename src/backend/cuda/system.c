/* The system on the device: stencil table, index, tiles, constants, and what a time step changes of them.
 *
 * Plain sweeps have the most frequent stencil as a kernel argument, which a graph keeps as it was. So
 * where an update changes that stencil, it is read through the stencil table from then on (main_index = -1) and
 * the graphs are built again, once; every later update only renews memory behind pointers. General sweeps
 * read the stencil table through a pointer from the beginning.
 *
 * The field of constants r is one padded field. While implicit steps are taken it belongs to the step that has
 * begun, and the source map's share, which each step needs, has a field of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/state.h"
#include "base/memory.h"

/* Bytes of a row of the padded index, and of all of it. */
static size_t index_row_bytes(const struct hs_device_system *d)
{
  return (size_t)d->pitch * sizeof(uint16_t);
}

static size_t index_bytes(const struct hs_device_system *d)
{
  return (size_t)d->tiles_y * HS_TILE_H * index_row_bytes(d);
}

double hs_cuda_system_bytes(const struct hs_cuda_state *layout)
{
  const struct hs_system *s = layout->system;
  const double entry_bytes = sizeof *s->stencil + (layout->single ? sizeof *s->stencil_single : 0);
  double bytes = (double)s->table_size * entry_bytes;
  if (s->index) bytes += (double)index_bytes(&layout->device);
  if (hs_system_has_constants(s)) bytes += (double)layout->field_bytes;
  if (s->source_w_m && s->storing) bytes += (double)layout->field_bytes;
  return bytes + 4.0 * layout->device.tiles_x * layout->device.tiles_y;
}

/* --- stencil table, index, tiles ------------------------------------------------------------------- */

/* The most frequent coefficient index on a coarse lattice of nodes; a wrong guess costs speed, not bits. */
static hs_status main_guess(const struct hs_system *system, int *guess, struct hs_error *err)
{
  const int step_x = 1 + system->nx / 64, step_y = 1 + system->ny / 64;
  int *count = NULL;
  uint16_t best = 0;
  hs_status status;
  *guess = -1;
  if (!system->index) return HS_OK;
  status = hs_array_create((void **)&count, (size_t)system->table_size, sizeof *count, "counting the stencils", err);
  if (status) return status;
  for (int j = step_y / 2; j < system->ny; j += step_y) {
    for (int i = step_x / 2; i < system->nx; i += step_x) {
      const uint16_t entry = system->index[(size_t)j * (size_t)system->nx + (size_t)i];
      if (++count[entry] > count[best]) best = entry;
    }
  }
  free(count);
  *guess = best;
  return HS_OK;
}

static int main_kind(const struct hs_cuda_state *state)
{
  if (state->main_guess < 0) return HS_TILE_STENCIL;
  return HS_STENCIL_IS_UNIFORM(state->system->stencil[state->main_guess]) ? HS_TILE_EQUAL : HS_TILE_STENCIL;
}

/* The main stencil by value. */
static void main_set(struct hs_cuda_state *state)
{
  struct hs_device_system *d = &state->device;
  d->main_index = state->main_guess;
  d->main_kind = main_kind(state);
  if (state->main_guess < 0) return;
  d->main_stencil = state->system->stencil[state->main_guess];
  d->main_stencil_single = state->system->stencil_single[state->main_guess];
}

/* Gives up the main stencil by value when it is no longer true. */
static void main_renew(struct hs_cuda_state *state)
{
  struct hs_device_system *d = &state->device;
  const int kind = main_kind(state);
  const bool changed =
      d->main_index >= 0 && memcmp(&d->main_stencil, &state->system->stencil[d->main_index], sizeof d->main_stencil);
  if (!changed && kind == d->main_kind) return;
  if (changed) d->main_index = -1;
  d->main_kind = kind;
  hs_cuda_graphs_drop(state);
}

/* Uploads what the sweeps and the norms read of the stencil table; the caller may change it afterwards. */
static hs_status stencil_table_upload(struct hs_cuda_state *state, struct hs_error *err)
{
  static const char doing[] = "copying the stencils";
  const struct hs_system *s = state->system;
  const size_t entries = (size_t)s->table_size;
  hs_status status = hs_cuda_check(cudaMemcpyAsync(state->d_stencil, s->stencil, entries * sizeof *s->stencil,
                                                   cudaMemcpyHostToDevice, state->stream),
                                   doing, err);
  if (!status && state->single)
    status = hs_cuda_check(cudaMemcpyAsync(state->d_stencil_single, s->stencil_single,
                                           entries * sizeof *s->stencil_single, cudaMemcpyHostToDevice, state->stream),
                           doing, err);
  return status ? status : hs_cuda_check(cudaStreamSynchronize(state->stream), doing, err);
}

static hs_status stencil_table_create(struct hs_cuda_state *state, struct hs_error *err)
{
  const struct hs_system *s = state->system;
  const size_t entries = (size_t)s->table_size;
  hs_status status = hs_cuda_array(&state->d_stencil, entries * sizeof *s->stencil, state, err);
  if (!status && state->single)
    status = hs_cuda_array(&state->d_stencil_single, entries * sizeof *s->stencil_single, state, err);
  state->device.d_stencil = state->d_stencil;
  state->device.d_stencil_single = state->d_stencil_single;
  return status ? status : stencil_table_upload(state, err);
}

/* The index in rows of a field's pitch; entry 0 beside the grid. */
static hs_status index_create(struct hs_cuda_state *state, struct hs_error *err)
{
  static const char doing[] = "copying the index";
  const struct hs_system *s = state->system;
  const struct hs_device_system *d = &state->device;
  const size_t width = (size_t)s->nx * sizeof *s->index;
  hs_status status;
  if (!s->index) return HS_OK;
  status = hs_cuda_array(&state->d_index, index_bytes(d), state, err);
  if (!status) status = hs_cuda_check(cudaMemsetAsync(state->d_index, 0, index_bytes(d), state->stream), doing, err);
  if (!status)
    status = hs_cuda_check(cudaMemcpy2DAsync(state->d_index, index_row_bytes(d), s->index, width, width, (size_t)s->ny,
                                             cudaMemcpyHostToDevice, state->stream),
                           doing, err);
  state->device.d_index = state->d_index;
  return status;
}

static hs_status tiles_classify(struct hs_cuda_state *state, struct hs_error *err)
{
  return hs_cuda_check(hs_kernel_classify(&state->device, state->d_tile_code, state->stream), "classifying the tiles",
                       err);
}

/* The share of mixed tiles. Those at the walls, which are mixed in any problem, do not count. */
static hs_status mixed_share(struct hs_cuda_state *state, struct hs_error *err)
{
  struct hs_device_system *d = &state->device;
  const size_t tiles = (size_t)d->tiles_x * (size_t)d->tiles_y;
  int64_t inner = 0, mixed = 0;
  int32_t *code = NULL;
  hs_status status = hs_array_create((void **)&code, tiles, sizeof *code, "counting the tiles", err);
  if (!status)
    status = hs_cuda_check(
        cudaMemcpyAsync(code, state->d_tile_code, tiles * sizeof *code, cudaMemcpyDeviceToHost, state->stream),
        "counting the tiles", err);
  if (!status) status = hs_cuda_check(cudaStreamSynchronize(state->stream), "counting the tiles", err);
  for (int y = 1; !status && y < d->tiles_y - 1; y++) {
    for (int x = 1; x < d->tiles_x - 1; x++, inner++)
      mixed += code[(size_t)y * (size_t)d->tiles_x + (size_t)x] % 4 == HS_TILE_MIXED;
  }
  d->mixed = 2 * mixed > inner ? HS_MIXED_MOST : 50 * mixed > inner ? HS_MIXED_SOME : HS_MIXED_FEW;
  free(code);
  return status;
}

static hs_status tiles_create(struct hs_cuda_state *state, struct hs_error *err)
{
  const struct hs_device_system *d = &state->device;
  hs_status status =
      hs_cuda_array(&state->d_tile_code, (size_t)d->tiles_x * (size_t)d->tiles_y * sizeof(int32_t), state, err);
  state->device.d_tile_code = state->d_tile_code;
  if (!status) status = tiles_classify(state, err);
  return status ? status : mixed_share(state, err);
}

/* --- constants ------------------------------------------------------------------------------- */

static hs_status constant_field_create(struct hs_cuda_state *state, void **d_field, struct hs_error *err)
{
  hs_status status = hs_cuda_array(d_field, state->field_bytes, state, err);
  if (status) return status;
  return hs_cuda_check(cudaMemsetAsync(*d_field, 0, state->field_bytes, state->stream), "clearing the constants", err);
}

/* The source map's share of the nodes' constants, source_w_m / diagonal, into a field. */
static hs_status base_upload(struct hs_cuda_state *state, void *d_field, struct hs_error *err)
{
  const struct hs_system *s = state->system;
  const size_t nodes = (size_t)s->nx * (size_t)s->ny;
  double *base = NULL;
  hs_status status = hs_array_create((void **)&base, nodes, sizeof *base, "the constants of a source map", err);
  if (status) return status;
#pragma omp parallel for schedule(static)
  for (size_t n = 0; n < nodes; n++) {
    const double diagonal = s->stencil[hs_system_index(s, n)].diagonal;
    base[n] = diagonal != 0.0 ? s->source_w_m[n] / diagonal : 0.0;
  }
  status = hs_cuda_upload(state, d_field, base, err);
  free(base);
  return status;
}

hs_status hs_cuda_constants_reset(struct hs_cuda_state *state, struct hs_error *err)
{
  if (!state->d_constants) return HS_OK;
  if (state->system->source_w_m) return base_upload(state, state->d_constants, err);
  return hs_cuda_check(cudaMemsetAsync(state->d_constants, 0, state->field_bytes, state->stream),
                       "clearing the constants", err);
}

/* d_base for the present weights. */
static hs_status base_renew(struct hs_cuda_state *state, struct hs_error *err)
{
  hs_status status = HS_OK;
  if (!state->d_base) {
    status = constant_field_create(state, &state->d_base, err);
    state->base_stale = true;
  }
  if (!status && state->base_stale) status = base_upload(state, state->d_base, err);
  if (!status) state->base_stale = false;
  return status;
}

hs_status hs_cuda_step(struct hs_backend_state *backend, bool trapezoid, struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  const bool source = state->system->source_w_m != NULL;
  hs_status status = HS_OK;
  if (!state->d_constants)
    return hs_error_set(err, HS_ERR_UNSUPPORTED, "an implicit time step of a system that was made without storage");
  if (source) status = base_renew(state, err);
  if (status) return status;
  return hs_cuda_check(hs_kernel_step(&state->device, state->single, hs_cuda_origin(state, state->now),
                                      source ? hs_cuda_field_origin(state, state->d_base) : NULL,
                                      hs_cuda_field_origin(state, state->d_constants), trapezoid, state->stream),
                       "beginning a time step", err);
}

/* --- relaxation and updates ------------------------------------------------------------------ */

/* Passes take over changed stencils. Graphs hold their plan; without passes before and after they stay as they are. */
static hs_status pass_renew(struct hs_cuda_state *state, struct hs_error *err)
{
  const bool was_stale = state->pass.stale;
  const hs_status status = state->pass.renew(state, err);
  if (!was_stale || !state->pass.stale) hs_cuda_graphs_drop(state);
  return status;
}

hs_status hs_cuda_relax(struct hs_backend_state *backend, const struct hs_relaxation *relaxation, struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  state->form = relaxation->form;
  state->device.relaxed = state->form != HS_FORM_JACOBI || state->d_constants;
  state->device.general = state->device.relaxed || !state->system->index;
  if (state->pass.renew && state->pass.stale && !state->device.general) {
    const hs_status status = pass_renew(state, err);
    if (status) return status;
  }
  return hs_cuda_check(hs_kernel_relax(state->d_relaxation, *relaxation, state->stream), "choosing the sweep", err);
}

hs_status hs_cuda_update(struct hs_backend_state *backend, const struct hs_system *system, bool weights_changed,
                         struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  hs_status status;
  state->system = system;
  status = stencil_table_upload(state, err);
  main_renew(state);
  if (!status && weights_changed) {
    state->base_stale = true;
    status = tiles_classify(state, err);
  }
  /* while steps store heat, r belongs to the step that has begun */
  if (!status && weights_changed && !state->system->storing) status = hs_cuda_constants_reset(state, err);
  if (!status && state->pass.renew) status = pass_renew(state, err);
  return status;
}

/* --- lifetime -------------------------------------------------------------------------------- */

hs_status hs_cuda_system_create(struct hs_cuda_state *state, struct hs_error *err)
{
  const struct hs_relaxation plain = {.form = HS_FORM_JACOBI, .weight = 1.0};
  hs_status status = main_guess(state->system, &state->main_guess, err);
  if (status) return status;
  main_set(state);
  status = stencil_table_create(state, err);
  if (!status) status = index_create(state, err);
  if (!status) status = tiles_create(state, err);
  if (!status && hs_system_has_constants(state->system)) {
    status = constant_field_create(state, &state->d_constants, err);
    state->device.d_constants = status ? NULL : hs_cuda_field_origin(state, state->d_constants);
  }
  if (!status) status = hs_cuda_array((void **)&state->d_relaxation, sizeof *state->d_relaxation, state, err);
  state->device.d_relaxation = state->d_relaxation;
  return status ? status : hs_cuda_relax(hs_cuda_handle(state), &plain, err);
}

void hs_cuda_system_destroy(struct hs_cuda_state *state)
{
  (void)cudaFree(state->d_relaxation);
  (void)cudaFree(state->d_base);
  (void)cudaFree(state->d_constants);
  (void)cudaFree(state->d_tile_code);
  (void)cudaFree(state->d_stencil_single);
  (void)cudaFree(state->d_stencil);
  (void)cudaFree(state->d_index);
}
