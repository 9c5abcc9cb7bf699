/* The walls in the drawing of a problem. */
#ifndef HS_OUTPUT_PICTURE_SIDES_H
#define HS_OUTPUT_PICTURE_SIDES_H

#include "output/picture/drawing/sheet.h"

/* A strip along each segment of the walls, in its pattern and colours, and a frame around the plate. */
void hs_sides_draw(const struct hs_sheet *sheet);

/* The numbers of segments, as in the legend: after probes, which they keep away from. */
void hs_sides_number(const struct hs_sheet *sheet);

#endif
