/* Places are tried in a fixed order around the point; the first free one is taken. */
#include "output/picture/drawing/labels.h"

#include <math.h>
#include <stdbool.h>

#define LABEL_SIZE 12.0
#define WIDEST 170.0
#define AWAY 9.0 /* from ring to ring */
enum { RINGS = 9 };

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

/* The first free place of a label for the point (x, y), in rings around it; false where there is none. */
static bool find_place(const struct hs_labels *labels, double x, double y, bool over, struct hs_box *box)
{
  static const int around[][2] = {{1, 0}, {-1, 0}, {0, -1}, {0, 1}, {1, -1}, {1, 1}, {-1, -1}, {-1, 1}};
  box->x = x - 0.5 * box->width;
  box->y = y - 0.5 * box->height;
  if (over && is_free(labels, box)) return true;
  for (int ring = 1; ring <= RINGS; ring++)
    for (size_t k = 0; k < sizeof around / sizeof *around; k++) {
      const double away_x = around[k][0] * AWAY * ring, away_y = around[k][1] * (ring == 1 ? 16.0 : AWAY * ring);
      box->x = x + away_x - (around[k][0] < 0 ? box->width : around[k][0] > 0 ? 0.0 : 0.5 * box->width);
      box->y = y + away_y - 0.5 * box->height;
      if (is_free(labels, box)) return true;
    }
  return false;
}

void hs_labels_add(cairo_t *cr, struct hs_labels *labels, struct hs_spot point, bool over, const char *name,
                   const double rgb[3])
{
  struct hs_box box = {0.0, 0.0, fmin(hs_text_width(cr, LABEL_SIZE, name), WIDEST) + 6.0, LABEL_SIZE + 5.0};
  if (!name[0] || labels->label_count == HS_LABELS_MAX || !find_place(labels, point.x, point.y, over, &box)) return;
  labels->label[labels->label_count++] = (struct hs_label){box, point, name, rgb};
  hs_labels_take(labels, box.x, box.y, box.width, box.height);
}

static void draw_leader(cairo_t *cr, const struct hs_label *label)
{
  const struct hs_box *box = &label->box;
  const double end_x = fmin(fmax(label->point.x, box->x), box->x + box->width);
  const double end_y = fmin(fmax(label->point.y, box->y), box->y + box->height);
  if (hypot(end_x - label->point.x, end_y - label->point.y) < 14.0) return;
  cairo_move_to(cr, label->point.x, label->point.y);
  cairo_line_to(cr, end_x, end_y);
  cairo_set_source_rgb(cr, 0.3, 0.3, 0.3);
  cairo_set_line_width(cr, 0.8);
  cairo_stroke(cr);
}

static void draw_name(cairo_t *cr, const struct hs_label *label)
{
  const struct hs_box *box = &label->box;
  cairo_set_source_rgba(cr, 1.0, 1.0, 1.0, 0.85);
  cairo_rectangle(cr, box->x, box->y, box->width, box->height);
  cairo_fill(cr);
  cairo_set_source_rgb(cr, label->rgb[0], label->rgb[1], label->rgb[2]);
  hs_draw_text(cr, box->x + 3.0, box->y + 0.5 * box->height, LABEL_SIZE, HS_ALIGN_LOW, box->width - 6.0, 0.0,
               label->name);
}

void hs_labels_draw(cairo_t *cr, const struct hs_labels *labels)
{
  for (int k = 0; k < labels->label_count; k++) draw_leader(cr, &labels->label[k]);
  for (int k = 0; k < labels->label_count; k++) draw_name(cr, &labels->label[k]);
}
