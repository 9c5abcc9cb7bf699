/* What all pictures are drawn on. */
#ifndef HS_OUTPUT_PICTURE_CANVAS_H
#define HS_OUTPUT_PICTURE_CANVAS_H

#include <cairo.h>

#include "base/status.h"

/* An opaque surface of width x height pixels, filled white, with a context on it whose unit is `scale`
 * pixels and whose font is the built-in one. Both are owned by the caller. Errors: HS_ERR_MEMORY. */
hs_status hs_canvas_create(double width, double height, double scale, cairo_surface_t **surface, cairo_t **cr,
                           struct hs_error *err);

/* Has all been drawn? After a failure cairo goes on silently, and a part of the picture is missing. Errors:
 * HS_ERR_MEMORY. */
hs_status hs_canvas_check(cairo_t *cr, struct hs_error *err);

/* Frees both; NULL is accepted. */
void hs_canvas_destroy(cairo_surface_t *surface, cairo_t *cr);

#endif
