/* problem.png: a drawing of the problem, before anything is solved. */
#ifndef HS_OUTPUT_PICTURE_DRAWING_H
#define HS_OUTPUT_PICTURE_DRAWING_H

#include "problem/problem.h"

/* Draws cells in the colours of their materials, sources, held shapes, losses, walls by kind and probes, with axes and
 * a legend. Errors: HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_drawing_write(const struct hs_problem *problem, const char *path, struct hs_error *err);

#endif
