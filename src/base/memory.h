/* Memory: aligned arrays with checked sizes. */
#ifndef HS_BASE_MEMORY_H
#define HS_BASE_MEMORY_H

#include <stddef.h>

#include "base/status.h"

/* Allocates count elements of size bytes, 64-byte aligned and zeroed, into
 * *array (owned by the caller, free with free()). what names the array in the
 * error. Errors: HS_ERR_MEMORY when the product overflows or memory is short (arrays of 64 MiB and more are checked);
 * *array is then NULL. Arrays of 4 MiB and more lie on large pages where the system has them, and are zeroed by the threads that
 * OpenMP has (omp_set_num_threads). */
hs_status hs_array_create(void **array, size_t count, size_t size, const char *what, struct hs_error *err);

/* The same without zeros, and on large pages where the system has them: for arrays that threads touch first. */
hs_status hs_array_reserve(void **array, size_t count, size_t size, const char *what, struct hs_error *err);

/* Refuses, before any of it is touched, what the memory that is free here cannot hold (limits.h; unknown free memory
 * refuses nothing): "WHAT needs 3.2 GB of memory and 1.1 GB are free". Errors: HS_ERR_MEMORY. */
hs_status hs_memory_check(double bytes, const char *what, struct hs_error *err);

/* A copy of text owned by the caller, or NULL with HS_ERR_MEMORY in err. */
char *hs_text_copy(const char *text, struct hs_error *err);

/* A formatted text owned by the caller, or NULL with HS_ERR_MEMORY in err. */
char *hs_text_format(struct hs_error *err, const char *format, ...) HS_PRINTF(2, 3);

#endif
