/* Remarks on shapes that hold a temperature. A shape holds the nodes that lie in it, so the place at which the field meets the
 * temperature is that of the outermost of them, up to a spacing inside of the shape's edge: an error of first order.
 */
#include <stdio.h>
#include <string.h>

#include "problem/cells/shape.h"
#include "problem/remark.h"

#define FIT 0.005        /* of the area of a rectangle that its nodes may leave out without a warning */
#define FEW_SPACINGS 8.0 /* across a shape with other edges: by then heat flows are a hundredth off */

static double node_x(const struct hs_problem *problem, int i)
{
  return problem->x0_m + i * problem->dx_m;
}

static double node_y(const struct hs_problem *problem, int j)
{
  return problem->y0_m + j * problem->dy_m;
}

/* Does any node lie in the shape? */
static bool reaches_node(const struct hs_problem *problem, const struct hs_config_shape *shape)
{
  double b[4];
  hs_shape_bounds(shape, b);
  for (int j = (int)fmax(0.0, floor((b[2] - problem->y0_m) / problem->dy_m)); j < problem->grid_ny; j++) {
    if (node_y(problem, j) > b[3] + problem->dy_m) break;
    for (int i = (int)fmax(0.0, floor((b[0] - problem->x0_m) / problem->dx_m)); i < problem->grid_nx; i++) {
      if (node_x(problem, i) > b[1] + problem->dx_m) break;
      if (hs_shape_contains(shape, node_x(problem, i), node_y(problem, j))) return true;
    }
  }
  return false;
}

/* Does a convex shape hold all nodes, as it does if it holds those in the corners? */
static bool holds_all(const struct hs_problem *problem, const struct hs_config_shape *shape)
{
  const double x[2] = {node_x(problem, 0), node_x(problem, problem->grid_nx - 1)};
  const double y[2] = {node_y(problem, 0), node_y(problem, problem->grid_ny - 1)};
  bool all = shape->part == HS_PART_INSIDE &&
             (shape->kind == HS_SHAPE_RECTANGLE || shape->kind == HS_SHAPE_CIRCLE || shape->kind == HS_SHAPE_ELLIPSE);
  for (int k = 0; k < 4; k++) all = all && hs_shape_contains(shape, x[k % 2], y[k / 2]);
  return all;
}

/* The part of low..high, within the plate, that is left between the first and the last node in it; the edges that lie between
 * nodes are appended to the text. */
static double part_held(double low_m, double high_m, double first_m, double spacing_m, int count, const char *axis,
                        char *text, size_t size)
{
  const double slack = HS_ON_LINE * fmax(1.0, 1e-3 * fmax(fabs(low_m), fabs(high_m)) / spacing_m);
  const double places[2] = {(low_m - first_m) / spacing_m, (high_m - first_m) / spacing_m};
  const double held[2] = {ceil(fmax(places[0] - slack, 0.0)), floor(fmin(places[1] + slack, count - 1.0))};
  for (int k = 0; k < 2; k++) {
    const double inside = k == 0 ? held[0] - places[0] : places[1] - held[1];
    const size_t used = strlen(text);
    if (places[k] < -slack || places[k] > count - 1 + slack || inside <= slack) continue;
    snprintf(text + used, size - used, "%s%s%d by %.3g m (%.2g of a spacing)", used ? ", " : "", axis, k,
             inside * spacing_m, inside);
  }
  return (held[1] - held[0]) / (fmin(places[1], count - 1.0) - fmax(places[0], 0.0));
}

static hs_status rectangle_remark(const struct hs_problem *problem, const char *title,
                                  const struct hs_config_shape *shape, struct hs_remarks *remarks, struct hs_error *err)
{
  char edges[256] = "";
  const double x =
      part_held(shape->x0_m, shape->x1_m, problem->x0_m, problem->dx_m, problem->grid_nx, "x", edges, sizeof edges);
  const double y =
      part_held(shape->y0_m, shape->y1_m, problem->y0_m, problem->dy_m, problem->grid_ny, "y", edges, sizeof edges);
  if (!edges[0]) return hs_remark(remarks, false, err, "%s: its edges lie on nodes.", title);
  return hs_remark(remarks, !(x * y >= 1.0 - FIT), err,
                   "%s: the outermost nodes that it holds lie inside of its edges: %s; they span %.4g %% of its area.",
                   title, edges, 100.0 * x * y);
}

/* A shape whose thickness is a few spacings, or less than one. */
static hs_status thickness_remark(const struct hs_problem *problem, const char *title,
                                  const struct hs_config_shape *shape, struct hs_remarks *remarks, struct hs_error *err)
{
  const double spacings = hs_shape_thickness(shape) / fmax(problem->dx_m, problem->dy_m);
  const bool few = shape->part == HS_PART_INSIDE && spacings < FEW_SPACINGS * (1.0 - HS_ON_LINE);
  char size[100] = "";
  if (few) snprintf(size, sizeof size, " It is %.2g spacings across.", spacings);
  return hs_remark(remarks, few, err,
                   "%s: the nodes that it holds follow the %s in steps, up to a spacing inside of its edge; what that "
                   "changes falls with the spacing, not with its square.%s",
                   title, hs_shape_name(shape->kind), size);
}

hs_status hs_held_remark(const struct hs_problem *problem, const char *title, const struct hs_config_shape *shape,
                         struct hs_remarks *remarks, struct hs_error *err)
{
  if (shape->kind == HS_SHAPE_EVERYWHERE || holds_all(problem, shape))
    return hs_remark(remarks, true, err, "%s holds every node: no temperature is left to be found.", title);
  if (!reaches_node(problem, shape))
    return hs_remark(remarks, true, err, "%s contains no node: it holds no temperature.", title);
  if (shape->kind == HS_SHAPE_RECTANGLE && shape->part == HS_PART_INSIDE)
    return rectangle_remark(problem, title, shape, remarks, err);
  return thickness_remark(problem, title, shape, remarks, err);
}
