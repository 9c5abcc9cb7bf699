/* What it costs to spread a grid over devices or ranks: the one model behind the cut, the forecasts of distributed backends
 * and the plan for machines that are not there.
 *
 *     a sweep  =  a sweep of the largest window  +  fields * an exchange / sweeps between two
 *     an exchange  =  max(links within a node, network between nodes), each: latency + bytes / rate
 *
 * A window is a part and its ghost zone, whose nodes are swept as well; after as many sweeps as it is deep, in whole passes, it
 * is exchanged. Exchanges wait for sweeps and sweeps for exchanges: that they may overlap is not counted on.
 */
#ifndef HS_BACKEND_COST_SPREAD_H
#define HS_BACKEND_COST_SPREAD_H

#include "backend/backend.h"
#include "comm/subdomain.h"

enum { HS_SPREAD_PASS = 32 }; /* sweeps of a pass of the backends that make passes */

/* Sweeps between two exchanges: whole passes where the ghost zone is so deep. */
static inline int hs_spread_sweeps(int ghost)
{
  return ghost < HS_SPREAD_PASS ? ghost : ghost - ghost % HS_SPREAD_PASS;
}

struct hs_links {
  int node_parts;        /* parts on one node: 0 .. node_parts-1 on the first; 0: all on one */
  double link_latency_s; /* an exchange between parts of one node, whatever its size */
  double link_byte_s;    /* a byte that one part receives over its link */
  double strided;        /* how much longer a byte of ghost columns takes than one of ghost rows, which lie together */
  double network_latency_s; /* an exchange between nodes */
  double network_byte_s;    /* a byte that one node receives, whose parts share its network */
};

/* Devices of one process: H200s linked by NVLink, measured (doc/measurements.md). */
struct hs_links hs_links_devices(void);

/* Ranks: an ordinary cluster. */
struct hs_links hs_links_ranks(void);

/* From what a grid is cut: between devices of one process, or between ranks, which must all find the same. */
struct hs_partition_costs hs_spread_device_costs(bool single);
struct hs_partition_costs hs_spread_rank_costs(bool single);

/* One exchange of one field. */
struct hs_exchange {
  double part_bytes, node_bytes, all_bytes; /* that a part receives at most, a node from others, all parts together */
  double part_messages, all_messages;
  double latency_s; /* without a byte */
  double s;
  bool network; /* the network takes longer than the links of a node */
};
struct hs_exchange hs_spread_exchange(const struct hs_partition *partition, const struct hs_links *links,
                                      double value_bytes);

/* What all parts together send, for a sweep, or for a cycle of multigrid, on the average. */
struct hs_traffic {
  double bytes, messages;
};
struct hs_traffic hs_spread_sweep_traffic(const struct hs_partition *partition, bool single, enum hs_form form);
struct hs_traffic hs_spread_cycle_traffic(const struct hs_partition *partition);

/* The largest window of a cut. */
struct hs_rectangle hs_spread_window(const struct hs_partition *partition);

/* A number of every part becomes one that all know. */
double hs_spread_reduce_s(const struct hs_partition *partition, const struct hs_links *links);

/* Makes the costs of the largest window those of the whole, set-up and bytes apart. */
void hs_spread_add(const struct hs_partition *partition, const struct hs_links *links, bool single, enum hs_form form,
                   struct hs_backend_cost *cost);

#endif
