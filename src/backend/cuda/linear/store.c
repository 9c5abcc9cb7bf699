/* One piece of memory for the arrays of all levels; see store.h. */
#include "backend/cuda/linear/store.h"

#include <stdlib.h>

#include "base/memory.h"

enum {
  ARRAYS = 1024,  /* at most, of either kind */
  ALIGNMENT = 256 /* of each, as the device's own allocations have it */
};

struct array {
  size_t begin, end;
  bool given; /* back */
};

/* Arrays one after the other, from an end of the memory on; the last one is taken. */
struct stack {
  int count;
  struct array array[ARRAYS];
};

struct hs_cuda_store {
  char *memory;
  size_t bytes;
  struct stack lasting, brief; /* the second one from the last byte on, backwards */
};

hs_status hs_cuda_store_create(void *memory, size_t bytes, struct hs_cuda_store **store, struct hs_error *err)
{
  const hs_status status = hs_array_create((void **)store, 1, sizeof **store, "multigrid", err);
  if (status) return status;
  (*store)->memory = memory;
  (*store)->bytes = memory ? bytes / ALIGNMENT * ALIGNMENT : 0;
  return HS_OK;
}

void *hs_cuda_store_destroy(struct hs_cuda_store *store)
{
  void *memory = store ? store->memory : NULL;
  free(store);
  return memory;
}

static struct array *again(struct stack *s, size_t bytes)
{
  for (int k = 0; k < s->count; k++)
    if (s->array[k].given && s->array[k].end - s->array[k].begin == bytes) return &s->array[k];
  return NULL;
}

void *hs_cuda_store_take(struct hs_cuda_store *store, size_t bytes, bool brief)
{
  const struct stack *lasting = &store->lasting, *rest = &store->brief;
  const size_t low = lasting->count > 0 ? lasting->array[lasting->count - 1].end : 0;
  const size_t high = rest->count > 0 ? rest->array[rest->count - 1].begin : store->bytes;
  const size_t taken = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  struct stack *stack = brief ? &store->brief : &store->lasting;
  struct array *array = again(stack, taken);
  if (!array) {
    if (stack->count == ARRAYS || taken < bytes || taken > high - low) return NULL;
    array = &stack->array[stack->count++];
    array->begin = brief ? high - taken : low;
    array->end = array->begin + taken;
  }
  array->given = false;
  return store->memory + array->begin;
}

static bool give(struct stack *s, size_t begin)
{
  for (int k = s->count - 1; k >= 0; k--) {
    if (s->array[k].begin != begin) continue;
    s->array[k].given = true;
    while (s->count > 0 && s->array[s->count - 1].given) s->count--;
    return true;
  }
  return false;
}

bool hs_cuda_store_give(struct hs_cuda_store *store, const void *array)
{
  const char *place = array;
  if (!store->memory || place < store->memory || place >= store->memory + store->bytes) return false;
  return give(&store->lasting, (size_t)(place - store->memory)) || give(&store->brief, (size_t)(place - store->memory));
}
