/* Boundary values from tables in files. */
#include "problem/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "problem/value.h"

/* Writes a table beside a configuration file of a folder of its own. */
struct folder {
  char path[64], table[96], config[96];
};

static void folder_make(struct folder *folder, const char *table)
{
  FILE *file;
  snprintf(folder->path, sizeof folder->path, "/tmp/hs-values-XXXXXX");
  assert_non_null(mkdtemp(folder->path));
  snprintf(folder->table, sizeof folder->table, "%s/my table.csv", folder->path);
  snprintf(folder->config, sizeof folder->config, "%s/wall.ini", folder->path);
  file = fopen(folder->table, "w");
  assert_non_null(file);
  fputs(table, file);
  fclose(file);
}

static void folder_remove(struct folder *folder)
{
  unlink(folder->table);
  rmdir(folder->path);
}

/* Makes the value "table my table.csv AXIS" and evaluates it; the words stand in the refusal if it is refused. */
static hs_status table_value(const char *table, char axis, double at, double *result, const char *const words[])
{
  struct folder folder;
  struct hs_config config = timed_config();
  char text[] = "table  my table.csv ?";
  struct hs_config_value written = test_formula(text);
  struct hs_value *value = NULL;
  struct hs_error err = {0};
  hs_status status;
  text[sizeof text - 2] = axis;
  folder_make(&folder, table);
  config.path = folder.config;
  status = hs_value_create(&config, &written, "[boundary top] temperature", &value, &err);
  if (!status) status = hs_value_check_range(value, 0.0, 5.0, 4.0, 4.0, &err);
  if (!status) status = hs_value_at(value, at, at, at, result, &err);
  hs_value_destroy(value);
  folder_remove(&folder);
  for (int k = 0; status && words && words[k]; k++)
    if (!strstr(err.text, words[k])) fail_msg("\"%s\" is missing in: %s", words[k], err.text);
  return status;
}

#define EXPECT_TABLE_REFUSAL(table, axis, ...)                                                                         \
  do {                                                                                                                 \
    double unused;                                                                                                     \
    const char *const words[] = {__VA_ARGS__, NULL};                                                                   \
    assert_int_equal(table_value(table, axis, 4.0, &unused, words), HS_ERR_CONFIG);                                    \
  } while (0)

static void tables_are_linear_in_between(void **state)
{
  static const char *const tables[] = {"0,10\n4,30\n10,0\n", "time;value\n0;10\n4;30\n\n10;0",
                                       "# logger\n\xc2\xb5 s  K\n  0   10\n4\t30 # peak\n10 0\n",
                                       ("\xef\xbb\xbf"
                                        "0 , 10\r\n4 , 30\r\n10 , 0\r\n")};
  double result;
  (void)state;
  for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
    assert_int_equal(table_value(tables[k], 't', 1.0, &result, NULL), HS_OK);
    assert_true(result == 15.0);
    assert_int_equal(table_value(tables[k], 't', 7.0, &result, NULL), HS_OK);
    assert_true(result == 15.0);
    assert_int_equal(table_value(tables[k], 't', 10.0, &result, NULL), HS_OK);
    assert_true(result == 0.0);
    assert_int_equal(table_value(tables[k], 'x', 4.0, &result, NULL), HS_OK);
    assert_true(result == 30.0);
  }
}

static void wrong_tables_are_refused(void **state)
{
  (void)state;
  EXPECT_TABLE_REFUSAL("0,1\n8,2\n", 't', "my table.csv", "8 s", "10 s", "ends too early");
  EXPECT_TABLE_REFUSAL("1,1\n80,2\n", 't', "1 s", "begins too late");
  EXPECT_TABLE_REFUSAL("0,1\n3,2\n", 'x', "3 m", "5 m");
  EXPECT_TABLE_REFUSAL("0,1\n3,2\n", 'y', "3 m", "4 m");
  EXPECT_TABLE_REFUSAL("0,1\n3,2\n3,4\n10,5\n", 't', "my table.csv:3:", "ascend");
  EXPECT_TABLE_REFUSAL("0,1\nx,2\n10,5\n", 't', "my table.csv:2:", "two numbers");
  EXPECT_TABLE_REFUSAL("0,20K\n0,1\n10,5\n", 't', "my table.csv:1:", "two numbers");
  EXPECT_TABLE_REFUSAL("0,1\n2,3,4\n10,5\n", 't', "my table.csv:2:", "more than two");
  EXPECT_TABLE_REFUSAL("0;1,5\n10;2,5\n", 't', "my table.csv:1:", "decimal");
  EXPECT_TABLE_REFUSAL("0,1\n2\n10,5\n", 't', "my table.csv:2:", "one number");
  EXPECT_TABLE_REFUSAL("0,1\n2,nan\n10,5\n", 't', "my table.csv:2:", "finite");
  EXPECT_TABLE_REFUSAL("time,value\n", 't', "0 lines");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_are_linear_in_between),
      cmocka_unit_test(wrong_tables_are_refused),
  };
  return cmocka_run_group_tests_name("curve", tests, NULL, NULL);
}
