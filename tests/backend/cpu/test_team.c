/* How many threads the cpu backend sweeps with (cpu/team.h), on machines that are made of numbers: threads wait for a
 * share of their time wherever there are more of them than free processors. */
#include "support.h"

#include <limits.h>

#include "backend/cpu/team.h"

static const double MEETING_S = 0.001;

/* Sweeps for so long beside other programs, that leave `free` processors; all but one thread then wait for such a share
 * of their time. Returns the threads in the mean. */
static double run(struct hs_cpu_team *team, double seconds, int free, double share)
{
  const int meetings = (int)(seconds / MEETING_S), regions = 5;
  double sum = 0.0;
  for (int k = 0; k < meetings; k++) {
    const double waiting = team->threads > free ? share : 0.0;
    if (k % regions == 0) hs_cpu_team_rise(team);
    sum += team->threads;
    hs_cpu_team_count(team, MEETING_S, waiting * (team->threads - 1) * MEETING_S);
    assert_in_range(team->threads, 1, team->most);
  }
  return sum / meetings;
}

static void a_quiet_machine_sweeps_with_all(void **state)
{
  (void)state;
  for (int most = 1; most <= 16; most++) {
    struct hs_cpu_team team = hs_cpu_team(most, INT_MAX);
    test_near("threads", run(&team, 10.0, 0, 0.25), most, 1e-12); /* uneven work */
    test_near("threads in the mean", hs_cpu_team_mean(&team), most, 1e-9);
  }
}

static void a_hiccup_is_no_reason(void **state)
{
  struct hs_cpu_team team = hs_cpu_team(4, INT_MAX);
  (void)state;
  for (int k = 0; k < 100; k++) {
    run(&team, 0.1, 4, 0.0);
    test_near("threads", run(&team, 0.004, 0, 1.0), 4.0, 1e-12);
  }
}

/* Threads that wait for more than half of their time would be slower than one: they get a small part of the time only,
 * be the run short or long. */
static void a_busy_machine_sweeps_with_one(void **state)
{
  static const double seconds[] = {0.1, 1.0, 10.0, 100.0}, mean[] = {1.2, 1.1, 1.05, 1.02};
  (void)state;
  for (size_t k = 0; k < sizeof seconds / sizeof *seconds; k++) {
    struct hs_cpu_team team = hs_cpu_team(2, INT_MAX);
    assert_true(run(&team, seconds[k], 1, 0.6) < mean[k]);
    assert_true(hs_cpu_team_mean(&team) < mean[k]);
  }
}

static void a_team_that_stays_keeps_all_its_threads(void **state)
{
  struct hs_cpu_team team = hs_cpu_team(2, INT_MAX);
  (void)state;
  team.stays = true;
  run(&team, 10.0, 1, 0.6);
  assert_int_equal(team.threads, 2);
}

static void it_begins_with_free_processors(void **state)
{
  const struct hs_cpu_team three = hs_cpu_team(8, 3), one = hs_cpu_team(8, 1), all = hs_cpu_team(8, 9);
  (void)state;
  assert_int_equal(three.threads, 3);
  assert_int_equal(one.threads, 1);
  assert_int_equal(all.threads, 8);
}

static void others_that_come_and_go_are_followed(void **state)
{
  struct hs_cpu_team team = hs_cpu_team(8, INT_MAX);
  (void)state;
  for (int k = 0; k < 5; k++) {
    run(&team, 10.0, 0, 0.8);
    assert_true(run(&team, 10.0, 0, 0.8) < 1.1);
    run(&team, 4.0, 8, 0.8);
    assert_int_equal(team.threads, 8);
  }
}

/* Others that come right after a rise in vain: the number before it is too high as well. */
static void a_rise_in_vain_does_not_hold_up_a_fall(void **state)
{
  struct hs_cpu_team team = hs_cpu_team(4, INT_MAX);
  (void)state;
  for (int k = 0; k < 10000 && !(team.before == 3 && team.threads == 3); k++) run(&team, MEETING_S, 3, 0.7);
  assert_int_equal(team.threads, 3);
  run(&team, 0.05, 1, 0.8);
  assert_int_equal(team.threads, 1);
}

static void free_processors_are_used(void **state)
{
  (void)state;
  for (int free = 1; free <= 16; free++) {
    struct hs_cpu_team team = hs_cpu_team(16, INT_MAX);
    run(&team, 5.0, free, 0.7);
    assert_true(run(&team, 10.0, free, 0.7) > 0.8 * free);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_quiet_machine_sweeps_with_all),
      cmocka_unit_test(a_hiccup_is_no_reason),
      cmocka_unit_test(a_busy_machine_sweeps_with_one),
      cmocka_unit_test(a_team_that_stays_keeps_all_its_threads),
      cmocka_unit_test(it_begins_with_free_processors),
      cmocka_unit_test(others_that_come_and_go_are_followed),
      cmocka_unit_test(a_rise_in_vain_does_not_hold_up_a_fall),
      cmocka_unit_test(free_processors_are_used),
  };
  return cmocka_run_group_tests_name("cpu team", tests, NULL, NULL);
}
