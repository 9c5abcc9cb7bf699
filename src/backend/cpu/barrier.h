/* A barrier between the threads of a sweep.
 *
 * Threads that meet after every sweep of a few microseconds must not sleep, and must not hold a
 * core either when the machine has others to run: a thread spins for some ten microseconds and then
 * gives its core away at every look. (The runtime's own barrier spins for milliseconds first; on
 * a busy machine, where the missing thread waits for that very core, runs became hundreds of times
 * slower.) What is waited beyond that is counted (cpu/team.h).
 */
#ifndef HS_BACKEND_CPU_BARRIER_H
#define HS_BACKEND_CPU_BARRIER_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/timer.h"

/* What threads have waited for one another, all together, but for the first moments of each wait. */
struct hs_waiting {
  _Alignas(64) atomic_uint_fast64_t ns;
};

/* A loop that waits for another thread; all 0 before the first look. */
struct hs_wait {
  int looks;
  double counted_s; /* the clock, up to which the wait is counted */
};

/* Between two looks. */
static inline void hs_wait_look(struct hs_wait *wait, struct hs_waiting *waiting)
{
  enum { SPINS = 1000 };
  double now_s;
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
  if (wait->looks < SPINS) {
    if (++wait->looks == SPINS) wait->counted_s = hs_time_s();
    return;
  }
  sched_yield();
  now_s = hs_time_s();
  atomic_fetch_add_explicit(&waiting->ns, (uint64_t)(1e9 * (now_s - wait->counted_s)), memory_order_relaxed);
  wait->counted_s = now_s;
}

struct hs_barrier {
  _Alignas(64) atomic_int arrived;
  atomic_uint phase;
};

/* Waits until all `team` threads have called it, for all but the last one: it gets true at once, may do something
 * while the others wait, and must open the barrier. Everything written before is seen by all after. */
static inline bool hs_barrier_is_last(struct hs_barrier *barrier, int team, struct hs_waiting *waiting)
{
  const unsigned phase = atomic_load_explicit(&barrier->phase, memory_order_acquire);
  struct hs_wait wait = {0};
  if (atomic_fetch_add_explicit(&barrier->arrived, 1, memory_order_acq_rel) == team - 1) return true;
  while (atomic_load_explicit(&barrier->phase, memory_order_acquire) == phase) hs_wait_look(&wait, waiting);
  return false;
}

static inline void hs_barrier_open(struct hs_barrier *barrier)
{
  const unsigned phase = atomic_load_explicit(&barrier->phase, memory_order_relaxed);
  atomic_store_explicit(&barrier->arrived, 0, memory_order_relaxed);
  atomic_store_explicit(&barrier->phase, phase + 1, memory_order_release);
}

/* How far a thread has come, on a line of the cache of its own; never falls. */
struct hs_progress {
  _Alignas(64) atomic_uint_fast64_t reached;
};

/* All that was written before is seen by who waits for it. */
static inline void hs_progress_set(struct hs_progress *progress, uint64_t reached)
{
  atomic_store_explicit(&progress->reached, reached, memory_order_release);
}

static inline void hs_progress_wait(const struct hs_progress *progress, uint64_t wanted, struct hs_waiting *waiting)
{
  struct hs_wait wait = {0};
  while (atomic_load_explicit(&progress->reached, memory_order_acquire) < wanted) hs_wait_look(&wait, waiting);
}

#endif
