/* Marching squares.
 *
 * In every cell between four nodes an isotherm crosses zero, two or four edges; crossings are placed by linear
 * interpolation. Four crossings (a saddle) are paired by the cell's mean. Neighbouring cells find the same crossing of their
 * common edge, whose number joins the pieces. Values stand in gaps of the lines, along them.
 */
#include "output/picture/temperature/isotherms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define LINE_WIDTH 0.9
#define LINE_ALPHA 0.9
#define LEAST 0.4 /* between spots of a line */
#define LABEL_SIZE 10.5
#define LABEL_EVERY 700.0 /* of a line's length, one more */
#define STRAIGHT 0.985    /* chord over arc below a label, at least */
#define SEARCH 14.0       /* step along the line */
#define BRIGHT 0.179      /* luminance of which black and white are equally far */

/* --- values -------------------------------------------------------------------------------------- */

void hs_isotherms_choose(const struct hs_scale *scale, int most, struct hs_axis *values)
{
  memset(values, 0, sizeof *values);
  if (most < 1 || !(scale->high_k > scale->low_k)) return;
  if (most > HS_AXIS_TICKS) most = HS_AXIS_TICKS;
  for (int fewest = most; fewest > 0; fewest--) {
    hs_axis_linear(values, scale->low_k, scale->high_k, fewest);
    if (values->count <= most) return;
  }
}

/* --- lines --------------------------------------------------------------------------------------- */

/* The cells between nodes, and where they lie on the canvas. */
struct net {
  const struct hs_raster *nodes;
  const struct hs_box *box;
  double cell_width, cell_height;
};

/* Where an isotherm crosses the edges of cell (c, r), in the order south, east, north, west. v: the corners' values from the
 * south-west counter-clockwise, minus that of the isotherm. Returns the number of crossings. */
static int find_crossings(const struct net *net, int c, int r, const double v[4], struct hs_line_end crossing[4])
{
  static const int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  const int64_t columns = net->nodes->columns;
  const int64_t keys[4] = {2 * (r * columns + c), 2 * (r * columns + c + 1) + 1, 2 * ((r + 1) * columns + c),
                           2 * (r * columns + c) + 1};
  int count = 0;
  for (int k = 0; k < 4; k++) {
    const int next = (k + 1) % 4;
    double fraction, x, y;
    if ((v[k] < 0.0) == (v[next] < 0.0)) continue;
    fraction = v[k] / (v[k] - v[next]);
    x = c + corner[k][0] + fraction * (corner[next][0] - corner[k][0]);
    y = r + corner[k][1] + fraction * (corner[next][1] - corner[k][1]);
    crossing[count++] = (struct hs_line_end){
        keys[k], {net->box->x + x * net->cell_width, net->box->y + net->box->height - y * net->cell_height}};
  }
  return count;
}

static hs_status add_cell(const struct net *net, int c, int r, double value, struct hs_lines *lines,
                          struct hs_error *err)
{
  const double *south = net->nodes->position + (size_t)r * (size_t)net->nodes->columns + c;
  const double *north = south + net->nodes->columns;
  const double v[4] = {south[0] - value, south[1] - value, north[1] - value, north[0] - value};
  struct hs_line_end p[4];
  hs_status status;
  int count, shift;
  if (v[0] < 0.0 && v[1] < 0.0 && v[2] < 0.0 && v[3] < 0.0) return HS_OK;
  if (v[0] >= 0.0 && v[1] >= 0.0 && v[2] >= 0.0 && v[3] >= 0.0) return HS_OK;
  if (isnan(v[0] + v[1] + v[2] + v[3])) return HS_OK;
  count = find_crossings(net, c, r, v, p);
  if (count == 2) return hs_lines_add(lines, p[0], p[1], err);
  if (count < 4) return HS_OK;
  shift = (v[0] < 0.0) == (v[0] + v[1] + v[2] + v[3] < 0.0); /* the centre belongs to the south-west corner */
  status = hs_lines_add(lines, p[shift ? 0 : 3], p[shift ? 1 : 0], err);
  return status ? status : hs_lines_add(lines, p[shift ? 2 : 1], p[shift ? 3 : 2], err);
}

static hs_status trace(const struct net *net, struct hs_isotherm *isotherm, struct hs_error *err)
{
  hs_status status = HS_OK;
  for (int r = 0; r + 1 < net->nodes->rows && !status; r++)
    for (int c = 0; c + 1 < net->nodes->columns && !status; c++)
      status = add_cell(net, c, r, isotherm->position, &isotherm->lines, err);
  return status ? status : hs_lines_join(&isotherm->lines, LEAST, err);
}

hs_status hs_isotherms_create(struct hs_isotherms *isotherms, const struct hs_axis *values,
                              const struct hs_raster *nodes, const struct hs_box *box, struct hs_error *err)
{
  const struct net net = {nodes, box, box->width / (nodes->columns - 1), box->height / (nodes->rows - 1)};
  hs_status status = hs_array_create((void **)&isotherms->line, (size_t)values->count + 1, sizeof *isotherms->line,
                                     "the isotherms of a picture", err);
  if (status) return status;
  for (int k = 0; k < values->count && !status; k++) {
    struct hs_isotherm *isotherm = &isotherms->line[isotherms->count];
    if (values->position[k] <= 0.0 || values->position[k] >= 1.0) continue;
    isotherms->count++;
    isotherm->position = values->position[k];
    memcpy(isotherm->label, values->label[k], sizeof isotherm->label);
    status = trace(&net, isotherm, err);
  }
  return status;
}

void hs_isotherms_clear(struct hs_isotherms *isotherms)
{
  for (int k = 0; k < isotherms->count; k++) hs_lines_clear(&isotherms->line[k].lines);
  free(isotherms->line);
  memset(isotherms, 0, sizeof *isotherms);
}

/* --- values along the lines ---------------------------------------------------------------------- */

/* The spot at a length along a polyline. */
static struct hs_spot spot_along(const struct hs_lines *lines, const struct hs_polyline *line, double length)
{
  const struct hs_spot *spot = lines->spots + line->first;
  for (int s = 0; s + 1 < line->count; s++) {
    const double step = hypot(spot[s + 1].x - spot[s].x, spot[s + 1].y - spot[s].y);
    if (length <= step && step > 0.0)
      return (struct hs_spot){spot[s].x + (spot[s + 1].x - spot[s].x) * length / step,
                              spot[s].y + (spot[s + 1].y - spot[s].y) * length / step};
    length -= step;
  }
  return spot[line->count - 1];
}

/* A label around a length along the line, readable from below or from the right; false where the line is bent there. */
static bool place_at(const struct hs_lines *lines, const struct hs_polyline *line, double length, double width,
                     struct hs_place *place)
{
  const struct hs_spot a = spot_along(lines, line, length - 0.5 * width);
  const struct hs_spot m = spot_along(lines, line, length);
  const struct hs_spot b = spot_along(lines, line, length + 0.5 * width);
  double angle = atan2(b.y - a.y, b.x - a.x);
  if (hypot(b.x - a.x, b.y - a.y) < STRAIGHT * width) return false;
  if (angle > M_PI_2 - 1e-3) angle -= M_PI;
  if (angle <= -M_PI_2 - 1e-3) angle += M_PI;
  *place =
      (struct hs_place){(a.x + b.x + 2.0 * m.x) / 4.0, (a.y + b.y + 2.0 * m.y) / 4.0, width, LABEL_SIZE + 3.0, angle};
  return true;
}

/* Looks from `middle` to both sides. */
static bool find_place(const struct hs_lines *lines, const struct hs_polyline *line, double middle, double reach,
                       double width, const struct hs_room *room, int own, struct hs_place *place)
{
  for (double away = 0.0; away <= reach; away += SEARCH)
    for (int side = -1; side <= 1; side += 2) {
      const double length = middle + side * away;
      if (length < 0.7 * width || length > line->length - 0.7 * width) continue;
      if (place_at(lines, line, length, width, place) && hs_room_is_free(room, place, own)) return true;
    }
  return false;
}

static void label_line(struct hs_isotherm *isotherm, int own, double width, const struct hs_polyline *line,
                       struct hs_room *room)
{
  const int wanted = 1 + (int)(line->length / LABEL_EVERY);
  if (line->length < 2.5 * width) return;
  for (int k = 0; k < wanted && isotherm->label_count < HS_ISOTHERM_LABELS; k++) {
    struct hs_place *place = &isotherm->labels[isotherm->label_count];
    const double share = line->length / wanted;
    if (!find_place(&isotherm->lines, line, (k + 0.5) * share, 0.5 * share, width, room, own, place)) continue;
    hs_room_take(room, place);
    isotherm->label_count++;
  }
}

void hs_isotherms_label(struct hs_isotherms *isotherms, cairo_t *cr, struct hs_room *room)
{
  for (int k = 0; k < isotherms->count; k++) hs_room_note(room, &isotherms->line[k].lines, 1 + k);
  for (int k = 0; k < isotherms->count; k++) {
    struct hs_isotherm *isotherm = &isotherms->line[k];
    const double width = hs_text_width(cr, LABEL_SIZE, isotherm->label) + 6.0;
    for (int l = 0; l < isotherm->lines.count; l++) label_line(isotherm, 1 + k, width, &isotherm->lines.line[l], room);
  }
}

/* --- drawing ------------------------------------------------------------------------------------- */

/* Of a byte, in linear light. */
static double linear(unsigned char byte)
{
  return pow((byte / 255.0 + 0.055) / 1.055, 2.4);
}

/* White on dark colours, black on bright ones: as luminances stand to each other, one of them is told from any colour (4.6 to 1,
 * and 4 to 1 at LINE_ALPHA; WCAG 2.2 asks lines for 3). */
static void set_line_color(cairo_t *cr, const struct hs_colormap *map, double value, double alpha)
{
  unsigned char rgb[3];
  double luminance, level;
  hs_colormap_rgb(map, value, rgb);
  luminance = 0.2126 * linear(rgb[0]) + 0.7152 * linear(rgb[1]) + 0.0722 * linear(rgb[2]);
  level = luminance > BRIGHT ? 0.0 : 1.0;
  cairo_set_source_rgba(cr, level, level, level, alpha);
}

/* The box without the labels, so that lines stop beside them. */
static void clip_labels(cairo_t *cr, const struct hs_isotherm *isotherm, const struct hs_box *box)
{
  cairo_rectangle(cr, box->x, box->y, box->width, box->height);
  for (int k = 0; k < isotherm->label_count; k++) {
    const struct hs_place *place = &isotherm->labels[k];
    cairo_save(cr);
    cairo_translate(cr, place->x, place->y);
    cairo_rotate(cr, place->angle_rad);
    cairo_rectangle(cr, -0.5 * place->width + 1.5, -0.5 * place->height, place->width - 3.0, place->height);
    cairo_restore(cr);
  }
  cairo_set_fill_rule(cr, CAIRO_FILL_RULE_EVEN_ODD);
  cairo_clip(cr);
}

void hs_isotherms_draw(cairo_t *cr, const struct hs_isotherms *isotherms, const struct hs_box *box,
                       const struct hs_colormap *map)
{
  for (int k = 0; k < isotherms->count; k++) {
    const struct hs_isotherm *isotherm = &isotherms->line[k];
    cairo_save(cr);
    clip_labels(cr, isotherm, box);
    set_line_color(cr, map, isotherm->position, LINE_ALPHA);
    cairo_set_line_width(cr, LINE_WIDTH);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    hs_lines_path(cr, &isotherm->lines);
    cairo_stroke(cr);
    cairo_restore(cr);
    set_line_color(cr, map, isotherm->position, 1.0);
    for (int l = 0; l < isotherm->label_count; l++)
      hs_draw_text(cr, isotherm->labels[l].x, isotherm->labels[l].y, LABEL_SIZE, HS_ALIGN_MIDDLE, INFINITY,
                   -isotherm->labels[l].angle_rad, isotherm->label);
  }
}

void hs_isotherms_mark(cairo_t *cr, const struct hs_isotherms *isotherms, const struct hs_box *bar,
                       const struct hs_colormap *map, bool upright)
{
  cairo_set_line_width(cr, LINE_WIDTH);
  for (int k = 0; k < isotherms->count; k++) {
    const double position = isotherms->line[k].position;
    set_line_color(cr, map, position, LINE_ALPHA);
    if (upright) {
      cairo_move_to(cr, bar->x, bar->y + (1.0 - position) * bar->height);
      cairo_rel_line_to(cr, bar->width, 0.0);
    } else {
      cairo_move_to(cr, bar->x + position * bar->width, bar->y);
      cairo_rel_line_to(cr, 0.0, bar->height);
    }
    cairo_stroke(cr);
  }
}
