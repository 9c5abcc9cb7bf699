/* Means, extremes, materials and content. */
#include "answers/plate.h"

#include <math.h>
#include <omp.h>

static void means_and_extremes_are_those_of_the_field(void **state)
{
  struct plate plate;
  struct hs_answers answers;
  int wool, none, n = 0;
  (void)state;
  plate_create(&plate, HS_LAYOUT_VERTEX, 11, 6, 2.0, 1.0);
  wool = plate_material(&plate, "wool", 0.05);
  none = plate_material(&plate, "none", 1.0);
  plate.materials[0].capacity_j_m3k = 100.0;
  plate.materials[wool].capacity_j_m3k = 10.0;
  plate_paint(&plate, 1.0, 2.0, 0.4, 1.0, (struct hs_cell_class){.material = wool});
  plate_assemble(&plate);
  for (int j = 0; j < 6; j++)
    for (int i = 0; i < 11; i++) plate.field_k[n++] = 10.0 + 0.2 * i + 0.4 * j; /* 10 + x + 2 y */
  answers = plate_answers(&plate);
  test_near("min", answers.minimum_k, 10.0, 0.0);
  test_near("max", answers.maximum_k, 14.0, 1e-14);
  assert_true(answers.minimum_at_m[0] == 0.0 && answers.minimum_at_m[1] == 0.0);
  test_near("x of max", answers.maximum_at_m[0], 2.0, 1e-15);
  test_near("y of max", answers.maximum_at_m[1], 1.0, 1e-15);
  test_near("mean", answers.mean_k, 12.0, 1e-13);
  test_near("center", answers.center_k, plate.field_k[3 * 11 + 5], 0.0);
  test_near("wool area", answers.materials[wool].area_m2, 0.6, 1e-14);
  test_near("wool mean", answers.materials[wool].mean_k, 10.0 + 1.5 + 1.4, 1e-13);
  test_near("wool min", answers.materials[wool].minimum_k, 11.8, 1e-13);
  test_near("wool max", answers.materials[wool].maximum_k, 14.0, 1e-13);
  test_near("other max", answers.materials[0].maximum_k, 13.0, 1e-13);
  test_near("other mean", answers.materials[0].mean_k, (24.0 - 0.6 * 12.9) / 1.4, 1e-12);
  assert_true(answers.materials[none].area_m2 == 0.0 && isnan(answers.materials[none].mean_k) &&
              isnan(answers.materials[none].minimum_k));
  test_near("content", answers.content_j_m, 100.0 * (24.0 - 0.6 * 12.9) + 10.0 * 0.6 * 12.9, 1e-10);
  hs_answers_clear(&answers);
  plate.materials[wool].capacity_j_m3k = NAN;
  answers = plate_answers(&plate);
  assert_true(isnan(answers.content_j_m));
  hs_answers_clear(&answers);
  plate_destroy(&plate);
}

static void cell_means_weight_cells_alike(void **state)
{
  struct plate plate;
  struct hs_answers answers;
  (void)state;
  plate_create(&plate, HS_LAYOUT_CELL, 3, 2, 3.0, 4.0);
  plate.materials[0].capacity_j_m3k = 2.0;
  plate_assemble(&plate);
  for (int n = 0; n < 6; n++) plate.field_k[n] = n * n;
  answers = plate_answers(&plate);
  assert_true(answers.minimum_at_m[0] == 0.5 && answers.minimum_at_m[1] == 1.0); /* nodes are in the middle of cells */
  assert_true(answers.maximum_at_m[0] == 2.5 && answers.maximum_at_m[1] == 3.0);
  hs_answers_clear(&answers);
  plate.field_k[0] = plate.field_k[4] = 16.0;
  plate.field_k[2] = plate.field_k[5] = -0.0; /* the first of several, row by row */
  plate.field_k[1] = 16.0;
  answers = plate_answers(&plate);
  assert_true(answers.minimum_at_m[0] == 2.5 && answers.minimum_at_m[1] == 1.0);
  assert_true(answers.maximum_at_m[0] == 0.5 && answers.maximum_at_m[1] == 1.0);
  for (int n = 0; n < 6; n++) plate.field_k[n] = NAN;
  hs_answers_clear(&answers);
  answers = plate_answers(&plate);
  assert_true(isnan(answers.minimum_at_m[0]) && isnan(answers.maximum_at_m[1]));
  hs_answers_clear(&answers);
  for (int n = 0; n < 6; n++) plate.field_k[n] = n * n;
  answers = plate_answers(&plate);
  test_near("mean", answers.mean_k, 55.0 / 6.0, 1e-14);
  test_near("material", answers.materials[0].mean_k, 55.0 / 6.0, 1e-14);
  test_near("content", answers.content_j_m, 2.0 * 2.0 * 55.0, 1e-12);
  test_near("area", answers.materials[0].area_m2, 12.0, 0.0);
  hs_answers_clear(&answers);
  plate_destroy(&plate);
}

static void threads_change_no_bit(void **state)
{
  const int before = omp_get_max_threads();
  struct plate plate;
  struct hs_answers first = {0};
  struct test_random random = {5};
  (void)state;
  plate_mixed(&plate, HS_LAYOUT_VERTEX);
  plate_assemble(&plate);
  for (int n = 0; n < plate.problem.nx * plate.problem.ny; n++)
    plate.field_k[n] = test_random_between(&random, 250.0, 350.0);
  for (int threads = 1; threads <= 5; threads++) {
    struct hs_answers answers;
    omp_set_num_threads(threads);
    answers = plate_answers(&plate);
    if (threads == 1) {
      first = answers;
      continue;
    }
    assert_memory_equal(&answers.balance, &first.balance, sizeof first.balance);
    assert_memory_equal(answers.surface_w_m, first.surface_w_m, 5 * sizeof(double));
    assert_memory_equal(answers.region_out_w_m, first.region_out_w_m, sizeof(double));
    assert_memory_equal(answers.materials, first.materials, 2 * sizeof *first.materials);
    assert_true(answers.mean_k == first.mean_k);
    hs_answers_clear(&answers);
  }
  omp_set_num_threads(before);
  hs_answers_clear(&first);
  plate_destroy(&plate);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(means_and_extremes_are_those_of_the_field),
      cmocka_unit_test(cell_means_weight_cells_alike),
      cmocka_unit_test(threads_change_no_bit),
  };
  return cmocka_run_group_tests_name("answers", tests, NULL, NULL);
}
