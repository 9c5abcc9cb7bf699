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
 * Most nodes have no source, ambient or contact and cost a look at their law. Sums of rows are added in the order of
 * rows. In a transient field Dirichlet nodes count as constant in time: heat stored in a held control volume whose
 * temperature changes is left out.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

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

double hs_node_share(const struct hs_system *system, int i, int j)
{
  const double x = system->wrap_x == 1 && (i == 0 || i == system->nx - 1) ? 0.5 : 1.0;
  const double y = system->wrap_y == 1 && (j == 0 || j == system->ny - 1) ? 0.5 : 1.0;
  return x * y;
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

/* What one row contributes. */
struct row_sums {
  double side_w_m[HS_SIDES];
  double held_w_m, source_w_m, loss_w_m;
  double in_w_m, out_w_m;
};

static void count(struct row_sums *sums, double *total_w_m, double flow_w_m)
{
  *total_w_m += flow_w_m;
  if (flow_w_m > 0.0)
    sums->in_w_m += flow_w_m;
  else
    sums->out_w_m -= flow_w_m;
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
                        struct row_sums *sums)
{
  const struct hs_node_law *law = &system->law[hs_system_index(system, n)];
  const double map_w_m = system->source_w_m ? system->source_w_m[n] : 0.0;
  struct claims claims = {0};
  for (; first != end; first++) {
    const int side = problem->surfaces[first->surface].side;
    count(sums, side < HS_SIDES ? &sums->side_w_m[side] : &sums->held_w_m,
          share * hs_contact_heat(system, field_k, first));
    claim(&claims, first);
  }
  if (law->dirichlet && claims.share != 1.0)
    count(sums, &sums->held_w_m, share * ((1.0 - claims.share) * hs_node_reaction(system, field_k, n)));
  count(sums, &sums->source_w_m, share * (hs_rest(law->source_w_m, claims.flux_w_m, claims.flux_size) + map_w_m));
  count(sums, &sums->loss_w_m, share * loss_of(law, &claims, field_k[n]));
}

static void row_assess(const struct hs_problem *problem, const struct hs_system *system, const double *field_k, int j,
                       struct row_sums *sums)
{
  const size_t start = (size_t)j * (size_t)system->nx;
  const struct hs_contact *contact = contacts_from(system, start), *end = contacts_end(system);
  for (int i = 0; i < system->nx; i++) {
    const size_t n = start + (size_t)i;
    const struct hs_node_law *law = &system->law[hs_system_index(system, n)];
    const struct hs_contact *first = contact;
    while (contact != end && contact->node == (int64_t)n) contact++;
    if (first == contact && !law->dirichlet && law->source_w_m == 0.0 && law->ambient_w_mk == 0.0 &&
        !system->source_w_m)
      continue;
    node_assess(problem, system, field_k, n, first, contact, hs_node_share(system, i, j), sums);
  }
}

static void rows_add(const struct row_sums *rows, int count_of_rows, struct hs_balance *balance)
{
  for (int j = 0; j < count_of_rows; j++) {
    for (int side = 0; side < HS_SIDES; side++) balance->side_w_m[side] += rows[j].side_w_m[side];
    balance->held_w_m += rows[j].held_w_m;
    balance->source_w_m += rows[j].source_w_m;
    balance->loss_w_m += rows[j].loss_w_m;
    balance->in_w_m += rows[j].in_w_m;
    balance->out_w_m += rows[j].out_w_m;
  }
}

hs_status hs_balance_take(const struct hs_problem *problem, const struct hs_system *system, const double *field_k,
                          bool transient, struct hs_balance *balance, struct hs_error *err)
{
  const struct hs_balance nothing = {0};
  struct row_sums *rows = NULL;
  double larger;
  hs_status status;
  *balance = nothing;
  status = hs_array_create((void **)&rows, (size_t)system->ny, sizeof *rows, "the heat balance of each row", err);
  if (status) return status;

#pragma omp parallel for schedule(static)
  for (int j = 0; j < system->ny; j++) row_assess(problem, system, field_k, j, &rows[j]);

  rows_add(rows, system->ny, balance);
  free(rows);
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

/* Serial, in the order of nodes: contacts are few. */
void hs_surfaces_take(const struct hs_problem *problem, const struct hs_system *system, const double *field_k,
                      double *surface_w_m)
{
  for (int s = 0; s < problem->surface_count; s++) surface_w_m[s] = 0.0;
  for (int64_t c = 0; c < system->contact_count; c++) {
    const struct hs_contact *contact = &system->contacts[c];
    const int i = (int)(contact->node % system->nx), j = (int)(contact->node / system->nx);
    surface_w_m[contact->surface] += hs_node_share(system, i, j) * hs_contact_heat(system, field_k, contact);
  }
}
