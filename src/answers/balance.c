/* Heat flows and their balance.
 *
 * A Dirichlet node gives off what its control volume lacks for a balance: the heat conducted to its neighbours, less what
 * sources and ambients bring it (the reaction, or consistent, flux). Unlike a difference quotient at the wall this
 * includes the half control volume there, and so is second-order accurate. In a corner of two held walls each gets what
 * passes the faces across it, so that heat that flows from west to east counts for nothing in south and north; sources
 * and losses of the quarter volume, and what other segments bring it, are halved. Both nodes of a face see the same
 * conductance, so all flows of a field add up to the imbalance of its free nodes, which is zero for a solved one: a
 * remaining imbalance comes from the solution, not from the formula.
 *
 * The source of a node's law includes fluxes through walls, and its conductance to ambients includes those of walls. The
 * contacts say how much; the rest are sources and losses. On periodic walls of the vertex layout a node is stored twice,
 * each time with its whole law, and each copy counts half.
 *
 * Most nodes have no source, ambient or contact, and cost no more than a look at the index of their law. Where all others have
 * contacts or sources alone, a balance asks for few temperatures (balance_nodes.c). Sums depend on no order
 * (comm/grid_sum.h). In a transient field Dirichlet nodes count as constant in time: heat stored in a held control volume
 * whose temperature changes is left out.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answers/parts.h"
#include "base/memory.h"

size_t hs_node_neighbour(const struct hs_system *system, size_t n, int dx, int dy)
{
  const size_t nx = (size_t)system->nx;
  const int i = (int)(n % nx), j = (int)(n / nx);
  const int to_i = dx ? hs_system_beside(i, dx, system->nx, system->wrap_x) : i;
  const int to_j = dy ? hs_system_beside(j, dy, system->ny, system->wrap_y) : j;
  return (size_t)to_j * nx + (size_t)to_i;
}

void hs_node_around(const struct hs_system *system, size_t n, size_t around[HS_AROUND])
{
  around[HS_AROUND_WEST] = hs_node_neighbour(system, n, -1, 0);
  around[HS_AROUND_EAST] = hs_node_neighbour(system, n, 1, 0);
  around[HS_AROUND_SOUTH] = hs_node_neighbour(system, n, 0, -1);
  around[HS_AROUND_NORTH] = hs_node_neighbour(system, n, 0, 1);
}

/* The temperatures that the flows of node n depend on. */
static struct hs_node_field field_at(const struct hs_system *system, const double *field_k, size_t n)
{
  struct hs_node_field at = {field_k[n], {0.0, 0.0, 0.0, 0.0}};
  size_t around[HS_AROUND];
  if (!system->law[hs_system_index(system, n)].dirichlet) return at;
  hs_node_around(system, n, around);
  for (int k = 0; k < HS_AROUND; k++) at.around_k[k] = field_k[around[k]];
  return at;
}

/* What reaches a node: by conduction through its faces in x and in y, from ambients, from sources. */
struct supply {
  double x_w_m, y_w_m, ambient_w_m, source_w_m;
};

static struct supply supply_of(const struct hs_system *system, const struct hs_node_field *at, size_t n)
{
  const struct hs_node_law *law = &system->law[hs_system_index(system, n)];
  const double t = at->here_k;
  struct supply supply;
  supply.x_w_m = law->west * (at->around_k[HS_AROUND_WEST] - t) + law->east * (at->around_k[HS_AROUND_EAST] - t);
  supply.y_w_m = law->south * (at->around_k[HS_AROUND_SOUTH] - t) + law->north * (at->around_k[HS_AROUND_NORTH] - t);
  supply.ambient_w_m = law->ambient_w_m - law->ambient_w_mk * t;
  supply.source_w_m = law->source_w_m + (system->source_w_m ? system->source_w_m[n] : 0.0);
  return supply;
}

static double reaction(const struct supply *s)
{
  return -(((s->x_w_m + s->y_w_m) + s->ambient_w_m) + s->source_w_m);
}

/* The first contact at node n or behind. */
static const struct hs_contact *contacts_from(const struct hs_system *system, size_t n)
{
  int64_t low = 0, high = system->contact_count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (system->contacts[middle].node < (int64_t)n)
      low = middle + 1;
    else
      high = middle;
  }
  return system->contacts ? system->contacts + low : NULL;
}

const struct hs_contact *hs_contacts_end(const struct hs_system *system)
{
  return system->contacts ? system->contacts + system->contact_count : NULL;
}

void hs_node_contacts(const struct hs_system *system, size_t n, const struct hs_contact **first,
                      const struct hs_contact **end)
{
  const struct hs_contact *last = hs_contacts_end(system);
  *first = *end = contacts_from(system, n);
  while (*end != last && (*end)->node == (int64_t)n) ++*end;
}

/* The share of sources and ambients of a Dirichlet node, and of all its heat but in corners. */
static double contact_share(const struct hs_contact *contact)
{
  return 0.5 * ((double)contact->share_x + (double)contact->share_y);
}

/* The part of a Dirichlet node's reaction that counts for the contact. */
static double contact_reaction(const struct hs_contact *contact, const struct supply *s)
{
  if (contact->share_x == contact->share_y) return (double)contact->share_x * reaction(s);
  return -(((double)contact->share_x * s->x_w_m + (double)contact->share_y * s->y_w_m) +
           contact_share(contact) * (s->ambient_w_m + s->source_w_m));
}

static double contact_heat(const struct hs_system *system, const struct hs_node_field *at,
                           const struct hs_contact *contact)
{
  double reaction_w_m = 0.0;
  if (contact->share_x != 0.0f || contact->share_y != 0.0f) {
    const struct supply supply = supply_of(system, at, (size_t)contact->node);
    reaction_w_m = contact_reaction(contact, &supply);
  }
  return (reaction_w_m + contact->conductance_w_mk * (contact->ambient_k - at->here_k)) + contact->flux_w_m;
}

double hs_contact_heat(const struct hs_system *system, const double *field_k, const struct hs_contact *contact)
{
  const struct hs_node_field at = field_at(system, field_k, (size_t)contact->node);
  return contact_heat(system, &at, contact);
}

double hs_rest(double whole, double part, double size)
{
  const double rest = whole - part;
  return fabs(rest) <= 8.0 * DBL_EPSILON * size ? 0.0 : rest;
}

static void count(struct hs_flow_sums *sums, int which, double flow_w_m)
{
  if (flow_w_m == 0.0) return;
  hs_grid_sum_add(&sums->sum[which], flow_w_m);
  if (flow_w_m > 0.0)
    hs_grid_sum_add(&sums->sum[HS_FLOW_IN], flow_w_m);
  else
    hs_grid_sum_add(&sums->sum[HS_FLOW_OUT], -flow_w_m);
}

/* Sums over the contacts of a node: the part of its law that is neither source nor loss. */
struct claims {
  double share, flux_w_m, flux_size, conductance_w_mk, ambient_w_m, ambient_size;
};

static void claim(struct claims *claims, const struct hs_contact *contact)
{
  const double ambient_w_m = contact->conductance_w_mk * contact->ambient_k;
  claims->share += contact_share(contact);
  claims->flux_w_m += contact->flux_w_m;
  claims->flux_size += fabs(contact->flux_w_m);
  claims->conductance_w_mk += contact->conductance_w_mk;
  claims->ambient_w_m += ambient_w_m;
  claims->ambient_size += fabs(ambient_w_m);
}

/* Heat through the faces of the plane at a node, walls excluded. */
static double loss_of(const struct hs_node_law *law, const struct claims *claims, double t)
{
  const double conductance = hs_rest(law->ambient_w_mk, claims->conductance_w_mk, claims->conductance_w_mk);
  if (conductance == 0.0) return 0.0;
  return hs_rest(law->ambient_w_m, claims->ambient_w_m, claims->ambient_size) - conductance * t;
}

void hs_node_flows(const struct hs_problem *problem, const struct hs_system *system, const struct hs_node_visit *visit,
                   const struct hs_node_field *at, struct hs_flow_sums *sums)
{
  const struct hs_node_law *law = &system->law[hs_system_index(system, visit->node)];
  const double map_w_m = system->source_w_m ? system->source_w_m[visit->node] : 0.0, share = visit->share;
  struct claims claims = {0};
  for (const struct hs_contact *contact = visit->first; contact != visit->end; contact++) {
    const int side = problem->surfaces[contact->surface].side;
    count(sums, side < HS_SIDES ? side : HS_FLOW_HELD, share * contact_heat(system, at, contact));
    claim(&claims, contact);
  }
  if (law->dirichlet && claims.share != 1.0) {
    const struct supply supply = supply_of(system, at, visit->node);
    count(sums, HS_FLOW_HELD, share * ((1.0 - claims.share) * reaction(&supply)));
  }
  count(sums, HS_FLOW_SOURCE, share * (hs_rest(law->source_w_m, claims.flux_w_m, claims.flux_size) + map_w_m));
  count(sums, HS_FLOW_LOSS, share * loss_of(law, &claims, at->here_k));
}

/* The first node from n on, before end, whose index is another one. */
static size_t alike_end(const uint16_t *index, size_t n, size_t end)
{
  const uint64_t four_alike = index[n] * UINT64_C(0x0001000100010001);
  const uint16_t alike = index[n];
  for (; n + 4 <= end; n += 4) {
    uint64_t four;
    memcpy(&four, index + n, sizeof four);
    if (four != four_alike) break;
  }
  while (n < end && index[n] == alike) n++;
  return n;
}

/* The first node from n on, before end, to which its law or the source map alone gives flows. */
static size_t flow_from(const struct hs_system *system, size_t n, size_t end)
{
  while (n < end && !system->source_w_m) {
    const struct hs_node_law *law = &system->law[hs_system_index(system, n)];
    if (law->dirichlet || law->source_w_m != 0.0 || law->ambient_w_mk != 0.0) break;
    n = system->index ? alike_end(system->index, n, end) : n + 1;
  }
  return n;
}

void hs_row_visit(const struct hs_problem *problem, const struct hs_system *system, int j, hs_node_visitor *visitor,
                  void *context)
{
  const struct hs_rectangle own = hs_own_nodes(problem);
  const struct hs_twice twice = hs_own_twice(problem);
  const size_t row = (size_t)j * (size_t)system->nx, begin = row + (size_t)own.x0, end = begin + (size_t)own.nx;
  const struct hs_contact *contact = contacts_from(system, begin), *last = hs_contacts_end(system);
  size_t flow = flow_from(system, begin, end);
  for (size_t n = begin; n < end; n++) {
    const size_t touched = contact != last && contact->node < (int64_t)end ? (size_t)contact->node : end;
    struct hs_node_visit visit = {.node = flow < touched ? flow : touched, .first = contact, .end = contact};
    n = visit.node;
    if (n == end) break;
    while (visit.end != last && visit.end->node == (int64_t)n) visit.end++;
    contact = visit.end;
    visit.share = hs_node_share(&twice, (int)(n - row), j);
    visitor(context, &visit);
    if (flow == n) flow = flow_from(system, n + 1, end);
  }
}

void hs_flow_sums_add(struct hs_flow_sums *all, const struct hs_flow_sums *more)
{
  for (int k = 0; k < HS_FLOWS; k++) hs_grid_sum_merge(&all->sum[k], &more->sum[k]);
}

/* The flows of a whole field, as one thread finds them. */
struct field_flows {
  const struct hs_problem *problem;
  const struct hs_system *system;
  const double *field_k;
  struct hs_flow_sums sums;
};

static void field_visit(void *context, const struct hs_node_visit *visit)
{
  struct field_flows *flows = context;
  const struct hs_node_field at = field_at(flows->system, flows->field_k, visit->node);
  hs_node_flows(flows->problem, flows->system, visit, &at, &flows->sums);
}

/* This rank's share. */
static struct hs_flow_sums flows_assess(const struct hs_problem *problem, const struct hs_system *system,
                                        const double *field_k)
{
  const struct hs_rectangle own = hs_own_nodes(problem);
  struct hs_flow_sums all = {0};
#pragma omp parallel
  {
    struct field_flows mine = {.problem = problem, .system = system, .field_k = field_k};
#pragma omp for schedule(static)
    for (int j = own.y0; j < own.y0 + own.ny; j++) hs_row_visit(problem, system, j, field_visit, &mine);
#pragma omp critical(hs_balance)
    hs_flow_sums_add(&all, &mine.sums);
  }
  return all;
}

hs_status hs_balance_take(const struct hs_problem *problem, const struct hs_system *system, const double *field_k,
                          bool transient, struct hs_balance *balance, struct hs_error *err)
{
  struct hs_flow_sums sums = flows_assess(problem, system, field_k);
  return hs_balance_sum(problem, system, &sums, transient, balance, err);
}

hs_status hs_balance_sum(const struct hs_problem *problem, const struct hs_system *system, struct hs_flow_sums *sums,
                         bool transient, struct hs_balance *balance, struct hs_error *err)
{
  const struct hs_balance nothing = {0};
  double value[HS_FLOWS], larger;
  const hs_status status = hs_grid_sums_join(hs_own_comm(problem), sums->sum, HS_FLOWS, value, err);
  *balance = nothing;
  if (status) return status;
  for (int side = 0; side < HS_SIDES; side++) balance->side_w_m[side] = value[side];
  balance->held_w_m = value[HS_FLOW_HELD];
  balance->source_w_m = value[HS_FLOW_SOURCE];
  balance->loss_w_m = value[HS_FLOW_LOSS];
  balance->in_w_m = value[HS_FLOW_IN];
  balance->out_w_m = value[HS_FLOW_OUT];
  larger = fmax(fmax(balance->in_w_m, balance->out_w_m), system->flow_floor_w_m);
  balance->kelvin_w_mk = system->flow_kelvin_w_mk;
  balance->storage_w_m = transient ? balance->in_w_m - balance->out_w_m : 0.0;
  balance->imbalance_relative = larger == 0.0 ? 0.0 : fabs(balance->in_w_m - balance->out_w_m) / larger;
  if (transient) balance->imbalance_relative = NAN;
  return HS_OK;
}

bool hs_balance_is_error(const struct hs_balance *balance, double error_k)
{
  return fmax(balance->in_w_m, balance->out_w_m) <= error_k * balance->kelvin_w_mk;
}

/* Serial: contacts are few. */
hs_status hs_surfaces_take(const struct hs_problem *problem, const struct hs_system *system, const double *field_k,
                           double *surface_w_m, struct hs_error *err)
{
  const struct hs_twice twice = hs_own_twice(problem);
  struct hs_grid_sum *sums = NULL;
  hs_status status =
      hs_array_create((void **)&sums, (size_t)problem->surface_count + 1, sizeof *sums, "the heat of surfaces", err);
  if (status) return status;
  for (int64_t c = 0; c < system->contact_count; c++) {
    const struct hs_contact *contact = &system->contacts[c];
    const int i = (int)(contact->node % system->nx), j = (int)(contact->node / system->nx);
    hs_grid_sum_add(&sums[contact->surface], hs_node_share(&twice, i, j) * hs_contact_heat(system, field_k, contact));
  }
  status = hs_grid_sums_join(hs_own_comm(problem), sums, problem->surface_count, surface_w_m, err);
  free(sums);
  return status;
}
