/* Where a shape may lie.
 *
 * Nodes, rectangles and polygons are drawn inside the domain: one that reaches outside is probably a mistake in a
 * number. Circles, ellipses and lines may be cut by a wall, since a half pipe in a wall is drawn that way; one that
 * misses the domain altogether is refused. Whether two convex figures miss each other is found by looking for a
 * line between them: for polygons along the sides of both (separating axes; Gottschalk, Lin, Manocha 1996), for an
 * ellipse after a mapping that makes it the unit circle.
 */
#include <math.h>

#include "config/check/check.h"
#include "config/check/common.h"

enum { CORNERS = 4 };

static hs_status node_check(struct hs_draft *draft, const struct hs_draft_section *section, const char *name, int index,
                            const char *count_name, int count)
{
  if (index < count) return HS_OK;
  return hs_draft_fail(draft, hs_draft_where(section, name),
                       "[%s] %s = %d lies outside the grid, which has %s = %d nodes. Allowed: integer 0..%d.",
                       section->title, name, index, count_name, count, count - 1);
}

/* One direction of a rectangle: in order and inside the domain; what is outside by rounding is put on the wall. */
static hs_status extent_check(struct hs_draft *draft, const struct hs_draft_section *section, char axis, double *low_m,
                              double *high_m, double length_m)
{
  const char low_name[3] = {axis, '0', '\0'}, high_name[3] = {axis, '1', '\0'};
  const double low_read_m = *low_m, high_read_m = *high_m;
  hs_status status = hs_check_inside(draft, section, low_name, low_m, length_m);

  if (status == HS_OK) status = hs_check_inside(draft, section, high_name, high_m, length_m);
  if (status != HS_OK || *low_m < *high_m) return status;
  return hs_draft_fail(draft, hs_draft_where(section, high_name), "[%s] %s = %.10g must be greater than %s = %.10g.",
                       section->title, high_name, high_read_m, low_name, low_read_m);
}

/* Does a polygon have an area, that is, do its corners not all lie on one line? */
static bool polygon_wide(const struct hs_config_shape *shape)
{
  const struct hs_point *p = shape->points;
  double area_m2 = 0.0, far_m2 = 0.0;
  int k, far = 0;

  for (k = 1; k < shape->point_count; k++) {
    const double x_m = p[k].x_m - p[0].x_m, y_m = p[k].y_m - p[0].y_m;
    if (x_m * x_m + y_m * y_m > far_m2) far = k;
    far_m2 = fmax(far_m2, x_m * x_m + y_m * y_m);
  }
  for (k = 1; k < shape->point_count; k++) {
    const double x_m = p[k].x_m - p[0].x_m, y_m = p[k].y_m - p[0].y_m;
    area_m2 = fmax(area_m2, fabs(x_m * (p[far].y_m - p[0].y_m) - y_m * (p[far].x_m - p[0].x_m)));
  }
  return area_m2 > 1e-12 * far_m2;
}

static hs_status polygon_check(struct hs_draft *draft, const struct hs_draft_section *section,
                               struct hs_config_shape *shape)
{
  const double lx_m = draft->config->grid.lx_m, ly_m = draft->config->grid.ly_m;
  const struct hs_where where = hs_draft_where(section, "points");
  int k;

  if (shape->point_count < 3) {
    return hs_draft_fail(draft, where, "[%s] points has %d corner%s; a polygon needs at least 3, separated by commas.",
                         section->title, shape->point_count, shape->point_count == 1 ? "" : "s");
  }
  for (k = 0; k < shape->point_count; k++) {
    struct hs_point *p = &shape->points[k];
    if (!hs_check_coordinate_in(p->x_m, lx_m) || !hs_check_coordinate_in(p->y_m, ly_m)) {
      return hs_draft_fail(draft, where,
                           "[%s] points: corner %d, at %.10g %.10g, lies outside the domain. Allowed: x from 0 to "
                           "%.10g and y from 0 to %.10g, in m.",
                           section->title, k + 1, p->x_m, p->y_m, lx_m, ly_m);
    }
    p->x_m = hs_check_coordinate_clamp(p->x_m, lx_m);
    p->y_m = hs_check_coordinate_clamp(p->y_m, ly_m);
  }
  if (polygon_wide(shape)) return HS_OK;
  return hs_draft_fail(draft, where, "[%s] points: all corners lie on one line, so the polygon encloses nothing.",
                       section->title);
}

/* Do the projections of two convex figures on the normal of a side of the first leave a gap? */
static bool gap_beside(const struct hs_point *a, const struct hs_point *b)
{
  double normal_x, normal_y, from_a, to_a, from_b, to_b, at;
  int side, k;

  for (side = 0; side < CORNERS; side++) {
    normal_x = a[(side + 1) % CORNERS].y_m - a[side].y_m;
    normal_y = a[side].x_m - a[(side + 1) % CORNERS].x_m;
    from_a = from_b = INFINITY;
    to_a = to_b = -INFINITY;
    for (k = 0; k < CORNERS; k++) {
      at = normal_x * a[k].x_m + normal_y * a[k].y_m;
      from_a = fmin(from_a, at);
      to_a = fmax(to_a, at);
      at = normal_x * b[k].x_m + normal_y * b[k].y_m;
      from_b = fmin(from_b, at);
      to_b = fmax(to_b, at);
    }
    if (from_a > to_b || from_b > to_a) return true;
  }
  return false;
}

/* The corners of the domain, counterclockwise. */
static void domain_corners(const struct hs_config *config, struct hs_point *corners)
{
  const double lx_m = config->grid.lx_m, ly_m = config->grid.ly_m;

  corners[0] = (struct hs_point){0.0, 0.0};
  corners[1] = (struct hs_point){lx_m, 0.0};
  corners[2] = (struct hs_point){lx_m, ly_m};
  corners[3] = (struct hs_point){0.0, ly_m};
}

static bool line_misses(const struct hs_config *config, const struct hs_config_shape *shape)
{
  const double x_m = shape->x1_m - shape->x0_m, y_m = shape->y1_m - shape->y0_m, length_m = hypot(x_m, y_m);
  const double aside_x_m = -y_m / length_m * shape->width_m / 2, aside_y_m = x_m / length_m * shape->width_m / 2;
  const struct hs_point bar[CORNERS] = {{shape->x0_m + aside_x_m, shape->y0_m + aside_y_m},
                                        {shape->x0_m - aside_x_m, shape->y0_m - aside_y_m},
                                        {shape->x1_m - aside_x_m, shape->y1_m - aside_y_m},
                                        {shape->x1_m + aside_x_m, shape->y1_m + aside_y_m}};
  struct hs_point domain[CORNERS];

  domain_corners(config, domain);
  return gap_beside(bar, domain) || gap_beside(domain, bar);
}

/* Square of the distance from the origin to the line segment from a to b. */
static double distance2(struct hs_point a, struct hs_point b)
{
  const double x = b.x_m - a.x_m, y = b.y_m - a.y_m;
  const double along = fmin(fmax(-(a.x_m * x + a.y_m * y) / (x * x + y * y), 0.0), 1.0);
  const double foot_x = a.x_m + along * x, foot_y = a.y_m + along * y;

  return foot_x * foot_x + foot_y * foot_y;
}

/* An ellipse whose centre is outside the domain misses it when none of the domain's sides meets it. */
static bool ellipse_misses(const struct hs_config *config, const struct hs_config_shape *shape, double rx_m,
                           double ry_m, double angle_rad)
{
  const double c = cos(angle_rad), s = sin(angle_rad);
  struct hs_point corners[CORNERS];
  double nearest2 = INFINITY;
  int k;

  if (hs_check_coordinate_in(shape->x_m, config->grid.lx_m) && hs_check_coordinate_in(shape->y_m, config->grid.ly_m)) {
    return false;
  }
  domain_corners(config, corners);
  for (k = 0; k < CORNERS; k++) {
    const double x_m = corners[k].x_m - shape->x_m, y_m = corners[k].y_m - shape->y_m;
    corners[k] = (struct hs_point){(c * x_m + s * y_m) / rx_m, (c * y_m - s * x_m) / ry_m};
  }
  for (k = 0; k < CORNERS; k++) nearest2 = fmin(nearest2, distance2(corners[k], corners[(k + 1) % CORNERS]));
  return nearest2 > 1 + 1e-9;
}

static hs_status shape_misses(struct hs_draft *draft, const struct hs_draft_section *section, const char *what)
{
  return hs_draft_fail(draft, hs_draft_where(section, "shape"),
                       "[%s] the %s lies wholly outside the domain, which reaches from 0 to %.10g m in x and from 0 to "
                       "%.10g m in y.",
                       section->title, what, draft->config->grid.lx_m, draft->config->grid.ly_m);
}

static hs_status line_check(struct hs_draft *draft, const struct hs_draft_section *section,
                            const struct hs_config_shape *shape)
{
  if (!(hypot(shape->x1_m - shape->x0_m, shape->y1_m - shape->y0_m) > 0)) {
    return hs_draft_fail(draft, hs_draft_where(section, "x1"),
                         "[%s] the line has both its ends at the same place, %.10g %.10g.", section->title, shape->x0_m,
                         shape->y0_m);
  }
  return line_misses(draft->config, shape) ? shape_misses(draft, section, "line") : HS_OK;
}

hs_status hs_check_shape(struct hs_draft *draft, const struct hs_draft_section *section, struct hs_config_shape *shape)
{
  const struct hs_config *config = draft->config;
  const double radian = acos(-1.0) / 180;
  hs_status status = HS_OK;

  switch (shape->kind) {
  case HS_SHAPE_NODE:
    status = node_check(draft, section, "i", shape->i, "nx", config->grid.nx);
    return status == HS_OK ? node_check(draft, section, "j", shape->j, "ny", config->grid.ny) : status;
  case HS_SHAPE_RECTANGLE:
    status = extent_check(draft, section, 'x', &shape->x0_m, &shape->x1_m, config->grid.lx_m);
    if (status != HS_OK) return status;
    return extent_check(draft, section, 'y', &shape->y0_m, &shape->y1_m, config->grid.ly_m);
  case HS_SHAPE_CIRCLE:
    if (!ellipse_misses(config, shape, shape->radius_m, shape->radius_m, 0.0)) return HS_OK;
    return shape_misses(draft, section, "circle");
  case HS_SHAPE_ELLIPSE:
    if (!ellipse_misses(config, shape, shape->rx_m, shape->ry_m, shape->angle_deg * radian)) return HS_OK;
    return shape_misses(draft, section, "ellipse");
  case HS_SHAPE_POLYGON: return polygon_check(draft, section, shape);
  case HS_SHAPE_LINE: return line_check(draft, section, shape);
  case HS_SHAPE_EVERYWHERE: break;
  }
  return HS_OK;
}
