/* Strips: the nodes along the edges of a rank's part as small parts of their own, which are swept first, so that what other
 * ranks need can be sent while the part itself is swept.
 *
 *      ghosts | sent | redundant        A strip has the ghosts, what is sent, and as many further nodes as sweeps
 *     .-------+------+----------.       between two exchanges spoil from its inner edge.
 *     |       |      |          | ...
 */
#include <stdlib.h>

#include "backend/cost/spread.h"
#include "backend/distributed/distributed.h"
#include "backend/distributed/state.h"
#include "base/memory.h"

/* The strip at a side (west, east, south, north) of a part's window; false: no other part lies there. */
static bool strip_at(const struct hs_partition *p, int part, int side, int sweeps, struct hs_rectangle *strip)
{
  const struct hs_rectangle window = hs_partition_window(p, part), own = hs_partition_own(p, part);
  const int west = own.x0 - window.x0, east = window.nx - west - own.nx;
  const int south = own.y0 - window.y0, north = window.ny - south - own.ny;
  const int ghosts[] = {west, east, south, north};
  const bool twice =
      side < 2 ? p->period_x % p->grid_nx : p->period_y % p->grid_ny; /* opposite walls are the same nodes */
  const int depth = ghosts[side] + p->ghost + sweeps + twice;
  *strip = (struct hs_rectangle){0, 0, window.nx, window.ny};
  if (side < 2) strip->nx = depth < window.nx ? depth : window.nx;
  if (side == 1) strip->x0 = window.nx - strip->nx;
  if (side > 1) strip->ny = depth < window.ny ? depth : window.ny;
  if (side == 3) strip->y0 = window.ny - strip->ny;
  return ghosts[side] > 0;
}

/* Nodes of all strips. Strips that are most of the part would make more work than they save: 0 unless `always`. */
static double nodes_of(const struct hs_partition *p, int part, int sweeps, bool always)
{
  const struct hs_rectangle window = hs_partition_window(p, part);
  struct hs_rectangle strip;
  double nodes = 0.0;
  for (int side = 0; side < HS_STRIPS_MOST; side++)
    if (strip_at(p, part, side, sweeps, &strip)) nodes += (double)strip.nx * strip.ny;
  return nodes <= 0.5 * window.nx * window.ny || always ? nodes : 0.0;
}

double hs_distributed_strip_nodes(const struct hs_partition *partition, int part)
{
  return nodes_of(partition, part, hs_spread_sweeps(partition->ghost), false);
}

/* Of a node: its law, or which one it is, its source, and the memory by which fields go. */
double hs_distributed_strip_node_bytes(const struct hs_system *s)
{
  const double law = sizeof *s->law + sizeof *s->stencil + sizeof *s->stencil_single;
  return (s->index ? sizeof *s->index : law) + (s->source_w_m ? sizeof *s->source_w_m : 0) + 2.0 * sizeof(double);
}

/* Implicit time steps have a right-hand side of their own, which strips lack. Between GPUs nothing is tried: it has not been
 * measured there. */
bool hs_strips_possible(const struct hs_backend *inner, const struct hs_system *system,
                        const struct hs_backend_options *options)
{
  const int asked = options->testing.overlap;
  return !system->storing && (asked > 0 || (asked == 0 && !inner->part->device_use));
}

double hs_strips_bytes(const struct hs_backend *inner, const struct hs_system *system,
                       const struct hs_backend_options *options)
{
  const struct hs_subdomain *ranks = options->spread.subdomain;
  const struct hs_partition *p = &ranks->partition;
  const int sweeps = hs_spread_sweeps(p->ghost);
  double bytes = 0.0;
  if (nodes_of(p, ranks->part, sweeps, options->testing.overlap > 0) == 0.0) return 0.0;
  for (int side = 0; side < HS_STRIPS_MOST; side++) {
    struct hs_rectangle strip;
    struct hs_system system_of = *system;
    if (!strip_at(p, ranks->part, side, sweeps, &strip)) continue;
    system_of.nx = strip.nx;
    system_of.ny = strip.ny;
    bytes +=
        inner->cost(&system_of, options).host_bytes + hs_distributed_strip_node_bytes(system) * strip.nx * strip.ny;
  }
  return bytes;
}

/* Its constants follow from its sources; its fields come from the part, before each pass. */
static hs_status constants_make(const struct hs_distributed_state *state, const struct hs_distributed_part *strip,
                                struct hs_error *err)
{
  double *zeros = NULL;
  hs_status status = hs_array_create((void **)&zeros, (size_t)strip->window.nx * (size_t)strip->window.ny,
                                     sizeof *zeros, "the edge of a part", err);
  if (!status) status = state->inner->load(strip->state, zeros, err);
  free(zeros);
  return status;
}

static hs_status strip_create(struct hs_distributed_state *state, const struct hs_rectangle *window,
                              struct hs_error *err)
{
  const struct hs_distributed_part *part = &state->parts[0];
  struct hs_distributed_part *strip = &state->strips[state->strip_count++];
  hs_status status;
  *strip = (struct hs_distributed_part){.device = part->device, .window = *window};
  strip->own = (struct hs_rectangle){0, 0, window->nx, window->ny};
  status = hs_cut_create(state->system, &strip->window, &strip->own, false, NULL, &strip->cut, err);
  if (!status) status = hs_part_enter(state, strip, err);
  if (!status) status = state->inner->create(strip->cut, &state->options, &strip->state, err);
  if (!status) status = constants_make(state, strip, err);
  return status ? status : state->inner->relax(strip->state, &state->relaxation, err);
}

/* Is this block of the window in a strip, and away from where the strip was cut? */
static bool right_in(const struct hs_distributed_state *state, const struct hs_rectangle *strip,
                     const struct hs_rectangle *block, int sweeps)
{
  const struct hs_rectangle *window = &state->parts[0].window, *own = &state->parts[0].own;
  const bool west = strip->x0 > 0 || own->x0 > 0, south = strip->y0 > 0 || own->y0 > 0;
  const bool east = strip->x0 + strip->nx < window->nx || own->x0 + own->nx < window->nx;
  const bool north = strip->y0 + strip->ny < window->ny || own->y0 + own->ny < window->ny;
  return block->x0 >= strip->x0 + (west ? sweeps : 0) && block->y0 >= strip->y0 + (south ? sweeps : 0) &&
         block->x0 + block->nx <= strip->x0 + strip->nx - (east ? sweeps : 0) &&
         block->y0 + block->ny <= strip->y0 + strip->ny - (north ? sweeps : 0);
}

/* Each block that is sent gets its strip. */
static hs_status senders_find(struct hs_distributed_state *state, int sweeps, struct hs_error *err)
{
  for (int k = 0; k < state->sent.count; k++) {
    struct hs_crossing *c = &state->sent.list[k];
    c->strip = 0;
    while (c->strip < state->strip_count &&
           !right_in(state, &state->strips[c->strip].window, &c->transfer.source, sweeps))
      c->strip++;
    if (c->strip == state->strip_count)
      return hs_error_set(err, HS_ERR_INTERNAL, "no strip has the nodes that rank %d gets", c->transfer.to);
  }
  return HS_OK;
}

/* For what goes between the part and its strips by way of the host. */
static hs_status room_create(struct hs_distributed_state *state, struct hs_error *err)
{
  size_t nodes = 0;
  if (state->inner->part->block_copy) return HS_OK;
  for (int k = 0; k < state->strip_count; k++) {
    const size_t here = (size_t)state->strips[k].window.nx * (size_t)state->strips[k].window.ny;
    if (here > nodes) nodes = here;
  }
  return hs_array_create(&state->strip_room, nodes, state->element, "the edge of a part", err);
}

hs_status hs_strips_create(struct hs_distributed_state *state, int sweeps, struct hs_error *err)
{
  struct hs_error why = {0};
  const int part = state->parts[0].number;
  const double bytes = hs_strips_bytes(state->inner, state->system, &state->options);
  bool none = nodes_of(&state->partition, part, sweeps, state->options.testing.overlap > 0) == 0.0 ||
              hs_memory_check(hs_comm_local_size(state->comm) * bytes, "the edges of parts", &why);
  hs_status status = hs_comm_any(state->comm, &none, 1, err), made = HS_OK;
  if (status || none) return status;
  for (int side = 0; !made && side < HS_STRIPS_MOST; side++) {
    struct hs_rectangle window;
    if (strip_at(&state->partition, part, side, sweeps, &window)) made = strip_create(state, &window, &why);
  }
  if (!made) made = senders_find(state, sweeps, &why);
  if (!made) made = room_create(state, &why);
  none = made != HS_OK;
  status = hs_comm_any(state->comm, &none, 1, err);
  if (status || none) hs_strips_destroy(state);
  return status;
}

void hs_strips_destroy(struct hs_distributed_state *state)
{
  for (int k = 0; k < state->strip_count; k++) {
    (void)hs_part_enter(state, &state->strips[k], NULL);
    state->inner->destroy(state->strips[k].state);
    hs_system_destroy(state->strips[k].cut);
  }
  free(state->strip_room);
  state->strip_room = NULL;
  state->strip_count = 0;
}

/* By way of the host. */
static hs_status strip_put(struct hs_distributed_state *state, const struct hs_distributed_part *strip,
                           enum hs_field_role role, struct hs_error *err)
{
  const struct hs_part_operations *operations = state->inner->part;
  const struct hs_rectangle all = {0, 0, strip->window.nx, strip->window.ny};
  hs_status status = operations->block_get(state->parts[0].state, role, &strip->window, state->strip_room, err);
  return status ? status : operations->block_put(strip->state, role, &all, state->strip_room, err);
}

hs_status hs_strips_load(struct hs_distributed_state *state, int fields, struct hs_error *err)
{
  const struct hs_part_operations *operations = state->inner->part;
  struct hs_backend_state *from = state->parts[0].state;
  hs_status status = hs_part_enter(state, &state->parts[0], err);
  if (!status && operations->block_copy) status = operations->ready(from, err);
  for (int k = 0; !status && k < state->strip_count * fields; k++) {
    const struct hs_distributed_part *strip = &state->strips[k / fields];
    const enum hs_field_role role = k % fields == fields - 1 ? HS_FIELD_NOW : HS_FIELD_BEFORE;
    const struct hs_rectangle all = {0, 0, strip->window.nx, strip->window.ny};
    status = operations->block_copy
                 ? operations->block_copy(strip->state, role, &all, from, strip->window.x0, strip->window.y0, err)
                 : strip_put(state, strip, role, err);
  }
  return status;
}
