/* Geometry of shapes beyond what problem.h offers to all: spans of cells, outlines, areas, thickness. */
#ifndef HS_PROBLEM_CELLS_SHAPE_H
#define HS_PROBLEM_CELLS_SHAPE_H

#include "problem/problem.h"

/* Numbers that the test of membership needs besides the shape's members. */
struct hs_shape_frame {
  double slack_m;      /* rounding allowed */
  double cosine, sine; /* of an ellipse's angle */
};

/* The figure of a shape, without regard to inside or outside: bounds as of hs_shape_bounds; what the test of
 * membership needs; the test. */
void hs_figure_bounds(const struct hs_config_shape *shape, double bounds_m[4]);
struct hs_shape_frame hs_figure_frame(const struct hs_config_shape *shape);
bool hs_figure_contains(const struct hs_config_shape *shape, const struct hs_shape_frame *frame, double x_m,
                        double y_m);

/* The test for a polygon. edges[count]: those to test; NULL: the first count. A slack below 0 leaves the edge out. */
bool hs_polygon_contains(const struct hs_config_shape *shape, const int *edges, int count, double slack_m, double x_m,
                         double y_m);

/* Where the walk over the outside of a figure is: `row` and `column` come next, and a span of the figure may be pending. */
struct hs_cell_gaps {
  int row, column;
  bool pending;
  int span_row, span_from, span_to;
};

/* Walks over the cells that belong to a shape, row by row, in spans of neighbouring cells. i and j count in the whole grid. */
struct hs_cell_scan {
  const struct hs_problem *problem;
  const struct hs_config_shape *shape;
  struct hs_shape_frame frame;
  int i0, i1, j0, j1;                                          /* cells that may belong to it */
  struct hs_stretch columns[HS_STRETCHES], rows[HS_STRETCHES]; /* cells to walk over */
  int column_count, row_count, width, height;                  /* stretches, and cells */
  int column, row;                                             /* stretches where the next span is looked for, */
  int i, i_end, j, j_end;                                      /* from i to i_end of row j, then in rows to j_end */
  bool solid;                                                  /* all cells of i0..i1, j0..j1 belong */
  double *marks; /* [mark_count] ascending places, in cells, where membership may change; owned */
  int mark_count, mark;
  bool flat;  /* the marks do not suffice: test every cell */
  int *edges; /* [edge_count] polygon: the edges near the row, owned */
  int edge_count;
  struct hs_cell_gaps gaps;
};

/* Begins a walk over the cells of the window; a span ends where a stretch of it does. Errors: HS_ERR_MEMORY. */
hs_status hs_cell_scan_start(struct hs_cell_scan *scan, const struct hs_problem *problem,
                             const struct hs_config_shape *shape, struct hs_error *err);

/* The same over the whole grid. */
hs_status hs_cell_scan_start_grid(struct hs_cell_scan *scan, const struct hs_problem *problem,
                                  const struct hs_config_shape *shape, struct hs_error *err);

/* The next span, cells from..to of a row, both of the window (or of the whole grid); false when there is none left. */
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

/* Area of the cells of the whole grid that belong to a shape, m2. Errors: HS_ERR_MEMORY. */
hs_status hs_cells_area(const struct hs_problem *problem, const struct hs_config_shape *shape, double *area_m2,
                        struct hs_error *err);

/* Width where the shape is thinnest, m; for a polygon, of the narrowest strip between parallels to one of its edges;
 * infinite for an outside. */
double hs_shape_thickness(const struct hs_config_shape *shape);

/* The smallest grid, not below the present one, that puts `cells` cells across the shape; a number above HS_NODES_MOST
 * where no grid does. */
void hs_shape_grid(const struct hs_problem *problem, const struct hs_config_shape *shape, int cells, int *nx, int *ny);

#endif
