/* The picture of a field as a drawn surface, for writers that put more than one into a file. */
#ifndef HS_OUTPUT_PICTURE_PICTURE_H
#define HS_OUTPUT_PICTURE_PICTURE_H

#include <cairo.h>

#include "output/output.h"

/* The picture of a field as a configuration asks for it. */
struct hs_picture hs_picture_of_config(const struct hs_config *config, const double *field_k);

/* Draws picture; *surface is owned by the caller. Pictures of the same shape, range and unit have the same size.
 * Errors: HS_ERR_CONFIG (an unknown colour map), HS_ERR_MEMORY. */
hs_status hs_picture_draw(const struct hs_picture *picture, cairo_surface_t **surface, struct hs_error *err);

#endif
