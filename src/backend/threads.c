/* How many CPU threads there may be. */
#include <math.h>
#include <omp.h>

#include "backend/backend.h"
#include "base/limits.h"

int hs_backend_processors(void)
{
  const double processors = fmin(omp_get_num_procs(), omp_get_thread_limit()); /* affinity, OMP_THREAD_LIMIT */
  return (int)fmax(1.0, fmin(processors, ceil(hs_processors_granted())));
}

/* OMP_NUM_THREADS or the affinity mask: what the run-time library says before it is told otherwise. */
static int threads_at_start(void)
{
  static int threads;
  if (!threads) threads = omp_get_max_threads();
  return threads;
}

int hs_backend_threads_available(int most)
{
  const int at_start = threads_at_start(), wanted = most > 0 ? most : at_start;
  const int processors = hs_backend_processors();
  const int threads = wanted < processors ? wanted : processors;
  return threads < 1 ? 1 : threads;
}

void hs_backend_threads_use(int most)
{
  omp_set_dynamic(0); /* exactly as many threads as were asked for */
  omp_set_num_threads(hs_backend_threads_available(most));
}
