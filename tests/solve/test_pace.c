/* Long intervals are swept in pieces. */
#include "solve/cases.h"

#include <stdlib.h>
#include <time.h>

/* A slow backend on which STRETCH sweeps take as long as one, but which is cpu-reference in all else; and the numbers
 * of sweeps that it was asked for. */
enum { STRETCH = 40, MOST_PIECES = 1000 };
static int64_t pieces[MOST_PIECES];
static int piece_count;

static int slow_stretch(const struct hs_backend_state *state)
{
  (void)state;
  return STRETCH;
}

static hs_status slow_sweep(struct hs_backend_state *state, int64_t n, struct hs_error *err)
{
  const struct timespec pause = {.tv_nsec = 55000000}; /* more than half an event period */
  assert_true(piece_count < MOST_PIECES);
  pieces[piece_count++] = n;
  if (n) nanosleep(&pause, NULL);
  return hs_backend_reference.sweep(state, n, err);
}

/* A rate that was measured on a piece of one sweep would ask for one sweep again, and so on for ever. */
static void pieces_are_whole_stretches(void **state)
{
  struct hs_config config = test_config(12, 9);
  const struct hs_solve_settings settings = {
      .quantity = HS_STOP_UPDATE_L2, .tolerance = 1e-300, .max_iterations = 300, .check_every = 300, .sweep_s = 1.0};
  struct hs_backend slow = hs_backend_reference;
  struct hs_solve_outcome outcome;
  struct hs_system *system;
  int64_t swept = 0;
  double *start_k;
  (void)state;
  slow.sweeps_per_call = slow_stretch;
  slow.sweep = slow_sweep;
  test_wall_temperature(&config, HS_WEST, 1.0);
  system = test_system(&config);
  start_k = test_field(system);
  outcome = test_solve(system, start_k, &settings, &slow, false, NULL, NULL);
  assert_true(piece_count >= 3); /* a few, and one or two for the norms of the start */
  for (int k = 0; k < piece_count; k++) {
    swept += pieces[k];
    if (pieces[k] < STRETCH && swept > 2 && swept < 300) fail_msg("a piece of %lld sweeps", (long long)pieces[k]);
  }
  assert_int_equal(outcome.sweeps, 300);
  assert_true(swept >= 300);
  hs_solve_outcome_clear(&outcome);
  free(start_k);
  hs_system_destroy(system);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_are_whole_stretches),
  };
  return cmocka_run_group_tests_name("pace", tests, NULL, NULL);
}
