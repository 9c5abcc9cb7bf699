/* temperature.png: the field as a heatmap.
 *
 * The plot is laid out in units of a canvas about 900 wide or high, of two pixels each; fields with more nodes than that
 * has pixels are averaged. Axes have equal
 * scale unless the domain is more than ten times longer than wide: then the short side is stretched, and a note says
 * so. The heatmap is painted pixel by pixel, not by cairo's filters, so pictures have the same bytes everywhere.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/picture/axes.h"
#include "output/picture/canvas.h"
#include "output/picture/isotherms.h"
#include "output/picture/picture.h"
#include "output/picture/raster.h"

#define PLOT_WIDTH 720.0 /* at most */
#define PLOT_HEIGHT 720.0
#define PLOT_SHORT 64.0     /* the short side is at least that */
#define PLOT_MIDDLING 240.0 /* room that axes and colour bar get beside a flat plot */
#define TITLE_SIZE 20.0
#define NOTE_SIZE 13.0
#define MARGIN 16.0
#define TICK_ROOM 140.0
#define BAR_TICKS 5 /* at least */
#define BAR_GAP 22.0
#define BAR_WIDTH 20.0
#define BAR_POINT 12.0 /* height of a pointed end */
#define ISOTHERM_CELLS 800
#define NOT_FINITE_GRAY 0x8cu

struct layout {
  struct hs_box plot, bar;
  double width, height; /* of the canvas */
  double stretch_x, stretch_y;
  struct hs_axis x_axis, y_axis, bar_axis;
  char x_title[48], y_title[48], bar_title[96];
};

/* The plot's size: equal scale, as far as the shape allows. */
static void size_plot(const struct hs_picture *picture, struct layout *layout)
{
  const double lx = picture->lx_m > 0.0 ? picture->lx_m : 1.0, ly = picture->ly_m > 0.0 ? picture->ly_m : 1.0;
  const double unit = fmin(PLOT_WIDTH / lx, PLOT_HEIGHT / ly);
  layout->plot.width = fmax(PLOT_SHORT, round(unit * lx));
  layout->plot.height = fmax(PLOT_SHORT, round(unit * ly));
  layout->stretch_x = layout->plot.width / (unit * lx);
  layout->stretch_y = layout->plot.height / (unit * ly);
}

/* longest_m, the longer side of the picture, decides the unit of both axes. */
static void make_length_axis(struct hs_axis *axis, double length_m, double longest_m, double room, const char *name,
                             char *title, size_t size)
{
  const char *unit;
  const double factor = hs_axis_length_unit(longest_m, &unit);
  hs_axis_length(axis, length_m * factor, (int)fmax(1.0, room / TICK_ROOM), 0.3 * TICK_ROOM / room);
  hs_axis_title(axis, name, unit, title, size);
}

static void make_axes(const struct hs_picture *picture, const struct hs_scale *scale, struct layout *layout)
{
  const double longest_m = fmax(picture->lx_m, picture->ly_m);
  make_length_axis(&layout->x_axis, picture->lx_m, longest_m, layout->plot.width, "x", layout->x_title,
                   sizeof layout->x_title);
  make_length_axis(&layout->y_axis, picture->ly_m, longest_m, layout->plot.height, "y", layout->y_title,
                   sizeof layout->y_title);
  layout->bar.height = fmax(layout->plot.height, PLOT_MIDDLING);
  memset(&layout->bar_axis, 0, sizeof layout->bar_axis);
  if (!isnan(scale->low_k)) hs_axis_linear(&layout->bar_axis, scale->low_k, scale->high_k, BAR_TICKS);
  hs_axis_title(&layout->bar_axis, "Temperature", picture->unit && picture->unit[0] ? picture->unit : "K",
                layout->bar_title, sizeof layout->bar_title);
}

/* Places plot and colour bar, from the widths of the labels that cr measures. */
static void place_boxes(cairo_t *cr, struct layout *layout)
{
  const double left = MARGIN + 24.0 + hs_axis_label_width(cr, &layout->y_axis) + 12.0;
  const double top = MARGIN + TITLE_SIZE + NOTE_SIZE + 18.0;
  const double bar_labels = hs_axis_label_width(cr, &layout->bar_axis);
  layout->plot.x = ceil(left);
  layout->plot.y = ceil(top + 0.5 * (layout->bar.height - layout->plot.height));
  layout->bar.x = layout->plot.x + layout->plot.width + BAR_GAP;
  layout->bar.y = ceil(top);
  layout->bar.width = BAR_WIDTH;
  layout->width = ceil(layout->bar.x + BAR_WIDTH + 12.0 + bar_labels + 30.0 + MARGIN);
  if (layout->width < 2.0 * PLOT_MIDDLING) {
    const double shift = floor(0.5 * (2.0 * PLOT_MIDDLING - layout->width));
    layout->width = 2.0 * PLOT_MIDDLING;
    layout->plot.x += shift;
    layout->bar.x += shift;
  }
  layout->height = ceil(fmax(layout->plot.y + layout->plot.height + 56.0, layout->bar.y + layout->bar.height + 24.0));
}

static void lay_out(cairo_t *cr, const struct hs_picture *picture, const struct hs_scale *scale, struct layout *layout)
{
  memset(layout, 0, sizeof *layout);
  size_plot(picture, layout);
  make_axes(picture, scale, layout);
  place_boxes(cr, layout);
}

static uint32_t pixel_color(const struct hs_colormap *map, double position)
{
  unsigned char rgb[3] = {NOT_FINITE_GRAY, NOT_FINITE_GRAY, NOT_FINITE_GRAY};
  if (!isnan(position)) hs_colormap_rgb(map, position, rgb);
  return (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
}

/* Paints the raster, its north-west corner at (x, y) of the canvas. */
static hs_status paint_raster(struct hs_canvas *canvas, const struct hs_raster *raster, const struct hs_colormap *map,
                              double x, double y, struct hs_error *err)
{
  uint32_t *pixels = NULL;
  hs_status status = hs_array_create((void **)&pixels, (size_t)raster->columns * (size_t)raster->rows, sizeof *pixels,
                                     "the pixels of a picture", err);
  if (status) return status;
  for (int r = 0; r < raster->rows; r++) {
    const double *source = raster->position + (size_t)(raster->rows - 1 - r) * (size_t)raster->columns;
    uint32_t *target = pixels + (size_t)r * (size_t)raster->columns;
    for (int c = 0; c < raster->columns; c++) target[c] = pixel_color(map, source[c]);
  }
  status = hs_canvas_paint(canvas, x, y, pixels, raster->columns, raster->rows, err);
  free(pixels);
  return status;
}

/* The rectangle between the outermost nodes. */
static struct hs_box nodes_box(const struct hs_picture *picture, const struct hs_box *plot)
{
  const double x = picture->cells ? 0.5 * plot->width / picture->nx : 0.0;
  const double y = picture->cells ? 0.5 * plot->height / picture->ny : 0.0;
  return (struct hs_box){plot->x + x, plot->y + y, plot->width - 2.0 * x, plot->height - 2.0 * y};
}

static hs_status draw_field(struct hs_canvas *canvas, const struct hs_picture *picture, const struct hs_scale *scale,
                            const struct hs_colormap *map, const struct layout *layout, struct hs_error *err)
{
  struct hs_raster raster = {0, 0, NULL};
  const struct hs_box *plot = &layout->plot, nodes = nodes_box(picture, plot);
  hs_status status = hs_raster_create(picture, scale, (int)plot->width * canvas->scale,
                                      (int)plot->height * canvas->scale, &raster, err);
  if (!status) status = paint_raster(canvas, &raster, map, plot->x, plot->y, err);
  hs_raster_clear(&raster);
  if (status || picture->isotherms < 1 || !(scale->high_k > scale->low_k)) return status;
  status = hs_raster_create_nodes(picture, scale, ISOTHERM_CELLS, ISOTHERM_CELLS, &raster, err);
  if (status) return status;
  hs_isotherms_draw(canvas->cr, &nodes, &raster, map, picture->isotherms);
  hs_raster_clear(&raster);
  return HS_OK;
}

static void set_map_color(cairo_t *cr, const struct hs_colormap *map, double position)
{
  unsigned char rgb[3];
  hs_colormap_rgb(map, position, rgb);
  cairo_set_source_rgb(cr, rgb[0] / 255.0, rgb[1] / 255.0, rgb[2] / 255.0);
}

/* A pointed end shows that the field goes beyond the scale: tip is the point's y, base the bar's end. */
static void draw_point(cairo_t *cr, const struct hs_box *bar, double base, double tip, const struct hs_colormap *map,
                       double position)
{
  cairo_move_to(cr, bar->x - 0.5, base);
  cairo_line_to(cr, bar->x + 0.5 * bar->width, tip);
  cairo_line_to(cr, bar->x + bar->width + 0.5, base);
  cairo_close_path(cr);
  set_map_color(cr, map, position);
  cairo_fill_preserve(cr);
  cairo_set_source_rgb(cr, 0.0, 0.0, 0.0);
  cairo_stroke(cr);
}

static void fill_bar(cairo_t *cr, const struct hs_box *bar, const struct hs_colormap *map, int steps, int constant)
{
  int k;
  cairo_set_antialias(cr, CAIRO_ANTIALIAS_NONE);
  for (k = 0; k < steps; k++) {
    set_map_color(cr, map, constant ? 0.5 : 1.0 - (k + 0.5) / steps);
    cairo_rectangle(cr, bar->x, bar->y + k * bar->height / steps, bar->width, bar->height / steps);
    cairo_fill(cr);
  }
  cairo_set_antialias(cr, CAIRO_ANTIALIAS_DEFAULT);
}

static void draw_bar(cairo_t *cr, const struct hs_picture *picture, const struct hs_scale *scale,
                     const struct hs_colormap *map, const struct layout *layout)
{
  const int above = scale->max_k > scale->high_k, below = scale->min_k < scale->low_k;
  const int constant = !(scale->high_k > scale->low_k);
  struct hs_box bar = layout->bar;
  if (isnan(scale->low_k)) return;
  bar.y += above ? BAR_POINT : 0.0;
  bar.height -= (above ? BAR_POINT : 0.0) + (below ? BAR_POINT : 0.0);
  fill_bar(cr, &bar, map, (int)bar.height, constant);
  if (!constant) hs_isotherms_mark(cr, &bar, map, picture->isotherms);
  cairo_set_line_width(cr, 1.0);
  if (above) draw_point(cr, &bar, bar.y, bar.y - BAR_POINT, map, 1.0);
  if (below) draw_point(cr, &bar, bar.y + bar.height, bar.y + bar.height + BAR_POINT, map, 0.0);
  hs_draw_frame(cr, &bar);
  hs_draw_ticks_right(cr, &bar, &layout->bar_axis);
  hs_draw_text(cr, bar.x + bar.width + 12.0 + hs_axis_label_width(cr, &layout->bar_axis) + 16.0,
               layout->bar.y + 0.5 * layout->bar.height, HS_TEXT_SIZE, HS_ALIGN_MIDDLE, layout->bar.height, M_PI_2,
               layout->bar_title);
}

static void draw_axes(cairo_t *cr, const struct layout *layout)
{
  const struct hs_box *plot = &layout->plot;
  hs_draw_frame(cr, plot);
  hs_draw_ticks_below(cr, plot, &layout->x_axis);
  hs_draw_ticks_left(cr, plot, &layout->y_axis);
  hs_draw_text(cr, plot->x + 0.5 * plot->width, plot->y + plot->height + 42.0, HS_TEXT_SIZE, HS_ALIGN_MIDDLE, INFINITY,
               0.0, layout->x_title);
  hs_draw_text(cr, plot->x - 12.0 - hs_axis_label_width(cr, &layout->y_axis) - 14.0, plot->y + 0.5 * plot->height,
               HS_TEXT_SIZE, HS_ALIGN_MIDDLE, INFINITY, M_PI_2, layout->y_title);
}

/* The line below the title: what a reader of the picture must know. */
static void make_note(const struct hs_picture *picture, const struct hs_scale *scale, const struct layout *layout,
                      char *note, size_t size)
{
  const double stretch = fmax(layout->stretch_x, layout->stretch_y);
  size_t used = 0;
  note[0] = '\0';
  if (stretch > 1.05)
    used += (size_t)snprintf(note, size, "%s is stretched %.3g times",
                             layout->stretch_x > layout->stretch_y ? "x" : "y", stretch);
  if (scale->not_finite > 0)
    used += (size_t)snprintf(note + used, size - used, "%s%lld of %lld nodes are not finite (gray)", used ? "; " : "",
                             scale->not_finite, (long long)picture->nx * picture->ny);
  else if (!(scale->max_k > scale->min_k))
    (void)snprintf(note + used, size - used, "%sall nodes have the same temperature", used ? "; " : "");
}

static void draw_heading(cairo_t *cr, const char *title, const char *note, const struct layout *layout)
{
  const double center = 0.5 * layout->width, room = layout->width - 2.0 * MARGIN;
  const double title_y = MARGIN + 0.5 * TITLE_SIZE + (note[0] ? 0.0 : 8.0);
  cairo_set_source_rgb(cr, 0.0, 0.0, 0.0);
  hs_draw_text(cr, center, title_y, TITLE_SIZE, HS_ALIGN_MIDDLE, room, 0.0, title);
  hs_draw_text(cr, center, MARGIN + TITLE_SIZE + 6.0 + 0.5 * NOTE_SIZE, NOTE_SIZE, HS_ALIGN_MIDDLE, room, 0.0, note);
}

struct hs_picture hs_picture_of_config(const struct hs_config *config, const double *field_k)
{
  const bool cells = config->grid.layout == HS_LAYOUT_CELL;
  const int nx = config->grid.nx, ny = config->grid.ny;
  return (struct hs_picture){.field_k = field_k,
                             .nx = nx,
                             .ny = ny,
                             .lx_m = (cells ? nx : nx - 1) * config->grid.dx_m,
                             .ly_m = (cells ? ny : ny - 1) * config->grid.dy_m,
                             .title = config->output.title,
                             .colormap = config->output.colormap,
                             .range_min_k = config->output.range_min_k,
                             .range_max_k = config->output.range_max_k,
                             .isotherms = config->output.isotherms,
                             .unit = config->output.unit,
                             .cells = cells};
}

hs_status hs_picture_draw(const struct hs_picture *picture, struct hs_canvas *canvas, struct hs_error *err)
{
  const struct hs_colormap *map = hs_colormap_find(picture->colormap);
  struct hs_scale scale;
  struct layout layout;
  char note[160];
  hs_status status;
  if (!map)
    return hs_error_set(err, HS_ERR_CONFIG, "there is no colour map \"%s\"; known are %s.",
                        picture->colormap ? picture->colormap : "", hs_colormap_names());
  hs_scale_find(picture, &scale);
  status = hs_canvas_create(canvas, err);
  if (status) return status;
  lay_out(canvas->cr, picture, &scale, &layout);
  canvas->width = layout.width;
  canvas->height = layout.height;
  canvas->title = picture->title ? picture->title : "";
  status = draw_field(canvas, picture, &scale, map, &layout, err);
  if (status) return status;
  make_note(picture, &scale, &layout, note, sizeof note);
  draw_heading(canvas->cr, canvas->title, note, &layout);
  draw_axes(canvas->cr, &layout);
  draw_bar(canvas->cr, picture, &scale, map, &layout);
  return hs_canvas_check(canvas, err);
}

hs_status hs_output_picture_write(const char *path, const struct hs_picture *picture, struct hs_error *err)
{
  struct hs_canvas canvas = HS_CANVAS_NONE;
  hs_status status = hs_picture_draw(picture, &canvas, err);
  if (!status) status = hs_canvas_write(&canvas, path, err);
  hs_canvas_destroy(&canvas);
  return status;
}
