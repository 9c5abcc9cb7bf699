/* As long as the plot's side that it stands at. */
#include "output/picture/temperature/bar.h"

#include <math.h>

#define POINT 12.0 /* length of a pointed end */
#define STOPS 32   /* of the colours, which are linear in between */

double hs_bar_room(cairo_t *cr, const struct hs_bar *bar)
{
  return bar->upright ? 12.0 + hs_axis_label_width(cr, &bar->axis) + 30.0 : 52.0;
}

static void set_map_color(cairo_t *cr, const struct hs_colormap *map, double position)
{
  unsigned char rgb[3];
  hs_colormap_rgb(map, position, rgb);
  cairo_set_source_rgb(cr, rgb[0] / 255.0, rgb[1] / 255.0, rgb[2] / 255.0);
}

/* high: the pointed end of the scale's high end. */
static void draw_point(cairo_t *cr, const struct hs_box *box, bool upright, bool high, const struct hs_colormap *map)
{
  const double x0 = box->x - 0.5, x1 = box->x + box->width + 0.5, y0 = box->y - 0.5, y1 = box->y + box->height + 0.5;
  if (upright) {
    const double base = high ? y0 : y1;
    cairo_move_to(cr, x0, base);
    cairo_line_to(cr, 0.5 * (x0 + x1), base + (high ? -POINT : POINT));
    cairo_line_to(cr, x1, base);
  } else {
    const double base = high ? x1 : x0;
    cairo_move_to(cr, base, y0);
    cairo_line_to(cr, base + (high ? POINT : -POINT), 0.5 * (y0 + y1));
    cairo_line_to(cr, base, y1);
  }
  cairo_close_path(cr);
  set_map_color(cr, map, high);
  cairo_fill_preserve(cr);
  cairo_set_source_rgb(cr, 0.0, 0.0, 0.0);
  cairo_set_line_width(cr, 1.0);
  cairo_stroke(cr);
}

static void fill_bar(cairo_t *cr, const struct hs_box *box, bool upright, const struct hs_colormap *map, bool constant)
{
  cairo_pattern_t *pattern = cairo_pattern_create_linear(box->x, upright ? box->y + box->height : box->y,
                                                         upright ? box->x : box->x + box->width, box->y);
  for (int k = 0; k <= STOPS; k++) {
    unsigned char rgb[3];
    hs_colormap_rgb(map, constant ? 0.5 : (double)k / STOPS, rgb);
    cairo_pattern_add_color_stop_rgb(pattern, (double)k / STOPS, rgb[0] / 255.0, rgb[1] / 255.0, rgb[2] / 255.0);
  }
  cairo_set_source(cr, pattern);
  cairo_pattern_destroy(pattern);
  cairo_rectangle(cr, box->x, box->y, box->width, box->height);
  cairo_fill(cr);
}

void hs_bar_draw(cairo_t *cr, const struct hs_bar *bar, const struct hs_scale *scale, const struct hs_colormap *map,
                 const struct hs_isotherms *isotherms)
{
  const bool above = scale->max_k > scale->high_k, below = scale->min_k < scale->low_k;
  const double cut_low = below ? POINT : 0.0, cut_high = above ? POINT : 0.0;
  struct hs_box box = bar->box;
  if (isnan(scale->low_k)) return;
  if (bar->upright) {
    box.y += cut_high;
    box.height -= cut_low + cut_high;
  } else {
    box.x += cut_low;
    box.width -= cut_low + cut_high;
  }
  fill_bar(cr, &box, bar->upright, map, !(scale->high_k > scale->low_k));
  hs_isotherms_mark(cr, isotherms, &box, map, bar->upright);
  if (above) draw_point(cr, &box, bar->upright, true, map);
  if (below) draw_point(cr, &box, bar->upright, false, map);
  hs_draw_frame(cr, &box);
  if (bar->upright) {
    hs_draw_ticks_right(cr, &box, &bar->axis);
    hs_draw_text(cr, box.x + box.width + 12.0 + hs_axis_label_width(cr, &bar->axis) + 16.0,
                 bar->box.y + 0.5 * bar->box.height, HS_TEXT_SIZE, HS_ALIGN_MIDDLE, bar->box.height, M_PI_2,
                 bar->title);
  } else {
    hs_draw_ticks_below(cr, &box, &bar->axis);
    hs_draw_text(cr, bar->box.x + 0.5 * bar->box.width, box.y + box.height + 42.0, HS_TEXT_SIZE, HS_ALIGN_MIDDLE,
                 bar->box.width, 0.0, bar->title);
  }
}
