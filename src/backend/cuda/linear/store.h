/* One piece of device memory, from which the arrays of all levels are cut one after the other. To ask the device for each of them,
 * fifty and more, takes about as long as the kernels that fill them, and longer where its pool has to map memory anew.
 *
 * What is given back is there for one of the same size, as levels that are made anew ask for, and for others once all that lies
 * behind it has been given back, too. Work on it must be in the order of one stream.
 * With -DHS_SEPARATE_ARRAYS stores are empty, so that compute-sanitizer sees where each array ends.
 */
#ifndef HS_BACKEND_CUDA_LINEAR_STORE_H
#define HS_BACKEND_CUDA_LINEAR_STORE_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct hs_cuda_store;

/* An empty one, where the device has not so much memory. *store is the caller's. Errors: HS_ERR_MEMORY. */
hs_status hs_cuda_store_create(size_t bytes, cudaStream_t stream, struct hs_cuda_store **store, struct hs_error *err);
void hs_cuda_store_destroy(struct hs_cuda_store *store, cudaStream_t stream); /* NULL is accepted */

/* An array; NULL, where there is no room. */
void *hs_cuda_store_take(struct hs_cuda_store *store, size_t bytes);

/* False: it is none of this store. */
bool hs_cuda_store_give(struct hs_cuda_store *store, const void *array);

#endif
