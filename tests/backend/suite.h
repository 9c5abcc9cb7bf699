/* Suites of tests that run on every backend. */
#ifndef HS_TESTS_BACKEND_SUITE_H
#define HS_TESTS_BACKEND_SUITE_H

#include "support.h"

#include "backend/backend.h"

/* What the tests of a group run on: cmocka's initial state. */
struct subject {
  const struct hs_backend *backend;
  bool parts; /* its distributed form, on grids in several parts */
};

struct suite_test {
  const char *name; /* NULL ends a suite */
  CMUnitTestFunction run;
  enum {
    FOR_ALL,
    FOR_WHOLE,
    FOR_ADVANCE,
    FOR_REFERENCE
  } whom; /* all backends, but none in parts, those with advance,
                                                                   cpu-reference alone */
};

/* Runs the suites (NULL ends them) on every backend and on its distributed form ("parts of NAME"), or on the one named as
 * argument; each backend is a cmocka group of
 * its own name, and one that cannot run here prints why and an empty plan that says SKIP. A second argument is a pattern
 * of the tests' names, as in "*every size*". Returns the exit status. */
int suite_main(int argc, char **argv, const struct suite_test *const suites[]);

/* Parts of test_backend, */
extern const struct suite_test suite_values[], suite_advance[], suite_formula[];

/* and of test_backend_forms. */
extern const struct suite_test suite_balance[];

#endif
