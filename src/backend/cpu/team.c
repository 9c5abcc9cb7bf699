/* See cpu/team.h. */
#include "backend/cpu/team.h"

#include <math.h>

/* Share of its time that a thread may wait, and the excess that makes half of them leave: more than the time slice or
 * two that a system's own business takes. */
static const double WAITING_SHARE = 0.33;
static const double EXCESS_MOST_S = 0.003;

/* The first pause before more threads are tried, and the longest. A trial in vain costs some milliseconds. */
static const double PAUSE_FIRST_S = 0.2;
static const double PAUSE_MOST_S = 2.0;

struct hs_cpu_team hs_cpu_team(int most, int processors_free)
{
  const int threads = processors_free < most ? processors_free : most;
  return (struct hs_cpu_team){
      .most = most, .threads = threads, .rise_s = PAUSE_FIRST_S, .risen_s = -INFINITY, .pause_s = PAUSE_FIRST_S};
}

/* To the number before a rise that did not last, else half; never more than there are. */
static void fall(struct hs_cpu_team *team)
{
  const bool in_vain = team->before < team->threads && team->sweeps_s < team->risen_s + team->pause_s;
  team->threads = in_vain ? team->before : team->threads / 2;
  team->pause_s = in_vain ? fmin(2.0 * team->pause_s, PAUSE_MOST_S) : PAUSE_FIRST_S;
  team->rise_s = team->sweeps_s + team->pause_s;
  team->excess_s = 0.0;
}

void hs_cpu_team_count(struct hs_cpu_team *team, double elapsed_s, double waited_s)
{
  team->sweeps_s += elapsed_s;
  team->thread_s += team->threads * elapsed_s;
  if (team->threads == 1 || team->stays) return;
  team->excess_s = fmax(0.0, team->excess_s + waited_s / (team->threads - 1) - WAITING_SHARE * elapsed_s);
  if (team->excess_s > EXCESS_MOST_S) fall(team);
}

void hs_cpu_team_rise(struct hs_cpu_team *team)
{
  if (team->threads == team->most || team->sweeps_s < team->rise_s) return;
  team->before = team->threads;
  team->threads += team->threads < 4 ? 1 : team->threads / 4;
  if (team->threads > team->most) team->threads = team->most;
  team->risen_s = team->sweeps_s;
  team->rise_s = team->sweeps_s + PAUSE_FIRST_S;
  team->excess_s = 0.0;
}

/* --- the clock ------------------------------------------------------------------------------- */

static void look(struct hs_cpu_team *team, uint64_t waited_ns)
{
  const double now_s = hs_time_s(), waited_s = 1e-9 * (double)(waited_ns - team->seen_ns);
  hs_cpu_team_count(team, now_s - team->seen_s, waited_s);
  team->seen_s = now_s;
  team->seen_ns = waited_ns;
}

void hs_cpu_team_enter(struct hs_cpu_team *team)
{
  if (team->most == 1) return;
  hs_cpu_team_rise(team);
  if (team->changes_every && team->threads == 1) team->threads = team->most;
  team->seen_s = hs_time_s();
}

void hs_cpu_team_open(struct hs_cpu_team *team)
{
  const uint64_t waited_ns = atomic_load_explicit(&team->waiting.ns, memory_order_relaxed);
  if (waited_ns != team->seen_ns) look(team, waited_ns);
  if (team->changes_every && ++team->met % team->changes_every == 0 && team->threads > 1) team->threads--;
  hs_barrier_open(&team->barrier);
}

void hs_cpu_team_leave(struct hs_cpu_team *team)
{
  if (team->most > 1) look(team, atomic_load_explicit(&team->waiting.ns, memory_order_relaxed));
}

double hs_cpu_team_mean(const struct hs_cpu_team *team)
{
  return team->sweeps_s > 0.0 ? team->thread_s / team->sweeps_s : team->threads;
}
