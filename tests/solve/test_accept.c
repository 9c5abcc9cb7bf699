/* The demand on the energy balance: a field that is not accepted makes a run go on. */
#include "solve/cases.h"

#include <stdlib.h>

struct opinion {
  int asked, refuse; /* accepts once it has refused that often */
  const int64_t *sweeps;
};

static hs_status opinion_accept(void *context, struct hs_backend_state *state, double left_k, bool *accepted,
                                struct hs_error *err)
{
  struct opinion *opinion = context;
  (void)state;
  (void)left_k;
  (void)err;
  *accepted = opinion->asked++ >= opinion->refuse;
  return HS_OK;
}

/* Refused fields: the run goes on, asks again no sooner than 5 % later, and ends where it is accepted. */
static void refusal_makes_a_run_go_on(void **state)
{
  static const int checks[] = {1, 20, 64};
  (void)state;
  for (int k = 0; k < 18; k++) {
    const int refuse = k % 3 == 0 ? 0 : k % 3 == 1 ? 1 : 4;
    const int check_every = checks[k / 6];
    struct hs_config_source spot;
    const struct hs_config config = test_config_workshop(40, &spot);
    struct opinion opinion = {.refuse = refuse};
    struct hs_solve_settings settings = {.quantity = HS_STOP_UPDATE_MAX,
                                         .tolerance = 1e-6,
                                         .max_iterations = 1000000,
                                         .check_every = check_every,
                                         .method = k / 3 % 2 ? HS_METHOD_CHEBYSHEV : HS_METHOD_JACOBI,
                                         .exact_stop = true};
    struct hs_system *system = test_system(&config);
    double *field_k = test_field(system);
    struct hs_solve_outcome plain = test_solve(system, field_k, &settings, &hs_backend_cpu, false, NULL, NULL), o;
    double earliest = (double)plain.sweeps;
    settings.accept = (struct hs_solve_accept){opinion_accept, &opinion};
    o = test_solve(system, field_k, &settings, &hs_backend_cpu, false, NULL, NULL);
    assert_int_equal(o.verdict, HS_VERDICT_CONVERGED);
    if (refuse == 0) {
      assert_int_equal(o.sweeps, plain.sweeps);
      assert_int_equal(o.unbalanced_at, 0);
    } else {
      for (int m = 0; m < refuse; m++) earliest *= 1.05;
      assert_true(o.unbalanced_at >= plain.sweeps && o.unbalanced_at < plain.sweeps + check_every);
      assert_true((double)o.sweeps >= earliest);
      /* Chebyshev's update wavers */
      if (settings.method == HS_METHOD_JACOBI &&
          !((double)o.sweeps <= earliest + (refuse + 1) * (check_every + 1) * 1.3))
        fail_msg("case %d: refused %d times, %lld sweeps, %lld without, check_every %d", k, refuse, (long long)o.sweeps,
                 (long long)plain.sweeps, check_every);
      assert_int_equal(opinion.asked, refuse + 1);
      assert_int_equal(o.sweeps % check_every, 0);
    }
    hs_solve_outcome_clear(&plain);
    hs_solve_outcome_clear(&o);
    free(field_k);
    hs_system_destroy(system);
  }
}

/* The workshop's own stop leaves heat unaccounted for; a demand on the balance does not. */
static void converged_runs_are_balanced(void **state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    struct hs_config_source spot;
    struct hs_config config = test_config_workshop(64, &spot);
    struct test_run run;
    test_run_start(&run, &config, NULL);
    assert_true(run.result.answers.balance.imbalance_relative > 1e-3);
    test_run_clear(&run);
    config.solver.balance_tolerance = 1e-5;
    config.solver.method = (enum hs_method)k;
    test_run_start(&run, &config, NULL);
    assert_int_equal(run.result.outcome.verdict, HS_VERDICT_CONVERGED);
    assert_true(run.result.answers.balance.imbalance_relative <= 1e-5);
    assert_true(run.result.outcome.unbalanced_at > 0);
    assert_false(run.result.outcome.exact_stop);
    test_run_clear(&run);
  }
}

/* A plate that is everywhere as warm as its surroundings has no heat flows, only their rounding. */
static void plate_of_one_temperature_converges(void **state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    struct hs_config config = test_config(11, 7);
    struct test_run run;
    test_wall_convection(&config, HS_WEST, 7.7, 20.3);
    test_wall_temperature(&config, HS_EAST, 20.3);
    test_wall_insulated(&config, HS_SOUTH);
    test_wall_insulated(&config, HS_NORTH);
    config.initial.temperature_k = 20.3;
    config.solver.balance_tolerance = 1e-4;
    config.solver.method = (enum hs_method)k;
    test_run_start(&run, &config, NULL);
    assert_int_equal(run.result.outcome.verdict, HS_VERDICT_CONVERGED);
    assert_int_equal(run.result.outcome.unbalanced_at, 0);
    test_run_clear(&run);
  }
}

/* A demand that rounding does not meet ends as a stagnation, not as a success. */
static void unmet_balance_is_no_success(void **state)
{
  struct hs_config_source spot;
  struct hs_config config = test_config_workshop(40, &spot);
  struct test_run run;
  (void)state;
  config.solver.balance_tolerance = -1.0;
  for (int k = 0; k < 3; k++) {
    config.solver.method = (enum hs_method)k;
    test_run_start(&run, &config, NULL);
    assert_int_equal(run.result.outcome.verdict, HS_VERDICT_STAGNATED);
    assert_true(run.result.outcome.unbalanced_at > 0);
    test_run_clear(&run);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(refusal_makes_a_run_go_on),
      cmocka_unit_test(converged_runs_are_balanced),
      cmocka_unit_test(plate_of_one_temperature_converges),
      cmocka_unit_test(unmet_balance_is_no_success),
  };
  return cmocka_run_group_tests_name("accept", tests, NULL, NULL);
}
