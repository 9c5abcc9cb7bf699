/* The exchange of ghost nodes.
 *
 * Parts of one process copy blocks from each other, straight where the backend can do that (from one GPU's memory to
 * another's), else by way of the host. Between ranks blocks are taken out, sent and put in. A block holds own nodes of one
 * part, ghost nodes of the other, so that the order of the copies does not matter.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/distributed/state.h"
#include "base/memory.h"

static struct hs_distributed_part *part_of(const struct hs_distributed_state *state, int number)
{
  for (int k = 0; k < state->part_count; k++)
    if (state->parts[k].number == number) return &state->parts[k];
  return NULL;
}

/* --- buffers --------------------------------------------------------------------------------- */

/* Memory for both fields of each block. */
static hs_status crossings_reserve(struct hs_distributed_state *state, struct hs_crossings *crossings,
                                   struct hs_error *err)
{
  hs_status status = HS_OK;
  for (int k = 0; !status && k < crossings->count; k++) {
    struct hs_crossing *c = &crossings->list[k];
    const size_t bytes = 2 * hs_block_bytes(&c->transfer.target, state->element);
    status = state->nccl ? state->inner->part->memory_create(bytes, &c->values, err)
                         : hs_array_create(&c->values, bytes, 1, "ghost nodes", err);
  }
  return status;
}

static const double NCCL_WAIT_S = 60.0; /* for its start */

/* NCCL wants a GPU of its own for each rank. */
static hs_status nccl_create(struct hs_distributed_state *state, struct hs_error *err)
{
  struct {
    char host[64], device[HS_DEVICE_IDENTITY];
  } mine = {.host = ""}, *all = NULL;
  const int ranks = hs_comm_size(state->comm);
  bool alone = true;
  hs_status status = hs_array_create((void **)&all, (size_t)ranks, sizeof *all, "the devices of all ranks", err);
  if (!status) status = hs_part_enter(state, &state->parts[0], err);
  status = hs_comm_agree(state->comm, status, err);
  if (!status) {
    (void)gethostname(mine.host, sizeof mine.host - 1);
    state->inner->part->device_identity(mine.device);
    status = hs_comm_gather(state->comm, &mine, sizeof mine, all, err);
  }
  for (int k = 0; !status && k < ranks; k++)
    if (k != hs_comm_rank(state->comm) && !memcmp(&all[k], &mine, sizeof mine)) alone = false;
  free(all);
  return status ? status : hs_nccl_create(state->comm, alone, NCCL_WAIT_S, &state->nccl, state->nccl_why, err);
}

/* What part `to` gets from this process, where it belongs to another one. */
static hs_status sent_find(struct hs_distributed_state *state, int to, struct hs_error *err)
{
  struct hs_transfer *transfers;
  int count;
  hs_status status = hs_halo_find(&state->partition, to, &transfers, &count, err);
  for (int k = 0; !status && k < count; k++)
    if (part_of(state, transfers[k].from)) status = hs_crossings_add(&state->sent, &transfers[k], err);
  free(transfers);
  return status;
}

/* Which transfers to this part stay in the process, and which come from other ranks. */
static hs_status inward_find(struct hs_distributed_state *state, struct hs_distributed_part *part, size_t *largest,
                             struct hs_error *err)
{
  int count, kept = 0;
  hs_status status = hs_halo_find(&state->partition, part->number, &part->inward, &count, err);
  for (int k = 0; !status && k < count; k++) {
    const struct hs_transfer transfer = part->inward[k];
    if (part_of(state, transfer.from)) {
      part->inward[kept++] = transfer;
      if (hs_block_bytes(&transfer.target, state->element) > *largest)
        *largest = hs_block_bytes(&transfer.target, state->element);
    } else {
      status = hs_crossings_add(&state->received, &transfer, err);
    }
  }
  part->inward_count = kept;
  return status;
}

hs_status hs_distributed_exchange_create(struct hs_distributed_state *state, struct hs_error *err)
{
  size_t largest = 1;
  int messages;
  hs_status status = HS_OK;
  if (hs_comm_size(state->comm) > 1 && state->inner->part->memory_create) status = nccl_create(state, err);
  for (int k = 0; !status && k < state->part_count; k++) status = inward_find(state, &state->parts[k], &largest, err);
  for (int to = 0; !status && state->received.count > 0 && to < hs_partition_parts(&state->partition); to++)
    if (!part_of(state, to)) status = sent_find(state, to, err);
  if (!status) status = crossings_reserve(state, &state->sent, err);
  if (!status) status = crossings_reserve(state, &state->received, err);
  if (!status && !state->inner->part->block_copy)
    status = hs_array_create(&state->room, largest, 1, "ghost nodes", err);
  if (!status)
    status = hs_array_create((void **)&state->messages, (size_t)(state->sent.count + state->received.count) + 1,
                             sizeof *state->messages, "ghost nodes", err);
  if (status) return status;
  messages = hs_crossings_messages(&state->sent, &state->received, 2 * state->element, state->messages);
  return hs_comm_exchange_reserve(state->comm, state->messages, messages, err);
}

static void crossings_clear(const struct hs_distributed_state *state, struct hs_crossings *crossings)
{
  for (int k = 0; k < crossings->count; k++) {
    if (state->nccl)
      state->inner->part->memory_destroy(crossings->list[k].values);
    else
      free(crossings->list[k].values);
  }
  free(crossings->list);
}

void hs_distributed_exchange_destroy(struct hs_distributed_state *state)
{
  crossings_clear(state, &state->sent);
  crossings_clear(state, &state->received);
  hs_nccl_destroy(state->nccl);
  free(state->messages);
  free(state->room);
}

/* --- the exchange ---------------------------------------------------------------------------- */

/* Within the process. */
static hs_status copy_inward(struct hs_distributed_state *state, const struct hs_distributed_part *part,
                             enum hs_field_role role, const struct hs_transfer *t, struct hs_error *err)
{
  const struct hs_part_operations *operations = state->inner->part;
  const struct hs_distributed_part *from = part_of(state, t->from);
  hs_status status;
  if (operations->block_copy) {
    status = hs_part_enter(state, part, err);
    return status ? status
                  : operations->block_copy(part->state, role, &t->target, from->state, t->source.x0, t->source.y0, err);
  }
  status = operations->block_get(from->state, role, &t->source, state->room, err);
  return status ? status : operations->block_put(part->state, role, &t->target, state->room, err);
}

/* The fields of an exchange, and of a message, one after another. */
static enum hs_field_role role_of(int fields, int k)
{
  return k == fields - 1 ? HS_FIELD_NOW : HS_FIELD_BEFORE;
}

static void *values_of(const struct hs_distributed_state *state, const struct hs_crossing *c, int k)
{
  return (char *)c->values + (size_t)k * hs_block_bytes(&c->transfer.target, state->element);
}

/* Between ranks: this process has one part. Blocks stay on the device where NCCL sends them, and nobody waits; else they go by
 * way of the host. */
hs_status hs_crossings_begin(struct hs_distributed_state *state, int fields, bool overlapped, struct hs_error *err)
{
  const struct hs_part_operations *operations = state->inner->part;
  const struct hs_distributed_part *sender = overlapped ? state->strips : state->parts;
  const int count =
      hs_crossings_messages(&state->sent, &state->received, (size_t)fields * state->element, state->messages);
  hs_status status = hs_part_enter(state, sender, err);
  for (int k = 0; !status && k < state->sent.count; k++) {
    const struct hs_crossing *c = &state->sent.list[k];
    struct hs_rectangle block = c->transfer.source;
    if (overlapped) sender = &state->strips[c->strip];
    if (overlapped) block.x0 -= sender->window.x0;
    if (overlapped) block.y0 -= sender->window.y0;
    for (int f = 0; !status && f < fields; f++)
      status = (state->nccl ? operations->block_pack : operations->block_get)(sender->state, role_of(fields, f), &block,
                                                                              values_of(state, c, f), err);
  }
  sender = overlapped ? state->strips : state->parts;
  if (!state->nccl)
    return status ? status
                  : hs_comm_exchange_begin(state->comm, state->messages, count, overlapped && !operations->wait, err);
  for (int k = 1; !status && overlapped && k < state->strip_count; k++)
    status = operations->follow(sender->state, state->strips[k].state, err);
  return status ? status
                : hs_nccl_exchange(state->nccl, state->messages, count, operations->stream(sender->state), err);
}

hs_status hs_crossings_end(struct hs_distributed_state *state, int fields, bool overlapped, struct hs_error *err)
{
  const struct hs_part_operations *operations = state->inner->part;
  struct hs_distributed_part *part = &state->parts[0];
  hs_status status = HS_OK;
  if (!state->nccl)
    status = hs_comm_exchange_end(state->comm, err);
  else if (overlapped)
    status = operations->follow(part->state, state->strips[0].state, err);
  for (int k = 0; !status && k < state->received.count; k++) {
    const struct hs_crossing *c = &state->received.list[k];
    for (int f = 0; !status && f < fields; f++)
      status = (state->nccl ? operations->block_unpack : operations->block_put)(
          part->state, role_of(fields, f), &c->transfer.target, values_of(state, c, f), err);
  }
  return status;
}

hs_status hs_distributed_exchange(struct hs_distributed_state *state, int fields, struct hs_error *err)
{
  hs_status status = HS_OK;
  for (int k = 0; !status && state->inner->part->ready && k < state->part_count; k++) {
    status = hs_part_enter(state, &state->parts[k], err);
    if (!status && state->part_count > 1) status = state->inner->part->ready(state->parts[k].state, err);
  }
  for (int k = 0; !status && k < state->part_count; k++)
    for (int t = 0; !status && t < fields * state->parts[k].inward_count; t++)
      status =
          copy_inward(state, &state->parts[k], role_of(fields, t % fields), &state->parts[k].inward[t / fields], err);
  if (!status && hs_comm_size(state->comm) > 1) status = hs_crossings_begin(state, fields, false, err);
  if (!status && hs_comm_size(state->comm) > 1) status = hs_crossings_end(state, fields, false, err);
  if (status) return status;
  state->right_now = state->partition.ghost;
  if (fields > 1) state->right_before = state->partition.ghost;
  return HS_OK;
}
