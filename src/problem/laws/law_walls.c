/* What walls and held shapes contribute to the law of a node.
 *
 * A node's control volume touches a wall along an extent (extent.h). A segment acts on the part of it that lies in the
 * segment. A value that depends on the place is taken at the node if the part contains it, else in the part's middle. A
 * node of a periodic wall of the vertex layout has two extents on the walls that it meets, and both its copies get the
 * law of the whole.
 *
 * A Dirichlet node keeps its conductances and sources and the contacts of its walls: the heat that it gives off follows
 * from them. Where held segments meet at a node, it gets the mean of their temperatures, and its heat is divided among
 * them; a held shape wins over held walls.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/laws/extent.h"
#include "problem/laws/laws.h"
#include "problem/value.h"
#include "problem/walls.h"

enum { VOTES = 16 }; /* held segments that can meet at a node: two on each of two walls, each at two places */

/* Held segments that claim a node. */
struct votes {
  int segment[VOTES];
  double temperature_k[VOTES];
  int count;
};

/* A node while walls are added to it. */
struct visit {
  const struct hs_laws *laws;
  const struct hs_law_node *at;
  int64_t node;
  struct hs_node_law *law;
  struct hs_contacts *contacts; /* or NULL */
  struct hs_law_change change;
  struct votes votes;
};

/* --- contacts ------------------------------------------------------------------------------------ */

static hs_status contact_add(struct visit *v, const struct hs_contact *contact, struct hs_error *err)
{
  struct hs_contacts *c = v->contacts;
  if (!c) return HS_OK;
  if (c->count == c->room) {
    const int64_t room = c->room ? 2 * c->room : 64;
    struct hs_contact *items = realloc(c->items, (size_t)room * sizeof *items);
    if (!items) return hs_error_set(err, HS_ERR_MEMORY, "out of memory for %lld contacts", (long long)room);
    c->items = items;
    c->room = room;
  }
  c->items[c->count] = *contact;
  c->items[c->count++].node = v->node;
  return HS_OK;
}

/* Mixes bits into the fingerprint (multiplication and shift, as in SplitMix64). */
static void fingerprint_add(struct visit *v, uint64_t bits)
{
  uint64_t h = (v->change.fingerprint ^ bits) * 0xbf58476d1ce4e5b9ULL;
  v->change.fingerprint = h ^ (h >> 29);
}

/* Notes how the values of a segment depend on time and place. They act as a product, h (T_ambient - T), so one may depend
 * on time and another on the place. */
static void fingerprint_values(struct visit *v, const struct hs_value *const *values, int count)
{
  bool timed = false, placed = false;
  for (int k = 0; k < count; k++) {
    timed = timed || hs_value_timed(values[k]);
    placed = placed || hs_value_placed(values[k]);
  }
  v->change.timed = v->change.timed || timed;
  v->change.placed = v->change.placed || (timed && placed);
}

static void fingerprint_segment(struct visit *v, int segment, double length_m, double conductivity_w_mk)
{
  const struct hs_segment *s = &v->laws->problem->segments[segment];
  const struct hs_value *const values[] = {s->temperature, s->flux, s->h};
  uint64_t bits;
  fingerprint_values(v, values, 3);
  fingerprint_add(v, (uint64_t)segment + 1);
  memcpy(&bits, &length_m, sizeof bits);
  fingerprint_add(v, bits);
  memcpy(&bits, &conductivity_w_mk, sizeof bits);
  fingerprint_add(v, bits);
}

/* --- walls --------------------------------------------------------------------------------------- */

static bool side_along_x(enum hs_side side)
{
  return side == HS_SOUTH || side == HS_NORTH;
}

/* A segment's value at a place along its side, in spacings. */
static hs_status value_on_side(const struct visit *v, enum hs_side side, const struct hs_value *value, double at,
                               double *result, struct hs_error *err)
{
  const struct hs_problem *p = v->laws->problem;
  const double x_m = side_along_x(side) ? at * p->dx_m : side == HS_EAST ? p->lx_m : 0.0;
  const double y_m = side_along_x(side) ? side == HS_NORTH ? p->ly_m : 0.0 : at * p->dy_m;
  return hs_value_at(value, x_m, y_m, v->at->time_s, result, err);
}

/* A held segment has one vote at a node. Where periodic walls join its two ends there, it is the mean of their values. */
static hs_status vote_add(struct visit *v, int segment, const struct hs_extent *extent, struct hs_error *err)
{
  const struct hs_segment *s = &v->laws->problem->segments[segment];
  struct votes *votes = &v->votes;
  double temperature_k;
  int k = 0;
  const hs_status status = value_on_side(v, s->side, s->temperature, extent->at, &temperature_k, err);
  while (k < votes->count && votes->segment[k] != segment) k++;
  if (status || k == VOTES) return status;
  if (k < votes->count) {
    votes->temperature_k[k] = 0.5 * votes->temperature_k[k] + 0.5 * temperature_k;
    return HS_OK;
  }
  votes->segment[k] = segment;
  votes->temperature_k[k] = temperature_k;
  votes->count++;
  fingerprint_segment(v, segment, 0.0, 0.0);
  return HS_OK;
}

/* Adds a conductance to an ambient to the law, and the contact. */
static hs_status ambient_add(struct visit *v, int segment, double conductance_w_mk, double ambient_k,
                             struct hs_error *err)
{
  const struct hs_contact contact = {.surface = segment, .conductance_w_mk = conductance_w_mk, .ambient_k = ambient_k};
  v->law->ambient_w_mk += conductance_w_mk;
  v->law->ambient_w_m += conductance_w_mk * ambient_k;
  return contact_add(v, &contact, err);
}

static hs_status flux_add(struct visit *v, int segment, const struct hs_extent *cut, double length_m,
                          struct hs_error *err)
{
  const struct hs_segment *s = &v->laws->problem->segments[segment];
  struct hs_contact contact = {.surface = segment};
  double flux_w_m2;
  const hs_status status = value_on_side(v, s->side, s->flux, cut->at, &flux_w_m2, err);
  if (status) return status;
  contact.flux_w_m = flux_w_m2 * length_m;
  v->law->source_w_m += contact.flux_w_m;
  return contact_add(v, &contact, err);
}

/* Resistance of half a cell between its node and the wall, m2 K/W; none in the vertex layout. */
static double half_cell_m2kw(const struct visit *v, enum hs_side side, double *conductivity_w_mk)
{
  const struct hs_problem *p = v->laws->problem;
  const bool across_x = !side_along_x(side);
  *conductivity_w_mk = 0.0;
  if (p->layout == HS_LAYOUT_VERTEX) return 0.0;
  *conductivity_w_mk = hs_law_conductivity(p, (int64_t)v->at->j * p->cells_x + v->at->i, across_x);
  return (across_x ? p->dx_m : p->dy_m) / (2.0 * *conductivity_w_mk);
}

static hs_status convection_add(struct visit *v, int segment, const struct hs_extent *cut, double length_m,
                                double resistance_m2kw, struct hs_error *err)
{
  const struct hs_segment *s = &v->laws->problem->segments[segment];
  double h_w_m2k, ambient_k, conductance;
  hs_status status = value_on_side(v, s->side, s->h, cut->at, &h_w_m2k, err);
  if (!status) status = value_on_side(v, s->side, s->temperature, cut->at, &ambient_k, err);
  if (status) return status;
  if (h_w_m2k < 0.0)
    return hs_error_set(err, HS_ERR_CONFIG,
                        "%s:%d: [boundary %s] h = %s is %g W/(m2 K) at %.10g m along the %s side, t = %.10g s; it must "
                        "not be below 0",
                        v->laws->problem->config->path, s->line, s->name, hs_value_text(s->h), h_w_m2k,
                        cut->at * (side_along_x(s->side) ? v->laws->problem->dx_m : v->laws->problem->dy_m),
                        hs_side_name(s->side), v->at->time_s);
  conductance = resistance_m2kw == 0.0 ? h_w_m2k : h_w_m2k == 0.0 ? 0.0 : 1.0 / (1.0 / h_w_m2k + resistance_m2kw);
  return ambient_add(v, segment, conductance * length_m, ambient_k, err);
}

/* What a segment does on the part `cut` of the node's wall. */
static hs_status segment_act(struct visit *v, int segment, const struct hs_extent *cut, struct hs_error *err)
{
  const struct hs_problem *p = v->laws->problem;
  const struct hs_segment *s = &p->segments[segment];
  const double length_m = (cut->to - cut->from) * (side_along_x(s->side) ? p->dx_m : p->dy_m);
  double conductivity_w_mk, wall_k;
  const double resistance_m2kw = half_cell_m2kw(v, s->side, &conductivity_w_mk);
  hs_status status;
  if (s->kind == HS_WALL_INSULATED || s->kind == HS_WALL_PERIODIC) return HS_OK;
  if (s->kind == HS_WALL_TEMPERATURE && p->layout == HS_LAYOUT_VERTEX) return HS_OK;
  fingerprint_segment(v, segment, length_m, conductivity_w_mk);
  if (s->kind == HS_WALL_FLUX) return flux_add(v, segment, cut, length_m, err);
  if (s->kind == HS_WALL_CONVECTION) return convection_add(v, segment, cut, length_m, resistance_m2kw, err);
  status = value_on_side(v, s->side, s->temperature, cut->at, &wall_k, err);
  return status ? status : ambient_add(v, segment, length_m / resistance_m2kw, wall_k, err);
}

/* Does a held segment reach the node itself? */
static bool segment_holds(const struct hs_problem *p, const struct hs_segment *s, const struct hs_extent *extent)
{
  const double spacing_m = side_along_x(s->side) ? p->dx_m : p->dy_m, at_m = extent->at * spacing_m;
  const double slack_m = HS_WALL_SLACK * hs_wall_length(p, s->side);
  return p->layout == HS_LAYOUT_VERTEX && s->kind == HS_WALL_TEMPERATURE && at_m >= s->from_m - slack_m &&
         at_m <= s->to_m + slack_m;
}

static hs_status side_act(struct visit *v, enum hs_side side, struct hs_error *err)
{
  const struct hs_problem *p = v->laws->problem;
  const bool along_x = side_along_x(side);
  struct hs_extent extents[HS_EXTENTS], cut;
  const int count = hs_extents_of(v->laws, along_x, along_x ? v->at->i : v->at->j, extents);
  hs_status status = HS_OK;
  for (int k = 0; k < count; k++) {
    for (int s = v->laws->first[side]; !status && s < v->laws->first[side + 1]; s++) {
      const struct hs_segment *segment = &p->segments[s];
      if (segment_holds(p, segment, &extents[k])) status = vote_add(v, s, &extents[k], err);
      if (!status && hs_extent_cut(p, along_x, &extents[k], segment->from_m, segment->to_m, &cut))
        status = segment_act(v, s, &cut, err);
    }
  }
  return status;
}

static void sides_of(const struct hs_laws *laws, int i, int j, bool on[HS_SIDES])
{
  const struct hs_problem *p = laws->problem;
  const int column = hs_problem_column(p, i), row = hs_problem_row(p, j);
  on[HS_WEST] = !laws->periodic_x && column == 0;
  on[HS_EAST] = !laws->periodic_x && column == p->grid_nx - 1;
  on[HS_SOUTH] = !laws->periodic_y && row == 0;
  on[HS_NORTH] = !laws->periodic_y && row == p->grid_ny - 1;
}

bool hs_law_on_wall(const struct hs_laws *laws, int i, int j)
{
  bool on[HS_SIDES];
  sides_of(laws, i, j, on);
  return on[HS_WEST] || on[HS_EAST] || on[HS_SOUTH] || on[HS_NORTH];
}

static bool on_x_wall(const struct visit *v, int vote)
{
  return !side_along_x(v->laws->problem->segments[v->votes.segment[vote]].side);
}

/* The contact of a held segment at a node that `votes` hold. In a corner, walls in x take the heat through the faces in x,
 * walls in y that through the faces in y. */
static struct hs_contact vote_contact(const struct visit *v, int vote)
{
  struct hs_contact contact = {.surface = v->votes.segment[vote]};
  int on_x = 0;
  for (int k = 0; k < v->votes.count; k++) on_x += on_x_wall(v, k);
  if (on_x == 0 || on_x == v->votes.count)
    contact.share_x = contact.share_y = 1.0f / (float)v->votes.count;
  else if (on_x_wall(v, vote))
    contact.share_x = 1.0f / (float)on_x;
  else
    contact.share_y = 1.0f / (float)(v->votes.count - on_x);
  return contact;
}

/* The mean of the temperatures of all held segments that meet here. */
static hs_status votes_count(struct visit *v, struct hs_error *err)
{
  const struct votes *votes = &v->votes;
  const double share = 1.0 / (votes->count ? votes->count : 1);
  hs_status status = HS_OK;
  if (v->at->held >= 0 || votes->count == 0) return HS_OK;
  v->law->dirichlet = true;
  v->law->dirichlet_k = 0.0;
  for (int k = 0; !status && k < votes->count; k++) {
    const struct hs_contact contact = vote_contact(v, k);
    v->law->dirichlet_k += share * votes->temperature_k[k];
    status = contact_add(v, &contact, err);
  }
  return status;
}

/* --- held shapes --------------------------------------------------------------------------------- */

/* Is one of the places of node (i, j) in the shape? The first that is, m. */
static bool shape_place(const struct hs_laws *laws, const struct hs_config_shape *shape, int i, int j, double *x_m,
                        double *y_m)
{
  const struct hs_problem *p = laws->problem;
  struct hs_extent px[HS_EXTENTS], py[HS_EXTENTS];
  const int nx = hs_extents_of(laws, true, i, px), ny = hs_extents_of(laws, false, j, py);
  for (int b = 0; b < ny; b++)
    for (int a = 0; a < nx; a++) {
      *x_m = px[a].at * p->dx_m;
      *y_m = py[b].at * p->dy_m;
      if (hs_shape_contains(shape, *x_m, *y_m)) return true;
    }
  return false;
}

int hs_law_held_by(const struct hs_laws *laws, int i, int j)
{
  double x_m, y_m;
  int k = laws->problem->held_count - 1;
  while (k >= 0 && !shape_place(laws, laws->problem->held[k].shape, i, j, &x_m, &y_m)) k--;
  return k;
}

static hs_status hold(struct visit *v, int held, struct hs_error *err)
{
  const struct hs_problem *p = v->laws->problem;
  const struct hs_held *shape = &p->held[held];
  const struct hs_value *const temperature = shape->temperature;
  const struct hs_contact contact = {.surface = p->segment_count + held, .share_x = 1.0f, .share_y = 1.0f};
  double x_m, y_m;
  hs_status status;
  (void)shape_place(v->laws, shape->shape, v->at->i, v->at->j, &x_m, &y_m);
  fingerprint_values(v, &temperature, 1);
  fingerprint_add(v, (uint64_t)p->segment_count + 1 + (uint64_t)held);
  v->law->dirichlet = true;
  status = hs_value_at(shape->temperature, x_m, y_m, v->at->time_s, &v->law->dirichlet_k, err);
  return status ? status : contact_add(v, &contact, err);
}

/* --- all of it ----------------------------------------------------------------------------------- */

hs_status hs_law_add_walls(const struct hs_laws *laws, const struct hs_law_node *node, struct hs_node_law *law,
                           struct hs_contacts *contacts, struct hs_law_change *change, struct hs_error *err)
{
  struct visit v = {.laws = laws, .at = node, .law = law, .contacts = contacts};
  bool on[HS_SIDES];
  hs_status status = HS_OK;
  v.node = (int64_t)node->j * laws->problem->nx + node->i;
  sides_of(laws, node->i, node->j, on);
  for (int side = 0; !status && side < HS_SIDES; side++)
    if (on[side]) status = side_act(&v, (enum hs_side)side, err);
  if (!status) status = votes_count(&v, err);
  if (!status && node->held >= 0) status = hold(&v, node->held, err);
  if (change) *change = v.change;
  return status;
}
