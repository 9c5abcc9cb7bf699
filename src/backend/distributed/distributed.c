/* One grid, several parts: every operation of a backend is that operation on each part, and
 *
 *     sweeps    an exchange of ghost nodes, then as many sweeps as the ghost zone is deep, and so on: each sweep
 *               spoils one layer of ghosts, and own nodes never see a wrong one (redundant computation)
 *     norms     exact sums and maxima of all parts, which have no order (exactsum.h)
 *
 * so that every number and shape of parts gives the bits of one. The stop test is taken by the caller: its interval is
 * long enough for a word from the host.
 */
#include "backend/distributed/distributed.h"

#include <stdio.h>
#include <string.h>

#include "backend/cost/spread.h"
#include "backend/distributed/state.h"

/* Calls something for each part in turn, its device being the present one. */
#define EACH_PART(state, part, status, call)                                                                           \
  for (int part_k_ = 0; !(status) && part_k_ < (state)->part_count; part_k_++) {                                       \
    struct hs_distributed_part *const part = &(state)->parts[part_k_];                                                 \
    (status) = hs_part_enter((state), part, err);                                                                      \
    if (!(status)) (status) = (call);                                                                                  \
  }

/* --- fields ---------------------------------------------------------------------------------- */

static hs_status load(struct hs_distributed_state *state, const double *field_k, bool before, struct hs_error *err)
{
  const struct hs_backend *inner = state->inner;
  hs_status status = HS_OK;
  for (int k = 0; !status && k < state->part_count; k++) {
    struct hs_distributed_part *part = &state->parts[k];
    const double *values = field_k;
    if (part->cut) {
      hs_cut_nodes(state->system, &part->window, false, field_k, sizeof *field_k, state->field_k);
      values = state->field_k;
    }
    status = hs_part_enter(state, part, err);
    if (!status) status = before ? inner->load_before(part->state, values, err) : inner->load(part->state, values, err);
  }
  return status;
}

/* Layers of ghosts that a given field has right: all where it is whole; a rank's window need not have any. */
static int ghosts_given(const struct hs_distributed_state *state)
{
  return hs_comm_size(state->comm) > 1 ? 0 : state->partition.ghost;
}

static hs_status distributed_load(struct hs_backend_state *backend, const double *field_k, struct hs_error *err)
{
  struct hs_distributed_state *state = hs_distributed_state(backend);
  state->right_now = state->right_before = ghosts_given(state);
  return load(state, field_k, false, err);
}

static hs_status distributed_load_before(struct hs_backend_state *backend, const double *field_k, struct hs_error *err)
{
  struct hs_distributed_state *state = hs_distributed_state(backend);
  state->right_before = ghosts_given(state);
  return load(state, field_k, true, err);
}

/* Own nodes of a part of `values` into the whole field. */
static void own_copy(const struct hs_distributed_state *state, const struct hs_distributed_part *part,
                     const double *values, double *field_k)
{
  const size_t nx = (size_t)state->system->nx, width = (size_t)part->window.nx;
  for (int j = part->own.y0; j < part->own.y0 + part->own.ny; j++)
    memcpy(field_k + (size_t)(part->window.y0 + j) * nx + (size_t)(part->window.x0 + part->own.x0),
           values + (size_t)j * width + (size_t)part->own.x0, (size_t)part->own.nx * sizeof *values);
}

static hs_status distributed_fetch_role(struct hs_backend_state *backend, enum hs_field_role role, double *field_k,
                                        struct hs_error *err)
{
  struct hs_distributed_state *state = hs_distributed_state(backend);
  hs_status status = HS_OK;
  if (role == HS_FIELD_NOW && hs_comm_size(state->comm) > 1 && state->right_now < 1)
    status = hs_distributed_exchange(state, 1, err); /* answers read the nodes next to own ones */
  for (int k = 0; !status && k < state->part_count; k++) {
    struct hs_distributed_part *part = &state->parts[k];
    double *const values = part->cut ? state->field_k : field_k;
    status = hs_part_enter(state, part, err);
    if (!status) status = state->inner->fetch_role(part->state, role, values, err);
    if (!status && part->cut) own_copy(state, part, values, field_k);
  }
  return status;
}

static hs_status distributed_fetch(struct hs_backend_state *backend, double *field_k, struct hs_error *err)
{
  return distributed_fetch_role(backend, HS_FIELD_NOW, field_k, err);
}

static hs_status distributed_save(struct hs_backend_state *backend, struct hs_error *err)
{
  struct hs_distributed_state *state = hs_distributed_state(backend);
  hs_status status = HS_OK;
  EACH_PART(state, part, status, state->inner->save(part->state, err))
  state->right_saved = state->right_now;
  return status;
}

static hs_status distributed_restore(struct hs_backend_state *backend, struct hs_error *err)
{
  struct hs_distributed_state *state = hs_distributed_state(backend);
  hs_status status = HS_OK;
  EACH_PART(state, part, status, state->inner->restore(part->state, err))
  state->right_now = state->right_saved;
  state->right_before = 0;
  return status;
}

/* --- sweeps ---------------------------------------------------------------------------------- */

static hs_status distributed_relax(struct hs_backend_state *backend, const struct hs_relaxation *relaxation,
                                   struct hs_error *err)
{
  struct hs_distributed_state *state = hs_distributed_state(backend);
  hs_status status = HS_OK;
  state->relaxation = *relaxation;
  EACH_PART(state, part, status, state->inner->relax(part->state, relaxation, err))
  for (int k = 0; !status && k < state->strip_count; k++)
    status = state->inner->relax(state->strips[k].state, relaxation, err);
  return status;
}

static hs_status distributed_update(struct hs_backend_state *backend, const struct hs_system *system,
                                    bool weights_changed, struct hs_error *err)
{
  struct hs_distributed_state *state = hs_distributed_state(backend);
  hs_status status = HS_OK;
  state->system = system;
  for (int k = 0; !status && k < state->part_count; k++)
    status = hs_distributed_part_update(state, &state->parts[k], weights_changed, err);
  for (int k = 0; !status && k < state->strip_count; k++)
    status = hs_distributed_part_update(state, &state->strips[k], weights_changed, err);
  return status;
}

/* The right-hand side of ghosts is needed as deep as the sweeps of the step go. */
static hs_status distributed_step(struct hs_backend_state *backend, bool trapezoid, struct hs_error *err)
{
  struct hs_distributed_state *state = hs_distributed_state(backend);
  hs_status status = HS_OK;
  if (state->right_now < state->partition.ghost) status = hs_distributed_exchange(state, 1, err);
  EACH_PART(state, part, status, state->inner->step(part->state, trapezoid, err))
  return status;
}

static hs_status distributed_sweep(struct hs_backend_state *backend, int64_t n, struct hs_error *err)
{
  struct hs_distributed_state *state = hs_distributed_state(backend);
  hs_status status = HS_OK;
  if (hs_partition_parts(&state->partition) == 1) return state->inner->sweep(state->parts[0].state, n, err);
  while (!status && n > 0) {
    const int together = hs_distributed_together(state, n);
    status = hs_distributed_pass(state, together, together == n, err);
    n -= together;
  }
  return status ? status : hs_distributed_wait(state, err);
}

static hs_status distributed_norms(struct hs_backend_state *backend, const struct hs_bounds *bounds,
                                   struct hs_norms *norms, struct hs_error *err)
{
  return hs_distributed_norms(hs_distributed_state(backend), bounds, true, norms, err);
}

static hs_status distributed_sweep_normed(struct hs_backend_state *backend, int64_t n, const struct hs_bounds *bounds,
                                          struct hs_norms *norms, struct hs_error *err)
{
  hs_status status = HS_OK;
  for (int64_t k = 0; !status && k < n; k++) {
    status = distributed_sweep(backend, 1, err);
    if (!status) status = hs_distributed_norms(hs_distributed_state(backend), bounds, false, &norms[k], err);
  }
  return status;
}

/* --- what is asked beforehand ---------------------------------------------------------------- */

/* A system of the size of the largest part, for questions about time and memory. */
static struct hs_system part_system(const struct hs_system *system, const struct hs_partition *partition)
{
  struct hs_system part = *system;
  if (hs_partition_parts(partition) == 1 || partition->grid_nx != system->nx || partition->grid_ny != system->ny)
    return part; /* one part, or this rank's window already */
  part.nx = part.ny = 0;
  for (int k = 0; k < hs_partition_parts(partition); k++) {
    const struct hs_rectangle window = hs_partition_window(partition, k);
    if (window.nx > part.nx) part.nx = window.nx;
    if (window.ny > part.ny) part.ny = window.ny;
  }
  if (partition->count_x > 1) part.wrap_x = -1;
  if (partition->count_y > 1) part.wrap_y = -1;
  return part;
}

static hs_status distributed_probe(const struct hs_backend *inner, const struct hs_system *system,
                                   const struct hs_backend_options *options, struct hs_error *why)
{
  struct hs_partition partition;
  struct hs_system part;
  if (!system) return inner->probe(NULL, options, why);
  partition = hs_distributed_partition(system, options);
  part = part_system(system, &partition);
  return inner->probe(&part, options, why);
}

static struct hs_backend_cost distributed_cost(const struct hs_backend *inner, const struct hs_system *system,
                                               const struct hs_backend_options *options)
{
  const struct hs_partition partition = hs_distributed_partition(system, options);
  const struct hs_system part = part_system(system, &partition);
  const bool ranks = options->spread.subdomain && hs_comm_size(options->spread.subdomain->comm) > 1;
  const struct hs_links links = ranks ? hs_links_ranks() : hs_links_devices();
  const int here = ranks ? 1 : hs_partition_parts(&partition);
  struct hs_backend_cost cost = inner->cost(&part, options);
  hs_spread_add(&partition, &links, options->single, options->form, &cost);
  cost.setup_s *= here;
  cost.test_s *= here;
  cost.host_bytes *= here;
  if (ranks && !options->multigrid && hs_strips_possible(inner, system, options))
    cost.host_bytes += hs_strips_bytes(inner, system, options);
  return cost;
}

static void distributed_place(const struct hs_backend_state *backend, struct hs_backend_place *place)
{
  const struct hs_distributed_state *state = hs_distributed_state(backend);
  const struct hs_partition *p = &state->partition;
  const int ranks = hs_comm_size(state->comm);
  struct hs_backend_place one;
  char by[96] = "";
  state->inner->place(state->parts[0].state, &one);
  *place = one;
  if (state->nccl)
    snprintf(by, sizeof by, ", by NCCL");
  else if (state->nccl_why[0])
    snprintf(by, sizeof by, ", by way of the host (%.60s)", state->nccl_why);
  if (ranks > 1)
    snprintf(place->device, sizeof place->device, "%d ranks, %d x %d%s%s: %.50s", ranks, p->count_x, p->count_y, by,
             state->strip_count > 0 ? ", overlapped" : "", one.device);
  else if (state->part_count > 1)
    snprintf(place->device, sizeof place->device, "%d x %.170s", state->part_count, one.device);
}

/* Those between two exchanges, the same on all ranks, whose machines may differ. */
static int distributed_sweeps_per_call(const struct hs_backend_state *backend)
{
  const struct hs_distributed_state *state = hs_distributed_state(backend);
  const struct hs_distributed_part *part = &state->parts[0];
  if (state->partition.ghost > 0) return hs_spread_sweeps(state->partition.ghost);
  return state->inner->sweeps_per_call ? state->inner->sweeps_per_call(part->state) : 1;
}

/* --- the table ------------------------------------------------------------------------------- */

/* The distributed form of a backend: what is asked before there is a state needs to know which one it is. */
#define DISTRIBUTED(name_, text_, least_s_)                                                                            \
  static hs_status name_##_probe(const struct hs_system *system, const struct hs_backend_options *options,             \
                                 struct hs_error *why)                                                                 \
  {                                                                                                                    \
    return distributed_probe(&hs_backend_##name_, system, options, why);                                               \
  }                                                                                                                    \
  static struct hs_backend_cost name_##_cost(const struct hs_system *system, const struct hs_backend_options *options) \
  {                                                                                                                    \
    return distributed_cost(&hs_backend_##name_, system, options);                                                     \
  }                                                                                                                    \
  static hs_status name_##_create(const struct hs_system *system, const struct hs_backend_options *options,            \
                                  struct hs_backend_state **state, struct hs_error *err)                               \
  {                                                                                                                    \
    return hs_distributed_create(&hs_backend_##name_, system, options, state, err);                                    \
  }                                                                                                                    \
  static const struct hs_backend distributed_##name_ = {                                                               \
      .name = text_,                                                                                                   \
      .summary = "the backend of this name on several devices, or ranks",                                              \
      .least_s = least_s_,                                                                                             \
      .probe = name_##_probe,                                                                                          \
      .cost = name_##_cost,                                                                                            \
      .create = name_##_create,                                                                                        \
      .place = distributed_place,                                                                                      \
      .sweeps_per_call = distributed_sweeps_per_call,                                                                  \
      .load = distributed_load,                                                                                        \
      .relax = distributed_relax,                                                                                      \
      .update = distributed_update,                                                                                    \
      .step = distributed_step,                                                                                        \
      .sweep = distributed_sweep,                                                                                      \
      .sweep_normed = distributed_sweep_normed,                                                                        \
      .norms = distributed_norms,                                                                                      \
      .save = distributed_save,                                                                                        \
      .restore = distributed_restore,                                                                                  \
      .distance = hs_distributed_distance,                                                                             \
      .largest = hs_distributed_largest,                                                                               \
      .fetch = distributed_fetch,                                                                                      \
      .fetch_role = distributed_fetch_role,                                                                            \
      .load_before = distributed_load_before,                                                                          \
      .destroy = hs_distributed_destroy,                                                                               \
      .linear = &hs_distributed_linear_##name_,                                                                        \
  };

DISTRIBUTED(reference, "cpu-reference", 0.0)
DISTRIBUTED(cpu, "cpu", 0.0)
DISTRIBUTED(cuda_global, "cuda-global", 0.3)
DISTRIBUTED(cuda_shared, "cuda-shared", 0.3)
DISTRIBUTED(cuda_resident, "cuda-resident", 0.3)
DISTRIBUTED(cuda_blocked, "cuda-blocked", 0.3)

static const struct hs_backend *const backends[] = {
    &distributed_reference,
    &distributed_cpu,
    &distributed_cuda_global,
    &distributed_cuda_shared,
    &distributed_cuda_resident,
    &distributed_cuda_blocked,
    NULL,
};

const struct hs_backend *const *hs_distributed_list(void)
{
  return backends;
}

const struct hs_backend *const *hs_distributed_device_list(void)
{
  static const struct hs_backend *const list[] = {
      &hs_backend_reference,
      &hs_backend_cpu,
      &distributed_cuda_global,
      &distributed_cuda_shared,
      &distributed_cuda_resident,
      &distributed_cuda_blocked,
      NULL,
  };
  return list;
}

const struct hs_backend *hs_distributed_of(const struct hs_backend *backend)
{
  for (int k = 0; backends[k]; k++)
    if (!strcmp(backends[k]->name, backend->name)) return backends[k];
  return NULL;
}
