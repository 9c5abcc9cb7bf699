/* One piece of device memory, from which the arrays of all levels are cut. To ask the device for each of them, fifty and more, takes
 * about as long as the kernels that fill them, and longer where its pool has to map memory anew.
 *
 * Arrays that last lie one after the other from the beginning on, those that do not from the end on. What is given back is there
 * for one of the same size, as levels that are made anew ask for, and for others once all of its kind that were taken later
 * have been given back, too. Work on it must be in the order of one stream.
 */
#ifndef HS_BACKEND_CUDA_LINEAR_STORE_H
#define HS_BACKEND_CUDA_LINEAR_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct hs_cuda_store;

/* Of that memory, which is not touched; an empty one, where it is NULL. *store is the caller's. Errors: HS_ERR_MEMORY. */
hs_status hs_cuda_store_create(void *memory, size_t bytes, struct hs_cuda_store **store, struct hs_error *err);

/* Returns the memory. NULL is accepted. */
void *hs_cuda_store_destroy(struct hs_cuda_store *store);

/* An array; NULL, where there is no room. */
void *hs_cuda_store_take(struct hs_cuda_store *store, size_t bytes, bool brief);

/* False: it is none of this store. */
bool hs_cuda_store_give(struct hs_cuda_store *store, const void *array);

#endif
