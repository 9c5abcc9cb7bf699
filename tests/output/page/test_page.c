/* report.html: what is in it, and that no text of a user becomes markup. */
#include "output/sample.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "output/fixture.h"
#include "output/page/page.h"
#include "output/report/report.h"

static char *page_of(const struct hs_result *result, unsigned files)
{
  struct hs_error err = {HS_OK, ""};
  const char *path = test_folder_path("report.html");
  size_t size;
  FILE *file;
  char *text;
  test_ok(hs_page_write(path, result, files, &err), &err);
  file = fopen(path, "rb");
  assert_non_null(file);
  text = calloc(1, HS_PAGE_BYTES + 1);
  size = fread(text, 1, HS_PAGE_BYTES + 1, file);
  assert_in_range(size, 1000, HS_PAGE_BYTES);
  fclose(file);
  return text;
}

/* The JSON in the element of that name. */
static json_t *element(const char *page, const char *name)
{
  char begin[80];
  const char *start, *end;
  json_t *json;
  snprintf(begin, sizeof begin, "<script type=\"application/json\" id=\"%s\">", name);
  start = strstr(page, begin);
  assert_non_null(start);
  start += strlen(begin);
  end = strstr(start, "</script>");
  assert_non_null(end);
  json = json_loadb(start, (size_t)(end - start), 0, NULL);
  assert_non_null(json);
  return json;
}

static int count(const char *text, const char *words)
{
  int found = 0;
  for (; (text = strstr(text, words)) != NULL; text++) found++;
  return found;
}

static void a_page_has_the_report_and_the_field(void **state)
{
  struct fixture fixture;
  json_t *data, *fields, *field;
  char *page;
  (void)state;
  fixture_fill(&fixture);
  fixture_make_two_materials(&fixture);
  page = page_of(&fixture.result, 1u << HS_FILE_REPORT | 1u << HS_FILE_PAGE);
  data = element(page, "page-data");
  assert_string_equal(json_string_value(json_object_get(json_object_get(data, "report"), "status")), "converged");
  assert_null(json_object_get(json_object_get(data, "report"), "quantities"));
  assert_int_equal(json_array_size(json_object_get(json_object_get(data, "history"), "sweeps")), CHECKS);
  assert_true(json_array_size(json_object_get(json_object_get(data, "rows"), "stop")) >= 2);
  fields = element(page, "page-fields");
  assert_int_equal(json_array_size(json_object_get(fields, "fields")), 1);
  field = json_array_get(json_object_get(fields, "fields"), 0);
  assert_int_equal(json_integer_value(json_object_get(field, "columns")), NX);
  assert_int_equal(json_integer_value(json_object_get(field, "rows")), NY);
  assert_int_equal(strlen(json_string_value(json_object_get(field, "numbers"))), 4 * NX * NY);
  assert_int_equal(json_array_size(json_object_get(json_object_get(fields, "materials"), "names")), 2);
  json_decref(fields);
  json_decref(data);
  free(page);
}

static void texts_of_users_are_no_markup(void **state)
{
  static const char title[] = "</script><script>alert(1)</script><!--<script> & \"'\x01";
  struct fixture fixture;
  json_t *data;
  char *page, *plain;
  int scripts;
  (void)state;
  fixture_fill(&fixture);
  plain = page_of(&fixture.result, 0);
  scripts = count(plain, "<script") + count(plain, "</script") + count(plain, "<!--");
  fixture.config.output.title = (char *)title;
  fixture.config.path = (char *)"<b>\xff.ini";
  fixture.config.text = (char *)title;
  snprintf(fixture.result.backend_reason, sizeof fixture.result.backend_reason, "%s", title);
  page = page_of(&fixture.result, 0);
  assert_int_equal(count(page, "<script") + count(page, "</script") + count(page, "<!--"), scripts);
  assert_says_not(page, "<b>");
  assert_says(page, "<title>&#60;/script&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#60;!--&#60;script&#62; &#38; "
                    "&#34;&#39;\xef\xbf\xbd</title>");
  data = element(page, "page-data");
  assert_string_equal(json_string_value(json_object_get(json_object_get(data, "report"), "backend_reason")), title);
  json_decref(data);
  free(page);
  free(plain);
}

static void snapshots_come_before_the_answer(void **state)
{
  struct fixture fixture;
  json_t *fields, *list;
  char *page;
  (void)state;
  fixture_fill(&fixture);
  fixture_make_transient(&fixture);
  fixture_take_all(&fixture, 5); /* at 0 to 4 s */
  fixture.result.transient = (struct hs_transient_outcome){.verdict = HS_VERDICT_COMPLETED, .time_s = 4.0, .steps = 4};
  page = page_of(&fixture.result, 1u << HS_FILE_SNAPSHOTS);
  fields = element(page, "page-fields");
  list = json_object_get(fields, "fields");
  assert_int_equal(json_array_size(list), 5);
  for (size_t k = 0; k < 5; k++)
    assert_true(json_number_value(json_object_get(json_array_get(list, k), "time_s")) == (double)k);
  assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 4), "bytes")), 3);
  json_decref(fields);
  free(page);
  page = page_of(&fixture.result, 0); /* none was written */
  fields = element(page, "page-fields");
  assert_int_equal(json_array_size(json_object_get(fields, "fields")), 1);
  json_decref(fields);
  free(page);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(a_page_has_the_report_and_the_field),
      TEST(texts_of_users_are_no_markup),
      TEST(snapshots_come_before_the_answer),
  };
  return cmocka_run_group_tests_name("page", tests, NULL, NULL);
}
