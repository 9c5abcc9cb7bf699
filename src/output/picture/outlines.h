/* Where materials meet. */
#ifndef HS_OUTPUT_PICTURE_OUTLINES_H
#define HS_OUTPUT_PICTURE_OUTLINES_H

#include "output/picture/axes.h"
#include "output/picture/lines.h"
#include "problem/problem.h"

/* The edges between cells of different materials, as lines in plot, which the cells fill. There are none where they would
 * cover the picture, as in a map of noise. Errors: HS_ERR_MEMORY. */
hs_status hs_outlines_create(const struct hs_problem *problem, const struct hs_box *plot, struct hs_lines *lines,
                             struct hs_error *err);

void hs_outlines_draw(cairo_t *cr, const struct hs_lines *lines);

#endif
