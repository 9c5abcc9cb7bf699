/* All settings are given, none is left to the machine: pictures have the same bytes everywhere, as far as the libraries that
 * draw and pack them are the same (doc/manual/files.md). */
#include "output/picture/canvas.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "io/png_write.h"
#include "output/picture/font.h"

static hs_status no_room(struct hs_error *err, cairo_status_t status)
{
  return hs_error_set(err, HS_ERR_MEMORY, "a picture cannot be drawn: %s.", cairo_status_to_string(status));
}

hs_status hs_canvas_create(struct hs_canvas *canvas, struct hs_error *err)
{
  cairo_font_face_t *font = NULL;
  cairo_font_options_t *options;
  const hs_status status = hs_font_create(&font, err);
  if (status) return status;
  options = cairo_font_options_create();
  canvas->record = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, NULL);
  canvas->cr = cairo_create(canvas->record);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_set_font_options(canvas->cr, options);
  cairo_font_options_destroy(options);
  cairo_set_font_face(canvas->cr, font);
  cairo_font_face_destroy(font);
  cairo_set_source_rgb(canvas->cr, 0.0, 0.0, 0.0);
  return hs_canvas_check(canvas, err);
}

hs_status hs_canvas_check(const struct hs_canvas *canvas, struct hs_error *err)
{
  cairo_status_t status = cairo_status(canvas->cr);
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(canvas->record);
  return status == CAIRO_STATUS_SUCCESS ? HS_OK : no_room(err, status);
}

hs_status hs_canvas_paint(struct hs_canvas *canvas, double x, double y, const uint32_t *pixels, int columns, int rows,
                          struct hs_error *err)
{
  cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, columns, rows);
  const cairo_status_t status = cairo_surface_status(image);
  if (status == CAIRO_STATUS_SUCCESS) {
    unsigned char *to = cairo_image_surface_get_data(image);
    for (int r = 0; r < rows; r++)
      memcpy(to + (size_t)r * (size_t)cairo_image_surface_get_stride(image), pixels + (size_t)r * (size_t)columns,
             (size_t)columns * sizeof *pixels);
    cairo_surface_mark_dirty(image);
    cairo_save(canvas->cr);
    cairo_translate(canvas->cr, x, y);
    cairo_scale(canvas->cr, 1.0 / canvas->scale, 1.0 / canvas->scale);
    cairo_set_source_surface(canvas->cr, image, 0.0, 0.0);
    cairo_pattern_set_filter(cairo_get_source(canvas->cr), CAIRO_FILTER_NEAREST);
    cairo_rectangle(canvas->cr, 0.0, 0.0, columns, rows);
    cairo_fill(canvas->cr);
    cairo_restore(canvas->cr);
  }
  cairo_surface_destroy(image);
  return status == CAIRO_STATUS_SUCCESS ? HS_OK : no_room(err, status);
}

/* The record on a surface of its own scale, over white. */
static cairo_status_t replay(const struct hs_canvas *canvas, cairo_surface_t *target, double scale)
{
  cairo_t *cr = cairo_create(target);
  cairo_status_t status;
  cairo_set_source_rgb(cr, 1.0, 1.0, 1.0);
  cairo_paint(cr);
  cairo_scale(cr, scale, scale);
  cairo_set_source_surface(cr, canvas->record, 0.0, 0.0);
  cairo_paint(cr);
  status = cairo_status(cr);
  cairo_destroy(cr);
  return status == CAIRO_STATUS_SUCCESS ? cairo_surface_status(target) : status;
}

hs_status hs_canvas_pixels(const struct hs_canvas *canvas, cairo_surface_t **surface, struct hs_error *err)
{
  cairo_status_t status;
  *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(canvas->width * canvas->scale),
                                        (int)ceil(canvas->height * canvas->scale));
  status = replay(canvas, *surface, canvas->scale);
  if (status == CAIRO_STATUS_SUCCESS) return HS_OK;
  cairo_surface_destroy(*surface);
  *surface = NULL;
  return no_room(err, status);
}

hs_status hs_canvas_write(const struct hs_canvas *canvas, const char *path, struct hs_error *err)
{
  cairo_surface_t *surface = NULL;
  hs_status status = hs_canvas_check(canvas, err);
  if (!status) status = hs_canvas_pixels(canvas, &surface, err);
  if (!status) status = hs_png_write(path, surface, canvas->title, err);
  if (surface) cairo_surface_destroy(surface);
  return status;
}

void hs_canvas_destroy(struct hs_canvas *canvas)
{
  if (canvas->cr) cairo_destroy(canvas->cr);
  if (canvas->record) cairo_surface_destroy(canvas->record);
  canvas->cr = NULL;
  canvas->record = NULL;
}
