/* The model of exchanges; see spread.h. */
#include "backend/cost/spread.h"

#include <math.h>

/* Multigrid: layers that are exchanged on each level, how often in a cycle, and levels down to where one process has all. */
static const double LAYERS = 4.0, LEVEL_EXCHANGES = 4.0, WHOLE_NODES = 65536.0;

struct hs_links hs_links_devices(void)
{
  return (struct hs_links){.link_latency_s = 3e-5, .link_byte_s = 3e-12, .strided = 100.0};
}

struct hs_links hs_links_ranks(void)
{
  return (struct hs_links){.link_latency_s = 1e-5, .link_byte_s = 1e-10, .strided = 1.0};
}

struct hs_partition_costs hs_spread_device_costs(bool single)
{
  const struct hs_links links = hs_links_devices();
  return (struct hs_partition_costs){.node_s = 4e-13,
                                     .latency_s = links.link_latency_s,
                                     .byte_s = links.link_byte_s,
                                     .node_bytes = single ? 4.0 : 8.0,
                                     .strided = links.strided, /* 32768 x 16384 in two columns: a quarter slower */
                                     .pass = HS_SPREAD_PASS};
}

struct hs_partition_costs hs_spread_rank_costs(bool single)
{
  const struct hs_links links = hs_links_ranks();
  return (struct hs_partition_costs){.node_s = 1e-10,
                                     .latency_s = links.link_latency_s,
                                     .byte_s = links.link_byte_s,
                                     .node_bytes = single ? 4.0 : 8.0,
                                     .strided = links.strided,
                                     .pass = HS_SPREAD_PASS};
}

/* The part that lies `step` further in a direction; -1: none. */
static int beside(int at, int step, int count, int period)
{
  const int next = at + step;
  if (count == 1) return step == 0 ? 0 : -1;
  if (next >= 0 && next < count) return next;
  return period > 0 ? (next + count) % count : -1;
}

/* Adds what one part receives: bytes from parts of its node, with columns counted `strided` times, and from other nodes. */
static void part_receives(const struct hs_partition *p, const struct hs_links *links, double value_bytes, int part,
                          double *link_bytes, double *network_bytes, struct hs_exchange *sum)
{
  const struct hs_rectangle own = hs_partition_own(p, part);
  const int px = part % p->count_x, py = part / p->count_x, per_node = links->node_parts;
  double bytes = 0.0, messages = 0.0;
  *link_bytes = *network_bytes = 0.0;
  for (int k = 0; k < 9; k++) {
    const int sx = k % 3 - 1, sy = k / 3 - 1;
    const int ox = beside(px, sx, p->count_x, p->period_x), oy = beside(py, sy, p->count_y, p->period_y);
    const double block = (sx ? p->ghost : own.nx) * (double)(sy ? p->ghost : own.ny) * value_bytes;
    if ((sx == 0 && sy == 0) || ox < 0 || oy < 0) continue;
    bytes += block;
    messages += 1.0;
    if (per_node > 0 && (oy * p->count_x + ox) / per_node != part / per_node)
      *network_bytes += block;
    else
      *link_bytes += sx ? links->strided * block : block;
  }
  sum->part_bytes = fmax(sum->part_bytes, bytes);
  sum->part_messages = fmax(sum->part_messages, messages);
  sum->all_bytes += bytes;
  sum->all_messages += messages;
}

struct hs_exchange hs_spread_exchange(const struct hs_partition *p, const struct hs_links *links, double value_bytes)
{
  struct hs_exchange sum = {.s = 0.0};
  double link_most = 0.0, node = 0.0, link_s, network_s;
  for (int part = 0; part < hs_partition_parts(p); part++) {
    double link_bytes, network_bytes;
    if (links->node_parts > 0 && part % links->node_parts == 0) node = 0.0;
    part_receives(p, links, value_bytes, part, &link_bytes, &network_bytes, &sum);
    node += network_bytes;
    link_most = fmax(link_most, link_bytes);
    sum.node_bytes = fmax(sum.node_bytes, node);
  }
  link_s = link_most > 0.0 ? links->link_latency_s + link_most * links->link_byte_s : 0.0;
  network_s = sum.node_bytes > 0.0 ? links->network_latency_s + sum.node_bytes * links->network_byte_s : 0.0;
  sum.network = network_s > link_s;
  sum.latency_s = sum.network ? links->network_latency_s : link_s > 0.0 ? links->link_latency_s : 0.0;
  sum.s = fmax(link_s, network_s);
  return sum;
}

struct hs_rectangle hs_spread_window(const struct hs_partition *p)
{
  struct hs_rectangle largest = {0, 0, 0, 0};
  for (int part = 0; part < hs_partition_parts(p); part++) {
    const struct hs_rectangle window = hs_partition_window(p, part);
    if ((double)window.nx * window.ny > (double)largest.nx * largest.ny) largest = window;
  }
  return largest;
}

double hs_spread_reduce_s(const struct hs_partition *p, const struct hs_links *links)
{
  const int parts = hs_partition_parts(p);
  const int here = links->node_parts > 0 && links->node_parts < parts ? links->node_parts : parts;
  return ceil(log2(here)) * links->link_latency_s + ceil(log2(ceil((double)parts / here))) * links->network_latency_s;
}

/* Fields that a sweep reads of ghosts: Chebyshev's form the predecessor, too. */
static double fields_of(enum hs_form form)
{
  return form == HS_FORM_CHEBYSHEV ? 2.0 : 1.0;
}

struct hs_traffic hs_spread_sweep_traffic(const struct hs_partition *p, bool single, enum hs_form form)
{
  const struct hs_links links = hs_links_ranks();
  const struct hs_exchange one = hs_spread_exchange(p, &links, single ? 4.0 : 8.0);
  const double each = p->ghost > 0 ? fields_of(form) / hs_spread_sweeps(p->ghost) : 0.0;
  return (struct hs_traffic){each * one.all_bytes, each * one.all_messages};
}

/* An exchange on multigrid's finest level. */
static struct hs_exchange finest_exchange(const struct hs_partition *p, const struct hs_links *links)
{
  struct hs_partition level = *p;
  level.ghost = (int)LAYERS;
  return hs_spread_exchange(&level, links, sizeof(float));
}

/* Levels that are in parts. */
static int levels_of(const struct hs_partition *p)
{
  const double nodes = (double)p->grid_nx * p->grid_ny;
  return nodes > WHOLE_NODES ? (int)ceil(0.5 * log2(nodes / WHOLE_NODES)) : 0;
}

struct hs_traffic hs_spread_cycle_traffic(const struct hs_partition *p)
{
  const struct hs_links links = hs_links_ranks();
  const struct hs_exchange finest = finest_exchange(p, &links);
  const int levels = levels_of(p);
  return (struct hs_traffic){LEVEL_EXCHANGES * finest.all_bytes * 2.0 * (1.0 - pow(0.5, levels)),
                             LEVEL_EXCHANGES * finest.all_messages * levels};
}

/* Exchanges of a cycle, on level after level with half the nodes along a side, and the sum of its step. */
static double cycle_exchanges_s(const struct hs_partition *p, const struct hs_links *links)
{
  const struct hs_exchange finest = finest_exchange(p, links);
  const int levels = levels_of(p);
  const double bytes_s = (finest.s - finest.latency_s) * 2.0 * (1.0 - pow(0.5, levels));
  return hs_spread_reduce_s(p, links) + LEVEL_EXCHANGES * (levels * finest.latency_s + bytes_s);
}

void hs_spread_add(const struct hs_partition *p, const struct hs_links *links, bool single, enum hs_form form,
                   struct hs_backend_cost *cost)
{
  struct hs_exchange exchange;
  if (hs_partition_parts(p) == 1 || p->ghost < 1) return;
  exchange = hs_spread_exchange(p, links, single ? 4.0 : 8.0);
  cost->sweep_s += fields_of(form) * exchange.s / hs_spread_sweeps(p->ghost);
  cost->test_s += hs_spread_reduce_s(p, links);
  cost->step_s += exchange.s + hs_spread_reduce_s(p, links);
  if (!(cost->cycle_s > 0.0)) return;
  cost->cycle_s += cycle_exchanges_s(p, links);
  cost->levels_s += 2.0 * cycle_exchanges_s(p, links);
}
