/* heatsolve verify: the chosen backend and cpu-reference side by side, compared bit by bit. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/difference.h"
#include "output/output.h"
#include "run/job.h"

static void print_run(const struct hs_result *result)
{
  const char *unit = hs_result_makes_cycles(result) ? "cycles" : "sweeps";
  if (result->config->time.scheme != HS_SCHEME_STEADY) {
    printf("%-19s %s at t = %.17g s after %lld steps and %lld %s, %.3g s (%s)\n", result->backend,
           hs_verdict_name(result->transient.verdict), result->transient.time_s, (long long)result->transient.steps,
           (long long)result->transient.sweeps, unit, result->time_solve_s, result->place.device);
    return;
  }
  printf("%-19s %s after %lld %s, ", result->backend, hs_verdict_name(result->outcome.verdict),
         (long long)result->outcome.sweeps, unit);
  if (hs_result_makes_cycles(result) && isnan(result->outcome.error_estimate_k))
    printf("remaining error not estimated");
  else if (hs_result_makes_cycles(result))
    printf("remaining error %.17g K", result->outcome.error_estimate_k);
  else
    printf("update_l2 %.17g K", result->outcome.norms.update_l2);
  printf(", %.3g s (%s)\n", result->time_solve_s, result->place.device);
}

/* The same bits, or both NaN, whose bits depend on the processor? */
static bool numbers_equal(double a, double b)
{
  return !memcmp(&a, &b, sizeof a) || (isnan(a) && isnan(b));
}

/* Same end, same sweeps, same norms? */
static bool outcomes_equal(const struct hs_solve_outcome *a, const struct hs_solve_outcome *b)
{
  const struct hs_norms *m = &a->norms, *n = &b->norms;
  return a->verdict == b->verdict && a->sweeps == b->sweeps && numbers_equal(m->update_l2, n->update_l2) &&
         numbers_equal(m->update_max, n->update_max) && numbers_equal(m->residual_l2, n->residual_l2) &&
         numbers_equal(m->residual_max, n->residual_max) && numbers_equal(m->two_sweep_max, n->two_sweep_max) &&
         numbers_equal(a->error_estimate_k, b->error_estimate_k);
}

/* Same end, same steps, same sweeps, same bounds on the error? All 0 for steady runs. */
static bool transients_equal(const struct hs_transient_outcome *a, const struct hs_transient_outcome *b)
{
  return a->verdict == b->verdict && a->steps == b->steps && a->rejected_steps == b->rejected_steps &&
         a->sweeps == b->sweeps && numbers_equal(a->time_s, b->time_s) &&
         numbers_equal(a->inner_error_k, b->inner_error_k) && numbers_equal(a->step_error_k, b->step_error_k);
}

/* Runs one backend with a progress line. */
static hs_status run_one(struct hs_job *job, const struct hs_backend *backend, bool quiet,
                         const volatile sig_atomic_t *stop, struct hs_result *result, struct hs_error *err)
{
  struct hs_progress_line line;
  const struct hs_solve_observer observer = {hs_progress_line_draw, &line, stop};
  hs_status status;
  hs_progress_line_start(&line, stderr, job->options.multigrid, quiet);
  status = hs_job_run(job, backend, &observer, NULL, result, err);
  hs_progress_line_clear(&line);
  if (!status && !quiet) print_run(result);
  if (!status) hs_cli_warn_from(&result->warnings, job->warnings.count);
  return status;
}

hs_status hs_cli_verify(const struct hs_cli *cli, int *exit_code, struct hs_error *err)
{
  const volatile sig_atomic_t *stop = hs_cli_catch_signals().stop;
  struct hs_config *config = NULL;
  struct hs_job job = {0};
  struct hs_result ours = {0}, reference = {0};
  struct hs_difference difference;
  bool same;
  hs_status status =
      hs_config_read(cli->files[0], (const char *const *)cli->overrides, cli->override_count, &config, err);
  if (!status) status = hs_job_prepare(config, NULL, &job, err);
  hs_cli_warn_from(&job.warnings, 0);
  if (!status) status = hs_answers_check(job.problem, err);
  if (!status) status = run_one(&job, job.backend, cli->quiet, stop, &ours, err);
  if (!status && !*stop) status = run_one(&job, &hs_backend_reference, cli->quiet, stop, &reference, err);
  if (status) goto out;
  if (*stop) {
    if (!cli->quiet) printf("interrupted; nothing was compared\n");
    *exit_code = HS_EXIT_INTERRUPTED;
    goto out;
  }
  difference = hs_difference_of(ours.field_k, reference.field_k, ours.nx, ours.ny);
  same = outcomes_equal(&ours.outcome, &reference.outcome) && transients_equal(&ours.transient, &reference.transient);
  *exit_code = difference.different || !same ? HS_EXIT_DIFFERENT : HS_EXIT_OK;
  if (!cli->quiet) {
    hs_difference_print(&difference, ours.nx, ours.ny);
    printf("stop and norms      %s\n", same ? "the same bits" : "DIFFERENT");
  }
out:
  hs_result_clear(&reference);
  hs_result_clear(&ours);
  hs_job_clear(&job);
  hs_config_destroy(config);
  return status;
}
