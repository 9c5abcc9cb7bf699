/* The progress line. */
#include "support.h"

#include <math.h>
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
  hs_progress_line_start(&line, out, false, false);
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
  hs_progress_line_start(&line, out, false, false);
  line.enabled = true;
  hs_progress_line_draw(&line, &progress);
  fflush(out);
  assert_non_null(strstr(text, "\rt = 2.5 of 10 s, 200 steps, 15 sweeps/step, 6 s left, 1500 sweeps/s"));
  fclose(out);
  free(text);
}

static void test_progress_of_cycles(void **state)
{
  struct hs_solve_progress progress = {.sweeps = 3,
                                       .max_sweeps = 100,
                                       .quantity = HS_STOP_ERROR,
                                       .value = 0.5,
                                       .tolerance = 1e-3,
                                       .expected_sweeps = 7.0,
                                       .elapsed_s = 1.5};
  struct hs_progress_line line;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  (void)state;
  assert_non_null(out);
  hs_progress_line_start(&line, out, true, false);
  line.enabled = true;
  hs_progress_line_draw(&line, &progress);
  progress.end_s = 10.0;
  progress.steps = 2;
  hs_progress_line_draw(&line, &progress);
  fclose(out);
  assert_non_null(strstr(text, "\r3 cycles, error 5.00e-01 -> 0.001, 2 s left, 2 cycles/s"));
  assert_non_null(strstr(text, "2 steps, 1.5 cycles/step, "));
  assert_null(strstr(text, "sweep"));
  free(text);
}

/* Ends the test unless the line for progress has that text. */
static void assert_line_has(const struct hs_solve_progress *progress, const char *wanted)
{
  struct hs_progress_line line;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  hs_progress_line_start(&line, out, false, false);
  line.enabled = true;
  hs_progress_line_draw(&line, progress);
  fclose(out);
  if (!strstr(text, wanted)) fail_msg("\"%s\" is not in \"%s\"", wanted, text);
  free(text);
}

/* Without a convergence rate the forecast of the run tells the time left, and beyond it nobody does. */
static void test_time_left_without_a_rate(void **state)
{
  struct hs_solve_progress progress = {.sweeps = 1000,
                                       .max_sweeps = 1000000,
                                       .quantity = HS_STOP_ERROR,
                                       .value = NAN,
                                       .tolerance = 1e-3,
                                       .elapsed_s = 10.0};
  (void)state;
  assert_line_has(&progress, "not yet checked, unknown time left,");
  progress.expected_sweeps = 5000.0;
  assert_line_has(&progress, "40 s left,");
  progress.expected_sweeps = 5e6;
  assert_line_has(&progress, "2 h 46 min left,"); /* to the limit */
  progress.expected_sweeps = 900.0;
  assert_line_has(&progress, "unknown time left,");
  progress.value = 0.5;
  progress.convergence_rate = 0.01;
  assert_line_has(&progress, "6 s left,");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_progress_is_silent_without_a_terminal),
      cmocka_unit_test(test_progress_of_a_transient),
      cmocka_unit_test(test_progress_of_cycles),
      cmocka_unit_test(test_time_left_without_a_rate),
  };
  return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
