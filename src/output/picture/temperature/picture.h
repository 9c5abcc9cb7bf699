/* The picture of a field as a drawn surface, for writers that put several into a file. */
#ifndef HS_OUTPUT_PICTURE_PICTURE_H
#define HS_OUTPUT_PICTURE_PICTURE_H

#include "output/output.h"
#include "output/picture/canvas/canvas.h"

/* "t = 3600 s (1 h)" into text[size], which is returned. */
const char *hs_picture_time(double time_s, char *text, size_t size);

/* The picture of a field as a configuration asks for it. */
struct hs_picture hs_picture_of_config(const struct hs_config *config, const double *field_k);

/* Collective over the ranks that hold the picture's problem, of which rank 0 alone draws. Draws picture on a canvas that is
 * destroyed by the caller, also after a failure. Pictures of the same shape, range and unit have the same size. Errors:
 * HS_ERR_CONFIG (an unknown colour map), HS_ERR_MEMORY, HS_ERR_IO. */
hs_status hs_picture_draw(const struct hs_picture *picture, struct hs_canvas *canvas, struct hs_error *err);

#endif
