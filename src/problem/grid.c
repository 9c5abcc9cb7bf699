/* What cells and control volumes are like. */
#include <math.h>

#include "problem/problem.h"

double hs_problem_node_area(const struct hs_problem *problem, int i, int j)
{
  const bool vertex = problem->layout == HS_LAYOUT_VERTEX;
  const double x = vertex && (i == 0 || i == problem->nx - 1) ? 0.5 : 1.0;
  const double y = vertex && (j == 0 || j == problem->ny - 1) ? 0.5 : 1.0;
  return (x * problem->dx_m) * (y * problem->dy_m);
}

void hs_problem_cell_conductivity(const struct hs_problem *problem, int ci, int cj, double *kx_w_mk, double *ky_w_mk)
{
  const size_t n = (size_t)cj * (size_t)problem->cells_x + (size_t)ci;
  const struct hs_material *material = &problem->materials[problem->classes[problem->cell[n]].material];
  *kx_w_mk = problem->conductivity_map ? problem->conductivity_map[n] : material->conductivity_x_w_mk;
  *ky_w_mk = problem->conductivity_map ? problem->conductivity_map[n] : material->conductivity_y_w_mk;
}

void hs_index_range(double low_m, double high_m, double spacing_m, int n, int *first, int *last)
{
  const double from = floor(low_m / spacing_m) - 2.0, to = ceil(high_m / spacing_m) + 2.0;
  *first = from > 0.0 ? (int)fmin(from, n) : 0;
  *last = to < n - 1 ? (int)fmax(to, -1.0) : n - 1;
}
