/* The cells of a problem in the colours of their materials, or of a conductivity map. */
#ifndef HS_OUTPUT_PICTURE_CELL_IMAGE_H
#define HS_OUTPUT_PICTURE_CELL_IMAGE_H

#include "output/picture/axes.h"
#include "output/picture/canvas.h"
#include "problem/problem.h"

/* Paints the cells into plot. Errors: HS_ERR_MEMORY. */
hs_status hs_cell_image_paint(struct hs_canvas *canvas, const struct hs_problem *problem, const struct hs_box *plot,
                              struct hs_error *err);

/* Lines between cells, where cells are large enough to be seen. */
void hs_cell_image_grid(cairo_t *cr, const struct hs_problem *problem, const struct hs_box *plot);

/* Extremes of the problem's conductivity map. */
void hs_cell_image_range(const struct hs_problem *problem, double *low_w_mk, double *high_w_mk);

#endif
