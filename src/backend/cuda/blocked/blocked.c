/* cuda-blocked: up to 32 plain sweeps in one pass over device memory (kernels/blocked/sweep.cuh). What passes cannot
 * take (relaxed forms, constants of the nodes' own, a stencil for every node, periodic walls) is swept one by one as in
 * cuda-global.
 */
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/blocked/plan.h"
#include "backend/cuda/state.h"
#include "base/memory.h"

/* The plan on the host and on the device. */
struct blocked {
  struct hs_blocked_layout layout;
  struct hs_blocked_plan plan;
  void *d_strip, *d_item, *d_first, *d_row, *d_kind, *d_table;
  int64_t table_bytes;
  bool crowded; /* the device has too little memory for the table */
};

static cudaError_t blocked_enqueue(struct hs_cuda_state *state, int from, int to, int64_t sweeps, const int32_t *d_halt)
{
  const struct blocked *blocked = state->pass.data;
  return hs_kernel_blocked(&state->device, state->single, &blocked->plan, hs_cuda_origin(state, from),
                           hs_cuda_origin(state, to), (int)sweeps, d_halt, state->stream);
}

static hs_status array_upload(struct hs_cuda_state *state, void **array, const void *from, size_t bytes,
                              struct hs_error *err)
{
  hs_status status = HS_OK;
  if (!*array) status = hs_cuda_array(array, bytes, state, err);
  if (status) return status;
  return hs_cuda_check(cudaMemcpyAsync(*array, from, bytes, cudaMemcpyHostToDevice, state->stream),
                       "copying the plan of the sweeps", err);
}

/* Uploads what depends on the stencils: descriptors, items, kinds, table. */
static hs_status stencils_upload(struct hs_cuda_state *state, struct hs_error *err)
{
  struct blocked *b = state->pass.data;
  const size_t rows = (size_t)b->layout.strips * (size_t)state->system->ny;
  hs_status status = array_upload(state, &b->d_row, b->layout.row, rows * sizeof *b->layout.row, err);
  const struct hs_blocked_layout *l = &b->layout;
  const size_t items = (size_t)l->first[l->blocks];
  if (!status) status = array_upload(state, &b->d_item, l->item, items * sizeof *l->item, err);
  if (!status) status = array_upload(state, &b->d_kind, l->kind, (size_t)l->kinds * sizeof *l->kind, err);
  if (b->table_bytes != l->table_bytes) { /* other kinds have weights than before */
    (void)cudaFree(b->d_table);
    b->d_table = NULL;
  }
  b->crowded = false;
  if (!status) {
    status = array_upload(state, &b->d_table, l->table, (size_t)l->table_bytes, err);
    b->crowded = status && !b->d_table;
  }
  b->table_bytes = l->table_bytes;
  b->plan.d_table = b->d_table;
  return status;
}

/* While sweeps are general there are no passes, and the plan may be stale. A table that has become too large, for the
 * plan or for the device, ends passes as well; sweeps then are made one by one. */
static hs_status blocked_renew(struct hs_cuda_state *state, struct hs_error *err)
{
  struct blocked *b = state->pass.data;
  state->pass.stale = state->device.general;
  if (state->pass.stale) return HS_OK;
  hs_status status = hs_blocked_layout_renew(state->system, &b->layout, err);
  state->pass.stale = status == HS_ERR_UNSUPPORTED;
  if (state->pass.stale) return HS_OK;
  if (!status) status = stencils_upload(state, err);
  state->pass.stale = status && b->crowded;
  return state->pass.stale ? HS_OK : status;
}

static void blocked_destroy(struct hs_cuda_state *state)
{
  struct blocked *b = state->pass.data;
  if (!b) return;
  (void)cudaFree(b->d_table);
  (void)cudaFree(b->d_kind);
  (void)cudaFree(b->d_row);
  (void)cudaFree(b->d_first);
  (void)cudaFree(b->d_item);
  (void)cudaFree(b->d_strip);
  hs_blocked_layout_clear(&b->layout);
  free(b);
  state->pass.data = NULL;
}

static hs_status plan_upload(struct hs_cuda_state *state, struct hs_error *err)
{
  struct blocked *b = state->pass.data;
  const struct hs_blocked_layout *l = &b->layout;
  hs_status status = stencils_upload(state, err);
  if (!status) status = array_upload(state, &b->d_strip, l->strip, (size_t)l->strips * sizeof *l->strip, err);
  if (!status) status = array_upload(state, &b->d_first, l->first, ((size_t)l->blocks + 1) * sizeof *l->first, err);
  b->plan = (struct hs_blocked_plan){.blocks = l->blocks,
                                     .shared_bytes = b->plan.shared_bytes,
                                     .d_strip = b->d_strip,
                                     .d_item = b->d_item,
                                     .d_first = b->d_first,
                                     .d_row = b->d_row,
                                     .d_kind = b->d_kind,
                                     .d_table = b->d_table};
  return status;
}

hs_status hs_cuda_blocked_attach(struct hs_cuda_state *state, struct hs_error *err)
{
  static const char doing[] = "preparing the blocked sweeps";
  struct blocked *b = NULL;
  int blocks = 0, shared = 0;
  hs_status status;
  if (!hs_cuda_has_passes(state->system)) return HS_OK;
  status = hs_cuda_check(hs_kernel_blocked_prepare(state->single, &blocks, &shared), doing, err);
  if (status || blocks == 0) return status;
  status = hs_array_create((void **)&b, 1, sizeof *b, doing, err);
  if (status) return status;
  state->pass =
      (struct hs_cuda_pass){.longest = HS_BLOCKED_STAGES,
                            .shortest = 2 * HS_BLOCKED_WARP_STAGES, /* measured: shorter ones do not pay */
                            .multiple = HS_BLOCKED_WARP_STAGES,     /* stages of a warp cannot be skipped singly */
                            .largest = state->single ? HS_BLOCKED_LARGEST_F32 : HS_BLOCKED_LARGEST_F64,
                            .enqueue = blocked_enqueue,
                            .renew = blocked_renew,
                            .destroy = blocked_destroy,
                            .data = b};
  b->plan.shared_bytes = shared;
  status = hs_blocked_layout_create(state->system, state->single, blocks, &b->layout, err);
  if (!status) status = plan_upload(state, err);
  return status ? status : hs_cuda_check(cudaStreamSynchronize(state->stream), doing, err);
}

hs_status hs_cuda_blocked_size(const struct hs_system *system, bool single, struct hs_blocked_size *size,
                               struct hs_error *err)
{
  int blocks = 0, shared = 0;
  hs_status status;
  *size = (struct hs_blocked_size){0.0, 0.0};
  if (!hs_cuda_has_passes(system)) return HS_OK;
  status = hs_cuda_check(hs_kernel_blocked_prepare(single, &blocks, &shared), "asking the device", err);
  return status ? status : hs_blocked_layout_measure(system, single, blocks, size, err);
}

/* Blocked sweeps need what compute capability 8.0 brought, and a large shared memory. */
static hs_status blocked_probe(const struct hs_system *system, const struct hs_backend_options *options,
                               struct hs_error *why)
{
  struct hs_blocked_size size;
  int blocks = 0, shared = 0;
  hs_status status = hs_cuda_probe(NULL, options, why);
  if (!status)
    status = hs_cuda_check(hs_kernel_blocked_prepare(options->single, &blocks, &shared), "asking the device", why);
  if (status) return status;
  if (blocks == 0)
    return hs_error_set(why, HS_ERR_UNSUPPORTED,
                        "blocked sweeps need a GPU of compute capability 8.0 or newer whose blocks have 96 KB of "
                        "shared memory (from 9.0 on 188 KB); cuda-global runs here");
  if (!system) return HS_OK;
  status = hs_cuda_blocked_size(system, options->single, &size, why);
  return status ? status : hs_cuda_room_check(system, options, size.device_bytes, 0.0, why);
}

static struct hs_backend_cost blocked_cost(const struct hs_system *system, const struct hs_backend_options *options)
{
  struct hs_backend_cost cost = hs_cuda_cost("cuda-blocked", HS_CUDA_LIMIT_MEMORY, system, options, 5.0e-6, 0.85);
  struct hs_blocked_size size;
  if (hs_cuda_blocked_size(system, options->single, &size, NULL)) return cost;
  cost.device_bytes += size.device_bytes;
  cost.host_bytes += size.host_bytes;
  return cost;
}

static hs_status blocked_create(const struct hs_system *system, const struct hs_backend_options *options,
                                struct hs_backend_state **backend, struct hs_error *err)
{
  hs_status status = hs_cuda_create(system, options, hs_kernel_sweep_global, backend, err);
  if (!status) status = hs_cuda_blocked_attach(hs_cuda_state(*backend), err);
  if (status) {
    hs_cuda_destroy(*backend);
    *backend = NULL;
  }
  return status;
}

const struct hs_backend hs_backend_cuda_blocked = {
    .name = "cuda-blocked",
    .summary = "many sweeps in each pass over the GPU's memory",
    .probe = blocked_probe,
    .cost = blocked_cost,
    .create = blocked_create,
    HS_CUDA_OPERATIONS,
};
