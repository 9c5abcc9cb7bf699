/* A number of the result by its name, for comparison with published values. */
#ifndef HS_RUN_QUANTITY_H
#define HS_RUN_QUANTITY_H

#include <stdbool.h>

#include "run/result.h"

/* The names:
 *
 *     min, max, mean, center                temperatures
 *     probe.NAME                            a point's temperature; point K (from 0) of a line: probe.NAME.K
 *     side.west (east, south, north)        heat into the domain, W/m; also held, source, loss, heat_in, heat_out, storage
 *     surface.NAME                          heat into the domain through a wall's segment or from a held shape
 *     shape.NAME.out                        heat out through a shape's outline
 *     material.NAME.mean (min, max, area)   NAME of the background: background
 *     mass_temperature                      sum over materials of density, area and mean temperature, kg K/m;
 *                                           also material_integral.density
 *     content                               heat content, J/m
 *     imbalance, error_estimate, update_max, update_l2, residual_relative
 *     sweeps (multigrid: cycles), stop_index (= sweeps - 1), history.update_max.K (of sweep K, the first one being 0, where the
 *                                           convergence history has it)
 *     time, steps                           of a transient problem
 *
 * false: the result has no such number. A number that is not known is NaN. */
bool hs_result_quantity(const struct hs_result *result, const char *path, double *value);

#endif
