/* How many CPU threads there may be.
 *
 * OpenMP's runtime ends the program when a thread cannot be created (a limit of processes, short memory). So as many as are
 * needed are created before it creates its own, and where that fails there are fewer.
 */
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

#include "backend/backend.h"
#include "base/limits.h"

int hs_backend_processors(void)
{
  const double processors = fmin(omp_get_num_procs(), omp_get_thread_limit()); /* affinity, OMP_THREAD_LIMIT */
  return (int)fmax(1.0, fmin(processors, ceil(hs_processors_granted())));
}

/* OMP_NUM_THREADS or the affinity mask: what the run-time library says before it is told otherwise. */
static int at_start;

static void at_start_ask(void)
{
  at_start = omp_get_max_threads();
}

static int threads_at_start(void)
{
  static pthread_once_t asked = PTHREAD_ONCE_INIT;
  (void)pthread_once(&asked, at_start_ask);
  return at_start;
}

int hs_backend_threads_available(int most)
{
  const int wanted = most > 0 ? most : threads_at_start();
  const int processors = hs_backend_processors();
  const int threads = wanted < processors ? wanted : processors;
  return threads < 1 ? 1 : threads;
}

static void *wait_at(void *gate)
{
  (void)pthread_mutex_lock(gate);
  (void)pthread_mutex_unlock(gate);
  return NULL;
}

/* How many of `wanted` threads can exist at a time, this one included. */
static int threads_try(int wanted)
{
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  pthread_t *threads = malloc((size_t)wanted * sizeof *threads);
  int created = 0;
  if (!threads) return 1;
  (void)pthread_mutex_lock(&gate);
  while (created + 1 < wanted && pthread_create(&threads[created], NULL, wait_at, &gate) == 0) created++;
  (void)pthread_mutex_unlock(&gate);
  for (int k = 0; k < created; k++) (void)pthread_join(threads[k], NULL);
  free(threads);
  return created + 1;
}

/* The most that were tried, and what came of it, by all runs of the process. */
static int tried = 1, found = 1;
static pthread_mutex_t trying = PTHREAD_MUTEX_INITIALIZER;

int hs_backend_threads_create(int wanted)
{
  int created;
  (void)pthread_mutex_lock(&trying);
  if (wanted > tried) {
    found = threads_try(wanted);
    tried = wanted;
  }
  created = wanted < found ? wanted : found;
  (void)pthread_mutex_unlock(&trying);
  return created;
}

bool hs_backend_threads_short(int *wanted, int *created)
{
  (void)pthread_mutex_lock(&trying);
  *wanted = tried;
  *created = found;
  (void)pthread_mutex_unlock(&trying);
  return *created < *wanted;
}

void hs_backend_threads_use(int most)
{
  omp_set_dynamic(0); /* exactly as many threads as were asked for */
  omp_set_num_threads(hs_backend_threads_create(hs_backend_threads_available(most)));
}
