/* The parts of a distributed state: how the grid is cut, and a state of the inner backend for each part. */
#include <limits.h>
#include <stdlib.h>

#include "backend/cost/spread.h"
#include "backend/distributed/distributed.h"
#include "backend/distributed/state.h"
#include "base/memory.h"

struct hs_partition hs_distributed_whole(const struct hs_system *system)
{
  struct hs_partition whole = hs_partition_whole(system->nx, system->ny, false, false, false);
  if (system->wrap_x >= 0) whole.period_x = system->nx - system->wrap_x;
  if (system->wrap_y >= 0) whole.period_y = system->ny - system->wrap_y;
  return whole;
}

struct hs_partition hs_distributed_partition(const struct hs_system *system, const struct hs_backend_options *options)
{
  const struct hs_partition_costs costs = hs_spread_device_costs(options->single);
  struct hs_partition p = hs_distributed_whole(system);
  if (options->spread.subdomain && hs_comm_size(options->spread.subdomain->comm) > 1)
    return options->spread.subdomain->partition;
  if (options->testing.parts.count_x > 0) {
    p.count_x = options->testing.parts.count_x;
    p.count_y = options->testing.parts.count_y;
    p.ghost = options->testing.parts.ghost;
    return p;
  }
  return hs_partition_choose(&p, options->spread.device_count, 1, &costs);
}

/* A state for one part; windows are counted from the first node of the given system. */
static hs_status part_create(struct hs_distributed_state *state, const struct hs_backend_options *options, int k,
                             struct hs_error *err)
{
  struct hs_distributed_part *part = &state->parts[k];
  const struct hs_system *system = state->system;
  hs_status status;
  part->window = hs_partition_window(&state->partition, part->number);
  part->own = hs_partition_own(&state->partition, part->number);
  part->own.x0 -= part->window.x0;
  part->own.y0 -= part->window.y0;
  if (state->part_count == 1) part->window.x0 = part->window.y0 = 0;
  part->device = k < options->spread.device_count ? options->spread.devices[k] : 0;
  if (state->part_count > 1) {
    status = hs_cut_create(state->system, &part->window, &part->own, false, NULL, &part->cut, err);
    if (status) return status;
    system = part->cut;
  }
  status = hs_part_enter(state, part, err);
  for (int other = 0; !status && state->inner->part->device_link && other < options->spread.device_count; other++)
    if (options->spread.devices[other] != part->device) state->inner->part->device_link(options->spread.devices[other]);
  return status ? status : state->inner->create(system, options, &part->state, err);
}

/* Room for the field of any part. */
static hs_status field_create(struct hs_distributed_state *state, struct hs_error *err)
{
  size_t nodes = 0;
  if (state->part_count == 1) return HS_OK;
  for (int k = 0; k < state->part_count; k++) {
    const struct hs_rectangle *window = &state->parts[k].window;
    const size_t here = (size_t)window->nx * (size_t)window->ny;
    if (here > nodes) nodes = here;
  }
  return hs_array_create((void **)&state->field_k, nodes, sizeof *state->field_k, "the field of a part", err);
}

/* What a rank does for itself. */
static hs_status create_here(const struct hs_backend *inner, const struct hs_system *system,
                             const struct hs_backend_options *options, bool several,
                             struct hs_distributed_state **state, struct hs_error *err)
{
  const struct hs_subdomain *ranks = options->spread.subdomain;
  struct hs_distributed_state *s;
  hs_status status = hs_array_create((void **)state, 1, sizeof *s, "the parts of the grid", err);
  if (status) return status;
  s = *state;
  s->inner = inner;
  s->system = system;
  s->options = *options;
  s->comm = several ? ranks->comm : hs_comm_alone();
  s->partition = hs_distributed_partition(system, options);
  s->element = options->single ? sizeof(float) : sizeof(double);
  s->part_count = several ? 1 : hs_partition_parts(&s->partition);
  status = hs_array_create((void **)&s->parts, (size_t)s->part_count, sizeof *s->parts, "the parts of the grid", err);
  for (int k = 0; !status && k < s->part_count; k++) {
    s->parts[k].number = several ? ranks->part : k;
    status = part_create(s, options, k, err);
  }
  return status ? status : field_create(s, err);
}

/* The ranks agree after each stage, so that none waits in the next one for a rank that has failed. */
hs_status hs_distributed_create(const struct hs_backend *inner, const struct hs_system *system,
                                const struct hs_backend_options *options, struct hs_backend_state **backend,
                                struct hs_error *err)
{
  const struct hs_subdomain *ranks = options->spread.subdomain;
  const bool several = ranks && hs_comm_size(ranks->comm) > 1;
  struct hs_comm *comm = several ? ranks->comm : hs_comm_alone();
  struct hs_distributed_state *s = NULL;
  hs_status status = hs_comm_agree(comm, create_here(inner, system, options, several, &s, err), err);
  if (!status) status = hs_comm_agree(comm, hs_distributed_exchange_create(s, err), err);
  if (status) {
    hs_distributed_destroy((struct hs_backend_state *)s);
    s = NULL;
  }
  *backend = (struct hs_backend_state *)s;
  return status;
}

/* Where a part has the given system itself, its backend is told of the new one. */
hs_status hs_distributed_part_update(struct hs_distributed_state *state, struct hs_distributed_part *part,
                                     bool weights_changed, struct hs_error *err)
{
  struct hs_system *cut = NULL;
  hs_status status = HS_OK;
  if (part->cut) status = hs_cut_create(state->system, &part->window, &part->own, false, part->cut, &cut, err);
  if (!status) status = hs_part_enter(state, part, err);
  if (!status) status = state->inner->update(part->state, cut ? cut : state->system, weights_changed, err);
  if (!cut) return status;
  hs_system_destroy(part->cut);
  part->cut = cut;
  return status;
}

void hs_distributed_destroy(struct hs_backend_state *backend)
{
  struct hs_distributed_state *state = hs_distributed_state(backend);
  if (!state) return;
  for (int k = 0; state->parts && k < state->part_count; k++) {
    struct hs_distributed_part *part = &state->parts[k];
    (void)hs_part_enter(state, part, NULL);
    state->inner->destroy(part->state);
    hs_system_destroy(part->cut);
    free(part->inward);
  }
  hs_strips_destroy(state);
  hs_distributed_exchange_destroy(state);
  free(state->field_k);
  free(state->parts);
  free(state);
}
