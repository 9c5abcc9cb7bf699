/* The roofline of one sweep per pass: how fast memory can be read and written at once.
 *
 * On the host every thread copies its own part of a large array by memcpy, which streams past the caches where that is
 * faster; pages are first touched by the thread that uses them. The median of some copies counts.
 */
#include "bench/copy.h"

#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/timer.h"
#include "bench/rate.h"

enum { COPIES = 5, LINE = 64, LARGE_PAGE = 2 << 20 };

/* Where the part of `thread` begins. */
static size_t part_begin(size_t bytes, int thread, int threads)
{
  return bytes / LINE * (size_t)thread / (size_t)threads * LINE;
}

static void copy_parts(char *to, const char *from, size_t bytes, int threads)
{
#pragma omp parallel num_threads(threads)
  {
    const int team = omp_get_num_threads(), me = omp_get_thread_num();
    const size_t begin = part_begin(bytes, me, team), end = part_begin(bytes, me + 1, team);
    memcpy(to + begin, from + begin, end - begin);
  }
}

static void touch_parts(char *array, int value, size_t bytes, int threads)
{
#pragma omp parallel num_threads(threads)
  {
    const int team = omp_get_num_threads(), me = omp_get_thread_num();
    const size_t begin = part_begin(bytes, me, team), end = part_begin(bytes, me + 1, team);
    memset(array + begin, value, end - begin);
  }
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* On large pages, as fields are (backend/cpu/memory.c). NULL: no memory. */
static char *array_create(size_t bytes)
{
  char *array = aligned_alloc(LARGE_PAGE, bytes);
#ifdef MADV_HUGEPAGE
  if (array) (void)madvise(array, bytes, MADV_HUGEPAGE);
#endif
  return array;
}

/* Who asks for short repeats does not want to wait for large arrays; the default of 0.1 s sets no limit. */
#define BYTES_PER_SECOND 2e10

/* Bytes of each array, a power of two: several times the last cache, within bounds, and a small part of the memory. */
static size_t array_bytes(double seconds)
{
  const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  const double available = hs_memory_available();
  size_t bytes = (size_t)128 << 20;
  while (cache > 0 && bytes < 4 * (size_t)cache && bytes < (size_t)1 << 30) bytes *= 2;
  while ((double)bytes > fmin(available / 16.0, BYTES_PER_SECOND * seconds) && bytes > (size_t)1 << 22) bytes /= 2;
  return bytes;
}

static hs_status copy_host(int threads, double seconds, double *bytes_per_s, struct hs_error *err)
{
  const size_t bytes = array_bytes(seconds);
  double times_s[COPIES];
  char *from = array_create(bytes), *to = array_create(bytes);
  hs_status status = HS_OK;
  if (from && to) {
    touch_parts(from, 0x5a, bytes, threads);
    touch_parts(to, 0, bytes, threads);
    for (int k = -1; k < COPIES; k++) {
      const double start_s = hs_time_s();
      copy_parts(k & 1 ? to : from, k & 1 ? from : to, bytes, threads);
      if (k >= 0) times_s[k] = hs_time_s() - start_s;
    }
    qsort(times_s, COPIES, sizeof *times_s, compare);
    *bytes_per_s = 2.0 * (double)bytes / fmax(times_s[COPIES / 2], 1e-9);
  } else {
    status = hs_error_set(err, HS_ERR_MEMORY, "no memory for two arrays of %zu bytes to copy", bytes);
  }
  free(to);
  free(from);
  return status;
}

hs_status hs_rate_copy(bool on_device, const struct hs_backend_options *options, double seconds, double *bytes_per_s,
                       struct hs_error *err)
{
  *bytes_per_s = NAN;
  if (on_device) return hs_rate_copy_device(bytes_per_s, err);
  const int threads = options->threads > 0 ? options->threads : hs_backend_threads_available(options->threads_most);
  return copy_host(hs_backend_threads_create(threads), seconds, bytes_per_s, err);
}
