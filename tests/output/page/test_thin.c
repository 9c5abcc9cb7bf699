/* Fields as text: the nodes that are shown, and what comes back of their numbers. */
#include "support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/page/thin.h"

static void shown_nodes_reach_from_wall_to_wall(void **state)
{
  (void)state;
  for (int nx = 2; nx < 1500; nx += 1 + nx / 7)
    for (size_t most = HS_THIN_LEAST * HS_THIN_LEAST; most < 3000000; most *= 3) {
      const struct hs_thin thin = hs_thin_find(nx, 777, most);
      assert_true((size_t)thin.columns * (size_t)thin.rows <= most);
      assert_int_equal(hs_thin_column(&thin, 0), 0);
      assert_int_equal(hs_thin_column(&thin, thin.columns - 1), nx - 1);
      assert_int_equal(hs_thin_row(&thin, thin.rows - 1), 776);
      for (int c = 1; c + 1 < thin.columns; c++) assert_int_equal(hs_thin_column(&thin, c), c * thin.step_x);
      assert_true(hs_thin_column(&thin, thin.columns - 1) > hs_thin_column(&thin, thin.columns - 2));
    }
}

static void steps_are_the_smallest(void **state)
{
  struct hs_thin thin;
  (void)state;
  thin = hs_thin_find(4096, 4096, 513 * 513);
  assert_int_equal(thin.step_x, 8);
  assert_int_equal(thin.step_y, 8);
  assert_int_equal(thin.columns, 513);
  thin = hs_thin_find(513, 513, 513 * 513);
  assert_int_equal(thin.step_x, 1);
  thin = hs_thin_find(1000000, 3, 250000); /* the short side keeps its nodes */
  assert_int_equal(thin.step_y, 1);
  assert_int_equal(thin.rows, 3);
  assert_int_equal(thin.step_x, 13);
}

/* The integers of a text in base64. */
static unsigned *unpack(const char *text, int bytes, size_t count)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned *integers = calloc(count + 1, sizeof *integers);
  unsigned long group = 0;
  size_t bits = 0, taken = 0;
  assert_non_null(integers);
  for (; *text && *text != '='; text++) {
    const char *digit = strchr(digits, *text);
    assert_non_null(digit);
    group = group << 6 | (unsigned long)(digit - digits);
    for (bits += 6; bits >= 8; bits -= 8, taken++)
      if (taken / (size_t)bytes < count)
        integers[taken / (size_t)bytes] = integers[taken / (size_t)bytes] << 8 | (group >> (bits - 8) & 255u);
  }
  assert_int_equal(taken, count * (size_t)bytes);
  return integers;
}

static void assert_comes_back(const double *values, size_t count, int bytes)
{
  struct hs_packed packed = {.bytes = bytes};
  struct hs_text text = {0};
  unsigned *integers;
  const unsigned top = hs_packed_top(bytes);
  hs_pack(values, count, &packed, &text);
  assert_false(text.failed);
  integers = unpack(text.text, bytes, count);
  for (size_t k = 0; k < count; k++) {
    const double share = (double)integers[k] / top;
    const double value = packed.low * (1.0 - share) + packed.high * share;
    if (isfinite(values[k]))
      assert_true(fabs(0.5 * value - 0.5 * values[k]) <=
                  (0.5 * packed.high - 0.5 * packed.low) * (0.5 / top + 4.0 * DBL_EPSILON) + DBL_MIN);
    else
      assert_int_equal(integers[k], top + 1);
  }
  free(integers);
  free(text.text);
}

static void numbers_come_back(void **state)
{
  static const double strange[] = {NAN, 1.0, -INFINITY, 2.0, INFINITY}, wide[] = {-1.7e308, 0.0, 1.7e308};
  static const double equal[] = {20.0, 20.0}, tiny[] = {1e6, 1e6 + 1e-9}, nothing[] = {NAN, NAN};
  double values[5000];
  (void)state;
  for (int k = 0; k < 5000; k++) values[k] = 293.15 + 40.0 * sin(0.37 * k);
  for (int bytes = 2; bytes <= 3; bytes++) {
    for (size_t count = 1; count <= 5000; count = 2 * count + 1) assert_comes_back(values, count, bytes);
    assert_comes_back(strange, 5, bytes);
    assert_comes_back(wide, 3, bytes);
    assert_comes_back(equal, 2, bytes);
    assert_comes_back(tiny, 2, bytes);
    assert_comes_back(nothing, 2, bytes);
  }
}

/* RFC 4648, 10 */
static void bytes_become_base64(void **state)
{
  static const char *const pairs[][2] = {{"f", "Zg=="},        {"fo", "Zm8="},        {"foo", "Zm9v"},
                                         {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
  (void)state;
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
    struct hs_text text = {0};
    hs_base64((const unsigned char *)pairs[k][0], strlen(pairs[k][0]), &text);
    assert_string_equal(text.text, pairs[k][1]);
    free(text.text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shown_nodes_reach_from_wall_to_wall),
      cmocka_unit_test(steps_are_the_smallest),
      cmocka_unit_test(numbers_come_back),
      cmocka_unit_test(bytes_become_base64),
  };
  return cmocka_run_group_tests_name("thin", tests, NULL, NULL);
}
