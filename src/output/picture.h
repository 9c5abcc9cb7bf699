/* The picture of a field as a drawn surface, for writers that put more than one into a file. */
#ifndef HS_OUTPUT_PICTURE_H
#define HS_OUTPUT_PICTURE_H

#include <cairo.h>

#include "output/output.h"

/* What a configuration says about its pictures; field and title are the run's. */
struct hs_picture hs_picture_of_config(const struct hs_config *config, const double *field_k);

/* Draws picture; *surface is owned by the caller. Pictures of one shape, range and unit have one size.
 * Errors: HS_ERR_CONFIG (an unknown colour map), HS_ERR_MEMORY. */
hs_status hs_picture_draw(const struct hs_picture *picture, cairo_surface_t **surface, struct hs_error *err);

#endif
