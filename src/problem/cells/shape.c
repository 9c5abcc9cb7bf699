/* Where a shape is: which points and which cells belong to it.
 *
 * A point belongs to a shape if it lies in it or on its edge, with a slack of 1e-9 of the shape's farthest coordinate, so
 * that a node at 3 * 0.1 lies on an edge at 0.3. Polygons follow the even-odd rule (Shimrat, Algorithm 112, CACM 5,
 * 1962). A shape is a figure or, where it means the outside, all but a figure.
 */
#include "problem/cells/shape.h"

#include <math.h>

#define SLACK 1e-9

static double radians(double degrees)
{
  return degrees * (M_PI / 180.0);
}

void hs_figure_bounds(const struct hs_config_shape *shape, double bounds_m[4])
{
  double rx = shape->radius_m, ry = shape->radius_m, x = shape->x_m, y = shape->y_m;
  bounds_m[0] = bounds_m[2] = shape->kind == HS_SHAPE_EVERYWHERE ? -INFINITY : INFINITY;
  bounds_m[1] = bounds_m[3] = -bounds_m[0];
  if (shape->kind == HS_SHAPE_NODE || shape->kind == HS_SHAPE_EVERYWHERE) return;
  if (shape->kind == HS_SHAPE_POLYGON) {
    for (int k = 0; k < shape->point_count; k++) {
      bounds_m[0] = fmin(bounds_m[0], shape->points[k].x_m);
      bounds_m[1] = fmax(bounds_m[1], shape->points[k].x_m);
      bounds_m[2] = fmin(bounds_m[2], shape->points[k].y_m);
      bounds_m[3] = fmax(bounds_m[3], shape->points[k].y_m);
    }
    return;
  }
  if (shape->kind == HS_SHAPE_ELLIPSE) {
    const double c = cos(radians(shape->angle_deg)), s = sin(radians(shape->angle_deg));
    rx = hypot(shape->rx_m * c, shape->ry_m * s);
    ry = hypot(shape->rx_m * s, shape->ry_m * c);
  } else if (shape->kind == HS_SHAPE_RECTANGLE || shape->kind == HS_SHAPE_LINE) {
    const double dx = shape->x1_m - shape->x0_m, dy = shape->y1_m - shape->y0_m, length = hypot(dx, dy);
    const double half = shape->kind == HS_SHAPE_LINE && length > 0.0 ? 0.5 * shape->width_m / length : 0.0;
    bounds_m[0] = fmin(shape->x0_m, shape->x1_m) - half * fabs(dy);
    bounds_m[1] = fmax(shape->x0_m, shape->x1_m) + half * fabs(dy);
    bounds_m[2] = fmin(shape->y0_m, shape->y1_m) - half * fabs(dx);
    bounds_m[3] = fmax(shape->y0_m, shape->y1_m) + half * fabs(dx);
    return;
  }
  bounds_m[0] = x - rx;
  bounds_m[1] = x + rx;
  bounds_m[2] = y - ry;
  bounds_m[3] = y + ry;
}

void hs_shape_bounds(const struct hs_config_shape *shape, double bounds_m[4])
{
  hs_figure_bounds(shape, bounds_m);
  if (shape->part == HS_PART_INSIDE) return;
  bounds_m[0] = bounds_m[2] = -INFINITY;
  bounds_m[1] = bounds_m[3] = INFINITY;
}

struct hs_shape_frame hs_figure_frame(const struct hs_config_shape *shape)
{
  struct hs_shape_frame frame;
  double b[4];
  hs_figure_bounds(shape, b);
  frame.slack_m = SLACK * fmax(fmax(fabs(b[0]), fabs(b[1])), fmax(fabs(b[2]), fabs(b[3])));
  frame.cosine = cos(radians(shape->angle_deg));
  frame.sine = sin(radians(shape->angle_deg));
  return frame;
}

static bool circle_contains(const struct hs_config_shape *shape, double slack_m, double x_m, double y_m)
{
  const double x = x_m - shape->x_m, y = y_m - shape->y_m, radius_m = shape->radius_m + slack_m;
  return x * x + y * y <= radius_m * radius_m;
}

static bool ellipse_contains(const struct hs_config_shape *shape, const struct hs_shape_frame *frame, double x_m,
                             double y_m)
{
  const double x = x_m - shape->x_m, y = y_m - shape->y_m;
  const double u = (frame->cosine * x + frame->sine * y) / (shape->rx_m + frame->slack_m);
  const double v = (frame->cosine * y - frame->sine * x) / (shape->ry_m + frame->slack_m);
  return u * u + v * v <= 1.0;
}

static bool line_contains(const struct hs_config_shape *shape, double slack_m, double x_m, double y_m)
{
  const double dx = shape->x1_m - shape->x0_m, dy = shape->y1_m - shape->y0_m, length = hypot(dx, dy);
  const double x = x_m - shape->x0_m, y = y_m - shape->y0_m;
  double along, across;
  if (!(length > 0.0)) return false;
  along = (x * dx + y * dy) / length;
  across = (y * dx - x * dy) / length;
  return along >= -slack_m && along <= length + slack_m && fabs(across) <= 0.5 * shape->width_m + slack_m;
}

static bool on_edge(const struct hs_point *a, const struct hs_point *b, double slack_m, double x_m, double y_m)
{
  const double dx = b->x_m - a->x_m, dy = b->y_m - a->y_m, square = dx * dx + dy * dy;
  double fraction = square > 0.0 ? ((x_m - a->x_m) * dx + (y_m - a->y_m) * dy) / square : 0.0;
  fraction = fmin(1.0, fmax(0.0, fraction));
  return hypot(a->x_m + fraction * dx - x_m, a->y_m + fraction * dy - y_m) <= slack_m;
}

bool hs_polygon_contains(const struct hs_config_shape *shape, const int *edges, int count, double slack_m, double x_m,
                         double y_m)
{
  bool inside = false;
  for (int k = 0; k < count; k++) {
    const int edge = edges ? edges[k] : k;
    const struct hs_point *a = &shape->points[edge];
    const struct hs_point *b = &shape->points[edge + 1 < shape->point_count ? edge + 1 : 0];
    if (on_edge(a, b, fabs(slack_m), x_m, y_m)) return slack_m >= 0.0;
    if ((a->y_m > y_m) != (b->y_m > y_m) && x_m < a->x_m + (y_m - a->y_m) / (b->y_m - a->y_m) * (b->x_m - a->x_m))
      inside = !inside;
  }
  return inside;
}

bool hs_figure_contains(const struct hs_config_shape *shape, const struct hs_shape_frame *frame, double x_m, double y_m)
{
  const double slack_m = frame->slack_m;
  switch (shape->kind) {
  case HS_SHAPE_RECTANGLE:
    return x_m >= shape->x0_m - slack_m && x_m <= shape->x1_m + slack_m && y_m >= shape->y0_m - slack_m &&
           y_m <= shape->y1_m + slack_m;
  case HS_SHAPE_CIRCLE: return circle_contains(shape, slack_m, x_m, y_m);
  case HS_SHAPE_ELLIPSE: return ellipse_contains(shape, frame, x_m, y_m);
  case HS_SHAPE_POLYGON: return hs_polygon_contains(shape, NULL, shape->point_count, slack_m, x_m, y_m);
  case HS_SHAPE_LINE: return line_contains(shape, slack_m, x_m, y_m);
  case HS_SHAPE_EVERYWHERE: return true;
  case HS_SHAPE_NODE: break;
  }
  return false;
}

bool hs_shape_contains(const struct hs_config_shape *shape, double x_m, double y_m)
{
  struct hs_shape_frame frame = hs_figure_frame(shape);
  if (shape->part == HS_PART_INSIDE) return hs_figure_contains(shape, &frame, x_m, y_m);
  frame.slack_m = -frame.slack_m;
  return !hs_figure_contains(shape, &frame, x_m, y_m);
}

bool hs_problem_cell_in(const struct hs_problem *problem, const struct hs_config_shape *shape, int ci, int cj)
{
  const struct hs_shape_frame frame = hs_figure_frame(shape);
  const bool inside = hs_figure_contains(shape, &frame, (ci + 0.5) * problem->dx_m, (cj + 0.5) * problem->dy_m);
  return inside == (shape->part == HS_PART_INSIDE);
}
