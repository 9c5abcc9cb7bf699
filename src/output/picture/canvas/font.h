/* The font of all pictures, which the program carries. */
#ifndef HS_OUTPUT_PICTURE_FONT_H
#define HS_OUTPUT_PICTURE_FONT_H

#include <cairo.h>

#include "base/status.h"

/* *font is owned by the caller, who gives it back by cairo_font_face_destroy. Errors: HS_ERR_MEMORY,
 * HS_ERR_INTERNAL (configure was given something else than a font). */
hs_status hs_font_create(cairo_font_face_t **font, struct hs_error *err);

#endif
