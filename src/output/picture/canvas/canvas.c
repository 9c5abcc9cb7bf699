/* All settings are given, none is left to the machine: pictures have the same bytes everywhere, as far as the libraries that
 * draw and pack them are the same (doc/manual/files.md). */
#include "output/picture/canvas/canvas.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/version.h"
#include "io/file.h"
#include "output/picture/canvas/font.h"
#include "output/picture/canvas/text.h"

#define LARGEST 8192.0 /* units, more than any picture has */
#define PDF_SCALE 0.6  /* points a unit: labels of 8.4 points, and a picture as wide as a page */

static hs_status no_room(struct hs_error *err, cairo_status_t status)
{
  return hs_error_set(err, HS_ERR_MEMORY, "a picture cannot be drawn: %s.", cairo_status_to_string(status));
}

hs_status hs_canvas_create(struct hs_canvas *canvas, struct hs_error *err)
{
  /* A record without bounds replays into SVG at places that were never set (cairo 1.16). */
  static const cairo_rectangle_t bounds = {0.0, 0.0, LARGEST, LARGEST};
  cairo_font_face_t *font = NULL;
  cairo_font_options_t *options;
  const hs_status status = hs_font_create(&font, err);
  if (status) return status;
  options = cairo_font_options_create();
  canvas->record = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, &bounds);
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

/* A surface of pixels, on large pages where the system has them: cairo's own memory comes in small ones. NULL: no memory. */
static cairo_surface_t *pixels_create(int columns, int rows, struct hs_error *err)
{
  static const cairo_user_data_key_t key;
  const int stride = cairo_format_stride_for_width(CAIRO_FORMAT_RGB24, columns);
  void *memory = NULL;
  cairo_surface_t *surface;
  cairo_status_t status;
  if (hs_array_reserve(&memory, (size_t)stride * (size_t)rows, 1, "the pixels of a picture", err)) return NULL;
  surface = cairo_image_surface_create_for_data(memory, CAIRO_FORMAT_RGB24, columns, rows, stride);
  status = cairo_surface_set_user_data(surface, &key, memory, free);
  if (status == CAIRO_STATUS_SUCCESS) return surface;
  cairo_surface_destroy(surface);
  free(memory);
  (void)no_room(err, status);
  return NULL;
}

/* The image lives as long as the record, which would copy it otherwise. */
hs_status hs_canvas_paint(struct hs_canvas *canvas, double x, double y, const uint32_t *pixels, int columns, int rows,
                          struct hs_error *err)
{
  cairo_surface_t *image = pixels_create(columns, rows, err);
  unsigned char *to;
  if (!image) return HS_ERR_MEMORY;
  if (canvas->image) cairo_surface_destroy(canvas->image);
  canvas->image = image;
  to = cairo_image_surface_get_data(image);
  for (int r = 0; r < rows; r++)
    memcpy(to + (size_t)r * (size_t)cairo_image_surface_get_stride(image), pixels + (size_t)r * (size_t)columns,
           (size_t)columns * sizeof *pixels);
  cairo_surface_mark_dirty(image);
  cairo_save(canvas->cr);
  cairo_translate(canvas->cr, x, y);
  cairo_scale(canvas->cr, 1.0 / canvas->scale, 1.0 / canvas->scale);
  cairo_set_source_surface(canvas->cr, image, 0.0, 0.0);
  cairo_pattern_set_filter(cairo_get_source(canvas->cr), CAIRO_FILTER_NEAREST);
  cairo_paint(canvas->cr);
  cairo_restore(canvas->cr);
  return HS_OK;
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
  *surface = pixels_create((int)ceil(canvas->width * canvas->scale), (int)ceil(canvas->height * canvas->scale), err);
  if (!*surface) return HS_ERR_MEMORY;
  status = replay(canvas, *surface, canvas->scale);
  if (status == CAIRO_STATUS_SUCCESS) return HS_OK;
  cairo_surface_destroy(*surface);
  *surface = NULL;
  return no_room(err, status);
}

enum hs_picture_format hs_canvas_format(const char *path)
{
  const char *dot = strrchr(path, '.');
  return dot && !strcasecmp(dot, ".svg") ? HS_SVG : dot && !strcasecmp(dot, ".pdf") ? HS_PDF : HS_PNG;
}

static hs_status encode_png(const struct hs_canvas *canvas, struct hs_png_bytes *bytes, struct hs_error *err)
{
  cairo_surface_t *surface = NULL;
  hs_status status = hs_canvas_pixels(canvas, &surface, err);
  if (!status) status = hs_png_encode(surface, canvas->title, bytes, err);
  if (surface) cairo_surface_destroy(surface);
  return status;
}

static cairo_status_t take_bytes(void *closure, const unsigned char *data, unsigned length)
{
  return hs_png_bytes_add(closure, data, length, NULL) ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

/* The date is left out, so that the same picture has the same bytes. */
static cairo_surface_t *create_pdf(const struct hs_canvas *canvas, struct hs_png_bytes *bytes)
{
  cairo_surface_t *surface =
      cairo_pdf_surface_create_for_stream(take_bytes, bytes, PDF_SCALE * canvas->width, PDF_SCALE * canvas->height);
  char title[sizeof canvas->title];
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, hs_text_clean(canvas->title, title, sizeof title));
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, hs_version_program());
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
  return surface;
}

static cairo_surface_t *create_svg(const struct hs_canvas *canvas, struct hs_png_bytes *bytes)
{
  cairo_surface_t *surface = cairo_svg_surface_create_for_stream(take_bytes, bytes, canvas->width, canvas->height);
  cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
  return surface;
}

hs_status hs_canvas_encode(const struct hs_canvas *canvas, enum hs_picture_format format, struct hs_png_bytes *bytes,
                           struct hs_error *err)
{
  const unsigned references = cairo_surface_get_reference_count(canvas->record);
  cairo_surface_t *surface;
  cairo_status_t drawn;
  hs_status status = hs_canvas_check(canvas, err);
  if (status) return status;
  if (format == HS_PNG) return encode_png(canvas, bytes, err);
  surface = format == HS_PDF ? create_pdf(canvas, bytes) : create_svg(canvas, bytes);
  drawn = replay(canvas, surface, format == HS_PDF ? PDF_SCALE : 1.0);
  cairo_surface_finish(surface);
  if (drawn == CAIRO_STATUS_SUCCESS) drawn = cairo_surface_status(surface);
  cairo_surface_destroy(surface);
  /* SVG surfaces of cairo 1.16 keep a reference for ever. */
  while (cairo_surface_get_reference_count(canvas->record) > references) cairo_surface_destroy(canvas->record);
  return drawn == CAIRO_STATUS_SUCCESS ? HS_OK : no_room(err, drawn);
}

hs_status hs_canvas_write(const struct hs_canvas *canvas, const char *path, struct hs_error *err)
{
  struct hs_png_bytes bytes = {NULL, 0, 0};
  struct hs_file file = HS_FILE_NONE;
  hs_status status = hs_file_create(&file, path, err);
  if (!status) status = hs_canvas_encode(canvas, hs_canvas_format(path), &bytes, err);
  if (!status) status = hs_file_write(&file, bytes.data, bytes.size, err);
  if (!status) status = hs_file_commit(&file, err);
  hs_file_discard(&file);
  free(bytes.data);
  return status;
}

void hs_canvas_destroy(struct hs_canvas *canvas)
{
  if (canvas->cr) cairo_destroy(canvas->cr);
  if (canvas->record) cairo_surface_destroy(canvas->record);
  if (canvas->image) cairo_surface_destroy(canvas->image);
  canvas->cr = NULL;
  canvas->image = NULL;
  canvas->record = NULL;
}
