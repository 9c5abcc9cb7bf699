/* Ticks and labels of the pictures.
 *
 * Ticks have a step of 1, 2 or 5 times a power of ten. Numbers beyond 1e5 or below 1e-3 are shown with a common power of
 * ten, and a range that is narrow compared with its distance from zero as a difference from a round offset. So labels
 * are short for every range of doubles. The arithmetic is done on numbers scaled to about 1 and cannot overflow.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/picture/canvas/axes.h"

#define NARROW 1e-5 /* a range below this share of its largest value is shown with an offset */
#define TICK_LENGTH 5.0
#define LABEL_GAP 4.0

static int decade_of(double value)
{
  return (int)floor(log10(value));
}

/* value / 10^exponent, in two steps where 10^exponent is subnormal. */
static double scale_down(double value, int exponent)
{
  return exponent < -300 ? value / 1e-300 / pow(10.0, exponent + 300) : value / pow(10.0, exponent);
}

/* The largest number 1, 2 or 5 times a power of ten of which `fewest` lie in every span of that length, and the
 * decimals that its multiples need. */
static double round_step(double span, int fewest, int *decimals)
{
  const double raw = span / fewest * (1.0 + 1e-9);
  const int decade = decade_of(raw);
  const double unit = pow(10.0, decade);
  *decimals = decade < 0 ? -decade : 0;
  return (raw >= 5.0 * unit ? 5.0 : raw >= 2.0 * unit ? 2.0 : 1.0) * unit;
}

static int common_exponent(double largest)
{
  if (largest == 0.0 || (largest >= 1e-3 && largest < 1e5)) return 0;
  return decade_of(largest);
}

/* Subtracts a round offset from the scaled range, and scales the rest. */
static void split_offset(struct hs_axis *axis, double *low, double *high)
{
  const double unit = pow(10.0, ceil(log10(*high - *low)));
  const double offset = round((*low + 0.5 * (*high - *low)) / unit) * unit;
  const int digits = decade_of(fmax(fabs(*low), fabs(*high))) - (int)lround(log10(unit)) + 2;
  double scale;
  int exponent;
  snprintf(axis->offset, sizeof axis->offset, "%.*g", digits < 17 ? digits : 17, offset * pow(10.0, axis->exponent));
  *low -= offset;
  *high -= offset;
  exponent = decade_of(fmax(fabs(*low), fabs(*high)));
  scale = pow(10.0, -exponent);
  axis->exponent += exponent;
  if (axis->exponent >= -2 && axis->exponent <= 4) {
    scale = scale * pow(10.0, axis->exponent);
    axis->exponent = 0;
  }
  *low *= scale;
  *high *= scale;
}

static void add_tick(struct hs_axis *axis, double position, int decimals, double value)
{
  char text[sizeof axis->label[0]];
  if (axis->count == HS_AXIS_TICKS) return;
  axis->position[axis->count] = position;
  if (decimals >= 0)
    snprintf(text, sizeof text, "%.*f", decimals, value == 0.0 ? 0.0 : value);
  else
    snprintf(text, sizeof text, "%.*g", -decimals, value);
  hs_text_typeset(text, axis->label[axis->count++], sizeof axis->label[0]);
}

void hs_axis_linear(struct hs_axis *axis, double low, double high, int fewest)
{
  const double largest = fmax(fabs(low), fabs(high));
  double step, k;
  int decimals;
  memset(axis, 0, sizeof *axis);
  if (!(high > low)) {
    add_tick(axis, 0.5, -7, low);
    return;
  }
  axis->exponent = common_exponent(largest);
  low = scale_down(low, axis->exponent);
  high = scale_down(high, axis->exponent);
  if (high - low < NARROW * scale_down(largest, axis->exponent)) split_offset(axis, &low, &high);
  step = round_step(high - low, fewest > 1 ? fewest : 1, &decimals);
  for (k = ceil(low / step - 1e-6); k * step <= high + 1e-6 * step; k += 1.0)
    add_tick(axis, fmin(1.0, fmax(0.0, (k * step - low) / (high - low))), decimals, k * step);
}

void hs_axis_length(struct hs_axis *axis, double length, int fewest, double gap)
{
  hs_axis_linear(axis, 0.0, length, fewest);
  if (!(length > 0.0) || axis->count == HS_AXIS_TICKS || axis->position[axis->count - 1] > 1.0 - 1e-6) return;
  while (axis->count > 1 && axis->position[axis->count - 1] > 1.0 - gap) axis->count--;
  add_tick(axis, 1.0, -5, scale_down(length, axis->exponent));
}

void hs_axis_decades(struct hs_axis *axis, int low, int high, int wanted)
{
  int decade, stride = 1;
  memset(axis, 0, sizeof *axis);
  while ((high - low) / stride > wanted || (high - low) / stride >= HS_AXIS_TICKS) stride++;
  for (decade = low; decade <= high; decade++) {
    char text[16];
    if (decade % stride != 0 || axis->count == HS_AXIS_TICKS) continue;
    axis->position[axis->count] = (double)(decade - low) / (high - low);
    snprintf(text, sizeof text, "1e%d", decade);
    hs_text_typeset(text, axis->label[axis->count++], sizeof axis->label[0]);
  }
}

void hs_axis_title(const struct hs_axis *axis, const char *quantity, const char *unit, char *text, size_t size)
{
  char shift[48] = "", scale[16] = "", whole[160];
  if (axis->offset[0])
    snprintf(shift, sizeof shift, " %s %s %s", axis->offset[0] == '-' ? "+" : "−",
             axis->offset + (axis->offset[0] == '-'), unit);
  if (axis->exponent != 0) snprintf(scale, sizeof scale, "1e%d ", axis->exponent);
  snprintf(whole, sizeof whole, "%s%s (%s%s)", quantity, shift, scale, unit);
  hs_text_typeset(whole, text, size);
}

double hs_axis_length_unit(double length_m, const char **unit)
{
  static const struct {
    double from_m, factor;
    const char *unit;
  } units[] = {{1e4, 1e-3, "km"}, {0.1, 1.0, "m"}, {1e-4, 1e3, "mm"}, {1e-7, 1e6, "µm"}, {1e-10, 1e9, "nm"}};
  size_t k;
  *unit = "m";
  if (length_m >= 1e8) return 1.0;
  for (k = 0; k < sizeof units / sizeof units[0]; k++)
    if (length_m >= units[k].from_m) {
      *unit = units[k].unit;
      return units[k].factor;
    }
  return 1.0;
}

double hs_axis_label_width(cairo_t *cr, const struct hs_axis *axis)
{
  double width = 0.0;
  int k;
  for (k = 0; k < axis->count; k++) width = fmax(width, hs_text_width(cr, HS_TEXT_SIZE, axis->label[k]));
  return width;
}

void hs_draw_frame(cairo_t *cr, const struct hs_box *box)
{
  cairo_set_source_rgb(cr, 0.0, 0.0, 0.0);
  cairo_set_line_width(cr, 1.0);
  cairo_rectangle(cr, box->x - 0.5, box->y - 0.5, box->width + 1.0, box->height + 1.0);
  cairo_stroke(cr);
}

void hs_draw_ticks_below(cairo_t *cr, const struct hs_box *box, const struct hs_axis *axis)
{
  const double bottom = box->y + box->height + 0.5;
  int k;
  for (k = 0; k < axis->count; k++) {
    const double x = box->x + axis->position[k] * box->width;
    cairo_move_to(cr, x, bottom);
    cairo_line_to(cr, x, bottom + TICK_LENGTH);
    cairo_stroke(cr);
    hs_draw_text(cr, x, bottom + TICK_LENGTH + LABEL_GAP + 0.5 * HS_TEXT_SIZE, HS_TEXT_SIZE, HS_ALIGN_MIDDLE, INFINITY,
                 0.0, axis->label[k]);
  }
}

/* Ticks at the vertical line x, pointing away from the box in direction -1 (left) or 1. */
static void draw_ticks_beside(cairo_t *cr, const struct hs_box *box, const struct hs_axis *axis, double x,
                              int direction)
{
  int k;
  for (k = 0; k < axis->count; k++) {
    const double y = box->y + (1.0 - axis->position[k]) * box->height;
    cairo_move_to(cr, x, y);
    cairo_line_to(cr, x + direction * TICK_LENGTH, y);
    cairo_stroke(cr);
    hs_draw_text(cr, x + direction * (TICK_LENGTH + LABEL_GAP), y, HS_TEXT_SIZE,
                 direction < 0 ? HS_ALIGN_HIGH : HS_ALIGN_LOW, INFINITY, 0.0, axis->label[k]);
  }
}

void hs_draw_ticks_left(cairo_t *cr, const struct hs_box *box, const struct hs_axis *axis)
{
  draw_ticks_beside(cr, box, axis, box->x - 0.5, -1);
}

void hs_draw_ticks_right(cairo_t *cr, const struct hs_box *box, const struct hs_axis *axis)
{
  draw_ticks_beside(cr, box, axis, box->x + box->width + 0.5, 1);
}
