/* Places are tried in a fixed order around the point; the first free one is taken, or the first of all. */
#include "output/picture/labels.h"

#include <math.h>
#include <stdbool.h>

#define LABEL_SIZE 13.0

static bool overlaps(const struct hs_box *a, const struct hs_box *b)
{
  return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height && b->y < a->y + a->height;
}

static bool is_free(const struct hs_labels *labels, const struct hs_box *box)
{
  const struct hs_box *area = &labels->area;
  if (box->x < area->x || box->x + box->width > area->x + area->width || box->y < area->y ||
      box->y + box->height > area->y + area->height)
    return false;
  for (int k = 0; k < labels->count; k++)
    if (overlaps(box, &labels->taken[k])) return false;
  return true;
}

void hs_labels_take(struct hs_labels *labels, double x, double y, double width, double height)
{
  if (labels->count < HS_LABELS_MAX) labels->taken[labels->count++] = (struct hs_box){x, y, width, height};
}

/* The place of a label of the given size for the point (x, y): the first free one around it. */
static struct hs_box find_place(const struct hs_labels *labels, double x, double y, double width, double height)
{
  static const double places[][2] = {{1, 0}, {-1, 0}, {0, -1}, {0, 1},  {1, -1},  {1, 1}, {-1, -1}, {-1, 1}, {3, -1},
                                     {3, 1}, {3, 0},  {-3, 1}, {-3, 0}, {-3, -1}, {5, 0}, {-5, 0},  {5, -1}, {-5, -1}};
  struct hs_box box = {0.0, 0.0, width, height};
  for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
    const double away = places[k][0] * 8.0;
    box.x = x + away - (places[k][0] < 0.0 ? width : places[k][0] > 0.0 ? 0.0 : 0.5 * width);
    box.y = y + places[k][1] * 15.0 - 0.5 * height;
    if (is_free(labels, &box)) return box;
  }
  box.x = x + 8.0;
  box.y = y - 0.5 * height;
  return box;
}

/* A label that is not beside its point gets a thin line to it. */
static void draw_leader(cairo_t *cr, double x, double y, const struct hs_box *box)
{
  const double end = box->x > x ? box->x : box->x + box->width;
  if (fabs(end - x) < 12.0) return;
  cairo_move_to(cr, x, y);
  cairo_line_to(cr, end, box->y + 0.5 * box->height);
  cairo_set_source_rgb(cr, 0.3, 0.3, 0.3);
  cairo_set_line_width(cr, 0.8);
  cairo_stroke(cr);
}

void hs_labels_draw(cairo_t *cr, struct hs_labels *labels, double x, double y, const char *name)
{
  const double width = fmin(hs_text_width(cr, LABEL_SIZE, name), 150.0) + 4.0;
  const struct hs_box box = find_place(labels, x, y, width, LABEL_SIZE + 2.0);
  if (box.width < 5.0) return;
  draw_leader(cr, x, y, &box);
  cairo_set_source_rgba(cr, 1.0, 1.0, 1.0, 0.75);
  cairo_rectangle(cr, box.x, box.y, box.width, box.height);
  cairo_fill(cr);
  cairo_set_source_rgb(cr, 0.0, 0.0, 0.0);
  hs_draw_text(cr, box.x + 2.0, box.y + 0.5 * box.height, LABEL_SIZE, HS_ALIGN_LOW, box.width, 0.0, name);
  hs_labels_take(labels, box.x, box.y, box.width, box.height);
}
