/* Marching squares.
 *
 * In every cell between four nodes an isotherm crosses zero, two or four edges; crossings are placed by linear
 * interpolation and joined. Four crossings (a saddle) are paired by the cell's mean. Neighbouring cells compute the
 * same crossing on their common edge, so short lines with round caps form a continuous one.
 */
#include <math.h>

#include "output/picture/isotherms.h"

#define LINE_WIDTH 0.9

struct point {
  double x, y; /* in cells, y up */
};

static void set_line_color(cairo_t *cr, const struct hs_colormap *map, double value)
{
  unsigned char rgb[3];
  double luma;
  hs_colormap_rgb(map, value, rgb);
  luma = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2];
  if (luma > 120.0)
    cairo_set_source_rgba(cr, 0.0, 0.0, 0.0, 0.75);
  else
    cairo_set_source_rgba(cr, 1.0, 1.0, 1.0, 0.75);
  cairo_set_line_width(cr, LINE_WIDTH);
  cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
}

/* Where an isotherm crosses the cell's edges, in the order south, east, north, west. v: the corners' values from the
 * south-west counter-clockwise, minus that of the isotherm. Returns the number of crossings. */
static int find_crossings(const double v[4], struct point crossing[4])
{
  static const struct point corner[4] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  int k, count = 0;
  for (k = 0; k < 4; k++) {
    const int next = (k + 1) % 4;
    double fraction;
    if ((v[k] < 0.0) == (v[next] < 0.0)) continue;
    fraction = v[k] / (v[k] - v[next]);
    crossing[count].x = corner[k].x + fraction * (corner[next].x - corner[k].x);
    crossing[count].y = corner[k].y + fraction * (corner[next].y - corner[k].y);
    count++;
  }
  return count;
}

static void add_segment(cairo_t *cr, const struct hs_box *box, const struct hs_raster *nodes, int c, int r,
                        struct point from, struct point to)
{
  const double cell_width = box->width / (nodes->columns - 1), cell_height = box->height / (nodes->rows - 1);
  const double bottom = box->y + box->height;
  cairo_move_to(cr, box->x + (c + from.x) * cell_width, bottom - (r + from.y) * cell_height);
  cairo_line_to(cr, box->x + (c + to.x) * cell_width, bottom - (r + to.y) * cell_height);
}

static void add_cell(cairo_t *cr, const struct hs_box *box, const struct hs_raster *nodes, int c, int r, double value)
{
  const double *south = nodes->position + (size_t)r * (size_t)nodes->columns + c;
  const double *north = south + nodes->columns;
  const double v[4] = {south[0] - value, south[1] - value, north[1] - value, north[0] - value};
  struct point p[4];
  int count, shift;
  if (isnan(v[0] + v[1] + v[2] + v[3])) return;
  count = find_crossings(v, p);
  if (count == 2) add_segment(cr, box, nodes, c, r, p[0], p[1]);
  if (count < 4) return;
  shift = (v[0] < 0.0) == (v[0] + v[1] + v[2] + v[3] < 0.0); /* the centre belongs to the south-west corner */
  add_segment(cr, box, nodes, c, r, p[shift ? 0 : 3], p[shift ? 1 : 0]);
  add_segment(cr, box, nodes, c, r, p[shift ? 2 : 1], p[shift ? 3 : 2]);
}

static void draw_isotherm(cairo_t *cr, const struct hs_box *box, const struct hs_raster *nodes, double value)
{
  int c, r;
  for (r = 0; r + 1 < nodes->rows; r++) {
    for (c = 0; c + 1 < nodes->columns; c++) add_cell(cr, box, nodes, c, r, value);
    cairo_stroke(cr); /* row by row: a path of all segments would be slow to fill */
  }
}

void hs_isotherms_draw(cairo_t *cr, const struct hs_box *box, const struct hs_raster *nodes,
                       const struct hs_colormap *map, int count)
{
  int k;
  cairo_save(cr);
  cairo_rectangle(cr, box->x, box->y, box->width, box->height);
  cairo_clip(cr);
  for (k = 1; k <= count; k++) {
    const double value = (double)k / (count + 1);
    set_line_color(cr, map, value);
    draw_isotherm(cr, box, nodes, value);
  }
  cairo_restore(cr);
}

void hs_isotherms_mark(cairo_t *cr, const struct hs_box *bar, const struct hs_colormap *map, int count)
{
  int k;
  cairo_save(cr);
  for (k = 1; k <= count; k++) {
    const double value = (double)k / (count + 1);
    const double y = bar->y + (1.0 - value) * bar->height;
    set_line_color(cr, map, value);
    cairo_move_to(cr, bar->x, y);
    cairo_line_to(cr, bar->x + bar->width, y);
    cairo_stroke(cr);
  }
  cairo_restore(cr);
}
