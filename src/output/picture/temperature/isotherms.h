/* Lines of equal temperature over the heatmap and its colour bar. */
#ifndef HS_OUTPUT_PICTURE_ISOTHERMS_H
#define HS_OUTPUT_PICTURE_ISOTHERMS_H

#include "output/picture/canvas/axes.h"
#include "output/picture/canvas/room.h"
#include "output/picture/temperature/raster.h"

enum { HS_ISOTHERM_LABELS = 3 }; /* of one isotherm, at most */

struct hs_isotherm {
  double position; /* on the colour scale */
  char label[32];
  struct hs_lines lines; /* on the canvas */
  struct hs_place labels[HS_ISOTHERM_LABELS];
  int label_count;
};

/* Begin with {0}. */
struct hs_isotherms {
  struct hs_isotherm *line; /* [count] */
  int count;
};

/* Round values between the ends of the colour scale: at most `most`, and no less than a third as many. */
void hs_isotherms_choose(const struct hs_scale *scale, int most, struct hs_axis *values);

/* Finds the isotherms of these values in the field at nodes, the outermost of which lie on the edges of box. Errors:
 * HS_ERR_MEMORY. */
hs_status hs_isotherms_create(struct hs_isotherms *isotherms, const struct hs_axis *values,
                              const struct hs_raster *nodes, const struct hs_box *box, struct hs_error *err);

/* Finds places for their values along the lines, where there is room. */
void hs_isotherms_label(struct hs_isotherms *isotherms, cairo_t *cr, struct hs_room *room);

/* Draws lines and values into box; each line is black or white, whichever stands out from its own colour. */
void hs_isotherms_draw(cairo_t *cr, const struct hs_isotherms *isotherms, const struct hs_box *box,
                       const struct hs_colormap *map);

/* The same isotherms as lines across the colour bar, which is upright or lies. */
void hs_isotherms_mark(cairo_t *cr, const struct hs_isotherms *isotherms, const struct hs_box *bar,
                       const struct hs_colormap *map, bool upright);

void hs_isotherms_clear(struct hs_isotherms *isotherms);

#endif
