/* Results on a plate; see sample.h. */
#include "output/sample.h"

#include <math.h>
#include <string.h>

#include "folder.h"

void sample_create(struct sample *sample)
{
  struct plate *plate = &sample->plate;
  struct hs_result *result = &sample->result;
  int wool;
  memset(sample, 0, sizeof *sample);
  plate_create(plate, HS_LAYOUT_VERTEX, 11, 6, 1.0, 0.5);
  wool = plate_material(plate, "wool", 0.05);
  plate_paint(plate, 0.5, 1.0, 0.0, 0.5, (struct hs_cell_class){wool, 30.0, 0.0, 0.0});
  plate_wall(plate, HS_WEST, HS_WALL_TEMPERATURE, 20.0, 0.0);
  plate_wall(plate, HS_EAST, HS_WALL_CONVECTION, 5.0, 8.0);
  plate_shape(plate, "pipe", plate_rectangle(0.2, 0.3, 0.2, 0.3), 60.0);
  plate_point(plate, "A", 0.75, 0.25, "");
  plate_line(plate, "cut", 0.0, 0.1, 1.0, 0.1, 3);
  plate_point(plate, "a \"b\", c", 0.33, 0.4, "");
  plate->config.output.directory = (char *)test_folder();
  plate->config.solver.balance_tolerance = 1e-4;
  plate->config.solver.tolerance = 1e-6;
  plate->config.solver.max_iterations = 1000;
  plate_solve(plate);
  result->config = &plate->config;
  result->problem = &plate->problem;
  result->nx = 11;
  result->ny = 6;
  result->dx_m = result->dy_m = 0.1;
  result->backend = "cpu";
  result->answers = plate_answers(plate);
  result->outcome.verdict = HS_VERDICT_CONVERGED;
  result->outcome.sweeps = 300;
  result->outcome.exact_stop = result->outcome.estimate_converged = true;
}

void sample_destroy(struct sample *sample)
{
  hs_answers_clear(&sample->result.answers);
  hs_series_clear(&sample->result.series);
  plate_destroy(&sample->plate);
}

void sample_make_transient(struct sample *sample)
{
  struct hs_error err = {HS_OK, ""};
  sample->plate.config.time.scheme = HS_SCHEME_CRANK_NICOLSON;
  sample->plate.config.time.end_s = 4.0;
  sample->plate.config.time.step_s = 0.5;
  sample->plate.config.time.inner_tolerance_k = 1e-8;
  sample->result.transient = (struct hs_transient_outcome){.verdict = HS_VERDICT_COMPLETED,
                                                           .time_s = 4.0,
                                                           .steps = 8,
                                                           .sweeps = 77,
                                                           .step_smallest_s = 0.5,
                                                           .step_largest_s = 0.5,
                                                           .inner_error_k = 3e-9,
                                                           .step_error_k = NAN,
                                                           .content_start_j_m = NAN};
  sample->result.answers.balance.storage_w_m = 1.5;
  sample->result.answers.balance.imbalance_relative = NAN;
  for (int k = 0; k < 3; k++)
    test_ok(hs_series_add(&sample->result.series, &sample->plate.problem, 2.0 * k, &sample->result.answers, &err),
            &err);
}

void assert_says(const char *text, const char *words)
{
  if (!strstr(text, words)) fail_msg("\"%s\" is missing in:\n%s", words, text);
}

void assert_says_not(const char *text, const char *words)
{
  if (strstr(text, words)) fail_msg("\"%s\" is out of place in:\n%s", words, text);
}
