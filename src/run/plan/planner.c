/* What a plan takes from a coarse grid: the method, its count, and the work. */
#include "run/plan/planner.h"

#include <math.h>
#include <stdio.h>

#include "backend/distributed/distributed.h"
#include "run/job_parts.h"

/* How many times finer a grid is, squared: what the rate of the slowest mode falls by. */
static double finer_square(const struct hs_config *fine, const struct hs_config *coarse)
{
  const double fx = 1.0 / fine->grid.dx_m, fy = 1.0 / fine->grid.dy_m;
  const double cx = 1.0 / coarse->grid.dx_m, cy = 1.0 / coarse->grid.dy_m;
  return (fx * fx + fy * fy) / (cx * cx + cy * cy);
}

/* The growth of a norm from a half as fine grid to the coarse one, continued to the fine one. */
static double continued(double half, double coarse, double half_to_coarse, double coarse_to_fine)
{
  double power;
  if (!(half > 0.0) || !(coarse > 0.0)) return 1.0;
  power = log(coarse / half) / log(half_to_coarse);
  return pow(coarse_to_fine, fmax(-2.0, fmin(power, 1.0)));
}

hs_status hs_planner_scale(struct hs_planner *p, struct hs_error *err)
{
  const struct hs_config *fine = p->config, *coarse = &p->coarse.config;
  const struct hs_first_update *now = &p->coarse.job.first_update;
  struct hs_coarse half;
  hs_status status;
  p->scale = (struct hs_plan_scale){1.0, 1.0, 1.0, 1.0, 1.0};
  if (coarse->grid.nx == fine->grid.nx && coarse->grid.ny == fine->grid.ny) return HS_OK;
  p->scale.square = finer_square(fine, coarse);
  p->scale.length = sqrt(p->scale.square);
  p->scale.area = (double)fine->grid.nx * fine->grid.ny / ((double)coarse->grid.nx * coarse->grid.ny);
  status = hs_coarse_make(fine, HS_PLAN_COARSE / 2, &half, err);
  if (!status) {
    const struct hs_first_update *before = &half.job.first_update;
    const double step = sqrt(finer_square(coarse, &half.config));
    p->scale.l2 = continued(before->l2_k, now->l2_k, step, p->scale.length);
    p->scale.largest = continued(before->largest_k, now->largest_k, step, p->scale.length);
  }
  hs_coarse_clear(&half);
  return status;
}

/* What a guess would be on the fine grid. It reads no node of it: what it reads is the coarse grid's, made as large. */
static double guess(const struct hs_planner *p, const struct hs_solve_settings *settings)
{
  const struct hs_job *job = &p->coarse.job;
  const int64_t nx = p->config->grid.nx, ny = p->config->grid.ny;
  const int64_t inner = (int64_t)(job->system->nx - 2) * (job->system->ny - 2);
  struct hs_problem problem = *job->problem;
  struct hs_system system = *job->system;
  struct hs_first_update first = job->first_update;
  problem.grid_nx = (int)nx;
  problem.grid_ny = (int)ny;
  system.grid_nodes = nx * ny;
  system.free_nodes += (nx - 2) * (ny - 2) - inner; /* as open as the coarse one */
  first.l2_k *= p->scale.l2;
  first.largest_k *= p->scale.largest;
  first.roughness /= p->scale.length;
  return hs_forecast_guess(&problem, &system, settings, &first);
}

/* The tolerance at which the coarse grid's slow modes stop when they would on the fine one: updates of a mode fall like the
 * square of the spacing, and 2-norms grow like the root of the nodes. */
static double coarse_tolerance(const struct hs_plan_scale *s, const struct hs_solve_settings *settings)
{
  const double l2 = sqrt(s->area);
  switch (settings->quantity) {
  case HS_STOP_UPDATE_L2: return settings->tolerance * s->square / l2;
  case HS_STOP_UPDATE_MAX:
  case HS_STOP_CORRECTION: return settings->tolerance * s->square;
  case HS_STOP_RESIDUAL: return settings->tolerance * s->square / l2 * s->l2;
  case HS_STOP_ERROR: break;
  }
  return settings->tolerance;
}

static hs_status steady_forecast(struct hs_planner *p, double *count, bool *known, struct hs_error *err)
{
  struct hs_job *job = &p->coarse.job;
  struct hs_solve_settings settings = job->settings;
  hs_status status;
  settings.tolerance = coarse_tolerance(&p->scale, &settings);
  settings.check_every = 1;
  status = hs_forecast(job->problem, job->system, &settings, job->initial_k, &job->first_update, &job->forecast, err);
  *known = job->forecast.known;
  *count = *known ? ceil(job->forecast.sweeps * p->scale.square) : guess(p, &job->settings);
  return status;
}

static struct hs_transient_settings transient_settings(const struct hs_planner *p, enum hs_method method)
{
  struct hs_transient_settings settings = hs_job_transient_settings(&p->coarse.job);
  settings.method = method;
  return settings;
}

static struct hs_candidate candidate(const struct hs_planner *p, enum hs_method method)
{
  const struct hs_job *job = &p->coarse.job;
  struct hs_candidate c = {.method = method};
  struct hs_work work;
  if (p->config->time.scheme == HS_SCHEME_STEADY) {
    struct hs_solve_settings settings = job->settings;
    settings.method = method;
    settings.check_every = hs_job_check_every(p->config, method);
    c.count = guess(p, &settings);
    work = hs_job_work_judged(&settings, c.count);
    c.work_sweeps = hs_work_sweeps(&work);
  } else {
    const struct hs_transient_settings settings = transient_settings(p, method);
    const double steps = hs_forecast_steps(&settings);
    c.count = hs_forecast_step(job->system, &settings);
    work = hs_work_transient(&settings, job->problem->timed, c.count * steps, steps);
    c.work_sweeps = hs_work_sweeps(&work) / steps;
  }
  return c;
}

/* Can the parts make cycles? GPUs of one process do so without parts where they cannot. */
static hs_status cycles_check(const struct hs_planner *p, struct hs_error *why)
{
  const struct hs_plan_machine *m = &p->plan->machine;
  if (m->gpus > 0 && m->nodes == 1) return HS_OK;
  return hs_distributed_cycles_check(&p->plan->partition, why);
}

/* The candidate of least work that the parts can take. */
static void method_take(const struct hs_planner *p, const struct hs_candidate *ranked)
{
  struct hs_plan *plan = p->plan;
  struct hs_error why = {0};
  plan->method = ranked[0].method;
  if (plan->method != HS_METHOD_MULTIGRID || !cycles_check(p, &why)) return;
  plan->method = ranked[1].method;
  hs_refusal_add(plan->method_reason, sizeof plan->method_reason, HS_METHOD_MULTIGRID, why.text);
}

static hs_status method_choose(struct hs_planner *p, struct hs_error *err)
{
  struct hs_plan *plan = p->plan;
  struct hs_candidate ranked[HS_CANDIDATES];
  struct hs_error why = {0};
  if (hs_job_method_is_open(p->config, &plan->method, plan->method_reason, sizeof plan->method_reason)) {
    for (int k = 0; k < HS_CANDIDATES; k++) ranked[k] = candidate(p, HS_CANDIDATE[k]);
    hs_candidates_sort(ranked);
    hs_candidates_print(ranked, p->config->time.scheme == HS_SCHEME_STEADY, plan->method_reason,
                        sizeof plan->method_reason);
    method_take(p, ranked);
  } else if (plan->method == HS_METHOD_MULTIGRID && p->config->time.scheme != HS_SCHEME_EXPLICIT &&
             cycles_check(p, &why)) {
    return hs_cycles_refuse(p->config, why.text, err);
  }
  p->coarse.job.settings.method = plan->method;
  p->coarse.job.settings.check_every = hs_job_check_every(p->config, plan->method);
  return HS_OK;
}

/* What a step sees of the grid: how much a sweep shrinks its error, and the longest stable one. */
static hs_status steps_scale(struct hs_planner *p, struct hs_error *err)
{
  struct hs_system *system = p->coarse.job.system;
  const struct hs_config *config = p->config;
  const double strength = system->contraction / fmax(1.0 - system->contraction, 1e-15) * p->scale.square;
  double steps;
  if (config->time.scheme == HS_SCHEME_STEADY) return HS_OK;
  system->contraction = strength / (1.0 + strength);
  system->stable_step_s /= p->scale.square;
  if (config->time.scheme != HS_SCHEME_EXPLICIT) return HS_OK;
  if (config->time.step_s > system->stable_step_s * (1.0 + 1e-9))
    return hs_error_set(
        err, HS_ERR_CONFIG,
        "%s: [time] step = %.6g s is too long for the explicit scheme on %d x %d nodes: beyond about %.6g s "
        "temperatures grow without bound; leave step out for the longest stable one, or set scheme = "
        "backward_euler or crank_nicolson",
        config->path, config->time.step_s, config->grid.nx, config->grid.ny, system->stable_step_s);
  steps = (config->time.end_s - config->time.start_s) /
          (isfinite(config->time.step_s) ? config->time.step_s : system->stable_step_s);
  if (!(steps > HS_STEPS_MOST)) return HS_OK;
  return hs_error_set(
      err, HS_ERR_CONFIG,
      "%s: [time] end = %.6g s is %.3g steps of the explicit scheme away on %d x %d nodes; set scheme = "
      "backward_euler or crank_nicolson, which are stable with any step",
      config->path, config->time.end_s, steps, config->grid.nx, config->grid.ny);
}

/* Method, count of sweeps or cycles, and the work of the whole run. */
hs_status hs_planner_forecast(struct hs_planner *p, struct hs_work *work, struct hs_error *err)
{
  struct hs_job *job = &p->coarse.job;
  struct hs_plan *plan = p->plan;
  const struct hs_config *config = p->config;
  const double most = (double)config->solver.max_iterations;
  hs_status status = steps_scale(p, err);
  bool known = true;
  if (status) return status;
  status = method_choose(p, err);
  if (status) return status;
  plan->cycles = plan->method == HS_METHOD_MULTIGRID && config->time.scheme != HS_SCHEME_EXPLICIT;
  if (config->time.scheme == HS_SCHEME_STEADY) {
    status = steady_forecast(p, &plan->sweeps, &known, err);
    plan->forecast = fmax(plan->sweeps, 1.0);
    plan->sweeps = fmin(plan->forecast, most);
    *work = hs_work_steady(&job->settings, plan->sweeps, hs_job_replays(job));
  } else {
    const struct hs_transient_settings settings = transient_settings(p, plan->method);
    hs_forecast_transient(job->system, &settings, &job->forecast);
    known = job->forecast.known;
    plan->steps = hs_forecast_steps(&settings);
    plan->step_s = settings.step_s;
    plan->sweeps = plan->forecast = job->forecast.sweeps;
    *work = hs_work_transient(&settings, job->problem->timed, plan->sweeps, plan->steps);
  }
  plan->known = known;
  return status;
}
