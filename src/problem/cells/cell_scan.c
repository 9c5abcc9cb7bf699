/* The cells that belong to a shape, in spans.
 *
 * In a row of cells membership changes only where the row crosses the outline: the crossings are computed, and only cells near
 * them are tested. The cells of an outside are those that the figure's spans leave. Only the rows and columns that a window has
 * are walked over.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "problem/cells/shape.h"

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

/* Moves to stretch k of the columns, or past the last. */
static void columns_enter(struct hs_cell_scan *scan, int k)
{
  const struct hs_stretch *s = &scan->columns[k];
  scan->column = k;
  scan->mark = 0;
  if (k == scan->column_count) return;
  scan->i = s->grid > scan->i0 ? s->grid : scan->i0;
  scan->i_end = s->grid + s->count - 1 < scan->i1 ? s->grid + s->count - 1 : scan->i1;
}

static void rows_enter(struct hs_cell_scan *scan, int k)
{
  const struct hs_stretch *s = &scan->rows[k];
  scan->row = k;
  if (k == scan->row_count) return;
  scan->j = s->grid > scan->j0 ? s->grid : scan->j0;
  scan->j_end = s->grid + s->count - 1 < scan->j1 ? s->grid + s->count - 1 : scan->j1;
}

/* Prepares a scan whose stretches are set. */
static hs_status scan_start(struct hs_cell_scan *scan, const struct hs_problem *problem,
                            const struct hs_config_shape *shape, struct hs_error *err)
{
  hs_status status;
  double b[4];
  scan->problem = problem;
  scan->shape = shape;
  scan->frame = hs_figure_frame(shape);
  scan->solid = shape->kind == HS_SHAPE_RECTANGLE || shape->kind == HS_SHAPE_EVERYWHERE;
  for (int k = 0; k < scan->column_count; k++) scan->width += scan->columns[k].count;
  for (int k = 0; k < scan->row_count; k++) scan->height += scan->rows[k].count;
  hs_figure_bounds(shape, b);
  cell_range(b[0], b[1], problem->dx_m, problem->grid_cells_x, &scan->i0, &scan->i1);
  cell_range(b[2], b[3], problem->dy_m, problem->grid_cells_y, &scan->j0, &scan->j1);
  if (shape->kind == HS_SHAPE_NODE) scan->j1 = -1;
  if (shape->kind == HS_SHAPE_RECTANGLE) scan_trim(scan);
  rows_enter(scan, 0);
  scan->column = -1;
  if (scan->solid) return HS_OK;
  status = hs_array_create((void **)&scan->marks, 4 + (size_t)shape->point_count, sizeof *scan->marks, "a shape", err);
  if (!status)
    status =
        hs_array_create((void **)&scan->edges, 1 + (size_t)shape->point_count, sizeof *scan->edges, "a shape", err);
  return status;
}

hs_status hs_cell_scan_start(struct hs_cell_scan *scan, const struct hs_problem *problem,
                             const struct hs_config_shape *shape, struct hs_error *err)
{
  memset(scan, 0, sizeof *scan);
  scan->column_count = hs_problem_cell_stretches(problem, true, scan->columns);
  scan->row_count = hs_problem_cell_stretches(problem, false, scan->rows);
  return scan_start(scan, problem, shape, err);
}

hs_status hs_cell_scan_start_grid(struct hs_cell_scan *scan, const struct hs_problem *problem,
                                  const struct hs_config_shape *shape, struct hs_error *err)
{
  memset(scan, 0, sizeof *scan);
  scan->columns[0].count = problem->grid_cells_x;
  scan->rows[0].count = problem->grid_cells_y;
  scan->column_count = scan->row_count = 1;
  return scan_start(scan, problem, shape, err);
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
  scan->mark_count = 0;
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
  if (scan->shape->kind != HS_SHAPE_POLYGON) return hs_figure_contains(scan->shape, &scan->frame, x_m, y_m);
  return hs_polygon_contains(scan->shape, scan->edges, scan->edge_count, scan->frame.slack_m, x_m, y_m);
}

/* The last cell from i on that certainly is inside or outside as cell i is. */
static int alike(struct hs_cell_scan *scan, int i)
{
  if (scan->flat) return i;
  while (scan->mark < scan->mark_count && !(scan->marks[scan->mark] >= i - 2.0)) scan->mark++;
  if (scan->mark == scan->mark_count) return scan->i_end;
  if (scan->marks[scan->mark] <= i + 3.0) return i;
  return (int)fmin(scan->i_end, floor(scan->marks[scan->mark]) - 2.0);
}

/* Moves to the first cell from scan->i on whose membership is as wanted, or past the last. */
static void seek(struct hs_cell_scan *scan, bool wanted)
{
  while (scan->i <= scan->i_end && cell_inside(scan, scan->i) != wanted) scan->i = alike(scan, scan->i) + 1;
}

/* The next span of the figure between i and i_end. */
static bool span_find(struct hs_cell_scan *scan, int *from, int *to)
{
  if (!scan->solid) seek(scan, true);
  if (scan->i > scan->i_end) return false;
  *from = scan->i;
  if (scan->solid)
    scan->i = scan->i_end + 1;
  else
    seek(scan, false);
  *to = scan->i - 1;
  return true;
}

/* The next span of the figure. */
static bool span_next(struct hs_cell_scan *scan, int *row, int *from, int *to)
{
  for (; scan->row < scan->row_count; rows_enter(scan, scan->row + 1))
    for (; scan->j <= scan->j_end; scan->j++, scan->column = -1) {
      if (scan->column < 0) {
        if (!scan->solid) row_begin(scan);
        columns_enter(scan, 0);
      }
      for (; scan->column < scan->column_count; columns_enter(scan, scan->column + 1)) {
        const int shift = scan->columns[scan->column].from - scan->columns[scan->column].grid;
        if (!span_find(scan, from, to)) continue;
        *row = scan->j + scan->rows[scan->row].from - scan->rows[scan->row].grid;
        *from += shift;
        *to += shift;
        return true;
      }
    }
  return false;
}

/* The next span that the figure's leave: before the next of these in a row, or behind the last. */
static bool gap_next(struct hs_cell_scan *scan, int *row, int *from, int *to)
{
  struct hs_cell_gaps *gaps = &scan->gaps;
  while (gaps->row < scan->height) {
    const int start = gaps->column;
    if (!gaps->pending) gaps->pending = span_next(scan, &gaps->span_row, &gaps->span_from, &gaps->span_to);
    *row = gaps->row;
    *from = start;
    if (gaps->pending && gaps->span_row == gaps->row) {
      *to = gaps->span_from - 1;
      gaps->column = gaps->span_to + 1;
      gaps->pending = false;
    } else {
      *to = scan->width - 1;
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
