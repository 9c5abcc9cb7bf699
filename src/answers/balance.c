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
 * Most nodes have no source, ambient or contact and cost a look at their law. Sums depend on no order (comm/grid_sum.h). In a
 * transient field Dirichlet nodes count as constant in time: heat stored in a held control volume whose
 * temperature changes is left out.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "answers/parts.h"
#include "base/memory.h"
#include "comm/grid_sum.h"

size_t hs_node_neighbour(const struct hs_system *system, size_t n, int dx, int dy)
{
  const size_t nx = (size_t)system->nx;
  const int i = (int)(n % nx), j = (int)(n / nx);
  const int to_i = dx ? hs_system_beside(i, dx, system->nx, system->wrap_x) : i;
  const int to_j = dy ? hs_system_beside(j, dy, system->ny, system->wrap_y) : j;
  return (size_t)to_j * nx + (size_t)to_i;
}

/* What reaches a node: by conduction through its faces in x and in y, from ambients, from sources. */
struct supply {
  double x_w_m, y_w_m, ambient_w_m, source_w_m;
};

static struct supply supply_of(const struct hs_system *system, const double *field_k, size_t n)
{
  const struct hs_node_law *law = &system->law[hs_system_index(system, n)];
  const double t = field_k[n];
  struct supply supply;
  supply.x_w_m = law->west * (field_k[hs_node_neighbour(system, n, -1, 0)] - t) +
                 law->east * (field_k[hs_node_neighbour(system, n, 1, 0)] - t);
  supply.y_w_m = law->south * (field_k[hs_node_neighbour(system, n, 0, -1)] - t) +
                 law->north * (field_k[hs_node_neighbour(system, n, 0, 1)] - t);
  supply.ambient_w_m = law->ambient_w_m - law->ambient_w_mk * t;
  supply.source_w_m = law->source_w_m + (system->source_w_m ? system->source_w_m[n] : 0.0);
  return supply;
}

static double reaction(const struct supply *s)
{
  return -(((s->x_w_m + s->y_w_m) + s->ambient_w_m) + s->source_w_m);
}

double hs_node_reaction(const struct hs_system *system, const double *field_k, size_t n)
{
  const struct supply supply = supply_of(system, field_k, n);
  return reaction(&supply);
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

static const struct hs_contact *contacts_end(const struct hs_system *system)
{
  return system->contacts ? system->contacts + system->contact_count : NULL;
}

void hs_node_contacts(const struct hs_system *system, size_t n, const struct hs_contact **first,
                      const struct hs_contact **end)
{
  const struct hs_contact *last = contacts_end(system);
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

double hs_contact_heat(const struct hs_system *system, const double *field_k, const struct hs_contact *contact)
{
  const size_t n = (size_t)contact->node;
  double reaction_w_m = 0.0;
  if (contact->share_x != 0.0f || contact->share_y != 0.0f) {
    const struct supply supply = supply_of(system, field_k, n);
    reaction_w_m = contact_reaction(contact, &supply);
  }
  return (reaction_w_m + contact->conductance_w_mk * (contact->ambient_k - field_k[n])) + contact->flux_w_m;
}

double hs_rest(double whole, double part, double size)
{
  const double rest = whole - part;
  return fabs(rest) <= 8.0 * DBL_EPSILON * size ? 0.0 : rest;
}

/* The sums of which a balance consists. */
enum { SUM_HELD = HS_SIDES, SUM_SOURCE, SUM_LOSS, SUM_IN, SUM_OUT, SUMS };

struct flow_sums {
  struct hs_grid_sum sum[SUMS];
};

static void count(struct flow_sums *sums, int which, double flow_w_m)
{
  if (flow_w_m == 0.0) return;
  hs_grid_sum_add(&sums->sum[which], flow_w_m);
  if (flow_w_m > 0.0)
    hs_grid_sum_add(&sums->sum[SUM_IN], flow_w_m);
  else
    hs_grid_sum_add(&sums->sum[SUM_OUT], -flow_w_m);
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

/* Counts all flows of node n; contacts first .. end are its own, share is hs_node_share. */
static void node_assess(const struct hs_problem *problem, const struct hs_system *system, const double *field_k,
                        size_t n, const struct hs_contact *first, const struct hs_contact *end, double share,
                        struct flow_sums *sums)
{
  const struct hs_node_law *law = &system->law[hs_system_index(system, n)];
  const double map_w_m = system->source_w_m ? system->source_w_m[n] : 0.0;
  struct claims claims = {0};
  for (; first != end; first++) {
    const int side = problem->surfaces[first->surface].side;
    count(sums, side < HS_SIDES ? side : SUM_HELD, share * hs_contact_heat(system, field_k, first));
    claim(&claims, first);
  }
  if (law->dirichlet && claims.share != 1.0)
    count(sums, SUM_HELD, share * ((1.0 - claims.share) * hs_node_reaction(system, field_k, n)));
  count(sums, SUM_SOURCE, share * (hs_rest(law->source_w_m, claims.flux_w_m, claims.flux_size) + map_w_m));
  count(sums, SUM_LOSS, share * loss_of(law, &claims, field_k[n]));
}

static void row_assess(const struct hs_problem *problem, const struct hs_system *system, const double *field_k,
                       const struct hs_twice *twice, int j, struct flow_sums *sums)
{
  const struct hs_rectangle own = hs_own_nodes(problem);
  const size_t start = (size_t)j * (size_t)system->nx;
  const struct hs_contact *contact = contacts_from(system, start + (size_t)own.x0), *end = contacts_end(system);
  for (int i = own.x0; i < own.x0 + own.nx; i++) {
    const size_t n = start + (size_t)i;
    const struct hs_node_law *law = &system->law[hs_system_index(system, n)];
    const struct hs_contact *first = contact;
    while (contact != end && contact->node == (int64_t)n) contact++;
    if (first == contact && !law->dirichlet && law->source_w_m == 0.0 && law->ambient_w_mk == 0.0 &&
        !system->source_w_m)
      continue;
    node_assess(problem, system, field_k, n, first, contact, hs_node_share(twice, i, j), sums);
  }
}

static void flow_sums_add(struct flow_sums *all, const struct flow_sums *more)
{
  for (int k = 0; k < SUMS; k++) hs_grid_sum_merge(&all->sum[k], &more->sum[k]);
}

/* This rank's share. */
static struct flow_sums flows_assess(const struct hs_problem *problem, const struct hs_system *system,
                                     const double *field_k)
{
  const struct hs_rectangle own = hs_own_nodes(problem);
  const struct hs_twice twice = hs_own_twice(problem);
  struct flow_sums all = {0};
#pragma omp parallel
  {
    struct flow_sums mine = {0};
#pragma omp for schedule(static)
    for (int j = own.y0; j < own.y0 + own.ny; j++) row_assess(problem, system, field_k, &twice, j, &mine);
#pragma omp critical(hs_balance)
    flow_sums_add(&all, &mine);
  }
  return all;
}

hs_status hs_balance_take(const struct hs_problem *problem, const struct hs_system *system, const double *field_k,
                          bool transient, struct hs_balance *balance, struct hs_error *err)
{
  const struct hs_balance nothing = {0};
  struct flow_sums sums = flows_assess(problem, system, field_k);
  double value[SUMS], larger;
  const hs_status status = hs_grid_sums_join(hs_own_comm(problem), sums.sum, SUMS, value, err);
  *balance = nothing;
  if (status) return status;
  for (int side = 0; side < HS_SIDES; side++) balance->side_w_m[side] = value[side];
  balance->held_w_m = value[SUM_HELD];
  balance->source_w_m = value[SUM_SOURCE];
  balance->loss_w_m = value[SUM_LOSS];
  balance->in_w_m = value[SUM_IN];
  balance->out_w_m = value[SUM_OUT];
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
