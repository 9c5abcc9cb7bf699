/* Boundary values: formulas. */
#include "problem/parts.h"

#include <math.h>
#include <string.h>

#include "problem/value.h"

static double value_of(const char *text, double x, double y, double t, bool *timed, bool *placed)
{
  struct hs_config config = timed_config();
  struct hs_config_value written = test_formula(text);
  struct hs_value *value = NULL;
  struct hs_error err = {0};
  double result = NAN;
  test_ok(hs_value_create(&config, &written, "[boundary top] flux", &value, &err), &err);
  test_ok(hs_value_at(value, x, y, t, &result, &err), &err);
  if (timed) *timed = hs_value_timed(value);
  if (placed) *placed = hs_value_placed(value);
  hs_value_destroy(value);
  return result;
}

static void formulas_are_evaluated(void **state)
{
  bool timed, placed;
  (void)state;
  test_near("sin", value_of("100*sin(pi*t/40)", 0, 0, 32, &timed, &placed), 100.0 * sin(0.8 * acos(-1.0)), 1e-12);
  assert_true(timed && !placed);
  assert_true(value_of("x + 10*y", 1.0, 2.0, 3.0, &timed, &placed) == 21.0);
  assert_true(!timed && placed);
  assert_true(value_of("3 * (2 + 2)", 1.0, 2.0, 3.0, &timed, &placed) == 12.0);
  assert_true(!timed && !placed);
  assert_true(value_of("t < 2 ? 5 : 7", 0, 0, 3.0, &timed, &placed) == 7.0);
  assert_true(value_of("(t == 3) + (t >= 3) + (t != 3)", 0, 0, 3.0, NULL, NULL) == 2.0);
}

static void refuse_value(const char *text, const char *word)
{
  struct hs_config config = timed_config();
  struct hs_config_value written = test_formula(text);
  struct hs_value *value = NULL;
  struct hs_error err = {0};
  written.line = 9;
  if (!hs_value_create(&config, &written, "[boundary top] flux", &value, &err)) fail_msg("\"%s\" is accepted", text);
  assert_null(value);
  if (!strstr(err.text, "test.ini:9: [boundary top] flux") || !strstr(err.text, word))
    fail_msg("\"%s\" is missing in: %s", word, err.text);
}

static void wrong_formulas_are_refused(void **state)
{
  struct hs_config config = timed_config();
  struct hs_config_value written = test_formula("1/(t-2)");
  struct hs_value *value = NULL;
  struct hs_error err = {0};
  double result;
  (void)state;
  refuse_value("2*z", "z");
  refuse_value("2*(1+t", "formula");
  refuse_value("", "formula");
  refuse_value("1,5", "numbers");
  refuse_value("t = 5", "assignment");
  refuse_value("table", "table FILE");
  refuse_value("table x", "table FILE");
  refuse_value("table a.csv z", "table FILE");
  refuse_value("table nowhere.csv t", "nowhere.csv");
  test_ok(hs_value_create(&config, &written, "[boundary top] flux", &value, &err), &err);
  assert_int_equal(hs_value_at(value, 0.0, 0.0, 2.0, &result, &err), HS_ERR_CONFIG);
  assert_non_null(strstr(err.text, "t = 2 s"));
  hs_value_destroy(value);
  hs_value_destroy(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formulas_are_evaluated),
      cmocka_unit_test(wrong_formulas_are_refused),
  };
  return cmocka_run_group_tests_name("value", tests, NULL, NULL);
}
