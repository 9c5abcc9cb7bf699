/* The coldest and the hottest node, marked in the picture of a field. */
#ifndef HS_OUTPUT_PICTURE_EXTREMES_H
#define HS_OUTPUT_PICTURE_EXTREMES_H

#include "output/picture/canvas/room.h"
#include "output/picture/temperature/raster.h"

struct hs_extremes {
  int count; /* 2, or 0 where all nodes have the same temperature */
  struct hs_spot node[2];
  struct hs_place place[2]; /* of the values */
  bool placed[2];           /* false: there is no room, and nothing is written */
  char text[2][80];         /* "min 12.3" */
};

/* Finds where both marks and their values stand, and takes their places in room; nodes: the box between the outermost
 * nodes of plot. */
void hs_extremes_find(struct hs_extremes *extremes, cairo_t *cr, const struct hs_picture *picture,
                      const struct hs_scale *scale, const struct hs_box *plot, const struct hs_box *nodes,
                      struct hs_room *room);

void hs_extremes_draw(cairo_t *cr, const struct hs_extremes *extremes);

#endif
