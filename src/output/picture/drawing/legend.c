/* The legend: what the marks in the drawing of a problem mean.
 *
 * It is a list of lines under headings, in one column beside a high drawing and in several below a low one; columns are
 * filled one after the other. A long list ends after SECTION_LINES lines with the number of the others.
 */
#include "output/picture/drawing/legend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/describe.h"
#include "output/picture/canvas/axes.h"
#include "problem/cells/materials.h"
#include "problem/cells/source.h"

#define LINE 21.0
#define SIZE 13.5
#define SIGN_WIDTH 30.0
#define SIGN_HEIGHT 14.0
#define COLUMN_GAP 26.0
enum { SECTION_LINES = 16, LINES_MAX = 160 };

/* --- lines --------------------------------------------------------------------------------------- */

/* The next line, or NULL when there is no room. */
static struct hs_legend_entry *add(struct hs_legend *legend, enum hs_mark mark, const char *text)
{
  struct hs_legend_entry *entry;
  if (legend->count == LINES_MAX) return NULL;
  entry = &legend->entries[legend->count++];
  memset(entry, 0, sizeof *entry);
  entry->mark = mark;
  hs_text_typeset(text, entry->text, sizeof entry->text);
  return entry;
}

static void add_rest(struct hs_legend *legend, int count)
{
  char text[40];
  if (count <= SECTION_LINES) return;
  snprintf(text, sizeof text, "and %d more", count - SECTION_LINES);
  add(legend, HS_MARK_TEXT, text);
}

static void add_conductivity_map(struct hs_legend *legend, const double range_w_mk[2])
{
  char text[120];
  snprintf(text, sizeof text, "from a map, dark %.4g to bright %.4g W/(m K)", range_w_mk[0], range_w_mk[1]);
  add(legend, HS_MARK_HEADING, "Conductivity");
  add(legend, HS_MARK_TEXT, text);
}

static void add_materials(struct hs_legend *legend, const struct hs_problem *problem, const double range_w_mk[2])
{
  char text[200];
  if (problem->conductivity_map) {
    add_conductivity_map(legend, range_w_mk);
    return;
  }
  add(legend, HS_MARK_HEADING, "Materials");
  for (int k = 0; k < problem->material_count && k < SECTION_LINES; k++) {
    const struct hs_material *m = &problem->materials[k];
    const char *name = hs_material_title(problem, k);
    struct hs_legend_entry *entry;
    if (m->conductivity_x_w_mk == m->conductivity_y_w_mk)
      snprintf(text, sizeof text, "%s, %.5g W/(m K)", name, m->conductivity_x_w_mk);
    else
      snprintf(text, sizeof text, "%s, %.5g along x, %.5g along y W/(m K)", name, m->conductivity_x_w_mk,
               m->conductivity_y_w_mk);
    entry = add(legend, HS_MARK_MATERIAL, text);
    for (int c = 0; entry && c < 3; c++) entry->rgb[c] = m->rgb[c] / 255.0;
  }
  add_rest(legend, problem->material_count);
}

/* What the name of a shape does not say. */
static const char *extent_note(const struct hs_config_shape *shape)
{
  if (shape->kind == HS_SHAPE_EVERYWHERE) return " (everywhere)";
  return shape->part == HS_PART_OUTSIDE ? " (outside)" : "";
}

static hs_status add_sources(struct hs_legend *legend, const struct hs_problem *problem, struct hs_error *err)
{
  const struct hs_config *config = problem->config;
  char text[200];
  if (config->source_count == 0 && !problem->source_map) return HS_OK;
  add(legend, HS_MARK_HEADING, "Sources");
  for (int k = 0; k < config->source_count && k < SECTION_LINES; k++) {
    double power_w_m;
    const hs_status status = hs_source_power(problem, k, &power_w_m, err);
    if (status) return status;
    snprintf(text, sizeof text, "%s%s, %.5g W/m", config->sources[k].name, extent_note(&config->sources[k].shape),
             power_w_m);
    add(legend, HS_MARK_SOURCE, text);
  }
  add_rest(legend, config->source_count);
  if (problem->source_map) add(legend, HS_MARK_TEXT, "and a map of source densities");
  return HS_OK;
}

static void add_shapes(struct hs_legend *legend, const struct hs_problem *problem)
{
  const struct hs_config *config = problem->config;
  const char *unit = hs_temperature_unit(config);
  char text[200], value[100];
  int shown = 0;
  for (int k = 0; k < config->region_count; k++) {
    const struct hs_config_region *region = &config->regions[k];
    const bool held = region->temperature.text != NULL;
    if (!held && isnan(region->initial_k)) continue;
    if (shown++ == 0) add(legend, HS_MARK_HEADING, "Temperatures");
    if (shown > SECTION_LINES) continue;
    if (held)
      snprintf(text, sizeof text, "%s%s, held at %s", region->name, extent_note(&region->shape),
               hs_value_describe(&region->temperature, unit, value, sizeof value));
    else
      snprintf(text, sizeof text, "%s%s, initially %.6g %s", region->name, extent_note(&region->shape),
               region->initial_k, unit);
    add(legend, held ? HS_MARK_HELD : HS_MARK_INITIAL, text);
  }
  add_rest(legend, shown);
}

static void add_losses(struct hs_legend *legend, const struct hs_problem *problem)
{
  const struct hs_config *config = problem->config;
  char text[200];
  if (config->loss_count == 0) return;
  add(legend, HS_MARK_HEADING, "Out-of-plane losses");
  for (int k = 0; k < config->loss_count && k < SECTION_LINES; k++) {
    const struct hs_config_loss *loss = &config->losses[k];
    snprintf(text, sizeof text, "%s%s, h %.5g W/(m2 K), ambient %.6g %s", loss->name, extent_note(&loss->shape),
             loss->h_w_m2k, loss->ambient_k, hs_temperature_unit(config));
    add(legend, HS_MARK_LOSS, text);
  }
  add_rest(legend, config->loss_count);
}

static void add_walls(struct hs_legend *legend, const struct hs_problem *problem)
{
  struct hs_wall_range range;
  char does[200], text[260];
  hs_wall_range_find(problem, &range);
  add(legend, HS_MARK_HEADING, "Walls");
  for (int k = 0; k < problem->segment_count && k < SECTION_LINES; k++) {
    const struct hs_segment *segment = &problem->segments[k];
    const char *side = hs_side_name(segment->side);
    struct hs_legend_entry *entry;
    hs_segment_describe(problem, segment, does, sizeof does);
    if (strcmp(segment->name, side))
      snprintf(text, sizeof text, "%s (%s): %s", segment->name, side, does);
    else
      snprintf(text, sizeof text, "%s: %s", side, does);
    entry = add(legend, HS_MARK_WALL, text);
    if (!entry) return;
    hs_strip_find(problem, &range, segment, &entry->strip);
    entry->number = k + 1;
  }
  add_rest(legend, problem->segment_count);
}

hs_status hs_legend_create(const struct hs_problem *problem, const double range_w_mk[2], struct hs_legend *legend,
                           struct hs_error *err)
{
  hs_status status;
  memset(legend, 0, sizeof *legend);
  status = hs_array_create((void **)&legend->entries, LINES_MAX, sizeof *legend->entries, "a legend", err);
  if (status) return status;
  add_materials(legend, problem, range_w_mk);
  add_walls(legend, problem);
  add_shapes(legend, problem);
  add_losses(legend, problem);
  status = add_sources(legend, problem, err);
  if (!status && problem->config->probe_count > 0) {
    add(legend, HS_MARK_HEADING, "Probes");
    add(legend, HS_MARK_PROBE, problem->config->probe_count == 1 ? "a probe" : "points and lines, with their names");
  }
  if (status) hs_legend_clear(legend);
  return status;
}

void hs_legend_clear(struct hs_legend *legend)
{
  free(legend->entries);
  memset(legend, 0, sizeof *legend);
}

/* --- setting ------------------------------------------------------------------------------------- */

/* Lines of the section that begins with the heading k. */
static int section_lines(const struct hs_legend *legend, int k)
{
  int lines = 1;
  while (k + lines < legend->count && legend->entries[k + lines].mark != HS_MARK_HEADING) lines++;
  return lines;
}

/* Does line k begin a new column, when the present one has `used` lines? Sections stay together where they can. */
static bool breaks(const struct hs_legend *legend, int k, int used, int lines)
{
  if (used == 0) return false;
  if (used >= lines) return true;
  if (legend->entries[k].mark != HS_MARK_HEADING) return false;
  return used + section_lines(legend, k) > lines && (section_lines(legend, k) <= lines || used > lines - 3);
}

/* Columns that the legend fills with at most `lines` lines each. */
static int columns_of(const struct hs_legend *legend, int lines)
{
  int columns = 1, used = 0;
  for (int k = 0; k < legend->count; k++, used++)
    if (breaks(legend, k, used, lines)) {
      columns++;
      used = 0;
    }
  return columns;
}

static int lines_of(const struct hs_legend *legend, int columns)
{
  int lines = (legend->count + columns - 1) / columns;
  while (columns_of(legend, lines) > columns) lines++;
  return lines;
}

void hs_legend_measure(cairo_t *cr, struct hs_legend *legend, int columns, double room, double *width, double *height)
{
  const int lines = lines_of(legend, columns);
  const double fair = (room - COLUMN_GAP * (columns - 1)) / columns;
  double wanted[HS_LEGEND_COLUMNS] = {0.0}, spare = 0.0;
  for (int k = 0, column = 0, used = 0; k < legend->count; k++, used++) {
    if (breaks(legend, k, used, lines)) {
      column++;
      used = 0;
    }
    wanted[column] = fmax(wanted[column], SIGN_WIDTH + 8.0 + hs_text_width(cr, SIZE, legend->entries[k].text));
  }
  for (int c = 0; c < columns; c++) spare += fmax(0.0, fair - wanted[c]);
  *width = COLUMN_GAP * (columns - 1);
  for (int c = 0; c < columns; c++) {
    const double more = fmin(spare, fmax(0.0, wanted[c] - fair));
    legend->column_width[c] = fmin(wanted[c], fair) + more;
    spare -= more;
    *width += legend->column_width[c];
  }
  *height = LINE * lines;
}

static void draw_sign(cairo_t *cr, const struct hs_legend_entry *entry, double x, double y)
{
  const double top = y - 0.5 * SIGN_HEIGHT;
  switch (entry->mark) {
  case HS_MARK_HEADING:
  case HS_MARK_TEXT: return;
  case HS_MARK_PROBE: hs_cross_paint(cr, x + 0.5 * SIGN_WIDTH, y); return;
  case HS_MARK_WALL:
    hs_strip_paint(cr, &(struct hs_box){x, y - 0.5 * HS_STRIP, SIGN_WIDTH, HS_STRIP}, &entry->strip);
    hs_strip_number(cr, x + 0.5 * SIGN_WIDTH, y, entry->number);
    return;
  default: break;
  }
  cairo_rectangle(cr, x + 0.5, top + 0.5, SIGN_WIDTH - 1.0, SIGN_HEIGHT - 1.0);
  if (entry->mark != HS_MARK_MATERIAL) {
    hs_mark_paint(cr, entry->mark);
    return;
  }
  cairo_set_source_rgb(cr, entry->rgb[0], entry->rgb[1], entry->rgb[2]);
  cairo_fill_preserve(cr);
  cairo_set_source_rgb(cr, 0.4, 0.4, 0.4);
  cairo_set_line_width(cr, 0.8);
  cairo_stroke(cr);
}

static void draw_line(cairo_t *cr, const struct hs_legend_entry *entry, double width, double x, double y)
{
  const bool heading = entry->mark == HS_MARK_HEADING;
  const double indent = heading ? 0.0 : SIGN_WIDTH + 8.0;
  draw_sign(cr, entry, x, y);
  cairo_set_source_rgb(cr, 0.0, 0.0, 0.0);
  if (heading) cairo_set_source_rgb(cr, 0.35, 0.35, 0.35);
  hs_draw_text(cr, x + indent, y + (heading ? 2.0 : 0.0), SIZE, HS_ALIGN_LOW, width - indent, 0.0, entry->text);
}

void hs_legend_draw(cairo_t *cr, const struct hs_legend *legend, int columns, double x, double y)
{
  const int lines = lines_of(legend, columns);
  for (int k = 0, column = 0, used = 0; k < legend->count; k++, used++) {
    if (breaks(legend, k, used, lines)) {
      x += legend->column_width[column++] + COLUMN_GAP;
      used = 0;
    }
    draw_line(cr, &legend->entries[k], legend->column_width[column], x, y + LINE * (used + 0.5));
  }
}
