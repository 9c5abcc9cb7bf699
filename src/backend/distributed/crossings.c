/* Lists of blocks that cross between ranks, and their messages. */
#include <stdlib.h>

#include "backend/distributed/state.h"

size_t hs_block_bytes(const struct hs_rectangle *block, size_t node_bytes)
{
  return (size_t)block->nx * (size_t)block->ny * node_bytes;
}

/* Lists grow by doubling: there is room for one more but at powers of two. */
hs_status hs_crossings_add(struct hs_crossings *crossings, const struct hs_transfer *transfer, struct hs_error *err)
{
  const int count = crossings->count;
  if ((count & (count - 1)) == 0) {
    struct hs_crossing *grown = realloc(crossings->list, (size_t)(count ? 2 * count : 1) * sizeof *grown);
    if (!grown) return hs_error_set(err, HS_ERR_MEMORY, "no memory is left for the list of ghost nodes");
    crossings->list = grown;
  }
  crossings->list[crossings->count++] = (struct hs_crossing){.transfer = *transfer};
  return HS_OK;
}

int hs_crossings_messages(const struct hs_crossings *sent, const struct hs_crossings *received, size_t node_bytes,
                          struct hs_message *messages)
{
  struct hs_message *message = messages;
  for (int k = 0; k < sent->count; k++) {
    const struct hs_crossing *c = &sent->list[k];
    *message++ = (struct hs_message){.peer = c->transfer.to,
                                     .send = c->values,
                                     .send_bytes = hs_block_bytes(&c->transfer.target, node_bytes),
                                     .tag = c->transfer.tag};
  }
  for (int k = 0; k < received->count; k++) {
    const struct hs_crossing *c = &received->list[k];
    *message++ = (struct hs_message){.peer = c->transfer.from,
                                     .receive = c->values,
                                     .receive_bytes = hs_block_bytes(&c->transfer.target, node_bytes),
                                     .receive_tag = c->transfer.tag};
  }
  return (int)(message - messages);
}
