/* Marks differ in colour and in hatching or dashes. */
#include "output/picture/marks.h"

#include <math.h>
#include <stdio.h>

#include "output/picture/axes.h"

static void set_rgb(cairo_t *cr, const double rgb[3], double alpha)
{
  cairo_set_source_rgba(cr, rgb[0], rgb[1], rgb[2], alpha);
}

/* Parallel lines at 45 degrees over the box, `slope` 1 or -1. */
static void hatch(cairo_t *cr, double slope, double gap)
{
  double x0, y0, x1, y1;
  cairo_clip_extents(cr, &x0, &y0, &x1, &y1);
  for (double c = floor((x0 - (y1 - y0)) / gap) * gap; c < x1 + (y1 - y0); c += gap) {
    cairo_move_to(cr, slope > 0.0 ? c : c + (y1 - y0), y1);
    cairo_line_to(cr, slope > 0.0 ? c + (y1 - y0) : c, y0);
  }
  cairo_stroke(cr);
}

void hs_mark_paint(cairo_t *cr, enum hs_mark mark)
{
  static const double source[3] = {0.78, 0.22, 0.05}, held[3] = {0.45, 0.10, 0.40}, loss[3] = {0.10, 0.42, 0.66};
  static const double initial[3] = {0.35, 0.35, 0.35};
  static const double dashes[2] = {5.0, 3.0}, dots[2] = {1.5, 3.0};
  const double *rgb = mark == HS_MARK_SOURCE ? source
                      : mark == HS_MARK_HELD ? held
                      : mark == HS_MARK_LOSS ? loss
                                             : initial;
  cairo_path_t *path = cairo_copy_path(cr);
  cairo_save(cr);
  if (mark == HS_MARK_SOURCE || mark == HS_MARK_HELD) {
    cairo_clip(cr);
    set_rgb(cr, rgb, 0.10);
    cairo_paint(cr);
    set_rgb(cr, rgb, 0.75);
    cairo_set_line_width(cr, 0.8);
    hatch(cr, 1.0, 7.0);
    if (mark == HS_MARK_HELD) hatch(cr, -1.0, 7.0);
  }
  cairo_restore(cr);
  cairo_save(cr);
  cairo_new_path(cr);
  cairo_append_path(cr, path);
  set_rgb(cr, rgb, 1.0);
  cairo_set_line_width(cr, 1.6);
  if (mark == HS_MARK_INITIAL) cairo_set_dash(cr, dashes, 2, 0.0);
  if (mark == HS_MARK_LOSS) cairo_set_dash(cr, dots, 2, 0.0);
  cairo_stroke(cr);
  cairo_restore(cr);
  cairo_path_destroy(path);
}

static const double *wall_rgb(enum hs_wall wall)
{
  static const double colors[][3] = {[HS_WALL_TEMPERATURE] = {0.80, 0.16, 0.16},
                                     [HS_WALL_FLUX] = {0.93, 0.58, 0.10},
                                     [HS_WALL_INSULATED] = {0.55, 0.55, 0.55},
                                     [HS_WALL_CONVECTION] = {0.16, 0.42, 0.78},
                                     [HS_WALL_PERIODIC] = {0.12, 0.58, 0.28}};
  return colors[wall];
}

/* Stripes across the strip. */
static void dash_strip(cairo_t *cr, double x, double y, double width, double height)
{
  static const double dashes[2] = {7.0, 5.0};
  const double thick = fmin(width, height);
  const double x1 = width > height ? x + width : x, y1 = width > height ? y : y + height;
  const double shift_x = width > height ? 0.0 : 0.5 * thick, shift_y = width > height ? 0.5 * thick : 0.0;
  cairo_set_line_width(cr, thick);
  cairo_set_dash(cr, dashes, 2, 0.0);
  cairo_move_to(cr, x + shift_x, y + shift_y);
  cairo_line_to(cr, x1 + shift_x, y1 + shift_y);
  cairo_stroke(cr);
}

static void strip_number(cairo_t *cr, double x, double y, enum hs_wall wall, int number)
{
  char text[16];
  double width;
  snprintf(text, sizeof text, "%d", number);
  width = hs_text_width(cr, 11.5, text) + 5.0;
  if (wall == HS_WALL_PERIODIC) {
    cairo_set_source_rgb(cr, 1.0, 1.0, 1.0);
    cairo_rectangle(cr, x - 0.5 * width, y - 0.5 * HS_STRIP + 1.0, width, HS_STRIP - 2.0);
    cairo_fill(cr);
    set_rgb(cr, wall_rgb(wall), 1.0);
  } else {
    cairo_set_source_rgb(cr, 1.0, 1.0, 1.0);
  }
  hs_draw_text(cr, x, y, 11.5, HS_ALIGN_MIDDLE, INFINITY, 0.0, text);
}

void hs_strip_paint(cairo_t *cr, double x, double y, double width, double height, enum hs_wall wall, int number)
{
  cairo_save(cr);
  set_rgb(cr, wall_rgb(wall), 1.0);
  if (wall == HS_WALL_PERIODIC) {
    dash_strip(cr, x, y, width, height);
  } else {
    cairo_rectangle(cr, x, y, width, height);
    cairo_fill(cr);
  }
  if (number > 0 && fmax(width, height) >= 14.0) strip_number(cr, x + 0.5 * width, y + 0.5 * height, wall, number);
  cairo_restore(cr);
}

void hs_cross_paint(cairo_t *cr, double x, double y)
{
  for (int halo = 1; halo >= 0; halo--) {
    cairo_move_to(cr, x - 4.5, y - 4.5);
    cairo_line_to(cr, x + 4.5, y + 4.5);
    cairo_move_to(cr, x - 4.5, y + 4.5);
    cairo_line_to(cr, x + 4.5, y - 4.5);
    cairo_set_line_width(cr, halo ? 4.0 : 1.7);
    cairo_set_source_rgba(cr, halo, halo, halo, halo ? 0.85 : 1.0);
    cairo_stroke(cr);
  }
}
