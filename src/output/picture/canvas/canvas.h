/* What all pictures are drawn on: it takes down what is drawn, in its own unit and without bounds, and then makes files of
 * it. So the size of a picture may follow from the texts in it, and one drawing serves for every format. */
#ifndef HS_OUTPUT_PICTURE_CANVAS_H
#define HS_OUTPUT_PICTURE_CANVAS_H

#include <cairo.h>
#include <stdint.h>

#include "config/config.h"
#include "io/png_write.h"

struct hs_canvas {
  cairo_surface_t *record;
  cairo_t *cr;            /* draw here; its font is the built-in one */
  cairo_surface_t *image; /* pixels that have been painted; NULL: none */
  double width, height;   /* of the picture, from (0, 0); to be set before it is written */
  int scale;              /* pixels a unit */
  char title[400];        /* UTF-8, "" for none */
};

#define HS_CANVAS_NONE                                                                                                 \
  {                                                                                                                    \
    .scale = 2                                                                                                         \
  }

/* Errors: HS_ERR_MEMORY. */
hs_status hs_canvas_create(struct hs_canvas *canvas, struct hs_error *err);

/* Has all been drawn? After a failure cairo goes on silently, and a part of the picture is missing. Errors:
 * HS_ERR_MEMORY. */
hs_status hs_canvas_check(const struct hs_canvas *canvas, struct hs_error *err);

/* Paints columns x rows pixels of 0x00RRGGBB, the north-west one first, whose corner is at (x, y); `scale` of them are as
 * long as a unit of the canvas. Errors: HS_ERR_MEMORY. */
hs_status hs_canvas_paint(struct hs_canvas *canvas, double x, double y, const uint32_t *pixels, int columns, int rows,
                          struct hs_error *err);

/* The picture in pixels on white; *surface is owned by the caller. Errors: HS_ERR_MEMORY. */
hs_status hs_canvas_pixels(const struct hs_canvas *canvas, cairo_surface_t **surface, struct hs_error *err);

/* The picture as a file in memory; *bytes is cleared by the caller with free(bytes->data). Errors: HS_ERR_MEMORY. */
hs_status hs_canvas_encode(const struct hs_canvas *canvas, enum hs_picture_format format, struct hs_png_bytes *bytes,
                           struct hs_error *err);

/* The format that the end of a file's name asks for: .svg, .pdf, and PNG whatever else it is. */
enum hs_picture_format hs_canvas_format(const char *path);

/* Writes the picture in the format of the path's end. Errors: HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_canvas_write(const struct hs_canvas *canvas, const char *path, struct hs_error *err);

/* What was not created is accepted. */
void hs_canvas_destroy(struct hs_canvas *canvas);

#endif
