/* What cells and sources contribute to the law of a node.
 *
 * Vertex layout: a control volume holds a quarter of each of the cells around its node, so a face consists of two half
 * faces, k (dy/2)/dx each; where a cell is missing, beyond a wall, a half or quarter volume remains. Cell layout: the
 * cell is the control volume, and a face combines two cells. Both nodes of a face compute it from the same two cells in
 * the same order and get the same number, so heat that leaves one node arrives at the other to the last bit.
 */
#include "problem/laws/laws.h"

#include <math.h>
#include <string.h>

#include "problem/cells/source.h"
#include "problem/laws/extent.h"
#include "problem/walls.h"

static int wrap_of(const struct hs_problem *problem, bool along_x, bool periodic)
{
  if (!periodic || hs_problem_cut(problem, along_x)) return -1;
  return problem->layout == HS_LAYOUT_VERTEX ? 1 : 0;
}

void hs_laws_prepare(const struct hs_problem *problem, struct hs_laws *laws)
{
  const bool vertex = problem->layout == HS_LAYOUT_VERTEX;
  int k = 0;
  laws->problem = problem;
  laws->periodic_x = hs_wall_is_periodic(problem, HS_WEST);
  laws->periodic_y = hs_wall_is_periodic(problem, HS_SOUTH);
  laws->wrap_x = wrap_of(problem, true, laws->periodic_x);
  laws->wrap_y = wrap_of(problem, false, laws->periodic_y);
  laws->twins_x = laws->periodic_x && vertex;
  laws->twins_y = laws->periodic_y && vertex;
  for (int side = 0; side < HS_SIDES; side++) {
    laws->first[side] = k;
    while (k < problem->segment_count && (int)problem->segments[k].side == side) k++;
  }
  laws->first[HS_SIDES] = k;
}

struct hs_node_law hs_law_tidy(const struct hs_node_law *law)
{
  struct hs_node_law tidy = *law;
  tidy.west += 0.0;
  tidy.east += 0.0;
  tidy.south += 0.0;
  tidy.north += 0.0;
  tidy.source_w_m += 0.0;
  tidy.ambient_w_mk += 0.0;
  tidy.ambient_w_m += 0.0;
  tidy.capacity_j_mk += 0.0;
  tidy.dirichlet_k = law->dirichlet ? law->dirichlet_k + 0.0 : 0.0;
  return tidy;
}

/* --- cells --------------------------------------------------------------------------------------- */

/* Cell column or row `index` of n, put back into the range where the walls are periodic; -1 beyond open ones. */
static int64_t cell_index(int index, int n, int wrap)
{
  if (index >= 0 && index < n) return index;
  if (wrap < 0) return -1;
  return index < 0 ? n - 1 : 0;
}

static int64_t cell_at(const struct hs_problem *p, int64_t ci, int64_t cj)
{
  return ci < 0 || cj < 0 ? -1 : cj * p->cells_x + ci;
}

void hs_law_cells_around(const struct hs_laws *laws, int i, int j, int64_t cells[4])
{
  const struct hs_problem *p = laws->problem;
  const int64_t west = cell_index(i - 1, p->cells_x, laws->wrap_x), south = cell_index(j - 1, p->cells_y, laws->wrap_y);
  if (p->layout == HS_LAYOUT_VERTEX) {
    const int64_t east = cell_index(i, p->cells_x, laws->wrap_x), north = cell_index(j, p->cells_y, laws->wrap_y);
    cells[0] = cell_at(p, west, south);
    cells[1] = cell_at(p, east, south);
    cells[2] = cell_at(p, west, north);
    cells[3] = cell_at(p, east, north);
  } else {
    cells[HS_WEST] = cell_at(p, west, j);
    cells[HS_EAST] = cell_at(p, cell_index(i + 1, p->cells_x, laws->wrap_x), j);
    cells[HS_SOUTH] = cell_at(p, i, south);
    cells[HS_NORTH] = cell_at(p, i, cell_index(j + 1, p->cells_y, laws->wrap_y));
  }
}

double hs_law_conductivity(const struct hs_problem *p, int64_t cell, bool along_x)
{
  const struct hs_material *material;
  if (p->conductivity_map) return p->conductivity_map[cell];
  material = &p->materials[p->classes[p->cell[cell]].material];
  return along_x ? material->conductivity_x_w_mk : material->conductivity_y_w_mk;
}

/* Conductance of half a face within a cell, W/(m K). */
static double half_face(const struct hs_problem *p, int64_t cell, bool along_x)
{
  const double ratio = along_x ? p->dy_m / p->dx_m : p->dx_m / p->dy_m;
  return cell < 0 ? 0.0 : 0.5 * (hs_law_conductivity(p, cell, along_x) * ratio);
}

double hs_law_face(const struct hs_problem *p, int64_t a, int64_t b, bool along_x)
{
  const double ratio = along_x ? p->dy_m / p->dx_m : p->dx_m / p->dy_m;
  double ka, kb, mean;
  if (a < 0 || b < 0) return 0.0;
  ka = hs_law_conductivity(p, a, along_x);
  kb = hs_law_conductivity(p, b, along_x);
  if (ka == kb)
    mean = ka;
  else if (p->config->grid.face_mean == HS_FACE_ARITHMETIC)
    mean = 0.5 * ka + 0.5 * kb;
  else
    mean = 2.0 / (1.0 / ka + 1.0 / kb);
  return mean * ratio;
}

/* What a cell contributes to a control volume that holds area_m2 of it. */
static struct hs_node_law cell_share(const struct hs_problem *p, int64_t cell, double area_m2)
{
  struct hs_node_law share = {0};
  const struct hs_cell_class *class;
  if (cell < 0) return share;
  class = &p->classes[p->cell[cell]];
  share.source_w_m = class->source_w_m3 * area_m2;
  share.ambient_w_mk = class->loss_w_m3k * area_m2;
  share.ambient_w_m = class->loss_w_m3 * area_m2;
  share.capacity_j_mk = p->materials[class->material].capacity_j_m3k * area_m2;
  if (isnan(share.capacity_j_mk)) share.capacity_j_mk = 0.0;
  return share;
}

static void law_of_corners(const struct hs_problem *p, const int64_t cells[4], struct hs_node_law *law)
{
  const double quarter_m2 = 0.25 * (p->dx_m * p->dy_m);
  struct hs_node_law s[4];
  for (int k = 0; k < 4; k++) s[k] = cell_share(p, cells[k], quarter_m2);
  law->west = half_face(p, cells[0], true) + half_face(p, cells[2], true);
  law->east = half_face(p, cells[1], true) + half_face(p, cells[3], true);
  law->south = half_face(p, cells[0], false) + half_face(p, cells[1], false);
  law->north = half_face(p, cells[2], false) + half_face(p, cells[3], false);
  law->source_w_m = (s[0].source_w_m + s[1].source_w_m) + (s[2].source_w_m + s[3].source_w_m);
  law->ambient_w_mk = (s[0].ambient_w_mk + s[1].ambient_w_mk) + (s[2].ambient_w_mk + s[3].ambient_w_mk);
  law->ambient_w_m = (s[0].ambient_w_m + s[1].ambient_w_m) + (s[2].ambient_w_m + s[3].ambient_w_m);
  law->capacity_j_mk = (s[0].capacity_j_mk + s[1].capacity_j_mk) + (s[2].capacity_j_mk + s[3].capacity_j_mk);
}

void hs_law_of_cells(const struct hs_laws *laws, int i, int j, struct hs_node_law *law)
{
  const struct hs_problem *p = laws->problem;
  int64_t cells[4];
  memset(law, 0, sizeof *law);
  hs_law_cells_around(laws, i, j, cells);
  if (p->layout == HS_LAYOUT_VERTEX) {
    law_of_corners(p, cells, law);
  } else {
    const int64_t own = cell_at(p, i, j);
    *law = cell_share(p, own, p->dx_m * p->dy_m);
    law->west = hs_law_face(p, cells[HS_WEST], own, true);
    law->east = hs_law_face(p, own, cells[HS_EAST], true);
    law->south = hs_law_face(p, cells[HS_SOUTH], own, false);
    law->north = hs_law_face(p, own, cells[HS_NORTH], false);
  }
}

/* --- sources that heat control volumes ----------------------------------------------------------- */

double hs_law_source_extent(const struct hs_laws *laws, const struct hs_config_source *source, bool along_x, int index)
{
  const struct hs_config_shape *shape = &source->shape;
  const struct hs_problem *p = laws->problem;
  const double spacing_m = along_x ? p->dx_m : p->dy_m;
  const int place = along_x ? hs_problem_column(p, index) : hs_problem_row(p, index);
  const int chosen = along_x ? shape->i : shape->j, last = (along_x ? p->grid_nx : p->grid_ny) - 1;
  const bool twin = (along_x ? laws->twins_x : laws->twins_y) && place + chosen == last && (place == 0 || chosen == 0);
  struct hs_extent extents[HS_EXTENTS], cut;
  double spacings = 0.0;
  const int count = hs_extents_of(laws, along_x, index, extents);
  if (shape->kind == HS_SHAPE_NODE && place != chosen && !twin) return 0.0;
  for (int k = 0; k < count; k++) {
    if (shape->kind == HS_SHAPE_NODE)
      spacings += extents[k].to - extents[k].from;
    else if (hs_extent_cut(p, along_x, &extents[k], along_x ? shape->x0_m : shape->y0_m,
                           along_x ? shape->x1_m : shape->y1_m, &cut))
      spacings += cut.to - cut.from;
  }
  return spacings * spacing_m;
}

double hs_law_source_power(const struct hs_laws *laws, const struct hs_config_source *source, double extent_x_m,
                           double extent_y_m)
{
  const struct hs_problem *p = laws->problem;
  const struct hs_config_shape *s = &source->shape;
  const double area_m2 = extent_x_m * extent_y_m;
  double whole_m2;
  if (area_m2 == 0.0) return 0.0;
  if (!isnan(source->density_w_m3)) return source->density_w_m3 * area_m2;
  if (s->kind == HS_SHAPE_NODE) return source->power_w_m;
  whole_m2 = (fmin(s->x1_m, p->lx_m) - fmax(s->x0_m, 0.0)) * (fmin(s->y1_m, p->ly_m) - fmax(s->y0_m, 0.0));
  return source->power_w_m * (area_m2 / whole_m2);
}
