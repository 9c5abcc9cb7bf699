/* A drawn surface becomes a PNG file. */
#ifndef HS_IO_PNG_WRITE_H
#define HS_IO_PNG_WRITE_H

#include <cairo.h>
#include <stddef.h>

#include "base/status.h"

/* An opaque surface of width x height pixels, filled white, with a context on it whose unit is `scale`
 * pixels and whose font is the built-in one. Both are owned by the caller. Errors: HS_ERR_MEMORY. */
hs_status hs_png_canvas_create(double width, double height, double scale, cairo_surface_t **surface, cairo_t **cr,
                               struct hs_error *err);

/* Frees both; NULL is accepted. */
void hs_png_canvas_destroy(cairo_surface_t *surface, cairo_t *cr);

/* A PNG file in memory. */
struct hs_png_bytes {
  unsigned char *data; /* [size], owned */
  size_t size, room;
};

/* Encodes the surface as hs_png_write does; *bytes is cleared by the caller with free(bytes->data).
 * Errors: HS_ERR_MEMORY. */
hs_status hs_png_encode(cairo_surface_t *surface, const char *title, struct hs_png_bytes *bytes, struct hs_error *err);

/* Writes the surface to path as 8-bit sRGB with the texts Title (unless it is empty) and Software.
 * Errors: HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_png_write(const char *path, cairo_surface_t *surface, const char *title, struct hs_error *err);

#endif
