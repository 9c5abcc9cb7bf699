/* The error by cycles: what it is worth, and runs where it cannot be had. */
#include "solve/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/distributed/distributed.h"
#include "runs.h"
#include "solve/cases.h"

/* A workshop plate on its way, asked for its error. */
static struct hs_estimate ask(const struct hs_backend *backend, bool single, int64_t sweeps, double *field_k)
{
  struct hs_config_source spot;
  const struct hs_config config = test_config_workshop(64, &spot);
  struct hs_system *system = test_system(&config);
  const struct hs_backend_options options = {.threads = 1, .single = single};
  struct hs_judge judge = {.backend = backend, .system = system, .options = &options};
  struct hs_estimate estimate = {.least = 0.0};
  struct hs_backend_state *state;
  struct hs_error err = {0};
  double *start_k = test_field_initial(&config, system), *after_k = test_field(system);
  test_ok(backend->create(system, &options, &state, &err), &err);
  test_ok(backend->load(state, start_k, &err), &err);
  test_ok(backend->sweep(state, sweeps, &err), &err);
  test_ok(backend->fetch(state, field_k, &err), &err);
  for (int k = 0; k < 2; k++) test_ok(hs_judge_ask(&judge, state, 0.0, true, &estimate, &err), &err);
  test_ok(backend->fetch(state, after_k, &err), &err);
  test_fields_same("asked", field_k, after_k, system->nx, system->ny);
  assert_int_equal(judge.asked, 2);
  hs_judge_clear(&judge);
  backend->destroy(state);
  free(after_k);
  free(start_k);
  hs_system_destroy(system);
  return estimate;
}

static void errors_are_found(void **state)
{
  double *exact_k = workshop_exact(64), field_k[64 * 64];
  (void)state;
  for (int k = 0; k < 8; k++) {
    const int64_t sweeps = 10 << k;
    const struct hs_estimate found = ask(&hs_backend_cpu, k % 2, sweeps, field_k);
    const double error_k = test_difference(exact_k, field_k, 64 * 64);
    assert_true(found.settled);
    if (!(found.error_k >= 0.99 * error_k && found.error_k <= 1.25 * error_k))
      fail_msg("%lld sweeps: %g K found, %g K wanted", (long long)sweeps, found.error_k, error_k);
    if (k == 7) test_near("1 - spectral radius", found.gap, 1.0 - cos(3.141592653589793 / 63.0), 1e-5);
  }
  free(exact_k);
}

/* All backends, and one without operators, find the same bits. */
static void every_backend_finds_the_same(void **state)
{
  const struct hs_backend_options options = {.threads = 1};
  const struct hs_backend *const *all = hs_backend_list();
  struct hs_backend bare = hs_backend_reference;
  double field_k[64 * 64];
  const struct hs_estimate wanted = ask(&hs_backend_reference, false, 300, field_k);
  (void)state;
  bare.linear = NULL;
  for (int k = -1; k < 0 || all[k]; k++) {
    struct hs_estimate found;
    if (k >= 0 && all[k]->probe(NULL, &options, NULL)) continue;
    found = ask(k < 0 ? &bare : all[k], false, 300, field_k);
    if (!test_same(found.error_k, wanted.error_k) || !test_same(found.gap, wanted.gap) || found.cycles != wanted.cycles)
      fail_msg("%s: %g K, %g, %d cycles", k < 0 ? "bare" : all[k]->name, found.error_k, found.gap, found.cycles);
  }
}

static void operations_required(const char *name, const struct hs_linear *l)
{
  const bool fields = (l->take && l->give) || (!l->take && !l->give && l->put);
  const bool passes = !l->cycle_down == !l->cycle_up, tail = !l->tail == !l->cycle_tail;
  const bool recording = !l->record ? !l->recorded && !l->repeat && !l->forget : l->recorded && l->repeat && l->forget;
  if (!l->create || !l->update || !l->destroy || !l->grid || !l->shares || !l->coarsen || !l->rows || !l->invert ||
      !l->settle || !l->vector_create || !l->vector_destroy || !fields || !l->fetch || !l->load || !l->clear ||
      !l->copy)
    fail_msg("%s lacks an operation on operators or vectors", name);
  if (!l->cycle_start || !l->cycle_relax || !l->cycle_segments || !l->cycle_restrict || !l->cycle_condense ||
      !l->cycle_prolong || !passes || !l->cycle_solve || !tail || !recording)
    fail_msg("%s lacks an operation of cycles", name);
  if (!l->residual || !l->round || !l->examine || !l->advance || !l->change || !l->largest)
    fail_msg("%s lacks an operation of conjugate gradients", name);
}

/* Also of backends that cannot run here, whole and in parts: what is missing would be called all the same. */
static void operations_are_there(void **state)
{
  const struct hs_backend *const *lists[2] = {hs_backend_list(), hs_distributed_list()};
  (void)state;
  for (int k = 0; k < 2; k++)
    for (const struct hs_backend *const *one = lists[k]; *one; one++)
      if ((*one)->linear) operations_required((*one)->name, (*one)->linear);
}

static hs_status no_memory(const struct hs_system *system, const struct hs_backend_options *options,
                           const struct hs_backend_state *state, struct hs_operator **op, struct hs_error *err)
{
  (void)system;
  (void)options;
  (void)state;
  *op = NULL;
  return hs_error_set(err, HS_ERR_MEMORY, "no memory for operators");
}

/* Without memory for levels the history decides, as without a judge. */
static void short_memory_leaves_the_history(void **state)
{
  struct hs_linear poor = hs_linear_cpu;
  struct hs_backend backend = hs_backend_cpu;
  struct hs_config_source spot;
  const struct hs_config config = test_config_workshop(64, &spot);
  struct hs_system *system = test_system(&config);
  const struct hs_backend_options options = {.threads = 1};
  struct hs_judge judge = {.backend = &backend, .system = system, .options = &options};
  struct hs_solve_settings settings = {
      .quantity = HS_STOP_ERROR, .tolerance = 1e-6, .max_iterations = 100000, .check_every = 64};
  double *start_k = test_field_initial(&config, system), *end_k = test_field(system), *other_k = test_field(system);
  (void)state;
  poor.create = no_memory;
  backend.linear = &poor;
  for (int k = 0; k < 3; k++) {
    struct hs_solve_outcome with, without;
    settings.method = (enum hs_method)k;
    settings.weight = 0.8;
    settings.judge = &judge;
    with = test_solve(system, start_k, &settings, &backend, false, NULL, end_k);
    settings.judge = NULL;
    without = test_solve(system, start_k, &settings, &backend, false, NULL, other_k);
    assert_true(judge.given_up && strstr(judge.why.text, "no memory for operators"));
    assert_false(with.found_by_cycles);
    assert_int_equal(with.verdict, HS_VERDICT_CONVERGED);
    assert_int_equal(with.sweeps, without.sweeps);
    test_fields_same("short of memory", other_k, end_k, system->nx, system->ny);
    hs_solve_outcome_clear(&with);
    hs_solve_outcome_clear(&without);
  }
  hs_judge_clear(&judge);
  free(other_k);
  free(end_k);
  free(start_k);
  hs_system_destroy(system);
}

/* Other criteria end where they end without a judge; only the error is known better. */
static void other_criteria_end_as_ever(void **state)
{
  (void)state;
  for (int k = 0; k < 6; k++) {
    struct hs_config_source spot;
    struct hs_config config = test_config_workshop(64, &spot);
    struct hs_solve_outcome by_history;
    struct test_run run;
    double *start_k;
    config.solver.criterion = (enum hs_criterion)(k % 3);
    config.solver.method = k / 3 ? HS_METHOD_WEIGHTED : HS_METHOD_JACOBI;
    config.solver.weight = 0.8;
    config.solver.tolerance = 1e-5;
    test_run_start(&run, &config, NULL);
    start_k = test_field_initial(&config, run.job.system);
    by_history = test_solve(run.job.system, start_k, &run.job.settings, &hs_backend_cpu, false, NULL, NULL);
    assert_true(run.result.outcome.found_by_cycles && !by_history.found_by_cycles);
    assert_int_equal(run.result.outcome.sweeps, by_history.sweeps);
    assert_true(test_same(run.result.outcome.norms.update_l2, by_history.norms.update_l2));
    hs_solve_outcome_clear(&by_history);
    free(start_k);
    test_run_clear(&run);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_are_found),           cmocka_unit_test(every_backend_finds_the_same),
      cmocka_unit_test(operations_are_there),       cmocka_unit_test(short_memory_leaves_the_history),
      cmocka_unit_test(other_criteria_end_as_ever),
  };
  return cmocka_run_group_tests_name("judge", tests, NULL, NULL);
}
