/* Where a shape is: which points and which cells belong to it.
 *
 * A point belongs to a shape if it lies in it or on its edge, with a slack of 1e-9 of the shape's farthest coordinate, so
 * that a node at 3 * 0.1 lies on an edge at 0.3. Polygons follow the even-odd rule (Shimrat, Algorithm 112, CACM 5,
 * 1962). In a row of cells membership changes only where the row crosses the outline: the crossings are computed, and only
 * cells near them are tested.
 *
 * A shape is a figure or, where it means the outside, all but a figure: its cells are those that the figure's spans leave.
 */
#include "problem/cells/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"

#define SLACK 1e-9

static double radians(double degrees)
{
  return degrees * (M_PI / 180.0);
}

static void figure_bounds(const struct hs_config_shape *shape, double bounds_m[4])
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
  figure_bounds(shape, bounds_m);
  if (shape->part == HS_PART_INSIDE) return;
  bounds_m[0] = bounds_m[2] = -INFINITY;
  bounds_m[1] = bounds_m[3] = INFINITY;
}

static struct hs_shape_frame shape_frame(const struct hs_config_shape *shape)
{
  struct hs_shape_frame frame;
  double b[4];
  figure_bounds(shape, b);
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

/* edges[count]: those to test; NULL: the first count. A slack below 0 leaves the edge out. */
static bool polygon_contains(const struct hs_config_shape *shape, const int *edges, int count, double slack_m,
                             double x_m, double y_m)
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

/* Is the point in the figure? */
static bool contains(const struct hs_config_shape *shape, const struct hs_shape_frame *frame, double x_m, double y_m)
{
  const double slack_m = frame->slack_m;
  switch (shape->kind) {
  case HS_SHAPE_RECTANGLE:
    return x_m >= shape->x0_m - slack_m && x_m <= shape->x1_m + slack_m && y_m >= shape->y0_m - slack_m &&
           y_m <= shape->y1_m + slack_m;
  case HS_SHAPE_CIRCLE: return circle_contains(shape, slack_m, x_m, y_m);
  case HS_SHAPE_ELLIPSE: return ellipse_contains(shape, frame, x_m, y_m);
  case HS_SHAPE_POLYGON: return polygon_contains(shape, NULL, shape->point_count, slack_m, x_m, y_m);
  case HS_SHAPE_LINE: return line_contains(shape, slack_m, x_m, y_m);
  case HS_SHAPE_EVERYWHERE: return true;
  case HS_SHAPE_NODE: break;
  }
  return false;
}

bool hs_shape_contains(const struct hs_config_shape *shape, double x_m, double y_m)
{
  struct hs_shape_frame frame = shape_frame(shape);
  if (shape->part == HS_PART_INSIDE) return contains(shape, &frame, x_m, y_m);
  frame.slack_m = -frame.slack_m;
  return !contains(shape, &frame, x_m, y_m);
}

bool hs_problem_cell_in(const struct hs_problem *problem, const struct hs_config_shape *shape, int ci, int cj)
{
  const struct hs_shape_frame frame = shape_frame(shape);
  const bool inside = contains(shape, &frame, (ci + 0.5) * problem->dx_m, (cj + 0.5) * problem->dy_m);
  return inside == (shape->part == HS_PART_INSIDE);
}

/* --- spans of cells ------------------------------------------------------------------------------ */

/* Cells whose centres may lie between low and high, and one more on either side. */
static void cell_range(double low_m, double high_m, double spacing_m, int cells, int *first, int *last)
{
  const double from = floor(low_m / spacing_m - 0.5) - 1.0, to = ceil(high_m / spacing_m - 0.5) + 1.0;
  *first = from > 0.0 ? (int)fmin(from, cells) : 0;
  *last = to < cells - 1 ? (int)fmax(to, -1.0) : cells - 1;
}

/* Rectangles: only the cells whose centres lie inside remain. */
static void scan_trim(struct hs_cell_scan *scan)
{
  const struct hs_problem *p = scan->problem;
  const double slack_m = scan->frame.slack_m;
  const struct hs_config_shape *s = scan->shape;
  while (scan->i0 <= scan->i1 && (scan->i0 + 0.5) * p->dx_m < s->x0_m - slack_m) scan->i0++;
  while (scan->i0 <= scan->i1 && (scan->i1 + 0.5) * p->dx_m > s->x1_m + slack_m) scan->i1--;
  while (scan->j0 <= scan->j1 && (scan->j0 + 0.5) * p->dy_m < s->y0_m - slack_m) scan->j0++;
  while (scan->j0 <= scan->j1 && (scan->j1 + 0.5) * p->dy_m > s->y1_m + slack_m) scan->j1--;
}

hs_status hs_cell_scan_start(struct hs_cell_scan *scan, const struct hs_problem *problem,
                             const struct hs_config_shape *shape, struct hs_error *err)
{
  hs_status status;
  double b[4];
  memset(scan, 0, sizeof *scan);
  scan->problem = problem;
  scan->shape = shape;
  scan->frame = shape_frame(shape);
  scan->row = -1;
  scan->solid = shape->kind == HS_SHAPE_RECTANGLE || shape->kind == HS_SHAPE_EVERYWHERE;
  figure_bounds(shape, b);
  cell_range(b[0], b[1], problem->dx_m, problem->cells_x, &scan->i0, &scan->i1);
  cell_range(b[2], b[3], problem->dy_m, problem->cells_y, &scan->j0, &scan->j1);
  if (shape->kind == HS_SHAPE_NODE) scan->j1 = -1;
  if (shape->kind == HS_SHAPE_RECTANGLE) scan_trim(scan);
  scan->i = scan->i0;
  scan->j = scan->j0;
  if (scan->solid) return HS_OK;
  status = hs_array_create((void **)&scan->marks, 4 + (size_t)shape->point_count, sizeof *scan->marks, "a shape", err);
  if (!status)
    status =
        hs_array_create((void **)&scan->edges, 1 + (size_t)shape->point_count, sizeof *scan->edges, "a shape", err);
  return status;
}

static void mark(struct hs_cell_scan *scan, double x_m)
{
  scan->marks[scan->mark_count++] = x_m / scan->problem->dx_m - 0.5;
}

/* Where the row at y_m, relative to the centre, crosses the ellipse. A row that only touches it may miss it by rounding;
 * it gets a mark at the nearest point. */
static void mark_ellipse(struct hs_cell_scan *scan, double y_m)
{
  const struct hs_config_shape *s = scan->shape;
  const struct hs_shape_frame *f = &scan->frame;
  const bool round = s->kind == HS_SHAPE_CIRCLE;
  const double rx = (round ? s->radius_m : s->rx_m) + f->slack_m, ry = (round ? s->radius_m : s->ry_m) + f->slack_m;
  const double c = round ? 1.0 : f->cosine, z = round ? 0.0 : f->sine;
  const double square = c * c / (rx * rx) + z * z / (ry * ry);
  const double half = c * z * (1.0 / (rx * rx) - 1.0 / (ry * ry)) * y_m;
  const double rest = (z * z / (rx * rx) + c * c / (ry * ry)) * y_m * y_m - 1.0;
  const double root = sqrt(fmax(0.0, half * half - square * rest));
  mark(scan, s->x_m + (-half - root) / square);
  mark(scan, s->x_m + (-half + root) / square);
}

/* Where the row at y_m, relative to the bar's first end, crosses the lines along the bar's four edges. */
static void mark_bar(struct hs_cell_scan *scan, double y_m)
{
  const struct hs_config_shape *s = scan->shape;
  const double dx = s->x1_m - s->x0_m, dy = s->y1_m - s->y0_m, length = hypot(dx, dy), slack_m = scan->frame.slack_m;
  const double half = 0.5 * s->width_m + slack_m;
  if (dx != 0.0) {
    mark(scan, s->x0_m + (-slack_m * length - y_m * dy) / dx);
    mark(scan, s->x0_m + ((length + slack_m) * length - y_m * dy) / dx);
  }
  if (dy != 0.0) {
    mark(scan, s->x0_m + (y_m * dx - half * length) / dy);
    mark(scan, s->x0_m + (y_m * dx + half * length) / dy);
  }
}

/* The edges of a polygon that come near the row at y_m (no others can cross it), and where they cross it. Along an almost
 * horizontal edge the crossing is not well defined: the row is then tested cell by cell. */
static void mark_polygon(struct hs_cell_scan *scan, double y_m)
{
  const struct hs_config_shape *s = scan->shape;
  const double slack_m = 2.0 * scan->frame.slack_m;
  scan->edge_count = 0;
  for (int k = 0; k < s->point_count; k++) {
    const struct hs_point *a = &s->points[k], *b = &s->points[k + 1 < s->point_count ? k + 1 : 0];
    const double dx = b->x_m - a->x_m, dy = b->y_m - a->y_m, low = fmin(a->y_m, b->y_m), high = fmax(a->y_m, b->y_m);
    if (low - slack_m > y_m || high + slack_m < y_m) continue;
    scan->edges[scan->edge_count++] = k;
    if (slack_m * hypot(dx, dy) > 0.5 * scan->problem->dx_m * fabs(dy)) scan->flat = true;
    if (dy != 0.0) mark(scan, a->x_m + (fmin(high, fmax(low, y_m)) - a->y_m) / dy * dx);
  }
}

/* Prepares row j: the places, in cells, around which membership may change. */
static void row_begin(struct hs_cell_scan *scan)
{
  const double y_m = (scan->j + 0.5) * scan->problem->dy_m;
  scan->row = scan->j;
  scan->mark_count = 0;
  scan->mark = 0;
  scan->flat = false;
  if (scan->shape->kind == HS_SHAPE_POLYGON)
    mark_polygon(scan, y_m);
  else if (scan->shape->kind == HS_SHAPE_LINE)
    mark_bar(scan, y_m - scan->shape->y0_m);
  else
    mark_ellipse(scan, y_m - scan->shape->y_m);
  qsort(scan->marks, (size_t)scan->mark_count, sizeof *scan->marks, hs_double_order);
}

static bool cell_inside(const struct hs_cell_scan *scan, int i)
{
  const double x_m = (i + 0.5) * scan->problem->dx_m, y_m = (scan->j + 0.5) * scan->problem->dy_m;
  if (scan->shape->kind != HS_SHAPE_POLYGON) return contains(scan->shape, &scan->frame, x_m, y_m);
  return polygon_contains(scan->shape, scan->edges, scan->edge_count, scan->frame.slack_m, x_m, y_m);
}

/* The last cell from i on that certainly is inside or outside as cell i is. */
static int alike(struct hs_cell_scan *scan, int i)
{
  if (scan->flat) return i;
  while (scan->mark < scan->mark_count && !(scan->marks[scan->mark] >= i - 2.0)) scan->mark++;
  if (scan->mark == scan->mark_count) return scan->i1;
  if (scan->marks[scan->mark] <= i + 3.0) return i;
  return (int)fmin(scan->i1, floor(scan->marks[scan->mark]) - 2.0);
}

/* Moves to the first cell from scan->i on whose membership is as wanted, or past the row's end. */
static void seek(struct hs_cell_scan *scan, bool wanted)
{
  while (scan->i <= scan->i1 && cell_inside(scan, scan->i) != wanted) scan->i = alike(scan, scan->i) + 1;
}

/* The next span of the figure. */
static bool span_next(struct hs_cell_scan *scan, int *row, int *from, int *to)
{
  for (; scan->j <= scan->j1; scan->j++, scan->i = scan->i0) {
    if (scan->solid && scan->i <= scan->i1) {
      *row = scan->j++;
      *from = scan->i0;
      *to = scan->i1;
      return true;
    }
    if (scan->solid) continue;
    if (scan->row != scan->j) row_begin(scan);
    seek(scan, true);
    if (scan->i > scan->i1) continue;
    *row = scan->j;
    *from = scan->i;
    seek(scan, false);
    *to = scan->i - 1;
    return true;
  }
  return false;
}

/* The next span that the figure's leave: before the next of these in a row, or behind the last. */
static bool gap_next(struct hs_cell_scan *scan, int *row, int *from, int *to)
{
  struct hs_cell_gaps *gaps = &scan->gaps;
  while (gaps->row < scan->problem->cells_y) {
    const int start = gaps->column;
    if (!gaps->pending) gaps->pending = span_next(scan, &gaps->span_row, &gaps->span_from, &gaps->span_to);
    *row = gaps->row;
    *from = start;
    if (gaps->pending && gaps->span_row == gaps->row) {
      *to = gaps->span_from - 1;
      gaps->column = gaps->span_to + 1;
      gaps->pending = false;
    } else {
      *to = scan->problem->cells_x - 1;
      gaps->column = 0;
      gaps->row++;
    }
    if (*from <= *to) return true;
  }
  return false;
}

bool hs_cell_scan_next(struct hs_cell_scan *scan, int *row, int *from, int *to)
{
  return scan->shape->part == HS_PART_INSIDE ? span_next(scan, row, from, to) : gap_next(scan, row, from, to);
}

void hs_cell_scan_end(struct hs_cell_scan *scan)
{
  free(scan->edges);
  free(scan->marks);
  scan->edges = NULL;
  scan->marks = NULL;
}
