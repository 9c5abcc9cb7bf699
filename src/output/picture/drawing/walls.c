/* The kinds differ in their patterns: a held temperature is plain, surroundings are dotted, insulation is hatched as in
 * engineering drawings and no material is, a flux has arrows, periodic walls are dashed. */
#include "output/picture/drawing/walls.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/output.h"
#include "problem/value.h"

#define NUMBER_SIZE 10.5
#define ALONE 0.9 /* position on the colours of a temperature that has no other beside it */

/* --- temperatures -------------------------------------------------------------------------------- */

/* The place of a share of a segment, from its south or west end. */
static void place_of(const struct hs_problem *problem, const struct hs_segment *segment, double share, double *x_m,
                     double *y_m)
{
  const double along_m = segment->from_m + share * (segment->to_m - segment->from_m);
  const bool upright = segment->side == HS_WEST || segment->side == HS_EAST;
  *x_m = upright ? (segment->side == HS_EAST ? problem->lx_m : 0.0) : along_m;
  *y_m = upright ? along_m : (segment->side == HS_NORTH ? problem->ly_m : 0.0);
}

/* NaN where there is none. */
static double temperature_at(const struct hs_problem *problem, const struct hs_segment *segment, double share)
{
  double x_m, y_m, value_k;
  if (!segment->temperature) return NAN;
  place_of(problem, segment, share, &x_m, &y_m);
  return hs_value_at(segment->temperature, x_m, y_m, problem->config->time.start_s, &value_k, NULL) ? NAN : value_k;
}

static void widen(struct hs_wall_range *range, double temperature_k)
{
  range->low_k = fmin(range->low_k, temperature_k); /* a NaN changes nothing */
  range->high_k = fmax(range->high_k, temperature_k);
}

void hs_wall_range_find(const struct hs_problem *problem, struct hs_wall_range *range)
{
  const struct hs_config *config = problem->config;
  *range = (struct hs_wall_range){NAN, NAN};
  for (int k = 0; k < problem->segment_count; k++)
    for (int s = 0; s < HS_STRIP_STOPS; s++)
      widen(range, temperature_at(problem, &problem->segments[k], (double)s / (HS_STRIP_STOPS - 1)));
  for (int k = 0; k < config->region_count; k++)
    if (config->regions[k].temperature.text && config->regions[k].temperature.is_number)
      widen(range, config->regions[k].temperature.number);
}

void hs_wall_color(const struct hs_wall_range *range, double temperature_k, double rgb[3])
{
  const double span = 0.5 * range->high_k - 0.5 * range->low_k;
  const double position = span > 0.0 ? (0.5 * temperature_k - 0.5 * range->low_k) / span : ALONE;
  unsigned char bytes[3];
  hs_colormap_rgb(hs_colormap_find("cool-warm"), isnan(position) ? ALONE : position, bytes);
  for (int c = 0; c < 3; c++) rgb[c] = bytes[c] / 255.0;
}

void hs_strip_find(const struct hs_problem *problem, const struct hs_wall_range *range,
                   const struct hs_segment *segment, struct hs_strip *strip)
{
  static const double others[][3] = {[HS_WALL_TEMPERATURE] = {0.0, 0.0, 0.0},
                                     [HS_WALL_FLUX] = {0.93, 0.62, 0.10},
                                     [HS_WALL_INSULATED] = {1.0, 1.0, 1.0},
                                     [HS_WALL_CONVECTION] = {0.0, 0.0, 0.0},
                                     [HS_WALL_PERIODIC] = {0.12, 0.58, 0.28}};
  memset(strip, 0, sizeof *strip);
  strip->wall = segment->kind;
  if (segment->kind != HS_WALL_TEMPERATURE && segment->kind != HS_WALL_CONVECTION) {
    strip->stops = 1;
    memcpy(strip->rgb[0], others[segment->kind], sizeof strip->rgb[0]);
    return;
  }
  strip->stops = hs_value_placed(segment->temperature) ? HS_STRIP_STOPS : 1;
  for (int k = 0; k < strip->stops; k++)
    hs_wall_color(range, temperature_at(problem, segment, (double)k / (HS_STRIP_STOPS - 1)), strip->rgb[k]);
}

/* --- painting ------------------------------------------------------------------------------------ */

/* Colours run from the west or the south end. */
static void set_colors(cairo_t *cr, const struct hs_box *box, const struct hs_strip *strip)
{
  const bool lying = box->width > box->height;
  cairo_pattern_t *pattern;
  if (strip->stops == 1) {
    cairo_set_source_rgb(cr, strip->rgb[0][0], strip->rgb[0][1], strip->rgb[0][2]);
    return;
  }
  pattern = cairo_pattern_create_linear(box->x, box->y + box->height, lying ? box->x + box->width : box->x,
                                        lying ? box->y + box->height : box->y);
  for (int k = 0; k < strip->stops; k++)
    cairo_pattern_add_color_stop_rgb(pattern, (double)k / (strip->stops - 1), strip->rgb[k][0], strip->rgb[k][1],
                                     strip->rgb[k][2]);
  cairo_set_source(cr, pattern);
  cairo_pattern_destroy(pattern);
}

static void hatch(cairo_t *cr, const struct hs_box *box)
{
  const double length = box->width + box->height;
  cairo_set_source_rgb(cr, 0.35, 0.35, 0.35);
  cairo_set_line_width(cr, 1.0);
  for (double c = 0.0; c < length; c += 6.0) {
    cairo_move_to(cr, box->x + c - box->height, box->y + box->height);
    cairo_line_to(cr, box->x + c, box->y);
  }
  cairo_stroke(cr);
  cairo_set_line_width(cr, 1.6);
  cairo_rectangle(cr, box->x, box->y, box->width, box->height);
  cairo_stroke(cr);
}

/* Dots or short strokes across, every `gap` along the middle. */
static void dot(cairo_t *cr, const struct hs_box *box, double gap, bool strokes)
{
  const bool lying = box->width > box->height;
  const double length = lying ? box->width : box->height, thick = lying ? box->height : box->width;
  cairo_set_source_rgba(cr, 1.0, 1.0, 1.0, 0.9);
  cairo_set_line_width(cr, 1.6);
  for (double c = 0.5 * gap; c < length; c += gap) {
    const double x = lying ? box->x + c : box->x + 0.5 * thick, y = lying ? box->y + 0.5 * thick : box->y + c;
    cairo_new_path(cr);
    if (strokes) {
      const double r = 0.28 * thick;
      cairo_move_to(cr, lying ? x : x - r, lying ? y - r : y);
      cairo_line_to(cr, lying ? x : x + r, lying ? y + r : y);
      cairo_stroke(cr);
    } else {
      cairo_arc(cr, x, y, 0.13 * thick, 0.0, 2.0 * M_PI);
      cairo_fill(cr);
    }
  }
}

static void dash(cairo_t *cr, const struct hs_box *box)
{
  static const double dashes[2] = {7.0, 5.0};
  const bool lying = box->width > box->height;
  cairo_set_line_width(cr, fmin(box->width, box->height));
  cairo_set_dash(cr, dashes, 2, 0.0);
  cairo_move_to(cr, lying ? box->x : box->x + 0.5 * box->width, lying ? box->y + 0.5 * box->height : box->y);
  cairo_rel_line_to(cr, lying ? box->width : 0.0, lying ? 0.0 : box->height);
  cairo_stroke(cr);
}

void hs_strip_paint(cairo_t *cr, const struct hs_box *box, const struct hs_strip *strip)
{
  cairo_save(cr);
  cairo_rectangle(cr, box->x, box->y, box->width, box->height);
  cairo_clip(cr);
  set_colors(cr, box, strip);
  if (strip->wall == HS_WALL_PERIODIC)
    dash(cr, box);
  else
    cairo_paint(cr);
  if (strip->wall == HS_WALL_INSULATED) hatch(cr, box);
  if (strip->wall == HS_WALL_CONVECTION) dot(cr, box, 7.0, false);
  if (strip->wall == HS_WALL_FLUX) dot(cr, box, 9.0, true);
  cairo_restore(cr);
}

double hs_strip_number_width(cairo_t *cr, int number)
{
  char text[16];
  snprintf(text, sizeof text, "%d", number);
  return fmax(HS_STRIP - 1.0, hs_text_width(cr, NUMBER_SIZE, text) + 7.0);
}

void hs_strip_number(cairo_t *cr, double x, double y, int number)
{
  const double width = hs_strip_number_width(cr, number), r = 0.5 * HS_STRIP - 0.5;
  char text[16];
  snprintf(text, sizeof text, "%d", number);
  cairo_new_path(cr);
  cairo_arc(cr, x + 0.5 * width - r, y, r, -M_PI_2, M_PI_2);
  cairo_arc(cr, x - 0.5 * width + r, y, r, M_PI_2, 3.0 * M_PI_2);
  cairo_close_path(cr);
  cairo_set_source_rgb(cr, 1.0, 1.0, 1.0);
  cairo_fill_preserve(cr);
  cairo_set_source_rgb(cr, 0.2, 0.2, 0.2);
  cairo_set_line_width(cr, 1.0);
  cairo_stroke(cr);
  cairo_set_source_rgb(cr, 0.0, 0.0, 0.0);
  hs_draw_text(cr, x, y, NUMBER_SIZE, HS_ALIGN_MIDDLE, INFINITY, 0.0, text);
}
