/* Aligned arrays with checked sizes, and formatted texts.
 *
 * Large arrays are zeroed by all threads, each a part, so that on a machine with several memory nodes (NUMA) their pages are
 * spread over these as the rows of a parallel loop are. A backend whose threads need them elsewhere allocates for itself. The
 * system grants more than there is and ends a program that touches it, so large arrays are compared with what is free; those
 * that are zeroed are touched at once, so that the next one finds less.
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

enum {
  ALIGNMENT = 64,
  LARGE_PAGE = 2 * 1024 * 1024,
  ZEROED_TOGETHER = 4 * 1024 * 1024, /* bytes from which all threads zero, on large pages */
  CHECKED_FROM = 64 * 1024 * 1024
};

hs_status hs_memory_check(double bytes, const char *what, struct hs_error *err)
{
  const double available = hs_memory_available();
  if (bytes <= available) return HS_OK;
  return hs_error_set(err, HS_ERR_MEMORY, "%s needs %.3g GB of memory and %.3g GB are free", what, 1e-9 * bytes,
                      1e-9 * available);
}

/* Memory of whole units of ALIGNMENT, untouched. *bytes: how much. */
static hs_status allocate(void **array, size_t count, size_t size, size_t alignment, size_t *bytes, const char *what,
                          struct hs_error *err)
{
  *array = NULL;
  if (size != 0 && count > (SIZE_MAX - ALIGNMENT) / size) {
    return hs_error_set(err, HS_ERR_MEMORY, "%s would need %zu elements of %zu bytes, more than can be addressed.",
                        what, count, size);
  }
  *bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (*bytes == 0) *bytes = ALIGNMENT;
  if (*bytes >= CHECKED_FROM && hs_memory_check((double)*bytes, what, err)) return HS_ERR_MEMORY;
  if (posix_memalign(array, alignment, *bytes)) {
    *array = NULL;
    hs_error_set(err, HS_ERR_MEMORY, "no memory for %s: %.3g MB are needed", what, 1e-6 * (double)*bytes);
    if (isfinite(hs_memory_available()))
      hs_error_append(err, "and about %.3g GB are free", 1e-9 * hs_memory_available());
    return HS_ERR_MEMORY;
  }
  return HS_OK;
}

#ifdef MADV_HUGEPAGE
/* Where the system has none, small ones do, and they do for the end. */
static void wish_large_pages(void *memory, size_t bytes)
{
  (void)madvise(memory, bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
}
#else
static void wish_large_pages(void *memory, size_t bytes)
{
  (void)memory;
  (void)bytes;
}
#endif

/* The same, on large pages from `large` bytes on. */
static hs_status allocate_pages(void **array, size_t count, size_t size, size_t large, size_t *bytes, const char *what,
                                struct hs_error *err)
{
  const bool is_large = size > 0 && count >= large / size;
  const hs_status status = allocate(array, count, size, is_large ? LARGE_PAGE : ALIGNMENT, bytes, what, err);
  if (!status && is_large) wish_large_pages(*array, *bytes);
  return status;
}

hs_status hs_array_create(void **array, size_t count, size_t size, const char *what, struct hs_error *err)
{
  size_t bytes;
  const hs_status status = allocate_pages(array, count, size, ZEROED_TOGETHER, &bytes, what, err);
  char *first = *array;
  if (status) return status;
#pragma omp parallel for schedule(static) if (bytes >= ZEROED_TOGETHER)
  for (size_t at = 0; at < bytes; at += LARGE_PAGE)
    memset(first + at, 0, bytes - at < LARGE_PAGE ? bytes - at : LARGE_PAGE);
  return HS_OK;
}

hs_status hs_array_reserve(void **array, size_t count, size_t size, const char *what, struct hs_error *err)
{
  size_t bytes;
  return allocate_pages(array, count, size, LARGE_PAGE, &bytes, what, err);
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
