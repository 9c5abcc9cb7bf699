/* The picture of the convergence. */
#include "output/fixture.h"

#include <math.h>
#include <stdlib.h>

#include "folder.h"
#include "output/image.h"
#include "output/output.h"

static void test_convergence_draws_any_history(void **state)
{
  static const int counts[] = {0, 1, 2, 3, 100000};
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  struct hs_check *history = calloc(100000, sizeof *history);
  struct image image;
  size_t c;
  int k;
  (void)state;
  assert_non_null(history);
  fixture_fill(&fixture);
  for (k = 0; k < 100000; k++) {
    history[k].sweeps = k + 1;
    history[k].norms = (struct hs_norms){exp(-1e-4 * k), k % 2 ? NAN : 0.0, INFINITY, NAN, -1.0, NAN};
    history[k].residual_relative = 1.0;
    history[k].error_estimate_k = NAN;
  }
  fixture.result.outcome.history = history;
  for (c = 0; c < 5; c++) {
    fixture.result.outcome.history_count = counts[c];
    assert_int_equal(hs_output_convergence_write(test_folder_path("c.png"), &fixture.result, &err), HS_OK);
    image_read(test_folder_path("c.png"), &image);
    free(image.rgb);
  }
  free(history);
}

static int count_green(const struct image *image)
{
  int k, count = 0;
  for (k = 0; k < image->width * image->height; k++)
    if (image->rgb[3 * k] == 0 && image->rgb[3 * k + 1] > image->rgb[3 * k + 2] + 20) count++;
  return count;
}

/* Residuals that were computed at every tenth check still make a line across the plot. */
static void test_convergence_connects_sparse_norms(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  struct hs_check *history = calloc(1000, sizeof *history);
  struct image image;
  int k;
  (void)state;
  assert_non_null(history);
  fixture_fill(&fixture);
  for (k = 0; k < 1000; k++) {
    history[k].sweeps = k + 1;
    history[k].norms.update_l2 = 1.0;
    history[k].residual_relative = k % 10 == 5 ? 0.01 : NAN;
    history[k].error_estimate_k = NAN;
  }
  fixture.result.outcome.history = history;
  fixture.result.outcome.history_count = 1000;
  assert_int_equal(hs_output_convergence_write(test_folder_path("c.png"), &fixture.result, &err), HS_OK);
  image_read(test_folder_path("c.png"), &image);
  assert_true(count_green(&image) > 800);
  free(image.rgb);
  free(history);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_convergence_draws_any_history),
      TEST(test_convergence_connects_sparse_norms),
  };
  return cmocka_run_group_tests_name("convergence", tests, NULL, NULL);
}
