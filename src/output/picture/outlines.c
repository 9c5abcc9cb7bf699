/* Edges are followed as runs along rows and columns, row by row; a row like the one before goes on with its runs. */
#include "output/picture/outlines.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define LEAST 0.4 /* between spots of a line: the steps of fine grids are smoothed */
#define APART 5.0 /* units between lines, on average, at least */
enum { RUNS_MOST = 20000 };

struct tracer {
  const struct hs_material_map *map;
  const struct hs_box *plot;
  struct hs_lines *lines;
  int *since; /* [cells_x], row in which the run west of a column's cells began, -1: there is none */
};

static bool differ(const struct hs_material_map *map, uint16_t a, uint16_t b)
{
  return a != b && (!map->classes || map->classes[a].material != map->classes[b].material);
}

static struct hs_line_end corner(const struct tracer *tracer, int i, int j)
{
  const struct hs_material_map *p = tracer->map;
  const struct hs_box *plot = tracer->plot;
  return (struct hs_line_end){
      (int64_t)j * (p->cells_x + 1) + i,
      {plot->x + plot->width * i / p->cells_x, plot->y + plot->height * (1.0 - (double)j / p->cells_y)}};
}

/* The run west of the cells of column i ends below row j. */
static hs_status end_run(struct tracer *tracer, int i, int j, struct hs_error *err)
{
  const int since = tracer->since[i];
  tracer->since[i] = -1;
  return since < 0 ? HS_OK : hs_lines_add(tracer->lines, corner(tracer, i, since), corner(tracer, i, j), err);
}

/* Begins and ends runs between the columns at row j; south: the row below, NULL for none. */
static hs_status trace_columns(struct tracer *tracer, const uint16_t *row, int j, struct hs_error *err)
{
  hs_status status = HS_OK;
  for (int i = 1; i < tracer->map->cells_x && !status; i++) {
    const bool edge = differ(tracer->map, row[i - 1], row[i]);
    if (edge && tracer->since[i] < 0) tracer->since[i] = j;
    if (!edge && tracer->since[i] >= 0) status = end_run(tracer, i, j, err);
  }
  return status;
}

/* The runs between row j and the one below. */
static hs_status trace_row(struct tracer *tracer, const uint16_t *row, int j, struct hs_error *err)
{
  const int cells_x = tracer->map->cells_x;
  const uint16_t *south = row - cells_x;
  hs_status status = HS_OK;
  for (int i = 0, next; i < cells_x && !status; i = next + 1) {
    while (i < cells_x && !differ(tracer->map, south[i], row[i])) i++;
    for (next = i; next < cells_x && differ(tracer->map, south[next], row[next]);) next++;
    if (next > i) status = hs_lines_add(tracer->lines, corner(tracer, i, j), corner(tracer, next, j), err);
  }
  return status;
}

/* Are the lines so many that they would hide the field? */
static bool covers(const struct hs_lines *lines, const struct hs_box *plot)
{
  double length = 0.0;
  for (int k = 0; k < lines->count; k++) length += lines->line[k].length;
  return length * APART > plot->width * plot->height;
}

struct hs_material_map hs_material_map_of(const struct hs_problem *problem)
{
  const bool known = !problem->conductivity_map && problem->material_count > 1;
  return (struct hs_material_map){problem->cells_x, problem->cells_y, known ? problem->cell : NULL, problem->classes};
}

hs_status hs_outlines_create(const struct hs_material_map *map, const struct hs_box *plot, struct hs_lines *lines,
                             struct hs_error *err)
{
  const int cells_x = map->cells_x, cells_y = map->cells_y;
  struct tracer tracer = {map, plot, lines, NULL};
  hs_status status;
  if (!map->cell) return HS_OK;
  status =
      hs_array_create((void **)&tracer.since, (size_t)cells_x + 1, sizeof *tracer.since, "a picture's outlines", err);
  if (status) return status;
  for (int i = 0; i <= cells_x; i++) tracer.since[i] = -1;
  for (int j = 0; j < cells_y && !status && lines->end_count <= 2 * RUNS_MOST; j++) {
    const uint16_t *row = map->cell + (size_t)j * (size_t)cells_x;
    if (j > 0 && !memcmp(row, row - cells_x, (size_t)cells_x * sizeof *row)) continue;
    status = trace_columns(&tracer, row, j, err);
    if (!status && j > 0) status = trace_row(&tracer, row, j, err);
  }
  for (int i = 1; i < cells_x && !status; i++) status = end_run(&tracer, i, cells_y, err);
  free(tracer.since);
  if (!status && lines->end_count <= 2 * RUNS_MOST) status = hs_lines_join(lines, LEAST, err);
  if (status || lines->end_count > 0 || covers(lines, plot)) hs_lines_clear(lines);
  return status;
}

void hs_outlines_draw(cairo_t *cr, const struct hs_lines *lines)
{
  cairo_save(cr);
  cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
  for (int halo = 1; halo >= 0; halo--) {
    hs_lines_path(cr, lines);
    cairo_set_line_width(cr, halo ? 2.2 : 0.8);
    cairo_set_source_rgba(cr, halo, halo, halo, halo ? 0.30 : 0.60);
    cairo_stroke(cr);
  }
  cairo_restore(cr);
}
