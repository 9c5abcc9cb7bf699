/* The plan: costs of the largest part, exchanges, memory; see plan.h. Its forecast is in planner.c. */
#include "run/plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend/cost/cost.h"
#include "backend/distributed/distributed.h"
#include "run/job_parts.h"
#include "run/plan/planner.h"

/* Building the problem, for a node and a rank (doc/measurements.md). */
static const double BUILD_S = 20e-9;

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

/* --- the machine ----------------------------------------------------------------------------- */

static int parts_of(const struct hs_plan_machine *m)
{
  return m->gpus > 0 ? m->gpus : m->ranks;
}

/* As a run would cut: GPUs of one node by one process, all else by ranks. */
static struct hs_partition partition_choose(const struct hs_planner *p, const struct hs_plan_machine *m)
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
static struct hs_backend_cost window_cost(const struct hs_planner *p, const struct hs_partition *partition,
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

/* Bytes of the strips by which a rank may overlap its exchanges, of the part that has most of them. */
static double strips_bytes(const struct hs_planner *p, const struct hs_partition *partition, double backend_node_bytes)
{
  const struct hs_system *coarse = p->coarse.job.system;
  double nodes = 0.0;
  if (p->plan->machine.gpus > 0 || p->plan->cycles || coarse->storing) return 0.0;
  for (int part = 0; part < hs_partition_parts(partition); part++)
    nodes = fmax(nodes, hs_distributed_strip_nodes(partition, part));
  return nodes * (hs_distributed_strip_node_bytes(coarse) + backend_node_bytes);
}

/* Bytes of a rank on the host, its backend's included. */
static double rank_bytes(const struct hs_planner *p, const struct hs_partition *partition,
                         const struct hs_rectangle *window, const struct hs_backend_cost *cost)
{
  const double strips = strips_bytes(p, partition, cost->host_bytes / ((double)window->nx * window->ny));
  struct hs_backend_options options = p->coarse.job.options;
  struct hs_config part = *p->config;
  part.grid.nx = window->nx;
  part.grid.ny = window->ny;
  options.form = hs_work_form(part.time.scheme, p->plan->method);
  options.multigrid = p->plan->cycles;
  return hs_job_host_bytes(&part, NULL, p->coarse.job.system, &options) + cost->host_bytes + strips;
}

/* How full the fullest memory would be, 1 being full. */
static double fullness(const struct hs_planner *p, const struct hs_plan_machine *m)
{
  const struct hs_partition partition = partition_choose(p, m);
  const struct hs_rectangle window = hs_spread_window(&partition);
  const struct hs_backend_cost cost = window_cost(p, &partition, &window);
  const double ranks = (double)parts_of(m) / m->nodes;
  const double node = m->node_bytes > 0.0 ? ranks * rank_bytes(p, &partition, &window, &cost) / m->node_bytes : 0.0;
  return fmax(m->gpus > 0 ? cost.device_bytes / m->gpu_bytes : 0.0, node);
}

/* The fewest nodes like these that hold the grid, in parts. */
static int parts_needed(const struct hs_planner *p)
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

static void costs_add(struct hs_planner *p, const struct hs_work *work)
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
  plan->rank_bytes = rank_bytes(p, &plan->partition, &plan->window, &cost);
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
  struct hs_planner p = {.config = config, .plan = plan};
  struct hs_work work = {0};
  hs_status status;
  memset(plan, 0, sizeof *plan);
  plan->machine = *machine;
  status = hs_coarse_make(config, HS_PLAN_COARSE, &p.coarse, err);
  if (!status) status = hs_planner_scale(&p, err);
  if (!status) {
    plan->partition = partition_choose(&p, machine);
    status = hs_planner_forecast(&p, &work, err);
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
