/* The plan: a forecast from a coarse grid, costs of the largest part, exchanges, memory; see plan.h. */
#include "run/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend/cost/cost.h"
#include "backend/distributed/distributed.h"
#include "run/coarse.h"
#include "run/job_parts.h"

/* Building the problem, for a node and a rank (doc/measurements.md). */
static const double BUILD_S = 20e-9;

/* What the coarse grid's forecasts are multiplied by. */
struct scale {
  double square, length; /* of the nodes along a side, fine over coarse */
  double area;           /* nodes, fine over coarse */
  double l2, largest;    /* norms of the first update, fine over coarse */
};

struct planner {
  const struct hs_config *config;
  struct hs_coarse coarse;
  struct scale scale;
  struct hs_plan *plan;
};

struct hs_plan_machine hs_plan_machine_usual(int nodes, int gpus, int ranks, int threads)
{
  struct hs_plan_machine m = {.nodes = nodes, .gpus = gpus, .ranks = ranks, .threads = threads, .gpu_bytes = 141e9};
  m.links = gpus > 0 ? hs_links_devices() : hs_links_ranks();
  if (nodes > 1) m.links.strided = 1.0; /* ranks gather columns before they send them */
  m.links.node_parts = (gpus > 0 ? gpus : ranks) / nodes;
  m.links.network_latency_s = 3e-5;
  m.links.network_byte_s = 1.0 / 50e9;
  m.file_bytes_s = 10e9;
  return m;
}

/* --- the forecast ---------------------------------------------------------------------------- */

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

static hs_status scale_find(struct planner *p, struct hs_error *err)
{
  const struct hs_config *fine = p->config, *coarse = &p->coarse.config;
  const struct hs_first_update *now = &p->coarse.job.first_update;
  struct hs_coarse half;
  hs_status status;
  p->scale = (struct scale){1.0, 1.0, 1.0, 1.0, 1.0};
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
static double guess(const struct planner *p, const struct hs_solve_settings *settings)
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
static double coarse_tolerance(const struct scale *s, const struct hs_solve_settings *settings)
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

static hs_status steady_forecast(struct planner *p, double *count, bool *known, struct hs_error *err)
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

static struct hs_transient_settings transient_settings(const struct planner *p, enum hs_method method)
{
  struct hs_transient_settings settings = hs_job_transient_settings(&p->coarse.job);
  settings.method = method;
  return settings;
}

static struct hs_candidate candidate(const struct planner *p, enum hs_method method)
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
static hs_status cycles_check(const struct planner *p, struct hs_error *why)
{
  const struct hs_plan_machine *m = &p->plan->machine;
  if (m->gpus > 0 && m->nodes == 1) return HS_OK;
  return hs_distributed_cycles_check(&p->plan->partition, why);
}

/* The candidate of least work that the parts can take. */
static void method_take(const struct planner *p, const struct hs_candidate *ranked)
{
  struct hs_plan *plan = p->plan;
  struct hs_error why = {0};
  plan->method = ranked[0].method;
  if (plan->method != HS_METHOD_MULTIGRID || !cycles_check(p, &why)) return;
  plan->method = ranked[1].method;
  hs_refusal_add(plan->method_reason, sizeof plan->method_reason, HS_METHOD_MULTIGRID, why.text);
}

static hs_status method_choose(struct planner *p, struct hs_error *err)
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
static hs_status steps_scale(struct planner *p, struct hs_error *err)
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
static hs_status work_forecast(struct planner *p, struct hs_work *work, struct hs_error *err)
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

/* --- the machine ----------------------------------------------------------------------------- */

static int parts_of(const struct hs_plan_machine *m)
{
  return m->gpus > 0 ? m->gpus : m->ranks;
}

/* As a run would cut: GPUs of one node by one process, all else by ranks. */
static struct hs_partition partition_choose(const struct planner *p, const struct hs_plan_machine *m)
{
  const struct hs_partition_costs costs = hs_spread_device_costs(p->config->solver.precision == HS_SINGLE);
  const struct hs_partition whole = hs_problem_whole(p->config).partition;
  if (m->gpus == 0 || m->nodes > 1 || m->gpus > HS_DEVICES_MOST) return hs_job_partition(p->config, parts_of(m));
  return hs_partition_choose(&whole, m->gpus, 1, &costs);
}

/* Levels and vectors of a window: they go like its nodes and some beside (backend/cost). */
static double multigrid_bytes(const struct hs_system *coarse, const struct hs_rectangle *window)
{
  return hs_cost_multigrid_bytes(coarse) * ((window->nx + 18.0) * (window->ny + 2.0)) /
         ((coarse->nx + 18.0) * (coarse->ny + 2.0));
}

/* Costs of a window of a cut on one device or rank, without exchanges. */
static struct hs_backend_cost window_cost(const struct planner *p, const struct hs_partition *partition,
                                          const struct hs_rectangle *window)
{
  const struct hs_plan_machine *m = &p->plan->machine;
  const struct hs_system *coarse = p->coarse.job.system;
  const struct hs_config *config = p->config;
  const double nodes = (double)window->nx * window->ny;
  const bool periodic =
      (partition->period_x > 0 && partition->count_x == 1) || (partition->period_y > 0 && partition->count_y == 1);
  const struct hs_cost_sweep sweep = {
      .nodes = nodes,
      .variety = hs_cost_variety(coarse) / p->scale.length,
      .each_law = !coarse->index || (config->map.conductivity && config->map.conductivity[0]),
      .constants = hs_system_has_constants(coarse) || (config->map.source && config->map.source[0]),
      .single = config->solver.precision == HS_SINGLE,
      .form = hs_work_form(config->time.scheme, p->plan->method)};
  struct hs_backend_cost cost =
      m->gpus > 0 ? hs_cost_gpu_of(&sweep, window->nx, window->ny, periodic) : hs_cost_cpu_of(&sweep, m->threads);
  if (p->plan->cycles) *(m->gpus > 0 ? &cost.device_bytes : &cost.host_bytes) += multigrid_bytes(coarse, window);
  if (!p->plan->cycles) cost.cycle_s = cost.levels_s = 0.0;
  return cost;
}

/* Bytes of a rank on the host, its backend's included. */
static double rank_bytes(const struct planner *p, const struct hs_rectangle *window, const struct hs_backend_cost *cost)
{
  struct hs_backend_options options = p->coarse.job.options;
  struct hs_config part = *p->config;
  part.grid.nx = window->nx;
  part.grid.ny = window->ny;
  options.form = hs_work_form(part.time.scheme, p->plan->method);
  options.multigrid = p->plan->cycles;
  return hs_job_host_bytes(&part, NULL, p->coarse.job.system, &options) + cost->host_bytes;
}

/* How full the fullest memory would be, 1 being full. */
static double fullness(const struct planner *p, const struct hs_plan_machine *m)
{
  const struct hs_partition partition = partition_choose(p, m);
  const struct hs_rectangle window = hs_spread_window(&partition);
  const struct hs_backend_cost cost = window_cost(p, &partition, &window);
  const double ranks = (double)parts_of(m) / m->nodes;
  const double node = m->node_bytes > 0.0 ? ranks * rank_bytes(p, &window, &cost) / m->node_bytes : 0.0;
  return fmax(m->gpus > 0 ? cost.device_bytes / m->gpu_bytes : 0.0, node);
}

/* The fewest nodes like these that hold the grid, in parts. */
static int parts_needed(const struct planner *p)
{
  struct hs_plan_machine m = p->plan->machine;
  const int per_node = parts_of(&m) / m.nodes;
  double full = fullness(p, &m);
  while (full > 1.0) {
    const double nodes = fmax(m.nodes + 1.0, ceil(m.nodes * fmin(full, 1e6)));
    if (nodes * per_node > HS_PLAN_PARTS_MOST) return 0;
    m.nodes = (int)nodes;
    *(m.gpus > 0 ? &m.gpus : &m.ranks) = m.nodes * per_node;
    full = fullness(p, &m);
  }
  return parts_of(&m);
}

static double file_bytes(const struct hs_config *config, double nodes)
{
  const double value = config->solver.precision == HS_SINGLE ? 4.0 : 8.0;
  const double material = config->material_count > 1 ? 2.0 : 0.0,
               flux = config->output.flux == HS_WISH_YES ? 16.0 : 0.0;
  const double snapshots = hs_config_snapshots(config);
  double bytes = config->output.field ? nodes * (value + material + flux) : 0.0;
  if (config->output.vti == HS_WISH_YES) bytes += nodes * (value + material + flux);
  if (snapshots > 2.0) bytes += nodes * value * snapshots;
  return bytes;
}

static enum hs_plan_limit limit_of(const struct hs_plan *plan)
{
  const double worth = 0.1 * plan->sweep_s;
  if (!plan->fits) return HS_PLAN_MEMORY;
  if (plan->setup_s > plan->solve_s && plan->setup_s >= plan->files_s) return HS_PLAN_SETUP;
  if (plan->files_s > plan->solve_s) return HS_PLAN_FILES;
  if (fmax(plan->ghosts_s, fmax(plan->latency_s, plan->bytes_s)) < worth) return HS_PLAN_SWEEPS;
  if (plan->ghosts_s >= fmax(plan->latency_s, plan->bytes_s)) return HS_PLAN_GHOSTS;
  if (plan->latency_s >= plan->bytes_s) return HS_PLAN_LATENCY;
  return plan->exchange.network ? HS_PLAN_NETWORK : HS_PLAN_LINKS;
}

static void costs_add(struct planner *p, const struct hs_work *work)
{
  struct hs_plan *plan = p->plan;
  const struct hs_plan_machine *m = &plan->machine;
  const bool single = p->config->solver.precision == HS_SINGLE;
  const enum hs_form form = hs_work_form(p->config->time.scheme, plan->method);
  const struct hs_partition whole = hs_problem_whole(p->config).partition;
  const struct hs_rectangle all = {0, 0, whole.grid_nx, whole.grid_ny};
  const struct hs_backend_cost alone = window_cost(p, &whole, &all);
  struct hs_backend_cost cost = window_cost(p, &plan->partition, &plan->window);
  const double nodes = (double)plan->window.nx * plan->window.ny, parts = parts_of(m);
  const double lone_s = plan->cycles ? cost.cycle_s : cost.sweep_s;
  double wait_s;
  plan->gpu_bytes = m->gpus > 0 ? cost.device_bytes : 0.0;
  plan->rank_bytes = rank_bytes(p, &plan->window, &cost);
  plan->exchange = hs_spread_exchange(&plan->partition, &m->links, single ? 4.0 : 8.0);
  plan->traffic = plan->cycles ? hs_spread_cycle_traffic(&plan->partition)
                               : hs_spread_sweep_traffic(&plan->partition, single, form);
  plan->setup_s = cost.setup_s + BUILD_S * nodes;
  hs_spread_add(&plan->partition, &m->links, single, form, &cost);
  plan->sweep_s = plan->cycles ? cost.cycle_s : cost.sweep_s;
  plan->solve_s = hs_work_s(&cost, work);
  plan->efficiency = hs_work_s(&alone, work) / (parts * plan->solve_s);
  plan->ghosts_s = fmax(0.0, lone_s - (plan->cycles ? alone.cycle_s : alone.sweep_s) / parts);
  wait_s = plan->sweep_s - lone_s;
  plan->latency_s = plan->exchange.s > 0.0 ? wait_s * plan->exchange.latency_s / plan->exchange.s : 0.0;
  plan->bytes_s = wait_s - plan->latency_s;
}

hs_status hs_plan_make(const struct hs_config *config, const struct hs_plan_machine *machine, struct hs_plan *plan,
                       struct hs_error *err)
{
  const double nodes = (double)config->grid.nx * config->grid.ny;
  struct planner p = {.config = config, .plan = plan};
  struct hs_work work = {0};
  hs_status status;
  memset(plan, 0, sizeof *plan);
  plan->machine = *machine;
  status = hs_coarse_make(config, HS_PLAN_COARSE, &p.coarse, err);
  if (!status) status = scale_find(&p, err);
  if (!status) {
    plan->partition = partition_choose(&p, machine);
    status = work_forecast(&p, &work, err);
  }
  if (!status) {
    plan->coarse_nx = p.coarse.config.grid.nx;
    plan->coarse_ny = p.coarse.config.grid.ny;
    plan->maps_left_out = hs_coarse_lacks_maps(config, &p.coarse);
    plan->window = hs_spread_window(&plan->partition);
    costs_add(&p, &work);
    plan->file_bytes = file_bytes(config, nodes);
    plan->files_s = plan->file_bytes / machine->file_bytes_s;
    plan->fits = fullness(&p, machine) <= 1.0;
    plan->parts_needed = plan->fits ? 0 : parts_needed(&p);
    plan->limit = limit_of(plan);
  }
  hs_coarse_clear(&p.coarse);
  return status;
}
