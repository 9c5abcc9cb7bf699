/* A barrier between the threads of a sweep.
 *
 * Threads that meet after every sweep of a few microseconds must not sleep, and must not hold a
 * core either when the machine has others to run: a thread spins for about a microsecond and then
 * gives its core away at every look. (The runtime's own barrier spins for milliseconds first; on
 * a busy machine, where the missing thread waits for that very core, runs became hundreds of times
 * slower.)
 */
#ifndef HS_BACKEND_BARRIER_H
#define HS_BACKEND_BARRIER_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

struct hs_barrier {
  atomic_int arrived;
  atomic_uint phase;
};

/* Waits until all `team` threads have called it, for all but the last one: it gets true at once, may do something
 * while the others wait, and must open the barrier. Everything written before is seen by all after. */
static inline bool hs_barrier_is_last(struct hs_barrier *barrier, int team)
{
  enum { SPINS = 1000 };
  const unsigned phase = atomic_load_explicit(&barrier->phase, memory_order_acquire);
  if (atomic_fetch_add_explicit(&barrier->arrived, 1, memory_order_acq_rel) == team - 1) return true;
  for (int spins = 0; atomic_load_explicit(&barrier->phase, memory_order_acquire) == phase; spins++) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
    if (spins >= SPINS) sched_yield();
  }
  return false;
}

static inline void hs_barrier_open(struct hs_barrier *barrier)
{
  const unsigned phase = atomic_load_explicit(&barrier->phase, memory_order_relaxed);
  atomic_store_explicit(&barrier->arrived, 0, memory_order_relaxed);
  atomic_store_explicit(&barrier->phase, phase + 1, memory_order_release);
}

static inline void hs_barrier_wait(struct hs_barrier *barrier, int team)
{
  if (hs_barrier_is_last(barrier, team)) hs_barrier_open(barrier);
}

#endif
