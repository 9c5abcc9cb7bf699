/* Aligned arrays with checked sizes, and formatted texts.
 *
 * Arrays are zeroed by the calling thread, so on a machine with several memory nodes (NUMA) their pages
 * lie on that thread's node. A backend whose threads need them elsewhere allocates for itself. The system grants more than
 * there is and ends a program that touches it, so large arrays are compared with what is free.
 */
#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/limits.h"

enum { ALIGNMENT = 64, LARGE_PAGE = 2 * 1024 * 1024, CHECKED_FROM = 64 * 1024 * 1024 };

hs_status hs_memory_check(double bytes, const char *what, struct hs_error *err)
{
  const double available = hs_memory_available();
  if (bytes <= available) return HS_OK;
  return hs_error_set(err, HS_ERR_MEMORY, "%s needs %.3g GB of memory and %.3g GB are free", what, 1e-9 * bytes,
                      1e-9 * available);
}

/* Memory of whole units of `alignment`, untouched. *bytes: how much. */
static hs_status allocate(void **array, size_t count, size_t size, size_t alignment, size_t *bytes, const char *what,
                          struct hs_error *err)
{
  *array = NULL;
  if (size != 0 && count > (SIZE_MAX - alignment) / size) {
    return hs_error_set(err, HS_ERR_MEMORY, "%s would need %zu elements of %zu bytes, more than can be addressed.",
                        what, count, size);
  }
  *bytes = (count * size + alignment - 1) / alignment * alignment;
  if (*bytes == 0) *bytes = alignment;
  if (*bytes >= CHECKED_FROM && hs_memory_check((double)*bytes, what, err)) return HS_ERR_MEMORY;
  *array = aligned_alloc(alignment, *bytes);
  if (!*array) {
    hs_error_set(err, HS_ERR_MEMORY, "no memory for %s: %.3g MB are needed", what, 1e-6 * (double)*bytes);
    if (isfinite(hs_memory_available()))
      hs_error_append(err, "and about %.3g GB are free", 1e-9 * hs_memory_available());
    return HS_ERR_MEMORY;
  }
  return HS_OK;
}

hs_status hs_array_create(void **array, size_t count, size_t size, const char *what, struct hs_error *err)
{
  size_t bytes;
  const hs_status status = allocate(array, count, size, ALIGNMENT, &bytes, what, err);
  if (!status) memset(*array, 0, bytes);
  return status;
}

hs_status hs_array_reserve(void **array, size_t count, size_t size, const char *what, struct hs_error *err)
{
  const bool large = size > 0 && count >= LARGE_PAGE / size;
  size_t bytes;
  const hs_status status = allocate(array, count, size, large ? LARGE_PAGE : ALIGNMENT, &bytes, what, err);
#ifdef MADV_HUGEPAGE
  if (!status && large) (void)madvise(*array, bytes, MADV_HUGEPAGE); /* where the system has none, small ones do */
#endif
  return status;
}

char *hs_text_copy(const char *text, struct hs_error *err)
{
  char *copy = strdup(text);
  if (!copy) hs_error_set(err, HS_ERR_MEMORY, "No memory for a text of %zu bytes.", strlen(text));
  return copy;
}

char *hs_text_format(struct hs_error *err, const char *format, ...)
{
  va_list arguments;
  char *text = NULL;
  int length;

  va_start(arguments, format);
  length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (length >= 0) text = malloc((size_t)length + 1);
  if (!text) {
    hs_error_set(err, HS_ERR_MEMORY, "No memory for a formatted text.");
    return NULL;
  }
  va_start(arguments, format);
  vsnprintf(text, (size_t)length + 1, format, arguments);
  va_end(arguments);
  return text;
}
