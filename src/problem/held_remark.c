/* Remarks on shapes that hold a temperature. A shape holds the nodes that lie in it, so the place at which the field meets the
 * temperature is that of the outermost of them, up to a spacing inside of the shape's edge: an error of first order. One without
 * nodes is refused before (assembly/refusals.c).
 */
#include <stdio.h>
#include <string.h>

#include "problem/cells/shape.h"
#include "problem/remark.h"

#define FIT 0.005         /* of the area of a rectangle that its nodes may leave out without a warning */
#define FEW_SPACINGS 20.0 /* across a round shape: with that many its heat flow is two hundredths off, or more */

/* Does the shape cover the plate? */
static hs_status holds_all(const struct hs_problem *problem, const struct hs_config_shape *shape, bool *all,
                           struct hs_error *err)
{
  double area_m2 = 0.0;
  const hs_status status = hs_shape_area(shape, problem->lx_m, problem->ly_m, &area_m2, err);
  *all = !status && area_m2 >= problem->lx_m * problem->ly_m * (1.0 - HS_ON_LINE);
  return status;
}

/* One direction of a rectangle. */
struct reach {
  double low_m, high_m, length_m; /* edges, and the plate */
  double first_m, spacing_m;      /* the first node */
};

/* The share of the shape's width within the plate that its nodes span. An edge on the plate's or beyond needs no node; those
 * that lie between nodes are appended to the text. */
static double share_held(const struct reach *r, const char *axis, char *text, size_t size)
{
  const double edges_m[2] = {fmax(r->low_m, 0.0), fmin(r->high_m, r->length_m)};
  double held_m[2];
  for (int k = 0; k < 2; k++) {
    const double slack = hs_line_slack(edges_m[k], r->spacing_m), place = (edges_m[k] - r->first_m) / r->spacing_m;
    const double node = k == 0 ? ceil(place - slack) : floor(place + slack), inside = fabs(node - place);
    const bool at_border = k == 0 ? r->low_m <= slack * r->spacing_m : r->high_m >= r->length_m - slack * r->spacing_m;
    const size_t used = strlen(text);
    held_m[k] = at_border || inside <= slack ? edges_m[k] : r->first_m + node * r->spacing_m;
    if (held_m[k] == edges_m[k]) continue;
    snprintf(text + used, size - used, "%s%s%d by %.3g m (%.2g of a spacing)", used ? ", " : "", axis, k,
             inside * r->spacing_m, inside);
  }
  return edges_m[1] > edges_m[0] ? fmax(held_m[1] - held_m[0], 0.0) / (edges_m[1] - edges_m[0]) : 0.0;
}

/* Its edges either lie on nodes, or the remark says how far off they are. */
static hs_status rectangle_remark(const struct hs_problem *problem, const char *title,
                                  const struct hs_config_shape *shape, struct hs_remarks *remarks, struct hs_error *err)
{
  const struct reach x = {shape->x0_m, shape->x1_m, problem->lx_m, problem->x0_m, problem->dx_m};
  const struct reach y = {shape->y0_m, shape->y1_m, problem->ly_m, problem->y0_m, problem->dy_m};
  char edges[256] = "";
  const double share_x = share_held(&x, "x", edges, sizeof edges), share_y = share_held(&y, "y", edges, sizeof edges);
  if (!edges[0]) return hs_remark(remarks, false, err, "%s: its edges lie on nodes.", title);
  if (shape->part == HS_PART_OUTSIDE)
    return hs_remark(remarks, false, err, "%s: edges lie between nodes; the nearest nodes outside hold it.", title);
  return hs_remark(remarks, !(share_x * share_y >= 1.0 - FIT), err,
                   "%s: the outermost nodes that it holds lie inside of its edges: %s; they span %.4g %% of its area.",
                   title, edges, 100.0 * share_x * share_y);
}

/* Are all sides of a polygon parallel to the axes, and on nodes? */
static bool polygon_is_on_nodes(const struct hs_problem *problem, const struct hs_config_shape *shape)
{
  bool on = shape->kind == HS_SHAPE_POLYGON;
  for (int k = 0; on && k < shape->point_count; k++) {
    const struct hs_point p = shape->points[k], next = shape->points[(k + 1) % shape->point_count];
    on = (p.x_m == next.x_m || p.y_m == next.y_m) &&
         hs_off_line(p.x_m - problem->x0_m, problem->dx_m) <= hs_line_slack(p.x_m, problem->dx_m) &&
         hs_off_line(p.y_m - problem->y0_m, problem->dy_m) <= hs_line_slack(p.y_m, problem->dy_m);
  }
  return on;
}

/* A shape whose edge runs between nodes, at least in places; a warning where few of them, or none, lie across it. */
static hs_status steps_remark(const struct hs_problem *problem, const char *title, const struct hs_config_shape *shape,
                              struct hs_remarks *remarks, struct hs_error *err)
{
  const bool inside = shape->part == HS_PART_INSIDE;
  const double spacings = hs_shape_thickness(shape) / fmax(problem->dx_m, problem->dy_m);
  const bool round = shape->kind == HS_SHAPE_CIRCLE || shape->kind == HS_SHAPE_ELLIPSE;
  const bool few = inside && spacings < (round ? FEW_SPACINGS : 1.0) * (1.0 - HS_ON_LINE);
  char size[100] = "";
  if (few) snprintf(size, sizeof size, " It is %.2g spacings across.", spacings);
  return hs_remark(
      remarks, few, err,
      "%s: where the edge of the %s runs between nodes, the nearest ones %s hold it, up to a spacing off; what "
      "that changes falls with the spacing, not with its square.%s",
      title, hs_shape_name(shape->kind), inside ? "inside" : "outside", size);
}

hs_status hs_held_remark(const struct hs_problem *problem, const char *title, const struct hs_config_shape *shape,
                         struct hs_remarks *remarks, struct hs_error *err)
{
  bool all = shape->kind == HS_SHAPE_EVERYWHERE;
  const hs_status status = all ? HS_OK : holds_all(problem, shape, &all, err);
  if (status) return status;
  if (all) return hs_remark(remarks, true, err, "%s covers the plate: no temperature is left to be found.", title);
  if (shape->kind == HS_SHAPE_RECTANGLE) return rectangle_remark(problem, title, shape, remarks, err);
  if (polygon_is_on_nodes(problem, shape)) return hs_remark(remarks, false, err, "%s: its edges lie on nodes.", title);
  return steps_remark(problem, title, shape, remarks, err);
}
