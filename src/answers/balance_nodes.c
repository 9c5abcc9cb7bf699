/* A balance from few temperatures.
 *
 * A steady field stays on its device while the heat that flows in and out is asked about. Nodes that have sources alone, and
 * those inside a held shape, give the same heat whatever the field; their sums are made once. If all other nodes with flows have
 * contacts, at walls and at the outlines of held shapes, their temperatures, and those around Dirichlet ones, are all that is
 * asked for. Losses through the faces of the plane ask for every node's.
 */
#include <stdlib.h>

#include "answers/parts.h"
#include "base/memory.h"

enum {
  NODES_OF_A_VALUE = 2, /* no more than one temperature is asked for of so many nodes */
  SERIAL_MOST = 2048    /* places, for which threads would take longer to wake up */
};

/* Values of a node with contacts: its own, and those around it, though only Dirichlet nodes need them: a look at the laws of
 * nodes far apart takes longer. */
enum { VALUES = 1 + HS_AROUND };

struct hs_balance_nodes {
  const struct hs_problem *problem;
  const struct hs_system *system;
  struct hs_flow_sums fixed;   /* of nodes without contacts */
  struct hs_node_visit *place; /* [places] those with contacts */
  int64_t *node;               /* [places][VALUES] */
  int64_t places;
};

/* --- nodes without contacts ------------------------------------------------------------------ */

struct fixed_flows {
  const struct hs_problem *problem;
  const struct hs_system *system;
  bool whole; /* some of them depend on the field */
  struct hs_flow_sums sums;
};

/* Is a Dirichlet node among others of its temperature, between which no heat flows? */
static bool is_enclosed(const struct hs_system *system, size_t n)
{
  const double held_k = system->law[hs_system_index(system, n)].dirichlet_k;
  size_t around[HS_AROUND];
  bool enclosed = true;
  hs_node_around(system, n, around);
  for (int k = 0; k < HS_AROUND; k++) {
    const struct hs_node_law *beside = &system->law[hs_system_index(system, around[k])];
    enclosed = enclosed && beside->dirichlet && beside->dirichlet_k == held_k;
  }
  return enclosed;
}

static void fixed_visit(void *context, const struct hs_node_visit *visit)
{
  const struct hs_node_field any = {0};
  struct fixed_flows *flows = context;
  const struct hs_node_law *law = &flows->system->law[hs_system_index(flows->system, visit->node)];
  if (visit->first != visit->end) return;
  flows->whole =
      flows->whole || law->ambient_w_mk != 0.0 || (law->dirichlet && !is_enclosed(flows->system, visit->node));
  if (!flows->whole) hs_node_flows(flows->problem, flows->system, visit, &any, &flows->sums);
}

/* Do all flows that depend on the field belong to nodes with contacts? */
static bool fixed_assess(const struct hs_problem *problem, const struct hs_system *system, struct hs_flow_sums *fixed)
{
  const struct hs_rectangle own = hs_own_nodes(problem);
  bool whole = false;
#pragma omp parallel reduction(|| : whole)
  {
    struct fixed_flows mine = {.problem = problem, .system = system};
#pragma omp for schedule(static)
    for (int j = own.y0; j < own.y0 + own.ny; j++)
      if (!mine.whole) hs_row_visit(problem, system, j, fixed_visit, &mine);
    whole = mine.whole;
#pragma omp critical(hs_balance)
    hs_flow_sums_add(fixed, &mine.sums);
  }
  return !whole;
}

/* --- nodes with contacts --------------------------------------------------------------------- */

static void place_add(struct hs_balance_nodes *nodes, const struct hs_node_visit *visit)
{
  int64_t *node = nodes->node + nodes->places * VALUES;
  size_t around[HS_AROUND];
  nodes->place[nodes->places++] = *visit;
  hs_node_around(nodes->system, visit->node, around);
  *node = (int64_t)visit->node;
  for (int k = 0; k < HS_AROUND; k++) node[1 + k] = (int64_t)around[k];
}

static void places_list(struct hs_balance_nodes *nodes)
{
  const struct hs_system *system = nodes->system;
  const struct hs_twice twice = hs_own_twice(nodes->problem);
  const struct hs_contact *contact = system->contacts, *last = hs_contacts_end(system);
  while (contact != last) {
    const int i = (int)(contact->node % system->nx), j = (int)(contact->node / system->nx);
    struct hs_node_visit visit = {(size_t)contact->node, contact, contact, hs_node_share(&twice, i, j)};
    while (visit.end != last && visit.end->node == contact->node) visit.end++;
    contact = visit.end;
    place_add(nodes, &visit);
  }
}

hs_status hs_balance_nodes_create(const struct hs_problem *problem, const struct hs_system *system,
                                  struct hs_balance_nodes **result, struct hs_error *err)
{
  const int64_t most = VALUES * system->contact_count;
  struct hs_balance_nodes *nodes = NULL;
  hs_status status;
  *result = NULL;
  if (most > (int64_t)system->nx * system->ny / NODES_OF_A_VALUE) return HS_OK;
  status = hs_array_create((void **)&nodes, 1, sizeof *nodes, "the nodes of a balance", err);
  if (status) return status;
  nodes->problem = problem;
  nodes->system = system;
  if (!fixed_assess(problem, system, &nodes->fixed)) {
    hs_balance_nodes_destroy(nodes);
    return HS_OK;
  }
  status = hs_array_create((void **)&nodes->place, (size_t)system->contact_count + 1, sizeof *nodes->place,
                           "the nodes of a balance", err);
  if (!status)
    status =
        hs_array_create((void **)&nodes->node, (size_t)most + 1, sizeof *nodes->node, "the nodes of a balance", err);
  if (status) {
    hs_balance_nodes_destroy(nodes);
    return status;
  }
  places_list(nodes);
  *result = nodes;
  return HS_OK;
}

void hs_balance_nodes_destroy(struct hs_balance_nodes *nodes)
{
  if (!nodes) return;
  free(nodes->place);
  free(nodes->node);
  free(nodes);
}

int64_t hs_balance_nodes_list(const struct hs_balance_nodes *nodes, const int64_t **list)
{
  *list = nodes->node;
  return VALUES * nodes->places;
}

/* --- the balance ----------------------------------------------------------------------------- */

static void place_flows(const struct hs_balance_nodes *nodes, int64_t place, const double *value_k,
                        struct hs_flow_sums *sums)
{
  const double *of = value_k + place * VALUES;
  const struct hs_node_field at = {of[0], {of[1], of[2], of[3], of[4]}};
  hs_node_flows(nodes->problem, nodes->system, &nodes->place[place], &at, sums);
}

hs_status hs_balance_nodes_take(const struct hs_balance_nodes *nodes, const double *value_k, struct hs_balance *balance,
                                struct hs_error *err)
{
  struct hs_flow_sums all = nodes->fixed;
#pragma omp parallel if (nodes->places > SERIAL_MOST)
  {
    struct hs_flow_sums mine = {0};
#pragma omp for schedule(static)
    for (int64_t k = 0; k < nodes->places; k++) place_flows(nodes, k, value_k, &mine);
#pragma omp critical(hs_balance)
    hs_flow_sums_add(&all, &mine);
  }
  return hs_balance_sum(nodes->problem, nodes->system, &all, false, balance, err);
}
