/* Lines of equal temperature over the heatmap and its colour bar. */
#ifndef HS_OUTPUT_PICTURE_ISOTHERMS_H
#define HS_OUTPUT_PICTURE_ISOTHERMS_H

#include "output/picture/axes.h"
#include "output/picture/raster.h"

/* Draws `count` isotherms, evenly spaced between the ends of the colour scale, into box; nodes holds the field at
 * nodes. Each line is black or white, whichever stands out from its own colour. */
void hs_isotherms_draw(cairo_t *cr, const struct hs_box *box, const struct hs_raster *nodes,
                       const struct hs_colormap *map, int count);

/* The same isotherms as lines across the colour bar. */
void hs_isotherms_mark(cairo_t *cr, const struct hs_box *bar, const struct hs_colormap *map, int count);

#endif
