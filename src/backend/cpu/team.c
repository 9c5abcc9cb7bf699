/* See cpu/team.h. */
#include "backend/cpu/team.h"

#include <math.h>

#include "base/timer.h"

/* Windows: a share of the run so far, within bounds. A time slice has 1 to 4 ms. */
static const double WINDOW_SHARE = 0.1;
static const double WINDOW_LEAST_S = 0.002;
static const double WINDOW_MOST_S = 0.03;

/* Share of waiting in the threads' time from which fewer are tried. */
static const double CROWDED = 0.25;

/* Rate of more threads over that of fewer, from which they are worth their processors. */
static const double WORTH = 1.1;

/* Pauses, in lengths of the trial before, and the longest. */
static const double PAUSE_LEAST = 16.0;
static const double PAUSE_MOST_S = 1.0;

/* Nodes swept between two looks at the clock: some 50 us of a thread, a look less than 0.1. */
static const double NODES_A_LOOK = 2e5;

struct hs_cpu_team hs_cpu_team(int most, double nodes, int changes_every)
{
  const struct hs_cpu_team team = {
      .most = most, .threads = most, .sweeps_a_look = fmax(1.0, NODES_A_LOOK / nodes), .changes_every = changes_every};
  return team;
}

/* --- what is tried ---------------------------------------------------------------------------- */

static void trial_begin(struct hs_cpu_team *team, int threads, double rate)
{
  team->before = team->threads;
  team->rate_before = rate;
  team->threads = threads;
}

static double pause_after(double pause_s, double trial_s)
{
  return fmax(fmin(2.0 * pause_s, PAUSE_MOST_S), PAUSE_LEAST * trial_s);
}

/* Keeps the number of threads that was faster, and says when the other may be tried again. */
static void trial_end(struct hs_cpu_team *team, double elapsed_s, double rate)
{
  const bool fewer = team->threads < team->before;
  const bool more_pay = fewer ? team->rate_before > WORTH * rate : rate > WORTH * team->rate_before;
  if (more_pay == fewer) team->threads = team->before;
  team->before = 0;
  if (more_pay) {
    team->pause_fewer_s = fewer ? pause_after(team->pause_fewer_s, elapsed_s) : 0.0;
    team->pause_more_s = 0.0;
  } else {
    team->pause_more_s = fewer ? PAUSE_LEAST * elapsed_s : pause_after(team->pause_more_s, elapsed_s);
    team->pause_fewer_s = 0.0;
  }
  team->next_fewer_s = team->run_s + team->pause_fewer_s;
  team->next_more_s = team->run_s + team->pause_more_s;
}

void hs_cpu_team_judge(struct hs_cpu_team *team, double elapsed_s, double waited_s, double sweeps)
{
  const double rate = sweeps / elapsed_s;
  const bool crowded = waited_s > CROWDED * team->threads * elapsed_s;
  team->run_s += elapsed_s;
  team->thread_s += team->threads * elapsed_s;
  if (team->before)
    trial_end(team, elapsed_s, rate);
  else if (crowded && team->threads > 1 && team->run_s >= team->next_fewer_s)
    trial_begin(team, team->threads / 2, rate);
  else if (!crowded && team->threads < team->most && team->run_s >= team->next_more_s)
    trial_begin(team, 2 * team->threads < team->most ? 2 * team->threads : team->most, rate);
}

double hs_cpu_team_window_s(const struct hs_cpu_team *team)
{
  return fmin(fmax(WINDOW_SHARE * team->run_s, WINDOW_LEAST_S), WINDOW_MOST_S);
}

double hs_cpu_team_mean(const struct hs_cpu_team *team)
{
  const double window_s = team->elapsed_s;
  const double run_s = team->run_s + window_s;
  return run_s > 0.0 ? (team->thread_s + team->threads * window_s) / run_s : team->threads;
}

/* --- the window under way --------------------------------------------------------------------- */

static uint64_t waited_ns(const struct hs_cpu_team *team)
{
  return atomic_load_explicit(&team->waiting.ns, memory_order_relaxed);
}

void hs_cpu_team_enter(struct hs_cpu_team *team)
{
  team->began_s = hs_time_s();
}

void hs_cpu_team_leave(struct hs_cpu_team *team)
{
  team->elapsed_s += hs_time_s() - team->began_s;
}

/* Each number in turn. */
static void change(struct hs_cpu_team *team)
{
  if (++team->meetings % team->changes_every == 0) team->threads = 1 + team->threads % team->most;
}

void hs_cpu_team_met(struct hs_cpu_team *team, double sweeps)
{
  const uint64_t waited = waited_ns(team);
  double now_s, elapsed_s;
  team->sweeps_unseen += sweeps;
  if (team->changes_every) change(team);
  if (team->most == 1 || team->changes_every) return;
  if (waited == team->looked_ns && team->sweeps_unseen < team->sweeps_a_look) return;
  team->looked_ns = waited;
  team->sweeps += team->sweeps_unseen;
  team->sweeps_unseen = 0.0;
  now_s = hs_time_s();
  elapsed_s = team->elapsed_s + now_s - team->began_s;
  if (elapsed_s < hs_cpu_team_window_s(team)) return;
  hs_cpu_team_judge(team, elapsed_s, 1e-9 * (double)(waited - team->waited_ns), team->sweeps);
  team->began_s = now_s;
  team->elapsed_s = 0.0;
  team->sweeps = 0.0;
  team->waited_ns = waited;
}
