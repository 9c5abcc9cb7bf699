/* Remarks about how the problem differs from what its configuration seems to mean.
 *
 * Shapes are painted by the centres of cells: a shape that does not follow the grid gets a stepped edge, one thinner than
 * a cell can vanish, and a later one hides an earlier one. None of this is an error, but all of it changes the answer.
 * What shapes hold is looked at in held_remark.c.
 * Overlaps are found on the cells themselves, or, where two shapes share more than a million, on evenly chosen ones.
 * Limits: at most 24 remarks on overlaps; polygons of more than 2000 corners are not searched for sides that cross.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "problem/cells/shape.h"
#include "problem/cells/source.h"
#include "problem/remark.h"

#define FIT 0.005         /* relative difference of painted and true area that needs no warning */
#define SAMPLES_SIDE 1024 /* of an overlap */
#define LONG_M 20.0       /* a plate that long may be meant in mm */
enum { OVERLAP_REMARKS = 24, CROSSING_CORNERS = 2000 };

/* Ways in which shapes can hide each other. */
enum { PAINTS_MATERIAL = 1, PAINTS_INITIAL = 2, PAINTS_HELD = 4 };

static int paints(const struct hs_config_region *region)
{
  return (region->material && region->material[0] ? PAINTS_MATERIAL : 0) |
         (isnan(region->initial_k) ? 0 : PAINTS_INITIAL) | (region->temperature.text ? PAINTS_HELD : 0);
}

/* --- overlaps ------------------------------------------------------------------------------------ */

/* A share for people: "12", "0.3". */
static const char *percent(double share, char text[16])
{
  snprintf(text, 16, share >= 0.0995 ? "%.0f" : "%.2g", 100.0 * share);
  return text;
}

/* Cells of `a` that are in b too, over the cells of a. */
static hs_status shared_part(const struct hs_problem *problem, const struct hs_config_shape *a,
                             const struct hs_config_shape *b, double *share, struct hs_error *err)
{
  double bounds_a[4], bounds_b[4], own_m2, x0, x1, y0, y1, largest;
  int64_t both = 0;
  int columns, rows;
  hs_status status;
  *share = b->kind == HS_SHAPE_EVERYWHERE ? 1.0 : 0.0;
  if (b->kind == HS_SHAPE_EVERYWHERE) return HS_OK;
  hs_shape_bounds(a, bounds_a);
  hs_shape_bounds(b, bounds_b);
  x0 = fmax(0.0, fmax(bounds_a[0], bounds_b[0]) / problem->dx_m - 0.5);
  x1 = fmin(problem->grid_cells_x - 1.0, fmin(bounds_a[1], bounds_b[1]) / problem->dx_m - 0.5);
  y0 = fmax(0.0, fmax(bounds_a[2], bounds_b[2]) / problem->dy_m - 0.5);
  y1 = fmin(problem->grid_cells_y - 1.0, fmin(bounds_a[3], bounds_b[3]) / problem->dy_m - 0.5);
  if (!(x0 <= x1 + HS_ON_LINE && y0 <= y1 + HS_ON_LINE)) return HS_OK;
  columns = (int)(floor(x1 + HS_ON_LINE) - ceil(x0 - HS_ON_LINE)) + 1;
  rows = (int)(floor(y1 + HS_ON_LINE) - ceil(y0 - HS_ON_LINE)) + 1;
  if (columns < 1 || rows < 1) return HS_OK;
  {
    const int step_x = (columns + SAMPLES_SIDE - 1) / SAMPLES_SIDE, step_y = (rows + SAMPLES_SIDE - 1) / SAMPLES_SIDE;
    const int ci0 = (int)ceil(x0 - HS_ON_LINE), cj0 = (int)ceil(y0 - HS_ON_LINE);
    for (int j = step_y / 2; j < rows; j += step_y)
      for (int i = step_x / 2; i < columns; i += step_x)
        both += hs_problem_cell_in(problem, a, ci0 + i, cj0 + j) && hs_problem_cell_in(problem, b, ci0 + i, cj0 + j);
    both *= (int64_t)step_x * step_y;
    largest = step_x * step_y > 1 ? 0.9999 : 1.0; /* with chosen cells it is not certain that all are covered */
  }
  if (both == 0) return HS_OK;
  status = hs_cells_area(problem, a, &own_m2, err);
  if (!status && own_m2 > 0.0) *share = fmin(largest, (double)both * problem->dx_m * problem->dy_m / own_m2);
  return status;
}

/* [shape b] comes after [shape a]. */
static hs_status regions_compare(const struct hs_problem *problem, const struct hs_config_region *a,
                                 const struct hs_config_region *b, int *found, struct hs_remarks *remarks,
                                 struct hs_error *err)
{
  const int hidden = paints(a) & paints(b);
  char text[16];
  double share;
  hs_status status;
  if (!hidden || a->shape.kind == HS_SHAPE_EVERYWHERE) return HS_OK;
  status = shared_part(problem, &a->shape, &b->shape, &share, err);
  if (status || share == 0.0 || ++*found > OVERLAP_REMARKS) return status;
  if (share >= 1.0 && hidden == paints(a))
    return hs_remark(remarks, true, err, "[shape %s] lies wholly under the later [shape %s] and has no effect.",
                     a->name, b->name);
  return hs_remark(remarks, false, err, "[shape %s] lies over %s %% of [shape %s]; there the later one, %s, holds.",
                   b->name, percent(share, text), a->name, b->name);
}

static hs_status sources_compare(const struct hs_problem *problem, const struct hs_config_source *a,
                                 const struct hs_config_source *b, int *found, struct hs_remarks *remarks,
                                 struct hs_error *err)
{
  char text[16];
  double share;
  hs_status status;
  if (a->shape.kind == HS_SHAPE_EVERYWHERE || b->shape.kind == HS_SHAPE_EVERYWHERE) return HS_OK;
  status = shared_part(problem, &a->shape, &b->shape, &share, err);
  if (status || share == 0.0 || ++*found > OVERLAP_REMARKS) return status;
  return hs_remark(remarks, false, err, "[source %s] lies over %s %% of [source %s]; there %s.", b->name,
                   percent(share, text), a->name, b->replaces ? "the later one holds alone" : "their densities add up");
}

static hs_status overlaps_remark(const struct hs_problem *problem, struct hs_remarks *remarks, struct hs_error *err)
{
  const struct hs_config *config = problem->config;
  hs_status status = HS_OK;
  int found = 0;
  for (int b = 1; b < config->region_count; b++)
    for (int a = 0; !status && a < b; a++)
      status = regions_compare(problem, &config->regions[a], &config->regions[b], &found, remarks, err);
  for (int b = 1; b < config->source_count; b++)
    for (int a = 0; !status && a < b; a++)
      status = sources_compare(problem, &config->sources[a], &config->sources[b], &found, remarks, err);
  if (!status && found > OVERLAP_REMARKS)
    status = hs_remark(remarks, false, err, "%d more pairs of shapes or sources overlap.", found - OVERLAP_REMARKS);
  return status;
}

/* --- fit ----------------------------------------------------------------------------------------- */

/* Appends the edges of a rectangle that lie off the grid lines; none: the text stays empty. */
static void list_edges(const struct hs_problem *problem, const struct hs_config_shape *shape, char *text, size_t size)
{
  const struct {
    const char *name;
    double place_m, spacing_m;
  } edges[] = {{"x0", shape->x0_m, problem->dx_m},
               {"x1", shape->x1_m, problem->dx_m},
               {"y0", shape->y0_m, problem->dy_m},
               {"y1", shape->y1_m, problem->dy_m}};
  size_t used = 0;
  text[0] = '\0';
  for (size_t k = 0; k < sizeof edges / sizeof *edges && used < size; k++) {
    const double off = hs_off_line(edges[k].place_m, edges[k].spacing_m);
    if (off > hs_line_slack(edges[k].place_m, edges[k].spacing_m))
      used += (size_t)snprintf(text + used, size - used, "%s%s by %.3g m (%.2g of a cell)", used ? ", " : "",
                               edges[k].name, off * edges[k].spacing_m, off);
  }
}

static hs_status fit_remark(const struct hs_problem *problem, const char *title, const struct hs_config_shape *shape,
                            double painted_m2, struct hs_remarks *remarks, struct hs_error *err)
{
  char edges[256] = "";
  double true_m2, excess;
  const hs_status status = hs_shape_area(shape, problem->lx_m, problem->ly_m, &true_m2, err);
  if (status || !(true_m2 > 0.0)) return status;
  excess = painted_m2 / true_m2 - 1.0;
  if (shape->kind == HS_SHAPE_RECTANGLE) {
    list_edges(problem, shape, edges, sizeof edges);
    if (!edges[0]) return hs_remark(remarks, false, err, "%s: its edges lie on grid lines.", title);
    return hs_remark(remarks, fabs(excess) > FIT, err,
                     "%s: edges lie off the grid lines: %s; its cells cover %.4g %% of its area.", title, edges,
                     100.0 * (1.0 + excess));
  }
  return hs_remark(remarks, fabs(excess) > FIT, err,
                   "%s: its cells follow the %s in steps and cover %.4g %% of its area.", title,
                   hs_shape_name(shape->kind), 100.0 * (1.0 + excess));
}

/* Is the shape thinner than a cell, in the direction or directions that matter? */
static bool too_thin(const struct hs_problem *problem, const struct hs_config_shape *shape)
{
  const double loose = 1.0 - HS_ON_LINE;
  if (shape->part == HS_PART_OUTSIDE) return false;
  if (shape->kind == HS_SHAPE_RECTANGLE)
    return shape->x1_m - shape->x0_m < loose * problem->dx_m || shape->y1_m - shape->y0_m < loose * problem->dy_m;
  return hs_shape_thickness(shape) < loose * fmax(problem->dx_m, problem->dy_m);
}

static hs_status thin_remark(const struct hs_problem *problem, const char *title, const struct hs_config_shape *shape,
                             struct hs_remarks *remarks, struct hs_error *err)
{
  char remedy[100];
  int nx, ny;
  hs_shape_grid(problem, shape, 2, &nx, &ny);
  if (nx > HS_NODES_MOST || ny > HS_NODES_MOST)
    snprintf(remedy, sizeof remedy, "no grid of up to %d nodes a side would put 2 cells across it", HS_NODES_MOST);
  else
    snprintf(remedy, sizeof remedy, "nx = %d, ny = %d would put at least 2 cells across it", nx, ny);
  return hs_remark(
      remarks, true, err,
      "%s is %.4g m across, thinner than a cell (%.4g m x %.4g m), so it is painted too thick, too thin or "
      "with gaps; %s.",
      title, hs_shape_thickness(shape), problem->dx_m, problem->dy_m, remedy);
}

/* On which side of the line from a to b does c lie? > 0 on its left. */
static double turn(struct hs_point a, struct hs_point b, struct hs_point c)
{
  return (b.x_m - a.x_m) * (c.y_m - a.y_m) - (b.y_m - a.y_m) * (c.x_m - a.x_m);
}

/* A polygon whose sides cross, which mostly means corners in a wrong order. */
static hs_status crossing_remark(const char *title, const struct hs_config_shape *shape, struct hs_remarks *remarks,
                                 struct hs_error *err)
{
  const struct hs_point *p = shape->points;
  const int corners = shape->kind == HS_SHAPE_POLYGON ? shape->point_count : 0;
  if (corners > CROSSING_CORNERS) return HS_OK;
  for (int k = 1; k < corners; k++)
    for (int m = 0; m < k; m++) {
      const struct hs_point k_end = p[(k + 1) % corners], m_end = p[m + 1];
      if (turn(p[m], m_end, p[k]) * turn(p[m], m_end, k_end) < 0.0 &&
          turn(p[k], k_end, p[m]) * turn(p[k], k_end, m_end) < 0.0)
        return hs_remark(remarks, true, err,
                         "%s: its sides from corner %d to %d and from corner %d to %d cross; what it encloses twice is "
                         "outside. Are its corners in order?",
                         title, m + 1, m + 2, k + 1, (k + 1) % corners + 1);
    }
  return HS_OK;
}

static hs_status painted_remark(const struct hs_problem *problem, const char *title,
                                const struct hs_config_shape *shape, const char *what, struct hs_remarks *remarks,
                                struct hs_error *err)
{
  double painted_m2;
  hs_status status;
  if (shape->kind == HS_SHAPE_EVERYWHERE || shape->kind == HS_SHAPE_NODE) return HS_OK;
  status = hs_cells_area(problem, shape, &painted_m2, err);
  if (!status) status = crossing_remark(title, shape, remarks, err);
  if (status) return status;
  if (painted_m2 == 0.0)
    status = hs_remark(remarks, true, err, "%s contains the centre of no cell: it paints no %s at all.", title, what);
  else
    status = fit_remark(problem, title, shape, painted_m2, remarks, err);
  if (!status && too_thin(problem, shape)) status = thin_remark(problem, title, shape, remarks, err);
  return status;
}

static hs_status region_remark(const struct hs_problem *problem, const struct hs_config_region *region,
                               struct hs_remarks *remarks, struct hs_error *err)
{
  const int painted = paints(region);
  char title[200];
  hs_status status = HS_OK;
  snprintf(title, sizeof title, "[shape %s]", region->name);
  if (!painted)
    return hs_remark(remarks, true, err, "%s paints nothing: it has no material, initial or temperature.", title);
  if (painted & (PAINTS_MATERIAL | PAINTS_INITIAL))
    status = painted_remark(problem, title, &region->shape,
                            painted & PAINTS_MATERIAL ? "material" : "initial temperature", remarks, err);
  else
    status = crossing_remark(title, &region->shape, remarks, err);
  if (!status && (painted & PAINTS_HELD)) status = hs_held_remark(problem, title, &region->shape, remarks, err);
  return status;
}

static hs_status shapes_remark(const struct hs_problem *problem, struct hs_remarks *remarks, struct hs_error *err)
{
  const struct hs_config *config = problem->config;
  char title[200];
  hs_status status = HS_OK;
  for (int k = 0; !status && k < config->region_count; k++)
    status = region_remark(problem, &config->regions[k], remarks, err);
  for (int k = 0; !status && k < config->source_count; k++) {
    if (!hs_source_is_painted(config, k)) continue;
    snprintf(title, sizeof title, "[source %s]", config->sources[k].name);
    status = painted_remark(problem, title, &config->sources[k].shape, "source", remarks, err);
  }
  for (int k = 0; !status && k < config->loss_count; k++) {
    snprintf(title, sizeof title, "[loss %s]", config->losses[k].name);
    status = painted_remark(problem, title, &config->losses[k].shape, "loss", remarks, err);
  }
  return status;
}

/* --- materials ----------------------------------------------------------------------------------- */

static hs_status materials_remark(const struct hs_problem *problem, struct hs_remarks *remarks, struct hs_error *err)
{
  hs_status status = HS_OK;
  for (int k = 1; !status && k < problem->material_count; k++)
    if (!problem->materials[k].used)
      status = hs_remark(remarks, false, err, "[material %s] fills no cell.", problem->materials[k].name);
  if (!status && problem->material_count > 1 && !problem->materials[0].used)
    status = hs_remark(remarks, false, err, "The background [material] fills no cell.");
  return status;
}

/* Millimetres given as metres make a plate a thousand times too long. */
static hs_status size_remark(const struct hs_problem *problem, struct hs_remarks *remarks, struct hs_error *err)
{
  if (!(fmax(problem->lx_m, problem->ly_m) > LONG_M)) return HS_OK;
  return hs_remark(remarks, false, err, "The plate is %.4g m by %.4g m: all lengths are in m, and 1 mm is 0.001.",
                   problem->lx_m, problem->ly_m);
}

hs_status hs_problem_remarks(const struct hs_problem *problem, struct hs_remarks *remarks, struct hs_error *err)
{
  hs_status status;
  memset(remarks, 0, sizeof *remarks);
  status = size_remark(problem, remarks, err);
  if (!status) status = shapes_remark(problem, remarks, err);
  if (!status) status = overlaps_remark(problem, remarks, err);
  if (!status) status = materials_remark(problem, remarks, err);
  if (status) hs_remarks_clear(remarks);
  return status;
}
