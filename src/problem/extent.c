/* Extents of nodes.
 *
 * In the vertex layout a node owns half a spacing to either side, cut at the ends of the domain, in the cell
 * layout its cell. They are measured in spacings, where their ends are whole or half numbers: nodes that are alike then
 * get the same bits, which keeps the stencil table small. On periodic walls of the vertex layout the first and the last node
 * are one, which owns both extents at the ends.
 */
#include "problem/extent.h"

#include <float.h>
#include <math.h>

/* The extents that a node owns along an axis; returns how many. */
int hs_extents_of(const struct hs_laws *laws, bool along_x, int index, struct hs_extent extents[HS_EXTENTS])
{
  const struct hs_problem *p = laws->problem;
  const int n = along_x ? p->nx : p->ny, wrap = along_x ? laws->wrap_x : laws->wrap_y;
  const struct hs_extent first = {0.0, 0.5, 0.0}, last = {n - 1.5, n - 1.0, n - 1.0};
  const struct hs_extent inner = {index - 0.5, index + 0.5, index}, cell = {index, index + 1.0, index + 0.5};
  if (p->layout == HS_LAYOUT_CELL) {
    extents[0] = cell;
    return 1;
  }
  if (index > 0 && index < n - 1) {
    extents[0] = inner;
    return 1;
  }
  extents[0] = index == 0 ? first : last;
  if (wrap != 1) return 1;
  extents[0] = first;
  extents[1] = last;
  return 2;
}

/* A length in spacings; what rounding has moved off a half is put back on it. */
static double in_spacings(double length_m, double spacing_m)
{
  const double spacings = length_m / spacing_m, half = 0.5 * round(2.0 * spacings);
  return fabs(spacings - half) <= 16.0 * DBL_EPSILON * fmax(1.0, fabs(spacings)) ? half : spacings;
}

/* The part of an extent that lies in from .. to, m; false when there is none. Wall data act there as they are at the
 * node, if it belongs to the part: in a quarter volume the interior half face, too, is evaluated at its end and not in
 * its middle, and the two errors of second order cancel. (With the middle the corner between two open walls is left
 * with a residual of order h^2, and the field with an error of order h^2 log h.) */
bool hs_extent_cut(const struct hs_problem *p, bool along_x, const struct hs_extent *extent, double from_m, double to_m,
                   struct hs_extent *cut)
{
  const double spacing_m = along_x ? p->dx_m : p->dy_m;
  cut->from = fmax(extent->from, in_spacings(from_m, spacing_m));
  cut->to = fmin(extent->to, in_spacings(to_m, spacing_m));
  cut->at = extent->at >= cut->from && extent->at <= cut->to ? extent->at : 0.5 * cut->from + 0.5 * cut->to;
  return cut->to > cut->from;
}
