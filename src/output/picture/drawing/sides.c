/* The walls in the drawing: strips along the sides of the plate. */
#include "output/picture/drawing/sides.h"

#include <math.h>

#include "output/picture/drawing/walls.h"

static struct hs_box segment_box(const struct hs_sheet *sheet, const struct hs_segment *segment)
{
  const struct hs_box *plot = &sheet->plot;
  const double x0 = hs_sheet_x(sheet, segment->from_m), x1 = hs_sheet_x(sheet, segment->to_m);
  const double y0 = hs_sheet_y(sheet, segment->to_m), y1 = hs_sheet_y(sheet, segment->from_m);
  switch (segment->side) {
  case HS_WEST: return (struct hs_box){plot->x - HS_STRIP, y0, HS_STRIP, y1 - y0};
  case HS_EAST: return (struct hs_box){plot->x + plot->width, y0, HS_STRIP, y1 - y0};
  case HS_SOUTH: return (struct hs_box){x0, plot->y + plot->height, x1 - x0, HS_STRIP};
  default: return (struct hs_box){x0, plot->y - HS_STRIP, x1 - x0, HS_STRIP};
  }
}

/* A white line where a segment ends within its side. */
static void draw_seam(const struct hs_sheet *sheet, const struct hs_segment *segment, const struct hs_box *box)
{
  const bool upright = segment->side == HS_WEST || segment->side == HS_EAST;
  const double length_m = upright ? sheet->problem->ly_m : sheet->problem->lx_m;
  if (segment->to_m > length_m * (1.0 - 1e-6)) return;
  cairo_set_source_rgb(sheet->cr, 1.0, 1.0, 1.0);
  cairo_set_line_width(sheet->cr, 2.0);
  cairo_move_to(sheet->cr, upright ? box->x : box->x + box->width, box->y);
  cairo_rel_line_to(sheet->cr, upright ? HS_STRIP : 0.0, upright ? 0.0 : HS_STRIP);
  cairo_stroke(sheet->cr);
}

/* Does the cross of a probe come near? */
static bool is_probed(const struct hs_sheet *sheet, double x, double y)
{
  const struct hs_config *config = sheet->problem->config;
  for (int k = 0; k < config->probe_count; k++) {
    const struct hs_config_probe *probe = &config->probes[k];
    for (int end = 0; end <= probe->is_line; end++)
      if (hypot(hs_sheet_x(sheet, end ? probe->x1_m : probe->x_m) - x,
                hs_sheet_y(sheet, end ? probe->y1_m : probe->y_m) - y) < HS_STRIP + HS_CROSS)
        return true;
  }
  return false;
}

/* The number stands in the middle of the strip, or elsewhere on it where a probe is. */
static void draw_number(const struct hs_sheet *sheet, const struct hs_box *box, int number)
{
  static const double shares[] = {0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8};
  const bool lying = box->width > box->height;
  const double width = hs_strip_number_width(sheet->cr, number);
  double x = 0.0, y = 0.0;
  if (fmax(box->width, box->height) < (lying ? width : HS_STRIP)) return;
  for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
    x = box->x + (lying ? shares[k] : 0.5) * box->width;
    y = box->y + (lying ? 0.5 : shares[k]) * box->height;
    if (!is_probed(sheet, x, y)) break;
  }
  hs_strip_number(sheet->cr, x, y, number);
}

void hs_sides_draw(const struct hs_sheet *sheet)
{
  const struct hs_problem *problem = sheet->problem;
  struct hs_wall_range range;
  struct hs_strip strip;
  hs_wall_range_find(problem, &range);
  for (int k = 0; k < problem->segment_count; k++) {
    const struct hs_box box = segment_box(sheet, &problem->segments[k]);
    hs_strip_find(problem, &range, &problem->segments[k], &strip);
    hs_strip_paint(sheet->cr, &box, &strip);
    draw_seam(sheet, &problem->segments[k], &box);
  }
  hs_draw_frame(sheet->cr, &sheet->plot);
}

void hs_sides_number(const struct hs_sheet *sheet)
{
  for (int k = 0; k < sheet->problem->segment_count; k++) {
    const struct hs_box box = segment_box(sheet, &sheet->problem->segments[k]);
    draw_number(sheet, &box, k + 1);
  }
}
