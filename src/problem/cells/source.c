/* How a source acts: through the cells that it is painted on, or on control volumes. */
#include "problem/cells/source.h"

#include <math.h>

#include "problem/cells/shape.h"

bool hs_source_is_painted(const struct hs_config *config, int k)
{
  if (config->sources[k].shape.kind == HS_SHAPE_NODE) return false;
  if (config->sources[k].shape.kind != HS_SHAPE_RECTANGLE || config->sources[k].replaces) return true;
  for (int later = k + 1; later < config->source_count; later++)
    if (config->sources[later].replaces && config->sources[later].shape.kind != HS_SHAPE_NODE) return true;
  return false;
}

/* Appends the rectangle from..to of the source, if it has an area. */
static int piece_add(const struct hs_config_source *source, double x0_m, double x1_m, double y0_m, double y1_m,
                     struct hs_config_source *pieces, int count)
{
  struct hs_config_shape *shape = &pieces[count].shape;
  if (!(x1_m > x0_m) || !(y1_m > y0_m)) return count;
  pieces[count] = *source;
  shape->part = HS_PART_INSIDE;
  shape->x0_m = x0_m;
  shape->x1_m = x1_m;
  shape->y0_m = y0_m;
  shape->y1_m = y1_m;
  return count + 1;
}

/* South and north of the rectangle over the whole width, then west and east of it. */
int hs_source_pieces(const struct hs_problem *problem, int k, struct hs_config_source pieces[HS_SOURCE_PIECES])
{
  struct hs_config_source whole = problem->config->sources[k];
  const struct hs_config_shape *s = &problem->config->sources[k].shape;
  const double lx_m = problem->lx_m, ly_m = problem->ly_m;
  const double x0_m = fmax(s->x0_m, 0.0), x1_m = fmin(s->x1_m, lx_m), y0_m = fmax(s->y0_m, 0.0),
               y1_m = fmin(s->y1_m, ly_m);
  int count = 0;
  if (s->kind == HS_SHAPE_NODE || s->part == HS_PART_INSIDE) {
    pieces[0] = whole;
    return 1;
  }
  if (isnan(whole.density_w_m3)) whole.density_w_m3 = whole.power_w_m / (lx_m * ly_m - (x1_m - x0_m) * (y1_m - y0_m));
  count = piece_add(&whole, 0.0, lx_m, 0.0, y0_m, pieces, count);
  count = piece_add(&whole, 0.0, lx_m, y1_m, ly_m, pieces, count);
  count = piece_add(&whole, 0.0, x0_m, y0_m, y1_m, pieces, count);
  return piece_add(&whole, x1_m, lx_m, y0_m, y1_m, pieces, count);
}

hs_status hs_source_power(const struct hs_problem *problem, int k, double *power_w_m, struct hs_error *err)
{
  const struct hs_config_source *source = &problem->config->sources[k];
  double area_m2 = 0.0;
  hs_status status = HS_OK;
  *power_w_m = source->power_w_m;
  if (isnan(source->density_w_m3)) return HS_OK;
  if (source->shape.kind == HS_SHAPE_NODE)
    area_m2 = hs_problem_node_area(problem, source->shape.i - problem->first_x, source->shape.j - problem->first_y);
  else if (hs_source_is_painted(problem->config, k))
    status = hs_cells_area(problem, &source->shape, &area_m2, err);
  else
    status = hs_shape_area(&source->shape, problem->lx_m, problem->ly_m, &area_m2, err);
  *power_w_m = source->density_w_m3 * area_m2;
  return status;
}
