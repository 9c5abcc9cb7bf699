/* problem.png: the problem as the program understood it, to be checked before a run.
 *
 * Cells have the colours of their materials, so the picture shows the stepped edges that are computed with; outlines of
 * sources and held shapes show what was meant. Strips along the walls show the kinds of the walls and are numbered as in
 * the legend. Axes have equal scale unless the domain is more than four times longer than wide; then the short side is
 * stretched, and a note says so.
 */
#include "output/picture/drawing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/output.h"
#include "output/picture/axes.h"
#include "output/picture/canvas.h"
#include "output/picture/cell_image.h"
#include "output/picture/labels.h"
#include "output/picture/legend.h"
#include "problem/cells/shape.h"

#define PLOT_WIDTH 720.0 /* at most */
#define PLOT_HEIGHT 600.0
#define PLOT_SHORT 170.0 /* the short side is at least that */
#define TICK_ROOM 140.0
#define MARGIN 18.0
#define TITLE_SIZE 20.0
#define NOTE_SIZE 13.0
#define GAP 28.0
#define LEGEND_WIDEST 380.0
#define ROOM 9.0 /* of the walls' strips that labels may cover */

struct sheet {
  const struct hs_problem *problem;
  struct hs_canvas canvas;
  cairo_t *cr; /* the canvas's */
  struct hs_legend legend;
  struct hs_box plot;
  struct hs_axis x_axis, y_axis;
  char x_title[48], y_title[48];
  double width, height, stretch_x, stretch_y;
  double legend_x, legend_y;
  int legend_columns;
  struct hs_labels labels;
};

/* --- layout -------------------------------------------------------------------------------------- */

static void size_plot(struct sheet *sheet)
{
  const double lx = sheet->problem->lx_m, ly = sheet->problem->ly_m;
  const double unit = fmin(PLOT_WIDTH / lx, PLOT_HEIGHT / ly);
  sheet->plot.width = fmax(PLOT_SHORT, round(unit * lx));
  sheet->plot.height = fmax(PLOT_SHORT, round(unit * ly));
  sheet->stretch_x = sheet->plot.width / (unit * lx);
  sheet->stretch_y = sheet->plot.height / (unit * ly);
}

static void make_axes(struct sheet *sheet)
{
  const double lx = sheet->problem->lx_m, ly = sheet->problem->ly_m;
  const char *unit;
  const double factor = hs_axis_length_unit(fmax(lx, ly), &unit);
  hs_axis_length(&sheet->x_axis, lx * factor, (int)fmax(1.0, sheet->plot.width / TICK_ROOM),
                 0.3 * TICK_ROOM / sheet->plot.width);
  hs_axis_length(&sheet->y_axis, ly * factor, (int)fmax(1.0, sheet->plot.height / TICK_ROOM),
                 0.3 * TICK_ROOM / sheet->plot.height);
  hs_axis_title(&sheet->x_axis, "x", unit, sheet->x_title, sizeof sheet->x_title);
  hs_axis_title(&sheet->y_axis, "y", unit, sheet->y_title, sizeof sheet->y_title);
}

/* Puts the legend beside a high plot, below a low one. */
static void lay_out(struct sheet *sheet, cairo_t *cr)
{
  const double left = MARGIN + 22.0 + hs_axis_label_width(cr, &sheet->y_axis) + 14.0 + HS_STRIP;
  const double top = MARGIN + TITLE_SIZE + NOTE_SIZE + 20.0 + HS_STRIP;
  double below;
  sheet->plot.x = ceil(left);
  sheet->plot.y = ceil(top);
  below = sheet->plot.y + sheet->plot.height + HS_STRIP + 58.0;
  if (sheet->plot.height >= 330.0) {
    sheet->legend_columns = 1;
    sheet->legend_x = sheet->plot.x + sheet->plot.width + HS_STRIP + GAP;
    sheet->legend_y = sheet->plot.y - HS_STRIP;
    sheet->height = fmax(below, sheet->legend_y + hs_legend_measure(cr, &sheet->legend, 1, LEGEND_WIDEST) + MARGIN);
    sheet->width = sheet->legend_x + sheet->legend.column_width + MARGIN;
  } else {
    const double room = sheet->plot.width + 2.0 * HS_STRIP;
    (void)hs_legend_measure(cr, &sheet->legend, 1, LEGEND_WIDEST);
    sheet->legend_columns = (int)fmax(1.0, fmin(3.0, floor((room + GAP) / (sheet->legend.column_width + GAP))));
    sheet->legend_x = sheet->plot.x - HS_STRIP;
    sheet->legend_y = below + 4.0;
    sheet->height =
        sheet->legend_y + hs_legend_measure(cr, &sheet->legend, sheet->legend_columns, LEGEND_WIDEST) + MARGIN;
    sheet->width = sheet->plot.x + sheet->plot.width + HS_STRIP + GAP + MARGIN;
  }
  sheet->width = ceil(fmax(sheet->width, 520.0));
  sheet->height = ceil(sheet->height);
}

static hs_status sheet_begin(struct sheet *sheet, struct hs_error *err)
{
  hs_status status = hs_legend_create(sheet->problem, &sheet->legend, err);
  if (!status) status = hs_canvas_create(&sheet->canvas, err);
  if (status) return status;
  sheet->cr = sheet->canvas.cr;
  size_plot(sheet);
  make_axes(sheet);
  lay_out(sheet, sheet->cr);
  sheet->canvas.width = sheet->width;
  sheet->canvas.height = sheet->height;
  return HS_OK;
}

static double canvas_x(const struct sheet *sheet, double x_m)
{
  return sheet->plot.x + x_m / sheet->problem->lx_m * sheet->plot.width;
}

static double canvas_y(const struct sheet *sheet, double y_m)
{
  return sheet->plot.y + (1.0 - y_m / sheet->problem->ly_m) * sheet->plot.height;
}

/* --- shapes -------------------------------------------------------------------------------------- */

static void draw_node(const struct sheet *sheet, const struct hs_config_shape *shape, enum hs_mark mark)
{
  const struct hs_problem *problem = sheet->problem;
  const double x = canvas_x(sheet, problem->x0_m + shape->i * problem->dx_m);
  const double y = canvas_y(sheet, problem->y0_m + shape->j * problem->dy_m);
  cairo_new_path(sheet->cr);
  cairo_arc(sheet->cr, x, y, 5.0, 0.0, 2.0 * M_PI);
  hs_mark_paint(sheet->cr, mark);
}

/* A material shows by its cells; a thin outline shows what was meant. */
static void draw_outline(const struct sheet *sheet)
{
  cairo_set_source_rgba(sheet->cr, 0.0, 0.0, 0.0, 0.45);
  cairo_set_line_width(sheet->cr, 0.7);
  cairo_stroke(sheet->cr);
}

/* A rectangle around the plot, so that with the even-odd rule all but the figure is filled. */
static void add_outside(const struct sheet *sheet)
{
  const struct hs_box *plot = &sheet->plot;
  cairo_rectangle(sheet->cr, plot->x - ROOM, plot->y - ROOM, plot->width + 2.0 * ROOM, plot->height + 2.0 * ROOM);
}

static hs_status draw_shape(const struct sheet *sheet, const struct hs_config_shape *shape, enum hs_mark mark,
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
    cairo_line_to(sheet->cr, canvas_x(sheet, points[k].x_m), canvas_y(sheet, points[k].y_m));
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

static hs_status draw_shapes(const struct sheet *sheet, struct hs_error *err)
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

/* --- walls --------------------------------------------------------------------------------------- */

static void draw_segment(const struct sheet *sheet, const struct hs_segment *segment, int number)
{
  const struct hs_box *plot = &sheet->plot;
  const double x0 = canvas_x(sheet, segment->from_m), x1 = canvas_x(sheet, segment->to_m);
  const double y0 = canvas_y(sheet, segment->to_m), y1 = canvas_y(sheet, segment->from_m);
  switch (segment->side) {
  case HS_WEST: hs_strip_paint(sheet->cr, plot->x - HS_STRIP, y0, HS_STRIP, y1 - y0, segment->kind, number); break;
  case HS_EAST: hs_strip_paint(sheet->cr, plot->x + plot->width, y0, HS_STRIP, y1 - y0, segment->kind, number); break;
  case HS_SOUTH: hs_strip_paint(sheet->cr, x0, plot->y + plot->height, x1 - x0, HS_STRIP, segment->kind, number); break;
  default: hs_strip_paint(sheet->cr, x0, plot->y - HS_STRIP, x1 - x0, HS_STRIP, segment->kind, number); break;
  }
}

/* A white line where a segment ends within its side. */
static void draw_seam(const struct sheet *sheet, const struct hs_segment *segment)
{
  const struct hs_box *plot = &sheet->plot;
  const bool upright = segment->side == HS_WEST || segment->side == HS_EAST;
  const double length_m = upright ? sheet->problem->ly_m : sheet->problem->lx_m;
  if (segment->to_m > length_m * (1.0 - 1e-6)) return;
  cairo_set_source_rgb(sheet->cr, 1.0, 1.0, 1.0);
  cairo_set_line_width(sheet->cr, 1.5);
  if (upright) {
    const double x = segment->side == HS_WEST ? plot->x - HS_STRIP : plot->x + plot->width;
    cairo_move_to(sheet->cr, x, canvas_y(sheet, segment->to_m));
    cairo_rel_line_to(sheet->cr, HS_STRIP, 0.0);
  } else {
    const double y = segment->side == HS_NORTH ? plot->y - HS_STRIP : plot->y + plot->height;
    cairo_move_to(sheet->cr, canvas_x(sheet, segment->to_m), y);
    cairo_rel_line_to(sheet->cr, 0.0, HS_STRIP);
  }
  cairo_stroke(sheet->cr);
}

static void draw_walls(const struct sheet *sheet)
{
  for (int k = 0; k < sheet->problem->segment_count; k++) {
    draw_segment(sheet, &sheet->problem->segments[k], k + 1);
    draw_seam(sheet, &sheet->problem->segments[k]);
  }
  hs_draw_frame(sheet->cr, &sheet->plot);
}

/* --- probes -------------------------------------------------------------------------------------- */

static void draw_line_probe(const struct sheet *sheet, const struct hs_config_probe *probe)
{
  for (int halo = 1; halo >= 0; halo--) {
    cairo_move_to(sheet->cr, canvas_x(sheet, probe->x_m), canvas_y(sheet, probe->y_m));
    cairo_line_to(sheet->cr, canvas_x(sheet, probe->x1_m), canvas_y(sheet, probe->y1_m));
    cairo_set_line_width(sheet->cr, halo ? 4.0 : 1.5);
    cairo_set_source_rgba(sheet->cr, halo, halo, halo, halo ? 0.85 : 1.0);
    cairo_stroke(sheet->cr);
  }
}

static void draw_probes(struct sheet *sheet)
{
  const struct hs_config *config = sheet->problem->config;
  const struct hs_box *plot = &sheet->plot;
  sheet->labels.area =
      (struct hs_box){plot->x - ROOM, plot->y - ROOM, plot->width + 2.0 * ROOM, plot->height + 2.0 * ROOM};
  for (int k = 0; k < config->probe_count; k++) {
    const struct hs_config_probe *probe = &config->probes[k];
    const double x = canvas_x(sheet, probe->x_m), y = canvas_y(sheet, probe->y_m);
    if (probe->is_line) draw_line_probe(sheet, probe);
    hs_cross_paint(sheet->cr, x, y);
    if (probe->is_line) hs_cross_paint(sheet->cr, canvas_x(sheet, probe->x1_m), canvas_y(sheet, probe->y1_m));
    hs_labels_take(&sheet->labels, x - 5.0, y - 5.0, 10.0, 10.0);
  }
  for (int k = 0; k < config->probe_count; k++) {
    const struct hs_config_probe *probe = &config->probes[k];
    hs_labels_draw(sheet->cr, &sheet->labels, canvas_x(sheet, probe->x_m), canvas_y(sheet, probe->y_m), probe->name);
  }
}

/* --- frame and heading --------------------------------------------------------------------------- */

static void draw_axes(const struct sheet *sheet)
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

static void draw_heading(const struct sheet *sheet)
{
  const struct hs_problem *p = sheet->problem;
  const double stretch = fmax(sheet->stretch_x, sheet->stretch_y), room = sheet->width - 2.0 * MARGIN;
  const char *unit;
  const double factor = hs_axis_length_unit(fmin(p->dx_m, p->dy_m), &unit);
  char note[200];
  const int used = snprintf(note, sizeof note, "%d × %d nodes (%s), cells of %.4g × %.4g %s", p->nx, p->ny,
                            hs_layout_name(p->layout), p->dx_m * factor, p->dy_m * factor, unit);
  if (stretch > 1.05)
    snprintf(note + used, sizeof note - (size_t)used, "; %s is stretched %.3g times",
             sheet->stretch_x > sheet->stretch_y ? "x" : "y", stretch);
  cairo_set_source_rgb(sheet->cr, 0.0, 0.0, 0.0);
  hs_draw_text(sheet->cr, MARGIN, MARGIN + 0.5 * TITLE_SIZE, TITLE_SIZE, HS_ALIGN_LOW, room, 0.0, sheet->canvas.title);
  cairo_set_source_rgb(sheet->cr, 0.35, 0.35, 0.35);
  hs_draw_text(sheet->cr, MARGIN, MARGIN + TITLE_SIZE + 6.0 + 0.5 * NOTE_SIZE, NOTE_SIZE, HS_ALIGN_LOW, room, 0.0,
               note);
}

hs_status hs_drawing_write(const struct hs_problem *problem, const char *path, struct hs_error *err)
{
  struct sheet *sheet = NULL;
  hs_status status = hs_array_create((void **)&sheet, 1, sizeof *sheet, "the drawing of the problem", err);
  if (status) return status;
  sheet->problem = problem;
  sheet->canvas = (struct hs_canvas)HS_CANVAS_NONE;
  snprintf(sheet->canvas.title, sizeof sheet->canvas.title, "%s", title_of(problem->config));
  status = sheet_begin(sheet, err);
  if (status) goto out;
  status = hs_cell_image_paint(&sheet->canvas, problem, &sheet->plot, err);
  if (status) goto out;
  hs_cell_image_grid(sheet->cr, problem, &sheet->plot);
  status = draw_shapes(sheet, err);
  if (status) goto out;
  draw_walls(sheet);
  draw_axes(sheet);
  draw_probes(sheet);
  draw_heading(sheet);
  hs_legend_draw(sheet->cr, &sheet->legend, sheet->legend_columns, sheet->legend_x, sheet->legend_y);
  status = hs_canvas_write(&sheet->canvas, path, err);
out:
  hs_canvas_destroy(&sheet->canvas);
  hs_legend_clear(&sheet->legend);
  free(sheet);
  return status;
}
