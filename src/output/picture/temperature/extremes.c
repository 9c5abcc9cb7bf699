/* A ring at the node, and "max 18.3" beside it. */
#include "output/picture/temperature/extremes.h"

#include <math.h>
#include <stdio.h>

#define SIZE 11.0
#define RING 3.6
#define AWAY 8.0 /* from the node to the value */

/* Three digits of the range, or as many as fit. */
static void value_text(const char *name, double value, double span, char *text, size_t size)
{
  char plain[64];
  const double largest = fmax(fabs(value), span);
  const int decimals = span > 0.0 ? (int)fmax(0.0, 2.0 - floor(log10(span))) : 0;
  if (largest >= 1e5 || decimals > 6)
    snprintf(plain, sizeof plain, "%s %.6g", name, value);
  else
    snprintf(plain, sizeof plain, "%s %.*f", name, decimals, value == 0.0 ? 0.0 : value);
  hs_text_typeset(plain, text, size);
}

/* The first free place around the ring; false where there is none. */
static bool find_place(const struct hs_room *room, double x, double y, struct hs_place *place)
{
  static const double around[][2] = {{1, 0}, {-1, 0}, {1, -1}, {-1, -1}, {1, 1}, {-1, 1}, {0, -1.6}, {0, 1.6}};
  for (size_t k = 0; k < sizeof around / sizeof *around; k++) {
    place->x = x + around[k][0] * (AWAY + 0.5 * place->width);
    place->y = y + around[k][1] * (AWAY + 3.0);
    if (hs_room_is_free(room, place, 0)) return true;
  }
  return false;
}

static void draw_ring(cairo_t *cr, double x, double y)
{
  cairo_new_path(cr);
  cairo_arc(cr, x, y, RING, 0.0, 2.0 * M_PI);
  cairo_set_source_rgb(cr, 1.0, 1.0, 1.0);
  cairo_fill_preserve(cr);
  cairo_set_source_rgb(cr, 0.0, 0.0, 0.0);
  cairo_set_line_width(cr, 1.3);
  cairo_stroke(cr);
}

static void draw_value(cairo_t *cr, const struct hs_place *place, const char *text)
{
  cairo_set_source_rgba(cr, 1.0, 1.0, 1.0, 0.8);
  cairo_rectangle(cr, place->x - 0.5 * place->width, place->y - 0.5 * place->height, place->width, place->height);
  cairo_fill(cr);
  cairo_set_source_rgb(cr, 0.0, 0.0, 0.0);
  hs_draw_text(cr, place->x, place->y, SIZE, HS_ALIGN_MIDDLE, INFINITY, 0.0, text);
}

/* Node n on the canvas, moved so that its ring is within the plot. */
static struct hs_spot spot_of(const struct hs_picture *picture, size_t n, const struct hs_box *plot,
                              const struct hs_box *nodes)
{
  const double i = (double)(n % (size_t)picture->nx), j = (double)(n / (size_t)picture->nx);
  const double x = nodes->x + (picture->nx > 1 ? nodes->width * i / (picture->nx - 1) : 0.0);
  const double y = nodes->y + nodes->height - (picture->ny > 1 ? nodes->height * j / (picture->ny - 1) : 0.0);
  return (struct hs_spot){fmin(fmax(x, plot->x + RING), plot->x + plot->width - RING),
                          fmin(fmax(y, plot->y + RING), plot->y + plot->height - RING)};
}

void hs_extremes_find(struct hs_extremes *extremes, cairo_t *cr, const struct hs_picture *picture,
                      const struct hs_scale *scale, const struct hs_box *plot, const struct hs_box *nodes,
                      struct hs_room *room)
{
  const size_t at[2] = {scale->min_node, scale->max_node};
  const double value_k[2] = {scale->min_k, scale->max_k};
  extremes->count = scale->max_k > scale->min_k ? 2 : 0;
  for (int k = 0; k < extremes->count; k++) {
    const struct hs_spot spot = extremes->node[k] = spot_of(picture, at[k], plot, nodes);
    hs_room_take(room, &(struct hs_place){spot.x, spot.y, 2.0 * RING + 2.0, 2.0 * RING + 2.0, 0.0});
  }
  for (int k = 0; k < extremes->count; k++) {
    value_text(k ? "max" : "min", value_k[k], scale->max_k - scale->min_k, extremes->text[k], sizeof *extremes->text);
    extremes->place[k] = (struct hs_place){0.0, 0.0, hs_text_width(cr, SIZE, extremes->text[k]) + 8.0, SIZE + 5.0, 0.0};
    extremes->placed[k] = find_place(room, extremes->node[k].x, extremes->node[k].y, &extremes->place[k]);
    if (extremes->placed[k]) hs_room_take(room, &extremes->place[k]);
  }
}

void hs_extremes_draw(cairo_t *cr, const struct hs_extremes *extremes)
{
  for (int k = 0; k < extremes->count; k++)
    if (extremes->placed[k]) draw_value(cr, &extremes->place[k], extremes->text[k]);
  for (int k = 0; k < extremes->count; k++) draw_ring(cr, extremes->node[k].x, extremes->node[k].y);
}
