/* The report for people says what applies; doubts come when they must. */
#include "output/sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "output/fixture.h"
#include "output/output.h"
#include "output/report/report.h"

static char *printed(const struct hs_result *result, unsigned files)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  hs_output_report_print(out, result, files);
  fclose(out);
  assert_says_not(text, "arning");
  return text;
}

/* Are there so many doubts about the result, one of them with these words? */
static void assert_doubts(const struct hs_result *result, int count, const char *words)
{
  struct hs_warnings doubts;
  bool found = false;
  hs_output_doubts(result, &doubts);
  for (int k = 0; k < doubts.count; k++) {
    const char *text = doubts.text[k];
    found = found || strstr(text, words);
    assert_null(strpbrk(text, "\r\n"));
    assert_true(text[0] && text[strlen(text) - 1] != '.');
  }
  assert_int_equal(doubts.count, count);
  if (!found && count) fail_msg("no doubt says \"%s\"", words);
}

/* The line that begins so has the heat flow, and the same over the 0.5 m of the side. */
static void assert_mean(const char *text, const char *begins, double heat_w_m, const char *ends)
{
  const char *line = strstr(text, begins), *numbers = line ? line + strlen(begins) : "";
  double heat, mean;
  if (sscanf(numbers, " %lf W per metre of depth, %lf ", &heat, &mean) != 2 &&
      sscanf(numbers, " %lf %lf ", &heat, &mean) != 2)
    fail_msg("no two numbers behind %s in %s", begins, text);
  test_near("heat", heat, heat_w_m, 1e-5 * fabs(heat_w_m));
  test_near("mean", mean, heat_w_m / 0.5, 1e-5 * fabs(heat_w_m / 0.5));
  assert_says(line, ends);
}

static void text_says_what_applies(void **state)
{
  struct sample sample;
  char *text;
  (void)state;
  sample_create(&sample);
  assert_doubts(&sample.result, 0, "");
  text = printed(&sample.result, 1u << HS_FILE_CSV);
  assert_says(text, "converged after 300 sweeps (zero-based stop index 299)");
  assert_says(text, "heat from west");
  assert_says(text, "heat from held shapes");
  assert_says_not(text, "heat from south"); /* insulated */
  assert_says_not(text, "heat from losses");
  assert_says_not(text, "heat content");
  assert_says_not(text, "level");
  assert_says(text, "\n  surface   side   kind           heat in, W/m      mean, W/m2\n");
  assert_mean(text, "\n  heat from east ", sample.result.answers.balance.side_w_m[HS_EAST], "W/m2 on average");
  assert_mean(text, "\n  east      east   convection ", sample.result.answers.surface_w_m[HS_EAST], "");
  assert_says(text, "\n  pipe             held  ");
  assert_says(text, "\n  wool    ");
  assert_says(text, "\n  background");
  assert_says(text, "/line-cut.csv\n");
  free(text);
  sample.plate.config.output.unit = (char *)"degC";
  sample.result.answers.minimum_k = 0.0;
  sample.result.answers.minimum_at_m[0] = 0.125;
  sample.result.answers.minimum_at_m[1] = 0.25;
  sample.result.answers.maximum_at_m[0] = NAN;
  text = printed(&sample.result, 0);
  assert_says(text, "lowest temperature     0 degC at x = 0.125 m, y = 0.25 m\n");
  assert_says(text, "highest temperature    60 degC\n");
  assert_says(text, "T, degC");
  free(text);
  sample_destroy(&sample);
}

/* Multigrid counts cycles, and nothing is said of sweeps but the work. */
static void text_counts_cycles(void **state)
{
  struct sample sample;
  char *text;
  (void)state;
  sample_create(&sample);
  sample.result.method = HS_METHOD_MULTIGRID;
  sample.result.outcome.sweeps = 7;
  sample.result.outcome.work_sweeps = 148.4;
  sample.result.levels = 5;
  sample.result.time_levels_s = 0.25;
  sample.result.time_solve_s = 0.5;
  sample.result.node_updates_per_s = 0.0;
  text = printed(&sample.result, 0);
  assert_says(text, "converged after 7 cycles, the work of 148 sweeps\n");
  assert_says(text, ", found by a cycle from the field itself\n");
  assert_says(text, "multigrid, 5 levels made in 0.25 s\n");
  assert_says(text, "0.5 s of it cycles\n");
  assert_says_not(text, "stop index");
  assert_says_not(text, "looked at");
  assert_says_not(text, "update, ");
  free(text);
  sample.result.outcome.verdict = HS_VERDICT_LIMIT;
  sample.result.outcome.unbalanced_at = 5;
  text = printed(&sample.result, 0);
  assert_says(text, "the test alone held at cycle 5");
  free(text);
  assert_doubts(&sample.result, 1, "The stop test has held since cycle 5, but heat in and heat out differ");
  sample.result.outcome.verdict = HS_VERDICT_STAGNATED;
  assert_doubts(&sample.result, 1, "ccept a larger solver.balance_tolerance");
  sample.result.outcome.unbalanced_at = 0;
  sample.result.outcome.verdict = HS_VERDICT_LIMIT;
  assert_doubts(&sample.result, 1, " cycles was reached before the stop test held");
  sample.result.outcome.verdict = HS_VERDICT_STAGNATED;
  assert_doubts(&sample.result, 1, "the residual no longer falls");
  sample_make_transient(&sample);
  text = printed(&sample.result, 0);
  assert_says(text, "after 8 steps and 77 cycles\n");
  free(text);
  sample_destroy(&sample);
}

static void doubts_about_a_balance_that_is_not_met(void **state)
{
  struct sample sample;
  char *text;
  (void)state;
  sample_create(&sample);
  sample.result.answers.balance.imbalance_relative = 2e-4;
  assert_doubts(&sample.result, 1, "the stop test is met, but heat in and heat out differ by 0.02 %");
  sample.result.outcome.verdict = HS_VERDICT_LIMIT;
  sample.result.outcome.unbalanced_at = 256;
  assert_doubts(&sample.result, 1, "The stop test has held since sweep 256");
  text = printed(&sample.result, 0);
  assert_says(text, "NOT converged");
  free(text);
  sample.result.outcome.unbalanced_at = 0;
  assert_doubts(&sample.result, 1, "was reached before the stop test held");
  sample_destroy(&sample);
}

static void text_tells_that_the_level_is_free(void **state)
{
  struct sample sample;
  char *text;
  (void)state;
  sample_create(&sample);
  plate_wall(&sample.plate, HS_WEST, HS_WALL_FLUX, 1.0, 0.0);
  plate_wall(&sample.plate, HS_EAST, HS_WALL_FLUX, -1.0, 0.0);
  sample.plate.problem.held_count = 0;
  sample.result.mean_shift_k = 0.25;
  text = printed(&sample.result, 0);
  assert_says(text, "only differences follow from the problem");
  assert_says(text, "moved by 0.25 K");
  free(text);
  sample.plate.classes[1].loss_w_m3k = 1.0;
  text = printed(&sample.result, 0);
  assert_says_not(text, "only differences");
  free(text);
  sample_destroy(&sample);
}

static void text_of_a_transient_has_its_own_words(void **state)
{
  struct sample sample;
  char *text;
  (void)state;
  sample_create(&sample);
  sample_make_transient(&sample);
  text = printed(&sample.result, 0);
  assert_says(text, "completed at t = 4 s of 4 s, after 8 steps and 77 sweeps");
  assert_says(text, "crank_nicolson, 0.5 s\n");
  assert_says(text, "time step error        not known");
  assert_says(text, "1.5 W/m stored at this time");
  assert_says_not(text, "stop test");
  assert_says_not(text, "remaining error");
  assert_doubts(&sample.result, 0, "");
  free(text);
  sample.plate.config.time.damped_steps = 2;
  text = printed(&sample.result, 0);
  assert_says(text, "crank_nicolson, 0.5 s, damped until t = 1 s\n");
  free(text);
  sample.plate.config.time.damped_steps = 9; /* of eight */
  text = printed(&sample.result, 0);
  assert_says(text, "damped until t = 4 s\n");
  free(text);
  sample.plate.config.time.scheme = HS_SCHEME_EXPLICIT;
  sample.plate.config.time.step_s = NAN;
  sample.result.transient.step_smallest_s = 0.25;
  text = printed(&sample.result, 0);
  assert_says(
      text, "explicit, 0.5 s, the largest stable step, shorter ones, of 0.25 s at least, before a snapshot or the end");
  assert_says_not(text, "solver error");
  free(text);
  sample.result.transient.verdict = HS_VERDICT_INTERRUPTED;
  sample.result.transient.time_s = 3.5;
  text = printed(&sample.result, 0);
  assert_says(text, "interrupted at t = 3.5 s");
  free(text);
  assert_doubts(&sample.result, 1, "the run was interrupted at t = 3.5 s");
  sample_destroy(&sample);
}

static void text_tells_of_threads(void **state)
{
  static const struct {
    struct hs_backend_place place;
    int allowed;
    const char *words;
  } cases[] = {
      {{.device = "a CPU", .threads = 2, .threads_mean = 2.0}, 0, "on a CPU, 2 threads\n"},
      {{.device = "a CPU", .threads = 2, .threads_mean = 1.91}, 2, "on a CPU, 2 threads\n"},
      {{.device = "a CPU", .threads = 1, .threads_mean = 1.0}, 16, "on a CPU, 1 thread of the 16 allowed\n"},
      {{.device = "a CPU", .threads = 1, .threads_mean = 1.0, .serial = true}, 16, "on a CPU, 1 thread\n"},
      {{.device = "a CPU", .threads = 2, .threads_mean = 1.2},
       2,
       "1.2 threads on average: other programs kept processors busy\n"},
      {{.device = "a GPU"}, 16, "on a GPU\n"},
  };
  struct sample sample;
  (void)state;
  sample_create(&sample);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char *text;
    sample.result.place = cases[k].place;
    sample.plate.config.solver.threads = cases[k].allowed;
    sample.result.time_solve_s = 2.0;
    sample.result.time_predicted_s = 1.0;
    text = printed(&sample.result, 0);
    assert_says(text, cases[k].words);
    if (!strstr(cases[k].words, "busy")) assert_says_not(text, "busy");
    if (strstr(cases[k].words, "busy")) assert_says(text, "2.00 times as long, with 1.2 threads for 2\n");
    free(text);
  }
  sample_destroy(&sample);
}

static void doubts_come_exactly_when_they_must(void **state)
{
  struct fixture fixture;
  (void)state;
  fixture_fill(&fixture);
  assert_doubts(&fixture.result, 2, "the update is small, the error is not");
  assert_doubts(&fixture.result, 2, "heat in and heat out differ");
  fixture.result.outcome.error_estimate_k = 0.009;
  fixture.result.answers.balance.imbalance_relative = 0.009;
  assert_doubts(&fixture.result, 0, "");
  fixture.config.solver.balance_tolerance = 1e-4;
  assert_doubts(&fixture.result, 1, "solver.balance_tolerance = 0.0001");
  fixture.config.solver.balance_tolerance = 1.0;
  fixture.result.outcome.estimate_converged = false;
  assert_doubts(&fixture.result, 1, "has not converged");
  fixture.result.outcome.error_estimate_k = NAN;
  fixture.result.outcome.verdict = HS_VERDICT_LIMIT;
  assert_doubts(&fixture.result, 2, "cannot be estimated");
  assert_doubts(&fixture.result, 2, "max_iterations");
}

static int folder_create(void **state)
{
  (void)state;
  return test_folder_create("report");
}

static int folder_remove(void **state)
{
  static const char *const files[] = {NULL};
  (void)state;
  return test_folder_remove(files);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_says_what_applies),
      cmocka_unit_test(text_counts_cycles),
      cmocka_unit_test(doubts_about_a_balance_that_is_not_met),
      cmocka_unit_test(text_tells_that_the_level_is_free),
      cmocka_unit_test(text_of_a_transient_has_its_own_words),
      cmocka_unit_test(text_tells_of_threads),
      cmocka_unit_test(doubts_come_exactly_when_they_must),
  };
  return cmocka_run_group_tests_name("report_text", tests, folder_create, folder_remove);
}
