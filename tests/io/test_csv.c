/* Tables as text: rows of numbers read from what programs write, cells written with the quotes they need. */
#include "support.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "io/csv_read.h"
#include "io/csv_write.h"

/* Reads a table of two columns; says what each row was: "1 2;" for numbers, a letter for anything else. */
static const char *rows_of(const char *text)
{
  static const char *const others[] = {[HS_CSV_WORDS] = "w", [HS_CSV_BYTES] = "b", [HS_CSV_UNREADABLE] = "u"};
  static char found[256];
  const char *path = test_folder_path("table.csv");
  struct hs_csv_reader reader;
  enum hs_csv_row row;
  double numbers[3];
  int count;
  found[0] = '\0';
  test_file_put(path, text);
  assert_true(hs_csv_open(&reader, path));
  while ((row = hs_csv_next(&reader, numbers, 3, &count)) != HS_CSV_END) {
    size_t used = strlen(found);
    if (row != HS_CSV_NUMBERS) {
      snprintf(found + used, sizeof found - used, "%s%d;", others[row], reader.line);
      continue;
    }
    for (int k = 0; k < count; k++, used = strlen(found))
      snprintf(found + used, sizeof found - used, "%s%g", k ? " " : "", numbers[k]);
    snprintf(found + used, sizeof found - used, ";");
  }
  hs_csv_close(&reader);
  return found;
}

static void rows_are_read_with_all_usual_separators(void **state)
{
  (void)state;
  assert_string_equal(rows_of("0,300\n0.5;-1e3\n1\t2\n 3  4 \n5 , 6"), "0 300;0.5 -1000;1 2;3 4;5 6;");
  assert_string_equal(rows_of("1,2\r\n3,4\r\n"), "1 2;3 4;");
  assert_string_equal(rows_of("\xef\xbb\xbf"
                              "1,2\n"),
                      "1 2;");
  assert_string_equal(rows_of("1\n1,2,3\n1,2,3,4,x\n"), "1;1 2 3;1 2 3;");
}

static void headings_comments_and_empty_lines_are_skipped(void **state)
{
  (void)state;
  assert_string_equal(rows_of("# made by hand\n\ntime,T\n0,1 # the first\n\n  \n2,3\n"), "0 1;2 3;");
  assert_string_equal(rows_of(""), "");
  assert_string_equal(rows_of("time,T\ns,K\n1,2\n"), "w2;1 2;");
  assert_string_equal(rows_of("1,2\ntime,T\n"), "1 2;w2;");
  assert_string_equal(rows_of("1,x\n"), "w1;");
  assert_string_equal(rows_of("1,,2\n"), "w1;");
}

static void what_cannot_be_read_is_told(void **state)
{
  struct hs_csv_reader reader;
  double number;
  int count;
  FILE *file = fopen(test_folder_path("nul.csv"), "wb");
  (void)state;
  assert_non_null(file);
  fwrite("1,2\n3\0,4\n", 1, 9, file);
  fclose(file);
  assert_true(hs_csv_open(&reader, test_folder_path("nul.csv")));
  assert_int_equal(hs_csv_next(&reader, &number, 1, &count), HS_CSV_NUMBERS);
  assert_int_equal(hs_csv_next(&reader, &number, 1, &count), HS_CSV_BYTES);
  assert_int_equal(reader.line, 2);
  hs_csv_close(&reader);
  assert_false(hs_csv_open(&reader, test_folder_path("absent.csv")));
  assert_string_equal(reader.reason, strerror(ENOENT));
  assert_false(hs_csv_open(&reader, test_folder()));
  assert_string_equal(reader.reason, strerror(EISDIR));
  assert_false(hs_csv_open(&reader, "/dev/zero"));
  assert_string_equal(reader.reason, "it is a device, and only files can be read");
}

/* The row that a file of one line is, which has `length` bytes before its end. */
static enum hs_csv_row row_of_length(size_t length, const char *end)
{
  struct hs_csv_reader reader;
  enum hs_csv_row row;
  double number;
  int count;
  char text[HS_CSV_LINE_BYTES + 8] = "1";
  memset(text + 1, ' ', length - 1);
  strcpy(text + length, end);
  test_file_put(test_folder_path("long.csv"), text);
  assert_true(hs_csv_open(&reader, test_folder_path("long.csv")));
  row = hs_csv_next(&reader, &number, 1, &count);
  hs_csv_close(&reader);
  return row;
}

static void a_line_has_a_largest_length(void **state)
{
  (void)state;
  assert_int_equal(row_of_length(HS_CSV_LINE_BYTES, ""), HS_CSV_NUMBERS);
  assert_int_equal(row_of_length(HS_CSV_LINE_BYTES - 1, "\n"), HS_CSV_NUMBERS);
  assert_int_equal(row_of_length(HS_CSV_LINE_BYTES + 1, ""), HS_CSV_LONG);
  assert_int_equal(row_of_length(HS_CSV_LINE_BYTES, "\n2\n"), HS_CSV_LONG);
}

static void cells_are_quoted_where_they_need_it(void **state)
{
  const char *path = test_folder_path("written.csv");
  struct hs_error err = {HS_OK, ""};
  struct hs_csv csv;
  char *text;
  (void)state;
  hs_csv_begin(&csv);
  hs_csv_cells(&csv, "a,b");
  hs_csv_text(&csv, "x, y");
  hs_csv_end_row(&csv);
  hs_csv_text(&csv, "plain");
  hs_csv_text(&csv, "say \"so\"");
  hs_csv_text(&csv, " blank");
  hs_csv_text(&csv, "");
  hs_csv_end_row(&csv);
  hs_csv_number(&csv, 0.1, 17);
  hs_csv_number(&csv, 0.1, 3);
  hs_csv_number(&csv, NAN, 17);
  hs_csv_number(&csv, -INFINITY, 17);
  hs_csv_integer(&csv, INT64_MIN);
  hs_csv_end_row(&csv);
  test_ok(hs_csv_commit(&csv, path, &err), &err);
  text = test_file_get(path);
  assert_string_equal(text, "a,b,\"x, y\"\n"
                            "plain,\"say \"\"so\"\"\",\" blank\",\n"
                            "0.10000000000000001,0.1,,,-9223372036854775808\n");
  free(text);
}

static int setup(void **state)
{
  (void)state;
  return test_folder_create("csv");
}

static int teardown(void **state)
{
  static const char *const files[] = {"table.csv", "nul.csv", "long.csv", "written.csv", NULL};
  (void)state;
  return test_folder_remove(files);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_read_with_all_usual_separators),
      cmocka_unit_test(headings_comments_and_empty_lines_are_skipped), cmocka_unit_test(what_cannot_be_read_is_told),
      cmocka_unit_test(a_line_has_a_largest_length), cmocka_unit_test(cells_are_quoted_where_they_need_it)};
  return cmocka_run_group_tests_name("csv", tests, setup, teardown);
}
