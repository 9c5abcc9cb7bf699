/* Structures are held back until the library has given all that belong to a change, then written in an order in which
 * nothing refers to what is not there yet.
 *
 * The library itself writes them by address. A program that dies in between leaves a group with a name that leads nowhere,
 * or worse. Here comes first what is new, to which nothing refers; then what replaces something: the superblock, which says
 * up to where addresses are valid, heaps (names and texts), B-trees, the tables of symbols, by which a group gets its entry,
 * and last the headers of objects, by which a dataset gets longer. Entries are removed the other way round. Each of these
 * writes leaves a file in which all earlier objects can be reached. Were entries of a group to split its table of symbols,
 * some might be listed twice for a moment; h5_sink.h makes tables large enough instead.
 *
 * Limits: a write counts as one step, which holds for a process that is killed between two calls of the system, but not for
 * a loss of power; a local heap must not grow (group_entries in h5_sink.h); and the library must not have freed the place of
 * a structure and use it for another, so whoever removes things, or makes a file, closes and opens it before going on.
 */
#include "io/h5_order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct held {
  uint64_t address;
  size_t size;
  unsigned char *bytes;
  unsigned char *before; /* what it replaces in the file; NULL: it is new */
  int rank;
};

struct hs_h5_order {
  int fd;
  uint64_t found_end; /* of the structures that were there at the beginning */
  struct held *held;
  size_t held_count, held_room;
  uint64_t *settled; /* addresses of structures in the file */
  size_t settled_count, settled_room;
};

struct hs_h5_order *hs_h5_order_create(int fd)
{
  struct hs_h5_order *order = calloc(1, sizeof *order);
  if (order) order->fd = fd;
  return order;
}

void hs_h5_order_found(struct hs_h5_order *order, uint64_t end)
{
  order->found_end = end;
}

static void held_clear(struct hs_h5_order *order)
{
  for (size_t k = 0; k < order->held_count; k++) {
    free(order->held[k].bytes);
    free(order->held[k].before);
  }
  order->held_count = 0;
}

void hs_h5_order_destroy(struct hs_h5_order *order)
{
  if (!order) return;
  held_clear(order);
  free(order->held);
  free(order->settled);
  free(order);
}

/* Makes room for one more element of `size` bytes. */
static int grow(void **array, size_t count, size_t *room, size_t size)
{
  const size_t more = *room ? 2 * *room : 32;
  void *grown;
  if (count < *room) return 0;
  grown = realloc(*array, more * size);
  if (!grown) return ENOMEM;
  *array = grown;
  *room = more;
  return 0;
}

static bool replaces(const struct hs_h5_order *order, uint64_t address)
{
  if (address < order->found_end) return true;
  for (size_t k = 0; k < order->settled_count; k++)
    if (order->settled[k] == address) return true;
  return false;
}

enum { RANK_NEW, RANK_SUPERBLOCK, RANK_HEAP, RANK_TREE, RANK_SYMBOLS, RANK_HEADER };

static int rank_of(H5FD_mem_t type, const void *bytes, size_t size)
{
  if (type == H5FD_MEM_SUPER) return RANK_SUPERBLOCK;
  if (type == H5FD_MEM_OHDR) return RANK_HEADER;
  if (size >= 4 && memcmp(bytes, "SNOD", 4) == 0) return RANK_SYMBOLS;
  return type == H5FD_MEM_BTREE ? RANK_TREE : RANK_HEAP;
}

int hs_h5_order_hold(struct hs_h5_order *order, H5FD_mem_t type, uint64_t address, const void *bytes, size_t size)
{
  struct held *held = NULL;
  unsigned char *copy = malloc(size ? size : 1);
  if (!copy) return ENOMEM;
  memcpy(copy, bytes, size);
  for (size_t k = 0; !held && k < order->held_count; k++)
    if (order->held[k].address == address && order->held[k].size == size) held = &order->held[k];
  if (held) {
    free(held->bytes);
  } else {
    if (grow((void **)&order->held, order->held_count, &order->held_room, sizeof *order->held)) {
      free(copy);
      return ENOMEM;
    }
    held = &order->held[order->held_count++];
    *held = (struct held){.address = address, .size = size};
  }
  held->bytes = copy;
  held->rank = replaces(order, address) ? rank_of(type, bytes, size) : RANK_NEW;
  return 0;
}

void hs_h5_order_overlay(const struct hs_h5_order *order, uint64_t address, void *bytes, size_t size)
{
  for (size_t k = 0; k < order->held_count; k++) {
    const struct held *held = &order->held[k];
    const uint64_t from = held->address > address ? held->address : address;
    const uint64_t to = held->address + held->size < address + size ? held->address + held->size : address + size;
    if (from < to) memcpy((char *)bytes + (from - address), held->bytes + (from - held->address), (size_t)(to - from));
  }
}

/* pread or pwrite to the end. Returns 0 or errno. */
static int transfer(int fd, bool out, void *bytes, size_t size, uint64_t address)
{
  for (size_t done = 0; done < size;) {
    char *next = (char *)bytes + done;
    const off_t offset = (off_t)(address + done);
    const ssize_t moved = out ? pwrite(fd, next, size - done, offset) : pread(fd, next, size - done, offset);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return errno;
    if (moved == 0) return EIO;
    done += (size_t)moved;
  }
  return 0;
}

static int write_one(struct hs_h5_order *order, struct held *held)
{
  int failure = 0;
  if (held->rank != RANK_NEW) {
    held->before = malloc(held->size);
    failure = held->before ? transfer(order->fd, false, held->before, held->size, held->address) : ENOMEM;
    if (failure) {
      free(held->before);
      held->before = NULL;
      return failure;
    }
  }
  return transfer(order->fd, true, held->bytes, held->size, held->address);
}

/* The file as it was, where it has been changed. Ends at a failure: what comes before it belongs together. */
static bool take_back(struct hs_h5_order *order, bool removing)
{
  bool taken = true;
  for (int step = RANK_HEADER; step > RANK_NEW; step--) {
    const int rank = removing ? RANK_HEADER + 1 - step : step;
    for (size_t k = order->held_count; taken && k-- > 0;) {
      struct held *held = &order->held[k];
      if (held->rank == rank && held->before)
        taken = transfer(order->fd, true, held->before, held->size, held->address) == 0;
    }
  }
  return taken;
}

/* What was new counts as settled from now on. */
static int remember(struct hs_h5_order *order)
{
  for (size_t k = 0; k < order->held_count; k++) {
    if (order->held[k].rank != RANK_NEW) continue;
    if (grow((void **)&order->settled, order->settled_count, &order->settled_room, sizeof *order->settled))
      return ENOMEM;
    order->settled[order->settled_count++] = order->held[k].address;
  }
  return 0;
}

int hs_h5_order_settle(struct hs_h5_order *order, bool removing, bool *listed)
{
  int failure = 0, step = RANK_NEW;
  for (; !failure && step <= RANK_HEADER; step++) {
    const int rank = removing && step != RANK_NEW ? RANK_HEADER + 1 - step : step;
    for (size_t k = 0; !failure && k < order->held_count; k++)
      if (order->held[k].rank == rank) failure = write_one(order, &order->held[k]);
  }
  if (!failure && fsync(order->fd) != 0 && errno != EINVAL && errno != ENOTSUP) failure = errno;
  if (!failure) failure = remember(order);
  *listed = !failure || (!take_back(order, removing) && step > RANK_HEADER && !removing);
  held_clear(order);
  return failure;
}
