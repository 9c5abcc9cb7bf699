/* Device memory for the arrays of all levels; see store.h. */
#include "backend/cuda/linear/store.h"

#include <stdlib.h>

#include "base/memory.h"

enum {
  ARRAYS = 1024,  /* at most, of one store */
  ALIGNMENT = 256 /* of each, as the device's own allocations have it */
};

struct array {
  size_t begin, end;
  bool given; /* back */
};

struct hs_cuda_store {
  char *d_memory; /* NULL: there is none */
  size_t bytes;
  int count; /* arrays, one after the other; the last one is taken */
  struct array array[ARRAYS];
};

hs_status hs_cuda_store_create(size_t bytes, cudaStream_t stream, struct hs_cuda_store **store, struct hs_error *err)
{
  void *d_memory = NULL;
  const hs_status status = hs_array_create((void **)store, 1, sizeof **store, "multigrid", err);
  if (status) return status;
#ifndef HS_SEPARATE_ARRAYS
  if (cudaMallocAsync(&d_memory, bytes, stream) != cudaSuccess) d_memory = NULL;
  (void)cudaGetLastError();
#else
  (void)stream;
#endif
  (*store)->d_memory = d_memory;
  (*store)->bytes = d_memory ? bytes : 0;
  return HS_OK;
}

void hs_cuda_store_destroy(struct hs_cuda_store *store, cudaStream_t stream)
{
  if (store && store->d_memory) (void)cudaFreeAsync(store->d_memory, stream);
  free(store);
}

void *hs_cuda_store_take(struct hs_cuda_store *store, size_t bytes)
{
  const size_t begin = store->count > 0 ? store->array[store->count - 1].end : 0;
  const size_t taken = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  for (int k = 0; k < store->count; k++) {
    struct array *array = &store->array[k];
    if (!array->given || array->end - array->begin != taken) continue;
    array->given = false;
    return store->d_memory + array->begin;
  }
  if (store->count == ARRAYS || taken < bytes || taken > store->bytes - begin) return NULL;
  store->array[store->count++] = (struct array){begin, begin + taken, false};
  return store->d_memory + begin;
}

static int by_begin(const void *key, const void *array)
{
  const size_t a = *(const size_t *)key, b = ((const struct array *)array)->begin;
  return a < b ? -1 : a > b;
}

bool hs_cuda_store_give(struct hs_cuda_store *store, const void *array)
{
  const char *place = array;
  struct array *found;
  size_t begin;
  if (!store->d_memory || place < store->d_memory || place >= store->d_memory + store->bytes) return false;
  begin = (size_t)(place - store->d_memory);
  found = bsearch(&begin, store->array, (size_t)store->count, sizeof *found, by_begin);
  if (found) found->given = true;
  while (store->count > 0 && store->array[store->count - 1].given) store->count--;
  return true;
}
