/* problem.png: the problem as the program understood it, to be checked before a run.
 *
 * Cells have the colours of their materials, so the picture shows the stepped edges that are computed with; outlines of
 * sources and held shapes show what was meant, with the names of the sources. Strips along the walls show their kinds and
 * temperatures and are numbered as in the legend. Axes have equal scale unless the domain is more than four times longer
 * than wide; then the short side is stretched, and a note says so.
 */
#include "output/picture/drawing/drawing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/picture/drawing/cell_image.h"
#include "output/picture/drawing/sheet.h"
#include "output/picture/drawing/sides.h"
#include "output/share.h"
#include "problem/cells/shape.h"

/* --- shapes -------------------------------------------------------------------------------------- */

static void draw_node(const struct hs_sheet *sheet, const struct hs_config_shape *shape, enum hs_mark mark)
{
  const struct hs_problem *problem = sheet->problem;
  const double x = hs_sheet_x(sheet, problem->x0_m + shape->i * problem->dx_m);
  const double y = hs_sheet_y(sheet, problem->y0_m + shape->j * problem->dy_m);
  cairo_new_path(sheet->cr);
  cairo_arc(sheet->cr, x, y, 5.0, 0.0, 2.0 * M_PI);
  hs_mark_paint(sheet->cr, mark);
}

/* A material shows by its cells; a thin outline shows what was meant. */
static void draw_outline(const struct hs_sheet *sheet)
{
  cairo_set_source_rgba(sheet->cr, 0.0, 0.0, 0.0, 0.45);
  cairo_set_line_width(sheet->cr, 0.7);
  cairo_stroke(sheet->cr);
}

/* A rectangle around the plot, so that with the even-odd rule all but the figure is filled. */
static void add_outside(const struct hs_sheet *sheet)
{
  const struct hs_box *plot = &sheet->plot;
  cairo_rectangle(sheet->cr, plot->x - 9.0, plot->y - 9.0, plot->width + 18.0, plot->height + 18.0);
}

static hs_status draw_shape(const struct hs_sheet *sheet, const struct hs_config_shape *shape, enum hs_mark mark,
                            struct hs_error *err)
{
  struct hs_point *points = NULL;
  int count = 0;
  hs_status status;
  if (shape->kind == HS_SHAPE_EVERYWHERE) return HS_OK;
  if (shape->kind == HS_SHAPE_NODE) {
    draw_node(sheet, shape, mark);
    return HS_OK;
  }
  status = hs_shape_outline(shape, sheet->problem->lx_m, sheet->problem->ly_m, &points, &count, err);
  if (status) return status;
  cairo_new_path(sheet->cr);
  for (int k = 0; k < count; k++)
    cairo_line_to(sheet->cr, hs_sheet_x(sheet, points[k].x_m), hs_sheet_y(sheet, points[k].y_m));
  cairo_close_path(sheet->cr);
  if (mark == HS_MARK_MATERIAL) {
    draw_outline(sheet);
  } else {
    if (shape->part == HS_PART_OUTSIDE) add_outside(sheet);
    cairo_set_fill_rule(sheet->cr, CAIRO_FILL_RULE_EVEN_ODD);
    hs_mark_paint(sheet->cr, mark);
  }
  free(points);
  return HS_OK;
}

static hs_status draw_shapes(const struct hs_sheet *sheet, struct hs_error *err)
{
  const struct hs_config *config = sheet->problem->config;
  hs_status status = HS_OK;
  cairo_save(sheet->cr);
  cairo_rectangle(sheet->cr, sheet->plot.x, sheet->plot.y, sheet->plot.width, sheet->plot.height);
  cairo_clip(sheet->cr);
  for (int k = 0; !status && k < config->loss_count; k++)
    status = draw_shape(sheet, &config->losses[k].shape, HS_MARK_LOSS, err);
  for (int k = 0; !status && k < config->region_count; k++) {
    const struct hs_config_region *region = &config->regions[k];
    if (region->temperature.text)
      status = draw_shape(sheet, &region->shape, HS_MARK_HELD, err);
    else if (!isnan(region->initial_k))
      status = draw_shape(sheet, &region->shape, HS_MARK_INITIAL, err);
    else
      status = draw_shape(sheet, &region->shape, HS_MARK_MATERIAL, err);
  }
  for (int k = 0; !status && k < config->source_count; k++)
    status = draw_shape(sheet, &config->sources[k].shape, HS_MARK_SOURCE, err);
  cairo_restore(sheet->cr);
  return status;
}

/* --- probes -------------------------------------------------------------------------------------- */

static void draw_line_probe(const struct hs_sheet *sheet, const struct hs_config_probe *probe)
{
  for (int halo = 1; halo >= 0; halo--) {
    cairo_move_to(sheet->cr, hs_sheet_x(sheet, probe->x_m), hs_sheet_y(sheet, probe->y_m));
    cairo_line_to(sheet->cr, hs_sheet_x(sheet, probe->x1_m), hs_sheet_y(sheet, probe->y1_m));
    cairo_set_line_width(sheet->cr, halo ? 4.0 : 1.5);
    cairo_set_source_rgba(sheet->cr, halo, halo, halo, halo ? 0.85 : 1.0);
    cairo_stroke(sheet->cr);
  }
}

static void draw_probes(struct hs_sheet *sheet)
{
  const struct hs_config *config = sheet->problem->config;
  for (int k = 0; k < config->probe_count; k++) {
    const struct hs_config_probe *probe = &config->probes[k];
    if (probe->is_line) draw_line_probe(sheet, probe);
  }
  for (int k = 0; k < config->probe_count; k++) {
    const struct hs_config_probe *probe = &config->probes[k];
    for (int end = 0; end <= probe->is_line; end++) {
      const double x = hs_sheet_x(sheet, end ? probe->x1_m : probe->x_m);
      const double y = hs_sheet_y(sheet, end ? probe->y1_m : probe->y_m);
      hs_cross_paint(sheet->cr, x, y);
      hs_labels_take(&sheet->labels, x - HS_CROSS, y - HS_CROSS, 2.0 * HS_CROSS, 2.0 * HS_CROSS);
    }
  }
}

/* The middle of a shape's box, within the plot; false where it covers the whole plot. */
static hs_status middle_of(const struct hs_sheet *sheet, const struct hs_config_shape *shape, bool *found,
                           struct hs_spot *point, struct hs_error *err)
{
  const struct hs_problem *p = sheet->problem;
  double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;
  struct hs_point *points = NULL;
  int count = 0;
  hs_status status = HS_OK;
  *found = shape->kind != HS_SHAPE_EVERYWHERE && shape->part != HS_PART_OUTSIDE;
  if (!*found) return HS_OK;
  if (shape->kind == HS_SHAPE_NODE) {
    point->x = hs_sheet_x(sheet, p->x0_m + shape->i * p->dx_m);
    point->y = hs_sheet_y(sheet, p->y0_m + shape->j * p->dy_m);
    return HS_OK;
  }
  status = hs_shape_outline(shape, p->lx_m, p->ly_m, &points, &count, err);
  for (int k = 0; !status && k < count; k++) {
    x0 = fmin(x0, points[k].x_m);
    x1 = fmax(x1, points[k].x_m);
    y0 = fmin(y0, points[k].y_m);
    y1 = fmax(y1, points[k].y_m);
  }
  free(points);
  point->x = hs_sheet_x(sheet, 0.5 * (fmax(x0, 0.0) + fmin(x1, p->lx_m)));
  point->y = hs_sheet_y(sheet, 0.5 * (fmax(y0, 0.0) + fmin(y1, p->ly_m)));
  return status;
}

/* Names of probes in black, of sources in the colour of their outlines. */
static hs_status draw_names(struct hs_sheet *sheet, struct hs_error *err)
{
  static const double black[3] = {0.0, 0.0, 0.0}, red[3] = {0.62, 0.13, 0.0};
  const struct hs_config *config = sheet->problem->config;
  hs_status status = HS_OK;
  sheet->labels.area = sheet->plot;
  for (int k = 0; k < config->probe_count; k++) {
    const struct hs_config_probe *probe = &config->probes[k];
    const struct hs_spot point = {hs_sheet_x(sheet, probe->x_m), hs_sheet_y(sheet, probe->y_m)};
    hs_labels_add(sheet->cr, &sheet->labels, point, false, probe->name, black);
  }
  for (int k = 0; k < config->source_count && !status; k++) {
    const struct hs_config_source *source = &config->sources[k];
    bool found = false;
    struct hs_spot point = {0.0, 0.0};
    status = middle_of(sheet, &source->shape, &found, &point, err);
    if (!status && found)
      hs_labels_add(sheet->cr, &sheet->labels, point, source->shape.kind != HS_SHAPE_NODE, source->name, red);
  }
  hs_labels_draw(sheet->cr, &sheet->labels);
  return status;
}

/* --- frame and heading --------------------------------------------------------------------------- */

static void draw_axes(const struct hs_sheet *sheet)
{
  const struct hs_box *plot = &sheet->plot;
  const struct hs_box below = {plot->x, plot->y, plot->width, plot->height + HS_STRIP};
  const struct hs_box beside = {plot->x - HS_STRIP, plot->y, plot->width, plot->height};
  const double labels = hs_axis_label_width(sheet->cr, &sheet->y_axis);
  cairo_set_source_rgb(sheet->cr, 0.0, 0.0, 0.0);
  cairo_set_line_width(sheet->cr, 1.0);
  hs_draw_ticks_below(sheet->cr, &below, &sheet->x_axis);
  hs_draw_ticks_left(sheet->cr, &beside, &sheet->y_axis);
  hs_draw_text(sheet->cr, plot->x + 0.5 * plot->width, plot->y + plot->height + HS_STRIP + 42.0, HS_TEXT_SIZE,
               HS_ALIGN_MIDDLE, INFINITY, 0.0, sheet->x_title);
  hs_draw_text(sheet->cr, plot->x - HS_STRIP - 14.0 - labels - 12.0, plot->y + 0.5 * plot->height, HS_TEXT_SIZE,
               HS_ALIGN_MIDDLE, INFINITY, M_PI_2, sheet->y_title);
}

/* The configured title, or the name of the file. */
static const char *title_of(const struct hs_config *config)
{
  const char *path = config->path ? config->path : "", *slash = strrchr(path, '/');
  return config->output.title && config->output.title[0] ? config->output.title : slash ? slash + 1 : path;
}

static void draw_heading(const struct hs_sheet *sheet)
{
  const struct hs_problem *p = sheet->problem;
  const double stretch = fmax(sheet->stretch_x, sheet->stretch_y), room = sheet->canvas.width - 2.0 * HS_SHEET_MARGIN;
  const char *unit;
  const double factor = hs_axis_length_unit(fmin(p->dx_m, p->dy_m), &unit);
  const struct hs_share share = hs_share_of(p);
  char note[200];
  const int used = snprintf(note, sizeof note, "%d × %d nodes (%s), cells of %.4g × %.4g %s", share.nodes_x,
                            share.nodes_y, hs_layout_name(p->layout), p->dx_m * factor, p->dy_m * factor, unit);
  if (stretch > 1.05)
    snprintf(note + used, sizeof note - (size_t)used, "; %s is stretched %.3g times",
             sheet->stretch_x > sheet->stretch_y ? "x" : "y", stretch);
  cairo_set_source_rgb(sheet->cr, 0.0, 0.0, 0.0);
  hs_draw_text(sheet->cr, HS_SHEET_MARGIN, HS_SHEET_MARGIN + 0.5 * HS_SHEET_TITLE, HS_SHEET_TITLE, HS_ALIGN_LOW, room,
               0.0, sheet->canvas.title);
  cairo_set_source_rgb(sheet->cr, 0.35, 0.35, 0.35);
  hs_draw_text(sheet->cr, HS_SHEET_MARGIN, HS_SHEET_MARGIN + HS_SHEET_TITLE + 6.0 + 0.5 * HS_SHEET_NOTE, HS_SHEET_NOTE,
               HS_ALIGN_LOW, room, 0.0, note);
}

/* The sheet, laid out. range_w_mk: as for the legend. */
static hs_status begin(struct hs_sheet *sheet, const double range_w_mk[2], struct hs_error *err)
{
  hs_status status = hs_legend_create(sheet->problem, range_w_mk, &sheet->legend, err);
  if (!status) status = hs_canvas_create(&sheet->canvas, err);
  if (status) return status;
  sheet->cr = sheet->canvas.cr;
  hs_sheet_lay_out(sheet);
  return HS_OK;
}

/* Everything over the cells, whose pixels fill the plot. */
static hs_status draw(struct hs_sheet *sheet, const uint32_t *pixels, int columns, int rows, struct hs_error *err)
{
  hs_status status = hs_canvas_paint(&sheet->canvas, sheet->plot.x, sheet->plot.y, pixels, columns, rows, err);
  if (status) return status;
  hs_cell_image_grid(sheet->cr, sheet->problem, &sheet->plot);
  status = draw_shapes(sheet, err);
  if (status) return status;
  hs_sides_draw(sheet);
  draw_axes(sheet);
  draw_probes(sheet);
  hs_sides_number(sheet);
  status = draw_names(sheet, err);
  if (status) return status;
  draw_heading(sheet);
  hs_legend_draw(sheet->cr, &sheet->legend, sheet->legend_columns, sheet->legend_x, sheet->legend_y);
  return hs_canvas_check(&sheet->canvas, err);
}

/* Rank 0 lays out and draws, all ranks colour the cells. */
static hs_status draw_all(struct hs_sheet *sheet, const struct hs_share *share, struct hs_error *err)
{
  const bool draws = hs_share_writes(share);
  double range_w_mk[2];
  int size[2] = {0, 0};
  uint32_t *pixels = NULL;
  hs_status status = hs_cell_image_range(sheet->problem, range_w_mk, err);
  if (!status && draws) status = begin(sheet, range_w_mk, err);
  status = hs_comm_agree(share->comm, status, err);
  if (status) return status;
  size[0] = (int)sheet->plot.width * sheet->canvas.scale;
  size[1] = (int)sheet->plot.height * sheet->canvas.scale;
  status = hs_comm_broadcast(share->comm, 0, size, sizeof size, err);
  if (!status) status = hs_cell_image_create(sheet->problem, size[0], size[1], &pixels, err);
  if (!status && draws) status = draw(sheet, pixels, size[0], size[1], err);
  free(pixels);
  return hs_comm_agree(share->comm, status, err);
}

/* The sheet of a problem, drawn, its cells with `scale` pixels a unit, 0: as many as files have. It is destroyed by the
 * caller, also after a failure. */
static hs_status sheet_create(const struct hs_problem *problem, int scale, struct hs_sheet **made, struct hs_error *err)
{
  const struct hs_share share = hs_share_of(problem);
  hs_status status = hs_array_create((void **)made, 1, sizeof **made, "the drawing of the problem", err);
  status = hs_comm_agree(share.comm, status, err);
  if (status) return status;
  (*made)->problem = problem;
  (*made)->canvas = (struct hs_canvas)HS_CANVAS_NONE;
  (*made)->canvas.scale = scale;
  snprintf((*made)->canvas.title, sizeof(*made)->canvas.title, "%s", title_of(problem->config));
  return draw_all(*made, &share, err);
}

static void sheet_destroy(struct hs_sheet *sheet)
{
  if (!sheet) return;
  hs_canvas_destroy(&sheet->canvas);
  hs_legend_clear(&sheet->legend);
  free(sheet);
}

hs_status hs_drawing_write(const struct hs_problem *problem, const char *path, struct hs_error *err)
{
  const struct hs_share share = hs_share_of(problem);
  struct hs_sheet *sheet = NULL;
  hs_status status = sheet_create(problem, 0, &sheet, err);
  if (!status && hs_share_writes(&share)) status = hs_canvas_write(&sheet->canvas, path, err);
  sheet_destroy(sheet);
  return hs_comm_agree(share.comm, status, err);
}

hs_status hs_drawing_encode(const struct hs_problem *problem, enum hs_picture_format format, int scale,
                            struct hs_png_bytes *bytes, struct hs_error *err)
{
  const struct hs_share share = hs_share_of(problem);
  struct hs_sheet *sheet = NULL;
  hs_status status = sheet_create(problem, scale, &sheet, err);
  if (!status && hs_share_writes(&share)) status = hs_canvas_encode(&sheet->canvas, format, bytes, err);
  sheet_destroy(sheet);
  return hs_comm_agree(share.comm, status, err);
}
