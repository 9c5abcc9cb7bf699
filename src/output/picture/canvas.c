/* All settings are given, none is left to the machine: pictures have the same bytes everywhere. */
#include "output/picture/canvas.h"

#include <math.h>
#include <stddef.h>

hs_status hs_canvas_create(double width, double height, double scale, cairo_surface_t **surface, cairo_t **cr,
                           struct hs_error *err)
{
  cairo_font_options_t *options = cairo_font_options_create();
  *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width * scale), (int)ceil(height * scale));
  *cr = cairo_create(*surface);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_set_font_options(*cr, options);
  cairo_font_options_destroy(options);
  cairo_select_font_face(*cr, "@cairo:", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_scale(*cr, scale, scale);
  cairo_set_source_rgb(*cr, 1.0, 1.0, 1.0);
  cairo_paint(*cr);
  cairo_set_source_rgb(*cr, 0.0, 0.0, 0.0);
  if (cairo_status(*cr) == CAIRO_STATUS_SUCCESS) return HS_OK;
  hs_canvas_destroy(*surface, *cr);
  *surface = NULL;
  *cr = NULL;
  return hs_error_set(err, HS_ERR_MEMORY, "not enough memory for a picture of %.0f x %.0f pixels.", width * scale,
                      height * scale);
}

hs_status hs_canvas_check(cairo_t *cr, struct hs_error *err)
{
  cairo_status_t status = cairo_status(cr);
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(cairo_get_target(cr));
  if (status == CAIRO_STATUS_SUCCESS) return HS_OK;
  return hs_error_set(err, HS_ERR_MEMORY, "a picture cannot be drawn: %s.", cairo_status_to_string(status));
}

void hs_canvas_destroy(cairo_surface_t *surface, cairo_t *cr)
{
  if (cr) cairo_destroy(cr);
  if (surface) cairo_surface_destroy(surface);
}
