/* PNG files from drawn surfaces. */
#ifndef HS_IO_PNG_WRITE_H
#define HS_IO_PNG_WRITE_H

#include <cairo.h>
#include <stddef.h>

#include "base/status.h"

/* A picture's file in memory. */
struct hs_png_bytes {
  unsigned char *data; /* [size], owned */
  size_t size, room;
};

/* Appends to the bytes. Errors: HS_ERR_MEMORY. */
hs_status hs_png_bytes_add(struct hs_png_bytes *bytes, const unsigned char *data, size_t size, struct hs_error *err);

/* Encodes the surface as 8-bit sRGB with the texts Title (in UTF-8, unless it is empty) and Software; *bytes is cleared by
 * the caller with free(bytes->data). Errors: HS_ERR_MEMORY. */
hs_status hs_png_encode(cairo_surface_t *surface, const char *title, struct hs_png_bytes *bytes, struct hs_error *err);

#endif
