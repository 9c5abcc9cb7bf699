/* Marks differ in colour and in hatching or dashes. */
#include "output/picture/canvas/marks.h"

#include <math.h>

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
