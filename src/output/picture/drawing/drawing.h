/* problem.png: a drawing of the problem, before anything is solved. */
#ifndef HS_OUTPUT_PICTURE_DRAWING_H
#define HS_OUTPUT_PICTURE_DRAWING_H

#include "io/png_write.h"
#include "problem/problem.h"

/* Draws cells in the colours of their materials, sources, held shapes, losses, walls by kind and probes, with axes and
 * a legend. Errors: HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_drawing_write(const struct hs_problem *problem, const char *path, struct hs_error *err);

/* The same as a file in memory; cells are painted with `scale` pixels a unit, 0: as in files. *bytes is cleared by the
 * caller with free(bytes->data). Errors: HS_ERR_MEMORY. */
hs_status hs_drawing_encode(const struct hs_problem *problem, enum hs_picture_format format, int scale,
                            struct hs_png_bytes *bytes, struct hs_error *err);

#endif
