/* How a source acts: through the cells that it is painted on, or on control volumes. */
#include "problem/cells/source.h"

#include <math.h>

#include "problem/cells/shape.h"

bool hs_source_is_painted(const struct hs_config *config, int k)
{
  if (config->sources[k].shape.kind == HS_SHAPE_NODE) return false;
  if (config->sources[k].shape.kind != HS_SHAPE_RECTANGLE || config->sources[k].replaces) return true;
  if (config->sources[k].shape.part == HS_PART_OUTSIDE) return true;
  for (int later = k + 1; later < config->source_count; later++)
    if (config->sources[later].replaces && config->sources[later].shape.kind != HS_SHAPE_NODE) return true;
  return false;
}

hs_status hs_source_power(const struct hs_problem *problem, int k, double *power_w_m, struct hs_error *err)
{
  const struct hs_config_source *source = &problem->config->sources[k];
  double area_m2 = 0.0;
  hs_status status = HS_OK;
  *power_w_m = source->power_w_m;
  if (isnan(source->density_w_m3)) return HS_OK;
  if (source->shape.kind == HS_SHAPE_NODE)
    area_m2 = hs_problem_node_area(problem, source->shape.i, source->shape.j);
  else if (hs_source_is_painted(problem->config, k))
    status = hs_cells_area(problem, &source->shape, &area_m2, err);
  else
    status = hs_shape_area(&source->shape, problem->lx_m, problem->ly_m, &area_m2, err);
  *power_w_m = source->density_w_m3 * area_m2;
  return status;
}
