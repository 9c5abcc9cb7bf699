/* The system at another time: the laws that depend on time, and the contacts of walls that do, are computed again.
 *
 * Both come from the functions that build the system, so that a system set to time 0 is the one that was built. An entry
 * of the stencil table stands for all nodes that change alike, so it is computed for one of them.
 */
#include <stdlib.h>
#include <string.h>

#include "problem/laws/laws.h"
#include "problem/value.h"

/* Computes the contacts of the node whose contacts begin at *k again, and advances *k to the next node's. */
static hs_status contacts_renew(const struct hs_laws *laws, struct hs_system *system, int64_t *k, double time_s,
                                struct hs_contacts *fresh, struct hs_error *err)
{
  const struct hs_problem *p = laws->problem;
  struct hs_contact *first = &system->contacts[*k];
  bool timed = false;
  int64_t count = 0;
  struct hs_node_law law = {0};
  struct hs_law_node node = {(int)(first->node % p->nx), (int)(first->node / p->nx), -1, time_s};
  hs_status status;
  for (; *k < system->contact_count && system->contacts[*k].node == first->node; ++*k, count++) {
    const int s = p->surfaces[system->contacts[*k].surface].segment;
    if (s >= 0)
      timed = timed || hs_value_timed(p->segments[s].temperature) || hs_value_timed(p->segments[s].flux) ||
              hs_value_timed(p->segments[s].h);
  }
  if (!timed) return HS_OK;
  fresh->count = 0;
  node.held = hs_law_held_by(laws, node.i, node.j);
  status = hs_law_add_walls(laws, &node, &law, fresh, NULL, err);
  if (!status && fresh->count != count)
    return hs_error_set(err, HS_ERR_INTERNAL, "the contacts of node (%d, %d) changed their number", node.i, node.j);
  if (!status) memcpy(first, fresh->items, (size_t)count * sizeof *first);
  return status;
}

hs_status hs_problem_time_set(const struct hs_problem *problem, struct hs_system *system, double time_s,
                              struct hs_error *err)
{
  struct hs_laws laws;
  struct hs_contacts fresh = {0};
  hs_status status = HS_OK;
  hs_laws_prepare(problem, &laws);
  for (int64_t k = 0; !status && k < system->timed_count; k++) {
    const int i = (int)(system->timed_nodes[k] % system->nx), j = (int)(system->timed_nodes[k] / system->nx);
    status = hs_law_at(&laws, i, j, time_s, &system->law[system->timed_entries[k]], NULL, err);
  }
  for (int64_t k = 0; !status && problem->timed && k < system->contact_count;)
    status = contacts_renew(&laws, system, &k, time_s, &fresh, err);
  free(fresh.items);
  return problem->timed ? hs_comm_agree(problem->subdomain.comm, status, err) : status;
}
