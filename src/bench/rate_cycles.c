/* Timing of multigrid: the levels, and solutions from the loaded field until the error is a 1e-8 of its range, or the stop
 * test of a configuration holds.
 *
 * A repeat makes the levels anew, and solutions until the wanted time has passed. What a field takes to the vectors of
 * the cycles and back counts as solution.
 */
#include <math.h>
#include <stdlib.h>

#include "base/timer.h"
#include "bench/rate_problem.h"
#include "solve/multigrid/multigrid.h"

static const double RANGE_K = 100.0;                    /* of the problems' fields, about */
static const double TO_DOUBLE = 1e-8, TO_SINGLE = 1e-5; /* of the range */
enum { MOST_CYCLES = 200, LAST = 1, MOST_REPEATS = 101 };

/* The median of count values, which are put in order. */
static double median(double *values, int count)
{
  for (int k = 1; k < count; k++)
    for (int i = k; i > 0 && values[i] < values[i - 1]; i--) {
      const double swapped = values[i];
      values[i] = values[i - 1];
      values[i - 1] = swapped;
    }
  return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

/* Multigrid's quantity of a configuration's stop test, and its tolerance. */
static hs_status stop_of(const struct hs_config *config, struct hs_solve_settings *settings, struct hs_error *err)
{
  switch (config->solver.criterion) {
  case HS_CRITERION_ERROR: settings->quantity = HS_STOP_ERROR; break;
  case HS_CRITERION_RESIDUAL: settings->quantity = HS_STOP_RESIDUAL; break;
  default:
    return hs_error_set(err, HS_ERR_CONFIG,
                        "criterion = %s is one of Jacobi's sweeps; multigrid takes error or residual",
                        hs_criterion_name(config->solver.criterion));
  }
  settings->tolerance = config->solver.tolerance;
  settings->max_iterations = config->solver.max_iterations;
  return HS_OK;
}

/* One solution from the loaded field. */
static hs_status solve(const struct hs_rate_cycles *c, struct hs_multigrid *multigrid, int64_t *cycles,
                       struct hs_error *err)
{
  struct hs_solve_settings settings = {.quantity = HS_STOP_ERROR,
                                       .tolerance = RANGE_K * (c->options->single ? TO_SINGLE : TO_DOUBLE),
                                       .max_iterations = MOST_CYCLES,
                                       .method = HS_METHOD_MULTIGRID,
                                       .single = c->options->single};
  struct hs_solve_outcome outcome = {.history = NULL};
  hs_status status = c->config ? stop_of(c->config, &settings, err) : HS_OK;
  if (!status) status = hs_multigrid_take(multigrid, c->state, err);
  if (!status) status = hs_multigrid_solve(multigrid, &settings, NULL, &outcome, err);
  if (!status && outcome.verdict != HS_VERDICT_CONVERGED)
    status = hs_error_set(err, HS_ERR_UNSUPPORTED, "%s after %lld cycles, above its tolerance of %g",
                          hs_verdict_name(outcome.verdict), (long long)outcome.sweeps, settings.tolerance);
  *cycles = outcome.sweeps;
  hs_solve_outcome_clear(&outcome);
  return status;
}

/* One repeat: *setup_s for the levels, *solve_s for a solution. */
static hs_status repeat(const struct hs_rate_cycles *c, double *setup_s, double *solve_s, int64_t *cycles,
                        struct hs_error *err)
{
  struct hs_multigrid *multigrid = NULL;
  double began_s = hs_time_s();
  int solutions = 0;
  hs_status status = hs_multigrid_create(c->backend, c->system, c->options, c->state, &multigrid, err);
  *setup_s = hs_time_s() - began_s;
  began_s = hs_time_s();
  do {
    if (!status) status = solve(c, multigrid, cycles, err);
    *solve_s = hs_time_s() - began_s;
    solutions++;
  } while (!status && *solve_s < c->settings->seconds);
  *solve_s /= solutions;
  hs_multigrid_destroy(multigrid);
  return status;
}

hs_status hs_rate_cycles(const struct hs_rate_cycles *c, struct hs_rate *rate, struct hs_error *err)
{
  double setup_s[MOST_REPEATS], solve_s[MOST_REPEATS];
  const int repeats = c->settings->repeats;
  int64_t cycles = 0;
  hs_status status = repeat(c, setup_s, solve_s, &cycles, err); /* the warm-up */
  for (int k = 0; !status && k < repeats; k++) status = repeat(c, &setup_s[k], &solve_s[k], &cycles, err);
  if (status) return status;
  rate->sweeps = cycles + LAST;
  rate->cycles = (int)cycles;
  rate->setup_s = median(setup_s, repeats);
  rate->solve_s = median(solve_s, repeats);
  rate->sweep_s = rate->solve_s / (double)rate->sweeps;
  rate->spread = (solve_s[repeats - 1] - solve_s[0]) / rate->solve_s;
  rate->nodes_per_s = NAN; /* a cycle is no update */
  return HS_OK;
}
