/* Suites over every backend; see suite.h. */
#include "backend/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/distributed/distributed.h"
#include "base/memory.h"

static bool concerns(const struct suite_test *test, const struct hs_backend *backend, bool parts)
{
  if (test->whom == FOR_WHOLE) return !parts;
  if (test->whom == FOR_ADVANCE) return backend->advance != NULL;
  return test->whom == FOR_ALL || backend == &hs_backend_reference;
}

/* The tests that concern a backend, with its name before theirs; *count receives their number. */
static struct CMUnitTest *tests_create(const struct subject *subject, const struct suite_test *const suites[],
                                       size_t *count)
{
  struct CMUnitTest *tests;
  size_t most = 0;
  for (int m = 0; suites[m]; m++)
    for (const struct suite_test *test = suites[m]; test->name; test++) most++;
  tests = calloc(most, sizeof *tests);
  assert_non_null(tests);
  *count = 0;
  for (int m = 0; suites[m]; m++)
    for (const struct suite_test *test = suites[m]; test->name; test++) {
      if (!concerns(test, subject->backend, subject->parts)) continue;
      tests[*count].name =
          hs_text_format(NULL, "%s%s: %s", subject->parts ? "parts of " : "", subject->backend->name, test->name);
      assert_non_null(tests[*count].name);
      tests[*count].test_func = test->run;
      tests[(*count)++].initial_state = (void *)(uintptr_t)subject;
    }
  return tests;
}

static int group_run(const struct hs_backend *backend, bool parts, const struct suite_test *const suites[])
{
  const struct subject subject = {backend, parts};
  const struct hs_backend_options options = {.single = false};
  struct hs_error why = {0};
  struct CMUnitTest *tests;
  size_t count;
  int failed;
  if (backend->probe(NULL, &options, &why)) {
    printf("# backend %s: %s\n1..0 # SKIP backend %s: %s\n", backend->name, why.text, backend->name, why.text);
    fflush(stdout);
    return 0;
  }
  tests = tests_create(&subject, suites, &count);
  failed = _cmocka_run_group_tests(backend->name, tests, count, NULL, NULL);
  for (size_t k = 0; k < count; k++) free((void *)(uintptr_t)tests[k].name);
  free(tests);
  return failed;
}

int suite_main(int argc, char **argv, const struct suite_test *const suites[])
{
  int failed = 0;
  if (argc > 2) cmocka_set_test_filter(argv[2]);
  for (int k = 0; hs_backend_list()[k]; k++)
    if (argc < 2 || !strcmp(argv[1], hs_backend_list()[k]->name))
      failed += group_run(hs_backend_list()[k], false, suites);
  for (int k = 0; hs_distributed_list()[k]; k++)
    if (argc < 2 || (!strncmp(argv[1], "parts of ", 9) && !strcmp(argv[1] + 9, hs_distributed_list()[k]->name)))
      failed += group_run(hs_distributed_list()[k], true, suites);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
