/* The walls in the drawing of a problem: strips in the colours of their temperatures. */
#ifndef HS_OUTPUT_PICTURE_WALLS_H
#define HS_OUTPUT_PICTURE_WALLS_H

#include "output/picture/canvas/axes.h"
#include "problem/problem.h"

#define HS_STRIP 15.0 /* width of the strip along a wall */
enum { HS_STRIP_STOPS = 17 };

/* The lowest and the highest temperature of walls, surroundings and held shapes; both NaN where there is none. */
struct hs_wall_range {
  double low_k, high_k;
};

/* How a segment is painted. */
struct hs_strip {
  enum hs_wall wall;
  int stops; /* 1: one colour */
  double rgb[HS_STRIP_STOPS][3];
};

void hs_wall_range_find(const struct hs_problem *problem, struct hs_wall_range *range);

/* Colour of a temperature in that range, from blue to red. */
void hs_wall_color(const struct hs_wall_range *range, double temperature_k, double rgb[3]);

/* A wall's own temperature, or its surroundings', at the start of a run and along the segment. */
void hs_strip_find(const struct hs_problem *problem, const struct hs_wall_range *range,
                   const struct hs_segment *segment, struct hs_strip *strip);

void hs_strip_paint(cairo_t *cr, const struct hs_box *box, const struct hs_strip *strip);

/* A number on a strip or in the legend, around (x, y). */
void hs_strip_number(cairo_t *cr, double x, double y, int number);
double hs_strip_number_width(cairo_t *cr, int number);

#endif
