/* How large a shape is: its outline, its area within the domain, that of its cells, where it is thinnest.
 *
 * Areas of convex shapes are those of the outline clipped at the domain's edge (Sutherland and Hodgman, Reentrant polygon
 * clipping, CACM 17, 1974). A round outline of 720 corners is too small by 1.3e-5 of its area, which is corrected.
 * Areas of polygons are integrated slice by slice.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "problem/cells/shape.h"

#define ROUND_CORNERS 720
#define SLICES 4096 /* of a polygon, for its area */

static int corner_count(const struct hs_config_shape *shape)
{
  switch (shape->kind) {
  case HS_SHAPE_CIRCLE:
  case HS_SHAPE_ELLIPSE: return ROUND_CORNERS;
  case HS_SHAPE_POLYGON: return shape->point_count;
  case HS_SHAPE_NODE: return 0;
  default: return 4;
  }
}

static struct hs_point round_corner(const struct hs_config_shape *shape, int k)
{
  const bool circle = shape->kind == HS_SHAPE_CIRCLE;
  const double angle = circle ? 0.0 : shape->angle_deg * (M_PI / 180.0), turn = 2.0 * M_PI * k / ROUND_CORNERS;
  const double u = (circle ? shape->radius_m : shape->rx_m) * cos(turn);
  const double v = (circle ? shape->radius_m : shape->ry_m) * sin(turn);
  const struct hs_point point = {shape->x_m + u * cos(angle) - v * sin(angle),
                                 shape->y_m + u * sin(angle) + v * cos(angle)};
  return point;
}

static struct hs_point bar_corner(const struct hs_config_shape *shape, int k)
{
  const double dx = shape->x1_m - shape->x0_m, dy = shape->y1_m - shape->y0_m, length = hypot(dx, dy);
  const double half = length > 0.0 ? 0.5 * shape->width_m / length : 0.0, sign = k < 2 ? 1.0 : -1.0;
  const bool far = k == 1 || k == 2;
  const struct hs_point point = {(far ? shape->x1_m : shape->x0_m) + sign * half * dy,
                                 (far ? shape->y1_m : shape->y0_m) - sign * half * dx};
  return point;
}

hs_status hs_shape_outline(const struct hs_config_shape *shape, double lx_m, double ly_m, struct hs_point **points,
                           int *count, struct hs_error *err)
{
  const bool all = shape->kind == HS_SHAPE_EVERYWHERE;
  const double x0 = all ? 0.0 : shape->x0_m, x1 = all ? lx_m : shape->x1_m;
  const double y0 = all ? 0.0 : shape->y0_m, y1 = all ? ly_m : shape->y1_m;
  hs_status status;
  *count = corner_count(shape);
  status = hs_array_create((void **)points, (size_t)*count, sizeof **points, "the outline of a shape", err);
  if (status) return status;
  for (int k = 0; k < *count; k++) {
    if (shape->kind == HS_SHAPE_POLYGON)
      (*points)[k] = shape->points[k];
    else if (shape->kind == HS_SHAPE_CIRCLE || shape->kind == HS_SHAPE_ELLIPSE)
      (*points)[k] = round_corner(shape, k);
    else if (shape->kind == HS_SHAPE_LINE)
      (*points)[k] = bar_corner(shape, k);
    else
      (*points)[k] = (struct hs_point){k == 1 || k == 2 ? x1 : x0, k >= 2 ? y1 : y0};
  }
  return HS_OK;
}

/* Keeps the part of the outline where sign * (coordinate - limit) <= 0; out has room for twice the corners. */
static int clip(const struct hs_point *in, int count, bool along_x, double sign, double limit, struct hs_point *out)
{
  int kept = 0;
  for (int k = 0; k < count; k++) {
    const struct hs_point a = in[k], b = in[k + 1 < count ? k + 1 : 0];
    const double da = sign * ((along_x ? a.x_m : a.y_m) - limit), db = sign * ((along_x ? b.x_m : b.y_m) - limit);
    if (da <= 0.0) out[kept++] = a;
    if ((da < 0.0 && db > 0.0) || (da > 0.0 && db < 0.0)) {
      const double fraction = da / (da - db);
      out[kept++] = (struct hs_point){a.x_m + fraction * (b.x_m - a.x_m), a.y_m + fraction * (b.y_m - a.y_m)};
    }
  }
  return kept;
}

static double enclosed_area(const struct hs_point *points, int count)
{
  double twice = 0.0;
  for (int k = 0; k < count; k++) {
    const struct hs_point *a = &points[k], *b = &points[k + 1 < count ? k + 1 : 0], *o = &points[0];
    twice += (a->x_m - o->x_m) * (b->y_m - o->y_m) - (b->x_m - o->x_m) * (a->y_m - o->y_m);
  }
  return 0.5 * fabs(twice);
}

/* Length of the horizontal at y_m that lies inside the polygon and in 0..lx; crossings[point_count] is scratch. */
static double polygon_width(const struct hs_config_shape *shape, double y_m, double lx_m, double *crossings)
{
  double width_m = 0.0;
  int count = 0;
  for (int k = 0; k < shape->point_count; k++) {
    const struct hs_point *a = &shape->points[k], *b = &shape->points[k + 1 < shape->point_count ? k + 1 : 0];
    if ((a->y_m > y_m) != (b->y_m > y_m))
      crossings[count++] = a->x_m + (y_m - a->y_m) / (b->y_m - a->y_m) * (b->x_m - a->x_m);
  }
  qsort(crossings, (size_t)count, sizeof *crossings, hs_double_order);
  for (int k = 0; k + 1 < count; k += 2) width_m += fmax(0.0, fmin(lx_m, crossings[k + 1]) - fmax(0.0, crossings[k]));
  return width_m;
}

/* Between the ordinates of two corners the width is linear in y, except where edges cross each other or the domain's edge.
 * So the midpoint rule on slices between corners is exact for simple polygons inside the domain, and close for others. */
static hs_status polygon_area(const struct hs_config_shape *shape, double lx_m, double ly_m, double *area_m2,
                              struct hs_error *err)
{
  const int slices = 2 + SLICES / shape->point_count;
  double *ordinates = NULL, *crossings;
  const hs_status status = hs_array_create((void **)&ordinates, 2 * (size_t)shape->point_count, sizeof *ordinates,
                                           "the area of a polygon", err);
  *area_m2 = 0.0;
  if (status) return status;
  crossings = ordinates + shape->point_count;
  for (int k = 0; k < shape->point_count; k++) ordinates[k] = fmin(ly_m, fmax(0.0, shape->points[k].y_m));
  qsort(ordinates, (size_t)shape->point_count, sizeof *ordinates, hs_double_order);
  for (int k = 0; k + 1 < shape->point_count; k++) {
    const double height_m = (ordinates[k + 1] - ordinates[k]) / slices;
    for (int s = 0; s < slices && height_m > 0.0; s++)
      *area_m2 += height_m * polygon_width(shape, ordinates[k] + (s + 0.5) * height_m, lx_m, crossings);
  }
  free(ordinates);
  return HS_OK;
}

/* Area of the clipped outline of a convex shape. */
static hs_status convex_area(const struct hs_config_shape *shape, double lx_m, double ly_m, double *area_m2,
                             struct hs_error *err)
{
  struct hs_point *outline = NULL, *scratch = NULL, *other;
  int count = 0;
  hs_status status = hs_shape_outline(shape, lx_m, ly_m, &outline, &count, err);
  *area_m2 = 0.0;
  /* each of the four cuts adds a corner to a convex outline; rounding may add a few more */
  if (!status)
    status = hs_array_create((void **)&scratch, 32 * (size_t)count + 1, sizeof *scratch, "the outline of a shape", err);
  if (status) goto out;
  other = scratch + 16 * (size_t)count;
  count = clip(outline, count, true, -1.0, 0.0, scratch);
  count = clip(scratch, count, true, 1.0, lx_m, other);
  count = clip(other, count, false, -1.0, 0.0, scratch);
  count = clip(scratch, count, false, 1.0, ly_m, other);
  *area_m2 = enclosed_area(other, count);
out:
  free(scratch);
  free(outline);
  return status;
}

hs_status hs_shape_area(const struct hs_config_shape *shape, double lx_m, double ly_m, double *area_m2,
                        struct hs_error *err)
{
  const hs_status status = shape->kind == HS_SHAPE_POLYGON ? polygon_area(shape, lx_m, ly_m, area_m2, err)
                                                           : convex_area(shape, lx_m, ly_m, area_m2, err);
  if (shape->kind == HS_SHAPE_CIRCLE || shape->kind == HS_SHAPE_ELLIPSE)
    *area_m2 *= 2.0 * M_PI / ROUND_CORNERS / sin(2.0 * M_PI / ROUND_CORNERS);
  if (shape->part == HS_PART_OUTSIDE) *area_m2 = fmax(0.0, lx_m * ly_m - *area_m2);
  return status;
}

hs_status hs_cells_area(const struct hs_problem *problem, const struct hs_config_shape *shape, double *area_m2,
                        struct hs_error *err)
{
  struct hs_cell_scan scan;
  int64_t cells = 0;
  int row, from, to;
  const hs_status status = hs_cell_scan_start_grid(&scan, problem, shape, err);
  while (!status && hs_cell_scan_next(&scan, &row, &from, &to)) cells += to - from + 1;
  hs_cell_scan_end(&scan);
  *area_m2 = (double)cells * (problem->dx_m * problem->dy_m);
  return status;
}

/* Extent of a polygon's corners across the direction of one of its edges. */
static double extent_across(const struct hs_config_shape *shape, int edge)
{
  const struct hs_point *a = &shape->points[edge], *b = &shape->points[edge + 1 < shape->point_count ? edge + 1 : 0];
  const double dx = b->x_m - a->x_m, dy = b->y_m - a->y_m, length = hypot(dx, dy);
  double low = 0.0, high = 0.0;
  if (!(length > 0.0)) return INFINITY;
  for (int k = 0; k < shape->point_count; k++) {
    const double across = ((shape->points[k].y_m - a->y_m) * dx - (shape->points[k].x_m - a->x_m) * dy) / length;
    low = fmin(low, across);
    high = fmax(high, across);
  }
  return high - low;
}

double hs_shape_thickness(const struct hs_config_shape *shape)
{
  double thickness = INFINITY;
  if (shape->part == HS_PART_OUTSIDE) return thickness;
  switch (shape->kind) {
  case HS_SHAPE_RECTANGLE: return fmin(shape->x1_m - shape->x0_m, shape->y1_m - shape->y0_m);
  case HS_SHAPE_CIRCLE: return 2.0 * shape->radius_m;
  case HS_SHAPE_ELLIPSE: return 2.0 * fmin(shape->rx_m, shape->ry_m);
  case HS_SHAPE_LINE: return fmin(shape->width_m, hypot(shape->x1_m - shape->x0_m, shape->y1_m - shape->y0_m));
  case HS_SHAPE_POLYGON:
    for (int k = 0; k < shape->point_count; k++) thickness = fmin(thickness, extent_across(shape, k));
    return thickness;
  default: return thickness;
  }
}

static int nodes_for(double length_m, double spacing_m, int present, bool vertex)
{
  const double cells = ceil(length_m / spacing_m - 1e-9) + (vertex ? 1.0 : 0.0);
  return cells > present ? (int)fmin(cells, HS_NODES_MOST + 1.0) : present;
}

void hs_shape_grid(const struct hs_problem *problem, const struct hs_config_shape *shape, int cells, int *nx, int *ny)
{
  const bool vertex = problem->layout == HS_LAYOUT_VERTEX;
  const bool upright = shape->kind == HS_SHAPE_RECTANGLE && shape->part == HS_PART_INSIDE;
  const double thickness_m = hs_shape_thickness(shape);
  const double across_x = upright ? shape->x1_m - shape->x0_m : thickness_m;
  const double across_y = upright ? shape->y1_m - shape->y0_m : thickness_m;
  *nx = nodes_for(problem->lx_m, across_x / cells, problem->grid_nx, vertex);
  *ny = nodes_for(problem->ly_m, across_y / cells, problem->grid_ny, vertex);
}
