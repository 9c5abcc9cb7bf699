/* Axes: ticks at round numbers, and the drawing that all pictures share. */
#ifndef HS_OUTPUT_PICTURE_AXES_H
#define HS_OUTPUT_PICTURE_AXES_H

#include <cairo.h>
#include <stddef.h>

#include "output/picture/canvas/text.h"

#define HS_AXIS_TICKS 208

/* Ticks of one axis. Values are shown as offset + label * 10^exponent. */
struct hs_axis {
  int count;
  double position[HS_AXIS_TICKS]; /* 0 at the axis' low end, 1 at its high end */
  char label[HS_AXIS_TICKS][32];
  int exponent;
  char offset[32]; /* as text, "" for none */
};

/* A rectangle on the canvas, y down. */
struct hs_box {
  double x, y, width, height;
};

/* Ticks at round numbers, at least `fewest` and at most 2.5 times as many, for low <= high, both finite. When low equals
 * high there is one tick, in the middle. A common factor or offset is taken out where plain labels would
 * be long (1e308; 293.150001 to 293.150002). */
void hs_axis_linear(struct hs_axis *axis, double low, double high, int fewest);

/* The same from 0 to length, with a tick at the end, too; round numbers nearer to it than `gap`, a share of the axis, are
 * left out. */
void hs_axis_length(struct hs_axis *axis, double length, int fewest, double gap);

/* Ticks at powers of ten for the decades low..high (low < high), at most `wanted` labels or so. */
void hs_axis_decades(struct hs_axis *axis, int low, int high, int wanted);

/* "Temperature (K)", "Temperature (10⁶ K)", "Temperature − 293.15 K (10⁻⁶ K)" into text[size]. */
void hs_axis_title(const struct hs_axis *axis, const char *quantity, const char *unit, char *text, size_t size);

/* Scales a length to a readable unit: returns the factor and sets *unit ("m", "mm", "µm", "nm", "km"). */
double hs_axis_length_unit(double length_m, const char **unit);

double hs_axis_label_width(cairo_t *cr, const struct hs_axis *axis); /* of the widest label */

/* Frame of the box; ticks and labels below it; to its left; to its right. */
void hs_draw_frame(cairo_t *cr, const struct hs_box *box);
void hs_draw_ticks_below(cairo_t *cr, const struct hs_box *box, const struct hs_axis *axis);
void hs_draw_ticks_left(cairo_t *cr, const struct hs_box *box, const struct hs_axis *axis);
void hs_draw_ticks_right(cairo_t *cr, const struct hs_box *box, const struct hs_axis *axis);

#endif
