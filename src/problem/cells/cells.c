/* Painting: one class per combination of material, source density and loss.
 *
 * A cell holds the 2-byte number of its class. A brush stroke changes the content of a class; since many cells share
 * one, the class that results is looked up once per stroke and class and remembered. Strokes follow the configuration:
 * picture, shapes, sources, losses. Classes that no cell uses in the end are dropped.
 */
#include "problem/cells/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "problem/cells/cell_classes.h"
#include "problem/cells/maps.h"
#include "problem/cells/materials.h"
#include "problem/cells/shape.h"
#include "problem/cells/source.h"

struct painter {
  struct hs_problem *problem;
  struct hs_cell_classes classes;
  int32_t *memo;        /* [HS_CELL_CLASS_LIMIT + 1] of the present stroke: class + 1 that each class becomes, or 0 */
  int block_x, block_y; /* cells under a pixel of the picture */
  struct hs_stretch columns[HS_STRETCHES], rows[HS_STRETCHES]; /* of the window's cells */
  int column_count, row_count;
};

/* What a stroke does to a cell. */
struct stroke {
  int material; /* -1: leave it */
  double source_w_m3;
  bool replaces; /* the source replaces those before */
  double loss_w_m3k, loss_w_m3;
};

static const struct stroke NO_STROKE = {.material = -1};

/* What a stroke makes of a class, remembered. */
static hs_status class_stroke(struct painter *painter, const struct stroke *stroke, int old, struct hs_error *err)
{
  struct hs_cell_class content = painter->classes.items[old];
  int number = 0;
  hs_status status;
  if (stroke->material >= 0) content.material = stroke->material;
  content.source_w_m3 = (stroke->replaces ? 0.0 : content.source_w_m3) + stroke->source_w_m3;
  content.loss_w_m3k += stroke->loss_w_m3k;
  content.loss_w_m3 += stroke->loss_w_m3;
  status = hs_cell_classes_intern(&painter->classes, &content, &number, err);
  painter->memo[old] = number + 1;
  return status;
}

static hs_status span_paint(struct painter *painter, const struct stroke *stroke, uint16_t *cell, int count,
                            struct hs_error *err)
{
  for (int i = 0; i < count; i++) {
    const int old = cell[i];
    if (!painter->memo[old]) {
      const hs_status status = class_stroke(painter, stroke, old, err);
      if (status) return status;
    }
    cell[i] = (uint16_t)(painter->memo[old] - 1);
  }
  return HS_OK;
}

static void stroke_begin(struct painter *painter)
{
  memset(painter->memo, 0, (HS_CELL_CLASS_LIMIT + 1) * sizeof *painter->memo);
}

static hs_status shape_paint(struct painter *painter, const struct hs_config_shape *shape, const struct stroke *stroke,
                             struct hs_error *err)
{
  struct hs_problem *problem = painter->problem;
  struct hs_cell_scan scan;
  int row, from, to;
  hs_status status = hs_cell_scan_start(&scan, problem, shape, err);
  stroke_begin(painter);
  while (!status && hs_cell_scan_next(&scan, &row, &from, &to))
    status = span_paint(painter, stroke, problem->cell + (size_t)row * (size_t)problem->cells_x + (size_t)from,
                        to - from + 1, err);
  hs_cell_scan_end(&scan);
  return status;
}

/* --- sources and losses -------------------------------------------------------------------------- */

/* Refuses a shape that contains the centre of no cell: it would have no effect. */
static hs_status fail_no_cell(const struct hs_problem *problem, const char *section, const char *name, int line,
                              const struct hs_config_shape *shape, const char *effect, struct hs_error *err)
{
  const double x = problem->dx_m, y = problem->dy_m, thickness_m = hs_shape_thickness(shape);
  const hs_status status = hs_error_set(
      err, HS_ERR_CONFIG,
      "%s:%d: [%s %s] (shape = %s%s) contains the centre of no cell, so it would %s: cells are %.6g m x %.6g m",
      problem->config->path, line, section, name, hs_shape_name(shape->kind), hs_shape_part_note(shape), effect, x, y);
  if (thickness_m > 0.0 && isfinite(thickness_m)) {
    int nx, ny;
    hs_shape_grid(problem, shape, 2, &nx, &ny);
    if (nx > HS_NODES_MOST || ny > HS_NODES_MOST)
      hs_error_append(err, "and it is %.6g m across, too thin for any grid;", thickness_m);
    else
      hs_error_append(err, "and it is %.6g m across. A grid with nx = %d, ny = %d would put two cells across it;",
                      thickness_m, nx, ny);
  } else {
    hs_error_append(err, ";");
  }
  hs_error_append(err, "or make it larger, or remove it.");
  return status;
}

static hs_status source_paint(struct painter *painter, const struct hs_config_source *source, struct hs_error *err)
{
  const struct hs_problem *problem = painter->problem;
  struct stroke stroke = NO_STROKE;
  double area_m2 = 0.0;
  const hs_status status = hs_cells_area(problem, &source->shape, &area_m2, err);
  if (status) return status;
  stroke.source_w_m3 = isnan(source->density_w_m3) ? source->power_w_m / area_m2 : source->density_w_m3;
  stroke.replaces = source->replaces;
  if (area_m2 == 0.0)
    return fail_no_cell(problem, "source", source->name, source->line, &source->shape, "give off no heat", err);
  if (!isfinite(stroke.source_w_m3))
    return hs_error_set(err, HS_ERR_CONFIG,
                        "%s:%d: [source %s] spreads %g W/m over %g m2, which is beyond the range of numbers",
                        problem->config->path, source->line, source->name, source->power_w_m, area_m2);
  return shape_paint(painter, &source->shape, &stroke, err);
}

static hs_status loss_paint(struct painter *painter, const struct hs_config_loss *loss, struct hs_error *err)
{
  const struct hs_problem *problem = painter->problem;
  struct stroke stroke = NO_STROKE;
  double area_m2 = 0.0;
  const hs_status status = hs_cells_area(problem, &loss->shape, &area_m2, err);
  if (status) return status;
  if (area_m2 == 0.0) return fail_no_cell(problem, "loss", loss->name, loss->line, &loss->shape, "take no heat", err);
  stroke.loss_w_m3k = loss->h_w_m2k / loss->thickness_m;
  stroke.loss_w_m3 = stroke.loss_w_m3k * loss->ambient_k;
  return shape_paint(painter, &loss->shape, &stroke, err);
}

static hs_status region_paint(struct painter *painter, const struct hs_config_region *region, struct hs_error *err)
{
  struct stroke stroke = NO_STROKE;
  if (!region->material || !region->material[0]) return HS_OK;
  stroke.material = hs_material_find(painter->problem, region->material);
  if (stroke.material < 0)
    return hs_error_set(err, HS_ERR_CONFIG,
                        "%s:%d: [shape %s] is to be of material \"%s\", and there is no section [material %s]; add it, "
                        "or use another name",
                        painter->problem->config->path, region->line, region->name, region->material, region->material);
  return shape_paint(painter, &region->shape, &stroke, err);
}

/* --- the picture --------------------------------------------------------------------------------- */

static hs_status picture_size(void *context, int width, int height, struct hs_error *err)
{
  struct painter *painter = context;
  const struct hs_problem *p = painter->problem;
  const int cells_x = p->grid_cells_x, cells_y = p->grid_cells_y;
  if (width <= cells_x && height <= cells_y && cells_x % width == 0 && cells_y % height == 0) {
    painter->block_x = cells_x / width;
    painter->block_y = cells_y / height;
    return HS_OK;
  }
  return hs_error_set(
      err, HS_ERR_CONFIG,
      "%s: [map] materials = %s is %d x %d pixels, and the grid of %d x %d nodes has %d x %d cells: there must be a "
      "pixel for each cell, or for each block of equally many cells. With this picture nx = %d, ny = %d fits",
      p->config->path, p->config->map.materials, width, height, p->grid_nx, p->grid_ny, cells_x, cells_y,
      width + (p->grid_nx - cells_x), height + (p->grid_ny - cells_y));
}

/* Row `row` of cells gets the materials of a row of the picture. */
static hs_status row_paint(struct painter *painter, int row, const uint16_t *material, struct hs_error *err)
{
  struct hs_problem *p = painter->problem;
  uint16_t *cell = p->cell + (size_t)row * (size_t)p->cells_x;
  for (int k = 0; k < painter->column_count; k++) {
    const struct hs_stretch *s = &painter->columns[k];
    for (int i = 0; i < s->count; i++) {
      const uint16_t m = material[(s->grid + i) / painter->block_x];
      if (!painter->memo[m]) {
        const struct hs_cell_class content = {.material = m};
        int number;
        const hs_status status = hs_cell_classes_intern(&painter->classes, &content, &number, err);
        if (status) return status;
        painter->memo[m] = number + 1;
      }
      cell[s->from + i] = (uint16_t)(painter->memo[m] - 1);
    }
  }
  return HS_OK;
}

/* Row y of the picture fills block_y rows of the grid: those of them that are in the window are painted. */
static hs_status picture_row(void *context, int y, const uint16_t *material, struct hs_error *err)
{
  struct painter *painter = context;
  const struct hs_problem *p = painter->problem;
  const int top = p->grid_cells_y - 1 - y * painter->block_y;
  for (int k = 0; k < painter->row_count; k++) {
    const struct hs_stretch *s = &painter->rows[k];
    int painted = -1;
    for (int row = top - painter->block_y + 1; row <= top; row++) {
      const int j = s->from + row - s->grid;
      if (row < s->grid || row >= s->grid + s->count) continue;
      if (painted < 0) {
        const hs_status status = row_paint(painter, j, material, err);
        if (status) return status;
        painted = j;
      } else {
        memcpy(p->cell + (size_t)j * (size_t)p->cells_x, p->cell + (size_t)painted * (size_t)p->cells_x,
               (size_t)p->cells_x * sizeof *p->cell);
      }
    }
  }
  return HS_OK;
}

static hs_status picture_paint(struct painter *painter, struct hs_error *err)
{
  const struct hs_picture_taker taker = {picture_size, picture_row, painter};
  const char *name = painter->problem->config->map.materials;
  if (!name || !name[0]) return HS_OK;
  painter->column_count = hs_problem_cell_stretches(painter->problem, true, painter->columns);
  painter->row_count = hs_problem_cell_stretches(painter->problem, false, painter->rows);
  stroke_begin(painter);
  if (hs_map_is_array(painter->problem->config, HS_MAP_MATERIALS))
    return hs_map_array_materials(painter->problem, &taker, err);
  return hs_map_picture_read(painter->problem, &taker, err);
}

static hs_status maps_read(struct hs_problem *p, struct hs_error *err)
{
  const struct hs_config *config = p->config;
  const struct {
    enum hs_map which;
    const char *place;
    double above;
    double **values;
  } maps[] = {
      {HS_MAP_CONDUCTIVITY, config->map.conductivity, 0.0, &p->conductivity_map},
      {HS_MAP_SOURCE, config->map.source, -INFINITY, &p->source_map},
      {HS_MAP_INITIAL, config->map.initial, -INFINITY, &p->initial_map},
  };
  hs_status status = HS_OK;
  for (size_t k = 0; !status && k < sizeof maps / sizeof *maps; k++) {
    struct hs_map_part part;
    if (!maps[k].place || !maps[k].place[0]) continue;
    hs_map_part_of(p, maps[k].which, &part);
    status = hs_map_values_read(config, maps[k].which, maps[k].place, &part, maps[k].above, maps[k].values, err);
  }
  return status;
}

/* --- all of it ----------------------------------------------------------------------------------- */

/* Hands over the classes that cells use, renumbered. */
static void classes_finish(struct painter *painter)
{
  struct hs_problem *problem = painter->problem;
  struct hs_cell_classes *classes = &painter->classes;
  const size_t cells = (size_t)problem->cells_x * (size_t)problem->cells_y;
  int used = 0;
  if (classes->count > 1) {
    stroke_begin(painter);
    for (size_t n = 0; n < cells; n++) painter->memo[problem->cell[n]] = 1;
    for (int k = 0; k < classes->count; k++)
      if (painter->memo[k]) {
        classes->items[used] = classes->items[k];
        painter->memo[k] = ++used;
      }
    if (used < classes->count)
      for (size_t n = 0; n < cells; n++) problem->cell[n] = (uint16_t)(painter->memo[problem->cell[n]] - 1);
    classes->count = used;
  }
  for (int k = 0; k < classes->count; k++) problem->materials[classes->items[k].material].used = true;
  problem->classes = classes->items;
  problem->class_count = classes->count;
  classes->items = NULL;
}

static hs_status all_paint(struct painter *painter, struct hs_error *err)
{
  const struct hs_config *config = painter->problem->config;
  const struct hs_cell_class background = {0};
  int number;
  hs_status status = hs_cell_classes_intern(&painter->classes, &background, &number, err);
  if (!status) status = picture_paint(painter, err);
  for (int k = 0; !status && k < config->region_count; k++) status = region_paint(painter, &config->regions[k], err);
  for (int k = 0; !status && k < config->source_count; k++)
    if (hs_source_is_painted(config, k)) status = source_paint(painter, &config->sources[k], err);
  for (int k = 0; !status && k < config->loss_count; k++) status = loss_paint(painter, &config->losses[k], err);
  return status;
}

hs_status hs_cells_paint(struct hs_problem *problem, struct hs_error *err)
{
  static const char what[] = "the materials of the cells";
  struct painter painter = {.problem = problem};
  hs_status status = hs_materials_create(problem, err);
  if (!status)
    status = hs_array_create((void **)&problem->cell, (size_t)problem->cells_x * (size_t)problem->cells_y,
                             sizeof *problem->cell, what, err);
  if (!status) status = hs_cell_classes_create(&painter.classes, problem->config->path, err);
  if (!status)
    status = hs_array_create((void **)&painter.memo, HS_CELL_CLASS_LIMIT + 1, sizeof *painter.memo, what, err);
  if (!status) status = all_paint(&painter, err);
  if (!status) classes_finish(&painter);
  if (!status) status = maps_read(problem, err);
  free(painter.memo);
  hs_cell_classes_clear(&painter.classes);
  return status;
}
