/* The method of a run: as configured, or the one of least work by forecast.
 *
 * Work is counted in sweeps of the finest grid, not in seconds: seconds depend on the machine and the backend, and the same
 * configuration must give the same bits on all of them. So the choice reads the problem alone, but for a method that the
 * backends or the memory of this machine have no room for; that is said.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/job_parts.h"

enum { JUDGING = 2 };

const enum hs_method HS_CANDIDATE[HS_CANDIDATES] = {HS_METHOD_MULTIGRID, HS_METHOD_CHEBYSHEV, HS_METHOD_JACOBI};

struct hs_work hs_job_work_judged(const struct hs_solve_settings *settings, double count)
{
  struct hs_work work = hs_work_steady(settings, count, false);
  if (settings->method != HS_METHOD_MULTIGRID) {
    work.cycles = JUDGING;
    work.levels = 1.0;
  }
  return work;
}

static struct hs_candidate steady_candidate(const struct hs_job *job, enum hs_method method)
{
  struct hs_solve_settings settings = job->settings;
  struct hs_candidate c = {.method = method};
  struct hs_work work;
  settings.method = method;
  settings.check_every = hs_job_check_every(job->config, method);
  c.count = hs_forecast_guess(job->problem, job->system, &settings, &job->first_update);
  work = hs_job_work_judged(&settings, c.count);
  c.work_sweeps = hs_work_sweeps(&work);
  return c;
}

static struct hs_candidate step_candidate(const struct hs_job *job, enum hs_method method)
{
  struct hs_transient_settings settings = hs_job_transient_settings(job);
  const double steps = hs_forecast_steps(&settings);
  struct hs_candidate c = {.method = method};
  struct hs_work work;
  settings.method = method;
  c.count = hs_forecast_step(job->system, &settings);
  work = hs_work_transient(&settings, job->problem->timed, c.count * steps, steps);
  c.work_sweeps = hs_work_sweeps(&work) / steps;
  return c;
}

void hs_candidates_sort(struct hs_candidate ranked[HS_CANDIDATES])
{
  for (int k = 1; k < HS_CANDIDATES; k++) {
    const struct hs_candidate c = ranked[k];
    int place = k;
    for (; place > 0 && c.work_sweeps < ranked[place - 1].work_sweeps; place--) ranked[place] = ranked[place - 1];
    ranked[place] = c;
  }
}

/* All candidates, least work first. */
static hs_status candidates_rank(struct hs_job *job, struct hs_candidate ranked[HS_CANDIDATES], struct hs_error *err)
{
  const bool steady = job->config->time.scheme == HS_SCHEME_STEADY;
  if (steady && !job->first_update.known) {
    const hs_status status =
        hs_first_update_measure(job->problem, job->system, job->initial_k, &job->first_update, err);
    if (status) return status;
  }
  for (int k = 0; k < HS_CANDIDATES; k++)
    ranked[k] = steady ? steady_candidate(job, HS_CANDIDATE[k]) : step_candidate(job, HS_CANDIDATE[k]);
  hs_candidates_sort(ranked);
  return HS_OK;
}

/* A count of three digits: 2,940. */
static void count_print(double count, char text[32])
{
  char digits[32];
  const double unit = count >= 1000.0 ? pow(10.0, floor(log10(count)) - 2.0) : 1.0;
  const int length = snprintf(digits, sizeof digits, "%.0f", fmin(rint(count / unit) * unit, 1e15));
  int to = 0;
  for (int k = 0; k < length; k++) {
    if (k > 0 && (length - k) % 3 == 0) text[to++] = ',';
    text[to++] = digits[k];
  }
  text[to] = '\0';
}

void hs_candidates_print(const struct hs_candidate ranked[HS_CANDIDATES], bool steady, char *text, size_t size)
{
  snprintf(text, size, "auto, by forecast work in sweeps%s:", steady ? "" : " a step");
  for (int k = 0; k < HS_CANDIDATES; k++) {
    char work[32], cycles[48] = "";
    const size_t length = strlen(text);
    count_print(ranked[k].work_sweeps, work);
    if (ranked[k].method == HS_METHOD_MULTIGRID) snprintf(cycles, sizeof cycles, " (%.0f cycles)", ranked[k].count);
    snprintf(text + length, size - length, "%s %s %s%s", k ? "," : "", hs_method_name(ranked[k].method), work, cycles);
  }
}

void hs_refusal_add(char *text, size_t size, enum hs_method method, const char *why)
{
  const size_t length = strlen(text);
  snprintf(text + length, size - length, "; not %s: %.*s", hs_method_name(method), (int)strcspn(why, ";"), why);
}

/* Without the name of the configuration. */
static void refusal_add(struct hs_job *job, enum hs_method method, const struct hs_error *why)
{
  const size_t path = strlen(job->config->path);
  const bool named = !strncmp(why->text, job->config->path, path) && !strncmp(why->text + path, ": ", 2);
  hs_refusal_add(job->method_reason, sizeof job->method_reason, method, why->text + (named ? path + 2 : 0));
}

static hs_status method_settle(struct hs_job *job, enum hs_method method, struct hs_error *err)
{
  const hs_status status = hs_job_method_set(job, method, err);
  return status ? status : hs_job_backend_choose(job, err);
}

/* The best candidate that a backend and the memory can take. */
static hs_status by_forecast(struct hs_job *job, struct hs_error *err)
{
  const bool steady = job->config->time.scheme == HS_SCHEME_STEADY;
  struct hs_candidate ranked[HS_CANDIDATES];
  hs_status status = candidates_rank(job, ranked, err);
  if (status) return status;
  hs_candidates_print(ranked, steady, job->method_reason, sizeof job->method_reason);
  for (int k = 0; k < HS_CANDIDATES; k++) {
    struct hs_error why = {0};
    status = method_settle(job, ranked[k].method, &why);
    if (!status) return HS_OK;
    if (k == 0) *err = why;
    refusal_add(job, ranked[k].method, &why);
  }
  return err->status;
}

bool hs_job_method_is_open(const struct hs_config *config, enum hs_method *method, char *reason, size_t size)
{
  const enum hs_criterion criterion = config->solver.criterion;
  const bool updates = criterion == HS_CRITERION_UPDATE_L2 || criterion == HS_CRITERION_UPDATE_MAX;
  snprintf(reason, size, "asked for");
  *method = config->solver.method;
  if (*method != HS_METHOD_AUTO) return false;
  *method = HS_METHOD_JACOBI;
  if (config->time.scheme == HS_SCHEME_EXPLICIT) return false;
  if (config->time.scheme != HS_SCHEME_STEADY || !updates) return true;
  snprintf(reason, size, "auto: criterion = %s asks what a Jacobi sweep changes", hs_criterion_name(criterion));
  return false;
}

hs_status hs_job_method_choose(struct hs_job *job, struct hs_error *err)
{
  enum hs_method method;
  if (hs_job_method_is_open(job->config, &method, job->method_reason, sizeof job->method_reason))
    return by_forecast(job, err);
  return method_settle(job, method, err);
}

hs_status hs_job_method_take(struct hs_job *job, enum hs_method method, struct hs_error *err)
{
  if (method == job->settings.method) return HS_OK;
  snprintf(job->method_reason, sizeof job->method_reason, "auto: that of the checkpoint");
  return method_settle(job, method, err);
}
