/* How many of its threads the cpu backend sweeps with, on a machine that others use as well.
 *
 * Threads meet after each pass. Where other programs keep the processors busy, one thread or another has none, and all
 * wait for it until the scheduler gives it one, a time slice later: two threads were seen to take 4 to 30 times as long
 * as one. So waiting is measured. Where it takes more than a quarter of the threads' time, half of them are tried for a
 * while, and whichever number swept faster stays. After a pause more are tried likewise, since the others may be gone;
 * pauses double while that is in vain.
 *
 * Everything is measured in windows, which grow with the time that the run has taken: a wrong number of threads costs a
 * small part of a run, however short it is.
 *
 * No result depends on it: every backend gives the same bits with any number of threads.
 */
#ifndef HS_BACKEND_CPU_TEAM_H
#define HS_BACKEND_CPU_TEAM_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/cpu/barrier.h"

struct hs_cpu_team {
  struct hs_waiting waiting; /* of all threads */
  int most;                  /* threads of the run */
  int threads;               /* those that sweep; changes where all of them have met */

  /* What is tried, and when something may be tried again; times are those of the run's sweeps so far. */
  int before; /* threads before the present trial; 0: no trial */
  double rate_before;
  double run_s;
  double next_fewer_s, next_more_s;
  double pause_fewer_s, pause_more_s;
  double thread_s; /* threads times the time that they were swept with */

  /* The window under way. */
  double began_s;   /* the clock, at its beginning or at the beginning of its latest parallel region */
  double elapsed_s; /* in its regions before that one */
  double sweeps;
  uint64_t waited_ns;   /* waiting.ns when it began, */
  uint64_t looked_ns;   /* and when the clock was looked at last, */
  double sweeps_unseen; /* and the sweeps since then */
  double sweeps_a_look; /* that take much longer than a look at the clock */

  int changes_every, meetings; /* for tests: another number after so many meetings, whatever waiting costs */
};

/* A team of `most` threads for sweeps of so many nodes. */
struct hs_cpu_team hs_cpu_team(int most, double nodes, int changes_every);

/* Around each parallel region that sweeps, by the thread that opens it. */
void hs_cpu_team_enter(struct hs_cpu_team *team);
void hs_cpu_team_leave(struct hs_cpu_team *team);

/* Wherever all threads meet, by the last of them, while the others wait: so many sweeps were made. A change of
 * team->threads asks all threads to leave the region, so that another one may begin with as many. */
void hs_cpu_team_met(struct hs_cpu_team *team, double sweeps);

/* The end of a window: sets team->threads for the next one. waited_s: of all threads together. */
void hs_cpu_team_judge(struct hs_cpu_team *team, double elapsed_s, double waited_s, double sweeps);

/* Seconds of the next window at least. */
double hs_cpu_team_window_s(const struct hs_cpu_team *team);

/* Threads in the mean of the time that was swept. */
double hs_cpu_team_mean(const struct hs_cpu_team *team);

#endif
