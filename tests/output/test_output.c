/* The folder of a run: which files are written, and that a failure of one does not cost the others. */
#include "output/fixture.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "output/output.h"

enum { NAMES = 6 };
static const char *const names[] = {"field.h5",        "field.xdmf",  "temperature.png",
                                    "convergence.png", "report.json", "report.html"};

static void test_prepare_makes_the_whole_path(void **state)
{
  struct hs_error err = {HS_OK, ""};
  char path[600];
  struct stat status;
  (void)state;
  snprintf(path, sizeof path, "%s/a//b/c/", test_folder());
  assert_int_equal(hs_output_prepare(path, &err), HS_OK);
  assert_int_equal(hs_output_prepare(path, &err), HS_OK);
  assert_int_equal(stat(path, &status), 0);
  assert_true(S_ISDIR(status.st_mode));
  assert_int_equal(test_folder_count(path), 0);
}

static void test_write_makes_the_files_that_are_asked_for(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  int k;
  (void)state;
  fixture_fill(&fixture);
  fixture.config.output.field = fixture.config.output.report = true;
  fixture.config.output.xdmf = HS_XDMF_YES;
  fixture.config.output.picture = fixture.config.output.convergence = fixture.config.output.page = true;
  fixture.config.output.pictures = 1 << HS_PNG;
  assert_int_equal(hs_output_write(&fixture.result, NULL, &err), HS_OK);
  for (k = 0; k < NAMES; k++) assert_int_equal(access(test_folder_path(names[k]), R_OK), 0);
  assert_int_equal(test_folder_count(test_folder()), NAMES);
}

static void test_write_goes_on_after_a_failure(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  json_t *report, *files;
  (void)state;
  fixture_fill(&fixture);
  fixture.config.output.field = fixture.config.output.report = true;
  fixture.config.output.xdmf = HS_XDMF_YES;
  assert_int_equal(mkdir(test_folder_path("field.h5"), 0777), 0);
  assert_int_equal(hs_output_write(&fixture.result, NULL, &err), HS_ERR_IO);
  assert_non_null(strstr(err.text, "field.h5"));
  assert_int_equal(access(test_folder_path("field.xdmf"), F_OK), -1);
  report = json_load_file(test_folder_path("report.json"), 0, NULL);
  files = json_object_get(report, "files");
  assert_int_equal(json_array_size(files), 1);
  assert_string_equal(json_string_value(json_array_get(files, 0)), "report.json");
  json_decref(report);
}

static void test_unknown_colormap_is_refused_before_the_run(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  fixture_fill(&fixture);
  assert_int_equal(hs_output_config_check(&fixture.config, &err), HS_OK);
  fixture.config.output.colormap = (char *)"jet";
  assert_int_equal(hs_output_config_check(&fixture.config, &err), HS_ERR_CONFIG);
  assert_non_null(strstr(err.text, "jet"));
  assert_non_null(strstr(err.text, "cividis"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_prepare_makes_the_whole_path),
      TEST(test_write_makes_the_files_that_are_asked_for),
      TEST(test_write_goes_on_after_a_failure),
      TEST(test_unknown_colormap_is_refused_before_the_run),
  };
  return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
