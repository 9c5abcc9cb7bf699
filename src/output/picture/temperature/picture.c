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
#include "output/picture/canvas/canvas.h"
#include "output/picture/temperature/bar.h"
#include "output/picture/temperature/extremes.h"
#include "output/picture/temperature/isotherms.h"
#include "output/picture/temperature/outlines.h"
#include "output/picture/temperature/picture.h"
#include "output/picture/temperature/raster.h"

#define PLOT_WIDTH 720.0 /* at most */
#define PLOT_HEIGHT 720.0
#define PLOT_SHORT 64.0     /* the short side is at least that */
#define PLOT_MIDDLING 240.0 /* lower plots have their colour bar below; and half of the least width of a picture */
#define TITLE_SIZE 20.0
#define NOTE_SIZE 13.0
#define MARGIN 16.0
#define TICK_ROOM 140.0
#define BAR_TICKS 5 /* at least */
#define BAR_GAP 22.0
#define ISOTHERM_CELLS 800
#define NOT_FINITE 0x8c8c8cu
enum { OUTLINES_ID = 253 }; /* beyond the numbers of isotherms */

struct layout {
  struct hs_box plot;
  struct hs_bar bar;
  double width, height; /* of the canvas */
  double stretch_x, stretch_y;
  struct hs_axis x_axis, y_axis;
  char x_title[48], y_title[48];
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
  if (!isnan(scale->low_k)) hs_axis_linear(&layout->bar.axis, scale->low_k, scale->high_k, BAR_TICKS);
  hs_axis_title(&layout->bar.axis, "Temperature", picture->unit && picture->unit[0] ? picture->unit : "K",
                layout->bar.title, sizeof layout->bar.title);
}

/* Places plot and colour bar, from the widths of the labels that cr measures. */
static void place_boxes(cairo_t *cr, struct layout *layout)
{
  struct hs_box *plot = &layout->plot;
  struct hs_bar *bar = &layout->bar;
  double shift;
  plot->x = ceil(MARGIN + 24.0 + hs_axis_label_width(cr, &layout->y_axis) + 12.0);
  plot->y = ceil(MARGIN + TITLE_SIZE + NOTE_SIZE + 18.0);
  layout->width = plot->x + plot->width + MARGIN;
  layout->height = plot->y + plot->height + 56.0;
  bar->upright = plot->height >= PLOT_MIDDLING;
  if (bar->upright) {
    bar->box = (struct hs_box){plot->x + plot->width + BAR_GAP, plot->y, HS_BAR_THICK, plot->height};
    layout->width = ceil(bar->box.x + HS_BAR_THICK + hs_bar_room(cr, bar) + MARGIN);
  } else {
    bar->box = (struct hs_box){plot->x, layout->height + 4.0, plot->width, HS_BAR_THICK};
    layout->width = plot->x + plot->width + 0.5 * hs_axis_label_width(cr, &bar->axis) + MARGIN;
    layout->height = bar->box.y + HS_BAR_THICK + hs_bar_room(cr, bar) + 4.0;
  }
  shift = floor(fmax(0.0, 0.5 * (2.0 * PLOT_MIDDLING - layout->width)));
  plot->x += shift;
  bar->box.x += shift;
  layout->width = ceil(fmax(layout->width, 2.0 * PLOT_MIDDLING));
  layout->height = ceil(layout->height);
}

static void lay_out(cairo_t *cr, const struct hs_picture *picture, const struct hs_scale *scale, struct layout *layout)
{
  memset(layout, 0, sizeof *layout);
  size_plot(picture, layout);
  make_axes(picture, scale, layout);
  place_boxes(cr, layout);
}

/* Paints the raster, its north-west corner where the layout has the plot. */
static hs_status paint_raster(struct hs_canvas *canvas, const struct hs_picture *picture,
                              const struct hs_raster *raster, const struct hs_colormap *map,
                              const struct layout *layout, struct hs_error *err)
{
  const struct hs_share share = hs_picture_share(picture);
  uint32_t *pixels = NULL;
  hs_status status = hs_array_create((void **)&pixels, (size_t)raster->columns * (size_t)raster->rows, sizeof *pixels,
                                     "the pixels of a picture", err);
  if (status) return status;
#pragma omp parallel for schedule(static) if (hs_share_is_large(&share))
  for (int r = 0; r < raster->rows; r++) {
    const double *source = raster->position + (size_t)(raster->rows - 1 - r) * (size_t)raster->columns;
    uint32_t *target = pixels + (size_t)r * (size_t)raster->columns;
    hs_colormap_pixels(map, source, raster->columns, NOT_FINITE, target);
  }
  status = hs_canvas_paint(canvas, layout->plot.x, layout->plot.y, pixels, raster->columns, raster->rows, err);
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

/* What is drawn of a field: all that is asked of other ranks. */
struct samples {
  struct hs_scale scale;
  struct hs_raster pixels, nodes; /* nodes: for isotherms */
  struct hs_runs outlines;
};

static hs_status find_isotherms(const struct hs_picture *picture, const struct samples *samples,
                                const struct hs_box *box, struct hs_isotherms *isotherms, struct hs_error *err)
{
  struct hs_axis *values = NULL;
  hs_status status = hs_array_create((void **)&values, 1, sizeof *values, "the isotherms of a picture", err);
  if (!status) hs_isotherms_choose(&samples->scale, picture->isotherms, values);
  if (!status && values->count > 0) status = hs_isotherms_create(isotherms, values, &samples->nodes, box, err);
  free(values);
  return status;
}

static struct hs_material_map materials_of(const struct hs_picture *picture)
{
  if (picture->problem) return hs_material_map_of(picture->problem);
  return (struct hs_material_map){hs_picture_share(picture), picture->material, NULL};
}

static void samples_clear(struct samples *samples)
{
  hs_raster_clear(&samples->pixels);
  hs_raster_clear(&samples->nodes);
  hs_runs_clear(&samples->outlines);
}

/* Collective; the plot is columns x rows pixels large. */
static hs_status samples_take(const struct hs_picture *picture, int columns, int rows, struct samples *samples,
                              struct hs_error *err)
{
  const struct hs_material_map materials = materials_of(picture);
  hs_status status = hs_scale_find(picture, &samples->scale, err);
  if (!status) status = hs_raster_create(picture, &samples->scale, columns, rows, &samples->pixels, err);
  if (!status && picture->isotherms > 0)
    status = hs_raster_create_nodes(picture, &samples->scale, ISOTHERM_CELLS, ISOTHERM_CELLS, &samples->nodes, err);
  if (!status) status = hs_runs_find(&materials, &samples->outlines, err);
  return status;
}

/* Outlines of materials, isotherms and extremes over the heatmap. */
static hs_status draw_lines(cairo_t *cr, const struct hs_picture *picture, const struct samples *samples,
                            const struct hs_colormap *map, const struct layout *layout, struct hs_isotherms *isotherms,
                            struct hs_extremes *extremes, struct hs_error *err)
{
  const struct hs_box *plot = &layout->plot, nodes = nodes_box(picture, plot);
  const int between = picture->cells ? 0 : 1;
  struct hs_lines outlines = {0};
  struct hs_room room = {0};
  hs_status status = hs_room_create(&room, plot, err);
  if (!status)
    status = hs_outlines_create(&samples->outlines, picture->nx - between, picture->ny - between, plot, &outlines, err);
  if (!status) status = find_isotherms(picture, samples, &nodes, isotherms, err);
  if (!status) {
    hs_extremes_find(extremes, cr, picture, &samples->scale, plot, &nodes, &room);
    hs_room_note(&room, &outlines, OUTLINES_ID);
    hs_isotherms_label(isotherms, cr, &room);
    hs_outlines_draw(cr, &outlines);
    hs_isotherms_draw(cr, isotherms, plot, map);
    hs_extremes_draw(cr, extremes);
  }
  hs_lines_clear(&outlines);
  hs_room_clear(&room);
  return status;
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

/* Adds a part to the note. */
static void note_add(char *note, size_t size, const char *part)
{
  const size_t used = strlen(note);
  snprintf(note + used, size - used, "%s%s", used ? "; " : "", part);
}

/* The line below the title: the picture's own note, and what a reader must know. */
static void make_note(const struct hs_picture *picture, const struct hs_scale *scale, const struct layout *layout,
                      const struct hs_extremes *extremes, char *note, size_t size)
{
  const double stretch = fmax(layout->stretch_x, layout->stretch_y);
  char part[100], same[100];
  snprintf(same, sizeof same, "all nodes have the same temperature within %.2g K", picture->resolution_k);
  snprintf(note, size, "%s", picture->note ? picture->note : "");
  for (int k = 0; k < extremes->count; k++)
    if (!extremes->placed[k]) note_add(note, size, extremes->text[k]);
  snprintf(part, sizeof part, "%s is stretched %.3g times", layout->stretch_x > layout->stretch_y ? "x" : "y", stretch);
  if (stretch > 1.05) note_add(note, size, part);
  snprintf(part, sizeof part, "%lld of %lld nodes are not finite (gray)", scale->not_finite,
           (long long)picture->nx * picture->ny);
  if (scale->not_finite > 0)
    note_add(note, size, part);
  else if (scale->constant)
    note_add(note, size, hs_text_typeset(same, part, sizeof part));
  else if (!(scale->max_k > scale->min_k))
    note_add(note, size, "all nodes have the same temperature");
}

static void draw_heading(cairo_t *cr, const char *title, const char *note, const struct layout *layout)
{
  const double center = 0.5 * layout->width, room = layout->width - 2.0 * MARGIN;
  const double title_y = MARGIN + 0.5 * TITLE_SIZE + (note[0] ? 0.0 : 8.0);
  cairo_set_source_rgb(cr, 0.0, 0.0, 0.0);
  hs_draw_text(cr, center, title_y, TITLE_SIZE, HS_ALIGN_MIDDLE, room, 0.0, title);
  hs_draw_text(cr, center, MARGIN + TITLE_SIZE + 6.0 + 0.5 * NOTE_SIZE, NOTE_SIZE, HS_ALIGN_MIDDLE, room, 0.0, note);
}

const char *hs_picture_time(double time_s, char *text, size_t size)
{
  static const struct {
    double from_s, unit_s;
    const char *name;
  } units[] = {{2.0 * 86400.0, 86400.0, "d"}, {3600.0, 3600.0, "h"}, {120.0, 60.0, "min"}};
  char plain[64];
  int used = snprintf(plain, sizeof plain, "t = %.6g s", time_s);
  for (size_t k = 0; k < sizeof units / sizeof *units; k++)
    if (time_s >= units[k].from_s && time_s < 1e6 * units[k].unit_s) {
      snprintf(plain + used, sizeof plain - (size_t)used, " (%.5g %s)", time_s / units[k].unit_s, units[k].name);
      break;
    }
  return hs_text_typeset(plain, text, size);
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

static hs_status draw_all(const struct hs_picture *picture, const struct samples *samples, struct layout *layout,
                          struct hs_canvas *canvas, struct hs_error *err)
{
  const struct hs_scale *scale = &samples->scale;
  const struct hs_colormap *map = hs_colormap_find(picture->colormap);
  const char *title = picture->title ? picture->title : "";
  struct hs_isotherms isotherms = {0};
  struct hs_extremes extremes = {0};
  char note[240];
  hs_status status;
  lay_out(canvas->cr, picture, scale, layout);
  canvas->width = layout->width;
  canvas->height = layout->height;
  snprintf(canvas->title, sizeof canvas->title, "%s%s%s", title, title[0] && picture->note ? ", " : "",
           picture->note ? picture->note : "");
  status = paint_raster(canvas, picture, &samples->pixels, map, layout, err);
  if (!status) status = draw_lines(canvas->cr, picture, samples, map, layout, &isotherms, &extremes, err);
  if (!status) {
    make_note(picture, scale, layout, &extremes, note, sizeof note);
    draw_heading(canvas->cr, title, note, layout);
    draw_axes(canvas->cr, layout);
    hs_bar_draw(canvas->cr, &layout->bar, scale, map, &isotherms);
    status = hs_canvas_check(canvas, err);
  }
  hs_isotherms_clear(&isotherms);
  return status;
}

hs_status hs_picture_draw(const struct hs_picture *picture, struct hs_canvas *canvas, struct hs_error *err)
{
  const struct hs_share share = hs_picture_share(picture);
  struct samples samples = {0};
  struct layout *layout = NULL;
  hs_status status;
  if (!hs_colormap_find(picture->colormap))
    return hs_error_set(err, HS_ERR_CONFIG, "there is no colour map \"%s\"; known are %s.",
                        picture->colormap ? picture->colormap : "", hs_colormap_names());
  status = hs_array_create((void **)&layout, 1, sizeof *layout, "the layout of a picture", err);
  status = hs_comm_agree(share.comm, status, err);
  if (status) goto out;
  size_plot(picture, layout);
  status = samples_take(picture, (int)layout->plot.width * canvas->scale, (int)layout->plot.height * canvas->scale,
                        &samples, err);
  if (status) goto out;
  if (hs_share_writes(&share)) status = hs_canvas_create(canvas, err);
  if (!status && hs_share_writes(&share)) status = draw_all(picture, &samples, layout, canvas, err);
  status = hs_comm_agree(share.comm, status, err);
out:
  samples_clear(&samples);
  free(layout);
  return status;
}

hs_status hs_output_picture_write(const char *path, const struct hs_picture *picture, struct hs_error *err)
{
  const struct hs_share share = hs_picture_share(picture);
  struct hs_canvas canvas = HS_CANVAS_NONE;
  hs_status status = hs_picture_draw(picture, &canvas, err);
  if (!status && hs_share_writes(&share)) status = hs_canvas_write(&canvas, path, err);
  hs_canvas_destroy(&canvas);
  return hs_comm_agree(share.comm, status, err);
}
