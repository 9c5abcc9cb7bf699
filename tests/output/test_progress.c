/* The progress line. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/output.h"

static void test_progress_is_silent_without_a_terminal(void **state)
{
  const struct hs_solve_progress progress = {.sweeps = 100,
                                             .max_sweeps = 1000,
                                             .quantity = HS_STOP_UPDATE_L2,
                                             .value = 0.5,
                                             .tolerance = 1e-4,
                                             .convergence_rate = 0.01,
                                             .elapsed_s = 1.0};
  struct hs_progress_line line;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  (void)state;
  assert_non_null(out);
  hs_progress_line_start(&line, out, false);
  assert_false(line.enabled);
  hs_progress_line_draw(&line, &progress);
  hs_progress_line_clear(&line);
  line.enabled = true;
  hs_progress_line_draw(&line, &progress);
  fflush(out);
  assert_non_null(strstr(text, "\r100 sweeps, update_l2 5.00e-01 -> 0.0001, 9 s left, 100 sweeps/s"));
  assert_true(line.width < 80);
  hs_progress_line_clear(&line);
  fclose(out);
  assert_int_equal(text[strlen(text) - 1], '\r');
  free(text);
}

static void test_progress_of_a_transient(void **state)
{
  const struct hs_solve_progress progress = {
      .sweeps = 3000, .max_sweeps = 100, .elapsed_s = 2.0, .time_s = 2.5, .end_s = 10.0, .steps = 200};
  struct hs_progress_line line;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  (void)state;
  assert_non_null(out);
  hs_progress_line_start(&line, out, false);
  line.enabled = true;
  hs_progress_line_draw(&line, &progress);
  fflush(out);
  assert_non_null(strstr(text, "\rt = 2.5 of 10 s, 200 steps, 15 sweeps/step, 6 s left, 1500 sweeps/s"));
  fclose(out);
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_progress_is_silent_without_a_terminal),
      cmocka_unit_test(test_progress_of_a_transient),
  };
  return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
