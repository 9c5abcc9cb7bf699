/* A barrier between the threads of a sweep.
 *
 * Threads that meet after every sweep of a few microseconds must not sleep, and must not hold a
 * core either when the machine has others to run: a thread spins for about a microsecond and then
 * gives its core away at every look. (The runtime's own barrier spins for milliseconds first; on
 * a busy machine, where the missing thread waits for that very core, runs became hundreds of times
 * slower.)
 */
#ifndef HS_BACKEND_CPU_BARRIER_H
#define HS_BACKEND_CPU_BARRIER_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Between two looks of a loop that waits for another thread; *looks is 0 before the first one. */
static inline void hs_barrier_look(int *looks)
{
  enum { SPINS = 1000 };
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
  if (*looks < SPINS)
    ++*looks;
  else
    sched_yield();
}

struct hs_barrier {
  atomic_int arrived;
  atomic_uint phase;
};

/* Waits until all `team` threads have called it, for all but the last one: it gets true at once, may do something
 * while the others wait, and must open the barrier. Everything written before is seen by all after. */
static inline bool hs_barrier_is_last(struct hs_barrier *barrier, int team)
{
  const unsigned phase = atomic_load_explicit(&barrier->phase, memory_order_acquire);
  int looks = 0;
  if (atomic_fetch_add_explicit(&barrier->arrived, 1, memory_order_acq_rel) == team - 1) return true;
  while (atomic_load_explicit(&barrier->phase, memory_order_acquire) == phase) hs_barrier_look(&looks);
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

/* How far a thread has come, on a line of the cache of its own; never falls. */
struct hs_progress {
  _Alignas(64) atomic_uint_fast64_t reached;
};

/* All that was written before is seen by who waits for it. */
static inline void hs_progress_set(struct hs_progress *progress, uint64_t reached)
{
  atomic_store_explicit(&progress->reached, reached, memory_order_release);
}

static inline void hs_progress_wait(const struct hs_progress *progress, uint64_t wanted)
{
  int looks = 0;
  while (atomic_load_explicit(&progress->reached, memory_order_acquire) < wanted) hs_barrier_look(&looks);
}

#endif
