/* heatsolve check for machines that are not there: options into a machine, and a plan as text. */
#include "cli/check_plan.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shown.h"
#include "cli/job_shape.h"
#include "cli/options.h"
#include "run/plan/plan.h"

/* --- options --------------------------------------------------------------------------------- */

bool hs_check_plan_wanted(const struct hs_cli *cli)
{
  for (int k = 0; k < cli->given_count; k++)
    if (cli->given[k].row->option != HS_OPTION_QUIET) return true;
  return false;
}

/* A number above 0 times unit. */
static hs_status number_take(const struct hs_given *given, double unit, double *value, struct hs_error *err)
{
  char *end = NULL;
  double number;
  errno = 0;
  number = strtod(given->value, &end);
  if (end == given->value || *end || errno || !(number > 0.0 && number < 1e12))
    return hs_option_refuse(given->row, given->value, "a number above 0", err);
  *value = number * unit;
  return HS_OK;
}

static hs_status links_take(const struct hs_cli *cli, struct hs_plan_machine *m, struct hs_error *err)
{
  hs_status status = HS_OK;
  for (int k = 0; !status && k < cli->given_count; k++) {
    const struct hs_given *given = &cli->given[k];
    double rate = 0.0;
    switch (given->row->option) {
    case HS_OPTION_LATENCY: status = number_take(given, 1e-6, &m->links.network_latency_s, err); break;
    case HS_OPTION_LINK_LATENCY: status = number_take(given, 1e-6, &m->links.link_latency_s, err); break;
    case HS_OPTION_BANDWIDTH:
      status = number_take(given, 1e9, &rate, err);
      m->links.network_byte_s = 1.0 / rate;
      break;
    case HS_OPTION_LINK_BANDWIDTH:
      status = number_take(given, 1e9, &rate, err);
      m->links.link_byte_s = 1.0 / rate;
      break;
    case HS_OPTION_FILE_BANDWIDTH: status = number_take(given, 1e9, &m->file_bytes_s, err); break;
    case HS_OPTION_GPU_MEMORY: status = number_take(given, 1e9, &m->gpu_bytes, err); break;
    case HS_OPTION_NODE_MEMORY: status = number_take(given, 1e9, &m->node_bytes, err); break;
    default: break;
    }
  }
  return status;
}

static hs_status machine_take(const struct hs_cli *cli, const struct hs_config *config, struct hs_plan_machine *m,
                              struct hs_error *err)
{
  struct hs_job_shape shape;
  const hs_status status = hs_job_shape_take(cli, config, &shape, err);
  if (status) return status;
  if (shape.gpus > HS_PLAN_PARTS_MOST || shape.ranks > HS_PLAN_PARTS_MOST)
    return hs_usage_error(err, cli->command, "a plan is for up to %d GPUs or processes, not %d",
                          (int)HS_PLAN_PARTS_MOST, shape.gpus > shape.ranks ? shape.gpus : shape.ranks);
  if (shape.gpus == 0 && !strncmp(config->solver.backend, "cuda-", 5))
    return hs_usage_error(err, cli->command, "the backend %s needs a GPU; add --gpus 1", config->solver.backend);
  if (shape.gpus > 0 && !strncmp(config->solver.backend, "cpu", 3))
    return hs_usage_error(err, cli->command, "the backend %s uses no GPU; leave --gpus out", config->solver.backend);
  *m = hs_plan_machine_usual(shape.nodes, shape.gpus, shape.ranks, shape.cpus_per_rank);
  return links_take(cli, m, err);
}

/* --- the plan as text ------------------------------------------------------------------------ */

struct words {
  char text[48];
};

static struct words scaled(double value, double step, const char *const *units, int count)
{
  struct words w;
  int k = 0;
  while (k < count - 1 && value >= 0.9995 * step) {
    value /= step;
    k++;
  }
  snprintf(w.text, sizeof w.text, value >= 99.95 ? "%.0f %s" : "%.3g %s", value, units[k]);
  return w;
}

static struct words bytes_of(double bytes)
{
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  return scaled(bytes, 1e3, units, 7);
}

static struct words seconds_of(double s)
{
  static const char *const small[] = {"us", "ms", "s"};
  struct words w;
  if (s < 120.0) return scaled(s * 1e6, 1e3, small, 3);
  if (s < 7200.0)
    snprintf(w.text, sizeof w.text, "%.0f min", s / 60.0);
  else if (s < 48.0 * 3600.0)
    snprintf(w.text, sizeof w.text, "%.1f h", s / 3600.0);
  else if (s < 3.156e8)
    snprintf(w.text, sizeof w.text, "%.3g days", s / 86400.0);
  else
    snprintf(w.text, sizeof w.text, "%.3g years", s / 3.156e7);
  return w;
}

static const char *plural(double count)
{
  return count == 1.0 ? "" : "s";
}

static void print_machine(const struct hs_plan_machine *m)
{
  printf("machine        %d node%s", m->nodes, plural(m->nodes));
  if (m->gpus > 0)
    printf(", %d GPU%s in all: H200s of %s\n", m->gpus, plural(m->gpus), bytes_of(m->gpu_bytes).text);
  else
    printf(", %d process%s in all, of %d thread%s%s\n", m->ranks, m->ranks == 1 ? "" : "es", m->threads,
           plural(m->threads), m->ranks == 1 ? "" : " each");
  if ((m->gpus > 0 ? m->gpus : m->ranks) == 1) return;
  printf("links          ");
  if (m->links.node_parts > 1)
    printf("within a node %s and %s/s%s", seconds_of(m->links.link_latency_s).text,
           bytes_of(1.0 / m->links.link_byte_s).text, m->nodes > 1 ? ", " : "\n");
  if (m->nodes > 1)
    printf("between nodes %s and %s/s for each\n", seconds_of(m->links.network_latency_s).text,
           bytes_of(1.0 / m->links.network_byte_s).text);
}

static void print_cut(const struct hs_plan *plan)
{
  const struct hs_partition *p = &plan->partition;
  const struct hs_plan_machine *m = &plan->machine;
  const int parts = hs_partition_parts(p), there = m->gpus > 0 ? m->gpus : m->ranks;
  if (there == 1) return;
  printf("cut            %d x %d parts, %d x %d nodes at most with ghost zones of %d", p->count_x, p->count_y,
         plan->window.nx, plan->window.ny, p->ghost);
  if (parts < there) printf("; the grid is too small for more than %d of %d", parts, there);
  printf("\n");
}

static void print_work(const struct hs_config *config, const struct hs_plan *plan)
{
  printf("method         ");
  if (config->time.scheme == HS_SCHEME_EXPLICIT)
    printf("%s, %s precision\n", hs_scheme_name(config->time.scheme), hs_precision_name(config->solver.precision));
  else
    printf("%s, %s precision (%s)\n", hs_method_name(plan->method), hs_precision_name(config->solver.precision),
           plan->method_reason);
  if (plan->steps > 0.0) printf("steps          about %.4g of %.4g s\n", plan->steps, plan->step_s);
  printf("%-14s %s %.4g%s", plan->cycles ? "cycles" : "sweeps", plan->known ? "about" : "roughly", plan->forecast,
         plan->known ? "" : ", a guess");
  if (plan->coarse_nx != config->grid.nx || plan->coarse_ny != config->grid.ny)
    printf(", from the same plate on %d x %d nodes%s", plan->coarse_nx, plan->coarse_ny,
           plan->maps_left_out ? " without its maps" : "");
  if (plan->sweeps < plan->forecast)
    printf(": more than max_iterations, the run would end after %.4g with exit code 3", plan->sweeps);
  printf("\n");
}

static void print_memory(const struct hs_plan *plan)
{
  const struct hs_plan_machine *m = &plan->machine;
  const double ranks = (m->gpus > 0 ? (double)m->gpus : m->ranks) / m->nodes;
  printf("memory         ");
  if (m->gpus > 0) printf("%s on each GPU, ", bytes_of(plan->gpu_bytes).text);
  printf("%s on the host for each part, %s a node", bytes_of(plan->rank_bytes).text,
         bytes_of(ranks * plan->rank_bytes).text);
  if (plan->fits) {
    printf("%s\n", m->gpus > 0 || m->node_bytes > 0.0 ? ": fits" : "");
    return;
  }
  printf(": does not fit; ");
  if (plan->parts_needed > 0)
    printf("%d such nodes (%d %s) would hold it\n", (int)(plan->parts_needed / ranks + 0.5), plan->parts_needed,
           m->gpus > 0 ? "GPUs" : "processes");
  else
    printf("not %d %s like these would hold it\n", (int)HS_PLAN_PARTS_MOST, m->gpus > 0 ? "GPUs" : "processes");
}

static void print_traffic(const struct hs_plan *plan)
{
  const struct hs_exchange *e = &plan->exchange;
  const char *each = plan->cycles ? "cycle" : "sweep";
  if (hs_partition_parts(&plan->partition) == 1) return;
  printf("exchange       %s in %.0f message%s at most for a part, every %d sweeps of a field, in %s\n",
         bytes_of(e->part_bytes).text, e->part_messages, plural(e->part_messages),
         hs_spread_sweeps(plan->partition.ghost), seconds_of(e->s).text);
  printf("traffic        %s and %.3g messages a %s, %s and %.3g in all\n", bytes_of(plan->traffic.bytes).text,
         plan->traffic.messages, each, bytes_of(plan->traffic.bytes * plan->sweeps).text,
         plan->traffic.messages * plan->sweeps);
}

/* What is lost of a sweep or cycle, and what would help most. */
static void print_limit(const struct hs_plan *plan)
{
  static const char *const limits[] = {
      [HS_PLAN_MEMORY] = "memory: the grid does not fit",
      [HS_PLAN_SETUP] = "the set-up takes longer than the solution",
      [HS_PLAN_FILES] = "files take longer than the solution",
      [HS_PLAN_SWEEPS] = "the sweeps themselves: nothing else takes a tenth of the time",
      [HS_PLAN_GHOSTS] = "ghost zones and kernels on small or thin parts: fewer parts would be used better",
      [HS_PLAN_LATENCY] = "latency of exchanges",
      [HS_PLAN_LINKS] = "bytes between parts of a node",
      [HS_PLAN_NETWORK] = "bytes between nodes",
  };
  printf("limit          %s\n", limits[plan->limit]);
}

static void print_times(const struct hs_plan *plan)
{
  const struct hs_plan_machine *m = &plan->machine;
  const char *each = plan->cycles ? "cycle" : "sweep";
  const double all_s = plan->setup_s + plan->solve_s + plan->files_s;
  printf("time           %s %s: set-up %s, %ss %s (%s each), files %s (%s)\n", plan->known ? "about" : "roughly",
         seconds_of(all_s).text, seconds_of(plan->setup_s).text, each, seconds_of(plan->solve_s).text,
         seconds_of(plan->sweep_s).text, seconds_of(plan->files_s).text, bytes_of(plan->file_bytes).text);
  if ((m->gpus > 0 ? m->gpus : m->ranks) > 1) {
    printf("efficiency     %.1f %% of %d times one %s", 100.0 * plan->efficiency, m->gpus > 0 ? m->gpus : m->ranks,
           m->gpus > 0 ? "GPU that held all" : "process");
    printf("; of a %s ghosts and thin parts take %.1f %%, latency %.1f %%, bytes %.1f %%\n", each,
           100.0 * plan->ghosts_s / plan->sweep_s, 100.0 * plan->latency_s / plan->sweep_s,
           100.0 * plan->bytes_s / plan->sweep_s);
  }
  print_limit(plan);
}

hs_status hs_check_plan(const struct hs_cli *cli, const struct hs_config *config, struct hs_error *err)
{
  struct hs_plan_machine machine;
  struct hs_plan plan;
  hs_status status = machine_take(cli, config, &machine, err);
  if (!status) status = hs_plan_make(config, &machine, &plan, err);
  if (status || cli->quiet) return status;
  printf("configuration  %s\n", hs_shown(config->path).text);
  printf("grid           %d x %d nodes, %.4g in all\n", config->grid.nx, config->grid.ny,
         (double)config->grid.nx * config->grid.ny);
  print_machine(&machine);
  print_cut(&plan);
  print_work(config, &plan);
  print_memory(&plan);
  print_traffic(&plan);
  print_times(&plan);
  return HS_OK;
}
