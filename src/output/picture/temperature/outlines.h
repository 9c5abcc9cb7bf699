/* Where materials meet. */
#ifndef HS_OUTPUT_PICTURE_OUTLINES_H
#define HS_OUTPUT_PICTURE_OUTLINES_H

#include "output/picture/canvas/axes.h"
#include "output/picture/canvas/lines.h"
#include "output/share.h"
#include "problem/problem.h"

/* The material of every cell, or of those that this rank holds. */
struct hs_material_map {
  struct hs_share share;
  const uint16_t *cell;                /* [rows of the share], row 0 in the south; NULL: unknown */
  const struct hs_cell_class *classes; /* that the cells name; NULL: they name materials */
};

/* The map of a problem; of no cells where it has one material, or a map of conductivities. */
struct hs_material_map hs_material_map_of(const struct hs_problem *problem);

/* Edges between cells of different materials, each a piece of a grid line as long as can be: from corner (i0, j0) of the cells
 * to (i1, j1). */
struct hs_run {
  int i0, j0, i1, j1;
};
struct hs_runs {
  struct hs_run *run; /* [count], owned; begin with {0} */
  int count, room;
  bool too_many; /* they would hide the field: run is not complete */
};

/* All edges, on every rank the same; collective. Errors: HS_ERR_MEMORY, HS_ERR_IO. */
hs_status hs_runs_find(const struct hs_material_map *map, struct hs_runs *runs, struct hs_error *err);
void hs_runs_clear(struct hs_runs *runs);

/* The edges as lines in plot, which the cells_x x cells_y cells fill. There are none where they would cover the picture, as in
 * a map of noise. Errors: HS_ERR_MEMORY. */
hs_status hs_outlines_create(const struct hs_runs *runs, int cells_x, int cells_y, const struct hs_box *plot,
                             struct hs_lines *lines, struct hs_error *err);

void hs_outlines_draw(cairo_t *cr, const struct hs_lines *lines);

#endif
