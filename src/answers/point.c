/* The temperature at a point, as far as a rank knows it.
 *
 * Vertex layout: bilinear between the corners of the cell, exactly the node's value on a node. The temperature is
 * continuous, so a probe's material changes nothing; it only has to touch the point.
 *
 * Cell layout: values are those of cell centres, and the gradient jumps where materials meet. Between the centre of the
 * point's cell P and a neighbour E the temperature is linear up to the common face and from there on. The face's
 * temperature is the one with equal heat flux on both sides, (kP TP + kE TE) / (kP + kE); the corner of four cells has
 * their mean weighted by conductivity. Between centre, two faces and corner the temperature is bilinear. With one
 * conductivity this is the bilinear value between four centres; for heat across layers it is exact. In the half cell at a
 * wall the line from the opposite face through the centre is extrapolated: exact for a linear temperature, otherwise of
 * second order.
 *
 * A probe with a material uses only cells of that material that touch the point. Each is extrapolated to the point with
 * the difference to the next cell of its material (towards the point, else away from it, else none), and the mean is
 * taken.
 *
 * Places, lines and cells are those of the whole grid; a rank gives the temperature of the points in its cells, and what its
 * cells contribute to points of a material.
 */
#include <math.h>
#include <string.h>

#include "answers/parts.h"

#define ON_NODE 1e-9 /* of a spacing: a point this near to a grid line lies on it */

/* A point's place along one direction: the grid line at or before it, and the distance from there in spacings. */
struct place {
  int line;
  double fraction; /* 0 <= fraction < 1 */
};

static struct place place_on(double position)
{
  const double nearest = round(position);
  struct place place;
  if (fabs(position - nearest) <= ON_NODE) position = nearest;
  place.line = (int)floor(position);
  place.fraction = position - place.line;
  return place;
}

/* --- vertex layout ------------------------------------------------------------------------------- */

/* The last grid line is the end of the last cell. */
static struct place place_in_cells(double position, int cells)
{
  struct place place = place_on(position);
  if (place.line < 0) place = (struct place){0, 0.0};
  if (place.line >= cells) place = (struct place){cells - 1, 1.0};
  return place;
}

/* False: the point lies in a cell of another rank. */
static bool vertex_at(const struct hs_problem *p, const double *field_k, double x_m, double y_m, double *t_k)
{
  const struct hs_rectangle own = hs_own_cells(p);
  const struct place x = place_in_cells(x_m / p->dx_m, p->grid_cells_x);
  const struct place y = place_in_cells(y_m / p->dy_m, p->grid_cells_y);
  const int i = x.line - p->first_x, j = y.line - p->first_y;
  const double *south, *north;
  if (!hs_own_holds(&own, i, j)) return false;
  south = field_k + (size_t)j * (size_t)p->nx + (size_t)i;
  north = south + p->nx;
  *t_k = hs_between(hs_between(south[0], south[1], x.fraction), hs_between(north[0], north[1], x.fraction), y.fraction);
  return true;
}

/* --- cell layout --------------------------------------------------------------------------------- */

/* The cells of a window, by their place in it. */
struct cell_view {
  const struct hs_problem *problem;
  const double *field_k;
  struct hs_rectangle own;
  bool wraps_x, wraps_y;
};

/* Puts a cell beyond a periodic wall back into the window; false beyond an open one. Neighbours of a rank's own cells that
 * other ranks have are in the window. */
static bool cell_exists(const struct cell_view *v, int *ci, int *cj)
{
  const int nx = v->problem->cells_x, ny = v->problem->cells_y;
  if (v->wraps_x) *ci = (*ci + nx) % nx;
  if (v->wraps_y) *cj = (*cj + ny) % ny;
  return *ci >= 0 && *ci < nx && *cj >= 0 && *cj < ny;
}

static double value_of(const struct cell_view *v, int ci, int cj)
{
  return v->field_k[(size_t)cj * (size_t)v->problem->nx + (size_t)ci];
}

/* Mean of the cells p, p + (a, 0), p + (0, b), p + (a, b), those that exist, weighted by conductivity (in the
 * direction of the neighbour; the mean of both directions for a corner). */
static double shared_value(const struct cell_view *v, int ci, int cj, int a, int b)
{
  double heat = 0.0, weight = 0.0;
  for (int q = 0; q < 4; q++) {
    int i = ci + (q & 1 ? a : 0), j = cj + (q >> 1 ? b : 0);
    double kx, ky, k;
    if ((q & 1 && a == 0) || (q >> 1 && b == 0) || !cell_exists(v, &i, &j)) continue;
    hs_problem_cell_conductivity(v->problem, i, j, &kx, &ky);
    k = b == 0 ? kx : a == 0 ? ky : 0.5 * (kx + ky);
    heat += k * value_of(v, i, j);
    weight += k;
  }
  return heat / weight;
}

/* Temperature at the centre of cell (ci, cj) (a = b = 0), in the middle of a face, or in a corner. */
static double lattice_value(const struct cell_view *v, int ci, int cj, int a, int b)
{
  int i = ci + a, j = cj, i2 = ci, j2 = cj + b;
  if (a == 0 && b == 0) return value_of(v, ci, cj);
  if (!cell_exists(v, &i, &j)) return 2.0 * lattice_value(v, ci, cj, 0, b) - lattice_value(v, ci, cj, -a, b);
  if (!cell_exists(v, &i2, &j2)) return 2.0 * lattice_value(v, ci, cj, a, 0) - lattice_value(v, ci, cj, a, -b);
  return shared_value(v, ci, cj, a, b);
}

/* Offset of a position (in spacings from the first centre) from centre c: within -1/2 .. 1/2, exact on the lattice. */
static double offset_from(double position, int c)
{
  const double doubled = 2.0 * position, nearest = round(doubled);
  if (fabs(doubled - nearest) <= ON_NODE) position = 0.5 * nearest;
  return fmax(-0.5, fmin(0.5, position - c));
}

static int home_of(double position, int cells)
{
  const double c = floor(position + 0.5);
  return c < 0.0 ? 0 : c > cells - 1 ? cells - 1 : (int)c;
}

/* False: the point lies in a cell of another rank. */
static bool cell_at(const struct cell_view *v, double x_m, double y_m, double *t_k)
{
  const struct hs_problem *p = v->problem;
  const double x = x_m / p->dx_m - 0.5, y = y_m / p->dy_m - 0.5;
  const int home_i = home_of(x, p->grid_cells_x), home_j = home_of(y, p->grid_cells_y);
  const double dx = offset_from(x, home_i), dy = offset_from(y, home_j);
  const int a = dx < 0.0 ? -1 : dx > 0.0 ? 1 : 0, b = dy < 0.0 ? -1 : dy > 0.0 ? 1 : 0;
  const int ci = home_i - p->first_x, cj = home_j - p->first_y;
  if (!hs_own_holds(&v->own, ci, cj)) return false;
  *t_k = hs_between(hs_between(lattice_value(v, ci, cj, 0, 0), lattice_value(v, ci, cj, a, 0), 2.0 * fabs(dx)),
                    hs_between(lattice_value(v, ci, cj, 0, b), lattice_value(v, ci, cj, a, b), 2.0 * fabs(dx)),
                    2.0 * fabs(dy));
  return true;
}

/* --- cells that touch a point -------------------------------------------------------------------- */

/* First and last cell that touches a position (in spacings from the wall). */
static void cells_touching(double position, int cells, int *first, int *last)
{
  const struct place place = place_on(position);
  *last = place.line < cells ? place.line : cells - 1;
  *first = place.fraction == 0.0 && place.line > 0 ? place.line - 1 : *last;
}

/* Cell k, of HS_TOUCHED_MOST, of those that touch a point, in the whole grid; false: there are fewer. */
static bool touching(const struct hs_problem *p, double x_m, double y_m, int k, int *gi, int *gj)
{
  int i1, j1;
  cells_touching(x_m / p->dx_m, p->grid_cells_x, gi, &i1);
  cells_touching(y_m / p->dy_m, p->grid_cells_y, gj, &j1);
  *gi += k & 1;
  *gj += k >> 1;
  return *gi <= i1 && *gj <= j1;
}

/* The same where it is this rank's, in the window, and of the material. */
static bool touching_here(const struct hs_problem *p, double x_m, double y_m, int material, int k, int *ci, int *cj)
{
  const struct hs_rectangle own = hs_own_cells(p);
  if (!touching(p, x_m, y_m, k, ci, cj)) return false;
  *ci -= p->first_x;
  *cj -= p->first_y;
  return hs_own_holds(&own, *ci, *cj) && hs_problem_cell_material(p, *ci, *cj) == material;
}

/* Slope per spacing of cell (ci, cj) in direction (a, b) within its material, towards the point if possible. */
static double slope_within(const struct cell_view *v, int ci, int cj, int a, int b)
{
  const int material = hs_problem_cell_material(v->problem, ci, cj);
  for (int sign = 1; sign >= -1; sign -= 2) {
    int i = ci + sign * a, j = cj + sign * b;
    if (cell_exists(v, &i, &j) && hs_problem_cell_material(v->problem, i, j) == material)
      return sign * (value_of(v, i, j) - value_of(v, ci, cj));
  }
  return 0.0;
}

/* What this rank's cells of a material say about a point. */
static void material_at(const struct cell_view *v, double x_m, double y_m, int material, struct hs_telling *telling)
{
  const struct hs_problem *p = v->problem;
  for (int k = 0; k < HS_TOUCHED_MOST; k++) {
    int ci, cj;
    double dx, dy, value;
    if (!touching_here(p, x_m, y_m, material, k, &ci, &cj)) continue;
    dx = offset_from(x_m / p->dx_m - 0.5, p->first_x + ci);
    dy = offset_from(y_m / p->dy_m - 0.5, p->first_y + cj);
    value = value_of(v, ci, cj);
    if (dx != 0.0) value += fabs(dx) * slope_within(v, ci, cj, dx < 0.0 ? -1 : 1, 0);
    if (dy != 0.0) value += fabs(dy) * slope_within(v, ci, cj, 0, dy < 0.0 ? -1 : 1);
    telling->value[k] = value;
    telling->told[k] = 1.0;
  }
}

int hs_point_touched(const struct hs_problem *problem, double x_m, double y_m, int material)
{
  int count = 0, ci, cj;
  for (int k = 0; k < HS_TOUCHED_MOST; k++) count += touching_here(problem, x_m, y_m, material, k, &ci, &cj);
  return count;
}

/* --- all ----------------------------------------------------------------------------------------- */

void hs_point_tell(const struct hs_problem *problem, const double *field_k, double x_m, double y_m, int material,
                   struct hs_telling *telling)
{
  const struct cell_view view = {problem, field_k, hs_own_cells(problem), hs_own_wraps_x(problem),
                                 hs_own_wraps_y(problem)};
  const bool cell = problem->layout == HS_LAYOUT_CELL;
  memset(telling, 0, sizeof *telling);
  if (cell && material >= 0)
    material_at(&view, x_m, y_m, material, telling);
  else if (cell ? cell_at(&view, x_m, y_m, &telling->value[0])
                : vertex_at(problem, field_k, x_m, y_m, &telling->value[0]))
    telling->told[0] = 1.0;
}

double hs_telling_mean(const struct hs_telling *telling)
{
  double sum = 0.0, count = 0.0;
  for (int k = 0; k < HS_TOUCHED_MOST; k++) {
    sum += telling->value[k];
    count += telling->told[k];
  }
  return count > 0.0 ? sum / count : NAN;
}
