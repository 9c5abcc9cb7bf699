/* Heat out through the outline of a shape.
 *
 * Let S be the cells of the shape, those whose centres lie in it.
 *
 * Vertex layout. The outline's nodes belong to cells inside and outside S, or lie on a wall of the domain. What the
 * cells of S deliver to such a node n is the sum over its quarter cells in S of
 *
 *     kx (dy/2)/dx (T_beside - T_n) + ky (dx/2)/dy (T_above - T_n) + (source + loss (T_ambient - T_n)) dx dy/4,
 *
 * that is, the half faces of the quarter and its share of the cell's heat. Over all nodes of S the half faces cancel in
 * pairs, and a solved free node inside S is in balance: so the outline receives all heat released in S, as exactly as the
 * field is solved. A heat flux from differences across the outline would miss half a cell of source. Where the shape
 * holds nodes at a temperature, that heat comes from the shape: the reaction of Dirichlet nodes within S arrives by
 * conduction; that of Dirichlet nodes on the outline, or of a shape too thin to own a cell, is added.
 *
 * Cell layout. Faces between cells inside and outside S, G (T_inside - T_outside), and the walls of cells in S.
 *
 * A source on control volumes (a node, a rectangle) belongs to a quarter by the area of it that it heats. Limit: heat that
 * a transient field stores in the quarter cells at the outline counts as delivered.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answers/parts.h"
#include "base/memory.h"
#include "comm/grid_sum.h"
#include "problem/cells/shape.h"
#include "problem/cells/source.h"
#include "problem/walls.h"

struct outline {
  const struct hs_problem *problem;
  const struct hs_system *system;
  const double *field_k;
  const struct hs_config_shape *shape;
  int surface; /* by which the shape holds nodes, or -1 */
  struct hs_twice twice;
  const uint64_t *cells; /* S: a bit for each cell, rows of `stride` words */
  size_t stride;
};

static bool cell_inside(const struct outline *o, int ci, int cj)
{
  return o->cells[(size_t)cj * o->stride + (size_t)ci / 64] >> ((unsigned)ci % 64) & 1u;
}

/* The quarters of a node's control volume: south-west, south-east, north-west, north-east. */
enum { QUARTERS = 4, ALL_QUARTERS = 15 };

/* The cell that quarter q of vertex node (i, j) lies in; false beyond an open wall. */
static bool quarter_cell(const struct outline *o, int i, int j, int q, int *ci, int *cj)
{
  const struct hs_problem *p = o->problem;
  *ci = i - 1 + (q & 1);
  *cj = j - 1 + (q >> 1);
  if (o->system->wrap_x == 1) *ci = (*ci + p->cells_x) % p->cells_x;
  if (o->system->wrap_y == 1) *cj = (*cj + p->cells_y) % p->cells_y;
  return *ci >= 0 && *ci < p->cells_x && *cj >= 0 && *cj < p->cells_y;
}

/* The western quarters of a node whose cell column is ci, in row j: bits 0 and 2 where they are inside. */
static unsigned column_inside(const struct outline *o, int ci, int j)
{
  const struct hs_problem *p = o->problem;
  int south = j - 1, north = j;
  if (o->system->wrap_x == 1) ci = (ci + p->cells_x) % p->cells_x;
  if (o->system->wrap_y == 1) {
    south = (south + p->cells_y) % p->cells_y;
    north %= p->cells_y;
  }
  if (ci < 0 || ci >= p->cells_x) return 0;
  return (south >= 0 && cell_inside(o, ci, south) ? 1u : 0u) |
         (north < p->cells_y && cell_inside(o, ci, north) ? 4u : 0u);
}

/* The quarters of node (i, j) that lie in the shape, a bit for each. */
static unsigned quarters_inside(const struct outline *o, int i, int j)
{
  return column_inside(o, i - 1, j) | column_inside(o, i, j) << 1;
}

static const struct hs_cell_class *cell_class(const struct hs_problem *p, int ci, int cj)
{
  return &p->classes[p->cell[(size_t)cj * (size_t)p->cells_x + (size_t)ci]];
}

/* Length that from .. to shares with low .. high. */
static double overlap(double from, double to, double low, double high)
{
  const double length = fmin(to, high) - fmax(from, low);
  return length > 0.0 ? length : 0.0;
}

/* Heat of a piece of a source that falls into quarter q of node (i, j), W/m. */
static double piece_in_quarter(const struct outline *o, const struct hs_config_source *source, int i, int j, int q)
{
  const struct hs_problem *p = o->problem;
  const struct hs_config_shape *shape = &source->shape;
  const double quarter_m2 = 0.25 * p->dx_m * p->dy_m;
  const bool spread = isnan(source->density_w_m3);
  const int gi = p->first_x + i, gj = p->first_y + j; /* in the whole grid */
  double density = source->density_w_m3, x, y;
  if (shape->kind == HS_SHAPE_NODE) {
    const int period_x = o->twice.west != o->twice.east ? p->grid_nx - 1 : p->grid_nx;
    const int period_y = o->twice.south != o->twice.north ? p->grid_ny - 1 : p->grid_ny;
    if (gi % period_x != shape->i % period_x || gj % period_y != shape->j % period_y) return 0.0;
    return spread ? 0.25 * source->power_w_m : density * quarter_m2;
  }
  if (shape->kind != HS_SHAPE_RECTANGLE) return 0.0;
  if (spread) density = source->power_w_m / ((shape->x1_m - shape->x0_m) * (shape->y1_m - shape->y0_m));
  x = (gi - (q & 1 ? 0.0 : 0.5)) * p->dx_m;
  y = (gj - (q >> 1 ? 0.0 : 0.5)) * p->dy_m;
  if (o->twice.west != o->twice.east) x = fmod(x + p->lx_m, p->lx_m);
  if (o->twice.south != o->twice.north) y = fmod(y + p->ly_m, p->ly_m);
  return density * overlap(shape->x0_m, shape->x1_m, x, x + 0.5 * p->dx_m) *
         overlap(shape->y0_m, shape->y1_m, y, y + 0.5 * p->dy_m);
}

/* Heat of source k, if it acts on control volumes, that falls into quarter q of node (i, j), W/m. */
static double source_in_quarter(const struct outline *o, int k, int i, int j, int q)
{
  struct hs_config_source pieces[HS_SOURCE_PIECES];
  const int count = hs_source_is_painted(o->problem->config, k) ? 0 : hs_source_pieces(o->problem, k, pieces);
  double heat_w_m = 0.0;
  for (int piece = 0; piece < count; piece++) heat_w_m += piece_in_quarter(o, &pieces[piece], i, j, q);
  return heat_w_m;
}

/* Source of node n that is neither a wall's flux nor painted on cells. */
static double source_on_volume(const struct outline *o, size_t n, int i, int j)
{
  const struct hs_problem *p = o->problem;
  const struct hs_contact *contact, *end;
  double rest = o->system->law[hs_system_index(o->system, n)].source_w_m, size = fabs(rest);
  hs_node_contacts(o->system, n, &contact, &end);
  for (; contact != end; contact++) {
    rest -= contact->flux_w_m;
    size += fabs(contact->flux_w_m);
  }
  for (int q = 0; q < QUARTERS; q++) {
    int ci, cj;
    double painted;
    if (!quarter_cell(o, i, j, q, &ci, &cj)) continue;
    painted = cell_class(p, ci, cj)->source_w_m3 * (0.25 * p->dx_m * p->dy_m);
    rest -= painted;
    size += fabs(painted);
  }
  return fabs(rest) <= 1e-12 * size ? 0.0 : rest;
}

/* The share of source_on_volume in the quarters `inside`. Where the sources' areas do not add up to it (another source has
 * replaced some of it), it is divided in their proportion, or evenly where there is no area. */
static double source_delivered(const struct outline *o, size_t n, int i, int j, unsigned inside)
{
  const double rest = source_on_volume(o, n, i, j);
  const struct hs_config *config = o->problem->config;
  double part = 0.0, all = 0.0, part_size = 0.0, all_size = 0.0;
  int quarters = 0, quarters_inside = 0;
  if (rest == 0.0) return 0.0;
  for (int q = 0; q < QUARTERS; q++) {
    const bool is_inside = inside >> q & 1u;
    int ci, cj;
    if (!quarter_cell(o, i, j, q, &ci, &cj)) continue;
    quarters++;
    quarters_inside += is_inside;
    for (int k = 0; k < config->source_count; k++) {
      const double heat = source_in_quarter(o, k, i, j, q);
      all += heat;
      all_size += fabs(heat);
      part += is_inside ? heat : 0.0;
      part_size += is_inside ? fabs(heat) : 0.0;
    }
  }
  if (fabs(all - rest) <= 1e-9 * all_size) return part;
  return rest * (all_size > 0.0 ? part_size / all_size : (double)quarters_inside / quarters);
}

/* What the quarters `inside` of node (i, j) deliver to it. */
static double delivered(const struct outline *o, int i, int j, unsigned inside)
{
  const struct hs_problem *p = o->problem;
  const size_t n = (size_t)j * (size_t)p->nx + (size_t)i;
  const double t = o->field_k[n], quarter_m2 = 0.25 * p->dx_m * p->dy_m;
  double sum = 0.0;
  for (int q = 0; q < QUARTERS; q++) {
    const struct hs_cell_class *class;
    double kx, ky, beside, above, density;
    int ci, cj;
    if (!(inside >> q & 1u) || !quarter_cell(o, i, j, q, &ci, &cj)) continue;
    class = cell_class(p, ci, cj);
    hs_problem_cell_conductivity(p, ci, cj, &kx, &ky);
    beside = o->field_k[hs_node_neighbour(o->system, n, q & 1 ? 1 : -1, 0)] - t;
    above = o->field_k[hs_node_neighbour(o->system, n, 0, q >> 1 ? 1 : -1)] - t;
    density = class->source_w_m3 + (class->loss_w_m3 - class->loss_w_m3k * t);
    if (p->source_map) density += p->source_map[(size_t)cj * (size_t)p->cells_x + (size_t)ci];
    sum += kx * (0.5 * p->dy_m / p->dx_m) * beside + ky * (0.5 * p->dx_m / p->dy_m) * above + density * quarter_m2;
  }
  return sum + source_delivered(o, n, i, j, inside);
}

/* Nodes i0..i1 of row j, vertex layout. */
static void vertex_row(const struct outline *o, int i0, int i1, int j, struct hs_grid_sum *sum)
{
  unsigned west = column_inside(o, i0 - 1, j);
  for (int i = i0; i <= i1; i++) {
    const unsigned east = column_inside(o, i, j), inside = west | east << 1;
    west = east;
    if (inside == 0 || inside == ALL_QUARTERS) continue;
    hs_grid_sum_add(sum, hs_node_share(&o->twice, i, j) * delivered(o, i, j, inside));
  }
}

/* Heat from cell (i, j) through its face towards (dx, dy), 0 unless it leaves the shape. Cell layout. */
static double cell_face(const struct outline *o, int i, int j, int dx, int dy)
{
  const struct hs_system *s = o->system;
  const size_t n = (size_t)j * (size_t)s->nx + (size_t)i, to = hs_node_neighbour(s, n, dx, dy);
  const struct hs_node_law *law = &s->law[hs_system_index(s, n)];
  const double g = dx < 0 ? law->west : dx > 0 ? law->east : dy < 0 ? law->south : law->north;
  if (to == n || cell_inside(o, (int)(to % (size_t)s->nx), (int)(to / (size_t)s->nx))) return 0.0;
  return g * (o->field_k[n] - o->field_k[to]);
}

static void cell_row(const struct outline *o, int i0, int i1, int j, struct hs_grid_sum *sum)
{
  for (int i = i0; i <= i1; i++) {
    if (!cell_inside(o, i, j)) continue;
    for (int side = -1; side <= 1; side += 2) {
      hs_grid_sum_add(sum, cell_face(o, i, j, side, 0));
      hs_grid_sum_add(sum, cell_face(o, i, j, 0, side));
    }
  }
}

/* Heat through a contact that counts for the shape: of its Dirichlet nodes on the outline (vertex layout), of the walls of
 * its cells (cell layout). */
static double contact_out(const struct outline *o, const struct hs_contact *contact)
{
  const struct hs_problem *p = o->problem;
  const int i = (int)(contact->node % p->nx), j = (int)(contact->node / p->nx);
  if (p->layout == HS_LAYOUT_CELL) {
    if (p->surfaces[contact->surface].side == HS_SIDES || !cell_inside(o, i, j)) return 0.0;
    return -hs_contact_heat(o->system, o->field_k, contact);
  }
  if (contact->surface != o->surface || quarters_inside(o, i, j) == ALL_QUARTERS) return 0.0;
  return hs_node_share(&o->twice, i, j) * hs_contact_heat(o->system, o->field_k, contact);
}

/* Nodes that can touch the shape's cells in one direction of the grid: first .. last of count. Periodic walls join the ends. */
static void nodes_near(double low_m, double high_m, double spacing_m, int count, bool periodic, int *first, int *last)
{
  hs_index_range(low_m, high_m, spacing_m, count, first, last);
  if (periodic && (*first == 0 || *last == count - 1)) {
    *first = 0;
    *last = count - 1;
  }
}

/* Those of this rank, by their place in the window. */
static struct hs_rectangle own_near(const struct outline *o)
{
  const struct hs_problem *p = o->problem;
  const struct hs_rectangle own = hs_own_nodes(p);
  double bounds_m[4];
  int i0, i1, j0, j1;
  hs_shape_bounds(o->shape, bounds_m);
  nodes_near(bounds_m[0], bounds_m[1], p->dx_m, p->grid_nx, hs_wall_is_periodic(p, HS_WEST), &i0, &i1);
  nodes_near(bounds_m[2], bounds_m[3], p->dy_m, p->grid_ny, hs_wall_is_periodic(p, HS_SOUTH), &j0, &j1);
  i0 = i0 - p->first_x > own.x0 ? i0 - p->first_x : own.x0;
  j0 = j0 - p->first_y > own.y0 ? j0 - p->first_y : own.y0;
  i1 = i1 - p->first_x < own.x0 + own.nx ? i1 - p->first_x + 1 : own.x0 + own.nx;
  j1 = j1 - p->first_y < own.y0 + own.ny ? j1 - p->first_y + 1 : own.y0 + own.ny;
  return (struct hs_rectangle){i0, j0, i1 - i0, j1 - j0};
}

/* This rank's share. */
static struct hs_grid_sum outline_take(const struct outline *o)
{
  const bool vertex = o->problem->layout == HS_LAYOUT_VERTEX;
  const struct hs_rectangle near = own_near(o);
  const int i1 = near.x0 + near.nx - 1;
  struct hs_grid_sum all = {{0}, 0, 0};
#pragma omp parallel
  {
    struct hs_grid_sum mine = {{0}, 0, 0};
#pragma omp for schedule(static)
    for (int j = near.y0; j < near.y0 + near.ny; j++) {
      if (vertex)
        vertex_row(o, near.x0, i1, j, &mine);
      else
        cell_row(o, near.x0, i1, j, &mine);
    }
#pragma omp critical(hs_outline)
    hs_grid_sum_merge(&all, &mine);
  }
  if (vertex && o->surface < 0) return all;
  for (int64_t c = 0; c < o->system->contact_count; c++) hs_grid_sum_add(&all, contact_out(o, &o->system->contacts[c]));
  return all;
}

/* The surface by which a shape holds nodes, or -1. */
static int surface_of(const struct hs_problem *p, const struct hs_config_shape *shape)
{
  for (int k = 0; k < p->held_count; k++)
    if (p->held[k].shape == shape) return p->segment_count + k;
  return -1;
}

/* Sets the bits of the shape's cells. */
static hs_status cells_mark(const struct hs_problem *p, const struct hs_config_shape *shape, uint64_t *cells,
                            size_t stride, struct hs_error *err)
{
  struct hs_cell_scan scan;
  int row, from, to;
  const hs_status status = hs_cell_scan_start(&scan, p, shape, err);
  if (status) return status;
  memset(cells, 0, (size_t)p->cells_y * stride * sizeof *cells);
  while (hs_cell_scan_next(&scan, &row, &from, &to))
    for (int ci = from; ci <= to; ci++)
      cells[(size_t)row * stride + (size_t)ci / 64] |= UINT64_C(1) << (unsigned)ci % 64;
  hs_cell_scan_end(&scan);
  return HS_OK;
}

hs_status hs_outlines_take(const struct hs_problem *problem, const struct hs_system *system, const double *field_k,
                           double *region_out_w_m, struct hs_error *err)
{
  const struct hs_config *config = problem->config;
  const size_t stride = ((size_t)problem->cells_x + 63) / 64;
  struct outline outline = {
      .problem = problem, .system = system, .field_k = field_k, .stride = stride, .twice = hs_own_twice(problem)};
  struct hs_grid_sum *sums = NULL;
  uint64_t *cells = NULL;
  hs_status status = HS_OK;
  if (config->region_count == 0) return HS_OK;
  status =
      hs_array_create((void **)&sums, (size_t)config->region_count, sizeof *sums, "the heat through outlines", err);
  if (!status)
    status =
        hs_array_create((void **)&cells, (size_t)problem->cells_y * stride, sizeof *cells, "the cells of a shape", err);
  outline.cells = cells;
  for (int r = 0; !status && r < config->region_count; r++) {
    outline.shape = &config->regions[r].shape;
    outline.surface = surface_of(problem, outline.shape);
    status = cells_mark(problem, outline.shape, cells, stride, err);
    if (!status) sums[r] = outline_take(&outline);
  }
  if (!status) status = hs_grid_sums_join(hs_own_comm(problem), sums, config->region_count, region_out_w_m, err);
  free(cells);
  free(sums);
  return status;
}
