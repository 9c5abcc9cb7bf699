/* The colour bar of a field's picture. */
#ifndef HS_OUTPUT_PICTURE_BAR_H
#define HS_OUTPUT_PICTURE_BAR_H

#include "output/picture/temperature/isotherms.h"

struct hs_bar {
  struct hs_box box;
  bool upright; /* beside the plot, or lying below it */
  struct hs_axis axis;
  char title[128];
};

#define HS_BAR_THICK 20.0

/* Room that ticks and title need beside it or below. */
double hs_bar_room(cairo_t *cr, const struct hs_bar *bar);

/* A pointed end shows that the field goes beyond the scale. Nothing is drawn where no node is finite. */
void hs_bar_draw(cairo_t *cr, const struct hs_bar *bar, const struct hs_scale *scale, const struct hs_colormap *map,
                 const struct hs_isotherms *isotherms);

#endif
