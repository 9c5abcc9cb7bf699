/* Whole runs; see runs.h. */
#include "runs.h"

#include <string.h>

void test_run_start(struct test_run *run, const struct hs_config *config, const struct hs_solve_observer *observer)
{
  test_run_start_testing(run, config, (struct hs_backend_testing){.isa = NULL}, observer);
}

void test_run_start_testing(struct test_run *run, const struct hs_config *config, struct hs_backend_testing testing,
                            const struct hs_solve_observer *observer)
{
  struct hs_error err = {0};
  memset(run, 0, sizeof *run);
  test_ok(hs_job_prepare(config, NULL, &run->job, &err), &err);
  run->job.options.threads = config->solver.threads; /* exactly so many, on any machine and however small the grid */
  run->job.options.testing = testing;
  test_ok(hs_job_run(&run->job, run->job.backend, observer, NULL, &run->result, &err), &err);
}

void test_run_clear(struct test_run *run)
{
  hs_result_clear(&run->result);
  hs_job_clear(&run->job);
}

struct hs_solve_outcome test_solve(const struct hs_system *system, const double *field_k,
                                   const struct hs_solve_settings *settings, const struct hs_backend *backend,
                                   bool single, const struct hs_solve_observer *observer, double *end_k)
{
  const struct hs_backend_options options = {.single = single, .threads = 1};
  struct hs_error err = {0};
  struct hs_backend_state *state = NULL;
  struct hs_solve_outcome outcome;
  test_ok(backend->create(system, &options, &state, &err), &err);
  test_ok(backend->load(state, field_k, &err), &err);
  test_ok(hs_solve(system, settings, backend, state, observer, &outcome, &err), &err);
  if (end_k) test_ok(backend->fetch(state, end_k, &err), &err);
  backend->destroy(state);
  return outcome;
}
