/* Runs of whole jobs and of single systems, for tests of what comes out. Failures end the running test. */
#ifndef HS_TESTS_RUNS_H
#define HS_TESTS_RUNS_H

#include "support.h"

#include "backend/backend.h"
#include "run/job.h"
#include "run/result.h"
#include "solve/solve.h"

struct test_run {
  struct hs_job job;
  struct hs_result result;
};

/* Prepares and runs config on the backend it names; observer may be NULL. */
void test_run_start(struct test_run *run, const struct hs_config *config, const struct hs_solve_observer *observer);
void test_run_clear(struct test_run *run);

/* The same with what a test asks of the backend. */
void test_run_start_testing(struct test_run *run, const struct hs_config *config, struct hs_backend_testing testing,
                            const struct hs_solve_observer *observer);

/* Runs system from field_k on backend with settings and one thread; end_k ([ny*nx], or NULL) receives the
 * final field. */
struct hs_solve_outcome test_solve(const struct hs_system *system, const double *field_k,
                                   const struct hs_solve_settings *settings, const struct hs_backend *backend,
                                   bool single, const struct hs_solve_observer *observer, double *end_k);

#endif
