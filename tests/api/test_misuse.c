/* The library in the hands of programs that go wrong. */
#include <stdlib.h>
#include <string.h>

#include "api/heatsolve.h"
#include "folder.h"
#include "support.h"

static const char plate[] = "[grid]\nnx = 11\nny = 6\nlx = 10\nly = 5\n[material]\nconductivity = 2\n"
                            "[boundary]\nwest = 10\neast = 20\nsouth = insulated\nnorth = insulated\n";

static heatsolve_problem *opened(void)
{
  heatsolve_problem *problem = NULL;
  assert_int_equal(heatsolve_open_text(plate, &problem, NULL), HEATSOLVE_OK);
  return problem;
}

static void a_wrong_value_can_be_mended(void **state)
{
  heatsolve_problem *problem = opened();
  (void)state;
  assert_int_equal(heatsolve_set(problem, "grid.nx", "-3", NULL), HEATSOLVE_OK);
  assert_int_equal(heatsolve_check(problem, NULL, NULL), HEATSOLVE_ERR_CONFIG);
  assert_int_equal(heatsolve_set(problem, "grid.n", "3", NULL), HEATSOLVE_OK); /* is no key, and no part of one */
  assert_int_equal(heatsolve_set(problem, "grid.nx", "21", NULL), HEATSOLVE_OK);
  assert_int_equal(heatsolve_check(problem, NULL, NULL), HEATSOLVE_ERR_CONFIG);
  heatsolve_close(problem);
  problem = opened();
  assert_int_equal(heatsolve_set(problem, "grid.nx", "-3", NULL), HEATSOLVE_OK);
  assert_int_equal(heatsolve_set(problem, "grid.nx", "21", NULL), HEATSOLVE_OK);
  assert_int_equal(heatsolve_check(problem, NULL, NULL), HEATSOLVE_OK);
  heatsolve_close(problem);
}

static void unknown_flags_are_refused(void **state)
{
  const heatsolve_run_options options = {.size = sizeof options, .flags = 1u << 20};
  heatsolve_problem *problem = opened();
  heatsolve_result *result;
  heatsolve_error error;
  (void)state;
  assert_int_equal(heatsolve_run(problem, &options, &result, &error), HEATSOLVE_ERR_USAGE);
  assert_non_null(strstr(error.text, "0x100000"));
  assert_null(result);
  heatsolve_close(problem);
}

static void long_names_are_shortened(void **state)
{
  enum { LENGTH = 100000 };
  char *name = malloc(LENGTH + 1);
  heatsolve_problem *problem = opened();
  heatsolve_result *result = NULL;
  heatsolve_field field = {.size = sizeof field};
  heatsolve_error error;
  double value = 1.0;
  (void)state;
  assert_non_null(name);
  memset(name, 'n', LENGTH);
  name[LENGTH] = '\0';
  assert_int_equal(heatsolve_set_array(problem, name, &value, 1, 1, &error), HEATSOLVE_ERR_USAGE);
  assert_non_null(strstr(error.text, "map.materials"));
  assert_int_equal(heatsolve_run(problem, NULL, &result, NULL), HEATSOLVE_OK);
  assert_int_equal(heatsolve_get_field(result, name, &field, &error), HEATSOLVE_ERR_USAGE);
  assert_non_null(strstr(error.text, "there are temperature"));
  assert_int_equal(heatsolve_get_value(result, name, &value, &error), HEATSOLVE_ERR_USAGE);
  assert_true(strlen(error.text) < 200);
  heatsolve_free(result);
  heatsolve_close(problem);
  free(name);
}

/* --- two runs in one folder ------------------------------------------------------------------ */

struct folder_of_two {
  char path[300];
  heatsolve_error error; /* of the second run */
};

static int run_another(void *context, const heatsolve_progress *progress)
{
  struct folder_of_two *folder = context;
  const heatsolve_run_options options = {.size = sizeof options, .flags = HEATSOLVE_FILES | HEATSOLVE_FORCE};
  heatsolve_problem *problem = opened();
  heatsolve_result *result;
  (void)progress;
  assert_int_equal(heatsolve_set(problem, "output.directory", folder->path, NULL), HEATSOLVE_OK);
  (void)heatsolve_run(problem, &options, &result, &folder->error);
  heatsolve_free(result);
  heatsolve_close(problem);
  return 1;
}

static void runs_of_one_process_keep_each_other_out(void **state)
{
  struct folder_of_two folder = {.error = {.code = -1}};
  const heatsolve_run_options options = {sizeof options, HEATSOLVE_FILES, run_another, NULL, &folder};
  heatsolve_problem *problem = opened();
  heatsolve_result *result = NULL;
  (void)state;
  snprintf(folder.path, sizeof folder.path, "%s/shared", test_folder());
  assert_int_equal(heatsolve_set(problem, "output.directory", folder.path, NULL), HEATSOLVE_OK);
  assert_int_equal(heatsolve_run(problem, &options, &result, NULL), HEATSOLVE_OK);
  assert_int_equal(folder.error.code, HEATSOLVE_ERR_IO);
  assert_non_null(strstr(folder.error.text, "another run writes into the output folder"));
  heatsolve_free(result);
  heatsolve_close(problem);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wrong_value_can_be_mended),
      cmocka_unit_test(unknown_flags_are_refused),
      cmocka_unit_test(long_names_are_shortened),
      cmocka_unit_test(runs_of_one_process_keep_each_other_out),
  };
  if (test_folder_create("misuse") != 0) return 1;
  const int failed = cmocka_run_group_tests_name("misuse", tests, NULL, NULL);
  (void)test_folder_remove_all();
  return failed;
}
