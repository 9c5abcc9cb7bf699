/* Extents of nodes.
 *
 * In the vertex layout a node owns half a spacing to either side, cut at the ends of the domain; in the cell layout it
 * owns its cell. Extents are measured in spacings, so that their ends are whole or half numbers: nodes with equal
 * surroundings then get the same bits, which keeps the stencil table small. On periodic walls of the vertex layout the
 * first and the last node are the same, which owns the extents at both ends.
 */
#include "problem/laws/extent.h"

#include <float.h>
#include <math.h>

int hs_extents_of(const struct hs_laws *laws, bool along_x, int index, struct hs_extent extents[HS_EXTENTS])
{
  const struct hs_problem *p = laws->problem;
  const int n = along_x ? p->grid_nx : p->grid_ny;
  const int at = along_x ? hs_problem_column(p, index) : hs_problem_row(p, index);
  const struct hs_extent first = {0.0, 0.5, 0.0}, last = {n - 1.5, n - 1.0, n - 1.0};
  const struct hs_extent inner = {at - 0.5, at + 0.5, at}, cell = {at, at + 1.0, at + 0.5};
  if (p->layout == HS_LAYOUT_CELL) {
    extents[0] = cell;
    return 1;
  }
  if (at > 0 && at < n - 1) {
    extents[0] = inner;
    return 1;
  }
  extents[0] = at == 0 ? first : last;
  if (!(along_x ? laws->twins_x : laws->twins_y)) return 1;
  extents[0] = first;
  extents[1] = last;
  return 2;
}

/* A length in spacings; a value that differs from a whole or half number by rounding alone is made that number. */
static double in_spacings(double length_m, double spacing_m)
{
  const double spacings = length_m / spacing_m, half = 0.5 * round(2.0 * spacings);
  return fabs(spacings - half) <= 16.0 * DBL_EPSILON * fmax(1.0, fabs(spacings)) ? half : spacings;
}

/* Values of a wall are taken at the node if it belongs to the part, not in the part's middle. In a quarter volume the
 * interior half face is evaluated at its end as well, and the two errors of second order cancel. (With the middle, the
 * corner between two open walls would have a residual of order h^2, and the field an error of order h^2 log h.) */
bool hs_extent_cut(const struct hs_problem *p, bool along_x, const struct hs_extent *extent, double from_m, double to_m,
                   struct hs_extent *cut)
{
  const double spacing_m = along_x ? p->dx_m : p->dy_m;
  cut->from = fmax(extent->from, in_spacings(from_m, spacing_m));
  cut->to = fmin(extent->to, in_spacings(to_m, spacing_m));
  cut->at = extent->at >= cut->from && extent->at <= cut->to ? extent->at : 0.5 * cut->from + 0.5 * cut->to;
  return cut->to > cut->from;
}
