/* cuda-resident: the whole grid on chip, many plain sweeps a launch (kernels/resident/block.cuh). Everything else -
 * relaxed forms, constants of a node's own, stencils for every node, periodic walls - is swept one by one as in
 * cuda-global.
 */
#include <math.h>
#include <stdlib.h>

#include "backend/cost/cost.h"
#include "backend/cuda/resident/plan.h"
#include "backend/cuda/state.h"
#include "base/memory.h"
#include "numerics/node.h"

enum { LONGEST = 200000 }; /* sweeps of a launch: a fraction of a second, so that nobody waits long for the device */

static const char NAME[] = "cuda-resident";

struct resident {
  struct hs_resident_plan plan;
  struct hs_resident_scratch scratch;
};

/* Are there nodes that are neither uniform nor Dirichlet nodes? */
static bool is_mixed(const struct hs_system *system)
{
  for (int e = 0; system->index && e < system->table_size; e++) {
    const struct hs_stencil_f64 *s = &system->stencil[e];
    const bool dirichlet = s->west == 0.0 && s->east == 0.0 && s->south == 0.0 && s->north == 0.0;
    if (!dirichlet && !HS_STENCIL_IS_UNIFORM(*s)) return true;
  }
  return false;
}

/* system: NULL for a grid of one node, which says whether the device has plans at all. */
static cudaError_t plan_for(const struct hs_system *system, bool single, struct hs_resident_plan *plan)
{
  const struct hs_resident_grid one = {.nx = 1, .ny = 1, .single = single};
  struct hs_resident_grid grid;
  if (!system) return hs_resident_plan_make(&one, plan);
  grid = (struct hs_resident_grid){.nx = system->nx, .ny = system->ny, .single = single, .mixed = is_mixed(system)};
  return hs_resident_plan_make(&grid, plan);
}

static cudaError_t resident_enqueue(struct hs_cuda_state *state, int from, int to, int64_t sweeps,
                                    const int32_t *d_halt)
{
  const struct resident *r = state->pass.data;
  const struct hs_resident_work work = {
      .from = hs_cuda_origin(state, from), .to = hs_cuda_origin(state, to), .sweeps = sweeps, .d_halt = d_halt};
  return hs_kernel_resident(&state->device, state->single, &r->plan, &r->scratch, &work, state->stream);
}

static void resident_destroy(struct hs_cuda_state *state)
{
  struct resident *r = state->pass.data;
  if (!r) return;
  (void)cudaFree(r->scratch.exchange);
  (void)cudaFree(r->scratch.flags);
  free(r);
  state->pass.data = NULL;
}

static hs_status scratch_create(struct hs_cuda_state *state, struct hs_error *err)
{
  struct resident *r = state->pass.data;
  hs_status status = hs_cuda_array(&r->scratch.exchange, r->plan.exchange_bytes, state, err);
  if (!status) status = hs_cuda_array((void **)&r->scratch.flags, r->plan.flag_bytes, state, err);
  if (status) return status;
  return hs_cuda_check(cudaMemsetAsync(r->scratch.flags, 0, r->plan.flag_bytes, state->stream),
                       "preparing the resident sweeps", err);
}

static hs_status resident_attach(struct hs_cuda_state *state, struct hs_error *err)
{
  static const char doing[] = "preparing the resident sweeps";
  struct resident *r = NULL;
  hs_status status;
  if (!hs_cuda_has_passes(state->system)) return HS_OK;
  status = hs_array_create((void **)&r, 1, sizeof *r, doing, err);
  if (status) return status;
  state->pass = (struct hs_cuda_pass){.longest = LONGEST,
                                      .shortest = 2,
                                      .multiple = 1,
                                      .largest = state->single ? HS_RESIDENT_LARGEST_F32 : HS_RESIDENT_LARGEST_F64,
                                      .enqueue = resident_enqueue,
                                      .destroy = resident_destroy,
                                      .data = r};
  status = hs_cuda_check(plan_for(state->system, state->single, &r->plan), doing, err);
  if (!status) status = scratch_create(state, err);
  return status ? status : hs_cuda_check(cudaStreamSynchronize(state->stream), doing, err);
}

/* Device memory of struct hs_resident_scratch, where the system makes use of it. */
static double scratch_bytes(const struct hs_system *system, const struct hs_resident_plan *plan)
{
  return hs_cuda_has_passes(system) ? (double)plan->exchange_bytes + (double)plan->flag_bytes : 0.0;
}

static hs_status resident_probe(const struct hs_system *system, const struct hs_backend_options *options,
                                struct hs_error *why)
{
  struct hs_resident_plan plan;
  cudaError_t code;
  hs_status status = hs_cuda_probe(NULL, options, why);
  if (status) return status;
  code = plan_for(system, options->single, &plan);
  (void)cudaGetLastError();
  if (code == cudaErrorNotSupported)
    return hs_error_set(why, HS_ERR_UNSUPPORTED,
                        "resident sweeps need a GPU of compute capability 8.0 or newer; cuda-global runs here");
  if (system && (code == cudaErrorInvalidValue || code == cudaErrorCooperativeLaunchTooLarge)) {
    const int side = hs_resident_side_limit(options->single);
    return hs_error_set(why, HS_ERR_UNSUPPORTED,
                        "%d x %d nodes do not fit on this GPU's chip, which holds up to %d x %d in %s precision; "
                        "use cuda-blocked",
                        system->nx, system->ny, side, side, options->single ? "single" : "double");
  }
  status = hs_cuda_check(code, "asking the device", why);
  if (status || !system) return status;
  return hs_cuda_room_check(system, options, scratch_bytes(system, &plan),
                            hs_resident_stack_bytes(&plan, options->single), why);
}

/* Does the plan decide how long the sweeps take? They must be such that the chip makes them, and not have been
 * measured. */
static bool is_planned(const struct hs_system *system, const struct hs_backend_options *options)
{
  if (!hs_cuda_has_passes(system) || options->form != HS_FORM_JACOBI) return false;
  return isnan(hs_cost_sweep_s(options->tuning, NAME, NAME, system, options)) &&
         isnan(hs_cost_sweep_s(hs_tuning_builtin(), NAME, NAME, system, options));
}

static struct hs_backend_cost resident_cost(const struct hs_system *system, const struct hs_backend_options *options)
{
  struct hs_backend_cost cost = hs_cuda_cost(NAME, HS_CUDA_LIMIT_CHIP, system, options, 5.0e-6, 0.85);
  struct hs_resident_plan plan;
  if (plan_for(system, options->single, &plan) == cudaSuccess) {
    cost.device_bytes += scratch_bytes(system, &plan);
    if (is_planned(system, options)) cost.sweep_s = plan.sweep_s;
  } else {
    (void)cudaGetLastError();
  }
  return cost;
}

static hs_status resident_create(const struct hs_system *system, const struct hs_backend_options *options,
                                 struct hs_backend_state **backend, struct hs_error *err)
{
  hs_status status = hs_cuda_create(system, options, hs_kernel_sweep_global, backend, err);
  if (!status) status = resident_attach(hs_cuda_state(*backend), err);
  if (status) {
    hs_cuda_destroy(*backend);
    *backend = NULL;
  }
  return status;
}

const struct hs_backend hs_backend_cuda_resident = {
    .name = NAME,
    .summary = "the whole grid stays on the chip from sweep to sweep",
    .probe = resident_probe,
    .cost = resident_cost,
    .create = resident_create,
    HS_CUDA_OPERATIONS,
};
