/* Where materials meet. */
#ifndef HS_OUTPUT_PICTURE_OUTLINES_H
#define HS_OUTPUT_PICTURE_OUTLINES_H

#include "output/picture/axes.h"
#include "output/picture/lines.h"
#include "problem/problem.h"

/* The material of every cell. */
struct hs_material_map {
  int cells_x, cells_y;
  const uint16_t *cell;                /* [cells_y*cells_x], row 0 in the south; NULL: unknown */
  const struct hs_cell_class *classes; /* that the cells name; NULL: they name materials */
};

/* The edges between cells of different materials, as lines in plot, which the cells fill. There are none where they would
 * cover the picture, as in a map of noise. Errors: HS_ERR_MEMORY. */
hs_status hs_outlines_create(const struct hs_material_map *map, const struct hs_box *plot, struct hs_lines *lines,
                             struct hs_error *err);

/* The map of a problem; of no cells where it has one material, or a map of conductivities. */
struct hs_material_map hs_material_map_of(const struct hs_problem *problem);

void hs_outlines_draw(cairo_t *cr, const struct hs_lines *lines);

#endif
