/* How many of its threads the cpu backend sweeps with, on a machine that others use as well.
 *
 * Threads meet after each pass. Where other programs keep the processors busy, one thread or another has none, and the
 * rest wait until the scheduler gives it one, some milliseconds later: two threads took 2 to 9 times as long as one. So a
 * run begins with no more threads than there are free processors, and waiting is counted. Threads that wait for half of
 * their time are no faster than half as many: where waiting has exceeded a share of the time by some milliseconds, half
 * of them leave. After a pause a quarter more are tried. They leave again if they only wait, and pauses double while
 * they do.
 *
 * Threads leave wherever all of them have met: a part of the sweeps, in a parallel region, is over for those whose
 * number is too high. More begin with the next region. No result depends on it: every backend gives the same bits with
 * any number of threads.
 */
#ifndef HS_BACKEND_CPU_TEAM_H
#define HS_BACKEND_CPU_TEAM_H

#include "backend/cpu/barrier.h"

struct hs_cpu_team {
  struct hs_waiting waiting;
  struct hs_barrier barrier;
  int most;           /* threads of the run */
  atomic_int threads; /* those that sweep; falls only where all of them have met, rises only between parallel regions */
  int before;         /* threads before the latest rise */
  double seen_s;      /* the clock when time and waiting were taken in last */
  uint64_t seen_ns;
  double sweeps_s, thread_s; /* of the sweeps so far: time, and the same for each thread, summed */
  double excess_s;           /* by which waiting has exceeded its share lately, of each waiting thread */
  double rise_s, pause_s;    /* when threads may rise next, in time of the sweeps, and how long they paused for it */
  double risen_s;            /* when they rose last */
  bool stays;                /* whatever waiting costs */
  int changes_every, met;    /* for tests: fewer threads after so many meetings, whatever waiting costs */
};

struct hs_cpu_team hs_cpu_team(int most, int processors_free);

/* Around each parallel region that sweeps, by the thread that opens it. */
void hs_cpu_team_enter(struct hs_cpu_team *team);
void hs_cpu_team_leave(struct hs_cpu_team *team);

/* Opens the barrier, by the last thread that has come to it. Who then has a number of team->threads or above must not
 * come again in this region. */
void hs_cpu_team_open(struct hs_cpu_team *team);

/* The barrier for so many threads, where the last one has nothing to do for the others. */
static inline void hs_cpu_team_meet(struct hs_cpu_team *team, int threads)
{
  if (hs_barrier_is_last(&team->barrier, threads, &team->waiting)) hs_cpu_team_open(team);
}

/* Threads in the mean of the time of the sweeps. */
double hs_cpu_team_mean(const struct hs_cpu_team *team);

/* For the above, and for tests: takes in elapsed_s of sweeps, in which all threads together have waited for waited_s,
 * and lets threads go where that is too much; or lets more come. */
void hs_cpu_team_count(struct hs_cpu_team *team, double elapsed_s, double waited_s);
void hs_cpu_team_rise(struct hs_cpu_team *team);

#endif
