/* Series of answers over time. */
#include "answers/plate.h"

static void series_keep_every_row(void **state)
{
  struct plate plate;
  struct hs_error err = {HS_OK, ""};
  struct hs_series series = {0};
  (void)state;
  plate_create(&plate, HS_LAYOUT_VERTEX, 5, 5, 1.0, 1.0);
  plate_wall(&plate, HS_WEST, HS_WALL_TEMPERATURE, 1.0, 0.0);
  plate_point(&plate, "A", 0.25, 0.25, "");
  plate_line(&plate, "L", 0.0, 0.0, 1.0, 0.0, 5);
  plate_assemble(&plate);
  for (int row = 0; row < 100; row++) {
    struct hs_answers answers;
    for (int n = 0; n < 25; n++) plate.field_k[n] = row + n;
    answers = plate_answers(&plate);
    test_ok(hs_series_add(&series, &plate.problem, 0.1 * row, &answers, &err), &err);
    hs_answers_clear(&answers);
  }
  assert_int_equal(series.count, 100);
  for (int row = 0; row < 100; row++) {
    assert_true(series.time_s[row] == 0.1 * row && series.minimum_k[row] == row && series.maximum_k[row] == row + 24);
    assert_true(series.probe_k[2 * row] == row + 6 && series.probe_k[2 * row + 1] == row + 2);
    assert_true(series.surface_w_m[4 * row] == series.surface_w_m[0]);
  }
  assert_true(series.surface_w_m[0] != 0.0);
  hs_series_clear(&series);
  assert_true(series.count == 0 && !series.time_s);
  hs_series_clear(&series);
  plate_destroy(&plate);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(series_keep_every_row),
  };
  return cmocka_run_group_tests_name("series", tests, NULL, NULL);
}
