/* Ticks and labels of the pictures.
 *
 * Ticks have a step of 1, 2 or 5 times a power of ten. Numbers beyond 1e5 or below 1e-3 are shown with a common power of
 * ten, and a range that is narrow compared with its distance from zero as a difference from a round offset. So labels
 * are short for every range of doubles. The arithmetic is done on numbers scaled to about 1 and cannot overflow.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "output/picture/axes.h"

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

/* The number 1, 2 or 5 times a power of ten that is about span/wanted. */
static double nice_step(double span, int wanted, int *decimals)
{
  const double raw = span / wanted;
  const int decade = (int)floor(log10(raw));
  const double unit = pow(10.0, decade), mantissa = raw / unit;
  const double factor = mantissa < 1.5 ? 1.0 : mantissa < 3.5 ? 2.0 : mantissa < 7.5 ? 5.0 : 10.0;
  *decimals = decade < 0 ? -decade - (factor == 10.0) : 0;
  return factor * unit;
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
  if (axis->count == HS_AXIS_TICKS) return;
  axis->position[axis->count] = position;
  snprintf(axis->label[axis->count], sizeof axis->label[0], "%.*f", decimals, value == 0.0 ? 0.0 : value);
  axis->count++;
}

void hs_axis_linear(struct hs_axis *axis, double low, double high, int wanted)
{
  const double largest = fmax(fabs(low), fabs(high));
  double step, k;
  int decimals;
  memset(axis, 0, sizeof *axis);
  if (!(high > low)) {
    axis->count = 1;
    axis->position[0] = 0.5;
    snprintf(axis->label[0], sizeof axis->label[0], "%.7g", low);
    return;
  }
  axis->exponent = common_exponent(largest);
  low = scale_down(low, axis->exponent);
  high = scale_down(high, axis->exponent);
  if (high - low < NARROW * scale_down(largest, axis->exponent)) split_offset(axis, &low, &high);
  step = nice_step(high - low, wanted > 1 ? wanted : 1, &decimals);
  for (k = ceil(low / step - 1e-6); k * step <= high + 1e-6 * step; k += 1.0)
    add_tick(axis, fmin(1.0, fmax(0.0, (k * step - low) / (high - low))), decimals, k * step);
}

void hs_axis_decades(struct hs_axis *axis, int low, int high, int wanted)
{
  int decade, stride = 1;
  memset(axis, 0, sizeof *axis);
  while ((high - low) / stride > wanted || (high - low) / stride >= HS_AXIS_TICKS) stride++;
  for (decade = low; decade <= high; decade++) {
    if (decade % stride != 0 || axis->count == HS_AXIS_TICKS) continue;
    axis->position[axis->count] = (double)(decade - low) / (high - low);
    snprintf(axis->label[axis->count], sizeof axis->label[0], "1e%d", decade);
    axis->count++;
  }
}

void hs_axis_title(const struct hs_axis *axis, const char *quantity, const char *unit, char *text, size_t size)
{
  char shift[48] = "", scale[16] = "";
  if (axis->offset[0])
    snprintf(shift, sizeof shift, " %s %s %s", axis->offset[0] == '-' ? "+" : "-",
             axis->offset + (axis->offset[0] == '-'), unit);
  if (axis->exponent != 0) snprintf(scale, sizeof scale, "1e%d ", axis->exponent);
  snprintf(text, size, "%s%s (%s%s)", quantity, shift, scale, unit);
}

double hs_axis_length_unit(double length_m, const char **unit)
{
  static const struct {
    double from_m, factor;
    const char *unit;
  } units[] = {{1e4, 1e-3, "km"}, {0.1, 1.0, "m"}, {1e-4, 1e3, "mm"}, {1e-7, 1e6, "um"}, {1e-10, 1e9, "nm"}};
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

/* The code point at *text, which advances to the next; a malformed sequence counts as U+FFFD of one byte. */
static uint32_t next_code_point(const char **text)
{
  const unsigned char *c = (const unsigned char *)*text;
  const int extra = c[0] < 0x80 ? 0 : c[0] >= 0xf0 ? 3 : c[0] >= 0xe0 ? 2 : c[0] >= 0xc0 ? 1 : -1;
  uint32_t code = extra == 0 ? c[0] : extra > 0 ? c[0] & (0x3fu >> extra) : 0xfffd;
  int k;
  for (k = 1; k <= extra; k++) {
    if ((c[k] & 0xc0) != 0x80) {
      *text += 1;
      return 0xfffd;
    }
    code = code << 6 | (c[k] & 0x3f);
  }
  *text += extra > 0 ? extra + 1 : 1;
  return code;
}

void hs_text_to_ascii(const char *text, char *ascii, size_t size)
{
  static const char latin[] = "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYPsaaaaaaaceeeeiiiidnooooo/ouuuuypy"; /* U+00C0.. */
  size_t used = 0;
  while (*text && used + 1 < size) {
    const uint32_t code = next_code_point(&text);
    char c = '?';
    if (code == 0xb0 && used + 4 < size) {
      memcpy(ascii + used, "deg ", 4);
      used += 4;
      continue;
    }
    if (code >= 0x20 && code < 0x7f) c = (char)code;
    if (code < 0x20 || code == 0xa0) c = ' ';
    if (code >= 0xc0 && code <= 0xff) c = latin[code - 0xc0];
    if (code == 0xb2 || code == 0xb3) c = (char)('2' + (int)(code - 0xb2));
    if (code == 0xb5 || code == 0x3bc) c = 'u';
    if (code == 0x2013 || code == 0x2014 || code == 0x2212) c = '-';
    ascii[used++] = c;
  }
  ascii[used] = '\0';
}

double hs_text_width(cairo_t *cr, double size, const char *text)
{
  cairo_text_extents_t extents;
  cairo_set_font_size(cr, size);
  cairo_text_extents(cr, text, &extents);
  return extents.x_advance;
}

double hs_axis_label_width(cairo_t *cr, const struct hs_axis *axis)
{
  double width = 0.0;
  int k;
  for (k = 0; k < axis->count; k++) width = fmax(width, hs_text_width(cr, HS_TEXT_SIZE, axis->label[k]));
  return width;
}

void hs_draw_text(cairo_t *cr, double x, double y, double size, enum hs_align align, double room, double angle_rad,
                  const char *text)
{
  char shown[256];
  double width = hs_text_width(cr, size, text);
  size_t length;
  snprintf(shown, sizeof shown, "%s", text);
  if (width > room) {
    size = fmax(0.7 * size, size * room / width);
    width = hs_text_width(cr, size, shown);
  }
  for (length = strlen(shown); width > room && length > 4; length--) {
    memcpy(shown + length - 4, "...", 4);
    width = hs_text_width(cr, size, shown);
  }
  cairo_save(cr);
  cairo_set_font_size(cr, size);
  cairo_translate(cr, x, y);
  cairo_rotate(cr, -angle_rad);
  cairo_move_to(cr, align == HS_ALIGN_LOW ? 0.0 : align == HS_ALIGN_MIDDLE ? -0.5 * width : -width, 0.35 * size);
  cairo_show_text(cr, shown);
  cairo_restore(cr);
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
