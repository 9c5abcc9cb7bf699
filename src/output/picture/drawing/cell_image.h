/* The cells of a problem in the colours of their materials, or of a conductivity map. */
#ifndef HS_OUTPUT_PICTURE_CELL_IMAGE_H
#define HS_OUTPUT_PICTURE_CELL_IMAGE_H

#include "output/picture/canvas/axes.h"
#include "problem/problem.h"

/* The cells as columns x rows pixels of 0x00RRGGBB, the north-west one first. Collective over the ranks that hold the
 * problem. *pixels is owned by the caller. Errors: HS_ERR_MEMORY, HS_ERR_IO. */
hs_status hs_cell_image_create(const struct hs_problem *problem, int columns, int rows, uint32_t **pixels,
                               struct hs_error *err);

/* Lines between cells, where cells are large enough to be seen. */
void hs_cell_image_grid(cairo_t *cr, const struct hs_problem *problem, const struct hs_box *plot);

/* Extremes of the problem's conductivity map, NaN where there is none. Collective. Errors: HS_ERR_IO. */
hs_status hs_cell_image_range(const struct hs_problem *problem, double range_w_mk[2], struct hs_error *err);

#endif
