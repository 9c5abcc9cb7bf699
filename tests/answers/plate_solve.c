/* Systems of plates, written out from their definitions, and their solution; see plate.h. */
#include "answers/plate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A node while its law is written. */
struct node {
  const struct plate *plate;
  int i, j;
  struct hs_node_law law;
  struct hs_contact contacts[HS_SIDES];
  int contact_count;
};

static bool periodic_x(const struct plate *plate)
{
  return plate->wall[HS_WEST].kind == HS_WALL_PERIODIC;
}

static bool periodic_y(const struct plate *plate)
{
  return plate->wall[HS_SOUTH].kind == HS_WALL_PERIODIC;
}

static double conductivity(const struct plate *plate, int ci, int cj)
{
  const struct hs_problem *p = &plate->problem;
  return p->materials[p->classes[p->cell[cj * p->cells_x + ci]].material].conductivity_x_w_mk;
}

static void add_cell_heat(struct node *node, int ci, int cj, double area_m2)
{
  const struct hs_problem *p = &node->plate->problem;
  const struct hs_cell_class *class = &p->classes[p->cell[cj * p->cells_x + ci]];
  node->law.source_w_m += class->source_w_m3 * area_m2;
  node->law.ambient_w_mk += class->loss_w_m3k * area_m2;
  node->law.ambient_w_m += class->loss_w_m3 * area_m2;
}

static double shared(double a0, double a1, double b0, double b1)
{
  return fmax(0.0, fmin(a1, b1) - fmax(a0, b0));
}

/* Sources on the part x0..x1, y0..y1 of the control volume; quarters: how many parts the node has. */
static void add_sources(struct node *node, double x0, double x1, double y0, double y1, int quarters)
{
  for (int k = 0; k < node->plate->config.source_count; k++) {
    const struct hs_config_source *source = &node->plate->sources[k];
    const struct hs_config_shape *s = &source->shape;
    double area = shared(x0, x1, s->x0_m, s->x1_m) * shared(y0, y1, s->y0_m, s->y1_m);
    double whole = (s->x1_m - s->x0_m) * (s->y1_m - s->y0_m);
    if (s->kind == HS_SHAPE_NODE) {
      area = s->i == node->i && s->j == node->j ? (x1 - x0) * (y1 - y0) : 0.0;
      whole = quarters * (x1 - x0) * (y1 - y0);
    }
    node->law.source_w_m += (isnan(source->density_w_m3) ? source->power_w_m / whole : source->density_w_m3) * area;
  }
}

static void vertex_law(struct node *node)
{
  const struct hs_problem *p = &node->plate->problem;
  const double hx = 0.5 * p->dx_m, hy = 0.5 * p->dy_m;
  for (int q = 0; q < 4; q++) {
    int ci = node->i - 1 + q % 2, cj = node->j - 1 + q / 2;
    double k;
    if (periodic_x(node->plate)) ci = (ci + p->cells_x) % p->cells_x;
    if (periodic_y(node->plate)) cj = (cj + p->cells_y) % p->cells_y;
    if (ci < 0 || ci >= p->cells_x || cj < 0 || cj >= p->cells_y) continue;
    k = conductivity(node->plate, ci, cj);
    *(q % 2 ? &node->law.east : &node->law.west) += k * hy / p->dx_m;
    *(q / 2 ? &node->law.north : &node->law.south) += k * hx / p->dy_m;
    add_cell_heat(node, ci, cj, hx * hy);
    add_sources(node, ci * p->dx_m + (q % 2 ? 0.0 : hx), ci * p->dx_m + (q % 2 ? hx : p->dx_m),
                cj * p->dy_m + (q / 2 ? 0.0 : hy), cj * p->dy_m + (q / 2 ? hy : p->dy_m), 4);
  }
}

static double face(const struct plate *plate, int ci, int cj, int di, int dj)
{
  const struct hs_problem *p = &plate->problem;
  const double k = conductivity(plate, ci, cj), ratio = di ? p->dy_m / p->dx_m : p->dx_m / p->dy_m;
  int i = ci + di, j = cj + dj;
  if (periodic_x(plate)) i = (i + p->cells_x) % p->cells_x;
  if (periodic_y(plate)) j = (j + p->cells_y) % p->cells_y;
  if (i < 0 || i >= p->cells_x || j < 0 || j >= p->cells_y) return 0.0;
  return 2.0 * (k * conductivity(plate, i, j)) / (k + conductivity(plate, i, j)) * ratio;
}

static void cell_law(struct node *node)
{
  const struct hs_problem *p = &node->plate->problem;
  node->law.west = face(node->plate, node->i, node->j, -1, 0);
  node->law.east = face(node->plate, node->i, node->j, 1, 0);
  node->law.south = face(node->plate, node->i, node->j, 0, -1);
  node->law.north = face(node->plate, node->i, node->j, 0, 1);
  add_cell_heat(node, node->i, node->j, p->dx_m * p->dy_m);
  add_sources(node, node->i * p->dx_m, (node->i + 1) * p->dx_m, node->j * p->dy_m, (node->j + 1) * p->dy_m, 1);
}

static struct hs_contact *contact_add(struct node *node, int surface)
{
  struct hs_contact *contact = &node->contacts[node->contact_count++];
  memset(contact, 0, sizeof *contact);
  contact->node = (int64_t)node->j * node->plate->problem.nx + node->i;
  contact->surface = surface;
  return contact;
}

/* Length of a wall in the control volume. */
static double wall_length(const struct node *node, int side)
{
  const struct hs_problem *p = &node->plate->problem;
  const bool upright = side == HS_WEST || side == HS_EAST;
  const int at = upright ? node->j : node->i, last = (upright ? p->ny : p->nx) - 1;
  const bool whole = upright ? periodic_y(node->plate) : periodic_x(node->plate);
  const double spacing = upright ? p->dy_m : p->dx_m;
  return p->layout == HS_LAYOUT_VERTEX && !whole && (at == 0 || at == last) ? 0.5 * spacing : spacing;
}

/* A wall that passes heat by conductance or flux. */
static void open_wall(struct node *node, int side)
{
  const struct hs_problem *p = &node->plate->problem;
  const struct plate_wall *wall = &node->plate->wall[side];
  const double length = wall_length(node, side);
  double half = (side == HS_WEST || side == HS_EAST ? p->dx_m : p->dy_m) / 2.0, resistance = 0.0;
  struct hs_contact *contact = contact_add(node, side);
  if (wall->kind == HS_WALL_FLUX) {
    contact->flux_w_m = wall->value * length;
    node->law.source_w_m += contact->flux_w_m;
    return;
  }
  if (p->layout == HS_LAYOUT_CELL) resistance = half / conductivity(node->plate, node->i, node->j);
  if (wall->kind == HS_WALL_CONVECTION) resistance += 1.0 / wall->h;
  contact->conductance_w_mk = length / resistance;
  contact->ambient_k = wall->value;
  node->law.ambient_w_mk += contact->conductance_w_mk;
  node->law.ambient_w_m += contact->conductance_w_mk * contact->ambient_k;
}

static bool at_wall(const struct node *node, int side)
{
  const struct hs_problem *p = &node->plate->problem;
  const int at[HS_SIDES] = {node->i == 0, node->i == p->nx - 1, node->j == 0, node->j == p->ny - 1};
  return at[side];
}

/* Holds the node for held shapes, the last one winning, or for walls. What other walls do to it passes through it. */
static void hold(struct node *node)
{
  const struct hs_problem *p = &node->plate->problem;
  const double x = p->x0_m + node->i * p->dx_m, y = p->y0_m + node->j * p->dy_m;
  struct hs_contact *contact;
  int walls = 0;
  double sum = 0.0;
  for (int k = p->held_count - 1; k >= 0; k--) {
    if (!hs_shape_contains(p->held[k].shape, x, y)) continue;
    contact = contact_add(node, HS_SIDES + k);
    contact->share_x = contact->share_y = 1.0f;
    node->law.dirichlet_k = node->plate->dirichlet_k[k];
    node->law.dirichlet = true;
    return;
  }
  for (int side = 0; p->layout == HS_LAYOUT_VERTEX && side < HS_SIDES; side++) {
    if (!at_wall(node, side) || node->plate->wall[side].kind != HS_WALL_TEMPERATURE) continue;
    contact = contact_add(node, side);
    contact->share_x = side == HS_WEST || side == HS_EAST ? 1.0f : 0.0f;
    contact->share_y = 1.0f - contact->share_x;
    sum += node->plate->wall[side].value;
    walls++;
  }
  if (walls == 1) node->contacts[0].share_x = node->contacts[0].share_y = 1.0f;
  if (walls) node->law.dirichlet_k = sum / walls;
  node->law.dirichlet = walls > 0;
}

static struct node node_of(const struct plate *plate, int i, int j)
{
  struct node node = {.plate = plate, .i = i, .j = j};
  if (plate->problem.layout == HS_LAYOUT_VERTEX)
    vertex_law(&node);
  else
    cell_law(&node);
  hold(&node);
  for (int side = 0; side < HS_SIDES; side++) {
    const enum hs_wall kind = plate->wall[side].kind;
    if (!at_wall(&node, side) || kind == HS_WALL_INSULATED || kind == HS_WALL_PERIODIC) continue;
    if (plate->problem.layout == HS_LAYOUT_CELL || kind != HS_WALL_TEMPERATURE) open_wall(&node, side);
  }
  return node;
}

void plate_assemble(struct plate *plate)
{
  const struct hs_problem *p = &plate->problem;
  const size_t nodes = (size_t)p->nx * (size_t)p->ny;
  const int wrap = p->layout == HS_LAYOUT_VERTEX;
  struct hs_system *s = calloc(1, sizeof *s);
  assert_non_null(s);
  s->nx = p->nx;
  s->ny = p->ny;
  s->dx_m = p->dx_m;
  s->dy_m = p->dy_m;
  s->wrap_x = periodic_x(plate) ? wrap : -1;
  s->wrap_y = periodic_y(plate) ? wrap : -1;
  s->table_size = (int)nodes;
  s->law = calloc(nodes, sizeof *s->law);
  s->contacts = calloc(nodes * HS_SIDES, sizeof *s->contacts);
  assert_non_null(s->law);
  assert_non_null(s->contacts);
  for (size_t n = 0; n < nodes; n++) {
    const struct node node = node_of(plate, (int)(n % (size_t)p->nx), (int)(n / (size_t)p->nx));
    s->law[n] = node.law;
    for (int c = 0; c < node.contact_count; c++) s->contacts[s->contact_count++] = node.contacts[c];
  }
  hs_system_destroy(plate->system);
  free(plate->field_k);
  plate->system = s;
  plate->field_k = calloc(nodes, sizeof(double));
  assert_non_null(plate->field_k);
}

static double at(const struct plate *plate, int i, int j)
{
  const struct hs_system *s = plate->system;
  if (i < 0) i = s->wrap_x < 0 ? 0 : s->nx - 1 - s->wrap_x;
  if (i >= s->nx) i = s->wrap_x < 0 ? s->nx - 1 : s->wrap_x;
  if (j < 0) j = s->wrap_y < 0 ? 0 : s->ny - 1 - s->wrap_y;
  if (j >= s->ny) j = s->wrap_y < 0 ? s->ny - 1 : s->wrap_y;
  return plate->field_k[j * s->nx + i];
}

/* One sweep of over-relaxed Gauss-Seidel; returns the largest change. */
static double relax(struct plate *plate, double omega)
{
  const struct hs_system *s = plate->system;
  double largest = 0.0;
  for (int j = 0; j < s->ny; j++) {
    for (int i = 0; i < s->nx; i++) {
      const struct hs_node_law *law = &s->law[j * s->nx + i];
      double *t = &plate->field_k[j * s->nx + i], before = *t, sum;
      const double diagonal = law->west + law->east + law->south + law->north + law->ambient_w_mk;
      sum = law->west * at(plate, i - 1, j) + law->east * at(plate, i + 1, j) + law->south * at(plate, i, j - 1) +
            law->north * at(plate, i, j + 1) + law->source_w_m + law->ambient_w_m;
      *t = law->dirichlet ? law->dirichlet_k : before + omega * (sum / diagonal - before);
      largest = fmax(largest, fabs(*t - before));
    }
  }
  return largest;
}

void plate_solve(struct plate *plate)
{
  const int longest = plate->problem.nx > plate->problem.ny ? plate->problem.nx : plate->problem.ny;
  const double omega = 2.0 / (1.0 + 3.0 / longest);
  double size = 0.0, change = INFINITY;
  int quiet = 0;
  plate_assemble(plate);
  for (int sweep = 0; sweep < 100000 && quiet < 200; sweep++) {
    change = relax(plate, omega);
    if (sweep % 100 == 0)
      for (int n = 0; n < plate->problem.nx * plate->problem.ny; n++) size = fmax(size, fabs(plate->field_k[n]));
    quiet = change <= 1e-14 * size ? quiet + 1 : 0;
  }
  if (!(change <= 1e-12 * size)) fail_msg("the plate was not solved: the last sweep changed %.3g", change);
}
