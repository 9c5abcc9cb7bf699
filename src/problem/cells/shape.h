/* Geometry of shapes beyond what problem.h offers to all: spans of cells, outlines, areas, thickness. */
#ifndef HS_PROBLEM_CELLS_SHAPE_H
#define HS_PROBLEM_CELLS_SHAPE_H

#include "problem/problem.h"

/* Numbers that the test of membership needs besides the shape's members. */
struct hs_shape_frame {
  double slack_m;      /* rounding allowed */
  double cosine, sine; /* of an ellipse's angle */
};

/* Where the walk over the outside of a figure is: `row` and `column` come next, and a span of the figure may be pending. */
struct hs_cell_gaps {
  int row, column;
  bool pending;
  int span_row, span_from, span_to;
};

/* Walks over the cells that belong to a shape, row by row, in spans of neighbouring cells. */
struct hs_cell_scan {
  const struct hs_problem *problem;
  const struct hs_config_shape *shape;
  struct hs_shape_frame frame;
  int i0, i1, j0, j1; /* cells that may belong to it */
  int i, j;           /* where the next span is looked for */
  bool solid;         /* all cells of i0..i1, j0..j1 belong */
  int row;            /* the row that the following describe */
  double *marks;      /* [mark_count] ascending places, in cells, where membership may change; owned */
  int mark_count, mark;
  bool flat;  /* the marks do not suffice: test every cell */
  int *edges; /* [edge_count] polygon: the edges near the row, owned */
  int edge_count;
  struct hs_cell_gaps gaps;
};

/* Errors: HS_ERR_MEMORY. */
hs_status hs_cell_scan_start(struct hs_cell_scan *scan, const struct hs_problem *problem,
                             const struct hs_config_shape *shape, struct hs_error *err);

/* The next span, cells from..to of a row; false when there is none left. */
bool hs_cell_scan_next(struct hs_cell_scan *scan, int *row, int *from, int *to);

void hs_cell_scan_end(struct hs_cell_scan *scan);

/* The corners of the figure's outline in order; round shapes become polygons of 720 corners, EVERYWHERE the domain of
 * lx by ly, NODE has none. *points is owned by the caller. Errors: HS_ERR_MEMORY. */
hs_status hs_shape_outline(const struct hs_config_shape *shape, double lx_m, double ly_m, struct hs_point **points,
                           int *count, struct hs_error *err);

/* Area of the part of the shape that lies in the domain 0..lx, 0..ly, m2; of polygons that cross themselves or the
 * domain's edge, to about 1e-6 of it. Errors: HS_ERR_MEMORY. */
hs_status hs_shape_area(const struct hs_config_shape *shape, double lx_m, double ly_m, double *area_m2,
                        struct hs_error *err);

/* Area of the cells that belong to a shape, m2. Errors: HS_ERR_MEMORY. */
hs_status hs_cells_area(const struct hs_problem *problem, const struct hs_config_shape *shape, double *area_m2,
                        struct hs_error *err);

/* Width where the shape is thinnest, m; for a polygon, of the narrowest strip between parallels to one of its edges;
 * infinite for an outside. */
double hs_shape_thickness(const struct hs_config_shape *shape);

/* The smallest grid, not below the present one, that puts `cells` cells across the shape; a number above HS_NODES_MOST
 * where no grid does. */
void hs_shape_grid(const struct hs_problem *problem, const struct hs_config_shape *shape, int cells, int *nx, int *ny);

#endif
