/* Axes: ticks at round numbers, and the drawing that all pictures share. */
#ifndef HS_OUTPUT_PICTURE_AXES_H
#define HS_OUTPUT_PICTURE_AXES_H

#include <cairo.h>
#include <stddef.h>

#define HS_AXIS_TICKS 24
#define HS_TEXT_SIZE 15.0 /* of labels, in units of the canvas */

/* Ticks of one axis. Values are shown as offset + label * 10^exponent. */
struct hs_axis {
  int count;
  double position[HS_AXIS_TICKS]; /* 0 at the axis' low end, 1 at its high end */
  char label[HS_AXIS_TICKS][24];
  int exponent;
  char offset[32]; /* as text, "" for none */
};

/* A rectangle on the canvas, y down. */
struct hs_box {
  double x, y, width, height;
};

enum hs_align { HS_ALIGN_LOW, HS_ALIGN_MIDDLE, HS_ALIGN_HIGH };

/* About `wanted` ticks at 1, 2 or 5 times a power of ten for low <= high, both finite. When low equals
 * high there is one tick, in the middle. A common factor or offset is taken out where plain labels would
 * be long (1e308; 293.150001 to 293.150002). */
void hs_axis_linear(struct hs_axis *axis, double low, double high, int wanted);

/* Ticks at powers of ten for the decades low..high (low < high), at most `wanted` labels or so. */
void hs_axis_decades(struct hs_axis *axis, int low, int high, int wanted);

/* "Temperature (K)", "Temperature (1e6 K)", "Temperature - 293.15 K (1e-6 K)" into text[size]. */
void hs_axis_title(const struct hs_axis *axis, const char *quantity, const char *unit, char *text, size_t size);

/* Scales a length to a readable unit: returns the factor and sets *unit ("m", "mm", "um", "nm", "km"). */
double hs_axis_length_unit(double length_m, const char **unit);

/* text in ASCII for the built-in font: accents are dropped, a degree sign becomes "deg", unknown characters '?'. */
void hs_text_to_ascii(const char *text, char *ascii, size_t size);

double hs_text_width(cairo_t *cr, double size, const char *text);
double hs_axis_label_width(cairo_t *cr, const struct hs_axis *axis); /* of the widest label */

/* Text of one line with its reference point at (x, y): horizontally by align, vertically centred. It is made
 * smaller, and cut if that is not enough, to stay within room. angle_rad turns it counter-clockwise. */
void hs_draw_text(cairo_t *cr, double x, double y, double size, enum hs_align align, double room, double angle_rad,
                  const char *text);

/* Frame of the box; ticks and labels below it; to its left; to its right. */
void hs_draw_frame(cairo_t *cr, const struct hs_box *box);
void hs_draw_ticks_below(cairo_t *cr, const struct hs_box *box, const struct hs_axis *axis);
void hs_draw_ticks_left(cairo_t *cr, const struct hs_box *box, const struct hs_axis *axis);
void hs_draw_ticks_right(cairo_t *cr, const struct hs_box *box, const struct hs_axis *axis);

#endif
