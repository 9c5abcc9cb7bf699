/* Blocks between parts: within a process straight where the backend can do that, else by way of the host; between ranks taken out,
 * sent and put in. */
#include <stdlib.h>

#include "backend/distributed/linear/linear.h"
#include "base/memory.h"

static const char WHAT[] = "what parts give each other";

hs_status hs_parted_enter(const struct hs_parted_team *team, int k, struct hs_error *err)
{
  return team->device_use ? team->device_use(team->devices[k], err) : HS_OK;
}

static bool is_here(const struct hs_parted_team *team, int part)
{
  return part >= team->number && part < team->number + team->count;
}

/* --- making ---------------------------------------------------------------------------------- */

static hs_status inward_add(struct hs_moves *moves, const struct hs_transfer *transfer, struct hs_error *err)
{
  const int count = moves->inward_count;
  if ((count & (count - 1)) == 0) {
    struct hs_transfer *grown = realloc(moves->inward, (size_t)(count ? 2 * count : 1) * sizeof *grown);
    if (!grown) return hs_error_set(err, HS_ERR_MEMORY, "no memory is left for %s", WHAT);
    moves->inward = grown;
  }
  moves->inward[moves->inward_count++] = *transfer;
  return HS_OK;
}

/* What makes up the window of part `to`, as far as this process has to do with it. */
static hs_status window_add(const struct hs_parted_team *team, const struct hs_blocks *from, const struct hs_blocks *to,
                            int part, bool ghosts, struct hs_moves *moves, struct hs_error *err)
{
  struct hs_transfer *transfers;
  int count;
  hs_status status = hs_blocks_transfers(from, to, part, ghosts, &transfers, &count, err);
  for (int k = 0; !status && k < count; k++) {
    const bool here = is_here(team, part), from_here = hs_blocks_whole(from) ? here : is_here(team, transfers[k].from);
    if (here && from_here)
      status = inward_add(moves, &transfers[k], err);
    else if (here)
      status = hs_crossings_add(&moves->received, &transfers[k], err);
    else if (from_here)
      status = hs_crossings_add(&moves->sent, &transfers[k], err);
  }
  free(transfers);
  return status;
}

hs_status hs_moves_create(const struct hs_parted_team *team, const struct hs_blocks *from, const struct hs_blocks *to,
                          bool ghosts, struct hs_moves *moves, struct hs_error *err)
{
  const int ranks = hs_comm_size(team->comm);
  const int windows = hs_blocks_whole(to) ? ranks : to->x.count * to->y.count;
  hs_status status = HS_OK;
  for (int part = 0; !status && part < windows; part++) status = window_add(team, from, to, part, ghosts, moves, err);
  if (!status)
    status = hs_array_create((void **)&moves->messages, (size_t)(moves->sent.count + moves->received.count) + 1,
                             sizeof *moves->messages, WHAT, err);
  return status;
}

static void values_free(struct hs_crossings *crossings)
{
  for (int k = 0; k < crossings->count; k++) {
    free(crossings->list[k].values);
    crossings->list[k].values = NULL;
  }
}

static void buffers_free(struct hs_moves *moves)
{
  values_free(&moves->sent);
  values_free(&moves->received);
  moves->element = 0;
}

void hs_moves_clear(struct hs_moves *moves)
{
  buffers_free(moves);
  free(moves->inward);
  free(moves->sent.list);
  free(moves->received.list);
  free(moves->messages);
  *moves = (struct hs_moves){.inward = NULL};
}

/* --- the memory of blocks -------------------------------------------------------------------- */

static hs_status values_reserve(struct hs_crossings *crossings, size_t element, struct hs_error *err)
{
  hs_status status = HS_OK;
  for (int k = 0; !status && k < crossings->count; k++) {
    struct hs_crossing *c = &crossings->list[k];
    status = hs_array_create(&c->values, hs_block_bytes(&c->transfer.target, element), 1, WHAT, err);
  }
  return status;
}

/* Room for the largest block between parts of this process. */
static hs_status room_reserve(struct hs_parted_team *team, const struct hs_moves *moves, size_t element,
                              struct hs_error *err)
{
  size_t bytes = 0;
  hs_status status;
  for (int k = 0; k < moves->inward_count; k++) {
    const size_t here = hs_block_bytes(&moves->inward[k].target, element);
    if (here > bytes) bytes = here;
  }
  if (team->room_bytes >= bytes) return HS_OK;
  free(team->room);
  team->room = NULL;
  team->room_bytes = 0;
  status = hs_array_create(&team->room, bytes, 1, WHAT, err);
  if (!status) team->room_bytes = bytes;
  return status;
}

/* Room for values of that size on all ranks, or a failure on all of them. by_host: not straight between parts. */
static hs_status buffers_reserve(struct hs_parted_team *team, struct hs_moves *moves, size_t element, bool by_host,
                                 struct hs_error *err)
{
  hs_status status = HS_OK;
  int messages;
  if (moves->element >= element) return HS_OK;
  buffers_free(moves);
  if (by_host) status = room_reserve(team, moves, element, err);
  if (!status) status = values_reserve(&moves->sent, element, err);
  if (!status) status = values_reserve(&moves->received, element, err);
  messages = hs_crossings_messages(&moves->sent, &moves->received, element, moves->messages);
  if (!status) status = hs_comm_exchange_reserve(team->comm, moves->messages, messages, err);
  status = hs_comm_agree(team->comm, status, err);
  if (!status) moves->element = element;
  return status;
}

/* --- moving ---------------------------------------------------------------------------------- */

static size_t element_of(const struct hs_carrier *carrier)
{
  if (carrier->element > 0) return carrier->element;
  if (!carrier->v) return 5 * sizeof(double);
  return carrier->single ? sizeof(float) : sizeof(double);
}

static hs_status block_get(const struct hs_parted_team *team, const struct hs_carrier *from, int k,
                           const struct hs_rectangle *block, void *values, struct hs_error *err)
{
  const hs_status status = hs_parted_enter(team, k, err);
  if (status) return status;
  if (from->get) return from->get(from, block, values, err);
  if (from->v) return team->part->block_get(from->op[k], from->v[k], block, values, err);
  return team->part->couplings_get(from->op[k], block, values, err);
}

static hs_status block_put(const struct hs_parted_team *team, const struct hs_carrier *to, int k,
                           const struct hs_rectangle *block, const void *values, struct hs_error *err)
{
  const hs_status status = hs_parted_enter(team, k, err);
  if (status) return status;
  if (to->put) return to->put(to, block, values, err);
  if (to->v) return team->part->block_put(to->op[k], to->v[k], block, values, err);
  return team->part->couplings_put(to->op[k], block, values, err);
}

/* Do blocks between parts of this process go by way of the host? */
static bool goes_by_host(const struct hs_parted_team *team, const struct hs_carrier *from)
{
  return from->get || !(from->v ? team->part->block_copy != NULL : team->part->couplings_copy != NULL);
}

static hs_status move_inward(struct hs_parted_team *team, const struct hs_transfer *t, int from_k, int to_k,
                             const struct hs_carrier *from, const struct hs_carrier *to, struct hs_error *err)
{
  hs_status status;
  if (!goes_by_host(team, from)) {
    const struct hs_rectangle *source = &t->source;
    status = hs_parted_enter(team, to_k, err);
    if (status) return status;
    if (!from->v)
      return team->part->couplings_copy(to->op[to_k], &t->target, from->op[from_k], source->x0, source->y0, err);
    return team->part->block_copy(to->op[to_k], to->v[to_k], &t->target, from->op[from_k], from->v[from_k], source->x0,
                                  source->y0, err);
  }
  status = block_get(team, from, from_k, &t->source, team->room, err);
  return status ? status : block_put(team, to, to_k, &t->target, team->room, err);
}

/* Between ranks, each of which has one part. A rank whose copies have failed (status) sends what it has all the same, so that
 * none waits for it; then either the ranks agree, as while levels are made, or the failure ends the run. */
static hs_status move_crossing(struct hs_parted_team *team, struct hs_moves *moves, const struct hs_carrier *from,
                               const struct hs_carrier *to, hs_status status, struct hs_error *err)
{
  const struct hs_crossings *sent = &moves->sent, *received = &moves->received;
  const int count = hs_crossings_messages(sent, received, element_of(from), moves->messages);
  hs_status carried;
  for (int k = 0; !status && k < sent->count; k++)
    status = block_get(team, from, 0, &sent->list[k].transfer.source, sent->list[k].values, err);
  carried = hs_comm_exchange(team->comm, moves->messages, count, status ? NULL : err);
  if (!status) status = carried;
  for (int k = 0; !status && k < received->count; k++)
    status = block_put(team, to, 0, &received->list[k].transfer.target, received->list[k].values, err);
  if (!from->v) buffers_free(moves);
  return status;
}

/* Which of a carrier's operators has that part. */
static int index_of(const struct hs_parted_team *team, const struct hs_carrier *carrier, int part)
{
  return carrier->count == 1 ? 0 : part - team->number;
}

hs_status hs_moves_run(struct hs_parted_team *team, struct hs_moves *moves, const struct hs_carrier *from,
                       const struct hs_carrier *to, struct hs_error *err)
{
  hs_status status = buffers_reserve(team, moves, element_of(from), goes_by_host(team, from), err);
  if (status) return status;
  for (int k = 0; !status && !from->get && team->part->offer && k < from->count; k++) {
    status = hs_parted_enter(team, k, err);
    if (!status) status = team->part->offer(from->op[k], err);
  }
  for (int k = 0; !status && k < moves->inward_count; k++) {
    const struct hs_transfer *t = &moves->inward[k];
    status = move_inward(team, t, index_of(team, from, t->from), index_of(team, to, t->to), from, to, err);
  }
  if (hs_comm_size(team->comm) > 1) status = move_crossing(team, moves, from, to, status, err);
  for (int k = 0; !status && to->v && k < to->count; k++) {
    status = hs_parted_enter(team, k, err);
    if (!status) status = team->part->wrap(to->op[k], to->v[k], err);
  }
  return status;
}

hs_status hs_parted_renew(struct hs_parted *op, struct hs_parted_vector *v, int wanted, struct hs_error *err)
{
  const struct hs_carrier carrier = {.count = op->count, .op = op->inner, .v = v->inner, .single = v->single};
  hs_status status;
  if (v->right >= wanted) return HS_OK;
  status = hs_moves_run(op->team, &op->ghosts, &carrier, &carrier, err);
  v->right = op->blocks.depth;
  return status;
}
